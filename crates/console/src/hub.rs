//! Where the stream comes together: the rings of the loops on one side, viewers and other outlets on the other. Nothing here is seen by a loop.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use interfield_lab::realtime::Histogram;
use serde_json::{Value, json};

use crate::desk::{Desk, Level};
use crate::events::{Event, Kind, Watcher};
use crate::topic::{Column, Feed, Source, Topic, source, thin_shown};

/// Turns of the server that are kept for viewers that come later or are behind: 60 s of them.
const KEPT: usize = 6000;
/// Most numbers that are kept, 8 bytes each.
const NUMBERS: usize = 4_000_000;
/// Most events that are kept.
const EVENTS: usize = 2000;
/// How long the answer to a wrong key takes, and how many may wait for theirs.
const GUESS: Duration = Duration::from_millis(300);
const GUESSING: usize = 10;
/// Rows of a topic that a viewer gets at once.
const AT_ONCE: usize = 1500;

/// What came in one turn of the server.
pub(crate) struct Turn {
    pub(crate) number: u64,
    /// When, and when the rings were emptied before, ms since the console began: no row is older than that.
    pub(crate) clock: f64,
    pub(crate) since: f64,
    /// Topic and its rows, in the units of the page.
    pub(crate) blocks: Vec<(usize, Vec<f64>)>,
}

/// When the rows of a topic came that one turn of the server took, ns since 1970: a ring keeps no clock, and between two turns rows are spread
/// evenly.
#[derive(Clone, Copy, Debug)]
pub struct Stamps {
    /// When the ring was empty before, and when it was emptied.
    from: u64,
    to: u64,
    rows: u64,
}

impl Stamps {
    /// Of a row, from 0.
    pub fn of(self, row: usize) -> u64 {
        let share = (row as u64 + 1).min(self.rows) as f64 / self.rows.max(1) as f64;
        self.from + ((self.to - self.from) as f64 * share) as u64
    }
}

impl Turn {
    fn numbers(&self) -> usize {
        self.blocks.iter().map(|b| b.1.len()).sum()
    }
}

/// Where the stream goes besides the page.
pub trait Outlet: Send {
    /// Takes rows of a topic, in the units of the page, and when they came.
    fn rows(&mut self, index: usize, topic: &Topic, stamps: Stamps, rows: &[f64]);
    /// Takes an event.
    fn event(&mut self, _event: &Event) {}
    /// What went wrong since it was asked last, and what to do about it.
    fn trouble(&mut self) -> Option<[String; 2]> {
        None
    }
    /// The stream has ended.
    fn end(&mut self) {}
}

/// Histograms of a rig, from every sample.
struct Kept {
    topic: usize,
    name: String,
    wake: Histogram,
    work: Histogram,
    watcher: Watcher,
}

#[derive(Default)]
struct Inner {
    sources: Vec<Source>,
    rigs: Vec<Kept>,
    outlets: Vec<Box<dyn Outlet>>,
    turns: VecDeque<Arc<Turn>>,
    numbers: usize,
    last: u64,
    status: Arc<str>,
    events: VecDeque<Arc<Event>>,
    /// Events that were forgotten.
    forgotten: usize,
    latest: Vec<Vec<f64>>,
    /// When the rings were emptied last, and when something was in them, ms since the console began.
    emptied: f64,
    heard: f64,
    /// Of each camera when its newest picture was taken: time of the model, s; ms since the console began.
    pictures: Vec<Option<[f64; 2]>>,
    /// A test that is played back may pass a state again: that is no news.
    again: bool,
}

/// Saves a layout.
type Save = Box<dyn Fn(&Value) -> Result<String, String> + Send>;

struct Shared {
    /// When the console began, on a clock that only goes forward and as time of day, ns since 1970.
    begun: Instant,
    born: u64,
    about: Mutex<Value>,
    /// Changes with what is said about the test.
    version: AtomicU64,
    inner: Mutex<Inner>,
    desk: Mutex<Option<Arc<dyn Desk>>>,
    /// Who commands: number of the viewer and a name.
    holder: Mutex<Option<(u64, String)>>,
    viewers: AtomicUsize,
    refused: AtomicU64,
    /// Wrong keys; how many wait for their answer; whose turn it is.
    guesses: AtomicU64,
    guessing: AtomicUsize,
    turnstile: Mutex<()>,
    layout: Mutex<Option<Save>>,
}

