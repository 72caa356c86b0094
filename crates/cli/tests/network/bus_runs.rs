//! Whole hybrid tests over a simulated bus, and what is left when the program dies.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use interfield_ethercat::simulated::Fate;
use interfield_lab::fieldbus::{AtEnd, Field, Layout, Number, Wiring};
use interfield_results::Reader;

use super::bus::{Simulated, cable};
use super::{Running, bits, channels, file, interfield, lab, program};

/// A storey with a spring in the laboratory; `actuator` is the rest of its only actuator.
fn model(name: &str, at: &str, actuator: &str) -> PathBuf {
    let text = format!(
        r#"title = "Specimen on a bus"
dofs = ["x"]

[units]
length = "mm"
force = "kN"

[[node]]
name = "a"
mass = "1 t"

[[element]]
type = "spring"
name = "column"
nodes = ["ground", "a"]
dof = "x"
k = "40 kN/m"

[[element]]
type = "spring"
name = "brace"
nodes = ["ground", "a"]
dof = "x"
k = "20 kN/m"

[[load]]
type = "force"
at = "a.x"
signal = {{ type = "harmonic", amplitude = "0.2 kN", frequency = "1.5 Hz" }}

[analysis]
scheme = "newmark"
dt = "2 ms"
duration = "2 s"

[record]
channels = ["a.x", "brace.force"]

[[specimen]]
name = "rig"
{at}
elements = ["brace"]
rate = "500 Hz"
ramp = "100 ms"

[[specimen.actuator]]
{actuator}
"#
    );
    file(name, &text)
}

/// Every number as it is computed.
const TERMINAL: &str = r#"
[specimen.actuator.ethercat]
command = { byte = 0, type = "f64" }
displacement = { byte = 0, type = "f64" }
force = { byte = 8, type = "f64" }
"#;

/// Counts of 0.1 µm, and of 1 N.
const DRIVE: &str = r#"
calibration = { command = [10000, 0], displacement = [10000, 0], force = [1000, 0] }

[specimen.actuator.ethercat]
drive = "cia402"
command = { byte = 2 }
displacement = { byte = 2 }
force = { device = 2, byte = 0, type = "i16" }
rx_pdos = [0x1600]
"#;

/// An actuator that is where it is sent does not know how long a bus took: the test is that of one process, bit by bit.
#[test]
fn a_test_over_a_bus_is_that_of_one_process() {
    let _host = cable("whole");
    let alone = model("bus-alone.toml", "", TERMINAL);
    let text = |p: &PathBuf| p.to_str().expect("UTF-8").to_owned();
    assert_eq!(interfield(&["run", &text(&alone), "--json", "-o", "bus-alone.h5"]).0, Some(0));
    let (_lab, _) = lab(&[&text(&alone), "--listen", "ethercat:ec1"]);
    let remote = model("bus-remote.toml", "at = \"ethercat:ec0\"", TERMINAL);
    let (code, said) = interfield(&["run", &text(&remote), "--json", "-o", "bus-remote.h5"]);
    assert_eq!(code, Some(0), "{said}");
    let account = &said["laboratory"][0]["account"];
    assert_eq!((&account["lost"], &account["miscounted"]), (&0.0.into(), &0.0.into()), "{account}");
    assert!(account["cycles"].as_f64() >= said["laboratory"][0]["samples"].as_f64(), "{account}");
    assert!(bits("bus-alone.h5") == bits("bus-remote.h5"));
}

/// A drive counts in steps and a load cell too: the test agrees to what they add up to.
#[test]
fn a_drive_agrees_to_its_resolution() {
    let _host = cable("counts");
    let alone = model("counts-alone.toml", "", "");
    let text = |p: &PathBuf| p.to_str().expect("UTF-8").to_owned();
    assert_eq!(interfield(&["run", &text(&alone), "--json", "-o", "counts-alone.h5"]).0, Some(0));
    let remote = model("counts-remote.toml", "at = \"ethercat:ec0\"", DRIVE);
    let (_lab, _) = lab(&[&text(&remote), "--listen", "ethercat:ec1"]);
    let (code, said) = interfield(&["run", &text(&remote), "--json", "--real-time", "-o", "counts-remote.h5"]);
    assert_eq!(code, Some(0), "{said}");
    let (a, b) = (channels("counts-alone.h5"), channels("counts-remote.h5"));
    let difference = |i: usize| a[i].iter().zip(&b[i]).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    let peak = |i: usize| a[i].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    // Half a newton of the load cell against the 40 + 20 N/mm of the structure is 0.01 mm, and shaken at resonance it adds up.
    assert!(peak(0) > 5.0 && difference(0) < 0.05, "{} of {} mm", difference(0), peak(0));
    assert!(difference(1) < 0.0005 + 0.02 * 0.05, "{} of {} kN", difference(1), peak(1));
}

/// Nobody says goodbye: the devices see that no data comes any more, and are safe by themselves.
#[test]
fn devices_are_safe_when_the_program_is_killed() {
    let _host = cable("killed");
    let path = model("bus-killed.toml", "at = \"ethercat:ec0\"\ntime_scale = 100", TERMINAL);
    let field = |byte: usize| Field { device: 0, byte, number: Number::F64 };
    let wiring = Wiring { command: field(0), displacement: field(0), force: field(8), drive: None };
    let layout = Layout { actuators: vec![wiring], assignments: vec![], at_end: AtEnd::Hold };
    let simulated = Simulated::spring(&layout, |_| Fate::Answered);
    let recording = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bus-killed.lab.h5");
    // Of an earlier test.
    let _ = std::fs::remove_file(&recording);
    let mut command = program();
    command.args(["run", path.to_str().expect("UTF-8"), "-o", "bus-killed.h5"]).stdout(Stdio::null());
    let mut running = Running(command.spawn().expect("the program starts"));
    let end = Instant::now() + Duration::from_secs(60);
    while !Reader::open(&recording).is_ok_and(|r| r.rows() > 200) {
        assert!(Instant::now() < end, "the test does not begin");
        std::thread::yield_now();
    }
    running.kill();
    // The watchdog of the devices is 100 ms.
    let silence = Instant::now();
    while silence.elapsed() < Duration::from_millis(300) {
        std::thread::yield_now();
    }
    let seen = simulated.end();
    assert!(seen.cycles > 200);
    assert_eq!(seen.states, [4], "safe, not operational");
}
