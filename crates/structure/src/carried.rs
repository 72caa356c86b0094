//! What members carry during a run, for the pictures of a report: moments and axial forces along them, what their sections are strained to,
//! and everything of the moment at which the structure is displaced most (book: frames 6.5).
//!
//! Everything is allocated at the beginning; a step is looked at without allocating.

use std::ops::Range;

use interfield_kernel::System;
use interfield_kernel::element::beam3d::local_axes;
use interfield_kernel::frame::part::{At, Part as FrameKind};
use interfield_kernel::frame::seen::Seen;
use interfield_kernel::uniaxial::limits::Limits;
use interfield_language::model::{Coordinate, Dof, FramePart, Kind, Model, Support, short_name};
use interfield_language::signal::Motion;

use crate::assemble::Place;
use crate::assembled::{Assembled, Row, gather};

/// Places along a member at which its forces are told, evenly.
pub const STATIONS: usize = 9;

/// Axial force, N, and moments about the local z and y axes, N m, at the stations of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forces {
    /// Axial force, tension positive.
    pub axial: [f64; STATIONS],
    /// Moment about z: positive with tension at negative y.
    pub moment_z: [f64; STATIONS],
    /// Moment about y: positive with tension at positive z.
    pub moment_y: [f64; STATIONS],
}

impl Forces {
    const fn all(x: f64) -> Self {
        Forces { axial: [x; STATIONS], moment_z: [x; STATIONS], moment_y: [x; STATIONS] }
    }

    fn each(&mut self, other: &Self, f: fn(f64, f64) -> f64) {
        let pairs = [
            (&mut self.axial, &other.axial),
            (&mut self.moment_z, &other.moment_z),
            (&mut self.moment_y, &other.moment_y),
        ];
        for (mine, theirs) in pairs {
            mine.iter_mut().zip(theirs).for_each(|(x, y)| *x = f(*x, *y));
        }
    }
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the first step, after gravity.
    Start,
    /// When a displacement was largest.
    Peak,
}

/// A section of a member at a moment, or over a run.
#[derive(Clone, Debug)]
pub struct SectionState {
    /// Where along the member, 0 to 1.
    pub xi: f64,
    /// Its number in the sections of the frame.
    pub section: usize,
    /// Strains and forces at the moment.
    pub seen: Seen,
    /// Strain and stress of each of its fibres at the moment, by their numbers in the tables.
    pub fibres: Vec<(usize, f64, f64)>,
    /// Smallest and largest strain of each group of fibres over the run up to now.
    pub extremes: Vec<[f64; 2]>,
}

/// What is worst about a section: a state of one of its materials.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub enum Damage {
    /// No fibre has left its elastic range, as far as materials tell.
    #[default]
    None,
    /// A concrete that carries tension is cracked.
    Cracked,
    /// Largest strain over yield strain.
    Yielded(f64),
    /// Concrete is beyond its strength; the number is the strain over that at the strength.
    BeyondStrength(f64),
    /// Concrete carries its residual stress only; the number is the strain over that from which it does.
    Crushed(f64),
}

impl Damage {
    /// Of a material that was strained between these.
    pub fn of(limits: &Limits, [low, high]: [f64; 2]) -> Self {
        let ductility = limits.ductility(low).max(limits.ductility(high));
        if low <= limits.crushed {
            Damage::Crushed(low / limits.crushed)
        } else if low < limits.peak {
            Damage::BeyondStrength(low / limits.peak)
        } else if ductility > 1.0 {
            Damage::Yielded(ductility)
        } else if high > limits.cracked {
            Damage::Cracked
        } else {
            Damage::None
        }
    }
}

/// A member at a moment, and over a run.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Its number in the model.
    pub element: usize,
    /// Local axes x, y, z in global ones.
    pub axes: [[f64; 3]; 3],
    /// Forces at the moment.
    pub forces: Forces,
    /// Smallest and largest forces over the run up to now, each station by itself.
    pub envelope: [Forces; 2],
    /// Its sections, if it has any of fibres.
    pub sections: Vec<SectionState>,
}

