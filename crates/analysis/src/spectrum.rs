//! Spectral radius, algorithmic damping and frequency error of one step of a linear map.

use interfield_kernel::{Fault, StepMap};
use interfield_linalg::{EigenError, eigenvalues};

use crate::probe::amplification;

/// What the eigenvalues of one step say. Applied to an oscillator of circular frequency ω, Ω = ω dt.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Ω = ω dt.
    pub omega: f64,
    /// Largest magnitude of an eigenvalue.
    pub rho: f64,
    /// All eigenvalues (re, im), largest magnitude first.
    pub eigenvalues: Vec<(f64, f64)>,
    /// Algorithmic damping ratio and frequency errors of the principal pair; `None` for Ω >= π or where the pair
    /// has become real.
    pub principal: Option<Principal>,
}

/// The principal pair: the eigenvalue with positive imaginary part nearest to exp(iΩ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// Eigenvalue (re, im).
    pub eigenvalue: (f64, f64),
    /// Algorithmic damping ratio, -ln|λ| / Ω̄ with Ω̄² = ln²|λ| + arg²λ.
    pub damping: f64,
    /// (Ω - Ω̄) / Ω.
    pub frequency_error: f64,
    /// (Ω - arg λ) / Ω.
    pub frequency_error_arg: f64,
}

/// Why a spectrum could not be had.
#[derive(Debug)]
pub enum SpectrumError {
    /// A step of the map failed.
    Step(Fault),
    /// The eigenvalues could not be computed.
    Eigen(EigenError),
}

/// The spectrum of one step of a linear map whose dominant motion has Ω = `omega`.
pub fn spectrum(map: &mut dyn StepMap, omega: f64) -> Result<Spectrum, SpectrumError> {
    let base = vec![0.0; map.len()];
    let (a, n) = amplification(map, &base, 1.0).map_err(SpectrumError::Step)?;
    let mut eigenvalues = eigenvalues(&a, n).map_err(SpectrumError::Eigen)?;
    eigenvalues.sort_by(|x, y| y.0.hypot(y.1).total_cmp(&x.0.hypot(x.1)));
    let rho = eigenvalues.first().map_or(0.0, |e| e.0.hypot(e.1));
    let principal = principal(&eigenvalues, omega);
    Ok(Spectrum { omega, rho, eigenvalues, principal })
}

/// The principal pair among the eigenvalues of a step, for a motion of Ω = `omega`.
pub fn principal(eigenvalues: &[(f64, f64)], omega: f64) -> Option<Principal> {
    let exact = (omega.cos(), omega.sin());
    let distance = |e: &(f64, f64)| (e.0 - exact.0).hypot(e.1 - exact.1);
    eigenvalues
        .iter()
        .filter(|e| e.1 > 1e-12 && omega < std::f64::consts::PI)
        .min_by(|x, y| distance(x).total_cmp(&distance(y)))
        .map(|&(re, im)| {
            let (ln, arg) = (re.hypot(im).ln(), im.atan2(re));
            let bar = ln.hypot(arg);
            Principal {
                eigenvalue: (re, im),
                damping: -ln / bar,
                frequency_error: (omega - bar) / omega,
                frequency_error_arg: (omega - arg) / omega,
            }
        })
}
