//! A specimen is indistinguishable from a model: the same motion with every scheme and coupling, evaluated forward in time only.

use std::sync::{Arc, Mutex};

use interfield_kernel::Fault;
use interfield_lab::controller::Controller;
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_structure::specimen::{Rehearsal, Workshop};
use interfield_structure::{Simulation, Structure};

use crate::balance::model as parse_text;

/// Two masses; the spring of the second stands in the laboratory.
fn text(specimen: &str, cut: &str, scheme: &str) -> String {
    format!(
        r#"
title = "Two masses"
node = [{{ name = "a", dofs = ["x"], mass = 2, initial = 0.01 }}, {{ name = "b", dofs = ["x"], mass = 1 }}]
element = [
  {{ type = "spring", name = "first", nodes = ["ground", "a"], dof = "x", k = 300, c = 0.5 }},
  {{ type = "spring", name = "second", nodes = ["a", "b"], dof = "x", k = 200 }},
]
damping = {{ rayleigh = {{ a0 = 0.02, a1 = 1e-4 }} }}
load = [{{ type = "ground", direction = "x", signal = {{ type = "harmonic", amplitude = 1, frequency = 1.7 }} }}]
analysis = {{ {scheme} dt = 0.01, duration = 2 }}
record = {{ channels = ["a.x", "b.x", "second.force"] }}
{cut}
{specimen}
"#
    )
}

const SPECIMEN: &str = "[[specimen]]\nname = \"rig\"\nelements = [\"second\"]\n";

fn cut(coupling: &str, substeps: u32) -> String {
    format!(
        "substructure = [{{ name = \"frame\", elements = [\"first\"], nodes = [\"a\"] }}, {{ name = \"test\", elements = [\"second\"], side = \"fine\", substeps = {substeps} }}]\ncoupling = {{ method = \"{coupling}\" }}"
    )
}

/// All rows of a run.
pub(crate) fn rows(model: Model, workshop: &mut dyn Workshop) -> Vec<Vec<f64>> {
    let mut row = vec![0.0; model.channels.len()];
    let mut rows = Vec::new();
    let mut run = Simulation::in_workshop(model, workshop).map_err(|p| format!("{p:?}")).unwrap();
    for k in 0..run.steps() {
        run.step(k).unwrap();
        run.sample(k + 1, &mut row).unwrap();
        rows.push(row.clone());
    }
    rows
}

/// Largest difference, relative to the largest value of its channel.
pub(crate) fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let channels = a[0].len();
    let one = |c: usize| {
        let peak = b.iter().fold(0.0f64, |m, r| m.max(r[c].abs()));
        a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x[c] - y[c]).abs())) / peak
    };
    (0..channels).map(one).fold(0.0, f64::max)
}

#[test]
fn the_work_of_a_specimen_is_measured_not_that_of_its_stand_in() {
    // A dashpot in the laboratory: its stand-in is one in the damping matrix, whose work nobody does.
    let text = |specimen: &str| {
        format!(
            r#"
node = [{{ name = "a", dofs = ["x"], mass = 2 }}]
element = [
  {{ type = "spring", name = "spring", nodes = ["ground", "a"], dof = "x", k = 300 }},
  {{ type = "damper", name = "dashpot", nodes = ["ground", "a"], dof = "x", c = 20 }},
]
load = [{{ type = "ground", direction = "x", signal = {{ type = "harmonic", amplitude = 1, frequency = 1.7 }} }}]
analysis = {{ scheme = "newmark", dt = 0.005, duration = 4 }}
record = {{ channels = ["a.x"], energy = true }}
{specimen}
"#
        )
    };
    let specimen = "[[specimen]]\nname = \"rig\"\nelements = [\"dashpot\"]\n";
    let run = rows(parse_text(&text(specimen)), &mut Rehearsal);
    // Kinetic, internal, damping, input, error.
    let last = run.last().unwrap();
    assert_eq!(last[3], 0.0, "there is no damping but that of the specimen: {last:?}");
    assert!(last[5].abs() < 0.05 * last[4] && last[2] > 0.3 * last[4], "its work is internal: {last:?}");
}

pub(crate) const COUPLINGS: [(&str, u32); 15] = [
    ("pmc", 1),
    ("pmc", 4),
    ("pmc2", 2),
    ("pmc2s", 2),
    ("psl", 4),
    ("psl1", 2),
    ("foh", 3),
    ("gc", 5),
    ("pm", 4),
    ("modified-ph", 4),
    ("ph", 2),
    ("staggered", 3),
    ("plsrt2", 2),
    ("midpoint", 2),
    ("llm", 1),
];

