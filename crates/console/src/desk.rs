//! Commands: from the holder of the operator's key to the loop, and what the loop makes of them. Nothing here answers before the loop has.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use interfield_lab::controller::{Said, Word};
use interfield_lab::safety::State;
use serde_json::{Value, json};

use crate::events::{Event, Kind};
use crate::hub::{Hub, lock};

/// What can be commanded from a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Makes the test ready to start; of a real specimen with its name as confirmation.
    Arm(String),
    /// Starts it.
    Start,
    /// Slows down and holds.
    Pause,
    /// Goes on.
    Resume,
    /// Returns to the start position and ends.
    Stop,
    /// Emergency stop: brakes, switches off and ends.
    Abort,
    /// Keeps a text with the test.
    Note(String),
    /// Seconds in the laboratory per second of the model.
    Scale(f64),
    /// To this time, s; of a test that is played back.
    Seek(f64),
}

/// Longest text of a note or a confirmation, characters.
const TEXT: usize = 500;

impl Command {
    /// Reads a command of a page.
    ///
    /// # Errors
    /// A sentence.
    pub fn parse(message: &Value) -> Result<Self, String> {
        let text = || -> Result<String, String> {
            let text = message["text"].as_str().unwrap_or_default().trim();
            match text.chars().count() <= TEXT && !text.chars().any(char::is_control) {
                true => Ok(text.to_owned()),
                false => Err(format!("a text has at most {TEXT} characters, in one line")),
            }
        };
        let value = |range: std::ops::RangeInclusive<f64>| {
            let value = message["value"].as_f64().filter(|x| range.contains(x));
            value.ok_or_else(|| format!("give a number from {} to {}", range.start(), range.end()))
        };
        match message["do"].as_str().unwrap_or_default() {
            "arm" => Ok(Command::Arm(text()?)),
            "start" => Ok(Command::Start),
            "pause" => Ok(Command::Pause),
            "resume" => Ok(Command::Resume),
            "stop" => Ok(Command::Stop),
            "abort" => Ok(Command::Abort),
            "note" => match text()? {
                text if text.is_empty() => Err("a note needs a text".to_owned()),
                text => Ok(Command::Note(text)),
            },
            "scale" => Ok(Command::Scale(value(0.001..=1000.0)?)),
            "seek" => Ok(Command::Seek(value(0.0..=1e9)?)),
            other => Err(format!("unknown command `{}`", other.chars().take(40).collect::<String>())),
        }
    }

    /// Whether it is taken whenever it comes. All others rest on what whoever gave them saw of the test.
    pub(crate) fn is_timeless(&self) -> bool {
        matches!(self, Command::Abort | Command::Note(_))
    }

    /// As it stands in the log.
    pub fn words(&self) -> String {
        match self {
            Command::Arm(name) if name.is_empty() => "arm".to_owned(),
            Command::Arm(name) => format!("arm {name}"),
            Command::Start => "start".to_owned(),
            Command::Pause => "pause".to_owned(),
            Command::Resume => "resume".to_owned(),
            Command::Stop => "stop".to_owned(),
            Command::Abort => "emergency stop".to_owned(),
            Command::Note(text) => text.clone(),
            Command::Scale(scale) => format!("time scale {scale}"),
            Command::Seek(t) => format!("to {t} s"),
        }
    }
}

/// How much a state asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Everything is as planned.
    Quiet,
    /// Somebody should look.
    Attention,
    /// Somebody must act.
    Alarm,
}

/// Where a test is.
#[derive(Clone, Debug)]
pub struct Status {
    /// In a word.
    pub word: String,
    /// How much it asks for.
    pub level: Level,
    /// Why, and what follows.
    pub detail: String,
    /// Commands that are possible now.
    pub can: Vec<&'static str>,
    /// Time of the model, s.
    pub t: f64,
    /// Seconds in the laboratory per second of the model; 0: as fast as possible.
    pub scale: f64,
    /// Whether the stream has ended.
    pub over: bool,
}

impl Status {
    pub(crate) fn json(&self) -> Value {
        let Status { word, level, detail, can, t, scale, over } = self;
        json!({ "word": word, "level": level.name(), "detail": detail, "can": can, "t": t, "scale": scale, "over": over })
    }
}

/// A loop that is commanded: all rigs of a test, or the loop of a run that is only computed.
pub trait Loop: Send + Sync {
    /// Says a word to it, by somebody; the answer, or why nothing was done.
    ///
    /// # Errors
    /// A sentence.
    fn say(&self, who: &str, word: &Word) -> Result<String, String>;
    /// Whether it has taken what was said.
    fn is_heard(&self) -> bool;
    /// What its rigs say of themselves; nothing where a run is only computed.
    fn said(&self) -> Vec<Said>;
    /// Time of the model, s.
    fn t(&self) -> f64;
    /// Whether it has ended, is to end, or stands because of a pause.
    fn ends(&self) -> Ends;
    /// Keeps what somebody did with the test.
    fn keep(&self, who: &str, what: &str);
}

