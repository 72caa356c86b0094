//! A staged side: substructures that are advanced stage by stage, because the multipliers are computed anew at every stage
//! from the accelerations of all subdomains. Several substructures in one side are stacked.
//!
//! Order of calls: [`StagedSide::linearise`] where a step starts; [`StagedSide::evaluate`] at any point, which keeps the forces;
//! [`StagedSide::stage`] with the multipliers, on the forces of the *last* evaluation. One evaluation thereby serves the
//! multipliers and the stage, and a specimen is moved once per stage point. Evaluations elsewhere in between are allowed;
//! where only their port accelerations matter, [`StagedSide::evaluate_ports`] does no more than these take.
//! State [u v s z] of each substructure; evaluations move its laws from one point to the next, beginning with the z of
//! [`StagedSide::recall`], until [`StagedSide::keep`].
//! The mass that a multiplier moves is that of the start: it must not depend on the configuration at a port.
//! **Must not be here:** an order in which sides advance.

use std::array::from_fn;
use std::ops::Range;

use interfield_kernel::fault::check_finite;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::{Aim, Rosenbrock, StageTimes, Stages};
use interfield_kernel::scheme::{Phases, State, Step};
use interfield_kernel::{Archive, Dims, Fault, Mck, Scheme, System};

use crate::CouplingError;
use crate::blueprint;
use crate::coupled::require;
use crate::interface::{Port, Substructure};
use crate::memory::{keep, recall};
use crate::side::SideFault;

/// Slot of the mass matrix; that of stepping g follows at 1 + g.
const MASS: usize = 0;

/// One substructure of a side.
struct Subdomain<S> {
    system: S,
    ports: Vec<Port>,
    dims: Dims,
    tableau: Rosenbrock,
    y0: Vec<f64>,
    /// Accelerations that one unit of each multiplier causes, M⁻¹ Lᵀ; one column per port.
    inertance: Vec<f64>,
    /// Rates without multipliers at the last evaluated point, [v a g].
    rates: Vec<f64>,
    /// Forces at the last evaluated point.
    force: Vec<f64>,
    /// Accelerations at the ports, if the system has a shorter way to them than a whole evaluation.
    short: Option<Vec<f64>>,
    /// Increments of the stages.
    k: Vec<f64>,
    x: Vec<f64>,
    shift: Vec<f64>,
    bu: Vec<f64>,
    load: Vec<f64>,
}

impl<S: System> Subdomain<S> {
    fn new(sub: Substructure<S>, tableau: Rosenbrock, steps: &[f64]) -> Result<Self, Fault> {
        let Substructure { mut system, y0, ports, .. } = sub;
        let dims = system.dims();
        let (n, ny) = (dims.nu, dims.state());
        let mut operators = vec![Mck::MASS];
        steps.iter().for_each(|dt| operators.extend_from_slice(tableau.operators(*dt).as_slice()));
        system.prepare(&operators)?;
        system.linearise(dims.point(0.0, &y0))?;
        let mut inertance = vec![0.0; n * ports.len()];
        for (column, p) in inertance.chunks_exact_mut(n.max(1)).zip(&ports) {
            column[p.dof] = p.sign;
            system.solve(MASS, column, &mut vec![0.0; dims.ns]);
        }
        let unknowns: Vec<usize> = ports.iter().map(|p| p.dof).collect();
        let short = system.prepare_at(&unknowns).then(|| vec![0.0; unknowns.len()]);
        Ok(Subdomain {
            system,
            short,
            ports,
            dims,
            tableau,
            y0,
            inertance,
            rates: vec![0.0; ny],
            force: vec![0.0; n],
            k: vec![0.0; tableau.stages * ny],
            x: vec![0.0; ny],
            shift: vec![0.0; ny],
            bu: vec![0.0; n],
            load: vec![0.0; n],
        })
    }

