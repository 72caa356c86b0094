//! A structure as points and lines that can be drawn: where nodes stand (or a sketch of it, where no positions are
//! known), how space is seen on paper, and a plain picture of it.
//!
//! **Must not be here:** models, elements, files.

use std::collections::VecDeque;

use crate::scale::range;
use crate::scene::{INK, Scene, Shape};
use crate::svg;

/// How a node is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Not at all.
    Free,
    /// In some of its directions.
    Partly,
    /// In all of its directions.
    Fixed,
}

/// A named point.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Position.
    pub at: [f64; 3],
    /// How it is held.
    pub held: Held,
    /// It only turns: a pendulum. Drawn beside the node it hangs on.
    pub swings: bool,
}

/// What connects nodes.
#[derive(Clone, Debug)]
pub struct Line {
    /// First node.
    pub from: usize,
    /// Second node; none: the ground.
    pub to: Option<usize>,
    /// A member (drawn solid) rather than a spring, a damper or another link.
    pub member: bool,
}

/// A structure to draw.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Nodes.
    pub nodes: Vec<Node>,
    /// What connects them.
    pub lines: Vec<Line>,
}

/// A structure with every point in its place.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The nodes, in their order, then the points where links meet the ground.
    pub points: Vec<[f64; 3]>,
    /// How many of them are nodes.
    pub nodes: usize,
    /// Lines between points, and whether each is a member.
    pub lines: Vec<(usize, usize, bool)>,
    /// Points that are held, and whether in all directions.
    pub held: Vec<(usize, bool)>,
    /// Whether it fills space rather than a plane.
    pub spatial: bool,
    /// The positions are made up: the nodes have none of their own.
    pub sketch: bool,
    /// It stands in the x-z plane, which is seen from the front.
    upright: bool,
}

/// How far, in a sketch, a pendulum hangs beside its node.
const HANGS: [f64; 2] = [0.4, -0.5];

/// Direction of view on structures in space: turned about the vertical axis, then tilted (rad).
pub const VIEW: [f64; 2] = [-0.6, 0.35];

impl Structure {
    /// Puts every point in its place: nodes where they are or, where all stand in one place, in levels by their distance
    /// from the ground, as a building or a chain of masses is sketched.
    pub fn drawing(&self) -> Drawing {
        let n = self.nodes.len();
        let mut points: Vec<[f64; 3]> = self.nodes.iter().map(|n| n.at).collect();
        let extent = |axis: usize, points: &[[f64; 3]]| -> f64 {
            let (low, high) = range(points.iter().map(|p| p[axis]));
            high - low
        };
        let size = (0..3).map(|a| extent(a, &points)).fold(0.0, f64::max);
        let sketch = size == 0.0 || !size.is_finite();
        if sketch {
            points = self.sketch();
        }
        let spatial = (0..3).all(|a| extent(a, &points) > 0.0);
        let upright = !spatial && extent(1, &points) == 0.0 && extent(2, &points) > 0.0;
        if upright {
            points.iter_mut().for_each(|p| p.swap(1, 2));
        }
        let unit = if sketch { 1.0 } else { 0.12 * size };
        let up = if spatial { 2 } else { 1 };
        let mut lines = Vec::new();
        let mut held: Vec<(usize, bool)> = (0..n)
            .filter(|&i| self.nodes[i].held != Held::Free)
            .map(|i| (i, self.nodes[i].held == Held::Fixed))
            .collect();
        // One point on the ground for all links of a node.
        let mut feet: Vec<Option<usize>> = vec![None; n];
        for line in self.lines.iter().filter(|l| l.from < n && l.to.is_none_or(|t| t < n)) {
            let to = line.to.unwrap_or_else(|| {
                *feet[line.from].get_or_insert_with(|| {
                    let mut foot = points[line.from];
                    foot[up] -= if sketch { foot[up].max(1.0) } else { unit };
                    points.push(foot);
                    held.push((points.len() - 1, true));
                    points.len() - 1
                })
            });
            if line.from != to {
                lines.push((line.from, to, line.member));
            }
        }
        Drawing { points, nodes: n, lines, held, spatial, sketch, upright }
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

    fn sketch(&self) -> Vec<[f64; 3]> {
        let n = self.nodes.len();
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut level: Vec<Option<usize>> = vec![None; n];
        let mut queue = VecDeque::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if node.held == Held::Fixed {
                (level[i], _) = (Some(0), queue.push_back(i));
            }
        }
        for line in self.lines.iter().filter(|l| l.from < n) {
            match line.to.filter(|&t| t < n) {
                Some(to) => {
                    near[line.from].push(to);
                    near[to].push(line.from);
                }
                None if level[line.from].is_none() => {
                    (level[line.from], _) = (Some(1), queue.push_back(line.from));
                }
                None => {}
            }
        }
        let mut start = 0;
        loop {
            while let Some(i) = queue.pop_front() {
                let next = level[i].map_or(1, |l| l + 1);
                for &j in &near[i] {
                    if level[j].is_none() {
                        (level[j], _) = (Some(next), queue.push_back(j));
                    }
                }
            }
            // What hangs together with nothing that is held starts on the first level.
            match (start..n).find(|&i| level[i].is_none()) {
                Some(i) => (level[i], start, _) = (Some(1), i, queue.push_back(i)),
                None => break,
            }
        }
        let levels = level.iter().flatten().max().map_or(0, |l| l + 1);
        let mut count = vec![0usize; levels];
        let stands = |i: usize| !self.nodes[i].swings || self.carrier(i).is_none();
        for i in (0..n).filter(|&i| stands(i)) {
            count[level[i].unwrap_or(0)] += 1;
        }
        let mut used = vec![0usize; levels];
        let mut points = vec![[0.0; 3]; n];
        for i in (0..n).filter(|&i| stands(i)) {
            let l = level[i].unwrap_or(0);
            points[i] = [used[l] as f64 - (count[l] as f64 - 1.0) / 2.0, l as f64, 0.0];
            used[l] += 1;
        }
        for i in (0..n).filter(|&i| !stands(i)) {
            let at = self.carrier(i).map_or([0.0; 3], |c| points[c]);
            points[i] = [at[0] + HANGS[0], at[1] + HANGS[1], 0.0];
        }
        points
    }
}

