//! `interfield material`: the loop of a material under a protocol.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::quantities::UNITS;
use interfield_language::diag::did_you_mean;
use interfield_language::model::{NamedMaterial, Strained};
use interfield_report::{Axis, Curve, Figure, Panel};
use serde_json::json;

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::{fail, print, print_json};

/// Stress over strain of a material under a protocol of strains
///
/// Without --to, the strains go to each amplitude and back through zero to the other side. The output is CSV in the units of the model.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield material models/rc-portal.toml steel --cycles 0.002,0.01,0.03 --plot steel.svg\n  \
interfield material models/rc-portal.toml core --to -0.01 --json"
)]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    /// Name of the material
    name: String,
    /// Amplitudes of strain (elongation, rotation) in the units of the model, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", allow_hyphen_values = true, conflicts_with = "to")]
    cycles: Vec<f64>,
    /// Strain in one direction instead of cycles
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    to: Option<f64>,
    /// Increments from zero to each amplitude
    #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    increments: u32,
    /// Time from zero to each amplitude, s: viscous materials depend on it
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    duration: f64,
    /// Replace a parameter of the model, e.g. --set fy=400
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Also draw the loop into this file, FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let refuse = |message: &str, help: &str| {
        fail(args.json, None, None, message, help);
        Exit::BadInput
    };
    let ends: Vec<f64> = match args.to {
        Some(to) => vec![to],
        None => args.cycles.iter().flat_map(|a| [*a, 0.0, -a, 0.0]).collect(),
    };
    if ends.is_empty() {
        return refuse("no strains are given", "write for example --cycles 0.002,0.01 or --to 0.02");
    }
    if ends.iter().any(|e| !e.is_finite()) || !(args.duration.is_finite() && args.duration > 0.0) {
        return refuse(
            "strains must be numbers, and the duration greater than zero",
            "write for example --cycles 0.01 --duration 1",
        );
    }
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let model = match loaded.model(&ModelArgs { set: args.set.clone(), ..ModelArgs::default() }) {
        Ok((model, _)) => model,
        Err(e) => return e,
    };
    let named = &model.sections.named;
    let Some(found) = named.iter().find(|m| m.name == args.name) else {
        let help = did_you_mean(&args.name, named.iter().map(|m| m.name.as_str())).unwrap_or_else(|| {
            let names: Vec<&str> = named.iter().map(|m| m.name.as_str()).collect();
            if names.is_empty() {
                "the model has no [[material]]".to_owned()
            } else {
                format!("it has {}", names.join(", "))
            }
        });
        return refuse(&format!("the model has no material `{}`", args.name), &help);
    };
    let unit = model.units.factor(found.gives[1]);
    let path = strains(&ends, args.increments).iter().map(|e| e * unit).collect::<Vec<f64>>();
    let points = model.sections.driven(&found.material, &path, args.duration / f64::from(args.increments));
    tell(args, &model.units, found, &points)
}

/// Strains from end to end in equal increments, from zero on.
fn strains(ends: &[f64], increments: u32) -> Vec<f64> {
    let mut from = 0.0;
    let mut all = Vec::new();
    for &to in ends {
        all.extend((1..=increments).map(|i| from + (to - from) * f64::from(i) / f64::from(increments)));
        from = to;
    }
    all
}

fn tell(
    args: &Args,
    units: &interfield_language::units::UnitSystem,
    found: &NamedMaterial,
    points: &[Strained],
) -> Exit {
    let [force, disp] = found.gives;
    let (f, d) = (units.factor(force), units.factor(disp));
    let labels = [units.label(disp), units.label(force), units.label(force.per(disp))];
    let rows: Vec<[f64; 3]> = points.iter().map(|p| [p.strain / d, p.stress / f, p.tangent * d / f]).collect();
    if let Some(path) = &args.plot {
        let line = std::iter::once((0.0, 0.0)).chain(rows.iter().map(|r| (r[0], r[1]))).collect();
        let panel = Panel {
            title: found.name.clone(),
            x: Axis::new("strain", &labels[0]),
            y: Axis::new("stress", &labels[1]),
            curves: vec![Curve::line("", line)],
            ..Panel::default()
        };
        if let Err(message) = draw(path, &Figure::new(vec![panel]), DPI) {
            fail(args.json, Some(&path.display().to_string()), None, &message, "");
            return Exit::Failure;
        }
    }
    let column = |i: usize| rows.iter().map(|r| r[i]).collect::<Vec<f64>>();
    if args.json {
        print_json(&json!({
            "material": found.name, "strain": column(0), "stress": column(1), "tangent": column(2),
            UNITS: { "strain": labels[0], "stress": labels[1], "tangent": labels[2] },
        }));
        return Exit::Done;
    }
    let lines: String = rows.iter().map(|[e, s, k]| format!("{e},{s},{k}\n")).collect();
    print(&format!("strain [{}],stress [{}],tangent [{}]\n{lines}", labels[0], labels[1], labels[2]));
    Exit::Done
}
