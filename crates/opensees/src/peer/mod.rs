//! The same script in the real OpenSees (openseespy of PyPI), and how its results differ from ours.

mod align;
mod difference;
mod process;
mod reasons;
mod results;

pub use align::rows_along;
pub use difference::{Cause, Difference, Pair, SAME, cause, differences};
pub use process::{Failure, Request, candidates, run};
pub use reasons::{Reason, reasons};
pub use results::{Course, Peer, Stage};
