//! Messages under seal, for a wire that leaves the machine: whoever does not have the key can neither read them, nor make or
//! change one, nor send an old one again.
//!
//! ```text
//! Remote --Link--> SealedLink --Link--> UDP ~~~ UDP --Dock--> SealedDock --Dock--> host
//!                  caller::Caller                            porter::Porter
//! ```
//!
//! The seal is that of the Noise protocol, `NNpsk0` with X25519, ChaCha20-Poly1305 and BLAKE2s, made by the library `snow`: both
//! sides prove that they have the key and agree on keys of the *line*, which are forgotten with it. Every datagram carries the
//! number it is sealed with, so that lost and reordered ones are no trouble; a number is taken once. A datagram, little-endian:
//!
//! | offset | type | meaning |
//! |---|---|---|
//! | 0 | `uint8_t[4]` | `IFSL` |
//! | 4 | `uint8_t` | version, 1 |
//! | 5 | `uint8_t` | 1: call, 2: answer, 3: message, 4: the key is another one |
//! | 6 | `uint16_t` | 0 |
//! | 8 | `uint64_t` | line, chosen by the test at random |
//! | 16 | `uint64_t` | number of a message, 1, 2, 3 … on each side; else 0 |
//! | 24 | | Noise: 48 bytes of a call or an answer, or a message of the wire and 16 bytes |
//!
//! What either side does with bytes is decided without input or output, in [`caller`] and [`porter`].
//!
//! **Must not be here:** cryptography of our own, files, what a message says.

pub mod caller;
mod carry;
pub mod key;
mod line;
pub mod porter;

pub use carry::{SealedDock, SealedLink};
pub use key::Key;

use snow::params::NoiseParams;
use snow::{Builder, HandshakeState};

use crate::layout::MOST_BYTES;

/// First bytes of every sealed datagram.
pub const MAGIC: [u8; 4] = *b"IFSL";
const VERSION: u8 = 1;
/// Length of what stands before the Noise message.
pub const HEAD: usize = 24;
/// What a seal adds to a message.
const TAG: usize = 16;
/// A public key of X25519 and a seal over nothing.
const HANDSHAKE: usize = 32 + TAG;
/// Length of a call, and of the answer to it.
const CALL: usize = HEAD + HANDSHAKE;
/// Length of the largest sealed datagram; still one that no network cuts.
pub const MOST_DATAGRAM: usize = HEAD + MOST_BYTES + TAG;

/// What a datagram is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Call = 1,
    Answer = 2,
    Message = 3,
    OtherKey = 4,
}

/// What the seal let through, and what not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seals {
    /// Messages that came under a good seal.
    pub sealed: u64,
    /// Datagrams without a good seal: changed, of another key or line, or nothing of ours.
    pub rejected: u64,
    /// Datagrams that had come before, or so long ago that nobody can tell.
    pub replayed: u64,
}

impl Seals {
    /// By name.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("sealed", self.sealed), ("rejected", self.rejected), ("replayed", self.replayed)]
    }
}

/// The head of a datagram.
fn head(kind: Kind, line: u64, number: u64) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4] = VERSION;
    bytes[5] = kind as u8;
    bytes[8..16].copy_from_slice(&line.to_le_bytes());
    bytes[16..].copy_from_slice(&number.to_le_bytes());
    bytes
}

/// Kind, line, number and rest of a datagram, if it is one. Nothing in it is believed yet.
fn split(bytes: &[u8]) -> Option<(Kind, u64, u64, &[u8])> {
    let (first, rest) = bytes.split_first_chunk::<HEAD>()?;
    let word = |at: usize| first[at..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
    let (kind, most) = match first[5] {
        1 => (Kind::Call, HANDSHAKE),
        2 => (Kind::Answer, HANDSHAKE),
        3 => (Kind::Message, MOST_BYTES + TAG),
        4 => (Kind::OtherKey, 0),
        _ => return None,
    };
    let (line, number) = (word(8), word(16));
    let fits = if kind == Kind::Message { (TAG..=most).contains(&rest.len()) } else { rest.len() == most };
    // The head is what this side would have written: no bit of it is without a meaning.
    (fits && *first == head(kind, line, number)).then_some((kind, line, number, rest))
}

/// One side of a line that is being opened. That it is this line of this version is under the seal, too.
fn handshake(key: &Key, line: u64, calls: bool) -> Result<HandshakeState, snow::Error> {
    let params: NoiseParams = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s".parse()?;
    let prologue = head(Kind::Call, line, 0);
    let builder = Builder::new(params).prologue(&prologue)?.psk(0, key.bytes())?;
    if calls { builder.build_initiator() } else { builder.build_responder() }
}
