//! A client as a server sees it, without input and output: how long its next message is, and what is answered.

use crate::substructure::{Counts, Halt, Substructure};

/// What is done about a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said<'a> {
    /// Nothing.
    Nothing,
    /// This is answered.
    Answer(&'a [u8]),
    /// The client has ended; this is answered, if anything.
    Over(Option<&'a [u8]>),
}

/// A client.
pub trait Session {
    /// Length of its next message, bytes; at least one, at most that of [`crate::MOST_NUMBERS`] and a header.
    fn wants(&self) -> usize;

    /// Takes a message of that length.
    ///
    /// # Errors
    /// When it gets no answer any more.
    fn hear(&mut self, message: &[u8], substructure: &mut dyn Substructure) -> Result<Said<'_>, Halt>;

    /// Whether it has said what it is: who has not need not be waited for.
    fn is_open(&self) -> bool;

    /// What was done for it.
    fn counts(&self) -> Counts;
}
