//! Papers 000 and 002: histories, loops and drift (book: claims 1).

use interfield_gallery::Verdict::{Corrected, NotTrue, Reproduced, Untested};

use crate::{judged, judged_with, shake, silent};

#[test]
fn both_methods_fall_behind_the_pendulum_and_the_earthquake_cannot_be_tested() {
    let outcome = judged("000-fig-3", &[Corrected, Untested, Untested]);
    let obstacle = &outcome.claims[2].obstacle;
    assert!(obstacle.contains("Shifang") && obstacle.contains("--record shifang-ns=FILE"), "{obstacle}");
    let reached = outcome.findings[1].measures.iter().filter(|m| m.what.contains("goes on")).count();
    assert_eq!(reached, 3, "CAAM goes on to the end under 0.2, 1 and 3 g");
}

/// With a record the claims have numbers. This one is no earthquake: γ = 1/2 is stable.
#[test]
fn a_record_makes_claims_testable() {
    let outcome = judged_with("000-fig-4", &shake("kobe-ew"), &[NotTrue]);
    let last = outcome.panels[0].curves[0].points.last().map_or(0.0, |p| p.0);
    assert!((last - 9.99).abs() < 1e-9, "the run ends with the record: {last}");
    judged_with("000-fig-5", &shake("kobe-ew"), &[Reproduced]);
    // Five seconds of silence before the motion are no motion.
    let late = judged_with("000-sec-2-1", &silent("kobe-ew"), &[NotTrue]);
    assert!(late.claims[0].measures[0].value.is_finite());
    // Another record is of no use to it.
    judged_with("000-fig-5", &shake("el-centro-ew"), &[Untested]);
}

#[test]
fn without_damping_of_high_frequencies_the_hysteretic_structure_is_stable_under_a_synthetic_motion() {
    let outcome = judged("000-fig-4", &[Untested]);
    assert_eq!(outcome.findings[0].measures.len(), 6);
    judged("000-fig-5", &[Untested]);
}

#[test]
fn the_frame_needs_its_record_and_the_spring_pendulum_is_stable() {
    judged("000-fig-6", &[Untested]);
    judged("000-fig-8", &[Reproduced]);
}

#[test]
fn the_sides_drift_apart_unless_steps_are_fine_and_gamma_small() {
    judged("000-fig-12", &[Corrected]);
    let outcome = judged("002-fig-11", &[Corrected, Corrected, Reproduced]);
    let energy = outcome.claims[1].measures[0].value;
    assert!((1.15..1.18).contains(&energy), "the energy grows by a sixth with the units as printed: {energy}");
    judged("000-fig-15", &[Untested, Reproduced]);
}
