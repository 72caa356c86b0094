//! The records of an ensemble: files, folders and lists of them, as ground motions with one or more components.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interfield_motion::pairs::components;
use interfield_motion::read::ReadError;
use interfield_motion::{MAX_BYTES, Quantity, ReadOptions, Record};

use super::question::Mistake;
use interfield::read_bytes;

/// Name of a list of records in a folder.
const LIST: &str = "records.csv";
/// Most components of a motion.
const DIRECTIONS: [&str; 3] = ["x", "y", "z"];
/// Files with these endings claim to be records: one that cannot be read is a mistake, not something else in the folder.
const ENDINGS: [&str; 12] = ["at2", "csv", "tsv", "dat", "acc", "asc", "smc", "v1", "v1a", "v2", "tha", "cor"];

/// A ground motion.
#[derive(Clone, Debug)]
pub(super) struct Shaking {
    pub name: String,
    /// What each component is called: a file, a column, or a direction of a list.
    labels: Vec<String>,
    pub components: Vec<Record>,
    /// Components that were left out, with what they are called.
    pub left_out: Vec<String>,
}

/// All ground motions, and what was left out of the folders, with the reason.
#[derive(Default)]
pub(super) struct Records {
    pub motions: Vec<Shaking>,
    pub skipped: Vec<(String, String)>,
}

