//! A specimen whose forces a function of the caller computes, behind emulated actuators.

use interfield_kernel::{Archive, Fault};

use super::body::{Body, Motion};
use crate::partner::{Partner, Trouble};

/// A body that asks a [`Partner`] once per sample. Displacements and forces are those of the specimen in the laboratory, at its scale.
pub struct Answering {
    partner: Box<dyn Partner>,
    stiffness: Vec<f64>,
    masses: Vec<f64>,
    reached: Vec<f64>,
}

impl Answering {
    /// `stiffness` is what is expected of it at rest, row-major, N/m; `masses` move with it and are felt by the load cells, kg.
    pub fn new(partner: Box<dyn Partner>, stiffness: Vec<f64>, masses: Vec<f64>) -> Self {
        let reached = vec![0.0; masses.len()];
        Answering { partner, stiffness, masses, reached }
    }
}

impl Body for Answering {
    fn memory(&self) -> usize {
        0
    }

    fn advance(&mut self, _memory: &mut [f64], to: Motion<'_>, _dt: f64, force: &mut [f64]) -> Result<(), Fault> {
        let fault = |trouble: Trouble| Fault::Partner { index: 0, code: trouble.code() };
        self.partner.exchange(to.t, to.u, to.v, &mut self.reached, force).map_err(fault)?;
        if force.iter().any(|f| !f.is_finite()) {
            return Err(fault(Trouble::Garbled));
        }
        for ((f, m), a) in force.iter_mut().zip(&self.masses).zip(to.a) {
            *f += m * a;
        }
        Ok(())
    }

    fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.partner.persist(archive);
    }
}
