//! The ground motion of a model: replaced, scaled and measured.

use interfield_language::Model;
use interfield_language::model::Load;
use interfield_language::signal::Signal;
use interfield_motion::{MotionError, Quantity, Record};

/// Damping ratio of spectral accelerations.
pub const DAMPING: f64 = 0.05;

/// The accelerations of the ground.
fn signals(model: &mut Model) -> impl Iterator<Item = &mut Signal> {
    model.loads.iter_mut().filter_map(|l| match l {
        Load::Ground { signal, .. } => Some(signal),
        Load::Force { .. } => None,
    })
}

/// How many accelerations of the ground a model has.
pub fn count(model: &Model) -> usize {
    model.loads.iter().filter(|l| matches!(l, Load::Ground { .. })).count()
}

/// Puts a record in the place of the acceleration of the ground.
pub fn replace(model: &mut Model, record: &Record) {
    let sampled = Signal::Samples { start: 0.0, dt: record.dt, values: record.values.as_slice().into() };
    signals(model).for_each(|s| *s = sampled.clone());
}

/// Scales the motion of the ground, all directions alike, so that its peak is `peak` in m/s²; does nothing to one that is zero.
pub fn scale_to(model: &mut Model, peak: f64) {
    let factor = peak / pga(model).unwrap_or(0.0);
    if factor.is_finite() {
        signals(model).for_each(|s| s.scale(factor));
    }
}

/// The accelerations as records: samples as they are, anything else at the steps of the analysis.
fn records(model: &Model) -> impl Iterator<Item = Result<Record, MotionError>> + '_ {
    let analysis = &model.analysis;
    let steps = analysis.steps().min(10_000_000);
    let record = move |signal: &Signal| {
        let (dt, values) = match signal {
            Signal::Samples { dt, values, .. } => (*dt, values.to_vec()),
            other => (analysis.dt, (0..=steps).map(|k| other.value(k as f64 * analysis.dt)).collect()),
        };
        Record::new(dt, values, Quantity::Acceleration)
    };
    model.loads.iter().filter_map(move |l| match l {
        Load::Ground { signal, .. } => Some(record(signal)),
        Load::Force { .. } => None,
    })
}

/// The largest of some numbers; `None` without any.
fn largest(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    numbers.reduce(f64::max)
}

/// Peak ground acceleration in m/s², the largest of all directions; `None` without motion of the ground.
pub fn pga(model: &Model) -> Option<f64> {
    largest(records(model).filter_map(|r| Some(r.ok()?.peak())))
}

/// Pseudo-spectral acceleration in m/s² at a period in s with 5 % damping, the largest of all directions.
pub fn spectral_acceleration(model: &Model, period: f64) -> Option<f64> {
    let at = |r: Record| r.response_spectrum(&[period], DAMPING).ok()?.psa.first().copied();
    largest(records(model).filter_map(|r| at(r.ok()?)))
}