/// How far the end of a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It has not begun.
    Starts,
    /// It goes on.
    GoesOn,
    /// It stands because of a pause.
    Stands,
    /// It is to end.
    Ending,
    /// It has ended.
    Over,
}

/// Takes commands.
pub trait Desk: Send + Sync {
    /// Where the test is.
    fn status(&self) -> Status;

    /// Does as it is told; the answer is what the loop acknowledged.
    ///
    /// # Errors
    /// A sentence: why nothing was done.
    fn command(&self, who: &str, command: &Command) -> Result<String, String>;
}

/// Longest time that the loop may take to acknowledge a command.
const ACKNOWLEDGED: Duration = Duration::from_secs(3);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(2);

/// How far the start of a test is.
#[derive(Clone, Debug, PartialEq)]
enum Gate {
    /// Nothing moves before it is armed.
    Ready,
    /// By somebody, with this confirmation.
    Armed(String),
    /// The test starts.
    Started(String),
    /// It was called off.
    CalledOff,
}

/// What the gate says when it opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The test starts; what was typed to confirm it.
    Confirmed(String),
    /// It does not.
    CalledOff,
}

/// The desk of a run: nothing moves before somebody armed and started it.
pub struct RunDesk {
    hub: Hub,
    gate: Mutex<Gate>,
    opened: Condvar,
    /// The loop, which keeps what ends it also before it has begun.
    operator: Box<dyn Loop>,
    /// Seconds in the laboratory per second of the model as planned, and whether a clock drives the rigs.
    planned: f64,
    real_time: bool,
    /// Where no clock does: seconds that pass on the wall for one of the model, bits of a float; 0: as fast as possible.
    pace: AtomicU64,
    outcome: Mutex<Option<(String, bool)>>,
    confirm: Vec<String>,
}

impl RunDesk {
    /// For a run whose rigs are driven by a clock, or not. `confirm`: names of what may be real, which must be typed to arm.
    pub fn new(hub: &Hub, operator: Box<dyn Loop>, real_time: bool, planned: f64, confirm: Vec<String>) -> Arc<Self> {
        Arc::new(RunDesk {
            hub: hub.clone(),
            gate: Mutex::new(Gate::Ready),
            opened: Condvar::new(),
            operator,
            planned,
            real_time,
            pace: AtomicU64::new(planned.to_bits()),
            outcome: Mutex::default(),
            confirm,
        })
    }

    /// Waits until somebody starts the test.
    pub fn wait(&self) -> Start {
        let gate = lock(&self.gate);
        let closed = |gate: &mut Gate| matches!(gate, Gate::Ready | Gate::Armed(_));
        let gate = self.opened.wait_while(gate, closed).unwrap_or_else(PoisonError::into_inner);
        match &*gate {
            Gate::Started(confirmed) => Start::Confirmed(confirmed.clone()),
            _ => Start::CalledOff,
        }
    }

    /// Starts without waiting for anybody.
    pub fn open(&self) {
        *lock(&self.gate) = Gate::Started(String::new());
        self.opened.notify_all();
    }

    /// The run has ended.
    pub fn ended(&self, outcome: &str, good: bool) {
        *lock(&self.outcome) = Some((outcome.to_owned(), good));
        // The whole of it stands beside the state.
        let text = outcome.split("; ").next().unwrap_or(outcome);
        let advice = "Read the verdict and the log of the run before the next test.";
        let (kind, advice) = if good { (Kind::State, "") } else { (Kind::Alarm, advice) };
        self.hub.event(Event { advice: advice.to_owned(), ..Event::now(kind, self.t(), text) });
    }

    /// Waits until the time of the model is due on the wall, where no clock drives the run and nobody ends it.
    pub fn pace(&self, anchor: &mut Pace, t: f64) {
        if self.real_time {
            return;
        }
        loop {
            let scale = f64::from_bits(self.pace.load(Ordering::Acquire));
            let ending = matches!(self.operator.ends(), Ends::Ending | Ends::Over);
            let Some(rest) = anchor.rest(scale, t).filter(|_| !ending) else { return };
            std::thread::sleep(rest.min(Duration::from_millis(10)));
        }
    }

    fn t(&self) -> f64 {
        self.operator.t()
    }

