//! Hardware at the other end of a wire.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

use interfield_lab::hardware::{Hardware, Interlock, Reply};

use crate::call::{Call, Reaction};
use crate::codec::Greeting;
use crate::layout::{Kind, MOST_ACTUATORS, MOST_BYTES, Refused};
use crate::statistics::Statistics;
use crate::{Heard, Link, Stopwatch};

/// How an answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As long as it takes: gone after this time without a sign of life. Lost messages are sent again, so that the numbers
    /// do not depend on them.
    LockStep(Duration),
    /// By the clock: what is not there after `wait` is stale, and after so many samples in a row the controller is gone.
    #[allow(missing_docs)]
    RealTime { wait: Duration, misses: u32 },
}

/// Between two sendings of the same message in lock-step and in the greeting.
const AGAIN: Duration = Duration::from_millis(50);

impl Pace {
    /// By the clock, waiting half of each period, gone after so many samples in a row without an answer.
    pub fn real_time(period: f64, misses: u32) -> Self {
        Pace::RealTime { wait: Duration::from_secs_f64(0.5 * period), misses }
    }

    /// Longest wait, and how long until the same is sent again.
    fn waits(self) -> (Duration, Duration) {
        match self {
            Pace::LockStep(patience) => (patience, AGAIN.min(patience)),
            Pace::RealTime { wait, .. } => (wait, wait / 3),
        }
    }
}

/// Why there is no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unconnected {
    /// Nobody answered.
    Silent,
    /// Somebody did, and refused.
    Refused(Option<Refused>),
    /// What answered does not fit.
    Unfit(Refused),
    /// There are too many actuators and sensors.
    TooMany,
    /// Somebody did, and has another key.
    OtherKey,
    /// The system refused something.
    System(String),
}

impl fmt::Display for Unconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unconnected::Silent => f.write_str("no answer"),
            Unconnected::Refused(Some(reason)) | Unconnected::Unfit(reason) => f.write_str(reason.words()),
            Unconnected::Refused(None) => f.write_str("the controller refuses for an unknown reason"),
            Unconnected::OtherKey => f.write_str("the controller has another key"),
            Unconnected::TooMany => {
                write!(f, "the protocol supports at most {MOST_ACTUATORS} actuators, transducers and load cells")
            }
            Unconnected::System(reason) => f.write_str(reason),
        }
    }
}

/// A specimen at the other end of a wire.
pub struct Remote {
    call: Call,
    link: Box<dyn Link>,
    pace: Pace,
    clock: Stopwatch,
    missed: u32,
    /// Samples without new readings.
    stale: u64,
    over: bool,
    /// What goes out with the next command.
    interlock: Interlock,
    emulated: bool,
    /// Actuators, transducers, load cells.
    counts: [usize; 3],
    /// A command, with zeros for the sensors.
    sent: Vec<f64>,
    buffer: [u8; MOST_BYTES],
}

impl Remote {
    /// Opens a session with what answers on `link`, trying for `patience`. Allocations end here.
    ///
    /// # Errors
    /// When no answer, or not what was expected.
    pub fn connect(
        link: Box<dyn Link>,
        greeting: &Greeting,
        pace: Pace,
        patience: Duration,
    ) -> Result<Self, Unconnected> {
        if greeting.actuators.len() > MOST_ACTUATORS {
            return Err(Unconnected::TooMany);
        }
        let call = Call::new(session(), greeting);
        let (clock, buffer) = (Stopwatch::start(), [0; MOST_BYTES]);
        let (interlock, counts, sent) = (Interlock::default(), greeting.counts(), vec![0.0; greeting.actuators.len()]);
        let (missed, stale, over, emulated) = (0, 0, true, false);
        let mut remote =
            Remote { call, link, pace, clock, missed, stale, over, interlock, emulated, counts, sent, buffer };
        let end = Instant::now() + patience;
        let mut next = Instant::now();
        let mut silent = Unconnected::Silent;
        while Instant::now() < end {
            if Instant::now() >= next {
                remote.link.send(remote.call.hello(clock.ns(), greeting));
                next = Instant::now() + AGAIN;
            }
            match remote.link.receive(&mut remote.buffer, end.min(next)) {
                Heard::Bytes(n) => match remote.call.hear(clock.ns(), &remote.buffer[..n]) {
                    Reaction::Welcome(welcome) => {
                        (remote.over, remote.emulated) = (false, welcome.emulated);
                        if let Some(reason) = greeting.refuses(&welcome) {
                            return Err(Unconnected::Unfit(reason));
                        }
                        let heartbeat = remote.call.short(Kind::Heartbeat, 0).to_vec();
                        let alive = remote.link.keep_alive(Box::new(move |out| out.extend_from_slice(&heartbeat)));
                        alive.map_err(|e| Unconnected::System(e.to_string()))?;
                        return Ok(remote);
                    }
                    Reaction::Refused(reason) => return Err(Unconnected::Refused(reason)),
                    _ => {}
                },
                Heard::Nothing => {}
                // Not under seal: the one with the right key may still answer.
                Heard::OtherKey => silent = Unconnected::OtherKey,
                // It may be about to start.
                Heard::Dead => std::thread::sleep(next.saturating_duration_since(Instant::now())),
            }
        }
        Err(silent)
    }

