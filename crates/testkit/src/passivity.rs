//! The scan of the passive couplings (book: passivity 4.3): the split mass over ratios of the sides, frequencies and substeps, both sides
//! with less stiffness than their operators know.

use interfield_coupling::{CouplingMethod, PmcOptions, PslOptions};

use crate::couplings::{Setting, alpha, begin_twice, radius, split_dense};
use crate::dense::Dense;

/// The couplings whose proof covers all points of the scan.
pub const PROVED: [(&str, CouplingMethod); 4] = [
    ("pmc", CouplingMethod::Pmc(PmcOptions::PMC)),
    ("pmc2s", CouplingMethod::Pmc(PmcOptions::PMC2S)),
    ("psl", CouplingMethod::Psl(PslOptions::PSL)),
    ("psl1", CouplingMethod::Psl(PslOptions::PSL1)),
];

/// The same with other options that the proof covers: no tie and the strongest one, all of the difference of a law carried on.
pub const VARIED: [(&str, CouplingMethod); 5] = [
    ("pmc tie = 0", CouplingMethod::Pmc(PmcOptions { tie: 0.0, ..PmcOptions::PMC })),
    ("pmc tie = 1", CouplingMethod::Pmc(PmcOptions { tie: 1.0, ..PmcOptions::PMC })),
    ("psl tie = 0", CouplingMethod::Psl(PslOptions { tie: 0.0, ..PslOptions::PSL })),
    ("psl tie = 1", CouplingMethod::Psl(PslOptions { tie: 1.0, ..PslOptions::PSL })),
    ("psl eta = 1", CouplingMethod::Psl(PslOptions { eta: 1.0, ..PslOptions::PSL })),
];

/// True over known stiffness of A and of B.
pub const SOFTENING: [[f64; 2]; 6] = [[1.0, 1.0], [1.0, 0.1], [0.5, 0.5], [0.1, 1.0], [0.0, 1.0], [0.0, 0.01]];

/// Steps of B per macro-step.
pub const SUBSTEPS: [usize; 7] = [1, 2, 3, 5, 10, 20, 50];

/// A point of the scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// m_A / m_B = k_B / k_A.
    pub b1: f64,
    /// Circular frequency times macro-step.
    pub omega: f64,
    /// Steps of B per macro-step.
    pub ss: usize,
    /// True over known stiffness of A and of B.
    pub shares: [f64; 2],
}

/// All points: 33 ratios x 122 frequencies, 7 numbers of substeps, 6 pairs of shares.
pub fn points() -> impl Iterator<Item = Point> + Clone {
    let decades = |low: f64, high: f64, share: f64| 10f64.powf(low + (high - low) * share);
    (0..33 * 122 * 7 * 6).map(move |i| Point {
        b1: decades(-2.0, 2.0, (i / (122 * 42)) as f64 / 32.0),
        omega: decades(-3.0, 3.0, (i / 42 % 122) as f64 / 121.0),
        ss: SUBSTEPS[i / 6 % 7],
        shares: SOFTENING[i % 6],
    })
}

/// Spectral radius - 1 of the split mass at a point, all stiffness of A in a law.
pub fn growth(method: CouplingMethod, point: &Point) -> f64 {
    let Point { b1, omega, ss, shares: [a, b] } = *point;
    let s = 1.0 + b1;
    let halves = || {
        let law = Dense::single(b1 / s, 0.0).with_law(vec![1.0], 1.0 / s, a);
        split_dense(law, Dense::single(1.0 / s, b1 / s).softened(b), &Setting::same(alpha(0.8), omega, ss))
    };
    radius(&mut *begin_twice(method, halves(), halves())) - 1.0
}
