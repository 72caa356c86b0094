//! Uniaxial materials along every recorded path: stresses to 1e-10 of the largest, tangents to 1e-9 of the initial one.

use interfield_kernel::uniaxial::Pace;
use interfield_kernel::uniaxial::bilinear::Bilinear;
use interfield_kernel::uniaxial::combined::{Library, Limited, Parallel, Parts, Series, Share, Shifted};
use interfield_kernel::uniaxial::elastic::Elastic;
use interfield_kernel::uniaxial::elastic_plastic::ElasticPlastic;
use interfield_kernel::uniaxial::gap::ElasticPlasticGap;
use interfield_kernel::uniaxial::hardening::Hardening;
use interfield_kernel::uniaxial::kent_park::{Envelope, KentPark};
use interfield_kernel::uniaxial::kent_park_tension::KentParkTension;
use interfield_kernel::uniaxial::material::Material;
use interfield_kernel::uniaxial::maxwell::Maxwell;
use interfield_kernel::uniaxial::menegotto_pinto::MenegottoPinto;
use interfield_kernel::uniaxial::no_tension::NoTension;
use interfield_kernel::uniaxial::nonlinear_maxwell::NonlinearMaxwell;
use interfield_kernel::uniaxial::pinching::{Backbone, Pinching};
use interfield_kernel::uniaxial::self_centring::SelfCentring;
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
fn driven(law: Material, library: &Library<'_>, strains: &[f64], rates: Option<&[f64]>, dt: f64) -> [Vec<f64>; 3] {
    let mut h = vec![0.0; law.history()];
    law.start(library, 1, &mut h);
    let mut rows = [const { Vec::new() }; 3];
    for (i, &e) in strains.iter().enumerate() {
        let old = h.clone();
        let pace = Pace { t: dt * (i + 1) as f64, rate: rates.map(|v| v[i]), calm: 0.0 };
        let stress = law.advance(library, |i| old[i], Dual { re: e, eps: 1.0 }, &pace.fixed(), |i, x| h[i] = x);
        let mut paced = pace.fixed();
        paced.rate = paced.rate.map(|v| Dual { eps: 1.0, ..v });
        let slope = law.advance(library, |i| old[i], Dual::constant(e), &paced, |_, _| ());
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
        "ent" => Material::NoTension(NoTension { e: number("E") }),
        "hardening" => Material::Hardening(Hardening {
            e: number("E"),
            fy: number("Fy"),
            isotropic: number("Hi"),
            kinematic: number("Hk"),
        }),
        "self-centring" => Material::SelfCentring(SelfCentring {
            k1: number("k1"),
            k2: number("k2"),
            activation: number("fa"),
            beta: number("beta"),
        }),
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
            let [stresses, tangents, slopes] =
                driven(law, &Library::default(), &numbers(case, "strain"), rates.as_deref(), dt);
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

/// A material made of others, with its parts in a library.
fn combined(m: &Value, parts: &mut Vec<Share>) -> Material {
    let Some(of) = m["of"].as_array() else { return material(m) };
    let made: Vec<Material> = of.iter().map(|part| combined(part, parts)).collect();
    let factor = |i: usize| m["factors"][i].as_f64().unwrap_or(1.0);
    parts.extend(made.iter().enumerate().map(|(i, &material)| Share { material, factor: factor(i) }));
    let number = |key: &str| m[key].as_f64().unwrap();
    let library = Library { parts, ..Library::default() };
    let last = Parts::last(parts, of.len());
    match m["type"].as_str().unwrap() {
        "parallel" => Material::Parallel(Parallel(last)),
        "series" => Material::Series(Series::new(&library, last)),
        "limited" => Material::Limited(Limited::new(&library, [number("min"), number("max")])),
        "initial-strain" => Material::Shifted(Shifted::new(parts, number("e0"))),
        "initial-stress" => {
            let strain = Shifted::strain_of(&library, &made[0], number("s0")).unwrap();
            Material::Shifted(Shifted::new(parts, strain))
        }
        other => panic!("no combination {other}"),
    }
}

/// Random parameters, all optional arguments, paths with tiny, repeated and huge increments, combinations: stresses to 1e-10 of the largest,
/// tangents to 1e-9 of it but for ties, where rounding decides which of two branches is taken. A series, which OpenSees
/// does not balance within an increment, to 1e-4: what differs is its unbalance where a part begins to yield, which falls with its increments.
#[test]
fn random_materials_follow_random_paths() {
    let golden: Value = serde_json::from_str(include_str!("../../golden/frames/mat_random.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    let mut ties = 0;
    for (n, case) in cases.iter().enumerate() {
        let mut parts = Vec::new();
        let law = combined(&case["material"], &mut parts);
        let library = Library { parts: &parts, ..Library::default() };
        // OpenSees finds a series in one pass with the unbalance carried on: it was driven in 40000 increments, ten for each of ours.
        let fine = |i: u32| {
            let share = f64::from(i) / 4000.0;
            let e = case["cycles"]["scale"].as_f64().unwrap() * share * 1.5 * (f64::from(i) * 0.004).sin();
            format!("{e:.9e}").parse().unwrap()
        };
        let series = case["strain"].is_null();
        let strains = if series { (1..=4000).map(fine).collect() } else { numbers(case, "strain") };
        let every = if series { 80 } else { 1 };
        let kept = |x: Vec<f64>| x.into_iter().skip(every - 1).step_by(every).collect::<Vec<f64>>();
        let [stresses, tangents, _] = driven(law, &library, &strains, None, 0.01).map(kept);
        let tolerance = if series { 1e-4 } else { 1e-10 };
        let largest = |x: &[f64]| x.iter().fold(f64::MIN_POSITIVE, |m: f64, s| m.max(s.abs()));
        let (s, k) = (numbers(case, "stress"), numbers(case, "tangent"));
        let what = format!("case {n}, {} {}", case["material"], case["path"]);
        for (i, (a, b)) in stresses.iter().zip(&s).enumerate() {
            assert!((a - b).abs() <= tolerance * largest(&s), "{what}, point {i}: {a} for {b}");
        }
        if series {
            continue;
        }
        // On flat branches of the pinching material OpenSees has 1e-9 of the initial tangent for none.
        let stiff = largest(&k).max(law.stiffness(&library));
        ties += tangents.iter().zip(&k).filter(|(a, b)| (*a - *b).abs() > 2e-9 * stiff).count();
    }
    assert!(ties <= 4, "{ties} tangents differ");
}

/// Parts of a series carry one stress, and their strains are that of the whole, after every increment of any size; a part that yields without
/// hardening, behind which OpenSees diverges, and a gap.
#[test]
fn parts_of_a_series_carry_one_stress() {
    let elastic = |e: f64| Material::Elastic(Elastic { e, compression: e });
    let ideal = Material::ElasticPlastic(ElasticPlastic { e: 100.0, tension: 1.0, compression: -1.0, e0: 0.0 });
    let steel =
        Material::new("menegotto-pinto", &[1.0, 100.0, 0.02, 18.0, 0.925, 0.15, 0.0, 1.0, 0.0, 1.0, 0.0]).unwrap();
    let gap = Material::new("elastic-plastic-gap", &[100.0, 0.8, 0.01, 0.05, 1.0]).unwrap();
    for of in [
        vec![elastic(100.0), ideal],
        vec![steel, elastic(50.0)],
        vec![gap, elastic(80.0)],
        vec![steel, ideal, elastic(1e4)],
    ] {
        let parts: Vec<Share> = of.iter().map(|&material| Share { material, factor: 1.0 }).collect();
        let library = Library { parts: &parts, ..Library::default() };
        let law = Material::Series(Series::new(&library, Parts::last(&parts, parts.len())));
        let mut h = vec![0.0; law.history()];
        law.start(&library, 1, &mut h);
        let mut random = 1u64;
        for step in 0..400 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let e =
                0.08 * ((random >> 33) as f64 / f64::from(1u32 << 31) - 0.5) * if step % 3 == 0 { 1.0 } else { 0.1 };
            let old = h.clone();
            let strain = Dual { re: e, eps: 1.0 };
            let s = law.advance(&library, |i| old[i], strain, &Pace::at(0.0), |i, x| h[i] = x);
            let whole: f64 = (0..of.len()).map(|i| h[3 * i]).sum();
            assert!((whole - e).abs() < 1e-12, "{of:?}: strains {whole} for {e}");
            for i in 0..of.len() {
                assert!((h[3 * i + 1] - s.re).abs() < 1e-9, "{of:?}, step {step}: {} for {}", h[3 * i + 1], s.re);
            }
            // Two springs of which one slips are a slip with the stiffness of both.
            if matches!(of[..], [Material::Elastic(_), Material::ElasticPlastic(_)]) {
                assert!(s.re.abs() <= 1.0 + 1e-9 && (s.eps < 1e-6 || (s.eps - 50.0).abs() < 1e-9), "{s:?}");
            }
        }
    }
}
