//! Online updating in words and numbers: what a specimen taught, and a virtual test in which the true specimen differs from the assumed one,
//! with updating and without, against the truth.

use interfield_kernel::Fault;
use interfield_language::Model;
use interfield_language::model::{Channel, Quantity, Support};
use interfield_language::units::Dimension;
use interfield_language::update::{PARAMETERS, Update, exponent};
use interfield_learn::online::State;
use interfield_structure::learning::{Lesson, knowing, without};
use interfield_structure::{Simulation, Structure};
use serde_json::{Value, json};

use crate::refused::{Cause, Refused};
use crate::table::{aligned, short};
use crate::{Choices, ModelFile};

/// What was taught in a run, for a reader; empty if nothing was to be.
pub fn text(sim: &Simulation) -> String {
    sim.lessons().iter().map(|l| lesson_text(l, &sim.model)).collect()
}

/// The rows of a lesson: parameter, first guess, estimate with its band, what is in use, unit.
pub fn rows(lesson: &Lesson, model: &Model) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let update = model.updates.iter().find(|u| u.name == lesson.name);
    let shown = |p: &interfield_structure::learning::Taught| {
        let dim = update.map_or(Dimension::NONE, |u| dimension(model, u, p.name));
        let factor = model.units.factor(dim);
        let show = |x: f64| short(x / factor);
        let band =
            if p.told { format!("{} .. {}", show(p.value[1]), show(p.value[2])) } else { "not learned".to_owned() };
        vec![p.name.to_owned(), model.units.label(dim), show(p.first), show(p.value[0]), band, show(p.used)]
    };
    let header = vec!["parameter", "unit", "first guess", "estimate", "<95 % band", "in use"];
    (header, lesson.parameters.iter().map(shown).collect())
}

/// What is said of a lesson beside its parameters.
pub fn sentences(lesson: &Lesson, model: &Model) -> Vec<String> {
    let energy = model.units.factor(Dimension::MOMENT);
    let unit = model.units.label(Dimension::MOMENT);
    let [gained, tank, dissipated] = lesson.energy.map(|e| short(e / energy));
    let mut list = vec![format!(
        "energy that changes of parameters gave: {gained} {unit}; the tank held {tank} {unit}, dissipated: {dissipated} {unit}"
    )];
    if lesson.waited > 0 {
        list.push(format!("{} changes waited for the tank, or for the operators of the scheme", lesson.waited));
    }
    list.extend(lesson.doubts());
    list
}

fn lesson_text(lesson: &Lesson, model: &Model) -> String {
    let (header, rows) = rows(lesson, model);
    let s = if lesson.pupils == 1 { "" } else { "s" };
    let mut out =
        format!("\nupdating `{}`: {} element{s} adapted to `{}`\n", lesson.name, lesson.pupils, lesson.teacher);
    out += &aligned(&header, &rows);
    sentences(lesson, model).iter().for_each(|line| out += &format!("  {line}\n"));
    out
}

fn dimension(model: &Model, update: &Update, name: &str) -> Dimension {
    let element = &model.elements[update.teacher];
    let along = match &element.kind {
        interfield_language::model::Kind::Law { coordinates, .. } => {
            coordinates.first().and_then(|c| c.first()).map(|t| t.0)
        }
        _ => None,
    };
    let angle = along.is_some_and(|d| model.dofs[d].angle);
    let along = if angle { Dimension::ANGLE } else { Dimension::LENGTH };
    let found = PARAMETERS.iter().find(|p| p.0 == name);
    found.map_or(Dimension::NONE, |p| p.1.dimension(along, exponent(&element.kind)))
}

/// The same as numbers, SI.
pub fn json(lessons: &[Lesson]) -> Value {
    let one = |l: &Lesson| {
        json!({
            "name": l.name,
            "teacher": l.teacher,
            "elements": l.pupils,
            "active": l.state == State::Learning,
            "doubts": l.doubts(),
            "moving": l.moving,
            "injected": l.energy[0],
            "tank": l.energy[1],
            "dissipated": l.energy[2],
            "fullest": l.fullest,
            "waited": l.waited,
            "parameters": l.parameters.iter().map(|p| json!({
                "name": p.name, "first": p.first, "estimate": p.value[0], "low": p.value[1], "high": p.value[2],
                "used": p.used, "learned": p.told,
            })).collect::<Vec<_>>(),
        })
    };
    lessons.iter().map(one).collect()
}

