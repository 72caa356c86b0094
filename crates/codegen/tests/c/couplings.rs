//! Every coupling with its options, and every model of the repository that is cut, against the library's partitioned run.

use interfield_codegen::{Origin, export};
use interfield_coupling::Options;
use interfield_coupling::registry::{COUPLINGS, CouplingInfo};
use interfield_kernel::scheme::registry::Arguments;
use interfield_language::Model;
use interfield_language::model::{EnergyPart, Quantity};
use interfield_language::parse::Overrides;
use interfield_structure::Simulation;

use crate::bench::{LEVELS, compile, folder, model, rows, shipped, write};

/// All rows of the library, by the coupling of the model.
fn library(model: Model) -> Vec<Vec<f64>> {
    let mut parts = Simulation::new(model).unwrap();
    let mut row = vec![0.0; parts.model.channels.len()];
    let mut out = Vec::new();
    for k in 0..=parts.steps() {
        parts.sample(k, &mut row).unwrap();
        out.push(row.clone());
        if k < parts.steps() {
            parts.step(k).unwrap();
        }
    }
    out
}

/// What the errors of a channel are measured by: its largest value; that of the displacement for a gap, which is the
/// difference of two of them; that of the input for what is missing in the energy balance.
fn sizes(model: &Model, rows: &[Vec<f64>]) -> Vec<f64> {
    let largest = |c: usize| rows.iter().fold(0.0f64, |m, r| m.max(r[c].abs()));
    let size = |(c, channel): (usize, &interfield_language::model::Channel)| match channel.quantity {
        Quantity::Gap(d, 0) => {
            let whole = model.channels.iter().position(|x| x.quantity == Quantity::Displacement(d));
            largest(whole.expect("the displacement of a gap is recorded too")).max(largest(c))
        }
        Quantity::Energy(EnergyPart::Error) => {
            let input = model.channels.iter().position(|x| x.quantity == Quantity::Energy(EnergyPart::Input));
            input.map_or(0.0, largest).max(largest(c))
        }
        _ => largest(c),
    };
    model.channels.iter().enumerate().map(size).collect()
}

/// Largest difference between the library and the compiled export, over all levels.
fn compare(name: &str, mut model: Model, levels: &[&str]) -> f64 {
    // Specimens are computed: what a laboratory adds is tested where there is one (crates/testkit/tests/export_specimens.rs).
    model.specimens.clear();
    model.channels.retain(|c| !matches!(c.quantity, Quantity::Specimen(..)));
    let export = export(&model, name, &Origin::default()).unwrap_or_else(|p| panic!("{name}: {p:?}"));
    let at = folder(name);
    write(&export, &at);
    let expected = library(model.clone());
    let sizes = sizes(&model, &expected);
    let mut worst = 0.0f64;
    for level in levels {
        let found = rows(&compile(&export.interface.name, &at, level));
        assert_eq!(found.len(), expected.len(), "{name} {level}: numbers of rows");
        for (a, b) in found.iter().zip(&expected) {
            for ((a, b), size) in a.iter().zip(b).zip(&sizes) {
                let d = if a == b { 0.0 } else { (a - b).abs() / size };
                worst = if d.is_nan() { f64::INFINITY } else { worst.max(d) };
            }
        }
    }
    worst
}

/// A tower on an isolator, cut between them, without a function of `math.h`.
fn tower(method: &str, scheme: &str, substeps: u32, law: &str) -> String {
    format!(
        r#"
title = "tower"
dofs = ["x"]
node = [{{ name = "base", mass = 30, initial = {{ x = 0.01 }} }}, {{ name = "roof", mass = 15 }}]
element = [
    {{ {law}, name = "isolator", nodes = ["ground", "base"], dof = "x" }},
    {{ type = "spring", name = "storey", nodes = ["base", "roof"], dof = "x", k = 6000, c = 12 }},
]
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "synthetic", peak = "0.3 g" }}
[[substructure]]
name = "tower"
elements = ["storey"]
interface_mass = 0.6
[[substructure]]
name = "bearing"
elements = ["isolator"]
substeps = {substeps}
[coupling]
{method}
[analysis]
scheme = {scheme}
tangent = "initial"
dt = "5 ms"
duration = "2 s"
[record]
channels = [
    "roof.x", "roof.x.v", "roof.x.a", "base.x", "base.x.abs", "isolator.force", "quake", "base.x.lambda", "base.x.gap",
    "base.x.link",
]
energy = true
"#
    )
}

