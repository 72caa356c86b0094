//! Our units in our importer, and in a driver of C that looks at what the importer does not need.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use interfield_codegen::Export;
use interfield_codegen::wrap::fmu::{Fmi, unit};
use interfield_fmi::{Causality, Unit, Version, archive, extension, folders};
use tempfile::TempDir;

use crate::bench::{ISOLATED, SAME, both, compile, difference, printed, write};

/// A unit with its binary, as `interfield export fmu` makes it; and the library's rows. Made once for all tests.
struct Packed {
    _folder: TempDir,
    path: PathBuf,
    rows: Vec<Vec<f64>>,
}

fn packed(fmi: Fmi) -> &'static Packed {
    static TWO: OnceLock<Packed> = OnceLock::new();
    static THREE: OnceLock<Packed> = OnceLock::new();
    let cell = if fmi == Fmi::Two { &TWO } else { &THREE };
    cell.get_or_init(|| {
        let (export, rows) = both(ISOLATED, "isolated");
        let (folder, path) = pack(&export, fmi);
        Packed { _folder: folder, path, rows }
    })
}

fn pack(export: &Export, fmi: Fmi) -> (TempDir, PathBuf) {
    let version = if fmi == Fmi::Two { Version::Two } else { Version::Three };
    let unit = unit(export, fmi);
    let folder = tempfile::tempdir().unwrap();
    write(&unit.files, folder.path());
    let library = format!("{}.{}", unit.name, extension());
    let mut arguments = vec!["-std=c99", "-fPIC", "-fvisibility=hidden", "-shared", "-o", &library];
    arguments.extend(unit.sources.iter().map(String::as_str));
    arguments.push("-lm");
    compile("cc", folder.path(), &arguments);
    let mut files: Vec<_> = unit.files.iter().map(|(n, t)| (n.clone(), t.clone().into_bytes())).collect();
    let binary = std::fs::read(folder.path().join(&library)).unwrap();
    files.push((format!("binaries/{}/{library}", folders(version)[0]), binary));
    let path = folder.path().join("unit.fmu");
    std::fs::write(&path, archive::pack(&files).unwrap()).unwrap();
    (folder, path)
}

/// Runs a unit with steps of `every` of the model's, inputs by `feed` (step, value reference order).
fn run(
    path: &Path,
    every: usize,
    steps: usize,
    settings: &[(&str, f64)],
    feed: &dyn Fn(usize) -> f64,
) -> Vec<Vec<f64>> {
    let unit = Unit::open(path).unwrap();
    let description = unit.description().clone();
    let of = |causality| description.variables.iter().filter(move |v| v.causality == causality);
    let mut instance = unit.instance().unwrap();
    for (name, value) in settings {
        instance.set(description.variable(name).unwrap(), *value).unwrap();
    }
    let mut rows = Vec::new();
    instance.enter_initialisation(0.0).unwrap();
    of(Causality::Input).for_each(|v| instance.set(v, feed(0)).unwrap());
    instance.exit_initialisation().unwrap();
    for k in (0..=steps).step_by(every) {
        rows.push(of(Causality::Output).map(|v| instance.get(v).unwrap()).collect());
        if k < steps {
            of(Causality::Input).for_each(|v| instance.set(v, feed(k + every)).unwrap());
            instance.step(k as f64 * 0.01, every as f64 * 0.01).unwrap();
        }
    }
    rows
}

const BOTH: [Fmi; 2] = [Fmi::Two, Fmi::Three];

#[test]
fn a_unit_computes_what_the_library_does() {
    for fmi in BOTH {
        let Packed { path, rows, .. } = packed(fmi);
        assert!(difference(&run(path, 1, 400, &[], &|_| 0.0), rows) <= SAME);
        let every: Vec<_> = rows.iter().step_by(5).cloned().collect();
        assert!(difference(&run(path, 5, 400, &[], &|_| 0.0), &every) <= SAME, "communication steps of five");
    }
}

