//! `interfield modes`: frequencies and shapes of the small-amplitude motion about the initial state.

use std::f64::consts::TAU;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_structure::Structure;
use interfield_structure::harmonic::{Body, Modes};
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::{fail, print, print_json};
use interfield::quantities::UNITS;
use interfield::table::{aligned, short};
use interfield_language::diag::did_you_mean;

/// Natural frequencies and mode shapes of a model, about its initial state
///
/// Of a model with substructures also those of each part by itself: its interface is free, and the part has the share of
/// the interface mass that the model gives it.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield modes models/frame.toml --count 5\n  \
interfield modes models/frame.toml --set \"E=25 GPa\" --json\n  \
interfield modes models/rio-torto-isolated.toml --parts\n  \
interfield modes models/rio-torto-isolated.toml --part specimens --set m_f=0.001")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    /// How many modes, from the lowest
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Only this substructure, by itself
    #[arg(long, value_name = "NAME", conflicts_with = "parts")]
    part: Option<String>,
    /// Frequencies of the coupled structure beside those of each substructure by itself
    #[arg(long)]
    parts: bool,
    /// Replace a parameter of the model, e.g. --set k=4000 or --set "E=25 GPa"
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Print the result, with all shapes, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match tell(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn tell(args: &Args) -> Result<(), Exit> {
    let loaded = Loaded::open(&args.model, args.json)?;
    let structure = loaded.structure(&ModelArgs { set: args.set.clone(), ..ModelArgs::default() })?;
    let refused = |(message, help): (String, String)| {
        fail(args.json, Some(&args.model.display().to_string()), None, &message, &help);
        Exit::BadInput
    };
    if args.parts {
        divided(&structure).map_err(refused)?;
    }
    let bodies = match &args.part {
        Some(name) => vec![part(&structure, name).map_err(refused)?],
        None if args.parts => structure.bodies(),
        None => vec![Body::Coupled],
    };
    let found: Vec<Found> = bodies
        .into_iter()
        .map(|body| {
            let modes = structure.modes_of(body, args.count as usize).map_err(|e| {
                let of =
                    if body == Body::Coupled { String::new() } else { format!(" of `{}`", structure.name_of(body)) };
                let message = format!("the modes{of} could not be computed: {e}");
                fail(args.json, Some(&args.model.display().to_string()), None, &message, "");
                Exit::Fault
            })?;
            Ok(Found { structure: &structure, body, modes })
        })
        .collect::<Result<_, Exit>>()?;
    match (&found[..], args.json) {
        ([one], true) => print_json(&one.document()),
        ([one], false) => print(&one.table()),
        (many, true) => {
            let document = |one: &Found| one.document();
            print_json(&json!({
                "title": structure.model.title,
                "coupled": many.first().map(document), "parts": many.iter().skip(1).map(document).collect::<Vec<_>>(),
            }));
        }
        (many, false) => print(&beside(many)),
    }
    Ok(())
}

/// Refuses a structure in one piece: what is wrong and what to write instead.
pub(super) fn divided(structure: &Structure) -> Result<(), (String, String)> {
    if structure.bodies().len() > 1 {
        return Ok(());
    }
    let message = "the model is in one piece: it has no parts".to_owned();
    Err((message, "divide it with [[substructure]] tables; see the chapter `Substructures and couplings`".to_owned()))
}

/// The substructure of this name.
pub(super) fn part(structure: &Structure, name: &str) -> Result<Body, (String, String)> {
    divided(structure)?;
    let parts = || structure.bodies().into_iter().filter(|b| *b != Body::Coupled);
    parts().find(|b| structure.name_of(*b) == name).ok_or_else(|| {
        let names: Vec<&str> = parts().map(|b| structure.name_of(b)).collect();
        let all = || format!("the substructures are {}", names.join(", "));
        let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(all);
        (format!("the model has no substructure `{name}`"), help)
    })
}

/// The modes of a body.
struct Found<'a> {
    structure: &'a Structure,
    body: Body,
    modes: Modes,
}

