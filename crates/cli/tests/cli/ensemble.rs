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

/// A thousand runs in four pieces, two of them killed and run again, one of them in another folder: the bytes of the study on one machine.
#[test]
fn pieces_of_a_study_two_of_them_killed_are_the_study() {
    let model = model("ensemble-shards");
    let args = ["--set", "k=2 kN/mm..6 kN/mm:50", "--set", "peak=0.1 g..0.4 g:20", "--until", "0.5 s"];
    let whole = folder("ensemble-shards-whole");
    let found = ensemble(&model, &whole, &args);
    assert_eq!(found["runs"], 1000);
    let (out, elsewhere) = (folder("ensemble-shards"), folder("ensemble-shards-elsewhere"));
    let piece = |i: usize| if i == 4 { &elsewhere } else { &out };
    for i in 1..=4 {
        let shard = format!("{i}/4");
        let args = [&args[..], &["--shard", &shard]].concat();
        let journal = piece(i).join(format!("shard-{i}-of-4.bin"));
        if i % 2 == 0 {
            // Killed when it has begun, with what a kill in the middle of a write leaves behind.
            let length = || std::fs::metadata(&journal).map_or(0, |m| m.len());
            let mut child = program()
                .args(arguments(&model, piece(i), &[&args[..], &["--threads", "1"]].concat()))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            while length() <= 20_000 && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let mut bytes = std::fs::read(&journal).unwrap();
            let torn = bytes[bytes.len() / 2..bytes.len() / 2 + 100].to_vec();
            bytes.extend(torn);
            std::fs::write(&journal, bytes).unwrap();
            if i == 4 {
                // Not all pieces are there.
                let merge = [&args[..args.len() - 2], &["--merge", elsewhere.to_str().unwrap()]].concat();
                let refused = interfield(&arguments(&model, &out, &merge)).expect(2);
                assert!(refused.stderr.contains("of 1000 runs are missing"), "{}", refused.stderr);
            }
        }
        let found = ensemble(&model, piece(i), &args);
        assert_eq!((&found["runs"], &found["finished"], &found["shard"]), (&250.into(), &250.into(), &i.into()));
        let now = found["runs_now"].as_u64().unwrap();
        assert_eq!(now < 250, i % 2 == 0, "{now} runs in piece {i}");
    }
    assert!(!out.join("ensemble.json").exists(), "a piece says nothing of the whole");
    let found = ensemble(&model, &out, &[&args[..], &["--merge", elsewhere.to_str().unwrap()]].concat());
    assert_eq!((&found["runs"], &found["runs_now"]), (&1000.into(), &0.into()));
    (1..=3).for_each(|i| std::fs::remove_file(out.join(format!("shard-{i}-of-4.bin"))).unwrap());
    assert_same(&whole, &out);
}

