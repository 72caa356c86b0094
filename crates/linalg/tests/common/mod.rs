//! Matrices for tests, examples and measurements: chains and frames of Euler-Bernoulli beams.
#![allow(dead_code, unreachable_pub)]

use interfield_linalg::Pattern;

/// A matrix on its pattern.
pub struct Matrix {
    pub pattern: Pattern,
    pub values: Vec<f64>,
}

impl Matrix {
    /// Sums triplets; entries and their mirror images are expected to be both present where both are nonzero.
    pub fn new(n: usize, triplets: &[(usize, usize, f64)]) -> Matrix {
        let pattern = Pattern::new(n, triplets.iter().map(|t| (t.0, t.1)));
        let mut values = vec![0.0; pattern.nnz()];
        for &(i, j, v) in triplets {
            values[pattern.position(i, j).expect("entry of the pattern")] += v;
        }
        Matrix { pattern, values }
    }

    pub fn n(&self) -> usize {
        self.pattern.n()
    }
}

/// Mass and stiffness on one pattern.
pub struct Structure {
    pub pattern: Pattern,
    pub k: Vec<f64>,
    pub m: Vec<f64>,
}

impl Structure {
    fn new(n: usize, k: &[(usize, usize, f64)], m: &[(usize, usize, f64)]) -> Structure {
        let pattern = Pattern::new(n, k.iter().chain(m).map(|t| (t.0, t.1)));
        let sum = |list: &[(usize, usize, f64)]| {
            let mut values = vec![0.0; pattern.nnz()];
            for &(i, j, v) in list {
                values[pattern.position(i, j).expect("entry of the pattern")] += v;
            }
            values
        };
        let (k, m) = (sum(k), sum(m));
        Structure { pattern, k, m }
    }

    /// M + (h/2)² K.
    pub fn effective(&self, h: f64) -> Matrix {
        let values = self.m.iter().zip(&self.k).map(|(m, k)| m + 0.25 * h * h * k).collect();
        Matrix { pattern: self.pattern.clone(), values }
    }
}

/// Deterministic numbers in [-1, 1).
pub struct Lcg(pub u64);

