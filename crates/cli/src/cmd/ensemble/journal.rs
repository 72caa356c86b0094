//! The journal of an ensemble: every run as soon as it is done, in a file that a kill cannot spoil. What was being written then
//! is cut off when the journal is opened again.
//!
//! Every run stands under what it is known by (model, record, scale, settings), so that another study of the same model takes
//! from it what it needs and adds the rest.
//!
//! Layout, little-endian: a line that says what it is, what the model is known by, its description, the thinning of histories, then for each run
//! the length and the FNV-1a hash of what follows: key, ending, reason, steps, measures, figures, histories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use interfield_ensemble::{Ending, Figure, Outcome};

use interfield::files::{folder, unwritten};

const NAME: &[u8] = b"interfield ensemble, version ";
const HEAD: &[u8] = b"interfield ensemble, version 2\n";

/// Why a journal cannot be used.
pub(super) enum Refusal {
    /// The file cannot be read or written.
    File(String),
    /// The folder belongs to something else.
    Other(String),
}

/// An open journal; no other process can open it meanwhile.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    head: Vec<u8>,
    /// Every so many recorded samples go into the histories of its runs.
    pub thin: u64,
    /// The runs that are in it, by what they are known by.
    pub runs: BTreeMap<String, Outcome>,
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
fn fnv(bytes: &[u8], start: u64) -> u64 {
    bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

/// What FNV-1a starts from.
const FNV: u64 = 0xcbf2_9ce4_8422_2325;

impl Journal {
    /// Opens the journal of a model, or begins one; `thin` is for one that begins.
    pub(super) fn open(path: &Path, identity: &str, about: &str, thin: u64) -> Result<Self, Refusal> {
        let failed = |e: std::io::Error| Refusal::File(unwritten(path, &e));
        folder(path).map_err(failed)?;
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(Refusal::Other("is being written by another process".to_owned()));
            }
            // A file system without locks: nothing to be done about it.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let begun = head(identity, about, thin);
        let mut journal = Self { path: path.to_owned(), file, head: begun.clone(), thin, runs: BTreeMap::new() };
        let mut good = begun.len();
        match opened(&bytes) {
            Some((found, _, thin, rest)) if found == identity => {
                let mut rest = Bytes(rest);
                good = bytes.len() - rest.0.len();
                (journal.head, journal.thin) = (bytes[..good].to_vec(), thin);
                while let Some((key, outcome)) = rest.run() {
                    journal.runs.insert(key, outcome);
                    good = bytes.len() - rest.0.len();
                }
            }
            // Nothing yet, or killed while it began.
            _ if begun.starts_with(&bytes) => {
                let file = &mut journal.file;
                file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&begun)).map_err(failed)?;
            }
            other => return Err(Refusal::Other(describe(&bytes, other.map(|o| o.1)))),
        }
        let file = &mut journal.file;
        file.set_len(good as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok(journal)
    }

    /// Takes the runs of another journal of the same model, which stays as it is.
    pub(super) fn adopt(&mut self, path: &Path, identity: &str, about: &str) -> Result<(), Refusal> {
        let other = Journal::open(path, identity, about, self.thin)?;
        if other.thin != self.thin && !other.runs.is_empty() {
            let what = "keeps its histories at other intervals: it is a piece of a study with another number of runs";
            return Err(Refusal::Other(what.to_owned()));
        }
        for (key, outcome) in other.runs {
            match self.runs.get(&key) {
                Some(have) if entry(&key, have) != entry(&key, &outcome) => {
                    let what = format!("has another result of a run that another piece has, too: {key}");
                    return Err(Refusal::Other(what));
                }
                Some(_) => {}
                None => {
                    self.append(&key, &outcome).map_err(Refusal::File)?;
                    self.runs.insert(key, outcome);
                }
            }
        }
        Ok(())
    }

    /// Adds a run.
    pub(super) fn append(&mut self, key: &str, outcome: &Outcome) -> Result<(), String> {
        self.file.write_all(&entry(key, outcome)).map_err(|e| unwritten(&self.path, &e))
    }

    /// Writes all runs in a fixed order, so that the file does not tell who ended first: those of the study with their keys, then
    /// those that it did not need.
    pub(super) fn finish(mut self, keys: &[String], outcomes: &[Outcome]) -> Result<(), String> {
        let mut bytes = self.head.clone();
        keys.iter().zip(outcomes).for_each(|(key, o)| bytes.extend(entry(key, o)));
        let needed: BTreeSet<&String> = keys.iter().collect();
        let others = self.runs.iter().filter(|(key, _)| !needed.contains(key));
        others.for_each(|(key, o)| bytes.extend(entry(key, o)));
        self.file.rewind().map_err(|e| unwritten(&self.path, &e))?;
        let mut present = Vec::with_capacity(bytes.len());
        self.file.read_to_end(&mut present).map_err(|e| unwritten(&self.path, &e))?;
        if present == bytes {
            return Ok(());
        }
        // Beside it and then in its place: a kill leaves one or the other.
        let beside = self.path.with_extension("new");
        let replace = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)
        };
        replace().map_err(|e| unwritten(&self.path, &e))
    }
}

