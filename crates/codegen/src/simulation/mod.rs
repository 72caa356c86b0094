//! A simulation as C: every part a subdomain, the coupling as a text of its own; a structure in one piece is the coupling without constraints.
//!
//! ```text
//! Simulation --blueprint--> subdomains --emit--> tables         sites: at which times who looks at the inputs
//!                            Schedule --tables--> tables      c/coupling_*.c: the same operations in the same order
//! ```

mod cost;
mod outputs;
mod pieces;
mod schedule;
mod sites;
mod specimens;
mod tables;

use interfield_kernel::Dims;
use interfield_kernel::element::path::WAY;
use interfield_language::model::Model;
use interfield_language::{Problem, Subject};
use interfield_structure::Simulation;
use interfield_structure::assembled::Blueprint as SystemBlueprint;
use interfield_structure::blueprint::Blueprint;

use crate::api::{Export, Interface, LIFECYCLE, Measure, Origin, Variable, files};
use crate::harness;
use crate::inputs::{Inputs, inputs};
use crate::law::Laws;
use crate::parameters::{Owner, Parameters, parameters};
use crate::record::Operations;
use crate::refusals::{commands, fits, measured, refusal};
use crate::stepping::{Schemes, Stepping};
use crate::subdomain::factors;
use crate::text::{Tables, called, identifier, number, referenced, specialised};
use pieces::{Piece, imposed_index, pieces};
use tables::Coupled;

/// A partitioned model as C files called `name`; all reasons why it cannot be.
pub(crate) fn export(model: &Model, name: &str, origin: &Origin) -> Result<Export, Vec<Problem>> {
    let refused = specimens::refusals(model);
    if !refused.is_empty() {
        return Err(refused);
    }
    let parts = Simulation::new(model.clone())?;
    let b = parts.blueprint();
    let inputs = inputs(model);
    let mut laws = Laws::default();
    let pieces = pieces(&b, model, &inputs, &mut laws).ok_or_else(singular)?;
    let parameters = parameters(&owners(&b, &pieces), &inputs);
    let steppings: Vec<Vec<Stepping>> = pieces.iter().map(|p| p.steppings.clone()).collect();
    let coupled = tables::emit(
        &b.coupling,
        &tables::Places {
            steppings: &steppings,
            works: &pieces.iter().map(|p| p.work).collect::<Vec<_>>(),
            initials: &parameters.initials,
            commands: &specimens::commands_of(&b, model),
            inputs: inputs.components.len(),
            work: pieces.iter().map(|p| p.emitted.plan.len).sum(),
        },
    )
    .ok_or_else(singular)?;
    let energies = outputs::energies(&b, &pieces, coupled.work);
    let commands = commands(model);
    let (moments, evaluations) =
        (coupled.sites.moments(b.coupling.h, coupled.starts), specimens::evaluations(&b.coupling));
    // What goes in and out is converted from its units and to them.
    let converted = inputs.components.len() * (moments.len() + 1) + commands.len() * evaluations;
    let units_cost = Operations { flops: 3 * converted as u64, divisions: converted as u64, ..Operations::default() };
    let interface = Interface {
        name: identifier(name),
        title: model.title.clone(),
        origin: origin.clone(),
        scheme: coupling_name(model),
        dt: b.coupling.h,
        steps: parts.steps(),
        moments,
        inputs: inputs.components.clone(),
        outputs: model.channels.iter().map(channel).collect(),
        measured: measured(model),
        commands,
        evaluations,
        parameters: parameters.list.clone(),
        state: coupled.state + coupled.extra,
        work: energies.last().map_or(coupled.work, |e| e.at + e.len),
        tables: pieces.iter().map(|p| p.emitted.bytes).sum::<usize>() + inputs.bytes + coupled.bytes,
        per_step: cost::per_step(&b, &pieces, &laws) + units_cost,
    };
    let read = outputs::statements(&b, &pieces, &coupled, &energies);
    let code = code(&b, model, &pieces, &coupled, &parameters, &inputs, &laws, &interface, &read);
    let stand_in = specimens::stand_in(&b, model, &pieces);
    let mut export = fits(files(&interface, &referenced(&called(&interface.named(&code))), &stand_in))?;
    let whole = pieces.first().filter(|_| model.partition.is_none());
    harness::add(&mut export, model, whole.map(|p| p.steppings[0].evaluations.as_slice()));
    Ok(export.stamped())
}

