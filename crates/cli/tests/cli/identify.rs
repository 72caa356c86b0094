//! Laws from measurements: the command, its messages, its block in a model.

use super::{file, interfield};

/// A record of a Bouc-Wen element as a text file.
fn loops(header: &str, samples: usize, factor: [f64; 2]) -> String {
    let (k, xy, r, n, k2) = (8e6, 0.008, 0.6, 1.8, 6e5);
    let (mut z, mut last, mut seed) = (0.0_f64, 0.0_f64, 1_u64);
    let mut out = format!("{header}\n");
    for i in 0..samples {
        let t = i as f64 * 0.01;
        let q = 0.03 * (0.3 + 0.7 * i as f64 / samples as f64) * (5.0 * t).sin();
        for _ in 0..20 {
            let d = (q - last) / 20.0;
            z += (1.0 - (z / xy).abs().powf(n) * (r * d.signum() * z.signum() + 1.0 - r)) * d;
        }
        last = q;
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = (seed >> 33) as f64 / f64::from(1_u32 << 31) - 0.5;
        let p = k * z + k2 * q + 2000.0 * noise;
        out += &format!("{t},{},{}\n", q * factor[0], p * factor[1]);
    }
    out
}

#[test]
fn a_law_is_identified_and_its_block_runs_in_a_model() {
    let data = file("loops.csv", loops("t [s],q [mm],p [kN]", 1000, [1e3, 1e-3]));
    let (data, block) = (data.to_str().expect("UTF-8"), file("loops-block.toml", String::new()));
    let picture = block.with_file_name("loops.svg");
    let said = interfield(&[
        "identify",
        data,
        "--element",
        "bouc-wen",
        "-o",
        block.to_str().expect("UTF-8"),
        "--plot",
        picture.to_str().expect("UTF-8"),
    ])
    .expect(0);
    assert!(
        said.stdout.contains("bouc-wen from 1000 samples")
            && said.stdout.contains("good")
            && said.stdout.contains("derived"),
        "{}",
        said.stdout
    );
    assert!(said.stderr.is_empty(), "{}", said.stderr);
    assert!(std::fs::read_to_string(&picture).expect("picture").contains("deformation"));
    let found = interfield(&["identify", data, "--element", "bouc-wen", "--json"]).expect(0).json();
    for (name, truth) in [("k", 8.0), ("Fy", 64.0), ("r", 0.6), ("n", 1.8), ("k2", 0.6)] {
        let p = found["parameters"].as_array().expect("list").iter().find(|p| p["name"] == name).expect("parameter");
        let (low, high) = (p["interval"][0].as_f64().expect("low"), p["interval"][1].as_f64().expect("high"));
        let slack = high - low;
        assert!(low - slack < truth && truth < high + slack, "{name}: {p}");
    }
    // The block means the same in a model of other units.
    let text = std::fs::read_to_string(&block).expect("block");
    let model = format!(
        "[[node]]\nname = \"floor\"\ndofs = [\"x\"]\nmass = \"10 t\"\n{text}[analysis]\nscheme = \"lsrt2\"\ndt = \"1 ms\"\nduration = \"0.1 s\"\n"
    );
    let model = file("loops-model.toml", model);
    interfield(&["check", model.to_str().expect("UTF-8")]).expect(0);
}

#[test]
fn laws_are_compared_and_one_is_recommended() {
    let data = file("loops-auto.csv", loops("t [s],q [mm],p [kN]", 500, [1e3, 1e-3]));
    let found =
        interfield(&["identify", data.to_str().expect("UTF-8"), "--element", "auto", "--json"]).expect(0).json();
    assert_eq!(found["compared"]["recommended"], "bouc-wen", "{found}");
    assert_eq!(found["law"], "bouc-wen");
    let laws = found["compared"]["laws"].as_array().expect("laws");
    assert!(laws.len() == 7 && laws.iter().any(|l| l["law"] == "spring" && l["grade"] == "not this law"), "{laws:?}");
}

