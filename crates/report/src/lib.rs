//! Figures and pages to look at, from a plain description.
//!
//! A [`Figure`] is panels of curves, marks and maps of colours; it is drawn as SVG ([`Figure::svg`]) or PNG ([`Figure::png`]).
//! A [`structure::Drawing`] is a structure, drawn with the same strokes. A [`Page`] holds sections of [`Block`]s, among them
//! such panels and drawings; [`Page::write`] makes one HTML file that works offline. Numbers travel as binary arrays within
//! it, and `assets/` holds what draws them in a browser: plots to zoom and pan, structures to turn and animate. Without
//! JavaScript the texts, tables and a still of the structure remain.
//!
//! **Must not be here:** models, schemes, files, stepping; no other crate of the workspace is known here.

mod capacity;
mod described;
mod figure;
pub mod html;
mod layout;
mod legend;
mod letters;
mod map;
mod page;
mod png;
mod scale;
mod scene;
pub mod section;
pub mod sketch;
mod strokes;
pub mod structure;
mod svg;
pub mod thin;

pub use capacity::capacity;
pub use described::{bring_back, keep};
pub use figure::{Axis, BLACK, Curve, Figure, Map, Mark, Order, PIXELS_PER_INCH, Panel, Ramp, Style, printed};
pub use page::Page;

use structure::{Drawing, Sheet};

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
    /// A table, folded away behind a summary.
    FoldedTable {
        /// What is behind it.
        summary: String,
        /// The table.
        table: Table,
    },
    /// Lines word for word.
    Lines(Vec<String>),
    /// A table.
    Table(Table),
    /// A plot to zoom and pan.
    Plot(Panel),
    /// A structure that moves.
    View(View),
    /// A picture, with a title and a remark; the remark may be empty.
    #[allow(missing_docs)]
    Still { title: String, sheet: Sheet, note: String },
    /// What [`keep`] made of one of these.
    Kept(serde_json::Value),
}

/// A table; the first column names the rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Column headers.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// A structure in its place and displaced.
#[derive(Clone, Debug)]
pub struct View {
    /// Title above it.
    pub title: String,
    /// The structure.
    pub drawing: Drawing,
    /// Names of its nodes.
    pub names: Vec<String>,
    /// What moves it.
    pub motion: Motion,
    /// Unit in which displacements are told, and how many of it are one unit of the drawing.
    pub unit: (String, f64),
    /// A remark below it, may be empty.
    pub note: String,
}

/// How the nodes of a drawing move: six numbers for each node, displacement and rotation (rad) along the axes of the drawing.
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

impl Motion {
    /// The numbers of all shapes or frames, each by itself.
    pub(crate) fn states(&self) -> Box<dyn Iterator<Item = &[f32]> + '_> {
        match self {
            Motion::Shapes(shapes) => Box::new(shapes.iter().map(|s| &s.1[..])),
            Motion::Frames { times, frames } => {
                Box::new(frames.chunks_exact((frames.len() / times.len().max(1)).max(1)))
            }
        }
    }
}
