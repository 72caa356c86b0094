//! `[[element]]`: one variant per entry of the catalogue.

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{Coordinates, Info, Parameter};

use super::Value::{Either, Flag, Number, Quantity, Table, Text, Word};
use super::sections::{chooser, key, list, quantity, sentence};
use super::{Key, Section, Value};
use crate::parse::elements::dimension;
use crate::units::Dimension;

/// All element types, and the tables inside them.
pub(super) fn all() -> Vec<Section> {
    let mut all: Vec<Section> = catalogue().map(element).collect();
    let inner = |name, paths, doc: &str, keys, others| Section {
        name,
        written: "{ ... }",
        paths,
        when: Vec::new(),
        doc: doc.to_owned(),
        keys,
        others,
    };
    let stiffness = vec![
        key("k", quantity(Dimension::STIFFNESS), "Estimated stiffness on each coordinate.", "\"4 kN/mm\""),
        key("c", quantity(Dimension::DAMPING), "Estimated damping on each coordinate.", "\"5 kN*s/m\"").default("0"),
        key("K", matrix(), "Estimated stiffness over all coordinates, instead of `k`.", "[[4, -4], [-4, 4]]"),
        key("C", matrix(), "Estimated damping over all coordinates, beside `K`.", "[[1, 0], [0, 1]]").default("0"),
    ];
    let anything = || Some(Quantity("what the key stands for".to_owned()));
    let estimate = "Estimate that the tangent policy `given` uses.";
    all.extend([
        inner("tangent", &["element.tangent"][..], estimate, stiffness, None),
        inner("states", &["element.initial"][..], "Initial values of states, by name.", vec![], anything()),
        inner("constants", &["element.parameters"][..], "Constants of this element.", vec![], anything()),
        inner("rates", &["element.states"][..], "States, each with the formula of its rate.", vec![], Some(Text)),
    ]);
    all
}

/// Rows of numbers, or a file.
fn matrix() -> Value {
    Either(vec![list(list(Number)), Text])
}

/// The keys of one type.
pub(super) fn element(info: &'static Info) -> Section {
    let mut keys = vec![
        chooser("type", info.name, info.title),
        key("name", Text, "Its name, for channels and messages.", "\"storey1\""),
    ];
    keys.extend(connection(info));
    keys.extend(info.parameters.iter().map(parameter));
    for (names, doc) in info.options {
        let found = names.split(", ").filter_map(|name| option(name, doc));
        keys.extend(found.filter(|k| k.name != "initial"));
    }
    if !info.states.is_empty() || matches!(info.name, "block" | "formula") {
        let names: Vec<&str> = info.states.iter().map(|s| s.name).collect();
        let known = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        keys.push(key(
            "initial",
            Table("states"),
            format!("Initial values of its states{known}."),
            "{ z = \"10 kN\" }",
        ));
    }
    keys.push(Key {
        default: Some("true".to_owned()),
        ..key("damped", Flag, "Whether its stiffness takes part in Rayleigh damping.", "false")
    });
    keys.push(key("tangent", Table("tangent"), "Estimate for the tangent policy `given`.", "{ k = \"4 kN/mm\" }"));
    let doc = format!("{}\n\n{}\n\n{}", sentence(info.title), info.equations.join("\n"), sentence(info.reference));
    let when = vec![("type", info.name)];
    Section { name: "element", written: "[[element]]", paths: &["element"], when, doc, keys, others: None }
}

/// How it is connected, where that is not among its options.
fn connection(info: &Info) -> Vec<Key> {
    let nodes = || {
        let doc = "The two nodes it joins; `ground` is always there.";
        key("nodes", list(Text), doc, "[\"ground\", \"roof\"]").required()
    };
    match info.coordinates {
        Coordinates::Difference => vec![
            nodes(),
            key("dof", Text, "Degree of freedom it acts along; the line between the nodes if absent.", "\"x\""),
        ],
        Coordinates::Listed(of) => {
            let names: Vec<String> = of.iter().map(|c| format!("{} ({})", c.name, c.doc)).collect();
            let doc = format!("Its degrees of freedom, in this order: {}.", names.join(", "));
            vec![key("dofs", list(Text), doc, "[\"floor.x\", \"bob.theta\"]").required()]
        }
        Coordinates::Own if info.name.starts_with("beam") => vec![nodes()],
        Coordinates::Own => Vec::new(),
    }
}

fn parameter(p: &'static Parameter) -> Key {
    let dim = dimension(p.unit, Dimension::FORCE, Dimension::LENGTH, 1.0);
    let example = if dim.is_none() { p.default.unwrap_or(1.0).to_string() } else { format!("\"{}\"", dim.example()) };
    Key {
        required: p.default.is_none(),
        default: p.default.map(|d| d.to_string()),
        ..key(p.name, quantity(dim), sentence(p.doc), example)
    }
}

/// A key that only some types have; the kind of its value is known by its name.
pub(super) fn option(name: &'static str, doc: &str) -> Option<Key> {
    let (value, example): (Value, &str) = match name {
        "node" => (Text, "\"roof\""),
        "nodes" => (list(Text), "[\"ground\", \"roof\"]"),
        "dof" => (Text, "\"x\""),
        "dofs" => (list(Text), "[\"roof.x\"]"),
        "M" | "C" | "K" | "A" | "B" | "Bv" | "D" | "Dv" => (matrix(), "[[2, -1], [-1, 1]]"),
        "release" => (list(Text), "[\"start\"]"),
        "mass" => (Word(vec!["consistent", "lumped"]), "\"lumped\""),
        "memory" => (Word(vec!["state", "path"]), "\"path\""),
        "vecxz" => (list(Number), "[0, 0, 1]"),
        "coordinates" => (list(Text), "[\"theta\"]"),
        "force" => (Either(vec![Text, list(Text)]), "\"k*u + c*v\""),
        "states" => (Table("rates"), "{ z = \"k*v - abs(v)*z\" }"),
        "parameters" => (Table("constants"), "{ k = \"4 kN/mm\" }"),
        "initial" => (Table("states"), "{ z = \"10 kN\" }"),
        _ => return None,
    };
    Some(key(name, value, sentence(doc), example))
}
