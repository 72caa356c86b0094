//! Which files a run writes. What was recorded is never replaced: a test takes the first free number, or is refused the name
//! it was given; a computed run may replace its own earlier result, but nothing that a test has left.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use interfield_results::Reader;

use crate::files::{folder, unwritten};
use crate::laboratory::PREFIX;
use crate::record::Format;
use crate::refused::{Cause, Refused};

/// Folder for results that nobody gave a place.
pub const OUT: &str = "interfield-out";

/// What a run writes.
#[derive(Debug)]
pub struct Files {
    /// Result file.
    pub results: PathBuf,
    /// Its kind.
    pub format: Format,
    /// Report.
    pub report: Option<PathBuf>,
    /// Whether results that are there may be replaced.
    pub replace: bool,
    /// Keeps the number as long as nothing is written under it.
    _claim: Option<Claim>,
}

/// What the command line says about files.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Name of the model, after which files are named if nothing else is said.
    pub stem: String,
    /// Result file.
    pub output: Option<PathBuf>,
    /// Report.
    pub report: Option<PathBuf>,
}

impl Wanted {
    /// The files of a run; `test` says whether it moves a specimen.
    pub fn files(&self, test: bool) -> Result<Files, Refused> {
        let Some(output) = &self.output else { return self.numbered(test) };
        let Some(format) = Format::of(output) else {
            let help = "write --output FILE.h5 for a result file or --output FILE.csv for comma-separated values";
            let message = format!("`{}`: unknown file type", output.display());
            return Err(Refused::new(Cause::Input, message, help));
        };
        if let Some(there) = if test { present(output) } else { irreplaceable(output) } {
            let free = (2..).map(|n| with_number(output, n)).find(|path| present(path).is_none());
            let free = free.unwrap_or_else(|| output.clone());
            let message = format!("{there}; recordings are never replaced");
            let help = format!("give another --output, for example --output {}", free.display());
            return Err(Refused::new(Cause::Input, message, help));
        }
        Ok(Files { results: output.clone(), format, report: self.report.clone(), replace: !test, _claim: None })
    }

    /// Files in the folder for results: those of the model's name, or of the first number that is free.
    fn numbered(&self, test: bool) -> Result<Files, Refused> {
        let first = Path::new(OUT).join(format!("{}.h5", self.stem));
        let mut number = 1;
        loop {
            let results = with_number(&first, number);
            let page = results.with_extension("html");
            let report = Some(self.report.clone().unwrap_or_else(|| page.clone()));
            let files = |claim| Files {
                results: results.clone(),
                format: Format::Results,
                report,
                replace: true,
                _claim: claim,
            };
            if !test && irreplaceable(&results).is_none() {
                return Ok(files(None));
            }
            if test && present(&results).is_none() && !page.exists() {
                match Claim::take(&results) {
                    Ok(Some(claim)) => return Ok(files(Some(claim))),
                    Ok(None) => {}
                    Err(message) => {
                        let help = "give another file with --output, for example --output results.h5";
                        return Err(Refused::new(Cause::Machine, message, help));
                    }
                }
            }
            number += 1;
        }
    }
}

/// The first recording of this name that is free, for a test without a result file; the claim keeps it until it is written.
pub fn free_recording(results: &Path, name: impl Fn(&Path) -> PathBuf) -> Result<(PathBuf, Claim), String> {
    let mut number = 1;
    loop {
        let results = with_number(results, number);
        if present(&results).is_none()
            && let Some(claim) = Claim::take(&name(&results))?
        {
            return Ok((results, claim));
        }
        number += 1;
    }
}

