//! A console with viewers as they come: with and without the key, forged, malformed, slow, flooding, gone.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use interfield_console::mcap::McapFile;
use interfield_console::udp::UdpJson;
use interfield_console::{
    Column, Command, Console, Desk, Ends, Event, Extras, Feed, Hub, Kind, Level, Loop, RunDesk, Serving, Start, Status,
    Topic,
};
use interfield_lab::controller::{Said, Word};
use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// Longest time that anything here waits for: a machine may be busy.
const LONG: Duration = Duration::from_secs(60);

/// A desk that writes down what it was told.
#[derive(Default)]
struct Told(Mutex<Vec<(String, Command)>>);

impl Desk for Told {
    fn status(&self) -> Status {
        let can = vec!["pause", "abort", "note"];
        Status {
            word: "running".into(),
            level: Level::Quiet,
            detail: String::new(),
            can,
            t: 1.5,
            scale: 1.0,
            over: false,
        }
    }

    fn command(&self, who: &str, command: &Command) -> Result<String, String> {
        self.0.lock().unwrap().push((who.to_owned(), command.clone()));
        Ok("holding".to_owned())
    }
}

fn topic() -> Topic {
    let columns = vec![Column::new("t", "s", 1.0), Column::new("x", "mm", 1e3)];
    Topic { name: "run".into(), columns, time: 0, rig: false, open: true }
}

struct Test {
    hub: Hub,
    told: Arc<Told>,
    console: Console,
    feed: Feed,
}

fn console() -> Test {
    let hub = Hub::new(json!({ "title": "a test" }));
    let told = Arc::new(Told::default());
    hub.commanded_by(told.clone());
    let feed = hub.topic(topic(), 1024);
    let extras = Extras { prometheus: true, mcap: true, cameras: Vec::new() };
    let address = "127.0.0.1:0".parse().unwrap();
    let console = Console::serve(&hub, Serving { address, tunnel: false, extras, pictures: None }).unwrap();
    Test { hub, told, console, feed }
}

fn show(feed: &mut Feed, t: f64, x: f64) {
    feed.row().copy_from_slice(&[t, x]);
    feed.send();
}

