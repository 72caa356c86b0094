//! One substructure with its scheme and its memory, seen as a map of its complete state over one step.

use crate::fault::check_finite;
use crate::scheme::{Memory, Scheme, Step};
use crate::{Archive, Fault, Persist, System};

/// Anything that maps its state over one step. All that analysis ever sees. What else it remembers, and what cannot be varied as a
/// number (counts, states of a test, what a laboratory went through), is saved and restored with it by [`Persist`].
pub trait StepMap: Persist {
    /// Length of the state.
    fn len(&self) -> usize;
    /// Whether there is no state at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Length of a step, s.
    fn dt(&self) -> f64;
    /// The state.
    fn state(&self) -> &[f64];
    /// The state, to be written.
    fn state_mut(&mut self) -> &mut [f64];
    /// Number of the first step that is like all later ones; those before it are a start-up.
    fn settled(&self) -> u64 {
        0
    }
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
    /// Whether the memory of the system may not be that of the state.
    apart: bool,
}

impl<C: Scheme, S: System, X: AsRef<[f64]> + AsMut<[f64]>> Domain<C, S, X> {
    /// Lengths of the state `x` = [u v s h z], with the history h of the scheme and the memory z of the system, and of the scratch memory `w` that [`Domain::new`] needs.
    pub fn memory(scheme: &C, sys: &S) -> (usize, usize) {
        let Memory { history, scratch } = scheme.memory(sys.dims());
        let state = sys.dims().state() + history + sys.memory().len();
        (state, state + scratch)
    }

    /// Starts the scheme at t = 0 from the initial [u v s] in `x`.
    ///
    /// # Panics
    /// If the memory is shorter than [`Domain::memory`] says.
    pub fn new(scheme: C, mut sys: S, dt: f64, x: X, w: X) -> Result<Self, Fault> {
        let (nx, nw) = Self::memory(&scheme, &sys);
        assert!(x.as_ref().len() == nx && w.as_ref().len() == nw, "memory of a domain has the wrong length");
        if scheme.evaluations().is_none() {
            sys.iterate();
        }
        sys.prepare(scheme.operators(dt).as_slice())?;
        let mut domain = Domain { scheme, sys, x, w, dt, apart: true };
        domain.restart(0.0)?;
        Ok(domain)
    }

    /// Fills the history of the scheme again from the [u v s] now in the state, at time `t`; the system forgets where it
    /// was evaluated before.
    pub fn restart(&mut self, t: f64) -> Result<(), Fault> {
        let x = self.x.as_mut();
        let memory = x.len() - self.sys.memory().len();
        self.sys.settle(self.sys.dims().point(t, &x[..memory]));
        x[memory..].copy_from_slice(self.sys.memory());
        self.advance(t, |scheme, mut step| scheme.start(&mut step))
    }

    /// Lets the scheme work on the state. After a fault all is as it was before, the memory of the system included.
    fn advance(&mut self, t: f64, work: impl FnOnce(&C, Step<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
        let x = self.x.as_mut();
        let (before, w) = self.w.as_mut().split_at_mut(x.len());
        let (x_scheme, m) = x.split_at_mut(before.len() - self.sys.memory().len());
        // The memory in the state stays as it is until the step has succeeded.
        let changed = x_scheme.len();
        before[..changed].copy_from_slice(x_scheme);
        let (y, h) = x_scheme.split_at_mut(self.sys.dims().state());
        if self.apart {
            self.sys.memory_mut().copy_from_slice(m);
        }
        self.apart = false;
        let result = work(&self.scheme, Step { t, dt: self.dt, y, h, w, sys: &mut self.sys });
        if result.is_ok() {
            m.copy_from_slice(self.sys.memory());
        } else {
            self.sys.memory_mut().copy_from_slice(m);
            x[..changed].copy_from_slice(&before[..changed]);
        }
        result
    }

    /// Its system.
    pub fn system(&self) -> &S {
        &self.sys
    }

    /// Its system, for evaluations outside a step.
    pub fn system_mut(&mut self) -> &mut S {
        self.apart = true;
        &mut self.sys
    }

    /// Its scheme.
    pub fn scheme(&self) -> &C {
        &self.scheme
    }

    /// Its system, with the memory that belongs to the state, and its state: for recording. Whatever the system remembers
    /// of evaluations made here is forgotten by the next step.
    pub fn parts(&mut self) -> (&mut S, &[f64]) {
        let x = self.x.as_ref();
        let memory = x.len() - self.sys.memory().len();
        if self.apart {
            self.sys.memory_mut().copy_from_slice(&x[memory..]);
        }
        self.apart = true;
        (&mut self.sys, x)
    }
}

impl<C: Scheme, S: System, X: AsRef<[f64]> + AsMut<[f64]>> Persist for Domain<C, S, X> {
    fn persist(&mut self, archive: &mut dyn Archive) {
        self.apart = true;
        archive.same(self.len());
        archive.numbers(self.x.as_mut());
        self.sys.persist(archive);
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
        self.apart = true;
        self.x.as_mut()
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        self.advance(k as f64 * self.dt, |scheme, Step { t, dt, y, h, w, sys }| {
            let d = sys.dims();
            scheme.step(&mut Step { t, dt, y: &mut *y, h, w, sys })?;
            check_finite(d, y)
        })
    }
}
