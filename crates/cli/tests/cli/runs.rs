//! `interfield run`: results, reports, overrides, units, and runs that do not reach their end.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{BASE, csv, file, first, interfield, models, program, run};

fn channel<'a>(summary: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    summary["channels"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap()
}

#[test]
fn every_model_of_the_repository_runs() {
    let mut count = 0;
    for entry in std::fs::read_dir(models()).unwrap() {
        let model = entry.unwrap().path();
        if model.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let stem = model.file_stem().unwrap().to_str().unwrap();
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("model-{stem}.csv"));
        let until = first(&model, "0.2 s");
        let model = model.to_str().unwrap();
        let mut args = vec!["run", model, "--json", "-o", out.to_str().unwrap()];
        args.extend(&until);
        let ran = interfield(&args);
        let summary = ran.json();
        // In so short a test there is more noise than motion: its laboratory says so.
        let failed = summary["verdict"] == "failed";
        ran.expect(if failed { 3 } else { 0 });
        assert!(!failed || summary["laboratory"][0]["verdict"] == "failed", "{model}: {}", summary["reasons"]);
        let results = csv(&out);
        let (last, channels) = (results.rows.last().unwrap(), summary["channels"].as_array().unwrap());
        assert_eq!(results.header[0], "t [s]");
        assert_eq!(results.header.len(), channels.len() + 1);
        // A step that does not divide the duration does not go beyond it.
        let left = 0.2 - last[0];
        assert!(until.is_empty() || left > -1e-12 && left < summary["dt"].as_f64().unwrap(), "{model}: {left}");
        for (i, c) in channels.iter().enumerate() {
            let header = format!("{} [{}]", c["name"].as_str().unwrap(), c["unit"].as_str().unwrap());
            assert_eq!(results.header[i + 1], header);
            // Full precision: text and back gives the same number.
            assert_eq!(c["final"].as_f64().unwrap(), last[i + 1], "{model}: {header}");
            // Extremes are those of all steps, of which this model records every fourth.
            let all = stem != "viaduct";
            let column = results.rows.iter().map(|r| r[i + 1]);
            let (least, most) = column.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            let (min, max) = (c["min"].as_f64().unwrap(), c["max"].as_f64().unwrap());
            assert!(min <= least && max >= most && (!all || (min, max) == (least, most)), "{model}: {header}");
        }
        count += 1;
    }
    assert!(count >= 7, "{count} models");
}

/// The summary of the base model with one piece of text replaced.
fn summary_of(name: &str, piece: &str, becomes: &str) -> serde_json::Value {
    assert!(BASE.contains(piece), "{piece}");
    let model = file(&format!("{name}.toml"), BASE.replacen(piece, becomes, 1));
    interfield(&["run", model.to_str().unwrap(), "--json", "-o", &format!("{name}.csv")]).expect(0).json()
}

#[test]
fn one_frequency_in_all_its_units() {
    let peak = |frequency: &str| {
        let signal = format!("signal = {{ type = \"harmonic\", amplitude = \"0.1 g\", {frequency} }}");
        let summary = summary_of("frequency", "signal = { type = \"synthetic\", peak = \"0.2 g\" }", &signal);
        channel(&summary, "roof.x")["max"].as_f64().unwrap()
    };
    let expected = peak("frequency = 2");
    for same in [
        "frequency = \"2 Hz\"",
        "frequency = \"120 rpm\"",
        "frequency = \"12.566370614359172 rad/s\"",
        "frequency = \"720 deg/s\"",
        "omega = \"2 Hz\"",
        "omega = \"2e-3 kHz\"",
        "omega = \"120 rpm\"",
        "omega = \"2 rev/s\"",
        "omega = \"2*pi*2 Hz\"",
        "omega = 12.566370614359172",
    ] {
        let found = peak(same);
        assert!((found / expected - 1.0).abs() < 1e-9, "{same}: {found} instead of {expected}");
    }
}

#[test]
fn an_actuator_is_as_fast_in_rad_per_second_as_in_hertz() {
    let run = |frequency: &str| {
        let more = format!(
            "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[[specimen.actuator]]\ntype = \"second-order\"\n\
             frequency = \"{frequency}\"\ndamping = 0.7\n[record]"
        );
        channel(&summary_of("actuator", "[record]", &more), "roof.x")["max"].as_f64().unwrap()
    };
    let (hertz, angular, minute) = (run("25 Hz"), run("157.07963267948966 rad/s"), run("1500 rpm"));
    assert!((angular / hertz - 1.0).abs() < 1e-9 && (minute / hertz - 1.0).abs() < 1e-9, "{hertz} {angular} {minute}");
}

