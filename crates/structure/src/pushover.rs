//! A structure that is pushed: from one balance to the next along a protocol, as a step map like those of couplings. Specimens take part: they are
//! moved once per step, to where the structure is in balance with what they said last; what is left of the balance goes into the
//! next step.
//!
//! State x = [u v s 0 factor work]: what comes behind the element states stands where schemes keep accelerations, and behind them.

use std::ops::Range;

use interfield_coupling::blueprint::{Blueprint, Subdomain};
use interfield_coupling::{Coupling, Port};
use interfield_kernel::{Archive, Dims, Fault, Persist, StepMap, System};
use interfield_lab::verdict::{Grade, Verdict};
use interfield_language::model::{Model, PushPart, Pushing};
use interfield_language::units::{Dimension, significant};
use interfield_language::{Problem, Subject};

use crate::assemble::Place;
use crate::assembled::{Assembled, Lead, Statics};
use crate::faults::cannot_start;

/// Unbalance over the largest force that makes a test doubtful: the load factor is not better known than this.
const UNBALANCED: f64 = 0.05;

/// A structure in one piece that is pushed.
pub(crate) struct Pushed {
    system: Assembled,
    statics: Statics,
    lead: Lead,
    targets: Vec<f64>,
    dt: f64,
    hold: f64,
    physical: bool,
    x: Vec<f64>,
    y0: Vec<f64>,
}

impl Pushed {
    /// Brings the structure into balance at its start, specimens moved there.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub(crate) fn start(model: &Model, mut system: Assembled, parts: Parts<'_>) -> Result<Self, Vec<Problem>> {
        let Parts { y0, places, free, looped } = parts;
        let Some(push) = &model.pushover else {
            let help = "write [pushover] with control, pattern, to and step";
            return Err(vec![Problem::error(Subject::Model, "the model has no [pushover]".to_owned(), help)]);
        };
        let (lead, pattern) = forms(model, push, places, free.len())?;
        let fatal = |fault| vec![cannot_start(model, free, looped, fault)];
        system.push_by(pattern);
        let physical = !system.measured().is_empty();
        let statics = Statics::new(&mut system, &y0).map_err(fatal)?;
        if let (Lead::Displacement(form), Some(control)) = (&lead, push.control)
            && !statics.is_moved(form)
        {
            let message = format!("the pattern of [pushover] does not move `{}`", model.dofs[control].name);
            let help = "control a degree of freedom that these forces move, or give it a force in `pattern`";
            return Err(vec![Problem::error(Subject::Dof(control), message, help)]);
        }
        let mut x = y0.clone();
        x.resize(y0.len() + free.len() + 2, 0.0);
        let dt = model.analysis.dt;
        let zero = match &lead {
            Lead::Displacement(form) if push.relative => form.iter().map(|(i, c)| c * statics.u()[*i]).sum(),
            _ => 0.0,
        };
        let targets = push.targets.iter().map(|t| t + zero).collect();
        let hold = if push.velocity.is_some() { push.hold } else { 0.0 };
        let mut this = Pushed { system, statics, lead, targets, dt, hold, physical, x, y0 };
        if physical {
            this.statics.measure(&mut this.system, &this.lead, 0.0, 0.0).map_err(fatal)?;
        }
        this.write(0.0);
        Ok(this)
    }

    /// Where the part of a push stands in the state of a system.
    pub(crate) fn place(dims: Dims, part: PushPart) -> usize {
        dims.state() + dims.nu + usize::from(part == PushPart::Work)
    }

    fn work(&mut self) -> &mut f64 {
        let place = Self::place(self.system.dims(), PushPart::Work);
        &mut self.x[place]
    }

    fn factor(&self) -> f64 {
        self.x[Self::place(self.system.dims(), PushPart::Factor)]
    }

    /// Writes the balance to the state, with this work.
    fn write(&mut self, work: f64) {
        let dims = self.system.dims();
        self.statics.write(&mut self.x[..dims.state()]);
        self.x[Self::place(dims, PushPart::Factor)] = self.statics.factor();
        *self.work() = work;
    }

    /// Work of the pattern from the last state to the present balance.
    fn done(&self) -> f64 {
        let way: f64 =
            self.system.pushed().iter().zip(self.statics.u().iter().zip(&self.x)).map(|(p, (u, x))| p * (u - x)).sum();
        0.5 * (self.factor() + self.statics.factor()) * way
    }
}

