//! What a run shows of the error of its reduced parts, in words and numbers.

use interfield_language::reduction::Superelement;
use interfield_language::units::significant;
use interfield_structure::{Shown, Simulation};
use serde_json::{Value, json};

use crate::quantities::{ONE, UNITS};
use crate::table::labelled;

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", significant(100.0 * share, 2))
}

/// What the largest motion is wrong by at most, before a run.
pub(crate) fn response(s: &Superelement) -> Option<String> {
    let share = s.lost_response.get().copied().flatten()?;
    Some(match share.is_finite() {
        true => format!("at most {}", percent(share)),
        false => "no bound: damping is missing, or the load moves what is missing".to_owned(),
    })
}

/// A sentence about each reduced part, after a run; empty without one.
pub fn text(sim: &Simulation) -> String {
    let line = |shown: &Shown| {
        let text = format!(
            "error of its motion about {}, by energy (three times the {} that its residual at 50 instants shows)",
            percent(shown.error()),
            percent(shown.residual)
        );
        labelled("  ", &format!("reduced {}", shown.name), &text)
    };
    let lines: String = sim.reduction_errors().iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// The same as JSON.
pub fn json(sim: &Simulation) -> Value {
    let one = |s: &Shown| json!({ "name": s.name, "residual": s.residual, "error": s.error(), UNITS: { "residual": ONE, "error": ONE } });
    sim.reduction_errors().iter().map(one).collect()
}

/// Each reduced part before and after the run: header and rows; no rows without one.
pub fn table(sim: &Simulation) -> (Vec<String>, Vec<Vec<String>>) {
    let header = ["part", "unknowns", "of", "modes", "stiffness lost", "response, before", "motion, after"];
    let after = sim.reduction_errors();
    let row = |s: &Superelement| {
        let lost = if s.lost.is_finite() { percent(s.lost) } else { "all".to_owned() };
        let found = after.iter().find(|a| a.name == s.name).map_or_else(String::new, |a| percent(a.error()));
        let size = s.kept.len() + s.generalised.len();
        let before = response(s).unwrap_or_default();
        vec![
            s.name.clone(),
            size.to_string(),
            (s.kept.len() + s.interior).to_string(),
            s.modes.to_string(),
            lost,
            before,
            found,
        ]
    };
    (header.map(str::to_owned).to_vec(), sim.model.superelements.iter().map(row).collect())
}
