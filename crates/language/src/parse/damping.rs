//! `[damping]`: of the whole structure, in addition to that of elements.

use super::Context;
use crate::diag::Diagnostic;
use crate::key::*;
use crate::model::Damping;
use crate::reader::{Spanned, Table};

/// A damping ratio: 5 % of critical is written 0.05 or "5 %".
const RATIOS_RANGE: Allowed = Allowed::Between(0.0, 10.0);

/// The highest ratio that is not doubted: structures have 0.005 to 0.1, with dampers to 0.3.
const HIGHEST: f64 = 0.5;

section! {
    /// Of the whole structure.
    pub(super) DAMPING = ("damping", "[damping]", "Damping of the whole structure: either `rayleigh` or `modal`.");
    RAYLEIGH: Inner = table("rayleigh", &RAYLEIGH_DAMPING, "C = a0 M + a1 K with the initial stiffness.")
        .example("{ ratio = 0.05, modes = [1, 3] }");
    MODAL: List<Pure> = key("modal", "Damping ratios of the first modes; the other modes have no \
        damping.").range(RATIOS_RANGE)
        .example("[0.05, \"5 %\"]");
}

section! {
    RAYLEIGH_DAMPING = ("rayleigh", "{ ratio = ... }", "Rayleigh damping, given by damping ratios or by factors.");
    RATIO: Pure = key("ratio", "Damping ratio of both modes.").range(RATIOS_RANGE).example("0.05");
    RATIOS: List<Pure> = key("ratios", "Damping ratios of the two modes, instead of a common \
        one.").range(RATIOS_RANGE).example("[0.02, 0.05]");
    MODES: List<Whole> = key("modes", "The two modes, counted from 1.").range(from(1.0)).default("[1, 2]").example("[1, 3]");
    A0: Rate = key("a0", "Factor of the mass, instead of ratios.").example("0.4 1/s");
    A1: Time = key("a1", "Factor of the stiffness, instead of ratios.").example("1 ms");
}

/// Reads `[damping]`.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) -> Damping {
    let Some(table) = root.open(&super::DAMPING) else { return Damping::None };
    let place = [table.place(&RAYLEIGH), table.place(&MODAL)].into_iter().find(|p| *p != table.span());
    context.places.damping = Some(place.unwrap_or_else(|| table.span()));
    let result = match (table.open(&RAYLEIGH), table.read(&MODAL)) {
        (Some(t), None) => {
            let result = rayleigh(context, &t);
            t.finish();
            result
        }
        (None, Some(ratios)) => {
            ratios.value.iter().for_each(|r| doubt(context, r));
            Damping::Modal(ratios.value.iter().map(|r| r.value).collect())
        }
        (None, None) if table.has(&MODAL) || table.has(&RAYLEIGH) => Damping::None,
        _ => {
            let help = "write rayleigh = { ratio = 0.05, modes = [1, 3] } or modal = [0.05, 0.05]";
            context.error(table.span(), "damping needs either `rayleigh` or `modal`", help);
            Damping::None
        }
    };
    table.finish();
    result
}

/// A ratio that nothing built has.
fn doubt(context: &Context<'_>, ratio: &Spanned<f64>) {
    if ratio.value > HIGHEST {
        let percent = 100.0 * ratio.value;
        let how = if ratio.value > 1.0 { ", beyond critical: the mode does not swing at all" } else { "" };
        let message = format!("a damping ratio of {percent:.4} % of critical{how}").replace(".0000", "");
        let help = format!("{} % is written \"{} %\" or {}", ratio.value, ratio.value, ratio.value / 100.0);
        context.diags.push(Diagnostic::warning(message, ratio.span.clone()).help(help));
    }
}

fn rayleigh(context: &Context<'_>, t: &Table<'_>) -> Damping {
    let (a0, a1) = (t.read(&A0), t.read(&A1));
    let (ratio, ratios) = (t.read(&RATIO), t.read(&RATIOS));
    if t.has(&A0) || t.has(&A1) {
        if t.has(&RATIO) || t.has(&RATIOS) {
            let place = if t.has(&RATIO) { t.place(&RATIO) } else { t.place(&RATIOS) };
            context.error(place, "`a0`, `a1` and ratios cannot be used together", "remove one of them");
        }
        if t.has(&MODES) {
            let help = "remove it, or give ratios instead";
            context.error(t.place(&MODES), "`modes` has no effect with `a0` and `a1`", help);
        }
        return Damping::Rayleigh { a0: a0.map_or(0.0, |a| a.value), a1: a1.map_or(0.0, |a| a.value) };
    }
    ratio.iter().chain(ratios.iter().flat_map(|r| &r.value)).for_each(|r| doubt(context, r));
    let both = match (&ratio, ratios.as_ref().map(|r| &r.value[..])) {
        (Some(r), None) => Some([r.value; 2]),
        (None, Some([a, b])) => Some([a.value, b.value]),
        _ => {
            // A ratio out of its range has been reported.
            if t.has(&RATIO) == t.has(&RATIOS) || ratios.is_some() {
                let message = "Rayleigh damping needs `ratio`, two `ratios`, or `a0` and `a1`";
                context.error(t.span(), message, "write ratio = 0.05");
            }
            None
        }
    };
    let modes = match &t.value(&MODES)[..] {
        [a, b] if a.value != b.value => Some([a.value as usize, b.value as usize]),
        _ => {
            let message = "`modes` needs two different modes, counted from 1";
            context.error(t.place(&MODES), message, "write modes = [1, 3]");
            None
        }
    };
    match (both, modes) {
        (Some(ratios), Some(modes)) => Damping::RayleighModes { ratios, modes },
        _ => Damping::None,
    }
}
