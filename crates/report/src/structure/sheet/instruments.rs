//! Actuators, transducers and load cells on a sheet, in their places.

use super::{Draft, NAME, pointed_in};
use crate::scale::short;
use crate::scene::{Colour, FAINT, Point, RIG, SPECIMEN, Shape};
use crate::structure::Drawing;
use crate::structure::rig::{Acts, Instrument, Place, Role, length};
use crate::structure::symbols::Stretch;

/// Length of an instrument whose place is a direction at a node, and the gap before the node, pixels.
const REACH: f64 = 58.0;
const GAP: f64 = 7.0;
/// Distance of instruments that act along the same line, or about the same axis.
const ABREAST: f64 = 18.0;
/// How far aside of the line between two nodes one stands that acts between them.
const ASIDE: f64 = 15.0;
/// Half the width of a cylinder, and its greatest length.
const HALF: f64 = 5.0;
const BODY: f64 = 64.0;
/// How much of a direction is seen at most where it points to the reader.
const END_ON: f64 = 0.15;
/// Half the width of a reaction wall.
const WALL: f64 = 13.0;
/// Shortest strut, in pixels, that is drawn as a cylinder.
const SHORTEST: f64 = 22.0;

fn lines(lines: Vec<Vec<Point>>, colour: Colour, width: f64) -> Shape {
    Shape::Strokes { lines, colour, width, dashed: false }
}

fn filled(outline: Vec<Point>, colour: Colour) -> Shape {
    Shape::Area { outline, colour, opacity: 1.0 }
}

fn rectangle(way: &Stretch, from: f64, to: f64, half: f64) -> Vec<Point> {
    vec![way.at(from, -half), way.at(to, -half), way.at(to, half), way.at(from, half), way.at(from, -half)]
}

/// How an instrument looks, from its base to the end at the specimen.
struct Look<'a> {
    instrument: &'a Instrument,
    /// Whether the actuators carry the load cells.
    cells: bool,
    /// It stands ahead of the specimen: a positive stroke goes to its base.
    ahead: bool,
}

impl Look<'_> {
    fn shapes(&self, from: Point, to: Point) -> Vec<Shape> {
        let Some(way) = Stretch::new(from, to) else { return Vec::new() };
        let (l, middle) = (way.length, 0.5 * way.length);
        let head = |colour| {
            let (tip, back) = if self.ahead { (0.0, 8.0) } else { (l, l - 8.0) };
            filled(vec![way.at(tip, 0.0), way.at(back, 3.4), way.at(back, -3.4)], colour)
        };
        match self.instrument.role {
            Role::Actuator => {
                let body = (0.48 * l).min(BODY);
                let start = (0.2 * l).clamp(0.0, 14.0).min(l - body);
                let outline = rectangle(&way, start, start + body, HALF);
                let opacity = if self.instrument.holds.is_empty() { 0.16 } else { 0.8 };
                let rods = vec![vec![from, way.at(start, 0.0)], vec![way.at(start + body, 0.0), to]];
                let mut shapes = vec![
                    lines(rods, RIG, 1.8),
                    Shape::Area { outline: outline.clone(), colour: RIG, opacity },
                    lines(vec![outline], RIG, 1.3),
                    head(RIG),
                ];
                if self.cells {
                    let at = 0.5 * (start + body + l - if self.ahead { 0.0 } else { 8.0 });
                    shapes.push(filled(rectangle(&way, at - 2.6, at + 2.6, 3.2), SPECIMEN));
                }
                shapes
            }
            Role::Transducer => {
                let diamond = vec![
                    way.at(middle - 6.5, 0.0),
                    way.at(middle, 4.5),
                    way.at(middle + 6.5, 0.0),
                    way.at(middle, -4.5),
                ];
                let line = Shape::Strokes { lines: vec![vec![from, to]], colour: RIG, width: 1.1, dashed: true };
                vec![line, filled(diamond, RIG), head(RIG)]
            }
            Role::LoadCell => {
                let cell = rectangle(&way, middle - 4.5, middle + 4.5, 4.5);
                vec![lines(vec![vec![from, to]], SPECIMEN, 1.1), filled(cell, SPECIMEN), head(SPECIMEN)]
            }
        }
    }
}

