//! One test of the benchmark: numerical part, coupler, controller, converters, actuators with the bay, sensors, estimator, and the force of the bay.
//!
//! ```text
//! measured(t) -> estimated -> x, θ -> force f(t) -> Newmark to t: targets(t) -> commands, held from t to t + 1/f
//! ```
//!
//! The force is that of the sample itself, computed from displacement, first and second backward difference of the estimated joint, as in the released model. Deviations from that model:
//! the noise of the two sensors is independent (there both have one seed, so that it cancels in the rotation), and commands and measurements pass converters with their range and quantum
//! (there the range is only looked at afterwards).

use super::criteria::Criteria;
use super::estimator::Estimator;
use super::frame::{Frame, Motions, Newmark};
use super::physical::Specimen;
use super::plant::{Perturbation, Plant, State};
use super::{ACTUATORS, FLOORS, NOISE, RATE, ROTATIONS, coupler};
use crate::benchmark::{Motion, Verdict};
use crate::compensate::Multivariable;
use crate::signal::Noise;

/// Range of the converters, V.
const RANGE: f64 = 3.8;
/// Their quantum, V.
const QUANTUM: f64 = 1.0 / 262_144.0;
/// Metres per volt and metres at zero volts, of each actuator.
const CALIBRATION: [[f64; 2]; ACTUATORS] =
    [[7.4921e-3 * 1.053, 0.0092e-3 * 1.053], [7.3907e-3 * 1.055, -0.0059e-3 * 1.055]];
/// A test whose actuators are beyond this has become unstable, m: a dozen times the largest stroke of the reference.
const LOST: f64 = 0.06;

/// x and rotation of the joint, of floor 2 and of floor 3; rotations in the sign of the coupler.
type Watched = [Vec<f64>; 6];

fn watch(histories: &mut Watched, motions: &Motions) {
    for floor in 0..3 {
        histories[2 * floor].push(motions.u[FLOORS[floor]]);
        histories[2 * floor + 1].push(-motions.u[ROTATIONS[floor]]);
    }
}

fn room<const N: usize>(samples: usize) -> [Vec<f64>; N] {
    std::array::from_fn(|_| Vec::with_capacity(samples))
}

/// What a test is compared with, under a ground motion.
#[derive(Clone, Debug)]
pub struct Reference {
    ground: Vec<f64>,
    numerical: Newmark,
    /// The frame with the bay as it is: the test with perfect actuators, sensors and estimator.
    built: Watched,
    /// The frame with the bay as it was assumed: the reference of the released scripts.
    assumed: Watched,
}

impl Reference {
    /// Under this motion.
    pub fn new(motion: &Motion) -> Self {
        let ground: Vec<f64> = (0..motion.samples(RATE)).map(|k| motion.at(k as f64 / RATE)).collect();
        let (whole, mut motions, mut assumed) =
            (Newmark::new(&Frame::reference()), Motions::default(), room(ground.len()));
        for a in &ground {
            whole.step(&mut motions, *a, [0.0; 3]);
            watch(&mut assumed, &motions);
        }
        let numerical = Newmark::new(&Frame::numerical());
        Reference { built: perfect(&numerical, &ground), ground, numerical, assumed }
    }

    /// The criteria of the perfect test: what is left in those against the assumed bay is the difference of the bays.
    pub fn perfect(&self) -> Criteria {
        let strokes: Vec<[f64; 2]> =
            self.built[0].iter().zip(&self.built[1]).map(|(x, theta)| coupler::strokes([*x, *theta])).collect();
        let each: [Vec<f64>; ACTUATORS] = std::array::from_fn(|i| strokes.iter().map(|q| q[i]).collect());
        Criteria::of(&Histories {
            targets: each.clone(),
            measured: each.clone(),
            estimated: each.clone(),
            commands: each,
            joint: [self.built[0].clone(), self.built[1].clone()],
            test: self.built.clone(),
            built: self.built.clone(),
            assumed: self.assumed.clone(),
        })
    }
}

