//! A rig in real time: the controller runs in a thread of its own, woken by a clock, and the integrator posts targets to it.
//!
//! What the specimen does is decided by [`Controller::tick`] alone, sample by sample, as in a rehearsal; the clock only says
//! when. A target that is not there when its first sample is due is late, and the [`MissPolicy`] of the controller says what
//! follows. When the integrator ends, for whatever reason, the controller leads the specimen home by itself.
//!
//! [`MissPolicy`]: crate::controller::MissPolicy

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interfield_kernel::{Archive, Fault, StateError};

use crate::controller::{Controller, Progress};
use crate::realtime::mailbox::{Controller as Inbox, Integrator, Patience, Silence, mailbox};
use crate::realtime::rights::{Rights, Wish, claim};
use crate::realtime::{Clock, Histogram, Timing};
use crate::rig::{Reading, Rig, Target};
use crate::safety::Trip;

/// How a rig is paced.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Rights of the controller thread.
    pub wish: Wish,
    /// How the integrator waits for it.
    pub patience: Patience,
    /// Watchdog: longest time without a sample of the controller. How long it takes to a target is its own affair: a pause may
    /// last an hour.
    pub watchdog: Duration,
}

/// What a paced test leaves behind.
pub struct Record {
    /// The controller, with its log.
    pub controller: Controller,
    /// How well it kept its time.
    pub timing: Timing,
    /// What the system granted it.
    pub rights: Rights,
}

/// A rig whose controller lives in another thread.
pub struct Paced {
    dofs: usize,
    post: Integrator,
    row: Vec<f64>,
    watchdog: Duration,
    /// Samples of the controller so far.
    beats: Arc<AtomicU64>,
    /// Stalls on purpose that are still to come, by sample and length, and the sampling interval.
    stalls: Vec<[u64; 2]>,
    period: Duration,
    /// Number of the target that it is sent to.
    under_way: Option<u64>,
    /// From a measurement to the next target.
    compute: Histogram,
    answered: Option<Instant>,
    /// Whether the first target was reached: what follows it is the rest of the setting up, not a step.
    begun: bool,
    /// Whether the test ends before its time.
    early: bool,
    thread: Option<JoinHandle<Record>>,
    record: Option<Record>,
}

/// What a row from the integrator asks for.
const GO_THERE: f64 = 0.0;
const GO_HOME: f64 = 1.0;
const GIVE_UP: f64 = 2.0;

/// The controller does not answer.
const LOST: Fault = Fault::Laboratory { code: Trip::Watchdog.code() };

impl Paced {
    /// Starts the controller in its thread. Allocations end here.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(controller: Controller, clock: Box<dyn Clock>, pace: Pace) -> std::io::Result<Self> {
        let dofs = controller.dofs();
        let stalls = controller.stalls().iter().rev().copied().collect();
        let seconds = controller.period();
        let period = (seconds * 1e9) as u64;
        let beats = Arc::new(AtomicU64::new(0));
        let beat = Arc::clone(&beats);
        // Asked for, time of the model, displacements; and back: trip or none, then the readings.
        let (post, inbox) = mailbox(2 + dofs, 1 + Reading::COUNT * dofs, pace.patience);
        let mut turn = Turn {
            memory: vec![0.0; controller.memory()],
            answer: vec![0.0; 1 + Reading::COUNT * dofs],
            controller,
            inbox,
        };
        let mut clock = clock;
        let run = move || {
            let rights = claim(&pace.wish);
            let mut timing = Timing::new(period);
            loop {
                let tick = clock.wait();
                let over = turn.take();
                beat.fetch_add(1, Ordering::Release);
                timing.note(&tick, clock.now_ns());
                if over {
                    turn.controller.close();
                    return Record { controller: turn.controller, timing, rights };
                }
            }
        };
        let thread = std::thread::Builder::new().name("interfield-rig".into()).spawn(run)?;
        Ok(Paced {
            dofs,
            post,
            row: vec![0.0; 2 + dofs],
            watchdog: pace.watchdog,
            beats,
            stalls,
            period: Duration::from_secs_f64(seconds),
            under_way: None,
            compute: Histogram::new(Some(period)),
            answered: None,
            begun: false,
            early: false,
            thread: Some(thread),
            record: None,
        })
    }

    /// Time from a measurement to the next target.
    pub fn compute(&self) -> &Histogram {
        &self.compute
    }

    /// What the test left behind, once it is over.
    pub fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Waits for the end of the controller.
    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.record = thread.join().ok();
        }
    }
}

