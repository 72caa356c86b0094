//! `inner` of a specimen: degrees of freedom that exist in the laboratory only. No target moves them; actuators in force control hold
//! some of them, the others are free.

use interfield_lab::kinematics::Lever;

use super::INNER;
use crate::diag::Diagnostic;
use crate::model::{Load, Support, short_name};
use crate::parse::Context;
use crate::partition::visit;
use crate::reader::{Spanned, Table};
use crate::specimen::{Actuator, Specimen};
use crate::units::Dimension;

/// Reads `inner` out of the degrees of freedom that a specimen has, in their order.
pub(super) fn read(context: &Context<'_>, table: &Table<'_>, (elements, dofs): (&[usize], &[usize])) -> Vec<usize> {
    let mut inner = Vec::new();
    for text in table.read(&INNER).map_or_else(Vec::new, |list| list.value) {
        let Some(d) = context.dof(&text) else { continue };
        if inner.contains(&d) {
            context.error(text.span.clone(), format!("`{}` is listed twice", text.value), "remove one");
        } else if is_good(context, &text, d, (elements, dofs)) {
            inner.push(d);
        }
    }
    inner.sort_unstable();
    if inner.len() == dofs.len() && !dofs.is_empty() {
        let message = "all degrees of freedom of this specimen are `inner`: no target moves it";
        let help = "`inner` lists only those that the structure does not have; leave out the ones that both have";
        context.error(table.place(&INNER), message, help);
    }
    inner
}

/// Puts those that actuators act on before the free ones, and says how many of them there are. Coordinates are the `commanded` ones, then the
/// inner ones; behind it the levers have no column of a free one any more.
pub(super) fn arrange(inner: &mut Vec<usize>, commanded: usize, actuators: Option<&mut Vec<Actuator>>) -> usize {
    // Actuators with mistakes of their own may act on any of them.
    let Some(actuators) = actuators else { return inner.len() };
    let acted_on = |i: &usize| actuators.iter().any(|a| a.lever.acts_on(commanded + i));
    let (held, free): (Vec<usize>, Vec<usize>) = (0..inner.len()).partition(acted_on);
    let kept: Vec<usize> = (0..commanded).chain(held.iter().map(|i| commanded + i)).collect();
    actuators.iter_mut().for_each(|a| a.lever = a.lever.over(&kept));
    *inner = held.iter().chain(&free).map(|&i| inner[i]).collect();
    held.len()
}

/// Warns of struts that lean as a free rotation turns their ends: neither targets nor sensors say by how much.
pub(super) fn check_arms(
    context: &Context<'_>,
    table: &Table<'_>,
    actuators: &[Actuator],
    (coordinates, commanded): (&[usize], usize),
) {
    let free = |i: &usize| !actuators.iter().any(|a| a.lever.acts_on(*i));
    for i in (commanded..coordinates.len()).filter(free) {
        for actuator in actuators {
            let Lever::Strut(strut) = &actuator.lever else { continue };
            // Rounding of positions that were written in different units.
            let arm = Some(strut.arm(i)).filter(|arm| *arm > 1e-9 * strut.length());
            let Some(arm) = arm else { continue };
            let name = &context.dofs[coordinates[i]].name;
            let units = &context.scope.units;
            let message = format!(
                "actuator `{}` is attached {} {} from the axis of `{name}`, which is free: how it leans where the \
                 specimen turns is neither known nor emulated",
                actuator.name,
                (arm / units.factor(Dimension::LENGTH) * 1e6).round() / 1e6,
                units.label(Dimension::LENGTH)
            );
            let help = "put the node where the actuator is attached, or let a second actuator hold the rotation";
            context.diags.push(Diagnostic::warning(message, table.span()).following().help(help));
        }
    }
}

