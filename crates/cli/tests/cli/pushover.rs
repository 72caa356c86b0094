//! `interfield pushover` as a user meets it: curve and strength, ends that are no ends, and quasi-static tests with all that can go wrong in them.

use serde_json::Value;

use super::{Outcome, file, interfield, models};

/// A column on a frame that is computed; its force is measured if there is a specimen.
fn model(specimen: &str) -> String {
    format!(
        r#"
title = "A column in the laboratory"
dofs = ["x"]
[units]
length = "mm"
force = "kN"
[[node]]
name = "top"
[[element]]
type = "spring"
name = "frame"
nodes = ["ground", "top"]
dof = "x"
k = 2
[[element]]
type = "bouc-wen"
name = "column"
nodes = ["ground", "top"]
dof = "x"
k = 9
k2 = 1
beta = 0.1
gamma = 0.1
[pushover]
control = "top.x"
pattern = {{ "top.x" = 1 }}
cycles = [10, 20]
step = 2
velocity = "20 mm/s"
hold = "50 ms"
[record]
channels = ["column.force", "top.x.reached", "top.x.measured"]
[[specimen]]
name = "rig"
elements = ["column"]
rate = "1 kHz"
ramp = "100 ms"
patience = "500 ms"
{specimen}"#
    )
}

const ACTUATOR: &str = r#"
[[specimen.actuator]]
type = "second-order"
frequency = "40 Hz"
damping = 0.7
force_sensor = { noise = "2 N" }
"#;

fn push(name: &str, text: &str, more: &[&str]) -> Outcome {
    let path = file(&format!("{name}.toml"), text);
    let results = format!("{name}.h5");
    interfield(&[&["pushover", path.to_str().unwrap(), "--json", "-o", &results], more].concat())
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("no number: {v}"))
}

#[test]
fn a_frame_is_pushed_and_its_strength_told_in_its_units() {
    let portal = models().join("rc-portal.toml");
    let portal = portal.to_str().unwrap();
    let args =
        ["pushover", portal, "--to", "80 mm", "--step", "4", "--json", "-o", "rc-push.h5", "--report", "rc-push.html"];
    let found = interfield(&args).expect(0).json();
    assert_eq!((found["ended"].as_str(), found["verdict"].as_str()), (Some("finished"), Some("good")));
    let push = &found["pushover"];
    assert_eq!(push["units"]["initial_stiffness"], "kN/mm");
    let side = &push["sides"][0];
    assert_eq!((push["sides"].as_array().unwrap().len(), side["units"]["peak"].as_str()), (1, Some("kN")));
    assert!((400.0..450.0).contains(&number(&side["peak"])), "{side}");
    assert!(number(&side["ductility"]) > 3.0 && side["ductility_is_lower_bound"] == true, "{side}");
    let names: Vec<&str> = found["channels"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names[..4], ["top-left.x", "pushover.shear", "pushover.factor", "pushover.work"]);
    // Nothing that belongs to a motion.
    assert!(!names.contains(&"quake") && !names.contains(&"top-left.x.abs"), "{names:?}");
    let curve = found["curve"].as_str().unwrap();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let svg = std::fs::read_to_string(folder.join(curve)).expect("a picture");
    assert!(svg.contains("base shear") && svg.contains("top-left.x"));
    let page = std::fs::read_to_string(folder.join("rc-push.html")).expect("a page");
    assert!(page.contains("Pushover") && page.contains("initial stiffness") && !page.contains("Fourier"));
    // Made again from the file, and drawn by `plot` as a curve.
    interfield(&["report", "rc-push.h5", "-o", "rc-push-again.html"]).expect(0);
    assert_eq!(page, std::fs::read_to_string(folder.join("rc-push-again.html")).unwrap());
    let drawn = interfield(&["plot", "rc-push.h5", "--json", "-o", "rc-push-plot.svg"]).expect(0);
    let panel = &drawn.json()["panels"][0];
    assert!(panel["curves"][0]["channel"] == "pushover.shear" && panel.to_string().contains("top-left.x"), "{panel}");
    interfield(&["export", "rc-push.h5", "-o", "rc-push.mat"]).expect(0);
    // Text fits a terminal.
    let text = interfield(&["pushover", portal, "--cycles", "10,20", "--step", "5", "-q", "-o", "rc-push-2.csv"])
        .expect(0)
        .stdout;
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(text.contains("cycles") && text.contains("xi [%]"), "{text}");
}

