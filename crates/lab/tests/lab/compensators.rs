//! Compensators against closed forms, and all of them against the promises of the trait.

use std::f64::consts::TAU;

use interfield_kernel::scheme::registry::{Argument, Arguments};
use interfield_lab::compensate::pi_lead::PiLead;
use interfield_lab::compensate::polynomial::Polynomial;
use interfield_lab::compensate::{COMPENSATIONS, Compensator, Sampling, find};
use interfield_lab::indicators::{delay_by_correlation, nrmse};
use interfield_lab::plant::{Actuator, Delayed, Ideal, LinearSpecimen, Transfer};
use interfield_testkit::alloc::allocations;

use crate::{DT, follow, method};

const NUMBER: fn(f64) -> Argument<'static> = Argument::Number;

/// All methods with their defaults, and a delay of 20 ms where one is required.
fn all() -> impl Iterator<Item = (&'static str, Box<dyn Compensator>)> {
    COMPENSATIONS.iter().map(|m| {
        let takes = m.parameters.iter().any(|p| p.name == "delay");
        let given: &[_] = if takes { &[("delay", NUMBER(0.02))] } else { &[] };
        (m.name, method(m.name, given).design(DT))
    })
}

/// Motion of a structure: three frequencies, of a millimetre.
fn motion(k: usize) -> f64 {
    motion_at(k as f64 * DT)
}

fn motion_at(t: f64) -> f64 {
    let ramp = (t / 0.5).min(1.0);
    1e-3 * ramp * ((TAU * 1.1 * t).sin() + 0.7 * (TAU * 2.9 * t).sin() + 0.2 * (TAU * 6.3 * t).sin())
}

/// An actuator as a function of its command.
fn plant(actuator: impl Actuator) -> impl FnMut(f64) -> f64 {
    let mut memory = vec![0.0; actuator.memory()];
    let mut specimen = LinearSpecimen { mass: 1.0, damping: 0.0, stiffness: 0.0 };
    move |command| actuator.advance(&mut memory, [command; 2], &mut specimen).x
}

/// The inverse of this actuator is 0.95 + 0.02 s + 1.5e-4 s² + 5e-7 s³.
fn cubic() -> impl FnMut(f64) -> f64 {
    plant(Transfer::new(&[1.0], &[0.95, 0.02, 1.5e-4, 5e-7], DT).unwrap_or_else(|| panic!("no plant")))
}

