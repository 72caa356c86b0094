//! A structure laid open, for programs that print it instead of running it: the coupling, and where channels read.

use interfield_coupling::blueprint::Blueprint as CouplingBlueprint;

use crate::assembled::Assembled;
use crate::channels::Channels;
use crate::simulation::{Simulation, Source};
use crate::split::SubModel;
use interfield_language::signal::Motion;

/// A structure laid open.
pub struct Blueprint<'a> {
    /// The coupling and its systems.
    pub coupling: CouplingBlueprint<'a, Assembled>,
    /// The substructures, in the order of the file.
    pub parts: Vec<PartBlueprint<'a>>,
    /// Where each channel of the whole model comes from.
    pub sources: &'a [Source],
    /// Motions that the coupling imposes, by degree of freedom of the whole model.
    pub driven: &'a [(usize, Motion)],
}

/// A substructure as far as reading goes.
pub struct PartBlueprint<'a> {
    /// It as a model of its own.
    pub sub: &'a SubModel,
    /// Its degrees of freedom that are unknowns.
    pub free: &'a [usize],
    /// Its elements in the loop.
    pub looped: &'a [usize],
    /// Its channels.
    pub channels: Channels<'a>,
}

impl Simulation {
    /// Lays the model open as it stands.
    pub fn blueprint(&self) -> Blueprint<'_> {
        let parts = self.parts.iter().enumerate().map(|(i, part)| PartBlueprint {
            sub: &part.sub,
            free: &part.free,
            looped: &part.looped,
            channels: self.channels_of(i),
        });
        Blueprint {
            coupling: self.coupling.blueprint(),
            parts: parts.collect(),
            sources: &self.sources,
            driven: &self.driven,
        }
    }
}
