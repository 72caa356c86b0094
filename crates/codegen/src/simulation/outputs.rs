//! Channels of a partitioned model as statements: those of the parts, gaps, forces and links at the cuts.

use std::fmt::Write;

use interfield_coupling::quality::Cut;
use interfield_structure::blueprint::Blueprint;
use interfield_structure::simulation::Source;

use super::pieces::Piece;
use super::tables::Coupled;
use crate::outputs::{accelerations, balance_len, statements as part_statements};
use crate::text::number;

/// Where the energy balance of a substructure is summed up.
pub(super) struct Energy {
    subdomain: usize,
    /// Place and length in the work.
    pub(super) at: usize,
    pub(super) len: usize,
}

/// The balances that channels read, in the order of the substructures, behind `work`.
pub(super) fn energies(b: &Blueprint<'_>, pieces: &[Piece], work: usize) -> Vec<Energy> {
    let wanted = b.sources.iter().any(|s| matches!(s, Source::Energy { .. }));
    let framed = pieces.iter().any(|p| p.system.is_framed());
    let mut at = work;
    let balance = |part: usize| {
        let subdomain = subdomain_of(b, part);
        let len = balance_len(&pieces[subdomain].system, framed);
        at += len;
        Energy { subdomain, at: at - len, len }
    };
    (0..b.parts.len()).filter(|_| wanted).map(balance).collect()
}

/// Statements that read all channels into `out` at the end of a step, from `state`, `self` and the inputs `in`.
pub(super) fn statements(b: &Blueprint<'_>, pieces: &[Piece], coupled: &Coupled, energies: &[Energy]) -> String {
    let mut out = format!("    const double *l = {};\n    (void)l;\n", coupled.multipliers);
    for Energy { subdomain: p, at, .. } in energies {
        let _ = writeln!(
            out,
            "    const int unbalanced_{p} = energy_add(&subdomain_{p}, self->work + {}, in, t, state + {}, self->work + {at}, self->step == 0);\n    \
             if (unbalanced_{p}) {{\n        return unbalanced_{p};\n    }}",
            pieces[*p].work,
            start(b, *p),
        );
    }
    let elements = || pieces.iter().flat_map(|p| &p.system.elements);
    let probes = || b.parts.iter().flat_map(|p| p.channels.probes);
    let shapes = || elements().map(|e| (e.d, e.s)).chain(probes().map(|p| (p.rows.len(), p.states)));
    let least = (shapes().map(|s| s.0).max().unwrap_or(0), shapes().map(|s| s.1).max().unwrap_or(0));
    for (p, piece) in pieces.iter().enumerate() {
        part(b, p, piece, least, &mut out);
    }
    for (k, source) in b.sources.iter().enumerate() {
        let value = match source {
            Source::Part { part, index } => format!("part_{part}[{index}]"),
            Source::Gap { cut, derivative, factor } => gap(b, *cut, *derivative, *factor),
            Source::Force { cut, factor } => format!("{} * -({})", number(*factor), force(b, cut.plus)),
            Source::Link { part, port, factor } => match &coupled.linked {
                Some(linked) => format!("{} * ({})", number(*factor), link(b, *part, *port, linked)),
                None => "0.0".to_owned(),
            },
            Source::Energy { part, factor } => {
                let of = |e: &Energy| format!("self->work[{}]", e.at + *part as usize);
                let terms: Vec<String> = energies.iter().map(of).collect();
                format!("{} * ({})", number(*factor), terms.join(" + "))
            }
            Source::Learned { .. } | Source::Zero => "0.0".to_owned(),
        };
        let _ = writeln!(out, "    self->outputs[{k}] = {value};");
    }
    out
}

/// Number of the subdomain that a part is.
fn subdomain_of(b: &Blueprint<'_>, part: usize) -> usize {
    b.coupling.subdomains.iter().position(|p| p.substructure == part).unwrap_or(0)
}

