//! A side of a coupling: a substructure that strides ahead under given multipliers, and the linear answer of its state
//! to a change of them. Several substructures in one side are stacked.
//!
//! State [u v s h z] of each: history h of its scheme, and z, what its laws remember. A stride goes on from the z of the state that it
//! is given, so that every sequence of states has a memory of its own.
//!
//! Of a substructure that another rank advances (ranks.rs) a side has what its ports need: their entries of the state, and the same
//! entries of its links. What is linear is done with these as the other rank does it with all; the rest of its state stands still.
//!
//! **Must not be here:** the name of a scheme. `link` is not derived per scheme but probed: one stride of the linear
//! system from rest under λ growing from 0 to 1 at one port.

mod subdomain;

use std::ops::Range;

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Archive, Dims, Fault, Scheme, System};

use crate::blueprint;
use crate::interface::{Port, Substructure};
use crate::memory::{keep, mixed, recall};
use crate::ranks::{Channel, Mail, Ranks};
use crate::tie::Tie;

pub use subdomain::Stepping;
use subdomain::Subdomain;

/// A fault, and the substructure (counted within its side) in which it happened.
pub type SideFault = (usize, Fault);

/// Stacked substructures that advance together under the same multipliers.
#[derive(Clone, Debug)]
pub struct Side<S> {
    subdomains: Vec<Subdomain<S>>,
    /// Start of each subdomain's state in the stacked one, and its end.
    offsets: Vec<usize>,
    /// What of the stacked state is a mean where states are tied; the rest is what laws remember as a whole.
    mixed: Vec<Range<usize>>,
    rows: usize,
    /// No multipliers.
    zeros: Vec<f64>,
    /// Who has which substructure, and the messages between them.
    ranks: Ranks,
    mail: Mail,
}

impl<S: System> Side<S> {
    /// Stacks substructures; `steppings` says for each (given its scheme and number of substeps) how it may stride.
    pub fn new(
        substructures: Vec<Substructure<S>>,
        rows: usize,
        steppings: impl Fn(AnyScheme, usize) -> Vec<Stepping>,
    ) -> Result<Self, SideFault> {
        Self::begin(substructures, rows, (Ranks::default(), Channel::Whole), steppings)?.complete()
    }

    /// Prepares the substructures of this rank; [`Side::complete`] follows, when all sides have begun.
    pub(crate) fn begin(
        substructures: Vec<Substructure<S>>,
        rows: usize,
        (ranks, channel): (Ranks, Channel),
        steppings: impl Fn(AnyScheme, usize) -> Vec<Stepping>,
    ) -> Result<Self, SideFault> {
        let mut mail = Mail::new(&ranks, channel, 0);
        let begun = Self::begin_own(substructures, rows, (&ranks, channel), steppings);
        let outcome = begun.as_ref().map(|_| ()).map_err(|fault| *fault);
        if ranks.has_any() {
            ranks.tell(outcome, &mut mail, |out| begun.iter().for_each(|side| side.tell_links(out)));
        }
        begun
    }

    fn begin_own(
        substructures: Vec<Substructure<S>>,
        rows: usize,
        (ranks, channel): (&Ranks, Channel),
        steppings: impl Fn(AnyScheme, usize) -> Vec<Stepping>,
    ) -> Result<Self, SideFault> {
        let mut subdomains = Vec::new();
        let mut offsets = vec![0];
        for (i, sub) in substructures.into_iter().enumerate() {
            let ways = steppings(sub.settled_scheme(), sub.substeps);
            let where_to = (ranks.is_here(i), ranks.is_alone());
            let subdomain = Subdomain::new(sub, &ways, where_to).map_err(|fault| (i, fault))?;
            offsets.push(offsets[i] + subdomain.len);
            subdomains.push(subdomain);
        }
        let mixed = mixed(subdomains.iter().map(|p: &Subdomain<S>| (p.moved, p.len, &p.system.system)));
        let longest = subdomains.iter().map(|p: &Subdomain<S>| p.shared.len()).sum::<usize>() + rows;
        let mail = Mail::new(ranks, channel, longest);
        Ok(Side { subdomains, offsets, mixed, rows, zeros: vec![0.0; rows], ranks: ranks.clone(), mail })
    }

