//! What a controller shows of every sample while a test goes on, for a console: more than is recorded, and nothing that is kept.

use super::{COLUMNS, Controller, HEAD};
use crate::compensate::ADAPTED;
use crate::hardware::Reply;
use crate::realtime::{Feed, Tick};
use crate::safety::monitor::{MEASURED, MEASURES};
use crate::safety::{Action, Trip, Watch};

/// Columns before those of the actuators: those of a recording, then time of the model (s), what first kept the test from ending as planned and at
/// which instrument (from 1; 0: nothing), entries of its log, trip and instrument of the last one (from 1), samples without a target in time,
/// samples that were not recorded, lateness and work of the last period (s), periods missed, how many times slower than planned, samples in a row
/// without a measurement, by how much redundant transducers contradict each other (m).
pub const LIVE_HEAD: [&str; 17] = [
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
    "silent",
    "disagreement",
];

/// How far a held load is from its reference, behind what else is compared with the limits of an actuator; then what its compensation adapts.
const LOAD_ERROR: usize = COLUMNS.len() + MEASURES;
/// The first of what the compensation of an actuator adapts.
pub const LIVE_ADAPTED: usize = LOAD_ERROR + 1;
/// Columns of an actuator: those of a recording, what is compared with its limits, what its compensation adapts.
pub const LIVE_COLUMNS: usize = LIVE_ADAPTED + ADAPTED;

/// Whose limit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// Of the rig as a whole.
    Rig,
    /// Of an actuator.
    Actuator(usize),
    /// Of a transducer that is not that of an actuator.
    Transducer(usize),
    /// Of a load cell that is not that of an actuator.
    LoadCell(usize),
}

/// A limit as a bar: which column of a row is compared with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Whose limit.
    pub of: Limited,
    /// Column in a row that is shown.
    pub column: usize,
    /// What is limited.
    pub trip: Trip,
    /// Where it trips, SI; of counts the first that is too many.
    pub limit: f64,
    /// What follows.
    pub action: Action,
}

impl Controller {
    /// Shows every sample from now on, in rows of [`Controller::shown`] numbers.
    pub fn show_on(&mut self, feed: Feed) {
        self.feed = Some(feed);
    }

    /// Numbers of a row that is shown: head, actuators, further transducers and load cells, what of these is compared with limits.
    pub fn shown(&self) -> usize {
        let [transducers, load_cells] = self.sensing.counts();
        LIVE_HEAD.len() + LIVE_COLUMNS * self.asked.len() + (1 + MEASURES) * (transducers + load_cells)
    }

    /// Everything that is limited and measured.
    pub fn bars(&self) -> Vec<Bar> {
        let (actuators, [transducers, load_cells]) = (self.asked.len(), self.sensing.counts());
        let sensors = LIVE_HEAD.len() + LIVE_COLUMNS * actuators + transducers + load_cells;
        let bars = |(i, of, first): (usize, Limited, usize)| {
            let watches = MEASURED.into_iter().zip(self.monitor.watches(i)).enumerate();
            watches.filter_map(move |(m, (trip, watch))| {
                let watch = watch.filter(|w| w.limit.is_finite())?;
                Some(Bar { of, column: first + m, trip, limit: watch.limit, action: watch.action })
            })
        };
        let actuator = |i| (i, Limited::Actuator(i), LIVE_HEAD.len() + LIVE_COLUMNS * i + COLUMNS.len());
        let sensor = |k| {
            let of = if k < transducers { Limited::Transducer(k) } else { Limited::LoadCell(k - transducers) };
            (actuators + k, of, sensors + MEASURES * k)
        };
        let own = (0..actuators).map(actuator).chain((0..transducers + load_cells).map(sensor)).flat_map(bars);
        let load = |i: usize| {
            let Watch { limit, action, .. } = self.loads.limit(i)?;
            let column = LIVE_HEAD.len() + LIVE_COLUMNS * i + LOAD_ERROR;
            Some(Bar { of: Limited::Actuator(i), column, trip: Trip::Load, limit, action })
        };
        own.chain((0..actuators).filter_map(load)).chain(self.bars_of_rig()).collect()
    }

    /// Limits that are not those of one instrument.
    fn bars_of_rig(&self) -> impl Iterator<Item = Bar> {
        let rig = self.monitor.limits();
        let bar = |name: &str, trip: Trip, limit: f64, action: Action| {
            let column = LIVE_HEAD.iter().position(|c| *c == name)?;
            limit.is_finite().then_some(Bar { of: Limited::Rig, column, trip, limit, action })
        };
        // Of what is counted so many are allowed, and the next one trips.
        let next = |limit: f64| limit.floor() + 1.0;
        let disagreement = self.monitor.disagreement();
        [
            rig.missing.and_then(|w| bar("silent", Trip::Missing, f64::from(w.samples.max(1)), w.action)),
            rig.deadline.and_then(|w| bar("late", Trip::Deadline, next(w.limit), w.action)),
            rig.recorder.and_then(|w| bar("unrecorded", Trip::Recorder, next(w.limit), w.action)),
            disagreement.and_then(|w| bar("disagreement", Trip::Disagreement, w.limit, w.action)),
        ]
        .into_iter()
        .flatten()
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
            f64::from(self.monitor.missing()),
            self.monitor.contradicting(),
        ]);
        for (i, row) in actuators.chunks_exact_mut(LIVE_COLUMNS).enumerate() {
            let (recorded, row) = row.split_at_mut(COLUMNS.len());
            let (measures, rest) = row.split_at_mut(MEASURES);
            rest[0] = self.loads.off(i);
            let (target, k) = (self.stroke[i], self.estimates[i].stiffness());
            recorded.copy_from_slice(&[target, self.asked[i], self.command[i], seen[i], felt[i], target - seen[i], k]);
            measures.copy_from_slice(&self.monitor.measures(i));
        }
        let sensors = seen.len() + felt.len() - 2 * m;
        let (readings, compared) = gauges.split_at_mut(sensors);
        readings.iter_mut().zip(seen[m..].iter().chain(&felt[m..])).for_each(|(x, reading)| *x = *reading);
        for (k, measures) in compared.chunks_exact_mut(MEASURES).enumerate() {
            measures.copy_from_slice(&self.monitor.measures(m + k));
        }
        self.plan.compensator.adapted(compensation, &mut self.adapted);
        for (row, adapted) in actuators.chunks_exact_mut(LIVE_COLUMNS).zip(self.adapted.chunks_exact(ADAPTED)) {
            row[LIVE_ADAPTED..].copy_from_slice(adapted);
        }
        feed.send();
        self.feed = Some(feed);
    }
}
