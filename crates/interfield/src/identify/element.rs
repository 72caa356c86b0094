//! Constants of a formula element of a model, from the deformations and forces of one element: exact derivatives, because its formulas run over
//! numbers that carry them.

use interfield_kernel::Scalar;
use interfield_language::formula::FormulaElement;
use interfield_learn::Samples;
use interfield_learn::general::{Predicts, Unknown};
use interfield_learn::jet::Jet;
use interfield_learn::law::Scale;

/// Factor from the first guess to either bound.
pub const RANGE: f64 = 30.0;
/// Derivatives of one pass.
const LANES: usize = 4;

/// A formula element with one coordinate under a path.
pub struct Formula<'a> {
    /// With the constants that are searched behind its states.
    element: FormulaElement,
    states: Vec<f64>,
    names: Vec<String>,
    samples: &'a Samples,
    t: &'a [f64],
    /// What is searched.
    pub unknowns: Vec<Unknown>,
}

impl<'a> Formula<'a> {
    /// The element with its states at the start; the constants that are searched are `free`, or all that its formulas mention.
    ///
    /// # Errors
    /// A sentence.
    pub fn new(
        element: &FormulaElement,
        start: &[f64],
        (samples, t): (&'a Samples, &'a [f64]),
        (fixed, free): (&[(String, f64)], &[String]),
    ) -> Result<Self, String> {
        let spec = element.spec();
        if spec.q.len() != 1 {
            return Err(format!("it has {} coordinates: identify it from the response of its structure", spec.q.len()));
        }
        let all: Vec<(String, f64)> = element.constants().cloned().collect();
        let known = |name: &String| all.iter().any(|c| c.0 == *name);
        if let Some(name) = fixed.iter().map(|f| &f.0).chain(free).find(|n| !known(n)) {
            let names: Vec<&str> = all.iter().map(|c| c.0.as_str()).collect();
            return Err(format!("its formulas have no constant `{name}`; they have {}", names.join(", ")));
        }
        let wanted = |name: &String| free.is_empty() || free.contains(name);
        let chosen: Vec<&(String, f64)> =
            all.iter().filter(|c| wanted(&c.0) && !fixed.iter().any(|f| f.0 == c.0)).collect();
        let unknowns = chosen.iter().map(|(name, first)| unknown(name, *first)).collect::<Result<Vec<_>, _>>()?;
        if unknowns.is_empty() {
            return Err("its formulas have no constants that can be identified: write them as `parameters`".into());
        }
        let mut base = spec.clone();
        for (name, value) in fixed {
            base.constants.iter_mut().filter(|c| c.0 == *name).for_each(|c| c.1 = *value);
        }
        let names: Vec<String> = unknowns.iter().map(|u| u.name.clone()).collect();
        let refused = |e: Vec<interfield_language::formula::FormulaError>| {
            e.first().map_or_else(String::new, |e| e.error.message.clone())
        };
        let opened = FormulaElement::new(&base)
            .and_then(|e| e.opened(&names.iter().map(String::as_str).collect::<Vec<_>>()))
            .map_err(refused)?;
        let mut states = start.to_vec();
        states.resize(spec.s.len(), 0.0);
        Ok(Formula { element: opened, states, names, samples, t, unknowns })
    }

    /// Forces, in any scalar.
    fn forces<T: Scalar>(&self, constants: &[T]) -> Vec<T> {
        let own = self.states.len();
        let zero = T::constant(0.0);
        let mut s: Vec<T> = self.states.iter().map(|s| T::constant(*s)).chain(constants.iter().copied()).collect();
        let (mut p, mut g) = ([zero], vec![zero; s.len()]);
        let Samples { q, v, .. } = self.samples;
        let mut out = Vec::with_capacity(q.len());
        for k in 0..q.len() {
            if k > 0 && own > 0 {
                let dt = self.t[k] - self.t[k - 1];
                let rate = (q[k] - q[k - 1]) / dt;
                let mut slopes = |share: f64, s: &[T]| {
                    let (t, x) = (self.t[k - 1] + share * dt, q[k - 1] + share * (q[k] - q[k - 1]));
                    self.element.evaluate(T::constant(t), &[T::constant(x)], &[T::constant(rate)], s, &mut p, &mut g);
                    g.clone()
                };
                let along =
                    |k: &[T], share: f64| -> Vec<T> { s.iter().zip(k).map(|(s, k)| *s + *k * (share * dt)).collect() };
                let k1 = slopes(0.0, &s);
                let k2 = slopes(0.5, &along(&k1, 0.5));
                let k3 = slopes(0.5, &along(&k2, 0.5));
                let k4 = slopes(1.0, &along(&k3, 1.0));
                for i in 0..own {
                    s[i] = s[i] + (k1[i] + k2[i] * 2.0 + k3[i] * 2.0 + k4[i]) * (dt / 6.0);
                }
            }
            let rate = v.get(k).copied().unwrap_or(0.0);
            self.element.evaluate(
                T::constant(self.t[k]),
                &[T::constant(q[k])],
                &[T::constant(rate)],
                &s,
                &mut p,
                &mut g,
            );
            out.push(p[0]);
        }
        out
    }
}

/// A number within a factor of its first guess.
///
/// # Errors
/// That it is zero.
pub fn unknown(name: &str, first: f64) -> Result<Unknown, String> {
    if first == 0.0 || !first.is_finite() {
        return Err(format!(
            "`{name}` is {first}, so that its size cannot be guessed: give it a first guess, or --fix it"
        ));
    }
    Ok(Unknown {
        name: name.into(),
        scale: Scale::Log,
        bounds: [first.abs() / RANGE, first.abs() * RANGE],
        sign: first.signum(),
        first: Some(first),
    })
}

impl Predicts for Formula<'_> {
    fn predict(&self, unknowns: &[f64]) -> Option<Vec<f64>> {
        let forces = self.forces(unknowns);
        forces.iter().all(|p| p.is_finite()).then_some(forces)
    }

    fn slopes(&self, unknowns: &[f64]) -> Option<Vec<f64>> {
        let mut all = Vec::new();
        for first in (0..unknowns.len()).step_by(LANES) {
            let seed = |(i, x): (usize, &f64)| match i.checked_sub(first) {
                Some(lane) if lane < LANES => Jet::<LANES>::variable(*x, lane, 1.0),
                _ => Jet { re: *x, eps: [0.0; LANES] },
            };
            let forces = self.forces(&unknowns.iter().enumerate().map(seed).collect::<Vec<_>>());
            (0..LANES.min(unknowns.len() - first)).for_each(|lane| all.extend(forces.iter().map(|p| p.eps[lane])));
        }
        Some(all)
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn report(&self, unknowns: &[f64], _: f64) -> Vec<f64> {
        unknowns.to_vec()
    }
}
