//! The states of a test as one table, and the log of its transitions.
//!
//! **Must not be here:** motion, limits, what an event is made of: whoever sees one says [`Sequence::happen`].

use interfield_kernel::Archive;

use super::{Alarm, Trip};

/// Where a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing has been commanded.
    Idle,
    /// Ready: the next target moves the specimen.
    Armed,
    /// On the way to the initial displacement.
    ToStart,
    /// The test proper.
    Running,
    /// Braked and held where it is; the test may go on.
    Holding,
    /// Braked and led home; the test does not go on.
    GoingHome,
    /// Braked, and kept where it is until everything has come to rest; the test is over then.
    AtRest,
    /// Ended before its time, drives off.
    Aborted,
    /// Ended as planned, drives off.
    Finished,
}

impl State {
    /// All, in the order of their numbers in a recording.
    pub const ALL: [(State, &str); 9] = [
        (State::Idle, "idle"),
        (State::Armed, "armed"),
        (State::ToStart, "to start"),
        (State::Running, "running"),
        (State::Holding, "holding"),
        (State::GoingHome, "returning"),
        (State::AtRest, "at rest"),
        (State::Aborted, "aborted"),
        (State::Finished, "finished"),
    ];

    /// Number in a recording.
    pub fn code(self) -> f64 {
        f64::from(self as u8)
    }

    /// The state with this number.
    pub fn from_code(code: u8) -> Option<Self> {
        State::ALL.get(usize::from(code)).map(|s| s.0)
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.choice(self, &State::ALL.map(|s| s.0));
    }

    /// Name.
    pub fn name(self) -> &'static str {
        State::ALL[self as usize].1
    }

    /// Whether no further command will be given.
    pub fn is_over(self) -> bool {
        matches!(self, State::Aborted | State::Finished)
    }

    /// Whether the drives are needed.
    pub fn is_enabled(self) -> bool {
        !matches!(self, State::Idle | State::Aborted | State::Finished)
    }
}

/// What can happen to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is armed.
    Arm,
    /// The first target has come.
    Start,
    /// The initial displacement is reached, and the next target has come.
    Begin,
    /// Something tripped that only warns.
    Warned,
    /// Something tripped that holds.
    Hold,
    /// Something tripped that leads home.
    Home,
    /// Something tripped that ends the test.
    Off,
    /// No command can reach the specimen, or none may: the connection is lost, the emergency stop pressed.
    Lost,
    /// What held it is gone.
    Cleared,
    /// A hold has lasted too long.
    Overdue,
    /// The operator says `pause`.
    Pause,
    /// The operator says `resume`.
    Resume,
    /// The operator says `stop`.
    Stop,
    /// The operator says `abort`.
    Abort,
    /// The last target was reached.
    End,
    /// The way home is over.
    Arrived,
    /// Everything has come to rest.
    Settled,
}

impl Event {
    /// All, as the columns of the table.
    pub const ALL: [(Event, &str); 17] = [
        (Event::Arm, "arm"),
        (Event::Start, "first target"),
        (Event::Begin, "next target"),
        (Event::Warned, "trip: warn"),
        (Event::Hold, "trip: hold"),
        (Event::Home, "trip: ramp-down"),
        (Event::Off, "trip: abort"),
        (Event::Lost, "lost, emergency stop"),
        (Event::Cleared, "cause gone"),
        (Event::Overdue, "hold too long"),
        (Event::Pause, "`pause`"),
        (Event::Resume, "`resume`"),
        (Event::Stop, "`stop`"),
        (Event::Abort, "`abort`"),
        (Event::End, "last target"),
        (Event::Arrived, "start position reached"),
        (Event::Settled, "settled"),
    ];
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    Stay,
    /// This state.
    To(State),
    /// The state before the hold.
    Back,
    /// Held and gone on with, as long as nothing has tripped before and not too often; at rest after that.
    Once,
    /// The end: finished, or aborted if there is a cause.
    Over,
}

