//! The operator's console: one page in a browser that shows a test while it goes on, or again, and commands it.
//!
//! ```text
//! loop --Feed (bounded ring, drops and counts)--> Hub --> viewers (WebSocket), MCAP, UDP, Prometheus
//! page --key, command--> Desk --Operator--> loop --its state--> Hub --> page
//! ```
//!
//! **Must not be here:** models, structures, what a test computes; a lock or a wait that a loop could see.

mod access;
mod assets;
pub mod camera;
mod desk;
mod events;
mod http;
mod hub;
pub mod mcap;
mod prometheus;
mod server;
mod topic;
pub mod udp;
mod viewer;

pub use access::Keys;
pub use desk::{Command, Desk, Ends, Level, Loop, Pace, RunDesk, Start, Status};
pub use events::{Event, Kind, advice};
pub use hub::{Hub, Outlet, Stamps};
pub use server::{Console, Extras, Serving};
pub use topic::{Column, Feed, Topic};
