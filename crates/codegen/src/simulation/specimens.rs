//! Specimens of substructures: what is commanded when, and what cannot be.

use interfield_coupling::blueprint::Blueprint as CouplingBlueprint;
use interfield_kernel::Scheme;
use interfield_language::model::Model;
use interfield_language::{Problem, Subject};
use interfield_structure::assembled::Assembled;
use interfield_structure::blueprint::Blueprint;

use super::pieces::Piece;
use crate::refusals::refusal;

/// First command of a specimen of the model.
fn first_command(model: &Model, specimen: usize) -> usize {
    model.specimens[..specimen].iter().map(|s| s.dofs.len()).sum()
}

/// Substructure of a specimen.
fn owner(model: &Model, specimen: usize) -> Option<usize> {
    let element = model.specimens.get(specimen)?.elements.first()?;
    model.partition.as_ref()?.owners.get(*element).copied()
}

/// Specimens where exported code could not command them.
pub(super) fn refusals(model: &Model) -> Vec<Problem> {
    let Some(partition) = &model.partition else { return Vec::new() };
    let mut problems = Vec::new();
    let mut rate = None;
    for (i, specimen) in model.specimens.iter().enumerate() {
        let Some(owner) = owner(model, i) else { continue };
        let part = &partition.substructures[owner];
        if partition.coupling.info.sided && !part.fine {
            let message = format!(
                "specimen `{}` is on the coarse side `{}`, which exported code advances in a single call",
                specimen.name, part.name
            );
            let help = "write side = \"fine\" in its [[substructure]], and \"coarse\" in the other";
            problems.push(refusal(Subject::Specimen(i), message, help));
        }
        let own = u64::from(part.substeps) * u64::from(part.scheme.evaluations().unwrap_or(1));
        if *rate.get_or_insert(own) != own {
            let message = format!(
                "specimen `{}` would be commanded at other times than the previous ones, but all commands are sent \
                    together",
                specimen.name
            );
            let help = "give the substructures of all specimens the same scheme and `substeps`";
            problems.push(refusal(Subject::Specimen(i), message, help));
        }
    }
    problems
}

/// Numbers of the commands of each subdomain, in its own order.
pub(super) fn commands_of(b: &Blueprint<'_>, model: &Model) -> Vec<Vec<usize>> {
    let twins = &b.coupling.twins;
    let subdomain = |(p, subdomain): (usize, &interfield_coupling::blueprint::Subdomain<'_, Assembled>)| {
        let own: &[usize] = if twins.contains(&p) { &[] } else { &b.parts[subdomain.substructure].sub.specimens };
        own.iter().flat_map(|&s| (0..model.specimens[s].dofs.len()).map(move |i| first_command(model, s) + i)).collect()
    };
    b.coupling.subdomains.iter().enumerate().map(subdomain).collect()
}

/// How often specimens are commanded in a macro-step, once the start-up is over.
pub(super) fn evaluations(b: &CouplingBlueprint<'_, Assembled>) -> usize {
    let side = if b.fine.is_empty() { &b.coarse } else { &b.fine };
    let one = |p: &interfield_coupling::blueprint::Subdomain<'_, Assembled>, stepping: usize| {
        p.steppings.get(stepping).map_or(0, |g| g.steps * g.scheme.evaluations().unwrap_or(1) as usize)
    };
    let stride = |stepping: usize| b.subdomains[side.clone()].iter().map(|p| one(p, stepping)).max().unwrap_or(0);
    let (stepping, strides, besides) = b.schedule.asks(b.substeps);
    strides * stride(stepping) + besides
}

/// Stiffness that stands in for all specimens in `main.c`: row-major over the commands.
pub(super) fn stand_in(b: &Blueprint<'_>, model: &Model, pieces: &[Piece]) -> Vec<f64> {
    let all: usize = model.specimens.iter().map(|s| s.dofs.len()).sum();
    let mut k = vec![0.0; all * all];
    for (piece, commands) in pieces.iter().zip(commands_of(b, model)) {
        let mut first = 0;
        for s in piece.system.specimens.iter().filter(|_| !commands.is_empty()) {
            let n = s.unknowns.len();
            for i in 0..n {
                for j in 0..n {
                    k[commands[first + i] * all + commands[first + j]] = s.stiffness[i * n + j];
                }
            }
            first += n;
        }
    }
    k
}
