//! What measures a specimen, against what moves it: directions that nothing measures; and what the controller and the emulated laboratory take of it.

use interfield_lab::emulate::Instruments;
use interfield_lab::fixture::Fixtures;
use interfield_lab::kinematics::Kinematics;
use interfield_lab::safety::Limits;
use interfield_lab::sensing::{Array, Gauge, Sensing};
use interfield_language::specimen::{Instrument, Specimen};

use super::held::direction;

/// What the controller measures with; the error is a sentence for the user. `names` are those of the degrees of freedom.
pub(super) fn sensing(
    specimen: &Specimen,
    names: &[&str],
    (actuators, stiffness): (&Kinematics, &[f64]),
    linear: bool,
) -> Result<Sensing, String> {
    let gauge = |instrument: &Instrument, limits: Limits| Gauge {
        calibration: instrument.calibration,
        limits: if linear { Limits::none() } else { limits },
    };
    let transducers = specimen.further_transducers().map(|t| gauge(t, specimen.limits_of_transducer(t)));
    let load_cells = specimen.further_load_cells().map(|c| gauge(c, specimen.limits_of_load_cell(c)));
    let of_transducers = Words {
        several: "transducers",
        measure: "a displacement",
        help: "add a [[specimen.transducer]] in this direction, or one with actuator = \"NAME\" to use the sensor of an actuator",
    };
    let of_load_cells = Words {
        several: "load cells",
        measure: "a force",
        help: "add a [[specimen.load_cell]] in this direction, or one with actuator = \"NAME\" to use that of an actuator",
    };
    Ok(Sensing {
        gauges: [transducers.collect(), load_cells.collect()],
        transducers: array(specimen, &specimen.transducers, linear),
        load_cells: array(specimen, &specimen.load_cells, linear),
        fixtures: fixtures(specimen, stiffness, linear),
    })
    .and_then(|found| {
        for (array, words) in [(&found.transducers, of_transducers), (&found.load_cells, of_load_cells)] {
            array.as_ref().map_or(Ok(()), |array| words.check(array.kinematics(), names, actuators))?;
        }
        Ok(found)
    })
}

/// The fixtures of a specimen with this stiffness at the scale of the structure, if it has any.
pub(super) fn fixtures(specimen: &Specimen, stiffness: &[f64], linear: bool) -> Option<Fixtures> {
    let Specimen { fixtures, tared, inertia_window, period, scale, .. } = specimen;
    let own = stiffness.iter().map(|k| k / scale).collect();
    let found = Fixtures::new(fixtures.clone(), *tared, (specimen.columns(), own), [*inertia_window, *period]);
    (!fixtures.is_empty()).then(|| if linear { found.linearised() } else { found })
}

/// Transducers and load cells of the emulated laboratory besides those of the actuators, if there are any.
pub(super) fn instruments(specimen: &Specimen, linear: bool) -> Option<Instruments> {
    let [transducers, load_cells] = [specimen.further_transducers().collect(), specimen.further_load_cells().collect()]
        .map(|list: Vec<&Instrument>| list.into_iter().map(|i| (i.lever.clone(), i.sensor)).collect::<Vec<_>>());
    let beside = specimen.load_cells.iter().filter_map(|c| c.actuator).collect();
    let none = transducers.is_empty() && load_cells.is_empty();
    (!none).then(|| Instruments::new([transducers, load_cells], beside, specimen.columns(), linear))
}

/// Sensors of one kind as the channels they are: those of actuators by their numbers, further ones behind all actuators.
fn array(specimen: &Specimen, list: &[Instrument], linear: bool) -> Option<Array> {
    if list.is_empty() {
        return None;
    }
    let mut further = specimen.actuators.len()..;
    let channels = list.iter().filter_map(|i| i.actuator.or_else(|| further.next())).collect();
    let kinematics = Kinematics::new(list.iter().map(|i| i.lever.clone()).collect(), specimen.columns());
    Some(Array::new(channels, if linear { kinematics.linearised() } else { kinematics }))
}

/// How a kind of sensor is spoken of.
struct Words {
    several: &'static str,
    measure: &'static str,
    help: &'static str,
}

impl Words {
    /// Whatever the actuators move must be measured.
    fn check(&self, sensors: &Kinematics, names: &[&str], actuators: &Kinematics) -> Result<(), String> {
        let n = actuators.dofs().max(1);
        let unseen = actuators.jacobian().chunks(n).filter_map(|row| sensors.unheld(row));
        let mut unseen: Vec<String> = unseen.map(|row| direction(&row, names)).collect();
        unseen.dedup();
        if unseen.is_empty() {
            return Ok(());
        }
        let Words { several, measure, help } = self;
        Err(format!(
            "its actuators move it along {}, and none of its {several} measures {measure} there; {help}",
            unseen.join(", ")
        ))
    }
}
