//! The nine criteria of the benchmark.

use crate::indicators::{lag_by_correlation, nrmse, peak_error};

/// What each criterion measures, with its unit.
pub const CRITERIA: [(&str, &str, &str); 9] = [
    ("J1", "ms", "delay of the specimen"),
    ("J2", "%", "tracking error, root mean square"),
    ("J3", "%", "tracking error, peak"),
    ("J4", "%", "specimen against reference, root mean square"),
    ("J5", "%", "specimen against reference, peak"),
    ("J6", "%", "second floor against reference, root mean square"),
    ("J7", "%", "third floor against reference, root mean square"),
    ("J8", "%", "second floor against reference, peak"),
    ("J9", "%", "third floor against reference, peak"),
];

/// Largest lag that J1 looks at, samples.
const MOST_LAG: usize = 49;

/// J1 to J9 in the units of [`CRITERIA`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criteria(pub [f64; 9]);

impl Criteria {
    /// From the measured specimen, the target, and the floors of test and reference.
    pub(super) fn of(measured: &[f64], floors: [&[f64]; 3], reference: [&[f64]; 3], rate: f64) -> Self {
        let [target, second, third] = floors;
        Criteria([
            1e3 * lag_by_correlation(measured, target, MOST_LAG) as f64 / rate,
            nrmse(measured, target),
            peak_error(measured, target),
            nrmse(measured, reference[0]),
            peak_error(measured, reference[0]),
            nrmse(second, reference[1]),
            nrmse(third, reference[2]),
            peak_error(second, reference[1]),
            peak_error(third, reference[2]),
        ])
    }
}
