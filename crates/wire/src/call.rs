//! The side that commands, without input and output: which message comes next, and what an answer means.

use interfield_lab::hardware::Interlock;

use crate::codec::{Content, Greeting, Letter, Shown, Stamp, decode};
use crate::layout::{Kind, Refused};
use crate::statistics::Statistics;
use crate::window::{Arrival, Window};

/// What bytes from the wire meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing.
    Ignored,
    /// The session is open; what the controller says of itself.
    Welcome(Greeting),
    /// It is not, and why.
    Refused(Option<Refused>),
    /// The command of this sample is answered.
    Answered,
    /// An earlier command is answered, with newer readings than before.
    Late,
    /// The controller is alive.
    Alive,
    /// The controller gives up.
    Stopped,
}

/// A session as the test sees it.
pub struct Call {
    session: u64,
    period_ns: u64,
    sequence: u64,
    letter: Letter,
    answers: Window,
    /// Newest readings; whether the controller called them new.
    displacement: Vec<f64>,
    force: Vec<f64>,
    fresh: bool,
    /// Whether the emergency stop was pressed, by what came since the last command; by what came last, if nothing did.
    pressed: bool,
    heard: bool,
    statistics: Statistics,
}

impl Call {
    /// A session with what the greeting says.
    pub fn new(session: u64, greeting: &Greeting) -> Self {
        let zeros = vec![0.0; greeting.actuators.len()];
        Call {
            session,
            period_ns: greeting.period_ns,
            sequence: 0,
            letter: Letter::default(),
            answers: Window::default(),
            displacement: zeros.clone(),
            force: zeros,
            fresh: false,
            pressed: false,
            heard: false,
            statistics: Statistics::default(),
        }
    }

    /// Number of actuators.
    pub fn actuators(&self) -> usize {
        self.displacement.len()
    }

    /// Newest displacements and forces, and whether the controller called them new.
    pub fn readings(&self) -> (&[f64], &[f64], bool) {
        (&self.displacement, &self.force, self.fresh)
    }

    /// Whether the emergency stop of the laboratory is pressed.
    pub fn emergency_stop(&self) -> bool {
        self.pressed
    }

    /// What was counted.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The message that opens the session.
    pub fn hello(&mut self, now_ns: u64, greeting: &Greeting) -> &[u8] {
        let stamp = self.stamp(now_ns, 0);
        self.letter.greeting(Kind::Hello, stamp, greeting)
    }

    /// The command of the next sample, with what the interlock of the laboratory is told.
    pub fn command(&mut self, now_ns: u64, interlock: Interlock, values: &[f64]) -> &[u8] {
        self.sequence += 1;
        self.heard = false;
        self.statistics.commands += 1;
        let stamp = self.stamp(now_ns, self.sequence);
        self.letter.command(stamp, interlock, self.sequence.wrapping_mul(self.period_ns), values)
    }

    /// The same once more.
    pub fn again(&mut self) -> &[u8] {
        self.statistics.repeated += 1;
        self.letter.bytes()
    }

    /// The command of this sample is not waited for any longer.
    pub fn give_up(&mut self) {
        self.statistics.lost += 1;
    }

    /// A message without a body.
    pub fn short(&mut self, kind: Kind, now_ns: u64) -> &[u8] {
        let stamp = self.stamp(now_ns, 0);
        self.letter.short(kind, stamp, 0)
    }

    fn stamp(&self, now_ns: u64, sequence: u64) -> Stamp {
        Stamp { session: self.session, sequence, time_ns: now_ns }
    }

    /// Takes bytes from the wire.
    pub fn hear(&mut self, now_ns: u64, bytes: &[u8]) -> Reaction {
        let Ok((stamp, content)) = decode(bytes) else {
            self.statistics.malformed += 1;
            return Reaction::Ignored;
        };
        if stamp.session != self.session {
            self.statistics.foreign += 1;
            return Reaction::Ignored;
        }
        match content {
            Content::Welcome(greeting) => Reaction::Welcome(greeting),
            Content::Refusal { reason } => Reaction::Refused(Refused::from_number(reason)),
            Content::Heartbeat => Reaction::Alive,
            Content::Stop => Reaction::Stopped,
            Content::Measurement { shown, received_ns, echo_ns, displacement, force } => {
                if displacement.len() != self.displacement.len() || !(1..=self.sequence).contains(&stamp.sequence) {
                    self.statistics.malformed += 1;
                    return Reaction::Ignored;
                }
                let newest = match self.answers.note(stamp.sequence) {
                    Arrival::Newest { .. } => true,
                    Arrival::Reordered => {
                        self.statistics.reordered += 1;
                        false
                    }
                    Arrival::Duplicate | Arrival::Ancient => {
                        self.statistics.duplicates += 1;
                        return Reaction::Ignored;
                    }
                };
                let answering = stamp.time_ns.saturating_sub(received_ns);
                self.statistics.answering.record(answering);
                self.statistics.round_trip.record(now_ns.saturating_sub(echo_ns).saturating_sub(answering));
                if stamp.sequence < self.sequence {
                    // It had been given up.
                    self.statistics.late += 1;
                    self.statistics.lost = self.statistics.lost.saturating_sub(1);
                }
                self.note_button(shown);
                if !newest {
                    return Reaction::Ignored;
                }
                self.displacement.iter_mut().zip(displacement.iter()).for_each(|(d, x)| *d = x);
                self.force.iter_mut().zip(force.iter()).for_each(|(f, x)| *f = x);
                self.fresh = shown.fresh;
                if stamp.sequence == self.sequence { Reaction::Answered } else { Reaction::Late }
            }
            Content::Hello(_) | Content::Command { .. } => {
                self.statistics.foreign += 1;
                Reaction::Ignored
            }
        }
    }

    /// One of several answers in a sample is enough, the oldest too: who pressed it meant it.
    fn note_button(&mut self, shown: Shown) {
        self.pressed = shown.emergency_stop || (self.heard && self.pressed);
        self.heard = true;
    }
}
