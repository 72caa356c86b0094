//! A structure in one piece as C.

use interfield_kernel::{Scheme, System};
use interfield_model::Simulation;
use interfield_model::assemble::{Problem, Subject};
use interfield_model::model::{Load, Model};

use crate::api::{Export, Interface, Variable, files};
use crate::gait::{Family, Gait, schemes};
use crate::inputs::{Input, inputs};
use crate::law::Laws;
use crate::outputs::{Read, accelerations, statements};
use crate::parameters::parameters;
use crate::party::{Party, Wiring, emit, factors};
use crate::text::{called, identifier, number};

/// A model as C files called `name`; all reasons why it cannot be.
pub fn export(model: &Model, name: &str) -> Result<Export, Vec<Problem>> {
    let refuse =
        |subject, message: String, help: &str| vec![Problem { subject, message, help: help.to_owned(), fatal: true }];
    if model.partition.is_some() {
        let message = "the coupling of substructures cannot be exported".to_owned();
        return Err(refuse(Subject::Substructure(0), message, "export the structure in one piece with --whole"));
    }
    if !model.specimens.is_empty() {
        let message = "a model with a specimen cannot be exported".to_owned();
        return Err(refuse(Subject::Specimen(0), message, "remove the specimen"));
    }
    let sim = Simulation::new(model.clone())?;
    let system = sim.domain.system();
    let dims = system.dims();
    let Some(b) = system.blueprint() else {
        let message = "the dynamic matrix has no sparse factor without row exchanges, which the C code would need";
        return Err(refuse(Subject::Model, message.to_owned(), "take a smaller step, or look for missing masses"));
    };
    let name = identifier(name);
    let gait = Gait { scheme: model.analysis.scheme, dt: model.analysis.dt, slot: 0 };

    // Inputs and the times at which the scheme asks for them.
    let inputs = inputs(model);
    let (times, at_start) = gait.times();
    let mut moments: Vec<f64> = times.iter().copied().chain(at_start.then_some(0.0)).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    let row = |time: f64| moments.iter().position(|m| *m == time).unwrap_or_default();
    let rows: Vec<usize> = times.iter().map(|t| row(*t)).collect();
    let wiring = wiring(model, &inputs.loads, &inputs.imposed, &b);

    let mut laws = Laws::default();
    let read = Read::new(&sim, &mut laws);
    let party =
        Party { name: "party_0".to_owned(), blueprint: &b, ports: Vec::new(), wiring, scratch: gait.scratch(dims) };
    let emitted = emit(&party, &mut laws, read.laws());
    let plan = &emitted.plan;
    let parameters = parameters(&sim, &inputs);
    let scales = parameters.len() - inputs.motions.len();

    let ny = dims.state();
    let history = model.analysis.scheme.memory(dims).history;
    let state = ny + history + b.memory;
    let work = plan.len + state;

    let mut outputs = String::new();
    if let Some(a) = accelerations(&sim, plan) {
        outputs.push_str(&format!("    const double *a = {a};\n"));
        if sim.needs_acceleration() {
            outputs.push_str(&format!(
                "    const int fault = sys_accelerations(&party_0, W, in, t, x, x + {}, x + {}, W + {});\n    if (fault) {{\n        return fault;\n    }}\n",
                dims.nu,
                2 * dims.nu,
                plan.a
            ));
        }
    }
    outputs.push_str(&statements(&sim, &b, &read, &inputs, plan));

    let interface = Interface {
        name: name.clone(),
        title: model.title.clone(),
        scheme: model.analysis.scheme_name.clone(),
        dt: model.analysis.dt,
        steps: sim.steps(),
        moments: moments.clone(),
        inputs: inputs
            .components
            .iter()
            .map(|Input { name, unit }| Variable { name: name.clone(), unit: (*unit).to_owned(), value: 0.0 })
            .collect(),
        outputs: model
            .channels
            .iter()
            .map(|c| Variable { name: c.name.clone(), unit: c.unit.clone(), value: 0.0 })
            .collect(),
        commands: Vec::new(),
        parameters,
        state,
        work,
        tables: emitted.bytes + inputs.bytes,
    };
    let text = include_str!("../c/monolithic.c")
        .replace("@OUTPUTS@", &outputs)
        .replace("@TIMES@", &moments.iter().chain([&1.0]).map(|t| number(*t)).collect::<Vec<_>>().join(", "))
        .replace("@SCALES@", &scales.to_string())
        .replace("@PARAMETERS@", &interface.defaults())
        .replace("@DT@", &number(model.analysis.dt))
        .replace("@FAULT@", &plan.fault.to_string())
        .replace("@NY@", &ny.to_string())
        .replace("@MEMORY0@", &(ny + history).to_string())
        .replace("@BEFORE@", &plan.len.to_string());
    let code = [
        format!("enum {{ INPUTS = {} }};\n\n", interface.inputs.len()).as_str(),
        include_str!("../c/types.c"),
        "\n",
        include_str!("../c/numbers.c"),
        "\n",
        &laws.print(),
        include_str!("../c/linear.c"),
        "\n",
        &factors(&[&b]),
        include_str!("../c/system.c"),
        "\n",
        &schemes(&[Family::of(&gait.scheme)]),
        &emitted.text,
        &gait.emit("gait_0", dims, &rows, row(0.0)),
        &inputs.text,
        &format!("static void set_constants({name}_t *self)\n{{\n    (void)self;\n}}\n\n"),
        &text,
    ]
    .concat();
    Ok(files(&interface, &called(&interface.named(&code))))
}

/// Which component of the inputs each signal of a system is.
fn wiring(model: &Model, loads: &[usize], imposed: &[usize], b: &interfield_model::assembled::Blueprint) -> Wiring {
    let free = |dof: usize| matches!(model.dofs[dof].support, interfield_model::model::Support::Free);
    let mut wiring = Wiring { imposed: imposed.to_vec(), ..Wiring::default() };
    for (load, at) in model.loads.iter().zip(loads) {
        match load {
            Load::Force { dof, .. } if free(*dof) => wiring.forces.push(*at),
            Load::Force { .. } => {}
            Load::Ground { .. } => wiring.grounds.push(*at),
        }
    }
    debug_assert!(wiring.forces.len() == b.forces.len() && wiring.grounds.len() == b.grounds.len());
    wiring
}
