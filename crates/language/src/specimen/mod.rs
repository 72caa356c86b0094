//! Specimens: elements of a model that stand in the laboratory. Their forces are measured, not computed.
//!
//! **Must not be here:** text; what a laboratory does ([`interfield_lab`]).

mod address;
mod sensing;
pub mod uncertain;

use interfield_lab::compensate::{Compensation, Each, Multivariable, Sampling};
use interfield_lab::controller::Calibration;
pub use interfield_lab::controller::Control;
pub use interfield_lab::controller::Home;
use interfield_lab::controller::MissPolicy;
use interfield_lab::emulate::{Injection, Sensor};
use interfield_lab::fieldbus::{Assignment, AtEnd, Contacts, Field, Layout, Wiring};
use interfield_lab::fixture::Fixture;
use interfield_lab::guard::{Envelope, Guard};
use interfield_lab::kinematics::Lever;
use interfield_lab::plant::{self, Rational, StateSpace};
use interfield_lab::safety::Limits;
pub use interfield_lab::safety::{Action, Watch};

use crate::units::{Dimension, UnitSystem};

pub(crate) use address::host_and_port;
pub use address::{ADDRESSES, Address, SEALING};
pub use sensing::Instrument;

/// Some elements as a specimen, and how it is driven. Indices are those of the model.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// Name.
    pub name: String,
    /// Where its controller is; `None`: it is emulated in the process of the test.
    pub at: Option<Address>,
    /// Key file that the messages are sealed with, as seen from the folder of the model.
    pub key: Option<String>,
    /// Whether they may leave the machine without a seal.
    pub insecure: bool,
    /// Elements whose force is measured.
    pub elements: Vec<usize>,
    /// Degrees of freedom that are commanded.
    pub dofs: Vec<usize>,
    /// Mass that stands in the laboratory, per commanded degree of freedom, kg.
    pub masses: Vec<f64>,
    /// Degrees of freedom that exist in the laboratory only: first those that actuators act on, then those that are free.
    pub inner: Vec<usize>,
    /// How many of [`Specimen::inner`] actuators act on.
    pub held: usize,
    /// Mass in the laboratory, per inner degree of freedom, kg (kg m²).
    pub inner_masses: Vec<f64>,
    /// Sampling interval of the controller, s.
    pub period: f64,
    /// Samples of the controller from one target to the next.
    pub every: usize,
    /// One of so many samples is recorded.
    pub record_every: u64,
    /// Time scale: seconds in the laboratory per second of the model.
    pub time_scale: f64,
    /// Structure over specimen in length.
    pub scale: f64,
    /// Shortest time of the ways to the initial displacement and home, s.
    pub ramp: f64,
    /// Longest hold before going home, s.
    pub patience: f64,
    /// What a late target does, and how long it is bridged, s.
    pub late: MissPolicy,
    /// See [`Specimen::late`].
    pub bridge: f64,
    /// In what time a motion is braked for a hold or on the way home, s.
    pub brake: f64,
    /// Where the specimen is left.
    pub home: Home,
    /// Whether the measured force is moved from where the specimen is to where it should be, by its stiffness at rest.
    pub correct_force: bool,
    /// How commands are compensated, where an actuator does not say otherwise.
    pub compensation: Compensation,
    /// Dynamics of all actuators together, in the emulated laboratory; none: each has its own.
    pub plant: Option<StateSpace>,
    /// What moves it: as many as its degrees of freedom, fewer or more.
    pub actuators: Vec<Actuator>,
    /// Time in which redundant actuators take internal forces back, s; none: they are not shared.
    pub sharing: Option<f64>,
    /// What measures its displacements; none: its actuators.
    pub transducers: Vec<Instrument>,
    /// What measures its forces; none: its actuators.
    pub load_cells: Vec<Instrument>,
    /// What hangs between load cells and specimen.
    pub fixtures: Vec<Fixture>,
    /// Whether the load cells show zero under the weight of the fixtures at rest.
    pub tared: bool,
    /// Time over which the acceleration of the fixtures is estimated, s.
    pub inertia_window: f64,
    /// What is known of it within intervals only.
    pub uncertain: uncertain::OfSpecimen,
    /// What must not happen.
    pub limits: Limits,
    /// Simulated faults, in the emulated laboratory.
    pub faults: Vec<Injection>,
    /// Samples, from which on and how many, in which no target comes: on purpose.
    pub stalls: Vec<[u64; 2]>,
    /// What becomes of the outputs of a fieldbus at the end.
    pub at_end: AtEnd,
    /// What the interlock of the laboratory is told over a fieldbus, and tells.
    pub interlock: Contacts,
}

