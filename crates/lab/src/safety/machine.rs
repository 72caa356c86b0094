//! The states of a test and the log of its transitions.

use super::{Alarm, Trip};

/// Where a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing has been commanded.
    Idle,
    /// Ready: the next command moves the specimen.
    Armed,
    /// On the way to the initial displacement.
    Ramp,
    /// The test proper.
    Running,
    /// Held where it is.
    Hold,
    /// On the way back to where it stood at the start.
    RampDown,
    /// Ended before its time.
    Aborted,
    /// Ended as planned.
    Finished,
}

impl State {
    /// Number in a recording.
    pub fn code(self) -> f64 {
        f64::from(self as u8)
    }

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            State::Idle => "idle",
            State::Armed => "armed",
            State::Ramp => "ramp",
            State::Running => "running",
            State::Hold => "hold",
            State::RampDown => "ramp-down",
            State::Aborted => "aborted",
            State::Finished => "finished",
        }
    }

    /// Whether no further command will be given.
    pub fn is_over(self) -> bool {
        matches!(self, State::Aborted | State::Finished)
    }
}

/// One change of state, or a warning that changed none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Sample at which it happened.
    pub tick: u64,
    /// State before.
    pub from: State,
    /// State after.
    pub to: State,
    /// Why, if something tripped.
    pub cause: Option<Trip>,
    /// Actuator that tripped.
    pub actuator: Option<u16>,
}

impl Transition {
    /// A line for the log of a test with samples every `period` seconds.
    pub fn line(&self, period: f64) -> String {
        let change = match (self.from, self.to) {
            (from, to) if from == to => "warning".to_owned(),
            (from, to) => format!("{} -> {}", from.name(), to.name()),
        };
        let place = self.actuator.map_or_else(String::new, |a| format!(" (actuator {})", a + 1));
        let why = self.cause.map_or_else(String::new, |trip| format!(": {}{place}", trip.words()));
        format!("{:.4} s in the laboratory, sample {}: {change}{why}", self.tick as f64 * period, self.tick)
    }
}

/// Most entries of the log: beyond it the last ones count.
const LOG: usize = 1024;

/// The state of a test and how it came to be. Allocates nothing after its making.
#[derive(Clone, Debug)]
pub struct Machine {
    state: State,
    log: Vec<Transition>,
    /// Transitions that found no place.
    pub unlogged: u64,
}

impl Default for Machine {
    fn default() -> Self {
        Machine { state: State::Idle, log: Vec::with_capacity(LOG), unlogged: 0 }
    }
}

impl Machine {
    /// The state now.
    pub fn state(&self) -> State {
        self.state
    }

    /// What happened so far.
    pub fn log(&self) -> &[Transition] {
        &self.log
    }

    /// Goes to another state, or notes what did not change it.
    pub fn go(&mut self, tick: u64, to: State, cause: Option<Alarm>) {
        let entry = Transition {
            tick,
            from: self.state,
            to,
            cause: cause.map(|c| c.trip),
            actuator: cause.and_then(|c| c.actuator),
        };
        self.state = to;
        if self.log.len() < LOG {
            self.log.push(entry);
        } else {
            // How it ended matters more than the thousandth warning.
            self.log[LOG - 1] = entry;
            self.unlogged += 1;
        }
    }
}
