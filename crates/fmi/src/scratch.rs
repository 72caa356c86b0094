//! Folders for temporary files that nobody else may see, and that do not outlive their process for long: it removes them when
//! it ends, and one that was killed has them removed by the next that makes one. A lock on the folder, which ends with its
//! process, tells the two apart, also where processes of several containers share a disk.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Start of the names of all of them.
const PREFIX: &str = "interfield-";
/// End of the name of one that is not locked yet.
const NEW: &str = ".new";

/// A folder that goes with this value.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Locked as long as it is in use.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes one in the folder for temporary files; `kind` is a word of its name.
    ///
    /// # Errors
    /// What the system said.
    pub fn new(kind: &str) -> io::Result<Self> {
        Self::beside(&std::env::temp_dir(), kind)
    }

    fn beside(folder: &Path, kind: &str) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        sweep(folder);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{kind}-{}-{number}-{now:08x}", std::process::id());
        let (new, path) = (folder.join(format!("{name}{NEW}")), folder.join(name));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&new)?;
        let lock = lock(&new);
        // Under this name only when it is locked: nobody else may take it for one left behind.
        if let Err(e) = fs::rename(&new, &path) {
            let _ = fs::remove_dir(&new);
            return Err(e);
        }
        Ok(Scratch { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is left for the next one.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The lock of a folder; `None` if somebody has it, or it cannot be locked here.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// Removes what killed processes of this user left behind.
#[cfg(unix)]
fn sweep(folder: &Path) {
    use std::os::unix::fs::MetadataExt;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|n| n.starts_with(PREFIX) && !n.ends_with(NEW) && named_as_here(n));
        let Ok(found) = entry.metadata() else { continue };
        // Whoever may not be asked who he is may not remove either.
        let mine = fs::metadata("/proc/self").map_or(true, |own| own.uid() == found.uid());
        if ours && mine && found.is_dir() {
            let path = entry.path();
            if let Some(_free) = lock(&path) {
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

#[cfg(not(unix))]
fn sweep(_folder: &Path) {}

/// Whether a name ends as those made here do: process, number, moment.
#[cfg(unix)]
fn named_as_here(name: &str) -> bool {
    let mut parts = name.rsplit('-');
    let digits =
        |part: Option<&str>, radix: u32| part.is_some_and(|p| !p.is_empty() && p.chars().all(|c| c.is_digit(radix)));
    digits(parts.next(), 16) && digits(parts.next(), 10) && digits(parts.next(), 10)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_lives_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let living = Scratch::beside(folder.path(), "test").unwrap();
        fs::write(living.path().join("file"), "kept").unwrap();
        // A killed process has no lock any more.
        let dead = folder.path().join("interfield-fmu-12345-0-0badcafe");
        fs::create_dir_all(dead.join("resources")).unwrap();
        fs::write(dead.join("resources/table"), "old").unwrap();
        let others = ["interfield-out", "interfield-notes-of-mine", "interfield-fmu-12345-0-0badcafe.new"];
        others.iter().for_each(|name| fs::create_dir(folder.path().join(name)).unwrap());
        let second = Scratch::beside(folder.path(), "test").unwrap();
        assert!(!dead.exists());
        assert!(living.path().join("file").exists(), "in use");
        assert!(others.iter().all(|name| folder.path().join(name).exists()), "owned by another user");
        let paths = [living.path().to_owned(), second.path().to_owned()];
        drop((living, second));
        assert!(paths.iter().all(|p| !p.exists()));
    }
}
