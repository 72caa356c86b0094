//! Processing against closed forms.

use std::f64::consts::PI;

use interfield_motion::{Fit, Phase, Quantity, Record, STANDARD_GRAVITY, filter};

fn record(dt: f64, n: usize, f: impl Fn(f64) -> f64) -> Record {
    Record::new(dt, (0..n).map(|i| f(i as f64 * dt)).collect(), Quantity::Acceleration).unwrap()
}

#[test]
fn scaling() {
    let r = record(0.01, 100, |t| -3.0 * t);
    assert!((r.scaled_to_peak(2.0).unwrap().peak() - 2.0).abs() < 1e-15);
    assert!(r.scaled_to_peak(2.0).unwrap().values[99] < 0.0);
    assert!(r.scaled(f64::NAN).is_err() && r.scaled_to_peak(0.0).is_err());
    assert!(record(0.01, 10, |_| 0.0).scaled_to_peak(1.0).is_err());
}

#[test]
fn integration_is_exact_for_a_straight_line() {
    let (a, b) = (0.7, -1.3);
    let r = record(0.05, 201, |t| a + b * t);
    let (v, d) = (r.velocity().unwrap(), r.displacement().unwrap());
    for i in 0..201 {
        let t = i as f64 * 0.05;
        assert!((v.values[i] - (a * t + b * t * t / 2.0)).abs() < 1e-11);
        assert!((d.values[i] - (a * t * t / 2.0 + b * t * t * t / 6.0)).abs() < 1e-10);
    }
    assert_eq!((v.quantity, d.quantity), (Quantity::Velocity, Quantity::Displacement));
    assert!(d.integrated().is_err() && d.pga().is_err());
}

#[test]
fn baseline_takes_off_an_added_polynomial() {
    let base = record(0.01, 2000, |t| (7.0 * t).sin() * (-0.2 * t).exp());
    for order in 0..=3 {
        for fit in [Fit::Samples, Fit::Velocity] {
            let poly = |t: f64| [0.3, -0.05, 0.004, -0.0002].iter().take(order + 1).rev().fold(0.0, |s, c| s * t + c);
            let with = record(0.01, 2000, |t| (7.0 * t).sin() * (-0.2 * t).exp() + poly(t));
            let (a, b) = (base.baseline_corrected(order, fit).unwrap(), with.baseline_corrected(order, fit).unwrap());
            let worst = a.values.iter().zip(&b.values).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
            // The velocity of an acceleration of order 3 is a polynomial but for the trapezoidal rule's error.
            let tolerance = if fit == Fit::Samples { 1e-11 } else { 1e-6 };
            assert!(worst < tolerance, "order {order} {fit:?}: {worst}");
        }
    }
    let pure = record(0.01, 500, |t| 1.0 - t + 0.5 * t * t);
    assert!(pure.baseline_corrected(2, Fit::Samples).unwrap().peak() < 1e-12);
    assert!(pure.baseline_corrected(4, Fit::Samples).is_err());
    assert!(record(0.1, 3, |t| t).baseline_corrected(3, Fit::Samples).is_err());
}

/// Amplitude and phase of the steady part of a filtered sine.
fn response(f: f64, low: f64, high: f64, order: usize, phase: Phase) -> (f64, f64) {
    let dt = 0.005;
    let r = record(dt, 40_001, |t| (2.0 * PI * f * t).sin());
    let y = r.band_pass(low, high, order, phase).unwrap().values;
    // A whole number of cycles in the middle.
    let cycles = (60.0 * f).floor();
    let n = (cycles / f / dt).round() as usize;
    let (mut c, mut s) = (0.0, 0.0);
    for i in 16_000..16_000 + n {
        let t = i as f64 * dt;
        s += y[i] * (2.0 * PI * f * t).sin() * 2.0 / n as f64;
        c += y[i] * (2.0 * PI * f * t).cos() * 2.0 / n as f64;
    }
    (s.hypot(c), c.atan2(s))
}

