//! A rig without a laboratory: actuators and degrees of freedom, calibration, late targets, pauses, the log; and the same rig
//! in a thread with a clock of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use interfield_kernel::Fault;
use interfield_lab::compensate::Method;
use interfield_lab::controller::{Button, Calibration, Controller, MissPolicy, Plan, Progress, Request};
use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::kinematics::{Kinematics, Lever, Strut};
use interfield_lab::paced::{Pace, Paced};
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::Wish;
use interfield_lab::realtime::{Schedule, VirtualClock, WhenLate};
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_lab::safety::guard::Seen;
use interfield_lab::safety::{Action, Guard, Limits, State, Trip, Watch};
use interfield_testkit::alloc::allocations;

/// Instruments that show volts: reached = command, force = 3 x reached.
#[derive(Clone, Default)]
struct Springs {
    commands: Arc<Mutex<Vec<Vec<f64>>>>,
    /// Samples in which nothing answers.
    silent: std::ops::Range<usize>,
    keep: bool,
}

impl Hardware for Springs {
    fn actuators(&self) -> usize {
        1
    }
    fn exchange(&mut self, _memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let mut commands = self.commands.lock().unwrap();
        if self.keep {
            commands.push(command.to_vec());
        }
        if self.silent.contains(&commands.len()) {
            return Reply::Stale;
        }
        displacement.copy_from_slice(command);
        force.iter_mut().zip(command).for_each(|(f, c)| *f = 3.0 * c);
        Reply::Fresh
    }
}

fn plan(n: usize, miss: MissPolicy) -> Plan {
    Plan {
        period: 1e-3,
        time_scale: 1.0,
        scale: 1.0,
        ramp: 0.01,
        patience: 0.02,
        miss,
        compensators: (0..n).map(|_| Arc::from(Method::Uncompensated.design(1e-3))).collect(),
        calibration: vec![Calibration::default(); n],
        stiffness: vec![3.0; n],
    }
}

fn controller(hardware: Springs, plan: Plan, limits: Limits) -> Controller {
    let n = plan.calibration.len();
    Controller::new(plan, Kinematics::direct(n), Box::new(hardware), Guard::new(limits, n, 1e-3))
}

#[test]
fn three_struts_hold_a_platform_and_work_is_the_same_from_both_sides() {
    let strut = |anchor: [f64; 2], attachment: [f64; 2]| {
        Lever::Strut(Strut {
            anchor: [anchor[0], anchor[1], 0.0],
            attachment: [attachment[0], attachment[1], 0.0],
            pivot: [0.0, 1.0, 0.0],
            translations: [Some(0), Some(1), None],
            rotations: [None, None, Some(2)],
        })
    };
    let levers =
        vec![strut([-2.0, 1.2], [-0.5, 1.2]), strut([-0.5, -1.0], [-0.5, 0.9]), strut([0.5, -1.0], [0.5, 0.9])];
    let mut kinematics = Kinematics::new(levers).expect("three struts in a plane");
    let u = [0.15, -0.08, 0.3];
    let mut q = [0.0; 3];
    kinematics.strokes(&u, &mut q);
    // By hand: the first strut ends at pivot + u + R (-0.5, 0.2).
    let (sin, cos) = u[2].sin_cos();
    let end = [0.15 - 0.5 * cos - 0.2 * sin, 1.0 - 0.08 - 0.5 * sin + 0.2 * cos];
    let length = ((end[0] + 2.0).powi(2) + (end[1] - 1.2).powi(2)).sqrt();
    assert!((q[0] - (length - 1.5)).abs() < 1e-14);
    let mut back = [0.0; 3];
    assert!(kinematics.displacements(&q, &mut back));
    u.iter().zip(&back).for_each(|(a, b)| assert!((a - b).abs() < 1e-13, "{back:?}"));
    // fᵀ dq = rᵀ du, with dq by differences.
    let (f, du) = ([3.0, -2.0, 5.0], [0.3, 0.7, -0.4]);
    let mut r = [0.0; 3];
    kinematics.to_dofs(&f, &mut r);
    let at = |h: f64| {
        let mut q = [0.0; 3];
        kinematics.strokes(&std::array::from_fn::<f64, 3, _>(|i| u[i] + h * du[i]), &mut q);
        f.iter().zip(&q).map(|(f, q)| f * q).sum::<f64>()
    };
    let work: f64 = r.iter().zip(&du).map(|(r, d)| r * d).sum();
    assert!(((at(1e-6) - at(-1e-6)) / 2e-6 - work).abs() < 1e-8, "{work}");
    kinematics.to_actuators(&mut r);
    f.iter().zip(&r).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    // Two of three along the same line hold nothing.
    let twice = vec![strut([-2.0, 1.2], [-0.5, 1.2]), strut([-3.0, 1.2], [-0.5, 1.2]), strut([0.5, -1.0], [0.5, 0.9])];
    assert!(Kinematics::new(twice).is_none());
}

