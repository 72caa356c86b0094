//! Couplings that are the run in one piece, to rounding, and networks of more than two substructures.

use interfield_coupling::{CouplingMethod, GcOptions};
use interfield_kernel::StepMap;
use interfield_kernel::scheme::alpha::{Alpha, Predictor};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_testkit::couplings::{
    EXPLICIT, ROWS, Setting, TRAPEZOIDAL, advance, begin, frame, motion, newmark, row,
};
use interfield_testkit::networks::{Network, Piece, random_chain};
use interfield_testkit::numerics::{Random, apply, exponential, first_order, largest, slope};
use interfield_testkit::problems;
use interfield_testkit::run::{history, read};

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
