//! Outputs: every channel of the model, as statements that read the state at the end of a step.

use std::fmt::Write;

use interfield_language::model::{Load, Quantity, Support};
use interfield_structure::assembled::{Blueprint, Row, Stored};
use interfield_structure::channels::{Channels, Tap};

use crate::inputs::Inputs;
use crate::law::{Laws, Recorded, Want};
use crate::subdomain::Plan;
use crate::text::number;

/// Length of the energy balance of a system, see `energy.c`; `framed`: that some system of the export has parts of frames.
pub(crate) fn balance_len(b: &Blueprint, framed: bool) -> usize {
    let members = 2 * b.frame_coordinates() + 1;
    6 + 2 * (5 * b.n + 2 * b.elements.len()) + if framed { 2 * members } else { 0 }
}

/// Laws that channels read besides those of the loop, by channel.
pub struct Read {
    laws: Vec<Recorded>,
    /// Per channel its law among these.
    of: Vec<Option<usize>>,
}

impl Read {
    /// Records the laws that the channels of a simulation read.
    pub fn new(sim: Channels<'_>, laws: &mut Laws) -> Self {
        let mut read = Read { laws: Vec::new(), of: Vec::new() };
        for (tap, _) in sim.taps {
            let law = match tap {
                Tap::Path { law, .. } => Some((Stored::Path(*law), Want::Standing)),
                Tap::Element { probe, force: true, .. } => sim.probes[*probe].law.clone().map(|l| (l, Want::Force)),
                _ => None,
            };
            let law = law.map(|(law, want)| {
                read.laws.push(laws.record(&law, want, 0.0));
                read.laws.len() - 1
            });
            read.of.push(law);
        }
        read
    }

    /// The laws.
    pub fn laws(&self) -> &[Recorded] {
        &self.laws
    }

    /// Model element and law number of each channel that reads the force of a law.
    pub fn elements<'a>(&'a self, sim: Channels<'a>) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.of.iter().zip(sim.channels).filter_map(|(law, channel)| match (law, &channel.quantity) {
            (Some(law), Quantity::Force(e, _)) => Some((*e, *law)),
            _ => None,
        })
    }
}

/// The sum over a row: of the array `x` for free unknowns, of component `derivative` of the inputs for imposed ones.
fn gather(row: &Row, n: usize, x: &str, inputs: &Inputs, derivative: usize) -> String {
    let term = |&(i, f): &(u32, f64)| match (i as usize).checked_sub(n) {
        None => format!("{} * {x}[{i}]", number(f)),
        Some(j) => format!("{} * in[{}]", number(f), inputs.imposed[j] + derivative),
    };
    let terms: Vec<String> = row.iter().map(term).collect();
    if terms.is_empty() { "0.0".to_owned() } else { terms.join(" + ") }
}

/// A place in the memory of the system: of a path-moved law, or what was measured of a specimen.
fn memory(at: usize, b: &Blueprint, plan: &Plan) -> String {
    if at < b.memory {
        return format!("W[{}]", plan.memory + at);
    }
    let all: usize = b.specimens.iter().map(|s| s.unknowns.len()).sum();
    let mut first = 0;
    for s in &b.specimens {
        let n = s.unknowns.len();
        if let Some(i) = at.checked_sub(s.memory0).filter(|i| *i < 3 * n) {
            return format!("W[{}]", plan.measured + i / n * all + first + i % n);
        }
        first += n;
    }
    "NAN".to_owned()
}

