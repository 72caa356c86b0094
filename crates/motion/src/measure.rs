//! Numbers that describe a record. All integrals are exact for samples joined by straight lines.

use std::f64::consts::PI;

use crate::fourier;
use crate::record::{MotionError, Record};
use crate::spectrum::log_periods;
use crate::{MAX_SAMPLES, STANDARD_GRAVITY};

impl Record {
    /// The largest absolute sample; zero for an empty record.
    pub fn peak(&self) -> f64 {
        self.values.iter().fold(0.0, |m, x| x.abs().max(m))
    }

    /// The time of the largest absolute sample, the first if there are several.
    pub fn peak_time(&self) -> f64 {
        let mut best = (0, 0.0);
        for (i, x) in self.values.iter().enumerate() {
            if x.abs() > best.1 {
                best = (i, x.abs());
            }
        }
        self.time(best.0)
    }

    /// Peak ground acceleration in m/s².
    pub fn pga(&self) -> Result<f64, MotionError> {
        self.check_acceleration("the peak ground acceleration")?;
        Ok(self.peak())
    }

    /// Peak ground velocity in m/s, from the record as it is: correct its baseline first if it needs that.
    pub fn pgv(&self) -> Result<f64, MotionError> {
        Ok(self.velocity()?.peak())
    }

    /// Peak ground displacement in m, from the record as it is.
    pub fn pgd(&self) -> Result<f64, MotionError> {
        Ok(self.displacement()?.peak())
    }

    /// Arias intensity π/(2g) ∫a² dt in m/s (Arias 1970).
    pub fn arias_intensity(&self) -> Result<f64, MotionError> {
        self.check_acceleration("the Arias intensity")?;
        Ok(std::f64::consts::FRAC_PI_2 / STANDARD_GRAVITY * self.values.windows(2).map(|w| self.energy(w)).sum::<f64>())
    }

    /// The times at which the two fractions of the Arias intensity are reached; (0.05, 0.95) bound the significant
    /// duration (Trifunac & Brady 1975).
    pub fn husid_times(&self, from: f64, to: f64) -> Result<(f64, f64), MotionError> {
        self.check_acceleration("the significant duration")?;
        if !((0.0..=1.0).contains(&from) && (0.0..=1.0).contains(&to) && from < to) {
            return Err(MotionError::new(format!("{from} and {to} must be two increasing fractions")));
        }
        let total: f64 = self.values.windows(2).map(|w| self.energy(w)).sum();
        let time_of = |fraction: f64| {
            let goal = fraction * total;
            let mut sum = 0.0;
            for (i, w) in self.values.windows(2).enumerate() {
                let e = self.energy(w);
                if sum + e >= goal {
                    return self.time(i) + if e > 0.0 { self.dt * (goal - sum) / e } else { 0.0 };
                }
                sum += e;
            }
            self.duration()
        };
        Ok((time_of(from), time_of(to)))
    }

    /// Significant duration D5-95 in seconds.
    pub fn significant_duration(&self) -> Result<f64, MotionError> {
        self.husid_times(0.05, 0.95).map(|(a, b)| b - a)
    }

    /// Cumulative absolute velocity ∫|a| dt in m/s (EPRI 1988).
    pub fn cumulative_absolute_velocity(&self) -> Result<f64, MotionError> {
        self.check_acceleration("the cumulative absolute velocity")?;
        Ok(self
            .values
            .windows(2)
            .map(|w| {
                let (a, b) = (w[0].abs(), w[1].abs());
                if w[0] * w[1] < 0.0 { 0.5 * self.dt * (a * a + b * b) / (a + b) } else { 0.5 * self.dt * (a + b) }
            })
            .sum())
    }

    /// Mean period T_m = Σ C²/f / Σ C² over 0.25 to 20 Hz, with Fourier amplitudes C at most 0.05 Hz apart
    /// (Rathje, Abrahamson & Bray 1998). Zero for a record that is zero.
    pub fn mean_period(&self) -> Result<f64, MotionError> {
        self.check_acceleration("the mean period")?;
        let needed = (1.0 / (0.05 * self.dt)).ceil();
        if needed > (1 << 20) as f64 && needed > 4.0 * self.values.len() as f64 {
            return Ok(self.mean_period_by_lines());
        }
        let n = self.values.len().max(if needed < MAX_SAMPLES as f64 { needed as usize } else { MAX_SAMPLES });
        let c = fourier::transform(&self.values, n)?;
        let df = 1.0 / (n as f64 * self.dt);
        let (mut num, mut den) = (0.0, 0.0);
        for (k, z) in c.iter().enumerate() {
            let f = k as f64 * df;
            if (0.25..=20.0).contains(&f) {
                num += z.norm_sqr() / f;
                den += z.norm_sqr();
            }
        }
        Ok(if den > 0.0 { num / den } else { 0.0 })
    }

    /// The same sum line by line: for records so short and finely sampled that padding them would take all memory.
    fn mean_period_by_lines(&self) -> f64 {
        let (mut num, mut den) = (0.0, 0.0);
        for k in 5..=400 {
            let f = 0.05 * k as f64;
            let (mut c, mut s) = (0.0, 0.0);
            for (i, x) in self.values.iter().enumerate() {
                let (sin, cos) = (2.0 * PI * f * self.time(i)).sin_cos();
                c += x * cos;
                s += x * sin;
            }
            num += (c * c + s * s) / f;
            den += c * c + s * s;
        }
        if den > 0.0 { num / den } else { 0.0 }
    }

    /// Predominant period: where the 5 % damped pseudo-acceleration spectrum has its maximum, on 200 periods between
    /// 0.02 and 5 s.
    pub fn predominant_period(&self) -> Result<f64, MotionError> {
        let s = self.response_spectrum(&log_periods(0.02, 5.0, 200), 0.05)?;
        let best = (0..s.periods.len()).max_by(|a, b| s.psa[*a].total_cmp(&s.psa[*b]));
        Ok(best.map_or(0.0, |i| s.periods[i]))
    }

    /// ∫a² over one interval.
    fn energy(&self, w: &[f64]) -> f64 {
        self.dt * (w[0] * w[0] + w[0] * w[1] + w[1] * w[1]) / 3.0
    }
}
