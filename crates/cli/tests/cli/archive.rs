//! Nothing recorded is ever lost: numbered runs, pages that come back, evidence that replays elsewhere, disks that are full.

use std::path::{Path, PathBuf};
use std::process::Command;

use interfield_results::Reader;
use serde_json::Value;

use super::{COLUMN, Outcome, STOREY};

/// A folder of its own, empty.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("archive").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A storey shaken by a record in a file, with its column in the laboratory.
fn model(specimen: &str) -> String {
    let frame = STOREY.replace("\"40 kN/m\"", "\"kf\"");
    format!(
        r#"
title = "A storey"
include = ["../shared/sections.toml"]
units = {{ length = "mm", force = "kN" }}
analysis = {{ scheme = "alpha-os", dt = "2 ms", duration = "1 s" }}
record = {{ channels = ["floor.x", "column.force", "quake"] }}
{frame}{COLUMN}[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "file", path = "../records/quake.csv", unit = "m/s^2", dt = "10 ms" }}
{specimen}"#
    )
}

const SPECIMEN: &str = r#"
[[specimen]]
name = "rig"
elements = ["column"]
rate = "1 kHz"
ramp = "100 ms"
actuator = [{ type = "second-order", frequency = "300 Hz", damping = 0.7, displacement_sensor = { gain = 1.002, bias = "0.05 mm" }, force_sensor = { noise = "2 N" }, calibration = { displacement = [0.0003, 0.007] } }]
"#;

/// The model and its files below a folder; the path of the model as seen from there.
fn written(folder: &Path, specimen: &str) -> &'static str {
    for (name, text) in [
        ("shared/sections.toml", "[parameters]\nkf = \"40 kN/m\"\n".to_owned()),
        ("records/quake.csv", (0..100).map(|i| format!("{}\n", (f64::from(i) * 0.1).sin() * 2.0)).collect()),
        ("models/storey.toml", model(specimen)),
    ] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    "models/storey.toml"
}

fn run_in(folder: &Path, args: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interfield"));
    outcome(command.current_dir(folder).args(args))
}

fn outcome(command: &mut Command) -> Outcome {
    let output = command.env("NO_COLOR", "1").stdin(std::process::Stdio::null()).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut all: Vec<String> = entries.map(|e| e.file_name().into_string().expect("UTF-8")).collect();
    all.sort();
    all
}

#[test]
fn two_runs_leave_two_tests_and_the_page_of_either_comes_back_byte_for_byte() {
    let folder = place("two-runs");
    let model = written(&folder, SPECIMEN);
    let out = folder.join("interfield-out");
    run_in(&folder, &["run", model]).expect(0);
    let first = ["storey.h5", "storey.lab.h5", "storey.html"].map(|n| bytes(&out.join(n)));
    run_in(&folder, &["run", model, "--until", "0.6 s"]).expect(0);
    run_in(&folder, &["run", model, "--set", "kf=50 kN/m"]).expect(0);
    let wanted = ["storey-2.h5", "storey-2.html", "storey-2.lab.h5", "storey-3.h5", "storey-3.html", "storey-3.lab.h5"];
    assert_eq!(names(&out)[..6], wanted);
    assert_eq!(names(&out).len(), 9, "{:?}", names(&out));
    assert!(
        first == ["storey.h5", "storey.lab.h5", "storey.html"].map(|n| bytes(&out.join(n))),
        "the first is touched"
    );
    // Elsewhere, where neither model nor record are.
    let elsewhere = place("two-runs-elsewhere");
    for name in ["storey", "storey-2", "storey-3"] {
        std::fs::copy(out.join(format!("{name}.h5")), elsewhere.join("a.h5")).unwrap();
        run_in(&elsewhere, &["report", "a.h5"]).expect(0);
        let (page, again) = (bytes(&out.join(format!("{name}.html"))), bytes(&elsewhere.join("a.html")));
        assert!(page == again, "the page of {name} is another one");
        let page = String::from_utf8(page).unwrap();
        for said in ["rig: good: ", "peak error [%]", "All laboratory settings", "sha256 of ../records/quake.csv"] {
            assert!(page.contains(said), "{said}");
        }
    }
    // The recording tells its verdict, its settings and its limits too.
    let recorded = run_in(&folder, &["show", "interfield-out/storey.lab.h5", "--json"]).expect(0).json();
    assert_eq!(recorded["laboratory"][0]["verdict"], "good", "{recorded:#}");
    let settings: Value = serde_json::from_str(recorded["settings"]["specimen.rig"].as_str().unwrap()).unwrap();
    assert_eq!((&settings["limits"]["gone"]["action"], &settings["period"]), (&"abort".into(), &1e-3.into()));
    assert!(recorded["settings"]["specimen.rig.actuator.1"].as_str().unwrap().contains(",0.007]"));
}

