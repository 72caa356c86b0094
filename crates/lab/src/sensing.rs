//! What is measured of a specimen by sensors with kinematics of their own, in place of those of its actuators.
//!
//! A transducer measures a coordinate q_i(u): the displacements are those that fit all of them best. A load cell carries a force along a coordinate of
//! its own, which does work on it, so that all cells together hold the specimen with r = Jᵀ f. What hangs between cells and
//! specimen is taken off ([`Fixtures`]).
//!
//! Redundant transducers check each other. With S = I - J J⁺ an error d of sensor k leaves the residuals e_i = S_ik d, so that d = e_k/S_kk. Of all
//! sensors the one whose error explains the residuals best has the largest |e_k|/√S_kk, in units that compare (Baarda 1968, data snooping). Where
//! S_kk is zero nothing checks a sensor; with one redundant sensor an error is seen, but not whose it is.

use crate::fixture::Fixtures;
use crate::kinematics::Kinematics;
use crate::safety::Limits;

/// A sensor of its own, besides those of the actuators.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Instrument = gain · physical + offset.
    pub calibration: [f64; 2],
    /// What it must not show.
    pub limits: Limits,
}

impl Gauge {
    /// What its number means.
    pub(crate) fn reads(&self, shown: f64) -> f64 {
        (shown - self.calibration[1]) / self.calibration[0]
    }

    /// What it shows.
    pub(crate) fn shows(&self, truth: f64) -> f64 {
        self.calibration[0] * truth + self.calibration[1]
    }
}

/// Sensors of one kind with their kinematics: which channels they are, those of the actuators before the others.
#[derive(Clone, Debug)]
pub struct Array {
    channels: Vec<usize>,
    kinematics: Kinematics,
    checks: Checks,
    read: Vec<f64>,
    fitted: Vec<f64>,
}

impl Array {
    /// Sensors at these channels; kinematics has a row for each.
    pub fn new(channels: Vec<usize>, mut kinematics: Kinematics) -> Self {
        let n = channels.len();
        let checks = Checks::new(&mut kinematics);
        Array { channels, kinematics, checks, read: vec![0.0; n], fitted: vec![0.0; n] }
    }

    /// Its kinematics.
    pub fn kinematics(&self) -> &Kinematics {
        &self.kinematics
    }

    /// Sensors that no other one checks.
    pub fn unchecked(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.channels.len()).filter(|&k| self.checks.share(k) < ALONE)
    }

    /// Displacements that fit the readings best; `u` holds a guess before. `false` if none does.
    fn displacements(&mut self, shown: &[f64], u: &mut [f64]) -> bool {
        self.read.iter_mut().zip(&self.channels).for_each(|(x, &c)| *x = shown[c]);
        self.kinematics.displacements(&self.read, u)
    }

    /// Forces on the degrees of freedom at `u`.
    fn forces(&mut self, shown: &[f64], u: &[f64], force: &mut [f64]) {
        self.read.iter_mut().zip(&self.channels).for_each(|(x, &c)| *x = shown[c]);
        self.kinematics.linearise_at(u, &mut self.fitted);
        self.kinematics.to_dofs(&self.read, force);
    }

    /// How far the readings of the last [`Array::displacements`], which were found at `u`, contradict each other.
    fn contradiction(&mut self, u: &[f64]) -> Option<Contradiction> {
        if self.checks.redundant == 0 {
            return None;
        }
        self.kinematics.strokes(u, &mut self.fitted);
        let off = |k: usize| self.read[k] - self.fitted[k];
        let weight = |k: usize| (off(k) * self.checks.scale[k]).abs() / self.checks.share(k).sqrt();
        let checked = (0..self.read.len()).filter(|&k| self.checks.share(k) >= ALONE);
        let worst = checked.max_by(|&a, &b| weight(a).total_cmp(&weight(b)))?;
        let error = off(worst).abs() / self.checks.share(worst);
        Some(Contradiction { channel: self.channels[worst], error, known: self.checks.distinct[worst] })
    }
}

