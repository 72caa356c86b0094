//! Structures of the tests of reductions.
#![allow(dead_code, unreachable_pub)]

use interfield_linalg::reduction::{Bound, Component, Interior, Superelement};
use interfield_linalg::{Pattern, Wanted, dense_symmetric_generalized};

/// A structure under construction: unknowns, and element matrices on them.
#[derive(Default)]
pub struct Builder {
    pub n: usize,
    pub entries: Vec<(usize, usize, f64, f64)>,
}

pub struct Structure {
    pub pattern: Pattern,
    pub k: Vec<f64>,
    pub m: Vec<f64>,
}

impl Builder {
    pub fn add(&mut self, i: usize, j: usize, k: f64, m: f64) {
        self.entries.push((i, j, k, m));
    }

    pub fn spring(&mut self, i: usize, j: usize, k: f64) {
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            self.add(a, b, sign * k, 0.0);
        }
    }

    pub fn done(&self) -> Structure {
        let pattern = Pattern::new(self.n, self.entries.iter().map(|e| (e.0, e.1)));
        let (mut k, mut m) = (vec![0.0; pattern.nnz()], vec![0.0; pattern.nnz()]);
        for &(i, j, ke, me) in &self.entries {
            let at = pattern.position(i, j).expect("an entry of the pattern");
            k[at] += ke;
            m[at] += me;
        }
        Structure { pattern, k, m }
    }
}

impl Structure {
    pub fn component<'a>(&'a self, kept: &'a [usize]) -> Component<'a> {
        Component { pattern: &self.pattern, stiffness: &self.k, mass: &self.m, kept }
    }

    pub fn mul(&self, values: &[f64], x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.pattern.mul(values, x, &mut y);
        y
    }
}

/// Euler-Bernoulli member with consistent mass between two points, over (x, y, rotation) of both ends.
pub fn member(b: &mut Builder, ends: [Option<usize>; 2], vertical: bool, l: f64, (ea, ei, rho): (f64, f64, f64)) {
    let (a, c, d, e) = (ea / l, 12.0 * ei / l.powi(3), 6.0 * ei / (l * l), ei / l);
    let k = [
        [a, 0.0, 0.0, -a, 0.0, 0.0],
        [0.0, c, d, 0.0, -c, d],
        [0.0, d, 4.0 * e, 0.0, -d, 2.0 * e],
        [-a, 0.0, 0.0, a, 0.0, 0.0],
        [0.0, -c, -d, 0.0, c, -d],
        [0.0, d, 2.0 * e, 0.0, -d, 4.0 * e],
    ];
    let w = rho * l / 420.0;
    let m = [
        [140.0, 0.0, 0.0, 70.0, 0.0, 0.0],
        [0.0, 156.0, 22.0 * l, 0.0, 54.0, -13.0 * l],
        [0.0, 22.0 * l, 4.0 * l * l, 0.0, 13.0 * l, -3.0 * l * l],
        [70.0, 0.0, 0.0, 140.0, 0.0, 0.0],
        [0.0, 54.0, 13.0 * l, 0.0, 156.0, -22.0 * l],
        [0.0, -13.0 * l, -3.0 * l * l, 0.0, -22.0 * l, 4.0 * l * l],
    ];
    // Local axis along x or along y.
    let turn = |i: usize| match (vertical, i % 3) {
        (true, 0) => (1, 1.0),
        (true, 1) => (0, -1.0),
        (_, r) => (r, 1.0),
    };
    for i in 0..6 {
        for j in 0..6 {
            let ((ri, si), (rj, sj)) = (turn(i), turn(j));
            if let (Some(p), Some(q)) = (ends[i / 3], ends[j / 3]) {
                b.add(p + ri, q + rj, si * sj * k[i][j], si * sj * m[i][j] * w);
            }
        }
    }
}

/// The frames of the sheet: 30 GPa, 2500 kg/m3, columns 0.64 m2 and 0.0341 m4, beams 0.18 m2 and 0.0054 m4 with 3000 kg/m on them.
pub fn frame(bays: usize, storeys: usize, fixed: bool) -> (Structure, impl Fn(usize, usize, usize) -> usize) {
    let first = usize::from(fixed);
    let at = move |storey: usize, column: usize| 3 * ((storey - first) * (bays + 1) + column);
    let node = |storey: usize, column: usize| (storey >= first).then(|| at(storey, column));
    let mut b = Builder { n: 3 * (bays + 1) * (storeys + 1 - first), entries: Vec::new() };
    for storey in 1..=storeys {
        for column in 0..=bays {
            let ends = [node(storey - 1, column), node(storey, column)];
            member(&mut b, ends, true, 3.5, (0.64 * 30e9, 0.0341 * 30e9, 0.64 * 2500.0));
        }
        for bay in 0..bays {
            let ends = [node(storey, bay), node(storey, bay + 1)];
            member(&mut b, ends, false, 6.0, (0.18 * 30e9, 0.0054 * 30e9, 0.18 * 2500.0 + 3000.0));
        }
    }
    (b.done(), move |storey, column, direction| at(storey, column) + direction)
}

/// Frequencies of a superelement with what stands on its kept unknowns, Hz.
pub fn frequencies(e: &Superelement, springs: &[f64]) -> Vec<f64> {
    let mut k = e.stiffness.clone();
    springs.iter().enumerate().for_each(|(b, s)| k[b * e.size() + b] += s);
    let (values, _) = dense_symmetric_generalized(&k, &e.mass, e.size()).expect("a positive mass");
    values.iter().map(|v| v.max(0.0).sqrt() / std::f64::consts::TAU).collect()
}

pub fn reduced<'a>(
    interior: &mut Interior<'a>,
    count: usize,
    residual: bool,
    loads: &[Vec<f64>],
) -> (Superelement, Bound) {
    let mut basis = interior.modes(Wanted::Count(count), 400).expect("the modes are found");
    if residual {
        interior.add_residual(&mut basis, loads).expect("residual vectors");
    }
    let bound = Bound::new(interior, &basis, loads);
    (interior.superelement(&basis), bound)
}
