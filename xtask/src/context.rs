//! Where things are, and how commands are run: output goes straight through, nothing is read from stdin.

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a stage says of itself in one line, or why it failed.
pub(crate) type Outcome = Result<String, String>;

/// The workspace that commands work on.
pub(crate) struct Context {
    /// Root of the repository.
    pub(crate) root: PathBuf,
    /// Where cargo puts what it builds.
    pub(crate) target: PathBuf,
    /// `cargo metadata --no-deps`.
    pub(crate) metadata: Value,
    cargo: PathBuf,
}

impl Context {
    /// Of the workspace that this program was built in.
    pub(crate) fn new() -> Result<Self, String> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().ok_or("xtask/ has no parent directory")?.to_path_buf();
        let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let mut context = Context { target: root.join("target"), root, metadata: Value::Null, cargo };
        context.metadata = context.json(context.cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
        context.target =
            context.metadata["target_directory"].as_str().ok_or("cargo metadata: no target directory")?.into();
        Ok(context)
    }

    /// A cargo command with these arguments.
    pub(crate) fn cargo<const N: usize>(&self, args: [&str; N]) -> Command {
        let mut command = Command::new(&self.cargo);
        command.args(args);
        command
    }

    /// Builds our programs as the tests have built them: for what they compute the optimised ones are no others, and building
    /// those would take a fifth of all the time that the tests have. All targets of all crates, although few are needed: which
    /// features a dependency has follows from what is chosen, and every other choice compiles nearly everything once more.
    pub(crate) fn build(&self) -> Result<(), String> {
        self.run(self.cargo(["build", "--locked", "--workspace", "--all-targets"]))
    }

    /// Our program, once [`Context::build`] has built it.
    pub(crate) fn interfield(&self) -> PathBuf {
        self.program("interfield")
    }

    /// Any program or example of the workspace, once [`Context::build`] has built it.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(name)
    }

    /// Runs a command at the root; its output is the user's.
    pub(crate) fn run(&self, mut command: Command) -> Result<(), String> {
        println!("$ {}", show(&command));
        let status = command.current_dir(&self.root).stdin(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{}`: {status}", show(&command))),
            Err(e) => Err(format!("`{}` cannot be started: {e}", show(&command))),
        }
    }

    /// Standard output of a command run at the root; its error output is the user's.
    pub(crate) fn output(&self, mut command: Command) -> Result<String, String> {
        let result = command.current_dir(&self.root).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        match result {
            Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
            Ok(out) => {
                let said = String::from_utf8_lossy(&out.stdout);
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect::<String>();
                Err(format!("`{}`: {}{}{said}", show(&command), out.status, if said.is_empty() { "" } else { ": " }))
            }
            Err(e) => Err(format!("`{}` cannot be started: {e}", show(&command))),
        }
    }

    /// The same, read as JSON: the whole of it, or its last line that opens a brace.
    pub(crate) fn json(&self, command: Command) -> Result<Value, String> {
        let shown = show(&command);
        let text = self.output(command)?;
        serde_json::from_str(&text)
            .or_else(|e| text.lines().rev().find(|l| l.starts_with('{')).map_or(Err(e), serde_json::from_str))
            .map_err(|e| format!("`{shown}` did not print JSON: {e}"))
    }

    /// Whether a command exists and succeeds; its output is dropped.
    pub(crate) fn succeeds(&self, mut command: Command) -> bool {
        command.current_dir(&self.root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    }

    /// A path as seen from the root.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// A command as one would type it.
fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = std::iter::once(program.file_name().unwrap_or(program.as_os_str())).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