#[test]
fn pieces_that_do_not_fit_are_refused() {
    let model = model("ensemble-no-shards");
    let args = ["--set", "k=2 kN/mm, 5 kN/mm, 6 kN/mm", "--until", "0.5 s"];
    let out = folder("ensemble-no-shards");
    let with = |more: &[&str]| interfield(&arguments(&model, &out, &[&args[..], more].concat()));
    for (shard, why) in
        [("0/4", "1/4 to 4/4"), ("5/4", "1/4 to 4/4"), ("3", "3/64"), ("a/b", "3/64"), ("1/0", "at most")]
    {
        let refused = with(&["--shard", shard]).expect(2);
        assert!(refused.stderr.contains(why), "{shard}: {}", refused.stderr);
    }
    let refused = with(&["--merge"]).expect(2);
    assert!(refused.stderr.contains("there are no pieces of a study in"), "{}", refused.stderr);
    with(&["--shard", "1/2"]).expect(0);
    let refused = with(&["--merge"]).expect(2);
    assert!(
        refused.stderr.contains("1 of 3 runs are missing") && refused.stderr.contains("number 2"),
        "{}",
        refused.stderr
    );
    // A piece of another model, and one with another result of the same run.
    let strange = folder("ensemble-strange-shards");
    let other = self::model("ensemble-other-shards");
    let text = std::fs::read_to_string(&other).unwrap().replace("m = \"10 t\"", "m = \"11 t\"");
    std::fs::write(&other, text).unwrap();
    interfield(&arguments(&other, &strange, &[&args[..], &["--shard", "2/2"]].concat())).expect(0);
    let refused = with(&["--merge", strange.to_str().unwrap()]).expect(2);
    assert!(refused.stderr.contains("holds runs of another model"), "{}", refused.stderr);
    let refused = with(&["--merge", "no-such-folder"]).expect(2);
    assert!(refused.stderr.contains("`no-such-folder` cannot be read"), "{}", refused.stderr);
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

    // Another study of the same model takes what is there: of the values 0.1, 0.2 to 0.6 five were there with all draws.
    let more = ["--set", "peak=0.1 g..0.6 g:6", "--draw", "k~lognormal(4 kN/mm, 0.3)", "--sample", "10"];
    let extended = ensemble(&model, &out, &more);
    assert_eq!((&extended["runs_now"], &extended["runs"]), (&10.into(), &60.into()));
    // The results are those of a study that begins with nothing.
    let fresh = folder("ensemble-again-fresh");
    ensemble(&model, &fresh, &more);
    assert_eq!(contents(&out)["runs.csv"], contents(&fresh)["runs.csv"]);
    assert_eq!(contents(&out)["ensemble.json"], contents(&fresh)["ensemble.json"]);
    // And the first study is still there.
    assert_eq!(ensemble(&model, &out, &range)["runs_now"], 0);

    let changed = file("ensemble-again.toml", std::fs::read_to_string(&model).unwrap().replace("10 t", "11 t"));
    let other = interfield(&arguments(&changed, &out, &range)).expect(2);
    assert!(other.stderr.contains("holds runs of another model: `ensemble-again`"), "{}", other.stderr);
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
    let study: Value = serde_json::from_slice(&std::fs::read(out.join("ensemble.json")).unwrap()).unwrap();
    for case in study["cases"].as_array().unwrap() {
        let path = out.join(case["file"].as_str().unwrap());
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
        (&["--scale-to", "3 m"], &["expected acceleration", "0.1 g..1 g:10"]),
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

/// A one-storey building with a storey drift, 5 % damping and the period 0.5 s, and a parameter for the height of the storey.
fn storey(name: &str) -> PathBuf {
    // k = (2 pi / 0.5 s)^2 m.
    let k = (std::f64::consts::TAU / 0.5).powi(2) * 10.0e3;
    let text = format!(
        r#"title = "One storey"
dofs = ["x"]
units = {{ length = "mm", force = "kN" }}
[parameters]
h = "3 m"
[[node]]
name = "roof"
mass = "10 t"
[[element]]
type = "spring"
name = "columns"
nodes = ["ground", "roof"]
dof = "x"
k = "{k} N/m"
[damping]
modal = ["5 %"]
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "synthetic", peak = "0.1 g" }}
[[drift]]
name = "first"
nodes = ["ground", "roof"]
dof = "x"
height = "h"
[analysis]
scheme = "newmark"
dt = "10 ms"
duration = "1 s"
[record]
channels = ["roof.x", "quake"]
"#
    );
    file(&format!("{name}.toml"), text)
}

/// Acceleration of a record at a time, m/s².
fn shake(t: f64, phase: f64) -> f64 {
    (-0.4 * t).exp() * ((9.0 * t + phase).sin() + 0.5 * (31.0 * t).sin())
}

