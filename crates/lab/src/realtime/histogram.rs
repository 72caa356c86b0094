//! How late, how long, how much was left: counts over durations from 1 ns to 1000 s with a resolution of 1 %, in a
//! table of fixed size. Recording touches a few words of it and never allocates.

use super::clock::Tick;

/// Longest duration that is told apart, ns; what is longer counts as this, though `max` stays exact.
const LONGEST: u64 = 1_000_000_000_000;

/// Durations in ns.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u64>,
    min: u64,
    max: u64,
    sum: u128,
    limit: Option<u64>,
    over: u64,
}

/// What a histogram says, in ns. Everything is 0 if nothing was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// How many durations were recorded.
    pub count: u64,
    /// Shortest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Half of all are not longer.
    pub p50: u64,
    /// 99 % are not longer.
    pub p99: u64,
    /// 99.9 % are not longer.
    pub p99_9: u64,
    /// 99.99 % are not longer.
    pub p99_99: u64,
    /// Longest, exact.
    pub max: u64,
    /// How many were longer than the limit; 0 without a limit.
    pub over_limit: u64,
}

impl Summary {
    /// All numbers by name, durations in µs: for tables and JSON.
    pub fn entries(&self) -> [(&'static str, f64); 9] {
        let us = |ns: u64| ns as f64 * 1e-3;
        [
            ("count", self.count as f64),
            ("min_us", us(self.min)),
            ("mean_us", self.mean * 1e-3),
            ("p50_us", us(self.p50)),
            ("p99_us", us(self.p99)),
            ("p99_9_us", us(self.p99_9)),
            ("p99_99_us", us(self.p99_99)),
            ("max_us", us(self.max)),
            ("over_limit", self.over_limit as f64),
        ]
    }
}

/// One bar of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Lower and upper end, ns.
    pub range: [f64; 2],
    /// Durations in between.
    pub count: u64,
}

impl Histogram {
    /// An empty one; durations longer than `limit` ns are counted.
    pub fn new(limit: Option<u64>) -> Self {
        // Two digits: 20 kB, so that a loop does not push its own data out of the cache. The bounds are valid ones.
        let counts = hdrhistogram::Histogram::new_with_bounds(1, LONGEST, 2)
            .unwrap_or_else(|e| unreachable!("constant bounds of a histogram: {e}"));
        Self { counts, min: u64::MAX, max: 0, sum: 0, limit, over: 0 }
    }

    /// Counts a duration in ns.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.counts.saturating_record(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.sum += u128::from(ns);
        self.over += u64::from(self.limit.is_some_and(|limit| ns > limit));
    }

    /// Takes the counts of another one in; each was counted against its own limit.
    pub fn merge(&mut self, other: &Self) {
        // Same bounds, so nothing is out of range.
        let added = self.counts.add(&other.counts);
        debug_assert!(added.is_ok());
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.over += other.over;
    }

    /// The duration, ns, that a fraction of all (0 to 1) do not exceed; within 1 %, and never above the longest.
    pub fn quantile(&self, fraction: f64) -> u64 {
        self.counts.value_at_quantile(fraction).min(self.max)
    }

    /// The usual numbers.
    pub fn summary(&self) -> Summary {
        let count = self.counts.len();
        if count == 0 {
            return Summary::default();
        }
        Summary {
            count,
            min: self.min,
            mean: self.sum as f64 / count as f64,
            p50: self.quantile(0.5),
            p99: self.quantile(0.99),
            p99_9: self.quantile(0.999),
            p99_99: self.quantile(0.9999),
            max: self.max,
            over_limit: self.over,
        }
    }

    /// Bars for a picture with a logarithmic axis: ten to the decade, from the first to the last that is not empty.
    pub fn bars(&self) -> Vec<Bar> {
        let edge = |n: i32| 10f64.powf(f64::from(n) / 10.0);
        let mut bars: Vec<(i32, u64)> = Vec::new();
        for value in self.counts.iter_recorded() {
            let n = ((value.value_iterated_to().max(1) as f64).log10() * 10.0).floor() as i32;
            let from = bars.last().map_or(n, |last| last.0 + 1);
            bars.extend((from..=n).map(|empty| (empty, 0)));
            if let Some(last) = bars.last_mut() {
                last.1 += value.count_at_value();
            }
        }
        bars.into_iter().map(|(n, count)| Bar { range: [edge(n), edge(n + 1)], count }).collect()
    }
}

