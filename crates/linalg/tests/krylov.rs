//! Leading eigenvalues of operators, against dense solvers and against spectra that were put in.

use std::convert::Infallible;

use interfield_linalg::{
    Dominant, DominantOptions, KrylovError, dominant, eigenpairs, eigenvalues, random, resolvent_distance,
};

fn of_matrix(a: &[f64], n: usize, options: &DominantOptions) -> Dominant {
    let product = |x: &[f64], y: &mut [f64]| -> Result<(), Infallible> {
        for (y, row) in y.iter_mut().zip(a.chunks_exact(n)) {
            *y = row.iter().zip(x).map(|(a, x)| a * x).sum();
        }
        Ok(())
    };
    dominant(n, product, options).expect("finite products")
}

/// Rotations by angles that fill the circle, the k-th of magnitude `size(k)`, entries of size `unit(i)`: an undamped
/// structure in its units.
fn rotations(count: usize, size: impl Fn(usize) -> f64, unit: impl Fn(usize) -> f64) -> impl Fn(&[f64], &mut [f64]) {
    let blocks: Vec<[f64; 4]> = (0..count)
        .map(|k| {
            let (angle, r) = (3.1 * (k as f64 + 0.5) / count as f64, size(k));
            let (u, v) = (unit(2 * k), unit(2 * k + 1));
            [r * angle.cos(), -r * angle.sin() * u / v, r * angle.sin() * v / u, r * angle.cos()]
        })
        .collect();
    move |x, y| {
        for ((b, x), y) in blocks.iter().zip(x.chunks_exact(2)).zip(y.chunks_exact_mut(2)) {
            y[0] = b[0] * x[0] + b[1] * x[1];
            y[1] = b[2] * x[0] + b[3] * x[1];
        }
    }
}

fn run(n: usize, product: impl Fn(&[f64], &mut [f64]), options: &DominantOptions) -> Dominant {
    let product = |x: &[f64], y: &mut [f64]| -> Result<(), Infallible> {
        product(x, y);
        Ok(())
    };
    dominant(n, product, options).expect("finite products")
}

#[test]
fn random_matrices_have_the_leaders_of_the_dense_solver() {
    let all = random(5 * 120 * 120);
    for (n, entries) in [3usize, 10, 41, 80, 120].into_iter().zip(all.chunks_exact(120 * 120)) {
        let a = &entries[..n * n];
        let found = of_matrix(a, n, &DominantOptions::default());
        assert!(found.converged, "n = {n}");
        let mut values = eigenvalues(a, n).expect("eigenvalues");
        values.retain(|v| v.1 >= 0.0);
        values.sort_by(|x, y| y.0.hypot(y.1).total_cmp(&x.0.hypot(x.1)));
        let (value, expected) = (found.pairs[0].value, values[0]);
        let error = (value.0 - expected.0).hypot(value.1 - expected.1);
        assert!(error < 1e-7 * expected.0.hypot(expected.1), "n = {n}: {value:?} instead of {expected:?}");
        // The vector is one: A z = λ z, both parts.
        let z = &found.pairs[0].vector;
        for (i, row) in a.chunks_exact(n).enumerate() {
            let (mut re, mut im) = (0.0, 0.0);
            for (a, z) in row.iter().zip(z) {
                (re, im) = (re + a * z.0, im + a * z.1);
            }
            let (er, ei) = (re - value.0 * z[i].0 + value.1 * z[i].1, im - value.0 * z[i].1 - value.1 * z[i].0);
            assert!(er.hypot(ei) < 1e-6 * value.0.hypot(value.1), "n = {n}, row {i}");
        }
        assert!(found.bound >= expected.0.hypot(expected.1), "n = {n}: {}", found.bound);
    }
}

#[test]
fn one_growing_mode_among_thousands_of_neutral_ones_is_found() {
    // Units of displacements and velocities that differ by a thousand.
    let unit = |i: usize| if i.is_multiple_of(2) { 1e-3 } else { 1.0 };
    for growth in [0.5, 1e-2, 2e-3] {
        let product = rotations(2000, |k| if k == 1234 { 1.0 + growth } else { 1.0 }, unit);
        let options = DominantOptions { beyond: 1.0 + 1e-6, tolerance: 1e-6, ..DominantOptions::default() };
        let found = run(4000, product, &options);
        assert!(found.converged, "{growth}: {} products", found.products);
        let lead = &found.pairs[0];
        assert!((lead.magnitude() - 1.0 - growth).abs() < 1e-6 * growth.max(0.1), "{growth}: {}", lead.magnitude());
        assert!((lead.value.1.atan2(lead.value.0) - 3.1 * 1234.5 / 2000.0).abs() < 1e-5);
        let (place, _) =
            lead.vector.iter().enumerate().max_by(|x, y| x.1.0.hypot(x.1.1).total_cmp(&y.1.0.hypot(y.1.1))).unwrap();
        assert_eq!(place / 2, 1234);
    }
}

