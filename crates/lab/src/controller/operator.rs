//! The operator: words to a running test, and what it says of itself, from other threads and without waiting.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use interfield_kernel::Archive;

use super::force::Control;
use crate::safety::{Event, State, Trip};

/// What an operator can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Slow down along the way, and hold until told otherwise.
    Pause,
    /// Go on.
    Resume,
    /// Go home and end.
    Stop,
    /// Brake, switch off and end.
    Abort,
    /// Say where the test is.
    Status,
    /// Change the control of an actuator that holds an inner degree of freedom.
    Control(String, Control),
    /// Keep this with the test.
    Note(String),
    /// Follow the targets so many times slower than planned, from 1; as thousandths.
    Slower(u32),
}

impl Word {
    /// All, as they are written.
    pub const WORDS: &str =
        "pause, resume, stop, abort, status, control ACTUATOR force|displacement, slower FACTOR, note TEXT";

    /// Reads a word; the error is a sentence for the operator.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(line: &str) -> Result<Word, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("note", "") => Err("a note needs a text: note TEXT".to_owned()),
            ("note", text) => Ok(Word::Note(text.to_owned())),
            ("control", rest) => {
                let found = rest.rsplit_once(char::is_whitespace).and_then(|(name, control)| {
                    let control = Control::ALL.iter().find(|c| c.1 == control)?;
                    Some(Word::Control(name.trim().to_owned(), control.0))
                });
                found.ok_or_else(|| "write control ACTUATOR force, or control ACTUATOR displacement".to_owned())
            }
            ("slower", factor) => {
                let factor = factor.parse::<f64>().ok().filter(|f| (1.0..=SLOWEST).contains(f));
                let factor =
                    factor.ok_or_else(|| format!("write slower FACTOR, a number from 1 (as planned) to {SLOWEST}"))?;
                Ok(Word::Slower((1000.0 * factor).round() as u32))
            }
            ("pause", "") => Ok(Word::Pause),
            ("resume", "") => Ok(Word::Resume),
            ("stop", "") => Ok(Word::Stop),
            ("abort", "") => Ok(Word::Abort),
            ("status", "") => Ok(Word::Status),
            _ => Err(format!("unknown command `{line}`; nothing was done; commands are: {}", Word::WORDS)),
        }
    }
}

/// Slowest pace, as a multiple of the time that was planned.
pub const SLOWEST: f64 = 1000.0;

/// What a rig says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Name; empty for the only one.
    pub name: String,
    /// State of its test.
    pub state: State,
    /// What first kept the test from ending as planned.
    pub cause: Option<Trip>,
    /// Time of the model, s.
    pub t: f64,
    /// Time in the laboratory, s.
    pub laboratory: f64,
    /// How many times slower than planned it goes.
    pub slower: f64,
}

/// How a rig says where it is.
#[derive(Debug, Default)]
struct Shown {
    name: String,
    period: f64,
    state: AtomicU8,
    /// What first kept the test from ending as planned, from 1; 0: nothing.
    cause: AtomicU32,
    tick: AtomicU64,
    /// Time of the model, bits of a float.
    time: AtomicU64,
    /// How many times slower than planned it goes, bits of a float.
    slower: AtomicU64,
    /// Words taken.
    taken: AtomicU64,
    /// Actuators that hold inner degrees of freedom: name, and the control that is wanted, from 1; 0: as it is.
    axes: Vec<(String, AtomicU8)>,
}

#[derive(Debug, Default)]
struct Shared {
    /// What is wanted of the test: 0 go on, 1 pause, 2 stop, 3 abort.
    wanted: AtomicU8,
    /// How many times slower than planned it should go, in thousandths; 0: as planned.
    slower: AtomicU32,
    /// How often `resume` was said.
    resumed: AtomicU64,
    /// Words said.
    said: AtomicU64,
    rigs: Mutex<Vec<Arc<Shown>>>,
    lines: Mutex<Vec<String>>,
}

