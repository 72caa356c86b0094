//! Laws that a coupling computes apart from the system: which they are, how they are moved, and what stands in their place.
//!
//! Hysteretic laws of one deformation are moved along their path, whether a scheme would integrate their states or not; springs
//! that soften need no memory. What can turn stiffer than at rest (stops, hardening springs), has several coordinates
//! (members, bearings), carries mass, depends on time or rate, or ends at an unknown without mass stays in the system.

use interfield_kernel::element::path::{MEMORY, PathLaw};
use interfield_kernel::element::{AnyLaw, Element, Tangent};
use interfield_kernel::fault::Place;
use interfield_kernel::{Fault, Point, Shift, SlowLaws};
use interfield_language::model::TangentPolicy;

use super::Assembled;
use super::element::{Entry, Stored, gather};

/// Numbers that a system remembers of a given force: W, its slope, and the time of W.
const GIVEN: usize = 3;

/// How a law is computed apart.
#[derive(Clone, Copy)]
enum Apart {
    /// Along its path.
    Path(PathLaw),
    /// As a function of its deformation.
    Curve(AnyLaw),
}

/// A law that can be computed apart.
#[derive(Clone, Copy)]
pub(super) struct SlowLaw {
    element: usize,
    law: Apart,
    /// Initial stiffness, and the dashpot of its own.
    k: f64,
    c: f64,
}

/// Whether a law can be computed apart, of however it is written.
pub(crate) fn is_slow(law: &AnyLaw) -> bool {
    PathLaw::of(law).is_some() || (law.softens() && law.size().0 == 1)
}

impl SlowLaw {
    /// The law of element number `element`, if it can be computed apart.
    pub(super) fn of(element: usize, e: &Entry, policy: TangentPolicy) -> Option<Self> {
        let (law, k, c) = match &e.law {
            Stored::Path(law) => (Apart::Path(*law), law.stiffness(), 0.0),
            Stored::Law(law) => match PathLaw::of(law) {
                Some(path) => (Apart::Path(path), path.stiffness(), 0.0),
                None if law.softens() && e.d == 1 => {
                    let (mut k, mut c) = ([0.0], [0.0]);
                    let out = Tangent { k: &mut k, c: &mut c, r: &mut [], a: &mut [], b: &mut [], e: &mut [] };
                    law.tangent(0.0, &[0.0], &[0.0], &[], &[0.0], out);
                    (Apart::Curve(*law), k[0], c[0])
                }
                None => return None,
            },
            _ => return None,
        };
        // An estimate of the stiffness is what the operators are to have: an upper bound where it is larger.
        let given = e.given.as_ref().filter(|_| policy == TangentPolicy::Given).map_or(k, |[k, _]| k[0]);
        Some(SlowLaw { element, law, k: k.max(given), c })
    }

    fn memory(&self) -> usize {
        match self.law {
            Apart::Path(_) => MEMORY,
            Apart::Curve(_) => 0,
        }
    }

    /// Force at `x`, where it moves from `z`.
    fn follow(&self, x: f64, z: &mut [f64]) -> f64 {
        match &self.law {
            Apart::Path(law) => {
                let now = law.moved([z[0], z[1]], x);
                z.copy_from_slice(&now);
                law.force(now)
            }
            Apart::Curve(law) => {
                let mut p = [0.0];
                law.response(0.0, &[x], &[0.0], &[], &mut p, &mut []);
                p[0]
            }
        }
    }
}

/// What stands in the place of a law that is computed elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Its dashpot with that of the law, N s/m.
    pub dashpot: f64,
    /// Initial stiffness of the law, N/m, and its own dashpot, N s/m.
    pub law: [f64; 2],
    /// Where its given force stands in the memory of the system.
    pub memory0: usize,
}

impl Assembled {
    /// Force of the dashpot and the given force.
    pub(super) fn held_force(
        &self,
        (e, held): (&Entry, Held),
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        memory: &[f64],
        r: &mut [f64],
        g: &mut [f64],
    ) -> Option<Place> {
        let row = self.row(e, 0);
        let mut rate = gather(row, at.v, &self.imposed[1]);
        if let Some(d) = shift {
            rate += gather(row, d.v, &[]);
        }
        let given = &memory[held.memory0..held.memory0 + GIVEN];
        let p = given[0] + given[1] * (at.t - given[2]) + held.dashpot * rate;
        g[e.state0..e.state0 + e.s].fill(0.0);
        for &(i, f) in row {
            if let Some(r) = r.get_mut(i as usize) {
                *r += f * p;
            }
        }
        (!p.is_finite()).then_some(Place::ElementForce)
    }

