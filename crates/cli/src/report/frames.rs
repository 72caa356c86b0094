//! Displacements of a whole structure at some moments of a run, in bounded memory: where there is no more room, every
//! other moment is dropped.

/// Most moments, and most numbers in all of them.
const MOMENTS: usize = 300;
const NUMBERS: usize = 3_000_000;

/// The moments. Everything is allocated when it is made.
pub(crate) struct Frames {
    /// Steps between two moments.
    stride: u64,
    /// Most moments.
    room: usize,
    unknowns: usize,
    /// Their times.
    pub times: Vec<f64>,
    values: Vec<f32>,
}

impl Frames {
    /// None yet.
    pub(crate) fn new(unknowns: usize) -> Self {
        let room = (NUMBERS / unknowns.max(1)).clamp(2, MOMENTS).next_multiple_of(2);
        let (times, values) = (Vec::with_capacity(room), Vec::with_capacity(room * unknowns));
        Self { stride: 1, room, unknowns, times, values }
    }

    /// Looks at the unknowns after `done` steps, at time `t`.
    pub(crate) fn push(&mut self, done: u64, t: f64, unknown: impl Fn(usize) -> f64) {
        if !done.is_multiple_of(self.stride) {
            return;
        }
        if self.times.len() == self.room {
            for i in 1..self.room / 2 {
                self.times[i] = self.times[2 * i];
                self.values.copy_within(2 * i * self.unknowns..(2 * i + 1) * self.unknowns, i * self.unknowns);
            }
            self.times.truncate(self.room / 2);
            self.values.truncate(self.room / 2 * self.unknowns);
            self.stride *= 2;
            // The moments kept are those of the new stride; this one may be none of them.
            if !done.is_multiple_of(self.stride) {
                return;
            }
        }
        self.times.push(t);
        self.values.extend((0..self.unknowns).map(|i| unknown(i) as f32));
    }

    /// The unknowns at one moment.
    pub(crate) fn unknowns(&self, moment: usize) -> &[f32] {
        &self.values[moment * self.unknowns..(moment + 1) * self.unknowns]
    }
}
