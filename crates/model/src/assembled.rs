//! A numerical substructure: constant matrices, elements, loads and supports behind the kernel's [`System`].
//!
//! Everything is allocated when it is built; evaluating, linearising, factorising and solving allocate nothing.
//! Only n x n matrices over the free degrees of freedom exist: element states are eliminated inside their
//! element, supports with a prescribed motion stay outside.
//! **Must not be here:** text, units, names, schemes.

use interfield_kernel::element::{AnyLaw, Element, Tangent, block::Block};
use interfield_kernel::fault::Place;
use interfield_kernel::{Dims, Fault, Mck, Point, Shift, System};
use interfield_linalg::{Factor, Kind as Symmetry, Pattern, Report};

use crate::formula::FormulaElement;
use crate::model::{BlockData, TangentPolicy};
use crate::signal::{Motion, Signal};

/// An element as it is stored for the loop.
#[derive(Clone, Debug)]
pub enum Stored {
    /// A law of the kernel.
    Law(AnyLaw),
    /// Formulas of the model file.
    Formula(Box<FormulaElement>),
    /// A linear block.
    Block(BlockData),
}

impl Stored {
    #[inline]
    fn with<R>(&self, f: impl FnOnce(&dyn Element) -> R) -> R {
        match self {
            Stored::Law(x) => f(x),
            Stored::Formula(x) => f(x.as_ref()),
            Stored::Block(x) => f(&Block {
                coordinates: x.inputs,
                states: x.states,
                a: &x.a,
                b: &x.b,
                bv: &x.bv,
                c: &x.c,
                d: &x.d,
                dv: &x.dv,
            }),
        }
    }

    /// Forces and state rates, see [`Element::response`].
    pub fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
        self.with(|e| e.response(t, q, v, s, p, g));
    }

    /// Exact tangent, see [`Element::tangent`].
    pub fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], acc: &[f64], out: Tangent<'_>) {
        self.with(|e| e.tangent(t, q, v, s, acc, out));
    }

    /// Coordinates, states, and whether it carries mass.
    pub fn shape(&self) -> (usize, usize, bool) {
        self.with(|e| (e.size().0, e.size().1, e.has_mass()))
    }
}

/// A local coordinate: (unknown, factor). Unknowns from `n` on are imposed degrees of freedom.
pub type Row = Vec<(u32, f64)>;

/// One element with its connectivity, as [`Assembled::new`] takes it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The law.
    pub law: Stored,
    /// One row per coordinate.
    pub rows: Vec<Row>,
    /// Estimated stiffness and damping for [`TangentPolicy::Given`].
    pub given: Option<(f64, f64)>,
    /// Motion of its coordinates when the ground moves by one: per base acceleration, per coordinate. Held degrees
    /// of freedom move with the ground too. Only read for elements with mass.
    pub ground: Vec<f64>,
}

/// Coefficients of the constant matrices between a free row and an imposed column.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Coupling {
    pub row: usize,
    pub imposed: usize,
    pub m: f64,
    pub c: f64,
    pub k: f64,
}

/// A base acceleration: 1 on the free degrees of freedom it drives.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Direction vector over the free degrees of freedom.
    pub iota: Vec<f64>,
    /// Load of a unit acceleration by the constant masses: (M ι) over the free degrees of freedom, where M may or may
    /// not include the coupling to the supports, which move with the ground.
    pub load: Vec<f64>,
    /// Acceleration, m/s².
    pub signal: Signal,
}

/// Everything an [`Assembled`] is made of.
#[derive(Clone, Debug, Default)]
pub struct Ingredients {
    /// Free degrees of freedom.
    pub n: usize,
    /// Pattern of all n x n matrices, elements included.
    pub pattern: Option<Pattern>,
    /// Constant mass on the pattern.
    pub mass: Vec<f64>,
    /// Constant damping on the pattern; empty means none.
    pub damping: Vec<f64>,
    /// Constant stiffness on the pattern.
    pub stiffness: Vec<f64>,
    /// Modal damping: c_i with the vectors M φ_i, contributing Σ c_i (Mφ_i)(Mφ_i)ᵀ.
    pub modal: Vec<(f64, Vec<f64>)>,
    /// Motions of the imposed degrees of freedom.
    pub motions: Vec<Motion>,
    /// Constant matrices between free and imposed degrees of freedom.
    pub couplings: Vec<Coupling>,
    /// Forces: (free degree of freedom, signal).
    pub forces: Vec<(usize, Signal)>,
    /// Base accelerations.
    pub grounds: Vec<Ground>,
    /// Elements that are not constant matrices.
    pub parts: Vec<Part>,
    /// Whether all tangents are symmetric.
    pub symmetric: bool,
    /// Tangent policy.
    pub policy: TangentPolicy,
}

