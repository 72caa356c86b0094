//! Tangents of the elements, the dynamic matrices made of them, and the solves.

use std::sync::OnceLock;

use interfield_kernel::element::Tangent;
use interfield_kernel::element::path::MEMORY;
use interfield_kernel::fault::Place;
use interfield_kernel::{Fault, Mck, Point};
use interfield_linalg::{Factor, Kind as Symmetry, Pattern, Planned, Report, Singular, Solver, invert};

use super::element::{Entry, Stored, gather, mul_add, with_state};
use super::{Assembled, Scratch};
use crate::preparation::{Memory, Preparation};
use interfield_language::model::TangentPolicy;

/// From so many unknowns on an analysis can take longer than reading one that was kept.
const KEPT: usize = 2000;

fn named(what: &str, [a, b]: [u64; 2]) -> String {
    format!("{what}-{a:016x}{b:016x}")
}

/// A dynamic matrix D = m M + c C + k K with its factorisation.
pub(super) struct Operator {
    pub(super) mck: Mck,
    /// Factorised once, because only the (constant) mass matrix enters.
    pub(super) constant: bool,
    /// A diagonal matrix: `base` and `values` hold the diagonal only.
    pub(super) diagonal: bool,
    /// m M + c C + k K of the constant matrices.
    pub(super) base: Vec<f64>,
    pub(super) values: Vec<f64>,
    pub(super) factor: Factor,
    pub(super) eliminated: Vec<f64>,
    /// D⁻¹ W of the modal damping vectors W, and the small matrix of the Woodbury formula.
    pub(super) modal_z: Vec<Vec<f64>>,
    pub(super) modal_small: Vec<f64>,
}