#[test]
fn what_a_test_left_is_not_replaced_by_anybody() {
    let folder = place("refused");
    let model = written(&folder, SPECIMEN);
    std::fs::write(folder.join("models/computed.toml"), model_text_without_specimen()).unwrap();
    let computed = "models/computed.toml";
    run_in(&folder, &["run", model, "-o", "a.h5"]).expect(0);
    run_in(&folder, &["run", model, "-o", "c.csv"]).expect(0);
    let before =
        names(&folder).into_iter().filter(|n| n.contains('.')).map(|n| bytes(&folder.join(n))).collect::<Vec<_>>();
    // The name of a result, of one whose recording is there only, of a recording itself; by a test and by a computed run.
    std::fs::copy(folder.join("a.lab.h5"), folder.join("b.lab.h5")).unwrap();
    for (file, by) in [
        ("a.h5", model),
        ("a.h5", computed),
        ("b.h5", model),
        ("b.h5", computed),
        ("a.lab.h5", model),
        ("a.lab.h5", computed),
        ("c.csv", model),
        ("c.csv", computed),
    ] {
        let refused = run_in(&folder, &["run", by, "-o", file]).expect(2);
        assert!(refused.stderr.contains("ever replaced"), "{file} by {by}: {}", refused.stderr);
        assert!(refused.stderr.contains("--output"), "{}", refused.stderr);
    }
    let refused = run_in(&folder, &["replay", "a.lab.h5", model, "-o", "a.h5"]).expect(2);
    assert!(refused.stderr.contains("a-2.h5"), "what to write: {}", refused.stderr);
    let refused = run_in(&folder, &["serve", model, "-o", "a.h5", "--listen", "tcp://127.0.0.1:0"]).expect(2);
    assert!(refused.stderr.contains("`a.h5` exists already"), "{}", refused.stderr);
    std::fs::remove_file(folder.join("b.lab.h5")).unwrap();
    let after =
        names(&folder).into_iter().filter(|n| n.contains('.')).map(|n| bytes(&folder.join(n))).collect::<Vec<_>>();
    assert!(before == after, "something has changed: {:?}", names(&folder));
    // A computed run replaces its own earlier result, and gets another name where a test of its name was.
    for _ in 0..2 {
        run_in(&folder, &["run", computed, "-o", "own.h5"]).expect(0);
    }
    run_in(&folder, &["run", model]).expect(0);
    std::fs::rename(folder.join(computed), folder.join("models/storey.toml")).unwrap();
    for _ in 0..2 {
        let said = run_in(&folder, &["run", model, "--json"]).expect(0).json();
        assert_eq!(said["results"], "interfield-out/storey-2.h5");
    }
    let foreign = folder.join("foreign.h5");
    std::fs::write(&foreign, "something else").unwrap();
    let refused = run_in(&folder, &["run", model, "-o", "foreign.h5"]).expect(2);
    assert!(refused.stderr.contains("not the result of an earlier run"), "{}", refused.stderr);
}

fn model_text_without_specimen() -> String {
    model("")
}

