//! Which steps of the two programs belong together.

use super::results::Course;

/// Times are the same up to this share of a step: OpenSees adds its steps up.
const NEAR: f64 = 1e-3;
/// Steps of ours in one of OpenSees, at most.
const AHEAD: usize = 16;

impl Course<'_> {
    /// Whether time passes.
    pub fn is_transient(&self) -> bool {
        self.stages.first().is_some_and(|s| s.is_transient())
    }

    /// Number of its steps.
    pub fn steps(&self) -> usize {
        self.stages.iter().map(|s| s.times.len()).sum()
    }

    /// Time of OpenSees, or load factor, after each step.
    pub fn times(&self) -> Vec<f64> {
        self.stages.iter().flat_map(|s| s.times.iter().copied()).collect()
    }

    /// One displacement after each step; `width` of them are kept per step.
    pub fn column(&self, channel: usize, width: usize) -> Vec<f64> {
        let column = |s: &&super::results::Stage| -> Vec<f64> {
            s.values.iter().skip(channel).step_by(width.max(1)).copied().collect()
        };
        self.stages.iter().flat_map(column).collect()
    }

    /// Rows of OpenSees with the rows of ours that have the same time. Ours have the start as their first row, at time zero.
    pub fn rows_in_time(&self, ours: &[f64]) -> Vec<(usize, usize)> {
        let (times, dt) = (self.times(), self.stages.first().map_or(0.0, |s| s.dt));
        let start = times.first().map_or(0.0, |t| t - dt);
        let mut rows = Vec::new();
        let mut j = 0;
        for (i, t) in times.iter().map(|t| t - start).enumerate() {
            while j < ours.len() && ours[j] < t - NEAR * dt {
                j += 1;
            }
            if ours.get(j).is_some_and(|own| (own - t).abs() <= NEAR * dt) {
                rows.push((i, j));
            }
        }
        rows
    }
}

/// Rows of two pushovers with the same controlled displacement, along the same way.
pub fn rows_along(theirs: &[f64], ours: &[f64]) -> Vec<(usize, usize)> {
    let way = theirs.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    let mut rows = Vec::new();
    let mut next = 1;
    for (i, u) in theirs.iter().enumerate() {
        // Not further ahead than a few steps: the same displacement comes back later on the way.
        let ahead = ours.iter().enumerate().skip(next).take(AHEAD);
        if let Some((j, _)) = ahead.clone().find(|(_, own)| (*own - u).abs() <= NEAR * way) {
            rows.push((i, j));
            next = j + 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::results::Stage;
    use super::*;

    fn stage(analysis: &str, dt: f64, times: &[f64]) -> Stage {
        Stage { analysis: analysis.to_owned(), dt, times: times.to_vec(), ..Stage::default() }
    }

    #[test]
    fn steps_in_time_belong_together_by_their_time() {
        // OpenSees goes on from 5 s, and has taken one step in two parts.
        let s = stage("Transient", 0.1, &[5.1, 5.15, 5.2, 5.300_000_000_1]);
        let course = Course { stages: vec![&s] };
        assert_eq!(course.rows_in_time(&[0.0, 0.1, 0.2, 0.3]), [(0, 1), (2, 2), (3, 3)]);
        // Every second time only, as with a step of twice the length.
        assert_eq!(course.rows_in_time(&[0.0, 0.2]), [(2, 1)]);
    }

    #[test]
    fn steps_of_a_pushover_belong_together_by_their_displacement() {
        let theirs = [1.0, 2.0, 1.0, 0.0];
        assert_eq!(rows_along(&theirs, &[0.0, 1.0, 2.0, 1.0, 0.0]), [(0, 1), (1, 2), (2, 3), (3, 4)]);
        // Ours in half the step, and ended early.
        assert_eq!(rows_along(&theirs, &[0.0, 0.5, 1.0, 1.5, 2.0, 1.5, 1.0]), [(0, 2), (1, 4), (2, 6)]);
        assert_eq!(rows_along(&theirs, &[0.0, 1.3, 2.3]), []);
    }
}
