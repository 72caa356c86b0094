//! A signal and its derivatives by backward differences: x, (x - x₁)/h, (x - 2x₁ + x₂)/h², (x - 3x₁ + 3x₂ - x₃)/h³.
//!
//! The derivative of order i is that of i h/2 ago: it lags by half a sample per order.

/// Derivatives taken at most.
pub const ORDERS: usize = 4;

/// Backward differences at a sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differences {
    rate: f64,
}

impl Differences {
    /// The last three samples.
    pub const MEMORY: usize = ORDERS - 1;

    /// Samples every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Differences { rate: 1.0 / dt }
    }

    /// x and its first three derivatives at a new sample.
    pub fn step(&self, memory: &mut [f64], x: f64) -> [f64; ORDERS] {
        let d1 = (x - memory[0]) * self.rate;
        let e1 = (memory[0] - memory[1]) * self.rate;
        let g1 = (memory[1] - memory[2]) * self.rate;
        let (d2, e2) = ((d1 - e1) * self.rate, (e1 - g1) * self.rate);
        memory.copy_within(0..Self::MEMORY - 1, 1);
        memory[0] = x;
        [x, d1, d2, (d2 - e2) * self.rate]
    }
}
