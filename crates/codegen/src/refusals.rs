//! What of a model cannot be exported, with what to do; and what is commanded and measured.

use interfield_coupling::Options;
use interfield_kernel::Scheme;
use interfield_kernel::frame::bearing::Shear;
use interfield_kernel::frame::member::Formulation;
use interfield_kernel::frame::part::Part;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_language::model::{Channel, Element, Kind, Model, Quantity, Within};
use interfield_language::{Problem, Subject};

use crate::api::{Export, Origin, Variable};
use crate::measures;

/// What is measured where specimens are commanded: displacements reached, then forces.
pub(crate) fn measured(model: &Model) -> Vec<Variable> {
    let named = |dof: usize, what: &str| format!("{}.{what}", model.dofs[dof].name);
    let reached = |&d: &usize| Variable::new(named(d, "reached"), measures::motion(model, d, 0), 0.0);
    let force = |&d: &usize| Variable::new(named(d, "measured"), measures::force(model, d), 0.0);
    let dofs = || model.specimens.iter().flat_map(|s| &s.dofs);
    dofs().map(reached).chain(dofs().map(force)).collect()
}

/// Most bytes of constant tables: compilers take minutes, and targets have no room for more.
const MOST_BYTES: usize = 16 << 20;

pub(crate) fn refusal(subject: Subject, message: String, help: &str) -> Problem {
    Problem { subject, message, help: help.to_owned(), fatal: true }
}

