//! What a paper claims, what was measured, and the verdict that follows.

use std::fmt;

/// What running it says about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It holds as printed.
    Reproduced,
    /// It does not hold as printed, but does with the correction that stands beside it.
    Corrected,
    /// The run shows that it does not hold.
    NotTrue,
    /// The run does not give what an independent implementation gave: this program is wrong, and nothing can be said.
    Failed,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Corrected => "reproduced with a correction",
            Verdict::NotTrue => "not true",
            Verdict::Failed => "failed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// What a number should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// This, up to a tolerance.
    #[allow(missing_docs)]
    Near { value: f64, tolerance: f64 },
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
    /// From the first to the second.
    Between(f64, f64),
}

impl Expected {
    /// Whether a number is as expected; NaN never is.
    pub fn met(self, x: f64) -> bool {
        match self {
            Expected::Near { value, tolerance } => (x - value).abs() <= tolerance,
            Expected::AtMost(most) => x <= most,
            Expected::AtLeast(least) => x >= least,
            Expected::Between(low, high) => (low..=high).contains(&x),
        }
    }
}

/// A measured number beside what was expected of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What was measured.
    pub what: String,
    /// The number.
    pub value: f64,
    /// Its unit, empty for a plain number.
    pub unit: &'static str,
    /// What it would be if the claim held as printed.
    pub claimed: Option<Expected>,
    /// What it would be if the claim held with its correction.
    pub corrected: Option<Expected>,
    /// What an independent implementation of the methods found.
    pub reference: Option<Expected>,
}

impl Measure {
    /// A number, with nothing expected of it yet.
    pub fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Measure { what: what.into(), value, unit, claimed: None, corrected: None, reference: None }
    }

    /// What the paper says of it.
    pub fn claimed(self, expected: Expected) -> Self {
        Measure { claimed: Some(expected), ..self }
    }

    /// What the corrected claim says of it.
    pub fn corrected(self, expected: Expected) -> Self {
        Measure { corrected: Some(expected), ..self }
    }

    /// What an independent implementation found: `value` up to `tolerance`.
    pub fn reference(self, value: f64, tolerance: f64) -> Self {
        Measure { reference: Some(Expected::Near { value, tolerance }), ..self }
    }
}

/// A claim of a paper with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What the paper says, in our words.
    pub text: String,
    /// What holds instead where it does not hold as printed; empty where there is nothing to correct.
    pub correction: String,
    /// The evidence.
    pub measures: Vec<Measure>,
}

impl Claim {
    /// A claim without evidence yet.
    pub fn new(text: impl Into<String>) -> Self {
        Claim { text: text.into(), correction: String::new(), measures: Vec::new() }
    }

    /// Adds what holds instead.
    pub fn correction(self, text: impl Into<String>) -> Self {
        Claim { correction: text.into(), ..self }
    }

    /// Adds a measured number.
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measures.push(measure);
        self
    }

    /// The verdict: from the numbers alone.
    pub fn verdict(&self) -> Verdict {
        let all = |which: fn(&Measure) -> Option<Expected>| {
            let mut judged = self.measures.iter().filter_map(|m| Some(which(m)?.met(m.value))).peekable();
            judged.peek().is_some().then(|| judged.all(|met| met))
        };
        let wrong = all(|m| m.reference) == Some(false) || self.measures.iter().any(|m| m.value.is_nan());
        match (wrong, all(|m| m.claimed), all(|m| m.corrected)) {
            // A claim of which nothing was asked has not been tested.
            (true, ..) | (_, None, _) => Verdict::Failed,
            (false, Some(true), _) => Verdict::Reproduced,
            (false, Some(false), Some(true)) => Verdict::Corrected,
            (false, Some(false), _) => Verdict::NotTrue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(value: f64) -> Measure {
        Measure::new("radius", value, "").claimed(Expected::AtMost(1.0))
    }

    #[test]
    fn verdicts_follow_from_the_numbers() {
        let of = |m: Measure| Claim::new("stable").measure(m).verdict();
        assert_eq!(of(measure(0.9)), Verdict::Reproduced);
        assert_eq!(of(measure(1.1)), Verdict::NotTrue);
        assert_eq!(of(measure(1.1).corrected(Expected::AtMost(1.2))), Verdict::Corrected);
        assert_eq!(of(measure(1.1).corrected(Expected::AtMost(1.05))), Verdict::NotTrue);
        assert_eq!(of(measure(0.9).reference(0.8, 0.05)), Verdict::Failed);
        assert_eq!(of(measure(f64::NAN)), Verdict::Failed);
    }

    #[test]
    fn all_measures_count() {
        let claim = Claim::new("stable").measure(measure(0.9)).measure(measure(1.1));
        assert_eq!(claim.verdict(), Verdict::NotTrue);
    }

    #[test]
    fn a_claim_without_a_test_is_a_failure() {
        assert_eq!(Claim::new("stable").verdict(), Verdict::Failed);
        assert_eq!(Claim::new("stable").measure(Measure::new("radius", 1.0, "")).verdict(), Verdict::Failed);
    }
}
