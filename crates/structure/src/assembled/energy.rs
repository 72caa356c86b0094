//! What an energy balance is made of: loads, damping forces and kinetic energy by themselves.

use interfield_kernel::{Fault, Point};

use super::Assembled;
use super::element::{Entry, Stored, gather, mul_add};
use super::force::Moving;

/// Most intervals into which the way of an element through a step is cut.
const FINEST: usize = 512;
/// A change of the mean force below this share of the largest force on the way ends the cutting.
const SETTLED: f64 = 1e-10;

/// The force of a law on a straight way from (q0, v0) to (q1, v1), averaged over the way, and its mean at both ends.
pub(super) fn mean_force(law: &Stored, t: f64, [q0, v0]: [f64; 2], [q1, v1]: [f64; 2]) -> [f64; 2] {
    let at = |x: f64| {
        let mut p = [0.0];
        law.response(t, &[q0 + x * (q1 - q0)], &[v0 + x * (v1 - v0)], &[], &mut p, &mut []);
        p[0]
    };
    let (first, last) = (at(0.0), at(1.0));
    let ends = 0.5 * (first + last);
    let mut largest = first.abs().max(last.abs());
    let (mut trapezoid, mut mean, mut n) = (ends, ends, 1);
    while n < FINEST {
        let mut sum = 0.0;
        for i in 0..n {
            let p = at((i as f64 + 0.5) / n as f64);
            largest = largest.max(p.abs());
            sum += p;
        }
        n *= 2;
        let finer = 0.5 * trapezoid + sum / n as f64;
        let (simpson, before) = ((4.0 * finer - trapezoid) / 3.0, mean);
        (trapezoid, mean) = (finer, simpson);
        if (mean - before).abs() <= SETTLED * largest {
            break;
        }
    }
    [mean, ends]
}

impl Assembled {
    /// Forces at a point, as `M(u) a + r = 0` has them, and the loads among them: `r + loads` are the forces of
    /// springs and dampers, without members of frames. Loads are applied forces and the inertia forces of the ground and of imposed motions.
    pub(crate) fn forces_and_loads(&mut self, at: Point<'_>, r: &mut [f64], loads: &mut [f64]) -> Result<(), Fault> {
        let mut g = std::mem::take(&mut self.scratch.g);
        let result = self.raw_force(at, None, Moving::Laws, r, &mut g);
        self.scratch.g = g;
        loads.fill(0.0);
        loads.iter_mut().zip(&self.held).for_each(|(l, f)| *l += f);
        for (dof, signal) in &self.forces {
            loads[*dof] += signal.value(at.t);
        }
        for (ground, a) in self.grounds.iter().zip(&self.ground_now) {
            loads.iter_mut().zip(&ground.load).for_each(|(l, m)| *l -= m * a);
        }
        for c in &self.couplings {
            loads[c.row] -= c.m * self.imposed[2][c.imposed];
        }
        let mut work = std::mem::take(&mut self.scratch);
        for e in self.elements.iter().filter(|e| e.massive) {
            for i in 0..e.d {
                work.q[i] = gather(self.row(e, i), at.u, &self.imposed[0]);
                work.acc[i] = self.base_acceleration(e, i);
            }
            let (m, p) = (&mut work.local[..e.d * e.d], &mut work.p[..e.d]);
            e.law.with(|law| law.mass(&work.q[..e.d], m));
            p.fill(0.0);
            mul_add(m, &work.acc[..e.d], p, 1.0);
            for i in 0..e.d {
                for &(j, f) in self.row(e, i) {
                    if let Some(l) = loads.get_mut(j as usize) {
                        *l -= f * p[i];
                    }
                }
            }
        }
        self.scratch = work;
        result
    }

    /// Laws of one deformation and its rate, see [`Assembled::curve_count`].
    fn curves(&self) -> impl Iterator<Item = &Entry> {
        self.curves.iter().map(|&e| &self.elements[e])
    }

    /// How many elements there are whose force is a function of one deformation and its rate.
    pub(crate) fn curve_count(&self) -> usize {
        self.curves.len()
    }

    /// Their deformations and rates at a point, at the time of the last evaluation.
    pub(crate) fn deformations(&self, u: &[f64], v: &[f64], out: &mut [[f64; 2]]) {
        for (e, out) in self.curves().zip(out) {
            let row = self.row(e, 0);
            *out = [gather(row, u, &self.imposed[0]), gather(row, v, &self.imposed[1])];
        }
    }

    /// Work that they take on straight ways `from` .. `to`, of which the unknowns make `du`, beyond the mean of their forces
    /// at both ends times the way: what a step sees nothing of that runs over the corner of a stop.
    pub(crate) fn work_between(&self, t: f64, du: &[f64], from: &[[f64; 2]], to: &[[f64; 2]]) -> f64 {
        let mut sum = 0.0;
        for ((e, from), to) in self.curves().zip(from).zip(to) {
            let [mean, ends] = mean_force(&e.law, t, *from, *to);
            sum += (mean - ends) * gather(self.row(e, 0), du, &[]);
        }
        sum
    }

    /// Whether there is a damping matrix: Rayleigh, modal, of members, of linear dashpots.
    pub(crate) fn is_damped(&self) -> bool {
        !self.damping.is_empty() || !self.modal.is_empty()
    }

    /// Forces of the damping matrix, at the time of the last evaluation; without those of the stand-ins of specimens, whose
    /// work is measured.
    pub(crate) fn damping_forces(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if !self.damping.is_empty() {
            self.pattern.mul(&self.damping, v, out);
        }
        for (c, w) in &self.modal {
            let f = c * w.iter().zip(v).map(|(w, v)| w * v).sum::<f64>();
            out.iter_mut().zip(w).for_each(|(r, w)| *r += f * w);
        }
        for c in &self.couplings {
            out[c.row] += c.c * self.imposed[1][c.imposed];
        }
        self.measured.iter().for_each(|m| m.take_damping(v, out));
    }

    /// Whether elements carry mass, so that the mass matrix depends on the configuration.
    pub(crate) fn has_moving_mass(&self) -> bool {
        self.mass_now.is_some()
    }

    /// ½ vᵀ M(u) v over the free degrees of freedom.
    pub(crate) fn kinetic_energy(&mut self, u: &[f64], v: &[f64]) -> f64 {
        let mut work = std::mem::take(&mut self.scratch);
        self.pattern.mul(&self.mass, v, &mut work.x);
        let mut twice: f64 = work.x.iter().zip(v).map(|(p, v)| p * v).sum();
        for e in self.elements.iter().filter(|e| e.massive) {
            for i in 0..e.d {
                work.q[i] = gather(self.row(e, i), u, &self.imposed[0]);
                work.v[i] = gather(self.row(e, i), v, &[]);
            }
            let (m, p) = (&mut work.local[..e.d * e.d], &mut work.p[..e.d]);
            e.law.with(|law| law.mass(&work.q[..e.d], m));
            p.fill(0.0);
            mul_add(m, &work.v[..e.d], p, 1.0);
            twice += p.iter().zip(&work.v).map(|(p, v)| p * v).sum::<f64>();
        }
        self.scratch = work;
        twice / 2.0
    }
}
