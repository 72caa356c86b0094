//! A specimen in another process: the same numbers as in one, one test at a time, and what follows when a side is killed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interfield_results::Reader;
use serde_json::Value;

use super::{Running, file, interfield};

/// An oscillator on a spring and a hysteretic damper.
pub(super) const OSCILLATOR: &str = r#"dofs = ["x"]

[[node]]
name = "a"
mass = "1 t"
initial = { x = "5 mm" }

[[element]]
type = "spring"
name = "column"
nodes = ["ground", "a"]
dof = "x"
k = "40 kN/m"

[[element]]
type = "bouc-wen"
name = "damper"
nodes = ["ground", "a"]
dof = "x"
k = "20 kN/m"
beta = "100 1/m"
gamma = "100 1/m"
"#;

/// An oscillator on a hysteretic specimen behind a lagging, noisy actuator. `more` is added to the specimen.
pub(super) fn model(name: &str, duration: &str, more: &str) -> PathBuf {
    let text = format!(
        r#"title = "Specimen in another process"
{OSCILLATOR}
[analysis]
scheme = "newmark"
dt = "2 ms"
duration = "{duration}"

[record]
channels = ["a.x", "damper.force"]

[[specimen]]
name = "rig"
elements = ["damper"]
rate = "1 kHz"
compensation = {{ method = "polynomial", delay = "4 ms" }}
{more}

[[specimen.actuator]]
type = "first-order"
time_constant = "4 ms"
force_sensor = {{ noise = "1 N" }}
displacement_sensor = {{ noise = "0.01 mm" }}
"#
    );
    file(name, text)
}

/// A laboratory that is ready, and its address.
pub(crate) fn lab(model: &Path, listen: &str, more: &[&str]) -> (Running, String) {
    let args = [&["lab", model.to_str().expect("UTF-8"), "--json", "--listen", listen], more].concat();
    let mut running = Running::start(&args);
    let mut errors = BufReader::new(running.0.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let address = line.trim_end().rsplit_once("listens at ").unwrap_or_else(|| panic!("{line}")).1.to_owned();
    // The pipe stays open, so that nothing said later is an error of the program.
    std::thread::spawn(move || errors.lines().for_each(drop));
    (running, address)
}

pub(super) fn run(model: &Path, output: &str, code: i32) -> Value {
    interfield(&["run", model.to_str().expect("UTF-8"), "--json", "-o", output]).expect(code).json()
}

/// Everything that was recorded, bit by bit.
pub(super) fn bits(name: &str) -> Vec<Vec<u64>> {
    let reader = Reader::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).expect("it opens");
    assert!(reader.rows() > 100);
    let channel = |c| reader.read(c, 0..reader.rows()).expect("rows").iter().map(|x| x.to_bits()).collect();
    (0..reader.channels().len()).map(channel).collect()
}

fn transport(listen: &str, name: &str) {
    let alone = model(&format!("{name}-alone.toml"), "2 s", "");
    run(&alone, &format!("{name}-alone.h5"), 0);
    let (hosted, address) = lab(&alone, listen, &[]);
    let remote = model(&format!("{name}-remote.toml"), "2 s", &format!("at = \"{address}\""));
    let found = run(&remote, &format!("{name}-remote.h5"), 0);
    for end in ["h5", "lab.h5"] {
        assert_eq!(bits(&format!("{name}-alone.{end}")), bits(&format!("{name}-remote.{end}")), "{name} {end}");
    }
    let samples = &found["laboratory"][0]["samples"];
    assert_eq!(found["laboratory"][0]["account"]["commands"].as_f64(), samples.as_f64());
    let (code, said) = hosted.end();
    assert_eq!(code, Some(0), "the laboratory ends with the test");
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let said = &said["specimens"][0];
    assert_eq!((&said["sessions"], &said["commands"]), (&1.into(), samples));
}

#[test]
fn udp_changes_no_bit() {
    transport("udp://127.0.0.1:0", "udp");
}

#[cfg(unix)]
#[test]
fn shared_memory_changes_no_bit() {
    transport(&format!("shm:/interfield-cli-{}", std::process::id()), "shm");
}

