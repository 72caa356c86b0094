//! A column of a transfer matrix: one command, all strokes, one denominator and one delay.

use interfield_linalg::{dense_solve, eigenvalues};

use crate::plant::{Complex64, Rational};

/// Iterations of the weights.
const ITERATIONS: usize = 12;
/// Delays that are tried, as shares of the whole lag at low frequency.
const DELAYS: [f64; 4] = [0.1, 0.3, 0.6, 0.9];

/// Least damping ratio of a pole: a servo loop has more, and what has less explains noise.
const DAMPED: f64 = 0.01;
/// Fastest pole, in units of the highest frequency: faster ones cannot be told from none.
const FASTEST: f64 = 100.0;

/// N_i(s)/D(s) e^(-s delay), D = 1 + d₁ s + ... + dₙ sⁿ; s in units of the highest frequency.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// d₁ to dₙ.
    pub(super) denominator: Vec<f64>,
    /// n coefficients per stroke, from the constant upwards.
    pub(super) numerators: Vec<f64>,
    pub(super) delay: f64,
}

impl Column {
    /// Fits column `j` of measured responses by order `n`, with a delay or without.
    pub(super) fn fit(
        responses: &[(f64, Vec<Complex64>)],
        m: usize,
        j: usize,
        n: usize,
        late: bool,
        scale: f64,
    ) -> Option<Self> {
        let points: Vec<(f64, Vec<Complex64>)> = responses
            .iter()
            .map(|(f, g)| (std::f64::consts::TAU * f / scale, (0..m).map(|i| g[i * m + j]).collect()))
            .collect();
        if !late {
            return Self::rational_fit(&points, n, 0.0).map(|(column, _)| column);
        }
        // The whole lag, by the lowest lines of the stroke that is commanded.
        let low: Vec<_> = points.iter().take(4).collect();
        let lag = -low.iter().map(|(w, g)| g[j].arg() * w).sum::<f64>() / low.iter().map(|(w, _)| w * w).sum::<f64>();
        let tried = DELAYS.iter().filter_map(|share| Self::rational_fit(&points, n, share * lag.max(0.0)));
        tried.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(column, _)| column)
    }

    /// The fit for a given delay, and what it leaves.
    fn rational_fit(points: &[(f64, Vec<Complex64>)], n: usize, delay: f64) -> Option<(Self, f64)> {
        let m = points.first()?.1.len();
        let size = n + m * n;
        let mut column = Column { denominator: vec![0.0; n], numerators: vec![0.0; m * n], delay };
        for _ in 0..ITERATIONS {
            let (mut normal, mut right) = (vec![0.0; size * size], vec![0.0; size]);
            for (w, g) in points {
                let s = Complex64::new(0.0, *w);
                let weight = 1.0 / column.below(s).norm();
                for (i, g) in g.iter().enumerate() {
                    // N_i - g e^(s delay) (d₁ s + ...) = g e^(s delay).
                    let g = g * Complex64::cis(w * delay) * weight;
                    let mut row: Vec<(usize, Complex64)> = (0..n).map(|k| (k, -g * s.powu(k as u32 + 1))).collect();
                    row.extend((0..n).map(|k| (n + i * n + k, s.powu(k as u32) * weight)));
                    for (p, a) in &row {
                        right[*p] += (a.conj() * g).re;
                        row.iter().for_each(|(q, b)| normal[p * size + q] += (a.conj() * b).re);
                    }
                }
            }
            if !dense_solve(&normal, size, &mut right, 1) {
                return None;
            }
            column.denominator.copy_from_slice(&right[..n]);
            column.numerators.copy_from_slice(&right[n..]);
            column.reflect()?;
        }
        let left = points.iter().flat_map(|(w, g)| {
            let column = &column;
            g.iter().enumerate().map(move |(i, g)| (column.response(i, Complex64::new(0.0, *w)) - g).norm_sqr())
        });
        let left: f64 = left.sum();
        left.is_finite().then_some((column, left))
    }

    /// D(s).
    pub(super) fn below(&self, s: Complex64) -> Complex64 {
        self.denominator.iter().rev().fold(Complex64::ZERO, |sum, d| (sum + d) * s) + 1.0
    }

    /// Stroke `i` over the command.
    pub(super) fn response(&self, i: usize, s: Complex64) -> Complex64 {
        let n = self.denominator.len();
        let above = self.numerators[i * n..(i + 1) * n].iter().rev().fold(Complex64::ZERO, |sum, b| sum * s + b);
        above / self.below(s) * (-s * self.delay).exp()
    }

    /// Poles in units of the highest frequency; `None` if the order is lost.
    fn poles(&self) -> Option<Vec<Complex64>> {
        let n = self.denominator.len();
        let last = self.denominator[n - 1];
        if last == 0.0 || !last.is_finite() {
            return None;
        }
        let mut companion = vec![0.0; n * n];
        for i in 0..n {
            if i + 1 < n {
                companion[i * n + i + 1] = 1.0;
            }
            let coefficient = if i == 0 { 1.0 } else { self.denominator[i - 1] };
            companion[(n - 1) * n + i] = -coefficient / last;
        }
        Some(eigenvalues(&companion, n).ok()?.into_iter().map(|(re, im)| Complex64::new(re, im)).collect())
    }

    /// Whether all poles decay.
    pub(super) fn is_stable(&self) -> bool {
        self.poles().is_some_and(|poles| poles.iter().all(decays))
    }

    /// Poles that grow are mirrored: the size of the response stays.
    fn reflect(&mut self) -> Option<()> {
        let poles = self.poles()?;
        if poles.iter().all(decays) {
            return Some(());
        }
        let mirror = |p: &Complex64| {
            Complex64::new(-p.re.abs().max(2.0 * DAMPED * p.norm()), p.im) * (0.5 * FASTEST / p.norm()).min(1.0)
        };
        let mirrored: Vec<Complex64> = poles.iter().map(mirror).collect();
        let product = Rational::from_roots(&[], &mirrored, 1.0).denominator;
        for (d, c) in self.denominator.iter_mut().zip(&product[1..]) {
            *d = c / product[0];
        }
        Some(())
    }

    /// Entry of stroke `i` in s of rad/s, from the constant upwards.
    pub(super) fn rational(&self, i: usize, scale: f64) -> Rational {
        let n = self.denominator.len();
        let in_rad = |c: &[f64], from: i32| -> Vec<f64> {
            c.iter().zip(from..).map(|(c, power)| c * scale.powi(-power)).collect()
        };
        Rational {
            numerator: in_rad(&self.numerators[i * n..(i + 1) * n], 0),
            denominator: [vec![1.0], in_rad(&self.denominator, 1)].concat(),
        }
    }
}

/// Whether a pole decays as one of an actuator does.
fn decays(pole: &Complex64) -> bool {
    pole.re < -DAMPED * pole.norm() && pole.norm() < FASTEST
}
