//! OpenSees: what its elements `genericClient` (it commands) and `adapter`, `actuator` (it is commanded) say.
//!
//! After a message of eleven sizes every message in both directions has the same number of 8-byte numbers. Requests start
//! with a code ([`crate::action`]), answers do not.

mod adapter;
mod server;
mod sizes;

pub use adapter::{Adapter, NoAdapter, Settings};
pub use server::Server;
pub use sizes::{SIZES, Sizes};
