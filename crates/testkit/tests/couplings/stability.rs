//! Which couplings are stable, and which are not: scans over ratios of mass, stiffness and step, random pairs, softening
//! specimens, explicit sides (book: claims 2, passivity 3, 4.2).

use interfield_coupling::Method;
use interfield_testkit::couplings::{EXPLICIT, Setting, TRAPEZOIDAL, begin, halves, pair, radius, row, split_dense};
use interfield_testkit::dense::Dense;
use interfield_testkit::networks::random_chain;
use interfield_testkit::numerics::Random;

const OMEGAS: [f64; 10] = [1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1e3];
const RATIOS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// Halves of a unit mass on a unit spring: m_A / m_B and k_A / k_B.
fn ratios(mass: f64, stiffness: f64) -> [Dense; 2] {
    let part = |ratio: f64| [ratio / (1.0 + ratio), 1.0 / (1.0 + ratio)];
    let ([ma, mb], [ka, kb]) = (part(mass), part(stiffness));
    [Dense::single(ma, ka), Dense::single(mb, kb)]
}

/// Largest radius - 1 over the scan, and where.
fn scan(name: &str) -> (f64, String) {
    let (method, scheme) = row(name);
    let mut worst = (f64::NEG_INFINITY, String::new());
    for mass in RATIOS {
        for stiffness in RATIOS {
            // The diagonal of the papers in full, the rest thinned.
            let diagonal = mass * stiffness == 1.0;
            if !diagonal && (mass == 0.1 || mass == 10.0 || stiffness == 0.1 || stiffness == 10.0) {
                continue;
            }
            for (i, omega) in OMEGAS.into_iter().enumerate() {
                for ss in [1, 2, 10, 100] {
                    if (ss == 100 || !diagonal) && i % 3 != 1 {
                        continue;
                    }
                    let [a, b] = ratios(mass, stiffness);
                    let rho = radius(&mut *begin(method, split_dense(a, b, &Setting::same(scheme, omega, ss))));
                    if rho - 1.0 > worst.0 || rho.is_nan() {
                        worst = (rho - 1.0, format!("masses {mass}, springs {stiffness}, Omega {omega}, ss {ss}"));
                    }
                }
            }
        }
    }
    worst
}

#[test]
fn every_coupling_of_stable_sides_is_stable() {
    // The bounds are those of the tables.
    for (name, bound) in [
        ("GC", 4e-11),
        ("PM", 4e-11),
        ("PH", 4e-11),
        ("mPH", 4e-11),
        ("PMC-a", 5e-14),
        ("PMC-N", 1.3e-13),
        ("PMC-R", 5e-13),
        ("PMC2-a", 5e-14),
        ("FOH-a", 8e-11),
        ("FOH-R", 2e-11),
    ] {
        let (worst, at) = scan(name);
        assert!(worst < bound, "{name}: {worst:e} at {at}");
    }
}

/// Largest radius - 1 of random pairs: 1 to 5 unknowns a side, 1 to 3 shared, B with a share of its stiffness.
fn random_pairs(name: &str, count: usize, share: fn(&mut Random) -> f64) -> f64 {
    let (method, scheme) = row(name);
    let mut random = Random(7);
    let mut worst = f64::NEG_INFINITY;
    for _ in 0..count {
        let sizes = [1 + random.below(5), 1 + random.below(5)];
        // One side at most floats: the whole must stand.
        let floating = random.below(3);
        let [a, b] = [0, 1].map(|i| random_chain(&mut random, sizes[i], floating == i, 2.0));
        let rows = 1 + random.below(sizes[0].min(sizes[1]).min(3));
        let shared: Vec<(usize, usize)> = (0..rows).map(|i| (sizes[0] - 1 - i, i)).collect();
        let (h, ss) = (random.decades(-2.0, 3.0), [1, 2, 5, 10][random.below(4)]);
        let [ya, yb] = sizes.map(|n| vec![0.0; 2 * n]);
        let b = b.softened(share(&mut random));
        let rho = radius(&mut *begin(method, pair((a, ya), (b, yb), &shared, &Setting::same(scheme, h, ss))));
        assert!(rho.is_finite(), "{name}");
        worst = worst.max(rho - 1.0);
    }
    worst
}

#[test]
fn random_pairs_are_stable() {
    for name in ["GC", "PM", "mPH", "PMC-a", "PMC-R", "PMC2-a", "FOH-a", "FOH-R"] {
        let worst = random_pairs(name, 12, |_| 1.0);
        assert!(worst < 4e-11, "{name}: {worst:e}");
    }
}

