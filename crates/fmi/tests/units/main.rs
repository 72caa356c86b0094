//! Units of our own, compiled here, as partners: what they answer, and what happens when they fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use interfield_fmi::{Dof, PLATFORM, Unit, UnitPartner, Value, Version, Wiring, archive, extension, folders};
use interfield_lab::partner::{Partner, Trouble};

/// The variables, once for each version; u and F have units, v has none.
const VARIABLES: &[(&str, u32, &str, &str)] = &[
    ("u", 1, "input", "unit=\"mm\" start=\"0\""),
    ("v", 2, "input", "start=\"0\""),
    ("time_in", 3, "input", "unit=\"s\" start=\"0\""),
    ("F", 4, "output", "unit=\"kN\""),
    ("integral", 5, "output", ""),
    ("k", 6, "parameter", "start=\"2\""),
    ("c", 7, "parameter", "start=\"0\""),
    ("angle", 2, "input", "unit=\"deg\" start=\"0\""),
];

const UNITS: &str = "<UnitDefinitions><Unit name=\"mm\"><BaseUnit m=\"1\" factor=\"0.001\"/></Unit>\
<Unit name=\"kN\"><BaseUnit kg=\"1\" m=\"1\" s=\"-2\" factor=\"1000\"/></Unit><Unit name=\"s\"><BaseUnit s=\"1\"/></Unit>\
<Unit name=\"deg\"><BaseUnit rad=\"1\" factor=\"0.017453292519943295\"/></Unit></UnitDefinitions>";

/// `modelDescription.xml`.
fn description(version: Version, abilities: &str) -> String {
    let variables: String = VARIABLES
        .iter()
        .map(|(name, reference, causality, rest)| match version {
            Version::Two => format!(
                "<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" causality=\"{causality}\"><Real {rest}/></ScalarVariable>"
            ),
            Version::Three => {
                format!("<Float64 name=\"{name}\" valueReference=\"{reference}\" causality=\"{causality}\" {rest}/>")
            }
        })
        .collect();
    match version {
        Version::Two => format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"unit\" guid=\"{{interfield-test-unit}}\">\
             <CoSimulation modelIdentifier=\"unit\" {abilities}/>{UNITS}<ModelVariables>{variables}\
             <ScalarVariable name=\"fault\" valueReference=\"8\" causality=\"parameter\"><Integer start=\"0\"/></ScalarVariable>\
             <ScalarVariable name=\"name\" valueReference=\"9\" causality=\"parameter\"><String start=\"\"/></ScalarVariable>\
             </ModelVariables></fmiModelDescription>"
        ),
        Version::Three => format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"unit\" instantiationToken=\"{{interfield-test-unit}}\">\
             <CoSimulation modelIdentifier=\"unit\" {abilities}/>{UNITS}<ModelVariables>{variables}\
             <Int32 name=\"fault\" valueReference=\"8\" causality=\"parameter\" start=\"0\"/>\
             <String name=\"name\" valueReference=\"9\" causality=\"parameter\"><Start value=\"\"/></String>\
             <Float32 name=\"small\" valueReference=\"11\" causality=\"parameter\" start=\"0\"/>\
             <Float64 name=\"list\" valueReference=\"12\" causality=\"output\"><Dimension start=\"2\"/></Float64>\
             </ModelVariables></fmiModelDescription>"
        ),
    }
}

/// The library of a version, compiled once.
fn library(version: Version) -> &'static [u8] {
    static TWO: OnceLock<Vec<u8>> = OnceLock::new();
    static THREE: OnceLock<Vec<u8>> = OnceLock::new();
    let (cell, source) = if version == Version::Two { (&TWO, "unit2.c") } else { (&THREE, "unit3.c") };
    cell.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("unit").with_extension(extension());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/units").join(source);
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o"]).arg(&out).arg(&source);
        let done = cc.status().unwrap_or_else(|e| panic!("these tests need a C compiler as `cc`: {e}"));
        assert!(done.success(), "{source:?} does not compile");
        std::fs::read(out).unwrap()
    })
}

