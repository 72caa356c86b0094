//! Where a program listens.

use std::fmt;

use crate::specimen::host_and_port;

/// An address as it is written in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Whether messages travel as datagrams (`udp://`) instead of a stream (`tcp://`).
    pub datagrams: bool,
    /// Name or number of the machine.
    pub host: String,
    /// Port.
    pub port: u16,
}

/// What to write, for messages.
pub const ENDPOINTS: &str = "write \"tcp://127.0.0.1:8095\", or \"udp://127.0.0.1:8095\" for datagrams";

impl Endpoint {
    /// Reads an address; the error is a sentence for the user.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (datagrams, rest) = match text.split_once("://") {
            Some(("tcp", rest)) => (false, rest),
            Some(("udp", rest)) => (true, rest),
            _ => return Err(format!("`{text}` is not the address of a program")),
        };
        let (host, port) = host_and_port(text, rest)?;
        if port == 0 {
            return Err("port 0 cannot be used: write the port at which the program listens".to_owned());
        }
        Ok(Endpoint { datagrams, host, port })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = if self.datagrams { "udp" } else { "tcp" };
        match self.host.contains(':') {
            true => write!(f, "{transport}://[{}]:{}", self.host, self.port),
            false => write!(f, "{transport}://{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_printed_as_they_were_read() {
        for text in ["tcp://127.0.0.1:8095", "udp://lab-pc:1", "tcp://[::1]:65535"] {
            assert_eq!(Endpoint::parse(text).map(|a| a.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("127.0.0.1:8095", "is not the address"),
            ("shm:/frame", "is not the address"),
            ("tcp://127.0.0.1", "no port"),
            ("tcp://h:70000", "`70000` is not a valid port"),
            ("tcp://h:0", "port 0"),
            ("tcp://:1", "not a valid host name"),
        ];
        for (text, what) in cases {
            let found = Endpoint::parse(text);
            assert!(found.as_ref().is_err_and(|e| e.contains(what)), "{text}: {found:?}");
        }
    }
}
