//! Specimens at the other end of a wire: what is said of them in a greeting, and the ends of the wire by address.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use interfield_lab::controller::Calibration;
use interfield_lab::hardware::Hardware;
use interfield_lab::realtime::rights::Request;
use interfield_language::specimen::{Actuator, Address, Specimen};
use interfield_wire::codec::{Greeting, Instrument, UNMEASURED};
use interfield_wire::layout::Refused;
use interfield_wire::remote::{Pace, Remote, Unconnected};
use interfield_wire::sealed::{Key, SealedDock, SealedLink};
use interfield_wire::udp::{UdpDock, UdpLink};
use interfield_wire::{Dock, Link};

use super::{bus, keys};

/// How long a controller has to answer the greeting.
const GREETING: Duration = Duration::from_secs(3);

/// Without a clock: a controller that shows no life for so long is gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a test and its emulated laboratory say of a specimen. Calibrated instruments may have any unit.
pub fn greeting(specimen: &Specimen) -> Greeting {
    let unit = |calibrated: bool| if calibrated { String::new() } else { "SI".to_owned() };
    let plain = Calibration::default();
    let instrument = |a: &Actuator| {
        let c = &a.calibration;
        Instrument {
            name: a.name.clone(),
            displacement: unit(c.command != plain.command || c.displacement != plain.displacement),
            force: unit(c.force != plain.force),
        }
    };
    let calibrated = |i: &interfield_language::specimen::Instrument| i.calibration != [1.0, 0.0];
    let transducer = specimen.further_transducers().map(|t| Instrument {
        name: t.name.clone(),
        displacement: unit(calibrated(t)),
        force: UNMEASURED.to_owned(),
    });
    let load_cell = specimen.further_load_cells().map(|c| Instrument {
        name: c.name.clone(),
        displacement: UNMEASURED.to_owned(),
        force: unit(calibrated(c)),
    });
    Greeting {
        period_ns: (1e9 * specimen.period).round() as u64,
        specimen: specimen.name.clone(),
        actuators: specimen.actuators.iter().map(instrument).chain(transducer).chain(load_cell).collect(),
        emulated: false,
    }
}

/// The hardware at the address of a specimen, if it has one; the error is a sentence for the user. `folder` is that of the model.
pub(crate) fn hardware(
    specimen: &Specimen,
    folder: &Path,
    request: Option<Request>,
) -> Result<Option<Box<dyn Hardware>>, String> {
    let Some(address) = &specimen.at else { return Ok(None) };
    let real_time = request.is_some();
    if let Address::Ethercat(interface) = address {
        return bus::hardware(interface, specimen, request).map(Some);
    }
    let key = specimen.key.as_ref().map(|path| keys::read(&folder.join(path))).transpose()?;
    let link = match link(address, key.as_ref()) {
        Ok(link) => link,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(format!("{address}: no answer{}", advice(specimen)));
        }
        Err(e) => return Err(format!("{address}: {e}")),
    };
    let pace =
        if real_time { Pace::real_time(specimen.period, specimen.gone_after()) } else { Pace::LockStep(PATIENCE) };
    match Remote::connect(link, &greeting(specimen), pace, GREETING) {
        Ok(remote) => Ok(Some(Box::new(remote))),
        Err(e @ Unconnected::OtherKey) => {
            let print = key.map(|k| k.fingerprint()).unwrap_or_default();
            Err(format!(
                "{address}: {e}; the key of the model is {print}; `interfield key show FILE` prints the other \
                one"
            ))
        }
        Err(e @ Unconnected::Refused(Some(Refused::Sealed))) => {
            Err(format!("{address}: {e}; write key = \"FILE\" in [[specimen]]"))
        }
        Err(e @ Unconnected::Silent) if key.is_some() => Err(format!(
            "{address}: {e} with encryption{}; a controller without a key does not answer",
            advice(specimen)
        )),
        Err(e @ Unconnected::Silent) => Err(format!("{address}: {e}{}", advice(specimen))),
        Err(e) => Err(format!("{address}: {e}")),
    }
}

fn advice(specimen: &Specimen) -> String {
    format!("; start its controller first, or `interfield lab MODEL --specimen {}` to rehearse", specimen.name)
}

fn link(address: &Address, key: Option<&Key>) -> io::Result<Box<dyn Link>> {
    match address {
        Address::Udp { host, port } => {
            let link = UdpLink::open((host.as_str(), *port))?;
            match key {
                Some(key) => Ok(Box::new(SealedLink::new(link, key).map_err(io::Error::other)?)),
                None => Ok(Box::new(link)),
            }
        }
        #[cfg(unix)]
        Address::Shared(name) => Ok(Box::new(interfield_wire::shared::SharedLink::open(name)?)),
        #[cfg(not(unix))]
        Address::Shared(_) => Err(no_shared_memory()),
        Address::Ethercat(_) => Err(a_bus()),
    }
}

/// A bus has no messages of ours.
fn a_bus() -> io::Error {
    io::Error::new(ErrorKind::Unsupported, "this address is an EtherCAT bus, not a network connection")
}

#[cfg(not(unix))]
fn no_shared_memory() -> io::Error {
    io::Error::new(ErrorKind::Unsupported, "this system has no POSIX shared memory; use udp://")
}

/// The controller end at an address, under seal if there is a key, and the address where it is found.
pub fn dock(address: &Address, key: Option<Key>) -> io::Result<(Box<dyn Dock>, Address)> {
    match address {
        Address::Udp { host, port } => {
            let dock = UdpDock::bind((host.as_str(), *port))?;
            let found_at = Address::Udp { host: host.clone(), port: dock.address()?.port() };
            match key {
                Some(key) => Ok((Box::new(SealedDock::new(dock, key)), found_at)),
                None => Ok((Box::new(dock), found_at)),
            }
        }
        #[cfg(unix)]
        Address::Shared(name) => Ok((Box::new(interfield_wire::shared::SharedDock::make(name)?), address.clone())),
        #[cfg(not(unix))]
        Address::Shared(_) => Err(no_shared_memory()),
        Address::Ethercat(_) => Err(a_bus()),
    }
}