/// Whether a degree of freedom can be inner: it moves, and nothing but the specimen has it.
fn is_good(context: &Context<'_>, text: &Spanned<String>, d: usize, (elements, dofs): (&[usize], &[usize])) -> bool {
    let dof = &context.dofs[d];
    let name = &dof.name;
    let refuse = |message: String, help: &str| {
        context.error(text.span.clone(), message, help);
        false
    };
    match &dof.support {
        Support::Free => {}
        Support::Fixed => {
            return refuse(format!("`{name}` is fixed and cannot be inner"), "remove it from `inner`, or free it");
        }
        Support::Imposed(_) => {
            let help = "remove it from `inner`, or the load that moves it";
            return refuse(format!("`{name}` has an imposed motion and cannot be inner"), help);
        }
        Support::Follows(_) => {
            let help =
                "an inner degree of freedom has no constraint: remove it from `inner`, or from the [[constraint]]";
            return refuse(format!("`{name}` follows others by a constraint and cannot be inner"), help);
        }
    }
    if !dofs.contains(&d) {
        let message = format!("no element of this specimen acts on `{name}`");
        return refuse(message, "add its element to `elements` of the specimen, or remove it from `inner`");
    }
    let others = context.elements.iter().enumerate().filter(|(e, _)| !elements.contains(e));
    let mut others = others.filter(|(_, element)| {
        let mut touches = false;
        visit(element, |x, _| touches |= x == d);
        touches
    });
    let Some((e, element)) = others.next() else { return true };
    let d = if context.carried.contains(&e) {
        Diagnostic::error(format!("a constraint acts on `{name}`, which is inner"), text.span.clone())
            .help("an inner degree of freedom has no constraint: remove it from `inner`")
    } else {
        let message = format!("element `{}` of the structure acts on `{name}`, which is inner", element.name);
        let help = format!(
            "an inner degree of freedom exists in the laboratory only: add `{}` to `elements` of the specimen, or \
             remove `{name}` from `inner`",
            element.name
        );
        Diagnostic::error(message, text.span.clone())
            .also(context.places.elements.get(e).cloned().unwrap_or_else(|| text.span.clone()), "acts on it")
            .help(help)
    };
    context.diags.push(d);
    false
}

/// What of the structure would act on inner degrees of freedom, and does not act in the laboratory.
pub(in crate::parse) fn check(context: &Context<'_>, specimens: &[Specimen], loads: &[Load]) {
    for (s, specimen) in specimens.iter().enumerate() {
        for (i, &d) in specimen.inner.iter().enumerate() {
            check_loads(context, d, loads);
            check_motion(context, (s, specimen), i, loads);
        }
    }
}

fn check_loads(context: &Context<'_>, d: usize, loads: &[Load]) {
    let name = &context.dofs[d].name;
    for (l, load) in loads.iter().enumerate() {
        if matches!(load, Load::Force { dof, .. } if *dof == d) {
            let message =
                format!("this force acts on `{name}`, which exists in the laboratory only: nothing applies it");
            let help = "write type = \"gravity\" for a constant load, and an actuator with control = \"force\" that applies it";
            context.error(context.places.loads.get(l).cloned().unwrap_or(0..0), message, help);
        }
    }
    if context.dofs[d].v0 != 0.0 {
        let message =
            format!("`{name}` is inner and has an initial velocity, which nothing in the laboratory gives it");
        context.error(context.places.dofs[d].clone(), message, "remove the initial velocity");
    }
}

fn check_motion(context: &Context<'_>, (s, specimen): (usize, &Specimen), i: usize, loads: &[Load]) {
    let dof = &context.dofs[specimen.inner[i]];
    if specimen.inner_masses[i] == 0.0 {
        return;
    }
    let place = context.places.specimens.get(s).cloned().unwrap_or(0..0);
    let shaken =
        |l: &Load| matches!(l, Load::Ground { direction, .. } if direction == short_name(&dof.name) && !dof.angle);
    if loads.iter().any(shaken) {
        let message = format!(
            "the ground motion does not act on the mass of `{}` in the laboratory: the actuators move the specimen \
             relative to the ground",
            dof.name
        );
        let help = "impose the ground motion on the supports as a displacement (type = \"support\"), so that the actuators \
                    apply absolute motions, or remove this mass";
        context.diags.push(Diagnostic::warning(message, place.clone()).following().help(help));
    }
    if specimen.time_scale != 1.0 {
        let message = format!(
            "time_scale = {}: the mass of `{}` moves in the time of the laboratory, and its inertia is not scaled",
            specimen.time_scale, dof.name
        );
        let help = "write time_scale = 1, or a mass of zero for a degree of freedom that follows statically";
        context.diags.push(Diagnostic::warning(message, place).following().help(help));
    }
}
