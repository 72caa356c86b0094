//! The server: a thread that empties the rings, a thread that takes connections, and one for each viewer; all give way to every other thread.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tungstenite::handshake::derive_accept_key;

use crate::access::{Keys, is_for, is_from};
use crate::http::{self, Bad, Request};
use crate::hub::Hub;
use crate::{assets, camera, mcap, prometheus, viewer};

/// How often the rings are emptied.
const TURN: Duration = Duration::from_millis(20);
/// Every how manyth time the state of the test is told.
const STATUS: u64 = 5;
/// Most connections at once.
const CONNECTIONS: usize = 48;

/// What a console serves besides its page.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Health metrics at `/metrics`.
    pub prometheus: bool,
    /// The stream at `/live.mcap`.
    pub mcap: bool,
    /// Folder with pictures of cameras, or addresses of cameras.
    pub cameras: Vec<camera::Camera>,
}

/// Where and how a console is served.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Address.
    pub address: SocketAddr,
    /// Whether an address beyond this machine lies inside of an encrypted tunnel.
    pub tunnel: bool,
    /// Besides the page.
    pub extras: Extras,
    /// Where pictures of cameras are kept with the results.
    pub pictures: Option<PathBuf>,
}

/// A console that is served; dropped, it ends.
pub struct Console {
    address: SocketAddr,
    keys: Keys,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    connections: Arc<AtomicUsize>,
}

struct Server {
    hub: Hub,
    keys: Keys,
    address: SocketAddr,
    extras: Extras,
    over: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
    viewers: AtomicU64,
}

impl Console {
    /// Serves a hub.
    ///
    /// # Errors
    /// A sentence: an address that may not be used, or cannot.
    pub fn serve(hub: &Hub, serving: Serving) -> Result<Self, String> {
        let Serving { address, tunnel, extras, pictures } = serving;
        let beyond = !address.ip().is_loopback();
        if beyond && !tunnel {
            return Err(format!("{address} can be reached from other machines, and the console does not encrypt"));
        }
        let keys = Keys::new(beyond)?;
        let listener =
            TcpListener::bind(address).map_err(|e| format!("the console cannot listen at {address}: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let (over, connections) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let cameras = extras.cameras.clone();
        let server = Arc::new(Server {
            hub: hub.clone(),
            keys: keys.clone(),
            address,
            extras,
            over: over.clone(),
            connections: connections.clone(),
            viewers: AtomicU64::new(0),
        });
        let (shown, hub, ends) = (hub, hub.clone(), over.clone());
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            let run = move || {
                give_way();
                run();
            };
            thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|e| e.to_string())
        };
        let pump = move || {
            let mut turns = 0u64;
            while !ends.load(Ordering::Acquire) {
                hub.turn(turns.is_multiple_of(STATUS));
                turns += 1;
                thread::sleep(TURN);
            }
            hub.end();
        };
        let mut threads = vec![spawn("interfield-console", Box::new(pump))?];
        threads.push(spawn("interfield-console-door", Box::new(move || accept(&server, &listener)))?);
        for (number, source) in cameras.into_iter().enumerate() {
            let (over, pictures, hub) = (over.clone(), pictures.clone(), shown.clone());
            let run = move || camera::keep(&source, number, &hub, pictures.as_deref(), &over);
            threads.push(spawn("interfield-camera", Box::new(run))?);
        }
        Ok(Console { address, keys, over, threads, connections })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where viewers look.
    pub fn page(&self) -> String {
        let view = self.keys.viewer.as_ref().map_or_else(String::new, |key| format!("#view={key}"));
        format!("http://{}/{view}", self.address)
    }

    /// Where the operator looks; whoever has this address commands.
    pub fn operator_page(&self) -> String {
        format!("http://{}/#key={}", self.address, self.keys.operator)
    }

    /// Its keys.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Ends it when everything was shown to whoever looks.
    pub fn end(&mut self) {
        self.over.store(true, Ordering::Release);
        // The door waits for a connection: it is given one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_millis(200));
        for thread in self.threads.drain(..) {
            // A panic there is no reason for one here.
            let _ = thread.join();
        }
        // Viewers see the last state, and have a second for it.
        for _ in 0..50 {
            if self.connections.load(Ordering::Acquire) == 0 {
                return;
            }
            thread::sleep(TURN);
        }
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.end();
        }
    }
}