impl Records {
    /// Reads files, folders and lists.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, Vec<Mistake>> {
        let (mut records, mut mistakes) = (Records::default(), Vec::new());
        for path in paths {
            let read = if path.is_dir() { records.folder(path) } else { records.file(path) };
            mistakes.extend(read.err().into_iter().flatten());
        }
        if records.motions.is_empty() && !paths.is_empty() && mistakes.is_empty() {
            let names: Vec<String> = paths.iter().map(|p| format!("`{}`", p.display())).collect();
            let skipped: Vec<String> = records.skipped.iter().map(|(name, why)| format!("{name}: {why}")).collect();
            let skipped = if skipped.is_empty() { String::new() } else { format!(" ({})", skipped.join("; ")) };
            let help = "give records (PEER AT2, ESM, COSMOS, or columns with a header such as `t [s], a [m/s^2]`), or their folder";
            mistakes.push((format!("there are no records in {}{skipped}", names.join(", ")), help.to_owned()));
        }
        records.name_apart(paths);
        if mistakes.is_empty() { Ok(records) } else { Err(mistakes) }
    }

    /// A file that was named: a record, or a list of records.
    fn file(&mut self, path: &Path) -> Result<(), Vec<Mistake>> {
        let bytes = bytes(path).map_err(|m| vec![m])?;
        match list(&bytes) {
            Some(rows) => self.list(path, &rows),
            None => {
                let (labels, found) = columns(path, &bytes).map_err(|why| vec![refusal(path, &why)])?;
                acceleration(path, &found[0]).map_err(|m| vec![m])?;
                self.motions.push(shaking(named(path), labels, found));
                Ok(())
            }
        }
    }

    /// All records of a folder; what is none is named. Where there is a list, those of the list.
    fn folder(&mut self, path: &Path) -> Result<(), Vec<Mistake>> {
        let files = files(path).map_err(|e| {
            vec![(format!("`{}` cannot be read: {e}", path.display()), "give another folder".to_owned())]
        })?;
        if let Some(list) = files.iter().find(|f| f.file_name().is_some_and(|n| n == LIST)) {
            return self.file(list);
        }
        let mut mistakes = Vec::new();
        let mut found: Vec<(PathBuf, Vec<String>, Vec<Record>)> = Vec::new();
        for file in files {
            let read = bytes(&file).map_err(|m| m.0).and_then(|b| columns(&file, &b).map_err(|e| e.to_string_short()));
            match read {
                Ok((labels, records)) if records[0].quantity == Quantity::Acceleration => {
                    found.push((file, labels, records));
                }
                Ok((_, records)) => {
                    self.skipped.push((named(&file), format!("it is a {}", records[0].quantity.name())));
                }
                Err(why) if claims(&file) && !why.contains("no numbers") => {
                    let help = format!(
                        "remove it from the folder, or convert it to a complete record: `interfield motion \"{}\" -o \
                            clean.csv`, with --unit and --dt as needed",
                        file.display()
                    );
                    mistakes.push((format!("`{}`: {why}", file.display()), help));
                }
                Err(_) => self.skipped.push((named(&file), "no record".to_owned())),
            }
        }
        let names: Vec<String> = found.iter().map(|f| named(&f.0)).collect();
        for group in components(&names) {
            if let Some(up) = group.vertical {
                self.skipped
                    .push((names[up].clone(), format!("vertical component of `{}`", names[group.horizontal[0]])));
            }
            self.motions.push(match group.horizontal[..] {
                [one] => shaking(names[one].clone(), found[one].1.clone(), found[one].2.clone()),
                _ => {
                    let labels: Vec<String> = group.horizontal.iter().map(|&i| names[i].clone()).collect();
                    let first = |&i: &usize| found[i].2.first().cloned();
                    let records = group.horizontal.iter().filter_map(first).collect();
                    shaking(labels.join(" + "), labels, records)
                }
            });
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    /// The records of a list: columns x, y, z with files, and scale and name.
    fn list(&mut self, path: &Path, rows: &[BTreeMap<String, String>]) -> Result<(), Vec<Mistake>> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut mistakes = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let place = format!("`{}`, line {}", path.display(), i + 2);
            let scale = match row.get("scale").filter(|s| !s.is_empty()).map(|s| s.parse::<f64>()) {
                None => 1.0,
                Some(Ok(scale)) if scale.is_finite() && scale > 0.0 => scale,
                Some(_) => {
                    mistakes.push((
                        format!("{place}: `{}` is not a scale factor", row["scale"]),
                        "write a number greater than zero".to_owned(),
                    ));
                    continue;
                }
            };
            let (mut labels, mut records) = (Vec::new(), Vec::new());
            for direction in DIRECTIONS {
                let Some(name) = row.get(direction).filter(|n| !n.is_empty()) else { continue };
                match read_one(&folder.join(name)) {
                    Ok(mut record) => {
                        record.values.iter_mut().for_each(|x| *x *= scale);
                        labels.push(direction.to_owned());
                        records.push(record);
                    }
                    Err((message, help)) => mistakes.push((format!("{place}: {message}"), help)),
                }
            }
            let given = row.get("name").or_else(|| row.get("x")).cloned();
            if !records.is_empty() {
                self.motions.push(shaking(given.unwrap_or_else(|| format!("{}", i + 1)), labels, records));
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    /// Makes names that are the same different: results must not be mixed up.
    fn name_apart(&mut self, paths: &[PathBuf]) {
        let count = |name: &str, list: &[Shaking]| list.iter().filter(|m| m.name == name).count();
        let before = self.motions.clone();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for motion in self.motions.iter_mut().filter(|m| count(&m.name, &before) > 1) {
            let n = seen.entry(motion.name.clone()).or_default();
            *n += 1;
            // Of several folders each has one at most.
            let place = paths.iter().filter(|p| p.join(&motion.name).exists() || p.ends_with(&motion.name)).nth(*n - 1);
            let shown = place.map(|p| if p.is_dir() { p.join(&motion.name) } else { p.clone() });
            motion.name = shown.map_or_else(|| format!("{} ({n})", motion.name), |p| p.display().to_string());
        }
        let before = self.motions.clone();
        for (i, motion) in self.motions.iter_mut().enumerate() {
            if before[..i].iter().any(|m| m.name == motion.name) {
                motion.name += &format!(" ({})", i + 1);
            }
        }
    }

    /// Takes for each direction of a model the component along it.
    pub(super) fn along(&mut self, directions: &[String]) -> Result<(), Vec<Mistake>> {
        let mut mistakes = Vec::new();
        for motion in &mut self.motions {
            let by_name: Option<Vec<usize>> =
                directions.iter().map(|d| motion.labels.iter().position(|l| l == d)).collect();
            let taken = by_name.unwrap_or_else(|| (0..directions.len().min(motion.components.len())).collect());
            if taken.len() < directions.len() {
                let message = format!(
                    "`{}` has {} component, but the ground of the model moves along {}",
                    motion.name,
                    motion.components.len(),
                    directions.join(" and ")
                );
                let help = "give pairs: two files whose names differ by _x and _y (or ew and ns, h1 and h2, azimuths), a file with two \
                            columns, or a list records.csv with the columns x, y";
                mistakes.push((message, help.to_owned()));
                continue;
            }
            motion.left_out =
                (0..motion.labels.len()).filter(|i| !taken.contains(i)).map(|i| motion.labels[i].clone()).collect();
            motion.components = taken.iter().map(|&i| motion.components[i].clone()).collect();
            motion.labels = taken.iter().map(|&i| motion.labels[i].clone()).collect();
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }
}

impl Shaking {
    /// Until its last sample, s.
    pub(super) fn duration(&self) -> f64 {
        self.components.iter().map(Record::duration).fold(0.0, f64::max)
    }

    /// The shortest sampling interval of its components, s.
    pub(super) fn dt(&self) -> f64 {
        self.components.iter().map(|r| r.dt).fold(f64::INFINITY, f64::min)
    }
}

fn shaking(name: String, labels: Vec<String>, components: Vec<Record>) -> Shaking {
    Shaking { name, labels, components, left_out: Vec::new() }
}

fn named(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}

fn claims(path: &Path) -> bool {
    path.extension().is_some_and(|e| ENDINGS.iter().any(|k| e.eq_ignore_ascii_case(k)))
}

/// Files of a folder in the order of their names, without hidden ones.
fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries: Vec<PathBuf> = std::fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().filter(|p| p.is_file() && !named(p).starts_with('.')).collect();
    files.sort();
    Ok(files)
}

fn bytes(path: &Path) -> Result<Vec<u8>, Mistake> {
    read_bytes(path, MAX_BYTES as u64)
        .map_err(|e| (format!("`{}` {e}", path.display()), "give records, or their folder".to_owned()))
}

/// Why a file is no record, in one sentence.
trait Short {
    fn to_string_short(&self) -> String;
}

impl Short for ReadError {
    fn to_string_short(&self) -> String {
        let line = if self.line > 0 { format!("line {}: ", self.line) } else { String::new() };
        format!("{line}{}", self.message)
    }
}

fn refusal(path: &Path, why: &ReadError) -> Mistake {
    let help = format!(
        "`interfield motion \"{}\" -o clean.csv`, with --unit and --dt as needed, writes a complete record",
        path.display()
    );
    (format!("`{}`: {}", path.display(), why.to_string_short()), help)
}

fn acceleration(path: &Path, record: &Record) -> Result<(), Mistake> {
    if record.quantity == Quantity::Acceleration {
        return Ok(());
    }
    let message = format!("`{}` is a {}; an acceleration is needed", path.display(), record.quantity.name());
    Err((message, "give another record of the same station".to_owned()))
}

/// The first component of a file.
fn read_one(path: &Path) -> Result<Record, Mistake> {
    let bytes = bytes(path)?;
    let record = interfield_motion::read_bytes(&bytes, &ReadOptions::default()).map_err(|e| refusal(path, &e))?;
    acceleration(path, &record).map(|()| record)
}

/// All accelerations of a file, with what they are called: a table may have a column for each component.
fn columns(path: &Path, bytes: &[u8]) -> Result<(Vec<String>, Vec<Record>), ReadError> {
    let read =
        |column: Option<usize>| interfield_motion::read_bytes(bytes, &ReadOptions { column, ..ReadOptions::default() });
    let first = read(None)?;
    // Only a table has columns with names.
    let several = first.meta("column").is_some();
    let label = |r: &Record| r.meta("column").map_or_else(|| named(path), str::to_owned);
    let mut found = vec![first];
    if several {
        for column in 2..=DIRECTIONS.len() + 1 {
            let other = read(Some(column)).ok().filter(|r| r.quantity == Quantity::Acceleration);
            let new = other.filter(|r| found.iter().all(|f| label(f) != label(r)) && found[0].dt == r.dt);
            found.extend(new);
        }
    }
    Ok((found.iter().map(label).collect(), found))
}

/// The rows of a list of records; `None` for a text that is none.
fn list(bytes: &[u8]) -> Option<Vec<BTreeMap<String, String>>> {
    let text = std::str::from_utf8(bytes.get(..bytes.len().min(1 << 20))?).ok()?;
    let mut lines = text.trim_start_matches('\u{feff}').lines().filter(|l| !l.trim().is_empty());
    let header = lines.next()?;
    let separator = if header.contains(';') { ';' } else { ',' };
    let cells = |line: &str| -> Vec<String> {
        line.split(separator).map(|c| c.trim().trim_matches('"').trim().to_owned()).collect()
    };
    let names: Vec<String> = cells(header).iter().map(|c| c.to_lowercase()).collect();
    let known = |n: &String| matches!(n.as_str(), "x" | "y" | "z" | "scale" | "name");
    if !names.iter().all(known) || !names.iter().any(|n| n == "x") {
        return None;
    }
    let rows: Vec<BTreeMap<String, String>> =
        lines.map(|line| names.iter().cloned().zip(cells(line)).collect()).collect();
    // Numbers below `x` are samples.
    let files = |row: &BTreeMap<String, String>| row.get("x").is_some_and(|x| x.parse::<f64>().is_err());
    (!rows.is_empty() && rows.iter().all(files)).then_some(rows)
}
