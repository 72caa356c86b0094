//! Static balance of an assembled system, from one to the next: loads that are there from the beginning, and a pattern of forces pushed
//! along one displacement or by its factor (book: frames 6).
//!
//! Every step is Newton's iteration from the last balance, with all unknowns in the first solution: the controlled displacement and imposed
//! ones move with the others, never alone. Where it does not converge it starts again with the initial stiffness, then with half of the way.
//! What elements remember is committed once, at the balance.

use interfield_kernel::{Dims, Fault, Mck, Point, System};
use interfield_linalg::Kind as Symmetry;

use super::Assembled;
use super::element::{Stored, gather};
use super::force::Moving;
use super::operators::Operator;

/// Newton's iteration ends when the unbalance is this share of the forces in the structure.
const BALANCED: f64 = 1e-11;
/// What is accepted where rounding stops it earlier.
const ROUNDED: f64 = 1e-8;
/// Most iterations of a step.
const ITERATIONS: u32 = 60;
/// Iterations with the initial stiffness, where Newton's own cycle.
const INITIAL: u32 = 6;
/// Most halvings of a step that does not converge.
const HALVINGS: u32 = 10;
/// A step that is so many times as long as its linear prediction may have left the path.
const LEAP: f64 = 10.0;
/// Share of the initial stiffness in the tangent of a mechanism: it gives the iteration a direction, and nothing to the balance.
const SHARE: f64 = 1e-7;
/// A pattern that moves the structure so many times as far as at the beginning meets a mechanism.
const LOOSE: f64 = 1e8;
/// Share of the last way by which tangents are looked at ahead.
const AHEAD: f64 = 0.01;
/// Stiffness alone; element states need a number in place of the inverse time that they have in motion.
const STIFFNESS: Mck = Mck { m: 1e-200, c: 0.0, k: 1.0 };

/// No balance was found.
const NOT_FOUND: Fault = Fault::NoConvergence { iterations: ITERATIONS, residual: f64::INFINITY };

/// What is led from one balance to the next.
#[derive(Clone, Debug)]
pub(crate) enum Lead {
    /// The share of the loads that are there from the beginning.
    Loads,
    /// The factor of the pattern.
    Factor,
    /// A displacement: a sum of unknowns. The factor of the pattern follows.
    Displacement(Vec<(usize, f64)>),
}

/// Why no balance was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stuck {
    /// The element that lost most of its stiffness along the last way, and the share of it that is left.
    pub(crate) weak: Option<(usize, f64)>,
    /// The unknown with the largest unbalance.
    pub(crate) unknown: usize,
}

/// Displacements and element states.
#[derive(Clone, Default)]
struct Place {
    u: Vec<f64>,
    s: Vec<f64>,
    factor: f64,
    share: f64,
}

/// The static balance of a system, step by step.
pub(crate) struct Statics {
    operator: Operator,
    /// Tangents of the elements and values of the stiffness where it began.
    initial: Vec<f64>,
    stiffness: Vec<f64>,
    /// How far the pattern moves the structure there.
    reach: f64,
    /// The present place, and the last balance.
    now: Place,
    before: Place,
    /// The last step that reached a balance.
    way: Vec<f64>,
    zero: Vec<f64>,
    r: Vec<f64>,
    g: Vec<f64>,
    step: Vec<f64>,
    by_pattern: Vec<f64>,
    /// First solution of the step.
    predicted: Vec<f64>,
}

impl Statics {
    /// Begins at the state `y` = [u v s] of the system; only loads that are held act from now on, and nothing moves in time.
    pub(crate) fn new(system: &mut Assembled, y: &[f64]) -> Result<Self, Fault> {
        let Dims { nu, .. } = system.dims();
        system.iterate();
        system.acting = 0.0;
        system.settle(system.dims().point(0.0, y));
        let (u, s) = (y[..nu].to_vec(), y[2 * nu..].to_vec());
        let zero = vec![0.0; nu];
        system.take_tangents(Point { t: 0.0, u: &u, v: &zero, s: &s })?;
        // Softening structures have no definite stiffness.
        let symmetry = std::mem::replace(&mut system.symmetry, Symmetry::General);
        let operator = system.operator(STIFFNESS);
        system.symmetry = symmetry;
        let operator = operator?;
        let place = Place { u, s, factor: system.push_factor, share: system.held_share };
        let mut this = Statics {
            initial: system.tangents.clone(),
            stiffness: operator.values.clone(),
            operator,
            reach: 0.0,
            r: zero.clone(),
            g: vec![0.0; place.s.len()],
            step: zero.clone(),
            by_pattern: zero.clone(),
            predicted: zero.clone(),
            way: zero.clone(),
            before: place.clone(),
            now: place,
            zero,
        };
        this.reach = this.reached_by_pattern(system);
        Ok(this)
    }

