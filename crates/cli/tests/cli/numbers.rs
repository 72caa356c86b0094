//! Numbers as users exchange them: one set of units everywhere, each number with its unit, names as in the model, nothing of the
//! inside.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{file, interfield};

/// A hybrid test in mm and kN with two actuators, one of which turns.
const RIG: &str = r#"title = "Rig with a turning actuator"
[units]
length = "mm"
force = "kN"
[[node]]
name = "mass"
dofs = ["y", "rz"]
mass = { y = "2 t", rz = "300 kg*m^2" }
initial_velocity = { y = "0.1 m/s", rz = "0.05 rad/s" }
[[element]]
type = "cubic"
name = "wall"
nodes = ["ground", "mass"]
dof = "y"
k = "3 kN/mm"
k3 = "2 N/mm^3"
[[element]]
type = "cubic"
name = "bar"
nodes = ["ground", "mass"]
dof = "rz"
k = "400 kN*m"
k3 = "1 kN*m"
[[element]]
type = "spring"
name = "pad"
nodes = ["ground", "mass"]
dof = "y"
k = "0.8 kN/mm"
[[element]]
type = "spring"
name = "hinge"
nodes = ["ground", "mass"]
dof = "rz"
k = "90 kN*m"
[[specimen]]
name = "rig"
elements = ["pad", "hinge"]
rate = "1000 Hz"
[[specimen.actuator]]
name = "north jack"
dof = "mass.y"
stroke = "100 mm"
velocity = "1 m/s"
[[specimen.actuator]]
name = "Drehzylinder ü"
dof = "mass.rz"
[analysis]
scheme = "alpha-os"
dt = "4 ms"
duration = "0.5 s"
[record]
channels = ["mass.y", "mass.rz"]
"#;

fn tmp(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Every number that is no count has its unit: in `units` of an object around it, by the name of what it stands in, or in `unit`.
fn bare<'v>(value: &'v Value, path: &str, around: &mut Vec<(&'v Value, String)>, found: &mut Vec<String>) {
    match value {
        Value::Number(n) if n.is_f64() => {
            let known = around.iter().enumerate().any(|(level, (object, _))| {
                let names = around[level..].iter().map(|(_, name)| name);
                object["unit"].is_string() || names.into_iter().any(|name| object["units"].get(name).is_some())
            });
            if !known {
                found.push(format!("{path} = {n}"));
            }
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| bare(v, &format!("{path}[{i}]"), around, found))
        }
        Value::Object(members) => {
            for (name, v) in members {
                around.push((value, name.clone()));
                bare(v, &format!("{path}.{name}"), around, found);
                around.pop();
            }
        }
        _ => {}
    }
}

#[track_caller]
fn every_number_has_a_unit(document: &Value) {
    let mut found = Vec::new();
    bare(document, "", &mut Vec::new(), &mut found);
    assert!(found.is_empty(), "without a unit: {found:#?}");
}

#[test]
fn json_tells_the_unit_of_every_number() {
    let rig = file("units-rig.toml", RIG);
    let rig = rig.to_str().unwrap();
    let model = |name: &str| format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let (building, trento) = (model("isolated-building"), model("trento-rig"));
    let commands: &[&[&str]] = &[
        &["run", rig, "-o", "units-rig.h5", "--report", "units-rig.html"],
        &["run", &trento, "-o", "units-trento.h5", "--report", "units-trento.html"],
        &["show", "units-rig.h5"],
        &["show", "units-rig.lab.h5"],
        &["compare", "units-rig.h5", "units-rig.h5"],
        &["rehearse", rig],
        &["check", &trento, "--stability"],
        &["modes", &building],
        &["order", &trento, "--until", "0.1 s"],
        &["spectrum", "--scheme", "lsrt2"],
        &["export", "c", rig, "--out", "units-rig-c"],
        &["export", "fmu", rig, "--out", "units-rig.fmu", "--sources-only"],
        &["export", "twincat", rig, "--out", "units-rig-plc"],
        &["fmu", "units-rig.fmu"],
    ];
    for command in commands {
        let said = interfield(&[command, ["--json"].as_slice()].concat());
        assert!(matches!(said.code, Some(0 | 3)), "{command:?}: {}", said.stderr);
        every_number_has_a_unit(&said.json());
    }
}

