//! What the thread of the bus tells the controller with every answer: how the cycle went, and what was counted so far.

/// How a cycle went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Outcome {
    /// All devices took their commands and gave their measurements.
    Good = 0,
    /// The frame did not come back in time.
    Lost = 1,
    /// Not all devices took part: the working counter is another.
    Miscounted = 2,
    /// A drive has a fault, or switched itself off.
    Faulted = 3,
    /// A device left its operational state, or the thread has ended.
    Left = 4,
}

impl Outcome {
    const ALL: [Outcome; 5] = [Outcome::Good, Outcome::Lost, Outcome::Miscounted, Outcome::Faulted, Outcome::Left];
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
    /// Numbers before the measurements in a row.
    pub(crate) const HEAD: usize = 9;

    /// Counts a cycle.
    pub(crate) fn note(&mut self, outcome: Outcome, held: bool) {
        self.cycles += 1;
        self.held += u64::from(held);
        self.lost += u64::from(outcome == Outcome::Lost);
        self.miscounted += u64::from(outcome == Outcome::Miscounted);
        self.faulted += u64::from(outcome == Outcome::Faulted);
    }

    /// Writes the head of a row.
    pub(crate) fn write(&self, outcome: Outcome, row: &mut [f64]) {
        let pressed = u64::from(self.emergency_stop);
        let Report { cycles, held, lost, miscounted, faulted, round_trip_ns, phase_ns, .. } = *self;
        let counts = [cycles, held, lost, miscounted, faulted, round_trip_ns, phase_ns, pressed];
        row[0] = f64::from(outcome as u8);
        row[1..Self::HEAD].iter_mut().zip(counts).for_each(|(r, c)| *r = c as f64);
    }

    /// Reads the head of a row.
    pub(crate) fn read(&mut self, row: &[f64]) -> Outcome {
        let [outcome, cycles, held, lost, miscounted, faulted, round_trip, phase, pressed] =
            std::array::from_fn(|i| row.get(i).copied().unwrap_or(0.0));
        *self = Report {
            cycles: cycles as u64,
            held: held as u64,
            lost: lost as u64,
            miscounted: miscounted as u64,
            faulted: faulted as u64,
            round_trip_ns: round_trip as u64,
            phase_ns: phase as u64,
            emergency_stop: pressed != 0.0,
        };
        Outcome::ALL.into_iter().find(|o| f64::from(*o as u8) == outcome).unwrap_or(Outcome::Left)
    }
}