    /// What was counted so far.
    pub fn statistics(&self) -> &Statistics {
        self.call.statistics()
    }

    /// Sends the command and waits for its answer; `None` if the controller is gone.
    fn ask(&mut self, command: &[f64]) -> Option<bool> {
        self.sent.iter_mut().zip(command).for_each(|(sent, c)| *sent = *c);
        self.link.send(self.call.command(self.clock.ns(), self.interlock, &self.sent));
        let (wait, again) = self.pace.waits();
        let start = Instant::now();
        let (mut until, mut next) = (start + wait, start + again);
        let mut newer = false;
        loop {
            match self.link.receive(&mut self.buffer, until.min(next)) {
                Heard::Bytes(n) => match self.call.hear(self.clock.ns(), &self.buffer[..n]) {
                    Reaction::Answered => return Some(true),
                    Reaction::Late => newer = true,
                    Reaction::Alive if matches!(self.pace, Pace::LockStep(_)) => until = Instant::now() + wait,
                    Reaction::Stopped => return None,
                    _ => {}
                },
                Heard::Nothing | Heard::OtherKey => {}
                Heard::Dead => return None,
            }
            // After every message, so that a flood of others cannot hold the loop.
            let now = Instant::now();
            if now >= until {
                self.call.give_up();
                return Some(newer);
            }
            if now >= next {
                self.link.send(self.call.again());
                next = now + again;
            }
        }
    }

    fn end(&mut self) -> Reply {
        self.over = true;
        Reply::Gone
    }
}

impl Hardware for Remote {
    fn actuators(&self) -> usize {
        self.counts[0]
    }

    fn sensors(&self) -> [usize; 2] {
        [self.counts[1], self.counts[2]]
    }

    fn interlock(&mut self, out: Interlock) {
        self.interlock = out;
    }

    fn exchange(&mut self, _memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        if self.over {
            return Reply::Gone;
        }
        let heard = match self.ask(command) {
            None => return self.end(),
            Some(heard) => heard,
        };
        self.missed = if heard { 0 } else { self.missed + 1 };
        let patience = match self.pace {
            Pace::LockStep(_) => 1,
            Pace::RealTime { misses, .. } => misses,
        };
        if self.missed >= patience {
            self.stop();
            return Reply::Gone;
        }
        let (u, f, fresh) = self.call.readings();
        if !(heard && fresh) {
            self.stale += 1;
            return Reply::Stale;
        }
        let [actuators, transducers, _] = self.counts;
        displacement.copy_from_slice(&u[..actuators + transducers]);
        force[..actuators].copy_from_slice(&f[..actuators]);
        force[actuators..].copy_from_slice(&f[actuators + transducers..]);
        Reply::Fresh
    }

    fn emergency_stop(&self) -> bool {
        self.call.emergency_stop()
    }

    fn is_emulated(&self) -> bool {
        self.emulated
    }

    /// A stop says of itself that the drives are not needed any more.
    fn stop(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        // Nobody confirms it; three are rarely all lost, and a controller that hears none will see the silence.
        let clock = self.clock;
        (0..3).for_each(|_| self.link.send(self.call.short(Kind::Stop, clock.ns())));
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        let statistics = self.statistics();
        let counts = statistics.counts().into_iter().chain([("stale", self.stale)]).chain(self.link.counts());
        let mut all: Vec<_> = counts.map(|(name, n)| (name, n as f64)).collect();
        let trip = statistics.round_trip.summary();
        let us = |ns: u64| ns as f64 * 1e-3;
        all.extend([
            ("round_trip_p50_us", us(trip.p50)),
            ("round_trip_p99_us", us(trip.p99)),
            ("round_trip_p99_9_us", us(trip.p99_9)),
            ("round_trip_max_us", us(trip.max)),
            ("answering_p50_us", us(statistics.answering.summary().p50)),
        ]);
        all
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A number that nobody else has: the keys of the standard hasher come from the system's source of randomness.
fn session() -> u64 {
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.finish().max(1)
}
