//! The interface problem of localized multipliers,
//!
//! ```text
//! [ W    0    -l̄  ] [ Λ   ]   [ -q ]      W = diag(W_i), W_i = G D⁻¹ B of element i
//! [ 0    0     l̄c ] [ Λc  ] = [  h ]      q: rates of the ties without multipliers
//! [ -l̄ᵀ  l̄cᵀ   0  ] [ X'g ]   [  0 ]
//! ```
//!
//! solved without ever being assembled: Λ_i = W_i⁻¹ (l̄_i X'g - q_i) element by element leaves S X'g = Σ l̄ᵀ W⁻¹ q with
//! S = Σ l̄ᵀ W⁻¹ l̄ over the free generalized degrees of freedom: sparse, positive definite, factorised once.

use std::ops::Range;

use interfield_linalg::{Factor, Kind, Pattern};

use crate::CouplingError;
use crate::blueprint::{Role, Ties};
use crate::flexibility::Flexibility;
use crate::localized::Localized;

/// The problem, ready to be solved.
pub(crate) struct Condensed {
    blocks: Vec<Flexibility>,
    /// Multipliers of each element.
    ranges: Vec<Range<usize>>,
    /// Generalized degree of freedom of each multiplier.
    dofs: Vec<usize>,
    roles: Vec<Role>,
    s: Option<Factor>,
    /// X'g.
    rates: Vec<f64>,
    balance: Vec<f64>,
    z: Vec<f64>,
}

impl Condensed {
    /// Factorises everything; `blocks` are the W_i, row-major.
    pub(crate) fn new(interface: &Localized, blocks: Vec<Vec<f64>>) -> Result<Self, CouplingError> {
        let ranges = ranges(interface);
        let dofs: Vec<usize> = interface.ties.iter().flatten().map(|tie| tie.1).collect();
        let mut free = 0;
        let role = |dof: usize| match interface.imposed.iter().position(|i| i.dof == dof) {
            Some(i) => Role::Imposed(i),
            None => {
                free += 1;
                Role::Free(free - 1)
            }
        };
        let roles: Vec<Role> = (0..interface.dofs).map(role).collect();
        let mut factorised = Vec::new();
        for (w, range) in blocks.into_iter().zip(&ranges) {
            factorised.push(Flexibility::new(w, range.len()).map_err(|e| e.shifted(range.start))?);
        }
        let mut this = Condensed {
            blocks: factorised,
            z: vec![0.0; dofs.len()],
            ranges,
            dofs,
            rates: vec![0.0; roles.len()],
            roles,
            s: None,
            balance: vec![0.0; free],
        };
        this.s = this.condense()?;
        Ok(this)
    }

    /// S, factorised; none if everything is imposed.
    fn condense(&mut self) -> Result<Option<Factor>, CouplingError> {
        let n = self.balance.len();
        if n == 0 {
            return Ok(None);
        }
        let mut entries = Vec::new();
        for (block, range) in self.blocks.iter_mut().zip(&self.ranges) {
            let mut column = vec![0.0; range.len()];
            for j in range.clone() {
                let Role::Free(q) = self.roles[self.dofs[j]] else { continue };
                column.fill(0.0);
                column[j - range.start] = 1.0;
                block.solve(&mut column);
                for (i, value) in range.clone().zip(&column) {
                    if let Role::Free(p) = self.roles[self.dofs[i]] {
                        entries.push((p, q, *value));
                    }
                }
            }
        }
        let pattern = Pattern::new(n, entries.iter().map(|e| (e.0, e.1)));
        let mut values = vec![0.0; pattern.nnz()];
        for (p, q, value) in entries {
            if let Some(at) = pattern.position(p, q) {
                values[at] += value;
            }
        }
        let kind = if self.blocks.iter().all(Flexibility::is_symmetric) { Kind::Symmetric } else { Kind::General };
        let mut factor = Factor::new(&pattern, kind, true);
        factor.factorize(&values).map_err(|singular| {
            let dof = self.roles.iter().position(|r| *r == Role::Free(singular.row)).unwrap_or(0);
            CouplingError::Unsuitable(format!("generalized degree of freedom {dof} has neither mass nor stiffness"))
        })?;
        Ok(Some(factor))
    }

