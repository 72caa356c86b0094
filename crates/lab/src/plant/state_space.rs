//! Linear actuators that act on one another, in continuous time: strokes y from the commands u of all of them.
//!
//! ```text
//! z' = A z + B u,    y = C z + D u,    u_j behind a delay of its own
//! ```
//!
//! Matrices are row-major, SI. A transfer matrix is realised column by column, in the controllable canonical form of
//! [`transfer`](super::transfer) for each denominator that occurs in a column.

use interfield_linalg::{balance, dense_solve, eigenvalues};
use realfft::num_complex::Complex64;

/// A ratio of polynomials in s, coefficients from the constant upwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Rational {
    /// No longer than the denominator; empty: zero.
    pub numerator: Vec<f64>,
    /// Its last coefficient is not zero.
    pub denominator: Vec<f64>,
}

impl Rational {
    /// gain Π (s - zeros)/Π (s - poles), in rad/s; complex ones come in pairs, of which both are given.
    pub fn from_roots(zeros: &[Complex64], poles: &[Complex64], gain: f64) -> Self {
        let numerator = expanded(zeros).into_iter().map(|c| gain * c).collect();
        Rational { numerator, denominator: expanded(poles) }
    }

    /// Its value at s = 0; infinite or no number where the denominator vanishes.
    pub fn dc(&self) -> f64 {
        self.numerator.first().copied().unwrap_or(0.0) / self.denominator.first().copied().unwrap_or(0.0)
    }

    /// Whether its numerator is of higher order than its denominator.
    pub fn is_improper(&self) -> bool {
        degree(&self.numerator) > degree(&self.denominator)
    }
}

/// Order of a polynomial; zero for none.
fn degree(coefficients: &[f64]) -> usize {
    coefficients.iter().rposition(|c| *c != 0.0).unwrap_or(0)
}

/// Π (s - root), from the constant upwards.
fn expanded(roots: &[Complex64]) -> Vec<f64> {
    let mut product = vec![Complex64::ONE];
    for root in roots {
        product.push(Complex64::ZERO);
        for i in (0..product.len()).rev() {
            let below = if i > 0 { product[i - 1] } else { Complex64::ZERO };
            product[i] = below - root * product[i];
        }
    }
    product.into_iter().map(|c| c.re).collect()
}

/// Linear dynamics of several actuators together.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// Number of states.
    pub order: usize,
    /// Number of actuators.
    pub actuators: usize,
    /// order x order.
    pub a: Vec<f64>,
    /// order x actuators.
    pub b: Vec<f64>,
    /// actuators x order.
    pub c: Vec<f64>,
    /// actuators x actuators.
    pub d: Vec<f64>,
    /// Delay of each command, s.
    pub delays: Vec<f64>,
}

impl StateSpace {
    /// These matrices, the states scaled so that the numbers of A are alike; `None` if the sizes do not fit or a number is not finite.
    pub fn new([a, b, c, d]: [Vec<f64>; 4], actuators: usize) -> Option<Self> {
        let m = actuators;
        let n = b.len().checked_div(m)?;
        let fits = a.len() == n * n && b.len() == n * m && c.len() == m * n && d.len() == m * m;
        if !fits || ![&a, &b, &c, &d].into_iter().flatten().all(|x| x.is_finite()) {
            return None;
        }
        let (a, scale) = balance(&a, n);
        let b = b.iter().enumerate().map(|(k, x)| x / scale[k / m]).collect();
        let c = c.iter().enumerate().map(|(k, x)| x * scale[k % n.max(1)]).collect();
        Some(StateSpace { order: n, actuators, a, b, c, d, delays: vec![0.0; m] })
    }

    /// A transfer matrix, row-major: stroke by command. `None` if an entry is improper or its denominator ends with zero.
    pub fn from_transfer_matrix(entries: &[Rational], actuators: usize) -> Option<Self> {
        let m = actuators;
        let mut blocks: Vec<Block> = Vec::new();
        let mut d = vec![0.0; m * m];
        for column in 0..m {
            let first = blocks.len();
            for row in 0..m {
                let entry = entries.get(row * m + column)?;
                let (last, n) = (*entry.denominator.last()?, entry.denominator.len() - 1);
                if last == 0.0 || entry.numerator.len() > n + 1 {
                    return None;
                }
                let direct = entry.numerator.get(n).map_or(0.0, |b| b / last);
                d[row * m + column] = direct;
                let strictly: Vec<f64> = (0..n)
                    .map(|i| entry.numerator.get(i).copied().unwrap_or(0.0) - direct * entry.denominator[i])
                    .collect();
                if strictly.iter().all(|b| *b == 0.0) {
                    continue;
                }
                match blocks[first..].iter_mut().find(|b| b.denominator == entry.denominator) {
                    Some(block) => block.rows.push((row, strictly)),
                    None => blocks.push(Block {
                        column,
                        denominator: entry.denominator.clone(),
                        rows: vec![(row, strictly)],
                    }),
                }
            }
        }
        let n: usize = blocks.iter().map(Block::order).sum();
        let (mut a, mut b, mut c) = (vec![0.0; n * n], vec![0.0; n * m], vec![0.0; m * n]);
        let mut at = 0;
        for block in &blocks {
            block.write(at, n, m, [&mut a, &mut b, &mut c]);
            at += block.order();
        }
        Self::new([a, b, c, d], m)
    }

