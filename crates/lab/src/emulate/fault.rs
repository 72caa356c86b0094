//! Faults on purpose.

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Misfortune {
    /// The displacement sensor stands still.
    FrozenDisplacement,
    /// The load cell stands still.
    FrozenForce,
    /// Readings do not arrive.
    Silence,
    /// The load cell shows this much more, N.
    Spike(f64),
    /// The displacement sensor shows this much more, m.
    Offset(f64),
    /// The load cell shows no number.
    NotANumber,
    /// Commands arrive so many samples later.
    Delay(usize),
    /// The connection is gone.
    Gone,
    /// Somebody presses the emergency stop.
    EmergencyStop,
}

/// A fault and when it happens, in samples of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Injection {
    /// What.
    pub what: Misfortune,
    /// Actuator; all of them if none is named, and no sensor.
    pub actuator: Option<usize>,
    /// Sensor of its own, besides those of the actuators: transducers, then load cells.
    pub sensor: Option<usize>,
    /// First sample.
    pub from: u64,
    /// Number of samples.
    pub samples: u64,
}

impl Injection {
    /// Whether it happens at this sample.
    pub fn is_on(&self, tick: u64) -> bool {
        (self.from..self.from.saturating_add(self.samples)).contains(&tick)
    }

    /// Samples by which it delays commands.
    pub(super) fn delay(&self) -> usize {
        if let Misfortune::Delay(samples) = self.what { samples } else { 0 }
    }

    /// Whether it strikes this actuator.
    pub(super) fn strikes_actuator(&self, i: usize) -> bool {
        self.sensor.is_none() && self.actuator.is_none_or(|a| a == i)
    }

    /// Changes what a sensor of its own shows, last shown `before`.
    pub(super) fn spoil_one(&self, shown: &mut f64, before: f64) {
        match self.what {
            Misfortune::FrozenDisplacement | Misfortune::FrozenForce => *shown = before,
            Misfortune::Spike(size) | Misfortune::Offset(size) => *shown += size,
            Misfortune::NotANumber => *shown = f64::NAN,
            Misfortune::Silence | Misfortune::Delay(_) | Misfortune::Gone | Misfortune::EmergencyStop => {}
        }
    }

    /// Changes what the sensors of an actuator show: [displacement, force], last shown `before`.
    pub(super) fn spoil(&self, shown: &mut [f64; 2], before: [f64; 2]) {
        match self.what {
            Misfortune::FrozenDisplacement => shown[0] = before[0],
            Misfortune::FrozenForce => shown[1] = before[1],
            Misfortune::Spike(size) => shown[1] += size,
            Misfortune::Offset(size) => shown[0] += size,
            Misfortune::NotANumber => shown[1] = f64::NAN,
            Misfortune::Silence | Misfortune::Delay(_) | Misfortune::Gone | Misfortune::EmergencyStop => {}
        }
    }
}
