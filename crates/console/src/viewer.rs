//! One viewer: what it is sent, what it may say. A viewer that is slow, frozen or gone costs its own thread only: nothing is sent before it
//! has shown what it got, and what it missed is thinned.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use crate::access::{Keys, same};
use crate::desk::Command;
use crate::hub::{Hub, message};

/// How long a viewer is listened to before something may be sent again.
const LISTEN: Duration = Duration::from_millis(8);
/// Longest time that a viewer may take to take what is sent.
const TAKE: Duration = Duration::from_secs(5);
/// Messages with rows or a status that may be under way.
const WINDOW: u64 = 6;
/// Longest message of a viewer, bytes.
const LONGEST: usize = 16 * 1024;
/// Messages of a viewer in a second, and how many at once.
const RATE: f64 = 250.0;
const BURST: f64 = 500.0;
/// Commands of a viewer that wait for the one before.
const WAITING: usize = 16;
/// Wrong keys after which a viewer is sent away.
const GUESSES: u32 = 3;
/// Oldest view of the test on which a command may rest, ms: what a frozen page or a bad network delivers later is not obeyed.
const FRESH: f64 = 3000.0;
/// What a viewer with the key is told while another one commands.
const OTHER: &str = "another operator commands now";
/// A viewer that says nothing for this long is gone; the page speaks every second.
const SILENCE: Duration = Duration::from_secs(30);
/// Longest time that a viewer may take to say that it goes.
const FAREWELL: Duration = Duration::from_secs(2);

/// A connection whose calls are taken up again where a signal ended them: a program that is stopped and goes on (SIGSTOP, SIGCONT, a debugger)
/// keeps its viewers.
struct Steady(TcpStream);

/// Calls until no signal ends the call.
fn again<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            found => return found,
        }
    }
}

impl Read for Steady {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        again(|| self.0.read(part))
    }
}

impl Write for Steady {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        again(|| self.0.write(part))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A viewer.
struct Viewer<'a> {
    number: u64,
    hub: &'a Hub,
    keys: &'a Keys,
    /// How far it is let in, for the door.
    rank: &'a AtomicU8,
    socket: WebSocket<Steady>,
    may_look: bool,
    has_key: bool,
    who: String,
    guesses: u32,
    /// Messages left to it, and since when.
    allowance: (f64, Instant),
    heard: Instant,
    /// Messages sent and shown.
    sent: u64,
    shown: u64,
    /// What it has got: turn, version of what is said about the test, events, status.
    turn: u64,
    version: u64,
    events: usize,
    status: Arc<str>,
    columns: Vec<usize>,
    /// What is being done, and what waits for it. The loop takes its time to acknowledge a command, and an emergency stop does not wait for that.
    doing: Option<Doing>,
    waiting: VecDeque<(Value, Command, Instant)>,
    /// Emergency stops.
    stops: Vec<Doing>,
}

/// A command on its way: number of the message, and the answer.
type Doing = (Value, JoinHandle<Result<String, String>>);

/// Rank of a viewer that has shown no key, and of one with the operator's.
pub(crate) const LOOKS: u8 = 1;
pub(crate) const COMMANDS: u8 = 2;

/// Serves a viewer until it is gone, or the console ends.
pub(crate) fn serve(number: u64, hub: &Hub, keys: &Keys, stream: TcpStream, rank: &AtomicU8, ended: &AtomicBool) {
    rank.store(LOOKS, Ordering::Release);
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
        .write_buffer_size(0)
        .max_write_buffer_size(64 << 20);
    let timeouts = stream.set_read_timeout(Some(LISTEN)).and_then(|()| stream.set_write_timeout(Some(TAKE)));
    if timeouts.and_then(|()| stream.set_nodelay(true)).is_err() {
        return;
    }
    let socket = WebSocket::from_raw_socket(Steady(stream), Role::Server, Some(config));
    let mut viewer = Viewer {
        number,
        hub,
        keys,
        rank,
        socket,
        may_look: keys.viewer.is_none(),
        has_key: false,
        who: String::new(),
        guesses: 0,
        allowance: (BURST, Instant::now()),
        heard: Instant::now(),
        sent: 0,
        shown: 0,
        turn: 0,
        version: 0,
        events: 0,
        status: "".into(),
        columns: Vec::new(),
        doing: None,
        waiting: VecDeque::new(),
        stops: Vec::new(),
    };
    hub.viewers().fetch_add(1, Ordering::Relaxed);
    // However it ends, it is the viewer that ends.
    let _ = viewer.attend(ended);
    hub.viewers().fetch_sub(1, Ordering::Relaxed);
    let mut holder = hub.holder();
    if holder.as_ref().is_some_and(|h| h.0 == number) {
        *holder = None;
    }
    drop(holder);
    viewer.leave();
}

/// What is said of a command that comes too late.
fn late(ms: f64) -> String {
    format!("not obeyed, because it rests on a view of the test that is {:.1} s old; look at the test again", ms * 1e-3)
}

fn done(doing: JoinHandle<Result<String, String>>) -> Result<String, String> {
    doing.join().unwrap_or_else(|_| Err("the command failed; look at the state of the test".to_owned()))
}