#[test]
fn what_is_wrong_with_data_is_said() {
    let good = loops("t [s],q [mm],p [kN]", 300, [1e3, 1e-3]);
    let change = |f: &dyn Fn(usize, Vec<&str>) -> String| -> String {
        let (head, rows) = good.split_once('\n').expect("head");
        let rows: Vec<String> = rows.lines().enumerate().map(|(i, l)| f(i, l.split(',').collect())).collect();
        format!("{head}\n{}\n", rows.join("\n"))
    };
    let cases: Vec<(&str, String, &str)> = vec![
        (
            "nan",
            change(&|i, c| if i == 50 { format!("{},NaN,{}", c[0], c[2]) } else { c.join(",") }),
            "NaN (not a number) or infinite in 1 of 300 samples, first at 0.5 s",
        ),
        (
            "gap",
            change(&|i, c| if (60..100).contains(&i) { "#".into() } else { c.join(",") }),
            "samples are missing at 1 place",
        ),
        ("still", change(&|_, c| format!("{},1,{}", c[0], c[2])), "the deformation is constant"),
        ("unconnected", change(&|_, c| format!("{},{},0", c[0], c[1])), "the force is constant"),
        (
            "backwards",
            change(&|i, c| format!("{},{},{}", if i == 9 { "0" } else { c[0] }, c[1], c[2])),
            "the time does not increase",
        ),
        ("units", good.replacen("p [kN]", "p [mm]", 1), "`p` is in mm"),
        ("without", good.replacen("q [mm]", "q", 1), "has no unit"),
        ("short", good.lines().take(20).collect::<Vec<_>>().join("\n"), "at least 40 are needed"),
    ];
    for (name, text, says) in cases {
        let data = file(&format!("wrong-{name}.csv"), text);
        let said = interfield(&["identify", data.to_str().expect("UTF-8"), "--element", "bouc-wen"]).expect(2);
        assert!(said.stderr.contains(says) && said.stderr.contains("help: "), "{name}: {}", said.stderr);
    }
    let data = file("right.csv", good);
    let data = data.to_str().expect("UTF-8");
    for (args, says) in [
        (&["--element", "bouc-wne"][..], "did you mean `bouc-wen`?"),
        (&["--element", "pendulum"][..], "cannot be identified"),
        (&["--element", "bouc-wen", "--fix", "m=1"][..], "it has xy, r, n"),
        (&["--element", "bouc-wen", "--fix", "n=x"][..], "not a number"),
        (&["--element", "bouc-wen", "--units", "mm"][..], "--units mm,kN"),
        (&["--element", "bouc-wen", "--of", "brace"][..], "no channels"),
        (&["--element", "damper", "--rate", "w"][..], "has no channel `w`"),
    ] {
        let said = interfield(&[&["identify", data][..], args].concat()).expect(2);
        assert!(said.stderr.contains(says), "{says}: {}", said.stderr);
    }
}

