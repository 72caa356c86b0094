//! A rig without a laboratory: actuators and degrees of freedom, calibration, late targets, pauses, the log; and the same rig
//! in a thread with a clock of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use interfield_lab::compensate::Compensation;
use interfield_lab::controller::{Calibration, Controller, Home, MissPolicy, Operator, Plan, Progress, Word};
use interfield_lab::guard::Envelope;
use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::kinematics::{Kinematics, Lever, Strut};
use interfield_lab::paced::{Pace, Paced};
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::Request;
use interfield_lab::realtime::{Schedule, VirtualClock, WhenLate};
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_lab::safety::monitor::Seen;
use interfield_lab::safety::{Action, Limits, Monitor, State, Trip, Watch};
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
        bridge: 0.02,
        brake: 0.05,
        home: Home::Displacement,
        stalls: Vec::new(),
        envelopes: vec![Envelope::OPEN; n],
        compensator: Arc::from(Compensation::Uncompensated.together(n, 1e-3)),
        calibration: vec![Calibration::default(); n],
        stiffness: vec![3.0; n],
        mounts: vec![f64::INFINITY; n],
        sharing: None,
        holds: Vec::new(),
        free: 0,
    }
}

fn controller(hardware: Springs, plan: Plan, limits: Limits) -> Controller {
    let n = plan.calibration.len();
    Controller::new(plan, Kinematics::direct(n), Box::new(hardware), (limits, vec![limits; n])).expect("a rig")
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
    let mut kinematics = Kinematics::new(levers, 3);
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
    let mut back = [0.0; 3];
    kinematics.to_actuators(&r, &mut back);
    f.iter().zip(&back).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    // Two of three along the same line hold nothing.
    let twice = vec![strut([-2.0, 1.2], [-0.5, 1.2]), strut([-3.0, 1.2], [-0.5, 1.2]), strut([0.5, -1.0], [0.5, 0.9])];
    let twice = Kinematics::new(twice, 3);
    assert_eq!((twice.rank(), twice.is_regular()), (2, false));
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
fn what_a_specimen_carries_at_rest_is_measured_before_the_test() {
    struct Tense;
    impl Hardware for Tense {
        fn actuators(&self) -> usize {
            1
        }
        fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
            displacement[0] = command[0];
            force[0] = 100.0 + 3.0 * command[0];
            Reply::Fresh
        }
    }
    let none = (Limits::none(), vec![Limits::none()]);
    let mut rig =
        Controller::new(plan(1, MissPolicy::Hold), Kinematics::direct(1), Box::new(Tense), none).expect("a rig");
    let mut memory = vec![0.0; rig.memory()];
    rig.exchange(&mut memory, Target { t: 0.0, u: &[0.0], v: &[] }).unwrap();
    assert_eq!(memory[Reading::Force.place(0, 1)], 100.0);
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
    // Braked in 50 samples, led home in 400, then 51 to come to rest.
    assert_eq!(path[to_start - 1], 0.010);
    assert!((500..=504).contains(&(path.len() - to_start - 40)), "{}", path.len() - to_start - 40);
    assert_eq!(path.last(), Some(&0.0));
    // Stopping from 0.8 mm per sample within 50 samples takes 1.5 x 0.8 / 50 mm per sample squared at most.
    let turns: Vec<f64> = path.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).collect();
    assert!(turns[..to_start - 2].iter().all(|t| *t < 1e-6), "a jolt on the way to the start");
    let home = &turns[to_start + 38..];
    assert!(home.iter().all(|t| *t < 1.51 * 0.8e-3 / 50.0), "{:?}", home.iter().copied().fold(0.0, f64::max));
    // It runs on by half of the speed times the time in which it stops.
    let peak = path.iter().copied().fold(0.0, f64::max);
    assert!(peak < 0.026 + 0.5 * 0.8e-3 * 50.0, "{peak}");
}

