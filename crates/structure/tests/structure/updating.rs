//! Online updating in a running structure: what is learned and used, what it costs in energy, what is refused.

use interfield_kernel::Persist;
use interfield_language::Model;
use interfield_language::model::Quantity;
use interfield_language::update::Update;
use interfield_learn::online::State;
use interfield_structure::Simulation;
use interfield_structure::learning::{knowing, without};

use crate::balance::model as parse_text;
use crate::specimens::rows;

/// Two storeys; the first one stands in the laboratory and teaches the second one, which has 0.7 of its size.
pub(crate) fn text(analysis: &str, more: &str) -> String {
    format!(
        r#"
title = "Two storeys"
dofs = ["x"]
units = {{ length = "mm", force = "kN" }}
parameters = {{ k = "5.6 kN/mm", Fy = "120 kN", r = 0.8, n = 1.2, size = 0.7 }}
node = [{{ name = "floor", mass = "50 t" }}, {{ name = "roof", mass = "50 t" }}]
element = [
  {{ type = "bouc-wen", name = "one", nodes = ["ground", "floor"], dof = "x", k = "k", k2 = "1.6 kN/mm", n = "n", beta = "r*k/Fy^n", gamma = "(1 - r)*k/Fy^n" }},
  {{ type = "bouc-wen", name = "two", nodes = ["floor", "roof"], dof = "x", k = "size*k", k2 = "size*1.6 kN/mm", n = "n", beta = "r*size*k/(size*Fy)^n", gamma = "(1 - r)*size*k/(size*Fy)^n" }},
]
damping = {{ rayleigh = {{ ratio = 0.02 }} }}
load = [{{ type = "ground", name = "quake", direction = "x", signal = {{ type = "synthetic", peak = "0.3 g" }} }}]
analysis = {{ {analysis} }}
record = {{ channels = ["floor.x", "roof.x", "two.force"], energy = true }}
{more}
[[specimen]]
name = "laboratory"
elements = ["one"]
"#
    )
}

const UPDATE: &str = r#"
[[update]]
name = "dampers"
learn = ["two"]
force_noise = "0.5 kN"
displacement_noise = "0.02 mm"
truth = { k = 1.43, Fy = 0.67, r = 0.75, n = 1.67, k2 = 0.5 }
"#;

const OS: &str = "scheme = \"alpha-os\", dt = \"2 ms\", duration = \"12 s\"";

fn model() -> Model {
    parse_text(&text(OS, UPDATE))
}

/// Root-mean-square difference of a channel over that of the truth.
fn error(rows: &[Vec<f64>], truth: &[Vec<f64>], channel: usize) -> f64 {
    let square: f64 = rows.iter().zip(truth).map(|(r, t)| (r[channel] - t[channel]).powi(2)).sum();
    (square / truth.iter().map(|t| t[channel].powi(2)).sum::<f64>()).sqrt()
}

fn all(model: &Model) -> Vec<Vec<f64>> {
    rows(model.clone(), &mut interfield_structure::specimen::Rehearsal)
}

#[test]
fn a_storey_that_learns_comes_near_the_truth() {
    for scheme in [
        OS,
        "scheme = \"lsrt2\", dt = \"2 ms\", duration = \"12 s\"",
        "scheme = \"chang\", dt = \"2 ms\", duration = \"12 s\"",
    ] {
        let model = parse_text(&text(scheme, UPDATE));
        let (truth, none, learned) = (all(&knowing(&model)), all(&without(model.clone())), all(&model));
        for channel in 0..2 {
            let (before, after) = (error(&none, &truth, channel), error(&learned, &truth, channel));
            assert!(after < before / 8.0, "{scheme}, {channel}: {after} for {before}");
        }
        let place = |name: &str| model.channels.iter().position(|c| c.name == name).unwrap();
        let end = learned.last().unwrap();
        // 5.6 * 1.43 kN/mm and 120 * 0.67 kN, in their bands or near.
        for (name, true_value) in [("k", 8.008), ("Fy", 80.4), ("n", 2.004)] {
            let at = |what: &str| end[place(&format!("dampers.{name}{what}"))];
            assert!((at("") / true_value - 1.0).abs() < 0.08, "{name}: {}", at(""));
            assert!(at(".low") < at("") && at("") < at(".high"));
        }
        for row in &learned {
            assert!(row[place("dampers.injected")] <= row[place("dampers.tank")] + 1e-9, "{row:?}");
        }
        assert_eq!(end[place("dampers.active")], 1.0);
    }
}