/// Where each event leads from each state: the rows are [`State::ALL`], the columns [`Event::ALL`].
///
/// A trip is told once; while it lasts and grows no worse it is not told again. A way home that nothing had tripped before is held and gone
/// on with, three times at most; a trip on the way home after another one is a *further* one, and escalates: the specimen is kept where it
/// is, and after one more the drives are off.
pub const TABLE: [[Next; 17]; 9] = {
    use Next::{Back, Once, Over, Stay, To};
    const ARMED: Next = To(State::Armed);
    const START: Next = To(State::ToStart);
    const RUN: Next = To(State::Running);
    const HOLD: Next = To(State::Holding);
    const HOME: Next = To(State::GoingHome);
    const REST: Next = To(State::AtRest);
    const OFF: Next = To(State::Aborted);
    [
        // arm   start  begin warned hold  home  off   lost cleared overdue pause resume stop abort end arrived settled
        [ARMED, Stay, Stay, Stay, Stay, OFF, OFF, OFF, Stay, Stay, Stay, Stay, OFF, OFF, Over, Stay, Stay], // idle
        [Stay, START, Stay, Stay, Stay, OFF, OFF, OFF, Stay, Stay, Stay, Stay, OFF, OFF, Over, Stay, Stay], // armed
        [Stay, Stay, RUN, Stay, HOLD, HOME, REST, OFF, Stay, Stay, HOLD, Stay, HOME, REST, HOME, Stay, Stay], // to start
        [Stay, Stay, Stay, Stay, HOLD, HOME, REST, OFF, Stay, Stay, HOLD, Stay, HOME, REST, HOME, Stay, Stay], // running
        [Stay, Stay, Stay, Stay, Stay, HOME, REST, OFF, Back, HOME, Stay, Back, HOME, REST, HOME, Stay, Stay], // holding
        [Stay, Stay, Stay, Stay, Once, REST, REST, OFF, Stay, Stay, HOLD, Stay, Stay, REST, Stay, REST, Stay], // returning
        [Stay, Stay, Stay, Stay, OFF, OFF, OFF, OFF, Stay, Stay, Stay, Stay, Stay, OFF, Stay, Stay, Over], // at rest
        [Stay; 17],                                                                                        // aborted
        [Stay; 17],                                                                                        // finished
    ]
};

/// The table as the book prints it.
pub fn markdown() -> String {
    let cell = |next: Next| match next {
        Next::Stay => "·".to_owned(),
        Next::To(state) => state.name().to_owned(),
        Next::Back => "*back*".to_owned(),
        Next::Once => "*hold or rest*".to_owned(),
        Next::Over => "*end*".to_owned(),
    };
    let live = &State::ALL[..7];
    let names: Vec<&str> = live.iter().map(|s| s.1).collect();
    let mut out = format!("| event | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(live.len()));
    for (e, (_, event)) in Event::ALL.iter().enumerate() {
        let cells: Vec<String> = live.iter().map(|(s, _)| cell(TABLE[*s as usize][e])).collect();
        out += &format!("| {event} | {} |\n", cells.join(" | "));
    }
    out
}

/// One change of state, or a warning that changed none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Sample at which it happened.
    pub tick: u64,
    /// State before.
    pub from: State,
    /// State after.
    pub to: State,
    /// Why, if something tripped.
    pub cause: Option<Trip>,
    /// Actuator that tripped; behind the actuators, sensors of their own.
    pub actuator: Option<u16>,
}

impl Transition {
    const BLANK: Transition = Transition { tick: 0, from: State::Idle, to: State::Idle, cause: None, actuator: None };

    fn persist(&mut self, archive: &mut dyn Archive) {
        let Transition { tick, from, to, cause, actuator } = self;
        archive.whole(tick);
        from.persist(archive);
        to.persist(archive);
        archive.option(cause, Trip::Operator, |archive, trip| trip.persist(archive));
        archive.option(actuator, 0, |archive, actuator| archive.whole(actuator));
    }

    /// A line for the log of a test with samples every `period` seconds and instruments of these names.
    pub fn line(&self, period: f64, names: &Names) -> String {
        let change = match (self.from, self.to) {
            (from, to) if from == to => "warning".to_owned(),
            (from, to) => format!("{} -> {}", from.name(), to.name()),
        };
        let place = self.actuator.map_or_else(String::new, |a| format!(" ({})", names.place(usize::from(a))));
        let why = self.cause.map_or_else(String::new, |trip| format!(": {}{place}", trip.words()));
        format!("{:.4} s in the laboratory, sample {}: {change}{why}", self.tick as f64 * period, self.tick)
    }
}

/// What the instruments of a rig are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Actuators.
    pub actuators: Vec<String>,
    /// Sensors besides those of the actuators, with what they are: `load cell base`.
    pub sensors: Vec<String>,
}

