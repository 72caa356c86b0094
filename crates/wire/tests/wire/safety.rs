//! What arrives at the far end of every wire when a test trips at its worst moment: nothing outside of the envelope, in lock-step and by the
//! clock. The states themselves are explored in the tests of `lab`; here every command is seen where a controller would see it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use interfield_lab::compensate::{Argument, Arguments, COMPENSATIONS, Compensation};
use interfield_lab::controller::{Calibration, Controller, Home, MissPolicy, Plan};
use interfield_lab::guard::Envelope;
use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::kinematics::Kinematics;
use interfield_lab::paced::{Pace as ByTheClock, Paced};
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::Request;
use interfield_lab::realtime::{Schedule, Waking, WallClock, WhenLate};
use interfield_lab::rig::{Rig, Target};
use interfield_lab::safety::{Action, Limits, Watch};
use interfield_wire::host::Host;
use interfield_wire::remote::{Pace, Remote};
use interfield_wire::udp::{UdpDock, UdpLink};
use interfield_wire::{Dock, Link};

use super::{LOCK_STEP, LONG, greeting};

/// Sampling interval of the greeting, s.
const T: f64 = 1e-3;
const ENVELOPE: Envelope =
    Envelope { position: [-0.1, 0.1], velocity: 1.5, acceleration: 471.0, braking: 94.0, jerk: f64::INFINITY };

/// What goes wrong at the far end: nothing, silence, not a number, a spike, a sensor that strays, the emergency stop, gone.
const FAULTS: u32 = 6;

/// An actuator that lags by 8 ms and a spring, seen by whoever hosts it.
struct Bench {
    commands: Arc<Mutex<Vec<f64>>>,
    fault: Arc<AtomicU32>,
    x: f64,
}

impl Hardware for Bench {
    fn actuators(&self) -> usize {
        1
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        self.commands.lock().expect("nobody panics").push(command[0]);
        self.x += (command[0] - self.x) * T / 8e-3;
        (displacement[0], force[0]) = (self.x, 1e6 * self.x);
        match self.fault.load(Ordering::Relaxed) {
            1 => return Reply::Stale,
            2 => force[0] = f64::NAN,
            3 => force[0] += 1e6,
            4 => displacement[0] += 0.05,
            6 => return Reply::Gone,
            _ => {}
        }
        Reply::Fresh
    }

    fn emergency_stop(&self) -> bool {
        self.fault.load(Ordering::Relaxed) == 5
    }
}

/// Notes what is sent, before the wire has it: by the clock a command may be lost or late, and the far end sees a gap.
struct Sent {
    remote: Remote,
    commands: Arc<Mutex<Vec<f64>>>,
}

impl Hardware for Sent {
    fn actuators(&self) -> usize {
        self.remote.actuators()
    }

    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        self.commands.lock().expect("nobody panics").push(command[0]);
        self.remote.exchange(memory, command, displacement, force)
    }

    fn emergency_stop(&self) -> bool {
        self.remote.emergency_stop()
    }

    fn stop(&mut self) {
        self.remote.stop();
    }
}

fn limits(action: Action) -> Limits {
    let watch = |limit: f64| Some(Watch::new(limit, action));
    Limits {
        displacement: watch(0.1),
        velocity: watch(1.5),
        force: watch(150e3),
        tracking: watch(0.03),
        ..Limits::default()
    }
}

fn controller(hardware: Box<dyn Hardware>, method: &Compensation, action: Action) -> Controller {
    let plan = Plan {
        period: T,
        time_scale: 1.0,
        scale: 1.0,
        ramp: 0.1,
        patience: 0.1,
        miss: MissPolicy::Hold,
        bridge: 0.02,
        brake: 0.05,
        home: Home::Displacement,
        stalls: Vec::new(),
        compensator: Arc::from(method.together(1, T)),
        calibration: vec![Calibration::default()],
        envelopes: vec![ENVELOPE],
        stiffness: vec![1e6],
        mounts: vec![f64::INFINITY],
        sharing: None,
        holds: Vec::new(),
        free: 0,
    };
    let limits = limits(action);
    Controller::new(plan, Kinematics::direct(1), hardware, (limits, vec![limits])).expect("a rig")
}

/// Every compensator, for a delay of 8 ms where it takes one.
fn methods() -> Vec<(&'static str, Compensation)> {
    let delay = [("delay", Argument::Number(8e-3))];
    let of = |info: &interfield_lab::compensate::CompensationInfo| {
        let made = (info.build)(Arguments(&delay)).or_else(|_| (info.build)(Arguments(&[])));
        (info.name, made.unwrap_or_else(|e| panic!("{}: {e:?}", info.name)))
    };
    COMPENSATIONS.iter().map(of).collect()
}

/// A sine that grows to 60 mm and 0.75 m/s within half a second; the fault comes at its largest velocity. Whether it ended.
fn drive(rig: &mut dyn Rig, fault: &AtomicU32, what: u32) -> bool {
    let mut memory = vec![0.0; rig.memory()];
    let w = 4.0 * std::f64::consts::PI;
    for k in 0..1500 {
        let t = T * f64::from(k);
        if k == 505 {
            fault.store(what, Ordering::Relaxed);
        }
        let u = 0.06 * (2.0 * t).min(1.0) * (w * t).sin();
        if rig.exchange(&mut memory, Target { t, u: &[u], v: &[] }).is_err() {
            rig.finish(&mut memory);
            return true;
        }
    }
    rig.finish(&mut memory);
    false
}