impl Drawing {
    /// A displacement along the axes of the structure, along those of the drawing.
    pub fn along(&self, d: [f64; 3]) -> [f64; 3] {
        if self.upright { [d[0], d[2], d[1]] } else { d }
    }

    /// A point on paper, x to the right and y up.
    pub fn project(&self, p: [f64; 3]) -> [f64; 2] {
        if !self.spatial {
            return [p[0], p[1]];
        }
        let [(st, ct), (se, ce)] = VIEW.map(f64::sin_cos);
        let (right, away) = (ct * p[0] - st * p[1], st * p[0] + ct * p[1]);
        [right, ce * p[2] + se * away]
    }

    /// A picture of at most this width and height in pixels.
    pub fn svg(&self, width: f64, height: f64) -> String {
        svg::write(&self.scene(width, height))
    }

    fn scene(&self, width: f64, height: f64) -> Scene {
        const EDGE: f64 = 24.0;
        let flat: Vec<[f64; 2]> = self.points.iter().map(|&p| self.project(p)).collect();
        let [(x0, x1), (y0, y1)] = [0, 1].map(|axis| range(flat.iter().map(|p| p[axis])));
        let scale = ((width - 2.0 * EDGE) / (x1 - x0)).min((height - 2.0 * EDGE) / (y1 - y0));
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let [width, height] = [x1 - x0, y1 - y0].map(|span| span * scale + 2.0 * EDGE);
        let at = |i: usize| (EDGE + (flat[i][0] - x0) * scale, height - EDGE - (flat[i][1] - y0) * scale);
        let mut scene = Scene { width, height, shapes: Vec::new() };
        for member in [false, true] {
            let lines = self.lines.iter().filter(|l| l.2 == member).map(|l| vec![at(l.0), at(l.1)]).collect();
            let width = if member { 2.0 } else { 1.5 };
            scene.shapes.push(Shape::Strokes { lines, colour: INK, width, dashed: !member });
        }
        for &(i, fixed) in &self.held {
            let (x, y) = at(i);
            let corners = vec![(x, y), (x - 7.0, y + 11.0), (x + 7.0, y + 11.0)];
            if fixed {
                scene.shapes.push(Shape::Area { outline: corners, colour: INK, opacity: 1.0 });
            } else {
                scene.line(&[&corners[..], &corners[..1]].concat(), INK, 1.0);
            }
        }
        scene.shapes.push(Shape::Dots { at: (0..self.nodes).map(at).collect(), radius: 2.5, colour: INK });
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, at: [f64; 3], held: Held) -> Node {
        Node { name: name.into(), at, held, swings: false }
    }

    #[test]
    fn nodes_without_positions_stand_in_levels() {
        let mut structure = Structure {
            nodes: ["roof", "slab", "floor", "bob"].map(|n| node(n, [0.0; 3], Held::Free)).to_vec(),
            lines: vec![
                Line { from: 1, to: None, member: false },
                Line { from: 1, to: Some(2), member: false },
                Line { from: 2, to: Some(0), member: false },
                Line { from: 0, to: Some(3), member: false },
            ],
        };
        structure.nodes[3].swings = true;
        let drawing = structure.drawing();
        assert!(drawing.sketch && !drawing.spatial);
        assert_eq!(drawing.points[..3], [[0.0, 3.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]);
        assert_eq!(drawing.points[3], [HANGS[0], 3.0 + HANGS[1], 0.0]);
        assert_eq!(drawing.points[4], [0.0, 0.0, 0.0], "the foot of the first link");
        assert_eq!(drawing.held, [(4, true)]);
    }

    #[test]
    fn positions_are_kept_and_space_is_seen_as_such() {
        let nodes = vec![
            node("a", [0.0, 0.0, 0.0], Held::Fixed),
            node("b", [1.0, 0.0, 3.0], Held::Free),
            node("c", [0.0, 2.0, 3.0], Held::Partly),
        ];
        let lines = vec![Line { from: 0, to: Some(1), member: true }];
        let mut structure = Structure { nodes, lines };
        let drawing = structure.drawing();
        assert!(drawing.spatial && !drawing.sketch);
        assert_eq!(drawing.points[1], [1.0, 0.0, 3.0]);
        let up = drawing.project([0.0, 0.0, 1.0]);
        assert!(up[0].abs() < 1e-12 && up[1] > 0.5, "the vertical stays vertical: {up:?}");
        // Without depth the x-z plane is the plane of the picture.
        structure.nodes.truncate(2);
        let drawing = structure.drawing();
        assert!(!drawing.spatial);
        assert_eq!(drawing.project(drawing.points[1]), [1.0, 3.0]);
        assert!(drawing.svg(600.0, 400.0).matches("<path").count() == 3);
    }

    #[test]
    fn odd_structures_are_drawn_too() {
        let nothing = Structure::default().drawing();
        assert!(nothing.svg(100.0, 100.0).starts_with("<svg"));
        let wild = Structure {
            nodes: vec![node("a", [f64::NAN; 3], Held::Free)],
            lines: vec![Line { from: 7, to: Some(9), member: true }, Line { from: 0, to: Some(0), member: true }],
        };
        assert!(wild.drawing().lines.is_empty());
    }
}
