//! Settings near an unstable one that are stable, each as the options that give it.

use interfield_analysis::stability::Method;
use interfield_coupling::registry::METHODS;

use super::machine::assemble;
use super::{FEWER_PRODUCTS, Findings, judge};
use crate::table::radius;
use crate::{Choices, ModelFile};

/// So many are shown.
const SHOWN: usize = 6;
/// So many of a large model, where each takes a second.
const SHOWN_IF_LARGE: usize = 3;
/// Shares of the largest stable step that are tried: at the limit itself nothing is left for rounding.
const INSIDE: [f64; 3] = [0.99, 0.95, 0.9];
/// Substeps that are tried.
const SUBSTEPS: [u32; 4] = [1, 2, 5, 10];
/// Schemes that are tried, with their parameters.
const SCHEMES: [(&str, &[(&str, &str)]); 5] = [
    ("lsrt2", &[("gamma", "plus")]),
    ("lsrt2", &[("gamma", "minus")]),
    ("newmark", &[]),
    ("alpha-os", &[]),
    ("trapezoidal", &[]),
];
/// Couplings that are there for comparison and are not suggested.
const COMPARISON: [&str; 2] = ["midpoint", "ph"];

/// A stable setting.
pub(crate) struct Remedy {
    /// Options of the command line.
    pub options: String,
    /// Spectral radius; of a large model, the growth that was measured.
    pub radius: f64,
    /// Of a large model: no motion grows faster than this.
    pub bound: Option<f64>,
}

impl Remedy {
    /// The radius as far as it is known.
    pub(crate) fn known(&self) -> String {
        self.bound.map_or_else(|| radius(self.radius), |bound| format!("at most {}", radius(bound)))
    }
}

/// A setting to try.
struct Candidate {
    options: String,
    args: Choices,
}

/// The first few settings that are stable: a smaller step, other substeps, other schemes, other couplings.
pub(crate) fn look(loaded: &ModelFile, args: &Choices, found: &Findings) -> Vec<Remedy> {
    let shown = if let Method::Krylov { .. } = found.verdict.method { SHOWN_IF_LARGE } else { SHOWN };
    let mut stable = Vec::new();
    for dt in found.safe_step().iter().flat_map(|dt| INSIDE.map(|share| round_down(share * dt))) {
        let text = format!("{dt} s");
        let candidate =
            Candidate { options: format!("--dt \"{text}\""), args: Choices { dt: Some(text), ..args.clone() } };
        if let Some(remedy) = attempt(loaded, candidate) {
            stable.push(remedy);
            break;
        }
    }
    for candidate in others(args, found) {
        if stable.len() == shown {
            break;
        }
        stable.extend(attempt(loaded, candidate));
    }
    stable
}

/// To three digits, downwards.
fn round_down(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 2.0);
    // As a decimal number, without the rounding of the multiplication.
    format!("{:.2e}", (x / unit).floor() * unit).parse().unwrap_or(x)
}

fn others(args: &Choices, found: &Findings) -> Vec<Candidate> {
    let partition = found.machine.model.partition.as_ref();
    let present = partition.and_then(|p| p.substructures.iter().find(|s| s.fine)).map(|s| s.substeps);
    let substeps = SUBSTEPS.iter().filter(|n| present.is_some_and(|p| p != **n)).map(|&n| Candidate {
        options: format!("--substeps {n}"),
        args: Choices { substeps: Some(n), ..args.clone() },
    });
    let scheme = |name: &str, parameters: &[(&str, &str)]| {
        let more: String = parameters.iter().map(|(n, v)| format!(" --param {n}={v}")).collect();
        let param = parameters.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        (format!("--scheme {name}{more}"), Choices { scheme: Some(name.to_owned()), param, ..args.clone() })
    };
    let schemes = SCHEMES.iter().map(|(name, parameters)| {
        let (options, args) = scheme(name, parameters);
        Candidate { options, args }
    });
    let here = partition.map(|p| p.coupling.info.name);
    let methods = METHODS.iter().filter(|m| here.is_some_and(|h| h != m.name) && !COMPARISON.contains(&m.name));
    let couplings = methods.map(|m| {
        let (options, args) = scheme(m.scheme, &[]);
        let coupling = Some(m.name.to_owned());
        Candidate { options: format!("--coupling {} {options}", m.name), args: Choices { coupling, ..args } }
    });
    substeps.chain(schemes).chain(couplings).collect()
}

/// The setting, if it can be had and is stable.
fn attempt(loaded: &ModelFile, Candidate { options, args }: Candidate) -> Option<Remedy> {
    let (mut machine, _) = assemble(loaded.variant(&args).ok()?).ok()?;
    let verdict = judge(&mut machine, FEWER_PRODUCTS).ok()?;
    let bound = if let Method::Krylov { bound, .. } = verdict.method { Some(bound) } else { None };
    verdict.stable.then_some(Remedy { options, radius: verdict.radius, bound })
}
