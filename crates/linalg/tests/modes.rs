//! Eigen solvers against closed forms.

mod common;
use std::f64::consts::PI;

use interfield_linalg::{EigenError, Modes, Pattern, eigenpairs, eigenvalues, highest, modes};

/// Fixed-free chain of n masses: ω = 2 √(k/m) sin((2i−1)π / (2(2n+1))).
fn chain_omega(n: usize, i: usize, k: f64, m: f64) -> f64 {
    2.0 * (k / m).sqrt() * ((2 * i - 1) as f64 * PI / (2.0 * (2 * n + 1) as f64)).sin()
}

fn check_shapes(pattern: &Pattern, k: &[f64], m: &[f64], found: &Modes, tolerance: f64) {
    let n = pattern.n();
    for (a, shape) in found.shapes.iter().enumerate() {
        let (mut mx, mut kx) = (vec![0.0; n], vec![0.0; n]);
        pattern.mul(m, shape, &mut mx);
        pattern.mul(k, shape, &mut kx);
        for (b, other) in found.shapes.iter().enumerate() {
            let product: f64 = other.iter().zip(&mx).map(|(x, y)| x * y).sum();
            let expected = if a == b { 1.0 } else { 0.0 };
            assert!((product - expected).abs() < tolerance, "φ{a}ᵀ M φ{b} = {product}");
        }
        let residual = kx.iter().zip(&mx).map(|(k, m)| (k - found.omega2[a] * m).powi(2)).sum::<f64>().sqrt();
        let size = kx.iter().map(|v| v * v).sum::<f64>().sqrt()
            + 1e-3 * k.iter().fold(0.0f64, |a, b| a.max(b.abs())) * shape.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!(residual <= 1e-8 * size, "mode {a}: residual {residual:e} of {size:e}");
    }
    assert!(found.omega2.is_sorted());
}

#[test]
fn chain_against_closed_form() {
    // Dense, dense with all modes, sparse.
    for (n, count) in [(1, 1), (7, 7), (100, 100), (700, 10), (1500, 8), (4000, 3)] {
        let s = common::chain(n, 3e6, 700.0, false);
        let found = modes(&s.pattern, &s.k, &s.m, count).unwrap();
        assert_eq!(found.omega2.len(), count);
        for (i, omega2) in found.omega2.iter().enumerate() {
            let exact = chain_omega(n, i + 1, 3e6, 700.0);
            let error = (omega2.sqrt() / exact - 1.0).abs();
            assert!(error < 1e-11, "n = {n}, mode {}: error {error:e}", i + 1);
        }
        check_shapes(&s.pattern, &s.k, &s.m, &found, 1e-8);
    }
}

#[test]
fn free_chain_has_one_rigid_mode() {
    for n in [60, 1200] {
        let s = common::chain(n, 2.0, 0.5, true);
        let found = modes(&s.pattern, &s.k, &s.m, 6).unwrap();
        assert!(found.omega2[0] >= 0.0 && found.omega2[0] < 1e-11, "{}", found.omega2[0]);
        for i in 1..6 {
            let exact = 2.0 * 2.0 * (i as f64 * PI / (2 * n) as f64).sin();
            assert!((found.omega2[i].sqrt() / exact - 1.0).abs() < 1e-10, "n = {n}, mode {i}");
        }
        let first = &found.shapes[0];
        assert!(first.iter().all(|v| (v / first[0] - 1.0).abs() < 1e-6), "the rigid mode is a translation");
        check_shapes(&s.pattern, &s.k, &s.m, &found, 1e-8);
    }
}

#[test]
fn massless_unknowns_have_no_modes() {
    // Mass on every second node: two springs in series, a chain of half the size with half the stiffness.
    for n in [80, 2000] {
        let mut s = common::chain(n, 4.0, 1.0, false);
        for i in (0..n).step_by(2) {
            s.m[s.pattern.position(i, i).unwrap()] = 0.0;
        }
        let all = if n == 80 { 80 } else { 5 };
        let found = modes(&s.pattern, &s.k, &s.m, all).unwrap();
        assert_eq!(found.omega2.len(), all.min(n / 2));
        for (i, omega2) in found.omega2.iter().enumerate() {
            let exact = chain_omega(n / 2, i + 1, 2.0, 1.0);
            assert!((omega2.sqrt() / exact - 1.0).abs() < 1e-11, "n = {n}, mode {i}");
        }
        check_shapes(&s.pattern, &s.k, &s.m, &found, 1e-8);
    }
}

