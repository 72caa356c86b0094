//! The viaduct of 88 unknowns at 1 kHz of the wall clock, beside a busy core: coupled in one thread, and with two of its piers
//! on a rig whose controller has a thread of its own.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use interfield_kernel::Fault;
use interfield_lab::controller::Controller;
use interfield_lab::paced::{Pace, Paced};
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::Request;
use interfield_lab::realtime::{Clock, Histogram, Schedule, Summary, Tape, TapeOptions, Timing, WallClock, WhenLate};
use interfield_lab::rig::{Rig, Target};
use interfield_language::Model;
use interfield_language::parse::Overrides;
use interfield_language::specimen::Specimen;
use interfield_structure::Simulation;
use interfield_structure::specimen::Workshop;
use interfield_testkit::alloc::{count, count_everywhere};
use interfield_testkit::run::read_with;

use crate::couplings::VIADUCT;
use crate::realtime::{Busy, Nowhere, PERIOD, PRIORITY, SPIN, core, cyclictest, in_real_time, missing, tails, us};
use crate::{Bar, Bench, Row};

const CASE: &str = "viaduct-1kHz";

/// Two piers with their isolators in the laboratory; perfect actuators, because the loop is what is measured.
const PIERS: &str = r#"
[[specimen]]
name = "piers"
elements = ["column9", "isolator9", "column11", "isolator11"]
rate = "1 kHz"
late = "extrapolate"
"#;

/// Arithmetic without memory, and nothing else: what disturbs it is the machine.
fn arithmetic(turns: u64) -> f64 {
    (0..turns).fold(1.0, |x: f64, n| std::hint::black_box(x.mul_add(0.999, n as f64)))
}

/// Turns of [`arithmetic`] that last so many ns: the best of several tries.
fn turns_for(ns: u64) -> u64 {
    const TRIED: u64 = 10_000;
    let once = |_| {
        let begin = Instant::now();
        std::hint::black_box(arithmetic(TRIED));
        begin.elapsed().as_nanos() as u64
    };
    TRIED * ns / (0..20).map(once).min().unwrap_or(1).max(1)
}

/// Every millisecond a step.
fn read(text: &str, scheme: Option<&str>, seconds: usize) -> Model {
    let (dt, duration) = (Some("1 ms".into()), Some(format!("{} s", seconds + 1)));
    let tangent = scheme.map(|_| "initial".to_owned());
    let overrides = Overrides { dt, duration, tangent, scheme: scheme.map(str::to_owned), ..Overrides::default() };
    read_with("bench.toml", text, &overrides)
}

/// What a rig says when it is taken down.
pub(crate) struct ProgramLog {
    pub(crate) timing: Timing,
    pub(crate) refused: String,
    /// From a measurement to the next target.
    pub(crate) compute: Histogram,
    /// Samples, those not recorded, those without a target in time.
    pub(crate) counts: [u64; 3],
}

/// Mounts controllers on the wall clock.
pub(crate) struct OnTheWall {
    pub(crate) tell: mpsc::Sender<ProgramLog>,
    pub(crate) core: usize,
}

impl Workshop for OnTheWall {
    fn mount(&mut self, specimen: &Specimen, controller: Controller) -> Result<Box<dyn Rig>, String> {
        let schedule = Schedule::new(specimen.period, WhenLate::Skip)?;
        let rights = Request { priority: Some(PRIORITY), ..Request::all(self.core) };
        let pace = Pace { rights, patience: Patience::Park, watchdog: Duration::from_secs(1) };
        let paced = Paced::start(controller, Box::new(WallClock::new(schedule, SPIN)), pace);
        Ok(Box::new(Telling { paced: paced.map_err(|e| e.to_string())?, tell: self.tell.clone() }))
    }
}

/// A rig that tells how it went.
struct Telling {
    paced: Paced,
    tell: mpsc::Sender<ProgramLog>,
}

impl Rig for Telling {
    fn dofs(&self) -> usize {
        self.paced.dofs()
    }

    fn memory(&self) -> usize {
        self.paced.memory()
    }

    fn set_out(&mut self, target: Target<'_>) -> Result<(), Fault> {
        self.paced.set_out(target)
    }

    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        self.paced.exchange(memory, target)
    }

    fn finish(&mut self, memory: &mut [f64]) {
        self.paced.finish(memory);
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.paced.finish(&mut []);
        if let Some((log, kept)) = self.paced.log().zip(self.paced.timing()) {
            let told = ProgramLog {
                timing: kept.timing,
                refused: missing(&kept.rights),
                compute: kept.compute,
                counts: log.counts,
            };
            self.tell.send(told).ok();
        }
    }
}

impl Bench {
    pub(crate) fn seconds(&self) -> usize {
        if self.quick() { 6 } else { 60 }
    }

    /// Both loops, and `cyclictest` before them.
    pub(crate) fn viaduct(&self) -> Result<Vec<Row>, String> {
        let _busy = Busy::new();
        let peer = cyclictest(self.seconds() * 1000 / 6);
        let mut rows = self.macro_steps(&peer)?;
        rows.extend(self.piers(&peer)?);
        Ok(rows)
    }

