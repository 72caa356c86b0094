//! Response and Fourier spectra against closed forms and a fine integration.

use std::f64::consts::PI;

use interfield_motion::random::SplitMix64;
use interfield_motion::{Quantity, Record, log_periods};

fn record(dt: f64, n: usize, f: impl Fn(f64) -> f64) -> Record {
    Record::new(dt, (0..n).map(|i| f(i as f64 * dt)).collect(), Quantity::Acceleration).unwrap()
}

fn noise(dt: f64, n: usize, seed: u64) -> Record {
    let mut r = SplitMix64::new(seed);
    Record::new(dt, (0..n).map(|_| 2.0 * r.uniform() - 1.0).collect(), Quantity::Acceleration).unwrap()
}

#[test]
fn resonance_of_a_damped_oscillator() {
    // After many cycles of a(t) = sin ωt at resonance ω²u has the amplitude 1/(2ζ).
    let r = record(0.005, 60_001, |t| (2.0 * PI * t).sin());
    let s = r.response_spectrum(&[1.0], 0.05).unwrap();
    assert!((s.psa[0] - 10.0).abs() < 0.01, "{}", s.psa[0]);
    // Absolute acceleration: √(1 + 4ζ²)/(2ζ).
    assert!((s.sa_abs[0] - (1.0 + 0.01f64).sqrt() * 10.0).abs() < 0.01, "{}", s.sa_abs[0]);
    assert!((s.psv[0] - s.psa[0] / (2.0 * PI)).abs() < 1e-12 && (s.sd[0] - s.psv[0] / (2.0 * PI)).abs() < 1e-12);
}

#[test]
fn steady_state_off_resonance() {
    // Undamped start transients die out with 10 % damping; the last part of a long sine sets no larger peak than the
    // transmissibility when the excitation is ramped up and down slowly.
    let r = record(0.004, 50_000, |t| (t / 40.0).min((200.0 - t) / 40.0).min(1.0) * (2.0 * PI * 1.5 * t).sin());
    for period in [0.1, 0.4, 1.0, 3.0] {
        let beta: f64 = 1.5 * period;
        let dynamic = 1.0 / ((1.0 - beta * beta).powi(2) + (0.2 * beta).powi(2)).sqrt();
        let s = r.response_spectrum(&[period], 0.1).unwrap();
        assert!((s.psa[0] / dynamic - 1.0).abs() < 0.02, "T={period}: {} not {dynamic}", s.psa[0]);
    }
}

#[test]
fn step_of_an_undamped_oscillator() {
    // A step doubles the static response whatever the period, here far below and far above the sampling interval.
    let r = record(0.01, 3000, |_| 1.0);
    let s = r.response_spectrum(&[0.004, 0.02, 0.033, 0.5, 5.0, 50.0], 0.0).unwrap();
    for (t, x) in s.periods.iter().zip(&s.psa) {
        assert!((x - 2.0).abs() < 4e-4, "T={t}: {x}");
    }
    // With damping the overshoot is exp(−πζ/√(1−ζ²)).
    let s = r.response_spectrum(&[0.033, 0.5, 5.0], 0.2).unwrap();
    let overshoot = 1.0 + (-PI * 0.2 / (1.0f64 - 0.04).sqrt()).exp();
    assert!(s.psa.iter().all(|x| (x - overshoot).abs() < 2e-4), "{:?}", s.psa);
}

#[test]
fn the_peak_after_the_end_is_seen() {
    // A short velocity step v: an undamped oscillator of long period then swings to v/ω.
    let r = record(0.01, 11, |t| if t < 0.095 { 1.0 } else { 0.0 });
    let v = r.velocity().unwrap().values[10];
    let s = r.response_spectrum(&[20.0], 0.0).unwrap();
    assert!((s.psv[0] / v - 1.0).abs() < 1e-3, "{} {v}", s.psv[0]);
}

#[test]
fn against_a_fine_runge_kutta() {
    let r = noise(0.02, 400, 5);
    for zeta in [0.0, 0.02, 0.05, 0.3] {
        for period in [0.03, 0.1, 0.37, 1.0, 4.0] {
            let omega = 2.0 * PI / period;
            let sub = 200;
            let h = r.dt / sub as f64;
            let (mut u, mut v) = (0.0f64, 0.0f64);
            let (mut sd, mut sa) = (0.0f64, 0.0f64);
            let total = (r.values.len() - 1) * sub + (period / h) as usize;
            for k in 0..total {
                let at = |s: f64| {
                    let x = s / sub as f64;
                    let i = x as usize;
                    if i + 1 >= r.values.len() {
                        0.0
                    } else {
                        r.values[i] + (r.values[i + 1] - r.values[i]) * (x - i as f64)
                    }
                };
                let acc = |u: f64, v: f64, s: f64| -at(s) - 2.0 * zeta * omega * v - omega * omega * u;
                let k0 = k as f64;
                let (a1, b1) = (v, acc(u, v, k0));
                let (a2, b2) = (v + 0.5 * h * b1, acc(u + 0.5 * h * a1, v + 0.5 * h * b1, k0 + 0.5));
                let (a3, b3) = (v + 0.5 * h * b2, acc(u + 0.5 * h * a2, v + 0.5 * h * b2, k0 + 0.5));
                let (a4, b4) = (v + h * b3, acc(u + h * a3, v + h * b3, k0 + 1.0 - 1e-9));
                u += h * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0;
                v += h * (b1 + 2.0 * b2 + 2.0 * b3 + b4) / 6.0;
                sd = sd.max(u.abs());
                sa = sa.max((2.0 * zeta * omega * v + omega * omega * u).abs());
            }
            let s = r.response_spectrum(&[period], zeta).unwrap();
            assert!((s.sd[0] / sd - 1.0).abs() < 5e-4, "T={period} zeta={zeta}: {} not {sd}", s.sd[0]);
            assert!((s.sa_abs[0] / sa - 1.0).abs() < 5e-4, "T={period} zeta={zeta}: sa {} not {sa}", s.sa_abs[0]);
        }
    }
}

