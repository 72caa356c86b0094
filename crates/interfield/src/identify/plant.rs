//! Identification of the actuators of a specimen: from a recording, or from an excitation of its emulated rig, to a plant in the words of a model file.

use std::path::Path;

use interfield_lab::identify::{Excitation, Identified, Record, Shape, characterise, identify};
use interfield_lab::plant::Rational;
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_language::units::Dimension;
use interfield_results::Reader;
use interfield_structure::specimen::emulated;
use serde_json::{Value, json};

use crate::laboratory::tape;
use crate::quantities::UNITS;
use crate::table::{aligned, short, time};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Frequencies of the excitation, Hz; of a recording only the second counts.
    pub band: [f64; 2],
    /// Largest displacement of the excitation, in the unit of the strokes; by default a twentieth of the stroke, or 1 mm (1 mrad).
    pub amplitude: Option<f64>,
    /// Time for each actuator, s.
    pub duration: f64,
    /// Order of the denominators; by default what the data prefer.
    pub order: Option<usize>,
}

/// The record of a specimen: what its emulated rig does under a small multisine of each actuator.
///
/// # Errors
/// A sentence.
pub fn excited(model: &Model, index: usize, wanted: &Wanted) -> Result<Record, String> {
    let specimen = &model.specimens[index];
    if let Some(at) = &specimen.at {
        return Err(format!(
            "specimen `{}` is at {at}: move it with its own controller and give the recording",
            specimen.name
        ));
    }
    let mut hardware = emulated(model, index)
        .map_err(|problems| problems.into_iter().map(|p| p.message).collect::<Vec<_>>().join("; "))?;
    let mut guards = (0..specimen.actuators.len()).map(|i| specimen.guard(i)).collect::<Result<Vec<_>, _>>()?;
    let amplitude = |a: &interfield_language::specimen::Actuator| {
        let unit = a.unit(Dimension::LENGTH, &model.units).1;
        let usual = if a.limits.stroke.is_finite() { 0.05 * a.limits.stroke } else { 1e-3 };
        wanted.amplitude.map_or(usual, |x| x * unit)
    };
    let amplitudes = specimen.actuators.iter().map(amplitude).collect();
    let excitation = Excitation { shape: Shape::Multisine, band: wanted.band, amplitudes, duration: wanted.duration };
    characterise(hardware.as_mut(), &mut guards, &excitation, specimen.period)
}

/// The record of a specimen in a recording of a test.
///
/// # Errors
/// A sentence.
pub fn recorded(model: &Model, specimen: &Specimen, path: &Path) -> Result<Record, String> {
    let of = |e: &dyn std::fmt::Display| format!("the recording `{}` cannot be used: {e}", path.display());
    let reader = Reader::open(path).map_err(|e| of(&e))?;
    let times = reader.time(0..reader.rows().min(2)).map_err(|e| of(&e))?;
    let [first, second] = times[..] else { return Err(of(&"it has fewer than two samples")) };
    if reader.dropped() > 0 {
        return Err(of(&format!("{} samples are missing", reader.dropped())));
    }
    let column = |column: &str| {
        let one = |a: &interfield_language::specimen::Actuator| {
            let name = tape::channel_name(&specimen.name, &a.name, column);
            let (label, unit) = a.unit(Dimension::LENGTH, &model.units);
            let was = reader.channel(&name).map(|c| reader.channels()[c].unit.clone());
            match was {
                Some(was) if was != label => {
                    Err(of(&format!("channel `{name}` is in {was}, and the model has {label}")))
                }
                _ => tape::column(&reader, &name, unit).ok_or_else(|| of(&format!("it has no channel `{name}`"))),
            }
        };
        specimen.actuators.iter().map(one).collect::<Result<Vec<_>, String>>()
    };
    Ok(Record { commands: column("command")?, strokes: column("reached")?, dt: second - first })
}

/// What was found, with all that tells it.
pub struct Finding<'a> {
    model: &'a Model,
    specimen: &'a Specimen,
    found: Identified,
    seconds: f64,
    rate: f64,
}

impl<'a> Finding<'a> {
    /// Identifies the actuators of a specimen.
    ///
    /// # Errors
    /// A sentence.
    pub fn of(model: &'a Model, specimen: &'a Specimen, record: &Record, wanted: &Wanted) -> Result<Self, String> {
        let found = identify(record, Some(wanted.band[1]), wanted.order)?;
        let samples = record.commands.first().map_or(0, Vec::len);
        Ok(Finding { model, specimen, found, seconds: samples as f64 * record.dt, rate: 1.0 / record.dt })
    }

    /// Remarks.
    pub fn doubts(&self) -> &[String] {
        &self.found.doubts
    }

    fn unit(&self, i: usize) -> (String, f64) {
        self.specimen.actuators[i].unit(Dimension::LENGTH, &self.model.units)
    }