/// Waits until the recording of a test has rows beyond the ramp to the initial displacement, 2 s.
fn recording(path: &Path) {
    let end = Instant::now() + Duration::from_secs(60);
    while !Reader::open(path).is_ok_and(|r| r.rows() > 3000) {
        assert!(Instant::now() < end, "{} has no rows", path.display());
        std::thread::yield_now();
    }
}

/// kill -9 of the laboratory: the test ends in the configured action after the stated number of samples without an answer, and
/// its recording opens.
fn killed(listen: &str, name: &str, more: &[&str], limits: &str, samples: usize) {
    let output = format!("{name}.h5");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.lab.h5"));
    let _ = std::fs::remove_file(&path);
    let hosted = model(&format!("{name}-lab.toml"), "3000 s", "");
    let (mut hosted, address) = lab(&hosted, listen, &[]);
    let remote = model(&format!("{name}.toml"), "3000 s", &format!("at = \"{address}\"\n{limits}"));
    let remote = remote.to_str().expect("UTF-8");
    let test = Running::start(&[&["run", remote, "--json", "-o", &output], more].concat());
    recording(&path);
    // Somebody else wants the specimen meanwhile.
    let second = interfield(&["run", remote, "--json", "-o", &format!("{name}-second.h5")]).expect(1);
    assert!(second.stderr.contains("another test uses the specimen"), "{}", second.stderr);
    hosted.kill();
    let (code, said) = test.end();
    assert_eq!(code, Some(3), "{said}");
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let laboratory = &said["laboratory"][0];
    assert_eq!(laboratory["state"], "aborted");
    let last = laboratory["transitions"].as_array().and_then(|t| t.last()).expect("a transition").clone();
    assert_eq!((&last["cause"], &last["to"]), (&"gone".into(), &"aborted".into()));
    let reader = Reader::open(&path).expect("the recording opens");
    assert_eq!(Some(reader.rows()), laboratory["samples"].as_u64());
    let fresh = reader.read(reader.channel("rig.fresh").expect("a channel"), 0..reader.rows()).expect("rows");
    let silent = fresh.iter().rev().take_while(|f| **f == 0.0).count();
    assert!((1..=samples).contains(&silent), "{silent} samples without an answer");
}

#[test]
fn a_killed_laboratory_ends_the_test_at_once_and_the_recording_opens() {
    killed("udp://127.0.0.1:0", "killed-udp", &[], "", 1);
}

#[test]
fn a_killed_laboratory_ends_a_test_by_the_clock() {
    // A machine that is busy with other tests may keep the laboratory waiting for longer than the usual 10 samples: that must not end the test
    // before it is killed. Gone is what is silent for a quarter of a second more.
    killed("udp://127.0.0.1:0", "killed-clock", &["--real-time"], "limits = { missing = 5000 }", 5250);
}

#[cfg(unix)]
#[test]
fn a_killed_laboratory_is_seen_through_shared_memory() {
    let name = format!("/interfield-killed-{}", std::process::id());
    killed(&format!("shm:{name}"), "killed-shm", &[], "", 1);
    // Whoever is killed cleans nothing up.
    let _ = std::fs::remove_file(format!("/dev/shm{name}"));
}

/// kill -9 of the test: the laboratory waits for the next one and gives it a specimen that nobody has moved.
#[test]
fn a_laboratory_survives_a_killed_test() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("victim.lab.h5");
    let _ = std::fs::remove_file(&path);
    let alone = model("survivor-alone.toml", "1 s", "");
    run(&alone, "survivor-alone.h5", 0);
    let (hosted, address) = lab(&alone, "udp://127.0.0.1:0", &[]);
    let at = format!("at = \"{address}\"");
    let victim = model("victim.toml", "3000 s", &at);
    let mut test = Running::start(&["run", victim.to_str().expect("UTF-8"), "--json", "-o", "victim.h5"]);
    recording(&path);
    test.kill();
    let remote = model("survivor.toml", "1 s", &at);
    // Refused until the dead one has been silent for long enough.
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let again = interfield(&["run", remote.to_str().expect("UTF-8"), "--json", "-o", "survivor.h5"]);
        if again.code == Some(0) {
            break;
        }
        assert!(again.stderr.contains("another test uses the specimen"), "{}", again.stderr);
        assert!(Instant::now() < end);
    }
    assert_eq!(bits("survivor-alone.lab.h5"), bits("survivor.lab.h5"));
    let (code, said) = hosted.end();
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &said["specimens"][0]["sessions"]), (Some(0), &2.into()));
    assert!(Reader::open(&path).is_ok_and(|r| r.rows() > 100), "what the killed test recorded opens");
}

