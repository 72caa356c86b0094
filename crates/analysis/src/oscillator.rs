//! How large Ω = ω dt may be: the range in which a scheme does not let the undamped oscillator grow.

use interfield_kernel::StepMap;

use crate::spectrum::{SpectrumError, spectrum};

/// Growth per step that is taken for rounding.
const ROUNDING: f64 = 1e-4;

/// The largest Ω up to which the spectral radius stays at one or below; `None` if it does so up to `most`.
///
/// `map` makes the step map of the undamped oscillator for a given Ω. The range is searched on 120 points in equal
/// ratios from 0.01, and the first limit found is then halved down to a millionth.
///
/// # Errors
/// When a step fails, or its eigenvalues cannot be computed.
pub fn limit<M: StepMap>(
    mut map: impl FnMut(f64) -> Result<M, SpectrumError>,
    most: f64,
) -> Result<Option<f64>, SpectrumError> {
    let mut grows = |omega: f64| Ok(spectrum(&mut map(omega)?, omega)?.rho > 1.0 + ROUNDING);
    let (least, points) = (0.01_f64, 120);
    let mut good = 0.0;
    for i in 0..=points {
        let omega = least * (most.max(least) / least).powf(f64::from(i) / f64::from(points));
        if grows(omega)? {
            let (mut low, mut high) = (good, omega);
            while high - low > 1e-6 * high {
                let middle = 0.5 * (low + high);
                if grows(middle)? { high = middle } else { low = middle }
            }
            return Ok(Some(low));
        }
        good = omega;
    }
    Ok(None)
}
