//! A figure as plain data: what is drawn, never how. [`Figure::svg`] and [`Figure::png`] draw it on paper, and a
//! [`Page`](crate::Page) shows its panels in a browser.

use crate::{layout, png, svg};

/// What SVG and CSS mean by a pixel.
pub const PIXELS_PER_INCH: f64 = 96.0;

/// Panels under a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Above all; may be empty.
    pub title: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// How many stand side by side.
    pub columns: usize,
    /// Width of the whole, pixels of 1/96 inch.
    pub width: f64,
    /// Height of a plot over its width.
    pub slenderness: f64,
}

impl Figure {
    /// Panels one below the other, as wide as a page on a screen.
    pub fn new(panels: Vec<Panel>) -> Self {
        Figure { title: String::new(), panels, columns: 1, width: 720.0, slenderness: 0.5 }
    }

    /// Panels for a journal: one column (90 mm) or, side by side, a page (190 mm) wide.
    pub fn journal(panels: Vec<Panel>, columns: usize) -> Self {
        let columns = columns.clamp(1, panels.len().max(1));
        let millimetres = if columns == 1 { 90.0 } else { 190.0 };
        Figure { columns, width: millimetres / 25.4 * PIXELS_PER_INCH, slenderness: 0.66, ..Figure::new(panels) }
    }

    /// As SVG text.
    pub fn svg(&self) -> String {
        svg::write(&layout::scene(self))
    }

    /// As SVG text for a page: light or dark as the reader has it.
    pub(crate) fn svg_for_screen(&self) -> String {
        svg::write_for_screen(&layout::scene(self))
    }

    /// As a PNG file with so many dots per inch.
    pub fn png(&self, dpi: f64) -> Vec<u8> {
        png::write(&layout::scene(self), dpi / PIXELS_PER_INCH)
    }
}

/// One plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above it; may be empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// How the points of its curves follow each other.
    pub order: Order,
    /// What is drawn, the first below the others.
    pub curves: Vec<Curve>,
    /// Lines and regions to look at.
    pub marks: Vec<Mark>,
    /// A map of colours beneath all.
    pub map: Option<Map>,
    /// A remark below it on a page; may be empty.
    pub note: String,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is along it.
    pub label: String,
    /// Its unit; `-` for a plain number.
    pub unit: String,
    /// Logarithmic.
    pub log: bool,
    /// Where it starts and ends; where the curves do if there is none.
    pub range: Option<(f64, f64)>,
    /// Names instead of numbers, for bars: the first stands at 0, the next at 1.
    pub names: Vec<String>,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: impl Into<String>, unit: &str) -> Self {
        let unit = if unit.is_empty() { "-" } else { unit };
        Axis { label: label.into(), unit: unit.to_owned(), ..Axis::default() }
    }

    /// An axis of names, which have no unit.
    pub fn of_names(label: impl Into<String>, names: Vec<String>) -> Self {
        Axis { label: label.into(), names, ..Axis::default() }
    }

    /// The same axis, logarithmic.
    pub fn log(self) -> Self {
        Axis { log: true, ..self }
    }

    /// The same axis from `low` to `high`.
    pub fn over(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }

    /// What stands at it: `displacement [mm]`.
    pub fn text(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{} [{}]", self.label, printed(&self.unit)) }
    }
}

/// A unit as it is printed: `mm/s²` for `mm/s^2`, `kN·m` for `kN*m`.
pub fn printed(unit: &str) -> String {
    let mut out = String::with_capacity(unit.len());
    let mut raised = false;
    for c in unit.chars() {
        match c {
            '^' => raised = true,
            '*' => (out.push('·'), raised = false).0,
            '-' if raised => out.push('⁻'),
            _ => {
                raised &= c.is_ascii_digit();
                let digit = c.to_digit(10).filter(|_| raised);
                out.push(digit.map_or(c, |d| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize]));
            }
        }
    }
    out
}

/// How the points of a curve follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Along the time axis, which all such panels of a page share.
    Time,
    /// Along the horizontal axis.
    Sorted,
    /// Any: a loop.
    #[default]
    Free,
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
    /// How many samples the points stand for, where it is thinned.
    pub thinned: Option<u64>,
}

impl Curve {
    /// A line.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Curve { name: name.into(), points, style: Style::Line, colour: None, thinned: None }
    }

    /// The same curve drawn in another style.
    pub fn style(self, style: Style) -> Self {
        Curve { style, ..self }
    }

    /// The same curve in the colour of this number.
    pub fn colour(self, number: usize) -> Self {
        Curve { colour: Some(number), ..self }
    }

    /// Lower and upper edge at each point, where its style has them.
    pub fn edges(&self) -> Option<(&[f64], &[f64])> {
        match &self.style {
            Style::Band { low, high } | Style::Whiskers { low, high } => Some((low, high)),
            _ => None,
        }
    }
}

/// How a curve is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Style {
    /// A line.
    Line,
    /// A dashed line, for references and what lies upon another.
    Dashed,
    /// Points.
    Points,
    /// Points joined by a line.
    Joined,
    /// Bars from zero (from the lower end of a logarithmic axis).
    Bars,
    /// The area from `low` to `high`, which are as long as the points.
    #[allow(missing_docs)]
    Band { low: Vec<f64>, high: Vec<f64> },
    /// Points, each with a line from `low` to `high`, which are as long as the points.
    #[allow(missing_docs)]
    Whiskers { low: Vec<f64>, high: Vec<f64> },
}

/// Something to look at in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A horizontal line with a word at its end.
    Horizontal(f64, String),
    /// A vertical line with a word beside it.
    Vertical(f64, String),
    /// A shaded region along the horizontal axis, from the first to the second; what it means is told in the legend.
    Region(f64, f64, String),
    /// A word beside a point, where there is room.
    Word(f64, f64, String),
}

/// Values over a grid, as colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Values along the horizontal axis, rising.
    pub x: Vec<f64>,
    /// Values along the vertical axis, rising.
    pub y: Vec<f64>,
    /// A value for each cell, row by row from below.
    pub values: Vec<f64>,
    /// What colours mean.
    pub ramps: Vec<Ramp>,
}

/// Colours of a range of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    /// What they mean.
    pub title: String,
    /// Values with their colours, rising; between two of them colours change evenly.
    pub stops: Vec<(f64, [u8; 3])>,
    /// What stands beside them.
    pub marks: Vec<(f64, String)>,
}
