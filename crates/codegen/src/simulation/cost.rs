//! What a macro-step costs in the worst case.

use interfield_coupling::blueprint::Schedule;
use interfield_structure::blueprint::Blueprint;

use super::pieces::Piece;
use crate::cost::Cost;
use crate::law::Laws;
use crate::record::Operations;
use crate::stepping::Stepping;

/// Additions, multiplications, divisions and calls of a macro-step at most, outputs included.
pub(super) fn per_step(b: &Blueprint<'_>, pieces: &[Piece], laws: &Laws) -> Operations {
    let c = &b.coupling;
    let (rows, ss) = (c.rows as u64, c.substeps as u64);
    let (staged, single) = (c.schedule.is_staged(), matches!(c.schedule, Schedule::Single));
    let [coarse, fine] = c.schedule.strides(c.substeps).map(|n| n as u64);
    let mut sum = Operations::default();
    for (p, piece) in pieces.iter().enumerate() {
        let subdomain = &c.subdomains[p];
        let cost = Cost::new(&piece.system, laws, &piece.emitted.laws);
        let evaluation = cost.force() + cost.solve(0);
        let stride = |(stepping, way): (&Stepping, &interfield_coupling::blueprint::Stride<'_>)| {
            stepping.cost(&cost, piece.dims()).times(way.steps as u64)
        };
        let longest =
            piece.steppings.iter().zip(&subdomain.steppings).map(stride).max_by_key(|o| o.flops + o.divisions);
        let longest = longest.unwrap_or_default();
        // Twins of the coarse side are counted as the fine one, which is more than they do.
        let count = if c.coarse.contains(&p) { coarse } else { fine };
        let len = subdomain.len as u64;
        let links = 2 * (len + 4) * subdomain.ports.len() as u64 * (count + 4) + 8 * len * (count + 4);
        let links = if single { 0 } else { links };
        sum = sum + longest.times(count) + Operations { flops: links, ..Operations::default() };
        if staged {
            sum = sum + (evaluation + cost.mul_tangent()).times(2 * ss + 4);
        } else if !single {
            sum = sum + evaluation; // accelerations that are mixed in
        }
        let channels = b.parts[subdomain.substructure].channels;
        if channels.needs_acceleration && piece.read.is_some() {
            sum = sum + evaluation;
        }
        for law in piece.read.iter().flat_map(|r| r.laws()) {
            sum = sum + laws.cost(law.law)[0];
        }
        let per_channel = if single { 2 } else { 16 };
        sum = sum + Operations { flops: per_channel * channels.taps.len() as u64, ..Operations::default() };
    }
    // Interface problems: a product with H and a solution per exchange; under localized multipliers two of each.
    let problems = 8 * rows * rows + 16 * rows;
    sum + Operations { flops: (2 * ss + 6) * problems, divisions: 8 * ss * rows, ..Operations::default() }
}
