//! Key files: written so that nobody else can read them, and read only if nobody else could.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use interfield_wire::sealed::Key;

use crate::files::{folder, unwritten};
use crate::model_file::read_bytes;

/// More than any key file has, bytes.
const MOST: u64 = 1 << 20;

/// Writes a key into a file that is not there yet.
pub fn write(path: &Path, key: &Key) -> Result<(), String> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let done = folder(path).and_then(|()| options.open(path)).and_then(|mut file| {
        file.write_all(key.text().as_bytes())?;
        file.sync_all()
    });
    done.map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => format!("`{}` exists already, and a key file is never overwritten", path.display()),
        _ => unwritten(path, &e),
    })
}

/// Reads a key; the error is a sentence, with what to do.
pub fn read(path: &Path) -> Result<Key, String> {
    let shown = path.display();
    let bytes = read_bytes(path, MOST).map_err(|e| {
        format!("key `{shown}` {e}; `interfield key new FILE` makes one, and both machines need the same")
    })?;
    #[cfg(unix)]
    if let Ok(meta) = std::fs::metadata(path)
        && std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o077 != 0
    {
        return Err(format!("key `{shown}` can be read by other users; restrict it: chmod 600 {shown}"));
    }
    Key::parse(&String::from_utf8_lossy(&bytes)).map_err(|e| format!("`{shown}` {e}"))
}
