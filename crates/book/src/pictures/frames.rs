//! Parts of nonlinear frames, drawn; the shapes that fibres are spread over, and constraints.

use interfield_report::BLACK;
use interfield_report::sketch::{Pen, Place, Sketch, Words};

use super::strokes::{INK, SIZE, THIN, arc, label, node, rectangle};

/// Draws the part of this name; `false` if nobody has drawn it.
pub(crate) fn sketch(s: &mut Sketch, name: &str) -> bool {
    match name {
        "uniaxial" => uniaxial(s),
        "bar" => bar(s),
        "member" => member(s),
        "elastomeric-bearing" => elastomeric(s),
        "friction-pendulum" => pendulum(s, 1),
        "triple-pendulum" => pendulum(s, 3),
        "flat-slider" => flat_slider(s),
        "zero-length" => zero_length(s),
        "zero-length-section" => section_spring(s),
        "panel-zone" => panel_zone(s),
        _ => return false,
    }
    true
}

/// Pictures that chapters show.
pub(crate) fn all() -> Vec<(String, String)> {
    [("frames-fibres", shapes()), ("frames-constraints", constraints()), ("frames-axes", axes())]
        .map(|(name, s)| (name.to_owned(), s.svg()))
        .to_vec()
}

/// A loop in a box between two places.
fn law(s: &mut Sketch, a: Place, b: Place, name: &str) {
    let (x, y) = ((a.0 + b.0) / 2.0, a.1);
    s.line(&[a, (x - 30.0, y)], INK).line(&[(x + 30.0, y), b], INK);
    rectangle(s, (x - 30.0, y - 22.0), (x + 30.0, y + 22.0), INK);
    let loops = [(-22.0, 14.0), (-6.0, -10.0), (22.0, -16.0), (6.0, 10.0), (-22.0, 14.0)];
    s.line(&loops.map(|(u, v)| (x + u, y + v)), Pen::new(0));
    label(s, name, (x, y - 30.0));
}

fn uniaxial(s: &mut Sketch) {
    let (a, b) = ((60.0, 95.0), (300.0, 95.0));
    law(s, a, b, "material, acts = force");
    node(s, a, "a");
    node(s, b, "b");
    s.arrow(&[(b.0 + 8.0, b.1), (b.0 + 40.0, b.1)], Pen::new(1));
    s.text("p = s(q)", (b.0 - 6.0, b.1 - 14.0), Words::Left, SIZE, 1);
    s.arrow(&[(a.0, 170.0), (b.0, 170.0)], THIN);
    label(s, "q = u_b - u_a", (180.0, 188.0));
}

fn bar(s: &mut Sketch) {
    let (a, b) = ((70.0, 150.0), (290.0, 60.0));
    s.line(&[a, b], INK.wide(4.0));
    node(s, a, "a");
    s.dot(b, 4.0, BLACK);
    s.text("b", (b.0 + 4.0, b.1 + 22.0), Words::Left, SIZE, BLACK);
    s.arrow(&[(b.0 + 7.0, b.1 - 3.0), (b.0 + 40.0, b.1 - 16.5)], Pen::new(1));
    s.text("A s(e)", (b.0 + 2.0, b.1 - 20.0), Words::Right, SIZE, 1);
    label(s, "material, area;  e = (l - L) / L", (180.0, 188.0));
}

fn member(s: &mut Sketch) {
    let (a, b, y) = (50.0, 310.0, 105.0);
    s.area(&[(a, y - 16.0), (b, y - 16.0), (b, y + 16.0), (a, y + 16.0)], 0, 0.1);
    rectangle(s, (a, y - 16.0), (b, y + 16.0), Pen::new(0));
    s.line(&[(a, y), (b, y)], THIN.dashed());
    // Five points of Lobatto.
    for (i, xi) in [0.0, 0.1727, 0.5, 0.8273, 1.0].into_iter().enumerate() {
        let x = a + xi * (b - a);
        s.line(&[(x, y - 16.0), (x, y + 16.0)], INK);
        label(s, &format!("{}", i + 1), (x, y - 24.0));
    }
    s.dot((a, y), 4.0, BLACK).dot((b, y), 4.0, BLACK);
    s.text("i", (a - 12.0, y + 5.0), Words::Right, SIZE, BLACK).text(
        "j",
        (b + 12.0, y + 5.0),
        Words::Left,
        SIZE,
        BLACK,
    );
    label(s, "sections with fibres at the points of the rule", (180.0, 52.0));
    s.arrow(&[(a, y + 44.0), (a + 56.0, y + 44.0)], Pen::new(1));
    s.text("x", (a + 60.0, y + 48.0), Words::Left, SIZE, 1);
    s.arrow(&[(a, y + 44.0), (a, y + 20.0)], Pen::new(1));
    s.text("y", (a + 6.0, y + 30.0), Words::Left, SIZE, 1);
    label(s, "N, Mz (My, T) from strains and curvatures", (190.0, 188.0));
}

