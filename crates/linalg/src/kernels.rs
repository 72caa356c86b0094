//! Numeric kernels of the simplicial factorisation `A = L D U` (unit triangular `L`, `U`; `U = Lᵀ` when symmetric).
//!
//! *Factorisation, up-looking, by panels.* Row `k` of `L` and column `k` of `U` follow from the part already factorised:
//!
//! ```text
//! y = L₁⁻¹ a(1:k-1, k)      column of U before division,  u = D₁⁻¹ y
//! z = U₁⁻ᵀ a(k, 1:k-1)ᵀ     row of L before division,     l = D₁⁻¹ z
//! d = a(k, k) − Σ zⱼ yⱼ / dⱼ
//! ```
//!
//! Both are sparse triangular solves over the same index lists, because the pattern is symmetric; for symmetric values
//! they coincide and only one is done. Each is a scatter of one row of `A` into a work vector followed by the panels that
//! have an entry in row `k`, from left to right: solve with the panel's small triangle, subtract its rows from the work
//! vector, append the finished entries to the panel. The scalar form of this algorithm is that of T. A. Davis,
//! "Algorithm 849: a concise sparse Cholesky factorization package", ACM TOMS 31(4), 2005; here the column lists are
//! replaced by panels, whose row lists are known beforehand, so no tree is walked in the numeric phase.
//!
//! *Solution.* Forward with `L` by columns, scaling with `D⁻¹`, backward with `U` by rows: both read the panels as stored.
//!
//! *Panel storage.* Width `W`, first the strict lower triangle row by row, then `W` values for each row index.
//! Everything is generic over `W`, so the compiler unrolls the inner loops completely.

use crate::symbolic::{Panel, Symbolic};

/// Length of a strict lower triangle.
const fn triangle(width: usize) -> usize {
    width * width.saturating_sub(1) / 2
}

/// `x` of the panel, solved with its unit lower triangle.
#[inline(always)]
fn forward_triangle<const W: usize>(tri: &[f64], x: &mut [f64; W]) {
    for i in 1..W {
        let row = &tri[triangle(i)..][..i];
        // Oldest value first: the newest is the one the chain of dependencies waits for.
        for j in 0..i {
            x[i] -= row[j] * x[j];
        }
    }
}

#[inline(always)]
fn load<const W: usize>(x: &[f64], first: usize) -> [f64; W] {
    let mut out = [0.0; W];
    out.copy_from_slice(&x[first..first + W]);
    out
}

/// `Σ vⱼ xⱼ`, the last product added last.
#[inline(always)]
fn dot<const W: usize>(v: &[f64; W], x: &[f64; W]) -> f64 {
    match W {
        4 => (v[0] * x[0] + v[1] * x[1]) + (v[2] * x[2] + v[3] * x[3]),
        _ => {
            let mut sum = v[0] * x[0];
            for j in 1..W {
                sum += v[j] * x[j];
            }
            sum
        }
    }
}

#[inline(always)]
fn forward_panel<const W: usize>(first: usize, rows: &[u32], values: &[f64], x: &mut [f64]) {
    let (tri, values) = values.split_at(triangle(W));
    let mut top = load::<W>(x, first);
    forward_triangle(tri, &mut top);
    x[first..first + W].copy_from_slice(&top);
    for (&row, v) in rows.iter().zip(values.as_chunks::<W>().0) {
        x[row as usize] -= dot(v, &top);
    }
}

#[inline(always)]
fn backward_panel<const W: usize>(first: usize, rows: &[u32], values: &[f64], inverse: &[f64], x: &mut [f64]) {
    let (tri, values) = values.split_at(triangle(W));
    let mut sum = [0.0; W];
    for (&row, v) in rows.iter().zip(values.as_chunks::<W>().0) {
        let xi = x[row as usize];
        for j in 0..W {
            sum[j] += v[j] * xi;
        }
    }
    let mut top = load::<W>(x, first);
    let scale = load::<W>(inverse, first);
    for j in (0..W).rev() {
        top[j] = top[j] * scale[j] - sum[j];
        for i in j + 1..W {
            top[j] -= tri[triangle(i) + j] * top[i];
        }
    }
    x[first..first + W].copy_from_slice(&top);
}

/// Panel of width `W` applied to row `k` of the factorisation: finishes `y` for the panel's columns, subtracts the
/// `done` rows above `k` from the work vector, clears what it consumed.
#[inline(always)]
fn eliminate<const W: usize>(first: usize, rows: &[u32], values: &[f64], work: &mut [f64]) -> [f64; W] {
    let (tri, values) = values.split_at(triangle(W));
    let mut y = load::<W>(work, first);
    work[first..first + W].fill(0.0);
    forward_triangle(tri, &mut y);
    for (&row, v) in rows.iter().zip(values.as_chunks::<W>().0) {
        work[row as usize] -= dot(v, &y);
    }
    y
}

