//! Simulation model files from text to channels: the same structure in one piece and in several.

use interfield_coupling::Options;
use interfield_coupling::registry::COUPLINGS;
use interfield_language::model::Model;
use interfield_language::parse::Overrides;
use interfield_language::partition::Partition;
use interfield_structure::Simulation;
use interfield_testkit::run::{read, read_with, simulation};

/// A chain of four masses under a load, cut where the test says.
fn chain(rest: &str) -> String {
    format!(
        r#"
title = "chain"
dofs = ["x"]
node = [
    {{ name = "a", mass = 2, initial = 0.1 }},
    {{ name = "b", mass = 1.5, initial_velocity = 0.3 }},
    {{ name = "c", mass = 1 }},
    {{ name = "d", mass = 0.5 }},
]
element = [
    {{ type = "spring", name = "k1", nodes = ["ground", "a"], dof = "x", k = 40, c = 0.3 }},
    {{ type = "spring", name = "k2", nodes = ["a", "b"], dof = "x", k = 30, c = 0.2 }},
    {{ type = "spring", name = "k3", nodes = ["b", "c"], dof = "x", k = 20, c = 0.2 }},
    {{ type = "spring", name = "k4", nodes = ["c", "d"], dof = "x", k = 60, c = 0.1 }},
    {{ type = "spring", name = "k5", nodes = ["d", "a"], dof = "x", k = 10 }},
]
[[load]]
type = "force"
name = "push"
at = "b.x"
signal = {{ type = "harmonic", amplitude = 3, omega = 4 }}
[analysis]
dt = 0.005
duration = 2
[record]
channels = ["a.x", "b.x", "c.x.v", "d.x.a", "k2.force", "k4.deformation", "push"]
{rest}"#
    )
}

const CUT: &str = r#"
[[substructure]]
name = "base"
[[substructure]]
name = "top"
elements = ["k3", "k4", "k5"]
interface_mass = 0.4
"#;

fn start(model: Model) -> Simulation {
    Simulation::new(model).unwrap_or_else(|problems| {
        let words: Vec<String> = problems.into_iter().map(|p| p.message).collect();
        panic!("{}", words.join("\n"))
    })
}

/// All rows of a run.
fn rows(sim: &mut Simulation) -> Vec<Vec<f64>> {
    let steps = sim.steps();
    (0..=steps)
        .map(|k| {
            let mut row = vec![0.0; sim.model.channels.len()];
            sim.sample(k, &mut row).expect("the sample succeeds");
            if k < steps {
                sim.step(k).unwrap_or_else(|f| panic!("step {k}: {}", sim.explain(f)));
            }
            row
        })
        .collect()
}

fn whole_rows(sim: &mut Simulation) -> Vec<Vec<f64>> {
    let steps = sim.steps();
    (0..=steps)
        .map(|k| {
            let mut row = vec![0.0; sim.channels().len()];
            sim.sample(k, &mut row).expect("the sample succeeds");
            if k < steps {
                sim.step(k).expect("the step succeeds");
            }
            row
        })
        .collect()
}

/// Largest distance per channel, relative to the largest value of the channel.
fn distances(found: &[Vec<f64>], reference: &[Vec<f64>]) -> Vec<f64> {
    (0..reference[0].len())
        .map(|i| {
            let size = reference.iter().fold(0.0_f64, |m, r| m.max(r[i].abs()));
            found.iter().zip(reference).fold(0.0_f64, |m, (a, b)| m.max((a[i] - b[i]).abs())) / size
        })
        .collect()
}

