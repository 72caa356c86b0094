//! From the description of a specimen to the rig that moves it.

use std::sync::Arc;

use interfield_lab::compensate::Multivariable;
use interfield_lab::controller::{Calibration, Control, Controller, Hold, Plan};
use interfield_lab::emulate::{Answering, Body, Carried, Drive, Emulated, Replica};
use interfield_lab::guard::Envelope;
use interfield_lab::hardware::Hardware;
use interfield_lab::kinematics::Kinematics;
use interfield_lab::partner::Partner;
use interfield_lab::plant::{self, Coupled, Delayed, Ideal, Limited, Transfer};
use interfield_lab::rig::Rig;
use interfield_lab::safety::{Action, Limits, Watch};
use interfield_language::specimen::{Actuator, Dynamics, Specimen};

use super::stand_in::Physical;
use super::{Workshop, held, sensing};

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

/// The rig of a specimen, with the names of the degrees of freedom that it moves.
pub(super) fn build(
    specimen: &Specimen,
    names: &[&str],
    physical: &mut Physical,
    workshop: &mut dyn Workshop,
) -> Result<Box<dyn Rig>, Unbuilt> {
    let m = specimen.actuators.len();
    let linear = workshop.linear();
    let mut kinematics = kinematics(specimen, linear);
    held::check(specimen, names, physical, &kinematics)?;
    let sensing = sensing::sensing(specimen, names, (&kinematics, &physical.stand_in.driven[0]), linear)?;
    let hardware = match workshop.hardware(specimen).map_err(Unbuilt::Workshop)? {
        Some(hardware) => hardware,
        None => {
            let law = workshop.specimen(specimen).map_err(Unbuilt::Workshop)?;
            emulated(specimen, physical, linear, law)?
        }
    };
    // The emulated laboratory and recordings are told metres and newtons, and tell them.
    let (calibration, sensing) = match hardware.has_instruments() {
        true => (specimen.actuators.iter().map(|a| a.calibration).collect(), sensing),
        false => (vec![Calibration::default(); m], sensing.uncalibrated()),
    };
    let compensator: Arc<dyn Multivariable> = match workshop.compensator(specimen).map_err(Unbuilt::Workshop)? {
        Some(given) => given,
        None => match specimen.compensator() {
            adaptive if linear => Arc::from(adaptive.frozen()),
            compensator => Arc::from(compensator),
        },
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
        envelopes: (0..m).map(|i| if linear { Envelope::OPEN } else { specimen.envelope(i) }).collect(),
        compensator,
        calibration,
        stiffness: (0..m).map(|i| kinematics.against(&physical.stand_in.driven[0], i) / specimen.scale).collect(),
        mounts: specimen.actuators.iter().map(|a| a.mount).collect(),
        // It moves nothing, and what it has learned would be a state that no probe knows.
        sharing: specimen.sharing.filter(|_| kinematics.rank() < m && !linear),
        holds: holds(specimen, physical, &mut kinematics, linear),
        free: specimen.inner.len() - specimen.held,
    };
    let limits = match linear {
        true => (Limits::none(), vec![Limits::none(); m]),
        false => (specimen.limits, (0..m).map(|i| specimen.limits_of(i)).collect()),
    };
    let controller = Controller::new(plan, kinematics, hardware, limits)?.measured_by(sensing)?;
    workshop.mount(specimen, controller).map_err(Unbuilt::Workshop)
}

/// How actuators hold inner degrees of freedom. Without limits and learning they stay at their places.
fn holds(specimen: &Specimen, physical: &Physical, kinematics: &mut Kinematics, linear: bool) -> Vec<Hold> {
    let hold = |(i, actuator): (usize, &Actuator)| {
        let loading = actuator.loading.as_ref()?;
        let usual = || Some(Watch::new(LOAD_ERROR * loading.load.abs(), Action::RampDown)).filter(|w| w.limit > 0.0);
        let stiffness = kinematics.against(&physical.stand_in.driven[0], i) / specimen.scale;
        Some(Hold {
            actuator: i,
            load: loading.load,
            bandwidth: loading.bandwidth,
            // Of the specimen and of what gives before it.
            stiffness: stiffness / (1.0 + stiffness / actuator.mount),
            control: if linear { Control::Displacement } else { loading.control },
            switches: if linear { Vec::new() } else { loading.switches.clone() },
            error: specimen.limits_of(i).load_error.or_else(usual),
        })
    };
    specimen.actuators.iter().enumerate().filter_map(hold).collect()
}

