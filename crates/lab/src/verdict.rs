//! After the test: how well each actuator followed, and one verdict with its reasons.
//!
//! **Must not be here:** files, tables, terminals.

use crate::controller::Held;
use crate::indicators::error::deviation;
use crate::indicators::{delay_by_correlation, energy, frequency_evaluation, nrmse, peak_error, tracking};
use crate::realtime::Timing;
use crate::rig::TestLog;
use crate::safety::{Names, State};

/// Largest delay that is looked for, s.
const LONGEST: f64 = 0.1;

/// What an actuator was told and did, sample by sample. SI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Where it should be.
    pub target: Vec<f64>,
    /// What it was sent, after compensation.
    pub command: Vec<f64>,
    /// Where it was seen.
    pub reached: Vec<f64>,
    /// What its load cell showed.
    pub force: Vec<f64>,
}

impl History {
    /// Samples in which all instruments showed numbers.
    fn sound(&self) -> Vec<[f64; 3]> {
        let rows = self.target.iter().zip(&self.reached).zip(&self.force).map(|((t, r), f)| [*t, *r, *f]);
        rows.filter(|row| row.iter().all(|x| x.is_finite())).collect()
    }
}

/// The largest numbers of a test, by their magnitude. SI.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peaks {
    /// Stroke and velocity of the target: what the structure asks for.
    pub target: [f64; 2],
    /// Stroke and velocity of the command: what compensation adds, and what it makes of noise, is in them.
    pub command: [f64; 2],
    /// Measured force.
    pub force: f64,
    /// Tracking error: reached less target.
    pub error: f64,
}

impl Peaks {
    /// Takes a sample into account: target and command, those of the sample before, force and tracking error. What is no number does not count.
    pub fn add(&mut self, now: [f64; 2], before: Option<[f64; 2]>, force: f64, error: f64, period: f64) {
        let before = before.unwrap_or(now);
        for (of, i) in [(&mut self.target, 0), (&mut self.command, 1)] {
            of[0] = of[0].max(now[i].abs());
            of[1] = of[1].max(((now[i] - before[i]) / period).abs());
        }
        self.force = self.force.max(force.abs());
        self.error = self.error.max(error.abs());
    }

    /// Of a history, sampled every `period` seconds. What is no number does not count.
    pub fn of(history: &History, period: f64) -> Self {
        let peak = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0f64, |m, x| m.max(x.abs()));
        let motion =
            |x: &[f64]| [peak(&mut x.iter().copied()), peak(&mut x.windows(2).map(|w| (w[1] - w[0]) / period))];
        Peaks {
            target: motion(&history.target),
            command: motion(&history.command),
            force: peak(&mut history.force.iter().copied()),
            error: peak(&mut history.reached.iter().zip(&history.target).map(|(r, t)| r - t)),
        }
    }
}

/// How an actuator followed its targets, and what it did meanwhile. SI, and finite.
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
    /// The largest numbers of the test.
    pub peaks: Peaks,
    /// Samples that are left out of all this, because an instrument showed no number.
    pub unread: usize,
}

