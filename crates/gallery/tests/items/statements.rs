//! Statements of the papers that no figure of them shows, and their tests as tests.

use interfield_gallery::Verdict::{Corrected, NotTrue, Reproduced, Untested};

use super::judged;

#[test]
fn substeps_cost_gc_and_pm_an_order_and_energy_and_ph_nothing() {
    judged("000-sec-1", &[Reproduced; 3]);
    judged("003-sec-1", &[Reproduced; 4]);
}

#[test]
fn one_stage_is_first_order_and_nonlinear_damping_makes_chang_implicit() {
    judged("001-lsrt1", &[Reproduced; 2]);
    let outcome = judged("001-chang", &[Reproduced]);
    assert!(outcome.findings[0].holds(), "{:#?}", outcome.findings);
}

#[test]
fn remarks_of_paper_000_are_tested_as_far_as_its_records_allow() {
    judged("000-sec-2-3", &[Corrected]);
    let outcome = judged("000-sec-2-1", &[Untested]);
    assert!(outcome.findings[0].holds(), "{:#?}", outcome.findings);
}

#[test]
fn more_unknowns_are_not_stable_more_often() {
    judged("002-sec-3", &[NotTrue]);
}

#[test]
fn the_frequency_domain_of_the_viaduct_is_that_of_the_coupled_bridge() {
    judged("003-sec-4-mass", &[Reproduced]);
    let outcome = judged("003-sec-6", &[Reproduced]);
    assert_eq!(outcome.panels.len(), 4);
    judged("003-fig-4", &[Untested]);
}

#[test]
fn the_rig_of_trento_runs_as_a_test_and_needs_its_compensation() {
    judged("000-sec-3-2", &[Untested, Reproduced, Reproduced]);
}

#[test]
fn localized_multipliers_are_unique_and_bear_supports_that_move() {
    judged("004-sec-5-llm", &[Reproduced]);
    judged("004-sec-5-supports", &[Reproduced]);
}

/// Its findings hold a time of this machine, so that only the claim is asserted.
#[test]
fn a_late_answer_of_a_millisecond_makes_the_loop_unstable() {
    judged("004-sec-1", &[Corrected]);
}

#[test]
fn the_rig_with_four_unknowns_runs_in_both_configurations() {
    judged("001-fig-9", &[Untested]);
}

#[test]
fn structure_and_controller_are_of_second_order_in_one_integration() {
    judged("001-option-iii", &[Reproduced]);
}
