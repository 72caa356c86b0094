//! Pages to look at: plots, structures and tables from a plain description, as one HTML file that works offline.
//!
//! A [`Page`] holds sections of [`Block`]s; [`Page::write`] makes the file. Numbers travel as binary arrays within it, and
//! `assets/` holds what draws them in a browser: plots to zoom and pan, structures to turn and animate. Without JavaScript
//! the texts, tables and a still of the structure remain.
//!
//! **Must not be here:** models, schemes, files, stepping; no other crate of the workspace is known here.

pub mod kept;
mod page;
pub mod structure;
pub mod text;
pub mod thin;

pub use page::{Page, STYLE};

use structure::Drawing;

/// Some blocks under a heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A piece of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Lines word for word, folded away behind a summary.
    Folded {
        /// What is behind it.
        summary: String,
        /// The lines.
        text: String,
    },
    /// Lines word for word.
    Lines(Vec<String>),
    /// A table.
    Table(Table),
    /// A plot.
    Plot(Plot),
    /// A structure that moves.
    View(View),
}

/// A table; the first column names the rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Column headers.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// An axis of a plot.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is along it.
    pub label: String,
    /// Its unit; `-` for a plain number.
    pub unit: String,
    /// Logarithmic.
    pub log: bool,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: &str, unit: &str) -> Self {
        let unit = if unit.is_empty() { "-" } else { unit };
        Self { label: label.to_owned(), unit: unit.to_owned(), log: false }
    }

    /// The same axis, logarithmic.
    pub fn log(self) -> Self {
        Self { log: true, ..self }
    }
}

/// How the points of a plot follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Along the time axis, which all such plots of a page share.
    Time,
    /// Along the horizontal axis.
    Sorted,
    /// Any: a loop.
    Free,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Title above it.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// How the points follow each other.
    pub order: Order,
    /// The curves.
    pub curves: Vec<Curve>,
    /// A remark below it, may be empty.
    pub note: String,
}

/// A curve of a plot.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// How many samples the points stand for, where it is thinned.
    pub thinned: Option<u64>,
}

/// A structure in its place and displaced.
#[derive(Clone, Debug)]
pub struct View {
    /// Title above it.
    pub title: String,
    /// The structure.
    pub drawing: Drawing,
    /// What moves it.
    pub motion: Motion,
    /// Unit in which displacements are told, and how many of it are one unit of the drawing.
    pub unit: (String, f64),
    /// A remark below it, may be empty.
    pub note: String,
}

/// Displacements of the points of a drawing, three numbers for each point.
#[derive(Clone, Debug)]
pub enum Motion {
    /// Shapes that swing, each with a caption.
    Shapes(Vec<(String, Vec<f32>)>),
    /// Frames at times in s.
    Frames {
        /// Times.
        times: Vec<f64>,
        /// One after the other.
        frames: Vec<f32>,
    },
}
