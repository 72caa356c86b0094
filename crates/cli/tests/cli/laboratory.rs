//! The laboratory as a user meets it: faults on purpose, what follows, what is kept; loops that become unstable; time.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use interfield_lab::safety::State;
use interfield_results::Reader;
use serde_json::Value;

use super::{COLUMN, Outcome, STOREY, file, interfield, program};

/// A mass on a frame and a specimen, driven 1000 times a second.
fn model(specimen: &str) -> String {
    format!(
        r#"
title = "A storey with its column in the laboratory"
[units]
length = "mm"
force = "kN"
{STOREY}{COLUMN}[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "synthetic", peak = "0.3 g" }}
[analysis]
scheme = "alpha-os"
dt = "2 ms"
duration = "6 s"
[record]
channels = ["floor.x", "floor.x.reached", "floor.x.measured", "column.force"]
[[specimen]]
name = "rig"
elements = ["column"]
rate = "1 kHz"
ramp = "100 ms"
patience = "50 ms"
{specimen}"#
    )
}

/// The same for a test by the clock: a busy machine may stall longer than the model's 50 ms, and what follows then (the test is
/// ended, and says why) is not what such a test looks at.
fn patient(specimen: &str) -> String {
    model(specimen).replace("patience = \"50 ms\"", "patience = \"1 h\"")
}

const ACTUATOR: &str = r#"
[[specimen.actuator]]
type = "second-order"
frequency = "40 Hz"
damping = 0.7
force_sensor = { noise = "2 N" }
"#;

fn run(name: &str, specimen: &str, more: &[&str]) -> (Outcome, String) {
    let path = file(&format!("{name}.toml"), model(specimen));
    let results = format!("{name}.h5");
    let args = [&["run", path.to_str().unwrap(), "--json", "-o", &results], more].concat();
    (interfield(&args), format!("{name}.lab.h5"))
}

/// A trip before the first step is no mistake of the model: it has no line in it, and the exit code of a fault.
#[test]
fn a_trip_on_the_way_to_the_start_is_a_fault() {
    let text = model("limits = { force = \"1 kN\" }").replace("mass = \"1 t\"", "mass = \"1 t\"\ninitial = \"50 mm\"");
    let path = file("trip-at-start.toml", text + ACTUATOR);
    let out = interfield(&["run", path.to_str().unwrap(), "--json", "-o", "trip-at-start.h5"]);
    let error = &out.json()["errors"][0];
    let message = "before the first step the laboratory ended the test: a measured force exceeded its limit";
    assert_eq!((out.code, error["message"].as_str(), error["line"].as_u64()), (Some(3), Some(message), None));
    let recording = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trip-at-start.lab.h5");
    assert!(Reader::open(&recording).is_ok(), "what was recorded up to there is kept");
}

/// The laboratory of a run, and its transitions with a cause: (sample, to, cause).
fn laboratory(document: &Value) -> (&Value, Vec<(u64, String, String)>) {
    let lab = &document["laboratory"][0];
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let log = lab["transitions"].as_array().expect("transitions");
    let causes = log.iter().filter(|t| !t["cause"].is_null());
    (lab, causes.map(|t| (t["sample"].as_u64().unwrap(), text(&t["to"]), text(&t["cause"]))).collect())
}

