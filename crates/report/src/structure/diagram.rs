//! What members carry, drawn on the structure: diagrams of forces along them, and the state of their sections on the deformed shape.

use super::labels::Labels;
use super::sheet::Sheet;
use super::{Drawing, Edge, Ends, SPACE, bent};
use crate::letters::{width, wrapped};
use crate::scale::{range, short};
use crate::scene::{Anchor, BLUE, Colour, FAINT, GREEN, INK, Point, SPECIMEN, Scene, Shape, Text};
use crate::{Motion, scene};

/// Size of a picture: its width, the most its structure takes, what is left free around it, pixels.
const WIDTH: f64 = 620.0;
const HIGHEST: f64 = 400.0;
const EDGE: f64 = 58.0;
/// Letters.
const SIZE: f64 = 11.0;
const LINE: f64 = 16.0;
/// How far the largest value of a diagram stands out from its member, as a share of the structure.
const STANDS: f64 = 0.13;
/// Values smaller than this share of the largest are not told.
const TOLD: f64 = 0.04;
/// Members beyond which only the largest values are told.
const CROWD: usize = 40;

/// A quantity along a line of the structure.
#[derive(Clone, Debug)]
pub struct Along {
    /// The line.
    pub line: usize,
    /// Values at even places along it: one curve of a moment, two of an envelope.
    pub curves: Vec<Vec<f64>>,
    /// The side to which positive values are drawn, along the axes of the structure.
    pub side: [f64; 3],
}

/// The state of a place on a member.
#[derive(Clone, Debug)]
pub struct Station {
    /// The line.
    pub line: usize,
    /// Where along it, 0 to 1.
    pub share: f64,
    /// What it is called in the legend: states in their order, the worst last.
    pub state: usize,
    /// What shows where the pointer rests.
    pub title: String,
}

/// Places in space, one after the other.
type Course = Vec<[f64; 3]>;

/// Colours of states, from the harmless to the worst.
const STATES: [Colour; 5] = [FAINT, GREEN, [0xe6, 0x9f, 0x00], SPECIMEN, [0xb0, 0x00, 0x20]];

/// How a drawing is put on paper.
struct View {
    direction: [f64; 2],
    scale: f64,
    origin: [f64; 2],
    corner: Point,
}

impl View {
    /// So that all points are seen, below `top`.
    fn of(points: &[[f64; 3]], direction: [f64; 2], top: f64) -> (Self, f64) {
        let flat: Vec<[f64; 2]> = points.iter().map(|p| Drawing::project(*p, direction)).collect();
        let [(x0, x1), (y0, y1)] = [0, 1].map(|a| range(flat.iter().map(|p| p[a]).filter(|x| x.is_finite())));
        let fits = ((WIDTH - 2.0 * EDGE) / (x1 - x0)).min(HIGHEST / (y1 - y0));
        let scale = if fits.is_finite() { fits } else { 1.0 };
        let left = 0.5 * (WIDTH - (x1 - x0) * scale);
        let view = View { direction, scale, origin: [x0, y1], corner: (left, top + 24.0) };
        let bottom = view.corner.1 + (y1 - y0) * scale;
        (view, bottom)
    }

    fn at(&self, p: [f64; 3]) -> Point {
        let [x, y] = Drawing::project(p, self.direction);
        (self.corner.0 + (x - self.origin[0]) * self.scale, self.corner.1 + (self.origin[1] - y) * self.scale)
    }
}

