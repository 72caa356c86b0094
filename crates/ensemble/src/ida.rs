//! Incremental dynamic analysis (Vamvatsikos & Cornell 2002): curves of demand over intensity, one for each ground motion,
//! what they say at each intensity, and the intensity at which each of them reaches a limit.

use crate::statistics::quantile;

/// Fractiles of curves.
pub const FRACTILES: [f64; 3] = [0.16, 0.5, 0.84];

/// A run: a point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Intensity, greater than zero.
    pub intensity: f64,
    /// Demand, a magnitude; infinite for a run that stopped before its end.
    pub demand: f64,
    /// Whether the structure collapsed: the run stopped, or the demand is beyond what counts as collapse.
    pub collapsed: bool,
}

impl Point {
    /// The demand, infinite for a collapse.
    pub fn effective(&self) -> f64 {
        if self.collapsed { f64::INFINITY } else { self.demand }
    }
}

/// What counts as collapse beside a run that stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Collapse {
    /// Nothing.
    #[default]
    Stopped,
    /// A demand beyond this value (DM-based rule).
    Demand(f64),
    /// A curve that has become flat: beyond its last segment steeper than this share of its elastic slope (IM-based rule; the
    /// share of Vamvatsikos & Cornell is 20 %).
    Slope(f64),
}

/// Points of one ground motion with rising intensity. The curve starts at zero intensity and zero demand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its points.
    pub points: Vec<Point>,
}

/// The intensity at which a limit is reached: between both; they are equal where it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// The limit is not reached below this.
    pub low: f64,
    /// It is reached here; infinite if it is not reached at any intensity that was tried.
    pub high: f64,
}

impl Curve {
    /// Marks the points that count as collapse.
    pub fn judge(&mut self, collapse: Collapse) {
        let points = &mut self.points;
        points.iter_mut().for_each(|p| p.collapsed = !p.demand.is_finite());
        match collapse {
            Collapse::Stopped => {}
            Collapse::Demand(most) => points.iter_mut().for_each(|p| p.collapsed |= p.demand > most),
            Collapse::Slope(share) => {
                let slope = |a: (f64, f64), b: &Point| (b.intensity - a.0) / (b.demand - a.1);
                let Some(first) = points.first() else { return };
                let least = share * slope((0.0, 0.0), first);
                let mut before = (0.0, 0.0);
                let mut stands = 0;
                for (i, p) in points.iter().enumerate() {
                    // Where the demand falls the curve rises more steeply than any slope.
                    if p.demand <= before.1 || slope(before, p) >= least {
                        stands = i + 1;
                    }
                    before = (p.intensity, p.demand);
                }
                points.iter_mut().skip(stands).for_each(|p| p.collapsed = true);
            }
        }
    }

    /// The first point beyond a demand, and the one before it.
    fn crossing(&self, demand: f64) -> Option<(Option<&Point>, &Point)> {
        let i = self.points.iter().position(|p| p.demand > demand)?;
        Some((i.checked_sub(1).map(|i| &self.points[i]), &self.points[i]))
    }

    /// The intensity at which the demand first reaches `limit`: on the straight line between two runs; where the upper one
    /// stopped, between both; where the first one is beyond it, below that.
    pub fn capacity(&self, limit: f64) -> Capacity {
        match self.crossing(limit) {
            Some((Some(before), beyond)) if beyond.demand.is_finite() => {
                let at = between((before.intensity, before.demand), beyond, limit);
                Capacity { low: at, high: at }
            }
            Some((before, beyond)) => Capacity { low: before.map_or(0.0, |p| p.intensity), high: beyond.intensity },
            None => Capacity { low: self.points.last().map_or(0.0, |p| p.intensity), high: f64::INFINITY },
        }
    }

    /// Between which intensities it collapses first: its flat line.
    pub fn collapse(&self) -> Capacity {
        let first = self.points.iter().position(|p| p.collapsed);
        let below = |i: usize| i.checked_sub(1).map_or(0.0, |i| self.points[i].intensity);
        match first {
            Some(i) => Capacity { low: below(i), high: self.points[i].intensity },
            None => Capacity { low: below(self.points.len()), high: f64::INFINITY },
        }
    }

    /// Whether it stands again at a higher intensity than one at which it collapsed (structural resurrection).
    pub fn resurrects(&self) -> bool {
        self.points.windows(2).any(|w| w[0].collapsed && !w[1].collapsed)
    }
}

/// The intensity at which the straight line from a point to the next reaches a demand.
fn between((intensity, demand): (f64, f64), next: &Point, reached: f64) -> f64 {
    intensity + (next.intensity - intensity) * (reached - demand) / (next.demand - demand)
}

/// What the runs at one intensity say together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stripe {
    /// The intensity.
    pub intensity: f64,
    /// Runs.
    pub count: usize,
    /// Runs that collapsed.
    pub collapsed: usize,
    /// [`FRACTILES`] of the demand over all runs, a collapse counted as infinite.
    pub fractiles: [f64; 3],
    /// Standard deviation of the logarithm of the demand, over the runs that did not collapse; NaN of less than two.
    pub dispersion: f64,
}

/// Fractiles of some numbers, infinite ones among them.
fn fractiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    FRACTILES.map(|p| if values.is_empty() { f64::NAN } else { quantile(&values, p) })
}