#[test]
fn semidefinite_mass_without_empty_rows() {
    // One mass shared by two unknowns (rank one), plus one of its own.
    let pattern = Pattern::new(3, [(0, 1), (1, 2)]);
    let at = |i, j| pattern.position(i, j).unwrap();
    let (mut k, mut m) = (vec![0.0; pattern.nnz()], vec![0.0; pattern.nnz()]);
    for (i, j, v) in [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0), (1, 2, -1.0), (2, 1, -1.0), (2, 2, 1.0)] {
        k[at(i, j)] = v;
    }
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        m[at(i, j)] = 1.0;
    }
    m[at(2, 2)] = 1.0;
    let found = modes(&pattern, &k, &m, 3).unwrap();
    assert_eq!(found.omega2.len(), 2);
    check_shapes(&pattern, &k, &m, &found, 1e-10);
}

#[test]
fn frame_dense_and_sparse_agree() {
    // 801 is above the dense limit; asking for more than a quarter of the modes forces the dense solver.
    let s = common::plane_frame(8, 30, false);
    let n = s.pattern.n();
    assert!(n > 800);
    let sparse = modes(&s.pattern, &s.k, &s.m, 10).unwrap();
    let dense = modes(&s.pattern, &s.k, &s.m, n / 2).unwrap();
    for i in 0..10 {
        let error = (sparse.omega2[i] / dense.omega2[i]).sqrt() - 1.0;
        assert!(error.abs() < 1e-11, "mode {i}: {error:e}");
    }
    check_shapes(&s.pattern, &s.k, &s.m, &sparse, 1e-8);
}

#[test]
fn floating_frames_have_three_rigid_modes() {
    for (bays, storeys) in [(2, 5), (8, 40)] {
        let s = common::plane_frame(bays, storeys, true);
        let found = modes(&s.pattern, &s.k, &s.m, 6).unwrap();
        assert!(found.omega2[..3].iter().all(|&v| v < 1e-6 * found.omega2[3]), "{:?}", found.omega2);
        check_shapes(&s.pattern, &s.k, &s.m, &found, 1e-8);
    }
}

#[test]
fn negative_stiffness_is_reported() {
    let mut s = common::chain(30, 1.0, 1.0, false);
    s.k[s.pattern.position(29, 29).unwrap()] -= 0.5;
    let found = modes(&s.pattern, &s.k, &s.m, 3).unwrap();
    assert!(found.omega2[0] < -1e-3 && found.omega2[1] > 0.0);
    check_shapes(&s.pattern, &s.k, &s.m, &found, 1e-10);
    let mut s = common::chain(1000, 1.0, 1.0, false);
    s.k[s.pattern.position(999, 999).unwrap()] -= 0.5;
    assert_eq!(modes(&s.pattern, &s.k, &s.m, 3), Err(EigenError::Indefinite));
}

#[test]
fn bad_input_is_refused() {
    let mut s = common::chain(5, 1.0, 1.0, false);
    assert_eq!(modes(&s.pattern, &s.k[1..], &s.m, 1), Err(EigenError::BadInput));
    s.k[0] = f64::NAN;
    assert_eq!(modes(&s.pattern, &s.k, &s.m, 1), Err(EigenError::BadInput));
    assert_eq!(eigenvalues(&[1.0, f64::INFINITY, 0.0, 1.0], 2), Err(EigenError::BadInput));
    assert_eq!(eigenvalues(&[1.0], 2), Err(EigenError::BadInput));
    // A massless unknown without stiffness.
    let mut s = common::chain(3, 1.0, 1.0, false);
    let p = s.pattern.clone();
    for (i, j) in [(1, 2), (2, 1), (2, 2)] {
        s.k[p.position(i, j).unwrap()] = 0.0;
    }
    s.m[p.position(2, 2).unwrap()] = 0.0;
    assert_eq!(modes(&p, &s.k, &s.m, 1), Err(EigenError::Undetermined { row: 2 }));
}