/// The desk of an operator: one for all rigs of a test.
#[derive(Clone, Debug, Default)]
pub struct Operator(Arc<Shared>);

const GO_ON: u8 = 0;
const PAUSE: u8 = 1;
const STOP: u8 = 2;
const ABORT: u8 = 3;

impl Operator {
    /// Says a word to all rigs, and what the operator is told at once: `Err` if nothing was done.
    ///
    /// # Errors
    /// A sentence, when the word comes too late or changes nothing.
    pub fn say(&self, word: &Word) -> Result<String, String> {
        self.say_by("", word)
    }

    /// The same by somebody, who is kept with it.
    ///
    /// # Errors
    /// A sentence, when the word comes too late or changes nothing.
    pub fn say_by(&self, who: &str, word: &Word) -> Result<String, String> {
        let by = if who.is_empty() { String::new() } else { format!(" ({who})") };
        let answer = match word {
            Word::Status => return Ok(self.status()),
            Word::Note(text) => {
                self.keep(&format!("note{by}: {text}"));
                return Ok("noted".to_owned());
            }
            _ if self.is_over() => return Err(format!("the test is over: {}", self.status())),
            Word::Control(name, to) => self.want_control(name, *to),
            Word::Slower(factor) => {
                self.0.slower.store(*factor, Ordering::Release);
                Ok(format!("{} times slower than planned", f64::from(*factor) / 1000.0))
            }
            Word::Pause => self.want(PAUSE, &[GO_ON], "pausing"),
            Word::Resume => self.want(GO_ON, &[PAUSE, GO_ON], "resuming"),
            Word::Stop => self.want(STOP, &[GO_ON, PAUSE], "stopping: the specimen returns to its start position"),
            Word::Abort => self.want(
                ABORT,
                &[GO_ON, PAUSE, STOP],
                "aborting: the specimen is braked, and the drives \
                are switched off",
            ),
        }?;
        if *word == Word::Resume {
            self.0.resumed.fetch_add(1, Ordering::AcqRel);
        }
        self.0.said.fetch_add(1, Ordering::AcqRel);
        self.keep(&match word {
            Word::Control(name, to) => format!("operator{by}: control {name} {}", to.name()),
            Word::Slower(factor) => format!("operator{by}: slower {}", f64::from(*factor) / 1000.0),
            word => format!("operator{by}: {}", format!("{word:?}").to_lowercase()),
        });
        Ok(format!("{answer}; {}", self.status()))
    }

    /// Asks for the control of the actuators with this name.
    fn want_control(&self, name: &str, to: Control) -> Result<String, String> {
        let rigs = self.rigs();
        let mut axes = rigs.iter().flat_map(|r| &r.axes).filter(|(n, _)| n == name).peekable();
        if axes.peek().is_none() {
            let known: Vec<&str> = rigs.iter().flat_map(|r| r.axes.iter().map(|(n, _)| n.as_str())).collect();
            return Err(match known.as_slice() {
                [] => "no actuator of this test has a control of its own; nothing was done".to_owned(),
                known => format!("no actuator `{name}` has a control of its own; those are: {}", known.join(", ")),
            });
        }
        axes.for_each(|(_, wanted)| wanted.store(1 + to as u8, Ordering::Release));
        Ok(format!("{name} in {} control", to.name()))
    }

    /// Asks for it, unless something graver was asked for before.
    fn want(&self, wanted: u8, from: &[u8], answer: &str) -> Result<String, String> {
        let change = |now: u8| from.contains(&now).then_some(wanted);
        match self.0.wanted.fetch_update(Ordering::AcqRel, Ordering::Acquire, change) {
            Ok(_) => Ok(answer.to_owned()),
            Err(PAUSE) => Err("the test is paused already".to_owned()),
            Err(STOP) => Err("the test is being stopped already".to_owned()),
            Err(_) => Err("the test is being aborted already".to_owned()),
        }
    }

