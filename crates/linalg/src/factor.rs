//! The factor that callers see: one type, five methods behind it.

use std::fmt;

use crate::Pattern;
use crate::dense::{Dense, Diagonal, Inverse};
use crate::front::warm_up;
use crate::planned::Planned;
use crate::simplicial::Simplicial;
use crate::supernodal::Supernodal;
use crate::watch::Watch;

/// Symmetry of the values (the pattern is always symmetric).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Symmetric values. Only one triangle is read by the factorisations.
    Symmetric,
    /// Unsymmetric values on the symmetric pattern.
    General,
}

/// How a matrix is factorised and solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Division by the diagonal.
    Diagonal,
    /// Stored dense inverse: slow to factorise, fastest to solve when small.
    Inverse,
    /// Dense `L D Lᵀ`, or LU with partial pivoting (unsymmetric or indefinite values).
    Dense,
    /// Own sparse `L D Lᵀ` / `L D U` without pivoting; pivots of any sign.
    Simplicial,
    /// Own supernodal sparse `L D Lᵀ` / `L D U` without pivoting: dense blocks, for large matrices; pivots of any sign.
    Supernodal,
}

/// The matrix has no usable pivot in this row: it is singular or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// Row in the original numbering. Where a mechanism involves several unknowns it is one of them; where a value is not
    /// finite it is the row of the first such value.
    pub row: usize,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the matrix cannot be factorised: no usable pivot in row {}", self.row)
    }
}

impl std::error::Error for Singular {}

/// The requested solver cannot treat this pattern or kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsuitable {
    /// The solver asked for.
    pub solver: Solver,
    /// Why not.
    pub reason: &'static str,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "solver {:?} refused: {}", self.solver, self.reason)
    }
}

impl std::error::Error for Unsuitable {}

/// What was chosen and how large it is; `Display` gives one line for people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Solver in use.
    pub solver: Solver,
    /// Symmetry it was built for.
    pub kind: Kind,
    /// Elimination order: `"AMD"`, `"nested dissection"`, `"natural"`, or `"none"` for dense methods.
    pub ordering: &'static str,
    /// Unknowns.
    pub n: usize,
    /// Entries of the matrix, both triangles.
    pub nnz_matrix: usize,
    /// Stored values of the factor, including explicit zeros.
    pub nnz_factor: usize,
    /// Estimated additions and multiplications of one solution.
    pub solve_flops: usize,
    /// Threads that share a solution.
    pub threads: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (self.solver, self.kind) {
            (Solver::Diagonal, _) => "diagonal",
            (Solver::Inverse, _) => "stored inverse",
            (Solver::Dense, Kind::Symmetric) => "dense LDLᵀ",
            (Solver::Dense, Kind::General) => "dense LU",
            (Solver::Simplicial, Kind::Symmetric) => "sparse LDLᵀ",
            (Solver::Simplicial, Kind::General) => "sparse LDU",
            (Solver::Supernodal, Kind::Symmetric) => "supernodal LDLᵀ",
            (Solver::Supernodal, Kind::General) => "supernodal LDU",
        };
        write!(f, "{name}, ")?;
        if self.ordering != "none" {
            write!(f, "{} ordering, ", self.ordering)?;
        }
        let count = |n: usize, [one, many]: [&str; 2]| format!("{} {}", thousands(n), if n == 1 { one } else { many });
        let [unknowns, entries] =
            [count(self.n, ["unknown", "unknowns"]), count(self.nnz_factor, ["entry", "entries"])];
        write!(f, "{unknowns}, {entries} in the factor")?;
        if self.threads > 1 {
            write!(f, ", solved on {} cores", self.threads)?;
        }
        Ok(())
    }
}

/// Digits grouped by commas from five digits on.
fn thousands(value: usize) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The method with its memory.
#[derive(Debug)]
pub(crate) enum Inner {
    Diagonal(Diagonal),
    Inverse(Inverse),
    Dense(Dense),
    Simplicial(Simplicial),
    Supernodal(Supernodal),
}

/// A factorised matrix on a fixed pattern. All memory is reserved at construction: [`factorize`](Factor::factorize) and
/// [`solve`](Factor::solve) do not allocate (see [`prepare_thread`](Factor::prepare_thread) for use in another thread).
#[derive(Debug)]
pub struct Factor {
    pattern: Pattern,
    kind: Kind,
    inner: Inner,
    ready: bool,
}

