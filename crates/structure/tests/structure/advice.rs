//! What a careful colleague would say: one small model for each remark, which must be made; and the sound models of the
//! project, about which there is nothing to say.

use std::path::{Path, PathBuf};

use interfield_language::diag::{Diagnostic, Diagnostics, Severity, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::advice::{Knowledge, advise};
use interfield_structure::{Modal, Structure};

const SOUND: &str = r#"
dofs = ["x"]
[[node]]
name = "floor"
at = [0, 3]
mass = "20 t"
[[node]]
name = "roof"
at = [0, 6]
mass = "10 t"
[[element]]
type = "spring"
name = "storey1"
nodes = ["ground", "floor"]
dof = "x"
k = "8 kN/mm"
[[element]]
type = "bouc-wen"
name = "storey2"
nodes = ["floor", "roof"]
dof = "x"
k = "4 kN/mm"
beta = "50 1/m"
gamma = "50 1/m"
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = "0.2 g" }
[analysis]
scheme = "newmark"
dt = "10 ms"
duration = "20 s"
"#;

/// All findings about a text: those of the parser and the advice.
fn findings(name: &str, text: &str, folder: &Path, limit: Option<f64>) -> (Source, Vec<Diagnostic>) {
    let source = Source::new(name, text);
    let diags = Diagnostics::new();
    let files = |path: &str| std::fs::read(folder.join(path)).map_err(|e| e.to_string());
    let Some((model, places)) = parse(&source, &Overrides::default(), &files, &diags) else {
        panic!("{}", diags.render(&source, false));
    };
    let structure = Structure::new(model).unwrap_or_else(|p| panic!("{p:?}"));
    let modal = Modal::new(&structure, structure.unknowns().len());
    let known = Knowledge { modal: modal.as_ref().ok(), stability_limit: limit, duration_is_overridden: false };
    let advice = advise(&structure, &known);
    structure.warnings.iter().chain(&advice).for_each(|w| diags.push(places.locate(w)));
    let found = diags.sorted();
    (source, found)
}

#[test]
fn a_path_that_begins_far_away_is_told() {
    let path = SOUND.replacen("beta = \"50 1/m\"", "beta = \"50 1/m\"\nmemory = \"path\"", 1);
    let said = |text: &str| {
        let (_, found) = findings("far.toml", text, Path::new(""), None);
        found.iter().any(|d| d.message.contains("is loaded from rest in one increment"))
    };
    assert!(!said(&path), "from rest there is no way to go");
    let far = path.replacen("mass = \"20 t\"", "mass = \"20 t\"\ninitial = { x = \"20 mm\" }", 1);
    assert!(far != path && said(&far));
    assert!(!said(&far.replace("memory = \"path\"", "memory = \"state\"")), "a state starts as it is written");
}

#[test]
fn each_doubt_is_told_where_it_arises() {
    // (what is changed, into what, a part of the message, a part of the marked line)
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "k = \"8 kN/mm\"",
            "k = 0",
            "`storey1` has no stiffness in the initial state, and no other element restrains `floor.x`",
            "k = 0",
        ),
        (
            "k = \"8 kN/mm\"",
            "k = \"-20 kN/mm\"",
            "the stiffness of `storey1` is negative: -2e7 N/m",
            "k = \"-20 kN/mm\"",
        ),
        ("mass = \"20 t\"\n", "", "`floor.x` can move and has no mass", "name = \"floor\""),
        ("dt = \"10 ms\"", "dt = \"20 ms\"", "longer than the sampling interval of 10 ms", "dt = \"20 ms\""),
        ("k = \"8 kN/mm\"", "k = \"800 kN/mm\"", "too coarse for mode", "dt = \"10 ms\""),
        ("duration = \"20 s\"", "duration = \"5 s\"", "but the strong motion lasts from 2.03 s to 9.07 s", "duration"),
        (
            "{ type = \"synthetic\", peak = \"0.2 g\" }",
            "{ type = \"table\", values = [0, 1, 0], times = [-1, 0, 1] }",
            "begins at -1 s, before the analysis",
            "signal =",
        ),
        (
            "{ type = \"synthetic\", peak = \"0.2 g\" }",
            "{ type = \"table\", values = [0, 1, 0], times = [50, 60, 70] }",
            "begins at 50 s, after the end of the analysis",
            "signal =",
        ),
        (
            "{ type = \"synthetic\", peak = \"0.2 g\" }",
            "{ type = \"table\", values = [0, 1, 2], dt = 1 }",
            "ends at 2 s at 100 % of its peak and then jumps to zero",
            "signal =",
        ),
        ("peak = \"0.2 g\"", "peak = 0", "this load is zero at all times", "signal ="),
        (
            "{ type = \"synthetic\", peak = \"0.2 g\" }",
            "{ type = \"formula\", value = \"0*t\" }",
            "zero at all times",
            "signal =",
        ),
        ("peak = \"0.2 g\"", "peak = \"200 m/s^2\"", "peak of 20.4 g", "signal ="),
        ("peak = \"0.2 g\"", "peak = \"0.2 mm/s^2\"", "peak of 0.0000204 g", "signal ="),
        ("k = \"8 kN/mm\"", "k = \"8 N/m\"", "the fundamental period is", "name = \""),
        (
            "mass = \"20 t\"",
            "mass = 2e-5",
            "`floor.x` has a mass of 0.00002 kg, its neighbour `roof.x` 10000 kg",
            "mass = 2e-5",
        ),
        (
            "beta = \"50 1/m\"",
            "beta = \"-49.99 1/m\"",
            "`storey2` yields at 100 m, more than the size",
            "name = \"storey2\"",
        ),
    ];
    let (source, found) = findings("sound.toml", SOUND, Path::new(""), None);
    assert_eq!(found, [], "{}", source.text);
    for (from, to, message, line) in cases {
        assert!(SOUND.contains(from), "{from}");
        let (source, found) = findings("doubtful.toml", &SOUND.replacen(from, to, 1), Path::new(""), None);
        let Some(d) = found.iter().find(|d| d.message.contains(message)) else {
            panic!("`{message}` is not said of {to}, but {found:#?}");
        };
        assert_eq!(d.severity, Severity::Warning);
        assert!(d.help.as_ref().is_some_and(|h| !h.is_empty()), "{d:?}");
        let (number, _) = source.line_column(d.span.as_ref().unwrap().start);
        let marked = source.text.lines().nth(number - 1).unwrap();
        assert!(marked.contains(line), "`{message}` marks `{marked}`, not {line}");
    }
}

