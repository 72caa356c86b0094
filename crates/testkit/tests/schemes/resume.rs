//! The complete state: whatever runs is saved at some step into bytes, restored into a run that was just made, here or in another process,
//! and goes on with the same bits in all states and channels, in what watches it, and in the log of its laboratory.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

use interfield_coupling::registry::COUPLINGS;
use interfield_kernel::element::LAWS;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Fault, Scheme, StateError};
use interfield_lab::compensate;
use interfield_lab::controller::{Controller, Operator, Tape, Word};
use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::recorded::{Recorded, Track};
use interfield_lab::rig::Rig;
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_structure::Simulation;
use interfield_structure::checkpoint::{Checkpoint, Fingerprint};
use interfield_structure::specimen::Workshop;
use interfield_testkit::problems;
use interfield_testkit::run::read;
use interfield_testkit::variants::variants;

const OWN: Fingerprint = [3; 32];

/// A run, and what happens to it from outside.
struct Case {
    name: String,
    text: String,
    scheme: Option<AnyScheme>,
    /// What an operator says, before which step.
    words: Vec<(u64, Word)>,
    /// Whether the hardware is a recording of the same test.
    recorded: bool,
    steps: u64,
}

impl Case {
    fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Case { name: name.into(), text: text.into(), scheme: None, words: Vec::new(), recorded: false, steps: 60 }
    }

    fn model(&self) -> Model {
        let mut model = read(&self.text);
        if let Some(scheme) = self.scheme {
            model.analysis.scheme = scheme;
        }
        model
    }

    fn start(&self) -> Run {
        let operator = Operator::default();
        let recording = self.recorded.then(|| record(self));
        let mut shop = Shop { operator: operator.clone(), recording, tape: None };
        let started = Simulation::in_workshop(self.model(), &mut shop);
        let mut sim = started.unwrap_or_else(|p| panic!("{}: {p:?}", self.name));
        sim.watch().unwrap_or_else(|f| panic!("{}: {f:?}", self.name));
        Run { sim, operator }
    }
}

/// Rigs that listen to an operator, their hardware emulated or a recording.
struct Shop {
    operator: Operator,
    recording: Option<(Track, Vec<bool>)>,
    tape: Option<Box<dyn Tape>>,
}

impl Workshop for Shop {
    fn hardware(&mut self, _: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        let Some((track, fresh)) = self.recording.take() else { return Ok(None) };
        Ok(Some(Box::new(Recorded::new(vec![track], fresh, 1e-9)?)))
    }

    fn mount(&mut self, specimen: &Specimen, mut controller: Controller) -> Result<Box<dyn Rig>, String> {
        controller.listen(&self.operator, &specimen.name);
        if let Some(tape) = self.tape.take() {
            controller.record(tape);
        }
        Ok(Box::new(controller))
    }
}

/// A tape that gives what it got when the test is over.
struct Samples(Vec<Vec<f64>>, std::sync::mpsc::Sender<Vec<Vec<f64>>>);

impl Tape for Samples {
    fn push(&mut self, sample: &[f64]) -> bool {
        self.0.push(sample.to_vec());
        true
    }
    fn end(&mut self, _: &str, _: &[String]) {
        let _ = self.1.send(std::mem::take(&mut self.0));
    }
}

/// What the hardware of a test was sent and said.
fn record(case: &Case) -> (Track, Vec<bool>) {
    let (to, from) = std::sync::mpsc::channel();
    let mut shop =
        Shop { operator: Operator::default(), recording: None, tape: Some(Box::new(Samples(Vec::new(), to))) };
    let mut sim = Simulation::in_workshop(case.model(), &mut shop).unwrap();
    for k in 0..case.steps {
        sim.step(k).unwrap();
    }
    sim.finish();
    let rows = from.recv().unwrap();
    // Time, state, fresh; target, asked, command, reached, force.
    let column = |i: usize| rows.iter().map(|r| r[i]).collect::<Vec<f64>>();
    let track = Track { command: column(5), displacement: column(6), force: column(7) };
    (track, rows.iter().map(|r| r[2] == 1.0).collect())
}

struct Run {
    sim: Simulation,
    operator: Operator,
}

