//! The highest natural frequency: the largest eigenvalue of `K φ = ω² M φ`, for stability limits and step sizes.
//!
//! Lanczos' method in the inner product of `M` (Parlett, The Symmetric Eigenvalue Problem, ch. 13), from a fixed start
//! vector and without reorthogonalisation, which the extreme eigenvalue does not need. Unknowns without any mass are
//! condensed statically at every product, as in [`modes`](crate::modes), since they have no frequency.

use crate::eigen::{EigenError, dense_symmetric_generalized};
use crate::modes::{is_symmetric, massless};
use crate::{Factor, Kind, Pattern};

/// Steps of Lanczos' method. The highest frequencies of a long uniform chain lie so close together that this finds the
/// last only to four digits; those of frames are found to nine.
const STEPS: usize = 80;

/// Factor of the rows and columns `kept` of a symmetric matrix; `Err` is the row (original numbering) without pivot.
fn block(pattern: &Pattern, values: &[f64], kept: &[usize]) -> Result<Factor, usize> {
    let place = |i: usize| kept.binary_search(&i).ok();
    let entries = kept
        .iter()
        .enumerate()
        .flat_map(|(a, &i)| pattern.columns(i).iter().filter_map(move |&j| place(j as usize).map(|b| (a, b))));
    let inner = Pattern::new(kept.len(), entries);
    let mut own = vec![0.0; inner.nnz()];
    for (a, &i) in kept.iter().enumerate() {
        for (p, &b) in inner.row(a).zip(inner.columns(a)) {
            own[p] = pattern.position(i, kept[b as usize]).map_or(0.0, |q| values[q]);
        }
    }
    let mut factor = Factor::new(&inner, Kind::Symmetric, true);
    factor.factorize(&own).map_err(|s| kept[s.row])?;
    Ok(factor)
}

/// The largest ω² of `K φ = ω² M φ`, never too large and at most a thousandth too small; zero for a structure without
/// stiffness.
///
/// The conditions are those of [`modes`](crate::modes), except that `K` may be indefinite at any size.
pub fn highest(pattern: &Pattern, k: &[f64], m: &[f64]) -> Result<f64, EigenError> {
    let nnz = pattern.nnz();
    if k.len() != nnz || m.len() != nnz || !k.iter().chain(m).all(|v| v.is_finite()) {
        return Err(EigenError::BadInput);
    }
    if !is_symmetric(pattern, k) || !is_symmetric(pattern, m) {
        return Err(EigenError::Unsymmetric);
    }
    let without = massless(pattern, m);
    let (gone, kept): (Vec<usize>, Vec<usize>) = (0..pattern.n()).partition(|&i| without[i]);
    if kept.is_empty() {
        return Err(EigenError::MassNotPositive);
    }
    let mut mass = block(pattern, m, &kept).map_err(|_| EigenError::MassNotPositive)?;
    let mut following = match gone.is_empty() {
        true => None,
        false => Some(block(pattern, k, &gone).map_err(|row| EigenError::Undetermined { row })?),
    };
    // Condensed stiffness times x: the massless unknowns follow so that no force remains on them.
    let mut stiffness = |x: &mut [f64], y: &mut [f64]| {
        if let Some(factor) = &mut following {
            gone.iter().for_each(|&i| x[i] = 0.0);
            pattern.mul(k, x, y);
            let mut follow: Vec<f64> = gone.iter().map(|&i| -y[i]).collect();
            factor.solve(&mut follow);
            gone.iter().zip(&follow).for_each(|(&i, f)| x[i] = *f);
        }
        pattern.mul(k, x, y);
    };
    let n = pattern.n();
    // A rough start vector: neighbours of opposite sign and uneven size, as in the highest mode.
    let mut v = vec![0.0; n];
    for (a, &i) in kept.iter().enumerate() {
        v[i] = if a % 2 == 0 { 1.0 } else { -1.0 } * (1.0 + 0.3 * ((a * a + 1) as f64).sin());
    }
    let mut product = vec![0.0; n];
    pattern.mul(m, &v, &mut product);
    let (mut old_product, mut beta) = (vec![0.0; n], dot(&v, &product).sqrt());
    let (mut alphas, mut betas) = (Vec::new(), Vec::new());
    for _ in 0..STEPS.min(kept.len()) {
        v.iter_mut().chain(&mut product).for_each(|x| *x /= beta);
        let mut image = vec![0.0; n];
        stiffness(&mut v, &mut image);
        gone.iter().for_each(|&i| v[i] = 0.0);
        let alpha = dot(&v, &image);
        let size = dot(&image, &image).sqrt();
        alphas.push(alpha);
        // w = K v - alpha M v - beta M v_old, and M⁻¹ w is the next direction.
        let mut w: Vec<f64> = (0..n).map(|i| image[i] - alpha * product[i]).collect();
        if let Some(last) = betas.last() {
            w.iter_mut().zip(&old_product).for_each(|(w, p)| *w -= last * p);
        }
        gone.iter().for_each(|&i| w[i] = 0.0);
        let mut next: Vec<f64> = kept.iter().map(|&i| w[i]).collect();
        mass.solve(&mut next);
        old_product.copy_from_slice(&product);
        v.fill(0.0);
        kept.iter().zip(&next).for_each(|(&i, x)| v[i] = *x);
        product.copy_from_slice(&w);
        let square = dot(&v, &product);
        // Nothing left of the direction: the subspace is complete.
        if !(square > 0.0 && dot(&w, &w).sqrt() > 1e-13 * size) {
            break;
        }
        beta = square.sqrt();
        betas.push(beta);
    }
    let steps = alphas.len();
    let mut t = vec![0.0; steps * steps];
    let mut one = vec![0.0; steps * steps];
    for i in 0..steps {
        (t[i * steps + i], one[i * steps + i]) = (alphas[i], 1.0);
        if i > 0 {
            (t[i * steps + i - 1], t[(i - 1) * steps + i]) = (betas[i - 1], betas[i - 1]);
        }
    }
    let (values, _) = dense_symmetric_generalized(&t, &one, steps)?;
    Ok(values.last().copied().unwrap_or(0.0))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
