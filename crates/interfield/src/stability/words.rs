//! What was found, as text and as JSON.

use interfield_analysis::stability::{Eigensolver, Motion};
use interfield_analysis::step_limit::StepLimit;
use serde_json::{Value, json};

use super::machine::Moves;
use super::{Findings, Limit};
use crate::quantities::{ONE, Quantities, UNITS, number};
use crate::table::{aligned, complex, paged, radius, short, time};

fn side(fine: bool) -> &'static str {
    if fine { "fine" } else { "coarse" }
}

impl Findings {
    fn setting(&self) -> String {
        let model = &self.machine.model;
        let dt = time(model.analysis.dt);
        match &model.partition {
            Some(p) => {
                let one = |s: &interfield_language::partition::Substructure| match s.substeps {
                    1 => format!("{} {}", s.name, s.scheme_name),
                    n => format!("{} {} in {n} substeps", s.name, s.scheme_name),
                };
                let parts: Vec<String> = p.substructures.iter().map(one).collect();
                format!("coupling {}, step {dt}: {}", p.coupling.info.name, parts.join(", "))
            }
            None => format!("scheme {}, step {dt}", model.analysis.scheme_name),
        }
    }

    fn verdict_word(&self) -> &'static str {
        match (self.verdict.stable, self.verdict.drifts) {
            (false, _) => "unstable",
            (true, true) => "drifts",
            (true, false) => "stable",
        }
    }

    /// The section of the output.
    pub fn text(&self) -> String {
        let mut out = format!("\nstability\n  {}\n", self.setting());
        let v = &self.verdict;
        let how = match v.eigensolver {
            Eigensolver::Dense => "all eigenvalues".to_owned(),
            Eigensolver::Krylov { bound, .. } if v.stable => {
                format!("{} steps; no motion grows faster than {} per step (99 % confidence)", v.steps, radius(bound))
            }
            Eigensolver::Krylov { residual: Some(residual), .. } => {
                format!("{} steps, residual {residual:.0e}", v.steps)
            }
            Eigensolver::Krylov { residual: None, .. } => format!("{} steps", v.steps),
        };
        let word = match self.verdict_word() {
            "drifts" => "stable with drift: a motion grows as a power of time, not exponentially",
            word => word,
        };
        out += &format!("  {word}: spectral radius {} ({how})\n", radius(v.radius));
        if let Some((mode, _, pair)) = self.principal.first() {
            out += &format!(
                "  mode {mode}: principal eigenvalue {}, damping ratio {:.3e}, frequency error {:.3e}\n",
                complex(pair.eigenvalue),
                pair.damping,
                pair.frequency_error
            );
        }
        if self.small {
            out += "  the model is nonlinear: valid for small motions about its initial state\n";
        }
        if let Some((motion, moves)) = self.leading.as_ref().filter(|_| self.unstable) {
            out += &guilty(motion, moves.as_ref());
        }
        out += &self.limit_text();
        for own in &self.own {
            let whose = if own.name.is_empty() { String::new() } else { format!("`{}` alone: ", own.name) };
            out += &format!(
                "  {whose}{} is stable up to omega dt = {}; highest frequency {} Hz: step of at most {}\n",
                own.scheme,
                short(own.omega_dt),
                short(own.omega_max / std::f64::consts::TAU),
                time(own.dt())
            );
        }
        if self.unstable {
            out += &match self.remedies.is_empty() {
                true => "  no stable setting was found near the given one\n".to_owned(),
                false => {
                    let row = |r: &super::Remedy| vec![r.options.clone(), r.known()];
                    let rows: Vec<Vec<String>> = self.remedies.iter().map(row).collect();
                    format!(
                        "\nstable settings near the given one\n{}",
                        aligned(&["options", "<spectral radius"], &rows)
                    )
                }
            };
        }
        self.looped.iter().for_each(|looped| out += &looped.text());
        self.certificate.iter().for_each(|(found, file)| out += &found.text(file.as_ref()));
        paged(&out)
    }

    fn limit_text(&self) -> String {
        match &self.limit {
            Limit::Unknown(why) => format!("  the largest stable step is unknown: {why}\n"),
            Limit::Known(None) => "  stable at any step (property of the scheme)\n".to_owned(),
            Limit::Known(Some(dt)) => {
                format!("  largest stable step {} (limit of the scheme at the highest frequency)\n", time(*dt))
            }
            Limit::Searched(found) => searched(found),
        }
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let v = &self.verdict;
        let method = match v.eigensolver {
            Eigensolver::Dense => json!({ "name": "dense" }),
            Eigensolver::Krylov { residual, bound, exhausted } => json!({
                "name": "krylov", "residual": residual, "bound": bound, "exhausted": exhausted,
                UNITS: { "residual": ONE, "bound": ONE },
            }),
        };
        let leading = self.leading.as_ref().map(|(motion, moves)| {
            of_motion(motion)
                .quantity("magnitude", motion.magnitude(), ONE)
                .with("moves_most_at", moves.as_ref().map(|m| m.dof.as_str()))
                .with("substructure", moves.as_ref().and_then(|m| m.substructure.as_ref()).map(|s| s.0.as_str()))
                .with("side", moves.as_ref().and_then(|m| m.substructure.as_ref()).map(|s| side(s.1)))
                .quantity("share", moves.as_ref().map(|m| m.share), ONE)
                .object()
        });
        let limit = match &self.limit {
            Limit::Unknown(why) => json!({ "found_by": null, "error": why }),
            Limit::Known(dt) => json!({ "found_by": "scheme", "largest": dt, UNITS: { "largest": "s" } }),
            Limit::Searched(f) => json!({
                "found_by": "search", "largest": f.largest,
                "searched": [f.probed.first().map(|p| p.dt), f.probed.last().map(|p| p.dt)],
                "unstable_windows": f.windows.iter().map(|w| [*w.start(), *w.end()]).collect::<Vec<_>>(),
                "probed": f.probed.iter().map(|p| json!({ "dt": p.dt, "radius": p.radius, "stable": p.stable }))
                    .collect::<Vec<_>>(),
                UNITS: { "largest": "s", "searched": "s", "unstable_windows": "s", "dt": "s", "radius": ONE },
            }),
        };
        let principal = self.principal.iter().map(|(mode, omega, pair)| {
            json!({
                "mode": mode, "omega": omega, "eigenvalue": pair.eigenvalue, "damping": pair.damping,
                "frequency_error": pair.frequency_error, "frequency_error_arg": pair.frequency_error_arg,
                UNITS: {
                    "omega": "rad/s", "eigenvalue": ONE, "damping": ONE, "frequency_error": ONE, "frequency_error_arg": ONE,
                },
            })
        });
        let own = self.own.iter().map(|o| {
            json!({
                "substructure": (!o.name.is_empty()).then_some(&o.name), "scheme": o.scheme, "omega_dt": o.omega_dt,
                "omega_max": o.omega_max, "largest": o.dt(),
                UNITS: { "omega_dt": "rad", "omega_max": "rad/s", "largest": "s" },
            })
        });
        json!({
            UNITS: { "spectral_radius": ONE, "bound": ONE },
            "setting": self.setting(), "verdict": self.verdict_word(), "stable": v.stable, "drifts": v.drifts,
            "spectral_radius": v.radius, "linear": !self.small,
            "loop": self.looped.as_ref().map(super::Loop::json),
            "certificate": self.certificate.as_ref().map(|(found, file)| found.json(file.as_ref())), "method": method, "steps": v.steps,
            "principal": principal.collect::<Vec<_>>(), "leading_motion": leading, "step_limit": limit, "own_limits": own.collect::<Vec<_>>(),
            "stable_settings": self.remedies.iter()
                .map(|r| json!({ "options": r.options, "spectral_radius": r.radius, "bound": r.bound })).collect::<Vec<_>>(),
        })
    }
}

