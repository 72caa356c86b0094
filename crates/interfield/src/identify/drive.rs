//! Motions that make actuators known: a chirp or noise within their limits, as a text file that a controller plays, and what an emulated rig
//! does under it, as a recording.

use interfield_lab::identify::{Excitation, Motion, Shape, play};
use interfield_language::Model;
use interfield_language::units::Dimension;
use interfield_structure::specimen::emulated;
use serde_json::{Value, json};

use super::signals::{Problem, Signals, unit};
use crate::quantities::UNITS;
use crate::table::{aligned, short, time};

/// Rest before the first motion and after each, s.
const REST: f64 = 1.0;
/// Largest part of the stroke that is used unless told.
const STROKE: f64 = 0.05;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Kind of motion.
    pub shape: Shape,
    /// Frequencies, Hz.
    pub band: [f64; 2],
    /// Largest displacement, m (rad); by default a twentieth of the stroke, or 1 mm (1 mrad).
    pub amplitude: Option<f64>,
    /// Time for each actuator, s.
    pub duration: f64,
}

/// The motion of one actuator.
pub struct Driven {
    /// Name of the actuator.
    pub name: String,
    /// Unit of its stroke, and one of it in SI.
    pub unit: (String, f64),
    /// The motion.
    pub motion: Motion,
}

/// Motions of actuators of a specimen, one after the other.
pub struct Drive {
    /// Name of the specimen.
    pub specimen: String,
    /// Sampling interval of its controller, s.
    pub dt: f64,
    /// Those that move.
    pub actuators: Vec<Driven>,
}

impl Drive {
    /// Of a specimen, for one of its actuators or for all.
    ///
    /// # Errors
    /// A sentence.
    pub fn of(model: &Model, index: usize, actuator: Option<usize>, wanted: &Wanted) -> Result<Self, String> {
        let specimen = &model.specimens[index];
        let excitation =
            Excitation { shape: wanted.shape, band: wanted.band, amplitudes: Vec::new(), duration: wanted.duration };
        excitation.check(specimen.period)?;
        let chosen = (0..specimen.actuators.len()).filter(|i| actuator.is_none_or(|a| a == *i));
        let one = |i: usize| {
            let own = &specimen.actuators[i];
            let guard = specimen.guard(i)?;
            let usual = if own.limits.stroke.is_finite() { STROKE * own.limits.stroke } else { 1e-3 };
            let motion = excitation.motion(wanted.amplitude.unwrap_or(usual), guard.envelope(), specimen.period);
            Ok(Driven { name: own.name.clone(), unit: own.unit(Dimension::LENGTH, &model.units), motion })
        };
        let actuators = chosen.map(one).collect::<Result<Vec<_>, String>>()?;
        Ok(Drive { specimen: specimen.name.clone(), dt: specimen.period, actuators })
    }

    /// What each actuator is asked for, SI, one list per actuator: one after the other, with rests.
    pub fn columns(&self) -> Vec<Vec<f64>> {
        let rest = (REST / self.dt).ceil() as usize;
        let mut all: Vec<Vec<f64>> = vec![vec![0.0; rest]; self.actuators.len()];
        for (active, driven) in self.actuators.iter().enumerate() {
            for (i, list) in all.iter_mut().enumerate() {
                if i == active {
                    list.extend(&driven.motion.values);
                } else {
                    list.extend(std::iter::repeat_n(0.0, driven.motion.values.len()));
                }
                list.extend(std::iter::repeat_n(0.0, rest));
            }
        }
        all
    }

    /// A text file: times, and a column for each actuator in the unit of its stroke.
    pub fn csv(&self) -> String {
        let heads: Vec<String> = self.actuators.iter().map(|a| format!("{} [{}]", a.name, a.unit.0)).collect();
        let columns: Vec<Vec<f64>> = self
            .columns()
            .into_iter()
            .zip(&self.actuators)
            .map(|(c, a)| c.into_iter().map(|x| x / a.unit.1).collect())
            .collect();
        table(&heads, self.dt, &columns)
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let samples = self.columns().first().map_or(0, Vec::len);
        let mut out = format!(
            "motion of the actuators of `{}`: {} at {} Hz, one after the other, from rest to rest\n",
            self.specimen,
            time(samples as f64 * self.dt),
            short(1.0 / self.dt)
        );
        let row = |a: &Driven| {
            let (label, unit) = &a.unit;
            let shown = |i: usize, per: &str| {
                let bound = a.motion.bounds[i] / unit;
                let bound = if bound.is_finite() { short(bound) } else { "-".to_owned() };
                format!("{} of {bound} {label}{per}", short(a.motion.most[i] / unit))
            };
            vec![a.name.clone(), shown(0, ""), shown(1, "/s"), shown(2, "/s^2")]
        };
        let rows: Vec<Vec<String>> = self.actuators.iter().map(row).collect();
        out += &aligned(&["<actuator", "displacement", "velocity", "acceleration"], &rows);
        out + "  bounds: the amplitude, and half of what the guard lets through\n"
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let one = |a: &Driven| {
            let (label, unit) = &a.unit;
            let all = |x: [f64; 3]| x.map(|x| if x.is_finite() { Some(x / unit) } else { None });
            let [displacement, velocity, acceleration] = all(a.motion.most);
            json!({
                "name": a.name, "displacement": displacement, "velocity": velocity, "acceleration": acceleration,
                "bounds": all(a.motion.bounds),
                UNITS: { "displacement": label, "velocity": format!("{label}/s"), "acceleration": format!("{label}/s^2") },
            })
        };
        json!({
            "specimen": self.specimen, "dt": self.dt, "actuators": self.actuators.iter().map(one).collect::<Vec<_>>(),
            UNITS: { "dt": "s" },
        })
    }
}