/// Looks at the members of a simulation.
pub(crate) struct Members {
    watched: Vec<Watched>,
    /// For each part, which unknowns are lengths.
    lengths: Vec<Vec<bool>>,
    /// Motions of the supports of each part.
    motions: Vec<Vec<Motion>>,
    imposed: Vec<f64>,
    /// Coordinates and memories of all members at the beginning, and at the largest displacement.
    start: Vec<f64>,
    peak: Vec<f64>,
    /// The largest displacement, m, and its time, s.
    largest: (f64, f64),
    /// Whether the present moment is kept.
    keeps: bool,
}

struct Watched {
    element: usize,
    part: usize,
    /// Where its coordinates and its memory are kept.
    kept: Range<usize>,
    /// Coordinates of a part of a frame; axial force and moments of the ends of a linear beam.
    rows: Vec<Row>,
    /// These now.
    q: Vec<f64>,
    frame: Option<(Box<FramePart>, Range<usize>)>,
    axes: [[f64; 3]; 3],
    envelope: [Forces; 2],
    sections: Vec<Strained>,
}

/// A section with fibres.
struct Strained {
    point: usize,
    section: usize,
    /// For each group corners of the hull of its fibres (y, z), and its smallest and largest strain.
    groups: Vec<(Vec<[f64; 2]>, [f64; 2])>,
}

/// A part of a structure as its members are found in it.
pub(crate) struct Home<'a> {
    pub(crate) model: &'a Model,
    /// Its elements in the whole model, those in the loop, and its unknowns.
    pub(crate) elements: &'a [usize],
    pub(crate) looped: &'a [usize],
    pub(crate) free: &'a [usize],
    pub(crate) places: &'a [Place],
    pub(crate) system: &'a Assembled,
}

