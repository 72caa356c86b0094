//! What gives between the pistons and the specimen: rods, clevises, the reaction wall. The specimen is not where the pistons are, but where the forces
//! balance:
//!
//! ```text
//! r(u, u', u") = Jᵀ k (q - q(u))      u', u" by the rule of average acceleration
//! ```
//!
//! solved by Newton's iteration with the stiffness of the specimen at rest. So redundant pistons press against each other when their strokes do not fit.

use interfield_linalg::Svd;

use super::body::{Body, Motion};
use crate::kinematics::Kinematics;

/// Springs between pistons and specimen.
pub(super) struct Mount {
    /// Of each actuator, N/m.
    stiffness: Vec<f64>,
    masses: Vec<f64>,
    period: f64,
    /// The matrix of the iteration, and its inverse: a direction in which nothing resists stays as it is.
    matrix: Vec<f64>,
    svd: Svd,
    /// Velocities and accelerations at the end of the sample.
    v: Vec<f64>,
    a: Vec<f64>,
    /// Restoring force, residual, change; strokes of the specimen.
    r: Vec<f64>,
    residual: Vec<f64>,
    change: Vec<f64>,
    q: Vec<f64>,
    /// The body before the sample.
    before: Vec<f64>,
}

const ITERATIONS: usize = 60;

impl Mount {
    pub(super) fn new(stiffness: Vec<f64>, mut masses: Vec<f64>, body: &dyn Body, n: usize, period: f64) -> Self {
        let m = stiffness.len();
        masses.resize(n, 0.0);
        let zeros = || vec![0.0; n];
        Mount {
            stiffness,
            masses,
            period,
            matrix: vec![0.0; n * n],
            svd: Svd::new(n, n),
            v: zeros(),
            a: zeros(),
            r: zeros(),
            residual: zeros(),
            change: zeros(),
            q: vec![0.0; m],
            before: vec![0.0; body.memory()],
        }
    }

    /// Displacements, velocities and accelerations at the last sample.
    pub(super) fn memory(&self) -> usize {
        3 * self.v.len()
    }

    /// Brings the body to where the forces balance; the forces of the actuators are in `forces`. `false` if there is no such place.
    pub(super) fn balance(
        &mut self,
        (own, body_memory): (&mut [f64], &mut [f64]),
        (kinematics, body): (&mut Kinematics, &mut Box<dyn Body>),
        (tick, pistons): (u64, &[f64]),
        u: &mut [f64],
        forces: &mut [f64],
    ) -> bool {
        let n = u.len();
        self.before.copy_from_slice(body_memory);
        let (u0, rest) = own.split_at_mut(n);
        let (v0, a0) = rest.split_at_mut(n);
        let (dt, t) = (self.period, tick as f64 * self.period);
        // As if it went on as it was.
        (0..n).for_each(|i| u[i] = u0[i] + dt * v0[i] + 0.5 * dt * dt * a0[i]);
        let (mut found, mut off) = (false, f64::INFINITY);
        for _ in 0..ITERATIONS {
            for i in 0..n {
                self.a[i] = 4.0 / (dt * dt) * (u[i] - u0[i] - dt * v0[i]) - a0[i];
                self.v[i] = v0[i] + 0.5 * dt * (a0[i] + self.a[i]);
            }
            body_memory.copy_from_slice(&self.before);
            let to = Motion { t, u, v: &self.v, a: &self.a };
            if body.advance(body_memory, to, dt, &mut self.r).is_err() {
                return false;
            }
            kinematics.linearise_at(u, &mut self.q);
            (0..forces.len()).for_each(|i| forces[i] = self.stiffness[i] * (pistons[i] - self.q[i]));
            kinematics.to_dofs(forces, &mut self.residual);
            if found {
                break;
            }
            (0..n).for_each(|i| self.residual[i] -= self.r[i]);
            self.assemble(kinematics.jacobian(), body.stiffness());
            self.svd.factorize(&self.matrix);
            self.svd.solve(self.svd.rank(1e-14), &self.residual, &mut self.change);
            u.iter_mut().zip(&self.change).for_each(|(u, d)| *u += d);
            let size = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            off = size(&self.change) / (size(u) + size(pistons)).max(f64::MIN_POSITIVE);
            found = off <= 1e-14;
        }
        u0.copy_from_slice(u);
        v0.copy_from_slice(&self.v);
        a0.copy_from_slice(&self.a);
        // Rounding of stiff mounts may leave a little.
        off <= 1e-9 && forces.iter().all(|f| f.is_finite())
    }

    /// K + 4/dt² M + Jᵀ k J.
    fn assemble(&mut self, jacobian: &[f64], stiffness: &[f64]) {
        let n = self.v.len();
        self.matrix.copy_from_slice(stiffness);
        for i in 0..n {
            self.matrix[i * n + i] += 4.0 / (self.period * self.period) * self.masses[i];
        }
        for (row, k) in jacobian.chunks(n).zip(&self.stiffness) {
            for i in 0..n {
                (0..n).for_each(|j| self.matrix[i * n + j] += row[i] * k * row[j]);
            }
        }
    }
}
