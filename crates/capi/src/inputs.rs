//! Forces that the caller sets: a function of an external that holds what it was told.

use std::sync::{Arc, Mutex, PoisonError};

use interfield_kernel::Archive;
use interfield_lab::partner::{Partner, Trouble};

/// Forces of an external, held until they are set again.
#[derive(Clone)]
pub(crate) struct Input(Arc<Mutex<Vec<f64>>>);

impl Input {
    pub(crate) fn new(dofs: usize) -> Self {
        Input(Arc::new(Mutex::new(vec![0.0; dofs])))
    }

    /// Sets force `i`; whether there is such a one.
    pub(crate) fn set(&self, i: usize, force: f64) -> bool {
        let mut forces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        forces.get_mut(i).map(|f| *f = force).is_some()
    }
}

impl Partner for Input {
    fn dofs(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn exchange(&mut self, _t: f64, u: &[f64], _v: &[f64], at: &mut [f64], force: &mut [f64]) -> Result<(), Trouble> {
        at.copy_from_slice(u);
        force.copy_from_slice(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.numbers(self.0.lock().unwrap_or_else(PoisonError::into_inner).iter_mut());
    }
}
