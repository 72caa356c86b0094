//! The passive couplings beside the published ones: accuracy on the split mass and on a frame that yields, and how much delay the loop with a
//! specimen bears (book: passivity 4.3).

use std::path::PathBuf;

use interfield::stability::examine_loop;
use interfield_coupling::registry::find;
use interfield_language::Model;
use interfield_report::{Axis, Curve, Panel, Style};
use interfield_structure::Simulation;

use crate::load::{Loaded, ModelArgs};

/// What is compared: parallel ones, then those that wait for the coarse side.
const COUPLINGS: [&str; 8] = ["psl", "pmc", "foh", "modified-ph", "pm", "psl1", "pmc2s", "gc"];

/// The split mass with b1 = 0.5 from d = v = 1, all stiffness in laws: u = cos t + sin t.
const SPLIT: &str = r#"
title = "Split mass"
node = [{ name = "mass", dofs = ["x"], mass = "1 kg", initial = { x = "1 m" }, initial_velocity = { x = "1 m/s" } }]
element = [
  { type = "cubic", name = "a", nodes = ["ground", "mass"], dof = "x", k = "2/3*1 N/m", k3 = 0 },
  { type = "cubic", name = "b", nodes = ["ground", "mass"], dof = "x", k = "1/3*1 N/m", k3 = 0 },
]
substructure = [
  { name = "A", elements = ["a"], side = "coarse", interface_mass = "1/3" },
  { name = "B", elements = ["b"], side = "fine", substeps = 10 },
]
analysis = { dt = "1 s/80", duration = "1 s" }
record = { channels = ["mass.x"] }
"#;

/// Five storeys of unit mass, each a spring of 20 N/m beside a law of 380 N/m; the lower three are A (book: problems 1.5). LAW is that of the
/// lower storeys, that of the upper ones follows Bouc and Wen.
const FRAME: &str = r#"
title = "Five storeys"
dofs = ["x"]
node = [
  { name = "f1", mass = "1 kg" }, { name = "f2", mass = "1 kg" }, { name = "f3", mass = "1 kg" }, { name = "f4", mass = "1 kg" },
  { name = "f5", mass = "1 kg" },
]
element = [
  { type = "spring", name = "s1", nodes = ["ground", "f1"], dof = "x", k = "20 N/m", c = "0.2 N*s/m" },
  { type = "spring", name = "s2", nodes = ["f1", "f2"], dof = "x", k = "20 N/m", c = "0.2 N*s/m" },
  { type = "spring", name = "s3", nodes = ["f2", "f3"], dof = "x", k = "20 N/m", c = "0.2 N*s/m" },
  { type = "spring", name = "s4", nodes = ["f3", "f4"], dof = "x", k = "20 N/m", c = "0.2 N*s/m" },
  { type = "spring", name = "s5", nodes = ["f4", "f5"], dof = "x", k = "20 N/m", c = "0.2 N*s/m" },
  { LAW, name = "l1", nodes = ["ground", "f1"], dof = "x" },
  { LAW, name = "l2", nodes = ["f1", "f2"], dof = "x" },
  { LAW, name = "l3", nodes = ["f2", "f3"], dof = "x" },
  { type = "bouc-wen", name = "l4", nodes = ["f3", "f4"], dof = "x", k = "380 N/m", beta = "50 1/m", gamma = "50 1/m" },
  { type = "bouc-wen", name = "l5", nodes = ["f4", "f5"], dof = "x", k = "380 N/m", beta = "50 1/m", gamma = "50 1/m" },
]
damping = { rayleigh = { a0 = 0.1, a1 = 0 } }
load = [{ type = "ground", name = "quake", direction = "x", signal = { type = "synthetic", peak = "3 m/s^2" } }]
substructure = [
  { name = "A", elements = ["s1", "s2", "s3", "l1", "l2", "l3"], side = "coarse", interface_mass = 0.8 },
  { name = "B", elements = ["s4", "s5", "l4", "l5"], side = "fine", substeps = 5 },
]
analysis = { dt = "10 ms", duration = "10 s" }
record = { channels = ["f1.x", "f5.x"] }
"#;

