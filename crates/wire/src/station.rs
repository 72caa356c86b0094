//! The side of the controller, without input and output: one session at a time, every command once.
//!
//! A command moves the specimen if it is newer than all before. The newest one again is answered again with what was
//! measured then; older ones, those of other sessions and numbers that are none move nothing.

use interfield_lab::hardware::Interlock;

use crate::codec::{Content, Greeting, Letter, Malformed, Shown, Stamp, decode};
use crate::layout::{Kind, Refused};
use crate::statistics::Statistics;
use crate::window::{Arrival, Window};

/// What is to be done about bytes from the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing.
    Ignored,
    /// Send [`Station::outgoing`].
    Answer,
    /// A session has begun: send [`Station::welcome`].
    Opened,
    /// Go to [`Station::command`], tell the interlock [`Station::interlock`], then send [`Station::answer`]. So many commands before this one never came.
    #[allow(missing_docs)]
    Move { missed: u64 },
    /// The session has ended.
    Closed,
}

/// The session that has the specimen.
struct Session {
    id: u64,
    commands: Window,
    heard_ns: u64,
    /// Clocks of controller and test when the newest command came and went.
    times: [u64; 2],
    answered: bool,
}

/// A controller as the wire sees it.
pub struct Station {
    offer: Greeting,
    patience_ns: Option<u64>,
    session: Option<Session>,
    command: Vec<f64>,
    interlock: Interlock,
    /// The last measurement, kept for a command that comes again.
    measurement: Letter,
    other: Letter,
    repeat: bool,
    statistics: Statistics,
}

impl Station {
    /// Offers a specimen. A session that is silent for `patience_ns` may be replaced by another; `None`: the transport itself
    /// lets nobody call before the last one is gone.
    pub fn new(offer: Greeting, patience_ns: Option<u64>) -> Self {
        Station {
            command: vec![0.0; offer.actuators.len()],
            offer,
            patience_ns,
            session: None,
            interlock: Interlock::default(),
            measurement: Letter::default(),
            other: Letter::default(),
            repeat: false,
            statistics: Statistics::default(),
        }
    }

    /// The newest command.
    pub fn command(&self) -> &[f64] {
        &self.command
    }

    /// What came with it for the interlock of the laboratory.
    pub fn interlock(&self) -> Interlock {
        self.interlock
    }

    /// The answer to a hello that has opened a session, with whether nothing real moves.
    pub fn welcome(&mut self, now_ns: u64, emulated: bool) -> &[u8] {
        self.offer.emulated = emulated;
        if let Some(session) = &self.session {
            let stamp = Stamp { session: session.id, sequence: 0, time_ns: now_ns };
            self.other.greeting(Kind::Welcome, stamp, &self.offer);
        }
        self.other.bytes()
    }

    /// What is to be sent.
    pub fn outgoing(&self) -> &[u8] {
        if self.repeat { self.measurement.bytes() } else { self.other.bytes() }
    }

    /// What was counted.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether somebody has the specimen.
    pub fn is_open(&self) -> bool {
        self.session.is_some()
    }

    /// Ends a session that has been silent for too long; whether there was one.
    pub fn expire(&mut self, now_ns: u64) -> bool {
        let silent = |s: &Session| self.patience_ns.is_some_and(|p| now_ns.saturating_sub(s.heard_ns) > p);
        let dead = self.session.as_ref().is_some_and(silent);
        if dead {
            self.session = None;
        }
        dead
    }

    /// Ends the session; the message that says so, if there was one.
    pub fn stop(&mut self, now_ns: u64) -> Option<&[u8]> {
        let session = self.session.take()?;
        Some(self.other.short(Kind::Stop, Stamp { session: session.id, sequence: 0, time_ns: now_ns }, 0))
    }

