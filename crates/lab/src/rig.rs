//! The seam between a substructure and its specimen: command out, measurement in.
//!
//! A substructure asks for the force at a displacement; the rig moves its specimen there, however long that takes and
//! through whatever it consists of, and says what was measured. Nothing else of a laboratory is seen from a scheme.

use interfield_kernel::{Archive, Fault, StateError};

use crate::controller::Held;
use crate::realtime::rights::Rights;
use crate::realtime::{Histogram, Timing};
use crate::safety::Sequence;

/// Where a specimen is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Time of the model, s.
    pub t: f64,
    /// Displacements of the commanded degrees of freedom, m (rad), at the scale of the structure.
    pub u: &'a [f64],
    /// Velocities there, m/s (rad/s).
    pub v: &'a [f64],
}

/// What a rig said last, one number per commanded degree of freedom, at the scale of the structure. Kept at the head of
/// its memory, so that reading it moves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Displacement that was wanted.
    Target,
    /// Displacement that the sensors saw, m (rad).
    Reached,
    /// Force that was measured, N (N m).
    Force,
}

impl Reading {
    /// Place of degree of freedom `i` of `n` in the memory of a rig.
    pub fn place(self, i: usize, n: usize) -> usize {
        i + n * match self {
            Reading::Target => 0,
            Reading::Reached => 1,
            Reading::Force => 2,
        }
    }

    /// How many numbers per degree of freedom the head of the memory holds.
    pub const COUNT: usize = 3;

    /// Place of inner degree of freedom `i` of a rig with `n` commanded ones: behind those, where it is and the force on it.
    pub fn inner_place(self, i: usize, n: usize) -> usize {
        Reading::COUNT * n + Reading::INNER * i + usize::from(self == Reading::Force)
    }

    /// How many numbers per inner degree of freedom follow.
    pub const INNER: usize = 2;
}

/// How a test went, as its controller saw it.
#[derive(Clone, Debug)]
pub struct TestLog {
    /// Its states, and how it came to the last one.
    pub sequence: Sequence,
    /// Samples, samples that were not recorded, samples without a target in time.
    pub counts: [u64; 3],
    /// Commands that the guard did not let leave as they were asked for, while targets led.
    pub refused: Vec<u64>,
    /// Longest time to rest after a hold, on the way home and after an abort, s; infinite where the envelope does not say.
    pub rests: [(&'static str, f64); 3],
    /// Energy fed in by the tracking error, over the largest energy stored in the specimen.
    pub energy_error: f64,
    /// What the hardware counted, by name.
    pub account: Vec<(&'static str, f64)>,
    /// How well actuators in force control held their loads.
    pub loads: Vec<Held>,
}

/// How a loop kept its time.
#[derive(Clone, Debug)]
pub struct LoopTiming {
    /// Its samples.
    pub timing: Timing,
    /// What the system granted it.
    pub rights: Rights,
    /// From a measurement to the next target.
    pub compute: Histogram,
}

/// A specimen with all that moves and measures it.
pub trait Rig: Send {
    /// Number of commanded degrees of freedom.
    fn dofs(&self) -> usize;

    /// Number of inner degrees of freedom, which exist in the laboratory only.
    fn inner(&self) -> usize {
        0
    }

    /// Length of the head of its memory, described by [`Reading`].
    fn readings(&self) -> usize {
        Reading::COUNT * self.dofs() + Reading::INNER * self.inner()
    }

    /// Length of what it remembers; the head is described by [`Reading`].
    fn memory(&self) -> usize;

    /// Saves or restores what it remembers beside its memory. What does not say how cannot be saved.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.fail(StateError::Live("the rig of a specimen"));
    }

    /// Sets out for `target` without waiting, if it moves by itself; [`Rig::exchange`] with the same target follows. So all rigs of
    /// a structure move at the same time, wherever they stand.
    fn set_out(&mut self, _target: Target<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// Moves the specimen to `target`. What was measured is in the head of `memory` afterwards.
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault>;

    /// The test ends before its time, for a reason that is not the rig's: it is not to be taken for one that ended as planned. [`Rig::finish`]
    /// follows.
    fn give_up(&mut self) {}

    /// Sets out for home without waiting, if it moves by itself; [`Rig::finish`] follows.
    fn turn_home(&mut self) {}

    /// The test has ended as planned: leads the specimen back to where it stood.
    fn finish(&mut self, memory: &mut [f64]);

    /// How the test went, once nothing moves any more; none where a program answers.
    fn log(&self) -> Option<TestLog> {
        None
    }

    /// How well it kept its time, if it had a clock.
    fn timing(&self) -> Option<LoopTiming> {
        None
    }
}