impl Factor {
    /// Chooses the method by estimated cost; the rule and the measurements behind it are in `choice.rs`.
    ///
    /// `constant`: the matrix will be factorised once (or rarely) and solved very often; otherwise one factorisation
    /// per solution is assumed.
    pub fn new(pattern: &Pattern, kind: Kind, constant: bool) -> Factor {
        Planned::new(pattern, kind, constant, &Watch::default()).reserve()
    }

    pub(crate) fn of(pattern: Pattern, kind: Kind, inner: Inner) -> Factor {
        Factor { pattern, kind, inner, ready: false }
    }

    /// Takes the given solver, or says why it cannot be used.
    pub fn with_solver(pattern: &Pattern, kind: Kind, solver: Solver) -> Result<Factor, Unsuitable> {
        let refuse = |reason| Err(Unsuitable { solver, reason });
        let dense_limit = 4096;
        let inner = match solver {
            Solver::Diagonal if !pattern.is_diagonal() => {
                return refuse("the pattern has entries off the diagonal");
            }
            Solver::Inverse | Solver::Dense if pattern.n() > dense_limit => {
                return refuse("more than 4096 unknowns are too many for a dense matrix");
            }
            Solver::Diagonal => Inner::Diagonal(Diagonal::new(pattern.n())),
            Solver::Inverse => Inner::Inverse(Inverse::new(pattern)),
            Solver::Dense => Inner::Dense(Dense::new(pattern, kind == Kind::Symmetric)),
            Solver::Simplicial => Inner::Simplicial(Simplicial::analyse(pattern, kind == Kind::General)),
            Solver::Supernodal => match Supernodal::new(pattern, kind == Kind::General) {
                Some(supernodal) => Inner::Supernodal(supernodal),
                None => return refuse("one of its blocks does not fit 32-bit indices"),
            },
        };
        Ok(Factor { pattern: pattern.clone(), kind, inner, ready: false })
    }

    /// Call once at the start of a thread that will factorise or solve, if it is not the thread that built the factor.
    /// May allocate.
    ///
    /// Only [`Solver::Supernodal`] needs this: below it, `faer` keeps a buffer per thread that it allocates on first use.
    /// The constructor does the same for its own thread.
    pub fn prepare_thread(&self) {
        if let Inner::Supernodal(_) = &self.inner {
            warm_up();
        }
    }

    /// Lets up to so many threads share every solution from now on, where that is faster (only [`Solver::Supernodal`], and large);
    /// the bits stay the same. The threads are started here and wait for work, busily for some milliseconds after each solution;
    /// they end with the factor. May allocate, unlike the solutions. Returns how many there are, with the caller.
    pub fn share_solutions(&mut self, threads: usize) -> usize {
        match &mut self.inner {
            Inner::Supernodal(method) => method.share(threads),
            _ => 1,
        }
    }

    /// Factorises the matrix with these values; may be called again at any time. Does not allocate.
    ///
    /// After an error the factor is unusable until the next success.
    ///
    /// # Panics
    /// If `values` does not have the pattern's length.
    pub fn factorize(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.factorize_with(values, None)
    }

    /// The same on all cores where it pays, with the same bits: for the preparation, because it may allocate and wait.
    ///
    /// # Errors
    /// The same.
    ///
    /// # Panics
    /// If `values` does not have the pattern's length.
    pub fn factorize_on_all_cores(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.factorize_watched(values, &Watch::default())
    }

    /// The same for somebody who wants to know how far it is.
    ///
    /// # Errors
    /// The same.
    ///
    /// # Panics
    /// If `values` does not have the pattern's length.
    pub fn factorize_watched(&mut self, values: &[f64], watch: &Watch) -> Result<(), Singular> {
        self.factorize_with(values, Some(watch))
    }

