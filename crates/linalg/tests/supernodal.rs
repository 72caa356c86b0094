//! The supernodal factor where it is used: large, on any number of cores, near the limits.

mod common;
use common::{Lcg, Matrix};
use interfield_linalg::{Factor, Kind, Pattern, Singular, Solver, modes};

/// A cube of `side`³ nodes with three unknowns each, every node tied to its 26 neighbours: the matrix of a solid.
fn cube(side: usize) -> Matrix {
    let at = |p: [usize; 3]| p[0] + side * (p[1] + side * p[2]);
    let mut lcg = Lcg(5);
    let mut triplets = Vec::new();
    for p in (0..side.pow(3)).map(|k| [k % side, k / side % side, k / side / side]) {
        for step in 0..27 {
            let q = [p[0] + step % 3, p[1] + step / 3 % 3, p[2] + step / 9];
            if q.iter().any(|&x| x == 0 || x > side) {
                continue;
            }
            let (a, b) = (at(p), at(q.map(|x| x - 1)));
            if a < b {
                for (i, j) in (0..9).map(|k| (3 * a + k / 3, 3 * b + k % 3)) {
                    let v = lcg.next();
                    triplets.extend([(i, j, v), (j, i, v), (i, i, v.abs()), (j, j, v.abs())]);
                }
            }
        }
    }
    triplets.extend((0..3 * side.pow(3)).map(|i| (i, i, 0.01)));
    Matrix::new(3 * side.pow(3), &triplets)
}

fn solve(factor: &mut Factor, n: usize) -> Vec<u64> {
    let mut x = Lcg(7).vector(n);
    factor.solve(&mut x);
    x.iter().map(|x| x.to_bits()).collect()
}

fn residual(matrix: &Matrix, x: &[u64]) -> f64 {
    let x: Vec<f64> = x.iter().map(|&x| f64::from_bits(x)).collect();
    let mut r = vec![0.0; matrix.n()];
    matrix.pattern.mul(&matrix.values, &x, &mut r);
    let most = |v: &[f64]| v.iter().fold(0.0f64, |a, b| if b.is_nan() { f64::NAN } else { a.max(b.abs()) });
    let size = most(&matrix.values) * most(&x);
    r.iter_mut().zip(Lcg(7).vector(matrix.n())).for_each(|(r, b)| *r -= b);
    most(&r) / size
}

#[test]
fn the_bits_do_not_depend_on_the_cores() {
    for (name, matrix) in [("frame", common::space_frame(8, 8, 12).effective(0.01)), ("solid", cube(12))] {
        let factorised = |cores: Option<usize>| {
            let mut factor = Factor::with_solver(&matrix.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
            match cores {
                None => factor.factorize(&matrix.values).unwrap(),
                Some(n) => {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
                    pool.install(|| factor.factorize_on_all_cores(&matrix.values)).unwrap();
                }
            }
            solve(&mut factor, matrix.n())
        };
        let alone = factorised(None);
        let error = residual(&matrix, &alone);
        assert!(error < 1e-13, "{name}: {error:e}");
        for cores in [1, 2, 3, 8] {
            assert_eq!(alone, factorised(Some(cores)), "{name}, {cores} cores");
        }
    }
}

#[test]
fn the_order_of_elimination_does_not_depend_on_the_cores() {
    let matrix = cube(12);
    let report = |cores| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().unwrap();
        pool.install(|| Factor::new(&matrix.pattern, Kind::Symmetric, true).report())
    };
    let one = report(1);
    assert_eq!((one.solver, one.ordering), (Solver::Supernodal, "nested dissection"));
    assert_eq!(one, report(4));
}

