//! `program = "fmu"`: what is read, and what is refused.

use interfield_language::diag::{Diagnostics, Source};
use interfield_language::external::{Program, Setting, Unit};
use interfield_language::parse::{Overrides, parse};

const MODEL: &str = r#"
node = [{ name = "a", dofs = ["x"], mass = 2 }, { name = "b", dofs = ["x"], mass = 1 }]
element = [{ type = "spring", nodes = ["ground", "a"], dof = "x", k = 300 }]
analysis = { dt = 0.01, duration = 2 }

[[external]]
name = "damper"
program = "fmu"
dofs = ["a.x", "b.x"]
stiffness = [[200, -200], [-200, 200]]
"#;

const UNIT: &str = r#"
file = "parts/damper.fmu"
displacements = ["u1", "u2"]
forces = ["F1", "-F2"]
parameters = { k = 2.5, n = 3, frozen = true, law = "maxwell" }
"#;

/// The program of the external, or everything that is wrong.
fn read(unit: &str) -> Result<Program, String> {
    let source = Source::new("unit.toml", format!("{MODEL}{unit}"));
    let diags = Diagnostics::new();
    let files = |_: &str| Err("no files here".to_owned());
    match parse(&source, &Overrides::default(), &files, &diags) {
        Some((model, _)) => Ok(model.externals[0].program.clone()),
        None => Err(diags.render(&source, false)),
    }
}

#[test]
fn a_unit_is_read() {
    let expected = Unit {
        file: "parts/damper.fmu".into(),
        displacements: vec!["u1".into(), "u2".into()],
        velocities: Vec::new(),
        forces: vec!["F1".into(), "-F2".into()],
        time: None,
        parameters: vec![
            ("k".into(), Setting::Number(2.5)),
            ("n".into(), Setting::Number(3.0)),
            ("frozen".into(), Setting::Flag(true)),
            ("law".into(), Setting::Text("maxwell".into())),
        ],
    };
    let found = read(UNIT).unwrap();
    assert_eq!(found.name(), "fmu");
    let Program::Fmu(mut unit) = found else { panic!("{found:?}") };
    // Tables have no order.
    unit.parameters.sort_by_key(|(name, _)| ["k", "n", "frozen", "law"].iter().position(|n| n == name));
    assert_eq!(unit, expected);
}

#[test]
fn mistakes_are_told_all_at_once() {
    let said = read(
        "file = \"damper.so\"\ndisplacements = [\"u\"]\nvelocities = [\"v\", \"w\", \"z\"]\nparameters = { k = [1] }\n",
    )
    .unwrap_err();
    for expected in [
        "`damper.so`: the file name of an FMU must end in .fmu",
        "`displacements` has 1 variables for 2 degrees of freedom",
        "`velocities` has 3 variables for 2 degrees of freedom",
        "missing key `forces`",
        "write for example: forces = [\"F\"]",
        "expected a number or a string, found a list",
    ] {
        assert!(said.contains(expected), "{expected}:\n{said}");
    }
    assert!(said.contains("5 errors"), "{said}");
}

#[test]
fn what_is_for_processes_is_not_for_units() {
    let said = read(&format!("{UNIT}command = [\"python3\"]\ntimeout = \"5 s\"\n")).unwrap_err();
    assert!(said.contains("`command`") && said.contains("`timeout`"), "{said}");
}
