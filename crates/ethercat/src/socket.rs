//! Frames of EtherCAT on a network interface, as they are. Needs the right to raw sockets (`CAP_NET_RAW`).

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType};

/// Type of the frames.
const ETHERTYPE: u16 = 0x88a4;

/// Longest frame, without the checksum that the interface adds.
pub(crate) const MOST_BYTES: usize = 1514;

/// A raw socket on one interface, for frames of EtherCAT only.
pub struct Socket {
    fd: OwnedFd,
}

impl Socket {
    /// Opens it.
    ///
    /// # Errors
    /// When there is no such interface, or no right to raw sockets.
    pub fn open(interface: &str) -> io::Result<Self> {
        let protocol = std::num::NonZeroU32::new(u32::from(ETHERTYPE.to_be())).map(Protocol::from_raw);
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let fd = rustix::net::socket_with(AddressFamily::PACKET, SocketType::RAW, flags, protocol)?;
        let index = rustix::net::netdevice::name_to_index(&fd, interface)?;
        bind(&fd, index)?;
        Ok(Socket { fd })
    }

    /// Sends a frame. One that finds no room is lost, as it could be on the wire.
    pub(crate) fn send(&self, frame: &[u8]) {
        let _ = rustix::net::send(&self.fd, frame, SendFlags::empty());
    }

    /// A frame that is there; its length.
    pub(crate) fn receive(&self, buffer: &mut [u8; MOST_BYTES]) -> Option<usize> {
        rustix::net::recv(&self.fd, &mut buffer[..], RecvFlags::empty()).ok().map(|(n, _)| n)
    }

    /// Waits until there may be a frame, or until then.
    pub(crate) fn wait(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos() as _ };
        let _ = poll(&mut [PollFd::new(&self.fd, PollFlags::IN)], Some(&timeout));
    }
}

/// Binds a packet socket to an interface, for which `rustix` has no address.
#[allow(unsafe_code)]
fn bind(fd: &OwnedFd, index: u32) -> io::Result<()> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: ETHERTYPE.to_be(),
        sll_ifindex: index as i32,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the address is a whole `sockaddr_ll` of the length that is told.
    let result = unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), length) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