#[test]
fn polynomials_are_those_of_the_papers() {
    let spaced_by_delay: [&[f64]; 3] = [&[2.0, -1.0], &[3.0, -3.0, 1.0], &[4.0, -6.0, 4.0, -1.0]];
    for (order, expected) in (1..).zip(spaced_by_delay) {
        let found = Polynomial { order, delay: 20.0 * DT, spacing: None }.design(DT);
        assert_eq!(found.coefficients(), expected);
    }
    for e in [0.3, 1.0, 7.6] {
        let second = [1.0 + 1.5 * e + 0.5 * e * e, -(2.0 * e + e * e), 0.5 * e + 0.5 * e * e];
        let e3 = e * e * e / 6.0;
        let third = [
            1.0 + 11.0 * e / 6.0 + e * e + e3,
            -(3.0 * e + 2.5 * e * e + 3.0 * e3),
            1.5 * e + 2.0 * e * e + 3.0 * e3,
            -(e / 3.0 + 0.5 * e * e + e3),
        ];
        for (order, expected) in [(2, &second[..]), (3, &third[..])] {
            let found = Polynomial { order, delay: e * DT, spacing: Some(1) }.design(DT);
            for (a, b) in found.coefficients().iter().zip(expected) {
                assert!((a - b).abs() < 1e-12 * b.abs(), "{order} {e}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_polynomial_is_predicted_exactly_by_one_of_its_order() {
    for order in 1..=4 {
        let delay = 10.4 * DT;
        let compensator = Polynomial { order, delay, spacing: None }.design(DT);
        let f = |t: f64| (1..=order).map(|n| (0.7 - t).powi(n as i32)).sum::<f64>();
        let mut memory = vec![0.0; compensator.memory()];
        let commands: Vec<f64> =
            (0..200).map(|k| compensator.command(&mut memory, f(f64::from(k) * DT), 0.0)).collect();
        assert!((commands[199] - f(199.0 * DT + delay)).abs() < 1e-11, "order {order}");
    }
}

#[test]
fn polynomials_warn_where_they_feed_energy() {
    let delay = 20.0 * DT;
    let from = |order: usize| Polynomial { order, delay, spacing: None }.design(DT).feeds_from();
    // ω d = π/3 and π/2 for orders 2 and 3, everywhere for 1 and 4.
    let close = |found: Option<f64>, expected: f64| found.is_some_and(|f| (f / expected - 1.0).abs() < 4e-3);
    assert!(close(from(2), 1.0 / (6.0 * delay)), "{:?}", from(2));
    assert!(close(from(3), 1.0 / (4.0 * delay)), "{:?}", from(3));
    assert!([from(1), from(4)].iter().all(|f| f.is_some_and(|f| f < 1e-3 / delay)), "{:?} {:?}", from(1), from(4));
    let words = |order: usize| Polynomial { order, delay, spacing: None }.design(DT).warnings().concat();
    assert!(words(1).contains("at all low frequencies") && words(2).contains("above 8.5"), "{} {}", words(1), words(2));
    assert!(Polynomial { order: 2, delay: 0.0, spacing: None }.design(DT).warnings().is_empty());
}

#[test]
fn lead_and_pi_have_the_response_of_tustins_rule() {
    let found = PiLead { kp: 2.0, ki: 95.0, zero: 170.0, pole: 8570.0 }.design(DT);
    for f in [0.5, 3.6, 40.0] {
        let s = realfft::num_complex::Complex64::new(0.0, 2.0 / DT * (std::f64::consts::PI * f * DT).tan());
        let (lead, pi) = ((1.0 + s / 170.0) / (1.0 + s / 8570.0), 2.0 + 95.0 / s);
        assert!((found.lead.response(f) - lead).norm() < 1e-12 * lead.norm(), "{f}");
        assert!((found.pi.response(f) - pi).norm() < 1e-12 * pi.norm(), "{f}");
    }
}

#[test]
fn the_inverse_leads_by_the_delay() {
    let compensator = method("inverse", &[("delay", NUMBER(10.0 * DT))]).design(DT);
    let mut memory = vec![0.0; compensator.memory()];
    let ramp: Vec<f64> = (0..50).map(|k| compensator.command(&mut memory, f64::from(k), 0.0)).collect();
    assert!((ramp[49] - 59.0).abs() < 1e-12);
}

#[test]
fn a_fixed_inverse_undoes_its_actuator() {
    let series = [0.95, 0.02, 1.5e-4, 5e-7];
    let compensator = method("feedforward", &[("series", Argument::List(&series))]).design(DT);
    let reached = follow(&*compensator, 6144, motion, cubic());
    let target: Vec<f64> = (0..6144).map(motion).collect();
    // Differences lag by half a sample per order and the command is held for one: two samples late, otherwise exact.
    let delay = delay_by_correlation(&reached, &target, 20);
    assert!((0.0..3.0).contains(&delay), "{delay}");
    assert!(nrmse(&reached[2000..], &target[2000..]) < 3.0);
}

/// The same motion as a structure with larger steps sends it: on straight lines of eight samples.
fn straight(k: usize) -> f64 {
    let (from, part) = (k / EVERY * EVERY, (k % EVERY) as f64 / EVERY as f64);
    motion(from) + part * (motion(from + EVERY) - motion(from))
}

const EVERY: usize = 8;

#[test]
fn corners_between_targets_are_no_derivatives() {
    let (samples, delay) = (8 * 1024, 0.04);
    let error = |name: &str, target: fn(usize) -> f64, every: usize| {
        let compensator = method(name, &[("delay", NUMBER(delay))]).design(Sampling { dt: DT, every });
        let reached = follow(&*compensator, samples, target, plant(Delayed::new(Box::new(Ideal::new(DT)), delay, DT)));
        let target: Vec<f64> = (0..samples).map(target).collect();
        nrmse(&reached[samples / 2..], &target[samples / 2..])
    };
    for name in ["feedforward", "early", "ats", "amb", "fir-rls", "decoupling", "early-decoupling"] {
        let (smooth, found, spikes) = (error(name, motion, 1), error(name, straight, EVERY), error(name, straight, 1));
        assert!(
            found < 2.0 * smooth + 3.0,
            "{name}: {found} %, {smooth} % of the smooth motion, {spikes} % with spikes"
        );
    }
    // What the third derivative makes of the corners.
    assert!(error("feedforward", straight, 1) > 10.0 * error("feedforward", straight, EVERY));
}

#[test]
fn adaptive_methods_find_the_inverse_of_an_actuator_they_do_not_know() {
    let samples = 12 * 1024;
    let target: Vec<f64> = (0..samples).map(motion).collect();
    let error = |c: &dyn Compensator| {
        let reached = follow(c, samples, motion, cubic());
        nrmse(&reached[samples - 2048..], &target[samples - 2048..])
    };
    // A delay of 10 ms known where there are 21, or nothing at all. What remains is for ats the cubic term that it does not have, for amb the slowness of its law, for fir-rls its start, which it does not forget.
    for (name, bound) in [("ats", 0.6), ("amb", 1.5), ("fir-rls", 1.0), ("early", 0.3)] {
        for delay in [0.01, 0.0] {
            let compensator = method(name, &[("delay", NUMBER(delay)), ("ahead", NUMBER(0.0))]).design(DT);
            let (before, after) = (error(&*compensator.frozen()), error(&*compensator));
            assert!(before > 8.0 && after < bound, "{name}, {delay} s: {before} % at the start, {after} % in the end");
        }
    }
}

#[test]
fn the_time_series_has_the_coefficients_of_the_actuator() {
    let compensator = method("ats", &[("delay", NUMBER(0.01))]).design(DT);
    let mut memory = vec![0.0; compensator.memory()];
    let mut plant = plant(Transfer::new(&[1.0], &[0.95, 0.02, 1.5e-4], DT).unwrap_or_else(|| panic!("no plant")));
    let mut reached = 0.0;
    for k in 0..12 * 1024 {
        reached = plant(compensator.command(&mut memory, motion(k), reached));
    }
    let found = [1.0 + memory[0], 0.01 + memory[1], 5e-5 + memory[2]];
    // Half a sample of the held command and one and a half of the differences belong to the delay it sees.
    assert!((found[0] - 0.95).abs() < 1e-3, "{found:?}");
    assert!((found[1] - (0.02 + 0.95 * 0.5 * DT)).abs() < 0.5 * DT, "{found:?}");
    assert!((found[2] - 1.5e-4).abs() < 3e-5, "{found:?}");
}

#[test]
fn early_arrives_as_early_as_it_is_asked_to() {
    let (samples, from) = (12 * 1024, 6 * 1024);
    // Against the target of so many samples later.
    let error = |ahead: f64, later: f64| {
        let compensator = method("early", &[("delay", NUMBER(0.01)), ("ahead", NUMBER(ahead))]).design(DT);
        let reached = follow(&*compensator, samples, motion, cubic());
        let target: Vec<f64> = (from..samples).map(|k| motion_at((k as f64 + later) * DT)).collect();
        nrmse(&reached[from..], &target)
    };
    for ahead in [0.0, 1.5, 4.0] {
        let (right, early, late) = (error(ahead, ahead), error(ahead, ahead - 1.0), error(ahead, ahead + 1.0));
        assert!(right < 0.3 && early > 3.0 * right && late > 3.0 * right, "{ahead}: {right}, {early}, {late} %");
    }
}

#[test]
fn the_tracking_indicator_corrects_a_wrong_delay() {
    let samples = 30 * 1024;
    let slow = |k: usize| 1e-3 * (TAU * 1.5 * k as f64 * DT).sin();
    let target: Vec<f64> = (0..samples).map(slow).collect();
    let delay = |name: &str, given: &[(&str, Argument<'_>)]| {
        let reached = follow(
            &*method(name, given).design(DT),
            samples,
            slow,
            plant(Delayed::new(Box::new(Ideal::new(DT)), 20.0 * DT, DT)),
        );
        delay_by_correlation(&reached[samples - 4096..], &target[samples - 4096..], 30)
    };
    let wrong = ("delay", NUMBER(10.0 * DT));
    let (fixed, adapted) = (delay("inverse", &[wrong]), delay("adaptive-inverse", &[wrong, ("ki", NUMBER(0.0))]));
    assert!((fixed - 10.0).abs() < 1.5 && adapted.abs() < 0.5, "{fixed} {adapted}");
}

#[test]
fn what_learns_nothing_is_its_frozen_self() {
    for (name, compensator) in all() {
        let frozen = compensator.frozen();
        let (mut a, mut b) = (vec![0.0; compensator.memory()], vec![0.0; frozen.memory()]);
        for k in 0..2000 {
            let (x, y) =
                (compensator.command(&mut a, motion(k), f64::NAN), frozen.command(&mut b, motion(k), f64::NAN));
            assert!(x.is_finite() && (x - y).abs() <= 1e-12 * y.abs().max(1e-3), "{name}, sample {k}: {x} {y}");
        }
    }
}

#[test]
fn frozen_compensators_are_linear() {
    for (name, compensator) in all() {
        let frozen = compensator.frozen();
        // In what a probe writes into its memory, too.
        let run = |scale: f64| {
            let mut memory: Vec<f64> = (0..frozen.memory()).map(|i| scale * 1e-3 * (i as f64).sin()).collect();
            (0..300)
                .map(|k| frozen.command(&mut memory, scale * motion(k), scale * motion(k + 7)))
                .collect::<Vec<f64>>()
        };
        for (x, y) in run(1.0).iter().zip(run(-64.0)) {
            assert!((x * -64.0 - y).abs() < 1e-9, "{name}");
        }
    }
}

#[test]
fn a_sensor_that_fails_for_a_while_leaves_no_trace_of_nan() {
    for (name, compensator) in all() {
        let mut memory = vec![0.0; compensator.memory()];
        for k in 0..3000usize {
            let measured = if (1000..1100).contains(&k) { f64::NAN } else { motion(k.saturating_sub(20)) };
            let command = compensator.command(&mut memory, motion(k), measured);
            assert!(command.is_finite() && command.abs() < 1.0, "{name}, sample {k}: {command}");
        }
        assert!(memory.iter().all(|m| m.is_finite()), "{name}");
    }
}

/// A pause: while the specimen is led to a stand and on again nothing is learned. What is learned behind it must not be of the gap, across which
/// command and measurement seem to jump at once, as those of an actuator without delay.
#[test]
fn what_was_learned_outlasts_a_pause() {
    let mut adapting = 0;
    for (name, compensator) in all().filter(|c| !c.1.adapts().is_empty()) {
        adapting += 1;
        let run = |gap: std::ops::Range<usize>| -> Vec<f64> {
            let (mut plant, mut memory, mut reached) = (cubic(), vec![0.0; compensator.memory()], 0.0);
            let mut samples = |k| {
                let measured = if gap.contains(&k) { f64::NAN } else { reached };
                let ahead = compensator.command(&mut memory, 100.0 * motion(k), measured);
                reached = plant(ahead);
                ahead - 100.0 * motion(k)
            };
            (0..6000).map(&mut samples).collect()
        };
        let (whole, paused) = (run(0..0), run(3000..3250));
        let largest = whole.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let off = whole.iter().zip(&paused).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(off < 0.05 * largest, "{name}: {off} of {largest} m");
    }
    assert!(adapting >= 3);
}

#[test]
fn a_sample_of_any_method_allocates_nothing() {
    for (name, compensator) in all() {
        let mut memory = vec![0.0; compensator.memory()];
        let n = allocations(|| {
            for k in 0..2000 {
                compensator.command(&mut memory, motion(k), motion(k.saturating_sub(20)));
            }
        });
        assert_eq!(n, 0, "{name}");
    }
}

#[test]
fn the_registry_keeps_its_word() {
    for m in COMPENSATIONS {
        let required: Vec<&str> = m.parameters.iter().filter(|p| p.default.is_none()).map(|p| p.name).collect();
        let made = (m.build)(Arguments(&[]));
        assert_eq!(made.is_err(), !required.is_empty(), "{}", m.name);
        if let Err(e) = made {
            assert!(required.contains(&e.name), "{}", m.name);
        }
        for p in m.parameters {
            // What is stated as the default is the default.
            let Some(Ok(x)) = p.default.map(str::parse::<f64>) else { continue };
            let delay = ("delay", NUMBER(0.02));
            let with = [delay, (p.name, NUMBER(x))];
            let takes = m.parameters.iter().any(|p| p.name == "delay") && p.name != "delay";
            let (with, without) = if takes { (&with[..], &with[..1]) } else { (&with[1..], &with[..0]) };
            let (with, without) = ((m.build)(Arguments(with)), (m.build)(Arguments(without)));
            assert_eq!(format!("{with:?}"), format!("{without:?}"), "{}, {}", m.name, p.name);
            assert!(
                (m.build)(Arguments(&[(p.name, Argument::Word("much")), delay])).is_err(),
                "{}, {}",
                m.name,
                p.name
            );
        }
        assert_eq!(find(m.name).map(|f| f.title), Some(m.title));
    }
}

#[test]
fn rounding_is_no_energy() {
    // Orders 2 and 3 are safe up to w d = pi/3 and pi/2, whatever the sampling (|1 - exp(-jwd)|^(n+1) is tiny far below).
    for (dt, delay) in [(1e-3, 4e-3), (5e-4, 9e-3), (1.0 / 4096.0, 24e-3), (2e-3, 8e-3)] {
        for (order, most) in [(2, 1.0 / 6.0), (3, 0.25)] {
            let polynomial = Polynomial { order, delay, spacing: None }.design(dt);
            let from = polynomial.feeds_from().unwrap_or(f64::INFINITY);
            assert!(from * delay > 0.9 * most, "order {order}, {delay} s at {dt} s: from {from} Hz");
        }
        for order in [1, 4] {
            let from = Polynomial { order, delay, spacing: None }.design(dt).feeds_from();
            assert!(from.is_some_and(|f| f < 1e-3 / delay), "order {order}: {from:?}");
        }
    }
}
