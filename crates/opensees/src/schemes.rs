//! `integrator` and `algorithm` of an analysis in time: the scheme of ours.

use crate::arguments::Arguments;
use crate::domain::Domain;
use crate::materials::kind;
use crate::report::{Fate, Report};
use crate::write::Keys;

/// A scheme with its parameters, and how many steps of the script are one of its own.
pub(crate) struct Scheme {
    pub(crate) written: String,
    pub(crate) steps: u64,
}

/// Whether the script solves each step once.
pub(crate) fn one_pass(domain: &Domain) -> bool {
    domain.solving.algorithm.as_ref().is_some_and(|a| kind(a) == "Linear")
}

/// Whether nothing in the model can yield or turn.
fn is_linear(domain: &Domain) -> bool {
    let plain = ["elasticBeamColumn", "ElasticTimoshenkoBeam", "truss", "Truss", "zeroLength"];
    domain.elements.values().all(|e| plain.contains(&kind(e)))
        && domain.materials.values().all(|m| kind(m) == "Elastic")
        && domain.transformations.values().all(|t| kind(t) == "Linear")
}

/// The scheme for the integrator of the script.
pub(crate) fn scheme(domain: &Domain, report: &mut Report) -> Scheme {
    let Some(integrator) = &domain.solving.integrator else {
        return Scheme { written: named("newmark-newton", &[]), steps: 1 };
    };
    let name = kind(integrator);
    let mut a = Arguments::from(integrator.arguments.get(1..).unwrap_or(&[]));
    let p = a.numbers();
    let get = |i: usize, otherwise: f64| p.get(i).copied().unwrap_or(otherwise);
    let once = one_pass(domain);
    let mut said = |message: &str, remedy: &str| {
        report.add(Fate::Replaced, &format!("integrator {name}"), &integrator.place, message, remedy);
    };
    let mut steps = 1;
    let written = match name {
        "Newmark" => {
            let given = [("gamma", get(0, 0.5), 0.5), ("beta", get(1, 0.25), 0.25)];
            if once {
                said(
                    "one solution per step (algorithm Linear) becomes operator splitting: equal for linear structures, \
                     both of second order for others",
                    "scheme = \"newmark-newton\" iterates",
                );
            }
            if get(1, 0.25) == 0.0 {
                named("explicit-newmark", &given[..1])
            } else {
                named(if once { "newmark" } else { "newmark-newton" }, &given)
            }
        }
        "HHT" => {
            let alpha = get(0, 1.0);
            if p.len() > 1 {
                said("gamma and beta of HHT follow from alpha", "");
            }
            match (once || is_linear(domain), alpha == 1.0) {
                (false, true) => named("newmark-newton", &[]),
                // In one pass it is the same for linear structures.
                (true, _) => named("hht", &[("alpha", tidy(1.0 - alpha), f64::NAN)]),
                (false, false) => {
                    said(
                        "HHT with iterations becomes generalized-alpha with iterations and the same damping of high frequencies: \
                         both of second order",
                        "compare by halving the step; scheme = \"hht\" is HHT in one pass",
                    );
                    named("generalized-alpha-newton", &[("rho_inf", tidy(alpha / (2.0 - alpha)), f64::NAN)])
                }
            }
        }
        "GeneralizedAlpha" => {
            let radius = tidy(1.0 / get(1, 1.0) - 1.0);
            said(
                "OpenSees puts a(n+1) for a(n+alpha) into the inertia, which is another scheme (10 % off in a linear chain); \
                 Interfield has the published one",
                "compare by halving the step",
            );
            named(
                if once { "generalized-alpha" } else { "generalized-alpha-newton" },
                &[("rho_inf", radius.clamp(0.0, 1.0), f64::NAN)],
            )
        }
        "CentralDifference"
        | "CentralDifferenceAlternative"
        | "CentralDifferenceNoDamping"
        | "ExplicitDifference"
        | "NewmarkExplicit" => {
            said(
                "becomes explicit-newmark: the same displacements without damping, and the same limit of the step",
                "",
            );
            named("explicit-newmark", &[])
        }
        "TRBDF2" => {
            steps = 2;
            said(
                "OpenSees alternates: a trapezoidal step, then a backward step, each of the whole dt. That is the scheme `bathe` with \
                 twice the step; its results stand at every second time",
                "halve dt for a result at every time",
            );
            named(if once { "bathe" } else { "bathe-newton" }, &[])
        }
        "AlphaOS" | "AlphaOS_TP" => {
            let alpha = get(0, 1.0);
            said("becomes alpha-os with the same damping of high frequencies; both of second order", "");
            named("alpha-os", &[("rho_inf", tidy(alpha / (2.0 - alpha)), f64::NAN)])
        }
        "AlphaOSGeneralized" | "AlphaOSGeneralized_TP" => named("alpha-os", &[("rho_inf", get(0, 1.0), f64::NAN)]),
        "KRAlphaExplicit" | "KRAlphaExplicit_TP" => named("kr-alpha", &[("rho_inf", get(0, 1.0), f64::NAN)]),
        "MKRAlphaExplicit" | "MKRAlphaExplicit_TP" => named("mkr-alpha", &[("rho_inf", get(0, 1.0), f64::NAN)]),
        "LoadControl" => named("newmark-newton", &[]),
        _ => {
            said(
                "becomes newmark-newton: another numerical damping, the same solution for small steps",
                "see `interfield schemes`",
            );
            named("newmark-newton", &[])
        }
    };
    Scheme { written, steps }
}

/// What a quotient of short decimals was meant to be.
fn tidy(x: f64) -> f64 {
    (x * 1e12).round() / 1e12
}

fn named(name: &str, parameters: &[(&str, f64, f64)]) -> String {
    let keys = Keys::default().text("name", name);
    let keys = parameters.iter().fold(keys, |k, (key, value, default)| k.unless(key, *value, *default));
    if keys.0.len() == 1 { crate::write::text(name) } else { keys.inline() }
}