#[test]
fn an_ideal_rig_changes_nothing_whatever_the_scheme_and_the_coupling() {
    // The force is known where the specimen was last, at the predictor: compared are the motions.
    let motions = |rows: Vec<Vec<f64>>| rows.iter().map(|r| r[..2].to_vec()).collect::<Vec<_>>();
    for scheme in ["newmark", "alpha-os", "lsrt2", "chang", "generalized-alpha", "rosenbrock3"] {
        let scheme = format!("scheme = \"{scheme}\",");
        let computed = motions(rows(parse_text(&text("", "", &scheme)), &mut Rehearsal));
        let measured = motions(rows(parse_text(&text(SPECIMEN, "", &scheme)), &mut Rehearsal));
        assert!(difference(&measured, &computed) < 1e-11, "{scheme} {}", difference(&measured, &computed));
        // A specimen of a third of the length: similitude brings displacements and forces back.
        let small = format!("{SPECIMEN}scale = 3\n");
        let measured = motions(rows(parse_text(&text(&small, "", &scheme)), &mut Rehearsal));
        assert!(difference(&measured, &computed) < 1e-11, "{scheme}, scaled: {}", difference(&measured, &computed));
    }
    for (coupling, substeps) in COUPLINGS {
        let cut = cut(coupling, substeps);
        let computed = motions(rows(parse_text(&text("", &cut, "")), &mut Rehearsal));
        let measured = motions(rows(parse_text(&text(SPECIMEN, &cut, "")), &mut Rehearsal));
        let found = difference(&measured, &computed);
        assert!(found < 1e-9, "{coupling} with {substeps} substeps: {found}");
    }
}

/// The spring `second` taken for another one, as a spring, a matrix, a law of the loop, or in the laboratory: one motion,
/// which is not that of the true tangent.
#[test]
fn a_wrong_estimate_is_used_wherever_it_stands() {
    let spring = "type = \"spring\", name = \"second\", nodes = [\"a\", \"b\"], dof = \"x\", k = 200";
    let matrix = "type = \"matrix\", name = \"second\", dofs = [\"a.x\", \"b.x\"], K = [[200, -200], [-200, 200]]";
    let motions = |specimen: &str, element: &str, scheme: &str| {
        let scheme = format!("scheme = \"{scheme}\", tangent = \"given\",");
        let written = text(specimen, "", &scheme).replace(spring, element).replace("dt = 0.01", "dt = 0.05");
        // The force is known where the specimen was last.
        let written = written.replace(", \"second.force\"", "").replace("a1 = 1e-4", "a1 = 0");
        rows(parse_text(&written), &mut Rehearsal)
    };
    for scheme in ["newmark", "alpha-os", "lsrt2"] {
        let estimate = "tangent = { k = 900, c = 1.5 }";
        let cubic = spring.replace("\"spring\"", "\"cubic\"").replace("k = 200", "k = 200, k3 = 0");
        let looped = motions("", &format!("{cubic}, {estimate}"), scheme);
        let as_spring = motions("", &format!("{spring}, {estimate}"), scheme);
        let measured = motions(SPECIMEN, &format!("{spring}, {estimate}"), scheme);
        let stiffness = "tangent = { K = [[900, -900], [-900, 900]], C = [[1.5, -1.5], [-1.5, 1.5]] }";
        let as_matrix = motions("", &format!("{matrix}, {stiffness}"), scheme);
        let measured_matrix = motions(SPECIMEN, &format!("{matrix}, {stiffness}"), scheme);
        for (name, other) in
            [("spring", as_spring), ("specimen", measured), ("matrix", as_matrix), ("its specimen", measured_matrix)]
        {
            let found = difference(&other, &looped);
            assert!(found < 1e-10, "{scheme}, {name}: {found}");
        }
        let exact = motions("", spring, scheme);
        assert!(difference(&looped, &exact) > 1e-3, "{scheme}: the estimate is seen");
        let right = motions("", &format!("{spring}, tangent = {{ k = 200 }}"), scheme);
        assert!(difference(&right, &exact) < 1e-10, "{scheme}: the right estimate changes nothing");
    }
}

/// A rig that writes down what it is asked for.
struct Companion {
    inner: Controller,
    name: char,
    asked: Arc<Mutex<String>>,
}

impl Companion {
    fn note(&self, what: char) {
        self.asked.lock().unwrap().extend([what, self.name]);
    }
}