struct Entry {
    law: Stored,
    d: usize,
    s: usize,
    massive: bool,
    given: Option<(f64, f64)>,
    ground: Vec<f64>,
    /// First of its rows, counted over all elements.
    row0: usize,
    /// First of its states.
    state0: usize,
    /// Start of its tangent blocks [K C R A B E M].
    tangent0: usize,
    /// Start of its eliminated blocks [(mI - cE)⁻¹, cB + kA] in every operator.
    eliminated0: usize,
    /// Its range in `scatter`.
    scatter: std::ops::Range<usize>,
}

/// Where a local d x d matrix goes: values[position] += factor * local[index].
#[derive(Clone, Copy)]
struct Scatter {
    index: u32,
    position: u32,
    factor: f64,
}

struct Operator {
    mck: Mck,
    /// Factorised once, because only the (constant) mass matrix enters.
    constant: bool,
    /// A diagonal matrix: `base` and `values` hold the diagonal only.
    diagonal: bool,
    /// m M + c C + k K of the constant matrices.
    base: Vec<f64>,
    values: Vec<f64>,
    factor: Factor,
    eliminated: Vec<f64>,
    /// D⁻¹ W of the modal damping vectors W, and the small matrix of the Woodbury formula.
    modal_z: Vec<Vec<f64>>,
    modal_small: Vec<f64>,
}

/// Working memory, never carrying anything from one call to the next.
#[derive(Default)]
struct Scratch {
    x: Vec<f64>,
    y: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    acc: Vec<f64>,
    p: Vec<f64>,
    local: Vec<f64>,
    lu: Vec<f64>,
    modal: Vec<f64>,
    a: Vec<f64>,
    g: Vec<f64>,
}

/// The assembled system.
pub struct Assembled {
    n: usize,
    ns: usize,
    policy: TangentPolicy,
    symmetry: Symmetry,
    pattern: Pattern,
    mass: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    /// The mass matrix is this diagonal.
    lumped: Option<Vec<f64>>,
    /// Mass including that of elements at the linearisation; empty when no element carries mass.
    mass_lin: Vec<f64>,
    /// Factor of M(u) at an arbitrary configuration, and its values.
    mass_now: Option<(Factor, Vec<f64>)>,
    modal: Vec<(f64, Vec<f64>)>,
    motions: Vec<Motion>,
    /// Displacement, velocity, acceleration of the imposed degrees of freedom at the last evaluated time.
    imposed: [Vec<f64>; 3],
    couplings: Vec<Coupling>,
    forces: Vec<(usize, Signal)>,
    grounds: Vec<Ground>,
    ground_now: Vec<f64>,
    elements: Vec<Entry>,
    row_ptr: Vec<u32>,
    rows: Vec<(u32, f64)>,
    scatter: Vec<Scatter>,
    tangents: Vec<f64>,
    operators: Vec<Operator>,
    /// Stiffness factor that makes the mass operator regular when some degrees of freedom have no mass.
    massless: f64,
    scratch: Scratch,
}

/// Σ factor * x over a row; imposed columns take their value from `imposed`.
#[inline]
pub(crate) fn gather(row: &[(u32, f64)], free: &[f64], imposed: &[f64]) -> f64 {
    row.iter()
        .map(|&(i, f)| {
            let i = i as usize;
            f * if i < free.len() { free[i] } else { imposed.get(i - free.len()).copied().unwrap_or(0.0) }
        })
        .sum()
}

/// y += A x for a row-major matrix with `x.len()` columns.
#[inline]
fn mul_add(a: &[f64], x: &[f64], y: &mut [f64], factor: f64) {
    if x.is_empty() {
        return;
    }
    for (row, y) in a.chunks_exact(x.len()).zip(y) {
        *y += factor * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

/// Inverts a small row-major matrix in place by Gauss-Jordan elimination with row pivoting; `false` if singular.
fn invert(a: &mut [f64], work: &mut [f64], n: usize) -> bool {
    let inv = &mut work[..n * n];
    inv.fill(0.0);
    for i in 0..n {
        inv[i * n + i] = 1.0;
    }
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[p * n + k].abs() {
                p = i;
            }
        }
        let pivot = a[p * n + k];
        if !pivot.is_finite() || pivot == 0.0 {
            return false;
        }
        for j in 0..n {
            a.swap(k * n + j, p * n + j);
            inv.swap(k * n + j, p * n + j);
        }
        for j in 0..n {
            a[k * n + j] /= pivot;
            inv[k * n + j] /= pivot;
        }
        for i in 0..n {
            let f = a[i * n + k];
            if i != k && f != 0.0 {
                for j in 0..n {
                    a[i * n + j] -= f * a[k * n + j];
                    inv[i * n + j] -= f * inv[k * n + j];
                }
            }
        }
    }
    a[..n * n].copy_from_slice(inv);
    true
}

