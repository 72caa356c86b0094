//! Excitation of a rig for its identification: a small multisine, chirp or noise per actuator, one after the other, from rest to rest,
//! through the guard.

use std::f64::consts::{PI, TAU};

use super::Record;
use crate::guard::{Envelope, Guard};
use crate::hardware::{Hardware, Reply};

/// Rest before and after the motion of each actuator, s.
const REST: f64 = 1.0;
/// Share of the time in which a motion begins and ends.
const TAPER: f64 = 0.1;
/// Largest share of the velocity and acceleration of an actuator that is used.
const SHARE: f64 = 0.5;

/// What moves an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Waves at all frequencies together, with phases at which they never meet.
    Multisine,
    /// One wave whose frequency rises, each octave in the same time.
    Chirp,
    /// Waves with phases drawn from a seed.
    Noise(u64),
}

/// What moves each actuator.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// Kind of motion.
    pub shape: Shape,
    /// Frequencies, Hz.
    pub band: [f64; 2],
    /// Largest displacement of each actuator, m (rad).
    pub amplitudes: Vec<f64>,
    /// Time for each actuator, s.
    pub duration: f64,
}

/// A motion with what it asks for, and which bound made it as large as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// A value per sample, m (rad).
    pub values: Vec<f64>,
    /// Largest displacement, velocity and acceleration.
    pub most: [f64; 3],
    /// What they may be here: the amplitude within the position, half of velocity and acceleration.
    pub bounds: [f64; 3],
}

impl Excitation {
    /// What is wrong with it at a sampling interval; a sentence.
    ///
    /// # Errors
    /// That.
    pub fn check(&self, dt: f64) -> Result<(), String> {
        if !(self.band[0] > 0.0 && self.band[1] > self.band[0] && self.duration.is_finite()) {
            return Err("the frequencies must be greater than zero, and the second greater than the first".to_owned());
        }
        if self.band[1] > 0.2 / dt {
            return Err(format!("frequencies up to {:.4} Hz can be identified at this rate", 0.2 / dt));
        }
        if self.duration * self.band[0] < 1.0 {
            return Err("the duration must have one cycle of the lowest frequency at least".to_owned());
        }
        Ok(())
    }

    /// The motion of an actuator within its envelope.
    pub fn motion(&self, amplitude: f64, may: &Envelope, dt: f64) -> Motion {
        let samples = (self.duration / dt).round() as usize;
        let taper = |t: f64| {
            let edge = (t.min(self.duration - t) / (TAPER * self.duration)).clamp(0.0, 1.0);
            (0.5 * PI * edge).sin().powi(4)
        };
        let bounds = [amplitude.min(may.position[1]), SHARE * may.velocity, SHARE * may.acceleration];
        let wave = self.wave(bounds);
        let mut values: Vec<f64> = (0..samples).map(|s| taper(s as f64 * dt) * wave(s as f64 * dt)).collect();
        let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0f64, |m, x| m.max(x.abs()));
        let most = [
            largest(&mut values.iter().copied()),
            largest(&mut values.windows(2).map(|x| (x[1] - x[0]) / dt)),
            largest(&mut values.windows(3).map(|x| (x[2] - 2.0 * x[1] + x[0]) / (dt * dt))),
        ];
        let factor = bounds.iter().zip(most).map(|(bound, most)| bound / most).fold(f64::INFINITY, f64::min);
        values.iter_mut().for_each(|x| *x *= factor);
        Motion { values, most: most.map(|x| x * factor), bounds }
    }

    /// The motion before its beginning and end are made gentle, of any size.
    fn wave(&self, [amplitude, velocity, acceleration]: [f64; 3]) -> Box<dyn Fn(f64) -> f64> {
        let (duration, [low, high]) = (self.duration, self.band);
        let step = 1.0 / duration;
        let [first, last] = self.band.map(|f| (f / step).round().max(1.0) as usize);
        match self.shape {
            Shape::Multisine => {
                // Phases of Schroeder (IEEE Trans. Inf. Theory 16:85-89, 1970): no moment at which all waves meet.
                let count = (last + 1).saturating_sub(first).max(1) as f64;
                let wave = move |k: usize, t: f64| {
                    let place = (k - first) as f64;
                    (TAU * k as f64 * step * t - PI * place * (place + 1.0) / count).cos() / (k as f64).sqrt()
                };
                Box::new(move |t| (first..=last).map(|k| wave(k, t)).sum())
            }
            Shape::Chirp => {
                let rate = (high / low).ln() / duration;
                // As large as every bound allows at this frequency.
                Box::new(move |t| {
                    let f = low * (rate * t).exp();
                    let size = amplitude.min(velocity / (TAU * f)).min(acceleration / (TAU * f).powi(2));
                    size * (TAU * low * ((rate * t).exp() - 1.0) / rate).sin()
                })
            }
            Shape::Noise(seed) => {
                let mut state = seed;
                let phases: Vec<f64> = (first..=last).map(|_| TAU * uniform(&mut state)).collect();
                Box::new(move |t| {
                    let each = (first..=last).zip(&phases);
                    each.map(|(k, phase)| (TAU * k as f64 * step * t + phase).cos() / (k as f64).sqrt()).sum()
                })
            }
        }
    }
}

/// A number from 0 to 1 (SplitMix64).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Moves a rig that is told metres, and tells them, and records it: every actuator by itself, then the record is complete.
///
/// # Errors
/// A sentence: a rig that does not answer, or shows no numbers.
pub fn characterise(
    hardware: &mut dyn Hardware,
    guards: &mut [Guard],
    excitation: &Excitation,
    dt: f64,
) -> Result<Record, String> {
    excitation.check(dt)?;
    let m = hardware.actuators();
    let rest = (REST / dt).ceil() as usize;
    let mut asked = vec![Vec::new(); m];
    for active in 0..m {
        let motion = excitation.motion(excitation.amplitudes[active], guards[active].envelope(), dt);
        let samples = motion.values.len() + rest;
        for (i, list) in asked.iter_mut().enumerate() {
            let own = if i == active { motion.values.clone() } else { Vec::new() };
            let missing = samples - own.len();
            list.extend(own.into_iter().chain(std::iter::repeat_n(0.0, missing)));
        }
    }
    Ok(play(hardware, guards, &asked, dt)?.0)
}

/// Moves a rig as it is asked, one list per actuator, through its guards; what was sent, reached and felt.
///
/// # Errors
/// A sentence: a rig that does not answer.
pub fn play(
    hardware: &mut dyn Hardware,
    guards: &mut [Guard],
    asked: &[Vec<f64>],
    dt: f64,
) -> Result<(Record, Vec<Vec<f64>>), String> {
    let m = hardware.actuators();
    let mut memory = vec![0.0; hardware.memory()];
    let [transducers, load_cells] = hardware.sensors();
    let (mut sent, mut shown, mut felt) = (vec![0.0; m], vec![0.0; m + transducers], vec![0.0; m + load_cells]);
    let mut record = Record { commands: vec![Vec::new(); m], strokes: vec![Vec::new(); m], dt };
    let mut forces = vec![Vec::new(); m];
    for k in 0..asked.first().map_or(0, Vec::len) {
        for i in 0..m {
            sent[i] = guards[i].pass(asked[i][k]).command;
            record.commands[i].push(sent[i]);
        }
        if hardware.exchange(&mut memory, &sent, &mut shown, &mut felt) != Reply::Fresh {
            return Err("the rig did not answer".to_owned());
        }
        (0..m).for_each(|i| record.strokes[i].push(shown[i]));
        (0..m).for_each(|i| forces[i].push(felt[i]));
    }
    Ok((record, forces))
}
