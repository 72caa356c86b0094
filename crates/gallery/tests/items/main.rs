//! Every item runs, and its claims fare as the book says they do (book: claims 1, 2, 3, 4). The verdicts are asserted
//! claim by claim; that the numbers are those of an independent implementation is part of every verdict, for it fails otherwise.

mod histories;
mod localized;
mod midpoint;
mod registry;
mod rosenbrock;
mod statements;

use std::sync::atomic::AtomicBool;

use interfield_gallery::{Claim, Named, Outcome, Progress, RECORDS, Records, Verdict, find};
use interfield_motion::{Quantity, Record};

/// The outcome of an item with these records.
fn outcome(id: &str, records: &Records) -> Outcome {
    let stop = AtomicBool::new(false);
    let item = find(id).unwrap_or_else(|| panic!("there is no item {id}"));
    (item.run)(&Progress::new(&stop, records)).unwrap_or_else(|e| panic!("{id}: {e:?}"))
}

/// Runs an item and holds the verdicts on its claims against those expected, in their order.
fn judged(id: &str, expected: &[Verdict]) -> Outcome {
    judged_with(id, &Records::default(), expected)
}

/// The same with records that a user has given.
fn judged_with(id: &str, records: &Records, expected: &[Verdict]) -> Outcome {
    let outcome = outcome(id, records);
    if let Some(claim) = outcome.claims.iter().find(|c| c.verdict() == Verdict::Failed) {
        panic!("{id}: {claim:#?}");
    }
    if let Some(finding) = outcome.findings.iter().find(|f| !f.holds()) {
        panic!("{id}: {finding:#?}");
    }
    outcome.claims.iter().for_each(|claim| explained(id, claim));
    let found: Vec<Verdict> = outcome.claims.iter().map(|c| c.verdict()).collect();
    assert_eq!(found, expected, "{id}");
    outcome
}

/// Every claim shows the sentence of the paper and why its limit is what it is, or why there is none.
fn explained(id: &str, claim: &Claim) {
    assert!(!claim.said.sentence.is_empty() && !claim.said.place.is_empty(), "{id}: {}: no sentence", claim.text);
    let chinese = !claim.said.sentence.is_ascii() && id.starts_with("002");
    assert_eq!(chinese, !claim.said.translation.is_empty(), "{id}: {}: translation", claim.text);
    if claim.verdict() == Verdict::Untested {
        assert!(!claim.obstacle.is_empty(), "{id}: {}: no obstacle", claim.text);
    } else {
        assert!(!claim.why.is_empty(), "{id}: {}: no reason of the limit", claim.text);
        let limits = claim.measures.iter().filter(|m| m.claimed.is_some()).count();
        assert!(limits > 0, "{id}: {}: no limit", claim.text);
        assert_eq!(
            claim.verdict() == Verdict::Corrected,
            claim.measures.iter().any(|m| m.corrected.is_some()),
            "{id}: {}",
            claim.text
        );
    }
}

/// A decaying shake of 10 s under the name of a record.
fn shake(name: &str) -> Records {
    after(name, 0)
}

/// The same after five seconds of silence.
fn silent(name: &str) -> Records {
    after(name, 500)
}

fn after(name: &str, zeros: usize) -> Records {
    let named: &Named = RECORDS.iter().find(|r| r.name == name).expect("a record of the papers");
    let shake = (0..1000).map(|k| f64::from(k) * 0.01).map(|t| (-0.3 * t).exp() * (12.0 * t).sin());
    let values = std::iter::repeat_n(0.0, zeros).chain(shake).collect();
    let mut records = Records::default();
    records.add(named, Record::new(0.01, values, Quantity::Acceleration).expect("a record"));
    records
}