/// Two plates with something between them, and the coordinates of their shear.
fn plates(s: &mut Sketch) {
    for y in [48.0, 138.0] {
        s.area(&[(90.0, y), (270.0, y), (270.0, y + 12.0), (90.0, y + 12.0)], BLACK, 0.25);
        rectangle(s, (90.0, y), (270.0, y + 12.0), INK);
    }
    s.line(&[(180.0, 20.0), (180.0, 48.0)], INK).line(&[(180.0, 150.0), (180.0, 172.0)], INK);
    s.dot((180.0, 20.0), 4.0, BLACK).dot((180.0, 172.0), 4.0, BLACK);
    s.text("j", (190.0, 26.0), Words::Left, SIZE, BLACK).text("i", (190.0, 180.0), Words::Left, SIZE, BLACK);
    s.arrow(&[(278.0, 54.0), (320.0, 54.0)], Pen::new(1));
    s.text("shear", (290.0, 44.0), Words::Left, SIZE, 1);
}

fn elastomeric(s: &mut Sketch) {
    plates(s);
    for i in 0..5 {
        let y = 62.0 + 15.6 * f64::from(i);
        s.area(&[(105.0, y), (255.0, y), (255.0, y + 11.0), (105.0, y + 11.0)], 0, 0.25);
        rectangle(s, (105.0, y), (255.0, y + 11.0), Pen::new(0));
    }
    s.text("k, qd: plastic", (12.0, 96.0), Words::Left, SIZE, BLACK);
    s.text("+ elastic", (12.0, 114.0), Words::Left, SIZE, BLACK);
}

fn pendulum(s: &mut Sketch, surfaces: usize) {
    plates(s);
    let dish = |s: &mut Sketch, top: bool| {
        let (y, bend) = if top { (60.0, 1.0) } else { (138.0, -1.0) };
        let at = |i: u32| {
            let x = -1.0 + f64::from(i) / 12.0;
            (180.0 + 80.0 * x, y + bend * 14.0 * x * x)
        };
        s.line(&(0..=24).map(at).collect::<Vec<_>>(), Pen::new(0));
    };
    dish(s, false);
    if surfaces > 1 {
        dish(s, true);
        s.text("on four", (12.0, 128.0), Words::Left, SIZE, BLACK).text(
            "spheres",
            (12.0, 144.0),
            Words::Left,
            SIZE,
            BLACK,
        );
        s.line(&arc((180.0, 60.0), (30.0, 40.0), 20.0, 160.0), Pen::new(0));
        rectangle(s, (165.0, 74.0), (195.0, 100.0), INK);
    } else {
        rectangle(s, (160.0, 60.0), (200.0, 100.0), INK);
    }
    s.area(&[(160.0, 100.0), (200.0, 100.0), (200.0, 137.0), (160.0, 137.0)], 1, 0.25);
    rectangle(s, (160.0, 100.0), (200.0, 137.0), Pen::new(1));
    s.text("slider,", (12.0, 96.0), Words::Left, SIZE, BLACK);
    s.text("friction", (12.0, 112.0), Words::Left, SIZE, BLACK);
    s.text("R", (262.0, 118.0), Words::Left, SIZE, BLACK);
}

