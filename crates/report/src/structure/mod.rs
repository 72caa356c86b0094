//! A structure as points and lines: where they stand (as they are, or in a sketch, where no positions are known), how it is
//! held, how space is seen on paper, and pictures of it.
//!
//! **Must not be here:** models, elements, files.

mod bent;
mod diagram;
mod dimensions;
mod labels;
mod rig;
mod sheet;
mod sketch;
mod supports;
mod symbols;

pub use bent::{Ends, bent};
pub use diagram::{Along, Station};
pub use rig::{Acts, Instrument, Role};
pub use sheet::Sheet;
pub(crate) use supports::Support;
pub use supports::{Hold, Holds};

use crate::scale::range;
use crate::scene::{FAINT, INK, Point, Scene, Shape};
use crate::svg;
use crate::{Motion, scene};

/// A named point.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Position.
    pub at: [f64; 3],
    /// How it is held.
    pub held: Holds,
    /// It only turns: a pendulum. Drawn beside the node it hangs on.
    pub swings: bool,
    /// Its lumped mass, with its unit; empty: none.
    pub mass: String,
}

/// What a line stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A beam or a column, which bends between its ends.
    Member,
    /// What resists a deformation.
    #[default]
    Spring,
    /// What resists a velocity.
    Damper,
    /// What joins degrees of freedom in another way.
    Link,
}

/// What connects nodes.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Name.
    pub name: String,
    /// First node.
    pub from: usize,
    /// Second node; none: the ground.
    pub to: Option<usize>,
    /// What it stands for.
    pub kind: Kind,
    /// The axis along which (0 to 2), or about which (3 to 5) it acts, where it is only one.
    pub axis: Option<usize>,
    /// Ends of a member that do not turn with their nodes.
    pub hinges: [bool; 2],
    /// The part of the structure it belongs to, if that is not computed here.
    pub part: Option<usize>,
    /// Local y and z axes of a member, where they are shown.
    pub axes: Option<[[f64; 3]; 2]>,
}

/// Where a part of a structure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the laboratory.
    Specimen,
    /// In another program.
    External,
}

/// What pushes a structure.
#[derive(Clone, Debug)]
pub struct Load {
    /// Name.
    pub name: String,
    /// The node it acts on; none: the ground.
    pub node: Option<usize>,
    /// The axis along which (0 to 2), or about which (3 to 5) it acts.
    pub axis: usize,
}

/// A structure to draw.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Nodes.
    pub nodes: Vec<Node>,
    /// What connects them.
    pub lines: Vec<Line>,
    /// What pushes it.
    pub loads: Vec<Load>,
    /// Parts of it that are not computed here.
    pub parts: Vec<(Place, String)>,
    /// What moves and measures them in the laboratory.
    pub instruments: Vec<Instrument>,
    /// Nodes that lead, and those that move with them as one rigid body.
    pub rigid: Vec<[usize; 2]>,
}

/// A line between two points of a drawing.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Its points.
    pub ends: [usize; 2],
    /// What it stands for.
    pub kind: Kind,
    /// It bends between its ends; the storey of a sketch does so between floors that do not turn.
    pub bends: bool,
    /// Ends that do not turn with their nodes.
    pub hinges: [bool; 2],
    /// Where it is, if it is not computed here.
    pub place: Option<Place>,
    /// Which line of the structure it is.
    pub line: usize,
}

/// A structure with every point in its place: x to the right, y away, z up.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The nodes, in their order, then the points where links meet the ground.
    pub points: Vec<[f64; 3]>,
    /// How many of them are nodes.
    pub nodes: usize,
    /// Lines between points.
    pub edges: Vec<Edge>,
    /// Points that are held.
    pub(crate) supports: Vec<(usize, Support)>,
    /// Nodes that only turn: how far they are drawn aside is no displacement.
    pub(crate) swinging: Vec<usize>,
    /// The positions are made up: the nodes have none of their own.
    pub sketch: bool,
    /// Which axis of the structure is to the right, away, up, and its sign.
    axes: [(usize, f64); 3],
    /// Direction from which the structure itself is seen best.
    pub(crate) front: [f64; 2],
    /// Ends of the instruments of the laboratory, where they are drawn.
    rig: Vec<[f64; 3]>,
}

/// Length of a link to the ground, relative to the structure.
const FOOT: f64 = 0.06;

/// Direction of view on structures in space: turned about the vertical axis, then tilted (rad).
const SPACE: [f64; 2] = [-0.6, 0.35];

/// Extent of a structure or of a motion, relative to the largest, below which it lies in a plane.
const FLAT: f64 = 0.02;

