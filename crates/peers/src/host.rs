//! Serves a substructure to a client over a channel, until one of them has had enough.
//!
//! A client that gets no measurements any more is answered with what is not a number until it goes: see [`Halt`].

use std::net::IpAddr;
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
    /// It is led home; the test is over.
    RampDown,
}

/// What happens, as it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum News {
    /// The client says nothing: this is done about it.
    Stalled(OnStall),
    /// It goes on.
    Resumed,
    /// It moves the substructure several times in a step: so often in the first such step.
    Iterates(u64),
    /// Nothing is measured for it any more.
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
    /// Nothing was measured for it any more, and it went.
    Halted(Halt),
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

/// A test that a client has begun and not ended. It belongs to that client: another one may go on with it only from the same machine, and from
/// where the substructure stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfinished {
    /// The machine of the client that moved the substructure last.
    pub machine: Option<IpAddr>,
    /// Where it moved it to.
    pub at: Vec<f64>,
    /// Whether the operator lets any client take it over.
    pub admitted: bool,
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
    /// Set when the test is over for all substructures of it: by this one, or by another one.
    pub over: &'a AtomicBool,
    /// The test that clients before this one have left behind.
    pub unfinished: &'a mut Option<Unfinished>,
}

/// How waiting for a message ended otherwise.
enum Without {
    Gone,
    Garbled,
    Stopped,
    /// The test is over.
    Over(Halt),
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
        let machine = channel.machine();
        match self.unfinished.as_ref().filter(|test| !test.admitted) {
            Some(test) if test.machine != machine => session.trial_mut().halt(Halt::Stranger),
            Some(test) => session.trial_mut().resume(&test.at),
            None => {}
        }
        let ending = self.run(channel, session, substructure, &mut answering);
        if let Some(at) = session.trial().moved() {
            *self.unfinished = Some(Unfinished { machine, at: at.to_vec(), admitted: false });
        }
        Served { ending, counts: session.trial().counts(), answering }
    }

    fn run(
        &mut self,
        channel: &mut dyn Channel,
        session: &mut dyn Session,
        substructure: &mut dyn Substructure,
        answering: &mut Histogram,
    ) -> Ending {
        let mut message = vec![0; session.wants()];
        let (mut filled, mut told, mut finished, mut iterates) = (0, false, false, false);
        loop {
            // Its size was checked when the client said it.
            message.resize(session.wants(), 0);
            // One that is refused need not be waited for either; one whose test is over is answered until it goes.
            let wait = if finished { None } else { Some(session.is_open() && !told) };
            match self.next(channel, &mut message, &mut filled, wait) {
                Ok(()) => {}
                Err(Without::Gone) => return session.trial().halted().map_or(Ending::Vanished, Ending::Halted),
                Err(Without::Garbled) => return Ending::Violated(Violation::Length),
                Err(Without::Stopped) => return Ending::Stopped,
                Err(Without::Over(halt)) => {
                    session.trial_mut().halt(halt);
                    (told, finished) = (true, self.halt(halt, substructure));
                    continue;
                }
            }
            filled = 0;
            let began = Instant::now();
            let (answer, over) = match session.hear(&message, substructure) {
                Ok(Said::Nothing) => (None, false),
                Ok(Said::Answer(answer)) => (Some(answer), false),
                Ok(Said::Over(answer)) => (answer, true),
                Err(violation) => return Ending::Violated(violation),
            };
            if let Some(answer) = answer {
                // A move may have taken longer than any stall.
                if channel.send(answer, Instant::now() + self.stall).is_err() && !over {
                    return Ending::Vanished;
                }
                answering.record(began.elapsed().as_nanos() as u64);
            }
            let (halt, counts) = (session.trial().halted(), session.trial().counts());
            // The client has its answer before the specimen is led home.
            if let Some(halt) = halt.filter(|_| !told) {
                (told, finished) = (true, self.halt(halt, substructure));
            }
            if counts.iterated > 0 && !iterates {
                iterates = true;
                (self.news)(News::Iterates(counts.most));
            }
            if over {
                return halt.map_or(Ending::Ended, Ending::Halted);
            }
        }
    }

    /// Nothing is measured for this client any more. Whether that ends the test: the substructure is then led home, and so are all others of it.
    fn halt(&mut self, halt: Halt, substructure: &mut dyn Substructure) -> bool {
        (self.news)(News::Halted(halt));
        if halt.ends_the_test() {
            self.over.store(true, Ordering::Release);
            substructure.leave();
        }
        halt.ends_the_test()
    }

    /// The next message of a client that is waited for (`Some(true)`), for as long as a stall only, or whatever happens (`None`).
    fn next(
        &mut self,
        channel: &mut dyn Channel,
        message: &mut [u8],
        filled: &mut usize,
        wait: Option<bool>,
    ) -> Result<(), Without> {
        let (began, mut stalled) = (Instant::now(), false);
        loop {
            let came = channel.receive(message, filled, Instant::now() + LOOK);
            // Also between the messages of a client that never pauses.
            if matches!(came, Ok(()) | Err(Trouble::Late)) {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Without::Stopped);
                }
                // What has come of the message stays.
                if wait.is_some() && self.over.load(Ordering::Acquire) {
                    return Err(Without::Over(Halt::Over));
                }
            }
            match came {
                Ok(()) => {
                    if stalled {
                        (self.news)(News::Resumed);
                    }
                    return Ok(());
                }
                Err(Trouble::Late) if wait == Some(false) && began.elapsed() >= self.stall => {
                    return Err(Without::Gone);
                }
                Err(Trouble::Late) if wait.is_some() && !stalled && began.elapsed() >= self.stall => {
                    (self.news)(News::Stalled(self.on_stall));
                    if self.on_stall == OnStall::RampDown {
                        return Err(Without::Over(Halt::Stalled));
                    }
                    stalled = true;
                }
                Err(Trouble::Late) => {}
                Err(Trouble::Garbled) => return Err(Without::Garbled),
                Err(_) => return Err(Without::Gone),
            }
        }
    }
}