impl Specimen {
    /// How many degrees of freedom its actuators and sensors act along: the commanded ones, and the held ones among the inner ones.
    pub fn columns(&self) -> usize {
        self.dofs.len() + self.held
    }

    /// Degree of freedom of the model that column `i` of its kinematics is: the commanded ones, then the held ones. Free ones follow.
    pub fn column(&self, i: usize) -> Option<usize> {
        self.dofs.iter().chain(&self.inner).nth(i).copied()
    }

    /// Whether a degree of freedom is an inner one of which nobody knows where it is: no actuator acts on it, and it is not emulated.
    pub fn is_unseen(&self, dof: usize) -> bool {
        self.at.is_some() && self.inner[self.held..].contains(&dof)
    }

    /// How its actuators and sensors are wired to a fieldbus, if they are.
    pub fn layout(&self) -> Option<Layout> {
        let actuators: Option<Vec<Wiring>> = self.actuators.iter().map(|a| a.wiring).collect();
        let transducers: Option<Vec<Field>> = self.further_transducers().map(|t| t.wiring).collect();
        let load_cells: Option<Vec<Field>> = self.further_load_cells().map(|c| c.wiring).collect();
        let assignments = self.actuators.iter().filter_map(|a| a.assignment.clone()).collect();
        Some(Layout {
            actuators: actuators?,
            transducers: transducers?,
            load_cells: load_cells?,
            assignments,
            at_end: self.at_end,
            interlock: self.interlock,
        })
    }

    /// Samples in a row without an answer after which its controller is gone, by the clock: a quarter of a second, and 20 at least, beyond
    /// what `missing` bridges. A machine that stalls for less is held and found again.
    pub fn gone_after(&self) -> u32 {
        let silence = (0.25 / self.period).ceil().clamp(20.0, 1e9) as u32;
        self.limits.missing.map_or(0, |w| w.samples).saturating_add(silence)
    }

    /// How the commands of an actuator are compensated.
    pub fn compensation_of(&self, actuator: usize) -> &Compensation {
        self.actuators.get(actuator).and_then(|a| a.compensation.as_ref()).unwrap_or(&self.compensation)
    }

    /// Whether an actuator is compensated in its own way.
    pub fn compensated_apart(&self) -> bool {
        self.actuators.iter().any(|a| a.compensation.is_some())
    }

    /// Whether a compensation changes during a test.
    pub fn learns(&self) -> bool {
        (0..self.actuators.len()).any(|i| self.compensation_of(i).learns())
    }

    /// When its compensation is asked.
    pub fn sampling(&self) -> Sampling {
        Sampling { dt: self.period, every: self.every }
    }

    /// The compensation of all actuators, at the period of the controller.
    pub fn compensator(&self) -> Box<dyn Multivariable> {
        let actuators = self.actuators.len();
        if !self.compensated_apart() {
            return self.compensation.together(actuators, self.sampling());
        }
        Box::new(Each::new((0..actuators).map(|i| self.compensation_of(i).design(self.sampling())).collect()))
    }

