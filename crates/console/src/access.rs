//! Who may look and who may command: keys, and requests that come from where they say.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

/// Keys of a console.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Whoever knows it may command.
    pub operator: String,
    /// Whoever knows it may look; none: everybody who reaches the console may, on this machine only.
    pub viewer: Option<String>,
}

/// Length of a key in characters, 4 bits each.
const LENGTH: usize = 32;

impl Keys {
    /// New ones from the random numbers of the system.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn new(beyond_loopback: bool) -> Result<Self, String> {
        Ok(Keys { operator: random()?, viewer: beyond_loopback.then(random).transpose()? })
    }
}

fn random() -> Result<String, String> {
    let mut bytes = [0; LENGTH / 2];
    getrandom::fill(&mut bytes).map_err(|e| format!("the system gives no random numbers: {e}"))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Whether two keys are the same, in a time that does not depend on where they differ.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let different = a.iter().zip(b).fold(0, |sum, (x, y)| sum | (x ^ y));
    std::hint::black_box(different) == 0 && a.len() == b.len()
}

/// The name in `NAME` or `NAME:PORT`, without brackets.
fn name(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(digits)).then_some(name)
}

/// Whether a request is for this console: a page of another name that was made to lead here (DNS rebinding) is refused. Ports are not
/// compared, because a tunnel may begin at another one.
pub(crate) fn is_for(host: Option<&str>, bound: SocketAddr) -> bool {
    let Some(name) = host.and_then(name) else { return false };
    let address = name.parse::<IpAddr>().ok();
    name.eq_ignore_ascii_case("localhost") || address.is_some_and(|a| a.is_loopback() || a == bound.ip())
}

/// Whether a WebSocket was opened by a page of this console: a browser always says which page that was.
pub(crate) fn is_from(origin: Option<&str>, host: Option<&str>) -> bool {
    match origin {
        None => true,
        Some(origin) => {
            let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            page.is_some() && page == host
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_console_are_answered() {
        let here: SocketAddr = "127.0.0.1:8022".parse().unwrap();
        for good in ["127.0.0.1:8022", "localhost:9999", "[::1]:8022", "LOCALHOST"] {
            assert!(is_for(Some(good), here), "{good}");
        }
        for bad in [
            "evil.example",
            "evil.example:8022",
            "127.0.0.1.evil.example",
            "192.168.1.7:8022",
            "localhost:1@evil.example",
            "localhost:",
            "[::1]evil.example",
            "::1",
            "",
        ] {
            assert!(!is_for(Some(bad), here), "{bad}");
        }
        assert!(!is_for(None, here));
        assert!(is_for(Some("10.8.0.1:8022"), "10.8.0.1:8022".parse().unwrap()));
        assert!(is_from(Some("http://127.0.0.1:8022"), Some("127.0.0.1:8022")));
        assert!(!is_from(Some("http://evil.example"), Some("127.0.0.1:8022")));
        assert!(!is_from(Some("null"), Some("127.0.0.1:8022")));
        assert!(is_from(None, Some("127.0.0.1:8022")), "a program says nothing of a page");
    }

    #[test]
    fn keys_are_long_and_differ() {
        let [a, b] = [Keys::new(false).unwrap(), Keys::new(true).unwrap()];
        assert_eq!(a.operator.len(), LENGTH);
        assert!(a.viewer.is_none() && b.viewer.is_some());
        assert!(!same(&a.operator, &b.operator) && same(&a.operator, &a.operator.clone()));
        assert!(!same(&a.operator, &a.operator[..31]) && !same("", &a.operator));
    }
}
