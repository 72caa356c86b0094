//! How two computations of the same thing differ, channel by channel, and which of the two moves if the step is halved.

/// One channel in both programs, after the same steps.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// `node.dof`.
    pub name: String,
    /// Unit of the values.
    pub unit: String,
    /// What OpenSees computed.
    pub theirs: Vec<f64>,
    /// What we computed.
    pub ours: Vec<f64>,
    /// Both once more with half the step, at the same times.
    pub halved: Option<[Vec<f64>; 2]>,
}

/// How a channel differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// `node.dof`.
    pub name: String,
    /// Unit of the values.
    pub unit: String,
    /// Largest absolute values: OpenSees, Interfield.
    pub peaks: [f64; 2],
    /// Largest absolute difference.
    pub largest: f64,
    /// Step of it, from 0.
    pub step: usize,
    /// The difference over the peak of OpenSees.
    pub relative: f64,
    /// Values after the last step: OpenSees, Interfield.
    pub residual: [f64; 2],
    /// Relative to the same peak: how far OpenSees and Interfield move if the step is halved, and how far they are apart then.
    pub halved: Option<[f64; 3]>,
}

/// A channel that moves less than this share of the largest of its unit is measured by that share: its own peak is rounding.
const REST: f64 = 1e-6;

/// Differences of all channels, the largest first.
pub fn differences(pairs: &[Pair]) -> Vec<Difference> {
    let peak = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let largest_of = |unit: &str| pairs.iter().filter(|c| c.unit == unit).map(|c| peak(&c.theirs)).fold(0.0, f64::max);
    let mut all: Vec<Difference> = pairs
        .iter()
        .map(|c| {
            let peaks = [peak(&c.theirs), peak(&c.ours)];
            let scale = peaks[0].max(REST * largest_of(&c.unit));
            let (largest, step) = apart(&c.theirs, &c.ours);
            let over = |x: f64| if x == 0.0 { 0.0 } else { x / scale };
            let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
            let halved = c.halved.as_ref().map(|[theirs, ours]| {
                [apart(&c.theirs, theirs), apart(&c.ours, ours), apart(theirs, ours)].map(|(x, _)| over(x))
            });
            let residual = [last(&c.theirs), last(&c.ours)];
            let (name, unit) = (c.name.clone(), c.unit.clone());
            Difference { name, unit, peaks, largest, step, relative: over(largest), residual, halved }
        })
        .collect();
    all.sort_by(|a, b| b.relative.total_cmp(&a.relative));
    all
}

/// Largest difference and where; what one of them does not have, or is not a number, is infinitely far.
fn apart(a: &[f64], b: &[f64]) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for i in 0..a.len().max(b.len()) {
        let far = match (a.get(i), b.get(i)) {
            (Some(x), Some(y)) if x == y || (x.is_nan() && y.is_nan()) => 0.0,
            (Some(x), Some(y)) if (x - y).is_finite() => (x - y).abs(),
            _ => f64::INFINITY,
        };
        if far > worst.0 {
            worst = (far, i);
        }
    }
    worst
}

/// What halving the step says of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is as small as rounding and convergence make it.
    None,
    /// OpenSees moves towards us.
    Theirs,
    /// We move towards OpenSees.
    Ours,
    /// Both move towards each other.
    Step,
    /// The step has nothing to do with it.
    Model,
}

/// Differences up to this are rounding and the tolerance of convergence, relative to the peak.
pub const SAME: f64 = 1e-6;

/// What halving says, from the worst of all channels: OpenSees moved, Interfield moved, apart then, apart before.
pub fn cause(differences: &[Difference]) -> Option<(Cause, [f64; 4])> {
    let halved: Vec<[f64; 3]> = differences.iter().filter_map(|d| d.halved).collect();
    if halved.is_empty() {
        return None;
    }
    let worst = |k: usize| halved.iter().map(|h| h[k]).fold(0.0, f64::max);
    let before = differences.iter().map(|d| d.relative).fold(0.0, f64::max);
    let numbers @ [theirs, ours, after, _] = [worst(0), worst(1), worst(2), before];
    let cause = if before <= SAME {
        Cause::None
    } else if after > 0.7 * before {
        Cause::Model
    } else if theirs > 3.0 * ours {
        Cause::Theirs
    } else if ours > 3.0 * theirs {
        Cause::Ours
    } else {
        Cause::Step
    };
    Some((cause, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(theirs: &[f64], ours: &[f64]) -> Pair {
        let (name, unit) = ("1.x".to_owned(), "m".to_owned());
        Pair { name, unit, theirs: theirs.to_vec(), ours: ours.to_vec(), halved: None }
    }

    #[test]
    fn the_largest_difference_is_relative_to_the_peak_of_the_channel() {
        let d = &differences(&[pair(&[0.0, 2.0, -4.0, 1.0], &[0.0, 2.1, -4.0, 0.9])])[0];
        assert_eq!((d.step, d.peaks, d.residual), (1, [4.0, 4.0], [1.0, 0.9]));
        assert!((d.relative - 0.025).abs() < 1e-15);
    }

    #[test]
    fn a_channel_at_rest_is_not_measured_by_its_own_rounding() {
        let all = differences(&[pair(&[0.0, 1.0], &[0.0, 1.0]), pair(&[1e-18, 0.0], &[0.0, 2e-18])]);
        assert!(all.iter().all(|d| d.relative < 1e-11), "{all:?}");
    }

    #[test]
    fn what_is_missing_or_no_number_is_infinitely_far() {
        for (a, b) in [([1.0, 2.0], vec![1.0]), ([1.0, f64::NAN], vec![1.0, 1.0])] {
            assert_eq!(differences(&[pair(&a, &b)])[0].relative, f64::INFINITY);
        }
    }

    #[test]
    fn halving_names_the_one_that_moves() {
        let halved = |theirs: f64, ours: f64| {
            let c = Pair { halved: Some([vec![theirs], vec![ours]]), ..pair(&[1.0], &[1.1]) };
            cause(&differences(&[c])).map(|(c, _)| c)
        };
        assert_eq!(halved(1.08, 1.1), Some(Cause::Theirs));
        assert_eq!(halved(1.0, 1.01), Some(Cause::Ours));
        assert_eq!(halved(1.04, 1.06), Some(Cause::Step));
        assert_eq!(halved(1.0, 1.1), Some(Cause::Model));
        assert_eq!(cause(&differences(&[pair(&[1.0], &[1.1])])), None);
    }
}
