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
use crate::realtime::mailbox::{self, Integrator, Patience, Silence, mailbox};
use crate::realtime::rights::{Request, Rights, claim};
use crate::realtime::{Clock, Histogram, Timing};
use crate::rig::{LoopTiming, Rig, Target, TestLog};
use crate::safety::Trip;

/// How a rig is paced.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Rights of the controller thread.
    pub rights: Request,
    /// How the integrator waits for it.
    pub patience: Patience,
    /// Watchdog: longest time without a sample of the controller. How long it takes to a target is its own affair: a pause may
    /// last an hour.
    pub watchdog: Duration,
}

/// What the thread leaves behind.
struct Ended {
    controller: Controller,
    timing: Timing,
    rights: Rights,
}

/// A rig whose controller lives in another thread.
pub struct Paced {
    dofs: usize,
    inner: usize,
    post: Post,
    watchdog: Duration,
    /// Samples of the controller so far.
    beats: Arc<AtomicU64>,
    /// Stalls on purpose that are still to come, by sample and length, and the sampling interval.
    stalls: Vec<[u64; 2]>,
    period: Duration,
    nowhere: Vec<f64>,
    /// Number of the target that it is sent to.
    under_way: Option<u64>,
    /// From a measurement to the next target.
    compute: Histogram,
    answered: Option<Instant>,
    /// Whether the first target was reached: what follows it is the rest of the setting up, not a step.
    begun: bool,
    /// Whether the test ends before its time.
    early: bool,
    thread: Option<JoinHandle<Ended>>,
    ended: Option<Ended>,
}

/// What the integrator asks for.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// To the displacements of the row, at this time of the model, s.
    GoThere(f64),
    GoHome,
    GiveUp,
}

/// What the controller answers, with its readings: reached, or why the test is over.
type Answer = Result<(), Fault>;
type Post = Integrator<Order, Answer>;
type Inbox = mailbox::Controller<Order, Answer>;

/// The controller does not answer.
const LOST: Fault = Trip::Watchdog.fault(None);

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
        let (inner, readings) = (controller.inner(), controller.readings());
        let (post, inbox) = mailbox(dofs, readings, pace.patience);
        let mut turn = Turn { memory: vec![0.0; controller.memory()], controller, inbox };
        let mut clock = clock;
        let run = move || {
            let rights = claim(&pace.rights);
            let mut timing = Timing::new(period);
            loop {
                let tick = clock.wait();
                let over = turn.take();
                beat.fetch_add(1, Ordering::Release);
                let end = clock.now_ns();
                timing.note(&tick, end);
                turn.controller.keep_time(&tick, end, timing.missed);
                if over {
                    turn.controller.close();
                    return Ended { controller: turn.controller, timing, rights };
                }
            }
        };
        let thread = std::thread::Builder::new().name("interfield-rig".into()).spawn(run)?;
        Ok(Paced {
            dofs,
            inner,
            post,
            watchdog: pace.watchdog,
            beats,
            stalls,
            period: Duration::from_secs_f64(seconds),
            nowhere: vec![0.0; dofs],
            under_way: None,
            compute: Histogram::new(Some(period)),
            answered: None,
            begun: false,
            early: false,
            thread: Some(thread),
            ended: None,
        })
    }

    /// Waits for the end of the controller.
    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.ended = thread.join().ok();
        }
    }
}

/// What the controller thread has.
struct Turn {
    controller: Controller,
    memory: Vec<f64>,
    inbox: Inbox,
}

impl Turn {
    /// One sample; whether it was the last.
    fn take(&mut self) -> bool {
        let Turn { controller, memory, inbox } = self;
        let alone = inbox.is_alone();
        match inbox.newest() {
            Some((number, Order::GoThere(t), u)) => controller.aim_at(number, Target { t, u, v: &[] }),
            Some((_, Order::GoHome, _)) => controller.go_home(),
            Some((_, Order::GiveUp, _)) => controller.give_up(),
            None if alone => controller.give_up(),
            None => {}
        }
        let progress = controller.tick(memory);
        let answer = match progress {
            Progress::Busy => return controller.is_done(),
            Progress::Reached => Ok(()),
            Progress::Over(fault) => Err(fault),
        };
        inbox.answer(controller.number(), answer, &memory[..controller.readings()]);
        answer.is_err()
    }
}

impl Rig for Paced {
    fn dofs(&self) -> usize {
        self.dofs
    }

    fn inner(&self) -> usize {
        self.inner
    }

    /// The readings only: the rest is in the thread.
    fn memory(&self) -> usize {
        self.readings()
    }

    /// Its time goes on while it would be saved; what is saved is the rehearsal of the same test.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.fail(StateError::Live("a specimen that moves in real time"));
    }

    fn set_out(&mut self, target: Target<'_>) -> Result<(), Fault> {
        if let Some(answered) = self.answered.take() {
            self.compute.record(answered.elapsed().as_nanos() as u64);
        }
        let beats = self.beats.load(Ordering::Acquire);
        if let Some([_, samples]) = self.stalls.pop_if(|[from, _]| self.begun && beats >= *from) {
            std::thread::sleep(self.period * u32::try_from(samples).unwrap_or(u32::MAX));
        }
        let number = self.post.post(Order::GoThere(target.t), target.u).map_err(|_| LOST)?;
        self.under_way = Some(number);
        Ok(())
    }

    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        if self.under_way.is_none() {
            self.set_out(target)?;
        }
        let number = self.under_way.take().ok_or(LOST)?;
        let answer = loop {
            let before = self.beats.load(Ordering::Acquire);
            match self.post.wait(number, self.watchdog) {
                Ok((answer, readings)) => {
                    memory.copy_from_slice(readings);
                    break answer;
                }
                // It works, and takes its time.
                Err(Silence::TimedOut) if self.beats.load(Ordering::Acquire) != before => {}
                Err(_) => return Err(LOST),
            }
        };
        self.answered = self.begun.then(Instant::now);
        self.begun = true;
        answer
    }

    fn give_up(&mut self) {
        self.early = true;
    }

    fn turn_home(&mut self) {
        // Nobody goes anywhere with these numbers.
        let order = if self.early { Order::GiveUp } else { Order::GoHome };
        let _ = self.post.post(order, &self.nowhere);
    }

    fn finish(&mut self, _memory: &mut [f64]) {
        self.turn_home();
        self.join();
    }

    fn log(&self) -> Option<TestLog> {
        self.ended.as_ref()?.controller.log()
    }

    fn timing(&self) -> Option<LoopTiming> {
        let Ended { timing, rights, .. } = self.ended.as_ref()?;
        Some(LoopTiming { timing: timing.clone(), rights: rights.clone(), compute: self.compute.clone() })
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
