//! A structure cut into substructures as C: every substructure a party, the coupling as a text of its own.
//!
//! ```text
//! Partitioned --blueprint--> parties --emit--> tables         sites: at which times who looks at the inputs
//!                            Schedule --tables--> tables      c/coupling_*.c: the same operations in the same order
//! ```

mod outputs;
mod sites;
mod tables;

use interfield_coupling::blueprint::Schedule;
use interfield_kernel::System;
use interfield_model::Partitioned;
use interfield_model::assemble::{Problem, Subject};
use interfield_model::assembled::Blueprint as SystemBlueprint;
use interfield_model::model::{Load, Model, Quantity, Support};
use interfield_model::partition::SubModel;
use interfield_model::partitioned::{Blueprint, PartBlueprint};

use crate::api::{Export, Interface, Variable, files};
use crate::gait::{Family, Gait, schemes};
use crate::inputs::{Input, Inputs, inputs};
use crate::law::Laws;
use crate::outputs::Read;
use crate::parameters::initials;
use crate::party::{Emitted, Party, Port, Wiring, emit, factors};
use crate::text::{called, identifier, number, referenced};

/// What is exported of one party.
struct Piece {
    system: SystemBlueprint,
    emitted: Emitted,
    gaits: Vec<Gait>,
    /// Laws that its channels read, and its inputs by its own numbers; not of a twin.
    read: Option<Read>,
    inputs: Inputs,
    /// Where its memory starts.
    work: usize,
}

/// A partitioned model as C files called `name`; all reasons why it cannot be.
pub(crate) fn export(model: &Model, name: &str) -> Result<Export, Vec<Problem>> {
    let problems = refusals(model);
    if !problems.is_empty() {
        return Err(problems);
    }
    let parts = Partitioned::new(model.clone())?;
    let b = parts.blueprint();
    let inputs = inputs(model);
    let mut laws = Laws::default();
    let pieces = pieces(&b, model, &inputs, &mut laws).ok_or_else(singular)?;

    let (mut parameters, places) = initial_parameters(&b);
    let scales = parameters.len();
    let scale = |motion: &String| Variable { name: format!("{motion}.scale"), unit: "1".to_owned(), value: 1.0 };
    parameters.extend(inputs.motions.iter().map(scale));

    let gaits: Vec<Vec<Gait>> = pieces.iter().map(|p| p.gaits.clone()).collect();
    let works: Vec<usize> = pieces.iter().map(|p| p.work).collect();
    let work: usize = pieces.iter().map(|p| p.emitted.plan.len).sum();
    let memory: usize = pieces.iter().map(|p| p.system.memory).sum();
    let coupled = tables::emit(&b.coupling, &gaits, &works, &places, memory, work).ok_or_else(singular)?;
    let driven = b.driven.iter().filter_map(|(dof, _)| Some(inputs.imposed[imposed_index(model, *dof)?]));

    let moments = coupled.sites.moments(b.coupling.h, coupled.starts);
    let interface = Interface {
        name: identifier(name),
        title: model.title.clone(),
        scheme: coupling_name(model),
        dt: b.coupling.h,
        steps: parts.steps(),
        moments,
        inputs: inputs.components.iter().map(input_variable).collect(),
        outputs: model.channels.iter().map(|c| Variable { name: c.name.clone(), unit: c.unit.clone(), value: 0.0 }).collect(),
        commands: Vec::new(),
        parameters,
        state: coupled.state + memory + coupled.extra,
        work: coupled.work,
        tables: pieces.iter().map(|p| p.emitted.bytes).sum::<usize>() + inputs.bytes,
    };
    let text = include_str!("../../c/coupled.c")
        .replace("@OUTPUTS@", &outputs::statements(&b, &pieces, &coupled))
        .replace("@VIEW@", &coupled.view)
        .replace("@SCALES@", &scales.to_string())
        .replace("@PARAMETERS@", &interface.defaults())
        .replace("@DT@", &number(b.coupling.h));
    let families: Vec<Family> = gaits.iter().flatten().map(|g| Family::of(&g.scheme)).collect();
    let mut code = format!("enum {{ INPUTS = {} }};\n\n", interface.inputs.len());
    let texts = [include_str!("../../c/types.c"), "\n", include_str!("../../c/numbers.c"), "\n"];
    texts.iter().for_each(|t| code.push_str(t));
    code.push_str(&laws.print());
    code.push_str(include_str!("../../c/linear.c"));
    code.push('\n');
    code.push_str(&factors(&pieces.iter().map(|p| &p.system).collect::<Vec<_>>()));
    code.push_str(include_str!("../../c/system.c"));
    code.push('\n');
    code.push_str(&schemes(&families));
    let mut number_of_gait = 0;
    for piece in &pieces {
        code.push_str(&piece.emitted.text);
        let dims = interfield_kernel::Dims { nu: piece.system.n, ns: piece.system.ns };
        for gait in &piece.gaits {
            let (times, linear) = gait.times();
            let rows: Vec<usize> = (0..times.len()).collect();
            let row_linear = if linear { times.len() } else { 0 };
            code.push_str(&gait.emit(&format!("gait_{number_of_gait}"), dims, &rows, row_linear));
            number_of_gait += 1;
        }
    }
    code.push_str(&inputs.text);
    code.push_str(&coupled.tables);
    if let Some(table) = indices("IMPOSED_IN", driven) {
        code.push_str(&table);
    }
    code.push_str(&coupled.functions);
    code.push('\n');
    code.push_str(&format!("static void set_constants({}_t *self)\n{{\n    (void)self;\n}}\n\n", interface.name));
    code.push_str(&text);
    Ok(files(&interface, &referenced(&called(&interface.named(&code)))))
}

