//! Materials: the stress of each over a strain that goes to and fro, three times and farther each time.

use interfield_kernel::Dual;
use interfield_kernel::element::info::{Info, Parameter, Range, Unit};
use interfield_kernel::frame::part::Part;
use interfield_kernel::uniaxial::Pace;
use interfield_kernel::uniaxial::combined::Library;
use interfield_kernel::uniaxial::material::{MADE, MATERIALS, Material};
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::model::{FramePart, Kind, Model};
use interfield_language::parse::{Overrides, parse};
use interfield_language::schema::tables;
use interfield_report::{Axis, Curve, Figure, Panel};

/// Parameters that show what a material does, as plain numbers; those of a new one follow from its entry.
type Example = (&'static str, &'static [(&'static str, f64)]);

const EXAMPLES: [Example; 10] = [
    ("elastic", &[("E", 1.0), ("Ec", 0.5)]),
    ("elastic-plastic-gap", &[("gap", 1.0), ("eta", 0.05), ("damage", 1.0)]),
    ("bilinear", &[("b", 0.05), ("a1", 0.2), ("a2", 2.0), ("a3", 0.2), ("a4", 2.0)]),
    ("hardening", &[("Hi", 0.02), ("Hk", 0.05)]),
    ("menegotto-pinto", &[("b", 0.05)]),
    ("viscous", &[("n", 0.4)]),
    ("nonlinear-maxwell", &[("n", 0.4), ("k", 4.0)]),
    ("kent-park", &[("fc", -1.0), ("ec0", -1.0), ("fcu", -0.3), ("ecu", -3.0)]),
    ("kent-park-tension", &[("fc", -1.0), ("ec0", -1.0), ("fcu", -0.3), ("ecu", -3.0), ("ft", 0.2), ("Ets", 0.2)]),
    (
        "pinching",
        &[
            ("m1p", 1.0),
            ("r1p", 1.0),
            ("m2p", 1.4),
            ("r2p", 3.0),
            ("m3p", 1.0),
            ("r3p", 6.0),
            ("m1n", -1.0),
            ("r1n", -1.0),
            ("m2n", -1.4),
            ("r2n", -3.0),
            ("m3n", -1.0),
            ("r3n", -6.0),
            ("pinch_x", 0.7),
            ("pinch_y", 0.3),
            ("damage1", 0.02),
        ],
    ),
];

/// Materials made of others or of formulas, as they are written, with two to be made of; and how far they are strained.
type Written = (&'static str, &'static str, f64);

const MADE_OF: &str = "[[material]]\nname = \"a\"\ntype = \"elastic-plastic\"\nacts = \"force\"\nE = 1\nfy = 1\n\
    [[material]]\nname = \"b\"\ntype = \"elastic-plastic-gap\"\nacts = \"force\"\nE = 0.5\nfy = 1\ngap = 2\n\
    [[material]]\nname = \"c\"\ntype = \"elastic\"\nacts = \"force\"\nE = 0.5\n";

const WRITTEN: [Written; 5] = [
    ("parallel", "of = [\"a\", \"b\"]", 5.0),
    ("series", "of = [\"a\", \"c\"]", 5.0),
    ("limited", "of = \"a\"\nemax = 3", 4.0),
    ("initial-strain", "of = \"a\"\ne0 = 0.5", 4.0),
    ("formula", "stress = \"e + 2*e^3\"", 1.0),
];

/// Increments of a way from one end to the other: no corner is lost.
const WAY: u32 = 400;

/// The loops of all materials.
pub(crate) fn all() -> Result<Vec<(String, String)>, String> {
    let missing = |info: &Info| format!("material {}: crates/book/src/pictures has no example", info.name);
    let drawn =
        |info: &Info, svg: Option<String>| Ok((format!("material-{}", info.name), svg.ok_or_else(|| missing(info))?));
    let plain = MATERIALS.iter().map(|info| drawn(info, plain(info)));
    plain.chain(written().map(|info| drawn(info, made(info)))).collect()
}

/// Materials made of others that a model file can have.
pub(crate) fn written() -> impl Iterator<Item = &'static Info> {
    let known = tables();
    MADE.iter().filter(move |m| known.iter().any(|t| t.name == "material" && t.when.iter().any(|w| w.1 == m.name)))
}

/// The value of a parameter in the picture: that of the example, its default, or a plain number in its range.
fn value(info: &Info, p: &Parameter) -> f64 {
    let example = EXAMPLES.iter().find(|e| e.0 == info.name).and_then(|e| e.1.iter().find(|g| g.0 == p.name));
    if let Some(x) = example.map(|g| g.1).or(p.default) {
        return x;
    }
    let plain = if p.unit == Unit::NONE { 0.3 } else { 1.0 };
    match p.range {
        Range::Between(low, high) => f64::clamp(plain, low, high),
        // What comes after yielding is softer.
        Range::NonNegative if p.unit == Unit::STIFFNESS => 0.1,
        _ => plain,
    }
}

/// The loop of a material with parameters alone.
fn plain(info: &Info) -> Option<String> {
    let values: Vec<f64> = info.parameters.iter().map(|p| value(info, p)).collect();
    let material = Material::new(info.name, &values)?;
    let told = |(p, x): (&Parameter, &f64)| (p.default != Some(*x)).then(|| format!("{} = {x}", p.name));
    let words: Vec<String> = info.parameters.iter().zip(&values).filter_map(told).collect();
    // Twelve corners of a backbone can be read off the curve.
    let title = if words.len() > 7 { String::new() } else { words.join(", ") };
    drawn(title, driven(&material, &Library::default(), ends(&material)))
}

/// The loop of a material that is made of others.
fn made(info: &Info) -> Option<String> {
    let (_, written, most) = WRITTEN.iter().find(|w| w.0 == info.name)?;
    let frame = read(info.name, written)?;
    let Part::Spring { material, .. } = frame.part else { return None };
    let title = written.replace('\n', ", ").replace('"', "");
    drawn(title, driven(&material, &frame.sections.tables().library, [-most, *most]))
}

/// A material as a spring of a model.
fn read(name: &str, written: &str) -> Option<FramePart> {
    let text = format!(
        "dofs = [\"x\"]\n[[node]]\nname = \"n\"\nmass = 1\n{MADE_OF}[[material]]\nname = \"it\"\ntype = \"{name}\"\nacts = \"force\"\n\
         {written}\n[[element]]\ntype = \"uniaxial\"\nname = \"e\"\nnodes = [\"ground\", \"n\"]\ndof = \"x\"\nmaterial = \"it\"\n\
         [analysis]\nscheme = \"newmark\"\ndt = 0.01\nduration = 1\n"
    );
    let (source, diags) = (Source::new("picture.toml", text), Diagnostics::new());
    let found = parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags);
    let Some((Model { elements, .. }, _)) = found else {
        eprintln!("{}", diags.render(&source, false));
        return None;
    };
    match elements.into_iter().next()?.kind {
        Kind::Frame { frame, .. } => Some(*frame),
        _ => None,
    }
}

fn drawn(title: String, points: Vec<(f64, f64)>) -> Option<String> {
    points.iter().all(|p| p.1.is_finite()).then_some(())?;
    let (x, y) = (Axis::new("strain e", ""), Axis::new("stress s", ""));
    let panel = Panel { title, x, y, curves: vec![Curve::line("", points)], ..Panel::default() };
    Some(Figure { width: 380.0, slenderness: 0.62, ..Figure::new(vec![panel]) }.svg())
}

/// Strains between which it is moved: some times its yield strains, or to where concrete is crushed and a little into tension.
fn ends(material: &Material) -> [f64; 2] {
    let l = material.limits();
    if l.crushed.is_finite() {
        return [1.2 * l.crushed, if l.cracked.is_finite() { 5.0 * l.cracked } else { -0.4 * l.peak }];
    }
    let yields = [l.compression.abs(), l.tension].into_iter().filter(|e| e.is_finite()).fold(0.0, f64::max);
    let most = if yields > 0.0 { 5.0 * yields } else { 1.0 };
    // What acts on one side only is not moved far to the other.
    let side = |limit: f64| if yields > 0.0 && !limit.is_finite() { 0.4 * most } else { most };
    [-side(l.compression), side(l.tension)]
}

/// Strains and stresses: to and fro with a third, two thirds and all of the strains, one second each way. What depends on the rate is
/// moved smoothly.
fn driven(material: &Material, library: &Library<'_>, [low, high]: [f64; 2]) -> Vec<(f64, f64)> {
    let mut history = vec![0.0; material.history()];
    material.start(library, 1, &mut history);
    let smooth = material.viscous(library);
    let (mut points, mut at, mut step) = (Vec::new(), 0.0, 0);
    let turns = (1..=3).flat_map(|third| [low, high].map(|end| end * f64::from(third) / 3.0)).chain([0.0]);
    for to in turns {
        for i in 1..=WAY {
            step += 1;
            let share = f64::from(i) / f64::from(WAY);
            let share = if smooth { 0.5 - 0.5 * (std::f64::consts::PI * share).cos() } else { share };
            let e = at + (to - at) * share;
            let mut next = history.clone();
            let pace = Pace::at(f64::from(step) / f64::from(WAY));
            let s = material.advance(library, |j| history[j], Dual { re: e, eps: 0.0 }, &pace, |j, x: f64| next[j] = x);
            history = next;
            points.push((e, s.re));
        }
        at = to;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_material_is_drawn_and_shows_more_than_a_line() {
        for info in MATERIALS {
            let values: Vec<f64> = info.parameters.iter().map(|p| value(info, p)).collect();
            let material = Material::new(info.name, &values).unwrap();
            let points = driven(&material, &Library::default(), ends(&material));
            let most = points.iter().map(|p| p.1.abs()).fold(0.0, f64::max);
            assert!(most > 0.1 && most.is_finite(), "{}: {most}", info.name);
            let straight = points.iter().all(|p| (p.1 - p.0 * points[1].1 / points[1].0).abs() < 1e-9);
            assert!(!straight, "{} is a line", info.name);
        }
        for info in written() {
            assert!(made(info).is_some(), "{} is not drawn", info.name);
        }
    }
}
