//! The record of a script: the commands that it gave, in order, as a recorder wrote them. One JSON object per line: first who recorded
//! what, then the commands, then how the script ended.

use std::fmt;

use serde_json::Value;

/// A file and a line of the user's script.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as the recorder saw it.
    pub file: String,
    /// Counted from 1; 0 if unknown.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.is_empty(), self.line) {
            (true, _) => write!(f, "script"),
            (false, 0) => write!(f, "{}", self.file),
            (false, line) => write!(f, "{}:{line}", self.file),
        }
    }
}

/// What a number descends from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The query that it comes from.
    pub query: String,
    /// Whether Interfield computed the answer.
    pub live: bool,
}

/// An argument of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// What was given.
    pub value: Scalar,
    /// Set where a number descends from an answer of the program.
    pub origin: Option<Origin>,
}

/// A number or a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl Argument {
    /// A word.
    pub(crate) fn of(word: &str) -> Self {
        Argument { value: Scalar::Word(word.to_owned()), origin: None }
    }

    /// The number, also of a word that is one (Tcl has only words).
    pub fn number(&self) -> Option<f64> {
        match &self.value {
            Scalar::Number(x) => Some(*x),
            Scalar::Word(w) => w.trim().parse().ok().filter(|x: &f64| x.is_finite()),
        }
    }

    /// The word, if it is one and no number.
    pub fn word(&self) -> Option<&str> {
        match &self.value {
            Scalar::Word(w) if self.number().is_none() => Some(w),
            _ => None,
        }
    }
}

/// A command of the script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it was given, lists opened.
    pub arguments: Vec<Argument>,
    /// Where it was given.
    pub place: Place,
    /// Of a query: whether Interfield computed the answer.
    pub live: bool,
}

/// How a script ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// At its end.
    Done,
    /// With an error.
    Error(String, Place),
    /// The record stops without a word.
    #[default]
    Cut,
}

/// What a script said.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The script, as the recorder was told.
    pub script: String,
    /// Its commands.
    pub commands: Vec<Command>,
    /// How it ended.
    pub end: End,
    /// Queries on whose answers it depends which commands the script gives, as far as that is known.
    pub depends: Vec<String>,
}

impl Record {
    /// Reads the lines of a recorder. A last line that was cut off is left out; anything else that is no record is an error with its line.
    ///
    /// # Errors
    /// What is wrong and on which line of the record.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut record = Record::default();
        let last = text.lines().count();
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let entry: Value = match serde_json::from_str(line) {
                Ok(entry) => entry,
                Err(_) if i + 1 == last => break,
                Err(e) => return Err(format!("line {} of the record is not JSON: {e}", i + 1)),
            };
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let place = Place { file: text("file"), line: entry["line"].as_u64().unwrap_or(0) };
            if entry["recorder"].is_string() {
                if entry["version"] != 1 {
                    return Err(format!("line {}: this record has the version {}, not 1", i + 1, entry["version"]));
                }
                record.script = text("script");
            } else if let Some(name) = entry["command"].as_str() {
                let arguments = entry["arguments"].as_array().into_iter().flatten().filter_map(argument).collect();
                let live = entry["live"] == true;
                record.commands.push(Command { name: name.to_owned(), arguments, place, live });
            } else if let Some(end) = entry["end"].as_str() {
                record.end = if end == "ok" { End::Done } else { End::Error(text("message"), place) };
            } else {
                return Err(format!("line {} of the record is neither a command nor an end", i + 1));
            }
        }
        Ok(record)
    }
}

fn argument(value: &Value) -> Option<Argument> {
    let scalar = |v: &Value| match v {
        Value::Number(n) => n.as_f64().map(Scalar::Number),
        Value::String(s) => Some(Scalar::Word(s.clone())),
        Value::Bool(b) => Some(Scalar::Number(f64::from(u8::from(*b)))),
        _ => None,
    };
    if let Some(from) = value["from"].as_str() {
        let origin = Origin { query: from.to_owned(), live: value["live"] == true };
        return Some(Argument { value: scalar(&value["value"])?, origin: Some(origin) });
    }
    Some(Argument { value: scalar(value)?, origin: None })
}
