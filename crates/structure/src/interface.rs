//! Whether the interface problem of a coupling is well posed with these masses, stiffnesses and steps.
//!
//! - Couplings that find their multipliers from the masses alone do not know how a multiplier changes within a step h. What
//!   it changes by, the dynamic stiffness S of a side for motions of some steps, moves the side by its flexibility in a
//!   step, (M + γ²h²K)⁻¹ =: D⁻¹. Where h² S D⁻¹ is not small, at an interface unknown that is light for what it must carry,
//!   the sides come apart step by step. Measured over ten seconds: gaps of 1 to 4 % of the motion at 0.05 to 0.1, of 30 to
//!   90 % at 0.5 to 0.9. A side that is heavy has 0.001, however stiff.
//! - Couplings with a multiplier linear over several substeps: a fine side of trapezoidal steps that is all spring at the
//!   interface, Ω = h √(k/m) in the shape that it takes there for motions of some steps, answers with a velocity that
//!   alternates, so that none is left after an even number of them. Measured: gaps of 3 % at Ω = 100, of 500 %
//!   at 4000.
//! - All others solve with what a step really does (the links are probed), and need no inertia.

use interfield_coupling::Options;
use interfield_coupling::registry::Level;
use interfield_linalg::{Factor, Kind as Symmetry};

use crate::structure::{Part, Structure};
use interfield_language::{Problem, Subject};

/// h² S D⁻¹ that is remarked, and that is refused, for couplings by the masses.
const BY_MASS: [f64; 2] = [0.1, 0.4];
/// Ω of the fine side under a multiplier linear over its substeps: the same.
const BY_RAMP: [f64; 2] = [10.0, 30.0];
/// Steps within which a motion changes.
const SOME: f64 = 30.0;
/// γ of the L-stable schemes of two stages.
const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

impl Structure {
    /// What stands against the interface problem of the coupling: where a side is too light for its step. A run with one
    /// that is fatal says something else than the structure would.
    pub fn objections(&self) -> Vec<Problem> {
        let Some(partition) = &self.model.partition else { return Vec::new() };
        let coupling = partition.coupling;
        let by_mass = coupling.info.level == Level::Mass;
        let h = self.model.analysis.dt;
        let mut found = Vec::new();
        for i in 0..self.parts.len() {
            let Part { sub, .. } = &self.parts[i];
            let (substeps, fine) = (sub.substeps, sub.fine);
            let step = if fine { h / f64::from(substeps) } else { partition.coarse_step() * h };
            let limits = match () {
                () if by_mass => BY_MASS,
                () if coupling.method.facts().ramped && fine && substeps > 1 => BY_RAMP,
                () => continue,
            };
            for (unknown, measure) in self.measures(i, step, by_mass) {
                if measure > limits[0] {
                    found.push(self.too_light(i, unknown, measure > limits[1], by_mass));
                }
            }
        }
        found
    }

    /// h² S D⁻¹, or Ω, at every interface unknown of substructure `i` where it can be told.
    fn measures(&self, i: usize, h: f64, by_mass: bool) -> Vec<(usize, f64)> {
        let mut unknowns: Vec<usize> = self.parts[i].ports.iter().map(|p| p.dof).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let assembly = &self.parts[i].assembly;
        let (pattern, mass, stiffness) = assembly.system.matrices(&assembly.memory);
        let factorised = |m: f64, k: f64| {
            let values: Vec<f64> = mass.iter().zip(&stiffness).map(|(a, b)| m * a + k * b).collect();
            let mut factor = Factor::new(pattern, Symmetry::General, true);
            factor.factorize(&values).is_ok().then_some(factor)
        };
        // Without factors nothing is known, and the watch over the run is left.
        let factors = factorised((SOME * h).powi(-2), 1.0).zip(factorised(1.0, (GAMMA * h).powi(2)));
        let Some((mut slow, mut step)) = factors else { return Vec::new() };
        let answer = |factor: &mut Factor, unknown: usize| {
            let mut shape = vec![0.0; pattern.n()];
            shape[unknown] = 1.0;
            factor.solve(&mut shape);
            shape
        };
        let work = |matrix: &[f64], shape: &[f64]| {
            let mut force = vec![0.0; shape.len()];
            pattern.mul(matrix, shape, &mut force);
            force.iter().zip(shape).map(|(f, u)| f * u).sum::<f64>()
        };
        let measure = |unknown: usize| {
            let shape = answer(&mut slow, unknown);
            let value = match by_mass {
                true => h * h * answer(&mut step, unknown)[unknown] / shape[unknown],
                false => h * (work(&stiffness, &shape).max(0.0) / work(&mass, &shape).max(0.0)).sqrt(),
            };
            (unknown, if value.is_nan() { 0.0 } else { value })
        };
        unknowns.into_iter().map(measure).collect()
    }

    fn too_light(&self, i: usize, unknown: usize, fatal: bool, by_mass: bool) -> Problem {
        let Part { sub, assembly, .. } = &self.parts[i];
        let (name, dof) = (&sub.name, &sub.model.dofs[assembly.free[unknown]].name);
        let method = self.model.partition.as_ref().map_or("?", |p| p.coupling.info.name);
        let why = match by_mass {
            true => format!("`{method}` computes the interface forces from the masses"),
            false => format!("`{method}` increases the interface force over all substeps"),
        };
        let so = if fatal { "the two sides would separate" } else { "check the gap" };
        let message = format!(
            "substructure `{name}` has too little mass at the interface `{dof}` for this step, and {why}: {so}"
        );
        let help = format!(
            "give `{name}` a larger share of the mass (`interface_mass`), use a smaller step, or a coupling that \
                needs no mass there: \"gc\", \"pm\", \"llm\""
        );
        Problem { fatal, ..Problem::error(Subject::InterfaceMass(i), message, &help) }
    }
}
