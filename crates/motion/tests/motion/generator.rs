//! Generated motions meet their targets.

use interfield_motion::{
    Asce7, Ec8, Envelope, GenerateOptions, GroundType, Record, SpectrumType, compatibility, generate,
};

fn assert_fits(record: &Record, target: &dyn Fn(f64) -> f64, what: &str) {
    let c = compatibility(record, target, 0.05, (0.1, 2.0)).unwrap();
    assert!(c.mean_misfit < 0.05, "{what}: mean misfit {}", c.mean_misfit);
    assert!(c.meets_ec8 && c.min_ratio.0 >= 0.9, "{what}: {:?}", c.min_ratio);
    assert!(c.max_ratio.0 < 1.3, "{what}: {:?}", c.max_ratio);
    let (v, d) = (record.velocity().unwrap(), record.displacement().unwrap());
    let last = |r: &Record| r.values[r.values.len() - 1].abs();
    assert!(last(&v) < 1e-9 * v.peak() && last(&d) < 1e-9 * d.peak(), "{what}: does not come to rest");
    assert!(record.values[0] == 0.0 && last(record) < 1e-12);
    assert!(d.peak() < 1.0, "{what}: displacement {}", d.peak());
}

fn eurocode_8(kind: SpectrumType) {
    for ground in [GroundType::A, GroundType::B, GroundType::C, GroundType::D, GroundType::E] {
        for seed in [1, 2, 3] {
            let s = Ec8 { ag: 2.5, ground, kind, damping: 0.05 };
            let target = |t: f64| s.acceleration(t);
            let r = generate(&target, &GenerateOptions { seed, ..Default::default() }).unwrap();
            assert_fits(&r, &target, &format!("{kind:?} {ground:?} seed {seed}"));
        }
    }
}

#[test]
fn eurocode_8_type_1() {
    eurocode_8(SpectrumType::Type1);
}

#[test]
fn eurocode_8_type_2() {
    eurocode_8(SpectrumType::Type2);
}

#[test]
fn asce_7_and_other_envelopes() {
    let s = Asce7 { sds: 1.0, sd1: 0.6, tl: 8.0 };
    let target = |t: f64| s.acceleration(t);
    for (seed, envelope, dt, duration) in [
        (11, Envelope::Jennings { rise: 0.1, hold: 0.5 }, 0.005, 30.0),
        (12, Envelope::SaragoniHart { peak: 0.25, end: 0.05 }, 0.01, 30.0),
        (13, Envelope::Jennings { rise: 0.2, hold: 0.7 }, 0.02, 25.0),
    ] {
        let o = GenerateOptions { seed, envelope, dt, duration, ..Default::default() };
        assert_fits(&generate(&target, &o).unwrap(), &target, &format!("{o:?}"));
    }
}

#[test]
fn a_seed_is_a_motion() {
    let s = Ec8 { ag: 1.0, ground: GroundType::B, kind: SpectrumType::Type1, damping: 0.05 };
    let target = |t: f64| s.acceleration(t);
    let make = |seed| generate(&target, &GenerateOptions { seed, iterations: 5, ..Default::default() }).unwrap();
    let (a, b, c) = (make(42), make(42), make(43));
    assert!(a.values.iter().zip(&b.values).all(|(x, y)| x.to_bits() == y.to_bits()));
    let dot = |x: &Record, y: &Record| x.values.iter().zip(&y.values).map(|(p, q)| p * q).sum::<f64>();
    let correlation = dot(&a, &c) / (dot(&a, &a) * dot(&c, &c)).sqrt();
    assert!(correlation.abs() < 0.3, "{correlation}");
    assert_eq!(a.meta("seed"), Some("42"));
}

#[test]
fn envelopes() {
    let j = Envelope::Jennings { rise: 0.2, hold: 0.6 };
    assert!((j.at(0.1) - 0.25).abs() < 1e-12 && j.at(0.4) == 1.0 && (j.at(1.0) - 0.05).abs() < 1e-12);
    let s = Envelope::SaragoniHart { peak: 0.3, end: 0.1 };
    assert!((s.at(0.3) - 1.0).abs() < 1e-12 && (s.at(1.0) - 0.1).abs() < 1e-12 && s.at(0.0) == 0.0);
}

#[test]
fn arguments() {
    let flat = |_: f64| 1.0;
    let d = GenerateOptions::default();
    for o in [
        GenerateOptions { dt: 0.0, ..d },
        GenerateOptions { dt: f64::NAN, ..d },
        GenerateOptions { dt: 1e-9, ..d },
        GenerateOptions { duration: 0.1, ..d },
        GenerateOptions { duration: f64::INFINITY, ..d },
        GenerateOptions { damping: 1.0, ..d },
        GenerateOptions { band: (0.0, 10.0), ..d },
        GenerateOptions { band: (10.0, 1.0), ..d },
        GenerateOptions { band: (f64::NAN, 1.0), ..d },
        GenerateOptions { iterations: 1_000_000, ..d },
        GenerateOptions { envelope: Envelope::Jennings { rise: 0.0, hold: 0.5 }, ..d },
        GenerateOptions { envelope: Envelope::SaragoniHart { peak: 2.0, end: 0.5 }, ..d },
    ] {
        assert!(generate(&flat, &o).is_err(), "{o:?}");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(generate(&|_| bad, &d).is_err(), "{bad}");
    }
    let r = generate(&flat, &GenerateOptions { iterations: 0, ..d }).unwrap();
    assert!(
        compatibility(&r, &flat, 0.05, (2.0, 1.0)).is_err() && compatibility(&r, &|_| 0.0, 0.05, (0.1, 1.0)).is_err()
    );
}
