//! A console with viewers as they come: with and without the key, forged, malformed, slow, flooding, gone.

mod formats;
mod hostile;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use interfield_console::{
    Column, Command, Console, Desk, Ends, Extras, Feed, Hub, Level, Loop, RunDesk, Serving, Start, Status, Topic,
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
    let console =
        Console::serve(&hub, Serving { address, tunnel: false, extras, pictures: None, keep_off: None }).unwrap();
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
    /// Clock of the newest status that it has seen.
    clock: Option<f64>,
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
        Viewer { socket: WebSocket::from_raw_socket(stream, Role::Client, None), shown: 0, clock: None }
    }

    fn say(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next message, also in a test that was stopped and goes on; none at the end.
    fn read(&mut self) -> Option<Message> {
        loop {
            match self.socket.read() {
                Err(tungstenite::Error::Io(e)) if e.kind() == std::io::ErrorKind::Interrupted => {}
                found => return found.ok(),
            }
        }
    }

    /// The next message that has this key; rows are acknowledged and given as `rows`.
    fn hear(&mut self, key: &str) -> Option<Value> {
        let begun = Instant::now();
        while begun.elapsed() < LONG {
            let said = match self.read()? {
                Message::Text(text) => serde_json::from_str::<Value>(&text).unwrap(),
                Message::Binary(bytes) => {
                    let numbers: Vec<f64> =
                        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
                    // A connection begins with the past of the test.
                    json!({ if numbers[0] == 0.0 { "past" } else { "rows" }: numbers })
                }
                Message::Close(_) => return None,
                _ => continue,
            };
            if said.get("status").or(said.get("rows")).or(said.get("past")).is_some() {
                self.shown += 1;
                let _ = self.socket.send(Message::text(json!({ "ack": self.shown }).to_string()));
            }
            self.clock = said["status"]["clock"].as_f64().or(self.clock);
            if let Some(found) = said.get(key) {
                return Some(found.clone());
            }
        }
        panic!("nothing was said of `{key}`");
    }

    /// A command as the page gives it: with the clock of the state that it shows.
    fn give(&mut self, message: &Value) {
        let mut message = message.clone();
        if message.get("seen").is_none() {
            while self.clock.is_none() {
                self.hear("status").unwrap();
            }
            message["seen"] = json!(self.clock);
        }
        self.say(&message);
    }

    fn command(&mut self, message: &Value) -> Value {
        self.hear("status").unwrap();
        self.give(message);
        self.hear("answer").unwrap()
    }

    /// Shows the operator's key; what it is from then on.
    fn present(&mut self, key: &str, who: &str) -> Value {
        self.say(&json!({ "key": key, "who": who }));
        self.hear("desk").unwrap()
    }
}

/// Whoever opens the page late sees the whole test, however long it is.
#[test]
fn a_late_viewer_gets_the_whole_test() {
    let mut test = console();
    let mut early = Viewer::new(test.console.address());
    let mut seen = 0.0;
    // No turn is lost, because each is seen before the next.
    for turn in 1..=3000 {
        show(&mut test.feed, f64::from(turn), 0.25);
        if turn % 40 == 0 {
            while seen < f64::from(turn) {
                let rows = early.hear("rows").unwrap();
                seen = rows.as_array().unwrap().iter().rev().nth(1).unwrap().as_f64().unwrap();
            }
        }
    }
    let past = Viewer::new(test.console.address()).hear("past").unwrap();
    let past: Vec<f64> = past.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let [_, _, _, topic, columns, rows, stride] = past[..7].try_into().unwrap();
    assert!((topic, columns) == (0.0, 2.0) && (100.0..=2000.0).contains(&rows) && stride >= 1.0, "{:?}", &past[..7]);
    let times: Vec<f64> = past[7..].iter().step_by(2).copied().collect();
    assert_eq!(times.len(), rows as usize);
    assert!(times[0] <= 40.0 && *times.last().unwrap() > 2900.0 && times.is_sorted(), "{times:?}");
}

/// A page that is connected and a server that is well, and a loop that stands: that is said.
#[test]
fn how_long_a_loop_has_shown_nothing_is_said() {
    let mut test = console();
    let mut viewer = Viewer::new(test.console.address());
    let mut until = |feed: Option<&mut Feed>, wanted: fn(f64) -> bool| {
        let (begun, mut feed) = (Instant::now(), feed);
        while !wanted(viewer.hear("status").unwrap()["silent"].as_f64().unwrap()) {
            if let Some(feed) = &mut feed {
                show(feed, 1.0, 0.0);
            }
            assert!(begun.elapsed() < LONG);
        }
    };
    until(None, |silent| silent > 1.0);
    until(Some(&mut test.feed), |silent| silent < 0.5);
    until(None, |silent| silent > 1.0);
}