impl Entry {
    fn blocks<'a>(&self, t: &'a [f64]) -> [&'a [f64]; 7] {
        let (d, s) = (self.d, self.s);
        let mut rest = &t[self.tangent0..];
        [d * d, d * d, d * s, s * d, s * d, s * s, if self.massive { d * d } else { 0 }].map(|len| {
            let (block, tail) = rest.split_at(len);
            rest = tail;
            block
        })
    }
}

impl Assembled {
    /// Puts the ingredients together and takes the tangents at the initial state `y0` = [u v s].
    ///
    /// # Panics
    /// If lengths or indices of the ingredients do not fit together.
    pub fn new(parts: Ingredients, y0: &[f64]) -> Result<Self, Fault> {
        let Ingredients { n, mass, damping, stiffness, modal, motions, couplings, forces, grounds, policy, .. } = parts;
        let pattern = parts.pattern.unwrap_or_else(|| Pattern::new(n, []));
        assert!(mass.len() == pattern.nnz() && stiffness.len() == pattern.nnz());
        assert!(damping.is_empty() || damping.len() == pattern.nnz());

        let (mut elements, mut row_ptr, mut rows, mut scatter) = (Vec::new(), vec![0u32], Vec::new(), Vec::new());
        let (mut ns, mut tangents, mut eliminated, mut dmax, mut smax) = (0, 0, 0, 1, 1);
        for part in parts.parts {
            let (d, s, massive) = part.law.shape();
            assert_eq!(part.rows.len(), d, "an element has one row per coordinate");
            let first = scatter.len();
            for (i, ri) in part.rows.iter().enumerate() {
                for (j, rj) in part.rows.iter().enumerate() {
                    for &(a, fa) in ri.iter().filter(|r| (r.0 as usize) < n) {
                        for &(b, fb) in rj.iter().filter(|r| (r.0 as usize) < n) {
                            let position =
                                pattern.position(a as usize, b as usize).expect("pattern holds the elements");
                            let (index, position) = ((i * d + j) as u32, position as u32);
                            scatter.push(Scatter { index, position, factor: fa * fb });
                        }
                    }
                }
            }
            elements.push(Entry {
                law: part.law,
                d,
                s,
                massive,
                given: part.given,
                ground: part.ground,
                row0: row_ptr.len() - 1,
                state0: ns,
                tangent0: tangents,
                eliminated0: eliminated,
                scatter: first..scatter.len(),
            });
            for row in part.rows {
                rows.extend(row);
                row_ptr.push(rows.len() as u32);
            }
            ns += s;
            tangents += 2 * d * d + 3 * d * s + s * s + if massive { d * d } else { 0 };
            eliminated += s * s + s * d;
            (dmax, smax) = (dmax.max(d), smax.max(s));
        }
        let massive = elements.iter().any(|e| e.massive);
        let diagonal =
            (0..n).all(|i| pattern.row(i).zip(pattern.columns(i)).all(|(p, &j)| j as usize == i || mass[p] == 0.0));
        let diagonal_of = |values: &[f64]| -> Vec<f64> {
            (0..n).map(|i| values[pattern.position(i, i).expect("the diagonal is always there")]).collect()
        };
        let lumped = (diagonal && !massive).then(|| diagonal_of(&mass));
        // A tiny share of the stiffness replaces the missing inertia: the massless unknowns then follow the
        // others quasi-statically, with a relative error of this size in the highest mode.
        let largest = |x: Vec<f64>| x.into_iter().fold(0.0, f64::max);
        let has_massless = !massive && diagonal_of(&mass).contains(&0.0);
        let massless = if has_massless {
            1e-9 * largest(diagonal_of(&mass)) / largest(diagonal_of(&stiffness)).max(f64::MIN_POSITIVE)
        } else {
            0.0
        };
        let symmetry = if parts.symmetric { Symmetry::Symmetric } else { Symmetry::General };
        let mut this = Assembled {
            n,
            ns,
            policy,
            symmetry,
            mass_lin: if massive { mass.clone() } else { Vec::new() },
            mass_now: massive.then(|| (Factor::new(&pattern, Symmetry::Symmetric, false), mass.clone())),
            lumped,
            imposed: std::array::from_fn(|_| vec![0.0; motions.len()]),
            motions,
            couplings,
            forces,
            ground_now: vec![0.0; grounds.len()],
            grounds,
            elements,
            row_ptr,
            rows,
            scatter,
            tangents: vec![0.0; tangents],
            operators: Vec::new(),
            massless,
            scratch: Scratch {
                x: vec![0.0; n],
                y: vec![0.0; n],
                q: vec![0.0; dmax],
                v: vec![0.0; dmax],
                acc: vec![0.0; dmax],
                p: vec![0.0; dmax],
                local: vec![0.0; dmax * dmax],
                lu: vec![0.0; (smax * smax).max(dmax * smax).max(modal.len() * modal.len())],
                modal: vec![0.0; modal.len()],
                a: vec![0.0; n],
                g: vec![0.0; ns],
            },
            modal,
            pattern,
            mass,
            damping,
            stiffness,
        };
        this.take_tangents(this.dims().point(0.0, y0))?;
        if this.policy == TangentPolicy::Given {
            this.take_given_tangents();
        }
        Ok(this)
    }

