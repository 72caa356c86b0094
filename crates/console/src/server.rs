//! The server: a thread that empties the rings, a thread that takes connections, and one for each viewer; all give way to every other thread.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tungstenite::handshake::derive_accept_key;

use crate::access::{Keys, is_for, is_from};
use crate::http::{self, Bad, Request};
use crate::hub::{Hub, lock};
use crate::{assets, camera, mcap, prometheus, viewer};

/// How often the rings are emptied.
const TURN: Duration = Duration::from_millis(10);
/// Every how manyth time the state of the test is told.
const STATUS: u64 = 10;
/// Most connections at once. Whoever comes then takes the place of another one, see [`Door`].
const CONNECTIONS: usize = 48;
/// How long a new connection waits in a crowd until those who were sent away have left.
const CROWD: Duration = Duration::from_millis(500);
/// Longest time that those who are connected may take to leave when the console ends.
const LEAVING: Duration = Duration::from_secs(10);

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
    /// Whether others look from elsewhere, through an encrypted tunnel; they need a key. Without one no address beyond this machine is served.
    pub tunnel: bool,
    /// Besides the page.
    pub extras: Extras,
    /// Where pictures of cameras are kept with the results.
    pub pictures: Option<PathBuf>,
    /// The core that a loop in real time has for itself: what the network costs is not spent there.
    pub keep_off: Option<usize>,
}

/// A console that is served; dropped, it ends when whoever looks has seen its end.
pub struct Console {
    server: Arc<Server>,
    threads: Vec<JoinHandle<()>>,
}

struct Server {
    hub: Hub,
    keys: Keys,
    address: SocketAddr,
    extras: Extras,
    over: AtomicBool,
    /// Everything that was in the rings when it was over can be shown.
    shown: AtomicBool,
    door: Door,
    connections: AtomicUsize,
    viewers: AtomicU64,
}

/// Who is connected. When all places are taken, whoever has not even asked for a page leaves first, then the viewer that is there longest; whoever
/// has shown the operator's key stays. So neither idle connections nor a crowd of viewers keep the operator out.
#[derive(Default)]
struct Door(Mutex<Vec<Arc<Guest>>>);

struct Guest {
    stream: TcpStream,
    rank: AtomicU8,
}

impl Door {
    /// Lets a connection in; `None` where everybody who is there stays.
    fn enter(&self, stream: &TcpStream) -> Option<Arc<Guest>> {
        let mut guests = lock(&self.0);
        if guests.len() >= CONNECTIONS {
            let ranks = guests.iter().map(|g| g.rank.load(Ordering::Acquire)).enumerate();
            // The first of the lowest rank: those who came first stand first.
            let (first, _) = ranks.filter(|r| r.1 < viewer::COMMANDS).min_by_key(|r| r.1)?;
            // Its thread finds the connection closed, and ends.
            let _ = guests.remove(first).stream.shutdown(Shutdown::Both);
        }
        let guest = Arc::new(Guest { stream: stream.try_clone().ok()?, rank: AtomicU8::new(0) });
        guests.push(guest.clone());
        Some(guest)
    }

    /// Sends away whoever has not asked for anything that goes on.
    fn close(&self) {
        let idle = |g: &&Arc<Guest>| g.rank.load(Ordering::Acquire) < viewer::LOOKS;
        // One that is gone already needs not be sent away.
        lock(&self.0).iter().filter(idle).for_each(|g| drop(g.stream.shutdown(Shutdown::Both)));
    }

    fn leave(&self, guest: &Arc<Guest>) {
        lock(&self.0).retain(|g| !Arc::ptr_eq(g, guest));
    }
}

