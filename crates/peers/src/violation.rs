//! Why a peer is not believed.

use std::fmt;

use crate::{MOST_DOFS, MOST_NUMBERS};

/// Why a message cannot be true, or is not for us.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Violation {
    /// It has another length than it must have.
    Length,
    /// A negative size, or one beyond [`MOST_DOFS`].
    Size,
    /// Another number of degrees of freedom than the substructure has: said, and there.
    Dofs(usize, usize),
    /// Forces are commanded, and only displacements can be.
    ForceControl,
    /// Messages too short for what they should hold, or longer than [`MOST_NUMBERS`].
    Message,
    /// There is no such request, or not now.
    Action(f64),
    /// The other machine orders its bytes the other way round, or speaks another protocol.
    ByteOrder,
    /// Another version of the protocol.
    Version(f64),
    /// Numbers of another kind than 4 or 8 bytes.
    Precision(u8),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Length => write!(f, "it sent a message of wrong length"),
            Violation::Size => write!(f, "it sent sizes that are negative, or above {MOST_DOFS} degrees of freedom"),
            Violation::Dofs(said, has) => write!(
                f,
                "it commands {said} degrees of freedom, but the specimen has \
                {has}"
            ),
            Violation::ForceControl => write!(f, "it commands forces, but only displacements can be commanded"),
            Violation::Message => {
                write!(f, "its messages are too short for their contents, or longer than {MOST_NUMBERS} numbers")
            }
            Violation::Action(code) => write!(
                f,
                "it sent the request {code}, which does not exist or is not allowed \
                now"
            ),
            Violation::ByteOrder => write!(f, "its byte order is different, or it uses another protocol"),
            Violation::Version(version) => write!(f, "it uses version {version} of the protocol"),
            Violation::Precision(byte) => {
                write!(f, "it sent a precision of {byte}; only 1 (single) and 2 (double) exist")
            }
        }
    }
}
