//! A pack, read again: a folder or an archive from anywhere, believed only where its hashes are right.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use interfield_fmi::scratch::Scratch;
use serde_json::Value;
use zip::ZipArchive;

use super::{CONTENTS, FORMAT, MANIFEST};
use crate::Choices;
use crate::sha256;

/// Most bytes of an archive when it is unpacked: a test of a day at 10 kHz with a dozen actuators is smaller.
const MOST: u64 = 1 << 40;

/// A test of a pack.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Its name.
    pub name: String,
    /// Its model, with all it includes.
    pub model: PathBuf,
    /// What the run replaced of it.
    pub settings: Choices,
    /// Files that the model refers to, by the names it has for them.
    pub files: BTreeMap<String, PathBuf>,
    /// The result; a served test has none.
    pub result: Option<PathBuf>,
    /// What its laboratories recorded.
    pub recordings: Vec<PathBuf>,
}

/// A pack.
#[derive(Debug)]
pub struct Pack {
    /// Its tests.
    pub tests: Vec<Packed>,
    /// Where an archive was unpacked; goes with this value.
    _unpacked: Option<Scratch>,
}

/// Whether this is a pack rather than a recording.
pub fn is_pack(path: &Path) -> bool {
    let zipped = || {
        let mut head = [0; 4];
        File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head == *b"PK\x03\x04"
    };
    path.is_dir() || (path.is_file() && zipped())
}

impl Pack {
    /// Opens a pack and looks at every file of it; the error says everything that is wrong, a line each.
    pub fn open(path: &Path) -> Result<Self, String> {
        if path.is_dir() {
            return Ok(Pack { tests: read(path)?, _unpacked: None });
        }
        let folder = Scratch::new("pack").map_err(|e| format!("no folder for temporary files: {e}"))?;
        unpack(path, folder.path()).map_err(|e| format!("`{}` cannot be unpacked: {e}", path.display()))?;
        Ok(Pack { tests: read(folder.path())?, _unpacked: Some(folder) })
    }
}

fn unpack(path: &Path, to: &Path) -> io::Result<()> {
    let mut zip = ZipArchive::new(BufReader::new(File::open(path)?))?;
    let mut left = MOST;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index)?;
        let Some(inside) = entry.enclosed_name().filter(|_| !entry.is_symlink()) else {
            return Err(io::Error::other("an entry points outside the archive"));
        };
        let place = to.join(inside);
        if entry.is_dir() {
            std::fs::create_dir_all(&place)?;
            continue;
        }
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let copied = io::copy(&mut Read::by_ref(&mut entry).take(left + 1), &mut File::create_new(&place)?)?;
        left = left.checked_sub(copied).ok_or_else(|| io::Error::other("it is too large"))?;
    }
    Ok(())
}

/// A path of the pack, which must not lead out of it.
fn within(folder: &Path, path: &str) -> Option<PathBuf> {
    let plain = !path.is_empty() && Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
    plain.then(|| folder.join(path))
}

/// The tests of a folder, all of whose files are as they were packed.
fn read(folder: &Path) -> Result<Vec<Packed>, String> {
    let text = |name: &str| {
        let unread = |e: io::Error| format!("it was not written by `interfield pack`: {name}: {e}");
        std::fs::read_to_string(folder.join(name)).map_err(unread)
    };
    let manifest = text(MANIFEST)?;
    let mut changed = Vec::new();
    let mut known = Vec::new();
    for (hash, path) in manifest.lines().filter_map(|line| line.split_once("  ")) {
        let found = within(folder, path).map(|place| sha256::of_file(&place));
        match found {
            Some(Ok(found)) if found == hash => known.push(path),
            Some(Ok(_)) => changed.push(format!("`{path}` has changed since it was packed")),
            Some(Err(e)) => changed.push(format!("`{path}` cannot be read: {e}")),
            None => changed.push(format!("`{path}` points outside the pack")),
        }
    }
    if !changed.is_empty() {
        return Err(changed.join("\n"));
    }
    let contents: Value = serde_json::from_str(&text(CONTENTS)?).map_err(|e| format!("{CONTENTS}: {e}"))?;
    if contents["format"] != FORMAT || contents["version"] != 1 || !known.contains(&CONTENTS) {
        return Err(format!("this program cannot read the version of {CONTENTS}"));
    }
    let tests = contents["tests"].as_array().into_iter().flatten();
    // Only what the manifest vouches for.
    let place = |v: &Value| v.as_str().filter(|path| known.contains(path)).and_then(|path| within(folder, path));
    let one = |t: &Value| {
        let files = t["files"].as_object().into_iter().flatten();
        Some(Packed {
            name: t["name"].as_str()?.to_owned(),
            model: place(&t["model"])?,
            settings: Choices::from_json(&t["overrides"]),
            files: files.map(|(name, path)| Some((name.clone(), place(path)?))).collect::<Option<_>>()?,
            result: if t["result"].is_null() { None } else { Some(place(&t["result"])?) },
            recordings: t["recordings"].as_array()?.iter().map(place).collect::<Option<_>>()?,
        })
    };
    tests.map(one).collect::<Option<_>>().ok_or_else(|| {
        format!(
            "{CONTENTS} lists files that are missing in the \
        manifest"
        )
    })
}
