//! One test of the benchmark: the numerical frame, the controller, converters, actuator with specimen, sensors, and the force back with a delay of one sample.
//!
//! ```text
//! M_n a + C_n v + K_n x = -M 1 a_g - e₁ f        M_n = M - m_e e₁e₁ᵀ, and so on; f the measured force of the sample before
//! ```
//!
//! Everything is integrated by the classical Runge-Kutta rule at the sampling interval; the force and the command are held over a sample, the ground acceleration
//! is linear between the samples of its record. Command and measured displacement pass converters (saturation, quantum); the sensors are noisy. The target
//! of the controller is a number in a computer and passes none.

use super::RATE;
use super::criteria::Criteria;
use super::frame::{Case, FLOORS, Matrix, SPECIMEN, STIFFNESS};
use crate::benchmark::{Motion, Verdict};
use crate::compensate::Compensator;
use crate::plant::{Actuator, Hydraulic, LinearSpecimen, Reached};
use crate::signal::Noise;
use crate::signal::noise::normal;

/// Saturation of the converters, m.
const SATURATION: f64 = 3.8;
/// Their quantum, m.
const QUANTUM: f64 = 1.0 / 262_144.0;
/// Noise of the displacement sensor, m.
const DISPLACEMENT_NOISE: f64 = 1.6e-5;
/// Noise of the load cell, N.
const FORCE_NOISE: f64 = 2.179_761_454_838_579_3;
/// A test whose specimen is beyond this has become unstable, m: a dozen times the largest motion of the reference.
const LOST: f64 = 0.1;

/// Deviations of the plant from its nominal values, in standard deviations of the benchmark.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perturbation {
    /// Stiffness of the specimen, of 50 kN/m.
    pub stiffness: f64,
    /// β₁ of the valve, of 3.3.
    pub beta1: f64,
    /// β₂ of the valve, of 3300.
    pub beta2: f64,
    /// a₃ of the actuator, of 1.3.
    pub a3: f64,
}

impl Perturbation {
    /// The draw of this number.
    pub fn draw(seed: u64, number: u64) -> Self {
        let [stiffness, beta1, beta2, a3] = std::array::from_fn(|i| normal(seed, 4 * number + i as u64));
        Perturbation { stiffness, beta1, beta2, a3 }
    }
}

/// A test.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// Ground motion.
    pub motion: &'a Motion,
    /// Frame.
    pub case: &'a Case,
    /// Controller, at [`RATE`].
    pub controller: &'a dyn Compensator,
    /// Plant.
    pub perturbation: Perturbation,
    /// Of the noise.
    pub seed: u64,
}

/// What happened, a value per sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histories {
    /// Floors of the test; the first is the target.
    pub floors: [Vec<f64>; FLOORS],
    /// Floors of the reference: the whole frame with the same specimen, integrated in one piece.
    pub reference: [Vec<f64>; FLOORS],
    /// Measured displacement of the specimen, m.
    pub measured: Vec<f64>,
    /// Command, m.
    pub command: Vec<f64>,
    /// Measured force, N.
    pub force: Vec<f64>,
}

impl Histories {
    /// Room for so many samples, so that the loop does not allocate.
    fn with_capacity(samples: usize) -> Self {
        let room = || Vec::with_capacity(samples);
        let floors = || std::array::from_fn(|_| room());
        Histories { floors: floors(), reference: floors(), measured: room(), command: room(), force: room() }
    }
}

/// Result of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Stable or not.
    pub verdict: Verdict,
    /// The criteria; of a lost test those up to its end, which mean little.
    pub criteria: Criteria,
    /// Largest force, N.
    pub peak_force: f64,
    /// All samples.
    pub histories: Histories,
}

/// Displacements and velocities of the floors.
type State = [[f64; FLOORS]; 2];

/// The numerical part of the frame, or all of it.
struct Frame {
    /// 1/M, diagonal.
    flexibility: [f64; FLOORS],
    damping: Matrix,
    stiffness: Matrix,
    /// Mass that the ground shakes, of the whole frame.
    shaken: f64,
}

impl Frame {
    /// Without the specimen, as far as that is known: the nominal one.
    fn numerical(case: &Case) -> Self {
        let [m, c, k] = SPECIMEN;
        let (mut damping, mut stiffness, mut masses) = (case.damping, STIFFNESS, [case.mass; FLOORS]);
        masses[0] -= m;
        damping[0][0] -= c;
        stiffness[0][0] -= k;
        Frame { flexibility: masses.map(|m| 1.0 / m), damping, stiffness, shaken: case.mass }
    }

