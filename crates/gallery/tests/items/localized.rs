//! Papers 003 and 004: what is computed in a moment. The links and errors of the viaduct are run with the gallery.

use interfield_gallery::Verdict::{Corrected, Reproduced, Untested};

use crate::judged;

#[test]
fn two_columns_of_the_table_predict_the_other_two() {
    let outcome = judged("003-table-2", &[Reproduced]);
    assert_eq!(outcome.claims[0].measures.len(), 4);
    assert!(outcome.findings[0].text.contains("fit"), "a fit is called one");
}

#[test]
fn second_order_holds_for_linear_elements_and_energy_too() {
    judged("004-fig-1", &[Reproduced]);
    judged("004-sec-5", &[Corrected]);
}

#[test]
fn noise_is_filtered_and_what_the_laboratory_found_is_not_tested() {
    judged("004-fig-3", &[Reproduced]);
    judged("004-fig-4", &[Untested]);
    judged("004-fig-7", &[Untested, Untested]);
}
