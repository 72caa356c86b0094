//! Papers 000 and 002: histories, loops and drift (book: claims 1).

use interfield_gallery::Verdict::{Corrected, NotTrue, Reproduced};

use crate::judged;

#[test]
fn both_methods_follow_the_pendulum_and_the_iterations_do_not_fail() {
    let outcome = judged("000-fig-3", &[Reproduced, Reproduced, NotTrue]);
    assert!(outcome.claims[2].measures.iter().all(|m| m.value == 20.0), "CAAM goes on to the end under 0.2, 1 and 3 g");
}

#[test]
fn without_damping_of_high_frequencies_the_hysteretic_structure_is_stable_too() {
    let outcome = judged("000-fig-4", &[Reproduced, NotTrue]);
    assert_eq!(outcome.claims[1].measures.len(), 5);
    assert!(
        outcome.claims[1].measures.iter().all(|m| m.value < 0.2),
        "bounded at every step: {:#?}",
        outcome.claims[1]
    );
    judged("000-fig-5", &[Reproduced]);
}

#[test]
fn the_frame_and_the_spring_pendulum_are_as_accurate_as_claimed() {
    judged("000-fig-6", &[Reproduced]);
    judged("000-fig-8", &[Reproduced]);
}

#[test]
fn the_sides_drift_apart_unless_steps_are_fine_and_gamma_small() {
    judged("000-fig-12", &[Corrected, Reproduced]);
    judged("002-fig-11", &[Corrected, Reproduced]);
    judged("000-fig-15", &[Reproduced, Corrected]);
}