fn assert_inside(commands: &[f64], what: &str) {
    assert!(commands.len() > 50, "{what}: {}", commands.len());
    let mut past = [0.0f64; 2];
    for (k, x) in commands.iter().enumerate() {
        let (v, a) = ((x - past[0]) / T, (x - 2.0 * past[0] + past[1]) / (T * T));
        let inside = x.abs() <= 0.1 && v.abs() <= ENVELOPE.velocity && a.abs() <= ENVELOPE.acceleration;
        assert!(inside, "{what}: sample {k} of {}: {x} m, {v} m/s, {a} m/s²", commands.len());
        past = [*x, past[0]];
    }
}

/// Opens the near end of a wire.
type Opens = Box<dyn FnOnce() -> Box<dyn Link> + Send>;

/// Both ends of a wire.
fn ends(wire: &str, number: u32) -> (Box<dyn Dock>, Opens) {
    match wire {
        "udp" => {
            let dock = UdpDock::bind("127.0.0.1:0").expect("a free port");
            let address = dock.address().expect("its address");
            (Box::new(dock), Box::new(move || Box::new(UdpLink::open(address).expect("a socket"))))
        }
        _ => {
            let name = format!("/interfield-safety-{}-{number}", std::process::id());
            let dock = interfield_wire::shared::SharedDock::make(&name).expect("shared memory");
            (
                Box::new(dock),
                Box::new(move || Box::new(interfield_wire::shared::SharedLink::open(&name).expect("a link"))),
            )
        }
    }
}

/// A test over a wire with a fault at its worst moment: what arrived at the far end (by the clock: what was sent), and whether the test was ended by it.
fn over(wire: &str, number: u32, method: &Compensation, action: Action, what: u32, clock: bool) -> (Vec<f64>, bool) {
    let (mut dock, link) = ends(wire, number);
    let (stop, fault) = (AtomicBool::new(false), Arc::new(AtomicU32::new(0)));
    let [commands, sent] = [(); 2].map(|()| Arc::new(Mutex::new(Vec::with_capacity(10_000))));
    let ended = std::thread::scope(|scope| {
        let (log, faulty) = (Arc::clone(&commands), Arc::clone(&fault));
        let stop = &stop;
        scope.spawn(move || {
            let mut open = || {
                let bench = Bench { commands: Arc::clone(&log), fault: Arc::clone(&faulty), x: 0.0 };
                Ok(Box::new(bench) as Box<dyn Hardware>)
            };
            let host = Host { offer: greeting(1), open: &mut open, news: &mut |_| (), stop, keep: true };
            host.serve(dock.as_mut()).expect("it is always there")
        });
        let pace = if clock { Pace::real_time(T, 1000) } else { LOCK_STEP };
        let remote = Remote::connect(link(), &greeting(1), pace, LONG).expect("a welcome");
        let hardware: Box<dyn Hardware> = match clock {
            true => Box::new(Sent { remote, commands: Arc::clone(&sent) }),
            false => Box::new(remote),
        };
        let rig = controller(hardware, method, action);
        let ended = if clock {
            let schedule = Schedule::new(T, WhenLate::Shift).expect("a period");
            let pace = ByTheClock { rights: Request::default(), patience: Patience::Park, watchdog: LONG };
            let clock = WallClock::new(schedule, Waking::Sleep);
            let mut rig = Paced::start(rig, Box::new(clock), pace).expect("a thread");
            drive(&mut rig, &fault, what)
        } else {
            let mut rig = rig;
            drive(&mut rig, &fault, what)
        };
        stop.store(true, Ordering::Relaxed);
        ended
    });
    let seen = if clock { sent } else { commands };
    let commands = seen.lock().expect("nobody panics").clone();
    (commands, ended)
}

#[test]
fn no_command_leaves_the_envelope_over_any_wire() {
    let actions = [Action::Hold, Action::RampDown, Action::Abort];
    let mut number = 0;
    for wire in ["udp", "shm"] {
        for (name, method) in methods() {
            for what in 1..=FAULTS {
                let action = actions[number as usize % 3];
                number += 1;
                let (commands, ended) = over(wire, number, &method, action, what, false);
                let label = format!("{wire}, {name}, fault {what}, {action:?}");
                assert!(ended, "{label}");
                assert_inside(&commands, &label);
            }
        }
    }
}

#[test]
fn nor_by_the_clock() {
    // As sent: what is late arrives late, what is lost is lost, and the next may then be two steps away.
    let early = methods().into_iter().find(|m| m.0 == "early").expect("our own").1;
    std::thread::scope(|scope| {
        for (i, what) in (0..=FAULTS).enumerate() {
            let early = &early;
            let wire = if i % 2 == 0 { "udp" } else { "shm" };
            scope.spawn(move || {
                let (commands, _) = over(wire, 1000 + what, early, Action::RampDown, what, true);
                assert_inside(&commands, &format!("{wire}, by the clock, fault {what}"));
            });
        }
    });
}
