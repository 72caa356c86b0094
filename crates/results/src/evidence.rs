//! What is found when a run has ended, added to its file.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use crate::layout::{self, EOF_FIELD, EVIDENCE_HEADER, read_at, write_at};
use crate::place::lock;
use crate::{Error, Reader, Result, io_error};

/// Adds a text to a result file that has been ended; one that it has already is replaced. What was recorded stays as it is,
/// also where this fails.
///
/// # Errors
/// When the file cannot be written, somebody else is writing it, or an earlier version made it.
pub fn attach(path: &Path, text: &str) -> Result<()> {
    if !Reader::open(path)?.takes_evidence() {
        let what = "it was written by an earlier version and has no space for the verdict".to_owned();
        return Err(Error::Format { path: path.to_path_buf(), what });
    }
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(io_error(path))?;
    lock(&file).map_err(io_error(path))?;
    let before = file.metadata().map_err(io_error(path))?.len();
    let written = write(&file, text.replace('\0', " ").as_bytes());
    if written.is_err() {
        // Nothing points behind the old end yet.
        file.set_len(before).ok();
    }
    written.map_err(io_error(path))
}

fn write(file: &File, text: &[u8]) -> io::Result<()> {
    let mut end = [0; 8];
    read_at(file, EOF_FIELD, &mut end)?;
    let at = u64::from_le_bytes(end).max(file.metadata()?.len()).next_multiple_of(8);
    // HDF5 knows no text without a letter.
    let size = text.len().max(1);
    file.set_len(at + size as u64)?;
    write_at(file, at, text)?;
    // On the disk before anything points to it.
    file.sync_data()?;
    write_at(file, EOF_FIELD, &(at + size as u64).to_le_bytes())?;
    write_at(file, EVIDENCE_HEADER, &layout::text_dataset(at, size))?;
    file.sync_data()
}