#[test]
fn a_recording_is_played_back_until_the_commands_leave_it() {
    let recorded = model("replay.toml", "1 s", "");
    let first = run(&recorded, "replay-first.h5", 0);
    let path = recorded.to_str().expect("UTF-8");
    let replay = |more: &[&str], code| {
        interfield(&[&["replay", "replay-first.lab.h5", path, "--json", "-o", "replay-second.h5"], more].concat())
            .expect(code)
    };
    let again = replay(&[], 0).json();
    assert_eq!(again["laboratory"][0]["samples"], first["laboratory"][0]["samples"]);
    for (a, b) in
        first["channels"].as_array().expect("channels").iter().zip(again["channels"].as_array().expect("channels"))
    {
        let (a, b) = (a["final"].as_f64().expect("a number"), b["final"].as_f64().expect("a number"));
        assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} {b}");
    }
    // Another structure asks for something else.
    let other = replay(&["--until", "0.5 s", "--scheme", "hht"], 3);
    assert!(other.stderr.contains("differ from the recording"), "{}", other.stderr);
    let account = &other.json()["laboratory"][0]["account"];
    assert!(account["left_at_sample"].as_f64().is_some_and(|k| k > 2000.0), "{account}");
    // Mistakes.
    let same = super::program()
        .args(["replay", "replay-first.lab.h5", path, "--json", "-o", "replay-first.h5"])
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&same.stderr);
    assert!(same.status.code() == Some(2) && said.contains("recordings are never replaced"), "{said}");
    assert!(interfield(&["replay", "replay-first.h5", path, "--json"]).expect(2).stderr.contains("holds no specimen"));
    assert!(interfield(&["replay", "absent.lab.h5", path]).expect(1).stderr.contains("absent.lab.h5"));
    let slower = std::fs::read_to_string(&recorded).expect("text").replace("1 kHz", "500 Hz");
    let slower = file("replay-slower.toml", slower);
    let slower = interfield(&["replay", "replay-first.lab.h5", slower.to_str().expect("UTF-8"), "--json"]).expect(1);
    assert!(slower.stderr.contains("its sampling interval is 1 ms, but the model needs 2 ms"), "{}", slower.stderr);
}

#[test]
fn mistakes_about_addresses_are_answered() {
    for (at, what) in [
        ("udp://127.0.0.1", "has no port"),
        ("tcp://127.0.0.1:7700", "is not a valid address"),
        ("udp://127.0.0.1:0", "port 0"),
        ("shm:pier", "shared memory"),
    ] {
        let wrong = model("address.toml", "1 s", &format!("at = \"{at}\""));
        let found = interfield(&["run", wrong.to_str().expect("UTF-8"), "--json", "-o", "address.h5"]).expect(2).json();
        // The compensation of this model is warned of too.
        let list = found["errors"].as_array().expect("a list");
        let error = list.iter().find(|e| e["severity"] == "error").expect("an error");
        assert!(error["message"].as_str().is_some_and(|m| m.contains(what)), "{error}");
        assert!(
            error["line"].as_u64() == Some(38) && error["help"].as_str().is_some_and(|h| h.contains("udp://")),
            "{error}"
        );
    }
    let plain = model("plain.toml", "1 s", "");
    let path = plain.to_str().expect("UTF-8");
    let wrong = interfield(&["lab", path, "--specimen", "rigg"]).expect(2);
    assert!(wrong.stderr.contains("no specimen `rigg`") && wrong.stderr.contains("one of: rig"), "{}", wrong.stderr);
    assert!(interfield(&["lab", path, "--listen", "udp:7700"]).expect(2).stderr.contains("udp://127.0.0.1:7700"));
    // Nobody there: said in seconds, with what to do.
    let port = std::net::UdpSocket::bind("127.0.0.1:0").and_then(|s| s.local_addr()).expect("a port").port();
    let alone = model("nobody.toml", "1 s", &format!("at = \"udp://127.0.0.1:{port}\""));
    let silent = interfield(&["run", alone.to_str().expect("UTF-8"), "-o", "nobody.h5"]).expect(1);
    assert!(silent.stderr.contains("no answer; start its controller first"), "{}", silent.stderr);
}

