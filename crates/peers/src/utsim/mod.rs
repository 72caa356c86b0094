//! UT-SIM: an integrator commands a substructure, by messages with a header of 16 bytes.
//!
//! | byte | 0 | 1 | 2 | 3 | 4 | 5 | 6-7 | 8-9 | 10-11 | 12-15 |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | | version | command | test | substructure | precision | contents | dofs | step | - | time |
//!
//! Whole numbers of the header are big-endian, what follows it is little-endian. The integrator greets with a header, then
//! says a command by a header whose contents tell what will be sent with another header, by itself (trial) or by the
//! substructure (force, stiffness): vectors of `dofs` numbers, matrices of their square by rows.

mod header;
mod integrator;
mod server;

pub use header::{Contents, HEADER, Header, Precision};
pub use integrator::{Integrator, NoSubstructure, Settings};
pub use server::Server;
