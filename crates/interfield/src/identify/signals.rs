//! Measured channels for an identification: out of a result, a recording of a laboratory, or a text file with columns.
//!
//! Text: the first line names the columns with their units, `t [s],q [mm],p [kN]`, as `interfield export` writes it; separators are commas,
//! semicolons, tabs or blanks, lines that begin with `#` are skipped. An empty place is a missing number.

use std::path::Path;

use interfield_language::diag::did_you_mean;
use interfield_language::units::{Dimension, Unit};
use interfield_results::Reader;

use crate::files::has_extension;

/// A channel with its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Name of its unit; empty if there is none.
    pub unit: String,
    /// Its numbers, in that unit.
    pub values: Vec<f64>,
}

/// A message and what to write instead.
pub type Problem = (String, String);

/// Channels with their times, s.
pub struct Signals {
    source: Source,
    /// Times, s.
    pub time: Vec<f64>,
    name: String,
}

enum Source {
    File(Reader),
    Text(Vec<Signal>),
}

impl Signals {
    /// Opens a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(path: &Path) -> Result<Self, Problem> {
        let name = path.display().to_string();
        if has_extension(path, "h5") {
            let of = |e: &dyn std::fmt::Display| {
                (
                    format!("`{name}` cannot be used: {e}"),
                    String::from("give a result or a recording, FILE.h5, or a text file with columns"),
                )
            };
            let reader = Reader::open(path).map_err(|e| of(&e))?;
            let time = reader.time(0..reader.rows()).map_err(|e| of(&e))?;
            return Ok(Signals { source: Source::File(reader), time, name });
        }
        if has_extension(path, "toml") {
            let help = "`interfield run` writes a result; `interfield identify-actuator` takes a model".to_owned();
            return Err((format!("`{name}` looks like a model, not like measurements"), help));
        }
        let bytes = std::fs::read(path).map_err(|e| {
            (
                format!("`{name}` cannot be read: {e}"),
                "give a result, a recording or a text file with columns".to_owned(),
            )
        })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            (
                format!("`{name}` is not a text file"),
                "give a result or a recording, FILE.h5, or a text file with columns".to_owned(),
            )
        })?;
        let (time, signals) =
            columns(&text).map_err(|(line, message, help)| (format!("`{name}`, line {line}: {message}"), help))?;
        Ok(Signals { source: Source::Text(signals), time, name })
    }

    /// Names of its channels.
    pub fn names(&self) -> Vec<&str> {
        match &self.source {
            Source::File(reader) => reader.channels().iter().map(|c| c.name.as_str()).collect(),
            Source::Text(signals) => signals.iter().map(|s| s.name.as_str()).collect(),
        }
    }

    /// The model text inside a result or a recording.
    pub fn model(&self) -> Option<&str> {
        match &self.source {
            Source::File(reader) => Some(reader.meta().model_text.as_str()).filter(|t| !t.is_empty()),
            Source::Text(_) => None,
        }
    }

    /// A channel.
    ///
    /// # Errors
    /// That there is none, with one of a similar name.
    pub fn channel(&self, name: &str) -> Result<Signal, Problem> {
        let none = || {
            let names = self.names();
            let near = did_you_mean(name, names.iter().copied());
            (format!("`{}` has no channel `{name}`", self.name), near.unwrap_or_else(|| listed(&names)))
        };
        match &self.source {
            Source::Text(signals) => signals.iter().find(|s| s.name == name).cloned().ok_or_else(none),
            Source::File(reader) => {
                let i = reader.channel(name).ok_or_else(none)?;
                let values = reader
                    .read(i, 0..reader.rows())
                    .map_err(|e| (format!("`{}` cannot be read: {e}", self.name), String::new()))?;
                Ok(Signal { name: name.to_owned(), unit: reader.channels()[i].unit.clone(), values })
            }
        }
    }

    /// Deformation and force by their names: of an element or a specimen (`NAME.deformation` and `NAME.force` of a result,
    /// `NAME.ACTUATOR.reached` and `.force` of a recording), or the only pair there is.
    ///
    /// # Errors
    /// That there is no pair, or several.
    pub fn pair(&self, of: Option<&str>) -> Result<[String; 2], Problem> {
        let names = self.names();
        let pairs: Vec<(&str, [String; 2])> = names
            .iter()
            .filter_map(|force| {
                let stem = force.strip_suffix(".force")?;
                let mate = ["deformation", "reached"]
                    .iter()
                    .map(|m| format!("{stem}.{m}"))
                    .find(|m| names.contains(&m.as_str()))?;
                Some((stem, [mate, (*force).to_owned()]))
            })
            .collect();
        let fitting: Vec<&(&str, [String; 2])> = pairs
            .iter()
            .filter(|(stem, _)| {
                of.is_none_or(|of| *stem == of || stem.strip_prefix(of).is_some_and(|r| r.starts_with('.')))
            })
            .collect();
        let stems = || pairs.iter().map(|p| p.0).collect::<Vec<_>>().join(", ");
        match (&fitting[..], of) {
            ([one], _) => Ok(one.1.clone()),
            ([], Some(of)) if !pairs.is_empty() => Err((
                format!("`{}` has no deformation and force of `{of}`", self.name),
                did_you_mean(of, pairs.iter().map(|p| p.0)).unwrap_or_else(|| format!("it has those of {}", stems())),
            )),
            ([], _) => Err((
                format!("`{}` has no channels that are known as deformation and force", self.name),
                format!("give --deformation and --force; {}", listed(&names)),
            )),
            (_, None) => {
                Err((format!("`{}` has several deformations and forces", self.name), format!("give --of: {}", stems())))
            }
            (several, Some(_)) => Err((
                format!("`{}` has several of them", self.name),
                format!("give --of: {}", several.iter().map(|p| p.0).collect::<Vec<_>>().join(", ")),
            )),
        }
    }
}