const LINEAR: &str = "type = \"spring\", k = 900, c = 20";
const HYSTERETIC: &str = "type = \"bouc-wen\", k = 900, k2 = 90, beta = 20, gamma = 10";
const ALPHA: &str = "{ name = \"state-space-alpha\", rho_inf = 0.8 }";

/// Couplings with their options, and schemes they work with.
const CASES: &[(&str, &str, &str)] = &[
    ("gc", "", "\"newmark\""),
    ("gc", "", "\"lsrt2\""),
    ("pm", "", "\"newmark\""),
    ("modified-ph", "kappa = 0.2", "\"newmark\""),
    ("ph", "", "\"newmark\""),
    ("foh", "kappa = 0.1", "\"alpha-os\""),
    ("foh", "chi = 0.3\nguess = \"constant\"", "\"lsrt2\""),
    ("pmc", "", "\"alpha-os\""),
    ("pmc", "tie = 0\nkappa = 0.1", "\"alpha-os\""),
    ("pmc", "kappa = 0.1", "\"lsrt2\""),
    ("pmc2", "kappa = 0.1", "\"alpha-os\""),
    ("pmc2", "tie = 0", "\"alpha-os\""),
    ("pmc2s", "", "\"alpha-os\""),
    ("pmc2s", "tie = 0\nkappa = 0.1", "\"alpha-os\""),
    ("plsrt2", "", "\"lsrt2\""),
    ("staggered", "", "\"lsrt2\""),
    ("staggered", "", "\"lsrt1\""),
    ("midpoint", "", "\"lsrt2\""),
    ("clm", "", "\"trapezoidal\""),
    ("clm", "", ALPHA),
    ("llm", "", "\"trapezoidal\""),
    ("llm", "", ALPHA),
    ("gc", "", "\"cr\""),
    ("foh", "", "\"kr-alpha\""),
    ("pmc", "", "\"mkr-alpha\""),
    ("pm", "", "\"bathe\""),
    ("modified-ph", "", "\"tr-bdf2\""),
];

/// All couplings on one model, at one level for the first with a method and at another for its variants: bit for bit.
fn every_coupling(what: &str, law: &str, substeps: u32, [first, variant]: [&str; 2]) {
    for (i, (method, options, scheme)) in CASES.iter().enumerate() {
        let level = if CASES[..i].iter().any(|c| c.0 == *method) { variant } else { first };
        // Localized multipliers know one step for all.
        let substeps = if *method == "llm" { 1 } else { substeps };
        let text = tower(&format!("method = \"{method}\"\n{options}"), scheme, substeps, law);
        let name = format!("{method}-{i}-{what}-{substeps}");
        let d = compare(&name, model(&text, &Overrides::default()), &[level]);
        assert!(d == 0.0, "{name} {level}: {d:e}");
    }
}

#[test]
fn linear_sides_with_one_step() {
    every_coupling("linear", LINEAR, 1, ["-O0"; 2]);
}

#[test]
fn linear_sides_with_substeps() {
    every_coupling("linear", LINEAR, 5, ["-O2", "-O0"]);
}

#[test]
fn a_hysteretic_side_with_one_step() {
    every_coupling("hysteretic", HYSTERETIC, 1, ["-O0"; 2]);
}

#[test]
fn a_hysteretic_side_with_substeps() {
    every_coupling("hysteretic", HYSTERETIC, 5, ["-O3", "-O2"]);
}

#[test]
fn a_law_that_is_moved_and_starts_beyond_yielding() {
    let law = "type = \"bouc-wen\", k = 900, k2 = 90, beta = 200, gamma = 100, memory = \"path\"";
    for (method, scheme) in [("foh", "\"newmark\""), ("plsrt2", "\"lsrt2\""), ("llm", ALPHA)] {
        let name = format!("{method}-moved");
        let text = tower(&format!("method = \"{method}\""), scheme, 1, law);
        let d = compare(&name, model(&text, &Overrides::default()), &["-O0"]);
        assert!(d == 0.0, "{name}: {d:e}");
    }
}

