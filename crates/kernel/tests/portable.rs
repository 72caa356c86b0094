//! The elementary functions of our own against those of a mathematical library.

use interfield_kernel::portable::{angle, asin, exp, ln};

/// Distance in units of the last place.
fn units(a: f64, b: f64) -> f64 {
    (a - b).abs() / (f64::from_bits(b.abs().to_bits() + 1) - b.abs())
}

#[test]
fn exponentials_and_logarithms_are_right_to_two_units_in_the_last_place() {
    for i in -7_000..7_000 {
        let x = 0.1 * f64::from(i) + 1e-3 * f64::from(i % 7);
        assert!(units(exp(x), x.exp()) <= 2.0, "exp({x}) = {}, not {}", exp(x), x.exp());
        let y = 10f64.powf(f64::from(i) / 25.0) * (1.0 + 1e-9 * f64::from(i));
        assert!(units(ln(y), y.ln()) <= 2.0, "ln({y}) = {}, not {}", ln(y), y.ln());
        let near = 1.0 + 1e-5 * f64::from(i);
        assert!((ln(near) - near.ln()).abs() <= 4e-16 * near.ln().abs(), "ln({near})");
    }
    assert_eq!([exp(0.0), exp(-800.0), exp(f64::NEG_INFINITY)], [1.0, 0.0, 0.0]);
    assert_eq!([exp(800.0), exp(f64::INFINITY), ln(f64::INFINITY)], [f64::INFINITY; 3]);
    assert_eq!([ln(1.0), ln(0.0)], [0.0, f64::NEG_INFINITY]);
    assert!(exp(f64::NAN).is_nan() && ln(f64::NAN).is_nan() && ln(-1.0).is_nan());
}

#[test]
fn angles_are_right_to_the_digits_of_their_cosine() {
    for i in -1700..=1700 {
        let x = f64::from(i) * 0.1f64.to_radians();
        // Near half a turn what is lost in 1 + cos x is lost.
        let most = 1e-15 * x.abs().max(1e-3) / (1.0 + x.cos());
        assert!((angle(x.cos(), x.sin()) - x).abs() <= most, "{x}: {}", angle(x.cos(), x.sin()));
        let sine = f64::from(i) / 1700.0;
        assert!((asin(sine) - sine.asin()).abs() <= 9e-16, "asin({sine}) = {}, not {}", asin(sine), sine.asin());
        let small = 1e-9 * f64::from(i);
        assert!(units(asin(small), small.asin()) <= 4.0, "asin({small})");
    }
}