/// Why a viewer is sent away.
struct Gone;

impl From<Error> for Gone {
    fn from(_: Error) -> Self {
        Gone
    }
}

impl Viewer<'_> {
    fn attend(&mut self, ended: &AtomicBool) -> Result<(), Gone> {
        loop {
            let last = ended.load(Ordering::Acquire);
            self.listen()?;
            self.answer()?;
            // The end is sent to whoever is there, also to one that has not shown what it got before.
            if self.may_look && (last || self.sent - self.shown < WINDOW) {
                self.show()?;
            }
            if last {
                return Ok(());
            }
            if self.heard.elapsed() > SILENCE {
                return Err(Gone);
            }
        }
    }

    /// Ends the connection when the viewer has taken what was sent: what it still says is read, because a connection that is closed over unread
    /// bytes is reset, and what is under way is lost.
    fn leave(&mut self) {
        let begun = Instant::now();
        let closing = self.socket.close(None).and_then(|()| self.socket.flush());
        while closing.is_ok() && begun.elapsed() < FAREWELL {
            match self.socket.read() {
                Err(Error::Io(e)) if e.kind() == ErrorKind::WouldBlock || e.kind() == ErrorKind::TimedOut => {}
                Err(_) => return,
                Ok(_) => {}
            }
        }
    }

    /// Takes what the viewer says.
    fn listen(&mut self) -> Result<(), Gone> {
        loop {
            let text = match self.socket.read() {
                Ok(Message::Text(text)) => text,
                Ok(Message::Close(_)) => return Err(Gone),
                Ok(Message::Binary(_)) => return self.send_away("a console takes no such messages"),
                Ok(_) => {
                    self.count()?;
                    continue;
                }
                Err(Error::Io(e)) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Ok(());
                }
                Err(_) => return Err(Gone),
            };
            self.heard = Instant::now();
            self.count()?;
            match serde_json::from_str::<Value>(&text) {
                Ok(message @ Value::Object(_)) => self.take(&message)?,
                _ => return self.send_away("a message is a JSON object"),
            }
        }
    }

    /// One more message; too many in a short time are not taken.
    fn count(&mut self) -> Result<(), Gone> {
        let (left, since) = self.allowance;
        let left = (left + RATE * since.elapsed().as_secs_f64()).min(BURST) - 1.0;
        self.allowance = (left, Instant::now());
        if left < 0.0 {
            return self.send_away("too many messages");
        }
        Ok(())
    }

    fn send_away(&mut self, why: &str) -> Result<(), Gone> {
        self.hub.refused().fetch_add(1, Ordering::Relaxed);
        let _ = self.say(&json!({ "refused": why }));
        Err(Gone)
    }

    fn say(&mut self, message: &Value) -> Result<(), Gone> {
        Ok(self.socket.send(Message::text(message.to_string()))?)
    }

    fn take(&mut self, message: &Value) -> Result<(), Gone> {
        if let Some(key) = message["view"].as_str() {
            self.may_look |= self.keys.viewer.as_deref().is_none_or(|k| same(k, key)) || same(&self.keys.operator, key);
            if !self.may_look {
                return self.guessed();
            }
        }
        if let Some(shown) = message["ack"].as_u64() {
            self.shown = self.shown.max(shown.min(self.sent));
        }
        if let Some(ping) = message["ping"].as_f64() {
            self.say(&json!({ "pong": ping, "clock": self.hub.clock() }))?;
        }
        if let Some(key) = message["key"].as_str() {
            return self.present(key, message);
        }
        if message["release"] == true {
            let mut holder = self.hub.holder();
            if holder.as_ref().is_some_and(|h| h.0 == self.number) {
                *holder = None;
            }
            drop(holder);
            return self.say(&json!({ "desk": "viewer", "key": self.has_key }));
        }
        let commands = message.get("do").is_some() || message.get("layout").is_some();
        if commands && let Some(answer) = self.command(message).transpose() {
            return self.say_answer(&message["id"], answer);
        }
        Ok(())
    }

    fn say_answer(&mut self, id: &Value, answer: Result<String, String>) -> Result<(), Gone> {
        let (ok, text) = answer.map_or_else(|e| (false, e), |text| (true, text));
        self.say(&json!({ "answer": { "id": id, "ok": ok, "text": text } }))
    }

    /// Tells what became of commands, and begins with the next.
    fn answer(&mut self) -> Result<(), Gone> {
        while let Some(i) = self.stops.iter().position(|(_, doing)| doing.is_finished()) {
            let (id, doing) = self.stops.swap_remove(i);
            self.say_answer(&id, done(doing))?;
        }
        if let Some((id, doing)) = self.doing.take_if(|(_, doing)| doing.is_finished()) {
            self.say_answer(&id, done(doing))?;
        }
        while let Some((id, command, since)) = self.waiting.pop_front_if(|_| self.doing.is_none()) {
            let begun = match since.elapsed().as_secs_f64() * 1e3 {
                _ if !self.holds() => Err(OTHER.to_owned()),
                waited if waited > FRESH && !command.is_timeless() => Err(late(waited)),
                _ => self.begin(command),
            };
            match begun {
                Ok(doing) => self.doing = Some((id, doing)),
                Err(why) => self.say_answer(&id, Err(why))?,
            }
        }
        Ok(())
    }

    fn holds(&self) -> bool {
        self.hub.holder().as_ref().is_some_and(|h| h.0 == self.number)
    }

    fn begin(&self, command: Command) -> Result<JoinHandle<Result<String, String>>, String> {
        let desk = self.hub.desk().ok_or("this console only shows a test")?;
        let who = self.who.clone();
        let run = move || desk.command(&who, &command);
        thread::Builder::new().name("interfield-command".to_owned()).spawn(run).map_err(|e| e.to_string())
    }

    fn guessed(&mut self) -> Result<(), Gone> {
        self.guesses += 1;
        self.hub.refused().fetch_add(1, Ordering::Relaxed);
        if self.guesses >= GUESSES || !self.hub.guessed() {
            return self.send_away("wrong key");
        }
        // Who has shown the key before still has it, and its emergency stop.
        self.say(&json!({ "desk": "viewer", "key": self.has_key, "why": "This key is not the key of this console." }))
    }

    /// Somebody shows the key of the operator.
    fn present(&mut self, key: &str, message: &Value) -> Result<(), Gone> {
        if !same(key, &self.keys.operator) {
            return self.guessed();
        }
        let who = message["who"].as_str().unwrap_or_default().trim();
        let who: String = who.chars().filter(|c| !c.is_control()).take(60).collect();
        self.who = if who.is_empty() { format!("viewer {}", self.number) } else { who };
        (self.has_key, self.may_look) = (true, true);
        self.rank.store(COMMANDS, Ordering::Release);
        let mut holder = self.hub.holder();
        let free = holder.as_ref().is_none_or(|h| h.0 == self.number);
        let answer = if free || message["take"] == true {
            *holder = Some((self.number, self.who.clone()));
            // Pictures are asked for with the key of a viewer.
            json!({ "desk": "operator", "key": true, "view": self.keys.viewer })
        } else {
            let other = holder.as_ref().map_or("", |h| h.1.as_str());
            let why = format!("{other} commands now. Take over only after you have spoken with each other.");
            json!({ "desk": "viewer", "key": true, "view": self.keys.viewer, "why": why })
        };
        drop(holder);
        self.say(&answer)
    }

    /// Does what a message asks for; no answer yet where the loop has to give it.
    fn command(&mut self, message: &Value) -> Result<Option<String>, String> {
        if !self.has_key {
            self.hub.refused().fetch_add(1, Ordering::Relaxed);
            return Err("only the holder of the operator's key commands".to_owned());
        }
        if message.get("layout").is_some() {
            return self.hub.save(&message["layout"]).map(Some);
        }
        let command = Command::parse(message)?;
        // Whoever has the key can stop a test in an emergency, whoever commands it.
        if command != Command::Abort && !self.holds() {
            return Err(OTHER.to_owned());
        }
        if !command.is_timeless() {
            let seen = message["seen"].as_f64().unwrap_or(f64::NEG_INFINITY);
            let age = self.hub.clock() - seen;
            if !(0.0..=FRESH).contains(&age) {
                self.hub.refused().fetch_add(1, Ordering::Relaxed);
                return Err(match seen.is_finite() && age > 0.0 {
                    true => late(age),
                    false => {
                        "a command says which state of the test it rests on: `seen`, the `clock` of a status".to_owned()
                    }
                });
            }
        }
        let id = message["id"].clone();
        if command == Command::Abort {
            let doing = self.begin(command)?;
            self.stops.push((id, doing));
        } else if self.waiting.len() < WAITING {
            self.waiting.push_back((id, command, Instant::now()));
        } else {
            return Err("too many commands wait for the loop; this one was not taken".to_owned());
        }
        Ok(None)
    }

    /// Sends what is new.
    fn show(&mut self) -> Result<(), Gone> {
        let version = self.hub.version();
        if version != self.version {
            self.version = version;
            self.columns = self.hub.topics().iter().map(|t| t.columns.len()).collect();
            let about = self.hub.about();
            self.say(&json!({ "about": about }))?;
        }
        let (events, next) = self.hub.events(self.events);
        if !events.is_empty() {
            let list: Vec<Value> = events.iter().map(|e| e.json()).collect();
            self.say(&json!({ "events": list }))?;
            self.events = next;
        }
        let status = self.hub.status();
        if !Arc::ptr_eq(&status, &self.status) {
            self.socket.send(Message::text(status.to_string()))?;
            self.status = status;
            self.sent += 1;
        }
        let turns = self.hub.turns(self.turn);
        if let Some(last) = turns.last() {
            if self.turn == 0 {
                self.sent += 1;
                let bytes = self.hub.past();
                self.socket.send(Message::binary(bytes))?;
            }
            self.turn = last.number;
            self.sent += 1;
            let bytes = message(&turns, &self.columns);
            self.socket.send(Message::binary(bytes))?;
        }
        Ok(())
    }
}
