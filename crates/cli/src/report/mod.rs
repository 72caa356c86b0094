//! The report of a run: one HTML page that works offline. What is in it is decided here; how it looks and
//! works in a browser is the business of `interfield-report`.

mod curves;
mod evidence;
mod frames;
mod laboratory;
mod members;
mod scene;
mod storeys;

use std::io::{BufWriter, Write};
use std::path::Path;

use interfield_report::{Block, Page, Section, Table, printed};
use interfield_results::{Error, Meta, Reader};
use interfield_structure::Simulation;

pub(crate) use curves::{Curves, of_push, times_second};
pub(crate) use evidence::Evidence;
pub(crate) use frames::Frames;
pub(crate) use laboratory::{blocks, keep};
pub(crate) use members::{LOOKED_AT, Pictures, cross_section};
pub(crate) use scene::Scene;
pub(crate) use storeys::envelopes;

use interfield::coupled;
use interfield::files::{create, unwritten};
use interfield::laboratory::PREFIX;
use interfield::record::OVERRIDES;
use interfield::table::short;

/// Everything a report tells.
pub(crate) struct Report<'a> {
    /// Title, settings and model of the run.
    pub meta: &'a Meta,
    /// Its curves.
    pub curves: &'a Curves,
    /// What its end told.
    pub evidence: Evidence,
}

/// Why there is no page.
pub(crate) enum Unmade {
    /// The results cannot be read.
    Read(Error),
    /// The page cannot be written; a sentence.
    Write(String),
}

impl Report<'_> {
    /// Writes the page.
    pub(crate) fn write(self, path: &Path) -> Result<(), String> {
        let mut out = BufWriter::new(create(path)?);
        self.page().write(&mut out).and_then(|()| out.flush()).map_err(|e| unwritten(path, &e))
    }

    /// The page of a result file, with what its run found at its end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn of_stored(reader: &Reader, evidence: Evidence, path: &Path) -> Result<(), Unmade> {
        let curves = Curves::of(reader).map_err(Unmade::Read)?;
        Report { meta: reader.meta(), curves: &curves, evidence }.write(path).map_err(Unmade::Write)
    }

    fn page(self) -> Page {
        let section = |title: &str, blocks: Vec<Block>| Section { title: title.to_owned(), blocks };
        let model = Block::Folded { summary: "Model file".to_owned(), text: self.meta.model_text.clone() };
        let Evidence {
            good,
            verdict,
            structure,
            interface,
            laboratory,
            pushover,
            log,
            timings,
            numbers: _,
            gravity,
            members,
            storeys,
        } = self.evidence;
        let [modes, deformed] = structure.unwrap_or_default();
        let log = if log.is_empty() { Vec::new() } else { vec![Block::Lines(log)] };
        let timings = timings.into_iter().map(|(what, value)| vec![what, value]).collect();
        let of_laboratory = |name: &str| name.starts_with(PREFIX);
        let (rig, plain): (Vec<_>, Vec<_>) = self.meta.settings.iter().partition(|(name, _)| of_laboratory(name));
        let plain = plain.into_iter().filter(|(name, _)| name != OVERRIDES);
        let mut settings =
            words(plain.map(|(name, value)| vec![name.replace('_', " "), legible(&value.to_string())]).collect());
        if !rig.is_empty() {
            let text = rig.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
            settings.push(Block::Folded { summary: "All laboratory settings".to_owned(), text });
        }
        let laboratory = section("Laboratory", laboratory);
        Page {
            title: self.meta.title.clone(),
            good,
            verdict,
            sections: vec![
                // Of a test the laboratory counts first.
                laboratory,
                section("Pushover", [self.curves.pushed(), pushover].concat()),
                section("Peaks", vec![peaks(self.curves)]),
                section("Deformed shape", deformed),
                section("Storeys", storeys),
                section("Members", members),
                section("After gravity", gravity),
                section("Hysteresis", self.curves.loops()),
                section("Histories", self.curves.histories()),
                section("Energy balance", self.curves.energies()),
                section("Spectra", self.curves.spectra()),
                section("Interface", interface),
                section("Modes", modes),
                section("Timings", words(timings)),
                section("Settings", settings),
                section("Warnings and log", log),
                section("Model", vec![model]),
            ],
            footer: format!("{} {}, run of {}", self.meta.program, self.meta.version, self.meta.created),
        }
    }
}

/// How well the substructures of a run held together.
pub(crate) fn interface(parts: &Simulation) -> Vec<Block> {
    if parts.model.partition.is_none() {
        return Vec::new();
    }
    let (header, rows) = coupled::table(parts);
    let lines = coupled::energies(parts).lines().map(|l| l.trim().to_owned()).collect();
    vec![Block::Table(Table { header, rows }), Block::Lines(lines)]
}

/// Numbers with the digits that are read; the result file has all of them.
fn legible(text: &str) -> String {
    let number = |word: &str| {
        let bare = word.trim_end_matches([',', ')']);
        let long = bare.contains('.') && bare.len() > 12;
        match bare.parse::<f64>() {
            Ok(x) if long => short(x) + &word[bare.len()..],
            _ => word.to_owned(),
        }
    };
    text.split(' ').map(number).collect::<Vec<_>>().join(" ")
}

/// A table of names and what they mean; none without any.
fn words(rows: Vec<Vec<String>>) -> Vec<Block> {
    if rows.is_empty() { Vec::new() } else { vec![Block::Table(Table { header: Vec::new(), rows })] }
}

fn peaks(curves: &Curves) -> Block {
    let header = ["channel", "unit", "min", "max", "peak", "at t [s]", "at the end"].map(str::to_owned).to_vec();
    let channels = curves.channels().iter().zip(&curves.ranges.0).filter(|(_, r)| r.min <= r.max);
    let row = |(c, r): (&interfield_results::ChannelInfo, &interfield::Range)| {
        let at = format!("{:.3}", r.peak_time);
        vec![c.name.clone(), printed(&c.unit), short(r.min), short(r.max), short(r.peak), at, short(r.last)]
    };
    Block::Table(Table { header, rows: channels.map(row).collect() })
}
