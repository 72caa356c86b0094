//! Files that commands write: made with their folders, never in place of an input.

use std::fs::File;
use std::path::Path;

/// Opens a file for writing, with the folders it needs.
pub fn create(path: &Path) -> Result<File, String> {
    folder(path).and_then(|()| File::create(path)).map_err(|e| unwritten(path, &e))
}

/// Makes the folder of a file.
pub fn folder(path: &Path) -> std::io::Result<()> {
    path.parent().filter(|p| !p.as_os_str().is_empty()).map_or(Ok(()), std::fs::create_dir_all)
}

/// Writes a file, with the folders it needs.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), String> {
    folder(path).and_then(|()| std::fs::write(path, text)).map_err(|e| unwritten(path, &e))
}

/// What to say about a file that cannot be written.
pub fn unwritten(path: &Path, e: &dyn std::fmt::Display) -> String {
    format!("`{}` cannot be written: {e}", path.display())
}

/// Whether two paths name the same file, as far as the disk can tell.
pub fn same(a: &Path, b: &Path) -> bool {
    let real = |p: &Path| std::fs::canonicalize(p).ok();
    a == b || (real(a).is_some() && real(a) == real(b))
}

/// Whether a file name ends in this extension, in any letter case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
