//! Clients that want to do harm, and those that break at the worst moment.

use super::*;
use std::sync::Condvar;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::protocol::frame::{Frame, FrameHeader};

/// What hostile clients do, one after the other and at once; bounded here, for as long as wanted by `INTERFIELD_CONSOLE_SECONDS`
/// (`cargo xtask bench console --flood`: ten minutes).
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
    let seen = Instant::now();
    // On a busy machine the ring may still be full of what came before.
    let mut lost = u64::MAX;
    while lost != test.feed.dropped() {
        lost = test.feed.dropped();
        show(&mut test.feed, 1e6, 0.5);
        std::thread::yield_now();
        assert!(seen.elapsed() < LONG, "the rings are not emptied");
    }
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

/// A command that rests on an old view of the test: a tab that was frozen, a bad network, a recorded message.
#[test]
fn old_commands_are_not_obeyed_and_an_emergency_stop_always_is() {
    let test = console();
    let mut operator = Viewer::new(test.console.address());
    assert_eq!(operator.present(&test.console.keys().operator, "Ada"), "operator");
    operator.hear("status").unwrap();
    let now = operator.clock.unwrap();
    for seen in [json!(now - 60_000.0), json!(now + 1e9), json!(null), json!("now"), json!(f64::MIN)] {
        let answer = operator.command(&json!({ "do": "pause", "id": 1, "seen": seen }));
        assert_eq!(answer["ok"], false, "{seen}: {answer}");
    }
    assert!(test.told.0.lock().unwrap().is_empty());
    assert_eq!(operator.command(&json!({ "do": "abort", "id": 2, "seen": now - 60_000.0 }))["ok"], true);
    assert_eq!(operator.command(&json!({ "do": "note", "text": "late", "id": 3, "seen": 0.0 }))["ok"], true);
    assert_eq!(operator.command(&json!({ "do": "pause", "id": 4 }))["ok"], true);
}

/// A crowd that takes all places: connections that ask for nothing, and viewers.
#[test]
fn a_crowd_does_not_keep_the_operator_out() {
    let test = console();
    let (address, key) = (test.console.address(), test.console.keys().operator.clone());
    let mut first = Viewer::new(address);
    assert_eq!(first.present(&key, "Ada"), "operator");
    let _crowd: Vec<Viewer> = (0..60).map(|_| Viewer::new(address)).collect();
    let _idle: Vec<TcpStream> = (0..1000).filter_map(|_| TcpStream::connect(address).ok()).collect();
    // Who has shown the key is still there; what it saw meanwhile is old until it has caught up.
    let begun = Instant::now();
    while first.command(&json!({ "do": "pause", "id": 1 }))["ok"] != true {
        assert!(begun.elapsed() < LONG);
    }
    // And another one comes in.
    let mut second = Viewer::new(address);
    assert_eq!(second.present(&key, "Grace"), "viewer");
    assert_eq!(second.command(&json!({ "do": "abort", "id": 2 }))["ok"], true);
}

#[test]
fn whoever_guesses_the_key_is_slowed_down_and_the_operator_is_told() {
    let test = console();
    let address = test.console.address();
    let mut operator = Viewer::new(address);
    assert_eq!(operator.present(&test.console.keys().operator, "Ada"), "operator");
    for round in 0..2 {
        let mut guesser = Viewer::new(address);
        for guess in 0..3 {
            guesser.say(&json!({ "key": format!("{round}{guess}"), "who": "mallory" }));
        }
        assert_eq!(guesser.hear("refused").unwrap(), "wrong key");
    }
    let told = loop {
        let events = operator.hear("events").unwrap();
        if let Some(alarm) = events.as_array().unwrap().iter().find(|e| e["kind"] == "alarm") {
            break alarm.clone();
        }
    };
    assert!(told["text"].as_str().unwrap().contains("wrong keys"), "{told}");
    // The right key does not wait for the wrong ones.
    assert_eq!(operator.command(&json!({ "do": "pause", "id": 1 }))["ok"], true);
}

