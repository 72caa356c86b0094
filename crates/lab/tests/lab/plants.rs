//! Actuators against exact responses.

use std::f64::consts::TAU;

use interfield_lab::plant::{Actuator, Delayed, Hydraulic, Ideal, Limited, Limits, LinearSpecimen, Reached, Transfer};
use interfield_testkit::alloc::allocations;

use crate::DT;

const SPECIMEN: LinearSpecimen = LinearSpecimen { mass: 30.0, damping: 100.0, stiffness: 1e6 };

/// Where the actuator is after each sample; the command is linear in between.
fn drive(actuator: &dyn Actuator, samples: usize, command: impl Fn(f64) -> f64) -> Vec<Reached> {
    let mut memory = vec![0.0; actuator.memory()];
    let mut specimen = SPECIMEN;
    let at = |k: usize| command(k as f64 * DT);
    (0..samples).map(|k| actuator.advance(&mut memory, [at(k), at(k + 1)], &mut specimen)).collect()
}

#[test]
fn the_ideal_one_is_there_and_feels_the_specimen() {
    let w = TAU * 2.0;
    let found = drive(&Ideal::new(DT), 400, |t| 1e-3 * (1.0 - (w * t).cos()));
    let (t, r) = (400.0 * DT, found[399]);
    assert_eq!(r.x, 1e-3 * (1.0 - (w * t).cos()));
    assert!((r.v - 1e-3 * w * (w * (t - DT / 2.0)).sin()).abs() < 1e-7, "{r:?}");
    assert!((r.force - (30.0 * r.a + 100.0 * r.v + 1e6 * r.x)).abs() < 1e-9);
}

#[test]
fn a_delay_is_any_fraction_of_a_sample() {
    // A ramp is linear between samples, so the answer is exact.
    let found = drive(&Delayed::new(Box::new(Ideal::new(DT)), 10.3 * DT, DT), 100, |t| t);
    assert!((found[99].x - (100.0 - 10.3) * DT).abs() < 1e-15, "{:?}", found[99]);
    assert_eq!(found[5].x, 0.0);
    let varying = drive(&Delayed::varying(Box::new(Ideal::new(DT)), [10.0 * DT, 5.0 * DT, 4.0], DT), 200, |t| t);
    for (k, r) in varying.iter().enumerate().skip(20) {
        let t = (k + 1) as f64 * DT;
        let delay = (10.0 + 5.0 * (TAU * 4.0 * t).sin()) * DT;
        assert!((r.x - (t - delay)).abs() < 1e-14, "{k}");
    }
}

#[test]
fn a_first_order_answers_a_ramp_exactly() {
    let lag = 0.02;
    let Some(plant) = Transfer::first_order(lag, DT) else { panic!() };
    for (k, r) in drive(&plant, 300, |t| 3.0 * t).iter().enumerate() {
        let t = (k + 1) as f64 * DT;
        let decay = (-t / lag).exp();
        assert!((r.x - 3.0 * (t - lag + lag * decay)).abs() < 1e-13, "{k}");
        assert!((r.v - 3.0 * (1.0 - decay)).abs() < 1e-11 && (r.a - 3.0 / lag * decay).abs() < 1e-9, "{k}: {r:?}");
    }
}

#[test]
fn a_second_order_answers_a_step_exactly() {
    // The command of a step is one from the first sample on: start after its ramp over the first interval.
    let (f, zeta) = (10.0, 0.3);
    let Some(plant) = Transfer::second_order(f, zeta, DT) else { panic!() };
    let mut memory = vec![0.0; plant.memory()];
    let mut specimen = SPECIMEN;
    let (w, wd) = (TAU * f, TAU * f * (1.0f64 - zeta * zeta).sqrt());
    for k in 0..300 {
        let r = plant.advance(&mut memory, [1.0, 1.0], &mut specimen);
        let t = f64::from(k + 1) * DT;
        let exact = 1.0 - (-zeta * w * t).exp() * ((wd * t).cos() + zeta * w / wd * (wd * t).sin());
        assert!((r.x - exact).abs() < 1e-12, "{k}: {} {exact}", r.x);
    }
}

#[test]
fn a_numerator_is_a_derivative_of_the_answer() {
    // (1 + T s)/(1 + s/w)^3 is its denominator's answer plus T times its velocity.
    let (w, lead) = (60.0, 0.01);
    let denominator = [1.0, 3.0 / w, 3.0 / (w * w), 1.0 / (w * w * w)];
    let (Some(plain), Some(led)) =
        (Transfer::new(&[1.0], &denominator, DT), Transfer::new(&[1.0, lead], &denominator, DT))
    else {
        panic!()
    };
    let command = |t: f64| (9.0 * t).sin();
    let (plain, led) = (drive(&plain, 300, command), drive(&led, 300, command));
    for (p, l) in plain.iter().zip(&led) {
        assert!((l.x - (p.x + lead * p.v)).abs() < 1e-12 && (l.v - (p.v + lead * p.a)).abs() < 1e-9);
    }
    assert!(Transfer::new(&[1.0, 1.0], &[1.0, 1.0], DT).is_none() && Transfer::new(&[1.0], &[1.0, 0.0], DT).is_none());
}