#[test]
fn every_injected_fault_ends_in_its_action_in_time_and_the_recording_opens() {
    // (fault at 3 s, limits, cause, first state, samples until then, state at the end)
    let cases = [
        (
            "frozen-force",
            "type = \"frozen-force\"",
            "frozen = { at = \"1 mm\", action = \"ramp-down\" }",
            "frozen",
            "returning",
            100,
            "aborted",
        ),
        (
            "frozen-displacement",
            "type = \"frozen-displacement\"",
            "frozen = { at = \"1 mm\", action = \"abort\" }",
            "frozen",
            "at rest",
            100,
            "aborted",
        ),
        (
            "lost-packets",
            "type = \"silence\"",
            "missing = { at = 5, action = \"hold\" }",
            "missing",
            "holding",
            5,
            "aborted",
        ),
        ("spike", "type = \"spike\"\nsize = \"50 kN\"", "force = \"20 kN\"", "force", "returning", 1, "aborted"),
        (
            "spike-held",
            "type = \"spike\"\nsize = \"50 kN\"\nfor = \"20 ms\"",
            "force = { at = \"20 kN\", action = \"hold\" }",
            "force",
            "holding",
            1,
            "finished",
        ),
        ("nan", "type = \"nan\"", "not_finite = \"abort\"", "not-finite", "at rest", 1, "aborted"),
        (
            "delay-step",
            "type = \"delay\"\nsize = \"60 ms\"",
            "tracking = { at = \"8 mm\", action = \"ramp-down\" }",
            "tracking",
            "returning",
            500,
            "aborted",
        ),
        ("gone", "type = \"gone\"", "gone = \"abort\"", "gone", "aborted", 1, "aborted"),
        ("button", "type = \"emergency-stop\"", "force = \"1 MN\"", "emergency-stop", "aborted", 1, "aborted"),
    ];
    for (name, fault, limits, cause, first, within, end) in cases {
        let text = format!("{ACTUATOR}[specimen.limits]\n{limits}\n[[specimen.fault]]\nat = \"3 s\"\n{fault}\n");
        let (outcome, recording) = run(name, &text, &[]);
        let document = outcome.expect(if end == "finished" { 0 } else { 3 }).json();
        let (lab, causes) = laboratory(&document);
        let (sample, to, why) = causes.first().unwrap_or_else(|| panic!("{name}: {lab:#}")).clone();
        assert_eq!((to.as_str(), why.as_str()), (first, cause), "{name}: {causes:?}");
        assert!((3000..3000 + within).contains(&sample), "{name}: sample {sample}");
        assert_eq!(lab["state"], end, "{name}");
        assert_eq!(lab["verdict"], if end == "finished" { "doubtful" } else { "failed" }, "{name}");
        assert!(!lab["reasons"].as_array().expect("reasons").is_empty());
        let stored = interfield(&["show", &recording, "--json"]).expect(0).json();
        let rows = stored["rows"].as_u64().unwrap_or_else(|| panic!("{stored:#}"));
        assert!(rows >= sample, "{name}: {rows} of {sample} samples");
    }
}

#[test]
fn a_specimen_beyond_its_limits_is_led_home_and_everything_before_is_kept() {
    let (outcome, recording) = run("limit", &format!("{ACTUATOR}[specimen.limits]\ndisplacement = \"15 mm\"\n"), &[]);
    let document = outcome.expect(3).json();
    let (lab, causes) = laboratory(&document);
    assert_eq!((causes[0].1.as_str(), causes[0].2.as_str()), ("returning", "displacement"));
    // At most 50 ms to brake, 100 ms of ramp and 50 ms to come to rest; the reason is in the result file of the run too.
    let samples = lab["samples"].as_u64().unwrap() - causes[0].0;
    assert!((150..=205).contains(&samples), "{samples}");
    assert!(
        document["reason"].as_str().unwrap().contains("a commanded displacement exceeded its limit"),
        "{document:#}"
    );
    let csv = interfield(&["export", &recording, "-o", "limit.lab.csv"]);
    csv.expect(0);
    let text =
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("limit.lab.csv")).unwrap();
    let column = |name: &str| {
        let at = text.lines().next().unwrap().split(',').position(|c| c.starts_with(name)).expect("a column");
        let value = |line: &str| line.split(',').nth(at).unwrap().parse::<f64>().unwrap();
        text.lines().skip(1).map(value).collect::<Vec<f64>>()
    };
    let (targets, commands) = (column("rig.1.target"), column("rig.1.command"));
    let largest = commands.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!((14.0..=15.0).contains(&largest), "{largest} mm");
    assert_eq!(targets.last(), Some(&0.0), "led back to where it stood");
}

