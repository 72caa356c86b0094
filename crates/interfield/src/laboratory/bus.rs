//! Specimens on an EtherCAT bus: the bus as their hardware, and a simulated one in its place.

use interfield_lab::controller::Calibration;
use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_lab::realtime::rights::Request;
use interfield_language::specimen::{Instrument, Specimen};

/// The hardware on an interface; the error is a sentence for the user.
pub(crate) fn hardware(
    interface: &str,
    specimen: &Specimen,
    request: Option<Request>,
) -> Result<Box<dyn Hardware>, String> {
    let layout = specimen.layout().ok_or_else(|| unwired(specimen))?;
    let open = interfield_ethercat::Fieldbus::open(interface, &layout, specimen.period, request);
    match open {
        Ok(bus) => Ok(Box::new(bus.gone_after(specimen.gone_after()))),
        Err(e) => Err(format!("ethercat:{interface}: {e}")),
    }
}

/// Simulates the bus of a specimen behind an interface until it is asked to stop: how many cycles it saw.
///
/// # Errors
/// A sentence, when the interface is not to be had.
pub fn simulate(
    interface: &str,
    specimen: &Specimen,
    hardware: Box<dyn Hardware>,
    stop: &std::sync::atomic::AtomicBool,
) -> Result<u64, String> {
    use interfield_ethercat::simulated::{Fate, Line};
    let layout = specimen.layout().ok_or_else(|| unwired(specimen))?;
    let socket = interfield_ethercat::Socket::open(interface).map_err(|e| format!("ethercat:{interface}: {e}"))?;
    let instruments = specimen.actuators.iter().map(|a| a.calibration).collect();
    let [transducers, load_cells] = [specimen.further_transducers().collect(), specimen.further_load_cells().collect()]
        .map(|list: Vec<&Instrument>| list.into_iter().map(|i| i.calibration).collect());
    let hardware = Calibrated { hardware, instruments, sensors: [transducers, load_cells] };
    let line = Line::new(&layout, Box::new(hardware), Some(0.0), &[]);
    let mut stop = |_: &[u8]| stop.load(std::sync::atomic::Ordering::Relaxed);
    Ok(line.serve(&socket, &mut stop, &mut |_| Fate::Answered).cycles)
}

/// An emulated laboratory whose instruments show the numbers of the bus, instead of metres and newtons.
struct Calibrated {
    hardware: Box<dyn Hardware>,
    instruments: Vec<Calibration>,
    /// Of transducers and load cells besides.
    sensors: [Vec<[f64; 2]>; 2],
}

impl Hardware for Calibrated {
    fn actuators(&self) -> usize {
        self.hardware.actuators()
    }

    fn sensors(&self) -> [usize; 2] {
        self.hardware.sensors()
    }

    fn memory(&self) -> usize {
        self.hardware.memory()
    }

    fn interlock(&mut self, out: Interlock) {
        self.hardware.interlock(out);
    }

    fn emergency_stop(&self) -> bool {
        self.hardware.emergency_stop()
    }

    fn is_emulated(&self) -> bool {
        self.hardware.is_emulated()
    }

    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let of = |c: &f64, i: &Calibration| (c - i.command[1]) / i.command[0];
        let physical: Vec<f64> = command.iter().zip(&self.instruments).map(|(c, i)| of(c, i)).collect();
        let reply = self.hardware.exchange(memory, &physical, displacement, force);
        // Readings that did not arrive are left as they were.
        for (i, c) in self.instruments.iter().enumerate().filter(|_| reply == Reply::Fresh) {
            displacement[i] = c.displacement[0] * displacement[i] + c.displacement[1];
            force[i] = c.force[0] * force[i] + c.force[1];
        }
        let n = self.instruments.len();
        for (shown, sensors) in [displacement, force].into_iter().zip(&self.sensors).filter(|_| reply == Reply::Fresh) {
            shown[n..].iter_mut().zip(sensors).for_each(|(x, [gain, offset])| *x = gain * *x + offset);
        }
        reply
    }
}

fn unwired(specimen: &Specimen) -> String {
    format!(
        "specimen `{}` has no wiring: write `ethercat` in its [[specimen.actuator]], [[specimen.transducer]] and \
         [[specimen.load_cell]]",
        specimen.name
    )
}
