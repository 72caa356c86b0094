//! Before the test: `rehearse`, `check` and `run` tell one truth, what was rehearsed is known again, and the machine is looked at.

use std::path::Path;

use super::{STOREY, file, interfield, models};

/// A mass on a frame, and a column in the laboratory, driven 1000 times a second.
fn model(column: &str, specimen: &str) -> String {
    format!(
        r#"
title = "A storey with its column in the laboratory"
[parameters]
peak = "0.3 g"
{STOREY}[[element]]
name = "column"
nodes = ["ground", "floor"]
dof = "x"
{column}
[[load]]
type = "ground"
direction = "x"
signal = {{ type = "synthetic", peak = "peak" }}
[analysis]
scheme = "alpha-os"
dt = "2 ms"
duration = "6 s"
[record]
channels = ["floor.x"]
[[specimen]]
name = "rig"
elements = ["column"]
rate = "1 kHz"
ramp = "100 ms"
{specimen}
[[specimen.actuator]]
type = "second-order"
frequency = "40 Hz"
damping = 0.7
velocity = "20 m/s"
displacement_sensor = {{ noise = "0.01 mm" }}
force_sensor = {{ noise = "2 N", seed = 2 }}
"#
    )
}

const SPRING: &str = "type = \"spring\"\nk = \"60 kN/m\"";
const YIELDING: &str = "type = \"bouc-wen\"\nk = \"60 kN/m\"\nbeta = \"100 1/m\"\ngamma = \"100 1/m\"";
/// Nearly Coulomb: as stiff as a wall at rest, 1.5 kN in motion.
const FRICTION: &str = "type = \"damper\"\nc = \"1500 N*s^0.1/m^0.1\"\nn = 0.1";

fn compensated(method: &str) -> String {
    format!("compensation = {{ method = \"{method}\", delay = \"5.6 ms\" }}")
}

#[test]
fn a_rehearsal_and_the_test_give_the_same_numbers_under_the_same_names() {
    for (name, column, specimen) in [
        ("linear", SPRING, compensated("ats")),
        ("yielding", YIELDING, compensated("early")),
        ("uncompensated", SPRING, String::new()),
    ] {
        let path = file(&format!("truth-{name}.toml"), model(column, &specimen));
        let path = path.to_str().unwrap();
        let rehearsed = interfield(&["rehearse", path, "--json"]);
        let code = rehearsed.code;
        let rehearsed = rehearsed.json();
        let run = interfield(&["run", path, "--json", "-o", "truth.h5"]);
        assert_eq!(run.code, code, "{name}: ready, or neither is good");
        let run = run.json();
        let (before, after) = (&rehearsed["laboratory"][0], &run["laboratory"][0]);
        for key in ["actuators", "verdict", "reasons", "samples", "energy_error"] {
            assert_eq!(before[key], after[key], "{name}: {key}");
        }
        assert_eq!(rehearsed["ready"], after["verdict"] != "failed", "{name}: {rehearsed:#}");
        assert_eq!(code, Some(if rehearsed["ready"] == true { 0 } else { 3 }), "{name}");
        // The table of the actuators has the velocities of both, each under its name.
        let row = |quantity: &str| {
            let rows = rehearsed["actuators"].as_array().unwrap().clone();
            rows.into_iter().find(|r| r["quantity"] == quantity).unwrap_or_else(|| panic!("no {quantity}"))
        };
        for (quantity, key) in [
            ("target stroke", "stroke"),
            ("target velocity", "velocity"),
            ("command velocity", "command_velocity"),
            ("force", "force"),
            ("tracking error", "largest_tracking_error"),
        ] {
            assert_eq!(row(quantity)["expected"], after["actuators"][0][key], "{name}: {quantity}");
        }
        let left = row("command velocity")["left"].as_f64().unwrap();
        let speed = after["actuators"][0]["command_velocity"].as_f64().unwrap();
        assert!((left - 100.0 * (1.0 - speed / 20.0)).abs() < 1e-9, "{name}: {left} {speed}");
    }
}

#[test]
fn a_test_that_would_fail_is_not_ready_although_nothing_grows() {
    let found = interfield(&["rehearse", models().join("forced-split-mass.toml").to_str().unwrap(), "--json"]);
    let found = found.expect(3).json();
    assert_eq!((&found["stable"], &found["ready"]), (&true.into(), &false.into()), "{found:#}");
    assert!(found["objections"].to_string().contains("of the work done"), "{found:#}");
    assert!(found["doubt"].as_str().unwrap().contains("the loop is stable, but"), "{found:#}");
}