/// The force that is recorded of an element that learns is that of its present law: it works on the roof.
#[test]
fn recorded_forces_are_those_of_the_present_law() {
    for option in ["", " memory = \"path\","] {
        let text = text(OS, UPDATE).replace("name = \"two\",", &format!("name = \"two\",{option}"));
        let text = text.replace("rayleigh = { ratio = 0.02 }", "rayleigh = { a0 = 0, a1 = 0 }");
        let model = parse_text(
            &text.replace("\"floor.x\", \"roof.x\", \"two.force\"", "\"roof.x.abs\", \"roof.x\", \"two.force\""),
        );
        let found = all(&model);
        let mut worst = 0.0f64;
        for row in &found[1000..] {
            // 50 t times mm/s² are 0.05 kN.
            worst = worst.max((row[2] + 0.05 * row[0]).abs());
        }
        let most = found.iter().fold(0.0f64, |m, r| m.max(r[2].abs()));
        assert!(worst < 0.05 * most, "{option}: {worst} of {most}");
    }
}

#[test]
fn a_run_that_learns_goes_on_where_it_was() {
    let mut whole = Simulation::new(model()).unwrap();
    let mut half = Simulation::new(model()).unwrap();
    (0..4000).for_each(|k| whole.step(k).unwrap());
    (0..2000).for_each(|k| half.step(k).unwrap());
    let mut saved = Vec::new();
    half.save(&mut |x| saved.push(x)).unwrap();
    let mut second = Simulation::new(model()).unwrap();
    second.restore(&saved).unwrap();
    (2000..4000).for_each(|k| second.step(k).unwrap());
    let mut rows = [vec![0.0; whole.channels().len()], vec![0.0; whole.channels().len()]];
    whole.sample(4000, &mut rows[0]).unwrap();
    second.sample(4000, &mut rows[1]).unwrap();
    assert_eq!(rows[0], rows[1]);
}

/// Without truth the first guess is right, and stays: updating does no harm.
#[test]
fn a_right_guess_stays_right() {
    let right = UPDATE.lines().filter(|l| !l.starts_with("truth")).collect::<Vec<_>>().join("\n");
    let model = parse_text(&text(OS, &right));
    let (truth, learned) = (all(&knowing(&model)), all(&model));
    assert!(error(&learned, &truth, 1) < 0.02, "{}", error(&learned, &truth, 1));
}

/// A motion far below yielding: what cannot be told is not claimed.
#[test]
fn a_weak_motion_is_said_to_teach_little() {
    let weak = text(OS, UPDATE).replace("peak = \"0.3 g\"", "peak = \"0.005 g\"");
    let model = parse_text(&weak);
    let mut sim = Simulation::new(model.clone()).unwrap();
    (0..sim.steps()).for_each(|k| sim.step(k).unwrap());
    let lesson = &sim.lessons()[0];
    assert_eq!(lesson.state, State::Learning);
    assert!(lesson.doubts().iter().any(|d| d.contains("not learned")), "{:?}", lesson.doubts());
    let (truth, none, learned) = (all(&knowing(&model)), all(&without(model.clone())), all(&model));
    assert!(error(&learned, &truth, 1) <= 1.02 * error(&none, &truth, 1));
}

/// Operators that follow nothing bound the stiffness that is used.
#[test]
fn constant_operators_bound_the_stiffness() {
    let stiff = UPDATE.replace("k = 1.43", "k = 4");
    let constant = "scheme = \"alpha-os\", tangent = \"initial\", dt = \"20 ms\", duration = \"12 s\"";
    let light = text(constant, &stiff).replace("mass = \"50 t\" }]", "mass = \"0.5 t\" }]");
    let model = parse_text(&light);
    let mut sim = Simulation::new(model).unwrap();
    for k in 0..sim.steps() {
        sim.step(k).unwrap();
    }
    let lesson = &sim.lessons()[0];
    assert!(lesson.waited > 0, "{lesson:?}");
    assert!(sim.states().flatten().all(|x| x.is_finite()));
}

