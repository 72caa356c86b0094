//! Indicators on signals whose answer is known.

use std::f64::consts::{PI, TAU};

use interfield_lab::indicators::{
    delay_by_correlation, energy, error, frequency_evaluation, lag_by_correlation, nrmse, peak_error, tracking,
};

use crate::DT;

/// Ten periods of 2 Hz, whole in number.
fn sine(amplitude: f64, delay: f64) -> Vec<f64> {
    (0..5120).map(|k| amplitude * (TAU * 2.0 * (f64::from(k) * DT - delay)).sin()).collect()
}

#[test]
fn errors_are_relative_to_the_reference() {
    let target = sine(2.0, 0.0);
    let high: Vec<f64> = target.iter().map(|x| 1.1 * x + 5.0).collect();
    assert!((nrmse(&high, &target) - 10.0).abs() < 1e-9, "an offset does not count");
    let shifted: Vec<f64> = target.iter().map(|x| x + 0.5).collect();
    assert!((peak_error(&shifted, &target) - 25.0).abs() < 1e-9);
    assert!((error::deviation(&[1.0, 2.0, 3.0, 4.0]) - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
}

#[test]
fn delays_are_found_by_correlation() {
    let target = sine(1.0, 0.0);
    assert_eq!(lag_by_correlation(&sine(0.8, 7.0 * DT), &target, 49), 7);
    assert_eq!(lag_by_correlation(&sine(0.8, -7.0 * DT), &target, 49), 0);
    for delay in [3.4, -2.7, 0.0] {
        // The ends, where the signals do not overlap, cost some hundredths of a sample.
        let found = delay_by_correlation(&sine(0.8, delay * DT), &target, 49);
        assert!((found - delay).abs() < 0.05, "{found} {delay}");
    }
}

#[test]
fn the_tracking_indicator_is_the_area_of_the_loop() {
    let (amplitude, periods) = (2e-3, 10.0);
    for delay in [5.0 * DT, -5.0 * DT, 0.0] {
        let mut memory = [0.0; tracking::MEMORY];
        let found = sine(amplitude, 0.0)
            .iter()
            .zip(sine(1.5 * amplitude, delay))
            .fold(0.0, |_, (c, m)| tracking::step(&mut memory, *c, m));
        // An ellipse: π A B sin φ in each period, less where it lags. The first point is reached from (0, 0), which encloses nothing.
        let area = -PI * 1.5 * amplitude * amplitude * (TAU * 2.0 * delay).sin();
        assert!((found - periods * area).abs() < 2e-3 * periods * area.abs() + 1e-12, "{found} {area}");
        assert_eq!(tracking::value(&memory), found);
    }
}

#[test]
fn a_lagging_spring_feeds_the_test_with_energy() {
    let (amplitude, stiffness, delay) = (2e-3, 1e6, 5.0 * DT);
    let run = |delay: f64| {
        let mut memory = [0.0; energy::MEMORY];
        let pairs = sine(amplitude, 0.0).into_iter().zip(sine(amplitude, delay));
        pairs.fold(Default::default(), |_, (x, y)| energy::step(&mut memory, x, y, stiffness * y))
    };
    let found: energy::EnergyError = run(delay);
    // ∮ k y dx = -π k A² sin φ per period, ∮ k y dy = 0.
    let expected = -10.0 * PI * stiffness * amplitude * amplitude * (TAU * 2.0 * delay).sin();
    assert!((found.error - expected).abs() < 0.02 * expected.abs(), "{found:?} {expected}");
    assert!(found.relative() < -0.5 && run(-delay).error > 0.0 && run(0.0).error == 0.0);
}

#[test]
fn the_frequency_index_separates_amplitude_and_delay() {
    let target: Vec<f64> = sine(1.0, 0.0).iter().zip(sine(0.5, 0.1)).map(|(a, b)| a + b).collect();
    let measured: Vec<f64> = sine(0.9, 0.004).iter().zip(sine(0.45, 0.104)).map(|(a, b)| a + b).collect();
    let Some(found) = frequency_evaluation(&measured, &target, DT) else { panic!() };
    assert!((found.amplitude - 0.9).abs() < 1e-9 && (found.delay - 0.004).abs() < 1e-9, "{found:?}");
    assert!((found.frequency - 2.0).abs() < 1e-9, "{found:?}");
    assert!(
        frequency_evaluation(&[1.0], &[1.0], DT).is_none() && frequency_evaluation(&[1.0; 8], &[0.0; 8], DT).is_none()
    );
}

#[test]
fn errors_of_a_reference_that_stands_still_are_nothing_or_endless() {
    let (still, moving) = (vec![2.0; 10], sine(1.0, 0.0));
    assert_eq!(nrmse(&[3.0; 10], &still), 0.0, "an offset does not count");
    assert_eq!(nrmse(&moving[..10], &still), f64::INFINITY);
    assert_eq!((peak_error(&[0.0; 3], &[0.0; 3]), peak_error(&[1.0; 3], &[0.0; 3])), (0.0, f64::INFINITY));
    assert_eq!((nrmse(&[1.0], &[1.0]), nrmse(&[], &[]), error::deviation(&[5.0])), (0.0, 0.0, 0.0));
}
