//! Messages as datagrams: `a` from the client and `b` from the server as greeting, then one datagram per message, long ones
//! cut into pieces. What is lost is lost: the programs know no repetition, and a datagram sent twice would be read twice.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use interfield_lab::partner::Trouble;

use super::{Channel, left, meaning};

/// Longest piece of a message, bytes.
pub(super) const PIECE: usize = 9126;

/// Greeting of a client, and the answer to it.
pub(super) const HELLO: &[u8] = b"a";
pub(super) const WELCOME: &[u8] = b"b";

/// How often a client that waits for the answer asks whether it should.
const GLANCE: Duration = Duration::from_millis(50);

/// The end of a client: a socket that talks to one address.
pub struct Udp {
    socket: UdpSocket,
    scratch: Box<[u8; PIECE + 1]>,
}

impl Udp {
    /// Greets the server and waits for its answer. The greeting is sent once: a second one in the queue of OpenSees would be
    /// taken for the next message.
    ///
    /// # Errors
    /// When nobody listens there, or nobody answers in time.
    pub fn connect(address: SocketAddr, until: Instant, go_on: &mut dyn FnMut() -> bool) -> io::Result<Self> {
        let any: SocketAddr = if address.is_ipv4() { ([0; 4], 0).into() } else { ([0; 16], 0).into() };
        let socket = UdpSocket::bind(any)?;
        socket.connect(address)?;
        socket.send(HELLO)?;
        socket.set_read_timeout(Some(GLANCE))?;
        let mut answer = [0; 2];
        while Instant::now() < until && go_on() {
            match socket.recv(&mut answer) {
                Ok(n) if answer.get(..n) == Some(WELCOME) => {
                    return Ok(Udp { socket, scratch: Box::new([0; PIECE + 1]) });
                }
                Ok(_) => return Err(ErrorKind::InvalidData.into()),
                Err(e) if meaning(&e).is_none() => {}
                Err(e) => return Err(e),
            }
        }
        Err(ErrorKind::TimedOut.into())
    }
}

impl Channel for Udp {
    fn send(&mut self, bytes: &[u8], until: Instant) -> Result<(), Trouble> {
        for piece in bytes.chunks(PIECE) {
            self.socket.set_write_timeout(Some(left(until)?)).map_err(|_| Trouble::Gone)?;
            self.socket.send(piece).map_err(|e| meaning(&e).unwrap_or(Trouble::Late))?;
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8], filled: &mut usize, until: Instant) -> Result<(), Trouble> {
        while *filled < buffer.len() {
            self.socket.set_read_timeout(Some(left(until)?)).map_err(|_| Trouble::Gone)?;
            match self.socket.recv(&mut *self.scratch) {
                Ok(n) => take_piece(self.scratch.get(..n).unwrap_or_default(), buffer, filled)?,
                Err(e) => meaning(&e).map_or(Ok(()), Err)?,
            }
        }
        Ok(())
    }

    fn machine(&self) -> Option<IpAddr> {
        self.socket.peer_addr().ok().map(|a| a.ip())
    }
}

/// Takes a datagram as the next piece of a message.
pub(super) fn take_piece(datagram: &[u8], buffer: &mut [u8], filled: &mut usize) -> Result<(), Trouble> {
    let rest = buffer.get_mut(*filled..).unwrap_or_default();
    let expected = rest.len().min(PIECE);
    match rest.get_mut(..datagram.len()) {
        Some(place) if datagram.len() == expected => place.copy_from_slice(datagram),
        _ => return Err(Trouble::Garbled),
    }
    *filled += expected;
    Ok(())
}