/// The middle of a console; clones are the same one.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

/// A lock that a panic elsewhere does not keep.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// ms since 1970.
pub(crate) fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64() * 1e3)
}

impl Hub {
    /// A console of a test: what the page should know of it beforehand.
    pub fn new(about: Value) -> Self {
        let again = about["kind"] == "playback";
        Hub(Arc::new(Shared {
            begun: Instant::now(),
            born: (now_ms() * 1e6) as u64,
            about: Mutex::new(about),
            version: AtomicU64::new(1),
            inner: Mutex::new(Inner { again, ..Inner::default() }),
            desk: Mutex::default(),
            holder: Mutex::default(),
            viewers: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
            guesses: AtomicU64::new(0),
            guessing: AtomicUsize::new(0),
            turnstile: Mutex::default(),
            layout: Mutex::default(),
        }))
    }

    /// ms since the console began, on a clock that only goes forward.
    pub(crate) fn clock(&self) -> f64 {
        self.0.begun.elapsed().as_secs_f64() * 1e3
    }

    /// Stamps of so many rows that came between two moments of [`Hub::clock`]. The time of day is read once, when the console begins: neither a
    /// clock of the machine that is set during a test nor a thread that is held up between two clocks makes the stream go back.
    pub(crate) fn stamps(&self, since: f64, clock: f64, rows: usize) -> Stamps {
        let at = |clock: f64| self.0.born + (clock * 1e6) as u64;
        Stamps { from: at(since), to: at(clock), rows: rows as u64 }
    }

    /// A camera has a new picture, taken at this time of the model, s.
    pub(crate) fn pictured(&self, camera: usize, t: f64) {
        let clock = self.clock();
        let mut inner = lock(&self.0.inner);
        if inner.pictures.len() <= camera {
            inner.pictures.resize(camera + 1, None);
        }
        inner.pictures[camera] = Some([t, clock]);
    }

    /// Adds a topic with a ring of so many rows; the feed is for the loop. A topic that is known (the next test of the same rig) goes on.
    pub fn topic(&self, topic: Topic, rows: usize) -> Feed {
        let mut inner = lock(&self.0.inner);
        let same = |s: &&mut Source| s.topic.name == topic.name && s.topic.columns.len() == topic.columns.len();
        if let Some(known) = inner.sources.iter_mut().find(same) {
            let (feed, new) = source(topic, rows);
            (known.tap, known.past) = (new.tap, new.past);
            return feed;
        }
        let index = inner.sources.len();
        if topic.rig {
            let name = topic.name.strip_prefix("rig.").unwrap_or(&topic.name).to_owned();
            let (wake, work) = (Histogram::new(None), Histogram::new(None));
            inner.rigs.push(Kept { topic: index, wake, work, watcher: Watcher::new(&name), name });
        }
        inner.latest.push(vec![0.0; topic.columns.len()]);
        let (feed, source) = source(topic, rows);
        inner.sources.push(source);
        drop(inner);
        self.0.version.fetch_add(1, Ordering::AcqRel);
        feed
    }

    /// Says more about the test.
    pub fn tell(&self, key: &str, value: Value) {
        lock(&self.0.about)[key] = value;
        self.0.version.fetch_add(1, Ordering::AcqRel);
    }

    /// Appends to a list of what is said about the test, in place of what had the same name.
    pub fn tell_more(&self, key: &str, value: Value) {
        let mut about = lock(&self.0.about);
        match about[key].as_array_mut() {
            Some(list) => {
                list.retain(|known| known["name"] != value["name"]);
                list.push(value);
            }
            None => about[key] = json!([value]),
        }
        drop(about);
        self.0.version.fetch_add(1, Ordering::AcqRel);
    }

    /// Who takes the commands.
    pub fn commanded_by(&self, desk: Arc<dyn Desk>) {
        *lock(&self.0.desk) = Some(desk);
    }

    /// Who saves a layout.
    pub fn saved_by(&self, save: impl Fn(&Value) -> Result<String, String> + Send + 'static) {
        *lock(&self.0.layout) = Some(Box::new(save));
    }

