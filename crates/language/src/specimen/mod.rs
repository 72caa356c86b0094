//! Specimens: elements of a model that stand in the laboratory. Their forces are measured, not computed.
//!
//! **Must not be here:** text; what a laboratory does ([`interfield_lab`]).

mod address;

use interfield_lab::compensate::Compensation;
use interfield_lab::controller::Calibration;
pub use interfield_lab::controller::Home;
use interfield_lab::controller::MissPolicy;
use interfield_lab::emulate::{Injection, Sensor};
use interfield_lab::fieldbus::{Assignment, AtEnd, Contacts, Layout, Wiring};
use interfield_lab::guard::{Envelope, Guard};
use interfield_lab::kinematics::Lever;
use interfield_lab::plant;
use interfield_lab::safety::Limits;
pub use interfield_lab::safety::{Action, Watch};

use crate::units::{Dimension, UnitSystem};

pub(crate) use address::host_and_port;
pub use address::{ADDRESSES, Address, SEALING};

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
    /// Sampling interval of the controller, s.
    pub period: f64,
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
    /// How commands are compensated.
    pub compensation: Compensation,
    /// One per commanded degree of freedom.
    pub actuators: Vec<Actuator>,
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
    /// How its actuators are wired to a fieldbus, if they are.
    pub fn layout(&self) -> Option<Layout> {
        let actuators: Option<Vec<Wiring>> = self.actuators.iter().map(|a| a.wiring).collect();
        let assignments = self.actuators.iter().filter_map(|a| a.assignment.clone()).collect();
        Some(Layout { actuators: actuators?, assignments, at_end: self.at_end, interlock: self.interlock })
    }

    /// Samples in a row without an answer after which its controller is gone, by the clock: a quarter of a second, and 20 at least, beyond
    /// what `missing` bridges. A machine that stalls for less is held and found again.
    pub fn gone_after(&self) -> u32 {
        let silence = (0.25 / self.period).ceil().clamp(20.0, 1e9) as u32;
        self.limits.missing.map_or(0, |w| w.samples).saturating_add(silence)
    }

    /// Limits of an actuator: its own, and those of the specimen where it has none.
    pub fn limits_of(&self, actuator: usize) -> Limits {
        self.actuators.get(actuator).map_or(self.limits, |a| a.own_limits.or(self.limits))
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
        } else if self.compensation != Compensation::Uncompensated {
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
    /// Delay before it does: constant part, swing (s) and frequency of the swing (Hz).
    pub delay: [f64; 3],
    /// What it cannot do.
    pub limits: plant::Limits,
    /// Largest acceleration that it may be asked for, m/s²; infinite: not stated.
    pub acceleration: f64,
    /// What must not happen to it, where that is not said of the whole specimen.
    pub own_limits: Limits,
    /// Coulomb friction before its load cell, N.
    pub friction: f64,
    /// Displacement sensor.
    pub displacement: Sensor,
    /// Load cell.
    pub force: Sensor,
    /// How it is wired to a fieldbus.
    pub wiring: Option<Wiring>,
    /// What its device on the bus exchanges, if it leaves the choice.
    pub assignment: Option<Assignment>,
}

impl Actuator {
    /// Name and size in SI of the unit in which a quantity of it is told: that of a length is rad, and that of a force one of a moment,
    /// if it turns.
    pub fn unit(&self, dim: Dimension, units: &UnitSystem) -> (String, f64) {
        if !self.turns {
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