    fn arm(&self, who: &str, name: &str) -> Result<String, String> {
        let mut gate = lock(&self.gate);
        if *gate != Gate::Ready {
            return Err("the test is armed already".to_owned());
        }
        let wanted = self.confirm.join(", ");
        let typed: Vec<&str> = name.split(',').map(str::trim).collect();
        if !self.confirm.is_empty() && typed != self.confirm {
            return Err(format!("type the name of what will move, to confirm it: {wanted}"));
        }
        *gate = Gate::Armed(name.to_owned());
        self.keep(who, "arm");
        Ok("armed".to_owned())
    }

    fn start(&self, who: &str) -> Result<String, String> {
        let mut gate = lock(&self.gate);
        let Gate::Armed(confirmed) = &*gate else {
            return Err(match *gate {
                Gate::Ready => "arm the test first",
                Gate::CalledOff => "the test was called off",
                _ => "the test was started already",
            }
            .to_owned());
        };
        *gate = Gate::Started(confirmed.clone());
        self.keep(who, "start");
        self.opened.notify_all();
        drop(gate);
        self.acknowledged(|operator| operator.ends() != Ends::Starts)
    }

    fn keep(&self, who: &str, what: &str) {
        self.operator.keep(who, what);
    }

    /// Waits until the loop shows what was asked for.
    fn acknowledged(&self, shown: impl Fn(&dyn Loop) -> bool) -> Result<String, String> {
        let begun = Instant::now();
        while begun.elapsed() < ACKNOWLEDGED {
            if shown(self.operator.as_ref()) {
                return Ok(self.status().word);
            }
            std::thread::sleep(LOOK);
        }
        Err("the loop has not acknowledged the command yet; look at its state".to_owned())
    }

    fn say(&self, who: &str, word: &Word) -> Result<String, String> {
        if matches!(word, Word::Stop | Word::Abort) && self.call_off() {
            return Ok("called off".to_owned());
        }
        // Rigs may stand ready before the first sample.
        let ready =
            |said: &[Said]| !said.is_empty() && said.iter().all(|s| matches!(s.state, State::Idle | State::Armed));
        let starts = self.operator.ends() == Ends::Starts || ready(&self.operator.said());
        if starts && matches!(word, Word::Pause | Word::Resume | Word::Slower(_)) {
            return Err("the test has not begun".to_owned());
        }
        self.operator.say(who, word)?;
        match word {
            Word::Note(_) => Ok("noted".to_owned()),
            // The loop is not there yet to acknowledge it: it finds this when it comes, and does not begin.
            Word::Stop | Word::Abort if starts => Ok("kept: the test ends before it begins".to_owned()),
            _ => self.acknowledged(|operator| operator.is_heard()),
        }
    }

    /// Closes the gate for good; `false`: the test was started already.
    fn call_off(&self) -> bool {
        let mut gate = lock(&self.gate);
        if matches!(*gate, Gate::Started(_)) {
            return false;
        }
        *gate = Gate::CalledOff;
        self.opened.notify_all();
        true
    }

    fn scale(&self, who: &str, scale: f64) -> Result<String, String> {
        if self.real_time {
            let factor = scale / self.planned;
            if factor < 1.0 - 1e-9 {
                return Err(format!(
                    "the test was planned for a time scale of {}; it can only become slower",
                    self.planned
                ));
            }
            return self.say(who, &Word::Slower((1000.0 * factor).round() as u32));
        }
        self.pace.store(scale.to_bits(), Ordering::Release);
        self.keep(who, &format!("time scale {scale}"));
        Ok(format!("time scale {scale}"))
    }

    /// Of a run whose loop is there.
    fn live(&self) -> Status {
        let operator = self.operator.as_ref();
        let said = operator.said();
        let cause = said.iter().find_map(|s| s.cause.map(|c| (s, c)));
        let t = said.iter().map(|s| s.t).fold(operator.t(), f64::max);
        let slower = said.iter().map(|s| s.slower).fold(1.0, f64::max);
        let scale = match self.real_time {
            true => self.planned * slower,
            false => f64::from_bits(self.pace.load(Ordering::Acquire)),
        };
        let mut status = Status {
            word: String::new(),
            level: Level::Quiet,
            detail: String::new(),
            can: Vec::new(),
            t,
            scale,
            over: false,
        };
        const ENDS: [&str; 3] = ["stop", "abort", "scale"];
        let (word, can): (&str, &[&str]) = match said.iter().max_by_key(|s| graver(s.state)).map(|s| s.state) {
            None => match operator.ends() {
                Ends::Starts => ("starting", &["stop", "abort"]),
                Ends::Over => ("finished", &[]),
                Ends::Ending => ("stopping", &["abort"]),
                Ends::Stands => ("paused", &["resume"]),
                Ends::GoesOn => ("running", &["pause"]),
            },
            Some(State::Holding) => ("holding", &["resume"]),
            Some(state @ (State::GoingHome | State::AtRest)) => (state.name(), &["abort"]),
            Some(state @ (State::Aborted | State::Finished)) => (state.name(), &[]),
            Some(State::Idle | State::Armed) => ("starting", &["stop", "abort"]),
            Some(state) => (state.name(), &["pause"]),
        };
        status.word = word.to_owned();
        status.can = can.to_vec();
        if can.contains(&"pause") || can.contains(&"resume") {
            status.can.extend(ENDS);
        }
        status.can.push("note");
        if matches!(word, "holding" | "paused") {
            status.level = Level::Attention;
            status.detail = "The specimen is held where it is. Resume, or stop.".to_owned();
        }
        if let Some((rig, cause)) = cause {
            let name = if rig.name.is_empty() { String::new() } else { format!("{}: ", rig.name) };
            status.level = Level::Alarm;
            status.detail = format!("{name}{}. {}", cause.words(), crate::events::advice(cause));
        }
        status
    }
}

