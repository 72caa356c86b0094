//! A structure in one piece: the trivial coupling, one side and no constraint. Its step is that of its scheme.
//!
//! State x = [u v s h z], as in [`Domain`], with what rigs remember at the end of z.

use std::ops::Range;

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Archive, Dims, Domain, Fault, Persist, Scheme, StepMap, System};

use crate::blueprint::{Blueprint, Stride, Subdomain};
use crate::{Coupling, CouplingError, Located, Port, Substructure};

/// One substructure that is all there is.
pub struct Single<S> {
    domain: Domain<AnyScheme, S, Vec<f64>>,
    y0: Vec<f64>,
}

impl<S: System> Single<S> {
    /// Starts its scheme with steps of `dt`, s.
    ///
    /// # Errors
    /// The fault at the start.
    pub fn start(substructure: Substructure<S>, dt: f64) -> Result<Self, CouplingError> {
        let scheme = substructure.settled_scheme();
        let Substructure { system, y0, .. } = substructure;
        let refuse = |fault: Fault| CouplingError::Fault(Located { substructure: 0, fault });
        let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(&scheme, &system);
        let mut x = y0.clone();
        x.resize(nx, 0.0);
        let domain = Domain::new(scheme, system, dt, x, vec![0.0; nw]).map_err(refuse)?;
        Ok(Single { domain, y0 })
    }
}

impl<S: System> Persist for Single<S> {
    fn persist(&mut self, archive: &mut dyn Archive) {
        self.domain.persist(archive);
    }
}

impl<S: System> StepMap for Single<S> {
    fn len(&self) -> usize {
        self.domain.len()
    }

    fn dt(&self) -> f64 {
        self.domain.dt()
    }

    fn state(&self) -> &[f64] {
        self.domain.state()
    }

    fn state_mut(&mut self) -> &mut [f64] {
        self.domain.state_mut()
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        self.domain.step(k)
    }
}

impl<S: System + Send> Coupling<S> for Single<S> {
    fn count(&self) -> usize {
        1
    }

    fn range_of(&self, _: usize) -> Range<usize> {
        0..self.domain.len()
    }

    fn dims_of(&self, _: usize) -> Dims {
        self.domain.system().dims()
    }

    fn ports_of(&self, _: usize) -> &[Port] {
        &[]
    }

    fn multipliers(&self) -> &[f64] {
        &[]
    }

    fn links_of(&self, _: usize, _: &mut [f64]) {}

    fn acceleration_of(&self, _: usize) -> Option<&[f64]> {
        let d = self.domain.system().dims();
        let carries = self.domain.scheme().claims().carries_acceleration;
        carries.then(|| &self.domain.state()[d.state()..d.state() + d.nu])
    }

    fn add_multiplier_accelerations(&self, _: usize, _: &mut [f64]) {}

    fn is_fine(&self, _: usize) -> bool {
        false
    }

    fn system(&self, _: usize) -> &S {
        self.domain.system()
    }

    fn at_node(&mut self, _: usize) -> (&mut S, &[f64]) {
        self.domain.parts()
    }

    fn faulty(&self) -> usize {
        0
    }

    fn blueprint(&self) -> Blueprint<'_, S> {
        let (scheme, dt) = (*self.domain.scheme(), self.domain.dt());
        let moved = self.domain.len() - self.domain.system().memory().len();
        let step = Stride { scheme, dt, steps: 1, slot: 0, link: &[], once: false, rate: 0, lag: 0.0 };
        let subdomain = Subdomain {
            substructure: 0,
            system: self.domain.system(),
            y0: &self.y0,
            moved,
            len: moved + self.domain.system().own_memory(),
            ports: Vec::new(),
            inertance: &[],
            steppings: vec![step],
        };
        Blueprint::single(dt, subdomain)
    }

    fn use_threads(&mut self, _: bool) -> bool {
        false
    }
}
