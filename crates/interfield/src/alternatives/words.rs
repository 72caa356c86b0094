//! What is known of the couplings of a model, as text and as JSON.

use interfield_language::Model;
use interfield_language::partition::Choice;
use interfield_language::units::{significant, time_to};
use interfield_structure::budget::EQUAL_STEPS;
use serde_json::{Value, json};

use super::{Alternatives, Candidate, Expected, Measured, Mode, Reason};
use crate::quantities::{ONE, Quantities, number};
use crate::table::{aligned, labelled, wrapped};

/// A share in percent.
pub(super) fn percent(x: f64) -> String {
    match x {
        x if !x.is_finite() => "-".to_owned(),
        x if x.abs() < 5e-7 => "0".to_owned(),
        x if x.abs() >= 10.0 => format!("{:.0e}", 100.0 * x),
        x if x.abs() < 1e-5 => significant(100.0 * x, 1),
        x => significant(100.0 * x, 2),
    }
}

/// A nominal time.
fn nominal(seconds: f64) -> String {
    time_to(seconds, 2)
}

impl Candidate {
    /// Its name, with its step where that is not the step of the model.
    pub fn name(&self) -> String {
        if self.at_fine_step {
            format!("{}, {}", self.info.name, time_to(self.dt, 4))
        } else {
            self.info.name.to_owned()
        }
    }

    /// Its name, in a sentence.
    fn in_words(&self) -> String {
        let name = self.info.name;
        if self.at_fine_step {
            format!("`{name}` with equal steps of {}", time_to(self.dt, 4))
        } else {
            format!("`{name}`")
        }
    }

    fn row(&self, mode: Option<&Mode>, marked: bool) -> Vec<String> {
        let expected = self.expected.as_ref().ok();
        let pole = expected.and_then(|e| e.poles.first().copied().flatten()).zip(mode);
        let unknown = || "-".to_owned();
        let beside = if self.needs.beside > 0.0 { nominal(self.needs.beside) } else { unknown() };
        let fits = self.fits.map_or("-", |fits| if fits { "yes" } else { "no" });
        vec![
            format!("{}{}", self.name(), if marked { " *" } else { "" }),
            nominal(self.needs.fine_step),
            beside,
            fits.to_owned(),
            pole.map_or_else(unknown, |(pole, mode)| percent(mode.period_error(pole))),
            pole.map_or_else(unknown, |(pole, mode)| percent(mode.added_damping(pole))),
            expected.map_or_else(unknown, |e| percent(e.error)),
            self.if_yielded(),
        ]
    }

    /// The error with laws that have yielded, unless a motion grows.
    fn if_yielded(&self) -> String {
        match (&self.yielded, self.stable_if_soft) {
            (_, Some(false)) => "grows".to_owned(),
            (Ok(e), _) => percent(e.error),
            (Err(_), _) => "-".to_owned(),
        }
    }

    fn json(&self, modes: &[Mode], recommended: bool) -> Value {
        let expected = self.expected.as_ref().ok();
        let of_mode = |(mode, pole): (&Mode, &Option<interfield_analysis::poles::Pole>)| {
            let of = |f: &dyn Fn(interfield_analysis::poles::Pole) -> f64| pole.map_or(Value::Null, |p| number(f(p)));
            Quantities::default()
                .with("mode", mode.number)
                .quantity("period_error", of(&|p| mode.period_error(p)), ONE)
                .quantity("added_damping_ratio", of(&|p| mode.added_damping(p)), ONE)
                .object()
        };
        let poles: Vec<Value> = expected.iter().flat_map(|e| modes.iter().zip(&e.poles)).map(of_mode).collect();
        let error = |found: &Result<Expected, String>| found.as_ref().map_or(Value::Null, |e| number(e.error));
        let schemes = self.model.partition.iter().flat_map(|p| &p.substructures);
        Quantities::default()
            .with("name", self.info.name)
            .with("own", self.own)
            .with("recommended", recommended)
            .with("parallel", self.info.parallel)
            .with("schemes", schemes.map(|s| s.scheme_name.as_str()).collect::<Vec<_>>())
            .seconds("dt", self.dt)
            .with("substeps", self.exchanges)
            .seconds("needs_in_a_fine_step", self.needs.fine_step)
            .seconds("needs_beside_in_a_macro_step", self.needs.beside)
            .with("fits", self.fits)
            .with("modes", poles)
            .quantity("expected_error", error(&self.expected), ONE)
            .quantity("expected_error_if_laws_have_yielded", error(&self.yielded), ONE)
            .with("stable_if_laws_have_yielded", self.stable_if_soft)
            .with("why_not_expected", self.expected.as_ref().err().cloned())
            .seconds("measured_macro_step", self.measured.map(number))
            .object()
    }
}

