//! Tests that need a network of their own: virtual cables between network namespaces, and the rights of root to make them.
//! Run by `cargo xtask test network`.
#![cfg(target_os = "linux")]

mod bus;
mod bus_runs;
mod hosts;

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use interfield_results::Reader;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde_json::Value;

/// Runs `ip` with these words.
fn ip(words: &str) {
    let output = Command::new("ip").args(words.split_whitespace()).output().expect("`ip` of iproute2 is installed");
    assert!(output.status.success(), "ip {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A network of its own; gone with the test.
struct Host(String);

impl Host {
    fn new(name: &str) -> Self {
        let name = format!("ifw-{}-{name}", std::process::id());
        ip(&format!("netns add {name}"));
        let host = Host(name);
        host.ip("link set lo up");
        host
    }

    /// Runs `ip` there.
    fn ip(&self, words: &str) {
        ip(&format!("-n {} {words}", self.0));
    }

    /// The thread that calls lives there from now on, with all that it starts.
    fn enter(&self) {
        let file = std::fs::File::open(format!("/run/netns/{}", self.0)).expect("it was made by ip");
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).expect("root may do this");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.0]).output();
    }
}

/// A process that ends with its test.
struct Running(Child);

impl Running {
    /// Kills it without a warning.
    fn kill(&mut self) {
        self.0.kill().expect("it is running");
        self.0.wait().expect("it has ended");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interfield"));
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null()).env("NO_COLOR", "1");
    command
}

/// Removes what an earlier run of the tests left of a result and its recording: no test is ever replaced.
fn make_way(results: &str) {
    let results = Path::new(env!("CARGO_TARGET_TMPDIR")).join(results);
    let stem = format!("{}.", results.file_stem().and_then(|s| s.to_str()).expect("a name"));
    for entry in std::fs::read_dir(results.parent().expect("a folder")).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        if name.starts_with(&stem) && name.ends_with(".h5") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// `interfield` with these arguments: its exit code and its JSON.
fn interfield(args: &[&str]) -> (Option<i32>, Value) {
    if let Some(output) = args.iter().position(|a| *a == "-o") {
        make_way(args[output + 1]);
    }
    let output = program().args(args).output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    let said = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"));
    (output.status.code(), said)
}

/// Starts `interfield lab`, and waits until it listens; its address.
fn lab(args: &[&str]) -> (Running, String) {
    use std::io::{BufRead, BufReader};
    let mut command = program();
    command.arg("lab").args(args).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().expect("the program starts"));
    let mut errors = BufReader::new(running.0.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let address = line.trim_end().rsplit_once("listens at ").unwrap_or_else(|| panic!("{line}")).1.to_owned();
    std::thread::spawn(move || errors.lines().for_each(drop));
    (running, address)
}

/// A file in the folder of temporary files.
fn file(name: &str, contents: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("the file can be written");
    path
}

/// All channels of a result file.
fn channels(name: &str) -> Vec<Vec<f64>> {
    let reader = Reader::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).expect("it opens");
    assert!(reader.rows() > 100);
    (0..reader.channels().len()).map(|c| reader.read(c, 0..reader.rows()).expect("rows")).collect()
}

fn bits(name: &str) -> Vec<Vec<u64>> {
    channels(name).into_iter().map(|c| c.into_iter().map(f64::to_bits).collect()).collect()
}