impl Lcg {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// Chain of n masses, fixed at the left end unless `free`.
pub fn chain(n: usize, k: f64, m: f64, free: bool) -> Structure {
    let (mut ks, mut ms) = (Vec::new(), Vec::new());
    for i in 0..n {
        ms.push((i, i, m));
        if i > 0 {
            ks.extend([(i, i, k), (i - 1, i - 1, k), (i, i - 1, -k), (i - 1, i, -k)]);
        } else if !free {
            ks.push((0, 0, k));
        }
    }
    Structure::new(n, &ks, &ms)
}

const E: f64 = 210e9;
const G: f64 = 81e9;
const RHO: f64 = 7850.0;

/// Section: area, two second moments of area, torsion constant.
struct Section {
    a: f64,
    iy: f64,
    iz: f64,
    j: f64,
}

const SECTION: Section = Section { a: 1.5e-2, iy: 3.0e-4, iz: 1.0e-4, j: 5.0e-6 };

/// Local 12 x 12 stiffness of a space beam.
fn beam(l: f64, s: &Section) -> [[f64; 12]; 12] {
    let mut k = [[0.0; 12]; 12];
    let mut put = |i: usize, j: usize, v: f64| {
        k[i][j] += v;
        if i != j {
            k[j][i] += v;
        }
    };
    for (i, v) in [(0, E * s.a / l), (3, G * s.j / l)] {
        put(i, i, v);
        put(i + 6, i + 6, v);
        put(i, i + 6, -v);
    }
    // Bending: (transverse, rotation, stiffness, sign of the coupling).
    for (t, r, ei, sign) in [(1, 5, E * s.iz, 1.0), (2, 4, E * s.iy, -1.0)] {
        let (b, c) = (12.0 * ei / l.powi(3), sign * 6.0 * ei / (l * l));
        put(t, t, b);
        put(t + 6, t + 6, b);
        put(t, t + 6, -b);
        put(t, r, c);
        put(t, r + 6, c);
        put(t + 6, r, -c);
        put(t + 6, r + 6, -c);
        put(r, r, 4.0 * ei / l);
        put(r + 6, r + 6, 4.0 * ei / l);
        put(r, r + 6, 2.0 * ei / l);
    }
    k
}

/// Adds a beam between two points; `unknown(end, global direction)` numbers the unknowns, None is fixed.
fn add_beam(
    ends: [[f64; 3]; 2],
    unknown: impl Fn(usize, usize) -> Option<usize>,
    k: &mut Vec<(usize, usize, f64)>,
    m: &mut Vec<(usize, usize, f64)>,
) {
    let d: [f64; 3] = std::array::from_fn(|i| ends[1][i] - ends[0][i]);
    let l = d.iter().map(|x| x * x).sum::<f64>().sqrt();
    let x = d.map(|v| v / l);
    // Local y: horizontal where possible.
    let up = if x[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let y = cross(up, x);
    let ny = y.iter().map(|v| v * v).sum::<f64>().sqrt();
    let y = y.map(|v| v / ny);
    let r = [x, y, cross(x, y)];
    let local = beam(l, &SECTION);
    let mass = RHO * SECTION.a * l / 2.0 + 2000.0;
    for a in 0..12 {
        let Some(i) = unknown(a / 6, a % 6) else { continue };
        m.push((i, i, if a % 6 < 3 { mass } else { mass * l * l / 420.0 }));
        for b in 0..12 {
            let Some(j) = unknown(b / 6, b % 6) else { continue };
            let (ba, bb) = (a / 3 * 3, b / 3 * 3);
            let mut v = 0.0;
            for p in 0..3 {
                for q in 0..3 {
                    v += r[p][a % 3] * local[ba + p][bb + q] * r[q][b % 3];
                }
            }
            if v != 0.0 {
                k.push((i, j, v));
            }
        }
    }
}

/// Plane frame, 3 unknowns per node (ux, uz, ry), clamped at the ground unless `free`.
pub fn plane_frame(bays: usize, storeys: usize, free: bool) -> Structure {
    let columns = bays + 1;
    let ground = usize::from(!free);
    let n = 3 * columns * (storeys + 1 - ground);
    let node = |c: usize, s: usize| [6.0 * c as f64, 0.0, 3.5 * s as f64];
    let unknown = |c: usize, s: usize, direction: usize| {
        let local = [0, 2, 4].iter().position(|&d| d == direction)?;
        (s >= ground).then(|| 3 * (c + columns * (s - ground)) + local)
    };
    let (mut k, mut m) = (Vec::new(), Vec::new());
    for s in 0..=storeys {
        for c in 0..columns {
            let ends = [(c, s + 1), (c + 1, s)];
            for (e, &(c2, s2)) in ends.iter().enumerate() {
                if s2 > storeys || c2 >= columns || (e == 1 && s < 1) {
                    continue;
                }
                let at = [(c, s), (c2, s2)];
                add_beam([node(c, s), node(c2, s2)], |e, d| unknown(at[e].0, at[e].1, d), &mut k, &mut m);
            }
        }
    }
    Structure::new(n, &k, &m)
}

/// Space frame, 6 unknowns per node, clamped at the ground.
pub fn space_frame(bays_x: usize, bays_y: usize, storeys: usize) -> Structure {
    let (nx, ny) = (bays_x + 1, bays_y + 1);
    let n = 6 * nx * ny * storeys;
    let node = |p: [usize; 3]| [6.0 * p[0] as f64, 5.0 * p[1] as f64, 3.5 * p[2] as f64];
    let unknown = |p: [usize; 3], d: usize| (p[2] > 0).then(|| 6 * (p[0] + nx * (p[1] + ny * (p[2] - 1))) + d);
    let (mut k, mut m) = (Vec::new(), Vec::new());
    for z in 0..=storeys {
        for y in 0..ny {
            for x in 0..nx {
                for axis in 0..3 {
                    let a = [x, y, z];
                    let mut b = a;
                    b[axis] += 1;
                    if b[0] >= nx || b[1] >= ny || b[2] > storeys || (axis < 2 && z == 0) {
                        continue;
                    }
                    let at = [a, b];
                    add_beam([node(a), node(b)], |e, d| unknown(at[e], d), &mut k, &mut m);
                }
            }
        }
    }
    Structure::new(n, &k, &m)
}

/// Arrow matrix: dense first row and column, unsymmetric unless asked otherwise.
pub fn arrow(n: usize, symmetric: bool) -> Matrix {
    let mut t = vec![(0, 0, n as f64)];
    for i in 1..n {
        t.extend([(i, i, 2.0 + i as f64 / n as f64), (0, i, 0.5), (i, 0, if symmetric { 0.5 } else { -0.7 })]);
    }
    Matrix::new(n, &t)
}

/// Random structurally symmetric matrix with a dominant diagonal of mixed signs when `indefinite`.
pub fn random(n: usize, per_row: usize, symmetric: bool, indefinite: bool, seed: u64) -> Matrix {
    let mut lcg = Lcg(seed);
    let mut t = Vec::new();
    for i in 0..n {
        for _ in 0..per_row {
            let j = ((lcg.next() + 1.0) * 0.5 * n as f64) as usize % n;
            if i != j {
                let v = lcg.next();
                t.extend([(i, j, v), (j, i, if symmetric { v } else { lcg.next() })]);
            }
        }
        let sign = if indefinite && lcg.next() < 0.0 { -1.0 } else { 1.0 };
        t.push((i, i, sign * (3.0 * per_row as f64 + lcg.next())));
    }
    Matrix::new(n, &t)
}

/// Symmetric positive definite matrix without zeros.
pub fn full(n: usize) -> Matrix {
    let t: Vec<_> = (0..n)
        .flat_map(|i| {
            (0..n).map(move |j| (i, j, if i == j { n as f64 } else { 1.0 / (1.0 + (i as f64 - j as f64).abs()) }))
        })
        .collect();
    Matrix::new(n, &t)
}