#[test]
fn two_runs_at_once_never_share_a_file() {
    let folder = place("at-once");
    let model = written(&folder, SPECIMEN);
    let start = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interfield"));
        command
            .current_dir(&folder)
            .args(args)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped());
        command.spawn().expect("the program starts")
    };
    // Numbered: each gets its own. Named: one gets it.
    let numbered: Vec<_> = (0..4).map(|_| start(&["run", model])).collect();
    let ends: Vec<_> = numbered.into_iter().map(|c| c.wait_with_output().unwrap()).collect();
    assert!(ends.iter().all(|e| e.status.success()), "{ends:?}");
    let out = names(&folder.join("interfield-out"));
    assert_eq!(out.len(), 12, "{out:?}");
    for name in out.iter().filter(|n| n.ends_with(".h5")) {
        let reader = Reader::open(&folder.join("interfield-out").join(name)).expect("a whole file");
        assert_eq!(reader.rows(), if name.ends_with(".lab.h5") { 1203 } else { 501 }, "{name}");
    }
    let named: Vec<_> = (0..4).map(|_| start(&["run", model, "-o", "one.h5"])).collect();
    let ends: Vec<_> = named.into_iter().map(|c| c.wait_with_output().unwrap()).collect();
    assert_eq!(ends.iter().filter(|e| e.status.success()).count(), 1, "{ends:?}");
    assert_eq!(Reader::open(&folder.join("one.h5")).expect("a whole file").rows(), 501);
    assert_eq!(Reader::open(&folder.join("one.lab.h5")).expect("a whole file").rows(), 1203);
}

#[test]
fn a_pack_replays_elsewhere_bit_for_bit_and_tells_what_has_changed() {
    let folder = place("pack");
    let model = written(&folder, SPECIMEN);
    run_in(&folder, &["run", model]).expect(0);
    run_in(&folder, &["run", model, "--until", "0.6 s", "--set", "kf=50 kN/m"]).expect(0);
    let pack =
        ["pack", "interfield-out/storey.h5", "interfield-out/storey-2.h5", "-o", "evidence", "--author", "A. Tester"];
    run_in(&folder, &pack).expect(0);
    assert!(run_in(&folder, &pack).expect(2).stderr.contains("`evidence` exists already"));
    // As others check it.
    let mut sums = Command::new("sha256sum");
    sums.args(["--check", "--quiet", "manifest-sha256.txt"]).current_dir(folder.join("evidence"));
    assert!(sums.status().is_ok_and(|s| s.success()), "sha256sum disagrees");
    for path in [
        "global-model/storey.toml",
        "coordinator/storey.json",
        "sim-substructure/storey-2.json",
        "exp-substructure/storey.rig.json",
        "exp-substructure/storey.rig.faults.csv",
        "coordinator-output/storey.json",
        "coordinator-output/storey.log.txt",
        "sim-output/storey.h5",
        "exp-output/storey-2.lab.h5",
        "report/storey.html",
        "global-model/storey.files/up/records/quake.csv",
        "global-model/storey.includes/up/shared/sections.toml",
    ] {
        assert!(folder.join("evidence").join(path).is_file(), "{path}");
    }
    assert!(
        bytes(&folder.join("evidence/report/storey-2.html")) == bytes(&folder.join("interfield-out/storey-2.html"))
    );
    metadata_is_whole(&folder.join("evidence"));
    // Elsewhere: nothing of the original is left.
    let elsewhere = place("pack-elsewhere");
    for name in ["evidence", "evidence.zip"] {
        std::fs::rename(folder.join(name), elsewhere.join(name)).unwrap();
    }
    std::fs::remove_dir_all(&folder).unwrap();
    for from in ["evidence", "evidence.zip"] {
        let said = run_in(&elsewhere, &["replay", from, "--json"]).expect(0).json();
        let tests = said["tests"].as_array().expect("tests");
        assert_eq!(tests.len(), 2);
        for (test, rows) in tests.iter().zip(["501", "301"]) {
            assert_eq!(test["same_bits"], true, "{test:#}");
            assert!(test["compared"].as_str().unwrap().contains(rows), "{}", test["compared"]);
            assert_eq!(test["laboratory"][0]["verdict"], "good");
        }
    }
    let said = run_in(&elsewhere, &["replay", "evidence"]).expect(0);
    assert!(said.stdout.contains("storey: identical to the pack, bit by bit: 501 rows"), "{}", said.stdout);
    // Whoever touches it is found out; so is who asks for something else.
    let record = elsewhere.join("evidence/global-model/storey.files/up/records/quake.csv");
    let good = bytes(&record);
    std::fs::write(&record, "1\n2\n3\n").unwrap();
    std::fs::remove_file(elsewhere.join("evidence/report/storey.html")).unwrap();
    let said = run_in(&elsewhere, &["replay", "evidence"]).expect(1);
    assert!(said.stderr.contains("quake.csv` has changed since it was packed"), "{}", said.stderr);
    assert!(said.stderr.contains("report/storey.html` cannot be read"), "all at once: {}", said.stderr);
    std::fs::write(&record, good).unwrap();
    assert!(run_in(&elsewhere, &["replay", "evidence.zip", "--dt", "1 ms"]).expect(2).stderr.contains(
        "with its \
        original settings"
    ));
    assert!(
        run_in(&elsewhere, &["replay", "evidence.zip", "x.toml"]).expect(2).stderr.contains("contains its own model")
    );
    assert!(run_in(&elsewhere, &["replay", "."]).expect(1).stderr.contains("was not written by `interfield pack`"));
}

