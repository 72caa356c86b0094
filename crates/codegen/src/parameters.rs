//! Parameters: initial values, scales of the motions, and numbers of laws, by name.

use interfield_model::Simulation;
use interfield_model::model::Kind;

use crate::api::Variable;
use crate::inputs::Inputs;

/// Initial displacements, velocities and states, in the order of the state; then the scales of the motions.
pub fn parameters(sim: &Simulation, inputs: &Inputs) -> Vec<Variable> {
    let mut out = Vec::new();
    let y = sim.y();
    let mut push = |name: String, unit: &str, value: f64| out.push(Variable { name, unit: unit.to_owned(), value });
    let free = || sim.free().iter().map(|&d| &sim.model.dofs[d]);
    for (i, dof) in free().enumerate() {
        push(format!("{}.initial", dof.name), if dof.angle { "rad" } else { "m" }, y[i]);
    }
    for (i, dof) in free().enumerate() {
        push(format!("{}.v.initial", dof.name), if dof.angle { "rad/s" } else { "m/s" }, y[sim.free().len() + i]);
    }
    let mut at = 2 * sim.free().len();
    for &e in sim.looped() {
        let element = &sim.model.elements[e];
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
    for motion in &inputs.motions {
        push(format!("{motion}.scale"), "1", 1.0);
    }
    out
}
