//! Scripts of OpenSees in the manner of its examples (`testkit/opensees-scripts`), scripts in Tcl, and `--compare` without OpenSees: a
//! module that answers in its place. With the real one they are compared by `cargo xtask test opensees`.

use std::path::{Path, PathBuf};

use super::{Outcome, program};

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/opensees-scripts")
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn import(script: &Path, out: &Path, more: &[&str]) -> Outcome {
    import_with(script, out, more, &[])
}

fn import_with(script: &Path, out: &Path, more: &[&str], environment: &[(&str, &Path)]) -> Outcome {
    let mut command = program();
    command.args(["import", "opensees"]).arg(script).arg("-o").arg(out).args(more);
    for (name, value) in environment {
        command.env(name, value);
    }
    let output = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The model without what names the script.
fn model(out: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(out.join(name)).expect("a model");
    text.lines().filter(|l| !l.starts_with('#')).map(|l| l.to_owned() + "\n").collect()
}

#[test]
fn every_script_becomes_models_that_are_read_again() {
    let out = folder("scripts-all");
    let parts = ["rc_portal_model.py", "rc_portal_section.tcl"];
    let mut count = 0;
    for entry in std::fs::read_dir(scripts()).expect("scripts") {
        let path = entry.expect("a script").path();
        let name = path.file_name().and_then(|n| n.to_str()).expect("UTF-8").to_owned();
        if !(name.ends_with(".py") || name.ends_with(".tcl")) || parts.contains(&name.as_str()) {
            continue;
        }
        // Models are read again before the program ends.
        let told = import(&path, &out.join(&name), &["--json"]).expect(0).json();
        let models = told["models"].as_array().expect("models");
        assert!(models.iter().all(|m| m["command"] == "run" || m["command"] == "pushover"), "{name}: {told:#}");
        assert!(!models.is_empty(), "{name}: {told:#}");
        let wrong: Vec<_> = told["findings"].as_array().expect("findings").iter().filter(|f| f["line"] == 0).collect();
        assert!(wrong.is_empty(), "{name}: findings without a line: {wrong:?}");
        count += 1;
    }
    assert!(count >= 25, "{count}");
}

#[test]
fn a_script_says_the_same_in_both_languages() {
    let out = folder("scripts-two");
    for name in ["braced_frame", "building_3d", "cantilever_cyclic", "rc_portal_pushover"] {
        let [python, tcl] = ["py", "tcl"].map(|language| {
            let out = out.join(language);
            import(&scripts().join(name).with_extension(language), &out, &[]).expect(0);
            model(&out, &format!("{name}.toml"))
        });
        assert_eq!(python, tcl, "{name}");
    }
}

/// A cantilever in Tcl with what scripts do besides: procedures, a second file, a record that is converted, files that are written.
const HOSTILE: &str = r#"source "parts of it/lib ü.tcl"
wipe all
model Basic -ndm 2 -ndf 3
foreach {tag x y} {1 0. 0. 2 0. 3.} { eval "node $tag $x $y" }
fix 1 1 1 1
mass 2 10. 10. 0.
geomTransf Linear 1
build::column 1 1 2
convert rec.txt rec.g3 dt
set omega [expr {sqrt([lindex [eigen 1] 0])}]
rayleigh [expr {2 * 0.02 * $omega}] 0 0 0
pattern UniformExcitation 7 1 -accel "Series -dt $dt -filePath rec.g3 -factor 9.81"
exec touch started
file mkdir made
set out [open made.txt w]
puts $out "hello"
close $out
constraints Plain
numberer Plain; system BandGeneral
integrator Newmark 0.5 0.25
analysis Transient
set t 0
while {$t < 0.5} {
    set ok [analyze 1 0.01]
    set t [getTime]
}
error "my own \"end\""
"#;

const PARTS: &str = r#"proc convert {in out dtName} {
    upvar $dtName dt
    set dt 0.02
    set from [open $in r]
    set to [open $out w]
    while {[gets $from line] >= 0} { foreach a $line { puts $to [expr {$a * 2}] } }
    close $from
    close $to
}
namespace eval build {
    proc column {tag i j} {
        element elasticBeamColumn $tag $i $j 0.1 2e8 1e-3 1
    }
}
"#;

#[test]
fn a_script_in_tcl_is_read_without_touching_anything() {
    let out = folder("scripts-hostile");
    std::fs::create_dir(out.join("parts of it")).expect("a folder");
    std::fs::write(out.join("parts of it/lib ü.tcl"), PARTS).expect("written");
    std::fs::write(out.join("rec.txt"), "0 0.1\n0.2 0.1\n0 0\n").expect("written");
    let script = out.join("hostile.tcl");
    std::fs::write(&script, HOSTILE).expect("written");
    let told = import(&script, &out.join("models"), &["--json"]).expect(0).json();
    let finding = |command: &str| {
        let all = told["findings"].as_array().expect("findings");
        all.iter().find(|f| f["command"] == command).unwrap_or_else(|| panic!("no {command}: {told:#}")).clone()
    };
    assert_eq!(
        (finding("rayleigh")["kind"].as_str(), finding("rayleigh")["line"].as_u64()),
        (Some("replaced"), Some(11))
    );
    assert_eq!((finding("exec")["kind"].as_str(), finding("exec")["line"].as_u64()), (Some("ignored"), Some(13)));
    let end = finding("end");
    assert!(end["message"].as_str().is_some_and(|m| m.contains("my own \"end\"")), "{end}");
    assert_eq!(end["line"], 27);
    for name in ["started", "made", "made.txt", "rec.g3"] {
        assert!(!out.join(name).exists(), "{name} was made");
    }
    let model = model(&out.join("models"), "hostile.toml");
    assert!(model.contains("duration = 0.5"), "{model}");
    let record = std::fs::read_to_string(out.join("models/hostile-record1.txt"));
    assert!(model.contains("0.4") || record.is_ok_and(|r| r.contains("0.4")), "{model}");
}

