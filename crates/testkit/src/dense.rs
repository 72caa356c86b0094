//! Linear substructures of a few unknowns, given by dense matrices, for scans over many of them: no model file, no
//! pattern, and a specimen whose true stiffness is not the one its operators know.

use interfield_kernel::{Dims, Fault, Mck, Point, Shift, SlowLaws, System};
use interfield_linalg::dense_solve;

use crate::numerics::Random;

/// A linear law between two unknowns, or an unknown and the ground, of which the operators know another stiffness.
#[derive(Clone, Debug)]
struct DenseLaw {
    /// Extension per displacement.
    b: Vec<f64>,
    /// Stiffness of the operators, and the true one.
    k: [f64; 2],
    /// Given force while it is computed apart: value, slope, time.
    given: [f64; 3],
}

/// M a + C v + K_t u = noise, with operators that believe in K. Matrices are row-major.
#[derive(Clone, Debug)]
pub struct Dense {
    n: usize,
    /// Mass.
    pub m: Vec<f64>,
    /// Damping.
    pub c: Vec<f64>,
    /// Stiffness of the operators.
    pub k: Vec<f64>,
    /// True stiffness.
    pub kt: Vec<f64>,
    /// Standard deviation of normally distributed noise on every force, and its source.
    pub noise: Option<(f64, Random)>,
    laws: Vec<DenseLaw>,
    inverses: Vec<Vec<f64>>,
}

impl Dense {
    /// From its matrices; the true stiffness is the one of the operators.
    pub fn new(m: Vec<f64>, c: Vec<f64>, k: Vec<f64>) -> Self {
        let n = m.len().isqrt();
        Dense { n, m, c, kt: k.clone(), k, noise: None, laws: Vec::new(), inverses: Vec::new() }
    }

    /// One unknown.
    pub fn single(m: f64, k: f64) -> Self {
        Dense::new(vec![m], vec![0.0], vec![k])
    }

    /// With a true stiffness of `share` of what its operators know.
    pub fn softened(mut self, share: f64) -> Self {
        self.kt = self.k.iter().map(|k| share * k).collect();
        self
    }

    /// With a law of extension `b` u, whose true stiffness is `share` of the `k` its operators know.
    pub fn with_law(mut self, b: Vec<f64>, k: f64, share: f64) -> Self {
        let law = DenseLaw { b, k: [k, share * k], given: [0.0; 3] };
        law.add(law.k[0], &mut self.k);
        law.add(law.k[1], &mut self.kt);
        self.laws.push(law);
        self
    }

    /// Mechanical energy of [u v], with the true stiffness.
    pub fn energy(&self, u: &[f64], v: &[f64]) -> f64 {
        self.form(&self.m, v) + self.form(&self.kt, u)
    }

    /// Pseudo-energy of trapezoidal Newmark, 1/2 aᵀ M a + 1/2 vᵀ K v (book: newmark 1.4).
    pub fn pseudo_energy(&self, v: &[f64], a: &[f64]) -> f64 {
        self.form(&self.m, a) + self.form(&self.k, v)
    }

    /// 1/2 xᵀ A x.
    fn form(&self, a: &[f64], x: &[f64]) -> f64 {
        let rows = a.chunks_exact(self.n).zip(x);
        0.5 * rows.map(|(row, xi)| xi * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()).sum::<f64>()
    }
}

impl DenseLaw {
    /// a += bᵀ value b.
    fn add(&self, value: f64, a: &mut [f64]) {
        let n = self.b.len();
        (0..n * n).for_each(|i| a[i] += value * self.b[i / n] * self.b[i % n]);
    }

    fn extension(&self, u: &[f64]) -> f64 {
        self.b.iter().zip(u).map(|(b, u)| b * u).sum()
    }
}

impl SlowLaws for Dense {
    fn size(&self) -> [usize; 2] {
        [self.laws.len(), 0]
    }

    fn stiffness(&self, x: &[f64], f: &mut [f64]) {
        self.laws.iter().zip(x).zip(f).for_each(|((law, x), f)| *f = law.k[0] * x);
    }

    fn motion(&mut self, at: Point<'_>, x: &mut [f64], y: &mut [f64]) {
        for (i, law) in self.laws.iter().enumerate() {
            (x[i], y[i]) = (law.extension(at.u), law.extension(at.v));
        }
    }

    fn accelerations(&mut self, _: f64, a: &[f64], out: &mut [f64]) {
        self.laws.iter().zip(out).for_each(|(law, out)| *out = law.extension(a));
    }

    fn memory(&mut self, _: Point<'_>, _: &mut [f64]) {}

    fn follow(&self, x: &[f64], _: &mut [f64], f: &mut [f64]) -> Result<(), Fault> {
        self.laws.iter().zip(x).zip(f).for_each(|((law, x), f)| *f = law.k[1] * x);
        Ok(())
    }

    fn detach(&mut self, half: f64) {
        for law in &self.laws {
            law.add(-law.k[0], &mut self.k);
            law.add(-law.k[1], &mut self.kt);
            law.add(half * law.k[0], &mut self.c);
        }
    }

    fn drive(&mut self, (t, h): (f64, f64), from: &[f64], to: &[f64]) {
        for (i, law) in self.laws.iter_mut().enumerate() {
            law.given = [from[i], (to[i] - from[i]) / h, t];
        }
    }

    fn show(&mut self, _: &[f64], _: &mut [f64]) {}
}

/// y += A x.
fn multiply(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, y) in a.chunks_exact(x.len()).zip(y) {
        *y += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

impl System for Dense {
    fn dims(&self) -> Dims {
        Dims { nu: self.n, ns: 0 }
    }

    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        match shift {
            Some(shift) => self.mul_tangent(shift, r, g),
            None => r.fill(0.0),
        }
        multiply(&self.kt, at.u, r);
        multiply(&self.c, at.v, r);
        for law in &self.laws {
            let [w, slope, t] = law.given;
            let p = w + slope * (at.t - t);
            r.iter_mut().zip(&law.b).for_each(|(r, b)| *r += b * p);
        }
        if let Some((deviation, random)) = &mut self.noise {
            r.iter_mut().for_each(|r| *r += *deviation * random.normal());
        }
        Ok(())
    }

    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        let n = self.n;
        self.inverses.clear();
        for o in operators {
            let d: Vec<f64> = (0..n * n).map(|i| o.m * self.m[i] + o.c * self.c[i] + o.k * self.k[i]).collect();
            let mut inverse: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i % (n + 1) == 0))).collect();
            if !dense_solve(&d, n, &mut inverse, n) {
                return Err(Fault::Singular { dof: 0 });
            }
            self.inverses.push(inverse);
        }
        Ok(())
    }

    fn linearise(&mut self, _: Point<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn solve(&mut self, slot: usize, b: &mut [f64], _: &mut [f64]) {
        let x = b.to_vec();
        b.fill(0.0);
        multiply(&self.inverses[slot], &x, b);
    }

    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        multiply(&self.m, x, y);
    }

    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], _: &mut [f64]) {
        r.fill(0.0);
        multiply(&self.k, x.u, r);
        multiply(&self.c, x.v, r);
    }

    fn load(&mut self, _: f64, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn laws(&mut self) -> Option<&mut dyn SlowLaws> {
        Some(self)
    }

    fn drift(&mut self, _: Point<'_>, _: f64, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        r.fill(0.0);
        g.fill(0.0);
        Ok(())
    }
}
