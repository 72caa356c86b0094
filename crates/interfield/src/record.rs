//! Where the rows of a run go: a result file (HDF5) or a CSV file, both written while the run goes on.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use interfield_lab::rig::Reading;
use interfield_language::Model;
use interfield_language::model::{Channel, EnergyPart, Kind, Load, PushPart, Quantity, TangentPolicy, Within};
use interfield_language::units::Dimension;
use interfield_language::update::{Learned, PARAMETERS};
use interfield_results::{ChannelInfo, Error, Meta, Policy, Reader, Setting, Writer, WriterOptions, now_iso8601};
use interfield_structure::Simulation;
use serde_json::Value;

use crate::coupled;
use crate::files::{folder, has_extension, unwritten};
use crate::laboratory::{self, RealTime};
use crate::quantities::Quantities;
use crate::table::short;
use crate::{Choices, ModelFile, sha256};

/// The two kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Result file, `.h5`.
    Results,
    /// Comma-separated values, `.csv`.
    Csv,
}

impl Format {
    /// The kind of file that a name asks for.
    pub fn of(path: &Path) -> Option<Self> {
        let known = [("h5", Self::Results), ("csv", Self::Csv)];
        known.into_iter().find(|(extension, _)| has_extension(path, extension)).map(|(_, format)| format)
    }
}

/// Rows that are copied at once.
const COPIED: u64 = 4096;

/// A file that takes the rows of a run.
pub enum Record {
    /// Comma-separated values.
    Csv(BufWriter<File>),
    /// Result file.
    Results(Box<Writer>),
}

impl Record {
    /// Makes the file; `replace` says whether it may take the place of another. Nobody else may be writing it.
    pub fn create(path: &Path, (format, replace): (Format, bool), model: &Model, meta: &Meta) -> Result<Self, String> {
        match format {
            Format::Csv => {
                let mut out = BufWriter::new(alone(path, replace).map_err(|e| unwritten(path, &e))?);
                let mut header = String::from("t [s]");
                for c in &model.channels {
                    header += &format!(",{} [{}]", c.name, c.unit);
                }
                writeln!(out, "{header}").map_err(|e| unwritten(path, &e))?;
                Ok(Self::Csv(out))
            }
            Format::Results => {
                let options = WriterOptions { overwrite: replace, policy: Policy::Wait, ..WriterOptions::default() };
                let channels = channels(model);
                folder(path).map_err(|e| unwritten(path, &e))?;
                let writer = Writer::create(path, meta, &channels, options).map_err(|e| match e {
                    Error::Io { source, .. } => unwritten(path, &source),
                    other => unwritten(path, &other),
                })?;
                Ok(Self::Results(Box::new(writer)))
            }
        }
    }

    /// Takes a row; says so if rows can no longer be written.
    pub fn row(&mut self, t: f64, row: &[f64]) -> Result<(), String> {
        match self {
            Self::Csv(out) => {
                let mut line = || -> std::io::Result<()> {
                    write!(out, "{t:e}")?;
                    for x in row {
                        write!(out, ",{x:e}")?;
                    }
                    writeln!(out)
                };
                line().map_err(|e| lost(&e))
            }
            Self::Results(writer) => {
                writer.push(t, row);
                if writer.is_recording() { Ok(()) } else { writer.status().map_err(|e| lost(&e)) }
            }
        }
    }

    /// Waits until every row so far is found by whoever opens the file.
    pub fn sync(&mut self) -> Result<(), String> {
        match self {
            Self::Csv(out) => out.flush().map_err(|e| lost(&e)),
            Self::Results(writer) => writer.sync().map_err(|e| lost(&e)),
        }
    }

    /// Takes the first rows of an earlier file of the same run.
    pub(crate) fn copy(&mut self, from: &Path, rows: u64) -> Result<(), String> {
        let mut taken = Ok(());
        read_rows(from, rows, &mut |t, row| {
            if taken.is_ok() {
                taken = self.row(t, row);
            }
        })?;
        taken
    }