impl Alternatives {
    fn own(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.own)
    }

    fn recommended(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|c| self.recommendation.is(c))
    }

    fn mode(&self) -> Option<&Mode> {
        self.response.as_ref().ok().and_then(|r| r.modes.first())
    }

    /// The section of `check`; with all alternatives if they are wanted.
    pub fn text(&self, model: &Model, all: bool) -> String {
        let mut out = format!("\ncoupling\n{}", self.advice(model));
        if all {
            return out + &self.table() + &self.computing();
        }
        out += &self.own().map_or_else(String::new, |own| self.price(own) + &self.quality(own));
        out + &wrapped("  ", "--all lists all couplings; `interfield couplings MODEL` runs and compares them")
    }

    /// Beside a comparison: the coupling of the model, and what the rule says.
    pub fn said(&self, model: &Model) -> String {
        format!("\nby what fits into a fine step\n{}", self.advice(model))
    }

    /// The coupling of the model, the recommended one, and why, in a few lines.
    fn advice(&self, model: &Model) -> String {
        let own = self.own().map_or("", |c| c.info.name);
        let better = self.recommended().filter(|_| !self.recommendation.followed);
        let chosen = model.partition.as_ref().is_some_and(|p| p.coupling.choice != Choice::Named);
        let by_rule = if chosen { ", taken because the file names none" } else { "" };
        let judged = match (self.recommended(), better) {
            (_, Some(better)) => format!("; recommended is {}", better.in_words()),
            (Some(other), None) if !other.own => format!(", as good as the recommended {}", other.in_words()),
            (Some(_), None) => ", as recommended".to_owned(),
            (None, None) => String::new(),
        };
        let mut out = wrapped("  ", &format!("`{own}`{by_rule}{judged}"));
        out += &labelled("  ", "why", &self.why());
        if let Some(better) = better {
            out += &labelled("  ", "to follow", &self.recommendation.to_write(model, better).join("; "));
            if let Some([now, then]) = self.recommendation.errors {
                let then = if then < 5e-7 { "below 0.0001".to_owned() } else { percent(then) };
                let gain = format!("expected error {then} % instead of {} %, an estimate", percent(now));
                out += &labelled("  ", "gain", &gain);
            }
        }
        out
    }

    /// What a coupling needs.
    fn price(&self, c: &Candidate) -> String {
        let beside = match c.needs.beside {
            0.0 => String::new(),
            beside => format!(", and {} beside, in a macro-step", nominal(beside)),
        };
        let fits = match (self.clock, c.fits) {
            (Some(clock), Some(fits)) => {
                let verdict = match (self.recommendation.reason, fits) {
                    (Reason::Foreign, _) => "without that of the program",
                    (_, true) => "it fits",
                    (_, false) => "it does not fit",
                };
                format!(" of {}{beside}: {verdict}", time_to(clock.fine, 4))
            }
            _ => beside,
        };
        // What is measured stands on a line of its own: the others are the same on every machine.
        let measured =
            |t: f64| labelled("  ", "measured", &format!("{} per macro-step, without laboratory", time_to(t, 2)));
        labelled("  ", "cost", &format!("{} in a fine step{fits}", nominal(c.needs.fine_step)))
            + &c.measured.map_or_else(String::new, measured)
    }

    /// Which error is expected of a coupling.
    fn quality(&self, c: &Candidate) -> String {
        let elastic = match (&self.response, &c.expected) {
            (Err(why), _) | (Ok(_), Err(why)) => format!("not known: {why}"),
            (Ok(_), Ok(e)) if !e.error.is_finite() => "not known: nothing moves the interface".to_owned(),
            (Ok(_), Ok(e)) => format!("{} % of the displacements of the interface, elastic", percent(e.error)),
        };
        let yielded = match (&c.yielded, c.stable_if_soft) {
            (_, Some(false)) => "; where laws have yielded a motion grows: it must not be used".to_owned(),
            (Ok(e), _) if e.error.is_finite() => format!("; {} % where laws have yielded", percent(e.error)),
            _ => String::new(),
        };
        labelled("  ", "expected error", &format!("{elastic}{yielded}"))
    }

    /// The reason, with its numbers.
    fn why(&self) -> String {
        let coarse = &self.cost.coarse;
        let step = self.clock.map_or_else(String::new, |c| time_to(c.fine, 4));
        let whole = nominal(coarse.whole() + self.cost.fine);
        match self.recommendation.reason {
            Reason::NoClock => "there is no specimen, so that nothing has to keep time: the structure in one piece \
                (--whole) is the most accurate; a division is for studies"
                .to_owned(),
            Reason::WholeFits => format!(
                "a step of both sides takes {whole} and fits into half of a fine step, which is {step} in the laboratory: \
                    both sides can have equal steps"
            ),
            Reason::CoreFits => format!(
                "of the coarse side the linear part ({}) fits into half of a fine step, which is {step} in the \
                    laboratory, its laws ({}) do not",
                nominal(coarse.core() + self.cost.fine),
                nominal(coarse.apart)
            ),
            Reason::TooLarge => format!(
                "a step of the coarse side takes {} and does not fit into half of a fine step, which is {step} in the \
                    laboratory: it is computed beside the fine steps",
                nominal(coarse.whole())
            ),
            Reason::Foreign => {
                let half = self.clock.map_or_else(String::new, |c| time_to(c.fine / 2.0, 4));
                format!(
                    "another program computes the coarse side and may take any time: it gets a macro-step to answer. If it \
                        answers within {half}, `{EQUAL_STEPS}` is better: it moves the program along one path, which \
                        matters where that yields"
                )
            }
            Reason::NothingFits => format!(
                "nothing keeps time: a fine step is {step} in the laboratory, of which half may be computing, and the fine \
                    side alone takes {}; use longer steps or a larger `time_scale`",
                nominal(self.cost.fine)
            ),
        }
    }

    /// The couplings beside each other.
    fn table(&self) -> String {
        let mode = self.mode();
        let yields = self.candidates.iter().any(|c| c.stable_if_soft.is_some() || c.yielded.is_ok());
        // What says nothing is left out: times where nothing has to keep time, yielding where nothing yields.
        let timed = self.clock.is_some();
        let keep = |cells: Vec<String>| -> Vec<String> {
            let wanted = |i: usize| (timed || !(1..=3).contains(&i)) && (yields || i != 7);
            cells.into_iter().enumerate().filter(|(i, _)| wanted(*i)).map(|(_, cell)| cell).collect()
        };
        let header = ["coupling", "needs", "beside", "<fits", "period", "damping", "error", "yielded"];
        let header = keep(header.map(str::to_owned).to_vec());
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let marked = |c: &Candidate| self.recommendation.is(c);
        let rows: Vec<Vec<String>> = self.candidates.iter().map(|c| keep(c.row(mode, marked(c)))).collect();
        let mut out = format!("\n{}", aligned(&header, &rows));
        if self.recommended().is_some() {
            out += "  *: recommended\n";
        }
        if timed {
            out += &wrapped(
                "  ",
                "needs: nominal time in the busiest fine step; beside: in a macro-step, on another processor; fits: at \
                    most half of the time there is",
            );
        }
        out += &match (&self.response, mode) {
            (Err(why), _) => labelled("  ", "errors", &format!("not known: {why}")),
            (Ok(_), None) => String::new(),
            (Ok(_), Some(mode)) => self.explained(mode, yields),
        };
        for c in self.candidates.iter().filter(|_| self.response.is_ok() && !self.partly) {
            if let Err(why) = &c.expected {
                out += &wrapped("  ", &format!("`{}`: {why}", c.name()));
            }
        }
        if self.partly {
            out += &wrapped("  ", "only some couplings were probed: the structure is large");
        }
        if !self.other_schemes.is_empty() {
            out += &labelled("  ", "with other schemes", &self.other_schemes.join(", "));
        }
        for (name, why) in &self.refused {
            out += &wrapped("  ", &format!("not `{name}`: {why}"));
        }
        out + &wrapped("  ", "`interfield couplings MODEL` runs and compares them all")
    }

    /// What the columns of errors mean.
    fn explained(&self, mode: &Mode, yields: bool) -> String {
        let n = mode.number;
        let mut out = wrapped("  ", &format!("in %: period, damping: what the coupling adds to mode {n}, elastic"));
        out +=
            &wrapped("  ", "error: expected of the displacements of the interface over the run, elastic; an estimate");
        if yields {
            out += &wrapped(
                "  ",
                "yielded: the same where all laws have a tenth of their stiffness left and operators do not know; grows: a \
                    motion does, and the coupling must not be used",
            );
        }
        out
    }

    /// Nominal and measured times.
    fn computing(&self) -> String {
        let Measured { coarse, apart, fine } = self.measured;
        let mut rows = vec![("a step of the coarse side", self.cost.coarse.whole(), coarse)];
        rows.extend(apart.map(|apart| ("of that, laws that can be computed apart", self.cost.coarse.apart, apart)));
        rows.push(("a step of the fine side, without laboratory", self.cost.fine, fine));
        let line = |(what, counted, measured): &(&str, f64, f64)| {
            format!("  {what}: {}, measured {}\n", nominal(*counted), time_to(*measured, 2))
        };
        format!("\ncomputing, nominal and on this machine\n{}", rows.iter().map(line).collect::<String>())
    }

    /// Everything, as JSON.
    pub fn json(&self, model: &Model) -> Value {
        let modes = self.response.as_ref().map_or(&[][..], |r| &r.modes);
        let of_mode = |m: &Mode| {
            Quantities::default()
                .with("mode", m.number)
                .quantity("frequency", m.pole.im / std::f64::consts::TAU, "Hz")
                .quantity("damping_ratio", m.pole.ratio(), ONE)
                .object()
        };
        let candidate = |c: &Candidate| c.json(modes, self.recommendation.is(c));
        let clock = self
            .clock
            .map(|c| Quantities::default().seconds("fine_step", c.fine).with("substeps", c.exchanges).object());
        let Measured { coarse, apart, fine } = self.measured;
        let r = &self.recommendation;
        let write = self.recommended().filter(|_| !r.followed).map(|c| r.to_write(model, c));
        let errors = r.errors.map(|e| e.map(number));
        json!({
            "title": self.title,
            "coupling": self.own().map(|c| c.info.name),
            "chosen_by": if model.partition.as_ref().is_some_and(|p| p.coupling.choice != Choice::Named) { "rule" } else { "file" },
            "laboratory": clock,
            "nominal": Quantities::default()
                .seconds("coarse_step", self.cost.coarse.whole())
                .seconds("coarse_linear_part", self.cost.coarse.core())
                .seconds("coarse_laws_apart", self.cost.coarse.apart)
                .seconds("fine_step", self.cost.fine)
                .with("coarse_unknowns", self.cost.unknowns)
                .object(),
            "measured": Quantities::default()
                .seconds("coarse_step", number(coarse))
                .seconds("coarse_laws_apart", apart.map(number))
                .seconds("fine_step", number(fine))
                .object(),
            "modes": modes.iter().map(of_mode).collect::<Vec<_>>(),
            "modes_unknown": self.response.as_ref().err(),
            "alternatives": self.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(|(name, why)| json!({ "name": name, "why": why })).collect::<Vec<_>>(),
            "with_other_schemes": self.other_schemes,
            "recommendation": {
                "reason": r.reason.word(), "why": self.why(), "coupling": r.coupling.map(|c| c.0),
                "followed": r.followed, "write": write,
                "expected_error_now": errors.as_ref().map(|e| e[0].clone()),
                "expected_error_then": errors.as_ref().map(|e| e[1].clone()),
                "units": { "expected_error_now": ONE, "expected_error_then": ONE },
            },
        })
    }
}

impl Reason {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Reason::NoClock => "no specimen",
            Reason::WholeFits => "the whole fits",
            Reason::CoreFits => "the linear part fits",
            Reason::TooLarge => "too large",
            Reason::Foreign => "another program",
            Reason::NothingFits => "nothing fits",
        }
    }
}