#[test]
fn a_missing_tclsh_or_openseespy_is_told_with_its_remedy() {
    let out = folder("scripts-missing");
    let script = scripts().join("cantilever_cyclic.tcl");
    let told = import_with(&script, &out, &[], &[("PATH", Path::new("/nonexistent"))]).expect(1);
    assert!(
        told.stderr.contains("`tclsh` cannot be started") && told.stderr.contains("apt install tcl"),
        "{}",
        told.stderr
    );
    // A Python without openseespy.
    let python = out.join("python");
    std::fs::write(&python, "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'openseespy'\" >&2\nexit 1\n")
        .expect("written");
    #[cfg(unix)]
    std::fs::set_permissions(&python, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    let told = import(&script, &out, &["--compare", "--python", python.to_str().expect("UTF-8")]).expect(1);
    for part in ["cannot load openseespy", "No module named 'openseespy'", "pip install openseespy", "--python"] {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

/// A module that answers as OpenSees would for a column that is pushed: its tip goes where it is led, the load factor is `FACTOR` of it.
const FAKE: &str = "time, led, rows = 0.0, 0.0, 0
control = [0, 0, 0.0]
for name in 'model node fix geomTransf element timeSeries pattern load constraints numberer system analysis eigen wipe wipeAnalysis loadConst reset'.split():
    globals()[name] = lambda *a: None
def version():
    return 'none'
def getNodeTags():
    return [1, 2]
def integrator(*a):
    global control
    control = list(a[1:4]) if a[0] == 'DisplacementControl' else [0, 0, 0.0]
def analyze(n):
    global led, time
    if control[0]:
        led += control[2]
        time = FACTOR * led
    return 0
def getTime():
    return time
def nodeDisp(n, d):
    return led if (n, d) == (2, 1) else 0.0
";

const COLUMN: &str = "model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 4
fix 1 1 1 1
fix 2 0 1 1
geomTransf Linear 1
element elasticBeamColumn 1 1 2 0.1 2e8 1e-4 1
timeSeries Linear 1
pattern Plain 1 1 { load 2 1.0 0 0 }
constraints Plain; numberer Plain; system BandGeneral
integrator DisplacementControl 2 1 0.001
analysis Static
analyze 10
";

#[test]
fn a_comparison_tells_the_difference_and_keeps_its_tolerance() {
    let out = folder("scripts-compare");
    let script = out.join("column.tcl");
    std::fs::write(&script, COLUMN).expect("written");
    // 12 E I / h^3 of a column whose head does not turn.
    let stiffness = 12.0 * 2e8 * 1e-4 / 64.0;
    for (error, code) in [(1.0, 0), (1.01, 3)] {
        let module = out.join(format!("module{code}"));
        std::fs::create_dir_all(module.join("openseespy")).expect("a folder");
        std::fs::write(module.join("openseespy/__init__.py"), "").expect("written");
        let text = FAKE.replace("FACTOR", &format!("{}", error * stiffness));
        std::fs::write(module.join("openseespy/opensees.py"), text).expect("written");
        let plot = module.join("both.svg");
        let plotted = plot.to_str().expect("UTF-8");
        let more = ["--compare", "--tolerance", "1e-6", "--force", "--json", "--python", "python3", "--plot", plotted];
        let told = import_with(&script, &out, &more, &[("PYTHONPATH", &module)]).expect(code).json();
        let analysis = &told["comparison"]["analyses"][0];
        assert_eq!(
            (analysis["steps_opensees"].as_u64(), analysis["steps_compared"].as_u64()),
            (Some(10), Some(10)),
            "{told:#}"
        );
        let relative = analysis["relative"].as_f64().expect("a difference");
        assert!((relative - (error - 1.0) / error).abs() < 1e-9, "{relative}");
        let factor = analysis["channels"].as_array().expect("channels").iter().find(|c| c["name"] == "load factor");
        let peak = factor.and_then(|c| c["peak_opensees"].as_f64()).expect("a load factor");
        assert!((peak / (0.01 * error * stiffness) - 1.0).abs() < 1e-9, "{peak}");
        let verdict = analysis["verdict"].as_str().expect("a verdict");
        assert!(verdict.contains(if code == 0 { "the same result" } else { "agreement" }), "{verdict}");
        assert!(std::fs::read_to_string(plot).is_ok_and(|svg| svg.contains("OpenSees")));
    }
}
