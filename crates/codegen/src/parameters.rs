//! Parameters: initial values, scales of the motions, and numbers of laws, by name.

use std::fmt::Write;

use interfield_model::Simulation;
use interfield_model::assembled::Blueprint;
use interfield_model::model::Kind;

use crate::api::Variable;
use crate::inputs::Inputs;
use crate::law::{Want, places_of};
use crate::outputs::Read;
use crate::party::{Plan, want};

/// The parameters of an export.
pub struct Parameters {
    /// Initial displacements, velocities and states in the order of the state, then scales of motions, then numbers of laws.
    pub list: Vec<Variable>,
    /// First of the scales.
    pub scales: usize,
    /// Statements that put the numbers of laws to their places in `self->work`.
    pub setting: String,
}

/// Finds the parameters of a structure in one piece.
pub fn parameters(sim: &Simulation, b: &Blueprint, inputs: &Inputs, read: &Read, plan: &Plan) -> Parameters {
    let mut list = Vec::new();
    let y = sim.y();
    let mut push = |name: String, unit: &str, value: f64| {
        list.push(Variable { name, unit: unit.to_owned(), value });
        list.len() - 1
    };
    let free = || sim.free().iter().map(|&d| &sim.model.dofs[d]);
    for (i, dof) in free().enumerate() {
        push(format!("{}.initial", dof.name), if dof.angle { "rad" } else { "m" }, y[i]);
    }
    for (i, dof) in free().enumerate() {
        push(format!("{}.v.initial", dof.name), if dof.angle { "rad/s" } else { "m/s" }, y[b.n + i]);
    }
    for (&e, part) in sim.looped().iter().zip(&b.elements) {
        let element = &sim.model.elements[e];
        for i in 0..part.s {
            let name = match &element.kind {
                Kind::Law { law, .. } => law.info().states.get(i).map(|s| s.name.to_owned()),
                Kind::Formula { states, .. } => states.get(i).cloned(),
                _ => None,
            };
            let name = name.unwrap_or_else(|| format!("s{}", i + 1));
            push(format!("{}.{name}.initial", element.name), "SI", y[2 * b.n + part.state0 + i]);
        }
    }
    let mut scales = 2 * b.n + b.ns;
    for (i, motion) in inputs.motions.iter().enumerate() {
        let at = push(format!("{motion}.scale"), "1", 1.0);
        scales = if i == 0 { at } else { scales };
    }
    let mut setting = String::new();
    for (l, &e) in sim.looped().iter().enumerate() {
        let element = &sim.model.elements[e];
        let Kind::Law { law, path, .. } = &element.kind else { continue };
        for (j, parameter) in law.info().parameters.iter().enumerate() {
            let mut places: Vec<usize> = places_of(law, *path, j, want(b, &b.elements[l]))
                .into_iter()
                .map(|i| plan.constants + plan.element_constants[l] + i)
                .collect();
            if places.is_empty() {
                continue;
            }
            let reading = if *path { Want::Standing } else { Want::Force };
            for (_, further) in read.elements(sim).filter(|r| r.0 == e) {
                let own = places_of(law, *path, j, reading);
                places.extend(own.into_iter().map(|i| plan.constants + plan.further[further] + i));
            }
            let value = law.with_parameters(|p| p[j]);
            let at = push(format!("{}.{}", element.name, parameter.name), "SI", value);
            for place in places {
                let _ = writeln!(setting, "    self->work[{place}] = self->parameters[{at}];");
            }
        }
    }
    Parameters { list, scales, setting }
}
