//! Displacements of a whole structure at some moments of a run, in bounded memory: where there is no more room, every
//! other moment is dropped. The moment of the largest displacement is kept whatever else is.

/// Most moments, and most numbers in all of them.
const MOMENTS: usize = 300;
const NUMBERS: usize = 3_000_000;

/// The moments. Everything is allocated when it is made.
pub(crate) struct Frames {
    /// Steps between two moments.
    stride: u64,
    /// Most moments.
    room: usize,
    /// For each unknown, whether it is a length.
    lengths: Vec<bool>,
    times: Vec<f64>,
    values: Vec<f32>,
    /// The largest displacement, its time, and all unknowns then.
    peak: (f64, f64),
    peak_values: Vec<f32>,
}

impl Frames {
    /// None yet.
    pub(crate) fn new(lengths: Vec<bool>) -> Self {
        let unknowns = lengths.len();
        let room = (NUMBERS / unknowns.max(1)).clamp(2, MOMENTS).next_multiple_of(2);
        let (times, values) = (Vec::with_capacity(room), Vec::with_capacity(room * unknowns));
        Self { stride: 1, room, lengths, times, values, peak: (0.0, 0.0), peak_values: vec![0.0; unknowns] }
    }

    /// Looks at the unknowns after `done` steps, at time `t`.
    pub(crate) fn push(&mut self, done: u64, t: f64, unknown: impl Fn(usize) -> f64) {
        let lengths = self.lengths.iter().enumerate().filter(|(_, length)| **length);
        let largest = lengths.map(|(i, _)| unknown(i).abs()).fold(0.0, f64::max);
        if largest > self.peak.0 && largest.is_finite() {
            self.peak = (largest, t);
            self.peak_values.iter_mut().enumerate().for_each(|(i, x)| *x = unknown(i) as f32);
        }
        if !done.is_multiple_of(self.stride) {
            return;
        }
        let unknowns = self.lengths.len();
        if self.times.len() == self.room {
            for i in 1..self.room / 2 {
                self.times[i] = self.times[2 * i];
                self.values.copy_within(2 * i * unknowns..(2 * i + 1) * unknowns, i * unknowns);
            }
            self.times.truncate(self.room / 2);
            self.values.truncate(self.room / 2 * unknowns);
            self.stride *= 2;
            // The moments kept are those of the new stride; this one may be none of them.
            if !done.is_multiple_of(self.stride) {
                return;
            }
        }
        self.times.push(t);
        self.values.extend((0..unknowns).map(|i| unknown(i) as f32));
    }

    /// Time and unknowns of the largest displacement.
    pub(crate) fn peak(&self) -> (f64, &[f32]) {
        (self.peak.1, &self.peak_values)
    }

    /// Times and unknowns of at most so many moments, with that of the largest displacement.
    pub(crate) fn moments(&self, most: usize) -> Vec<(f64, &[f32])> {
        let every = self.times.len().div_ceil(most.max(1)).max(1);
        let frames = self.values.chunks_exact(self.lengths.len().max(1));
        let mut moments: Vec<(f64, &[f32])> = self.times.iter().copied().zip(frames).step_by(every).collect();
        let (largest, t) = self.peak;
        let at = moments.partition_point(|m| m.0 < t);
        if largest > 0.0 && moments.get(at).is_none_or(|m| m.0 != t) {
            moments.insert(at, (t, &self.peak_values));
        }
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_displacement_is_among_the_moments() {
        let mut frames = Frames::new(vec![true, false]);
        // A pulse of one step at a number that no stride meets; the rotation does not count.
        for step in 0..10_001u64 {
            let u = if step == 7_777 { 5.0 } else { (step as f64).sin() };
            frames.push(step, step as f64 * 0.01, |i| if i == 0 { u } else { 100.0 });
        }
        let moments = frames.moments(100);
        assert!(moments.len() <= 101 && moments.is_sorted_by(|a, b| a.0 < b.0));
        let peak = moments.iter().find(|m| m.1[0] == 5.0).expect("the peak");
        assert!((peak.0 - 77.77).abs() < 1e-9);
    }
}
