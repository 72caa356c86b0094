//! The law of a specimen or an element from measured deformations and forces, in words, as JSON, and as a block of a model file.

use interfield_kernel::element::info::Unit as Shape;
use interfield_language::units::Unit;
use interfield_learn::law::Role;
use interfield_learn::{Estimate, Family, Identified, Prepared};
use serde_json::{Value, json};

use super::structure::Label;
use crate::quantities::{ONE, UNITS};
use crate::table::{aligned, short, wrapped};

/// Units of the measurements: names and factors to SI.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Of the deformation.
    pub deformation: (String, Unit),
    /// Of the force.
    pub force: (String, Unit),
}

impl Measured {
    /// Exponents of force, deformation and time in a unit, for a law with exponent `n`.
    fn exponents(unit: &Shape, n: f64) -> [f64; 3] {
        let with = |x: f64, times: f64| if times == 0.0 { x } else { x + times * n };
        [with(unit.force, unit.force_n), with(unit.disp, unit.disp_n), with(unit.time, unit.time_n)]
    }

    /// One of a unit in SI.
    fn factor(&self, unit: &Shape, n: f64) -> f64 {
        let [f, d, _] = Self::exponents(unit, n);
        self.force.1.factor.powf(f) * self.deformation.1.factor.powf(d)
    }

    /// Name and size of a unit.
    pub fn unit(&self, unit: &Shape, n: f64) -> Label {
        Label { unit: self.label(unit, n), factor: self.factor(unit, n) }
    }

    /// Its name.
    fn label(&self, unit: &Shape, n: f64) -> String {
        let exponents = Self::exponents(unit, n);
        let names = [self.force.0.as_str(), self.deformation.0.as_str(), "s"];
        let simple =
            |name: &str| if name.contains(['*', '/', '^', ' ']) { format!("({name})") } else { name.to_owned() };
        let power = |i: usize| {
            let e = exponents[i].abs();
            if e == 1.0 { simple(names[i]) } else { format!("{}^{}", simple(names[i]), short(e)) }
        };
        let of = |positive: bool| -> Vec<String> {
            (0..3).filter(|&i| exponents[i] != 0.0 && (exponents[i] > 0.0) == positive).map(power).collect()
        };
        match (of(true), of(false)) {
            (up, down) if up.is_empty() && down.is_empty() => "-".into(),
            (up, down) if down.is_empty() => up.join("*"),
            (up, down) => {
                let up = if up.is_empty() { "1".to_owned() } else { up.join("*") };
                format!("{up}/{}", down.join("/"))
            }
        }
    }
}

/// What was found, with all that tells it.
pub struct Finding<'a> {
    /// The record.
    pub prepared: &'a Prepared,
    /// The law.
    pub found: &'a Identified,
    /// Units.
    pub measured: &'a Measured,
    /// Where the data come from.
    pub source: &'a str,
}