    /// Waits for what other ranks tell of their substructures.
    pub(crate) fn complete(mut self) -> Result<Self, SideFault> {
        let Side { ranks, mail, subdomains, .. } = &mut self;
        ranks.hear(Ok(()), mail, |from, mut body| {
            for (subdomain, _) in subdomains.iter_mut().zip(ranks.owners()).filter(|(_, owner)| **owner == from) {
                let ports = subdomain.ports().len();
                let (width, n) = (subdomain.width() * ports, subdomain.dims.nu * ports);
                for prepared in &mut subdomain.steppings {
                    let (link, rest) = body.split_at(width);
                    prepared.link = link.to_vec();
                    body = rest;
                }
                let (inertance, rest) = body.split_at(n);
                subdomain.inertance = inertance.to_vec();
                body = rest;
            }
        })?;
        Ok(self)
    }

    fn tell_links(&self, out: &mut Vec<f64>) {
        for subdomain in self.subdomains.iter().filter(|p| p.here) {
            subdomain.steppings.iter().for_each(|g| subdomain.tell_columns(&g.link, out));
            out.extend(&subdomain.inertance);
        }
    }

    /// Tells how the substructures of this rank fared, and with what motion of their ports; behind it other numbers that are alike on all
    /// ranks.
    fn tell(&mut self, outcome: Result<(), SideFault>, x: &[f64], more: &[f64]) {
        let Side { ranks, mail, subdomains, offsets, .. } = self;
        if !mail.is_needed() || !ranks.has_any() {
            return;
        }
        ranks.tell(outcome, mail, |out| {
            let own = subdomains.iter().enumerate().filter(|(_, p)| p.here);
            own.for_each(|(i, p)| p.tell(&x[offsets[i]..offsets[i + 1]], out));
            out.extend(more);
        });
    }

    /// Hears the same of the others.
    fn hear(&mut self, outcome: Result<(), SideFault>, x: &mut [f64], more: &mut [f64]) -> Result<(), SideFault> {
        let Side { ranks, mail, subdomains, offsets, .. } = self;
        ranks.hear(outcome, mail, |from, mut body| {
            for (i, subdomain) in subdomains.iter().enumerate().filter(|(i, _)| ranks.owners()[*i] == from) {
                body = subdomain.hear(&mut x[offsets[i]..offsets[i + 1]], body);
            }
            more.copy_from_slice(body);
        })
    }

    /// Whether all of its substructures are in one process, this one or another: of what happens within a macro-step the others need the end.
    pub(crate) fn is_in_one(&self) -> Option<bool> {
        let here = self.subdomains.iter().filter(|p| p.here).count();
        let elsewhere = self.mail.others();
        match (here == self.subdomains.len(), here == 0 && elsewhere == 1) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    /// After strides that nobody else saw: the end of the macro-step, with its multipliers.
    pub(crate) fn share_end(
        &mut self,
        outcome: Result<(), SideFault>,
        x: &mut [f64],
        l: &mut [f64],
    ) -> Result<(), SideFault> {
        self.tell(outcome, x, l);
        self.hear(outcome, x, l)
    }

    /// The newest state `x` becomes the mean of itself and the two before; what cannot be mixed stays as it is.
    pub(crate) fn tie(&self, tie: &Tie, x: &mut [f64], [x1, x2]: [&[f64]; 2]) {
        for r in self.mixed.iter().filter(|_| *tie != Tie::NONE) {
            let past = x1[r.clone()].iter().zip(&x2[r.clone()]);
            x[r.clone()].iter_mut().zip(past).for_each(|(x, (x1, x2))| *x = tie.mean([*x, *x1, *x2]));
        }
    }

    /// Its systems.
    pub(crate) fn systems(&self) -> impl Iterator<Item = &S> {
        self.subdomains.iter().map(|p| &p.system.system)
    }

    /// Its systems, to be written.
    pub(crate) fn systems_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.subdomains.iter_mut().map(|p| &mut p.system.system)
    }

