//! Parameters: initial values, scales of the motions, and numbers of laws, by name.

use interfield_model::Simulation;
use interfield_model::model::{Kind, Model};

use crate::api::Variable;
use crate::inputs::Inputs;

/// Initial displacements, velocities and states, in the order of the state; then the scales of the motions.
pub fn parameters(sim: &Simulation, inputs: &Inputs) -> Vec<Variable> {
    let mut out = initials(&sim.model, sim.free(), sim.looped(), sim.y());
    let scale = |motion: &String| Variable { name: format!("{motion}.scale"), unit: "1".to_owned(), value: 1.0 };
    out.extend(inputs.motions.iter().map(scale));
    out
}

/// Initial displacements, velocities and states y = [u v s] of a structure with these unknowns and elements in the loop.
pub fn initials(model: &Model, free: &[usize], looped: &[usize], y: &[f64]) -> Vec<Variable> {
    let mut out = Vec::new();
    let mut push = |name: String, unit: &str, value: f64| out.push(Variable { name, unit: unit.to_owned(), value });
    let dofs = || free.iter().map(|&d| &model.dofs[d]);
    for (i, dof) in dofs().enumerate() {
        push(format!("{}.initial", dof.name), if dof.angle { "rad" } else { "m" }, y[i]);
    }
    for (i, dof) in dofs().enumerate() {
        push(format!("{}.v.initial", dof.name), if dof.angle { "rad/s" } else { "m/s" }, y[free.len() + i]);
    }
    let mut at = 2 * free.len();
    for &e in looped {
        let element = &model.elements[e];
        let names: Vec<String> = match &element.kind {
            Kind::Law { path: true, .. } => Vec::new(),
            Kind::Law { law, .. } => law.info().states.iter().map(|s| s.name.to_owned()).collect(),
            Kind::Formula { states, .. } => states.clone(),
            Kind::Block { block, .. } => (1..=block.states).map(|i| format!("s{i}")).collect(),
            Kind::Linear { .. } => Vec::new(),
        };
        for name in names {
            // States have the unit of the law that is integrated, in SI.
            push(format!("{}.{name}.initial", element.name), "SI", y.get(at).copied().unwrap_or(0.0));
            at += 1;
        }
    }
    out
}
