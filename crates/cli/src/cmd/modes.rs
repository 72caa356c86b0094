//! `interfield modes`: frequencies and shapes of the small-amplitude motion about the initial state.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::{fail, print, print_json};
use interfield::quantities::UNITS;
use interfield::table::{aligned, short};

/// Natural frequencies and mode shapes of a model, about its initial state
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield modes models/frame.toml --count 5\n  \
interfield modes models/frame.toml --set \"E=25 GPa\" --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    /// How many modes, from the lowest
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Replace a parameter of the model, e.g. --set k=4000 or --set "E=25 GPa"
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Print the result, with all shapes, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let structure = match loaded.structure(&ModelArgs { set: args.set.clone(), ..ModelArgs::default() }) {
        Ok(s) => s,
        Err(e) => return e,
    };
    let modes = match structure.modes(args.count as usize) {
        Ok(m) => m,
        Err(e) => {
            let message = format!("the modes could not be computed: {e}");
            fail(args.json, Some(&args.model.display().to_string()), None, &message, "");
            return Exit::Fault;
        }
    };
    let tau = std::f64::consts::TAU;
    let omegas: Vec<f64> = modes.omega2.iter().map(|w| w.max(0.0).sqrt()).collect();
    if args.json {
        let list: Vec<Value> = omegas
            .iter()
            .zip(&modes.shapes)
            .enumerate()
            .map(|(i, (w, shape))| {
                let period = if *w > 0.0 { json!(tau / w) } else { Value::Null };
                let shape: Map<String, Value> =
                    structure.unknowns().zip(shape).map(|(n, x)| (n.to_owned(), json!(x))).collect();
                json!({ "mode": i + 1, "omega": w, "omega2": modes.omega2[i], "frequency": w / tau, "period": period, "shape": shape })
            })
            .collect();
        // Shapes have no size: their numbers are displacements in m and angles in rad, in some scale.
        let units = json!({ "omega": "rad/s", "omega2": "rad^2/s^2", "frequency": "Hz", "period": "s", "shape": "1" });
        let title = &structure.model.title;
        print_json(&json!({ "title": title, "unknowns": structure.unknowns().len(), "modes": list, UNITS: units }));
        return Exit::Done;
    }
    let rows: Vec<Vec<String>> = omegas
        .iter()
        .zip(&modes.shapes)
        .enumerate()
        .map(|(i, (w, shape))| {
            let most = shape.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |m| m.0);
            let name = structure.unknowns().nth(most).unwrap_or("");
            let period = match modes.omega2[i] {
                x if x > 0.0 => short(tau / w),
                x if x < 0.0 => "unstable".to_owned(),
                _ => "rigid".to_owned(),
            };
            vec![(i + 1).to_string(), short(*w), short(w / tau), period, name.to_owned()]
        })
        .collect();
    print(&format!("{}: {} unknowns\n\n", structure.model.title, structure.unknowns().len()));
    print(&aligned(&["mode", "omega [rad/s]", "f [Hz]", "T [s]", "<moves most at"], &rows));
    Exit::Done
}
