//! What the batteries share: random points away from corners, tangents as blocks, a dense solve.

use interfield_kernel::element::{AnyLaw, Element, LAWS, Tangent};

use crate::samples::{SAMPLES, Sample};

/// Runs a check over every parameter set of every registered law.
pub(crate) fn for_each_law(mut check: impl FnMut(&Sample, &AnyLaw)) {
    for info in LAWS {
        let mut met = 0;
        for sample in SAMPLES.iter().filter(|x| x.law == info.name) {
            let law = AnyLaw::new(sample.law, sample.parameters).expect("wrong number of parameters in SAMPLES");
            check(sample, &law);
            met += 1;
        }
        assert!(met > 0, "law '{}' has no entry in SAMPLES: add parameters here", info.name);
    }
    for sample in SAMPLES {
        assert!(LAWS.iter().any(|x| x.name == sample.law), "no law '{}' for an entry of SAMPLES", sample.law);
    }
}

/// Deterministic pseudo-random numbers (Knuth's MMIX generator).
pub(crate) struct Lcg(pub(crate) u64);

impl Lcg {
    /// Uniform in [-1, 1].
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) s: Vec<f64>,
    pub(crate) acc: Vec<f64>,
}

impl Point {
    pub(crate) fn len(&self) -> usize {
        self.q.len() + self.v.len() + self.s.len()
    }
    /// Entry `j` of (q, v, s).
    pub(crate) fn entry(&mut self, j: usize) -> &mut f64 {
        let (d, s) = (self.q.len(), self.v.len());
        if j < d {
            &mut self.q[j]
        } else if j < d + s {
            &mut self.v[j - d]
        } else {
            &mut self.s[j - d - s]
        }
    }
}

/// Points of the region at least 6 % away from corners; the largest difference stencil reaches 0.1 %.
pub(crate) fn points(sample: &Sample, count: usize) -> Vec<Point> {
    let mut random = Lcg(17 + sample.law.len() as u64 + sample.parameters.len() as u64);
    let mut out = Vec::new();
    for _ in 0..100 * count {
        let mut draw = |region: &[(f64, f64)]| region.iter().map(|(c, h)| c + h * random.next()).collect::<Vec<_>>();
        let (q, v, s) = (draw(sample.q), draw(sample.v), draw(sample.s));
        let acc = random.vector(q.len()).iter().map(|x| 5.0 * x).collect();
        let point = Point { q, v, s, acc };
        if (sample.corner)(&point) > 0.06 {
            out.push(point);
        }
        if out.len() == count {
            return out;
        }
    }
    panic!("{}: hardly any point is away from corners", sample.law);
}

/// Half widths of the region in the order of [`Point::entry`].
pub(crate) fn widths(sample: &Sample) -> Vec<f64> {
    sample.q.iter().chain(sample.v).chain(sample.s).map(|x| x.1).collect()
}

/// (p + M acc, g)
pub(crate) fn outputs(law: &dyn Element, x: &Point) -> Vec<f64> {
    let (d, s) = law.size();
    let (mut p, mut g, mut m) = (vec![0.0; d], vec![0.0; s], vec![0.0; d * d]);
    law.response(0.0, &x.q, &x.v, &x.s, &mut p, &mut g);
    if law.has_mass() {
        law.mass(&x.q, &mut m);
        for i in 0..d {
            for j in 0..d {
                p[i] += m[i * d + j] * x.acc[j];
            }
        }
    }
    p.extend(g);
    p
}

pub(crate) struct Blocks {
    pub(crate) k: Vec<f64>,
    pub(crate) c: Vec<f64>,
    pub(crate) r: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) e: Vec<f64>,
}

impl Blocks {
    pub(crate) fn of(law: &dyn Element, x: &Point) -> Blocks {
        let (d, s) = law.size();
        let nan = |n| vec![f64::NAN; n];
        let mut y = Blocks { k: nan(d * d), c: nan(d * d), r: nan(d * s), a: nan(s * d), b: nan(s * d), e: nan(s * s) };
        let out = Tangent { k: &mut y.k, c: &mut y.c, r: &mut y.r, a: &mut y.a, b: &mut y.b, e: &mut y.e };
        law.tangent(0.0, &x.q, &x.v, &x.s, &x.acc, out);
        y
    }

    /// Derivative of output `i` of (p, g) with respect to entry `j` of (q, v, s).
    pub(crate) fn entry(&self, (d, s): (usize, usize), i: usize, j: usize) -> f64 {
        let force = i < d;
        let row = if force { i } else { i - d };
        let (block, width, column) = if j < d {
            (if force { &self.k } else { &self.a }, d, j)
        } else if j < 2 * d {
            (if force { &self.c } else { &self.b }, d, j - d)
        } else {
            (if force { &self.r } else { &self.e }, s, j - 2 * d)
        };
        block[row * width + column]
    }
}

/// Gaussian elimination with pivoting.
pub(crate) fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&x, &y| a[x][i].abs().total_cmp(&a[y][i].abs())).unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        for r in i + 1..n {
            let f = a[r][i] / a[i][i];
            for c in i..n {
                a[r][c] -= f * a[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for i in (0..n).rev() {
        for c in i + 1..n {
            b[i] -= a[i][c] * b[c];
        }
        b[i] /= a[i][i];
    }
    b
}

#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "found {found}, expected {expected}");
}