    /// Largest displacement by the pattern alone, with the present tangent.
    fn reached_by_pattern(&mut self, system: &Assembled) -> f64 {
        if system.pushed.is_empty() {
            return 0.0;
        }
        self.by_pattern.copy_from_slice(&system.pushed);
        self.operator.factor.solve(&mut self.by_pattern);
        self.by_pattern.iter().fold(0.0, |m, x| m.max(x.abs()))
    }

    /// Whether the pattern moves a displacement at all, where it began.
    pub(crate) fn is_moved(&self, form: &[(usize, f64)]) -> bool {
        value(form, &self.by_pattern).abs() > 1e-12 * self.reach
    }

    /// Displacements in balance.
    pub(crate) fn u(&self) -> &[f64] {
        &self.now.u
    }

    /// The state [u v s] in balance.
    pub(crate) fn write(&self, out: &mut [f64]) {
        let n = self.now.u.len();
        out[..n].copy_from_slice(&self.now.u);
        out[n..2 * n].fill(0.0);
        out[2 * n..].copy_from_slice(&self.now.s);
    }

    /// Takes a state back that [`Statics::write`] wrote, with the factor of the pattern that belongs to it.
    pub(crate) fn read(&mut self, system: &mut Assembled, y: &[f64], factor: f64) {
        let n = self.now.u.len();
        self.now.u.copy_from_slice(&y[..n]);
        self.now.s.copy_from_slice(&y[2 * n..]);
        (self.now.factor, system.push_factor) = (factor, factor);
        self.before.clone_from(&self.now);
        system.commit();
    }

    /// Where what is led is.
    fn place(&self, lead: &Lead) -> f64 {
        match lead {
            Lead::Loads => self.now.share,
            Lead::Factor => self.now.factor,
            Lead::Displacement(form) => value(form, &self.now.u),
        }
    }

    /// Brings the loads that are there from the beginning up in so many steps.
    ///
    /// # Errors
    /// The fault; the share that was reached is that of the system.
    pub(crate) fn gravity(&mut self, system: &mut Assembled, steps: u32) -> Result<(), Fault> {
        (self.now.share, self.before.share) = (0.0, 0.0);
        (1..=steps).try_for_each(|i| self.lead(system, &Lead::Loads, f64::from(i) / f64::from(steps)))
    }

    /// Leads what is led to a value, in halves of the way where no balance is found at once.
    ///
    /// # Errors
    /// The fault; the structure is then where it was in balance last.
    pub(crate) fn lead(&mut self, system: &mut Assembled, lead: &Lead, to: f64) -> Result<(), Fault> {
        let mut halvings = 0;
        // The first of some steps that were too long to be trusted.
        let mut leap = f64::INFINITY;
        let mut fault = None;
        let close = |at: f64| (to - at).abs() <= 4.0 * f64::EPSILON * to.abs().max(at.abs());
        // A displacement that is a sum is there but for rounding.
        while !(self.place(lead) == to || fault.is_none() && halvings == 0 && close(self.place(lead))) {
            let at = self.place(lead);
            let part = at + (to - at) / f64::from(1 << halvings);
            let next = if halvings == 0 || part == at { to } else { part };
            let found = match self.balanced(system, lead, next) {
                Ok(()) => {
                    let size = self.leap(system);
                    let long = size > LEAP && halvings < HALVINGS;
                    // On a path that turns sharply the steps become short with their way, over a gap they do not.
                    let gap = size > LEAP && halvings == HALVINGS && self.length(system) > 0.25 * leap;
                    leap = if long { leap.min(self.length(system)) } else { leap };
                    match long || gap {
                        true => Err(Fault::NoConvergence { iterations: 0, residual: size }),
                        false => Ok(()),
                    }
                }
                failed => failed,
            };
            match found {
                Ok(()) => {
                    self.accept(system);
                    halvings = u32::saturating_sub(halvings, 1);
                    fault = None;
                }
                Err(why) => {
                    self.retreat(system);
                    if halvings == HALVINGS {
                        system.stuck = self.stuck(system);
                        return Err(fault.unwrap_or(why));
                    }
                    fault.get_or_insert(why);
                    halvings += 1;
                }
            }
        }
        Ok(())
    }

