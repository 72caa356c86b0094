//! Why something was not done: everything at once, each with its place and what to do about it.

use std::fmt;

use interfield_language::Problem;

/// What is to blame, so that a caller can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The model, or what was chosen for it.
    Input,
    /// The machine: a file, a disk, a network, a laboratory that is not there.
    Machine,
    /// Something that was begun and stopped: a step, a program.
    Fault,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// File, where it is about one.
    pub file: Option<String>,
    /// Line and column there, from 1.
    pub line: Option<usize>,
    /// See [`Message::line`].
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// Why something was not done.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What is to blame.
    pub cause: Cause,
    /// All messages.
    pub messages: Vec<Message>,
    /// The same with excerpts of the model file, plain and coloured; empty where there is no file to show.
    pub(crate) shown: [String; 2],
}

impl Refused {
    /// About something that has no place in a model file.
    pub fn new(cause: Cause, message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), help.into());
        let message = Message { severity: "error", file: None, line: None, column: None, message, help };
        Refused { cause, messages: vec![message], shown: Default::default() }
    }

    /// The same about a file.
    pub fn in_file(mut self, file: impl Into<String>, place: Option<(usize, usize)>) -> Self {
        let file = file.into();
        for message in &mut self.messages {
            message.file = Some(file.clone());
            (message.line, message.column) = place.unzip();
        }
        self
    }

    /// Problems without a file.
    pub(crate) fn of(cause: Cause, problems: &[Problem]) -> Self {
        let message = |p: &Problem| Message {
            severity: "error",
            file: None,
            line: None,
            column: None,
            message: p.message.clone(),
            help: p.help.clone(),
        };
        Refused { cause, messages: problems.iter().map(message).collect(), shown: Default::default() }
    }

    /// As text for people, for a terminal with or without colours.
    pub fn render(&self, colour: bool) -> String {
        let shown = &self.shown[usize::from(colour)];
        if shown.is_empty() { self.to_string() } else { shown.clone() }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.shown[0].is_empty() {
            return f.write_str(&self.shown[0]);
        }
        for (i, m) in self.messages.iter().enumerate() {
            write!(f, "{}{}: {}", if i == 0 { "" } else { "\n" }, m.severity, m.message)?;
            if !m.help.is_empty() {
                write!(f, "\nhelp: {}", m.help)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}