#[test]
fn frames_may_come_in_parts_and_forged_ones_end_the_viewer() {
    let test = console();
    let address = test.console.address();
    let mut viewer = Viewer::new(address);
    let part =
        |text: &'static str, code: Data, last: bool| Message::Frame(Frame::message(text, OpCode::Data(code), last));
    viewer.socket.send(part("{\"pi", Data::Text, false)).unwrap();
    viewer.socket.send(part("ng\":", Data::Continue, false)).unwrap();
    viewer.socket.send(part("7.5}", Data::Continue, true)).unwrap();
    assert_eq!(viewer.hear("pong").unwrap(), 7.5);
    // Parts that together are longer than a message may be, a frame that announces a terabyte, a frame without its mask, a reserved kind.
    let mut long = Viewer::new(address);
    let sent = (0..40).map(|i| {
        let kind = if i == 0 { Data::Text } else { Data::Continue };
        long.socket.send(Message::Frame(Frame::message("x".repeat(1000), OpCode::Data(kind), false)))
    });
    assert!(sent.count() > 0 && long.hear("nothing").is_none());
    let mut unmasked = Vec::new();
    FrameHeader { opcode: OpCode::Data(Data::Text), is_final: true, ..FrameHeader::default() }
        .format(3, &mut unmasked)
        .unwrap();
    unmasked.extend(b"{} ");
    let terabyte = [&[0x81, 0xff][..], &(1u64 << 40).to_be_bytes(), &[0; 64]].concat();
    for bytes in [unmasked, terabyte, vec![0x83, 0x80, 0, 0, 0, 0], vec![0xff; 64]] {
        let mut forged = Viewer::new(address);
        forged.socket.get_mut().write_all(&bytes).unwrap();
        assert!(forged.hear("nothing").is_none(), "{bytes:?}");
    }
    viewer.say(&json!({ "ping": 1.0 }));
    assert_eq!(viewer.hear("pong").unwrap(), 1.0, "others go on");
}

#[test]
fn notes_are_kept_as_they_are_and_too_long_ones_refused() {
    let test = console();
    let mut operator = Viewer::new(test.console.address());
    operator.present(&test.console.keys().operator, "<b>Ada</b>\u{0}\n");
    let text = "<img src=x onerror=alert(1)> \u{202e}\u{1f4a5} \\ \"";
    assert_eq!(operator.command(&json!({ "do": "note", "text": text, "id": 1 }))["ok"], true);
    for bad in ["x".repeat(501), "two\nlines".to_owned(), "\u{1b}[2J".to_owned()] {
        assert_eq!(operator.command(&json!({ "do": "note", "text": bad, "id": 2 }))["ok"], false);
    }
    assert_eq!(*test.told.0.lock().unwrap(), [("<b>Ada</b>".to_owned(), Command::Note(text.to_owned()))]);
    // A note of a megabyte is no message of a page: whoever sends it is sent away.
    let _ = operator.socket.send(Message::text(json!({ "do": "note", "text": "x".repeat(1 << 20) }).to_string()));
    assert!(operator.hear("answer").is_none());
}

/// A desk whose loop takes its time.
#[derive(Default)]
struct Slow {
    done: Mutex<Vec<Command>>,
    goes_on: Mutex<bool>,
    changed: Condvar,
}

impl Desk for Slow {
    fn status(&self) -> Status {
        Told::default().status()
    }

    fn command(&self, _: &str, command: &Command) -> Result<String, String> {
        if *command != Command::Abort {
            drop(self.changed.wait_while(self.goes_on.lock().unwrap(), |goes_on| !*goes_on).unwrap());
        }
        self.done.lock().unwrap().push(command.clone());
        Ok("done".to_owned())
    }
}

/// A browser that dies, or a page that is loaded again, while a command is under way: what was given is done, what waited behind it is not, and
/// whoever comes back with the key commands.
#[test]
fn a_browser_that_dies_leaves_no_command_half_done() {
    let hub = Hub::new(json!({}));
    let slow = Arc::new(Slow::default());
    hub.commanded_by(slow.clone());
    let address = "127.0.0.1:0".parse().unwrap();
    let console = Console::serve(
        &hub,
        Serving { address, tunnel: false, extras: Extras::default(), pictures: None, keep_off: None },
    )
    .unwrap();
    let key = &console.keys().operator;
    let mut dying = Viewer::new(console.address());
    assert_eq!(dying.present(key, "Ada"), "operator");
    dying.hear("status").unwrap();
    dying.give(&json!({ "do": "pause", "id": 1 }));
    dying.give(&json!({ "do": "resume", "id": 2 }));
    dying.give(&json!({ "do": "abort", "id": 3 }));
    assert_eq!(dying.hear("answer").unwrap()["id"], 3);
    drop(dying);
    let mut again = Viewer::new(console.address());
    let begun = Instant::now();
    while again.present(key, "Ada") != "operator" {
        assert!(begun.elapsed() < LONG);
    }
    *slow.goes_on.lock().unwrap() = true;
    slow.changed.notify_all();
    assert_eq!(again.command(&json!({ "do": "note", "text": "back", "id": 4 }))["ok"], true);
    assert_eq!(again.command(&json!({ "do": "pause", "id": 5 }))["ok"], true);
    let done = slow.done.lock().unwrap();
    let counted = |command: Command| done.iter().filter(|c| **c == command).count();
    assert_eq!([counted(Command::Abort), counted(Command::Pause), counted(Command::Resume)], [1, 2, 0], "{done:?}");
}
