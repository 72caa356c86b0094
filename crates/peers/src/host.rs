//! Serves a substructure to a client over a channel, until one of them has had enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use interfield_lab::partner::Trouble;
use interfield_lab::realtime::Histogram;

use crate::channel::Channel;
use crate::session::{Said, Session};
use crate::substructure::{Counts, Halt, Substructure};
use crate::violation::Violation;

/// How often the request to stop is looked at while nothing comes.
const LOOK: Duration = Duration::from_millis(50);

/// What happens when a client says nothing for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStall {
    /// The substructure stays where it is, and waits.
    Hold,
    /// It is led home; the client gets no further answer.
    RampDown,
}

/// What happens, as it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum News {
    /// The client says nothing: this is done about it.
    Stalled(OnStall),
    /// It goes on.
    Resumed,
    /// It gets no further answer; its connection stays open, because OpenSees does not notice that one is closed.
    Halted(Halt),
}

/// How the service of a client ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// It said so.
    Ended,
    /// It vanished, or never said what it is; the substructure stands where it was sent last.
    Vanished,
    /// It did not keep to the protocol and was sent away; the substructure stands where it was sent last.
    Violated(Violation),
    /// It wanted what is not a number and went; the substructure stands where it was sent last.
    NotANumber,
    /// It stalled, and the substructure was led home.
    Stalled,
    /// The substructure broke.
    Broken,
    /// Somebody asked for it.
    Stopped,
}

/// What was done for a client.
#[derive(Clone, Debug)]
pub struct Served {
    /// How it ended.
    pub ending: Ending,
    /// How much.
    pub counts: Counts,
    /// From a request to its answer, moves included.
    pub answering: Histogram,
}

/// How a client is served.
pub struct Host<'a> {
    /// Silence of a client that is a stall.
    pub stall: Duration,
    /// What follows.
    pub on_stall: OnStall,
    /// Hears what happens.
    pub news: &'a mut dyn FnMut(News),
    /// Set by others to end it.
    pub stop: &'a AtomicBool,
}

/// How waiting for a message ended otherwise.
enum Without {
    Gone,
    Garbled,
    Late,
    Stopped,
}

impl Host<'_> {
    /// Serves a client to its end.
    pub fn serve(
        &mut self,
        channel: &mut dyn Channel,
        session: &mut dyn Session,
        substructure: &mut dyn Substructure,
    ) -> Served {
        let mut answering = Histogram::new(None);
        substructure.begin();
        let ending = self.run(channel, session, substructure, &mut answering);
        Served { ending, counts: session.counts(), answering }
    }

    fn run(
        &mut self,
        channel: &mut dyn Channel,
        session: &mut dyn Session,
        substructure: &mut dyn Substructure,
        answering: &mut Histogram,
    ) -> Ending {
        let mut message = vec![0; session.wants()];
        loop {
            // Its size was checked when the client said it.
            message.resize(session.wants(), 0);
            match self.next(channel, &mut message, session.is_open()) {
                Ok(()) => {}
                Err(Without::Gone) => return Ending::Vanished,
                Err(Without::Garbled) => return Ending::Violated(Violation::Length),
                Err(Without::Stopped) => return Ending::Stopped,
                Err(Without::Late) => {
                    substructure.leave();
                    self.linger(channel);
                    return Ending::Stalled;
                }
            }
            let began = Instant::now();
            let (answer, over) = match session.hear(&message, substructure) {
                Ok(Said::Nothing) => (None, false),
                Ok(Said::Answer(answer)) => (Some(answer), false),
                Ok(Said::Over(answer)) => (answer, true),
                Err(Halt::Violation(violation)) => return Ending::Violated(violation),
                Err(halt) => {
                    (self.news)(News::Halted(halt));
                    self.linger(channel);
                    return if matches!(halt, Halt::Broken(_)) { Ending::Broken } else { Ending::NotANumber };
                }
            };
            if let Some(answer) = answer {
                // A move may have taken longer than any stall.
                if channel.send(answer, Instant::now() + self.stall).is_err() && !over {
                    return Ending::Vanished;
                }
                answering.record(began.elapsed().as_nanos() as u64);
            }
            if over {
                return Ending::Ended;
            }
        }
    }

    /// The next message of a client that has said what it is (`open`), or has not.
    fn next(&mut self, channel: &mut dyn Channel, message: &mut [u8], open: bool) -> Result<(), Without> {
        let (began, mut filled, mut stalled) = (Instant::now(), 0, false);
        loop {
            match channel.receive(message, &mut filled, Instant::now() + LOOK) {
                // Also between the messages of a client that never pauses.
                Ok(()) if self.stop.load(Ordering::Relaxed) => return Err(Without::Stopped),
                Ok(()) => {
                    if stalled {
                        (self.news)(News::Resumed);
                    }
                    return Ok(());
                }
                Err(Trouble::Late) if self.stop.load(Ordering::Relaxed) => return Err(Without::Stopped),
                Err(Trouble::Late) if !open && began.elapsed() >= self.stall => return Err(Without::Gone),
                Err(Trouble::Late) if !stalled && began.elapsed() >= self.stall => {
                    (self.news)(News::Stalled(self.on_stall));
                    if self.on_stall == OnStall::RampDown {
                        return Err(Without::Late);
                    }
                    stalled = true;
                }
                Err(Trouble::Late) => {}
                Err(Trouble::Garbled) => return Err(Without::Garbled),
                Err(_) => return Err(Without::Gone),
            }
        }
    }

    /// Keeps the connection of a client that gets no answer, until it goes or somebody wants to stop.
    fn linger(&mut self, channel: &mut dyn Channel) {
        let mut ignored = [0; 4096];
        while !self.stop.load(Ordering::Relaxed) {
            match channel.receive(&mut ignored, &mut 0, Instant::now() + LOOK) {
                Ok(()) | Err(Trouble::Late | Trouble::Garbled) => {}
                Err(_) => return,
            }
        }
    }
}