/// What is known of an assembled structure beside its system.
pub(crate) struct Parts<'a> {
    pub(crate) y0: Vec<f64>,
    pub(crate) places: &'a [Place],
    pub(crate) free: &'a [usize],
    pub(crate) looped: &'a [usize],
}

/// What is led, and the pattern over the unknowns.
fn forms(model: &Model, push: &Pushing, places: &[Place], n: usize) -> Result<(Lead, Vec<f64>), Vec<Problem>> {
    let unknowns = |terms: &[(usize, f64)]| -> Vec<(usize, f64)> {
        let unknown = |(d, f): (usize, f64)| match places[d] {
            Place::Free(i) => Some((i, f)),
            Place::Imposed(_) | Place::Fixed => None,
        };
        model.resolved(terms).into_iter().filter_map(unknown).collect()
    };
    let mut pattern = vec![0.0; n];
    unknowns(&push.pattern).into_iter().for_each(|(i, f)| pattern[i] += f);
    let mut problems = Vec::new();
    if pattern.iter().all(|p| *p == 0.0) {
        let first = push.pattern.first().map_or(Subject::Model, |p| Subject::Dof(p.0));
        let message = "the pattern of [pushover] acts on held degrees of freedom only".to_owned();
        problems.push(Problem::error(first, message, "push a degree of freedom that is free"));
    }
    let lead = match push.control {
        None => Lead::Factor,
        Some(control) => {
            let form = unknowns(&[(control, 1.0)]);
            if form.is_empty() {
                let message = format!("`{}` is held and cannot be controlled", model.dofs[control].name);
                problems.push(Problem::error(
                    Subject::Dof(control),
                    message,
                    "control a degree of freedom that is free",
                ));
            }
            Lead::Displacement(form)
        }
    };
    if problems.is_empty() { Ok((lead, pattern)) } else { Err(problems) }
}

impl Persist for Pushed {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.same(self.x.len());
        archive.numbers(&mut self.x);
        archive.numbers(self.system.memory_mut());
        archive.number(&mut self.system.carried);
        self.system.persist(archive);
        let (state, factor) = (self.system.dims().state(), self.factor());
        self.statics.read(&mut self.system, &self.x[..state], factor);
    }
}

impl StepMap for Pushed {
    fn len(&self) -> usize {
        self.x.len()
    }

    fn dt(&self) -> f64 {
        self.dt
    }

    fn state(&self) -> &[f64] {
        &self.x
    }

    fn state_mut(&mut self) -> &mut [f64] {
        &mut self.x
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        let Some(&to) = usize::try_from(k).ok().and_then(|k| self.targets.get(k)) else { return Ok(()) };
        self.statics.lead(&mut self.system, &self.lead, to)?;
        if self.physical {
            self.statics.measure(&mut self.system, &self.lead, (k + 1) as f64 * self.dt, self.hold)?;
        }
        let work = *self.work() + self.done();
        self.write(work);
        Ok(())
    }
}

impl Coupling<Assembled> for Pushed {
    fn count(&self) -> usize {
        1
    }

    fn range_of(&self, _: usize) -> Range<usize> {
        0..self.x.len()
    }

    fn dims_of(&self, _: usize) -> Dims {
        self.system.dims()
    }

    fn ports_of(&self, _: usize) -> &[Port] {
        &[]
    }

    fn multipliers(&self) -> &[f64] {
        &[]
    }