impl Run {
    /// All numbers there are after `k` steps, by their bits.
    fn node(&mut self, k: u64) -> Vec<u64> {
        let mut row = vec![0.0; self.sim.channels().len()];
        let sampled = self.sim.sample(k, &mut row).is_ok();
        let numbers = self.sim.coupling.state().iter().chain(&row).map(|x| x.to_bits());
        numbers.chain([u64::from(sampled)]).collect()
    }

    /// Step `k`, after what the operator says before it; a fault ends the run.
    fn step(&mut self, case: &Case, k: u64) -> Result<(), Fault> {
        for (_, word) in case.words.iter().filter(|w| w.0 == k) {
            self.operator.say(word).unwrap();
        }
        self.sim.step(k)
    }

    /// The nodes from step `from` to step `to`, or to the fault.
    fn go(&mut self, case: &Case, from: u64, to: u64) -> (Vec<Vec<u64>>, Result<(), Fault>) {
        let mut nodes = vec![self.node(from)];
        for k in from..to {
            if let Err(fault) = self.step(case, k) {
                return (nodes, Err(fault));
            }
            nodes.push(self.node(k + 1));
        }
        (nodes, Ok(()))
    }

    /// The run ends: all that is said of it.
    fn end(mut self) -> String {
        self.sim.finish();
        let rigs: Vec<String> = self.sim.rigs().map(|(_, rig)| format!("{:?}", rig.log())).collect();
        let (lines, quality) = (self.operator.lines(), self.sim.quality());
        format!("{rigs:?} {lines:?} {quality:?} {:?} {:?}", self.sim.verdict(), self.sim.lost())
    }
}

/// Two masses on two elements; the second one may stand in the laboratory.
fn laboratory(law: &str, scheme: &str, specimen: &str) -> String {
    format!(
        r#"
dofs = ["x"]
node = [{{ name = "a", mass = 2, initial = 0.01 }}, {{ name = "b", mass = 1 }}]
element = [
  {{ type = "spring", name = "first", nodes = ["ground", "a"], dof = "x", k = 300, c = 0.5 }},
  {{ {law}, name = "second", nodes = ["a", "b"], dof = "x" }},
]
load = [{{ type = "ground", direction = "x", signal = {{ type = "synthetic", peak = 3 }} }}]
analysis = {{ scheme = {scheme}, dt = 0.01, duration = 2 }}
record = {{ channels = ["a.x", "b.x", "a.x.a", "second.force"], energy = true }}
{specimen}
"#
    )
}

const SPRING: &str = "type = \"spring\", k = 200";
const SLIDER: &str = "type = \"mostaghel\", memory = \"path\", k = 200, a = 0.1, delta = 0.004";
const RIG: &str = "[[specimen]]\nname = \"rig\"\nelements = [\"second\"]\nrate = \"1 kHz\"\nramp = 0.1\n";
const NOISY: &str = "displacement_sensor = { noise = 1e-5, quantum = 1e-7 }, force_sensor = { noise = 0.01, seed = 9 }";

/// Every law by parameters that matter; those of one coordinate.
const CURVES: &[(&str, &str)] = &[
    ("spring", "k = 200, c = 0.3"),
    ("cubic", "k = 200, k3 = 1e6"),
    ("gap", "k = 3000, gap = 0.004"),
    ("damper", "c = 5, n = 0.5, v0 = 0.01"),
    ("bouc-wen", "k = 200, beta = 90, gamma = 50"),
    ("bouc-wen", "k = 200, beta = 90, gamma = 50, memory = \"path\""),
    ("modified-bouc-wen", "k = 200, beta = 9, alpha = 5"),
    ("degrading-bouc-wen", "k = 200, xy = 0.004"),
    ("mostaghel", "k = 200, a = 0.1, delta = 0.004"),
    ("mostaghel", "k = 200, a = 0.1, delta = 0.004, memory = \"path\""),
    ("formula", "states = { z = \"200*v - 30*abs(v)*z\" }, force = \"z + 3*u\""),
];

