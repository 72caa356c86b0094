//! What a controller shows of every sample while a test goes on, for a console: more than is recorded, and nothing that is kept.

use super::{COLUMNS, Controller, HEAD};
use crate::compensate::ADAPTED;
use crate::hardware::Reply;
use crate::realtime::{Feed, Tick};
use crate::safety::monitor::MEASURES;
use crate::safety::{Action, Trip, monitor::MEASURED};

/// Columns before those of the actuators: those of a recording, then time of the model (s), what first kept the test from ending as planned and at
/// which instrument (from 1; 0: nothing), entries of its log, trip and instrument of the last one (from 1), samples without a target in time,
/// samples that were not recorded, lateness and work of the last period (s), periods missed, how many times slower than planned.
pub const LIVE_HEAD: [&str; 15] = [
    HEAD[0],
    HEAD[1],
    HEAD[2],
    "model",
    "cause",
    "culprit",
    "entries",
    "trip",
    "place",
    "late",
    "unrecorded",
    "wake",
    "work",
    "missed",
    "slower",
];

/// Columns of an actuator: those of a recording, what is compared with its limits, what its compensation adapts.
pub const LIVE_COLUMNS: usize = COLUMNS.len() + MEASURES + ADAPTED;

/// A limit as a bar: which column of an actuator is compared with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Actuator.
    pub actuator: usize,
    /// Column of that actuator in a row that is shown.
    pub column: usize,
    /// What is limited.
    pub trip: Trip,
    /// The limit, SI.
    pub limit: f64,
    /// What follows.
    pub action: Action,
}

impl Controller {
    /// Shows every sample from now on, in rows of [`Controller::shown`] numbers.
    pub fn show_on(&mut self, feed: Feed) {
        self.feed = Some(feed);
    }

    /// Numbers of a row that is shown: head, actuators, further transducers and load cells.
    pub fn shown(&self) -> usize {
        let [transducers, load_cells] = self.sensing.counts();
        LIVE_HEAD.len() + LIVE_COLUMNS * self.asked.len() + transducers + load_cells
    }

    /// Limits of its actuators.
    pub fn bars(&self) -> Vec<Bar> {
        let of = |actuator: usize| {
            let watches = MEASURED.into_iter().zip(self.monitor.watches(actuator)).enumerate();
            watches.filter_map(move |(m, (trip, watch))| {
                let watch = watch.filter(|w| w.limit.is_finite())?;
                Some(Bar { actuator, column: COLUMNS.len() + m, trip, limit: watch.limit, action: watch.action })
            })
        };
        (0..self.asked.len()).flat_map(of).collect()
    }

    /// Names of what the compensation of an actuator adapts, in the last columns of the actuator.
    pub fn adapts(&self, actuator: usize) -> &'static [&'static str] {
        self.plan.compensator.adapts(actuator)
    }

    /// Seconds in the laboratory per second of the model, as planned.
    pub fn time_scale(&self) -> f64 {
        self.plan.time_scale
    }

    /// Notes how the last period was kept.
    pub fn keep_time(&mut self, tick: &Tick, end_ns: u64, missed: u64) {
        let work = end_ns.saturating_sub(tick.woke_ns);
        self.kept_time = [tick.lateness_ns as f64 * 1e-9, work as f64 * 1e-9, missed as f64];
    }

    /// Shows this sample. Copies numbers, and never waits.
    pub(super) fn publish(&mut self, reply: Reply, seen: &[f64], felt: &[f64], compensation: &[f64]) {
        let Some(mut feed) = self.feed.take() else { return };
        let m = self.asked.len();
        let (head, rest) = feed.row().split_at_mut(LIVE_HEAD.len());
        let (actuators, gauges) = rest.split_at_mut(LIVE_COLUMNS * m);
        let log = self.sequence.log();
        let last = log.last();
        let [wake, work, missed] = self.kept_time;
        let number = |n: Option<u32>| n.map_or(0.0, |n| f64::from(n) + 1.0);
        head.copy_from_slice(&[
            self.tick as f64 * self.plan.period,
            self.sequence.state().code(),
            f64::from(u8::from(reply == Reply::Fresh)),
            self.clock.map_or(0.0, |c| c.0),
            number(self.sequence.cause().map(Trip::code)),
            number(self.sequence.culprit().map(u32::from)),
            log.len() as f64,
            number(last.and_then(|t| t.cause).map(Trip::code)),
            number(last.and_then(|t| t.actuator).map(u32::from)),
            self.late[0] as f64,
            self.dropped as f64,
            wake,
            work,
            missed,
            self.slower[0],
        ]);
        for (i, row) in actuators.chunks_exact_mut(LIVE_COLUMNS).enumerate() {
            let (recorded, row) = row.split_at_mut(COLUMNS.len());
            let (measures, _) = row.split_at_mut(MEASURES);
            let (target, k) = (self.stroke[i], self.estimates[i].stiffness());
            recorded.copy_from_slice(&[target, self.asked[i], self.command[i], seen[i], felt[i], target - seen[i], k]);
            measures.copy_from_slice(&self.monitor.measures(i));
        }
        gauges.iter_mut().zip(seen[m..].iter().chain(&felt[m..])).for_each(|(x, reading)| *x = *reading);
        self.plan.compensator.adapted(compensation, &mut self.adapted);
        for (row, adapted) in actuators.chunks_exact_mut(LIVE_COLUMNS).zip(self.adapted.chunks_exact(ADAPTED)) {
            row[COLUMNS.len() + MEASURES..].copy_from_slice(adapted);
        }
        feed.send();
        self.feed = Some(feed);
    }
}