#[test]
fn the_loop_with_its_actuator_is_probed_before_the_test() {
    // Radii of the loop of the forced split mass, 25 Hz, 10 % damping, 8 ms (book: problems 2.2).
    let text = r#"
title = "Forced mass, another on an actuator"
node = [{ name = "m", dofs = ["x"], mass = "5.4 kg" }]
element = [{ type = "spring", name = "s", nodes = ["ground", "m"], dof = "x", k = "100 N/m", c = "20 N*s/m" }]
load = [{ type = "force", at = "m.x", signal = { type = "harmonic", amplitude = "10 N", frequency = "3 Hz" } }]
analysis = { scheme = "lsrt2", dt = "4 ms", duration = "20 s" }
record = { channels = ["m.x", "m.x.reached", "m.x.measured"] }
[[specimen]]
name = "p"
mass = { "m.x" = "1.8 kg" }
actuator = [{ type = "second-order", frequency = "25 Hz", damping = 0.1, delay = "8 ms", force_sensor = { noise = "0.3 N" } }]
limits = { displacement = "1 m" }
"#;
    let path = file("forced.toml", text);
    let path = path.to_str().unwrap();
    let cases: [(&[&str], f64); 3] = [
        (&["--scheme", "chang"], 1.0289),
        (&["--scheme", "lsrt2", "--param", "gamma=minus"], 1.0297),
        (&["--scheme", "lsrt2", "--param", "gamma=plus"], 0.9947),
    ];
    for (scheme, radius) in cases {
        let stable = radius < 1.0;
        let check = [&["check", path, "--stability", "--json", "-o", "forced.svg"], scheme].concat();
        let found = interfield(&check).expect(if stable { 0 } else { 3 }).json();
        let measured = found["stability"]["spectral_radius"].as_f64().expect("a radius");
        assert!((measured - radius).abs() < 6e-5, "{scheme:?}: {measured}");
        // And the run does what was foretold.
        let run = [&["run", path, "--json", "-o", "forced.h5"], scheme].concat();
        // A stable loop is not yet a good test: this actuator resonates.
        let document = interfield(&run).expect(3).json();
        assert_eq!(document["laboratory"][0]["state"] == "finished", stable, "{scheme:?}");
        assert_eq!(document["laboratory"][0]["verdict"], "failed", "{scheme:?}");
    }
}

#[test]
fn a_test_by_the_clock_gives_the_same_bits_as_its_rehearsal_unless_it_was_late() {
    let short = |text: String| text.replace("duration = \"6 s\"", "duration = \"0.5 s\"");
    // Without noise: the sensors are read while the test waits for its start too.
    let path = file("clock.toml", short(patient(ACTUATOR)).replace("noise = \"2 N\"", "noise = 0"));
    let path = path.to_str().unwrap();
    let rehearsed = interfield(&["run", path, "--json", "-o", "rehearsed.h5"]).expect(0).json();
    // A machine that is busy with other things may be late; it then says so.
    let outcome = interfield(&["run", path, "--json", "--real-time", "-o", "clock.h5"]);
    let run = outcome.json();
    let lab = &run["laboratory"][0];
    assert_eq!(lab["state"], "finished", "{run:#}");
    assert!(lab["timing"]["wake_up"]["count"].as_f64().unwrap() >= 600.0, "{:#}", lab["timing"]);
    // Up to the first target that came late every sample has the same bits.
    let (found, expected) = (samples_under_way("clock.lab.h5"), samples_under_way("rehearsed.lab.h5"));
    let targets = found.iter().zip(&expected);
    let same = targets.take_while(|(a, b)| a[0].to_bits() == b[0].to_bits()).count();
    assert!(same > 0 && found[..same] == expected[..same], "of the first {same} samples");
    if lab["late"] == 0 {
        assert_eq!((same, found.len()), (500, 500));
        assert_eq!(run["channels"], rehearsed["channels"]);
        outcome.expect(0);
    } else {
        assert_ne!(lab["verdict"], "good", "{lab:#}");
    }
}

/// What a recording has of the test itself, without the ways to its start and home: target, asked, command, reached, force of each sample.
fn samples_under_way(recording: &str) -> Vec<[f64; 5]> {
    let reader = Reader::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(recording)).expect("a recording");
    let column = |name: &str| {
        let channel = reader.channel(name).unwrap_or_else(|| panic!("no channel {name}"));
        reader.read(channel, 0..reader.rows()).expect("rows")
    };
    let columns = ["target", "asked", "command", "reached", "force"].map(|c| column(&format!("rig.1.{c}")));
    let running = column("rig.state").into_iter().enumerate().filter(|(_, s)| *s == State::Running.code());
    running.map(|(i, _)| std::array::from_fn(|c| columns[c][i])).collect()
}

/// A test that somebody talks to: it is said one word after the other, each when the last is answered; the answers and how it ended.
pub(super) fn conversation(name: &str, text: &str, more: &[&str], words: &[&str]) -> (Vec<String>, Outcome) {
    let path = file(&format!("{name}.toml"), text);
    let results = format!("{name}.h5");
    for stale in [results.clone(), format!("{name}.lab.h5")] {
        let _ = std::fs::remove_file(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(stale));
    }
    let mut child = program()
        .args(["run", path.to_str().unwrap(), "--json", "--control", "-o", &results])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut keys = child.stdin.take().expect("standard input");
    let mut answers = BufReader::new(child.stderr.take().expect("standard error")).lines().map_while(Result::ok);
    let mut heard = Vec::new();
    for word in words {
        // Every word is answered in a line that begins with it; of a status as often as it takes to see what is waited for.
        let (word, until) = word.split_once(" until ").unwrap_or((word, ""));
        loop {
            writeln!(keys, "{word}").expect("the program listens");
            let answer = answers.find(|line| line.starts_with(word)).expect("an answer");
            let seen = answer.contains(until);
            heard.push(answer);
            if seen {
                break;
            }
        }
    }
    let rest: String = answers.map(|l| l + "\n").collect();
    let output = child.wait_with_output().expect("the program ends");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    (heard, Outcome { code: output.status.code(), stdout, stderr: rest })
}

