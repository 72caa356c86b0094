//! What happened in a test, for its time line: states, alarms with what to do, commands and notes.

use interfield_lab::controller::live::LIVE_HEAD;
use interfield_lab::safety::{State, Trip};
use serde_json::{Value, json};

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The state of a test changed.
    State,
    /// A limit was exceeded.
    Alarm,
    /// Somebody commanded.
    Command,
    /// Somebody noted something.
    Note,
}

impl Kind {
    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::State => "state",
            Kind::Alarm => "alarm",
            Kind::Command => "command",
            Kind::Note => "note",
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// When, ms since 1970; 0: nobody knows any more.
    pub stamp: f64,
    /// Time of the model, s.
    pub t: f64,
    /// What kind of thing.
    pub kind: Kind,
    /// What.
    pub text: String,
    /// What to do about it; empty: nothing.
    pub advice: String,
    /// Who; empty: the test itself.
    pub who: String,
}

impl Event {
    /// Something that happens now.
    pub fn now(kind: Kind, t: f64, text: impl Into<String>) -> Self {
        let (text, stamp) = (text.into(), crate::hub::now_ms());
        Event { stamp, t, kind, text, advice: String::new(), who: String::new() }
    }

    /// By somebody.
    #[must_use]
    pub fn by(self, who: &str) -> Self {
        Event { who: who.to_owned(), ..self }
    }

    pub(crate) fn json(&self) -> Value {
        let Event { stamp, t, kind, text, advice, who } = self;
        json!({ "stamp": stamp, "t": t, "kind": kind.name(), "text": text, "advice": advice, "who": who })
    }
}

/// Sees every sample of a rig, and what changes in it.
pub(crate) struct Watcher {
    name: String,
    state: Option<State>,
    entries: f64,
    columns: [usize; 8],
}

impl Watcher {
    pub(crate) fn new(name: &str) -> Self {
        let names = ["state", "model", "entries", "trip", "place", "wake", "work", "time"];
        let columns = names.map(|n| LIVE_HEAD.iter().position(|c| *c == n).unwrap_or(0));
        Watcher { name: name.to_owned(), state: None, entries: 0.0, columns }
    }

    /// Lateness and work of the last period, s; `None` where no clock drives the rig.
    pub(crate) fn kept_time(&self, row: &[f64]) -> Option<[f64; 2]> {
        let [.., wake, work, _] = self.columns;
        (row[work] > 0.0).then(|| [row[wake], row[work]])
    }

    /// What happened in this sample.
    pub(crate) fn look(&mut self, row: &[f64], stamp: f64) -> Vec<Event> {
        let [state, model, entries, trip, place, ..] = self.columns.map(|c| row[c]);
        let mut events = Vec::new();
        let event = |kind: Kind, text: String, advice: &str| Event {
            stamp,
            t: model,
            kind,
            text,
            advice: advice.to_owned(),
            who: String::new(),
        };
        let new = State::from_code(state as u8);
        let changed = new.filter(|s| self.state != Some(*s));
        // The last entry of the log has a cause, or is the way of a test as planned.
        if entries > self.entries {
            let trip = (trip as u32).checked_sub(1).and_then(Trip::from_code);
            if let Some(trip) = trip {
                let at = if place > 0.0 { format!(" (instrument {place})") } else { String::new() };
                let text = format!("{}: {}{at}", self.name, trip.words());
                let kind = if trip == Trip::Operator { Kind::State } else { Kind::Alarm };
                events.push(event(kind, text, advice(trip)));
            }
            self.entries = entries;
        }
        if let Some(state) = changed {
            events.push(event(Kind::State, format!("{}: {}", self.name, state.name()), ""));
            self.state = Some(state);
        }
        events
    }
}

/// What an operator does about a trip.
pub fn advice(trip: Trip) -> &'static str {
    match trip {
        Trip::Displacement => {
            "Check the target and the limit of the stroke. Resume only if the specimen may go further; else stop."
        }
        Trip::Velocity | Trip::Acceleration => "Use a larger time scale, or stop and reduce the load.",
        Trip::Force => {
            "Look at the specimen for damage and at the load cell. Stop if the capacity of the actuator is near."
        }
        Trip::Tracking => "Check the hydraulic pressure, the valve and the compensation. Stop if the error grows.",
        Trip::Energy | Trip::Indicator => {
            "Pause at once. The delay is not compensated: check the compensation before the next test."
        }
        Trip::Frozen => "Check the sensor and its cable. The test cannot continue without it.",
        Trip::Missing | Trip::Gone => "Check the network and the controller of the laboratory.",
        Trip::NotFinite => "Check the sensors and their cables. Do not resume before the measurement is valid.",
        Trip::Deadline | Trip::Late => {
            "The computation is too slow: use a larger step, fewer channels or a larger time scale."
        }
        Trip::Recorder => "Free some disk space. The test continues without a complete recording.",
        Trip::Patience => {
            "The specimen returns to its start position. Find the cause of the hold before the next test."
        }
        Trip::Operator => "",
        Trip::MeasuredDisplacement | Trip::MeasuredVelocity | Trip::MeasuredAcceleration => {
            "Look at the specimen: it moves more than it may. Stop if it does not follow the command."
        }
        Trip::ForceRate => "Look at the specimen: a brittle failure or an impact. Stop before anybody approaches it.",
        Trip::EmergencyStop => {
            "Make the laboratory safe. Release the emergency stop only after the specimen was inspected."
        }
        Trip::Start => "Move the actuator to its start position, or correct `start` in the model.",
        Trip::Watchdog => "The controller does not answer: check that the drives are off.",
        Trip::Unfinished => "Read the log of the run for the reason.",
        Trip::Disagreement => "Compare the transducers at rest and repair the one that differs.",
        Trip::Load => "Check the force controller and its load cell. Stop if the vertical load is lost.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interfield_lab::safety::TRIPS;

    #[test]
    fn every_alarm_says_what_to_do() {
        for (trip, name) in TRIPS {
            assert!(trip == Trip::Operator || advice(trip).ends_with('.'), "{name}");
        }
    }

    #[test]
    fn states_and_trips_are_seen_once() {
        let mut watcher = Watcher::new("s");
        let mut row = vec![0.0; LIVE_HEAD.len()];
        let at = |name: &str| LIVE_HEAD.iter().position(|c| *c == name).unwrap();
        row[at("state")] = State::Running.code();
        row[at("entries")] = 3.0;
        assert_eq!(watcher.look(&row, 0.0).len(), 1);
        assert!(watcher.look(&row, 0.0).is_empty());
        row[at("entries")] = 4.0;
        row[at("trip")] = f64::from(Trip::Force.code()) + 1.0;
        row[at("state")] = State::Holding.code();
        let seen = watcher.look(&row, 0.0);
        assert_eq!(seen.iter().map(|e| e.kind).collect::<Vec<_>>(), [Kind::Alarm, Kind::State]);
        assert!(!seen[0].advice.is_empty());
        assert!(watcher.look(&row, 0.0).is_empty());
    }
}
