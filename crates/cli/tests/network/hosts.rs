//! A structure here and its specimens on two other hosts, over lines that delay, lose, repeat and reorder: three network
//! namespaces, with the weather of `peers/weather.py` between them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use interfield_results::Reader;
use serde_json::Value;

use super::{Host, Running, bits, file};

/// Delays up to twice the mean, so that neighbours change places; one in thirty is lost, one in thirty comes twice.
const STORM: &str = r#"{"delay_ms": 2, "jitter_ms": 2, "loss": 0.03, "double": 0.03}"#;

/// An answer takes 10 to 30 ms, longer than the half period of 10 ms that a test by the clock waits for it; every fifth is lost on
/// its way there or back, so that in some samples nothing new comes.
const FAR: &str = r#"{"delay_ms": 10, "jitter_ms": 5, "loss": 0.1, "double": 0.02}"#;

/// The structure's host with a line to each of two others.
struct Network {
    here: Host,
    there: [Host; 2],
    between: Host,
    _weather: Vec<Running>,
}

impl Network {
    fn new(name: &str, weather: &str) -> Self {
        let host = |place: &str| Host::new(&format!("{name}-{place}"));
        let (here, there, between) = (host("h0"), [host("h1"), host("h2")], host("w"));
        let mut running = Vec::new();
        for (k, far) in (1..).zip(&there) {
            for (end, device, cable, address) in [(&here, format!("e{k}"), "a", 1), (far, "e0".to_owned(), "b", 2)] {
                super::ip(&format!(
                    "link add dev {device} netns {} type veth peer name {cable}{k} netns {}",
                    end.0, between.0
                ));
                end.ip(&format!("addr add 10.71.{k}.{address}/24 dev {device}"));
                end.ip(&format!("link set {device} up"));
                between.ip(&format!("link set {cable}{k} up"));
            }
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/weather.py");
            let mut command = on(&between, "python3");
            command.arg("-B").arg(script).args([&format!("a{k}"), &format!("b{k}"), weather]);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 starts");
            let mut line = String::new();
            BufReader::new(child.stdout.take().expect("a pipe"))
                .read_line(&mut line)
                .expect("it says that it is ready");
            assert_eq!(line, "ready\n");
            running.push(Running(child));
        }
        Network { here, there, between, _weather: running }
    }

    /// The laboratories of both specimens, each on its host.
    fn laboratories(&self, model: &Path) -> [Running; 2] {
        let path = model.to_str().expect("UTF-8");
        [(0, "east"), (1, "west")].map(|(k, specimen)| {
            let mut command = on(&self.there[k], env!("CARGO_BIN_EXE_interfield"));
            command.args(["lab", path, "--specimen", specimen, "--json"]);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
            let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
            let mut line = String::new();
            errors.read_line(&mut line).expect("a line");
            assert!(line.contains("key ") && line.contains("listens at udp://10.71."), "{line}");
            std::thread::spawn(move || errors.lines().for_each(drop));
            Running(child)
        })
    }

    fn run(&self, model: &Path, output: &str, more: &[&str]) -> Command {
        super::make_way(output);
        let mut command = on(&self.here, env!("CARGO_BIN_EXE_interfield"));
        command.args(["run", model.to_str().expect("UTF-8"), "--json", "-o", output]).args(more);
        command
    }
}

/// A program on a host.
fn on(host: &Host, program: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &host.0, program]);
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    command
}

/// How a program ended: its exit code and its JSON.
fn ended(command: &mut Command) -> (Option<i32>, Value) {
    let output = command.output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}")))
}

/// What a laboratory counted, once its test is over.
fn counted(mut laboratory: Running) -> Value {
    let mut text = String::new();
    let mut out = laboratory.0.stdout.take().expect("a pipe");
    std::io::Read::read_to_string(&mut out, &mut text).expect("text");
    let said: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    said["specimens"][0].clone()
}

/// Two masses on two hysteretic piers, which are specimens; `each` says how, `at` where they are.
fn model(name: &str, duration: &str, each: &str, remote: bool) -> PathBuf {
    let at =
        |k: u8| if remote { format!("at = \"udp://10.71.{k}.2:7700\"\nkey = \"{name}.key\"") } else { String::new() };
    let text = format!(
        r#"title = "Specimens on two hosts"
dofs = ["x"]
node = [{{ name = "a", mass = "1 t", initial = {{ x = "10 mm" }} }}, {{ name = "b", mass = "1 t", initial = {{ x = "10 mm" }} }}]
element = [
  {{ type = "spring", name = "frame", nodes = ["ground", "a"], dof = "x", k = "10 kN/m", c = "600 N s/m" }},
  {{ type = "spring", name = "deck", nodes = ["a", "b"], dof = "x", k = "10 kN/m", c = "600 N s/m" }},
  {{ type = "bouc-wen", name = "pier-a", nodes = ["ground", "a"], dof = "x", k = "5 kN/m", beta = "50 1/m", gamma = "50 1/m" }},
  {{ type = "bouc-wen", name = "pier-b", nodes = ["ground", "b"], dof = "x", k = "5 kN/m", beta = "50 1/m", gamma = "50 1/m" }},
]
load = [{{ type = "force", name = "push", at = "b.x", signal = {{ type = "harmonic", amplitude = "100 N", frequency = "0.5 Hz" }} }}]
[analysis]
scheme = "newmark"
dt = "8 ms"
duration = "{duration}"
[record]
channels = ["a.x", "b.x"]
[[specimen]]
name = "east"
elements = ["pier-a"]
{each}
{}
[[specimen]]
name = "west"
elements = ["pier-b"]
{each}
{}
"#,
        at(1),
        at(2)
    );
    if remote {
        let key = format!("{name}.key");
        let _ = std::fs::remove_file(Path::new(env!("CARGO_TARGET_TMPDIR")).join(&key));
        super::interfield(&["key", "new", &key, "--json"]);
    }
    file(&format!("{name}{}.toml", if remote { "" } else { "-alone" }), &text)
}