#[test]
fn the_motion_can_come_from_outside() {
    // In mm/s^2, the unit of the model.
    let ground = |k: usize| 3000.0 * (2.0 * std::f64::consts::PI * 1.3 * 0.01 * k as f64).sin();
    for fmi in BOTH {
        let Packed { path, rows, .. } = packed(fmi);
        let fed = run(path, 1, 400, &[("motion_from_inputs", 1.0)], &ground);
        assert!(difference(&fed, rows) <= SAME, "{:e}", difference(&fed, rows));
        let twice = |k: usize| 2.0 * ground(k);
        let fed = run(path, 1, 400, &[("motion_from_inputs", 1.0)], &twice);
        let scaled = run(path, 1, 400, &[("quake.scale", 2.0)], &|_| 0.0);
        assert!(difference(&fed, &scaled) <= SAME);
        assert!(difference(&scaled, rows) > 0.1, "twice the motion is another motion");
    }
}

#[test]
fn parameters_are_those_of_the_model() {
    for fmi in BOTH {
        let Packed { path, .. } = packed(fmi);
        let (_, changed) = both(&ISOLATED.replace("initial = 2", "initial = 3.5"), "isolated");
        let set = run(path, 1, 400, &[("base.x.initial", 3.5)], &|_| 0.0);
        assert!(difference(&set, &changed) <= SAME);
    }
}

#[test]
fn a_unit_describes_itself() {
    for fmi in BOTH {
        let Packed { path, .. } = packed(fmi);
        let unit = Unit::open(path).unwrap();
        assert!(unit.runs_here() && unit.has_sources());
        let d = unit.description();
        assert_eq!(d.model, "Isolated <frame> & \"floor\"");
        assert_eq!((d.experiment.start, d.experiment.stop, d.experiment.step), (Some(0.0), Some(4.0), Some(0.01)));
        assert_eq!(d.internal_step, (fmi == Fmi::Three).then_some(0.01));
        assert!(d.states && d.variable_steps);
        let scale = |name: &str| {
            let s = d.scale(d.variable(name).unwrap()).unwrap();
            (s.powers[0], s.powers[1], s.powers[2], s.factor)
        };
        assert_eq!(scale("base.x"), (0, 1, 0, 1e-3));
        assert_eq!(scale("iso.force"), (1, 1, -2, 1e3));
        assert_eq!(scale("base.x.v.initial"), (0, 1, -1, 1e-3));
        assert_eq!(scale("iso.k"), (1, 0, -2, 1e6));
        let input = d.variable("quake.input").unwrap();
        assert_eq!((input.causality, input.unit.as_deref()), (Causality::Input, Some("mm/s^2")));
        assert_eq!(d.variable("base.x.initial").and_then(|v| v.start.as_deref()), Some("2.0"));
        assert_eq!(d.variable("iso.k").and_then(|v| v.start.as_deref()), Some("4.0"));
    }
}

/// The outputs of a unit after communication steps to all of `times`, with the motion of the model file.
fn at(unit: &Unit, times: &[f64]) -> Vec<Vec<f64>> {
    let description = unit.description().clone();
    let mut instance = unit.instance().unwrap();
    instance.enter_initialisation(0.0).unwrap();
    instance.exit_initialisation().unwrap();
    let mut now = 0.0;
    let mut step = |to: &f64| {
        instance.step(now, to - now).unwrap();
        now = *to;
        let outputs = description.variables.iter().filter(|v| v.causality == Causality::Output);
        outputs.map(|v| instance.get(v).unwrap()).collect()
    };
    times.iter().map(&mut step).collect()
}

/// A host takes any communication step; between steps of the model its outputs are on a straight line.
#[test]
fn a_communication_step_has_any_length() {
    let sums = |step: f64, count: usize| -> Vec<f64> {
        (0..count).scan(0.0, |t, _| Some(*t + step).inspect(|next| *t = *next)).collect()
    };
    let mut uneven = 0.0;
    let uneven = (0..600).map(|k: i32| {
        uneven += [0.01, 0.0013, 0.0087, 0.02, 1e-5][k.rem_euclid(5) as usize] * f64::from(1 + k / 300);
        uneven
    });
    let uneven: Vec<f64> = uneven.take_while(|t| *t < 4.0).collect();
    for fmi in BOTH {
        let Packed { path, rows, .. } = packed(fmi);
        let unit = Unit::open(path).unwrap();
        for times in [sums(0.0013, 3076), sums(0.0003, 5000), sums(0.007, 571), sums(0.01, 400), uneven.clone()] {
            let lines: Vec<Vec<f64>> = times
                .iter()
                .map(|t| {
                    let (place, nearest) = (t / 0.01, (t / 0.01).round());
                    let place = if (place - nearest).abs() < 1e-6 { nearest } else { place };
                    let (k, part) = (place.floor() as usize, place.fract());
                    let next = &rows[(k + 1).min(rows.len() - 1)];
                    rows[k].iter().zip(next).map(|(a, b)| a + part * (b - a)).collect()
                })
                .collect();
            let apart = difference(&at(&unit, &times), &lines);
            assert!(apart <= 10.0 * SAME, "{fmi:?}, first step {}: {apart:e}", times[0]);
        }
    }
}

