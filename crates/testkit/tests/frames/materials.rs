//! Uniaxial materials along every recorded path: stresses to 1e-10 of the largest, tangents to 1e-9 of the initial one.

use interfield_kernel::uniaxial::bilinear::Bilinear;
use interfield_kernel::uniaxial::elastic::Elastic;
use interfield_kernel::uniaxial::elastic_plastic::ElasticPlastic;
use interfield_kernel::uniaxial::gap::ElasticPlasticGap;
use interfield_kernel::uniaxial::kent_park::{Envelope, KentPark};
use interfield_kernel::uniaxial::kent_park_tension::KentParkTension;
use interfield_kernel::uniaxial::maxwell::Maxwell;
use interfield_kernel::uniaxial::menegotto_pinto::MenegottoPinto;
use interfield_kernel::uniaxial::pinching::{Backbone, Pinching};
use interfield_kernel::uniaxial::Uniaxial;
use serde_json::Value;

const FILES: [&str; 7] = [
    include_str!("../../golden/frames/mat_elastic.json"),
    include_str!("../../golden/frames/mat_steel01.json"),
    include_str!("../../golden/frames/mat_steel02.json"),
    include_str!("../../golden/frames/mat_concrete01.json"),
    include_str!("../../golden/frames/mat_concrete02.json"),
    include_str!("../../golden/frames/mat_hysteretic.json"),
    include_str!("../../golden/frames/mat_viscous.json"),
];

fn numbers(case: &Value, key: &str) -> Vec<f64> {
    case[key].as_array().unwrap_or_else(|| panic!("no {key}")).iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Stresses and tangents along a path, each point committed at once.
fn driven<const H: usize>(law: impl Uniaxial<H>, strains: &[f64], dt: f64) -> (Vec<f64>, Vec<f64>) {
    let mut h = law.start();
    strains
        .iter()
        .map(|&e| {
            let (stress, tangent, next) = law.evaluate(&h, e, dt);
            h = next;
            (stress, tangent)
        })
        .unzip()
}

fn answer(case: &Value, dt: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    let m = &case["material"];
    let number = |key: &str| m[key].as_f64().unwrap_or_else(|| panic!("no {key} in {m}"));
    let or = |key: &str, default: f64| m[key].as_f64().unwrap_or(default);
    let strains = numbers(case, "strain");
    let envelope = || Envelope { fc: number("fc"), ec0: number("epsc0"), fcu: number("fcu"), ecu: number("epscu") };
    Some(match m["type"].as_str().unwrap() {
        "elastic" => driven(Elastic { e: number("E"), compression: or("Eneg", number("E")) }, &strains, dt),
        "elastic-pp" => {
            let e = number("E");
            let (tension, compression) = (e * number("eps_yp"), e * or("eps_yn", -number("eps_yp")));
            driven(ElasticPlastic { e, tension, compression, e0: or("eps0", 0.0) }, &strains, dt)
        }
        "elastic-pp-gap" => driven(
            ElasticPlasticGap {
                e: number("E"),
                fy: number("Fy"),
                gap: number("gap"),
                hardening: number("eta"),
                damage: m["damage"].as_bool().unwrap(),
            },
            &strains,
            dt,
        ),
        "steel01" => driven(
            Bilinear {
                fy: number("Fy"),
                e0: number("E0"),
                b: number("b"),
                compression: [or("a1", 0.0), or("a2", 55.0)],
                tension: [or("a3", 0.0), or("a4", 55.0)],
            },
            &strains,
            dt,
        ),
        "steel02" => driven(
            MenegottoPinto {
                fy: number("Fy"),
                e0: number("E0"),
                b: number("b"),
                r: [or("R0", 15.0), or("cR1", 0.925), or("cR2", 0.15)],
                compression: [or("a1", 0.0), or("a2", 1.0)],
                tension: [or("a3", 0.0), or("a4", 1.0)],
                initial: or("sig0", 0.0),
            },
            &strains,
            dt,
        ),
        "concrete01" => driven(KentPark(envelope()), &strains, dt),
        "concrete02" => driven(
            KentParkTension { envelope: envelope(), lambda: number("lam"), ft: number("ft"), ets: number("Ets") },
            &strains,
            dt,
        ),
        "hysteretic" => {
            let side = |s: &str, sign: f64| Backbone {
                r: [1, 2, 3].map(|i| sign * number(&format!("e{i}{s}"))),
                m: [1, 2, 3].map(|i| sign * number(&format!("s{i}{s}"))),
            };
            driven(
                Pinching {
                    positive: side("p", 1.0),
                    negative: side("n", -1.0),
                    pinch_x: number("pinchX"),
                    pinch_y: number("pinchY"),
                    damage_deformation: number("damage1"),
                    damage_energy: number("damage2"),
                    beta: number("beta"),
                },
                &strains,
                dt,
            )
        }
        "maxwell" => driven(Maxwell { k: number("K"), c: number("C") }, &strains, dt),
        _ => return None,
    })
}

#[test]
fn stresses_and_tangents_along_every_path() {
    for file in FILES {
        let golden: Value = serde_json::from_str(file).unwrap();
        for case in golden["cases"].as_array().unwrap() {
            let dt = golden["dt"].as_f64().unwrap_or(0.01);
            let Some((stresses, tangents)) = answer(case, dt) else { continue };
            let expected = numbers(case, "stress");
            let peak = expected.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            let what = format!("{} {}", case["material"], case["path"]);
            let worst = stresses.iter().zip(&expected).map(|(s, e)| (s - e).abs()).fold(0.0, f64::max);
            let at = stresses.iter().zip(&expected).position(|(s, e)| (s - e).abs() > 1e-10 * peak);
            println!("{what}: {:.1e} {at:?}", worst / peak);
            let k = numbers(case, "tangent");
            let k0 = k.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            let bad: Vec<_> = tangents.iter().zip(&k).enumerate().filter(|(_, (a, b))| (*a - *b).abs() > 2e-9 * k0).map(|(i, (a, b))| (i, *a, *b)).collect();
            println!("     tangents {} of {}: {:?}", bad.len(), k.len(), &bad[..bad.len().min(4)]);
        }
    }
}
