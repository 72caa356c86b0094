//! All methods against each other, against residuals, and at the limits.

mod common;
use common::{Lcg, Matrix};
use interfield_linalg::{Factor, Kind, Pattern, Singular, Solver};

const ALL: [Solver; 4] = [Solver::Inverse, Solver::Dense, Solver::Simplicial, Solver::Supernodal];

/// Largest ‖A x − b‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞): the backward error.
fn backward_error(matrix: &Matrix, x: &[f64], b: &[f64]) -> f64 {
    let p = &matrix.pattern;
    let norm = (0..p.n()).map(|i| p.row(i).map(|k| matrix.values[k].abs()).sum::<f64>()).fold(0.0, f64::max);
    let mut r: Vec<f64> = b.iter().map(|v| -v).collect();
    p.mul_add(&matrix.values, x, &mut r);
    let max = |v: &[f64]| v.iter().fold(0.0f64, |a, b| if b.is_nan() { f64::NAN } else { a.max(b.abs()) });
    max(&r) / (norm * max(x) + max(b))
}

fn solve_with(matrix: &Matrix, kind: Kind, method: Solver) -> Option<Vec<f64>> {
    let mut factor = Factor::with_solver(&matrix.pattern, kind, method).ok()?;
    factor.factorize(&matrix.values).unwrap_or_else(|e| panic!("{method:?} {kind:?}: {e}"));
    let mut x = Lcg(7).vector(matrix.n());
    factor.solve(&mut x);
    Some(x)
}

/// Every listed method solves, with a small residual.
fn check(name: &str, matrix: &Matrix, kinds: &[Kind], methods: &[Solver]) {
    let b = Lcg(7).vector(matrix.n());
    for &kind in kinds {
        for &method in methods {
            if matches!(method, Solver::Inverse | Solver::Dense) && matrix.n() > 700 {
                continue;
            }
            let Some(x) = solve_with(matrix, kind, method) else { continue };
            let error = backward_error(matrix, &x, &b);
            // A stored inverse is not backward stable: its residual may carry the condition number.
            let bound = if method == Solver::Inverse { 1e-11 } else { 1e-13 };
            assert!(error < bound, "{name}, {method:?}, {kind:?}: backward error {error:e}");
        }
    }
}

#[test]
fn symmetric_positive_definite() {
    use Kind::{General, Symmetric};
    let both = [Symmetric, General];
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 100, 1000] {
        check(&format!("chain {n}"), &common::chain(n, 1e6, 1e3, false).effective(0.01), &both, &ALL);
    }
    for (bays, storeys) in [(1, 1), (2, 3), (3, 10), (5, 40), (20, 50)] {
        let frame = common::plane_frame(bays, storeys, false);
        check("frame", &frame.effective(0.01), &both, &ALL);
        let static_stiffness = Matrix { pattern: frame.pattern.clone(), values: frame.k.clone() };
        check("static frame", &static_stiffness, &both, &ALL);
    }
    check("space frame", &common::space_frame(2, 3, 4).effective(0.01), &both, &ALL);
    for n in [2, 5, 40, 500] {
        check("arrow", &common::arrow(n, true), &both, &ALL);
    }
    for n in [1, 2, 6, 13, 48] {
        check("full", &common::full(n), &both, &ALL);
    }
    for seed in 0..20 {
        check("random", &common::random(50 + 13 * seed as usize, 3, true, false, seed), &both, &ALL);
    }
}

#[test]
fn symmetric_indefinite() {
    for seed in 0..20 {
        let matrix = common::random(40 + 7 * seed as usize, 2, true, true, seed);
        check("indefinite", &matrix, &[Kind::Symmetric, Kind::General], &ALL);
    }
    // Zero diagonal: needs row exchanges, so only the dense methods can.
    let swap = Matrix::new(2, &[(0, 1, 2.0), (1, 0, 2.0)]);
    check("swap", &swap, &[Kind::Symmetric, Kind::General], &[Solver::Inverse, Solver::Dense]);
    for sparse in [Solver::Simplicial, Solver::Supernodal] {
        let mut factor = Factor::with_solver(&swap.pattern, Kind::Symmetric, sparse).unwrap();
        assert!(factor.factorize(&swap.values).is_err());
    }
}

#[test]
fn unsymmetric() {
    let methods = [Solver::Inverse, Solver::Dense, Solver::Simplicial];
    for seed in 0..20 {
        let matrix = common::random(30 + 11 * seed as usize, 3, false, seed % 2 == 0, seed);
        check("unsymmetric", &matrix, &[Kind::General], &methods);
    }
    check("arrow", &common::arrow(60, false), &[Kind::General], &methods);
    // A frame with a follower-like unsymmetric part.
    let mut frame = common::plane_frame(4, 12, false).effective(0.01);
    let mut lcg = Lcg(3);
    frame.values.iter_mut().for_each(|v| *v *= 1.0 + 0.05 * lcg.next());
    check("unsymmetric frame", &frame, &[Kind::General], &methods);
}

