//! Whole identifications: what is reported, held back, warned of and refused.

mod common;

use common::{golden, list, samples};
use interfield_learn::{Extras, Family, Grade, Identified, Options, Preparation, Prepared, Record, identify, prepare};

/// A record of a golden file, one sample per 10 ms.
fn record(file: &str) -> Record {
    let s = samples(&golden(file));
    let t = (0..s.q.len()).map(|k| k as f64 * 0.01).collect();
    Record { t, q: s.q, v: (!s.v.is_empty()).then_some(s.v), p: s.p }
}

fn ready(record: &Record) -> Prepared {
    prepare(record, Preparation::default()).unwrap()
}

fn plain(family: Family, record: &Record) -> Identified {
    identify(family, &ready(record), &Options::default(), Extras { validate: true, levels: false }).unwrap()
}

fn warned(found: &Identified, words: &str) -> bool {
    found.warnings.iter().any(|w| w.contains(words))
}

#[test]
fn levels_print() {
    let prepared = ready(&record("identify_pier"));
    println!("{:?} noise {}", prepared.levels, prepared.noise);
    let options = Options { fixed: vec![("r".into(), 1.0), ("n".into(), 1.0)], ..Options::default() };
    let found =
        identify(Family::ModifiedBoucWen, &prepared, &options, Extras { validate: true, levels: true }).unwrap();
    for l in &found.levels {
        println!("{:?} {} {} k {}", l.range, l.amplitude, l.unexplained, l.estimates[0].quantity.value);
    }
    println!("{:#?} {:?}", found.warnings, found.folds);
    for f in [
        "identify_bouc_wen",
        "identify_modified_bouc_wen",
        "identify_damper",
        "identify_cubic",
        "identify_degrading_bouc_wen",
        "identify_mostaghel",
    ] {
        let family = Family::named(golden(f)["law"].as_str().unwrap()).unwrap();
        let r = record(f);
        let now = std::time::Instant::now();
        let found = plain(family, &r);
        println!(
            "{f} {:?} {:#?} {:?} {:?} {:?}",
            ready(&r).levels,
            found.warnings,
            found.folds,
            found.figures,
            now.elapsed()
        );
    }
    let data = &golden("warn_identifiability")["small_amplitude"];
    let q = list(&data["q"]);
    let r = Record { t: (0..q.len()).map(|k| k as f64 * 0.01).collect(), q, v: None, p: list(&data["p"]) };
    println!("{:#?}", plain(Family::BoucWen, &r).warnings);
    assert!(warned(&found, "one set") && found.grade() == Grade::NotThisLaw);
}