fn flat_slider(s: &mut Sketch) {
    plates(s);
    s.line(&[(100.0, 137.0), (260.0, 137.0)], Pen::new(0).wide(2.5));
    rectangle(s, (160.0, 60.0), (200.0, 100.0), INK);
    s.area(&[(160.0, 100.0), (200.0, 100.0), (200.0, 136.0), (160.0, 136.0)], 1, 0.25);
    rectangle(s, (160.0, 100.0), (200.0, 136.0), Pen::new(1));
    s.text("friction on", (12.0, 96.0), Words::Left, SIZE, BLACK);
    s.text("a plane", (12.0, 112.0), Words::Left, SIZE, BLACK);
}

/// Materials between two nodes at one place, each along or about an axis of its own.
fn zero_length(s: &mut Sketch) {
    let (a, b) = ((60.0, 95.0), (300.0, 95.0));
    for (y, name) in [(45.0, "along x"), (105.0, "along y"), (165.0, "about z")] {
        law(s, (90.0, y), (270.0, y), name);
    }
    s.line(&[(90.0, 45.0), (90.0, 165.0)], INK).line(&[(270.0, 45.0), (270.0, 165.0)], INK);
    s.line(&[a, (90.0, a.1)], INK).line(&[(270.0, b.1), b], INK);
    node(s, a, "a");
    node(s, b, "b");
}

/// A cross-section between two nodes at one place.
fn section_spring(s: &mut Sketch) {
    let (a, b, y) = ((60.0, 95.0), (300.0, 95.0), 95.0);
    s.line(&[a, (160.0, y)], INK).line(&[(200.0, y), b], INK);
    s.area(&[(160.0, 45.0), (200.0, 45.0), (200.0, 145.0), (160.0, 145.0)], 0, 0.12);
    rectangle(s, (160.0, 45.0), (200.0, 145.0), Pen::new(0));
    (1..8).for_each(|i| {
        let at = 45.0 + 12.5 * f64::from(i);
        s.line(&[(160.0, at), (200.0, at)], THIN);
    });
    node(s, a, "a");
    node(s, b, "b");
    label(s, "a section of length one", (180.0, 182.0));
}

/// The joint of a column and a beam: rigid sides, hinges at its corners, a spring against shear in one of them.
fn panel_zone(s: &mut Sketch) {
    let (x, y, half) = (180.0, 95.0, 45.0);
    let skew = 10.0;
    let corners = [
        (x - half + skew, y - half),
        (x + half + skew, y - half),
        (x + half - skew, y + half),
        (x - half - skew, y + half),
    ];
    s.line(&[(x, y + half), (x - 6.0, 190.0)], INK.wide(4.0)).line(&[(x, y - half), (x + 6.0, 6.0)], INK.wide(4.0));
    s.line(&[(x - half, y), (50.0, y)], INK.wide(4.0)).line(&[(x + half, y), (310.0, y)], INK.wide(4.0));
    s.area(&corners, 0, 0.12);
    s.line(&[corners[0], corners[1], corners[2], corners[3], corners[0]], INK.wide(3.0));
    corners.iter().for_each(|&c| {
        s.dot(c, 4.0, BLACK);
    });
    s.arrow(&arc(corners[1], (20.0, 20.0), 100.0, 170.0), Pen::new(1));
    s.text("moment", (corners[1].0 + 14.0, corners[1].1 - 4.0), Words::Left, SIZE, 1);
}

