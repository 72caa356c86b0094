//! Whole identifications: what is reported, held back, warned of and refused.

mod common;

use common::{golden, list, samples};
use interfield_learn::{
    Extras, Family, Grade, Identified, Levels, Options, Preparation, Prepared, Record, identify, prepare,
};

/// A record of a golden file, one sample per 10 ms.
fn record(file: &str) -> Record {
    let s = samples(&golden(file));
    let t = (0..s.q.len()).map(|k| k as f64 * 0.01).collect();
    Record { t, q: s.q, v: (!s.v.is_empty()).then_some(s.v), p: s.p }
}

fn ready(record: &Record) -> Prepared {
    prepare(record, Preparation::default()).unwrap()
}

const WHOLE: Extras = Extras { validate: true, levels: Levels::IfNeeded };

fn plain(family: Family, record: &Record) -> Identified {
    identify(family, &ready(record), &Options::default(), WHOLE).unwrap()
}

fn warned(found: &Identified, words: &str) -> bool {
    found.warnings.iter().any(|w| w.contains(words))
}

fn refused(record: &Record, words: &str) {
    let said = prepare(record, Preparation::default()).unwrap_err().join("\n");
    assert!(said.contains(words), "{words}: {said}");
}

/// Uniform numbers of variance one, of a fixed sequence.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 / f64::from(1_u32 << 31) - 0.5) * 12f64.sqrt()
    }
}

#[test]
fn sound_records_give_no_warning_and_explain_held_back_cycles() {
    for file in ["bouc_wen", "modified_bouc_wen", "degrading_bouc_wen", "mostaghel", "damper", "cubic"] {
        let file = format!("identify_{file}");
        let family = Family::named(golden(&file)["law"].as_str().unwrap()).unwrap();
        let found = plain(family, &record(&file));
        assert!(found.warnings.is_empty() && found.grade() == Grade::Good, "{file}: {:?}", found.warnings);
        assert!(found.folds.len() == 2 && found.folds.iter().all(|f| f.held < 0.03), "{file}: {:?}", found.folds);
    }
}

#[test]
fn the_pier_needs_one_set_per_level_and_the_program_says_so() {
    let fixed = vec![("r".into(), 1.0), ("n".into(), 1.0)];
    let options = Options { fixed, ..Options::default() };
    let found = identify(Family::ModifiedBoucWen, &ready(&record("identify_pier")), &options, WHOLE).unwrap();
    assert!(
        found.grade() == Grade::NotThisLaw && warned(&found, "one set per level leaves 4.2 % to 22 %"),
        "{:?}",
        found.warnings
    );
    // The figures of the method sheet: share left, and stiffness in MN/m.
    let expected = [(0.04, 43.5), (0.11, 28.9), (0.16, 13.5), (0.18, 8.8), (0.22, 6.3)];
    assert_eq!(found.levels.len(), expected.len());
    for (level, (share, k)) in found.levels.iter().zip(expected) {
        let stiffness = level.estimates[0].quantity.value * 1e-6;
        assert!(
            (level.unexplained - share).abs() < 0.006 && (stiffness - k).abs() < 0.06,
            "{share}: {} {stiffness}",
            level.unexplained
        );
    }
    assert!(!warned(&found, "synchronised"), "a wrong law is no delay: {:?}", found.warnings);
}

#[test]
fn intervals_hold_the_truth_in_at_least_93_of_100_draws() {
    // Mostaghel, three parameters: fast enough for a hundred whole searches.
    let (k, a, delta) = (23.2e6, 0.0517, 0.004);
    let q: Vec<f64> = (0..400).map(|i| 0.02 * (0.4 + i as f64 / 600.0) * (i as f64 * 0.08).sin()).collect();
    let t: Vec<f64> = (0..q.len()).map(|i| i as f64 * 0.01).collect();
    let (mut s, mut last) = (0.0_f64, 0.0);
    let clean: Vec<f64> = q
        .iter()
        .map(|q| {
            s = (s + q - last).clamp(-delta, delta);
            last = *q;
            k * (a * q + (1.0 - a) * s)
        })
        .collect();
    let mut noise = Noise(7);
    let mut held = [0; 3];
    for _ in 0..100 {
        let p = clean.iter().map(|p| p + 2000.0 * noise.next()).collect();
        let prepared = ready(&Record { t: t.clone(), q: q.clone(), v: None, p });
        let found = identify(Family::Mostaghel, &prepared, &Options::default(), Extras::default()).unwrap();
        for (i, truth) in [k, a, delta].into_iter().enumerate() {
            let [low, high] = found.estimates[i].interval.unwrap();
            held[i] += u32::from(low < truth && truth < high);
        }
    }
    assert!(held.iter().sum::<u32>() >= 3 * 93 && held.iter().all(|h| *h >= 90), "{held:?}");
}