#[test]
fn compensators_that_differentiate_do_not_blur_the_probe() {
    // A column that may yield is, at rest, the spring that it begins with: the loop has the same margins, to a part in a thousand.
    for method in ["early", "feedforward", "fir-rls", "amb"] {
        let [spring, yielding] = [("spring", SPRING), ("yielding", YIELDING)].map(|(name, column)| {
            let path = file(&format!("blur-{name}-{method}.toml"), model(column, &compensated(method)));
            interfield(&["rehearse", path.to_str().unwrap(), "--json", "--until", "0.1 s"]).json()
        });
        assert_eq!((&spring["stable"], &yielding["stable"]), (&true.into(), &true.into()), "{method}: {yielding:#}");
        // The force that it remembers stays as it is: a motion of magnitude one, by rounding at most.
        let radius = yielding["spectral_radius"].as_f64().unwrap();
        assert!(radius < 1.0 + 1e-9, "{method}: {radius}");
        let delay = |f: &serde_json::Value| f["critical_delay"].as_f64().unwrap_or_else(|| panic!("{method}: {f:#}"));
        let (a, b) = (delay(&spring), delay(&yielding));
        assert!((a - b).abs() <= 2e-3 * a, "{method}: {a} {b}");
    }
}

#[test]
fn a_loop_with_struts_is_probed_as_one_with_actuators_along_its_axes() {
    let text = |actuators: &str| {
        format!(
            r#"
dofs = ["x", "y"]
node = [{{ name = "a", at = [0, 0], mass = 1000 }}]
element = [
  {{ type = "spring", name = "sx", nodes = ["ground", "a"], dof = "x", k = 40e3, c = 1e3 }},
  {{ type = "spring", name = "sy", nodes = ["ground", "a"], dof = "y", k = 40e3, c = 1e3 }},
  {{ type = "spring", name = "px", nodes = ["ground", "a"], dof = "x", k = 60e3 }},
  {{ type = "spring", name = "py", nodes = ["ground", "a"], dof = "y", k = 60e3 }},
]
load = [{{ type = "ground", direction = "x", signal = {{ type = "synthetic", peak = 3 }} }}]
analysis = {{ scheme = "alpha-os", dt = 2e-3, duration = 0.5 }}
[[specimen]]
name = "rig"
elements = ["px", "py"]
rate = "1 kHz"
{actuators}
"#
        )
    };
    let strut = |x: f64, y: f64| {
        format!("[[specimen.actuator]]\nanchor = [{x}, {y}]\nattachment = [0, 0]\nnode = \"a\"\ndelay = \"1 ms\"\n")
    };
    let along = |dof: &str| format!("[[specimen.actuator]]\ndof = \"{dof}\"\ndelay = \"1 ms\"\n");
    let straight = file("struts-none.toml", text(&(along("a.x") + &along("a.y"))));
    let struts = file("struts.toml", text(&(strut(-1.0, 0.0) + &strut(0.0, -1.0))));
    let [straight, struts] = [straight, struts].map(|path| {
        let found =
            interfield(&["check", path.to_str().unwrap(), "--stability", "--json", "-o", "struts.svg"]).expect(0);
        // A fault is told in words.
        assert!(!found.stdout.contains("code"), "{}", found.stdout);
        found.json()["stability"]["loop"].clone()
    });
    for key in ["critical_delay", "critical_gain", "spectral_radius"] {
        let [a, b] = [&straight, &struts].map(|f| f[key].as_f64().unwrap_or_else(|| panic!("no {key}: {f:#}")));
        assert!((a - b).abs() <= 1e-9 * a, "{key}: {a} {b}");
    }
}

#[test]
fn the_critical_gain_is_that_of_the_closed_form() {
    // m x" + c x' + k_n x + g k_e x(t - d) = 0 is at its limit where m w^2 - k_n = g k_e cos(w d), c w = g k_e sin(w d).
    let (m, c, kn, ke, d) = (1000.0f64, 1000.0f64, 40e3f64, 60e3f64, 10e-3f64);
    let off = |w: f64| (m * w * w - kn) * (w * d).sin() - c * w * (w * d).cos();
    let (mut below, mut above) = ((kn / m).sqrt(), 100.0);
    for _ in 0..60 {
        let w = 0.5 * (below + above);
        if off(w) < 0.0 { below = w } else { above = w }
    }
    let exact = c * below / (ke * (below * d).sin());
    let text = model(SPRING, "").replace("dt = \"2 ms\"", "dt = \"1 ms\"");
    let (head, _) = text.split_once("[[specimen.actuator]]").unwrap();
    let path = file("gain.toml", format!("{head}actuator = [{{ delay = \"{} ms\" }}]\n", 1e3 * d));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).json();
    let gain = found["critical_gain"].as_f64().unwrap_or_else(|| panic!("{found:#}"));
    // To a sample of the controller in ten of delay: the force of a step is that at its predictor.
    assert!((gain - exact).abs() < 0.1 * exact, "{gain} {exact}");
}

