//! `interfield frf`: frequency response functions of a structure and of its parts, at the interface or elsewhere.

use std::f64::consts::TAU;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use interfield_language::diag::did_you_mean;
use interfield_language::model::Model;
use interfield_language::quantity::Scope;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_report::{Axis, Curve as Line, Figure, Order, Panel, Style};
use interfield_structure::Structure;
use interfield_structure::harmonic::{Body, Complex, Resonance, frequencies};
use serde_json::{Value, json};

use super::modes;
use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::{Loaded, ModelArgs, pair};
use crate::natural::{Natural, mark};
use crate::output::{fail, print, print_json};
use crate::stored::check_output;
use interfield::files::write;
use interfield::quantities::{UNITS, number};
use interfield::table::{aligned, short};

/// Frequency response functions of a structure and of each of its parts: receptance, mobility or accelerance
///
/// The response of a degree of freedom to a harmonic force, of the coupled structure and of each substructure by itself
/// with its interface free, about the initial state and with all damping. Without --at: at every degree of freedom of
/// the interface. The table has a row for each natural frequency; the files have all frequencies.
#[derive(ClapArgs)]
#[command(visible_alias = "receptance")]
#[command(after_help = "Examples:\n  interfield frf models/three-dof.toml\n  \
interfield frf models/rio-torto-isolated.toml --at deck9.y --to \"200 Hz\" --plot frf.svg\n  \
interfield frf models/frame.toml --at n10_0.x --force n5_0.x --quantity accelerance -o frf.csv\n  \
interfield frf models/three-dof.toml --part B --at joint.y --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    /// Degree of freedom that moves, e.g. deck9.y; give it several times [default: all of the interface]
    #[arg(long, value_name = "DOF")]
    at: Vec<String>,
    /// Degree of freedom at which the force acts [default: the one that moves]
    #[arg(long, value_name = "DOF")]
    force: Option<String>,
    /// Only this substructure, by itself; give it several times [default: all, and the coupled structure]
    #[arg(long, value_name = "NAME")]
    part: Vec<String>,
    /// Displacement, velocity or acceleration per force
    #[arg(long, value_enum, default_value = "receptance")]
    quantity: Quantity,
    /// Lowest frequency, e.g. "0.1 Hz" [default: half the lowest natural frequency]
    #[arg(long, value_name = "FREQUENCY", value_parser = hertz)]
    from: Option<f64>,
    /// Highest frequency, e.g. "200 Hz" [default: twice the highest natural frequency of the table]
    #[arg(long, value_name = "FREQUENCY", value_parser = hertz)]
    to: Option<f64>,
    /// Frequencies on an even logarithmic grid; more are added around natural frequencies
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    points: u32,
    /// Natural frequencies in the table, of the structure and of each part
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Replace a parameter of the model, e.g. --set k=4000 or --set "E=25 GPa"
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Write all frequencies, magnitudes and phases into this file, FILE.csv
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the magnitudes into this file, FILE.svg or FILE.png, with the natural frequencies marked
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print all frequencies, magnitudes and phases as JSON
    #[arg(long)]
    json: bool,
}

/// What is measured of the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Quantity {
    /// Displacement per force
    Receptance,
    /// Velocity per force
    Mobility,
    /// Acceleration per force
    Accelerance,
}

impl Quantity {
    fn name(self) -> &'static str {
        ["receptance", "mobility", "accelerance"][self as usize]
    }

    /// Times the displacement differentiated.
    fn order(self) -> i32 {
        self as i32
    }
}

/// A frequency in Hz; a plain number is one.
fn hertz(text: &str) -> Result<f64, String> {
    let plain = text.trim().parse::<f64>().ok();
    let read = || {
        let found = Scope::new(UnitSystem::si()).quantity(text, Dimension::FREQUENCY);
        found.map_err(|errors| errors.into_iter().next().map_or_else(String::new, |e| e.message))
    };
    let found = plain.map_or_else(read, Ok)?;
    if found.is_finite() && found > 0.0 { Ok(found) } else { Err("a frequency must be greater than zero".to_owned()) }
}

/// Modes of each body around which the grid is finer, at least.
const REFINED: usize = 60;

/// What is wrong, and what to write instead.
type Refusal = (String, String);