/// Also one whose network is so bad that it has not shown for long what it got.
#[test]
fn everybody_sees_the_end_of_a_test() {
    let mut test = console();
    let mut viewers: Vec<Viewer> = (0..3).map(|_| Viewer::new(test.console.address())).collect();
    // As many messages as may be under way, of which none is acknowledged.
    for viewer in &mut viewers {
        let mut heard = 0;
        while heard < 6 {
            match viewer.read().unwrap() {
                Message::Text(text) => heard += usize::from(text.contains("\"status\"")),
                Message::Binary(_) => heard += 1,
                _ => {}
            }
        }
    }
    show(&mut test.feed, 4711.0, 0.5);
    let end = std::thread::spawn(move || test.console.end());
    for mut viewer in viewers {
        let rows = viewer.hear("rows").unwrap();
        assert!(rows.as_array().unwrap().contains(&json!(4711.0)), "{rows}");
        assert!(viewer.hear("rows").is_none(), "it is closed then");
    }
    end.join().unwrap();
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
    assert_eq!(rows.as_array().unwrap()[3..], [json!(0.0), json!(2.0), json!(1.0), json!(1.0), json!(250.0)]);
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
        self.keep(who, &format!("{word:?}"));
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

    fn keep(&self, who: &str, what: &str) {
        self.0.lock().unwrap().push(format!("{who}: {what}"));
    }
}

#[test]
fn an_emergency_stop_is_taken_while_the_test_starts_and_waits_for_no_other_command() {
    let hub = Hub::new(json!({}));
    let absent = Absent::default();
    let desk = RunDesk::new(&hub, Box::new(absent.clone()), false, 1.0, vec!["damper".into()]);
    hub.commanded_by(desk.clone());
    let address = "127.0.0.1:0".parse().unwrap();
    let serving = Serving { address, tunnel: false, extras: Extras::default(), pictures: None, keep_off: None };
    let console = Console::serve(&hub, serving).unwrap();
    let mut operator = Viewer::new(console.address());
    operator.say(&json!({ "key": console.keys().operator, "who": "Ada" }));
    assert_eq!(operator.hear("desk").unwrap(), "operator");
    assert_eq!(operator.command(&json!({ "do": "arm", "text": "", "id": 1 }))["ok"], false, "what moves is typed");
    assert_eq!(operator.command(&json!({ "do": "arm", "text": "damper", "id": 2 }))["ok"], true);
    // The loop never acknowledges the start: the answer to it comes late, and that to the emergency stop before it.
    operator.give(&json!({ "do": "start", "id": 3 }));
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
    // An address of another machine cannot be listened at; that it may not be is said before that is tried.
    let refused = |address: &str, tunnel: bool| {
        let address = address.parse().unwrap();
        Console::serve(
            &test.hub,
            Serving { address, tunnel, extras: Extras::default(), pictures: None, keep_off: None },
        )
        .err()
    };
    for beyond in ["192.0.2.1:0", "0.0.0.0:0", "[::]:0", "[2001:db8::1]:0"] {
        let why = refused(beyond, false).unwrap();
        assert!(why.contains("does not encrypt"), "{beyond}: {why}");
    }
    for all in ["0.0.0.0:0", "[::]:0"] {
        let why = refused(all, true).unwrap();
        assert!(why.contains("every network"), "{all}: {why}");
    }
}

#[test]
fn through_a_tunnel_nobody_looks_without_a_key() {
    let hub = Hub::new(json!({ "title": "secret" }));
    let extras = Extras { prometheus: true, mcap: true, cameras: Vec::new() };
    let serving =
        Serving { address: "127.0.0.1:0".parse().unwrap(), tunnel: true, extras, pictures: None, keep_off: None };
    let console = Console::serve(&hub, serving).unwrap();
    assert!(console.page().contains("#view="));
    let address = console.address();
    for path in ["/live.mcap", "/camera/0", "/metrics"] {
        assert!(get(address, path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let key = console.keys().viewer.clone().unwrap();
    let bearer = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n");
    assert!(request(address, &bearer).contains("interfield_console_viewers"));
    let mut viewer = Viewer::new(address);
    viewer.say(&json!({ "ping": 1.0 }));
    // The first thing it hears is the answer, not the test.
    let first = viewer.read().unwrap();
    assert!(first.to_text().unwrap().contains("pong"), "{first}");
    viewer.say(&json!({ "view": key }));
    assert_eq!(viewer.hear("about").unwrap()["title"], "secret");
    // The page of the operator asks for pictures with the key of a viewer; a browser sends the cookies of all consoles of a machine.
    let mut operator = Viewer::new(address);
    operator.say(&json!({ "key": console.keys().operator, "who": "Ada" }));
    let mut told = operator.read().unwrap();
    while !told.to_text().is_ok_and(|t| t.contains("\"desk\"")) {
        told = operator.read().unwrap();
    }
    let told: Value = serde_json::from_str(told.to_text().unwrap()).unwrap();
    assert_eq!((&told["desk"], &told["view"]), (&json!("operator"), &json!(key)));
    for (cookies, seen) in [(format!("view7723=other; view7722={key}"), true), ("view7722=other".to_owned(), false)] {
        let asked = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nCookie: {cookies}\r\n\r\n");
        assert_eq!(request(address, &asked).contains("interfield_console_viewers"), seen, "{cookies}");
    }
}
