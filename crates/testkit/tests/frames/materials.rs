//! Uniaxial materials along every recorded path: stresses to 1e-10 of the largest, tangents to 1e-9 of the initial one.

use interfield_kernel::uniaxial::bilinear::Bilinear;
use interfield_kernel::uniaxial::elastic::Elastic;
use interfield_kernel::uniaxial::elastic_plastic::ElasticPlastic;
use interfield_kernel::uniaxial::gap::ElasticPlasticGap;
use interfield_kernel::uniaxial::kent_park::{Envelope, KentPark};
use interfield_kernel::uniaxial::kent_park_tension::KentParkTension;
use interfield_kernel::uniaxial::material::Material;
use interfield_kernel::uniaxial::maxwell::Maxwell;
use interfield_kernel::uniaxial::menegotto_pinto::MenegottoPinto;
use interfield_kernel::uniaxial::pinching::{Backbone, Pinching};
use interfield_kernel::{Dual, Scalar};
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

pub(crate) fn numbers(case: &Value, key: &str) -> Vec<f64> {
    case[key].as_array().unwrap_or_else(|| panic!("no {key}")).iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Stresses and tangents along a path, each point committed at once.
fn driven(law: Material, strains: &[f64], dt: f64) -> (Vec<f64>, Vec<f64>) {
    let mut h = vec![0.0; law.history()];
    law.start(1, &mut h);
    strains
        .iter()
        .enumerate()
        .map(|(i, &e)| {
            let old = h.clone();
            let strain = Dual { re: e, eps: 1.0 };
            let stress = law.advance(|i| Dual::constant(old[i]), strain, dt * (i + 1) as f64, |i, x| h[i] = x.re);
            (stress.re, stress.eps)
        })
        .unzip()
}

/// The material of a golden file.
pub(crate) fn material(m: &Value) -> Option<Material> {
    let number = |key: &str| m[key].as_f64().unwrap_or_else(|| panic!("no {key} in {m}"));
    let or = |key: &str, default: f64| m[key].as_f64().unwrap_or(default);
    let envelope = || Envelope { fc: number("fc"), ec0: number("epsc0"), fcu: number("fcu"), ecu: number("epscu") };
    Some(match m["type"].as_str().unwrap() {
        "elastic" => Material::Elastic(Elastic { e: number("E"), compression: or("Eneg", number("E")) }),
        "elastic-pp" => {
            let e = number("E");
            let (tension, compression) = (e * number("eps_yp"), e * or("eps_yn", -number("eps_yp")));
            Material::ElasticPlastic(ElasticPlastic { e, tension, compression, e0: or("eps0", 0.0) })
        }
        "elastic-pp-gap" => Material::ElasticPlasticGap(ElasticPlasticGap {
            e: number("E"),
            fy: number("Fy"),
            gap: number("gap"),
            hardening: number("eta"),
            damage: m["damage"].as_bool().unwrap(),
        }),
        "steel01" => Material::Bilinear(Bilinear {
            fy: number("Fy"),
            e0: number("E0"),
            b: number("b"),
            compression: [or("a1", 0.0), or("a2", 55.0)],
            tension: [or("a3", 0.0), or("a4", 55.0)],
        }),
        "steel02" => Material::MenegottoPinto(MenegottoPinto {
            fy: number("Fy"),
            e0: number("E0"),
            b: number("b"),
            r: [or("R0", 15.0), or("cR1", 0.925), or("cR2", 0.15)],
            compression: [or("a1", 0.0), or("a2", 1.0)],
            tension: [or("a3", 0.0), or("a4", 1.0)],
            initial: or("sig0", 0.0),
        }),
        "concrete01" => Material::KentPark(KentPark(envelope())),
        "concrete02" => Material::KentParkTension(KentParkTension {
            envelope: envelope(),
            lambda: number("lam"),
            ft: number("ft"),
            ets: number("Ets"),
        }),
        "hysteretic" => {
            let side = |s: &str, sign: f64| Backbone {
                r: [1, 2, 3].map(|i| sign * number(&format!("e{i}{s}"))),
                m: [1, 2, 3].map(|i| sign * number(&format!("s{i}{s}"))),
            };
            Material::Pinching(Pinching {
                positive: side("p", 1.0),
                negative: side("n", -1.0),
                pinch_x: number("pinchX"),
                pinch_y: number("pinchY"),
                damage_deformation: number("damage1"),
                damage_energy: number("damage2"),
                beta: or("beta", 0.0),
            })
        }
        "maxwell" => Material::Maxwell(Maxwell { k: number("K"), c: number("C") }),
        _ => return None,
    })
}

#[test]
fn stresses_and_tangents_along_every_path() {
    for file in FILES {
        let golden: Value = serde_json::from_str(file).unwrap();
        for case in golden["cases"].as_array().unwrap() {
            let dt = golden["dt"].as_f64().unwrap_or(0.01);
            let Some(law) = material(&case["material"]) else { continue };
            let (stresses, tangents) = driven(law, &numbers(case, "strain"), dt);
            let expected = numbers(case, "stress");
            let peak = expected.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            let what = format!("{} {}", case["material"], case["path"]);
            for (i, (s, e)) in stresses.iter().zip(&expected).enumerate() {
                assert!((s - e).abs() <= 1e-10 * peak, "{what}, point {i}: {s} for {e}");
            }
            let k = numbers(case, "tangent");
            let k0 = k.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            // OpenSees has the tangent of a Maxwell element as that of its spring.
            let differ = |(a, b): (&f64, &f64)| (a - b).abs() > 2e-9 * k0 && !matches!(law, Material::Maxwell(_));
            let ties = tangents.iter().zip(&k).filter(|&pair| differ(pair)).count();
            assert!(ties <= 2, "{what}: {ties} tangents differ");
        }
    }
}
