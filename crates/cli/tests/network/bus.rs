//! The bus against simulated devices: what is found, moved, counted, lost and left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interfield_ethercat::simulated::{Fate, Line, Seen};
use interfield_ethercat::{Fieldbus, Socket};
use interfield_lab::fieldbus::{AtEnd, Bit, Button, Contacts, Drive, Field, Layout, Number, Wiring};
use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_lab::realtime::rights::Request;

use super::Host;

/// A spring behind an actuator that is where it is sent: 0.5 per count.
pub(crate) struct Spring(pub(crate) usize);

impl Hardware for Spring {
    fn actuators(&self) -> usize {
        self.0
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        displacement.copy_from_slice(command);
        force.iter_mut().zip(command).for_each(|(f, c)| *f = 0.5 * c);
        Reply::Fresh
    }
}

const fn field(device: usize, byte: usize, number: Number) -> Field {
    Field { device, byte, number }
}

/// A drive whose force comes from a terminal behind it.
fn drive() -> Layout {
    let drive = Drive {
        control: field(0, 0, Number::U16),
        status: field(0, 0, Number::U16),
        position: field(0, 2, Number::I32),
        absolute: false,
    };
    let wiring = Wiring {
        command: field(0, 2, Number::I32),
        displacement: field(0, 2, Number::I32),
        force: field(1, 0, Number::I16),
        drive: Some(drive),
    };
    Layout {
        actuators: vec![wiring],
        transducers: vec![],
        load_cells: vec![],
        assignments: vec![],
        at_end: AtEnd::Hold,
        interlock: Contacts::default(),
    }
}

/// Two terminals: outputs and inputs of two actuators each.
fn terminals(at_end: AtEnd) -> Layout {
    let wiring = |i: usize| Wiring {
        command: field(0, 4 * i, Number::F32),
        displacement: field(1, 8 * i, Number::F32),
        force: field(1, 8 * i + 4, Number::F32),
        drive: None,
    };
    Layout {
        actuators: vec![wiring(0), wiring(1)],
        transducers: vec![],
        load_cells: vec![],
        assignments: vec![],
        at_end,
        interlock: Contacts::default(),
    }
}

/// A host with both ends of a cable, `ec0` and `ec1`; the thread that calls lives there.
pub(crate) fn cable(name: &str) -> Host {
    let host = Host::new(name);
    host.ip("link add dev ec0 type veth peer name ec1");
    host.ip("link set ec0 up");
    host.ip("link set ec1 up");
    host.enter();
    host
}

/// A simulated line at the end of the cable.
pub(crate) struct Simulated {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Seen>>,
}

impl Simulated {
    fn start(line: Line, fate: impl FnMut(u64) -> Fate + Send + 'static) -> Self {
        Simulated::until(line, fate, |_| true)
    }

    /// Ends when it is asked to and its devices are in the right states.
    pub(crate) fn until(
        line: Line,
        mut fate: impl FnMut(u64) -> Fate + Send + 'static,
        right: impl Fn(&[u8]) -> bool + Send + 'static,
    ) -> Self {
        let socket = Socket::open("ec1").expect("the cable was made");
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let mut asked = None;
        let mut over = move |states: &[u8]| {
            if flag.load(Ordering::Relaxed) && asked.is_none() {
                asked = Some(Instant::now());
            }
            // Wrong states are found by the test, which must not wait for ever.
            asked.is_some_and(|since: Instant| right(states) || since.elapsed() > Duration::from_secs(20))
        };
        let thread = std::thread::spawn(move || line.serve(&socket, &mut over, &mut fate));
        Simulated { stop, thread: Some(thread) }
    }

    fn spring(layout: &Layout, fate: impl FnMut(u64) -> Fate + Send + 'static) -> Self {
        Simulated::start(Line::new(layout, Box::new(Spring(layout.actuators.len())), None, &[]), fate)
    }

    pub(crate) fn end(mut self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().expect("it did not panic")
    }
}

fn count(bus: &Fieldbus, name: &str) -> f64 {
    bus.account().iter().find(|a| a.0 == name).unwrap_or_else(|| panic!("nobody counts {name}")).1
}

const MILLISECOND: f64 = 1e-3;
const INIT: u8 = 1;