#[test]
fn what_grows_is_named_with_its_place_and_frequency_and_with_what_would_stop_it() {
    let late = format!("{}\n", model(SPRING, "").replace("frequency = \"40 Hz\"", "frequency = \"4 Hz\""));
    let path = file("grows.toml", late);
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).expect(3).json();
    assert_eq!(found["stable"], false);
    let said = found["objections"].to_string();
    assert!(said.contains("the loop is unstable") && said.contains("Hz at `floor.x`"), "{said}");
    let cures = found["loop"]["what_to_change"].to_string();
    assert!(cures.contains("with ideal actuators (no delay) the loop is stable"), "{cures}");
    let text = interfield(&["rehearse", path.to_str().unwrap()]).expect(3).stdout;
    assert!(text.contains("unstable: a motion grows") && text.contains("it moves most at `floor.x`"), "{text}");
    // The same loop under the same names.
    let checked = interfield(&["check", path.to_str().unwrap(), "--stability", "--json", "-o", "grows.svg"]).expect(3);
    assert_eq!(checked.json()["stability"]["loop"], found["loop"]);
}

#[test]
fn where_probe_and_dry_run_disagree_both_are_told_with_the_reason() {
    let path = file("friction.toml", model(FRICTION, ""));
    let path = path.to_str().unwrap();
    let run = interfield(&["run", path, "--json", "-o", "friction.h5"]).expect(0).json();
    assert_ne!(run["laboratory"][0]["verdict"], "failed");
    let found = interfield(&["rehearse", path, "--json"]).expect(0).json();
    assert_eq!((&found["stable"], &found["ready"]), (&false.into(), &true.into()), "{found:#}");
    let doubt = found["doubt"].as_str().unwrap();
    assert!(doubt.contains("the loop is unstable, but the dry run does not fail"), "{doubt}");
    assert!(doubt.contains("initial stiffness"), "{doubt}");
}

#[test]
fn a_rehearsal_is_known_again_until_something_changes() {
    let record = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interfield-out/known.rehearsal.json");
    let _ = std::fs::remove_file(&record);
    let motion: String = (0..600).map(|k| format!("{}\n", (0.05 * f64::from(k)).sin())).collect();
    file("known.txt", &motion);
    let text = model(SPRING, &compensated("ats")).replace(
        "type = \"synthetic\", peak = \"peak\"",
        "type = \"file\", path = \"known.txt\", dt = \"10 ms\", unit = \"m/s^2\"",
    );
    let path = file("known.toml", &text);
    let path = path.to_str().unwrap();
    let asked = |more: &[&str]| interfield(&[&["check", path, "--stability", "-o", "known.svg"], more].concat()).stdout;
    assert!(asked(&[]).contains("not rehearsed yet"), "{}", asked(&[]));
    let said = interfield(&["rehearse", path]).expect(0).stdout;
    assert!(said.contains("record: interfield-out/known.rehearsal.json"), "{said}");
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&record).unwrap()).unwrap();
    assert_eq!((&kept["ready"], kept["fingerprint"].as_str().map(str::len)), (&true.into(), Some(64)), "{kept:#}");
    assert!(kept["numbers"]["critical_delay"].is_number() && kept["version"].is_string());
    assert!(asked(&[]).contains("rehearsed: ready for the test"), "{}", asked(&[]));
    // A setting, a record it reads, a line of the model: each makes it another test.
    assert!(asked(&["--until", "5 s"]).contains("the model has changed since the rehearsal"));
    file("known.txt", format!("{motion}0.5\n"));
    assert!(asked(&[]).contains("the model has changed since the rehearsal"));
    file("known.txt", &motion);
    assert!(asked(&[]).contains("rehearsed: ready for the test"));
    file("known.toml", text.replace("velocity = \"20 m/s\"", "velocity = \"21 m/s\""));
    assert!(asked(&[]).contains("the model has changed since the rehearsal"));
    file("known.toml", text.replace("velocity = \"20 m/s\"", "velocity = \"0.02 m/s\""));
    interfield(&["rehearse", path]).expect(3);
    assert!(asked(&[]).contains("rehearsed: not ready: "), "{}", asked(&[]));
}