#[test]
fn filter_gain_is_the_closed_form() {
    for order in 1..=5 {
        for (low, high) in [(0.5, 20.0), (0.0, 15.0), (1.0, f64::INFINITY)] {
            for f in [0.5, 1.0, 2.0, 5.0, 20.0, 40.0] {
                let h = filter::gain(f, low, high, order, 0.005);
                let (g, p) = response(f, low, high, order, Phase::Zero);
                assert!((g - h * h).abs() < 2e-4, "n={order} {low}-{high} Hz at {f}: {g} not {}", h * h);
                assert!(h * h < 1e-3 || p.abs() < 1e-3 / (h * h), "phase {p} at {f} Hz, {low}-{high}, order {order}");
                let (g, _) = response(f, low, high, order, Phase::Causal);
                assert!((g - h).abs() < 2e-4, "causal n={order} {low}-{high} Hz at {f}: {g} not {h}");
            }
        }
    }
    // At a corner: half the power a pass, hence half the amplitude in two.
    assert!((filter::gain(0.5, 0.5, 20.0, 4, 0.005).powi(2) - 0.5).abs() < 1e-12);
}

#[test]
fn filter_arguments() {
    let r = record(0.01, 100, |t| t);
    for (low, high, order) in [
        (1.0, 0.5, 2),
        (1.0, 50.0, 2),
        (60.0, f64::INFINITY, 2),
        (0.0, f64::INFINITY, 2),
        (-1.0, 5.0, 2),
        (1.0, 5.0, 0),
    ] {
        assert!(r.band_pass(low, high, order, Phase::Zero).is_err(), "{low} {high} {order}");
    }
    assert!(r.band_pass(f64::NAN, 5.0, 2, Phase::Zero).is_err() && r.band_pass(1.0, f64::NAN, 2, Phase::Zero).is_err());
    // A vanishing corner is padded within bounds.
    assert_eq!(r.band_pass(1e-12, 5.0, 2, Phase::Zero).unwrap().values.len(), 100);
}

#[test]
fn padding_kept_brings_the_ground_to_rest() {
    // A pulse of acceleration leaves a velocity; a high-pass must take it away again at the end.
    let r = record(0.01, 2000, |t| if (5.0..6.0).contains(&t) { 1.0 } else { 0.0 });
    let cut = r.band_pass(0.1, 20.0, 2, Phase::Zero).unwrap();
    let all = r.band_pass(0.1, 20.0, 2, Phase::ZeroPadded).unwrap();
    let lead = (all.values.len() - 2000) / 2;
    assert_eq!(lead, 3000);
    assert_eq!(all.values[lead..lead + 2000], cut.values[..]);
    let end = |r: &Record| r.values[r.values.len() - 1].abs();
    let (v, d) = (all.velocity().unwrap(), all.displacement().unwrap());
    assert!(end(&v) < 1e-3 * v.peak() && end(&d) < 0.01 * d.peak(), "{} {}", end(&v), end(&d));
    assert!(all.notes.last().unwrap().contains("30 s earlier"), "{:?}", all.notes);
}

#[test]
fn causal_filter_does_not_see_ahead() {
    let r = record(0.01, 1000, |t| if t < 5.0 { 0.0 } else { 1.0 });
    let y = r.band_pass(0.5, 10.0, 4, Phase::Causal).unwrap();
    assert!(y.values[..499].iter().all(|x| *x == 0.0));
}

#[test]
fn low_pass_keeps_a_constant() {
    let y = record(0.01, 500, |_| 2.5).band_pass(0.0, 5.0, 3, Phase::Zero).unwrap();
    assert!(y.values.iter().all(|x| (x - 2.5).abs() < 1e-9));
}

#[test]
fn resampling_keeps_what_is_below_and_removes_what_is_above() {
    // Components up to 0.9 of the lower Nyquist frequency, at several ratios.
    for (dt, new) in [(0.01, 0.005), (0.01, 0.02), (0.005, 0.0073), (0.01, 0.01 / PI), (0.02, 0.003)] {
        let top = 0.9 * 0.5 / f64::max(dt, new);
        let signal = |t: f64| {
            let w = (-((t - 20.0) / 6.0).powi(2)).exp();
            w * ((2.0 * PI * 0.3 * top * t).sin() + 0.5 * (2.0 * PI * 0.97 * top * t + 1.0).cos())
        };
        let r = record(dt, (40.0 / dt) as usize + 1, signal);
        let y = r.resampled(new).unwrap();
        let worst = y.values.iter().enumerate().fold(0.0, |m: f64, (i, x)| m.max((x - signal(i as f64 * new)).abs()));
        assert!(worst < 1e-3, "{dt} -> {new}: {worst}");
        assert!((y.duration() - r.duration()).abs() <= new * 1.000001);
    }
    // A tone above the new Nyquist frequency of 10 Hz.
    let r = record(0.01, 4001, |t| (2.0 * PI * 13.0 * t).sin() * (-((t - 20.0) / 6.0).powi(2)).exp());
    assert!(r.resampled(0.05).unwrap().peak() < 2e-4);
    // A constant and a straight line stay what they are, up to their ends.
    let line = record(0.01, 1000, |t| 1.0 + 0.5 * t).resampled(0.004).unwrap();
    assert!(line.values.iter().enumerate().all(|(i, x)| (x - 1.0 - 0.5 * 0.004 * i as f64).abs() < 1e-4));
}

