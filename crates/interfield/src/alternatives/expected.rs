//! What a coupling makes of the modes that matter, and the error of the response that follows from it (book: partitioned 7.1).
//!
//! The divided structure is set free in a mode and stepped for about a period, all of it: unlike a test problem of two masses it has the
//! impedances that the interface has. The pole of that vibration beside the true one is the error of the mode, and the response of the
//! modes under the load of the model, once with the true poles and once with these, the expected error of the run.
//! Twice: elastic, and with laws that have yielded while operators have not. Nothing of it knows a coupling.

use interfield_analysis::poles::{Pole, Vibration, fit};
use interfield_kernel::System;
use interfield_language::Model;
use interfield_language::model::{Element, Kind, TangentPolicy};
use interfield_language::parse::analysis::scheme_from_text;
use interfield_structure::elastic::{elastic, released, softened};
use interfield_structure::{Modal, Simulation, Structure};

use super::first;

/// Modes that are looked at, and those of them that are probed: elastic, and with laws that have yielded.
const CONSIDERED: usize = 12;
const PROBED: [usize; 2] = [3, 2];
/// Share of the work at the interface that the modes probed should have.
const ENOUGH: f64 = 0.995;
/// Periods over which a mode is probed, and the least and most steps for it.
const PERIODS: f64 = 1.2;
const STEPS: [usize; 2] = [48, 800];
/// A mode that turns by more than this in a step is not resolved by it, rad.
const RESOLVED: f64 = 1.5;
/// Most points of the response.
const POINTS: u64 = 20_000;
/// Share of their stiffness that laws have left where they have yielded.
pub(super) const LEFT: f64 = 0.1;
/// A vibration that grows to this multiple of its start is unstable.
const GROWN: f64 = 1e3;

/// How the laws of a structure are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laws {
    /// As they are at rest.
    Elastic,
    /// With a tenth of their stiffness left, where they can yield, also in the laboratory; operators have all of it.
    Yielded,
}

impl Laws {
    /// A model with such laws, linear; `None` if none can yield.
    pub(super) fn of(self, model: &Model) -> Option<Model> {
        match self {
            Laws::Elastic => Some(elastic(model)),
            Laws::Yielded => softened(&elastic(model), model, LEFT),
        }
    }
}

/// A mode that matters.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its number, from 1.
    pub number: usize,
    /// Its pole.
    pub pole: Pole,
    /// Its shape by degree of freedom of the model, and on the interface, row by row.
    shape: Vec<(usize, f64)>,
    rows: Vec<f64>,
    /// Its load at every point of the response, and its displacement and velocity at the start.
    load: Vec<f64>,
    start: [f64; 2],
}

/// The modes that matter, and their response without error.
#[derive(Clone, Debug)]
pub struct Response {
    /// The modes, the most important first.
    pub modes: Vec<Mode>,
    laws: Laws,
    /// Time between two points, s.
    dt: f64,
    /// Displacements of the interface, row by row; and how much each row counts: its mean force.
    rows: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

/// What is expected of a coupling.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// What it makes of each mode of [`Response::modes`]; `None` where its step does not resolve it.
    pub poles: Vec<Option<Pole>>,
    /// Error of the displacements of the interface over those displacements, root mean squares.
    pub error: f64,
}

impl Mode {
    /// Error of the period with another pole, over the period.
    pub fn period_error(&self, pole: Pole) -> f64 {
        self.pole.im / pole.im - 1.0
    }

    /// Damping ratio that another pole adds.
    pub fn added_damping(&self, pole: Pole) -> f64 {
        pole.ratio() - self.pole.ratio()
    }

    /// Steps in which it is probed with a step of `dt`.
    pub fn probed_in(&self, dt: f64) -> usize {
        let period = std::f64::consts::TAU / self.pole.im;
        ((PERIODS * period / dt).min(1e9) as usize).clamp(STEPS[0], STEPS[1])
    }

    /// The step with which it is probed. Most steps of a model with equal steps on both sides can be far too few for a period: then they are longer,
    /// and its error, which is that of the scheme alone and goes with the square of the step, is made smaller.
    fn step_to_probe(&self, model: &Model) -> f64 {
        let dt = model.analysis.dt;
        let period = std::f64::consts::TAU / self.pole.im;
        let equal = model.partition.as_ref().is_some_and(|p| p.exchanges() == 1);
        if equal { dt.max(PERIODS * period / STEPS[1] as f64) } else { dt }
    }

