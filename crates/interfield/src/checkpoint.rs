//! Checkpoints of a run: its complete state on the disk, from which another process goes on, bit for bit.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interfield_kernel::Persist;
use interfield_structure::checkpoint::{Checkpoint, Fingerprint};

use crate::files::{same, unwritten};
use crate::outputs::Files;
use crate::refused::{Cause, Refused};

/// File name extension.
pub const EXTENSION: &str = "checkpoint";

/// The checkpoint beside a result file.
pub fn beside(results: &Path) -> PathBuf {
    results.with_extension(EXTENSION)
}

/// The newest checkpoint of a run that would write `results`, also under a number.
pub fn newest(results: &Path) -> Option<PathBuf> {
    let stem = results.file_stem()?.to_string_lossy().into_owned();
    let folder = results.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = |path: &PathBuf| {
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let number = name.strip_prefix(&stem).map(|rest| rest.trim_start_matches('-'));
        let numbered = number.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
        numbered && path.extension().is_some_and(|e| e == EXTENSION)
    };
    let found = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).filter(own);
    found.max_by_key(|path| path.metadata().and_then(|m| m.modified()).ok())
}

/// Writes checkpoints from time to time.
pub(crate) struct Keeper {
    path: PathBuf,
    every: Duration,
    last: Instant,
    fingerprint: Fingerprint,
}

impl Keeper {
    pub(crate) fn new(results: &Path, every: Duration, fingerprint: Fingerprint) -> Self {
        Keeper { path: beside(results), every, last: Instant::now(), fingerprint }
    }

    /// Whether it is time for one.
    pub(crate) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every
    }

    /// Writes one, whole or not at all: the one before stays until then. The error is a sentence.
    pub(crate) fn keep(&mut self, run: &mut dyn Persist, step: u64) -> Result<(), String> {
        let checkpoint = Checkpoint::take(run, self.fingerprint, step).map_err(|e| e.to_string())?;
        let unfinished = self.path.with_extension("checkpoint-unfinished");
        let write = || {
            let mut file = File::create(&unfinished)?;
            file.write_all(&checkpoint.to_bytes())?;
            file.sync_data()?;
            std::fs::rename(&unfinished, &self.path)
        };
        write().map_err(|e| unwritten(&self.path, &e))?;
        self.last = Instant::now();
        Ok(())
    }

    /// The run has come to its end: nobody goes on from here.
    pub(crate) fn remove(&self) {
        // One that cannot be removed does no harm: it is known by its fingerprint.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Reads a checkpoint of the model and the choices with this fingerprint.
pub(crate) fn read(path: &Path, fingerprint: &Fingerprint) -> Result<Checkpoint, Refused> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| {
        let help = "give the checkpoint that `interfield run --checkpoint` left beside the results";
        Refused::new(Cause::Machine, format!("the checkpoint `{name}` cannot be read: {e}"), help)
    })?;
    Checkpoint::from_bytes(&bytes, fingerprint).map_err(|e| {
        Refused::new(Cause::Input, format!("the run cannot continue from `{name}`: {e}"), "or omit --resume")
    })
}

/// What a run is known by that was ended before its time.
pub(crate) struct Earlier {
    pub(crate) checkpoint: PathBuf,
    /// Where its results were.
    own: PathBuf,
    /// Its result file, moved out of the way if the new one takes its place.
    pub(crate) results: Option<PathBuf>,
    moved: bool,
}

impl Earlier {
    pub(crate) fn of(checkpoint: &Path, files: Option<&Files>) -> Result<Self, Refused> {
        let Some(files) = files else {
            let own = PathBuf::new();
            return Ok(Earlier { checkpoint: checkpoint.to_owned(), own, results: None, moved: false });
        };
        let extension = files.results.extension().unwrap_or_default();
        let (own, aside) = (
            checkpoint.with_extension(extension),
            checkpoint.with_extension(format!("earlier.{}", extension.display())),
        );
        let moved = own == files.results || same(&own, &files.results);
        // One that is aside already was being copied when its successor was ended.
        if moved && !aside.exists() {
            std::fs::rename(&own, &aside).map_err(|e| {
                let message = format!("`{}` cannot be moved to `{}`: {e}", own.display(), aside.display());
                Refused::new(Cause::Machine, message, "give another file with --output")
            })?;
        }
        let results = Some(if moved { aside } else { own.clone() });
        Ok(Earlier { checkpoint: checkpoint.to_owned(), own, results, moved })
    }

    /// Nothing came of it: the results are again where they were.
    pub(crate) fn put_back(&self) {
        if let Some(aside) = self.results.as_ref().filter(|_| self.moved) {
            // Where that fails they are still there under the other name.
            let _ = std::fs::rename(aside, &self.own);
        }
    }

    /// All rows have been taken over.
    pub(crate) fn clean(&self) {
        if let Some(aside) = self.results.as_ref().filter(|_| self.moved) {
            let _ = std::fs::remove_file(aside);
        }
    }
}
