//! What an actuator cannot do: go beyond its stroke, faster than its valve lets it, push harder than its piston.

use super::{Actuator, Hydraulic, Reached, Specimen};

/// Limits; infinite where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest displacement, m.
    pub stroke: f64,
    /// Largest velocity, m/s.
    pub velocity: f64,
    /// Largest restoring force, N: beyond it the piston stalls, and moves only where the force falls. Inertia does not count: an actuator without
    /// mass of its own would stop within a sample, and the jolt would free it again.
    pub force: f64,
}

impl Limits {
    /// None.
    pub const NONE: Limits = Limits { stroke: f64::INFINITY, velocity: f64::INFINITY, force: f64::INFINITY };
}

/// An actuator within limits.
pub struct Limited {
    inner: Box<dyn Actuator>,
    limits: Limits,
    dt: f64,
}

/// The command after the limits, and the restoring force at the last sample.
const OWN: usize = 2;

impl Limited {
    /// This actuator, sampled every `dt` seconds; signs of limits do not count, a limit that is no number is none.
    pub fn new(inner: Box<dyn Actuator>, limits: Limits, dt: f64) -> Self {
        let size = |x: f64| if x.is_nan() { f64::INFINITY } else { x.abs() };
        let Limits { stroke, velocity, force } = limits;
        Limited { inner, limits: Limits { stroke: size(stroke), velocity: size(velocity), force: size(force) }, dt }
    }
}

impl Actuator for Limited {
    fn memory(&self) -> usize {
        OWN + self.inner.memory()
    }
    fn advance(&self, memory: &mut [f64], command: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        let limited = self.limited(memory, command);
        let (own, inner) = memory.split_at_mut(OWN);
        let reached = self.inner.advance(inner, limited, specimen);
        own[1] = reached.force - specimen.mass() * reached.a;
        reached
    }

    fn feels(&self) -> Option<Hydraulic> {
        self.inner.feels()
    }

    fn pass(&self, memory: &mut [f64], command: [f64; 2]) -> [f64; 2] {
        let limited = self.limited(memory, command);
        self.inner.pass(&mut memory[OWN..], limited)
    }

    fn settle(&self, memory: &mut [f64], force: f64) {
        memory[1] = force;
        self.inner.settle(&mut memory[OWN..], force);
    }
}

impl Limited {
    /// The command after the limits, before and now.
    fn limited(&self, own: &mut [f64], command: [f64; 2]) -> [f64; 2] {
        let [before, force] = [own[0], own[1]];
        let step = self.limits.velocity * self.dt;
        let wanted = command[1].clamp(-self.limits.stroke, self.limits.stroke);
        let change = wanted - before;
        let now = match change {
            // Whatever the force: back is always open.
            change if force.abs() > self.limits.force && force * change > 0.0 => before,
            change if change.abs() > step => before + step.copysign(change),
            _ => wanted,
        };
        own[0] = now;
        [before, now]
    }
}