fn head(identity: &str, about: &str, thin: u64) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    put_text(&mut bytes, identity);
    put_text(&mut bytes, about);
    bytes.extend(thin.to_le_bytes());
    bytes
}

/// What a journal says of itself, and its runs.
fn opened(bytes: &[u8]) -> Option<(String, String, u64, &[u8])> {
    let mut rest = Bytes(bytes.strip_prefix(HEAD)?);
    Some((rest.text()?, rest.text()?, rest.u64()?.max(1), rest.0))
}

/// What is in a journal that is not the one wanted.
fn describe(bytes: &[u8], about: Option<String>) -> String {
    match about {
        Some(about) => format!("holds runs of another model: {about}"),
        None if bytes.starts_with(NAME) => "holds a study of an earlier version".to_owned(),
        None => "is not the journal of an ensemble".to_owned(),
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[f64]) {
    bytes.extend((numbers.len() as u64).to_le_bytes());
    numbers.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
}

fn entry(key: &str, outcome: &Outcome) -> Vec<u8> {
    let mut body = Vec::new();
    put_text(&mut body, key);
    let (ending, reason) = match &outcome.ending {
        Ending::Finished => (0u64, ""),
        Ending::Fault(why) => (1, why.as_str()),
        Ending::Refused(why) => (2, why.as_str()),
        Ending::Broken(why) => (3, why.as_str()),
    };
    body.extend(ending.to_le_bytes());
    put_text(&mut body, reason);
    body.extend(outcome.steps.0.to_le_bytes());
    body.extend(outcome.steps.1.to_le_bytes());
    body.extend((outcome.motions.len() as u64).to_le_bytes());
    for (name, value) in &outcome.motions {
        put_text(&mut body, name);
        body.extend(value.to_le_bytes());
    }
    let figures =
        outcome.figures.iter().flat_map(|f| [f.min, f.max, f.peak, f.peak_time, f.rms, f.last, f.residual, f.swing]);
    put_numbers(&mut body, &figures.collect::<Vec<f64>>());
    body.extend((outcome.histories.len() as u64).to_le_bytes());
    outcome.histories.iter().for_each(|h| put_numbers(&mut body, h));
    let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
    bytes.extend(fnv(&body, FNV).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Bytes that are read from the front; nothing is believed of a length before the bytes are there.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(front)
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn length(&mut self) -> Option<usize> {
        self.u64().and_then(|n| usize::try_from(n).ok())
    }

    fn text(&mut self) -> Option<String> {
        let n = self.length()?;
        String::from_utf8(self.take(n)?.to_vec()).ok()
    }

    fn numbers(&mut self) -> Option<Vec<f64>> {
        let n = self.length()?.checked_mul(8)?;
        let number = |b: &[u8]| Some(f64::from_le_bytes(b.try_into().ok()?));
        self.take(n)?.chunks_exact(8).map(number).collect()
    }

    fn f64(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }

    /// The next whole run.
    fn run(&mut self) -> Option<(String, Outcome)> {
        let (length, hash) = (self.length()?, self.u64()?);
        let body = self.take(length)?;
        if fnv(body, FNV) != hash {
            return None;
        }
        let mut body = Bytes(body);
        let key = body.text()?;
        let (ending, reason) = (body.u64()?, body.text()?);
        let ending = match ending {
            0 => Ending::Finished,
            1 => Ending::Fault(reason),
            2 => Ending::Refused(reason),
            _ => Ending::Broken(reason),
        };
        let steps = (body.u64()?, body.f64()?);
        let motions = (0..body.u64()?).map(|_| Some((body.text()?, body.f64()?))).collect::<Option<Vec<_>>>()?;
        let figures = body.numbers()?;
        let figure = |f: &[f64]| match *f {
            [min, max, peak, peak_time, rms, last, residual, swing] => {
                Some(Figure { min, max, peak, peak_time, rms, last, residual, swing })
            }
            _ => None,
        };
        let figures = figures.chunks(8).map(figure).collect::<Option<Vec<Figure>>>()?;
        let histories = (0..body.u64()?).map(|_| body.numbers()).collect::<Option<Vec<_>>>()?;
        Some((key, Outcome { ending, motions, steps, figures, histories }))
    }
}
