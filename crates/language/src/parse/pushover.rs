//! `[pushover]`: forces that push the structure so that one displacement follows a protocol.

use super::Context;
use crate::key::*;
use crate::model::Pushing;
use crate::reader::Table;

section! {
    /// How the structure is pushed.
    pub(super) PUSHOVER = ("pushover", "[pushover]", "Forces that push the structure so that one displacement follows a protocol.");
    CONTROL: Text = key("control", "The degree of freedom that is led.").required().example("roof.x");
    PATTERN: Inner = table("pattern", &FORCES, "Forces for a load factor of one.").required().example("{ \"floor.x\" = \"1 kN\", \"roof.x\" = \"2 kN\" }");
    TO: Stroke = key("to", "Where it goes, monotonically.").example("200 mm");
    CYCLES: List<Stroke> = key("cycles", "Instead of `to`: amplitudes of cycles, each to one side and to the other.")
        .example("[\"10 mm\", \"20 mm\", \"40 mm\"]");
    REPEAT: Count = key("repeat", "Cycles at each amplitude.").range(Allowed::Between(1.0, 1000.0)).default("1").example("2");
    STEP: Stroke = key("step", "Length of a step.").required().range(POSITIVE).example("1 mm");
}

section! {
    FORCES = ("forces", "{ \"node.dof\" = ... }", "Forces by degree of freedom.").others(|| Anything.value());
}

/// Most steps of a protocol.
const MOST: f64 = 1e6;

/// Reads `[pushover]`.
pub(super) fn read(context: &Context<'_>, root: &Table<'_>) -> Option<Pushing> {
    let table = root.open(&super::PUSHOVER)?;
    let control = table.read(&CONTROL).and_then(|c| context.dof(&c));
    let table = match control {
        Some(d) => table.along(context.disp(d)),
        None => table,
    };
    let pattern = table.open(&PATTERN).map(|inner| {
        let mut pattern = Vec::new();
        for name in inner.keys() {
            let dof = context.dof(&name);
            let dim = dof.map_or(crate::units::Dimension::FORCE, |d| context.force(d));
            let force = inner.entry(&name.value, &Measured(dim), Allowed::Any);
            pattern.extend(dof.zip(force.map(|f| f.value)));
        }
        inner.finish();
        pattern
    });
    let (to, cycles, step) = (table.read(&TO), table.read(&CYCLES), table.read(&STEP));
    let repeat = table.value(&REPEAT);
    let turns = match (&to, &cycles) {
        (Some(to), None) => vec![to.value],
        (None, Some(cycles)) => {
            cycles.value.iter().flat_map(|a| [a.value, -a.value, 0.0].repeat(repeat as usize)).collect()
        }
        _ => {
            let help = "write to = \"200 mm\", or cycles = [\"10 mm\", \"20 mm\"]";
            context.error(table.span(), "a pushover goes either `to` somewhere or in `cycles`", help);
            Vec::new()
        }
    };
    let span = table.place(&STEP);
    table.finish();
    let (control, pattern, step) = (control?, pattern?, step?.value);
    if pattern.iter().all(|p| p.1 == 0.0) {
        context.error(
            root.place(&super::PUSHOVER),
            "this pattern has no force",
            "name at least one degree of freedom with a force",
        );
        return None;
    }
    let (mut at, mut targets) = (0.0, Vec::new());
    for turn in turns {
        let steps = ((turn - at).abs() / step - 1e-9).ceil().max(1.0);
        if steps > MOST {
            context.error(span, "this protocol has more than a million steps", "take longer steps");
            return None;
        }
        let from = at;
        targets.extend((1..=steps as u64).map(|i| from + (turn - from) * i as f64 / steps));
        at = turn;
    }
    Some(Pushing { control, pattern, targets })
}
