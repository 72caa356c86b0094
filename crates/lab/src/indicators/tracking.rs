//! Tracking indicator (Mercan, Ricles, Earthq. Eng. Struct. Dyn. 36:1523-1543, 2007): the area that measured over commanded displacement encloses, m².
//!
//! ```text
//! TI = (A - B)/2      dA = (m + m₀)/2 (c - c₀)      dB = (c + c₀)/2 (m - m₀)
//! ```
//!
//! c commanded, m measured, 0 the sample before. It rises while the specimen leads and falls while it lags; a specimen that is too weak or too strong
//! in phase leaves it where it is. Memory: the indicator, c₀, m₀.

/// Numbers it remembers.
pub const MEMORY: usize = 3;

/// The indicator after a new sample, m².
pub fn step(memory: &mut [f64], commanded: f64, measured: f64) -> f64 {
    let [ti, c, m] = [memory[0], memory[1], memory[2]];
    let rise = 0.5 * (m + measured) * (commanded - c) - 0.5 * (c + commanded) * (measured - m);
    memory[..MEMORY].copy_from_slice(&[ti + 0.5 * rise, commanded, measured]);
    memory[0]
}

/// The indicator as it stands, m².
pub fn value(memory: &[f64]) -> f64 {
    memory[0]
}