/// What RO-Crate 1.1 and DesignSafe ask for.
fn metadata_is_whole(pack: &Path) {
    let json = |name: &str| -> Value { serde_json::from_slice(&bytes(&pack.join(name))).expect("JSON") };
    let about = json("ro-crate-metadata.json");
    assert_eq!(about["@context"][0], "https://w3id.org/ro/crate/1.1/context");
    let graph = about["@graph"].as_array().expect("a graph");
    let find = |id: &str| graph.iter().find(|e| e["@id"] == id).unwrap_or_else(|| panic!("no entity {id}"));
    assert_eq!(find("ro-crate-metadata.json")["conformsTo"]["@id"], "https://w3id.org/ro/crate/1.1");
    assert_eq!(find("ro-crate-metadata.json")["about"]["@id"], "./");
    let root = find("./");
    for field in ["name", "description", "datePublished", "license", "author"] {
        assert!(!root[field].is_null(), "{field}");
    }
    // Every part of every part is described, and every file is there with its hash.
    let parts = |e: &Value| e["hasPart"].as_array().cloned().unwrap_or_default();
    let mut files = 0;
    for part in parts(root) {
        for file in parts(find(part["@id"].as_str().unwrap())) {
            let id = file["@id"].as_str().unwrap();
            let entity = find(id);
            assert_eq!(entity["sha256"].as_str().map(str::len), Some(64), "{id}");
            assert!(pack.join(id).is_file(), "{id}");
            files += 1;
        }
    }
    assert!(files >= 20, "{files} files");
    let entities = json("designsafe.json")["entities"].as_array().cloned().expect("entities");
    for kind in [
        "",
        ".global_model",
        ".coordinator",
        ".sim_substructure",
        ".exp_substructure",
        ".coordinator_output",
        ".sim_output",
        ".exp_output",
        ".report",
    ] {
        let name = format!("designsafe.project.hybrid_simulation{kind}");
        let entity = entities.iter().find(|e| e["name"] == name.as_str()).unwrap_or_else(|| panic!("{name}"));
        assert!(entity["value"]["title"].is_string() && entity["value"]["description"].is_string(), "{name}");
    }
}

#[test]
fn a_pack_is_refused_where_something_is_missing_or_has_changed() {
    let folder = place("pack-missing");
    let model = written(&folder, SPECIMEN);
    run_in(&folder, &["run", model]).expect(0);
    let record = folder.join("records/quake.csv");
    let good = bytes(&record);
    std::fs::write(&record, "0\n1\n").unwrap();
    std::fs::rename(folder.join("interfield-out/storey.lab.h5"), folder.join("away.h5")).unwrap();
    let refused = run_in(&folder, &["pack", "interfield-out/storey.h5"]).expect(1);
    assert!(refused.stderr.contains("has changed since the run"), "{}", refused.stderr);
    assert!(refused.stderr.contains("storey.lab.h5` is not beside its result"), "both: {}", refused.stderr);
    std::fs::rename(folder.join("away.h5"), folder.join("interfield-out/storey.lab.h5")).unwrap();
    std::fs::remove_file(&record).unwrap();
    let refused = run_in(&folder, &["pack", "interfield-out/storey.h5"]).expect(1);
    assert!(refused.stderr.contains("quake.csv` of the model was not found in"), "{}", refused.stderr);
    assert!(!folder.join("interfield-out/storey-pack").exists(), "nothing half-made is left");
    // It has moved, and whoever packs knows where.
    std::fs::create_dir_all(folder.join("moved/models")).unwrap();
    std::fs::create_dir_all(folder.join("moved/records")).unwrap();
    std::fs::write(folder.join("moved/records/quake.csv"), good).unwrap();
    run_in(&folder, &["pack", "interfield-out/storey.h5", "--from", "moved/models"]).expect(0);
    run_in(&folder, &["replay", "interfield-out/storey-pack.zip"]).expect(0);
}

