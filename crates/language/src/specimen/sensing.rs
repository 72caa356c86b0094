//! What measures a specimen: transducers and load cells besides those of its actuators.

use interfield_lab::emulate::Sensor;
use interfield_lab::fieldbus::Field;
use interfield_lab::kinematics::Lever;
use interfield_lab::safety::{Limits, Names};

use super::{Specimen, unit};
use crate::units::{Dimension, UnitSystem};

/// A transducer or a load cell.
#[derive(Clone, Debug)]
pub struct Instrument {
    /// Its name.
    pub name: String,
    /// Whether it measures an angle, or a moment.
    pub turns: bool,
    /// What it measures, or along which it measures a force.
    pub lever: Lever,
    /// The actuator whose own sensor it is; none: a further one.
    pub actuator: Option<usize>,
    /// Its errors, in the emulated laboratory.
    pub sensor: Sensor,
    /// Instrument = gain · physical + offset, SI.
    pub calibration: [f64; 2],
    /// What it must not show, where that is not said of the whole specimen.
    pub limits: Limits,
    /// Its place on a fieldbus.
    pub wiring: Option<Field>,
}

impl Instrument {
    /// Name and size in SI of the unit in which a quantity of it is told.
    pub fn unit(&self, dim: Dimension, units: &UnitSystem) -> (String, f64) {
        unit(self.turns, dim, units)
    }
}

impl Specimen {
    /// Transducers besides those of the actuators.
    pub fn further_transducers(&self) -> impl Iterator<Item = &Instrument> {
        self.transducers.iter().filter(|t| t.actuator.is_none())
    }

    /// Load cells besides those of the actuators.
    pub fn further_load_cells(&self) -> impl Iterator<Item = &Instrument> {
        self.load_cells.iter().filter(|c| c.actuator.is_none())
    }

    /// Limits of a transducer: its own, and those of the specimen on what is measured where it has none.
    pub fn limits_of_transducer(&self, transducer: &Instrument) -> Limits {
        let Limits { measured_displacement, measured_velocity, measured_acceleration, frozen, disagreement, .. } =
            self.limits_for(transducer);
        let none = Limits::none();
        Limits { measured_displacement, measured_velocity, measured_acceleration, frozen, disagreement, ..none }
    }

    /// Limits of a load cell: its own, and those of the specimen on forces where it has none.
    pub fn limits_of_load_cell(&self, cell: &Instrument) -> Limits {
        let Limits { force, force_rate, frozen, .. } = self.limits_for(cell);
        Limits { force, force_rate, frozen, ..Limits::none() }
    }

    fn limits_for(&self, instrument: &Instrument) -> Limits {
        match instrument.turns == self.counts_angles() {
            true => instrument.limits.or(self.limits),
            false => instrument.limits,
        }
    }

    /// What its instruments are called.
    pub fn names(&self) -> Names {
        let transducers = self.further_transducers().map(|t| format!("transducer {}", t.name));
        let load_cells = self.further_load_cells().map(|c| format!("load cell {}", c.name));
        Names {
            actuators: self.actuators.iter().map(|a| a.name.clone()).collect(),
            sensors: transducers.chain(load_cells).collect(),
        }
    }
}
