//! A numerical substructure: constant matrices, elements, loads and supports behind the kernel's [`System`].
//!
//! Everything is allocated when it is built; evaluating, linearising, factorising and solving allocate nothing.
//! Only n x n matrices over the free degrees of freedom exist: element states are eliminated inside their
//! element, supports with a prescribed motion stay outside.
//! **Must not be here:** text, units, names, schemes.
mod at;
mod blueprint;
pub(crate) mod changing;
mod element;
mod energy;
mod force;
mod frame;
mod harmonic;
mod operators;
mod rates;
mod slow;
mod statics;
mod watched;
mod wide;
mod work;

use std::sync::OnceLock;

use interfield_kernel::element::path::MEMORY;
use interfield_kernel::{Archive, Dims, Fault, Mck, Point, Shift, SlowLaws, System};
use interfield_lab::rig::Rig;
use interfield_linalg::{Factor, Kind as Symmetry, Pattern, Planned};

use crate::preparation::Preparation;
use crate::specimen::Measured;
pub use blueprint::{Blueprint, ElementBlueprint, OperatorBlueprint, SpecimenBlueprint};
pub(crate) use element::gather;
use element::{Entry, Line, Scatter, mul_add};
pub use element::{Part, Row, Stored};
use force::Moving;
use interfield_language::model::TangentPolicy;
use interfield_language::signal::{Motion, Signal};
use operators::Operator;
pub use slow::Held;
use slow::SlowLaw;
pub(crate) use slow::is_slow;
pub(crate) use statics::{Lead, Statics, Stuck};
pub use work::Work;
pub(crate) use work::can_yield;

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
    /// Loads that are there from the beginning, over the free degrees of freedom; empty means none.
    pub held: Vec<f64>,
    /// Base accelerations.
    pub grounds: Vec<Ground>,
    /// Elements that are not constant matrices.
    pub parts: Vec<Part>,
    /// Whether all tangents are symmetric.
    pub symmetric: bool,
    /// Tangent policy.
    pub policy: TangentPolicy,
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
    b: Vec<f64>,
    g: Vec<f64>,
    memory: Vec<f64>,
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
    /// The time of these and of the imposed motions; not a number if they follow no time.
    now: f64,
    elements: Vec<Entry>,
    /// Elements of one coordinate whose force is a function of their deformation and its rate: springs, stops, dampers.
    curves: Vec<usize>,
    /// Laws that can be computed apart.
    slow: Vec<SlowLaw>,
    row_ptr: Vec<u32>,
    rows: Vec<(u32, f64)>,
    scatter: Vec<Scatter>,
    tangents: Vec<f64>,
    /// The tangents that the dynamic matrices are made of; not numbers if these must be factorised anew.
    factorised: Vec<f64>,
    /// Memory of the path-moved elements, then of the rigs.
    memory: Vec<f64>,
    /// Memory of the path-moved elements when the step began, if the scheme iterates.
    committed: Vec<f64>,
    ahead: frame::Ahead,
    /// Loads that are there from the beginning, over the unknowns, and the share of them that acts.
    held: Vec<f64>,
    held_share: f64,
    /// The share of all other loads that acts: none while the structure is brought into balance.
    acting: f64,
    /// The share of the imposed displacements that acts, as long as those loads do not.
    imposed_share: f64,
    /// Forces that push the structure, over the unknowns, for a factor of one, and their factor; empty if nothing pushes.
    pushed: Vec<f64>,
    push_factor: f64,
    /// Why no static balance was found.
    pub(crate) stuck: Option<Stuck>,
    /// Largest unbalance that measured forces left in a static step, over the largest force.
    pub(crate) carried: f64,
    iterated: bool,
    /// Whether elements remember what they did at the committed point.
    rewound: bool,
    /// Whether evaluations are trials that leave histories of members where they are.
    trial: bool,
    /// Specimens, whose forces are measured, and externals, whose forces are told.
    measured: Vec<Measured>,
    operators: Vec<Operator>,
    /// What [`System::prepare`] may use, and the analyses of the pattern.
    preparation: Preparation,
    /// For matrices that change, and for constant ones.
    planned: [OnceLock<Planned>; 2],
    /// Stiffness factor that makes the mass operator regular when some degrees of freedom have no mass.
    massless: f64,
    scratch: Scratch,
    /// The unknowns at which accelerations are asked for apart.
    few: at::Few,
}