    pub(crate) fn save(&self, layout: &Value) -> Result<String, String> {
        match &*lock(&self.0.layout) {
            Some(save) => save(layout),
            None => Err("this console has no model file to save a layout with".to_owned()),
        }
    }

    /// Sends the stream to another place too.
    pub fn outlet(&self, outlet: Box<dyn Outlet>) {
        lock(&self.0.inner).outlets.push(outlet);
    }

    pub(crate) fn desk(&self) -> Option<Arc<dyn Desk>> {
        lock(&self.0.desk).clone()
    }

    pub(crate) fn holder(&self) -> MutexGuard<'_, Option<(u64, String)>> {
        lock(&self.0.holder)
    }

    pub(crate) fn viewers(&self) -> &AtomicUsize {
        &self.0.viewers
    }

    /// Somebody showed a wrong key: all who do wait for their turn, a third of a second each. `false`: too many wait, and this one is sent away.
    pub(crate) fn guessed(&self) -> bool {
        let number = self.0.guesses.fetch_add(1, Ordering::Relaxed) + 1;
        if number.is_power_of_two() && number >= 4 {
            let t = self.desk().map_or(0.0, |d| d.status().t);
            let advice = "Somebody tries to guess the operator's key. Find out who can reach this console.".to_owned();
            self.event(Event { advice, ..Event::now(Kind::Alarm, t, format!("{number} wrong keys were shown")) });
        }
        if self.0.guessing.fetch_add(1, Ordering::AcqRel) < GUESSING {
            let turn = lock(&self.0.turnstile);
            std::thread::sleep(GUESS);
            drop(turn);
            self.0.guessing.fetch_sub(1, Ordering::AcqRel);
            return true;
        }
        self.0.guessing.fetch_sub(1, Ordering::AcqRel);
        false
    }

    pub(crate) fn refused(&self) -> &AtomicU64 {
        &self.0.refused
    }

    pub(crate) fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Something happened.
    pub fn event(&self, event: Event) {
        let mut inner = lock(&self.0.inner);
        inner.event(event);
    }

    /// Everything that was said about the test, with its topics.
    pub(crate) fn about(&self) -> Value {
        let mut about = lock(&self.0.about).clone();
        let inner = lock(&self.0.inner);
        about["topics"] = inner.sources.iter().map(|s| s.topic.json()).collect();
        about
    }

    /// Topics, with their columns.
    pub(crate) fn topics(&self) -> Vec<Topic> {
        lock(&self.0.inner).sources.iter().map(|s| s.topic.clone()).collect()
    }

    /// One turn: empties the rings, and says where the test is if `status` is due. A console that is served takes its turns itself.
    pub fn turn(&self, status: bool) {
        let said = if status { self.desk().map(|d| d.status()) } else { None };
        let holder = self.holder().as_ref().map(|h| h.1.clone());
        let mut inner = lock(&self.0.inner);
        let inner = &mut *inner;
        let clock = self.clock();
        let since = std::mem::replace(&mut inner.emptied, clock);
        // When it was that a state changed, a recording does not say.
        let when = if inner.again { 0.0 } else { now_ms() };
        let mut blocks = Vec::new();
        let mut events = Vec::new();
        for (index, source) in inner.sources.iter_mut().enumerate() {
            let rows = match inner.rigs.iter_mut().find(|r| r.topic == index) {
                Some(Kept { wake, work, watcher, .. }) => source.take(|row| {
                    events.extend(watcher.look(row, when));
                    if let Some([late, busy]) = watcher.kept_time(row) {
                        wake.record((late * 1e9) as u64);
                        work.record((busy * 1e9) as u64);
                    }
                }),
                None => source.take(|_| ()),
            };
            let n = source.topic.columns.len();
            if let Some(last) = rows.len().checked_sub(n) {
                events.extend(ended(&source.topic, &inner.latest[index], &rows[last..], when));
                inner.latest[index].copy_from_slice(&rows[last..]);
                if source.topic.open {
                    let when = self.stamps(since, clock, rows.len() / n.max(1));
                    inner.outlets.iter_mut().for_each(|o| o.rows(index, &source.topic, when, &rows));
                }
                blocks.push((index, rows));
            }
        }
        for [what, advice] in inner.outlets.iter_mut().filter_map(|o| o.trouble()) {
            let t = inner.latest.first().and_then(|row| row.get(inner.sources[0].topic.time)).copied().unwrap_or(0.0);
            events.push(Event { advice, ..Event::now(Kind::Alarm, t, what) });
        }
        events.into_iter().for_each(|e| inner.event(e));
        if !blocks.is_empty() {
            inner.heard = clock;
            inner.last += 1;
            let turn = Turn { number: inner.last, clock, since, blocks };
            inner.numbers += turn.numbers();
            inner.turns.push_back(Arc::new(turn));
            while inner.turns.len() > KEPT || (inner.numbers > NUMBERS && inner.turns.len() > 1) {
                inner.numbers -= inner.turns.pop_front().map_or(0, |t| t.numbers());
            }
        }
        if status {
            let rig = |r: &Kept| {
                let head: Vec<f64> = inner.latest[r.topic].iter().take(15).copied().collect();
                json!({ "name": r.name, "topic": r.topic, "head": head, "wake": histogram(&r.wake), "work": histogram(&r.work) })
            };
            let dropped: u64 = inner.sources.iter().map(|s| s.dropped).sum();
            let rigs: Vec<Value> = inner.rigs.iter().map(rig).collect();
            let mut status = said.map_or_else(|| json!({}), |s| s.json());
            let picture = |p: &Option<[f64; 2]>| p.map_or(Value::Null, |[t, clock]| json!({ "t": t, "clock": clock }));
            status["clock"] = json!(clock);
            status["silent"] = json!((clock - inner.heard) * 1e-3);
            status["refused"] = json!(self.0.refused.load(Ordering::Relaxed));
            status["pictures"] = inner.pictures.iter().map(picture).collect();
            status["rigs"] = rigs.into();
            status["dropped"] = json!(dropped);
            status["viewers"] = json!(self.0.viewers.load(Ordering::Relaxed));
            status["holder"] = json!(holder);
            inner.status = json!({ "status": status }).to_string().into();
        }
    }

    pub(crate) fn status(&self) -> Arc<str> {
        lock(&self.0.inner).status.clone()
    }

    /// Events from this number on, and the number of the next.
    pub(crate) fn events(&self, from: usize) -> (Vec<Arc<Event>>, usize) {
        let inner = lock(&self.0.inner);
        let skip = from.saturating_sub(inner.forgotten);
        (inner.events.iter().skip(skip).cloned().collect(), inner.forgotten + inner.events.len())
    }

    /// All turns behind this one.
    pub(crate) fn turns(&self, behind: u64) -> Vec<Arc<Turn>> {
        let inner = lock(&self.0.inner);
        let first = inner.turns.partition_point(|t| t.number <= behind);
        inner.turns.range(first..).cloned().collect()
    }

    /// The whole of what was shown, evenly thinned, as the message that a viewer begins with: zero, two numbers without a meaning, then for each
    /// topic its number and its [`Past`](crate::topic::Past).
    pub(crate) fn past(&self) -> Vec<u8> {
        let inner = lock(&self.0.inner);
        let open = inner.sources.iter().enumerate().filter(|(_, s)| s.topic.open);
        let rows = open.flat_map(|(index, s)| std::iter::once(index as f64).chain(s.past.numbers()));
        [0.0; 3].into_iter().chain(rows).flat_map(f64::to_le_bytes).collect()
    }

    /// Latest rows of all topics, for whoever asks now and then.
    pub(crate) fn latest(&self) -> Vec<(Topic, Vec<f64>, u64)> {
        let inner = lock(&self.0.inner);
        inner.sources.iter().zip(&inner.latest).map(|(s, row)| (s.topic.clone(), row.clone(), s.dropped)).collect()
    }

    /// The stream has ended: what is still in the rings is taken, and outlets are closed.
    pub(crate) fn end(&self) {
        self.turn(true);
        lock(&self.0.inner).outlets.iter_mut().for_each(|o| o.end());
    }
}

