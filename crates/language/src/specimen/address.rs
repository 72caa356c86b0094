//! Where the controller of a specimen is.

use std::fmt;
use std::net::IpAddr;

/// An address as it is written in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `udp://HOST:PORT`: host and port, as they are resolved.
    #[allow(missing_docs)]
    Udp { host: String, port: u16 },
    /// `shm:/NAME`: the name of shared memory.
    Shared(String),
    /// `ethercat:INTERFACE`: drives and terminals on this network interface.
    Ethercat(String),
}

/// What to write where an address leaves the machine, for messages.
pub const SEALING: &str = "write key = \"FILE\", made by `interfield key new FILE` and copied to the other machine; or \
insecure = true, in a private network";

/// What to write, for messages.
pub const ADDRESSES: &str = "write \"udp://127.0.0.1:7700\" for a controller in a network, \"shm:/name\" for one on this machine, \"ethercat:eth0\" for a bus";

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
                return Err(format!(
                    "`{name}` is not a valid name of shared memory: write a slash and a name without \
                    further slashes"
                ));
            }
            return Ok(Address::Shared(name.to_owned()));
        }
        if let Some(name) = text.strip_prefix("ethercat:") {
            // As Linux has them: 15 characters, no slash, no space.
            if name.is_empty() || name.len() > 15 || name.contains(['/', ' ', ':']) {
                return Err(format!("`{name}` is not a valid name of a network interface"));
            }
            return Ok(Address::Ethercat(name.to_owned()));
        }
        Err(format!("`{text}` is not a valid address of a controller"))
    }
}

impl Address {
    /// Whether what is sent there may leave this machine. A name is believed to, unless it is `localhost`: who answers to it
    /// is decided elsewhere.
    pub fn leaves_the_machine(&self) -> bool {
        match self {
            Address::Udp { host, .. } => {
                host != "localhost" && !host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
            }
            Address::Shared(_) | Address::Ethercat(_) => false,
        }
    }
}

/// HOST:PORT, the `rest` of an address; the error is a sentence for the user.
pub(crate) fn host_and_port(text: &str, rest: &str) -> Result<(String, u16), String> {
    let Some((host, port)) = rest.rsplit_once(':') else {
        return Err(format!("the address `{text}` has no port"));
    };
    let port = port.parse().map_err(|_| {
        format!(
            "`{port}` is not a valid port: write a number from 1 to 65535 after the \
            colon"
        )
    })?;
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    if bare.is_empty() || bare.contains(['/', '@', ' ', '[', ']']) {
        return Err(format!("`{host}` in the address `{text}` is not a valid host name"));
    }
    Ok((bare.to_owned(), port))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Udp { host, port } if host.contains(':') => write!(f, "udp://[{host}]:{port}"),
            Address::Udp { host, port } => write!(f, "udp://{host}:{port}"),
            Address::Shared(name) => write!(f, "shm:{name}"),
            Address::Ethercat(interface) => write!(f, "ethercat:{interface}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_printed_as_they_were_read() {
        for text in ["udp://127.0.0.1:7700", "udp://lab-pc:1", "udp://[::1]:65535", "shm:/pier 9", "ethercat:enp3s0"] {
            assert_eq!(Address::parse(text).map(|a| a.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn only_loopback_stays_on_the_machine() {
        let leaves = |text| Address::parse(text).map(|a| a.leaves_the_machine());
        for stays in ["udp://127.0.0.1:1", "udp://127.9.9.9:1", "udp://[::1]:1", "udp://localhost:1", "shm:/pier"] {
            assert_eq!(leaves(stays), Ok(false), "{stays}");
        }
        for goes in
            ["udp://10.0.0.2:1", "udp://0.0.0.0:1", "udp://[::]:1", "udp://lab-pc:1", "udp://[::ffff:10.0.0.2]:1"]
        {
            assert_eq!(leaves(goes), Ok(true), "{goes}");
        }
        assert_eq!(leaves("udp://[::ffff:127.0.0.1]:1"), Ok(false));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("127.0.0.1:7700", "is not a valid address"),
            ("udp://127.0.0.1", "no port"),
            ("udp://h:70000", "`70000` is not a valid port"),
            ("udp://:7700", "not a valid host name"),
            ("udp://a/b:7", "not a valid host name"),
            ("shm:pier", "not a valid name of shared memory"),
            ("shm:/a/b", "not a valid name of shared memory"),
            ("shm:/", "not a valid name of shared memory"),
            ("ethercat:", "not a valid name of a network interface"),
            ("ethercat:a-very-long-name", "not a valid name of a network interface"),
        ];
        for (text, what) in cases {
            let found = Address::parse(text);
            assert!(found.as_ref().is_err_and(|e| e.contains(what)), "{text}: {found:?}");
        }
    }
}