#[test]
fn calibration_and_similitude_turn_metres_into_volts_and_back() {
    let mut plan = plan(1, MissPolicy::Hold);
    plan.scale = 2.0;
    plan.calibration[0] = Calibration { command: [10.0, 0.5], displacement: [10.0, 0.5], force: [-0.1, 0.2] };
    let hardware = Springs { keep: true, ..Springs::default() };
    let commands = hardware.commands.clone();
    let mut rig = controller(hardware, plan, Limits::none());
    let mut memory = vec![0.0; rig.memory()];
    rig.exchange(&mut memory, Target { t: 0.0, u: &[0.04], v: &[] }).unwrap();
    // The specimen is half as large: 0.02 m, at 10 V/m and 0.5 V.
    let sent = commands.lock().unwrap().last().unwrap()[0];
    assert!((sent - 0.7).abs() < 1e-15, "{sent}");
    assert!((memory[Reading::Reached.place(0, 1)] - 0.04).abs() < 1e-15);
    // 2.1 V are (2.1 - 0.2)/(-0.1) N at the specimen, four times that at the structure.
    assert!((memory[Reading::Force.place(0, 1)] + 4.0 * 19.0).abs() < 1e-12);
}

#[test]
fn the_ways_to_the_start_and_home_have_no_jolt() {
    let mut plan = plan(1, MissPolicy::Hold);
    plan.ramp = 0.4;
    let hardware = Springs { keep: true, ..Springs::default() };
    let commands = hardware.commands.clone();
    let mut rig = controller(hardware, plan, Limits::none());
    let mut memory = vec![0.0; rig.memory()];
    // To 10 mm at rest, then 40 samples of a parabola to 26 mm, which ends with 0.8 mm per sample.
    rig.exchange(&mut memory, Target { t: 0.0, u: &[0.010], v: &[0.0] }).unwrap();
    let to_start = commands.lock().unwrap().len();
    for k in 1..=40 {
        let x = 1e-3 * f64::from(k);
        rig.exchange(&mut memory, Target { t: x, u: &[0.010 + 10.0 * x * x], v: &[0.0] }).unwrap();
    }
    rig.finish(&mut memory);
    let path: Vec<f64> = commands.lock().unwrap().iter().map(|c| c[0]).collect();
    assert_eq!((path[to_start - 1], path.len()), (0.010, 2 * to_start + 40));
    assert!(path.last().unwrap().abs() < 1e-15);
    // Stopping from 0.8 mm per sample within 50 samples without a jolt at either end takes 4 x 0.8 / 50 mm per sample squared.
    let turns: Vec<f64> = path.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).collect();
    assert!(turns[..to_start - 2].iter().all(|t| *t < 1e-6), "a jolt on the way to the start");
    let home = &turns[to_start + 38..];
    assert!(home.iter().all(|t| *t < 4.0 * 0.8e-3 / 50.0), "{:?}", home.iter().copied().fold(0.0, f64::max));
    // It runs on by a fifth of the speed times the time in which it stops.
    let peak = path.iter().copied().fold(0.0, f64::max);
    assert!(peak < 0.026 + 0.2 * 0.8e-3 * 50.0, "{peak}");
}