#[test]
fn somebody_at_the_keyboard_is_answered_and_obeyed() {
    let words =
        ["status until running", "pause", "status until holding", "halt", "note a crack", "resume", "stop", "resume"];
    let (heard, outcome) = conversation("keyboard", &patient(ACTUATOR), &["--real-time"], &words);
    let said = |what: &str| heard.iter().any(|l| l.contains(what));
    assert!(said("pause: pausing; ") && said("halt: refused: ") && said("note a crack: noted"), "{heard:#?}");
    assert!(
        said("stop: stopping: the specimen returns to its start position; ") && said("resume: refused: "),
        "{heard:#?}"
    );
    let document = outcome.expect(3).json();
    let (lab, causes) = laboratory(&document);
    assert_eq!((lab["state"].as_str(), lab["verdict"].as_str()), (Some("aborted"), Some("failed")));
    assert!(causes.iter().any(|c| c.1 == "returning" && c.2 == "operator"), "{causes:?}");
    assert!(lab["reasons"][0].as_str().unwrap().contains("stopped by the operator"), "{}", lab["reasons"]);
}

#[test]
fn a_pause_longer_than_the_watchdog_and_a_slow_test_end_well() {
    for (name, scale) in [("pause-1", 1), ("pause-20", 20)] {
        let text = patient(ACTUATOR)
            .replace("duration = \"6 s\"", if scale == 1 { "duration = \"1 s\"" } else { "duration = \"0.1 s\"" })
            .replace("rate = \"1 kHz\"", &format!("rate = \"1 kHz\"\ntime_scale = {scale}"));
        // The watchdog ends a test after a quarter of a second without a sample; the pause lasts as long as it takes to ask 3000 times.
        let mut words = vec!["status until running", "pause", "status until holding"];
        words.extend(["status"; 3000]);
        words.extend(["resume", "status until running"]);
        let (heard, outcome) = conversation(name, &text, &["--real-time", "--watchdog", "0.25"], &words);
        let document = outcome.json();
        let lab = &document["laboratory"][0];
        assert_eq!(lab["state"], "finished", "{heard:#?} {lab:#}");
        // How well a specimen was followed on a machine that was late is no matter of the pause.
        assert!(lab["late"] != 0 || ["good", "doubtful"].contains(&lab["verdict"].as_str().unwrap()), "{lab:#}");
        assert!(lab["transitions"].to_string().contains("holding"), "{lab:#}");
        assert!(!lab["reasons"].to_string().contains("operator"), "a pause is nothing against a test: {lab:#}");
    }
}

#[test]
fn a_machine_that_stalls_is_a_remark_not_the_end_of_a_test() {
    // Ten times 20 samples without a target, as a machine that stalls for 10 ms at 2 kHz; in a rehearsal, so that every run is the same.
    let stall =
        |k: u32| format!("[[specimen.fault]]\ntype = \"stall\"\nat = \"{} ms\"\nfor = \"10 ms\"\n", 400 + 450 * k);
    let stalls: String = (0..10).map(stall).collect();
    for compensation in ["ats", "inverse", "polynomial"] {
        let text = model(&format!("compensation = {{ method = \"{compensation}\", delay = \"5 ms\" }}\n{ACTUATOR}velocity = \"1 m/s\"\nstroke = \"200 mm\"\n{stalls}"))
            .replace("rate = \"1 kHz\"", "rate = \"2 kHz\"");
        let path = file(&format!("stall-{compensation}.toml"), text);
        let results = format!("stall-{compensation}.h5");
        let document = interfield(&["run", path.to_str().unwrap(), "--json", "-o", &results]).expect(0).json();
        let lab = &document["laboratory"][0];
        assert_eq!((lab["state"].as_str(), lab["verdict"].as_str()), (Some("finished"), Some("doubtful")), "{lab:#}");
        assert_eq!(lab["late"], 200, "{compensation}: {lab:#}");
    }
}

