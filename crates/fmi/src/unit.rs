//! A file that holds a unit.

use std::path::{Path, PathBuf};

use libloading::Library;

use crate::archive::Archive;
use crate::binary::{PLATFORM, extension, folders};
use crate::description::Description;
use crate::instance::Instance;
use crate::log::Log;
use crate::{Error, xml};

/// A unit: what its description says, and for which machines it has binaries. Nothing of it has run yet.
#[derive(Clone, Debug)]
pub struct Unit {
    path: PathBuf,
    description: Description,
    platforms: Vec<String>,
    sources: bool,
}

impl Unit {
    /// Opens a file and reads its description.
    ///
    /// # Errors
    /// When it cannot be read, or is no unit that can be used.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut archive = Archive::open(path)?;
        let description = xml::read(&archive.description()?)?;
        let names = archive.names()?;
        let platform = |name: &String| Some(name.strip_prefix("binaries/")?.split_once('/')?.0.to_owned());
        let mut platforms: Vec<String> = names.iter().filter_map(platform).collect();
        platforms.sort();
        platforms.dedup();
        let sources = names.iter().any(|n| n.starts_with("sources/"));
        Ok(Unit { path: path.to_path_buf(), description, platforms, sources })
    }

    /// What it says of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The machines it has binaries for.
    pub fn platforms(&self) -> &[String] {
        &self.platforms
    }

    /// Whether its sources are in it.
    pub fn has_sources(&self) -> bool {
        self.sources
    }

    /// Whether it has a binary for this machine.
    pub fn runs_here(&self) -> bool {
        folders(self.description.version).iter().any(|f| self.platforms.iter().any(|p| p == f))
    }

    /// Unpacks it, loads its library and makes an instance. From here on code of the unit runs in this process.
    ///
    /// # Errors
    /// When there is no binary for this machine, it does not load, or the unit refuses.
    pub fn instance(&self) -> Result<Instance, Error> {
        let wanted = folders(self.description.version);
        let Some(folder) = wanted.iter().find(|f| self.platforms.iter().any(|p| p == **f)) else {
            let has = match self.platforms.as_slice() {
                [] => "none at all".to_owned(),
                list => format!("only {}", list.join(", ")),
            };
            let message = format!("{} has no binary for this machine ({PLATFORM}), {has}", self.path.display());
            let help = if self.sources {
                "its sources are in it: compile them into binaries/, or export it on this machine"
            } else {
                "export it for this machine"
            };
            return Err(Error::new(message, help));
        };
        if self.description.needs_tool {
            let message = format!("{} needs the program that exported it", self.path.display());
            let tool = &self.description.tool;
            return Err(Error::new(message, format!("export it from {tool} as a stand-alone FMU")));
        }
        let binaries = format!("binaries/{folder}");
        let files = Archive::open(&self.path)?.unpack(&[&binaries, "resources"])?;
        let library = files.path().join(&binaries).join(&self.description.identifier).with_added_extension(extension());
        let folder = files.path().to_path_buf();
        Instance::new(&self.description, &library, &folder, Some(files))
    }
}

/// Loads the library of a unit.
#[allow(unsafe_code)]
pub(crate) fn load(path: &Path) -> Result<Library, Error> {
    if !path.exists() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let message = format!("the FMU has no file `{name}` for this machine");
        return Err(Error::new(message, "this is an error of the program that exported the FMU"));
    }
    // SAFETY: loading runs the initialisers of a library that the user asked us to run; this is what a unit is.
    let library = unsafe { Library::new(path) };
    library.map_err(|e| {
        let message = format!("the library of the FMU cannot be loaded: {e}");
        Error::new(message, "it may need other libraries, or a newer system")
    })
}

pub(crate) fn no_function(path: &Path, name: &str) -> Error {
    let library = path.file_name().unwrap_or_default().to_string_lossy();
    Error::new(
        format!("the library {library} of the FMU has no function {name}"),
        "this is an error of the program that exported the FMU",
    )
}

pub(crate) fn not_made(model: &str, log: &Log) -> Error {
    let said = log.last().unwrap_or_else(|| "it gives no reason".to_owned());
    Error::new(format!("`{model}` could not be instantiated: {said}"), "")
}
