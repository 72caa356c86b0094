//! The journal of an ensemble: every run as soon as it is done, in a file that a kill cannot spoil. What was being written then
//! is cut off when the journal is opened again.
//!
//! Layout, little-endian: a line that says what it is, the fingerprint of the study and its description, then for each run
//! the length and the FNV-1a hash of what follows: number of the run, ending, reason, measures, figures, histories.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use interfield_ensemble::{Ending, Figure, Outcome};

use interfield::files::{folder, unwritten};

const HEAD: &[u8] = b"interfield ensemble, version 1\n";

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
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
pub(super) fn fnv(bytes: &[u8], start: u64) -> u64 {
    bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

/// What FNV-1a starts from.
pub(super) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

impl Journal {
    /// Opens the journal of a study, or begins one; with the runs that are in it, each with its number.
    pub(super) fn open(path: &Path, fingerprint: u64, about: &str) -> Result<(Self, Vec<(usize, Outcome)>), Refusal> {
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
        let head = head(fingerprint, about);
        let mut runs = Vec::new();
        let mut good = head.len();
        if bytes.starts_with(&head) {
            let mut rest = Bytes(&bytes[head.len()..]);
            while let Some((index, outcome)) = rest.run() {
                runs.push((index, outcome));
                good = bytes.len() - rest.0.len();
            }
        } else if head.starts_with(&bytes) {
            // Nothing yet, or killed while it began.
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&head)).map_err(failed)?;
        } else {
            return Err(Refusal::Other(describe(&bytes)));
        }
        file.set_len(good as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok((Self { path: path.to_owned(), file }, runs))
    }

    /// Adds a run.
    pub(super) fn append(&mut self, index: usize, outcome: &Outcome) -> Result<(), String> {
        self.file.write_all(&entry(index, outcome)).map_err(|e| unwritten(&self.path, &e))
    }

    /// Writes all runs in their order, so that the file does not tell who ended first.
    pub(super) fn finish(mut self, fingerprint: u64, about: &str, outcomes: &[Outcome]) -> Result<(), String> {
        let mut bytes = head(fingerprint, about);
        outcomes.iter().enumerate().for_each(|(i, o)| bytes.extend(entry(i, o)));
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

fn head(fingerprint: u64, about: &str) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    bytes.extend(fingerprint.to_le_bytes());
    put_text(&mut bytes, about);
    bytes
}

/// What is in a journal that is not the one wanted.
fn describe(bytes: &[u8]) -> String {
    let mut rest = Bytes(bytes.strip_prefix(HEAD).unwrap_or_default());
    match rest.u64().and_then(|_| rest.text()) {
        Some(about) => format!("holds another study: {about}"),
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

fn entry(index: usize, outcome: &Outcome) -> Vec<u8> {
    let mut body = (index as u64).to_le_bytes().to_vec();
    let (ending, reason) = match &outcome.ending {
        Ending::Finished => (0u64, ""),
        Ending::Fault(why) => (1, why.as_str()),
        Ending::Refused(why) => (2, why.as_str()),
    };
    body.extend(ending.to_le_bytes());
    put_text(&mut body, reason);
    put_numbers(&mut body, &outcome.intensities);
    let figures = outcome.figures.iter().flat_map(|f| [f.min, f.max, f.peak, f.peak_time, f.rms, f.last]);
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

    /// The next whole run.
    fn run(&mut self) -> Option<(usize, Outcome)> {
        let (length, hash) = (self.length()?, self.u64()?);
        let body = self.take(length)?;
        if fnv(body, FNV) != hash {
            return None;
        }
        let mut body = Bytes(body);
        let index = body.length()?;
        let (ending, reason) = (body.u64()?, body.text()?);
        let ending = match ending {
            0 => Ending::Finished,
            1 => Ending::Fault(reason),
            _ => Ending::Refused(reason),
        };
        let intensities = body.numbers()?;
        let figures = body.numbers()?;
        let figure = |f: &[f64]| match *f {
            [min, max, peak, peak_time, rms, last] => Some(Figure { min, max, peak, peak_time, rms, last }),
            _ => None,
        };
        let figures = figures.chunks(6).map(figure).collect::<Option<Vec<Figure>>>()?;
        let histories = (0..body.u64()?).map(|_| body.numbers()).collect::<Option<Vec<_>>>()?;
        Some((index, Outcome { ending, intensities, figures, histories }))
    }
}
