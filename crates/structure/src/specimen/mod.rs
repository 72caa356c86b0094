//! Specimens on their rigs: elements of a model whose forces are measured, not computed.
//!
//! ```text
//! Specimen (part of a Model) --stand_in--> the model with linear stand-ins, and the elements as a model of their own
//!                            --build-----> a rig that moves them --attach--> Assembled
//! ```
//!
//! **Must not be here:** text; what a laboratory does ([`interfield_lab`]).

mod build;
mod held;
mod measured;
pub mod path;
mod sensing;
mod stand_in;

use std::sync::Arc;

use interfield_lab::compensate::Multivariable;
use interfield_lab::controller::Controller;
use interfield_lab::hardware::Hardware;
use interfield_lab::partner::Partner;
use interfield_lab::rig::Rig;
use interfield_language::external::External;
use interfield_language::specimen::Specimen;
use interfield_language::{Model, Problem, Subject};

use crate::assemble::Assembly;
use crate::external;
use build::Unbuilt;
pub(crate) use measured::Measured;
use stand_in::StandIn;
pub(crate) use stand_in::{Physical, by_themselves, physical, substitute, unloaded};

/// Where rigs come from.
pub trait Workshop {
    /// The hardware of a specimen; `None` for the emulated laboratory of its model. The error is a sentence for the user.
    fn hardware(&mut self, _specimen: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        Ok(None)
    }

    /// The function that computes the forces of the specimen behind the emulated actuators, at the scale of the laboratory;
    /// `None`: its elements do. The error is a sentence for the user.
    fn specimen(&mut self, _specimen: &Specimen) -> Result<Option<Box<dyn Partner>>, String> {
        Ok(None)
    }

    /// The compensator of all its actuators; `None`: the one of its model. The error is a sentence for the user.
    fn compensator(&mut self, _specimen: &Specimen) -> Result<Option<Arc<dyn Multivariable>>, String> {
        Ok(None)
    }

    /// The rig of a controller; the error is a sentence for the user.
    fn mount(&mut self, _specimen: &Specimen, controller: Controller) -> Result<Box<dyn Rig>, String> {
        Ok(Box::new(controller))
    }

    /// The program of an external; `None`: its linear stand-in answers. The error is a sentence for the user.
    fn partner(&mut self, _external: &External) -> Result<Option<Box<dyn Partner>>, String> {
        Ok(None)
    }

    /// Whether noise, limits, faults and learning are left out, so that what is left is linear and can be probed.
    fn linear(&self) -> bool {
        false
    }
}

/// The emulated laboratory, as fast as it goes.
pub struct Rehearsal;

impl Workshop for Rehearsal {}

/// The emulated laboratory without noise, limits, faults and learning.
pub struct Probe;

impl Workshop for Probe {
    fn linear(&self) -> bool {
        true
    }
}

/// Rows of the coordinates of the elements of a specimen over its commanded degrees of freedom, element by element.
pub(crate) type Rows = Vec<(usize, Vec<Vec<f64>>)>;

/// The emulated laboratory of a specimen by itself, for a test in another process.
///
/// # Errors
/// What cannot be assembled, or built.
pub fn emulated(model: &Model, specimen: usize) -> Result<Box<dyn Hardware>, Vec<Problem>> {
    emulated_with(model, specimen, None)
}

/// The same with a specimen of the caller behind the actuators, instead of its elements.
///
/// # Errors
/// What cannot be assembled, or built.
pub fn emulated_with(
    model: &Model,
    specimen: usize,
    law: Option<Box<dyn Partner>>,
) -> Result<Box<dyn Hardware>, Vec<Problem>> {
    let (s, mut physical) = one(model, specimen)?;
    build::emulated(s, &mut physical, false, law).map_err(|e| vec![problem(s, specimen, e.into())])
}

/// A specimen on its rig, without the structure around it.
pub struct Apart {
    /// What moves it.
    pub rig: Box<dyn Rig>,
    /// Stiffness and damping at rest, N/m and N s/m (N m, N m s), by rows over the commanded degrees of freedom.
    pub stiffness: Vec<f64>,
    /// See [`Apart::stiffness`].
    pub damping: Vec<f64>,
}

/// Puts a specimen on its rig, for a structure that is computed elsewhere.
///
/// # Errors
/// What cannot be assembled, or built.
pub fn apart(model: &Model, specimen: usize, workshop: &mut dyn Workshop) -> Result<Apart, Vec<Problem>> {
    let (s, mut physical) = one(model, specimen)?;
    let rig = build::build(s, &names(model, s), &mut physical, workshop).map_err(|e| vec![problem(s, specimen, e)])?;
    let StandIn { stiffness, damping, .. } = physical.stand_in;
    Ok(Apart { rig, stiffness, damping })
}

/// Names of the degrees of freedom that the actuators of a specimen move.
fn names<'m>(model: &'m Model, specimen: &Specimen) -> Vec<&'m str> {
    let moved = specimen.dofs.iter().chain(&specimen.inner[..specimen.held]);
    moved.map(|&d| model.dofs[d].name.as_str()).collect()
}

/// A specimen and its elements by themselves.
fn one(model: &Model, specimen: usize) -> Result<(&Specimen, Physical), Vec<Problem>> {
    let (_, stand_ins) = substitute(model)?;
    let (s, stand_in) = model.specimens.get(specimen).zip(stand_ins.into_iter().nth(specimen)).ok_or_else(|| {
        vec![Problem::error(Subject::Specimen(specimen), "there is no such specimen".to_owned(), REFERENCE)]
    })?;
    Ok((s, physical(model, s, stand_in)?))
}

fn problem(specimen: &Specimen, index: usize, why: Unbuilt) -> Problem {
    let (subject, what) = match why {
        Unbuilt::Design(what) => (Subject::Specimen(index), what),
        Unbuilt::Workshop(what) => (Subject::Laboratory, what),
    };
    Problem::error(subject, format!("specimen `{}`: {what}", specimen.name), REFERENCE)
}

const REFERENCE: &str = "see `[[specimen]]` in the reference";

/// Puts rigs and programs in the place of the stand-ins of an assembled model. The rows of its specimens, then of its externals.
pub(crate) fn mount(
    model: &Model,
    assembly: &mut Assembly,
    specimens: Vec<Physical>,
    workshop: &mut dyn Workshop,
) -> Result<Vec<Rows>, Vec<Problem>> {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (i, (specimen, mut physical)) in model.specimens.iter().zip(specimens).enumerate() {
        let unknowns = assembly.unknowns(&specimen.dofs);
        let rig = build::build(specimen, &names(model, specimen), &mut physical, workshop);
        let StandIn { stiffness, damping, rows: own, .. } = physical.stand_in;
        let inner: Vec<f64> = specimen.inner.iter().map(|&d| model.dofs[d].u0).collect();
        match rig {
            Ok(rig) => assembly.system.attach(|memory0| {
                Measured::new(rig, unknowns, [stiffness, damping], specimen.correct_force, (memory0, i))
                    .with_inner(inner)
            }),
            Err(message) => problems.push(problem(specimen, i, message)),
        }
        rows.push(own);
    }
    for (i, external) in model.externals.iter().enumerate() {
        rows.push(external::rows(external));
        problems.extend(external::attach(external, i, model, assembly, workshop).err());
    }
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}