    /// A balance is accepted: elements remember it.
    fn accept(&mut self, system: &mut Assembled) {
        system.commit();
        for (way, (now, before)) in self.way.iter_mut().zip(self.now.u.iter().zip(&self.before.u)) {
            *way = now - before;
        }
        self.before.clone_from(&self.now);
    }

    /// Back to the last balance.
    fn retreat(&mut self, system: &mut Assembled) {
        self.now.clone_from(&self.before);
        (system.push_factor, system.held_share) = (self.now.factor, self.now.share);
        system.imposed_share = self.now.share;
        system.rewind();
    }

    /// Newton's iteration; once more with the initial stiffness where it does not converge. Nothing is committed.
    fn balanced(&mut self, system: &mut Assembled, lead: &Lead, to: f64) -> Result<(), Fault> {
        self.iterated(system, lead, to, 0).or_else(|_| {
            self.retreat(system);
            self.iterated(system, lead, to, INITIAL)
        })
    }

    fn iterated(&mut self, system: &mut Assembled, lead: &Lead, to: f64, initial: u32) -> Result<(), Fault> {
        let from = self.now.share;
        match lead {
            Lead::Loads => (self.now.share, system.held_share) = (to, to),
            Lead::Factor => (self.now.factor, system.push_factor) = (to, to),
            Lead::Displacement(_) => {}
        }
        let (mut last, mut residual) = (f64::INFINITY, 0.0);
        for i in 0..ITERATIONS {
            // What diverges says nothing of the element that overflowed first.
            self.evaluate(system, i < initial).map_err(|fault| if i > 0 { NOT_FOUND } else { fault })?;
            let scale = self.scale(system);
            if i == 0 && matches!(lead, Lead::Loads) {
                system.add_imposed(to - from, &mut self.r);
            }
            residual = largest(&self.r);
            if !residual.is_finite() {
                break;
            }
            let slow = i > 8 && residual > 0.5 * last;
            if i > 0 && (residual <= BALANCED * scale || slow && residual <= ROUNDED * scale) {
                return Ok(());
            }
            last = residual;
            self.factorize(system).map_err(|fault| if i > 0 { NOT_FOUND } else { fault })?;
            self.solve(system, lead, to);
            if i == 0 {
                self.predicted.copy_from_slice(&self.step);
                if matches!(lead, Lead::Loads) {
                    system.imposed_share = to;
                }
            }
        }
        Err(Fault::NoConvergence { iterations: ITERATIONS, residual: residual / self.scale(system) })
    }

    /// Tangents and unbalance at the present place, elements moved there from the last balance.
    fn evaluate(&mut self, system: &mut Assembled, initial: bool) -> Result<(), Fault> {
        system.rewind();
        system.follow((&self.before.u, &self.before.s), (&self.now.u, &mut self.now.s))?;
        let at = Point { t: 0.0, u: &self.now.u, v: &self.zero, s: &self.now.s };
        system.take_tangents(at)?;
        if initial {
            system.tangents.copy_from_slice(&self.initial);
        } else {
            system.take_static_tangents((&self.before.u, &self.before.s), &self.now.u)?;
        }
        system.rewind();
        let at = Point { t: 0.0, u: &self.now.u, v: &self.zero, s: &self.now.s };
        system.raw_force(at, None, Moving::Computed, &mut self.r, &mut self.g)
    }

    /// Factorises the tangent, with a share of the initial one where it is that of a mechanism.
    fn factorize(&mut self, system: &mut Assembled) -> Result<(), Fault> {
        let regular = system.factorize_one(&mut self.operator, false).is_ok();
        if regular && self.reached_by_pattern(system) <= LOOSE * self.reach {
            return Ok(());
        }
        for (now, initial) in system.tangents.iter_mut().zip(&self.initial) {
            *now += SHARE * initial;
        }
        system.factorize_one(&mut self.operator, false)?;
        self.reached_by_pattern(system);
        Ok(())
    }