/// Where the state of a subdomain at the present node starts, as C.
fn start(b: &Blueprint<'_>, p: usize) -> String {
    let c = &b.coupling;
    let (side, from) = if c.fine.contains(&p) { ("X_B + ", c.fine.start) } else { ("X_A + ", c.coarse.start) };
    let offset: usize = c.subdomains[from..p].iter().map(|x| x.len).sum();
    // Under localized multipliers all subdomains stand at the head of the state.
    let side = if c.fine.is_empty() { "" } else { side };
    format!("{side}{offset}")
}

/// The channels of a part, into an array of its own.
fn part(b: &Blueprint<'_>, p: usize, piece: &Piece, least: (usize, usize), out: &mut String) {
    let (subdomain, Some(read)) = (&b.coupling.subdomains[p], &piece.read) else { return };
    let channels = b.parts[subdomain.substructure].channels;
    if channels.taps.is_empty() {
        return;
    }
    let (number_of_part, plan) = (subdomain.substructure, &piece.emitted.plan);
    let own = part_statements(channels, &piece.system, read, &piece.inputs, plan, least, |k| k);
    let _ = writeln!(out, "    double part_{number_of_part}[{}];\n    {{", channels.taps.len());
    let _ = writeln!(out, "        const double *x = state + {};", start(b, p));
    let _ = writeln!(out, "        double *W = self->work + {}, *out = part_{number_of_part};", piece.work);
    let _ = writeln!(out, "        (void)x, (void)W;");
    if let Some(a) = accelerations(channels, plan) {
        if channels.needs_acceleration {
            let n = channels.dims.nu;
            let _ = writeln!(
                out,
                "        const int fault = sys_accelerations(&subdomain_{p}, W, in, t, x, x + {n}, x + {}, {a});\n        \
                 if (fault) {{\n            return fault;\n        }}",
                2 * n
            );
            if b.coupling.rows > 0 {
                let _ = writeln!(out, "        add_accelerations({p}, l, {a}, self->work + AT_A);");
            }
        }
        let _ = writeln!(out, "        const double *a = {a};");
    }
    own.lines().for_each(|line| _ = writeln!(out, "    {line}"));
    let _ = writeln!(out, "    }}");
}

fn gap(b: &Blueprint<'_>, cut: Cut, derivative: usize, factor: f64) -> String {
    let at = |(part, dof): (usize, usize)| {
        let p = subdomain_of(b, part);
        format!("state[{} + {}]", start(b, p), derivative * b.parts[part].channels.dims.nu + dof)
    };
    format!("{} * ({} - {})", number(factor), at(cut.plus), at(cut.minus))
}

/// Lᵀ Λ at an unknown of a part.
fn force(b: &Blueprint<'_>, (part, dof): (usize, usize)) -> String {
    let ports = b.coupling.subdomains[subdomain_of(b, part)].ports.iter().filter(|p| p.dof == dof);
    let terms: Vec<String> = ports.map(|p| format!("{} * l[{}]", number(p.sign), p.row)).collect();
    if terms.is_empty() { "0.0".to_owned() } else { terms.join(" + ") }
}

/// Displacement of a port of a part by the last link, all of whose strides are those of stepping 0.
fn link(b: &Blueprint<'_>, part: usize, port: usize, linked: &str) -> String {
    let subdomain = &b.coupling.subdomains[subdomain_of(b, part)];
    let (Some(stepping), Some(at)) = (subdomain.steppings.first(), subdomain.ports.get(port)) else {
        return "0.0".to_owned();
    };
    let columns = stepping.link.chunks_exact(subdomain.moved.max(1)).zip(&subdomain.ports);
    let terms: Vec<String> = columns.map(|(c, q)| format!("{} * ({linked})[{}]", number(c[at.dof]), q.row)).collect();
    if terms.is_empty() { "0.0".to_owned() } else { terms.join(" + ") }
}