/// How large the largest displacement is drawn at most, relative to the structure.
const SEEN: f64 = 0.15;

/// Points of a member that bends.
const POINTS: usize = 13;

impl Structure {
    /// Puts every point in its place: nodes where they are or, where all stand in one place, as a building or a chain of masses
    /// is sketched.
    pub fn drawing(&self) -> Drawing {
        let extents = |points: &[[f64; 3]]| [0, 1, 2].map(|a| spread(points.iter().map(|p| p[a])));
        let at: Vec<[f64; 3]> = self.nodes.iter().map(|n| n.at).collect();
        let size = self.extent();
        let sketch = size == 0.0 || !size.is_finite();
        let moves = |axis: usize| self.nodes.iter().any(|n| n.held.moves[axis] != Hold::Absent);
        let rig: Vec<[f64; 3]> = if sketch { Vec::new() } else { self.rig() };
        let placed = [&at[..], &rig].concat();
        let axes = match (sketch, moves(2) || extents(&placed)[2] > 0.0) {
            // The only horizontal direction is drawn to the right.
            (true, _) if !moves(0) && moves(1) => [(1, 1.0), (0, 1.0), (2, 1.0)],
            (true, _) | (false, true) => [(0, 1.0), (1, 1.0), (2, 1.0)],
            // In the plane of x and y the second is the height.
            (false, false) => [(0, 1.0), (2, -1.0), (1, 1.0)],
        };
        let points = if sketch { self.sketch() } else { at };
        let swinging = (0..self.nodes.len()).filter(|&i| self.nodes[i].swings).collect();
        let (nodes, edges, supports) = (self.nodes.len(), vec![], vec![]);
        let mut drawing = Drawing { points, nodes, edges, supports, swinging, sketch, axes, front: SPACE, rig: vec![] };
        if !sketch {
            let placed: Vec<[f64; 3]> = drawing.points.iter().map(|p| drawing.along(*p)).collect();
            drawing.points = placed;
        }
        let rig: Vec<[f64; 3]> = rig.iter().map(|p| drawing.along(*p)).collect();
        drawing.front = front(extents(&[&drawing.points[..], &rig].concat()));
        drawing.rig = rig;
        self.connect(&mut drawing, if sketch { 1.0 } else { FOOT * size });
        self.support(&mut drawing);
        drawing
    }

    /// Adds the lines, with a point on the ground for those that end there.
    fn connect(&self, drawing: &mut Drawing, foot: f64) {
        let n = self.nodes.len();
        let upright = self.is_upright();
        let mut feet: Vec<(usize, Option<usize>, usize)> = Vec::new();
        for (number, line) in self.lines.iter().enumerate().filter(|(_, l)| l.from < n && l.to.is_none_or(|t| t < n)) {
            let axis = line.axis.filter(|_| !drawing.sketch);
            let to = match (line.to, axis) {
                (Some(to), _) => to,
                // What acts about an axis only is drawn at its node.
                (None, Some(3..)) => {
                    drawing.supports.push((line.from, Support::turning(&line.name)));
                    continue;
                }
                (None, _) => match feet.iter().find(|f| (f.0, f.1) == (line.from, axis)) {
                    Some(found) => found.2,
                    None => {
                        let at = if drawing.sketch {
                            self.footing(line.from, drawing.points[line.from])
                        } else {
                            let mut along = [0.0; 3];
                            // Upwards springs stand below their node, all others beside it.
                            along[axis.unwrap_or(drawing.axes[2].0)] = -foot;
                            let along = drawing.along(along);
                            let along = if axis.is_some() || along[2] < 0.0 { along } else { [0.0, 0.0, -foot] };
                            [0, 1, 2].map(|a| drawing.points[line.from][a] + along[a])
                        };
                        drawing.points.push(at);
                        let down = [0, 1, 2].map(|a| at[a] - drawing.points[line.from][a]);
                        drawing.supports.push((drawing.points.len() - 1, Support::earth(down)));
                        feet.push((line.from, axis, drawing.points.len() - 1));
                        drawing.points.len() - 1
                    }
                },
            };
            if line.from != to {
                let place = line.part.and_then(|p| self.parts.get(p)).map(|p| p.0);
                // A storey of a sketch; a pendulum is a straight rod.
                let stands = line.to.is_none_or(|t| !self.nodes[t].swings) && !self.nodes[line.from].swings;
                let storey = upright && drawing.sketch && line.kind == Kind::Spring && stands;
                let bends = line.kind == Kind::Member || storey;
                let ends = [line.from, to];
                drawing.edges.push(Edge { ends, kind: line.kind, bends, hinges: line.hinges, place, line: number });
            }
        }
    }

