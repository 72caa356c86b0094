//! The report of a run: one HTML page that works offline. What is in it is decided here; how it looks and
//! works in a browser is the business of `interfield-report`.

mod curves;
mod frames;
mod scene;

use std::io::{BufWriter, Write};
use std::path::Path;

use interfield_model::Partitioned;
use interfield_report::{Block, Page, Section, Table};
use interfield_results::Meta;

pub(crate) use curves::Curves;
pub(crate) use frames::Frames;
pub(crate) use scene::Scene;

use crate::coupled;
use crate::files::{create, unwritten};
use crate::table::short;

/// Everything a report tells.
pub(crate) struct Report<'a> {
    /// Title, settings and model of the run.
    pub meta: &'a Meta,
    /// Whether the run came to its end.
    pub good: bool,
    /// How it ended, in a line.
    pub verdict: String,
    /// Its curves.
    pub curves: &'a Curves,
    /// What is to be seen of the structure: modes and deformed shape.
    pub modes: Vec<Block>,
    /// See above.
    pub deformed: Vec<Block>,
    /// How well substructures held together.
    pub interface: Vec<Block>,
    /// How the specimens of a hybrid test followed, and the verdicts.
    pub laboratory: Vec<Block>,
    /// Warnings and messages of the run.
    pub log: Vec<String>,
    /// What took how long.
    pub timings: Vec<(&'static str, String)>,
}

impl Report<'_> {
    /// Writes the page.
    pub(crate) fn write(self, path: &Path) -> Result<(), String> {
        let mut out = BufWriter::new(create(path)?);
        self.page().write(&mut out).and_then(|()| out.flush()).map_err(|e| unwritten(path, &e))
    }

    fn page(self) -> Page {
        let section = |title: &str, blocks: Vec<Block>| Section { title: title.to_owned(), blocks };
        let model = Block::Folded { summary: "Model file".to_owned(), text: self.meta.model_text.clone() };
        let log = if self.log.is_empty() { Vec::new() } else { vec![Block::Lines(self.log)] };
        let timings = self.timings.into_iter().map(|(what, value)| vec![what.to_owned(), value]).collect();
        let settings = self.meta.settings.iter().map(|(name, value)| vec![name.replace('_', " "), value.clone()]);
        Page {
            title: self.meta.title.clone(),
            good: self.good,
            verdict: self.verdict,
            sections: vec![
                section("Laboratory", self.laboratory),
                section("Peaks", vec![peaks(self.curves)]),
                section("Deformed shape", self.deformed),
                section("Hysteresis", self.curves.loops()),
                section("Histories", self.curves.histories()),
                section("Energy balance", self.curves.energies()),
                section("Spectra", self.curves.spectra()),
                section("Interface", self.interface),
                section("Modes", self.modes),
                section("Timings", words(timings)),
                section("Settings", words(settings.collect())),
                section("Warnings and log", log),
                section("Model", vec![model]),
            ],
            footer: format!("{} {}, run of {}", self.meta.program, self.meta.version, self.meta.created),
        }
    }
}

/// How well the substructures of a run held together.
pub(crate) fn interface(parts: &Partitioned) -> Vec<Block> {
    let (header, rows) = coupled::table(parts);
    let lines = coupled::energies(parts).lines().map(|l| l.trim().to_owned()).collect();
    vec![Block::Table(Table { header, rows }), Block::Lines(lines)]
}

/// A table of names and what they mean; none without any.
fn words(rows: Vec<Vec<String>>) -> Vec<Block> {
    if rows.is_empty() { Vec::new() } else { vec![Block::Table(Table { header: Vec::new(), rows })] }
}

fn peaks(curves: &Curves) -> Block {
    let header = ["channel", "unit", "min", "max", "peak", "at t [s]", "at the end"].map(str::to_owned).to_vec();
    let channels = curves.channels().iter().zip(&curves.ranges.0).filter(|(_, r)| r.min <= r.max);
    let row = |(c, r): (&interfield_results::ChannelInfo, &crate::ranges::Range)| {
        let at = format!("{:.3}", r.peak_time);
        vec![c.name.clone(), c.unit.clone(), short(r.min), short(r.max), short(r.peak), at, short(r.last)]
    };
    Block::Table(Table { header, rows: channels.map(row).collect() })
}
