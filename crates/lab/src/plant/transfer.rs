//! An actuator with a transfer function, any order, sampled exactly for a command that is linear over the sample.
//!
//! x/u = (b₀ + b₁ s + ... )/(a₀ + a₁ s + ... + aₙ sⁿ), with fewer terms above than below, in the controllable canonical form over the
//! time ω₀ t, ω₀ = (a₀/aₙ)^(1/n), which keeps its numbers near one.

use super::exponential::exponential;
use super::{Actuator, Reached, Specimen};

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
