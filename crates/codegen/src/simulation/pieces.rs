//! The subdomains of a coupling, each printed with what it looks at.

use interfield_coupling::blueprint::Stride;
use interfield_kernel::{Dims, Scheme, System};
use interfield_language::model::{Dof, Load, Model, Support};
use interfield_structure::assembled::Blueprint as SystemBlueprint;
use interfield_structure::blueprint::Blueprint;
use interfield_structure::split::SubModel;

use crate::inputs::Inputs;
use crate::law::Laws;
use crate::outputs::Read;
use crate::stepping::Stepping;
use crate::subdomain::{Emitted, Port, Subdomain, Wiring, emit};

/// What is exported of one subdomain.
pub(super) struct Piece {
    pub(super) system: SystemBlueprint,
    pub(super) emitted: Emitted,
    pub(super) steppings: Vec<Stepping>,
    /// Laws that its channels read; not of a twin.
    pub(super) read: Option<Read>,
    /// The inputs by its own numbers of loads and imposed motions.
    pub(super) inputs: Inputs,
    /// Where its memory starts.
    pub(super) work: usize,
}

impl Piece {
    /// Numbers of its unknowns.
    pub(super) fn dims(&self) -> Dims {
        Dims { nu: self.system.n, ns: self.system.ns }
    }
}

/// Prints the subdomains; `None` if a factor of some cannot be printed.
pub(super) fn pieces(b: &Blueprint<'_>, model: &Model, inputs: &Inputs, laws: &mut Laws) -> Option<Vec<Piece>> {
    // Staged subdomains are loaded by their multipliers stage by stage, not through their forces.
    let loaded = !b.coupling.schedule.is_staged();
    let systems: Vec<_> = b.coupling.subdomains.iter().map(|s| s.system.blueprint()).collect::<Option<_>>()?;
    // What stands in the laboratory is no part of them any more.
    let framed = systems.iter().any(|s| s.is_framed());
    let mut pieces: Vec<Piece> = Vec::new();
    let mut work = 0;
    for ((p, subdomain), system) in b.coupling.subdomains.iter().enumerate().zip(systems) {
        let part = &b.parts[subdomain.substructure];
        let dims = subdomain.system.dims();
        let remembers = !subdomain.system.memory().is_empty();
        let steppings: Vec<Stepping> = subdomain.steppings.iter().map(|g| stepping(g, loaded, remembers)).collect();
        let own = part_inputs(part.sub, model, inputs);
        let read = (!b.coupling.twins.contains(&p)).then(|| Read::new(part.channels, laws));
        let ports = subdomain.ports.iter().filter(|_| loaded);
        let exported = Subdomain {
            name: format!("subdomain_{p}"),
            blueprint: &system,
            framed,
            ports: ports.map(|x| Port { dof: x.dof, row: x.row, sign: x.sign }).collect(),
            wiring: part_wiring(part.sub, &own),
            scratch: steppings.iter().map(|g| g.scratch(dims)).max().unwrap_or(0),
        };
        let emitted = emit(&exported, laws, read.as_ref().map_or(&[], Read::laws));
        let len = emitted.plan.len;
        pieces.push(Piece { system, emitted, steppings, read, inputs: own, work });
        work += len;
    }
    Some(pieces)
}

/// A way to stride; subdomains that are not loaded through their forces are advanced stage by stage.
fn stepping(way: &Stride<'_>, loaded: bool, remembers: bool) -> Stepping {
    match way.scheme.tableau().filter(|_| !loaded) {
        Some(tableau) => Stepping::staged(&tableau, way.dt, way.slot),
        None => Stepping::new(&way.scheme, way.dt, way.slot, remembers),
    }
}

/// Number of a degree of freedom among those with an imposed motion.
pub(super) fn imposed_index(model: &Model, dof: usize) -> Option<usize> {
    let imposed = |d: &usize| matches!(model.dofs[*d].support, Support::Imposed(_));
    imposed(&dof).then(|| (0..dof).filter(imposed).count())
}

fn part_inputs(sub: &SubModel, model: &Model, inputs: &Inputs) -> Inputs {
    let imposed = |(d, dof): (usize, &Dof)| match dof.support {
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