/// A model as C files called `name`; all reasons why it cannot be.
pub fn export(model: &Model, name: &str, origin: &Origin) -> Result<Export, Vec<Problem>> {
    let mut refused = Vec::new();
    for external in &model.externals {
        let message = format!("`{}` is computed by another program, which cannot be exported", external.name);
        refused.push(refusal(
            Subject::Element(external.element),
            message,
            "make it a [[specimen]]: its displacements are then commands, its forces inputs",
        ));
    }
    refused.extend(iterated(model));
    refused.extend(triple(model));
    if model.analysis.statics {
        let message = "generated code integrates in time, but this model has only a [pushover]".to_owned();
        refused.push(refusal(Subject::Model, message, "add an [analysis]"));
    }
    if model.analysis.land {
        let message = "generated code takes steps of one length; events = \"land\" does not".to_owned();
        refused.push(refusal(Subject::Step, message, "leave `events` out"));
    }
    refused.extend(trials(model));
    refused.extend(drifting(model));
    if let Some([message, help]) = model.partition.as_ref().and_then(|p| p.coupling.method.facts().not_in_c) {
        refused.push(refusal(Subject::Model, message.to_owned(), help));
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let (readable, unread) = readable(model);
    let mut export = crate::simulation::export(&readable, name, origin)?;
    if !unread.is_empty() {
        let list: String = unread.iter().map(|name| format!("- `{name}`\n")).collect();
        let text =
            format!("\n## Channels that are left out\n\nThe C does not read strains and stresses of fibres:\n\n{list}");
        export.files.iter_mut().filter(|f| f.0 == "README.md").for_each(|f| f.1 += &text);
    }
    Ok(export)
}

/// Members that iterate inside of a step take as long as they need, which no real-time program may do; force-based ones iterate where
/// the scheme does.
fn iterated(model: &Model) -> impl Iterator<Item = Problem> {
    let scheme = model.partition.is_none() && model.analysis.scheme.evaluations().is_none();
    let iterates = move |kind: &Kind| {
        let Kind::Frame { frame, .. } = kind else { return false };
        frame.part.member().is_some_and(|m| match m.formulation {
            Formulation::ForceIterated { .. } => true,
            Formulation::Force { .. } => scheme,
            Formulation::Displacement => false,
        })
    };
    model.elements.iter().enumerate().filter(move |(_, e)| iterates(&e.kind)).map(move |(i, element)| {
        let message = format!(
            "`{}` iterates until its sections are in balance, but generated C takes the same time in every step",
            element.name
        );
        let help = if scheme {
            "use a scheme that does not iterate, or write formulation = \"displacement\""
        } else {
            "write formulation = \"force\": a fixed number of evaluations (passes), what is left goes into the next step"
        };
        refusal(Subject::Element(i), message, help)
    })
}

/// A triple friction pendulum finds its sliders by an iteration.
fn triple(model: &Model) -> impl Iterator<Item = Problem> {
    let triple = |kind: &Kind| {
        let Kind::Frame { frame, .. } = kind else { return false };
        matches!(&frame.part, Part::Bearing(bearing) if matches!(bearing.shear, Shear::Triple(_)))
    };
    model.elements.iter().enumerate().filter(move |(_, e)| triple(&e.kind)).map(|(i, element)| {
        let message = format!(
            "`{}` finds its sliders by an iteration, but generated C takes the same time in every step",
            element.name
        );
        refusal(Subject::Element(i), message, "use a single friction pendulum (type = \"friction-pendulum\")")
    })
}

/// The model with the channels that generated code reads, and the names of the others: strains and stresses of fibres, and sections of
/// members that do not remember their section forces.
fn readable(model: &Model) -> (Model, Vec<String>) {
    let read = |c: &Channel| {
        let Quantity::Section(e, point, what) = c.quantity else { return true };
        let Kind::Frame { frame, .. } = &model.elements[e].kind else { return true };
        !matches!(what, Within::FibreStrain(_) | Within::FibreStress(_)) && frame.part.remembered(point).is_some()
    };
    let unread = model.channels.iter().filter(|c| !read(c)).map(|c| c.name.clone()).collect();
    let mut model = model.clone();
    let channels = model.channels.clone().into_iter().filter(read).collect();
    model.channels = channels;
    (model, unread)
}

/// The C of an iterating scheme takes no law back to where the step began.
fn trials(model: &Model) -> Option<Problem> {
    let moved = |e: &Element| matches!(e.kind, Kind::Law { path: true, .. });
    let first = model.elements.iter().position(moved)?;
    let iterates = model.partition.is_none() && model.analysis.scheme.evaluations().is_none();
    iterates.then(|| {
        let (scheme, name) = (&model.analysis.scheme_name, &model.elements[first].name);
        let message = format!(
            "`{scheme}` iterates, but `{name}` changes with every evaluation, and generated C cannot repeat a \
                step"
        );
        let help = "choose a scheme that does not iterate, or write memory = \"state\" in the element";
        refusal(Subject::Element(first), message, help)
    })
}

/// The C samples loads at the stages, not their derivatives.
fn drifting(model: &Model) -> Option<Problem> {
    let named = |scheme: &AnyScheme, name: &str| scheme.survey().drifts.then(|| name.to_owned());
    let scheme = match &model.partition {
        None => named(&model.analysis.scheme, &model.analysis.scheme_name),
        Some(p) => p.substructures.iter().find_map(|s| named(&s.scheme, &s.scheme_name)),
    };
    scheme.map(|name| {
        let message = format!("`{name}` needs the time derivatives of the loads, which generated C does not have");
        refusal(Subject::Model, message, "choose another scheme, for example rosenbrock3")
    })
}

/// An export, if it is not too large.
pub(crate) fn fits(export: Export) -> Result<Export, Vec<Problem>> {
    let bytes = export.interface.tables;
    if bytes <= MOST_BYTES {
        return Ok(export);
    }
    let message = format!(
        "the tables of the C code would need {} MB, more than the limit of {} MB",
        bytes >> 20,
        MOST_BYTES >> 20
    );
    Err(vec![refusal(Subject::Model, message, "reduce the model, for example to its interface and some modes")])
}

/// Commanded degrees of freedom of all specimens.
pub(crate) fn commands(model: &Model) -> Vec<Variable> {
    let dof = |&d: &usize| Variable::new(model.dofs[d].name.clone(), measures::motion(model, d, 0), 0.0);
    model.specimens.iter().flat_map(|s| &s.dofs).map(dof).collect()
}