#[test]
fn resampling_is_bounded() {
    let r = record(0.01, 1000, |t| t);
    assert!(r.resampled(1e-9).is_err() && r.resampled(100.0).is_err() && r.resampled(0.0).is_err());
    assert!(r.resampled(f64::NAN).is_err());
    assert_eq!(r.resampled(0.01).unwrap().values, r.values);
}

#[test]
fn taper_and_trim() {
    let r = record(0.1, 101, |_| 1.0);
    let t = r.tapered(2.0, 3.0).unwrap();
    assert!(t.values[0] == 0.0 && (t.values[10] - 0.5).abs() < 1e-12 && t.values[50] == 1.0);
    assert!((t.values[85] - 0.5).abs() < 1e-12 && t.values[100].abs() < 1e-15);
    assert!(r.tapered(6.0, 6.0).is_err() && r.tapered(-1.0, 0.0).is_err());
    let ramp = record(0.1, 101, |t| t);
    let cut = ramp.trimmed(1.0, 2.0).unwrap();
    assert!(cut.values.len() == 11 && (cut.values[0] - 1.0).abs() < 1e-12);
    assert_eq!(ramp.trimmed(0.0, f64::INFINITY).unwrap().values.len(), 101);
    assert!(
        ramp.trimmed(3.0, 2.0).is_err() && ramp.trimmed(50.0, 60.0).is_err() && ramp.trimmed(f64::NAN, 1.0).is_err()
    );
}

#[test]
fn measures_of_a_sine() {
    // Ten seconds of 2 sin(2π t).
    let r = record(0.001, 10_001, |t| 2.0 * (2.0 * PI * t).sin());
    assert!((r.arias_intensity().unwrap() - PI / (2.0 * STANDARD_GRAVITY) * 20.0).abs() < 1e-4);
    assert!((r.significant_duration().unwrap() - 9.0).abs() < 0.1);
    assert!((r.cumulative_absolute_velocity().unwrap() - 2.0 * 2.0 / PI * 10.0).abs() < 1e-4);
    // Long enough for the leakage of its ends not to count; and the same sum without padding for a very small dt.
    let long = record(0.01, 20_001, |t| (2.0 * PI * t).sin());
    assert!((long.mean_period().unwrap() - 1.0).abs() < 0.005, "{}", long.mean_period().unwrap());
    let pulse = |t: f64| (-((t - 0.15) / 0.03).powi(2)).exp() * (2.0 * PI * 8.0 * t).sin();
    let (fine, coarse) = (record(1e-5, 30_001, pulse), record(1e-3, 301, pulse));
    let (fine, coarse) = (fine.mean_period().unwrap(), coarse.mean_period().unwrap());
    assert!((fine / coarse - 1.0).abs() < 1e-6, "{fine} {coarse}");
    assert!((r.predominant_period().unwrap() - 1.0).abs() < 0.03);
    assert!((r.pgv().unwrap() - 2.0 * 2.0 / (2.0 * PI)).abs() < 1e-5);
    assert!((r.pga().unwrap() - 2.0).abs() < 1e-12 && (r.peak_time() - 0.25).abs() < 1e-9);
}

#[test]
fn a_record_made_by_hand_may_be_nonsense() {
    let mut r = record(0.01, 10, |t| t);
    r.dt = f64::NAN;
    assert!(r.resampled(0.1).is_err() && r.fourier_spectrum().is_err() && r.velocity().is_err());
    r.dt = 0.01;
    r.values.clear();
    assert_eq!((r.peak(), r.peak_time(), r.duration()), (0.0, 0.0, 0.0));
    assert!(r.displacement().is_err() && r.response_spectrum(&[1.0], 0.05).is_err() && r.arias_intensity().is_err());
    r.values = vec![f64::NAN; 5];
    assert!(r.band_pass(0.1, 5.0, 2, Phase::Zero).is_err() && r.mean_period().is_err());
}
