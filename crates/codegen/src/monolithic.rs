//! A structure in one piece as C: one party, one gait.

use std::fmt::Write;

use interfield_coupling::{Method, Start};
use interfield_kernel::element::path::WAY;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::StageTimes;
use interfield_kernel::{Scheme, System};
use interfield_language::model::{Element, Kind, Load, Model, Support};
use interfield_language::partition::Partition;
use interfield_language::{Problem, Subject};
use interfield_structure::Simulation;
use interfield_structure::assembled::Blueprint;
use interfield_structure::channels::Channels;
use interfield_structure::simulation::Source;

use crate::api::{Export, Interface, LIFECYCLE, Variable, files};
use crate::cost::Cost;
use crate::gait::{Family, Gait, schemes};
use crate::harness;
use crate::inputs::{Inputs, inputs};
use crate::law::Laws;
use crate::outputs::{Read, accelerations, balance_len, statements};
use crate::parameters::{Owner, parameters};
use crate::party::{Party, Plan, Wiring, emit, factors};
use crate::record::Operations;
use crate::text::{called, identifier, number};

/// What is measured where specimens are commanded: displacements reached, then forces.
pub(crate) fn measured(commands: &[Variable]) -> Vec<Variable> {
    let of =
        |v: &Variable, suffix: &str, unit: String| Variable { name: format!("{}.{suffix}", v.name), unit, value: 0.0 };
    let force = |v: &Variable| if v.unit == "rad" { "N*m" } else { "N" }.to_owned();
    let reached = commands.iter().map(|v| of(v, "reached", v.unit.clone()));
    reached.chain(commands.iter().map(|v| of(v, "measured", force(v)))).collect()
}

/// Most bytes of constant tables: compilers take minutes, and targets have no room for more.
const MOST_BYTES: usize = 16 << 20;

pub(crate) fn refusal(subject: Subject, message: String, help: &str) -> Problem {
    Problem { subject, message, help: help.to_owned(), fatal: true }
}

