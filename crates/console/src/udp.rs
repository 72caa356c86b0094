//! The stream as JSON over UDP, one datagram for each row, as PlotJuggler reads it: `{"timestamp": s, "TOPIC": {"COLUMN": value}}`.

use std::net::{SocketAddr, UdpSocket};

use serde_json::json;

use crate::hub::Outlet;
use crate::mcap::row_json;
use crate::topic::Topic;

/// Longest datagram that every system takes.
const LONGEST: usize = 60_000;

/// Sends every row that is shown; what nobody receives is lost.
pub struct UdpJson {
    socket: UdpSocket,
    to: SocketAddr,
}

impl UdpJson {
    /// To an address.
    ///
    /// # Errors
    /// A sentence.
    pub fn new(to: SocketAddr) -> Result<Self, String> {
        let from: SocketAddr = if to.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0u16; 8], 0).into() };
        let socket = UdpSocket::bind(from).and_then(|s| s.set_nonblocking(true).map(|()| s));
        Ok(UdpJson { socket: socket.map_err(|e| format!("no datagram can be sent: {e}"))?, to })
    }
}

impl Outlet for UdpJson {
    fn rows(&mut self, _: usize, topic: &Topic, stamp: u64, rows: &[f64]) {
        for row in rows.chunks_exact(topic.columns.len().max(1)) {
            let text =
                json!({ "timestamp": stamp as f64 * 1e-9, topic.name.as_str(): row_json(topic, row) }).to_string();
            if text.len() <= LONGEST {
                // Whoever listens may not be there yet.
                let _ = self.socket.send_to(text.as_bytes(), self.to);
            }
        }
    }
}