/// Axes of a member, of its section, and the signs of its end forces.
fn axes() -> Sketch {
    let mut s = Sketch::new(720.0, 210.0);
    let (a, b, y) = (60.0, 330.0, 110.0);
    s.line(&[(a, y), (b, y)], INK.wide(4.0)).dot((a, y), 4.0, BLACK).dot((b, y), 4.0, BLACK);
    label(&mut s, "i", (a, y + 24.0));
    label(&mut s, "j", (b, y + 24.0));
    for x in [a, b] {
        s.arrow(&[(x + 6.0, y), (x + 46.0, y)], Pen::new(1));
        s.arrow(&[(x, y - 6.0), (x, y - 46.0)], Pen::new(1));
        s.arrow(&arc((x, y), (26.0, 26.0), 70.0, -20.0), Pen::new(1));
    }
    s.text("force.1, 2, 3", (a - 30.0, y - 62.0), Words::Left, SIZE, 1);
    s.text("force.4, 5, 6", (b - 40.0, y - 62.0), Words::Left, SIZE, 1);
    s.arrow(&[(160.0, y - 30.0), (210.0, y - 30.0)], THIN).arrow(&[(160.0, y - 30.0), (160.0, y - 72.0)], THIN);
    s.text("x", (214.0, y - 26.0), Words::Left, SIZE, BLACK).text("y", (150.0, y - 66.0), Words::Right, SIZE, BLACK);
    label(&mut s, "forces that the nodes exert on the ends, local axes", (195.0, 190.0));
    // The section, seen from its end j towards i.
    let (cx, cy) = (505.0, 105.0);
    s.area(&[(cx - 55.0, cy - 70.0), (cx + 55.0, cy - 70.0), (cx + 55.0, cy + 70.0), (cx - 55.0, cy + 70.0)], 0, 0.12);
    rectangle(&mut s, (cx - 55.0, cy - 70.0), (cx + 55.0, cy + 70.0), Pen::new(0));
    for (x, y) in [(-42.0, -57.0), (42.0, -57.0), (-42.0, 57.0), (42.0, 57.0)] {
        s.dot((cx + x, cy + y), 6.0, 1);
    }
    s.arrow(&[(cx, cy), (cx, cy - 92.0)], INK).arrow(&[(cx, cy), (cx - 86.0, cy)], INK);
    s.text("y", (cx + 8.0, cy - 84.0), Words::Left, SIZE, BLACK).text(
        "z",
        (cx - 90.0, cy - 8.0),
        Words::Right,
        SIZE,
        BLACK,
    );
    s.text("Mz > 0: compression", (cx + 64.0, cy - 54.0), Words::Left, SIZE, BLACK);
    s.text("tension", (cx + 64.0, cy + 62.0), Words::Left, SIZE, BLACK);
    s
}

/// The shapes of fibres, each with its keys.
fn shapes() -> Sketch {
    let mut s = Sketch::new(720.0, 330.0);
    let cell = |i: usize| (120.0 + 240.0 * (i % 3) as f64, 75.0 + 165.0 * (i / 3) as f64);
    let grid = |s: &mut Sketch, c: [Place; 4], ny: u32, nz: u32| {
        let at = |u: f64, v: f64| {
            let mix = |k: fn(&Place) -> f64| {
                (1.0 - u) * (1.0 - v) * k(&c[0])
                    + u * (1.0 - v) * k(&c[1])
                    + u * v * k(&c[2])
                    + (1.0 - u) * v * k(&c[3])
            };
            (mix(|p| p.0), mix(|p| p.1))
        };
        s.area(&c, 0, 0.12);
        (0..=ny).for_each(|i| {
            s.line(&[at(f64::from(i) / f64::from(ny), 0.0), at(f64::from(i) / f64::from(ny), 1.0)], Pen::new(0));
        });
        (0..=nz).for_each(|j| {
            s.line(&[at(0.0, f64::from(j) / f64::from(nz)), at(1.0, f64::from(j) / f64::from(nz))], Pen::new(0));
        });
        for i in 0..ny {
            for j in 0..nz {
                s.dot(at((f64::from(i) + 0.5) / f64::from(ny), (f64::from(j) + 0.5) / f64::from(nz)), 1.8, BLACK);
            }
        }
    };
    let (x, y) = cell(0);
    grid(&mut s, [(x + 50.0, y + 50.0), (x + 50.0, y - 50.0), (x - 50.0, y - 50.0), (x - 50.0, y + 50.0)], 5, 2);
    label(&mut s, "rectangle: from, to, divisions = [5, 2]", (x, y + 72.0));
    let (x, y) = cell(1);
    grid(&mut s, [(x + 60.0, y + 50.0), (x + 35.0, y - 50.0), (x - 25.0, y - 45.0), (x - 60.0, y + 35.0)], 4, 3);
    label(&mut s, "quadrilateral: corners, divisions", (x, y + 72.0));
    let (x, y) = cell(2);
    let place = |r: f64, degrees: f64| (x - r * degrees.to_radians().sin(), y - r * degrees.to_radians().cos());
    for r in [22.0, 37.0, 52.0] {
        s.line(&arc((x, y), (r, r), 0.0, 360.0), Pen::new(0));
    }
    for i in 0..12 {
        let angle = 30.0 * f64::from(i);
        s.line(&[place(22.0, angle), place(52.0, angle)], Pen::new(0));
        [29.5, 44.5].into_iter().for_each(|r| {
            s.dot(place(r, angle + 15.0), 1.8, BLACK);
        });
    }
    label(&mut s, "ring: inner, outer, divisions = [12, 2]", (x, y + 72.0));
    let (x, y) = cell(3);
    s.line(&[(x + 50.0, y), (x - 50.0, y)], THIN);
    (0..4).for_each(|i| {
        s.dot((x + 50.0 - 100.0 / 3.0 * f64::from(i), y), 7.0, 1);
    });
    label(&mut s, "line: from, to, bars = 4, area", (x, y + 72.0));
    let (x, y) = cell(4);
    s.line(&arc((x, y), (48.0, 48.0), 0.0, 360.0), THIN);
    (0..8).for_each(|i| {
        let a = (45.0 * f64::from(i)).to_radians();
        s.dot((x - 48.0 * a.sin(), y - 48.0 * a.cos()), 7.0, 1);
    });
    label(&mut s, "arc: radius, bars = 8, area", (x, y + 72.0));
    let (x, y) = cell(5);
    s.dot((x, y), 7.0, 1);
    label(&mut s, "point: at, area", (x, y + 72.0));
    // Axes of a section, seen from end j: y up, z to the left.
    s.arrow(&[(40.0, 40.0), (40.0, 12.0)], THIN).arrow(&[(40.0, 40.0), (12.0, 40.0)], THIN);
    s.text("y", (46.0, 20.0), Words::Left, SIZE, BLACK).text("z", (10.0, 56.0), Words::Left, SIZE, BLACK);
    s
}

