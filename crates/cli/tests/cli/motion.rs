//! Ground motions: `interfield motion`, and records in models.

use std::path::Path;
use std::time::Instant;

use super::{BASE, csv, file, interfield, run};

const SIGNAL: &str = "signal = { type = \"synthetic\", peak = \"0.2 g\" }";

/// Two seconds of two sines, in g, every 10 ms.
fn sines() -> Vec<f64> {
    let at = |t: f64| 0.1 * (9.0 * t).sin() * (-t).exp() + 0.05 * (31.0 * t).sin();
    (0..200).map(|i| (at(f64::from(i) * 0.01) * 1e6).round() / 1e6).collect()
}

/// A PEER record of [`sines`].
fn peer() -> String {
    let mut text = "PEER NGA STRONG MOTION DATABASE RECORD\nNowhere, 1/2/1999, Some Station, 090\n\
                    ACCELERATION TIME SERIES IN UNITS OF G\nNPTS=  200, DT=   .0100 SEC\n"
        .to_owned();
    for row in sines().chunks(5) {
        text += &row.iter().map(|a| format!("{a:15.6E}")).collect::<String>();
        text += "\n";
    }
    text
}

/// Arguments of the command with pictures in the folder of temporary files.
fn motion<'a>(path: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["motion", path.to_str().expect("UTF-8"), "--json"];
    args.extend(more);
    args
}

/// The one error of a refused command: line, message and help.
fn refused(args: &[&str], code: i32) -> (Option<u64>, String) {
    let outcome = interfield(args).expect(code);
    let document = outcome.json();
    assert_eq!(document["errors"].as_array().map(Vec::len), Some(1), "{document}");
    let e = &document["errors"][0];
    let (message, help) = (e["message"].as_str().unwrap_or_default(), e["help"].as_str().unwrap_or_default());
    assert!(!help.is_empty() && outcome.stderr.contains(message), "{message} {}", outcome.stderr);
    (e["line"].as_u64(), format!("{message} | {help}"))
}

#[test]
fn a_record_runs_like_the_same_table() {
    let list = sines().iter().map(|a| format!("\"{a} g\"")).collect::<Vec<_>>().join(", ");
    let table = format!("signal = {{ type = \"table\", dt = \"10 ms\", values = [{list}] }}");
    let (_, expected) = run("motion-table", &BASE.replace(SIGNAL, &table), &[]);
    file("motion-run.at2", peer());
    let columns: String = sines().iter().enumerate().map(|(i, a)| format!("{:.2},{a}\n", i as f64 * 0.01)).collect();
    file("motion-run.csv", format!("t [s],a [g]\n{columns}"));
    for (name, path) in [("at2", "motion-run.at2"), ("csv", "motion-run.csv")] {
        let signal = format!("signal = {{ type = \"file\", path = \"{path}\" }}");
        let (_, found) = run(&format!("motion-model-{name}"), &BASE.replace(SIGNAL, &signal), &[]);
        assert_eq!(found.header, expected.header);
        for (a, b) in found.rows.iter().flatten().zip(expected.rows.iter().flatten()) {
            assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{name}: {a} {b}");
        }
    }
    let signal =
        "signal = { type = \"generated\", spectrum = \"ec8\", ag = \"0.1 g\", ground = \"C\", duration = \"10 s\" }";
    let (_, first) = run("motion-generated", &BASE.replace(SIGNAL, signal), &[]);
    let (_, second) = run("motion-generated-2", &BASE.replace(SIGNAL, signal), &[]);
    assert_eq!(first.rows, second.rows);
}

#[test]
fn key_figures() {
    let path = file("motion-figures.at2", peer());
    let found = interfield(&motion(&path, &[])).expect(0).json();
    assert_eq!((&found["format"], &found["quantity"]), (&"PEER AT2".into(), &"acceleration".into()));
    assert_eq!((&found["samples"], &found["dt"]), (&200.into(), &0.01.into()));
    let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key}: {}", found[key]));
    assert!((number("duration") - 1.99).abs() < 1e-12);
    let pga = sines().iter().fold(0.0f64, |m, a| m.max(a.abs()));
    assert!((number("pga_in_g") - pga).abs() < 1e-12 && (number("pga") - 9.80665 * pga).abs() < 1e-12);
    for key in ["pga_time", "pgv", "pgd", "arias", "d5_95", "cav", "mean_period"] {
        assert!(number(key) > 0.0, "{key}");
    }
    assert!(number("d5_95") < 1.99 && number("mean_period") < 1.0);
    assert_eq!(found["header"][1]["key"], "event");
    assert_eq!(found["spectrum"]["psa"].as_array().map(Vec::len), Some(160));
    assert!(
        found["notes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|n| n.as_str().unwrap().contains("baseline correction of order 1"))
    );
    assert!(found["compatibility"].is_null() && found["output"].is_null());
    // The picture has four panels.
    assert_eq!(found["picture"], "interfield-out/motion-figures-motion.svg");
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interfield-out/motion-figures-motion.svg");
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">(d) response spectrum, 5 % damping<"), "{svg}");
    for label in ["acceleration [m/s²]", "velocity [m/s]", "displacement [m]", "PSA [m/s²]", "period [s]"] {
        assert!(svg.contains(label), "{label}");
    }
    // The same for people.
    let text = interfield(&["motion", path.to_str().unwrap(), "--plot", "figures.svg"]).expect(0).stdout;
    for part in ["PEER AT2", "200 every 10 ms", "PGA", "Arias", "D5-95", "CAV", "Some Station", "notes", "figures.svg"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let help = interfield(&["motion", "--help"]).expect(0).stdout;
    assert!(help.contains("interfield motion --generate ec8"), "{help}");
}