impl Server {
    /// Whether there is room for one more. Those who were sent away may need a moment to leave: whoever comes in a crowd waits for that.
    fn has_room(&self) -> bool {
        let begun = Instant::now();
        while self.connections.load(Ordering::Acquire) >= 2 * CONNECTIONS {
            if begun.elapsed() > CROWD {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Console {
    /// Serves a hub.
    ///
    /// # Errors
    /// A sentence: an address that may not be used, or cannot.
    pub fn serve(hub: &Hub, serving: Serving) -> Result<Self, String> {
        let Serving { address, tunnel, extras, pictures, keep_off } = serving;
        if !address.ip().is_loopback() && !tunnel {
            return Err(format!("{address} can be reached from other machines, and the console does not encrypt"));
        }
        if address.ip().is_unspecified() {
            return Err(format!(
                "{address} is every network of this machine, and the console does not encrypt: give the address of the tunnel alone"
            ));
        }
        let keys = Keys::new(tunnel)?;
        let listener =
            TcpListener::bind(address).map_err(|e| format!("the console cannot listen at {address}: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let server = Arc::new(Server {
            hub: hub.clone(),
            keys,
            address,
            extras,
            over: AtomicBool::new(false),
            shown: AtomicBool::new(false),
            door: Door::default(),
            connections: AtomicUsize::new(0),
            viewers: AtomicU64::new(0),
        });
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            let run = move || {
                give_way(keep_off);
                run();
            };
            thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|e| e.to_string())
        };
        let pumped = server.clone();
        let pump = move || {
            let mut turns = 0u64;
            while !pumped.over.load(Ordering::Acquire) {
                pumped.hub.turn(turns.is_multiple_of(STATUS));
                turns += 1;
                thread::sleep(TURN);
            }
            pumped.hub.end();
            pumped.shown.store(true, Ordering::Release);
        };
        let mut threads = vec![spawn("interfield-console", Box::new(pump))?];
        let door = server.clone();
        threads.push(spawn("interfield-console-door", Box::new(move || accept(&door, &listener)))?);
        for (number, source) in server.extras.cameras.iter().cloned().enumerate() {
            let (server, pictures) = (server.clone(), pictures.clone());
            let run = move || camera::keep(&source, number, &server.hub, pictures.as_deref(), &server.over);
            threads.push(spawn("interfield-camera", Box::new(run))?);
        }
        Ok(Console { server, threads })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Where viewers look.
    pub fn page(&self) -> String {
        let view = self.keys().viewer.as_ref().map_or_else(String::new, |key| format!("#view={key}"));
        format!("http://{}/{view}", self.address())
    }

    /// Where the operator looks; whoever has this address commands.
    pub fn operator_page(&self) -> String {
        format!("http://{}/#key={}", self.address(), self.keys().operator)
    }

    /// Its keys.
    pub fn keys(&self) -> &Keys {
        &self.server.keys
    }

    /// Ends it when everything was shown to whoever looks.
    pub fn end(&mut self) {
        self.server.over.store(true, Ordering::Release);
        // The door waits for a connection: it is given one.
        let _ = TcpStream::connect_timeout(&self.address(), Duration::from_millis(200));
        for thread in self.threads.drain(..) {
            // A panic there is no reason for one here.
            let _ = thread.join();
        }
        self.server.door.close();
        // Viewers see the last state. Each says when it has; how long one that does not may take is bounded where it is served.
        let begun = Instant::now();
        while self.server.connections.load(Ordering::Acquire) > 0 && begun.elapsed() < LEAVING {
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
fn give_way(keep_off: Option<usize>) {
    #[cfg(unix)]
    {
        // Refused nowhere: a thread may always lower its priority.
        let _ = rustix::process::setpriority_process(None, 19);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let Some(core) = keep_off.filter(|c| *c < CpuSet::MAX_CPU) else { return };
        let Ok(mut cores) = sched_getaffinity(None) else { return };
        cores.unset(core);
        // Where there is no other core this one is shared.
        let _ = sched_setaffinity(None, &cores);
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
        let Some(guest) = Some(&server.door).filter(|_| server.has_room()).and_then(|door| door.enter(&stream)) else {
            http::refuse(&mut stream, "503 Service Unavailable", "too many viewers");
            continue;
        };
        server.connections.fetch_add(1, Ordering::AcqRel);
        let inside = Inside { server: server.clone(), guest };
        let run = move || meet(&inside.server, &inside.guest.rank, stream);
        // Where no thread can be had, nobody is let in.
        let _ = thread::Builder::new().name("interfield-viewer".into()).spawn(run);
    }
}

/// A connection that is inside until it ends, also by a panic.
struct Inside {
    server: Arc<Server>,
    guest: Arc<Guest>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.server.door.leave(&self.guest);
        self.server.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A connection: one request.
fn meet(server: &Server, rank: &AtomicU8, mut stream: TcpStream) {
    let request = match http::read(&mut stream) {
        Ok(request) => request,
        Err(Bad::Missing) => return,
        Err(Bad::Malformed) => return http::refuse(&mut stream, "400 Bad Request", "not a request of HTTP"),
        Err(Bad::TooLong) => {
            return http::refuse(&mut stream, "431 Request Header Fields Too Large", "the request is too long");
        }
    };
    if !is_for(request.host(), server.address) {
        let why = format!("this console has another name: open it as http://{}/", server.address);
        return http::refuse(&mut stream, "421 Misdirected Request", &why);
    }
    if request.method != "GET" {
        return http::refuse(&mut stream, "405 Method Not Allowed", "only GET is answered");
    }
    match request.path.as_str() {
        "/live" => upgrade(server, rank, &request, stream),
        "/metrics" if server.extras.prometheus && is_open(server, &request) => {
            let text = prometheus::text(&server.hub);
            let _ = http::answer(&mut stream, "200 OK", "text/plain; version=0.0.4; charset=utf-8", text.as_bytes());
        }
        "/live.mcap" if server.extras.mcap && is_open(server, &request) => {
            rank.store(viewer::LOOKS, Ordering::Release);
            mcap::stream(&server.hub, stream, &server.shown)
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
    // Cookies know no ports: that of each console has the port in its name.
    let cookies = request.header("cookie").unwrap_or_default().split(';');
    let given = cookies.filter_map(|c| c.trim().strip_prefix("view").and_then(|c| c.split_once('=')).map(|c| c.1));
    given.chain(bearer).any(|given| crate::access::same(given, key))
}

fn upgrade(server: &Server, rank: &AtomicU8, request: &Request, mut stream: TcpStream) {
    if !is_from(request.header("origin"), request.host()) {
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
    viewer::serve(number, &server.hub, &server.keys, stream, rank, &server.shown);
}