    /// Row `i` of element `e`.
    fn row(&self, e: &Entry, i: usize) -> &[(u32, f64)] {
        let k = e.row0 + i;
        &self.rows[self.row_ptr[k] as usize..self.row_ptr[k + 1] as usize]
    }

    fn set_time(&mut self, t: f64) {
        for (i, m) in self.motions.iter().enumerate() {
            [self.imposed[0][i], self.imposed[1][i], self.imposed[2][i]] = m.at(t);
        }
        for (g, now) in self.grounds.iter().zip(&mut self.ground_now) {
            *now = g.signal.value(t);
        }
    }

    /// Forces of elements and loads, without shift and in the true masses.
    fn raw_force(
        &mut self,
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        r: &mut [f64],
        g: &mut [f64],
    ) -> Result<(), Fault> {
        self.set_time(at.t);
        let mut work = std::mem::take(&mut self.scratch);
        // Constant matrices: r = K (u + du) + C (v + dv).
        match shift {
            None => self.linear_force(at.u, at.v, r),
            Some(d) => {
                for i in 0..self.n {
                    work.x[i] = at.u[i] + d.u[i];
                    work.y[i] = at.v[i] + d.v[i];
                }
                self.linear_force(&work.x, &work.y, r);
            }
        }
        let [ui, vi, ai] = &self.imposed;
        for c in &self.couplings {
            r[c.row] += c.k * ui[c.imposed] + c.c * vi[c.imposed] + c.m * ai[c.imposed];
        }
        for (dof, signal) in &self.forces {
            r[*dof] -= signal.value(at.t);
        }
        for (ground, a) in self.grounds.iter().zip(&self.ground_now) {
            for (r, l) in r.iter_mut().zip(&ground.load) {
                *r += l * a;
            }
        }
        let mut fault = None;
        for (index, e) in self.elements.iter().enumerate() {
            let Scratch { q, v, acc, p, local, .. } = &mut work;
            let (q, v, p) = (&mut q[..e.d], &mut v[..e.d], &mut p[..e.d]);
            for i in 0..e.d {
                let row = self.row(e, i);
                q[i] = gather(row, at.u, ui);
                v[i] = gather(row, at.v, vi);
            }
            let states = e.state0..e.state0 + e.s;
            let ge = &mut g[states.clone()];
            e.law.with(|law| law.response(at.t, q, v, &at.s[states.clone()], p, ge));
            if e.massive {
                // Inertia force of the base and of imposed coordinates: p += M(q) (B a_base).
                for i in 0..e.d {
                    acc[i] = self.base_acceleration(e, i);
                }
                let m = &mut local[..e.d * e.d];
                e.law.with(|law| law.mass(q, m));
                mul_add(m, &acc[..e.d], p, 1.0);
            }
            if p.iter().any(|x| !x.is_finite()) {
                fault.get_or_insert(Fault::NonFinite { place: Place::ElementForce, index });
            }
            if ge.iter().any(|x| !x.is_finite()) {
                fault.get_or_insert(Fault::NonFinite { place: Place::ElementRate, index });
            }
            if let Some(d) = shift {
                for i in 0..e.d {
                    let row = self.row(e, i);
                    q[i] = gather(row, d.u, &[]);
                    v[i] = gather(row, d.v, &[]);
                }
                let [k, c, rs, a, b, es, _] = e.blocks(&self.tangents);
                mul_add(k, q, p, 1.0);
                mul_add(c, v, p, 1.0);
                mul_add(rs, &d.s[states.clone()], p, 1.0);
                mul_add(a, q, ge, 1.0);
                mul_add(b, v, ge, 1.0);
                mul_add(es, &d.s[states], ge, 1.0);
            }
            for i in 0..e.d {
                for &(j, f) in self.row(e, i) {
                    if let Some(r) = r.get_mut(j as usize) {
                        *r += f * p[i];
                    }
                }
            }
        }
        self.scratch = work;
        fault.map_or(Ok(()), Err)
    }