impl Assembled {
    pub(super) fn take_tangents(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.set_time(at.t);
        let mut a = std::mem::take(&mut self.scratch.a);
        let balance = if self.mass_now.is_some() { self.balance_acceleration(at, &mut a) } else { Ok(()) };
        let mut tangents = std::mem::take(&mut self.tangents);
        let mut work = std::mem::take(&mut self.scratch);
        let mut ahead = std::mem::take(&mut self.ahead);
        for e in self.elements.iter().filter(|e| e.held.is_none()) {
            if matches!(e.law, Stored::Frame(_)) {
                self.frame_tangent(e, at, &mut ahead, &mut tangents);
                continue;
            }
            if let Stored::Path(law) = &e.law
                && self.iterated
            {
                let start = &self.committed[e.memory0..e.memory0 + MEMORY];
                let slope = law.slope([start[0], start[1]], gather(self.row(e, 0), at.u, &self.imposed[0]));
                tangents[e.tangent0..e.tangent0 + 2].copy_from_slice(&[slope, 0.0]);
                continue;
            }
            if let Some(line) = &e.line {
                let (q, v) = ([line.gather(at.u)], [line.gather(at.v)]);
                let (k, blocks) = tangents[e.tangent0..].split_at_mut(1);
                let (c, blocks) = blocks.split_at_mut(1);
                let (r, blocks) = blocks.split_at_mut(e.s);
                let (a, blocks) = blocks.split_at_mut(e.s);
                let (b, blocks) = blocks.split_at_mut(e.s);
                let out = Tangent { k, c, r, a, b, e: &mut blocks[..e.s] };
                e.law.tangent(at.t, &q, &v, &at.s[e.state0..e.state0 + e.s], &[0.0], out);
                continue;
            }
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
        self.ahead = ahead;
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
    pub(super) fn take_given_tangents(&mut self) {
        for e in &self.elements {
            if let Some([k, c]) = &e.given {
                let (d, s) = (e.d, e.s);
                let (estimate, states) = self.tangents[e.tangent0..].split_at_mut(2 * d * d);
                estimate[..d * d].copy_from_slice(k);
                estimate[d * d..].copy_from_slice(c);
                states[..3 * d * s + s * s].fill(0.0);
            }
        }
    }

    pub(super) fn factorize(&mut self) -> Result<(), Fault> {
        let mut operators = std::mem::take(&mut self.operators);
        let result = operators.iter_mut().filter(|op| !op.constant).try_for_each(|op| self.factorize_one(op, false));
        self.operators = operators;
        result
    }

    /// A tangent that is not finite shows as a pivot somewhere; this names the element it comes from.
    pub(super) fn cause(&self, fault: Fault) -> Fault {
        let bad = |parts: [&[f64]; 4]| parts.iter().any(|part| part.iter().any(|x| !x.is_finite()));
        let of = |(index, e): (usize, &Entry)| {
            let [k, c, r, a, b, es, m] = e.blocks(&self.tangents);
            let force = bad([k, c, r, m]).then_some(Place::ElementForce);
            let place = force.or(bad([a, b, es, &[]]).then_some(Place::ElementRate))?;
            Some(Fault::NonFinite { place, index })
        };
        self.elements.iter().enumerate().find_map(of).unwrap_or(fault)
    }

    pub(super) fn factorize_one(&mut self, op: &mut Operator, cores: bool) -> Result<(), Fault> {
        let Mck { m, c, k } = op.mck;
        let mut work = std::mem::take(&mut self.scratch);
        let mut fault = None;
        // The share of stiffness that stands in for missing masses: hysteretic stiffness, R B, counts too.
        let stands_in = c == 0.0 && k != 0.0;
        op.values.copy_from_slice(&op.base);
        for (index, e) in self.elements.iter().enumerate() {
            if e.line.is_some() {
                let mut local = c * self.tangents[e.tangent0 + 1] + k * self.tangents[e.tangent0];
                local += e.held.filter(|_| stands_in).map_or(0.0, |held| k * held.law[0]);
                if e.s == 1 {
                    let [_, _, r, a, b, es] = with_state(&self.tangents, e);
                    let pivot = m - c * es;
                    if !pivot.is_finite() || pivot == 0.0 {
                        fault.get_or_insert(Fault::SingularElement { element: index });
                        continue;
                    }
                    let (inv, h) = (1.0 / pivot, c * b + k * a);
                    op.eliminated[e.eliminated0..e.eliminated0 + 2].copy_from_slice(&[inv, h]);
                    local += r * inv * c * h + if stands_in { k * r * b } else { 0.0 };
                }
                if !op.diagonal {
                    for sc in &self.scatter[e.scatter.clone()] {
                        op.values[sc.position as usize] += sc.factor * local;
                    }
                }
                continue;
            }
            let (d, s) = (e.d, e.s);
            let [bk, bc, br, ba, bb, be, bm] = e.blocks(&self.tangents);
            let local = &mut work.local[..d * d];
            for i in 0..d * d {
                local[i] = c * bc[i] + k * bk[i] + if e.massive { m * bm[i] } else { 0.0 };
            }
            local[0] += e.held.filter(|_| stands_in).map_or(0.0, |held| k * held.law[0]);
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
                        let rb = if stands_in { k * br[i * s + l] } else { 0.0 };
                        for j in 0..d {
                            local[i * d + j] += ri * h[l * d + j] + rb * bb[l * d + j];
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
        let factorised = match cores {
            true => self.factorised(op),
            false => op.factor.factorize(&op.values),
        };
        factorised.map_err(|s| Fault::Singular { dof: s.row })?;
        self.factorize_modal(op)
    }

    /// Woodbury: (D + c Σ c_i w_i w_iᵀ)⁻¹ = D⁻¹ - Z (diag(1/(c c_i)) + Wᵀ Z)⁻¹ Zᵀ with Z = D⁻¹ W.
    pub(super) fn factorize_modal(&mut self, op: &mut Operator) -> Result<(), Fault> {
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
    pub(super) fn operator(&mut self, mck: Mck) -> Result<Operator, Fault> {
        let is_mass = mck.c == 0.0 && mck.k == 0.0;
        let mck = if is_mass { Mck { k: self.massless, ..mck } } else { mck };
        let constant = is_mass && self.mass_now.is_none();
        let refactorised = self.follows_state() && !constant;
        let diagonal = self.lumped.clone().filter(|_| is_mass && self.massless == 0.0);
        let is_diagonal = diagonal.is_some();
        let (base, factor) = match diagonal {
            Some(m) => (m, Factor::new(&Pattern::new(self.n, []), Symmetry::Symmetric, true)),
            None => {
                let mut base: Vec<f64> =
                    self.mass.iter().zip(&self.stiffness).map(|(m, k)| mck.m * m + mck.k * k).collect();
                base.iter_mut().zip(&self.damping).for_each(|(b, c)| *b += mck.c * c);
                (base, self.plan(!refactorised).reserve())
            }
        };
        let eliminated = self.elements.iter().map(|e| e.s * e.s + e.s * e.d).sum();
        let mut op = Operator {
            mck,
            constant,
            diagonal: is_diagonal,
            values: base.clone(),
            base,
            factor,
            eliminated: vec![0.0; eliminated],
            modal_z: self.modal.iter().map(|(_, w)| vec![0.0; w.len()]).collect(),
            modal_small: vec![0.0; self.modal.len() * self.modal.len()],
        };
        self.factorize_one(&mut op, true).map_err(|fault| self.cause(fault))?;
        Ok(op)
    }

    /// The analysis of the pattern, which serves all matrices that are constant, or all that change.
    pub(super) fn plan(&self, constant: bool) -> &Planned {
        let (pattern, symmetry, preparation) = (&self.pattern, self.symmetry, &self.preparation);
        self.planned[usize::from(constant)].get_or_init(|| {
            let kept = preparation.keeper.as_ref().filter(|_| pattern.n() >= KEPT);
            let name = || named("analysis", Planned::digest(pattern, symmetry, constant, &[]));
            let mut found = None;
            if let Some(keeper) = kept {
                keeper.load(&name(), &mut |words| {
                    let all: Vec<u64> = std::iter::from_fn(words).collect();
                    found = Planned::restored(pattern, symmetry, &all);
                    found.is_some()
                });
            }
            found.unwrap_or_else(|| {
                let planned = Planned::new(pattern, symmetry, constant, &preparation.watch);
                if let Some((keeper, words)) = kept.zip(planned.words()) {
                    keeper.keep(&name(), &mut words.into_iter());
                }
                planned
            })
        })
    }

    /// Factorises on all cores, or takes the factor that was kept of the same matrix.
    fn factorised(&self, op: &mut Operator) -> Result<(), Singular> {
        let kept = self.preparation.keeper.as_ref().filter(|_| !op.diagonal && self.n >= KEPT);
        let Operator { factor, values, .. } = op;
        let Some(keeper) = kept.filter(|_| factor.solver() == Solver::Supernodal) else {
            return factor.factorize_watched(values, &self.preparation.watch);
        };
        let name = named("factor", Planned::digest(&self.pattern, self.symmetry, !self.follows_state(), values));
        if keeper.load(&name, &mut |words| factor.take(values, words)) {
            return Ok(());
        }
        factor.factorize_watched(values, &self.preparation.watch)?;
        if let Some(mut words) = factor.words() {
            keeper.keep(&name, &mut words);
        }
        Ok(())
    }

    /// What preparations from now on may use.
    pub(crate) fn prepare_with(&mut self, preparation: &Preparation) {
        self.preparation = preparation.clone();
        if preparation.keeper.is_some() {
            self.planned = Default::default();
        }
    }

    pub(crate) fn unknowns(&self) -> usize {
        self.n
    }

    /// Memory that these dynamic matrices will need; their pattern is analysed here, nothing is reserved.
    pub(crate) fn memory_needed(&self, operators: &[Mck]) -> Memory {
        let diagonal = |op: &&Mck| op.c == 0.0 && op.k == 0.0 && self.lumped.is_some();
        let full = operators.len() - operators.iter().filter(diagonal).count();
        let constant = !self.follows_state();
        let factors = if full == 0 { 0.0 } else { full as f64 * self.plan(constant).bytes() };
        Memory { factors, rest: self.rest_of_memory() }
    }

    /// Memory that it uses.
    pub(crate) fn memory_used(&self) -> Memory {
        let factors = self.planned.iter().filter_map(OnceLock::get).map(Planned::bytes).fold(0.0, f64::max);
        let full = self.operators.iter().filter(|op| !op.diagonal).count();
        Memory { factors: full as f64 * factors, rest: self.rest_of_memory() }
    }

    /// Bytes of matrices, elements and states.
    fn rest_of_memory(&self) -> f64 {
        let matrices = [&self.mass, &self.damping, &self.stiffness, &self.mass_lin].map(Vec::len).iter().sum::<usize>()
            + self.operators.iter().map(|op| op.base.len() + op.values.len() + op.eliminated.len()).sum::<usize>();
        let elements = size_of::<Entry>() * self.elements.len()
            + size_of_val(&self.rows[..])
            + size_of_val(&self.scatter[..])
            + 8 * (2 * self.tangents.len() + 3 * self.memory.len());
        let vectors = 20 * (self.n + self.ns);
        (8 * (matrices + vectors) + 4 * self.pattern.nnz() + elements) as f64
    }

    /// See [`crate::Simulation::share_solutions`].
    pub(crate) fn share_solutions(&mut self, threads: usize) -> usize {
        self.operators.iter_mut().map(|op| op.factor.share_solutions(threads)).max().unwrap_or(1)
    }

    /// How the linear systems of the scheme are solved, one entry per dynamic matrix.
    pub fn solvers(&self) -> Vec<(Mck, Report)> {
        self.operators.iter().map(|o| (o.mck, o.factor.report())).collect()
    }

    /// Whether tangents follow the state: the policy is exact, and the tangent of some element is not constant.
    pub fn follows_state(&self) -> bool {
        self.policy == TangentPolicy::Exact
            && self.elements.iter().any(|e| match &e.law {
                Stored::Block(_) => false,
                Stored::Frame(frame) => self.iterated || frame.part.follows_rate(&frame.sections.tables()),
                Stored::Path(_) => self.iterated,
                _ => true,
            })
    }

    /// See [`System::solve`].
    pub(super) fn solve_in_slot(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        let mut work = std::mem::take(&mut self.scratch);
        let mut operators = std::mem::take(&mut self.operators);
        let op = &mut operators[slot];
        let c = op.mck.c;
        if c != 0.0 {
            // b -= Bᵀ c R (mI - cE)⁻¹ bs
            for e in self.elements.iter().filter(|e| e.s > 0) {
                if let Some(line) = &e.line {
                    let rs = self.tangents[e.tangent0 + 2];
                    line.scatter(-c * (rs * (op.eliminated[e.eliminated0] * bs[e.state0])), b);
                    continue;
                }
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
            if let Some(line) = &e.line {
                let (inv, h) = (op.eliminated[e.eliminated0], op.eliminated[e.eliminated0 + 1]);
                bs[e.state0] = inv * (bs[e.state0] + h * line.gather(b));
                continue;
            }
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
}