impl Tracking {
    /// Of the history of an actuator, sampled every `period` seconds; `None` where it had nothing to follow.
    pub fn of(history: &History, period: f64) -> Option<Self> {
        let sound = history.sound();
        let [target, reached, force] = [0, 1, 2].map(|i| sound.iter().map(|row| row[i]).collect::<Vec<f64>>());
        // A target may move by so little that its square is nothing.
        if target.len() < 3 || deviation(&target) == 0.0 {
            return None;
        }
        let most = ((LONGEST / period).ceil() as usize).min(target.len() / 2);
        let (mut ti, mut ee) = ([0.0; tracking::MEMORY], [0.0; energy::MEMORY]);
        let mut fed = energy::EnergyError::default();
        for i in 0..target.len() {
            tracking::step(&mut ti, target[i], reached[i]);
            fed = energy::step(&mut ee, target[i], reached[i], force[i]);
        }
        let index = frequency_evaluation(&reached, &target, period)?;
        let peaks = Peaks::of(history, period);
        Some(Tracking {
            nrmse: nrmse(&reached, &target),
            peak_error: peak_error(&reached, &target),
            delay: delay_by_correlation(&reached, &target, most) * period,
            amplitude: index.amplitude,
            frequency: index.frequency,
            indicator: tracking::value(&ti),
            // Masses and springs give back what they take: what they hold at most is the measure then.
            energy: fed.error / fed.scale.max(0.5 * peaks.target[0] * peaks.force).max(f64::MIN_POSITIVE),
            peaks,
            unread: history.target.len() - target.len(),
        })
        .filter(|t| t.nrmse.is_finite() && t.energy.is_finite())
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

/// Loads that were off by more than these shares of themselves.
const LOAD: [f64; 2] = [0.02, 0.2];

/// What a test left behind for its judge.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    /// What every actuator did; empty if nobody can tell.
    pub histories: &'a [History],
    /// Time between two rows of them, s.
    pub period: f64,
    /// Largest numbers of all samples, where the histories hold some only; empty: they are those of the histories.
    pub peaks: &'a [Peaks],
    /// Samples that should be recorded and are not.
    pub missing: u64,
    /// What the system said, if anything could not be written.
    pub failure: Option<&'a str>,
    /// Names of the actuators.
    pub names: &'a Names,
}

/// Looks at a test that is over, or at its rehearsal: how each actuator followed, and what is thought of it. Both say the same because both ask here.
pub fn assess(log: &TestLog, recording: Recording<'_>, timing: Option<&Timing>) -> (Vec<Option<Tracking>>, Verdict) {
    let mut actuators: Vec<Option<Tracking>> =
        recording.histories.iter().map(|history| Tracking::of(history, recording.period)).collect();
    for (tracking, peaks) in actuators.iter_mut().zip(recording.peaks) {
        tracking.iter_mut().for_each(|t| t.peaks = *peaks);
    }
    let verdict = judge(log, (recording.missing, recording.failure), (&actuators, recording.names), timing);
    (actuators, verdict)
}

/// What is thought of a value that is doubted above one limit and disbelieved above another.
fn grade(value: f64, [doubt, fail]: [f64; 2]) -> Option<Grade> {
    match value {
        v if v > fail => Some(Grade::Failed),
        v if v > doubt => Some(Grade::Doubtful),
        _ => None,
    }
}

/// Judges a test by the log of its controller, what is missing in its recording (samples, and what could not be written), the
/// histories of its actuators, and its timing if it had a clock.
pub fn judge(
    log: &TestLog,
    (missing, failure): (u64, Option<&str>),
    (actuators, names): (&[Option<Tracking>], &Names),
    timing: Option<&Timing>,
) -> Verdict {
    let mut found: Vec<(Grade, String)> = Vec::new();
    let mut say = |grade: Grade, text: String| found.push((grade, text));
    let sequence = &log.sequence;
    if sequence.state() != State::Finished {
        let why = sequence.cause().map_or("the test was not ended", |trip| trip.words());
        let whose = names.told(sequence.culprit());
        say(Grade::Failed, format!("{} after {} samples: {why}{whose}", sequence.state().name(), log.counts[0]));
    }
    let warnings = sequence.log().iter().filter_map(|t| Some((t.cause?, t.actuator)));
    let mut named = Vec::new();
    for (trip, instrument) in warnings.filter(|_| sequence.state() == State::Finished) {
        if !named.contains(&(trip, instrument)) {
            named.push((trip, instrument));
            say(Grade::Doubtful, format!("{}{}", trip.words(), names.told(instrument)));
        }
    }
    let [_, _, late] = log.counts;
    if missing > 0 {
        say(Grade::Doubtful, format!("{missing} samples were not recorded"));
    }
    if let Some(failure) = failure {
        say(Grade::Doubtful, format!("the recording could not be written: {failure}"));
    }
    let refused = log.refused.iter().enumerate().filter(|(_, count)| **count > 0);
    for (i, count) in refused.filter(|_| sequence.state() == State::Finished) {
        let whose = names.told(Some(i as u16));
        say(Grade::Doubtful, format!("{count} commands exceeded the limits of the actuator and were reduced{whose}"));
    }
    if late > 0 {
        say(Grade::Doubtful, format!("{late} samples whose target came too late"));
    }
    // A controller in another process that answered too late, or not at all: the last measurement held.
    if let Some((_, stale)) = log.account.iter().find(|(name, stale)| *name == "stale" && *stale > 0.0) {
        let share = 100.0 * stale / log.counts[0].max(1) as f64;
        say(Grade::Doubtful, format!("{stale} samples without a new measurement in time ({share:.2} %)"));
    }
    if let Some(timing) = timing.filter(|t| t.missed + t.overrun > 0) {
        say(Grade::Doubtful, format!("{} periods missed, {} overrun", timing.missed, timing.overrun));
    }
    if actuators.is_empty() {
        say(Grade::Doubtful, "the tracking cannot be assessed: there is no recording".to_owned());
    } else if actuators.iter().all(Option::is_none) && log.loads.is_empty() {
        say(Grade::Doubtful, "the tracking cannot be assessed: no target moved, or no sensor gave a value".to_owned());
    }
    for held in &log.loads {
        if let Some(grade) = grade(held.share(), LOAD) {
            let (place, share) = (names.place(held.actuator), 100.0 * held.share());
            say(grade, format!("{place}: its load was off by {share:.3} % at most"));
        }
    }
    // What holds a load follows no target.
    let follows = |i: &usize| log.loads.iter().all(|held| held.actuator != *i);
    for (i, t) in actuators.iter().enumerate().filter_map(|(i, t)| Some((i, (*t)?))).filter(|(i, _)| follows(i)) {
        let name = if actuators.len() > 1 { format!("{}: ", names.place(i)) } else { String::new() };
        if t.unread > 0 {
            say(Grade::Doubtful, format!("{name}{} sensor samples were invalid (not a number)", t.unread));
        }
        if let Some(grade) = grade(t.nrmse, NRMSE) {
            say(grade, format!("{name}tracking error {:.3} % of the motion", t.nrmse));
        }
        if let Some(grade) = grade(t.energy.abs(), ENERGY) {
            let does = if t.energy < 0.0 { "added" } else { "removed" };
            say(grade, format!("{name}the tracking error {does} {:.3} % of the work done", 100.0 * t.energy.abs()));
        }
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.0));
    let grade = found.first().map_or(Grade::Good, |f| f.0);
    if found.is_empty() {
        let led = || actuators.iter().enumerate().filter(|(i, _)| follows(i)).filter_map(|(_, t)| t.as_ref());
        let worst = |of: fn(&Tracking) -> f64| led().map(of).fold(0.0, f64::max);
        let loads = log.loads.iter().map(Held::share).reduce(f64::max);
        let loads = loads.map_or_else(String::new, |share| format!("loads held within {:.3} %, ", 100.0 * share));
        let reason = format!(
            "tracking error {:.3} %, energy error {:.3} %, {loads}no limit exceeded, all samples recorded",
            worst(|t| t.nrmse),
            worst(|t| 100.0 * t.energy.abs())
        );
        found.push((Grade::Good, reason));
    }
    Verdict { grade, reasons: found.into_iter().map(|f| f.1).collect() }
}
