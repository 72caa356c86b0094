//! The tables of parts that other programs compute, one variant per program.

use super::Value::{Either, Flag, Number, Quantity, Table, Text, Word};
use super::sections::{chooser, key, list, named, quantity, section};
use super::{Key, Section};
use crate::units::Dimension;

/// All of them.
pub(super) fn all() -> Vec<Section> {
    let stiffness = || Quantity("a stiffness, of each degree of freedom or of all".to_owned());
    let adapter = key(
        "adapter_stiffness",
        Either(vec![stiffness(), list(stiffness())]),
        "Stiffness of the element `adapter` of the script (-stif), one number or one for each degree of freedom; what \
         gives in it is corrected.",
        "\"1e7 kN/m\"",
    )
    .required();
    vec![
        program("opensees", "An OpenSees script with one element `adapter`.", vec![adapter]),
        program("openfresco", "A site of OpenFresco that waits for a client.", Vec::new()),
        program("ut-sim", "A substructure of UT-SIM that waits for a client.", Vec::new()),
        unit(),
        named(
            "unit-parameters",
            "parameters",
            &["external.parameters"],
            "Parameters of a functional mock-up unit by their names, in the units that the unit gives them.",
            Either(vec![Number, Flag, Text]),
        ),
    ]
}

/// A program that is a process of its own.
fn program(name: &'static str, what: &str, own: Vec<Key>) -> Section {
    let mut keys = vec![
        key(
            "command",
            list(Text),
            "How it is started, in the folder of the model file; it runs already if absent.",
            "[\"python3\", \"frame.py\"]",
        ),
        key(
            "at",
            Text,
            "Where it listens, tcp://HOST:PORT or udp://HOST:PORT; at a free port of this machine if it is started here.",
            "\"tcp://127.0.0.1:8095\"",
        ),
        key("start", quantity(Dimension::TIME), "Longest time until the program listens.", "\"1 min\"")
            .default("\"30 s\""),
        key("timeout", quantity(Dimension::TIME), "Longest time of an answer.", "\"5 s\"").default("\"5 s\""),
    ];
    keys.extend(own);
    external(name, what, keys)
}

/// A functional mock-up unit.
fn unit() -> Section {
    let keys = vec![
        key("file", Text, "The unit's file, as seen from the folder of the model file.", "\"damper.fmu\"").required(),
        key("displacements", list(Text), "Its inputs for displacements, one for each degree of freedom.", "[\"u\"]")
            .required(),
        key("velocities", list(Text), "Its inputs for velocities, if it wants them.", "[\"v\"]"),
        key(
            "forces",
            list(Text),
            "Its outputs for the forces that resist, one for each degree of freedom; `-NAME` for a force that it exerts.",
            "[\"F\"]",
        )
        .required(),
        key("time", Text, "Its input for the time, if it wants one.", "\"t\""),
        key("parameters", Table("unit-parameters"), "Its parameters by name, in its own units.", "{ k = 2.5 }"),
    ];
    external("fmu", "A functional mock-up unit (FMI 2.0 or 3.0, co-simulation) in a file.", keys)
}

/// The keys that all programs share, around their own.
fn external(name: &'static str, what: &str, own: Vec<Key>) -> Section {
    let mut keys = vec![
        key("name", Text, "Its name, by which substructures and channels refer to it.", "\"frame\"").required(),
        chooser("program", name, what),
        key("dofs", list(Text), "Its degrees of freedom, in the order of the program.", "[\"roof.x\"]").required(),
    ];
    keys.extend(own);
    let units = match name {
        "fmu" => "Units of its variables that declare none.",
        _ => "Units of the program.",
    };
    keys.extend([
        key("units", Table("units"), units, "{ length = \"mm\", force = \"kN\" }"),
        key(
            "stiffness",
            Either(vec![Word(vec!["identify"]), list(list(Number)), Text]),
            "Stiffness of the linear stand-in that the scheme computes with: a matrix in the units of the file, the name \
             of a Matrix Market file, or identified by moving the program a little before the run.",
            "[[4000]]",
        )
        .default("\"identify\""),
        key(
            "probe",
            Either(vec![stroke(), list(stroke())]),
            "How far each degree of freedom is moved to identify the stiffness, one number or one for each.",
            "\"0.01 mm\"",
        )
        .default("\"0.001 mm\""),
        key("damped", Flag, "Whether the stand-in's stiffness takes part in Rayleigh damping.", "false")
            .default("true"),
    ]);
    let doc =
        format!("{what} It computes the forces of a part of the structure, once per step, and is never taken back.");
    Section { when: vec![("program", name)], ..section("external", "[[external]]", &["external"], doc, keys) }
}

/// A length or an angle, after the degree of freedom that is moved.
fn stroke() -> super::Value {
    Quantity("a length, or an angle for a rotation".to_owned())
}
