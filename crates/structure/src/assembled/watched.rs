//! What a watch over a run asks: energies that are functions of the state, loads, and laws that may turn stiff.

use interfield_kernel::element::Tangent;

use super::Assembled;
use super::element::{Entry, Stored, gather};
use super::energy::mean_force;
use interfield_language::signal::Signal;

/// A law this much stiffer than at the start has turned stiff.
const STIFFER: f64 = 2.0;
/// Slopes are looked at in so many places of a range, and over this share of it.
const LOOKS: usize = 9;
const SHORT: f64 = 1e-3;

impl Assembled {
    /// Whether energies are functions of the state, but for laws and dampers that can only take them: nothing is moved from
    /// outside, no mass depends on the configuration, no element was written or measured by anybody else.
    pub(crate) fn is_plain(&self) -> bool {
        let own = |e: &Entry| !e.massive && matches!(e.law, Stored::Law(_) | Stored::Path(_));
        self.measured.is_empty() && self.motions.is_empty() && self.elements.iter().all(own)
    }

    /// Whether nothing takes energy: no damping, and all elements springs and stops without dashpots.
    pub(crate) fn is_conservative(&self) -> bool {
        let undamped = |e: &Entry| [-1e9, -1.0, 0.0, 1.0, 1e9].iter().all(|q| tangent(&e.law, *q)[1] == 0.0);
        !self.is_damped()
            && self.curves.len() == self.elements.len()
            && self.curves.iter().all(|&e| undamped(&self.elements[e]))
    }

    /// Signals of the loads, and the linear forms of the displacements on which they work.
    pub(crate) fn load_forms(&self) -> Vec<(Vec<(usize, f64)>, Signal)> {
        let forces = self.forces.iter().map(|(dof, signal)| (vec![(*dof, 1.0)], signal.clone()));
        let ground = |load: &[f64]| load.iter().enumerate().filter(|l| *l.1 != 0.0).map(|(i, l)| (i, -l)).collect();
        forces.chain(self.grounds.iter().map(|g| (ground(&g.load), g.signal.clone()))).collect()
    }

    /// ½ uᵀ K u of the constant matrices.
    pub(crate) fn elastic_energy(&mut self, u: &[f64]) -> f64 {
        self.pattern.mul(&self.stiffness, u, &mut self.scratch.x);
        0.5 * self.scratch.x.iter().zip(u).map(|(f, u)| f * u).sum::<f64>()
    }

    /// The most that hysteretic laws can give back at the start, from forces p at deformations q: |p q| + p²/2k.
    pub(crate) fn stored_at_start(&self, t: f64, u: &[f64], s: &[f64]) -> f64 {
        let mut sum = 0.0;
        for e in self.elements.iter().filter(|e| e.d == 1 && (e.s > 0 || matches!(e.law, Stored::Path(_)))) {
            let q = gather(self.row(e, 0), u, &self.imposed[0]);
            let (mut p, mut g) = ([0.0], vec![0.0; e.s]);
            match &e.law {
                Stored::Path(law) => p[0] = law.force(law.come(q)),
                law => law.response(t, &[q], &[0.0], &s[e.state0..e.state0 + e.s], &mut p, &mut g),
            }
            let [k, _, r, _, b, _, _] = e.blocks(&self.tangents);
            let tangent = k[0] + r.iter().zip(b).map(|(r, b)| r * b).sum::<f64>();
            let stiffness = e.held.map_or(tangent, |held| held.law[0]);
            sum += (p[0] * q).abs() + if stiffness > 0.0 { p[0] * p[0] / (2.0 * stiffness) } else { 0.0 };
        }
        sum
    }

    /// Work that springs and stops, without their dashpots, take on the ways `from` .. `to`.
    pub(crate) fn static_work(&self, t: f64, from: &[[f64; 2]], to: &[[f64; 2]]) -> f64 {
        let ways = self.curves.iter().zip(from.iter().zip(to));
        ways.map(|(&e, ([a, _], [b, _]))| mean_force(&self.elements[e].law, t, [*a, 0.0], [*b, 0.0])[0] * (b - a)).sum()
    }

    /// Static force of law `i` of those at the deformation `q`.
    pub(crate) fn curve_force(&self, i: usize, t: f64, q: f64) -> f64 {
        let mut p = [0.0];
        self.elements[self.curves[i]].law.response(t, &[q], &[0.0], &[], &mut p, &mut []);
        p[0]
    }

    /// Largest slope of law `i` of those between two deformations, N/m, if it turned stiff there: steeper than at the start,
    /// where it was `initial`.
    pub(crate) fn steepest(&self, i: usize, t: f64, [low, high]: [f64; 2], initial: f64) -> Option<f64> {
        let step = SHORT * (high - low);
        let slope = |look: usize| {
            let from = low + (high - low - step) * look as f64 / (LOOKS - 1) as f64;
            (self.curve_force(i, t, from + step) - self.curve_force(i, t, from)) / step
        };
        let most = (0..LOOKS).map(slope).fold(0.0, f64::max);
        (step > 0.0 && most > STIFFER * initial.abs()).then_some(most)
    }

    /// The element in the loop that law `i` of those is.
    pub(crate) fn curve_element(&self, i: usize) -> usize {
        self.curves[i]
    }

    /// Stiffness of these laws at the last linearisation, and the mass 1/(B M⁻¹ Bᵀ) that each moves, by the diagonal of the
    /// mass matrix; infinite where a mass is missing: it follows without swinging.
    pub(crate) fn curve_properties(&self) -> Vec<(f64, f64)> {
        let mass = |i: usize| self.pattern.position(i, i).map_or(0.0, |p| self.mass[p]);
        let property = |&e: &usize| {
            let e = &self.elements[e];
            let free = self.row(e, 0).iter().filter(|r| (r.0 as usize) < self.n && r.1 != 0.0);
            let masses: Vec<f64> = free.clone().map(|r| mass(r.0 as usize)).collect();
            let flexibility: f64 = free.zip(&masses).map(|((_, f), m)| f * f / m).sum();
            let swings = flexibility > 0.0 && masses.iter().all(|m| *m > 0.0);
            let stiffness = e.held.map_or(self.tangents[e.tangent0], |held| held.law[0]);
            (stiffness, if swings { 1.0 / flexibility } else { f64::INFINITY })
        };
        self.curves.iter().map(property).collect()
    }

    /// The unknown in which most of the energy ½ vᵀ M v + ½ uᵀ K u is.
    pub(crate) fn liveliest(&mut self, u: &[f64], v: &[f64]) -> usize {
        let work = &mut self.scratch;
        self.pattern.mul(&self.mass, v, &mut work.x);
        self.pattern.mul(&self.stiffness, u, &mut work.y);
        let share = |i: usize| (work.x[i] * v[i]).abs() + (work.y[i] * u[i]).abs();
        (0..self.n).max_by(|&i, &j| share(i).total_cmp(&share(j))).unwrap_or(0)
    }
}

/// Stiffness and damping of a law of one deformation at `q`.
fn tangent(law: &Stored, q: f64) -> [f64; 2] {
    let (mut k, mut c) = ([0.0], [0.0]);
    let out = Tangent { k: &mut k, c: &mut c, r: &mut [], a: &mut [], b: &mut [], e: &mut [] };
    law.tangent(0.0, &[q], &[0.0], &[], &[0.0], out);
    [k[0], c[0]]
}
