//! The periodic clock of a loop: ticks at absolute moments, so that neither the work nor a late wake-up lets it drift.
//!
//! When the loop is late by whole periods, these are counted and either left out ([`WhenLate::Skip`]: the phase is kept,
//! the number of the tick jumps) or the schedule moves ([`WhenLate::Shift`]: no number is left out, the test takes
//! longer). The rules are in [`Schedule`], which knows no time; the clocks differ in how time passes.

use std::time::Duration;

use super::monotonic;

/// What a loop is told when it wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// Number of the period, from 0.
    pub index: u64,
    /// Moment of waking, ns since the first tick.
    pub woke_ns: u64,
    /// From the moment the tick was due to the moment of waking, ns; with all periods that were missed in it.
    pub lateness_ns: u64,
    /// Moment of the next tick, ns since the first; none for a clock that never waits.
    pub deadline_ns: Option<u64>,
    /// Whole periods that passed without a tick before this one.
    pub missed: u64,
}

/// A source of ticks. The loop is written over this, so that it can be tested without time.
pub trait Clock: Send {
    /// Waits for the next period. The first call starts the clock and returns at once.
    fn wait(&mut self) -> Tick;

    /// Now, ns since the first tick: read at the end of the work, it gives its duration and the slack.
    fn now_ns(&mut self) -> u64;
}

/// What becomes of the schedule after a period that was missed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenLate {
    /// The phase is kept: missed periods are left out. For a test in real time.
    #[default]
    Skip,
    /// The schedule begins again where the loop woke: nothing is left out. For a test on an extended time scale.
    Shift,
}

/// When ticks are due, and which were missed. Pure bookkeeping in ns since the first tick.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Period in 2⁻³² ns: a tick is due at `index * period`, so that the remainder of a period below a nanosecond is carried.
    period: u128,
    when_late: WhenLate,
    /// Number of the next tick.
    next: u64,
    /// How far [`WhenLate::Shift`] has moved the schedule, ns.
    shifted: u64,
}

impl Schedule {
    /// Shortest and longest period, s.
    pub const PERIODS: [f64; 2] = [10e-6, 3600.0];

    /// A schedule of the period, s.
    ///
    /// # Errors
    /// A sentence, when the period is not a number between [10 µs and an hour](Self::PERIODS).
    pub fn new(period: f64, when_late: WhenLate) -> Result<Self, String> {
        if !(Self::PERIODS[0]..=Self::PERIODS[1]).contains(&period) {
            return Err(format!("a period of {period} s is not possible: it must be between 10 µs and 1 hour"));
        }
        let period = (period * 1e9 * 4_294_967_296.0).round() as u128;
        Ok(Self { period, when_late, next: 0, shifted: 0 })
    }

    /// The period, ns, rounded down.
    pub fn period_ns(&self) -> u64 {
        (self.period >> 32) as u64
    }

    /// Moment of the next tick.
    fn due(&self) -> u64 {
        ((u128::from(self.next) * self.period) >> 32) as u64 + self.shifted
    }

    /// The loop woke for the next tick.
    fn arrive(&mut self, woke_ns: u64) -> Tick {
        let lateness_ns = woke_ns.saturating_sub(self.due());
        let missed = lateness_ns / self.period_ns();
        if missed > 0 {
            match self.when_late {
                WhenLate::Skip => self.next += missed,
                WhenLate::Shift => self.shifted += lateness_ns,
            }
        }
        let index = self.next;
        self.next += 1;
        Tick { index, woke_ns, lateness_ns, deadline_ns: Some(self.due()), missed }
    }
}

/// How a thread waits for a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waking {
    /// Sleeps: costs nothing, wakes 5 to 100 µs late.
    Sleep,
    /// Sleeps until this long before the moment, then spins: wakes on time unless the sleep itself is later than that.
    SleepThenSpin(Duration),
    /// Spins: for a core that is given to this loop alone. Under SCHED_FIFO the kernel takes 5 % of each second away from
    /// a thread that never sleeps.
    Spin,
}

impl Default for Waking {
    /// Sleep, then spin 100 µs: about what an ordinary kernel needs to wake a thread.
    fn default() -> Self {
        Waking::SleepThenSpin(Duration::from_micros(100))
    }
}

/// The clock on the wall.
#[derive(Debug)]
pub struct WallClock {
    schedule: Schedule,
    waking: Waking,
    /// The first tick, on the clock of the machine.
    origin: Option<u64>,
}