#[test]
fn a_late_target_is_waited_for_gone_on_without_or_the_end() {
    // Targets every 4 ms along a line; the third comes 3 samples late.
    let run = |miss: MissPolicy| {
        let hardware = Springs { keep: true, ..Springs::default() };
        let commands = hardware.commands.clone();
        let mut rig = controller(hardware, plan(1, miss), Limits::none());
        let mut memory = vec![0.0; rig.memory()];
        let mut last = Progress::Busy;
        for k in 0..6 {
            rig.aim(Target { t: 0.004 * k as f64, u: &[0.01 * k as f64], v: &[] });
            for _ in 0..100 {
                last = rig.tick(&mut memory);
                if last != Progress::Busy {
                    break;
                }
            }
            if k == 2 {
                for _ in 0..3 {
                    last = rig.tick(&mut memory);
                }
            }
            if matches!(last, Progress::Over(_)) {
                break;
            }
        }
        let sent: Vec<f64> = commands.lock().unwrap().iter().map(|c| c[0]).collect();
        (sent, rig.counts(), last, rig.machine().state())
    };
    let (held, counts, _, _) = run(MissPolicy::Hold);
    assert_eq!((held.len(), counts[2]), (4 * 5 + 3, 3), "the schedule waits");
    assert_eq!(held[7..11], [0.02; 4]);
    let (gone_on, counts, _, _) = run(MissPolicy::Extrapolate);
    assert_eq!((gone_on.len(), counts[2]), (4 * 5, 3), "the schedule is kept");
    let straight = |(i, x): (usize, &f64)| (x - 0.0025 * (i + 1) as f64).abs() < 1e-15;
    assert!(gone_on.iter().enumerate().all(straight), "on a line nothing is noticed: {gone_on:?}");
    let (_, _, last, state) = run(MissPolicy::Abort);
    assert_eq!((last, state), (Progress::Over(Fault::Laboratory { code: Trip::Deadline.code() }), State::Aborted));
}

#[test]
fn a_pause_takes_all_the_time_there_is_and_a_hold_does_not() {
    let mut rig = controller(Springs::default(), plan(1, MissPolicy::Hold), Limits::none());
    let button = Button::default();
    rig.listen(button.clone());
    let mut memory = vec![0.0; rig.memory()];
    for k in 0..3 {
        rig.exchange(&mut memory, Target { t: 0.004 * k as f64, u: &[0.01 * k as f64], v: &[] }).unwrap();
    }
    rig.aim(Target { t: 0.012, u: &[0.03], v: &[] });
    button.press(Request::Pause);
    for _ in 0..1000 {
        assert_eq!(rig.tick(&mut memory), Progress::Busy);
        assert_eq!(rig.machine().state(), State::Hold);
    }
    button.press(Request::None);
    let mut samples = 0;
    while rig.tick(&mut memory) == Progress::Busy {
        samples += 1;
    }
    assert!(samples <= 4 && rig.machine().state() == State::Running, "{samples}");
    // Silence: held after 3 samples, led home after 20 ms of patience, over after 10 ms of ramp.
    let limits = Limits { missing: Some(Watch { limit: 0.0, samples: 3, action: Action::Hold }), ..Limits::default() };
    let hardware = Springs { keep: true, silent: 10..usize::MAX, ..Springs::default() };
    let mut rig = controller(hardware, plan(1, MissPolicy::Hold), limits);
    let mut memory = vec![0.0; rig.memory()];
    let over = (0..20)
        .find_map(|k| rig.exchange(&mut memory, Target { t: 0.004 * k as f64, u: &[0.01 * k as f64], v: &[] }).err());
    assert_eq!(over, Some(Fault::Laboratory { code: Trip::Patience.code() }));
    let log: Vec<(State, u64)> = rig.machine().log().iter().map(|t| (t.to, t.tick)).collect();
    let expected = [(State::Hold, 12), (State::RampDown, 33), (State::Aborted, 43)];
    assert_eq!(log[3..], expected, "{log:?}");
}

