//! What moves and measures a specimen, in its place: struts from the laboratory to a body, and lines along which, or axes about which,
//! an instrument acts on nodes.

use super::{Drawing, Structure, spread};

type Vector = [f64; 3];

/// What an instrument does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It moves the specimen, with a transducer and a load cell of its own.
    Actuator,
    /// It measures a displacement.
    Transducer,
    /// It measures a force.
    LoadCell,
}

/// How an instrument acts on a node, or on the rigid body of that node.
#[derive(Clone, Debug, PartialEq)]
pub enum Acts {
    /// Between a fixed point of the laboratory and a point of the body.
    Strut {
        /// The fixed point.
        anchor: Vector,
        /// The point of the body at rest.
        attachment: Vector,
    },
    /// Its stroke is this weighted sum of the displacements and rotations of the node.
    Sum {
        /// Factors of the displacements.
        moves: Vector,
        /// Factors of the rotations.
        turns: Vector,
    },
}

/// An actuator, a transducer or a load cell.
#[derive(Clone, Debug)]
pub struct Instrument {
    /// Name.
    pub name: String,
    /// What it does.
    pub role: Role,
    /// The load that an actuator in force control holds, in words; empty: it follows targets, or it only measures.
    pub holds: String,
    /// On which nodes it acts, and how.
    pub acts: Vec<(usize, Acts)>,
}

/// Where an instrument is drawn, along the axes of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// From one point to another; `wall`: the first is fixed in the laboratory; `length`: where it is drawn shorter than it is.
    Strut { from: Vector, to: Vector, wall: bool, length: Option<f64> },
    /// Along a direction through a point.
    Line { at: Vector, along: Vector },
    /// About an axis through a point.
    Turn { at: Vector, about: Vector },
}

/// Longest strut that is drawn in full, relative to the structure: one of 100 m would leave no room for the specimen.
const LONGEST: f64 = 1.25;

/// Rotations that move nothing by more than this, relative to the displacements and the size, have no arm.
const NO_ARM: f64 = 1e-9;

impl Structure {
    /// The points of the rig that are needed to see where it is: attachments, and the lines of action.
    fn rig_points(&self) -> Vec<Vector> {
        let at = |node: usize| self.nodes.get(node).map_or([0.0; 3], |n| n.at);
        let each = self.instruments.iter().flat_map(|i| &i.acts);
        each.map(|(node, acts)| match acts {
            Acts::Strut { attachment, .. } => *attachment,
            Acts::Sum { moves, turns } => arm(*moves, *turns).map_or(at(*node), |arm| plus(at(*node), arm)),
        })
        .collect()
    }

    /// Largest extent of the structure with its rig; struts only where there is nothing else.
    pub(super) fn extent(&self) -> f64 {
        let points: Vec<Vector> = self.nodes.iter().map(|n| n.at).chain(self.rig_points()).collect();
        let size = (0..3).map(|a| spread(points.iter().map(|p| p[a]))).fold(0.0, f64::max);
        let struts = self.instruments.iter().flat_map(|i| &i.acts).filter_map(|(_, acts)| match acts {
            Acts::Strut { anchor, attachment } => Some(length(minus(*attachment, *anchor))),
            Acts::Sum { .. } => None,
        });
        if size > 0.0 { size } else { struts.filter(|l| l.is_finite()).fold(0.0, f64::max) }
    }

    /// All points of the rig that must be seen on a drawing.
    pub(super) fn rig(&self) -> Vec<Vector> {
        let anchors = self.instruments.iter().flat_map(|i| &i.acts).filter_map(|(_, acts)| match acts {
            Acts::Strut { anchor, attachment } => Some(self.drawn_anchor(*anchor, *attachment).0),
            Acts::Sum { .. } => None,
        });
        self.rig_points().into_iter().chain(anchors).collect()
    }