    fn linear_force(&self, u: &[f64], v: &[f64], r: &mut [f64]) {
        if self.damping.is_empty() {
            self.pattern.mul(&self.stiffness, u, r);
        } else {
            r.fill(0.0);
            self.pattern.mul2_add(&self.stiffness, u, &self.damping, v, r);
        }
        for (c, w) in &self.modal {
            let f = c * w.iter().zip(v).map(|(w, v)| w * v).sum::<f64>();
            for (r, w) in r.iter_mut().zip(w) {
                *r += f * w;
            }
        }
    }

    /// Acceleration of coordinate `i` of an element by the ground and by imposed motions.
    fn base_acceleration(&self, e: &Entry, i: usize) -> f64 {
        let ground: f64 = self.ground_now.iter().enumerate().map(|(g, a)| a * e.ground[g * e.d + i]).sum();
        let imposed: f64 = self
            .row(e, i)
            .iter()
            .filter_map(|&(j, f)| Some(f * self.imposed[2].get((j as usize).checked_sub(self.n)?)?))
            .sum();
        ground + imposed
    }

    /// Mass matrix at a configuration into `values`.
    fn assemble_mass(&mut self, u: &[f64], values: &mut [f64]) {
        let mut work = std::mem::take(&mut self.scratch);
        values.copy_from_slice(&self.mass);
        for e in self.elements.iter().filter(|e| e.massive) {
            for i in 0..e.d {
                work.q[i] = gather(self.row(e, i), u, &self.imposed[0]);
            }
            let m = &mut work.local[..e.d * e.d];
            e.law.with(|law| law.mass(&work.q[..e.d], m));
            for s in &self.scatter[e.scatter.clone()] {
                values[s.position as usize] += s.factor * m[s.index as usize];
            }
        }
        self.scratch = work;
    }

    /// Solves M(u) x = b in place, M at the configuration `u`.
    fn solve_mass_at(&mut self, u: &[f64], b: &mut [f64]) -> Result<(), Fault> {
        let Some((mut factor, mut values)) = self.mass_now.take() else { return Ok(()) };
        self.assemble_mass(u, &mut values);
        let result = factor.factorize(&values).map_err(|s| Fault::Singular { dof: s.row });
        if result.is_ok() {
            factor.solve(b);
        }
        self.mass_now = Some((factor, values));
        result
    }

    /// Accelerations that balance the forces at a point: a = -M(u)⁻¹ r. Only for systems with element masses.
    fn balance_acceleration(&mut self, at: Point<'_>, a: &mut [f64]) -> Result<(), Fault> {
        let mut g = std::mem::take(&mut self.scratch.g);
        let forces = self.raw_force(at, None, a, &mut g);
        self.scratch.g = g;
        forces?;
        a.iter_mut().for_each(|r| *r = -*r);
        self.solve_mass_at(at.u, a)
    }

    fn take_tangents(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.set_time(at.t);
        let mut a = std::mem::take(&mut self.scratch.a);
        let balance = if self.mass_now.is_some() { self.balance_acceleration(at, &mut a) } else { Ok(()) };
        let mut tangents = std::mem::take(&mut self.tangents);
        let mut work = std::mem::take(&mut self.scratch);
        for e in &self.elements {
            let Scratch { q, v, acc, .. } = &mut work;
            for i in 0..e.d {
                let row = self.row(e, i);
                q[i] = gather(row, at.u, &self.imposed[0]);
                v[i] = gather(row, at.v, &self.imposed[1]);
                acc[i] = if e.massive { gather(row, &a, &[]) + self.base_acceleration(e, i) } else { 0.0 };
            }
            let (d, s) = (e.d, e.s);
            let blocks = &mut tangents[e.tangent0..];
            let (k, blocks) = blocks.split_at_mut(d * d);
            let (c, blocks) = blocks.split_at_mut(d * d);
            let (r, blocks) = blocks.split_at_mut(d * s);
            let (ba, blocks) = blocks.split_at_mut(s * d);
            let (b, blocks) = blocks.split_at_mut(s * d);
            let (es, blocks) = blocks.split_at_mut(s * s);
            let states = &at.s[e.state0..e.state0 + s];
            e.law.with(|law| {
                law.tangent(at.t, &q[..d], &v[..d], states, &acc[..d], Tangent { k, c, r, a: ba, b, e: es });
                if e.massive {
                    law.mass(&q[..d], &mut blocks[..d * d]);
                }
            });
        }
        self.scratch = work;
        self.tangents = tangents;
        self.scratch.a = a;
        if !self.mass_lin.is_empty() {
            let mut mass = std::mem::take(&mut self.mass_lin);
            self.assemble_mass(at.u, &mut mass);
            self.mass_lin = mass;
        }
        balance
    }