impl Finding<'_> {
    fn n(&self) -> f64 {
        self.found.estimates.iter().find(|e| e.quantity.name == "n").map_or(1.0, |e| e.quantity.value)
    }

    fn number(&self, e: &Estimate, si: f64) -> f64 {
        si / self.measured.factor(&e.quantity.unit, self.n())
    }

    /// Parameters as a table.
    fn parameters(&self, estimates: &[Estimate]) -> String {
        let row = |e: &Estimate| {
            let q = &e.quantity;
            let interval = match (e.interval, e.at_bound, q.role) {
                (_, _, Role::Derived) => "derived".to_owned(),
                (_, true, _) => "at its bound".to_owned(),
                (Some([low, high]), ..) => format!("{} to {}", short(self.number(e, low)), short(self.number(e, high))),
                (None, ..) if e.error == 0.0 => "fixed".to_owned(),
                (None, ..) => "not determined".to_owned(),
            };
            let error = match e.relative() * self.found.confidence.widening() {
                _ if q.role == Role::Derived || e.at_bound || e.error == 0.0 => "-".to_owned(),
                share => short(100.0 * share),
            };
            vec![
                q.name.to_owned(),
                short(self.number(e, q.value)),
                self.measured.label(&q.unit, self.n()),
                error,
                interval,
            ]
        };
        let rows: Vec<Vec<String>> = estimates.iter().map(row).collect();
        aligned(&["<parameter", "value", "<unit", "error [%]", "<95 % interval"], &rows)
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let found = self.found;
        let mut out = format!(
            "{} from {} samples, {} cycles: {}, {} % of the force not explained\n",
            found.family.name(),
            self.prepared.samples.p.len(),
            self.prepared.cycles.len(),
            found.grade().words(),
            short(100.0 * found.figures.nrmse)
        );
        out += &self.parameters(&found.estimates);
        let ms = |x: f64| {
            if self.prepared.samples.dt > 0.0 {
                format!(" ({} ms)", short(1e3 * x * self.prepared.samples.dt))
            } else {
                String::new()
            }
        };
        if let Some((delay, error)) = found.delay {
            out += &format!(
                "  delay of the force: {} samples{}, standard error {}\n",
                short(delay),
                ms(delay),
                short(error)
            );
        }
        if let Some((offset, error)) = found.offset {
            let unit = self.measured.force.1.factor;
            out += &format!(
                "  offset of the force: {} {}, standard error {}\n",
                short(offset / unit),
                self.measured.force.0,
                short(error / unit)
            );
        }
        let f = &found.figures;
        out += &format!(
            "  largest difference {} % of the largest force, energy {} % wrong at the end, {} % at most\n",
            short(100.0 * f.peak),
            short(100.0 * f.energy),
            short(100.0 * f.energy_history)
        );
        for fold in &found.folds {
            let t = &self.prepared.t;
            let end = fold.range.end.min(t.len()).saturating_sub(1);
            out += &format!(
                "  held back {} s to {} s: {} % of the force not explained there, by a law from the rest\n",
                short(t[fold.range.start]),
                short(t[end]),
                short(100.0 * fold.held)
            );
        }
        if found.folds.is_empty() {
            out += "  nothing held back: the record has too few cycles\n";
        }
        let c = &found.confidence;
        out += &format!(
            "  collinearity index {} (good below 10), {} of {} starts reached this fit\n",
            short(c.collinearity),
            found.agreeing(),
            found.costs.len()
        );
        out += &self.correlations();
        if !found.levels.is_empty() {
            out += "\none set per level of amplitude\n";
            out += &self.levels();
        }
        out
    }

    /// Pairs of parameters that are correlated by more than 95 %.
    fn correlations(&self) -> String {
        let c = &self.found.confidence;
        let n = c.names.len();
        let pairs: Vec<String> = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .filter(|&(i, j)| c.correlation[i * n + j].abs() > 0.95)
            .map(|(i, j)| format!("{} and {} {:.3}", c.names[j], c.names[i], c.correlation[i * n + j]))
            .collect();
        if pairs.is_empty() { String::new() } else { wrapped("  ", &format!("correlated: {}", pairs.join(", "))) }
    }

    fn levels(&self) -> String {
        let (label, unit) = &self.measured.deformation;
        let first = &self.found.levels[0];
        let told: Vec<usize> =
            (0..first.estimates.len()).filter(|&i| first.estimates[i].quantity.role != Role::Derived).collect();
        let mut header = vec![format!("amplitude [{label}]"), "not explained [%]".to_owned()];
        header.extend(told.iter().map(|&i| {
            let q = &first.estimates[i].quantity;
            format!("{} [{}]", q.name, self.measured.label(&q.unit, self.n()))
        }));
        let rows: Vec<Vec<String>> = self
            .found
            .levels
            .iter()
            .map(|l| {
                let mut row = vec![short(l.amplitude / unit.factor), short(100.0 * l.unexplained)];
                row.extend(told.iter().map(|&i| short(self.number(&l.estimates[i], l.estimates[i].quantity.value))));
                row
            })
            .collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        aligned(&header, &rows)
    }

    /// The element for a model file. Numbers carry their units and all digits, so that the block means the same in every file; what has a
    /// unit with an exponent is written as the expression that it is.
    pub fn toml(&self) -> String {
        let found = self.found;
        let of = |name: &str| found.estimates.iter().find(|e| e.quantity.name == name);
        let plain = |e: &Estimate| {
            let (value, label) = (self.number(e, e.quantity.value), self.measured.label(&e.quantity.unit, self.n()));
            let digits = if value != 0.0 && !(1e-3..1e7).contains(&value.abs()) {
                format!("{value:e}")
            } else {
                value.to_string()
            };
            if label == "-" { digits } else { format!("{digits} {label}") }
        };
        let text = |name: &str| of(name).map(plain).unwrap_or_default();
        let mut out = format!(
            "# identified from {}: {}, {} % of the force not explained\n",
            self.source,
            found.grade().words(),
            short(100.0 * found.figures.nrmse)
        );
        found.warnings.iter().for_each(|w| out += &format!("# warning: {w}\n"));
        out += &format!(
            "[[element]]\ntype = \"{}\"\nname = \"identified\"\nnodes = [\"ground\", \"floor\"]   # change these\ndof = \"x\"\n",
            found.family.name()
        );
        for e in &found.estimates {
            let q = &e.quantity;
            let value = match (q.role, q.name) {
                (Role::Told, _) => continue,
                (Role::Derived, "beta") => {
                    format!("\"{} * {} / ({})^{}\"", text("r"), text("k"), text("Fy"), text("n"))
                }
                (Role::Derived, "gamma") => {
                    format!("\"(1 - {}) * {} / ({})^{}\"", text("r"), text("k"), text("Fy"), text("n"))
                }
                (Role::Derived, "c") => {
                    let rate = self.prepared.samples.size().rms / self.measured.deformation.1.factor;
                    format!("\"{} / ({rate} {}/s)^{}\"", text("P"), self.measured.deformation.0, text("n"))
                }
                _ => match plain(e) {
                    number if number.contains(' ') => format!("\"{number}\""),
                    number => number,
                },
            };
            out += &format!("{} = {value}\n", q.name);
        }
        out
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let found = self.found;
        let c = &found.confidence;
        let parameters = |estimates: &[Estimate]| -> Value {
            let one = |e: &Estimate| {
                let q = &e.quantity;
                let role = match q.role {
                    Role::Parameter => "parameter",
                    Role::Told => "reported",
                    Role::Derived => "derived",
                };
                let label = self.measured.label(&q.unit, self.n());
                json!({
                    "name": q.name, "value": self.number(e, q.value), "role": role,
                    "standard_error": self.number(e, e.error * c.widening()),
                    "interval": e.interval.map(|i| i.map(|x| self.number(e, x))),
                    "at_bound": e.at_bound, "determined": !e.vague(),
                    UNITS: { "value": label, "standard_error": label, "interval": label },
                })
            };
            estimates.iter().map(one).collect()
        };
        let unit = self.measured.deformation.1.factor;
        let level = |l: &interfield_learn::identify::Level| {
            json!({
                "amplitude": l.amplitude / unit, "not_explained": l.unexplained, "parameters": parameters(&l.estimates),
                UNITS: { "amplitude": self.measured.deformation.0, "not_explained": ONE },
            })
        };
        let t = |k: usize| self.prepared.t[k.min(self.prepared.t.len() - 1)];
        let fold = |f: &interfield_learn::identify::Fold| {
            json!({
                "from": t(f.range.start), "to": t(f.range.end.saturating_sub(1)), "not_explained": f.held,
                UNITS: { "from": "s", "to": "s", "not_explained": ONE },
            })
        };
        let f = &found.figures;
        json!({
            "law": found.family.name(), "grade": found.grade().words(), "samples": self.prepared.samples.p.len(),
            "parameters": parameters(&found.estimates),
            "not_explained": f.nrmse, "peak_error": f.peak, "energy_error": f.energy, "energy_history_error": f.energy_history,
            "held_back": found.folds.iter().map(fold).collect::<Vec<_>>(),
            "levels": found.levels.iter().map(level).collect::<Vec<_>>(),
            "aic": found.criteria[0], "bic": found.criteria[1], "bic_effective": found.criteria[2],
            "correlation_time": c.tau, "collinearity": c.collinearity, "weakest": c.entangled(),
            "correlation": { "names": c.names, "matrix": c.correlation },
            "starts": found.costs.len(), "starts_agreeing": found.agreeing(),
            "delay": found.delay.map(|d| d.0 * self.prepared.samples.dt),
            "offset": found.offset.map(|o| o.0 / self.measured.force.1.factor),
            "warnings": found.warnings,
            "toml": self.toml(),
            UNITS: {
                "not_explained": ONE, "peak_error": ONE, "energy_error": ONE, "energy_history_error": ONE, "aic": ONE, "bic": ONE,
                "bic_effective": ONE, "correlation_time": "samples", "collinearity": ONE, "delay": "s", "offset": self.measured.force.0,
            },
        })
    }
}

