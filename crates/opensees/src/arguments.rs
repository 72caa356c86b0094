//! Arguments of a command, read from the front.

use crate::record::{Argument, Command};

/// What is left of the arguments of a command.
#[derive(Clone, Debug)]
pub(crate) struct Arguments<'a> {
    left: &'a [Argument],
}

impl<'a> Arguments<'a> {
    pub(crate) fn of(command: &'a Command) -> Self {
        Arguments { left: &command.arguments }
    }

    pub(crate) fn from(left: &'a [Argument]) -> Self {
        Arguments { left }
    }

    /// The next number; stays where a word follows.
    pub(crate) fn number(&mut self) -> Option<f64> {
        let x = self.left.first()?.number()?;
        self.left = &self.left[1..];
        Some(x)
    }

    /// The next number, or this one.
    pub(crate) fn or(&mut self, otherwise: f64) -> f64 {
        self.number().unwrap_or(otherwise)
    }

    /// The next number as a tag or a count.
    pub(crate) fn tag(&mut self) -> Option<i64> {
        self.number().map(|x| x.round() as i64)
    }

    /// All numbers up to the next word.
    pub(crate) fn numbers(&mut self) -> Vec<f64> {
        std::iter::from_fn(|| self.number()).collect()
    }

    /// All tags up to the next word.
    pub(crate) fn tags(&mut self) -> Vec<i64> {
        self.numbers().into_iter().map(|x| x.round() as i64).collect()
    }

    /// The next argument as a word, whatever it is.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let word = self.left.first()?.word()?;
        self.left = &self.left[1..];
        Some(word)
    }

    /// Passes over one argument.
    pub(crate) fn skip(&mut self) {
        self.left = self.left.get(1..).unwrap_or(&[]);
    }

    pub(crate) fn rest(&self) -> &'a [Argument] {
        self.left
    }

    /// What stands after a flag such as `-mass`, wherever the flag is.
    pub(crate) fn after(&self, flag: &str) -> Option<Arguments<'a>> {
        let at = self.left.iter().position(|a| a.word() == Some(flag))?;
        Some(Arguments { left: &self.left[at + 1..] })
    }

    /// Whether a flag is there.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.after(flag).is_some()
    }
}
