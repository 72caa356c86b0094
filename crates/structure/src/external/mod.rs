//! Programs that compute a part of a structure, in the place of its linear stand-in.
//!
//! **Must not be here:** processes and protocols (a [`Workshop`] brings the programs).

mod identify;

pub use identify::{Identified, TOLERANCE, identify};

use interfield_lab::partner::{Partner, Partnership, Springs};
use interfield_language::external::External;
use interfield_language::{Model, Problem, Subject};

use crate::assemble::Assembly;
use crate::specimen::{Measured, Rows, Workshop};

/// Puts its program (of a workshop; else springs) in the place of its stand-in. `index`: its number in the model.
pub(crate) fn attach(
    external: &External,
    index: usize,
    model: &Model,
    assembly: &mut Assembly,
    workshop: &mut dyn Workshop,
) -> Result<(), Problem> {
    let (n, stiffness) = (external.dofs.len(), external.stiffness(model).to_vec());
    let partner = workshop.partner(external).map_err(|message| {
        let message = format!("external `{}`: {message}", external.name);
        Problem::error(Subject::Laboratory, message, "see `[[external]]` in the reference")
    })?;
    let springs = || Box::new(Springs { stiffness: stiffness.clone(), dofs: n }) as Box<dyn Partner>;
    let rig = Box::new(Partnership::new(partner.unwrap_or_else(springs), index));
    let unknowns = assembly.unknowns(&external.dofs);
    let matrices = [stiffness, vec![0.0; n * n]];
    // Forces belong to where the program got to, which need not be where it was sent.
    assembly.system.attach(|memory0| Measured::new(rig, unknowns, matrices, true, (memory0, 0)));
    Ok(())
}

/// Its coordinates over its degrees of freedom: themselves.
pub(crate) fn rows(external: &External) -> Rows {
    let n = external.dofs.len();
    let unit = |i: usize| (0..n).map(|j| f64::from(i == j)).collect();
    vec![(external.element, (0..n).map(unit).collect())]
}
