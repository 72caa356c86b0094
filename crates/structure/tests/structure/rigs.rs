//! The six rigs of the book: a rig that follows exactly changes nothing, whatever moves the specimen and whatever the coupling.

use interfield_coupling::registry::COUPLINGS;
use interfield_lab::compensate::Compensation;
use interfield_lab::emulate::Sensor;
use interfield_lab::plant;
use interfield_language::Model;
use interfield_language::specimen::{Dynamics, Specimen};
use interfield_structure::specimen::Rehearsal;

use crate::balance::model as parse_text;
use crate::specimens::{difference, rows};

const RIGS: [&str; 5] = ["brace", "torsion", "plan", "hexapod", "pair"];

/// Steps that are compared: a tenth of a second and more, in which the specimens yield.
const STEPS: f64 = 100.0;

/// The model of a rig; its generated ground motions, which take long to make and start softly, become harmonic ones.
fn text(rig: &str) -> String {
    let path = format!("{}/../../models/rig-{rig}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut parts = text.split("{ type = \"generated\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.enumerate().fold(first, |text, (i, part)| {
        let rest = part.split_once('}').map_or("", |p| p.1);
        let frequency = [1.3, 2.1, 3.4][i % 3];
        format!("{text}{{ type = \"harmonic\", amplitude = \"4 m/s^2\", frequency = \"{frequency} Hz\" }}{rest}")
    })
}

/// The rig as drawn, with actuators and sensors that do what they should.
fn ideal(specimen: &mut Specimen) {
    specimen.compensation = Compensation::Uncompensated;
    specimen.limits = Default::default();
    // Nothing moves on the way to the start, but where a load is applied.
    if specimen.actuators.iter().all(|a| a.loading.is_none()) {
        specimen.ramp = 0.0;
    }
    for actuator in &mut specimen.actuators {
        actuator.dynamics = Dynamics::Ideal;
        actuator.delay = [0.0; 3];
        actuator.friction = 0.0;
        actuator.mount = f64::INFINITY;
        actuator.limits = plant::Limits::NONE;
        actuator.acceleration = f64::INFINITY;
        (actuator.displacement, actuator.force) = (Sensor::default(), Sensor::default());
    }
}

/// The model with an ideal rig, and computed in full.
fn both(text: &str) -> [Model; 2] {
    let mut measured = parse_text(text);
    measured.analysis.duration = STEPS * measured.analysis.dt;
    let mut computed = measured.clone();
    measured.specimens.iter_mut().for_each(ideal);
    computed.specimens.clear();
    [measured, computed]
}

/// Largest difference of all motions, relative to their peaks. Forces are known where the specimen was last: at the predictor.
fn off(text: &str) -> f64 {
    let [measured, computed] = both(text);
    let moves =
        |name: &str| name.split_once('.').is_some_and(|(_, dof)| ["x", "y", "z", "rx", "ry", "rz"].contains(&dof));
    let motions: Vec<usize> = (0..measured.channels.len()).filter(|&i| moves(&measured.channels[i].name)).collect();
    assert!(!motions.is_empty());
    let only = |rows: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        rows.iter().map(|r| motions.iter().map(|&i| r[i]).collect()).collect()
    };
    difference(&only(rows(measured, &mut Rehearsal)), &only(rows(computed, &mut Rehearsal)))
}

/// The pier while it is elastic and its deflections are small: what the held load does to a pier that cracks depends on how well it is held,
/// and is judged by the load. The rotation of its top and its shortening exist in the laboratory only.
fn elastic_pier() -> String {
    let plain = |text: String, (what, by): (&str, &str)| {
        assert!(text.contains(what), "the model of the pier has changed: {what}");
        text.replace(what, by)
    };
    let changes = [
        (
            "type = \"kent-park\"\nfc = \"-35 MPa\"\nec0 = -0.0025\nfcu = \"-12 MPa\"\necu = -0.012",
            "type = \"elastic\"\nE = \"30 GPa\"",
        ),
        (
            "type = \"menegotto-pinto\"\nfy = \"450 MPa\"\nE = \"200 GPa\"\nb = 0.01",
            "type = \"elastic\"\nE = \"200 GPa\"",
        ),
        ("transformation = \"p-delta\"\n", ""),
        (
            "{ type = \"synthetic\", peak = \"0.2 g\" }",
            "{ type = \"harmonic\", amplitude = \"2 m/s^2\", frequency = \"1.3 Hz\" }",
        ),
        (
            "channels = [\"top.x\", \"top.y\", \"top.rz\", \"top.x.measured\", \"top.y.measured\"]",
            "channels = [\"top.x\"]",
        ),
        (
            "rate = \"100 Hz\"\ntime_scale = 150\ncompensation = { method = \"inverse\", delay = \"30 ms\" }\n",
            "rate = \"2 kHz\"\n",
        ),
    ];
    changes.into_iter().fold(text("pier"), plain)
}

/// The text of every rig.
fn rigs() -> impl Iterator<Item = (&'static str, String)> {
    RIGS.into_iter().map(|rig| (rig, text(rig))).chain([("pier", elastic_pier())])
}

#[test]
fn an_ideal_rig_gives_the_computed_motion_in_one_piece() {
    for (rig, text) in rigs() {
        let found = off(&text);
        assert!(found < 1e-9, "{rig}: {found:e}");
    }
}

#[test]
fn an_ideal_rig_gives_the_computed_motion_with_every_coupling() {
    for (rig, text) in rigs() {
        let elements = text.split("[[specimen]]").nth(1).and_then(|s| s.lines().find(|l| l.starts_with("elements")));
        let elements = elements.expect("elements of the specimen");
        let text = text.replace("scheme = \"alpha-os\"\n", "").replace("rate = \"2 kHz\"\n", "");
        for info in COUPLINGS {
            let substeps = if ["llm", "clm"].contains(&info.name) { 1 } else { 2 };
            let cut = format!(
                "\n[[substructure]]\nname = \"structure\"\n\n[[substructure]]\nname = \"laboratory\"\n{elements}\n\
                 interface_mass = 0.3\nsubsteps = {substeps}\n\n[coupling]\nmethod = \"{}\"\n",
                info.name
            );
            let found = off(&format!("{text}{cut}"));
            assert!(found < 1e-9, "{rig} with {}: {found:e}", info.name);
        }
    }
}