/// Indefinite values are solved.
#[test]
fn pivots_of_both_signs() {
    let frame = common::space_frame(4, 4, 8);
    let n = frame.pattern.n();
    let found = modes(&frame.pattern, &frame.k, &frame.m, 12).unwrap();
    // Between two modes K - s M is regular and indefinite.
    let shift = 0.5 * (found.omega2[8] + found.omega2[9]);
    assert!(found.omega2[9] - found.omega2[8] > 1e-3 * shift, "{:?}", found.omega2);
    let values: Vec<f64> = frame.k.iter().zip(&frame.m).map(|(k, m)| k - shift * m).collect();
    let matrix = Matrix { pattern: frame.pattern.clone(), values };
    let mut factor = Factor::with_solver(&matrix.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
    factor.factorize_on_all_cores(&matrix.values).unwrap();
    let error = residual(&matrix, &solve(&mut factor, n));
    assert!(error < 1e-10, "{error:e}");
}

#[test]
fn a_large_singular_structure_names_its_row_on_any_number_of_cores() {
    let mut frame = common::space_frame(6, 6, 10).effective(0.01);
    let p = frame.pattern.clone();
    // Unknowns 2000 and 1001 have neither stiffness nor mass.
    for i in 0..p.n() {
        for (k, &j) in p.row(i).zip(p.columns(i)) {
            if [1001, 2000].contains(&i) || [1001, 2000].contains(&j) {
                frame.values[k] = 0.0;
            }
        }
    }
    let mut factor = Factor::with_solver(&p, Kind::Symmetric, Solver::Supernodal).unwrap();
    let alone = factor.factorize(&frame.values).unwrap_err();
    assert!([1001, 2000].contains(&alone.row), "{alone:?}");
    for _ in 0..5 {
        assert_eq!(factor.factorize_on_all_cores(&frame.values), Err(alone));
    }
    let mut x = vec![1.0; p.n()];
    factor.solve(&mut x);
    assert!(x.iter().all(|x| x.is_nan()));
    // A floating structure: the pivot that is lost to rounding is refused, too.
    let free = common::plane_frame(60, 40, true);
    let mut factor = Factor::with_solver(&free.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
    assert!(factor.factorize_on_all_cores(&free.k).is_err());
}

#[test]
fn solutions_on_any_number_of_threads_have_the_same_bits() {
    for (name, matrix) in [("frame", common::space_frame(8, 8, 12).effective(0.01)), ("solid", cube(12))] {
        let n = matrix.n();
        let mut alone = Factor::with_solver(&matrix.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
        alone.factorize(&matrix.values).unwrap();
        let expected = solve(&mut alone, n);
        let halves: Vec<f64> = matrix.values.iter().map(|v| 0.5 * v).collect();
        for threads in [1, 2, 3, 4, 7] {
            let mut factor = Factor::with_solver(&matrix.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
            factor.factorize(&matrix.values).unwrap();
            assert_eq!(factor.share_solutions(threads), threads, "{name}");
            assert_eq!(factor.report().threads, threads);
            for _ in 0..3 {
                assert_eq!(solve(&mut factor, n), expected, "{name}, {threads} threads");
            }
            // Between solutions the factor changes, fails, and is as before again.
            factor.factorize(&halves).unwrap();
            let twice: Vec<u64> = expected.iter().map(|&x| (2.0 * f64::from_bits(x)).to_bits()).collect();
            assert_eq!(solve(&mut factor, n), twice, "{name}, {threads} threads");
            factor.factorize(&vec![0.0; halves.len()]).unwrap_err();
            factor.factorize_on_all_cores(&matrix.values).unwrap();
            assert_eq!(solve(&mut factor, n), expected, "{name}, {threads} threads");
        }
    }
    // Nothing to share.
    let small = common::chain(100, 1e6, 1e3, false).effective(0.01);
    assert_eq!(Factor::new(&small.pattern, Kind::Symmetric, true).share_solutions(4), 1);
    let mut small = Factor::with_solver(&small.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
    assert_eq!((small.share_solutions(4), small.share_solutions(0)), (1, 1));
}

/// Values that differ on both sides of the diagonal: on any number of cores the same, and those of the simplicial method to rounding.
#[test]
fn unsymmetric_values() {
    for (name, mut matrix) in [("frame", common::space_frame(6, 6, 8).effective(0.01)), ("solid", cube(9))] {
        let p = matrix.pattern.clone();
        let mut lcg = Lcg(3);
        for i in 0..p.n() {
            for (k, &j) in p.row(i).zip(p.columns(i)) {
                let share = if i == j as usize { 0.2 } else { 0.4 };
                matrix.values[k] *= 1.0 + share * lcg.next();
            }
        }
        assert_eq!(Factor::new(&p, Kind::General, false).solver(), Solver::Supernodal, "{name}");
        let mut factor = Factor::with_solver(&p, Kind::General, Solver::Supernodal).unwrap();
        factor.factorize(&matrix.values).unwrap();
        let alone = solve(&mut factor, p.n());
        let mut sparse = Factor::with_solver(&p, Kind::General, Solver::Simplicial).unwrap();
        sparse.factorize(&matrix.values).unwrap();
        let [error, other] = [&alone, &solve(&mut sparse, p.n())].map(|x| residual(&matrix, x));
        assert!(error < 1e-13 && error < 20.0 * other, "{name}: {error:e}, simplicial {other:e}");
        for cores in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().unwrap();
            pool.install(|| factor.factorize_on_all_cores(&matrix.values)).unwrap();
            factor.share_solutions(cores);
            assert_eq!(solve(&mut factor, p.n()), alone, "{name}, {cores} cores");
        }
        // An unknown that nothing holds has its name.
        let mut loose = matrix.values.clone();
        for i in 0..p.n() {
            for (k, &j) in p.row(i).zip(p.columns(i)) {
                if i == 700 || j == 700 {
                    loose[k] = 0.0;
                }
            }
        }
        assert_eq!(factor.factorize_on_all_cores(&loose), Err(Singular { row: 700 }), "{name}");
    }
}

/// Units that lie twelve decades apart change neither the pivots that are refused nor the digits of a solution.
#[test]
fn scales_over_twelve_decades() {
    for kind in [Kind::Symmetric, Kind::General] {
        let matrix = common::space_frame(5, 5, 8).effective(0.01);
        let (n, p) = (matrix.n(), &matrix.pattern);
        let mut lcg = Lcg(11);
        // Powers of two: scaling rounds nothing, so the scaled solution has the digits of the unscaled one.
        let scale: Vec<f64> = (0..n).map(|_| 2.0f64.powi((20.0 * lcg.next()) as i32)).collect();
        let mut scaled = matrix.values.clone();
        for i in 0..n {
            for (k, &j) in p.row(i).zip(p.columns(i)) {
                scaled[k] *= scale[i] * scale[j as usize];
            }
        }
        let mut factor = Factor::with_solver(p, kind, Solver::Supernodal).unwrap();
        factor.factorize_on_all_cores(&matrix.values).unwrap();
        let mut x = Lcg(7).vector(n);
        factor.solve(&mut x);
        factor.factorize_on_all_cores(&scaled).unwrap();
        let mut y: Vec<f64> = Lcg(7).vector(n).iter().zip(&scale).map(|(b, s)| b * s).collect();
        factor.solve(&mut y);
        let unscaled: Vec<f64> = y.iter().zip(&scale).map(|(y, s)| y * s).collect();
        assert_eq!(unscaled, x, "{kind:?}");
    }
}

#[test]
fn odd_shapes() {
    // Nothing, one unknown, separate parts, a star, and widths that are no multiple of anything.
    let mut patterns = vec![Pattern::new(0, []), Pattern::new(1, []), Pattern::new(7, [])];
    patterns.push(Pattern::new(300, (1..300).filter(|i| i % 50 != 0).map(|i| (i - 1, i))));
    patterns.push(Pattern::new(500, (1..500).map(|i| (0, i))));
    for n in [2, 3, 5, 7, 97, 193, 200] {
        patterns.push(Pattern::new(n, (0..n).flat_map(|i| (0..i).map(move |j| (i, j)))));
    }
    for pattern in patterns {
        let n = pattern.n();
        let values = (0..n)
            .flat_map(|i| pattern.columns(i).iter().map(move |&j| if i == j as usize { n as f64 } else { -0.5 }))
            .collect();
        let matrix = Matrix { pattern, values };
        for kind in [Kind::Symmetric, Kind::General] {
            let mut factor = Factor::with_solver(&matrix.pattern, kind, Solver::Supernodal).unwrap();
            factor.factorize(&matrix.values).unwrap();
            let x = solve(&mut factor, n);
            assert!(n == 0 || residual(&matrix, &x) < 1e-14, "{n}");
            assert_eq!(factor.factorize(&vec![f64::NAN; matrix.values.len()]).is_err(), n > 0);
            assert_eq!(
                factor.factorize(&vec![0.0; matrix.values.len()]).err().map(|s: Singular| s.row < n),
                (n > 0).then_some(true)
            );
        }
    }
}
