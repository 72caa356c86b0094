//! Every item runs, and its claims fare as the book says they do (book: claims 1, 2, 3, 4). The verdicts are asserted
//! claim by claim; that the numbers are those of an independent implementation is part of every verdict, for it fails otherwise.

mod histories;
mod localized;
mod registry;
mod rosenbrock;

use std::sync::atomic::AtomicBool;

use interfield_gallery::{Outcome, Progress, Verdict, find};

/// The outcome of an item.
fn outcome(id: &str) -> Outcome {
    let stop = AtomicBool::new(false);
    let item = find(id).unwrap_or_else(|| panic!("there is no item {id}"));
    (item.run)(&Progress::new(&stop)).unwrap_or_else(|e| panic!("{id}: {e:?}"))
}

/// Runs an item and holds the verdicts on its claims against those expected, in their order.
fn judged(id: &str, expected: &[Verdict]) -> Outcome {
    let outcome = outcome(id);
    if let Some(claim) = outcome.claims.iter().find(|c| c.verdict() == Verdict::Failed) {
        panic!("{id}: {claim:#?}");
    }
    let found: Vec<Verdict> = outcome.claims.iter().map(|c| c.verdict()).collect();
    assert_eq!(found, expected, "{id}");
    outcome
}
