//! The header, and the numbers that follow it.

use crate::MOST_DOFS;
use crate::violation::Violation;

/// Bytes of a header.
pub const HEADER: usize = 16;

/// Version that is said, and the oldest that is understood: both look the same.
const VERSION: u8 = 2;
const OLDEST: u8 = 1;

/// Kind of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 4 bytes.
    Single = 1,
    /// 8 bytes.
    Double = 2,
}

impl Precision {
    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Precision::Single => 4,
            Precision::Double => 8,
        }
    }

    /// Appends numbers.
    pub fn put(self, values: impl IntoIterator<Item = f64>, message: &mut Vec<u8>) {
        for x in values {
            match self {
                Precision::Single => message.extend((x as f32).to_le_bytes()),
                Precision::Double => message.extend(x.to_le_bytes()),
            }
        }
    }

    /// Reads numbers.
    pub fn numbers(self, bytes: &[u8]) -> impl Iterator<Item = f64> + Clone + '_ {
        bytes.chunks_exact(self.bytes()).map(move |b| match self {
            Precision::Single => f64::from(f32::from_le_bytes(b.try_into().unwrap_or_default())),
            Precision::Double => f64::from_le_bytes(b.try_into().unwrap_or_default()),
        })
    }
}

/// What follows a header, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents(pub u8);

impl Contents {
    /// Displacements, velocities, accelerations, forces, a stiffness matrix, a mass matrix; then temperatures.
    pub const DISPLACEMENT: u8 = 1;
    /// See [`Contents::DISPLACEMENT`].
    pub const VELOCITY: u8 = 2;
    /// See [`Contents::DISPLACEMENT`].
    pub const ACCELERATION: u8 = 4;
    /// See [`Contents::DISPLACEMENT`].
    pub const FORCE: u8 = 8;
    /// See [`Contents::DISPLACEMENT`].
    pub const STIFFNESS: u8 = 16;
    /// See [`Contents::DISPLACEMENT`].
    pub const MASS: u8 = 32;

    /// Whether all of these bits are set.
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits == bits
    }

    /// How many numbers follow for `n` degrees of freedom.
    pub fn numbers(self, n: usize) -> usize {
        let of = |bit: u8| usize::from(self.has(bit));
        // Temperatures and the reserved bit count as vectors.
        let vectors = of(1) + of(2) + of(4) + of(8) + of(64) + of(128);
        vectors * n + (of(Contents::STIFFNESS) + of(Contents::MASS)) * n * n
    }
}

/// A header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is asked for, as [`crate::action::Action`]; 0 in a greeting.
    pub command: u8,
    /// How the test is run: 1 ramp and hold, 2 continuous, 3 real time, 4 and 5 software.
    pub test: u8,
    /// Which program the substructure is.
    pub substructure: u8,
    /// Kind of numbers.
    pub precision: Precision,
    /// What follows, now or in the message to come.
    pub contents: Contents,
    /// Number of degrees of freedom.
    pub dofs: usize,
    /// Number of the step.
    pub step: u16,
    /// Time stamp of the sender.
    pub stamp: u32,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// When it cannot be true.
    pub fn decode(bytes: &[u8]) -> Result<Self, Violation> {
        let b: [u8; HEADER] = bytes.try_into().map_err(|_| Violation::Length)?;
        if !(OLDEST..=VERSION).contains(&b[0]) {
            return Err(Violation::Version(f64::from(b[0])));
        }
        let precision = match b[4] {
            1 => Precision::Single,
            2 => Precision::Double,
            other => return Err(Violation::Precision(other)),
        };
        let dofs = usize::from(u16::from_be_bytes([b[6], b[7]]));
        if dofs > MOST_DOFS {
            return Err(Violation::Size);
        }
        Ok(Header {
            command: b[1],
            test: b[2],
            substructure: b[3],
            precision,
            contents: Contents(b[5]),
            dofs,
            step: u16::from_be_bytes([b[8], b[9]]),
            stamp: u32::from_be_bytes([b[12], b[13], b[14], b[15]]),
        })
    }

    /// Writes a header.
    pub fn encode(&self) -> [u8; HEADER] {
        let dofs = u16::try_from(self.dofs).unwrap_or(u16::MAX).to_be_bytes();
        let step = self.step.to_be_bytes();
        let mut bytes = [0; HEADER];
        bytes[..10].copy_from_slice(&[
            VERSION,
            self.command,
            self.test,
            self.substructure,
            self.precision as u8,
            self.contents.0,
            dofs[0],
            dofs[1],
            step[0],
            step[1],
        ]);
        bytes[12..].copy_from_slice(&self.stamp.to_be_bytes());
        bytes
    }

    /// Bytes of what follows.
    pub fn payload(&self) -> usize {
        self.contents.numbers(self.dofs) * self.precision.bytes()
    }
}
