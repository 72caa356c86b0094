//! An actuator that hears its command late.

use std::f64::consts::TAU;

use super::{Actuator, Hydraulic, Reached, Specimen};
use crate::signal::line;

/// Any actuator behind a delay of delay + swing sin(2π frequency t), any fraction of a sample; commands are linear between
/// samples.
pub struct Delayed {
    inner: Box<dyn Actuator>,
    dt: f64,
    delay: f64,
    swing: f64,
    frequency: f64,
}

/// The delayed command of the last sample, and a count of samples for a delay that swings.
const OWN: usize = 2;

impl Delayed {
    /// A constant delay in seconds, samples every `dt` seconds.
    pub fn new(inner: Box<dyn Actuator>, delay: f64, dt: f64) -> Self {
        Self::varying(inner, [delay, 0.0, 0.0], dt)
    }

    /// A delay that swings by so many seconds at a frequency, Hz; it never becomes negative.
    pub fn varying(inner: Box<dyn Actuator>, [delay, swing, frequency]: [f64; 3], dt: f64) -> Self {
        Delayed { inner, dt, delay: delay.max(0.0), swing, frequency }
    }

    fn samples(&self) -> usize {
        ((self.delay + self.swing.abs()) / self.dt).ceil() as usize + 2
    }
}

impl Actuator for Delayed {
    fn memory(&self) -> usize {
        OWN + line::memory(self.samples()) + self.inner.memory()
    }

    fn advance(&self, memory: &mut [f64], command: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        let (command, inner) = self.delayed(memory, command);
        self.inner.advance(inner, command, specimen)
    }

    fn feels(&self) -> Option<Hydraulic> {
        self.inner.feels()
    }

    fn pass(&self, memory: &mut [f64], command: [f64; 2]) -> [f64; 2] {
        let (command, inner) = self.delayed(memory, command);
        self.inner.pass(inner, command)
    }

    fn settle(&self, memory: &mut [f64], force: f64) {
        self.inner.settle(&mut memory[OWN + line::memory(self.samples())..], force);
    }
}

impl Delayed {
    /// The command as it was heard before and is heard now, and the memory of the actuator inside.
    fn delayed<'m>(&self, memory: &'m mut [f64], command: [f64; 2]) -> ([f64; 2], &'m mut [f64]) {
        let (own, rest) = memory.split_at_mut(OWN);
        let (commands, inner) = rest.split_at_mut(line::memory(self.samples()));
        line::push(commands, command[1]);
        // Nothing is kept that is not needed: it would be a motion that never ends to whoever probes the loop.
        own[1] = if self.swing != 0.0 { own[1] + 1.0 } else { 0.0 };
        let delay = self.delay + self.swing * (TAU * self.frequency * own[1] * self.dt).sin();
        let now = line::ago_between(commands, delay / self.dt);
        let before = std::mem::replace(&mut own[0], now);
        ([before, now], inner)
    }
}