    fn blueprint(&self, i: usize, steps: &[f64]) -> blueprint::Subdomain<'_, S> {
        let (scheme, rate) = (self.tableau.into(), self.dims.nu);
        let stride = |(g, &dt): (usize, &f64)| blueprint::Stride {
            scheme,
            dt,
            steps: 1,
            slot: 1 + g,
            link: &[],
            once: false,
            rate,
            lag: 0.0,
        };
        blueprint::Subdomain {
            substructure: i,
            system: &self.system,
            y0: &self.y0,
            moved: self.dims.state(),
            len: self.len(),
            ports: self.ports.clone(),
            inertance: &self.inertance,
            steppings: steps.iter().enumerate().map(stride).collect(),
        }
    }

    /// Length of [u v s z].
    fn len(&self) -> usize {
        self.dims.state() + self.system.own_memory()
    }

    fn evaluate(&mut self, x: &[f64], t: f64) -> Result<(), Fault> {
        let n = self.dims.nu;
        let (v, rest) = self.rates.split_at_mut(n);
        let (a, g) = rest.split_at_mut(n);
        v.copy_from_slice(&x[n..2 * n]);
        self.system.force(self.dims.point(t, x), None, &mut self.force, g)?;
        a.iter_mut().zip(&self.force).for_each(|(a, r)| *a = -r);
        self.system.solve(MASS, a, g);
        // Before the multipliers carry it into the other substructures: what has no sound rates has no sound end.
        check_finite(self.dims, &self.rates)
    }

    /// [`Subdomain::evaluate`], of which nothing but the accelerations at the ports is wanted.
    fn evaluate_ports(&mut self, x: &[f64], t: f64) -> Result<(), Fault> {
        let Some(found) = &mut self.short else { return self.evaluate(x, t) };
        self.system.accelerations_at(self.dims.point(t, x), found)?;
        for (p, a) in self.ports.iter().zip(&*found) {
            self.rates[self.dims.nu + p.dof] = *a;
        }
        if found.iter().all(|a| a.is_finite()) { Ok(()) } else { check_finite(self.dims, &self.rates) }
    }

    fn stage(&mut self, i: usize, (stepping, t, dt): (usize, f64, f64), y: &[f64], l: &[f64]) {
        let n = self.dims.nu;
        let Subdomain { tableau, x, shift, bu, system, .. } = self;
        x.copy_from_slice(&y[..self.dims.state()]);
        let mut stages = stages(&mut self.k, self.dims);
        let (done, rest) = stages.split_at_mut(i);
        let Some(k) = &mut rest[0] else { return };
        let mut aim = Aim { x: halves(x, n), shift: halves(shift, n), bu: &mut bu[..] };
        let p = &mut Step { t, dt, y: &mut [], h: &mut [], w: &mut [], sys: &mut *system };
        tableau.aim(p, i, done, &mut aim);
        p.mul_tangent(&aim.shift, &mut k.v);
        let (f, s) = k.v.split_at_mut(n);
        f.iter_mut().zip(&self.force).for_each(|(f, r)| *f -= r);
        s.iter_mut().zip(&self.rates[2 * n..]).for_each(|(by, at)| *by += at);
        if tableau.time == StageTimes::Shifted {
            // The forces were asked for at the time of the point; the load is that of the stage.
            for (place, sign) in [(tableau.place(i), -1.0), (tableau.time_of(i), 1.0)] {
                p.sys.load(t + place * dt, &mut self.load);
                f.iter_mut().zip(&self.load).for_each(|(f, load)| *f += sign * load);
            }
        }
        for port in &self.ports {
            f[port.dof] -= port.sign * l[port.row]; // - Lᵀ Λ
        }
        tableau.settle(p, 1 + stepping, &aim.bu, k);
    }

    fn finish(&mut self, y: &mut [f64]) {
        let p = &mut Step { t: 0.0, dt: 0.0, y: &mut [], h: &mut [], w: &mut [], sys: &mut self.system };
        let y = &mut y[..self.dims.state()];
        self.tableau.finish(p, &mut halves(y, self.dims.nu), &stages(&mut self.k, self.dims));
    }
}

/// [u v s] as displacements, and velocities with the element states.
fn halves(x: &mut [f64], n: usize) -> State<&mut [f64]> {
    let (u, v) = x.split_at_mut(n);
    State { u, v }
}

/// The increments of the stages, one after the other in `k`.
fn stages(k: &mut [f64], d: Dims) -> Stages<&mut [f64]> {
    let mut stages = k.chunks_exact_mut(d.state());
    from_fn(|_| stages.next().map(|k| halves(k, d.nu)))
}

/// Stacked substructures that are evaluated and advanced together.
pub(crate) struct StagedSide<S> {
    subdomains: Vec<Subdomain<S>>,
    /// Start of each subdomain's state in the stacked one, and its end.
    offsets: Vec<usize>,
    /// Start of each subdomain's rates in the stacked ones, and its end.
    rate_offsets: Vec<usize>,
    rows: usize,
    /// Lengths of the steps, s, one per stepping.
    steps: Vec<f64>,
}