/// Laws side by side, and the one that is recommended: the least unexplained in held-back cycles; without such, the least criterion of
/// Schwarz with the samples that count. A law with parameters that data do not tell comes after one without, if it is hardly better.
pub struct Compared {
    /// The laws, the recommended one first.
    pub laws: Vec<Identified>,
    /// Which one Schwarz's criterion prefers.
    pub by_criterion: Family,
}

impl Compared {
    /// Orders laws.
    pub fn of(mut laws: Vec<Identified>) -> Option<Self> {
        // With all samples: the number that counts differs from law to law, and would make the worst one the best.
        let by_criterion = laws.iter().min_by(|a, b| a.criteria[1].total_cmp(&b.criteria[1]))?.family;
        // Differences below a fiftieth of what is left are noise; of such laws the simpler one by the criterion comes first.
        let rank = |l: &Identified| l.held().unwrap_or(l.figures.nrmse);
        laws.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let best = rank(laws.first()?);
        let alike = laws.iter().take_while(|l| rank(l) <= 1.02 * best).count();
        laws[..alike].sort_by(|a, b| a.criteria[1].total_cmp(&b.criteria[1]));
        Some(Compared { laws, by_criterion })
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let row = |l: &Identified| {
            vec![
                l.family.name().to_owned(),
                short(100.0 * l.figures.nrmse),
                l.held().map_or("-".to_owned(), |h| short(100.0 * h)),
                short(100.0 * l.figures.energy),
                format!("{:.1}", l.criteria[1]),
                short(l.confidence.collinearity),
                l.grade().words().to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = self.laws.iter().map(row).collect();
        let mut out = aligned(
            &["<law", "not explained [%]", "held back [%]", "energy error [%]", "BIC", "collinearity", "<grade"],
            &rows,
        );
        let best = &self.laws[0];
        let why =
            if best.held().is_some() { "it explains held-back cycles best" } else { "it explains the record best" };
        out += &match best.grade() {
            interfield_learn::Grade::NotThisLaw => {
                format!("no law of these explains the data; the nearest is {}: {why}\n", best.family.name())
            }
            _ => format!("recommended: {}, because {why}\n", best.family.name()),
        };
        if self.by_criterion != best.family {
            out +=
                &format!("  Schwarz's criterion, which does not extrapolate, prefers {}\n", self.by_criterion.name());
        }
        out
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let one = |l: &Identified| {
            json!({
                "law": l.family.name(), "not_explained": l.figures.nrmse, "held_back": l.held(), "energy_error": l.figures.energy,
                "aic": l.criteria[0], "bic": l.criteria[1], "bic_effective": l.criteria[2], "collinearity": l.confidence.collinearity,
                "grade": l.grade().words(), "warnings": l.warnings,
            })
        };
        json!({
            "recommended": self.laws[0].family.name(), "by_criterion": self.by_criterion.name(),
            "laws": self.laws.iter().map(one).collect::<Vec<_>>(),
        })
    }
}
