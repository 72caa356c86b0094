//! Linear algebra for the inside of a time-stepping loop.
//!
//! Two promises shape everything here:
//!
//! * **No heap allocation after construction.** [`Factor::factorize`], [`Factor::solve`] and the products of [`Pattern`]
//!   work in memory reserved by the constructors, so they may run in a real-time thread. A test with a counting
//!   allocator holds this for every method.
//! * **Deterministic.** No run-time tuning, random numbers from fixed seeds only, and the work is cut into the same pieces
//!   whatever the number of cores: the same values on the same pattern give the same bits on the same machine, whether a
//!   factor is fresh or re-used. (Between machines, [`Solver::Supernodal`] and the eigen solvers may differ in the last
//!   bits, because `faer` picks its vector instructions at run time.)
//!
//! The sparsity pattern is fixed once ([`Pattern`]); matrices are plain `&[f64]` on it, so that several matrices (mass,
//! damping, stiffness) can be combined entry by entry without touching an index.
//!
//! The eigen solvers ([`eigenvalues`], [`eigenpairs`], [`modes`], [`highest`], [`dominant`]) and [`ComplexFactor`] are for
//! preparation and analysis; they allocate freely.
//!
//! What must not be here: structures, elements, degrees of freedom, time steps, model files, input or output. This crate
//! knows numbers and indices only, and depends on nothing but `faer` for dense matrices, `rayon` for the cores and `rtrb` for what threads hand each other.

mod blueprint;
mod choice;
mod complex;
mod dense;
pub mod digest;
mod dissection;
mod eigen;
mod factor;
mod front;
mod highest;
mod kernels;
mod krylov;
mod lanczos;
mod modes;
mod multifrontal;
mod ordering;
mod packed;
mod pattern;
mod planned;
pub mod reduction;
mod simplicial;
mod solve;
mod substitution;
mod supernodal;
mod svd;
mod symbolic;
mod tall;
mod team;
mod tree;
mod watch;
pub mod workers;

pub use blueprint::{Blueprint, Sparse};
pub use complex::ComplexFactor;
pub use dense::{Lu, definite_solve, definite_solve_rows};
pub use eigen::{
    Complex, EigenError, balance, dense_symmetric_generalized, eigenpairs, eigenvalues, resolvent_distance,
};
pub use factor::{Factor, Kind, Report, Singular, Solver, Unsuitable};
pub use highest::highest;
pub use krylov::{Dominant, DominantOptions, KrylovError, Ritz, dominant, random};
pub use lanczos::Wanted;
pub use modes::{Modes, modes};
pub use pattern::Pattern;
pub use planned::Planned;
pub use solve::{dense_solve, invert};
pub use svd::Svd;
pub use watch::{Stage, Watch};
