//! Safety, explored: from every state, every fault and every word of the operator ends where the table says, inside of the envelope, at rest
//! in the stated time, with the first cause named; and again with a second fault during what follows the first.

use std::sync::{Arc, Mutex};

use interfield_lab::compensate::Compensation;
use interfield_lab::controller::{Calibration, Controller, Home, MissPolicy, Operator, Plan, Progress, Word};
use interfield_lab::guard::Envelope;
use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_lab::kinematics::Kinematics;
use interfield_lab::rig::{Rig, Target};
use interfield_lab::safety::{Action, Event, Limits, Next, Sequence, State, TABLE, Trip, Watch};

use super::method;
use interfield_kernel::scheme::registry::Argument;

/// Sampling interval, s.
const T: f64 = 5e-4;
/// Largest stroke, velocity and acceleration.
const ENVELOPE: Envelope =
    Envelope { position: [-0.1, 0.1], velocity: 1.5, acceleration: 471.0, braking: 94.0, jerk: f64::INFINITY };

/// What goes wrong in the laboratory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    Silence,
    NotANumber,
    Spike,
    Frozen,
    Gone,
    EmergencyStop,
    Stray,
}

const FAULTS: [Fault; 7] =
    [Fault::Silence, Fault::NotANumber, Fault::Spike, Fault::Frozen, Fault::Gone, Fault::EmergencyStop, Fault::Stray];

/// What is seen from outside.
#[derive(Default)]
struct Log {
    commands: Vec<f64>,
    interlock: Vec<Interlock>,
    fault: Option<Fault>,
    stopped: bool,
}

/// An actuator that lags by 8 ms and a specimen that yields at 40 kN and hardens by 5 %.
struct Bench {
    log: Arc<Mutex<Log>>,
    x: f64,
    yielded: f64,
    pressed: bool,
}

impl Hardware for Bench {
    fn actuators(&self) -> usize {
        1
    }
    fn interlock(&mut self, out: Interlock) {
        self.log.lock().unwrap().interlock.push(out);
    }
    fn exchange(&mut self, _memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let mut log = self.log.lock().unwrap();
        log.commands.push(command[0]);
        self.x += (command[0] - self.x) * T / 8e-3;
        let k = 2e6;
        let plastic = (k * (self.x - self.yielded)).clamp(-40e3, 40e3);
        self.yielded = self.x - plastic / k;
        let f = plastic + 0.05 * k * self.x;
        let fault = log.fault.unwrap_or(Fault::None);
        match fault {
            Fault::Gone => return Reply::Gone,
            Fault::Silence => return Reply::Stale,
            Fault::Frozen => return Reply::Fresh,
            _ => {}
        }
        self.pressed = fault == Fault::EmergencyStop;
        displacement[0] = if fault == Fault::Stray { self.x + 0.05 } else { self.x };
        force[0] = match fault {
            Fault::NotANumber => f64::NAN,
            Fault::Spike => f + 200e3,
            _ => f,
        };
        Reply::Fresh
    }
    fn emergency_stop(&self) -> bool {
        self.pressed
    }
    fn stop(&mut self) {
        self.log.lock().unwrap().stopped = true;
    }
}

/// Every compensator, as its users would start it for this actuator.
fn compensators() -> Vec<(&'static str, Compensation)> {
    let delay = [("delay", Argument::Number(8e-3))];
    let of = |name: &'static str| (name, method(name, &delay));
    let mut all: Vec<_> =
        ["polynomial", "inverse", "feedforward", "amb", "ats", "fir-rls", "early"].into_iter().map(of).collect();
    all.push(("pi-lead", method("pi-lead", &[])));
    all.push(("none", Compensation::Uncompensated));
    all
}

fn limits(action: Action) -> Limits {
    let watch = |limit: f64| Some(Watch::new(limit, action));
    Limits {
        displacement: watch(0.1),
        velocity: watch(1.5),
        force: watch(60e3),
        tracking: watch(0.03),
        frozen: watch(0.004),
        missing: Some(Watch { limit: 0.0, samples: 10, action }),
        measured_displacement: watch(0.12),
        ..Limits::default()
    }
}

