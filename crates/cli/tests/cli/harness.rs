//! The harness of `interfield export c`: compiled, then against `interfield lab`; and models that get none.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::lab::{OSCILLATOR, lab};
use super::{file, interfield};

/// An oscillator on a hysteretic specimen. `actuator` is what moves it, `more` is added to the specimen.
fn model(name: &str, scheme: &str, analysis: &str, more: &str, actuator: &str) -> PathBuf {
    let text = format!(
        r#"title = "Specimen of a harness"
{OSCILLATOR}
[analysis]
scheme = "{scheme}"
{analysis}

[record]
channels = ["a.x", "a.x.v", "damper.force"]

[[specimen]]
name = "rig"
elements = ["damper"]
ramp = "0.1 s"
{more}

[[specimen.actuator]]
{actuator}
"#
    );
    file(name, text)
}

/// Exports the model and compiles its harness. No compiler is a failure that says so: the harness would be unproven.
fn harness(model: &Path) -> PathBuf {
    let out = model.with_extension("harness");
    interfield(&["export", "c", model.to_str().expect("UTF-8"), "--out", out.to_str().expect("UTF-8")]).expect(0);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let name = model.file_stem().and_then(|s| s.to_str()).expect("UTF-8").replace('-', "_");
    let mut cc = Command::new(&compiler);
    cc.current_dir(&out).args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O1", "-ffp-contract=off", "-o", "harness"]);
    cc.args([
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-pedantic",
        "-Werror",
        "harness.c",
        &format!("{name}.c"),
        "-lm",
    ]);
    let output = cc.output().unwrap_or_else(|e| panic!("no C compiler `{compiler}` ({e}): install one, or set CC"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out.join("harness")
}

/// Runs it against the laboratory of its model, which must end with it.
fn drive(model: &Path, options: &[&str]) -> Output {
    let program = harness(model);
    let (hosted, address) = lab(model, "udp://127.0.0.1:0", &[]);
    let output = Command::new(program).args(options).arg(&address).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(hosted.end().0, Some(0), "the laboratory ends with the test");
    output
}

/// All numbers of a table, bit by bit, row by row.
fn rows(csv: &str) -> Vec<Vec<u64>> {
    let bits = |x: &str| x.parse::<f64>().unwrap_or_else(|_| panic!("{x} is no number")).to_bits();
    csv.lines().skip(1).map(|line| line.split(',').map(bits).collect()).collect()
}

/// In lock-step all channels and the number of samples are those of a run; what the harness says.
fn same_as_run(name: &str, scheme: &str, analysis: &str, more: &str, actuator: &str) -> String {
    let model = model(&format!("{name}.toml"), scheme, analysis, more, actuator);
    let csv = model.with_extension("csv");
    let args = ["run", model.to_str().expect("UTF-8"), "-o", csv.to_str().expect("UTF-8"), "--json"];
    let ran = interfield(&args).expect(0).json();
    let said = drive(&model, &["--lockstep"]);
    let (found, expected) = (String::from_utf8_lossy(&said.stdout), std::fs::read_to_string(csv).expect("a table"));
    let (found, expected) = (rows(&found), rows(&expected));
    assert!(expected.len() > 100, "{} rows", expected.len());
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{name}: row {i}");
    }
    let said = String::from_utf8_lossy(&said.stderr);
    // As many samples, those to the start and home included.
    let samples = ran["laboratory"][0]["samples"].as_u64().expect("a count");
    assert!(said.contains(&format!(" steps, {samples} samples, 0 stale, 0 late")), "{said}");
    said.into_owned()
}

#[test]
fn in_lockstep_every_bit_is_that_of_a_run() {
    same_as_run(
        "harness-ideal",
        "newmark",
        "dt = \"1 ms\"\nduration = \"0.5 s\"",
        "rate = \"1 kHz\"",
        "type = \"ideal\"",
    );
    // Several samples per command, several commands per step, and an actuator that lags: the way matters too.
    let lagging = "type = \"first-order\"\ntime_constant = \"4 ms\"\nforce_sensor = { noise = \"1 N\" }\n";
    same_as_run(
        "harness-lag",
        "lsrt2",
        "dt = \"4 ms\"\nduration = \"2 s\"",
        "rate = \"1 kHz\"\ntime_scale = 2",
        lagging,
    );
}

/// What the guard keeps changes nothing where nothing has to be kept; ways are as long as the actuator needs, and home may be where it is.
#[test]
fn a_guarded_actuator_is_led_as_in_a_run() {
    let analysis = "dt = \"2 ms\"\nduration = \"0.5 s\"";
    let guarded = "rate = \"1 kHz\"\nlimits = { displacement = \"8 mm\", velocity = \"80 mm/s\" }";
    same_as_run("harness-guarded", "newmark", analysis, guarded, "type = \"ideal\"");
    let slow = "rate = \"1 kHz\"\nbrake = \"20 ms\"\nhome = \"hold\"\nlimits = { displacement = \"8 mm\", acceleration = \"5 m/s^2\" }";
    same_as_run("harness-slow", "newmark", analysis, slow, "type = \"ideal\"");
    // A little too fast now and then: braked by the guard, and back to its way, by the same bits.
    let braked = "type = \"ideal\"\nvelocity = \"34 mm/s\"\nacceleration = \"200 m/s^2\"";
    let analysis = "dt = \"1 ms\"\nduration = \"1 s\"";
    let said = same_as_run("harness-braked", "newmark", analysis, "rate = \"1 kHz\"", braked);
    assert!(said.contains("commands exceeded the actuator limits"), "{said}");
}

/// The harness of a shaken model must end before its time, and say why.
fn ends(name: &str, more: &str, why: &str) {
    let analysis = "dt = \"1 ms\"\nduration = \"1 s\"";
    let shaken = "type = \"ideal\"\n\n[[load]]\ntype = \"force\"\nat = \"a.x\"\n\
                  signal = { type = \"harmonic\", amplitude = \"1 kN\", frequency = \"1 Hz\" }";
    let model = model(&format!("{name}.toml"), "newmark", analysis, &format!("rate = \"1 kHz\"\n{more}"), shaken);
    let program = harness(&model);
    let (hosted, address) = lab(&model, "udp://127.0.0.1:0", &[]);
    let output = Command::new(program).args(["--lockstep", &address]).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(why), "{said}");
    assert_eq!(hosted.end().0, Some(0), "the laboratory is told the end");
}