/// A pivot under construction: its value and the sum of the magnitudes it was made of.
struct Pivot {
    value: f64,
    scale: f64,
}

impl Pivot {
    #[inline(always)]
    fn subtract(&mut self, product: f64) {
        self.value -= product;
        self.scale += product.abs();
    }
}

/// Row `k` against one panel left of it, symmetric values.
#[inline(always)]
fn row_symmetric<const W: usize>(a: Step<'_>, work: &mut [f64], lower: &mut [f64], pivot: &mut Pivot) {
    let mut y = eliminate::<W>(a.first, a.rows, &lower[a.values..], work);
    let scale = load::<W>(a.inverse, a.first);
    for j in 0..W {
        let l = y[j] * scale[j];
        pivot.subtract(l * y[j]);
        y[j] = l;
    }
    lower[a.values + triangle(W) + W * a.rows.len()..][..W].copy_from_slice(&y);
}

/// Row `k` of `L` and column `k` of `U` against one panel left of it.
#[inline(always)]
fn row_general<const W: usize>(
    a: Step<'_>,
    (row_work, column_work): (&mut [f64], &mut [f64]),
    (lower, upper): (&mut [f64], &mut [f64]),
    pivot: &mut Pivot,
) {
    let mut y = eliminate::<W>(a.first, a.rows, &lower[a.values..], column_work);
    let mut z = eliminate::<W>(a.first, a.rows, &upper[a.values..], row_work);
    let scale = load::<W>(a.inverse, a.first);
    for j in 0..W {
        let l = z[j] * scale[j];
        pivot.subtract(l * y[j]);
        z[j] = l;
        y[j] *= scale[j];
    }
    let at = a.values + triangle(W) + W * a.rows.len();
    lower[at..at + W].copy_from_slice(&z);
    upper[at..at + W].copy_from_slice(&y);
}

/// What a panel shows to row `k`: its columns, the rows it already has, its values, the inverse pivots so far.
#[derive(Clone, Copy)]
struct Step<'a> {
    first: usize,
    rows: &'a [u32],
    values: usize,
    inverse: &'a [f64],
}

/// The part of row `k` inside its own panel, whose first column is `first`: same as a panel left of it, but of a width
/// known only at run time and with nothing below.
fn own_panel(first: usize, k: usize, tri: &[f64], work: &mut [f64]) {
    for i in first + 1..k {
        let row = &tri[triangle(i - first)..][..i - first];
        let mut sum = work[i];
        for (l, y) in row.iter().zip(&work[first..i]) {
            sum -= l * y;
        }
        work[i] = sum;
    }
}

/// Calls a kernel with the panel's width as a constant.
macro_rules! by_width {
    ($panel:expr, $kernel:ident ( $($arg:expr),* )) => {
        match $panel.width {
            1 => $kernel::<1>($($arg),*),
            2 => $kernel::<2>($($arg),*),
            3 => $kernel::<3>($($arg),*),
            _ => $kernel::<4>($($arg),*),
        }
    };
}

/// Work space of the numeric phase.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// Scattered row of `A`; all zero between rows.
    row: Vec<f64>,
    /// Scattered column of `A`; empty for symmetric values.
    column: Vec<f64>,
    /// Rows already appended to each panel.
    filled: Vec<u32>,
}

impl Workspace {
    pub(crate) fn new(symbolic: &Symbolic, general: bool) -> Workspace {
        Workspace {
            row: vec![0.0; symbolic.n()],
            column: vec![0.0; if general { symbolic.n() } else { 0 }],
            filled: vec![0; symbolic.panels.len()],
        }
    }

    fn clear(&mut self) {
        self.row.fill(0.0);
        self.column.fill(0.0);
        self.filled.fill(0);
    }
}

/// A pivot is refused when it is not larger than this share of the magnitudes it was made of: then cancellation has left
/// nothing but rounding errors. Measuring against its own terms (not against the largest entry of the matrix) makes the
/// test independent of units and of the scaling of rows.
pub(crate) fn pivot_tolerance(n: usize) -> f64 {
    16.0 * f64::EPSILON * (n as f64).sqrt()
}