impl Assembled {
    /// Puts the ingredients together and takes the tangents at the initial state `y0` = [u v s].
    ///
    /// # Panics
    /// If lengths or indices of the ingredients do not fit together.
    pub fn new(parts: Ingredients, y0: &[f64]) -> Result<Self, Fault> {
        let Ingredients {
            n, mass, damping, stiffness, modal, motions, couplings, forces, held, grounds, policy, ..
        } = parts;
        let pattern = parts.pattern.unwrap_or_else(|| Pattern::new(n, []));
        assert!(mass.len() == pattern.nnz() && stiffness.len() == pattern.nnz());
        assert!(damping.is_empty() || damping.len() == pattern.nnz());

        let (mut elements, mut row_ptr, mut rows, mut scatter) = (Vec::new(), vec![0u32], Vec::new(), Vec::new());
        let (mut ns, mut memory, mut tangents, mut eliminated, mut dmax, mut smax) = (0, 0, 0, 0, 1, 1);
        for part in parts.parts {
            let (d, s, massive) = part.law.shape();
            assert_eq!(part.rows.len(), d, "an element has one row per coordinate");
            let remembered = part.law.memory();
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
                memory0: memory,
                memory: remembered,
                tangent0: tangents,
                eliminated0: eliminated,
                scatter: first..scatter.len(),
                line: Line::new(&part.rows, s, massive, n),
                held: None,
            });
            for row in part.rows {
                rows.extend(row);
                row_ptr.push(rows.len() as u32);
            }
            ns += s;
            memory += remembered;
            tangents += 2 * d * d + 3 * d * s + s * s + if massive { d * d } else { 0 };
            eliminated += s * s + s * d;
            (dmax, smax) = (dmax.max(d), smax.max(s));
        }
        let curve = |e: &Entry| e.d == 1 && e.s == 0 && !e.massive && e.memory == 0;
        let curves = elements.iter().enumerate().filter(|(_, e)| curve(e)).map(|(i, _)| i).collect();
        // A law at an unknown without mass stays: the velocity there, which is all that a law computed apart receives, says
        // nothing of the displacement.
        let massless = |i: u32| pattern.position(i as usize, i as usize).is_none_or(|p| mass[p] == 0.0);
        let moves = |e: &Entry| {
            let of = row_ptr[e.row0] as usize..row_ptr[e.row0 + 1] as usize;
            rows[of].iter().all(|&(i, f): &(u32, f64)| i as usize >= n || f == 0.0 || !massless(i))
        };
        let apart = |(i, e): (usize, &Entry)| SlowLaw::of(i, e, policy).filter(|_| moves(e));
        let slow = elements.iter().enumerate().filter_map(apart).collect();
        let massive = elements.iter().any(|e| e.massive);
        let diagonal =
            (0..n).all(|i| pattern.row(i).zip(pattern.columns(i)).all(|(p, &j)| j as usize == i || mass[p] == 0.0));
        let diagonal_of = |values: &[f64]| -> Vec<f64> {
            (0..n).map(|i| values[pattern.position(i, i).expect("the diagonal is always there")]).collect()
        };
        let lumped = (diagonal && !massive).then(|| diagonal_of(&mass));
        let has_massless = !massive && diagonal_of(&mass).contains(&0.0);
        let symmetry = if parts.symmetric { Symmetry::Symmetric } else { Symmetry::General };
        let ahead = frame::Ahead::new(memory, row_ptr.len());
        let mut this = Assembled {
            n,
            ns,
            policy,
            symmetry,
            mass_lin: if massive { mass.clone() } else { Vec::new() },
            mass_now: massive.then(|| (Factor::new(&pattern, symmetry, false), mass.clone())),
            lumped,
            imposed: std::array::from_fn(|_| vec![0.0; motions.len()]),
            motions,
            couplings,
            forces,
            ground_now: vec![0.0; grounds.len()],
            now: f64::NAN,
            grounds,
            elements,
            curves,
            slow,
            row_ptr,
            rows,
            scatter,
            tangents: vec![0.0; tangents],
            factorised: vec![f64::NAN; tangents],
            memory: vec![0.0; memory],
            committed: vec![0.0; memory],
            ahead,
            held,
            held_share: 1.0,
            acting: 1.0,
            imposed_share: 1.0,
            pushed: Vec::new(),
            push_factor: 0.0,
            stuck: None,
            carried: 0.0,
            iterated: false,
            rewound: false,
            trial: false,
            measured: Vec::new(),
            operators: Vec::new(),
            preparation: Preparation::default(),
            planned: Default::default(),
            massless: 0.0,
            few: at::Few::default(),
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
                b: vec![0.0; n],
                g: vec![0.0; ns],
                memory: vec![0.0; memory],
            },
            modal,
            pattern,
            mass,
            damping,
            stiffness,
        };
        this.settle(this.dims().point(0.0, y0));
        let mut at = y0.to_vec();
        if this.policy != TangentPolicy::Exact {
            // Those that are kept are of the structure at rest: how fast a hysteretic force decays at the first velocity says nothing about later ones.
            at[n..2 * n].fill(0.0);
        }
        this.take_tangents(this.dims().point(0.0, &at))?;
        if this.policy == TangentPolicy::Given {
            this.take_given_tangents();
        }
        if has_massless {
            // A tiny share of the stiffness replaces the missing inertia: the massless unknowns then follow the others
            // quasi-statically, with a relative error of this size in the highest mode.
            let memory = vec![true; this.elements.len()];
            let (pattern, mass, stiffness) = this.matrices(&memory);
            let diagonal =
                |v: &[f64]| (0..n).filter_map(|i| pattern.position(i, i)).fold(0.0, |m, p| f64::max(m, v[p]));
            this.massless = 1e-9 * diagonal(&mass) / diagonal(&stiffness).max(f64::MIN_POSITIVE);
        }
        Ok(this)
    }

    /// Takes a specimen or an external in, in place of the stand-in with which it was assembled.
    pub(crate) fn attach(&mut self, make: impl FnOnce(usize) -> Measured) {
        let measured = make(self.memory.len());
        let length = self.memory.len() + measured.memory();
        self.memory.resize(length, 0.0);
        self.scratch.memory.resize(length, 0.0);
        self.measured.push(measured);
    }

    /// Its specimens.
    pub(crate) fn measured(&self) -> &[Measured] {
        &self.measured
    }

    /// The rigs of its specimens, then of its externals, in the order of the model.
    pub fn rigs(&self) -> impl Iterator<Item = &dyn Rig> {
        self.measured.iter().map(Measured::rig)
    }

    /// The test ends before its time; [`Assembled::finish`] follows.
    pub fn give_up(&mut self) {
        self.measured.iter_mut().for_each(Measured::give_up);
    }

    /// The test has ended: the specimens are led home.
    pub fn finish(&mut self) {
        let mut memory = std::mem::take(&mut self.memory);
        self.measured.iter_mut().for_each(Measured::turn_home);
        self.measured.iter_mut().for_each(|m| m.finish(&mut memory));
        self.memory = memory;
    }

    /// r := M_lin M(u)⁻¹ r.
    fn in_linearised_mass(&mut self, u: &[f64], r: &mut [f64]) -> Result<(), Fault> {
        self.solve_mass_at(u, r)?;
        self.scratch.a.copy_from_slice(r);
        self.pattern.mul(&self.mass_lin, &self.scratch.a, r);
        Ok(())
    }

    /// Row `i` of element `e`.
    fn row(&self, e: &Entry, i: usize) -> &[(u32, f64)] {
        let k = e.row0 + i;
        &self.rows[self.row_ptr[k] as usize..self.row_ptr[k + 1] as usize]
    }

    /// Pattern, mass and initial stiffness of the small-amplitude motion about the present linearisation:
    /// K plus R B for every element whose `memory` flag says that its states remember its deformation.
    pub fn matrices(&self, memory: &[bool]) -> (&Pattern, Vec<f64>, Vec<f64>) {
        let mass = if self.mass_lin.is_empty() { self.mass.clone() } else { self.mass_lin.clone() };
        let mut stiffness = self.stiffness.clone();
        for (e, memory) in self.elements.iter().zip(memory) {
            let [k, _, r, _, b, _, _] = e.blocks(&self.tangents);
            let mut local = e.held.map_or(k.to_vec(), |held| vec![held.law[0]]);
            if *memory {
                for i in 0..e.d {
                    for l in 0..e.s {
                        for j in 0..e.d {
                            local[i * e.d + j] += r[i * e.s + l] * b[l * e.d + j];
                        }
                    }
                }
            }
            if matches!(e.law, Stored::Frame(_)) {
                local = harmonic::symmetric(&local, e.d);
            }
            for s in &self.scatter[e.scatter.clone()] {
                stiffness[s.position as usize] += s.factor * local[s.index as usize];
            }
        }
        (&self.pattern, mass, stiffness)
    }

    /// φᵀCφ of a motion φ of the unknowns, about the present linearisation: what dashpots, Rayleigh and modal damping and the
    /// elements take out of it, N s/m (N m s) for a motion of one.
    pub fn viscous(&self, shape: &[f64]) -> f64 {
        let mut damping = self.damping.clone();
        damping.resize(self.pattern.nnz(), 0.0);
        for e in &self.elements {
            let c = e.held.as_ref().map_or(e.blocks(&self.tangents)[1], |held| &held.law[1..]);
            for s in &self.scatter[e.scatter.clone()] {
                damping[s.position as usize] += s.factor * c[s.index as usize];
            }
        }
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let mut force = vec![0.0; self.n];
        self.pattern.mul(&damping, shape, &mut force);
        dot(shape, &force) + self.modal.iter().map(|(c, w)| c * dot(w, shape).powi(2)).sum::<f64>()
    }

    /// Tangents of its elements about the present linearisation: coordinates and states, and [K C R A B E] row by row.
    pub(crate) fn local_tangents(&self) -> impl Iterator<Item = ([usize; 2], &[f64])> {
        self.elements.iter().map(|e| {
            let (d, s) = (e.d, e.s);
            ([d, s], &self.tangents[e.tangent0..e.tangent0 + 2 * d * d + 3 * d * s + s * s])
        })
    }

    /// Offset of the states of element `e`.
    pub fn state_offset(&self, e: usize) -> usize {
        self.elements[e].state0
    }

    /// Offset of the memory of element `e`.
    pub fn memory_offset(&self, e: usize) -> usize {
        self.elements[e].memory0
    }

    /// Where element `e` has its memory.
    pub(crate) fn memory_range(&self, e: usize) -> std::ops::Range<usize> {
        let e = &self.elements[e];
        e.memory0..e.memory0 + e.memory
    }

    /// Where element `e` has its states.
    pub(crate) fn state_range(&self, e: usize) -> std::ops::Range<usize> {
        let e = &self.elements[e];
        e.state0..e.state0 + e.s
    }

    /// Inertia of the unknowns against a ground motion, kg.
    pub(crate) fn ground_load(&self, i: usize) -> &[f64] {
        &self.grounds[i].load
    }

    /// Number of base accelerations.
    pub fn ground_count(&self) -> usize {
        self.grounds.len()
    }

    /// The base accelerations at time `t`, m/s².
    pub fn ground_values(&self, t: f64, out: &mut [f64]) {
        self.grounds.iter().zip(out).for_each(|(g, out)| *out = g.signal.value(t));
    }

    /// Base acceleration on a free degree of freedom, of these values of [`Assembled::ground_values`].
    pub fn ground_along(&self, dof: usize, values: &[f64]) -> f64 {
        self.grounds.iter().zip(values).map(|(g, value)| g.iota[dof] * value).sum()
    }
}