/// A model as C files called `name`; all reasons why it cannot be.
pub fn export(model: &Model, name: &str) -> Result<Export, Vec<Problem>> {
    let mut refused = Vec::new();
    for external in &model.externals {
        let message = format!("`{}` is computed by another program, which cannot be exported", external.name);
        refused.push(refusal(
            Subject::Element(external.element),
            message,
            "make it a [[specimen]]: its displacements are then commands, its forces inputs",
        ));
    }
    if model.analysis.land {
        let message = "generated code takes steps of one length; events = \"land\" does not".to_owned();
        refused.push(refusal(Subject::Step, message, "leave `events` out"));
    }
    refused.extend(trials(model));
    refused.extend(drifting(model));
    let free = |p: &Partition| p.coupling.method == Method::Llm(Start::Free);
    if model.partition.as_ref().is_some_and(free) {
        let message = "the C starts localized multipliers in a consistent way only".to_owned();
        refused.push(refusal(Subject::Model, message, "write start = \"consistent\" in [coupling]"));
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    if model.partition.is_some() {
        return crate::partitioned::export(model, name);
    }
    let sim = Simulation::new(model.clone())?;
    let Some(b) = sim.coupling.system(0).blueprint() else {
        let message = "the dynamic matrix has no sparse factor without row exchanges, which the C code would need";
        return Err(vec![refusal(
            Subject::Model,
            message.to_owned(),
            "take a smaller step, or look for missing masses",
        )]);
    };
    let whole = Whole::new(&sim, &b);
    let mut export = fits(whole.print(&identifier(name)))?;
    harness::add(&mut export, model, Some(&whole.gait.times().0));
    Ok(export)
}

/// The C of an iterating scheme takes no law back to where the step began.
fn trials(model: &Model) -> Option<Problem> {
    let moved = |e: &Element| matches!(e.kind, Kind::Law { path: true, .. });
    let first = model.elements.iter().position(moved)?;
    let iterates = model.partition.is_none() && model.analysis.scheme.claims().evaluations.is_none();
    iterates.then(|| {
        let (scheme, name) = (&model.analysis.scheme_name, &model.elements[first].name);
        let message =
            format!("`{scheme}` iterates, and its C cannot try the steps of `{name}`, which evaluations move");
        let help = "choose a scheme that does not iterate, or write memory = \"state\" in the element";
        refusal(Subject::Element(first), message, help)
    })
}

/// The C samples loads at the stages, not their derivatives.
fn drifting(model: &Model) -> Option<Problem> {
    let named = |scheme: &AnyScheme, name: &str| {
        let drifts = matches!(scheme, AnyScheme::Rosenbrock(r) if r.time == StageTimes::Derivative);
        drifts.then(|| name.to_owned())
    };
    let scheme = match &model.partition {
        None => named(&model.analysis.scheme, &model.analysis.scheme_name),
        Some(p) => p.substructures.iter().find_map(|s| named(&s.scheme, &s.scheme_name)),
    };
    scheme.map(|name| {
        let message = format!("`{name}` needs the derivatives of the loads, which the C does not know");
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
        "the tables of the C code would take {} MB, more than the {} MB that are exported",
        bytes >> 20,
        MOST_BYTES >> 20
    );
    Err(vec![refusal(Subject::Model, message, "reduce the model, for example to its interface and some modes")])
}

/// Everything that is printed.
struct Whole<'a> {
    sim: &'a Simulation,
    b: &'a Blueprint,
    gait: Gait,
    inputs: Inputs,
    /// Times within a step at which inputs are asked for, ascending.
    moments: Vec<f64>,
}

impl<'a> Whole<'a> {
    fn new(sim: &'a Simulation, b: &'a Blueprint) -> Self {
        let gait = Gait { scheme: sim.model.analysis.scheme, dt: sim.model.analysis.dt, slot: 0 };
        let (times, at_start) = gait.times();
        let mut moments: Vec<f64> = times.into_iter().chain(at_start.then_some(0.0)).collect();
        moments.sort_by(f64::total_cmp);
        moments.dedup();
        Whole { sim, b, gait, inputs: inputs(&sim.model), moments }
    }

    /// What its channels read.
    fn channels(&self) -> Channels<'a> {
        self.sim.channels_of(0)
    }

    fn row(&self, time: f64) -> usize {
        self.moments.iter().position(|m| *m == time).unwrap_or_default()
    }

    /// Which component of the inputs each signal of the system is.
    fn wiring(&self) -> Wiring {
        let model = &self.sim.model;
        let free = |dof: usize| matches!(model.dofs[dof].support, Support::Free);
        let mut wiring = Wiring { imposed: self.inputs.imposed.clone(), ..Wiring::default() };
        for (load, at) in model.loads.iter().zip(&self.inputs.loads) {
            match load {
                Load::Force { dof, .. } if free(*dof) => wiring.forces.push(*at),
                Load::Force { .. } => {}
                Load::Ground { .. } => wiring.grounds.push(*at),
            }
        }
        wiring
    }

    fn print(&self, name: &str) -> Export {
        let (sim, b, gait) = (self.sim, self.b, &self.gait);
        let (model, dims) = (&sim.model, sim.coupling.system(0).dims());
        let mut laws = Laws::default();
        let read = Read::new(self.channels(), &mut laws);
        let party = Party {
            name: "party_0".to_owned(),
            blueprint: b,
            ports: Vec::new(),
            wiring: self.wiring(),
            scratch: gait.scratch(dims),
        };
        let emitted = emit(&party, &mut laws, read.laws());
        let plan = &emitted.plan;
        let owner = Owner {
            channels: self.channels(),
            free: sim.blueprint().parts[0].free,
            looped: sim.blueprint().parts[0].looped,
            y: sim.y(0),
            b,
            plan,
            work: 0,
            read: Some(&read),
        };
        let parameters = parameters(&[owner], &self.inputs);

        let commands = commands(model);
        let (ny, history) = (dims.state(), model.analysis.scheme.memory(dims).history);
        let state = ny + history + b.memory;
        let rows = self.moments.len() + 1;
        let measures = !commands.is_empty();
        let pending = if measures { rows * self.inputs.components.len() } else { 0 };

        let balances = sim.sources().iter().any(|s| matches!(s, Source::Energy { .. }));
        let energy = if balances { balance_len(b) } else { 0 };

        let cost = Cost::new(b, &laws, &emitted.laws);
        let mut per_step =
            gait.cost(&cost) + Operations { flops: 2 * sim.sources().len() as u64, ..Operations::default() };
        if self.channels().needs_acceleration {
            per_step = per_step + cost.force() + cost.solve(b.operators.len() - 1);
        }
        if balances {
            per_step = per_step + cost.force() + cost.mul_mass().times(5) + cost.mul_tangent();
        }
        for law in read.laws() {
            per_step = per_step + laws.cost(law.law)[0];
        }

        let channel = |c: &interfield_language::model::Channel| Variable {
            name: c.name.clone(),
            unit: c.unit.clone(),
            value: 0.0,
        };
        let interface = Interface {
            name: name.to_owned(),
            title: model.title.clone(),
            scheme: model.analysis.scheme_name.clone(),
            dt: model.analysis.dt,
            steps: sim.steps(),
            moments: self.moments.clone(),
            inputs: self.inputs.components.clone(),
            outputs: model.channels.iter().map(channel).collect(),
            measured: measured(&commands),
            commands,
            evaluations: gait.times().0.len(),
            parameters: parameters.list.clone(),
            state,
            work: plan.len + state + pending + energy,
            tables: emitted.bytes + self.inputs.bytes,
            per_step,
        };

        let family = Family::of(&gait.scheme);
        let times: Vec<usize> = gait.times().0.iter().map(|t| self.row(*t)).collect();
        let step = if measures { include_str!("../c/step_measured.c") } else { include_str!("../c/step.c") };
        let body = [include_str!("../c/instance.c"), "\n", LIFECYCLE, "\n", step].concat();
        let body = body
            .replace("@OUTPUTS@", &self.outputs(&read, plan, balances.then_some(plan.len + state + pending)))
            .replace(
                "@IN@",
                &if measures { format!("self->work + {}", plan.len + state) } else { "self->inputs".to_owned() },
            )
            .replace("@SCALES@", &parameters.scales.to_string())
            .replace("@PARAMETERS@", &interface.defaults())
            .replace("@DT@", &number(model.analysis.dt))
            .replace("@FAULT@", &plan.fault.to_string())
            .replace("@NY@", &ny.to_string())
            .replace("@MEMORY0@", &(ny + history).to_string())
            .replace("@BEFORE@", &plan.len.to_string())
            .replace("@NOW@", &(plan.len + state).to_string())
            .replace("@MEASURED@", &plan.measured.to_string())
            .replace("@STAGES@", &interface.evaluations.to_string())
            .replace("@STARTS@", &i32::from(family.evaluates_at_start()).to_string());
        let setting = if parameters.setting.is_empty() { "    (void)self;\n" } else { &parameters.setting };
        let code = [
            &format!("enum {{ INPUTS = {}, WAY = {WAY} }};\n\n", interface.inputs.len()),
            include_str!("../c/types.c"),
            "\n",
            include_str!("../c/numbers.c"),
            "\n",
            &laws.print(),
            include_str!("../c/linear.c"),
            "\n",
            &factors(&[b]),
            include_str!("../c/system.c"),
            "\n",
            include_str!("../c/energy.c"),
            "\n",
            &schemes(&[family]),
            &emitted.text,
            &gait.emit("gait_0", dims, &times, self.row(0.0)),
            &self.inputs.text,
            &format!("/* Parameters of laws to their places. */\nstatic void set_constants(@name@_t *self)\n{{\n{setting}}}\n\n"),
            &body,
        ]
        .concat();
        files(&interface, &called(&interface.named(&code)), &self.stand_in())
    }

    /// Statements that read all channels.
    fn outputs(&self, read: &Read, plan: &Plan, energy: Option<usize>) -> String {
        let (sim, n) = (self.sim, self.b.n);
        let mut out = String::new();
        if let Some(at) = energy {
            let _ = writeln!(
                out,
                "    double *energy = W + {at};\n    const int unbalanced = energy_add(&party_0, W, in, t, x, energy, self->step == 0);\n    \
                 if (unbalanced) {{\n        return unbalanced;\n    }}",
            );
        }
        if let Some(a) = accelerations(self.channels(), plan) {
            let _ = writeln!(out, "    const double *a = {a};");
            if self.channels().needs_acceleration {
                let _ = writeln!(
                    out,
                    "    const int fault = sys_accelerations(&party_0, W, in, t, x, x + {n}, x + {}, W + {});\n    \
                     if (fault) {{\n        return fault;\n    }}",
                    2 * n,
                    plan.a
                );
            }
        }
        let place = |index: usize| {
            let here = |s: &Source| matches!(s, Source::Part { index: i, .. } if *i == index);
            sim.sources().iter().position(here).unwrap_or_default()
        };
        out += &statements(self.channels(), self.b, read, &self.inputs, plan, (0, 0), place);
        for (k, source) in sim.sources().iter().enumerate() {
            let _ = match source {
                Source::Energy { part, factor } => {
                    writeln!(out, "    out[{k}] = energy[{}] * {};", *part as usize, number(*factor))
                }
                Source::Part { .. } => Ok(()),
                _ => writeln!(out, "    out[{k}] = 0.0;"),
            };
        }
        out
    }

    /// Stiffness that stands in for all specimens in `main.c`: row-major over the commands.
    fn stand_in(&self) -> Vec<f64> {
        let all: usize = self.b.specimens.iter().map(|s| s.unknowns.len()).sum();
        let mut k = vec![0.0; all * all];
        let mut first = 0;
        for s in &self.b.specimens {
            let n = s.unknowns.len();
            for i in 0..n {
                for j in 0..n {
                    k[(first + i) * all + first + j] = s.stiffness[i * n + j];
                }
            }
            first += n;
        }
        k
    }
}

/// Commanded degrees of freedom of all specimens.
pub(crate) fn commands(model: &Model) -> Vec<Variable> {
    let dof = |d: &usize| {
        let dof = &model.dofs[*d];
        Variable { name: dof.name.clone(), unit: if dof.angle { "rad" } else { "m" }.to_owned(), value: 0.0 }
    };
    model.specimens.iter().flat_map(|s| &s.dofs).map(dof).collect()
}
