//! `interfield import opensees`: scripts run by Python against the recording module, models, and what is said of the rest.

use std::path::{Path, PathBuf};

use super::{Outcome, file, interfield};

/// A folder of its own with a script.
fn script(folder: &str, name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a script");
    path
}

/// Imports it, with the model beside it.
fn import(script: &Path, more: &[&str]) -> Outcome {
    let output = script.with_extension("toml").display().to_string();
    let script = script.display().to_string();
    interfield(&[&["import", "opensees", &script, "-o", &output][..], more].concat())
}

fn text(script: &Path) -> String {
    std::fs::read_to_string(script.with_extension("toml")).expect("the model was written")
}

/// A portal with fibre columns: gravity, then a ground motion in steps of a loop.
const PORTAL: &str = "
model('basic', '-ndm', 2, '-ndf', 3)
width, height = 360.0, 144.0
node(1, 0.0, 0.0); node(2, width, 0.0); node(3, 0.0, height); node(4, width, height)
fix(1, 1, 1, 1); fix(2, 1, 1, 1)
uniaxialMaterial('Concrete01', 1, -6.0, -0.004, -5.0, -0.014)
uniaxialMaterial('Steel01', 3, 60.0, 30000.0, 0.01)
section('Fiber', 1)
patch('rect', 1, 10, 1, -10.5, -6.0, 10.5, 6.0)
layer('straight', 3, 3, 0.6, 10.5, 6.0, 10.5, -6.0)
layer('straight', 3, 3, 0.6, -10.5, 6.0, -10.5, -6.0)
geomTransf('PDelta', 1); geomTransf('Linear', 2)
beamIntegration('Lobatto', 1, 1, 5)
element('forceBeamColumn', 1, 1, 3, 1, 1)
element('forceBeamColumn', 2, 2, 4, 1, 1)
element('elasticBeamColumn', 3, 3, 4, 360.0, 4030.0, 8640.0, 2)
mass(3, 0.466, 0.466, 0.0); mass(4, *[0.466, 0.466, 0.0])
timeSeries('Linear', 1)
pattern('Plain', 1, 1)
load(3, [0.0, -180.0, 0.0]); load(4, 0.0, -180.0, 0.0)
system('BandGeneral'); constraints('Plain'); numberer('RCM'); test('NormDispIncr', 1e-8, 10); algorithm('Newton')
integrator('LoadControl', 0.1)
analysis('Static')
analyze(10)
loadConst('-time', 0.0)
wipeAnalysis()
timeSeries('Path', 2, '-dt', 0.02, '-filePath', 'quake.txt', '-factor', 386.4)
pattern('UniformExcitation', 2, 1, '-accel', 2)
rayleigh(0.3, 0.0, 0.001, 0.0)
algorithm('Newton'); integrator('Newmark', 0.5, 0.25); analysis('Transient')
while getTime() < 2.0 - 1e-9:
    if analyze(1, 0.01) != 0:
        break
    print(nodeDisp(3, 1))
";

fn portal(folder: &str, before: &str) -> PathBuf {
    let path = script(folder, "portal.py", &format!("{before}{PORTAL}"));
    let values: String = (0..100).map(|i| format!("{:.4}\n", 0.1 * (f64::from(i) * 0.3).sin())).collect();
    std::fs::write(path.with_file_name("quake.txt"), values).expect("a record");
    path
}

#[test]
fn a_portal_becomes_a_model_that_runs() {
    let path = portal("import-portal", "from openseespy.opensees import *\n");
    let told = import(&path, &[]).expect(0);
    assert!(told.stdout.contains("a script is a program"), "{}", told.stdout);
    assert!(
        told.stdout.contains("units: kip, in, s (guessed: E of Steel01 3 = 30000 is that of steel"),
        "{}",
        told.stdout
    );
    let model = text(&path);
    for part in [
        "# Translated from the OpenSees script portal.py by Interfield",
        "{ name = \"n4\", at = [360, 144], mass = 0.466 }",
        "{ type = \"gravity\", at = \"n3.y\", force = -180 }",
        "path = \"portal-record1.txt\", format = \"columns\", dt = 0.02, scale = 386.4",
        "rayleigh = { a0 = 0.3, a1 = 0.001 }",
        "scheme = \"newmark-newton\"\ndt = 0.01\nduration = 2\n",
        "\"n3.x\"",
    ] {
        assert!(model.contains(part), "`{part}` is missing:\n{model}");
    }
    let model = path.with_extension("toml").display().to_string();
    interfield(&["check", &model]).expect(0);
    let results = path.with_extension("csv").display().to_string();
    interfield(&["run", &model, "-o", &results]).expect(0);
}

