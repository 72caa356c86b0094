//! Whole hybrid tests over a simulated bus, and what is left when the program dies.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use interfield_ethercat::simulated::{Fate, Line};
use interfield_lab::fieldbus::{AtEnd, Contacts, Field, Layout, Number, Wiring};
use interfield_results::Reader;

use super::bus::{Simulated, Spring, cable};
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
dt = "10 ms"
duration = "4 s"

[record]
channels = ["a.x", "brace.force"]

[[specimen]]
name = "rig"
{at}
elements = ["brace"]
rate = "100 Hz"
ramp = "100 ms"

[[specimen.actuator]]
stroke = "100 mm"
velocity = "2 m/s"
{actuator}
"#
    );
    file(name, &text)
}

/// A bus may have anything on it: a test there starts only when it is armed and confirmed, and rehearsed or not for a reason.
const ARMED: [&str; 5] = ["--arm", "--confirm", "rig", "--override=the bus is simulated", "--json"];

/// State of a device that takes no commands.
const SAFE: u8 = 4;

/// Every number as it is computed.
const TERMINAL: &str = r#"
[specimen.actuator.ethercat]
command = { byte = 0, type = "f64" }
displacement = { byte = 0, type = "f64" }
force = { byte = 8, type = "f64" }
"#;

/// How an actuator moves in the laboratory.
const LAG: &str = "type = \"first-order\"\ntime_constant = \"4 ms\"";

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

/// A bus that is not there, or one that is for others only, is told.
#[test]
fn a_bus_that_is_not_there_is_told() {
    let path = model("no-bus.toml", "at = \"ethercat:nosuchbus\"", TERMINAL);
    let output = program().args(["run", path.to_str().expect("UTF-8"), "-o", "no-bus.h5"]).args(ARMED).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no network interface") || said.contains("raw Ethernet is not allowed"), "{said}");
}

/// An actuator that is where it is sent does not know how long a bus took: the test is that of one process, bit by bit.
#[test]
fn a_test_over_a_bus_is_that_of_one_process() {
    let _host = cable("whole");
    let alone = model("bus-alone.toml", "", TERMINAL);
    let text = |p: &PathBuf| p.to_str().expect("UTF-8").to_owned();
    assert_eq!(interfield(&["run", &text(&alone), "--json", "-o", "bus-alone.h5"]).0, Some(0));
    let (_lab, _) = lab(&[&text(&alone), "--listen", "ethercat:ec1"]);
    let remote = model("bus-remote.toml", "at = \"ethercat:ec0\"", TERMINAL);
    let run = ["run", &text(&remote), "-o", "bus-remote.h5"];
    assert_eq!(interfield(&[&run[..], &["--json"]].concat()).0, Some(1), "something real may move");
    let (code, said) = interfield(&[&run[..], &ARMED].concat());
    assert_eq!(code, Some(0), "{said}");
    let account = &said["laboratory"][0]["account"];
    assert_eq!((&account["lost"], &account["miscounted"]), (&0.into(), &0.into()), "{account}");
    assert!(account["cycles"].as_f64() >= said["laboratory"][0]["samples"].as_f64(), "{account}");
    assert!(bits("bus-alone.h5") == bits("bus-remote.h5"));
}

/// Runs a test with a drive on a bus, and in one process; largest difference and peak of the displacement (mm) and force (kN), and
/// the share of samples without a target in time.
fn drive_against_one_process(name: &str, actuator: &str, clock: &[&str]) -> ([[f64; 2]; 2], f64) {
    let _host = cable(name);
    let text = |p: PathBuf| p.to_str().expect("UTF-8").to_owned();
    let files = [format!("{name}-alone.h5"), format!("{name}-remote.h5")];
    let alone = text(model(&format!("{name}-alone.toml"), "", actuator));
    // Whoever lags without compensation feeds energy in, and its test is judged for it; here both are compared.
    let (_, said) = interfield(&["run", &alone, "--json", "-o", &files[0]]);
    assert_eq!(said["ended"], "finished", "{said}");
    let wired = format!("{actuator}{DRIVE}");
    let remote = text(model(&format!("{name}-remote.toml"), "at = \"ethercat:ec0\"", &wired));
    let run = || {
        let (_lab, _) = lab(&[&remote, "--listen", "ethercat:ec1"]);
        interfield(&[&["run", &remote, "-o", &files[1]], clock, &ARMED].concat())
    };
    // A machine that stands still for a second loses the bus, and the test ends as it must: then there is nothing to compare, and it is run again.
    let (mut code, mut said) = run();
    for _ in 0..2 {
        let lost =
            |why: &str| why.contains("did not answer in time") || why.contains("connection to the specimen was lost");
        if !said["reason"].as_str().is_some_and(lost) {
            break;
        }
        (code, said) = run();
    }
    assert_eq!(said["ended"], "finished", "{code:?}: {said}");
    let (a, b) = (channels(&files[0]), channels(&files[1]));
    let counted = |what: &str| said["laboratory"][0][what].as_f64().expect("a count");
    let compared = std::array::from_fn(|i| {
        let difference = a[i].iter().zip(&b[i]).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        [difference, a[i].iter().fold(0.0, |m: f64, x| m.max(x.abs()))]
    });
    (compared, counted("late") / counted("samples"))
}