impl Members {
    pub(crate) fn new(homes: &[Home<'_>]) -> Self {
        let (mut watched, mut size) = (Vec::new(), 0);
        let mut lengths = Vec::new();
        let mut motions: Vec<Vec<Motion>> = Vec::new();
        for (part, home) in homes.iter().enumerate() {
            for e in 0..home.model.elements.len() {
                if let Some(member) = watch(home, part, e, size) {
                    size = member.kept.end;
                    watched.push(member);
                }
            }
            lengths.push(home.free.iter().map(|&d| !home.model.dofs[d].angle).collect());
            let motion = |d: &Dof| match &d.support {
                Support::Imposed(m) => Some(m.clone()),
                _ => None,
            };
            motions.push(home.model.dofs.iter().filter_map(motion).collect());
        }
        let most = motions.iter().map(Vec::len).max().unwrap_or(0);
        let [start, peak] = [(); 2].map(|()| vec![0.0; size]);
        Members { watched, lengths, motions, imposed: vec![0.0; most], start, peak, largest: (-1.0, 0.0), keeps: true }
    }

    /// Whether there is nothing to look at.
    pub(crate) fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// Looks at the members of a part at time `t` and displacements `u`; everything of them is kept if this is a moment to keep.
    pub(crate) fn look(&mut self, part: usize, system: &Assembled, t: f64, u: &[f64]) {
        for (x, motion) in self.imposed.iter_mut().zip(&self.motions[part]) {
            *x = motion.at(t)[0];
        }
        let keep = self.keeps;
        for w in self.watched.iter_mut().filter(|w| w.part == part) {
            w.q.iter_mut().zip(&w.rows).for_each(|(q, row)| *q = gather(row, u, &self.imposed));
            let memory = w.frame.as_ref().map_or(&[][..], |(_, range)| &system.memory()[range.clone()]);
            let forces = w.forces(&w.q, memory);
            let [low, high] = &mut w.envelope;
            low.each(&forces, f64::min);
            high.each(&forces, f64::max);
            w.strain(t, memory);
            let (q, rest) = self.peak[w.kept.clone()].split_at_mut(w.rows.len());
            if keep {
                q.copy_from_slice(&w.q);
                rest.copy_from_slice(memory);
            }
        }
    }

    /// A step has been taken and the structure is displaced so far at most: is this a moment to keep?
    pub(crate) fn decide(&mut self, t: f64, displaced: f64) {
        self.keeps = displaced.is_finite() && displaced > self.largest.0;
        if self.keeps {
            self.largest = (displaced, t);
        }
    }

    /// The first moment, which all parts have been looked at for, is that of gravity.
    pub(crate) fn begin(&mut self) {
        self.start.copy_from_slice(&self.peak);
    }

    /// How far a part is displaced most, m.
    pub(crate) fn displaced(&self, part: usize, u: &[f64]) -> f64 {
        self.lengths[part].iter().zip(u).filter(|(length, _)| **length).fold(0.0, |most, (_, u)| most.max(u.abs()))
    }

    /// Time of the largest displacement, s.
    pub(crate) fn peak_time(&self) -> f64 {
        self.largest.1
    }

    /// All members at a moment.
    pub(crate) fn at(&self, when: When) -> Vec<Carried> {
        let (kept, t) = match when {
            When::Start => (&self.start, 0.0),
            When::Peak => (&self.peak, self.largest.1),
        };
        self.watched.iter().map(|w| w.carried(&kept[w.kept.clone()], t)).collect()
    }
}

impl Watched {
    /// Forces along it, from its coordinates and its memory.
    fn forces(&self, q: &[f64], memory: &[f64]) -> Forces {
        let mut forces = Forces::all(0.0);
        let (load, length, ends) = match &self.frame {
            // Axial force and moments of both ends are its coordinates.
            None => ([0.0; 3], 0.0, [q[0], q[1], q[2], q[3], q[4], q[5]]),
            Some((frame, _)) => {
                let p = &memory[memory.len() - frame.part.size()..];
                let length = frame.part.member().map_or(0.0, |m| m.length);
                let ends = match frame.part {
                    FrameKind::Plane(..) => [-p[0], p[3], -p[2], p[5], 0.0, 0.0],
                    FrameKind::Space(..) => [-p[0], p[6], -p[5], p[11], -p[4], p[10]],
                    // A bar: its force has the sign of its elongation's conjugate.
                    _ => {
                        let n = p.iter().map(|x| x * x).sum::<f64>().sqrt().copysign(p[0]);
                        [n, n, 0.0, 0.0, 0.0, 0.0]
                    }
                };
                (frame.load, length, ends)
            }
        };
        for i in 0..STATIONS {
            let xi = i as f64 / (STATIONS - 1) as f64;
            let bow = 0.5 * length * length * xi * (xi - 1.0);
            let along = |a: f64, b: f64| a + xi * (b - a);
            forces.axial[i] = along(ends[0], ends[1]);
            forces.moment_z[i] = along(ends[2], ends[3]) + load[1] * bow;
            forces.moment_y[i] = along(ends[4], ends[5]) - load[2] * bow;
        }
        forces
    }

    /// Takes the strains of its sections now into their extremes.
    fn strain(&mut self, t: f64, memory: &[f64]) {
        let Some((frame, _)) = &self.frame else { return };
        let tables = frame.sections.tables();
        for s in &mut self.sections {
            let at = At { t, q: &self.q, v: &[], calm: 0.0, load: frame.load };
            let Some(e) = frame.part.strains(&tables, memory, at, s.point) else { continue };
            for (corners, [low, high]) in &mut s.groups {
                for [y, z] in corners {
                    let strain = e[0] - *y * e[1] + *z * e[2];
                    (*low, *high) = (low.min(strain), high.max(strain));
                }
            }
        }
    }

