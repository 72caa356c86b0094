//! What was done with every command that is not translated as it stands: never silence.

use crate::record::Place;

/// What becomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Left out unless the user allows that: no model is written.
    Refused,
    /// Something else is done instead, and how far that differs.
    Replaced,
    /// Without effect on the mechanics.
    Ignored,
}

impl Fate {
    /// As it is told.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Refused => "refused",
            Fate::Replaced => "replaced",
            Fate::Ignored => "ignored",
        }
    }
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What becomes of it.
    pub fate: Fate,
    /// The command, with its type if it has one: `uniaxialMaterial Pinching4`.
    pub command: String,
    /// Where it stands first.
    pub place: Place,
    /// How often it was met.
    pub times: usize,
    /// What is the matter.
    pub message: String,
    /// What to do, if something can be done.
    pub remedy: String,
}

/// All findings, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each once.
    pub findings: Vec<Finding>,
    /// Commands that the user allows to be left out.
    pub allowed: Vec<String>,
}

impl Report {
    /// Adds a finding, or counts it if it was met before.
    pub fn add(&mut self, fate: Fate, command: &str, place: &Place, message: &str, remedy: &str) {
        let fate = if fate == Fate::Refused && self.allows(command) { Fate::Replaced } else { fate };
        let (message, remedy) = match fate {
            Fate::Replaced if self.allows(command) => (format!("{message}; left out, as --allow says"), String::new()),
            _ => (message.to_owned(), remedy.to_owned()),
        };
        let same = |f: &&mut Finding| f.fate == fate && f.command == command && f.message == message;
        match self.findings.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None => self.findings.push(Finding {
                fate,
                command: command.to_owned(),
                place: place.clone(),
                times: 1,
                message,
                remedy,
            }),
        }
    }

    /// Whether the user allows this to be left out: the command, or its type.
    pub fn allows(&self, command: &str) -> bool {
        let is = |a: &String| a == command || command.split(' ').any(|word| word == a);
        self.allowed.iter().any(is)
    }

    /// Those of one fate.
    pub fn of(&self, fate: Fate) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.fate == fate)
    }

    /// Whether something is refused.
    pub fn refuses(&self) -> bool {
        self.of(Fate::Refused).next().is_some()
    }
}