/// Numeric factorisation of symmetric values: `lower` and `inverse` (of the pivots). Returns the failing row of the
/// factor.
pub(crate) fn factorize_symmetric(
    s: &Symbolic,
    a: &[f64],
    lower: &mut [f64],
    inverse: &mut [f64],
    space: &mut Workspace,
) -> Result<(), usize> {
    space.clear();
    let tolerance = pivot_tolerance(s.n());
    let work = &mut space.row[..];
    for k in 0..s.n() {
        for entry in &s.lower[s.lower_ptr[k] as usize..s.lower_ptr[k + 1] as usize] {
            work[entry.column as usize] = a[entry.source as usize];
        }
        let diagonal = a[s.diagonal[k] as usize];
        let mut pivot = Pivot { value: diagonal, scale: diagonal.abs() };
        for &p in &s.row_panels[s.row_panels_ptr[k] as usize..s.row_panels_ptr[k + 1] as usize] {
            let (panel, filled) = (&s.panels[p as usize], &mut space.filled[p as usize]);
            let step = step(s, panel, *filled, inverse);
            *filled += 1;
            by_width!(panel, row_symmetric(step, work, lower, &mut pivot));
        }
        let own = &s.panels[s.panel_of[k] as usize];
        let (first, at) = (own.first as usize, own.values as usize);
        own_panel(first, k, &lower[at..], work);
        let tri = &mut lower[at + triangle(k - first)..];
        for ((l, y), scale) in tri.iter_mut().zip(&mut work[first..k]).zip(&inverse[first..k]) {
            *l = *y * scale;
            pivot.subtract(*l * *y);
            *y = 0.0;
        }
        inverse[k] = finish(&pivot, tolerance).ok_or(k)?;
    }
    Ok(())
}

/// Numeric factorisation of unsymmetric values: `lower` holds `L`, `upper` holds `Uᵀ`, both in the same storage scheme.
pub(crate) fn factorize_general(
    s: &Symbolic,
    a: &[f64],
    (lower, upper): (&mut [f64], &mut [f64]),
    inverse: &mut [f64],
    space: &mut Workspace,
) -> Result<(), usize> {
    space.clear();
    let tolerance = pivot_tolerance(s.n());
    let (row, column) = (&mut space.row[..], &mut space.column[..]);
    for k in 0..s.n() {
        for entry in &s.lower[s.lower_ptr[k] as usize..s.lower_ptr[k + 1] as usize] {
            row[entry.column as usize] = a[entry.source as usize];
            column[entry.column as usize] = a[entry.mirror as usize];
        }
        let diagonal = a[s.diagonal[k] as usize];
        let mut pivot = Pivot { value: diagonal, scale: diagonal.abs() };
        for &p in &s.row_panels[s.row_panels_ptr[k] as usize..s.row_panels_ptr[k + 1] as usize] {
            let (panel, filled) = (&s.panels[p as usize], &mut space.filled[p as usize]);
            let step = step(s, panel, *filled, inverse);
            *filled += 1;
            by_width!(panel, row_general(step, (row, column), (lower, upper), &mut pivot));
        }
        let own = &s.panels[s.panel_of[k] as usize];
        let (first, at) = (own.first as usize, own.values as usize);
        own_panel(first, k, &lower[at..], column);
        own_panel(first, k, &upper[at..], row);
        let at = at + triangle(k - first);
        for j in first..k {
            let l = row[j] * inverse[j];
            pivot.subtract(l * column[j]);
            lower[at + j - first] = l;
            upper[at + j - first] = column[j] * inverse[j];
            row[j] = 0.0;
            column[j] = 0.0;
        }
        inverse[k] = finish(&pivot, tolerance).ok_or(k)?;
    }
    Ok(())
}

#[inline(always)]
fn step<'a>(s: &'a Symbolic, panel: &Panel, filled: u32, inverse: &'a [f64]) -> Step<'a> {
    Step {
        first: panel.first as usize,
        rows: &s.rows[panel.rows as usize..][..filled as usize],
        values: panel.values as usize,
        inverse,
    }
}

/// Inverse of an acceptable pivot. Written so that NaN and infinity are refused, too.
fn finish(pivot: &Pivot, tolerance: f64) -> Option<f64> {
    let inverse = 1.0 / pivot.value;
    (pivot.value.abs() > tolerance * pivot.scale && inverse.is_finite() && pivot.scale.is_finite()).then_some(inverse)
}

/// `x = (L D U)⁻¹ x`, in the numbering of the factor. For symmetric values pass the same array twice.
pub(crate) fn solve(s: &Symbolic, lower: &[f64], upper: &[f64], inverse: &[f64], x: &mut [f64]) {
    for panel in &s.panels {
        let rows = &s.rows[panel.rows as usize..][..panel.rows_len as usize];
        by_width!(panel, forward_panel(panel.first as usize, rows, &lower[panel.values as usize..], x));
    }
    for panel in s.panels.iter().rev() {
        let rows = &s.rows[panel.rows as usize..][..panel.rows_len as usize];
        by_width!(panel, backward_panel(panel.first as usize, rows, &upper[panel.values as usize..], inverse, x));
    }
}