    /// With the specimen as it is: what a perfect test would see.
    fn whole(case: &Case, specimen: &LinearSpecimen) -> Self {
        let mut frame = Self::numerical(case);
        frame.flexibility[0] = 1.0 / case.mass;
        frame.damping[0][0] += specimen.damping;
        frame.stiffness[0][0] += specimen.stiffness;
        frame
    }

    fn rate(&self, [x, v]: &State, ground: f64, force: f64) -> State {
        let mut a = [0.0; FLOORS];
        for i in 0..FLOORS {
            let inner: f64 = (0..FLOORS).map(|j| self.damping[i][j] * v[j] + self.stiffness[i][j] * x[j]).sum();
            let measured = if i == 0 { force } else { 0.0 };
            a[i] = self.flexibility[i] * (-self.shaken * ground - inner - measured);
        }
        [*v, a]
    }

    /// One step of Runge-Kutta; ground acceleration at its beginning, middle and end, the force held.
    fn step(&self, z: &State, ground: [f64; 3], force: f64) -> State {
        let h = 1.0 / RATE;
        let along = |k: &State, share: f64| -> State {
            std::array::from_fn(|r| std::array::from_fn(|i| z[r][i] + share * h * k[r][i]))
        };
        let k1 = self.rate(z, ground[0], force);
        let k2 = self.rate(&along(&k1, 0.5), ground[1], force);
        let k3 = self.rate(&along(&k2, 0.5), ground[1], force);
        let k4 = self.rate(&along(&k3, 1.0), ground[2], force);
        let sum: State =
            std::array::from_fn(|r| std::array::from_fn(|i| k1[r][i] + 2.0 * (k2[r][i] + k3[r][i]) + k4[r][i]));
        along(&sum, 1.0 / 6.0)
    }
}

/// A converter.
fn converted(x: f64) -> f64 {
    (x.clamp(-SATURATION, SATURATION) / QUANTUM).round() * QUANTUM
}

/// Runs a test.
pub fn run(settings: &Settings<'_>) -> Outcome {
    let Settings { motion, case, controller, perturbation, seed } = *settings;
    let mut actuator = Hydraulic::benchmark(1.0 / RATE);
    actuator.beta1 += 3.3 * perturbation.beta1;
    actuator.beta2 += 3300.0 * perturbation.beta2;
    actuator.a3 += 1.3 * perturbation.a3;
    let [mass, damping, stiffness] = SPECIMEN;
    let mut specimen = LinearSpecimen { mass, damping, stiffness: stiffness + 5e4 * perturbation.stiffness };
    let sensors = [Noise { deviation: DISPLACEMENT_NOISE, seed }, Noise { deviation: FORCE_NOISE, seed: !seed }];
    let (mut learned, mut plant, mut drawn) =
        (vec![0.0; controller.memory()], vec![0.0; actuator.memory()], [[0.0]; 2]);

    let (whole, numerical) = (Frame::whole(case, &specimen), Frame::numerical(case));
    let (mut reference, mut test, mut reached, mut last_force) =
        (State::default(), State::default(), Reached::default(), 0.0);
    let mut histories = Histories::with_capacity(motion.samples(RATE));
    let (mut verdict, mut peak_force) = (Verdict::Stable, 0.0f64);
    for k in 0..motion.samples(RATE) {
        let t = k as f64 / RATE;
        let measured = converted(reached.x + sensors[0].step(&mut drawn[0]));
        let force = reached.force + sensors[1].step(&mut drawn[1]);
        let command = converted(controller.command(&mut learned, test[0][0], measured));
        for i in 0..FLOORS {
            histories.floors[i].push(test[0][i]);
            histories.reference[i].push(reference[0][i]);
        }
        histories.measured.push(measured);
        histories.command.push(command);
        histories.force.push(force);
        peak_force = peak_force.max(reached.force.abs());
        if !(reached.x.abs() < LOST && test[0][0].abs() < LOST) {
            verdict = Verdict::Unstable(t);
            break;
        }
        let ground = [0.0, 0.5, 1.0].map(|share| motion.at((k as f64 + share) / RATE));
        reference = whole.step(&reference, ground, 0.0);
        test = numerical.step(&test, ground, last_force);
        reached = actuator.advance(&mut plant, [command; 2], &mut specimen);
        last_force = force;
    }
    let floors = histories.floors.each_ref().map(Vec::as_slice);
    let criteria = Criteria::of(&histories.measured, floors, histories.reference.each_ref().map(Vec::as_slice), RATE);
    Outcome { verdict, criteria, peak_force, histories }
}
