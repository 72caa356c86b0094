//! Symbols of structural engineering, in pixels around the point they belong to, y down.

use super::supports::Fixity;
use crate::scene::{Colour, Point, Scene, Shape};

/// On which side of its point a symbol stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Below,
    Above,
    Left,
    Right,
}

/// Lines and circles around a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbol {
    pub strokes: Vec<Vec<Point>>,
    /// Strokes that are drawn thick.
    pub thick: Vec<Vec<Point>>,
}

impl Symbol {
    /// How a support looks.
    pub(crate) fn support(fixity: Fixity, side: Side) -> Self {
        let mut s = Symbol::default();
        match fixity {
            Fixity::Fixed => s.ground(11.0, 0.0, true),
            Fixity::Earth => s.ground(8.0, 0.0, false),
            Fixity::Pinned => {
                s.strokes.push(vec![(0.0, 0.0), (-8.0, 12.0), (8.0, 12.0), (0.0, 0.0)]);
                s.ground(12.0, 12.0, false);
            }
            Fixity::Roller => {
                s.strokes.push(vec![(0.0, 0.0), (-7.0, 10.0), (7.0, 10.0), (0.0, 0.0)]);
                s.strokes.extend([circle((-4.0, 12.5), 2.5), circle((4.0, 12.5), 2.5)]);
                s.ground(12.0, 15.0, false);
            }
            Fixity::Guided => {
                s.thick.push(vec![(-9.0, 0.0), (9.0, 0.0)]);
                s.strokes.extend([circle((-5.0, 3.5), 2.5), circle((5.0, 3.5), 2.5)]);
                s.ground(12.0, 6.0, false);
            }
            Fixity::Turned => s.strokes.push(vec![(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0), (-6.0, -6.0)]),
            Fixity::Spiral => {
                let turn = |k: i32| {
                    let angle = 0.35 * f64::from(k);
                    let radius = 4.0 + 0.28 * f64::from(k);
                    (radius * angle.sin(), radius * angle.cos())
                };
                s.strokes.push((0..=36).map(turn).collect());
                s.ground(5.0, 14.0, false);
            }
        }
        s.turned(side)
    }

    /// A line with the ground behind it.
    fn ground(&mut self, half: f64, at: f64, thick: bool) {
        let line = vec![(-half, at), (half, at)];
        if thick {
            self.thick.push(line)
        } else {
            self.strokes.push(line)
        };
        let hatches = (2.0 * half / 4.5) as i32;
        let hatch = |k: i32| {
            let x = -half + (f64::from(k) + 0.9) * 2.0 * half / f64::from(hatches);
            vec![(x, at), (x - 4.5, at + 5.5)]
        };
        self.strokes.extend((0..hatches).map(hatch));
    }

    fn turned(mut self, side: Side) -> Self {
        let turn = |(x, y): Point| match side {
            Side::Below => (x, y),
            Side::Above => (x, -y),
            Side::Left => (-y, x),
            Side::Right => (y, x),
        };
        self.strokes.iter_mut().chain(&mut self.thick).flatten().for_each(|p| *p = turn(*p));
        self
    }

    /// Draws it at a point.
    pub(crate) fn draw(&self, scene: &mut Scene, (x, y): Point, colour: Colour) {
        let placed = |lines: &[Vec<Point>]| -> Vec<Vec<Point>> {
            lines.iter().map(|l| l.iter().map(|p| (x + p.0, y + p.1)).collect()).collect()
        };
        for (lines, width) in [(&self.strokes, 1.0), (&self.thick, 2.4)] {
            if !lines.is_empty() {
                scene.shapes.push(Shape::Strokes { lines: placed(lines), colour, width, dashed: false });
            }
        }
    }

    /// Left, top, right and bottom of what it covers around a point.
    pub(crate) fn bounds(&self, (x, y): Point) -> [f64; 4] {
        let points = || self.strokes.iter().chain(&self.thick).flatten();
        let (left, right) = crate::scale::range(points().map(|p| p.0));
        let (top, bottom) = crate::scale::range(points().map(|p| p.1));
        [x + left, y + top, x + right, y + bottom]
    }
}

