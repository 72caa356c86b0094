//! The program as a user meets it: what it prints, writes and returns. One module per kind of behaviour.

mod archive;
mod arming;
mod bench;
mod certificate;
mod check;
mod commands;
mod console;
mod coupled;
mod couplings;
mod drawing;
mod elements;
mod ensemble;
mod explain;
mod export;
mod externals;
mod fmu;
mod forty;
mod frequencies;
#[cfg(unix)]
mod harness;
mod hostile;
mod identify;
mod import;
mod keys;
mod lab;
mod laboratory;
mod large;
mod mistakes;
mod motion;
mod numbers;
mod pushover;
mod reduce;
mod rehearse;
mod reproduce;
mod results;
mod resume;
mod rigs;
mod roles;
mod runs;
#[cfg(unix)]
mod scripts;
mod sensors;
mod serve;
mod stability;
mod templates;
mod verdicts;
mod writing;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A floor on an elastic frame.
const STOREY: &str = r#"[[node]]
name = "floor"
dofs = ["x"]
mass = "1 t"
[[element]]
type = "spring"
name = "frame"
nodes = ["ground", "floor"]
dof = "x"
k = "40 kN/m"
c = "1 kN*s/m"
"#;

/// What stands beside the frame in the laboratory.
const COLUMN: &str = r#"[[element]]
type = "spring"
name = "column"
nodes = ["ground", "floor"]
dof = "x"
k = "60 kN/m"
"#;

/// How a run of the program ended.
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    /// Standard output as JSON.
    fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(v) => v,
            Err(e) => panic!("no JSON ({e}):\n{}\n{}", self.stdout, self.stderr),
        }
    }

    /// Fails unless the exit code is this, or if the program panicked.
    fn expect(self, code: i32) -> Self {
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interfield"));
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null()).env("NO_COLOR", "1");
    command
}

/// Removes what an earlier run of the tests left under the name that these arguments ask for: no test is ever replaced.
fn make_way(args: &[&str]) {
    let runs = ["run", "pushover", "replay", "serve"].contains(args.first().unwrap_or(&""));
    let named = args.windows(2).find(|w| ["-o", "--output"].contains(&w[0])).map(|w| w[1]).filter(|_| runs);
    let Some(results) = named.map(|name| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)) else { return };
    let Some(folder) = results.parent() else { return };
    let stem = format!("{}.", results.file_stem().and_then(|s| s.to_str()).expect("a name"));
    let kinds = [".h5", ".csv", ".html", ".log"];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        // A link is there on purpose.
        let left = entry.file_type().is_ok_and(|t| t.is_file());
        if left && name.starts_with(&stem) && kinds.iter().any(|k| name.ends_with(k)) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

fn interfield<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Outcome {
    make_way(&args.iter().filter_map(|a| a.as_ref().to_str()).collect::<Vec<_>>());
    let output = program().args(args).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A process that ends with its test.
struct Running(Child);

impl Running {
    fn start(args: &[&str]) -> Self {
        make_way(args);
        let mut command = program();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().expect("the program starts"))
    }

    /// Kills it without a warning.
    fn kill(&mut self) {
        self.0.kill().expect("it is running");
        self.0.wait().expect("it has ended");
    }

    /// Its end: exit code and standard output.
    fn end(mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        let mut out = self.0.stdout.take().expect("a pipe");
        std::io::Read::read_to_string(&mut out, &mut text).expect("text");
        (self.0.wait().expect("it ends").code(), text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A file in the folder of temporary files.
fn file(name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("the file can be written");
    path
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// A small good model, the starting point of many tests.
const BASE: &str = include_str!("../data/base.toml");

/// Results of a run: names and units of the columns, and the rows.
struct Csv {
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

/// Reads a CSV file and checks its form.
fn csv(path: &Path) -> Csv {
    let text = std::fs::read_to_string(path).expect("results");
    assert!(text.ends_with('\n'), "the last row is complete");
    let mut lines = text.lines();
    let header: Vec<String> = lines.next().expect("a header").split(',').map(str::to_owned).collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|l| l.split(',').map(|x| x.parse().expect("a number")).collect::<Vec<f64>>()).collect();
    for row in &rows {
        assert_eq!(row.len(), header.len());
        assert!(row.iter().all(|x| x.is_finite()), "{row:?}");
    }
    for name in &header {
        assert!(name.ends_with(']') && name.contains(" ["), "`{name}` has a unit");
    }
    Csv { header, rows }
}

/// Options for the first part of a run alone; a push has no time that could be cut.
fn first<'a>(model: &Path, until: &'a str) -> Vec<&'a str> {
    let timed = std::fs::read_to_string(model).expect("a model").contains("[analysis]");
    if timed { vec!["--until", until] } else { Vec::new() }
}

/// Runs a model text to the end; returns the JSON summary and the results.
fn run(name: &str, text: &str, more: &[&str]) -> (Value, Csv) {
    let model = file(&format!("{name}.toml"), text);
    let out = model.with_extension("csv");
    let mut args = vec!["run", model.to_str().unwrap(), "--json", "--output", out.to_str().unwrap()];
    args.extend(more);
    let summary = interfield(&args).expect(0).json();
    assert_eq!(summary["ended"], "finished");
    (summary, csv(&out))
}