struct Made {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn make(version: Version, abilities: &str, change: impl Fn(&mut Vec<(String, Vec<u8>)>)) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("unit.fmu");
    let binary = format!("binaries/{}/unit.{}", folders(version)[0], extension());
    let mut files = vec![
        ("modelDescription.xml".to_owned(), description(version, abilities).into_bytes()),
        (binary, library(version).to_vec()),
    ];
    change(&mut files);
    std::fs::write(&path, archive::pack(&files).unwrap()).unwrap();
    Made { _folder: folder, path }
}

const VARIABLE: &str = "canHandleVariableCommunicationStepSize=\"true\"";

fn wiring(parameters: &[(&str, f64)]) -> Wiring {
    let dof = Dof { displacement: "u".into(), velocity: Some("v".into()), force: "F".into(), rotation: false };
    let parameters = parameters.iter().map(|(n, v)| ((*n).to_owned(), Value::Number(*v))).collect();
    Wiring { dofs: vec![dof], time: Some("time_in".into()), parameters, length: 1.0, force: 1.0 }
}

fn partner(version: Version, parameters: &[(&str, f64)]) -> UnitPartner {
    let made = make(version, VARIABLE, |_| {});
    UnitPartner::new(&Unit::open(&made.path).unwrap(), &wiring(parameters)).unwrap()
}

/// One exchange: the force.
fn ask(partner: &mut UnitPartner, t: f64, u: f64, v: f64) -> Result<f64, Trouble> {
    let (mut reached, mut force) = ([0.0], [0.0]);
    partner.exchange(t, &[u], &[v], &mut reached, &mut force)?;
    assert_eq!(reached, [u]);
    Ok(force[0])
}

const BOTH: [Version; 2] = [Version::Two, Version::Three];

#[test]
fn forces_come_back_in_si() {
    for version in BOTH {
        // u in mm, F in kN: F = 2 (1000 u) + 3 v in kN.
        let mut unit = partner(version, &[("c", 3.0)]);
        assert_eq!(unit.dofs(), 1);
        for (k, (u, v)) in [(0.001, 0.0), (0.002, 0.5), (-0.003, -0.25)].into_iter().enumerate() {
            let t = 0.5 + 0.25 * k as f64;
            let expected = 1000.0 * (2.0 * (1000.0 * u) + 3.0 * v);
            let force = ask(&mut unit, t, u, v).unwrap();
            assert!((force - expected).abs() <= 1e-12 * expected.abs(), "{version:?}: {force} {expected}");
        }
        assert_eq!(unit.account(), [("exchanges", 3.0), ("messages", 0.0)]);
        unit.finish();
        assert_eq!(ask(&mut unit, 2.0, 0.0, 0.0), Err(Trouble::Refused), "nothing after the end");
    }
}

#[test]
fn steps_go_from_the_last_time_to_the_next() {
    for version in BOTH {
        let made = make(version, VARIABLE, |_| {});
        let unit = Unit::open(&made.path).unwrap();
        let mut wiring = wiring(&[]);
        // The integral of the input (without a unit: that of the model file).
        wiring.dofs[0].force = "-integral".into();
        wiring.dofs[0].velocity = None;
        wiring.force = 4.0;
        let mut partner = UnitPartner::new(&unit, &wiring).unwrap();
        assert_eq!(ask(&mut partner, 1.0, 0.001, 0.0), Ok(0.0));
        assert_eq!(ask(&mut partner, 1.5, 0.002, 0.0), Ok(-4.0 * 0.5 * 2.0));
        assert_eq!(ask(&mut partner, 1.5, 0.004, 0.0), Ok(-4.0), "the same time: no step");
        assert_eq!(ask(&mut partner, 1.75, 0.004, 0.0), Ok(-4.0 * (1.0 + 0.25 * 4.0)));
        assert_eq!(ask(&mut partner, 1.25, 0.004, 0.0), Err(Trouble::Refused), "never back");
    }
}

