//! Functional mock-up units: one as a part of a structure, a model as one, and what is wrong with them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use interfield_fmi::{Version, archive, extension, folders};

use super::{BASE, csv, file, interfield, program, run};

/// A spring and a damper to the ground, in mm and kN: the unit of the tests of crates/fmi, compiled once.
fn spring() -> &'static Path {
    static UNIT: OnceLock<PathBuf> = OnceLock::new();
    UNIT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fmi/tests/units/unit2.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unit").with_extension(extension());
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-fPIC", "-shared", "-o"]).arg(&library).arg(source);
        let done = cc.status().unwrap_or_else(|e| panic!("these tests need a C compiler as `cc`: {e}"));
        assert!(done.success());
        let variable = |name: &str, reference: u32, causality: &str, real: &str| {
            format!("<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" causality=\"{causality}\">{real}</ScalarVariable>")
        };
        let description = format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"spring\" guid=\"{{interfield-test-unit}}\">\
             <CoSimulation modelIdentifier=\"unit\" canHandleVariableCommunicationStepSize=\"true\"/><UnitDefinitions>\
             <Unit name=\"mm\"><BaseUnit m=\"1\" factor=\"0.001\"/></Unit></UnitDefinitions><ModelVariables>{}{}{}{}{}\
             </ModelVariables></fmiModelDescription>",
            variable("u", 1, "input", "<Real unit=\"mm\" start=\"0\"/>"),
            variable("v", 2, "input", "<Real start=\"0\"/>"),
            variable("F", 4, "output", "<Real/>"),
            variable("k", 6, "parameter", "<Real start=\"2\"/>"),
            variable("fault", 8, "parameter", "<Integer start=\"0\"/>"),
        );
        let binary = format!("binaries/{}/unit.{}", folders(Version::Two)[0], extension());
        let files = [
            ("modelDescription.xml".to_owned(), description.into_bytes()),
            (binary, std::fs::read(library).expect("a library")),
        ];
        file("spring.fmu", archive::pack(&files).expect("an archive"))
    })
}

/// The first storey of the small model as a unit; `more` goes into its block.
fn with_unit(more: &str) -> String {
    spring();
    let storey =
        "[[element]]\ntype = \"spring\"\nname = \"storey1\"\nnodes = [\"ground\", \"floor\"]\ndof = \"x\"\nk = \"k\"\n";
    assert!(BASE.contains(storey));
    // F has no unit of its own: that of `units`.
    let unit = format!(
        "[[external]]\nname = \"storey1\"\nprogram = \"fmu\"\nfile = \"spring.fmu\"\ndofs = [\"floor.x\"]\ndisplacements = [\"u\"]\n\
         units = {{ force = \"kN\" }}\n{more}\n"
    );
    BASE.replace(storey, &unit).replace("\"storey1.force\", ", "")
}

const WIRED: &str = "forces = [\"F\"]\nparameters = { k = 4 }\n";

#[test]
fn a_unit_is_what_an_element_would_be() {
    let base = BASE.replace("\"storey1.force\", ", "");
    for scheme in ["alpha-os", "lsrt2", "newmark"] {
        let (_, ours) = run("unit-element", &base, &["--scheme", scheme]);
        let (told, theirs) = run("unit-unit", &with_unit(WIRED), &["--scheme", scheme]);
        assert_eq!(
            (told["externals"][0]["program"].as_str(), &told["externals"][0]["at"]),
            (Some("fmu"), &"spring.fmu".into())
        );
        assert_eq!(told["externals"][0]["identified_by_moves"], 4, "{told}");
        let stiffness = &told["externals"][0]["stiffness"];
        let k = stiffness["rows"][0][0].as_f64().expect("a stiffness");
        assert!((k - 4.0).abs() < 1e-9 && stiffness["units"]["rows"] == "kN/mm", "identified: {stiffness}");
        let peak = ours.rows.iter().fold(0.0_f64, |m, r| m.max(r[1].abs()));
        let apart = ours.rows.iter().zip(&theirs.rows).fold(0.0_f64, |m, (a, b)| m.max((a[1] - b[1]).abs()));
        assert!(apart <= 1e-9 * peak, "{scheme}: {apart:e} of {peak}");
    }
}

#[test]
fn a_unit_that_fails_ends_the_run_with_what_it_said() {
    let model = file("unit-fails.toml", with_unit("forces = [\"F\"]\nparameters = { fault = 2 }\nstiffness = [[4]]\n"));
    let out = interfield(&["run", model.to_str().unwrap()]).expect(3);
    let said = format!("{}{}", out.stdout, out.stderr);
    assert!(said.contains("storey1") && said.contains("it broke at"), "{said}");
}

#[test]
fn what_is_wrong_with_a_unit_is_said_before_anything_runs() {
    let refused = |name: &str, more: &str, said: &[&str]| {
        let model = file(name, with_unit(more));
        let out = interfield(&["run", model.to_str().unwrap()]).expect(2);
        for said in said {
            assert!(out.stderr.contains(said), "{said}:\n{}", out.stderr);
        }
    };
    refused(
        "unit-names.toml",
        "forces = [\"G\"]\nvelocities = [\"k\"]\nparameters = { stiffness = 4 }\n",
        &[
            "name = \"storey1\"",
            "3 errors",
            "has no variable `G`",
            "`k` of `spring` is a `parameter`",
            "has no variable `stiffness`",
        ],
    );
    let model = file("unit-file.toml", with_unit(WIRED).replace("spring.fmu", "nowhere.fmu"));
    let out = interfield(&["run", model.to_str().unwrap()]).expect(2);
    assert!(out.stderr.contains("nowhere.fmu cannot be read"), "{}", out.stderr);
}

