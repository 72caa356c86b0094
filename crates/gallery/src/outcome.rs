//! What an item gives: numbers to draw and to tabulate, and claims.

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

/// One plot of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above it; may be empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn, the first below the others.
    pub curves: Vec<Curve>,
    /// Lines and regions to look at.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is along it, with its unit: `displacement [mm]`.
    pub label: String,
    /// Logarithmic.
    pub log: bool,
    /// Where it starts and ends; where the curves do if there is none.
    pub range: Option<(f64, f64)>,
    /// Names instead of numbers, for bars: the first stands at 0, the next at 1.
    pub names: Vec<String>,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { label: label.into(), log: true, ..Axis::default() }
    }

    /// The same axis from `low` to `high`.
    pub fn over(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }
}

/// How a curve is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Style {
    /// A line.
    Line,
    /// A dashed line, for references.
    Dashed,
    /// Points.
    Points,
    /// Points joined by a line.
    Joined,
    /// Bars from zero (from the lower end of a logarithmic axis).
    Bars,
    /// A line in a band from `low` to `high`, which are as long as the points.
    #[allow(missing_docs)]
    Band { low: Vec<f64>, high: Vec<f64> },
}

/// Number of black, for references.
pub const BLACK: usize = 6;

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; empty: none.
    pub name: String,
    /// Its points; those that are not finite interrupt it.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: Style,
    /// Number of its colour, from 0 to 5, or [`BLACK`]: curves of one colour belong together. A curve without one takes its place
    /// in the panel.
    pub colour: Option<usize>,
}

impl Curve {
    /// A line.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Curve { name: name.into(), points, style: Style::Line, colour: None }
    }

    /// The same curve drawn in another style.
    pub fn style(self, style: Style) -> Self {
        Curve { style, ..self }
    }

    /// The same curve in the colour of this number.
    pub fn colour(self, number: usize) -> Self {
        Curve { colour: Some(number), ..self }
    }
}

/// Something to look at in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A horizontal line with a word at its end.
    Horizontal(f64, String),
    /// A vertical line with a word at its upper end.
    Vertical(f64, String),
    /// A shaded region along the horizontal axis, from the first to the second; what it means is told in the legend.
    Region(f64, f64, String),
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