#[test]
fn the_motion_of_a_support_does_not_depend_on_the_duration() {
    // s'' = sin(20 t): s(5) = 5/20 - sin(100)/400.
    let exact = 0.25 - 100f64.sin() / 400.0;
    for duration in [5, 60, 600] {
        let text = format!(
            "dofs = [\"x\"]\nnode = [{{ name = \"s\" }}, {{ name = \"a\", mass = 1 }}]\n\
             element = [{{ type = \"spring\", nodes = [\"s\", \"a\"], dof = \"x\", k = 100, c = 1 }}]\n\
             load = [{{ type = \"imposed\", at = \"s.x\", acceleration = {{ type = \"formula\", value = \"sin(20*t)\" }} }}]\n\
             analysis = {{ dt = 0.01, duration = {duration} }}\nrecord = {{ channels = [\"s.x\"] }}\n"
        );
        let model = file(&format!("support-{duration}.toml"), text);
        let out = model.with_extension("csv");
        interfield(&["run", model.to_str().unwrap(), "--json", "-o", out.to_str().unwrap()]).expect(0);
        let results = csv(&out);
        let found = results.rows[500][1];
        assert!((found - exact).abs() < 1e-10, "{duration} s: {found} instead of {exact}");
    }
}

#[test]
fn extremes_do_not_depend_on_what_is_recorded() {
    let all = summary_of("every-1", "[record]", "[record]\nevery = 1");
    let some = summary_of("every-17", "[record]", "[record]\nevery = 17");
    for name in ["roof.x", "storey1.force", "quake"] {
        for key in ["min", "max", "peak", "peak_time"] {
            assert_eq!(channel(&all, name)[key], channel(&some, name)[key], "{name} {key}");
        }
    }
}

#[test]
fn a_run_ends_with_its_last_whole_step() {
    let model = file("whole-steps.toml", BASE.replace("dt = \"10 ms\"", "dt = \"30 ms\""));
    let outcome = interfield(&["run", model.to_str().unwrap(), "-o", "whole-steps.csv"]).expect(0);
    assert!(outcome.stdout.contains("33 steps to 0.99 s"), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("does not divide the duration of 1 s: the run ends at 0.99 s"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("dt = \"1 s/34\""), "{}", outcome.stderr);
    let again = file("whole-steps-2.toml", BASE.replace("dt = \"10 ms\"", "dt = \"1 s/34\""));
    let outcome = interfield(&["run", again.to_str().unwrap(), "-o", "whole-steps.csv"]).expect(0);
    assert!(outcome.stdout.contains("34 steps to 1 s") && !outcome.stderr.contains("divide"), "{}", outcome.stderr);
}

#[test]
fn the_example_without_arguments() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example");
    // A test takes the next number where another has been.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let output = program().current_dir(&folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("finished: ") && text.contains("isolated-building.html"), "{text}");
    assert!(text.contains("verdict: good: tracking error"), "{text}");
    assert!(text.ends_with("\nverdict: good\n"), "{text}");
    let results = folder.join("interfield-out/isolated-building.h5");
    let shown = interfield(&["show", results.to_str().unwrap(), "--json"]).expect(0).json();
    assert_eq!((shown["outcome"].as_str(), shown["rows"].as_u64()), (Some("finished; verdict: good"), Some(12_501)));
    let page = std::fs::read_to_string(folder.join("interfield-out/isolated-building.html")).unwrap();
    assert!(
        page.contains("data:image/svg+xml")
            && page.contains("hysteresis")
            && !page.contains("http://www.w3.org/1999/xlink")
    );
    assert!(
        page.contains(">Laboratory<") && page.contains("isolators: good: tracking error"),
        "the verdict on the test"
    );
}

#[test]
fn settings_on_the_command_line() {
    let (base, _) = run("settings", BASE, &[]);
    let peak = |s: &serde_json::Value| channel(s, "roof.x")["peak"].as_f64().unwrap();
    let (set, _) = run("settings", BASE, &["--set", "k=8"]);
    let (text, _) = run("settings", BASE, &["--set", "k=8 MN/m"]);
    assert!(peak(&set) != peak(&base));
    assert!((peak(&set) / peak(&text) - 1.0).abs() < 1e-12, "8 in the units of the file is 8 kN/mm = 8 MN/m");
    let (other, results) = run("settings", BASE, &["--scheme", "newmark", "--dt", "5 ms", "--until", "500 ms"]);
    assert_eq!((other["scheme"].as_str(), other["steps"].as_u64()), (Some("newmark"), Some(100)));
    assert_eq!(results.rows.len(), 101);
    let (_, thin) = run("settings", &format!("{BASE}every = 30\n"), &[]);
    let times: Vec<f64> = thin.rows.iter().map(|r| r[0]).collect();
    assert_eq!(times.len(), 5, "0, 30, 60, 90 and the last step: {times:?}");
}

/// The same structure in N-m-s and in kN-mm-s.
#[test]
fn units_do_not_change_the_physics() {
    let si = BASE
        .replace("[units]\nlength = \"mm\"\nforce = \"kN\"\n", "")
        .replace("\"4 kN/mm\"", "4e6")
        .replace("\"20 t\"", "20e3");
    let mm = BASE.replace("\"4 kN/mm\"", "4").replace("\"20 t\"", "0.02");
    assert!(si != BASE && mm != BASE);
    let ((_, si), (_, mm)) = (run("si", &si, &[]), run("mm", &mm, &[]));
    assert_eq!(si.header, ["t [s]", "roof.x [m]", "storey1.force [N]", "quake [m/s^2]"]);
    assert_eq!(mm.header, ["t [s]", "roof.x [mm]", "storey1.force [kN]", "quake [mm/s^2]"]);
    let largest: Vec<f64> = (1..4).map(|i| mm.rows.iter().fold(0.0f64, |m, r| m.max(r[i].abs()))).collect();
    for (a, b) in si.rows.iter().zip(&mm.rows) {
        for (i, factor) in [(1, 1e3), (2, 1e-3), (3, 1e3)] {
            assert!((a[i] * factor - b[i]).abs() < 1e-11 * largest[i - 1], "{a:?} {b:?}");
        }
    }
}