/// The numerical part with the bay, whose joint is where the numerical part says in the same sample.
fn perfect(numerical: &Newmark, ground: &[f64]) -> Watched {
    let mut bay = Bay::default();
    let (mut motions, mut watched) = (Motions::default(), room(ground.len()));
    for a in ground {
        // Where the joint comes to with the forces of q = 0 and of unit q: the q that comes to itself solves (1 - A) q = b.
        let reached = |q: [f64; 2]| {
            let mut trial = motions;
            numerical.step(&mut trial, *a, bay.at(q));
            joint(&trial)
        };
        let (b, x, t) = (reached([0.0; 2]), reached([1.0, 0.0]), reached([0.0, 1.0]));
        let m = [[1.0 - (x[0] - b[0]), b[0] - t[0]], [b[1] - x[1], 1.0 - (t[1] - b[1])]];
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        let q = [(b[0] * m[1][1] - b[1] * m[0][1]) / det, (b[1] * m[0][0] - b[0] * m[1][0]) / det];
        numerical.step(&mut motions, *a, bay.moved(q));
        watch(&mut watched, &motions);
    }
    watched
}

/// x and rotation of the joint, in the sign of the coupler.
fn joint(motions: &Motions) -> [f64; 2] {
    [motions.u[FLOORS[0]], -motions.u[ROTATIONS[0]]]
}

/// A test.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// Ground motion and the reference under it.
    pub reference: &'a Reference,
    /// Controller of both actuators, at [`RATE`].
    pub controller: &'a dyn Multivariable,
    /// What makes the estimated displacements of the measured ones; none: they are the measured ones.
    pub estimator: Option<&'a Estimator>,
    /// Plant.
    pub perturbation: Perturbation,
    /// Of the noise.
    pub seed: u64,
}

/// What happened, a value per sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histories {
    /// Target, measured, estimated displacement and command of each actuator, m.
    pub targets: [Vec<f64>; ACTUATORS],
    #[allow(missing_docs)]
    pub measured: [Vec<f64>; ACTUATORS],
    #[allow(missing_docs)]
    pub estimated: [Vec<f64>; ACTUATORS],
    #[allow(missing_docs)]
    pub commands: [Vec<f64>; ACTUATORS],
    /// x and rotation of the joint as estimated, m, rad.
    pub joint: [Vec<f64>; 2],
    /// Of the numerical part: x and rotation of joint, floor 2, floor 3.
    pub test: Watched,
    /// Of the reference with the bay as it is.
    pub built: Watched,
    /// Of the reference with the bay as it was assumed.
    pub assumed: Watched,
}

impl Histories {
    /// Room for so many samples, so that the loop does not allocate.
    fn with_capacity(samples: usize) -> Self {
        Histories {
            targets: room(samples),
            measured: room(samples),
            estimated: room(samples),
            commands: room(samples),
            joint: room(samples),
            test: room(samples),
            built: room(samples),
            assumed: room(samples),
        }
    }
}

/// Result of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Stable or not.
    pub verdict: Verdict,
    /// The criteria; of a lost test those up to its end, which mean little.
    pub criteria: Criteria,
    /// Largest force of an actuator, N.
    pub peak_force: f64,
    /// Whether a command reached the range of its converter.
    pub saturated: bool,
    /// All samples.
    pub histories: Histories,
}

/// The bay: its force by differences of where its joint is.
struct Bay {
    specimen: Specimen,
    /// x and rotation of the last sample, and their rates.
    last: [[f64; 2]; 2],
}

impl Default for Bay {
    /// At rest.
    fn default() -> Self {
        Bay { specimen: Specimen::new(), last: [[0.0; 2]; 2] }
    }
}

impl Bay {
    /// Rates of a joint that is here now, by backward differences.
    fn rates(&self, q: [f64; 2]) -> [[f64; 2]; 2] {
        let first: [f64; 2] = std::array::from_fn(|i| (q[i] - self.last[0][i]) * RATE);
        [std::array::from_fn(|i| (first[i] - self.last[1][i]) * RATE), first]
    }

    /// Forces on the frame if its joint were here now.
    fn at(&self, q: [f64; 2]) -> [f64; 3] {
        let [second, first] = self.rates(q);
        self.specimen.forces([second, first, q])
    }

    /// Forces on the frame of a joint that has come here.
    fn moved(&mut self, q: [f64; 2]) -> [f64; 3] {
        let [second, first] = self.rates(q);
        self.last = [q, first];
        self.specimen.forces([second, first, q])
    }
}