/// A rig in the laboratory.
struct Test {
    rig: Controller,
    log: Arc<Mutex<Log>>,
    operator: Operator,
    memory: Vec<f64>,
    k: u64,
    time_scale: f64,
    amplitude: f64,
    waiting: bool,
    over: bool,
}

impl Test {
    fn new(method: &Compensation, limits: Limits, home: Home, time_scale: f64) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let hardware = Bench { log: log.clone(), x: 0.0, yielded: 0.0, pressed: false };
        let plan = Plan {
            period: T,
            time_scale,
            scale: 1.0,
            ramp: 0.2,
            patience: 0.3,
            miss: MissPolicy::Hold,
            bridge: 0.02,
            brake: 0.05,
            home,
            stalls: Vec::new(),
            compensator: Arc::from(method.together(1, T)),
            calibration: vec![Calibration::default()],
            envelopes: vec![ENVELOPE],
            stiffness: vec![2e6],
            mounts: vec![f64::INFINITY],
            sharing: None,
            holds: Vec::new(),
            free: 0,
        };
        let (direct, each) = (Kinematics::direct(1), (limits, vec![limits]));
        let mut rig = Controller::new(plan, direct, Box::new(hardware), each).expect("a rig");
        let operator = Operator::default();
        rig.listen(&operator, "");
        let memory = vec![0.0; rig.memory()];
        Test { rig, log, operator, memory, k: 0, time_scale, amplitude: 0.06, waiting: true, over: false }
    }

    /// Starts at 20 mm, then a sine that grows into 60 mm and 0.75 m/s within two cycles of half a second.
    fn target(&self) -> (f64, f64) {
        let dt = T * if self.time_scale > 1.0 { 4.0 / self.time_scale } else { 1.0 };
        let t = dt * self.k as f64;
        let w = 4.0 * std::f64::consts::PI;
        (t, 0.02 + self.amplitude * (t / 1.0).min(1.0) * (w * t).sin())
    }

    /// One sample, with a target if one is waited for.
    fn sample(&mut self, targets: bool) {
        if self.waiting && targets && !self.over {
            let (t, u) = self.target();
            self.rig.aim(Target { t, u: &[u], v: &[] });
            (self.waiting, self.k) = (false, self.k + 1);
        }
        match self.rig.tick(&mut self.memory) {
            Progress::Reached => self.waiting = true,
            Progress::Over(_) => self.over = true,
            Progress::Busy => {}
        }
    }

    fn state(&self) -> State {
        self.rig.sequence().state()
    }

    fn fault(&self, fault: Fault) {
        self.log.lock().unwrap().fault = Some(fault);
    }

    /// Until the test is over, or for so many samples.
    fn run(&mut self, samples: u64) -> &mut Self {
        for _ in 0..samples {
            if self.over {
                break;
            }
            self.sample(true);
        }
        self
    }

    /// Nothing left the envelope, and no step was larger than the velocity allows.
    fn assert_inside(&self, what: &str) {
        let log = self.log.lock().unwrap();
        let mut past = [0.0f64; 2];
        for (k, x) in log.commands.iter().enumerate() {
            let (v, a) = ((x - past[0]) / T, (x - 2.0 * past[0] + past[1]) / (T * T));
            let inside = x.abs() <= 0.1 && v.abs() <= ENVELOPE.velocity && a.abs() <= ENVELOPE.acceleration;
            assert!(inside, "{what}: sample {k} of {}: {x} m, {v} m/s, {a} m/s²", log.commands.len());
            past = [*x, past[0]];
        }
    }

    /// Samples after the `from`-th until the command stands still for good.
    fn moved_until(&self, from: usize) -> usize {
        let log = self.log.lock().unwrap();
        let last = log.commands.windows(2).rposition(|w| w[0] != w[1]).map_or(0, |k| k + 2);
        last.saturating_sub(from)
    }
}

