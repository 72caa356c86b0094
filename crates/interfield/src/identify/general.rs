//! What was identified of anything but the laws with a report of their own ([`super::law`]): in words, as JSON, as keys of a model file.

use interfield_kernel::element::info::Info;
use interfield_learn::Grade;
use interfield_learn::catalogue::Kind;
use interfield_learn::general::{Fitted, Number};
use serde_json::{Value, json};

use super::law::Measured;
use super::structure::Label;
use crate::quantities::{ONE, UNITS};
use crate::table::{aligned, short};

/// Where an element belongs, which the user knows.
const PLACE: &str = "name = \"identified\"\nnodes = [\"ground\", \"floor\"]   # change these\ndof = \"x\"\n";

/// A finding with all that tells it.
pub struct Finding<'a> {
    /// What was identified.
    pub name: String,
    /// Where the data come from.
    pub source: String,
    /// The numbers.
    pub fitted: &'a Fitted,
    /// Units of the numbers.
    pub labels: Vec<Label>,
    /// Part that is not explained.
    pub unexplained: f64,
    /// Samples.
    pub samples: usize,
    /// What is said besides: figures, channels, held-back cycles.
    pub lines: Vec<String>,
    /// For the model file.
    pub block: String,
}

/// Units of the parameters of a law or material of the catalogues.
pub fn labels(kind: Kind, numbers: &[Number], measured: &Measured) -> Vec<Label> {
    let info = kind.info();
    let n = exponent(info, numbers);
    info.parameters.iter().map(|p| measured.unit(&p.unit, n)).collect()
}

fn exponent(info: &Info, numbers: &[Number]) -> f64 {
    info.parameters.iter().position(|p| p.name == "n").map_or(1.0, |i| numbers[i].value)
}

/// A law or material of the catalogues for a model file.
pub fn block(kind: Kind, numbers: &[Number], labels: &[Label]) -> String {
    let info = kind.info();
    let mut keys = String::new();
    for ((p, number), label) in info.parameters.iter().zip(numbers).zip(labels) {
        if p.default == Some(number.value) {
            continue;
        }
        let value = number.value / label.factor;
        let digits =
            if value != 0.0 && !(1e-3..1e7).contains(&value.abs()) { format!("{value:e}") } else { value.to_string() };
        keys += &match label.unit.as_str() {
            "-" => format!("{} = {digits}\n", p.name),
            unit => format!("{} = \"{digits} {unit}\"\n", p.name),
        };
    }
    match kind {
        Kind::Law(_) => format!("[[element]]\ntype = \"{}\"\n{PLACE}{keys}", info.name),
        Kind::Material(_) => format!(
            "[[material]]\ntype = \"{}\"\nname = \"identified\"\nacts = \"force\"\n{keys}\n[[element]]\ntype = \"uniaxial\"\n{PLACE}material = \"identified\"\n",
            info.name
        ),
    }
}

impl Finding<'_> {
    /// For a reader.
    pub fn text(&self) -> String {
        let mut out = format!(
            "{} from {} samples: {}, {} % not explained\n",
            self.name,
            self.samples,
            Grade::of(self.unexplained).words(),
            short(100.0 * self.unexplained)
        );
        let row = |(n, label): (&Number, &Label)| {
            let shown = |x: f64| short(x / label.factor);
            let interval = match n.interval {
                _ if n.at_bound => "at its bound".to_owned(),
                Some([low, high]) => format!("{} to {}", shown(low), shown(high)),
                None if n.error == 0.0 => "fixed".to_owned(),
                None => "not determined".to_owned(),
            };
            let error = if n.at_bound || n.error == 0.0 { "-".to_owned() } else { short(100.0 * n.relative()) };
            vec![n.name.clone(), shown(n.value), label.unit.clone(), error, interval]
        };
        let rows: Vec<Vec<String>> = self.fitted.numbers.iter().zip(&self.labels).map(row).collect();
        out += &aligned(&["<parameter", "value", "<unit", "error [%]", "<95 % interval"], &rows);
        self.lines.iter().for_each(|l| out += &format!("  {l}\n"));
        out + &format!(
            "  collinearity index {} (good below 10), {} of {} starts reached this fit\n",
            short(self.fitted.told.collinearity),
            self.fitted.agreeing(),
            self.fitted.costs.len()
        )
    }

    /// Keys for a model file.
    pub fn toml(&self) -> String {
        let grade = Grade::of(self.unexplained).words();
        let mut out = format!(
            "# identified from {}: {grade}, {} % not explained\n",
            self.source,
            short(100.0 * self.unexplained)
        );
        self.fitted.warnings.iter().for_each(|w| out += &format!("# warning: {w}\n"));
        out + &self.block
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let one = |(n, label): (&Number, &Label)| {
            json!({
                "name": n.name, "value": n.value / label.factor, "standard_error": n.error / label.factor,
                "interval": n.interval.map(|i| i.map(|x| x / label.factor)), "at_bound": n.at_bound, "determined": !n.vague(),
                UNITS: { "value": label.unit, "standard_error": label.unit, "interval": label.unit },
            })
        };
        let f = self.fitted;
        json!({
            "law": self.name, "grade": Grade::of(self.unexplained).words(), "samples": self.samples, "not_explained": self.unexplained,
            "parameters": f.numbers.iter().zip(&self.labels).map(one).collect::<Vec<_>>(),
            "held_back": f.held.iter().map(|(r, x)| json!({ "first": r.start, "last": r.end, "not_explained": x })).collect::<Vec<_>>(),
            "correlation_time": f.told.tau, "collinearity": f.told.collinearity, "weakest": f.entangled,
            "starts": f.costs.len(), "starts_agreeing": f.agreeing(), "warnings": f.warnings, "toml": self.toml(),
            UNITS: { "not_explained": ONE, "correlation_time": "samples", "collinearity": ONE },
        })
    }
}
