//! The amplification matrix of a step map, measured: column j is the change of one step caused by a unit change of
//! entry j of the complete state.

use interfield_kernel::{Fault, StepMap};

/// The matrix of the (affine) map of one step, row-major, and its size. The map's state is left as it was.
///
/// For a nonlinear map this is its linearisation about `base`, by central differences of size `h`; for an affine map
/// any `h` gives the exact matrix up to rounding.
pub fn amplification(map: &mut dyn StepMap, base: &[f64], h: f64) -> Result<(Vec<f64>, usize), Fault> {
    let n = map.len();
    let saved = map.state().to_vec();
    let mut matrix = vec![0.0; n * n];
    let mut outcome = Ok(());
    let mut ends = [vec![0.0; n], vec![0.0; n]];
    'columns: for j in 0..n {
        for (sign, end) in [1.0, -1.0].into_iter().zip(&mut ends) {
            map.state_mut().copy_from_slice(base);
            map.state_mut()[j] += sign * h;
            outcome = map.step(map.settled());
            if outcome.is_err() {
                break 'columns;
            }
            end.copy_from_slice(map.state());
        }
        for i in 0..n {
            matrix[i * n + j] = (ends[0][i] - ends[1][i]) / (2.0 * h);
        }
    }
    map.state_mut().copy_from_slice(&saved);
    outcome.map(|()| (matrix, n))
}