impl Found<'_> {
    fn omegas(&self) -> impl Iterator<Item = f64> {
        self.modes.omega2.iter().map(|w| w.max(0.0).sqrt())
    }

    fn document(&self) -> Value {
        let names: Vec<&str> = self.structure.unknowns_of(self.body).collect();
        let mode = |(i, (w, shape)): (usize, (f64, &Vec<f64>))| {
            let period = if w > 0.0 { json!(TAU / w) } else { Value::Null };
            let shape: Map<String, Value> = names.iter().zip(shape).map(|(n, x)| ((*n).to_owned(), json!(x))).collect();
            json!({
                "mode": i + 1, "omega": w, "omega2": self.modes.omega2[i], "frequency": w / TAU, "period": period,
                "shape": shape,
            })
        };
        let list: Vec<Value> = self.omegas().zip(&self.modes.shapes).enumerate().map(mode).collect();
        // Shapes have no size: their numbers are displacements in m and angles in rad, in some scale.
        let units = json!({ "omega": "rad/s", "omega2": "rad^2/s^2", "frequency": "Hz", "period": "s", "shape": "1" });
        let title = &self.structure.model.title;
        let mut document = json!({ "title": title, "unknowns": names.len(), "modes": list, UNITS: units });
        if let (Body::Part(_), Some(object)) = (self.body, document.as_object_mut()) {
            object.insert("part".to_owned(), json!(self.structure.name_of(self.body)));
        }
        document
    }

    /// What the period column says.
    fn period(&self, mode: usize, omega: f64) -> String {
        match self.modes.omega2[mode] {
            x if x > 0.0 => short(TAU / omega),
            x if x < 0.0 => "unstable".to_owned(),
            _ => "rigid".to_owned(),
        }
    }

    fn table(&self) -> String {
        let names: Vec<&str> = self.structure.unknowns_of(self.body).collect();
        let row = |(i, (w, shape)): (usize, (f64, &Vec<f64>))| {
            let most = shape.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |m| m.0);
            let name = names.get(most).copied().unwrap_or("").to_owned();
            vec![(i + 1).to_string(), short(w), short(w / TAU), self.period(i, w), name]
        };
        let rows: Vec<Vec<String>> = self.omegas().zip(&self.modes.shapes).enumerate().map(row).collect();
        let of = match self.body {
            Body::Coupled => String::new(),
            Body::Part(_) => format!(", part `{}`, its interface free", self.structure.name_of(self.body)),
        };
        let head = format!("{}{of}: {} unknowns\n\n", self.structure.model.title, names.len());
        head + &aligned(&["mode", "omega [rad/s]", "f [Hz]", "T [s]", "<moves most at"], &rows)
    }
}

/// Frequencies of several bodies, column by column.
fn beside(found: &[Found]) -> String {
    let structure = found[0].structure;
    let count = |f: &Found| format!("{} {}", structure.name_of(f.body), structure.unknowns_of(f.body).len());
    let counts: Vec<String> = found.iter().map(count).collect();
    let head = format!(
        "{}: frequencies in Hz, the interface of each part free\nunknowns: {}\n\n",
        structure.model.title,
        counts.join(", ")
    );
    let cell = |f: &Found, i: usize| match f.modes.omega2.get(i) {
        Some(x) if *x > 0.0 => short(x.sqrt() / TAU),
        Some(x) if *x < 0.0 => "unstable".to_owned(),
        Some(_) => "rigid".to_owned(),
        None => String::new(),
    };
    let most = found.iter().map(|f| f.modes.omega2.len()).max().unwrap_or(0);
    let row = |i: usize| std::iter::once((i + 1).to_string()).chain(found.iter().map(|f| cell(f, i))).collect();
    let rows: Vec<Vec<String>> = (0..most).map(row).collect();
    let header: Vec<&str> = std::iter::once("mode").chain(found.iter().map(|f| structure.name_of(f.body))).collect();
    head + &aligned(&header, &rows)
}
