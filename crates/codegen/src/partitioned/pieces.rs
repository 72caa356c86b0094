//! The parties of a coupling, each printed with what it looks at.

use interfield_coupling::blueprint::Schedule;
use interfield_kernel::{Dims, System};
use interfield_language::model::{Dof, Load, Model, Support};
use interfield_structure::assembled::Blueprint as SystemBlueprint;
use interfield_structure::blueprint::Blueprint;
use interfield_structure::split::SubModel;

use crate::gait::Gait;
use crate::inputs::Inputs;
use crate::law::Laws;
use crate::outputs::Read;
use crate::party::{Emitted, Party, Port, Wiring, emit};

/// What is exported of one party.
pub(super) struct Piece {
    pub(super) system: SystemBlueprint,
    pub(super) emitted: Emitted,
    pub(super) gaits: Vec<Gait>,
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

/// Prints the parties; `None` if a factor of some cannot be printed.
pub(super) fn pieces(b: &Blueprint<'_>, model: &Model, inputs: &Inputs, laws: &mut Laws) -> Option<Vec<Piece>> {
    // Staged parties are loaded by their multipliers stage by stage, not through their forces.
    let loaded = !matches!(b.coupling.schedule, Schedule::Staggered | Schedule::Parallel { .. });
    let mut pieces: Vec<Piece> = Vec::new();
    let mut work = 0;
    for (p, party) in b.coupling.parties.iter().enumerate() {
        let part = &b.parts[party.substructure];
        let system = party.system.blueprint()?;
        let dims = party.system.dims();
        let gaits: Vec<Gait> = party.gaits.iter().map(|g| Gait { scheme: g.scheme, dt: g.dt, slot: g.slot }).collect();
        let own = part_inputs(part.sub, model, inputs);
        let read = (!b.coupling.twins.contains(&p)).then(|| Read::new(part.channels, laws));
        let ports = party.ports.iter().filter(|_| loaded);
        let exported = Party {
            name: format!("party_{p}"),
            blueprint: &system,
            ports: ports.map(|x| Port { dof: x.dof, row: x.row, sign: x.sign }).collect(),
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
