//! Laws that may turn stiff or push away: what their deformations went through between two looks.

use interfield_kernel::{Archive, Point};

use crate::assembled::Assembled;

/// One law of the deformation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    /// Least and largest deformation since the last look.
    range: [f64; 2],
    /// Stiffness at the start, N/m.
    initial: f64,
    /// Mass that it moves by itself, kg; infinite where it is held by none.
    mass: f64,
    /// Largest stiffness met, N/m, and when that was, s.
    pub(super) stiffest: [f64; 2],
    /// When it was first found to push away instead of back, s.
    pub(super) escaped: Option<f64>,
}

impl Curve {
    /// Circular frequency with which its mass swings on it where it turned stiffest.
    pub(super) fn omega(&self) -> Option<f64> {
        (self.stiffest[0] > 0.0 && self.mass.is_finite()).then(|| (self.stiffest[0] / self.mass).sqrt())
    }
}

/// All of a system.
pub(super) struct Events {
    pub(super) curves: Vec<Curve>,
    /// Deformations and rates now, and at the last look.
    now: Vec<[f64; 2]>,
    looked: Vec<[f64; 2]>,
    /// Energy in them at the last look, J, from the undeformed laws on.
    energy: f64,
}

impl Events {
    pub(super) fn new(system: &Assembled, at: Point<'_>) -> Self {
        let undeformed = vec![[0.0; 2]; system.curve_count()];
        let mut now = undeformed.clone();
        system.deformations(at.u, at.v, &mut now);
        let curve = |(q, (initial, mass)): (&[f64; 2], (f64, f64))| Curve {
            range: [q[0]; 2],
            initial,
            mass,
            stiffest: [0.0; 2],
            escaped: None,
        };
        let curves = now.iter().zip(system.curve_properties()).map(curve).collect();
        Events { curves, energy: system.static_work(at.t, &undeformed, &now), looked: now.clone(), now }
    }

    /// Saves or restores what was seen.
    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        let Events { curves, now, looked, energy } = self;
        for Curve { range, initial: _, mass: _, stiffest, escaped } in curves {
            archive.numbers(range.iter_mut().chain(stiffest));
            archive.option(escaped, 0.0, |archive, t| archive.number(t));
        }
        archive.numbers(now.as_flattened_mut().iter_mut().chain(looked.as_flattened_mut()).chain([energy]));
    }

    /// Notes where the laws are.
    pub(super) fn note(&mut self, system: &Assembled, at: Point<'_>) {
        system.deformations(at.u, at.v, &mut self.now);
        for (curve, [q, _]) in self.curves.iter_mut().zip(&self.now) {
            curve.range = [curve.range[0].min(*q), curve.range[1].max(*q)];
        }
    }

    /// Looks at the slopes over what was gone through since the last look.
    pub(super) fn look(&mut self, system: &Assembled, t: f64) {
        self.energy += system.static_work(t, &self.looked, &self.now);
        self.looked.copy_from_slice(&self.now);
        for (i, (curve, [q, _])) in self.curves.iter_mut().zip(&self.now).enumerate() {
            let [low, high] = curve.range;
            curve.range = [*q; 2];
            if let Some(slope) = system.steepest(i, t, [low, high], curve.initial).filter(|k| *k > curve.stiffest[0]) {
                curve.stiffest = [slope, t];
            }
            let (force, step) = (|q: f64| system.curve_force(i, t, q), 1e-3 * (high - low));
            // Away from where it is undeformed, and the more the further it goes.
            let escapes = |(q, inner): (f64, f64)| force(q) * q < 0.0 && (force(q) - force(inner)) / (q - inner) < 0.0;
            let ends = [(low, low + step), (high, high - step)];
            if step > 0.0 && curve.escaped.is_none() && curve.initial > 0.0 && ends.into_iter().any(escapes) {
                curve.escaped = Some(t);
            }
        }
    }

    /// Energy in all springs of a system where it was looked at last, J.
    pub(super) fn potential(&self, system: &mut Assembled, u: &[f64]) -> f64 {
        self.energy + system.elastic_energy(u)
    }
}