    /// One solution: the unknowns move, and with a displacement that is led the factor.
    fn solve(&mut self, system: &mut Assembled, lead: &Lead, to: f64) {
        self.step.iter_mut().zip(&self.r).for_each(|(s, r)| *s = -r);
        self.operator.factor.solve(&mut self.step);
        if let Lead::Displacement(form) = lead {
            let way = to - value(form, &self.now.u);
            let more = (way - value(form, &self.step)) / value(form, &self.by_pattern);
            self.step.iter_mut().zip(&self.by_pattern).for_each(|(s, p)| *s += more * p);
            self.now.factor += more;
            system.push_factor = self.now.factor;
        }
        self.now.u.iter_mut().zip(&self.step).for_each(|(u, s)| *u += s);
        if let Lead::Displacement(form) = lead
            && let [(control, factor)] = form[..]
        {
            // Exactly there, whatever the rounding of the sum.
            self.now.u[control] = to / factor;
        }
    }

    /// How much longer the step was than its linear prediction, by the energy in the initial stiffness.
    fn leap(&mut self, system: &Assembled) -> f64 {
        let predicted = system.energy(&self.stiffness, &self.predicted, &mut self.r).abs().sqrt();
        self.length(system) / predicted.max(f64::MIN_POSITIVE)
    }

    /// Length of the step, by the same energy.
    fn length(&mut self, system: &Assembled) -> f64 {
        for (step, (now, before)) in self.step.iter_mut().zip(self.now.u.iter().zip(&self.before.u)) {
            *step = now - before;
        }
        system.energy(&self.stiffness, &self.step, &mut self.r).abs().sqrt()
    }

    /// What an unbalance is measured by: the largest force in an element, of a load, or measured, N.
    fn scale(&self, system: &Assembled) -> f64 {
        let pushed = self.now.factor.abs() * largest(&system.pushed);
        system.largest_force(&self.now.u).max(pushed)
    }

    /// Moves the specimens to where the structure is in balance, once, at time `t` and once more after the hold. What they say enters the
    /// load factor at once; what is left of the balance goes into the next step.
    ///
    /// # Errors
    /// The fault of the laboratory, or of the forces.
    pub(crate) fn measure(&mut self, system: &mut Assembled, lead: &Lead, t: f64, hold: f64) -> Result<(), Fault> {
        let times = [t - hold, t];
        for &t in &times[usize::from(hold == 0.0)..] {
            let at = Point { t, u: &self.now.u, v: &self.zero, s: &self.now.s };
            let moved = system.raw_force(at, None, Moving::All, &mut self.r, &mut self.g);
            system.rewind();
            moved?;
        }
        self.evaluate(system, false)?;
        if let Lead::Displacement(form) = lead {
            self.factorize(system)?;
            self.step.iter_mut().zip(&self.r).for_each(|(s, r)| *s = -r);
            self.operator.factor.solve(&mut self.step);
            let more = -value(form, &self.step) / value(form, &self.by_pattern);
            self.now.factor += more;
            system.push_factor = self.now.factor;
            self.r.iter_mut().zip(&system.pushed).for_each(|(r, p)| *r -= more * p);
        }
        system.carried = system.carried.max(largest(&self.r) / self.scale(system));
        self.before.clone_from(&self.now);
        system.rewind();
        Ok(())
    }

    /// The factor of the pattern.
    pub(crate) fn factor(&self) -> f64 {
        self.now.factor
    }

    /// The share of the loads that are there from the beginning.
    pub(crate) fn share(&self) -> f64 {
        self.now.share
    }

    /// What lost its stiffness along the last way that reached a balance, and where the balance is missing.
    fn stuck(&mut self, system: &mut Assembled) -> Option<Stuck> {
        let unbalanced = (0..self.r.len()).max_by(|&a, &b| self.r[a].abs().total_cmp(&self.r[b].abs()))?;
        // A little ahead: where nothing moves, what has yielded would unload. Then along the step that failed.
        let ways = [(self.way.clone(), AHEAD), (self.predicted.clone(), 1.0), (self.predicted.clone(), 10.0)];
        let weak = ways.iter().find_map(|(way, share)| {
            self.now.u.iter_mut().zip(way).for_each(|(u, way)| *u += share * way);
            let weak = self.evaluate(system, false).ok().and_then(|()| system.weakest(&self.initial, way));
            self.retreat(system);
            weak
        });
        Some(Stuck { weak, unknown: unbalanced })
    }
}

