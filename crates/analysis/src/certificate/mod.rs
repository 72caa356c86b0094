//! A loop with an uncertain part: is it stable for **all** values within given intervals, and if not, where does it first lose its stability?
//!
//! The loop is cut between what is known and what is uncertain. The known part, the [`Rest`], maps measurements to commands over one step; the
//! uncertain part, the [`Plant`], maps commands to measurements, sample by sample, and says in which discs of the complex plane its frequency
//! response lies. The closed loop has a motion z where the matrix
//!
//! ```text
//! F(z, p) = [ zI - A    -B Φ P(p)   ]      state of the rest
//!           [  -C      Φ - D Φ P(p) ]      commands, by the frequencies that look the same at the steps
//! ```
//!
//! is singular. *Zero exclusion*: a loop that is stable for one p and whose F is regular for all |z| = 1 and all p of a connected set is stable for
//! all p of that set, because motions cannot leave the unit disc without crossing the circle (poles depend continuously on p). F is tested cell by cell, by a small matrix N of the
//! commands alone that is regular where F is: in a cell around (z₀, p₀) it is N₀ + Δ with |Δ| ≤ E entry by entry, and it is regular wherever the spectral radius of |N₀⁻¹| E is below one. That is
//! a bound and no sample: it holds for every point of the cell. Cells that fail it are divided. The radius is bounded from above by max (Bx)ᵢ/xᵢ for a positive x
//! (Collatz and Wielandt), which does not depend on the units.
//!
//! A motion that stands still whatever the parameters are (a gap that is never closed) has z = 1 everywhere. Then the unit circle is left near z = 1 for a small circle around
//! it, on which F is tested as well. The number of motions within the small circle cannot change, and if in the middle it is the number of those that always stand still, these
//! are all.
//!
//! **Must not be here:** actuators, specimens, what a parameter means.

mod apart;
mod cell;
mod matrix;
mod rest;
mod search;

pub use cell::Known;
pub use rest::Rest;
pub use search::{Found, Limits, Searched, search};

/// Spectral radius of the matrix of one step, row by row; none if it has no finite eigenvalues.
pub fn spectral_radius(matrix: &[f64], n: usize) -> Option<f64> {
    let values = interfield_linalg::eigenvalues(matrix, n).ok()?;
    Some(values.iter().map(|z| z.0.hypot(z.1)).fold(0.0, f64::max))
}

/// A disc of the complex plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Disc {
    pub re: f64,
    pub im: f64,
    pub radius: f64,
}

/// The uncertain part of a loop: linear, with the same response at every sample.
pub trait Plant {
    /// Number of commands. Each has two measurements.
    fn channels(&self) -> usize;

    /// Discs with all values of the frequency response at e^(iφ), for every φ within `half` of `phase` and every value of the parameters within
    /// `cell`: row by row, a column for each command, two rows for each channel. The centre of a disc is the response at `phase` and at the
    /// middle of the cell.
    fn response(&mut self, phase: f64, half: f64, cell: &[[f64; 2]], out: &mut [Disc]);
}
