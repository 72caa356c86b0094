//! An actuator with a transfer function, any order, sampled exactly for a command that is linear over the sample.
//!
//! x/u = (b₀ + b₁ s + ... )/(a₀ + a₁ s + ... + aₙ sⁿ), with fewer terms above than below, in the controllable canonical form over the
//! time ω₀ t, ω₀ = (a₀/aₙ)^(1/n), which keeps its numbers near one.

use super::exponential::exponential;
use super::response::Disc;
use super::{Actuator, Complex64, Reached, Specimen};

/// A sampled transfer function.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    order: usize,
    /// The step map: new state from state, command before, command now; a row per state.
    map: Vec<f64>,
    /// Displacement, velocity and acceleration from state, command, rate of the command.
    outputs: [Vec<f64>; 3],
    dt: f64,
}

impl Transfer {
    /// Coefficients from the constant upwards. `None` if the numerator is not shorter than the denominator, or the last coefficient of
    /// the latter is zero.
    pub fn new(numerator: &[f64], denominator: &[f64], dt: f64) -> Option<Self> {
        let n = denominator.len().checked_sub(1)?;
        let last = *denominator.last()?;
        if last == 0.0 || n == 0 || numerator.is_empty() || numerator.len() > n {
            return None;
        }
        let w = match (denominator[0] / last).abs().powf(1.0 / n as f64) {
            w if w.is_finite() && w > 0.0 => w,
            _ => 1.0,
        };
        // d/dt z_i = w z_{i+1}; the last: w (u - Σ a_i/(aₙ w^(n-i)) z_i).
        let width = n + 2;
        let mut a = vec![0.0; n * n];
        for i in 0..n - 1 {
            a[i * n + i + 1] = w;
        }
        for i in 0..n {
            a[(n - 1) * n + i] = -w * denominator[i] / (last * w.powi((n - i) as i32));
        }
        let mut c = vec![0.0; n];
        for (i, b) in numerator.iter().enumerate() {
            c[i] = b / (last * w.powi((n - i) as i32));
        }
        // The command as two more states, u and dt u': exact for a linear command (Van Loan 1978).
        let mut whole = vec![0.0; width * width];
        for i in 0..n {
            for j in 0..n {
                whole[i * width + j] = a[i * n + j] * dt;
            }
        }
        whole[(n - 1) * width + n] = w * dt;
        whole[n * width + n + 1] = 1.0;
        let e = exponential(&whole, width);
        let mut map = e[..n * width].to_vec();
        for row in map.chunks_mut(width) {
            // u before, and the change over the sample.
            let (level, slope) = (row[n], row[n + 1]);
            (row[n], row[n + 1]) = (level - slope, slope);
        }
        // y = c z, y' = cA z + cB u, y" = cA² z + cAB u + cB u', with B = w in the last row.
        let times = |c: &[f64]| (0..n).map(|j| (0..n).map(|i| c[i] * a[i * n + j]).sum()).collect::<Vec<f64>>();
        let (ca, caa) = (times(&c), times(&times(&c)));
        let (cb, cab) = (w * c[n - 1], w * ca[n - 1]);
        let output = |row: Vec<f64>, u: f64, rate: f64| [row, vec![u, rate]].concat();
        let outputs = [output(c, 0.0, 0.0), output(ca, cb, 0.0), output(caa, cab, cb)];
        Some(Transfer { order: n, map, outputs, dt })
    }

    /// 1/(1 + T s), T in seconds.
    pub fn first_order(time_constant: f64, dt: f64) -> Option<Self> {
        Self::new(&[1.0], &[1.0, time_constant], dt)
    }

    /// ω²/(s² + 2 ζ ω s + ω²), the frequency in Hz.
    pub fn second_order(frequency: f64, damping: f64, dt: f64) -> Option<Self> {
        let w = std::f64::consts::TAU * frequency;
        Self::new(&[w * w], &[w * w, 2.0 * damping * w, 1.0], dt)
    }
}