#[test]
fn a_drive_is_switched_on_where_it_stands_follows_and_is_switched_off() {
    let _host = cable("drive");
    let layout = drive();
    let line = Line::new(&layout, Box::new(Spring(1)), Some(0.0), &[5000.0]);
    let simulated = Simulated::start(line, |_| Fate::Answered);
    let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
    assert_eq!((count(&bus, "devices"), count(&bus, "synchronised")), (2.0, 2.0));
    let (mut u, mut f) = ([f64::NAN], [f64::NAN]);
    for k in 0..300 {
        let command = f64::from(k % 100);
        assert_eq!(bus.exchange(&mut [], &[command], &mut u, &mut f), Reply::Fresh);
        // Halves are rounded to even where there are only whole numbers.
        assert_eq!((u[0], f[0]), (command, (0.5 * command).round_ties_even()), "sample {k}");
    }
    bus.stop();
    assert_eq!(bus.exchange(&mut [], &[0.0], &mut u, &mut f), Reply::Gone);
    assert_eq!([count(&bus, "lost"), count(&bus, "miscounted"), count(&bus, "drive_faults")], [0.0; 3]);
    let seen = simulated.end();
    assert_eq!(seen.states, [INIT, INIT]);
    assert_eq!(seen.modes, [Some(8), None], "cyclic synchronous position");
    assert_eq!(seen.commands, [5099.0], "it is off, and did not move from where the test left it");
}

/// The clocks are 300 ppm fast: in two seconds a bus that did not follow would be more than half a period off.
#[test]
fn the_cycle_follows_the_reference_clock() {
    let _host = cable("clock");
    let layout = drive();
    let line = Line::new(&layout, Box::new(Spring(1)), Some(300.0), &[]);
    let simulated = Simulated::start(line, |_| Fate::Answered);
    let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
    let (mut u, mut f) = ([0.0], [0.0]);
    for _ in 0..2000 {
        bus.exchange(&mut [], &[0.0], &mut u, &mut f);
    }
    bus.stop();
    let phases = simulated.end().phases;
    assert!(phases.len() >= 2000);
    let median = |part: &[i64]| {
        let mut sorted = part.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    };
    for part in phases[200..].chunks(300) {
        assert!(median(part).abs() < 150_000, "{} ns from its place in the cycle", median(part));
    }
}

#[test]
fn lost_and_late_frames_and_absent_devices_are_stale() {
    let _host = cable("losses");
    let layout = terminals(AtEnd::Hold);
    // By the number of the frame since all were operational.
    let fate = |n: u64| match n {
        100 => Fate::Deserted,
        n if n > 20 && n % 50 == 7 => Fate::Late(Duration::from_millis(8)),
        _ => Fate::Answered,
    };
    let simulated = Simulated::spring(&layout, fate);
    let request = Request { priority: None, core: None, lock_memory: false, stay_awake: false };
    let mut bus = Fieldbus::open("ec0", &layout, 5.0 * MILLISECOND, Some(request)).expect("it opens");
    let (mut stale, mut u, mut f) = (0.0, [0.0; 2], [0.0; 2]);
    for k in 0..300 {
        let command = [f64::from(k), -1.0];
        match bus.exchange(&mut [], &command, &mut u, &mut f) {
            Reply::Fresh => assert_eq!((u, f), (command, [0.5 * command[0], -0.5])),
            Reply::Stale => stale += 1.0,
            Reply::Gone => panic!("gone after {k} samples"),
        }
    }
    bus.stop();
    assert!(stale >= 6.0, "{stale} samples were stale");
    assert!(count(&bus, "miscounted") >= 1.0 && count(&bus, "lost") >= 5.0, "{:?}", bus.account());
    assert_eq!(simulated.end().states, [INIT, INIT]);
}

/// Halves of frames are no frames, and do not end the bus.
#[test]
fn torn_frames_are_lost_frames() {
    let _host = cable("torn");
    let layout = terminals(AtEnd::Hold);
    let simulated = Simulated::spring(&layout, |n| if n > 20 && n % 20 == 0 { Fate::Torn } else { Fate::Answered });
    let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
    let (mut stale, mut u, mut f) = (0, [0.0; 2], [0.0; 2]);
    for k in 0..200 {
        match bus.exchange(&mut [], &[f64::from(k), 1.0], &mut u, &mut f) {
            Reply::Fresh => assert_eq!((u, f), ([f64::from(k), 1.0], [0.5 * f64::from(k), 0.5])),
            Reply::Stale => stale += 1,
            Reply::Gone => panic!("gone after {k} samples"),
        }
    }
    assert!(stale >= 4 && count(&bus, "lost") >= 4.0, "{stale} samples were stale: {:?}", bus.account());
    bus.stop();
    assert_eq!(simulated.end().states, [INIT, INIT]);
}