#[test]
fn ways_to_import_the_module_say_the_same() {
    let star = portal("import-star", "from openseespy.opensees import *\n");
    import(&star, &[]).expect(0);
    let body = PORTAL.lines().map(|l| l.to_owned() + "\n").collect::<String>();
    let dotted = [
        "import openseespy.opensees as ops",
        "import opensees as ops",
        "import openseespy.opensees as ops; import opsvis as opsv; import vfo.vfo as vfo; opsv.plot_model(); vfo.plot_model()",
    ];
    let same = |model: &str| model.lines().filter(|l| !l.starts_with("# SHA-256")).collect::<Vec<_>>().join("\n");
    for (i, words) in dotted.iter().enumerate() {
        let head = format!("{words}\nglobals().update({{n: getattr(ops, n) for n in ops.__all__}})\n");
        let path = script(&format!("import-dotted-{i}"), "portal.py", &format!("{head}{body}"));
        std::fs::copy(star.with_file_name("quake.txt"), path.with_file_name("quake.txt")).expect("a record");
        import(&path, &[]).expect(0);
        assert_eq!(same(&text(&path)), same(&text(&star)), "{words}");
    }
}

/// A mass on a cantilever, with what follows.
fn cantilever(more: &str) -> String {
    format!(
        "import openseespy.opensees as ops
ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
ops.node(1, 0.0, 0.0); ops.node(2, 0.0, 3.0)
ops.fix(1, 1, 1, 1)
ops.mass(2, 12.0, 12.0, 0.0)
ops.geomTransf('Linear', 1)
ops.element('elasticBeamColumn', 1, 1, 2, 0.1, 2e8, 1e-4, 1)
{more}"
    )
}

const SHAKE: &str = "
ops.timeSeries('Path', 2, '-dt', 0.1, '-values', 0.0, 1.0, -1.0, 0.0)
ops.pattern('UniformExcitation', 2, 1, '-accel', 2)
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
ops.analyze(100, 0.01)
";

#[test]
fn eigenvalues_are_computed_and_numbers_that_descend_from_them_are_right() {
    let damped = "
from math import sqrt
lam = ops.eigen('-fullGenLapack', 1)
omega = sqrt(lam[0])
ops.rayleigh(2 * 0.05 * omega, 0.0, 0.0, 0.0)
shape = ops.nodeEigenvector(2, 1, 1)
";
    let path = script("import-eigen", "modes.py", &cantilever(&format!("{damped}{SHAKE}")));
    let told = import(&path, &["--units", "kN,m"]).expect(0);
    assert!(told.stdout.contains("modes.py:13: rayleigh: its numbers descend from eigen, which"), "{}", told.stdout);
    // The rotation has no mass: k = 3 E I / L^3.
    let omega = (3.0 * 2e8 * 1e-4 / 27.0 / 12.0f64).sqrt();
    let model = text(&path);
    let written = model.split("a0 = ").nth(1).and_then(|t| t.split([' ', ',']).next()).expect("a0");
    let a0: f64 = written.parse().expect("a number");
    assert!((a0 / (0.1 * omega) - 1.0).abs() < 1e-9, "{a0} for {}", 0.1 * omega);
}

#[test]
fn displacements_at_rest_are_computed_too() {
    let held = "
ops.timeSeries('Linear', 1); ops.pattern('Plain', 1, 1); ops.load(2, 40.0, 0.0, 0.0)
ops.integrator('LoadControl', 0.1); ops.analysis('Static'); ops.analyze(10)
u = ops.nodeDisp(2, 1)
ops.loadConst('-time', 0.0)
ops.mass(2, 1000 * u, 1000 * u, 0.0)
";
    let path = script("import-rest", "rest.py", &cantilever(&format!("{held}{SHAKE}")));
    import(&path, &["--units", "kN,m"]).expect(0);
    let model = text(&path);
    let written = model.split("mass = ").nth(1).and_then(|t| t.split(' ').next()).expect("a mass");
    let mass: f64 = written.parse().expect("a number");
    // u = F L^3 / 3 E I.
    assert!((mass / (1000.0 * 40.0 * 27.0 / (3.0 * 2e8 * 1e-4)) - 1.0).abs() < 1e-9, "{mass}");
}

#[test]
fn numbers_that_descend_from_motions_are_refused() {
    let path = script(
        "import-descends",
        "late.py",
        &cantilever(&format!("{SHAKE}ops.mass(2, 1.0 + abs(ops.nodeAccel(2, 1)), 1.0, 0.0)\n")),
    );
    let told = import(&path, &[]).expect(2);
    assert!(told.stdout.contains("late.py:15: mass: its numbers descend from nodeAccel"), "{}", told.stdout);
    assert!(!path.with_extension("toml").exists());
}