#[test]
fn every_failure_ends_in_a_message() {
    // Parameter `fault` of units/unit.h, what it says, for both versions.
    let cases: &[(f64, [&str; 2], Trouble)] = &[
        (
            1.0,
            ["advanced only to 0.001 s in the step from 0 s over 0.5 s: too far", "advanced only to 0 s"],
            Trouble::Refused,
        ),
        (2.0, ["over 0.5 s: it broke at %d %g", "over 0.5 s: it broke"], Trouble::Refused),
        (
            3.0,
            ["returned a fatal error for the step from 0 s over 0.5 s: it is all over", "returned a fatal error"],
            Trouble::Refused,
        ),
        (4.0, ["an unfinished step", ""], Trouble::Refused),
        (5.0, ["requests the end of the simulation", "requests the end of the simulation"], Trouble::Refused),
        (6.0, ["`F` is", "`F` is"], Trouble::Garbled),
        (7.0, ["", "advanced only to 0.25 s"], Trouble::Refused),
        (8.0, ["", "status 77"], Trouble::Refused),
    ];
    for (fault, said, trouble) in cases {
        for (version, said) in BOTH.into_iter().zip(said).filter(|(_, said)| !said.is_empty()) {
            let mut unit = partner(version, &[("fault", *fault)]);
            let log = unit.log();
            ask(&mut unit, 0.0, 0.0, 0.0).unwrap();
            assert_eq!(ask(&mut unit, 0.5, 0.0, 0.0), Err(*trouble), "{version:?} {fault}");
            let last = log.last().unwrap_or_default();
            assert!(last.contains(said), "{version:?} {fault}: {last}");
            if *trouble == Trouble::Refused {
                assert_eq!(ask(&mut unit, 1.0, 0.0, 0.0), Err(Trouble::Refused), "it is over");
            }
        }
    }
}

#[test]
fn a_unit_that_cannot_vary_its_step_is_not_asked_to() {
    for version in BOTH {
        let made = make(version, "", |_| {});
        let mut unit = UnitPartner::new(&Unit::open(&made.path).unwrap(), &wiring(&[])).unwrap();
        for k in 0..=10 {
            // Times as a run gives them: their differences are not equal to the last bit.
            ask(&mut unit, f64::from(k) * 0.1, 0.0, 0.0).unwrap();
        }
        assert_eq!(ask(&mut unit, 1.15, 0.0, 0.0), Err(Trouble::Refused));
        assert!(unit.log().last().is_some_and(|m| m.contains("equal steps only")), "{:?}", unit.log().last());
    }
    let made = make(Version::Three, &format!("{VARIABLE} fixedInternalStepSize=\"0.04\""), |_| {});
    let mut unit = UnitPartner::new(&Unit::open(&made.path).unwrap(), &wiring(&[])).unwrap();
    for t in [0.0, 0.04, 0.12] {
        ask(&mut unit, t, 0.0, 0.0).unwrap();
    }
    assert_eq!(ask(&mut unit, 0.14, 0.0, 0.0), Err(Trouble::Refused));
    assert!(unit.log().last().is_some_and(|m| m.contains("not a multiple of its internal step")));
}

/// What is wrong with a wiring, all of it.
fn wrong(version: Version, change: impl Fn(&mut Wiring)) -> Vec<String> {
    let made = make(version, VARIABLE, |_| {});
    let mut wiring = wiring(&[]);
    change(&mut wiring);
    let errors = UnitPartner::new(&Unit::open(&made.path).unwrap(), &wiring).unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn all_mistakes_in_the_wiring_at_once() {
    for version in BOTH {
        let found = wrong(version, |w| {
            w.dofs[0].displacement = "U".into();
            w.dofs[0].velocity = Some("k".into());
            w.dofs[0].force = "u".into();
            w.parameters = vec![
                ("kk".into(), Value::Number(1.0)),
                ("fault".into(), Value::Number(1.5)),
                ("k".into(), Value::Text("stiff".into())),
                ("F".into(), Value::Number(1.0)),
            ];
        });
        let expected = [
            "has no variable `U` (there are `u`, `v`, `time_in`, `angle`)",
            "`k` of `unit` is a `parameter` (a velocity must be an input",
            "`u` of `unit` is an `input` (a force must be an output: there are `F`, `integral`",
            "has no variable `kk` (there are `k`, `c`",
            "is of type Int32 and cannot be 1.5 (it starts with 0)",
            "is of type Float64 and cannot be \"stiff\"",
            "`F` of `unit` cannot be set",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}: {expected}");
        }
    }
}