/// Standard deviation of the logarithms of positive numbers.
fn dispersion(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.filter(|x| *x > 0.0).map(libm::log).collect();
    let n = logs.len() as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = logs.iter().sum::<f64>() / n;
    (logs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt()
}

/// The runs of all curves by intensity, rising.
pub fn stripes(curves: &[Curve]) -> Vec<Stripe> {
    let mut points: Vec<Point> = curves.iter().flat_map(|c| c.points.iter().copied()).collect();
    points.sort_by(|a, b| a.intensity.total_cmp(&b.intensity));
    let stripe = |group: &[Point]| Stripe {
        intensity: group[0].intensity,
        count: group.len(),
        collapsed: group.iter().filter(|p| p.collapsed).count(),
        fractiles: fractiles(group.iter().map(Point::effective).collect()),
        dispersion: dispersion(group.iter().map(Point::effective).filter(|d| d.is_finite())),
    };
    points.chunk_by(|a, b| a.intensity == b.intensity).map(stripe).collect()
}

/// Fractiles of the intensity at which the curves first reach a demand; infinite where too few of them do. Curves start at the
/// origin. Between two runs of which the upper one stopped, the demand counts as reached at the lower one: the flat line stands there.
pub fn intensities_at(curves: &[Curve], demand: f64) -> [f64; 3] {
    let reached = |c: &Curve| match c.crossing(demand) {
        Some((before, beyond)) => {
            let from = before.map_or((0.0, 0.0), |p| (p.intensity, p.demand));
            if beyond.demand.is_finite() { between(from, beyond, demand) } else { from.0 }
        }
        None => f64::INFINITY,
    };
    fractiles(curves.iter().filter(|c| !c.points.is_empty()).map(reached).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Curve {
        let point = |&(intensity, demand): &(f64, f64)| Point { intensity, demand, collapsed: !demand.is_finite() };
        Curve { points: points.iter().map(point).collect() }
    }

    #[test]
    fn a_limit_is_reached_on_the_line_between_two_runs_or_between_both() {
        let c = curve(&[(0.1, 1.0), (0.2, 2.0), (0.3, 6.0), (0.4, f64::INFINITY)]);
        assert_eq!(c.capacity(0.5), Capacity { low: 0.0, high: 0.1 });
        assert_eq!(intensities_at(std::slice::from_ref(&c), 0.5), [0.05; 3]);
        let at = c.capacity(4.0);
        assert!((at.low - 0.25).abs() < 1e-15 && at.low == at.high);
        assert_eq!(c.capacity(8.0), Capacity { low: 0.3, high: 0.4 });
        assert_eq!(c.collapse(), Capacity { low: 0.3, high: 0.4 });
        let elastic = curve(&[(0.1, 1.0), (0.2, 2.0)]);
        assert_eq!(elastic.capacity(3.0), Capacity { low: 0.2, high: f64::INFINITY });
        assert_eq!(elastic.collapse(), Capacity { low: 0.2, high: f64::INFINITY });
        // A curve that weaves back: the lowest intensity counts.
        let weaving = curve(&[(0.1, 1.0), (0.2, 3.0), (0.3, 2.0), (0.4, 4.0)]);
        assert!((weaving.capacity(2.5).low - 0.175).abs() < 1e-15);
    }

    #[test]
    fn collapse_is_a_demand_a_flat_line_or_a_run_that_stopped() {
        let points = [(0.1, 1.0), (0.2, 2.0), (0.3, 20.0), (0.4, 24.0), (0.5, 80.0), (0.6, 140.0)];
        let collapsed = |rule| {
            let mut c = curve(&points);
            c.judge(rule);
            c.points.iter().filter(|p| p.collapsed).count()
        };
        assert_eq!(collapsed(Collapse::Stopped), 0);
        assert_eq!(collapsed(Collapse::Demand(10.0)), 4);
        // Elastic slope 0.1; the segment to 24 has 0.025, those after it less than 0.02.
        assert_eq!(collapsed(Collapse::Slope(0.2)), 2);
        let mut again = curve(&[(0.1, 1.0), (0.2, f64::INFINITY), (0.3, 3.0)]);
        again.judge(Collapse::Stopped);
        assert!(again.resurrects() && again.collapse() == Capacity { low: 0.1, high: 0.2 });
    }

    #[test]
    fn stripes_count_collapses_as_infinite_demands() {
        let curves: Vec<Curve> = [1.0, 2.0, 4.0, f64::INFINITY].map(|d| curve(&[(0.1, 1.0), (0.2, d)])).into();
        let found = stripes(&curves);
        assert_eq!((found.len(), found[1].count, found[1].collapsed), (2, 4, 1));
        assert_eq!(found[0].fractiles, [1.0; 3]);
        assert!((found[1].fractiles[1] - 3.0).abs() < 1e-15 && found[1].fractiles[2].is_infinite());
        // ln 1, ln 2, ln 4: mean ln 2, deviations ln 2.
        assert!((found[1].dispersion - std::f64::consts::LN_2).abs() < 1e-15 && found[0].dispersion == 0.0);
        // At a demand of 1.5: between the points of three curves, at the flat line of the fourth, at no point of the first.
        let [low, median, high] = intensities_at(&curves, 1.5);
        assert!(low >= 0.1 && median < 0.2 && high.is_infinite(), "{low} {median} {high}");
    }
}
