//! Many runs of a model: the same bytes whatever the threads and interruptions, every outcome counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use super::{BASE, file, interfield, program};

/// The base model with a peak to vary, and its deformation recorded.
fn model(name: &str) -> PathBuf {
    let text = BASE
        .replace("k = \"4 kN/mm\"", "k = \"4 kN/mm\"\npeak = \"0.2 g\"\nm = \"10 t\"")
        .replace("mass = \"10 t\"", "mass = \"m\"")
        .replace("peak = \"0.2 g\" }", "peak = \"peak\" }")
        .replace("duration = \"1 s\"", "duration = \"4 s\"")
        .replace("\"quake\"]", "\"quake\", \"storey1.deformation\"]");
    file(&format!("{name}.toml"), text)
}

/// A fresh folder.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn arguments<'a>(model: &'a Path, out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["ensemble", model.to_str().unwrap(), "-o", out.to_str().unwrap()];
    args.extend(more);
    args
}

fn ensemble(model: &Path, out: &Path, more: &[&str]) -> Value {
    interfield(&arguments(model, out, &[more, &["--json"]].concat())).expect(0).json()
}

/// All files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |e: std::fs::DirEntry| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap());
    std::fs::read_dir(folder).unwrap().map(|e| file(e.unwrap())).collect()
}

fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (contents(a), contents(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}

const GRID: [&str; 6] =
    ["--set", "peak=0.1 g..0.4 g:4", "--set", "k=2 kN/mm, 5 kN/mm", "--draw", "m~normal(10 t, 10 %)"];

#[test]
fn the_files_do_not_depend_on_the_threads() {
    let model = model("ensemble-threads");
    let limit = ["--exceeds", "storey1.deformation > 30 mm", "--sample", "5"];
    let folders = ["1", "2", "7"].map(|threads| {
        let out = folder(&format!("ensemble-threads-{threads}"));
        let found = ensemble(&model, &out, &[&GRID[..], &limit, &["--threads", threads]].concat());
        assert_eq!((&found["runs"], &found["finished"]), (&40.into(), &40.into()));
        out
    });
    let names: Vec<String> = contents(&folders[0]).into_keys().collect();
    for name in
        ["bands-roof_x.svg", "bands.h5", "ensemble.json", "fragility.svg", "index.html", "journal.bin", "runs.csv"]
    {
        assert!(names.iter().any(|n| n == name), "{name} is missing: {names:?}");
    }
    assert_same(&folders[0], &folders[1]);
    assert_same(&folders[0], &folders[2]);
}

#[test]
fn a_kill_costs_nothing_but_the_runs_that_were_under_way() {
    let model = model("ensemble-kill");
    // Long enough to be killed in between.
    let args = ["--set", "k=2 kN/mm..6 kN/mm:40", "--dt", "0.2 ms", "--until", "4 s"];
    let whole = folder("ensemble-kill-whole");
    ensemble(&model, &whole, &[&args[..], &["--threads", "1"]].concat());
    let out = folder("ensemble-kill");
    let journal = out.join("journal.bin");
    let length = || std::fs::metadata(&journal).map_or(0, |m| m.len());
    let total = std::fs::metadata(whole.join("journal.bin")).unwrap().len();
    for share in [0, 2, 5, 7] {
        let mut child = program()
            .args(arguments(&model, &out, &args))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        while length() <= total * share / 10 && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!out.join("ensemble.json").exists(), "it was killed before its end");
        // What a kill in the middle of a write leaves behind.
        let mut bytes = std::fs::read(&journal).unwrap();
        bytes.extend(&bytes.clone()[bytes.len() / 2..bytes.len() * 3 / 4]);
        std::fs::write(&journal, bytes).unwrap();
    }
    let found = ensemble(&model, &out, &args);
    let now = found["runs_now"].as_u64().unwrap();
    assert!((1..40).contains(&now), "{now} of 40 runs were left");
    assert_same(&whole, &out);
}

