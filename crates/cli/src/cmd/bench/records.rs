//! Ground motions of the benchmark: three records in a folder of the user, or a synthetic one.

use std::path::{Path, PathBuf};

use crate::Exit;
use crate::output::fail_all;
use interfield_lab::benchmark::Motion;
use interfield_language::signal::{Signal, synthetic_motion};
use interfield_motion::{MAX_BYTES, Quantity, ReadOptions, read_bytes};

/// Names of the benchmark and what the name of a file contains.
const RECORDS: [(&str, &[&str]); 3] =
    [("El Centro", &["elcentro", "el_centro", "el-centro"]), ("Kobe", &["kobe"]), ("Morgan Hill", &["morgan"])];

/// Which of several files is meant.
const PREFERRED: &str = "benchmark";

/// Peak of the synthetic motion before the factor of the benchmark, m/s²: that of El Centro.
const SYNTHETIC_PEAK: f64 = 3.13493;

/// What is wrong with a folder, and what to do.
struct Missing {
    file: String,
    message: String,
    help: String,
}

/// The ground motions of a test and the files they come from: those of a folder, or the motion that needs none.
pub(super) fn load(folder: Option<&Path>, json: bool) -> Result<(Vec<Motion>, Vec<String>), Exit> {
    let Some(folder) = folder else { return Ok((synthetic(), Vec::new())) };
    match from_folder(folder) {
        Ok(found) => Ok(found.into_iter().map(|(motion, path)| (motion, path.display().to_string())).unzip()),
        Err(missing) => {
            let file = missing.first().map(|m| m.file.clone());
            let messages: Vec<(String, String)> = missing.into_iter().map(|m| (m.message, m.help)).collect();
            fail_all(json, file.as_deref(), None, &messages);
            Err(Exit::Failure)
        }
    }
}

/// The motion that needs no file.
fn synthetic() -> Vec<Motion> {
    match synthetic_motion(SYNTHETIC_PEAK) {
        Signal::Samples { dt, values, .. } => {
            vec![Motion { name: "synthetic".to_owned(), dt, values: values.to_vec() }]
        }
        _ => Vec::new(),
    }
}

/// The records of the benchmark, with the files they come from; or all that is wrong.
fn from_folder(folder: &Path) -> Result<Vec<(Motion, PathBuf)>, Vec<Missing>> {
    let name = folder.display().to_string();
    let entries = std::fs::read_dir(folder).map_err(|e| {
        let help = "give the folder of the three records of the benchmark, or leave --records out".to_owned();
        vec![Missing { file: name.clone(), message: format!("`{name}` cannot be read: {e}"), help }]
    })?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_file()).collect();
    files.sort();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (record, keys) in RECORDS {
        match choose(&files, keys).map(|path| read(record, path)) {
            Some(Ok(motion)) => found.push(motion),
            Some(Err(problem)) => missing.push(problem),
            None => missing.push(Missing {
                file: name.clone(),
                message: format!("no record of {record} in `{name}`"),
                help: format!("its file name should contain \"{}\"", keys[0]),
            }),
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(missing) }
}

fn choose<'a>(files: &'a [PathBuf], keys: &[&str]) -> Option<&'a PathBuf> {
    let name = |p: &PathBuf| p.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    let fits: Vec<&PathBuf> = files.iter().filter(|p| keys.iter().any(|k| name(p).contains(k))).collect();
    fits.iter().find(|p| name(p).contains(PREFERRED)).or(fits.first()).copied()
}

fn read(record: &str, path: &Path) -> Result<(Motion, PathBuf), Missing> {
    let name = path.display().to_string();
    let problem = |message: String, help: String| Missing { file: name.clone(), message, help };
    let bytes = interfield::read_bytes(path, MAX_BYTES as u64)
        .map_err(|e| problem(format!("`{name}` {e}"), "give another folder with --records".to_owned()))?;
    let read = |unit| read_bytes(&bytes, &ReadOptions { unit, ..ReadOptions::default() });
    // Columns of numbers that name no unit are those of the benchmark, in m/s².
    let found = read(None).or_else(|_| read(Some(1.0)));
    let found = found.map_err(|e| problem(format!("`{name}`: {}", e.message), e.help))?;
    if found.quantity != Quantity::Acceleration {
        let help = "the benchmark takes accelerations".to_owned();
        return Err(problem(format!("`{name}` is a {}", found.quantity.name()), help));
    }
    Ok((Motion { name: record.to_owned(), dt: found.dt, values: found.values }, path.to_owned()))
}