#[test]
fn a_push_without_balance_is_not_finished_and_names_what_failed() {
    let text = r#"
dofs = ["x", "y"]
[units]
length = "mm"
force = "kN"
[[node]]
name = "foot"
at = [0, 0]
fixed = true
[[node]]
name = "top"
at = [0, "1 m"]
fixed = ["x"]
[[material]]
name = "plastic"
type = "elastic-plastic"
E = "200 GPa"
fy = "250 MPa"
[[element]]
type = "bar"
name = "weak bar"
nodes = ["foot", "top"]
material = "plastic"
area = "100 mm^2"
[pushover]
pattern = { "top.y" = "1 kN" }
to = 40
step = 2
"#
    .replace("weak bar", "weak-bär");
    let outcome = push("push-strength", &text, &[]).expect(3);
    let found = outcome.json();
    assert_eq!((found["ended"].as_str(), found["verdict"].as_str()), (Some("fault"), Some("failed")));
    let reason = found["reason"].as_str().unwrap();
    // It carries 25 kN.
    assert!(reason.contains("in step 13 of 20") && reason.contains("beyond a load factor of 2"), "{reason}");
    assert!(reason.contains("`weak-bär`"), "{reason}");
    assert!(interfield(&["show", "push-strength.h5"]).expect(0).stdout.contains("no balance"));
    // Along a displacement the same bar is pushed on.
    let control = text
        .replace("[pushover]", "[pushover]\ncontrol = \"top.y\"")
        .replace("to = 40\nstep = 2", "to = 5\nstep = 0.25");
    let found = push("push-plastic", &control, &[]).expect(0).json();
    let side = &found["pushover"]["sides"][0];
    assert!((number(&side["last"]) - 25.0).abs() < 1e-9, "{side}");
    assert!((number(&side["yield_displacement"]) - 1.25).abs() < 1e-9, "{side}");
    assert!((number(&side["ductility"]) - 4.0).abs() < 1e-9, "{side}");
}

#[test]
fn a_quasi_static_test_is_checked_rehearsed_and_run() {
    let path = file("push-test.toml", model(ACTUATOR));
    let path = path.to_str().unwrap();
    let checked = interfield(&["check", path, "--json", "-o", "push-test.svg"]).expect(0).json();
    let plan = &checked["setup"]["pushover"];
    assert_eq!((plan["control"].as_str(), plan["steps"].as_u64()), (Some("top.x"), Some(60)));
    assert_eq!((number(&plan["velocity"]), plan["units"]["velocity"].as_str()), (20.0, Some("mm/s")));
    assert_eq!(checked["warnings"].as_array().unwrap().len(), 0, "{checked:#}");
    let rehearsed = interfield(&["rehearse", path, "--json"]).expect(0).json();
    assert_eq!(rehearsed["ready"], true);
    let found = push("push-test", &model(ACTUATOR), &[]).expect(0).json();
    assert_eq!((found["ended"].as_str(), found["verdict"].as_str()), (Some("finished"), Some("good")), "{found:#}");
    assert_eq!(found["laboratory"][0]["state"], "finished");
    // Each step sends one target: 100 ms of way and 50 ms of hold, at 1 kHz.
    let samples = found["laboratory"][0]["samples"].as_u64().unwrap();
    assert!((9000..9500).contains(&samples), "{samples}");
    // The measured force is the load, but for that of the frame.
    let cycles = found["pushover"]["cycles"].as_array().unwrap();
    assert_eq!(cycles.len(), 2);
    assert!(number(&cycles[1]["energy"]) > 2.0 * number(&cycles[0]["energy"]));
    // The same from its recording, bit by bit, and as `run` of a model that is only pushed.
    interfield(&["replay", "push-test.lab.h5", path, "-o", "push-test-again.h5", "-q"]).expect(0);
    interfield(&["compare", "push-test.h5", "push-test-again.h5"]).expect(0);
}