    /// It at a moment of which these numbers were kept.
    fn carried(&self, kept: &[f64], t: f64) -> Carried {
        let (q, memory) = kept.split_at(self.rows.len());
        let mut sections = Vec::new();
        if let Some((frame, _)) = &self.frame {
            let tables = frame.sections.tables();
            let mut trial = vec![0.0; memory.len()];
            for s in &self.sections {
                let at = At { t, q, v: &[], calm: 0.0, load: frame.load };
                let Some(seen) = frame.part.seen(&tables, memory, at, s.point, &mut trial) else { continue };
                let section = &tables.sections[s.section];
                let history = &memory[seen.history.0..seen.history.1];
                let fibre = |f: usize| {
                    section.fibre(&tables, history, &seen.strains, t, f).map(|(strain, stress)| (f, strain, stress))
                };
                let numbers = section.groups(&tables).iter().flat_map(|g| g.first..g.first + g.count);
                sections.push(SectionState {
                    xi: frame.part.member().map_or(0.0, |m| m.rule.xi[s.point]),
                    section: s.section,
                    seen,
                    fibres: numbers.filter_map(fibre).collect(),
                    extremes: s.groups.iter().map(|g| g.1).collect(),
                });
            }
        }
        let (element, axes, envelope) = (self.element, self.axes, self.envelope);
        Carried { element, axes, forces: self.forces(q, memory), envelope, sections }
    }
}

/// An element as a member that is looked at, if it is one: it keeps its numbers from `first` on.
fn watch(home: &Home<'_>, part: usize, e: usize, first: usize) -> Option<Watched> {
    let element = &home.model.elements[e];
    let row = |c: &Coordinate| -> Row {
        let n = home.free.len();
        let place = |&(d, f): &(usize, f64)| match home.places[d] {
            Place::Free(i) => Some((i as u32, f)),
            Place::Imposed(i) => Some(((n + i) as u32, f)),
            Place::Fixed => None,
        };
        home.model.resolved(c).iter().filter_map(place).collect()
    };
    let envelope = [Forces::all(f64::INFINITY), Forces::all(f64::NEG_INFINITY)];
    let whole = home.elements.get(e).copied()?;
    match &element.kind {
        Kind::Frame { frame, coordinates } => {
            let carries = frame.part.member().is_some() || element.type_name == "bar";
            let range =
                carries.then(|| home.looped.iter().position(|&l| l == e))?.map(|l| home.system.memory_range(l))?;
            let rows: Vec<Row> = coordinates.iter().map(row).collect();
            let kept = first..first + rows.len() + range.len();
            let axes = axes_of(home.model, coordinates);
            let frame = Some((frame.clone(), range));
            let sections = frame.as_ref().map_or_else(Vec::new, |f| strained(&f.0));
            let q = vec![0.0; rows.len()];
            Some(Watched { element: whole, part, kept, rows, q, frame, axes, envelope, sections })
        }
        Kind::Linear { dofs, stiffness, .. } if element.type_name.starts_with("beam") => {
            let (axes, ends) = beam(home.model, dofs, stiffness)?;
            let rows: Vec<Row> = ends.iter().map(row).collect();
            let kept = first..first + rows.len();
            let q = vec![0.0; rows.len()];
            let sections = Vec::new();
            Some(Watched { element: whole, part, kept, rows, q, frame: None, axes, envelope, sections })
        }
        _ => None,
    }
}

/// The local axes of a part of a frame, as its first coordinates have them.
pub fn axes_of(model: &Model, coordinates: &[Coordinate]) -> [[f64; 3]; 3] {
    let mut axes = [[0.0; 3]; 3];
    for (axis, coordinate) in axes.iter_mut().zip(coordinates) {
        // The first end of a member has its displacement in them; a bar has minus that.
        for &(d, f) in coordinate {
            let along = ["x", "y", "z"].iter().position(|n| *n == short_name(&model.dofs[d].name));
            if let Some(i) = along.filter(|i| !model.dofs[d].angle && axis[*i] == 0.0) {
                axis[i] = f;
            }
        }
    }
    if axes[2] == [0.0; 3] {
        axes[2] = [0.0, 0.0, 1.0];
    }
    axes
}

/// Local axes of a linear beam, and its axial forces and moments at both ends as sums over degrees of freedom: N i, N j, Mz i, Mz j, My i,
/// My j. In space the axes are those that a member has by default.
fn beam(model: &Model, dofs: &[usize], stiffness: &[f64]) -> Option<([[f64; 3]; 3], [Coordinate; 6])> {
    let n = dofs.len();
    let (half, space) = match n {
        6 => (3, false),
        12 => (6, true),
        _ => return None,
    };
    let place = |d: usize| model.nodes.iter().find(|node| node.dofs.iter().any(|x| x.1 == d)).map(|node| node.at);
    let (a, b) = (place(dofs[0])?, place(dofs[half])?);
    let axes = if space {
        local_axes(None, a, b).ok()?.1
    } else {
        let l = (b[0] - a[0]).hypot(b[1] - a[1]);
        let (c, s) = ((b[0] - a[0]) / l, (b[1] - a[1]) / l);
        [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]
    };
    // Forces on some rows of the stiffness, weighed.
    let sum = |first: usize, weights: &[f64]| -> Coordinate {
        let column =
            |j: usize| weights.iter().enumerate().map(|(i, w)| w * stiffness[(first + i) * n + j]).sum::<f64>();
        (0..n).map(|j| (dofs[j], column(j))).filter(|c| c.1 != 0.0).collect()
    };
    let minus = |v: [f64; 3]| v.map(|x| -x);
    let moves = if space { 3 } else { 2 };
    let axial = [sum(0, &minus(axes[0])[..moves]), sum(half, &axes[0][..moves])];
    let about = |axis: usize| match (space, axis) {
        (true, _) => [sum(3, &minus(axes[axis])), sum(half + 3, &axes[axis])],
        (false, 2) => [sum(2, &[-1.0]), sum(5, &[1.0])],
        (false, _) => [Coordinate::new(), Coordinate::new()],
    };
    let ([n0, n1], [z0, z1], [y0, y1]) = (axial, about(2), about(1));
    Some((axes, [n0, n1, z0, z1, y0, y1]))
}

/// The sections of a member that have fibres.
fn strained(frame: &FramePart) -> Vec<Strained> {
    let Some(member) = frame.part.member() else { return Vec::new() };
    let tables = frame.sections.tables();
    let flat = matches!(frame.part, FrameKind::Plane(..));
    let of = |point: usize| {
        let section = member.rule.section[point];
        let groups = tables.sections[section].groups(&tables).iter().map(|g| {
            let at = |f: usize| [tables.y[f], if flat { 0.0 } else { tables.z[f] }];
            (hull((g.first..g.first + g.count).map(at).collect()), [f64::INFINITY, f64::NEG_INFINITY])
        });
        Strained { point, section, groups: groups.collect() }
    };
    (0..member.rule.count).map(of).filter(|s| !s.groups.is_empty()).collect()
}

/// Corners of the convex hull: a strain that is linear over a section is largest at one of them (A. M. Andrew, Inf. Process. Lett. 9(5),
/// 1979).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |o: [f64; 2], a: [f64; 2], b: [f64; 2]| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain
    };
    let (mut lower, mut upper) = (half(&mut points.iter().copied()), half(&mut points.iter().rev().copied()));
    lower.pop();
    upper.pop();
    lower.extend(upper);
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_has_the_corners_alone() {
        let grid = (0..25).map(|i| [f64::from(i % 5), f64::from(i / 5)]).collect();
        let mut found = hull(grid);
        found.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        assert_eq!(found, [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 4.0]]);
        assert_eq!(hull(vec![[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]]).len(), 2, "in a line");
    }

    #[test]
    fn damage_is_what_is_worst() {
        let concrete = Limits { peak: -0.002, crushed: -0.006, cracked: 1e-4, ..Limits::NONE };
        let steel = Limits { compression: -0.002, tension: 0.002, ..Limits::NONE };
        assert_eq!(Damage::of(&concrete, [-0.001, 0.0]), Damage::None);
        assert_eq!(Damage::of(&concrete, [-0.001, 0.01]), Damage::Cracked);
        assert_eq!(Damage::of(&concrete, [-0.003, 0.0]), Damage::BeyondStrength(1.5));
        assert_eq!(Damage::of(&concrete, [-0.012, 0.0]), Damage::Crushed(2.0));
        assert_eq!(Damage::of(&steel, [-0.001, 0.008]), Damage::Yielded(4.0));
        assert_eq!(Damage::of(&steel, [0.0, 0.002]), Damage::None);
        assert!(Damage::Crushed(1.0) > Damage::BeyondStrength(9.0) && Damage::Yielded(3.0) > Damage::Yielded(2.0));
    }
}