    /// Its displacement under its load with a pole, at every point. The static displacement does not depend on it.
    fn response(&self, pole: Pole, dt: f64) -> Vec<f64> {
        let gain = (pole.size() / self.pole.size()).powi(2);
        let load = |n: usize| self.load.get(n).copied().unwrap_or(0.0);
        let mut vibration = Vibration::new(pole, gain, dt).from(self.start[0], self.start[1], load(0));
        let mut q = vec![vibration.q()];
        for n in 1..self.load.len() {
            vibration.step(load(n));
            q.push(vibration.q());
        }
        q
    }
}

impl Response {
    /// The modes that matter of a divided model under its own loads; `known` are its modes at rest, if they are known.
    ///
    /// # Errors
    /// Why there are none: a sentence.
    pub fn new(model: &Model, laws: Laws, known: Option<&Modal>) -> Result<Self, String> {
        let linear = laws.of(model).ok_or_else(|| "nothing of it can yield".to_owned())?;
        let mut structure = Structure::new(linear.clone()).map_err(first)?;
        // Modes of a large structure are not computed twice, if they are those of the linear one: a laboratory has unknowns of its own.
        let outside = model.specimens.iter().all(|s| s.inner.is_empty());
        let same = laws == Laws::Elastic && outside && !is_framed(model);
        let known = known.filter(|_| same && structure.free().len() > SMALL);
        let own = if known.is_none() { Some(modes_of(&structure)?) } else { None };
        let modal = known.or(own.as_ref()).ok_or_else(|| "it has no modes".to_owned())?;
        let dt = model.analysis.dt;
        let slow = |i: &usize| modal.omega2[*i] > 0.0 && modal.omega2[*i].sqrt() * dt < RESOLVED;
        let chosen: Vec<usize> = (0..modal.omega2.len()).filter(slow).take(CONSIDERED).collect();
        if chosen.is_empty() {
            return Err("the step resolves no mode of the structure".to_owned());
        }
        let points = model.analysis.steps().max(1);
        let every = points.div_ceil(POINTS);
        let (points, interval) = (points / every, every as f64 * dt);
        let shapes: Vec<&[f64]> = chosen.iter().map(|&i| modal.shapes[i].as_slice()).collect();
        let mut loads = vec![Vec::with_capacity(points as usize + 1); chosen.len()];
        let mut now = vec![0.0; chosen.len()];
        for n in 0..=points {
            structure.modal_loads(n as f64 * interval, &shapes, &mut now);
            loads.iter_mut().zip(&now).for_each(|(load, f)| load.push(*f));
        }
        let starts = starts(model, &structure, &shapes);
        let sides = Sides::new(&linear)?;
        let mut modes: Vec<Mode> = Vec::new();
        for ((&i, load), start) in chosen.iter().zip(loads).zip(starts) {
            let omega = modal.omega2[i].sqrt();
            let ratio = (modal.damping[i] / (2.0 * omega)).min(0.99);
            let shape = structure.free().iter().copied().zip(modal.shapes[i].iter().copied()).collect();
            let mode = Mode { number: i + 1, pole: Pole::of(omega, ratio), shape, rows: Vec::new(), load, start };
            modes.push(Mode { rows: sides.displacements(&mode), ..mode });
        }
        let responses: Vec<Vec<f64>> = modes.iter().map(|m| m.response(m.pole, interval)).collect();
        let work = |(m, q): (&Mode, &Vec<f64>)| {
            let forces = sides.forces(m);
            m.rows.iter().zip(&forces).map(|(u, f)| (u * f).abs()).sum::<f64>() * rms(q).powi(2)
        };
        let works: Vec<f64> = modes.iter().zip(&responses).map(work).collect();
        let kept = most(&works, PROBED[usize::from(laws == Laws::Yielded)]);
        let mut modes: Vec<Mode> = kept.into_iter().map(|i| modes[i].clone()).collect();
        // Damping need not leave the modes uncoupled: the true poles are those of the structure.
        for mode in &mut modes {
            mode.pole = true_pole(&linear, mode)?;
        }
        let mut this = Response { modes, laws, dt: interval, rows: Vec::new(), weights: Vec::new() };
        let poles: Vec<Pole> = this.modes.iter().map(|m| m.pole).collect();
        this.rows = this.superposed(&poles, |m| m.rows.clone());
        this.weights = this.superposed(&poles, |m| sides.forces(m)).iter().map(|f| rms(f)).collect();
        Ok(this)
    }

    /// The sum of the modes with these poles, for what they have in each row.
    fn superposed(&self, poles: &[Pole], rows: impl Fn(&Mode) -> Vec<f64>) -> Vec<Vec<f64>> {
        let mut sums: Vec<Vec<f64>> = Vec::new();
        for (mode, pole) in self.modes.iter().zip(poles) {
            let (q, shape) = (mode.response(*pole, self.dt), rows(mode));
            sums.resize(shape.len(), vec![0.0; q.len()]);
            for (sum, factor) in sums.iter_mut().zip(&shape) {
                sum.iter_mut().zip(&q).for_each(|(sum, q)| *sum += factor * q);
            }
        }
        sums
    }