/// Statements that read all channels: of the state `x`, the memory `W`, the inputs `in` at time `t`, into `out`. `least`: coordinates and
/// states of the largest law elsewhere; `place`: of each channel in `out`.
pub fn statements(
    sim: Channels<'_>,
    b: &Blueprint,
    read: &Read,
    inputs: &Inputs,
    plan: &Plan,
    least: (usize, usize),
    place: impl Fn(usize) -> usize,
) -> String {
    let dims = sim.dims;
    let n = dims.nu;
    let ground: Vec<usize> = (sim.model.loads.iter().enumerate())
        .filter(|(_, l)| matches!(l, Load::Ground { .. }))
        .map(|(i, _)| inputs.loads[i])
        .collect();
    let mut out = String::new();
    if !read.laws.is_empty() {
        // As long as any law wants them: compilers look at all of them.
        let shapes =
            || b.elements.iter().map(|e| (e.d, e.s)).chain(sim.probes.iter().map(|p| (p.rows.len(), p.states)));
        let widest = shapes().map(|s| s.0).max().unwrap_or(0).max(least.0).max(1);
        let states = shapes().map(|s| s.1).max().unwrap_or(0).max(least.1).max(1);
        let _ = writeln!(out, "    double q[{widest}], v[{widest}], p[{widest}], g[{states}];\n    (void)q, (void)v;");
    }
    // Loads are told apart by their channels; what a held degree of freedom feels, by its own name.
    let motion = |tap: &Tap, quantity: &Quantity| match tap {
        Tap::State(i) => format!("x[{i}]"),
        Tap::Acceleration { dof, absolute: false } => format!("a[{dof}]"),
        Tap::Acceleration { dof, absolute: true } => {
            let along = b.grounds.iter().zip(&ground).map(|(g, i)| format!("{} * in[{i}]", number(g.iota[*dof])));
            let along: Vec<String> = along.collect();
            format!("(a[{dof}] + ({}))", if along.is_empty() { "0.0".to_owned() } else { along.join(" + ") })
        }
        Tap::Imposed { index, derivative } => format!("in[{}]", inputs.imposed[*index] + derivative),
        Tap::Held { imposed, .. } => held(sim, quantity.clone(), *imposed, inputs),
        _ => "0.0".to_owned(),
    };
    for (k, ((tap, factor), channel)) in sim.taps.iter().zip(sim.channels).enumerate() {
        let value = match tap {
            Tap::Sum(terms) => {
                let term = |(tap, f): &(Tap, f64)| format!("{} * {}", number(*f), motion(tap, &channel.quantity));
                format!("({})", terms.iter().map(term).collect::<Vec<_>>().join(" + "))
            }
            Tap::State(_) | Tap::Acceleration { .. } | Tap::Imposed { .. } | Tap::Held { .. } => {
                motion(tap, &channel.quantity)
            }
            Tap::Memory(i) => memory(*i, b, plan),
            Tap::Measured(weights) => {
                let term = |(i, w): &(usize, f64)| format!("{} * {}", number(*w), memory(*i, b, plan));
                weights.iter().map(term).collect::<Vec<_>>().join(" + ")
            }
            Tap::Path { memory: at, .. } => {
                let (law, c) = law_of(read, plan, k);
                let _ = writeln!(
                    out,
                    "    law_force({law}, {c}, t, W + {m}, W + {m}, W + {m} + 1, p, g);",
                    m = plan.memory + at
                );
                "p[0]".to_owned()
            }
            // Refused before.
            Tap::Section { .. } => "NAN".to_owned(),
            Tap::Zero => "0.0".to_owned(),
            Tap::Signal(_) => match channel.quantity {
                Quantity::LoadSignal(i) => format!("in[{}]", inputs.loads[i]),
                _ => "0.0".to_owned(),
            },
            Tap::Element { probe, coordinate, force } => {
                let probe = &sim.probes[*probe];
                let rows = || probe.rows.iter().enumerate();
                let q = |derivative: usize| {
                    let x = ["x", "(x + N)"][derivative].replace('N', &n.to_string());
                    rows().map(move |(i, r)| (i, gather(r, n, &x, inputs, derivative))).collect::<Vec<_>>()
                };
                if !force {
                    format!("({})", q(0)[*coordinate].1)
                } else if probe.law.is_some() {
                    for (letter, derivative) in [("q", 0), ("v", 1)] {
                        for (i, text) in q(derivative) {
                            let _ = writeln!(out, "    {letter}[{i}] = {text};");
                        }
                    }
                    let (law, c) = law_of(read, plan, k);
                    let _ = writeln!(out, "    law_force({law}, {c}, t, q, v, x + {}, p, g);", 2 * n + probe.state0);
                    format!("p[{coordinate}]")
                } else {
                    let d = probe.rows.len();
                    let product = |m: &[f64], x: Vec<(usize, String)>| {
                        let row = m.get(coordinate * d..(coordinate + 1) * d);
                        let terms =
                            row.into_iter().flatten().zip(x).map(|(a, (_, x))| format!("{} * ({x})", number(*a)));
                        let terms: Vec<String> = terms.collect();
                        if terms.is_empty() { "0.0".to_owned() } else { terms.join(" + ") }
                    };
                    format!("(({}) + ({}))", product(&probe.matrices[0], q(0)), product(&probe.matrices[1], q(1)))
                }
            }
        };
        let _ = writeln!(out, "    out[{}] = {value} * {};", place(k), number(*factor));
    }
    out
}

/// Number and constants of the law that a channel reads.
fn law_of(read: &Read, plan: &Plan, channel: usize) -> (usize, String) {
    let i = read.of[channel].unwrap_or_default();
    (read.laws[i].law, format!("W + {}", plan.constants + plan.further[i]))
}

/// Absolute acceleration of a held degree of freedom.
fn held(sim: Channels<'_>, quantity: Quantity, imposed: Option<usize>, inputs: &Inputs) -> String {
    let Quantity::AbsoluteAcceleration(d) = quantity else { return "0.0".to_owned() };
    let dof = &sim.model.dofs[d];
    let along = dof.name.rsplit('.').next().unwrap_or_default();
    let own = imposed.filter(|_| matches!(dof.support, Support::Imposed(_)));
    let own = own.map(|i| format!("in[{}]", inputs.imposed[i] + 2));
    let ground = sim.model.loads.iter().zip(&inputs.loads).filter_map(|(l, i)| match l {
        Load::Ground { direction, .. } if direction == along => Some(format!("in[{i}]")),
        _ => None,
    });
    let ground: Vec<String> = ground.collect();
    let ground = if ground.is_empty() { "0.0".to_owned() } else { ground.join(" + ") };
    format!("({} + ({ground}))", own.unwrap_or_else(|| "0.0".to_owned()))
}

/// Whether a tap reads accelerations of unknowns.
fn is_acceleration(tap: &Tap) -> bool {
    match tap {
        Tap::Acceleration { .. } => true,
        Tap::Sum(terms) => terms.iter().any(|(t, _)| is_acceleration(t)),
        _ => false,
    }
}

/// The expression of the accelerations that channels read.
pub fn accelerations(sim: Channels<'_>, plan: &Plan) -> Option<String> {
    let reads = sim.taps.iter().any(|(t, _)| is_acceleration(t));
    let carried = sim.dims.state();
    reads.then(|| if sim.needs_acceleration { format!("W + {}", plan.a) } else { format!("x + {carried}") })
}
