//! When the next frame is due: a period after the last one, drawn towards its place in the cycle of the reference clock.

use std::time::{Duration, Instant};

/// Share of the distance that is made good per cycle: small, because the moment of a single frame has the jitter of this machine.
const SHARE: f64 = 1.0 / 16.0;

/// The beat of the bus. Times of the reference clock are in ns.
pub(super) struct Beat {
    period: Duration,
    due: Instant,
    /// Whether the reference clock has been heard.
    locked: bool,
}

impl Beat {
    /// Begins now.
    pub(super) fn new(period: Duration) -> Self {
        Beat { period, due: Instant::now(), locked: false }
    }

    /// When the next frame is due.
    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// The frame that was due passed the reference clock at `time`. Devices act at the whole multiples of the period, so that it
    /// should be half a period from them. Returns the distance, ns.
    pub(super) fn heard(&mut self, time: u64) -> i64 {
        let period = self.period.as_nanos() as i64;
        let place = (time % period.unsigned_abs().max(1)) as i64;
        let error = place - period / 2;
        let share = if self.locked { SHARE } else { 1.0 };
        self.locked = true;
        let correction = (error.unsigned_abs() as f64 * share) as u64;
        let correction = Duration::from_nanos(correction);
        self.due = if error < 0 { self.due + correction } else { self.due - correction };
        error
    }

    /// Goes on to the next period that is still to come.
    pub(super) fn next(&mut self) {
        self.due += self.period;
        let late = Instant::now().saturating_duration_since(self.due);
        let missed = late.as_nanos() / self.period.as_nanos().max(1);
        self.due += self.period * u32::try_from(missed).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reference clock that is 300 ppm fast pulls the beat along: the frames stay in their place.
    #[test]
    fn the_beat_follows_the_reference_clock() {
        let mut beat = Beat::new(Duration::from_millis(1));
        let start = beat.due();
        let mut worst = 0;
        for k in 0..20_000 {
            let ours = beat.due().duration_since(start).as_nanos() as f64;
            let error = beat.heard(123_456 + (ours * (1.0 + 300e-6)) as u64);
            if k > 200 {
                worst = worst.max(error.abs());
            }
            beat.due += beat.period;
        }
        // 300 ns per cycle against a sixteenth of the distance.
        assert!((4_000..6_000).contains(&worst), "{worst} ns");
    }
}