fn refused(more: &str, text: impl Fn(String) -> String, words: &str) {
    let whole = text(self::text(OS, more));
    let (source, diags) =
        (interfield_language::diag::Source::new("m.toml", whole), interfield_language::diag::Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    let found = interfield_language::parse::parse(&source, &Default::default(), &files, &diags);
    let said = match found {
        None => diags.render(&source, false),
        Some((model, _)) => Simulation::new(model).err().map_or_else(String::new, |p| format!("{p:?}")),
    };
    assert!(said.contains(words), "{words}: {said}");
}

#[test]
fn what_cannot_be_learned_is_refused_in_words() {
    let same = |t: String| t;
    refused(&UPDATE.replace("\"two\"", "\"twoo\""), same, "twoo");
    refused(&UPDATE.replace("\"two\"", "\"one\""), same, "its force is measured");
    refused(&UPDATE.replace("learn", "specimen = \"lab\"\nlearn"), same, "there is no specimen `lab`");
    refused(&UPDATE.replace("learn", "element = \"two\"\nlearn"), same, "has no element `two`");
    refused(&UPDATE.replace("learn", "parameters = [\"beta\"]\nlearn"), same, "`beta` is not a parameter");
    refused(&UPDATE.replace("0.5 kN", "0.5 mm"), same, "force");
    refused(&UPDATE.replace("0.02 mm", "-1 mm"), same, "displacement_noise");
    refused(&UPDATE.replace("truth = { k", "truth = { xa = 2, k"), same, "`xa` is not a parameter");
    let two = |to: &str| {
        let to = to.to_owned();
        move |t: String| {
            let start = t.find("  { type = \"bouc-wen\", name = \"two\"").unwrap();
            let end = start + t[start..].find('\n').unwrap();
            format!("{}{to}{}", &t[..start], &t[end..])
        }
    };
    let other = "  { type = \"mostaghel\", name = \"two\", nodes = [\"floor\", \"roof\"], dof = \"x\", k = 4, a = 0.1, delta = 20 },";
    refused(UPDATE, two(other), "teaches a `bouc-wen`");
    let other = "  { type = \"bouc-wen\", name = \"two\", nodes = [\"floor\", \"roof\"], dof = \"x\", k = 4, n = 3, beta = 1e-6, gamma = 1e-6 },";
    refused(UPDATE, two(other), "another exponent");
    let degrading = |t: String| {
        let (start, mark) = (t.find("  { type = \"bouc-wen\", name = \"one\"").unwrap(), "\n");
        let end = start + t[start..].find(mark).unwrap();
        let other = "  { type = \"degrading-bouc-wen\", name = \"one\", nodes = [\"ground\", \"floor\"], dof = \"x\", k = 4, a = 0.1, n = 2, n1 = 0.5, n2 = 0.5, xy = 8, dk = 0, ds = 0 },";
        format!("{}{other}{}", &t[..start], &t[end..])
    };
    refused(UPDATE, degrading, "write `bouc-wen` for the specimen");
    let none = |t: String| t.replace("[[specimen]]\nname = \"laboratory\"\nelements = [\"one\"]\n", "");
    refused(UPDATE, none, "needs a [[specimen]]");
}

/// Bilinear elements learn too, with the slider as their state; the law whose slope falls with the displacement too.
#[test]
fn other_laws_learn() {
    let laws = [
        (
            "type = \"mostaghel\", k = \"6 kN/mm\", a = 0.15, delta = \"15 mm\"",
            "type = \"mostaghel\", k = \"3 kN/mm\", a = 0.15, delta = \"15 mm\"",
            "truth = { k = 1.3, Fy = 0.7, k2 = 0.8 }",
        ),
        (
            "type = \"modified-bouc-wen\", k = \"6 kN/mm\", alpha = \"1e-5 1/mm^2\", n = 2, beta = \"0.6*6 kN/mm/(90 kN)^2\", gamma = \"0.4*6 kN/mm/(90 kN)^2\"",
            "type = \"modified-bouc-wen\", k = \"3 kN/mm\", alpha = \"1e-5 1/mm^2\", n = 2, beta = \"0.6*3 kN/mm/(45 kN)^2\", gamma = \"0.4*3 kN/mm/(45 kN)^2\"",
            "truth = { k = 1.3, Fy = 0.7 }",
        ),
        (
            "type = \"cubic\", k = \"5 kN/mm\", k3 = \"2 N/mm^3\", c = \"60 N*s/mm\"",
            "type = \"cubic\", k = \"3 kN/mm\", k3 = \"1 N/mm^3\", c = \"40 N*s/mm\"",
            "truth = { k = 1.3, k3 = 0.6, c = 1.5 }",
        ),
    ];
    for (one, two, truth) in laws {
        let mut t = text(
            OS,
            &UPDATE.lines().map(|l| if l.starts_with("truth") { truth } else { l }).collect::<Vec<_>>().join("\n"),
        );
        for (name, law) in [("one", one), ("two", two)] {
            let start = t.find(&format!("  {{ type = \"bouc-wen\", name = \"{name}\"")).unwrap();
            let end = start + t[start..].find('\n').unwrap();
            let nodes = if name == "one" { "[\"ground\", \"floor\"]" } else { "[\"floor\", \"roof\"]" };
            t = format!("{}  {{ name = \"{name}\", nodes = {nodes}, dof = \"x\", {law} }},{}", &t[..start], &t[end..]);
        }
        let model = parse_text(&t);
        let (truth, none, learned) = (all(&knowing(&model)), all(&without(model.clone())), all(&model));
        let (before, after) = (error(&none, &truth, 1), error(&learned, &truth, 1));
        assert!(after < before / 3.0, "{one}: {after} for {before}");
        let place = |name: &str| model.channels.iter().position(|c| c.name == name).unwrap();
        assert!(learned.iter().all(|r| r[place("dampers.injected")] <= r[place("dampers.tank")] + 1e-9));
    }
}

/// A viscous damper beside a spring: least squares of the rate.
#[test]
fn dampers_learn() {
    let damper = |name: &str, nodes: &str, c: &str| {
        format!(
            "  {{ type = \"damper\", name = \"{name}\", nodes = {nodes}, dof = \"x\", c = {c}, n = 0.5, v0 = \"5 mm/s\" }},"
        )
    };
    let update = UPDATE.lines().map(|l| if l.starts_with("truth") { "truth = { c = 1.7 }" } else { l });
    let mut t = text(OS, &update.collect::<Vec<_>>().join("\n"));
    for (name, nodes, c) in [("one", "[\"ground\", \"floor\"]", "4"), ("two", "[\"floor\", \"roof\"]", "3")] {
        let start = t.find(&format!("  {{ type = \"bouc-wen\", name = \"{name}\"")).unwrap();
        let end = start + t[start..].find('\n').unwrap();
        let spring = format!(
            "  {{ type = \"spring\", name = \"{name}-frame\", nodes = {nodes}, dof = \"x\", k = \"7 kN/mm\" }},"
        );
        t = format!("{}{}\n{spring}{}", &t[..start], damper(name, nodes, c), &t[end..]);
    }
    let model = parse_text(&t);
    let (truth, none, learned) = (all(&knowing(&model)), all(&without(model.clone())), all(&model));
    let (before, after) = (error(&none, &truth, 1), error(&learned, &truth, 1));
    assert!(after < before / 3.0, "{after} for {before}");
    let place = |name: &str| model.channels.iter().position(|c| c.name == name).unwrap();
    let end = learned.last().unwrap();
    // 4 * 1.7 kN (s/mm)^0.5.
    assert!((end[place("dampers.c")] / 6.8 - 1.0).abs() < 0.05, "{}", end[place("dampers.c")]);
    // A dashpot stores nothing: no change of it gives energy.
    assert!(learned.iter().all(|r| r[place("dampers.injected")] == 0.0));
}

/// A substructure computed by a coupling learns as the structure in one piece does.
#[test]
fn substructures_learn() {
    let cut = r#"
substructure = [{ name = "upper", elements = ["two"] }, { name = "lower", elements = ["one"], side = "fine", substeps = 2, interface_mass = 0.5 }]
coupling = { method = "pmc" }
"#;
    let model = parse_text(&text(OS, &format!("{cut}{UPDATE}")));
    let (truth, none, learned) = (all(&knowing(&model)), all(&without(model.clone())), all(&model));
    let (before, after) = (error(&none, &truth, 1), error(&learned, &truth, 1));
    assert!(after < before / 5.0, "{after} for {before}");
}

/// Names and measures of parameters are the same where they are read and where they are learned.
#[test]
fn parameters_have_one_name() {
    use interfield_kernel::element::AnyLaw;
    use interfield_language::update::{LAWS, PARAMETERS};
    use interfield_learn::online::{NAMES, Shape};
    assert_eq!(PARAMETERS.iter().map(|p| p.0).collect::<Vec<_>>(), NAMES);
    for (law, places) in LAWS {
        let some = AnyLaw::new(
            law,
            &vec![0.5; interfield_kernel::element::LAWS.iter().find(|l| l.name == law).unwrap().parameters.len()],
        );
        let (found, _) = some.unwrap().with_parameters(|p| Shape::of(law, p)).unwrap();
        assert!((0..NAMES.len()).all(|i| found.has(i) == places.contains(&i)), "{law}");
    }
    let Update { parameters: all, .. } = &model().updates[0];
    assert!(all.is_empty());
    assert!(
        model().channels.iter().any(|c| matches!(c.quantity, Quantity::Update(0, _)) && c.name == "dampers.Fy.high")
    );
}
