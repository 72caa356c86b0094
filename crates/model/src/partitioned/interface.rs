//! Whether the interface problem of a coupling is well posed with these masses, stiffnesses and steps.
//!
//! A side that is moved slowly at one interface unknown takes a shape ψ, (K + σM) ψ = f e, and answers with its mass
//! m = ψᵀMψ and its stiffness k = ψᵀKψ there. Ω = h √(k/m) says what a step of it sees: inertia (small) or a spring.
//!
//! - Couplings that find their multipliers from the masses alone give a side the acceleration of the interface; what holds
//!   it back enters with the next step only, and the sides come apart by Ω² of their motion, step after step. Measured on the
//!   split mass over ten seconds: 5 % at Ω = 0.2, all of it at Ω = 1.
//! - Couplings with a multiplier linear over several substeps: a fine side of trapezoidal steps that is all spring answers with
//!   a velocity that alternates, so that none is left after an even number of them. Measured: gaps of 3 % at Ω = 100,
//!   of 500 % at 4000.
//! - All others solve with what a step really does (the links are probed), and need no inertia.

use interfield_coupling::Method;
use interfield_coupling::registry::Level;
use interfield_linalg::{Factor, Kind as Symmetry};

use super::{Part, Partitioned};
use crate::assemble::{Problem, Subject};

/// Ω that is remarked, and that is refused, for couplings by the masses.
const BY_MASS: [f64; 2] = [0.2, 1.0];
/// The same for the fine side under a multiplier linear over its substeps.
const BY_RAMP: [f64; 2] = [10.0, 30.0];
/// Steps of a slow motion: σ = (1/(h SLOW))².
const SLOW: f64 = 100.0;

impl Partitioned {
    /// What stands against the interface problem of the coupling: where a side is too light for its step. A run with one
    /// that is fatal says something else than the structure would.
    pub fn objections(&mut self) -> Vec<Problem> {
        let Some(coupling) = self.model.partition.as_ref().map(|p| p.coupling) else { return Vec::new() };
        let by_mass = coupling.info.level == Level::Mass;
        let ramped = matches!(coupling.method, Method::Foh(_) | Method::Pmc(_));
        let h = self.coupling.dt();
        let mut found = Vec::new();
        for i in 0..self.parts.len() {
            let Part { sub, .. } = &self.parts[i];
            let (substeps, fine) = (sub.substeps, self.coupling.is_fine(i));
            // The interlaced sequences of a coupling with twins are four macro-steps long.
            let stride = if coupling.info.twins && !fine { 4.0 * h } else { h / f64::from(substeps) };
            let limits = match () {
                () if by_mass => BY_MASS,
                () if ramped && fine && substeps > 1 => BY_RAMP,
                () => continue,
            };
            for (unknown, omega) in self.resolution(i, stride) {
                if omega > limits[0] {
                    found.push(self.too_light(i, unknown, (omega, limits[1]), by_mass));
                }
            }
        }
        found
    }

    /// Ω of every interface unknown of substructure `i` that can be told.
    fn resolution(&mut self, i: usize, h: f64) -> Vec<(usize, f64)> {
        let mut unknowns: Vec<usize> = self.coupling.ports_of(i).iter().map(|p| p.dof).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let (pattern, mass, stiffness) = self.matrices(i);
        let sigma = (h * SLOW).powi(-2);
        let slow: Vec<f64> = stiffness.iter().zip(&mass).map(|(k, m)| k + sigma * m).collect();
        let mut factor = Factor::new(pattern, Symmetry::General, true);
        // Without a factor nothing is known, and the watch over the run is left.
        if factor.factorize(&slow).is_err() {
            return Vec::new();
        }
        let n = pattern.n();
        let (mut inertia, mut spring) = (vec![0.0; n], vec![0.0; n]);
        let omega = |unknown: usize| {
            let mut shape = vec![0.0; n];
            shape[unknown] = 1.0;
            factor.solve(&mut shape);
            pattern.mul(&mass, &shape, &mut inertia);
            pattern.mul(&stiffness, &shape, &mut spring);
            let work = |f: &[f64]| f.iter().zip(&shape).map(|(f, u)| f * u).sum::<f64>();
            let (m, k) = (work(&inertia), work(&spring));
            (unknown, if k > 0.0 { h * (k / m.max(0.0)).sqrt() } else { 0.0 })
        };
        unknowns.into_iter().map(omega).collect()
    }

    fn too_light(&self, i: usize, unknown: usize, (omega, most): (f64, f64), by_mass: bool) -> Problem {
        let Part { sub, free, .. } = &self.parts[i];
        let (name, dof) = (&sub.name, &sub.model.dofs[free[unknown]].name);
        let method = self.model.partition.as_ref().map_or("?", |p| p.coupling.info.name);
        let why = if by_mass {
            format!("`{method}` finds the interface forces from the masses")
        } else {
            format!("`{method}` lets the interface force grow over all substeps")
        };
        let light = if omega.is_finite() {
            format!("substructure `{name}` is light for its stiffness at the interface `{dof}`: omega dt = {omega:.3e} there")
        } else {
            format!("substructure `{name}` has no mass at the interface `{dof}`")
        };
        let help = format!(
            "give `{name}` a larger share of the mass (`interface_mass`), take a smaller step, or a coupling that needs no \
             mass there: \"gc\", \"pm\", \"llm\""
        );
        let fatal = !(omega <= most);
        let message = match fatal {
            true => format!("{light}, and {why}: the sides would come apart"),
            false => format!("{light}, and {why}: watch the gap"),
        };
        Problem { fatal, ..Problem::error(Subject::InterfaceMass(i), message, &help) }
    }
}