#[test]
fn an_explicit_scheme_beyond_its_limit() {
    // The highest frequency of the model is 26.8 rad/s.
    let (_, found) = findings("limit.toml", SOUND, Path::new(""), Some(2.0));
    assert_eq!(found, []);
    let text =
        SOUND.replace("dt = \"10 ms\"", "dt = \"100 ms\"").replace("synthetic", "constant").replace("peak", "value");
    let (_, found) = findings("limit.toml", &text, Path::new(""), Some(2.0));
    assert!(
        found.iter().any(|d| d.message.contains("the run is unstable with this step")
            && d.message.contains(
                "stable \
            up to 2"
            )),
        "{found:#?}"
    );
}

#[test]
fn materials_that_do_not_exist() {
    let member = |e: &str, rho: &str| {
        format!(
            "dofs = [\"x\", \"y\", \"rz\"]\nnode = [{{ name = \"a\", fixed = true }}, {{ name = \"b\", at = [0, 3] }}]\n\
             [[element]]\ntype = \"beam2d\"\nnodes = [\"a\", \"b\"]\nA = 0.01\nI = 1e-4\nE = {e}\nrho = {rho}\n\
             [analysis]\ndt = 1e-4\nduration = 1\n"
        )
    };
    let messages = |e: &str, rho: &str| {
        let (source, found) = findings("member.toml", &member(e, rho), Path::new(""), None);
        let at = |d: &Diagnostic| source.line_column(d.span.as_ref().unwrap().start).0;
        found.iter().map(|d| (at(d), d.message.clone())).collect::<Vec<_>>()
    };
    assert_eq!(messages("\"210 GPa\"", "7850"), []);
    let modulus = messages("210", "7850");
    assert!(modulus.iter().any(|(line, m)| *line == 8 && m.contains("modulus of 210 N/m^2")), "{modulus:?}");
    let density = messages("\"210 GPa\"", "\"7850 t/m^3\"");
    assert!(density.iter().any(|(line, m)| *line == 9 && m.contains("density of 7850000 kg/m^3")), "{density:?}");
}

#[test]
fn a_ground_motion_that_moves_nothing() {
    let text =
        SOUND.replace("dofs = [\"x\"]", "dofs = [\"x\", \"y\"]").replace("mass = \"20 t\"", "mass = { x = 2e4 }")
            + "[[node]]\nname = \"held\"\nfixed = true\n";
    let text = text
        .replace("mass = \"10 t\"", "mass = { x = 1e4 }")
        .replace("direction = \"x\"", "direction = \"y\"")
        .replace("[[load]]", "[[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"floor\"]\ndof = \"y\"\nk = 1e6\n[[element]]\ntype = \"spring\"\nnodes = [\"floor\", \"roof\"]\ndof = \"y\"\nk = 1e6\n[[load]]");
    let (_, found) = findings("still.toml", &text, Path::new(""), None);
    assert!(found.iter().any(|d| d.message.contains("no degree of freedom along `y` has a mass")), "{found:#?}");
}

#[test]
fn nothing_is_said_about_the_models_of_the_project() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for folder in ["models", "crates/cli/templates"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "toml") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (_, mut found) = findings(&path.display().to_string(), &text, &root.join(folder), None);
                // The tests on the rig of Trento have the compensation of paper 000, about which there is something to say.
                let name = path.file_name().unwrap().to_str().unwrap();
                if name.starts_with("trento-") && name != "trento-rig.toml" {
                    assert!(found.len() == 1 && found[0].message.contains("adds energy to the loop"), "{found:?}");
                    found.clear();
                }
                assert_eq!(found, [], "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 14, "{seen}");
}
