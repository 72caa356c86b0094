//! The zip file of a unit, read with bounds and written.
//!
//! A file from elsewhere is not trusted: names that leave the folder and links are refused, and what comes out is counted
//! as it comes, whatever the directory of the archive says of its size.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::Error;
use crate::scratch::Scratch;

/// Most entries of a unit; the largest known have some thousands (tables and documentation).
const MOST_ENTRIES: usize = 50_000;
/// Most bytes of a description; one with 100,000 variables has about 30 MB.
const MOST_DESCRIPTION: u64 = 128 << 20;
/// Most bytes unpacked.
const MOST_BYTES: u64 = 2 << 30;

/// A zip file that is a unit.
#[derive(Debug)]
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
    path: PathBuf,
}

impl Archive {
    /// Opens the file and reads its directory.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let file = File::open(path).map_err(|e| Error::new(format!("{shown} cannot be read: {e}"), ""))?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|e| damaged(path, &e))?;
        if zip.len() > MOST_ENTRIES {
            let message = format!("{shown} has {} entries, {MOST_ENTRIES} are the limit", zip.len());
            return Err(Error::new(message, "remove files that the simulation does not need"));
        }
        Ok(Archive { zip, path: path.to_path_buf() })
    }

    /// The names of its entries.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        let names = self.zip.file_names().map(|n| n.map(|n| n.into_owned()));
        names.collect::<Result<_, _>>().map_err(|e| damaged(&self.path, &e))
    }

    /// `modelDescription.xml`.
    pub(crate) fn description(&mut self) -> Result<Vec<u8>, Error> {
        let name = "modelDescription.xml";
        let file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => {
                let message =
                    format!("{} has no {name}: it is not a functional mock-up unit (FMU)", self.path.display());
                return Err(Error::new(message, "give a file that a simulator exported as FMU"));
            }
            Err(e) => return Err(damaged(&self.path, &e)),
        };
        let mut bytes = Vec::new();
        let read = file.take(MOST_DESCRIPTION + 1).read_to_end(&mut bytes);
        read.map_err(|e| damaged(&self.path, &ZipError::Io(e)))?;
        if bytes.len() as u64 > MOST_DESCRIPTION {
            let message = format!("{name} in {} is larger than {} MB", self.path.display(), MOST_DESCRIPTION >> 20);
            return Err(Error::new(message, ""));
        }
        Ok(bytes)
    }

    /// Unpacks the entries below these folders into a temporary directory, which goes with the value returned.
    pub(crate) fn unpack(&mut self, folders: &[&str]) -> Result<Scratch, Error> {
        self.unpack_bounded(folders, MOST_BYTES)
    }

    fn unpack_bounded(&mut self, folders: &[&str], most: u64) -> Result<Scratch, Error> {
        let unwritten = |e: &io::Error| {
            let message = format!("{} cannot be unpacked: {e}", self.path.display());
            Error::new(message, "the folder for temporary files (TMPDIR) must be writable and have free space")
        };
        let target = Scratch::new("fmu").map_err(|e| unwritten(&e))?;
        let mut left = most;
        for index in 0..self.zip.len() {
            let mut entry = self.zip.by_index(index).map_err(|e| damaged(&self.path, &e))?;
            let name = entry.name().map_err(|e| damaged(&self.path, &e))?.into_owned();
            if !folders.iter().any(|f| name.strip_prefix(f).is_some_and(|rest| rest.starts_with('/'))) {
                continue;
            }
            let Some(inside) = entry.enclosed_name().filter(|_| !entry.is_symlink()) else {
                let message = format!("{} contains `{name}`, which points outside the archive", self.path.display());
                return Err(Error::new(
                    message,
                    "do not use this file; nothing was written outside the temporary \
                    folder",
                ));
            };
            let place = target.path().join(inside);
            if entry.is_dir() {
                fs::create_dir_all(&place).map_err(|e| unwritten(&e))?;
                continue;
            }
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent).map_err(|e| unwritten(&e))?;
            }
            let mut file = File::create(&place).map_err(|e| unwritten(&e))?;
            let copied = io::copy(&mut Read::by_ref(&mut entry).take(left.saturating_add(1)), &mut file);
            let copied = copied.map_err(|e| damaged(&self.path, &ZipError::Io(e)))?;
            left = left.checked_sub(copied).ok_or_else(|| {
                let message = format!("{} unpacks to more than {} MB", self.path.display(), most >> 20);
                Error::new(message, "remove files that the simulation does not need")
            })?;
        }
        Ok(target)
    }
}

