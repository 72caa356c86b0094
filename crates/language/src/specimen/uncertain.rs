//! What is known of actuators and specimens within intervals only.

use std::f64::consts::TAU;
use std::ops::Range;

use super::{Actuator, Dynamics};

/// A quantity that lies within an interval, SI.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Lowest and highest value.
    pub range: [f64; 2],
    /// Share of a distribution that the interval covers; one where the file gives an interval.
    pub covered: f64,
    /// Where it stands in the text.
    pub span: Range<usize>,
}

impl Known {
    /// Whether it is a single value: the emulated laboratory has it.
    pub fn is_value(&self) -> bool {
        self.range[0] == self.range[1]
    }
}

/// Intervals of an actuator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfActuator {
    /// Delay, s.
    pub delay: Option<Known>,
    /// Stroke over command at rest.
    pub gain: Option<Known>,
    /// Natural frequency, Hz, of a second-order actuator.
    pub frequency: Option<Known>,
    /// Its damping ratio.
    pub damping: Option<Known>,
    /// Time constant of a first-order actuator, s.
    pub time_constant: Option<Known>,
    /// Standard deviation of the noise of its displacement sensor, m (rad).
    pub displacement_noise: Option<Known>,
    /// Standard deviation of the noise of its load cell, N (N m).
    pub force_noise: Option<Known>,
}

impl OfActuator {
    /// All of them, by the names of their keys.
    pub fn all(&self) -> [(&'static str, Option<&Known>); 7] {
        [
            ("delay", self.delay.as_ref()),
            ("gain", self.gain.as_ref()),
            ("frequency", self.frequency.as_ref()),
            ("damping", self.damping.as_ref()),
            ("time_constant", self.time_constant.as_ref()),
            ("displacement_noise", self.displacement_noise.as_ref()),
            ("force_noise", self.force_noise.as_ref()),
        ]
    }
}

/// The numbers of an actuator that may be uncertain, by the names of their keys.
pub struct Numbers<'a> {
    /// Its dynamics.
    pub dynamics: &'a mut Dynamics,
    /// Its constant delay, s.
    pub delay: &'a mut f64,
    /// Noise of its displacement sensor and of its load cell.
    pub noise: [&'a mut f64; 2],
}

impl Numbers<'_> {
    /// Numbers of an actuator.
    pub fn of(actuator: &mut Actuator) -> Numbers<'_> {
        let noise = [&mut actuator.displacement.noise, &mut actuator.force.noise];
        Numbers { dynamics: &mut actuator.dynamics, delay: &mut actuator.delay[0], noise }
    }

    /// One of them; none if the actuator has no such number.
    pub fn get(&self, name: &str) -> Option<f64> {
        match (name, &*self.dynamics) {
            ("delay", _) => return Some(*self.delay),
            ("displacement_noise", _) => return Some(*self.noise[0]),
            ("force_noise", _) => return Some(*self.noise[1]),
            _ => {}
        }
        let Dynamics::Transfer { numerator, denominator } = &*self.dynamics else { return None };
        let (constant, last) = (*numerator.last()?, *denominator.last()?);
        let plain = numerator.len() == 1;
        match (name, &denominator[..]) {
            ("gain", _) => Some(constant / last),
            ("time_constant", [time, one]) if plain => Some(time / one),
            ("frequency", [one, _, square]) if plain => Some((square / one).sqrt() / TAU),
            ("damping", [one, damped, square]) if plain => Some(damped / (2.0 * (one * square).sqrt())),
            _ => None,
        }
    }

    /// Sets one of them, where the actuator has it; all others stay.
    pub fn set(&mut self, name: &str, value: f64) {
        match name {
            "delay" => return *self.delay = value,
            "displacement_noise" => return *self.noise[0] = value,
            "force_noise" => return *self.noise[1] = value,
            _ => {}
        }
        let known = ["gain", "frequency", "damping"].map(|n| self.get(n));
        let Dynamics::Transfer { numerator, denominator } = &mut *self.dynamics else { return };
        let [gain, frequency, damping] = known;
        match (name, gain, frequency, damping) {
            ("gain", Some(own), ..) => numerator.iter_mut().for_each(|x| *x *= value / own),
            ("time_constant", Some(gain), ..) if denominator.len() == 2 => {
                (*numerator, *denominator) = (vec![gain], vec![value, 1.0]);
            }
            ("frequency" | "damping", Some(gain), Some(frequency), Some(damping)) => {
                let (frequency, damping) = if name == "frequency" { (value, damping) } else { (frequency, value) };
                let w = TAU * frequency;
                (*numerator, *denominator) = (vec![gain * w * w], vec![1.0, 2.0 * damping * w, w * w]);
            }
            _ => {}
        }
    }
}

/// Intervals of a specimen: factors on what its elements and masses say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfSpecimen {
    /// On its restoring forces.
    pub stiffness: Option<Known>,
    /// On its damping.
    pub damping: Option<Known>,
    /// On its mass.
    pub mass: Option<Known>,
}

impl OfSpecimen {
    /// All of them, by the names of their keys.
    pub fn all(&self) -> [(&'static str, Option<&Known>); 3] {
        [("stiffness", self.stiffness.as_ref()), ("damping", self.damping.as_ref()), ("mass", self.mass.as_ref())]
    }

    /// What the emulated specimen has: single values, and one for all others.
    pub fn factors(&self) -> [f64; 3] {
        self.all().map(|(_, known)| known.filter(|k| k.is_value()).map_or(1.0, |k| k.range[0]))
    }

    /// The same with these factors as what the emulated specimen has.
    #[must_use]
    pub fn with_factors(&self, factors: [f64; 3]) -> Self {
        let one = |factor: f64| Some(Known { range: [factor; 2], covered: 1.0, span: 0..0 });
        let [stiffness, damping, mass] = factors.map(one);
        OfSpecimen { stiffness, damping, mass }
    }
}