impl Drawing {
    /// A quantity along members, on the structure at rest. `unit` is told with every title; values are in it.
    pub fn diagram(&self, title: &str, members: &[Along], unit: &str) -> Sheet {
        let largest = members.iter().flat_map(|m| m.curves.iter().flatten()).fold(0.0, |m: f64, x| m.max(x.abs()));
        let stands = if largest > 0.0 && largest.is_finite() { STANDS * self.size() / largest } else { 0.0 };
        let edges: Vec<(&Along, &Edge)> =
            members.iter().filter_map(|m| Some((m, self.edges.iter().find(|e| e.line == m.line)?))).collect();
        let direction = self.seen_from(&edges);
        let curves: Vec<(usize, Course, &[f64])> = edges
            .iter()
            .enumerate()
            .flat_map(|(i, (m, e))| m.curves.iter().map(move |c| (i, self.offset(e, c, m.side, stands), &c[..])))
            .collect();
        let all: Vec<[f64; 3]> =
            self.points.iter().copied().chain(curves.iter().flat_map(|c| c.1.iter().copied())).collect();
        let mut scene = Scene { width: WIDTH, height: 0.0, shapes: Vec::new() };
        let top = heading(&mut scene, title);
        let (view, bottom) = View::of(&all, direction, top);
        let mut labels = Labels::within([2.0, top, WIDTH - 2.0, bottom + 30.0]);
        self.bare(&mut scene, &view, &mut labels, None);
        for (i, points, _) in &curves {
            let base = edges[*i].1.ends.map(|p| view.at(self.points[p]));
            let line: Vec<Point> = points.iter().map(|p| view.at(*p)).collect();
            let outline = [&[base[0]], &line[..], &[base[1]]].concat();
            scene.shapes.push(Shape::Area { outline: outline.clone(), colour: BLUE, opacity: 0.18 });
            scene.line(&outline, BLUE, 1.2);
            labels.take_line(&line);
        }
        let crowded = edges.len() > CROWD;
        let mut told: Vec<(f64, Point)> = curves
            .iter()
            .flat_map(|(_, points, values)| extremes(values).into_iter().map(|k| (values[k], view.at(points[k]))))
            .filter(|(value, _)| value.abs() > if crowded { 0.5 } else { TOLD } * largest)
            .collect();
        // The largest are told first, where there is most room.
        told.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let mut missed = false;
        for (value, at) in told {
            match labels.place(&short(value), at, 3.0, SIZE, INK) {
                Some(text) => scene.shapes.push(Shape::Text(text)),
                None => missed = true,
            }
        }
        let more = if missed || crowded { " Not every value has room." } else { "" };
        let words = match largest {
            0.0 => format!("Zero in all members [{unit}]."),
            _ => format!("Values in {unit}; the largest is {}.{more}", short(largest)),
        };
        finish(&mut scene, bottom + 26.0, &words);
        Sheet(scene)
    }

    /// The direction from which diagrams are seen best: what stands out towards the reader would not be seen from the front.
    fn seen_from(&self, edges: &[(&Along, &Edge)]) -> [f64; 2] {
        let mut state = vec![0.0f32; 6 * self.nodes];
        for (m, e) in edges {
            let most = m.curves.iter().flatten().filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
            let side = self.along(m.side);
            for node in e.ends.into_iter().filter(|n| *n < self.nodes) {
                (0..3).for_each(|a| state[6 * node + a] += (most * side[a]).abs() as f32);
            }
        }
        self.direction(&Motion::Shapes(vec![(String::new(), state)]))
    }

    /// The course of a curve beside its member.
    fn offset(&self, edge: &Edge, values: &[f64], side: [f64; 3], stands: f64) -> Vec<[f64; 3]> {
        let [a, b] = edge.ends.map(|p| self.points[p]);
        let side = self.along(side);
        let last = values.len().saturating_sub(1).max(1) as f64;
        let place = |(k, value): (usize, &f64)| {
            let value = if value.is_finite() { *value } else { 0.0 };
            [0, 1, 2].map(|i| a[i] + k as f64 / last * (b[i] - a[i]) + stands * value * side[i])
        };
        values.iter().enumerate().map(place).collect()
    }