    /// Each actuator with a transfer function of its own.
    pub fn diagonal(entries: &[Rational]) -> Option<Self> {
        let m = entries.len();
        let nothing = Rational { numerator: Vec::new(), denominator: vec![1.0] };
        let all: Vec<Rational> =
            (0..m * m).map(|k| if k / m == k % m { entries[k / m].clone() } else { nothing.clone() }).collect();
        Self::from_transfer_matrix(&all, m)
    }

    /// How late its slowest actuator follows a slow command of its own, s; `None` for a plant without an answer there.
    pub fn lag(&self) -> Option<f64> {
        // 1 Hz, where structures move.
        let (omega, m) = (std::f64::consts::TAU, self.actuators);
        let response = self.response(omega)?;
        (0..m).map(|i| -response[i * (m + 1)].arg() / omega).reduce(f64::max)
    }

    /// Strokes over commands at the angular frequency ω, rad/s: m x m; `None` at a pole.
    pub fn response(&self, omega: f64) -> Option<Vec<Complex64>> {
        let (n, m) = (self.order, self.actuators);
        // (iω - A) X = B in real numbers: [-A -ω; ω -A] [Re X; Im X] = [B; 0].
        let mut matrix = vec![0.0; 4 * n * n];
        for i in 0..n {
            for j in 0..n {
                matrix[i * 2 * n + j] = -self.a[i * n + j];
                matrix[(n + i) * 2 * n + n + j] = -self.a[i * n + j];
            }
            matrix[i * 2 * n + n + i] -= omega;
            matrix[(n + i) * 2 * n + i] += omega;
        }
        let mut x = [self.b.clone(), vec![0.0; n * m]].concat();
        if !dense_solve(&matrix, 2 * n, &mut x, m) {
            return None;
        }
        let entry = |row: usize, column: usize| {
            let part = |offset: usize| (0..n).map(|k| self.c[row * n + k] * x[(offset + k) * m + column]).sum::<f64>();
            let late = Complex64::cis(-omega * self.delays[column]);
            late * Complex64::new(part(0) + self.d[row * m + column], part(n))
        };
        Some((0..m * m).map(|k| entry(k / m, k % m)).collect())
    }

    /// Strokes over commands at rest, m x m; `None` if a pole is at zero.
    pub fn dc(&self) -> Option<Vec<f64>> {
        Some(self.response(0.0)?.into_iter().map(|g| g.re).collect())
    }

    /// Its poles, rad/s; empty if they cannot be computed.
    pub fn poles(&self) -> Vec<Complex64> {
        let found = eigenvalues(&self.a, self.order).unwrap_or_default();
        found.into_iter().map(|(re, im)| Complex64::new(re, im)).collect()
    }
}

/// What has one denominator in one column of a transfer matrix.
struct Block {
    column: usize,
    denominator: Vec<f64>,
    /// Row and numerator, shorter than the denominator.
    rows: Vec<(usize, Vec<f64>)>,
}

impl Block {
    fn order(&self) -> usize {
        self.denominator.len() - 1
    }

    /// Writes its part of A, B and C: controllable canonical form over the time ω₀ t, ω₀ = (a₀/aₙ)^(1/n).
    fn write(&self, at: usize, all: usize, inputs: usize, [a, b, c]: [&mut [f64]; 3]) {
        let n = self.order();
        let last = self.denominator[n];
        let w = match (self.denominator[0] / last).abs().powf(1.0 / n as f64) {
            w if w.is_finite() && w > 0.0 => w,
            _ => 1.0,
        };
        for i in 0..n {
            if i + 1 < n {
                a[(at + i) * all + at + i + 1] = w;
            }
            a[(at + n - 1) * all + at + i] = -w * self.denominator[i] / (last * w.powi((n - i) as i32));
        }
        b[(at + n - 1) * inputs + self.column] = w;
        for (row, numerator) in &self.rows {
            for (i, x) in numerator.iter().enumerate() {
                c[row * all + at + i] = x / (last * w.powi((n - i) as i32));
            }
        }
    }
}