impl System for Assembled {
    fn dims(&self) -> Dims {
        Dims { nu: self.n, ns: self.ns }
    }

    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        if self.mass_now.is_none() {
            return self.raw_force(at, shift, Moving::All, r, g);
        }
        self.raw_force(at, None, Moving::All, r, g)?;
        self.in_linearised_mass(at.u, r)?;
        if let Some(d) = shift {
            let mut a = std::mem::take(&mut self.scratch.a);
            let mut gs = std::mem::take(&mut self.scratch.g);
            self.mul_tangent(d, &mut a, &mut gs);
            r.iter_mut().zip(&a).for_each(|(r, a)| *r += a);
            g.iter_mut().zip(&gs).for_each(|(g, a)| *g += a);
            self.scratch.g = gs;
            self.scratch.a = a;
        }
        Ok(())
    }

    fn drift(&mut self, at: Point<'_>, dt: f64, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        self.time_derivative(at, dt, r, g)?;
        if self.mass_now.is_some() { self.in_linearised_mass(at.u, r) } else { Ok(()) }
    }

    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.operators = operators.iter().map(|&mck| self.operator(mck)).collect::<Result<_, _>>()?;
        self.factorised.copy_from_slice(&self.tangents);
        Ok(())
    }

    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        if !self.follows_state() {
            return Ok(());
        }
        self.take_tangents(at)?;
        // Bilinear laws have the tangents of the step before nearly always.
        if self.mass_now.is_none() && self.factorised == self.tangents {
            return Ok(());
        }
        self.factorised.fill(f64::NAN);
        self.factorize().map_err(|fault| self.cause(fault))?;
        self.factorised.copy_from_slice(&self.tangents);
        Ok(())
    }

    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        self.solve_in_slot(slot, b, bs);
    }

    fn changes_mass(&self) -> bool {
        self.mass_now.is_some()
    }

    fn prepare_at(&mut self, unknowns: &[usize]) -> bool {
        self.find_few(unknowns)
    }

    fn accelerations_at(&mut self, at: Point<'_>, a: &mut [f64]) -> Result<(), Fault> {
        self.few_accelerations(at, a)
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

    fn memory(&self) -> &[f64] {
        &self.memory
    }

    fn memory_mut(&mut self) -> &mut [f64] {
        self.rewound = false;
        &mut self.memory
    }

    /// That of the laws; rigs, and given forces, follow.
    fn own_memory(&self) -> usize {
        self.committed.len()
    }

    fn mixes(&self, i: usize) -> bool {
        let e = &self.elements[self.elements.partition_point(|e| e.memory0 + e.memory <= i)];
        match &e.law {
            Stored::Frame(frame) => frame.part.mixes(&frame.sections.tables()),
            _ => true,
        }
    }

    /// What the rigs remember beside their memory here.
    fn persist(&mut self, archive: &mut dyn Archive) {
        self.measured.iter_mut().for_each(|m| m.persist(archive));
    }

    fn settle(&mut self, at: Point<'_>) {
        self.set_time(at.t);
        let mut memory = std::mem::take(&mut self.memory);
        memory.fill(0.0);
        for e in &self.elements {
            if let Stored::Path(law) = &e.law {
                let x = gather(self.row(e, 0), at.u, &self.imposed[0]);
                memory[e.memory0..e.memory0 + MEMORY].copy_from_slice(&law.come(x));
            }
            if let Stored::Frame(part) = &e.law {
                let q: Vec<f64> = (0..e.d).map(|i| gather(self.row(e, i), at.u, &self.imposed[0])).collect();
                frame::start(part, at.t, &q, &mut memory[e.memory0..e.memory0 + e.memory]);
            }
        }
        self.measured.iter().for_each(|m| m.settle(&mut memory));
        self.memory = memory;
        self.commit();
    }

    fn iterate(&mut self) {
        self.iterated = true;
        for e in &mut self.elements {
            if let Stored::Frame(frame) = &mut e.law {
                frame.part.iterate();
            }
        }
    }

    fn trial(&mut self, trial: bool) {
        self.trial = trial;
    }

    fn commit(&mut self) {
        self.ahead.forget();
        let laws = self.committed.len();
        self.committed.copy_from_slice(&self.memory[..laws]);
        self.rewound = true;
    }

    fn rewind(&mut self) {
        self.memory[..self.committed.len()].copy_from_slice(&self.committed);
        self.rewound = true;
    }

    fn laws(&mut self) -> Option<&mut dyn SlowLaws> {
        Some(self)
    }

    /// Time acts through constant masses and matrices here; what moves elements depends on the state too.
    fn load(&mut self, t: f64, out: &mut [f64]) {
        self.set_time(t);
        out.fill(0.0);
        self.add_load(t, 1.0, out);
    }

    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        self.linear_force(x.u, x.v, r);
        g.fill(0.0);
        for e in &self.elements {
            if let Some(line) = &e.line {
                self.line_tangent((e, line), x, r, g);
                continue;
            }
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