/// A host that adds up a million steps arrives where one that takes few long ones does, to the last bit.
#[test]
fn a_million_steps_lose_nothing() {
    let unit = Unit::open(&packed(Fmi::Two).path).unwrap();
    let mut instance = unit.instance().unwrap();
    instance.enter_initialisation(0.0).unwrap();
    instance.exit_initialisation().unwrap();
    let mut now = 0.0;
    for _ in 0..1_000_000 {
        instance.step(now, 0.001).unwrap();
        now += 0.001;
    }
    assert!(now - 1000.0 != 0.0, "sums of decimal fractions round");
    let outputs = unit.description().variables.iter().filter(|v| v.causality == Causality::Output);
    let many: Vec<f64> = outputs.map(|v| instance.get(v).unwrap()).collect();
    assert_eq!(at(&unit, &[500.0, 1000.0]).last(), Some(&many));
}

/// Inputs go in a straight line between communication points: a ramp is a ramp, whatever the steps.
#[test]
fn inputs_are_followed_whatever_the_steps() {
    let ramp = |t: f64| 2.0 * t;
    for fmi in BOTH {
        let unit = Unit::open(&packed(fmi).path).unwrap();
        let d = unit.description();
        let outputs: Vec<_> = d.variables.iter().filter(|v| v.causality == Causality::Output).collect();
        let input = d.variable("quake.input").unwrap();
        let fed = |step: f64, count: usize| -> Vec<f64> {
            let mut instance = unit.instance().unwrap();
            instance.set(d.variable("motion_from_inputs").unwrap(), 1.0).unwrap();
            instance.enter_initialisation(0.0).unwrap();
            instance.set(input, ramp(0.0)).unwrap();
            instance.exit_initialisation().unwrap();
            for k in 0..count {
                instance.set(input, ramp((k + 1) as f64 * step)).unwrap();
                instance.step(k as f64 * step, step).unwrap();
            }
            outputs.iter().map(|v| instance.get(v).unwrap()).collect()
        };
        let own = fed(0.01, 91);
        for (step, count) in [(0.013, 70), (0.007, 130), (0.0013, 700), (0.91, 1)] {
            let other = fed(step, count);
            assert!(difference(&[other], std::slice::from_ref(&own)) <= SAME, "{fmi:?}, {step} s");
        }
    }
}

#[test]
fn steps_that_cannot_be_are_errors() {
    for fmi in BOTH {
        let Packed { path, .. } = packed(fmi);
        let unit = Unit::open(path).unwrap();
        for (from, size, said) in [
            (0.0, 0.0, "must be longer than 0 s"),
            (0.0, -0.01, "must be longer than 0 s"),
            (0.0, f64::INFINITY, "must be longer than 0 s and shorter than"),
            (0.0, f64::NAN, "must be longer than 0 s"),
            (0.5, 0.01, "a step from 0.5 s is asked for, but it stands at 0 s"),
        ] {
            let mut instance = unit.instance().unwrap();
            instance.enter_initialisation(0.0).unwrap();
            instance.exit_initialisation().unwrap();
            let error = instance.step(from, size).unwrap_err();
            assert!(error.message.contains(said), "{error}");
        }
    }
}

/// What is set during the initialisation shows in the outputs before the first step.
#[test]
fn outputs_at_the_start_are_those_of_the_parameters() {
    for fmi in BOTH {
        let unit = Unit::open(&packed(fmi).path).unwrap();
        let d = unit.description();
        let (initial, output) = (d.variable("base.x.initial").unwrap(), d.variable("base.x").unwrap());
        let mut instance = unit.instance().unwrap();
        instance.enter_initialisation(0.0).unwrap();
        assert_eq!(instance.get(output).unwrap(), 2.0, "mm");
        instance.set(initial, 3.5).unwrap();
        assert_eq!(instance.get(output).unwrap(), 3.5);
        instance.exit_initialisation().unwrap();
        assert_eq!(instance.get(output).unwrap(), 3.5);
    }
}

