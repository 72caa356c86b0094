//! References by other means than the schemes under test: matrix exponential, classical Runge-Kutta, small dense algebra.

/// Largest absolute difference of two vectors; NaN if there is one in either.
///
/// # Panics
/// If their lengths differ.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, |m, x| if x > m || x.is_nan() { x } else { m })
}

/// Largest absolute value; NaN if there is one.
pub fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

/// Slope of the least-squares line through (ln x, ln y): the order suggested by errors `y` at steps `x`.
pub fn slope(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (lx, ly): (Vec<f64>, Vec<f64>) = (x.iter().map(|x| x.ln()).collect(), y.iter().map(|y| y.ln()).collect());
    let (mx, my) = (lx.iter().sum::<f64>() / n, ly.iter().sum::<f64>() / n);
    let xy: f64 = lx.iter().zip(&ly).map(|(x, y)| (x - mx) * (y - my)).sum();
    xy / lx.iter().map(|x| (x - mx) * (x - mx)).sum::<f64>()
}

/// Product of two row-major n x n matrices.
pub fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            c[i * n + j] = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
        }
    }
    c
}

/// Product of a row-major matrix with a vector.
pub fn apply(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// Exponential of a row-major n x n matrix: scaling, Taylor series, squaring.
pub fn exponential(a: &[f64], n: usize) -> Vec<f64> {
    let norm = largest(a) * n as f64;
    let squarings = (norm.log2().ceil() + 4.0).max(0.0) as i32;
    let scaled: Vec<f64> = a.iter().map(|x| x / 2f64.powi(squarings)).collect();
    let identity = |i: usize| f64::from(u8::from(i.is_multiple_of(n + 1)));
    let mut term: Vec<f64> = (0..n * n).map(identity).collect();
    let mut sum = term.clone();
    for k in 1..=20 {
        term = product(&term, &scaled, n);
        term.iter_mut().for_each(|x| *x /= f64::from(k));
        sum.iter_mut().zip(&term).for_each(|(s, t)| *s += t);
    }
    for _ in 0..squarings {
        sum = product(&sum, &sum, n);
    }
    sum
}

/// Solves a row-major n x n system by elimination with row pivoting.
///
/// # Panics
/// If the matrix is singular.
pub fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let (mut a, mut x) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let pivot = (k..n).fold(k, |p, i| if a[i * n + k].abs() > a[p * n + k].abs() { i } else { p });
        assert!(a[pivot * n + k] != 0.0, "singular matrix");
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
        }
        x.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= f * a[k * n + j];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
        x[k] = (x[k] - rest) / a[k * n + k];
    }
    x
}

/// Matrix of the first-order form y' = A y of M u'' + C u' + K u = 0 with a diagonal mass.
pub fn first_order(m: &[f64], c: &[f64], k: &[f64]) -> Vec<f64> {
    let n = m.len();
    let mut a = vec![0.0; 4 * n * n];
    for i in 0..n {
        a[i * 2 * n + n + i] = 1.0;
        for j in 0..n {
            a[(n + i) * 2 * n + j] = -k[i * n + j] / m[i];
            a[(n + i) * 2 * n + n + j] = -c[i * n + j] / m[i];
        }
    }
    a
}

/// Classical Runge-Kutta integration of y' = f(t, y) from t = 0 with `steps` steps of length `h`.
pub fn runge_kutta<const N: usize>(
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
    y: &mut [f64; N],
    h: f64,
    from: u64,
    to: u64,
) {
    let moved = |y: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for step in from..to {
        let t = step as f64 * h;
        let k1 = f(t, y);
        let k2 = f(t + 0.5 * h, &moved(y, &k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &moved(y, &k2, 0.5 * h));
        let k4 = f(t + h, &moved(y, &k3, h));
        for i in 0..N {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}

/// Pseudo-random numbers (SplitMix64): the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// 10^x with x uniform between the exponents.
    pub fn decades(&mut self, from: f64, to: f64) -> f64 {
        10f64.powf(from + (to - from) * self.uniform())
    }

    /// An index below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Normally distributed, mean 0, deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
