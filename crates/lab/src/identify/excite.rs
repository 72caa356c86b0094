//! Excitation of a rig for its identification: a small multisine per actuator, one after the other, from rest to rest, through the guard.

use std::f64::consts::{PI, TAU};

use super::Record;
use crate::guard::Guard;
use crate::hardware::{Hardware, Reply};

/// Rest before and after the motion of each actuator, s.
const REST: f64 = 1.0;
/// Share of the time in which a motion begins and ends.
const TAPER: f64 = 0.1;
/// Largest share of the velocity and acceleration of an actuator that is used.
const SHARE: f64 = 0.5;

/// What moves each actuator.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// Frequencies, Hz.
    pub band: [f64; 2],
    /// Largest displacement of each actuator, m (rad).
    pub amplitudes: Vec<f64>,
    /// Time for each actuator, s.
    pub duration: f64,
}

impl Excitation {
    /// The motion of an actuator within its envelope, a value per sample.
    fn motion(&self, amplitude: f64, guard: &Guard, dt: f64) -> Vec<f64> {
        let samples = (self.duration / dt).round() as usize;
        let step = 1.0 / self.duration;
        let [first, last] = self.band.map(|f| (f / step).round().max(1.0) as usize);
        // Phases of Schroeder (IEEE Trans. Inf. Theory 16:85-89, 1970): no moment at which all waves meet.
        let count = (last + 1).saturating_sub(first).max(1) as f64;
        let wave = |k: usize, t: f64| {
            let place = (k - first) as f64;
            (TAU * k as f64 * step * t - PI * place * (place + 1.0) / count).cos() / (k as f64).sqrt()
        };
        let taper = |t: f64| {
            let edge = (t.min(self.duration - t) / (TAPER * self.duration)).clamp(0.0, 1.0);
            (0.5 * PI * edge).sin().powi(4)
        };
        let at = |s: usize| {
            let t = s as f64 * dt;
            taper(t) * (first..=last).map(|k| wave(k, t)).sum::<f64>()
        };
        let mut motion: Vec<f64> = (0..samples).map(at).collect();
        let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0f64, |m, x| m.max(x.abs()));
        let most = [
            largest(&mut motion.iter().copied()),
            largest(&mut motion.windows(2).map(|x| (x[1] - x[0]) / dt)),
            largest(&mut motion.windows(3).map(|x| (x[2] - 2.0 * x[1] + x[0]) / (dt * dt))),
        ];
        let may = guard.envelope();
        let bounds = [amplitude.min(may.position[1]), SHARE * may.velocity, SHARE * may.acceleration];
        let factor = bounds.iter().zip(most).map(|(bound, most)| bound / most).fold(f64::INFINITY, f64::min);
        motion.iter_mut().for_each(|x| *x *= factor);
        motion
    }
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
    let m = hardware.actuators();
    if !(excitation.band[0] > 0.0 && excitation.band[1] > excitation.band[0] && excitation.duration.is_finite()) {
        return Err("the frequencies must be greater than zero, and the second greater than the first".to_owned());
    }
    if excitation.band[1] > 0.2 / dt {
        return Err(format!("frequencies up to {:.4} Hz can be identified at this rate", 0.2 / dt));
    }
    if excitation.duration * excitation.band[0] < 1.0 {
        return Err("the duration must have one cycle of the lowest frequency at least".to_owned());
    }
    let mut memory = vec![0.0; hardware.memory()];
    let [transducers, load_cells] = hardware.sensors();
    let (mut sent, mut shown, mut felt) = (vec![0.0; m], vec![0.0; m + transducers], vec![0.0; m + load_cells]);
    let mut record = Record { commands: vec![Vec::new(); m], strokes: vec![Vec::new(); m], dt };
    let rest = (REST / dt).ceil() as usize;
    for active in 0..m {
        let motion = excitation.motion(excitation.amplitudes[active], &guards[active], dt);
        for asked in motion.into_iter().chain(std::iter::repeat_n(0.0, rest)) {
            for i in 0..m {
                sent[i] = guards[i].pass(if i == active { asked } else { 0.0 }).command;
                record.commands[i].push(sent[i]);
            }
            if hardware.exchange(&mut memory, &sent, &mut shown, &mut felt) != Reply::Fresh {
                return Err("the rig did not answer".to_owned());
            }
            (0..m).for_each(|i| record.strokes[i].push(shown[i]));
        }
    }
    Ok(record)
}