#[test]
fn the_hydraulic_one_is_the_fifth_order_system_of_the_benchmark() {
    // Its closed loop with the specimen, as the benchmark prints it.
    let dt = 1.0 / 4096.0;
    let denominator =
        [21675605752000.0, 543546586039.8661, 2328489633.084145, 8421776.502399411, 12590.599867147821, 29.13];
    let Some(linear) = Transfer::new(&[21838486300000.0], &denominator, dt) else { panic!() };
    let hydraulic = Hydraulic::benchmark(dt);
    let mut specimen = LinearSpecimen { mass: 29.13, damping: 114.22086714782024, stiffness: 1.19e6 };
    let (mut a, mut b) = (vec![0.0; linear.memory()], vec![0.0; hydraulic.memory()]);
    let command = |k: u32| 1e-3 * (TAU * 3.6 * f64::from(k) * dt).sin();
    let mut largest = 0.0f64;
    for k in 0..8192 {
        let input = [command(k), command(k + 1)];
        let (exact, found) =
            (linear.advance(&mut a, input, &mut specimen), hydraulic.advance(&mut b, input, &mut specimen));
        largest = largest.max((exact.x - found.x).abs());
        assert!((found.force - (29.13 * found.a + 114.22086714782024 * found.v + 1.19e6 * found.x)).abs() < 1e-6);
    }
    // Runge-Kutta at 4096 Hz, on a motion of a millimetre.
    assert!(largest < 2e-9, "{largest}");
}

/// At 1 kHz the mass of the oil column is resolved down to about a kilogram; whatever is lighter follows without inertia.
#[test]
fn the_hydraulic_one_moves_what_has_no_mass() {
    let hydraulic = Hydraulic::benchmark(1e-3);
    for mass in [0.0, 1e-9, 0.1, 1.0, 29.13] {
        for stiffness in [0.0, 1.19e6, 1e8] {
            let mut specimen = LinearSpecimen { mass, damping: 0.0, stiffness };
            let mut memory = vec![0.0; hydraulic.memory()];
            let mut reached = Default::default();
            for _ in 0..3000 {
                reached = hydraulic.advance(&mut memory, [1e-3; 2], &mut specimen);
            }
            // At rest y = a₃ F, F = k x, β₂ y = a₁β₀ (g u - x).
            let Hydraulic { g, a1b0, a3, beta2, .. } = hydraulic;
            let expected = 1e-3 * g * a1b0 / (a1b0 + beta2 * a3 * stiffness);
            assert!((reached.x - expected).abs() < 1e-9, "{mass} kg, {stiffness} N/m: {reached:?}, not {expected}");
        }
    }
}

#[test]
fn limits_are_kept() {
    let limited =
        |limits: Limits| drive(&Limited::new(Box::new(Ideal::new(DT)), limits, DT), 1024, |t| (TAU * t).sin());
    let stroke = limited(Limits { stroke: 0.5, ..Limits::NONE });
    assert!(stroke.iter().all(|r| r.x.abs() <= 0.5) && stroke.iter().any(|r| r.x == 0.5));
    let velocity = limited(Limits { velocity: 1.0, ..Limits::NONE });
    assert!(velocity.iter().all(|r| r.v.abs() <= 1.0 + 1e-9) && velocity.iter().any(|r| r.v > 1.0 - 1e-9));
    // 1e6 N/m: half a metre is 5e5 N, and one sample of motion later it stalls.
    let force = limited(Limits { force: 5e5, ..Limits::NONE });
    let largest = force.iter().map(|r| r.x.abs()).fold(0.0, f64::max);
    assert!(largest < 0.5 + TAU * DT && largest > 0.49, "{largest}");
    assert!(force[1023].x.abs() < 0.05, "it comes back: {:?}", force[1023]);
    let free = limited(Limits::NONE);
    assert!(free == drive(&Ideal::new(DT), 1024, |t| (TAU * t).sin()));
}

#[test]
fn a_sample_of_any_actuator_allocates_nothing() {
    let Some(transfer) = Transfer::second_order(20.0, 0.7, DT) else { panic!() };
    let delay = Limited::new(
        Box::new(Delayed::new(Box::new(Ideal::new(DT)), 0.01, DT)),
        Limits { stroke: 0.1, velocity: 1.0, force: 1e5 },
        DT,
    );
    let all: [&dyn Actuator; 4] = [&Ideal::new(DT), &delay, &transfer, &Hydraulic::benchmark(DT)];
    for actuator in all {
        let mut memory = vec![0.0; actuator.memory()];
        let mut specimen = SPECIMEN;
        let n = allocations(|| {
            for k in 0..100 {
                actuator.advance(&mut memory, [f64::from(k) * 1e-6; 2], &mut specimen);
            }
        });
        assert_eq!(n, 0);
    }
}
