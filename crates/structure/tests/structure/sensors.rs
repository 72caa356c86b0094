//! Transducers, load cells and fixtures: a specimen that is measured elsewhere than at its actuators moves as the computed one.

use interfield_lab::hardware::Hardware;
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_structure::Simulation;
use interfield_structure::specimen::{Rehearsal, Workshop, emulated};

use crate::balance::model as parse_text;
use crate::specimens::{difference, rows};

/// A slab in plan on springs and on columns that stand in the laboratory.
fn text(specimen: &str) -> String {
    let specimen = match specimen {
        "" => String::new(),
        more => format!("[[specimen]]\nname = \"rig\"\nelements = [\"columns\"]\nrate = 1000\n{more}"),
    };
    format!(
        r#"
title = "Slab"
node = [{{ name = "slab", dofs = ["x", "y", "rz"], at = [0, 0], mass = {{ x = 20000, y = 20000, rz = 60000 }} }}]
element = [
  {{ type = "spring", name = "first", nodes = ["ground", "slab"], dof = "x", k = 2e6, c = 6e4 }},
  {{ type = "spring", name = "second", nodes = ["ground", "slab"], dof = "y", k = 2e6, c = 6e4 }},
  {{ type = "matrix", name = "columns", dofs = ["slab.x", "slab.y", "slab.rz"], K = [[3e6, 0, 1e6], [0, 2.5e6, -5e5], [1e6, -5e5, 2e7]] }},
]
damping = {{ rayleigh = {{ a0 = 0.6, a1 = 0 }} }}
load = [{{ type = "ground", direction = "x", signal = {{ type = "harmonic", amplitude = 2, frequency = 1.7 }} }}]
analysis = {{ scheme = "alpha-os", dt = 0.005, duration = 3 }}
record = {{ channels = ["slab.x", "slab.y", "slab.rz"] }}
{specimen}
"#
    )
}

/// Three struts; `more` is how they follow.
fn actuators(more: &str) -> String {
    let one = |name: &str, anchor: &str, attachment: &str| {
        format!(
            "[[specimen.actuator]]\nname = \"{name}\"\nanchor = {anchor}\nattachment = {attachment}\nnode = \"slab\"\n{more}\n"
        )
    };
    [one("west", "[-4, 1.5]", "[-1, 1.5]"), one("south", "[-1, -4]", "[-1, -1.5]"), one("east", "[2, -4]", "[2, -1.5]")]
        .concat()
}

const TRANSDUCERS: &str = r#"
[[specimen.transducer]]
name = "lvdt 1"
anchor = [-6, -1.5]
attachment = [-1, -1.5]
node = "slab"
[[specimen.transducer]]
name = "lvdt 2"
dof = "slab.y"
[[specimen.transducer]]
name = "inclinometer"
dof = "slab.rz"
[[specimen.transducer]]
name = "lvdt 4"
along = { "slab.x" = 1, "slab.rz" = -2 }
[[specimen.transducer]]
actuator = "west"
"#;

const LOAD_CELLS: &str = r#"
[[specimen.load_cell]]
name = "x"
dof = "slab.x"
[[specimen.load_cell]]
name = "y west"
along = { "slab.y" = 1, "slab.rz" = -1 }
[[specimen.load_cell]]
name = "y east"
along = { "slab.y" = 1, "slab.rz" = 1.5 }
"#;

/// A tenth of the mass, off the node.
const FIXTURE: &str = "[[specimen.fixture]]\nmass = 2000\ninertia = 4000\ncenter = [0.5, 0]\ndown = \"-z\"\n";

/// A step of the structure per sample, actuators with 60 Hz, their delay compensated.
const FAST: &str = "type = \"second-order\"\nfrequency = 60\ndamping = 0.8\n";
const COMPENSATED: &str = "compensation = { method = \"polynomial\", delay = 4.244e-3 }\ncorrect_force = true\n";

fn run(text: &str) -> Vec<Vec<f64>> {
    rows(parse_text(text), &mut Rehearsal)
}

#[test]
fn sensors_elsewhere_measure_what_those_of_the_actuators_do() {
    let computed = run(&text(""));
    assert!(computed.iter().any(|row| row[2].abs() > 1e-3), "it turns");
    for sensors in [TRANSDUCERS, LOAD_CELLS, &[TRANSDUCERS, LOAD_CELLS].concat(), &[LOAD_CELLS, FIXTURE].concat()] {
        let tested = run(&text(&[&actuators(""), sensors].concat()));
        assert!(difference(&tested, &computed) < 1e-9, "{} {sensors}", difference(&tested, &computed));
    }
    // Load cells beside that of an actuator: each carries its part.
    let strut = |name: &str, anchor: &str, attachment: &str| {
        format!(
            "[[specimen.load_cell]]\nname = \"{name}\"\nanchor = {anchor}\nattachment = {attachment}\nnode = \"slab\"\n"
        )
    };
    let own = [strut("s", "[-1, -4]", "[-1, -1.5]"), strut("e", "[2, -4]", "[2, -1.5]")].concat();
    let beside = format!("[[specimen.load_cell]]\nactuator = \"west\"\n{own}");
    let tested = run(&text(&[&actuators(""), beside.as_str()].concat()));
    assert!(difference(&tested, &computed) < 1e-9, "{}", difference(&tested, &computed));
}