/// Brings a test into a state.
fn brought(state: State, method: &Compensation, limits: Limits) -> Test {
    let mut test = Test::new(method, limits, Home::Displacement, 1.0);
    match state {
        State::Idle => {}
        State::Armed => {}
        State::ToStart => {
            test.run(150);
        }
        _ => {
            test.run(2600);
        }
    }
    match state {
        State::Holding => {
            test.operator.say(&Word::Pause).unwrap();
            test.run(60);
        }
        State::GoingHome => {
            test.operator.say(&Word::Stop).unwrap();
            test.run(150);
        }
        State::AtRest => {
            test.operator.say(&Word::Abort).unwrap();
            test.run(3);
        }
        State::Finished => {
            test.rig.go_home();
            test.run(4000);
        }
        State::Aborted => {
            test.fault(Fault::Gone);
            test.run(3);
        }
        _ => {}
    }
    if state != State::Armed {
        assert_eq!(test.state(), state, "brought there: {:?}", test.rig.sequence().log());
    }
    test
}

#[test]
fn the_table_leads_out_of_every_state() {
    // Ends are ends.
    for end in [State::Aborted, State::Finished] {
        assert!(TABLE[end as usize].iter().all(|n| *n == Next::Stay));
    }
    // However a test came to be where it is, one of these, and then rest, ends it, and nothing brings it back to life.
    let live = &State::ALL[..7];
    for (state, name) in live {
        for event in [Event::Off, Event::Lost, Event::Abort, Event::Home, Event::Stop] {
            let mut machine = machine_in(*state);
            machine.happen(1, event, None);
            for _ in 0..3 {
                machine.happen(2, Event::Arrived, None);
                machine.happen(3, Event::Settled, None);
            }
            assert!(machine.state().is_over(), "{event:?} from {name}: {:?}", machine.state());
        }
    }
    // Breadth first over all sequences of five events: whoever is on the way out stays on it.
    let out = |s: State| matches!(s, State::GoingHome | State::AtRest | State::Aborted | State::Finished);
    let mut machines: Vec<Sequence> = live.iter().map(|s| machine_in(s.0)).collect();
    let mut seen = 0u64;
    for _ in 0..4 {
        let mut next: Vec<Sequence> = Vec::new();
        for machine in &machines {
            for (event, _) in Event::ALL {
                let mut m = machine.clone();
                m.happen(1, event, None);
                seen += 1;
                let back = m.state() == State::Holding && m.held() == State::GoingHome;
                assert!(!out(machine.state()) || out(m.state()) || back, "{:?} {event:?}", machine.state());
                let key = |m: &Sequence| (m.state(), m.held());
                if !next.iter().any(|n| key(n) == key(&m)) {
                    next.push(m);
                }
            }
        }
        machines = next;
    }
    assert!(seen > 500, "{seen}");
}

fn machine_in(state: State) -> Sequence {
    let mut machine = Sequence::default();
    let events: &[Event] = match state {
        State::Idle => &[],
        State::Armed => &[Event::Arm],
        State::ToStart => &[Event::Arm, Event::Start],
        State::Running => &[Event::Arm, Event::Start, Event::Begin],
        State::Holding => &[Event::Arm, Event::Start, Event::Begin, Event::Hold],
        State::GoingHome => &[Event::Arm, Event::Start, Event::Begin, Event::End],
        State::AtRest => &[Event::Arm, Event::Start, Event::Begin, Event::Off],
        State::Aborted => &[Event::Lost],
        State::Finished => &[Event::End],
    };
    for event in events {
        machine.happen(0, *event, None);
    }
    assert_eq!(machine.state(), state);
    machine
}

/// What the table says of a fault, and within how many samples.
fn expected(state: State, fault: Fault, action: Action) -> Option<(State, u64)> {
    let (event, within) = match fault {
        Fault::Gone | Fault::EmergencyStop => (Event::Lost, 1),
        Fault::NotANumber => (Event::Off, 1),
        Fault::Silence => (action.event(), 10),
        Fault::Spike | Fault::Stray => (action.event(), 1),
        // Only what moves shows that a sensor does not; how soon depends on how fast.
        Fault::Frozen | Fault::None => return None,
    };
    match TABLE[state as usize][event as usize] {
        Next::To(next) => Some((next, within)),
        Next::Over => Some((State::Aborted, within)),
        // Whoever stopped the test was the first.
        Next::Once => Some((State::AtRest, within)),
        Next::Stay | Next::Back => Some((state, within)),
    }
}

