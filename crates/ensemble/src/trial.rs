//! One run, reduced to what many runs are compared by.

use std::sync::atomic::{AtomicBool, Ordering};

use interfield_structure::Simulation;
use interfield_structure::watch::Grade;

/// Key figures of a channel over a run, in the unit of the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value of largest magnitude, with its sign.
    pub peak: f64,
    /// When that was, s.
    pub peak_time: f64,
    /// Root of the mean square of the recorded samples.
    pub rms: f64,
    /// Last value.
    pub last: f64,
    /// What remains: the mean over the second half of the free vibration after the motion; NaN without one.
    pub residual: f64,
    /// Half of the distance between the largest and the smallest value in that time; NaN without one.
    pub swing: f64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps were taken.
    Finished,
    /// A step failed, or the motion grew beyond all bounds; when and why, in words. What was recorded up to there counts.
    Fault(String),
    /// The laboratory or a program that computes a part ended it; when and why. It says nothing about the structure.
    Broken(String),
    /// It could not begin; why, in words.
    Refused(String),
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Measures of its ground motion by name, m/s².
    pub motions: Vec<(String, f64)>,
    /// Steps that were taken, and their length in s.
    pub steps: (u64, f64),
    /// Key figures of each channel; none of a run that could not begin.
    pub figures: Vec<Figure>,
    /// For each channel every so many recorded samples, as asked for.
    pub histories: Vec<Vec<f64>>,
}

impl Ending {
    /// In a word, and why; the reason of a run that finished is empty.
    pub fn word(&self) -> (&'static str, &str) {
        match self {
            Self::Finished => ("finished", ""),
            Self::Fault(why) => ("fault", why),
            Self::Broken(why) => ("broken off", why),
            Self::Refused(why) => ("refused", why),
        }
    }
}

impl Outcome {
    /// A run that could not begin.
    pub fn refused(why: String) -> Self {
        Self {
            ending: Ending::Refused(why),
            motions: Vec::new(),
            steps: (0, 0.0),
            figures: Vec::new(),
            histories: Vec::new(),
        }
    }
}

/// What of a run is wanted beside the extremes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Every so many recorded samples go into the histories; `None`: no histories.
    pub thin: Option<u64>,
    /// First step of the time over which residual values are averaged, up to the end.
    pub rest: Option<u64>,
}

/// Sum and extremes over the time at rest.
#[derive(Clone, Copy)]
struct Rest {
    sum: f64,
    min: f64,
    max: f64,
}

/// Gathers rows.
struct Gatherer {
    steps: u64,
    /// With the sum of squares in the place of the root mean square.
    figures: Vec<Figure>,
    histories: Vec<Vec<f64>>,
    rest: Vec<Rest>,
    /// Steps at rest.
    rested: u64,
}

impl Gatherer {
    fn new(channels: usize, samples: usize) -> Self {
        let none = Figure {
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            peak: 0.0,
            peak_time: 0.0,
            rms: 0.0,
            last: 0.0,
            residual: f64::NAN,
            swing: f64::NAN,
        };
        Self {
            steps: 0,
            figures: vec![none; channels],
            histories: vec![Vec::with_capacity(samples); channels],
            rest: vec![Rest { sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }; channels],
            rested: 0,
        }
    }

    /// A step.
    fn push(&mut self, t: f64, row: &[f64]) {
        for (f, &x) in self.figures.iter_mut().zip(row) {
            (f.min, f.max, f.last, f.rms) = (f.min.min(x), f.max.max(x), x, f.rms + x * x);
            if x.abs() > f.peak.abs() {
                (f.peak, f.peak_time) = (x, t);
            }
        }
        self.steps += 1;
    }

    /// A step at rest.
    fn rest(&mut self, row: &[f64]) {
        for (r, &x) in self.rest.iter_mut().zip(row) {
            (r.sum, r.min, r.max) = (r.sum + x, r.min.min(x), r.max.max(x));
        }
        self.rested += 1;
    }

    /// A step that goes into the histories.
    fn keep(&mut self, row: &[f64]) {
        self.histories.iter_mut().zip(row).for_each(|(h, x)| h.push(*x));
    }

    fn finish(mut self, ending: Ending, dt: f64) -> Outcome {
        for (f, r) in self.figures.iter_mut().zip(&self.rest) {
            f.rms = (f.rms / self.steps.max(1) as f64).sqrt();
            // What is left of a run that stopped is no residual value.
            if self.rested > 0 && ending == Ending::Finished {
                (f.residual, f.swing) = (r.sum / self.rested as f64, 0.5 * (r.max - r.min));
            }
        }
        if self.steps == 0 {
            self.figures.clear();
        }
        let steps = (self.steps.saturating_sub(1), dt);
        Outcome { ending, motions: Vec::new(), steps, figures: self.figures, histories: self.histories }
    }
}

/// Number of rows that a model records.
pub fn rows(steps: u64, every: u64) -> u64 {
    steps.div_ceil(every.max(1)) + 1
}

/// Runs a machine to its end. Each recorded row is shown to `row`, which may end it all by an error. `Ok(None)`: `stop` was set.
pub fn run<E>(
    machine: &mut Simulation,
    wanted: Wanted,
    stop: &AtomicBool,
    mut row: impl FnMut(f64, &[f64]) -> Result<(), E>,
) -> Result<Option<Outcome>, E> {
    let model = machine.model.clone();
    let (dt, every) = (model.analysis.dt, model.every.max(1));
    // Histories have common times: the last row of a run, which may stand between two of them, is not among them.
    let kept = wanted.thin.map(|thin| every * thin.max(1));
    let names: Vec<String> = model.channels.iter().map(|c| c.name.clone()).collect();
    let steps = machine.steps();
    let mut values = vec![0.0; names.len()];
    let mut gathered = Gatherer::new(names.len(), kept.map_or(0, |kept| (steps / kept) as usize + 1));
    let mut done = 0u64;
    let watched = machine.watch();
    let ending = loop {
        let t = done as f64 * dt;
        if let Err(fault) = watched {
            break Ending::Fault(format!("at t = 0 s: {}", machine.explain(fault)));
        }
        if let Err(fault) = machine.sample(done, &mut values) {
            break Ending::Fault(format!("at t = {t:.6} s: {}", machine.explain(fault)));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            break Ending::Fault(format!("at t = {t:.6} s: channel `{}` is {}", names[i], values[i]));
        }
        // Figures are those of all steps, whatever is recorded of them.
        gathered.push(t, &values);
        if done.is_multiple_of(every) || done == steps {
            row(t, &values)?;
        }
        if kept.is_some_and(|kept| done.is_multiple_of(kept)) {
            gathered.keep(&values);
        }
        if wanted.rest.is_some_and(|rest| done >= rest) {
            gathered.rest(&values);
        }
        // A run that is worth nothing must not count as one.
        if let Some(reason) = machine.lost() {
            break Ending::Fault(reason);
        }
        if done == steps {
            let failed = machine.verdict().filter(|v| v.grade == Grade::Failed);
            break failed.map_or(Ending::Finished, |v| Ending::Fault(v.reasons.join("; ")));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if let Err(fault) = machine.step(done) {
            let why = format!("at t = {t:.6} s (step {}): {}", done + 1, machine.explain(fault));
            break if machine.came_from_outside(fault) { Ending::Broken(why) } else { Ending::Fault(why) };
        }
        done += 1;
    };
    Ok(Some(gathered.finish(ending, dt)))
}
