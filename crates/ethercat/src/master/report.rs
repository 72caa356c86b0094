//! What the thread of the bus tells the controller with every answer: how the cycle went, and what was counted so far.

/// How a cycle went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All devices took their commands and gave their measurements.
    Good,
    /// The frame did not come back in time.
    Lost,
    /// Not all devices took part: the working counter is another.
    Miscounted,
    /// A drive has a fault, or switched itself off.
    Faulted,
    /// A device left its operational state, or the thread has ended.
    Left,
}

/// What was counted since the devices are operational.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    /// Cycles.
    pub(crate) cycles: u64,
    /// Those without a new command.
    pub(crate) held: u64,
    /// Those whose frame did not come back.
    pub(crate) lost: u64,
    /// Those with a wrong working counter.
    pub(crate) miscounted: u64,
    /// Those with a drive that had a fault.
    pub(crate) faulted: u64,
    /// From sending the last frame to having it back, ns.
    pub(crate) round_trip_ns: u64,
    /// How far the last frame was from its place in the cycle of the reference clock, ns.
    pub(crate) phase_ns: u64,
    /// Whether the emergency stop of the laboratory is pressed, by the last frame that came back whole.
    pub(crate) emergency_stop: bool,
}

impl Report {
    /// Counts a cycle.
    pub(crate) fn note(&mut self, outcome: Outcome, held: bool) {
        self.cycles += 1;
        self.held += u64::from(held);
        self.lost += u64::from(outcome == Outcome::Lost);
        self.miscounted += u64::from(outcome == Outcome::Miscounted);
        self.faulted += u64::from(outcome == Outcome::Faulted);
    }
}
