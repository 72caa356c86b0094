//! The side that opens a line, without input and output.

use std::sync::Arc;

use snow::HandshakeState;

use super::line::{Line, Sealer};
use super::{CALL, HEAD, Key, Kind, MOST_DATAGRAM, Seals, handshake, head, split};

/// What a datagram meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Nothing.
    Nothing,
    /// The line is open.
    Line,
    /// A message of so many bytes.
    Message(usize),
    /// Somebody says that the key is another one; that is not under seal.
    OtherKey,
}

/// A test that opens a line.
pub struct Caller {
    id: u64,
    call: [u8; CALL],
    /// Until the line is open.
    handshake: Option<Box<HandshakeState>>,
    line: Option<Line>,
    seals: Seals,
}

impl Caller {
    /// Of whoever has this key.
    ///
    /// # Errors
    /// When the system gives no randomness: a sentence.
    pub fn new(key: &Key) -> Result<Self, String> {
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(|e| format!("the system provides no random numbers: {e}"))?;
        let id = u64::from_le_bytes(id);
        let mut call = [0; CALL];
        call[..HEAD].copy_from_slice(&head(Kind::Call, id, 0));
        let mut state = handshake(key, id, true).map_err(|e| e.to_string())?;
        state.write_message(&[], &mut call[HEAD..]).map_err(|e| e.to_string())?;
        Ok(Caller { id, call, handshake: Some(Box::new(state)), line: None, seals: Seals::default() })
    }

    /// What opens the line; the same again if it was lost.
    pub fn call(&self) -> &[u8] {
        &self.call
    }

    /// What was counted.
    pub fn seals(&self) -> &Seals {
        &self.seals
    }

    pub(super) fn sealer(&self) -> Option<&Arc<Sealer>> {
        self.line.as_ref().map(Line::sealer)
    }

    /// Seals a message; the length of the datagram, or `None` while there is no line.
    pub fn seal(&self, message: &[u8], out: &mut [u8; MOST_DATAGRAM]) -> Option<usize> {
        self.sealer().map(|s| s.seal(message, out))
    }

    /// Takes a datagram; a message is then in `out`.
    pub fn hear(&mut self, datagram: &[u8], out: &mut [u8]) -> Opened {
        match (split(datagram), &mut self.line) {
            (Some((Kind::Message, id, number, body)), Some(line)) if id == self.id => {
                line.open(number, body, out, &mut self.seals).map_or(Opened::Nothing, Opened::Message)
            }
            (Some((Kind::Answer, id, 0, body)), None) if id == self.id => self.answered(body),
            // The answer to a call that was sent again.
            (Some((Kind::Answer, id, 0, _)), Some(_)) if id == self.id => Opened::Nothing,
            (Some((Kind::OtherKey, id, 0, _)), None) if id == self.id => Opened::OtherKey,
            _ => {
                self.seals.rejected += 1;
                Opened::Nothing
            }
        }
    }

    fn answered(&mut self, body: &[u8]) -> Opened {
        let read = |state: &mut Box<HandshakeState>| state.read_message(body, &mut []).is_ok();
        let opened = self.handshake.take_if(read).and_then(|state| state.into_stateless_transport_mode().ok());
        match opened {
            Some(state) => {
                self.line = Some(Line::new(self.id, state));
                Opened::Line
            }
            None => {
                self.seals.rejected += 1;
                Opened::Nothing
            }
        }
    }
}