#[test]
fn a_paced_rig_does_what_the_rehearsed_one_does_and_goes_home_when_left_alone() {
    let targets: Vec<f64> = (0..50).map(|k| 0.01 * (0.3 * f64::from(k)).sin()).collect();
    let rehearsed = {
        let mut rig = controller(Springs::default(), plan(1, MissPolicy::Extrapolate), Limits::default());
        let mut memory = vec![0.0; rig.memory()];
        let one = |(k, u): (usize, &f64)| {
            rig.exchange(&mut memory, Target { t: 0.004 * k as f64, u: &[*u], v: &[] }).unwrap();
            memory[..Reading::COUNT].to_vec()
        };
        targets.iter().enumerate().map(one).collect::<Vec<_>>()
    };
    // A clock that ticks when it is asked: the controller waits at every target, so the policy must be to hold.
    let start = |clock: VirtualClock| {
        let rig = controller(Springs::default(), plan(1, MissPolicy::Hold), Limits::default());
        let pace = Pace { wish: Wish::default(), patience: Patience::Park, watchdog: Duration::from_secs(20) };
        Paced::start(rig, Box::new(clock), pace).unwrap()
    };
    let clock = || VirtualClock::new(Schedule::new(1e-3, WhenLate::Shift).unwrap());
    let mut rig = start(clock());
    let mut memory = vec![0.0; rig.memory()];
    for (k, u) in targets.iter().enumerate() {
        let target = Target { t: 0.004 * k as f64, u: &[*u], v: &[] };
        // Whether it is sent there beforehand makes no difference.
        if k % 3 == 1 {
            rig.set_out(target).unwrap();
        }
        rig.exchange(&mut memory, target).unwrap();
        assert_eq!(memory, rehearsed[k], "target {k}");
    }
    rig.finish(&mut memory);
    let record = rig.record().expect("the thread has ended");
    assert_eq!(record.controller.machine().state(), State::Finished);
    assert!(record.timing.wake_up.summary().count > 200);
    // Left alone in the middle of a test: led home by the controller itself, before the thread ends.
    let mut rig = start(clock());
    rig.exchange(&mut memory, Target { t: 0.0, u: &[0.0], v: &[] }).unwrap();
    rig.exchange(&mut memory, Target { t: 0.004, u: &[0.01], v: &[] }).unwrap();
    drop(rig);
}

#[test]
fn a_sample_of_the_controller_allocates_nothing() {
    let mut rig = controller(Springs::default(), plan(1, MissPolicy::Hold), Limits::default());
    let mut memory = vec![0.0; rig.memory()];
    rig.exchange(&mut memory, Target { t: 0.0, u: &[0.0], v: &[] }).unwrap();
    let found = allocations(|| {
        for k in 1..200 {
            rig.exchange(&mut memory, Target { t: 0.004 * f64::from(k), u: &[0.001 * f64::from(k % 7)], v: &[] })
                .unwrap();
        }
    });
    assert_eq!(found, 0);
}

#[test]
fn noise_at_rest_is_no_energy_and_a_loop_that_grows_is() {
    let limits = Limits {
        indicator: Some(Watch::new(0.05, Action::Abort)),
        energy: Some(Watch::new(0.2, Action::Abort)),
        ..Limits::none()
    };
    let mut guard = Guard::new(limits, 1, 1e-3);
    let noise = |k: u64, seed: u64| interfield_lab::signal::noise::normal(seed, k);
    let look = |guard: &mut Guard, k: u64, target: f64, lag: f64| {
        let reached = target - lag + 2e-5 * noise(k, 1);
        guard.look(0, Seen { target, command: target, reached, force: 1e6 * (target - lag) + 100.0 * noise(k, 2) })
    };
    for k in 0..5000 {
        assert_eq!(look(&mut guard, k, 0.0, 0.0), None, "sample {k}");
    }
    // A specimen that lags by 10 ms behind 3 Hz feeds energy in: k x v times the delay.
    let w = 6.0 * std::f64::consts::PI;
    let tripped = (0..2000).find_map(|k| {
        let t = 1e-3 * k as f64;
        look(&mut guard, 5000 + k, 0.05 * (w * t).sin(), 0.05 * w * 0.01 * (w * t).cos()).map(|alarm| (k, alarm.trip))
    });
    let (sample, trip) = tripped.expect("an alarm");
    assert!(sample < 400 && [Trip::Indicator, Trip::Energy].contains(&trip), "{sample} {trip:?}");
}
