//! Messages in a stream.
//!
//! OpenSees leaves Nagle's algorithm on and often sends two small messages in a row: the second waits until the first is
//! acknowledged, which Linux puts off by 40 ms. It is told to acknowledge at once, before every read, because it forgets.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Instant;

use interfield_lab::partner::Trouble;

use super::{Channel, eager, left, meaning};

/// A stream.
pub struct Tcp {
    stream: TcpStream,
}

impl Tcp {
    /// A stream that is connected.
    ///
    /// # Errors
    /// When the system refuses its options.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        Ok(Tcp { stream })
    }

    /// Connects as a client.
    ///
    /// # Errors
    /// When nobody listens there.
    pub fn connect(address: SocketAddr, until: Instant) -> io::Result<Self> {
        let left = left(until).map_err(|_| io::ErrorKind::TimedOut)?;
        Tcp::new(TcpStream::connect_timeout(&address, left)?)
    }

    /// Has what came so far acknowledged at once.
    fn acknowledge(&self) {
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_quickack(&self.stream, true);
    }
}

impl Channel for Tcp {
    fn send(&mut self, mut bytes: &[u8], until: Instant) -> Result<(), Trouble> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left(until)?)).map_err(|_| Trouble::Gone)?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(Trouble::Gone),
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(e) => meaning(&e).map_or(Ok(()), Err)?,
            }
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8], filled: &mut usize, until: Instant) -> Result<(), Trouble> {
        while let Some(rest) = buffer.get_mut(*filled..).filter(|r| !r.is_empty()) {
            self.stream.set_read_timeout(Some(left(until)?)).map_err(|_| Trouble::Gone)?;
            self.acknowledge();
            match eager(|on| self.stream.set_nonblocking(on), || (&self.stream).read(rest)) {
                Ok(0) => return Err(Trouble::Gone),
                Ok(n) => *filled += n,
                Err(e) => meaning(&e).map_or(Ok(()), Err)?,
            }
        }
        Ok(())
    }

    fn machine(&self) -> Option<IpAddr> {
        self.stream.peer_addr().ok().map(|a| a.ip())
    }
}
