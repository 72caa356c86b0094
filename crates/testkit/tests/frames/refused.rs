//! What frames cannot be: each message names its cause, its place and the remedy.

use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Structure;

/// Everything that is said of a model.
fn said(text: &str) -> String {
    let source = Source::new("test.toml", text.to_owned());
    let diags = Diagnostics::new();
    match parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags) {
        None => diags.render(&source, false),
        Some((model, places)) => match Structure::new(model) {
            Ok(_) => String::new(),
            Err(problems) => {
                problems.iter().for_each(|p| diags.push(places.locate(p)));
                diags.render(&source, false)
            }
        },
    }
}

/// A column of fibres under a load, in the plane.
const COLUMN: &str = r#"dofs = ["x", "y", "rz"]
[[node]]
name = "foot"
at = [0, 0]
fixed = true
[[node]]
name = "top"
at = [0, 3]
mass = 1000
[[material]]
name = "steel"
type = "bilinear"
fy = 350e6
E = 200e9
b = 0.02
[[cross-section]]
name = "s"
fibres = [{ shape = "rectangle", material = "steel", from = [-0.1, -0.1], to = [0.1, 0.1], divisions = [8, 1] }]
[[cross-section]]
name = "elastic"
E = 200e9
A = 0.01
Iz = 1e-4
[[element]]
type = "member"
name = "column"
nodes = ["foot", "top"]
cross_section = "s"
[[load]]
type = "gravity"
at = "top.y"
force = -1e5
[analysis]
scheme = "newmark-newton"
dt = 0.01
duration = 1
"#;

/// The column with one line changed says this at that line, with this remedy.
fn refused(from: &str, to: &str, words: &[&str]) {
    assert!(COLUMN.contains(from), "{from}");
    let text = COLUMN.replacen(from, to, 1);
    let said = said(&text);
    for word in words {
        assert!(said.contains(word), "`{word}` is missing in:\n{said}");
    }
}

#[test]
fn the_column_itself_is_good() {
    assert_eq!(said(COLUMN), "");
}

#[test]
fn sections_that_are_none() {
    let fibres = "fibres = [{ shape = \"rectangle\", material = \"steel\", from = [-0.1, -0.1], to = [0.1, 0.1], divisions = [8, 1] }]";
    refused(fibres, "fibres = []", &["this section has no fibres", "test.toml:18"]);
    let point =
        |area: &str| format!("fibres = [{{ shape = \"point\", material = \"steel\", at = [0, 0], area = {area} }}]");
    refused(fibres, &point("-1e-3"), &["area", "must be greater than zero", "test.toml:18"]);
    refused(fibres, &point("0"), &["area", "must be greater than zero"]);
    refused(fibres, &fibres.replace("to = [0.1", "to = [-0.2"), &["no positive area", "lower to the upper corner"]);
    // All fibres on the axis: nothing carries a moment.
    refused(
        fibres,
        &point("1e-3"),
        &["`s` has no bending stiffness about its local z axis", "place fibres at different y", "test.toml:28"],
    );
    let line = fibres.replace("divisions = [8, 1]", "divisions = [1, 8]");
    refused(fibres, &line, &["no bending stiffness about its local z axis"]);
    refused("cross_section = \"s\"", "cross_section = \"none\"", &["there is no cross-section `none`"]);
}

