//! Degrees of freedom that exist in the laboratory only: the hybrid test finds the motion of the structure in one piece, and loads on them
//! are held while the specimen moves.

use std::sync::{Arc, Mutex};

use interfield_lab::controller::{Controller, Tape};
use interfield_lab::rig::Rig;
use interfield_language::specimen::Specimen;
use interfield_structure::Simulation;
use interfield_structure::specimen::{Rehearsal, Workshop};

use crate::balance::model as parse_text;
use crate::specimens::{difference, rows};

/// A mass on a spring, and a second one on it that stands in the laboratory with its own springs.
fn two_masses(dt: f64, mass: f64, specimen: &str) -> String {
    format!(
        r#"
node = [{{ name = "a", dofs = ["x"], mass = 2 }}, {{ name = "b", dofs = ["x"], mass = {mass} }}]
element = [
  {{ type = "spring", name = "first", nodes = ["ground", "a"], dof = "x", k = 300, c = 0.5 }},
  {{ type = "spring", name = "second", nodes = ["a", "b"], dof = "x", k = 40, c = 0.3 }},
  {{ type = "spring", name = "third", nodes = ["b", "ground"], dof = "x", k = 10 }},
]
load = [{{ type = "force", name = "shaker", at = "a.x", signal = {{ type = "harmonic", amplitude = 5, frequency = 1.1 }} }}]
analysis = {{ scheme = "newmark", dt = {dt}, duration = 4 }}
record = {{ channels = ["a.x", "b.x"] }}
{specimen}
"#
    )
}

const INNER: &str = "[[specimen]]\nname = \"rig\"\nelements = [\"second\", \"third\"]\ninner = [\"b.x\"]\n";

/// Differences of a hybrid test from the structure in one piece at three steps fall with the step.
fn converges(name: &str, off: impl Fn(f64) -> f64, steps: [f64; 3], least: f64) {
    let found = steps.map(off);
    let order = (found[0] / found[2]).log2() / 2.0;
    println!("{name}: {found:?}, order {order:.2}");
    assert!(order > 0.9 && found[2] < least, "{name}: {found:?}, order {order}");
}

#[test]
fn a_free_mass_in_the_laboratory_moves_as_in_the_model() {
    // Without mass it follows statically; with mass by its own dynamics; at another scale as well.
    for (mass, scale) in [(0.5, 1.0), (0.0, 1.0), (0.5, 3.0)] {
        let off = |dt: f64| {
            let computed = rows(parse_text(&two_masses(dt, mass, "")), &mut Rehearsal);
            let rig = format!("{INNER}scale = {scale}\n");
            difference(&rows(parse_text(&two_masses(dt, mass, &rig)), &mut Rehearsal), &computed)
        };
        converges(&format!("mass {mass}, scale {scale}"), off, [0.01, 0.005, 0.0025], 2e-3);
    }
}

/// LSRT2 measures nothing before its first step: the bob hangs where the model has it all the same.
#[test]
fn what_is_in_the_laboratory_only_begins_where_the_model_has_it() {
    let model = parse_text(include_str!("../../../../models/rig-pendulum.toml"));
    let mut row = vec![f64::NAN; model.channels.len()];
    let mut run = Simulation::in_workshop(model, &mut Rehearsal).map_err(|p| format!("{p:?}")).unwrap();
    run.sample(0, &mut row).unwrap();
    // Behind the pivot: the length of the spring.
    assert!((row[1] - (0.167 + 0.34 * 9.81 / 400.0)).abs() < 1e-12, "{row:?}");
}

#[test]
fn a_stiff_small_mass_is_integrated_in_substeps() {
    // 30 Hz in samples of 20 ms: the laboratory has its own time.
    let text = |dt: f64, specimen: &str| {
        two_masses(dt, 0.01, specimen).replace("k = 40", "k = 350").replace("c = 0.3", "c = 0.02")
    };
    let computed = rows(parse_text(&text(0.001, "")), &mut Rehearsal);
    let measured = rows(parse_text(&text(0.01, INNER)), &mut Rehearsal);
    let every: Vec<Vec<f64>> = computed.into_iter().skip(9).step_by(10).collect();
    let found = difference(&measured, &every);
    assert!(found < 0.03, "{found}");
}