/// `NAME-2.h5` for `NAME.h5` and 2; the name itself for 1.
pub fn with_number(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

/// What there is of a run with this result file, in words.
pub fn present(results: &Path) -> Option<String> {
    // A link that leads nowhere is there too.
    let there = |path: &Path| path.symlink_metadata().is_ok();
    let found = if there(results) { Some(results.to_owned()) } else { recordings(results).into_iter().next() };
    found.map(|path| format!("`{}` exists already", path.display()))
}

/// Why a result file may not even be replaced by a computed run, in words.
fn irreplaceable(results: &Path) -> Option<String> {
    let shown = results.display();
    if let Some(recording) = recordings(results).first() {
        return Some(format!("`{shown}` belongs to the recording `{}`", recording.display()));
    }
    let length = std::fs::metadata(results).ok().filter(std::fs::Metadata::is_file)?.len();
    if length == 0 || Format::of(results) != Some(Format::Results) {
        return None;
    }
    match Reader::open(results) {
        Ok(reader) if holds_test(&reader) => Some(format!("`{shown}` holds a test")),
        Ok(_) => None,
        // Perhaps a test whose file was damaged, certainly not the result of an earlier run.
        Err(interfield_results::Error::Format { .. }) => Some(format!("`{shown}` is not the result of an earlier run")),
        Err(_) => None,
    }
}

/// Recordings beside a result file.
pub fn recordings(results: &Path) -> Vec<PathBuf> {
    let stem = results.file_stem().unwrap_or_default().to_string_lossy().into_owned() + ".";
    let folder = results.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of_it = |name: &str| name.strip_prefix(&stem).is_some_and(|rest| format!(".{rest}").ends_with(".lab.h5"));
    let mut found: Vec<PathBuf> = entries
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|name| of_it(name))
        .map(|name| results.with_file_name(name))
        .collect();
    found.sort();
    found
}

/// Whether a file holds a test: a recording, or a result with a laboratory.
pub fn holds_test(reader: &Reader) -> bool {
    let meta = reader.meta();
    let specimen = |line: &str| line.starts_with("[[specimen]]") || line.starts_with("specimen ");
    meta.settings.iter().any(|(name, _)| name.starts_with(PREFIX))
        || reader.channels().iter().any(|c| c.name.ends_with(".command"))
        // Files of earlier versions have no settings of their laboratory.
        || meta.model_text.lines().any(|l| specimen(l.trim_start()))
}

/// An empty file that holds a name for a run which has not written it yet. It goes again if nothing ever is.
#[derive(Debug)]
pub struct Claim(PathBuf);

impl Claim {
    /// `None` if somebody else has it.
    fn take(path: &Path) -> Result<Option<Self>, String> {
        folder(path).map_err(|e| unwritten(path, &e))?;
        let made: std::io::Result<File> = OpenOptions::new().write(true).create_new(true).open(path);
        match made {
            Ok(_) => Ok(Some(Claim(path.to_owned()))),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(e) => Err(unwritten(path, &e)),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if std::fs::metadata(&self.0).is_ok_and(|m| m.is_file() && m.len() == 0) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_extension() {
        let number = |n| with_number(Path::new("out/a.b.h5"), n);
        assert_eq!(
            [number(1), number(2), number(30)].map(|p| p.display().to_string()),
            ["out/a.b.h5", "out/a.b-2.h5", "out/a.b-30.h5"]
        );
    }

    #[test]
    fn recordings_are_found_by_the_name_of_their_result() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.lab.h5", "a.rig.lab.h5", "a-2.lab.h5", "ab.lab.h5", "a.h5", "a.html"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let of = |name: &str| -> Vec<String> {
            let found = recordings(&folder.path().join(name));
            found.iter().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(of("a.h5"), ["a.lab.h5", "a.rig.lab.h5"]);
        assert_eq!(of("a-2.csv"), ["a-2.lab.h5"]);
        assert!(of("b.h5").is_empty());
    }

    #[test]
    fn a_claim_is_had_once_and_leaves_nothing_empty_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/a.h5");
        let first = Claim::take(&path).unwrap().expect("free");
        assert!(Claim::take(&path).unwrap().is_none());
        drop(first);
        assert!(!path.exists());
        let second = Claim::take(&path).unwrap().expect("free again");
        std::fs::write(&path, "results").unwrap();
        drop(second);
        assert!(path.exists());
    }
}