    /// Solves for the change of the multipliers `l` under which the ties have the rates -`w`: `w` becomes the change, `l`
    /// the multipliers, `reactions` those of the imposed rates `h`.
    pub(crate) fn solve(&mut self, w: &mut [f64], l: &mut [f64], h: &[f64], reactions: &mut [f64]) {
        // From the rate of one of its ties, so that S answers for the differences between ties only: an error of one part in
        // 1e16 in S would otherwise multiply all velocities at every step, and energy would drift.
        for (j, dof) in self.dofs.iter().enumerate() {
            self.rates[*dof] = if let Role::Imposed(i) = self.roles[*dof] { h[i] } else { -w[j] };
        }
        // Balance at the free ones, Σ (Λ + W⁻¹ (X'g + w)) = 0. The whole of Λ, so that round-off does not add up.
        self.multipliers(w);
        self.balance.fill(0.0);
        for (j, dof) in self.dofs.iter().enumerate() {
            if let Role::Free(i) = self.roles[*dof] {
                self.balance[i] -= l[j] + self.z[j];
            }
        }
        if let Some(s) = &mut self.s {
            s.solve(&mut self.balance);
        }
        for (rate, role) in self.rates.iter_mut().zip(&self.roles) {
            if let Role::Free(i) = role {
                *rate += self.balance[*i];
            }
        }
        self.multipliers(w);
        w.copy_from_slice(&self.z);
        reactions.fill(0.0);
        for (j, dof) in self.dofs.iter().enumerate() {
            l[j] += w[j];
            if let Role::Imposed(i) = self.roles[*dof] {
                reactions[i] += l[j]; // l̄cᵀ Λc = l̄ᵀ Λ
            }
        }
    }

    /// z = W⁻¹ (X'g + w).
    fn multipliers(&mut self, w: &[f64]) {
        for ((z, w), dof) in self.z.iter_mut().zip(w).zip(&self.dofs) {
            *z = self.rates[*dof] + w;
        }
        for (block, range) in self.blocks.iter_mut().zip(&self.ranges) {
            block.solve(&mut self.z[range.clone()]);
        }
    }

    /// Its tables.
    pub(crate) fn blueprint(&self) -> Ties<'_> {
        let Condensed { blocks, ranges, dofs, roles, s, .. } = self;
        Ties { blocks, ranges, dofs, roles, s: s.as_ref() }
    }

    /// The matrix at the top of this file by its entries (row, column, value), unknowns [Λ Λc X'g].
    pub(crate) fn entries(&self) -> Vec<(usize, usize, f64)> {
        let ties = self.dofs.len();
        let imposed = self.roles.len() - self.balance.len();
        let mut entries = Vec::new();
        for (block, range) in self.blocks.iter().zip(&self.ranges) {
            let n = range.len();
            entries
                .extend(block.matrix.iter().enumerate().map(|(k, w)| (range.start + k / n, range.start + k % n, *w)));
        }
        let mut mirrored = |row: usize, column: usize, value: f64| {
            entries.push((row, column, value));
            entries.push((column, row, value));
        };
        for (j, dof) in self.dofs.iter().enumerate() {
            mirrored(j, ties + imposed + dof, -1.0);
        }
        for (dof, role) in self.roles.iter().enumerate() {
            if let Role::Imposed(i) = role {
                mirrored(ties + i, ties + imposed + dof, 1.0);
            }
        }
        entries
    }
}

/// Multipliers of each element in the stack of all.
pub(crate) fn ranges(interface: &Localized) -> Vec<Range<usize>> {
    let mut end = 0;
    let next = |ties: &Vec<(usize, usize)>| {
        end += ties.len();
        end - ties.len()..end
    };
    interface.ties.iter().map(next).collect()
}