/// A folder with records of different formats, units, sampling and lengths, and with things that are no records.
fn records(name: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::create_dir_all(&folder).unwrap();
    let samples = |dt: f64, n: u32, phase: f64, factor: f64| -> Vec<f64> {
        (0..=n).map(|i| factor * shake(dt * f64::from(i), phase)).collect()
    };
    let table = |header: &str, dt: f64, values: &[f64]| -> String {
        let row = |(i, a): (usize, &f64)| format!("{},{a}\n", dt * i as f64);
        format!("{header}\n{}", values.iter().enumerate().map(row).collect::<String>())
    };
    let fine = table("time_s,accel_cm_s2", 0.005, &samples(0.005, 300, 0.0, 100.0));
    std::fs::write(folder.join("fine record.csv"), fine).unwrap();
    let coarse = table("t [s],a [m/s^2]", 0.02, &samples(0.02, 60, 1.0, 1.0));
    std::fs::write(folder.join("größer.csv"), coarse).unwrap();
    let g: Vec<String> = samples(0.01, 99, 2.0, 1.0 / 9.80665).iter().map(|a| format!("{a:.9e}")).collect();
    let at2 = format!(
        "PEER STRONG MOTION\nEvent, station, 180\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS=   100, DT=   .0100 SEC\n{}\n",
        g.join(" ")
    );
    std::fs::write(folder.join("peer.AT2"), at2).unwrap();
    std::fs::write(folder.join("README.md"), "# Records\n\n| file | dt |\n|---|---|\n| peer | 0.01 |\n").unwrap();
    std::fs::write(folder.join("notes.txt"), "nothing but words\n").unwrap();
    std::fs::write(folder.join(".hidden.csv"), "not a record\n").unwrap();
    folder
}

fn study(out: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(out.join("ensemble.json")).unwrap()).unwrap()
}

#[test]
fn every_record_runs_to_its_end_whatever_else_is_in_the_folder() {
    let (model, folder_in) = (storey("ensemble-ends"), records("ensemble-ends-in"));
    let out = folder("ensemble-ends");
    let args = ["--records", folder_in.to_str().unwrap(), "--free-vibration", "1 s"];
    let found = ensemble(&model, &out, &args);
    assert_eq!((&found["runs"], &found["finished"]), (&3.into(), &3.into()), "{found:#}");
    let study = study(&out);
    let ends: Vec<(&str, f64, f64)> = study["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| {
            let (steps, dt) = (c["steps"].as_f64().unwrap(), c["dt_s"].as_f64().unwrap());
            (c["values"]["record"].as_str().unwrap(), steps * dt, dt)
        })
        .collect();
    // Records of 1.5, 0.99 and 1.2 s, a model of 1 s: each to its end, and 1 s longer. Samples that are closer than steps are not missed.
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let expected = [("fine record.csv", 2.5, 0.005), ("größer.csv", 2.2, 0.01), ("peer.AT2", 1.99, 0.01)];
    for ((name, end, dt), (n, e, d)) in ends.iter().zip(expected) {
        assert!(*name == n && close(*end, e) && close(*dt, d), "{ends:?}");
    }
    let remarks = found["remarks"].to_string();
    for words in ["`README.md` is skipped", "`notes.txt` is skipped", "steps of 5 ms instead of 10 ms"] {
        assert_eq!(remarks.matches(words).count(), 1, "{words}: {remarks}");
    }
    // One record as `run` has it, with its file in the place of the motion.
    let own = std::fs::read_to_string(&model).unwrap().replace(
        "{ type = \"synthetic\", peak = \"0.1 g\" }",
        &format!("{{ type = \"file\", path = \"{}\" }}", folder_in.join("größer.csv").display()),
    );
    let (summary, _) = super::run("ensemble-ends-run", &own, &["--until", "2.2 s"]);
    let case = &study["cases"][1]["channels"];
    for channel in summary["channels"].as_array().unwrap() {
        let name = channel["name"].as_str().unwrap();
        assert_eq!(case[name]["peak"], channel["peak"], "{name}");
        assert_eq!(case[name]["final"], channel["final"], "{name}");
    }
    // Cut by the user, in words.
    let cut = folder("ensemble-ends-cut");
    let found = ensemble(&model, &cut, &["--records", folder_in.to_str().unwrap(), "--until", "1.1 s"]);
    assert!(found["remarks"].to_string().contains("--until ends 2 of 3 records before their end"), "{found:#}");
    // A record that cannot be read is named, not left out.
    std::fs::write(folder_in.join("unitless.csv"), "t,a\n0,1\n0.01,2\n0.02,3\n").unwrap();
    let refused = interfield(&arguments(&model, &cut, &["--records", folder_in.to_str().unwrap()])).expect(2);
    assert!(refused.stderr.contains("unitless.csv") && refused.stderr.contains("no unit"), "{}", refused.stderr);
    let empty = folder("ensemble-ends-empty");
    std::fs::create_dir_all(&empty).unwrap();
    let refused = interfield(&arguments(&model, &cut, &["--records", empty.to_str().unwrap()])).expect(2);
    assert!(refused.stderr.contains("there are no records in"), "{}", refused.stderr);
}

