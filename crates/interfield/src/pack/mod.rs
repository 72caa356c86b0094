//! The evidence of tests in one folder, and one archive: everything they were made with, everything they left, and how to know
//! that nothing has changed. Its layout and fields are those of a hybrid simulation in DesignSafe, its metadata are a research
//! object (RO-Crate 1.1); `interfield replay` makes its tests again from it alone.

mod gather;
mod metadata;
mod open;

pub use gather::gather;
pub use metadata::About;
use metadata::metadata;
pub use open::{Pack, Packed, is_pack};

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::sha256;

/// What replays need to know.
const CONTENTS: &str = "pack.json";
/// Hashes of all other files, as `sha256sum --check` reads them.
const MANIFEST: &str = "manifest-sha256.txt";
/// The metadata, by the name that RO-Crate wants.
const CRATE: &str = "ro-crate-metadata.json";
/// The same data as entities of DesignSafe.
const DESIGNSAFE: &str = "designsafe.json";
/// What the attribute `format` of the contents says.
const FORMAT: &str = "interfield-pack";

/// The parts of a hybrid simulation, as DesignSafe names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Part {
    GlobalModel,
    Coordinator,
    SimSubstructure,
    ExpSubstructure,
    CoordinatorOutput,
    SimOutput,
    ExpOutput,
    Report,
}

impl Part {
    const ALL: [Part; 8] = [
        Part::GlobalModel,
        Part::Coordinator,
        Part::SimSubstructure,
        Part::ExpSubstructure,
        Part::CoordinatorOutput,
        Part::SimOutput,
        Part::ExpOutput,
        Part::Report,
    ];

    /// Folder, name of the entity in DesignSafe, title, what is in it.
    fn words(self) -> [&'static str; 4] {
        match self {
            Part::GlobalModel => [
                "global-model",
                "global_model",
                "Global Model",
                "The structure as a whole: model files and ground motions.",
            ],
            Part::Coordinator => [
                "coordinator",
                "coordinator",
                "Master Simulation Coordinator",
                "The program that coordinated the test: version and all settings of the run.",
            ],
            Part::SimSubstructure => [
                "sim-substructure",
                "sim_substructure",
                "Simulation Substructure",
                "Computed substructures: schemes, steps, coupling.",
            ],
            Part::ExpSubstructure => [
                "exp-substructure",
                "exp_substructure",
                "Experimental Substructure",
                "Tested substructures: actuators, sensors, compensation, limits and their actions.",
            ],
            Part::CoordinatorOutput => [
                "coordinator-output",
                "coordinator_output",
                "Coordinator Output",
                "Verdict with its numbers, timing, communication statistics, log with the operator commands.",
            ],
            Part::SimOutput => ["sim-output", "sim_output", "Simulation Output", "Histories of the structure."],
            Part::ExpOutput => {
                ["exp-output", "exp_output", "Experimental Output", "Recordings of the laboratory, sample by sample."]
            }
            Part::Report => ["report", "report", "Report", "The page of each test."],
        }
    }

    fn folder(self) -> &'static str {
        self.words()[0]
    }
}

/// What a file of a pack is made of.
#[derive(Debug)]
pub enum Content {
    /// A file of the disk.
    Copy(PathBuf),
    /// These bytes.
    Bytes(Vec<u8>),
}

/// A file of a pack.
#[derive(Debug)]
pub struct Item {
    /// What it belongs to.
    pub part: Part,
    /// Below the folder of its part.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// What is in it.
    pub content: Content,
}

impl Item {
    fn path(&self) -> String {
        format!("{}/{}", self.part.folder(), self.name)
    }
}

/// A file that has been written: where, its length and hash.
#[derive(Debug)]
pub struct Written {
    /// Below the folder of the pack.
    pub path: String,
    /// Bytes.
    pub length: u64,
    /// SHA-256.
    pub hash: String,
}

/// What the pack says of its tests, for replays.
pub fn contents(tests: &[Value]) -> Value {
    json!({ "format": FORMAT, "version": 1, "packed_by": env!("CARGO_PKG_VERSION"), "tests": tests })
}

/// Writes the folder, which must not be there; the error is a sentence.
pub fn write(folder: &Path, items: &[Item], contents: &Value, about: &About) -> Result<Vec<Written>, String> {
    let failed = |path: &Path, e: io::Error| format!("`{}` cannot be written: {e}", path.display());
    let put = |path: &str, content: &Content| -> Result<Written, String> {
        let place = folder.join(path);
        let write = || -> io::Result<Written> {
            if let Some(parent) = place.parent() {
                std::fs::create_dir_all(parent)?;
            }
            match content {
                Content::Copy(from) => drop(std::fs::copy(from, &place)?),
                Content::Bytes(bytes) => std::fs::write(&place, bytes)?,
            }
            let length = std::fs::metadata(&place)?.len();
            Ok(Written { path: path.to_owned(), length, hash: sha256::of_file(&place)? })
        };
        write().map_err(|e| failed(&place, e))
    };
    let mut written = Vec::new();
    for item in items {
        written.push(put(&item.path(), &item.content)?);
    }
    let pretty = |value: &Value| Content::Bytes(format!("{value:#}\n").into_bytes());
    written.push(put(CONTENTS, &pretty(contents))?);
    let [designsafe, research_object] = metadata(items, &written, about);
    written.push(put(DESIGNSAFE, &pretty(&designsafe))?);
    written.push(put(CRATE, &pretty(&research_object))?);
    let manifest: String = written.iter().map(|w| format!("{}  {}\n", w.hash, w.path)).collect();
    put(MANIFEST, &Content::Bytes(manifest.into_bytes()))?;
    Ok(written)
}

/// Packs a written folder as one archive, with a fixed date, so that the same evidence gives the same bytes.
pub fn archive(folder: &Path, written: &[Written], to: &Path) -> Result<(), String> {
    let pack = || -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut zip = ZipWriter::new(io::BufWriter::new(File::create_new(to)?)).set_auto_large_file();
        for path in written.iter().map(|w| w.path.as_str()).chain([MANIFEST]) {
            zip.start_file(path, options)?;
            io::copy(&mut File::open(folder.join(path))?, &mut zip)?;
        }
        zip.finish()?.flush()
    };
    pack().map_err(|e| format!("`{}` cannot be written: {e}", to.display()))
}