/// Laws of several coordinates.
const SWINGING: [(&str, &str); 2] = [
    (
        "pendulum",
        "{ name = \"bob\", dofs = [\"theta\"], initial = { theta = 0.2 } } | dofs = [\"b.x\", \"bob.theta\"], m = 0.2, length = 0.3",
    ),
    (
        "spring-pendulum",
        "{ name = \"bob\", dofs = [\"rho\", \"theta\"], initial = { rho = 0.4, theta = 0.2 } } | dofs = [\"b.x\", \"bob.rho\", \"bob.theta\"], m = 0.3, k = 400, c = 1, length = 0.3",
    ),
];

fn laws(cases: &mut Vec<Case>) {
    for law in LAWS {
        let known = CURVES.iter().chain(&SWINGING).any(|(name, _)| *name == law.name);
        assert!(known, "{} has no parameters here", law.name);
    }
    for (law, parameters) in CURVES {
        let law = format!("type = \"{law}\", {parameters}");
        cases.push(Case::new(format!("{law} computed"), laboratory(&law, "\"lsrt2\"", "")));
        let rig = format!("{RIG}actuator = [{{ type = \"first-order\", time_constant = \"4 ms\", {NOISY} }}]\n");
        cases.push(Case::new(format!("{law} measured"), laboratory(&law, "\"alpha-os\"", &rig)));
    }
    for (law, parameters) in SWINGING {
        let (node, element) = parameters.split_once(" | ").unwrap();
        let text = laboratory(SPRING, "\"lsrt2\"", "")
            .replace("mass = 1 }", &format!("mass = 1 }}, {node}"))
            .replace("element = [", &format!("element = [\n{{ type = \"{law}\", name = \"swing\", {element} }},"));
        cases.push(Case::new(law, text));
    }
}

fn schemes(cases: &mut Vec<Case>) {
    for variant in variants() {
        for (name, text) in problems::all() {
            let scheme = Some(variant.scheme);
            cases.push(Case { scheme, steps: 20, ..Case::new(format!("{} on {name}", variant.label), text) });
        }
        if variant.scheme.evaluations().is_some() {
            let rig = format!("{RIG}actuator = [{{ type = \"first-order\", time_constant = \"4 ms\", {NOISY} }}]\n");
            // Twice a kilohertz: a target whatever the number of evaluations.
            let rig = rig.replace("rate = \"1 kHz\"\n", "");
            let (name, text) = (format!("{} with a rig", variant.label), laboratory(SLIDER, "\"newmark\"", &rig));
            cases.push(Case { scheme: Some(variant.scheme), ..Case::new(name, text) });
        }
    }
}

fn couplings(cases: &mut Vec<Case>) {
    let record = ", \"a.x.lambda\", \"a.x.gap\", \"a.x.link\"";
    for method in COUPLINGS {
        for (law, rig) in [(SLIDER, false), (SPRING, false), (SLIDER, true)] {
            let substeps = if method.sided { 2 } else { 1 };
            let cut = format!(
                "coupling = {{ method = \"{}\" }}\nsubstructure = [{{ name = \"frame\", elements = [\"first\"], nodes = [\"a\"] }}, \
                 {{ name = \"test\", elements = [\"second\"], side = \"fine\", substeps = {substeps} }}]\n",
                method.name
            );
            let actuator = format!("actuator = [{{ type = \"first-order\", time_constant = \"4 ms\", {NOISY} }}]\n");
            let rig = if rig { format!("{RIG}{actuator}").replace("1 kHz", "2 kHz") } else { String::new() };
            let text =
                laboratory(law, &format!("\"{}\", tangent = \"initial\"", method.scheme), &format!("{cut}{rig}"));
            let name = format!("{} {law} {}", method.name, if rig.is_empty() { "computed" } else { "measured" });
            cases.push(Case::new(name, text.replace("\"second.force\"", &format!("\"second.force\"{record}"))));
        }
    }
}