/// Without a clock the numbers depend on nothing that the network does.
#[test]
fn lock_step_through_a_storm_changes_no_bit() {
    let name = "net-lock";
    let each = "rate = \"250 Hz\"\nramp = \"0.1 s\"";
    let alone = model(name, "1 s", each, false);
    super::interfield(&["run", alone.to_str().expect("UTF-8"), "--json", "-o", "net-lock-alone.h5"]);
    let remote = model(name, "1 s", each, true);
    let network = Network::new("lock", STORM);
    let laboratories = network.laboratories(&remote);
    let (code, said) = ended(&mut network.run(&remote, "net-lock.h5", &[]));
    assert_eq!(code, Some(0), "{said:#}");
    for end in ["h5", "east.lab.h5", "west.lab.h5"] {
        assert_eq!(bits(&format!("net-lock-alone.{end}")), bits(&format!("net-lock.{end}")), "{end}");
    }
    for (k, laboratory) in laboratories.into_iter().enumerate() {
        let here = &said["laboratory"][k];
        assert_eq!(here["verdict"], "good", "{here:#}");
        let account = &here["account"];
        let count = |name: &str| account[name].as_f64().unwrap_or(f64::NAN);
        assert_eq!((count("lost"), count("stale"), count("rejected")), (0.0, 0.0, 0.0), "{account}");
        assert!(count("repeated") > 0.0 && count("replayed") > 0.0, "there was a storm: {account}");
        let there = counted(laboratory);
        assert_eq!(there["commands"].as_f64(), Some(count("commands")), "{there}");
        assert_eq!((&there["lost"], &there["rejected"]), (&0.into(), &0.into()), "{there}");
    }
}

/// By the clock: answers come too late for their sample, some never; what is late and stale is counted, and the test ends well,
/// since the delay of the line is compensated as that of an actuator would be.
fn by_the_clock(late: &str) {
    let name = format!("net-{late}");
    // Ten times slower than the structure, 4 samples of 20 ms in a step.
    let compensation = "compensation = { method = \"polynomial\", delay = \"20 ms\" }";
    let each = format!("rate = \"50 Hz\"\ntime_scale = 10\nramp = \"0.5 s\"\nlate = \"{late}\"\n{compensation}");
    let remote = model(&name, "1 s", &each, true);
    let network = Network::new(late, FAR);
    let laboratories = network.laboratories(&remote);
    let (code, said) = ended(&mut network.run(&remote, &format!("{name}.h5"), &["--real-time"]));
    assert_eq!(code, Some(0), "{said:#}");
    for (k, laboratory) in laboratories.into_iter().enumerate() {
        let here = &said["laboratory"][k];
        assert_eq!(here["state"], "finished", "{here:#}");
        assert_ne!(here["verdict"], "failed", "{here:#}");
        let count = |name: &str| here["account"][name].as_f64().unwrap_or(f64::NAN);
        assert!(count("late") > 300.0 && count("stale") > 0.0, "{here:#}");
        assert_eq!(count("rejected"), 0.0, "{here:#}");
        // Every sample without new readings is in the recording, and counted.
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}.lab.h5", ["east", "west"][k]));
        let reader = Reader::open(&path).expect("the recording opens");
        let channel = reader.channels().iter().position(|c| c.name.ends_with("fresh")).expect("a channel");
        let fresh = reader.read(channel, 0..reader.rows()).expect("rows");
        assert_eq!(fresh.iter().filter(|f| **f == 0.0).count() as f64, count("stale"));
        assert!(counted(laboratory)["sealed"].as_u64().is_some_and(|n| n > 500));
    }
}

#[test]
fn by_the_clock_a_late_target_holds() {
    by_the_clock("hold");
}

#[test]
fn by_the_clock_a_late_target_is_extrapolated() {
    by_the_clock("extrapolate");
}

/// A host disappears in the middle of a test: its specimen is given up, the other one is led home, and both recordings open.
#[test]
fn a_host_that_disappears_ends_the_test() {
    let name = "net-gone";
    let each = "rate = \"50 Hz\"\ntime_scale = 10\nramp = \"0.5 s\"\nlimits = { gone = \"abort\" }";
    let remote = model(name, "100 s", each, true);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let paths = ["east", "west"].map(|s| folder.join(format!("{name}.{s}.lab.h5")));
    paths.iter().for_each(|p| drop(std::fs::remove_file(p)));
    let network = Network::new("gone", FAR);
    let _laboratories = network.laboratories(&remote);
    let mut command = network.run(&remote, &format!("{name}.h5"), &["--real-time"]);
    let test = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let end = Instant::now() + Duration::from_secs(60);
    while !Reader::open(&paths[0]).is_ok_and(|r| r.rows() > 100) {
        assert!(Instant::now() < end, "the test does not get under way");
        std::thread::yield_now();
    }
    network.between.ip("link set b1 down");
    let output = test.wait_with_output().expect("it ends");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(3), "{said:#}");
    let [east, west] = [0, 1].map(|k| &said["laboratory"][k]);
    let last = east["transitions"].as_array().and_then(|t| t.last()).expect("a transition");
    assert_eq!((&east["state"], &last["cause"]), (&"aborted".into(), &"gone".into()), "{east:#}");
    // Led home, but the test was not finished.
    assert_eq!(west["state"], "aborted", "{west:#}");
    for (path, laboratory) in paths.iter().zip([east, west]) {
        let reader = Reader::open(path).expect("the recording opens");
        assert_eq!(Some(reader.rows()), laboratory["samples"].as_u64());
    }
}