#[test]
fn each_kind_of_unknown_command_is_told_with_line_and_remedy() {
    let strange = "ops.uniaxialMaterial('Pinching4', 7, 1.0, 2.0)
ops.node(3, 1.0, 3.0); ops.fix(3, 1, 1, 1)
ops.element('truss', 2, 1, 2, 0.1, 7)
ops.element('quad', 3, 1, 2, 3, 1, 0.1, 'PlaneStress', 1)
ops.section('LayeredShell', 4, 1)
ops.frobnicate(1)
ops.printModel()
ops.integrator('ArcLength', 1.0, 0.1)
ops.analysis('Static')
ops.analyze(2)
";
    let path = script("import-strange", "strange.py", &cantilever(strange));
    let told = import(&path, &[]).expect(2);
    for (line, words) in [
        (9, "uniaxialMaterial Pinching4: Interfield has no material `Pinching4`"),
        (12, "element quad: `quad` is no member of a frame"),
        (14, "frobnicate: the command is unknown"),
        (18, "integrator ArcLength: static analysis with ArcLength is unknown"),
    ] {
        let flat = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(&format!("strange.py:{line}: {words}")), "{line} {words}:\n{}", told.stdout);
    }
    assert!(told.stdout.contains("No model is written") && !path.with_extension("toml").exists());
    let allowed = ["--allow", "Pinching4", "--allow", "quad", "--allow", "frobnicate", "--allow", "ArcLength"];
    let json = import(&path, &[&allowed[..], &["--json"]].concat()).json();
    let findings = json["findings"].as_array().expect("findings");
    let of = |kind: &str| findings.iter().filter(|f| f["kind"] == kind).count();
    assert_eq!((of("refused"), of("ignored") > 0, of("replaced") >= 5), (0, true, true), "{json:#}");
}

#[test]
fn a_command_that_may_be_left_out_is_left_out() {
    let path = script("import-allow", "allow.py", &cantilever(&format!("ops.frobnicate(1)\n{SHAKE}")));
    import(&path, &[]).expect(2);
    let told = import(&path, &["--allow", "frobnicate"]).expect(0);
    assert!(told.stdout.contains("left out, as --allow says"), "{}", told.stdout);
    text(&path);
}

#[test]
fn a_script_that_dies_after_its_analysis_is_translated() {
    let path = script("import-dies", "dies.py", &cantilever(&format!("{SHAKE}\nopen('disp.out').read()\n")));
    let told = import(&path, &[]).expect(0);
    assert!(
        told.stdout.contains("dies.py:16: end: the script stopped with an error: FileNotFoundError"),
        "{}",
        told.stdout
    );
    text(&path);
}

#[test]
fn a_script_that_dies_before_is_refused() {
    let path = script("import-early", "early.py", &cantilever("raise ValueError('no section')\n"));
    let told = import(&path, &[]).expect(2);
    assert!(
        told.stdout.contains("early.py:9: end: the script stopped with an error: ValueError: no section"),
        "{}",
        told.stdout
    );
    let path = script("import-syntax", "syntax.py", "import openseespy.opensees as ops\nops.node(1, 0.0\n");
    let told = import(&path, &[]).expect(2);
    assert!(told.stdout.contains("SyntaxError"), "{}", told.stdout);
}

#[test]
fn a_script_without_end_is_stopped() {
    let path = script("import-endless", "endless.py", &cantilever("while True:\n    ops.nodeDisp(2, 1)\n"));
    let told = import(&path, &["--timeout", "2"]).expect(2);
    assert!(told.stdout.contains("was stopped (--timeout)"), "{}", told.stdout);
    let path = script(
        "import-deaf",
        "deaf.py",
        &cantilever(
            "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nops.eigen(1)\nwhile True:\n    pass\n",
        ),
    );
    let told = import(&path, &["--timeout", "2"]).expect(2);
    assert!(told.stdout.contains("was stopped (--timeout)"), "{}", told.stdout);
}

#[test]
fn loops_that_wait_for_the_analysis_end() {
    let loops = "
ops.timeSeries('Linear', 1); ops.pattern('Plain', 1, 1); ops.load(2, 1.0, 0.0, 0.0)
ops.integrator('DisplacementControl', 2, 1, 0.001)
ops.analysis('Static')
ok, step = -1, 0
while ok != 0:
    ok = ops.analyze(1)
u = ops.nodeDisp(2, 1)
while abs(u) < 0.0495:
    ops.analyze(1)
    u = ops.nodeDisp(2, 1)
";
    let path = script("import-loops", "loops.py", &cantilever(loops));
    import(&path, &["--units", "kN,m"]).expect(0);
    let model = text(&path);
    assert!(model.contains("control = \"n2.x\"\npattern = { \"n2.x\" = 1 }\nto = 0.05\nstep = 0.001\n"), "{model}");
}