#[test]
fn a_late_target_is_bridged_and_rejoined_smoothly() {
    // Targets every 4 ms along a parabola that is a line at its end; one comes `late` samples late.
    let run = |miss: MissPolicy, late: usize| {
        let hardware = Springs { keep: true, ..Springs::default() };
        let commands = hardware.commands.clone();
        let mut rig = controller(hardware, plan(1, miss), Limits::none());
        let mut memory = vec![0.0; rig.memory()];
        let mut last = Progress::Busy;
        for k in 0..60 {
            let x = f64::from(k);
            let u = if k < 20 { 0.5e-3 * x * x / 20.0 } else { 0.5e-3 * (2.0 * x - 20.0) };
            rig.aim(Target { t: 0.004 * x, u: &[u], v: &[] });
            for _ in 0..100 {
                last = rig.tick(&mut memory);
                if last != Progress::Busy {
                    break;
                }
            }
            for _ in 0..if k == 30 { late } else { 0 } {
                last = rig.tick(&mut memory);
            }
            if matches!(last, Progress::Over(_)) {
                break;
            }
        }
        let sent: Vec<f64> = commands.lock().unwrap().iter().map(|c| c[0]).collect();
        (sent, rig.counts(), last, rig.sequence().state())
    };
    let jolt = |path: &[f64]| path.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max);
    let step = 0.25e-3;
    let (on_time, counts, ..) = run(MissPolicy::Hold, 0);
    // One sample at rest, then four for each target.
    assert_eq!((on_time.len(), counts[2]), (1 + 4 * 59, 0));
    for late in [1, 3, 10, 19] {
        let (held, counts, last, _) = run(MissPolicy::Hold, late);
        assert_eq!(
            (held.len(), counts[2], last),
            (1 + 4 * 59 + late, late as u64, Progress::Reached),
            "the schedule waits"
        );
        // The motion runs out in 20 samples: it never jumps, never turns by more than the braking does.
        assert!(jolt(&held) < 0.25 * step, "{late}: {}", jolt(&held) / step);
        let ahead = held[4 * 30 + late] - on_time[4 * 30];
        assert!(ahead > 0.0 && ahead <= 0.51 * 20.0 * step, "{late}: {ahead}");
        assert!((held.last().unwrap() - on_time.last().unwrap()).abs() < 1e-15, "{late}: back on its way");
    }
    let (kept, counts, ..) = run(MissPolicy::Extrapolate, 3);
    assert_eq!((kept.len(), counts[2]), (1 + 4 * 59, 3), "the schedule is kept");
    let (_, _, last, state) = run(MissPolicy::Abort, 3);
    assert_eq!((last, state), (Progress::Over(Trip::Deadline.fault(None)), State::Aborted));
    // Longer than is bridged: held, and gone on with when the target is there.
    let mut rig = controller(Springs::default(), Plan { patience: 1.0, ..plan(1, MissPolicy::Hold) }, Limits::none());
    let mut memory = vec![0.0; rig.memory()];
    for k in 0..10 {
        rig.exchange(&mut memory, Target { t: 0.004 * f64::from(k), u: &[1e-3 * f64::from(k)], v: &[] }).unwrap();
    }
    (0..40).for_each(|_| assert_eq!(rig.tick(&mut memory), Progress::Busy));
    assert_eq!(rig.sequence().state(), State::Holding);
    for k in 10..30 {
        rig.exchange(&mut memory, Target { t: 0.004 * f64::from(k), u: &[1e-3 * f64::from(k)], v: &[] }).unwrap();
        let read = memory[Reading::Reached.place(0, 1)];
        assert!((read - 1e-3 * f64::from(k)).abs() < 1e-4, "{k}: {read}");
    }
    assert_eq!(rig.sequence().state(), State::Running);
    assert!(rig.sequence().log().iter().any(|t| t.cause == Some(Trip::Late)));
}

/// Commands as they were sent.
type Sent = Arc<Mutex<Vec<Vec<f64>>>>;

/// A rig in the middle of a test, and the operator it listens to.
fn under_way(limits: Limits) -> (Controller, Operator, Vec<f64>, Sent) {
    let hardware = Springs { keep: true, ..Springs::default() };
    let commands = hardware.commands.clone();
    let mut rig = controller(hardware, plan(1, MissPolicy::Hold), limits);
    let operator = Operator::default();
    rig.listen(&operator, "");
    let mut memory = vec![0.0; rig.memory()];
    for k in 0..30 {
        rig.exchange(&mut memory, Target { t: 0.001 * f64::from(k), u: &[way(k)], v: &[] }).unwrap();
    }
    (rig, operator, memory, commands)
}

