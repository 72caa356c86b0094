//! The blocks of the laboratory against closed forms, and the benchmark on a motion of our own.

mod compensators;
mod coupled;
mod filters;
mod finite_rotations;
mod guard;
mod host;
mod indicators;
mod marths;
mod partner;
mod plants;
mod rig;
mod safety;
mod verdict;
mod vrths;

use interfield_kernel::scheme::registry::{Argument, Arguments};
use interfield_lab::compensate::{Compensation, Compensator, find};
use interfield_testkit::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Sampling interval of most tests, s.
const DT: f64 = 1.0 / 1024.0;

/// A method by name with numbers as parameters.
fn method(name: &str, parameters: &[(&str, Argument<'_>)]) -> Compensation {
    let info = find(name).unwrap_or_else(|| panic!("no method `{name}`"));
    (info.build)(Arguments(parameters)).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// A compensator that feels what an actuator does: commands and what was reached, sample by sample.
fn follow(
    compensator: &dyn Compensator,
    samples: usize,
    target: impl Fn(usize) -> f64,
    mut plant: impl FnMut(f64) -> f64,
) -> Vec<f64> {
    let mut memory = vec![0.0; compensator.memory()];
    let mut reached = 0.0;
    let step = |k: usize| {
        let command = compensator.command(&mut memory, target(k), reached);
        let before = reached;
        reached = plant(command);
        before
    };
    (0..samples).map(step).collect()
}
