//! A model as it would be run, seen as a step map whose state has names.

use std::ops::Range;

use interfield_analysis::oscillator::limit;
use interfield_analysis::spectrum::SpectrumError;
use interfield_analysis::stability::Motion;
use interfield_coupling::Method;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_lab::kinematics::Lever;
use interfield_language::Model;
use interfield_language::Problem;
use interfield_language::specimen::Actuator;
use interfield_structure::Machine;
use interfield_structure::assembled::oscillator;
use interfield_structure::linearised::linearised;
use interfield_structure::simulation::ModelDomain;
use interfield_structure::specimen::Probe;

/// A scheme that is stable up to this Ω = ω dt is taken to be so always.
pub(crate) const UNCONDITIONAL: f64 = 1e3;

/// Largest Ω = ω dt at which a scheme does not let the undamped oscillator grow, looked for up to `most`.
pub(crate) fn scheme_limit(scheme: AnyScheme, most: f64) -> Option<f64> {
    let map = |omega: f64| {
        let system = oscillator(0.0).map_err(SpectrumError::Step)?;
        let (nx, nw) = ModelDomain::memory(&scheme, &system);
        ModelDomain::new(scheme, system, omega, vec![0.0; nx], vec![0.0; nw]).map_err(SpectrumError::Step)
    };
    limit(map, most).ok().flatten()
}

/// Where a motion is largest.
pub(crate) struct Moves {
    /// Degree of freedom.
    pub dof: String,
    /// Substructure and whether it stands on the fine side, where there are any.
    pub substructure: Option<(String, bool)>,
    /// Share of the motion there: mass times the square of the amplitude, over all.
    pub share: f64,
}

/// The step limit that a substructure, or the whole, has by its own scheme.
pub(crate) struct OwnLimit {
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
    pub(crate) fn dt(&self) -> f64 {
        self.omega_dt / self.omega_max * self.steps
    }
}

/// Assembles a model, specimens behind their actuators, and says whether laws, or struts that turn, were replaced by their tangents at rest; the error is its first mistake.
///
/// They are where there is a specimen: compensators that differentiate would amplify what differences over a law do not get right.
pub(crate) fn assemble(model: Model, whole: bool) -> Result<(Machine, bool), String> {
    let first =
        |problems: Vec<Problem>| problems.first().map_or_else(|| "it cannot start".into(), |p| p.message.clone());
    let linear = if model.specimens.is_empty() { None } else { linearised(&model) };
    let turns = |a: &Actuator| matches!(a.lever, Lever::Strut(_));
    let small = linear.is_some() || model.specimens.iter().flat_map(|s| &s.actuators).any(turns);
    Machine::in_workshop(linear.unwrap_or(model), whole, &mut Probe).map(|machine| (machine, small)).map_err(first)
}

/// Place of the displacements in the complete state, and masses, part by part.
fn displacements(machine: &mut Machine) -> Vec<(Range<usize>, Vec<f64>)> {
    match machine {
        Machine::Whole(sim) => {
            let masses = sim.masses();
            vec![(0..masses.len(), masses)]
        }
        Machine::Parts(parts) => (0..parts.coupling.count())
            .map(|i| {
                let (start, masses) = (parts.coupling.range_of(i).start, parts.masses(i));
                (start..start + masses.len(), masses)
            })
            .collect(),
    }
}

/// Where a motion is largest; `None` where no displacement takes part in it.
pub(crate) fn moves(machine: &mut Machine, motion: &Motion) -> Option<Moves> {
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
    let (dof, substructure) = match machine {
        Machine::Whole(sim) => (sim.unknowns().nth(unknown)?.to_owned(), None),
        Machine::Parts(parts) => {
            let name = parts.names().nth(part)?.to_owned();
            (parts.unknowns(part).nth(unknown)?.to_owned(), Some((name, parts.coupling.is_fine(part))))
        }
    };
    Some(Moves { dof, substructure, share: largest / total })
}

/// Limits of the schemes that have any.
pub(crate) fn own_limits(machine: &mut Machine) -> Vec<OwnLimit> {
    match machine {
        Machine::Whole(sim) => {
            let analysis = &sim.model.analysis;
            let limit = scheme_limit(analysis.scheme, UNCONDITIONAL).and_then(|omega_dt| {
                let omega_max = sim.omega_max().ok().filter(|w| *w > 0.0)?;
                let scheme = analysis.scheme_name.clone();
                Some(OwnLimit { name: String::new(), scheme, omega_dt, omega_max, steps: 1.0 })
            });
            limit.into_iter().collect()
        }
        Machine::Parts(parts) => {
            let Some(partition) = parts.model.partition.clone() else { return Vec::new() };
            // Steps of the analysis that the coarse side takes at once.
            let window = match partition.coupling.method {
                Method::Pmc(options) => options.windows as f64,
                Method::Pm => 2.0,
                _ => 1.0,
            };
            let mut limits = Vec::new();
            for (i, s) in partition.substructures.iter().enumerate() {
                let Some(omega_dt) = scheme_limit(s.scheme, UNCONDITIONAL) else { continue };
                let Some(omega_max) = parts.omega_max(i).ok().filter(|w| *w > 0.0) else { continue };
                let steps = if s.fine { f64::from(s.substeps) } else { f64::from(s.substeps) / window };
                let (name, scheme) = (s.name.clone(), s.scheme_name.clone());
                limits.push(OwnLimit { name, scheme, omega_dt, omega_max, steps });
            }
            limits
        }
    }
}
