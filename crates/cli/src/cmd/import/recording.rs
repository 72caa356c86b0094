//! Runs a user's script against the recording module.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use interfield_opensees::{PYTHON, Record, TCL};

/// How long a script that is stopped may take to say where it was.
const GRACE: Duration = Duration::from_secs(1);
/// How often a running script is looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// A script that is to be recorded.
pub(super) struct Recording<'a> {
    pub(super) script: &'a Path,
    pub(super) arguments: &'a [String],
    /// The Python that runs it.
    pub(super) python: &'a str,
    pub(super) timeout: Duration,
    /// Whether what it prints is shown.
    pub(super) show: bool,
}

/// A message and a remedy.
pub(super) type Refusal = (String, String);

impl Recording<'_> {
    /// What the script said, up to its end or to the end of its time. Files that a Tcl script writes are kept in the folder.
    pub(super) fn run(&self, folder: &Path) -> Result<Record, Refusal> {
        for (name, text) in self.files() {
            let path = folder.join(name);
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, text)).map_err(
                |e| {
                    let message = format!("the recording module cannot be written: {e}");
                    (message, "check the folder for temporary files".to_owned())
                },
            )?;
        }
        let mut record = self.once(folder, "record.jsonl", None)?;
        if self.is_tcl() {
            for query in record.inexact_queries() {
                let changed = self.once(folder, "changed.jsonl", Some(query))?;
                record.mark(query, &changed);
            }
        }
        Ok(record)
    }

    fn is_tcl(&self) -> bool {
        is_tcl(self.script)
    }

    fn files(&self) -> &'static [(&'static str, &'static str)] {
        if self.is_tcl() { TCL } else { PYTHON }
    }

    fn program(&self) -> &str {
        if self.is_tcl() { "tclsh" } else { self.python }
    }

    /// Runs the script once; `changed` is a query whose answers are changed a little.
    fn once(&self, folder: &Path, name: &str, changed: Option<&str>) -> Result<Record, Refusal> {
        let path = folder.join(name);
        let mut child = self.start(folder, &path, changed)?;
        let ended = wait(&mut child, self.timeout);
        if !ended {
            stop(&mut child);
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.is_empty() {
            let message = format!("`{}` ended without recording anything", self.program());
            let help = match self.is_tcl() {
                true => "check that `echo {puts $tcl_version} | tclsh` prints 8.6".to_owned(),
                false => format!("check that `{} --version` works, or name another with --python", self.program()),
            };
            return Err((message, help));
        }
        // A script that did not let itself be stopped has not said so.
        let silent = !ended && !text.lines().last().is_some_and(|l| l.contains("\"end\""));
        let note = format!(
            "\n{{\"end\": \"error\", \"message\": \"it took longer than {} s and was stopped (--timeout)\"}}\n",
            self.timeout.as_secs_f64()
        );
        let text = if silent { text + &note } else { text };
        Record::read(&text).map_err(|e| (format!("the record of the script is broken: {e}"), String::new()))
    }

    fn start(&self, folder: &Path, record: &Path, changed: Option<&str>) -> Result<Child, Refusal> {
        let script = std::fs::canonicalize(self.script).unwrap_or_else(|_| self.script.to_path_buf());
        let home = script.parent().unwrap_or(Path::new("."));
        let mut command = Command::new(self.program());
        if !self.is_tcl() {
            command.arg("-B");
        }
        command.arg(folder.join(self.files()[0].0)).arg(&script).args(self.arguments);
        command.current_dir(home).stdin(Stdio::null());
        command.env("INTERFIELD_RECORD", record).env("MPLBACKEND", "Agg").env("PYTHONIOENCODING", "utf-8:replace");
        // Of itself, for questions that only a computation answers.
        if let Ok(own) = std::env::current_exe() {
            command.env("INTERFIELD_PROGRAM", own);
        }
        if let Some(query) = changed {
            command.env("INTERFIELD_NUDGE", query);
        }
        let path = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let paths = std::iter::once(folder.to_path_buf())
            .chain(std::env::split_paths(&path).filter(|p| !p.as_os_str().is_empty()));
        if let Ok(joined) = std::env::join_paths(paths) {
            command.env("PYTHONPATH", joined);
        }
        match self.show && changed.is_none() {
            true => command.stdout(std::io::stderr()).stderr(Stdio::inherit()),
            false => command.stdout(Stdio::null()).stderr(Stdio::null()),
        };
        command.spawn().map_err(|e| {
            let message = format!("`{}` cannot be started: {e}", self.program());
            let help = match self.is_tcl() {
                true => "scripts in Tcl are run by tclsh 8.6: install it, on Debian and Ubuntu with `apt install tcl`",
                false => "install Python 3, or name it with --python",
            };
            (message, help.to_owned())
        })
    }
}

/// Whether a script is one in Tcl.
pub(super) fn is_tcl(script: &Path) -> bool {
    script.extension().is_some_and(|e| e.eq_ignore_ascii_case("tcl"))
}

/// Whether it ends in time.
fn wait(child: &mut Child, time: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < time {
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        std::thread::sleep(PERIOD);
    }
    false
}

/// Asks it to end, so that it writes what it has said; then ends it.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(pid) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
    if !wait(child, GRACE) {
        let _ = child.kill();
        let _ = child.wait();
    }
}