impl Rig for Companion {
    fn dofs(&self) -> usize {
        self.inner.dofs()
    }
    fn memory(&self) -> usize {
        self.inner.memory()
    }
    fn set_out(&mut self, _: Target<'_>) -> Result<(), Fault> {
        self.note('>');
        Ok(())
    }
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        self.note('=');
        self.inner.exchange(memory, target)
    }
    fn turn_home(&mut self) {
        self.note('<');
    }
    fn finish(&mut self, memory: &mut [f64]) {
        self.note('.');
        self.inner.finish(memory);
    }
}

struct Company(Arc<Mutex<String>>);

impl Workshop for Company {
    fn mount(&mut self, specimen: &Specimen, inner: Controller) -> Result<Box<dyn Rig>, String> {
        let name = specimen.name.chars().last().unwrap_or('?');
        Ok(Box::new(Companion { inner, name, asked: self.0.clone() }))
    }
}

/// By the clock, a specimen that waits for another is late: both are sent before either is waited for.
#[test]
fn specimens_of_one_structure_move_at_the_same_time() {
    let asked = Arc::new(Mutex::new(String::new()));
    let two = "[[specimen]]\nname = \"rig-a\"\nelements = [\"first\"]\n[[specimen]]\nname = \"rig-b\"\nelements = [\"second\"]\n";
    let model = parse_text(&text(two, "", "scheme = \"newmark\","));
    let mut run = Simulation::in_workshop(model, &mut Company(asked.clone())).map_err(|p| format!("{p:?}")).unwrap();
    for k in 0..5 {
        asked.lock().unwrap().clear();
        run.step(k).unwrap();
        assert_eq!(*asked.lock().unwrap(), ">a>b=a=b");
    }
    asked.lock().unwrap().clear();
    run.coupling.system_of(0).finish();
    assert_eq!(*asked.lock().unwrap(), "<a<b.a.b");
}

/// A rig that writes down when it is asked.
struct Diary {
    inner: Controller,
    times: Arc<Mutex<Vec<f64>>>,
}

impl Rig for Diary {
    fn dofs(&self) -> usize {
        self.inner.dofs()
    }
    fn memory(&self) -> usize {
        self.inner.memory()
    }
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        self.times.lock().unwrap().push(target.t);
        self.inner.exchange(memory, target)
    }
    fn finish(&mut self, memory: &mut [f64]) {
        self.inner.finish(memory);
    }
}

struct Observed(Arc<Mutex<Vec<f64>>>);

impl Workshop for Observed {
    fn mount(&mut self, _specimen: &Specimen, inner: Controller) -> Result<Box<dyn Rig>, String> {
        Ok(Box::new(Diary { inner, times: self.0.clone() }))
    }
}

#[test]
fn a_specimen_is_never_rewound_and_asked_as_often_as_its_scheme_says() {
    for (coupling, substeps) in COUPLINGS {
        let times = Arc::new(Mutex::new(Vec::new()));
        let model = parse_text(&text(SPECIMEN, &cut(coupling, substeps), ""));
        let steps = rows(model, &mut Observed(times.clone())).len();
        let times = times.lock().unwrap();
        // PLSRT2 looks ahead once at its start, which is documented; afterwards time only rises.
        let started = times.iter().rposition(|t| *t == 0.0).unwrap_or(0).max(if coupling == "plsrt2" { 30 } else { 0 });
        let back = times[started..].windows(2).position(|w| w[1] <= w[0]);
        assert_eq!(back, None, "{coupling}: {:?}", back.map(|i| &times[started + i..started + i + 4]));
        let per_step = times.len() as f64 / (steps as f64 * f64::from(substeps));
        let expected = if ["staggered", "plsrt2"].contains(&coupling) { 2.0 } else { 1.0 };
        assert!((per_step - expected).abs() < 0.15 * expected, "{coupling}: {per_step} evaluations per step");
    }
}

#[test]
fn reading_channels_moves_nothing_and_the_state_of_the_laboratory_is_part_of_the_state() {
    let actuator = "actuator = [{ type = \"second-order\", frequency = 20, damping = 0.7, delay = 0.02 }]\n";
    let model = || parse_text(&text(&format!("{SPECIMEN}{actuator}"), "", "scheme = \"newmark\","));
    let times = Arc::new(Mutex::new(Vec::new()));
    let mut run = Simulation::in_workshop(model(), &mut Observed(times.clone())).map_err(|p| format!("{p:?}")).unwrap();
    let mut row = vec![0.0; 3];
    for k in 0..50 {
        run.step(k).unwrap();
    }
    let asked = times.lock().unwrap().len();
    let before = run.coupling.state().to_vec();
    for _ in 0..5 {
        run.sample(50, &mut row).unwrap();
    }
    assert_eq!(times.lock().unwrap().len(), asked);
    assert_eq!(run.coupling.state(), before);
    // The same step from the same state, twice.
    run.step(50).unwrap();
    let after = run.coupling.state().to_vec();
    run.coupling.state_mut().copy_from_slice(&before);
    run.step(50).unwrap();
    assert_eq!(run.coupling.state(), after);
    assert!(after.len() > 4 + Reading::COUNT, "the memory of the laboratory is there");
}

