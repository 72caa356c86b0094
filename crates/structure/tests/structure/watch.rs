//! The watch over a run: what is refused before it, what ends it, what is doubted after it, and what is not.

use interfield_coupling::registry::COUPLINGS;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::model::Model;
use interfield_language::parse::{Overrides, parse};
use interfield_structure::watch::{Grade, Verdict};
use interfield_structure::{Simulation, Structure};

fn read(text: &str, overrides: &Overrides) -> Model {
    let (source, diags) = (Source::new("watch.toml", text.to_owned()), Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    let found = parse(&source, overrides, &files, &diags);
    assert!(!diags.has_errors(), "{}", diags.render(&source, false));
    found.unwrap().0
}

fn file(name: &str) -> String {
    let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// How a run ended: when, its last row, its verdict.
struct Ran {
    t: f64,
    last: Vec<f64>,
    verdict: Verdict,
}

impl Ran {
    fn says(&self, grade: Grade, words: &str) {
        let said = self.verdict.line();
        assert!(self.verdict.grade == grade && said.contains(words), "{words}: {said}");
    }
}

/// Runs a model until its end, or until the watch ends it.
fn run(model: Model) -> Ran {
    let mut machine = Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message));
    let channels = machine.model.channels.len();
    machine.watch().unwrap();
    let (mut t, mut last) = (0.0, vec![0.0; channels]);
    for k in 0..machine.steps() {
        machine.step(k).unwrap_or_else(|f| panic!("{}", machine.explain(f)));
        t = (k + 1) as f64 * machine.model.analysis.dt;
        if machine.lost().is_some() {
            break;
        }
    }
    let steps = (t / machine.model.analysis.dt).round() as u64;
    machine.sample(steps, &mut last).unwrap();
    Ran { t, last, verdict: machine.verdict().unwrap() }
}

fn ran(text: &str) -> Ran {
    run(read(text, &Overrides::default()))
}

/// The split mass of the papers with a share of the mass for side A.
fn split_mass(method: &str, scheme: &str, share: f64, substeps: u32) -> String {
    file("split-mass")
        .replace("interface_mass = \"b1/(1 + b1)\"", &format!("interface_mass = {share:e}"))
        .replace("substeps = 2", &format!("substeps = {substeps}"))
        .replace("scheme = \"lsrt2\"", &format!("scheme = \"{scheme}\""))
        .replace("[record]", &format!("[coupling]\nmethod = \"{method}\"\n[record]"))
}