#[test]
fn random_pairs_with_a_softening_specimen_are_stable_with_pmc_and_not_with_foh() {
    for name in ["GC", "PM", "PMC-a", "PMC-N", "PMC2-a"] {
        let worst = random_pairs(name, 12, Random::uniform);
        assert!(worst < 1e-11, "{name}: {worst:e}");
    }
    for name in ["mPH", "PMC-R", "FOH-a", "FOH-R"] {
        let worst = random_pairs(name, 12, Random::uniform);
        assert!(worst > 1e-3, "{name} is better than its reputation: {worst:e}");
    }
}

/// Radius - 1 of the split mass with a B that has `share` of the stiffness its operators know.
fn softened(name: &str, share: f64, b1: f64, omega: f64, ss: usize) -> f64 {
    let (method, scheme) = row(name);
    let [a, b] = halves(b1);
    radius(&mut *begin(method, split_dense(a, b.softened(share), &Setting::same(scheme, omega, ss)))) - 1.0
}

/// Unstable points of the softening scan at these shares of stiffness, of 15 for each share.
fn unstable(name: &str, shares: &[f64], ss: usize) -> usize {
    let mut count = 0;
    for &share in shares {
        for b1 in [0.1, 1.0, 10.0] {
            for omega in [0.01, 0.1, 1.0, 10.0, 100.0] {
                let growth = softened(name, share, b1, omega, ss);
                count += usize::from(growth > 1e-10 || growth.is_nan());
            }
        }
    }
    count
}

const SHARES: [f64; 5] = [0.01, 0.2, 0.5, 0.8, 0.95];

#[test]
fn a_softening_specimen_leaves_gc_pm_and_pmc_stable() {
    for name in ["GC", "PM", "PMC-a", "PMC-N", "PMC2-a"] {
        for ss in [1, 10] {
            assert_eq!(unstable(name, &SHARES, ss), 0, "{name}, ss = {ss}");
        }
    }
    // With one step on both sides modified PH and FOH-a correct over a step only.
    assert_eq!(unstable("mPH", &SHARES, 1), 0);
    assert_eq!(unstable("FOH-a", &SHARES, 1), 0);
}

#[test]
fn a_softening_specimen_breaks_modified_ph_and_foh() {
    // At practically every step; slowly where steps are short.
    let count = unstable("mPH", &SHARES, 10);
    assert!(count >= 70, "modified PH: {count} of 75");
    let growth = softened("mPH", 0.5, 1.0, 0.1, 10);
    assert!((growth - 1.65e-4).abs() < 1e-6, "{growth:e}");
    assert!(softened("mPH", 0.95, 1.0, 0.1, 10) > 1e-8);
    // FOH-a: long steps only. FOH-R: also with one step on both sides.
    assert!(softened("FOH-a", 0.5, 1.0, 0.1, 10) < 1e-12);
    assert!(unstable("FOH-a", &[0.5], 10) >= 5);
    assert!(unstable("FOH-R", &[0.5], 1) >= 10 && unstable("FOH-R", &[0.5], 10) >= 8);
    // Two evaluations per step bear a little softening.
    assert_eq!(unstable("PMC-R", &[0.95], 1) + unstable("PMC-R", &[0.95], 10), 0);
    assert!(unstable("PMC-R", &[0.8], 1) > 0 && unstable("PMC-R", &[0.5], 10) > 0);
}

/// Radius - 1 with one explicit side at this ω dt of its own; the other is implicit and has `other` times its mass.
fn explicit(method: Method, side: usize, limit: f64, other: f64, ss: usize) -> f64 {
    let h = if side == 0 { 1.0 } else { ss as f64 };
    let mut halves = [Dense::single(other, 0.3 * other), Dense::single(other, 0.3 * other)];
    halves[side] = Dense::single(1.0, limit * limit);
    let mut schemes = [TRAPEZOIDAL; 2];
    schemes[side] = EXPLICIT;
    let [a, b] = halves;
    let setting = Setting { a: schemes[0], b: schemes[1], dt: h, ss };
    radius(&mut *begin(method, split_dense(a, b, &setting))) - 1.0
}

#[test]
fn explicit_sides_keep_their_own_limit() {
    // PM steps A over 2 h.
    for (name, side, limit) in
        [("GC", 0, 2.0), ("GC", 1, 2.0), ("mPH", 0, 2.0), ("mPH", 1, 2.0), ("PM", 0, 1.0), ("PM", 1, 2.0)]
    {
        let (method, _) = row(name);
        for other in [1e-6, 1e-2, 1.0, 10.0] {
            let below = explicit(method, side, 0.999 * limit, other, 10);
            assert!(below < 1e-11, "{name}, side {side}, other mass {other}: {below:e}");
        }
        // Beside a nearly massless partner the limit is sharp.
        let above = explicit(method, side, 1.001 * limit, 1e-6, 10);
        assert!(above > 1e-2, "{name}, side {side}: {above:e}");
    }
}