    /// The elements, counted in the loop, that are evaluated with the system where laws are computed apart; but for dampers, which
    /// belong there.
    pub(crate) fn not_apart(&self) -> impl Iterator<Item = usize> {
        let stays = |e: &usize| !matches!(self.elements[*e].law, Stored::Law(AnyLaw::Damper(_) | AnyLaw::Spring(_)));
        (0..self.elements.len()).filter(|e| self.slow.iter().all(|law| law.element != *e)).filter(stays)
    }

    /// The elements, counted in the loop, whose laws can be computed apart.
    pub(super) fn slow_elements(&self) -> impl Iterator<Item = usize> {
        self.slow.iter().map(|law| law.element)
    }

    /// Row of the deformation of a law.
    fn slow_row(&self, law: &SlowLaw) -> &[(u32, f64)] {
        self.row(&self.elements[law.element], 0)
    }
}

impl SlowLaws for Assembled {
    fn size(&self) -> [usize; 2] {
        [self.slow.len(), self.slow.iter().map(SlowLaw::memory).sum()]
    }

    fn stiffness(&self, x: &[f64], f: &mut [f64]) {
        for ((law, x), f) in self.slow.iter().zip(x).zip(f) {
            *f = law.k * x;
        }
    }

    fn motion(&mut self, at: Point<'_>, x: &mut [f64], y: &mut [f64]) {
        self.set_time(at.t);
        for (i, law) in self.slow.iter().enumerate() {
            let row = self.slow_row(law);
            (x[i], y[i]) = (gather(row, at.u, &self.imposed[0]), gather(row, at.v, &self.imposed[1]));
        }
    }

    fn accelerations(&mut self, t: f64, a: &[f64], out: &mut [f64]) {
        self.set_time(t);
        for (law, out) in self.slow.iter().zip(out) {
            *out = gather(self.slow_row(law), a, &self.imposed[2]);
        }
    }

    fn memory(&mut self, at: Point<'_>, mut z: &mut [f64]) {
        self.set_time(at.t);
        for law in &self.slow {
            let e = &self.elements[law.element];
            let (own, rest) = z.split_at_mut(law.memory());
            match (law.law, e.s) {
                (Apart::Curve(_), _) => {}
                (Apart::Path(_), 0) => own.copy_from_slice(&self.memory[e.memory0..e.memory0 + MEMORY]),
                (Apart::Path(_), _) => {
                    own.copy_from_slice(&[gather(self.row(e, 0), at.u, &self.imposed[0]), at.s[e.state0]]);
                }
            }
            z = rest;
        }
    }

    fn follow(&self, x: &[f64], mut z: &mut [f64], f: &mut [f64]) -> Result<(), Fault> {
        let mut fault = None;
        for (i, law) in self.slow.iter().enumerate() {
            let (own, rest) = z.split_at_mut(law.memory());
            f[i] = law.follow(x[i], own);
            if !f[i].is_finite() {
                fault.get_or_insert(Fault::NonFinite { place: Place::ElementForce, index: law.element });
            }
            z = rest;
        }
        fault.map_or(Ok(()), Err)
    }

    fn detach(&mut self, half: f64) {
        for law in &self.slow {
            let e = &mut self.elements[law.element];
            let (dashpot, memory0) = (law.c + half * law.k, self.memory.len());
            e.held = Some(Held { dashpot, law: [law.k, law.c], memory0 });
            self.memory.resize(memory0 + GIVEN, 0.0);
            let tangents = &mut self.tangents[e.tangent0..e.tangent0 + 2 + 3 * e.s + e.s * e.s];
            tangents.fill(0.0);
            tangents[1] = dashpot;
        }
        self.scratch.memory.resize(self.memory.len(), 0.0);
    }

    fn drive(&mut self, (t, h): (f64, f64), from: &[f64], to: &[f64]) {
        for (i, law) in self.slow.iter().enumerate() {
            if let Some(held) = self.elements[law.element].held {
                let given = [from[i], (to[i] - from[i]) / h, t];
                self.memory[held.memory0..held.memory0 + GIVEN].copy_from_slice(&given);
            }
        }
    }

    fn show(&mut self, mut z: &[f64], s: &mut [f64]) {
        for law in &self.slow {
            let (own, rest) = z.split_at(law.memory());
            let e = &self.elements[law.element];
            match own {
                [] => {}
                own if e.s == 0 => self.memory[e.memory0..e.memory0 + MEMORY].copy_from_slice(own),
                own => s[e.state0] = own[1],
            }
            z = rest;
        }
    }
}
