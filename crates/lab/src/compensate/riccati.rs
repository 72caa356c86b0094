//! A stable, proper system that does what the inverse of a plant would, up to a frequency.
//!
//! The plant follows x best, in the mean square, under commands that cost R: u = -L z + N x, with the gain L of the linear-quadratic
//! regulator (Kwakernaak, Sivan, *Linear Optimal Control Systems*, 1972, section 3.8: cheap control). Where the plant has a stable inverse, its strokes come to x behind filters of
//! Butterworth with their corner where the cost equals the reach of the plant: R = Re GᴴG there. Where it has none, the system is stable all the same, and follows as
//! well as a stable one can.

use interfield_linalg::dense_solve;
use realfft::num_complex::Complex64;

use crate::plant::StateSpace;
use crate::plant::exponential::product;

/// Iterations of the sign function; with scaling a dozen is usual.
const ITERATIONS: usize = 100;

/// The inverse of `plant`, its delays apart, up to the angular frequency `corner`, rad/s, exact at rest. `None` if the plant cannot be held at rest away from
/// zero, or the equations have no solution in these numbers.
pub(super) fn inverse(plant: &StateSpace, corner: f64) -> Option<StateSpace> {
    let (n, m) = (plant.order, plant.actuators);
    let prompt = StateSpace { delays: vec![0.0; m], ..plant.clone() };
    let still = inverted(&prompt.dc()?, m)?;
    if n == 0 {
        return StateSpace::new([Vec::new(), Vec::new(), Vec::new(), still], m);
    }
    let gain = regulator(&prompt, corner)?;
    // u = -L z + w, z' = (A - B L) z + B w.
    let bl = product(&plant.b, &gain, [n, m, n]);
    let a: Vec<f64> = plant.a.iter().zip(&bl).map(|(a, x)| a - x).collect();
    let minus: Vec<f64> = gain.iter().map(|l| -l).collect();
    let open = StateSpace::new([a, plant.b.clone(), minus, identity(m)], m)?;
    if open.poles().iter().any(|p| p.re >= 0.0) {
        return None;
    }
    // w = N x, so that at rest the commands are those of the inverse: (1 - L (BL - A)⁻¹ B) N = G(0)⁻¹.
    let mut right = still;
    if !dense_solve(&open.dc()?, m, &mut right, m) {
        return None;
    }
    let (b, d) = (product(&open.b, &right, [n, m, m]), right);
    StateSpace::new([open.a, b, open.c, d], m)
}

/// The gain L, m x n.
fn regulator(plant: &StateSpace, corner: f64) -> Option<Vec<f64>> {
    let (n, m) = (plant.order, plant.actuators);
    let response = plant.response(corner)?;
    let dd = product(&transposed(&plant.d, m, m), &plant.d, [m; 3]);
    let cost: Vec<f64> = gram(&response, m).iter().zip(&dd).map(|(g, d)| g.re + d).collect();
    let cheap = inverted(&cost, m)?;
    // y = C z + D u: the regulator of A - B R⁻¹DᵀC with the weight Cᵀ(1 - D R⁻¹Dᵀ)C.
    let dc = product(&transposed(&plant.d, m, m), &plant.c, [m, m, n]);
    let shift = product(&cheap, &dc, [m, m, n]);
    let bs = product(&plant.b, &shift, [n, m, n]);
    let a: Vec<f64> = plant.a.iter().zip(&bs).map(|(a, x)| a - x).collect();
    let cc = product(&transposed(&plant.c, m, n), &plant.c, [n, m, n]);
    let less = product(&transposed(&dc, m, n), &shift, [n, m, n]);
    let weight: Vec<f64> = cc.iter().zip(&less).map(|(q, l)| q - l).collect();
    let bt = transposed(&plant.b, n, m);
    let reach = product(&product(&plant.b, &cheap, [n, m, m]), &bt, [n, m, n]);
    let x = riccati(&a, &reach, &weight, n)?;
    let feedback = product(&cheap, &product(&bt, &x, [m, n, n]), [m, m, n]);
    Some(feedback.iter().zip(&shift).map(|(l, s)| l + s).collect())
}

/// The stabilising solution of AᵀX + XA - XGX + Q = 0 by the sign function of [A -G; -Q -Aᵀ] (Roberts, Int. J. Control 32:677-687, 1980).
fn riccati(a: &[f64], g: &[f64], q: &[f64], n: usize) -> Option<Vec<f64>> {
    // X in units in which G and Q are alike.
    let unit = match (norm(q) / norm(g)).sqrt() {
        unit if unit.is_finite() && unit > 0.0 => unit,
        _ => 1.0,
    };
    let w = 2 * n;
    let mut sign = vec![0.0; w * w];
    for i in 0..n {
        for j in 0..n {
            sign[i * w + j] = a[i * n + j];
            sign[i * w + n + j] = -g[i * n + j] * unit;
            sign[(n + i) * w + j] = -q[i * n + j] / unit;
            sign[(n + i) * w + n + j] = -a[j * n + i];
        }
    }
    let mut settled = false;
    for _ in 0..ITERATIONS {
        let inverse = inverted(&sign, w)?;
        // Far from the end the norm is brought to one; near it the iteration is Newton's.
        let scale = if settled { 1.0 } else { (norm(&inverse) / norm(&sign)).sqrt() };
        let next: Vec<f64> = sign.iter().zip(&inverse).map(|(s, i)| 0.5 * (scale * s + i / scale)).collect();
        let change: Vec<f64> = next.iter().zip(&sign).map(|(x, y)| x - y).collect();
        let moved = norm(&change) / norm(&next);
        sign = next;
        if moved < 1e-14 || (settled && moved < 1e-11) {
            break;
        }
        settled = settled || moved < 1e-2;
    }
    // [S₁₂; S₂₂ + 1] X = -[S₁₁ + 1; S₂₁], in the mean square.
    let one = |i: usize, j: usize| f64::from(u8::from(i == j));
    let left: Vec<f64> = (0..w * n)
        .map(|k| (k / n, k % n))
        .map(|(i, j)| sign[i * w + n + j] + if i >= n { one(i - n, j) } else { 0.0 })
        .collect();
    let right: Vec<f64> = (0..w * n)
        .map(|k| (k / n, k % n))
        .map(|(i, j)| -(sign[i * w + j] + if i < n { one(i, j) } else { 0.0 }))
        .collect();
    let across = transposed(&left, w, n);
    let mut x = product(&across, &right, [n, w, n]);
    let solved = dense_solve(&product(&across, &left, [n, w, n]), n, &mut x, n);
    (solved && x.iter().all(|x| x.is_finite())).then(|| x.iter().map(|x| x * unit).collect())
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(super) fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect()
}

fn inverted(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut inverse = identity(n);
    dense_solve(a, n, &mut inverse, n).then_some(inverse)
}

fn transposed(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns).map(|k| a[(k % rows) * columns + k / rows]).collect()
}

/// GᴴG.
pub(super) fn gram(g: &[Complex64], m: usize) -> Vec<Complex64> {
    (0..m * m).map(|k| (0..m).map(|r| g[r * m + k / m].conj() * g[r * m + k % m]).sum()).collect()
}
