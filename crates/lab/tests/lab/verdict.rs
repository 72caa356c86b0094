//! What is said of a test is a number or a reason, never "NaN".

use std::f64::consts::TAU;
use std::sync::Arc;

use interfield_lab::compensate::Compensation;
use interfield_lab::controller::{Calibration, Controller, Home, MissPolicy, Plan};
use interfield_lab::guard::Envelope;
use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::kinematics::{Kinematics, Lever};
use interfield_lab::rig::{Rig, Target};
use interfield_lab::safety::{Limits, Names};
use interfield_lab::verdict::{Grade, History, Peaks, Recording, Tracking, assess};

const DT: f64 = 1e-3;

fn history(target: impl Fn(f64) -> f64, force: f64) -> History {
    let target: Vec<f64> = (0..2000).map(|k| target(f64::from(k) * DT)).collect();
    let force = target.iter().map(|x| force * x).collect();
    History { command: target.clone(), reached: target.clone(), target, force }
}

fn sine(t: f64) -> f64 {
    0.01 * (TAU * 2.0 * t).sin()
}

static NAMELESS: Names = Names { actuators: Vec::new(), sensors: Vec::new() };

/// A recording that holds everything.
fn recording(histories: &[History]) -> Recording<'_> {
    Recording { histories, period: DT, peaks: &[], missing: 0, failure: None, names: &NAMELESS }
}

/// It goes where it is sent.
struct Willing;

impl Hardware for Willing {
    fn actuators(&self) -> usize {
        1
    }
    fn exchange(
        &mut self,
        _memory: &mut [f64],
        command: &[f64],
        displacement: &mut [f64],
        _force: &mut [f64],
    ) -> Reply {
        displacement.copy_from_slice(command);
        Reply::Fresh
    }
}

/// A controller whose test went as planned.
fn finished() -> Controller {
    let plan = Plan {
        period: DT,
        time_scale: 1.0,
        scale: 1.0,
        ramp: 0.01,
        patience: 0.02,
        miss: MissPolicy::Hold,
        bridge: 0.02,
        brake: 0.05,
        home: Home::Displacement,
        stalls: Vec::new(),
        envelopes: vec![Envelope::OPEN],
        compensator: Arc::from(Compensation::Uncompensated.together(1, DT)),
        calibration: vec![Calibration::default()],
        stiffness: vec![1.0],
        mounts: vec![f64::INFINITY],
        sharing: None,
        holds: Vec::new(),
        free: 0,
    };
    let kinematics = Kinematics::new(vec![Lever::Linear(vec![1.0])], 1);
    let mut controller =
        Controller::new(plan, kinematics, Box::new(Willing), (Limits::none(), vec![Limits::none()])).unwrap();
    let mut memory = vec![0.0; controller.memory()];
    for k in 0..10 {
        controller
            .exchange(&mut memory, Target { t: f64::from(k) * DT, u: &[sine(f64::from(k) * DT)], v: &[0.0] })
            .unwrap();
    }
    controller.finish(&mut memory);
    controller
}

#[test]
fn whatever_the_histories_are_a_verdict_has_reasons_and_no_nan() {
    let mut holes = history(sine, 1e5);
    for k in [7, 8, 900] {
        holes.reached[k] = f64::NAN;
    }
    holes.force[1500] = f64::INFINITY;
    let mut blind = history(sine, 1e5);
    blind.reached.fill(f64::NAN);
    let one = History { target: vec![1.0], command: vec![1.0], reached: vec![1.0], force: vec![1.0] };
    let cases = [
        ("a motion", history(sine, 1e5), Grade::Good, "tracking error 0.000 %"),
        ("no force", history(sine, 0.0), Grade::Good, "energy error 0.000 %"),
        ("at rest", history(|_| 0.0, 1e5), Grade::Doubtful, "no target moved"),
        ("held elsewhere", history(|_| 0.02, 1e5), Grade::Doubtful, "no target moved"),
        ("less than a number can tell", history(|t| 1e-200 * sine(t), 1e5), Grade::Doubtful, "no target moved"),
        ("one sample", one, Grade::Doubtful, "no target moved"),
        ("holes", holes, Grade::Doubtful, "4 sensor samples were invalid (not a number)"),
        ("no instrument at all", blind, Grade::Doubtful, "no sensor gave a value"),
    ];
    let log = finished().log().expect("a controller keeps one");
    for (what, history, grade, reason) in cases {
        let (actuators, verdict) = assess(&log, recording(&[history]), None);
        let said = verdict.reasons.join("; ");
        assert_eq!(verdict.grade, grade, "{what}: {said}");
        assert!(said.contains(reason) && !said.contains("NaN") && !said.contains("inf"), "{what}: {said}");
        for t in actuators.iter().flatten() {
            let numbers = [t.nrmse, t.peak_error, t.delay, t.amplitude, t.frequency, t.indicator, t.energy];
            assert!(numbers.iter().all(|x| x.is_finite()), "{what}: {t:?}");
        }
    }
    let (_, verdict) = assess(&log, recording(&[]), None);
    assert_eq!(verdict.grade, Grade::Doubtful);
    assert!(verdict.reasons[0].contains("no recording"), "{:?}", verdict.reasons);
}

#[test]
fn measurements_that_did_not_come_are_told() {
    let mut log = finished().log().expect("a controller keeps one");
    let samples = log.counts[0];
    for (stale, grade) in [(0.0, Grade::Good), (3.0, Grade::Doubtful)] {
        log.account = vec![("commands", samples as f64), ("stale", stale)];
        let (_, verdict) = assess(&log, recording(&[history(sine, 1e5)]), None);
        let said = verdict.reasons.join("; ");
        assert_eq!(verdict.grade, grade, "{said}");
        assert_eq!(said.contains("3 samples without a new measurement in time ("), stale > 0.0, "{said}");
    }
}

#[test]
fn the_velocity_of_the_command_is_not_that_of_the_target() {
    let mut history = history(sine, 1.0);
    // A compensator that makes a jump of a tenth of a millimetre out of noise.
    history.command[1000] += 1e-4;
    let peaks = Peaks::of(&history, DT);
    let fastest = 0.01 * TAU * 2.0;
    assert!((peaks.target[1] - fastest).abs() < 1e-3 * fastest, "{peaks:?}");
    assert!(peaks.command[1] > 0.1 && peaks.command[1] < 0.1 + 1.1 * fastest, "{peaks:?}");
    assert_eq!(Tracking::of(&history, DT).map(|t| t.peaks), Some(peaks));
}