#[test]
fn neutral_modes_alone_do_not_look_like_growth() {
    let unit = |i: usize| if i.is_multiple_of(2) { 1e-3 } else { 1.0 };
    let options = DominantOptions { beyond: 1.0 + 1e-6, products: 10_000, ..DominantOptions::default() };
    let found = run(4000, rotations(2000, |_| 1.0, unit), &options);
    let leads = found.pairs.iter().find(|p| p.magnitude() > 1.0 + 1e-6 && p.residual < 0.1 * (p.magnitude() - 1.0));
    assert!(leads.is_none(), "{:?}", leads.map(|p| (p.value, p.residual)));
    assert!((found.growth - 1.0).abs() < 1e-4, "{}", found.growth);
    assert!(found.bound < 1.001 && found.bound > 1.0, "{}", found.bound);
    assert!(found.products <= 10_000);
}

#[test]
fn decaying_modes_have_the_slowest_as_leader() {
    let found = run(600, rotations(300, |k| 0.5 + 0.499 * (k as f64 / 299.0), |_| 1.0), &DominantOptions::default());
    assert!(found.converged);
    assert!((found.pairs[0].magnitude() - 0.999).abs() < 1e-7, "{}", found.pairs[0].magnitude());
}

#[test]
fn a_defective_eigenvalue_of_one_is_not_taken_for_growth() {
    // Drift (u += v, v = v) among decaying modes.
    let decaying = rotations(100, |_| 0.9, |_| 1.0);
    let product = move |x: &[f64], y: &mut [f64]| {
        decaying(&x[2..], &mut y[2..]);
        y[0] = x[0] + x[1];
        y[1] = x[1];
    };
    let options = DominantOptions { beyond: 1.0 + 1e-6, products: 5000, ..DominantOptions::default() };
    let found = run(202, product, &options);
    assert!((found.pairs[0].magnitude() - 1.0).abs() < 1e-3, "{:?}", found.pairs[0].value);
    let leads = found.pairs.iter().find(|p| p.magnitude() > 1.0 + 1e-6 && p.residual < 0.1 * (p.magnitude() - 1.0));
    assert!(leads.is_none(), "{:?}", leads.map(|p| (p.value, p.residual)));
}

#[test]
fn a_nilpotent_operator_has_no_leader() {
    let shift = |x: &[f64], y: &mut [f64]| {
        y[0] = 0.0;
        y[1..].copy_from_slice(&x[..x.len() - 1]);
    };
    let found = run(30, shift, &DominantOptions::default());
    assert!(found.pairs.is_empty() && found.growth == 0.0 && found.converged);
}

#[test]
fn failures_come_through() {
    let options = DominantOptions::default();
    assert_eq!(dominant(4, |_, _| Err("stuck"), &options), Err(KrylovError::Product("stuck")));
    let not_finite = |_: &[f64], y: &mut [f64]| -> Result<(), Infallible> {
        y.fill(f64::NAN);
        Ok(())
    };
    assert!(matches!(dominant(4, not_finite, &options), Err(KrylovError::Eigen(_))));
}

#[test]
fn a_split_eigenvalue_cannot_be_told_from_its_middle_and_two_single_ones_can() {
    // A Jordan block of size three in a general basis: rounding splits 1 by about 1e-5.
    let q = [2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 4.0];
    let inverse = [11.0, -4.0, 1.0, -4.0, 8.0, -2.0, 1.0, -2.0, 5.0].map(|v| v / 18.0);
    let multiply = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..9).map(|i| (0..3).map(|k| a[i / 3 * 3 + k] * b[3 * k + i % 3]).sum()).collect()
    };
    let like = |j: [f64; 9]| multiply(&multiply(&q, &j), &inverse);
    let jordan = like([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    let (values, _) = eigenpairs(&jordan, 3).expect("eigenvalues");
    let split = values.iter().map(|v| v.0.hypot(v.1) - 1.0).fold(0.0, f64::max);
    assert!(split > 1e-7, "rounding splits it: {split:e}");
    assert!(resolvent_distance(&jordan, 3, (1.0 + 0.5 * split, 0.0)).expect("singular values") < 1e-13);
    let single = like([1.0, 0.0, 0.0, 0.0, 1.00001, 0.0, 0.0, 0.0, 0.5]);
    // Balancing couples these two by about 1e-3: (5e-6)² / 1e-3, still far from rounding.
    assert!(resolvent_distance(&single, 3, (1.000005, 0.0)).expect("singular values") > 1e-9);
}