#[test]
fn members_that_cannot_be() {
    refused("at = [0, 3]", "at = [0, 0]", &["this member has no length"]);
    let with = |line: &str| format!("cross_section = \"s\"\n{line}");
    refused(
        "cross_section = \"s\"",
        &with("offsets = [[0, 2], [0, -1]]"),
        &["the offsets leave nothing of this member", "test.toml:29"],
    );
    refused(
        "cross_section = \"s\"",
        &with("offsets = [[0, 2.5], [0, -1]]"),
        &["the offsets leave nothing of this member"],
    );
    let hinges = |rule: &str, l: f64| {
        with(&format!(
            "hinges = {{ start = \"s\", start_length = {l}, end = \"s\", end_length = {l}, rule = \"{rule}\" }}"
        ))
    };
    refused("cross_section = \"s\"", &hinges("radau", 0.4), &["these hinges are too long", "four times"]);
    refused("cross_section = \"s\"", &hinges("midpoint", 1.6), &["these hinges are longer than the member"]);
    refused("cross_section = \"s\"", &with("points = 1"), &["at least two points"]);
    refused(
        "cross_section = \"s\"",
        &with("formulation = \"displacement\"\nrelease = [\"end\"]"),
        &["released moments need a force-based member"],
    );
    refused("Iz = 1e-4", "Iz = 1e-4\nAy = 0.005", &["`Ay` needs a shear modulus"]);
    let sheared = COLUMN
        .replace("cross_section = \"s\"", &with("formulation = \"displacement\"").replace("\"s\"", "\"elastic\""));
    let said = said(&sheared.replace("Iz = 1e-4", "Iz = 1e-4\nG = 77e9\nAy = 0.005"));
    assert!(said.contains("would ignore its shear") && said.contains("formulation = \"force\""), "{said}");
    let space = COLUMN
        .replace("dofs = [\"x\", \"y\", \"rz\"]", "dofs = [\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]")
        .replace("Iz = 1e-4", "Iz = 1e-4\nIy = 1e-4")
        .replace("cross_section = \"s\"", "cross_section = \"elastic\"");
    assert!(self::said(&space).contains("`elastic` has no torsional stiffness"));
    let space = space.replace("Iy = 1e-4", "Iy = 1e-4\ntorsion = 1e6");
    assert_eq!(self::said(&space), "");
    for vecxz in ["[0, 1, 0]", "[0, 0, 0]"] {
        let said = self::said(
            &space.replace("cross_section = \"elastic\"", &format!("cross_section = \"elastic\"\nvecxz = {vecxz}")),
        );
        assert!(said.contains("`vecxz` is zero or parallel to the member"), "{said}");
    }
}

#[test]
fn constraints_that_contradict() {
    let node = |n: &str, fixed: &str| format!("[[node]]\nname = \"{n}\"\nat = [2, 3]\nmass = 10\n{fixed}");
    let link = |kind: &str, a: &str, b: &str| {
        format!("[[constraint]]\ntype = \"{kind}\"\nleads = \"{a}\"\nfollows = [\"{b}\"]\n")
    };
    let check = |text: String, words: &[&str]| {
        let said = said(&(text + COLUMN.split_once('\n').unwrap().1));
        words.iter().for_each(|w| assert!(said.contains(w), "`{w}` is missing in:\n{said}"));
    };
    let head = "dofs = [\"x\", \"y\", \"rz\"]\n";
    let held = format!("{head}{}{}", node("held", "fixed = [\"x\"]\n"), link("rigid-link", "top", "held"));
    check(held, &["`held.x` is held and cannot follow `top.x`", "free it, or take the node out"]);
    let twice = [node("a", ""), node("b", ""), link("rigid-link", "top", "a"), link("rigid-link", "b", "a")].concat();
    check(format!("{head}{twice}"), &["already follows another node", "it follows here first"]);
    let circle = [node("a", ""), node("b", ""), link("rigid-link", "b", "a"), link("rigid-link", "a", "b")].concat();
    check(format!("{head}{circle}"), &["follow each other in a circle", "let one of them lead"]);
    let itself = [node("a", ""), link("rigid-link", "a", "a")].concat();
    check(format!("{head}{itself}"), &["a node cannot follow itself"]);
}

#[test]
fn gravity_that_nothing_carries() {
    // A mechanism: the foot of the column turns.
    refused(
        "fixed = true",
        "fixed = [\"x\", \"y\"]",
        &["under the loads that are there from the beginning", "can move without resistance"],
    );
    // More than the section can carry: hardly any hardening, and a load beyond its strength.
    let weak = COLUMN.replace("b = 0.02", "b = 0").replace("force = -1e5", "force = -2e7");
    let said = said(&weak);
    assert!(said.contains("from the beginning"), "{said}");
}