#[test]
fn a_cut_cable_is_gone_after_twenty_cycles() {
    let _host = cable("cut");
    let layout = terminals(AtEnd::Hold);
    let simulated = Simulated::spring(&layout, |n| if n < 100 { Fate::Answered } else { Fate::Lost });
    let request = Request { priority: None, core: None, lock_memory: false, stay_awake: false };
    let mut bus = Fieldbus::open("ec0", &layout, 5.0 * MILLISECOND, Some(request)).expect("it opens");
    let (mut u, mut f) = ([0.0; 2], [0.0; 2]);
    let replies: Vec<Reply> = (0..300).map(|_| bus.exchange(&mut [], &[1.0; 2], &mut u, &mut f)).collect();
    let gone = replies.iter().position(|r| *r == Reply::Gone).expect("it is gone");
    let fresh = replies.iter().rposition(|r| *r == Reply::Fresh).expect("it was there");
    assert_eq!(gone - fresh, 20, "{replies:?}");
    assert!(replies[gone..].iter().all(|r| *r == Reply::Gone), "and stays so");
    bus.stop();
    simulated.end();
}

#[test]
fn a_drive_with_a_fault_is_gone_at_once_and_not_switched_on_again() {
    let _host = cable("fault");
    let layout = drive();
    let simulated = Simulated::spring(&layout, |n| if n == 200 { Fate::DriveFault } else { Fate::Answered });
    let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
    let (mut u, mut f) = ([0.0], [0.0]);
    let replies: Vec<Reply> = (0..400).map(|k| bus.exchange(&mut [], &[f64::from(k)], &mut u, &mut f)).collect();
    let first = replies.iter().position(|r| *r != Reply::Fresh).expect("there was a fault");
    assert!(replies[first..].iter().all(|r| *r == Reply::Gone));
    assert!(count(&bus, "drive_faults") >= 1.0);
    bus.stop();
    let seen = simulated.end();
    assert_eq!(seen.commands[0], u[0], "the last command that was answered is the last that moved it");
}

#[test]
fn outputs_at_the_end_are_held_or_zero() {
    for (at_end, expected) in [(AtEnd::Hold, [7.5, -2.0]), (AtEnd::Zero, [0.0, 0.0])] {
        let _host = cable(if at_end == AtEnd::Hold { "hold" } else { "zero" });
        let layout = terminals(at_end);
        let simulated = Simulated::spring(&layout, |_| Fate::Answered);
        let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
        let (mut u, mut f) = ([0.0; 2], [0.0; 2]);
        assert_eq!(bus.exchange(&mut [], &[7.5, -2.0], &mut u, &mut f), Reply::Fresh);
        drop(bus);
        let seen = simulated.end();
        assert_eq!((seen.commands, seen.states), (expected.to_vec(), vec![INIT, INIT]));
    }
}

#[test]
fn what_is_not_there_is_named() {
    let _host = cable("absent");
    let refused = |interface: &str, layout: &Layout| match Fieldbus::open(interface, layout, MILLISECOND, None) {
        Err(message) => message,
        Ok(_) => panic!("it opened"),
    };
    let found = refused("eth7", &drive());
    assert!(found.contains("no network interface `eth7`"), "{found}");
    let found = refused("ec0", &drive());
    assert!(found.contains("no device answers") || found.contains("in time"), "{found}");

    let simulated = Simulated::spring(&terminals(AtEnd::Hold), |_| Fate::Answered);
    let mut far = drive();
    far.actuators[0].force.device = 4;
    let found = refused("ec0", &far);
    assert!(found.contains("needs 5 devices, but 2 answer: `SIMULATED-IO`, `SIMULATED-IO`"), "{found}");
    let mut long = terminals(AtEnd::Hold);
    long.actuators[1].force.byte = 30;
    let found = refused("ec0", &long);
    assert!(found.contains("device 2 `SIMULATED-IO` has 16 bytes of inputs") && found.contains("30 to 33"), "{found}");
    simulated.end();
}

