//! A test as it will be run: coupling, sides with their schemes and steps, specimens with all that stands between them and the
//! equations. `check`, `run` and `rehearse` say it from this one description, as text and as JSON.

mod limits;
mod push;
mod quantity;
mod reduced;
mod sensors;
mod side;
mod specimen;

use std::sync::Arc;

use interfield_language::Model;
use interfield_structure::Simulation;
use interfield_structure::preparation::Memory;
use serde_json::{Value, json};

use crate::programs::{described, described_json};
use crate::quantities::{ONE, UNITS};
use crate::record::Format;
use crate::space::{result_bytes, size};
use crate::table::{aligned, labelled, time};
use push::Push;
use quantity::{count, duration, listed};
use side::Side;

/// Unknowns from which on memory is told.
const LARGE: usize = 2000;

/// Names that are listed before the rest is counted.
const NAMED: usize = 6;

/// Sides that are shown on a page.
const SHOWN: usize = 8;

pub use reduced::{json as reduced_json, text as reduced_text};

/// A test as it will be run.
pub struct Plan {
    model: Arc<Model>,
    /// Once it is assembled.
    unknowns: Option<usize>,
    /// Once it is started, if it is large.
    memory: Option<Memory>,
    /// The cuts, each with the substructures that it separates.
    cuts: Vec<(String, [String; 2])>,
    sides: Vec<Side>,
}

impl Plan {
    /// What is known of a structure that has been started.
    pub fn new(sim: &Simulation) -> Self {
        let cut = |c: &interfield_structure::split::Constraint| {
            let between = [c.plus.0, c.minus.0].map(|part| sim.part(part).name.clone());
            (sim.model.dofs[c.dof].name.clone(), between)
        };
        let mut sides = Side::all(&sim.model);
        sides.iter_mut().enumerate().for_each(|(part, side)| side.started(sim, part));
        Plan {
            model: sim.model.clone(),
            unknowns: Some(sim.free().len()),
            memory: (sim.free().len() >= LARGE).then(|| sim.memory()),
            cuts: sim.interface.iter().map(cut).collect(),
            sides,
        }
    }

    /// What is known of a model before it can be assembled: an external has not told its stiffness.
    pub fn unsettled(model: &Model) -> Self {
        Plan { model: Arc::new(model.clone()), unknowns: None, memory: None, cuts: Vec::new(), sides: Side::all(model) }
    }

    /// The same with what takes a moment to find: the highest frequency of each side, and the step that its scheme is stable with.
    pub fn with_limits(sim: &Simulation) -> Self {
        let mut plan = Plan::new(sim);
        plan.sides.iter_mut().enumerate().for_each(|(part, side)| side.look(sim, part));
        plan
    }

    /// In a few lines, for the head of a run.
    pub fn heading(&self) -> String {
        let elements = count(self.model.elements.len(), "element");
        let unknowns = self.unknowns.map_or_else(String::new, |n| format!("{}, ", count(n, "unknown")));
        let mut out = format!("  {unknowns}{elements}\n{}", self.stepping());
        if self.model.partition.is_none() {
            out += &self.sides.first().map_or_else(String::new, Side::solver_line);
        }
        out += &self.memory_line();
        out += &reduced::lines(&self.model);
        for (i, specimen) in self.model.specimens.iter().enumerate() {
            let line = specimen::line(specimen, &self.model, self.home(i));
            out += &labelled("  ", &format!("specimen {}", specimen.name), &line);
        }
        out
    }

    /// What a large structure takes: memory, and what its channels come to as a result file.
    fn memory_line(&self) -> String {
        let Some(memory) = self.memory else { return String::new() };
        let [factors, rest] = [memory.factors, memory.rest].map(size);
        let results = size(result_bytes(&self.model, Format::Results));
        labelled(
            "  ",
            "memory",
            &format!("{factors} for factors, {rest} for matrices and states; {results} of results"),
        )
    }