/// Rigs as laboratories build them: fewer and more actuators than degrees of freedom, struts, a held load, inner masses, coupled actuators.
fn rigs(cases: &mut Vec<Case>) {
    let file = |path: &str| {
        let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let models = ["brace", "torsion", "plan", "hexapod", "pair", "pier", "pendulum"];
    for (name, path) in models.iter().map(|m| (*m, format!("models/rig-{m}.toml"))) {
        cases.push(Case::new(format!("rig {name}"), file(&path)));
    }
    cases.push(Case::new("coupled actuators", file("crates/cli/tests/data/coupled-rig.toml")));
}

fn laboratories(cases: &mut Vec<Case>) {
    let mut add = |name: &str, more: &str, actuator: &str| {
        let rig = format!("{RIG}{more}actuator = [{{ {actuator}{NOISY} }}]\n");
        cases.push(Case { steps: 150, ..Case::new(name, laboratory(SLIDER, "\"alpha-os\"", &rig)) });
    };
    let lagging = "type = \"second-order\", frequency = 25, damping = 0.7, delay = 0.004, ";
    for method in compensate::COMPENSATIONS {
        let delay = if method.parameters.iter().any(|p| p.name == "delay") { ", delay = 0.012" } else { "" };
        let line = format!("compensation = {{ method = \"{}\"{delay} }}\n", method.name);
        add(method.name, &line, lagging);
    }
    for (name, actuator) in [
        ("ideal", ""),
        ("first order", "type = \"first-order\", time_constant = 0.01, "),
        ("second order", lagging),
        ("transfer", "type = \"transfer\", numerator = [1], denominator = [1e-5, 0.01, 1], "),
        ("delay that swings", "delay = 0.01, delay_swing = 0.005, delay_frequency = 1, "),
        ("limited", "stroke = 0.1, velocity = 0.05, force = 1.5, acceleration = 100, friction = 0.1, "),
        ("calibrated", "calibration = { command = [100, 1], displacement = [99, 2], force = [0.1, 3] }, "),
    ] {
        add(name, "", actuator);
    }
    add("servo-hydraulic", "mass = { \"b.x\" = 29.1 }\n", "type = \"servo-hydraulic\", ");
    for (name, more) in [
        ("silence", "fault = [{ type = \"silence\", at = 0.7, for = 0.05 }]\n"),
        (
            "spike",
            "fault = [{ type = \"spike\", at = 0.7, for = 0.002, size = 500 }]\nlimits = { force = { at = 100, action = \"hold\" } }\n",
        ),
        ("nan", "fault = [{ type = \"nan\", at = 0.7, for = 0.002 }]\nlimits = { not_finite = \"hold\" }\n"),
        (
            "frozen",
            "fault = [{ type = \"frozen-force\", at = 0.7, for = 0.1 }]\nlimits = { frozen = { at = 0.001, action = \"hold\" } }\n",
        ),
        (
            "late",
            "fault = [{ type = \"delay\", at = 0.7, for = 0.1, size = 0.02 }]\nlimits = { tracking = { at = 0.001, samples = 3, action = \"warn\" } }\n",
        ),
        ("gone", "fault = [{ type = \"gone\", at = 1.2 }]\n"),
        ("emergency stop", "fault = [{ type = \"emergency-stop\", at = 1.2 }]\n"),
        ("stalls", "fault = [{ type = \"stall\", at = 0.5, for = 0.01 }, { type = \"stall\", at = 1.1, for = 0.3 }]\n"),
        (
            "stalls that are caught up",
            "late = \"extrapolate\"\nfault = [{ type = \"stall\", at = 0.7, for = 0.015 }]\n",
        ),
        (
            "limits",
            "limits = { velocity = { at = 0.05, action = \"hold\" }, energy = 1, indicator = { at = 0.2, action = \"warn\" } }\n",
        ),
        // All that is watched, and more than the guard lets through.
        (
            "close to all limits",
            "limits = { velocity = { at = 0.06, action = \"hold\", samples = 2 }, acceleration = { at = 3, action = \"warn\" }, \
             jerk = 200, force = { at = 2, action = \"hold\" }, force_rate = { at = 20, action = \"hold\", samples = 2 }, \
             measured_displacement = { at = 0.012, action = \"warn\" }, measured_velocity = { at = 0.05, action = \"hold\" }, \
             measured_acceleration = { at = 5, action = \"hold\", samples = 3 }, tracking = { at = 0.002, action = \"hold\" }, \
             energy = { at = 0.3, action = \"warn\" }, indicator = { at = 0.1, action = \"warn\" }, \
             frozen = { at = 1e-5, action = \"warn\" }, missing = 2 }\n\
             patience = 1\nfault = [{ type = \"silence\", at = 0.4, for = 0.001 }, { type = \"frozen-force\", at = 0.5, for = 0.01 }]\n",
        ),
        ("a displacement too large", "limits = { displacement = 0.012 }\nhome = \"force\"\n"),
    ] {
        add(name, more, lagging);
    }
}

/// Who looks on, who commands, and what else can stand in place of an emulated laboratory.
fn others(cases: &mut Vec<Case>) {
    for scheme in ["newmark-newton", "alpha-os", "lsrt2", "bathe"] {
        let text = problems::PORTAL.replace("\"newmark-newton\"", &format!("\"{scheme}\""));
        cases.push(Case::new(format!("members with {scheme}"), text));
    }
    let rig = format!("{RIG}actuator = [{{ type = \"first-order\", time_constant = 0.004, {NOISY} }}]\n");
    let text = laboratory(SLIDER, "\"alpha-os\"", &rig);
    let note = Word::Note("slowed down".to_owned());
    let words = vec![(10, Word::Pause), (18, note), (20, Word::Resume), (50, Word::Stop)];
    cases.push(Case { words, ..Case::new("pause", text.clone()) });
    cases.push(Case { recorded: true, ..Case::new("recorded", text) });
    let landing = laboratory("type = \"gap\", k = 3e6, gap = 0.002", "\"lsrt2\", events = \"land\"", "");
    cases.push(Case::new("landing", landing));
    let external = "[[external]]\nname = \"program\"\nprogram = \"opensees\"\ndofs = [\"a.x\", \"b.x\"]\n\
                    command = [\"frame\"]\nadapter_stiffness = 1e6\nstiffness = [[200, -200], [-200, 200]]\n";
    cases.push(Case::new("external", laboratory(SPRING, "\"newmark\"", external)));
    let wild = laboratory(SPRING, "{ name = \"newmark\", beta = 0 }", "").replace("dt = 0.01", "dt = 0.16");
    cases.push(Case { steps: 12, ..Case::new("diverging", wild) });
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    [laws, schemes, couplings, laboratories, rigs, others].into_iter().for_each(|add| add(&mut cases));
    cases
}

/// A step between the first and the last, by a hash of the name.
fn some_step(case: &Case, salt: u64) -> u64 {
    let hash = case.name.bytes().fold(salt, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    1 + (hash >> 20) % (case.steps - 2)
}

fn restored(case: &Case, bytes: &[u8]) -> (Run, u64) {
    let checkpoint = Checkpoint::from_bytes(bytes, &OWN).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let mut run = case.start();
    checkpoint.restore(&mut run.sim).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    (run, checkpoint.step)
}

fn saved(case: &Case, run: &mut Run, step: u64) -> Vec<u8> {
    Checkpoint::take(&mut run.sim, OWN, step).unwrap_or_else(|e| panic!("{}: {e}", case.name)).to_bytes()
}

/// What the run would have been, and what it was: saved after each of `steps`, and continued in a fresh object.
fn interrupted(case: &Case, steps: &[u64]) {
    let mut whole = case.start();
    let (nodes, fault) = whole.go(case, 0, case.steps);
    let end = whole.end();
    let last = nodes.len() as u64 - 1;
    let (mut run, mut at) = (case.start(), 0);
    for &step in steps.iter().filter(|step| **step < last) {
        run.go(case, at, step).1.unwrap();
        let bytes = saved(case, &mut run, step);
        (run, at) = restored(case, &bytes);
        assert_eq!((at, saved(case, &mut run, at)), (step, bytes), "{}: what was restored is saved again", case.name);
    }
    let (found, found_fault) = run.go(case, at, case.steps);
    for (k, (found, expected)) in (at..).zip(found.iter().zip(&nodes[at as usize..])) {
        assert_eq!(found, expected, "{}: step {k} after {steps:?}", case.name);
    }
    assert_eq!((found.len(), found_fault, run.end()), (nodes.len() - at as usize, fault, end), "{}", case.name);
}

#[test]
fn whatever_runs_goes_on_from_its_bytes() {
    for case in cases() {
        let mut steps = [some_step(&case, 1), some_step(&case, 2)];
        steps.sort_unstable();
        interrupted(&case, &steps);
    }
}

/// From every step to the next one, in an object that stands at another: nothing is left of where it stood.
#[test]
fn nothing_is_left_of_another_state() {
    let mut all = Vec::new();
    [laws, couplings, laboratories, others].into_iter().for_each(|add| add(&mut all));
    for case in all {
        let mut run = case.start();
        let mut states = vec![saved(&case, &mut run, 0)];
        while states.len() as u64 <= case.steps && run.step(&case, states.len() as u64 - 1).is_ok() {
            states.push(saved(&case, &mut run, states.len() as u64));
        }
        let count = states.len() - 1;
        // All of them, far from each other.
        for k in (0..count).map(|i| 31 * i % count) {
            Checkpoint::from_bytes(&states[k], &OWN).unwrap().restore(&mut run.sim).unwrap();
            run.step(&case, k as u64).unwrap();
            assert!(saved(&case, &mut run, k as u64 + 1) == states[k + 1], "{}: from step {k}", case.name);
        }
    }
}

/// Where the other process finds the checkpoints of all cases, by number.
const FOLDER: &str = "INTERFIELD_RESUME_FOLDER";

/// Goes on from bytes to the end: a hash of all that came after them.
fn ending(case: &Case, bytes: &[u8]) -> String {
    let (mut run, at) = restored(case, bytes);
    let (nodes, fault) = run.go(case, at, case.steps);
    let mut hash = std::hash::DefaultHasher::new();
    (nodes, format!("{fault:?}"), run.end()).hash(&mut hash);
    format!("{:016x}", hash.finish())
}

/// The other process: only where it is asked for.
#[test]
fn goes_on_in_another_process() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    for (i, case) in cases().iter().enumerate() {
        let bytes = std::fs::read(folder.join(i.to_string())).unwrap();
        std::fs::write(folder.join(format!("{i}.end")), ending(case, &bytes)).unwrap();
    }
}

#[test]
fn another_process_goes_on_from_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let cases = cases();
    let mut expected = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let mut run = case.start();
        let (nodes, _) = run.go(case, 0, some_step(case, 3));
        // After a fault there is nothing to go on with: from the start, then.
        let bytes = match nodes.len() as u64 - 1 {
            step if step == some_step(case, 3) => saved(case, &mut run, step),
            _ => saved(case, &mut case.start(), 0),
        };
        std::fs::write(folder.path().join(i.to_string()), &bytes).unwrap();
        expected.push(ending(case, &bytes));
    }
    let test = concat!(module_path!(), "::goes_on_in_another_process").split_once("::").unwrap().1;
    let done =
        Command::new(std::env::current_exe().unwrap()).args(["--exact", test]).env(FOLDER, folder.path()).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    for (i, case) in cases.iter().enumerate() {
        let found = std::fs::read_to_string(folder.path().join(format!("{i}.end"))).unwrap();
        assert_eq!(found, expected[i], "{}", case.name);
    }
}

