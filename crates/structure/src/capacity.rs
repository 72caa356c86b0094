//! What a push says of a structure: stiffness, strength, where it yields and how far it goes, and the energy of each cycle.
//!
//! Yield is that of the secant at 75 % of the peak load, drawn on to the peak (R. Park, Bull. NZ Nat. Soc. Earthq. Eng. 22(3), 1989); the end of the
//! usable range is a load of 80 % of the peak behind it. Both are read from the backbone: the points that go farther than all before.

use interfield_kernel::Archive;

/// Share of the peak through which the secant to the yield point goes.
const SECANT: f64 = 0.75;
/// Share of the peak that is left where the usable range ends.
const USABLE: f64 = 0.8;
/// A structure whose peak is this share of the initial stiffness times the farthest displacement did not yield.
const ELASTIC: f64 = 0.95;

/// A balance: controlled displacement, load, work of the load since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Point {
    pub u: f64,
    pub load: f64,
    pub work: f64,
}

/// What was found to one side, all with their signs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The yield displacement; none where it stayed elastic.
    pub yielded: Option<f64>,
    /// Displacement and load at the peak.
    pub peak: [f64; 2],
    /// Displacement and load farthest out.
    pub last: [f64; 2],
    /// Displacement at 80 % of the peak, behind it; none if the load did not fall so far.
    pub usable: Option<f64>,
    /// The usable displacement, or the largest, over that of yield.
    pub ductility: Option<f64>,
}

/// What was found in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Largest and smallest displacement.
    pub reach: [f64; 2],
    /// Largest and smallest load.
    pub load: [f64; 2],
    /// Work that stayed in the structure, J.
    pub energy: f64,
    /// From one tip to the other, N/m.
    pub stiffness: f64,
    /// Equivalent viscous damping: energy over 4 pi times the elastic energy at the tips.
    pub damping: f64,
}

/// What a push says.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// At the start, N/m.
    pub stiffness: f64,
    /// To the positive and to the negative side.
    pub sides: [Option<Side>; 2],
    /// The cycles that were completed.
    pub cycles: Vec<Cycle>,
}

/// All balances of a push, one per step and the start.
#[derive(Clone, Debug)]
pub struct Path {
    /// The points, with room for all steps.
    points: Vec<Point>,
    taken: usize,
    /// The steps in which cycles end.
    cycles: Vec<usize>,
}

impl Path {
    /// Of a push with so many steps, whose cycles end in these.
    pub fn new(steps: usize, cycles: &[usize]) -> Self {
        Path { points: vec![Point::default(); steps + 1], taken: 0, cycles: cycles.to_vec() }
    }

    /// Takes the next balance.
    pub fn push(&mut self, point: Point) {
        if let Some(place) = self.points.get_mut(self.taken) {
            *place = point;
            self.taken += 1;
        }
    }

    /// The points so far.
    pub fn points(&self) -> &[Point] {
        &self.points[..self.taken]
    }

    /// Saves or restores it.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        archive.whole(&mut self.taken);
        self.taken = self.taken.min(self.points.len());
        archive.numbers(self.points.iter_mut().flat_map(|p| [&mut p.u, &mut p.load, &mut p.work]));
    }

    /// What it says; none before the first step.
    pub fn capacity(&self) -> Option<Capacity> {
        let points = self.points();
        let start = *points.first()?;
        let first = points.iter().find(|p| p.u != start.u)?;
        let stiffness = (first.load - start.load) / (first.u - start.u);
        let sides = [1.0, -1.0].map(|sign| side(points, sign, stiffness));
        let begins = std::iter::once(&0).chain(&self.cycles);
        let cycles = begins.zip(&self.cycles).filter_map(|(&from, &to)| Some(cycle(points.get(from..=to)?)));
        Some(Capacity { stiffness, sides, cycles: cycles.collect() })
    }
}

fn side(points: &[Point], sign: f64, stiffness: f64) -> Option<Side> {
    let start = points[0];
    // Away from the start, to this side.
    let mut backbone: Vec<[f64; 2]> = vec![[0.0; 2]];
    for p in points {
        let [u, load] = [sign * (p.u - start.u), sign * (p.load - start.load)];
        if backbone.last().is_some_and(|b| u > b[0]) {
            backbone.push([u, load]);
        }
    }
    let peak = *backbone.iter().max_by(|a, b| a[1].total_cmp(&b[1]))?;
    let last = *backbone.last().filter(|b| b[0] > 0.0)?;
    if peak[1] <= 0.0 {
        return None;
    }
    let at = backbone.iter().position(|b| *b == peak)?;
    let crossing = |wanted: f64, list: &[[f64; 2]]| {
        list.windows(2).find(|w| (w[0][1] - wanted) * (w[1][1] - wanted) <= 0.0 && w[0][1] != w[1][1]).map(|w| {
            let share = (wanted - w[0][1]) / (w[1][1] - w[0][1]);
            w[0][0] + share * (w[1][0] - w[0][0])
        })
    };
    let bent = peak[1] < ELASTIC * stiffness * last[0];
    let yielded = crossing(SECANT * peak[1], &backbone[..=at]).map(|u| u / SECANT).filter(|_| bent);
    let usable = crossing(USABLE * peak[1], &backbone[at..]);
    let there = |u: f64| start.u + sign * u;
    let point = |[u, load]: [f64; 2]| [there(u), start.load + sign * load];
    Some(Side {
        yielded: yielded.map(there),
        peak: point(peak),
        last: point(last),
        usable: usable.map(there),
        ductility: yielded.map(|y| usable.unwrap_or(last[0]) / y),
    })
}

fn cycle(points: &[Point]) -> Cycle {
    let ends = |of: fn(&Point) -> f64| {
        let values = || points.iter().map(of);
        [values().fold(f64::NEG_INFINITY, f64::max), values().fold(f64::INFINITY, f64::min)]
    };
    let (reach, load) = (ends(|p| p.u), ends(|p| p.load));
    let at = |u: f64| points.iter().find(|p| p.u == u).map_or(0.0, |p| p.load);
    let span = reach[0] - reach[1];
    let stiffness = (at(reach[0]) - at(reach[1])) / span;
    let energy = points.last().map_or(0.0, |p| p.work) - points.first().map_or(0.0, |p| p.work);
    // The elastic energy at the tips: half the stiffness times the square of half the span.
    let damping = energy / (0.5 * std::f64::consts::PI * stiffness * span * span);
    Cycle { reach, load, energy, stiffness, damping }
}
