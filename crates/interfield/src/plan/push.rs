//! How a structure is pushed, before it is.

use interfield_language::Model;
use interfield_language::model::Pushing;
use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Value, json};

use super::quantity::{count, duration};
use crate::quantities::{ONE, Quantities, number};
use crate::table::{labelled, short, time};

/// Amplitudes that are listed.
const LISTED: usize = 12;

/// A push with the units of what is led.
pub(super) struct Push<'a> {
    model: &'a Model,
    push: &'a Pushing,
    /// Name and size in SI of the unit of what is led.
    unit: (String, f64),
}

impl<'a> Push<'a> {
    /// Of a model that is pushed.
    pub(super) fn of(model: &'a Model) -> Option<Self> {
        let push = model.pushover.as_ref().filter(|_| model.analysis.statics)?;
        let units = &model.units;
        let unit = match push.control {
            None => (String::new(), 1.0),
            Some(d) => along(units, model.dofs[d].angle, 0),
        };
        Some(Push { model, push, unit })
    }

    fn shown(&self, si: f64) -> String {
        format!("{} {}", short(si / self.unit.1), self.unit.0).trim_end().to_owned()
    }

    /// Longest step.
    fn longest(&self) -> f64 {
        let from = std::iter::once(&0.0).chain(&self.push.targets);
        from.zip(&self.push.targets).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max)
    }

    /// Amplitudes, each with the number of its cycles.
    fn grouped(&self) -> Vec<(f64, usize)> {
        let mut groups: Vec<(f64, usize)> = Vec::new();
        for &a in &self.push.amplitudes {
            match groups.last_mut().filter(|g| g.0 == a) {
                Some(group) => group.1 += 1,
                None => groups.push((a, 1)),
            }
        }
        groups
    }

    fn control(&self) -> String {
        self.push.control.map_or_else(|| "the load factor".to_owned(), |d| self.model.dofs[d].name.clone())
    }

    /// Label and text of all that is said.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let (push, steps) = (self.push, self.push.targets.len());
        let mut lines = Vec::new();
        let way = format!("{} of at most {}", count(steps, "step"), self.shown(self.longest()));
        lines.push(("pushed", format!("{} is controlled, {way}", self.control())));
        let forces: Vec<String> = push.pattern.iter().take(LISTED).map(|&(d, f)| self.force(d, f)).collect();
        lines.push(("pattern", forces.join(", ") + if push.pattern.len() > LISTED { ", ..." } else { "" }));
        let course = match (push.amplitudes.is_empty(), push.targets.last()) {
            (true, Some(&to)) => format!("to {}", self.shown(to)),
            _ => self.cycles(),
        };
        lines.push(("protocol", course));
        if let Some(v) = push.velocity {
            let dt = self.model.analysis.dt;
            let angle = push.control.is_some_and(|d| self.model.dofs[d].angle);
            let (unit, size) = along(&self.model.units, angle, 1);
            let hold =
                if push.hold > 0.0 { format!(", of which {} are a hold", time(push.hold)) } else { String::new() };
            let text = format!(
                "at most {} {unit}; {} per step{hold}, {} in all",
                short(v / size),
                time(dt),
                duration(dt * steps as f64)
            );
            lines.push(("velocity", text));
        }
        lines
    }

    fn force(&self, dof: usize, f: f64) -> String {
        let d = &self.model.dofs[dof];
        let dim = if d.angle { Dimension::MOMENT } else { Dimension::FORCE };
        let (size, label) = self.model.units.readable(dim);
        format!("{} {label} at {}", short(f / size), d.name)
    }

    fn cycles(&self) -> String {
        let groups = self.grouped();
        let name = self.push.protocol.map_or_else(String::new, |p| format!("{p}: "));
        let unit = &self.unit.0;
        let one = |(a, n): &(f64, usize)| {
            let times = if *n > 1 { format!("{n} x ") } else { String::new() };
            format!("{times}{}", short(a / self.unit.1))
        };
        let list: Vec<String> = groups.iter().take(LISTED).map(one).collect();
        let more = if groups.len() > LISTED { ", ..." } else { "" };
        let all = count(self.push.amplitudes.len(), "cycle");
        format!("{name}{all} with amplitudes {}{more} {unit}", list.join(", ")).trim_end().to_owned()
    }

    /// As lines of a page.
    pub(super) fn text(&self) -> String {
        self.lines().iter().map(|(label, text)| labelled("  ", label, text)).collect()
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        let (push, unit) = (self.push, if self.unit.0.is_empty() { ONE } else { self.unit.0.as_str() });
        let told = |x: f64| number(x / self.unit.1);
        let angle = push.control.is_some_and(|d| self.model.dofs[d].angle);
        let (rate, size) = along(&self.model.units, angle, 1);
        let pattern = push.pattern.iter().map(|&(d, f)| {
            let dof = &self.model.dofs[d];
            let dim = if dof.angle { Dimension::MOMENT } else { Dimension::FORCE };
            let (one, label) = self.model.units.readable(dim);
            json!({ "dof": dof.name, "force": f / one, "unit": label })
        });
        let cycles =
            self.grouped().into_iter().map(|(a, n)| json!({ "amplitude": told(a), "cycles": n, "unit": unit }));
        Quantities::default()
            .with("control", push.control.map(|d| self.model.dofs[d].name.clone()))
            .with("pattern", pattern.collect::<Vec<_>>())
            .with("protocol", push.protocol)
            .with("cycles", cycles.collect::<Vec<_>>())
            .with("steps", push.targets.len())
            .quantity("to", push.targets.last().map(|x| told(*x)), unit)
            .quantity("longest_step", told(self.longest()), unit)
            .quantity("velocity", push.velocity.map(|v| number(v / size)), &rate)
            .seconds("hold", push.hold)
            .object()
    }
}

/// Unit of a displacement or of a rate of one: its name and size in SI.
fn along(units: &UnitSystem, angle: bool, derivative: i32) -> (String, f64) {
    let dim = if angle { Dimension::ANGLE } else { Dimension::LENGTH };
    let dim = dim.times(Dimension::RATE.power(f64::from(derivative)));
    let label = if angle { units.angle_label(dim) } else { units.label(dim) };
    (label, units.factor(dim))
}
