//! Elements given by matrices, inline or in Matrix Market files: constant M, C, K, and linear first-order blocks.

use super::Context;
use super::elements::{DOFS, initial_states, listed};
use crate::key::*;
use crate::matrix_market;
use crate::model::{BlockData, Kind};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

/// Rows of numbers, or the name of a file.
type MatrixKey = Or<Rows, Text>;

section! {
    pub(super) [MATRICES];
    M: MatrixKey = matrix_key("M");
    C: MatrixKey = matrix_key("C");
    K: MatrixKey = matrix_key("K");
    A: MatrixKey = matrix_key("A");
    B: MatrixKey = matrix_key("B");
    BV: MatrixKey = matrix_key("Bv");
    D: MatrixKey = matrix_key("D");
    DV: MatrixKey = matrix_key("Dv");
}

/// A matrix of an element; its sentence is that of the catalogue.
const fn matrix_key(name: &'static str) -> Key<MatrixKey> {
    key(name, "A matrix: rows, or the name of a file (Matrix Market, or rows of numbers as OpenSees prints them).")
}

/// What stands for a matrix.
pub(super) enum Matrix {
    /// The word that may stand in its place, or nothing.
    Word,
    /// Its rows, in the units of the file.
    Rows(Spanned<Vec<Vec<f64>>>),
}

/// A matrix as rows, inline or in a file, in the units of the model file; or this word.
pub(super) fn rows(context: &Context<'_>, table: &Table<'_>, key: &Key<MatrixKey>, word: &str) -> Option<Matrix> {
    if !table.has(key) {
        return Some(Matrix::Word);
    }
    let given = table.read(key)?;
    let path = match given.value {
        Either::First(rows) => return Some(Matrix::Rows(Spanned::new(rows, given.span))),
        Either::Second(text) if text == word => return Some(Matrix::Word),
        Either::Second(path) => Spanned::new(path, given.span),
    };
    let refuse = |e: String, help: &str| {
        context.error(path.span.clone(), format!("`{}`: {e}", path.value), help);
        None
    };
    match (context.files)(&path.value) {
        Err(e) => refuse(e, "the path is relative to the model file"),
        Ok(bytes) => {
            let text = std::str::from_utf8(&bytes).map_err(|e| {
                let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
                format!("is not a text file: line {line} is not UTF-8")
            });
            match text.and_then(|t| matrix_market::parse(t.trim_start_matches('\u{feff}'))) {
                Ok(m) => Some(Matrix::Rows(Spanned::new(m, path.span))),
                Err(e) => refuse(
                    e,
                    "the file must be in Matrix Market format (coordinate or array, real), or hold rows of numbers",
                ),
            }
        }
    }
}

/// A matrix of known shape as one list, row by row; `factor(i, j)` converts entry (i, j) to SI.
pub(super) fn flat(
    context: &Context<'_>,
    key: &str,
    matrix: &Spanned<Vec<Vec<f64>>>,
    (rows, columns): (usize, usize),
    factor: impl Fn(usize, usize) -> f64,
) -> Option<Vec<f64>> {
    let values = &matrix.value;
    let (found_rows, found_columns) = (values.len(), values.first().map_or(0, Vec::len));
    if (found_rows, found_columns) != (rows, columns) {
        let message = format!("`{key}` is {found_rows} x {found_columns}, expected {rows} x {columns}");
        context.error(
            matrix.span.clone(),
            message,
            "it needs one row and column per listed degree of freedom (or \
            state)",
        );
        return None;
    }
    let entries = values.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, x)| (i, j, *x)));
    let flat: Vec<f64> = entries.map(|(i, j, x)| x * factor(i, j)).collect();
    if let Some(bad) = flat.iter().position(|x| !x.is_finite()) {
        let message = format!("entry ({}, {}) of `{key}` is too large", bad / columns + 1, bad % columns + 1);
        context.error(matrix.span.clone(), message, "check its unit: it is in the units of the file");
        return None;
    }
    Some(flat)
}

