//! `faer`'s supernodal `L Lᵀ` behind the allocation-free interface: large symmetric positive definite matrices.
//!
//! The automatic rule of `faer` would take its simplicial variant for plane frames (25 % slower there), so supernodal is
//! forced; the scratch memory of both phases is reserved once.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::reborrow::Reborrow;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

use crate::Pattern;
use crate::kernels::pivot_tolerance;

/// Symbolic analysis, factor and scratch memory.
pub(crate) struct Supernodal {
    matrix: SymbolicSparseColMat<u32>,
    symbolic: SymbolicCholesky<u32>,
    lower: Vec<f64>,
    scratch: MemBuffer,
    /// For each column of the factor: original row, position of the matrix diagonal, position of the factor's diagonal.
    diagonal: Vec<(u32, u32, u32)>,
}

impl Supernodal {
    /// Analyses the pattern; `None` if `faer` cannot (out of memory or 32-bit indices).
    pub(crate) fn new(pattern: &Pattern) -> Option<Supernodal> {
        let n = pattern.n();
        let (ptr, idx) = pattern.raw();
        let matrix = SymbolicSparseColMat::new_checked(n, n, ptr.to_vec(), None, idx.to_vec());
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(matrix.rb(), Side::Lower, SymmetricOrdering::Amd, params).ok()?;
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let diagonal = diagonal_positions(pattern, &symbolic)?;
        let mut out = Supernodal {
            lower: vec![0.0; symbolic.len_val()],
            scratch: MemBuffer::try_new(request).ok()?,
            matrix,
            symbolic,
            diagonal,
        };
        out.warm_up();
        Some(out)
    }

    /// Factorises and solves with the unit matrix: the matrix products below `faer` allocate a buffer per thread on first
    /// use, which must not happen in the loop.
    pub(crate) fn warm_up(&mut self) {
        let mut values = vec![0.0; self.matrix.row_idx().len()];
        for &(_, a, _) in &self.diagonal {
            values[a as usize] = 1.0;
        }
        if self.factorize(&values).is_ok() {
            self.solve(&mut vec![1.0; self.diagonal.len()]);
        }
    }

    /// Factorises; the error is the row of the first pivot that is not safely positive, in the original numbering.
    pub(crate) fn factorize(&mut self, values: &[f64]) -> Result<(), usize> {
        let done = self.symbolic.factorize_numeric_llt(
            &mut self.lower,
            SparseColMatRef::new(self.matrix.rb(), values),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
        if let Err(LltError::NonPositivePivot { index }) = done {
            return Err(self.diagonal.get(index).map_or(0, |d| d.0 as usize));
        }
        // A pivot of rounding errors can come out positive, and NaN passes through: the same test as in the own kernels.
        let tolerance = pivot_tolerance(self.diagonal.len());
        for &(row, a, l) in &self.diagonal {
            let (a, l) = (values[a as usize], self.lower[l as usize]);
            if !(l * l > tolerance * a && l.is_finite() && a.is_finite()) {
                return Err(row as usize);
            }
        }
        Ok(())
    }

    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let n = b.len();
        LltRef::new(&self.symbolic, &self.lower).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }

    pub(crate) fn entries(&self) -> usize {
        self.lower.len()
    }
}

fn diagonal_positions(pattern: &Pattern, symbolic: &SymbolicCholesky<u32>) -> Option<Vec<(u32, u32, u32)>> {
    let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else { return None };
    let order = symbolic.perm()?.arrays().0;
    let mut out = Vec::with_capacity(order.len());
    for s in 0..nodes.n_supernodes() {
        let (begin, end) = (nodes.supernode_begin()[s] as usize, nodes.supernode_end()[s] as usize);
        let height = end - begin + nodes.supernode(s).pattern().len();
        let values = nodes.col_ptr_for_val()[s] as usize;
        for j in begin..end {
            let row = *order.get(j)?;
            let a = pattern.position(row as usize, row as usize)?;
            out.push((row, a as u32, (values + (j - begin) * (height + 1)) as u32));
        }
    }
    Some(out)
}

impl std::fmt::Debug for Supernodal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supernodal").field("entries", &self.lower.len()).finish_non_exhaustive()
    }
}