fn listed(names: &[&str]) -> String {
    let few: Vec<&str> = names.iter().take(12).copied().collect();
    let more = if names.len() > few.len() { ", ..." } else { "" };
    format!("it has {}{more}", few.join(", "))
}

/// The unit of a channel: what `text` says, if it measures one of these.
///
/// # Errors
/// That it is missing or measures something else.
pub fn unit(
    signal: &Signal,
    told: Option<&str>,
    what: &str,
    option: &str,
    dims: &[Dimension],
) -> Result<(String, Unit), Problem> {
    let text = told.unwrap_or(&signal.unit).trim();
    let help = format!(
        "write it behind the name in the first line, `{} [{}]`, or give {option}",
        signal.name,
        dims[0].example().split_once(' ').map_or("m", |e| e.1)
    );
    if text.is_empty() {
        return Err((format!("the {what} `{}` has no unit", signal.name), help));
    }
    let unit = Unit::parse(text)
        .map_err(|e| (format!("the unit `{text}` of `{}`: {}", signal.name, e.message), help.clone()))?;
    if !dims.contains(&unit.dim) {
        let wanted: Vec<String> = dims.iter().map(|d| d.describe()).collect();
        return Err((
            format!(
                "`{}` is in {text}, which is a unit of {}: a {what} is one of {}",
                signal.name,
                unit.dim.describe(),
                wanted.join(" or ")
            ),
            help,
        ));
    }
    Ok((text.to_owned(), unit))
}

type Wrong = (usize, String, String);

