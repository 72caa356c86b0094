//! Parts of nonlinear frames in the loop. A part remembers its history, and behind it the coordinates and the forces of its last
//! evaluation.

use interfield_kernel::element::{Element, Tangent};
use interfield_kernel::fault::Place;
use interfield_kernel::frame::Tables;
use interfield_kernel::frame::part::{At, SIZE};
use interfield_kernel::{Point, Shift};
use interfield_language::model::FramePart;

use super::element::{Entry, Stored, gather, mul_add};
use super::{Assembled, wide};

/// Numbers that a part remembers.
pub(super) fn memory(frame: &FramePart) -> usize {
    frame.part.memory(&frame.sections.tables()) + 2 * frame.part.size()
}

/// Writes what a part remembers at the coordinates `q` at the beginning: what loads left that are there from the beginning, or it
/// has come there from rest in one increment.
pub(super) fn start(frame: &FramePart, t: f64, q: &[f64], memory: &mut [f64]) {
    if !frame.rest.is_empty() {
        memory.copy_from_slice(&frame.rest);
        return;
    }
    let d = frame.part.size();
    let (history, last) = memory.split_at_mut(memory.len() - 2 * d);
    frame.part.start(&frame.sections.tables(), history);
    last.fill(0.0);
    if q.iter().any(|q| *q != 0.0) {
        let rest = memory.to_vec();
        let at = At { t, q, v: &[], calm: CALM, load: [0.0; 3] };
        moved(frame, (&rest, memory), at, &mut vec![0.0; d * d]);
    }
}

/// Rate below which a power of the rate is linear in schemes that do not iterate, m/s (rad/s): with the tangent of rest, which they
/// keep, they would not follow a vertical one.
const CALM: f64 = 1e-3;

/// Moves a part from what it remembers to a point: coordinates and forces behind the history of `next`, tangent to `k`.
pub(super) fn moved(frame: &FramePart, (memory, next): (&[f64], &mut [f64]), at: At<'_>, k: &mut [f64]) {
    let d = frame.part.size();
    let (history, last) = next.split_at_mut(memory.len() - 2 * d);
    let (coordinates, forces) = last.split_at_mut(d);
    coordinates.copy_from_slice(at.q);
    let tables = Tables { program: wide::program(), ..frame.sections.tables() };
    frame.part.evaluate(&tables, (&memory[..memory.len() - 2 * d], history), at, forces, k);
}

/// A part that was never moved, as an element.
pub(super) struct AtRest<'a>(pub(super) &'a FramePart);

impl AtRest<'_> {
    fn evaluated(&self, at: At<'_>) -> (Vec<f64>, Vec<f64>) {
        let FramePart { part, sections, .. } = self.0;
        let (d, tables) = (part.size(), sections.tables());
        let mut history = vec![0.0; part.memory(&tables)];
        part.start(&tables, &mut history);
        let (mut next, mut p, mut k) = (history.clone(), vec![0.0; d], vec![0.0; d * d]);
        part.evaluate(&tables, (&history, &mut next), at, &mut p, &mut k);
        (p, k)
    }
}

/// At the beginning, without motion.
fn at_rest(q: &[f64]) -> At<'_> {
    At { t: 0.0, q, v: &[], calm: CALM, load: [0.0; 3] }
}

impl Element for AtRest<'_> {
    fn size(&self) -> (usize, usize) {
        (self.0.part.size(), 0)
    }

    fn has_mass(&self) -> bool {
        false
    }

    fn response(&self, _: f64, q: &[f64], _: &[f64], _: &[f64], p: &mut [f64], _: &mut [f64]) {
        p.copy_from_slice(&self.evaluated(at_rest(q)).0);
    }

    /// At no deformation: the stiffness of the materials, without the geometry.
    fn tangent(&self, _: f64, q: &[f64], _: &[f64], _: &[f64], _: &[f64], out: Tangent<'_>) {
        let rest = vec![0.0; q.len()];
        out.k.copy_from_slice(&self.evaluated(at_rest(&rest)).1);
        let FramePart { part, sections, .. } = self.0;
        let tables = sections.tables();
        let mut history = vec![0.0; part.memory(&tables)];
        part.start(&tables, &mut history);
        part.damping(&tables, &history, at_rest(&rest), out.c);
    }

    fn mass(&self, _: &[f64], m: &mut [f64]) {
        m.fill(0.0);
    }
}

impl Assembled {
    /// Moves a part of a frame to `at` and adds its forces.
    pub(super) fn frame_force(
        &self,
        (e, frame): (&Entry, &FramePart),
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        (memory, ahead): (&mut [f64], &mut Ahead),
        r: &mut [f64],
    ) -> Option<Place> {
        let d = e.d;
        let [mut q, v] = self.motion(e, at);
        let mine = &mut memory[e.memory0..e.memory0 + e.memory];
        // Newton has asked for the tangent at this very point, and the part was moved there for it from where it stands again.
        let known = self.iterated && self.rewound && ahead.is_at(e, [&q[..d], &v[..d]]);
        if !known {
            let mut k = [0.0; SIZE * SIZE];
            let next = &mut ahead.memory[e.memory0..e.memory0 + e.memory];
            moved(frame, (mine, next), self.at((e, frame), at.t, [&q, &v]), &mut k[..d * d]);
        }
        // What was said last is kept in any case, the history if this is no trial.
        let kept = if self.trial { e.memory - 2 * d } else { 0 };
        mine[kept..].copy_from_slice(&ahead.memory[e.memory0 + kept..e.memory0 + e.memory]);
        let mut p = [0.0; SIZE];
        p[..d].copy_from_slice(&mine[e.memory - d..]);
        let bad = p.iter().any(|p| !p.is_finite()).then_some(Place::ElementForce);
        if let Some(s) = shift {
            let [k, c, ..] = e.blocks(&self.tangents);
            for (matrix, along) in [(k, s.u), (c, s.v)] {
                (0..d).for_each(|i| q[i] = gather(self.row(e, i), along, &[]));
                mul_add(matrix, &q[..d], &mut p[..d], 1.0);
            }
        }
        for i in 0..d {
            for &(j, f) in self.row(e, i) {
                if let Some(r) = r.get_mut(j as usize) {
                    *r += f * p[i];
                }
            }
        }
        bad
    }

