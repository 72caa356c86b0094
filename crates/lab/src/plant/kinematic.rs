//! Actuators without inertia: the ideal one, and one that is late.
//!
//! Velocities and accelerations are differences of what was reached.

use std::f64::consts::TAU;

use super::{Actuator, Reached, Specimen};
use crate::signal::line;

/// Is where the command is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    dt: f64,
}

impl Ideal {
    /// Sampled every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Ideal { dt }
    }
}

/// Position and velocity of the last sample.
const MOTION: usize = 2;

fn arrive(memory: &mut [f64], x: f64, dt: f64, specimen: &mut dyn Specimen) -> Reached {
    let v = (x - memory[0]) / dt;
    let a = (v - memory[1]) / dt;
    memory[..MOTION].copy_from_slice(&[x, v]);
    Reached::imposed(x, v, a, specimen)
}

impl Actuator for Ideal {
    fn memory(&self) -> usize {
        MOTION
    }
    fn advance(&self, memory: &mut [f64], command: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        arrive(memory, command[1], self.dt, specimen)
    }
}

/// Follows late by delay + swing sin(2π frequency t), any fraction of a sample; commands are linear between samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    dt: f64,
    delay: f64,
    swing: f64,
    frequency: f64,
}

impl Delay {
    /// A constant delay in seconds.
    pub fn new(delay: f64, dt: f64) -> Self {
        Self::varying(delay, 0.0, 0.0, dt)
    }

    /// A delay that swings by so many seconds at a frequency, Hz; it never becomes negative.
    pub fn varying(delay: f64, swing: f64, frequency: f64, dt: f64) -> Self {
        Delay { dt, delay: delay.max(0.0), swing, frequency }
    }

    fn samples(&self) -> usize {
        ((self.delay + self.swing.abs()) / self.dt).ceil() as usize + 2
    }
}

impl Actuator for Delay {
    fn memory(&self) -> usize {
        MOTION + 1 + line::memory(self.samples())
    }
    fn advance(&self, memory: &mut [f64], command: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        let (motion, rest) = memory.split_at_mut(MOTION);
        let (count, commands) = rest.split_at_mut(1);
        count[0] += 1.0;
        line::push(commands, command[1]);
        let delay = self.delay + self.swing * (TAU * self.frequency * count[0] * self.dt).sin();
        arrive(motion, line::ago_between(commands, delay / self.dt), self.dt, specimen)
    }
}
