//! Actuators from commands and strokes: as the block of an emulated laboratory, and as settings of compensators.

use interfield_kernel::scheme::registry::Argument;
use interfield_lab::compensate::registry::{COMPENSATIONS, CompensationInfo};
use interfield_language::units::{Dimension, Unit};
use interfield_learn::actuator::{COLOURED, Candidate, Identified, Motion};
use interfield_learn::friction::Friction;
use serde_json::{Value, json};

use super::signals::{Problem, Signals, unit};
use crate::quantities::{ONE, UNITS};
use crate::table::{aligned, short, time};

/// Most samples of an identification.
const MOST: usize = 40_000;

/// An actuator of a recording.
pub struct Recorded {
    /// `SPECIMEN.ACTUATOR`, or empty for a text file with one.
    pub name: String,
    /// Name and size of the unit of its stroke.
    pub unit: (String, Unit),
    /// Commands and strokes, SI.
    pub motion: Motion,
    /// Name and size of the unit of its force, with friction and noise, where a force was recorded.
    pub force: Option<(String, Unit, Friction)>,
}

/// The actuators of a recording: channels `NAME.command` and `NAME.reached`, or columns `command` and `reached`.
///
/// # Errors
/// That there are none, that units are missing, or that samples are.
pub fn recorded(signals: &Signals, window: [Option<f64>; 2]) -> Result<Vec<Recorded>, Problem> {
    let names = signals.names();
    let stem = |name: &str| match name {
        "command" => Some(String::new()),
        name => name.strip_suffix(".command").map(str::to_owned),
    };
    let full = |stem: &str, what: &str| if stem.is_empty() { what.to_owned() } else { format!("{stem}.{what}") };
    let stems: Vec<String> =
        names.iter().filter_map(|n| stem(n)).filter(|s| names.contains(&full(s, "reached").as_str())).collect();
    if stems.is_empty() {
        return Err((
            "the file has no actuator: no channels `NAME.command` and `NAME.reached`".into(),
            "give a recording of a laboratory, FILE.lab.h5, or a text file with columns t [s], command [mm], reached [mm]".into(),
        ));
    }
    let t = &signals.time;
    let within = |t: f64| window[0].is_none_or(|from| t >= from) && window[1].is_none_or(|to| t <= to);
    let kept: Vec<usize> = (0..t.len()).filter(|&k| within(t[k])).take(MOST).collect();
    let steps: Vec<f64> = kept.windows(2).map(|k| t[k[1]] - t[k[0]]).collect();
    let dt = steps.iter().sum::<f64>() / steps.len().max(1) as f64;
    if let Some(k) = steps.iter().position(|s| (s - dt).abs() >= 0.01 * dt || s.is_nan()) {
        return Err((
            format!("samples are missing or not equally spaced at {} s", short(t[kept[k]])),
            "use the part before or after it: --after, --before".into(),
        ));
    }
    let one = |stem: String| {
        let (command, reached) = (signals.channel(&full(&stem, "command"))?, signals.channel(&full(&stem, "reached"))?);
        let lengths = [Dimension::LENGTH, Dimension::NONE];
        let ((label, size), own) = (
            unit(&reached, None, "stroke", "its unit", &lengths)?,
            unit(&command, None, "command", "its unit", &lengths)?.1,
        );
        let part =
            |x: &[f64], factor: f64| kept.iter().filter_map(|&k| x.get(k)).map(|x| x * factor).collect::<Vec<f64>>();
        let motion =
            Motion { command: part(&command.values, own.factor), reached: part(&reached.values, size.factor), dt };
        let force = match signals.channel(&full(&stem, "force")) {
            Err(_) => None,
            Ok(force) => {
                let moment = Dimension::FORCE.times(Dimension::LENGTH);
                let (label, size) = unit(&force, None, "force", "its unit", &[Dimension::FORCE, moment])?;
                let friction = Friction::of(&motion.reached, &part(&force.values, size.factor), dt);
                friction.map(|f| (label, size, f))
            }
        };
        Ok(Recorded { name: stem, unit: (label, size), motion, force })
    };
    stems.into_iter().map(one).collect()
}

/// Coefficients a0 to a3 of the inverse of an actuator, as a series in s: (1/g) e^(tau s) (1 + a_1 s + a_2 s^2 + a_3 s^3).
pub fn series(c: &Candidate) -> [f64; 4] {
    let (t, g) = (c.number("delay"), c.number("gain"));
    let mut a = [0.0; 4];
    c.denominator().iter().enumerate().for_each(|(i, x)| a[i] = *x);
    let late = [1.0, t, t * t / 2.0, t * t * t / 6.0];
    core::array::from_fn(|i| (0..=i).map(|j| late[j] * a[i - j]).sum::<f64>() / g)
}