/// A force that stops being a number in the middle of the run.
#[test]
fn a_fault_keeps_what_was_there() {
    let formula = "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\n";
    let spring = "type = \"spring\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = \"k\"\n";
    let law = BASE.replace(spring, &format!("{formula}force = \"k*u + log(0.505 - t)\"\n"));
    let load = BASE
        .replace("{ type = \"synthetic\", peak = \"0.2 g\" }", "{ type = \"formula\", value = \"sqrt(0.505 - t)\" }");
    for (name, text, reason) in [("law", law, "`storey2`"), ("load", load, "not finite")] {
        let model = file(&format!("fault-{name}.toml"), text);
        let (out, page) = (model.with_extension("csv"), model.with_extension("html"));
        let args =
            ["run", model.to_str().unwrap(), "--json", "-o", out.to_str().unwrap(), "--report", page.to_str().unwrap()];
        let outcome = interfield(&args).expect(3);
        let summary = outcome.json();
        assert_eq!((&summary["ended"], &summary["verdict"]), (&"fault".into(), &"failed".into()));
        let why = summary["reason"].as_str().unwrap();
        assert!(why.contains("at t = 0.5") && (why.contains(reason) || why.contains("NaN")), "{why}");
        assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
        let rows = csv(&out).rows;
        assert!((50..=51).contains(&rows.len()), "{} rows", rows.len());
        assert!(std::fs::read_to_string(&page).unwrap().contains("results up to there are kept"));
    }
}

/// Ctrl-C in the middle of a long run.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_was_there() {
    let model = file("long.toml", BASE);
    let (out, page) = (model.with_extension("csv"), model.with_extension("html"));
    let args = ["run", model.to_str().unwrap(), "--json", "--until", "1e5 s", "-o", out.to_str().unwrap()];
    for signal in ["-INT", "-TERM"] {
        let _ = std::fs::remove_file(&out);
        let mut command = program();
        command.args(args).args(["--report", page.to_str().unwrap()]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let start = Instant::now();
        while std::fs::metadata(&out).map_or(0, |m| m.len()) < 100_000 {
            assert!(start.elapsed() < Duration::from_secs(30), "nothing is written");
            std::thread::sleep(Duration::from_millis(5));
        }
        let killed = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&summary["ended"], &summary["verdict"]), (&"interrupted".into(), &"doubtful".into()));
        let rows = csv(&out).rows;
        assert_eq!(rows.len() as u64, summary["steps"].as_u64().unwrap() + 1, "the beginning and every step are there");
        assert!(std::fs::read_to_string(&page).unwrap().contains("interrupted"));
    }
}

#[test]
fn a_partitioned_run_tells_how_well_it_held_together() {
    let model = models().join("isolated-building.toml");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("partitioned-quality");
    std::fs::create_dir_all(&folder).unwrap();
    let (out, page) = (folder.join("a.h5"), folder.join("a.html"));
    let run = |extra: &[&str]| {
        let mut args = vec!["run", model.to_str().unwrap(), "--json", "-o", out.to_str().unwrap()];
        args.extend_from_slice(extra);
        interfield(&args).expect(0).json()
    };
    let document = run(&["--report", page.to_str().unwrap()]);
    let coupling = &document["coupling"];
    assert_eq!(coupling["method"], "pmc");
    assert_eq!(coupling["substructures"][1]["side"], "fine");
    let cut = &coupling["cuts"][0];
    assert_eq!(cut["dof"], "slab.x");
    assert!(cut["gap_v"].as_f64().unwrap() < 1e-12);
    assert!(cut["gap_u"].as_f64().unwrap() < 1e-4 * cut["displacement"].as_f64().unwrap());
    // The isolated building answers with about a third of a hertz.
    let main = cut["force_spectrum_peaks"][0]["frequency"].as_f64().unwrap();
    assert!(main > 0.1 && main < 1.0, "{main} Hz");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Interface") && page.contains("interface force"), "the cut is in the report");

    // On two threads the same bits; with another coupling nearly the same motion; in one piece no coupling at all.
    let peak = |document: &serde_json::Value| document["channels"][0]["peak"].as_f64().unwrap();
    assert_eq!(run(&["--threads"])["channels"], document["channels"]);
    let other = run(&["--coupling", "foh"]);
    assert_eq!(other["coupling"]["method"], "foh");
    assert!((peak(&other) / peak(&document) - 1.0).abs() < 2e-3);
    let whole = run(&["--whole"]);
    assert!(whole.get("coupling").is_none());
    assert!((peak(&whole) / peak(&document) - 1.0).abs() < 2e-3);
}