#[test]
fn what_the_guard_does_not_let_through_ends_the_test() {
    ends(
        "harness-far",
        "limits = { displacement = \"8 mm\" }",
        "command for actuator 1 exceeds its position limit and was not sent",
    );
    ends(
        "harness-fast",
        "limits = { velocity = \"10 mm/s\" }",
        "command for actuator 1 exceeds its velocity limit \
        and was not sent",
    );
}

#[test]
fn an_emergency_stop_ends_the_test() {
    let pressed = "fault = [{ type = \"emergency-stop\", at = \"0.3 s\" }]";
    ends("harness-pressed", pressed, "the emergency stop of the laboratory was pressed");
}

#[test]
fn by_the_clock_it_runs_to_its_end_and_counts() {
    // A machine that is busy with other tests may leave samples without an answer; ten seconds of them are not the end.
    let analysis = "dt = \"20 ms\"\nduration = \"0.4 s\"";
    let more = "rate = \"100 Hz\"\nlimits = { missing = 1000 }";
    let said = drive(&model("harness-clock.toml", "newmark", analysis, more, "type = \"ideal\""), &[]);
    let (table, counts) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert_eq!(rows(&table).len(), 21, "{counts}");
    assert!(table.starts_with("t,a.x,a.x.v,damper.force\n"), "{table}");
    // 100 ms to the start, 400 ms of test; 50 ms to brake, one to set out, 100 ms home, more than 50 ms at rest.
    assert!(counts.contains("20 of 20 steps, 72 samples") && counts.contains("(99.9 %)"), "{counts}");
}

#[test]
fn without_a_laboratory_it_says_so() {
    let analysis = "dt = \"2 ms\"\nduration = \"0.2 s\"";
    let program = harness(&model("harness-alone.toml", "newmark", analysis, "", "type = \"ideal\""));
    let free = std::net::UdpSocket::bind("127.0.0.1:0").and_then(|s| s.local_addr()).expect("a port");
    let said = Command::new(&program).arg(free.to_string()).output().expect("it starts");
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stderr).contains("no answer; start `interfield lab MODEL` first"));
    assert_eq!(Command::new(&program).arg("--clock").output().expect("it starts").status.code(), Some(2));
}

#[test]
fn what_the_harness_cannot_do_gets_none_and_the_page_says_why() {
    for (more, why) in [
        ("compensation = { method = \"polynomial\", delay = \"4 ms\" }", "at `rig` the actuators are compensated"),
        (
            "limits = { jerk = \"100 m/s^3\", acceleration = \"9 m/s^2\" }",
            "it does not support a jerk limit, but `rig` has one",
        ),
        ("home = \"force\"", "it does not estimate the stiffness to unload `rig`"),
    ] {
        refused(more, why);
    }
}

fn refused(more: &str, why: &str) {
    let analysis = "dt = \"2 ms\"\nduration = \"0.2 s\"";
    let model = model("harness-none.toml", "newmark", analysis, more, "type = \"ideal\"");
    let out = model.with_extension("harness");
    let said = interfield(&["export", "c", model.to_str().expect("UTF-8"), "--out", out.to_str().expect("UTF-8")]);
    assert!(!said.expect(0).stdout.contains("harness.c"));
    let page = std::fs::read_to_string(out.join("README.md")).expect("a page");
    assert!(page.contains("There is no `harness.c`") && page.contains(why), "{page}");
}