/// What the controller thread has.
struct Turn {
    controller: Controller,
    memory: Vec<f64>,
    inbox: Inbox,
    answer: Vec<f64>,
}

impl Turn {
    /// One sample; whether it was the last.
    fn take(&mut self) -> bool {
        let Turn { controller, memory, inbox, answer } = self;
        let alone = inbox.is_alone();
        match inbox.newest() {
            Some((number, row)) if row[0] == GO_THERE => {
                controller.aim_at(number, Target { t: row[1], u: &row[2..], v: &[] })
            }
            Some((_, row)) if row[0] == GO_HOME => controller.go_home(),
            Some(_) => controller.give_up(),
            None if alone => controller.give_up(),
            None => {}
        }
        let progress = controller.tick(memory);
        let (trip, over) = match progress {
            Progress::Busy => return controller.is_done(),
            Progress::Reached => (-1.0, false),
            Progress::Over(Fault::Laboratory { code }) => (f64::from(code), true),
            Progress::Over(_) => (f64::from(Trip::Operator.code()), true),
        };
        answer[0] = trip;
        let readings = answer.len() - 1;
        answer[1..].copy_from_slice(&memory[..readings]);
        inbox.answer(controller.number(), answer);
        over
    }
}

impl Rig for Paced {
    fn dofs(&self) -> usize {
        self.dofs
    }

    /// The readings only: the rest is in the thread.
    fn memory(&self) -> usize {
        Reading::COUNT * self.dofs
    }

    /// Its time goes on while it would be saved; what is saved is the rehearsal of the same test.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.fail(StateError::Live("a specimen that moves by the clock"));
    }

    fn set_out(&mut self, target: Target<'_>) -> Result<(), Fault> {
        if let Some(answered) = self.answered.take() {
            self.compute.record(answered.elapsed().as_nanos() as u64);
        }
        self.row[0] = GO_THERE;
        self.row[1] = target.t;
        self.row[2..].copy_from_slice(target.u);
        let beats = self.beats.load(Ordering::Acquire);
        if let Some([_, samples]) = self.stalls.pop_if(|[from, _]| self.begun && beats >= *from) {
            std::thread::sleep(self.period * u32::try_from(samples).unwrap_or(u32::MAX));
        }
        let number = self.post.post(&self.row).map_err(|_| LOST)?;
        self.under_way = Some(number);
        Ok(())
    }

    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        if self.under_way.is_none() {
            self.set_out(target)?;
        }
        let number = self.under_way.take().ok_or(LOST)?;
        let trip = loop {
            let before = self.beats.load(Ordering::Acquire);
            match self.post.wait(number, self.watchdog) {
                Ok(answer) => {
                    memory.copy_from_slice(&answer[1..]);
                    break answer[0];
                }
                // It works, and takes its time.
                Err(Silence::TimedOut) if self.beats.load(Ordering::Acquire) != before => {}
                Err(_) => return Err(LOST),
            }
        };
        self.answered = self.begun.then(Instant::now);
        self.begun = true;
        if trip < 0.0 { Ok(()) } else { Err(Fault::Laboratory { code: trip as u32 }) }
    }

    fn give_up(&mut self) {
        self.early = true;
    }

    fn turn_home(&mut self) {
        self.row[0] = if self.early { GIVE_UP } else { GO_HOME };
        let _ = self.post.post(&self.row);
    }

    fn finish(&mut self, _memory: &mut [f64]) {
        self.turn_home();
        self.join();
    }

    fn controller(&self) -> Option<&Controller> {
        self.record.as_ref().map(|r| &r.controller)
    }

    fn timing(&self) -> Option<(&Record, &Histogram)> {
        self.record.as_ref().map(|r| (r, &self.compute))
    }
}

impl Drop for Paced {
    /// Whoever forgets to finish a test does not leave a specimen under load: the thread sees that it is alone.
    fn drop(&mut self) {
        let (alone, _) = mailbox(1, 1, Patience::Park);
        drop(std::mem::replace(&mut self.post, alone));
        self.join();
    }
}
