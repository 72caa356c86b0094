//! The frequency domain: modes of parts, frequency response functions, spectra with natural frequencies marked.

use std::path::Path;

use super::{BASE, file, interfield, models};

fn refusal(args: &[&str]) -> String {
    let outcome = interfield(&[args, &["--json"]].concat()).expect(2);
    let error = outcome.json()["errors"][0].clone();
    format!("{} | {}", error["message"].as_str().unwrap_or_default(), error["help"].as_str().unwrap_or_default())
}

fn model(name: &str) -> String {
    models().join(name).display().to_string()
}

#[test]
fn parts_have_modes_of_their_own() {
    // Table 2 of Abbiati et al.: the specimens by themselves with a thousandth of the deck.
    let bridge = model("rio-torto-isolated.toml");
    let printed = [2.36, 3.56, 135.82, 174.67];
    let specimens = interfield(&["modes", &bridge, "--part", "specimens", "--set", "m_f=0.001", "--json"]).expect(0);
    let of = |document: &serde_json::Value| -> Vec<f64> {
        document["modes"].as_array().unwrap().iter().map(|m| m["frequency"].as_f64().unwrap()).collect()
    };
    let alone = of(&specimens.json());
    assert_eq!((alone.len(), specimens.json()["part"].as_str()), (4, Some("specimens")));
    assert!(alone.iter().zip(printed).all(|(f, p)| (f / p - 1.0).abs() < 0.002), "{alone:?}");
    let all =
        interfield(&["modes", &bridge, "--parts", "--count", "4", "--set", "m_f=0.001", "--json"]).expect(0).json();
    assert_eq!(of(&all["parts"][1]), alone);
    assert_eq!(of(&all["coupled"]), of(&interfield(&["modes", &bridge, "--count", "4", "--json"]).expect(0).json()));
    let table = interfield(&["modes", &bridge, "--parts", "--set", "m_f=0.001"]).expect(0).stdout;
    assert!(table.contains("unknowns: coupled 88, bridge 86, specimens 4"), "{table}");
    assert!(table.contains("135.68") && table.lines().all(|l| l.chars().count() <= 80), "{table}");
    let wrong = refusal(&["modes", &bridge, "--part", "specimen"]);
    assert!(wrong.contains("no substructure `specimen`") && wrong.contains("did you mean `specimens`?"), "{wrong}");
    let whole = file("frf-whole.toml", BASE);
    let wrong = refusal(&["modes", whole.to_str().unwrap(), "--parts"]);
    assert!(wrong.contains("in one piece") && wrong.contains("[[substructure]]"), "{wrong}");
}

#[test]
fn frequency_responses_have_units_and_the_static_limit() {
    // Two storeys of 4 kN/mm: the roof moves by 0.25 mm and 0.25 mm under 1 kN.
    let base = file("frf-base.toml", BASE);
    let base = base.to_str().unwrap();
    let low = ["--from", "1 mHz", "--to", "0.01", "--points", "3"];
    let run = |more: &[&str]| interfield(&[&["frf", base, "--json"], more, &low].concat()).expect(0).json();
    let first = |document: &serde_json::Value| document["curves"][0]["magnitude"][0].as_f64().unwrap();
    let found = run(&["--at", "roof.x"]);
    assert_eq!(found["curves"][0]["units"]["magnitude"], "mm/kN");
    assert!((first(&found) - 0.5).abs() < 1e-5, "{}", first(&found));
    let cross = run(&["--at", "roof.x", "--force", "floor.x"]);
    assert!((first(&cross) - 0.25).abs() < 1e-5, "{}", first(&cross));
    let fast = run(&["--at", "roof.x", "--quantity", "accelerance"]);
    assert_eq!(fast["curves"][0]["units"]["magnitude"], "mm/s^2/kN");
    let omega2 = (std::f64::consts::TAU * 1e-3f64).powi(2);
    assert!((first(&fast) / (0.5 * omega2) - 1.0).abs() < 1e-4, "{}", first(&fast));
    let wrong = refusal(&["frf", base]);
    assert!(wrong.contains("has no interface") && wrong.contains("--at"), "{wrong}");
    assert!(refusal(&["frf", base, "--at", "rof.x"]).contains("did you mean `roof.x`?"));
    assert!(refusal(&["frf", base, "--at", "roof.x", "--from", "5", "--to", "2 Hz"]).contains("is not below"));
    interfield(&["frf", base, "--at", "roof.x", "--from", "-1 Hz"]).expect(2);
}