impl Inner {
    fn event(&mut self, event: Event) {
        let known = |e: &Arc<Event>| e.kind == event.kind && e.t.to_bits() == event.t.to_bits() && e.text == event.text;
        if self.again && self.events.iter().any(known) {
            return;
        }
        self.outlets.iter_mut().for_each(|o| o.event(&event));
        self.events.push_back(Arc::new(event));
        if self.events.len() > EVENTS {
            self.events.pop_front();
            self.forgotten += 1;
        }
    }
}

fn histogram(h: &Histogram) -> Value {
    let summary = h.summary();
    if summary.count == 0 {
        return Value::Null;
    }
    let bars: Vec<Value> = h.bars().iter().map(|b| json!([b.range[0] * 1e-3, b.range[1] * 1e-3, b.count])).collect();
    let us = |ns: u64| ns as f64 * 1e-3;
    json!({ "count": summary.count, "p50": us(summary.p50), "p99_9": us(summary.p99_9), "max": us(summary.max), "bars": bars })
}

/// Several turns as one message: number of the last, its clock, since when its rows are, then for each topic its number, columns, rows and
/// numbers. Rows are left out where a viewer is far behind.
pub(crate) fn message(turns: &[Arc<Turn>], columns: &[usize]) -> Vec<u8> {
    let [Some(first), Some(last)] = [turns.first(), turns.last()] else { return Vec::new() };
    let mut numbers = vec![last.number as f64, last.clock, first.since];
    for (index, &n) in columns.iter().enumerate() {
        let rows: Vec<f64> =
            turns.iter().flat_map(|t| &t.blocks).filter(|b| b.0 == index).flat_map(|b| b.1.iter().copied()).collect();
        let rows = thin_shown(&rows, n, AT_ONCE);
        if !rows.is_empty() {
            numbers.extend([index as f64, n as f64, (rows.len() / n.max(1)) as f64]);
            numbers.extend(rows);
        }
    }
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Alarms of columns that have become zero.
fn ended(topic: &Topic, before: &[f64], now: &[f64], stamp: f64) -> Vec<Event> {
    let alarm = |(c, column): (usize, &Column)| {
        let [text, advice] = column.alarm.clone().filter(|_| before[c] != 0.0 && now[c] == 0.0)?;
        Some(Event { stamp, advice, ..Event::now(Kind::Alarm, now[topic.time], text) })
    };
    topic.columns.iter().enumerate().filter_map(alarm).collect()
}

/// What a status says in a colour.
impl Level {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Quiet => "quiet",
            Level::Attention => "attention",
            Level::Alarm => "alarm",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a model says of itself may end: that is told once, with what to do.
    #[test]
    fn a_column_that_becomes_zero_may_be_an_alarm() {
        let hub = Hub::new(json!({}));
        let columns = vec![Column::new("t", "s", 1.0), Column::new("active", "", 1.0).alarm("disabled", "Look.")];
        let mut feed = hub.topic(Topic { name: "run".into(), columns, time: 0, rig: false, open: true }, 64);
        for (t, active) in [(0.0, 1.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0)] {
            feed.row().copy_from_slice(&[t, active]);
            feed.send();
            hub.turn(false);
        }
        let (events, _) = hub.events(0);
        let told: Vec<_> = events.iter().map(|e| (e.kind, e.t, e.text.as_str(), e.advice.as_str())).collect();
        assert_eq!(told, [(Kind::Alarm, 2.0, "disabled", "Look.")]);
    }

    /// An hour of a stream, as fast as it goes: what is kept for viewers stays within its bounds, however long a test takes.
    #[test]
    fn what_is_kept_of_an_hour_is_bounded() {
        let hub = Hub::new(json!({}));
        let columns = (0..40).map(|i| Column::new(format!("c{i}"), "", 1.0)).collect();
        let mut feed = hub.topic(Topic { name: "run".into(), columns, time: 0, rig: false, open: true }, 64);
        for turn in 0..360_000u32 {
            (0..2).for_each(|_| feed.send());
            if turn % 10 == 0 {
                hub.event(Event::now(Kind::Note, f64::from(turn), "x"));
            }
            hub.turn(false);
            let inner = lock(&hub.0.inner);
            assert!(inner.turns.len() <= KEPT && inner.numbers <= NUMBERS && inner.events.len() <= EVENTS);
        }
        let inner = lock(&hub.0.inner);
        assert_eq!((inner.turns.len(), inner.events.len(), inner.last), (KEPT, EVENTS, 360_000));
        assert!(inner.turns.capacity() <= 2 * KEPT && inner.numbers == KEPT * 80);
    }
}