#[test]
fn known_eigenvalues() {
    assert_eq!(eigenvalues(&[], 0).unwrap(), vec![]);
    assert_eq!(eigenvalues(&[-3.5], 1).unwrap(), vec![(-3.5, 0.0)]);
    // Damped oscillator, badly scaled: -ζω ± iω√(1-ζ²).
    let (omega, zeta) = (1e4, 0.02);
    let a = [0.0, 1.0, -omega * omega, -2.0 * zeta * omega];
    let (values, vectors) = eigenpairs(&a, 2).unwrap();
    for ((re, im), v) in values.iter().zip(&vectors) {
        assert!((re + zeta * omega).abs() < 1e-11 * omega);
        assert!((im.abs() - omega * (1.0f64 - zeta * zeta).sqrt()).abs() < 1e-11 * omega);
        // First row: v₂ = λ v₁.
        assert!((v[1].0 - (re * v[0].0 - im * v[0].1)).abs() < 1e-12);
        assert!((v[1].1 - (re * v[0].1 + im * v[0].0)).abs() < 1e-12);
    }
    // Companion matrix of (x-1)(x-2)...(x-6).
    let c = [720.0, -1764.0, 1624.0, -735.0, 175.0, -21.0];
    let mut a = vec![0.0; 36];
    for i in 0..6 {
        a[i * 6 + 5] = -c[i];
        if i > 0 {
            a[i * 6 + i - 1] = 1.0;
        }
    }
    let mut roots: Vec<f64> = eigenvalues(&a, 6).unwrap().iter().map(|v| v.0).collect();
    roots.sort_by(f64::total_cmp);
    for (i, root) in roots.iter().enumerate() {
        assert!((root - (i + 1) as f64).abs() < 1e-9, "{root}");
    }
}

#[test]
fn highest_frequency_of_chains_and_frames() {
    for (n, tolerance) in [(1, 1e-14), (2, 1e-12), (7, 1e-12), (60, 1e-9), (4000, 1e-3)] {
        let s = common::chain(n, 3e6, 700.0, false);
        let exact = chain_omega(n, n, 3e6, 700.0).powi(2);
        let found = highest(&s.pattern, &s.k, &s.m).unwrap();
        assert!((found / exact - 1.0).abs() < tolerance, "n = {n}: {found} for {exact}");
    }
    for s in [common::plane_frame(3, 10, false), common::plane_frame(2, 4, true), common::space_frame(2, 1, 3)] {
        let all = modes(&s.pattern, &s.k, &s.m, s.pattern.n()).unwrap();
        let (exact, found) = (all.omega2[all.omega2.len() - 1], highest(&s.pattern, &s.k, &s.m).unwrap());
        assert!((found / exact - 1.0).abs() < 1e-9, "{found} for {exact}");
    }
}

#[test]
fn the_highest_frequency_ignores_massless_unknowns() {
    // ground - k - (massless) - k - m: one frequency, k/2 over m.
    let pattern = Pattern::new(2, [(0, 1), (1, 0)]);
    let (k, m) = (on(&pattern, &[(0, 0, 8.0), (0, 1, -4.0), (1, 0, -4.0), (1, 1, 4.0)]), on(&pattern, &[(1, 1, 0.5)]));
    let found = highest(&pattern, &k, &m).unwrap();
    assert!((found - 4.0).abs() < 1e-14, "{found}");
    // Without stiffness either, its motion is undetermined.
    let loose = on(&pattern, &[(1, 1, 4.0)]);
    assert_eq!(highest(&pattern, &loose, &m), Err(EigenError::Undetermined { row: 0 }));
    assert_eq!(highest(&pattern, &k, &[0.0; 4]), Err(EigenError::MassNotPositive));
    let skew = on(&pattern, &[(0, 0, 8.0), (0, 1, 4.0), (1, 0, -4.0), (1, 1, 4.0)]);
    assert_eq!(highest(&pattern, &skew, &m), Err(EigenError::Unsymmetric));
}

/// Values on a pattern from a list of entries.
fn on(pattern: &Pattern, entries: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut values = vec![0.0; pattern.nnz()];
    entries.iter().for_each(|&(i, j, x)| values[pattern.position(i, j).unwrap()] = x);
    values
}