    /// The factor in words that [`Factor::take`] reads; `None` where factorising is faster than keeping, or nothing is factorised.
    pub fn words(&self) -> Option<impl Iterator<Item = u64> + '_> {
        match &self.inner {
            Inner::Supernodal(method) if self.ready => Some(method.words()),
            _ => None,
        }
    }

    /// Takes a factor of this matrix in words, and checks it by a solution. `false`, and unusable until the next factorisation, if
    /// there are too few words or they are not the factor of `values`.
    pub fn take(&mut self, values: &[f64], words: &mut dyn FnMut() -> Option<u64>) -> bool {
        self.ready = match &mut self.inner {
            Inner::Supernodal(method) => method.take(words).is_some(),
            _ => false,
        };
        self.ready = self.ready && self.solves(values);
        self.ready
    }

    /// Whether it solves a system with this matrix.
    fn solves(&mut self, values: &[f64]) -> bool {
        let n = self.pattern.n();
        // Row by row in the size of the row, so that units do not count.
        let sizes: Vec<f64> =
            (0..n).map(|i| self.pattern.row(i).map(|k| values[k].abs()).fold(0.0, f64::max)).collect();
        let b: Vec<f64> = sizes.iter().enumerate().map(|(i, s)| s * (1.0 + (i % 7) as f64)).collect();
        let (mut x, mut r) = (b.clone(), vec![0.0; n]);
        self.solve(&mut x);
        self.pattern.mul(values, &x, &mut r);
        let magnitudes = |i: usize| {
            self.pattern.row(i).zip(self.pattern.columns(i)).map(|(k, &j)| (values[k] * x[j as usize]).abs())
        };
        (0..n).all(|i| (r[i] - b[i]).abs() <= 1e-8 * (magnitudes(i).sum::<f64>() + b[i].abs()))
    }

    fn factorize_with(&mut self, values: &[f64], watch: Option<&Watch>) -> Result<(), Singular> {
        assert_eq!(values.len(), self.pattern.nnz(), "values of the matrix");
        let done = match &mut self.inner {
            Inner::Diagonal(method) => method.factorize(values),
            Inner::Inverse(method) => method.factorize(values),
            Inner::Dense(method) => method.factorize(values),
            Inner::Simplicial(method) => method.factorize(values),
            Inner::Supernodal(method) => method.factorize(values, watch),
        };
        self.ready = done.is_ok();
        // Every method fails on values that are not finite, but in a row of its own liking.
        done.map_err(|row| Singular { row: self.pattern.first_non_finite_row(values).unwrap_or(row) })
    }

    /// Overwrites the right-hand side with the solution. Does not allocate.
    ///
    /// Without a successful [`factorize`](Factor::factorize) before, the result is NaN throughout: loud, but safe in a
    /// loop that must not panic.
    ///
    /// # Panics
    /// If `b` does not have one value per unknown.
    pub fn solve(&mut self, b: &mut [f64]) {
        assert_eq!(b.len(), self.pattern.n(), "right-hand side");
        if !self.ready {
            b.fill(f64::NAN);
            return;
        }
        match &mut self.inner {
            Inner::Diagonal(method) => method.solve(b),
            Inner::Inverse(method) => method.solve(b),
            Inner::Dense(method) => method.solve(b),
            Inner::Simplicial(method) => method.solve(b),
            Inner::Supernodal(method) => method.solve(b),
        }
    }

    /// The method with its memory.
    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Symmetry it was built for.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Solver in use.
    pub fn solver(&self) -> Solver {
        match self.inner {
            Inner::Diagonal(_) => Solver::Diagonal,
            Inner::Inverse(_) => Solver::Inverse,
            Inner::Dense(_) => Solver::Dense,
            Inner::Simplicial(_) => Solver::Simplicial,
            Inner::Supernodal(_) => Solver::Supernodal,
        }
    }

    /// What was chosen and how large it is.
    pub fn report(&self) -> Report {
        let n = self.pattern.n();
        let (ordering, nnz_factor, solve_flops) = match &self.inner {
            Inner::Diagonal(_) => ("none", n, n),
            Inner::Inverse(method) => ("none", method.entries(), 2 * method.entries()),
            Inner::Dense(method) => ("none", method.entries(), 2 * n * n),
            Inner::Simplicial(method) => (method.ordering(), method.entries(), method.solve_flops()),
            Inner::Supernodal(method) => (method.ordering(), method.entries(), 4 * method.entries()),
        };
        let threads = match &self.inner {
            Inner::Supernodal(method) => method.threads(),
            _ => 1,
        };
        let (solver, kind, nnz_matrix) = (self.solver(), self.kind, self.pattern.nnz());
        Report { solver, kind, ordering, n, nnz_matrix, nnz_factor, solve_flops, threads }
    }
}