    /// Replaces the tangents of elements that have an estimate by it.
    fn take_given_tangents(&mut self) {
        for e in &self.elements {
            if let Some((k, c)) = e.given {
                let (d, s) = (e.d, e.s);
                self.tangents[e.tangent0..e.tangent0 + 2 * d * d + 3 * d * s + s * s].fill(0.0);
                for i in 0..d {
                    self.tangents[e.tangent0 + i * d + i] = k;
                    self.tangents[e.tangent0 + d * d + i * d + i] = c;
                }
            }
        }
    }

    fn factorize(&mut self) -> Result<(), Fault> {
        let mut operators = std::mem::take(&mut self.operators);
        let result = operators.iter_mut().filter(|op| !op.constant).try_for_each(|op| self.factorize_one(op));
        self.operators = operators;
        result
    }

    fn factorize_one(&mut self, op: &mut Operator) -> Result<(), Fault> {
        let Mck { m, c, k } = op.mck;
        let mut work = std::mem::take(&mut self.scratch);
        let mut fault = None;
        op.values.copy_from_slice(&op.base);
        for (index, e) in self.elements.iter().enumerate() {
            let (d, s) = (e.d, e.s);
            let [bk, bc, br, ba, bb, be, bm] = e.blocks(&self.tangents);
            let local = &mut work.local[..d * d];
            for i in 0..d * d {
                local[i] = c * bc[i] + k * bk[i] + if e.massive { m * bm[i] } else { 0.0 };
            }
            if s > 0 {
                let (inv, h) = op.eliminated[e.eliminated0..e.eliminated0 + s * s + s * d].split_at_mut(s * s);
                for i in 0..s {
                    for j in 0..s {
                        inv[i * s + j] = if i == j { m } else { 0.0 } - c * be[i * s + j];
                    }
                }
                for i in 0..s * d {
                    h[i] = c * bb[i] + k * ba[i];
                }
                if !invert(inv, &mut work.lu, s) {
                    fault.get_or_insert(Fault::SingularElement { element: index });
                    continue;
                }
                // local += c R inv h
                for i in 0..d {
                    for l in 0..s {
                        let ri = (0..s).map(|j| br[i * s + j] * inv[j * s + l]).sum::<f64>() * c;
                        for j in 0..d {
                            local[i * d + j] += ri * h[l * d + j];
                        }
                    }
                }
            }
            if !op.diagonal {
                for sc in &self.scatter[e.scatter.clone()] {
                    op.values[sc.position as usize] += sc.factor * local[sc.index as usize];
                }
            }
        }
        self.scratch = work;
        if let Some(f) = fault {
            return Err(f);
        }
        op.factor.factorize(&op.values).map_err(|s| Fault::Singular { dof: s.row })?;
        self.factorize_modal(op)
    }

    /// Woodbury: (D + c Σ c_i w_i w_iᵀ)⁻¹ = D⁻¹ - Z (diag(1/(c c_i)) + Wᵀ Z)⁻¹ Zᵀ with Z = D⁻¹ W.
    fn factorize_modal(&mut self, op: &mut Operator) -> Result<(), Fault> {
        let nm = self.modal.len();
        if nm == 0 || op.mck.c == 0.0 {
            return Ok(());
        }
        for (z, (_, w)) in op.modal_z.iter_mut().zip(&self.modal) {
            z.copy_from_slice(w);
            op.factor.solve(z);
        }
        for (i, (ci, wi)) in self.modal.iter().enumerate() {
            for (j, z) in op.modal_z.iter().enumerate() {
                let dot: f64 = wi.iter().zip(z).map(|(w, z)| w * z).sum();
                op.modal_small[i * nm + j] = dot + if i == j { 1.0 / (op.mck.c * ci) } else { 0.0 };
            }
        }
        if invert(&mut op.modal_small, &mut self.scratch.lu, nm) { Ok(()) } else { Err(Fault::Singular { dof: 0 }) }
    }

    /// How the linear systems of the scheme are solved, one entry per dynamic matrix.
    pub fn solvers(&self) -> Vec<(Mck, Report)> {
        self.operators.iter().map(|o| (o.mck, o.factor.report())).collect()
    }

    /// Whether tangents follow the state.
    pub fn follows_state(&self) -> bool {
        self.policy == TangentPolicy::Exact && !self.elements.is_empty()
    }

