//! What a controller talks to once per sample: real drives and sensors, an emulated laboratory, a recording.

use interfield_kernel::{Archive, StateError};

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// New readings.
    Fresh,
    /// Nothing new arrived in time: the readings are the old ones.
    Stale,
    /// The other side is gone for good.
    Gone,
}

/// What the laboratory's own interlock is told with every command. It does not replace that interlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interlock {
    /// The drives are needed. Low before a test, and from its end on.
    pub enable: bool,
    /// Changes with every sample; one that stands still is a controller that does.
    pub heartbeat: bool,
}

/// The actuators and sensors of a rig, one sample at a time. Numbers are those of the instruments, before calibration.
pub trait Hardware: Send {
    /// Number of actuators.
    fn actuators(&self) -> usize;

    /// Number of transducers and of load cells besides those of the actuators.
    fn sensors(&self) -> [usize; 2] {
        [0; 2]
    }

    /// Length of what it remembers; zero for anything real.
    fn memory(&self) -> usize {
        0
    }

    /// Saves or restores what it remembers beside its memory. What is real cannot be saved.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.fail(StateError::Live("the hardware of a specimen"));
    }

    /// What goes out with the next command.
    fn interlock(&mut self, _out: Interlock) {}

    /// Sends a command to every actuator, lets one period pass, and reads displacement and force of each; further
    /// transducers and load cells stand behind those of the actuators. Readings that did not arrive are left as they were.
    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply;

    /// Where the degrees of freedom are that no actuator moves, m (rad), as of the last exchange; what is real does not say.
    fn show_free(&self, _memory: &[f64], free: &mut [f64]) {
        free.fill(f64::NAN);
    }

    /// Whether the emergency stop of the laboratory was pressed, as of the last exchange.
    fn emergency_stop(&self) -> bool {
        false
    }

    /// Whether its numbers are those of instruments, which are calibrated; if not, they are metres and newtons.
    fn has_instruments(&self) -> bool {
        true
    }

    /// Whether nothing real moves.
    fn is_emulated(&self) -> bool {
        false
    }

    /// The test has ended: no further command will come.
    fn stop(&mut self) {}

    /// What it counted (messages, losses, times), by name, for a report.
    fn account(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
