//! OpenSees in a process of its own: the user's script, or the commands of a Tcl script as it gives them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::results::Peer;
use crate::TCL;

/// What OpenSees is to run.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// A Python with openseespy.
    pub python: &'a Path,
    /// The script, `.py` or `.tcl`.
    pub script: &'a Path,
    /// Its arguments.
    pub arguments: &'a [String],
    /// Displacements to write down: node and number of the degree of freedom, from 1.
    pub channels: &'a [(i64, usize)],
    /// Whether every step is taken in two halves.
    pub halve: bool,
    /// An empty folder of ours.
    pub scratch: &'a Path,
}

/// Why OpenSees has not computed anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// This Python cannot load openseespy; what it said.
    NoOpenSees(String),
    /// A program that is not there.
    NoProgram(String),
    /// Anything else, in words.
    Other(String),
}

/// Where a Python with openseespy is looked for: the environment that is active, environments beside the script and here, the system.
pub fn candidates(script: &Path, active: Option<&Path>) -> Vec<PathBuf> {
    let beside = script.parent().map(Path::to_path_buf).unwrap_or_default();
    let folders = [beside, PathBuf::from(".")];
    let environments = folders.iter().flat_map(|f| [f.join(".venv"), f.join("venv"), f.join("env")]);
    let own = active.map(Path::to_path_buf).into_iter().chain(environments);
    let mut all: Vec<PathBuf> = own.map(|e| e.join("bin/python")).filter(|p| p.is_file()).collect();
    all.extend(["python3", "python"].map(PathBuf::from));
    all.dedup();
    all
}

/// Runs the script to its end, whatever that is.
///
/// # Errors
/// If OpenSees has not even started.
pub fn run(request: &Request<'_>) -> Result<Peer, Failure> {
    let Request { python, script, arguments, channels, halve, scratch } = request;
    let other = |what: &str, e: std::io::Error| Failure::Other(format!("`{what}` cannot be written: {e}"));
    let put = |name: &str, text: &str| -> Result<PathBuf, Failure> {
        let path = scratch.join(name);
        std::fs::write(&path, text).map(|()| path).map_err(|e| other(name, e))
    };
    let peer = put("peer.py", include_str!("../../recorder/peer.py"))?;
    let list: Vec<String> = channels.iter().map(|(n, d)| format!("[{n}, {d}]")).collect();
    let listed = put("channels.json", &format!("[{}]", list.join(", ")))?;
    let base = scratch.join(if *halve { "halved" } else { "results" });
    let tcl = script.extension().is_some_and(|e| e.eq_ignore_ascii_case("tcl"));
    let mut command = if tcl {
        let mut command = Command::new("tclsh");
        command.arg(put(TCL[0].0, TCL[0].1)?).arg(script).args(*arguments);
        // A list of Tcl, so that blanks in paths stay where they are.
        let words = [python.as_os_str(), "-B".as_ref(), peer.as_os_str(), "--serve".as_ref()];
        let words: Vec<String> = words.iter().map(|w| format!("{{{}}}", w.to_string_lossy())).collect();
        command.env("INTERFIELD_PEER", words.join(" "));
        command
    } else {
        let mut command = Command::new(python);
        command.arg("-B").arg(&peer).arg(script).args(*arguments);
        command
    };
    let log = scratch.join("opensees.log");
    let said = File::create(&log).map_err(|e| other("opensees.log", e))?;
    let also = said.try_clone().map_err(|e| other("opensees.log", e))?;
    command.env("INTERFIELD_RESULTS", &base).env("INTERFIELD_CHANNELS", &listed);
    command.env("INTERFIELD_HALVE", if *halve { "1" } else { "0" });
    command.current_dir(script.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")));
    let status = command.stdin(Stdio::null()).stdout(said).stderr(also).status();
    let program = if tcl { "tclsh" } else { &*python.to_string_lossy() };
    status.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Failure::NoProgram(program.to_owned()),
        _ => Failure::Other(format!("`{program}` cannot be started: {e}")),
    })?;
    let told = std::fs::read_to_string(&log).unwrap_or_default();
    let last = || told.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default().trim().to_owned();
    if !base.with_extension("json").is_file() {
        return Err(Failure::NoOpenSees(last()));
    }
    Peer::read(&base, channels.len()).map_err(Failure::Other)
}