/// A wall or a floor behind the fixed end of a strut.
fn wall(at: Point, to: Point, half: f64) -> Vec<Shape> {
    let Some(way) = Stretch::new(at, to) else { return Vec::new() };
    let hatch = |k: i32| {
        let across = 4.5 * f64::from(k);
        vec![way.at(0.0, across), way.at(-6.0, across + 4.5)]
    };
    let edge = vec![vec![way.at(0.0, -half), way.at(0.0, half)]];
    let hatches = (half / 4.5) as i32;
    vec![lines(edge, FAINT, 2.4), lines((-hatches..=hatches).map(hatch).collect(), FAINT, 1.0)]
}

/// Two strokes across a strut that is longer than it is drawn.
fn break_marks(from: Point, to: Point) -> Shape {
    let marks = Stretch::new(from, to).map_or_else(Vec::new, |way| {
        let mark = |at: f64| vec![way.at(at - 2.5, -6.0), way.at(at + 2.5, 6.0)];
        vec![mark(0.85 * way.length), mark(0.85 * way.length + 4.0)]
    });
    lines(marks, FAINT, 1.2)
}

/// An arrow about a point, in the sense of a clock or against it.
fn turning((x, y): Point, radius: f64, clockwise: bool, colour: Colour) -> Vec<Shape> {
    let sense = if clockwise { -1.0 } else { 1.0 };
    let at = |angle: f64, radius: f64| (x + radius * angle.cos(), y - sense * radius * angle.sin());
    let arc = (0..=24).map(|k| at(-0.9 + 4.2 * f64::from(k) / 24.0, radius)).collect();
    let (end, ahead) = (3.3, 7.5 / radius);
    let head = vec![at(end + ahead, radius), at(end, radius - 4.0), at(end, radius + 4.0)];
    pointed_in(arc, vec![head], colour)
}

/// What points to the reader: a circle with a dot, or with a cross where it points away.
fn end_on((x, y): Point, away: bool, colour: Colour) -> Vec<Shape> {
    let circle =
        (0..=20).map(|k| std::f64::consts::TAU * f64::from(k) / 20.0).map(|a| (x + 7.0 * a.cos(), y + 7.0 * a.sin()));
    let ring = lines(vec![circle.collect()], colour, 1.4);
    let cross = vec![vec![(x - 4.9, y - 4.9), (x + 4.9, y + 4.9)], vec![(x - 4.9, y + 4.9), (x + 4.9, y - 4.9)]];
    vec![ring, if away { lines(cross, colour, 1.4) } else { Shape::Dots { at: vec![(x, y)], radius: 2.4, colour } }]
}

fn colour(role: Role) -> Colour {
    if role == Role::LoadCell { SPECIMEN } else { RIG }
}

/// What an instrument is, where the pointer rests.
fn word(instrument: &Instrument) -> String {
    match (instrument.role, instrument.holds.as_str()) {
        (Role::Actuator, "") => format!("{} (actuator)", instrument.name),
        (Role::Actuator, load) => format!("{} (actuator in force control, holds {load})", instrument.name),
        (Role::Transducer, _) => format!("{} (transducer)", instrument.name),
        (Role::LoadCell, _) => format!("{} (load cell)", instrument.name),
    }
}

