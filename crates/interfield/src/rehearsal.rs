//! The record of a rehearsal: what was rehearsed, told apart by its fingerprint, and how that ended. Whoever is about to move real hardware asks
//! [`look_up`] first.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::files;
use crate::{Choices, ModelFile};

/// Folder of the records.
const OUT: &str = "interfield-out";
/// The program that rehearsed.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is known of the rehearsal of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rehearsal {
    /// It was ready.
    Passed,
    /// It was not, for these reasons.
    Failed(Vec<String>),
    /// The model, a file it reads, a setting or the program has changed since.
    Changed,
    /// There is none, or its record cannot be read.
    Missing,
}

/// Where the record of a model is.
pub fn record_of(model: &Path) -> PathBuf {
    let stem = model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy());
    Path::new(OUT).join(format!("{stem}.rehearsal.json"))
}

/// SHA-256 over all that makes a test what it is: the expanded text of its model, the files it reads, and what the command line changes. The error is a sentence.
pub fn fingerprint(loaded: &ModelFile, args: &Choices) -> Result<String, String> {
    digest(loaded, args).map(|digest| digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The same as bytes.
pub(crate) fn digest(loaded: &ModelFile, args: &Choices) -> Result<[u8; 32], String> {
    let variants = loaded.variants();
    let model = variants.model(args)?;
    // A model that is only pushed is, however it is asked to.
    let pushover = model.analysis.statics.then(|| args.pushover.clone().unwrap_or_default());
    let args = &Choices { pushover, ..args.clone() };
    let mut hash = Sha256::new();
    // Each part with its length, so that nothing can move from one into the next.
    let mut add = |name: &str, bytes: &[u8]| {
        for part in [name.as_bytes(), bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    };
    let text = loaded.expanded(args).map_err(|_| "the model cannot be written".to_owned())?;
    add("model", text.as_bytes());
    for (name, bytes) in variants.files() {
        add(&name, &bytes.unwrap_or_default());
    }
    // Not all of them are in the text: the order of the fields is that of the command line's help.
    add("settings", format!("{args:?}").as_bytes());
    Ok(hash.finalize().into())
}

/// Writes the record of a rehearsal; the error is a sentence.
pub fn keep(model: &Path, fingerprint: &str, numbers: &Value) -> Result<PathBuf, String> {
    let path = record_of(model);
    let record = json!({
        "program": "interfield", "version": VERSION, "model": model.display().to_string(), "fingerprint": fingerprint,
        "ready": numbers["ready"], "objections": numbers["objections"], "numbers": numbers,
    });
    files::write(&path, format!("{record:#}\n"))?;
    Ok(path)
}

/// What is known of the rehearsal of a model with these settings.
pub fn of(loaded: &ModelFile, args: &Choices) -> Rehearsal {
    fingerprint(loaded, args).map_or(Rehearsal::Missing, |print| look_up(loaded.path(), &print))
}

/// What is known of the rehearsal of a model with this fingerprint.
pub fn look_up(model: &Path, fingerprint: &str) -> Rehearsal {
    let text = std::fs::read_to_string(record_of(model)).unwrap_or_default();
    let Ok(record) = serde_json::from_str::<Value>(&text) else { return Rehearsal::Missing };
    if record["fingerprint"] != fingerprint || record["version"] != VERSION {
        return Rehearsal::Changed;
    }
    if record["ready"] == true {
        return Rehearsal::Passed;
    }
    let said = record["objections"].as_array().map(Vec::as_slice).unwrap_or_default();
    Rehearsal::Failed(said.iter().map(|o| o.as_str().unwrap_or_default().to_owned()).collect())
}