/// A table of indices, one longer than they are.
fn indices(name: &str, values: impl Iterator<Item = usize>) -> Option<String> {
    let mut t = crate::text::Tables::new("");
    t.indices(name, values.chain([0]));
    Some(t.text)
}

fn input_variable(Input { name, unit }: &Input) -> Variable {
    Variable { name: name.clone(), unit: (*unit).to_owned(), value: 0.0 }
}

fn coupling_name(model: &Model) -> String {
    model.partition.as_ref().map_or(String::new(), |p| format!("{} (coupling)", p.coupling.info.name))
}

/// What cannot be exported, and what to do about it.
fn refusals(model: &Model) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(c) = model.channels.iter().find(|c| matches!(c.quantity, Quantity::Energy(_))) {
        let message = format!("channel `{}`: the energy balance of substructures is not part of exported code", c.name);
        problems.push(Problem::error(Subject::Model, message, "leave it out of `channels`, or export in one piece with --whole"));
    }
    problems
}

fn singular() -> Vec<Problem> {
    let message = "a matrix has no factor without row exchanges, which the C code would need".to_owned();
    vec![Problem::error(Subject::Model, message, "take a smaller step, or look for missing masses")]
}

/// Number of a degree of freedom among those with an imposed motion.
fn imposed_index(model: &Model, dof: usize) -> Option<usize> {
    let imposed = |d: &usize| matches!(model.dofs[*d].support, Support::Imposed(_));
    imposed(&dof).then(|| (0..dof).filter(imposed).count())
}

/// Inputs of a part by its own numbers.
fn part_inputs(sub: &SubModel, model: &Model, inputs: &Inputs) -> Inputs {
    let imposed = |(d, dof): (usize, &interfield_model::model::Dof)| match dof.support {
        Support::Imposed(_) => Some(inputs.imposed[imposed_index(model, sub.dofs[d])?]),
        _ => None,
    };
    Inputs {
        components: Vec::new(),
        motions: Vec::new(),
        loads: sub.loads.iter().map(|&l| inputs.loads[l]).collect(),
        imposed: sub.model.dofs.iter().enumerate().filter_map(imposed).collect(),
        text: String::new(),
        bytes: 0,
    }
}

/// Which component of the inputs each signal of a part is.
fn part_wiring(sub: &SubModel, inputs: &Inputs) -> Wiring {
    let mut wiring = Wiring { imposed: inputs.imposed.clone(), ..Wiring::default() };
    for (load, at) in sub.model.loads.iter().zip(&inputs.loads) {
        match load {
            Load::Force { dof, .. } if matches!(sub.model.dofs[*dof].support, Support::Free) => wiring.forces.push(*at),
            Load::Force { .. } => {}
            Load::Ground { .. } => wiring.grounds.push(*at),
        }
    }
    wiring
}

fn pieces(b: &Blueprint<'_>, model: &Model, inputs: &Inputs, laws: &mut Laws) -> Option<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut work = 0;
    // Staged parties are loaded by their multipliers stage by stage, not through their forces.
    let loaded = !matches!(b.coupling.schedule, Schedule::Staggered | Schedule::Parallel { .. });
    for (p, party) in b.coupling.parties.iter().enumerate() {
        let part: &PartBlueprint<'_> = &b.parts[party.substructure];
        let system = party.system.blueprint()?;
        let dims = party.system.dims();
        let gaits: Vec<Gait> =
            party.gaits.iter().map(|g| Gait { scheme: g.scheme, dt: g.dt, slot: g.slot }).collect();
        let own = part_inputs(part.sub, model, inputs);
        let read = (!b.coupling.twins.contains(&p)).then(|| Read::new(part.channels, laws));
        let exported = Party {
            name: format!("party_{p}"),
            blueprint: &system,
            ports: party.ports.iter().filter(|_| loaded).map(|x| Port { dof: x.dof, row: x.row, sign: x.sign }).collect(),
            wiring: part_wiring(part.sub, &own),
            scratch: gaits.iter().map(|g| g.scratch(dims)).max().unwrap_or(0),
        };
        let emitted = emit(&exported, laws, read.as_ref().map_or(&[], Read::laws));
        let len = emitted.plan.len;
        pieces.push(Piece { system, emitted, gaits, read, inputs: own, work });
        work += len;
    }
    Some(pieces)
}

/// Initial values by name, each once however many parts have it; and for each party those of its [u v s].
fn initial_parameters(b: &Blueprint<'_>) -> (Vec<Variable>, Vec<Vec<usize>>) {
    let mut all: Vec<Variable> = Vec::new();
    let mut places = Vec::new();
    for party in &b.coupling.parties {
        let part = &b.parts[party.substructure];
        let mut own = Vec::new();
        for variable in initials(&part.sub.model, part.free, part.looped, party.y0) {
            let known = all.iter().position(|v| v.name == variable.name);
            own.push(known.unwrap_or(all.len()));
            if known.is_none() {
                all.push(variable);
            }
        }
        places.push(own);
    }
    (all, places)
}