#[test]
fn limits_of_the_period() {
    let r = noise(0.01, 1000, 9).tapered(0.5, 0.5).unwrap();
    let s = r.response_spectrum(&[0.0, 1e-12, 1e-4, 1e4], 0.05).unwrap();
    assert_eq!(s.psa[0], r.peak());
    assert!((s.psa[1] / r.peak() - 1.0).abs() < 1e-9 && (s.psa[2] / r.peak() - 1.0).abs() < 0.01);
    // A very soft oscillator is left behind: after the record its pseudo-velocity is the ground's last velocity or more.
    assert!(s.psv[3].is_finite() && s.psv[3] >= 0.5 * r.velocity().unwrap().values[999].abs());
    let b = noise(0.01, 1000, 9);
    assert!(b.response_spectrum(&[f64::NAN], 0.05).is_err() && b.response_spectrum(&[-1.0], 0.05).is_err());
    assert!(b.response_spectrum(&[1.0], 1.0).is_err() && b.response_spectrum(&[1.0], -0.1).is_err());
    assert!(b.velocity().unwrap().response_spectrum(&[1.0], 0.05).is_err());
    assert!(b.response_spectrum(&[], 0.05).unwrap().psa.is_empty());
}

#[test]
fn parseval() {
    for n in [1000, 1001, 997] {
        let r = noise(0.01, n, 3);
        let s = r.fourier_spectrum().unwrap();
        let df = s.frequencies[1];
        let last = s.amplitude.len() - 1;
        let energy: f64 = (0..=last)
            .map(|k| {
                let w = if k == 0 || (n % 2 == 0 && k == last) { 1.0 } else { 2.0 };
                w * s.amplitude[k].powi(2) * df
            })
            .sum();
        let time: f64 = r.values.iter().map(|x| x * x * r.dt).sum();
        assert!((energy / time - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_line_of_the_fourier_spectrum() {
    // Twenty seconds of cos 2π3t with phase 0.4: amplitude T/2 at 3 Hz.
    let r = record(0.01, 2000, |t| (2.0 * PI * 3.0 * t + 0.4).cos());
    let s = r.fourier_spectrum().unwrap();
    assert!((s.frequencies[60] - 3.0).abs() < 1e-12);
    assert!((s.amplitude[60] - 10.0).abs() < 1e-9 && (s.phase[60] - 0.4).abs() < 1e-9);
    assert!(s.amplitude[59] < 1e-9);
}

#[test]
fn smoothing() {
    let mut s = noise(0.01, 4000, 4).fourier_spectrum().unwrap();
    s.amplitude.iter_mut().for_each(|a| *a = 3.0);
    assert!(s.smoothed(&[0.1, 1.0, 10.0, 49.0], 40.0).iter().all(|a| (a - 3.0).abs() < 1e-12));
    s.amplitude.iter_mut().enumerate().for_each(|(i, a)| *a = if i == 400 { 1.0 } else { 0.0 });
    let y = s.smoothed(&[9.0, 10.0, 11.0], 40.0);
    assert!(y[1] > y[0] && y[1] > y[2] && y[1] < 0.2);
    for f in [f64::NAN, 0.0, -1.0, f64::INFINITY, 1e9] {
        assert!(s.smoothed(&[f], 40.0)[0].is_finite());
    }
    assert!(s.smoothed(&[1.0], 0.0)[0].is_finite());
}

#[test]
fn two_hundred_periods_are_quick() {
    let r = noise(0.01, 5000, 1);
    let periods = log_periods(0.02, 10.0, 200);
    let start = std::time::Instant::now();
    let s = r.response_spectrum(&periods, 0.05).unwrap();
    let took = start.elapsed();
    assert_eq!(s.psa.len(), 200);
    // A tenth of a second in a release build; a debug build on a busy machine has room.
    assert!(took.as_secs_f64() < 2.0, "{took:?}");
    println!("200 periods, 5000 samples: {took:?}");
}
