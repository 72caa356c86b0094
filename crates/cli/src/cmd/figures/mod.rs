//! `interfield figures`: the computed figures and tables of the documents (book: passivity 1, 4.2, 4.3). For the authors, not shown in the
//! help.

mod compared;

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_language::Model;
use interfield_report::{Axis, Curve, Figure, Panel, Style};
use interfield_structure::Simulation;
use serde_json::json;

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use interfield::files::write;
use interfield::stability::{judge_quietly, with_step};

/// The split mass. The law of B is linear and softer than its estimate by the given factor.
const MODEL: &str = r#"
title = "Split mass"
parameters = { b1 = 1, estimate = 1 }
node = [{ name = "mass", dofs = ["x"], mass = "1 kg", initial = { x = "1 m" } }]
element = [
  { type = "spring", name = "a", nodes = ["ground", "mass"], dof = "x", k = "1 N/m/(1 + b1)" },
  { type = "cubic", name = "b", nodes = ["ground", "mass"], dof = "x", k = "1 N/m*b1/(1 + b1)", k3 = 0, tangent = { k = "estimate*1 N/m*b1/(1 + b1)" } },
]
substructure = [
  { name = "A", elements = ["a"], side = "coarse", interface_mass = "b1/(1 + b1)" },
  { name = "B", elements = ["b"], side = "fine", substeps = 10, tangent = "given" },
]
analysis = { dt = "0.2 s", duration = "1 s" }
record = { channels = ["mass.x"] }
"#;

/// Motions are drawn up to this, m.
const CLIPPED: f64 = 3.0;

/// Draw the computed figures of the documents into a folder
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield figures docs/img\n  interfield figures --compare")]
pub(crate) struct Args {
    /// Folder to write to
    #[arg(required_unless_present = "compare")]
    folder: Option<PathBuf>,
    /// Print the table that compares the couplings instead
    #[arg(long)]
    compare: bool,
    /// Print the names of the files as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    if args.compare {
        match compared::table() {
            Ok(table) => print(&table),
            Err(message) => {
                fail(args.json, None, None, &message, "");
                return Exit::Failure;
            }
        }
        return Exit::Done;
    }
    match draw(args.folder.as_deref().unwrap_or(Path::new("."))) {
        Ok(files) if args.json => print_json(&json!({ "figures": files })),
        Ok(files) => print(&(files.join("\n") + "\n")),
        Err(message) => {
            fail(args.json, None, None, &message, "");
            return Exit::Failure;
        }
    }
    Exit::Done
}

fn draw(folder: &Path) -> Result<Vec<String>, String> {
    let figures = [
        ("passivity-radius.svg", radius()?),
        ("passivity-softening.svg", softening()?),
        ("passivity-accuracy.svg", compared::accuracy()?),
    ];
    let mut names = Vec::new();
    for (name, panel) in figures {
        let path = folder.join(name);
        write(&path, Figure::new(vec![panel]).svg())?;
        names.push(path.display().to_string());
    }
    Ok(names)
}

/// The split mass under a coupling; γ of LSRT2 where that is the scheme.
fn model(set: &[(&str, f64)], coupling: &str, scheme: &str, gamma: Option<&str>) -> Result<Model, String> {
    let owned = |n: &str, v: String| (n.to_owned(), v);
    let settings = ModelArgs {
        set: set.iter().map(|(n, v)| owned(n, v.to_string())).collect(),
        coupling: Some(coupling.to_owned()),
        scheme: Some(scheme.to_owned()),
        param: gamma.iter().map(|g| owned("gamma", (*g).to_owned())).collect(),
        ..ModelArgs::default()
    };
    Loaded::embedded("split mass", MODEL.to_owned(), PathBuf::new(), false).variant(&settings)
}

/// Growth of four couplings over Ω.
fn radius() -> Result<Panel, String> {
    let couplings = [
        ("PLSRT2, gamma plus", "plsrt2", "lsrt2", Some("plus")),
        ("staggered LSRT2, gamma minus", "staggered", "lsrt2", Some("minus")),
        ("modified PH", "modified-ph", "newmark", None),
        ("PMC", "pmc", "alpha-os", None),
    ];
    let mut curves = Vec::new();
    for (legend, coupling, scheme, gamma) in couplings {
        let model = model(&[("b1", 0.5)], coupling, scheme, gamma)?;
        let omegas = (0..=240).map(|i| 10f64.powf(f64::from(i) / 120.0));
        let growth = |omega: f64| Ok((omega, judge_quietly(with_step(&model, omega))?.0 - 1.0));
        let curve = Curve::line(legend, omegas.map(growth).collect::<Result<Vec<_>, String>>()?);
        // Dashed upon the first, so that this can be seen beneath.
        curves.push(if curves.is_empty() { curve } else { curve.style(Style::Dashed) });
    }
    Ok(Panel {
        title: "Split mass, b1 = 0.5, 10 substeps".to_owned(),
        x: Axis::new("Ω = ω Δt", "").log(),
        y: Axis::new("growth per step, ρ − 1", ""),
        curves,
        ..Panel::default()
    })
}

/// A specimen half as stiff as its estimate, under two couplings.
fn softening() -> Result<Panel, String> {
    let set = [("b1", 30.0), ("estimate", 2.0)];
    let mut curves = Vec::new();
    for (legend, coupling) in [("PMC", "pmc"), ("modified PH", "modified-ph")] {
        let model = model(&set, coupling, "alpha-os", None)?;
        let problem =
            |list: Vec<interfield_language::Problem>| list.first().map_or_else(String::new, |p| p.message.clone());
        let mut parts = Simulation::new(model).map_err(problem)?;
        let mut points = vec![(0.0, 1.0)];
        for k in 0..250 {
            parts.step(k).map_err(|fault| parts.explain(fault))?;
            let x = parts.displacement(0).unwrap_or(f64::NAN);
            if x.abs() > CLIPPED {
                break;
            }
            points.push(((k + 1) as f64 * parts.coupling.dt(), x));
        }
        curves.push(Curve::line(legend, points));
    }
    Ok(Panel {
        title: "Split mass, b1 = 30, 10 substeps; B half as stiff as its operator".to_owned(),
        x: Axis::new("time", "s"),
        y: Axis::new("displacement", "m"),
        curves,
        ..Panel::default()
    })
}