    /// Adds a line to the log; a CSV file has none.
    pub fn log(&self, line: &str) {
        if let Self::Results(writer) = self {
            writer.log(line);
        }
    }

    /// Brings everything to the disk and notes how the run ended.
    pub fn finish(self, outcome: &str) -> Result<(), String> {
        match self {
            Self::Csv(mut out) => out.flush().map_err(|e| lost(&e)),
            Self::Results(writer) => writer.finish(outcome).map(|_| ()).map_err(|e| match e {
                Error::Recording { what, rows, .. } => lost(&format!("{what}; {rows} rows are kept")),
                other => lost(&other),
            }),
        }
    }
}

/// Reads the first rows of a result or CSV file; the error is a sentence.
fn read_rows(from: &Path, rows: u64, take: &mut dyn FnMut(f64, &[f64])) -> Result<(), String> {
    let unread = |e: &dyn std::fmt::Display| format!("`{}` cannot be read: {e}", from.display());
    let few = || unread(&format!("it has fewer rows than the {rows} before the checkpoint"));
    if Format::of(from) == Some(Format::Csv) {
        let text = std::fs::read_to_string(from).map_err(|e| unread(&e))?;
        let mut lines = text.lines().skip(1);
        for _ in 0..rows {
            // As written, a number is read back to its last bit.
            let numbers = lines.next().ok_or_else(few)?.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
            let numbers = numbers.map_err(|e| unread(&e))?;
            let (t, row) = numbers.split_first().ok_or_else(few)?;
            take(*t, row);
        }
        return Ok(());
    }
    let reader = Reader::open(from).map_err(|e| unread(&e))?;
    if reader.rows() < rows {
        return Err(few());
    }
    let mut row = vec![0.0; reader.channels().len()];
    for first in (0..rows).step_by(COPIED as usize) {
        let range = first..rows.min(first + COPIED);
        let time = reader.time(range.clone()).map_err(|e| unread(&e))?;
        let columns = (0..row.len()).map(|c| reader.read(c, range.clone()));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|e| unread(&e))?;
        for (i, t) in time.iter().enumerate() {
            row.iter_mut().zip(&columns).for_each(|(x, column)| *x = column[i]);
            take(*t, &row);
        }
    }
    Ok(())
}

/// What the rows of a run are known by (FNV-1a over their bits): a checkpoint goes on with its own rows only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowsSeen(pub(crate) u64);

impl Default for RowsSeen {
    fn default() -> Self {
        RowsSeen(0xcbf2_9ce4_8422_2325)
    }
}