/// A response against that of the structure that knows the truth from the beginning.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Channels with their relative root-mean-square errors without and with updating.
    pub errors: Vec<(String, [f64; 2])>,
    /// The same over all displacements together.
    pub response: [f64; 2],
    /// What was learned.
    pub lessons: Vec<Lesson>,
    /// Times, s, and each channel of the truth, without and with updating, SI; empty where only errors were asked for.
    pub histories: (Vec<f64>, Vec<[Vec<f64>; 3]>),
}

impl Compared {
    /// Error without updating over that with it.
    pub fn reduction(&self) -> f64 {
        self.response[0] / self.response[1]
    }
}

/// Runs a model with emulated specimens three times: knowing the truth, without updating, with it. The error is a sentence.
///
/// # Errors
/// What stands against a run, or ended one.
pub fn compare(model: &Model) -> Result<Compared, String> {
    compared(model, false)
}

fn compared(model: &Model, kept: bool) -> Result<Compared, String> {
    let mut model = model.clone();
    let moved: Vec<usize> = (0..model.dofs.len()).filter(|&d| matches!(model.dofs[d].support, Support::Free)).collect();
    let forces = model.updates.iter().flat_map(|u| u.pupils.iter().copied());
    let displacements = moved.iter().map(|&d| (model.dofs[d].name.clone(), Quantity::Displacement(d)));
    let forces = forces.map(|e| (format!("{}.force", model.elements[e].name), Quantity::Force(e, 0)));
    let channel = |(name, quantity)| Channel { name, quantity, unit: String::new(), factor: 1.0 };
    let count = moved.len();
    model.channels = displacements.chain(forces).map(channel).collect();
    let names: Vec<String> = model.channels.iter().map(|c| c.name.clone()).collect();
    let dt = model.analysis.dt;
    let (truth, _) = history(knowing(&model))?;
    let (none, _) = history(without(model.clone()))?;
    let updates = model.updates.iter().map(|u| Update { enabled: true, ..u.clone() }).collect();
    let (learned, lessons) = history(Model { updates, ..model })?;
    let mut errors = Vec::new();
    let mut all = [[0.0; 2], [0.0; 2]];
    let mut histories = (Vec::new(), Vec::new());
    if kept {
        histories.0 = (1..=truth.len()).map(|k| k as f64 * dt).collect();
        let column = |rows: &[Vec<f64>], i: usize| rows.iter().map(|r| r[i]).collect::<Vec<f64>>();
        histories.1 = (0..names.len()).map(|i| [&truth, &none, &learned].map(|rows| column(rows, i))).collect();
    }
    for (i, name) in names.into_iter().enumerate() {
        let column = |rows: &[Vec<f64>]| rows.iter().map(|r| r[i]).collect::<Vec<f64>>();
        let truth = column(&truth);
        let size: f64 = truth.iter().map(|x| x * x).sum();
        let error =
            [&none, &learned].map(|rows| column(rows).iter().zip(&truth).map(|(x, t)| (x - t).powi(2)).sum::<f64>());
        if i < count {
            for (all, error) in all.iter_mut().zip(error) {
                *all = [all[0] + error, all[1] + size];
            }
        }
        errors.push((name, error.map(|e| (e / size).sqrt())));
    }
    Ok(Compared { errors, response: all.map(|[error, size]| (error / size).sqrt()), lessons, histories })
}

/// All rows of a run, and what was learned in it.
fn history(model: Model) -> Result<(Vec<Vec<f64>>, Vec<Lesson>), String> {
    let first =
        |list: Vec<interfield_language::Problem>| list.into_iter().next().map_or_else(String::new, |p| p.message);
    let mut sim =
        Structure::new(model).and_then(|s| s.start(&mut interfield_structure::specimen::Rehearsal)).map_err(first)?;
    let mut rows = Vec::new();
    let mut row = vec![0.0; sim.channels().len()];
    for k in 0..sim.steps() {
        let mut taken = || -> Result<(), Fault> {
            sim.step(k)?;
            sim.sample(k + 1, &mut row)
        };
        if let Err(fault) = taken() {
            return Err(sim.explain(fault));
        }
        rows.push(row.clone());
    }
    Ok((rows, sim.lessons()))
}

/// Factors of the first guess, update by update, and what came of a test with them.
pub type Truth = (Vec<(usize, f64)>, Result<Compared, String>);

/// A virtual test over one truth, or over many.
pub struct Rehearsed {
    /// The truth of the model file.
    pub own: Compared,
    /// Of many.
    pub truths: Vec<Truth>,
    model: Model,
}

