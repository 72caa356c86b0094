//! Energy: conserved, dissipated, balanced.

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_language::model::Model;
use interfield_testkit::numerics::apply;
use interfield_testkit::problems::{self, LINEAR_MASS, linear_stiffness};
use interfield_testkit::run::{advance, read, start};
use interfield_testkit::variants::scheme;

/// Mechanical energy of the linear chain.
fn energy(y: &[f64]) -> f64 {
    let (u, v) = (&y[..3], &y[3..6]);
    let ku = apply(&linear_stiffness(), u);
    (0..3).map(|i| 0.5 * (LINEAR_MASS[i] * v[i] * v[i] + u[i] * ku[i])).sum()
}

/// Energies after each of `steps` steps relative to the first.
fn energies(model: &Model, scheme: AnyScheme, dt: f64, steps: u64) -> Vec<f64> {
    let mut sim = start(model, scheme, dt);
    let first = energy(sim.y(0));
    (0..steps)
        .map(|k| {
            advance(&mut sim, k, k + 1);
            energy(sim.y(0)) / first
        })
        .collect()
}

#[test]
fn trapezoidal_members_conserve_energy() {
    let model = read(&problems::linear(0.0));
    let one = [("rho_inf", "1")];
    for (name, parameters) in [
        ("trapezoidal", &[][..]),
        ("newmark", &[]),
        ("newmark-newton", &[]),
        ("caam", &[]),
        ("chang", &[]),
        ("hht", &[("alpha", "0")]),
        ("lsrt2", &[("gamma", "0.5")]),
        ("generalized-alpha", &one),
        ("generalized-alpha-newton", &one),
        ("alpha-os", &one),
        ("state-space-alpha", &one),
    ] {
        let all = energies(&model, scheme(name, parameters), 0.05, 10_000);
        let worst = all.iter().map(|e| (e - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{name}: {worst:e}");
    }
}

#[test]
fn rosenbrock_methods_never_gain_energy() {
    let model = read(&problems::linear(0.0));
    for (name, parameters) in
        [("lsrt1", &[][..]), ("lsrt2", &[]), ("lsrt2", &[("gamma", "plus")]), ("rosenbrock3", &[])]
    {
        for dt in [0.01, 0.1, 1.0] {
            let all = energies(&model, scheme(name, parameters), dt, 500);
            assert!(all[0] < 1.0, "{name}, {dt}");
            assert!(all.windows(2).all(|e| e[1] <= e[0] * (1.0 + 1e-14)), "{name}, {dt}");
        }
    }
}

#[test]
fn dissipative_members_lose_energy_in_the_long_run() {
    // The mechanical energy of these is not what they dissipate step by step: it breathes within a period.
    let model = read(&problems::linear(0.0));
    for (name, parameters) in [
        ("newmark", &[("gamma", "0.6"), ("beta", "0.3025")][..]),
        ("hht", &[]),
        ("hht", &[("alpha", "0.3333333333333333")]),
        ("generalized-alpha", &[("rho_inf", "0")]),
        ("generalized-alpha", &[("rho_inf", "0.5")]),
        ("generalized-alpha", &[]),
        ("generalized-alpha-newton", &[]),
        ("alpha-os", &[("rho_inf", "0")]),
        ("alpha-os", &[]),
        ("state-space-alpha", &[("rho_inf", "0")]),
        ("state-space-alpha", &[]),
    ] {
        for dt in [0.02, 0.1, 1.0] {
            let all = energies(&model, scheme(name, parameters), dt, 4000);
            let peaks: Vec<f64> = all.chunks(1000).map(|w| w.iter().copied().fold(0.0, f64::max)).collect();
            assert!(peaks.windows(2).all(|p| p[1] < p[0] || p[0] == 0.0), "{name}, {dt}: {peaks:?}");
        }
    }
}

/// Largest imbalance between input work and kinetic plus stored plus dissipated energy, relative to the input work.
fn imbalance(model: &Model, scheme: AnyScheme, dt: f64) -> f64 {
    let mut sim = start(model, scheme, dt);
    let names: Vec<String> = sim.channels().iter().map(|c| c.name.clone()).collect();
    let at = |name: &str| names.iter().position(|n| n == name).unwrap();
    let velocities = [at("a.x.v"), at("b.x.v"), at("c.x.v")];
    let forces = [at("one.force"), at("two.force"), at("three.force")];
    let (quake, mass) = (at("quake"), [2.0, 1.5, 1.0]);
    let mut out = vec![0.0; names.len()];
    let (mut absorbed, mut input, mut worst, mut largest) = (0.0, 0.0, 0.0f64, 0.0f64);
    let mut before = [0.0; 2];
    for k in 0..=(4.0 / dt).round() as u64 {
        sim.sample(k, &mut out).unwrap();
        let v = velocities.map(|i| out[i]);
        let rates = [v[0], v[1] - v[0], v[2] - v[1]];
        let power = [
            (0..3).map(|i| out[forces[i]] * rates[i]).sum::<f64>(),
            (0..3).map(|i| -mass[i] * v[i] * out[quake]).sum::<f64>(),
        ];
        if k > 0 {
            absorbed += 0.5 * dt * (before[0] + power[0]);
            input += 0.5 * dt * (before[1] + power[1]);
        }
        before = power;
        let kinetic: f64 = (0..3).map(|i| 0.5 * mass[i] * v[i] * v[i]).sum();
        worst = worst.max((input - kinetic - absorbed).abs());
        largest = largest.max(input.abs());
        advance(&mut sim, k, k + 1);
    }
    worst / largest
}

#[test]
fn the_energy_balance_of_a_hysteretic_chain_closes_with_the_order_of_the_scheme() {
    let model = read(problems::HYSTERETIC);
    for (name, parameters, order) in [
        ("lsrt1", &[][..], 1.0),
        ("lsrt2", &[], 2.0),
        ("lsrt2", &[("gamma", "plus")], 2.0),
        ("newmark", &[], 2.0),
        ("caam", &[], 2.0),
        ("chang", &[], 2.0),
        ("trapezoidal", &[], 2.0),
    ] {
        let s = scheme(name, parameters);
        let [coarse, fine] = [1.0 / 800.0, 1.0 / 6400.0].map(|dt| imbalance(&model, s, dt));
        let observed = (coarse / fine).log2() / 3.0;
        assert!((observed - order).abs() < 0.3, "{name}: {coarse:e}, {fine:e}, order {observed:.2}");
        assert!(fine < if order == 1.0 { 1e-2 } else { 1e-4 }, "{name}: {fine:e}");
    }
}