#[test]
fn an_actuator_is_identified_from_a_recording_and_its_block_is_understood() {
    // 3 ms of delay and a lag of 5 ms at 500 Hz, exactly for commands that are linear between samples.
    let (dt, delay, lag) = (0.002_f64, 0.003_f64, 0.005_f64);
    let command = |t: f64| if t <= 0.0 { 0.0 } else { 5.0 * (std::f64::consts::TAU * (0.2 + 1.5 * t) * t).sin() };
    let heard = |k: f64| {
        let place = k - delay / dt;
        let (low, part) = (place.floor(), place - place.floor());
        command(low * dt) * (1.0 - part) + command((low + 1.0) * dt) * part
    };
    let (mut x, mut text, mut seed) = (0.0_f64, String::from("t [s],command [mm],reached [mm]\n"), 1_u64);
    let e = (-dt / lag).exp();
    for k in 0..2000 {
        if k > 0 {
            let (a, b) = (heard(f64::from(k - 1)), heard(f64::from(k)));
            x = e * x + a * (1.0 - e) + (b - a) * (1.0 - (1.0 - e) * lag / dt);
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = (seed >> 33) as f64 / f64::from(1_u32 << 31) - 0.5;
        text += &format!("{},{},{}\n", f64::from(k) * dt, command(f64::from(k) * dt), x + 0.05 * noise);
    }
    let data = file("chirp.csv", &text);
    let data = data.to_str().expect("UTF-8");
    let found = interfield(&["identify-actuator", data, "--json"]).expect(0).json();
    let chosen = &found["actuators"][0]["chosen"];
    assert!(chosen["order"] == 1 && chosen["with_delay"] == true, "{chosen}");
    for (name, truth) in [("gain", 1.0), ("delay", delay), ("T", lag)] {
        let p = chosen["parameters"].as_array().expect("list").iter().find(|p| p["name"] == name).expect("parameter");
        let (value, error) = (p["value"].as_f64().expect("value"), p["standard_error"].as_f64().expect("error"));
        assert!((value - truth).abs() < 4.0 * error && error < 0.05 * truth, "{name}: {p}");
    }
    let said = interfield(&["identify-actuator", data]).expect(0).stdout;
    assert!(said.contains("time_constant = \"") && said.contains("method = \"early\", series = ["), "{said}");
    for (name, text, says) in [
        (
            "chirp-gap.csv",
            text.lines().enumerate().filter(|(i, _)| !(500..600).contains(i)).map(|(_, l)| format!("{l}\n")).collect(),
            "not equally spaced",
        ),
        ("chirp-none.csv", text.replacen("command", "target", 1), "no actuator"),
        (
            "chirp-still.csv",
            text.lines()
                .enumerate()
                .map(
                    |(i, l)| {
                        if i == 0 { format!("{l}\n") } else { format!("{},1,1\n", l.split(',').next().unwrap_or("")) }
                    },
                )
                .collect::<String>(),
            "constant",
        ),
    ] {
        let wrong = file(name, text);
        let said = interfield(&["identify-actuator", wrong.to_str().expect("UTF-8")]).expect(2);
        assert!(said.stderr.contains(says), "{says}: {}", said.stderr);
    }
}

#[test]
fn a_compensator_that_does_not_exist_is_told() {
    let said = interfield(&["rehearse", "../../models/isolated-building.toml", "--compensation", "earyl"]).expect(2);
    assert!(said.stderr.contains("`early`"), "{}", said.stderr);
}

/// From an unknown rig to a good test, by commands alone: a chirp within the limits, its recording, the actuators, the settings that follow.
#[test]
fn actuators_are_identified_from_a_recorded_chirp_and_the_test_is_good() {
    let model = "../../models/braced-frame.toml";
    let drive = file("braced-chirp.csv", String::new());
    let beside = |name: &str| drive.with_file_name(name).to_str().expect("UTF-8").to_owned();
    let (drive, recording, tuned) = (beside("braced-chirp.csv"), beside("braced-rig.csv"), beside("braced-tuned.toml"));
    let picture = beside("braced-chirp.svg");
    let made = ["motion", "--chirp", "0.2,20", "--model", model, "-o", &drive, "--plot", &picture, "--json"];
    let said = interfield(&made).expect(0).json();
    for actuator in said["actuators"].as_array().expect("actuators") {
        for (i, what) in ["displacement", "velocity", "acceleration"].into_iter().enumerate() {
            let (x, bound) = (actuator[what].as_f64().expect("number"), actuator["bounds"][i].as_f64().expect("bound"));
            assert!(x > 0.0 && x <= bound * (1.0 + 1e-9), "{what}: {actuator}");
        }
    }
    let found =
        interfield(&["identify-actuator", model, "--drive", &drive, "--record", &recording, "--json"]).expect(0).json();
    for (i, friction) in [Some(0.6), None].into_iter().enumerate() {
        let actuator = &found["actuators"][i];
        let numbers = actuator["chosen"]["parameters"].as_array().expect("list");
        for (name, truth) in [("gain", 1.0), ("delay", 12e-3), ("T", 4e-3)] {
            let p = numbers.iter().find(|p| p["name"] == name).expect("parameter");
            let (value, error) = (p["value"].as_f64().expect("value"), p["standard_error"].as_f64().expect("error"));
            assert!((value - truth).abs() < 4.0 * error + 0.002 * truth && error < 0.02 * truth, "{name}: {p}");
        }
        let rubs = &actuator["friction"];
        assert_eq!(rubs["detected"], friction.is_some(), "{rubs}");
        if let Some(truth) = friction {
            assert!((rubs["force"].as_f64().expect("force") - truth).abs() < 0.2 * truth, "{rubs}");
        }
        let noise = rubs["load_cell_noise"].as_f64().expect("noise");
        assert!((noise - 0.1).abs() < 0.03, "{rubs}");
    }
    let short = ["--until", "4 s"];
    let unknown = interfield(&[&["rehearse", model, "--compensation", "none"][..], &short].concat());
    assert_ne!(unknown.code, Some(0), "{}", unknown.stdout);
    let args = ["rehearse", model, "--compensation", "all", "--recording", &recording, "-o", &tuned];
    let said = interfield(&[&args[..], &short].concat()).expect(0).stdout;
    assert!(said.contains("recommended: ") && said.contains("braced-rig.csv"), "{said}");
    let said = interfield(&["run", &tuned, "--until", "4 s", "--json"]).expect(0).json();
    let verdict = said.to_string();
    assert!(
        verdict.contains("\"good\"") && !verdict.contains("\"doubtful\"") && !verdict.contains("\"failed\""),
        "{said}"
    );
}

/// What is wrong with a drive signal is said before anything moves.
#[test]
fn drive_signals_without_sense_are_refused() {
    let model = "../../models/braced-frame.toml";
    for (args, says) in [
        (&["motion", "--chirp", "0.2,20"][..], "--model"),
        (&["motion", "--chirp", "20,0.2", "--model", model], "the second greater than the first"),
        (&["motion", "--chirp", "0.2,900", "--model", model], "can be identified at this rate"),
        (&["motion", "--chirp", "0.2", "--model", model], "needs two frequencies"),
        (&["motion", "--noise", "0.2,20", "--model", model, "--actuator", "lowr"], "`lower`"),
        (&["motion", "--noise", "0.2,20", "--model", model, "--peak", "5 kN"], "--peak"),
        (&["motion", "--chirp", "0.2,20", "--model", "../../models/duffing-chain.toml"], "no [[specimen]]"),
        (&["motion", "--chirp", "0.2,20", "--model", model, "-o", model], "the model itself"),
    ] {
        let said = interfield(args).expect(2);
        assert!(said.stderr.contains(says), "{says}: {}", said.stderr);
    }
    let other = file("drive-other.csv", "t [s],front [mm]\n0,0\n1,1\n");
    let said = interfield(&["identify-actuator", model, "--drive", other.to_str().expect("UTF-8")]).expect(2);
    assert!(said.stderr.contains("no column for an actuator of `braces`: lower, upper"), "{}", said.stderr);
}

/// A material of the catalogue, a formula of a model and several elements of a structure are identified with the same command.
#[test]
fn materials_formulas_and_structures_are_identified() {
    let data = file("loops-material.csv", loops("t [s],q [mm],p [kN]", 500, [1e3, 1e-3]));
    let data = data.to_str().expect("UTF-8");
    let found = interfield(&["identify", data, "--element", "bilinear", "--json"]).expect(0).json();
    assert!(found["law"] == "bilinear" && found["not_explained"].as_f64().expect("share") < 0.2, "{found}");
    let block = found["toml"].as_str().expect("block");
    assert!(
        block.contains("type = \"bilinear\"") && block.contains("acts = \"force\"") && block.contains("kN/mm"),
        "{block}"
    );
    let model = |k: f64, fy: f64, e0: f64, c: f64| {
        let (beta, gamma) = (0.6 * k / fy, 0.4 * k / fy);
        format!(
            r#"dofs = ["x"]
units = {{ length = "mm", force = "kN" }}
node = [{{ name = "floor", mass = "40 t" }}, {{ name = "roof", mass = "30 t" }}]
element = [
  {{ type = "bouc-wen", name = "one", nodes = ["ground", "floor"], dof = "x", k = {k}, k2 = 0.8, n = 1, beta = {beta}, gamma = {gamma} }},
  {{ type = "formula", name = "two", nodes = ["floor", "roof"], dof = "x", force = "e1*u + c*v/(1 + abs(v)/200)", parameters = {{ e1 = {e0}, c = {c} }} }},
]
load = [{{ type = "ground", name = "quake", direction = "x", signal = {{ type = "synthetic", peak = "0.3 g" }} }}]
analysis = {{ scheme = "lsrt2", dt = "5 ms", duration = "6 s" }}
record = {{ channels = ["floor.x", "roof.x", "one.force", "two.force", "two.deformation", "quake"] }}
"#
        )
    };
    let truth = file("structure-truth.toml", model(6.0, 60.0, 4.0, 0.05));
    let guess = file("structure-guess.toml", model(4.5, 80.0, 5.5, 0.08));
    let result = truth.with_file_name("structure-truth.h5");
    let (truth, guess, result) =
        (truth.to_str().expect("UTF-8"), guess.to_str().expect("UTF-8"), result.to_str().expect("UTF-8"));
    interfield(&["run", truth, "-o", result]).expect(0);
    let free = "one.k,one.Fy,two.e1,two.c";
    let args = ["identify", result, "--model", guess, "--element", "one,two", "--free", free, "--json"];
    let found = interfield(&args).expect(0).json();
    let parameters = found["parameters"].as_array().expect("parameters");
    for (name, value) in [("one.k", 6.0), ("one.Fy", 60.0), ("two.e1", 4.0), ("two.c", 0.05)] {
        let p = parameters.iter().find(|p| p["name"] == name).expect("parameter");
        assert!((p["value"].as_f64().expect("value") / value - 1.0).abs() < 0.01, "{p}");
    }
    for (args, says) in [
        (&["--element", "one,three"][..], "no element `three`"),
        (&["--element", "one", "--free", "one.m"], "is none of the parameters"),
        (&["--element", "self-centering"], "`self-centring`"),
    ] {
        let mut all = vec!["identify", result];
        if !says.contains("self") {
            all.extend(["--model", guess]);
        }
        let said = interfield(&[&all[..], args].concat()).expect(2);
        assert!(said.stderr.contains(says), "{says}: {}", said.stderr);
    }
}
