//! What a side counted.

use interfield_lab::realtime::Histogram;

/// Counts and times of one side of a wire.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// Commands sent, or heard for the first time.
    pub commands: u64,
    /// Commands that were never answered, or never came.
    pub lost: u64,
    /// Answers that came after the wait for them.
    pub late: u64,
    /// Messages that came after one that was sent later.
    pub reordered: u64,
    /// Messages that came again.
    pub duplicates: u64,
    /// Commands that had to be sent again.
    pub repeated: u64,
    /// Messages of other sessions.
    pub foreign: u64,
    /// Bytes that were no message, or numbers that were none.
    pub malformed: u64,
    /// From command to measurement and back, without the time the controller took, ns.
    pub round_trip: Histogram,
    /// What the controller took, ns.
    pub answering: Histogram,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            commands: 0,
            lost: 0,
            late: 0,
            reordered: 0,
            duplicates: 0,
            repeated: 0,
            foreign: 0,
            malformed: 0,
            round_trip: Histogram::new(None),
            answering: Histogram::new(None),
        }
    }
}

impl Statistics {
    /// The counts by name.
    pub fn counts(&self) -> [(&'static str, u64); 8] {
        [
            ("commands", self.commands),
            ("lost", self.lost),
            ("late", self.late),
            ("reordered", self.reordered),
            ("duplicates", self.duplicates),
            ("repeated", self.repeated),
            ("foreign", self.foreign),
            ("malformed", self.malformed),
        ]
    }
}