#[test]
fn cases_stand_in_the_order_of_the_grid_and_each_is_what_run_gives() {
    let model = model("ensemble-grid");
    let out = folder("ensemble-grid");
    ensemble(&model, &out, &["--set", "k=2 kN/mm, 5 kN/mm", "--set", "peak=0.1 g..0.3 g:3"]);
    let study: Value = serde_json::from_slice(&std::fs::read(out.join("ensemble.json")).unwrap()).unwrap();
    let cases = study["cases"].as_array().unwrap();
    let expected: Vec<(&str, &str)> =
        ["2 kN/mm", "5 kN/mm"].into_iter().flat_map(|k| ["0.1 g", "0.2 g", "0.3 g"].map(|p| (k, p))).collect();
    assert_eq!(cases.len(), expected.len());
    for (case, (k, peak)) in cases.iter().zip(expected) {
        assert_eq!((case["values"]["k"].as_str(), case["values"]["peak"].as_str()), (Some(k), Some(peak)));
        let set = [format!("k={k}"), format!("peak={peak}")];
        let csv = out.join("one.csv");
        let path = csv.to_str().unwrap();
        let args = ["run", model.to_str().unwrap(), "--json", "--output", path, "--set", &set[0], "--set", &set[1]];
        let run = interfield(&args).expect(0).json();
        for channel in run["channels"].as_array().unwrap() {
            let found = &case["channels"][channel["name"].as_str().unwrap()];
            for figure in ["peak", "min", "max", "final", "peak_time"] {
                assert_eq!(found[figure], channel[figure], "{k} {peak} {} {figure}", channel["name"]);
            }
        }
        let pga = case["motion_in_g"]["pga"].as_f64().unwrap();
        assert!((pga - peak[..3].parse::<f64>().unwrap()).abs() < 1e-12, "{pga}");
    }
    let table = std::fs::read_to_string(out.join("runs.csv")).unwrap();
    assert!(table.starts_with("run,k [kN/mm],peak [g],outcome,reason,pga [g],roof.x peak [mm],"), "{table}");
    assert_eq!(table.lines().count(), 7);
}

#[test]
fn records_replace_the_motion_and_are_scaled() {
    let model = model("ensemble-records");
    let records = folder("ensemble-records-in");
    std::fs::create_dir_all(&records).unwrap();
    for (name, period) in [("b.csv", 0.5), ("a.csv", 1.0)] {
        let sample = |i: i32| {
            let t = 0.01 * f64::from(i);
            format!("{t},{}\n", (std::f64::consts::TAU * t / period).sin())
        };
        let text: String = (0..300).map(sample).collect();
        std::fs::write(records.join(name), format!("t [s],a [m/s^2]\n{text}")).unwrap();
    }
    let out = folder("ensemble-records-out");
    let args = ["--records", records.to_str().unwrap(), "--scale-to", "0.1 g, 0.3 g", "--intensity", "sa(0.5 s)"];
    let found = ensemble(&model, &out, &[&args[..], &["--exceeds", "roof.x > 20 mm"]].concat());
    assert_eq!(found["fragility"][0]["stripes"].as_array().unwrap().len(), 4, "{found:#}");
    let study: Value = serde_json::from_slice(&std::fs::read(out.join("ensemble.json")).unwrap()).unwrap();
    let rows: Vec<(String, f64, f64, f64)> = study["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| {
            let g = |name: &str| c["motion_in_g"][name].as_f64().unwrap();
            let peak = c["channels"]["quake"]["peak"].as_f64().unwrap();
            (c["values"]["record"].as_str().unwrap().to_owned(), g("pga"), g("sa(0.5 s)"), peak.abs())
        })
        .collect();
    let names: Vec<(&str, i64)> = rows.iter().map(|r| (r.0.as_str(), (r.1 * 1e6).round() as i64)).collect();
    assert_eq!(names, [("a.csv", 100_000), ("a.csv", 300_000), ("b.csv", 100_000), ("b.csv", 300_000)]);
    // Spectral accelerations scale with the peak; the record at the period of the oscillator resonates.
    assert!((rows[1].2 / rows[0].2 - 3.0).abs() < 1e-9 && rows[2].2 > 3.0 * rows[0].2, "{rows:?}");
    // What is recorded of the load is the scaled record, in mm/s^2.
    assert!((rows[3].3 / (0.3 * 9806.65) - 1.0).abs() < 1e-9, "{rows:?}");
    // One record after the other, not both: other names are other studies.
    let missing = interfield(&arguments(&model, &out, &["--records", "nowhere.at2"])).expect(1);
    assert!(missing.stderr.contains("`nowhere.at2` cannot be read"), "{}", missing.stderr);
}

