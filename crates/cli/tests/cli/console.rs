//! The operator's console of every command that has one: what its page is told, who commands, what is kept, what is refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use interfield_results::Reader;
use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

use super::lab::model;
use super::{Running, interfield};

/// Long enough that only a real failure runs into it.
const LONG: Duration = Duration::from_secs(60);

/// A page as a program: where it is connected, what it heard last.
struct Page {
    socket: WebSocket<TcpStream>,
    shown: u64,
    clock: f64,
    ids: u64,
    about: Value,
}

impl Page {
    /// Connects to the address that a program printed, with the key in it.
    fn open(page: &str) -> Self {
        let (host, fragment) = page.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        write!(
            stream,
            "GET /live HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .unwrap();
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        let socket = WebSocket::from_raw_socket(stream, Role::Client, None);
        let mut page = Page { socket, shown: 0, clock: 0.0, ids: 0, about: Value::Null };
        match fragment.split_once('=') {
            Some(("#key", key)) => {
                page.say(&json!({ "key": key, "who": "Ada" }));
                assert_eq!(page.hear("desk").unwrap(), "operator");
            }
            Some(("#view", key)) => page.say(&json!({ "view": key })),
            _ => {}
        }
        page
    }

    fn say(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// What is said next under this key; `None`: the console has ended.
    fn hear(&mut self, key: &str) -> Option<Value> {
        loop {
            let said = match self.socket.read() {
                Ok(Message::Text(text)) => serde_json::from_str::<Value>(&text).unwrap(),
                Ok(Message::Binary(bytes)) => json!({ "rows": bytes.len() }),
                Ok(_) => continue,
                Err(_) => return None,
            };
            if said.get("status").or(said.get("rows")).is_some() {
                self.shown += 1;
                let _ = self.socket.send(Message::text(json!({ "ack": self.shown }).to_string()));
            }
            self.clock = said["status"]["clock"].as_f64().unwrap_or(self.clock);
            if said.get("about").is_some() {
                self.about = said["about"].clone();
            }
            if let Some(found) = said.get(key) {
                return Some(found.clone());
            }
        }
    }

    /// Waits for a state; what is said of it.
    fn word(&mut self, words: &[&str]) -> Value {
        let begun = Instant::now();
        loop {
            let status = self.hear("status").unwrap_or_else(|| panic!("the console ended before {words:?}"));
            if words.iter().any(|w| status["word"] == *w) {
                return status;
            }
            assert!(begun.elapsed() < LONG, "{words:?} is not reached: {status}");
        }
    }

    /// Gives a command; the answer.
    fn command(&mut self, name: &str, more: Value) -> Value {
        self.hear("status").unwrap();
        self.ids += 1;
        let mut message = json!({ "do": name, "id": self.ids, "seen": self.clock });
        message.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        self.say(&message);
        loop {
            let answer = self.hear("answer").expect("an answer");
            if answer["id"] == self.ids {
                return answer;
            }
        }
    }

    /// Gives a command that is obeyed. On a machine that is busy what the page shows may be too old for it: then it is given again, as a person
    /// does.
    fn does(&mut self, name: &str, more: Value) {
        let begun = Instant::now();
        let mut answer = self.command(name, more.clone());
        while answer["text"].as_str().is_some_and(|t| t.starts_with("not obeyed")) && begun.elapsed() < LONG {
            answer = self.command(name, more.clone());
        }
        assert_eq!(answer["ok"], true, "{name}: {answer}");
    }
}

/// A program with a console, and its addresses for viewers and for the operator. `late`: its standard error was taken before.
fn start(args: &[&str]) -> (Running, [String; 2]) {
    let mut running = Running::start(&[args, &["--console", "127.0.0.1:0"]].concat());
    let mut errors = BufReader::new(running.0.stderr.take().expect("a pipe"));
    let mut pages = [String::new(), String::new()];
    let mut said = String::new();
    while pages[1].is_empty() {
        let mut line = String::new();
        assert!(errors.read_line(&mut line).unwrap() > 0, "no console: {said}");
        for (page, start) in pages.iter_mut().zip(["console for viewers:", "console to command:"]) {
            if let Some(rest) = line.strip_prefix(start) {
                *page = rest.trim().to_owned();
            }
        }
        said += &line;
    }
    std::thread::spawn(move || errors.lines().for_each(drop));
    (running, pages)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// When Ada said this, as the log has it.
fn said<'a>(log: &'a str, what: &str) -> Option<&'a str> {
    let kept = |line: &'a str| line.split_once("(Ada, ")?.1.split_once("): ").filter(|(_, said)| *said == what);
    log.lines().find_map(kept).map(|(when, _)| when)
}

/// All numbers of a result, bit by bit.
fn bits(path: &Path) -> Vec<Vec<u64>> {
    let reader = Reader::open(path).unwrap();
    let all = 0..reader.rows();
    let channels = (0..reader.channels().len()).map(|c| reader.read(c, all.clone()).unwrap());
    channels.map(|values| values.into_iter().map(f64::to_bits).collect()).collect()
}

fn pulled(name: &str) -> std::path::PathBuf {
    model(&format!("{name}.toml"), "0.4 s", "")
}

#[test]
fn a_test_is_armed_started_noted_and_finished_from_the_page_and_is_the_same_test() {
    let model = pulled("console-run");
    let (plain, shown) = (model.with_extension("plain.h5"), model.with_extension("shown.h5"));
    interfield(&["run", text(&model), "-o", text(&plain)]).expect(0);
    let (running, [viewer, operator]) = start(&["run", text(&model), "-o", text(&shown)]);
    let mut looks = Page::open(&viewer);
    assert_eq!(looks.word(&["ready"])["can"][0], "arm");
    assert_eq!(looks.about["title"], "Specimen in another process");
    let refused = looks.command("arm", json!({}));
    assert!(refused["ok"] == false && refused["text"].as_str().unwrap().contains("operator's key"), "{refused}");
    let mut page = Page::open(&operator);
    assert_eq!(page.command("start", json!({}))["ok"], false, "it is not armed");
    assert_eq!(page.command("pause", json!({}))["ok"], false, "it has not begun");
    page.does("scale", json!({ "value": 0.001 }));
    page.does("arm", json!({ "text": "" }));
    page.does("note", json!({ "text": "ready <b>and</b> armed" }));
    page.does("start", json!({}));
    page.word(&["finished"]);
    assert_eq!(running.end().0, Some(0));
    assert_eq!(bits(&plain), bits(&shown), "a console changes the test");
    let recorded = Reader::open(&shown.with_extension("lab.h5")).unwrap();
    let log = recorded.log();
    for line in ["arm", "start", "time scale 0.001", "ready <b>and</b> armed"] {
        assert!(
            said(log, line).is_some_and(|when| when.starts_with("20") && when.ends_with('Z')),
            "{line} is not kept:\n{log}"
        );
    }
}

#[test]
fn an_emergency_stop_from_the_page_ends_a_test() {
    let model = model("console-abort.toml", "20 s", "");
    let results = model.with_extension("h5");
    let (running, [_, operator]) = start(&["run", text(&model), "-o", text(&results)]);
    let mut page = Page::open(&operator);
    page.does("scale", json!({ "value": 5.0 }));
    page.does("arm", json!({ "text": "" }));
    page.does("start", json!({}));
    page.word(&["running"]);
    page.does("pause", json!({}));
    assert_eq!(page.word(&["holding"])["level"], "attention");
    // A page that was frozen: its command rests on what it saw a minute ago.
    let old = page.command("resume", json!({ "seen": page.clock - 60_000.0 }));
    assert!(old["ok"] == false && old["text"].as_str().unwrap().contains("not obeyed"), "{old}");
    page.word(&["holding"]);
    page.does("abort", json!({ "seen": 0.0 }));
    let status = page.word(&["aborted"]);
    assert_eq!(status["level"], "alarm");
    assert_eq!(running.end().0, Some(3));
    let recorded = Reader::open(&results.with_extension("lab.h5")).unwrap();
    let log = recorded.log();
    assert!(said(log, "pause").is_some() && said(log, "abort").is_some(), "{log}");
}

#[test]
fn a_test_that_nobody_starts_is_called_off_and_leaves_nothing_behind() {
    let model = pulled("console-called-off");
    let results = model.with_extension("h5");
    let (running, [_, operator]) = start(&["run", text(&model), "-o", text(&results)]);
    let mut page = Page::open(&operator);
    page.does("stop", json!({}));
    let (code, _) = running.end();
    assert_ne!(code, Some(0), "a test that was not made is no success");
    assert!(!results.exists(), "there is a result of a test that was not made");
}

#[test]
fn a_finished_test_is_played_back_and_cannot_be_changed() {
    let model = pulled("console-playback");
    let results = model.with_extension("h5");
    interfield(&["run", text(&model), "-o", text(&results)]).expect(0);
    let before = std::fs::read(&results).unwrap();
    let (_running, [_, operator]) = start(&["console", text(&results), "--scale", "100"]);
    let mut page = Page::open(&operator);
    page.word(&["playing"]);
    assert_eq!((&page.about["kind"], &page.about["duration"]), (&json!("playback"), &json!(0.4)));
    assert_eq!(page.about["rigs"][0]["name"], "rig");
    page.does("pause", json!({}));
    page.does("seek", json!({ "value": 0.3 }));
    assert!(page.word(&["playing"])["t"].as_f64().unwrap() >= 0.3);
    page.does("scale", json!({ "value": 0.001 }));
    assert_eq!(page.word(&["end"])["t"], 0.4);
    for refused in ["arm", "abort", "stop"] {
        assert_eq!(page.command(refused, json!({}))["ok"], false, "{refused}");
    }
    page.ids += 1;
    page.say(&json!({ "layout": { "panels": ["events", "limits"] }, "id": page.ids }));
    assert_eq!(page.hear("answer").unwrap()["ok"], true);
    let saved = std::fs::read_to_string(results.with_extension("console.json")).unwrap();
    assert!(saved.contains("limits"), "{saved}");
    assert_eq!(std::fs::read(&results).unwrap(), before);
}

#[test]
fn a_laboratory_is_shown_and_ended_from_its_page() {
    let model = model("console-lab.toml", "0.4 s", "");
    let mut running =
        Running::start(&["lab", text(&model), "--listen", "udp://127.0.0.1:0", "--console", "127.0.0.1:0"]);
    let mut errors = BufReader::new(running.0.stderr.take().expect("a pipe")).lines();
    let operator =
        errors.find_map(|l| l.unwrap().strip_prefix("console to command:").map(|p| p.trim().to_owned())).unwrap();
    std::thread::spawn(move || errors.for_each(drop));
    let mut page = Page::open(&operator);
    page.word(&["serving"]);
    assert_eq!(page.command("arm", json!({}))["ok"], false);
    page.does("stop", json!({}));
    assert!(running.end().0.is_some_and(|code| code != 101));
}

#[test]
fn a_served_specimen_and_a_replayed_test_have_a_page() {
    let model = pulled("console-again");
    let results = model.with_extension("h5");
    interfield(&["run", text(&model), "-o", text(&results)]).expect(0);
    let (running, [_, operator]) = start(&[
        "replay",
        text(&results.with_extension("lab.h5")),
        text(&model),
        "-o",
        text(&model.with_extension("again.h5")),
    ]);
    let mut page = Page::open(&operator);
    page.does("scale", json!({ "value": 0.001 }));
    page.does("arm", json!({ "text": "" }));
    page.does("start", json!({}));
    page.word(&["finished"]);
    assert_eq!(running.end().0, Some(0));
    let (running, [_, operator]) = start(&[
        "serve",
        text(&model),
        "--listen",
        "tcp://127.0.0.1:0",
        "-o",
        text(&model.with_extension("served.h5")),
    ]);
    let mut page = Page::open(&operator);
    page.hear("status").unwrap();
    assert_eq!(page.about["kind"], "served to another program");
    // Nobody has come yet: it ends at once, and does not wait for a client to move its specimen.
    page.does("stop", json!({}));
    assert_ne!(running.end().0, Some(101));
}

#[test]
fn where_a_console_may_not_be_is_said() {
    let model = pulled("console-refused");
    for (address, more, why) in [
        ("0.0.0.0:7722", "--quiet", "does not encrypt"),
        ("192.0.2.1:7722", "--quiet", "does not encrypt"),
        ("0.0.0.0:7722", "--console-tunnel", "every network"),
        ("[::]:7722", "--console-tunnel", "every network"),
    ] {
        let said = interfield(&["run", text(&model), "--console", address, more]).expect(2).stderr;
        assert!(said.contains(why) && said.contains("ssh -L"), "{address} {more}: {said}");
    }
    let said = interfield(&["run", text(&model), "--console-mcap", "x.mcap"]).expect(2).stderr;
    assert!(said.contains("--console"), "{said}");
    let said =
        interfield(&["run", text(&model), "--console", "127.0.0.1:0", "--console-camera", "rtsp://x"]).expect(2).stderr;
    assert!(said.contains("MJPEG"), "{said}");
    let there = super::file("console-there.mcap", "old");
    let said =
        interfield(&["run", text(&model), "--console", "127.0.0.1:0", "--console-mcap", text(&there)]).expect(2).stderr;
    assert!(said.contains("console-there.mcap"), "{said}");
    assert_eq!(std::fs::read_to_string(there).unwrap(), "old", "nothing recorded is replaced");
}

/// A layout that somebody damaged is told, and the test goes on with the panels that fit it.
#[test]
fn a_damaged_layout_is_told_and_not_used() {
    let model = pulled("console-layout");
    let layout = model.with_extension("console.json");
    for (damaged, why) in
        [("{\"panels\": \"all\"}", "names of panels"), ("{\"panels\": [", "EOF"), ("[1]", "names of panels")]
    {
        std::fs::write(&layout, damaged).unwrap();
        let results = model.with_extension("h5");
        let said =
            interfield(&["run", text(&model), "-o", text(&results), "--console", "127.0.0.1:0", "--console-start"]);
        let said = said.expect(0).stderr;
        assert!(said.contains("console-layout.console.json") && said.contains(why), "{damaged}: {said}");
    }
    std::fs::remove_file(layout).unwrap();
}

/// Through a tunnel viewers need a key, too.
#[test]
fn through_a_tunnel_everybody_needs_a_key() {
    let model = pulled("console-tunnel");
    let results = model.with_extension("h5");
    let (running, [viewer, operator]) = start(&["run", text(&model), "-o", text(&results), "--console-tunnel"]);
    let mut nobody = Page::open(viewer.split('#').next().unwrap());
    nobody.say(&json!({ "ping": 1.0 }));
    assert_eq!(nobody.hear("pong").unwrap(), 1.0);
    assert_eq!(nobody.about, Value::Null, "shown without a key");
    Page::open(&viewer).word(&["ready"]);
    Page::open(&operator).does("abort", json!({}));
    assert_ne!(running.end().0, Some(0));
}