/// What an emulated rig did under a drive signal.
pub struct Recording {
    heads: Vec<String>,
    columns: Vec<Vec<f64>>,
    dt: f64,
}

impl Recording {
    /// A text file as `interfield identify-actuator` reads it.
    pub fn csv(&self) -> String {
        table(&self.heads, self.dt, &self.columns)
    }
}

fn table(heads: &[String], dt: f64, columns: &[Vec<f64>]) -> String {
    let mut out = format!("t [s],{}\n", heads.join(","));
    for k in 0..columns.first().map_or(0, Vec::len) {
        let row: Vec<String> = columns.iter().map(|c| format!("{:.9e}", c[k])).collect();
        // Rounded so that 0.30000000000000004 does not show.
        out += &format!("{},{}\n", (k as f64 * dt * 1e9).round() / 1e9, row.join(","));
    }
    out
}

/// Plays a drive signal, columns with the names of actuators, on the emulated rig of a specimen, through its guard.
///
/// # Errors
/// What is wrong with the file or the specimen.
pub fn played(model: &Model, index: usize, signals: &Signals) -> Result<Recording, Problem> {
    let specimen = &model.specimens[index];
    let plain = |message: String| (message, String::from("`interfield motion --chirp` makes a signal for a model"));
    if let Some(at) = &specimen.at {
        let help =
            "play the signal with its own controller, record command and stroke, and identify from the recording";
        return Err((format!("specimen `{}` is at {at}", specimen.name), help.into()));
    }
    let names = signals.names();
    let last = signals.time.last().copied().unwrap_or(0.0);
    let dt = specimen.period;
    let samples = (last / dt).round() as usize + 1;
    if signals.time.len() < 2
        || !(1..100_000_000).contains(&samples)
        || signals.time.windows(2).any(|t| t[1] <= t[0] || t[1].is_nan())
    {
        return Err(plain("the times of the signal do not increase".into()));
    }
    let mut found = 0;
    let mut asked = Vec::new();
    for actuator in &specimen.actuators {
        let full = format!("{}.{}", specimen.name, actuator.name);
        let Some(name) = [&actuator.name, &full].into_iter().find(|n| names.contains(&n.as_str())) else {
            asked.push(vec![0.0; samples]);
            continue;
        };
        found += 1;
        let signal = signals.channel(name)?;
        let factor = unit(&signal, None, "command", "its unit", &[Dimension::LENGTH, Dimension::NONE])?.1.factor;
        let mut at = 0;
        let value = |k: usize| {
            let t = (k as f64 * dt).min(last);
            while at + 2 < signals.time.len() && signals.time[at + 1] <= t {
                at += 1;
            }
            let [a, b] = [signals.time[at], signals.time[at + 1]];
            let share = ((t - a) / (b - a)).clamp(0.0, 1.0);
            factor * (signal.values[at] + share * (signal.values[at + 1] - signal.values[at]))
        };
        let column: Vec<f64> = (0..samples).map(value).collect();
        if column.iter().any(|x| !x.is_finite()) {
            return Err(plain(format!("the signal of `{name}` is NaN (not a number) somewhere")));
        }
        asked.push(column);
    }
    if found == 0 {
        let own: Vec<&str> = specimen.actuators.iter().map(|a| a.name.as_str()).collect();
        return Err(plain(format!(
            "the file has no column for an actuator of `{}`: {}",
            specimen.name,
            own.join(", ")
        )));
    }
    let refuse = |message: String| (message, String::new());
    let mut hardware = emulated(model, index)
        .map_err(|all| refuse(all.into_iter().map(|p| p.message).collect::<Vec<_>>().join("; ")))?;
    let guards = (0..specimen.actuators.len()).map(|i| specimen.guard(i)).collect::<Result<Vec<_>, _>>();
    let (record, forces) = play(hardware.as_mut(), &mut guards.map_err(refuse)?, &asked, dt).map_err(refuse)?;
    let (mut heads, mut columns) = (Vec::new(), Vec::new());
    for (i, actuator) in specimen.actuators.iter().enumerate() {
        let (length, force) =
            (actuator.unit(Dimension::LENGTH, &model.units), actuator.unit(Dimension::FORCE, &model.units));
        let lists = [
            (&record.commands[i], "command", &length),
            (&record.strokes[i], "reached", &length),
            (&forces[i], "force", &force),
        ];
        for (list, what, (label, factor)) in lists {
            heads.push(format!("{}.{}.{what} [{label}]", specimen.name, actuator.name));
            columns.push(list.iter().map(|x| x / factor).collect());
        }
    }
    Ok(Recording { heads, columns, dt })
}