/// A mass held by a spring and by an isolator in the laboratory that is under tension before the test.
fn tense(isolator: &str, specimen: &str) -> String {
    format!(
        r#"
node = [{{ name = "a", dofs = ["x"], mass = 2 }}]
element = [
  {{ type = "spring", name = "frame", nodes = ["ground", "a"], dof = "x", k = 300, c = 0.5 }},
  {{ name = "isolator", nodes = ["ground", "a"], dof = "x", {isolator} }},
]
analysis = {{ scheme = "alpha-os", dt = 1e-4, duration = 0.5 }}
record = {{ channels = ["a.x"] }}
{specimen}
"#
    )
}

#[test]
fn a_specimen_starts_with_the_states_of_its_elements() {
    let specimen = "[[specimen]]\nname = \"rig\"\nelements = [\"isolator\"]\n";
    // One state, two of which one is the start, and a formula: 100 N before anything moved.
    for isolator in [
        "type = \"bouc-wen\", k = 900, beta = 2, gamma = 1, initial = { z = 100 }",
        "type = \"degrading-bouc-wen\", k = 900, xy = 0.3, initial = { F = 100 }",
        "type = \"formula\", states = { z = \"900*v - 3*abs(v)*z\" }, force = \"z\", initial = { z = 100 }",
    ] {
        let computed = rows(parse_text(&tense(isolator, "")), &mut Rehearsal);
        for more in ["", "scale = 2.5\n"] {
            let measured = rows(parse_text(&tense(isolator, &format!("{specimen}{more}"))), &mut Rehearsal);
            let peak = computed.iter().fold(0.0f64, |m, r| m.max(r[0].abs()));
            assert!(peak > 0.05, "{isolator}: {peak}");
            // The states of the specimen follow by Heun's rule, those of the model by the scheme.
            let found = difference(&measured, &computed);
            assert!(found < 0.01, "{isolator} {more}: {found}");
        }
    }
}

#[test]
fn the_states_a_specimen_starts_with_survive_saving() {
    let isolator = "type = \"bouc-wen\", k = 900, beta = 2, gamma = 1, initial = { z = 100 }";
    let specimen = "[[specimen]]\nname = \"rig\"\nelements = [\"isolator\"]\n";
    let mut run = Simulation::new(parse_text(&tense(isolator, specimen))).map_err(|p| format!("{p:?}")).unwrap();
    (0..40).for_each(|k| run.step(k).unwrap());
    let saved = run.coupling.state().to_vec();
    run.step(40).unwrap();
    let after = run.coupling.state().to_vec();
    (41..60).for_each(|k| run.step(k).unwrap());
    // Back from elsewhere, the same bits.
    run.coupling.state_mut().copy_from_slice(&saved);
    run.step(40).unwrap();
    assert_eq!(run.coupling.state(), after);
}

#[test]
fn a_linearised_model_has_the_small_motions_of_the_model() {
    let text = r#"
dofs = ["x"]
node = [
  { name = "slab", mass = 80, initial = 0.02 }, { name = "roof", mass = 60 }, { name = "bob", dofs = ["theta"] },
]
element = [
  { type = "bouc-wen", name = "isolator", nodes = ["ground", "slab"], dof = "x", k = 1200, k2 = 120, beta = 60, gamma = 40 },
  { type = "cubic", name = "storey", nodes = ["slab", "roof"], dof = "x", k = 9000, k3 = 1e6 },
  { type = "pendulum", name = "pendulum", dofs = ["roof.x", "bob.theta"], m = 2, length = 1 },
]
damping = { rayleigh = { ratio = 0.02, modes = [1, 2] } }
analysis = { scheme = "alpha-os", dt = 1e-3, duration = 0.5 }
"#;
    let model = parse_text(text);
    let linear = interfield_structure::linearised::linearised(&model).expect("it is not linear");
    assert!(interfield_structure::linearised::linearised(&linear).is_none(), "once is enough");
    let modes = |model: Model| {
        let structure = Structure::new(model).map_err(|p| format!("{p:?}")).unwrap();
        interfield_structure::Modal::new(&structure, 3).unwrap().omega2
    };
    for (a, b) in modes(linear).iter().zip(modes(model)) {
        assert!((a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
    }
}
