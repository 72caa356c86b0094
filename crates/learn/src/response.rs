//! The frequency response between two channels, by Welch's method: H1 = S_uy/S_uu with Hann windows of an eighth of the record, half overlapping,
//! and the coherence that says where it is known.

use core::f64::consts::PI;

/// Coherence above which a line is used.
const COHERENT: f64 = 0.9;
/// Longest segment, samples.
const LONGEST: usize = 2048;

/// Lines of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// Frequency, Hz; real and imaginary part of H1; coherence.
    pub lines: Vec<(f64, [f64; 2], f64)>,
}

impl Response {
    /// From an input and an output.
    pub fn measured(u: &[f64], y: &[f64], dt: f64) -> Self {
        let length = (u.len() / 8).clamp(16, LONGEST);
        let window: Vec<f64> = (0..length).map(|i| 0.5 - 0.5 * (2.0 * PI * i as f64 / length as f64).cos()).collect();
        let table: Vec<[f64; 2]> =
            (0..length).map(|i| 2.0 * PI * i as f64 / length as f64).map(|a| [a.cos(), -a.sin()]).collect();
        let lines = length / 2;
        // S_uu, S_yy, real and imaginary part of S_uy.
        let mut sums = vec![[0.0; 4]; lines];
        let mut start = 0;
        while start + length <= u.len() {
            let tapered = |x: &[f64]| {
                let mean = x[start..start + length].iter().sum::<f64>() / length as f64;
                (0..length).map(|i| (x[start + i] - mean) * window[i]).collect::<Vec<f64>>()
            };
            let (a, b) = (tapered(u), tapered(y));
            for (line, sum) in sums.iter_mut().enumerate().skip(1) {
                let of = |x: &[f64]| {
                    x.iter().enumerate().fold([0.0; 2], |s, (i, x)| {
                        let [c, d] = table[i * line % length];
                        [s[0] + x * c, s[1] + x * d]
                    })
                };
                let (p, q) = (of(&a), of(&b));
                let new = [
                    p[0] * p[0] + p[1] * p[1],
                    q[0] * q[0] + q[1] * q[1],
                    p[0] * q[0] + p[1] * q[1],
                    p[0] * q[1] - p[1] * q[0],
                ];
                (0..4).for_each(|i| sum[i] += new[i]);
            }
            start += length / 2;
        }
        let df = 1.0 / (length as f64 * dt);
        let line = |(i, [uu, yy, re, im]): (usize, &[f64; 4])| {
            let coherence = if *uu > 0.0 && *yy > 0.0 { (re * re + im * im) / (uu * yy) } else { 0.0 };
            let h = if *uu > 0.0 { [re / uu, im / uu] } else { [0.0; 2] };
            (i as f64 * df, h, coherence)
        };
        Response { lines: sums.iter().enumerate().skip(1).map(line).collect() }
    }

    /// The lines that are known: the first run of coherent ones.
    pub fn known(&self) -> &[(f64, [f64; 2], f64)] {
        let first = self.lines.iter().position(|l| l.2 > COHERENT).unwrap_or(self.lines.len());
        let rest = &self.lines[first..];
        &rest[..rest.iter().position(|l| l.2 <= COHERENT).unwrap_or(rest.len())]
    }

    /// Highest frequency that is known, Hz.
    pub fn highest(&self) -> f64 {
        self.known().last().map_or(0.0, |l| l.0)
    }

    /// Lag of slow motions, s: least squares through zero over the phase.
    pub fn lag(&self) -> Option<f64> {
        let (mut before, mut turns) = (0.0_f64, 0.0);
        let (mut above, mut below) = (0.0, 0.0);
        for (f, h, _) in self.known() {
            let phase = h[1].atan2(h[0]);
            turns -= ((phase + turns - before) / (2.0 * PI)).round() * 2.0 * PI;
            before = phase + turns;
            above -= before * f;
            below += f * f;
        }
        (below > 0.0).then(|| above / below / (2.0 * PI))
    }
}