#[test]
fn from_every_state_every_fault_ends_where_the_table_says() {
    let early = &compensators()[6].1;
    let states = [State::ToStart, State::Running, State::Holding, State::GoingHome, State::AtRest];
    for action in [Action::Hold, Action::RampDown, Action::Abort] {
        for state in states {
            for fault in FAULTS {
                let what = format!("{fault:?} while {state:?}, {action:?}");
                let mut test = brought(state, early, limits(action));
                let before = test.rig.sequence().cause();
                test.fault(fault);
                if let Some((next, within)) = expected(state, fault, action) {
                    test.run(within);
                    // A rest may be over by itself meanwhile.
                    let rested = state == State::AtRest && test.state() == State::Aborted;
                    assert!(test.state() == next || rested, "{what}: {:?}, not {next:?}", test.state());
                }
                // It ends: a hold by patience, the way home by itself.
                if state == State::Holding {
                    let _ = test.operator.say(&Word::Resume);
                }
                let began = test.log.lock().unwrap().commands.len();
                test.run(8000);
                let ends = fault != Fault::Frozen || action != Action::Warn;
                assert!(test.over || !ends, "{what}: {:?} after 8000 samples", test.state());
                test.assert_inside(&what);
                if let Some(first) = before {
                    assert_eq!(test.rig.sequence().cause(), Some(first), "{what}: the first cause");
                }
                let times = test.rig.times_to_rest();
                // Patience, then the way home.
                let most = 0.3 + times[1].1 + 0.1;
                let moved = test.moved_until(began) as f64 * T;
                assert!(moved <= most, "{what}: moved for {moved} s of {most}");
                let log = test.log.lock().unwrap();
                assert!(log.stopped && !log.interlock.last().unwrap().enable, "{what}: drives off");
            }
        }
    }
}

