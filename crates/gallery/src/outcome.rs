//! What an item gives: numbers to draw and to tabulate, and claims.

use interfield_report::Panel;

use crate::claim::{Claim, Verdict};

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
}

impl Outcome {
    /// The verdict on the whole: the gravest of its claims.
    pub fn verdict(&self) -> Verdict {
        self.claims.iter().map(Claim::verdict).max().unwrap_or(Verdict::Failed)
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
