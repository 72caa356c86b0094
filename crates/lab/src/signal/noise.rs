//! Normal noise without a hidden state: the sample of a number is a function of seed and number.

use std::f64::consts::TAU;

/// White normal noise of zero mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation.
    pub deviation: f64,
    /// The same seed gives the same noise.
    pub seed: u64,
}

impl Noise {
    /// Numbers it remembers: how many samples were drawn.
    pub const MEMORY: usize = 1;

    /// The next sample.
    pub fn step(&self, memory: &mut [f64]) -> f64 {
        let number = memory[0];
        memory[0] += 1.0;
        self.deviation * normal(self.seed, number as u64)
    }
}

/// The sample of this number, of unit deviation (Box and Muller 1958).
pub fn normal(seed: u64, number: u64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(seed, 2 * number)).ln()).sqrt();
    radius * (TAU * uniform(seed, 2 * number + 1)).cos()
}

/// Uniform in [0, 1): the output of this number of SplitMix64 (Steele, Lea, Flood 2014), which is a hash of a counter.
pub fn uniform(seed: u64, number: u64) -> f64 {
    // Seeds that follow each other must not give the same sequence one place later.
    let start = mix(seed.wrapping_add(GAMMA));
    (mix(start.wrapping_add(number.wrapping_add(1).wrapping_mul(GAMMA))) >> 11) as f64 / (1u64 << 53) as f64
}

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
