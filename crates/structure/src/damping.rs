//! Whether the structural damping takes energy out of every mode.
//!
//! Rayleigh damping, C = a0 M + a1 K, has a ratio of a0/(2 ω) + a1 ω/2 in a mode: with two ratios that differ much one of
//! the coefficients is negative, and some modes are driven instead of damped. Such a mode grows from rounding alone. It
//! is refused where the steps follow its motion, below the Nyquist frequency of the finest step, π/dt; above, where the
//! scheme decides what becomes of it, it is a warning.

use interfield_linalg::highest;

use crate::assemble::Assembly;
use interfield_language::model::Model;
use interfield_language::{Problem, Subject};

/// Up to so many unknowns all modes are looked at.
const ALL_MODES: usize = 800;
/// Modes looked at above.
const LOWEST: usize = 40;
/// Negative damping below this share of its two terms is rounding.
const ROUNDING: f64 = 1e-9;

/// What drives a mode.
struct Driven {
    /// Its name for messages.
    mode: String,
    /// Circular frequency, rad/s.
    omega: f64,
    /// φᵀCφ, 1/s.
    damping: f64,
}

/// What the Rayleigh damping of a whole model drives, at most one problem.
pub(crate) fn check(model: &Model, assembly: &Assembly) -> Option<Problem> {
    let [a0, a1] = assembly.rayleigh.filter(|a| a.iter().any(|x| *x < 0.0))?;
    let substeps =
        model.partition.as_ref().map_or(1, |p| p.substructures.iter().map(|s| s.substeps).max().unwrap_or(1));
    let nyquist = std::f64::consts::PI * f64::from(substeps) / model.analysis.dt;
    let driven = match driven(assembly, [a0, a1], nyquist) {
        Ok(driven) => driven?,
        Err(why) => {
            let message = format!(
                "with a0 = {a0:.4} 1/s and a1 = {a1:.4} s this damping may be negative for some \
                modes: {why}"
            );
            return Some(Problem::warning(Subject::Damping, message, "use one `ratio` for both modes"));
        }
    };
    let ratio = match driven.omega > 0.0 {
        true => format!("has a damping ratio of {:.3} %", 50.0 * driven.damping / driven.omega),
        false => format!("is damped by {:.3} 1/s", driven.damping),
    };
    let message = format!(
        "{} ({:.4} Hz) {ratio}: a0 = {a0:.4} 1/s and a1 = {a1:.3e} s make it unstable",
        driven.mode,
        driven.omega / std::f64::consts::TAU
    );
    let help = "use one `ratio` for both modes, ratios that differ less, or `modes` further apart";
    Some(Problem { fatal: driven.omega <= nyquist, ..Problem::warning(Subject::Damping, message, help) })
}

/// The lowest mode that is driven, if there is one that the steps follow; else the lowest of the others.
fn driven(assembly: &Assembly, [a0, a1]: [f64; 2], nyquist: f64) -> Result<Option<Driven>, String> {
    let n = assembly.free.len();
    let modes = assembly.modes(if n <= ALL_MODES { n } else { LOWEST }).map_err(|e| e.to_string())?;
    for (i, (omega2, shape)) in modes.omega2.iter().zip(&modes.shapes).enumerate() {
        let (omega, damping) = (omega2.max(0.0).sqrt(), assembly.system.viscous(shape));
        if damping < -ROUNDING * (a0.abs() + a1.abs() * omega2.abs()) {
            return Ok(Some(Driven { mode: format!("mode {}", i + 1), omega, damping }));
        }
    }
    if n <= ALL_MODES || a1 >= 0.0 {
        return Ok(None);
    }
    // Beyond the modes that are known damping is negative from the zero of a0 + a1 ω² on.
    let (pattern, mass, stiffness) = assembly.system.matrices(&assembly.memory);
    let top = highest(pattern, &stiffness, &mass).map_err(|e| e.to_string())?.max(0.0).sqrt();
    let zero = (a0 / -a1).max(0.0).sqrt();
    let omega = if zero < nyquist { top.min(nyquist) } else { top };
    let mode = if omega < top { "a mode" } else { "the highest mode" };
    Ok((top > zero).then(|| Driven { mode: mode.to_owned(), omega, damping: a0 + a1 * omega * omega }))
}
