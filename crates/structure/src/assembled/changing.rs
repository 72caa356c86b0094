//! Laws whose parameters change between steps: what a law may become, and what the operators of a scheme were built for.

use interfield_kernel::element::path::PathLaw;
use interfield_kernel::element::{AnyLaw, Element as _};
use interfield_kernel::{Point, System};

use super::element::{Stored, gather};
use super::{Assembled, Entry};

/// Part of the stability limit of a constant operator, 4 m/h² beyond its stiffness, that is used.
const SHARE: f64 = 0.5;

impl Assembled {
    /// Whether the law of an element may change: one coordinate, computed with the system.
    pub(crate) fn can_change(&self, e: usize) -> bool {
        let e = &self.elements[e];
        e.d == 1 && e.held.is_none() && matches!(e.law, Stored::Law(_) | Stored::Path(_))
    }

    /// Gives an element the law with other parameters; its state stays.
    pub(crate) fn change(&mut self, e: usize, law: &AnyLaw) {
        let law = renewed(&self.elements[e].law, law);
        if let Some(law) = law {
            self.elements[e].law = law;
        }
    }

    /// Deformation and state (zero without one) of an element with one coordinate.
    pub(crate) fn strained(&mut self, e: usize, at: Point<'_>) -> [f64; 2] {
        self.set_time(at.t);
        let e = &self.elements[e];
        let row = self.row(e, 0);
        let state = match &e.law {
            Stored::Path(_) => self.memory[e.memory0 + 1],
            _ => at.s.get(e.state0).copied().filter(|_| e.s > 0).unwrap_or(0.0),
        };
        [gather(row, at.u, &self.imposed[0]), state]
    }

    /// Up to which stiffness an element may change, N/m: the operators of a scheme that follow no state are built for one. The
    /// operator-splitting schemes are stable as long as the law is stiffer than that by less than 4 m/h²; half of it is used.
    pub(crate) fn stiffest(&self, e: usize, h: f64) -> f64 {
        let entry = &self.elements[e];
        let renews = self.follows_state() && !matches!(entry.law, Stored::Path(_));
        // Without stiffness in an operator the scheme is explicit, and its own limit holds.
        if renews || self.operators.iter().all(|o| o.mck.k == 0.0) {
            return f64::INFINITY;
        }
        let [k, _, r, _, b, ..] = entry.blocks(&self.tangents);
        let own = k[0] + r.iter().zip(b).map(|(r, b)| r * b).sum::<f64>();
        own + SHARE * 4.0 * self.mass_along(entry) / (h * h)
    }

    /// Mass that an element with one coordinate moves, kg.
    fn mass_along(&self, e: &Entry) -> f64 {
        let free = |&&(i, f): &&(u32, f64)| (i as usize) < self.n && f != 0.0;
        let inverse = |&(i, f): &(u32, f64)| {
            let i = i as usize;
            f * f / self.pattern.position(i, i).map_or(0.0, |p| self.mass[p])
        };
        let sum: f64 = self.row(e, 0).iter().filter(free).map(inverse).sum();
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    }
}

/// A law as it is stored, of the same kind as before.
pub(crate) fn renewed(before: &Stored, law: &AnyLaw) -> Option<Stored> {
    match before {
        Stored::Law(_) => Some(Stored::Law(*law)),
        Stored::Path(_) => PathLaw::of(law).map(Stored::Path),
        _ => None,
    }
}

/// A law of the same name with other parameters.
pub(crate) fn with(law: &AnyLaw, parameters: &[f64]) -> Option<AnyLaw> {
    AnyLaw::new(law.info().name, parameters).filter(|new| new.size() == law.size())
}

/// The system at its present state, for readers of one element.
pub(crate) fn point<'a>(system: &Assembled, t: f64, x: &'a [f64]) -> Point<'a> {
    let dims = system.dims();
    dims.point(t, &x[..dims.state()])
}