fn channel(c: &interfield_language::model::Channel) -> Variable {
    Variable::new(c.name.clone(), Measure { unit: c.unit.clone(), si: 1.0 / c.factor }, 0.0)
}

fn coupling_name(model: &Model) -> String {
    model
        .partition
        .as_ref()
        .map_or_else(|| model.analysis.scheme_name.clone(), |p| format!("{} (coupling)", p.coupling.info.name))
}

fn singular() -> Vec<Problem> {
    let message = "a matrix has no sparse factor without row exchanges, which the C code would need";
    vec![refusal(Subject::Model, message.to_owned(), "use a smaller step, or check for missing masses")]
}

fn owners<'a>(b: &'a Blueprint<'_>, pieces: &'a [Piece]) -> Vec<Owner<'a>> {
    let owner = |(subdomain, piece): (&'a interfield_coupling::blueprint::Subdomain<'_, _>, &'a Piece)| {
        let part = &b.parts[subdomain.substructure];
        Owner {
            channels: part.channels,
            free: part.free,
            looped: part.looped,
            y: subdomain.y0,
            b: &piece.system,
            plan: &piece.emitted.plan,
            work: piece.work,
            read: piece.read.as_ref(),
        }
    };
    b.coupling.subdomains.iter().zip(pieces).map(owner).collect()
}

/// Everything below the includes.
#[allow(clippy::too_many_arguments)]
fn code(
    b: &Blueprint<'_>,
    model: &Model,
    pieces: &[Piece],
    coupled: &Coupled,
    parameters: &Parameters,
    inputs: &Inputs,
    laws: &Laws,
    interface: &Interface,
    read: &str,
) -> String {
    let systems: Vec<&SystemBlueprint> = pieces.iter().map(|p| &p.system).collect();
    let mut flags = Vec::new();
    flags.extend(systems.iter().any(|s| s.is_framed()).then_some("FRAMES"));
    flags.extend(systems.iter().any(|s| !s.held.is_empty()).then_some("HELD"));
    let steppings = pieces.iter().flat_map(|p| p.steppings.iter().map(|s| (s, p.dims())));
    let mut schemes = Schemes::default();
    let mut table = |(i, (s, dims)): (usize, (&Stepping, Dims))| {
        let rows: Vec<usize> = (0..s.looks.len()).collect();
        schemes.table(&format!("stepping_{i}"), s, dims, &rows)
    };
    let stepping_tables: String = steppings.enumerate().map(&mut table).collect();
    let systems_text: String = pieces.iter().map(|p| p.emitted.text.as_str()).collect();
    let mut driven = Tables::new("");
    let component = |dof: usize| Some(inputs.imposed[imposed_index(model, dof)?]);
    driven.indices("IMPOSED_IN", b.driven.iter().filter_map(|d| component(d.0)).chain([0]));

    let measures = !interface.commands.is_empty();
    let now = if measures { "self->work + AT_NOW" } else { "self->si_inputs" };
    let step = if measures { include_str!("../../c/step_measured.c") } else { include_str!("../../c/step.c") };
    let body = [include_str!("../../c/instance.c"), "\n", LIFECYCLE, "\n", step].concat();
    let body = body
        .replace("@OUTPUTS@", read)
        .replace("@VIEW@", &coupled.view)
        .replace("@IN@", now)
        .replace("@SCALES@", &parameters.scales.to_string())
        .replace("@DT@", &number(b.coupling.h));
    let setting = if parameters.setting.is_empty() { "    (void)self;\n" } else { &parameters.setting };
    [
        &format!("enum {{ INPUTS = {}, WAY = {WAY} }};\n\n", interface.inputs.len()),
        &specialised(include_str!("../../c/types.c"), &flags),
        "\n",
        include_str!("../../c/numbers.c"),
        "\n",
        &laws.print(),
        &laws.frames.print(),
        include_str!("../../c/linear.c"),
        "\n",
        &factors(&systems),
        &specialised(include_str!("../../c/system.c"), &flags),
        "\n",
        &specialised(&schemes.print(), &flags),
        &systems_text,
        &stepping_tables,
        &inputs.text,
        &coupled.tables,
        &driven.text,
        &coupled.functions,
        "\n",
        &specialised(include_str!("../../c/energy.c"), &flags),
        "\n",
        &interface.defaults(),
        &format!(
            "/* Parameters of laws to their places. */\nstatic void set_constants(@name@_t *self)\n{{\n{setting}}}\n\n"
        ),
        &body,
    ]
    .concat()
}
