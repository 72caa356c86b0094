//! Harmonic response of a structure, and of each of its parts by itself: what moves, by how much, under a force of one at
//! one frequency.
//!
//! Everything is about the small-amplitude motion around the initial state, with all damping. At the interface of two parts
//! their dynamic stiffnesses add up, so that the receptances of the parts and of the coupled structure there fulfil
//! Y⁻¹ = Y_A⁻¹ + Y_B⁻¹, as matrices over all degrees of freedom of the interface.
//! **Must not be here:** text, plots.

use interfield_language::model::Model;
pub use interfield_linalg::{Complex, Modes};
use interfield_linalg::{ComplexFactor, EigenError, Pattern, Singular};

use crate::assemble::{Assembly, Place};
use crate::structure::Structure;

/// A structure, or a part of one, that moves harmonically.
pub struct Harmonic<'a> {
    assembly: &'a Assembly,
    model: &'a Model,
    /// Degrees of freedom of the part in the whole model; `None` of the whole structure.
    dofs: Option<&'a [usize]>,
    /// Of its matrices, with one more unknown for every damped mode.
    pattern: Pattern,
    /// Where each entry of the matrices is on it.
    places: Vec<usize>,
    factor: ComplexFactor,
}

/// Why there is no harmonic response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// It resonates without damping at this frequency; this degree of freedom moves.
    Structure(String),
    /// The states of this element do.
    Element(String),
}

impl std::fmt::Display for Unbounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unbounded::Structure(dof) => write!(f, "the motion of `{dof}` is unbounded: an undamped mode is excited"),
            Unbounded::Element(name) => write!(f, "the internal states of element `{name}` are unbounded"),
        }
    }
}

impl std::error::Error for Unbounded {}

/// A structure in one piece, or one of its parts by itself: its interface free, with the mass that the cut gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The structure with its parts coupled.
    Coupled,
    /// A part, by its number.
    Part(usize),
}

/// A natural frequency of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resonance {
    /// Circular frequency, rad/s.
    pub omega: f64,
    /// Viscous damping ratio.
    pub ratio: f64,
}

impl Structure {
    /// The coupled structure, then each of its parts; the structure alone if it is in one piece.
    pub fn bodies(&self) -> Vec<Body> {
        let parts = if self.model.partition.is_some() { self.parts.len() } else { 0 };
        std::iter::once(Body::Coupled).chain((0..parts).map(Body::Part)).collect()
    }

    /// Its name: `coupled`, or that of the part.
    pub fn name_of(&self, body: Body) -> &str {
        match body {
            Body::Coupled => "coupled",
            Body::Part(i) => &self.parts[i].sub.name,
        }
    }

    fn body(&self, body: Body) -> (&Assembly, &Model) {
        match body {
            Body::Coupled => (self.assembly(), &self.model),
            Body::Part(i) => (&self.parts[i].assembly, &self.parts[i].sub.model),
        }
    }

    /// Names of the unknowns of a body.
    pub fn unknowns_of(&self, body: Body) -> impl ExactSizeIterator<Item = &str> {
        let (assembly, model) = self.body(body);
        assembly.free.iter().map(|&d| model.dofs[d].name.as_str())
    }

    /// Lowest modes of a body about the initial state.
    ///
    /// # Errors
    /// When they were not found.
    pub fn modes_of(&self, body: Body, count: usize) -> Result<Modes, EigenError> {
        self.body(body).0.modes(count)
    }

    /// Natural frequencies of its lowest modes; rigid and unstable motions have none.
    ///
    /// # Errors
    /// When they were not found.
    pub fn resonances(&self, body: Body, count: usize) -> Result<Vec<Resonance>, EigenError> {
        let modes = self.modes_of(body, count)?;
        let system = &self.body(body).0.system;
        let one = |(omega2, shape): (&f64, &Vec<f64>)| {
            let omega = Some(omega2.sqrt()).filter(|w| *w > 0.0)?;
            Some(Resonance { omega, ratio: system.viscous(shape) / (2.0 * omega) })
        };
        Ok(modes.omega2.iter().zip(&modes.shapes).filter_map(one).collect())
    }

    /// The degrees of freedom of the interface, each once, in the order of the model.
    pub fn interface_dofs(&self) -> Vec<usize> {
        let mut dofs: Vec<usize> = self.interface.iter().map(|c| c.dof).collect();
        dofs.sort_unstable();
        dofs.dedup();
        dofs
    }

    /// Inertia of the unknowns of the coupled structure against the ground motion that is the `i`-th of its loads, kg.
    pub fn ground_forces(&self, i: usize) -> &[f64] {
        self.assembly().system.ground_load(i)
    }

    /// A body in harmonic motion.
    pub fn harmonic(&self, body: Body) -> Harmonic<'_> {
        let (assembly, model) = self.body(body);
        let dofs = match body {
            Body::Coupled => None,
            Body::Part(i) => Some(&self.parts[i].sub.dofs[..]),
        };
        Harmonic::new(assembly, model, dofs)
    }
}