    /// Error of the response with these poles.
    fn error(&self, poles: &[Pole]) -> f64 {
        let rows = self.superposed(poles, |m| m.rows.clone());
        let differences = rows.iter().zip(&self.rows).map(|(a, b)| {
            let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
            (squares / a.len().max(1) as f64).sqrt()
        });
        let difference: f64 = self.weights.iter().zip(differences).map(|(w, d)| w * d).sum();
        let size: f64 = self.weights.iter().zip(&self.rows).map(|(w, row)| w * rms(row)).sum();
        if size > 0.0 { difference / size } else { f64::NAN }
    }

    /// What is expected of a model with its coupling.
    ///
    /// # Errors
    /// Why nothing is: a sentence.
    pub fn expect(&self, model: &Model) -> Result<Expected, String> {
        let linear = self.laws.of(model).ok_or_else(|| "nothing of it can yield".to_owned())?;
        let probe = |mode: &Mode| -> Result<Option<Pole>, String> {
            let (steps, longer) = (mode.probed_in(model.analysis.dt), mode.step_to_probe(model) / model.analysis.dt);
            let mut linear = linear.clone();
            linear.analysis.dt *= longer;
            let found = fit(&vibrate(&linear, mode, steps)?, linear.analysis.dt, mode.pole);
            Ok(found.map(|pole| mode.pole.towards(pole, longer.powi(-2))))
        };
        let poles: Vec<Option<Pole>> = self.modes.iter().map(probe).collect::<Result<_, _>>()?;
        let found: Option<Vec<Pole>> = poles.iter().copied().collect();
        let error = found.map_or(f64::NAN, |poles| self.error(&poles));
        Ok(Expected { poles, error })
    }
}

/// The few that are most of the whole, the largest first.
fn most(works: &[f64], count: usize) -> Vec<usize> {
    let total: f64 = works.iter().sum();
    let mut order: Vec<usize> = (0..works.len()).collect();
    order.sort_by(|a, b| works[*b].total_cmp(&works[*a]));
    // Nothing moves it: the lowest modes stand for what might.
    if !(total > 0.0 && total.is_finite()) {
        order.sort_unstable();
    }
    let mut sum = 0.0;
    let enough = |i: &usize| {
        let before = sum;
        sum += works[*i];
        before < ENOUGH * total || before == 0.0
    };
    order.into_iter().take(count).take_while(enough).collect()
}

fn rms(x: &[f64]) -> f64 {
    (x.iter().map(|x| x * x).sum::<f64>() / x.len().max(1) as f64).sqrt()
}

/// Most unknowns for which modes are computed once more.
const SMALL: usize = 400;

/// Whether it has members of frames, which have no geometry where laws are linear: its modes are not those at rest.
fn is_framed(model: &Model) -> bool {
    model.elements.iter().any(|e| matches!(e.kind, Kind::Frame { .. }))
}

/// The lowest modes.
fn modes_of(structure: &Structure) -> Result<Modal, String> {
    let n = structure.free().len();
    if n > SMALL {
        return Err("the structure is large".to_owned());
    }
    Modal::new(structure, CONSIDERED.min(n)).map_err(|e| e.to_string())
}

/// Whether the model begins in balance with loads, and not where the file says.
fn is_settled(model: &Model) -> bool {
    let rested = |e: &Element| matches!(&e.kind, Kind::Frame { frame, .. } if !frame.rest.is_empty());
    !model.held.is_empty() || model.elements.iter().any(rested)
}

/// Displacement and velocity of each mode at the start, φᵀMu; displacements of a structure in balance are those of its loads.
fn starts(model: &Model, structure: &Structure, shapes: &[&[f64]]) -> Vec<[f64; 2]> {
    let (pattern, mass, _) = structure.matrices();
    let of = |value: &dyn Fn(usize) -> f64| {
        let x: Vec<f64> = structure.free().iter().map(|&d| value(d)).collect();
        let mut momentum = vec![0.0; x.len()];
        pattern.mul(&mass, &x, &mut momentum);
        momentum
    };
    let settled = is_settled(model);
    let [u, v] = [of(&|d| if settled { 0.0 } else { model.dofs[d].u0 }), of(&|d| model.dofs[d].v0)];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
    shapes.iter().map(|shape| [dot(shape, &u), dot(shape, &v)]).collect()
}

/// The divided structure at rest: what is known of its sides in a mode.
struct Sides {
    sim: Simulation,
}