    /// Takes bytes from the wire.
    pub fn hear(&mut self, now_ns: u64, bytes: &[u8]) -> Event {
        self.repeat = false;
        let (stamp, content) = match decode(bytes) {
            Ok(found) => found,
            Err(problem) => {
                self.statistics.malformed += 1;
                let Malformed::Version { session, .. } = problem else { return Event::Ignored };
                return self.refuse(session, now_ns, Refused::Version);
            }
        };
        if let Content::Hello(hello) = content {
            return self.greet(stamp.session, now_ns, &hello);
        }
        let Some(session) = self.session.as_mut().filter(|s| s.id == stamp.session) else {
            self.statistics.foreign += 1;
            if !matches!(content, Content::Command { .. }) {
                return Event::Ignored;
            }
            // Of a session that has ended: its test should know.
            self.other.short(Kind::Stop, Stamp { session: stamp.session, sequence: 0, time_ns: now_ns }, 0);
            return Event::Answer;
        };
        session.heard_ns = now_ns;
        match content {
            Content::Command { interlock, values, .. } => {
                if values.len() != self.command.len() || values.iter().any(|x| !x.is_finite()) {
                    self.statistics.malformed += 1;
                    return Event::Ignored;
                }
                match session.commands.note(stamp.sequence) {
                    Arrival::Newest { missed } => {
                        session.times = [now_ns, stamp.time_ns];
                        session.answered = false;
                        self.command.iter_mut().zip(values.iter()).for_each(|(c, x)| *c = x);
                        self.interlock = interlock;
                        self.statistics.commands += 1;
                        self.statistics.lost = self.statistics.lost.saturating_add(missed);
                        Event::Move { missed }
                    }
                    Arrival::Duplicate => {
                        self.statistics.duplicates += 1;
                        self.repeat = session.answered && stamp.sequence == session.commands.newest();
                        if self.repeat { Event::Answer } else { Event::Ignored }
                    }
                    Arrival::Reordered => {
                        // Not lost, but of no use any more.
                        self.statistics.reordered += 1;
                        self.statistics.lost = self.statistics.lost.saturating_sub(1);
                        Event::Ignored
                    }
                    Arrival::Ancient => {
                        self.statistics.duplicates += 1;
                        Event::Ignored
                    }
                }
            }
            Content::Stop => {
                self.session = None;
                Event::Closed
            }
            _ => Event::Ignored,
        }
    }

    /// The answer to the newest command.
    pub fn answer(&mut self, now_ns: u64, shown: Shown, displacement: &[f64], force: &[f64]) -> &[u8] {
        if let Some(session) = &mut self.session {
            let stamp = Stamp { session: session.id, sequence: session.commands.newest(), time_ns: now_ns };
            self.statistics.answering.record(now_ns.saturating_sub(session.times[0]));
            session.answered = true;
            self.measurement.measurement(stamp, shown, session.times, displacement, force);
        }
        self.measurement.bytes()
    }

    fn greet(&mut self, id: u64, now_ns: u64, hello: &Greeting) -> Event {
        self.expire(now_ns);
        if self.patience_ns.is_none() && self.session.as_ref().is_some_and(|s| s.id != id) {
            self.session = None;
        }
        let again = self.session.as_ref().map(|s| s.id == id);
        if let Some(reason) = self.offer.refuses(hello) {
            return self.refuse(id, now_ns, reason);
        }
        if again == Some(false) {
            return self.refuse(id, now_ns, Refused::Busy);
        }
        if again == Some(true) {
            self.welcome(now_ns, self.offer.emulated);
            return Event::Answer;
        }
        let commands = Window::default();
        self.session = Some(Session { id, commands, heard_ns: now_ns, times: [0; 2], answered: false });
        Event::Opened
    }

    fn refuse(&mut self, session: u64, now_ns: u64, reason: Refused) -> Event {
        self.other.short(Kind::Refusal, Stamp { session, sequence: 0, time_ns: now_ns }, reason as u32);
        Event::Answer
    }
}
