//! The automatic choice of method, in one place.
//!
//! Median times in nanoseconds, factorise / solve, symmetric values, release build for plain x86-64 (SSE2), one core of
//! an AMD EPYC (family 25, shared virtual machine), from `examples/solve_times.rs`:
//!
//! | matrix               | unknowns | stored inverse  | dense         | simplicial         | supernodal          |
//! | -------------------- | -------- | --------------- | ------------- | ------------------ | ------------------- |
//! | chain                | 5        | 450 / 25        | 60 / 38       | 80 / 23            | 320 / 175           |
//! | chain                | 20       | 7,900 / 89      | 400 / 342     | 240 / 95           | 1,080 / 673         |
//! | chain                | 50       | 61,000 / 374    | 1,840 / 1,082 | 580 / 296          | 2,820 / 1,592       |
//! | chain                | 100      | 370,000 / 1,360 | 6,750 / 3,058 | 1,150 / 599        | 5,200 / 3,225       |
//! | full                 | 24       | 13,000 / 123    | 1,370 / 428   | 1,080 / 210        | 2,780 / 621         |
//! | full                 | 48       | 63,700 / 342    | 6,690 / 1,026 | 5,980 / 636        | 9,480 / 1,407       |
//! | plane frame 2 × 4    | 36       | 30,000 / 221    | 1,920 / 713   | 940 / 405          | 3,520 / 1,633       |
//! | plane frame 3 × 10   | 120      | 570,000 / 1,903 | 24,150 / 4,121 | 4,910 / 1,079     | 16,460 / 5,668      |
//! | plane frame 20 × 50  | 3,150    |                 |               | 785,000 / 54,700   | 1,062,000 / 197,700 |
//! | plane frame 13 × 240 | 10,080   |                 |               | 1,657,000 / 165,400 | 2,860,000 / 637,800 |
//! | space frame 4×4×8    | 1,200    |                 |               | 2,280,000 / 56,800 | 1,260,000 / 95,500  |
//! | space frame 6×6×17   | 4,998    |                 |               | 45,600,000 / 437,000 | 12,600,000 / 577,000 |
//!
//! Reading: the panels of the simplicial solver win every solution except those of small matrices by a stored inverse;
//! its solution time is 0.4 ns per stored entry and 4.6 ns per unknown within 20 % of the rows above (30 % for 2 × 4). Dense factors never
//! win clearly, but pivot, so they are used where they cost next to nothing. Supernodal wins where factorising is much
//! work; its solution takes about as long as the simplicial one on large frames in space. The column `supernodal` is that of
//! `faer`, before the own method; at 29,040 unknowns the own one takes half a second, simplicial most of 10 s. Hence:
//!
//! 1. only a diagonal: [`Diagonal`](crate::Solver::Diagonal);
//! 2. constant matrix: [`Inverse`](crate::Solver::Inverse) if its product is estimated to be faster than the simplicial
//!    solution (up to about 40 unknowns for chains and 60 for
//!    frames; full matrices up to [`INVERSE_UNKNOWNS`]);
//! 3. changing matrix: [`Dense`](crate::Solver::Dense) up to [`DENSE_UNKNOWNS`], for its pivoting;
//! 4. [`Supernodal`](crate::Solver::Supernodal) if a factorisation is [`heavy`];
//! 5. else [`Simplicial`](crate::Solver::Simplicial).

use std::sync::Arc;

use crate::Pattern;
use crate::factor::Kind;
use crate::ordering::Ordering;
use crate::planned::Method;
use crate::simplicial::Simplicial;
use crate::supernodal::Supernodal;
use crate::symbolic::Symbolic;
use crate::tree::Tree;
use crate::watch::Watch;

/// Largest stored inverse: beyond, forming it takes too long (time grows with the cube, 3 ms at 216 unknowns).
const INVERSE_UNKNOWNS: usize = 256;

/// Up to here a dense factor costs at most 0.1 µs more per step than a sparse one.
const DENSE_UNKNOWNS: usize = 6;

/// Multiplications of a numeric factorisation from which the supernodal method can win, for a matrix that changes and for one
/// that is constant, whose solutions alone count.
const SUPERNODAL_PRODUCTS: [f64; 2] = [2.0e6, 8.0e7];

/// Multiplications per stored entry from which blocked arithmetic pays.
const SUPERNODAL_DENSITY: f64 = 30.0;