/// Where a test goes, 1 ms after the other: from rest into a sine.
fn way(k: i32) -> f64 {
    let t = 1e-3 * f64::from(k);
    0.02 * (1.0 - (6.0 * t).cos())
}

#[test]
fn an_end_that_was_wanted_before_the_rig_came_is_obeyed_before_anything_moves() {
    for word in [Word::Stop, Word::Abort] {
        let hardware = Springs { keep: true, ..Springs::default() };
        let commands = hardware.commands.clone();
        let mut rig = controller(hardware, plan(1, MissPolicy::Hold), Limits::none());
        let operator = Operator::default();
        operator.forestall(&word);
        rig.listen(&operator, "");
        let mut memory = vec![0.0; rig.memory()];
        let targets = (0..30).map(|k| rig.exchange(&mut memory, Target { t: 1e-3 * f64::from(k), u: &[0.01], v: &[] }));
        assert!(targets.last().is_some_and(|last| last.is_err()), "{word:?}");
        assert!(rig.sequence().state().is_over() && operator.is_heard(), "{word:?}");
        assert!(commands.lock().unwrap().iter().flatten().all(|c| *c == 0.0), "{word:?}: it moved");
    }
}

#[test]
fn a_pause_stays_on_the_way_of_the_test_and_takes_all_the_time_there_is() {
    let (mut rig, operator, mut memory, commands) = under_way(Limits::none());
    assert!(operator.say(&Word::Pause).unwrap().contains("pausing"));
    let mut k = 30;
    // The test slows down along its targets, which it still asks for.
    for _ in 0..5000 {
        if rig.sequence().state() != State::Holding || memory[0] == way(k - 1) {
            rig.aim(Target { t: 1e-3 * f64::from(k), u: &[way(k)], v: &[] });
            k += 1;
        }
        while rig.tick(&mut memory) == Progress::Busy && rig.counts()[0] < 4000 {}
        if rig.counts()[0] >= 4000 {
            break;
        }
    }
    assert_eq!(rig.sequence().state(), State::Holding, "longer than any patience");
    assert_eq!(rig.counts()[2], 0, "a pause is not late");
    assert!(operator.say(&Word::Pause).is_err() && operator.is_heard());
    assert!(operator.status().contains("holding"), "{}", operator.status());
    operator.say(&Word::Note("a crack at the base".to_owned())).unwrap();
    operator.say(&Word::Resume).unwrap();
    let paused = commands.lock().unwrap().len();
    loop {
        match rig.tick(&mut memory) {
            Progress::Reached if k < 600 => {
                let read = memory[Reading::Reached.place(0, 1)];
                assert!((read - way(k - 1)).abs() < 2e-6, "{k}: {read} {}", way(k - 1));
                rig.aim(Target { t: 1e-3 * f64::from(k), u: &[way(k)], v: &[] });
                k += 1;
            }
            Progress::Reached => break,
            Progress::Busy => {}
            Progress::Over(fault) => panic!("{fault:?}"),
        }
    }
    assert_eq!((rig.sequence().state(), rig.counts()[2]), (State::Running, 0));
    // No jolt anywhere: less than the test itself has, 0.02 x 6² mm per sample squared, and what stopping from 0.12 m/s in 200 samples takes.
    let path: Vec<f64> = commands.lock().unwrap().iter().map(|c| c[0]).collect();
    let turn = |w: &[f64]| (w[2] - 2.0 * w[1] + w[0]).abs();
    let most = path[5..].windows(3).map(turn).fold(0.0, f64::max);
    assert!(most < 0.72e-6 + 2.0 * 0.12e-3 / 200.0, "{most}");
    assert_eq!(path[paused - 1], path[paused - 500], "it stood");
    assert_eq!(path[path.len() - 1], way(599), "it lands on its targets again");
    let lines = operator.lines();
    assert!(
        lines.iter().any(|l| l.contains("a crack at the base")) && lines[0].contains("operator: pause"),
        "{lines:?}"
    );
}