fn damaged(path: &Path, e: &ZipError) -> Error {
    let shown = path.display();
    Error::new(format!("{shown} is not a readable zip file: {e}"), "an FMU is a zip file; export or copy it again")
}

/// Packs files, given by their names in the archive, with a fixed date, so that the same files give the same bytes.
///
/// # Errors
/// When the packing fails, which takes files beyond 4 GB.
pub fn pack(files: &[(String, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    write_all(&mut zip, files)?;
    Ok(zip.finish()?.into_inner())
}

fn write_all<W: Write + Seek>(zip: &mut ZipWriter<W>, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    for (name, bytes) in files {
        // Importers load the binary from where they unpack it; some keep the permissions.
        let options = if name.starts_with("binaries/") { options.unix_permissions(0o755) } else { options };
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn file(name: &str, files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let files: Vec<_> = files.iter().map(|(n, b)| ((*n).to_owned(), b.to_vec())).collect();
        fs::write(&path, pack(&files).unwrap()).unwrap();
        (folder, path)
    }

    #[test]
    fn only_the_folders_asked_for_are_unpacked_and_they_go_away() {
        let (_keep, path) =
            file("a.fmu", &[("modelDescription.xml", b"<x/>"), ("resources/a/b.txt", b"yes"), ("sources/c.c", b"no")]);
        let mut archive = Archive::open(&path).unwrap();
        assert_eq!(archive.description().unwrap(), b"<x/>");
        let unpacked = archive.unpack(&["resources", "binaries/linux64"]).unwrap();
        let place = unpacked.path().to_path_buf();
        assert_eq!(fs::read(place.join("resources/a/b.txt")).unwrap(), b"yes");
        assert!(!place.join("sources").exists());
        drop(unpacked);
        assert!(!place.exists());
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let (_keep, path) = file("evil.fmu", &[("resources/../../evil.txt", b"no")]);
        let error = Archive::open(&path).unwrap().unpack(&["resources"]).unwrap_err();
        assert!(error.message.contains("points outside the archive"), "{error}");
        assert!(!std::env::temp_dir().join("evil.txt").exists());
    }

    #[test]
    fn links_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link.fmu");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        zip.add_symlink("resources/link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        zip.finish().unwrap();
        let error = Archive::open(&path).unwrap().unpack(&["resources"]).unwrap_err();
        assert!(error.message.contains("points outside the archive"), "{error}");
    }

    #[test]
    fn bytes_are_counted_as_they_come() {
        let (_keep, path) = file("bomb.fmu", &[("resources/zeros", &vec![0; 3 << 20])]);
        assert!(fs::metadata(&path).unwrap().len() < 20_000, "it packs well");
        let mut archive = Archive::open(&path).unwrap();
        let error = archive.unpack_bounded(&["resources"], 2 << 20).unwrap_err();
        assert!(error.message.contains("more than 2 MB"), "{error}");
        assert!(archive.unpack_bounded(&["resources"], 3 << 20).is_ok());
    }

    #[test]
    fn what_is_no_unit_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text.fmu");
        fs::write(&path, "hello").unwrap();
        assert!(Archive::open(&path).unwrap_err().message.contains("not a readable zip"));
        let (_keep, path) = file("other.zip", &[("a.txt", b"a")]);
        assert!(Archive::open(&path).unwrap().description().unwrap_err().message.contains("no modelDescription.xml"));
        assert!(Archive::open(Path::new("/nowhere.fmu")).unwrap_err().message.contains("cannot be read"));
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let files = [("a".to_owned(), vec![1, 2, 3])];
        assert_eq!(pack(&files).unwrap(), pack(&files).unwrap());
    }
}