/// The laws of the lower storeys: smooth, bilinear, and elastic ones.
const LAWS: [(&str, &str); 3] = [
    ("Bouc-Wen", r#"type = "bouc-wen", k = "380 N/m", beta = "50 1/m", gamma = "50 1/m", memory = "path""#),
    ("bilinear", r#"type = "mostaghel", k = "380 N/m", a = 0, delta = "10 mm""#),
    ("elastic", r#"type = "spring", k = "380 N/m""#),
];

/// A storey of 1 Hz with 2 % of damping; half of its stiffness stands in the laboratory, at the end of an actuator.
const LOOP: &str = r#"
title = "Loop"
node = [{ name = "floor", dofs = ["x"], mass = "100 t" }]
element = [
  { type = "spring", name = "frame", nodes = ["ground", "floor"], dof = "x", k = "2000 kN/m", c = "25 kN*s/m" },
  { type = "spring", name = "column", nodes = ["ground", "floor"], dof = "x", k = "2000 kN/m" },
]
substructure = [
  { name = "A", elements = ["frame"], side = "coarse", interface_mass = 0.9 },
  { name = "B", elements = ["column"], side = "fine", substeps = 10 },
]
specimen = [{ name = "rig", elements = ["column"], rate = "1 kHz", actuator = [{ type = "second-order", frequency = "100 Hz", damping = 0.7 }] }]
analysis = { dt = "10 ms", duration = "1 s" }
record = { channels = ["floor.x"] }
"#;

fn model(text: &str, coupling: &str, dt: Option<f64>, whole: bool) -> Result<Model, String> {
    let settings = ModelArgs {
        coupling: (!whole).then(|| coupling.to_owned()),
        scheme: whole.then(|| "alpha-os".to_owned()),
        dt: dt.map(|dt| format!("{dt} s")),
        whole,
        ..ModelArgs::default()
    };
    Loaded::embedded("figure", text.to_owned(), PathBuf::new(), false).variant(&settings)
}

fn started(model: Model) -> Result<Simulation, String> {
    Simulation::new(model).map_err(|list| list.first().map_or_else(String::new, |p| p.message.clone()))
}

/// Largest errors of u and Λ on (0, 1] s of the split mass in so many steps.
fn split(coupling: &str, steps: u64) -> Result<[f64; 2], String> {
    let dt = 1.0 / steps as f64;
    let mut sim = started(model(SPLIT, coupling, Some(dt), false)?)?;
    let mut worst = [0.0; 2];
    for k in 0..steps {
        sim.step(k).map_err(|fault| sim.explain(fault))?;
        let t = (k + 1) as f64 * dt;
        let (u, l) = (t.cos() + t.sin(), (1.0 / 3.0 - 2.0 / 3.0) * (t.cos() + t.sin()));
        let found = [sim.displacement(0).unwrap_or(f64::NAN) - u, sim.coupling.multipliers()[0] - l];
        worst.iter_mut().zip(found).for_each(|(w, d)| *w = f64::max(*w, d.abs()));
    }
    Ok(worst)
}

/// Displacements of the first and of the last floor at the nodes of 10 ms.
fn floors(model: Model) -> Result<Vec<[f64; 2]>, String> {
    let mut sim = started(model)?;
    let every = (0.01 / sim.coupling.dt()).round() as u64;
    let mut rows = Vec::new();
    for k in 0..sim.steps() {
        sim.step(k).map_err(|fault| sim.explain(fault))?;
        if (k + 1) % every == 0 {
            rows.push([0, 4].map(|dof| sim.displacement(dof).unwrap_or(f64::NAN)));
        }
    }
    Ok(rows)
}

/// rms error over rms, of the floor that is worse.
fn error(found: &[[f64; 2]], right: &[[f64; 2]]) -> f64 {
    let of = |i: usize| {
        let error: f64 = found.iter().zip(right).map(|(a, b)| (a[i] - b[i]).powi(2)).sum();
        (error / right.iter().map(|b| b[i].powi(2)).sum::<f64>()).sqrt()
    };
    of(0).max(of(1))
}

/// The frame with these laws in one piece, at a twentieth of the step.
fn reference(law: &str) -> Result<Vec<[f64; 2]>, String> {
    floors(model(&FRAME.replace("LAW", law), "", Some(0.01 / 20.0), true)?)
}

/// The table, as text.
pub(super) fn table() -> Result<String, String> {
    let references = LAWS.map(|(_, law)| reference(law));
    let mut rows = vec![
        ["coupling", "parallel", "order", "error of u", "error of lambda", "Bouc-Wen", "bilinear", "elastic", "delay"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for name in COUPLINGS {
        let (coarse, fine) = (split(name, 80)?, split(name, 320)?);
        let order = (coarse[1] / fine[1]).log2() / 2.0;
        let mut row =
            vec![name.to_owned(), find(name).map_or("", |c| if c.parallel { "yes" } else { "no" }).to_owned()];
        row.push(format!("{order:.1}"));
        row.extend(coarse.map(|e| format!("{e:.1e}")));
        for ((_, law), right) in LAWS.iter().zip(&references) {
            let found = floors(model(&FRAME.replace("LAW", law), name, None, false)?)?;
            row.push(format!("{:.2} %", 100.0 * error(&found, right.as_ref().map_err(Clone::clone)?)));
        }
        let found = examine_loop(&model(LOOP, name, None, false)?)?;
        row.push(found.critical_delay().map_or_else(|| "unstable".to_owned(), |d| format!("{:.1} ms", 1e3 * d)));
        rows.push(row);
    }
    let width = |c: usize| rows.iter().map(|r| r[c].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |r: &Vec<String>| {
        let cells = r.iter().zip(&widths).enumerate();
        let text: Vec<String> =
            cells.map(|(c, (x, w))| if c < 2 { format!("{x:<w$}") } else { format!("{x:>w$}") }).collect();
        text.join("  ") + "\n"
    };
    Ok(rows.iter().map(line).collect())
}

/// Errors of the bilinear frame over the macro-step.
pub(super) fn accuracy() -> Result<Panel, String> {
    let text = FRAME.replace("LAW", LAWS[1].1);
    let right = floors(model(&text, "", Some(0.01 / 40.0), true)?)?;
    let mut curves = Vec::new();
    for name in COUPLINGS {
        let mut points = Vec::new();
        for steps in [1.0, 2.0, 4.0, 8.0] {
            let found = floors(model(&text, name, Some(0.01 / steps), false)?)?;
            points.push((1e3 * 0.01 / steps, 100.0 * error(&found, &right)));
        }
        let parallel = find(name).is_some_and(|c| c.parallel);
        let curve = Curve::line(name, points);
        curves.push(if parallel { curve } else { curve.style(Style::Dashed) });
    }
    Ok(Panel {
        title: "Five storeys, lower three bilinear, 5 substeps; dashed: not parallel".to_owned(),
        x: Axis::new("macro-step", "ms").log(),
        y: Axis::new("error of the floors", "%").log(),
        curves,
        ..Panel::default()
    })
}