#[test]
fn frequency_responses_of_parts_are_written_and_drawn() {
    let (csv, svg) = (file("frf.csv", ""), file("frf.svg", ""));
    let three = model("three-dof.toml");
    let args = ["frf", &three, "-o", csv.to_str().unwrap(), "--plot", svg.to_str().unwrap()];
    let table = interfield(&args).expect(0).stdout;
    assert!(table.contains("joint.rz under a moment at joint.rz, magnitude in rad/(N*m)"), "{table}");
    assert!(table.contains("unbounded") && table.lines().all(|l| l.chars().count() <= 80), "{table}");
    let text = std::fs::read_to_string(&csv).unwrap();
    let columns: Vec<usize> = text.lines().map(|l| l.matches(',').count()).collect();
    // Magnitude and phase of three bodies at two degrees of freedom; the names have no comma before the phase.
    assert!(text.starts_with("frequency [Hz],\"coupled joint.y under a force at joint.y [m/N]\""), "{text:.200}");
    assert!(columns.len() > 400 && columns[1..].iter().all(|n| *n == 12));
    assert!(std::fs::read_to_string(&svg).unwrap().contains("B frequencies"));
    let only = interfield(&["frf", &three, "--part", "B", "--json"]).expect(0).json();
    assert!(only["curves"].as_array().unwrap().iter().all(|c| c["of"] == "B"), "{only}");
    // A force outside of a part does not move it.
    let wrong = refusal(&["frf", &three, "--part", "A", "--at", "end.y"]);
    assert!(wrong.contains("`end.y`: no part that is asked for can move there"), "{wrong}");
}

/// Runs a model of `models/` into a result.
fn result(name: &str, more: &[&str]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.h5")).display().to_string();
    interfield(&[&["run", &model("split-mass.toml"), "-o", &path], more].concat()).expect(0);
    path
}

#[test]
fn spectra_know_the_frequencies_of_the_model() {
    let whole = result("spectrum-whole", &["--whole", "--until", "20 s"]);
    let parts = result("spectrum-parts", &["--set", "b1=0.25", "--until", "20 s"]);
    let plot = |args: &[&str]| interfield(&[&["plot", "-o", "spectrum.svg"], args].concat());
    let marked = ["-c", "mass.x", "--spectrum", "fourier", "--mark-modes", "--taper"];
    let found = plot(&[&[parts.as_str(), "--json"], &marked[..]].concat()).expect(0).json();
    let rows = found["panels"][0]["natural_frequencies"].as_array().unwrap().clone();
    // A has a fifth of the mass and four fifths of the stiffness.
    let of = |name: &str| rows.iter().find(|r| r["of"] == name).unwrap()["frequency"].as_f64().unwrap();
    let tau = std::f64::consts::TAU;
    assert!((of("coupled") * tau - 1.0).abs() < 1e-9 && (of("A") * tau - 2.0).abs() < 1e-9, "{rows:?}");
    assert!((of("B") * tau - 0.5).abs() < 1e-9);
    // The motion is that of the coupled structure.
    let at = |name: &str| rows.iter().find(|r| r["of"] == name).unwrap()["amplitudes"][0].as_f64().unwrap();
    assert!(at("coupled") > 5.0 * at("A"), "{rows:?}");
    let both = plot(&[&[parts.as_str(), &whole], &marked[..]].concat()).expect(0).stdout;
    assert!(both.contains("lines 0.049975 Hz apart"), "{both}");
    // The difference from itself is nothing; from another run it is an error.
    let none = plot(&[&parts, "--minus", &parts, "-c", "mass.x", "--json"]).expect(0).json();
    assert_eq!(none["panels"][0]["y"], "Δ mass.x [m]");
    plot(&[&parts, "-c", "mass.x", "--minus", "moon.h5"]).expect(1);
    plot(&[&parts, "-c", "mass.x", "--mark-modes"]).expect(2);
}