    /// Wants the end of rigs that come later: they obey in their first sample, before anything has moved.
    pub fn forestall(&self, word: &Word) {
        let wanted = match word {
            Word::Stop => STOP,
            Word::Abort => ABORT,
            _ => return,
        };
        self.0.wanted.fetch_max(wanted, Ordering::AcqRel);
        self.0.said.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether all rigs have taken what was said.
    pub fn is_heard(&self) -> bool {
        let said = self.0.said.load(Ordering::Acquire);
        self.rigs().iter().all(|r| r.taken.load(Ordering::Acquire) >= said || over(r))
    }

    /// Whether a pause is wanted.
    pub fn is_paused(&self) -> bool {
        self.0.wanted.load(Ordering::Acquire) == PAUSE
    }

    /// Whether any rig listens.
    pub fn has_rigs(&self) -> bool {
        !self.rigs().is_empty()
    }

    /// Whether there are rigs, and the tests of all of them have ended.
    fn is_over(&self) -> bool {
        let rigs = self.rigs();
        !rigs.is_empty() && rigs.iter().all(|r| over(r))
    }

    /// Keeps a line with the test.
    pub fn keep(&self, line: &str) {
        let when = self.rigs().first().map(|r| {
            let tick = r.tick.load(Ordering::Acquire);
            format!("{:.4} s in the laboratory, sample {tick}: ", tick as f64 * r.period)
        });
        let line = when.unwrap_or_default() + line;
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// What was said and noted so far, a line each.
    pub fn lines(&self) -> Vec<String> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What every rig says of itself.
    pub fn said(&self) -> Vec<Said> {
        let one = |r: &Arc<Shown>| Said {
            name: r.name.clone(),
            state: State::from_code(r.state.load(Ordering::Acquire)).unwrap_or(State::Idle),
            cause: r.cause.load(Ordering::Acquire).checked_sub(1).and_then(Trip::from_code),
            t: f64::from_bits(r.time.load(Ordering::Acquire)),
            laboratory: r.tick.load(Ordering::Acquire) as f64 * r.period,
            slower: f64::from_bits(r.slower.load(Ordering::Acquire)),
        };
        self.rigs().iter().map(one).collect()
    }

    /// Where the test is, in a line.
    pub fn status(&self) -> String {
        let one = |r: &Arc<Shown>| {
            let state = State::from_code(r.state.load(Ordering::Acquire)).unwrap_or(State::Idle);
            let t = f64::from_bits(r.time.load(Ordering::Acquire));
            let lab = r.tick.load(Ordering::Acquire) as f64 * r.period;
            let cause = r.cause.load(Ordering::Acquire).checked_sub(1).and_then(Trip::from_code);
            let why = cause.map_or_else(String::new, |c| format!(" ({})", c.words()));
            let name = if r.name.is_empty() { String::new() } else { format!("{}: ", r.name) };
            format!("{name}{}{why}, t = {t:.4} s, {lab:.4} s in the laboratory", state.name())
        };
        let all: Vec<String> = self.rigs().iter().map(one).collect();
        if all.is_empty() { "no specimen".to_owned() } else { all.join("; ") }
    }

    fn rigs(&self) -> Vec<Arc<Shown>> {
        self.0.rigs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The ear of a rig. Allocates.
    pub(super) fn ear(&self, name: &str, period: f64, axes: Vec<String>) -> Ear {
        let axes = axes.into_iter().map(|name| (name, AtomicU8::new(0))).collect();
        let shown = Arc::new(Shown { name: name.to_owned(), period, axes, ..Shown::default() });
        self.0.rigs.lock().unwrap_or_else(PoisonError::into_inner).push(shown.clone());
        Ear { shared: self.0.clone(), shown, wanted: GO_ON, resumed: 0 }
    }
}

fn over(rig: &Shown) -> bool {
    State::from_code(rig.state.load(Ordering::Acquire)).is_some_and(State::is_over)
}

/// Lines of text, byte by byte.
fn persist_lines(lines: &mut Vec<String>, archive: &mut dyn Archive) {
    let mut count = lines.len();
    archive.whole(&mut count);
    lines.resize(count.min(LONGEST), String::new());
    for line in lines {
        let mut bytes = std::mem::take(line).into_bytes();
        let mut length = bytes.len();
        archive.whole(&mut length);
        bytes.resize(length.min(LONGEST), 0);
        bytes.iter_mut().for_each(|byte| archive.whole(byte));
        *line = String::from_utf8_lossy(&bytes).into_owned();
    }
}

/// Most lines that are restored, and most bytes of each.
const LONGEST: usize = 1 << 20;

/// How a rig hears its operator.
pub(super) struct Ear {
    shared: Arc<Shared>,
    shown: Arc<Shown>,
    /// What was wanted when it listened last.
    wanted: u8,
    resumed: u64,
}

impl Ear {
    /// What was said since the last time.
    pub(super) fn hear(&mut self) -> Option<Event> {
        let said = self.shared.said.load(Ordering::Acquire);
        let wanted = self.shared.wanted.load(Ordering::Acquire);
        let resumed = self.shared.resumed.load(Ordering::Acquire);
        let new = std::mem::replace(&mut self.wanted, wanted) != wanted;
        let again = std::mem::replace(&mut self.resumed, resumed) != resumed;
        self.shown.taken.store(said, Ordering::Release);
        match wanted {
            PAUSE if new => Some(Event::Pause),
            STOP if new => Some(Event::Stop),
            ABORT if new => Some(Event::Abort),
            GO_ON if again => Some(Event::Resume),
            _ => None,
        }
    }

    /// The control that was asked for axis `i` since the last time.
    pub(super) fn control(&self, i: usize) -> Option<Control> {
        let wanted = self.shown.axes.get(i)?.1.swap(0, Ordering::AcqRel);
        Some(Control::ALL.get(usize::from(wanted.checked_sub(1)?))?.0)
    }

    /// Saves or restores what was said, and what of it was heard. All rigs of a test share what was said. It is written where it
    /// is restored only: while it is saved somebody may speak.
    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        let Ear { shared, shown: _, wanted, resumed } = self;
        archive.whole(wanted);
        archive.whole(resumed);
        let pace = shared.slower.load(Ordering::Acquire);
        let mut paced = pace;
        archive.whole(&mut paced);
        if paced != pace {
            shared.slower.store(paced, Ordering::Release);
        }
        let now = shared.wanted.load(Ordering::Acquire);
        let mut restored = now;
        archive.whole(&mut restored);
        if restored != now {
            shared.wanted.store(restored, Ordering::Release);
        }
        for count in [&shared.resumed, &shared.said] {
            let now = count.load(Ordering::Acquire);
            let mut restored = now;
            archive.whole(&mut restored);
            if restored != now {
                count.store(restored, Ordering::Release);
            }
        }
        persist_lines(&mut shared.lines.lock().unwrap_or_else(PoisonError::into_inner), archive);
    }

    /// How many times slower than planned the test should go.
    pub(super) fn slower(&self) -> f64 {
        (f64::from(self.shared.slower.load(Ordering::Acquire)) / 1000.0).max(1.0)
    }

    /// Shows how many times slower it goes.
    pub(super) fn show_pace(&self, slower: f64) {
        self.shown.slower.store(slower.to_bits(), Ordering::Release);
    }

    /// Whether a pause is wanted.
    pub(super) fn is_paused(&self) -> bool {
        self.wanted == PAUSE
    }

    /// Shows where the rig is.
    pub(super) fn show(&self, state: State, cause: Option<Trip>, tick: u64, t: f64) {
        self.shown.state.store(state as u8, Ordering::Release);
        self.shown.cause.store(cause.map_or(0, |c| c.code() + 1), Ordering::Release);
        self.shown.tick.store(tick, Ordering::Release);
        self.shown.time.store(t.to_bits(), Ordering::Release);
    }
}