pub(crate) fn run(args: &Args) -> Exit {
    match tell(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn tell(args: &Args) -> Result<(), Exit> {
    let loaded = Loaded::open(&args.model, args.json)?;
    let structure = loaded.structure(&ModelArgs { set: args.set.clone(), ..ModelArgs::default() })?;
    let file = args.model.display().to_string();
    let refused = |(message, help): Refusal| {
        fail(args.json, Some(&file), None, &message, &help);
        Exit::BadInput
    };
    args.output.iter().try_for_each(|path| check_output(path, &["csv"], &[&args.model], args.json))?;
    args.plot.iter().try_for_each(|path| check_output(path, &["svg", "png"], &[&args.model], args.json))?;
    let study = Study::new(args, &structure).map_err(refused)?;
    let curves = study.curves(args.quantity).map_err(refused)?;
    let unwritten = |path: &PathBuf, message: String| {
        fail(args.json, Some(&path.display().to_string()), None, &message, "give another file");
        Exit::Failure
    };
    if let Some(path) = &args.output {
        write(path, study.csv(&curves)).map_err(|e| unwritten(path, e))?;
    }
    if let Some(path) = &args.plot {
        draw(path, &study.figure(args.quantity, &curves), DPI).map_err(|e| unwritten(path, e))?;
    }
    if args.json {
        print_json(&study.document(args.quantity, &curves));
    } else {
        print(&study.tables(args.quantity, &curves));
    }
    Ok(())
}

/// What is asked for, resolved against the model.
struct Study<'a> {
    structure: &'a Structure,
    bodies: Vec<Body>,
    /// Pairs of degrees of freedom: which moves, and where the force acts.
    pairs: Vec<[usize; 2]>,
    /// Natural frequencies that have a row in the table: body, number from 1, circular frequency.
    resonances: Vec<(Body, usize, Resonance)>,
    /// Circular frequencies, rad/s.
    omegas: Vec<f64>,
}

/// A frequency response function.
struct Curve {
    body: Body,
    pair: [usize; 2],
    unit: String,
    /// In that unit; not finite where the response is unbounded.
    values: Vec<Complex>,
}

impl Curve {
    fn magnitudes(&self) -> impl Iterator<Item = f64> {
        self.values.iter().map(|z| z.0.hypot(z.1))
    }

    /// Phases behind the force, degrees.
    fn phases(&self) -> impl Iterator<Item = f64> {
        self.values.iter().map(|z| z.1.atan2(z.0).to_degrees())
    }
}

impl<'a> Study<'a> {
    fn new(args: &Args, structure: &'a Structure) -> Result<Self, Refusal> {
        let bodies = match args.part.is_empty() {
            true => structure.bodies(),
            false => args.part.iter().map(|name| modes::part(structure, name)).collect::<Result<_, _>>()?,
        };
        let model = &structure.model;
        let at = args.at.iter().map(|name| dof(model, name)).collect::<Result<Vec<usize>, _>>()?;
        let at = if at.is_empty() { structure.interface_dofs() } else { at };
        if at.is_empty() {
            let example = structure.unknowns().next().unwrap_or("roof.x");
            let message = "the model is in one piece: it has no interface".to_owned();
            return Err((message, format!("choose a degree of freedom with --at, for example --at {example}")));
        }
        let force = args.force.as_ref().map(|name| dof(model, name)).transpose()?;
        let pairs = at.into_iter().map(|d| [d, force.unwrap_or(d)]).collect();
        let (mut resonances, mut peaks) = (Vec::new(), Vec::new());
        for &body in &bodies {
            let found = structure.resonances(body, (args.count as usize).max(REFINED)).map_err(|e| {
                let message = format!("the modes of `{}` could not be computed: {e}", structure.name_of(body));
                (message, "check its masses and stiffnesses with `interfield check`".to_owned())
            })?;
            peaks.extend(found.iter().copied());
            let listed = found.into_iter().take(args.count as usize);
            resonances.extend(listed.enumerate().map(|(i, r)| (body, i + 1, r)));
        }
        resonances.sort_by(|a, b| a.2.omega.total_cmp(&b.2.omega));
        let (from, to) = range(args, &resonances)?;
        resonances.retain(|r| (from..=to).contains(&r.2.omega));
        let mut omegas = frequencies(from, to, args.points as usize, &peaks);
        // Rows of the table.
        omegas.extend(resonances.iter().map(|r| r.2.omega));
        omegas.sort_by(f64::total_cmp);
        omegas.dedup();
        Ok(Study { structure, bodies, pairs, resonances, omegas })
    }

    /// All functions; refused where none of the bodies has the degrees of freedom.
    fn curves(&self, quantity: Quantity) -> Result<Vec<Curve>, Refusal> {
        let model = &self.structure.model;
        let mut curves = Vec::new();
        for &pair in &self.pairs {
            let before = curves.len();
            for &body in &self.bodies {
                let mut harmonic = self.structure.harmonic(body);
                let (Some(at), Some(force)) = (harmonic.unknown(pair[0]), harmonic.unknown(pair[1])) else { continue };
                let (factor, unit) = unit(model, pair, quantity);
                let value = |&omega: &f64| {
                    let Ok(motion) = harmonic.response(omega, force) else { return (f64::NAN, f64::NAN) };
                    times(motion[at], omega, quantity.order(), 1.0 / factor)
                };
                let values = self.omegas.iter().map(value).collect();
                curves.push(Curve { body, pair, unit, values });
            }
            if curves.len() == before {
                let [at, force] = pair.map(|d| model.dofs[d].name.as_str());
                let which = if at == force { format!("`{at}`") } else { format!("`{at}` and `{force}`") };
                let message = format!("{which}: no part that is asked for can move there");
                return Err((message, "choose a free degree of freedom of the structure or of the part".to_owned()));
            }
        }
        Ok(curves)
    }

    fn name(&self, dof: usize) -> &str {
        &self.structure.model.dofs[dof].name
    }

    /// `deck9.y under a force at deck11.y`.
    fn words(&self, [at, force]: [usize; 2]) -> String {
        let what = if self.structure.model.dofs[force].angle { "moment" } else { "force" };
        format!("{} under a {what} at {}", self.name(at), self.name(force))
    }

    /// A table for each pair: magnitudes at the natural frequencies.
    fn tables(&self, quantity: Quantity, curves: &[Curve]) -> String {
        let mut out = format!("{}: {}\n", self.structure.model.title, quantity.name());
        for &pair in &self.pairs {
            let own: Vec<&Curve> = curves.iter().filter(|c| c.pair == pair).collect();
            let unit = own.first().map_or("", |c| &c.unit);
            out += &format!("\n{}, magnitude in {unit}\n\n", self.words(pair));
            let row = |(body, number, r): &(Body, usize, Resonance)| {
                let here = self.omegas.iter().position(|w| *w == r.omega).unwrap_or(0);
                let cell = |c: &&Curve| match c.magnitudes().nth(here) {
                    // Its own frequency without damping is a peak without an end.
                    Some(x) if x.is_finite() && !(c.body == *body && r.ratio.abs() < 1e-9) => format!("{x:.3e}"),
                    _ => "unbounded".to_owned(),
                };
                let mode = format!("{} {number}", self.structure.name_of(*body));
                [short(r.omega / TAU), mode].into_iter().chain(own.iter().map(cell)).collect()
            };
            let rows: Vec<Vec<String>> = self.resonances.iter().map(row).collect();
            let names = own.iter().map(|c| self.structure.name_of(c.body));
            let header: Vec<&str> = ["f [Hz]", "<mode of"].into_iter().chain(names).collect();
            out += &aligned(&header, &rows);
        }
        out
    }

    fn document(&self, quantity: Quantity, curves: &[Curve]) -> Value {
        let curve = |c: &Curve| {
            json!({
                "of": self.structure.name_of(c.body), "at": self.name(c.pair[0]), "force": self.name(c.pair[1]),
                "magnitude": c.magnitudes().map(number).collect::<Vec<_>>(),
                "phase": c.phases().map(number).collect::<Vec<_>>(),
                UNITS: { "magnitude": c.unit, "phase": "deg" },
            })
        };
        let resonance = |(body, number, r): &(Body, usize, Resonance)| {
            json!({
                "of": self.structure.name_of(*body), "mode": number, "frequency": r.omega / TAU,
                "damping_ratio": r.ratio, UNITS: { "frequency": "Hz", "damping_ratio": "1" },
            })
        };
        json!({
            "title": self.structure.model.title, "quantity": quantity.name(),
            "natural_frequencies": self.resonances.iter().map(resonance).collect::<Vec<_>>(),
            "frequency": self.omegas.iter().map(|w| w / TAU).collect::<Vec<_>>(),
            "curves": curves.iter().map(curve).collect::<Vec<_>>(),
            UNITS: { "frequency": "Hz" },
        })
    }

    fn csv(&self, curves: &[Curve]) -> String {
        let head = |c: &Curve| {
            let name = format!("{} {}", self.structure.name_of(c.body), self.words(c.pair)).replace('"', "'");
            format!(",\"{name} [{}]\",\"{name}, phase [deg]\"", c.unit)
        };
        let mut out = format!("frequency [Hz]{}\n", curves.iter().map(head).collect::<String>());
        for (i, omega) in self.omegas.iter().enumerate() {
            let cells = curves.iter().map(|c| {
                let (x, y) = c.values[i];
                format!(",{:e},{}", x.hypot(y), y.atan2(x).to_degrees())
            });
            out += &format!("{}{}\n", omega / TAU, cells.collect::<String>());
        }
        out
    }

    /// The natural frequencies of the table by body, Hz.
    fn natural(&self) -> Vec<Natural> {
        let of = |body: &Body| {
            let own = self.resonances.iter().filter(|r| r.0 == *body);
            Natural { of: self.structure.name_of(*body).to_owned(), hertz: own.map(|r| r.2.omega / TAU).collect() }
        };
        self.bodies.iter().map(of).collect()
    }

    /// A panel for each pair.
    fn figure(&self, quantity: Quantity, curves: &[Curve]) -> Figure {
        let panel = |&pair: &[usize; 2]| {
            let own = curves.iter().filter(|c| c.pair == pair);
            let line = |c: &Curve| {
                let points = self.omegas.iter().map(|w| w / TAU).zip(c.magnitudes()).filter(|p| p.1.is_finite());
                let style = if c.body == Body::Coupled { Style::Dashed } else { Style::Line };
                Line::line(self.structure.name_of(c.body), points.collect()).style(style)
            };
            let unit = own.clone().next().map_or("", |c| &c.unit);
            let mut panel = Panel {
                title: self.words(pair),
                x: Axis::new("frequency", "Hz").log(),
                y: Axis::new(quantity.name(), unit).log(),
                order: Order::Sorted,
                curves: own.map(line).collect(),
                ..Panel::default()
            };
            mark(&mut panel, &self.natural());
            panel
        };
        Figure::new(self.pairs.iter().map(panel).collect())
    }
}

/// The degree of freedom of this name.
fn dof(model: &Model, name: &str) -> Result<usize, Refusal> {
    model.dofs.iter().position(|d| d.name == name).ok_or_else(|| {
        let names = || model.dofs.iter().map(|d| d.name.as_str());
        let some = || format!("degrees of freedom are {}, ...", names().take(8).collect::<Vec<_>>().join(", "));
        (format!("the model has no degree of freedom `{name}`"), did_you_mean(name, names()).unwrap_or_else(some))
    })
}

/// First and last circular frequency.
fn range(args: &Args, resonances: &[(Body, usize, Resonance)]) -> Result<(f64, f64), Refusal> {
    let lowest = resonances.first().map(|r| 0.5 * r.2.omega);
    let highest = resonances.last().map(|r| 2.0 * r.2.omega);
    let (Some(from), Some(to)) = (args.from.map(|f| TAU * f).or(lowest), args.to.map(|f| TAU * f).or(highest)) else {
        let message = "the structure has no natural frequency".to_owned();
        return Err((message, "give the range of frequencies: --from \"0.1 Hz\" --to \"50 Hz\"".to_owned()));
    };
    if from < to {
        return Ok((from, to));
    }
    let message = format!("--from {} Hz is not below --to {} Hz", short(from / TAU), short(to / TAU));
    Err((message, "write for example --from \"0.1 Hz\" --to \"50 Hz\"".to_owned()))
}

/// The unit of a response per force: its size in SI, and its name.
fn unit(model: &Model, [at, force]: [usize; 2], quantity: Quantity) -> (f64, String) {
    let per_time = Dimension::RATE.power(f64::from(quantity.order()));
    let units = &model.units;
    let (motion, label) = match model.dofs[at].angle {
        true => (per_time, units.angle_label(per_time)),
        false => (Dimension::LENGTH.times(per_time), units.label(Dimension::LENGTH.times(per_time))),
    };
    let load = if model.dofs[force].angle { Dimension::MOMENT } else { Dimension::FORCE };
    let per = units.label(load);
    let per = if per.contains(['*', '/']) { format!("({per})") } else { per };
    (units.factor(motion) / units.factor(load), format!("{label}/{per}"))
}

/// (iω)^n z, times a factor.
fn times(z: Complex, omega: f64, n: i32, factor: f64) -> Complex {
    let size = omega.powi(n) * factor;
    match n {
        0 => (z.0 * size, z.1 * size),
        1 => (-z.1 * size, z.0 * size),
        _ => (-z.0 * size, -z.1 * size),
    }
}
