//! The result file of a run: one self-describing HDF5 file, written as a stream.
//!
//! The file opens with `h5py.File` in Python, `h5read` in MATLAB and `load` in Octave, also while the run is still
//! going and after the run was killed; see [`layout`] for what is inside and why it is written by this crate
//! and by no library. [`Writer`] records through a thread of its own, [`Appender`] in the thread that calls, [`Reader`]
//! reads, [`attach`] adds what was found at the end, [`export`] turns the file into CSV or a MATLAB 5 file, [`summary`] summarises and
//! compares. Everything streams: memory does not grow with the run.
//!
//! **Must not be here:** stepping, models, a terminal, plotting; no other crate of the workspace is known here.
//!
//! ```
//! use interfield_results::{ChannelInfo, Meta, Reader, Writer, WriterOptions};
//!
//! let path = std::env::temp_dir().join(format!("interfield-doc-{}.h5", std::process::id()));
//! let meta = Meta { title: "free vibration".into(), ..Meta::default() };
//! let channels = [ChannelInfo::new("roof.ux", "m", "displacement", "drift of the roof")];
//! let mut writer = Writer::create(&path, &meta, &channels, WriterOptions::default())?;
//! for step in 0..1000 {
//!     let t = f64::from(step) * 1e-3;
//!     writer.push(t, &[t.cos()]);
//! }
//! assert_eq!(writer.finish("finished")?.rows, 1000);
//!
//! let reader = Reader::open(&path)?;
//! assert_eq!(reader.read(0, 0..2)?, [1.0, 1e-3_f64.cos()]);
//! # std::fs::remove_file(&path).ok();
//! # Ok::<(), interfield_results::Error>(())
//! ```

mod appender;
mod evidence;
pub mod export;
mod heap;
mod image;
pub mod layout;
mod place;
mod reader;
pub mod summary;
mod writer;

pub use appender::Appender;
pub use evidence::attach;
pub use reader::{Chunk, Chunks, Outcome, Reader};
pub use writer::{Policy, WriteReport, Writer, WriterOptions};

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What is known about a run before its first sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    /// What the run is, in one line.
    pub title: String,
    /// Name of the program that made the run.
    pub program: String,
    /// Version of that program.
    pub version: String,
    /// When the run began, ISO 8601 in UTC; [`now_iso8601`] makes one.
    pub created: String,
    /// The model file, word for word.
    pub model_text: String,
    /// Every setting of the run by name; a name may appear once.
    pub settings: Vec<(String, Setting)>,
}

impl Meta {
    /// The setting of a name.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|(n, _)| n == name).map(|(_, setting)| setting)
    }
}

/// What a setting says.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// Words.
    Text(String),
    /// A number of things.
    Count(u64),
    /// A number and its unit.
    Number(f64, String),
}

impl Setting {
    /// Its words, if it has any.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// A time, s. Version 1 of the file kept times as words.
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Number(value, unit) => (unit == "s").then_some(*value),
            Self::Text(text) => text.strip_suffix(" s")?.parse().ok(),
            Self::Count(_) => None,
        }
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Setting {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(n) => write!(f, "{n}"),
            Self::Number(value, unit) if unit.is_empty() => write!(f, "{value}"),
            Self::Number(value, unit) => write!(f, "{value} {unit}"),
        }
    }
}

/// What one channel records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelInfo {
    /// Unique name, any text.
    pub name: String,
    /// Unit of the values, for example `m` or `kN`.
    pub unit: String,
    /// What is measured, for example `displacement`.
    pub quantity: String,
    /// A sentence for the reader.
    pub description: String,
}

impl ChannelInfo {
    /// A channel from its four texts.
    pub fn new(name: &str, unit: &str, quantity: &str, description: &str) -> Self {
        Self { name: name.into(), unit: unit.into(), quantity: quantity.into(), description: description.into() }
    }
}

/// What can go wrong with a result file.
#[derive(Debug)]
pub enum Error {
    /// The operating system refused.
    Io {
        /// The file it happened to.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no result file, or a damaged one.
    Format {
        /// The file it happened to.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// An argument makes no sense.
    Invalid(String),
    /// Recording stopped before the run did; everything before it is in the file.
    Recording {
        /// The file it happened to.
        path: PathBuf,
        /// What the system said.
        what: String,
        /// Rows that are in the file.
        rows: u64,
        /// Rows that are not: refused or lost after the failure.
        lost: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Format { path, what } => write!(f, "{}: not a readable result file: {what}", path.display()),
            Self::Invalid(what) => f.write_str(what),
            Self::Recording { path, what, rows, lost } => {
                write!(f, "{}: recording stopped: {what}; {rows} rows are in the file, {lost} are lost", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Shorthand for the errors of this crate.
pub type Result<T> = std::result::Result<T, Error>;

pub(crate) fn io_error(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.to_path_buf(), source }
}

/// The present moment as `2026-11-15T12:39:40Z`.
pub fn now_iso8601() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    iso8601(seconds)
}

/// Seconds since 1970 as a date, by the civil-calendar algorithm of H. Hinnant.
fn iso8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Names that are taken beside the channels in a MATLAB workspace.
const RESERVED: [&str; 3] = ["time", "info", "units"];
const KEYWORDS: [&str; 20] = [
    "break",
    "case",
    "catch",
    "classdef",
    "continue",
    "else",
    "elseif",
    "end",
    "for",
    "function",
    "global",
    "if",
    "otherwise",
    "parfor",
    "persistent",
    "return",
    "spmd",
    "switch",
    "try",
    "while",
];

/// Unique identifiers for a workspace of MATLAB, one for each name: `roof.ux` becomes `roof_ux`.
pub fn identifiers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken: std::collections::HashSet<String> = RESERVED.iter().map(|s| (*s).to_owned()).collect();
    let mut result = Vec::new();
    for name in names {
        let mut base: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert_str(0, "ch_");
        }
        base.truncate(56);
        if KEYWORDS.contains(&base.as_str()) {
            base.push('_');
        }
        let mut candidate = base.clone();
        let mut count = 2;
        while !taken.insert(candidate.clone()) {
            candidate = format!("{base}_{count}");
            count += 1;
        }
        result.push(candidate);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_calendar() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso8601(1_794_746_380), "2026-11-15T12:39:40Z");
        assert_eq!(iso8601(4_102_444_799), "2099-12-31T23:59:59Z");
    }

    #[test]
    fn identifiers_are_valid_and_unique() {
        let names = ["roof.ux", "roof ux", "2nd", "time", "end", "Größe", ""];
        assert_eq!(
            identifiers(names),
            ["roof_ux", "roof_ux_2", "ch_2nd", "time_2", "end_", "Gr__e", "ch_"].map(str::to_owned)
        );
    }
}