#[test]
fn units_of_the_wrong_kind_are_refused() {
    let found = wrong(Version::Two, |w| w.dofs[0].displacement = "angle".into());
    assert!(found[0].contains("`angle` of `unit` has the unit deg, which is not a displacement"), "{found:?}");
    let found = wrong(Version::Three, |w| w.dofs[0].rotation = true);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("which is not a rotation") && found[1].contains("which is not a moment"), "{found:?}");
    let found = wrong(Version::Three, |w| w.dofs[0].force = "list".into());
    assert!(found[0].contains("is an array"), "{found:?}");
}

#[test]
fn parameters_of_every_kind_arrive() {
    let made = make(Version::Three, VARIABLE, |_| {});
    let unit = Unit::open(&made.path).unwrap();
    let mut wiring = wiring(&[("k", 5.0), ("small", 0.5)]);
    wiring.parameters.push(("name".into(), Value::Text("pier".into())));
    let mut partner = UnitPartner::new(&unit, &wiring).unwrap();
    assert_eq!(ask(&mut partner, 0.0, 0.001, 0.0), Ok(5000.0));

    let made = make(Version::Two, VARIABLE, |_| {});
    let refused = UnitPartner::new(&Unit::open(&made.path).unwrap(), &self::wiring(&[("k", -1.0)])).unwrap_err();
    assert!(refused[0].message.contains("returned an error for `k` = -1: k is negative"), "{refused:?}");
}

#[test]
fn a_unit_that_cannot_run_here_says_why() {
    let said = |made: &Made| {
        let unit = Unit::open(&made.path).unwrap();
        (unit.runs_here(), unit.instance().unwrap_err().to_string())
    };
    for version in BOTH {
        let made = make(version, "", |files| files[1].0 = "binaries/vax-vms/unit.so".into());
        let (here, text) = said(&made);
        assert!(!here && text.contains(&format!("no binary for this machine ({PLATFORM}), only vax-vms")), "{text}");

        let made = make(version, "", |files| files[1] = ("sources/unit.c".into(), Vec::new()));
        let (here, text) = said(&made);
        assert!(!here && text.contains("none at all") && text.contains("compile them"), "{text}");

        let made = make(version, "", |files| files[1].1 = b"not a library".to_vec());
        assert!(said(&made).1.contains("cannot be loaded"));

        let made = make(version, "", |files| files[1].0 = files[1].0.replace("unit.", "other."));
        assert!(said(&made).1.contains("has no file `unit."));

        let made = make(version, "needsExecutionTool=\"true\"", |_| {});
        assert!(said(&made).1.contains("needs the program that exported it"));

        let made = make(version, "", |files| {
            let text = String::from_utf8(files[0].1.clone()).unwrap();
            files[0].1 = text.replace("{interfield-test-unit}", "{another}").into_bytes();
        });
        assert!(said(&made).1.contains("could not be instantiated: wrong"));
    }
    // A library of the other version.
    let made = make(Version::Two, "", |files| files[1].1 = library(Version::Three).to_vec());
    assert!(said(&made).1.contains("has no function fmi2SetupExperiment"), "{}", said(&made).1);
}

#[test]
fn many_instances_at_once() {
    let made = make(Version::Two, VARIABLE, |_| {});
    let unit = Unit::open(&made.path).unwrap();
    let mut partners: Vec<_> =
        [1.0, 2.0, 3.0].iter().map(|k| UnitPartner::new(&unit, &wiring(&[("k", *k)])).unwrap()).collect();
    // Each in a thread of its own, as sides of a coupling are.
    std::thread::scope(|scope| {
        for (partner, k) in partners.iter_mut().zip([1.0, 2.0, 3.0]) {
            scope.spawn(move || assert_eq!(ask(partner, 0.0, 0.001, 0.0), Ok(1000.0 * k)));
        }
    });
}
