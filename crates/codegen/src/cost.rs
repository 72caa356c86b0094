//! What a step costs in the worst case, counted from the tables.

use interfield_linalg::Blueprint as FactorBlueprint;
use interfield_structure::assembled::{Blueprint, ElementBlueprint};

use crate::law::{Laws, Recorded};
use crate::record::Operations;

fn flops(n: usize) -> Operations {
    Operations { flops: n as u64, ..Operations::default() }
}

fn divisions(n: usize) -> Operations {
    Operations { divisions: n as u64, ..Operations::default() }
}

/// Costs of the parts of a step of one subdomain.
pub struct Cost<'a> {
    b: &'a Blueprint,
    /// Law of each element.
    laws: Vec<[Operations; 3]>,
}

impl<'a> Cost<'a> {
    /// Of a subdomain with these laws.
    pub fn new(b: &'a Blueprint, laws: &Laws, of: &[Recorded]) -> Self {
        Cost { b, laws: b.elements.iter().zip(of).map(|(e, r)| laws.cost_of(&e.law, r.law)).collect() }
    }

    fn elements(&self) -> impl Iterator<Item = (&ElementBlueprint, [Operations; 3])> {
        self.b.elements.iter().zip(self.laws.iter().copied())
    }

    /// Products of the constant matrices with a displacement and a velocity.
    fn linear(&self) -> usize {
        let b = self.b;
        let matrices = if b.damping.is_empty() { 1 } else { 2 };
        2 * matrices * b.pattern.nnz() + b.n + 4 * b.n * b.modal.len()
    }

    fn terms(e: &ElementBlueprint) -> usize {
        e.rows.iter().map(Vec::len).sum::<usize>().max(2 * usize::from(e.line.is_some()))
    }

    /// The tangent applied to an increment.
    pub fn mul_tangent(&self) -> Operations {
        let blocks: usize = self.b.elements.iter().map(|e| 2 * (2 * e.d * e.d + 3 * e.d * e.s + e.s * e.s)).sum();
        let rows: usize = self.b.elements.iter().map(|e| Self::terms(e) * (4 + 2 * e.d + 2)).sum();
        flops(self.linear() + blocks + rows)
    }

    /// The product with the mass matrix.
    pub fn mul_mass(&self) -> Operations {
        flops(if self.b.lumped.is_some() { self.b.n } else { 2 * self.b.pattern.nnz() + self.b.n })
    }

    /// One evaluation of the forces.
    pub fn force(&self) -> Operations {
        let b = self.b;
        let loads = 6 * b.couplings.len() + 2 * b.forces.len() + 3 * b.n * b.grounds.len();
        let commanded: usize = b.specimens.iter().map(|s| s.unknowns.len() * (1 + 6 * s.unknowns.len())).sum();
        let mut sum = flops(2 * b.n + self.linear() + loads + commanded);
        for (e, [force, _, mass]) in self.elements() {
            let blocks = 2 * (2 * e.d * e.d + 3 * e.d * e.s + e.s * e.s);
            sum = sum + force + flops(blocks + Self::terms(e) * 10 + e.d + e.s);
            if e.massive {
                sum = sum + mass + flops(2 * e.d * e.d + e.d * (2 * b.grounds.len() + 2));
            }
        }
        if b.mass_factor.is_some() {
            sum = sum + self.mass_at() + self.mul_mass() + self.mul_tangent() + flops(b.n + b.ns);
        }
        sum
    }

    /// The mass matrix at a configuration, its factor and one solution.
    fn mass_at(&self) -> Operations {
        let Some(factor) = &self.b.mass_factor else { return Operations::default() };
        let mut sum = factorize(factor, self.b.n) + solve(factor, self.b.n);
        for (e, [_, _, mass]) in self.elements().filter(|x| x.0.massive) {
            sum = sum + mass + flops(2 * Self::terms(e) + 2 * e.scatter.len());
        }
        sum
    }

    /// Tangents and factors where they follow the state.
    pub fn linearise(&self) -> Operations {
        let b = self.b;
        if !b.follows {
            return Operations::default();
        }
        let mut sum = Operations::default();
        if b.mass_factor.is_some() {
            sum = sum + self.force() + self.mass_at();
        }
        for (e, [_, tangent, mass]) in self.elements() {
            sum = sum + tangent + mass + flops(Self::terms(e) * 6 + e.d * (2 * b.grounds.len() + 2));
        }
        for o in b.operators.iter().filter(|o| o.follows) {
            sum = sum + factorize(&o.factor, b.n);
            for e in &b.elements {
                let local = 5 * e.d * e.d + e.s * (2 * e.s + 2 * e.d) + e.d * e.s * (2 * e.s + 1 + 4 * e.d);
                sum = sum + flops(local + 2 * e.scatter.len() + 4 * e.s * e.s * e.s) + divisions(2 * e.s * e.s);
            }
            let nm = if o.mck.c == 0.0 { 0 } else { b.modal.len() };
            sum = sum
                + solve(&o.factor, b.n).times(nm as u64)
                + flops(2 * nm * nm * (b.n + 2 * nm))
                + divisions(2 * nm * nm);
        }
        sum
    }

    /// One solution with an operator.
    pub fn solve(&self, slot: usize) -> Operations {
        let (b, o) = (self.b, &self.b.operators[slot]);
        let nm = if o.mck.c == 0.0 { 0 } else { b.modal.len() };
        let states =
            |e: &ElementBlueprint| if e.s == 0 { 0 } else { 4 * e.s * (e.s + e.d) + 4 * Self::terms(e) + 2 * e.d };
        solve(&o.factor, b.n) + flops(b.elements.iter().map(states).sum::<usize>() + 4 * b.n * nm + 2 * nm * nm)
    }
}

fn solve(f: &FactorBlueprint, n: usize) -> Operations {
    match f {
        FactorBlueprint::Diagonal(_) => flops(n),
        FactorBlueprint::Inverse(_) => flops(2 * n * n),
        FactorBlueprint::Dense { .. } => flops(2 * n * n + 8 * n),
        FactorBlueprint::Sparse(s) => flops(4 * s.values_len + 2 * n),
    }
}

fn factorize(f: &FactorBlueprint, n: usize) -> Operations {
    match f {
        FactorBlueprint::Diagonal(_) | FactorBlueprint::Inverse(_) => divisions(n),
        // At worst a symmetric matrix is tried without row exchanges before it is done with them.
        FactorBlueprint::Dense { .. } => flops(n * n * n + 6 * n * n) + divisions(3 * n),
        FactorBlueprint::Sparse(s) => {
            let triangles = if s.general { 2 } else { 1 };
            // The row r of a panel of width w subtracts from the r rows before it.
            let panel = |p: &[u32; 5]| {
                let (w, m) = (p[1] as usize, p[3] as usize);
                w * m * m + m * (w * w + 4 * w) + w * w * w + 4 * w * w
            };
            flops(triangles * s.panels.iter().map(panel).sum::<usize>()) + divisions(n)
        }
    }
}
