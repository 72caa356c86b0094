//! The known part of the loop of a model: structure, coupling, controllers, compensation. In the place of actuators and specimens stands hardware that
//! says what is written into its memory and writes down what it is told, so that one step of the model is a map from measurements to commands.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use interfield_analysis::certificate::Rest;
use interfield_analysis::stability::{Options, step_matrix};
use interfield_kernel::{Archive, StepMap};
use interfield_lab::hardware::{Hardware, Reply};
use interfield_language::specimen::Specimen;
use interfield_language::{Model, Problem};
use interfield_structure::Simulation;
use interfield_structure::linearised::linearised;
use interfield_structure::specimen::Workshop;

/// Longest state whose step is written down entry by entry.
const LONGEST: usize = 700;
/// Largest number of samples of all actuators in one step.
const MOST: usize = 256;

/// Hardware that has its measurements in its memory, sample by sample displacement and force of each actuator, and its commands behind them.
struct Tap {
    actuators: usize,
    samples: usize,
    count: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<f64>>>,
}

impl Hardware for Tap {
    fn actuators(&self) -> usize {
        self.actuators
    }

    fn memory(&self) -> usize {
        3 * self.actuators * self.samples
    }

    fn persist(&mut self, _: &mut dyn Archive) {}

    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let (m, count) = (self.actuators, self.count.fetch_add(1, Ordering::Relaxed));
        if self.samples == 0 {
            displacement[..m].fill(0.0);
            force[..m].fill(0.0);
            return Reply::Fresh;
        }
        let sample = count % self.samples;
        if sample == 0 {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.clear();
            seen.extend_from_slice(memory);
        }
        let (measured, commands) = memory.split_at_mut(2 * m * self.samples);
        for i in 0..m {
            displacement[i] = measured[2 * (sample * m + i)];
            force[i] = measured[2 * (sample * m + i) + 1];
        }
        commands[sample * m..(sample + 1) * m].copy_from_slice(command);
        Reply::Fresh
    }

    fn has_instruments(&self) -> bool {
        false
    }

    fn is_emulated(&self) -> bool {
        true
    }
}

/// All of them: for each specimen its samples so far, and what its memory held at the beginning of the last step.
#[derive(Default)]
struct Taps {
    samples: Vec<usize>,
    counts: Vec<Arc<AtomicUsize>>,
    seen: Vec<Arc<Mutex<Vec<f64>>>>,
}

impl Workshop for Taps {
    fn hardware(&mut self, specimen: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        let samples = self.samples.get(self.counts.len()).copied().unwrap_or(0);
        let (count, seen) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<f64>>>::default());
        self.counts.push(count.clone());
        self.seen.push(seen.clone());
        Ok(Some(Box::new(Tap { actuators: specimen.actuators.len(), samples, count, seen })))
    }

    fn linear(&self) -> bool {
        true
    }
}

impl Taps {
    /// A model with these taps; the error is a sentence.
    fn start(model: &Model, samples: Vec<usize>) -> Result<(Simulation, Taps), String> {
        let mut taps = Taps { samples, ..Taps::default() };
        let first = |p: Vec<Problem>| p.first().map_or_else(|| "the test cannot start".into(), |p| p.message.clone());
        let machine = Simulation::in_workshop(model.clone(), &mut taps).map_err(first)?;
        Ok((machine, taps))
    }

    /// Makes one step, and says how many samples each specimen took.
    fn step(&self, map: &mut dyn StepMap) -> Result<Vec<usize>, String> {
        self.counts.iter().for_each(|c| c.store(0, Ordering::Relaxed));
        let k = map.settled();
        map.step(k).map_err(|_| "a step of the structure without its specimens fails".to_owned())?;
        Ok(self.counts.iter().map(|c| c.load(Ordering::Relaxed)).collect())
    }
}

/// The known part of the loop of a model over one step; the error is a sentence.
pub(super) fn rest_of(model: &Model) -> Result<Rest, String> {
    let linear = linearised(model);
    let model = linear.as_ref().unwrap_or(model);
    let (mut machine, taps) = Taps::start(model, Vec::new())?;
    // The first step teaches the controllers how long a step takes.
    taps.step(machine.coupling.as_mut())?;
    let samples = taps.step(machine.coupling.as_mut())?;
    let actuators: Vec<usize> = model.specimens.iter().map(|s| s.actuators.len()).collect();
    let (Some(&first), all) = (samples.first(), actuators.iter().sum::<usize>()) else {
        return Err("the model has no specimen".to_owned());
    };
    if samples.iter().any(|n| *n != first) || first == 0 {
        return Err("its specimens take different numbers of samples in a step".to_owned());
    }
    if first * all > MOST {
        return Err(format!("a step takes {first} samples of {all} actuators, more than are examined"));
    }
    let (mut machine, taps) = Taps::start(model, samples)?;
    let map = machine.coupling.as_mut();
    if map.len() > LONGEST {
        return Err(format!("the state of a step has {} numbers, more than are examined", map.len()));
    }
    taps.step(map)?;
    taps.step(map)?;
    // Every number of the state is its place, so that the memories say where they are.
    let saved = map.state().to_vec();
    map.state_mut().iter_mut().enumerate().for_each(|(i, x)| *x = i as f64);
    let stepped = taps.step(map);
    map.state_mut().copy_from_slice(&saved);
    let places = match stepped {
        Ok(again) if again.iter().all(|n| *n == first) => taps.places(map.len()),
        _ => None,
    }
    .ok_or("the place of the measurements in the state of a step was not found")?;
    let [mut inputs, mut outputs] = [Vec::new(), Vec::new()];
    for sample in 0..first {
        for (m, places) in actuators.iter().zip(&places) {
            inputs.extend(&places[2 * m * sample..2 * m * (sample + 1)]);
            outputs.extend(&places[2 * m * first + m * sample..2 * m * first + m * (sample + 1)]);
        }
    }
    taps.counts.iter().for_each(|c| c.store(0, Ordering::Relaxed));
    let matrix = step_matrix(map, &Options::default())
        .map_err(|_| "a step of the structure without its specimens fails".to_owned())?;
    if !matrix.affine {
        return Err("a step of the structure is not linear in small motions".to_owned());
    }
    if taps.counts.iter().any(|c| c.load(Ordering::Relaxed) % first != 0) {
        return Err("its specimens do not take the same number of samples in every step".to_owned());
    }
    Ok(Rest::from_step(&matrix.entries, matrix.size, &inputs, &outputs, all).without_drift().0)
}

impl Taps {
    /// Places of the memories in a state whose numbers were their places.
    fn places(&self, len: usize) -> Option<Vec<Vec<usize>>> {
        let one = |seen: &Arc<Mutex<Vec<f64>>>| {
            let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let place = |x: &f64| (*x >= 0.0 && x.fract() == 0.0 && *x < len as f64).then_some(*x as usize);
            seen.iter().map(place).collect::<Option<Vec<usize>>>()
        };
        self.seen.iter().map(one).collect()
    }
}