/// Distances from a resonance at which its peak is drawn, in half widths.
const PEAK: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// Half width of a peak without damping, relative to its frequency: that far from it the response is bounded.
const SHARPEST: f64 = 1e-4;

/// Circular frequencies from `from` to `to`, rad/s: `points` of them evenly on a logarithmic scale, and more around
/// resonances, so that no peak falls between two of them.
pub fn frequencies(from: f64, to: f64, points: usize, resonances: &[Resonance]) -> Vec<f64> {
    let last = points.saturating_sub(1).max(1) as f64;
    let even = (0..points).map(|i| from * (to / from).powf(i as f64 / last));
    let around = resonances.iter().flat_map(|r| {
        let width = r.ratio.abs().max(SHARPEST);
        let top = (r.ratio.abs() >= SHARPEST).then_some(r.omega);
        let flanks = PEAK.into_iter().flat_map(move |x| [1.0 - x * width, 1.0 + x * width]);
        flanks.map(|x| x * r.omega).chain(top)
    });
    let mut all: Vec<f64> = even.chain(around.filter(|w| (from..=to).contains(w))).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

impl<'a> Harmonic<'a> {
    fn new(assembly: &'a Assembly, model: &'a Model, dofs: Option<&'a [usize]>) -> Self {
        let own = assembly.system.pattern();
        let (n, modal) = (own.n(), assembly.system.modal_damping());
        let entries = |i: usize| own.columns(i).iter().map(move |&j| (i, j as usize));
        // A damped mode c w wᵀ fills the matrix; with its own unknown z = √c wᵀu it only adds a row.
        let damped = modal
            .iter()
            .enumerate()
            .flat_map(|(m, (_, w))| w.iter().enumerate().filter(|(_, x)| **x != 0.0).map(move |(i, _)| (i, n + m)));
        let pattern = Pattern::new(n + modal.len(), (0..n).flat_map(entries).chain(damped));
        let places = (0..n).flat_map(entries).filter_map(|(i, j)| pattern.position(i, j)).collect();
        Harmonic { assembly, model, dofs, factor: ComplexFactor::new(&pattern), pattern, places }
    }

    /// The unknown that a degree of freedom of the whole model is here; `None` if it is not here, or is held.
    pub fn unknown(&self, dof: usize) -> Option<usize> {
        let local = self.dofs.map_or(Some(dof), |dofs| dofs.iter().position(|d| *d == dof))?;
        match self.assembly.places.get(local)? {
            Place::Free(i) => Some(*i),
            Place::Imposed(_) | Place::Fixed => None,
        }
    }

    /// Displacements (m, rad) of the unknowns under a force (N, N m) of one at unknown `forced`, at ω rad/s.
    ///
    /// # Errors
    /// When they are unbounded.
    pub fn response(&mut self, omega: f64, forced: usize) -> Result<Vec<Complex>, Unbounded> {
        let mut forces = vec![vec![(0.0, 0.0); self.assembly.system.pattern().n()]];
        forces[0][forced] = (1.0, 0.0);
        self.respond(omega, &mut forces)?;
        Ok(forces.remove(0))
    }

    /// The same for any forces on the unknowns, which become the displacements.
    ///
    /// # Errors
    /// When they are unbounded.
    pub fn respond(&mut self, omega: f64, forces: &mut [Vec<Complex>]) -> Result<(), Unbounded> {
        let system = &self.assembly.system;
        let (own, n) = (system.pattern(), system.pattern().n());
        let (mut k, mut c) = (vec![0.0; own.nnz()], vec![0.0; own.nnz()]);
        system
            .dynamic_stiffness(omega, &mut k, &mut c)
            .map_err(|e| Unbounded::Element(self.model.elements[self.assembly.looped[e]].name.clone()))?;
        let (mut re, mut im) = (vec![0.0; self.pattern.nnz()], vec![0.0; self.pattern.nnz()]);
        for (i, &p) in self.places.iter().enumerate() {
            (re[p], im[p]) = (k[i], c[i]);
        }
        for (m, (coefficient, w)) in system.modal_damping().iter().enumerate() {
            let root = coefficient.max(0.0).sqrt();
            let at = |i: usize, j: usize| self.pattern.position(i, j);
            at(n + m, n + m).into_iter().for_each(|p| re[p] = -1.0);
            for (i, x) in w.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                at(i, n + m).into_iter().for_each(|p| im[p] = omega * root * x);
                at(n + m, i).into_iter().for_each(|p| re[p] = root * x);
            }
        }
        let unbounded = |s: Singular| {
            let dof = self.assembly.free.get(s.row).map_or("", |&d| self.model.dofs[d].name.as_str());
            Unbounded::Structure(dof.to_owned())
        };
        self.factor.factorize(&re, &im).map_err(unbounded)?;
        for motion in forces {
            motion.resize(self.pattern.n(), (0.0, 0.0));
            self.factor.solve(motion).map_err(unbounded)?;
            motion.truncate(n);
        }
        Ok(())
    }
}