    /// Coupling or scheme, with the steps.
    fn stepping(&self) -> String {
        if let Some(push) = Push::of(&self.model) {
            return push.text();
        }
        let a = &self.model.analysis;
        let steps = format!("step {}, {} steps to {}", time(a.dt), a.steps(), time(a.steps() as f64 * a.dt));
        let Some(partition) = &self.model.partition else { return format!("  scheme {}, {steps}\n", a.scheme_name) };
        let info = partition.coupling.info;
        let names: Vec<&str> = self.cuts.iter().map(|c| c.0.as_str()).collect();
        let cuts = match names.len() {
            0 => String::new(),
            n => format!("; {}: {}", count(n, "interface"), listed(&names, NAMED)),
        };
        let mut out = format!("  {steps}\n");
        out += &labelled("  ", &format!("coupling {}", info.name), &format!("{}{cuts}", info.title));
        let rows: Vec<Vec<String>> = self.shown().iter().map(Side::row).collect();
        out + &aligned(&Side::HEADER, &rows) + &self.left_out()
    }

    /// The sides that a page shows.
    fn shown(&self) -> &[Side] {
        &self.sides[..self.sides.len().min(SHOWN)]
    }

    fn left_out(&self) -> String {
        match self.sides.len().saturating_sub(SHOWN) {
            0 => String::new(),
            n => format!("  ... and {n} more (--json shows them)\n"),
        }
    }

    /// Everything, for a page that is read before a test.
    pub fn text(&self) -> String {
        let mut out = format!("\nas it will be run\n{}", self.stepping());
        out += &self.shown().iter().map(Side::solver_line).collect::<String>();
        if self.unknowns.is_some() && !self.model.analysis.statics {
            out += &side::frequencies(self.shown(), self.model.partition.is_some());
        }
        out += &reduced::text(&self.model);
        for (i, specimen) in self.model.specimens.iter().enumerate() {
            out += &specimen::text(specimen, &self.model, self.home(i));
        }
        out + &described(&self.model)
    }

    /// The side on which a specimen stands.
    fn home(&self, specimen: usize) -> Option<&Side> {
        self.sides.iter().find(|side| side.specimens.contains(&specimen))
    }

    /// Everything, as JSON; lengths and forces in the units of the model, each with its unit.
    pub fn json(&self) -> Value {
        let a = &self.model.analysis;
        let coupling = self.model.partition.as_ref().map(|p| {
            json!({
                "method": p.coupling.info.name, "title": p.coupling.info.title, "parallel": p.coupling.info.parallel,
                "cuts": self.cuts.iter().map(|(dof, between)| json!({ "dof": dof, "between": between })).collect::<Vec<_>>(),
            })
        });
        let specimens = self.model.specimens.iter().enumerate();
        json!({
            "step": a.dt, "steps": a.steps(), "duration": a.steps() as f64 * a.dt, "unknowns": self.unknowns,
            "coupling": coupling, "pushover": Push::of(&self.model).map(|push| push.json()),
            "reduced": reduced::json(&self.model),
            "sides": self.sides.iter().map(Side::json).collect::<Vec<_>>(),
            "specimens": specimens.map(|(i, s)| specimen::json(s, &self.model, self.home(i))).collect::<Vec<_>>(),
            "externals": described_json(&self.model),
            UNITS: {
                "step": "s", "duration": "s", "scheme_step": "s", "largest_stable_step": "s", "highest_frequency": "Hz",
                "omega_dt": "rad", "largest_stable_omega_dt": "rad", "m": ONE, "c": "s", "k": "s^2", "rate": "Hz",
                "record_rate": "Hz", "time_scale": ONE, "scale": ONE, "ramp": "s", "patience": "s", "bridge": "s",
                "brake": "s", "delay": "s",
            },
        })
    }

    /// How long the whole takes by the clock of the laboratory, if there is one: s.
    pub fn laboratory_time(&self) -> Option<String> {
        let slowest = self.model.specimens.iter().map(|s| s.time_scale).max_by(f64::total_cmp)?;
        Some(duration(slowest * self.model.analysis.steps() as f64 * self.model.analysis.dt))
    }
}