/// A setting of a compensator.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Name of the parameter.
    pub name: &'static str,
    /// Numbers, SI.
    pub value: Vec<f64>,
}

impl Setting {
    /// As an argument of a compensator.
    pub fn argument(&self) -> (&'static str, Argument<'_>) {
        match &self.value[..] {
            [one] => (self.name, Argument::Number(*one)),
            list => (self.name, Argument::List(list)),
        }
    }

    /// As a model file has it.
    pub fn toml(&self) -> String {
        match (&self.value[..], self.name) {
            ([one], "delay") => format!("delay = \"{:.4} ms\"", 1e3 * one),
            ([one], "noise") => format!("noise = \"{:.4} mm\"", 1e3 * one),
            ([one], name) => format!("{name} = {one:e}"),
            (list, name) => {
                format!("{name} = [{}]", list.iter().map(|x| format!("{x:.6e}")).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// What an identified actuator says of the settings of a compensator; none for those that take a model of all actuators.
pub fn settings(method: &CompensationInfo, c: &Candidate) -> Vec<Setting> {
    let has = |name: &str| method.parameters.iter().any(|p| p.name == name);
    let mut all = Vec::new();
    if method.multivariable {
        return all;
    }
    if has("series") {
        all.push(Setting { name: "series", value: series(c).to_vec() });
    } else if has("delay") {
        all.push(Setting { name: "delay", value: vec![c.lag()] });
    }
    if has("noise") && c.lag1 < COLOURED && c.rms > 0.0 {
        all.push(Setting { name: "noise", value: vec![c.rms] });
    }
    all
}

/// What was found of one actuator, with all that tells it.
pub struct Finding<'a> {
    /// The actuator.
    pub recorded: &'a Recorded,
    /// What was found.
    pub found: &'a Identified,
}

impl Finding<'_> {
    /// Name of the actuator alone.
    fn own(&self) -> &str {
        self.recorded.name.rsplit('.').next().unwrap_or("")
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let (c, n) = (&self.found.chosen, self.recorded.motion.command.len());
        let mut out = format!(
            "actuator {}, identified from {} at {} Hz: order {}, {}\n",
            if self.recorded.name.is_empty() { "1" } else { &self.recorded.name },
            time(n as f64 * self.recorded.motion.dt),
            short(1.0 / self.recorded.motion.dt),
            c.order,
            if c.delayed { "with a delay" } else { "without a delay" }
        );
        let shown = |name: &str, x: f64| match name {
            "delay" | "T" => time(x),
            "f" => format!("{} Hz", short(x)),
            _ => short(x),
        };
        let long = |name: &str| match name {
            "T" => "time constant".to_owned(),
            "f" => "frequency".to_owned(),
            "z" => "damping".to_owned(),
            name => name.to_owned(),
        };
        let rows: Vec<Vec<String>> = c
            .numbers
            .iter()
            .map(|x| {
                let wide = 1.96 * x.error;
                vec![
                    long(x.name),
                    shown(x.name, x.value),
                    format!("{} to {}", shown(x.name, x.value - wide), shown(x.name, x.value + wide)),
                ]
            })
            .collect();
        out += &aligned(&["<parameter", "value", "<95 % interval"], &rows);
        let (label, size) = &self.recorded.unit;
        out += &format!(
            "  lag of slow motions {}, {} % of the stroke not explained, rms {} {label}{}\n",
            time(c.lag()),
            short(100.0 * c.unexplained),
            short(c.rms / size.factor),
            if c.lag1 < COLOURED { ", white: noise of the sensor" } else { "" }
        );
        out += &self.friction();
        let rows: Vec<Vec<String>> = self
            .found
            .candidates
            .iter()
            .map(|c| {
                vec![
                    c.order.to_string(),
                    if c.delayed { "yes" } else { "no" }.to_owned(),
                    short(100.0 * c.unexplained),
                    format!("{:.1}", c.bic),
                    short(c.collinearity),
                    if c.told() { "yes" } else { "no" }.to_owned(),
                ]
            })
            .collect();
        out + &aligned(&["order", "<delay", "not explained [%]", "BIC", "collinearity", "<all parameters told"], &rows)
    }

    /// Friction and noise of the load cell, in words.
    fn friction(&self) -> String {
        let Some((label, size, f)) = &self.recorded.force else {
            return "  friction unknown: the recording has no force\n".to_owned();
        };
        let [force, wide, noise] = [f.force, 1.96 * f.error, f.noise].map(|x| short(x / size.factor));
        let noise = format!("noise of the load cell {noise} {label}");
        if !f.told() {
            return format!(
                "  no friction detected (below {} {label}); {noise}\n",
                short(f.force.abs().max(4.0 * f.error).max(f.noise) / size.factor)
            );
        }
        let mut out =
            format!("  Coulomb friction {force} ± {wide} {label}: half the width of the loop of the force; {noise}\n");
        if f.unexplained > 0.05 {
            let share = short(100.0 * f.unexplained);
            out += &format!(
                "  {share} % of the force is not explained: a specimen that yields is a part of this friction\n"
            );
        }
        out
    }

    /// The actuator of an emulated laboratory, as a model file has it, and settings of compensators.
    pub fn toml(&self) -> String {
        let c = &self.found.chosen;
        let mut out =
            format!("[[specimen.actuator]]\nname = \"{}\"\n", if self.own().is_empty() { "1" } else { self.own() });
        let plain = (c.number("gain") - 1.0).abs() < 1e-3 && c.order < 3;
        out += &match c.order {
            1 if plain => format!("type = \"first-order\"\ntime_constant = \"{:.6} ms\"\n", 1e3 * c.number("T")),
            2 if plain => format!(
                "type = \"second-order\"\nfrequency = \"{:.6} Hz\"\ndamping = {:.6}\n",
                c.number("f"),
                c.number("z")
            ),
            // The gain stands in the numerator.
            _ => {
                let below: Vec<String> = c.denominator().iter().rev().map(|x| format!("{x:e}")).collect();
                format!(
                    "type = \"transfer\"\nnumerator = [{:e}]\ndenominator = [{}]\n",
                    c.number("gain"),
                    below.join(", ")
                )
            }
        };
        if c.delayed {
            out += &format!("delay = \"{:.6} ms\"\n", 1e3 * c.number("delay"));
        }
        if c.lag1 < COLOURED && c.rms > 0.0 {
            let (label, size) = &self.recorded.unit;
            out += &format!("displacement_sensor = {{ noise = \"{} {label}\" }}\n", short(c.rms / size.factor));
        }
        if let Some((label, size, f)) = &self.recorded.force {
            if f.told() {
                out += &format!("friction = \"{} {label}\"\n", short(f.force / size.factor));
            }
            if f.noise > 0.0 {
                out += &format!("force_sensor = {{ noise = \"{} {label}\" }}\n", short(f.noise / size.factor));
            }
        }
        out += "# settings of compensators for it; `interfield rehearse MODEL --compensation all` compares them on your model\n";
        for method in COMPENSATIONS {
            let all = settings(method, c);
            if !all.is_empty() {
                let inner: Vec<String> = all.iter().map(Setting::toml).collect();
                out += &format!("# compensation = {{ method = \"{}\", {} }}\n", method.name, inner.join(", "));
            }
        }
        out
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let candidate = |c: &Candidate| {
            let number = |n: &interfield_learn::actuator::Number| {
                let unit = match n.name {
                    "delay" | "T" => "s",
                    "f" => "Hz",
                    _ => ONE,
                };
                json!({
                    "name": n.name, "value": n.value, "standard_error": n.error,
                    UNITS: { "value": unit, "standard_error": unit },
                })
            };
            json!({
                "order": c.order, "with_delay": c.delayed, "parameters": c.numbers.iter().map(number).collect::<Vec<_>>(),
                "denominator_rising": c.denominator(), "lag": c.lag(), "not_explained": c.unexplained, "rms": c.rms / self.recorded.unit.1.factor,
                "bic": c.bic, "collinearity": c.collinearity, "residual_lag1": c.lag1, "determined": c.told(),
                UNITS: { "lag": "s", "not_explained": ONE, "rms": self.recorded.unit.0, "bic": ONE, "collinearity": ONE, "residual_lag1": ONE },
            })
        };
        json!({
            "actuator": self.recorded.name, "chosen": candidate(&self.found.chosen),
            "candidates": self.found.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "friction": self.recorded.force.as_ref().map(|(label, size, f)| json!({
                "force": f.force / size.factor, "standard_error": f.error / size.factor, "detected": f.told(),
                "load_cell_noise": f.noise / size.factor,
                UNITS: { "force": label, "standard_error": label, "load_cell_noise": label },
            })),
            "warnings": self.found.warnings, "toml": self.toml(),
        })
    }
}
