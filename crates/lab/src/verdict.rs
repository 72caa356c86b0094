//! After the test: how well each actuator followed, and one verdict with its reasons.
//!
//! **Must not be here:** files, tables, terminals.

use crate::controller::Controller;
use crate::indicators::{delay_by_correlation, energy, frequency_evaluation, nrmse, peak_error, tracking};
use crate::realtime::Timing;
use crate::safety::State;

/// Largest delay that is looked for, s.
const LONGEST: f64 = 0.1;

/// How an actuator followed its targets, and what it did meanwhile. SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracking {
    /// 100 std(reached - target)/std(target), %.
    pub nrmse: f64,
    /// 100 max|reached - target|/max|target|, %.
    pub peak_error: f64,
    /// Delay by correlation, s; negative: ahead.
    pub delay: f64,
    /// Amplitude of the frequency evaluation index: 1 is right, less is undershoot.
    pub amplitude: f64,
    /// Its frequency, Hz.
    pub frequency: f64,
    /// Tracking indicator at the end, m²: negative where the specimen lagged.
    pub indicator: f64,
    /// Energy error over the largest work done, or stored: negative where the tracking fed energy in.
    pub energy: f64,
    /// Largest stroke, velocity and force.
    pub peaks: [f64; 3],
}

impl Tracking {
    /// Of the histories of an actuator, sampled every `period` seconds; `None` where it never moved.
    pub fn of(target: &[f64], reached: &[f64], force: &[f64], period: f64) -> Option<Self> {
        let moved = target.iter().any(|x| *x != target[0]);
        if !moved || target.len() < 3 {
            return None;
        }
        let most = ((LONGEST / period).ceil() as usize).min(target.len() / 2);
        let (mut ti, mut ee) = ([0.0; tracking::MEMORY], [0.0; energy::MEMORY]);
        let mut fed = energy::EnergyError::default();
        for i in 0..target.len() {
            tracking::step(&mut ti, target[i], reached[i]);
            fed = energy::step(&mut ee, target[i], reached[i], force[i]);
        }
        let peak = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0f64, |m, x| m.max(x.abs()));
        let index = frequency_evaluation(reached, target, period)?;
        let peaks = [
            peak(&mut target.iter().copied()),
            peak(&mut target.windows(2).map(|w| (w[1] - w[0]) / period)),
            peak(&mut force.iter().copied()),
        ];
        Some(Tracking {
            nrmse: nrmse(reached, target),
            peak_error: peak_error(reached, target),
            delay: delay_by_correlation(reached, target, most) * period,
            amplitude: index.amplitude,
            frequency: index.frequency,
            indicator: tracking::value(&ti),
            // Masses and springs give back what they take: what they hold at most is the measure then.
            energy: fed.error / fed.scale.max(0.5 * peaks[0] * peaks[2]).max(f64::MIN_POSITIVE),
            peaks,
        })
    }
}

/// What is thought of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing against it.
    Good,
    /// It ran to its end, but something should be looked at.
    Doubtful,
    /// It did not run to its end, or not as a test of the structure.
    Failed,
}

impl Grade {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Good => "good",
            Grade::Doubtful => "doubtful",
            Grade::Failed => "failed",
        }
    }
}

/// A grade and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The grade.
    pub grade: Grade,
    /// What speaks against it, gravest first; what speaks for it if there is nothing.
    pub reasons: Vec<String>,
}

impl Verdict {
    /// In a line: the grade, and what speaks against it.
    pub fn line(&self) -> String {
        match self.grade {
            Grade::Good => "good".to_owned(),
            grade => format!("{}: {}", grade.word(), self.reasons.join("; ")),
        }
    }

    /// The worst of several, with the reasons of all that are against it, gravest first; good if there is none.
    pub fn worst(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        let mut against: Vec<Verdict> = verdicts.into_iter().filter(|v| v.grade != Grade::Good).collect();
        against.sort_by_key(|v| std::cmp::Reverse(v.grade));
        let grade = against.first().map_or(Grade::Good, |v| v.grade);
        Verdict { grade, reasons: against.into_iter().flat_map(|v| v.reasons).collect() }
    }
}

/// Tracking errors above these shares of the target are doubted, and disbelieved: 100 std(error)/std(target).
const NRMSE: [f64; 2] = [10.0, 50.0];
/// The same for the energy error.
const ENERGY: [f64; 2] = [0.05, 0.5];

/// Judges a test by its controller, what is missing in its recording (samples, and what could not be written), the
/// histories of its actuators, and its timing if it had a clock.
pub fn judge(
    controller: &Controller,
    (missing, failure): (u64, Option<&str>),
    actuators: &[Option<Tracking>],
    timing: Option<&Timing>,
) -> Verdict {
    let mut found: Vec<(Grade, String)> = Vec::new();
    let mut say = |grade: Grade, text: String| found.push((grade, text));
    let machine = controller.machine();
    if machine.state() != State::Finished {
        let last = machine.log().iter().rev().find_map(|t| t.cause);
        let why = last.map_or("it was not ended", |trip| trip.words());
        say(Grade::Failed, format!("{} after {} samples: {why}", machine.state().name(), controller.counts()[0]));
    }
    let warnings = machine.log().iter().filter_map(|t| t.cause);
    let mut named = Vec::new();
    for trip in warnings.filter(|_| machine.state() == State::Finished) {
        if !named.contains(&trip) {
            named.push(trip);
            say(Grade::Doubtful, trip.words().to_owned());
        }
    }
    let [_, _, late] = controller.counts();
    if missing > 0 {
        say(Grade::Doubtful, format!("{missing} samples were not recorded"));
    }
    if let Some(failure) = failure {
        say(Grade::Doubtful, format!("the recording could not be written: {failure}"));
    }
    if late > 0 {
        say(Grade::Doubtful, format!("{late} samples without a target in time"));
    }
    if let Some(timing) = timing.filter(|t| t.missed + t.overrun > 0) {
        say(Grade::Doubtful, format!("{} periods missed, {} overrun", timing.missed, timing.overrun));
    }
    for (i, t) in actuators.iter().enumerate().filter_map(|(i, t)| Some((i, (*t)?))) {
        let name = if actuators.len() > 1 { format!("actuator {}: ", i + 1) } else { String::new() };
        let grade = |value: f64, [doubt, fail]: [f64; 2]| match value {
            v if v > fail || v.is_nan() => Some(Grade::Failed),
            v if v > doubt => Some(Grade::Doubtful),
            _ => None,
        };
        if let Some(grade) = grade(t.nrmse, NRMSE) {
            say(grade, format!("{name}tracking error {:.3} % of the motion", t.nrmse));
        }
        if let Some(grade) = grade(t.energy.abs(), ENERGY) {
            let does = if t.energy < 0.0 { "fed in" } else { "took out" };
            say(grade, format!("{name}the tracking error {does} {:.3} % of the work done", 100.0 * t.energy.abs()));
        }
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.0));
    let grade = found.first().map_or(Grade::Good, |f| f.0);
    if found.is_empty() {
        let worst = |of: fn(&Tracking) -> f64| actuators.iter().flatten().map(of).fold(0.0, f64::max);
        let reason = format!(
            "tracking error {:.3} %, energy error {:.3} %, no limit passed, all samples recorded",
            worst(|t| t.nrmse),
            worst(|t| 100.0 * t.energy.abs())
        );
        found.push((Grade::Good, reason));
    }
    Verdict { grade, reasons: found.into_iter().map(|f| f.1).collect() }
}