#[test]
fn the_spring_pendulum_of_paper_000_hangs_in_the_laboratory() {
    let text = |dt: f64, hybrid: bool| {
        let text = include_str!("../../../../models/rig-pendulum.toml");
        let text = text.replace("dt = \"1 ms\"", &format!("dt = {dt}")).replace("\"10 s\"", "\"3 s\"");
        let text = text.replace("\"pivot.x.v\", \"pivot.x.measured\", \"hysteresis.force\", \"shaker\"", "");
        let (whole, specimen) = text.split_once("[[specimen]]").unwrap();
        let record = text.split_once("[record]").unwrap().1;
        let specimen =
            if hybrid { format!("[[specimen]]{}", specimen.split_once("[record]").unwrap().0) } else { String::new() };
        format!("{whole}{specimen}[record]{record}")
    };
    let off = |dt: f64| {
        let computed = rows(parse_text(&text(dt, false)), &mut Rehearsal);
        let measured = rows(parse_text(&text(dt, true)), &mut Rehearsal);
        difference(&measured, &computed)
    };
    converges("pendulum", off, [4e-3, 2e-3, 1e-3], 0.02);
}

#[test]
fn the_condensed_rotation_of_a_frame_follows_statically() {
    // A cantilever whose tip is moved sideways: its rotation belongs to nobody.
    let text = |specimen: &str| {
        format!(
            r#"
dofs = ["x", "y", "rz"]
node = [{{ name = "foot", at = [0, 0], fixed = true }}, {{ name = "tip", at = [0, 3], mass = {{ x = 1000 }} }}]
cross-section = [{{ name = "steel", E = "200 GPa", A = "40 cm^2", Iz = "2000 cm^4" }}]
element = [
  {{ type = "member", name = "column", nodes = ["foot", "tip"], cross_section = "steel", formulation = "displacement" }},
  {{ type = "spring", name = "brace", nodes = ["foot", "tip"], dof = "x", k = "200 kN/m" }},
]
load = [{{ type = "ground", name = "quake", direction = "x", signal = {{ type = "harmonic", amplitude = 2, frequency = 3 }} }}]
analysis = {{ scheme = "newmark", dt = 0.005, duration = 1 }}
record = {{ channels = ["tip.x", "tip.rz"] }}
{specimen}
"#
        )
    };
    let computed = rows(parse_text(&text("")), &mut Rehearsal);
    let specimen = "[[specimen]]\nname = \"rig\"\nelements = [\"column\"]\ninner = [\"tip.y\", \"tip.rz\"]\n";
    let measured = rows(parse_text(&text(specimen)), &mut Rehearsal);
    let motion = |rows: &[Vec<f64>]| rows.iter().map(|r| r[..1].to_vec()).collect::<Vec<_>>();
    let found = difference(&motion(&measured), &motion(&computed));
    assert!(found < 1e-9, "{found}");
    // The laboratory shows the rotation where the specimen was last: at the predictor of the step.
    assert!(difference(&measured, &computed) < 0.05);
}

/// Samples of the recording of a rig: [time, state, fresh, then per actuator target, asked, command, reached, force, error, stiffness].
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Vec<f64>>>>);

impl Tape for Kept {
    fn push(&mut self, sample: &[f64]) -> bool {
        self.0.lock().unwrap().push(sample.to_vec());
        true
    }

    fn end(&mut self, _: &str, _: &[String]) {}
}

/// The emulated laboratory, recorded.
struct Recorded(Kept);

impl Workshop for Recorded {
    fn mount(&mut self, _: &Specimen, mut controller: Controller) -> Result<Box<dyn Rig>, String> {
        controller.record(Box::new(self.0.clone()));
        Ok(Box::new(controller))
    }
}

