//! Many runs of one model: what is varied, how the runs are shared out over threads, and what they say together.
//!
//! A [`Study`] lists its cases in a fixed order, [`over`] answers them in that order whatever the number of threads,
//! [`trial::run`] is one run reduced to key figures and thinned histories, [`statistics`], [`ida`] and [`fragility`] say what
//! all of them show. All chance comes from a seed (SplitMix64); nothing depends on the order in which runs end.
//!
//! **Must not be here:** files, terminals, plots, the text of a model.

pub mod fragility;
pub mod ground;
pub mod ida;
pub mod normal;
pub mod statistics;
pub mod study;
pub mod trial;
pub mod values;

pub use statistics::{Band, Summary, bands};
pub use study::{Axis, Case, Draw, Role, Sampling, Study};
pub use trial::{Ending, Figure, Outcome};

use std::ops::ControlFlow;

pub use interfield_analysis::scan::{all_cores, each};

/// `work` of every input on so many threads, the answers in the order of the inputs.
///
/// ```
/// let squares = interfield_ensemble::over(&[1, 2, 3], 2, |x| x * x);
/// assert_eq!(squares, [1, 4, 9]);
/// ```
pub fn over<T: Sync, R: Send>(inputs: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut answers: Vec<Option<R>> = inputs.iter().map(|_| None).collect();
    each(inputs, threads, work, |i, answer| {
        answers[i] = Some(answer);
        ControlFlow::Continue(())
    });
    // Every input has been answered: nobody broke off.
    answers.into_iter().flatten().collect()
}
