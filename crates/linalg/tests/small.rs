//! Small dense systems: all ways to solve one agree, and a singular matrix is none.

mod common;
use common::Lcg;
use interfield_linalg::{Lu, definite_solve, dense_solve, invert};

/// A x, or Aᵀ x, less b: the largest entry.
fn residual(a: &[f64], transposed: bool, x: &[f64], b: &[f64]) -> f64 {
    let n = x.len();
    let entry = |i: usize, j: usize| if transposed { a[j * n + i] } else { a[i * n + j] };
    let row = |i: usize| (0..n).map(|j| entry(i, j) * x[j]).sum::<f64>() - b[i];
    (0..n).map(|i| row(i).abs()).fold(0.0, f64::max)
}

#[test]
fn random_matrices_are_solved_forwards_and_transposed() {
    let mut random = Lcg(3);
    for n in 1..9 {
        for _ in 0..20 {
            // Rows of very different units, which must not decide about pivots.
            let a: Vec<f64> = (0..n * n).map(|k| random.next() * f64::powi(10.0, (k / n) as i32)).collect();
            let b = random.vector(n);
            let mut lu = Lu::new(n);
            lu.factorize(&a).expect("regular");
            let (mut x, mut y, mut z) = (b.clone(), b.clone(), b.clone());
            lu.solve(&mut x);
            lu.solve_transposed(&mut y);
            assert!(dense_solve(&a, n, &mut z, 1));
            let size = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let bound = |x: &[f64]| 1e-13 * size(&a) * size(x);
            assert!(residual(&a, false, &x, &b) <= bound(&x), "{n}");
            assert!(residual(&a, true, &y, &b) <= bound(&y), "{n}");
            let near = 1e-6 * size(&z);
            assert!(x.iter().zip(&z).all(|(x, z)| (x - z).abs() <= near), "{n}: {x:?} {z:?}");
            // The inverse, and back.
            let (mut inverse, mut work) = (a.clone(), vec![0.0; n * n]);
            assert!(invert(&mut inverse, &mut work, n) && invert(&mut inverse, &mut work, n));
            assert!(inverse.iter().zip(&a).all(|(x, y)| (x - y).abs() <= 1e-6 * size(&a)), "{n}");
        }
    }
}

#[test]
fn what_is_singular_or_not_definite_is_refused() {
    let parallel = [1.0, 2.0, 2.0, 4.0];
    assert_eq!(Lu::new(2).factorize(&parallel).map_err(|e| e.row), Err(1));
    assert!(!invert(&mut parallel.clone(), &mut [0.0; 4], 2));
    assert_eq!(definite_solve([[1.0, 2.0], [f64::NAN, 4.0]], [1.0, 1.0]), None);
    assert_eq!(definite_solve([[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0]), None, "indefinite");
    assert_eq!(definite_solve([[f64::NAN]], [1.0]), None);
    // Only the upper triangle is looked at.
    assert_eq!(definite_solve([[4.0, 2.0], [f64::NAN, 2.0]], [8.0, 6.0]), Some([1.0, 2.0]));
    let mut lu = Lu::new(2);
    lu.factorize(&[0.0, 2.0, 4.0, 0.0]).expect("regular once rows are exchanged");
    assert_eq!(lu.least_pivot(), 2.0);
}