    /// Adds how nodes are held: symbols stand on the side where the structure is not.
    fn support(&self, drawing: &mut Drawing) {
        let flat = drawing.front != SPACE;
        for (i, node) in self.nodes.iter().enumerate() {
            let mut away = [0.0; 3];
            for edge in drawing.edges.iter().filter(|e| e.ends.contains(&i)) {
                let other = if edge.ends[0] == i { edge.ends[1] } else { edge.ends[0] };
                let d = [0, 1, 2].map(|a| drawing.points[i][a] - drawing.points[other][a]);
                let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
                (0..3).for_each(|a| away[a] += if length > 0.0 { d[a] / length } else { 0.0 });
            }
            let plane = flat.then(|| drawing.plane());
            if let Some(support) = Support::of(&node.held, plane, drawing.axes, away) {
                drawing.supports.push((i, support));
            }
        }
    }

    /// Where a pendulum hangs: the first node of its lines that stands by itself.
    pub fn carrier(&self, node: usize) -> Option<usize> {
        let other = |l: &Line| match (l.from, l.to) {
            (a, Some(b)) if a == node => Some(b),
            (a, Some(b)) if b == node => Some(a),
            _ => None,
        };
        self.lines.iter().filter_map(other).find(|&o| self.nodes.get(o).is_some_and(|n| !n.swings))
    }
}

/// How far numbers are apart.
fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = range(values);
    high - low
}

/// The direction from which a structure of these extents is seen best: what lies in a plane from its front.
fn front(extents: [f64; 3]) -> [f64; 2] {
    let largest = extents.into_iter().fold(0.0, f64::max);
    let flat = extents.map(|e| e <= FLAT * largest);
    match flat {
        [_, true, _] => [0.0, 0.0],
        [true, false, _] => [-std::f64::consts::FRAC_PI_2, 0.0],
        [false, false, true] => [0.0, std::f64::consts::FRAC_PI_2],
        _ => SPACE,
    }
}

impl Drawing {
    /// A displacement (or a rotation) along the axes of the structure, along those of the drawing.
    pub fn along(&self, d: [f64; 3]) -> [f64; 3] {
        self.axes.map(|(axis, sign)| sign * d[axis])
    }

    /// The axes of the structure to the right, up and towards the reader, where it is seen from its front.
    fn plane(&self) -> [usize; 3] {
        let order = match self.front {
            [_, tilt] if tilt > 1.0 => [0, 1, 2],
            [turn, _] if turn < -1.0 => [1, 2, 0],
            _ => [0, 2, 1],
        };
        order.map(|a| self.axes[a].0)
    }

    /// A point on paper seen from a direction, x to the right and y up.
    pub fn project(p: [f64; 3], direction: [f64; 2]) -> [f64; 2] {
        let [(st, ct), (se, ce)] = direction.map(f64::sin_cos);
        let (right, away) = (ct * p[0] - st * p[1], st * p[0] + ct * p[1]);
        [right, ce * p[2] + se * away]
    }

    /// Largest extent.
    pub(crate) fn size(&self) -> f64 {
        let size = (0..3).map(|a| spread(self.points.iter().map(|p| p[a]))).fold(0.0, f64::max);
        if size > 0.0 { size } else { 1.0 }
    }

    /// The direction from which a motion is seen best: from the front where it stays in the plane of the structure, else from
    /// that of some axonometric ones from which it is drawn largest.
    pub(crate) fn direction(&self, motion: &Motion) -> [f64; 2] {
        let mut moves = [0.0f64; 3];
        for d in motion.states().flat_map(|state| state.chunks_exact(6)) {
            (0..3).for_each(|a| moves[a] += f64::from(d[a]).powi(2));
        }
        let moves = moves.map(f64::sqrt);
        let most = moves.into_iter().fold(0.0, f64::max);
        // The axis that points to the reader when a plane structure is seen from its front.
        let hidden = match self.front {
            [_, tilt] if tilt > 1.0 => 2,
            [turn, _] if turn < -1.0 => 0,
            _ => 1,
        };
        if self.front != SPACE && moves[hidden] <= FLAT * most {
            return self.front;
        }
        let extents = [0, 1, 2].map(|a| spread(self.points.iter().map(|p| p[a])));
        // How large the motion is drawn where the structure fills a picture twice as wide as high.
        let score = |direction: &[f64; 2]| -> f64 {
            let flat: Vec<[f64; 2]> = self.points.iter().map(|p| Self::project(*p, *direction)).collect();
            let [width, height] = [0, 1].map(|axis| spread(flat.iter().map(|p| p[axis])));
            let seen = |lengths: [f64; 3]| -> f64 {
                let axis =
                    |a: usize| Self::project([0, 1, 2].map(|b| if a == b { lengths[a] } else { 0.0 }), *direction);
                (0..3).map(axis).map(|[x, y]| x * x + y * y).sum()
            };
            // What is seen of the structure counts too: end-on it would fill the picture soonest.
            seen(moves).sqrt() * seen(extents) / (0.5 * width).max(height).max(f64::MIN_POSITIVE)
        };
        let candidates = [-0.3, -0.6, -0.95].into_iter().flat_map(|turn| [0.3, 0.5, 0.75].map(|tilt| [turn, tilt]));
        candidates.max_by(|a, b| score(a).total_cmp(&score(b))).unwrap_or(SPACE)
    }