/// A motion at the steps, for JSON.
pub(super) fn of_motion(motion: &Motion) -> Quantities {
    Quantities::default()
        .quantity("frequency", number(motion.frequency()), "Hz")
        .quantity("growth", number(motion.rate()), "1/s")
        .seconds("doubling_time", motion.doubling_time())
}

pub(crate) fn guilty(motion: &Motion, moves: Option<&Moves>) -> String {
    let doubles = motion.doubling_time().map_or_else(String::new, |t| format!(", doubles in {}", time(t)));
    let mut out = format!(
        "  growing motion: {} Hz at the steps, growth {} 1/s{doubles}\n",
        short(motion.frequency()),
        short(motion.rate())
    );
    if let Some(m) = moves {
        out += &format!("  it moves most at {}, {:.0} % of the motion\n", where_it_moves(moves), 100.0 * m.share);
    }
    out
}

/// Where a motion is largest, in the user's names.
pub(crate) fn where_it_moves(moves: Option<&Moves>) -> String {
    let Some(m) = moves else { return "the laboratory, not a degree of freedom".to_owned() };
    let whose =
        m.substructure.as_ref().map_or_else(String::new, |(s, fine)| format!(" of `{s}` ({} side)", side(*fine)));
    format!("`{}`{whose}", m.dof)
}

fn searched(found: &StepLimit) -> String {
    let (Some(first), Some(last)) = (found.probed.first(), found.probed.last()) else { return String::new() };
    let range = format!("searched from {} to {}", time(first.dt), time(last.dt));
    if found.windows.is_empty() {
        return format!("  stable at all {} steps {range}\n", found.probed.len());
    }
    let limit = match found.largest {
        Some(dt) => format!("largest stable step {}", time(dt)),
        None => "no stable step".to_owned(),
    };
    let mut out = format!("  {limit}, {range}; unstable");
    let windows: Vec<String> = found
        .windows
        .iter()
        .map(|w| match *w.end() >= last.dt {
            true => format!("from {} on", time(*w.start())),
            false => format!("from {} to {}", time(*w.start()), time(*w.end())),
        })
        .collect();
    // Many windows are read in the JSON.
    let shown = windows.len().min(4);
    out += &format!(" {}", windows[..shown].join(", "));
    if shown < windows.len() {
        out += &format!(" and {} more", windows.len() - shown);
    }
    out + "\n"
}
