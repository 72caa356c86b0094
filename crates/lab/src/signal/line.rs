//! A delay line in a slice, the newest sample first; a line of zeros has seen zeros only. Samples move along it, as they do in
//! a pipe, so that one step of it is the same map at every time and can be probed.

/// Memory of a line that keeps so many samples, the newest included.
pub const fn memory(samples: usize) -> usize {
    samples
}

/// Adds a sample; the oldest is forgotten.
pub fn push(line: &mut [f64], sample: f64) {
    let Some(last) = line.len().checked_sub(1) else { return };
    line.copy_within(..last, 1);
    line[0] = sample;
}

/// The sample so many pushes before the newest; the oldest one if the line is shorter.
pub fn ago(line: &[f64], pushes: usize) -> f64 {
    line.get(pushes).or(line.last()).copied().unwrap_or(0.0)
}

/// Between samples, linear in time.
pub fn ago_between(line: &[f64], pushes: f64) -> f64 {
    let pushes = pushes.max(0.0);
    let (whole, part) = (pushes.floor(), pushes.fract());
    let (newer, older) = (ago(line, whole as usize), ago(line, whole as usize + 1));
    newer + part * (older - newer)
}