#[test]
fn what_is_in_a_unit_is_shown() {
    let path = spring().to_str().unwrap();
    let text = interfield(&["fmu", path]).expect(0).stdout;
    for shown in
        ["spring (FMI 2.0)", "it can run here", "variable steps allowed", "u         input      Float64  mm        0"]
    {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
    let json = interfield(&["fmu", path, "--json"]).expect(0).json();
    assert_eq!((&json["runs_here"], json["variables"].as_array().map(Vec::len)), (&true.into(), Some(5)));
    let out = interfield(&["fmu", "nowhere.fmu"]).expect(1);
    assert!(out.stderr.contains("cannot be read"), "{}", out.stderr);
    let no_unit = file("text.fmu", "hello");
    assert!(interfield(&["fmu", no_unit.to_str().unwrap()]).expect(2).stderr.contains("not a readable zip file"));
}

#[test]
fn a_model_becomes_a_unit_that_gives_its_numbers() {
    let (_, ours) = run("unit-export", BASE, &[]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for version in ["2", "3"] {
        let (unit, out) = (folder.join(format!("export{version}.fmu")), folder.join(format!("export{version}.csv")));
        let (unit, path) = (unit.to_str().unwrap(), out.to_str().unwrap());
        let told = interfield(&["export", "fmu", "unit-export.toml", "--out", unit, "--fmi", version]).expect(0).stdout;
        assert!(told.contains("sources and a binary for this machine"), "{told}");
        interfield(&["fmu", unit, "--run", "--output", path]).expect(0);
        let theirs = csv(&out);
        assert_eq!(theirs.header, ours.header);
        assert_eq!(theirs.rows.len(), ours.rows.len());
        for (a, b) in ours.rows.iter().zip(&theirs.rows) {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * a.abs().max(1.0)), "{a:?} {b:?}");
        }
        interfield(&["fmu", unit, "--run", "--step", "0.013", "--until", "0.13", "--output", path]).expect(0);
        assert_eq!(
            csv(&out).rows.last().map(|r| &r[1..]),
            ours.rows.get(13).map(|r| &r[1..]),
            "1.3 steps of the model"
        );
        let out = interfield(&["fmu", unit, "--run", "--set", "quake.scale=big"]).expect(2);
        assert!(out.stderr.contains("`big` is not a valid Float64"), "{}", out.stderr);
    }
}

#[test]
fn without_a_compiler_a_unit_has_its_sources_only() {
    let model = file("unit-sources.toml", BASE);
    let export = |more: &[&str], compiler: &str| {
        let mut command = program();
        command.args(["export", "fmu", model.to_str().unwrap(), "--out", "sources.fmu"]).args(more).env("CC", compiler);
        let out = command.output().expect("the program starts");
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stdout).into_owned(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    let (code, told, said) = export(&[], "no-such-compiler");
    assert!(code == Some(0) && told.contains("sources only"), "{told}{said}");
    assert!(said.contains("`no-such-compiler` cannot be started") && said.contains("install a C compiler"), "{said}");
    let out = interfield(&["fmu", "sources.fmu", "--run"]).expect(2);
    assert!(
        out.stderr.contains("no binary for this machine") && out.stderr.contains("its sources are in it"),
        "{}",
        out.stderr
    );
    let (code, told, said) = export(&["--sources-only"], "cc");
    assert!(code == Some(0) && told.contains("sources only") && said.is_empty(), "{told}{said}");
    // `false` is a program that refuses everything.
    let (code, _, said) = export(&[], "false");
    assert!(code == Some(1) && said.contains("the C compiler rejects"), "{said}");
    let out = interfield(&["export", "fmu", model.to_str().unwrap(), "--out", "sources.zip"]).expect(2);
    assert!(out.stderr.contains("write --out NAME.fmu"), "{}", out.stderr);
}

#[test]
fn folders_for_simulink_and_twincat_are_written() {
    let model = file("host.toml", BASE);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (host, files) in [
        ("simulink", &["host.c", "host.h", "host_sfun.c", "build_host.m", "README.md"][..]),
        ("twincat", &["host.c", "host_plc.c", "host_module.hpp", "FB_HOST.TcPOU", "ST_HOST_IN.TcDUT", "README.md"]),
    ] {
        let out = folder.join(format!("host-{host}"));
        let told =
            interfield(&["export", host, model.to_str().unwrap(), "--out", out.to_str().unwrap()]).expect(0).stdout;
        assert!(told.contains("README.md describes the next steps"), "{told}");
        for file in files {
            let text = std::fs::read_to_string(out.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
            assert!(!text.contains('@') || *file == "build_host.m", "{file} has a placeholder left");
        }
        assert!(std::fs::read_to_string(out.join("README.md")).expect("a page").contains("Not tested in"));
    }
}
