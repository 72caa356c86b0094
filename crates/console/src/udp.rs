//! The stream as JSON over UDP, a datagram for each row (several for one of very many columns), as PlotJuggler
//! reads it: `{"timestamp": s, "TOPIC": {"COLUMN": value}}`.

use std::net::{SocketAddr, UdpSocket};

use serde_json::json;

use crate::hub::{Outlet, Stamps};
use crate::mcap::row_json;
use crate::topic::{Column, Topic};

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

impl UdpJson {
    /// Sends these columns of a row; what is too long for a datagram in halves.
    fn send(&self, topic: &str, seconds: f64, columns: &[Column], row: &[f64]) {
        let text = json!({ "timestamp": seconds, topic: row_json(columns, row) }).to_string();
        if text.len() > LONGEST && columns.len() > 1 {
            let half = columns.len() / 2;
            self.send(topic, seconds, &columns[..half], &row[..half]);
            self.send(topic, seconds, &columns[half..], &row[half..]);
            return;
        }
        // Whoever listens may not be there yet.
        let _ = self.socket.send_to(text.as_bytes(), self.to);
    }
}

impl Outlet for UdpJson {
    fn rows(&mut self, _: usize, topic: &Topic, stamps: Stamps, rows: &[f64]) {
        for (i, row) in rows.chunks_exact(topic.columns.len().max(1)).enumerate() {
            self.send(&topic.name, stamps.of(i) as f64 * 1e-9, &topic.columns, row);
        }
    }
}
