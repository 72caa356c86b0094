//! EtherCAT drives and terminals as the hardware of a rig: targets out, measurements in, in the time of the distributed clock.
//!
//! ```text
//! lab::Controller --Hardware--> Fieldbus --mailbox--> master (a thread of its own, ethercrab) --raw Ethernet--> devices
//!                                                                                             or simulated::Line
//! ```
//!
//! The bus has its own thread because the library that speaks EtherCAT allocates in every cycle; the thread of the controller
//! only ever posts a row and waits for one. A bus cycles by the reference clock of its devices whether commands come or not.
//!
//! **Must not be here:** model files, compensation, limits; anything of ours but the seam of `lab`.

mod drive;

#[cfg(target_os = "linux")]
mod fieldbus;
#[cfg(target_os = "linux")]
mod master;
#[cfg(target_os = "linux")]
pub mod simulated;
#[cfg(target_os = "linux")]
mod socket;

#[cfg(target_os = "linux")]
pub use fieldbus::Fieldbus;
#[cfg(target_os = "linux")]
pub use socket::Socket;