/// The emergency stop of an emulated laboratory in another process ends the test as in one, bit by bit.
#[test]
fn a_pressed_emergency_stop_reaches_a_test_over_every_wire() {
    let shared = format!("shm:/interfield-stop-{}", std::process::id());
    let fault = "fault = [{ type = \"emergency-stop\", at = \"2.5 s\" }]";
    let alone = model("stop-alone.toml", "2 s", fault);
    run(&alone, "stop-alone.h5", 3);
    let wires = ["udp://127.0.0.1:0", &shared];
    for listen in &wires[..if cfg!(unix) { 2 } else { 1 }] {
        let (hosted, address) = lab(&alone, listen, &[]);
        let remote = model("stop-remote.toml", "2 s", &format!("at = \"{address}\""));
        let found = run(&remote, "stop-remote.h5", 3);
        assert_eq!(found["laboratory"][0]["state"], "aborted", "{found:#}");
        assert!(found["reason"].as_str().expect("a reason").contains("emergency stop"), "{found:#}");
        assert_eq!(bits("stop-alone.lab.h5"), bits("stop-remote.lab.h5"), "{listen}");
        assert_eq!(hosted.end().0, Some(0));
    }
}

/// All mistakes about the interlock of a laboratory, each with what to write, where it stands.
#[test]
fn mistakes_about_an_interlock_are_answered() {
    const WIRED: &str = "[specimen.actuator.ethercat]\ncommand = { device = 2, byte = 0, type = \"i16\" }\n\
                         displacement = { byte = 0, type = \"i16\" }\nforce = { byte = 2, type = \"i16\" }\n";
    let bus = "at = \"ethercat:eth0\"";
    let enable = |place: &str| format!("{bus}\ninterlock = {{ enable = {{ {place} }} }}");
    let cases = [
        ("interlock = { enable = { byte = 0, bit = 1 } }".to_owned(), "this specimen is not on a bus"),
        (enable("device = 0, byte = 0, bit = 1"), "`device` must be between 1 and 64"),
        (enable("byte = 0, bit = 8"), "`bit` must be between 0 and 7, found 8"),
        (enable("byte = 512, bit = 0"), "`byte` must be between 0 and 511, found 512"),
        (enable("byte = 0"), "missing key `bit`"),
        (enable("byte = 0, bit = 1, pressed = true"), "pressed"),
        (enable("device = 2, byte = 1, bit = 0"), "bit 0 of byte 1 of device 2 is written twice"),
        (
            format!("{bus}\ninterlock = {{ enable = {{ byte = 4, bit = 2 }}, heartbeat = {{ byte = 4, bit = 2 }} }}"),
            "bit 2 of byte 4 of device 1 is written twice",
        ),
        (format!("{bus}\ninterlock = {{ reset = {{ byte = 4, bit = 2 }} }}"), "reset"),
    ];
    let said = |more: &str, code: i32| {
        let path = model("interlock.toml", "1 s", more);
        let text = std::fs::read_to_string(&path).expect("it was written") + WIRED;
        std::fs::write(&path, &text).expect("it is ours");
        let line = text.lines().position(|l| l.starts_with("interlock")).map(|i| i as u64 + 1);
        (interfield(&["check", path.to_str().expect("UTF-8"), "--json"]).expect(code).json(), line)
    };
    for (more, expected) in cases {
        let (found, line) = said(&more, 2);
        let errors = found["errors"].as_array().expect("a list");
        let right = |e: &&Value| e["message"].as_str().is_some_and(|m| m.contains(expected));
        let error = errors.iter().find(right).unwrap_or_else(|| panic!("{expected}: {errors:?}"));
        assert_eq!(error["line"].as_u64(), line, "{error}");
        assert!(error["help"].as_str().is_some_and(|h| !h.is_empty()), "{error}");
    }
    // Neighbours in one byte, and an input where outputs are: nothing wrong.
    let good = "interlock = { emergency_stop = { device = 2, byte = 0, bit = 1, pressed = true }, \
                heartbeat = { byte = 0, bit = 0 }, enable = { byte = 0, bit = 1 } }";
    said(&format!("{bus}\n{good}"), 0);
}

