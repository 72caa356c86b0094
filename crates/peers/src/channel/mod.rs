//! What carries messages: TCP or UDP, never longer than until a given time.
//!
//! The programs set no timeouts, frame nothing and repeat nothing; a message is so many bytes, and both sides know how many.

mod door;
mod tcp;
mod udp;

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::time::{Duration, Instant};

use interfield_lab::partner::Trouble;

pub use door::Door;
pub use tcp::Tcp;
pub use udp::Udp;

/// A connection to a peer.
pub trait Channel: Send {
    /// Sends a message.
    ///
    /// # Errors
    /// `Late` if the peer takes nothing until then, `Gone` if it has gone.
    fn send(&mut self, bytes: &[u8], until: Instant) -> Result<(), Trouble>;

    /// Receives a message of the length of `buffer`, of which `filled` bytes are there already: `Late` keeps what has come,
    /// and may be called again.
    ///
    /// # Errors
    /// `Late`, `Gone`, or `Garbled` if a datagram has another length.
    fn receive(&mut self, buffer: &mut [u8], filled: &mut usize, until: Instant) -> Result<(), Trouble>;

    /// The machine of the peer, if that is known.
    fn machine(&self) -> Option<IpAddr>;
}

/// How messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// As a stream.
    Tcp,
    /// As datagrams.
    Udp,
}

/// Where somebody listens: `tcp://127.0.0.1:8090`, `udp://lab:8090`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerAddress {
    /// How.
    pub transport: Transport,
    /// Name or number of the machine, and the port.
    pub host: String,
}

impl FromStr for PeerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (transport, host) = match text.split_once("://") {
            Some(("tcp", host)) => (Transport::Tcp, host),
            Some(("udp", host)) => (Transport::Udp, host),
            _ => return Err(format!("`{text}` is not an address: write for example tcp://127.0.0.1:8090")),
        };
        let port = host.rsplit_once(':').filter(|(name, _)| !name.is_empty()).map(|(_, port)| port.parse::<u16>());
        match port {
            Some(Ok(_)) => Ok(PeerAddress { transport, host: host.to_owned() }),
            _ => Err(format!(
                "`{text}` has no port: write for example {}",
                PeerAddress { transport, host: "127.0.0.1:8090".into() }
            )),
        }
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = match self.transport {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
        };
        write!(f, "{transport}://{}", self.host)
    }
}

impl PeerAddress {
    /// Connects as a client, trying again as long as nobody listens and `go_on` says so, at most for `patience`.
    ///
    /// # Errors
    /// When nobody listened in time, or the host name is unknown.
    pub fn connect(&self, patience: Duration, go_on: &mut dyn FnMut() -> bool) -> io::Result<Box<dyn Channel>> {
        let until = Instant::now() + patience;
        let addresses: Vec<SocketAddr> = self.host.to_socket_addrs()?.collect();
        let mut last = io::Error::new(ErrorKind::NotFound, "the host name is unknown");
        loop {
            for address in &addresses {
                let attempt = match self.transport {
                    Transport::Tcp => Tcp::connect(*address, until).map(|c| Box::new(c) as Box<dyn Channel>),
                    Transport::Udp => Udp::connect(*address, until, go_on).map(|c| Box::new(c) as Box<dyn Channel>),
                };
                match attempt {
                    Ok(channel) => return Ok(channel),
                    Err(e) => last = e,
                }
            }
            // Programs listen only once their script has come to it.
            let again = matches!(last.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset);
            if !again || Instant::now() >= until || !go_on() {
                return Err(last);
            }
            std::thread::sleep(RETRY);
        }
    }
}

impl PeerAddress {
    /// The address `k` ports behind; any free port stays one. None where there are no more.
    pub fn port_behind(&self, k: usize) -> Option<PeerAddress> {
        let (name, port) = self.host.rsplit_once(':')?;
        let port: u16 = port.parse().ok()?;
        let behind = if port == 0 { 0 } else { port.checked_add(u16::try_from(k).ok()?)? };
        Some(PeerAddress { transport: self.transport, host: format!("{name}:{behind}") })
    }

    /// Whether only this machine can reach it.
    pub fn is_local(&self) -> bool {
        self.host.to_socket_addrs().is_ok_and(|mut all| all.all(|a| a.ip().is_loopback()))
    }
}

/// Between two attempts to connect.
const RETRY: Duration = Duration::from_millis(10);

/// Receives a whole message.
///
/// # Errors
/// As [`Channel::receive`]: what had come of a late message is lost with it.
pub fn receive(channel: &mut dyn Channel, buffer: &mut [u8], until: Instant) -> Result<(), Trouble> {
    channel.receive(buffer, &mut 0, until)
}

/// What is left of the time, as a timeout of a socket: those of zero mean for ever.
fn left(until: Instant) -> Result<Duration, Trouble> {
    match until.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(Trouble::Late),
        left => Ok(left.max(Duration::from_micros(1))),
    }
}

/// So long a message is looked for before the thread sleeps.
const MOMENT: Duration = Duration::from_micros(200);

/// Receives, at first without sleeping: a processor that sleeps between two messages takes as long to wake up as OpenSees
/// takes to send the next one.
fn eager<T>(nonblocking: impl Fn(bool) -> io::Result<()>, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let empty = |e: &io::Error| e.kind() == ErrorKind::WouldBlock;
    let end = Instant::now() + MOMENT;
    nonblocking(true)?;
    let came = loop {
        match attempt() {
            Err(e) if empty(&e) && Instant::now() < end => std::thread::yield_now(),
            other => break other,
        }
    };
    nonblocking(false)?;
    match came {
        Err(e) if empty(&e) => attempt(),
        came => came,
    }
}

/// What an error of a socket means; `None`: try again.
fn meaning(e: &io::Error) -> Option<Trouble> {
    match e.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => None,
        _ => Some(Trouble::Gone),
    }
}
