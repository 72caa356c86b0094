//! Filters, differences, lines and noise.

use std::f64::consts::{SQRT_2, TAU};

use interfield_lab::signal::{Differences, Filter, Noise, line};

use crate::DT;

/// Amplitude and delay of the response to a sine, after its start has died out, by projection on sine and cosine.
fn answer(filter: &Filter, frequency: f64) -> (f64, f64) {
    let mut memory = vec![0.0; filter.memory()];
    let (periods, settle) = (20.0, 4.0);
    let samples = |t: f64| (t / DT).round() as usize;
    let (mut s, mut c) = (0.0, 0.0);
    let from = samples(settle);
    let to = from + samples(periods / frequency);
    for k in 0..to {
        let phase = TAU * frequency * k as f64 * DT;
        let y = filter.step(&mut memory, phase.sin());
        if k >= from {
            s += y * phase.sin();
            c += y * phase.cos();
        }
    }
    let scale = 2.0 / (to - from) as f64;
    ((s * s + c * c).sqrt() * scale, -(c.atan2(s)) / (TAU * frequency))
}

#[test]
fn the_response_and_the_phase_delay_are_what_a_sine_meets() {
    // Frequencies with whole periods of samples, so that the projection is exact.
    for filter in [
        Filter::first_order(20.0, DT),
        Filter::second_order(20.0, 0.6, DT),
        Filter::butterworth(3, 20.0, DT),
        Filter::butterworth(4, 20.0, DT),
        Filter::tustin([8570.0, 50.8, 0.0], [8570.0, 1.0, 0.0], DT),
    ] {
        for frequency in [1.0, 4.0, 16.0] {
            let (amplitude, delay) = answer(&filter, frequency);
            let expected = filter.response(frequency).norm();
            assert!((amplitude - expected).abs() < 1e-9, "{filter:?} at {frequency}: {amplitude} {expected}");
            let expected = filter.phase_delay(frequency);
            assert!((delay - expected).abs() < 1e-10, "{filter:?} at {frequency}: {delay} {expected}");
        }
    }
}

#[test]
fn butterworth_has_its_corner_where_it_is_asked_for_and_is_flat() {
    for order in 1..=8 {
        let filter = Filter::butterworth(order, 20.0, DT);
        assert!((filter.response(20.0).norm() - 1.0 / SQRT_2).abs() < 1e-12, "order {order}");
        assert!((filter.response(0.0).norm() - 1.0).abs() < 1e-12);
        // Far above it falls by `order` decades per decade: |H|² = 1/(1 + (w/wc)^2n) of the warped frequencies.
        let warped = |f: f64| (std::f64::consts::PI * f * DT).tan();
        let ratio = warped(80.0) / warped(20.0);
        let expected = 1.0 / (1.0 + ratio.powi(2 * order as i32)).sqrt();
        assert!((filter.response(80.0).norm() / expected - 1.0).abs() < 1e-9, "order {order}");
    }
}

#[test]
fn a_phase_delay_beyond_half_a_period_is_not_folded() {
    // A filter of order 8 turns by four quarter periods at its corner: half a period per pair of sections.
    let delay = Filter::butterworth(8, 20.0, DT).phase_delay(20.0);
    assert!((delay - 8.0 * 0.25 / 2.0 / 20.0).abs() < 1e-12, "{delay}");
}

#[test]
fn differences_are_exact_for_a_cubic_at_the_middle_of_their_span() {
    let differences = Differences::new(DT);
    let mut memory = vec![0.0; differences.memory()];
    let f = |t: f64| 1.0 + t - 2.0 * t * t + 3.0 * t.powi(3);
    let found = (0..10).fold([0.0; 4], |_, k| differences.step(&mut memory, f(f64::from(k) * DT)));
    let t = 9.0 * DT;
    assert_eq!(found[0], f(t));
    assert!((found[2] - (-4.0 + 18.0 * (t - DT))).abs() < 1e-8, "{found:?}");
    assert!((found[3] - 18.0).abs() < 1e-4, "{found:?}");
}

#[test]
fn a_line_remembers_what_was_pushed() {
    let mut memory = vec![0.0; line::memory(5)];
    for k in 1..=7 {
        line::push(&mut memory, f64::from(k));
    }
    assert_eq!([0, 1, 4, 9].map(|i| line::ago(&memory, i)), [7.0, 6.0, 3.0, 3.0]);
    assert_eq!(line::ago_between(&memory, 1.25), 5.75);
    assert_eq!(line::ago(&[0.0; 1], 3), 0.0);
}

#[test]
fn noise_has_its_deviation_and_is_the_same_again() {
    let noise = Noise { deviation: 2.0, seed: 3 };
    let draw = |seed: u64| {
        let mut memory = [0.0];
        (0..40_000).map(|_| Noise { seed, ..noise }.step(&mut memory)).collect::<Vec<f64>>()
    };
    let (a, b, c) = (draw(3), draw(3), draw(4));
    assert_eq!(a, b);
    let moment = |f: &dyn Fn(f64) -> f64| a.iter().map(|x| f(*x)).sum::<f64>() / a.len() as f64;
    // Five deviations of each estimate.
    assert!(moment(&|x| x).abs() < 0.05 && (moment(&|x| x * x) - 4.0).abs() < 0.15);
    assert!((moment(&|x| x.powi(4)) - 48.0).abs() < 5.0);
    let correlation = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() / (4.0 * x.len() as f64);
    assert!(
        correlation(&a, &c).abs() < 0.025
            && correlation(&a[1..], &a).abs() < 0.025
            && correlation(&a[1..], &c).abs() < 0.025
    );
}