/// The calling thread gives way to all others; threads that it starts do too.
fn give_way() {
    #[cfg(unix)]
    {
        // Refused nowhere: a thread may always lower its priority.
        let _ = rustix::process::setpriority_process(None, 19);
    }
}

fn accept(server: &Arc<Server>, listener: &TcpListener) {
    for stream in listener.incoming() {
        if server.over.load(Ordering::Acquire) {
            return;
        }
        let Ok(mut stream) = stream else {
            // Out of files, perhaps: others need time to close theirs.
            thread::sleep(TURN);
            continue;
        };
        if server.connections.fetch_add(1, Ordering::AcqRel) >= CONNECTIONS {
            server.connections.fetch_sub(1, Ordering::AcqRel);
            http::refuse(&mut stream, "503 Service Unavailable", "too many viewers");
            continue;
        }
        let own = server.clone();
        let run = move || {
            let counted = Counted(own.connections.clone());
            meet(&own, stream);
            drop(counted);
        };
        if thread::Builder::new().name("interfield-viewer".into()).spawn(run).is_err() {
            server.connections.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// A connection that is counted until it ends, also by a panic.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A connection: one request.
fn meet(server: &Server, mut stream: TcpStream) {
    let request = match http::read(&mut stream) {
        Ok(request) => request,
        Err(Bad::Missing) => return,
        Err(Bad::Malformed) => return http::refuse(&mut stream, "400 Bad Request", "not a request of HTTP"),
        Err(Bad::TooLong) => {
            return http::refuse(&mut stream, "431 Request Header Fields Too Large", "the request is too long");
        }
    };
    if !is_for(request.header("host"), server.address) {
        return http::refuse(&mut stream, "421 Misdirected Request", "this console has another name");
    }
    if request.method != "GET" {
        return http::refuse(&mut stream, "405 Method Not Allowed", "only GET is answered");
    }
    match request.path.as_str() {
        "/live" => upgrade(server, &request, stream),
        "/metrics" if server.extras.prometheus => {
            let text = prometheus::text(&server.hub);
            let _ = http::answer(&mut stream, "200 OK", "text/plain; version=0.0.4; charset=utf-8", text.as_bytes());
        }
        "/live.mcap" if server.extras.mcap && is_open(server, &request) => {
            mcap::stream(&server.hub, stream, &server.over)
        }
        path if path.starts_with("/camera/") && is_open(server, &request) => {
            let number = path["/camera/".len()..].parse().ok();
            match number.and_then(|n: usize| server.extras.cameras.get(n)).and_then(camera::Camera::latest) {
                Some((kind, picture)) => {
                    let _ = http::answer(&mut stream, "200 OK", kind, &picture);
                }
                None => http::refuse(&mut stream, "404 Not Found", "no picture yet"),
            }
        }
        path => match assets::find(path) {
            Some((kind, body)) => {
                let _ = http::answer(&mut stream, "200 OK", kind, body);
            }
            None => http::refuse(&mut stream, "404 Not Found", "there is no such page"),
        },
    }
}

/// Whether a request may see the test: beyond this machine with the key of a viewer, as a line `Authorization: Bearer KEY` or a cookie.
fn is_open(server: &Server, request: &Request) -> bool {
    let Some(key) = &server.keys.viewer else { return true };
    let bearer = request.header("authorization").and_then(|v| v.strip_prefix("Bearer "));
    let cookie = request.header("cookie").and_then(|v| v.split(';').find_map(|c| c.trim().strip_prefix("view=")));
    bearer.or(cookie).is_some_and(|given| crate::access::same(given, key))
}

fn upgrade(server: &Server, request: &Request, mut stream: TcpStream) {
    if !is_from(request.header("origin"), request.header("host")) {
        return http::refuse(&mut stream, "403 Forbidden", "another page may not use this console");
    }
    let asked = request.lists("connection", "upgrade") && request.lists("upgrade", "websocket");
    let version = request.header("sec-websocket-version") == Some("13");
    let Some(key) = request.header("sec-websocket-key").filter(|_| asked && version) else {
        return http::refuse(&mut stream, "400 Bad Request", "only a WebSocket is answered here");
    };
    let accept = derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    if std::io::Write::write_all(&mut stream, head.as_bytes()).is_err() {
        return;
    }
    let number = server.viewers.fetch_add(1, Ordering::Relaxed) + 1;
    viewer::serve(number, &server.hub, &server.keys, stream, &server.over);
}
