//! How a result file comes to its place: whole, under a lock of whoever writes it, and never over one that is still being
//! written. The lock ends with its process, however that ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::image::Image;
use crate::layout::write_at;

/// Makes the file beside its place and moves it there, so that no half-made file is ever seen at `path`.
pub(crate) fn place(image: &Image, path: &Path, overwrite: bool) -> io::Result<File> {
    if !overwrite && path.exists() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists already"));
    }
    let mut hidden = path.as_os_str().to_owned();
    hidden.push(format!(".{}.new", std::process::id()));
    let hidden = PathBuf::from(hidden);
    let made = make(image, &hidden).and_then(|file| {
        let _held = hold(path, overwrite)?;
        std::fs::rename(&hidden, path)?;
        Ok(file)
    });
    if made.is_err() {
        std::fs::remove_file(&hidden).ok();
    }
    made
}

fn make(image: &Image, hidden: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(hidden)?;
    file.set_len(image.end)?;
    write_at(&file, 0, &image.bytes)?;
    lock(&file)?;
    Ok(file)
}

/// Takes the place itself, for the moment in which the file is moved there: of two processes one is refused.
#[cfg(unix)]
fn hold(path: &Path, overwrite: bool) -> io::Result<Option<File>> {
    use std::os::unix::fs::MetadataExt;
    let file = match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        // Opening a pipe would wait for somebody; none of these has a writer with a lock.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && overwrite && !path.is_file() => return Ok(None),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && overwrite => File::open(path)?,
        other => other?,
    };
    lock(&file)?;
    // Between opening and locking another file may have been moved there, by somebody who writes it now.
    if std::fs::metadata(path)?.ino() == file.metadata()?.ino() { Ok(Some(file)) } else { Err(busy()) }
}

#[cfg(not(unix))]
fn hold(_path: &Path, _overwrite: bool) -> io::Result<Option<File>> {
    Ok(None)
}

/// Locks a file against other writers. Readers do not ask; a file system without locks is taken as it is.
#[cfg(unix)]
pub(crate) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(busy()),
        _ => Ok(()),
    }
}

/// Elsewhere a lock would keep readers away.
#[cfg(not(unix))]
pub(crate) fn lock(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn busy() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it")
}