#[test]
fn every_coupling_runs_a_model_file_and_agrees_with_the_whole() {
    let mut whole = simulation(read(&chain("").replace("dt = 0.005", "dt = 0.0005\nscheme = \"newmark\"")));
    let reference: Vec<Vec<f64>> = whole_rows(&mut whole).into_iter().step_by(10).collect();
    for info in COUPLINGS {
        let text = chain(&format!("{CUT}[coupling]\nmethod = \"{}\"\n", info.name));
        // The midpoint rule with frozen multipliers is of first order, and there for comparison.
        let bound = if info.name == "midpoint" { 0.2 } else { 2e-2 };
        let far = distances(&rows(&mut start(read(&text))), &reference);
        assert!(far.iter().all(|d| *d < bound), "{}: {far:?}", info.name);
        if info.sided {
            let fine = text.replace("interface_mass = 0.4", "interface_mass = 0.4\nsubsteps = 4");
            let far = distances(&rows(&mut start(read(&fine))), &reference);
            assert!(far.iter().all(|d| *d < 1.5 * bound), "{} with substeps: {far:?}", info.name);
        }
    }
}

#[test]
fn couplings_step_as_they_say() {
    for (info, tie) in COUPLINGS.iter().map(|m| (m, "")).chain([(&COUPLINGS[0], "tie = 0\n")]) {
        let text = chain(&format!("{CUT}[coupling]\nmethod = \"{}\"\n{tie}", info.name));
        let substeps = if info.sided { "interface_mass = 0.4\nsubsteps = 4" } else { "interface_mass = 0.4" };
        let model = read(&text.replace("interface_mass = 0.4", substeps));
        let partition = model.partition.as_ref().unwrap();
        let (method, step) = (partition.coupling.method, partition.coarse_step());
        let started = start(model);
        let b = started.coupling.blueprint();
        let ways = |subdomains: Vec<usize>| {
            subdomains.into_iter().flat_map(|i| b.subdomains[i].steppings.clone()).collect::<Vec<_>>()
        };
        // The longest step of the coarse side is that of the regular macro-steps; it starts with shorter ones.
        let coarse = ways(b.coarse.clone().chain(b.twins.clone()).collect());
        let longest = coarse.iter().map(|way| way.dt).fold(0.0, f64::max) / b.h;
        assert!((longest - step).abs() < 1e-12, "{}: {longest}", info.name);
        let whole = ways(b.fine.clone().collect()).iter().any(|way| way.steps == 4);
        assert_eq!(whole, method.facts().ramped, "{}", info.name);
    }
}

#[test]
fn one_scheme_and_one_step_is_the_structure_in_one_piece() {
    for (method, scheme) in [
        ("gc", "\"newmark\""),
        ("ph", "\"newmark\""),
        ("modified-ph", "\"newmark\""),
        ("gc", "{ name = \"newmark\", beta = 0.3025, gamma = 0.6 }"),
        ("clm", "\"trapezoidal\""),
    ] {
        let text = chain(&format!("{CUT}[coupling]\nmethod = \"{method}\"\n"))
            .replace("dt = 0.005", &format!("dt = 0.005\nscheme = {scheme}\ntangent = \"initial\""));
        let far = distances(&rows(&mut start(read(&text))), &whole_rows(&mut simulation(read(&text))));
        assert!(far.iter().all(|d| *d < 1e-11), "{method} with {scheme}: {far:?}");
    }
}

#[test]
fn channels_of_the_cut() {
    let channels = "channels = [\"b.x.gap\", \"b.x.gap_v\", \"b.x.lambda\", \"b.x.link\", \"a.x.lambda\", ";
    let text = chain(&format!("{CUT}[coupling]\nmethod = \"pm\"\n")).replace("channels = [", channels);
    let mut sim = start(read(&text));
    let rows = rows(&mut sim);
    let most = |i: usize| rows.iter().fold(0.0_f64, |m, r| m.max(r[i].abs()));
    assert!(most(0) > 1e-9 && most(0) < 1e-3, "gap {}", most(0));
    assert!(most(1) < 1e-12, "velocities agree at the nodes: {}", most(1));
    assert!(most(2) > 0.1, "a force goes through the cut: {}", most(2));
    assert!(most(3) > 0.0, "links move the fine side");
    let quality = sim.quality().expect("it is cut");
    // Sampled at every macro-step, as the observer does.
    let at_b = sim.interface.iter().position(|c| sim.model.dofs[c.dof].name == "b.x").expect("cut at b");
    assert_eq!(quality.rows[at_b].gap_u, most(0));
    assert!((quality.rows[at_b].force - most(2)).abs() < 1e-12);
    assert!(quality.mechanical.max > 0.0 && quality.through_work > 0.0);

    // The force of the cut and those of the elements balance the inertia of the base's share of the mass at b.
    let text = chain(&format!("{CUT}[coupling]\nmethod = \"gc\"\n"))
        .replace("channels = [", "channels = [\"b.x.lambda\", \"b.x.a\", \"k3.force\", ");
    for row in self::rows(&mut start(read(&text))).iter().skip(1) {
        // k3 pulls at b with its force; the top keeps 0.4 of the mass.
        let top = row[2] - 0.4 * 1.5 * row[1];
        assert!((row[0] - top).abs() < 1e-9 * (1.0 + top.abs()), "{} and {top}", row[0]);
    }
}

