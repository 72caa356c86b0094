//! Runs a user's script against the recording module.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use interfield_fmi::scratch::Scratch;
use interfield_opensees::PYTHON;

/// How long a script that is stopped may take to say where it was.
const GRACE: Duration = Duration::from_secs(3);
/// How often a running script is looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// A script that is to be recorded.
pub(super) struct Recording<'a> {
    pub(super) script: &'a Path,
    pub(super) arguments: &'a [String],
    pub(super) program: &'a str,
    pub(super) timeout: Duration,
    /// Whether what it prints is shown.
    pub(super) show: bool,
}

/// A message and a remedy.
type Refusal = (String, String);

impl Recording<'_> {
    /// The record, up to the end of the script or to the end of its time.
    pub(super) fn run(&self) -> Result<String, Refusal> {
        let unwritten = |e: std::io::Error| {
            (format!("the recording module cannot be written: {e}"), "check the folder for temporary files".to_owned())
        };
        let scratch = Scratch::new("import").map_err(unwritten)?;
        for (name, text) in PYTHON {
            let path = scratch.path().join(name);
            path.parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(path, text))
                .map_err(unwritten)?;
        }
        let record = scratch.path().join("record.jsonl");
        let mut child = self.start(scratch.path(), &record)?;
        let ended = wait(&mut child, self.timeout);
        if !ended {
            stop(&mut child);
        }
        let text = std::fs::read_to_string(&record).unwrap_or_default();
        if text.is_empty() {
            let message = format!("`{}` ended without recording anything", self.program);
            return Err((
                message,
                format!("check that `{} --version` works, or name another with --python", self.program),
            ));
        }
        // A script that did not let itself be stopped has not said so.
        let silent = !ended && !text.lines().last().is_some_and(|l| l.contains("\"end\""));
        let note = format!(
            "\n{{\"end\": \"error\", \"message\": \"it took longer than {} s and was stopped (--timeout)\"}}\n",
            self.timeout.as_secs_f64()
        );
        Ok(if silent { text + &note } else { text })
    }

    fn start(&self, folder: &Path, record: &Path) -> Result<Child, Refusal> {
        let script = std::fs::canonicalize(self.script).unwrap_or_else(|_| self.script.to_path_buf());
        let home = script.parent().unwrap_or(Path::new("."));
        let mut command = Command::new(self.program);
        command.arg("-B").arg(folder.join(PYTHON[0].0)).arg(&script).args(self.arguments);
        command.current_dir(home).stdin(Stdio::null());
        command.env("INTERFIELD_RECORD", record).env("MPLBACKEND", "Agg").env("PYTHONIOENCODING", "utf-8:replace");
        // Of itself, for questions that only a computation answers.
        if let Ok(own) = std::env::current_exe() {
            command.env("INTERFIELD_PROGRAM", own);
        }
        let path = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let paths = std::iter::once(folder.to_path_buf())
            .chain(std::env::split_paths(&path).filter(|p| !p.as_os_str().is_empty()));
        if let Ok(joined) = std::env::join_paths(paths) {
            command.env("PYTHONPATH", joined);
        }
        match self.show {
            true => command.stdout(std::io::stderr()).stderr(Stdio::inherit()),
            false => command.stdout(Stdio::null()).stderr(Stdio::null()),
        };
        command.spawn().map_err(|e| {
            let message = format!("`{}` cannot be started: {e}", self.program);
            (message, "install Python 3, or name it with --python".to_owned())
        })
    }
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