#[test]
fn a_recording_at_a_chosen_rate_still_judges_every_sample() {
    let folder = place("rate");
    let model = written(&folder, SPECIMEN);
    let full = run_in(&folder, &["run", model, "--json"]).expect(0).json();
    let text = std::fs::read_to_string(folder.join(model)).unwrap();
    std::fs::write(folder.join(model), text.replace("ramp =", "record_rate = \"50 Hz\"\nramp =")).unwrap();
    let thin = run_in(&folder, &["run", model, "--json"]).expect(0).json();
    let (full, thin) = (&full["laboratory"][0], &thin["laboratory"][0]);
    assert_eq!((&thin["samples"], &thin["dropped"]), (&full["samples"], &0.into()));
    for peak in ["stroke", "velocity", "force"] {
        assert_eq!(thin["actuators"][0][peak], full["actuators"][0][peak], "{peak}");
    }
    let recording = Reader::open(&folder.join("interfield-out/storey-2.lab.h5")).unwrap();
    assert_eq!(recording.rows(), full["samples"].as_u64().unwrap().div_ceil(20), "50 Hz of 1 kHz");
    let time = recording.time(0..3).unwrap();
    assert!((time[1] - time[0] - 0.02).abs() < 1e-12, "{time:?}");
    let refused = run_in(&folder, &["replay", "interfield-out/storey-2.lab.h5", model]).expect(1);
    assert!(refused.stderr.contains("one in 20 samples"), "{}", refused.stderr);
    for (rate, said) in [("300 Hz", "333.333"), ("0 Hz", "greater than zero"), ("2 kHz", "one in 0.5")] {
        let wrong = text.replace("ramp =", &format!("record_rate = \"{rate}\"\nramp ="));
        std::fs::write(folder.join(model), wrong).unwrap();
        let refused = run_in(&folder, &["check", model, "-o", "x.svg"]).expect(2);
        assert!(refused.stderr.contains(said) && refused.stderr.contains("storey.toml:"), "{rate}: {}", refused.stderr);
    }
}

/// Runs it with files that cannot grow beyond so many bytes: writing further fails as on a full disk.
#[cfg(target_os = "linux")]
fn with_small_files(folder: &Path, bytes: u64, args: &[&str]) -> Outcome {
    let mut command = Command::new("sh");
    // Without the trap the system would end the program.
    command.args(["-c", "trap '' XFSZ; exec prlimit --fsize=\"$0\" -- \"$@\"", &bytes.to_string()]);
    outcome(command.arg(env!("CARGO_BIN_EXE_interfield")).args(args).current_dir(folder))
}

/// (rows in the recording, samples it should have, missing as told, as the file says).
#[cfg(target_os = "linux")]
fn accounted(document: &Value, recording: &Path) -> (u64, u64) {
    let lab = &document["laboratory"][0];
    let (samples, missing) = (lab["samples"].as_u64().expect("samples"), lab["dropped"].as_u64().expect("a count"));
    let reader = Reader::open(recording).expect("what is there opens");
    assert_eq!(samples - missing, reader.rows(), "what is not missing is in the file");
    assert_eq!(reader.dropped(), missing, "and the file says so itself");
    assert!(lab["reasons"].to_string().contains(&format!("{missing} samples were not recorded")), "{}", lab["reasons"]);
    (reader.rows(), missing)
}