/// A displacement through the converter of an actuator, and whether its range was enough.
fn converted(x: f64, [per_volt, offset]: [f64; 2]) -> (f64, bool) {
    let volts = (x - offset) / per_volt;
    let shown = (volts.clamp(-RANGE, RANGE) / QUANTUM).round() * QUANTUM;
    (per_volt * shown + offset, volts.abs() <= RANGE)
}

/// Sensors, controller, converters and actuators.
struct Rig<'a> {
    settings: &'a Settings<'a>,
    plant: Plant,
    state: State,
    noise: [Noise; ACTUATORS],
    drawn: [[f64; 1]; ACTUATORS],
    learned: Vec<f64>,
    estimate: Vec<f64>,
    saturated: bool,
}

impl<'a> Rig<'a> {
    fn new(settings: &'a Settings<'a>) -> Self {
        let seed = settings.seed;
        Rig {
            settings,
            plant: Plant::new(&settings.perturbation),
            state: State::default(),
            noise: [seed, !seed].map(|seed| Noise { deviation: NOISE, seed }),
            drawn: [[0.0]; ACTUATORS],
            learned: vec![0.0; settings.controller.memory()],
            estimate: vec![0.0; settings.estimator.map_or(0, Estimator::memory)],
            saturated: false,
        }
    }

    /// What the sensors show.
    fn measured(&mut self) -> [f64; ACTUATORS] {
        let truth = self.plant.strokes(&self.state);
        std::array::from_fn(|i| converted(truth[i] + self.noise[i].step(&mut self.drawn[i]), CALIBRATION[i]).0)
    }

    fn estimated(&mut self, measured: [f64; ACTUATORS]) -> [f64; ACTUATORS] {
        self.settings.estimator.map_or(measured, |e| e.estimate(&mut self.estimate, measured))
    }

    /// Commands towards these targets, held over a sample.
    fn send(&mut self, targets: [f64; ACTUATORS], measured: [f64; ACTUATORS]) -> [f64; ACTUATORS] {
        let mut commands = [0.0; ACTUATORS];
        self.settings.controller.command(&mut self.learned, &targets, &measured, &mut commands);
        for (command, calibration) in commands.iter_mut().zip(CALIBRATION) {
            let (sent, within) = converted(*command, calibration);
            *command = sent;
            self.saturated |= !within;
        }
        self.plant.step(&mut self.state, commands);
        if let Some(estimator) = self.settings.estimator {
            estimator.sent(&mut self.estimate, commands);
        }
        commands
    }
}

/// Runs a test.
pub fn run(settings: &Settings<'_>) -> Outcome {
    let reference = settings.reference;
    let (mut rig, mut bay) = (Rig::new(settings), Bay::default());
    let (mut motions, samples) = (Motions::default(), reference.ground.len());
    let mut h = Histories::with_capacity(samples);
    let (mut verdict, mut peak_force) = (Verdict::Stable, 0.0f64);
    for (k, ground) in reference.ground.iter().enumerate() {
        let measured = rig.measured();
        let estimated = rig.estimated(measured);
        let held = coupler::pose(estimated);
        let forces = bay.moved(held);
        reference.numerical.step(&mut motions, *ground, forces);
        let targets = coupler::strokes(joint(&motions));
        let commands = rig.send(targets, measured);

        push(&mut h.targets, targets);
        push(&mut h.measured, measured);
        push(&mut h.estimated, estimated);
        push(&mut h.commands, commands);
        push(&mut h.joint, held);
        watch(&mut h.test, &motions);
        let shares = coupler::shares([forces[0], -forces[2]]);
        peak_force = shares.iter().fold(peak_force, |m, f| m.max(f.abs()));
        if !targets.iter().chain(&measured).all(|q| q.abs() < LOST) {
            verdict = Verdict::Unstable(k as f64 / RATE);
            break;
        }
    }
    let samples = h.test[0].len();
    for i in 0..h.test.len() {
        h.built[i].extend_from_slice(&reference.built[i][..samples]);
        h.assumed[i].extend_from_slice(&reference.assumed[i][..samples]);
    }
    Outcome { verdict, criteria: Criteria::of(&h), peak_force, saturated: rig.saturated, histories: h }
}

fn push<const N: usize>(histories: &mut [Vec<f64>; N], values: [f64; N]) {
    histories.iter_mut().zip(values).for_each(|(history, value)| history.push(value));
}
