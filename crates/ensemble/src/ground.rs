//! The ground motion of a model: replaced, scaled and measured.

use interfield_language::Model;
use interfield_language::model::Load;
use interfield_language::signal::Signal;
use interfield_motion::{MotionError, Quantity, Record};
use interfield_structure::Modal;

/// Damping ratio of spectral accelerations.
pub const DAMPING: f64 = 0.05;
/// Periods over which a spectral acceleration is averaged, evenly spaced.
const AVERAGED: usize = 50;

/// A measure of the intensity of a ground motion, an acceleration. All of them grow in proportion to the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Peak ground acceleration.
    Peak,
    /// Pseudo-spectral acceleration at a period in s, with a damping ratio of [`DAMPING`].
    Spectral(f64),
    /// Geometric mean of the pseudo-spectral acceleration over periods in s, from the first to the second
    /// (Eads, Miranda & Lignos 2015).
    Average(f64, f64),
}

/// How the measures of several horizontal components become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// Geometric mean.
    #[default]
    GeometricMean,
    /// The larger one.
    Larger,
    /// That of the first component.
    First,
}

impl Measure {
    /// Its value for one component, m/s².
    fn of_one(self, record: &Record) -> Result<f64, MotionError> {
        match self {
            Self::Peak => record.pga(),
            Self::Spectral(period) => Ok(record.response_spectrum(&[period], DAMPING)?.psa.iter().sum()),
            Self::Average(from, to) => {
                let period = |i: usize| from + (to - from) * i as f64 / (AVERAGED - 1) as f64;
                let periods: Vec<f64> = (0..AVERAGED).map(period).collect();
                Ok(geometric_mean(&record.response_spectrum(&periods, DAMPING)?.psa))
            }
        }
    }

    /// Its value for the components of a motion, m/s²; zero without any.
    ///
    /// # Errors
    /// A component that is no acceleration.
    pub fn of(self, components: &[Record], combine: Combine) -> Result<f64, MotionError> {
        let used = if combine == Combine::First { components.get(..1).unwrap_or_default() } else { components };
        let values = used.iter().map(|r| self.of_one(r)).collect::<Result<Vec<f64>, MotionError>>()?;
        Ok(match combine {
            Combine::Larger => values.iter().fold(0.0, |m: f64, x| m.max(*x)),
            // Of a single one it is that one, to the last bit.
            _ if values.len() == 1 => values[0],
            Combine::GeometricMean | Combine::First => geometric_mean(&values),
        })
    }
}

fn geometric_mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    libm::exp(values.iter().map(|x| libm::log(*x)).sum::<f64>() / values.len() as f64)
}

/// The accelerations of the ground.
fn signals(model: &mut Model) -> impl Iterator<Item = (&str, &mut Signal)> {
    model.loads.iter_mut().filter_map(|l| match l {
        Load::Ground { direction, signal, .. } => Some((direction.as_str(), signal)),
        Load::Force { .. } => None,
    })
}

/// Directions along which the ground moves, in the order of the loads; one that has several motions comes several times.
pub fn directions(model: &Model) -> Vec<String> {
    let direction = |l: &Load| match l {
        Load::Ground { direction, .. } => Some(direction.clone()),
        Load::Force { .. } => None,
    };
    model.loads.iter().filter_map(direction).collect()
}

/// Puts records in the place of the accelerations of the ground, one for each in their order, multiplied by `factor`.
pub fn replace(model: &mut Model, records: &[Record], factor: f64) {
    for ((_, signal), record) in signals(model).zip(records) {
        let values = record.values.iter().map(|x| factor * x).collect();
        *signal = Signal::Samples { start: 0.0, dt: record.dt, values };
    }
}

/// Multiplies the motion of the ground, all directions alike.
pub fn scale(model: &mut Model, factor: f64) {
    signals(model).for_each(|(_, s)| s.scale(factor));
}

/// The accelerations as records: samples as they are, anything else at the steps of the analysis.
///
/// # Errors
/// One that is not finite.
pub fn records(model: &Model) -> Result<Vec<Record>, MotionError> {
    let analysis = &model.analysis;
    let steps = analysis.steps().min(10_000_000);
    let record = |signal: &Signal| {
        let (dt, values) = match signal {
            Signal::Samples { dt, values, .. } => (*dt, values.to_vec()),
            other => (analysis.dt, (0..=steps).map(|k| other.value(k as f64 * analysis.dt)).collect()),
        };
        Record::new(dt, values, Quantity::Acceleration)
    };
    let ground = model.loads.iter().filter_map(|l| match l {
        Load::Ground { signal, .. } => Some(record(signal)),
        Load::Force { .. } => None,
    });
    ground.collect()
}

/// First period of a structure along the directions in which it is shaken, s: along each of them that of the mode with the
/// largest effective mass, and of several directions the mean (FEMA P-58-1, 2018). `None` where there is none.
pub fn first_period(modal: &Modal, directions: &[String]) -> Option<f64> {
    let first = |name: &String| {
        let direction = modal.directions.iter().find(|d| d.name == *name)?;
        let carries = |a: &usize, b: &usize| direction.effective[*a].total_cmp(&direction.effective[*b]);
        let swings = (0..direction.effective.len()).filter(|&m| modal.period(m).is_some());
        modal.period(swings.max_by(carries)?)
    };
    let periods: Vec<f64> = directions.iter().filter_map(first).collect();
    (!periods.is_empty()).then(|| periods.iter().sum::<f64>() / periods.len() as f64)
}