fn circle((x, y): Point, radius: f64) -> Vec<Point> {
    (0..=12)
        .map(|k| std::f64::consts::TAU * f64::from(k) / 12.0)
        .map(|a| (x + radius * a.cos(), y + radius * a.sin()))
        .collect()
}

/// A stretch of a line as points along it and across it, in pixels.
pub(super) struct Stretch {
    from: Point,
    along: Point,
    pub(super) length: f64,
}

impl Stretch {
    pub(super) fn new(from: Point, to: Point) -> Option<Self> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        (length > 0.0).then(|| Stretch { from, along: (dx / length, dy / length), length })
    }

    pub(super) fn at(&self, along: f64, across: f64) -> Point {
        let (ex, ey) = self.along;
        (self.from.0 + along * ex - across * ey, self.from.1 + along * ey + across * ex)
    }
}

/// A spring between two points: a zigzag in the middle of a line.
pub(crate) fn spring(from: Point, to: Point) -> Vec<Vec<Point>> {
    const TEETH: i32 = 6;
    let Some(line) = Stretch::new(from, to) else { return Vec::new() };
    let coil = (0.6 * line.length).min(48.0);
    let (start, tooth) = (0.5 * (line.length - coil), coil / f64::from(TEETH));
    let mut points = vec![from, line.at(start, 0.0)];
    let side = |k: i32| if k % 2 == 0 { 5.0 } else { -5.0 };
    points.extend((0..TEETH).map(|k| line.at(start + (f64::from(k) + 0.5) * tooth, side(k))));
    points.extend([line.at(start + coil, 0.0), to]);
    vec![points]
}

/// A damper between two points: a piston in a cylinder.
pub(crate) fn damper(from: Point, to: Point) -> Vec<Vec<Point>> {
    let Some(line) = Stretch::new(from, to) else { return Vec::new() };
    let middle = 0.5 * line.length;
    let half = (0.25 * line.length).min(9.0);
    vec![
        vec![from, line.at(middle, 0.0)],
        vec![line.at(middle, -4.0), line.at(middle, 4.0)],
        vec![line.at(middle + half, -6.0), line.at(middle - half, -6.0)],
        vec![line.at(middle + half, 6.0), line.at(middle - half, 6.0)],
        vec![line.at(middle + half, -6.0), line.at(middle + half, 6.0)],
        vec![line.at(middle + half, 0.0), to],
    ]
}

/// An arrow, with a head at its end, or at both ends.
pub(crate) fn arrow(from: Point, to: Point, both: bool) -> (Vec<Point>, Vec<Vec<Point>>) {
    const HEAD: (f64, f64) = (9.0, 3.5);
    let Some(line) = Stretch::new(from, to) else { return (Vec::new(), Vec::new()) };
    let mut heads = vec![vec![to, line.at(line.length - HEAD.0, HEAD.1), line.at(line.length - HEAD.0, -HEAD.1)]];
    if both {
        heads.push(vec![from, line.at(HEAD.0, HEAD.1), line.at(HEAD.0, -HEAD.1)]);
    }
    (vec![from, to], heads)
}

/// An arrow that turns about a point.
pub(crate) fn turn((x, y): Point) -> (Vec<Point>, Vec<Vec<Point>>) {
    const RADIUS: f64 = 13.0;
    let at = |angle: f64, radius: f64| (x + radius * angle.cos(), y - radius * angle.sin());
    let arc = (0..=20).map(|k| at(-0.6 + 4.2 * f64::from(k) / 20.0, RADIUS)).collect();
    let end = -0.6 + 4.2;
    (arc, vec![vec![at(end + 0.5, RADIUS), at(end - 0.1, RADIUS - 3.5), at(end - 0.1, RADIUS + 3.5)]])
}
