//! Where the controller of a specimen is.

use std::fmt;

/// An address as it is written in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `udp://HOST:PORT`: host and port, as they are resolved.
    #[allow(missing_docs)]
    Udp { host: String, port: u16 },
    /// `shm:/NAME`: the name of shared memory.
    Shared(String),
}

/// What to write, for messages.
pub const ADDRESSES: &str =
    "write \"udp://127.0.0.1:7700\" for a controller in a network, \"shm:/name\" for one on this machine";

impl Address {
    /// Reads an address; the error is a sentence for the user.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(rest) = text.strip_prefix("udp://") {
            let (host, port) = host_and_port(text, rest)?;
            return Ok(Address::Udp { host, port });
        }
        if let Some(name) = text.strip_prefix("shm:") {
            let fits = |n: &str| !n.is_empty() && n.len() <= 250 && !n.contains(['/', '\0']);
            if !name.strip_prefix('/').is_some_and(fits) {
                return Err(format!("`{name}` is no name of shared memory: a slash and a name without another one"));
            }
            return Ok(Address::Shared(name.to_owned()));
        }
        Err(format!("`{text}` is no address of a controller"))
    }
}

/// HOST:PORT, the `rest` of an address; the error is a sentence for the user.
pub(crate) fn host_and_port(text: &str, rest: &str) -> Result<(String, u16), String> {
    let Some((host, port)) = rest.rsplit_once(':') else {
        return Err(format!("the address `{text}` has no port"));
    };
    let port =
        port.parse().map_err(|_| format!("`{port}` is no port: a number from 1 to 65535 comes after the colon"))?;
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    if bare.is_empty() || bare.contains(['/', '@', ' ', '[', ']']) {
        return Err(format!("`{host}` in the address `{text}` is no name of a machine"));
    }
    Ok((bare.to_owned(), port))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Udp { host, port } if host.contains(':') => write!(f, "udp://[{host}]:{port}"),
            Address::Udp { host, port } => write!(f, "udp://{host}:{port}"),
            Address::Shared(name) => write!(f, "shm:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_printed_as_they_were_read() {
        for text in ["udp://127.0.0.1:7700", "udp://lab-pc:1", "udp://[::1]:65535", "shm:/pier 9"] {
            assert_eq!(Address::parse(text).map(|a| a.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("127.0.0.1:7700", "is no address"),
            ("udp://127.0.0.1", "no port"),
            ("udp://h:70000", "`70000` is no port"),
            ("udp://:7700", "no name of a machine"),
            ("udp://a/b:7", "no name of a machine"),
            ("shm:pier", "no name of shared memory"),
            ("shm:/a/b", "no name of shared memory"),
            ("shm:/", "no name of shared memory"),
        ];
        for (text, what) in cases {
            let found = Address::parse(text);
            assert!(found.as_ref().is_err_and(|e| e.contains(what)), "{text}: {found:?}");
        }
    }
}
