//! What the modes of a model say: masses, participation factors, effective modal masses, and the modes that matter.
//!
//! Everything is about the small-amplitude motion around the initial state. With shapes φ scaled to φᵀMφ = 1 and ι the
//! rigid motion along a direction, the participation factor is Γ = φᵀMι (in √kg) and the effective modal mass Γ²
//! (Chopra, Dynamics of Structures, sec. 13.2); the effective masses of all modes add up to ιᵀMι.
//! **Must not be here:** text, advice, step sizes.

use interfield_linalg::EigenError;

use crate::Structure;
use interfield_language::model::short_name;
use interfield_language::model::{Load, Support};

/// Share of the mass that the modes which matter must reach together.
const MATTERS: f64 = 0.9;

/// A translation along which masses can be summed.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// Short name of its degrees of freedom, `x`.
    pub name: String,
    /// Mass that moves along it, kg: ιᵀMι over the free degrees of freedom.
    pub mass: f64,
    /// Whether a load, an imposed motion or an initial value acts along it.
    pub excited: bool,
    /// Participation factor of each mode, √kg.
    pub participation: Vec<f64>,
    /// Effective mass of each mode, kg.
    pub effective: Vec<f64>,
}

impl Direction {
    /// The last mode (from 0) needed to reach nine tenths of the mass; `None` if those found do not reach it.
    pub fn last_that_matters(&self) -> Option<usize> {
        let mut sum = 0.0;
        self.effective.iter().position(|m| {
            sum += m;
            sum >= MATTERS * self.mass * (1.0 - 1e-9) && self.mass > 0.0
        })
    }
}

/// Modes with what they carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Modal {
    /// Squared circular frequencies, ascending; zero for rigid motions, negative for unstable ones.
    pub omega2: Vec<f64>,
    /// Shapes over the unknowns, φᵀMφ = 1.
    pub shapes: Vec<Vec<f64>>,
    /// Unknown that moves most in each mode.
    pub moves_most: Vec<usize>,
    /// φᵀCφ of each mode, 1/s: twice its damping ratio times its circular frequency.
    pub damping: Vec<f64>,
    /// The directions, in the order of the model.
    pub directions: Vec<Direction>,
    /// Largest circular frequency, rad/s.
    pub omega_max: f64,
}

impl Modal {
    /// The lowest `count` modes of a structure about its initial state.
    pub fn new(structure: &Structure, count: usize) -> Result<Self, EigenError> {
        let modes = structure.modes(count)?;
        let (pattern, mass, _) = structure.matrices();
        let names: Vec<&str> = structure.unknowns().map(short_name).collect();
        let mut directions: Vec<Direction> = Vec::new();
        let nowhere = |dof: usize| structure.model.dofs[dof].angle || structure.model.is_generalised(dof);
        let own = structure.free().iter().zip(&names).filter(|(d, _)| !nowhere(**d)).map(|(_, name)| *name);
        // Insides of superelements may move where no unknown does.
        let inside = structure.model.superelements.iter().flat_map(|s| &s.inertia);
        for name in own.chain(inside.map(|i| i.direction.as_str())) {
            if directions.iter().any(|d| d.name == name) {
                continue;
            }
            let iota: Vec<f64> = names.iter().map(|n| f64::from(*n == name)).collect();
            let mut load = vec![0.0; iota.len()];
            pattern.mul(&mass, &iota, &mut load);
            // What superelements weigh beside what their kept unknowns show.
            let mut hidden = 0.0;
            for inertia in structure.model.inertia_inside(name, false) {
                hidden += inertia.mass;
                for (d, m) in &inertia.load {
                    if let Ok(i) = structure.free().binary_search(d) {
                        load[i] += m;
                        // Counted once: along the kept unknowns it is in the mass.
                        hidden -= m * iota[i];
                    }
                }
            }
            let dot = |x: &[f64]| -> f64 { x.iter().zip(&load).map(|(x, l)| x * l).sum() };
            let participation: Vec<f64> = modes.shapes.iter().map(|shape| dot(shape)).collect();
            directions.push(Direction {
                name: name.to_owned(),
                mass: dot(&iota) + hidden,
                excited: excited(structure, name),
                effective: participation.iter().map(|g| g * g).collect(),
                participation,
            });
        }
        // The first of those that move most, up to rounding: a rigid motion moves all alike.
        let largest = |shape: &Vec<f64>| {
            let most = shape.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            shape.iter().position(|x| x.abs() >= most * (1.0 - 1e-9)).unwrap_or(0)
        };
        let moves_most = modes.shapes.iter().map(largest).collect();
        let omega_max = structure.omega_max()?;
        let damping = modes.shapes.iter().map(|shape| structure.viscous(shape)).collect();
        Ok(Modal { omega2: modes.omega2, shapes: modes.shapes, moves_most, damping, directions, omega_max })
    }

    /// Viscous damping ratio of a mode; `None` for rigid and unstable ones.
    pub fn ratio(&self, mode: usize) -> Option<f64> {
        let omega2 = self.omega2.get(mode).filter(|w| **w > 0.0)?;
        Some(self.damping.get(mode)? / (2.0 * omega2.sqrt()))
    }

    /// The highest mode (from 0) that carries the motion along the excited directions; `None` where that is not known.
    pub fn last_that_matters(&self) -> Option<usize> {
        self.directions.iter().filter(|d| d.excited).filter_map(Direction::last_that_matters).max()
    }

    /// Period of a mode, s; `None` for rigid and unstable ones.
    pub fn period(&self, mode: usize) -> Option<f64> {
        self.omega2.get(mode).filter(|w| **w > 0.0).map(|w| std::f64::consts::TAU / w.sqrt())
    }
}

/// Whether something sets the structure in motion along a direction.
fn excited(structure: &Structure, name: &str) -> bool {
    let along = |dof: usize| structure.model.dofs.get(dof).is_some_and(|d| short_name(&d.name) == name);
    let loaded = structure.model.loads.iter().any(|l| match l {
        Load::Ground { direction, .. } => direction == name,
        Load::Force { dof, .. } => along(*dof),
    });
    loaded
        || structure.model.dofs.iter().any(|d| {
            let moves = d.u0 != 0.0 || d.v0 != 0.0 || matches!(d.support, Support::Imposed(_));
            moves && short_name(&d.name) == name
        })
}