/// How well a loop kept its time.
#[derive(Debug, Clone)]
pub struct Timing {
    /// From due to awake; over the limit: late by a period or more.
    pub wake_up: Histogram,
    /// From awake to the end of the work; over the limit: longer than a period.
    pub compute: Histogram,
    /// From the end of the work to the next tick, 0 when it was overrun.
    pub slack: Histogram,
    /// Periods without a tick.
    pub missed: u64,
    /// Ticks whose work ended after the next was due.
    pub overrun: u64,
}

impl Timing {
    /// Nothing yet, of a loop with this period, ns.
    pub fn new(period_ns: u64) -> Self {
        let limited = Histogram::new(Some(period_ns));
        Self { wake_up: limited.clone(), compute: limited, slack: Histogram::new(None), missed: 0, overrun: 0 }
    }

    /// One turn of the loop: its tick, and the moment its work ended ([`Clock::now_ns`](super::Clock::now_ns)).
    #[inline]
    pub fn note(&mut self, tick: &Tick, end_ns: u64) {
        self.wake_up.record(tick.lateness_ns);
        self.compute.record(end_ns.saturating_sub(tick.woke_ns));
        self.missed += tick.missed;
        if let Some(deadline) = tick.deadline_ns {
            self.slack.record(deadline.saturating_sub(end_ns));
            self.overrun += u64::from(end_ns > deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Clock, Schedule, VirtualClock, WhenLate};
    use super::*;

    #[test]
    fn percentiles_of_known_numbers() {
        let mut histogram = Histogram::new(Some(99_900));
        for n in 1..=100_000u64 {
            histogram.record(n);
        }
        let s = histogram.summary();
        assert_eq!((s.count, s.min, s.max, s.over_limit, s.mean), (100_000, 1, 100_000, 100, 50_000.5));
        for (measured, exact) in [(s.p50, 50_000.0), (s.p99, 99_000.0), (s.p99_9, 99_900.0), (s.p99_99, 99_990.0)] {
            assert!((measured as f64 / exact - 1.0).abs() < 0.01, "{measured} {exact}");
        }
    }

    #[test]
    fn a_duration_beyond_the_table_keeps_its_length_as_the_maximum() {
        let mut histogram = Histogram::new(None);
        histogram.record(5 * LONGEST);
        histogram.record(0);
        assert_eq!((histogram.summary().max, histogram.summary().min), (5 * LONGEST, 0));
    }

    #[test]
    fn merged_is_as_if_recorded_in_one() {
        let (mut all, mut a, mut b) = (Histogram::new(Some(700)), Histogram::new(Some(700)), Histogram::new(Some(700)));
        for n in 0..1000 {
            all.record(n * n % 1009);
            if n % 3 == 0 { &mut a } else { &mut b }.record(n * n % 1009);
        }
        a.merge(&b);
        assert_eq!((a.summary(), a.bars()), (all.summary(), all.bars()));
    }

    #[test]
    fn bars_hold_every_duration_once_and_leave_no_gap() {
        let mut histogram = Histogram::new(None);
        for ns in [1, 150, 152, 90_000, 1_000_000_000] {
            histogram.record(ns);
        }
        let bars = histogram.bars();
        assert_eq!(bars.iter().map(|b| b.count).sum::<u64>(), 5);
        assert!(bars.windows(2).all(|w| w[0].range[1] == w[1].range[0]));
        let of = |ns: f64| bars.iter().find(|b| b.range[0] <= ns && ns < b.range[1]).map(|b| b.count);
        assert_eq!((of(151.0), of(90_000.0), of(500.0)), (Some(2), Some(1), Some(0)));
        assert!(Histogram::new(None).bars().is_empty());
    }

    #[test]
    fn a_loop_is_judged_by_its_ticks() {
        let schedule = Schedule::new(1e-3, WhenLate::Skip).unwrap();
        let mut timing = Timing::new(schedule.period_ns());
        // Tick 5 wakes 2.2 periods late (as tick 7), the work of tick 9 takes 1.5 periods.
        let mut clock = VirtualClock::new(schedule)
            .late_by(|n| if n == 5 { 2_200_000 } else { 20_000 })
            .working_for(|n| if n == 9 { 1_500_000 } else { 300_000 });
        for _ in 0..20 {
            let tick = clock.wait();
            timing.note(&tick, clock.now_ns());
        }
        assert_eq!((timing.missed, timing.overrun), (2, 1));
        assert_eq!(timing.wake_up.summary().over_limit, 1);
        assert_eq!(timing.compute.summary().over_limit, 1);
        // Tick 10 comes 520 us late, with the 20 us of its own wake-up on top.
        assert_eq!((timing.wake_up.summary().max, timing.compute.summary().max), (2_200_000, 1_500_000));
        assert_eq!((timing.slack.summary().min, timing.slack.summary().max), (0, 680_000));
    }
}
