//! Extremes of the channels of a run.

/// Extremes of a channel over the whole run.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Range {
    pub min: f64,
    pub max: f64,
    /// Value of largest magnitude, with its sign.
    pub peak: f64,
    pub peak_time: f64,
    pub last: f64,
}

/// Extremes of all channels so far.
pub struct Ranges(pub Vec<Range>);

impl Ranges {
    /// Nothing yet.
    pub fn new(channels: usize) -> Self {
        let none = Range { min: f64::INFINITY, max: f64::NEG_INFINITY, peak: 0.0, peak_time: 0.0, last: 0.0 };
        Self(vec![none; channels])
    }

    /// Takes a sample of each channel.
    pub fn push(&mut self, t: f64, row: impl Iterator<Item = f64>) {
        for (r, x) in self.0.iter_mut().zip(row) {
            (r.min, r.max, r.last) = (r.min.min(x), r.max.max(x), x);
            if x.abs() > r.peak.abs() {
                (r.peak, r.peak_time) = (x, t);
            }
        }
    }
}