/// The samples of a test of the pier with this in its file instead, and why it ended.
fn pier(change: &[(&str, &str)], duration: &str) -> (Vec<Vec<f64>>, String) {
    let mut text = include_str!("../../../../models/rig-pier.toml")
        .replace("duration = \"10 s\"", &format!("duration = \"{duration}\""));
    text = text.replace(QUAKE, SHAKE).replace("time_scale = 150", "time_scale = 50");
    for (old, new) in change {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    let kept = Kept::default();
    let mut run = match Simulation::in_workshop(parse_text(&text), &mut Recorded(kept.clone())) {
        Ok(run) => run,
        Err(problems) => return (kept.0.lock().unwrap().clone(), problems[0].message.clone()),
    };
    let mut end = String::new();
    for k in 0..run.steps() {
        if let Err(fault) = run.step(k) {
            end = run.explain(fault);
            break;
        }
    }
    run.finish();
    (kept.0.lock().unwrap().clone(), end)
}

/// Strong motion from the beginning, so that a test takes seconds.
const QUAKE: &str = "{ type = \"synthetic\", peak = \"0.2 g\" }";
const SHAKE: &str = "{ type = \"harmonic\", amplitude = \"1 m/s^2\", frequency = \"1.1 Hz\" }";

/// Places in a sample of the pier: command and force of the jack, stroke of the other actuator.
const COMMAND: usize = 3 + 7 + 2;
const FORCE: usize = 3 + 7 + 4;
const PUSH: usize = 3 + 3;
/// The state of a test that runs.
const RUNNING: f64 = 3.0;

fn running(samples: &[Vec<f64>]) -> Vec<&Vec<f64>> {
    samples.iter().filter(|s| s[1] == RUNNING).collect()
}

#[test]
fn a_load_is_held_within_one_per_cent_while_the_pier_moves() {
    // The pier cracks and yields, and lifts the jack by millimetres.
    let (samples, end) = pier(&[], "1.2 s");
    assert!(end.is_empty(), "{end}");
    let test = running(&samples);
    let worst = test.iter().map(|s| (s[FORCE] - 1.2e6).abs() / 1.2e6).fold(0.0, f64::max);
    let moved = test.iter().map(|s| s[PUSH].abs()).fold(0.0, f64::max);
    println!("worst {:.3} % while the pier moved by {:.1} mm", 100.0 * worst, 1e3 * moved);
    assert!(worst < 0.01 && moved > 0.02, "{worst} {moved}");
    // Applied without a peak, and taken off at the end.
    let most = samples.iter().map(|s| s[FORCE]).fold(0.0, f64::max);
    let last = samples.last().unwrap();
    assert!(most < 1.05 * 1.2e6 && last[FORCE].abs() < 0.05 * 1.2e6, "{most} {}", last[FORCE]);
}

#[test]
fn control_is_switched_without_a_bump_and_back() {
    let switch =
        "control = \"force\"\nswitch = [{ at = \"0.3 s\", to = \"displacement\" }, { at = \"0.5 s\", to = \"force\" }]";
    // Small motions: in displacement control the pier then changes its load little, and a bump would be seen.
    let (samples, end) = pier(
        &[
            ("control = \"force\"", switch),
            ("1 m/s^2", "0.1 m/s^2"),
            ("force_sensor = { noise = \"0.5 kN\", seed = 3 }", ""),
        ],
        "1.2 s",
    );
    assert!(end.is_empty(), "{end}");
    let test = running(&samples);
    let t0 = test[0][0];
    let at = |model: f64| test.iter().position(|s| s[0] - t0 >= 50.0 * model).unwrap();
    let (away, back) = (at(0.3), at(0.5));
    let largest =
        |from: usize, to: usize, f: &dyn Fn(&[&Vec<f64>]) -> f64| test[from..to].windows(3).map(f).fold(0.0, f64::max);
    let jolt = |w: &[&Vec<f64>]| (w[2][COMMAND] - 2.0 * w[1][COMMAND] + w[0][COMMAND]).abs();
    let jump = |w: &[&Vec<f64>]| (w[1][FORCE] - w[0][FORCE]).abs();
    // Around both switches velocity and force change from sample to sample by no more than they do without a switch.
    for switch in [away, back] {
        for (name, f) in [("velocity", &jolt as &dyn Fn(&[&Vec<f64>]) -> f64), ("force", &jump)] {
            let usual = largest(50, away - 20, f).max(largest(back + 300, test.len(), f));
            let there = largest(switch - 10, switch + 60, f);
            println!("{name} {there:.3e}, otherwise {usual:.3e}");
            assert!(there <= 2.0 * usual, "{name} at {switch}: {there}, otherwise {usual}");
        }
    }
    let off = |s: &&Vec<f64>| (s[FORCE] - 1.2e6).abs() / 1.2e6;
    let still = |from: usize, to: usize| test[from..to].windows(2).all(|w| w[0][COMMAND] == w[1][COMMAND]);
    assert!(!still(50, away), "in force control the jack moves");
    let worst = test[back + 300..].iter().chain(&test[..away]).map(off).fold(0.0, f64::max);
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn a_load_cell_that_fails_does_not_drive_the_jack_away() {
    for (fault, why) in [
        ("{ type = \"frozen-force\", actuator = \"jack\", at = \"8 s\" }", "did not change"),
        ("{ type = \"nan\", actuator = \"jack\", at = \"8 s\" }", "NaN"),
        ("{ type = \"silence\", at = \"8 s\" }", "did not arrive"),
    ] {
        let rig = format!("time_scale = 50\npatience = \"1 s\"\nfault = [{fault}]");
        let (samples, end) = pier(&[("time_scale = 50", &rig)], "1 s");
        assert!(end.contains(why) || end.contains("the hold lasted too long"), "{fault}: {end}");
        // What moves afterwards is the way home: never further than where the load had brought it.
        let before = samples.iter().filter(|s| s[0] < 8.0).map(|s| s[COMMAND].abs()).fold(0.0, f64::max);
        let after = samples.iter().filter(|s| s[0] >= 8.0).map(|s| s[COMMAND].abs()).fold(0.0, f64::max);
        assert!(after < 1.2 * before + 1e-4, "{fault}: {after} after {before}");
    }
}

#[test]
fn a_jack_that_is_wired_the_wrong_way_is_stopped() {
    // The load cell shows the opposite sign: the loop would drive the jack away.
    let (samples, end) =
        pier(&[("force_sensor = { noise = \"0.5 kN\", seed = 3 }", "force_sensor = { gain = -1 }")], "0.2 s");
    assert!(end.contains("too far from its load"), "{end}");
    let most = samples.iter().map(|s| s[COMMAND].abs()).fold(0.0, f64::max);
    assert!(most < 2e-3, "{most}");
}

/// Two faults at once, while the load is applied, while the pier moves and on the way home: every command stays inside of what the actuators
/// may be sent, the jack never leaves the pier by more than its shortening, and everything stands when the drives are switched off.
#[test]
fn whatever_fails_while_a_load_is_held_everything_ends_at_rest_inside() {
    let faults = [
        "type = \"frozen-force\", actuator = \"jack\"",
        "type = \"spike\", size = \"-2500 kN\", actuator = \"jack\"",
        "type = \"spike\", size = \"900 kN\", actuator = \"jack\"",
        "type = \"nan\", actuator = \"jack\"",
        "type = \"frozen-displacement\", actuator = \"push\"",
        "type = \"silence\"",
        "type = \"delay\", size = \"100 ms\"",
        "type = \"emergency-stop\"",
    ];
    let (period, velocity) = (1.0 / 200.0, 0.04);
    for (i, first) in faults.iter().enumerate() {
        let second = faults[(i + 3) % faults.len()];
        for (at, lasts) in [(0.6, 0.1), (2.5, 0.02), (4.0, 50.0), (8.5, 0.5)] {
            let later = at + 0.1;
            let rig = format!(
                "time_scale = 10\nramp = \"1 s\"\npatience = \"1 s\"\nfault = [{{ {first}, at = {at}, for = {lasts} }}, {{ {second}, at = \
                 {later}, for = {lasts} }}]"
            );
            let changes = [("rate = \"100 Hz\"", "rate = \"200 Hz\""), ("time_scale = 50", rig.as_str())];
            let (samples, _) = pier(&changes, "0.5 s");
            let name = format!("{first} and {second} at {at} s for {lasts} s");
            for (command, stroke) in [(COMMAND - 7, 0.14), (COMMAND, 0.06)] {
                let fastest = samples.windows(2).map(|w| (w[1][command] - w[0][command]).abs() / period);
                let fastest = fastest.fold(0.0, f64::max);
                let farthest = samples.iter().map(|s| s[command].abs()).fold(0.0, f64::max);
                assert!(farthest <= stroke && fastest <= 1.0001 * velocity, "{name}: {farthest} m, {fastest} m/s");
                // After an emergency stop nothing is sent any more: the laboratory has taken the power.
                if let [.., before, last] = samples.as_slice()
                    && !name.contains("emergency-stop")
                {
                    assert_eq!(before[command], last[command], "{name}: it moves when the drives are switched off");
                }
            }
            let jack = samples.iter().map(|s| s[COMMAND].abs()).fold(0.0, f64::max);
            assert!(jack < 8e-3, "{name}: the jack went {jack} m");
        }
    }
}
