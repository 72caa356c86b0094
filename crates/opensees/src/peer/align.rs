//! Which steps of the two programs belong together.

use super::results::Course;

/// Times are the same up to this share of a step: OpenSees adds its steps up.
const NEAR: f64 = 1e-3;

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

    /// Rows of OpenSees with the rows of ours that belong to them. Ours have the start as their first row, at time zero.
    pub fn rows(&self, ours: &[f64]) -> Vec<(usize, usize)> {
        if !self.is_transient() {
            return (0..self.steps().min(ours.len().saturating_sub(1))).map(|i| (i, i + 1)).collect();
        }
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
        assert_eq!(course.rows(&[0.0, 0.1, 0.2, 0.3]), [(0, 1), (2, 2), (3, 3)]);
        // Every second time only, as with a step of twice the length.
        assert_eq!(course.rows(&[0.0, 0.2]), [(2, 1)]);
    }

    #[test]
    fn steps_of_a_pushover_belong_together_by_their_number() {
        let s = stage("Static", 0.0, &[0.4, 0.9, 0.7]);
        assert_eq!(Course { stages: vec![&s] }.rows(&[0.0, 1.0, 2.0]), [(0, 1), (1, 2)]);
    }
}
