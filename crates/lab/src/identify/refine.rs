//! All columns together, fitted to the strokes by the method of Levenberg and Marquardt.

use interfield_linalg::dense_solve;

use super::Line;
use super::columns::Column;
use crate::plant::Complex64;

const ITERATIONS: usize = 60;

/// A fit with its criterion.
pub(super) struct Fitted {
    pub(super) columns: Vec<Column>,
    /// Schwarz' criterion: N ln(rest) + unknowns ln N.
    pub(super) criterion: f64,
}

/// Places of the unknowns: of each column d, N of all strokes, and the delay if there is one.
struct Layout {
    m: usize,
    n: usize,
    late: bool,
}

impl Layout {
    fn width(&self) -> usize {
        self.n + self.m * self.n + usize::from(self.late)
    }

    fn add(&self, columns: &[Column], step: &[f64]) -> Vec<Column> {
        let (m, n) = (self.m, self.n);
        let one = |(column, step): (&Column, &[f64])| {
            let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
            let delay = if self.late { (column.delay + step[n + m * n]).max(0.0) } else { column.delay };
            Column {
                denominator: sum(&column.denominator, &step[..n]),
                numerators: sum(&column.numerators, &step[n..n + m * n]),
                delay,
            }
        };
        columns.iter().zip(step.chunks(self.width())).map(one).collect()
    }

    /// Derivatives of stroke `i` at a line: place and value.
    fn derivatives(&self, columns: &[Column], line: &Line, i: usize, s: Complex64) -> Vec<(usize, Complex64)> {
        let (m, n) = (self.m, self.n);
        let mut all = Vec::with_capacity(columns.len() * (2 * n + 1));
        for (j, column) in columns.iter().enumerate() {
            let at = j * self.width();
            let below = column.below(s);
            let through = (-s * column.delay).exp() * line.u[j];
            let reached = column.response(i, s) * line.u[j];
            let mut power = Complex64::ONE;
            for k in 0..n {
                all.push((at + n + i * n + k, power * through / below));
                power *= s;
                all.push((at + k, -reached * power / below));
            }
            if self.late {
                all.push((at + n + m * n, -s * reached));
            }
        }
        all
    }
}

/// Σ |w (y - ŷ)|².
fn rest(columns: &[Column], lines: &[Line], weights: &[f64], scale: f64) -> f64 {
    let of = |line: &Line| {
        let s = Complex64::new(0.0, line.omega / scale);
        let left = |(i, y): (usize, &Complex64)| {
            let reached: Complex64 = columns.iter().zip(&line.u).map(|(c, u)| c.response(i, s) * u).sum();
            (weights[i] * (y - reached)).norm_sqr()
        };
        line.y.iter().enumerate().map(left).sum::<f64>()
    };
    lines.iter().map(of).sum()
}

/// Refines a start; `None` if it leads to no stable plant.
pub(super) fn refine(start: Vec<Column>, lines: &[Line], weights: &[f64], late: bool, scale: f64) -> Option<Fitted> {
    let layout = Layout { m: start.len(), n: start.first()?.denominator.len(), late };
    let size = start.len() * layout.width();
    let (mut columns, mut damping) = (start, 1e-3);
    let mut left = rest(&columns, lines, weights, scale);
    for _ in 0..ITERATIONS {
        let (mut normal, mut right) = (vec![0.0; size * size], vec![0.0; size]);
        for line in lines {
            let s = Complex64::new(0.0, line.omega / scale);
            for (i, y) in line.y.iter().enumerate() {
                let reached: Complex64 = columns.iter().zip(&line.u).map(|(c, u)| c.response(i, s) * u).sum();
                let (error, weight) = (y - reached, weights[i] * weights[i]);
                let row = layout.derivatives(&columns, line, i, s);
                for (p, a) in &row {
                    let a = a.conj() * weight;
                    right[*p] += (a * error).re;
                    row.iter().for_each(|(q, b)| normal[p * size + q] += a.re * b.re - a.im * b.im);
                }
            }
        }
        let mut better = None;
        while better.is_none() && damping < 1e8 {
            let mut matrix = normal.clone();
            (0..size).for_each(|p| matrix[p * size + p] *= 1.0 + damping);
            let mut step = right.clone();
            let tried = dense_solve(&matrix, size, &mut step, 1).then(|| layout.add(&columns, &step));
            let tried = tried.filter(|t| t.iter().all(Column::is_stable));
            let judged = tried.map(|t| (rest(&t, lines, weights, scale), t)).filter(|(r, _)| *r < left);
            damping *= if judged.is_some() { 0.2 } else { 8.0 };
            better = judged;
        }
        let Some((now, found)) = better else { break };
        let gained = left - now;
        (columns, left) = (found, now);
        if gained <= 1e-9 * left {
            break;
        }
    }
    let count = (2 * lines.len() * layout.m) as f64;
    let criterion = count * (left.max(f64::MIN_POSITIVE) / count).ln() + size as f64 * count.ln();
    (left.is_finite() && columns.iter().all(Column::is_stable)).then_some(Fitted { columns, criterion })
}
