//! Hosts hardware for whoever calls: the controller end of a wire, one session after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use interfield_lab::hardware::{Hardware, Interlock, Reply};

use crate::codec::{Greeting, Shown};
use crate::layout::MOST_BYTES;
use crate::station::{Event, Station};
use crate::statistics::Statistics;
use crate::{Dock, Heard, Stopwatch};

/// A client that sent neither command nor heartbeat for so long is dead; clients send a heartbeat every quarter second.
pub const SILENCE: Duration = Duration::from_secs(2);

/// How often the request to stop is looked at while nothing comes.
const LOOK: Duration = Duration::from_millis(100);

/// Most samples that are held in place of commands that never came: more is not a loss but nonsense.
const MOST_HELD: u64 = 10_000;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// A test has the specimen.
    Opened,
    /// It ended its session.
    Closed,
    /// It vanished.
    Vanished,
    /// The hardware itself is gone.
    Broken,
}

/// What was done in all sessions.
#[derive(Clone, Debug)]
pub struct Hosted {
    /// Sessions.
    pub sessions: u64,
    /// Counts and times of all of them.
    pub statistics: Statistics,
    /// What the transport counted, by name.
    pub transport: Vec<(&'static str, u64)>,
    /// Whether it ended because it was asked to, not because a test was over.
    pub interrupted: bool,
}

/// What is hosted.
pub struct Host<'a> {
    /// What is said of it.
    pub offer: Greeting,
    /// Makes the hardware of a session: every test gets a specimen that nobody has moved.
    pub open: &'a mut dyn FnMut() -> Result<Box<dyn Hardware>, String>,
    /// Hears what happens.
    pub news: &'a mut dyn FnMut(News),
    /// Set by others to end it.
    pub stop: &'a AtomicBool,
    /// Whether it waits for the next test when one is over.
    pub keep: bool,
}

/// Hardware in use, with its memory and what it showed last.
struct Bench {
    hardware: Box<dyn Hardware>,
    memory: Vec<f64>,
    command: Vec<f64>,
    displacement: Vec<f64>,
    force: Vec<f64>,
    /// Both as a message has them, with zeros where an instrument measures nothing.
    told: [Vec<f64>; 2],
}

impl Bench {
    fn new(hardware: Box<dyn Hardware>) -> Self {
        let (n, [transducers, load_cells]) = (hardware.actuators(), hardware.sensors());
        let [command, displacement, force] = [n, n + transducers, n + load_cells].map(|n| vec![0.0; n]);
        let told = [(); 2].map(|()| vec![0.0; n + transducers + load_cells]);
        Bench { memory: vec![0.0; hardware.memory()], hardware, command, displacement, force, told }
    }

    /// One sample per command; the last command holds for those that never came.
    fn take(&mut self, command: &[f64], interlock: Interlock, missed: u64) -> Reply {
        for _ in 0..missed.min(MOST_HELD) {
            self.sample();
        }
        self.command.iter_mut().zip(command).for_each(|(own, c)| *own = *c);
        self.hardware.interlock(interlock);
        let reply = self.sample();
        let (n, seen) = (self.command.len(), self.displacement.len());
        self.told[0][..seen].copy_from_slice(&self.displacement);
        self.told[1][..n].copy_from_slice(&self.force[..n]);
        self.told[1][seen..].copy_from_slice(&self.force[n..]);
        reply
    }

    fn sample(&mut self) -> Reply {
        self.hardware.exchange(&mut self.memory, &self.command, &mut self.displacement, &mut self.force)
    }
}

impl Drop for Bench {
    /// However a session ends: the drives are not needed any more.
    fn drop(&mut self) {
        self.hardware.interlock(Interlock::default());
        self.hardware.stop();
    }
}

impl Host<'_> {
    /// Answers until a test is over (or for ever), or until it is asked to stop.
    ///
    /// # Errors
    /// When the hardware of a session cannot be had: a sentence.
    pub fn serve(self, dock: &mut dyn Dock) -> Result<Hosted, String> {
        let patience = dock.silence_is_death().then_some(SILENCE.as_nanos() as u64);
        let mut station = Station::new(self.offer, patience);
        let clock = Stopwatch::start();
        let mut buffer = [0; MOST_BYTES];
        let mut bench: Option<Bench> = None;
        let mut sessions = 0;
        loop {
            let interrupted = self.stop.load(Ordering::Relaxed);
            if interrupted {
                if let Some(bytes) = station.stop(clock.ns()) {
                    dock.send(bytes);
                }
                return Ok(Hosted {
                    sessions,
                    statistics: station.statistics().clone(),
                    transport: dock.counts(),
                    interrupted,
                });
            }
            let heard = dock.receive(&mut buffer, Instant::now() + LOOK);
            let now = clock.ns();
            if station.is_open() && (heard == Heard::Dead || station.expire(now)) {
                station.stop(now);
                bench = None;
                (self.news)(News::Vanished);
            }
            let Heard::Bytes(n) = heard else { continue };
            match station.hear(now, &buffer[..n]) {
                Event::Ignored => {}
                Event::Answer => dock.answer(station.outgoing()),
                Event::Opened => {
                    dock.adopt();
                    let opened = bench.insert(Bench::new((self.open)()?));
                    sessions += 1;
                    dock.answer(station.welcome(now, opened.hardware.is_emulated()));
                    (self.news)(News::Opened);
                }
                Event::Move { missed } => {
                    let Some(b) = &mut bench else { continue };
                    let reply = b.take(station.command(), station.interlock(), missed);
                    if reply == Reply::Gone {
                        if let Some(bytes) = station.stop(clock.ns()) {
                            dock.answer(bytes);
                        }
                        bench = None;
                        (self.news)(News::Broken);
                    } else {
                        let emergency_stop = b.hardware.emergency_stop();
                        let shown = Shown { fresh: reply == Reply::Fresh, emergency_stop };
                        dock.answer(station.answer(clock.ns(), shown, &b.told[0], &b.told[1]));
                    }
                }
                Event::Closed => {
                    bench = None;
                    (self.news)(News::Closed);
                    if !self.keep {
                        let statistics = station.statistics().clone();
                        return Ok(Hosted { sessions, statistics, transport: dock.counts(), interrupted: false });
                    }
                }
            }
        }
    }
}
