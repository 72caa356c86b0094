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
    for (i, update) in model.updates.iter().enumerate().filter(|(_, u)| u.enabled) {
        let message = format!("update `{}` changes laws during the test, and generated laws are constant", update.name);
        refused.push(refusal(Subject::Update(i), message, "write enabled = false: the first guess stays"));
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
    let mut readable = model.clone();
    readable.channels.retain(|c| unread(model, c).is_none());
    let mut export = crate::simulation::export(&readable, name, origin)?;
    let left_out: Vec<(&str, &str)> =
        model.channels.iter().filter_map(|c| Some((c.name.as_str(), unread(model, c)?))).collect();
    if !left_out.is_empty() {
        let list: String = left_out.iter().map(|(name, why)| format!("- `{name}`: {why}\n")).collect();
        let text = format!("\n## Channels that are left out\n\n{list}");
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
    computed(model).filter(move |(_, e)| iterates(&e.kind)).map(move |(i, element)| {
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
    computed(model).filter(move |(_, e)| triple(&e.kind)).map(|(i, element)| {
        let message = format!(
            "`{}` finds its sliders by an iteration, but generated C takes the same time in every step",
            element.name
        );
        refusal(Subject::Element(i), message, "use a single friction pendulum (type = \"friction-pendulum\")")
    })
}

/// Why generated code does not read a channel, if it does not.
fn unread(model: &Model, channel: &Channel) -> Option<&'static str> {
    let inner = |d: usize| model.specimens.iter().any(|s| s.inner.contains(&d));
    let in_laboratory = match &channel.quantity {
        Quantity::Displacement(d)
        | Quantity::Velocity(d)
        | Quantity::Acceleration(d)
        | Quantity::AbsoluteAcceleration(d) => inner(*d),
        Quantity::Drift { above, below, .. } => inner(*above) || below.is_some_and(inner),
        Quantity::Specimen(s, i, _) => *i >= model.specimens[*s].dofs.len(),
        _ => false,
    };
    if in_laboratory {
        return Some("it exists in the laboratory only");
    }
    let Quantity::Section(e, point, what) = channel.quantity else { return None };
    let Kind::Frame { frame, .. } = &model.elements[e].kind else { return None };
    let fibre = matches!(what, Within::FibreStrain(_) | Within::FibreStress(_));
    (fibre || frame.part.remembered(point).is_none()).then_some("the C does not read strains and stresses of fibres")
}

/// Elements that are computed, with their numbers: those that stand in the laboratory are not in the C.
fn computed(model: &Model) -> impl Iterator<Item = (usize, &Element)> {
    let tested = |e: usize| model.specimens.iter().any(|s| s.elements.contains(&e));
    model.elements.iter().enumerate().filter(move |(e, _)| !tested(*e))
}

/// The C of an iterating scheme takes no law back to where the step began.
fn trials(model: &Model) -> Option<Problem> {
    let moved = |e: &Element| matches!(e.kind, Kind::Law { path: true, .. });
    let (first, _) = computed(model).find(|(_, e)| moved(e))?;
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
