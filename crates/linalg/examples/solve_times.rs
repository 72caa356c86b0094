//! Median times of factorisation and solution for every method on chains and frames:
//! `cargo run --release -p interfield-linalg --example solve_times`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use interfield_linalg::{Factor, Kind, Solver};

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Lcg, Matrix};

/// Median time of one call, in microseconds. Calls are timed in batches of about 20 µs for about 0.15 s.
fn median(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    let once = start.elapsed();
    let batch = (20_000 / once.as_nanos().max(1)).clamp(1, 2000) as u32;
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < 5 || begin.elapsed() < Duration::from_millis(150) {
        let start = Instant::now();
        for _ in 0..batch {
            call();
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(batch));
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure(name: &str, matrix: &Matrix) {
    let n = matrix.n();
    println!("\n{name}: {n} unknowns, {} entries", matrix.pattern.nnz());
    let b = Lcg(1).vector(n);
    let mut x = b.clone();
    let mut product = vec![0.0; n];
    let time = median(|| matrix.pattern.mul(&matrix.values, black_box(&b), &mut product));
    println!("  {:<10} {:<10} {:>11} {time:>11.3} µs", "product", "", "");
    for kind in [Kind::Symmetric, Kind::General] {
        for method in [Solver::Inverse, Solver::Dense, Solver::Simplicial, Solver::Supernodal] {
            if matches!(method, Solver::Inverse | Solver::Dense) && n > 1000 {
                continue;
            }
            let Ok(mut factor) = Factor::with_solver(&matrix.pattern, kind, method) else { continue };
            if factor.factorize(&matrix.values).is_err() {
                println!("  {method:?} failed");
                continue;
            }
            let again = median(|| {
                let _ = black_box(factor.factorize(black_box(&matrix.values)));
            });
            let solve = median(|| {
                x.copy_from_slice(&b);
                factor.solve(black_box(&mut x));
            });
            let report = factor.report();
            println!(
                "  {:<10} {:<10} {again:>8.2} µs {solve:>11.3} µs   {report}",
                format!("{method:?}"),
                format!("{kind:?}")
            );
        }
    }
    for kind in [Kind::Symmetric, Kind::General] {
        for constant in [true, false] {
            let factor = Factor::new(&matrix.pattern, kind, constant);
            println!(
                "  chosen for {kind:?}, {}: {:?}",
                if constant { "constant" } else { "changing" },
                factor.solver()
            );
        }
    }
}

fn main() {
    println!("method, kind, time to factorise, time to solve (including the copy of the right-hand side)");
    let small = std::env::args().any(|a| a == "small");
    for n in [2, 5, 10, 20, 50, 100, 1000] {
        measure(&format!("chain {n}"), &common::chain(n, 1e6, 1e3, false).effective(0.01));
    }
    for (bays, storeys) in [(1, 1), (1, 2), (2, 2), (2, 4), (3, 10)] {
        measure(&format!("plane frame {bays} x {storeys}"), &common::plane_frame(bays, storeys, false).effective(0.01));
    }
    for n in [6, 12, 24, 48] {
        measure(&format!("full {n}"), &common::full(n));
    }
    if small {
        return;
    }
    measure("plane frame 5 x 30", &common::plane_frame(5, 30, false).effective(0.01));
    measure("plane frame 20 x 50", &common::plane_frame(20, 50, false).effective(0.01));
    measure("plane frame 13 x 240", &common::plane_frame(13, 240, false).effective(0.01));
    measure("space frame 2 x 2 x 4", &common::space_frame(2, 2, 4).effective(0.01));
    measure("space frame 4 x 4 x 8", &common::space_frame(4, 4, 8).effective(0.01));
    measure("space frame 6 x 6 x 17", &common::space_frame(6, 6, 17).effective(0.01));
}