impl Names {
    /// The actuator or the sensor behind the actuators with this number; an actuator without a name has its number, counted from 1.
    pub fn place(&self, i: usize) -> String {
        let sensor = i.checked_sub(self.actuators.len()).and_then(|k| self.sensors.get(k));
        sensor.cloned().unwrap_or_else(|| {
            let number = || (i + 1).to_string();
            format!("actuator {}", self.actuators.get(i).cloned().unwrap_or_else(number))
        })
    }

    /// An instrument in brackets, behind what is told of it; nothing where there is only one.
    pub fn told(&self, instrument: Option<u16>) -> String {
        let instrument = instrument.filter(|_| self.actuators.len() + self.sensors.len() > 1);
        instrument.map_or_else(String::new, |i| format!(" ({})", self.place(usize::from(i))))
    }
}

/// How often a way home that nothing else disturbs is held and gone on with.
const HOLDS: u32 = 3;
/// Most entries of the log: beyond it the last ones count.
const LOG: usize = 1024;

/// The state of a test and how it came to be. Allocates nothing after its making.
#[derive(Clone, Debug)]
pub struct Sequence {
    state: State,
    /// Where a hold goes back to, and what it is for.
    held: State,
    held_for: Option<Trip>,
    /// Holds on the way home.
    holds: u32,
    /// What first kept the test from ending as planned.
    cause: Option<Trip>,
    log: Vec<Transition>,
    /// Transitions that found no place.
    pub unlogged: u64,
}

impl Default for Sequence {
    fn default() -> Self {
        let log = Vec::with_capacity(LOG);
        Sequence { state: State::Idle, held: State::Idle, held_for: None, holds: 0, cause: None, log, unlogged: 0 }
    }
}

impl Sequence {
    /// The state now.
    pub fn state(&self) -> State {
        self.state
    }

    /// What a hold goes back to.
    pub fn held(&self) -> State {
        self.held
    }

    /// What first kept the test from ending as planned.
    pub fn cause(&self) -> Option<Trip> {
        self.cause
    }

    /// Instrument at which that was, if at one: an actuator, or behind the actuators a sensor of its own.
    pub fn culprit(&self) -> Option<u16> {
        self.log.iter().rev().find(|t| t.cause.is_some() && t.cause == self.cause)?.actuator
    }

    /// What happened so far.
    pub fn log(&self) -> &[Transition] {
        &self.log
    }

    /// Saves or restores the state of the test and its log.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        let Sequence { state, held, held_for, holds, cause, log, unlogged } = self;
        state.persist(archive);
        held.persist(archive);
        archive.option(held_for, Trip::Operator, |archive, trip| trip.persist(archive));
        archive.whole(holds);
        archive.option(cause, Trip::Operator, |archive, trip| trip.persist(archive));
        let mut entries = log.len();
        archive.whole(&mut entries);
        log.resize(entries.min(LOG), Transition::BLANK);
        log.iter_mut().for_each(|entry| entry.persist(archive));
        archive.whole(unlogged);
    }

    /// Something happens, for a reason if something tripped; whether the state is another one now.
    pub fn happen(&mut self, tick: u64, event: Event, alarm: Option<Alarm>) -> bool {
        let from = self.state;
        let to = match TABLE[from as usize][event as usize] {
            Next::Stay => from,
            Next::To(state) => state,
            Next::Back => self.held,
            Next::Once if self.cause.is_none() && self.holds < HOLDS => State::Holding,
            Next::Once => State::AtRest,
            // A test that ends without a cause has ended as planned.
            Next::Over if self.cause.is_none() => State::Finished,
            Next::Over => State::Aborted,
        };
        let ends = matches!(to, State::GoingHome | State::AtRest | State::Aborted);
        if ends && from != to {
            // A hold that lasted too long was for something.
            let first = self.held_for.filter(|_| event == Event::Overdue);
            self.cause = self.cause.or(first).or(alarm.map(|a| a.trip));
        }
        if to == State::Holding && from != to {
            self.holds += u32::from(from == State::GoingHome);
            (self.held, self.held_for) = (from, alarm.map(|a| a.trip).filter(|_| event != Event::Pause));
        }
        if from != to || (event == Event::Warned && !from.is_over()) {
            self.state = to;
            self.note(Transition {
                tick,
                from,
                to,
                cause: alarm.map(|a| a.trip),
                actuator: alarm.and_then(|a| a.actuator),
            });
        }
        from != to
    }

    fn note(&mut self, entry: Transition) {
        if self.log.len() < LOG {
            self.log.push(entry);
        } else {
            // How it ended matters more than the thousandth warning.
            self.log[LOG - 1] = entry;
            self.unlogged += 1;
        }
    }
}
