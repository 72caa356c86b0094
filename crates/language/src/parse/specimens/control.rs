//! `control`, `load`, `bandwidth` and `switch` of an actuator: what it follows, its place or its load.

use std::f64::consts::TAU;

use interfield_lab::controller::Control;

use super::actuators::{BANDWIDTH, CONTROL, LOAD, SWITCH};
use crate::diag::Diagnostic;
use crate::key::*;
use crate::parse::Context;
use crate::reader::Table;
use crate::specimen::{Actuator, Loading};

section! {
    /// A change of control.
    pub(super) SWITCHES = ("switch", "[[specimen.actuator.switch]]", "A change of control at a time of the model, without \
        a bump: to displacement the actuator stays at its place, to force the force goes from its measured value to `load`.");
    AT: Time = key("at", "Time of the model.").required().range(NOT_NEGATIVE).example("3 s");
    TO: Choice<(Control, &'static str)> = choice("to", &Control::ALL, "The control from then on.").required().example("displacement");
}

/// Bandwidth if the file gives none, Hz: what an actuator with a lag of 20 ms can do, and a fiftieth of the rate at most.
const USUAL: f64 = 2.0;
const SLOWER_THAN_RATE: f64 = 50.0;

/// What an actuator follows; `None` where the file says nothing of it.
pub(super) fn read(context: &Context<'_>, t: &Table<'_>, period: f64) -> Option<Loading> {
    let said = t.has(&CONTROL) || t.has(&LOAD) || t.has(&BANDWIDTH) || t.has(&SWITCH);
    let control = t.value(&CONTROL).0;
    let load = t.read(&LOAD).map(|l| l.value);
    let bandwidth = t.read(&BANDWIDTH);
    let mut switches: Vec<(f64, Control)> = Vec::new();
    for s in t.all(&SWITCH) {
        let (at, to) = (s.read(&AT), s.read(&TO));
        if let (Some(at), Some(to)) = (at, to) {
            let before = switches.last().map_or(control, |s| s.1);
            if switches.last().is_some_and(|last| at.value <= last.0) {
                context.error(at.span, "the times of switches must increase", "sort the switches by `at`");
            } else if to.value.0 == before {
                let message = format!("the actuator is in {} control already", before.name());
                context.error(to.span, message, "remove this switch, or write the other control");
            }
            switches.push((at.value, to.value.0));
        }
        s.finish();
    }
    let forced = control == Control::Force || switches.iter().any(|s| s.1 == Control::Force);
    match (forced, load) {
        (true, None) => {
            context.error(
                t.place(&CONTROL),
                "an actuator in force control needs a `load`",
                "write load = \"-1200 kN\"",
            );
        }
        (false, Some(_)) => {
            let help = "write control = \"force\", or a [[specimen.actuator.switch]] to force";
            context.error(t.place(&LOAD), "`load` has no effect: this actuator is never in force control", help);
        }
        _ => {}
    }
    let fastest = 1.0 / (SLOWER_THAN_RATE * period);
    let bandwidth = match bandwidth {
        None => USUAL.min(fastest),
        Some(given) => {
            if given.value > 10.0 * fastest {
                let message = format!(
                    "the bandwidth of {:.4} Hz is too high for a controller of {:.4} Hz",
                    given.value,
                    1.0 / period
                );
                let help = format!("write bandwidth = \"{:.4} Hz\" or less, or a higher `rate`", 10.0 * fastest);
                context.error(given.span, message, help);
            }
            given.value
        }
    };
    said.then_some(Loading { control, load: load.unwrap_or(0.0), bandwidth: TAU * bandwidth, switches })
}

/// Whether as many actuators have a control of their own as there are inner degrees of freedom that actuators act on.
pub(super) fn check(context: &Context<'_>, table: &Table<'_>, actuators: &[Actuator], held: &[usize]) {
    let names: Vec<&str> = held.iter().map(|&d| context.dofs[d].name.as_str()).collect();
    let loaded: Vec<&str> = actuators.iter().filter(|a| a.loading.is_some()).map(|a| a.name.as_str()).collect();
    if loaded.len() == held.len() {
        return;
    }
    let (message, help) = if held.is_empty() {
        let message = format!(
            "actuator `{}` has a `control` of its own, but acts on no inner degree of freedom: targets move it",
            loaded[0]
        );
        (message, "list the degree of freedom that it loads in `inner` of the specimen, or remove `control`".to_owned())
    } else {
        let have = match loaded.as_slice() {
            [] => "none has a `control`".to_owned(),
            [one] => format!("only `{one}` has a `control`"),
            many => format!("{} have a `control` ({})", many.len(), many.join(", ")),
        };
        let inner = if held.len() == 1 { "1 inner degree" } else { &format!("{} inner degrees", held.len()) };
        let message = format!("actuators act on {inner} of freedom ({}), but {have}", names.join(", "));
        let help = "write control = \"force\" with a `load`, or control = \"displacement\", in one [[specimen.actuator]] \
                    for each of them; struts leave a rotation free if they are attached at the node itself";
        (message, help.to_owned())
    };
    context.diags.push(Diagnostic::error(message, table.span()).help(help));
}
