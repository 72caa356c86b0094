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