#[test]
fn a_small_amplitude_is_told_to_be_too_small() {
    let data = &golden("warn_identifiability")["small_amplitude"];
    let q = list(&data["q"]);
    let small = Record { t: (0..q.len()).map(|k| k as f64 * 0.01).collect(), q, v: None, p: list(&data["p"]) };
    let found = plain(Family::BoucWen, &small);
    assert!(
        warned(&found, "cannot tell k2 and k apart") && warned(&found, "xy ends at a bound"),
        "{:?}",
        found.warnings
    );
    assert!(warned(&found, "k is not determined") && warned(&found, "larger amplitude"), "{:?}", found.warnings);
    assert!(
        found
            .estimates
            .iter()
            .filter(|e| matches!(e.quantity.name, "k" | "k2" | "xy" | "Fy"))
            .all(|e| e.interval.is_none())
    );
}

#[test]
fn channels_that_are_not_synchronised_are_told_and_the_delay_is_found() {
    let mut late = record("identify_bouc_wen");
    // Two samples later; at rest before.
    late.p.rotate_right(2);
    late.p[..2].fill(0.0);
    let found = plain(Family::BoucWen, &late);
    assert!(warned(&found, "the force comes 2.0") && warned(&found, "after the deformation"), "{:?}", found.warnings);
    let options = Options { delay: true, ..Options::default() };
    let found = identify(Family::BoucWen, &ready(&late), &options, Extras::default()).unwrap();
    let (delay, error) = found.delay.unwrap();
    assert!((delay - 2.0).abs() < 3.0 * error && error < 0.1, "{delay} {error}");
}

#[test]
fn noise_of_the_deformation_is_told_and_smoothing_helps() {
    let mut noisy = record("identify_bouc_wen");
    let mut noise = Noise(3);
    noisy.q.iter_mut().for_each(|q| *q += 0.0002 * noise.next());
    let n = |found: &Identified| found.estimates.iter().find(|e| e.quantity.name == "n").unwrap().quantity.value;
    let raw = plain(Family::BoucWen, &noisy);
    assert!(warned(&raw, "noise of the deformation"), "{:?}", raw.warnings);
    let smooth = prepare(&noisy, Preparation { smooth: true, ..Preparation::default() }).unwrap();
    let smooth = identify(Family::BoucWen, &smooth, &Options::default(), Extras::default()).unwrap();
    assert!((n(&smooth) - 1.8).abs() < 0.5 * (n(&raw) - 1.8).abs(), "{} {}", n(&smooth), n(&raw));
}

#[test]
fn a_law_that_cannot_fit_is_told() {
    let found = plain(Family::Spring, &record("identify_bouc_wen"));
    assert!(found.grade() == Grade::NotThisLaw && warned(&found, "not this law"), "{:?}", found.warnings);
    assert!(warned(&found, "intervals are optimistic"), "{:?}", found.warnings);
    let found = identify(Family::Damper, &ready(&record("identify_bouc_wen")), &Options::default(), WHOLE);
    assert!(found.unwrap_err().contains("depends on the rate"));
}

#[test]
fn bad_data_are_refused_with_the_reason() {
    let good = record("identify_cubic");
    let with = |change: &dyn Fn(&mut Record)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad
    };
    refused(
        &with(&|r| r.q[100] = f64::NAN),
        "the deformation is NaN (not a number) or infinite in 1 of 1000 samples, first at 1 s",
    );
    refused(&with(&|r| r.p[3] = f64::INFINITY), "the force is NaN");
    refused(&with(&|r| r.p.fill(5.0)), "the force is constant");
    refused(&with(&|r| r.q.fill(0.0)), "the deformation is constant");
    refused(&with(&|r| r.t[9] = r.t[8]), "the time does not increase");
    let gap = |r: &mut Record| {
        r.v = None;
        [&mut r.t, &mut r.q, &mut r.p].into_iter().for_each(|x| drop(x.drain(500..540)));
    };
    refused(&with(&gap), "of its range in the gap, on an unknown path");
    refused(&with(&|r| r.v.as_mut().unwrap().iter_mut().for_each(|v| *v *= 1e3)), "is one of their units wrong");
    refused(&with(&|r| r.v.as_mut().unwrap().rotate_right(35)), "not the derivative of the deformation");
    refused(&with(&|r| r.p.truncate(900)), "the force has 900 samples and the deformation 1000");
    let mut short = good.clone();
    [&mut short.t, &mut short.q, &mut short.p].into_iter().for_each(|x| x.truncate(20));
    short.v = None;
    refused(&short, "at least 40 are needed");
}

