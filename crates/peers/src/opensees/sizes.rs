//! The size message: how many numbers of each kind go each way, and how long all other messages are.

use crate::numbers::{F64, put_whole, whole};
use crate::violation::Violation;
use crate::{MOST_DOFS, MOST_NUMBERS};

/// Bytes of a size message.
pub const SIZES: usize = 44;

/// A size message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Commanded displacements, velocities, accelerations, forces, times.
    pub command: [usize; 5],
    /// Answered displacements, velocities, accelerations, forces, times.
    pub answer: [usize; 5],
    /// Numbers in every later message.
    pub numbers: usize,
}

impl Sizes {
    /// What an adapter of OpenSees understands for `n` degrees of freedom: displacements out, displacements and forces back.
    pub fn adapter(n: usize) -> Self {
        Sizes { command: [n, 0, 0, 0, 0], answer: [n, 0, 0, n, 0], numbers: (2 * n).max(n + 1) }
    }

    /// Reads a size message.
    ///
    /// # Errors
    /// When it cannot be true.
    pub fn decode(bytes: &[u8]) -> Result<Self, Violation> {
        let all: [i32; 11] = whole(bytes).ok_or(Violation::Length)?;
        let group = |i: usize| usize::try_from(all[i]).ok().filter(|n| *n <= MOST_DOFS).ok_or(Violation::Size);
        let mut sizes = Sizes { command: [0; 5], answer: [0; 5], numbers: 0 };
        for i in 0..5 {
            sizes.command[i] = group(i)?;
            sizes.answer[i] = group(5 + i)?;
        }
        sizes.numbers = usize::try_from(all[10]).ok().filter(|n| *n <= MOST_NUMBERS).ok_or(Violation::Message)?;
        let needed = (1 + sizes.command.iter().sum::<usize>()).max(sizes.answer.iter().sum());
        if sizes.numbers < needed { Err(Violation::Message) } else { Ok(sizes) }
    }

    /// Writes a size message.
    pub fn encode(&self) -> Vec<u8> {
        let mut all = [0; 11];
        for (place, size) in all.iter_mut().zip(self.command.iter().chain(&self.answer).chain([&self.numbers])) {
            *place = i32::try_from(*size).unwrap_or(i32::MAX);
        }
        put_whole(all)
    }

    /// Bytes of every later message.
    pub fn bytes(&self) -> usize {
        self.numbers * F64
    }
}
