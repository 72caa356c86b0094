//! Before a run: a bound of the error of the response to harmonic loads, of the structure as it is at rest (book: reduction 3).
//!
//! With the receptance H of the reduced structure between kept degrees of freedom, and the dynamic stiffness of the interface wrong by at most
//! ΔZ, the motion by a load is wrong by at most |H| |φ| / (1 − |H| |ΔZ|), where φ is what the interface force is wrong by under the motion of
//! the reduced structure. All of it in the energies of the static stiffness of each kept degree of freedom.

use interfield_language::model::{Kind, Load};
use interfield_language::reduction::{Acting, Superelement};
use interfield_linalg::Complex;
use interfield_linalg::reduction as numeric;

use super::bound;
use crate::harmonic::{Body, Harmonic};
use crate::structure::Structure;

/// Most unknowns of a structure whose response is bounded: each frequency takes a factor of a complex matrix.
const MOST: usize = 400;
/// Most resonances that are looked at, and frequencies between them.
const RESONANCES: usize = 32;
const BETWEEN: usize = 8;
/// Most loads.
const LOADS: usize = 8;

impl Structure {
    /// What the motion of the interface of a superelement under a harmonic load of the model up to the frequency of interest is wrong by at
    /// most, as a share of the largest such motion; of the structure at rest. Infinite where nothing can be promised, none where the structure
    /// is too large, the interface is free, or nothing acts.
    pub(crate) fn response_error(&self, told: &Superelement) -> Option<f64> {
        let bound = bound(told)?;
        if self.free().len() > MOST || told.elements.len() != 1 {
            return None;
        }
        let mut harmonic = self.harmonic(Body::Coupled);
        let loads = self.harmonic_loads(told, &harmonic);
        if loads.is_empty() {
            return None;
        }
        let Kind::Linear { stiffness, dofs, .. } = &self.model.elements[told.elements[0]].kind else { return None };
        let (nb, size) = (told.kept.len(), dofs.len());
        let unit: Vec<f64> =
            (0..nb).map(|b| stiffness[b * size + b]).map(|k| if k > 0.0 { k.sqrt().recip() } else { 0.0 }).collect();
        let kept: Vec<Option<usize>> = told.kept.iter().map(|&d| harmonic.unknown(d)).collect();
        let rayleigh = self.assembly().rayleigh.unwrap_or_default();
        let top = std::f64::consts::TAU * told.asked.frequency;
        let resonances = self.resonances(Body::Coupled, RESONANCES.min(self.free().len())).ok()?;
        let even = (1..=BETWEEN).map(|i| top * i as f64 / BETWEEN as f64);
        let (mut lost, mut most) = (vec![0.0f64; loads.len()], vec![0.0f64; loads.len()]);
        for omega in resonances.iter().map(|r| r.omega).filter(|w| *w < top).chain(even) {
            let Some(one) = at(&mut harmonic, (omega, rayleigh), (&bound, &unit, &kept), &loads) else {
                return Some(f64::INFINITY);
            };
            for ((l, m), (error, motion)) in lost.iter_mut().zip(&mut most).zip(one) {
                (*l, *m) = (l.max(error), m.max(motion));
            }
        }
        lost.iter().zip(&most).filter(|s| *s.1 > 0.0).map(|(l, m)| l / m).reduce(f64::max)
    }

    /// Each load of the model as forces on the unknowns, and as what the superelement knows of it.
    fn harmonic_loads(&self, told: &Superelement, harmonic: &Harmonic<'_>) -> Vec<(Vec<f64>, Vec<f64>)> {
        let known = told.remainder.as_ref().map_or(&[][..], |r| r.loads.as_slice());
        let (n, mut grounds) = (self.free().len(), 0);
        let mut out: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for load in &self.model.loads {
            let (mut forces, mut inside) = (vec![0.0; n], vec![0.0; known.len()]);
            match load {
                Load::Ground { direction, supports, .. } => {
                    forces.iter_mut().zip(self.ground_forces(grounds)).for_each(|(f, m)| *f = -m);
                    grounds += 1;
                    let same = |l: &&Acting| matches!(l, Acting::Ground { direction: d, supports: s } if d == direction && s == supports);
                    known.iter().zip(&mut inside).filter(|(l, _)| same(l)).for_each(|(_, x)| *x = -1.0);
                }
                Load::Force { dof, .. } => harmonic.unknown(*dof).into_iter().for_each(|i| forces[i] = 1.0),
            }
            if out.len() < LOADS && forces.iter().any(|f| *f != 0.0) && out.iter().all(|o| o.0 != forces) {
                out.push((forces, inside));
            }
        }
        out
    }
}

/// For each load, what the interface motion is wrong by, and the motion.
fn at(
    harmonic: &mut Harmonic<'_>,
    (omega, rayleigh): (f64, [f64; 2]),
    (bound, unit, kept): (&numeric::Bound, &[f64], &[Option<usize>]),
    loads: &[(Vec<f64>, Vec<f64>)],
) -> Option<Vec<(f64, f64)>> {
    let damped = bound.damped(omega, rayleigh)?;
    let force = damped.force(unit).ok()?;
    let n = loads.first().map_or(0, |l| l.0.len());
    let ports: Vec<(usize, usize)> =
        kept.iter().enumerate().filter_map(|(b, i)| Some((b, (*i)?))).filter(|p| unit[p.0] > 0.0).collect();
    let single =
        |&(_, i): &(usize, usize)| (0..n).map(|j| (f64::from(u8::from(i == j)), 0.0)).collect::<Vec<Complex>>();
    let mut right: Vec<Vec<Complex>> = ports.iter().map(single).collect();
    right.extend(loads.iter().map(|l| l.0.iter().map(|f| (*f, 0.0)).collect()));
    harmonic.respond(omega, &mut right).ok()?;
    let size = |z: Complex| z.0 * z.0 + z.1 * z.1;
    let receptance = ports
        .iter()
        .zip(&right)
        .flat_map(|(&(b, _), moved)| ports.iter().map(move |&(a, i)| size(moved[i]) / (unit[a] * unit[b]).powi(2)));
    let receptance = receptance.sum::<f64>().sqrt();
    let left = 1.0 - receptance * damped.stiffness(force);
    if left.is_nan() || left <= 0.0 {
        return None;
    }
    let each = right[ports.len()..].iter().zip(loads).map(|(moved, (_, inside))| {
        let motion: Vec<Complex> = kept.iter().map(|i| i.map_or((0.0, 0.0), |i| moved[i])).collect();
        let inside: Vec<Complex> = inside.iter().map(|f| (*f, 0.0)).collect();
        let motion_size = ports.iter().map(|&(b, i)| size(moved[i]) / unit[b].powi(2)).sum::<f64>().sqrt();
        (receptance * force * damped.unbalanced(&motion, &inside) / left, motion_size)
    });
    Some(each.collect())
}