/// One request, and the whole answer.
fn request(address: SocketAddr, head: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A server that closes early has said what it has to say.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(address: SocketAddr, path: &str) -> String {
    request(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}

fn upgrade(address: SocketAddr, more: &str) -> String {
    format!(
        "GET /live HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
    )
}

/// A viewer.
struct Viewer {
    socket: WebSocket<TcpStream>,
    shown: u64,
}

impl Viewer {
    fn new(address: SocketAddr) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.write_all(upgrade(address, "").as_bytes()).unwrap();
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Viewer { socket: WebSocket::from_raw_socket(stream, Role::Client, None), shown: 0 }
    }

    fn say(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next message that has this key; rows are acknowledged and given as `rows`.
    fn hear(&mut self, key: &str) -> Option<Value> {
        let begun = Instant::now();
        while begun.elapsed() < LONG {
            let said = match self.socket.read().ok()? {
                Message::Text(text) => serde_json::from_str::<Value>(&text).unwrap(),
                Message::Binary(bytes) => {
                    self.shown += 1;
                    let shown = self.shown;
                    self.say(&json!({ "ack": shown }));
                    let numbers: Vec<f64> =
                        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
                    json!({ "rows": numbers })
                }
                Message::Close(_) => return None,
                _ => continue,
            };
            if let Some(found) = said.get(key) {
                return Some(found.clone());
            }
        }
        panic!("nothing was said of `{key}`");
    }

    fn command(&mut self, message: &Value) -> Value {
        self.say(message);
        self.hear("answer").unwrap()
    }
}

#[test]
fn a_viewer_sees_the_test_and_cannot_command_it() {
    let mut test = console();
    let address = test.console.address();
    show(&mut test.feed, 1.0, 0.25);
    let mut viewer = Viewer::new(address);
    let about = viewer.hear("about").unwrap();
    assert_eq!(about["title"], "a test");
    assert_eq!(about["topics"][0]["columns"][1], json!({ "name": "x", "unit": "mm" }));
    assert_eq!(viewer.hear("status").unwrap()["word"], "running");
    let rows = viewer.hear("rows").unwrap();
    assert_eq!(rows.as_array().unwrap()[2..], [json!(0.0), json!(2.0), json!(1.0), json!(1.0), json!(250.0)]);
    // Forged: every command, with a key that is none, as one who claims to hold the desk.
    for name in ["arm", "start", "pause", "resume", "stop", "abort", "note", "scale", "seek"] {
        let forged = json!({ "do": name, "id": 7, "text": "x", "value": 2.0, "who": "operator", "operator": true });
        let answer = viewer.command(&forged);
        assert_eq!((&answer["ok"], &answer["id"]), (&json!(false), &json!(7)), "{name}: {answer}");
    }
    assert_eq!(viewer.command(&json!({ "layout": { "panels": [] }, "id": 1 }))["ok"], false);
    viewer.say(&json!({ "key": "0123456789abcdef0123456789abcdef", "who": "mallory" }));
    assert_eq!(viewer.hear("desk").unwrap(), "viewer");
    assert_eq!(viewer.command(&json!({ "do": "abort", "id": 8 }))["ok"], false);
    assert!(test.told.0.lock().unwrap().is_empty(), "something reached the desk");
    // Who goes on guessing is sent away.
    viewer.say(&json!({ "key": "", "who": "mallory" }));
    viewer.say(&json!({ "key": "x", "who": "mallory" }));
    assert_eq!(viewer.hear("refused").unwrap(), "wrong key");
    assert!(viewer.hear("status").is_none());
}

#[test]
fn one_holder_of_the_key_commands_and_anyone_with_it_can_stop() {
    let test = console();
    let (address, key) = (test.console.address(), test.console.keys().operator.clone());
    let (mut first, mut second) = (Viewer::new(address), Viewer::new(address));
    first.say(&json!({ "key": key, "who": "Ada" }));
    assert_eq!(first.hear("desk").unwrap(), "operator");
    assert_eq!(first.command(&json!({ "do": "pause", "id": 1 })), json!({ "id": 1, "ok": true, "text": "holding" }));
    second.say(&json!({ "key": key, "who": "Grace" }));
    assert_eq!(second.hear("desk").unwrap(), "viewer");
    assert_eq!(second.command(&json!({ "do": "pause", "id": 2 }))["ok"], false);
    assert_eq!(second.command(&json!({ "do": "abort", "id": 3 }))["ok"], true);
    second.say(&json!({ "key": key, "who": "Grace", "take": true }));
    assert_eq!(second.hear("desk").unwrap(), "operator");
    assert_eq!(first.command(&json!({ "do": "resume", "id": 4 }))["ok"], false);
    assert_eq!(second.command(&json!({ "do": "note", "text": " crack ", "id": 5 }))["ok"], true);
    for bad in [json!({ "do": "note", "text": "" }), json!({ "do": "scale", "value": -1.0 }), json!({ "do": "dance" })]
    {
        assert_eq!(second.command(&bad)["ok"], false, "{bad}");
    }
    let said = |who: &str, command: Command| (who.to_owned(), command);
    assert_eq!(
        *test.told.0.lock().unwrap(),
        [said("Ada", Command::Pause), said("Grace", Command::Abort), said("Grace", Command::Note("crack".into()))]
    );
    // A browser that dies leaves the desk to others.
    drop(second);
    let begun = Instant::now();
    loop {
        first.say(&json!({ "key": key, "who": "Ada" }));
        if first.hear("desk").unwrap() == "operator" {
            break;
        }
        assert!(begun.elapsed() < LONG);
    }
}

/// A loop that never comes, and what it was told.
#[derive(Clone, Default)]
struct Absent(Arc<Mutex<Vec<String>>>);

impl Loop for Absent {
    fn say(&self, who: &str, word: &Word) -> Result<String, String> {
        self.keep(&format!("{who}: {word:?}"));
        Ok(String::new())
    }

    fn is_heard(&self) -> bool {
        false
    }

    fn said(&self) -> Vec<Said> {
        Vec::new()
    }

    fn t(&self) -> f64 {
        0.0
    }

    fn ends(&self) -> Ends {
        Ends::Starts
    }

    fn keep(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

#[test]
fn an_emergency_stop_is_taken_while_the_test_starts_and_waits_for_no_other_command() {
    let hub = Hub::new(json!({}));
    let absent = Absent::default();
    let desk = RunDesk::new(&hub, Box::new(absent.clone()), false, 1.0, vec!["damper".into()]);
    hub.commanded_by(desk.clone());
    let address = "127.0.0.1:0".parse().unwrap();
    let serving = Serving { address, tunnel: false, extras: Extras::default(), pictures: None };
    let console = Console::serve(&hub, serving).unwrap();
    let mut operator = Viewer::new(console.address());
    operator.say(&json!({ "key": console.keys().operator, "who": "Ada" }));
    assert_eq!(operator.hear("desk").unwrap(), "operator");
    assert_eq!(operator.command(&json!({ "do": "arm", "text": "", "id": 1 }))["ok"], false, "what moves is typed");
    assert_eq!(operator.command(&json!({ "do": "arm", "text": "damper", "id": 2 }))["ok"], true);
    // The loop never acknowledges the start: the answer to it comes late, and that to the emergency stop before it.
    operator.say(&json!({ "do": "start", "id": 3 }));
    assert_eq!(desk.wait(), Start::Confirmed("damper".into()));
    assert!(desk.status().word == "starting" && desk.status().can.contains(&"abort"));
    let answer = operator.command(&json!({ "do": "abort", "id": 4 }));
    assert_eq!((&answer["id"], &answer["ok"]), (&json!(4), &json!(true)), "{answer}");
    assert!(absent.0.lock().unwrap().contains(&"Ada: Abort".to_owned()));
    let late = operator.hear("answer").unwrap();
    assert_eq!((&late["id"], &late["ok"]), (&json!(3), &json!(false)));
}

#[test]
fn a_test_that_was_not_started_is_called_off() {
    let hub = Hub::new(json!({}));
    let absent = Absent::default();
    let desk = RunDesk::new(&hub, Box::new(absent.clone()), true, 1.0, Vec::new());
    desk.command("Ada", &Command::Arm(String::new())).unwrap();
    assert!(desk.command("Ada", &Command::Scale(2.0)).is_err(), "no rig is there to be slowed down");
    desk.command("Ada", &Command::Abort).unwrap();
    assert_eq!(desk.wait(), Start::CalledOff);
    assert!(desk.command("Ada", &Command::Start).is_err() && desk.status().over);
}

#[test]
fn pages_of_others_and_other_machines_are_refused() {
    let test = console();
    let address = test.console.address();
    assert!(get(address, "/").contains("<title>Interfield console</title>"));
    assert!(get(address, "/console.js").starts_with("HTTP/1.1 200"));
    assert!(get(address, "/no").starts_with("HTTP/1.1 404"));
    assert!(request(address, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 421"));
    assert!(request(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421"));
    assert!(request(address, &format!("POST / HTTP/1.1\r\nHost: {address}\r\n\r\n")).starts_with("HTTP/1.1 405"));
    assert!(request(address, &upgrade(address, "Origin: http://evil.example\r\n")).starts_with("HTTP/1.1 403"));
    assert!(get(address, "/live").starts_with("HTTP/1.1 400"));
    assert!(request(address, "\x16\x03\x01 nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    let long = "x".repeat(20_000);
    let answer = request(address, &format!("GET / HTTP/1.1\r\nHost: {address}\r\nA: {long}\r\n"));
    // What is still in the ring of the system when it closes may take the answer with it.
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let beyond =
        Serving { address: "0.0.0.0:0".parse().unwrap(), tunnel: false, extras: Extras::default(), pictures: None };
    assert!(Console::serve(&test.hub, beyond.clone()).is_err());
    let tunnel = Console::serve(&Hub::new(json!({})), Serving { tunnel: true, ..beyond }).unwrap();
    assert!(tunnel.keys().viewer.is_some() && tunnel.page().contains("#view="));
}

#[test]
fn beyond_this_machine_nobody_looks_without_a_key() {
    let hub = Hub::new(json!({ "title": "secret" }));
    let serving =
        Serving { address: "0.0.0.0:0".parse().unwrap(), tunnel: true, extras: Extras::default(), pictures: None };
    let console = Console::serve(&hub, serving).unwrap();
    let address: SocketAddr = ([127, 0, 0, 1], console.address().port()).into();
    let mut viewer = Viewer::new(address);
    viewer.say(&json!({ "ping": 1.0 }));
    // The first thing it hears is the answer, not the test.
    let first = viewer.socket.read().unwrap();
    assert!(first.to_text().unwrap().contains("pong"), "{first}");
    viewer.say(&json!({ "view": console.keys().viewer.clone().unwrap() }));
    assert_eq!(viewer.hear("about").unwrap()["title"], "secret");
}

/// What hostile clients do, one after the other and at once; bounded here, for as long as wanted by `INTERFIELD_CONSOLE_SECONDS`.
#[test]
fn the_server_survives_malformed_slow_and_flooding_clients() {
    let mut test = console();
    let address = test.console.address();
    let seconds = std::env::var("INTERFIELD_CONSOLE_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2.0);
    let begun = Instant::now();
    let mut frozen: Vec<Viewer> = Vec::new();
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    let (mut round, mut dropped) = (0u64, 0);
    while begun.elapsed().as_secs_f64() < seconds || round < 24 {
        round += 1;
        (0..64).for_each(|i| show(&mut test.feed, round as f64, f64::from(i)));
        dropped = test.feed.dropped();
        match round % 6 {
            // Bytes that are nothing.
            0 => {
                if let Ok(mut stream) = TcpStream::connect(address) {
                    let bytes: Vec<u8> = (0..random() % 4000).map(|_| random() as u8).collect();
                    let _ = stream.write_all(&bytes);
                }
            }
            // A head that never ends.
            1 => {
                if let Ok(mut stream) = TcpStream::connect(address) {
                    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
                }
            }
            // Frames of a WebSocket that are none.
            2 => {
                let mut viewer = Viewer::new(address);
                let bytes: Vec<u8> = (0..random() % 600).map(|_| random() as u8).collect();
                let _ = viewer.socket.get_mut().write_all(&bytes);
            }
            // JSON that is none, too long, or too much.
            3 => {
                let mut viewer = Viewer::new(address);
                let text = ["{", "[]", "null", "{\"ack\":1e400}", "\u{0}"][random() % 5].to_owned();
                let _ = viewer.socket.send(Message::text(text));
                let _ = viewer.socket.send(Message::text("x".repeat(40_000)));
            }
            4 => {
                let mut viewer = Viewer::new(address);
                let mut sent = 0;
                while viewer.socket.send(Message::text("{\"ping\":1}")).is_ok() && sent < 2000 {
                    sent += 1;
                }
                assert!(sent <= 2000);
            }
            // A tab that is frozen: it never reads.
            _ if frozen.len() < 8 => frozen.push(Viewer::new(address)),
            _ => {}
        }
    }
    // The loop lost nothing by it that the ring could hold, and a viewer as viewers are sees the newest row.
    let mut viewer = Viewer::new(address);
    show(&mut test.feed, 1e6, 0.5);
    let seen = Instant::now();
    loop {
        let rows = viewer.hear("rows").unwrap();
        if rows.as_array().unwrap().last() == Some(&json!(500.0)) {
            break;
        }
        assert!(seen.elapsed() < LONG);
    }
    println!("{round} rounds in {:.1} s, {dropped} rows dropped", begun.elapsed().as_secs_f64());
    let began = Instant::now();
    test.console.end();
    assert!(began.elapsed() < LONG, "frozen viewers do not keep the end of a test up");
}

#[test]
fn the_stream_leaves_in_open_formats() {
    let folder = std::env::temp_dir().join(format!("interfield-console-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("stream.mcap");
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(LONG)).unwrap();
    let mut test = console();
    test.hub.outlet(Box::new(McapFile::create(&path).unwrap()));
    assert!(McapFile::create(&path).is_err(), "a file that is there is not replaced");
    test.hub.outlet(Box::new(UdpJson::new(receiver.local_addr().unwrap()).unwrap()));
    show(&mut test.feed, 2.0, 0.004);
    test.hub.event(Event::now(Kind::Note, 2.0, "crack").by("Ada"));
    let mut datagram = [0; 2000];
    let (length, _) = receiver.recv_from(&mut datagram).unwrap();
    let row: Value = serde_json::from_slice(&datagram[..length]).unwrap();
    assert_eq!(row["run"], json!({ "t": 2.0, "x": 4.0 }));
    assert!(row["timestamp"].as_f64().unwrap() > 1.7e9);
    let metrics = get(test.console.address(), "/metrics");
    for line in [
        "interfield_test_state{state=\"running\"} 1",
        "interfield_model_time_seconds 1.5",
        "interfield_console_viewers 0",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    test.console.end();
    let bytes = std::fs::read(&path).unwrap();
    let magic = b"\x89MCAP0\r\n";
    assert!(bytes.starts_with(magic) && bytes.ends_with(magic));
    assert!(String::from_utf8_lossy(&bytes).contains("{\"t\":2.0,\"x\":4.0}"));
    std::fs::remove_dir_all(&folder).unwrap();
}
