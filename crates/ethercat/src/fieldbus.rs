//! The bus as the controller sees it: a row of commands out, a row of measurements back, once per cycle.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use interfield_lab::fieldbus::Layout;
use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_lab::realtime::Histogram;
use interfield_lab::realtime::mailbox::{Integrator, Patience, Silence, mailbox};
use interfield_lab::realtime::rights::Request;

use crate::master::{Master, Outcome, Report};
use crate::socket::Socket;

/// So many cycles without a good answer, one after the other: the bus is gone, unless somebody says another number.
const MISSES: u32 = 20;

/// Longest setting up: a long line with clocks needs some seconds.
const SETTING_UP: Duration = Duration::from_secs(30);

/// Drives and terminals on an EtherCAT bus.
pub struct Fieldbus {
    actuators: usize,
    /// Transducers and load cells besides those of the actuators.
    sensors: [usize; 2],
    /// `None` once the test is over.
    post: Option<Integrator<Interlock, (Outcome, Report)>>,
    /// How long an answer is waited for.
    patience: Duration,
    /// What goes out with the next command.
    interlock: Interlock,
    missed: u32,
    misses: u32,
    gone: bool,
    report: Report,
    round_trip: Histogram,
    /// Distance of the frame from where the reference clock wants it.
    phase: Histogram,
    devices: usize,
    clocks: usize,
    thread: Option<JoinHandle<()>>,
}

impl Fieldbus {
    /// Takes the devices on an interface to their operational state, switches the drives on, and cycles with this period, s.
    /// With a `request` for rights the test goes by the clock: an answer is worth nothing after its cycle; else it is waited for, and the bus sets the pace.
    ///
    /// # Errors
    /// A sentence: no right, no device, another device than the wiring says, a drive with a fault.
    pub fn open(interface: &str, layout: &Layout, period: f64, request: Option<Request>) -> Result<Self, String> {
        let socket = Socket::open(interface).map_err(|e| refusal(interface, &e))?;
        let period = Duration::from_secs_f64(period);
        let by_the_clock = request.is_some();
        let actuators = layout.actuators.len();
        let sensors = [layout.transducers.len(), layout.load_cells.len()];
        let (post, inbox) = mailbox(actuators, 2 * actuators + sensors[0] + sensors[1], Patience::Park);
        let (ready, is_ready) = mpsc::channel();
        let answer_within = if by_the_clock { period.mul_f64(0.8) } else { period.max(Duration::from_millis(50)) };
        let master = Master { socket, layout: layout.clone(), period, answer_within, inbox, request };
        let run = move || master.run(&ready);
        let thread = std::thread::Builder::new().name("interfield-bus".into()).spawn(run).map_err(|e| e.to_string())?;
        // The thread tells, or ends without having told.
        let opened = is_ready.recv_timeout(SETTING_UP).unwrap_or_else(|_| Err("the bus gives no answer".to_owned()))?;
        Ok(Fieldbus {
            actuators,
            sensors,
            post: Some(post),
            patience: if by_the_clock { 4 * period } else { SETTING_UP },
            interlock: Interlock::default(),
            missed: 0,
            misses: MISSES,
            gone: false,
            report: Report::default(),
            round_trip: Histogram::new(None),
            phase: Histogram::new(None),
            devices: opened.devices,
            clocks: opened.clocks,
            thread: Some(thread),
        })
    }

    /// Is gone after so many cycles in a row without a good answer.
    #[must_use]
    pub fn gone_after(mut self, misses: u32) -> Self {
        self.misses = misses;
        self
    }

    /// Reads the next answer; how it went.
    fn ask(&mut self, command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Outcome {
        let Some(post) = &mut self.post else { return Outcome::Left };
        let answer = post.post(self.interlock, command).and_then(|number| post.wait(number, self.patience));
        let ((outcome, report), row) = match answer {
            Ok(answer) => answer,
            Err(Silence::TimedOut) => return Outcome::Lost,
            Err(_) => return Outcome::Left,
        };
        self.report = report;
        if outcome == Outcome::Good {
            let (u, f) = row.split_at(self.actuators + self.sensors[0]);
            displacement.copy_from_slice(u);
            force.copy_from_slice(f);
            self.round_trip.record(self.report.round_trip_ns);
            self.phase.record(self.report.phase_ns);
        }
        outcome
    }
}

impl Hardware for Fieldbus {
    fn actuators(&self) -> usize {
        self.actuators
    }

    fn sensors(&self) -> [usize; 2] {
        self.sensors
    }

    fn interlock(&mut self, out: Interlock) {
        self.interlock = out;
    }

    fn exchange(&mut self, _memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        if self.gone {
            return Reply::Gone;
        }
        match self.ask(command, displacement, force) {
            Outcome::Good => {
                self.missed = 0;
                return Reply::Fresh;
            }
            Outcome::Lost | Outcome::Miscounted => self.missed += 1,
            Outcome::Faulted | Outcome::Left => self.gone = true,
        }
        self.gone |= self.missed >= self.misses;
        if self.gone { Reply::Gone } else { Reply::Stale }
    }

    fn emergency_stop(&self) -> bool {
        self.report.emergency_stop
    }

    fn stop(&mut self) {
        // The thread sees that it is alone, switches the drives off and leaves the operational state.
        self.post = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        let (trip, phase) = (self.round_trip.summary(), self.phase.summary());
        let us = |ns: u64| ns as f64 * 1e-3;
        vec![
            ("devices", self.devices as f64),
            ("synchronised", self.clocks as f64),
            ("cycles", self.report.cycles as f64),
            ("held", self.report.held as f64),
            ("lost", self.report.lost as f64),
            ("miscounted", self.report.miscounted as f64),
            ("drive_faults", self.report.faulted as f64),
            ("round_trip_p50_us", us(trip.p50)),
            ("round_trip_p99_us", us(trip.p99)),
            ("round_trip_p99_9_us", us(trip.p99_9)),
            ("round_trip_max_us", us(trip.max)),
            ("phase_error_p50_us", us(phase.p50)),
            ("phase_error_max_us", us(phase.max)),
        ]
    }
}

impl Drop for Fieldbus {
    fn drop(&mut self) {
        self.stop();
    }
}

fn refusal(interface: &str, e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "raw Ethernet is not allowed here; run as root, or give the program the permission once: sudo setcap \
                cap_net_raw+ep $(which interfield)"
                .to_owned()
        }
        _ if e.raw_os_error() == Some(libc::ENODEV) => {
            format!("there is no network interface `{interface}`; `ip link` lists them")
        }
        _ => e.to_string(),
    }
}