#[test]
fn the_doctor_measures_and_says_what_it_found() {
    let idle = interfield(&["doctor", "--rate", "500 Hz", "--seconds", "0.1", "--json"]);
    let code = idle.code;
    let found = idle.json();
    assert_eq!(code, Some(if found["verdict"] == "failed" { 3 } else { 0 }), "{found:#}");
    let names: Vec<&str> = found["facts"].as_array().unwrap().iter().filter_map(|f| f["name"].as_str()).collect();
    assert!(
        names.contains(&"kernel") && names.contains(&"isolated cores") && names.contains(&"stolen time"),
        "{names:?}"
    );
    let one = &found["loops"][0];
    let periods = one["wake_up"]["count"].as_f64().unwrap() + one["missed"].as_f64().unwrap();
    assert!(periods >= 50.0, "{one:#}");
    // Beside the load of a test: the controller works in every period.
    let path = file("doctor.toml", model(SPRING, ""));
    let beside = interfield(&["doctor", path.to_str().unwrap(), "--seconds", "0.3", "--json"]);
    assert!([Some(0), Some(3)].contains(&beside.code), "{}", beside.stderr);
    let one = &beside.json()["loops"][0];
    assert_eq!((&one["name"], &one["period"]), (&"rig".into(), &1e-3.into()));
    assert!(one["work"]["mean"].as_f64().unwrap() > 0.0, "{one:#}");
    let text = interfield(&["doctor", "--seconds", "0.05"]).stdout;
    assert!(text.contains("this machine\n  kernel") && text.contains("verdict: "), "{text}");
}

#[test]
fn the_doctor_refuses_what_is_no_rate_and_no_test() {
    for (args, said) in [
        (&["--rate", "3 mm"][..], "frequency"),
        (&["--rate", "-2 kHz"], "greater than zero"),
        (&["--rate", "5 MHz"], "between 10 µs and 1 hour"),
        (&["--seconds", "nan"], "between 0.05 and 3600"),
        (&["--seconds", "1e9"], "between 0.05 and 3600"),
    ] {
        let outcome = interfield(&[&["doctor"], args].concat()).expect(2);
        assert!(outcome.stderr.contains(said), "{args:?}: {}", outcome.stderr);
    }
    let none = interfield(&["doctor", models().join("three-dof.toml").to_str().unwrap()]).expect(2);
    assert!(none.stderr.contains("the model has no specimen"), "{}", none.stderr);
}

#[test]
fn a_test_by_the_clock_looks_at_the_machine_first_and_counts_its_ways_apart() {
    let text = model(SPRING, "").replace("mass = \"1 t\"", "mass = \"1 t\"\ninitial = { x = \"5 mm\" }");
    let text =
        text.replace("duration = \"6 s\"", "duration = \"0.2 s\"").replace("ramp = \"100 ms\"", "ramp = \"300 ms\"");
    let path = file("ways.toml", text);
    let outcome = interfield(&["run", path.to_str().unwrap(), "--real-time", "-o", "ways.h5"]).expect(0);
    let lines: Vec<&str> = outcome.stderr.lines().filter(|l| l.starts_with("machine: ")).collect();
    assert!(matches!(lines[..], [line] if line.contains("wake-ups at 1000 Hz")), "{}", outcome.stderr);
    assert!(outcome.stdout.contains(" s to move to the start before, "), "{}", outcome.stdout);
    let document =
        interfield(&["run", path.to_str().unwrap(), "--real-time", "--json", "-o", "ways.h5"]).expect(0).json();
    let number = |key: &str| document[key].as_f64().unwrap_or_else(|| panic!("no {key}: {document:#}"));
    assert!(number("seconds_to_start") >= 0.3 && number("seconds_home") >= 0.29, "{document:#}");
    assert!(number("seconds") >= 0.19, "the test itself takes its time: {}", number("seconds"));
    assert!(document["machine"].as_str().is_some_and(|m| m.contains("interfield doctor")));
    // Without a clock there are no ways to wait for.
    let rehearsed = interfield(&["run", path.to_str().unwrap(), "--json", "-o", "ways.h5"]).expect(0).json();
    assert!(rehearsed["seconds_to_start"].is_null() && rehearsed["machine"].is_null());
}

#[test]
fn slow_growth_is_growth_and_no_drift() {
    // 50 ms more than the compensation knows: each step multiplies a motion by 1.0017 only, and doubles it in less than a second.
    let text = std::fs::read_to_string(super::models().join("isolated-building.toml")).unwrap();
    let late = text.replace("frequency = \"25 Hz\"", "frequency = \"25 Hz\"\ndelay = \"50 ms\"");
    assert_ne!(late, text);
    let path = file("late-building.toml", late);
    let checked = interfield(&["check", path.to_str().unwrap(), "--stability", "--json", "-o", "late.svg"]).json();
    let found = &checked["stability"]["loop"];
    let radius = found["spectral_radius"].as_f64().unwrap_or_else(|| panic!("{found:#}"));
    assert!((1.0015..1.0019).contains(&radius) && found["stable"] == false, "{found:#}");
    assert!(
        found["what_to_change"].to_string().contains("with ideal actuators (no delay) the loop is stable"),
        "{found:#}"
    );
}
