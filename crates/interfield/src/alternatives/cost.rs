//! What the sides of a divided model cost on this machine. Choices are made by counted work ([`interfield_structure::budget`]); what is measured
//! stands beside it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use interfield_kernel::{Scheme, System};
use interfield_structure::Simulation;

/// How long one thing is measured, and the repetitions of which the shortest counts.
const MEASURED: Duration = Duration::from_micros(300);
const REPEATED: usize = 5;
/// What takes longer is measured twice.
const LONG: Duration = Duration::from_millis(5);

/// Evaluations of the forces in a step of a part; of one that iterates some.
fn evaluations(sim: &Simulation, i: usize) -> f64 {
    f64::from(sim.part(i).model.analysis.scheme.evaluations().unwrap_or(3))
}

/// Times on this machine, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// A step of the coarse side: forces and solution.
    pub coarse: f64,
    /// Its laws that can be computed apart, where there are any.
    pub apart: Option<f64>,
    /// A step of the fine side, without laboratory.
    pub fine: f64,
}

/// Measures the sides of a model that is computed.
pub(super) fn measure(sim: &mut Simulation) -> Measured {
    let mut found = Measured::default();
    for i in 0..sim.count() {
        let time = evaluations(sim, i) * evaluation(sim, i);
        if sim.part(i).fine {
            found.fine += time;
        } else {
            found.coarse += time;
            if let Some(laws) = laws(sim, i) {
                found.apart = Some(found.apart.unwrap_or(0.0) + laws);
            }
        }
    }
    found
}

/// Time of a macro-step, the start-up apart; `None` where a step fails.
pub(super) fn macro_step(sim: &mut Simulation) -> Option<f64> {
    let mut k = 0;
    let settled = sim.coupling.settled() + 1;
    let mut step = || {
        let done = sim.coupling.step(k).is_ok();
        k += 1;
        done
    };
    (0..settled).all(|_| step()).then(|| shortest(&mut step))?
}

/// Forces and solution of part `i`.
fn evaluation(sim: &mut Simulation, i: usize) -> f64 {
    let dims = sim.coupling.dims_of(i);
    let (system, x) = sim.coupling.at_node(i);
    let mut y = x[..dims.state()].to_vec();
    let (mut r, mut g) = (vec![0.0; dims.nu], vec![0.0; dims.ns]);
    let memory = system.memory().to_vec();
    let has_operator = !system.solvers().is_empty();
    let found = shortest(&mut || {
        // Laws are moved, back and forth, as in a run.
        y.iter_mut().take(dims.nu).for_each(|u| *u = -*u + 1e-9);
        let done = system.force(dims.point(0.0, &y), None, &mut r, &mut g).is_ok();
        if has_operator {
            system.solve(0, &mut r, &mut g);
        }
        black_box(&r);
        done
    });
    system.memory_mut().copy_from_slice(&memory);
    found.unwrap_or(f64::NAN)
}

/// The laws of part `i` that can be computed apart.
fn laws(sim: &mut Simulation, i: usize) -> Option<f64> {
    let laws = sim.coupling.at_node(i).0.laws()?;
    let [n, memory] = laws.size();
    if n == 0 {
        return None;
    }
    let (mut x, mut z, mut f) = (vec![1e-9; n], vec![0.0; memory], vec![0.0; n]);
    shortest(&mut || {
        x.iter_mut().for_each(|x| *x = -*x);
        laws.follow(&x, &mut z, &mut f).is_ok()
    })
}

/// The shortest mean time of some rounds: what else runs on the machine makes it longer, nothing makes it shorter. `None` where it fails.
fn shortest(work: &mut dyn FnMut() -> bool) -> Option<f64> {
    let mut least = f64::INFINITY;
    for round in 0..REPEATED {
        let (start, mut done) = (Instant::now(), 0u32);
        while done == 0 || start.elapsed() < MEASURED {
            if !work() {
                return None;
            }
            done += 1;
        }
        least = least.min(start.elapsed().as_secs_f64() / f64::from(done));
        // Twice at least: something else may have had the processor.
        if round > 0 && least > LONG.as_secs_f64() {
            break;
        }
    }
    Some(least)
}
