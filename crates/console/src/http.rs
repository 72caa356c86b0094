//! The little of HTTP that a page needs: one request per connection, its head read within limits, one answer.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Most bytes of the head of a request.
const HEAD: usize = 8 * 1024;
/// Most of its lines.
const LINES: usize = 48;
/// Longest time that a head may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether that is over.
const TURN: Duration = Duration::from_millis(250);

/// The head of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without what follows a question mark.
    pub(crate) path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A line of the head by its name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The host that it is for, where it names one and no other.
    pub(crate) fn host(&self) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case("host"));
        named.next().filter(|_| named.next().is_none()).map(|(_, host)| host.as_str())
    }

    /// Whether a line of the head lists a word.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|v| v.split(',').any(|w| w.trim().eq_ignore_ascii_case(word)))
    }
}

/// Why there is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It is not HTTP.
    Malformed,
    /// It is too long.
    TooLong,
    /// It did not come, or not all of it.
    Missing,
}

/// Reads the head of a request. What comes behind it must wait for the answer, as browsers do.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Request, Bad> {
    let begun = Instant::now();
    stream.set_read_timeout(Some(TURN)).map_err(|_| Bad::Missing)?;
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    loop {
        if begun.elapsed() > PATIENCE {
            return Err(Bad::Missing);
        }
        match stream.read(&mut part) {
            Ok(0) => return Err(Bad::Missing),
            Ok(n) => head.extend_from_slice(&part[..n]),
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => continue,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(Bad::Missing),
        }
        if let Some(request) = parse(&head)? {
            return Ok(request);
        }
        if head.len() > HEAD {
            return Err(Bad::TooLong);
        }
    }
}

/// The request in these bytes; `None` if there must be more.
pub(crate) fn parse(head: &[u8]) -> Result<Option<Request>, Bad> {
    let mut lines = [httparse::EMPTY_HEADER; LINES];
    let mut parsed = httparse::Request::new(&mut lines);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Bad::TooLong),
        Err(_) => return Err(Bad::Malformed),
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let path = parsed.path.unwrap_or("/");
    Ok(Some(Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.split(['?', '#']).next().unwrap_or("/").to_owned(),
        headers: parsed.headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect(),
    }))
}

/// What a browser may do with everything that comes from here: nothing from elsewhere, and no page around it.
const GUARDED: &str = "Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n\
    X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n";

/// Answers, and that is all.
pub(crate) fn answer(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{GUARDED}\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Refuses.
pub(crate) fn refuse(stream: &mut TcpStream, status: &str, why: &str) {
    // Whoever does not wait for the answer does not get it.
    let _ = answer(stream, status, "text/plain; charset=utf-8", format!("{why}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_and_others_refused() {
        let request =
            parse(b"GET /live?x=1 HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\n\r\n").unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/live"));
        assert_eq!((request.header("HOST"), request.host()), (Some("a"), Some("a")));
        assert!(parse(b"GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n").unwrap().unwrap().host().is_none());
        assert!(request.lists("connection", "upgrade") && !request.lists("connection", "up"));
        assert!(parse(b"GET / HT").unwrap().is_none());
        assert_eq!(parse(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc").unwrap_err(), Bad::Malformed);
        let many: String = (0..100).map(|i| format!("h{i}: x\r\n")).collect();
        assert_eq!(parse(format!("GET / HTTP/1.1\r\n{many}\r\n").as_bytes()).unwrap_err(), Bad::TooLong);
    }
}
