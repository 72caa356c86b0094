//! A structure on a sheet of paper: with names, axes, dimensions, supports, loads, masses, the parts that stand elsewhere, and what
//! moves and measures them.

mod instruments;

use super::dimensions::{places, words};
use super::labels::{Bounds, Labels};
use super::supports::{AXES, Fixity};
use super::symbols::{arrow, damper, spring, turn};
use super::{Drawing, Edge, Kind, Place, SPACE, Structure};
use crate::letters::{fitted, width, wrapped};
use crate::scale::range;
use crate::scene::{Anchor, Colour, FAINT, INK, Point, SPECIMEN, Scene, Shape, Text};
use crate::{png, scene, svg};

/// Width of a sheet, what is left free beside and above the structure, and the most it takes itself, pixels.
const WIDTH: f64 = 860.0;
const BESIDE: f64 = 100.0;
const ABOVE: f64 = 44.0;
const HIGHEST: f64 = 460.0;
/// Distance of neighbours in a sketch at most, pixels.
const STOREY: f64 = 92.0;
/// From the structure to its dimensions, which leaves room for supports; and between lines that run side by side.
const OUTSIDE: f64 = 38.0;
const PARALLEL: f64 = 20.0;
/// Letters of names and of what is less important.
const NAME: f64 = 11.0;
const SMALL: f64 = 10.0;
const LINE: f64 = 18.0;
/// Radius of a node, and of one with a mass.
const NODE: f64 = 2.6;
const MASS: f64 = 5.5;
/// Nodes, and members, beyond which only every second, third, ... name is looked at.
const NAMED: usize = 250;
/// Lines beyond which they are drawn thin.
const CROWD: usize = 300;

const LOAD: Colour = scene::BLUE;

/// The colour of what is in this place.
fn tint(place: Option<Place>) -> Colour {
    match place {
        Some(Place::Specimen) => SPECIMEN,
        Some(Place::External) => scene::GREEN,
        None => INK,
    }
}

/// A sheet.
#[derive(Clone, Debug)]
pub struct Sheet(pub(crate) Scene);

impl Sheet {
    /// As SVG text, light or dark as the reader has it.
    pub fn svg(&self) -> String {
        svg::write_for_screen(&self.0)
    }

    /// As a PNG file with so many dots per inch.
    pub fn png(&self, dpi: f64) -> Vec<u8> {
        png::write(&self.0, dpi / crate::PIXELS_PER_INCH)
    }
}

/// How a drawing is seen on the sheet: from where, and how its places become pixels.
struct Paper {
    direction: [f64; 2],
    scale: f64,
    /// What of the drawing is at the left and at the top, and where that is on the sheet.
    origin: [f64; 2],
    corner: Point,
}

impl Paper {
    fn place(&self, p: [f64; 3]) -> Point {
        let [x, y] = Drawing::project(p, self.direction);
        // What is no number stands in the corner.
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let (x, y) = ((x - self.origin[0]) * self.scale, (self.origin[1] - y) * self.scale);
        (self.corner.0 + finite(x), self.corner.1 + finite(y))
    }
}

/// A sheet that is being drawn.
struct Draft<'a> {
    structure: &'a Structure,
    drawing: Drawing,
    paper: Paper,
    /// Unit of length and how many of it make one unit of the drawing.
    unit: (&'a str, f64),
    scene: Scene,
    labels: Labels,
    /// The points of the drawing on the sheet.
    at: Vec<Point>,
    /// Left, top, right and bottom of the structure.
    bounds: Bounds,
    /// How far down anything reaches.
    lowest: f64,
    notes: Vec<String>,
}

impl Structure {
    /// The structure with all that is known of it, under a title; `unit`: a unit of length, and how many make one of the
    /// positions of its nodes.
    pub fn sheet(&self, title: &str, unit: (&str, f64)) -> Sheet {
        let mut draft = Draft::new(self, title, unit);
        draft.dimensions();
        draft.rigid_links();
        draft.edges();
        draft.supports();
        draft.nodes();
        draft.node_loads();
        draft.instruments();
        draft.local_axes();
        draft.part_names();
        draft.node_names();
        draft.line_names();
        draft.finish();
        Sheet(draft.scene)
    }
}