/// Whatever coupling, share of the mass and substeps: refused, doubted, or right.
#[test]
fn light_interfaces_are_refused_doubted_or_right() {
    let exact = 10.0f64.cos() + 10.0f64.sin();
    let (mut refused, mut doubted, mut right) = (0, 0, 0);
    for method in COUPLINGS {
        for substeps in [1, 2, 5] {
            if substeps > 1 && !method.sided {
                continue;
            }
            for share in [1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.3] {
                for share in [share, 1.0 - share] {
                    let case = format!("{} with {substeps} substeps, share {share:e}", method.name);
                    let model = read(&split_mass(method.name, method.scheme, share, substeps), &Overrides::default());
                    let parts = Structure::new(model.clone()).unwrap_or_else(|p| panic!("{case}: {}", p[0].message));
                    let against = parts.objections();
                    if let Some(problem) = against.iter().find(|o| o.fatal) {
                        let side = if share < 0.5 { "`A`" } else { "`B`" };
                        assert!(
                            problem.message.contains(side) && problem.message.contains("`mass.x`"),
                            "{}",
                            problem.message
                        );
                        assert!(share.min(1.0 - share) < 1e-3, "{case}: {}", problem.message);
                        refused += 1;
                        continue;
                    }
                    let ran = run(model);
                    let error = (ran.last[0] - exact).abs();
                    if ran.verdict.grade == Grade::Good {
                        assert!(error < 0.03, "{case}: silently wrong by {error}");
                        right += 1;
                    } else {
                        doubted += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 80 && doubted > 10 && right > 200, "{refused} refused, {doubted} doubted, {right} right");
}

#[test]
fn an_interface_without_mass_is_refused_by_couplings_that_need_one() {
    let text = |method: &str, scheme: &str| {
        format!(
            r#"dofs = ["x"]
[[node]]
name = "a"
mass = 1
initial = {{ x = 1 }}
[[node]]
name = "b"
mass = 1
[[element]]
type = "spring"
name = "ground-a"
nodes = ["ground", "a"]
dof = "x"
k = 100
[[element]]
type = "spring"
name = "ab"
nodes = ["a", "b"]
dof = "x"
k = 100
[[substructure]]
name = "p"
[[substructure]]
name = "q"
elements = ["ab"]
interface_mass = 0
[coupling]
method = "{method}"
[analysis]
scheme = "{scheme}"
dt = 0.01
duration = 1
"#
        )
    };
    for method in ["staggered", "midpoint"] {
        let parts = Structure::new(read(&text(method, "lsrt2"), &Overrides::default())).unwrap();
        let against = parts.objections();
        assert!(against.len() == 1 && against[0].fatal, "{against:?}");
        assert!(
            against[0].message.contains("`q` has too little mass at the interface `a.x`"),
            "{}",
            against[0].message
        );
    }
    let parts = Structure::new(read(&text("gc", "newmark"), &Overrides::default())).unwrap();
    assert!(parts.objections().is_empty());
}

#[test]
fn a_diverged_run_is_ended_with_the_moment_and_the_place() {
    let overrides = Overrides { coupling: Some("foh".into()), dt: Some("7.8125 ms".into()), ..Overrides::default() };
    let viaduct = run(read(&file("rio-torto-isolated"), &overrides));
    assert!(viaduct.t < 4.0 && viaduct.last.iter().all(|x| x.abs() < 1e15), "{} s, {:?}", viaduct.t, viaduct.last);
    viaduct.says(Grade::Failed, "diverged at t = ");
    viaduct.says(Grade::Failed, "`pier");
    // With the step of the file, and the coupling of the file, nothing is wrong.
    run(read(&file("rio-torto-isolated"), &Overrides::default())).says(Grade::Good, "good");
}

fn oscillator(element: &str, velocity: f64, rest: &str) -> String {
    format!(
        "dofs = [\"x\"]\n[[node]]\nname = \"m\"\nmass = 1\ninitial_velocity = {{ x = {velocity} }}\n\
         [[element]]\nname = \"law\"\nnodes = [\"ground\", \"m\"]\ndof = \"x\"\n{element}\n{rest}\
         [record]\nchannels = [\"m.x\", \"m.x.v\"]\nenergy = true\n"
    )
}

#[test]
fn a_softening_spring_that_is_passed_fails_and_one_that_holds_does_not() {
    for element in ["type = \"cubic\"\nk = 1\nk3 = -0.5", "type = \"formula\"\nforce = \"u - 0.5*u^3\""] {
        for scheme in ["lsrt2", "newmark", "alpha-os", "rosenbrock3"] {
            let rest = format!("[analysis]\nscheme = \"{scheme}\"\ndt = 0.01\nduration = 20\n");
            // The barrier is at x = 1.414, ½ v² = 0.5.
            let over = ran(&oscillator(element, 1.2, &rest));
            over.says(Grade::Failed, "`law` has a negative stiffness");
            assert!(over.last[0].abs() < 1e6, "{scheme}: {:?}", over.last);
            ran(&oscillator(element, 0.9, &rest)).says(Grade::Good, "good");
        }
    }
}

const STOP: &str = "type = \"gap\"\nk = 1e8\ngap = 1.05";

#[test]
fn a_stop_that_is_run_into_shows_in_the_balance_and_in_the_verdict() {
    for scheme in ["newmark", "caam", "lsrt2", "alpha-os"] {
        let at = |dt: &str| {
            ran(&oscillator(STOP, 100.0, &format!("[analysis]\nscheme = \"{scheme}\"\ndt = {dt}\nduration = 0.05\n")))
        };
        let coarse = at("1e-3");
        assert!(coarse.verdict.grade > Grade::Good, "{scheme}");
        coarse.says(coarse.verdict.grade, "use dt = \"31.4 us\" or less");
        let (speed, error) = (coarse.last[1], coarse.last[6]);
        // What is missing in the kinetic energy is what the balance says is missing: it is not blind.
        let gained = 0.5 * speed * speed - 5000.0;
        assert!(gained.abs() > 300.0 && (error + gained).abs() < 0.01 * gained.abs(), "{scheme}: {gained} {error}");
        let fine = at("1e-5");
        assert!((fine.last[1] + 100.0).abs() < 1.0, "{scheme}: {:?}", fine.last);
        fine.says(Grade::Good, "good");
    }
}

#[test]
fn events_are_landed_on_where_wanted() {
    for scheme in ["newmark", "caam", "lsrt2"] {
        let rest = format!("[analysis]\nscheme = \"{scheme}\"\ndt = 1e-3\nduration = 0.05\nevents = \"land\"\n");
        let landed = ran(&oscillator(STOP, 100.0, &rest));
        assert!((landed.last[1] + 100.0).abs() < 0.5, "{scheme}: {:?}", landed.last);
        landed.says(Grade::Good, "good");
    }
    // A run without events is the same, to the bit.
    let free = |events: &str| {
        let rest = format!("[analysis]\nscheme = \"lsrt2\"\ndt = 1e-3\nduration = 1\n{events}");
        ran(&oscillator("type = \"cubic\"\nk = 40\nk3 = 1", 1.0, &rest)).last
    };
    assert_eq!(free(""), free("events = \"land\"\n"));
    let rest = "[analysis]\nscheme = \"alpha-os\"\ndt = 1e-3\nduration = 1\nevents = \"land\"\n";
    let model = read(&oscillator(STOP, 1.0, rest), &Overrides::default());
    match Simulation::new(model) {
        Ok(_) => {}
        Err(problems) => assert!(problems[0].message.contains("needs a constant step"), "{}", problems[0].message),
    }
}

#[test]
fn a_law_that_drives_is_no_fault_of_the_integration() {
    // Van der Pol: energy comes from the law, and is counted as such.
    let driven = "type = \"formula\"\nforce = \"u - (1 - u^2)*v\"";
    ran(&oscillator(driven, 0.1, "[analysis]\nscheme = \"lsrt2\"\ndt = 0.01\nduration = 60\n"))
        .says(Grade::Good, "good");
    // A spring that was wound up gives back what was in it.
    for law in [
        "type = \"bouc-wen\"\nk = 20\nbeta = 1\ngamma = 1",
        "type = \"mostaghel\"\nk = 20\na = 0.1\ndelta = 0.1\nmemory = \"path\"",
    ] {
        let text = oscillator(law, 0.0, "[analysis]\nscheme = \"newmark\"\ndt = 0.005\nduration = 10\n")
            .replace("initial_velocity = { x = 0 }", "initial = { x = 0.5 }");
        ran(&text).says(Grade::Good, "good");
    }
}

#[test]
fn growth_is_seen_however_slow() {
    // Euler's explicit rule drives an oscillator by exp(h t): 3 % of growth of the energy in ten seconds, and 40 % in a hundred.
    let driven = |duration: f64| {
        let scheme = "{ name = \"rosenbrock\", gamma = 0, b = [1], alpha = [], gammas = [] }";
        let rest = format!("[analysis]\nscheme = {scheme}\ndt = 0.0035\nduration = {duration}\n");
        ran(&oscillator("type = \"cubic\"\nk = 1\nk3 = 0", 1.0, &rest))
    };
    driven(10.0).says(Grade::Good, "good");
    driven(100.0).says(Grade::Doubtful, "energy error: the integration added");
}

#[test]
fn energy_that_gets_lost_is_doubted_where_nothing_takes_it() {
    let element = "type = \"cubic\"\nk = 1\nk3 = 0";
    let at = |dt: f64| {
        ran(&oscillator(element, 1.0, &format!("[analysis]\nscheme = \"lsrt1\"\ndt = {dt}\nduration = 20\n")))
    };
    at(0.3).says(Grade::Doubtful, "the integration dissipated");
    at(1e-3).says(Grade::Good, "good");
}

/// Two masses on a soft spring, `ratio` times as stiff between them: 0.5 rad/s.
fn uneven(ratio: f64, scheme: &str) -> String {
    format!(
        r#"dofs = ["x"]
[[node]]
name = "a"
mass = 2
initial = {{ x = 1 }}
[[node]]
name = "b"
mass = 2
initial = {{ x = 1 }}
[[element]]
type = "spring"
name = "soft"
nodes = ["ground", "a"]
dof = "x"
k = 1
[[element]]
type = "spring"
name = "stiff"
nodes = ["a", "b"]
dof = "x"
k = {ratio:e}
[analysis]
scheme = "{scheme}"
dt = 0.01
duration = 2
[record]
channels = ["a.x"]
"#
    )
}

#[test]
fn stiffnesses_far_apart_are_solved_or_said() {
    for ratio in [1e6, 1e9, 1e10, 1e11, 1e12] {
        for scheme in ["caam", "newmark", "lsrt2"] {
            let found = ran(&uneven(ratio, scheme)).last[0];
            assert!((found - 1.0f64.cos()).abs() < 1e-4, "{scheme} at {ratio:e}: {found}");
        }
        let sim = Structure::new(read(&uneven(ratio, "newmark"), &Overrides::default())).unwrap();
        let omega = sim.modes(1).unwrap().omega2[0].sqrt();
        // Rounding of the stiff spring is what is left of the soft one.
        assert!((omega - 0.5).abs() < 1e-15 * ratio + 0.1 / ratio + 1e-9, "{ratio:e}: {omega}");
    }
    let sim = Structure::new(read(&uneven(1e14, "newmark"), &Overrides::default())).unwrap();
    let said = interfield_structure::advice::advise(&sim, &Default::default());
    assert!(said.iter().any(|p| p.message.contains("1e14 times as stiff as `soft`")), "{said:?}");
}
