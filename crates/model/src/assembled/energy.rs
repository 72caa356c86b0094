//! What an energy balance is made of: loads, damping forces and kinetic energy by themselves.

use interfield_kernel::{Fault, Point};

use super::Assembled;
use super::element::{gather, mul_add};

impl Assembled {
    /// Forces at a point, as `M(u) a + r = 0` has them, and the loads among them: `r + loads` are the forces of
    /// springs and dampers. Loads are applied forces and the inertia forces of the ground and of imposed motions.
    pub(crate) fn forces_and_loads(&mut self, at: Point<'_>, r: &mut [f64], loads: &mut [f64]) -> Result<(), Fault> {
        let mut g = std::mem::take(&mut self.scratch.g);
        let result = self.raw_force(at, None, false, r, &mut g);
        self.scratch.g = g;
        loads.fill(0.0);
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

    /// Whether there is a damping matrix: Rayleigh, modal, of members, of linear dashpots.
    pub(crate) fn is_damped(&self) -> bool {
        !self.damping.is_empty() || !self.modal.is_empty()
    }

    /// Forces of the damping matrix, at the time of the last evaluation.
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