#[test]
fn a_cut_quantity_elsewhere_is_refused() {
    let text = chain(CUT).replace("channels = [", "channels = [\"d.x.gap\", ");
    let problems = Simulation::new(read(&text)).err().expect("refused");
    assert!(problems[0].message.contains("no interface at `d.x`"), "{}", problems[0].message);
}

#[test]
fn redundant_constraints_are_refused_with_a_way_out() {
    let star = r#"
[[substructure]]
name = "one"
elements = ["k1", "k5"]
[[substructure]]
name = "two"
elements = ["k2"]
[[substructure]]
name = "three"
elements = ["k3", "k4"]
[coupling]
method = "gc"
"#;
    let more =
        "element = [\n    { type = \"spring\", name = \"k6\", nodes = [\"ground\", \"b\"], dof = \"x\", k = 5 },";
    let text = chain(star).replace("element = [", more).replace("\"k1\", \"k5\"", "\"k1\", \"k5\", \"k6\"");
    let mut fine = start(read(&text));
    fine.step(0).expect("a tree of constraints is regular");
    let all = text.replace("method = \"gc\"", "method = \"gc\"\nconstraints = \"all-pairs\"");
    let problems = Simulation::new(read(&all)).err().expect("refused");
    let (message, help) = (&problems[0].message, &problems[0].help);
    assert!(message.contains("`b.x`") && message.contains("redundant"), "{message}");
    assert!(help.contains("tree") && help.contains("llm"), "{help}");
}

#[test]
fn a_coupling_of_the_command_line_brings_its_scheme() {
    let text = chain(CUT).replace("dt = 0.005", "dt = 0.005\nscheme = \"lsrt2\"");
    let schemes = |coupling: &str, scheme: Option<&str>| {
        let (coupling, scheme) = (Some(coupling.to_owned()), scheme.map(str::to_owned));
        let model = read_with("test.toml", &text, &Overrides { coupling, scheme, ..Overrides::default() });
        let names = |p: Partition| p.substructures.into_iter().map(|s| s.scheme_name).collect::<Vec<_>>();
        model.partition.map(names).unwrap_or_default()
    };
    assert_eq!(schemes("llm", None), ["trapezoidal", "trapezoidal"], "lsrt2 of the file does not suit it");
    assert_eq!(schemes("foh", None), ["lsrt2", "lsrt2"], "here it does");
    assert_eq!(schemes("pm", Some("newmark")), ["newmark", "newmark"]);
}

#[test]
fn the_gap_is_closed_whatever_the_units() {
    // Stiffnesses of 1e11 N/m beside Boolean constraints: the static modes must not be taken for singular.
    let text = include_str!("../../../../models/rio-torto-isolated.toml")
        .replace("method = \"pmc\"", "method = \"pmc\"\nkappa = 1");
    let mut sim = start(read(&text.replace("duration = \"4 s\"", "duration = \"0.5 s\"")));
    rows(&mut sim);
    let quality = sim.quality().expect("it is cut");
    assert!(quality.rows.iter().all(|r| r.displacement > 1e-4 && r.gap_halves[1] < 1e-15), "{quality:?}");
}