#[test]
fn processed_and_written() {
    let path = file("motion-processed.at2", peer());
    let steps = ["--baseline", "1", "--band-pass", "0.5,30", "--resample", "5 ms", "--peak", "0.3g"];
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("motion-processed.csv");
    let written = ["-o", out.to_str().unwrap(), "--plot", "processed.svg", "--damping", "2 %"];
    let found = interfield(&motion(&path, &[&steps[..], &written[..]].concat())).expect(0).json();
    assert!((found["pga_in_g"].as_f64().unwrap() - 0.3).abs() < 1e-12);
    assert_eq!((&found["dt"], &found["spectrum"]["damping"]), (&0.005.into(), &0.02.into()));
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(4), "{}", found["notes"]);
    let table = csv(&out);
    assert_eq!(table.header, ["t [s]", "a [m/s^2]"]);
    assert_eq!(table.rows.len() as u64, found["samples"].as_u64().unwrap());
    // It can be read again, by the command and by a model, and is the same.
    let again = interfield(&motion(&out, &["--plot", "again.svg"])).expect(0).json();
    for key in ["samples", "dt", "pga", "arias", "cav"] {
        assert_eq!(again[key], found[key], "{key}");
    }
    let steps = "baseline = 1, band_pass = [\"0.5 Hz\", \"30 Hz\"], resample = \"5 ms\", peak = \"0.3 g\"";
    let models = [
        "signal = { type = \"file\", path = \"motion-processed.csv\" }".to_owned(),
        format!("signal = {{ type = \"file\", path = \"motion-processed.at2\", {steps} }}"),
    ];
    let [a, b] = models.map(|signal| run("motion-reread", &BASE.replace(SIGNAL, &signal), &[]).1);
    for (a, b) in a.rows.iter().flatten().zip(b.rows.iter().flatten()) {
        assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} {b}");
    }
}

#[test]
fn generated_to_fit() {
    let ec8 = ["motion", "--generate", "ec8", "--ag", "0.25g", "--ground", "B", "--duration", "20", "--json"];
    let with = |seed: &str, out: &str| {
        let more = ["--seed", seed, "-o", out, "--plot", "generated.svg"];
        let found = interfield(&[&ec8[..], &more[..]].concat()).expect(0).json();
        (found, std::fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).join(out)).unwrap())
    };
    let (found, first) = with("3", "generated-a.csv");
    assert_eq!(found["format"], "generated");
    let fit = &found["compatibility"];
    assert!(fit["mean_misfit"].as_f64().unwrap() < 0.1 && fit["verdict"].is_string(), "{fit}");
    assert_eq!(fit["none_below_90_percent"], fit["min_ratio"].as_f64().unwrap() >= 0.9);
    assert_eq!(with("3", "generated-b.csv").1, first, "the same seed gives the same motion");
    assert_ne!(with("4", "generated-c.csv").1, first);
    let asce = ["motion", "--generate", "asce7", "--sds", "1.0 g", "--sd1", "0.6 g", "--plot", "generated.svg"];
    let text = interfield(&asce).expect(0).stdout;
    assert!(text.contains("verdict") && text.contains("of the target"), "{text}");
}