impl Draft<'_> {
    /// Everything that moves or measures the specimens.
    pub(super) fn instruments(&mut self) {
        let structure = self.structure;
        let cells = !structure.instruments.iter().any(|i| i.role == Role::LoadCell);
        let mut taken: Vec<(Point, Point)> = Vec::new();
        let mut names: Vec<(&Instrument, Point, Option<f64>)> = Vec::new();
        for instrument in &structure.instruments {
            let look = |ahead: bool| Look { instrument, cells, ahead };
            for (place, node) in structure.places(&self.drawing, instrument).into_iter().zip(nodes(instrument)) {
                let (shapes, label, length) = match place {
                    Place::Strut { from, to, wall, length } => {
                        let (shapes, label) = self.strut(&look(false), [from, to], (wall, length.is_some()));
                        if wall {
                            self.arm(node, to);
                        }
                        (shapes, label, length)
                    }
                    Place::Line { at, along } => {
                        self.arm(node, at);
                        let (shapes, label) = self.line(&look, (at, along), node, &mut taken);
                        (shapes, label, None)
                    }
                    Place::Turn { at, about } => {
                        let (shapes, label) = self.turn(instrument.role, at, about, &mut taken);
                        (shapes, label, None)
                    }
                };
                let class = match instrument.role {
                    Role::Actuator => "actuator",
                    Role::Transducer => "transducer",
                    Role::LoadCell => "load cell",
                };
                self.group(class, word(instrument), shapes);
                names.push((instrument, label, length));
            }
        }
        for (instrument, at, length) in names {
            let holds =
                if instrument.holds.is_empty() { String::new() } else { format!(", holds {}", instrument.holds) };
            let long =
                length.map_or_else(String::new, |l| format!(", {} {} long", short(l * self.unit.1), self.unit.0));
            let text = format!("{}{holds}{long}", instrument.name);
            self.name(&text, at, 9.0, (NAME, colour(instrument.role), false), "instruments");
        }
    }

    /// From a fixed point, or from a node, to another point; and where its name belongs.
    fn strut(
        &mut self,
        look: &Look<'_>,
        [from, to]: [[f64; 3]; 2],
        (fixed, long): (bool, bool),
    ) -> (Vec<Shape>, Point) {
        let (a, b) = (self.paper.place(from), self.paper.place(to));
        if (b.0 - a.0).hypot(b.1 - a.1) < SHORTEST {
            let away = self.depth([0, 1, 2].map(|i| to[i] - from[i])) > 0.0;
            self.cover(b, 8.0);
            return (end_on(b, away, colour(look.instrument.role)), b);
        }
        // Between two nodes there may be the element that it stretches: it stands beside it.
        let (mut shapes, a, b) = match Stretch::new(a, b).filter(|_| !fixed) {
            Some(way) => {
                let lead = (0.15 * way.length).min(36.0);
                let (from, to) = (way.at(lead, -ASIDE), way.at(way.length - lead, -ASIDE));
                (vec![lines(vec![vec![a, from], vec![to, b]], RIG, 1.1)], from, to)
            }
            None => (wall(a, b, WALL), a, b),
        };
        let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
        shapes.extend(look.shapes(a, b));
        if long {
            shapes.push(break_marks(a, b));
        }
        self.take_line(&[a, b]);
        self.cover(a, if fixed { 12.0 } else { 3.0 });
        (shapes, middle)
    }

    /// At a point along a direction: behind it, or ahead of it where a line of the structure comes from behind. Those that act along
    /// the same line stand side by side.
    fn line<'a>(
        &mut self,
        look: &impl Fn(bool) -> Look<'a>,
        (at, along): ([f64; 3], [f64; 3]),
        node: usize,
        taken: &mut Vec<(Point, Point)>,
    ) -> (Vec<Shape>, Point) {
        let size = length(along);
        let unit = along.map(|x| x / size);
        let [x, y] = Drawing::project(unit, self.paper.direction);
        let (place, role) = (self.paper.place(at), look(false).instrument.role);
        if x.hypot(y) < END_ON {
            self.cover(place, 8.0);
            return (end_on(place, self.depth(unit) > 0.0, colour(role)), place);
        }
        let seen = x.hypot(y);
        // What is foreshortened stays long enough to be read.
        let (ex, ey, reach) = (x / seen, -y / seen, REACH * seen.max(0.7));
        // Beside its node nothing of the structure is in its way.
        let there = self.at.get(node).is_some_and(|p| (p.0 - place.0).hypot(p.1 - place.1) < GAP);
        let ahead = there && self.is_behind(Some(node), (ex, ey));
        let same = |&&((px, py), (qx, qy)): &&(Point, Point)| {
            (px - place.0).hypot(py - place.1) < 1.0 && (qx - ex).hypot(qy - ey) < 0.05
        };
        let before = taken.iter().filter(same).count();
        taken.push((place, (ex, ey)));
        // 0, 1, -1, 2, ... places aside.
        let aside = before.div_ceil(2) as f64 * if before % 2 == 0 { -ABREAST } else { ABREAST };
        let sign = if ahead { 1.0 } else { -1.0 };
        let on = |by: f64| (place.0 + sign * by * ex - aside * ey, place.1 + sign * by * ey + aside * ex);
        let (from, to) = (on(GAP + reach), on(GAP));
        self.take_line(&[from, to]);
        self.cover(from, 4.0);
        (look(ahead).shapes(from, to), on(GAP + 0.6 * reach))
    }

    fn turn(
        &mut self,
        role: Role,
        at: [f64; 3],
        about: [f64; 3],
        taken: &mut Vec<(Point, Point)>,
    ) -> (Vec<Shape>, Point) {
        let place = self.paper.place(at);
        let around = |&&(p, q): &&(Point, Point)| (p.0 - place.0).hypot(p.1 - place.1) < 1.0 && q == (0.0, 0.0);
        let radius = 17.0 + 0.5 * ABREAST * taken.iter().filter(around).count() as f64;
        taken.push((place, (0.0, 0.0)));
        self.cover(place, radius);
        let shapes = turning(place, radius, self.depth(about) > 0.0, colour(role));
        (shapes, (place.0 + 0.7 * radius, place.1 - 0.7 * radius))
    }

    /// How far a direction of the drawing points away from the reader.
    fn depth(&self, d: [f64; 3]) -> f64 {
        let [(st, ct), (se, ce)] = self.paper.direction.map(f64::sin_cos);
        ce * (st * d[0] + ct * d[1]) - se * d[2]
    }

    fn cover(&mut self, (x, y): Point, half: f64) {
        self.take([x - half, y - half, x + half, y + half]);
    }

    /// From a node to where an instrument acts on its body.
    fn arm(&mut self, node: usize, to: [f64; 3]) {
        let (structure, to) = (self.structure, self.paper.place(to));
        if let (Some(&from), Some(node)) = (self.at.get(node), structure.nodes.get(node)) {
            self.rigid(from, to, &node.name);
        }
    }

    /// What the marks of instruments mean, each drawn from (0, 0) to (34, 0).
    pub(super) fn instrument_legend(&self) -> Vec<(Vec<Shape>, &'static str)> {
        let all = &self.structure.instruments;
        let cells = !all.iter().any(|i| i.role == Role::LoadCell);
        let first = |is: &dyn Fn(&&Instrument) -> bool| all.iter().find(is);
        let look = |i: &Instrument| Look { instrument: i, cells, ahead: false }.shapes((0.0, 0.0), (34.0, 0.0));
        let carries = if cells { "actuator with transducer and load cell" } else { "actuator with transducer" };
        let kinds: [(Option<&Instrument>, &'static str); 4] = [
            (first(&|i| i.role == Role::Actuator && i.holds.is_empty()), carries),
            (first(&|i| !i.holds.is_empty()), "actuator in force control"),
            (first(&|i| i.role == Role::Transducer), "transducer"),
            (first(&|i| i.role == Role::LoadCell), "load cell"),
        ];
        let mut entries: Vec<_> = kinds.into_iter().filter_map(|(i, word)| Some((look(i?), word))).collect();
        if all.iter().flat_map(|i| &i.acts).any(|(_, acts)| matches!(acts, Acts::Strut { .. })) {
            entries.push((wall((17.0, 0.0), (34.0, 0.0), 7.0), "reaction wall or floor"));
        }
        entries
    }
}

/// The node of each place of an instrument; one between two nodes has none beside it.
fn nodes(instrument: &Instrument) -> impl Iterator<Item = usize> {
    instrument.acts.iter().map(|(node, _)| *node)
}
