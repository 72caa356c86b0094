//! Messages as UDP datagrams, one each.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::{Dock, Heard, Heartbeat, Link};

/// Between two heartbeats of a client.
const BEAT: Duration = Duration::from_millis(250);

/// "Port unreachable" so often in a row, without a message in between: the controller is dead.
const REFUSALS: u32 = 3;

/// A client.
pub struct UdpLink {
    socket: Arc<UdpSocket>,
    refusals: u32,
    heart: Option<Heart>,
}

impl UdpLink {
    /// A socket that talks to this address only.
    ///
    /// # Errors
    /// When the host name is unknown or the system gives no socket.
    pub fn open(address: impl ToSocketAddrs) -> io::Result<Self> {
        let mut last = io::Error::new(ErrorKind::NotFound, "the host name is unknown");
        for address in address.to_socket_addrs()? {
            let any: SocketAddr = if address.is_ipv4() { ([0; 4], 0).into() } else { ([0; 16], 0).into() };
            match UdpSocket::bind(any).and_then(|s| s.connect(address).map(|()| s)) {
                Ok(socket) => {
                    socket.set_nonblocking(true)?;
                    return Ok(UdpLink { socket: Arc::new(socket), refusals: 0, heart: None });
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// Notes an error; whether the other side is dead.
    fn is_dead(&mut self, e: &io::Error) -> bool {
        self.refusals += u32::from(e.kind() == ErrorKind::ConnectionRefused);
        self.refusals >= REFUSALS
    }
}

impl Link for UdpLink {
    fn send(&mut self, bytes: &[u8]) {
        if let Err(e) = self.socket.send(bytes) {
            // Linux tells of the last datagram that was refused when the next one is sent, which then is not.
            if !self.is_dead(&e) {
                let _ = self.socket.send(bytes);
            }
        }
    }

    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        loop {
            if self.refusals >= REFUSALS {
                self.refusals = 0;
                return Heard::Dead;
            }
            match self.socket.recv(buffer) {
                Ok(n) => {
                    self.refusals = 0;
                    return Heard::Bytes(n);
                }
                Err(e) if would_block(&e) => {}
                Err(e) => {
                    if self.is_dead(&e) {
                        continue;
                    }
                }
            }
            if !wait(&self.socket, until) {
                return Heard::Nothing;
            }
        }
    }

    fn keep_alive(&mut self, heartbeat: Heartbeat) -> io::Result<()> {
        self.heart = Some(Heart::start(Arc::clone(&self.socket), heartbeat)?);
        Ok(())
    }
}

/// A thread that sends heartbeats until it is dropped.
struct Heart {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Heart {
    fn start(socket: Arc<UdpSocket>, mut heartbeat: Heartbeat) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let beat = move || {
            let mut bytes = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                bytes.clear();
                heartbeat(&mut bytes);
                let _ = socket.send(&bytes);
                std::thread::park_timeout(BEAT);
            }
        };
        let thread = std::thread::Builder::new().name("interfield-heart".into()).spawn(beat)?;
        Ok(Heart { stop, thread: Some(thread) })
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// The controller end: whoever knows the address may call.
pub struct UdpDock {
    socket: UdpSocket,
    last: Option<SocketAddr>,
    session: Option<SocketAddr>,
}

impl UdpDock {
    /// Listens at this address; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address is not ours, or taken.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(UdpDock { socket, last: None, session: None })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

impl Dock for UdpDock {
    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        loop {
            match self.socket.recv_from(buffer) {
                Ok((n, from)) => {
                    self.last = Some(from);
                    return Heard::Bytes(n);
                }
                // That a client has gone is told by its silence.
                Err(_) if !wait(&self.socket, until) => return Heard::Nothing,
                Err(_) => {}
            }
        }
    }

    fn answer(&mut self, bytes: &[u8]) {
        if let Some(to) = self.last {
            let _ = self.socket.send_to(bytes, to);
        }
    }

    fn adopt(&mut self) {
        self.session = self.last;
    }

    fn send(&mut self, bytes: &[u8]) {
        if let Some(to) = self.session {
            let _ = self.socket.send_to(bytes, to);
        }
    }

    fn silence_is_death(&self) -> bool {
        true
    }
}

fn would_block(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Waits until there may be something to receive; `false` when the time is over. `poll` keeps microseconds, which the timeout
/// of a socket does not.
#[cfg(unix)]
fn wait(socket: &UdpSocket, until: Instant) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    let timeout = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos() as _ };
    let mut ready = [PollFd::new(socket, PollFlags::IN)];
    let _ = poll(&mut ready, Some(&timeout));
    true
}

/// Elsewhere by looking again and again.
#[cfg(not(unix))]
fn wait(_: &UdpSocket, until: Instant) -> bool {
    let left = until.saturating_duration_since(Instant::now());
    std::thread::sleep(left.min(Duration::from_micros(50)));
    !left.is_zero()
}
