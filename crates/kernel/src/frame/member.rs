//! Basic forces of a member from its basic deformations.
//!
//! Plane: deformations v = (elongation, rotations of the ends against the chord), forces q = (N, Mi, Mj). Space: (elongation, thz i, thz j,
//! thy i, thy j, twist). N strains of a section, B basic deformations: 2 and 3, or 4 and 6; with shear 3 and 3, or 6 and 6 (book: frames 3).

use super::matrix::{Matrix, add, add_congruent, add_transposed, difference, dot, inverse, times, zeros};
use super::rule::Rule;
use super::{Evaluate, Tables};
use crate::Scalar;

/// How a member is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Formulation {
    /// Cubic transverse and linear axial displacements: one evaluation of each section.
    Displacement,
    /// Exact equilibrium, a fixed number of evaluations of each section; what is left of the unbalance goes into the next step.
    Force {
        /// Evaluations.
        passes: usize,
    },
    /// Exact equilibrium, iterated until the work of the correction is below the tolerance.
    ForceIterated {
        /// Work of the last correction, J.
        tolerance: f64,
        /// Most evaluations.
        passes: usize,
    },
}

impl Formulation {
    /// Exact equilibrium, iterated until nothing is left.
    pub const ITERATED: Self = Formulation::ForceIterated { tolerance: 1e-12, passes: 30 };
}

/// A member between its two ends.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Length, m.
    pub length: f64,
    /// Its sections.
    pub rule: Rule,
    /// How it is computed.
    pub formulation: Formulation,
    /// Whether its sections deform in shear; force-based only.
    pub sheared: bool,
    /// Basic forces that its ends do not carry (hinges); force-based only.
    pub released: [bool; 6],
}

/// A load spread evenly along a member, in its local axes x, y, z, N/m.
pub type Spread = [f64; 3];

/// Forces and stiffness in basic coordinates.
pub type Basic<const B: usize, T> = ([T; B], Matrix<B, T>);

/// The memory of a force-based member before that of its fibres: deformations, forces, stiffness; strains, forces and flexibility of each section.
pub(super) const fn own<const N: usize, const B: usize>(points: usize) -> usize {
    2 * B + B * B + points * (2 * N + N * N)
}

impl Member {
    /// Numbers that it remembers.
    pub fn memory<const N: usize, const B: usize>(&self, tables: &Tables<'_>) -> usize {
        let fibres: usize = (0..self.rule.count).map(|p| tables.sections[self.rule.section[p]].history(tables)).sum();
        match self.formulation {
            Formulation::Displacement => fibres,
            _ => own::<N, B>(self.rule.count) + fibres,
        }
    }

    /// Writes the memory of a member that was never deformed.
    pub fn start<const N: usize, const B: usize>(&self, tables: &Tables<'_>, memory: &mut [f64]) {
        let (own, mut fibres) = match self.formulation {
            Formulation::Displacement => memory.split_at_mut(0),
            _ => memory.split_at_mut(own::<N, B>(self.rule.count)),
        };
        own.fill(0.0);
        let mut flexibility = [[0.0; B]; B];
        for p in 0..self.rule.count {
            let section = &tables.sections[self.rule.section[p]];
            let size = section.history(tables);
            let (mine, rest) = fibres.split_at_mut(size);
            section.start(tables, mine);
            if !own.is_empty() {
                // The stiffness at rest, taken without keeping what the evaluation would change.
                let f = inverse(section.at_rest::<N>(tables));
                let state = State::<N, B, f64>::section(p);
                for i in 0..N {
                    own[state + 2 * N + i * N..state + 2 * N + (i + 1) * N].copy_from_slice(&f[i]);
                }
                add_congruent(
                    self.rule.weight[p] * self.length,
                    &equilibrium::<N, B, f64>(self.rule.xi[p], self.length),
                    &f,
                    &mut flexibility,
                );
            }
            fibres = rest;
        }
        if !own.is_empty() {
            let k = self.stiffness(flexibility);
            for i in 0..B {
                own[2 * B + i * B..2 * B + (i + 1) * B].copy_from_slice(&k[i]);
            }
        }
    }

    /// Forces and stiffness at the deformations `v` and time `t`, reached from `memory` under the load `w`, and the memory there.
    pub fn evaluate<const N: usize, const B: usize, T: Scalar>(
        &self,
        sections: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
        v: &[T; B],
        (t, w): (T, &Spread),
    ) -> Basic<B, T> {
        let (passes, tolerance) = match self.formulation {
            Formulation::Displacement => {
                let (mut q, k) = self.displacement_based::<N, B, T>(sections, (memory, next), v, t);
                add(&mut q, &clamped(self.length, w));
                return (q, k);
            }
            Formulation::Force { passes } => (passes, 0.0),
            Formulation::ForceIterated { tolerance, passes } => (passes, tolerance),
        };
        self.force_based::<N, B, T>(sections, (memory, next), v, (t, w), (passes, tolerance))
    }

