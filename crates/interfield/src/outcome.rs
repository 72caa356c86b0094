//! How a run ended, what it left behind, and what is thought of it.

use interfield_structure::watch::{Grade, Verdict};

use crate::laboratory::Assessed;
use crate::programs::ProgramLog;
use crate::pushover::Strength;
use crate::ranges::Range;
use crate::table::{short, time};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All steps were taken.
    Finished,
    /// Somebody ended it.
    Interrupted,
    /// A step failed; the reason in words.
    Faulted(String),
    /// The watch ended it: what came after would have been worth nothing.
    Diverged(String),
    /// The results could not be written.
    NotWritten(String),
}

impl End {
    /// How the result file says it.
    pub(crate) fn outcome(&self, place: &str, verdict: &Verdict) -> String {
        match self {
            Self::Finished => format!("finished; verdict: {}", verdict.line()),
            Self::Interrupted => format!("interrupted: by a signal at {place}"),
            Self::Faulted(reason) => format!("fault: {reason}"),
            Self::Diverged(reason) => reason.clone(),
            Self::NotWritten(reason) => format!("interrupted: {reason}"),
        }
    }

    /// In a word, and why.
    pub fn word(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Finished => ("finished", None),
            Self::Interrupted => ("interrupted", None),
            Self::Faulted(r) => ("fault", Some(r)),
            Self::Diverged(r) => ("diverged", Some(r)),
            Self::NotWritten(r) => ("not written", Some(r)),
        }
    }

    /// What speaks against a run that ended so.
    fn verdict(&self) -> Option<Verdict> {
        let (grade, reason) = match self {
            // The watch gives the reason itself.
            Self::Finished | Self::Diverged(_) => return None,
            Self::Interrupted => (Grade::Doubtful, "interrupted before its end"),
            Self::Faulted(r) | Self::NotWritten(r) => (Grade::Failed, r.as_str()),
        };
        Some(Verdict { grade, reasons: vec![reason.to_owned()] })
    }
}

/// What a run left behind.
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What is thought of it.
    pub verdict: Verdict,
    /// Steps taken.
    pub steps: u64,
    /// Time of the model that went by, s.
    pub simulated: f64,
    /// Wall-clock time of the steps, s.
    pub seconds: f64,
    /// In a real-time test: the ways of the specimens to their start and home, s.
    pub ways: Option<[f64; 2]>,
    /// Extremes of every channel.
    pub ranges: Vec<Range>,
    /// What is known of each specimen.
    pub assessed: Vec<Assessed>,
    /// What is known of the programs of externals.
    pub program_logs: Vec<ProgramLog>,
    /// What took how long, s.
    pub timings: Vec<(&'static str, f64)>,
    /// Of a structure that was pushed: its strength.
    pub strength: Option<Strength>,
}

impl Outcome {
    /// One line for people.
    pub fn line(&self) -> String {
        let what = match &self.end {
            End::Finished => "finished".to_owned(),
            End::Interrupted => "interrupted, results up to there are kept".to_owned(),
            End::Faulted(r) => format!("stopped {r}; results up to there are kept"),
            End::Diverged(r) => format!("stopped: {r}; results up to there are kept"),
            End::NotWritten(r) => format!("stopped: {r}"),
        };
        let ways = self.ways.map_or_else(String::new, |[there, home]| {
            format!("; {} to move to the start before, {} to return after", time(there), time(home))
        });
        let real = match &self.strength {
            // A push takes no time of its own.
            Some(_) if self.assessed.is_empty() => String::new(),
            _ => format!(", {} times real time", short((self.simulated / self.seconds * 10.0).round() / 10.0)),
        };
        format!(
            "{what}: {} steps in {} ({} steps/s{real}){ways}",
            self.steps,
            time(self.seconds),
            short((self.steps as f64 / self.seconds).round()),
        )
    }

    /// Whether it ended as planned and is not thought to be worthless.
    pub fn is_good(&self) -> bool {
        self.end == End::Finished && self.verdict.grade != Grade::Failed
    }
}

/// The worst of how a run ended, what the watch over it found, and what is thought of the tests of its specimens.
pub(crate) fn judge(end: &End, watched: Option<Verdict>, assessed: &[Assessed]) -> Verdict {
    let tests = assessed.iter().map(|a| {
        let reasons = a.verdict.reasons.iter().map(|r| format!("specimen `{}`: {r}", a.name)).collect();
        Verdict { grade: a.verdict.grade, reasons }
    });
    Verdict::worst(end.verdict().into_iter().chain(watched).chain(tests))
}