    /// Whether an instrument acts along this axis, and along no other.
    pub(super) fn acts_along(&self, axis: usize) -> bool {
        let only = |v: &Vector| v[axis] != 0.0 && (0..3).all(|a| a == axis || v[a] == 0.0);
        self.instruments.iter().flat_map(|i| &i.acts).any(|(_, acts)| match acts {
            Acts::Strut { anchor, attachment } => only(&minus(*attachment, *anchor)),
            Acts::Sum { moves, .. } => only(moves),
        })
    }

    /// Where the fixed end of a strut is drawn: where it is, unless that is too far away.
    fn drawn_anchor(&self, anchor: Vector, attachment: Vector) -> (Vector, Option<f64>) {
        let (reach, far) = (length(minus(attachment, anchor)), LONGEST * self.extent());
        if !(reach > far && far > 0.0) {
            return (anchor, None);
        }
        let share = 0.6 * far / reach;
        ([0, 1, 2].map(|i| attachment[i] + share * (anchor[i] - attachment[i])), Some(reach))
    }

    /// Where an instrument is drawn, once for each place in which it acts.
    pub(super) fn places(&self, drawing: &Drawing, instrument: &Instrument) -> Vec<Place> {
        if let Some(between) = self.between(drawing, instrument) {
            return vec![between];
        }
        let one = |(node, acts): &(usize, Acts)| {
            let node = *drawing.points.get(*node).filter(|_| *node < drawing.nodes)?;
            let put = |v: Vector| drawing.along(v);
            match acts {
                Acts::Strut { anchor, attachment } => {
                    let (from, length) = self.drawn_anchor(*anchor, *attachment);
                    Some(Place::Strut { from: put(from), to: put(*attachment), wall: true, length })
                }
                Acts::Sum { moves, turns } => match (length(*moves) > 0.0, length(*turns) > 0.0) {
                    (false, false) => None,
                    (false, true) => Some(Place::Turn { at: node, about: put(*turns) }),
                    (true, _) => {
                        // Nodes of a sketch stand where there is room: an arm has no length there.
                        let arm = arm(*moves, *turns).filter(|_| !drawing.sketch).unwrap_or([0.0; 3]);
                        Some(Place::Line { at: plus(node, put(arm)), along: put(*moves) })
                    }
                },
            }
        };
        instrument.acts.iter().filter_map(one).collect()
    }

    /// An instrument from one node to another, along the line through both.
    fn between(&self, drawing: &Drawing, instrument: &Instrument) -> Option<Place> {
        let [(a, Acts::Sum { moves: fa, turns: ta }), (b, Acts::Sum { moves: fb, turns: tb })] = &instrument.acts[..]
        else {
            return None;
        };
        if drawing.sketch || length(*ta) + length(*tb) > 0.0 || length(plus(*fa, *fb)) > 1e-9 * length(*fb) {
            return None;
        }
        let (from, to) = (self.nodes.get(*a)?.at, self.nodes.get(*b)?.at);
        let line = minus(to, from);
        // From the node that its extension pushes back to the one that it pushes ahead.
        let along = dot(line, *fb) / (length(line) * length(*fb));
        let (from, to) = if along > 0.0 { (from, to) } else { (to, from) };
        let straight = along.abs() > 1.0 - 1e-6;
        let (from, to) = (drawing.along(from), drawing.along(to));
        straight.then_some(Place::Strut { from, to, wall: false, length: None })
    }
}

/// From a node to the line along which forces on it have these components and these moments about the node: r = f × m / f².
fn arm(moves: Vector, turns: Vector) -> Option<Vector> {
    let f = length(moves);
    let arm = cross(moves, turns).map(|x| x / (f * f));
    (f > 0.0 && length(arm) > NO_ARM * length(turns) / f).then_some(arm)
}

pub(super) fn plus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] + b[i])
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

