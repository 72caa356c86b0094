//! `interfield stability-map`: where a coupling is stable on the split mass, over step, ratio and substeps.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use interfield_coupling::registry::find;
use interfield_report::{Axis, Figure, Map as Colours, Panel, Ramp};
use serde_json::{Value, json};

use crate::Exit;
use crate::drawing::{self, DPI};
use crate::load::{self, pair};
use crate::output::{fail, print, print_json, progress};
use crate::stored::check_output;
use interfield::quantities::{ONE, UNITS};
use interfield::studies::{self, SplitMassMap};
use interfield::table::{aligned, radius, short};

/// Most cells of a map.
const MOST_CELLS: usize = 1_000_000;
/// Width and height of a panel, and what is beside them all, pixels.
const PANEL: f64 = 270.0;
const BESIDE: f64 = 120.0;

/// log10 of the smallest excess of a radius over one that is told from none.
const LEAST: f64 = -6.0;

/// Quantity on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ratio {
    /// m_A / m_B = k_B / k_A; at 1, both sides have the frequency of the whole
    B1,
    /// m_A / m_B, with equal stiffnesses
    Mass,
    /// k_B / k_A, with equal masses
    Stiffness,
}

impl Ratio {
    fn study(self) -> studies::Ratio {
        match self {
            Ratio::B1 => studies::Ratio::B1,
            Ratio::Mass => studies::Ratio::Mass,
            Ratio::Stiffness => studies::Ratio::Stiffness,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Ratio::B1 => "b1 = mA/mB = kB/kA",
            Ratio::Mass => "mA/mB (kA = kB)",
            Ratio::Stiffness => "kB/kA (mA = mB)",
        }
    }
}

/// Plot where a coupling is stable: step, ratio of the two sides and substeps, for one mass divided between two sides
///
/// The mass m = 1 kg on k = 1 N/m is shared by a coarse side A and a fine side B; Omega = omega dt with omega = 1 rad/s and dt
/// the step of the analysis (the publications of Jia et al. on plsrt2 take Omega = 4 omega dt). Every cell shows the
/// spectral radius of one step. For your own model, use `interfield check --stability`.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield stability-map --coupling pmc\n  \
interfield stability-map --coupling plsrt2 --param gamma=plus --substeps 1,2,10 -o plsrt2.png\n  \
interfield stability-map --coupling staggered --omega 1..100 --ratio mass --ratios 0.1..10 --json")]
pub(crate) struct Args {
    /// Coupling, see `interfield couplings`
    #[arg(long, default_value = "pmc")]
    coupling: String,
    /// Scheme of both sides [default: the default scheme of the coupling]
    #[arg(long)]
    scheme: Option<String>,
    /// Parameter of the scheme, e.g. --param gamma=plus
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    param: Vec<(String, String)>,
    /// Quantity on the vertical axis
    #[arg(long, value_enum, default_value = "b1")]
    ratio: Ratio,
    /// Range of Omega = omega dt
    #[arg(long, value_name = "FROM..TO", default_value = "0.01..1000", value_parser = range)]
    omega: RangeInclusive<f64>,
    /// Range of the ratio
    #[arg(long, value_name = "FROM..TO", default_value = "0.01..100", value_parser = range)]
    ratios: RangeInclusive<f64>,
    /// Substeps of the fine side, one panel for each
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_values_t = [1, 2, 10],
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    substeps: Vec<u32>,
    /// Cells along each axis
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..=500))]
    points: u32,
    /// Picture, FILE.svg or FILE.png [default: interfield-out/stability-COUPLING.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print all values as JSON
    #[arg(long)]
    json: bool,
}

/// `from..to`, both greater than zero.
fn range(text: &str) -> Result<RangeInclusive<f64>, String> {
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| *x > 0.0 && x.is_finite());
    let ends = text.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?)));
    match ends {
        Some((a, b)) if a <= b => Ok(a..=b),
        _ => Err("write two numbers greater than zero, the smaller one first: 0.01..100".to_owned()),
    }
}