/// A laboratory with an interlock: its emergency stop is pressed from this sample of the specimen on, and released at another.
struct Guarded {
    samples: u64,
    pressed: std::ops::Range<u64>,
}

impl Hardware for Guarded {
    fn actuators(&self) -> usize {
        1
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        self.samples += 1;
        displacement.copy_from_slice(command);
        force.fill(0.0);
        Reply::Fresh
    }

    fn emergency_stop(&self) -> bool {
        self.pressed.contains(&self.samples)
    }
}

/// A drive, and a terminal whose bytes hold the bits of an interlock.
fn interlocked(pressed: bool) -> Layout {
    let bit = |byte, bit| Bit { device: 1, byte, bit };
    let emergency_stop = Some(Button { bit: bit(2, 3), pressed });
    Layout { interlock: Contacts { emergency_stop, heartbeat: Some(bit(0, 0)), enable: Some(bit(0, 1)) }, ..drive() }
}

#[test]
fn the_interlock_hears_every_command_and_the_end() {
    for pressed in [true, false] {
        let _host = cable("interlock");
        let layout = interlocked(pressed);
        let specimen = Guarded { samples: 0, pressed: 0..0 };
        let simulated = Simulated::start(Line::new(&layout, Box::new(specimen), Some(0.0), &[]), |_| Fate::Answered);
        let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
        let (mut u, mut f) = ([0.0], [0.0]);
        for k in 1..=100 {
            bus.interlock(Interlock { enable: true, heartbeat: k % 2 == 1 });
            assert_eq!(bus.exchange(&mut [], &[f64::from(k)], &mut u, &mut f), Reply::Fresh);
            assert_eq!((u[0], bus.emergency_stop()), (f64::from(k), false), "sample {k}");
        }
        // The bus goes on without a command, and the heartbeat does not.
        let cycles = count(&bus, "cycles");
        bus.exchange(&mut [], &[100.0], &mut u, &mut f);
        assert!(count(&bus, "cycles") > cycles);
        bus.stop();
        let seen = simulated.end();
        assert_eq!((seen.beats, seen.switched), (100, 2), "once per command; on, and off at the end");
        assert_eq!(seen.interlock, Interlock::default());
        assert!(seen.cycles > 101, "{} cycles", seen.cycles);
    }
}

#[test]
fn a_pressed_emergency_stop_is_read() {
    let _host = cable("pressed");
    let layout = interlocked(false);
    let specimen = Guarded { samples: 0, pressed: 400..u64::MAX };
    let simulated = Simulated::start(Line::new(&layout, Box::new(specimen), Some(0.0), &[]), |_| Fate::Answered);
    let mut bus = Fieldbus::open("ec0", &layout, MILLISECOND, None).expect("it opens");
    let (mut u, mut f) = ([0.0], [0.0]);
    let first = (0..2000).find(|_| {
        bus.exchange(&mut [], &[1.0], &mut u, &mut f);
        bus.emergency_stop()
    });
    assert!(first.is_some_and(|k| k > 0), "{first:?}");
    bus.stop();
    simulated.end();
}

/// Pressed from the beginning: nothing is switched on, and the message says where to look.
#[test]
fn nothing_is_switched_on_while_the_emergency_stop_is_pressed() {
    let _host = cable("closed");
    for layout in [true, false].map(interlocked) {
        let specimen = Guarded { samples: 0, pressed: 0..u64::MAX };
        let simulated = Simulated::start(Line::new(&layout, Box::new(specimen), Some(0.0), &[7.0]), |_| Fate::Answered);
        let found = Fieldbus::open("ec0", &layout, MILLISECOND, None).err().expect("it does not open");
        let level = if layout.interlock.emergency_stop.is_some_and(|b| b.pressed) { "high" } else { "low" };
        let expected = format!("the emergency stop is pressed (bit 3 of input byte 2 of device 2 is {level})");
        assert!(found.contains(&expected), "{found}");
        let seen = simulated.end();
        assert_eq!((seen.switched, seen.beats), (0, 0));
        assert_eq!(seen.commands, [7.0], "no command moved it");
    }
}