#[test]
fn every_fault_of_a_quasi_static_test_ends_in_its_action_and_all_before_is_kept() {
    // (fault at 3 s, limits, cause, state, samples until then, state at the end)
    let cases = [
        (
            "silence",
            "type = \"silence\"",
            "missing = { at = 5, action = \"hold\" }",
            "missing",
            "holding",
            6,
            "aborted",
        ),
        ("spike", "type = \"spike\"\nsize = \"90 kN\"", "force = \"80 kN\"", "force", "returning", 2, "aborted"),
        (
            "held",
            "type = \"spike\"\nsize = \"90 kN\"\nfor = \"20 ms\"",
            "force = { at = \"80 kN\", action = \"hold\" }",
            "force",
            "holding",
            2,
            "finished",
        ),
        ("nan", "type = \"nan\"", "not_finite = \"abort\"", "not-finite", "at rest", 2, "aborted"),
        ("gone", "type = \"gone\"", "gone = \"abort\"", "gone", "aborted", 2, "aborted"),
        ("button", "type = \"emergency-stop\"", "force = \"1 MN\"", "emergency-stop", "aborted", 2, "aborted"),
        (
            "frozen",
            "type = \"frozen-displacement\"",
            "frozen = { at = \"1 mm\", action = \"abort\" }",
            "frozen",
            "at rest",
            400,
            "aborted",
        ),
    ];
    for (name, fault, limits, cause, first, within, end) in cases {
        let text = format!("{ACTUATOR}[specimen.limits]\n{limits}\n[[specimen.fault]]\nat = \"3 s\"\n{fault}\n");
        let outcome = push(&format!("push-fault-{name}"), &model(&text), &[]);
        let found = outcome.expect(if end == "finished" { 0 } else { 3 }).json();
        let lab = &found["laboratory"][0];
        let log = lab["transitions"].as_array().expect("transitions");
        let tripped = log.iter().find(|t| !t["cause"].is_null()).unwrap_or_else(|| panic!("{name}: {lab:#}"));
        assert_eq!((tripped["to"].as_str(), tripped["cause"].as_str()), (Some(first), Some(cause)), "{name}");
        let sample = tripped["sample"].as_u64().unwrap();
        assert!((3000..3000 + within).contains(&sample), "{name}: sample {sample}");
        assert_eq!(lab["state"], end, "{name}");
        if end != "finished" {
            assert_eq!((found["ended"].as_str(), found["verdict"].as_str()), (Some("fault"), Some("failed")), "{name}");
            assert!(found["reason"].as_str().unwrap().contains("in step "), "{name}: {found}");
        }
        let rows =
            interfield(&["show", &format!("push-fault-{name}.lab.h5"), "--json"]).expect(0).json()["rows"].as_u64();
        assert!(rows.unwrap() >= sample, "{name}");
        // What was in balance before is a curve.
        assert!(found["pushover"]["initial_stiffness"].as_f64().unwrap() > 9.0, "{name}");
    }
}

#[test]
fn a_target_beyond_a_limit_never_leaves_and_the_specimen_is_led_home() {
    let text = model(&format!("{ACTUATOR}[specimen.limits]\ndisplacement = \"15 mm\"\n"));
    let found = push("push-limit", &text, &[]).expect(3).json();
    assert!(found["reason"].as_str().unwrap().contains("a commanded displacement exceeded its limit"), "{found:#}");
    let reached = found["channels"].as_array().unwrap().iter().find(|c| c["name"] == "top.x.reached").unwrap();
    assert!(number(&reached["max"]) < 15.5, "{reached}");
    let fast = model(&format!("{ACTUATOR}[specimen.limits]\nvelocity = \"10 mm/s\"\n"));
    let refused = push("push-fast", &fast, &[]).expect(3).json();
    assert!(refused["reason"].as_str().unwrap().contains("velocity"), "{refused:#}");
}

#[test]
fn what_cannot_be_pushed_is_said_before_anything_moves() {
    let said = |name: &str, text: &str, more: &[&str]| {
        let outcome = push(name, text, more).expect(2);
        outcome.json()["errors"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    let computed =
        model("").split("[[specimen]]").next().unwrap().replace(", \"top.x.reached\", \"top.x.measured\"", "");
    let none = computed.split("[pushover]").next().unwrap().to_owned() + "[analysis]\ndt = 0.01\nduration = 1\n";
    assert!(said("push-none", &none, &[]).contains("the model has no [pushover]"));
    let held = computed
        .replace("name = \"top\"", "name = \"top\"\ndofs = [\"x\", \"y\"]\nfixed = [\"y\"]")
        .replace("control = \"top.x\"", "control = \"top.y\"");
    assert!(said("push-held", &held, &[]).contains("`top.y` is held"), "{}", said("push-held", &held, &[]));
    let loose = computed.replace("dofs = [\"x\"]", "dofs = [\"x\", \"y\"]");
    assert!(said("push-loose", &loose, &[]).contains("top.y"), "{}", said("push-loose", &loose, &[]));
    assert!(said("push-option", &computed, &["--step", "0"]).contains("--step must be greater than zero"));
    assert!(said("push-unit", &computed, &["--to", "5 s"]).contains("--to"));
    // Time has no place in it.
    let path = file("push-static.toml", &computed);
    let path = path.to_str().unwrap();
    let refused = interfield(&["run", path, "--dt", "1 ms"]).expect(2);
    assert!(refused.stderr.contains("--dt belongs to an integration in time"), "{}", refused.stderr);
    let refused = interfield(&["export", "c", path, "--out", "push-static-c"]).expect(2);
    assert!(refused.stderr.contains("only a [pushover]"), "{}", refused.stderr);
    interfield(&["run", path, "-o", "push-static.h5"]).expect(0);
}