impl Sides {
    fn new(linear: &Model) -> Result<Self, String> {
        let mut linear = released(linear, []);
        // What the sides do, not what operators take them for.
        linear.partition.iter_mut().flat_map(|p| &mut p.substructures).for_each(|s| s.tangent = TangentPolicy::Initial);
        let sim = Simulation::new(linear).map_err(first)?;
        Ok(Sides { sim })
    }

    /// The shape of a mode over the unknowns of part `i`.
    fn shape(&self, mode: &Mode, i: usize) -> Vec<f64> {
        let value = |dof: usize| mode.shape.iter().find(|s| s.0 == dof).map_or(0.0, |s| s.1);
        self.sim.dofs(i).map(value).collect()
    }

    fn displacements(&self, mode: &Mode) -> Vec<f64> {
        let value = |dof: usize| mode.shape.iter().find(|s| s.0 == dof).map_or(0.0, |s| s.1);
        self.sim.interface.iter().map(|c| value(c.dof)).collect()
    }

    /// Forces of the interface in a mode, row by row: what the second part of each does not balance by itself.
    fn forces(&self, mode: &Mode) -> Vec<f64> {
        let omega2 = mode.pole.size().powi(2);
        let unbalanced: Vec<Vec<f64>> = (0..self.sim.count())
            .map(|i| {
                let (shape, (pattern, mass, stiffness)) = (self.shape(mode, i), self.sim.matrices(i));
                let (mut inertia, mut r) = (vec![0.0; shape.len()], vec![0.0; shape.len()]);
                pattern.mul(&mass, &shape, &mut inertia);
                pattern.mul(&stiffness, &shape, &mut r);
                r.iter_mut().zip(&inertia).for_each(|(r, m)| *r -= omega2 * m);
                r
            })
            .collect();
        let force = |c: &interfield_structure::split::Constraint| {
            let part = c.minus.0;
            self.sim.dofs(part).position(|d| d == c.dof).map_or(0.0, |k| unbalanced[part][k])
        };
        self.sim.interface.iter().map(force).collect()
    }
}

/// Displacements and velocities of a mode in a free vibration of a linear model, one for each of so many steps after the start-up.
fn vibrate(linear: &Model, mode: &Mode, steps: usize) -> Result<Vec<(f64, f64)>, String> {
    let mut sim = Simulation::new(released(linear, mode.shape.iter().copied())).map_err(first)?;
    let momenta: Vec<Vec<f64>> = (0..sim.count())
        .map(|i| {
            let n = sim.coupling.dims_of(i).nu;
            let (system, x) = sim.coupling.at_node(i);
            let mut momentum = vec![0.0; n];
            system.mul_mass(&x[..n], &mut momentum);
            momentum
        })
        .collect();
    let size = |sim: &Simulation| {
        let part = |i: usize| sim.y(i)[..momenta[i].len()].iter().fold(0.0f64, |m, u| m.max(u.abs()));
        (0..sim.count()).map(part).fold(0.0, f64::max)
    };
    let start = size(&sim);
    let settled = sim.coupling.settled() as usize + 2;
    let mut samples = Vec::with_capacity(steps);
    for k in 0..steps + settled {
        sim.coupling.step(k as u64).map_err(|fault| format!("a step fails: {}", sim.explain(fault)))?;
        if k < settled {
            continue;
        }
        let (mut q, mut v) = (0.0, 0.0);
        for (i, momentum) in momenta.iter().enumerate() {
            let (n, x) = (momentum.len(), sim.y(i));
            q += momentum.iter().zip(&x[..n]).map(|(m, u)| m * u).sum::<f64>();
            v += momentum.iter().zip(&x[n..]).map(|(m, v)| m * v).sum::<f64>();
        }
        samples.push((q, v));
    }
    let end = size(&sim);
    if end <= GROWN * start { Ok(samples) } else { Err("it is unstable with this step".to_owned()) }
}

/// The pole of a mode of the structure in one piece, without error: the trapezoidal rule maps it in a known way.
fn true_pole(linear: &Model, mode: &Mode) -> Result<Pole, String> {
    let mut whole = linear.clone().in_one_piece();
    whole.analysis.tangent = TangentPolicy::Exact;
    whole.analysis.scheme = scheme_from_text("trapezoidal", &[]).map_err(|_| "no trapezoidal rule".to_owned())?;
    "trapezoidal".clone_into(&mut whole.analysis.scheme_name);
    let dt = whole.analysis.dt;
    let samples = vibrate(&whole, mode, mode.probed_in(dt))?;
    let found = fit(&samples, dt, mode.pole).map(|pole| pole.before_bilinear_map(dt));
    found.ok_or_else(|| format!("mode {} is no vibration", mode.number))
}