/// From here on a simplicial factorisation takes longer than half a second (0.46 ns per multiplication), and a supernodal one
/// is used whatever the density.
const LONG_PRODUCTS: f64 = 1.0e9;

/// Estimated nanoseconds of a product with the stored inverse.
fn inverse_time(n: usize) -> f64 {
    0.15 * (n * n) as f64
}

/// Estimated nanoseconds of a simplicial solution.
fn simplicial_time(symbolic: &Symbolic) -> f64 {
    4.6 * symbolic.n() as f64 + 0.4 * symbolic.values_len as f64
}

/// The method for a pattern; see the head of the file.
pub(crate) fn choose(pattern: &Pattern, kind: Kind, constant: bool, watch: &Watch) -> Method {
    let n = pattern.n();
    let general = kind == Kind::General;
    if pattern.is_diagonal() {
        return Method::Diagonal;
    }
    if !constant && n <= DENSE_UNKNOWNS {
        return Method::Dense;
    }
    let ordering = Ordering::best(pattern, watch);
    if heavy(&ordering, constant)
        && let Some(tree) = Tree::new(pattern, &ordering, general)
    {
        return Method::Supernodal(Arc::new(tree));
    }
    let symbolic = Symbolic::with_order(pattern, ordering);
    if constant && n <= INVERSE_UNKNOWNS && inverse_time(n) < simplicial_time(&symbolic) {
        return Method::Inverse;
    }
    Method::Simplicial(Box::new(symbolic))
}

/// Whether factorising is so much work that dense blocks pay.
fn heavy(ordering: &Ordering, constant: bool) -> bool {
    let (products, entries) = (ordering.products(), ordering.entries() as f64);
    products > LONG_PRODUCTS
        || (products > SUPERNODAL_PRODUCTS[usize::from(constant)] && products > SUPERNODAL_DENSITY * entries)
}

/// A sparse factor of a symmetric matrix that counts its negative pivots, for the eigen solvers.
pub(crate) enum SymmetricFactor {
    Simplicial(Simplicial),
    Supernodal(Supernodal),
}

impl SymmetricFactor {
    pub(crate) fn new(pattern: &Pattern) -> SymmetricFactor {
        let ordering = Ordering::best(pattern, &Watch::default());
        let supernodal = heavy(&ordering, false).then(|| Supernodal::with_order(pattern, &ordering, false)).flatten();
        match supernodal {
            Some(factor) => SymmetricFactor::Supernodal(factor),
            None => SymmetricFactor::Simplicial(Simplicial::new(Symbolic::with_order(pattern, ordering), false)),
        }
    }

    /// Factorises on all cores; the error is the failing row.
    pub(crate) fn factorize(&mut self, values: &[f64]) -> Result<(), usize> {
        match self {
            SymmetricFactor::Simplicial(factor) => factor.factorize(values),
            SymmetricFactor::Supernodal(factor) => factor.factorize(values, Some(&Watch::default())),
        }
    }

    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        match self {
            SymmetricFactor::Simplicial(factor) => factor.solve(b),
            SymmetricFactor::Supernodal(factor) => factor.solve(b),
        }
    }

    /// Number of negative pivots, which is the number of negative eigenvalues (Sylvester's law of inertia).
    pub(crate) fn negative_pivots(&self) -> usize {
        match self {
            SymmetricFactor::Simplicial(factor) => factor.negative_pivots(),
            SymmetricFactor::Supernodal(factor) => factor.negative_pivots(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds of a simplicial factorisation: see [`LONG_PRODUCTS`].
    fn predicted(ordering: &Ordering) -> f64 {
        0.46e-9 * ordering.products()
    }

    #[test]
    fn no_simplicial_factorisation_takes_longer_than_a_second() {
        let of = |count: u32, columns: usize| Ordering {
            name: "natural",
            order: Vec::new(),
            parent: Vec::new(),
            counts: vec![count; columns],
        };
        let (mut long, mut short) = (0, 0);
        // Bands of any width, from sparse and endless to dense and small.
        for count in [2, 3, 5, 10, 20, 40, 58, 60, 100, 300, 1000, 5000] {
            for columns in (3..=21).map(|k| 1usize << k) {
                let ordering = of(count, columns);
                for constant in [true, false] {
                    if heavy(&ordering, constant) {
                        long += 1;
                    } else {
                        short += 1;
                        assert!(predicted(&ordering) < 1.0, "{columns} columns of {count}");
                    }
                }
            }
        }
        assert!(long > 20 && short > 20, "{long}, {short}");
    }
}
