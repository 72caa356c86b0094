//! Five people who have the README and the book, and nothing else: what each of them types, in order, and what they must see.
//!
//! Each comment `finding N` names the point of issue 17 that it holds. What only an eye can judge (drawings, pages, plots in light
//! and dark, at 480, 1200 and 1800 px) is looked at by hand: here it is only held that the files are there and say the right words.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::laboratory::conversation;
use super::serve::{Client, Serving};
use super::{Outcome, file, interfield, lab, program};

/// The folder in which one of them works.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("role-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Desk(path)
    }

    /// Types a command, without `interfield`.
    fn types(&self, args: &[&str], code: i32) -> Outcome {
        let output =
            program().current_dir(&self.0).env("COLUMNS", "80").args(args).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }.expect(code)
    }

    fn json(&self, args: &[&str], code: i32) -> Value {
        self.types(&[args, &["--json"]].concat(), code).json()
    }

    fn writes(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn reads(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

/// A model that the documents show under this name.
fn printed(document: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let text = std::fs::read_to_string(path).expect("a document");
    let (_, block) = text.split_once(&format!("```toml {name}\n")).expect("the model");
    block.split_once("```").expect("its end").0.to_owned()
}

fn has_all(text: &str, words: &[&str]) {
    words.iter().for_each(|w| assert!(text.contains(w), "`{w}` is missing:\n{text}"));
}

/// The error or the warning, in less than a screen, at its line.
fn told(outcome: &Outcome, words: &str, line: usize) {
    has_all(&outcome.stderr, &[words, &format!(".toml:{line}:")]);
    let lines = outcome.stderr.lines().count();
    assert!(lines <= 24, "{lines} lines:\n{}", outcome.stderr);
}

/// The student: a first run, a model of her own, mistakes, plots, a comparison.
/// Looked at by hand: the drawing of `check`, the plots, the report.
#[test]
fn a_student() {
    let desk = Desk::new("student");
    desk.types(&["new", "first", "--template", "shear-building"], 0);
    has_all(
        &desk.types(&["check", "first.toml"], 0).stdout,
        &["drawn in interfield-out/first-check.svg", "no warnings"],
    );
    // Finding 2: the drawing has names.
    has_all(&desk.reads("interfield-out/first-check.svg"), &["floor1", "roof", "storey1"]);
    // Finding 1: the most usual key is explained with what it may hold, at once.
    has_all(
        &desk.types(&["explain", "mass"], 0).stdout,
        &["node.mass: Mass on all translations", "holds    quantity: mass"],
    );

    let tower = printed("README.md", "tower.toml");
    desk.writes("tower.toml", &tower);
    has_all(&desk.types(&["run", "tower.toml"], 0).stdout, &["roof.x", "45.802", "verdict: good"]);
    let fine = desk.types(&["run", "tower.toml", "--dt", "2.5 ms", "-o", "fine.h5"], 0);
    assert!(fine.stdout.contains("8000 steps"), "{}", fine.stdout);
    let compared = desk.json(&["compare", "interfield-out/tower.h5", "fine.h5"], 0);
    let change = compared["channels"].as_array().expect("channels").iter().find(|c| c["name"] == "roof.x");
    let change = change.and_then(|c| c["relative"].as_f64()).unwrap_or_else(|| panic!("{compared:#}"));
    assert!(change > 0.0 && change < 0.02, "{change}");

    // Finding 6: a sensible choice without --channel, runs over each other, a window, panels, PNG with its resolution.
    let chosen = desk.types(&["plot", "interfield-out/tower.h5", "fine.h5", "-o", "over.svg"], 0).stdout;
    has_all(&chosen, &["roof.x", "columns.force over columns.deformation"]);
    has_all(&desk.reads("over.svg"), &["tower", "fine"]);
    let window = ["--from", "2 s", "--to", "4 s", "--panel", "roof.x", "--panel", "columns.force", "--dpi", "300"];
    desk.types(&[&["plot", "fine.h5", "-o", "window.png"][..], &window].concat(), 0);
    let png = std::fs::read(desk.0.join("window.png")).expect("a picture");
    let at = png.windows(4).position(|w| w == b"pHYs").expect("a resolution");
    let per_metre = u32::from_be_bytes(png[at + 4..at + 8].try_into().expect("four bytes"));
    assert_eq!(per_metre, 11811, "300 dots per inch");

    // Finding 4: a mistake is told once, at its cause.
    let mistake = |from: &str, to: &str, code: i32| {
        assert!(tower.contains(from), "{from}");
        desk.writes("wrong.toml", &tower.replacen(from, to, 1));
        desk.types(&["check", "wrong.toml"], code)
    };
    told(&mistake("nodes = [\"floor\", \"roof\"]", "nodes = [\"floor\", \"roof\"", 2), "`[` is never closed", 28);
    told(&mistake("\"12 kN/mm\"", "-8", 2), "the stiffness of `storey` is negative: -8 kN/mm", 30);
    told(&mistake("\"12 kN/mm\"", "1e300", 2), "1e300 kN/mm is beyond anything that is built", 30);
    told(&mistake("\"15 t\"", "0", 2), "`roof.x` has no mass", 13);
    told(&mistake("\"3 %\"", "3", 0), "a damping ratio of 300 % of critical", 33);
    told(&mistake("\"15 t\"", "15", 0), "has a mass of 15000000 kg in a model whose lengths are in mm", 14);
    told(&mistake("\"15 t\"", "\"15 kN\"", 2), "expected mass, found force", 14);
    let alone = "name = \"roof\"\nmass = \"15 t\"\n[[node]]\nname = \"mast\"\nmass = \"1 t\"";
    told(&mistake("name = \"roof\"\nmass = \"15 t\"", alone, 2), "no element with a stiffness acts on it", 16);
    // The load is called by its name.
    told(&mistake("\"5 ms\"", "\"7 ms\"", 0), "sampling interval of 10 ms of `quake`", 43);
}

/// The laboratory engineer: a hybrid test from its template to its archive.
/// Looked at by hand: the specimen in the drawing of `check`, the laboratory first in the report.
#[test]
fn a_laboratory_engineer() {
    let desk = Desk::new("laboratory");
    // Finding 1: the words are found in a template.
    let list = desk.types(&["new", "--list"], 0).stdout;
    has_all(&list, &["hybrid ", "hybrid-two-actuators", "external-opensees", "distributed"]);
    desk.types(&["new", "brace", "--template", "hybrid"], 0);
    // Finding 2: `check` shows the test as it will be run, at 80 columns.
    let shown = desk.types(&["check", "brace.toml"], 0).stdout;
    has_all(
        &shown,
        &[
            "scheme alpha-os, step 1 ms",
            "specimen brace",
            "a new target every sample",
            "compensation: ats",
            "actuator north",
            "stroke 125 mm",
            "measured force               120 kN",
        ],
    );
    shown.lines().for_each(|l| assert!(l.chars().count() <= 80, "wider than a terminal: {l}"));
    has_all(&desk.reads("interfield-out/brace-check.svg"), &["brace"]);
    let other = desk.types(&["check", "brace.toml", "--scheme", "lsrt2"], 2);
    has_all(&other.stderr, &["`lsrt2` sends two targets per step", "rate = \"2000 Hz\""]);
    let stable = desk.types(&["check", "brace.toml", "--stability"], 0).stdout;
    has_all(&stable, &["loop of structure, controller and actuators", "delay margin:", "not rehearsed yet"]);

    // Finding 5: the actuator has its name everywhere; finding 7: "it can / it may" are capacity and limit.
    let rehearsed = desk.types(&["rehearse", "brace.toml", "--until", "2 s"], 0).stdout;
    has_all(&rehearsed, &["capacity  limit  margin [%]", "brace.north  force [kN]", "ready for the test"]);
    let run = desk.json(&["run", "brace.toml", "--until", "2 s", "-o", "near.h5"], 0);
    assert_eq!(run["laboratory"][0]["actuators"][0]["actuator"], "north");
    assert_eq!((&run["laboratory"][0]["verdict"], &run["verdict"]), (&"good".into(), &"good".into()));
    has_all(&desk.types(&["show", "near.lab.h5"], 0).stdout, &["brace.north.target", "brace.north.force"]);

    // The laboratory in another process gives the same bits, and counts in words.
    let model = desk.0.join("brace.toml");
    let (hosted, address) = lab::lab(&model, "udp://127.0.0.1:0", &[]);
    let text =
        desk.reads("brace.toml").replacen("rate = \"1 kHz\"", &format!("rate = \"1 kHz\"\nat = \"{address}\""), 1);
    desk.writes("far.toml", &text);
    let far = desk.types(&["run", "far.toml", "--until", "2 s", "-o", "far.h5"], 0).stdout;
    has_all(&far, &["round trip (99.9 %) "]);
    assert_eq!(hosted.end().0, Some(0));
    let same = desk.json(&["compare", "near.h5", "far.h5"], 0);
    for channel in same["channels"].as_array().expect("channels") {
        assert_eq!(channel["relative"], 0.0, "{channel}");
    }

    // An operator at the keyboard.
    let quick = desk.reads("brace.toml").replace("ramp = \"5 s\"", "ramp = \"0.2 s\"");
    let words = ["status until running", "pause", "note a crack at the base", "dance", "resume", "stop"];
    let (heard, stopped) = conversation("role-operator", &quick, &["--real-time"], &words);
    has_all(&heard.join("\n"), &["pause: pausing", "note a crack at the base: noted", "unknown command `dance`"]);
    has_all(&stopped.expect(3).stdout, &["stopped by the operator"]);

    // OpenSees moves the specimen (finding 8: in the units of the file, and it is told how the test went).
    let served = file("role-served.toml", printed("docs/book/src/opensees.md", "served.toml"));
    let serving = Serving::start(&served, &[]);
    let mut client = Client::connect(&serving);
    let force = (1..=10).map(|k| client.force(f64::from(k))).last().expect("a force");
    // 4 kN/mm that yields at 40 kN, bent over by then.
    assert!(force > 20.0 && force < 40.0, "{force} kN");
    client.commit(10.0);
    client.say(99.0, 0.0);
    serving.end(0);

    // The evidence.
    desk.types(&["pack", "near.h5", "-o", "evidence"], 0);
    assert!(desk.has("evidence.zip"));
    has_all(&desk.types(&["replay", "evidence"], 0).stdout, &["identical to the pack, bit by bit"]);
    desk.types(&["report", "near.h5", "-o", "near.html"], 0);
    let page = desk.reads("near.html");
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("the report has no `{words}`"));
    // Finding 6: the laboratory comes first in the report of a test.
    assert!(place(">Laboratory<") < place(">Peaks<"));
    desk.types(&["doctor", "--rate", "100 Hz", "--seconds", "0.05", "--json"], 0);
}

/// The researcher: forty records in a folder with a README, intensities added later, fragility, storey drifts, other schemes.
/// Looked at by hand: IDA curves, stripes and fragility on the page.
#[test]
fn a_researcher_with_forty_records() {
    let desk = Desk::new("researcher");
    let building = printed("docs/book/src/ensembles.md", "building.toml");
    desk.writes("building.toml", &building.replace("duration = \"20 s\"", "duration = \"1 s\""));
    // Two from the generator; the others by hand, as tables of a data logger: none as long as the model says.
    for seed in ["1", "2"] {
        let name = format!("records/g{seed}.csv");
        desk.types(
            &["motion", "--generate", "ec8", "--ag", "0.25g", "--seed", seed, "--duration", "4", "-o", &name],
            0,
        );
    }
    for k in 3..=40 {
        let omega = 8.0 + 0.5 * f64::from(k);
        let rows = (0..300).map(|i| {
            let t = 0.01 * f64::from(i);
            format!("{t:.2},{:.6}\n", (omega * t).sin() * (std::f64::consts::PI * t / 3.0).sin())
        });
        desk.writes(&format!("records/r{k:02}.csv"), &format!("t [s],a [m/s^2]\n{}", rows.collect::<String>()));
    }
    desk.writes("records/README.md", "# Where they are from\n");
    let study = |levels: &str, out: &str, more: &[&str]| {
        let args = ["ensemble", "building.toml", "--records", "records", "--intensity", "sa", "--levels", levels];
        desk.json(&[&args[..], &["--exceeds", "drift > 0.8 %", "-o", out], more].concat(), 0)
    };
    // Finding 3: a README does not stop it; each record runs to its end, whatever the model's second.
    let first = study("0.4 g, 1.2 g", "ida", &[]);
    assert_eq!((&first["runs"], &first["finished"]), (&80.into(), &80.into()));
    has_all(&first["remarks"].to_string(), &["`README.md` is skipped"]);
    let durations = first["records"].as_array().expect("records").iter().map(|r| r["duration_s"].as_f64().expect("s"));
    assert!(durations.clone().count() == 40 && durations.fold(f64::INFINITY, f64::min) > 2.9);
    // Another intensity extends the study: what was done is not done again, and the numbers are those of a study done at once.
    let args = ["ensemble", "building.toml", "--records", "records", "--intensity", "sa", "--levels"];
    let limit = ["0.4 g, 0.8 g, 1.2 g", "--exceeds", "drift > 0.8 %", "-o", "ida"];
    let text = desk.types(&[&args[..], &limit].concat(), 0).stdout;
    has_all(
        &text,
        &["80 were done before", "largest storey drift [%] over spectral acceleration Sa(", "fragility over"],
    );
    let extended = study("0.4 g, 0.8 g, 1.2 g", "ida", &[]);
    let median = extended["fragility"][0]["ida"]["fit"]["median"].as_f64().expect("a median");
    assert!(median > 0.4 && median < 1.2, "{median} g");
    for name in ["index.html", "ida.svg", "stripes.svg", "fragility.svg", "runs.csv", "intensities.csv"] {
        assert!(desk.has(&format!("ida/{name}")), "{name}");
    }
    has_all(&desk.reads("ida/runs.csv"), &["storey1.drift peak [%]", "storey2.drift residual [%]"]);
    // Another scheme moves the medians by little.
    let other = study("0.8 g", "other", &["--scheme", "alpha-os"]);
    assert_eq!(other["finished"], 40);

    // A file with two components: a model in one direction says which it leaves out, one in two takes both.
    let rows = (0..200).map(|i| {
        let t = 0.01 * f64::from(i);
        format!("{t:.2},{:.6},{:.6}\n", 30.0 * (9.0 * t).sin(), 50.0 * (12.0 * t).sin())
    });
    let text = format!("time_s,accel_ew_cm_s2,accel_ns_cm_s2\n{}", rows.collect::<String>());
    desk.writes("station.csv", &text);
    let plane = desk.json(&["ensemble", "building.toml", "--records", "station.csv", "-o", "plane"], 0);
    has_all(&plane["remarks"].to_string(), &["`station.csv` is used; not used: accel_ns_cm_s2"]);
    // One intensity with some runs over the limit and none above it: no claim about intensities that were not run.
    let args = ["ensemble", "building.toml", "--records", "records", "--intensity", "sa", "--levels", "0.4 g, 0.8 g"];
    let few = desk.types(&[&args[..], &["--exceeds", "drift > 0.8 %", "-o", "few"]].concat(), 0).stdout;
    assert!(!few.contains("every run does"), "{few}");
    // Nonsense is refused in words.
    let wrong = |more: &[&str]| desk.types(&[&["ensemble", "building.toml", "--records"], more].concat(), 2).stderr;
    has_all(&wrong(&["records", "--levels", "0.3"]), &["unit, for example g"]);
    has_all(&wrong(&["records", "--exceeds", "roof.x > 3 kN"]), &["`roof.x` is length, but 3 kN is force"]);
    std::fs::create_dir_all(desk.0.join("empty")).expect("a folder");
    has_all(&wrong(&["empty"]), &["there are no records in `empty`"]);
}

/// The control engineer: compensators, margins, numbers for other programs.
/// With h5py, FMPy and a C compiler `cargo xtask test` walks on; here it is what the program itself can show.
#[test]
fn a_control_engineer() {
    let desk = Desk::new("control");
    desk.types(&["new", "brace", "--template", "hybrid"], 0);
    has_all(&desk.types(&["compensators"], 0).stdout, &["early", "ats", "polynomial"]);
    // Finding 7: no "papers 000, 002" without a reference, in the catalogues too.
    for catalogue in ["compensators", "schemes", "couplings", "elements"] {
        let text = desk.types(&[catalogue], 0).stdout;
        assert!(!text.contains("paper 00") && !text.contains("papers 00"), "{text}");
    }
    has_all(
        &desk.types(&["explain", "specimen.compensation.delay"], 0).stdout,
        &["holds    quantity: time", "default  0"],
    );
    has_all(&desk.types(&["explain", "early"], 2).stderr, &["`early` is `compensation.early`"]);

    // Margins, with their units; more delay than the margin makes the loop unstable, and that is said.
    let margins = desk.json(&["rehearse", "brace.toml", "--until", "1 s"], 0);
    let margin = margins["critical_delay"].as_f64().expect("a margin");
    assert_eq!(margins["units"]["critical_delay"], "s");
    assert!(margin > 0.005 && margin < 0.05, "{margin} s");
    let late = desk.reads("brace.toml").replacen("delay = 0 ", &format!("delay = \"{} s\" ", 2.0 * margin), 1);
    desk.writes("late.toml", &late);
    has_all(&desk.types(&["check", "late.toml", "--stability"], 3).stdout, &["unstable"]);

    // Finding 5: one set of units, each number with its unit; names of actuators; no internals.
    let run = desk.json(&["run", "brace.toml", "--until", "1 s", "-o", "brace.h5"], 0);
    let actuator = &run["laboratory"][0]["actuators"][0];
    assert_eq!((&actuator["units"]["force"], &actuator["units"]["stroke"]), (&"kN".into(), &"mm".into()));
    assert!(run["channels"].as_array().expect("channels").iter().all(|c| c["unit"].is_string()));
    let shown = desk.types(&["show", "brace.h5"], 0).stdout;
    has_all(&shown, &["scheme               alpha-os", "dt                   0.001 s"]);
    assert!(!shown.contains(" { ") && !shown.contains("Splitting("), "{shown}");

    // Generated code and mock-up unit: units, hash, version.
    desk.types(&["export", "c", "brace.toml", "--out", "c"], 0);
    let header = desk.reads("c/brace.h");
    has_all(&header, &["Generated by Interfield ", "SHA-256", "floor1.x.initial, mm, default", "brace.force, kN"]);
    desk.types(&["export", "fmu", "brace.toml", "--out", "brace.fmu"], 0);
    let unit = desk.types(&["fmu", "brace.fmu"], 0).stdout;
    has_all(&unit, &["equal steps only", "SHA-256", "brace.force ", "kN"]);
    // Finding 8: without a specimen any step will do, 1.3 ms too, and the run ends.
    let chain = super::models().join("duffing-chain.toml");
    desk.types(&["export", "fmu", chain.to_str().expect("UTF-8"), "--out", "chain.fmu"], 0);
    desk.types(&["fmu", "chain.fmu", "--run", "--until", "0.1", "--step", "0.0013", "-o", "chain.csv"], 0);
    assert!(desk.reads("chain.csv").lines().count() > 70);
}

/// The sceptic: options without effect, absurd numbers, a run that is cut off, and the claims of the README.
#[test]
fn a_sceptic() {
    let desk = Desk::new("sceptic");
    let tower = printed("README.md", "tower.toml");
    desk.writes("tower.toml", &tower);
    // Finding 4: an option without effect is told, or refused.
    for (option, code) in [("--whole", 0), ("--threads", 0), ("--arm", 0), ("--real-time", 2)] {
        let said = desk.types(&["run", "tower.toml", "--until", "1 s", option], code).stderr;
        has_all(&said, &[option, if code == 0 { "has no effect" } else { "the model has no specimen" }]);
    }
    for option in [["--core", "1"], ["--wake", "spin"], ["--confirm", "x"], ["--substeps", "3"], ["--coupling", "pmc"]]
    {
        has_all(&desk.types(&[&["run", "tower.toml"], &option[..]].concat(), 2).stderr, &[option[0]]);
    }
    // Warnings about an option point at it, not at line 1.
    let coarse = desk.types(&["check", "tower.toml", "--dt", "1 s"], 0).stderr;
    has_all(&coarse, &["the step is too coarse for mode 1", "command line: --dt \"1 s\""]);
    assert!(!coarse.contains("tower.toml:1:"), "{coarse}");
    // One step of 5 s for 2 s; a run that would fill the disk; units of another kind.
    has_all(&desk.types(&["run", "tower.toml", "--dt", "5 s", "--until", "2 s"], 2).stderr, &["shorter than one step"]);
    has_all(&desk.types(&["run", "tower.toml", "--until", "4e9 s"], 1).stderr, &["the disk is too small", "GB free"]);
    has_all(&desk.types(&["run", "tower.toml", "--until", "3 m"], 2).stderr, &["expected time, found length"]);
    has_all(&desk.types(&["run", "tower.toml", "-o", "results.pdf"], 2).stderr, &["unknown file type"]);
    has_all(&desk.types(&["run", "tower.toml", "--resume"], 2).stderr, &["there is no checkpoint"]);

    // A killed run is readable, goes on where it was saved, and equals one that was not killed.
    let long = ["run", "tower.toml", "--dt", "0.05 ms", "--until", "2 s", "-o"];
    let mut child = program()
        .current_dir(&desk.0)
        .args(long)
        .args(["cut.h5", "--checkpoint", "0.05"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    while !desk.has("cut.checkpoint") && child.try_wait().expect("a process").is_none() {
        std::thread::yield_now();
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    desk.types(&["show", "cut.h5"], 0);
    if desk.has("cut.checkpoint") {
        let other =
            desk.types(&["run", "tower.toml", "--dt", "0.05 ms", "--until", "1 s", "-o", "cut.h5", "--resume"], 2);
        has_all(&other.stderr, &["another model or other options"]);
        desk.types(&[&long[..], &["cut.h5", "--resume"]].concat(), 0);
    }
    desk.types(&[&long[..], &["whole.h5"]].concat(), 0);
    let same = desk.json(&["compare", "cut.h5", "whole.h5"], 0);
    assert!(same["channels"].as_array().expect("channels").iter().all(|c| c["relative"] == 0.0), "{same:#}");

    // What the README counts.
    let readme = std::fs::read_to_string(super::models().join("../README.md")).expect("the README");
    let count = |kind: &str| interfield(&[kind, "--json"]).expect(0).json().as_array().expect("a list").len();
    for (kind, words) in [
        ("schemes", "integration schemes**"),
        ("couplings", "couplings of substructures**"),
        ("elements", "element types**"),
    ] {
        assert!(readme.contains(&format!("**{} {words}", count(kind))), "{} {words}", count(kind));
    }
    assert!(readme.contains("twelve compensators") && count("compensators") == 12);
    // Finding 7: it claims no more than is so, and the odd words are gone.
    for odd in ["every monolithic integrator", "every published coupling", "it can  it may", "bears"] {
        assert!(!readme.contains(odd), "the README says `{odd}`");
    }
    // Every command that reports something does so as JSON too.
    let help = interfield(&["--help"]).expect(0).stdout;
    let commands = help.split_once("Commands:").expect("a list").1.split_once("Options:").expect("its end").0;
    let named = commands.lines().filter_map(|l| l.strip_prefix("  ")?.split(' ').next().filter(|w| !w.is_empty()));
    let named: Vec<&str> = named.filter(|c| !["help", "key", "schema", "completions", "man"].contains(c)).collect();
    assert!(named.len() > 25, "{named:?}");
    for command in named {
        let program = [("import", "opensees"), ("bench", "vrths")].into_iter().find(|p| p.0 == command).map(|p| p.1);
        let args: Vec<&str> = [command].into_iter().chain(program).chain(["--help"]).collect();
        has_all(&interfield(&args).expect(0).stdout, &["--json"]);
    }
}
