//! Gravity first: a model with loads that are there from the beginning is brought into static balance with them, and begins to move from
//! there. Displacements are those that the loads gave, and the elements remember how they came there.

use std::sync::Arc;

use interfield_kernel::{Fault, System};
use interfield_language::model::{Kind, Model};
use interfield_language::{Problem, Subject};

use crate::assemble::{Assembly, Place, assemble, explain};
use crate::assembled::Statics;

/// Equal steps in which the loads come.
const STEPS: u32 = 10;

/// Whether loads are there from the beginning.
fn is_loaded(model: &Model) -> bool {
    let spread = |k: &Kind| matches!(k, Kind::Frame { frame, .. } if frame.load != [0.0; 3]);
    !model.held.is_empty() || model.elements.iter().any(|e| spread(&e.kind))
}

/// The model in balance with the loads that are there from the beginning; specimens are taken for what the model says of them.
pub(crate) fn settled(model: Arc<Model>) -> Result<Arc<Model>, Vec<Problem>> {
    let rested = |k: &Kind| matches!(k, Kind::Frame { frame, .. } if !frame.rest.is_empty());
    if !is_loaded(&model) || model.elements.iter().any(|e| rested(&e.kind)) {
        return Ok(model);
    }
    let mut whole = model.as_ref().clone().in_one_piece();
    whole.specimens.clear();
    let mut assembly = assemble(&whole)?;
    let y = assembly.y0.clone();
    let system = &mut assembly.system;
    let balanced = Statics::new(system, &y).and_then(|mut statics| {
        statics.gravity(system, STEPS)?;
        Ok((statics.u, system.memory().to_vec()))
    });
    let (u, memory) = balanced.map_err(|fault| vec![unbalanced(&model, &assembly, fault)])?;
    Ok(Arc::new(at_rest(&model, &assembly, &u, &memory)))
}

/// The model with these displacements and what its elements remember there.
fn at_rest(model: &Model, assembly: &Assembly, u: &[f64], memory: &[f64]) -> Model {
    let mut model = model.clone();
    for (dof, place) in model.dofs.iter_mut().zip(&assembly.places) {
        if let Place::Free(i) = place {
            dof.u0 = u[*i];
        }
    }
    for (at, &e) in assembly.looped.iter().enumerate() {
        if let Kind::Frame { frame, .. } = &mut model.elements[e].kind {
            frame.rest = memory[assembly.system.memory_range(at)].into();
        }
    }
    model
}

/// Why gravity cannot be carried.
fn unbalanced(model: &Model, assembly: &Assembly, fault: Fault) -> Problem {
    let message = match fault {
        Fault::NoConvergence { .. } => {
            "the structure cannot carry the loads that are there from the beginning".to_owned()
        }
        fault => format!(
            "under the loads that are there from the beginning, {}",
            explain(model, &assembly.free, &assembly.looped, fault)
        ),
    };
    let help =
        "look for a mechanism, a missing support, or a member that is too weak; load it by less to see where it yields";
    let subject = match crate::assemble::subject(&assembly.free, &assembly.looped, fault) {
        Subject::Model => model.held.first().map_or(Subject::Model, |h| Subject::Dof(h.0)),
        known => known,
    };
    Problem::error(subject, message, help)
}
