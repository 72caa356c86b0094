//! Couplings that are the run in one piece, to rounding, and networks of more than two substructures.

use std::sync::Arc;

use interfield_coupling::{CouplingMethod, GcOptions};
use interfield_kernel::scheme::alpha::{Alpha, Predictor};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Mck, StepMap, System};
use interfield_language::parse::Overrides;
use interfield_structure::assemble;
use interfield_testkit::couplings::{
    EXPLICIT, ROWS, Setting, TRAPEZOIDAL, advance, begin, frame, motion, newmark, row,
};
use interfield_testkit::networks::{Network, Piece, random_chain};
use interfield_testkit::numerics::{Random, apply, exponential, first_order, largest, slope};
use interfield_testkit::problems;
use interfield_testkit::run::{history, model, read};

const HHT: AnyScheme = AnyScheme::Alpha(Alpha::hht(0.1, Predictor::Full));
const CHUNG_HULBERT: AnyScheme = AnyScheme::Alpha(Alpha::chung_hulbert(0.8, Predictor::Full));

/// Largest difference between the coupled run with one step on all sides and the run in one piece, relative to the
/// largest value of each.
fn difference(network: &Network, method: CouplingMethod, scheme: AnyScheme, dt: f64, steps: u64) -> f64 {
    let mut coupled = begin(method, network.assembly(scheme, dt, 1));
    let mut whole = network.domain(scheme, dt);
    let n = network.start[0].len();
    let (mut worst, mut scale) = ([0.0; 2], [0.0; 2]);
    for k in 0..steps {
        advance(&mut *coupled, k, k + 1);
        advance(&mut whole, k, k + 1);
        for (i, piece) in network.pieces.iter().enumerate() {
            let (u, v) = motion(&*coupled, i);
            for (part, x) in [u, v].into_iter().enumerate() {
                for (x, dof) in x.iter().zip(&piece.dofs) {
                    worst[part] = f64::max(worst[part], (x - whole.state()[part * n + dof]).abs());
                    scale[part] = f64::max(scale[part], x.abs());
                }
            }
        }
    }
    (worst[0] / scale[0]).max(worst[1] / scale[1])
}

fn piece(random: &mut Random, dofs: &[usize], fine: bool, floating: bool) -> Piece {
    Piece { system: random_chain(random, dofs.len(), floating, 0.5), dofs: dofs.to_vec(), fine }
}

/// A chain cut in two with two shared unknowns.
fn two(seed: u64) -> Network {
    let mut r = Random(seed);
    Network::new(vec![piece(&mut r, &[0, 1, 2, 3], false, false), piece(&mut r, &[2, 3, 4, 5], true, true)])
}

/// Four chains end to end, the last one back to the first.
fn ring() -> Network {
    let mut r = Random(11);
    Network::new(vec![
        piece(&mut r, &[0, 1, 2], false, false),
        piece(&mut r, &[2, 3, 4], true, true),
        piece(&mut r, &[4, 5, 6], false, true),
        piece(&mut r, &[6, 7, 0], true, true),
    ])
}

/// A chain with a satellite at each of its three masses.
fn star() -> Network {
    let mut r = Random(12);
    Network::new(vec![
        piece(&mut r, &[0, 1, 2], false, false),
        piece(&mut r, &[0, 3, 4], true, true),
        piece(&mut r, &[1, 5, 6], true, true),
        piece(&mut r, &[2, 7, 8], false, true),
    ])
}

/// Three chains that share one unknown: a constraint within the coarse side, one across.
fn knot() -> Network {
    let mut r = Random(13);
    Network::new(vec![
        piece(&mut r, &[0, 1], false, false),
        piece(&mut r, &[1, 2], false, true),
        piece(&mut r, &[1, 3, 4], true, true),
    ])
}