/// What the importer does not use: states saved, restored, as bytes; and everything that must be refused.
#[test]
fn states_are_saved_and_restored() {
    for (fmi, driver) in [(Fmi::Two, "fmi2.c"), (Fmi::Three, "fmi3.c")] {
        let (export, rows) = both(ISOLATED, "isolated");
        let folder = tempfile::tempdir().unwrap();
        write(&unit(&export, fmi).files, folder.path());
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrappers/drivers").join(driver);
        let arguments =
            ["-std=c99", "-Isources", "-o", "driver", driver.to_str().unwrap(), "sources/isolated.c", "-lm"];
        compile("cc", folder.path(), &arguments);
        // 100 steps, then 100 again from the saved state, and 100 from its bytes in a new instance.
        let found = printed(&folder.path().join("driver"));
        assert_eq!(found.len(), 300);
        assert!(difference(&found[..100], &rows[101..201]) <= SAME);
        assert_eq!(found[..100], found[100..200], "from the saved state");
        assert_eq!(found[..100], found[200..], "from its bytes");
    }
}

/// Two masses; the spring between the second and the ground, 250 N/m, stands in the laboratory if there is a `specimen`.
fn hybrid(scheme: &str, specimen: &str) -> String {
    format!(
        r#"
title = "Two masses"
node = [{{ name = "a", dofs = ["x"], mass = 2, initial = 0.01 }}, {{ name = "b", dofs = ["x"], mass = 1, initial = 0.02 }}]
element = [
  {{ type = "spring", name = "first", nodes = ["ground", "a"], dof = "x", k = 300, c = 0.5 }},
  {{ type = "spring", name = "second", nodes = ["a", "b"], dof = "x", k = 200 }},
  {{ type = "spring", name = "third", nodes = ["ground", "b"], dof = "x", k = 250 }},
]
load = [{{ type = "ground", direction = "x", signal = {{ type = "harmonic", amplitude = 1, frequency = 1.7 }} }}]
analysis = {{ scheme = "{scheme}", dt = 0.01, duration = 2 }}
record = {{ channels = ["a.x", "b.x", "a.x.v"] }}
{specimen}
"#
    )
}

/// The host answers the commands by a spring, and gets what the library computes with that spring.
#[test]
fn a_specimen_is_commanded_and_answers() {
    const SPECIMEN: &str = "[[specimen]]\nname = \"rig\"\nelements = [\"third\"]\n";
    for (scheme, fmi, calls) in [("alpha-os", Fmi::Two, 1), ("lsrt2", Fmi::Three, 2)] {
        let (_, rows) = both(&hybrid(scheme, ""), "hybrid");
        let export = interfield_codegen::export(
            &crate::bench::model(&hybrid(scheme, SPECIMEN)),
            "hybrid",
            &interfield_codegen::Origin::default(),
        )
        .unwrap();
        let (folder, path) = pack(&export, fmi);
        let unit = Unit::open(&path).unwrap();
        let d = unit.description();
        let (command, force) = (d.variable("b.x.command").unwrap(), d.variable("b.x.measured.input").unwrap());
        assert_eq!((command.unit.as_deref(), force.unit.as_deref()), (Some("m"), Some("N")));
        let step = d.experiment.step.unwrap();
        assert_eq!(step, 0.01 / f64::from(calls));
        let channels: Vec<_> = ["a.x", "b.x", "a.x.v"].iter().map(|n| d.variable(n).unwrap()).collect();
        let mut instance = unit.instance().unwrap();
        instance.enter_initialisation(0.0).unwrap();
        instance.exit_initialisation().unwrap();
        let mut found = Vec::new();
        // The answer to a command ends the evaluation in the next call: channels are one call behind.
        for k in 0..=calls * 200 {
            let displacement = instance.get(command).unwrap();
            instance.set(force, 250.0 * displacement).unwrap();
            instance.step(f64::from(k) * step, step).unwrap();
            if k % calls == 0 {
                found.push(channels.iter().map(|v| instance.get(v).unwrap()).collect::<Vec<_>>());
            }
        }
        assert!(difference(&found, &rows) < 1e-10, "{scheme}: {:e}", difference(&found, &rows));
        let error = instance.step(f64::from(calls * 200 + 1) * step, 2.0 * step).unwrap_err();
        assert!(error.message.contains("its specimen must answer every command"), "{error}");
        drop(folder);
    }
}