    /// The actuators as a linear plant: together, or each with its own dynamics. `None` if one of them depends on the specimen.
    pub fn linear_plant(&self) -> Option<StateSpace> {
        if let Some(plant) = &self.plant {
            return Some(plant.clone());
        }
        let entries: Vec<Rational> = self.actuators.iter().map(|a| a.dynamics.rational()).collect::<Option<_>>()?;
        let delays = self.actuators.iter().map(|a| a.delay[0]).collect();
        Some(StateSpace { delays, ..StateSpace::diagonal(&entries)? })
    }

    /// Limits of an actuator: its own, and those of the specimen where it has none.
    pub fn limits_of(&self, actuator: usize) -> Limits {
        self.actuators.get(actuator).map_or(self.limits, |a| match a.turns == self.counts_angles() {
            true => a.own_limits.or(self.limits),
            false => a.own_limits.or(self.limits.without_motion()),
        })
    }

    /// Whether the limits of the whole specimen are angles and moments: those of its actuators, if all of them turn. Limits in lengths and
    /// forces do not hold for an actuator that turns; it has its own.
    pub fn counts_angles(&self) -> bool {
        !self.actuators.is_empty() && self.actuators.iter().all(|a| a.turns)
    }

    /// What an actuator may be sent: what it can do, and no more than its limits allow if they do more than warn. Where nobody says how
    /// suddenly it may change its velocity, it may do what a wave of 200 Hz at its largest velocity does: noise of a compensated command, but
    /// no spike. It is braked as a wave of 10 Hz would.
    pub fn envelope(&self, actuator: usize) -> Envelope {
        let Some(a) = self.actuators.get(actuator) else { return Envelope::OPEN };
        let limits = self.limits_of(actuator);
        let may = |w: Option<Watch>| w.filter(|w| w.action > Action::Warn).map_or(f64::INFINITY, |w| w.limit);
        let stroke = a.limits.stroke.min(may(limits.displacement));
        let velocity = a.limits.velocity.min(may(limits.velocity));
        let stated = a.acceleration.min(may(limits.acceleration));
        let wave = |frequency: f64| std::f64::consts::TAU * frequency * velocity;
        let acceleration = if stated.is_finite() { stated } else { wave(200.0) };
        let (braking, jerk) = (acceleration.min(wave(10.0)), limits.jerk.unwrap_or(f64::INFINITY));
        Envelope { position: [-stroke, stroke], velocity, acceleration, braking, jerk }
    }

    /// The guard of an actuator.
    ///
    /// # Errors
    /// When its envelope cannot be kept: a sentence.
    pub fn guard(&self, actuator: usize) -> Result<Guard, String> {
        Guard::new(self.envelope(actuator), self.period)
    }

    /// What stands between the commands and the actuators of a specimen; `None` if they are the same numbers, and so are the
    /// measured ones.
    pub fn between(&self) -> Option<&'static str> {
        let own = |i: usize| Lever::Linear((0..self.dofs.len()).map(|j| f64::from(u8::from(i == j))).collect());
        let mut actuators = self.actuators.iter().enumerate();
        let calibrated = |a: &Actuator| a.calibration != Calibration::default();
        if self.scale != 1.0 {
            Some("the specimen is a scale model")
        } else if !(self.transducers.is_empty() && self.load_cells.is_empty()) {
            Some("transducers or load cells of their own measure it")
        } else if !self.fixtures.is_empty() {
            Some("the part of a fixture is taken off the measured force")
        } else if (0..self.actuators.len()).any(|i| *self.compensation_of(i) != Compensation::Uncompensated) {
            Some("the actuators are compensated")
        } else if self.actuators.len() != self.dofs.len() || actuators.any(|(i, a)| a.lever != own(i)) {
            Some("each actuator moves more than one degree of freedom")
        } else {
            self.actuators.iter().any(calibrated).then_some("the instruments are calibrated")
        }
    }
}