/// Each sequence of states of the coarse side has its own memory of laws; with ties some of it is mixed, and some taken as a whole.
#[test]
fn laws_that_remember_on_the_coarse_side() {
    let path = "type = \"bouc-wen\", k = 6000, beta = 80, gamma = 40, memory = \"path\"";
    let steel = "type = \"uniaxial\", material = \"steel\"";
    let materials = "material = [{ name = \"steel\", type = \"bilinear\", acts = \"force\", fy = 40, E = 6000, b = 0.02 }]\nelement = [";
    let os = "\"alpha-os\"";
    for (what, law, method, scheme) in [
        ("path", path, "pmc", os),
        ("path", path, "pmc2", os),
        ("path", path, "pmc2s", os),
        ("path", path, "pmc", "\"lsrt2\""),
        ("path", path, "pm", "\"newmark\""),
        ("path", path, "plsrt2", "\"lsrt2\""),
        ("path", path, "staggered", "\"lsrt2\""),
        ("steel", steel, "pmc", os),
        ("steel", steel, "pmc2s", os),
    ] {
        let text = tower(&format!("method = \"{method}\""), scheme, 3, LINEAR)
            .replace("type = \"spring\", name = \"storey\"", &format!("{law}, name = \"storey\""))
            .replace(", k = 6000, c = 12", "")
            .replace("element = [", materials);
        let name = format!("{method}-{}-{what}-coarse", scheme.trim_matches('"'));
        let d = compare(&name, model(&text, &Overrides::default()), &["-O0"]);
        assert!(d == 0.0, "{name}: {d:e}");
    }
}

/// The tower with a wall beside it on the coarse side, and its storey on the fine one.
fn three(method: &str, scheme: &str, [storey, isolator]: [u32; 2]) -> String {
    let wall = "{ type = \"spring\", name = \"wall\", nodes = [\"ground\", \"roof\"], dof = \"x\", k = 10 },";
    tower(&format!("method = \"{method}\""), scheme, isolator, HYSTERETIC)
        .replace("interface_mass = 0.6", "")
        .replace("element = [", &format!("element = [\n    {wall}"))
        .replace(
            "elements = [\"storey\"]\n",
            &format!("elements = [\"storey\"]\nside = \"fine\"\nsubsteps = {storey}\n"),
        )
        .replace("elements = [\"isolator\"]\n", "elements = [\"isolator\"]\nside = \"fine\"\n")
        .replace(
            "[coupling]",
            "[[substructure]]\nname = \"wall\"\nelements = [\"wall\"]\nside = \"coarse\"\n[coupling]",
        )
}

#[test]
fn substructures_with_their_own_substeps() {
    for info in COUPLINGS.iter().filter(|m| m.sided && !m.one_rate && in_c(m)) {
        for substeps in [[2, 6], [3, 2]] {
            let name = format!("{}-rates-{}", info.name, substeps[1]);
            let text = three(info.name, &format!("\"{}\"", info.scheme), substeps);
            let d = compare(&name, model(&text, &Overrides::default()), &["-O2"]);
            assert!(d == 0.0, "{name}: {d:e}");
        }
    }
}

/// Whether generated code does what the coupling does.
fn in_c(info: &CouplingInfo) -> bool {
    (info.build)(Arguments(&[])).is_ok_and(|method| method.facts().not_in_c.is_none())
}

#[test]
fn no_coupling_is_forgotten() {
    for info in COUPLINGS.iter().filter(|m| in_c(m)) {
        assert!(CASES.iter().any(|c| c.0 == info.name), "{} is not compared with its C", info.name);
    }
}

macro_rules! models {
    ($($test:ident: $file:literal, $most:expr $(, until $until:literal)?;)*) => {
        $(#[test]
        fn $test() {
            let until: &[&str] = &[$($until)?];
            let overrides = Overrides { duration: until.first().map(|t| (*t).to_owned()), ..Overrides::default() };
            let d = compare(&$file.replace(".toml", "-cut"), model(&shipped($file), &overrides), LEVELS);
            assert!(d <= $most, "{}: {d:e}", $file);
        })*

        #[test]
        fn no_cut_model_is_forgotten() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
            for file in std::fs::read_dir(folder).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                let cut = name.ends_with(".toml") && shipped(&name).contains("substructure");
                assert!(!cut || [$($file),*].contains(&name.as_str()), "{name} is not compared with its C");
            }
        }
    };
}

// Zero: no function of math.h is called in a step, or both sides call that of the system.
models! {
    cantilever: "cantilever.toml", 1e-12;
    hybrid_frame: "hybrid-frame.toml", 0.0, until "5 s";
    isolated_building: "isolated-building.toml", 1e-12;
    rio_torto_as_built: "rio-torto-as-built.toml", 1e-12;
    rio_torto_isolated: "rio-torto-isolated.toml", 1e-12;
    rio_torto_llm: "rio-torto-llm.toml", 1e-12;
    rio_torto_test: "rio-torto-test.toml", 1e-12, until "50 ms";
    rio_torto_test_isolated: "rio-torto-test-isolated.toml", 1e-12, until "50 ms";
    split_mass: "split-mass.toml", 0.0;
    three_dof: "three-dof.toml", 0.0;
    multi_support: "multi-support.toml", 1e-12;
    trento_four_b: "trento-four-b.toml", 1e-12, until "2 s";
    trento_four_c: "trento-four-c.toml", 1e-12, until "2 s";
    trento_rig: "trento-rig.toml", 0.0;
    trento_test: "trento-test.toml", 1e-12;
    two_springs: "two-springs.toml", 0.0;
}

