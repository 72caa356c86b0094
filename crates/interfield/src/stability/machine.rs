//! A model as it would be run, seen as a step map whose state has names.

use std::ops::Range;

use interfield_analysis::oscillator::limit;
use interfield_analysis::spectrum::SpectrumError;
use interfield_analysis::stability::Motion;
use interfield_kernel::Domain;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_lab::kinematics::Lever;
use interfield_language::Model;
use interfield_language::Problem;
use interfield_language::specimen::Actuator;
use interfield_structure::Simulation;
use interfield_structure::assembled::oscillator;
use interfield_structure::linearised::linearised;
use interfield_structure::specimen::Probe;

/// A scheme that is stable up to this Ω = ω dt is taken to be so always.
pub const UNCONDITIONAL: f64 = 1e3;

/// Largest Ω = ω dt at which a scheme does not let the undamped oscillator grow, looked for up to `most`.
pub fn scheme_limit(scheme: AnyScheme, most: f64) -> Option<f64> {
    let map = |omega: f64| {
        let system = oscillator(0.0).map_err(SpectrumError::Step)?;
        let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(&scheme, &system);
        Domain::new(scheme, system, omega, vec![0.0; nx], vec![0.0; nw]).map_err(SpectrumError::Step)
    };
    limit(map, most).ok().flatten()
}

/// Where a motion is largest.
pub struct Moves {
    /// Degree of freedom.
    pub dof: String,
    /// Substructure and whether it stands on the fine side, where there are any.
    pub substructure: Option<(String, bool)>,
    /// Share of the motion there: mass times the square of the amplitude, over all.
    pub share: f64,
}

/// The step limit that a substructure, or the whole, has by its own scheme.
pub struct OwnLimit {
    /// Substructure; empty for the whole.
    pub name: String,
    /// Its scheme.
    pub scheme: String,
    /// Largest Ω = ω dt of that scheme.
    pub omega_dt: f64,
    /// Its highest circular frequency, rad/s.
    pub omega_max: f64,
    /// Its own steps in one step of the analysis: below one where it steps over several.
    pub steps: f64,
}

impl OwnLimit {
    /// Largest step of the analysis, s.
    pub fn dt(&self) -> f64 {
        self.omega_dt / self.omega_max * self.steps
    }
}

/// Assembles a model, specimens behind their actuators, and says whether laws, or struts that turn, were replaced by their tangents at rest; the error is its first mistake.
///
/// They are where there is a specimen: compensators that differentiate would amplify what differences over a law do not get right.
pub fn assemble(model: Model) -> Result<(Simulation, bool), String> {
    let first =
        |problems: Vec<Problem>| problems.first().map_or_else(|| "the test cannot start".into(), |p| p.message.clone());
    let linear = if model.specimens.is_empty() { None } else { linearised(&model) };
    let turns = |a: &Actuator| matches!(a.lever, Lever::Strut(_));
    let small = linear.is_some() || model.specimens.iter().flat_map(|s| &s.actuators).any(turns);
    Simulation::in_workshop(linear.unwrap_or(model), &mut Probe).map(|machine| (machine, small)).map_err(first)
}

/// Place of the displacements in the complete state, and masses, part by part.
fn displacements(machine: &Simulation) -> Vec<(Range<usize>, Vec<f64>)> {
    let part = |i: usize| {
        let (start, masses) = (machine.coupling.range_of(i).start, machine.masses(i));
        (start..start + masses.len(), masses)
    };
    (0..machine.count()).map(part).collect()
}

/// Where a motion is largest; `None` where no displacement takes part in it.
pub fn moves(machine: &Simulation, motion: &Motion) -> Option<Moves> {
    let places = displacements(machine);
    let weight = |i: usize, mass: f64| motion.shape.get(i).map_or(0.0, |z| mass * (z.0 * z.0 + z.1 * z.1));
    let weights = places.iter().enumerate().flat_map(|(part, (range, masses))| {
        let one = move |(unknown, (i, mass)): (usize, (usize, &f64))| (part, unknown, weight(i, *mass));
        range.clone().zip(masses).enumerate().map(one)
    });
    let weights: Vec<(usize, usize, f64)> = weights.collect();
    let total: f64 = weights.iter().map(|w| w.2).sum();
    let &(part, unknown, largest) = weights.iter().max_by(|x, y| x.2.total_cmp(&y.2))?;
    if total <= 0.0 {
        return None;
    }
    let dof = machine.unknowns(part).nth(unknown)?.to_owned();
    let cut = machine.model.partition.is_some();
    let substructure = cut.then(|| (machine.part(part).name.clone(), machine.coupling.is_fine(part)));
    Some(Moves { dof, substructure, share: largest / total })
}

/// Limits of the schemes that have any.
pub fn own_limits(machine: &Simulation) -> Vec<OwnLimit> {
    let coarse = machine.model.partition.as_ref().map_or(1.0, |p| p.coarse_step());
    let limit = |i: usize| {
        let part = machine.part(i);
        let analysis = &part.model.analysis;
        let omega_dt = scheme_limit(analysis.scheme, UNCONDITIONAL)?;
        let omega_max = machine.omega_max(i).ok().filter(|w| *w > 0.0)?;
        let substeps = f64::from(part.substeps);
        let steps = if part.fine { substeps } else { substeps / coarse };
        Some(OwnLimit { name: part.name.clone(), scheme: analysis.scheme_name.clone(), omega_dt, omega_max, steps })
    };
    (0..machine.count()).filter_map(limit).collect()
}
