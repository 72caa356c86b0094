//! From the description of a specimen to the rig that moves it.

use std::sync::Arc;

use interfield_lab::compensate::Compensator;
use interfield_lab::controller::{Controller, Plan};
use interfield_lab::emulate::{Drive, Emulated, Replica};
use interfield_lab::guard::Envelope;
use interfield_lab::hardware::Hardware;
use interfield_lab::kinematics::Kinematics;
use interfield_lab::plant::{self, Delayed, Ideal, Limited, Transfer};
use interfield_lab::rig::Rig;
use interfield_lab::safety::Limits;
use interfield_language::specimen::{Actuator, Dynamics, Specimen};

use super::Workshop;
use super::stand_in::Physical;

/// Why a rig could not be built, as a sentence for the user.
pub(super) enum Unbuilt {
    /// The model says something impossible.
    Design(String),
    /// The workshop has none.
    Workshop(String),
}

impl From<String> for Unbuilt {
    fn from(sentence: String) -> Self {
        Unbuilt::Design(sentence)
    }
}

/// The rig of a specimen.
pub(super) fn build(
    specimen: &Specimen,
    physical: &mut Physical,
    workshop: &mut dyn Workshop,
) -> Result<Box<dyn Rig>, Unbuilt> {
    let n = specimen.dofs.len();
    let linear = workshop.linear();
    let kinematics = kinematics(specimen, linear)?;
    let hardware = match workshop.hardware(specimen).map_err(Unbuilt::Workshop)? {
        Some(hardware) => hardware,
        None => emulated(specimen, physical, linear)?,
    };
    let compensator: Arc<dyn Compensator> = match specimen.compensation.design(specimen.period) {
        adaptive if linear => Arc::from(adaptive.frozen()),
        compensator => Arc::from(compensator),
    };
    let plan = Plan {
        period: specimen.period,
        time_scale: specimen.time_scale,
        scale: specimen.scale,
        ramp: specimen.ramp,
        patience: specimen.patience,
        miss: specimen.late,
        bridge: specimen.bridge,
        brake: specimen.brake,
        home: specimen.home,
        stalls: if linear { Vec::new() } else { specimen.stalls.clone() },
        envelopes: (0..n).map(|i| if linear { Envelope::OPEN } else { specimen.envelope(i) }).collect(),
        compensators: vec![compensator; n],
        calibration: specimen.actuators.iter().map(|a| a.calibration).collect(),
        stiffness: (0..n).map(|i| physical.stand_in.stiffness[i * n + i] / specimen.scale).collect(),
    };
    let limits = match linear {
        true => (Limits::none(), vec![Limits::none(); n]),
        false => (specimen.limits, (0..n).map(|i| specimen.limits_of(i)).collect()),
    };
    workshop.mount(specimen, Controller::new(plan, kinematics, hardware, limits)?).map_err(Unbuilt::Workshop)
}

fn kinematics(specimen: &Specimen, linear: bool) -> Result<Kinematics, String> {
    let levers = specimen.actuators.iter().map(|a| a.lever.clone()).collect();
    let found = Kinematics::new(levers);
    let found = found.ok_or("its actuators cannot control it: some of them act along the same line")?;
    Ok(if linear { found.linearised() } else { found })
}

/// The emulated laboratory of a specimen; the error is a sentence for the user.
pub(super) fn emulated(
    specimen: &Specimen,
    physical: &mut Physical,
    linear: bool,
) -> Result<Box<dyn Hardware>, String> {
    let drives = specimen.actuators.iter().map(|a| drive(a, specimen.period, linear)).collect::<Result<_, _>>()?;
    let system = physical.system.take().ok_or("it is mounted twice")?;
    let start = physical.start.clone();
    let body =
        Replica::new(system, specimen.scale, physical.stand_in.stiffness.clone(), specimen.masses.clone(), start);
    let faults = if linear { Vec::new() } else { specimen.faults.clone() };
    let (kinematics, masses) = (kinematics(specimen, linear)?, &specimen.masses);
    Ok(Box::new(Emulated::new(drives, kinematics, Box::new(body), masses, specimen.period, faults)))
}

/// One actuator of the emulated laboratory.
fn drive(actuator: &Actuator, dt: f64, linear: bool) -> Result<Drive, String> {
    let mut moves: Box<dyn plant::Actuator> =
        match &actuator.dynamics {
            Dynamics::Ideal => Box::new(Ideal::new(dt)),
            Dynamics::Transfer { numerator, denominator } => {
                // Written as engineers write them: the highest power first.
                let rising = |c: &[f64]| c.iter().rev().copied().collect::<Vec<f64>>();
                let made = Transfer::new(&rising(numerator), &rising(denominator), dt);
                Box::new(made.ok_or(
                    "the transfer function of an actuator needs a denominator of higher order than its numerator",
                )?)
            }
            Dynamics::Hydraulic(h) => Box::new(plant::Hydraulic { dt, ..*h }),
        };
    let [delay, swing, frequency] = actuator.delay;
    if delay > 0.0 || swing != 0.0 {
        moves = Box::new(Delayed::varying(moves, [delay, if linear { 0.0 } else { swing }, frequency], dt));
    }
    if actuator.limits != plant::Limits::NONE && !linear {
        moves = Box::new(Limited::new(moves, actuator.limits, dt));
    }
    let sensor = |s: interfield_lab::emulate::Sensor| if linear { s.linear() } else { s };
    Ok(Drive {
        actuator: Arc::from(moves),
        displacement: sensor(actuator.displacement),
        force: sensor(actuator.force),
        friction: if linear { 0.0 } else { actuator.friction },
    })
}
