//! A program that is started with a run and does not outlive it.
//!
//! It gets a process group of its own, so that Ctrl-C reaches it through us only and all it started ends with it. We start
//! it through ourselves (`interfield keep`), which asks the system to end it when we die and then becomes it: the child
//! of a process that was killed would otherwise go on listening.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long a program that was told to end may take.
const GRACE: Duration = Duration::from_secs(5);

/// Between two looks at a program that is ending.
const LOOK: Duration = Duration::from_millis(2);

/// Most bytes of a log that are shown.
const TAIL: u64 = 600;

/// A program that runs.
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
    ended: Option<ExitStatus>,
    /// Whether it had to be killed.
    killed: bool,
}

impl Process {
    /// Starts `command` in `folder`; what it prints goes to `log`. The error is a sentence for the user.
    pub(crate) fn start(
        command: &[String],
        folder: &Path,
        variables: &[(&str, String)],
        log: &Path,
    ) -> Result<Self, String> {
        let not_written = |e: std::io::Error| format!("its log {} cannot be written: {e}", log.display());
        if let Some(parent) = log.parent() {
            std::fs::create_dir_all(parent).map_err(not_written)?;
        }
        let out = File::create(log).map_err(not_written)?;
        let err = out.try_clone().map_err(not_written)?;
        let ourselves = std::env::current_exe().map_err(|e| format!("it cannot be started: {e}"))?;
        let mut start = Command::new(ourselves);
        start.arg("keep").arg("--parent").arg(std::process::id().to_string()).arg("--").args(command);
        start.stdin(Stdio::null()).stdout(out).stderr(err);
        if !folder.as_os_str().is_empty() {
            start.current_dir(folder);
        }
        start.envs(variables.iter().map(|(name, value)| (name, value)));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut start, 0);
        let child = start.spawn().map_err(|e| format!("it cannot be started: {e}"))?;
        Ok(Process { child, log: log.to_owned(), ended: None, killed: false })
    }

    /// Whether it has not ended.
    pub(crate) fn runs(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
        self.ended.is_none()
    }

    /// Waits for its end, and helps where that takes too long.
    pub(crate) fn end(&mut self, patience: Duration) {
        let until = Instant::now() + patience;
        while self.runs() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        self.killed |= self.runs();
        self.kill();
        self.ended = self.ended.or_else(|| self.child.wait().ok());
    }

    /// As [`Process::end`], for one that was told to.
    pub(crate) fn end_gracefully(&mut self) {
        self.end(GRACE);
    }

    /// Kills it and all it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // Its group may have members when it has ended itself.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
    }

    /// How it ended, as the rest of a sentence.
    pub(crate) fn ending(&self) -> String {
        match self.ended {
            _ if self.killed => "did not end and was killed".to_owned(),
            None => "runs".to_owned(),
            Some(status) => match status.code() {
                Some(code) => format!("ended with status {code}"),
                None => format!("was ended by a signal ({status})"),
            },
        }
    }

    /// The last lines of its log, each after a bar; empty if it said nothing.
    pub(crate) fn last_words(&self) -> String {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&self.log)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
            let mut bytes = Vec::new();
            file.take(TAIL).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
        lines[lines.len().saturating_sub(5)..].iter().map(|l| format!("\n  | {l}")).collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// Becomes a program that is ended when the process `parent`, which started us, dies. Returns only what went wrong.
pub fn become_program(parent: u32, command: &[OsString]) -> String {
    let Some((program, arguments)) = command.split_first() else { return "no program was given".to_owned() };
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, getppid, set_parent_process_death_signal};
        if let Err(e) = set_parent_process_death_signal(Some(Signal::KILL)) {
            return format!("the program cannot be set to end with this process: {e}");
        }
        // It may have died before we asked.
        if getppid().map(|p| p.as_raw_nonzero().get()) != i32::try_from(parent).ok() {
            return "its parent process has ended".to_owned();
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
    let mut start = Command::new(program);
    start.args(arguments);
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut start);
    #[cfg(not(unix))]
    let error = match start.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(e) => e,
    };
    format!("`{}` cannot be started: {error}", program.to_string_lossy())
}
