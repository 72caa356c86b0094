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
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps were taken.
    Finished,
    /// A step failed; when and why, in words. What was recorded up to there counts.
    Fault(String),
    /// It could not begin; why, in words.
    Refused(String),
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Measures of its ground motion, in the order in which the caller asked for them; NaN where there is none.
    pub intensities: Vec<f64>,
    /// Key figures of each channel; none of a run that could not begin.
    pub figures: Vec<Figure>,
    /// For each channel every so many recorded samples, as asked for.
    pub histories: Vec<Vec<f64>>,
}

impl Outcome {
    /// A run that could not begin.
    pub fn refused(why: String) -> Self {
        Self { ending: Ending::Refused(why), intensities: Vec::new(), figures: Vec::new(), histories: Vec::new() }
    }
}

/// Gathers rows.
struct Gatherer {
    steps: u64,
    /// Recorded steps.
    rows: u64,
    /// With the sum of squares in the place of the root mean square.
    figures: Vec<Figure>,
    histories: Vec<Vec<f64>>,
}

impl Gatherer {
    fn new(channels: usize, samples: usize) -> Self {
        let none =
            Figure { min: f64::INFINITY, max: f64::NEG_INFINITY, peak: 0.0, peak_time: 0.0, rms: 0.0, last: 0.0 };
        Self {
            steps: 0,
            rows: 0,
            figures: vec![none; channels],
            histories: vec![Vec::with_capacity(samples); channels],
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

    /// A step that is recorded.
    fn keep(&mut self, row: &[f64], thin: u64) {
        if self.rows.is_multiple_of(thin) {
            self.histories.iter_mut().zip(row).for_each(|(h, x)| h.push(*x));
        }
        self.rows += 1;
    }

    fn finish(mut self, ending: Ending) -> Outcome {
        self.figures.iter_mut().for_each(|f| f.rms = (f.rms / self.steps.max(1) as f64).sqrt());
        if self.steps == 0 {
            self.figures.clear();
        }
        Outcome { ending, intensities: Vec::new(), figures: self.figures, histories: self.histories }
    }
}

/// Number of rows that a model records.
pub fn rows(steps: u64, every: u64) -> u64 {
    steps.div_ceil(every.max(1)) + 1
}

/// Runs a machine to its end. Of the recorded rows every `thin`-th goes into the histories, and each is shown to `row`, which may
/// end it all by an error. `Ok(None)`: `stop` was set.
pub fn run<E>(
    machine: &mut Simulation,
    thin: u64,
    stop: &AtomicBool,
    mut row: impl FnMut(f64, &[f64]) -> Result<(), E>,
) -> Result<Option<Outcome>, E> {
    let model = machine.model.clone();
    let (dt, every, thin) = (model.analysis.dt, model.every.max(1), thin.max(1));
    let names: Vec<String> = model.channels.iter().map(|c| c.name.clone()).collect();
    let steps = machine.steps();
    let mut values = vec![0.0; names.len()];
    let mut gathered = Gatherer::new(names.len(), (rows(steps, every) / thin) as usize + 1);
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
            gathered.keep(&values, thin);
            row(t, &values)?;
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
            break Ending::Fault(format!("at t = {t:.6} s (step {}): {}", done + 1, machine.explain(fault)));
        }
        done += 1;
    };
    Ok(Some(gathered.finish(ending)))
}
