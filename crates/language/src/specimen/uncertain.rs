//! What is known of actuators and specimens within intervals only.

use std::ops::Range;

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
}

impl OfActuator {
    /// All of them, by the names of their keys.
    pub fn all(&self) -> [(&'static str, Option<&Known>); 5] {
        [
            ("delay", self.delay.as_ref()),
            ("gain", self.gain.as_ref()),
            ("frequency", self.frequency.as_ref()),
            ("damping", self.damping.as_ref()),
            ("time_constant", self.time_constant.as_ref()),
        ]
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
}
