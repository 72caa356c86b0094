//! One substructure with its scheme and its memory, seen as a map of its complete state over one step.

use crate::fault::Place;
use crate::scheme::{Memory, Scheme, Step};
use crate::{Fault, System};

/// Anything that maps its complete state over one step. All that analysis ever sees.
pub trait StepMap {
    /// Length of the complete state.
    fn len(&self) -> usize;
    /// Whether there is no state at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Length of a step, s.
    fn dt(&self) -> f64;
    /// The complete state.
    fn state(&self) -> &[f64];
    /// The complete state, to be written.
    fn state_mut(&mut self) -> &mut [f64];
    /// Step number `k`, from t = k dt to (k + 1) dt; time is never accumulated. After a fault the state is
    /// the one before the step.
    fn step(&mut self, k: u64) -> Result<(), Fault>;
}

/// A system, the scheme that integrates it, and their memory, in arrays, vectors or borrowed slices.
#[derive(Clone, Debug)]
pub struct Domain<C, S, X> {
    scheme: C,
    sys: S,
    x: X,
    w: X,
    dt: f64,
}

impl<C: Scheme, S: System, X: AsRef<[f64]> + AsMut<[f64]>> Domain<C, S, X> {
    /// Lengths of the state `x` = [u v s h] and of the scratch memory `w` that [`Domain::new`] needs.
    pub fn memory(scheme: &C, sys: &S) -> (usize, usize) {
        let Memory { history, scratch } = scheme.memory(sys.dims());
        let state = sys.dims().state() + history;
        (state, state + scratch)
    }

    /// Starts the scheme at t = 0 from the initial [u v s] in `x`.
    ///
    /// # Panics
    /// If the memory is shorter than [`Domain::memory`] says.
    pub fn new(scheme: C, mut sys: S, dt: f64, x: X, w: X) -> Result<Self, Fault> {
        let (nx, nw) = Self::memory(&scheme, &sys);
        assert!(x.as_ref().len() == nx && w.as_ref().len() == nw, "memory of a domain has the wrong length");
        sys.prepare(scheme.operators(dt).as_slice())?;
        let mut domain = Domain { scheme, sys, x, w, dt };
        domain.restart(0.0)?;
        Ok(domain)
    }

    /// Fills the history of the scheme again from the [u v s] now in the state, at time `t`.
    pub fn restart(&mut self, t: f64) -> Result<(), Fault> {
        let n = self.sys.dims().state();
        let (y, h) = self.x.as_mut().split_at_mut(n);
        let w = &mut self.w.as_mut()[n + h.len()..];
        self.scheme.start(Step { t, dt: self.dt, y, h, w, sys: &mut self.sys })
    }

    /// Its system.
    pub fn system(&self) -> &S {
        &self.sys
    }

    /// Its system, for evaluations outside a step.
    pub fn system_mut(&mut self) -> &mut S {
        &mut self.sys
    }

    /// Its scheme.
    pub fn scheme(&self) -> &C {
        &self.scheme
    }

    /// Its system and its state together, for recording.
    pub fn parts(&mut self) -> (&mut S, &[f64]) {
        (&mut self.sys, self.x.as_ref())
    }
}

impl<C: Scheme, S: System, X: AsRef<[f64]> + AsMut<[f64]>> StepMap for Domain<C, S, X> {
    fn len(&self) -> usize {
        self.x.as_ref().len()
    }

    fn dt(&self) -> f64 {
        self.dt
    }

    fn state(&self) -> &[f64] {
        self.x.as_ref()
    }

    fn state_mut(&mut self) -> &mut [f64] {
        self.x.as_mut()
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        let (t, dt, d) = (k as f64 * self.dt, self.dt, self.sys.dims());
        let x = self.x.as_mut();
        let (before, w) = self.w.as_mut().split_at_mut(x.len());
        before.copy_from_slice(x);
        let (y, h) = x.split_at_mut(d.state());
        let result = self.scheme.step(Step { t, dt, y, h, w, sys: &mut self.sys }).and_then(|()| {
            // All at once first: this is done at every step, the search only at the last one.
            if y.iter().fold(true, |sound, x| sound & x.is_finite()) {
                return Ok(());
            }
            match y.iter().position(|x| !x.is_finite()) {
                None => Ok(()),
                Some(i) if i < d.nu => Err(Fault::NonFinite { place: Place::Displacement, index: i }),
                Some(i) if i < 2 * d.nu => Err(Fault::NonFinite { place: Place::Velocity, index: i - d.nu }),
                Some(i) => Err(Fault::NonFinite { place: Place::State, index: i - 2 * d.nu }),
            }
        });
        if result.is_err() {
            x.copy_from_slice(before);
        }
        result
    }
}
