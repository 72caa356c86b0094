//! What an item gives: numbers to draw and to tabulate, and claims.

use interfield_report::Panel;

use crate::claim::{Claim, Finding, Verdict};

/// What running an item gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The figure, panel by panel, row by row.
    pub panels: Vec<Panel>,
    /// How many panels stand side by side: one makes a figure as wide as a column, more one as wide as a page.
    pub columns: usize,
    /// Tables.
    pub tables: Vec<Table>,
    /// What the paper claims, and what was found.
    pub claims: Vec<Claim>,
    /// What was found beyond the paper.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// The verdict on the whole: the gravest of its claims; failed where a finding of ours is not as we say.
    pub fn verdict(&self) -> Verdict {
        let findings = if self.findings.iter().all(Finding::holds) { None } else { Some(Verdict::Failed) };
        self.claims.iter().map(Claim::verdict).chain(findings).max().unwrap_or(Verdict::Failed)
    }
}

/// A table; the first column names the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Above it.
    pub title: String,
    /// Column headers, with units.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}