    fn links_of(&self, _: usize, _: &mut [f64]) {}

    fn acceleration_of(&self, _: usize) -> Option<&[f64]> {
        None
    }

    fn add_multiplier_accelerations(&self, _: usize, _: &mut [f64]) {}

    fn is_fine(&self, _: usize) -> bool {
        false
    }

    fn system(&self, _: usize) -> &Assembled {
        &self.system
    }

    fn at_node(&mut self, _: usize) -> (&mut Assembled, &[f64]) {
        (&mut self.system, &self.x)
    }

    fn faulty(&self) -> usize {
        0
    }

    /// Without a stride: nothing steps in time.
    fn blueprint(&self) -> Blueprint<'_, Assembled> {
        let subdomain = Subdomain {
            substructure: 0,
            system: &self.system,
            y0: &self.y0,
            moved: self.x.len(),
            len: self.x.len(),
            ports: Vec::new(),
            inertance: &[],
            steppings: Vec::new(),
        };
        Blueprint::single(self.dt, subdomain)
    }

    fn use_threads(&mut self, _: bool) -> bool {
        false
    }
}

/// What is thought of a push whose steps all ended in balance.
pub(crate) fn verdict(system: &Assembled) -> Verdict {
    let carried = system.carried;
    if carried <= UNBALANCED {
        return Verdict { grade: Grade::Good, reasons: Vec::new() };
    }
    let reason = format!(
        "the measured forces left an unbalance of up to {} % of the largest force, which the next step took: use shorter steps, or a better `tangent` for \
            the specimen",
        significant(100.0 * carried, 2)
    );
    Verdict { grade: Grade::Doubtful, reasons: vec![reason] }
}

/// Where and why a push ended, in words; `None` where the fault says more by itself.
pub(crate) fn stopped(
    model: &Model,
    push: &Pushing,
    coupling: &dyn Coupling<Assembled>,
    (free, looped): (&[usize], &[usize]),
    fault: Fault,
) -> Option<String> {
    if !matches!(fault, Fault::NoConvergence { .. } | Fault::Singular { .. }) {
        return None;
    }
    let (system, x) = (coupling.system(0), coupling.state());
    let factor = significant(x[Pushed::place(system.dims(), PushPart::Factor)], 4);
    let why = reason(model, system, free, looped);
    Some(match push.control {
        None => format!(
            "no balance was found beyond a load factor of {factor}: {why}; the structure carries no more, or it snaps through; control a displacement to go beyond \
                its strength"
        ),
        Some(control) => {
            let dof = &model.dofs[control];
            let terms = model.resolved(&[(control, 1.0)]);
            let at = terms.iter().filter_map(|(d, f)| Some(f * x[free.iter().position(|x| x == d)?]));
            let dim = if dof.angle { Dimension::ANGLE } else { Dimension::LENGTH };
            let at = model.units.show(at.sum(), dim, 4);
            format!(
                "no balance was found beyond `{}` = {at} (load factor {factor}): {why}; the structure has lost its strength or snaps back there, or the \
                    step is too long",
                dof.name
            )
        }
    })
}

/// What lost its stiffness, or where the balance is missing.
pub(crate) fn reason(model: &Model, system: &Assembled, free: &[usize], looped: &[usize]) -> String {
    let element = |e: usize| looped.get(e).map_or("?", |&e| model.elements[e].name.as_str());
    match system.stuck {
        Some(stuck) => match stuck.weak {
            Some((e, share)) if share <= 0.0 => format!("element `{}` loses strength there", element(e)),
            Some((e, share)) => {
                format!(
                    "element `{}` has {} % of its initial stiffness left",
                    element(e),
                    significant(100.0 * share, 2)
                )
            }
            None => {
                let dof = free.get(stuck.unknown).map_or("?", |&d| model.dofs[d].name.as_str());
                format!("the forces at `{dof}` do not come into balance")
            }
        },
        None => "the stiffness is singular".to_owned(),
    }
}