#[test]
fn a_known_fragility_is_found_within_its_confidence() {
    let (model, folder_in) = (storey("ensemble-known"), records("ensemble-known-in"));
    let out = folder("ensemble-known");
    let record = folder_in.join("größer.csv");
    // The drift of an elastic building with 5 % damping is Sa(T1) (T1 / 2 pi)^2 / h: 1 % of h at Sa = 0.01 h (2 pi / T1)^2.
    let omega = std::f64::consts::TAU / 0.5;
    let truth = 0.01 * 3.0 * omega * omega / 9.80665;
    let limit = ["--intensity", "sa", "--levels", "0.1 g..1.5 g:5", "--exceeds", "drift > 1 %", "--dt", "5 ms"];
    let all = folder_in.to_str().unwrap();
    let found = ensemble(&model, &out, &[&["--records", all, "--free-vibration", "0.5 s"], &limit[..]].concat());
    assert!(
        (found["first_period"].as_f64().unwrap() - 0.5).abs() < 1e-9 || found["first_period"].is_null(),
        "{found:#}"
    );
    let capacities = found["fragility"][0]["ida"]["capacities"].as_array().unwrap().clone();
    assert_eq!(capacities.len(), 3);
    for c in capacities {
        // To the error of the scheme at a hundredth of the period.
        assert!((c[0].as_f64().unwrap() / truth - 1.0).abs() < 5e-3, "{c} {truth}");
    }
    // Every run was scaled to its level: told of it is what was asked for.
    for case in study(&out)["cases"].as_array().unwrap() {
        let level: f64 = case["values"]["intensity"].as_str().unwrap().trim_end_matches(" g").parse().unwrap();
        let told = case["motion_in_g"].as_object().unwrap().iter().find(|(k, _)| k.starts_with("sa(")).unwrap().1;
        assert!((told.as_f64().unwrap() / level - 1.0).abs() < 1e-10, "{case}");
    }
    // Heights drawn from a lognormal distribution are capacities drawn from it.
    for seed in ["1", "2", "3"] {
        let out = folder(&format!("ensemble-known-{seed}"));
        let draws = ["--draw", "h~lognormal(3 m, 0.4)", "--sample", "30", "--random", "--draw-seed", seed];
        let args = [&["--records", record.to_str().unwrap(), "--free-vibration", "0 s"], &limit[..], &draws].concat();
        let found = ensemble(&model, &out, &args);
        let curve = &found["fragility"][0]["ida"]["fit"];
        let within = |interval: &Value, x: f64| interval[0].as_f64().unwrap() < x && x < interval[1].as_f64().unwrap();
        assert!(within(&curve["median_confidence_95"], truth), "{seed}: {curve} {truth}");
        assert!(within(&curve["dispersion_confidence_95"], 0.4), "{seed}: {curve}");
        assert!(within(&found["fragility"][0]["fit"]["median_confidence_95"], truth), "{seed}: {found:#}");
    }
}