/// All mistakes about a bus, each with what to write.
#[test]
fn mistakes_about_a_bus_are_answered() {
    const GOOD: &str = "command = { byte = 0, type = \"i16\" }\ndisplacement = { byte = 0, type = \"i16\" }\nforce = { byte = 2, type = \"i16\" }\n";
    let second = "[[specimen]]\nname = \"other\"\nat = \"ethercat:eth0\"\nmass = { \"a.x\" = \"1 kg\" }\n";
    let cases = [
        (String::new(), vec!["has no wiring of its actuators"]),
        (
            "[specimen.actuator.ethercat]\ncommand = { byte = 0 }\n".to_owned(),
            vec!["missing key `displacement`", "missing key `force`"],
        ),
        (
            format!("[specimen.actuator.ethercat]\ndevice = 0\n{GOOD}"),
            vec!["`device` must be between 1 and 64, found 0"],
        ),
        (
            format!("[specimen.actuator.ethercat]\n{}", GOOD.replace("byte = 2", "byte = 511")),
            vec!["does not fit behind byte 511"],
        ),
        (
            format!(
                "[specimen.actuator.ethercat]\n{}",
                GOOD.replace("byte = 2, type = \"i16\"", "byte = 2, type = \"i24\"")
            ),
            vec!["i24"],
        ),
        (
            format!("[specimen.actuator.ethercat]\ncontrol = {{ byte = 0 }}\n{GOOD}"),
            vec!["`control` belongs to a drive"],
        ),
        (
            format!("[specimen.actuator.ethercat]\ndrive = \"cia402\"\n{GOOD}"),
            vec!["bytes 0 to 1 of device 1 are written twice"],
        ),
        (format!("[specimen.actuator.ethercat]\nrx_pdos = [1.5]\n{GOOD}"), vec!["`rx_pdos` must list object numbers"]),
        (
            format!("[specimen.actuator.ethercat]\n{GOOD}{second}"),
            vec!["specimen `rig` already uses the bus `eth0`", "has no wiring"],
        ),
    ];
    for (more, expected) in cases {
        let path = model("bus-mistake.toml", "1 s", "at = \"ethercat:eth0\"");
        let text = std::fs::read_to_string(&path).expect("it was written") + &more;
        std::fs::write(&path, text).expect("it is ours");
        let found = interfield(&["check", path.to_str().expect("UTF-8"), "--json"]).expect(2).json();
        let errors: Vec<&Value> =
            found["errors"].as_array().expect("a list").iter().filter(|e| e["severity"] == "error").collect();
        for what in expected {
            let told =
                errors.iter().any(|e| e["message"].as_str().is_some_and(|m| m.contains(what)) && e["line"].is_u64());
            assert!(told, "{what}: {errors:?}");
        }
        assert!(errors.iter().all(|e| e["help"].as_str().is_some_and(|h| !h.is_empty())), "{errors:?}");
    }
    // A program without EtherCAT says how to get one with it (with it: ../network/bus_runs.rs).
    let path = model("no-bus.toml", "1 s", "at = \"ethercat:nosuchbus\"");
    let text = std::fs::read_to_string(&path).expect("it was written") + "[specimen.actuator.ethercat]\n" + GOOD;
    std::fs::write(&path, text).expect("it is ours");
    let silent = interfield(&["run", path.to_str().expect("UTF-8"), "-o", "no-bus.h5"]).expect(1);
    let said = if cfg!(target_os = "linux") { "cargo build --release --features ethercat" } else { "needs Linux" };
    assert!(silent.stderr.contains(said), "{}", silent.stderr);
}