#[test]
fn text_and_json_have_the_units_of_the_model_and_the_names_of_actuators() {
    let path = file("named-rig.toml", RIG);
    let path = path.to_str().unwrap();
    let args = ["run", path, "-o", "named-rig.h5", "--report", "named-rig.html"];
    let text = interfield(&args).expect(0).stdout;
    for part in ["north jack", "Drehzylinder ü", " mm", " rad", " kN*mm"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(" J ") && !text.contains("actuator 1"), "{text}");
    let document = interfield(&[args.as_slice(), &["--json"]].concat()).expect(0).json();
    let actuators = document["laboratory"][0]["actuators"].as_array().unwrap();
    let peak = document["channels"][0]["peak"].as_f64().unwrap().abs();
    // What the actuator was asked for is where the node went.
    let stroke = actuators[0]["stroke"].as_f64().unwrap();
    assert!((stroke / peak - 1.0).abs() < 0.05 && peak > 1.0, "{stroke} mm, {peak} mm");
    let units = |i: usize, name: &str| actuators[i]["units"][name].as_str().unwrap().to_owned();
    assert_eq!([units(0, "stroke"), units(0, "force"), units(0, "velocity")], ["mm", "kN", "mm/s"]);
    assert_eq!([units(1, "stroke"), units(1, "force"), units(1, "velocity")], ["rad", "kN*mm", "rad/s"]);
    assert_eq!(actuators[1]["actuator"], "Drehzylinder ü");
    let shown = interfield(&["show", "named-rig.lab.h5", "--json"]).expect(0).json();
    let channel = |name: &str| {
        let channels = shown["channels"].as_array().unwrap();
        channels.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!(channel("rig.north jack.command")["unit"], "mm");
    assert_eq!(channel("rig.Drehzylinder ü.reached")["unit"], "rad");
    assert_eq!(channel("rig.Drehzylinder ü.force")["unit"], "kN*mm");
}

#[test]
fn two_actuators_of_one_name_are_told_apart() {
    let path = file("twin-rig.toml", RIG.replace("Drehzylinder ü", "north jack"));
    let said = interfield(&["check", path.to_str().unwrap()]).expect(2).stderr;
    assert!(said.contains("actuators 1 and 2 have the same name `north jack`"), "{said}");
}

#[test]
fn settings_are_numbers_and_words_not_the_inside_of_the_program() {
    let path = file("settings-rig.toml", RIG);
    interfield(&["run", path.to_str().unwrap(), "-o", "settings-rig.h5", "--report", "settings-rig.html"]).expect(0);
    for result in ["settings-rig.h5", "settings-rig.lab.h5"] {
        let shown = interfield(&["show", result, "--json"]).expect(0).json();
        let settings = &shown["settings"];
        assert_eq!((&settings["dt"], &settings["units"]["dt"]), (&0.004.into(), &"s".into()));
        assert_eq!(settings["model_sha256"].as_str().map(str::len), Some(64));
        assert_eq!(settings["scheme"], "alpha-os");
        assert!(settings["scheme_coefficients"].as_str().unwrap().starts_with("alpha_m "), "{settings}");
        // Names of types and of their fields are not for readers.
        for (name, value) in settings.as_object().unwrap() {
            let text = value.as_str().unwrap_or_default();
            let inside = ["Some(", "None", " { ", "Options", "::", "Splitting", "Transfer"];
            assert!(!inside.iter().any(|i| text.contains(i)), "{name}: {text}");
        }
    }
    let own: Value = {
        let shown = interfield(&["show", "settings-rig.lab.h5", "--json"]).expect(0).json();
        serde_json::from_str(shown["settings"]["specimen.rig.actuator.1"].as_str().unwrap()).unwrap()
    };
    assert_eq!(
        (&own["name"], &own["stroke"], &own["units"]["stroke"]),
        (&"north jack".into(), &100.0.into(), &"mm".into())
    );
    every_number_has_a_unit(&own["limits"]);
}

#[test]
fn a_result_of_the_first_version_is_still_shown() {
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/tests/version-1.h5");
    let shown = interfield(&["show", old, "--json"]).expect(0).json();
    assert_eq!((&shown["dt"], &shown["rows"]), (&0.25.into(), &41.into()));
    assert!(interfield(&["show", old]).expect(0).stdout.contains("Two springs in series"));
    interfield(&["export", old, "-o", "version-1.csv"]).expect(0);
}

#[test]
fn generated_files_say_what_they_were_made_from() {
    let path = file("stamped.toml", RIG);
    let path = path.to_str().unwrap();
    for (what, out) in [("c", "stamped-c"), ("simulink", "stamped-simulink"), ("twincat", "stamped-twincat")] {
        let said = interfield(&["export", what, path, "--out", out, "--dt", "2 ms", "--json"]).expect(0).json();
        let hash = said["model_sha256"].as_str().unwrap();
        assert_eq!(hash.len(), 64);
        for name in said["files"].as_array().unwrap().iter().filter_map(Value::as_str) {
            let text = std::fs::read_to_string(tmp(&format!("{out}/{name}"))).unwrap();
            // The wire is the same for all models.
            let own = name != "interfield_wire.h";
            assert!(!own || (text.contains(hash) && text.contains("Interfield 0.1.0")), "{out}/{name}");
        }
    }
    let header = std::fs::read_to_string(tmp("stamped-c/stamped.h")).unwrap();
    for part in [
        "/* wall.k, kN/mm, default 3.0 */",
        "/* wall.k3, kN/mm^3, default 0.002 */",
        "/* bar.k, kN*mm, default 400000.0 */",
        "/* mass.y.v.initial, mm/s, default 100.0 */",
        "/* mass.rz.v.initial, rad/s, default 0.05 */",
        "--dt \"2 ms\"",
        "extern const char STAMPED_MODEL_SHA256[];",
    ] {
        assert!(header.contains(part), "{part}: {header}");
    }
}
