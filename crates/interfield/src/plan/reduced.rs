//! Parts of the structure that are reduced: what is kept and what is lost.

use interfield_language::model::Model;
use interfield_language::reduction::{Inertia, Interface, Superelement};
use interfield_language::units::significant;
use serde_json::{Value, json};

use super::quantity::count;
use crate::quantities::{ONE, UNITS};
use crate::reductions::{percent, response};
use crate::table::labelled;

fn hertz(f: f64) -> String {
    format!("{} Hz", significant(f, 3))
}

/// How much is lost at most, or as measured.
fn lost(element: &Superelement, share: f64) -> String {
    match (share.is_finite(), element.asked.interface) {
        (false, _) => "all".to_owned(),
        _ if share == 0.0 => "nothing".to_owned(),
        (true, Interface::Fixed) => format!("at most {}", percent(share)),
        (true, Interface::Free) => format!("{} (measured)", percent(share)),
    }
}

/// What each superelement is, for the head of a run.
pub(super) fn lines(model: &Model) -> String {
    let line = |s: &Superelement| {
        let unknowns = format!(
            "{} instead of {}",
            s.kept.len() + s.generalised.len(),
            count(s.kept.len() + s.interior, "unknown")
        );
        let text = format!(
            "{unknowns}; {} of the stiffness of its interface is lost up to {}",
            lost(s, s.lost),
            hertz(s.asked.frequency)
        );
        labelled("  ", &format!("reduced {}", s.name), &text)
    };
    model.superelements.iter().map(line).collect()
}

/// The directions of the ground motions of the model, or all of them.
fn told<'a>(model: &'a Model, s: &'a Superelement) -> Vec<&'a Inertia> {
    use interfield_language::model::Load;
    let moved = |i: &&Inertia| {
        let along = |l: &Load| matches!(l, Load::Ground { direction, supports, .. } if *direction == i.direction && *supports == i.supports);
        model.loads.iter().any(along)
    };
    s.inertia.iter().filter(moved).collect()
}

/// Everything that is known of the reductions before the run.
pub fn text(model: &Model) -> String {
    let mut out = String::new();
    for s in &model.superelements {
        let residual = s.generalised.len() - s.modes;
        let kind = match s.asked.interface {
            Interface::Fixed => "interface held (Craig-Bampton)",
            Interface::Free => "interface free (Rubin)",
        };
        out += &format!("\nreduced part {}\n", s.name);
        let inside = format!(
            "{} inside become {} and {}",
            count(s.interior, "unknown"),
            count(s.modes, "mode"),
            count(residual, "residual vector")
        );
        out += &labelled("  ", "unknowns", &format!("{} kept; {inside}; {kind}", s.kept.len()));
        let last = s.last.map_or_else(|| "none".to_owned(), |f| format!("up to {}", hertz(f)));
        let next = s
            .next
            .map_or_else(|| "no other exists".to_owned(), |f| format!("the first that is missing is at {}", hertz(f)));
        out += &labelled("  ", "modes", &format!("{last}; {next}"));
        let asked = format!("asked for: {}", percent(s.asked.accuracy));
        let stiffness =
            format!("{} of the dynamic stiffness of the interface up to {}", lost(s, s.lost), hertz(s.asked.frequency));
        out += &labelled("  ", "lost", &format!("{stiffness}; {asked}"));
        if let Some(force) = s.lost_force {
            let text = format!(
                "{} of the force that ground motions and constant loads inside send to the interface",
                lost(s, force)
            );
            out += &labelled("  ", "lost of loads", &text);
        }
        if let Some(response) = response(s) {
            let text = format!(
                "{response} of the largest motion of the interface, by harmonic loads of the model up to {}, of the structure as it is at rest",
                hertz(s.asked.frequency)
            );
            out += &labelled("  ", "response", &text);
        }
        for inertia in told(model, s) {
            let text = format!(
                "{} % of the inertia along {} is kept",
                significant(100.0 * inertia.share, 5),
                inertia.direction
            );
            out += &labelled("  ", "inertia", &text);
        }
        if let Some(highest) = s.highest {
            let text = format!("{}: it limits the step of an explicit scheme", hertz(highest));
            out += &labelled("  ", "highest", &text);
        }
    }
    out
}

/// The same as JSON.
pub fn json(model: &Model) -> Vec<Value> {
    let one = |s: &Superelement| {
        let finite = |x: f64| x.is_finite().then_some(x);
        let inertia = told(model, s).into_iter().map(|i| json!({ "direction": i.direction, "share": finite(i.share) }));
        json!({
            "name": s.name,
            "kept": s.kept.iter().map(|&d| model.dofs[d].name.as_str()).collect::<Vec<_>>(),
            "inside": s.interior,
            "modes": s.modes,
            "residual_vectors": s.generalised.len() - s.modes,
            "interface": if s.asked.interface == Interface::Fixed { "fixed" } else { "free" },
            "frequency": s.asked.frequency,
            "accuracy": s.asked.accuracy,
            "last_mode": s.last,
            "first_missing_mode": s.next,
            "highest": s.highest,
            "lost_stiffness": finite(s.lost),
            "lost_force": s.lost_force.and_then(finite),
            "lost_response": s.lost_response.get().copied().flatten().and_then(finite),
            "lost_initial_motion": s.lost_start,
            "inertia": inertia.collect::<Vec<_>>(),
            UNITS: {
                "frequency": "Hz", "last_mode": "Hz", "first_missing_mode": "Hz", "highest": "Hz", "accuracy": ONE, "lost_stiffness": ONE,
                "lost_force": ONE, "lost_response": ONE, "lost_initial_motion": ONE, "share": ONE,
            },
        })
    };
    model.superelements.iter().map(one).collect()
}
