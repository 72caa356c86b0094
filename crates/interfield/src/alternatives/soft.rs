//! Whether a coupling stays stable where laws yield.
//!
//! Operators are computed once, with the stiffness at rest. A coupling that takes them for the truth over a whole macro-step adds energy where
//! a law is softer, however small its error is as long as nothing yields (book: passivity 4.2). The step of the divided structure is
//! probed with laws that have yielded.

use interfield_analysis::stability::{Options, stability};
use interfield_language::Model;
use interfield_language::model::Support;
use interfield_structure::Simulation;
use interfield_structure::elastic::released;

use super::expected::Laws;

/// Longest complete state of which all eigenvalues are computed.
const DENSE: usize = 160;
/// Steps in which a longer one is watched, and how much its velocities may grow in the last third of them.
const WATCHED: u64 = 300;
const GROWN: f64 = 1.5;

/// Whether no motion of the model grows with laws that have a tenth of their stiffness left; `None` where nothing yields, or it cannot be told.
pub(super) fn stays_stable(model: &Model) -> Option<bool> {
    let soft = Laws::Yielded.of(model)?;
    let mut sim = Simulation::new(released(&soft, [])).ok()?;
    if sim.coupling.len() <= DENSE {
        return stability(sim.coupling.as_mut(), &Options::default()).ok().map(|found| found.stable);
    }
    let free = (0..soft.dofs.len()).filter(|&d| matches!(soft.dofs[d].support, Support::Free));
    // Anything that excites all motions.
    let any = free.map(|d| (d, 1e-6 * ((d as f64 * 0.618_034).fract() - 0.5)));
    let mut sim = Simulation::new(released(&soft, any)).ok()?;
    let mut largest = [0.0f64; 3];
    for k in 0..WATCHED {
        sim.coupling.step(k).ok()?;
        let third = (3 * k / WATCHED) as usize;
        for i in 0..sim.count() {
            let n = sim.coupling.dims_of(i).nu;
            largest[third] = sim.y(i)[n..2 * n].iter().fold(largest[third], |m, v| m.max(v.abs()));
        }
    }
    Some(largest[2] <= GROWN * largest[1])
}
