//! Elements: what each is, drawn, and for laws with one coordinate the force over a motion that grows.

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::Info;
use interfield_kernel::element::{AnyLaw, Element, LAWS};
use interfield_report::sketch::{Pen, Place, Sketch, Words};
use interfield_report::{Axis, BLACK, Curve, Figure, Panel};

use super::strokes::{INK, SIZE, THIN, arc, boxed, dashpot, label, node, rectangle, slider, spring};

/// Size of a drawing in pixels.
const PAPER: Place = (360.0, 200.0);
/// Where the nodes of a two-node element are.
const A: Place = (60.0, 95.0);
const B: Place = (300.0, 95.0);

/// What the curve of a law is computed with: its parameters as far as they have no default or one that shows nothing, as plain
/// numbers, and the largest deformation.
type Example = (&'static str, &'static [(&'static str, f64)], f64);

const EXAMPLES: [Example; 8] = [
    ("spring", &[("k", 1.0), ("c", 0.1)], 1.0),
    ("cubic", &[("k", 1.0), ("k3", 1.0)], 1.0),
    ("gap", &[("k", 1.0), ("gap", 0.5), ("both", 1.0)], 1.5),
    ("damper", &[("c", 1.0), ("n", 0.4), ("v0", 0.01)], 1.0),
    ("bouc-wen", &[("k", 1.0), ("beta", 0.5), ("gamma", 0.5), ("k2", 0.05)], 4.0),
    ("modified-bouc-wen", &[("k", 1.0), ("beta", 0.6), ("alpha", 0.1)], 4.0),
    ("degrading-bouc-wen", &[("k", 1.0), ("xy", 1.0), ("a", 0.02), ("dk", 0.015), ("ds", 0.03), ("n", 2.0)], 5.0),
    ("mostaghel", &[("k", 1.0), ("a", 0.1), ("delta", 1.0)], 4.0),
];

/// Drawings and curves of all.
pub(crate) fn all() -> Result<Vec<(String, String)>, String> {
    let mut drawn = Vec::new();
    for info in catalogue() {
        let sketch = sketch(info.name)
            .ok_or_else(|| format!("element {}: crates/book/src/pictures has no drawing", info.name))?;
        drawn.push((format!("element-{}", info.name), sketch.svg()));
        if has_curve(info) {
            let curve =
                curve(info).ok_or_else(|| format!("element {}: crates/book/src/pictures has no example", info.name))?;
            drawn.push((format!("element-{}-force", info.name), curve));
        }
    }
    Ok(drawn)
}

/// Whether it is a law with one coordinate, whose force can be drawn over it.
pub(crate) fn has_curve(info: &Info) -> bool {
    let parameters: Vec<f64> = info.parameters.iter().map(|p| p.default.unwrap_or(1.0)).collect();
    LAWS.iter().any(|l| l.name == info.name) && AnyLaw::new(info.name, &parameters).is_some_and(|law| law.size().0 == 1)
}

/// The force over the deformation, for three cycles that grow, ω = 1.
fn curve(info: &Info) -> Option<String> {
    let (_, given, most) = EXAMPLES.iter().find(|e| e.0 == info.name)?;
    let value = |name: &str, default: Option<f64>| given.iter().find(|g| g.0 == name).map(|g| g.1).or(default);
    let parameters: Option<Vec<f64>> = info.parameters.iter().map(|p| value(p.name, p.default)).collect();
    let law = AnyLaw::new(info.name, &parameters?)?;
    let words: Vec<String> = given.iter().map(|(name, x)| format!("{name} = {x}")).collect();
    let damped = info.name == "damper";
    let points = driven(&law, *most, damped);
    let along = if damped { "rate q'" } else { "deformation q" };
    let panel = Panel {
        title: words.join(", "),
        x: Axis::new(along, ""),
        y: Axis::new("force p", ""),
        curves: vec![Curve::line("", points)],
        ..Panel::default()
    };
    Some(Figure { width: 380.0, slenderness: 0.62, ..Figure::new(vec![panel]) }.svg())
}

/// Deformation (or its rate) and force of a law under q = most (t/T) sin t, T three periods, states by the classical Runge-Kutta
/// method in steps that no corner of a loop needs finer.
fn driven(law: &AnyLaw, most: f64, over_rate: bool) -> Vec<(f64, f64)> {
    const CYCLES: f64 = 3.0;
    const STEPS: u32 = 3 * 2000;
    let end = CYCLES * std::f64::consts::TAU;
    let motion = |t: f64| {
        let grown = most * (1.0 + 2.0 * t / end) / 3.0;
        (grown * t.sin(), grown * t.cos() + most * 2.0 / 3.0 / end * t.sin())
    };
    let states = law.size().1;
    let (mut p, mut s) = ([0.0], vec![0.0; states]);
    let mut rate = |t: f64, s: &[f64]| {
        let (q, v) = motion(t);
        let mut g = vec![0.0; states];
        law.response(t, &[q], &[v], s, &mut p, &mut g);
        (p[0], g)
    };
    let h = end / f64::from(STEPS);
    let mut points = Vec::new();
    for i in 0..=STEPS {
        let t = f64::from(i) * h;
        let moved = |g: &[f64], step: f64| s.iter().zip(g).map(|(s, g)| s + step * g).collect::<Vec<f64>>();
        let (force, k1) = rate(t, &s);
        if i % 5 == 0 {
            points.push((if over_rate { motion(t).1 } else { motion(t).0 }, force));
        }
        let k2 = rate(t + h / 2.0, &moved(&k1, h / 2.0)).1;
        let k3 = rate(t + h / 2.0, &moved(&k2, h / 2.0)).1;
        let k4 = rate(t + h, &moved(&k3, h)).1;
        s = (0..states).map(|j| s[j] + h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j])).collect();
    }
    points
}

/// The drawing of an element; `None` for one that nobody has drawn.
fn sketch(name: &str) -> Option<Sketch> {
    let mut s = Sketch::new(PAPER.0, PAPER.1);
    match name {
        "spring" => parallel(&mut s, &[(spring, "k"), (dashpot, "c")]),
        "cubic" => parallel(&mut s, &[(spring, "k + k3 q²"), (dashpot, "c")]),
        "gap" => gap(&mut s),
        "damper" => parallel(&mut s, &[(dashpot, "c, n")]),
        "bouc-wen" => parallel(&mut s, &[(spring, "k2"), (hysteretic, "z")]),
        "modified-bouc-wen" => parallel(&mut s, &[(hysteretic, "z")]),
        "degrading-bouc-wen" => parallel(&mut s, &[(spring, "a k"), (hysteretic, "F, weaker with its work H")]),
        "mostaghel" => parallel(&mut s, &[(spring, "a k"), (elastic_slider, "(1 - a) k, slips at delta")]),
        "pendulum" => pendulum(&mut s, false),
        "spring-pendulum" => pendulum(&mut s, true),
        "mass" => mass(&mut s),
        "matrix" => matrix(&mut s),
        "beam2d" => beam2d(&mut s),
        "beam3d" => beam3d(&mut s),
        "block" => block(&mut s, &["s' = A s + B q + Bv q'", "p = C s + D q + Dv q'"]),
        "formula" => block(&mut s, &["s' = g(q, q', s, t)", "p = p(q, q', s, t)"]),
        name if super::frames::sketch(&mut s, name) => {}
        _ => return None,
    }
    Some(s)
}

type Branch = fn(&mut Sketch, Place, Place);

/// Two nodes with branches between them.
fn parallel(s: &mut Sketch, branches: &[(Branch, &str)]) {
    let apart = 62.0;
    let first = A.1 - apart * (branches.len() as f64 - 1.0) / 2.0;
    let (left, right) = (A.0 + 30.0, B.0 - 30.0);
    for (i, (draw, name)) in branches.iter().enumerate() {
        let y = first + apart * i as f64;
        draw(s, (left, y), (right, y));
        label(s, name, ((left + right) / 2.0, y - 18.0));
    }
    let last = first + apart * (branches.len() as f64 - 1.0);
    for x in [left, right] {
        s.line(&[(x, first), (x, last)], INK);
    }
    nodes(s, left, right);
}

fn nodes(s: &mut Sketch, left: f64, right: f64) {
    s.line(&[A, (left, A.1)], INK).line(&[(right, B.1), B], INK);
    node(s, A, "a");
    node(s, B, "b");
    s.arrow(&[(B.0 + 8.0, B.1), (B.0 + 40.0, B.1)], Pen::new(1));
    s.text("p", (B.0 + 44.0, B.1 + 4.0), Words::Left, SIZE, 1);
    elongation(s, "q = u_b - u_a");
}

fn elongation(s: &mut Sketch, text: &str) {
    let y = PAPER.1 - 22.0;
    s.line(&[(A.0, y - 8.0), (A.0, y + 4.0)], THIN).line(&[(B.0, y - 8.0), (B.0, y + 4.0)], THIN);
    s.arrow(&[(A.0, y), (B.0, y)], THIN);
    s.text(text, ((A.0 + B.0) / 2.0, y + 17.0), Words::Centred, SIZE, BLACK);
}

/// A spring with a loop in its middle.
fn hysteretic(s: &mut Sketch, a: Place, b: Place) {
    let (x, y) = ((a.0 + b.0) / 2.0, a.1);
    s.line(&[a, (x - 24.0, y)], INK).line(&[(x + 24.0, y), b], INK);
    rectangle(s, (x - 24.0, y - 12.0), (x + 24.0, y + 12.0), INK);
    let lower = [(x - 16.0, y + 8.0), (x - 6.0, y + 7.0), (x + 6.0, y + 2.0), (x + 16.0, y - 8.0)];
    let upper = [(x + 16.0, y - 8.0), (x + 6.0, y - 7.0), (x - 6.0, y - 2.0), (x - 16.0, y + 8.0)];
    s.line(&[&lower[..], &upper[..]].concat(), Pen::new(0));
}

fn elastic_slider(s: &mut Sketch, a: Place, b: Place) {
    let middle = ((a.0 + b.0) / 2.0, a.1);
    spring(s, a, middle);
    slider(s, middle, b);
}

/// A flange that meets a stop when the nodes have moved apart by the gap.
fn gap(s: &mut Sketch) {
    let (left, right) = (A.0 + 30.0, B.0 - 30.0);
    let (frame, stop, flange, y) = (left + 70.0, right - 40.0, right - 66.0, A.1);
    for (at, draw, name) in [(y - 16.0, spring as Branch, "k"), (y + 16.0, dashpot, "c")] {
        draw(s, (left, at), (frame, at));
        label(s, name, (left + 35.0, at - 13.0));
    }
    s.line(&[(left, y - 16.0), (left, y + 16.0)], INK);
    let thick = INK.wide(3.0);
    s.line(
        &[(stop, y - 10.0), (stop, y - 30.0), (frame, y - 30.0), (frame, y + 30.0), (stop, y + 30.0), (stop, y + 10.0)],
        thick,
    );
    s.line(&[(flange, y - 18.0), (flange, y + 18.0)], thick).line(&[(flange, y), (right, y)], INK);
    s.arrow(&[(flange, y - 42.0), (stop, y - 42.0)], THIN);
    label(s, "gap", ((flange + stop) / 2.0, y - 50.0));
    nodes(s, left, right);
}

fn pendulum(s: &mut Sketch, elastic: bool) {
    let pivot = (150.0, 45.0);
    let angle = 30f64.to_radians();
    let bob = (pivot.0 + 110.0 * angle.sin(), pivot.1 + 110.0 * angle.cos());
    s.line(&[(90.0, 45.0), (210.0, 45.0)], THIN.dashed());
    s.line(&[pivot, (pivot.0, 165.0)], THIN.dashed());
    if elastic {
        spring(s, pivot, bob);
    } else {
        s.line(&[pivot, bob], INK);
    }
    s.dot(pivot, 4.0, BLACK).dot(bob, 11.0, 0);
    s.line(&arc(pivot, (62.0, 62.0), 90.0, 60.0), Pen::new(1));
    s.text("theta", (pivot.0 - 6.0, pivot.1 + 68.0), Words::Right, SIZE, 1);
    s.text("m", (bob.0 + 16.0, bob.1 + 5.0), Words::Left, SIZE, BLACK);
    let rod = if elastic { "rho (L at rest), k, c" } else { "L" };
    s.text(rod, (pivot.0 + 50.0, pivot.1 + 46.0), Words::Left, SIZE, BLACK);
    s.arrow(&[(pivot.0, 28.0), (pivot.0 + 42.0, 28.0)], Pen::new(1));
    s.text("x", (pivot.0 + 48.0, 32.0), Words::Left, SIZE, 1);
    s.arrow(&[(60.0, 90.0), (60.0, 130.0)], THIN);
    s.text("g", (66.0, 116.0), Words::Left, SIZE, BLACK);
}

fn mass(s: &mut Sketch) {
    let middle = (180.0, 100.0);
    boxed(s, middle, (70.0, 50.0), 0, &["m"]);
    s.arrow(&[(215.0, 100.0), (270.0, 100.0)], Pen::new(1)).arrow(&[(180.0, 75.0), (180.0, 30.0)], Pen::new(1));
    s.text("x", (276.0, 104.0), Words::Left, SIZE, 1).text("y", (188.0, 36.0), Words::Left, SIZE, 1);
    s.arrow(&arc(middle, (72.0, 62.0), 140.0, 220.0), Pen::new(1));
    s.text("jx, jy, jz", (102.0, 104.0), Words::Right, SIZE, 1);
}

fn matrix(s: &mut Sketch) {
    boxed(s, (180.0, 95.0), (150.0, 80.0), 0, &["M, C, K", "matrices given"]);
    for (i, name) in ["u1", "u2", "..."].iter().enumerate() {
        let y = 65.0 + 30.0 * i as f64;
        s.line(&[(60.0, y), (105.0, y)], INK).dot((60.0, y), 4.0, BLACK);
        s.text(name, (50.0, y + 4.0), Words::Right, SIZE, BLACK);
    }
    s.arrow(&[(255.0, 95.0), (300.0, 95.0)], Pen::new(1));
    s.text("p", (306.0, 99.0), Words::Left, SIZE, 1);
}

fn beam2d(s: &mut Sketch) {
    let (a, b) = ((70.0, 120.0), (290.0, 120.0));
    s.line(&[a, b], INK.wide(4.0));
    let bent = |i: u32| {
        let x = f64::from(i) / 24.0;
        (a.0 + x * (b.0 - a.0), a.1 - 34.0 * x * x * (3.0 - 2.0 * x))
    };
    s.line(&(0..=24).map(bent).collect::<Vec<_>>(), Pen::new(0).dashed());
    node(s, a, "a");
    node(s, b, "b");
    s.arrow(&[(b.0 + 6.0, b.1), (b.0 + 42.0, b.1)], Pen::new(1))
        .arrow(&[(b.0, b.1 - 6.0), (b.0, b.1 - 60.0)], Pen::new(1));
    s.arrow(&arc(b, (24.0, 24.0), 50.0, -30.0), Pen::new(1));
    s.text("ux", (b.0 + 46.0, b.1 + 4.0), Words::Left, SIZE, 1).text(
        "uy",
        (b.0 - 8.0, b.1 - 52.0),
        Words::Right,
        SIZE,
        1,
    );
    s.text("rz", (b.0 + 30.0, b.1 - 12.0), Words::Left, SIZE, 1);
    s.arrow(&[(a.0, 170.0), (b.0, 170.0)], THIN);
    label(s, "l;  E, A, I, rho", (180.0, 162.0));
}

fn beam3d(s: &mut Sketch) {
    let (a, b) = ((80.0, 150.0), (260.0, 90.0));
    s.line(&[a, b], INK.wide(4.0));
    node(s, a, "a");
    s.dot(b, 4.0, BLACK);
    s.text("b", (b.0 + 2.0, b.1 + 20.0), Words::Left, SIZE, BLACK);
    let axis = |s: &mut Sketch, to: Place, name: &str| {
        s.arrow(&[b, (b.0 + to.0, b.1 + to.1)], Pen::new(1));
        s.text(name, (b.0 + to.0 * 1.15 + 2.0, b.1 + to.1 * 1.15 + 4.0), Words::Left, SIZE, 1);
    };
    // The vector v is in the plane of x and z, y = v × x points away from the reader.
    axis(s, (52.0, -17.0), "x");
    axis(s, (36.0, -42.0), "y");
    axis(s, (2.0, -54.0), "z");
    s.arrow(&[(150.0, 127.0), (152.0, 72.0)], THIN);
    s.text("orientation v", (146.0, 64.0), Words::Centred, SIZE, BLACK);
    label(s, "E, G, A, Iy, Iz, J, rho", (190.0, 182.0));
}

fn block(s: &mut Sketch, lines: &[&str]) {
    boxed(s, (180.0, 90.0), (200.0, 70.0), 0, lines);
    s.arrow(&[(30.0, 90.0), (80.0, 90.0)], INK).arrow(&[(280.0, 90.0), (330.0, 90.0)], Pen::new(1));
    s.text("q, q'", (30.0, 80.0), Words::Left, SIZE, BLACK).text("p", (316.0, 80.0), Words::Left, SIZE, 1);
    label(s, "states s of its own", (180.0, 148.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bilinear_loop_has_its_two_slopes() {
        let law = AnyLaw::new("mostaghel", &[1.0, 0.1, 1.0]).unwrap();
        let points = driven(&law, 4.0, false);
        // From rest elastic, k = 1; beyond delta with a k = 0.1.
        let slope = |i: usize| (points[i + 1].1 - points[i].1) / (points[i + 1].0 - points[i].0);
        assert!((slope(1) - 1.0).abs() < 1e-6, "{}", slope(1));
        let late = (1..points.len() - 1).find(|&i| points[i].0 > 1.2 && points[i + 1].0 > points[i].0).unwrap();
        assert!((slope(late) - 0.1).abs() < 1e-3, "{}", slope(late));
    }

    #[test]
    fn what_nobody_has_drawn_is_missed() {
        assert!(sketch("no such element").is_none());
    }
}
