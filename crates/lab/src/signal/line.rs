//! A delay line in a slice: `[place, samples...]`. The newest sample is the one at the place; a line of zeros has seen zeros only.

/// Memory of a line that keeps so many samples, the newest included.
pub const fn memory(samples: usize) -> usize {
    1 + samples
}

/// Adds a sample; the oldest is forgotten.
pub fn push(line: &mut [f64], sample: f64) {
    let Some((place, samples)) = line.split_first_mut() else { return };
    if samples.is_empty() {
        return;
    }
    let next = (*place as usize + 1) % samples.len();
    *place = next as f64;
    samples[next] = sample;
}

/// The sample so many pushes before the newest; the oldest one if the line is shorter.
pub fn ago(line: &[f64], pushes: usize) -> f64 {
    let Some((place, samples)) = line.split_first() else { return 0.0 };
    if samples.is_empty() {
        return 0.0;
    }
    let back = pushes.min(samples.len() - 1);
    samples[(*place as usize + samples.len() - back) % samples.len()]
}

/// Between samples, linear in time.
pub fn ago_between(line: &[f64], pushes: f64) -> f64 {
    let pushes = pushes.max(0.0);
    let (whole, part) = (pushes.floor(), pushes.fract());
    let (newer, older) = (ago(line, whole as usize), ago(line, whole as usize + 1));
    newer + part * (older - newer)
}