pub(super) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::Node;

    fn one(name: &str, acts: Acts) -> Instrument {
        Instrument { name: name.into(), role: Role::Actuator, holds: String::new(), acts: vec![(0, acts)] }
    }

    fn slab(instruments: Vec<Instrument>) -> Structure {
        Structure { nodes: vec![Node { name: "slab".into(), ..Node::default() }], instruments, ..Structure::default() }
    }

    /// Stroke = x - 2 m · rz: the actuator pushes along x on a line 2 m above the node.
    #[test]
    fn a_stroke_with_a_rotation_acts_on_a_line_beside_its_node() {
        assert_eq!(arm([1.0, 0.0, 0.0], [0.0, 0.0, -2.0]), Some([0.0, 2.0, 0.0]));
        assert_eq!(arm([0.0, 2.0, 0.0], [0.0, 0.0, 3.0]), Some([1.5, 0.0, 0.0]));
        assert_eq!(arm([1.0, 0.0, 0.0], [0.0; 3]), None);
        assert_eq!(arm([0.0; 3], [0.0, 0.0, 1.0]), None);
        let east = one("east", Acts::Sum { moves: [1.0, 0.0, 0.0], turns: [0.0, 0.0, -2.0] });
        let north = one("north", Acts::Sum { moves: [0.0, 1.0, 0.0], turns: [0.0; 3] });
        let structure = slab(vec![east.clone(), north]);
        let drawing = structure.drawing();
        assert!(!drawing.sketch, "the lines of action have places");
        let found = structure.places(&drawing, &east);
        assert_eq!(found, [Place::Line { at: drawing.along([0.0, 2.0, 0.0]), along: drawing.along([1.0, 0.0, 0.0]) }]);
    }

    #[test]
    fn a_long_strut_leaves_room_for_its_specimen() {
        let strut = |anchor: Vector, attachment: Vector| Acts::Strut { anchor, attachment };
        let far = slab(vec![
            one("far", strut([-100.0, 0.0, 0.0], [0.0; 3])),
            one("near", strut([2.0, -1.0, 0.0], [2.0, 0.0, 0.0])),
        ]);
        let (anchor, length) = far.drawn_anchor([-100.0, 0.0, 0.0], [0.0; 3]);
        assert_eq!((anchor, length), ([-1.5, 0.0, 0.0], Some(100.0)));
        assert_eq!(far.drawn_anchor([2.0, -1.0, 0.0], [2.0, 0.0, 0.0]), ([2.0, -1.0, 0.0], None));
        // Alone, it is all there is to see.
        let alone = slab(vec![one("far", strut([-100.0, 0.0, 0.0], [0.0; 3]))]);
        assert_eq!(alone.drawn_anchor([-100.0, 0.0, 0.0], [0.0; 3]), ([-100.0, 0.0, 0.0], None));
    }

    #[test]
    fn an_actuator_between_two_nodes_is_drawn_from_one_to_the_other() {
        let node = |name: &str, at: Vector| Node { name: name.into(), at, ..Node::default() };
        let nodes = vec![node("foot", [0.0; 3]), node("head", [4.0, 3.0, 0.0])];
        let sum = |s: f64| Acts::Sum { moves: [0.8 * s, 0.6 * s, 0.0], turns: [0.0; 3] };
        let brace = Instrument { acts: vec![(0, sum(-1.0)), (1, sum(1.0))], ..one("brace", sum(1.0)) };
        let across = Instrument {
            acts: vec![
                (0, Acts::Sum { moves: [-1.0, 0.0, 0.0], turns: [0.0; 3] }),
                (1, Acts::Sum { moves: [1.0, 0.0, 0.0], turns: [0.0; 3] }),
            ],
            ..brace.clone()
        };
        let structure = Structure { nodes, ..Structure::default() };
        let drawing = structure.drawing();
        let (from, to) = (drawing.points[0], drawing.points[1]);
        assert_eq!(structure.places(&drawing, &brace), [Place::Strut { from, to, wall: false, length: None }]);
        assert_eq!(structure.places(&drawing, &across).len(), 2, "a drift along x is no strut: two arrows");
    }
}
