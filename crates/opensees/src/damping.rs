//! `rayleigh`, `region` and `modalDamping`: the damping of a model file.

use crate::arguments::Arguments;
use crate::domain::Domain;
use crate::record::Command;
use crate::report::{Fate, Report};
use crate::write::{Keys, list};

pub(crate) fn write(domain: &Domain, report: &mut Report) -> String {
    if let Some(modal) = &domain.modal {
        return modes(domain, modal, report);
    }
    let Some(command) = &domain.rayleigh else { return String::new() };
    let p = Arguments::of(command).numbers();
    let get = |i: usize| p.get(i).copied().unwrap_or(0.0);
    let (mass, current, initial, committed) = (get(0), get(1), get(2), get(3));
    let stale = domain.eigen.as_ref().is_some_and(|e| !e.live) && command.arguments.iter().all(|a| a.origin.is_none());
    if stale {
        let message = "eigenvalues were not computed while the script was recorded: if these numbers come from them, they are wrong";
        let remedy = "give ratios in the model file: rayleigh = { ratio = 0.05, modes = [1, 2] }";
        report.add(Fate::Replaced, "rayleigh", &command.place, message, remedy);
    }
    for (factor, words) in [(current, "current"), (committed, "last committed")] {
        if factor != 0.0 {
            let message = format!("damping by the {words} stiffness becomes damping by the initial one");
            let remedy = "equal until members yield, larger after that; use betaKinit in the script to compare";
            report.add(Fate::Replaced, "rayleigh", &command.place, &message, remedy);
        }
    }
    let stiffness = current + initial + committed;
    if mass == 0.0 && stiffness == 0.0 {
        return String::new();
    }
    let keys = Keys::default().unless("a0", mass, 0.0).unless("a1", stiffness, 0.0);
    format!("\n[damping]\nrayleigh = {}\n", keys.inline())
}

fn modes(domain: &Domain, modal: &Command, report: &mut Report) -> String {
    let count = domain
        .eigen
        .as_ref()
        .and_then(|e| Arguments::from(&e.arguments).numbers().last().copied().or_else(|| e.arguments.last()?.number()));
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