impl WallClock {
    /// A clock that starts with the first tick, at a whole number of periods of the machine's own clock: the rigs of a
    /// structure tick together, and none waits for the phase of another.
    pub fn new(schedule: Schedule, waking: Waking) -> Self {
        Self { schedule, waking, origin: None }
    }
}

impl Clock for WallClock {
    fn wait(&mut self) -> Tick {
        let origin =
            *self.origin.get_or_insert_with(|| monotonic::now().next_multiple_of(self.schedule.period_ns().max(1)));
        let at = origin + self.schedule.due();
        let asleep_until = match self.waking {
            Waking::Sleep => at,
            Waking::SleepThenSpin(margin) => at.saturating_sub(margin.as_nanos() as u64),
            Waking::Spin => 0,
        };
        if asleep_until > monotonic::now() {
            monotonic::sleep_until(asleep_until);
        }
        let mut now = monotonic::now();
        while now < at {
            std::hint::spin_loop();
            now = monotonic::now();
        }
        self.schedule.arrive(now - origin)
    }

    fn now_ns(&mut self) -> u64 {
        self.origin.map_or(0, |origin| monotonic::now() - origin)
    }
}

/// A clock that never waits: for rehearsals as fast as the machine can. Times are real, nothing is ever late.
#[derive(Debug, Default)]
pub struct FreeClock {
    next: u64,
    origin: Option<u64>,
}

impl Clock for FreeClock {
    fn wait(&mut self) -> Tick {
        let now = monotonic::now();
        let woke_ns = now - *self.origin.get_or_insert(now);
        let index = self.next;
        self.next += 1;
        Tick { index, woke_ns, lateness_ns: 0, deadline_ns: None, missed: 0 }
    }

    fn now_ns(&mut self) -> u64 {
        self.origin.map_or(0, |origin| monotonic::now() - origin)
    }
}

/// A clock for work that waits for another clock by itself, such as that of a fieldbus: ticks so long after the end of the last
/// work. The rest belongs to whoever computes the next target.
#[derive(Debug)]
pub struct FollowingClock {
    rest_ns: u64,
    next: u64,
    origin: Option<u64>,
}

impl FollowingClock {
    /// A clock that rests so long after each work.
    pub fn new(rest: Duration) -> Self {
        FollowingClock { rest_ns: rest.as_nanos() as u64, next: 0, origin: None }
    }
}

impl Clock for FollowingClock {
    fn wait(&mut self) -> Tick {
        let begin = monotonic::now();
        let origin = *self.origin.get_or_insert(begin);
        let due = if self.next == 0 { begin } else { begin + self.rest_ns };
        if due > begin {
            monotonic::sleep_until(due);
        }
        let woke = monotonic::now();
        let index = self.next;
        self.next += 1;
        let lateness_ns = woke.saturating_sub(due);
        Tick { index, woke_ns: woke - origin, lateness_ns, deadline_ns: None, missed: 0 }
    }

    fn now_ns(&mut self) -> u64 {
        self.origin.map_or(0, |origin| monotonic::now() - origin)
    }
}

/// Nanoseconds as a function of the number of the tick.
type Script = Box<dyn FnMut(u64) -> u64 + Send>;

/// A clock on which time passes by a script: how late each wake-up is, and how long the work after it takes.
pub struct VirtualClock {
    schedule: Schedule,
    lateness: Script,
    work: Script,
    /// End of the work of the last tick.
    now: u64,
}

impl VirtualClock {
    /// A clock whose ticks are on time and whose work takes none.
    pub fn new(schedule: Schedule) -> Self {
        Self { schedule, lateness: Box::new(|_| 0), work: Box::new(|_| 0), now: 0 }
    }

    /// The wake-up that would be tick `n` is late by `script(n)` ns.
    #[must_use]
    pub fn late_by(mut self, script: impl FnMut(u64) -> u64 + Send + 'static) -> Self {
        self.lateness = Box::new(script);
        self
    }

    /// The work of tick `n` takes `script(n)` ns.
    #[must_use]
    pub fn working_for(mut self, script: impl FnMut(u64) -> u64 + Send + 'static) -> Self {
        self.work = Box::new(script);
        self
    }
}

impl std::fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VirtualClock").field("schedule", &self.schedule).field("now", &self.now).finish_non_exhaustive()
    }
}

impl Clock for VirtualClock {
    fn wait(&mut self) -> Tick {
        let late = (self.lateness)(self.schedule.next);
        let tick = self.schedule.arrive(self.now.max(self.schedule.due()) + late);
        self.now = tick.woke_ns + (self.work)(tick.index);
        tick
    }