    /// Pattern, mass and initial stiffness of the small-amplitude motion about the present linearisation:
    /// K plus R B for every element whose `memory` flag says that its states remember its deformation.
    pub fn matrices(&self, memory: &[bool]) -> (&Pattern, Vec<f64>, Vec<f64>) {
        let mass = if self.mass_lin.is_empty() { self.mass.clone() } else { self.mass_lin.clone() };
        let mut stiffness = self.stiffness.clone();
        for (e, memory) in self.elements.iter().zip(memory) {
            let [k, _, r, _, b, _, _] = e.blocks(&self.tangents);
            let mut local = k.to_vec();
            if *memory {
                for i in 0..e.d {
                    for l in 0..e.s {
                        for j in 0..e.d {
                            local[i * e.d + j] += r[i * e.s + l] * b[l * e.d + j];
                        }
                    }
                }
            }
            for s in &self.scatter[e.scatter.clone()] {
                stiffness[s.position as usize] += s.factor * local[s.index as usize];
            }
        }
        (&self.pattern, mass, stiffness)
    }

    /// Offset of the states of element `e`.
    pub fn state_offset(&self, e: usize) -> usize {
        self.elements[e].state0
    }

    /// Base acceleration on a free degree of freedom at time `t`.
    pub fn ground_acceleration(&self, dof: usize, t: f64) -> f64 {
        self.grounds.iter().map(|g| g.iota[dof] * g.signal.value(t)).sum()
    }

    /// Accelerations that balance the forces at a point, whatever the scheme: M(u) a = -r. The scheme's first
    /// operator is used when it is the mass matrix, else the mass matrix is factorised here.
    pub fn accelerations(&mut self, at: Point<'_>, a: &mut [f64]) -> Result<(), Fault> {
        if self.mass_now.is_some() {
            return self.balance_acceleration(at, a);
        }
        let mut g = std::mem::take(&mut self.scratch.g);
        let result = self.raw_force(at, None, a, &mut g);
        a.iter_mut().for_each(|r| *r = -*r);
        if let Some(m) = &self.lumped
            && self.massless == 0.0
        {
            a.iter_mut().zip(m).for_each(|(a, m)| *a /= m);
        } else if let Some(slot) = self.operators.iter().position(|o| o.mck.c == 0.0) {
            self.solve(slot, a, &mut g);
        }
        self.scratch.g = g;
        result
    }

    /// Adds the mass matrix to the operators, for [`Assembled::accelerations`] of schemes that do not use it.
    pub fn prepare_mass(&mut self) -> Result<(), Fault> {
        if self.operators.iter().any(|o| o.mck.c == 0.0) {
            return Ok(());
        }
        let op = self.operator(Mck::MASS)?;
        self.operators.push(op);
        Ok(())
    }

    /// A dynamic matrix, factorised at the present linearisation.
    fn operator(&mut self, mck: Mck) -> Result<Operator, Fault> {
        let is_mass = mck.c == 0.0 && mck.k == 0.0;
        let mck = if is_mass { Mck { k: self.massless, ..mck } } else { mck };
        let constant = is_mass && self.mass_now.is_none();
        let refactorised = self.follows_state() && !constant;
        let diagonal = self.lumped.as_ref().filter(|_| is_mass && self.massless == 0.0);
        let (base, factor) = match diagonal {
            Some(m) => (m.clone(), Factor::new(&Pattern::new(self.n, []), Symmetry::Symmetric, true)),
            None => {
                let mut base: Vec<f64> =
                    self.mass.iter().zip(&self.stiffness).map(|(m, k)| mck.m * m + mck.k * k).collect();
                base.iter_mut().zip(&self.damping).for_each(|(b, c)| *b += mck.c * c);
                (base, Factor::new(&self.pattern, self.symmetry, !refactorised))
            }
        };
        let eliminated = self.elements.iter().map(|e| e.s * e.s + e.s * e.d).sum();
        let mut op = Operator {
            mck,
            constant,
            diagonal: diagonal.is_some(),
            values: base.clone(),
            base,
            factor,
            eliminated: vec![0.0; eliminated],
            modal_z: self.modal.iter().map(|(_, w)| vec![0.0; w.len()]).collect(),
            modal_small: vec![0.0; self.modal.len() * self.modal.len()],
        };
        self.factorize_one(&mut op)?;
        Ok(op)
    }
}