/// An actuator with its sensors.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Its name; its number, counted from 1, if the file gives none.
    pub name: String,
    /// Whether its stroke is an angle, and its force a moment.
    pub turns: bool,
    /// What it moves.
    pub lever: Lever,
    /// Calibration of its instruments.
    pub calibration: Calibration,
    /// Its dynamics, in the emulated laboratory.
    pub dynamics: Dynamics,
    /// How its commands are compensated, if not as those of the specimen.
    pub compensation: Option<Compensation>,
    /// Delay before it does: constant part, swing (s) and frequency of the swing (Hz).
    pub delay: [f64; 3],
    /// What it cannot do.
    pub limits: plant::Limits,
    /// Largest acceleration that it may be asked for, m/s²; infinite: not stated.
    pub acceleration: f64,
    /// What must not happen to it, where that is not said of the whole specimen.
    pub own_limits: Limits,
    /// What it follows on an inner degree of freedom; none: it follows the targets.
    pub loading: Option<Loading>,
    /// Stiffness between its piston and the specimen, N/m; infinite: rigid.
    pub mount: f64,
    /// What it carries of a force that several share, in proportion.
    pub share: f64,
    /// Coulomb friction before its load cell, N.
    pub friction: f64,
    /// Displacement sensor.
    pub displacement: Sensor,
    /// Load cell.
    pub force: Sensor,
    /// What is known of it within intervals only.
    pub uncertain: uncertain::OfActuator,
    /// How it is wired to a fieldbus.
    pub wiring: Option<Wiring>,
    /// What its device on the bus exchanges, if it leaves the choice.
    pub assignment: Option<Assignment>,
}

/// How an actuator holds an inner degree of freedom: at its place, or under a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Loading {
    /// What it follows when the test begins.
    pub control: Control,
    /// Its load, N (N m).
    pub load: f64,
    /// Bandwidth of its loop, rad/s.
    pub bandwidth: f64,
    /// Times of the model, s, and what it follows from then on.
    pub switches: Vec<(f64, Control)>,
}

impl Actuator {
    /// Name and size in SI of the unit in which a quantity of it is told: that of a length is rad, and that of a force one of a moment,
    /// if it turns.
    pub fn unit(&self, dim: Dimension, units: &UnitSystem) -> (String, f64) {
        unit(self.turns, dim, units)
    }
}

/// Name and size in SI of the unit of a quantity along a stroke, or of one that turns.
pub fn unit(turns: bool, dim: Dimension, units: &UnitSystem) -> (String, f64) {
    if !turns {
        return (units.label(dim), units.factor(dim));
    }
    if dim.mass == 0.0 {
        let dim = dim.per(Dimension::LENGTH);
        return (units.angle_label(dim), units.factor(dim));
    }
    // A force does work along the stroke, and a stiffness is a force by a stroke.
    let dim = dim.times(Dimension::LENGTH.power(if dim == Dimension::STIFFNESS { 2.0 } else { 1.0 }));
    (units.label(dim), units.factor(dim))
}

/// How an emulated actuator moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Dynamics {
    /// Ideal: the actuator follows its command exactly.
    Ideal,
    /// Transfer function of displacement over command: coefficients of s, highest power first.
    #[allow(missing_docs)]
    Transfer { numerator: Vec<f64>, denominator: Vec<f64> },
    /// Servo-hydraulic, moving its specimen against its force.
    Hydraulic(plant::Hydraulic),
}

impl Dynamics {
    /// As a transfer function, from the constant upwards; `None` if it depends on the specimen.
    fn rational(&self) -> Option<Rational> {
        let rising = |c: &[f64]| c.iter().rev().copied().collect::<Vec<f64>>();
        match self {
            Dynamics::Ideal => Some(Rational { numerator: vec![1.0], denominator: vec![1.0] }),
            Dynamics::Transfer { numerator, denominator } => {
                Some(Rational { numerator: rising(numerator), denominator: rising(denominator) })
            }
            Dynamics::Hydraulic(_) => None,
        }
    }
}
