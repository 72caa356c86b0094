//! What a run shows of the error of its superelements: the static answer to what their motion leaves unbalanced inside, by energy.
//!
//! At fifty instants of the run three neighbouring displacements are kept; after it, velocities and accelerations are their differences. With
//! these the residual inside is known, and the energy of K⁻¹ times it by the Gram matrix of the bound: no factor is needed any more.

use interfield_coupling::Coupling;
use interfield_kernel::{Archive, Persist};
use interfield_language::model::{Kind, Load, Model, Support};
use interfield_language::reduction::{Acting, Superelement};

use super::bound;
use crate::assembled::Assembled;

/// Instants of a run that are looked at.
const INSTANTS: u64 = 50;

/// Where a degree of freedom of a superelement is.
enum Home {
    /// Part and unknown.
    Unknown(usize, usize),
    /// It moves as told.
    Imposed(usize),
    Still,
}

/// Looks at the superelements of a run.
pub(crate) struct Onlooker {
    /// Superelements that have a bound, with their homes and samples.
    each: Vec<Looked>,
    rayleigh: [f64; 2],
    /// Steps between two instants.
    stride: u64,
    dt: f64,
}

struct Looked {
    number: usize,
    homes: Vec<Home>,
    /// Three displacements of each instant.
    samples: Vec<f64>,
    /// Steps that were noted.
    noted: Vec<f64>,
}

/// What a run shows of a superelement.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// Energy of the static answer to what is not balanced, as a share of that of the motion: the root. An indicator from below.
    pub residual: f64,
}

impl Shown {
    /// What is promised: three times the indicator, because it was between 0.31 and 1.14 of the true error of energy on four frames.
    pub fn error(&self) -> f64 {
        3.0 * self.residual
    }
}

impl Onlooker {
    /// `homes`: part and unknown of every degree of freedom of the model.
    pub(crate) fn new(model: &Model, homes: &[Option<(usize, usize)>], rayleigh: Option<[f64; 2]>) -> Option<Self> {
        let steps = model.analysis.steps();
        if model.analysis.statics || steps < 3 {
            return None;
        }
        let stride = (steps / INSTANTS).max(3);
        let instants = (steps / stride) as usize + 1;
        let home = |d: usize| match (homes[d], &model.dofs[d].support) {
            (Some((part, unknown)), _) => Home::Unknown(part, unknown),
            (None, Support::Imposed(_)) => Home::Imposed(d),
            (None, _) => Home::Still,
        };
        let one = |(number, s): (usize, &Superelement)| {
            s.remainder.as_ref()?;
            let homes: Vec<Home> = s.kept.iter().chain(&s.generalised).map(|&d| home(d)).collect();
            Some(Looked {
                number,
                samples: vec![0.0; instants * 3 * homes.len()],
                noted: vec![0.0; instants * 3],
                homes,
            })
        };
        let each: Vec<Looked> = model.superelements.iter().enumerate().filter_map(one).collect();
        let dt = model.analysis.dt;
        (!each.is_empty()).then(|| Onlooker { each, rayleigh: rayleigh.unwrap_or_default(), stride, dt })
    }

    /// After `done` steps. Does not allocate.
    pub(crate) fn note(&mut self, model: &Model, coupling: &dyn Coupling<Assembled>, done: u64) {
        let (instant, phase) = ((done / self.stride) as usize, (done % self.stride) as usize);
        if phase > 2 {
            return;
        }
        for looked in &mut self.each {
            let (size, place) = (looked.homes.len(), 3 * instant + phase);
            let Some(noted) = looked.noted.get_mut(place) else { continue };
            *noted = 1.0;
            for (home, x) in looked.homes.iter().zip(&mut looked.samples[place * size..(place + 1) * size]) {
                *x = match *home {
                    Home::Unknown(part, unknown) => coupling.state_of(part)[unknown],
                    Home::Imposed(d) => match &model.dofs[d].support {
                        Support::Imposed(motion) => motion.at(done as f64 * self.dt)[0],
                        _ => 0.0,
                    },
                    Home::Still => 0.0,
                };
            }
        }
    }

    /// What was seen of each.
    pub(crate) fn shown(&self, model: &Model) -> Vec<Shown> {
        self.each.iter().filter_map(|looked| self.shown_of(model, looked)).collect()
    }

    fn shown_of(&self, model: &Model, looked: &Looked) -> Option<Shown> {
        let told = &model.superelements[looked.number];
        let (bound, remainder) = (bound(told)?, told.remainder.as_ref()?);
        let (size, nb) = (looked.homes.len(), told.kept.len());
        let first = nb + told.generalised.len() - remainder.residual.len();
        let [a0, a1] = self.rayleigh;
        let (mut error, mut all) = (0.0, 0.0);
        for (instant, noted) in looked.noted.chunks_exact(3).enumerate() {
            if noted.contains(&0.0) {
                continue;
            }
            let at = |phase: usize| &looked.samples[(3 * instant + phase) * size..][..size];
            let (before, now, after) = (at(0), at(1), at(2));
            let velocity = |i: usize| (after[i] - before[i]) / (2.0 * self.dt);
            let acceleration = |i: usize| ((after[i] - now[i]) - (now[i] - before[i])) / (self.dt * self.dt);
            let inertia = |i: usize| -(acceleration(i) + a0 * velocity(i));
            let t = (instant as u64 * self.stride + 1) as f64 * self.dt;
            let sources: Vec<f64> =
                (0..nb).map(inertia).chain(remainder.loads.iter().map(|l| acting(model, l, t))).collect();
            let each = || remainder.scale.iter().enumerate().map(|(j, s)| (first + j, *s));
            let stiff: Vec<f64> = each().map(|(i, s)| -s * (now[i] + a1 * velocity(i))).collect();
            let inert: Vec<f64> = each().map(|(i, s)| s * inertia(i)).collect();
            error += bound.unbalanced(&sources, &stiff, &inert);
            all += told.elements.iter().map(|&e| strain(&model.elements[e].kind, now)).sum::<f64>();
        }
        (all > 0.0).then(|| Shown { name: told.name.clone(), residual: (error / all).sqrt() })
    }
}

/// What a load is multiplied by at a time.
fn acting(model: &Model, load: &Acting, t: f64) -> f64 {
    let Acting::Ground { direction, supports } = load else { return 1.0 };
    let moved = model.loads.iter().map(|l| match l {
        Load::Ground { direction: d, supports: s, signal } if d == direction && s == supports => signal.value(t),
        _ => 0.0,
    });
    -moved.sum::<f64>()
}

/// Twice the strain energy of an element of matrices.
fn strain(kind: &Kind, u: &[f64]) -> f64 {
    let Kind::Linear { stiffness, .. } = kind else { return 0.0 };
    let row = |k: &[f64]| k.iter().zip(u).map(|(k, u)| k * u).sum::<f64>();
    stiffness.chunks_exact(u.len()).zip(u).map(|(k, u)| u * row(k)).sum()
}

impl Persist for Onlooker {
    fn persist(&mut self, archive: &mut dyn Archive) {
        for looked in &mut self.each {
            archive.numbers(&mut looked.samples);
            archive.numbers(&mut looked.noted);
        }
    }
}