#[test]
fn more_levels_and_other_intensities_run_only_what_is_missing() {
    let (model, folder_in) = (storey("ensemble-extends"), records("ensemble-extends-in"));
    let out = folder("ensemble-extends");
    let records = ["--records", folder_in.to_str().unwrap(), "--free-vibration", "0.5 s", "--intensity"];
    let now = |more: &[&str]| ensemble(&model, &out, &[&records[..], more].concat())["runs_now"].as_u64().unwrap();
    assert_eq!(now(&["sa", "--levels", "0.1, 0.2 g"]), 6);
    assert_eq!(now(&["sa", "--levels", "0.1, 0.2, 0.3 g"]), 3);
    assert_eq!(now(&["sa", "--levels", "0.3 g"]), 0);
    assert_eq!(now(&["avgsa", "--levels", "0.2 g"]), 3);
    assert_eq!(now(&["avgsa", "--levels", "0.2 g", "--exceeds", "drift > 1 %", "--demand", "roof.x"]), 0);
    // Another end is another run.
    assert_eq!(now(&["sa", "--levels", "0.3 g", "--until", "1 s"]), 3);
    // All files are those of a study that begins with nothing, but for the journal.
    let last = ["sa", "--levels", "0.1, 0.2, 0.3 g", "--exceeds", "residual drift > 0.1 %"];
    now(&last);
    let fresh = folder("ensemble-extends-fresh");
    ensemble(&model, &fresh, &[&records[..], &last, &["--threads", "3"]].concat());
    let (mut a, mut b) = (contents(&out), contents(&fresh));
    a.remove("journal.bin");
    b.remove("journal.bin");
    assert!(a.keys().eq(b.keys()) && a.contains_key("ida.h5") && a.contains_key("intensities.csv"), "{:?}", a.keys());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
    let table = String::from_utf8(a["intensities.csv"].clone()).unwrap();
    assert!(
        table.starts_with(
            "\"spectral acceleration Sa(0.5 s, 5 %) [g]\",quantity,unit,runs,collapses,16 %,50 %,84 %,dispersion\n"
        ),
        "{table}"
    );
    assert!(
        table.contains("0.2,largest storey drift,%,3,0,") && table.contains("first.drift residual,%,3,0,"),
        "{table}"
    );
    let page = String::from_utf8(a["index.html"].clone()).unwrap();
    for words in
        ["IDA curves", "Stripes", "Fragility", "größer.csv", "largest storey drift", "Statistics at each intensity"]
    {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn both_components_are_scaled_together() {
    let one = std::fs::read_to_string(storey("ensemble-pairs-one")).unwrap();
    let both = one
        .replace("dofs = [\"x\"]", "dofs = [\"x\", \"y\"]")
        .replace("[damping]", "[[element]]\ntype = \"spring\"\nname = \"frame\"\nnodes = [\"ground\", \"roof\"]\ndof = \"y\"\nk = \"3 kN/mm\"\n\n[damping]")
        .replace("[[drift]]", "[[load]]\ntype = \"ground\"\nname = \"north\"\ndirection = \"y\"\nsignal = { type = \"synthetic\", peak = \"0.1 g\" }\n\n[[drift]]")
        .replace("\"quake\"]", "\"quake\", \"north\"]");
    let model = file("ensemble-pairs.toml", both);
    let folder_in = folder("ensemble-pairs-in");
    std::fs::create_dir_all(&folder_in).unwrap();
    let write = |name: &str, factor: f64| {
        let row = |i: u32| format!("{},{}\n", 0.01 * f64::from(i), factor * shake(0.01 * f64::from(i), factor));
        std::fs::write(folder_in.join(name), format!("t [s],a [m/s^2]\n{}", (0..80).map(row).collect::<String>()))
            .unwrap();
    };
    write("one_ns.csv", 2.0);
    write("one_ew.csv", 3.0);
    let peaks = |out: &Path, records: &str, more: &[&str]| -> [f64; 2] {
        let args =
            [&["--records", records, "--free-vibration", "0 s", "--intensity", "pga", "--levels", "0.2 g"], more]
                .concat();
        ensemble(&model, out, &args);
        let case = &study(out)["cases"][0];
        ["quake", "north"].map(|c| case["channels"][c]["peak"].as_f64().unwrap().abs() / 9806.65)
    };
    let path = folder_in.to_str().unwrap();
    let out = folder("ensemble-pairs");
    let [x, y] = peaks(&out, path, &[]);
    assert!(((x * y).sqrt() - 0.2).abs() < 1e-12 && x != y, "{x} {y}");
    let ratio = x / y;
    let [x, y] = peaks(&out, path, &["--pair", "larger"]);
    assert!((x.max(y) - 0.2).abs() < 1e-12 && (x / y - ratio).abs() < 1e-12, "{x} {y}");
    // A list says which is which.
    std::fs::write(folder_in.join("list.csv"), "x,y,scale\none_ns.csv,one_ew.csv,1.5\n").unwrap();
    let list = folder_in.join("list.csv");
    let [x, y] = peaks(&out, list.to_str().unwrap(), &["--pair", "first"]);
    assert!((x - 0.2).abs() < 1e-12 && (x / y - 1.0 / ratio).abs() < 1e-12, "{x} {y}");
    // A single component does not shake a model in two directions, and of a pair one shakes a model in one.
    let lone = folder_in.join("one_ns.csv");
    let refused = interfield(&arguments(&model, &out, &["--records", lone.to_str().unwrap()])).expect(2);
    assert!(
        refused.stderr.contains("has 1 component, but the ground of the model moves along x and y"),
        "{}",
        refused.stderr
    );
    std::fs::remove_file(&list).unwrap();
    let plane = storey("ensemble-pairs-plane");
    let found = ensemble(&plane, &folder("ensemble-pairs-plane"), &["--records", path]);
    assert_eq!(found["runs"], 1);
    assert!(found["remarks"].to_string().contains("is used; not used: one_ns.csv"), "{found:#}");
}

#[test]
fn intensities_that_make_no_sense_are_told() {
    let (model, folder_in) = (storey("ensemble-senseless"), records("ensemble-senseless-in"));
    let out = folder("ensemble-senseless");
    let zero = folder_in.join("zero.csv");
    std::fs::write(&zero, "t [s],a [m/s^2]\n0,0\n0.01,0\n0.02,0\n").unwrap();
    let one = folder_in.join("peer.AT2");
    let one = one.to_str().unwrap();
    let cases: [(&[&str], &[&str]); 11] = [
        (&["--records", one, "--levels", "0.1, 0.2"], &["give the unit", "0.1, 0.2, 0.4 g"]),
        (&["--records", one, "--levels", "0.1 g, 0.1 g"], &["a value is given twice"]),
        (&["--records", one, "--levels", "-0.1 g"], &["greater than zero"]),
        (&["--records", one, "--intensity", "sa(0 s)"], &["not greater than zero", "sa(0.5 s)"]),
        (&["--records", one, "--intensity", "avgsa(2 s..1 s)"], &["the first period is the shorter one"]),
        (&["--records", one, "--intensity", "pgv"], &["unknown intensity measure", "pga"]),
        (&["--records", one, "--exceeds", "drift > 20 mm"], &["`drift` is", "value in %"]),
        (&["--records", one, "--exceeds", "drift > -1 %"], &["a limit is greater than zero"]),
        (&["--records", one, "--collapse", "0 %"], &["not greater than zero"]),
        (
            &["--records", one, "--exceeds", "residual drift > 1 %", "--free-vibration", "0 s"],
            &["needs free vibration"],
        ),
        (&["--records", zero.to_str().unwrap()], &["`zero.csv` is zero everywhere"]),
    ];
    for (more, expected) in cases {
        let said = interfield(&arguments(&model, &out, more)).expect(2).stderr;
        for words in expected {
            assert!(said.contains(words), "{more:?} should say {words:?}:\n{said}");
        }
    }
    // A limit in per cent is one of per cent.
    let limit = ["--records", one, "--free-vibration", "0 s", "--intensity", "pga", "--levels", "0.5 g", "--exceeds"];
    let drift = |text: &str| {
        ensemble(&model, &out, &[&limit[..], &[text]].concat())["fragility"][0]["stripes"][0]["exceeded"].clone()
    };
    drift("drift > 1 %");
    let peak = study(&out)["cases"][0]["channels"]["first.drift"]["peak"].as_f64().unwrap();
    assert_eq!(
        (drift(&format!("drift > {} %", 0.99 * peak.abs())), drift(&format!("drift > {} %", 1.01 * peak.abs()))),
        (1.into(), 0.into())
    );
}