    fn wake_up_row(&self, of: &str, timing: &Timing, peer: &Result<Summary, String>) -> Row {
        let late = timing.wake_up.summary();
        let mut note = tails(&late);
        if let Ok(peer) = peer {
            note += &format!("; cyclictest {}", tails(peer));
        }
        let what = format!("{of}: late by p99 / cyclictest in the same minute");
        let other = peer.as_ref().map(|p| us(p.p99)).map_err(Clone::clone);
        Row { case: CASE, what, unit: "us", ours: us(late.p99), other, bar: Bar::None, note }
    }

    /// The viaduct cut at its isolators, one macro-step per millisecond of the wall clock, beside a busy core.
    fn macro_steps(&self, peer: &Result<Summary, String>) -> Result<Vec<Row>, String> {
        let seconds = self.seconds();
        let ticks = seconds * 1000;
        let text = VIADUCT.replace("memory = \"path\"", "memory = \"state\"");
        let model = read(&text, None, seconds);
        let mut parts =
            Simulation::new(model).map_err(|p| p.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("; "))?;
        let mut out = vec![0.0; parts.model.channels.len()];
        let schedule = Schedule::new(PERIOD, WhenLate::Skip)?;
        let period_ns = schedule.period_ns();
        let mut clock = WallClock::new(schedule, SPIN);
        let sink = Nowhere { stalled: Arc::default() };
        let mut tape = Tape::new(out.len(), sink, TapeOptions::default()).map_err(|e| e.to_string())?;
        let (rights, result) = in_real_time(PRIORITY, move || -> Result<_, String> {
            let mut step = |k: u64| {
                parts.step(k).and_then(|()| parts.sample(k + 1, &mut out)).map_err(|fault| parts.explain(fault))?;
                tape.record((k + 1) as f64 * PERIOD, &out);
                Ok::<_, String>(())
            };
            let warm_up = 500;
            let begin = Instant::now();
            (0..warm_up).try_for_each(&mut step)?;
            let turns = turns_for(begin.elapsed().as_nanos() as u64 / warm_up);

            let mut timing = Timing::new(period_ns);
            let mut bare = Histogram::new(None);
            let before = count();
            for k in warm_up..warm_up + ticks as u64 {
                let tick = clock.wait();
                step(k)?;
                let end = clock.now_ns();
                timing.note(&tick, end);
                std::hint::black_box(arithmetic(turns));
                bare.record(clock.now_ns() - end);
            }
            let allocations = count() - before;
            Ok((timing, bare.summary(), allocations, tape.finish(Duration::from_secs(10)).dropped))
        })?;
        let (timing, bare, allocations, dropped) = result?;
        let compute = timing.compute.summary();
        let note = format!(
            "{}; {seconds} s, {} late or left out, {allocations} allocations, {dropped} rows dropped{}; bare arithmetic in \
             the same periods {}",
            tails(&compute),
            timing.missed + timing.overrun,
            missing(&rights),
            tails(&bare)
        );
        let what = "macro-step p99.99 / bare arithmetic of that length".to_owned();
        let (other, bar) = (Ok(us(bare.p99_99)), Bar::Below(100.0));
        let first = Row { case: CASE, what, unit: "us", ours: us(compute.p99_99), other, bar, note };
        Ok(vec![first, self.wake_up_row("macro-steps", &timing, peer)])
    }

    /// Integrator and controller each in a thread of its own, on the same core.
    fn piers(&self, peer: &Result<Summary, String>) -> Result<Vec<Row>, String> {
        let seconds = self.seconds();
        let whole = VIADUCT.split("[record]").next().unwrap_or_default();
        let model = read(&format!("{whole}{PIERS}"), Some("newmark"), seconds);
        let (tell, told) = mpsc::channel();
        let core = core();
        // Below the controller: the measurement comes first. Rights before the rig: locking memory takes a while, during
        // which a controller that is under way would miss its targets.
        let (rights, allocations) = in_real_time(PRIORITY - 1, move || {
            let mut simulation = Simulation::in_workshop(model.in_one_piece(), &mut OnTheWall { tell, core })
                .map_err(|p| p.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("; "))?;
            let mut step = |k| simulation.step(k).map_err(|fault| simulation.explain(fault));
            (0..500).try_for_each(&mut step)?;
            let before = count_everywhere();
            (500..500 + 1000 * seconds as u64).try_for_each(step)?;
            Ok::<_, String>(count_everywhere() - before)
        })?;
        let allocations = allocations?;
        let ProgramLog { timing, refused, compute, counts: [samples, _, late] } =
            told.recv().map_err(|_| "the controller told nothing")?;
        let compute = compute.summary();
        let note = format!(
            "{}; {seconds} s, {samples} samples, {late} without a target in time, {} periods missed, {allocations} \
             allocations{}{refused}; the controller's own work {}",
            tails(&compute),
            timing.missed,
            missing(&rights),
            tails(&timing.compute.summary())
        );
        let what = "piers on a rig: measurement to target, p99.99".to_owned();
        let (other, bar) = (Err(String::new()), Bar::Below(100.0));
        let first = Row { case: CASE, what, unit: "us", ours: us(compute.p99_99), other, bar, note };
        Ok(vec![first, self.wake_up_row("piers on a rig", &timing, peer)])
    }
}
