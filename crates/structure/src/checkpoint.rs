//! The complete state of a run as bytes, to go on from later, in another process or on another machine.
//!
//! ```text
//! magic 8 | version u32 | fingerprint 32 | step u64 | count u64 | count numbers f64 | checksum u64
//! ```
//!
//! Little-endian throughout; numbers by their bits. The fingerprint is the caller's: a hash of the model, what it reads, and all
//! choices, so that no state gets into another model. The checksum (FNV-1a, 64 bits) is against damage, not against malice.
//! **Must not be here:** file access.

use std::fmt;

use interfield_kernel::{Persist, StateError};

/// The first bytes of a checkpoint.
const MAGIC: &[u8; 8] = b"ifstate\n";
/// Changes with what is saved, and in which order.
const VERSION: u32 = 2;
/// Bytes before the numbers, and behind them.
const HEAD: usize = 8 + 4 + 32 + 8 + 8;
const TAIL: usize = 8;

/// What a model and its choices are known by.
pub type Fingerprint = [u8; 32];

/// The complete state of a run after some of its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Of the model and the choices of the run.
    pub fingerprint: Fingerprint,
    /// Steps that were taken.
    pub step: u64,
    state: Vec<f64>,
}

/// Why bytes are no checkpoint to go on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// They are something else.
    Foreign,
    /// They are of another version of the program.
    Version(u32),
    /// Some are missing at the end.
    Truncated,
    /// Some are not as they were written.
    Damaged,
    /// They are of another model, or of other choices.
    OtherModel,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Foreign => f.write_str("it is not a checkpoint"),
            CheckpointError::Version(v) => {
                write!(f, "its format has version {v}, but this program reads version {VERSION}: run the model again")
            }
            CheckpointError::Truncated => f.write_str("it is incomplete: use an older checkpoint"),
            CheckpointError::Damaged => f.write_str("it is damaged: use an older checkpoint"),
            CheckpointError::OtherModel => {
                f.write_str("it belongs to another model or other options: use the files and options of its run")
            }
        }
    }
}

impl std::error::Error for CheckpointError {}

impl Checkpoint {
    /// The state of a run after `step` steps.
    ///
    /// # Errors
    /// When a part of it goes on by itself.
    pub fn take(run: &mut dyn Persist, fingerprint: Fingerprint, step: u64) -> Result<Self, StateError> {
        let mut state = Vec::new();
        run.save(&mut |x| state.push(x))?;
        Ok(Checkpoint { fingerprint, step, state })
    }

    /// Gives the state to a run that has just been made of the same model; it goes on with step number [`Checkpoint::step`].
    ///
    /// # Errors
    /// When it is not the state of such a run.
    pub fn restore(&self, run: &mut dyn Persist) -> Result<(), StateError> {
        run.restore(&self.state)
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + 8 * self.state.len() + TAIL);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint);
        bytes.extend_from_slice(&self.step.to_le_bytes());
        bytes.extend_from_slice(&(self.state.len() as u64).to_le_bytes());
        bytes.extend(self.state.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
        bytes
    }

    /// From bytes, for the model and the choices with this fingerprint.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_bytes(bytes: &[u8], fingerprint: &Fingerprint) -> Result<Self, CheckpointError> {
        let mut rest = bytes;
        if take(&mut rest).ok_or(CheckpointError::Foreign)? != *MAGIC {
            return Err(CheckpointError::Foreign);
        }
        let mut head = || -> Option<_> {
            let version = u32::from_le_bytes(take(&mut rest)?);
            let own: Fingerprint = take(&mut rest)?;
            let [step, count] = [take(&mut rest)?, take(&mut rest)?].map(u64::from_le_bytes);
            Some((version, own, step, count))
        };
        let (version, own, step, count) = head().ok_or(CheckpointError::Truncated)?;
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        // Of a count that is damaged itself, only a smaller one is told apart from a missing end.
        let length = usize::try_from(count).ok().and_then(|n| n.checked_mul(8)?.checked_add(TAIL));
        match length {
            Some(length) if rest.len() == length => {}
            Some(length) if rest.len() > length => return Err(CheckpointError::Damaged),
            _ => return Err(CheckpointError::Truncated),
        }
        let (told, sum) = bytes.split_at(bytes.len() - TAIL);
        if checksum(told).to_le_bytes() != sum {
            return Err(CheckpointError::Damaged);
        }
        if own != *fingerprint {
            return Err(CheckpointError::OtherModel);
        }
        let state = std::iter::from_fn(|| take(&mut rest)).take(count as usize).map(f64::from_le_bytes).collect();
        Ok(Checkpoint { fingerprint: own, step, state })
    }
}

/// Cuts the next bytes off.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// FNV-1a: every step of it is a bijection of the sum, so that no single damaged byte goes unnoticed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Fingerprint = [7; 32];

    fn checkpoint() -> Checkpoint {
        let state = vec![1.5, -0.0, f64::from_bits(0x7ff8_0000_dead_beef), f64::MIN_POSITIVE, f64::NEG_INFINITY];
        Checkpoint { fingerprint: OWN, step: u64::MAX - 1, state }
    }

    fn read(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::from_bytes(bytes, &OWN)
    }

    #[test]
    fn every_bit_comes_back() {
        let (saved, bits) = (checkpoint(), |c: &Checkpoint| c.state.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        let back = read(&saved.to_bytes()).expect("as it was written");
        assert_eq!((back.step, bits(&back)), (saved.step, bits(&saved)));
    }

    #[test]
    fn what_is_missing_or_damaged_is_noticed() {
        let bytes = checkpoint().to_bytes();
        for length in 0..bytes.len() {
            let expected = if length < 8 { CheckpointError::Foreign } else { CheckpointError::Truncated };
            assert_eq!(read(&bytes[..length]), Err(expected), "{length} bytes");
        }
        assert_eq!(read(&[&bytes[..], &[0]].concat()), Err(CheckpointError::Damaged));
        for place in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place / 8] ^= 1 << (place % 8);
            assert!(read(&bytes).is_err(), "bit {place}");
        }
    }

    #[test]
    fn other_models_and_versions_are_named() {
        let mut bytes = checkpoint().to_bytes();
        assert_eq!(Checkpoint::from_bytes(&bytes, &[8; 32]), Err(CheckpointError::OtherModel));
        bytes[8] = 99;
        assert_eq!(read(&bytes), Err(CheckpointError::Version(99)));
        assert_eq!(read(b"\x89HDF\r\n\x1a\n whatever"), Err(CheckpointError::Foreign));
    }
}
