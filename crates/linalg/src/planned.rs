//! A factor whose size is known and whose memory is not reserved yet.

use std::sync::Arc;

use crate::Pattern;
use crate::choice;
use crate::dense::{Dense, Diagonal, Inverse};
use crate::digest::Digest;
use crate::factor::{Factor, Inner, Kind, Report, Solver};
use crate::ordering::ORDERINGS;
use crate::simplicial::Simplicial;
use crate::supernodal::Supernodal;
use crate::symbolic::Symbolic;
use crate::tree::Tree;
use crate::watch::Watch;

/// The method, with what was found out about the pattern.
#[derive(Clone, Debug)]
pub(crate) enum Method {
    Diagonal,
    Inverse,
    Dense,
    Simplicial(Box<Symbolic>),
    Supernodal(Arc<Tree>),
}

/// The analysis of a pattern: it serves every matrix on it.
#[derive(Clone, Debug)]
pub struct Planned {
    pub(crate) pattern: Pattern,
    pub(crate) kind: Kind,
    pub(crate) method: Method,
}

impl Planned {
    /// Analyses a pattern, as [`Factor::new`] does.
    pub fn new(pattern: &Pattern, kind: Kind, constant: bool, watch: &Watch) -> Planned {
        Planned { pattern: pattern.clone(), kind, method: choice::choose(pattern, kind, constant, watch) }
    }

    /// Bytes that the factor and its factorisation need.
    pub fn bytes(&self) -> f64 {
        let n = self.pattern.n() as f64;
        let sides = if self.kind == Kind::General { 2.0 } else { 1.0 };
        8.0 * match &self.method {
            Method::Diagonal => n,
            Method::Inverse | Method::Dense => 2.0 * n * n,
            Method::Simplicial(symbolic) => sides * symbolic.values_len as f64 + 4.0 * n,
            Method::Supernodal(tree) => sides * tree.values_len as f64 + 4.0 * n + Supernodal::work(tree) as f64,
        }
    }

    /// What its factor will report, without the memory of a large one.
    pub fn report(&self) -> Report {
        let Method::Supernodal(tree) = &self.method else { return self.reserve().report() };
        let sides = if self.kind == Kind::General { 2 } else { 1 };
        let nnz_factor = sides * tree.read();
        Report {
            solver: Solver::Supernodal,
            kind: self.kind,
            ordering: tree.ordering,
            n: self.pattern.n(),
            nnz_matrix: self.pattern.nnz(),
            nnz_factor,
            solve_flops: 4 * nnz_factor,
            threads: 1,
        }
    }

    /// Whether analysis and factor are so much work that they are worth keeping.
    pub fn is_large(&self) -> bool {
        matches!(self.method, Method::Supernodal(_))
    }

    /// A factor with its memory; nothing is factorised yet.
    pub fn reserve(&self) -> Factor {
        let (pattern, general) = (&self.pattern, self.kind == Kind::General);
        let inner = match &self.method {
            Method::Diagonal => Inner::Diagonal(Diagonal::new(pattern.n())),
            Method::Inverse => Inner::Inverse(Inverse::new(pattern)),
            Method::Dense => Inner::Dense(Dense::new(pattern, !general)),
            Method::Simplicial(symbolic) => Inner::Simplicial(Simplicial::new(Symbolic::clone(symbolic), general)),
            Method::Supernodal(tree) => Inner::Supernodal(Supernodal::of_tree(tree.clone(), general)),
        };
        Factor::of(pattern.clone(), self.kind, inner)
    }

    /// The analysis in words that [`Planned::restored`] reads; only of a large one.
    pub fn words(&self) -> Option<Vec<u64>> {
        let Method::Supernodal(tree) = &self.method else { return None };
        let name = ORDERINGS.iter().position(|&name| name == tree.ordering)?;
        let mut out = vec![tree.order.len() as u64, tree.nodes.len() as u64, name as u64];
        let mut parent = vec![u64::MAX; tree.nodes.len()];
        for s in 0..tree.nodes.len() {
            tree.children(s).iter().for_each(|&c| parent[c as usize] = s as u64);
        }
        out.extend(tree.order.iter().map(|&old| u64::from(old)));
        out.extend(tree.nodes.iter().map(|node| u64::from(node.width)));
        out.extend(parent);
        Some(out)
    }

    /// The analysis of this pattern that was kept; `None` if the words are not one.
    pub fn restored(pattern: &Pattern, kind: Kind, words: &[u64]) -> Option<Planned> {
        let tree = Tree::restored(pattern, kind == Kind::General, words)?;
        Some(Planned { pattern: pattern.clone(), kind, method: Method::Supernodal(Arc::new(tree)) })
    }

    /// What distinguishes this pattern from others; with `values`, the matrix.
    pub fn digest(pattern: &Pattern, kind: Kind, constant: bool, values: &[f64]) -> [u64; 2] {
        let mut digest = Digest::default();
        let (ptr, idx) = pattern.raw();
        digest.push(u64::from(kind == Kind::General) << 1 | u64::from(constant));
        digest.push(pattern.n() as u64);
        ptr.iter().chain(idx).for_each(|&i| digest.push(u64::from(i)));
        values.iter().for_each(|v| digest.push(v.to_bits()));
        digest.finish()
    }
}
