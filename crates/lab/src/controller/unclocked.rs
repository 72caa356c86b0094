//! The controller as the rig of a step, without a clock: sample after sample until the target is reached.

use interfield_kernel::{Archive, Fault};

use super::{Controller, Progress};
use crate::rig::{Rig, Target, TestLog};
use crate::safety::State;

impl Rig for Controller {
    fn dofs(&self) -> usize {
        self.course.goal.len()
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.persist_fields(archive);
        self.show();
    }

    fn inner(&self) -> usize {
        self.loads.y().len() + self.plan.free
    }

    fn memory(&self) -> usize {
        let [transducers, load_cells] = self.sensing.counts();
        let sensors = 2 * self.asked.len() + transducers + load_cells;
        self.readings() + sensors + self.compensation() + self.sensing.memory() + self.hardware.memory()
    }

    /// Without a clock: sample after sample until the target is reached.
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        if self.sequence.state().is_over() {
            return Err(self.reason());
        }
        self.stall(memory)?;
        // Where the specimen was sent last is part of the state, so that a loop can be probed.
        if self.course.is_full() {
            let n = self.course.aim.len();
            self.course.aim.copy_from_slice(&memory[..n]);
        }
        self.aim(target);
        loop {
            match self.tick(memory) {
                Progress::Busy => self.wait_for_a_word(),
                Progress::Reached => return Ok(()),
                Progress::Over(fault) => return Err(fault),
            }
        }
    }

    fn give_up(&mut self) {
        self.leave_early();
    }

    fn finish(&mut self, memory: &mut [f64]) {
        self.go_home();
        while !self.sequence.state().is_over() && self.sequence.state() != State::Idle {
            self.tick(memory);
            self.wait_for_a_word();
        }
        self.close();
    }

    fn log(&self) -> Option<TestLog> {
        Some(TestLog {
            sequence: self.sequence.clone(),
            counts: self.counts(),
            refused: self.refused.clone(),
            rests: self.times_to_rest(),
            energy_error: self.monitor.energy_error(),
            account: self.hardware.account(),
            loads: self.loads.held().collect(),
        })
    }
}

impl Controller {
    /// Samples without a target, where a stall is rehearsed.
    fn stall(&mut self, memory: &mut [f64]) -> Result<(), Fault> {
        let Some(&[from, samples]) = self.plan.stalls.get(self.stalled) else { return Ok(()) };
        if self.sequence.state() != State::Running || self.tick < from {
            return Ok(());
        }
        self.stalled += 1;
        for _ in 0..samples {
            if let Progress::Over(fault) = self.tick(memory) {
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Where no clock drives it, a paused test takes no samples while it stands.
    fn wait_for_a_word(&mut self) {
        while self.waits_for_a_word() {
            std::thread::sleep(std::time::Duration::from_millis(2));
            self.hear();
            self.show();
        }
    }
}
