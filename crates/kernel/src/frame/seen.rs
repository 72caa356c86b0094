//! What a member carries in its sections and fibres, read out of its memory: for channels and pictures (book: frames 2.3).
//!
//! A force-based member remembers strains and forces of its sections. Those of a displacement-based one follow from where it is, in a trial
//! from its history that is not kept.

use super::Tables;
use super::fibres::padded;
use super::matrix::times;
use super::member::{Formulation, Member, State, compatibility, own};
use super::part::{At, Part};
use super::section::Section;
use super::transformation::{Plane, Space, TRIADS};
use crate::uniaxial::Pace;
use crate::{Dual, Scalar};

/// A section of a member as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Strains: elongation, curvature about z, about y, 1/m, twist, 1/m.
    pub strains: [f64; 4],
    /// Forces: N, Mz, My, T.
    pub forces: [f64; 4],
    /// Where its fibres have their histories in the memory of the part.
    pub history: (usize, usize),
}

impl Part {
    /// The member that it is, if it is one.
    pub fn member(&self) -> Option<&Member> {
        match self {
            Part::Plane(member, _) | Part::Space(member, _) => Some(member),
            _ => None,
        }
    }

    /// Where a part that remembers them has the strains and the forces of its section number `point`.
    pub fn remembered(&self, point: usize) -> Option<[usize; 2]> {
        let of = |member: &Member, base: usize, n: usize| {
            (member.formulation != Formulation::Displacement && point < member.rule.count).then_some([base, base + n])
        };
        match self {
            Part::Plane(member, _) if member.sheared => of(member, State::<3, 3, f64>::section(point), 3),
            Part::Plane(member, _) => of(member, State::<2, 3, f64>::section(point), 2),
            Part::Space(member, _) if member.sheared => of(member, TRIADS + State::<6, 6, f64>::section(point), 6),
            Part::Space(member, _) => of(member, TRIADS + State::<4, 6, f64>::section(point), 4),
            _ => None,
        }
    }

    /// Strains of section number `point` alone, see [`Part::seen`].
    pub fn strains(&self, tables: &Tables<'_>, memory: &[f64], at: At<'_>, point: usize) -> Option<[f64; 4]> {
        match self {
            Part::Plane(member, kind) => {
                let v = Plane::new(*kind, member.length, &core::array::from_fn(|i| at.q[i])).v;
                let remembered = self.remembered(point).map(|[first, _]| &memory[first..]);
                let [e, k]: [f64; 2] = match remembered {
                    Some(strains) => [strains[0], strains[1]],
                    None => times(&compatibility::<2, 3, f64>(member.rule.xi[point], member.length), &v),
                };
                Some([e, k, 0.0, 0.0])
            }
            Part::Space(member, kind) => {
                if let Some([first, _]) = self.remembered(point) {
                    return Some(core::array::from_fn(|i| memory[first + i]));
                }
                let mut next = [0.0; TRIADS];
                let q = core::array::from_fn(|i| at.q[i]);
                let v = Space::new(*kind, member.length, &q, tables, (&memory[..TRIADS], &mut next)).v;
                Some(times(&compatibility::<4, 6, f64>(member.rule.xi[point], member.length), &v))
            }
            _ => None,
        }
    }

    /// Section number `point` of a member that remembers `memory` and is at `at`; `scratch` has the size of its memory.
    pub fn seen(
        &self,
        tables: &Tables<'_>,
        memory: &[f64],
        at: At<'_>,
        point: usize,
        scratch: &mut [f64],
    ) -> Option<Seen> {
        match self {
            Part::Plane(member, kind) => {
                let v = Plane::new(*kind, member.length, &core::array::from_fn(|i| at.q[i])).v;
                match member.sheared {
                    true => member.seen::<3, 3>(tables, memory, (&v, at.t), point, scratch),
                    false => member.seen::<2, 3>(tables, memory, (&v, at.t), point, scratch),
                }
            }
            Part::Space(member, kind) => {
                let (triads, rest) = memory.split_at(TRIADS);
                let (triads_next, scratch) = scratch.split_at_mut(TRIADS);
                triads_next.copy_from_slice(triads);
                let q = core::array::from_fn(|i| at.q[i]);
                let v = Space::new(*kind, member.length, &q, tables, (triads, triads_next)).v;
                let seen = match member.sheared {
                    true => member.seen::<6, 6>(tables, rest, (&v, at.t), point, scratch)?,
                    false => member.seen::<4, 6>(tables, rest, (&v, at.t), point, scratch)?,
                };
                Some(Seen { history: (TRIADS + seen.history.0, TRIADS + seen.history.1), ..seen })
            }
            _ => None,
        }
    }
}

impl Member {
    fn seen<const N: usize, const B: usize>(
        &self,
        tables: &Tables<'_>,
        memory: &[f64],
        (v, t): (&[f64; B], f64),
        point: usize,
        scratch: &mut [f64],
    ) -> Option<Seen> {
        let size = |p: usize| tables.sections[self.rule.section[p]].history(tables);
        let remembered = self.formulation != Formulation::Displacement;
        let fibres = if remembered { own::<N, B>(self.rule.count) } else { 0 };
        let first = fibres + (0..point).map(size).sum::<usize>();
        let history = (first, first + (point < self.rule.count).then(|| size(point))?);
        let (strains, forces): ([f64; N], [f64; N]) = if remembered {
            let base = State::<N, B, f64>::section(point);
            (core::array::from_fn(|i| memory[base + i]), core::array::from_fn(|i| memory[base + N + i]))
        } else {
            let e = times(&compatibility::<N, B, f64>(self.rule.xi[point], self.length), v);
            let trial = &mut scratch[history.0..history.1];
            let section = &tables.sections[self.rule.section[point]];
            (e, section.evaluate(tables, (&memory[history.0..history.1], trial), &e, t).0)
        };
        // Without those of shear.
        let four = |x: &[f64; N]| {
            core::array::from_fn(|i| if N == 3 && i == 2 { 0.0 } else { x.get(i).copied().unwrap_or(0.0) })
        };
        Some(Seen { strains: four(&strains), forces: four(&forces), history })
    }
}

impl Section {
    /// Strain and stress of the fibre with this number in the tables, of a section with these strains and this history.
    pub fn fibre(
        &self,
        tables: &Tables<'_>,
        mut history: &[f64],
        strains: &[f64; 4],
        t: f64,
        fibre: usize,
    ) -> Option<(f64, f64)> {
        for g in self.groups(tables) {
            let size = g.history();
            if let Some(i) = fibre.checked_sub(g.first).filter(|i| *i < g.count) {
                let e = strains[0] - tables.y[fibre] * strains[1] + tables.z[fibre] * strains[2];
                let (old, pace) = (|j| history[j * padded(g.count) + i], Pace::at(t));
                let stress = g.material.advance(&tables.library, old, Dual::constant(e), &pace, |_, _| ());
                return Some((e, stress.re));
            }
            history = &history[size..];
        }
        None
    }
}