#[test]
fn wrong_command_lines() {
    let path = file("motion-lines.at2", peer());
    let plain = file("motion-plain.txt", "0.1\n0.2\n0.1\n");
    let cases: [(&Path, &[&str], &str); 11] = [
        (&path, &["--peak", "3 mmm"], "unknown unit `mmm`"),
        (&path, &["--peak", "0"], "--peak must be greater than zero"),
        (&path, &["--unit", "kN"], "found force"),
        (&path, &["--dt", "-1"], "--dt must be greater than zero"),
        (&path, &["--band-pass", "1"], "two frequencies"),
        (&path, &["--band-pass", "1,500"], "--band-pass: "),
        (&path, &["--resample", "1 h"], "--resample: "),
        (&path, &["--damping", "5"], "5 % of critical"),
        (&path, &["-o", path.to_str().unwrap()], "is the record itself"),
        (&path, &["-o", "x.csv", "--plot", "x.csv"], "both record and plot"),
        (&plain, &["--unit", "g"], "give --dt"),
    ];
    for (path, more, expected) in cases {
        let (_, message) = refused(&motion(path, more), 2);
        assert!(message.contains(expected), "{more:?}: {message}");
    }
    let absurd = file("motion-absurd.csv", "t [s],a [g]\n0,1e300\n0.01,-1e300\n0.02,1e300\n0.03,1e300\n");
    assert!(refused(&motion(&absurd, &[]), 2).1.contains("are too large for a ground motion"));
    let (_, message) = refused(&motion(&plain, &["--dt", "0.01"]), 2);
    assert!(message.contains("no unit is given") && message.contains("--unit"), "{message}");
    for (more, expected) in [
        (&["--generate", "ec8"][..], "--ag is missing"),
        (&["--generate", "ec8", "--ag", "0.2g", "--ground", "F"], "no ground type `F`"),
        (&["--generate", "ec8", "--ag", "0.2g", "--sds", "1g"], "--sds cannot be used"),
        (&["--generate", "asce7", "--sds", "1g", "--sd1", "1g", "--damping", "0.1"], "5 % damping"),
        (&["--generate", "ec8", "--ag", "0.2g", "--duration", "1 h"], "at most 40000 samples"),
    ] {
        let (_, message) = refused(&[&["motion", "--json"], more].concat(), 2);
        assert!(message.contains(expected), "{more:?}: {message}");
    }
    for args in [&["motion", "--json"][..], &["motion", "a.at2", "--generate", "ec8", "--json"]] {
        interfield(args).expect(2).json();
    }
    assert!(refused(&motion(&path, &["-o", "/proc/nowhere/x.csv"]), 1).1.contains("cannot be written"));
}

#[test]
fn records_that_are_no_records() {
    let (_, message) = refused(&["motion", "nowhere.at2", "--json"], 1);
    assert!(message.contains("`nowhere.at2` does not exist"), "{message}");
    assert!(refused(&["motion", "/", "--json"], 1).1.contains("is a folder"));
    let words = file("motion-words.at2", peer().replacen("E-2", "x", 1));
    let cut = file("motion-cut.at2", peer().lines().take(20).collect::<Vec<_>>().join("\n"));
    let zip = file("motion-zip.at2", b"PK\x03\x04\x00\x00");
    let binary = file("motion-binary.csv", [b"t,a\n0,1\n0.01,2\n".as_slice(), &[0, 1, 2, 255]].concat());
    let line_of_signal = BASE.lines().position(|l| l == SIGNAL).expect("a signal") as u64 + 1;
    let cases = [(&words, Some(5)), (&cut, Some(20)), (&zip, None), (&binary, Some(4))];
    let parts = ["line 5: ", "states 200 values", "a ZIP archive", "line 4: "];
    for ((path, line), part) in cases.into_iter().zip(parts) {
        let (found, message) = refused(&motion(path, &[]), 2);
        assert!(found == line && message.contains(part), "{message} at {found:?}");
        // The same in a model: at the path, with the line of the record in the message.
        let name = path.file_name().unwrap().to_str().unwrap();
        let model = BASE.replace(SIGNAL, &format!("signal = {{ type = \"file\", path = \"{name}\" }}"));
        let model = file(&format!("{name}.toml"), model);
        let (found, message) = refused(&["run", model.to_str().unwrap(), "--json", "-o", "motion.csv"], 2);
        assert!(found == Some(line_of_signal) && message.contains(part), "{message} at {found:?}");
    }
}

#[test]
fn files_of_absurd_size() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("motion-huge.csv");
    std::fs::File::create(&path).unwrap().set_len(2 << 30).unwrap();
    let start = Instant::now();
    let (_, message) = refused(&motion(&path, &[]), 1);
    assert!(message.contains("has 2048 MB, more than the 128 MB"), "{message}");
    let model = BASE.replace(SIGNAL, "signal = { type = \"file\", path = \"motion-huge.csv\" }");
    let model = file("motion-huge.toml", model);
    let (_, message) = refused(&["run", model.to_str().unwrap(), "--json", "-o", "motion.csv"], 2);
    assert!(message.contains("has 2048 MB, more than the 128 MB"), "{message}");
    let model = file("motion-missing.toml", BASE.replace(SIGNAL, "signal = { type = \"file\", path = \"no.at2\" }"));
    let (_, message) = refused(&["run", model.to_str().unwrap(), "--json", "-o", "motion.csv"], 2);
    assert!(message.contains("`no.at2`: does not exist"), "{message}");
    if Path::new("/dev/zero").exists() {
        let (_, message) = refused(&["motion", "/dev/zero", "--json"], 1);
        assert!(message.contains("has more than the 32 MB"), "{message}");
    }
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    std::fs::remove_file(path).unwrap();
}