/// So many values in equal ratios; one for an empty range.
fn spaced(range: &RangeInclusive<f64>, points: u32) -> Vec<f64> {
    let (a, b) = (*range.start(), *range.end());
    if a == b {
        return vec![a];
    }
    let last = points - 1;
    (0..points).map(|i| if i == last { b } else { a * (b / a).powf(f64::from(i) / f64::from(last)) }).collect()
}

pub(crate) fn run(args: &Args) -> Exit {
    match draw(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn draw(args: &Args) -> Result<(), Exit> {
    let refuse = |message: &str, help: &str| {
        fail(args.json, None, None, message, help);
        Exit::BadInput
    };
    let (omegas, ratios) = (spaced(&args.omega, args.points), spaced(&args.ratios, args.points));
    let study = SplitMassMap {
        coupling: args.coupling.clone(),
        scheme: args.scheme.clone(),
        param: args.param.clone(),
        ratio: args.ratio.study(),
        omegas: omegas.clone(),
        ratios: ratios.clone(),
        substeps: args.substeps.clone(),
    };
    let info = study.info().map_err(|refused| load::refuse(args.json, &refused))?;
    let output = args.output.clone();
    let output = output.unwrap_or_else(|| PathBuf::from("interfield-out").join(format!("stability-{}.svg", info.name)));
    check_output(&output, &["svg", "png"], &[], args.json)?;
    let total = study.cells();
    if total > MOST_CELLS {
        return Err(refuse(&format!("{total} cells are too many"), "give fewer --points or --substeps"));
    }
    let bar = progress(total as u64, "cells", !args.json);
    let found = study.examine(|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let (found, scheme) = found.map_err(|refused| load::refuse(args.json, &refused))?;
    let map = Map { args, scheme, omegas, ratios, found };
    let name = output.display().to_string();
    drawing::draw(&output, &map.figure(), DPI).map_err(|message| {
        fail(args.json, Some(&name), None, &message, "give another file with --output");
        Exit::Failure
    })?;
    if args.json {
        print_json(&map.json(&name))
    } else {
        print(&map.text(&name))
    }
    Ok(())
}

/// The number that stands for a cell: how far its radius is below one, or from 1 to 2 how many decades it is above.
fn shade((radius, stable): &(f64, bool)) -> f64 {
    let decades = ((radius - 1.0).max(1e-9).log10() / LEAST).clamp(0.0, 1.0);
    if *stable { (radius - 1.0).clamp(-1.0, 0.0) } else { 2.0 - decades }
}

/// Growing motions from orange to nearly black, decaying ones from white to blue.
fn ramps() -> Vec<Ramp> {
    let ramp = |title: &str, stops: &[(f64, [u8; 3])], marks: [(f64, &str); 3]| Ramp {
        title: title.to_owned(),
        stops: stops.to_vec(),
        marks: marks.map(|(at, text)| (at, text.to_owned())).to_vec(),
    };
    let growing = [(1.0, [253, 200, 110]), (1.5, [213, 94, 0]), (2.0, [70, 0, 0])];
    let calm = [(-1.0, [86, 180, 233]), (0.0, [235, 244, 251])];
    vec![
        ramp("unstable, radius", &growing, [(2.0, "2 or more"), (1.5, "1.001"), (1.0, "1 + 1e-6")]),
        ramp("stable, radius", &calm, [(0.0, "1"), (-0.5, "0.5"), (-1.0, "0")]),
    ]
}

/// A map with its values: by substeps, then by ratio, then by Ω.
struct Map<'a> {
    args: &'a Args,
    scheme: String,
    omegas: Vec<f64>,
    ratios: Vec<f64>,
    found: Vec<(f64, bool)>,
}

/// The worst cell of a panel.
struct Worst {
    radius: f64,
    omega: f64,
    ratio: f64,
}

impl Map<'_> {
    fn panels(&self) -> impl Iterator<Item = (u32, &[(f64, bool)])> {
        self.args.substeps.iter().copied().zip(self.found.chunks(self.omegas.len() * self.ratios.len()))
    }

    fn worst(&self, cells: &[(f64, bool)]) -> Option<Worst> {
        let unstable = cells.iter().enumerate().filter(|(_, c)| !c.1);
        let (i, cell) = unstable.max_by(|x, y| x.1.0.total_cmp(&y.1.0))?;
        let (omega, ratio) = (self.omegas[i % self.omegas.len()], self.ratios[i / self.omegas.len()]);
        Some(Worst { radius: cell.0, omega, ratio })
    }

    fn title(&self) -> String {
        let parameters: String = self.args.param.iter().map(|(n, v)| format!(", {n} = {v}")).collect();
        format!("{} with {}{parameters}", self.args.coupling, self.scheme)
    }

    fn figure(&self) -> Figure {
        let panel = |(substeps, cells): (u32, &[(f64, bool)])| {
            let below = match self.worst(cells) {
                Some(w) => {
                    let share = 100.0 * cells.iter().filter(|c| !c.1).count() as f64 / cells.len() as f64;
                    format!("unstable: {share:.1} %, radius up to {}", radius(w.radius))
                }
                None => "stable everywhere".to_owned(),
            };
            let (x, y) = (self.omegas.clone(), self.ratios.clone());
            Panel {
                title: format!("ss = {substeps}\n{below}"),
                x: Axis::new("Ω = ω Δt", "").log(),
                y: Axis::new(self.args.ratio.label(), "").log(),
                map: Some(Colours { x, y, values: cells.iter().map(shade).collect(), ramps: ramps() }),
                ..Panel::default()
            }
        };
        // What else is to be known of Ω, in parentheses.
        let omega = find(&self.args.coupling).map_or("", |info| info.omega);
        let remark = omega.find(" (").map_or("", |at| &omega[at..]);
        let panels: Vec<Panel> = self.panels().map(panel).collect();
        let columns = panels.len();
        let width = columns as f64 * PANEL + BESIDE;
        Figure { title: self.title() + remark, columns, width, slenderness: 1.0, ..Figure::new(panels) }
    }

    fn text(&self, name: &str) -> String {
        let row = |(substeps, cells): (u32, &[(f64, bool)])| {
            let unstable = cells.iter().filter(|c| !c.1).count();
            let mut row = vec![substeps.to_string(), cells.len().to_string(), unstable.to_string()];
            row.extend(match self.worst(cells) {
                Some(w) => [radius(w.radius), short(w.omega), short(w.ratio)],
                None => [const { String::new() }; 3],
            });
            row
        };
        let rows: Vec<Vec<String>> = self.panels().map(row).collect();
        let header = ["substeps", "cells", "unstable", "largest radius", "at Omega", self.args.ratio.label()];
        format!("{}, drawn in {name}\n{}", self.title(), aligned(&header, &rows))
    }

    fn json(&self, name: &str) -> Value {
        let panel = |(substeps, cells): (u32, &[(f64, bool)])| {
            let rows = |value: fn(&(f64, bool)) -> Value| -> Vec<Value> {
                cells.chunks(self.omegas.len()).map(|row| row.iter().map(value).collect()).collect()
            };
            json!({
                "substeps": substeps, "unstable": cells.iter().filter(|c| !c.1).count(),
                "worst": self.worst(cells).map(|w| json!({ "radius": w.radius, "omega": w.omega, "ratio": w.ratio })),
                "radius": rows(|c| json!(c.0)), "stable": rows(|c| json!(c.1)),
            })
        };
        json!({
            "coupling": self.args.coupling, "scheme": self.scheme, "picture": name,
            "ratio": self.args.ratio.label(), "omega_is": "omega dt, dt the step of the analysis",
            "omega": self.omegas, "ratios": self.ratios, "maps": self.panels().map(panel).collect::<Vec<_>>(),
            UNITS: { "omega": "rad", "ratio": ONE, "ratios": ONE, "radius": ONE },
        })
    }
}