/// A sensor that the others contradict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// Its channel.
    pub channel: usize,
    /// By how much it would have to be wrong, m (rad).
    pub error: f64,
    /// Whether it can be no other.
    pub known: bool,
}

/// A sensor with a smaller share of its own error in its residual is checked by nobody.
const ALONE: f64 = 1e-6;
/// Two sensors whose errors leave residuals more alike than this cannot be told apart.
const ALIKE: f64 = 0.999;

/// How sensors check each other, at rest.
#[derive(Clone, Debug)]
struct Checks {
    /// S = I - J J⁺, row-major.
    residual: Vec<f64>,
    /// What makes lengths and angles compare.
    scale: Vec<f64>,
    /// Whether the error of a sensor looks like that of no other.
    distinct: Vec<bool>,
    redundant: usize,
}

impl Checks {
    fn new(kinematics: &mut Kinematics) -> Self {
        let (m, n) = (kinematics.actuators(), kinematics.dofs());
        let jacobian = kinematics.jacobian().to_vec();
        let row = |i: usize| &jacobian[i * n..(i + 1) * n];
        let column = |j: usize| (0..m).fold(0.0f64, |most, i| most.max(row(i)[j].abs()));
        let columns: Vec<f64> = (0..n).map(|j| Some(column(j)).filter(|x| *x > 0.0).unwrap_or(1.0)).collect();
        let size = |i: usize| row(i).iter().zip(&columns).fold(0.0f64, |most, (x, c)| most.max((x / c).abs()));
        let scale = (0..m).map(|i| Some(size(i)).filter(|x| *x > 0.0).map_or(1.0, |x| 1.0 / x)).collect();
        let mut residual = vec![0.0; m * m];
        let mut moved = vec![0.0; n];
        for k in 0..m {
            let unit: Vec<f64> = (0..m).map(|i| f64::from(u8::from(i == k))).collect();
            kinematics.rates(&unit, &mut moved);
            for i in 0..m {
                residual[i * m + k] = unit[i] - row(i).iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        let of = |i: usize, k: usize| residual[i * m + k];
        // S is a projector in scaled rows: the product of two mirrored entries is the square of the scaled one.
        let alike = |i: usize, k: usize| (of(i, k) * of(k, i)).max(0.0) > ALIKE * ALIKE * of(i, i) * of(k, k);
        let distinct = (0..m).map(|k| (0..m).all(|i| i == k || of(i, i) < ALONE || !alike(i, k))).collect();
        let redundant = m.saturating_sub(kinematics.rank());
        Checks { residual, scale, distinct, redundant }
    }

    /// What of the error of sensor `k` its own residual shows, 0 to 1.
    fn share(&self, k: usize) -> f64 {
        self.residual[k * self.scale.len() + k]
    }
}

/// What measures a specimen where it is not the sensors of its actuators.
#[derive(Clone, Debug, Default)]
pub struct Sensing {
    /// Transducers and load cells of their own, in the order of their channels.
    pub gauges: [Vec<Gauge>; 2],
    /// What gives displacements; none: the actuators.
    pub transducers: Option<Array>,
    /// What gives forces; none: the actuators.
    pub load_cells: Option<Array>,
    /// What hangs between load cells and specimen.
    pub fixtures: Option<Fixtures>,
}

impl Sensing {
    /// The same with sensors that show metres and newtons.
    #[must_use]
    pub fn uncalibrated(mut self) -> Self {
        self.gauges.iter_mut().flatten().for_each(|gauge| gauge.calibration = [1.0, 0.0]);
        self
    }

    /// Length of what it remembers.
    pub(crate) fn memory(&self) -> usize {
        self.fixtures.as_ref().map_or(0, Fixtures::memory)
    }

    /// Number of transducers and of load cells of their own.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.gauges[0].len(), self.gauges[1].len()]
    }

    /// Displacements and forces of the specimen: `u` and `force` are those by the actuators before, `seen` and `felt` all readings. `false` where no
    /// displacement fits.
    pub(crate) fn measure(
        &mut self,
        memory: &mut [f64],
        [seen, felt]: [&[f64]; 2],
        u: &mut [f64],
        force: &mut [f64],
    ) -> bool {
        let found = self.transducers.as_mut().is_none_or(|t| t.displacements(seen, u));
        if let Some(cells) = &mut self.load_cells {
            cells.forces(felt, u, force);
        }
        if let Some(fixtures) = &mut self.fixtures {
            fixtures.take(memory, u, force);
        }
        found
    }

    /// How far the transducers contradict each other at the displacements that were found last.
    pub(crate) fn contradiction(&mut self, u: &[f64]) -> Option<Contradiction> {
        self.transducers.as_mut()?.contradiction(u)
    }

    /// By how much each sensor of its own should move with the strokes of the actuators, row by row: what tells a frozen one.
    pub(crate) fn follows(&self, actuators: &mut Kinematics) -> Vec<f64> {
        let (m, n) = (actuators.actuators(), actuators.dofs());
        let mut rows = Vec::new();
        for (array, gauges) in [&self.transducers, &self.load_cells].into_iter().zip(&self.gauges) {
            for channel in m..m + gauges.len() {
                let place = array.as_ref().and_then(|a| a.channels.iter().position(|c| *c == channel).map(|k| (a, k)));
                let row = place.map_or(&[][..], |(a, k)| &a.kinematics.jacobian()[k * n..(k + 1) * n]);
                for i in 0..m {
                    let unit: Vec<f64> = (0..m).map(|j| f64::from(u8::from(i == j))).collect();
                    let mut moved = vec![0.0; n];
                    actuators.rates(&unit, &mut moved);
                    rows.push(row.iter().zip(&moved).map(|(a, b)| a * b).sum());
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::Lever;

    fn array(rows: &[&[f64]]) -> Array {
        let levers = rows.iter().map(|row| Lever::Linear(row.to_vec())).collect();
        Array::new((0..rows.len()).collect(), Kinematics::new(levers, rows[0].len()))
    }

    /// Four transducers on a plan with x and rotation: one of them slips.
    #[test]
    fn the_sensor_that_the_others_contradict_is_found() {
        let mut four = array(&[&[1.0, -2.0], &[1.0, 2.0], &[1.0, 0.5], &[0.0, 3.0]]);
        for (slipped, error) in (0..4).zip([1e-3, -2e-3, 5e-4, 3e-3]) {
            let truth = [0.02, 0.004];
            let mut read = [0.02 - 0.008, 0.02 + 0.008, 0.02 + 0.002, 0.012];
            read[slipped] += error;
            let mut u = [0.0; 2];
            assert!(four.displacements(&read, &mut u));
            let found = four.contradiction(&u).expect("two are redundant");
            assert_eq!((found.channel, found.known), (slipped, true), "{found:?}");
            assert!((found.error - error.abs()).abs() < 1e-12, "{found:?}");
            assert!((u[0] - truth[0]).abs() < error.abs());
        }
        assert_eq!(four.unchecked().count(), 0);
    }

    #[test]
    fn one_redundant_sensor_shows_that_something_is_wrong_but_not_what() {
        let mut three = array(&[&[1.0, 0.0], &[1.0, 0.0], &[0.0, 1.0]]);
        assert_eq!(three.unchecked().collect::<Vec<_>>(), [2], "the rotation is measured once");
        let mut u = [0.0; 2];
        assert!(three.displacements(&[0.011, 0.009, 0.3], &mut u));
        let found = three.contradiction(&u).expect("one is redundant");
        assert!(!found.known && (found.error - 2e-3).abs() < 1e-15, "{found:?}");
        assert!((u[0] - 0.01).abs() < 1e-15 && (u[1] - 0.3).abs() < 1e-15);
        let mut two = array(&[&[1.0, 0.0], &[0.0, 1.0]]);
        assert!(two.displacements(&[0.011, 0.3], &mut u) && two.contradiction(&u).is_none());
    }
}
