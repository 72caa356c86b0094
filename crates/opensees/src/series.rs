//! `timeSeries`: the value at a time, and the signal of a model file.

use std::f64::consts::TAU;

use crate::arguments::Arguments;
use crate::domain::{Wrong, wrong};
use crate::materials::kind;
use crate::record::{Argument, Command};
use crate::write::{Keys, list, number};

/// Reads a file that a script names, as text.
pub type Files<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// Longest path that is written into the model file itself.
const SHORT: usize = 24;

/// A function of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Course {
    Constant(f64),
    /// Factor on the time.
    Linear(f64),
    Path {
        points: Vec<(f64, f64)>,
        dt: Option<f64>,
        factor: f64,
        last: bool,
    },
    Wave {
        shape: Wave,
        factor: f64,
        start: f64,
        end: f64,
        period: f64,
        shift: f64,
        width: f64,
        zero: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wave {
    Sine,
    Pulse,
    Triangle,
    Rectangle,
}

/// Reads a `timeSeries`.
pub(crate) fn course(command: &Command, files: &Files<'_>) -> Result<Course, Wrong> {
    // Kind and tag; a series of Tcl inside a pattern has no tag.
    let mut a = Arguments::from(command.arguments.get(2..).unwrap_or(&[]));
    let factor = ["-factor", "-fact", "-cFactor"].iter().find_map(|f| a.after(f)?.number()).unwrap_or(1.0);
    let after = |flag: &str, otherwise: f64| a.after(flag).and_then(|mut a| a.number()).unwrap_or(otherwise);
    match kind(command) {
        "Constant" => Ok(Course::Constant(factor)),
        "Linear" => Ok(Course::Linear(factor)),
        "Path" | "PathTime" | "Series" => path(&a, factor, files),
        name @ ("Trig" | "Sine" | "Pulse" | "Triangle" | "Triangular" | "Rectangular") => {
            let (width, zero, shift) = (after("-width", 0.5), after("-zeroShift", 0.0), after("-shift", 0.0));
            let (Some(start), Some(end)) = (a.number(), a.number()) else {
                return wrong(format!("{name} needs a start and an end"), "give both");
            };
            let shape = match name {
                "Trig" | "Sine" => Wave::Sine,
                "Pulse" => Wave::Pulse,
                "Rectangular" => Wave::Rectangle,
                _ => Wave::Triangle,
            };
            let period = a.number().unwrap_or(1.0);
            if shape != Wave::Rectangle && period <= 0.0 {
                return wrong(format!("the period of {name} is not positive"), "give a period");
            }
            Ok(Course::Wave { shape, factor, start, end, period, shift, width, zero })
        }
        other => wrong(
            format!("Interfield has no timeSeries `{other}`"),
            "write its values with a Path, or use Linear, Constant or Trig",
        ),
    }
}

fn path(a: &Arguments<'_>, factor: f64, files: &Files<'_>) -> Result<Course, Wrong> {
    let dt = a.after("-dt").and_then(|mut a| a.number());
    let column = |inline: &str, file: &str| -> Result<Option<Vec<f64>>, Wrong> {
        if let Some(values) = a.after(inline).map(|mut a| a.numbers()).filter(|v| !v.is_empty()) {
            return Ok(Some(values));
        }
        // In Tcl a list is one word.
        if let Some(word) = a.after(inline).and_then(|mut a| a.word()).filter(|w| w.contains(' ')) {
            return Ok(Some(word.split_whitespace().filter_map(|x| x.parse().ok()).collect()));
        }
        let Some(path) = a.after(file).and_then(|a| a.rest().first().cloned()) else { return Ok(None) };
        let path = match &path {
            Argument { value: crate::record::Scalar::Word(w), .. } => w.clone(),
            Argument { value: crate::record::Scalar::Number(x), .. } => number(*x),
        };
        let text =
            files(&path).map_err(|e| (format!("`{path}` cannot be read: {e}"), "put the file there".to_owned()))?;
        Ok(Some(numbers_in(&text)))
    };
    let values = column("-values", "-filePath")?.map_or_else(|| column("-list", "-file"), |v| Ok(Some(v)))?;
    let Some(mut values) = values.filter(|v| !v.is_empty()) else {
        return wrong("the Path has no values", "give -values or -filePath");
    };
    let times = column("-time", "-fileTime")?;
    let start = a.after("-startTime").and_then(|mut a| a.number()).unwrap_or(0.0);
    let last = a.has("-useLast");
    if a.has("-prependZero") {
        values.insert(0, 0.0);
    }
    let points: Vec<(f64, f64)> = match (times, dt) {
        (Some(times), _) => times.into_iter().zip(values).collect(),
        (None, Some(dt)) if dt > 0.0 => {
            values.into_iter().enumerate().map(|(i, y)| (start + i as f64 * dt, y)).collect()
        }
        _ => return wrong("the Path has neither a positive -dt nor times", "give -dt or -time"),
    };
    if points.windows(2).any(|w| w[0].0 >= w[1].0) {
        return wrong("the times of the Path do not increase", "sort them, and leave out those that are there twice");
    }
    let dt = dt.filter(|_| start == 0.0 && !a.has("-time") && !a.has("-fileTime"));
    Ok(Course::Path { points, dt, factor, last })
}

/// All numbers of a file, as OpenSees reads it.
fn numbers_in(text: &str) -> Vec<f64> {
    let body = text.lines().map(|l| l.split(['#', '%']).next().unwrap_or(""));
    body.flat_map(|l| l.split([' ', '\t', ',', ';'])).filter_map(|w| w.trim().parse().ok()).collect()
}

impl Course {
    /// Its value at a time.
    pub(crate) fn at(&self, t: f64) -> f64 {
        match self {
            Course::Constant(f) => *f,
            Course::Linear(f) => f * t,
            Course::Path { points, factor, last, .. } => {
                let after = points.partition_point(|p| p.0 < t);
                let y = match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
                    (_, Some(p)) if p.0 == t => p.1,
                    (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (t - a.0) / (b.0 - a.0),
                    (Some(a), None) if *last => a.1,
                    _ => 0.0,
                };
                factor * y
            }
            Course::Wave { shape, factor, start, end, period, shift, width, zero } => {
                if t < *start || t > *end {
                    return 0.0;
                }
                let x = (t - start) / period;
                match shape {
                    Wave::Rectangle => *factor,
                    Wave::Sine => factor * (TAU * x + shift).sin() + zero,
                    Wave::Triangle => factor * (TAU * (x + shift / period)).sin().asin() * 4.0 / TAU + zero,
                    Wave::Pulse if (x + shift / period).rem_euclid(1.0) < *width => factor + zero,
                    Wave::Pulse => *zero,
                }
            }
        }
    }

    /// The factor with which another scales it, taken in.
    pub(crate) fn times(mut self, by: f64) -> Self {
        match &mut self {
            Course::Constant(f) | Course::Linear(f) => *f *= by,
            Course::Path { factor, .. } => *factor *= by,
            Course::Wave { factor, zero, .. } => {
                *factor *= by;
                *zero *= by;
            }
        }
        self
    }

    /// The same, from a later time on.
    pub(crate) fn from(self, t0: f64) -> Self {
        if t0 == 0.0 {
            return self;
        }
        match self {
            Course::Path { ref points, factor, last, .. } => {
                let first = self.at(t0) / if factor == 0.0 { 1.0 } else { factor };
                let later = points.iter().filter(|p| p.0 > t0).map(|p| (p.0 - t0, p.1));
                let points: Vec<(f64, f64)> = std::iter::once((0.0, first)).chain(later).collect();
                Course::Path { points, dt: None, factor, last }
            }
            Course::Wave { shape, factor, start, end, period, shift, width, zero } => {
                Course::Wave { shape, factor, start: start - t0, end: end - t0, period, shift, width, zero }
            }
            other => other,
        }
    }

    /// The signal of a model file, and the text of a file beside it if the values are many. `until` is the end of the analysis.
    pub(crate) fn signal(&self, file: &str, t0: f64, until: f64) -> (Keys, Option<String>) {
        let of = |kind: &str| Keys::default().text("type", kind);
        let keys = match self {
            Course::Constant(f) => of("constant").number("value", *f),
            Course::Linear(f) if t0 == 0.0 => of("formula").text("value", &format!("{}*t", number(*f))),
            Course::Linear(f) => of("formula").text("value", &format!("{}*(t + {})", number(*f), number(t0))),
            Course::Path { .. } => return self.samples(file, until),
            Course::Wave { .. } => self.wave(until),
        };
        (keys, None)
    }

    fn wave(&self, until: f64) -> Keys {
        let Course::Wave { shape, factor, start, end, period, shift, width, zero } = self else {
            return Keys::default();
        };
        if (*shape, *start) == (Wave::Sine, 0.0) && *end >= until {
            let keys = Keys::default().text("type", "harmonic").number("amplitude", *factor);
            let keys = keys.number("omega", TAU / period).unless("phase", *shift, 0.0);
            return keys.unless("mean", *zero, 0.0);
        }
        let [f, a, b, p, s, w, z] = [*factor, *start, *end, *period, *shift, *width, *zero].map(number);
        let inside = match shape {
            Wave::Rectangle => f,
            Wave::Sine => format!("{f}*sin(2*pi*(t - {a})/{p} + {s}) + {z}"),
            Wave::Triangle => format!("{f}*2/pi*asin(sin(2*pi*(t - {a} + {s})/{p})) + {z}"),
            // Within its width around the middle of the pulse.
            Wave::Pulse => {
                format!("if(cos(2*pi*((t - {a} + {s})/{p} - {w}/2)) > cos(pi*{w}), {f}, 0) + {z}")
            }
        };
        Keys::default().text("type", "formula").text("value", &format!("if(t < {a}, 0, if(t > {b}, 0, {inside}))"))
    }

    fn samples(&self, file: &str, until: f64) -> (Keys, Option<String>) {
        let Course::Path { points, dt, factor, last } = self else { return (Keys::default(), None) };
        let mut points = points.clone();
        let end = points.last().copied().unwrap_or_default();
        let held = *last && end.0 < until;
        if held {
            points.push((until, end.1));
        }
        if points.len() == 1 {
            points.push((points[0].0 + 1e-9, points[0].1));
        }
        let values: Vec<f64> = points.iter().map(|p| p.1).collect();
        let dt = dt.filter(|_| !held && points.len() > 1);
        let scaled = |keys: Keys| keys.unless("scale", *factor, 1.0);
        if points.len() <= SHORT {
            let keys = Keys::default().text("type", "table").with("values", list(&values));
            let times: Vec<f64> = points.iter().map(|p| p.0).collect();
            return match dt {
                Some(dt) => (scaled(keys.number("dt", dt)), None),
                None => (scaled(keys.with("times", list(&times))), None),
            };
        }
        let keys = Keys::default().text("type", "file").text("path", file).text("format", "columns");
        match dt {
            Some(dt) => {
                let text = values.iter().map(|y| format!("{}\n", number(*y))).collect();
                (scaled(keys.number("dt", dt)), Some(text))
            }
            None => {
                let text = points.iter().map(|(t, y)| format!("{} {}\n", number(*t), number(*y))).collect();
                (scaled(keys), Some(text))
            }
        }
    }
}