/// A sum of unknowns.
fn value(form: &[(usize, f64)], u: &[f64]) -> f64 {
    form.iter().map(|&(i, f)| f * u[i]).sum()
}

fn largest(x: &[f64]) -> f64 {
    // NaN stays NaN.
    x.iter().fold(0.0, |m: f64, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

impl Assembled {
    /// Forces for a load factor of one, over the unknowns: they act from now on, with their factor.
    pub(crate) fn push_by(&mut self, pattern: Vec<f64>) {
        (self.pushed, self.push_factor) = (pattern, 0.0);
    }

    /// Takes loads that are there from the beginning away, and imposed displacements with them.
    pub(crate) fn unload(&mut self) {
        (self.held_share, self.imposed_share) = (0.0, 0.0);
    }

    /// Forces for a load factor of one.
    pub(crate) fn pushed(&self) -> &[f64] {
        &self.pushed
    }

    /// The largest force in an element, of a held load, in the constant springs or measured, N: what an unbalance is measured by.
    fn largest_force(&self, u: &[f64]) -> f64 {
        let mut most = self.held_share * largest(&self.held);
        for e in &self.elements {
            let memory = &self.memory[e.memory0..e.memory0 + e.memory];
            if matches!(e.law, Stored::Frame(_)) {
                most = most.max(largest(&memory[e.memory - e.d..]));
            }
        }
        let springs = (0..self.n).map(|i| {
            let terms = self.pattern.row(i).zip(self.pattern.columns(i));
            terms.map(|(p, &j)| self.stiffness[p] * u[j as usize]).sum::<f64>().abs()
        });
        let most = springs.fold(most, f64::max);
        self.measured.iter().map(|m| m.largest_force(&self.memory)).fold(most, f64::max).max(f64::MIN_POSITIVE)
    }

    /// xᵀ K x with these values of K.
    fn energy(&self, stiffness: &[f64], x: &[f64], work: &mut [f64]) -> f64 {
        self.pattern.mul(stiffness, x, work);
        x.iter().zip(work).map(|(x, f)| x * *f).sum()
    }

    /// Adds the forces that a change of the imposed displacements by this share of them causes, with the present tangents.
    fn add_imposed(&self, by: f64, r: &mut [f64]) {
        if self.motions.is_empty() {
            return;
        }
        let moved: Vec<f64> = self.motions.iter().map(|m| by * m.at(0.0)[0]).collect();
        for c in &self.couplings {
            r[c.row] += c.k * moved[c.imposed];
        }
        let nothing = vec![0.0; self.n];
        for e in &self.elements {
            let [k, ..] = e.blocks(&self.tangents);
            for j in 0..e.d {
                let q = gather(self.row(e, j), &nothing, &moved);
                for i in (0..e.d).filter(|_| q != 0.0) {
                    for &(l, f) in self.row(e, i) {
                        if let Some(r) = r.get_mut(l as usize) {
                            *r += f * k[i * e.d + j] * q;
                        }
                    }
                }
            }
        }
    }

    /// The element that lost most of the stiffness that it had along a way, and the share that is left; none if all kept most of it.
    fn weakest(&self, initial: &[f64], way: &[f64]) -> Option<(usize, f64)> {
        let along = |e: &super::Entry, tangents: &[f64]| -> f64 {
            let [k, ..] = e.blocks(tangents);
            let q: Vec<f64> = (0..e.d).map(|i| gather(self.row(e, i), way, &[])).collect();
            (0..e.d * e.d).map(|i| q[i / e.d] * k[i] * q[i % e.d]).sum()
        };
        let lost = self.elements.iter().enumerate().filter_map(|(i, e)| {
            let (first, now) = (along(e, initial), along(e, &self.tangents));
            (first > 0.0 && now < 0.5 * first).then_some((i, now / first, first - now))
        });
        lost.max_by(|a, b| a.2.total_cmp(&b.2)).map(|(i, share, _)| (i, share))
    }
}