#[test]
fn doubtful_data_are_used_with_a_warning() {
    let good = record("identify_bouc_wen");
    let said = |change: &dyn Fn(&mut Record)| {
        let mut doubtful = good.clone();
        change(&mut doubtful);
        ready(&doubtful).warnings.join("\n")
    };
    assert_eq!(said(&|_| {}), "");
    assert!(said(&|r| r.p.iter_mut().for_each(|p| *p = -*p)).contains("the opposite sign"));
    assert!(said(&|r| r.q.iter_mut().for_each(|q| *q *= 1e3)).contains("is its unit right?"));
    assert!(said(&|r| r.p.iter_mut().for_each(|p| *p *= 1e3)).contains("the largest force is"));
    assert!(said(&|r| r.t.iter_mut().skip(500).for_each(|t| *t += 1.0)).contains("hardly moves in it"));
}

/// Ten million samples, in long cycles and in short ones: seconds, not hours, and it is said what was used.
#[test]
fn long_records_are_thinned_or_shortened() {
    let record = |cycles: f64, n: usize| {
        let turn = std::f64::consts::TAU * cycles / n as f64;
        let t: Vec<f64> = (0..n).map(|k| k as f64 * 1e-4).collect();
        let q: Vec<f64> = (0..n).map(|k| 0.01 * (turn * k as f64).sin()).collect();
        let p = q.iter().map(|q| 2e6 * q).collect();
        Record { t, q, v: None, p }
    };
    let long = ready(&record(20.0, 10_000_000));
    assert!((4000..8000).contains(&long.samples.q.len()), "{}", long.samples.q.len());
    assert!(long.warnings.iter().any(|w| w.contains("every 2500th is used")), "{:?}", long.warnings);
    let short = ready(&record(1e4, 1_000_000));
    assert_eq!(short.samples.q.len(), 20_000);
    assert!(short.warnings.iter().any(|w| w.contains("in short cycles")), "{:?}", short.warnings);
    let found = identify(Family::Spring, &short, &Options::default(), Extras::default()).unwrap();
    assert!((found.linear[0] / 2e6 - 1.0).abs() < 1e-9);
}

/// Deformation and force exchanged: the loop runs the other way round.
#[test]
fn exchanged_columns_are_told() {
    let mut wrong = record("identify_bouc_wen");
    std::mem::swap(&mut wrong.q, &mut wrong.p);
    wrong.q.iter_mut().for_each(|q| *q *= 1e-6);
    wrong.p.iter_mut().for_each(|p| *p *= 1e6);
    assert!(ready(&wrong).warnings.join("").contains("columns exchanged"));
}

/// Nanometres and newtons to metres and meganewtons: the same law, the same errors.
#[test]
fn scales_do_not_matter() {
    let good = record("identify_bouc_wen");
    let relative = |length: f64, force: f64| {
        let mut sized = good.clone();
        sized.q.iter_mut().for_each(|q| *q *= length);
        sized.p.iter_mut().for_each(|p| *p *= force);
        let found = identify(Family::BoucWen, &ready(&sized), &Options::default(), Extras::default()).unwrap();
        found.estimates.iter().take(6).map(|e| (e.quantity.value, e.relative())).collect::<Vec<_>>()
    };
    let usual = relative(1.0, 1.0);
    for (length, force) in [(1e-7, 1e-5), (50.0, 10.0)] {
        let other = relative(length, force);
        for (i, ((a, e), (b, f))) in usual.iter().zip(&other).enumerate() {
            let factor = [force / length, force, length, 1.0, 1.0, force / length][i];
            assert!((b / (a * factor) - 1.0).abs() < 1e-6 && (f / e - 1.0).abs() < 1e-4, "{i}: {a} {b}, {e} {f}");
        }
    }
}
