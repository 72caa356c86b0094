//! `rayleigh`, `region` and `modalDamping`: the damping of a model file.

use crate::arguments::Arguments;
use crate::domain::Domain;
use crate::record::Command;
use crate::report::{Fate, Report};
use crate::write::{Keys, list};

/// Damping of a model: `[damping]`, and the elements that it leaves out.
#[derive(Default)]
pub(crate) struct Damping {
    pub(crate) text: String,
    /// Tags of elements without damping by their stiffness.
    pub(crate) without: Vec<i64>,
}

/// `massive` are the nodes that have a mass, `damped` the elements that OpenSees damps by their stiffness.
pub(crate) fn translate(domain: &Domain, massive: &[i64], damped: &[i64], report: &mut Report) -> Damping {
    if let Some(modal) = &domain.modal {
        return Damping { text: modes(domain, modal, report), without: Vec::new() };
    }
    for command in &domain.rayleigh {
        remarks(domain, command, report);
    }
    let Some(last) = domain.rayleigh.last() else { return Damping::default() };
    let mass = factor(massive.iter().map(|n| domain.mass_factors.get(n).copied().unwrap_or(0.0)));
    let stiffness = factor(damped.iter().map(|e| domain.stiffness_factors.get(e).copied().unwrap_or(0.0)));
    let (Some((a0, every)), Some((a1, _))) = (mass, stiffness) else {
        let message = "several factors of damping in one model are unknown";
        let remedy = "use one factor of the mass and one of the stiffness";
        report.add(Fate::Refused, "rayleigh", &last.place, message, remedy);
        return Damping::default();
    };
    if !every {
        let message = "damping by the mass of some of the nodes becomes damping by the mass of all";
        report.add(Fate::Replaced, "rayleigh", &last.place, message, "damp all nodes that have a mass");
    }
    let none = |e: &&i64| a1 != 0.0 && domain.stiffness_factors.get(e).is_none_or(|a| *a == 0.0);
    let without = damped.iter().filter(none).copied().collect();
    if a0 == 0.0 && a1 == 0.0 {
        return Damping::default();
    }
    let keys = Keys::default().unless("a0", a0, 0.0).unless("a1", a1, 0.0);
    Damping { text: format!("\n[damping]\nrayleigh = {}\n", keys.inline()), without }
}

/// The one factor among these besides zero, and whether none is zero.
fn factor(all: impl Iterator<Item = f64>) -> Option<(f64, bool)> {
    let (mut one, mut every) = (0.0, true);
    for x in all {
        every &= x != 0.0;
        if one != 0.0 && x != 0.0 && x != one {
            return None;
        }
        one = if x != 0.0 { x } else { one };
    }
    Some((one, every || one == 0.0))
}

/// What a user should know of one command.
fn remarks(domain: &Domain, command: &Command, report: &mut Report) {
    let a = Arguments::of(command);
    let p = if command.name == "rayleigh" {
        a.clone().numbers()
    } else {
        a.after("-rayleigh").map(|mut a| a.numbers()).unwrap_or_default()
    };
    let get = |i: usize| p.get(i).copied().unwrap_or(0.0);
    let guessed =
        domain.eigen.as_ref().is_some_and(|e| !e.live) && command.arguments.iter().all(|a| a.origin.is_none());
    if guessed {
        let message = "eigenvalues were not computed while the script was recorded: if these numbers come from them, they are wrong";
        let remedy = "give ratios in the model file: rayleigh = { ratio = 0.05, modes = [1, 2] }";
        report.add(Fate::Replaced, &command.name, &command.place, message, remedy);
    }
    for (factor, words) in [(get(1), "current"), (get(3), "last committed")] {
        if factor != 0.0 {
            let message = format!("damping by the {words} stiffness becomes damping by the initial one");
            let remedy = "equal until members yield, larger after that; use betaKinit in the script to compare";
            report.add(Fate::Replaced, &command.name, &command.place, &message, remedy);
        }
    }
}

fn modes(domain: &Domain, modal: &Command, report: &mut Report) -> String {
    let count = domain.eigen.as_ref().and_then(|e| e.arguments.iter().rev().find_map(|a| a.number()));
    let Some(count) = count else {
        let remedy = "call eigen before it";
        report.add(Fate::Refused, &modal.name, &modal.place, "modal damping needs the number of modes", remedy);
        return String::new();
    };
    let mut ratios = Arguments::of(modal).numbers();
    if let [one] = ratios[..] {
        ratios = vec![one; count.max(1.0) as usize];
    }
    format!("\n[damping]\nmodal = {}\n", list(&ratios))
}