#[cfg(target_os = "linux")]
#[test]
fn a_recording_that_fails_is_told_at_once_counted_and_acted_upon() {
    let folder = place("full");
    let model = written(&folder, SPECIMEN);
    let text = std::fs::read_to_string(folder.join(model)).unwrap();
    let text = text.replace(r#"channels = ["floor.x", "column.force", "quake"]"#, r#"channels = ["floor.x"]"#);
    std::fs::write(folder.join(model), &text).unwrap();
    let long = ["run", model, "--json", "--until", "20 s"];
    // By default the test goes on.
    let ended = with_small_files(&folder, 1_000_000, &[&long[..], &["-o", "warn.h5"]].concat()).expect(1);
    assert!(ended.stderr.contains("verdict could not be added to the results: warn.lab.h5"), "{}", ended.stderr);
    assert!(ended.stderr.contains("writing the recording warn.lab.h5 failed: File too large"), "{}", ended.stderr);
    let document = ended.json();
    assert_eq!(document["laboratory"][0]["verdict"], "doubtful", "{document:#}");
    let (rows, missing) = accounted(&document, &folder.join("warn.lab.h5"));
    assert!(rows > 5000 && missing > 5000, "{rows} rows, {missing} missing");
    // The report tells it, and so does the stored verdict.
    let shown = run_in(&folder, &["show", "warn.h5"]).expect(0);
    assert!(shown.stdout.contains(&format!("{missing} samples were not recorded")), "{}", shown.stdout);
    // Who wants it has the test ended: as fast as it goes, and by the clock.
    let strict = text + "[specimen.limits]\nrecorder = { at = 0, action = \"ramp-down\" }\n";
    std::fs::write(folder.join(model), strict).unwrap();
    for (name, bytes, more) in [("fast", 1_000_000, None), ("clock", 230_000, Some("--real-time"))] {
        let (results, recording) = (format!("{name}.h5"), folder.join(format!("{name}.lab.h5")));
        let args: Vec<&str> = long.into_iter().chain(["-o", &results]).chain(more).collect();
        let document = with_small_files(&folder, bytes, &args).expect(3).json();
        let log = document["laboratory"][0]["transitions"].as_array().expect("a log").clone();
        assert!(log.iter().any(|t| t["cause"] == "recorder"), "{name}: {log:?}");
        let (rows, missing) = accounted(&document, &recording);
        assert!(rows > 500 && missing > 0, "{name}: {rows} rows, {missing} missing");
        assert!(document["laboratory"][0]["samples"].as_u64().unwrap() < 15_000, "{name} went on for long");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_too_small_is_said_before_anything_moves() {
    let folder = place("small-disk");
    let model = written(&folder, SPECIMEN);
    let disk = folder.join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&disk).status();
    if !mounted.is_ok_and(|s| s.success()) {
        eprintln!("not tested: a disk of its own needs the right to mount one");
        return;
    }
    let refused = run_in(&folder, &["run", model, "--until", "100 s", "-o", "disk/a.h5"]);
    let warned = run_in(&folder, &["run", model, "--until", "5 s", "-o", "disk/b.h5"]);
    let left = names(&disk);
    Command::new("umount").arg(&disk).status().expect("it was mounted");
    let refused = refused.expect(1);
    for said in ["the disk is too small for the run", "for the recording", "1.0 MB free", "record_rate"] {
        assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
    }
    assert!(warned.stderr.contains("the disk is nearly full"), "{}", warned.stderr);
    assert!(!left.iter().any(|n| n.starts_with("a.")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn a_file_belongs_to_one_run_as_long_as_that_lives() {
    let folder = place("busy");
    written(&folder, SPECIMEN);
    std::fs::write(folder.join("models/computed.toml"), model_text_without_specimen()).unwrap();
    for output in ["one.h5", "one.csv"] {
        let long = ["run", "models/computed.toml", "--until", "100000 s", "-o", output];
        let mut first = Command::new(env!("CARGO_BIN_EXE_interfield"));
        first.current_dir(&folder).args(long).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut first = super::Running(first.spawn().expect("the program starts"));
        // Rows are in the file before anybody else comes.
        let grown = |bytes: u64| std::fs::metadata(folder.join(output)).is_ok_and(|m| m.len() > bytes);
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !grown(200_000) {
            assert!(std::time::Instant::now() < until, "{output} does not grow");
            std::thread::yield_now();
        }
        let refused = run_in(&folder, &["run", "models/computed.toml", "-o", output]).expect(1);
        assert!(refused.stderr.contains("another process is writing it"), "{output}: {}", refused.stderr);
        assert!(grown(200_000), "{output} was cut by the one that was refused");
        // Killed without a warning, it blocks nobody.
        first.kill();
        run_in(&folder, &["run", "models/computed.toml", "-o", output]).expect(0);
    }
    let left = names(&folder);
    assert!(left.iter().all(|n| !n.ends_with(".new")), "{left:?}");
}
