//! Controllers as they were published for the benchmark, with their numbers.

use super::estimator::Estimator;
use super::lqg::Lqg;
use super::plant::{Perturbation, Plant};
use super::{ACTUATORS, RATE};
use crate::compensate::{Compensation, Compensator, Each, Multivariable, fir};

/// A controller with what it makes of the measurements.
pub struct Controller {
    /// Commands from targets and measurements.
    pub compensator: Box<dyn Multivariable>,
    /// Estimated displacements; none: the measured ones.
    pub estimator: Option<Estimator>,
}

/// Names of the published controllers, with a sentence each.
pub const PUBLISHED: [(&str, &str); 2] = [
    ("rodeac", "four taps for each actuator, identified by recursive least squares (Quiroz, Galmez, Fermandois 2024)"),
    ("lqg", "linear-quadratic regulator with Kalman filter, in the manner of the controller of the benchmark"),
];

/// A method of the registry, for each actuator the one with its parameters; a multi-variable one is the first, and knows the nominal plant. The recommended one comes with its estimator, as
/// the controller of the benchmark does; the others take the measurements as they are.
pub fn registered(methods: &[Compensation; ACTUATORS]) -> Controller {
    let info = methods[0].info();
    let plant = Plant::new(&Perturbation::default());
    let compensator: Box<dyn Multivariable> = if info.multivariable {
        let mut method = methods[0].clone();
        method.set_model(plant.model());
        method.together(ACTUATORS, 1.0 / RATE)
    } else {
        Box::new(Each::new(methods.iter().map(|m| m.design(1.0 / RATE)).collect()))
    };
    let estimator = (info.name == RECOMMENDED).then(Estimator::nominal);
    Controller { compensator, estimator }
}

/// The method of the registry that is made for this benchmark.
pub const RECOMMENDED: &str = "early-decoupling";

/// The published controller of this name.
pub fn published(name: &str) -> Option<Controller> {
    match name {
        "rodeac" => Some(Controller { compensator: Box::new(rodeac()), estimator: None }),
        "lqg" => {
            let plant = Plant::new(&Perturbation::default());
            let compensator = Box::new(Lqg::new(&plant, EFFORT, INTEGRAL, DOUBT));
            Some(Controller { compensator, estimator: Some(Estimator::nominal()) })
        }
        _ => None,
    }
}

/// Weights of the regulator: commands, and integrated errors, 1/s². Smaller ones for the commands follow better, and lose perturbed plants from 1e-6 on.
const EFFORT: f64 = 1e-4;
const INTEGRAL: f64 = 100.0;
/// Standard deviation of what the plant does differently per sample, over that of the sensors.
pub(super) const DOUBT: f64 = 0.5;

/// Taps of RoDeAC and their covariance, as released. That one is for millimetres.
const TAPS: [[f64; 4]; ACTUATORS] =
    [[5.41470353, 1.96280665, -1.50482526, -4.9577638], [6.05817263, 2.19981575, -1.67459763, -5.53849986]];
const COVARIANCES: [[[f64; 4]; 4]; ACTUATORS] = [
    [
        [83906.42815748, -45046.00810958, -27999.32600478, -10761.29340374],
        [-45046.00810958, 106712.78321278, -33590.12199031, -27999.85520077],
        [-27999.32600478, -33590.12199031, 106712.89471243, -45046.64880622],
        [-10761.29340374, -27999.85520077, -45046.64880622, 83907.59945956],
    ],
    [
        [64773.00944011, -51448.24376375, -21629.93049795, 8337.19145783],
        [-51448.24376375, 104560.93549403, -31474.35355889, -21630.1040093],
        [-21629.93049795, -31474.35355889, 104561.22622571, -51448.70807689],
        [8337.19145783, -21630.1040093, -51448.70807689, 64773.64757907],
    ],
];

fn rodeac() -> Each {
    let one = |i: usize| -> Box<dyn Compensator> {
        let covariance = COVARIANCES[i].map(|row| row.map(|p| 1e6 * p));
        Box::new(fir::published(TAPS[i], covariance, 1.0 / RATE))
    };
    Each::new((0..ACTUATORS).map(one).collect())
}