/// Columns of a text.
fn columns(text: &str) -> Result<(Vec<f64>, Vec<Signal>), Wrong> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.trim_start().starts_with('#'));
    let Some((at, first)) = lines.next() else {
        return Err((1, "the file is empty".into(), "the first line names the columns: t [s],q [mm],p [kN]".into()));
    };
    let sign = [';', '\t', ','].into_iter().find(|s| first.contains(*s));
    let cells = |line: &str| -> Vec<String> {
        match sign {
            Some(sign) => split(line, sign),
            None => line.split_whitespace().map(str::to_owned).collect(),
        }
    };
    let head = match sign {
        Some(_) => cells(first),
        // `t [s] q [mm]`: units belong to the names before them.
        None => first.split_whitespace().fold(Vec::new(), |mut all: Vec<String>, word| {
            match all.last_mut() {
                Some(last) if word.starts_with('[') => *last = format!("{last} {word}"),
                _ => all.push(word.to_owned()),
            }
            all
        }),
    };
    if head.iter().all(|c| number(c, sign).is_some()) {
        return Err((
            at + 1,
            "the first line has numbers instead of names".into(),
            "name the columns with their units: t [s],q [mm],p [kN]".into(),
        ));
    }
    let mut signals: Vec<Signal> = head
        .iter()
        .map(|cell| {
            let (name, unit) = match cell.trim().split_once('[') {
                Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches(']').trim()),
                None => (cell.trim(), ""),
            };
            Signal { name: name.to_owned(), unit: unit.to_owned(), values: Vec::new() }
        })
        .collect();
    for (at, line) in lines {
        let row = cells(line);
        if row.len() != signals.len() {
            let message = format!("{} numbers for {} columns", row.len(), signals.len());
            return Err((
                at + 1,
                message,
                "an empty place is a missing number; a decimal comma needs semicolons between columns".into(),
            ));
        }
        for (signal, cell) in signals.iter_mut().zip(&row) {
            let Some(x) = number(cell, sign) else {
                return Err((
                    at + 1,
                    format!("`{}` is not a number (column {})", cell.trim(), signal.name),
                    "remove it, or leave the place empty".into(),
                ));
            };
            signal.values.push(x);
        }
    }
    let time = signals.iter().position(|s| matches!(s.name.to_lowercase().as_str(), "t" | "time"));
    let Some(time) = time else {
        return Err((at + 1, "no column is called t or time".into(), "name the column of times t [s]".into()));
    };
    let time = signals.remove(time);
    let factor = match time.unit.as_str() {
        "" => 1.0,
        text => match Unit::parse(text) {
            Ok(unit) if unit.dim == Dimension::TIME => unit.factor,
            _ => return Err((at + 1, format!("`{text}` is not a unit of time"), "write t [s]".into())),
        },
    };
    Ok((time.values.iter().map(|t| t * factor).collect(), signals))
}

/// A number; a missing one is NaN.
fn number(cell: &str, sign: Option<char>) -> Option<f64> {
    let cell = cell.trim();
    match cell.to_lowercase().as_str() {
        "" | "nan" | "na" => Some(f64::NAN),
        _ if sign == Some(';') => cell.replace(',', ".").parse().ok(),
        _ => cell.parse().ok(),
    }
}

/// Cells between separators; quoted ones may contain them.
fn split(line: &str, sign: char) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c == sign && !quoted => cells.push(String::new()),
            c => cells.last_mut().into_iter().for_each(|cell| cell.push(c)),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_other_programs_are_read_with_units_and_missing_numbers() {
        for text in [
            "# rig 2\nt [s],q [mm],p [kN]\n0,1,2\n0.1,,4\n",
            "time [s];q [mm];p [kN]\n0;1,0;2\n0,1;;4\n",
            "\u{feff}t\tq [mm]\tp [kN]\n0\t1\t2\n0.1\tNaN\t4\n",
        ] {
            let (t, signals) = columns(text).unwrap();
            assert_eq!((t, signals[1].values.clone()), (vec![0.0, 0.1], vec![2.0, 4.0]), "{text}");
            assert!(signals[0].unit == "mm" && signals[0].values[1].is_nan(), "{text}");
        }
        let (t, signals) = columns("t [ms] q [mm]\n0 1\n100 2\n").unwrap();
        assert_eq!((t[1], signals[0].values[1]), (0.1, 2.0));
    }

    #[test]
    fn what_is_wrong_with_a_text_is_said_with_its_line() {
        for (text, line, says) in [
            ("", 1, "empty"),
            ("0,1,2\n1,2,3\n", 1, "numbers instead of names"),
            ("t,q\n0,1\n1\n", 3, "1 numbers for 2 columns"),
            ("t,q\n0,a\n", 2, "`a` is not a number"),
            ("x,q\n0,1\n", 1, "no column is called t"),
            ("t [mm],q\n0,1\n", 1, "not a unit of time"),
        ] {
            let (at, message, help) = columns(text).unwrap_err();
            assert!(at == line && message.contains(says) && !help.is_empty(), "{text}: {at} {message}");
        }
    }
}