#[test]
fn a_second_fault_during_what_follows_the_first_ends_at_rest_inside() {
    let early = &compensators()[6].1;
    for action in [Action::Hold, Action::RampDown, Action::Abort] {
        for first in FAULTS {
            for second in FAULTS {
                for later in [1, 7, 40, 101, 250] {
                    let mut test = brought(State::Running, early, limits(action));
                    test.fault(first);
                    test.run(later);
                    let cause = test.rig.sequence().cause();
                    test.fault(second);
                    test.run(10_000);
                    let what = format!("{first:?}, after {later} samples {second:?}, {action:?}");
                    assert!(test.over, "{what}: {:?}", test.state());
                    test.assert_inside(&what);
                    if cause.is_some() {
                        assert_eq!(test.rig.sequence().cause(), cause, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn from_every_state_every_word_ends_where_the_table_says() {
    let early = &compensators()[6].1;
    let states = [State::ToStart, State::Running, State::Holding, State::GoingHome, State::AtRest];
    let words = [
        (Word::Pause, Event::Pause),
        (Word::Resume, Event::Resume),
        (Word::Stop, Event::Stop),
        (Word::Abort, Event::Abort),
    ];
    for state in states {
        for (word, event) in &words {
            let mut test = brought(state, early, limits(Action::RampDown));
            let held = test.rig.sequence().held();
            let taken = test.operator.say(word).is_ok();
            test.run(1);
            let next = match TABLE[state as usize][*event as usize] {
                _ if !taken => state,
                Next::To(next) => next,
                Next::Back => held,
                _ => state,
            };
            assert_eq!(test.state(), next, "{word:?} while {state:?}");
            test.run(if next == State::Holding { 500 } else { 3000 });
            test.assert_inside(&format!("{word:?} while {state:?}"));
            if matches!(word, Word::Stop | Word::Abort) && taken {
                assert!(test.over, "{word:?} while {state:?}");
                assert_eq!(test.rig.sequence().cause(), Some(Trip::Operator));
            }
        }
    }
}

/// A row of the table of trips: largest velocity of a command over what is allowed, largest step of velocity over what is allowed, time to rest.
fn trips_at_the_worst_moment(method: &Compensation, what: &str, time_scale: f64) -> [f64; 3] {
    let mut worst = [0.0f64; 3];
    for action in [Action::Hold, Action::RampDown, Action::Abort] {
        // At the largest velocity and at the largest displacement, and by a displacement that is too large.
        for (moment, amplitude) in [(3000, 0.06), (3250, 0.06), (3100, 0.06), (0, 0.2)] {
            for fault in FAULTS {
                let mut test = Test::new(method, limits(action), Home::Displacement, time_scale);
                test.amplitude = amplitude;
                test.run(moment);
                if moment > 0 {
                    test.fault(fault);
                }
                test.run(12_000);
                let label =
                    format!("{what}, {action:?}, {fault:?} at {moment}, {amplitude} m, time scale {time_scale}");
                test.assert_inside(&label);
                assert!(test.over || time_scale > 1.0, "{label}: {:?}", test.state());
                // From when it was noticed (only what moves shows that a sensor does not), for the last time.
                let led = |s: State| matches!(s, State::Running | State::ToStart);
                let log = test.rig.sequence().log();
                let noticed = log.iter().rfind(|t| led(t.from) && !led(t.to)).map(|t| t.tick as usize);
                let rest = noticed.filter(|_| test.over).map_or(0.0, |k| test.moved_until(k) as f64 * T);
                let most = 0.3 + test.rig.times_to_rest()[1].1 + 0.1;
                assert!(rest <= most, "{label}: {rest} s of {most}");
                let log = test.log.lock().unwrap();
                let v = log.commands.windows(2).map(|w| (w[1] - w[0]).abs() / T).fold(0.0, f64::max);
                let a = |w: &[f64]| (w[2] - 2.0 * w[1] + w[0]).abs() / (T * T);
                let a = log.commands.windows(3).map(a).fold(0.0, f64::max);
                worst =
                    [worst[0].max(v / ENVELOPE.velocity), worst[1].max(a / ENVELOPE.acceleration), worst[2].max(rest)];
            }
        }
    }
    worst
}

#[test]
fn every_compensator_tripped_at_its_worst_moment_stays_inside() {
    let mut table =
        String::from("| compensation | time scale | velocity | acceleration | rest |\n|---|---|---|---|---|\n");
    for (name, method) in compensators() {
        for time_scale in [1.0, 200.0] {
            let worst = trips_at_the_worst_moment(&method, name, time_scale);
            assert!(worst[0] <= 1.0 && worst[1] <= 1.0, "{name}: {worst:?}");
            let [v, a, rest] = worst;
            table += &format!("| `{name}` | {time_scale} | {:.0} % | {:.0} % | {rest:.2} s |\n", 100.0 * v, 100.0 * a);
        }
    }
    in_the_book("trips", &table);
}

#[test]
fn a_yielded_specimen_is_left_where_home_says() {
    for home in [Home::Displacement, Home::Force, Home::Hold] {
        let mut test = Test::new(&Compensation::Uncompensated, limits(Action::RampDown), home, 1.0);
        // In the middle of a cycle: 60 mm out, yielded.
        test.run(2900);
        test.rig.go_home();
        test.run(4000);
        assert_eq!(test.state(), State::Finished, "{home:?}");
        let (x, f) = (test.memory[1], test.memory[2]);
        match home {
            Home::Displacement => assert!(x.abs() < 1e-6 && f.abs() > 20e3, "{x} {f}"),
            Home::Force => assert!(f.abs() < 0.02 * 40e3 && x.abs() > 0.01, "{x} {f}"),
            Home::Hold => {
                let rest = *test.log.lock().unwrap().commands.last().unwrap();
                assert!(f.abs() > 20e3 && (x - rest).abs() < 1e-5 && rest != 0.0, "{x} {f} {rest}");
            }
        }
        test.assert_inside(&format!("{home:?}"));
    }
}

#[test]
fn a_planned_way_home_is_held_and_gone_on_with_but_not_for_ever() {
    for (flickers, end) in [(1, State::Finished), (3, State::Finished), (4, State::Aborted)] {
        let mut test = Test::new(&Compensation::Uncompensated, limits(Action::Hold), Home::Displacement, 1.0);
        test.run(2900);
        test.rig.go_home();
        for _ in 0..flickers {
            test.run(150);
            test.fault(Fault::Silence);
            test.run(15);
            test.fault(Fault::None);
            // Braked, clear for 20 ms, and on its way again.
            test.run(250);
        }
        test.run(6000);
        assert_eq!(test.state(), end, "{flickers} times: {:?}", test.rig.sequence().log());
        test.assert_inside(&format!("{flickers} times without readings on the way home"));
        if end == State::Finished {
            assert_eq!(test.log.lock().unwrap().commands.last(), Some(&0.0), "{flickers}: home");
        }
    }
}

#[test]
fn what_does_not_go_away_is_not_gone_on_with() {
    // A lost connection that only holds: the test waits, and goes home blind; it never runs on without readings.
    let lost = Limits { gone: Action::Hold, missing: None, ..limits(Action::Hold) };
    let mut test = Test::new(&Compensation::Uncompensated, lost, Home::Displacement, 1.0);
    test.run(2900);
    test.fault(Fault::Gone);
    test.run(8000);
    let log = test.rig.sequence().log();
    assert!(test.over && test.rig.sequence().cause() == Some(Trip::Gone), "{log:?}");
    assert!(log.iter().all(|t| t.tick < 2900 || t.to != State::Running), "{log:?}");
    test.assert_inside("a lost connection that holds");
    // The same for readings that are no numbers.
    let invalid = Limits { not_finite: Action::Hold, ..limits(Action::Hold) };
    let mut test = Test::new(&Compensation::Uncompensated, invalid, Home::Displacement, 1.0);
    test.run(2900);
    test.fault(Fault::NotANumber);
    test.run(8000);
    assert!(test.over && test.rig.sequence().cause() == Some(Trip::NotFinite), "{:?}", test.rig.sequence().log());
}

#[test]
fn a_trip_during_a_pause_brakes_what_was_slowing_down() {
    let mut test = Test::new(&Compensation::Uncompensated, limits(Action::Hold), Home::Displacement, 1.0);
    test.run(2900);
    test.operator.say(&Word::Pause).unwrap();
    test.run(20);
    test.fault(Fault::Silence);
    test.run(15);
    let at = test.log.lock().unwrap().commands.len();
    test.run(400);
    assert_eq!(test.state(), State::Holding);
    // 50 ms to brake; slowing down along the way would have taken 100 ms from the pause on.
    assert!(test.moved_until(at) <= 100, "{}", test.moved_until(at));
    test.assert_inside("a pause without readings");
}

#[test]
fn a_load_cell_that_lies_does_not_lead_a_specimen_away() {
    let mut test = Test::new(&Compensation::Uncompensated, Limits::none(), Home::Force, 1.0);
    test.run(2900);
    // Frozen at its last reading: whatever is done, it shows a force.
    test.fault(Fault::Frozen);
    let force = test.memory[2];
    test.rig.go_home();
    test.run(200);
    let began = *test.log.lock().unwrap().commands.last().unwrap();
    test.run(4000);
    let ended = *test.log.lock().unwrap().commands.last().unwrap();
    assert!(test.over && force.abs() > 20e3, "{force}");
    let most = 2.0 * force.abs() / 2e6;
    assert!((ended - began).abs() <= most * 1.01, "{} mm of {}", 1e3 * (ended - began), 1e3 * most);
}

#[test]
fn an_actuator_that_is_not_where_the_test_begins_is_not_moved() {
    let mut test = Test::new(&Compensation::Uncompensated, limits(Action::RampDown), Home::Displacement, 1.0);
    test.fault(Fault::Stray);
    test.run(200);
    assert_eq!(test.rig.sequence().cause(), Some(Trip::Start));
    let log = test.log.lock().unwrap();
    assert!(log.commands.iter().all(|x| x.abs() < 1e-6), "{:?}", log.commands.last());
}

/// Puts a table where the book has a place for it, or finds it there. `INTERFIELD_BLESS=1` writes it.
fn in_the_book(place: &str, table: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/safety.md");
    let page = std::fs::read_to_string(path).expect("the page of the book");
    let (open, close) = (format!("<!-- {place} -->\n"), format!("<!-- /{place} -->"));
    let begin = page.find(&open).expect("a place for it") + open.len();
    let end = begin + page[begin..].find(&close).expect("an end of it");
    if std::env::var_os("INTERFIELD_BLESS").is_some() {
        std::fs::write(path, format!("{}{table}{}", &page[..begin], &page[end..])).expect("a page that can be written");
        return;
    }
    assert_eq!(&page[begin..end], table, "INTERFIELD_BLESS=1 cargo test -p interfield-lab --test lab renews the book");
}

#[test]
fn the_book_has_the_table_of_states() {
    in_the_book("states", &interfield_lab::safety::sequence::markdown());
}
