//! Elementary functions of our own, for frames.
//!
//! They have no branch, so that many fibres are done at once, and only operations that IEEE 754 fixes to the last bit: the same
//! numbers on every machine, and in the generated C (`crates/codegen/c/portable.c`, line by line). Errors are below two units in
//! the last place.
//! **Must not be here:** anything that calls a mathematical library.

use crate::Scalar;

/// ln 2 in two parts, the first with so few digits that its product with an exponent is exact.
const LN2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// Added to a number below 2^51 it rounds it to a whole one, which stands in the last bits of the sum.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// 2^52: its last bits hold a whole number that is added to it.
const BIAS: f64 = 4_503_599_627_370_496.0;

/// c[0] + c[1] x + c[2] x² ... in four chains of every fourth term, which a processor computes at the same time.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: &[f64; N]) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let mut chain = [0.0; 4];
    for i in (0..N).rev() {
        chain[i % 4] = if i + 4 < N { chain[i % 4] * fourth + c[i] } else { c[i] };
    }
    (chain[0] + chain[1] * x) + (chain[2] + chain[3] * x) * square
}

#[inline(always)]
fn greater(a: f64, b: f64, yes: f64, no: f64) -> f64 {
    if a > b { yes } else { no }
}

/// e^x: 2^k e^r with |r| below ln 2 / 2, and e^r by its series.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    const TERMS: [f64; 14] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    // Beyond these it is zero or infinite.
    let x = greater(x, 710.0, 710.0, x);
    let x = greater(-746.0, x, -746.0, x);
    let shifted = x * core::f64::consts::LOG2_E + WHOLE;
    let k = shifted - WHOLE;
    let r = (x - k * LN2[0]) - k * LN2[1];
    // 2^k as a product of two powers, each of which is a normal number.
    let both = shifted.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(2048);
    let half = both >> 1;
    let power = |k: u64| f64::from_bits(k.wrapping_sub(1) << 52);
    polynomial(r, &TERMS) * power(half) * power(both.wrapping_sub(half))
}

/// The natural logarithm: k ln 2 + ln m with m between sqrt(1/2) and sqrt(2), and ln m = 2 artanh((m - 1) / (m + 1)) by its series.
/// Of zero, and of numbers too small for all their digits, minus infinity.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    const TERMS: [f64; 11] = [
        2.0 / 3.0,
        2.0 / 5.0,
        2.0 / 7.0,
        2.0 / 9.0,
        2.0 / 11.0,
        2.0 / 13.0,
        2.0 / 15.0,
        2.0 / 17.0,
        2.0 / 19.0,
        2.0 / 21.0,
        2.0 / 23.0,
    ];
    // The bits of sqrt(1/2), and of one.
    const LEAST: u64 = 0x3FE6_A09E_667F_3BCD;
    const ONE: u64 = 0x3FF0_0000_0000_0000;
    let biased = x.to_bits().wrapping_add(ONE - LEAST) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub(biased << 52).wrapping_add(ONE));
    let k = f64::from_bits(BIAS.to_bits() | biased) - BIAS - 1023.0;
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let value = k * LN2[0] + (s * 2.0 + (s * z * polynomial(z, &TERMS) + k * LN2[1]));
    let value = greater(x, f64::MAX, x, greater(x, 0.0, value, f64::NAN));
    greater(f64::MIN_POSITIVE, x, greater(0.0, x, f64::NAN, f64::NEG_INFINITY), value)
}

/// The angle whose cosine and sine are these, by the series of the arctangent of a quarter of its half. Between, but not at, half a turn
/// to either side.
#[inline]
pub fn angle<T: Scalar>(c: T, s: T) -> T {
    let halved = |x: T| x / ((x * x + 1.0).sqrt() + 1.0);
    let x = halved(halved(s / (c + 1.0)));
    let square = x * x;
    // Of the tangent of 90/8 degrees twelve terms have all digits; of twice that, near half a turn, these have thirteen.
    let series = (0..16u8).rev().fold(T::constant(0.0), |sum, i| {
        let term = 1.0 / f64::from(2 * i + 1);
        sum * square + if i.is_multiple_of(2) { term } else { -term }
    });
    x * series * 8.0
}

/// The angle between -90 and 90 degrees with this sine.
#[inline]
pub fn asin<T: Scalar>(s: T) -> T {
    angle((-(s * s) + 1.0).sqrt(), s)
}