impl<S: System> StagedSide<S> {
    /// Stacks substructures that may step with any of the lengths `steps`, with the tableaus of [`tableau`].
    pub(crate) fn new(
        substructures: Vec<(Substructure<S>, Rosenbrock)>,
        rows: usize,
        steps: &[f64],
    ) -> Result<Self, SideFault> {
        let mut subdomains = Vec::new();
        let (mut offsets, mut rate_offsets) = (vec![0], vec![0]);
        for (i, (sub, tableau)) in substructures.into_iter().enumerate() {
            let subdomain = Subdomain::new(sub, tableau, steps).map_err(|fault| (i, fault))?;
            offsets.push(offsets[i] + subdomain.len());
            rate_offsets.push(rate_offsets[i] + subdomain.dims.state());
            subdomains.push(subdomain);
        }
        Ok(StagedSide { subdomains, offsets, rate_offsets, rows, steps: steps.to_vec() })
    }

    /// Tables of its substructures.
    pub(crate) fn blueprint(&self) -> Vec<blueprint::Subdomain<'_, S>> {
        self.subdomains.iter().enumerate().map(|(i, subdomain)| subdomain.blueprint(i, &self.steps)).collect()
    }

    /// Length of the stacked state.
    pub(crate) fn len(&self) -> usize {
        *self.offsets.last().unwrap_or(&0)
    }

    /// Range of substructure `i` in the stacked state.
    pub(crate) fn range(&self, i: usize) -> Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    /// Numbers of unknowns of substructure `i`.
    pub(crate) fn dims(&self, i: usize) -> Dims {
        self.subdomains[i].dims
    }

    /// Entries of L of substructure `i`.
    pub(crate) fn ports(&self, i: usize) -> &[Port] {
        &self.subdomains[i].ports
    }

    /// The system of substructure `i`.
    pub(crate) fn system(&self, i: usize) -> &S {
        &self.subdomains[i].system
    }

    /// Its systems.
    pub(crate) fn systems(&self) -> impl Iterator<Item = &S> {
        self.subdomains.iter().map(|p| &p.system)
    }

    /// Its systems, to be written.
    pub(crate) fn systems_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.subdomains.iter_mut().map(|p| &mut p.system)
    }

    /// The system of substructure `i`, with what its laws remember in the state `x` of it alone.
    pub(crate) fn at(&mut self, i: usize, x: &[f64]) -> &mut S {
        let subdomain = &mut self.subdomains[i];
        recall(&mut subdomain.system, &x[subdomain.dims.state()..]);
        &mut subdomain.system
    }

    /// Evaluations go on from what laws remember in the state `x`.
    pub(crate) fn recall(&mut self, x: &[f64]) {
        for (i, subdomain) in self.subdomains.iter_mut().enumerate() {
            recall(&mut subdomain.system, &x[self.offsets[i] + subdomain.dims.state()..self.offsets[i + 1]]);
        }
    }

    /// Writes what laws remember of the evaluations made since into the state `x`.
    pub(crate) fn keep(&self, x: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            keep(&subdomain.system, &mut x[self.offsets[i] + subdomain.dims.state()..self.offsets[i + 1]]);
        }
    }

    /// Whether a step of some substructure has a second stage.
    pub(crate) fn has_second_stage(&self) -> bool {
        self.subdomains.iter().any(|p| p.tableau.stages > 1)
    }

    /// Initial states.
    pub(crate) fn initial(&self, x: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            x[self.offsets[i]..][..subdomain.y0.len()].copy_from_slice(&subdomain.y0);
        }
        self.keep(x);
    }

    /// h += L M⁻¹ Lᵀ.
    pub(crate) fn mobility(&self, h: &mut [f64]) {
        for subdomain in &self.subdomains {
            for (column, pj) in subdomain.inertance.chunks_exact(subdomain.dims.nu.max(1)).zip(&subdomain.ports) {
                for pi in &subdomain.ports {
                    h[pi.row * self.rows + pj.row] += pi.sign * column[pi.dof];
                }
            }
        }
    }

    /// a -= M⁻¹ Lᵀ l on substructure `i`.
    pub(crate) fn add_accelerations(&self, i: usize, l: &[f64], a: &mut [f64]) {
        let subdomain = &self.subdomains[i];
        for (column, p) in subdomain.inertance.chunks_exact(subdomain.dims.nu.max(1)).zip(&subdomain.ports) {
            a.iter_mut().zip(column).for_each(|(a, c)| *a -= c * l[p.row]);
        }
    }

    /// Takes the Jacobians at (x, t), where a step starts.
    pub(crate) fn linearise(&mut self, x: &[f64], t: f64) -> Result<(), SideFault> {
        self.each(x, |subdomain, x| subdomain.system.linearise(subdomain.dims.point(t, x)))
    }

    /// Moves to (x, t) and keeps the forces.
    pub(crate) fn evaluate(&mut self, x: &[f64], t: f64) -> Result<(), SideFault> {
        self.each(x, |subdomain, x| subdomain.evaluate(x, t))
    }

    /// Moves to (x, t) and keeps the accelerations at the ports; no stage may follow.
    pub(crate) fn evaluate_ports(&mut self, x: &[f64], t: f64) -> Result<(), SideFault> {
        self.each(x, |subdomain, x| subdomain.evaluate_ports(x, t))
    }

    fn each(
        &mut self,
        x: &[f64],
        mut f: impl FnMut(&mut Subdomain<S>, &[f64]) -> Result<(), Fault>,
    ) -> Result<(), SideFault> {
        for (i, subdomain) in self.subdomains.iter_mut().enumerate() {
            f(subdomain, &x[self.offsets[i]..self.offsets[i + 1]]).map_err(|fault| (i, fault))?;
        }
        Ok(())
    }

    /// Length of its rates.
    pub(crate) fn rates_len(&self) -> usize {
        *self.rate_offsets.last().unwrap_or(&0)
    }

    /// Rates [v a g] without multipliers at the last evaluated point.
    pub(crate) fn rates(&self, out: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            out[self.rate_offsets[i]..self.rate_offsets[i + 1]].copy_from_slice(&subdomain.rates);
        }
    }

    /// w += L a at the last evaluated point.
    pub(crate) fn port_accelerations(&self, w: &mut [f64]) {
        self.subdomains.iter().for_each(|subdomain| add_ports(subdomain, &subdomain.rates, w));
    }

    /// w += L a of these [`StagedSide::rates`].
    pub(crate) fn port_accelerations_of(&self, rates: &[f64], w: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            add_ports(subdomain, &rates[self.rate_offsets[i]..], w);
        }
    }

    /// Stage `i` (0 or 1) of a step of stepping `g` from (y, t) under the multipliers `l`, on the forces of the last
    /// evaluation. Substructures whose scheme has no such stage are done already.
    pub(crate) fn stage(&mut self, i: usize, g: usize, y: &[f64], t: f64, l: &[f64]) {
        for (j, subdomain) in
            self.subdomains.iter_mut().enumerate().filter(|(_, subdomain)| i < subdomain.tableau.stages)
        {
            subdomain.stage(i, (g, t, self.steps[g]), &y[self.offsets[j]..self.offsets[j + 1]], l);
        }
    }

    /// The middle of the step from `y`, after its first stage: y + k₁/2.
    pub(crate) fn middle(&self, y: &[f64], out: &mut [f64]) {
        for (i, subdomain) in self.subdomains.iter().enumerate() {
            for (l, j) in (self.offsets[i]..).take(subdomain.dims.state()).enumerate() {
                out[j] = y[j] + 0.5 * subdomain.k[l];
            }
        }
    }

    /// The end of the step from `y`, after all its stages, in place.
    pub(crate) fn finish(&mut self, y: &mut [f64]) -> Result<(), SideFault> {
        for (i, subdomain) in self.subdomains.iter_mut().enumerate() {
            let y = &mut y[self.offsets[i]..self.offsets[i + 1]];
            subdomain.finish(y);
            check_finite(subdomain.dims, &y[..subdomain.dims.state()]).map_err(|fault| (i, fault))?;
        }
        Ok(())
    }

    /// Saves or restores what else the systems remember.
    pub(crate) fn persist(&mut self, archive: &mut dyn Archive) {
        self.subdomains.iter_mut().for_each(|p| p.system.persist(archive));
    }
}

fn add_ports<S>(subdomain: &Subdomain<S>, rates: &[f64], w: &mut [f64]) {
    for p in &subdomain.ports {
        w[p.row] += p.sign * rates[subdomain.dims.nu + p.dof];
    }
}

/// The tableau of a scheme that these couplings can advance; refusals in words.
pub(crate) fn tableau(scheme: AnyScheme) -> Result<Rosenbrock, CouplingError> {
    let Some(r) = scheme.tableau() else {
        return Err(CouplingError::Unsuitable(
            "couplings at the level of accelerations advance Rosenbrock schemes stage by stage: write lsrt1 or lsrt2"
                .into(),
        ));
    };
    require(
        r.stages <= 2 && (r.stages == 1 || r.place(1) == 0.5),
        "couplings at the level of accelerations need one stage, or two with the second one in the middle of the step: write \
         lsrt1 or lsrt2",
    )?;
    require(
        r.time == StageTimes::Published,
        "couplings at the level of accelerations use the multipliers at the points of the stages: omit time = \
            \"shifted\"",
    )?;
    Ok(r)
}