    /// The system of substructure `i`, with what its laws remember in the state `x` of it alone.
    pub(crate) fn at(&mut self, i: usize, x: &[f64]) -> &mut S {
        let subdomain = &mut self.subdomains[i];
        recall(&mut subdomain.system, &x[subdomain.moved..]);
        &mut subdomain.system.system
    }

    /// Writes what the laws of all substructures now remember into the stacked state.
    pub(crate) fn keep(&self, x: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            keep(&subdomain.system, &mut x[self.offsets[i] + subdomain.moved..self.offsets[i + 1]]);
        }
    }

    /// Tables of its substructures.
    pub(crate) fn blueprint(&self) -> Vec<blueprint::Subdomain<'_, S>> {
        self.subdomains.iter().enumerate().map(|(i, subdomain)| subdomain.blueprint(i)).collect()
    }

    /// Length of the stacked state.
    pub fn len(&self) -> usize {
        *self.offsets.last().unwrap_or(&0)
    }

    /// Whether there is no state at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of substructures.
    pub fn count(&self) -> usize {
        self.subdomains.len()
    }

    /// Range of substructure `i` in the stacked state.
    pub fn range(&self, i: usize) -> Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    /// Numbers of unknowns of substructure `i`.
    pub fn dims(&self, i: usize) -> Dims {
        self.subdomains[i].dims
    }

    /// The system of substructure `i`, for evaluations outside a step.
    pub fn system_mut(&mut self, i: usize) -> &mut S {
        &mut self.subdomains[i].system.system
    }

    /// The system of substructure `i`.
    pub fn system(&self, i: usize) -> &S {
        &self.subdomains[i].system.system
    }

    /// Whether the scheme of substructure `i` keeps the accelerations of the nodes.
    pub fn carries_acceleration(&self, i: usize) -> bool {
        self.subdomains[i].steppings[0].stepping.scheme.claims().carries_acceleration
    }

    /// Whether the history of substructure `i` begins with accelerations, of the nodes or of a time near them.
    pub fn keeps_rates(&self, i: usize) -> bool {
        let subdomain = &self.subdomains[i];
        subdomain.moved > subdomain.dims.state() && subdomain.rate(0) == subdomain.dims.nu
    }

    /// Accelerations of substructure `i` in the state `x` at `t` under the multipliers `l`.
    pub(crate) fn accelerations(&mut self, i: usize, x: &mut [f64], t: f64, l: &[f64]) -> Result<&[f64], SideFault> {
        let subdomain = &mut self.subdomains[i];
        subdomain.find_rates(&mut x[self.offsets[i]..self.offsets[i + 1]], t).map_err(|f| (i, f))?;
        let a = &mut subdomain.rates[0];
        for (column, p) in subdomain.inertance.chunks_exact(subdomain.dims.nu.max(1)).zip(&subdomain.system.ports) {
            a.iter_mut().zip(column).for_each(|(a, c)| *a -= c * l[p.row]);
        }
        Ok(a)
    }

    /// Entries of L of substructure `i`.
    pub fn ports(&self, i: usize) -> &[Port] {
        self.subdomains[i].ports()
    }

    /// Advances `x` from `t` by one stride of stepping `g` under multipliers going linearly from `l0` to `l1`.
    pub fn stride(&mut self, g: usize, x: &mut [f64], t: f64, l0: &[f64], l1: &[f64]) -> Result<(), SideFault> {
        let own = self.begin_stride(g, x, t, l0, l1);
        self.end_stride(own, x)
    }

    /// The same as far as this rank does it; [`Side::end_stride`] follows.
    pub(crate) fn begin_stride(
        &mut self,
        g: usize,
        x: &mut [f64],
        t: f64,
        l0: &[f64],
        l1: &[f64],
    ) -> Result<(), SideFault> {
        let own = self.advance(g, x, t, l0, l1);
        self.tell(own, x, &[]);
        own
    }

    /// Waits for what other ranks do of a stride.
    pub(crate) fn end_stride(&mut self, own: Result<(), SideFault>, x: &mut [f64]) -> Result<(), SideFault> {
        self.hear(own, x, &mut [])
    }

    /// Advances the substructures of this rank, unseen by the others.
    pub(crate) fn advance(&mut self, g: usize, x: &mut [f64], t: f64, l0: &[f64], l1: &[f64]) -> Result<(), SideFault> {
        for (i, subdomain) in self.subdomains.iter_mut().enumerate().filter(|(_, p)| p.here) {
            let x = &mut x[self.offsets[i]..self.offsets[i + 1]];
            subdomain.stride(g, x, t, l0, l1).map_err(|fault| (i, fault))?;
        }
        Ok(())
    }

    /// The free stride: λ₀ = `l0` acts, λ₁ = 0 (book: passivity 2.2). With several evaluations in a stride: λ₁ = λ₀, then link(-λ₀), so that
    /// it is evaluated near where it will end.
    pub fn free(&mut self, g: usize, x: &mut [f64], t: f64, l0: &[f64]) -> Result<(), SideFault> {
        let own = self.begin_free(g, x, t, l0);
        self.end_stride(own, x)
    }

    /// The same as far as this rank does it; [`Side::end_stride`] follows.
    pub(crate) fn begin_free(&mut self, g: usize, x: &mut [f64], t: f64, l0: &[f64]) -> Result<(), SideFault> {
        let own = self.advance_freely(g, x, t, l0);
        self.tell(own, x, &[]);
        own
    }

    fn advance_freely(&mut self, g: usize, x: &mut [f64], t: f64, l0: &[f64]) -> Result<(), SideFault> {
        for (i, subdomain) in self.subdomains.iter_mut().enumerate().filter(|(_, p)| p.here) {
            let x = &mut x[self.offsets[i]..self.offsets[i + 1]];
            let once = subdomain.steppings[g].once;
            subdomain.stride(g, x, t, l0, if once { &self.zeros } else { l0 }).map_err(|fault| (i, fault))?;
            if !once {
                subdomain.add_columns(&subdomain.steppings[g].link, x, l0, -1.0);
            }
        }
        Ok(())
    }

    /// x += factor * link(d): what adding `d` to λ₁ of the stride just made would have changed.
    pub fn link(&self, g: usize, x: &mut [f64], d: &[f64], factor: f64) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            let x = &mut x[self.offsets[i]..self.offsets[i + 1]];
            subdomain.add_columns(&subdomain.steppings[g].link, x, d, factor);
        }
    }

    /// w += factor * L v.
    pub fn port_rates(&self, g: usize, x: &[f64], w: &mut [f64], factor: f64) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            let at = self.offsets[i] + subdomain.rate(g);
            for p in subdomain.ports() {
                w[p.row] += factor * p.sign * x[at + p.dof];
            }
        }
    }

    /// gap += L u.
    pub fn port_displacements(&self, x: &[f64], gap: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            for p in subdomain.ports() {
                gap[p.row] += p.sign * x[self.offsets[i] + p.dof];
            }
        }
    }

    /// h += H, the interface flexibility -L link_v of stepping `g` (rows x rows, row-major).
    pub fn flexibility(&self, g: usize, h: &mut [f64]) {
        for subdomain in &self.subdomains {
            let at = subdomain.rate(g);
            for (column, pj) in
                subdomain.steppings[g].link.chunks_exact(subdomain.width().max(1)).zip(subdomain.ports())
            {
                for pi in subdomain.ports() {
                    h[pi.row * self.rows + pj.row] -= pi.sign * subdomain.entry(column, at + pi.dof);
                }
            }
        }
    }

    /// h += L M⁻¹ Lᵀ.
    pub fn mobility(&self, h: &mut [f64]) {
        for subdomain in &self.subdomains {
            for (column, pj) in subdomain.inertance.chunks_exact(subdomain.dims.nu.max(1)).zip(subdomain.ports()) {
                for pi in subdomain.ports() {
                    h[pi.row * self.rows + pj.row] += pi.sign * column[pi.dof];
                }
            }
        }
    }

    /// a -= M⁻¹ Lᵀ l on substructure `i`.
    pub fn add_accelerations(&self, i: usize, l: &[f64], a: &mut [f64]) {
        let subdomain = &self.subdomains[i];
        for (column, p) in subdomain.inertance.chunks_exact(subdomain.dims.nu.max(1)).zip(subdomain.ports()) {
            a.iter_mut().zip(column).for_each(|(a, c)| *a -= c * l[p.row]);
        }
    }

    /// The first constraint that holds an unknown without mass.
    pub fn massless(&self) -> Option<usize> {
        self.subdomains.iter().find_map(|subdomain| {
            let (mut e, mut m) = (vec![0.0; subdomain.dims.nu], vec![0.0; subdomain.dims.nu]);
            let mut is_massless = |dof: usize| {
                e[dof] = 1.0;
                subdomain.system.mul_mass(&e, &mut m);
                e[dof] = 0.0;
                m.iter().all(|x| *x == 0.0)
            };
            subdomain.ports().iter().find(|p| is_massless(p.dof)).map(|p| p.row)
        })
    }

    /// Initial states [u v s 0 z].
    pub fn initial(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.len()];
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            x[self.offsets[i]..][..subdomain.y0.len()].copy_from_slice(&subdomain.y0);
        }
        self.keep(&mut x);
        x
    }

    /// w += L a with the accelerations that the forces at (x, t) cause without multipliers.
    pub fn free_accelerations(&mut self, x: &mut [f64], t: f64, w: &mut [f64]) -> Result<(), SideFault> {
        let mut own = Ok(());
        for (i, subdomain) in self.subdomains.iter_mut().enumerate().filter(|(_, p)| p.here) {
            own = own.and(subdomain.find_rates(&mut x[self.offsets[i]..self.offsets[i + 1]], t).map_err(|f| (i, f)));
        }
        let Side { ranks, mail, subdomains, .. } = &mut *self;
        if ranks.has_any() {
            ranks.tell(own, mail, |out| {
                for subdomain in subdomains.iter().filter(|p| p.here) {
                    out.extend(subdomain.ports().iter().map(|p| subdomain.rates[0][p.dof]));
                }
            });
        }
        ranks.hear(own, mail, |from, body| {
            let mut body = body.iter();
            for (subdomain, _) in subdomains.iter_mut().zip(ranks.owners()).filter(|(_, owner)| **owner == from) {
                for (p, a) in subdomain.system.ports.iter().zip(&mut body) {
                    subdomain.rates[0][p.dof] = *a;
                }
            }
        })?;
        for subdomain in &self.subdomains {
            for p in &subdomain.system.ports {
                w[p.row] += p.sign * subdomain.rates[0][p.dof];
            }
        }
        Ok(())
    }

    /// Saves or restores what else the systems remember.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        self.subdomains.iter_mut().for_each(|p| p.system.system.persist(archive));
    }

    /// The response at the end of a stride of stepping `g` that starts from the link of a unit λ (of stepping `from`) at each
    /// port and goes on with λ from `ends[0]` to `ends[1]` there: one column per port of each substructure.
    pub fn probe_from_link(&mut self, g: usize, from: usize, ends: [f64; 2]) -> Result<Vec<Vec<f64>>, SideFault> {
        let columns = |(i, subdomain): (usize, &mut Subdomain<S>)| {
            if !subdomain.here {
                return Ok(Vec::new());
            }
            let start = subdomain.steppings[from].link.clone();
            subdomain.probe(g, &start, ends).map_err(|fault| (i, fault))
        };
        let own: Result<Vec<Vec<f64>>, SideFault> = self.subdomains.iter_mut().enumerate().map(columns).collect();
        let outcome = own.as_ref().map(|_| ()).map_err(|fault| *fault);
        let mut all = own.unwrap_or_else(|_| vec![Vec::new(); self.subdomains.len()]);
        let Side { ranks, mail, subdomains, .. } = self;
        if ranks.has_any() {
            ranks.tell(outcome, mail, |out| {
                let own = subdomains.iter().zip(&all).filter(|(p, _)| p.here);
                own.for_each(|(p, columns)| p.tell_columns(columns, out));
            });
        }
        ranks.hear(outcome, mail, |owner, mut body| {
            for (i, subdomain) in subdomains.iter().enumerate().filter(|(i, _)| ranks.owners()[*i] == owner) {
                let (columns, rest) = body.split_at(subdomain.width() * subdomain.ports().len());
                all[i] = columns.to_vec();
                body = rest;
            }
        })?;
        Ok(all)
    }

    /// x += factor * Σ columns d, with the columns of [`Side::probe_from_link`].
    pub fn add_columns(&self, columns: &[Vec<f64>], x: &mut [f64], d: &[f64], factor: f64) {
        for (i, (subdomain, columns)) in self.subdomains.iter().zip(columns).enumerate() {
            subdomain.add_columns(columns, &mut x[self.offsets[i]..self.offsets[i + 1]], d, factor);
        }
    }

    /// Displacements of the ports of substructure `i` that the multipliers `l` cause through the link of stepping `g`.
    pub fn link_displacements(&self, g: usize, i: usize, l: &[f64], out: &mut [f64]) {
        let subdomain = &self.subdomains[i];
        for (p, out) in subdomain.ports().iter().zip(out) {
            let columns = subdomain.steppings[g].link.chunks_exact(subdomain.width().max(1)).zip(subdomain.ports());
            *out = columns.map(|(c, q)| subdomain.entry(c, p.dof) * l[q.row]).sum();
        }
    }

    /// w += factor * L F(t), the external loads on the ports.
    pub fn port_loads(&mut self, t: f64, w: &mut [f64], factor: f64) {
        for subdomain in &mut self.subdomains {
            let load = &mut subdomain.rates[0];
            subdomain.system.load(t, load);
            for p in &subdomain.system.ports {
                w[p.row] += factor * p.sign * load[p.dof];
            }
        }
    }

    /// Where the rates stand in the stacked state that the scheme of stepping `g` assigns to another time than the state, and how much
    /// later they are, s.
    fn lagging(&self, g: usize) -> impl Iterator<Item = (Range<usize>, f64)> {
        self.subdomains.iter().zip(&self.offsets).filter_map(move |(subdomain, start)| {
            let Stepping { scheme, dt, .. } = &subdomain.steppings[g].stepping;
            let (first, lag) = (start + subdomain.dims.state(), scheme.claims().lag * dt);
            (lag != 0.0).then(|| (first..first + scheme.rates(subdomain.dims), lag))
        })
    }

    /// How many such rates there are.
    pub fn lagging_len(&self, g: usize) -> usize {
        self.lagging(g).map(|(rates, _)| rates.len()).sum()
    }

    /// These rates in the state `x`, one after the other.
    pub fn lagging_rates(&self, g: usize, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(self.lagging(g).flat_map(|(rates, _)| rates)).for_each(|(out, i)| *out = x[i]);
    }

    /// Moves them to their times, along the `slope` of each, by its number and value (start_up.rs).
    pub fn shift_rates(&self, g: usize, x: &mut [f64], slope: impl Fn(usize, f64) -> f64) {
        let all = self.lagging(g).flat_map(|(rates, lag)| rates.map(move |i| (i, lag)));
        all.enumerate().for_each(|(j, (i, lag))| x[i] += lag * slope(j, x[i]));
    }

    /// m += L Lᵀ.
    pub fn incidence(&self, m: &mut [f64]) {
        for subdomain in &self.subdomains {
            for p in subdomain.ports() {
                for q in subdomain.ports().iter().filter(|q| q.dof == p.dof) {
                    m[p.row * self.rows + q.row] += p.sign * q.sign;
                }
            }
        }
    }

    /// Whether the histories of stepping `g` hold rates of other times than those of the states.
    pub fn lags(&self, g: usize) -> bool {
        self.lagging(g).next().is_some()
    }

    /// Fills the histories of stepping `g` from [u v s] at `t` under constant multipliers `l`.
    pub fn restart(&mut self, g: usize, x: &mut [f64], t: f64, l: &[f64]) -> Result<(), SideFault> {
        let mut own = Ok(());
        for (i, subdomain) in self.subdomains.iter_mut().enumerate().filter(|(_, p)| p.here) {
            let x = &mut x[self.offsets[i]..self.offsets[i + 1]];
            own = own.and(subdomain.restart(g, x, t, l).map_err(|fault| (i, fault)));
        }
        self.tell(own, x, &[]);
        self.hear(own, x, &mut [])
    }
}