/// What constraints do with nodes.
fn constraints() -> Sketch {
    let mut s = Sketch::new(720.0, 220.0);
    let (x, y) = (120.0, 95.0);
    for dx in [-50.0, 50.0] {
        s.line(&[(x + dx, y + 55.0), (x + dx, y - 30.0)], INK).dot((x + dx, y - 30.0), 4.0, BLACK);
        s.arrow(&[(x + dx + 6.0, y - 44.0), (x + dx + 36.0, y - 44.0)], Pen::new(1));
    }
    s.line(&[(x - 44.0, y - 30.0), (x + 44.0, y - 30.0)], THIN.dashed());
    label(&mut s, "=", (x, y - 40.0));
    label(&mut s, "equal: the same displacement", (x, y + 100.0));
    let (x, y) = (360.0, 95.0);
    s.line(&[(x - 45.0, y + 40.0), (x + 45.0, y - 25.0)], INK.wide(5.0));
    s.dot((x - 45.0, y + 40.0), 5.0, 1).dot((x + 45.0, y - 25.0), 4.0, BLACK);
    s.arrow(&arc((x - 45.0, y + 40.0), (24.0, 24.0), 40.0, -60.0), Pen::new(1));
    s.text("d", (x - 12.0, y - 4.0), Words::Left, SIZE, BLACK);
    label(&mut s, "rigid: u + rotation x d", (x, y + 100.0));
    let (x, y) = (600.0, 90.0);
    let floor = [(x - 85.0, y + 20.0), (x + 25.0, y + 35.0), (x + 85.0, y - 15.0), (x - 25.0, y - 30.0)];
    s.area(&floor, 0, 0.15);
    s.line(&[floor[0], floor[1], floor[2], floor[3], floor[0]], Pen::new(0));
    for p in floor {
        s.line(&[p, (p.0, p.1 + 48.0)], INK).dot(p, 3.5, BLACK);
    }
    s.dot((x, y), 5.0, 1);
    s.arrow(&arc((x, y), (26.0, 12.0), 60.0, -200.0), Pen::new(1));
    label(&mut s, "diaphragm: x, y and the turn about z", (x - 10.0, y + 105.0));
    s
}