impl Desk for RunDesk {
    fn status(&self) -> Status {
        let scale = f64::from_bits(self.pace.load(Ordering::Acquire));
        let quiet = |word: &str, can: &[&'static str], detail: &str| Status {
            word: word.to_owned(),
            level: Level::Quiet,
            detail: detail.to_owned(),
            can: can.to_vec(),
            t: 0.0,
            scale,
            over: false,
        };
        // The pace of rigs is theirs: they are told of it once they are there.
        let before = |first: &'static str| match self.real_time {
            true => vec![first, "stop", "abort", "note"],
            false => vec![first, "stop", "abort", "note", "scale"],
        };
        if let Some((outcome, good)) = &*lock(&self.outcome) {
            let level = if *good { Level::Quiet } else { Level::Alarm };
            let live = self.live();
            // A run that was refused never got further.
            let word = if live.word == "starting" { "not started" } else { &live.word };
            return Status { level, t: live.t, scale: live.scale, over: true, ..quiet(word, &[], outcome) };
        }
        match &*lock(&self.gate) {
            Gate::Ready if self.confirm.is_empty() => {
                quiet("ready", &before("arm"), "Nothing moves. Arm the test, then start it.")
            }
            Gate::Ready => {
                let names = self.confirm.join(", ");
                let detail = format!("Nothing moves. To arm the test, type what will move: {names}.");
                quiet("ready", &before("arm"), &detail)
            }
            Gate::Armed(_) => Status {
                level: Level::Attention,
                ..quiet("armed", &before("start"), "The next command starts the test.")
            },
            Gate::Started(_) => self.live(),
            Gate::CalledOff => Status { over: true, ..quiet("called off", &[], "The test was not started.") },
        }
    }

    fn command(&self, who: &str, command: &Command) -> Result<String, String> {
        if lock(&self.outcome).is_some() {
            return Err("the test is over".to_owned());
        }
        // When it was given: until it is answered time goes on.
        let t = self.status().t;
        let answer = match command {
            Command::Arm(name) => self.arm(who, name),
            Command::Start => self.start(who),
            Command::Pause => self.say(who, &Word::Pause),
            Command::Resume => self.say(who, &Word::Resume),
            Command::Stop => self.say(who, &Word::Stop),
            Command::Abort => self.say(who, &Word::Abort),
            Command::Note(text) => self.say(who, &Word::Note(text.clone())),
            Command::Scale(scale) => self.scale(who, *scale),
            Command::Seek(_) => Err("a test that goes on has no other time".to_owned()),
        }?;
        let kind = if matches!(command, Command::Note(_)) { Kind::Note } else { Kind::Command };
        self.hub.event(Event::now(kind, t, command.words()).by(who));
        Ok(answer)
    }
}

/// Which of several states a test is in.
fn graver(state: State) -> usize {
    const ORDER: [State; 9] = [
        State::Finished,
        State::Idle,
        State::Armed,
        State::ToStart,
        State::Running,
        State::Holding,
        State::GoingHome,
        State::AtRest,
        State::Aborted,
    ];
    ORDER.iter().position(|s| *s == state).unwrap_or(0)
}

/// When the last step was due.
#[derive(Debug, Default)]
pub struct Pace(Option<(f64, f64, Instant)>);

impl Pace {
    /// Time to wait until `t` is due at this scale; none if it is.
    fn rest(&mut self, scale: f64, t: f64) -> Option<Duration> {
        let (known, from, since) = *self.0.get_or_insert_with(|| (scale, t, Instant::now()));
        // Another scale, or a run that is behind (paused, or slow): counted anew from here.
        let due = (t - from) * scale;
        let rest = due - since.elapsed().as_secs_f64();
        if known.to_bits() != scale.to_bits() || rest < -0.1 || scale <= 0.0 {
            self.0 = Some((scale, t, Instant::now()));
            return None;
        }
        (rest > 1e-3).then(|| Duration::from_secs_f64(rest))
    }
}
