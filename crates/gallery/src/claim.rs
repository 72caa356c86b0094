//! What a paper claims, what was measured, and the verdict that follows.

use std::fmt;

/// What running it says about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It holds as printed.
    Reproduced,
    /// What it speaks of is not to be had: a record, a specimen, a definition. Nothing is said for or against it.
    Untested,
    /// It does not hold as printed, but does with the correction that stands beside it.
    Corrected,
    /// The run shows that it does not hold.
    NotTrue,
    /// The run does not give what an independent implementation gave: this program is wrong, and nothing can be said.
    Failed,
}

impl Verdict {
    /// All of them, from the mildest to the gravest.
    pub const ALL: [Verdict; 5] =
        [Verdict::Reproduced, Verdict::Untested, Verdict::Corrected, Verdict::NotTrue, Verdict::Failed];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Untested => "could not be tested",
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

/// What a paper says in its own words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Word for word; of paper 002 in Chinese.
    pub sentence: &'static str,
    /// In English, where the sentence is not.
    pub translation: &'static str,
    /// Where it stands: `Sec. 2.1`.
    pub place: &'static str,
}

/// A claim of a paper with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What the paper says, in our words.
    pub text: String,
    /// What it says in its own.
    pub said: Said,
    /// Why the numbers are held against these limits and no others.
    pub why: String,
    /// What holds instead where it does not hold as printed; empty where there is nothing to correct.
    pub correction: String,
    /// Why it could not be tested; empty where it could.
    pub obstacle: String,
    /// The evidence.
    pub measures: Vec<Measure>,
}

impl Claim {
    /// A claim without evidence yet.
    pub fn new(text: impl Into<String>) -> Self {
        Claim {
            text: text.into(),
            said: Said::default(),
            why: String::new(),
            correction: String::new(),
            obstacle: String::new(),
            measures: Vec::new(),
        }
    }

    /// Adds the sentence of the paper, word for word, and where it stands.
    pub fn said(self, sentence: &'static str, place: &'static str) -> Self {
        Claim { said: Said { sentence, place, ..self.said }, ..self }
    }

    /// Adds what the sentence means in English.
    pub fn translation(self, translation: &'static str) -> Self {
        Claim { said: Said { translation, ..self.said }, ..self }
    }

    /// Adds why the limits are what they are.
    pub fn why(self, text: impl Into<String>) -> Self {
        Claim { why: text.into(), ..self }
    }

    /// Adds what holds instead.
    pub fn correction(self, text: impl Into<String>) -> Self {
        Claim { correction: text.into(), ..self }
    }

    /// Says why it could not be tested. What was measured all the same has no part in the verdict.
    pub fn untested(self, obstacle: impl Into<String>) -> Self {
        Claim { obstacle: obstacle.into(), ..self }
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
            (true, ..) => Verdict::Failed,
            _ if !self.obstacle.is_empty() => Verdict::Untested,
            // A claim of which nothing was asked is a mistake of its item.
            (_, None, _) => Verdict::Failed,
            (false, Some(true), _) => Verdict::Reproduced,
            (false, Some(false), Some(true)) => Verdict::Corrected,
            (false, Some(false), _) => Verdict::NotTrue,
        }
    }
}

/// Something that was found beyond what the paper says or examined. It is ours, so it has no verdict; but its numbers
/// must be as we say.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was found.
    pub text: String,
    /// The evidence: what we say of a number is its `claimed`.
    pub measures: Vec<Measure>,
}

impl Finding {
    /// A finding without evidence yet.
    pub fn new(text: impl Into<String>) -> Self {
        Finding { text: text.into(), measures: Vec::new() }
    }

    /// Adds a measured number.
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measures.push(measure);
        self
    }

    /// Whether all numbers are as we say, and as an independent implementation found them.
    pub fn holds(&self) -> bool {
        let met = |m: &Measure| [m.claimed, m.reference].into_iter().flatten().all(|e| e.met(m.value));
        !self.measures.is_empty() && self.measures.iter().all(|m| !m.value.is_nan() && met(m))
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
    fn what_could_not_be_tested_has_a_verdict_of_its_own() {
        let claim = Claim::new("fails near 7 s").untested("the record is not public");
        assert_eq!(claim.verdict(), Verdict::Untested);
        // A number from another motion neither confirms nor refutes it; a wrong one is still an error of ours.
        assert_eq!(claim.clone().measure(measure(1.1)).verdict(), Verdict::Untested);
        assert_eq!(claim.measure(measure(0.9).reference(0.8, 0.05)).verdict(), Verdict::Failed);
        assert!(Verdict::ALL.is_sorted());
    }

    #[test]
    fn a_finding_of_ours_must_be_as_we_say() {
        let finding = |value: f64| Finding::new("it grows").measure(measure(value));
        assert!(finding(0.9).holds() && !finding(1.1).holds() && !finding(f64::NAN).holds());
        assert!(!Finding::new("nothing measured").holds());
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