/// The fixture is really there: who does not take it off sees a structure that is a tenth heavier.
struct Heavier(Model);

impl Workshop for Heavier {
    fn hardware(&mut self, _: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        emulated(&self.0, 0).map(Some).map_err(|p| format!("{p:?}"))
    }
}

#[test]
fn inertia_and_weight_of_a_fixture_are_taken_off() {
    let fine = |specimen: &str| text(specimen).replace("dt = 0.005", "dt = 0.001");
    let computed = run(&fine(""));
    let rig = [COMPENSATED, &actuators(FAST), LOAD_CELLS].concat();
    let with = fine(&[&rig, FIXTURE].concat());
    let compensated = difference(&run(&with), &computed);
    let without = difference(&rows(parse_text(&fine(&rig)), &mut Heavier(parse_text(&with))), &computed);
    assert!(compensated < 0.02 && without > 0.1, "compensated {compensated}, not {without}");
    // The weight of a fixture that leans is a force of its own: -m g c_y sin, with a hanging beam.
    let hanging = FIXTURE.replace("[0.5, 0]", "[0, -0.4]").replace("-z", "-y");
    let tared = difference(&run(&fine(&[rig.as_str(), &hanging].concat())), &computed);
    let untared = difference(&run(&fine(&["tare = false\n", &rig, &hanging].concat())), &computed);
    assert!(tared < 0.03 && (tared - untared).abs() < 1e-3, "tared {tared}, not {untared}");
}

/// Runs to the end or to its stop: what the log says.
fn log(text: &str) -> Vec<String> {
    let model = parse_text(text);
    let names = model.specimens[0].names();
    let period = model.specimens[0].period;
    let mut run = Simulation::in_workshop(model, &mut Rehearsal).map_err(|p| format!("{p:?}")).unwrap();
    for k in 0..run.steps() {
        if run.step(k).is_err() {
            break;
        }
    }
    let log = run.rigs().next().and_then(|(_, rig)| rig.log()).expect("a rig");
    log.sequence.log().iter().filter(|t| t.cause.is_some()).map(|t| t.line(period, &names)).collect()
}

#[test]
fn a_sensor_that_fails_is_named() {
    let rig = |fault: &str, limits: &str| {
        let fault = format!("[[specimen.fault]]\nat = 1\n{fault}\n");
        text(&[&actuators(""), TRANSDUCERS, LOAD_CELLS, &fault, &format!("[specimen.limits]\n{limits}\n")].concat())
    };
    let cases = [
        (
            "type = \"offset\"\nsize = 2e-3\nsensor = \"lvdt 4\"",
            "disagreement = 1e-3",
            "contradicted each other (transducer lvdt 4)",
        ),
        (
            "type = \"frozen-displacement\"\nsensor = \"lvdt 1\"",
            "frozen = 2e-3",
            "did not change although its actuator was commanded to move (transducer lvdt 1)",
        ),
        ("type = \"frozen-force\"\nsensor = \"x\"", "frozen = 2e-3", "commanded to move (load cell x)"),
        ("type = \"nan\"\nsensor = \"y east\"", "", "NaN (not a number) (load cell y east)"),
        (
            "type = \"spike\"\nsize = 5e5\nsensor = \"x\"",
            "force = 2e5",
            "a measured force exceeded its limit (load cell x)",
        ),
        (
            "type = \"offset\"\nsize = 0.5\nsensor = \"lvdt 2\"",
            "measured_displacement = 0.3",
            "a measured displacement exceeded its limit (transducer lvdt 2)",
        ),
    ];
    for (fault, limits, said) in cases {
        let log = log(&rig(fault, limits));
        assert!(log.first().is_some_and(|line| line.contains(said)), "{fault}: {log:#?}");
    }
    assert!(
        log(&rig("type = \"silence\"\nfor = 2e-3", "disagreement = 1e-3\nfrozen = 2e-3")).is_empty(),
        "nothing fails by itself"
    );
}

#[test]
fn what_nothing_measures_is_named() {
    let problem = |sensors: &str| {
        let model = parse_text(&text(&[&actuators(""), sensors].concat()));
        let found = Simulation::in_workshop(model, &mut Rehearsal).err().expect("refused");
        found[0].message.clone()
    };
    let one = problem("[[specimen.transducer]]\nname = \"t\"\ndof = \"slab.x\"\n");
    assert!(one.contains("none of its transducers measures a displacement there") && one.contains("slab.rz"), "{one}");
    let two = problem(
        "[[specimen.load_cell]]\nname = \"a\"\ndof = \"slab.x\"\n[[specimen.load_cell]]\nname = \"b\"\nalong = { \"slab.x\" = 2 }\n[[specimen.load_cell]]\nname = \"c\"\ndof = \"slab.rz\"\n",
    );
    assert!(two.contains("along `slab.y`, and none of its load cells measures a force there"), "{two}");
}