/// A drive counts in steps, and a load cell too: the test agrees to what they add up to. Half a newton against the 60 N/mm of the
/// structure is 0.01 mm, and shaken near its frequency that becomes a few times as much.
#[test]
fn a_drive_agrees_to_its_resolution() {
    let ([u, f], _) = drive_against_one_process("counts", "", &[]);
    assert!(u[1] > 5.0 && u[0] < 0.05, "{} of {} mm", u[0], u[1]);
    assert!(f[0] < 0.0005 + 0.02 * 0.05, "{} of {} kN", f[0], f[1]);
}

/// By the clock, with a drive that lags. A cycle without a new command lets it come nearer to the last one, which a busy machine
/// does now and then; if it happened in every sample, the structure would move by 0.125 mm in 16 mm, and a sample of delay in the
/// loop would move it by 4.5 mm.
#[test]
fn a_drive_that_lags_agrees_by_the_clock() {
    let ([u, _], late) = drive_against_one_process("lagging", LAG, &["--real-time"]);
    assert!(late < 0.25, "{} % of the samples had no target in time", 100.0 * late);
    assert!(u[1] > 5.0 && u[0] < 0.1, "{} of {} mm", u[0], u[1]);
}

/// The emergency stop of a laboratory behind a bus ends the test, and the bus is left switched off.
#[test]
fn a_pressed_emergency_stop_ends_a_test_over_a_bus() {
    let _host = cable("button");
    let at = "at = \"ethercat:ec0\"\ninterlock = { emergency_stop = { device = 2, byte = 0, bit = 3 }, \
              enable = { device = 2, byte = 0, bit = 1 } }\nfault = [{ type = \"emergency-stop\", at = \"3 s\" }]";
    let path = model("bus-button.toml", at, TERMINAL);
    let path = path.to_str().expect("UTF-8");
    let (_lab, _) = lab(&[path, "--listen", "ethercat:ec1"]);
    let (code, said) = interfield(&[&["run", path, "-o", "bus-button.h5"][..], &ARMED].concat());
    assert_eq!(code, Some(3), "{said}");
    assert_eq!(said["laboratory"][0]["state"], "aborted", "{said}");
    assert!(said["reason"].as_str().is_some_and(|r| r.contains("emergency stop")), "{said}");
}

/// Nobody says goodbye: the devices see that no data comes any more, and are safe by themselves.
#[test]
fn devices_are_safe_when_the_program_is_killed() {
    let _host = cable("killed");
    let path = model("bus-killed.toml", "at = \"ethercat:ec0\"\ntime_scale = 100", TERMINAL);
    let field = |byte: usize| Field { device: 0, byte, number: Number::F64 };
    let wiring = Wiring { command: field(0), displacement: field(0), force: field(8), drive: None };
    let layout = Layout {
        actuators: vec![wiring],
        transducers: vec![],
        load_cells: vec![],
        assignments: vec![],
        at_end: AtEnd::Hold,
        interlock: Contacts::default(),
    };
    // A machine that is busy for a tenth of a second loses the bus, and the test ends before it can be killed: then it begins again.
    let started = (0..5).find_map(|_| {
        let line = Line::new(&layout, Box::new(Spring(1)), None, &[]);
        // Told by the bus itself: whoever would look for the recording meanwhile takes time from the cycle.
        let (under_way, begun) = std::sync::mpsc::channel();
        let fate = move |cycle: u64| {
            if cycle > 1000 {
                let _ = under_way.send(());
            }
            Fate::Answered
        };
        let simulated = Simulated::until(line, fate, |states| states == [SAFE]);
        super::make_way("bus-killed.h5");
        let mut command = program();
        command.args(["run", path.to_str().expect("UTF-8"), "-o", "bus-killed.h5"]).args(ARMED).stdout(Stdio::null());
        let mut running = Running(command.spawn().expect("the program starts"));
        let ended = |running: &mut Running| running.0.try_wait().expect("it can be asked").is_some();
        for _ in 0..120 {
            if begun.recv_timeout(Duration::from_secs(1)).is_ok() {
                return Some((running, simulated));
            }
            if ended(&mut running) {
                simulated.end();
                return None;
            }
        }
        panic!("the test neither begins nor ends");
    });
    let (mut running, simulated) = started.expect("the test begins");
    running.kill();
    // It ends when the devices have noticed.
    let seen = simulated.end();
    assert_eq!(seen.states, [SAFE], "not operational any more");
    let recording = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bus-killed.lab.h5");
    assert!(Reader::open(&recording).is_ok_and(|r| r.rows() > 0), "what was measured is kept");
}