impl<'a> Draft<'a> {
    fn new(structure: &'a Structure, title: &str, unit: (&'a str, f64)) -> Self {
        let drawing = structure.drawing();
        // A load towards the reader is seen from aside.
        let plane = drawing.plane();
        let hidden = structure.loads.iter().any(|l| l.axis == plane[2]) || structure.acts_along(plane[2]);
        let direction = if hidden && !drawing.sketch && drawing.front != SPACE { [-0.35, 0.6] } else { drawing.front };
        let seen = drawing.points.iter().chain(&drawing.rig);
        let flat: Vec<[f64; 2]> = seen.map(|p| Drawing::project(*p, direction)).collect();
        let [(x0, x1), (y0, y1)] = [0, 1].map(|axis| range(flat.iter().map(|p| p[axis])));
        let fits = ((WIDTH - 2.0 * BESIDE) / (x1 - x0)).min(HIGHEST / (y1 - y0));
        let fits = if fits.is_finite() { fits } else { 1.0 };
        let scale = if drawing.sketch { fits.min(STOREY) } else { fits };
        let lines = wrapped(title, 14.0, (WIDTH - 40.0) / 1.12);
        // Actuators may stand above the structure.
        let above = if structure.instruments.is_empty() { ABOVE } else { ABOVE + 34.0 };
        let top = 16.0 + LINE * lines.len() as f64 + above;
        let left = 0.5 * (WIDTH - (x1 - x0) * scale);
        let paper = Paper { direction, scale, origin: [x0, y1], corner: (left, top) };
        let at: Vec<Point> = drawing.points.iter().map(|p| paper.place(*p)).collect();
        let bounds = [left, top, left + (x1 - x0) * scale, top + (y1 - y0) * scale];
        let labels = Labels::within([4.0, 8.0 + LINE * lines.len() as f64, WIDTH - 4.0, bounds[3] + 90.0]);
        let mut scene = Scene { width: WIDTH, height: 0.0, shapes: Vec::new() };
        for (i, line) in lines.into_iter().enumerate() {
            let text = Text::new(line, (20.0, 22.0 + LINE * i as f64), Anchor::Start, 14.0);
            scene.shapes.push(Shape::Text(Text { bold: true, ..text }));
        }
        Draft { structure, drawing, paper, unit, scene, labels, at, bounds, lowest: bounds[3], notes: Vec::new() }
    }

    fn group(&mut self, class: &str, title: String, shapes: Vec<Shape>) {
        self.scene.shapes.push(Shape::Group { class: class.to_owned(), title, shapes });
    }

    /// A text that may stand there, whatever it names.
    fn write(&mut self, text: Text) {
        self.take(text.bounds());
        self.scene.shapes.push(Shape::Text(text));
    }

    /// Along every axis, outside of the structure: a line with a stroke at every place of a node, and how far they are apart.
    fn dimensions(&mut self) {
        if self.drawing.sketch {
            return;
        }
        let corner = |a: usize| range(self.drawing.points[..self.drawing.nodes].iter().map(|p| p[a]));
        let ends = [0, 1, 2].map(corner);
        // Edges of the box around it that are nearest to the reader and outermost.
        let edges =
            [[f64::NAN, ends[1].0, ends[2].0], [ends[0].1, f64::NAN, ends[2].0], [ends[0].0, ends[1].0, f64::NAN]];
        for (axis, edge) in edges.into_iter().enumerate() {
            let along = places(self.drawing.points[..self.drawing.nodes].iter().map(|p| p[axis]));
            let text = words(&along.iter().map(|x| x * self.unit.1).collect::<Vec<_>>(), self.unit.0);
            let on = |x: f64| [0, 1, 2].map(|a| if a == axis { x } else { edge[a] });
            if let ([first, .., last], false) = (&along[..], text.is_empty()) {
                let line: Vec<Point> = along.iter().map(|x| self.paper.place(on(*x))).collect();
                let (from, to) = (self.paper.place(on(*first)), self.paper.place(on(*last)));
                self.dimension(axis, from, to, &line, &text);
            }
        }
    }

    fn dimension(&mut self, axis: usize, from: Point, to: Point, marks: &[Point], text: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        if length < 24.0 {
            return;
        }
        // Heights are told on the left, all else below.
        let normal = (-dy / length, dx / length);
        let sign = if axis == 2 { -normal.0.signum() } else { normal.1.signum() };
        let (ox, oy) = (sign * normal.0, sign * normal.1);
        let beyond = |p: &Point| (p.0 - from.0) * ox + (p.1 - from.1) * oy;
        let rig = self.drawing.rig.iter().map(|p| beyond(&self.paper.place(*p)));
        let outside = self.at.iter().map(beyond).chain(rig).fold(0.0, f64::max) + OUTSIDE;
        let off = |p: &Point, by: f64| (p.0 + by * ox, p.1 + by * oy);
        let mut lines = vec![vec![off(&from, outside), off(&to, outside)]];
        // Slanting strokes, as on plans.
        let (sx, sy) = ((dx / length + ox) * 3.5, (dy / length + oy) * 3.5);
        for mark in marks.iter().map(|p| off(p, outside)) {
            lines.push(vec![(mark.0 - sx, mark.1 - sy), (mark.0 + sx, mark.1 + sy)]);
        }
        lines.extend([&from, &to].map(|end| vec![off(end, outside - 10.0), off(end, outside + 4.0)]));
        lines.iter().for_each(|line| self.take_line(line));
        let shapes = vec![Shape::Strokes { lines, colour: FAINT, width: 0.8, dashed: false }];
        self.group("dimension", text.to_owned(), shapes);
        // A text beside an upright line reads along it.
        let upright = ox.abs() > 0.9;
        let middle = off(&(0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1)), outside + 6.0);
        let (place, anchor) = match upright {
            true => ((middle.0 + if ox > 0.0 { SMALL } else { 0.0 }, middle.1), Anchor::Middle),
            false => {
                let anchor = if ox > 0.4 {
                    Anchor::Start
                } else if ox < -0.4 {
                    Anchor::End
                } else {
                    Anchor::Middle
                };
                // Clear of a line that slopes.
                let down = SMALL * (0.35 + 0.45 * oy)
                    + 0.5 * width(text, SMALL) * (dy / dx).abs() * f64::from(u8::from(anchor == Anchor::Middle));
                ((middle.0, middle.1 + down), anchor)
            }
        };
        self.write(Text { colour: FAINT, upright, ..Text::new(text, place, anchor, SMALL) });
    }

    fn take_line(&mut self, points: &[Point]) {
        self.lowest = points.iter().map(|p| p.1).fold(self.lowest, f64::max);
        self.labels.take_line(points);
    }

    fn take(&mut self, bounds: Bounds) {
        self.lowest = self.lowest.max(bounds[3]);
        self.labels.take(bounds);
    }

    /// A name beside a point; where there is no room, a note says that some of these are left out.
    fn name(&mut self, text: &str, at: Point, gap: f64, (size, colour, bold): (f64, Colour, bool), of: &str) {
        match self.labels.place(text, at, gap, size, colour) {
            Some(text) => {
                self.lowest = self.lowest.max(text.bounds()[3]);
                self.scene.shapes.push(Shape::Text(Text { bold, ..text }));
            }
            None => self.left_out(of),
        }
    }

    /// From nodes that lead to those that move with them as one rigid body.
    fn rigid_links(&mut self) {
        for [leads, follows] in &self.structure.rigid {
            let ends = [leads, follows].map(|&i| self.at.get(i).zip(self.structure.nodes.get(i)));
            if let [Some((&a, _)), Some((&b, node))] = ends {
                self.rigid(a, b, &node.name);
            }
        }
    }

    /// A rigid part of the structure, from one point to another.
    fn rigid(&mut self, from: Point, to: Point, moved: &str) {
        if (to.0 - from.0).hypot(to.1 - from.1) > 2.0 {
            self.take_line(&[from, to]);
            let line = Shape::Strokes { lines: vec![vec![from, to]], colour: FAINT, width: 1.4, dashed: false };
            self.group("rigid", format!("{moved}: rigid body"), vec![line]);
        }
    }

    /// The lines; those that join the same points run side by side.
    fn edges(&mut self) {
        let edges = self.drawing.edges.clone();
        let weight = if edges.len() > CROWD { 0.5 } else { 1.0 };
        for (i, edge) in edges.iter().enumerate() {
            let shift = aside(&edges, i);
            let [from, to] = edge.ends.map(|p| self.at[p]);
            let (shapes, course) = stroke(edge, from, to, shift, self.drawing.sketch, weight);
            self.take_line(&course);
            let line = &self.structure.lines[edge.line];
            let class = match (edge.place, edge.kind) {
                (Some(Place::Specimen), _) => "specimen",
                (Some(Place::External), _) => "external",
                (None, Kind::Member) => "member",
                (None, Kind::Spring) => "spring",
                (None, Kind::Damper) => "damper",
                (None, Kind::Link) => "link",
            };
            self.group(class, format!("{} ({class})", line.name), shapes);
        }
    }

    fn supports(&mut self) {
        for (i, support) in self.drawing.supports.clone() {
            let symbol = support.symbol(self.paper.direction);
            self.take(symbol.bounds(self.at[i]));
            let mut part = Scene { width: 0.0, height: 0.0, shapes: Vec::new() };
            symbol.draw(&mut part, self.at[i], INK);
            let name = self.structure.nodes.get(i).map_or("", |n| &n.name);
            let title = match support.fixity {
                Fixity::Earth => "ground".to_owned(),
                Fixity::Spiral => support.words.clone(),
                _ => format!("{name}: {}", support.words),
            };
            self.group(&format!("support {}", support.fixity.word()), title, part.shapes);
            if !support.label.is_empty() {
                self.name(&support.label, self.at[i], 14.0, (SMALL, FAINT, false), "supports");
            }
        }
    }

    /// Says once that names of this kind are left out.
    fn left_out(&mut self, what: &str) {
        let note = format!("Some names of {what} do not fit: place the pointer there to see them.");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn nodes(&mut self) {
        for (i, node) in self.structure.nodes.iter().enumerate() {
            let radius = if node.mass.is_empty() { NODE } else { MASS };
            let (x, y) = self.at[i];
            self.take([x - radius, y - radius, x + radius, y + radius]);
            let mass = if node.mass.is_empty() { String::new() } else { format!(", mass {}", node.mass) };
            let dots = Shape::Dots { at: vec![(x, y)], radius, colour: INK };
            let class = if node.mass.is_empty() { "node" } else { "node mass" };
            self.group(class, format!("{}{mass}", node.name), vec![dots]);
        }
    }

    /// The axis of the structure on the sheet, a vector of pixels as long as it shows.
    fn axis(&self, axis: usize) -> Point {
        let unit = [0, 1, 2].map(|a| f64::from(u8::from(a == axis)));
        let [x, y] = Drawing::project(self.drawing.along(unit), self.paper.direction);
        (x, -y)
    }

    /// Whether a line comes to a node along this direction.
    fn is_behind(&self, node: Option<usize>, (ax, ay): Point) -> bool {
        let Some(node) = node else { return false };
        self.drawing.edges.iter().filter(|e| e.ends.contains(&node)).any(|e| {
            let other = if e.ends[0] == node { e.ends[1] } else { e.ends[0] };
            let (dx, dy) = (self.at[node].0 - self.at[other].0, self.at[node].1 - self.at[other].1);
            dx * ax + dy * ay > 0.7 * dx.hypot(dy) * ax.hypot(ay)
        })
    }

    /// Arrows at nodes, with their names.
    fn node_loads(&mut self) {
        for load in &self.structure.loads {
            let Some(&(x, y)) = load.node.and_then(|n| self.at.get(n)) else { continue };
            let (course, heads) = if load.axis < 3 {
                let (ax, ay) = self.axis(load.axis);
                // Ahead of the node, where a line comes from behind.
                let (tail, tip) = if self.is_behind(load.node, (ax, ay)) { (9.0, 54.0) } else { (-54.0, -9.0) };
                arrow((x + tail * ax, y + tail * ay), (x + tip * ax, y + tip * ay), false)
            } else {
                turn((x, y))
            };
            let tail = course.first().copied().unwrap_or((x, y));
            self.take_line(&course);
            let title =
                format!("{}: {} along {}", load.name, if load.axis < 3 { "force" } else { "moment" }, AXES[load.axis]);
            self.group("load", title, pointed(course, heads));
            self.name(&load.name, tail, 5.0, (NAME, LOAD, false), "loads");
        }
    }

    /// Local axes of members, at their middle.
    fn local_axes(&mut self) {
        let mut any = false;
        for edge in self.drawing.edges.clone() {
            let Some(axes) = self.structure.lines[edge.line].axes else { continue };
            any = true;
            let [a, b] = edge.ends.map(|p| self.at[p]);
            let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
            for (axis, (name, colour)) in axes.into_iter().zip([("y", SPECIMEN), ("z", scene::GREEN)]) {
                let [x, y] = Drawing::project(self.drawing.along(axis), self.paper.direction);
                // What points to the reader has no length.
                if x.hypot(y) < 0.15 {
                    continue;
                }
                let tip = (middle.0 + 24.0 * x, middle.1 - 24.0 * y);
                let (course, heads) = arrow(middle, tip, false);
                self.take_line(&course);
                let title = format!("{}: local {name} axis", self.structure.lines[edge.line].name);
                self.group("local axis", title, pointed_in(course, heads, colour));
                let text = Text::new(name, (middle.0 + 32.0 * x, middle.1 - 32.0 * y + 3.5), Anchor::Middle, SMALL);
                self.write(Text { colour, ..text });
            }
        }
        if any {
            self.notes.push("Local axes of members: x from the first node to the second, y and z as drawn.".to_owned());
        }
    }

    /// Parts that stand elsewhere, beside the first of their lines.
    fn part_names(&mut self) {
        for (number, (place, name)) in self.structure.parts.iter().enumerate() {
            let mine = |e: &&Edge| self.structure.lines[e.line].part == Some(number);
            let edges = &self.drawing.edges;
            let Some(i) = edges.iter().position(|e| mine(&e)) else { continue };
            let [from, to] = edges[i].ends.map(|p| self.at[p]);
            let word = if *place == Place::Specimen { "specimen" } else { "external" };
            // Beside its own line, where several run side by side.
            let (_, course) = stroke(&edges[i], from, to, aside(edges, i), self.drawing.sketch, 1.0);
            let (a, b) = (course[(course.len() - 1) / 2], course[course.len() / 2]);
            let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
            let letters = (NAME, tint(Some(*place)), true);
            self.name(&format!("{word} {name}"), middle, 12.0, letters, "specimens and external parts");
        }
    }

    fn node_names(&mut self) {
        let nodes = &self.structure.nodes;
        let every = nodes.len().div_ceil(NAMED).max(1);
        for (i, node) in nodes.iter().enumerate().step_by(every) {
            let gap = if node.mass.is_empty() { 5.0 } else { 8.0 };
            let both = if node.mass.is_empty() { node.name.clone() } else { format!("{}, {}", node.name, node.mass) };
            let place = |draft: &mut Self, name: &str| draft.labels.place(name, draft.at[i], gap, NAME, INK);
            match place(self, &both) {
                Some(text) => self.write(text),
                // The mass shows where the pointer rests.
                None => self.name(&node.name, self.at[i], gap, (NAME, INK, false), "nodes"),
            }
        }
        if every > 1 {
            self.left_out("nodes");
        }
    }

    /// Names of lines; those that join the same points are named together.
    fn line_names(&mut self) {
        let edges = self.drawing.edges.clone();
        let every = edges.len().div_ceil(NAMED).max(1);
        let key = |e: &Edge| [e.ends[0].min(e.ends[1]), e.ends[0].max(e.ends[1])];
        let mut named: Vec<([usize; 2], Vec<&str>)> = Vec::new();
        for edge in edges.iter().step_by(every) {
            let name = self.structure.lines[edge.line].name.as_str();
            match named.iter_mut().find(|n| n.0 == key(edge)) {
                Some(found) => found.1.push(name),
                None => named.push((key(edge), vec![name])),
            }
        }
        for ([a, b], names) in named {
            let (a, b) = (self.at[a], self.at[b]);
            let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
            let gap = 5.0 + 0.5 * PARALLEL * (names.len() as f64 - 1.0) + if self.drawing.sketch { 4.0 } else { 0.0 };
            let text = fitted(&names.join(", "), SMALL, 260.0);
            self.name(&text, middle, gap, (SMALL, FAINT, false), "elements");
        }
        if every > 1 {
            self.left_out("elements");
        }
    }

    /// Below the structure: motions of the ground, axes, what the strokes mean, and remarks.
    fn finish(&mut self) {
        let mut y = self.lowest + 26.0;
        let centre = 0.5 * (self.bounds[0] + self.bounds[2]);
        let grounds: Vec<_> = self.structure.loads.iter().filter(|l| l.node.is_none()).cloned().collect();
        for load in grounds {
            let (ax, ay) = self.axis(load.axis.min(2));
            y += 36.0 * ay.abs();
            let (course, heads) = arrow((centre - 36.0 * ax, y - 36.0 * ay), (centre + 36.0 * ax, y + 36.0 * ay), true);
            let title = format!("{}: ground motion along {}", load.name, AXES[load.axis]);
            self.group("load ground", title.clone(), pointed(course, heads));
            let text = Text::new(title, (centre + 46.0, y + 0.35 * NAME), Anchor::Start, NAME);
            self.scene.shapes.push(Shape::Text(Text { colour: LOAD, ..text }));
            y += 18.0 + 36.0 * ay.abs();
        }
        let top = y + 8.0;
        self.triad((46.0, top + 40.0));
        let below = self.legend((110.0, top + 12.0));
        y = (top + 62.0).max(below + 4.0);
        if self.drawing.sketch {
            self.notes.insert(0, "The model gives no positions: this is a sketch, not to scale.".to_owned());
        }
        let notes = self.notes.clone();
        for line in notes.iter().flat_map(|n| wrapped(n, SMALL, WIDTH - 40.0)) {
            y += 15.0;
            let text = Text::new(line, (20.0, y), Anchor::Start, SMALL);
            self.scene.shapes.push(Shape::Text(Text { colour: FAINT, ..text }));
        }
        self.scene.height = y + 14.0;
    }

    /// The axes, as they are seen.
    fn triad(&mut self, at: Point) {
        let used = |a: usize| {
            let moves = self.structure.nodes.iter().any(|n| n.held.moves[a] != super::Hold::Absent);
            moves || !self.drawing.sketch
        };
        for axis in (0..3).filter(|&a| used(a)).collect::<Vec<_>>() {
            let (ax, ay) = self.axis(axis);
            if ax.hypot(ay) < 0.15 {
                continue;
            }
            let (course, heads) = arrow(at, (at.0 + 30.0 * ax, at.1 + 30.0 * ay), false);
            self.group("axis", AXES[axis].to_owned(), pointed_in(course, heads, INK));
            let tip = (at.0 + 39.0 * ax, at.1 + 39.0 * ay + 0.35 * SMALL);
            self.scene.text(AXES[axis], tip, Anchor::Middle, SMALL);
        }
    }

    /// What is drawn and how, in columns; where it ends below.
    fn legend(&mut self, (left, top): Point) -> f64 {
        let upright = self.drawing.edges.iter().any(|e| e.bends && e.kind == Kind::Spring);
        let kinds: [(Kind, &'static str); 4] = [
            (Kind::Member, "member"),
            (Kind::Spring, if upright { "storey or spring" } else { "spring, or a law with a force" }),
            (Kind::Damper, "damper"),
            (Kind::Link, "element given by matrices"),
        ];
        let parts =
            [(Place::Specimen, "specimen, in the laboratory"), (Place::External, "computed by another program")];
        let here =
            kinds.map(|(kind, word)| (self.drawing.edges.iter().find(|e| e.kind == kind && e.place.is_none()), word));
        let elsewhere = parts.map(|(place, word)| (self.drawing.edges.iter().find(|e| e.place == Some(place)), word));
        let strokes = |(edge, word): (Option<&Edge>, &'static str)| {
            Some((stroke(edge?, (0.0, 0.0), (34.0, 0.0), 0.0, self.drawing.sketch, 1.0).0, word))
        };
        let mut entries: Vec<(Vec<Shape>, &str)> = here.into_iter().chain(elsewhere).filter_map(strokes).collect();
        if self.structure.nodes.iter().any(|n| !n.mass.is_empty()) {
            entries.push((vec![Shape::Dots { at: vec![(17.0, 0.0)], radius: MASS, colour: INK }], "lumped mass"));
        }
        entries.extend(self.instrument_legend());
        let rows = entries.len().div_ceil(3);
        for (i, (shapes, word)) in entries.into_iter().enumerate() {
            let (x, y) = (left + 240.0 * (i % 3) as f64, top + LINE * (i / 3) as f64);
            self.scene.shapes.extend(shapes.into_iter().map(|s| s.moved((x, y))));
            self.scene.text(word, (x + 42.0, y + 0.35 * SMALL), Anchor::Start, SMALL);
        }
        top + LINE * rows as f64
    }
}

/// The strokes of a line between two points, aside by so many pixels, and its course. In a sketch what resists a deformation is
/// the stick that carries a storey. `weight`: how thick lines are, relative to those of a small structure.
fn stroke(edge: &Edge, from: Point, to: Point, shift: f64, sketch: bool, weight: f64) -> (Vec<Shape>, Vec<Point>) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1e-9);
    let aside = |p: Point, along: f64| {
        (p.0 + along * dx / length - shift * dy / length, p.1 + along * dy / length + shift * dx / length)
    };
    let lead = if shift == 0.0 { 0.0 } else { (0.16 * length).min(14.0) };
    let (a, b) = (aside(from, lead), aside(to, -lead));
    let colour = tint(edge.place);
    let thick = if edge.place.is_some() { 2.6 } else { 2.0 };
    let straight = edge.kind == Kind::Member || (sketch && edge.bends);
    let mut lines = match edge.kind {
        _ if straight => vec![vec![a, b]],
        Kind::Spring => spring(a, b),
        Kind::Damper => damper(a, b),
        Kind::Member | Kind::Link => vec![vec![a, b]],
    };
    if shift != 0.0 {
        lines.extend([vec![from, a], vec![b, to]]);
    }
    let width = weight * if straight { thick } else { 0.65 * thick };
    let shapes = vec![Shape::Strokes { lines, colour, width, dashed: edge.kind == Kind::Link }];
    (shapes, vec![from, a, b, to])
}

fn pointed(course: Vec<Point>, heads: Vec<Vec<Point>>) -> Vec<Shape> {
    pointed_in(course, heads, LOAD)
}

fn pointed_in(course: Vec<Point>, heads: Vec<Vec<Point>>, colour: Colour) -> Vec<Shape> {
    let line = Shape::Strokes { lines: vec![course], colour, width: 1.4, dashed: false };
    let head = |outline| Shape::Area { outline, colour, opacity: 1.0 };
    std::iter::once(line).chain(heads.into_iter().map(head)).collect()
}

/// How far aside of the line between its ends an edge runs: those that join the same points run side by side.
fn aside(edges: &[Edge], number: usize) -> f64 {
    // A long list is not searched: members of a frame are alone.
    if edges.len() > 2000 {
        return 0.0;
    }
    let [a, b] = edges[number].ends;
    let beside = |e: &&Edge| e.ends == [a, b] || e.ends == [b, a];
    let (before, all) = (edges[..number].iter().filter(beside).count(), edges.iter().filter(beside).count());
    PARALLEL * (before as f64 - 0.5 * (all as f64 - 1.0))
}