    /// The inverse of the flexibility, among the forces that its ends carry.
    fn stiffness<const B: usize, T: Scalar>(&self, mut flexibility: Matrix<B, T>) -> Matrix<B, T> {
        let (zero, one) = (T::constant(0.0), T::constant(1.0));
        for r in (0..B).filter(|&r| self.released[r]) {
            (0..B).for_each(|i| (flexibility[r][i], flexibility[i][r]) = (zero, zero));
            flexibility[r][r] = one;
        }
        let mut k = inverse(flexibility);
        (0..B).filter(|&r| self.released[r]).for_each(|r| k[r][r] = zero);
        k
    }

    fn displacement_based<const N: usize, const B: usize, T: Scalar>(
        &self,
        sections: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
        v: &[T; B],
        t: T,
    ) -> Basic<B, T> {
        let (mut q, mut k) = ([T::constant(0.0); B], zeros());
        let mut at = 0;
        for p in 0..self.rule.count {
            let section = &sections.tables().sections[self.rule.section[p]];
            let b = compatibility::<N, B, T>(self.rule.xi[p], self.length);
            let range = at..at + section.history(sections.tables());
            at = range.end;
            let (s, ks) = section.respond(sections, (&memory[range.clone()], &mut next[range]), &times(&b, v), t);
            let share = self.rule.weight[p] * self.length;
            add_transposed(share, &b, &s, &mut q);
            add_congruent(share, &b, &ks, &mut k);
        }
        (q, k)
    }

    /// A fixed number of passes; or iterated, in ever smaller shares of the increment where it does not converge: at a reversal the
    /// stiffness at which the last step ended may be far from that of the way back.
    fn force_based<const N: usize, const B: usize, T: Scalar>(
        &self,
        sections: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
        v: &[T; B],
        (t, w): (T, &Spread),
        (passes, tolerance): (usize, f64),
    ) -> Basic<B, T> {
        let mut shares = 1;
        loop {
            let own = own::<N, B>(self.rule.count);
            next[..own].copy_from_slice(&memory[..own]);
            let before: [T; B] = State::<N, B, T>(next).take(0);
            let mut done = true;
            for share in 1..=shares {
                let part = T::constant(f64::from(share) / f64::from(shares));
                let at = core::array::from_fn(|i| before[i] + part * (v[i] - before[i]));
                done = self.increment::<N, B, T>(sections, (memory, next), &at, (t, w), (passes, tolerance));
            }
            if done || tolerance == 0.0 || shares >= SHARES {
                let state = State::<N, B, T>(next);
                return (state.take(B), state.stiffness());
            }
            shares *= 4;
        }
    }

    /// q := q + K (v - v before); then, some times: strains from the unbalance of each section, sections, and forces that restore
    /// compatibility with the linearised sections. Fibres always start from their committed history. Says whether it converged.
    fn increment<const N: usize, const B: usize, T: Scalar>(
        &self,
        sections: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
        v: &[T; B],
        (t, w): (T, &Spread),
        (passes, tolerance): (usize, f64),
    ) -> bool {
        let mut k: Matrix<B, T> = State::<N, B, T>(next).stiffness();
        let before: [T; B] = State::<N, B, T>(next).take(0);
        let mut q: [T; B] = State::<N, B, T>(next).take(B);
        add(&mut q, &times(&k, &difference(v, &before)));
        let mut done = false;
        for _ in 0..passes {
            let (mut flexibility, mut reached) = (zeros(), [T::constant(0.0); B]);
            let (mut unbalance, mut at) = (T::constant(0.0), own::<N, B>(self.rule.count));
            for p in 0..self.rule.count {
                let section = &sections.tables().sections[self.rule.section[p]];
                let b = equilibrium::<N, B, T>(self.rule.xi[p], self.length);
                let base = State::<N, B, T>::section(p);
                let state = State::<N, B, T>(next);
                let (mut e, s): ([T; N], [T; N]) = (state.take(base), state.take(base + N));
                let mut target: [T; N] = times(&b, &q);
                add(&mut target, &particular(self.rule.xi[p], self.length, w));
                add(&mut e, &times(&state.flexibility(base), &difference(&target, &s)));
                let range = at..at + section.history(sections.tables());
                at = range.end;
                let (s, stiffness) = section.respond(sections, (&memory[range.clone()], &mut next[range]), &e, t);
                let f = inverse(stiffness);
                let left = difference(&target, &s);
                let rest = times(&f, &left);
                let share = self.rule.weight[p] * self.length;
                add_congruent(share, &b, &f, &mut flexibility);
                add_transposed(share, &b, &core::array::from_fn(|i| e[i] + rest[i]), &mut reached);
                unbalance = unbalance + dot(&left, &rest).abs() * share;
                let mut state = State::<N, B, T>(next);
                state.put(base, &e);
                state.put(base + N, &s);
                (0..N).for_each(|i| state.put(base + 2 * N + i * N, &f[i]));
            }
            k = self.stiffness(flexibility);
            let missing = difference(v, &reached);
            let more = times(&k, &missing);
            add(&mut q, &more);
            if tolerance > 0.0 {
                // One where a number exceeds the tolerance, or is none.
                let far = |x: T| (-x.abs() + tolerance).select(T::constant(0.0), T::constant(1.0));
                done = (far(dot(&missing, &more)) + far(unbalance)).is_zero();
            }
            if done {
                break;
            }
        }
        let mut state = State::<N, B, T>(next);
        state.put(0, v);
        state.put(B, &q);
        (0..B).for_each(|i| state.put(2 * B + i * B, &k[i]));
        done
    }
}

