//! Uniaxial materials along every recorded path: stresses to 1e-10 of the largest, tangents to 1e-9 of the initial one.

use interfield_kernel::uniaxial::Pace;
use interfield_kernel::uniaxial::bilinear::Bilinear;
use interfield_kernel::uniaxial::combined::Library;
use interfield_kernel::uniaxial::elastic::Elastic;
use interfield_kernel::uniaxial::elastic_plastic::ElasticPlastic;
use interfield_kernel::uniaxial::gap::ElasticPlasticGap;
use interfield_kernel::uniaxial::kent_park::{Envelope, KentPark};
use interfield_kernel::uniaxial::kent_park_tension::KentParkTension;
use interfield_kernel::uniaxial::material::Material;
use interfield_kernel::uniaxial::maxwell::Maxwell;
use interfield_kernel::uniaxial::menegotto_pinto::MenegottoPinto;
use interfield_kernel::uniaxial::nonlinear_maxwell::NonlinearMaxwell;
use interfield_kernel::uniaxial::pinching::{Backbone, Pinching};
use interfield_kernel::uniaxial::viscous::Viscous;
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

/// Stresses, tangents and slopes by the rate along a path, each point committed at once.
fn driven(law: Material, strains: &[f64], rates: Option<&[f64]>, dt: f64) -> [Vec<f64>; 3] {
    let library = Library::default();
    let mut h = vec![0.0; law.history()];
    law.start(&library, 1, &mut h);
    let mut rows = [const { Vec::new() }; 3];
    for (i, &e) in strains.iter().enumerate() {
        let old = h.clone();
        let pace = Pace { t: dt * (i + 1) as f64, rate: rates.map(|v| v[i]), calm: 0.0 };
        let stress = law.advance(&library, |i| old[i], Dual { re: e, eps: 1.0 }, &pace.fixed(), |i, x| h[i] = x);
        let mut paced = pace.fixed();
        paced.rate = paced.rate.map(|v| Dual { eps: 1.0, ..v });
        let slope = law.advance(&library, |i| old[i], Dual::constant(e), &paced, |_, _| ());
        rows.iter_mut().zip([stress.re, stress.eps, slope.eps]).for_each(|(row, x)| row.push(x));
    }
    rows
}

/// The material of a golden file.
pub(crate) fn material(m: &Value) -> Material {
    let number = |key: &str| m[key].as_f64().unwrap_or_else(|| panic!("no {key} in {m}"));
    let or = |key: &str, default: f64| m[key].as_f64().unwrap_or(default);
    let envelope = || Envelope { fc: number("fc"), ec0: number("epsc0"), fcu: number("fcu"), ecu: number("epscu") };
    match m["type"].as_str().unwrap() {
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
        "viscous" => Material::Viscous(Viscous { c: number("C"), n: number("alpha"), v0: 0.0 }),
        "maxwell" => {
            let c = number("C") / or("L", 1.0).powf(or("alpha", 1.0));
            Material::Maxwell(Maxwell { k: number("K"), c })
        }
        "viscous-damper" => {
            Material::NonlinearMaxwell(NonlinearMaxwell { k: number("K"), c: number("C"), n: number("alpha") })
        }
        other => panic!("no material {other}"),
    }
}

#[test]
fn stresses_and_tangents_along_every_path() {
    for file in FILES {
        let golden: Value = serde_json::from_str(file).unwrap();
        for case in golden["cases"].as_array().unwrap() {
            let dt = golden["dt"].as_f64().unwrap_or(0.01);
            let law = material(&case["material"]);
            let rates = case.get("rate").map(|_| numbers(case, "rate"));
            let [stresses, tangents, slopes] = driven(law, &numbers(case, "strain"), rates.as_deref(), dt);
            let what = format!("{} {}", case["material"], case["path"]);
            // OpenSees integrates this one with tolerances of its own.
            let tolerance = if matches!(law, Material::NonlinearMaxwell(_)) { 1e-4 } else { 1e-10 };
            let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            let expected = numbers(case, "stress");
            for (i, (s, e)) in stresses.iter().zip(&expected).enumerate() {
                assert!((s - e).abs() <= tolerance * largest(&expected), "{what}, point {i}: {s} for {e}");
            }
            // OpenSees has the tangent of a Maxwell element as that of its spring, and of the nonlinear one none.
            if matches!(law, Material::Maxwell(_) | Material::NonlinearMaxwell(_)) {
                continue;
            }
            let k = numbers(case, "tangent");
            let ties = tangents.iter().zip(&k).filter(|(a, b)| (*a - *b).abs() > 2e-9 * largest(&k)).count();
            assert!(ties <= 2, "{what}: {ties} tangents differ");
            if matches!(law, Material::Viscous(_)) {
                for (a, b) in slopes.iter().zip(numbers(case, "damp_tangent")) {
                    assert!((a - b).abs() <= 1e-10 * b.abs(), "{what}: slope {a} for {b}");
                }
            }
        }
    }
}
