//! Nonlinear frames beside OpenSees, a tower of 2,040 fibre members, and a fibre frame at 1 kHz of the wall clock.
//!
//! Speeds are steps per second of processor time, ours and the peer's, so that a busy machine does not decide; errors are those of the
//! sway of the roof against Newton's iteration with a step 16 times finer.

use std::time::Instant;

use interfield_lab::realtime::{Clock, Histogram, Schedule, Timing, WallClock, WhenLate};
use interfield_language::Model;
use interfield_testkit::alloc::{count, count_everywhere};
use interfield_testkit::fibre_frames::{Run, rc_frame, steel_frame, tower};
use interfield_testkit::run::read;
use serde_json::Value;

use crate::realtime::{PERIOD, PRIORITY, SPIN, in_real_time, missing, tails, us};
use crate::{Bar, Bench, Errors, Row, advance, median, real, start};

const CASE: &str = "frames";
/// Step of both programs, s.
const DT: f64 = 0.01;
/// How much finer the reference is.
const FINE: usize = 16;
/// Steps between samples.
const EVERY: usize = 5;

/// Processor time of this thread, s; wall time where the system does not say it.
pub(crate) fn processor_time() -> f64 {
    use std::sync::OnceLock;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    // What runs is counted when it yields.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// Seconds of `steps` steps after a first one, and the sway of the roof at each `every`-th.
fn shaken(model: &Model, steps: usize, every: usize, roof: &str) -> Result<(f64, Vec<f64>), String> {
    let mut simulation = start(model.clone())?;
    let at = simulation.unknowns(0).position(|name| name == roof).ok_or("the frame has no roof")?;
    let mut history = Vec::with_capacity(steps / every + 1);
    advance(&mut simulation, 0)?;
    let begin = processor_time();
    for k in 1..steps {
        advance(&mut simulation, k)?;
        if (k + 1).is_multiple_of(every) {
            history.push(simulation.y(0)[at]);
        }
    }
    Ok((processor_time() - begin, history))
}

/// A frame of the comparison.
struct Frame {
    name: &'static str,
    what: &'static str,
    roof: &'static str,
    text: fn(Run<'_>) -> String,
}

const FRAMES: [Frame; 2] = [
    Frame { name: "rc", what: "RC 3 x 10, columns of 5 x 40 fibres", roof: "n10_0.x", text: rc_frame },
    Frame { name: "steel", what: "steel 3 x 5, members of 5 x 10 fibres", roof: "n5_0.x", text: steel_frame },
];

/// Our schemes beside the algorithms of OpenSees; all are Newmark's average acceleration.
const PAIRS: [(&str, &str, &str); 2] =
    [("newton", "Newton", "{ name = \"newmark-newton\", tolerance = 1e-8 }"), ("linear", "one pass", "\"newmark\"")];

impl Bench {
    pub(crate) fn frames(&self) -> Result<Vec<Row>, String> {
        let mut rows = Vec::new();
        for frame in &FRAMES {
            rows.extend(self.beside_opensees(frame)?);
        }
        rows.push(self.tower()?);
        rows.extend(self.frame_in_real_time()?);
        Ok(rows)
    }

    /// Steps per second and error of both programs.
    fn beside_opensees(&self, frame: &Frame) -> Result<Vec<Row>, String> {
        let steps = if self.quick() { 200 } else { 1500 };
        let run = |scheme, dt, steps| Run { scheme, formulation: "force", dt, steps };
        let iterated = |dt, steps| Run {
            formulation: "force-iterated",
            ..run("{ name = \"newmark-newton\", tolerance = 1e-10 }", dt, steps)
        };
        let fine = read(&(frame.text)(iterated(DT / FINE as f64, FINE * steps)));
        let reference = shaken(&fine, FINE * steps, FINE * EVERY, frame.roof)?.1;
        let largest = reference.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = |history: &[f64]| {
            let gap = |(a, b): (&f64, &f64)| (a - b).abs() / largest;
            Errors {
                end: reference.last().zip(history.last()).map_or(f64::NAN, gap),
                largest: reference.iter().zip(history).map(gap).fold(0.0, f64::max),
            }
        };
        let mut rows = Vec::new();
        for (algorithm, words, scheme) in PAIRS {
            let model = read(&(frame.text)(run(scheme, DT, steps)));
            let args = [frame.name, algorithm, &steps.to_string(), &DT.to_string(), &EVERY.to_string()];
            let args = args.map(str::to_owned);
            let (mut ours, mut theirs) = (f64::INFINITY, Err(String::new()));
            let (mut history, mut peer) = (Vec::new(), Vec::new());
            // In turns, the best of each: whatever disturbs makes slower.
            for _ in 0..if self.quick() { 2 } else { 5 } {
                let (seconds, sway) = shaken(&model, steps, EVERY, frame.roof)?;
                (ours, history) = (f64::min(ours, seconds), sway);
                let told = self.script("opensees_fibre_frames.py", &args);
                let told = told.and_then(|v| {
                    let sway = v["history"].as_array().map(|h| h.iter().filter_map(Value::as_f64).collect());
                    peer = sway.unwrap_or_default();
                    real(&v, "cpu")
                });
                theirs = match (theirs, told) {
                    (Ok(best), Ok(now)) => Ok(f64::min(best, now)),
                    (Ok(best), Err(_)) => Ok(best),
                    (Err(_), now) => now,
                };
            }
            let speed = |seconds: f64| (steps - 1) as f64 / seconds;
            let (mine, other) = (error(&history), error(&peer));
            let exact = mine.largest <= 1.01 * other.largest;
            let mut note = format!("error {mine}");
            if theirs.is_ok() {
                let apart = history.iter().zip(&peer).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / largest;
                note += &format!(", OpenSees {other}; {apart:.1e} apart");
            }
            rows.push(Row {
                case: CASE,
                what: format!("{}, {words}", frame.what),
                unit: "steps/s",
                ours: speed(ours),
                other: theirs.map(speed),
                bar: Bar::FasterAsExact(10.0, exact),
                note,
            });
        }
        Ok(rows)
    }

    /// Median time of a step of the tower.
    fn tower(&self) -> Result<Row, String> {
        let steps = if self.quick() { 40 } else { 300 };
        let begin = Instant::now();
        let model = read(&tower(Run { scheme: "\"newmark\"", formulation: "force", dt: DT, steps }));
        let elements = model.elements.len();
        let mut simulation = start(model)?;
        let ready = begin.elapsed().as_secs_f64();
        let mut times = Vec::with_capacity(steps);
        let mut before = 0;
        for k in 0..steps {
            if k == 2 {
                before = count_everywhere();
            }
            let begin = Instant::now();
            advance(&mut simulation, k)?;
            times.push(1e3 * begin.elapsed().as_secs_f64());
        }
        let allocations = count_everywhere() - before;
        let best = times.iter().fold(f64::INFINITY, |m, t| m.min(*t));
        let note = format!(
            "{elements} members of 3 x 24 fibres, {} unknowns, two passes; best {best:.2} ms, ready with gravity in {ready:.1} s, \
             {allocations} allocations; {}",
            simulation.y(0).len() / 2,
            simulation.solver(0).map(|s| s.to_string()).unwrap_or_default()
        );
        let what = "40 storeys in space, one pass, median".to_owned();
        let (other, bar) = (Err(String::new()), Bar::Below(10.0));
        Ok(Row { case: CASE, what, unit: "ms/step", ours: median(&mut times), other, bar, note })
    }

    /// The concrete frame, one step per millisecond of the wall clock, on one core.
    fn frame_in_real_time(&self) -> Result<Vec<Row>, String> {
        let seconds = if self.quick() { 6 } else { 60 };
        let (warm_up, ticks) = (500, 1000 * seconds);
        let run = Run { scheme: "\"alpha-os\"", formulation: "force", dt: PERIOD, steps: warm_up + ticks };
        let mut simulation = start(read(&rc_frame(run)))?;
        let schedule = Schedule::new(PERIOD, WhenLate::Skip)?;
        let period_ns = schedule.period_ns();
        let mut clock = WallClock::new(schedule, SPIN);
        let (rights, result) = in_real_time(PRIORITY, move || -> Result<_, String> {
            (0..warm_up).try_for_each(|k| advance(&mut simulation, k))?;
            let mut timing = Timing::new(period_ns);
            let mut compute = Histogram::new(None);
            let before = count();
            for k in warm_up..warm_up + ticks {
                let tick = clock.wait();
                let begin = clock.now_ns();
                advance(&mut simulation, k)?;
                let end = clock.now_ns();
                compute.record(end - begin);
                timing.note(&tick, end);
            }
            Ok((timing, compute.summary(), count() - before))
        })?;
        let (timing, compute, allocations) = result?;
        let note = format!(
            "{}; {seconds} s at 1 kHz, alpha-os, one core, {} late or left out, {allocations} allocations{}; woken late by {}",
            tails(&compute),
            timing.missed + timing.overrun,
            missing(&rights),
            tails(&timing.wake_up.summary())
        );
        let what = "RC 3 x 10 at 1 kHz: worst step / median".to_owned();
        let (other, bar) = (Ok(us(compute.p50)), Bar::Below(1000.0));
        Ok(vec![Row { case: CASE, what, unit: "us", ours: us(compute.max), other, bar, note }])
    }
}
