//! What the operator's console costs a real-time loop: 4 kHz with ten viewers, in turns with the same loop without a console; and what an hour of
//! its stream leaves in memory.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use interfield_console::{Column, Console, Extras, Feed, Hub, Serving, Topic};
use interfield_lab::realtime::rights::{Request, claim};
use interfield_lab::realtime::{Clock, Histogram, Schedule, Summary, WallClock, WhenLate};
use serde_json::json;

use crate::realtime::{PRIORITY, SPIN, core, in_real_time, missing, tails, us};
use crate::{Bar, Bench, Row};

/// 4 kHz.
const PERIOD: f64 = 250e-6;
/// Ticks of a turn: 5 s.
const TURN: usize = 20_000;
/// Turns of each loop: 60 s together.
const TURNS: usize = 12;
const VIEWERS: usize = 10;
/// Columns of a rig with one actuator.
const COLUMNS: usize = 40;
/// Turns of the server in an hour, and samples of the loop in each.
const HOUR: u32 = 180_000;
const SAMPLES: usize = 80;
/// A page of memory on the machines that this is measured on, bytes.
const PAGE: f64 = 4096.0;

fn topic() -> Topic {
    let columns = (0..COLUMNS).map(|i| Column::new(format!("c{i}"), "", 1.0)).collect();
    Topic { name: "rig.bench".into(), columns, time: 0, rig: false, open: true }
}

/// What a loop kept of its time.
struct Kept {
    wake: Histogram,
    missed: u64,
}

/// A turn of the loop: it wakes, fills its row, and shows it if somebody looks.
fn turn(ticks: usize, mut feed: Option<Feed>, kept: &mut Kept) -> Result<String, String> {
    let mut clock = WallClock::new(Schedule::new(PERIOD, WhenLate::Skip)?, SPIN);
    let (rights, (wake, missed, feed)) = in_real_time(PRIORITY, move || {
        let (mut wake, mut missed) = (Histogram::new(None), 0);
        let mut row = [0.0; COLUMNS];
        for n in 0..ticks {
            let tick = clock.wait();
            wake.record(tick.lateness_ns);
            missed += tick.missed;
            row.iter_mut().enumerate().for_each(|(i, x)| *x = (n + i) as f64);
            if let Some(feed) = &mut feed {
                feed.row().copy_from_slice(&row);
                feed.send();
            }
            std::hint::black_box(&row);
        }
        (wake, missed, feed)
    })?;
    kept.wake.merge(&wake);
    kept.missed += missed;
    Ok(missing(&rights) + &feed.map_or(String::new(), |f| format!(" {}", f.dropped())))
}

/// A viewer as the page is one: takes what comes and says that it was shown. It stands for another machine, and keeps off the core of the loop.
fn view(address: SocketAddr, over: &AtomicBool) -> std::io::Result<u64> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    claim(&Request { core: Some((core() + 1) % cores), ..Request::default() });
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let key = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    write!(stream, "GET /live HTTP/1.1\r\nHost: {address}\r\n{key}\r\n")?;
    let mut byte = [0];
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let (mut shown, mut body) = (0u64, Vec::new());
    while !over.load(Ordering::Acquire) {
        // Frames of a server: kind, length, what is in them.
        let mut start = [0; 2];
        stream.read_exact(&mut start)?;
        let length = match start[1] {
            126 => {
                let mut more = [0; 2];
                stream.read_exact(&mut more)?;
                usize::from(u16::from_be_bytes(more))
            }
            127 => {
                let mut more = [0; 8];
                stream.read_exact(&mut more)?;
                u64::from_be_bytes(more) as usize
            }
            short => usize::from(short),
        };
        body.resize(length, 0);
        stream.read_exact(&mut body)?;
        if start[0] & 0x0f == 2 || body.starts_with(b"{\"status\"") {
            shown += 1;
            // Masked with zeros, as a client must.
            let text = format!("{{\"ack\":{shown}}}");
            stream.write_all(&[&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0][..], text.as_bytes()].concat())?;
        }
    }
    Ok(shown)
}

fn row(what: String, unit: &'static str, ours: f64, other: f64, bar: Bar, note: String) -> Row {
    Row { case: "console", what, unit, ours, other: Ok(other), bar, note }
}

/// Memory of this program, MB.
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<f64>().ok()? * PAGE / 1e6)
}

impl Bench {
    /// Wake-up and missed periods with ten viewers and without a console; memory of an hour.
    pub(crate) fn console(&self) -> Result<Vec<Row>, String> {
        let mut rows = memory(self.steps(HOUR as usize) as u32)?;
        let hub = Hub::new(json!({ "title": "bench" }));
        let address = ([127, 0, 0, 1], 0).into();
        let with = || Kept { wake: Histogram::new(None), missed: 0 };
        let (mut beside, mut alone) = (with(), with());
        let (mut shown, mut notes) = (0, String::new());
        let ticks = self.steps(TURN);
        for _ in 0..TURNS {
            turn(ticks, None, &mut alone)?;
            let feed = hub.topic(topic(), 4096);
            let serving =
                Serving { address, tunnel: false, extras: Extras::default(), pictures: None, keep_off: Some(core()) };
            let mut console = Console::serve(&hub, serving)?;
            let over = Arc::new(AtomicBool::new(false));
            let at = console.address();
            let viewers: Vec<_> = (0..VIEWERS)
                .map(|_| {
                    let over = over.clone();
                    thread::spawn(move || view(at, &over))
                })
                .collect();
            notes = turn(ticks, Some(feed), &mut beside)?;
            over.store(true, Ordering::Release);
            // A viewer whose connection ends with the console has seen what there was.
            shown += viewers.into_iter().filter_map(|v| v.join().ok()?.ok()).sum::<u64>();
            console.end();
        }
        let [with, without]: [Summary; 2] = [beside.wake.summary(), alone.wake.summary()];
        let seconds = (ticks * TURNS) as f64 * PERIOD;
        let note = format!("with {}; without {}; {shown} messages shown;{notes}", tails(&with), tails(&without));
        let what =
            |what: &str| format!("4 kHz, {seconds:.0} s in {TURNS} turns: {what}, {VIEWERS} viewers / no console");
        let periods = format!("{} and {} of {} periods", beside.missed, alone.missed, ticks * TURNS);
        let additional = beside.missed.saturating_sub(alone.missed) as f64;
        rows.push(row(what("wake-up p99.9"), "us", us(with.p99_9), us(without.p99_9), Bar::RatioBelow(1.1), note));
        let bar = Bar::Below(0.5);
        rows.push(Row {
            other: Err(String::new()),
            ..row(what("additional missed"), "", additional, 0.0, bar, periods)
        });
        Ok(rows)
    }
}

/// A stream of so many turns as fast as it goes: memory at its end beside that after a sixth of it.
fn memory(turns: u32) -> Result<Vec<Row>, String> {
    let hub = Hub::new(json!({ "title": "bench" }));
    let mut feed = hub.topic(topic(), 4 * SAMPLES);
    let mut early = None;
    for n in 0..turns {
        for i in 0..SAMPLES {
            feed.row().fill(f64::from(n) + i as f64);
            feed.send();
        }
        hub.turn(n % 5 == 0);
        if n == turns / 6 {
            early = resident();
        }
    }
    let Some((early, late)) = early.zip(resident()) else { return Ok(Vec::new()) };
    let what = format!("memory after {:.0} min of a stream / after a sixth of it", f64::from(turns) / 3000.0);
    let note = format!("{} rows lost", feed.dropped());
    Ok(vec![row(what, "MB", late, early, Bar::RatioBelow(1.02), note)])
}
