//! Safety before results: limits on what a specimen is asked and seen to do, what follows when one is passed, and the
//! states of a test. What may leave at all is decided later, by the [`guard`](crate::guard).

use interfield_kernel::{Archive, Fault};

pub mod monitor;
pub mod sequence;

pub use monitor::{Limits, Monitor, Watch};
pub use sequence::{Event, Names, Next, Sequence, State, TABLE, Transition};

/// Something that must not happen during a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// An actuator was asked for too large a displacement.
    Displacement,
    /// An actuator was asked to move too fast.
    Velocity,
    /// A measured force is too large.
    Force,
    /// The specimen is too far from where it should be.
    Tracking,
    /// The tracking error has fed too much energy in.
    Energy,
    /// The tracking error has fed energy in faster than the structure can lose it.
    Indicator,
    /// A sensor shows the same number though its actuator was asked to move.
    Frozen,
    /// No readings arrived.
    Missing,
    /// A reading or a command is not a number.
    NotFinite,
    /// A command was not ready in time.
    Deadline,
    /// Samples could not be recorded.
    Recorder,
    /// The other side of the wire is gone.
    Gone,
    /// A hold lasted too long.
    Patience,
    /// Somebody asked for it.
    Operator,
    /// An actuator was asked to change its velocity too suddenly.
    Acceleration,
    /// A measured displacement is too large.
    MeasuredDisplacement,
    /// A measured velocity is too large.
    MeasuredVelocity,
    /// A measured acceleration is too large.
    MeasuredAcceleration,
    /// A measured force changes too fast.
    ForceRate,
    /// The laboratory's emergency stop was pressed.
    EmergencyStop,
    /// An actuator did not stand where the test begins.
    Start,
    /// A target did not come for longer than is bridged.
    Late,
    /// The controller itself does not answer.
    Watchdog,
    /// Whoever computes the structure has ended before its time.
    Unfinished,
    /// Redundant transducers contradict each other.
    Disagreement,
    /// A load that is held by force control is too far from its value.
    Load,
}

/// All trips in their order, by the names of their limits in a model file.
pub const TRIPS: [(Trip, &str); 26] = [
    (Trip::Displacement, "displacement"),
    (Trip::Velocity, "velocity"),
    (Trip::Force, "force"),
    (Trip::Tracking, "tracking"),
    (Trip::Energy, "energy"),
    (Trip::Indicator, "indicator"),
    (Trip::Frozen, "frozen"),
    (Trip::Missing, "missing"),
    (Trip::NotFinite, "not-finite"),
    (Trip::Deadline, "deadline"),
    (Trip::Recorder, "recorder"),
    (Trip::Gone, "gone"),
    (Trip::Patience, "patience"),
    (Trip::Operator, "operator"),
    (Trip::Acceleration, "acceleration"),
    (Trip::MeasuredDisplacement, "measured-displacement"),
    (Trip::MeasuredVelocity, "measured-velocity"),
    (Trip::MeasuredAcceleration, "measured-acceleration"),
    (Trip::ForceRate, "force-rate"),
    (Trip::EmergencyStop, "emergency-stop"),
    (Trip::Start, "start"),
    (Trip::Late, "late"),
    (Trip::Watchdog, "watchdog"),
    (Trip::Unfinished, "unfinished"),
    (Trip::Disagreement, "disagreement"),
    (Trip::Load, "load-error"),
];

impl Trip {
    /// Number by which it travels out of a step, see [`interfield_kernel::Fault::Laboratory`].
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The end of a test for this reason, at an instrument if at one, as it travels out of a step.
    pub const fn fault(self, instrument: Option<u16>) -> Fault {
        Fault::Laboratory { specimen: 0, code: self.code(), instrument }
    }

    /// The trip with this number.
    pub fn from_code(code: u32) -> Option<Self> {
        TRIPS.get(code as usize).map(|t| t.0)
    }

    /// Saves or restores one.
    pub(crate) fn persist(&mut self, archive: &mut dyn Archive) {
        archive.choice(self, &TRIPS.map(|t| t.0));
    }

    /// Name of its limit.
    pub fn name(self) -> &'static str {
        TRIPS[self.code() as usize].1
    }

    /// What happened, in words.
    pub fn words(self) -> &'static str {
        match self {
            Trip::Displacement => "a commanded displacement exceeded its limit",
            Trip::Velocity => "a commanded velocity exceeded its limit",
            Trip::Force => "a measured force exceeded its limit",
            Trip::Tracking => "the tracking error was too large",
            Trip::Energy => "the tracking error added too much energy",
            Trip::Indicator => "the tracking error added energy too fast: the loop is becoming unstable",
            Trip::Frozen => "a sensor did not change although its actuator was commanded to move",
            Trip::Missing => "sensor measurements did not arrive",
            Trip::NotFinite => "a measurement or a command was NaN (not a number)",
            Trip::Deadline => "a command was not ready in time",
            Trip::Recorder => "samples could not be recorded",
            Trip::Gone => "the connection to the specimen was lost",
            Trip::Patience => "the hold lasted too long",
            Trip::Operator => "stopped by the operator",
            Trip::Acceleration => "a commanded acceleration exceeded the limit of the actuator",
            Trip::MeasuredDisplacement => "a measured displacement exceeded its limit",
            Trip::MeasuredVelocity => "a measured velocity exceeded its limit",
            Trip::MeasuredAcceleration => "a measured acceleration exceeded its limit",
            Trip::ForceRate => "a measured force changed faster than its limit",
            Trip::EmergencyStop => "the emergency stop of the laboratory was pressed",
            Trip::Start => "an actuator was not at the start position of the test",
            Trip::Late => "a target was missing for longer than `bridge` allows",
            Trip::Watchdog => "the controller did not answer in time",
            Trip::Unfinished => "the computation ended early",
            Trip::Disagreement => "the transducers contradicted each other",
            Trip::Load => "the force of an actuator in force control was too far from its load",
        }
    }
}

/// What follows a trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It is logged, and the test goes on.
    Warn,
    /// The specimen is braked and held where it is until the cause is gone, and the test goes on; if it stays, ramp down.
    Hold,
    /// The specimen is braked and led home, and the test ends.
    RampDown,
    /// The specimen is braked as hard as its actuators may be, the drives are switched off, and the test ends.
    Abort,
}

impl Action {
    /// By the names of a model file, mildest first.
    pub const ALL: [(Action, &str); 4] =
        [(Action::Warn, "warn"), (Action::Hold, "hold"), (Action::RampDown, "ramp-down"), (Action::Abort, "abort")];

    /// What it is to the states of a test.
    pub fn event(self) -> Event {
        match self {
            Action::Warn => Event::Warned,
            Action::Hold => Event::Hold,
            Action::RampDown => Event::Home,
            Action::Abort => Event::Off,
        }
    }
}

/// Something that tripped, and what follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alarm {
    /// What.
    pub trip: Trip,
    /// What follows.
    pub action: Action,
    /// At which actuator, if at one; behind the actuators, sensors of their own.
    pub actuator: Option<u16>,
}

impl Alarm {
    /// An alarm of the whole rig.
    pub fn new(trip: Trip, action: Action) -> Self {
        Alarm { trip, action, actuator: None }
    }

    /// An alarm of an actuator.
    pub fn at(trip: Trip, action: Action, actuator: usize) -> Self {
        Alarm { trip, action, actuator: Some(actuator as u16) }
    }
}

/// The one whose consequence is graver; the first of equals.
pub fn graver(a: Option<Alarm>, b: Option<Alarm>) -> Option<Alarm> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.action > a.action { b } else { a }),
        (a, b) => a.or(b),
    }
}
