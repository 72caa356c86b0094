//! Papers 003 and 004: what is computed in a moment. The links and errors of the viaduct are run with the gallery.

use interfield_gallery::Verdict::{Corrected, Reproduced};

use crate::judged;

#[test]
fn detached_specimens_have_the_frequencies_of_the_table() {
    judged("003-table-2", &[Reproduced]);
}

#[test]
fn second_order_holds_for_linear_elements_and_energy_too() {
    judged("004-fig-1", &[Reproduced, Corrected]);
    judged("004-sec-5", &[Corrected]);
}

#[test]
fn noise_is_filtered_and_tests_are_repeatable() {
    judged("004-fig-3", &[Reproduced]);
    judged("004-fig-4", &[Reproduced]);
    judged("004-fig-7", &[Reproduced, Reproduced]);
}