    fn now_ns(&mut self) -> u64 {
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn schedule(when_late: WhenLate) -> Schedule {
        Schedule::new(1e-3, when_late).unwrap()
    }

    fn numbers(clock: &mut dyn Clock, count: usize) -> Vec<(u64, u64, u64)> {
        (0..count).map(|_| clock.wait()).map(|t| (t.index, t.woke_ns, t.missed)).collect()
    }

    #[test]
    fn ticks_do_not_drift_whatever_the_period() {
        for period in [1.0 / 1024.0, 1.0 / 3.0, 1e-4, 2.5e-3, 1.0 / 9999.0] {
            let mut clock = VirtualClock::new(Schedule::new(period, WhenLate::Skip).unwrap()).late_by(|n| n % 7 * 100);
            let mut last = clock.wait();
            for n in 0..200_000u64 {
                let due = last.woke_ns - last.lateness_ns;
                // A day of ticks at 2.3 Hz: the remainder of each is carried, so the error stays below one nanosecond.
                assert!((due as f64 - n as f64 * period * 1e9).abs() <= 1.0, "period {period}, tick {n}");
                last = clock.wait();
            }
        }
    }

    #[test]
    fn missed_periods_are_left_out_and_the_phase_is_kept() {
        // The third wake-up is 2.4 periods late.
        let late = |n| if n == 2 { 2_400_000 } else { 0 };
        let mut clock = VirtualClock::new(schedule(WhenLate::Skip)).late_by(late);
        assert_eq!(
            numbers(&mut clock, 4),
            [(0, 0, 0), (1, MS, 0), (4, 4_400_000, 2), (5, 5 * MS, 0)],
            "ticks 2 and 3 are gone, tick 5 is where it was"
        );
    }

    #[test]
    fn or_the_schedule_moves_and_nothing_is_left_out() {
        let late = |n| if n == 2 { 2_400_000 } else { 0 };
        let mut clock = VirtualClock::new(schedule(WhenLate::Shift)).late_by(late);
        assert_eq!(numbers(&mut clock, 4), [(0, 0, 0), (1, MS, 0), (2, 4_400_000, 2), (3, 5_400_000, 0)]);
    }

    #[test]
    fn work_longer_than_a_period_makes_the_next_tick_late_but_misses_none() {
        let work = |n| if n == 1 { 1_300_000 } else { 100_000 };
        let mut clock = VirtualClock::new(schedule(WhenLate::Skip)).working_for(work);
        clock.wait();
        let second = clock.wait();
        assert_eq!((second.deadline_ns, clock.now_ns()), (Some(2 * MS), 2_300_000));
        let third = clock.wait();
        assert_eq!((third.index, third.lateness_ns, third.missed), (2, 300_000, 0));
        assert_eq!(clock.wait().lateness_ns, 0);
    }

    #[test]
    fn a_period_that_is_no_period_is_refused() {
        for period in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-7, 1e5] {
            let message = Schedule::new(period, WhenLate::Skip).unwrap_err();
            assert!(message.contains("between 10 µs and 1 hour"), "{message}");
        }
    }

    #[test]
    fn the_clock_on_the_wall_never_ticks_early() {
        for waking in [Waking::Sleep, Waking::default(), Waking::Spin] {
            let mut clock = WallClock::new(Schedule::new(2e-4, WhenLate::Skip).unwrap(), waking);
            let mut next = 0;
            for _ in 0..20 {
                let tick = clock.wait();
                assert_eq!(tick.index, next + tick.missed, "{waking:?}");
                assert!(tick.woke_ns >= tick.index * 200_000, "{waking:?}");
                assert!(clock.now_ns() >= tick.woke_ns);
                next = tick.index + 1;
            }
        }
    }

    #[test]
    fn a_following_clock_rests_after_the_work() {
        let mut clock = FollowingClock::new(Duration::from_millis(2));
        let mut done = None;
        for n in 0..20 {
            let tick = clock.wait();
            assert_eq!((tick.index, tick.missed, tick.deadline_ns), (n, 0, None));
            if let Some(done) = done {
                assert!(tick.woke_ns >= done + 2_000_000, "tick {n} came before the rest was over");
            }
            done = Some(clock.now_ns());
        }
    }

    #[test]
    fn a_free_clock_is_never_late() {
        let mut clock = FreeClock::default();
        assert!((0..100).all(|n| {
            let tick = clock.wait();
            (tick.index, tick.lateness_ns, tick.missed, tick.deadline_ns) == (n, 0, 0, None)
        }));
    }
}