#[test]
fn methods_agree() {
    let matrix = common::plane_frame(3, 10, false).effective(0.01);
    let reference = solve_with(&matrix, Kind::General, Solver::Dense).unwrap();
    for method in ALL {
        for kind in [Kind::Symmetric, Kind::General] {
            let Some(x) = solve_with(&matrix, kind, method) else { continue };
            let scale = reference.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            for (a, b) in x.iter().zip(&reference) {
                assert!((a - b).abs() < 1e-11 * scale, "{method:?} {kind:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn refactorisation_is_bitwise_fresh() {
    let frame = common::plane_frame(4, 9, false);
    let (first, second) = (frame.effective(0.02), frame.effective(0.005));
    let broken = vec![f64::NAN; first.values.len()];
    for kind in [Kind::Symmetric, Kind::General] {
        for method in ALL {
            let Ok(mut old) = Factor::with_solver(&frame.pattern, kind, method) else { continue };
            old.factorize(&first.values).unwrap();
            // A failure in between must leave no trace.
            assert!(old.factorize(&broken).is_err());
            old.factorize(&second.values).unwrap();
            let mut fresh = Factor::with_solver(&frame.pattern, kind, method).unwrap();
            fresh.factorize(&second.values).unwrap();
            let (mut a, mut b) = (Lcg(5).vector(first.n()), Lcg(5).vector(first.n()));
            old.solve(&mut a);
            fresh.solve(&mut b);
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&a), bits(&b), "{method:?} {kind:?}");
        }
    }
}

#[test]
fn singular_matrices_name_a_row() {
    for kind in [Kind::Symmetric, Kind::General] {
        for method in ALL {
            // An unknown without stiffness and mass.
            let mut frame = common::plane_frame(2, 3, false).effective(0.01);
            let p = frame.pattern.clone();
            for i in 0..p.n() {
                for k in p.row(i) {
                    if i == 7 || p.columns(i)[k - p.row(i).start] == 7 {
                        frame.values[k] = 0.0;
                    }
                }
            }
            let Ok(mut factor) = Factor::with_solver(&p, kind, method) else { continue };
            assert_eq!(factor.factorize(&frame.values), Err(Singular { row: 7 }), "{method:?} {kind:?}");
            // After a failure a solution is NaN, not the leftovers of an earlier factor.
            let mut x = vec![1.0; p.n()];
            factor.solve(&mut x);
            assert!(x.iter().all(|v| v.is_nan()));
            // Mechanisms: a free chain, a floating frame.
            for n in [2, 3, 10, 60] {
                let free = common::chain(n, 1.7, 1.0, true);
                let mut factor = Factor::with_solver(&free.pattern, kind, method).unwrap();
                let error = factor.factorize(&free.k).expect_err("a free chain has no static solution");
                assert!(error.row < n);
            }
            for (bays, storeys) in [(1, 2), (3, 10)] {
                let free = common::plane_frame(bays, storeys, true);
                let mut factor = Factor::with_solver(&free.pattern, kind, method).unwrap();
                assert!(factor.factorize(&free.k).is_err(), "{method:?} {kind:?}, floating frame {bays} x {storeys}");
            }
        }
    }
}

#[test]
fn non_finite_values_name_their_row() {
    let frame = common::plane_frame(3, 4, false).effective(0.01);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for kind in [Kind::Symmetric, Kind::General] {
            for method in ALL {
                let Ok(mut factor) = Factor::with_solver(&frame.pattern, kind, method) else { continue };
                for (i, j) in [(5, 5), (20, 23), (23, 20), (47, 47)] {
                    let mut values = frame.values.clone();
                    values[frame.pattern.position(i, j).unwrap()] = bad;
                    values[frame.pattern.position(j, i).unwrap()] = bad;
                    let row = i.min(j);
                    assert_eq!(factor.factorize(&values), Err(Singular { row }), "{method:?} {kind:?} {bad}");
                }
            }
        }
    }
    let diagonal = Pattern::new(3, []);
    let mut factor = Factor::new(&diagonal, Kind::Symmetric, false);
    assert_eq!(factor.factorize(&[1.0, 0.0, 1.0]), Err(Singular { row: 1 }));
    assert_eq!(factor.factorize(&[1.0, 1.0, f64::NAN]), Err(Singular { row: 2 }));
}

#[test]
fn units_do_not_matter() {
    // Rows and columns scaled over 24 decades each: still the same well-posed problem.
    let mut matrix = common::chain(40, 1.0, 1.0, false).effective(1.0);
    let p = matrix.pattern.clone();
    let scale: Vec<f64> = (0..40).map(|i| 10f64.powi((i * 7) % 25 - 12)).collect();
    for i in 0..40 {
        for (k, &j) in p.row(i).zip(p.columns(i)) {
            matrix.values[k] *= scale[i] * scale[j as usize];
        }
    }
    for method in ALL {
        let mut factor = Factor::with_solver(&p, Kind::Symmetric, method).unwrap();
        factor.factorize(&matrix.values).unwrap_or_else(|e| panic!("{method:?}: {e}"));
    }
}

#[test]
fn unsuitable_methods_are_refused() {
    let chain = common::chain(4, 1.0, 1.0, false).pattern;
    assert!(Factor::with_solver(&chain, Kind::Symmetric, Solver::Diagonal).is_err());
    assert!(Factor::with_solver(&chain, Kind::General, Solver::Supernodal).is_ok());
    let large = Pattern::new(5000, []);
    assert!(Factor::with_solver(&large, Kind::General, Solver::Dense).is_err());
}

#[test]
fn automatic_choice() {
    let choice = |p: &Pattern, kind, constant| Factor::new(p, kind, constant).solver();
    use Kind::{General, Symmetric};
    assert_eq!(choice(&Pattern::new(9, []), Symmetric, false), Solver::Diagonal);
    let chain = |n| common::chain(n, 1.0, 1.0, false).pattern;
    assert_eq!(choice(&chain(3), General, false), Solver::Dense);
    assert_eq!(choice(&chain(100), Symmetric, false), Solver::Simplicial);
    assert_eq!(choice(&chain(12), Symmetric, true), Solver::Inverse);
    assert_eq!(choice(&chain(100), Symmetric, true), Solver::Simplicial);
    let frame = common::plane_frame(3, 10, false).pattern;
    assert_eq!(choice(&frame, Symmetric, true), Solver::Simplicial);
    assert_eq!(choice(&common::plane_frame(13, 240, false).pattern, Symmetric, false), Solver::Simplicial);
    let space = common::space_frame(4, 4, 8).pattern;
    assert_eq!(choice(&space, Symmetric, false), Solver::Supernodal);
    assert_eq!(choice(&space, Symmetric, true), Solver::Simplicial);
    assert_eq!(choice(&common::space_frame(6, 6, 17).pattern, Symmetric, true), Solver::Supernodal);
    assert_eq!(choice(&space, General, false), Solver::Supernodal);
    assert_eq!(choice(&frame, General, false), Solver::Simplicial);
    // Whatever is chosen works, also for the empty matrix.
    let mut factor = Factor::new(&Pattern::new(0, []), Symmetric, true);
    factor.factorize(&[]).unwrap();
    factor.solve(&mut []);
}

#[test]
fn report_reads_well() {
    let frame = common::plane_frame(20, 50, false).pattern;
    let report = Factor::new(&frame, Kind::Symmetric, true).report();
    let text = report.to_string();
    assert!(text.starts_with("sparse LDLᵀ, AMD ordering, 3150 unknowns, "), "{text}");
    assert!(text.ends_with(" in the factor"), "{text}");
    assert_eq!(report.n, 3150);
    assert_eq!(report.nnz_matrix, frame.nnz());
}

#[test]
fn pattern_is_symmetric_sorted_and_complete() {
    let p = Pattern::new(4, [(0, 2), (2, 0), (3, 1), (0, 2)]);
    assert_eq!((p.n(), p.nnz()), (4, 8));
    assert_eq!(p.columns(0), [0, 2]);
    assert_eq!(p.columns(1), [1, 3]);
    assert_eq!(p.columns(2), [0, 2]);
    assert_eq!(p.row(1), 2..4);
    assert_eq!(p.position(3, 1), Some(6));
    assert_eq!(p.position(0, 1), None);
    assert_eq!(p.position(9, 0), None);
}

#[test]
fn products_against_the_definition() {
    for seed in 0..10 {
        // Full rows are summed otherwise.
        let a = if seed < 5 { common::random(37, 4, false, false, seed) } else { common::full(37) };
        let p = &a.pattern;
        let mut lcg = Lcg(seed + 100);
        let b = lcg.vector(p.nnz());
        let (x, w, y0) = (lcg.vector(37), lcg.vector(37), lcg.vector(37));
        let entry = |v: &[f64], i, j| p.position(i, j).map_or(0.0, |k| v[k]);
        let expect = |v: &[f64], x: &[f64], i: usize| (0..37).map(|j| entry(v, i, j) * x[j]).sum::<f64>();
        let (mut y1, mut y2, mut y3) = (y0.clone(), y0.clone(), y0.clone());
        p.mul(&a.values, &x, &mut y1);
        p.mul_add(&a.values, &x, &mut y2);
        p.mul2_add(&a.values, &x, &b, &w, &mut y3);
        for i in 0..37 {
            assert_eq!(p.mul_row(i, &a.values, &x).to_bits(), y1[i].to_bits());
            let (ax, bw) = (expect(&a.values, &x, i), expect(&b, &w, i));
            assert!((y1[i] - ax).abs() < 1e-12);
            assert!((y2[i] - y0[i] - ax).abs() < 1e-12);
            assert!((y3[i] - y0[i] - ax - bw).abs() < 1e-12);
        }
    }
}
