//! The protocols of other programs in a laboratory: OpenSees (generic client and adapter elements), OpenFresco sites and
//! UT-SIM, each in both roles.
//!
//! Every protocol is a codec and a state machine without input and output, and below it a [`channel`] (TCP, UDP). All of
//! them are runs of numbers without frames or checksums, so what a peer says is checked here and believed nowhere else:
//! no length before it was compared with a limit, no displacement that is not a number.
//!
//! **Must not be here:** model files, compensation, limits; anything of ours but the seams of `lab`.

pub mod action;
pub mod channel;
mod connection;
mod dense;
pub mod host;
pub mod numbers;
pub mod opensees;
pub mod session;
pub mod site;
pub mod substructure;
pub mod utsim;
pub mod violation;

/// Most degrees of freedom of a substructure.
pub const MOST_DOFS: usize = 100;

/// Most numbers in a message: a matrix of [`MOST_DOFS`] and room for more.
pub const MOST_NUMBERS: usize = 16_384;