impl System for Assembled {
    fn dims(&self) -> Dims {
        Dims { nu: self.n, ns: self.ns }
    }

    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        if self.mass_now.is_none() {
            return self.raw_force(at, shift, r, g);
        }
        self.raw_force(at, None, r, g)?;
        self.solve_mass_at(at.u, r)?;
        let mut a = std::mem::take(&mut self.scratch.a);
        a.copy_from_slice(r);
        self.pattern.mul(&self.mass_lin, &a, r); // r := M_lin M(u)⁻¹ r
        if let Some(d) = shift {
            let mut gs = std::mem::take(&mut self.scratch.g);
            self.mul_tangent(d, &mut a, &mut gs);
            r.iter_mut().zip(&a).for_each(|(r, a)| *r += a);
            g.iter_mut().zip(&gs).for_each(|(g, a)| *g += a);
            self.scratch.g = gs;
        }
        self.scratch.a = a;
        Ok(())
    }

    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.operators = operators.iter().map(|&mck| self.operator(mck)).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        if !self.follows_state() {
            return Ok(());
        }
        self.take_tangents(at)?;
        self.factorize()
    }

    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        let mut work = std::mem::take(&mut self.scratch);
        let mut operators = std::mem::take(&mut self.operators);
        let op = &mut operators[slot];
        let c = op.mck.c;
        if c != 0.0 {
            // b -= Bᵀ c R (mI - cE)⁻¹ bs
            for e in self.elements.iter().filter(|e| e.s > 0) {
                let (d, s) = (e.d, e.s);
                let inv = &op.eliminated[e.eliminated0..e.eliminated0 + s * s];
                let sd = &mut work.lu[..s];
                sd.fill(0.0);
                mul_add(inv, &bs[e.state0..e.state0 + s], sd, 1.0);
                work.p[..d].fill(0.0);
                mul_add(e.blocks(&self.tangents)[2], sd, &mut work.p[..d], c);
                for i in 0..d {
                    for &(j, f) in self.row(e, i) {
                        if let Some(b) = b.get_mut(j as usize) {
                            *b -= f * work.p[i];
                        }
                    }
                }
            }
        }
        op.factor.solve(b);
        if c != 0.0 && !self.modal.is_empty() {
            let nm = self.modal.len();
            for (x, (_, w)) in work.modal.iter_mut().zip(&self.modal) {
                *x = w.iter().zip(b.iter()).map(|(w, b)| w * b).sum();
            }
            for (row, z) in op.modal_small.chunks_exact(nm).zip(&op.modal_z) {
                let f: f64 = row.iter().zip(&work.modal).map(|(a, x)| a * x).sum();
                b.iter_mut().zip(z).for_each(|(b, z)| *b -= f * z);
            }
        }
        // sd = (mI - cE)⁻¹ (bs + (cB + kA) a)
        for e in self.elements.iter().filter(|e| e.s > 0) {
            let (d, s) = (e.d, e.s);
            let (inv, h) = op.eliminated[e.eliminated0..e.eliminated0 + s * s + s * d].split_at(s * s);
            for i in 0..d {
                work.q[i] = gather(self.row(e, i), b, &[]);
            }
            let mine = &mut bs[e.state0..e.state0 + s];
            mul_add(h, &work.q[..d], mine, 1.0);
            let sd = &mut work.lu[..s];
            sd.fill(0.0);
            mul_add(inv, mine, sd, 1.0);
            mine.copy_from_slice(sd);
        }
        self.operators = operators;
        self.scratch = work;
    }

    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        if let Some(m) = &self.lumped {
            for i in 0..self.n {
                y[i] = m[i] * x[i];
            }
        } else {
            self.pattern.mul(if self.mass_lin.is_empty() { &self.mass } else { &self.mass_lin }, x, y);
        }
    }

    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        self.linear_force(x.u, x.v, r);
        g.fill(0.0);
        for e in &self.elements {
            let [k, c, rs, a, b, es, _] = e.blocks(&self.tangents);
            let states = e.state0..e.state0 + e.s;
            // Column by column, so that no working memory is needed.
            for j in 0..e.d {
                let row = self.row(e, j);
                let (q, v) = (gather(row, x.u, &[]), gather(row, x.v, &[]));
                for i in 0..e.s {
                    g[e.state0 + i] += a[i * e.d + j] * q + b[i * e.d + j] * v;
                }
                for i in 0..e.d {
                    let p = k[i * e.d + j] * q + c[i * e.d + j] * v;
                    for &(l, f) in self.row(e, i) {
                        if let Some(r) = r.get_mut(l as usize) {
                            *r += f * p;
                        }
                    }
                }
            }
            let s = &x.s[states.clone()];
            mul_add(es, s, &mut g[states], 1.0);
            for i in 0..e.d {
                let p: f64 = (0..e.s).map(|j| rs[i * e.s + j] * s[j]).sum();
                for &(l, f) in self.row(e, i) {
                    if let Some(r) = r.get_mut(l as usize) {
                        *r += f * p;
                    }
                }
            }
        }
    }
}

/// The test equation u'' + 2 ξ u' + u = 0 of linear analysis: circular frequency 1, so that Ω = ω dt is the step.
pub fn oscillator(xi: f64) -> Result<Assembled, Fault> {
    let ingredients = Ingredients {
        n: 1,
        mass: vec![1.0],
        damping: vec![2.0 * xi],
        stiffness: vec![1.0],
        symmetric: true,
        ..Ingredients::default()
    };
    Assembled::new(ingredients, &[0.0; 2])
}