/// Constant matrices on listed degrees of freedom.
pub(super) fn matrix(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    const KEYS: [Key<MatrixKey>; 3] = [M, C, K];
    let coordinates = listed(context, table, &DOFS, None);
    let given = KEYS.map(|key| rows(context, table, &key, ""));
    if given.iter().all(|m| matches!(m, Some(Matrix::Word))) {
        let help = "give M, C or K, as rows or as the name of a file (Matrix Market, or rows of numbers)";
        context.error(table.span(), "this matrix element has no matrix", help);
        return None;
    }
    let dofs: Vec<usize> = coordinates?.into_iter().map(|c| c[0].0).collect();
    let n = dofs.len();
    let si = |i: usize, j: usize, time: f64| {
        let dim = context.force(dofs[i]).per(context.disp(dofs[j])).times(Dimension::TIME.power(time));
        context.scope.units.factor(dim)
    };
    // Absent is zero; unreadable has been reported.
    let convert = |at: usize, time: f64| match given[at].as_ref()? {
        Matrix::Word => Some(Vec::new()),
        Matrix::Rows(rows) => flat(context, KEYS[at].name, rows, (n, n), |i, j| si(i, j, time)),
    };
    let (mass, damping, stiffness) = (convert(0, 2.0), convert(1, 1.0), convert(2, 0.0));
    let (mass, damping, stiffness) = (mass?, damping?, stiffness?);
    if let Some(i) = (0..mass.len().min(n)).find(|&i| mass[i * n + i] < 0.0) {
        let message = format!("negative mass at `{}`", context.dofs[dofs[i]].name);
        context.error(table.place(&M), message, format!("entry ({0}, {0}) of M must not be negative", i + 1));
        return None;
    }
    Some(Kind::Linear { dofs, mass, damping, stiffness })
}

/// A linear first-order block s' = A s + B q + Bv q', p = C s + D q + Dv q'.
pub(super) fn block(context: &Context<'_>, table: &Table<'_>, s0: &mut Vec<f64>) -> Option<Kind> {
    const KEYS: [Key<MatrixKey>; 6] = [A, B, BV, C, D, DV];
    let coordinates = listed(context, table, &DOFS, None);
    let matrices = KEYS.map(|key| rows(context, table, &key, ""));
    let states = match matrices[0].as_ref()? {
        Matrix::Rows(a) => a.value.len(),
        Matrix::Word => {
            let help = "write A = [[...]], the matrix of s' = A s + B q + Bv q'";
            context.error(table.span(), "missing key `A` of this block", help);
            return None;
        }
    };
    let named: Vec<(String, Dimension)> = (1..=states).map(|i| (format!("s{i}"), Dimension::NONE)).collect();
    initial_states(table, &named, s0);
    let coordinates = coordinates?;
    let dofs: Vec<usize> = coordinates.iter().map(|c| c[0].0).collect();
    let d = dofs.len();
    let units = &context.scope.units;
    let [none, time] = [Dimension::NONE, Dimension::TIME];
    let disp = |j: usize| context.disp(dofs[j]);
    let force = |i: usize| context.force(dofs[i]);
    let convert =
        |at: usize, shape: (usize, usize), dim: &dyn Fn(usize, usize) -> Dimension| match matrices[at].as_ref()? {
            Matrix::Word => Some(vec![0.0; shape.0 * shape.1]),
            Matrix::Rows(rows) => flat(context, KEYS[at].name, rows, shape, |i, j| units.factor(dim(i, j))),
        };
    let a = convert(0, (states, states), &|_, _| none.per(time));
    let b = convert(1, (states, d), &|_, j| none.per(time).per(disp(j)));
    let bv = convert(2, (states, d), &|_, j| none.per(disp(j)));
    let c = convert(3, (d, states), &|i, _| force(i));
    let dd = convert(4, (d, d), &|i, j| force(i).per(disp(j)));
    let dv = convert(5, (d, d), &|i, j| force(i).times(time).per(disp(j)));
    let block = BlockData {
        inputs: d,
        states,
        a: a?,
        b: b?,
        bv: bv?,
        c: c?,
        d: dd?,
        dv: dv?,
        remembers: false,
        taken_for: None,
    };
    Some(Kind::Block { block, coordinates })
}