/// The words of a refusal of this text.
fn refusal(text: &str) -> String {
    let problems =
        export(&model(text, &Overrides::default()), "refused", &Origin::default()).expect_err("it should be refused");
    let words: Vec<String> = problems.iter().map(|p| format!("{}: {}", p.message, p.help)).collect();
    words.join("\n")
}

#[test]
fn a_start_that_the_c_does_not_know_is_refused() {
    let said = refusal(&tower("method = \"llm\"\nstart = \"free\"", "\"trapezoidal\"", 1, LINEAR));
    assert!(said.contains("consistent"), "{said}");
}

#[test]
fn specimens_that_cannot_be_commanded_are_refused_with_what_to_do() {
    let specimen = |element: &str| {
        format!(
            "\n[[specimen]]\nname = \"{element}\"\nelements = [\"{element}\"]\n[[specimen.actuator]]\ntype = \"ideal\"\n"
        )
    };
    let text = tower("method = \"gc\"", "\"newmark\"", 2, LINEAR);
    let said = refusal(&(text + &specimen("storey")));
    assert!(
        said.contains("specimen `storey` is on the coarse side `tower`") && said.contains("side = \"fine\""),
        "{said}"
    );

    let text = tower("method = \"foh\"", "\"newmark\"", 2, LINEAR);
    let text = text.replace("interface_mass = 0.6", "interface_mass = 0.6\nsubsteps = 3");
    let text = text.replace(
        "element = [",
        "element = [\n    { type = \"spring\", name = \"wall\", nodes = [\"ground\", \"roof\"], dof = \"x\", k = 10 },",
    );
    let text = text.replace("elements = [\"storey\"]\n", "elements = [\"storey\"]\nside = \"fine\"\n");
    let text = text.replace(
        "[coupling]",
        "[[substructure]]\nname = \"wall\"\nelements = [\"wall\"]\nside = \"coarse\"\n[coupling]",
    );
    let said = refusal(&(text + &specimen("storey") + &specimen("isolator")));
    assert!(said.contains("`isolator` would be commanded at other times") && said.contains("substeps"), "{said}");
}

/// Drifts within a part, against the ground, and between nodes of different parts.
#[test]
fn storey_drifts() {
    let chain = tower("method = \"pmc\"", "\"newmark\"", 2, LINEAR)
        .replace("{ name = \"roof\", mass = 15 }]", "{ name = \"roof\", mass = 15 }, { name = \"low\", mass = 40 }]")
        .replace(
            "name = \"isolator\", nodes = [\"ground\", \"base\"], dof = \"x\" },",
            "name = \"isolator\", nodes = [\"low\", \"base\"], dof = \"x\" },\n    \
             { type = \"spring\", name = \"foot\", nodes = [\"ground\", \"low\"], dof = \"x\", k = 9000 },",
        )
        .replace("elements = [\"isolator\"]", "elements = [\"isolator\", \"foot\"]");
    let drift = |name: &str, below: &str, above: &str| {
        format!("[[drift]]\nname = \"{name}\"\nnodes = [\"{below}\", \"{above}\"]\ndof = \"x\"\nheight = \"3 m\"\n")
    };
    let drifts = [drift("within", "base", "roof"), drift("foot", "ground", "low"), drift("across", "low", "roof")];
    let text = chain + &drifts.concat();
    let model = model(&text, &Overrides::default());
    let rows = library(model.clone());
    let at = |name: &str| model.channels.iter().position(|c| c.name == name).expect(name);
    let (roof, base, across, within) = (at("roof.x"), at("base.x"), at("across.drift"), at("within.drift"));
    assert!(rows.iter().any(|r| r[across].abs() > 0.01));
    // In per cent of 3 m; the part has its own copy of the base, within the gap.
    let most = rows.iter().fold(0.0f64, |m, r| m.max((r[within] - (r[roof] - r[base]) * 100.0 / 3.0).abs()));
    assert!(most < 1e-9, "{most:e}");
    let d = compare("drifts", model, LEVELS);
    assert!(d <= 1e-12, "{d:e}");
}
