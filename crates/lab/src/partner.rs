//! A program that answers displacements with forces: a finite-element program, a remote site, a unit of another simulator.
//!
//! It computes what a specimen would do, needs no actuators and no compensation, and like a specimen cannot be rewound.

/// Why a partner gave no force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No answer within the time allowed.
    Late,
    /// It is gone: its connection or its process has ended.
    Gone,
    /// It says that it cannot go there.
    Refused,
    /// Its answer makes no sense: wrong length, not a number.
    Garbled,
}

/// Anything that answers displacements with forces.
pub trait Partner: Send {
    /// Number of degrees of freedom.
    fn dofs(&self) -> usize;

    /// Goes to the displacements `u` (m, rad) with the velocities `v` at time `t` (s) of the model, and says where it got to
    /// and its resisting forces (N, N m), those a spring would show as + K u. Never called twice for one step.
    fn exchange(&mut self, t: f64, u: &[f64], v: &[f64], reached: &mut [f64], force: &mut [f64])
    -> Result<(), Trouble>;

    /// The run has ended.
    fn finish(&mut self) {}

    /// What it counted (messages, times), by name, for a report.
    fn account(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