    /// The tangent of a part at `at`, where it is moved from the last committed point; what it remembers there is kept ahead.
    pub(super) fn frame_tangent(&self, e: &Entry, at: Point<'_>, ahead: &mut Ahead, tangents: &mut [f64]) {
        let Stored::Frame(frame) = &e.law else { return };
        let d = e.d;
        let [q, v] = self.motion(e, at);
        let range = e.memory0..e.memory0 + e.memory;
        let (k, c) = tangents[e.tangent0..e.tangent0 + 2 * d * d].split_at_mut(d * d);
        let point = self.at((e, frame), at.t, [&q, &v]);
        let tables = frame.sections.tables();
        if !self.iterated && !self.operators.is_empty() {
            // A scheme that does not iterate keeps the stiffness with which it began; slopes by the rate depend on no path.
            if frame.part.follows_rate(&tables) {
                frame.part.damping(&tables, &self.memory[range], point, c);
            }
            return;
        }
        let committed = &self.committed[range.clone()];
        moved(frame, (committed, &mut ahead.memory[range]), point, k);
        frame.part.damping(&tables, committed, point, c);
        ahead.set_at(e, [&q[..d], &v[..d]]);
    }

    /// See [`At::calm`].
    pub(super) fn calm(&self) -> f64 {
        if self.iterated { 0.0 } else { CALM }
    }

    /// Coordinates of a part and their rates.
    fn motion(&self, e: &Entry, at: Point<'_>) -> [[f64; SIZE]; 2] {
        let mut motion = [[0.0; SIZE]; 2];
        for i in 0..e.d {
            motion[0][i] = gather(self.row(e, i), at.u, &self.imposed[0]);
            motion[1][i] = gather(self.row(e, i), at.v, &self.imposed[1]);
        }
        motion
    }

    fn at<'a>(&self, (e, frame): (&Entry, &FramePart), t: f64, [q, v]: [&'a [f64; SIZE]; 2]) -> At<'a> {
        At { t, q: &q[..e.d], v: &v[..e.d], calm: self.calm(), load: frame.load.map(|w| self.held_share * w) }
    }
}

impl Assembled {
    /// How many coordinates and forces the parts of frames have.
    pub(crate) fn frame_count(&self) -> usize {
        self.frames().map(|e| e.d).sum()
    }

    fn frames(&self) -> impl Iterator<Item = &Entry> {
        self.elements.iter().filter(|e| matches!(e.law, Stored::Frame(_)))
    }

    /// Coordinates and forces of all parts at their last evaluation.
    pub(crate) fn frame_forces(&self, out: &mut [[f64; 2]]) {
        let last = self.frames().flat_map(|e| {
            let (q, p) = self.memory[e.memory0 + e.memory - 2 * e.d..e.memory0 + e.memory].split_at(e.d);
            q.iter().zip(p)
        });
        out.iter_mut().zip(last).for_each(|(out, (q, p))| *out = [*q, *p]);
    }

    /// Work that parts take from their last evaluation to the displacements `u`, at the time of the last evaluation of the system: a
    /// way of the order of the square of a step, or none.
    pub(crate) fn work_from_last(&self, u: &[f64]) -> f64 {
        let of = |e: &Entry| {
            let (q, p) = self.memory[e.memory0 + e.memory - 2 * e.d..e.memory0 + e.memory].split_at(e.d);
            (0..e.d).map(|i| p[i] * (gather(self.row(e, i), u, &self.imposed[0]) - q[i])).sum::<f64>()
        };
        self.frames().map(of).sum()
    }
}

/// What parts of frames remember at the point of the last tangent, and which point that was.
#[derive(Default)]
pub(super) struct Ahead {
    pub(super) memory: Vec<f64>,
    /// Coordinates and rates, by the place of the rows of the elements; not a number where nothing is known.
    at: [Vec<f64>; 2],
}

impl Ahead {
    pub(super) fn new(memory: usize, rows: usize) -> Self {
        Ahead { memory: vec![0.0; memory], at: [vec![f64::NAN; rows], vec![f64::NAN; rows]] }
    }

    fn is_at(&self, e: &Entry, motion: [&[f64]; 2]) -> bool {
        self.at.iter().zip(motion).all(|(at, now)| at[e.row0..e.row0 + e.d] == *now)
    }

    fn set_at(&mut self, e: &Entry, motion: [&[f64]; 2]) {
        self.at.iter_mut().zip(motion).for_each(|(at, now)| at[e.row0..e.row0 + e.d].copy_from_slice(now));
    }

    /// The committed point has changed.
    pub(super) fn forget(&mut self) {
        self.at[0].fill(f64::NAN);
    }
}