    /// A gain of stroke `i` over command `j`, in the units of the file.
    fn gain(&self, i: usize, j: usize) -> f64 {
        self.unit(j).1 / self.unit(i).1
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let m = self.specimen.actuators.len();
        let order = self.found.entries.first().map_or(0, |e| e.denominator.len() - 1);
        let mut out = format!(
            "actuators of `{}`, identified from {} at {} Hz: order {order}\n",
            self.specimen.name,
            time(self.seconds),
            short(self.rate)
        );
        let rows: Vec<Vec<String>> = (0..m)
            .map(|i| {
                let ([rest, share], (label, unit)) = (self.found.residuals[i], self.unit(i));
                let name = self.specimen.actuators[i].name.clone();
                let delay = time(self.found.plant.delays[i]);
                vec![name, delay, short(100.0 * share), format!("{} {label}", short(rest / unit))]
            })
            .collect();
        out += &aligned(&["<actuator", "delay", "not explained [%]", "rms of it"], &rows);
        out += "\nresponses as measured: stroke over command, and by how many degrees it lags\n";
        let mut header = vec!["f [Hz]".to_owned()];
        let names: Vec<&str> = self.specimen.actuators.iter().map(|a| a.name.as_str()).collect();
        (0..m * m).for_each(|e| header.push(format!("{} by {}", names[e / m], names[e % m])));
        let every = (self.found.responses.len() / 8).max(1);
        let row = |(f, g): &(f64, Vec<interfield_lab::plant::Complex64>)| {
            let entry = |e: usize| {
                let gain = g[e].norm() * self.gain(e / m, e % m);
                format!("{gain:.4} {:.1}°", -g[e].arg().to_degrees())
            };
            std::iter::once(short(*f)).chain((0..m * m).map(entry)).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = self.found.responses.iter().step_by(every).map(row).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        out += &aligned(&header, &rows);
        out + "\nfor the model file:\n\n" + &self.toml()
    }

    /// The plant, the delays and a compensation, as a model file has them.
    pub fn toml(&self) -> String {
        let m = self.specimen.actuators.len();
        let name = |i: usize| Value::from(self.specimen.actuators[i].name.as_str()).to_string();
        let falling = |c: &[f64], factor: f64| {
            let all: Vec<String> = c.iter().rev().map(|x| format!("{:e}", x * factor)).collect();
            format!("[{}]", all.join(", "))
        };
        let mut out = String::from("[specimen.plant]\ntype = \"transfer-matrix\"\n");
        for (e, entry) in self.found.entries.iter().enumerate() {
            let Rational { numerator, denominator } = entry;
            out += &format!(
                "\n[[specimen.plant.entry]]\ncommand = {}\nstroke = {}\nnumerator = {}\ndenominator = {}\n",
                name(e % m),
                name(e / m),
                falling(numerator, self.gain(e / m, e % m)),
                falling(denominator, 1.0)
            );
        }
        out += "\n# of each [[specimen.actuator]]:\n";
        for (i, delay) in self.found.plant.delays.iter().enumerate() {
            out += &format!("# actuator {}: delay = \"{:.6} ms\"\n", name(i), 1e3 * delay);
        }
        out + "# of the [[specimen]]:\n# compensation = \"early-decoupling\"\n"
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let m = self.specimen.actuators.len();
        let entry = |e: usize| {
            let Rational { numerator, denominator } = &self.found.entries[e];
            let above: Vec<f64> = numerator.iter().rev().map(|x| x * self.gain(e / m, e % m)).collect();
            let below: Vec<f64> = denominator.iter().rev().copied().collect();
            let names = [e % m, e / m].map(|i| self.specimen.actuators[i].name.as_str());
            json!({ "command": names[0], "stroke": names[1], "numerator": above, "denominator": below })
        };
        let actuator = |i: usize| {
            let ([rest, share], (label, unit)) = (self.found.residuals[i], self.unit(i));
            json!({
                "name": self.specimen.actuators[i].name, "delay": self.found.plant.delays[i], "not_explained": share,
                "residual": rest / unit, UNITS: { "delay": "s", "not_explained": "1", "residual": label },
            })
        };
        let response = |(f, g): &(f64, Vec<interfield_lab::plant::Complex64>)| {
            let parts: Vec<[f64; 2]> =
                g.iter().enumerate().map(|(e, g)| [g.re, g.im].map(|x| x * self.gain(e / m, e % m))).collect();
            json!({ "frequency": f, "matrix": parts })
        };
        json!({
            "specimen": self.specimen.name, "duration": self.seconds, "rate": self.rate,
            "actuators": (0..m).map(actuator).collect::<Vec<_>>(),
            "plant": { "type": "transfer-matrix", "entry": (0..m * m).map(entry).collect::<Vec<_>>() },
            "responses": self.found.responses.iter().map(response).collect::<Vec<_>>(),
            "warnings": self.found.doubts,
            "toml": self.toml(),
            UNITS: { "duration": "s", "rate": "Hz", "frequency": "Hz" },
        })
    }
}