fn networks() -> [(&'static str, Network); 4] {
    [("two", two(5)), ("ring", ring()), ("star", star()), ("knot", knot())]
}

#[test]
fn one_scheme_and_one_step_give_the_run_in_one_piece() {
    let more: Vec<(String, Network)> = (20..26).map(|seed| (format!("chain {seed}"), two(seed))).collect();
    for (what, network) in networks().map(|(name, n)| (name.to_owned(), n)).into_iter().chain(more) {
        for name in ["GC", "PH", "mPH"] {
            for scheme in [TRAPEZOIDAL, EXPLICIT, newmark(1.0 / 6.0)] {
                let d = difference(&network, row(name).0, scheme, 0.05, 400);
                assert!(d < 1e-11, "{what}, {name}, {scheme:?}: {d:e}");
            }
        }
        // GC needs no start-up, so that averaging schemes are no exception: equal velocities make everything equal.
        for scheme in [HHT, CHUNG_HULBERT] {
            let d = difference(&network, CouplingMethod::Gc(GcOptions), scheme, 0.05, 400);
            assert!(d < 1e-11, "{what}, GC, {scheme:?}: {d:e}");
        }
    }
}

#[test]
fn other_couplings_are_not_the_run_in_one_piece() {
    // PM and PMC stride over several steps; velocities of two-stage sides say nothing about their displacements.
    for name in ["PM", "PMC-N", "PMC-R", "FOH-R"] {
        let d = difference(&two(5), row(name).0, row(name).1, 0.01, 400);
        assert!((1e-9..0.1).contains(&d), "{name}: {d:e}");
    }
}

#[test]
fn a_frame_cut_in_two_is_the_frame() {
    let damping = "rayleigh = { a0 = 0.5, a1 = 1e-4 }";
    let (dt, steps) = (0.005, 200);
    let whole = history(&read(&problems::frame(damping)), TRAPEZOIDAL, dt, steps);
    let scale =
        whole.iter().fold([0.0; 2], |m, y| [f64::max(m[0], largest(&y[..12])), f64::max(m[1], largest(&y[12..24]))]);
    for name in ["GC", "PH", "mPH"] {
        let mut coupled = begin(row(name).0, frame(damping).assembly(&Setting::same(TRAPEZOIDAL, dt, 1)));
        for k in 0..steps {
            advance(&mut *coupled, k, k + 1);
            let y = &whole[k as usize + 1];
            // The lower storey has the first six unknowns, the upper one all twelve.
            for i in 0..2 {
                let (u, v) = motion(&*coupled, i);
                for j in 0..u.len() {
                    let d = ((u[j] - y[j]) / scale[0]).abs().max(((v[j] - y[12 + j]) / scale[1]).abs());
                    assert!(d < 1e-10, "{name}, step {k}, side {i}, unknown {j}: {d:e}");
                }
            }
        }
    }
}

/// Error of the displacements at 2 s against the matrix exponential.
fn error(network: &Network, name: &str, steps: u64, ss: usize) -> f64 {
    let (method, scheme) = row(name);
    let whole = network.whole();
    let n = network.start[0].len();
    let diagonal: Vec<f64> = (0..n).map(|i| whole.m[i * (n + 1)]).collect();
    let a: Vec<f64> = first_order(&diagonal, &whole.c, &whole.k).iter().map(|x| 2.0 * x).collect();
    let exact = apply(&exponential(&a, 2 * n), &network.start.concat());
    let mut coupled = begin(method, network.assembly(scheme, 2.0 / steps as f64, ss));
    advance(&mut *coupled, 0, steps);
    let mut worst = 0.0;
    for (i, piece) in network.pieces.iter().enumerate() {
        for (u, dof) in motion(&*coupled, i).0.iter().zip(&piece.dofs) {
            worst = f64::max(worst, (u - exact[*dof]).abs());
        }
    }
    worst
}

#[test]
fn networks_converge_with_every_coupling() {
    let counts = [200, 400, 800];
    for (what, network) in networks() {
        for name in ROWS {
            let errors = counts.map(|n| error(&network, name, n, 4));
            let order = slope(&counts.map(|n| 1.0 / n as f64), &errors);
            let (low, high) = if name == "GC" || name == "PM" { (0.8, 1.3) } else { (1.85, 2.25) };
            assert!((low..high).contains(&order), "{what}, {name}: order {order:.2}, {errors:?}");
        }
    }
}

/// Accelerations at a few unknowns are those of whole evaluations, bit by bit, along a path; what has no shorter way says so.
#[test]
fn accelerations_at_a_few_unknowns_are_those_of_a_whole_evaluation() {
    let mut random = Random(5);
    let mut short = Vec::new();
    for name in [
        "rio-torto-isolated",
        "rio-torto-as-built",
        "viaduct",
        "three-dof",
        "multi-support",
        "hysteretic-building",
        "forced-split-mass",
        "duffing-chain",
        "frame",
        "spring-pendulum",
    ] {
        let model = Arc::new(model(name, &Overrides::default()));
        let part = || assemble(&model).unwrap_or_else(|p| panic!("{name}: {}", p[0].message));
        let [mut few, mut whole] = [part(), part()];
        let dims = whole.system.dims();
        let (n, unknowns) = (dims.nu, [dims.nu - 1, dims.nu / 2, 0]);
        if !few.system.prepare_at(&unknowns) {
            continue;
        }
        short.push(name);
        whole.system.prepare(&[Mck::MASS]).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        let (mut r, mut g, mut found) = (vec![0.0; n], vec![0.0; dims.ns], [0.0; 3]);
        for k in 0..200 {
            let x: Vec<f64> = whole.y0.iter().map(|y| y + 0.02 * (random.uniform() - 0.5)).collect();
            let at = dims.point(0.013 * f64::from(k), &x);
            few.system.accelerations_at(at, &mut found).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            whole.system.force(at, None, &mut r, &mut g).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            r.iter_mut().for_each(|r| *r = -*r);
            whole.system.solve(0, &mut r, &mut g);
            assert_eq!(found, unknowns.map(|i| r[i]), "{name}, point {k}");
            assert_eq!(few.system.memory(), whole.system.memory(), "{name}, point {k}");
        }
        // A number that is not one is found where it stands.
        let bad = vec![f64::NAN; dims.state()];
        let fault = few.system.accelerations_at(dims.point(0.0, &bad), &mut found);
        assert!(fault.is_err() || found.iter().all(|a| a.is_nan()), "{name}: {found:?}");
    }
    assert!(short.contains(&"rio-torto-isolated") && short.contains(&"three-dof"), "{short:?}");
    assert!(!short.contains(&"spring-pendulum"), "its mass matrix depends on the configuration");
}