    /// The state of places on the structure, displaced by `state` (six numbers for each node, as [`Motion`] has them), with what the states
    /// are called.
    pub fn stations(&self, title: &str, state: &[f32], stations: &[Station], states: &[String]) -> Sheet {
        let motion = Motion::Shapes(vec![(String::new(), state.to_vec())]);
        let direction = self.direction(&motion);
        let far = |d: &[f32]| d[..3].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let magnified = self.magnification(state.chunks_exact(6).map(far).fold(0.0, f64::max));
        let moved = (magnified > 0.0).then_some((state, magnified));
        let mut all = self.points.clone();
        all.extend(self.edges.iter().flat_map(|e| self.course(e, moved)));
        let mut scene = Scene { width: WIDTH, height: 0.0, shapes: Vec::new() };
        let top = heading(&mut scene, title);
        let (view, bottom) = View::of(&all, direction, top);
        let mut labels = Labels::within([2.0, top, WIDTH - 2.0, bottom + 30.0]);
        self.bare(&mut scene, &view, &mut labels, moved);
        let mut sorted: Vec<&Station> = stations.iter().collect();
        // What is worst lies on top.
        sorted.sort_by_key(|s| s.state);
        for s in sorted {
            let Some(edge) = self.edges.iter().find(|e| e.line == s.line) else { continue };
            let at = view.at(self.on(edge, moved, s.share));
            let level = s.state.min(STATES.len() - 1);
            let radius = if level == 0 { 2.6 } else { 5.0 };
            let dot = Shape::Dots { at: vec![at], radius, colour: STATES[level] };
            scene.shapes.push(Shape::Group { class: "station".to_owned(), title: s.title.clone(), shapes: vec![dot] });
        }
        let mut left = 20.0;
        let y = bottom + 30.0;
        let present = |i: &usize| stations.iter().any(|s| s.state == *i);
        let mut row = y;
        for i in (0..states.len()).filter(present) {
            if left + 20.0 + width(&states[i], SIZE) > WIDTH - 10.0 {
                (left, row) = (20.0, row + LINE);
            }
            scene.shapes.push(Shape::Dots {
                at: vec![(left, row)],
                radius: if i == 0 { 2.6 } else { 5.0 },
                colour: STATES[i.min(STATES.len() - 1)],
            });
            scene.text(&states[i], (left + 10.0, row + 0.35 * SIZE), Anchor::Start, SIZE);
            left += 26.0 + width(&states[i], SIZE);
        }
        let words = format!("Displacements are drawn {} times.", short(magnified.max(1.0)));
        finish(&mut scene, row + 8.0, &words);
        Sheet(scene)
    }

    /// A place on a member that is displaced.
    fn on(&self, edge: &Edge, state: Option<(&[f32], f64)>, share: f64) -> [f64; 3] {
        let end = |i: usize| {
            let at = |k: usize| state.and_then(|(s, m)| Some(m * f64::from(*s.get(6 * i + k)?))).unwrap_or(0.0);
            (self.points[i], [at(0), at(1), at(2)], [at(3), at(4), at(5)])
        };
        bent(&Ends { at: edge.ends.map(end), hinges: edge.hinges }, share)
    }

    /// The structure in lines, displaced over the one at rest.
    fn bare(&self, scene: &mut Scene, view: &View, labels: &mut Labels, moved: Option<(&[f32], f64)>) {
        let lines = |state| -> Vec<Vec<Point>> {
            self.edges.iter().map(|e| self.course(e, state).into_iter().map(|p| view.at(p)).collect()).collect()
        };
        let rest = lines(None);
        rest.iter().for_each(|l| labels.take_line(l));
        if moved.is_some() {
            scene.shapes.push(Shape::Strokes { lines: rest, colour: FAINT, width: 0.8, dashed: true });
        }
        let ink = if moved.is_some() { lines(moved) } else { lines(None) };
        scene.shapes.push(Shape::Strokes { lines: ink, colour: INK, width: 1.6, dashed: false });
        for (i, support) in &self.supports {
            support.symbol(view.direction).draw(scene, view.at(self.points[*i]), scene::INK);
        }
        // What a view in space shows of the axes.
        if self.front == SPACE {
            self.triad(scene, view);
        }
    }

    /// The axes, as they are seen, in the lower left corner.
    fn triad(&self, scene: &mut Scene, view: &View) {
        let from = (24.0, 60.0);
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let unit = self.along([0, 1, 2].map(|b| f64::from(u8::from(axis == b))));
            let [x, y] = Drawing::project(unit, view.direction);
            let to = (from.0 + 20.0 * x, from.1 - 20.0 * y);
            scene.line(&[from, to], FAINT, 1.0);
            scene.text(name, (from.0 + 27.0 * x, from.1 - 27.0 * y + 4.0), Anchor::Middle, 10.0);
        }
    }
}