#[test]
fn mistakes_about_specimens_are_found_together() {
    let text = model("compensation = { method = \"atss\" }\nlate = \"never\"\n[specimen.limits]\nforce = { at = \"20 kN\", action = \"explode\" }\nspeed = 3\n[[specimen.actuator]]\ntype = \"second-order\"\ndamping = 0.7\n[[specimen.fault]]\ntype = \"spike\"\nat = \"1 s\"\n")
        .replace("rate = \"1 kHz\"", "rate = \"1300 Hz\"")
        .replace("elements = [\"column\"]", "elements = [\"colum\"]\nmass = { \"flor.x\" = 3 }");
    let path = file("specimen-mistakes.toml", text);
    let outcome = interfield(&["run", path.to_str().unwrap()]).expect(2);
    for said in [
        "there is no element `colum`",
        "there is no node `flor`",
        "there is no compensator `atss`",
        "`alpha-os` sends one target per step of 2 ms: a new target every 2.6 samples",
        "`frequency`",
        "`size`",
        "explode",
        "`speed`",
        "never",
    ] {
        assert!(outcome.stderr.contains(said), "{said} in\n{}", outcome.stderr);
    }
    // What feeds energy into the loop is no mistake, but is said where it is written.
    let eager = format!("compensation = {{ method = \"polynomial\", order = 1, delay = \"8 ms\" }}\n{ACTUATOR}");
    let eager = file("specimen-eager.toml", model(&eager));
    let outcome = interfield(&["check", eager.to_str().unwrap(), "-o", "eager.svg"]).expect(0);
    let said = outcome.stdout + &outcome.stderr;
    assert!(said.contains("energy") && said.contains("specimen-eager.toml:"), "{said}");
    let newton = file("specimen-newton.toml", model(ACTUATOR).replace("alpha-os", "newmark-newton"));
    let outcome = interfield(&["run", newton.to_str().unwrap()]).expect(2);
    assert!(outcome.stderr.contains("cannot be moved back and forth"), "{}", outcome.stderr);
    let nothing =
        interfield(&["run", super::models().join("three-dof.toml").to_str().unwrap(), "--real-time"]).expect(2);
    assert!(nothing.stderr.contains("the model has no specimen"), "{}", nothing.stderr);
}

#[test]
fn the_critical_delay_is_that_of_the_closed_form() {
    // m x" + c x' + k_n x + k_e x(t - d) = 0: m^2 w^4 + (c^2 - 2 m k_n) w^2 + k_n^2 - k_e^2 = 0, d = atan2(c w, m w^2 - k_n)/w.
    let (m, c, kn, ke) = (1000.0f64, 1000.0f64, 40e3f64, 60e3f64);
    let b = c * c - 2.0 * m * kn;
    let w = ((-b + (b * b - 4.0 * m * m * (kn * kn - ke * ke)).sqrt()) / (2.0 * m * m)).sqrt();
    let exact = (c * w).atan2(m * w * w - kn) / w;
    let path = file("critical.toml", model("").replace("dt = \"2 ms\"", "dt = \"1 ms\""));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).expect(0).json();
    let delay = found["critical_delay"].as_f64().unwrap_or_else(|| panic!("{found:#}"));
    // To a sample of the controller: the force of a step is that at its predictor.
    assert!((delay - exact).abs() < 1e-3, "{delay} {exact}");
    assert_eq!(found["ready"], true);
    // A slow, hardly damped structure grows little in a step, and it is found all the same. 382 t ride on 13.2 kN/mm with 2 % of
    // critical damping: it is gone at k d = 2 zeta omega m. A rehearsal shows the same number (README.md), with a certificate that takes a minute.
    let building = super::models().join("isolated-building.toml");
    let found = interfield(&["check", building.to_str().unwrap(), "--stability", "--json"]).expect(0).json();
    let found = &found["stability"]["loop"];
    let delay = found["critical_delay"].as_f64().unwrap_or_else(|| panic!("{found:#}"));
    let damping_gone = 2.0 * 0.02 * (382e3f64 / 13.2e6).sqrt();
    assert!((delay - damping_gone).abs() < 0.05 * damping_gone, "{delay} {damping_gone}");
    // What the actuators cannot do is seen before the test.
    let weak = format!("{ACTUATOR}stroke = \"5 mm\"\n");
    let path = file("weak.toml", model(&weak));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).expect(3).json();
    let said = found["objections"].to_string();
    assert!(said.contains("stroke exceeds the actuator capacity"), "{said}");
    interfield(&["rehearse", super::models().join("three-dof.toml").to_str().unwrap()]).expect(2);
}