#[test]
fn a_script_may_print_exit_read_its_arguments_and_call_a_plotter() {
    let busy = format!(
        "import sys, os
import matplotlib.pyplot as plt
print('x' * 3000000)
sys.stderr.write('y' * 3000000)
assert os.path.exists('data.txt')
ops.mass(2, float(sys.argv[1]), float(sys.argv[1]), 0.0)
{SHAKE}
figure, axes = plt.subplots()
plt.plot([1, 2], [3, 4]); plt.show()
open('written.txt', 'w').write('done')
sys.exit(0)
"
    );
    let path = script("import-busy", "busy.py", &cantilever(&busy));
    std::fs::write(path.with_file_name("data.txt"), "1").expect("data");
    import(&path, &["--", "7.5"]).expect(0);
    assert!(text(&path).contains("mass = 7.5"));
    assert!(path.with_file_name("written.txt").exists(), "the script runs in its own folder");
}

#[test]
fn arrays_are_opened_as_openseespy_opens_them() {
    let arrays = format!(
        "class Array(list):
    def ravel(self): return self
    def tolist(self): return [[float(x)] for x in self]
class Whole:
    def __index__(self): return 2
class Single:
    def item(self): return 9.5
ops.mass(Whole(), Array([3, 4]), (0.0,))
ops.node(3, Single(), [[0.0]], '-mass', Array([1, 1]), 0.0)
ops.element('elasticBeamColumn', 2, *(2, 3), [0.1, 2e8, 1e-4], 1)
{SHAKE}"
    );
    let path = script("import-arrays", "arrays.py", &cantilever(&arrays));
    import(&path, &[]).expect(0);
    let model = text(&path);
    assert!(model.contains("mass = { x = 3, y = 4 }") && model.contains("at = [9.5, 0], mass = 1 }"), "{model}");
}

#[test]
fn no_python_no_model_no_file_and_wrong_units_are_told() {
    let path =
        script("import-none", "none.py", "import openseespy.opensees as ops\nops.wipe()\nprint(ops.getNodeTags())\n");
    let told = import(&path, &[]).expect(2);
    assert!(told.stdout.contains("the script has built no model with elements"), "{}", told.stdout);
    let told = import(&path, &["--python", "no-such-python"]).expect(1);
    assert!(
        told.stderr.contains("`no-such-python` cannot be started") && told.stderr.contains("--python"),
        "{}",
        told.stderr
    );
    let told = import(&path, &["--units", "kN"]).expect(2);
    assert!(told.stderr.contains("these units are unknown") && told.stderr.contains("kip,in"), "{}", told.stderr);
    let told = interfield(&["import", "opensees", "nowhere.py"]).expect(1);
    assert!(told.stderr.contains("nowhere.py cannot be read"), "{}", told.stderr);
}

#[test]
fn a_file_that_somebody_changed_is_not_replaced() {
    let path = script("import-again", "again.py", &cantilever(SHAKE));
    import(&path, &[]).expect(0);
    import(&path, &[]).expect(0);
    let model = text(&path);
    std::fs::write(path.with_extension("toml"), model.clone() + "# mine\n").expect("a change");
    let told = import(&path, &[]).expect(2);
    assert!(told.stderr.contains("exists already and differs"), "{}", told.stderr);
    import(&path, &["--force"]).expect(0);
    assert_eq!(text(&path), model);
}

#[test]
fn names_with_spaces_and_other_letters_are_fine() {
    let path = script("import größe 1", "mein rahmen ü.py", &cantilever(&format!("{SHAKE}ops.undefined_command(3)\n")));
    let told = import(&path, &[]).expect(2);
    assert!(told.stdout.contains("mein rahmen ü.py:15: undefined_command"), "{}", told.stdout);
    import(&path, &["--allow", "undefined_command"]).expect(0);
    let model = path.with_extension("toml").display().to_string();
    interfield(&["check", &model]).expect(0);
}

#[test]
fn an_unknown_kind_of_script_is_told() {
    let path = file("import-notes.txt", "nothing");
    let told = interfield(&["import", "opensees", &path.display().to_string()]);
    assert!(told.code == Some(2) || told.code == Some(1), "{}\n{}", told.stdout, told.stderr);
}