impl RowsSeen {
    pub(crate) fn push(&mut self, t: f64, row: &[f64]) {
        for x in std::iter::once(&t).chain(row) {
            self.0 = (self.0 ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Of the first rows of a file.
    pub(crate) fn of(from: &Path, rows: u64) -> Result<Self, String> {
        let mut seen = RowsSeen::default();
        read_rows(from, rows, &mut |t, row| seen.push(t, row))?;
        Ok(seen)
    }
}

/// Opens a plain file for writing that nobody else is writing.
fn alone(path: &Path, replace: bool) -> std::io::Result<File> {
    folder(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(!replace).create(true);
    let file = options.open(path)?;
    #[cfg(unix)]
    if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
        return Err(std::io::Error::new(std::io::ErrorKind::ResourceBusy, "another process is writing it"));
    }
    // Only now: whoever else has it would lose its rows.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

fn lost(e: &dyn std::fmt::Display) -> String {
    format!("the results could not be written: {e}")
}

/// What a result file says about a run of a model with so many unknowns.
pub fn meta(model: &Model, unknowns: usize, model_text: &str, args: &Choices) -> Meta {
    let a = &model.analysis;
    let tangent = match a.tangent {
        TangentPolicy::Exact => "exact",
        TangentPolicy::Initial => "initial",
        TangentPolicy::Given => "given",
    };
    let mut settings = match &model.partition {
        Some(partition) => coupled::settings(partition),
        None => vec![
            ("scheme".to_owned(), a.scheme_name.as_str().into()),
            ("scheme_coefficients".to_owned(), coupled::coefficients(&a.scheme).into()),
            ("tangent".to_owned(), tangent.into()),
        ],
    };
    if a.statics {
        settings = vec![("analysis".to_owned(), a.scheme_name.as_str().into())];
    }
    let further = [
        ("dt", seconds(a.dt)),
        ("duration", seconds(a.duration)),
        ("record_every", Setting::Count(model.every)),
        ("unknowns", Setting::Count(unknowns as u64)),
    ];
    settings.extend(further.map(|(name, value)| (name.to_owned(), value)));
    about(&model.title, model_text, settings, args)
}

/// How the matrices of a structure in one piece are solved; the parts of a cut one have solvers of their own.
pub fn solver(sim: &Simulation) -> Option<(String, Setting)> {
    let solver = sim.solver(0).filter(|_| sim.model.partition.is_none())?;
    let when = if sim.coupling.system(0).follows_state() { "at each step" } else { "once" };
    Some(("solver".to_owned(), format!("{solver}, factorised {when}").into()))
}

/// What a file says about what was done with a model.
pub fn about(title: &str, model_text: &str, mut settings: Vec<(String, Setting)>, args: &Choices) -> Meta {
    let pairs = |list: &[(String, String)]| list.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(", ");
    for (name, list) in [("set", &args.set), ("param", &args.param)] {
        if !list.is_empty() {
            settings.push((name.to_owned(), pairs(list).into()));
        }
    }
    settings.push(("model_sha256".to_owned(), sha256::of_bytes(model_text.as_bytes()).into()));
    settings.push(("command_line".to_owned(), command_line().into()));
    settings.push((OVERRIDES.to_owned(), args.to_json().to_string().into()));
    Meta {
        title: fit(title),
        program: "interfield".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created: now_iso8601(),
        model_text: model_text.to_owned(),
        settings: settings.into_iter().map(|(name, value)| (name, fitting(value))).collect(),
    }
}

/// Name of the setting with everything that replaces what the model file says, as JSON.
pub const OVERRIDES: &str = "overrides";

/// First part of the names of settings with the hash (SHA-256) of a file that the model refers to.
pub const HASH: &str = "sha256 of ";

/// Name of the setting with the folder of the model file, from which it sees these files.
pub const FOLDER: &str = "model_folder";

/// Adds what a test is to be known by: the files that the model was read with, and all settings of its laboratory.
pub fn complete(meta: &mut Meta, loaded: &ModelFile, model: &Model, pace: &RealTime) {
    let hashes = loaded.hashes().into_iter().map(|(path, hash)| (format!("{HASH}{path}"), hash));
    // The folder of a file that stands right here has no name.
    let folder = std::path::absolute(Path::new(".").join(loaded.folder()))
        .ok()
        .map(|f| (FOLDER.to_owned(), f.display().to_string()));
    let folder = folder.filter(|_| !loaded.hashes().is_empty());
    let all = hashes.chain(folder).chain(laboratory::settings(model, pace));
    meta.settings.extend(all.map(|(name, value)| (fit(&name), fit(&value).into())));
}

/// The command line as a shell would take it again.
fn command_line() -> String {
    let word = |text: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
        if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    let words: Vec<String> = std::env::args_os().map(|a| word(a.to_string_lossy().into_owned())).collect();
    words.join(" ")
}

/// Settings as JSON.
pub fn settings_json(settings: &[(String, Setting)]) -> Value {
    let add = |all: Quantities, (name, setting): &(String, Setting)| match setting {
        Setting::Text(text) => all.with(name, text.as_str()),
        Setting::Count(n) => all.with(name, *n),
        Setting::Number(x, unit) => all.quantity(name, *x, unit),
    };
    settings.iter().fold(Quantities::default(), add).object()
}

/// A time as a setting.
pub fn seconds(t: f64) -> Setting {
    Setting::Number(t, "s".to_owned())
}

fn fitting(setting: Setting) -> Setting {
    match setting {
        Setting::Text(text) => fit(&text).into(),
        number => number,
    }
}

/// A text that fits into an attribute of the file.
fn fit(text: &str) -> String {
    const MOST: usize = 30_000;
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace('\0', " ")
}

/// What a result file says about the channels.
pub fn channels(model: &Model) -> Vec<ChannelInfo> {
    model.channels.iter().map(|c| describe(model, c)).collect()
}

fn describe(model: &Model, c: &Channel) -> ChannelInfo {
    let quantity = quantity(&c.quantity);
    let coordinate =
        |e: usize, q: usize| format!("{quantity} of element `{}`, coordinate {}", model.elements[e].name, q + 1);
    let under_ground = model.loads.iter().any(|l| matches!(l, Load::Ground { .. }));
    let relative = if under_ground { ", relative to the ground" } else { "" };
    let description = match c.quantity {
        Quantity::Displacement(d) | Quantity::Velocity(d) | Quantity::Acceleration(d) => {
            format!("{quantity} of `{}`{relative}", model.dofs[d].name)
        }
        Quantity::AbsoluteAcceleration(d) => format!("{quantity} of `{}`, with the ground", model.dofs[d].name),
        Quantity::Force(e, q) | Quantity::Deformation(e, q) => coordinate(e, q),
        Quantity::State(e, s) => format!("internal state {} of element `{}`", s + 1, model.elements[e].name),
        Quantity::Section(e, point, what) => section(model, e, point, what, quantity),
        Quantity::Drift { above, below, height } => {
            let below = below.map_or("the base", |d| model.dofs[d].name.as_str());
            let (above, units) = (&model.dofs[above].name, &model.units);
            let (height, unit) = (height / units.factor(Dimension::LENGTH), units.label(Dimension::LENGTH));
            format!("displacement of {above} against {below} over a height of {} {unit}", short(height))
        }
        Quantity::Update(u, what) => learned(model, u, what),
        Quantity::Gap(d, _) => format!("{quantity} between the two sides of the interface at `{}`", model.dofs[d].name),
        Quantity::InterfaceForce(d) => format!("interface force at `{}`, acting on the first side", model.dofs[d].name),
        Quantity::Link(d) => format!("displacement of the fine side caused by the link at `{}`", model.dofs[d].name),
        Quantity::Push(PushPart::Work) => "work of the pushing forces since the beginning".to_owned(),
        Quantity::Push(PushPart::Factor) if c.unit == "-" => "load factor of the pattern of forces".to_owned(),
        Quantity::Push(PushPart::Factor) => "base shear: load factor times the sum of the pattern".to_owned(),
        Quantity::LoadSignal(i) => match &model.loads[i] {
            Load::Ground { direction, .. } => format!("acceleration of the ground along {direction}"),
            Load::Force { dof, .. } => format!("force on `{}`", model.dofs[*dof].name),
        },
        Quantity::Specimen(s, i, reading) => {
            let specimen = &model.specimens[s];
            let dof = specimen.column(i).map_or("?", |d| model.dofs[d].name.as_str());
            match reading {
                Reading::Target => format!("target displacement of specimen `{}` along `{dof}`", specimen.name),
                Reading::Reached => format!("measured displacement of specimen `{}` along `{dof}`", specimen.name),
                Reading::Force => format!("measured force of specimen `{}` along `{dof}`", specimen.name),
            }
        }
        Quantity::External(e, i, reading) => {
            let external = &model.externals[e];
            let dof = &model.dofs[external.dofs[i]].name;
            match reading {
                Reading::Target => format!("displacement commanded to external `{}` along `{dof}`", external.name),
                Reading::Reached => format!("displacement reached by external `{}` along `{dof}`", external.name),
                Reading::Force => {
                    format!("force of external `{}` along `{dof}`, as returned by its program", external.name)
                }
            }
        }
        Quantity::Energy(part) => match part {
            EnergyPart::Kinetic => format!("kinetic energy{relative}"),
            EnergyPart::Internal => "work done on all elements".to_owned(),
            EnergyPart::Damping => "work dissipated by the damping matrix, part of the internal work".to_owned(),
            EnergyPart::Input => format!("work of the loads{relative}"),
            EnergyPart::Error => "input work minus internal work minus change of the kinetic energy".to_owned(),
        },
    };
    ChannelInfo::new(&c.name, &c.unit, quantity, &fit(&description))
}

/// What is read of a section, with the place of the section along its member.
fn section(model: &Model, e: usize, point: usize, what: Within, quantity: &str) -> String {
    let element = &model.elements[e];
    let Kind::Frame { frame, .. } = &element.kind else { return quantity.to_owned() };
    let xi = frame.part.member().map_or(0.0, |m| m.rule.xi[point]);
    let place = format!("section {} of `{}`, at {:.1} % of its length", point + 1, element.name, 100.0 * xi);
    let about = match what {
        Within::Strain(2) | Within::Force(2) => " about y",
        Within::Strain(1) | Within::Force(1) => " about z",
        _ => "",
    };
    match what {
        Within::FibreStrain(f) | Within::FibreStress(f) => {
            let units = &model.units;
            let (factor, unit) = (units.factor(Dimension::LENGTH), units.label(Dimension::LENGTH));
            let [y, z] = [frame.sections.y[f], frame.sections.z[f]].map(|x| short(x / factor));
            format!("{quantity} of fibre {} (y = {y} {unit}, z = {z} {unit}) in {place}", frame.sections.numbers[f])
        }
        _ => format!("{quantity}{about} in {place}"),
    }
}

/// What a channel of an update is.
fn learned(model: &Model, index: usize, what: Learned) -> String {
    let update = &model.updates[index];
    let element = &model.elements[update.teacher];
    let name = |i: usize| PARAMETERS[i].0;
    match what {
        Learned::Value(i) => format!("estimate of {} of `{}`", name(i), element.name),
        Learned::Low(i) => format!("lower bound (95 %) of {} of `{}`", name(i), element.name),
        Learned::High(i) => format!("upper bound (95 %) of {} of `{}`", name(i), element.name),
        Learned::Injected => "energy that changes of parameters gave to all elements that adapt".to_owned(),
        Learned::Tank => "energy that changes of parameters may give to them so far".to_owned(),
        Learned::Active => "1 until updating is disabled".to_owned(),
    }
}

/// A recorded quantity in a word or two.
fn quantity(q: &Quantity) -> &'static str {
    match q {
        Quantity::Displacement(_) => "displacement",
        Quantity::Velocity(_) => "velocity",
        Quantity::Acceleration(_) => "acceleration",
        Quantity::AbsoluteAcceleration(_) => "absolute acceleration",
        Quantity::Force(..) => "force",
        Quantity::Deformation(..) => "deformation",
        Quantity::State(..) => "state",
        Quantity::Section(_, _, Within::Force(0)) => "axial force",
        Quantity::Section(_, _, Within::Force(3)) => "torque",
        Quantity::Section(_, _, Within::Force(_)) => "moment",
        Quantity::Section(_, _, Within::Strain(0)) => "axial strain",
        Quantity::Section(_, _, Within::Strain(3)) => "twist",
        Quantity::Section(_, _, Within::Strain(_)) => "curvature",
        Quantity::Section(_, _, Within::FibreStrain(_)) => "strain",
        Quantity::Section(_, _, Within::FibreStress(_)) => "stress",
        Quantity::Drift { .. } => "storey drift",
        Quantity::Push(PushPart::Factor) => "load",
        Quantity::Push(PushPart::Work) => "energy",
        Quantity::LoadSignal(_) => "load",
        Quantity::Gap(_, 0) => "distance",
        Quantity::Gap(..) => "velocity difference",
        Quantity::InterfaceForce(_) => "interface force",
        Quantity::Link(_) => "link displacement",
        Quantity::Energy(_) => "energy",
        Quantity::Update(..) => "online updating",
        Quantity::Specimen(_, _, Reading::Target) | Quantity::External(_, _, Reading::Target) => "target",
        Quantity::Specimen(_, _, Reading::Reached) | Quantity::External(_, _, Reading::Reached) => {
            "measured displacement"
        }
        Quantity::Specimen(_, _, Reading::Force) | Quantity::External(_, _, Reading::Force) => "measured force",
    }
}
