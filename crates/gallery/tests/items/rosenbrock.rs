//! Papers 000 to 002: spectra, eigenvalues and global errors (book: claims 1).

use interfield_gallery::Outcome;
use interfield_gallery::Verdict::{Corrected, NotTrue, Reproduced, Untested};
use interfield_report::Mark;

use crate::judged;

/// The value of the first measure whose name contains all these words, as words of their own.
fn measured(outcome: &Outcome, words: &[&str]) -> f64 {
    let claims = outcome.claims.iter().flat_map(|c| &c.measures);
    let mut all = claims.chain(outcome.findings.iter().flat_map(|f| &f.measures));
    let found = all.find(|m| words.iter().all(|w| contains(&m.what, w)));
    found.unwrap_or_else(|| panic!("nothing measured of {words:?}")).value
}

/// Whether a text contains a word that no digit follows.
fn contains(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(i, _)| !text[i + word.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn the_smaller_gamma_spares_low_frequencies_and_the_larger_does_not() {
    let outcome = judged("000-fig-1", &[Reproduced, Corrected]);
    near(measured(&outcome, &["1 − √2/2", "Ω = 100"]), 0.04824, 5e-6);
    near(measured(&outcome, &["1 + √2/2", "Ω = 100"]), 0.00828, 5e-6);
    assert_eq!(outcome.panels[0].curves.len(), 4);
    judged("001-fig-2", &[Reproduced, Reproduced]);
    let outcome = judged("002-fig-3", &[Reproduced, Corrected]);
    near(measured(&outcome, &["1 − √2/2", "at Ω = 1"]), 0.99687, 5e-6);
    near(measured(&outcome, &["1 + √2/2", "at Ω = 1"]), 0.66760, 5e-6);
}

#[test]
fn the_staggered_scheme_grows_in_windows_with_the_smaller_gamma_only() {
    let outcome = judged("001-fig-5", &[Reproduced, Reproduced, Reproduced]);
    let regions = |panel: usize| outcome.panels[panel].marks.iter().filter(|m| matches!(m, Mark::Region(..))).count();
    assert_eq!([0, 1, 2, 3].map(regions), [0, 0, 0, 3]);
    near(measured(&outcome, &["b₁ = 0.5, ss = 10", "window from"]), 9.65, 0.01);
    near(measured(&outcome, &["b₁ = 0.5, ss = 10", "window to"]), 11.20, 0.01);
    near(measured(&outcome, &["b₁ = 0.5, ss = 10", "largest ρ"]), 1.44, 0.005);
}

#[test]
fn subcycling_may_drive_the_oscillation() {
    let outcome = judged("001-fig-6", &[Reproduced]);
    near(measured(&outcome, &["b₁ = 2, ss = 10", "damping"]), -1.0e-3, 0.03e-3);
    near(measured(&outcome, &["b₁ = 10, ss = 10", "damping"]), -2.6e-4, 0.05e-4);
}

#[test]
fn the_staggered_scheme_is_second_order_and_the_midpoint_rule_with_substeps_first() {
    let outcome = judged("001-fig-7", &[Reproduced, Reproduced]);
    near(measured(&outcome, &["1 − √2/2", "ss = 10", "order"]), 2.0, 0.002);
    near(measured(&outcome, &["midpoint", "b₁ = 0.5", "ss = 10"]), 1.0, 0.005);
    near(measured(&outcome, &["midpoint", "b₁ = 0.5", "ss = 1"]), 2.0, 0.005);
    near(measured(&outcome, &["multipliers held"]), 1.0, 0.005);
}

#[test]
fn the_parallel_scheme_is_second_order_and_not_always_stable() {
    let outcome = judged("001-fig-8", &[NotTrue, Reproduced, Reproduced]);
    near(measured(&outcome, &["1 + √2/2", "largest ρ"]), 1.049, 0.001);
    near(measured(&outcome, &["1 − √2/2", "b₁ = 1, ss = 10", "first"]), 1.10, 0.005);
    let outcome = judged("002-fig-8", &[Reproduced, Corrected, NotTrue, Reproduced]);
    near(measured(&outcome, &["b₁ = 0.1", "window from"]), 39.3, 0.1);
    near(measured(&outcome, &["b₁ = 0.1", "window to"]), 70.3, 0.1);
    near(measured(&outcome, &["b₁ = 0.1", "largest ρ"]), 1.034, 0.001);
    judged("002-fig-9", &[Reproduced]);
}

#[test]
fn which_method_survives_depends_on_the_actuator() {
    let outcome = judged("001-fig-3", &[Untested, Untested]);
    assert_eq!(outcome.tables[0].rows.len(), 5);
}