#[test]
fn a_run_that_fails_is_counted_and_the_others_go_on() {
    let model = model("ensemble-faults");
    // Explicit and far beyond its stability limit: the motion grows until it is no number.
    let wild = ["--scheme", "newmark", "--param", "beta=0", "--set", "k=4 kN/mm, 4e9 kN/mm", "--set", "m=10 t, -1 t"];
    let out = folder("ensemble-faults");
    let found = ensemble(&model, &out, &[&wild[..], &["--exceeds", "roof.x > 1 m"]].concat());
    let counts = ["runs", "finished", "faults", "refused"].map(|k| found[k].as_u64().unwrap());
    assert_eq!(counts, [4, 1, 1, 2], "{found:#}");
    let reasons: Vec<&str> =
        found["failures"].as_array().unwrap().iter().map(|f| f["reason"].as_str().unwrap()).collect();
    assert!(reasons.iter().any(|r| r.contains("negative mass")), "{reasons:?}");
    // The one that grew had exceeded the limit before it stopped; nothing is known of those that never began.
    assert_eq!(found["fragility"][0]["unknown"], 2);
    assert_eq!(found["channels"][0]["peak"]["runs"], 1);
    let text = interfield(&arguments(&model, &out, &wild)).expect(0).stdout;
    assert!(text.contains("1 finished, 1 stopped before their end, 2 could not start"), "{text}");
}

#[test]
fn limits_change_without_running_again_and_another_study_is_refused() {
    let model = model("ensemble-again");
    let out = folder("ensemble-again");
    let range = ["--set", "peak=0.1 g..0.5 g:9", "--draw", "k~lognormal(4 kN/mm, 0.3)", "--sample", "10"];
    let first = ensemble(&model, &out, &range);
    assert_eq!((&first["runs_now"], &first["runs"]), (&90.into(), &90.into()));
    let again = ensemble(&model, &out, &[&range[..], &["--exceeds", "peak roof.x > 40 mm"]].concat());
    assert_eq!(again["runs_now"], 0);
    let fit = &again["fragility"][0]["fit"];
    let (median, dispersion) = (fit["median"].as_f64().unwrap(), fit["dispersion"].as_f64().unwrap());
    assert!((0.1..0.5).contains(&median) && dispersion > 0.0, "{again:#}");
    let stripes = again["fragility"][0]["stripes"].as_array().unwrap();
    assert_eq!(stripes.len(), 9);
    let exceeded: u64 = stripes.iter().map(|s| s["exceeded"].as_u64().unwrap()).sum();
    let study: Value = serde_json::from_slice(&std::fs::read(out.join("ensemble.json")).unwrap()).unwrap();
    let over = |c: &&Value| c["channels"]["roof.x"]["peak"].as_f64().unwrap().abs() > 40.0;
    assert_eq!(study["cases"].as_array().unwrap().iter().filter(over).count() as u64, exceeded);

    let other = interfield(&arguments(&model, &out, &["--set", "peak=0.1 g..0.5 g:4"])).expect(2);
    assert!(other.stderr.contains("holds another study: 90 runs of `ensemble-again`"), "{}", other.stderr);
    let strange = folder("ensemble-strange");
    std::fs::create_dir_all(&strange).unwrap();
    std::fs::write(strange.join("journal.bin"), "my diary\n").unwrap();
    let refused = interfield(&arguments(&model, &strange, &range)).expect(2);
    assert!(refused.stderr.contains("is not the journal of an ensemble"), "{}", refused.stderr);
    assert_eq!(std::fs::read(strange.join("journal.bin")).unwrap(), b"my diary\n");
}