/// Share of its load by which the force of an actuator may be off, if the file says nothing.
const LOAD_ERROR: f64 = 0.2;

/// Its actuators over the degrees of freedom that they move.
pub(super) fn kinematics(specimen: &Specimen, linear: bool) -> Kinematics {
    let levers = specimen.actuators.iter().map(|a| a.lever.clone()).collect();
    let shares: Vec<f64> = specimen.actuators.iter().map(|a| a.share).collect();
    let found = Kinematics::new(levers, specimen.columns()).sharing(&shares);
    if linear { found.linearised() } else { found }
}

/// A specimen that a function computes; the error is a sentence for the user.
fn answering(
    specimen: &Specimen,
    law: Box<dyn Partner>,
    driven: &[f64],
    masses: &[f64],
) -> Result<Box<dyn Body>, String> {
    if law.dofs() != masses.len() {
        return Err(format!("its function has {} degrees of freedom, its actuators move {}", law.dofs(), masses.len()));
    }
    if specimen.inner.len() > specimen.held {
        return Err("a specimen with degrees of freedom that no actuator moves cannot be a function".to_owned());
    }
    // They are moved several times per sample, and a function cannot be asked twice.
    if specimen.actuators.iter().any(|a| a.mount.is_finite()) {
        return Err("a specimen behind a `mount` that gives cannot be a function".to_owned());
    }
    let stiffness = driven.iter().map(|k| k / specimen.scale).collect();
    Ok(Box::new(Answering::new(law, stiffness, masses.to_vec())))
}

/// The emulated laboratory of a specimen; the error is a sentence for the user.
pub(super) fn emulated(
    specimen: &Specimen,
    physical: &mut Physical,
    linear: bool,
    given: Option<Box<dyn Partner>>,
) -> Result<Box<dyn Hardware>, String> {
    let drives = specimen.actuators.iter().map(|a| drive(a, specimen.period, linear)).collect::<Result<_, _>>()?;
    let system = physical.system.take().ok_or("it is mounted twice")?;
    let start = physical.start.clone();
    let driven = physical.stand_in.driven[0].clone();
    let mut masses: Vec<f64> = specimen.masses.iter().chain(&specimen.inner_masses[..specimen.held]).copied().collect();
    // Single values under `uncertain` are what really stands there: the integrator keeps its estimates.
    let factors = specimen.uncertain.factors();
    if factors != [1.0; 3] && (physical.free.is_some() || given.is_some()) {
        let what = if given.is_some() { "a function" } else { "a specimen with degrees of freedom of its own" };
        return Err(format!("{what} takes no factors under `uncertain`"));
    }
    let [stiffness, damping, mass] = factors;
    masses.iter_mut().for_each(|m| *m *= mass);
    let mut replica = Replica::new(system, specimen.scale, driven.clone(), masses.clone(), start)
        .with_factors([stiffness, damping], physical.stand_in.driven[1].clone());
    if let Some(free) = physical.free.take() {
        let at_rest = replica.with_free(free, specimen.period);
        replica = at_rest.map_err(|_| "its inner degrees of freedom have no position of rest")?;
    }
    let mut body: Box<dyn Body> = match given {
        None => Box::new(replica),
        Some(law) => answering(specimen, law, &driven, &masses)?,
    };
    if let Some(fixtures) = sensing::fixtures(specimen, &driven, linear) {
        let n = masses.len();
        masses.iter_mut().zip(fixtures.masses().iter().step_by(n + 1)).for_each(|(mass, fixed)| *mass += fixed);
        let straight = specimen.actuators.iter().any(|a| a.dynamics == Dynamics::Ideal);
        body = Box::new(Carried::new(body, fixtures, straight));
    }
    let faults = if linear { Vec::new() } else { specimen.faults.clone() };
    let mounts = specimen.actuators.iter().any(|a| a.mount.is_finite());
    let mounts = mounts.then(|| specimen.actuators.iter().map(|a| a.mount).collect());
    let (kinematics, gives) = (kinematics(specimen, linear), (masses.as_slice(), mounts));
    let together = specimen.plant.as_ref().map(|plant| Coupled::new(plant, specimen.period));
    let laboratory = Emulated::new(drives, kinematics, body, gives, specimen.period, faults).moving_together(together);
    Ok(Box::new(match sensing::instruments(specimen, linear) {
        Some(instruments) => laboratory.with_instruments(instruments),
        None => laboratory,
    }))
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
