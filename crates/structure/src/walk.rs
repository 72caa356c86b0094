//! Elements along a path: what their tangents are where a test takes them.
//!
//! Elements of a model stand by themselves, every degree of freedom that they touch is moved, and they follow as they do in a run: states by Heun's rule, histories by
//! their evaluations. What moves them, a structure or an actuator, is not asked.
//! **Must not be here:** which states of a path matter, stability.

use interfield_kernel::{Fault, Point, System};
use interfield_language::Model;
use interfield_language::model::{Element, Kind};

use crate::assemble::{Assembly, assemble, is_linear, remembers, start_of, stored};
use crate::assembled::Assembled;
use crate::specimen::{by_themselves, unloaded};

/// Longest path of a step that is followed without looking between, s: hysteretic laws turn within some hundredths.
const FINE: f64 = 2e-3;
/// Looks within a step at most.
const MOST: f64 = 16.0;

/// Elements that are moved.
pub struct Walk {
    system: Assembled,
    /// Numbers in the model of its elements, in the order of the system, and whether they remember.
    elements: Vec<(usize, bool)>,
    dofs: Vec<usize>,
    t: f64,
    u: Vec<f64>,
    v: Vec<f64>,
    states: Vec<f64>,
    /// Where a step leads; states that are tried; their rates at both ends.
    to: Vec<f64>,
    trial: Vec<f64>,
    rates: [Vec<f64>; 2],
    force: Vec<f64>,
}

/// Whether the tangents of an element depend on where it is, and can be told without the accelerations of a structure.
pub fn bends(model: &Model, e: usize) -> bool {
    let element = &model.elements[e];
    let law = !element.inside && !is_linear(&element.kind) && !matches!(element.kind, Kind::Block { .. });
    law && stored(&element.kind).is_some_and(|(law, _)| !law.shape().2)
}

/// Whether an element is not linear, but has masses of its own that move in it, as a pendulum has.
pub fn is_massive(model: &Model, e: usize) -> bool {
    let kind = &model.elements[e].kind;
    !model.elements[e].inside && !is_linear(kind) && stored(kind).is_some_and(|(law, _)| law.shape().2)
}

impl Walk {
    /// Elements of a model at the start, those in a `laboratory` as they stand there before the test; none if there are none.
    ///
    /// # Errors
    /// Why they cannot stand by themselves: a sentence.
    pub fn new(model: &Model, elements: &[usize], laboratory: bool) -> Result<Option<Self>, String> {
        if elements.is_empty() {
            return Ok(None);
        }
        let mut dofs: Vec<usize> = (elements.iter())
            .filter_map(|&e| stored(&model.elements[e].kind))
            .flat_map(|(_, coordinates)| coordinates.iter().flatten().map(|term| term.0))
            .collect();
        dofs.sort_unstable();
        dofs.dedup();
        let element = |&e: &usize| match laboratory {
            true => unloaded(model, e),
            false => Element { given: None, ..model.elements[e].clone() },
        };
        let start = |d: usize| if laboratory { 0.0 } else { start_of(&model.dofs[d]) };
        let moved = |d: usize| dofs.binary_search(&d).is_ok().then(|| start(d));
        let alone = by_themselves(model, elements.iter().map(element).collect(), Vec::new(), moved);
        let Assembly { mut system, y0, looped, .. } =
            assemble(&alone).map_err(|p| p.first().map_or_else(String::new, |p| p.message.clone()))?;
        // Slopes are those along the last stretch of the path.
        system.iterate();
        let (n, states) = (dofs.len(), y0[2 * dofs.len()..].to_vec());
        let rates = [vec![0.0; states.len()], vec![0.0; states.len()]];
        Ok(Some(Walk {
            system,
            elements: looped.into_iter().map(|e| (elements[e], remembers(&alone.elements[e].kind))).collect(),
            t: 0.0,
            u: y0[..n].to_vec(),
            v: vec![0.0; n],
            to: vec![0.0; n],
            trial: states.clone(),
            rates,
            states,
            force: vec![0.0; n],
            dofs,
        }))
    }

    /// Moves every degree of freedom to where it is `dt` later, along a straight line.
    ///
    /// # Errors
    /// A law that fails on its way.
    pub fn advance(&mut self, to: impl Fn(usize) -> f64, dt: f64) -> Result<(), Fault> {
        let parts = if self.states.is_empty() { 1.0 } else { (dt / FINE).ceil().clamp(1.0, MOST) };
        let from = self.u.clone();
        (0..self.dofs.len()).for_each(|i| self.to[i] = to(self.dofs[i]));
        self.v.iter_mut().zip(self.to.iter().zip(&from)).for_each(|(v, (to, from))| *v = (to - from) / dt);
        let step = dt / parts;
        for part in 1..=parts as usize {
            let share = part as f64 / parts;
            let there: Vec<f64> = from.iter().zip(&self.to).map(|(a, b)| a + share * (b - a)).collect();
            if !self.states.is_empty() {
                let [g0, g1] = &mut self.rates;
                let at = Point { t: self.t, u: &self.u, v: &self.v, s: &self.states };
                self.system.force(at, None, &mut self.force, g0)?;
                self.trial.iter_mut().zip(&self.states).zip(&*g0).for_each(|((to, s), g)| *to = s + step * g);
                let at = Point { t: self.t + step, u: &there, v: &self.v, s: &self.trial };
                self.system.force(at, None, &mut self.force, g1)?;
                self.states.iter_mut().zip(g0.iter().zip(&*g1)).for_each(|(s, (a, b))| *s += 0.5 * step * (a + b));
                self.system.rewind();
            }
            self.t += step;
            let at = Point { t: self.t, u: &there, v: &self.v, s: &self.states };
            if part == parts as usize {
                self.system.linearise(at)?;
            }
            self.system.force(at, None, &mut self.force, &mut self.rates[0])?;
            self.system.commit();
            self.u.copy_from_slice(&there);
        }
        Ok(())
    }

    /// Tangents of its elements where they are.
    pub fn tangents(&self) -> impl Iterator<Item = Slopes<'_>> {
        let all = self.elements.iter().zip(self.system.local_tangents());
        all.map(|(&(element, remembers), (size, blocks))| Slopes { element, size, remembers, blocks })
    }
}

/// Tangents of an element at a place.
pub struct Slopes<'a> {
    /// Its number in the model.
    pub element: usize,
    /// Coordinates and states.
    pub size: [usize; 2],
    /// Whether its states remember its deformation, so that their stiffness counts.
    pub remembers: bool,
    /// [K C R A B E], row by row, with forces K q + C v + R s and rates of the states A q + B v + E s.
    pub blocks: &'a [f64],
}