    /// How many times larger than they are displacements are drawn, as a round number; 0 where nothing moves.
    pub(crate) fn magnification(&self, largest: f64) -> f64 {
        let rough = SEEN * self.size() / largest;
        if !(rough.is_finite() && rough > 0.0) {
            return 0.0;
        }
        let power = 10f64.powf(rough.log10().floor());
        [5.0, 2.0, 1.0].into_iter().find(|f| f * power <= rough * (1.0 + 1e-9)).unwrap_or(1.0) * power
    }

    /// The points of an edge, displaced: those of a member that bends lie on its shape function.
    fn course(&self, edge: &Edge, state: Option<(&[f32], f64)>) -> Vec<[f64; 3]> {
        let end = |i: usize| {
            let at = |k: usize| {
                let found = state.and_then(|(s, m)| Some(m * f64::from(*s.get(6 * i + k)?)));
                found.filter(|_| i < self.nodes).unwrap_or(0.0)
            };
            (self.points[i], [at(0), at(1), at(2)], [at(3), at(4), at(5)])
        };
        let ends = Ends { at: edge.ends.map(end), hinges: edge.hinges };
        let points = if edge.bends && state.is_some() { POINTS } else { 2 };
        (0..points).map(|k| bent(&ends, k as f64 / (points - 1) as f64)).collect()
    }

    /// A still of at most this width and height in pixels: the structure displaced, over the one at rest.
    pub(crate) fn still(&self, direction: [f64; 2], state: Option<(&[f32], f64)>, width: f64, height: f64) -> String {
        const EDGE: f64 = 28.0;
        let courses = |state| self.edges.iter().map(move |e| (self.course(e, state), e)).collect::<Vec<_>>();
        let (rest, moved) = (courses(None), courses(state));
        let flat = |p: &[f64; 3]| Self::project(*p, direction);
        let all: Vec<[f64; 2]> =
            self.points.iter().chain(moved.iter().flat_map(|(points, _)| points)).map(flat).collect();
        let [(x0, x1), (y0, y1)] = [0, 1].map(|axis| range(all.iter().map(|p| p[axis])));
        let scale = ((width - 2.0 * EDGE) / (x1 - x0)).min((height - 2.0 * EDGE) / (y1 - y0));
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let [width, height] = [x1 - x0, y1 - y0].map(|span| span * scale + 2.0 * EDGE);
        let at = |p: &[f64; 3]| -> Point {
            let [x, y] = flat(p);
            (EDGE + (x - x0) * scale, height - EDGE - (y - y0) * scale)
        };
        let mut scene = Scene { width, height, shapes: Vec::new() };
        let stroke = |(points, edge): &(Vec<[f64; 3]>, &Edge), ghost: bool| Shape::Strokes {
            lines: vec![points.iter().map(at).collect()],
            colour: if ghost { FAINT } else { INK },
            width: if ghost { 0.8 } else { 1.8 },
            dashed: edge.kind == Kind::Link || edge.kind == Kind::Damper,
        };
        if state.is_some() {
            scene.shapes.extend(rest.iter().map(|e| stroke(e, true)));
        }
        scene.shapes.extend(moved.iter().map(|e| stroke(e, false)));
        for (i, support) in &self.supports {
            support.symbol(direction).draw(&mut scene, at(&self.points[*i]), scene::INK);
        }
        let dots = (0..self.nodes).map(|i| {
            let d = |k: usize| state.and_then(|(s, m)| Some(m * f64::from(*s.get(6 * i + k)?))).unwrap_or(0.0);
            at(&[0, 1, 2].map(|a| self.points[i][a] + d(a)))
        });
        scene.shapes.push(Shape::Dots { at: dots.collect(), radius: 2.5, colour: INK });
        svg::write_for_screen(&scene)
    }
}

#[cfg(test)]
mod tests;
