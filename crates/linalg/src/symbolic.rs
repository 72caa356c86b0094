//! Symbolic analysis for the simplicial factorisation: ordering, elimination tree, fill and panels. Runs once.
//!
//! A *panel* is a run of up to [`MAX_WIDTH`] adjacent columns of `L` that share one list of row indices below them.
//! Structures give such columns for free (the unknowns of a node see the same neighbours), and neighbouring columns that
//! differ by little are merged at the price of a few stored zeros. Panels are what makes the kernels fast: one index and
//! one load/store of the vector serve up to four entries, and the arithmetic inside a panel stays in registers.

use crate::Pattern;
use crate::ordering::{NONE, Ordering, inverse};
use crate::watch::Watch;

/// Widest panel. Four columns of sums and factors fit the sixteen SSE2 registers; wider ones were not tried.
pub(crate) const MAX_WIDTH: usize = 4;

/// Zeros a panel may store to swallow one more column: this many (so that chains form panels of four), or this share of
/// its entries. Picked by reasoning, not tuned; the times in `choice.rs` were measured with these values.
const FREE_ZEROS: usize = 8;
const ZERO_SHARE: f64 = 0.15;

/// Columns `first .. first + width` of `L` and where their rows and values are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel {
    pub(crate) first: u32,
    pub(crate) width: u32,
    /// Range in [`Symbolic::rows`].
    pub(crate) rows: u32,
    pub(crate) rows_len: u32,
    /// Start of the values: the strict lower triangle of the panel row by row, then `width` values per row.
    pub(crate) values: u32,
}

/// Everything about the factor that does not depend on values.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    pub(crate) ordering: &'static str,
    /// `order[new] = old`; empty when the ordering is the identity.
    pub(crate) order: Vec<u32>,
    pub(crate) panels: Vec<Panel>,
    /// Row indices below each panel, ascending.
    pub(crate) rows: Vec<u32>,
    /// Length of the value array of one triangle.
    pub(crate) values_len: usize,
    /// For each row: the panels left of it that have an entry in the row, ascending (compressed rows).
    pub(crate) row_panels_ptr: Vec<u32>,
    pub(crate) row_panels: Vec<u32>,
    /// Panel that contains a column.
    pub(crate) panel_of: Vec<u32>,
    /// Strictly lower entries of the permuted matrix (compressed rows): column, position of the entry, position of its
    /// mirror image in the value slice.
    pub(crate) lower_ptr: Vec<u32>,
    pub(crate) lower: Vec<Lower>,
    /// Position of each diagonal entry in the value slice.
    pub(crate) diagonal: Vec<u32>,
}

/// One strictly lower entry of the permuted matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lower {
    pub(crate) column: u32,
    pub(crate) source: u32,
    pub(crate) mirror: u32,
}

impl Symbolic {
    /// Analyses the pattern under the best order of elimination.
    pub(crate) fn new(pattern: &Pattern) -> Symbolic {
        Symbolic::with_order(pattern, Ordering::best(pattern, &Watch::default()))
    }

