//! Where clients come in, one at a time.
//!
//! Over TCP nobody listens while a client is served: the next one is refused by the system at once, which OpenSees says in
//! words, while a connection that is accepted and closed again makes it spin for ever. Over UDP nobody can be refused:
//! datagrams of others are dropped, unless they greet when the client has been silent for too long.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use interfield_lab::partner::Trouble;

use super::udp::{HELLO, PIECE, WELCOME, take_piece};
use super::{Channel, PeerAddress, Tcp, Transport, eager, left, meaning};
use crate::opensees::SIZES;

/// How often a closed door is looked at.
const GLANCE: Duration = Duration::from_millis(2);

/// A place where clients come in.
pub struct Door {
    address: SocketAddr,
    transport: Transport,
    way_in: WayIn,
}

enum WayIn {
    /// Closed while a client is served.
    Tcp(Option<TcpListener>),
    /// The socket, and who greeted while another client was silent.
    Udp(Arc<UdpSocket>, NextInLine),
}

type NextInLine = Arc<Mutex<Option<SocketAddr>>>;

impl Door {
    /// Listens; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address is not ours, or taken.
    pub fn open(place: &PeerAddress) -> io::Result<Self> {
        let addresses: Vec<SocketAddr> = place.host.to_socket_addrs()?.collect();
        let (way_in, address) = match place.transport {
            Transport::Tcp => {
                let listener = listen(&addresses)?;
                let address = listener.local_addr()?;
                (WayIn::Tcp(Some(listener)), address)
            }
            Transport::Udp => {
                let socket = UdpSocket::bind(addresses.as_slice())?;
                let address = socket.local_addr()?;
                (WayIn::Udp(Arc::new(socket), NextInLine::default()), address)
            }
        };
        Ok(Door { address, transport: place.transport, way_in })
    }

    /// Where it listens.
    pub fn place(&self) -> PeerAddress {
        PeerAddress { transport: self.transport, host: self.address.to_string() }
    }

    /// Waits for a client, at most until then. One that is silent for `patience` may be replaced by another, where the
    /// transport does not tell by itself that it has gone.
    ///
    /// # Errors
    /// When the address is taken by now.
    pub fn accept(&mut self, patience: Duration, until: Instant) -> io::Result<Option<Box<dyn Channel>>> {
        match &mut self.way_in {
            WayIn::Tcp(listener) => {
                let open = match listener.take() {
                    Some(open) => open,
                    None => listen(&[self.address])?,
                };
                loop {
                    match open.accept() {
                        Ok((stream, _)) => return Ok(Some(Box::new(Tcp::new(stream)?))),
                        Err(e) if e.kind() == ErrorKind::WouldBlock && Instant::now() < until => {
                            std::thread::sleep(GLANCE);
                        }
                        // Whoever came and went before it was looked at is no trouble of ours.
                        Err(_) => break,
                    }
                }
                *listener = Some(open);
                Ok(None)
            }
            WayIn::Udp(socket, next) => {
                let mut caller = Caller::new(Arc::clone(socket), Arc::clone(next), patience);
                Ok(caller.wait(until)?.then(|| Box::new(caller) as Box<dyn Channel>))
            }
        }
    }
}

fn listen(addresses: &[SocketAddr]) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(addresses)?;
    listener.set_nonblocking(true)?;
    // One may wait at the door: a second one would be let in by the system only to be cut off.
    #[cfg(target_os = "linux")]
    rustix::net::listen(&listener, 0)?;
    Ok(listener)
}

/// A client that came by UDP.
struct Caller {
    socket: Arc<UdpSocket>,
    next: NextInLine,
    patience: Duration,
    peer: Option<SocketAddr>,
    heard: Instant,
    /// A first message that came without a greeting, as OpenFresco's clients send it.
    first: Option<Vec<u8>>,
    scratch: Box<[u8; PIECE + 1]>,
}

impl Caller {
    fn new(socket: Arc<UdpSocket>, next: NextInLine, patience: Duration) -> Self {
        let scratch = Box::new([0; PIECE + 1]);
        Caller { socket, next, patience, peer: None, heard: Instant::now(), first: None, scratch }
    }

    /// Waits for somebody to begin, at most until then; whether somebody did.
    fn wait(&mut self, until: Instant) -> io::Result<bool> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(peer) = next {
            return self.welcome(peer);
        }
        while let Ok(left) = left(until) {
            self.socket.set_read_timeout(Some(left))?;
            let Ok((n, from)) = self.socket.recv_from(&mut *self.scratch) else { continue };
            match self.scratch.get(..n) {
                Some(HELLO) => return self.welcome(from),
                Some(message) if n == SIZES => {
                    self.first = Some(message.to_vec());
                    self.peer = Some(from);
                    return Ok(true);
                }
                // What is left of somebody who has gone.
                _ => {}
            }
        }
        Ok(false)
    }

    fn welcome(&mut self, peer: SocketAddr) -> io::Result<bool> {
        self.peer = Some(peer);
        self.heard = Instant::now();
        self.socket.send_to(WELCOME, peer).map(|_| true).or(Ok(false))
    }
}

impl Channel for Caller {
    fn send(&mut self, bytes: &[u8], until: Instant) -> Result<(), Trouble> {
        let peer = self.peer.ok_or(Trouble::Gone)?;
        for piece in bytes.chunks(PIECE) {
            self.socket.set_write_timeout(Some(left(until)?)).map_err(|_| Trouble::Gone)?;
            self.socket.send_to(piece, peer).map_err(|e| meaning(&e).unwrap_or(Trouble::Late))?;
        }
        self.heard = Instant::now();
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8], filled: &mut usize, until: Instant) -> Result<(), Trouble> {
        while *filled < buffer.len() {
            if let Some(first) = self.first.take() {
                take_piece(&first, buffer, filled)?;
                continue;
            }
            self.socket.set_read_timeout(Some(left(until)?)).map_err(|_| Trouble::Gone)?;
            let (socket, scratch) = (&self.socket, &mut *self.scratch);
            let (n, from) = match eager(|on| socket.set_nonblocking(on), || socket.recv_from(scratch)) {
                Ok(found) => found,
                // Linux tells here that the last answer found nobody.
                Err(e) => match meaning(&e) {
                    Some(trouble) => return Err(trouble),
                    None => continue,
                },
            };
            let datagram = self.scratch.get(..n).unwrap_or_default();
            let peer = Some(from) == self.peer;
            if datagram == HELLO && (peer || self.heard.elapsed() > self.patience) {
                // Somebody begins anew.
                *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(from);
                return Err(Trouble::Gone);
            }
            if peer {
                self.heard = Instant::now();
                take_piece(datagram, buffer, filled)?;
            }
        }
        Ok(())
    }

    fn machine(&self) -> Option<IpAddr> {
        self.peer.map(|a| a.ip())
    }
}