/// Drives and a program that are not emulated.
struct Real;

impl Hardware for Real {
    fn actuators(&self) -> usize {
        2
    }
    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], _: &mut [f64]) -> Reply {
        displacement.copy_from_slice(command);
        Reply::Fresh
    }
}

impl Workshop for Real {
    fn hardware(&mut self, _: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        Ok(Some(Box::new(Real)))
    }
}

#[test]
fn what_goes_on_by_itself_is_refused_and_so_is_the_state_of_something_else() {
    let text = laboratory(SPRING, "\"newmark\"", RIG);
    let mut real = Simulation::in_workshop(read(&text), &mut Real).unwrap();
    let refused = Checkpoint::take(&mut real, OWN, 0).unwrap_err();
    assert_eq!(refused, StateError::Live("the hardware of a specimen"));
    let case = Case::new("a", text);
    let own = Checkpoint::take(&mut case.start().sim, OWN, 0).unwrap();
    // Another law, another laboratory, no watch.
    for other in [laboratory(SLIDER, "\"newmark\"", RIG), laboratory(SPRING, "\"newmark\"", "")] {
        assert_eq!(own.restore(&mut Case::new("b", other).start().sim), Err(StateError::Mismatch));
    }
    assert_eq!(own.restore(&mut Simulation::new(case.model()).unwrap()), Err(StateError::Mismatch));
}