#[test]
fn seeds_choose_generated_motions_and_kept_results_can_be_read() {
    let generated = "signal = { type = \"generated\", spectrum = \"ec8\", ag = \"0.2 g\", ground = \"B\", seed = \"seed\", \
                     duration = \"10 s\" }";
    let text = BASE
        .replace("k = \"4 kN/mm\"", "k = \"4 kN/mm\"\nseed = 1")
        .replace("signal = { type = \"synthetic\", peak = \"0.2 g\" }", generated);
    let model = file("ensemble-seeds.toml", text);
    let out = folder("ensemble-seeds");
    let found = ensemble(&model, &out, &["--seeds", "1..3", "--keep"]);
    let quake = found["channels"].as_array().unwrap().iter().find(|c| c["name"] == "quake").unwrap();
    assert!(quake["peak"]["std"].as_f64().unwrap() > 0.0, "three different motions");
    for run in ["000000.h5", "000001.h5", "000002.h5"] {
        let path = out.join("runs").join(run);
        let shown = interfield(&["show", path.to_str().unwrap(), "--json"]).expect(0).json();
        assert_eq!(shown["outcome"], "finished", "{shown:#}");
    }
    let bands = interfield(&["show", out.join("bands.h5").to_str().unwrap(), "--json"]).expect(0).json();
    let names: Vec<&str> = bands["channels"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names[..3], ["roof.x.mean", "roof.x.std", "roof.x.q05"]);
}

#[test]
fn mistakes_are_told_with_what_to_write_instead() {
    let model = model("ensemble-mistakes");
    let out = folder("ensemble-mistakes");
    let cases: [(&[&str], &[&str]); 12] = [
        (&[], &["nothing is varied", "--seeds 1..100"]),
        (&["--set", "kk=1..3"], &["the file has no parameter `kk`", "did you mean `k`?"]),
        (&["--seeds", "1..3"], &["the file has no parameter `seed`", "parameters are"]),
        (&["--set", "k=1 kN..2 N:3"], &["`kN` and `N` differ", "0.1 g..1 g:10"]),
        (&["--set", "k=0.1..1"], &["give the number of values", "0.1..1:10"]),
        (&["--set", "k=1..3", "--draw", "k~normal(1, 2)"], &["`k` is given twice"]),
        (&["--draw", "k~gauss(1, 2)"], &["no distribution `gauss`", "lognormal(4 kN/mm, 0.2)"]),
        (
            &["--set", "k=1..3", "--exceeds", "rof.x > 2 mm"],
            &["no channel `rof.x` is recorded", "did you mean `roof.x`?"],
        ),
        (&["--set", "k=1..3", "--exceeds", "roof.x > 2 kN"], &["`roof.x` is length, but 2 kN is force", "value in mm"]),
        (&["--set", "k=1..3", "--exceeds", "roof.x 2 mm"], &["there is no `>`", "storey1.deformation > 20 mm"]),
        (&["--set", "k=1..3", "--intensity", "kk"], &["unknown intensity measure", "did you mean `k`?"]),
        (&["--scale-to", "3 m"], &["expected acceleration", "0.3 g"]),
    ];
    for (more, expected) in cases {
        let human = interfield(&arguments(&model, &out, more)).expect(2);
        for words in expected {
            assert!(human.stderr.contains(words), "{more:?} should say {words:?}:\n{}", human.stderr);
        }
        let machine = interfield(&arguments(&model, &out, &[more, &["--json"]].concat())).expect(2).json();
        assert!(machine["errors"][0]["message"].is_string(), "{machine:#}");
    }
    assert!(!out.exists(), "nothing is written before all is understood");
    // Both limits at once.
    let both = ["--set", "k=1..3", "--exceeds", "a > 1", "--exceeds", "b > 1", "--json"];
    assert_eq!(interfield(&arguments(&model, &out, &both)).expect(2).json()["errors"].as_array().unwrap().len(), 2);
}