impl Transfer {
    /// Displacement, velocity and acceleration over the command at e^(iφ), for every φ within `half` of `phase`: discs around the values at
    /// `phase`.
    ///
    /// With q = e^(-iφ), the states are W⁻¹ (g₀ q + g₁), W = I - Φ q. Within the interval |Δq| ≤ `half`, and the states move by no more than
    /// (I - T)⁻¹ (T |s| + |W⁻¹ g₀| half), entry by entry, with T = half |W⁻¹ Φ|, where that series converges.
    pub fn response(&self, phase: f64, half: f64) -> [Disc; 3] {
        let (n, width) = (self.order, self.order + 2);
        let q = Complex64::from_polar(1.0, -phase);
        let mut w: Vec<Complex64> = Vec::with_capacity(n * n);
        for i in 0..n {
            w.extend((0..n).map(|j| f64::from(u8::from(i == j)) - q * self.map[i * width + j]));
        }
        // Columns: the response, what the phase changes in its input, and Φ.
        let columns = n + 2;
        let mut right: Vec<Complex64> = Vec::with_capacity(n * columns);
        for row in self.map.chunks_exact(width) {
            right.push(q * row[n] + row[n + 1]);
            right.push(Complex64::from(row[n]));
            right.extend(row[..n].iter().map(|x| Complex64::from(*x)));
        }
        if !solve(&mut w, &mut right, n, columns) {
            return [Disc::EVERYWHERE; 3];
        }
        let states: Vec<Complex64> = (0..n).map(|i| right[i * columns]).collect();
        let mut moved = vec![0.0; n];
        if half > 0.0 {
            let mut t: Vec<f64> = Vec::with_capacity(n * n);
            for i in 0..n {
                t.extend((0..n).map(|j| half * right[i * columns + 2 + j].norm()));
            }
            for i in 0..n {
                let through: f64 = (0..n).map(|j| t[i * n + j] * states[j].norm()).sum();
                moved[i] = through + half * right[i * columns + 1].norm();
            }
            let mut matrix: Vec<Complex64> =
                (0..n * n).map(|k| Complex64::from(f64::from(u8::from(k % (n + 1) == 0)) - t[k])).collect();
            let mut sum: Vec<Complex64> = moved.iter().map(|x| Complex64::from(*x)).collect();
            // The series converges where the sum of |T|^k is not negative; a bound on T by rows is enough to know.
            let largest = (0..n).map(|i| t[i * n..(i + 1) * n].iter().sum::<f64>()).fold(0.0, f64::max);
            let columns = (0..n).map(|j| (0..n).map(|i| t[i * n + j]).sum::<f64>()).fold(0.0, f64::max);
            if largest.min(columns) >= 1.0 || !solve(&mut matrix, &mut sum, n, 1) {
                return [Disc::EVERYWHERE; 3];
            }
            moved.iter_mut().zip(&sum).for_each(|(m, s)| *m = s.re);
        }
        let rate = (1.0 - q) / self.dt;
        std::array::from_fn(|k| {
            let row = &self.outputs[k];
            let centre: Complex64 =
                states.iter().zip(row).map(|(s, c)| s * *c).sum::<Complex64>() + row[n] + rate * row[n + 1];
            let radius =
                moved.iter().zip(row).map(|(m, c)| m * c.abs()).sum::<f64>() + half / self.dt * row[n + 1].abs();
            Disc { centre, radius }
        })
    }
}

/// Solves W X = R in place, n rows, by elimination with pivots; false where W has no inverse.
fn solve(w: &mut [Complex64], right: &mut [Complex64], n: usize, columns: usize) -> bool {
    for k in 0..n {
        let Some(pivot) = (k..n).max_by(|&a, &b| w[a * n + k].norm_sqr().total_cmp(&w[b * n + k].norm_sqr())) else {
            return false;
        };
        if w[pivot * n + k].norm_sqr() == 0.0 {
            return false;
        }
        (0..n).for_each(|j| w.swap(k * n + j, pivot * n + j));
        (0..columns).for_each(|j| right.swap(k * columns + j, pivot * columns + j));
        let one = w[k * n + k].inv();
        for i in (0..n).filter(|i| *i != k) {
            let factor = w[i * n + k] * one;
            (k..n).for_each(|j| {
                let above = w[k * n + j];
                w[i * n + j] -= factor * above;
            });
            (0..columns).for_each(|j| {
                let above = right[k * columns + j];
                right[i * columns + j] -= factor * above;
            });
        }
        (k..n).for_each(|j| w[k * n + j] *= one);
        (0..columns).for_each(|j| right[k * columns + j] *= one);
    }
    true
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Actuator for Transfer {
    fn memory(&self) -> usize {
        2 * self.order
    }
    fn advance(&self, memory: &mut [f64], [before, now]: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        let n = self.order;
        let (state, next) = memory.split_at_mut(n);
        for (x, row) in next.iter_mut().zip(self.map.chunks_exact(n + 2)) {
            *x = dot(&row[..n], state) + row[n] * before + row[n + 1] * now;
        }
        state.copy_from_slice(&next[..n]);
        // What is only needed within a sample is not remembered.
        next.fill(0.0);
        let rate = (now - before) / self.dt;
        let of = |row: &[f64]| dot(&row[..n], state) + row[n] * now + row[n + 1] * rate;
        let [x, v, a] = &self.outputs;
        Reached::imposed(of(x), of(v), of(a), specimen)
    }
}
