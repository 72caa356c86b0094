//! Gravity first: a model with loads that are there from the beginning is brought into static balance with them, and begins to move from
//! there. Displacements are those that the loads gave, and the elements remember how they came there.

use std::sync::Arc;

use interfield_kernel::{Fault, System};
use interfield_language::model::{Dof, Kind, Model, Support};
use interfield_language::units::significant;
use interfield_language::{Problem, Subject};

use crate::assemble::{Assembly, Place, assemble};
use crate::assembled::Statics;
use crate::faults::{explain, subject};
use crate::pushover::reason;

/// Equal steps in which the loads come.
const STEPS: u32 = 10;

/// Whether loads are there from the beginning.
fn is_loaded(model: &Model) -> bool {
    let spread = |k: &Kind| matches!(k, Kind::Frame { frame, .. } if frame.load != [0.0; 3]);
    // Of a structure that is pushed also displacements of supports: it begins in balance.
    let moved = |d: &Dof| matches!(&d.support, Support::Imposed(m) if m.at(0.0)[0] != 0.0);
    let settles = model.analysis.statics && model.dofs.iter().any(moved);
    settles || !model.held.is_empty() || model.elements.iter().any(|e| spread(&e.kind))
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
    // Initial displacements are those from the balance on.
    let mut y = assembly.y0.clone();
    y[..assembly.free.len()].fill(0.0);
    let mut statics = start(&mut assembly, &y).map_err(|fault| vec![unbalanced(&model, &assembly, 0.0, fault)])?;
    let carried = statics.gravity(&mut assembly.system, STEPS);
    carried.map_err(|fault| vec![unbalanced(&model, &assembly, statics.share(), fault)])?;
    let memory = assembly.system.memory().to_vec();
    statics.write(&mut y);
    Ok(Arc::new(at_rest(&model, &assembly, &y, &memory)))
}

/// Begins without any load, where imposed displacements are not there yet.
fn start(assembly: &mut Assembly, y: &[f64]) -> Result<Statics, Fault> {
    assembly.system.unload();
    Statics::new(&mut assembly.system, y)
}

/// The model in the state [u v s], with what its elements remember there.
fn at_rest(model: &Model, assembly: &Assembly, y: &[f64], memory: &[f64]) -> Model {
    let mut model = model.clone();
    for (dof, place) in model.dofs.iter_mut().zip(&assembly.places) {
        if let Place::Free(i) = place {
            dof.u0 += y[*i];
        }
    }
    let states = &y[2 * assembly.free.len()..];
    for (at, &e) in assembly.looped.iter().enumerate() {
        if let Kind::Frame { frame, .. } = &mut model.elements[e].kind {
            frame.rest = memory[assembly.system.memory_range(at)].into();
        }
        let own = &states[assembly.system.state_range(at)];
        // What stands in the laboratory is moved to the balance before the test.
        let tested = model.specimens.iter().any(|s| s.elements.contains(&e));
        if !tested && own.iter().any(|s| *s != 0.0) {
            model.elements[e].s0 = own.to_vec();
        }
    }
    model
}

/// Why gravity cannot be carried, beyond this share of it.
fn unbalanced(model: &Model, assembly: &Assembly, share: f64, fault: Fault) -> Problem {
    let (free, looped) = (&assembly.free, &assembly.looped);
    let loads = "the loads that are there from the beginning";
    let percent = significant(100.0 * share, 3);
    let (message, help) = match fault {
        Fault::NoConvergence { .. } => {
            let why = reason(model, &assembly.system, free, looped);
            let message =
                format!("the structure cannot carry {loads}: no balance was found beyond {percent} % of them; {why}");
            (message, "look at the strength of this element, at second-order effects, and at the units of the loads")
        }
        Fault::Singular { .. } if share == 0.0 => {
            let message =
                format!("the structure is a mechanism under {loads}: {}", explain(model, free, looped, fault));
            (message, "add a support or a member that resists this motion")
        }
        fault => {
            let message = format!("at {percent} % of {loads}, {}", explain(model, free, looped, fault));
            (message, "look for a member that has lost its stiffness, or a missing support")
        }
    };
    let weak = assembly.system.stuck.and_then(|s| s.weak).and_then(|(e, _)| looped.get(e).copied());
    let subject = match (subject(free, looped, fault), weak) {
        (_, Some(e)) => Subject::Element(e),
        (Subject::Model, None) => model.held.first().map_or(Subject::Model, |h| Subject::Dof(h.0)),
        (known, None) => known,
    };
    Problem::error(subject, message, help)
}
