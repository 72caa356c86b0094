//! A client as a server sees it, without input and output: how long its next message is, and what is answered.

use crate::substructure::{Substructure, Trial};
use crate::violation::Violation;

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
    /// When the client does not keep to the protocol.
    fn hear(&mut self, message: &[u8], substructure: &mut dyn Substructure) -> Result<Said<'_>, Violation>;

    /// Whether it has said what it is: who has not need not be waited for.
    fn is_open(&self) -> bool;

    /// What it wants of its substructure, and what was done for it.
    fn trial(&self) -> &Trial;

    /// The same, to be told where its test stands.
    fn trial_mut(&mut self) -> &mut Trial;
}