#[test]
fn words_are_obeyed_or_refused() {
    for bad in ["", "halt", "note", "pause now", "PAUSE"] {
        assert!(Word::parse(bad).is_err(), "{bad}");
    }
    assert_eq!(Word::parse(" note  two words "), Ok(Word::Note("two words".to_owned())));
    let (mut rig, operator, mut memory, _) = under_way(Limits::none());
    operator.say(&Word::Stop).unwrap();
    assert!(operator.say(&Word::Resume).is_err(), "what was stopped does not go on");
    assert!(operator.say(&Word::Pause).is_err());
    rig.aim(Target { t: 0.030, u: &[way(30)], v: &[] });
    let over = (0..1000).find_map(|_| match rig.tick(&mut memory) {
        Progress::Over(fault) => Some(fault),
        _ => None,
    });
    assert_eq!(over, Some(Trip::Operator.fault(None)));
    assert_eq!(rig.outcome(), "aborted: stopped by the operator");
    assert!(operator.say(&Word::Stop).is_err_and(|e| e.contains("over")));
    // Silence: held after 3 samples, led home after 20 ms of patience.
    let limits = Limits { missing: Some(Watch { limit: 0.0, samples: 3, action: Action::Hold }), ..Limits::default() };
    let hardware = Springs { keep: true, silent: 10..usize::MAX, ..Springs::default() };
    let mut rig = controller(hardware, plan(1, MissPolicy::Hold), limits);
    let mut memory = vec![0.0; rig.memory()];
    let over = (0..20)
        .find_map(|k| rig.exchange(&mut memory, Target { t: 0.004 * k as f64, u: &[0.01 * k as f64], v: &[] }).err());
    assert_eq!(over, Some(Trip::Missing.fault(None)), "the first cause");
    let log: Vec<(State, u64)> = rig.sequence().log().iter().map(|t| (t.to, t.tick)).collect();
    let states: Vec<State> = log.iter().map(|l| l.0).collect();
    assert_eq!(states[3..], [State::Holding, State::GoingHome, State::AtRest, State::Aborted], "{log:?}");
    assert_eq!((log[3].1, log[4].1), (12, 32), "{log:?}");
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
    // A clock that ticks when it is asked: the controller waits at every target, so nothing may be late.
    let start = |clock: VirtualClock| {
        let hardware = Springs { keep: true, ..Springs::default() };
        let commands = hardware.commands.clone();
        let rig = controller(hardware, plan(1, MissPolicy::Wait), Limits::default());
        let pace = Pace { rights: Request::default(), patience: Patience::Park, watchdog: Duration::from_secs(20) };
        (Paced::start(rig, Box::new(clock), pace).unwrap(), commands)
    };
    let clock = || VirtualClock::new(Schedule::new(1e-3, WhenLate::Shift).unwrap());
    let (mut rig, _) = start(clock());
    let mut memory = vec![0.0; rig.memory()];
    for (k, u) in targets.iter().enumerate() {
        let target = Target { t: 0.004 * k as f64, u: &[*u], v: &[] };
        // Whether it is sent there beforehand makes no difference.
        if k % 3 == 1 {
            rig.set_out(target).unwrap();
        }
        rig.exchange(&mut memory, target).unwrap();
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-15;
        assert!(memory.iter().zip(&rehearsed[k]).all(close), "target {k}: {memory:?} {:?}", rehearsed[k]);
    }
    rig.finish(&mut memory);
    let (log, timing) = rig.log().zip(rig.timing()).expect("the thread has ended");
    assert_eq!(log.sequence.state(), State::Finished);
    assert!(timing.timing.wake_up.summary().count > 200);
    // Left alone in the middle of a test: led home by the controller itself, before the thread ends.
    let (mut rig, commands) = start(clock());
    rig.exchange(&mut memory, Target { t: 0.0, u: &[0.0], v: &[] }).unwrap();
    rig.exchange(&mut memory, Target { t: 0.004, u: &[0.01], v: &[] }).unwrap();
    drop(rig);
    let sent = commands.lock().unwrap();
    let farthest = sent.iter().map(|c| c[0]).fold(0.0, f64::max);
    assert!(farthest >= 0.01 && sent.last().unwrap()[0] == 0.0, "it was out, and it is home: {farthest}");
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
    let mut guard = Monitor::new(limits, vec![limits], 1e-3);
    let noise = |k: u64, seed: u64| interfield_lab::signal::noise::normal(seed, k);
    let look = |guard: &mut Monitor, k: u64, target: f64, lag: f64| {
        let reached = target - lag + 2e-5 * noise(k, 1);
        let force = 1e6 * (target - lag) + 100.0 * noise(k, 2);
        guard.look(0, Seen { target, command: target, reached, force, led: true }).alarm
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

/// One actuator between two floors, two on one line, four on a plan: what they drive, what they do not, and how forces go back.
#[test]
fn fewer_and_more_actuators_than_degrees_of_freedom() {
    // A damper between two floors: the difference is driven, the sum is not.
    let mut damper = Kinematics::new(vec![Lever::Linear(vec![-1.0, 1.0])], 2);
    assert_eq!((damper.rank(), damper.unheld(&[-3.0, 3.0])), (1, None));
    assert_eq!(damper.unheld(&[1.0, 1.0]), Some(vec![1.0, 1.0]));
    let mut u = [0.1, 0.2];
    assert!(damper.displacements(&[0.04], &mut u));
    // Off by 0.06, half of it on each side; the sum stays.
    assert!((u[0] - 0.13).abs() < 1e-15 && (u[1] - 0.17).abs() < 1e-15, "{u:?}");
    let (mut r, mut f) = ([0.0; 2], [0.0]);
    damper.to_dofs(&[5.0], &mut r);
    assert_eq!(r, [-5.0, 5.0]);
    damper.to_actuators(&r, &mut f);
    assert!((f[0] - 5.0).abs() < 1e-14);
    // Two on one line, of which the second carries twice as much.
    let pair = vec![Lever::Linear(vec![1.0]), Lever::Linear(vec![1.0])];
    let mut pair = Kinematics::new(pair, 1).sharing(&[1.0, 2.0]);
    assert_eq!((pair.rank(), pair.dependent()), (1, vec![0, 1]));
    let (mut f, mut internal) = ([0.0; 2], [0.0; 2]);
    pair.to_actuators(&[9.0], &mut f);
    assert!((f[0] - 3.0).abs() < 1e-14 && (f[1] - 6.0).abs() < 1e-14, "{f:?}");
    pair.internal(&[5.0, 4.0], &mut internal);
    assert!((internal[0] - 2.0).abs() < 1e-14 && (internal[1] + 2.0).abs() < 1e-14, "{internal:?}");
    // Four on a plan: x, y and a rotation that is 1e6 times smaller in its unit.
    for size in [1e-6, 1.0, 1e6] {
        let row = |x: f64, y: f64, arm: f64| Lever::Linear(vec![x, y, arm * size]);
        let four = vec![row(1.0, 0.0, 2.0), row(1.0, 0.0, -2.0), row(0.0, 1.0, 3.0), row(0.0, 1.0, -3.0)];
        let mut four = Kinematics::new(four, 3);
        assert_eq!((four.rank(), four.dependent()), (3, vec![0, 1, 2, 3]));
        let u = [0.01, -0.02, 0.003 / size];
        let (mut q, mut back) = ([0.0; 4], [0.0; 3]);
        four.strokes(&u, &mut q);
        assert!(four.displacements(&q, &mut back));
        u.iter().zip(&back).for_each(|(a, b)| assert!((a - b).abs() <= 1e-14 * a.abs(), "{back:?}"));
    }
}

/// Struts of 10 mm to 1 km, where the stroke is known in closed form: along the strut it is the displacement itself, across it d²/(L + √(L² + d²)).
#[test]
fn a_strut_is_exact_at_any_length() {
    for length in [0.01, 1.0, 40.0, 100.0, 1000.0] {
        for moved in [1e-9, 1e-6, 1e-3] {
            let strut = |anchor: [f64; 3]| {
                let translations = [Some(0), Some(1), None];
                let rotations = [None, None, Some(2)];
                Lever::Strut(Strut { anchor, attachment: [0.5, 0.5, 0.0], pivot: [0.0; 3], translations, rotations })
            };
            let levers = vec![strut([0.5 - length, 0.5, 0.0]), strut([0.5, 0.5 - length, 0.0])];
            let mut q = [0.0; 2];
            Kinematics::new(levers.clone(), 3).strokes(&[moved, 0.0, 0.0], &mut q);
            assert!((q[0] - moved).abs() <= 1e-15 * moved, "{length} {moved}: {:e}", q[0]);
            let across = moved * moved / (length + length.hypot(moved));
            assert!((q[1] - across).abs() <= 4e-16 * moved + 1e-15 * across, "{length} {moved}: {:e}", q[1]);
            let mut three = levers;
            three.push(Lever::Linear(vec![0.0, 0.0, 1.0]));
            let (mut three, u) = (Kinematics::new(three, 3), [moved, -2.0 * moved, 3.0 * moved]);
            let (mut q, mut back) = ([0.0; 3], [0.0; 3]);
            three.strokes(&u, &mut q);
            assert!(three.displacements(&q, &mut back), "{length} {moved}");
            u.iter().zip(&back).for_each(|(a, b)| assert!((a - b).abs() <= 1e-13 * moved, "{length}: {back:?}"));
        }
    }
}

/// Two pistons on one specimen, each through a mount that gives; the second stands a little off. What the pistons feel is static.
#[derive(Clone)]
struct Pair {
    off: f64,
    mount: f64,
    specimen: f64,
    forces: Arc<Mutex<Vec<[f64; 2]>>>,
}

impl Hardware for Pair {
    fn actuators(&self) -> usize {
        2
    }
    fn exchange(&mut self, _memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let pistons = [command[0], command[1] + self.off];
        let x = self.mount * (pistons[0] + pistons[1]) / (2.0 * self.mount + self.specimen);
        // Each piston stands where its own transducer wants it: that it is off is not seen.
        displacement.copy_from_slice(command);
        (0..2).for_each(|i| force[i] = self.mount * (pistons[i] - x));
        self.forces.lock().unwrap().push([force[0], force[1]]);
        Reply::Fresh
    }
}

#[test]
fn redundant_actuators_share_the_load_and_stop_together() {
    let (mount, specimen, off) = (2e8, 1e7, 2e-4);
    let forces = Arc::new(Mutex::new(Vec::new()));
    let hardware = Pair { off, mount, specimen, forces: forces.clone() };
    let envelope = |velocity: f64| Envelope {
        position: [-0.1, 0.1],
        velocity,
        acceleration: 100.0,
        braking: 20.0 * velocity,
        jerk: f64::INFINITY,
    };
    // The second may be braked half as hard as the first.
    let plan = Plan {
        mounts: vec![mount; 2],
        sharing: Some(0.05),
        envelopes: vec![envelope(1.0), envelope(0.5)],
        ..plan(2, MissPolicy::Hold)
    };
    let pair = Kinematics::new(vec![Lever::Linear(vec![1.0]), Lever::Linear(vec![1.0])], 1);
    let none = (Limits::none(), vec![Limits::none(); 2]);
    let mut rig = Controller::new(plan, pair, Box::new(hardware), none).expect("a rig");
    let mut memory = vec![0.0; rig.memory()];
    let internal = |[a, b]: [f64; 2]| 0.5 * (a - b).abs();
    for step in 0..=300 {
        let t = 2e-3 * f64::from(step);
        let u = 0.01 * (1.0 - (6.0 * t).cos());
        rig.exchange(&mut memory, Target { t, u: &[u], v: &[] }).unwrap();
    }
    let all = forces.lock().unwrap().clone();
    let first = internal(all[0]);
    assert!((first - 0.5 * mount * off).abs() < 1e-3 * first, "{first}");
    // Twelve time constants later nothing is left of it, and each carries its half.
    let last = *all.last().unwrap();
    assert!(internal(last) < 1e-4 * first && (last[0] / last[1] - 1.0).abs() < 1e-4, "{last:?}");
    // An operator stops the test while they move: braked, and home, they never press.
    let before = all.len();
    rig.finish(&mut memory);
    let worst = forces.lock().unwrap()[before..].iter().copied().map(internal).fold(0.0, f64::max);
    assert!(worst < 1e-3 * first, "{worst} of {first}");
}