    pub(crate) fn with_order(pattern: &Pattern, ordering: Ordering) -> Symbolic {
        let n = pattern.n();
        let Ordering { name: ordering, order, parent, .. } = ordering;
        let inv = inverse(&order);
        let columns = column_structure(pattern, &order, &inv, &parent);
        let panels = Panels::new(&parent, &columns);

        let mut row_panels_ptr = vec![0u32; n + 1];
        for &row in &panels.rows {
            row_panels_ptr[row as usize + 1] += 1;
        }
        for i in 0..n {
            row_panels_ptr[i + 1] += row_panels_ptr[i];
        }
        let mut next = row_panels_ptr.clone();
        let mut row_panels = vec![0u32; panels.rows.len()];
        let mut panel_of = vec![0u32; n];
        for (p, panel) in panels.panels.iter().enumerate() {
            panel_of[panel.first as usize..][..panel.width as usize].fill(p as u32);
            for &row in &panels.rows[panel.rows as usize..][..panel.rows_len as usize] {
                row_panels[next[row as usize] as usize] = p as u32;
                next[row as usize] += 1;
            }
        }

        let (mut lower_ptr, mut lower, mut diagonal) = (vec![0u32], Vec::new(), Vec::with_capacity(n));
        for k in 0..n {
            let old = order[k] as usize;
            for position in pattern.row(old) {
                let neighbour = pattern.raw().1[position] as usize;
                let column = inv[neighbour];
                if neighbour == old {
                    diagonal.push(position as u32);
                } else if (column as usize) < k {
                    // The pattern is symmetric, so the mirror image exists.
                    let mirror = pattern.position(neighbour, old).unwrap_or(position) as u32;
                    lower.push(Lower { column, source: position as u32, mirror });
                }
            }
            lower_ptr.push(lower.len() as u32);
        }
        let identity = order.iter().enumerate().all(|(new, &old)| new == old as usize);
        Symbolic {
            ordering,
            order: if identity { Vec::new() } else { order },
            values_len: panels.values_len,
            panels: panels.panels,
            rows: panels.rows,
            row_panels_ptr,
            row_panels,
            panel_of,
            lower_ptr,
            lower,
            diagonal,
        }
    }

    /// Number of rows.
    pub(crate) fn n(&self) -> usize {
        self.diagonal.len()
    }

    /// Original number of a row of the factor.
    pub(crate) fn original(&self, k: usize) -> usize {
        self.order.get(k).map_or(k, |&old| old as usize)
    }
}

/// Walks the pattern of every row `k` of `L` and calls `visit(j, k)` for each of its strictly lower entries.
fn each_entry(pattern: &Pattern, order: &[u32], inv: &[u32], parent: &[u32], mut visit: impl FnMut(usize, u32)) {
    let mut seen = vec![NONE; order.len()];
    for k in 0..order.len() as u32 {
        seen[k as usize] = k;
        for &neighbour in pattern.columns(order[k as usize] as usize) {
            let mut j = inv[neighbour as usize];
            while j < k && seen[j as usize] != k {
                seen[j as usize] = k;
                visit(j as usize, k);
                j = parent[j as usize];
            }
        }
    }
}

/// Row indices of every column of `L`, ascending.
fn column_structure(pattern: &Pattern, order: &[u32], inv: &[u32], parent: &[u32]) -> Vec<Vec<u32>> {
    let mut columns = vec![Vec::new(); order.len()];
    each_entry(pattern, order, inv, parent, |j, k| columns[j].push(k));
    columns
}

/// Panels and their row lists.
struct Panels {
    panels: Vec<Panel>,
    rows: Vec<u32>,
    values_len: usize,
}

impl Panels {
    /// Merges adjacent columns greedily from the left.
    fn new(parent: &[u32], columns: &[Vec<u32>]) -> Panels {
        let n = columns.len();
        let mut out = Panels { panels: Vec::new(), rows: Vec::new(), values_len: 0 };
        let mut first = 0;
        while first < n {
            let mut last = first;
            let mut real = columns[first].len();
            while last + 1 < n && last + 1 - first < MAX_WIDTH && parent[last] as usize == last + 1 {
                let width = last + 2 - first;
                let below = columns[last + 1].len();
                let stored = width * below + width * (width - 1) / 2;
                let zeros = stored - (real + below);
                if zeros > FREE_ZEROS.max((ZERO_SHARE * stored as f64) as usize) {
                    break;
                }
                real += below;
                last += 1;
            }
            let width = last + 1 - first;
            let rows = &columns[last];
            out.panels.push(Panel {
                first: first as u32,
                width: width as u32,
                rows: out.rows.len() as u32,
                rows_len: rows.len() as u32,
                values: out.values_len as u32,
            });
            out.rows.extend_from_slice(rows);
            out.values_len += width * (width - 1) / 2 + width * rows.len();
            first = last + 1;
        }
        out
    }
}
