//! The side that answers calls, without input and output.
//!
//! A call alone proves little: somebody may have recorded it. So it gets a line and nothing else; only messages under the seal
//! of a line reach the specimen, and no call ever takes the line away from whoever has the session.

use super::line::Line;
use super::{CALL, HEAD, Key, Kind, MOST_DATAGRAM, Seals, handshake, head, split};
use crate::codec::{Content, Letter, Stamp, decode};
use crate::layout::{Kind as Plain, Refused};

/// Most lines at a time: the session, and some who may ask for it.
const LINES: usize = 4;

/// Between two calls that are answered, ns. An answer costs a tenth of a millisecond: a flood of recorded calls must not
/// hold the loop. Who is not answered calls again after 50 ms.
const BETWEEN: u64 = 20_000_000;

/// What is to be done about a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// Send [`Porter::outgoing`] to whoever sent it.
    Answer,
    /// A message of so many bytes.
    Message(usize),
}

/// A line, and how it was opened.
struct Guest {
    line: Line,
    call: [u8; CALL],
    answer: [u8; CALL],
}

/// A controller that takes messages of those who have its key.
pub struct Porter {
    key: Key,
    guests: Vec<Guest>,
    /// Line of the last message, and of the session.
    last: Option<u64>,
    session: Option<u64>,
    answered_ns: Option<u64>,
    outgoing: [u8; MOST_DATAGRAM],
    length: usize,
    seals: Seals,
}

impl Porter {
    /// For those who have this key.
    pub fn new(key: Key) -> Self {
        let guests = Vec::with_capacity(LINES);
        let (last, session, answered_ns) = (None, None, None);
        Porter {
            key,
            guests,
            last,
            session,
            answered_ns,
            outgoing: [0; MOST_DATAGRAM],
            length: 0,
            seals: Seals::default(),
        }
    }

    /// What was counted.
    pub fn seals(&self) -> &Seals {
        &self.seals
    }

    /// What is to be sent.
    pub fn outgoing(&self) -> &[u8] {
        &self.outgoing[..self.length]
    }

    /// Whoever sent the last message has the session.
    pub fn adopt(&mut self) {
        self.session = self.last;
    }

    /// Seals a message for whoever sent the last one; empty if nobody did.
    pub fn answer(&mut self, message: &[u8]) -> &[u8] {
        self.seal(self.last, message)
    }

    /// Seals a message for whoever has the session; empty if nobody has.
    pub fn send(&mut self, message: &[u8]) -> &[u8] {
        self.seal(self.session, message)
    }

    fn seal(&mut self, line: Option<u64>, message: &[u8]) -> &[u8] {
        let guest = self.guests.iter().find(|g| Some(g.line.id()) == line);
        self.length = guest.map_or(0, |g| g.line.sealer().seal(message, &mut self.outgoing));
        self.outgoing()
    }

    /// Takes a datagram; a message is then in `out`.
    pub fn hear(&mut self, now_ns: u64, datagram: &[u8], out: &mut [u8]) -> Asked {
        let guest = |guests: &mut Vec<Guest>, id| guests.iter().position(|g| g.line.id() == id);
        match split(datagram) {
            Some((Kind::Call, id, 0, body)) => match guest(&mut self.guests, id) {
                // The answer was lost.
                Some(i) if self.guests[i].call == *datagram => {
                    let answer = self.guests[i].answer;
                    self.put(&answer)
                }
                Some(_) => self.reject(),
                None => self.called(now_ns, id, body, datagram),
            },
            Some((Kind::Message, id, number, body)) => {
                let Some(i) = guest(&mut self.guests, id) else { return self.reject() };
                let opened = self.guests[i].line.open(number, body, out, &mut self.seals);
                let Some(n) = opened else { return Asked::Nothing };
                self.last = Some(id);
                Asked::Message(n)
            }
            Some(_) => self.reject(),
            None => self.turn_away(now_ns, datagram),
        }
    }

    fn called(&mut self, now_ns: u64, id: u64, body: &[u8], datagram: &[u8]) -> Asked {
        let Ok(mut state) = handshake(&self.key, id, false) else { return self.reject() };
        if state.read_message(body, &mut []).is_err() {
            self.reject();
            return self.put(&head(Kind::OtherKey, id, 0));
        }
        if self.answered_ns.is_some_and(|before| now_ns.saturating_sub(before) < BETWEEN) {
            return self.reject();
        }
        let (mut call, mut answer) = ([0; CALL], [0; CALL]);
        call.copy_from_slice(datagram);
        answer[..HEAD].copy_from_slice(&head(Kind::Answer, id, 0));
        let opened = state.write_message(&[], &mut answer[HEAD..]).and_then(|_| state.into_stateless_transport_mode());
        let Ok(state) = opened else { return self.reject() };
        self.answered_ns = Some(now_ns);
        self.make_room();
        self.guests.push(Guest { line: Line::new(id, state), call, answer });
        self.put(&answer)
    }

    /// Who only called goes first, then who called first; never the session.
    fn make_room(&mut self) {
        if self.guests.len() < LINES {
            return;
        }
        let free = |g: &Guest| Some(g.line.id()) != self.session;
        let silent = self.guests.iter().position(|g| free(g) && !g.line.is_confirmed());
        if let Some(i) = silent.or_else(|| self.guests.iter().position(free)) {
            self.guests.remove(i);
        }
    }

    /// A test without a key is told so; anything else is nobody's business.
    fn turn_away(&mut self, now_ns: u64, datagram: &[u8]) -> Asked {
        self.reject();
        match decode(datagram) {
            Ok((Stamp { session, .. }, Content::Hello(_))) => {
                let stamp = Stamp { session, sequence: 0, time_ns: now_ns };
                let mut letter = Letter::default();
                let refusal = letter.short(Plain::Refusal, stamp, Refused::Sealed as u32);
                self.put(refusal)
            }
            _ => Asked::Nothing,
        }
    }

    fn reject(&mut self) -> Asked {
        self.seals.rejected += 1;
        Asked::Nothing
    }

    fn put(&mut self, bytes: &[u8]) -> Asked {
        self.outgoing[..bytes.len()].copy_from_slice(bytes);
        self.length = bytes.len();
        Asked::Answer
    }
}