/// Most shares in which an increment is tried.
const SHARES: u32 = 256;

/// The memory of a force-based member.
pub(super) struct State<'a, const N: usize, const B: usize, T>(&'a mut [T]);

impl<const N: usize, const B: usize, T: Scalar> State<'_, N, B, T> {
    pub(super) const fn section(point: usize) -> usize {
        2 * B + B * B + point * (2 * N + N * N)
    }

    fn take<const M: usize>(&self, at: usize) -> [T; M] {
        core::array::from_fn(|i| self.0[at + i])
    }

    fn put(&mut self, at: usize, x: &[T]) {
        self.0[at..at + x.len()].copy_from_slice(x);
    }

    fn stiffness(&self) -> Matrix<B, T> {
        core::array::from_fn(|i| self.take(2 * B + i * B))
    }

    fn flexibility(&self, section: usize) -> Matrix<N, T> {
        core::array::from_fn(|i| self.take(section + 2 * N + i * N))
    }
}

/// Forces of a section from the basic forces: N = q0, Mz = (xi - 1) q1 + xi q2, My the same with q3 and q4, T = q5; shear forces are
/// the slopes of the moments.
fn equilibrium<const N: usize, const B: usize, T: Scalar>(xi: f64, l: f64) -> [[T; B]; N] {
    let mut b = zeros();
    let (one, i, j, slope) = (T::constant(1.0), T::constant(xi - 1.0), T::constant(xi), T::constant(1.0 / l));
    b[0][0] = one;
    (b[1][1], b[1][2]) = (i, j);
    if N >= 4 {
        (b[2][3], b[2][4], b[3][5]) = (i, j, one);
    }
    if N == 3 {
        (b[2][1], b[2][2]) = (slope, slope);
    }
    if N == 6 {
        (b[4][1], b[4][2], b[5][3], b[5][4]) = (slope, slope, slope, slope);
    }
    b
}

/// Forces of a section of the simply supported member under a spread load.
fn particular<const N: usize, T: Scalar>(xi: f64, l: f64, &[wx, wy, wz]: &Spread) -> [T; N] {
    let (moment, shear) = (0.5 * l * l * xi * (xi - 1.0), l * (xi - 0.5));
    let all = [wx * l * (1.0 - xi), wy * moment, -wz * moment, 0.0, wy * shear, -wz * shear];
    core::array::from_fn(|i| T::constant(all[if N == 3 && i == 2 { 4 } else { i }]))
}

/// Basic forces of a member that is clamped at both ends under a spread load.
fn clamped<const B: usize, T: Scalar>(l: f64, &[wx, wy, wz]: &Spread) -> [T; B] {
    let m = l * l / 12.0;
    let all = [-0.5 * wx * l, -wy * m, wy * m, wz * m, -wz * m, 0.0];
    core::array::from_fn(|i| T::constant(all[i]))
}

/// What the ends of a member must carry of a spread load beside its basic forces: (x of the first end, y and z of each end).
pub fn supports(l: f64, &[wx, wy, wz]: &Spread) -> [f64; 3] {
    [-wx * l, -0.5 * wy * l, -0.5 * wz * l]
}

/// Strains of a section from the basic deformations: constant elongation, linear curvatures.
pub(super) fn compatibility<const N: usize, const B: usize, T: Scalar>(xi: f64, l: f64) -> [[T; B]; N] {
    let mut b = zeros();
    let axial = T::constant(1.0 / l);
    b[0][0] = axial;
    let (i, j) = (T::constant((6.0 * xi - 4.0) / l), T::constant((6.0 * xi - 2.0) / l));
    (b[1][1], b[1][2]) = (i, j);
    if N == 4 {
        (b[2][3], b[2][4], b[3][5]) = (i, j, axial);
    }
    b
}
