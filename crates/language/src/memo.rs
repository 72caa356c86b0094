//! Values that several substructures ask for at the same times: a formula is computed by the first of them.
//!
//! Any thread may ask, nobody waits: each place holds the value and the exclusive or of value and time. Whoever reads a pair of two
//! writers finds no time that it asks for. A hit has the bits of a computation, so nothing depends on who came first.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// As many times as the finest of usual macro-steps has.
const PLACES: usize = 64;

/// The last values of a function of time.
#[derive(Debug)]
pub(crate) struct Memo([[AtomicU64; 2]; PLACES]);

impl Memo {
    pub(crate) fn new() -> Self {
        // That of a time that is not a number, which is not looked up.
        Memo(std::array::from_fn(|_| [AtomicU64::new(f64::NAN.to_bits()), AtomicU64::new(0)]))
    }

    /// The value at `t`, computed if it is not known.
    pub(crate) fn value(&self, t: f64, compute: impl FnOnce(f64) -> f64) -> f64 {
        let time = t.to_bits();
        // The times of a step differ in few digits: the upper bits of a product mix them all (Knuth, multiplicative hashing).
        let place = time.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACES.ilog2());
        let [key, known] = &self.0[place as usize];
        let bits = known.load(Relaxed);
        if key.load(Relaxed) ^ bits == time && !t.is_nan() {
            return f64::from_bits(bits);
        }
        let value = compute(t);
        let bits = value.to_bits();
        known.store(bits, Relaxed);
        key.store(time ^ bits, Relaxed);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubed(t: f64) -> f64 {
        t * t * t - 0.1
    }

    #[test]
    fn a_value_is_computed_once_and_has_the_bits_of_its_computation() {
        let memo = Memo::new();
        for t in [0.0, -0.0, 1e-300, 0.1, 0.1 + f64::EPSILON, 1e9, f64::INFINITY] {
            assert_eq!(memo.value(t, cubed).to_bits(), cubed(t).to_bits(), "{t}");
            assert_eq!(memo.value(t, |_| panic!("known")).to_bits(), cubed(t).to_bits(), "{t}");
        }
        assert!(memo.value(f64::NAN, cubed).is_nan() && memo.value(f64::NAN, |_| 7.0) == 7.0, "never remembered");
    }

    /// More times than places, from several threads at once: torn pairs would give the value of another time.
    #[test]
    fn threads_that_write_over_each_other_never_see_another_time() {
        let memo = Memo::new();
        std::thread::scope(|scope| {
            for offset in 0..4 {
                let memo = &memo;
                scope.spawn(move || {
                    for i in 0..200_000_u32 {
                        let t = f64::from((i * 7 + offset) % 131) * 1e-3;
                        assert_eq!(memo.value(t, cubed).to_bits(), cubed(t).to_bits(), "{t}");
                    }
                });
            }
        });
    }
}
