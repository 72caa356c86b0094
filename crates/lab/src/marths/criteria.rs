//! The ten criteria of the benchmark. Each has a value for every actuator, coordinate or floor.

use super::rehearsal::Histories;
use super::{ACTUATORS, RATE};
use crate::indicators::{lag_uphill, nrmse, peak_error};

/// What each criterion measures: name, unit, sentence, what its values belong to.
pub const CRITERIA: [(&str, &str, &str, &[&str]); 10] = [
    ("J1", "ms", "delay of the actuators, measured against target", &["actuator 1", "actuator 2"]),
    ("J2", "%", "tracking error of the actuators, root mean square", &["actuator 1", "actuator 2"]),
    ("J3", "%", "tracking error of the actuators, peak", &["actuator 1", "actuator 2"]),
    ("J4", "ms", "delay of the actuators, estimated against target", &["actuator 1", "actuator 2"]),
    ("J5", "%", "estimated joint against the numerical part, root mean square", &["x", "theta"]),
    ("J6", "%", "estimated joint against the numerical part, peak", &["x", "theta"]),
    ("J7", "%", "estimated joint against the reference, root mean square", &["x", "theta"]),
    ("J8", "%", "floors 2 and 3 against the reference, root mean square", &FLOORS),
    ("J9", "%", "estimated joint against the reference, peak", &["x", "theta"]),
    ("J10", "%", "floors 2 and 3 against the reference, peak", &FLOORS),
];

const FLOORS: [&str; 4] = ["floor 2 x", "floor 2 theta", "floor 3 x", "floor 3 theta"];

/// Largest lag that J1 and J4 look at, samples.
const MOST_LAG: usize = 100;

/// The criteria in the units of [`CRITERIA`]. J1 and J4 are whole samples; negative: ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Criteria {
    /// J1 to J10, against the frame with the bay as it is.
    pub values: [Vec<f64>; 10],
    /// J7 to J10 against the frame with the bay as it was assumed, as in the released scripts. A perfect test has 9.7 % in J7, and an actuator that turns the bay too little may have less.
    pub released: [Vec<f64>; 4],
}

impl Criteria {
    pub(super) fn of(h: &Histories) -> Self {
        let lag = |seen: &[Vec<f64>; ACTUATORS]| -> Vec<f64> {
            let one = |i: usize| lag_uphill(&seen[i], &h.targets[i], MOST_LAG) as f64;
            (0..ACTUATORS).map(|i| 1e3 * one(i) / RATE).collect()
        };
        type Error = fn(&[f64], &[f64]) -> f64;
        let tracking = |error: Error| (0..ACTUATORS).map(|i| error(&h.measured[i], &h.targets[i])).collect::<Vec<_>>();
        let joint =
            |error: Error, against: &[Vec<f64>; 6]| (0..2).map(|i| error(&h.joint[i], &against[i])).collect::<Vec<_>>();
        let floors =
            |error: Error, against: &[Vec<f64>; 6]| (2..6).map(|i| error(&h.test[i], &against[i])).collect::<Vec<_>>();
        let response = |against: &[Vec<f64>; 6]| {
            [joint(nrmse, against), floors(nrmse, against), joint(peak_error, against), floors(peak_error, against)]
        };
        let [j7, j8, j9, j10] = response(&h.built);
        let values = [
            lag(&h.measured),
            tracking(nrmse),
            tracking(peak_error),
            lag(&h.estimated),
            joint(nrmse, &h.test),
            joint(peak_error, &h.test),
            j7,
            j8,
            j9,
            j10,
        ];
        Criteria { values, released: response(&h.assumed) }
    }

    /// The largest value of each criterion; of delays the one farthest from zero.
    pub fn largest(&self) -> [f64; 10] {
        std::array::from_fn(|j| self.values[j].iter().fold(0.0f64, |m, x| if x.abs() > m.abs() { *x } else { m }))
    }
}