/// Numbers from a seed (SplitMix64), equally distributed.
struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Models whose true specimens differ from the first guess by up to `spread`, drawn from a seed.
pub fn drawn(model: &Model, count: u32, spread: f64, seed: u64) -> Vec<Model> {
    let mut dice = Dice(seed);
    let one = |_| {
        let mut model = model.clone();
        for update in &mut model.updates {
            let law = &model.elements[update.teacher].type_name;
            let all = interfield_language::update::LAWS.iter().find(|l| l.0 == law).map_or(&[][..], |l| l.1);
            let named = if update.parameters.is_empty() { all } else { &update.parameters[..] };
            update.truth = named.iter().map(|&i| (i, 1.0 + spread * (2.0 * dice.uniform() - 1.0))).collect();
        }
        model
    };
    (0..count).map(one).collect()
}

impl ModelFile {
    /// The model whose updating is to be rehearsed.
    ///
    /// # Errors
    /// Where there is nothing to learn.
    pub fn updated(&self, choices: &Choices) -> Result<Model, Refused> {
        let (model, _) = self.model(choices)?;
        if model.updates.is_empty() {
            let help = "add [[update]]: it names the elements that learn from a specimen";
            return Err(Refused::new(Cause::Input, "the model has no [[update]]", help));
        }
        Ok(model)
    }
}

impl Rehearsed {
    /// Of a model, with what came of other truths.
    ///
    /// # Errors
    /// Why the truth of the model itself could not be run, as a sentence.
    pub fn new(model: Model, truths: Vec<Truth>) -> Result<Self, String> {
        Ok(Rehearsed { own: compared(&model, true)?, truths, model })
    }

    /// Its model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Reductions of the error over all truths that ran, the least first.
    pub fn reductions(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.truths.iter().filter_map(|t| Some(t.1.as_ref().ok()?.reduction())).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Whether updating never hurt and was never disabled.
    pub fn is_good(&self) -> bool {
        let sound = |c: &Compared| c.reduction() >= 1.0 && c.lessons.iter().all(|l| l.state == State::Learning);
        sound(&self.own) && self.truths.iter().all(|t| t.1.as_ref().is_ok_and(sound))
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let percent = |x: f64| short(100.0 * x);
        let mut out = String::from("response against that of a structure that knows the truth (root mean square)\n");
        let row = |(name, [none, with]): &(String, [f64; 2])| {
            vec![name.clone(), percent(*none), percent(*with), format!("{:.1}", none / with)]
        };
        let mut rows: Vec<Vec<String>> = self.own.errors.iter().map(row).collect();
        rows.push(row(&("all displacements".to_owned(), self.own.response)));
        out += &aligned(&["channel", "without updating [%]", "with updating [%]", "smaller by"], &rows);
        self.own.lessons.iter().for_each(|l| out += &lesson_text(l, &self.model));
        let all = self.reductions();
        if let (Some(least), Some(most)) = (all.first(), all.last()) {
            let worse = all.iter().filter(|r| **r < 1.0).count();
            let failed = self.truths.len() - all.len();
            let off = self
                .truths
                .iter()
                .filter(|t| t.1.as_ref().is_ok_and(|c| c.lessons.iter().any(|l| l.state != State::Learning)));
            out += &format!(
                "\n{} truths: the error of the response is smaller by {:.1} in the median, {least:.1} to {most:.1}\n  \
                 worse than without updating: {worse} of {}\n  updating disabled: {}\n  ended before their time: {failed}\n",
                self.truths.len(),
                all[all.len() / 2],
                all.len(),
                off.count()
            );
        }
        out
    }

    /// The same as numbers.
    pub fn json(&self) -> Value {
        let one = |c: &Compared| {
            json!({
                "without": c.response[0], "with": c.response[1], "reduction": c.reduction(),
                "channels": c.errors.iter().map(|(n, e)| json!({ "name": n, "without": e[0], "with": e[1] })).collect::<Vec<_>>(),
                "updates": json(&c.lessons),
            })
        };
        let all = self.reductions();
        json!({
            "truth": one(&self.own),
            "truths": self.truths.iter().map(|(factors, c)| json!({
                "factors": factors.iter().map(|f| f.1).collect::<Vec<_>>(),
                "outcome": c.as_ref().map_or_else(|e| json!({ "error": e }), one),
            })).collect::<Vec<_>>(),
            "median": all.get(all.len() / 2),
            "least": all.first(),
            "worse": all.iter().filter(|r| **r < 1.0).count(),
        })
    }
}