/// Places of a curve that are told: its ends, and an extreme between them.
fn extremes(values: &[f64]) -> Vec<usize> {
    let last = values.len().saturating_sub(1);
    let most = (0..values.len()).max_by(|a, b| values[*a].abs().total_cmp(&values[*b].abs())).unwrap_or(0);
    // One value along the whole member is told in its middle.
    let (low, high) = range(values.iter().copied());
    if high - low <= 1e-6 * high.abs().max(low.abs()) {
        return vec![last / 2];
    }
    // Between the ends a curve may turn.
    let turns = (1..last).filter(|&k| (values[k] - values[k - 1]) * (values[k + 1] - values[k]) < 0.0);
    let turn = turns.max_by(|a, b| values[*a].abs().total_cmp(&values[*b].abs()));
    let mut found: Vec<usize> = [Some(0), Some(last), turn, Some(most)].into_iter().flatten().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A title; where it ends below.
fn heading(scene: &mut Scene, title: &str) -> f64 {
    let lines = wrapped(title, 13.0, WIDTH - 30.0);
    for (i, line) in lines.iter().enumerate() {
        let text = Text::new(line.as_str(), (14.0, 20.0 + LINE * i as f64), Anchor::Start, 13.0);
        scene.shapes.push(Shape::Text(Text { bold: true, ..text }));
    }
    14.0 + LINE * lines.len() as f64
}

/// A remark below all.
fn finish(scene: &mut Scene, mut y: f64, words: &str) {
    for line in wrapped(words, 10.0, WIDTH - 30.0) {
        y += 14.0;
        let text = Text::new(line, (14.0, y), Anchor::Start, 10.0);
        scene.shapes.push(Shape::Text(Text { colour: FAINT, ..text }));
    }
    scene.height = y + 12.0;
}

#[cfg(test)]
mod tests {
    use super::super::{Hold, Holds, Kind, Line, Node, Structure};
    use super::*;

    /// A girder along x on two piers, in the plane of x and z.
    fn girder() -> Drawing {
        let held = Holds { moves: [Hold::Free; 3], turns: [Hold::Free; 3] };
        let node = |name: &str, at: [f64; 3]| Node { name: name.into(), at, held, ..Node::default() };
        let nodes = vec![node("a", [0.0, 0.0, 0.0]), node("b", [20.0, 0.0, 0.0]), node("foot", [20.0, 0.0, -6.0])];
        let line = |name: &str, from, to| Line {
            name: name.into(),
            from,
            to: Some(to),
            kind: Kind::Member,
            ..Line::default()
        };
        Structure { nodes, lines: vec![line("girder", 0, 1), line("pier", 2, 1)], ..Structure::default() }.drawing()
    }

    fn heights(sheet: &Sheet) -> (f64, f64) {
        let areas = sheet.0.shapes.iter().filter_map(|s| match s {
            Shape::Area { outline, .. } => Some(outline.clone()),
            _ => None,
        });
        range(areas.flatten().map(|p| p.1))
    }

    /// Moments of a girder that bends sideways stand out towards the reader: it is seen from aside, and they are seen.
    #[test]
    fn diagrams_towards_the_reader_are_seen() {
        let along = |side| vec![Along { line: 0, curves: vec![vec![0.0, 5.0, 0.0]], side }];
        for side in [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let sheet = girder().diagram("", &along(side), "kN");
            let (low, high) = heights(&sheet);
            assert!(high - low > 12.0, "{side:?}: {low} {high}");
            assert!(sheet.svg().contains(">5</text>"));
        }
    }

    #[test]
    fn zero_and_what_is_no_number_are_drawn_as_nothing() {
        for value in [0.0, f64::NAN, f64::INFINITY] {
            let along = vec![Along { line: 0, curves: vec![vec![value; 3]], side: [0.0, 0.0, 1.0] }];
            let svg = girder().diagram("", &along, "kN").svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{value}: {svg}");
        }
    }

    #[test]
    fn the_worst_state_lies_on_top_and_only_states_that_are_there_are_told() {
        let station = |state| Station { line: 0, share: 0.5, state, title: format!("state {state}") };
        let names = ["none", "cracked", "yielded"].map(str::to_owned);
        let svg = girder().stations("", &[0.0; 18], &[station(2), station(0)], &names).svg();
        assert!(svg.find("state 0").unwrap() < svg.find("state 2").unwrap());
        assert!(svg.contains(">yielded<") && !svg.contains(">cracked<"));
    }

    #[test]
    fn values_are_told_where_a_curve_ends_and_turns() {
        assert_eq!(extremes(&[1.0, 3.0, 2.0]), [0, 1, 2]);
        assert_eq!(extremes(&[2.0; 5]), [2], "once where it is constant");
        assert_eq!(extremes(&[-1.0, 0.0, 1.0]), [0, 2]);
    }
}
