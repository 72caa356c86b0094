//! What the drawings share: springs, dashpots, supports, boxes and the text in them.

use interfield_report::BLACK;
use interfield_report::sketch::{GREY, Pen, Place, Sketch, Words};

/// Ordinary lines.
pub(crate) const INK: Pen = Pen::new(BLACK);
/// Lines that only help.
pub(crate) const THIN: Pen = Pen { colour: GREY, width: 1.0, dashed: false };
/// Size of texts in pixels.
pub(crate) const SIZE: f64 = 13.0;

/// Words in ink, centred.
pub(crate) fn label(s: &mut Sketch, text: &str, at: Place) {
    s.text(text, at, Words::Centred, SIZE, BLACK);
}

/// A place at a share of the way from one to another, and so far to its left.
fn beside(a: Place, b: Place, share: f64, aside: f64) -> Place {
    let length = (b.0 - a.0).hypot(b.1 - a.1).max(1e-9);
    let (x, y) = ((b.0 - a.0) / length, (b.1 - a.1) / length);
    (a.0 + share * (b.0 - a.0) + aside * y, a.1 + share * (b.1 - a.1) - aside * x)
}

/// A spring.
pub(crate) fn spring(s: &mut Sketch, a: Place, b: Place) {
    let mut points = vec![a, beside(a, b, 0.2, 0.0)];
    points.extend((0..6).map(|i| beside(a, b, 0.25 + 0.1 * f64::from(i), if i % 2 == 0 { 8.0 } else { -8.0 })));
    points.extend([beside(a, b, 0.8, 0.0), b]);
    s.line(&points, INK);
}

/// A dashpot.
pub(crate) fn dashpot(s: &mut Sketch, a: Place, b: Place) {
    let at = |share: f64, aside: f64| beside(a, b, share, aside);
    s.line(&[a, at(0.4, 0.0)], INK);
    s.line(&[at(0.62, 9.0), at(0.4, 9.0), at(0.4, -9.0), at(0.62, -9.0)], INK);
    s.line(&[at(0.52, 6.0), at(0.52, -6.0)], INK.wide(2.5));
    s.line(&[at(0.52, 0.0), b], INK);
}

/// A slider that slips at its strength.
pub(crate) fn slider(s: &mut Sketch, a: Place, b: Place) {
    let at = |share: f64, aside: f64| beside(a, b, share, aside);
    s.line(&[a, at(0.45, 0.0)], INK);
    s.line(&[at(0.35, -4.0), at(0.62, -4.0)], INK.wide(2.5));
    s.line(&[at(0.62, 4.0), at(0.35, 4.0)], INK.wide(2.5));
    s.line(&[at(0.45, 0.0), at(0.55, 0.0)], INK.wide(4.0));
    s.line(&[at(0.55, 0.0), b], INK);
}

/// A node with its name below it.
pub(crate) fn node(s: &mut Sketch, at: Place, name: &str) {
    s.dot(at, 4.0, BLACK);
    label(s, name, (at.0, at.1 + 22.0));
}

/// A rectangle between two corners.
pub(crate) fn rectangle(s: &mut Sketch, (x0, y0): Place, (x1, y1): Place, pen: Pen) {
    s.line(&[(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], pen);
}

/// A box with lines of text in its middle.
pub(crate) fn boxed(s: &mut Sketch, middle: Place, (width, height): Place, colour: usize, lines: &[&str]) {
    let (x0, y0, x1, y1) =
        (middle.0 - width / 2.0, middle.1 - height / 2.0, middle.0 + width / 2.0, middle.1 + height / 2.0);
    s.area(&[(x0, y0), (x1, y0), (x1, y1), (x0, y1)], colour, 0.1);
    rectangle(s, (x0, y0), (x1, y1), Pen::new(colour));
    let first = middle.1 + 4.5 - 8.0 * (lines.len() as f64 - 1.0);
    for (i, line) in lines.iter().enumerate() {
        label(s, line, (middle.0, first + 16.0 * i as f64));
    }
}

/// Part of a circle, angles in degrees from the right, downwards.
pub(crate) fn arc(middle: Place, radius: Place, from: f64, to: f64) -> Vec<Place> {
    let at = |i: u32| {
        let angle = (from + (to - from) * f64::from(i) / 24.0).to_radians();
        (middle.0 + radius.0 * angle.cos(), middle.1 + radius.1 * angle.sin())
    };
    (0..=24).map(at).collect()
}
