//! `interfield plot`: channels of result files as a figure.

mod panels;
mod wanted;

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use interfield_language::quantity::Scope;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_report::{Figure, Order, PIXELS_PER_INCH};
use interfield_results::Reader;
use serde_json::{Value, json};

use crate::Exit;
use crate::drawing::draw as draw_into;
use crate::natural::Natural;
use crate::output::{fail, print, print_json};
use crate::stored::{self, Window};
use interfield::quantities::UNITS;
use panels::{Drawn, panel};
use wanted::{Wanted, wanted};

/// Height of a plot over its width: alone, and as one of several histories.
const SLENDERNESS: f64 = 0.6;
const SLENDER: f64 = 0.36;

/// Draw channels of result files, over time or over another channel, as SVG or PNG
///
/// Channels of one unit share a panel, others get panels of their own. Several result files are laid over each other. Without
/// --channel the channels are chosen: the load, the largest displacements, and the hysteresis loop with the largest
/// area. Labels stay legible at the given width: 8 points in a journal column. No peak is lost, however long the run
/// is.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield plot interfield-out/frame.h5\n  \
interfield plot interfield-out/frame.h5 --channel n10_0.x -o roof.svg\n  \
interfield plot a.h5 b.h5 --channel roof.x --from \"2 s\" --to \"8 s\" -o both.png --width 120mm --dpi 600\n  \
interfield plot a.h5 --panel \"roof.x, floor.x\" --panel \"columns.force over columns.deformation\"\n  \
interfield plot interfield-out/isolated-building.h5 --channel isolators.force \\\n    \
--versus isolators.deformation -o loop.svg --width single\n  \
interfield plot pm.h5 --minus reference.h5 --channel deck9.y --spectrum fourier --mark-modes")]
pub(crate) struct Args {
    /// Result files (.h5); several are laid over each other
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// Channel to draw; give it several times. * stands for any letters, as in "storey*.force"
    #[arg(short, long = "channel", value_name = "NAME")]
    channels: Vec<String>,
    /// Channel on the horizontal axis, instead of time
    #[arg(long, value_name = "NAME", requires = "channels")]
    versus: Option<String>,
    /// Channels that share a panel: "roof.x, floor.x", or a loop: "columns.force over columns.deformation"; give it several times
    #[arg(long = "panel", value_name = "CHANNELS", conflicts_with = "channels")]
    panels: Vec<String>,
    /// Start of the time that is drawn, e.g. "2 s"
    #[arg(long, value_name = "TIME", value_parser = seconds, allow_hyphen_values = true)]
    from: Option<f64>,
    /// End of the time that is drawn, e.g. "8 s"
    #[arg(long, value_name = "TIME", value_parser = seconds, allow_hyphen_values = true)]
    to: Option<f64>,
    /// Draw spectra of the channels instead: Fourier amplitudes, or response spectra of accelerations with 5 % damping
    #[arg(long, value_enum, conflicts_with = "versus")]
    spectrum: Option<Spectrum>,
    /// Mark the natural frequencies of the model in a spectrum: of the structure coupled, and of each substructure by itself with
    /// its interface free. The N lowest of each: --mark-modes=4
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "6", requires = "spectrum",
        value_parser = clap::value_parser!(u32).range(1..))]
    mark_modes: Option<u32>,
    /// Let the channels rise from zero and fall to zero (Hann) before their Fourier amplitudes are computed: for histories that do not
    /// start and end at rest. A steady oscillation keeps its amplitude
    #[arg(long, requires = "spectrum")]
    taper: bool,
    /// Draw the difference from this result file instead, for example the error against a reference
    #[arg(long, value_name = "RESULT", conflicts_with = "versus")]
    minus: Option<PathBuf>,
    /// Name of a result file in the legend, in the order of the files [default: the file names]
    #[arg(long = "label", value_name = "TEXT")]
    labels: Vec<String>,
    /// Panels side by side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=6))]
    columns: u8,
    /// File to write, FILE.svg or FILE.png [default: RESULT-plot.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Width: single (column, 90 mm), double (190 mm), or a length such as 120mm, 12cm, 3.5in, 640px
    #[arg(long, default_value = "640px", value_parser = width)]
    width: f64,
    /// Dots per inch of a PNG
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(36..=2400))]
    dpi: u32,
    /// Print what was drawn, or the errors, as JSON
    #[arg(long)]
    json: bool,
}

/// Which spectra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Spectrum {
    /// Fourier amplitudes over the frequency
    Fourier,
    /// Pseudo-acceleration of oscillators with 5 % damping over their period
    Response,
}

/// A time in s; a plain number is one.
fn seconds(text: &str) -> Result<f64, String> {
    let found = Scope::new(UnitSystem::si()).quantity(text, Dimension::TIME);
    found.map_err(|errors| errors.into_iter().next().map_or_else(String::new, |e| e.message))
}

/// A width in pixels of 1/96 inch.
fn width(text: &str) -> Result<f64, String> {
    const NAMED: [(&str, f64); 2] = [("single", 90.0), ("double", 190.0)];
    const UNITS: [(&str, f64); 4] =
        [("mm", 1.0 / 25.4), ("cm", 1.0 / 2.54), ("in", 1.0), ("px", 1.0 / PIXELS_PER_INCH)];
    let named = NAMED.iter().find(|n| n.0 == text).map(|n| n.1 / 25.4);
    let length = || {
        let (unit, inches) = UNITS.iter().find(|u| text.ends_with(u.0))?;
        Some(text.strip_suffix(unit)?.trim().parse::<f64>().ok()? * inches)
    };
    let pixels = named.or_else(length).ok_or("write single, double, or a length such as 120mm")? * PIXELS_PER_INCH;
    if (150.0..=4000.0).contains(&pixels) {
        Ok(pixels)
    } else {
        Err("the width of a figure must be between 40 mm and 1 m".to_owned())
    }
}

/// A result file and what it is called in the legend.
struct Source {
    reader: Reader,
    label: String,
}

/// Why nothing is drawn.
enum Refusal {
    /// What is wrong and what to write instead.
    Words(String, String),
    /// It was said already.
    Said(Exit),
}

impl Refusal {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Refusal::Words(message.into(), help.into())
    }
}

pub(crate) fn run(args: &Args) -> Exit {
    match draw(args) {
        Ok(()) => Exit::Done,
        Err(Refusal::Said(exit)) => exit,
        Err(Refusal::Words(message, help)) => {
            fail(args.json, None, None, &message, &help);
            Exit::BadInput
        }
    }
}

fn draw(args: &Args) -> Result<(), Refusal> {
    let json = args.json;
    let sources = sources(args)?;
    let output = args.output.clone().unwrap_or_else(|| beside(&args.results[0]));
    let inputs: Vec<&std::path::Path> = args.results.iter().map(PathBuf::as_path).collect();
    stored::check_output(&output, &["svg", "png"], &inputs, json).map_err(Refusal::Said)?;
    let window = window(args, &sources)?;
    let wanted = wanted(args, &sources, window)?;
    let minus = minus(args, &wanted)?;
    let natural = args.mark_modes.map_or(Ok(Vec::new()), |count| natural(&sources, count as usize))?;
    let how =
        How { window, spectrum: args.spectrum, taper: args.taper, minus: minus.as_ref(), natural: &natural, json };
    let drawn: Vec<Drawn> = wanted.iter().map(|w| panel(w, &sources, &how)).collect::<Result<_, _>>()?;
    let alone = drawn.len() == 1 || drawn.iter().any(|d| d.panel.order == Order::Free);
    let slenderness = if alone || args.columns > 1 { SLENDERNESS } else { SLENDER };
    let panels = drawn.iter().map(|d| d.panel.clone()).collect();
    let columns = usize::from(args.columns);
    let figure = Figure { width: args.width.round(), slenderness, columns, ..Figure::new(panels) };
    let name = output.display().to_string();
    draw_into(&output, &figure, f64::from(args.dpi)).map_err(|message| {
        fail(json, Some(&name), None, &message, "give another file with --output");
        Refusal::Said(Exit::Failure)
    })?;
    if json {
        print_json(&described(args, &name, &drawn));
    } else {
        let words: Vec<String> = wanted.iter().map(Wanted::words).collect();
        print(&format!("{name}: {}\n", words.join("; ")));
        drawn.iter().filter(|_| !natural.is_empty()).for_each(|d| print(&d.at_natural()));
    }
    Ok(())
}

/// How all panels are drawn.
struct How<'a> {
    window: Window,
    spectrum: Option<Spectrum>,
    /// Whether histories are tapered before their Fourier amplitudes are computed.
    taper: bool,
    /// What is taken away from every channel.
    minus: Option<&'a Reader>,
    /// Frequencies that are marked.
    natural: &'a [Natural],
    json: bool,
}

/// The result that is taken away; refused where a channel is drawn over another one.
fn minus(args: &Args, wanted: &[Wanted]) -> Result<Option<Reader>, Refusal> {
    let Some(path) = &args.minus else { return Ok(None) };
    if let Some(w) = wanted.iter().find(|w| w.over.is_some()) {
        let message = format!("--minus draws differences over time, but `{}` is a loop", w.words());
        return Err(Refusal::new(message, "choose channels with --channel"));
    }
    let reader = stored::open(path, args.json).map_err(Refusal::Said)?;
    wanted.iter().flat_map(|w| &w.channels).try_for_each(|name| wanted::has(&reader, name))?;
    Ok(Some(reader))
}

/// The natural frequencies of the models inside the results; of several that differ, with the names of the results.
fn natural(sources: &[Source], count: usize) -> Result<Vec<Natural>, Refusal> {
    let mut sets: Vec<(&str, Vec<Natural>)> = Vec::new();
    for Source { reader, label } in sources {
        let found = stored::structure(reader).and_then(|s| Natural::of(&s, count)).map_err(|why| {
            let message = format!("the model in `{}` has no modes to mark: {why}", reader.path().display());
            Refusal::new(message, "draw the spectrum without --mark-modes")
        })?;
        if sets.iter().all(|s| s.1 != found) {
            sets.push((label, found));
        }
    }
    // What all have alike is told once.
    let mut marked: Vec<Natural> = Vec::new();
    for (label, set) in &sets {
        for n in set {
            let alike = sets.iter().all(|s| s.1.contains(n));
            let named = if alike { n.clone() } else { Natural { of: format!("{label}: {}", n.of), ..n.clone() } };
            if !marked.contains(&named) {
                marked.push(named);
            }
        }
    }
    Ok(marked)
}

/// Where a figure goes that is given no name.
fn beside(result: &std::path::Path) -> PathBuf {
    let stem = result.file_stem().map_or_else(|| "result".into(), |s| s.to_string_lossy().into_owned());
    result.with_file_name(format!("{stem}-plot.svg"))
}

/// Opens the files; those of one name are told apart by their folders.
fn sources(args: &Args) -> Result<Vec<Source>, Refusal> {
    if args.labels.len() > args.results.len() {
        let message = format!("{} labels for {} result files", args.labels.len(), args.results.len());
        return Err(Refusal::new(message, "give one --label for each result file, in their order"));
    }
    let part = |path: &PathBuf, folders: usize| {
        let plain = path.with_extension("");
        let parts: Vec<String> = plain.iter().map(|p| p.to_string_lossy().into_owned()).collect();
        parts[parts.len().saturating_sub(folders + 1)..].join("/")
    };
    let names = |folders: usize| args.results.iter().map(|p| part(p, folders)).collect::<Vec<String>>();
    let distinct = |names: &Vec<String>| names.iter().enumerate().all(|(i, n)| !names[..i].contains(n));
    let given = || args.results.iter().map(|p| p.display().to_string()).collect();
    let names = (0..4).map(names).find(distinct).unwrap_or_else(given);
    let open = |(i, path): (usize, &PathBuf)| {
        let reader = stored::open(path, args.json).map_err(Refusal::Said)?;
        if reader.rows() == 0 {
            let message = format!("`{}` has no rows to draw", path.display());
            return Err(Refusal::new(message, "`interfield show` prints how the run ended"));
        }
        let label = args.labels.get(i).unwrap_or(&names[i]).clone();
        Ok(Source { reader, label })
    };
    args.results.iter().enumerate().map(open).collect()
}

/// The time that is drawn; refused where a file has nothing in it.
fn window(args: &Args, sources: &[Source]) -> Result<Window, Refusal> {
    let window = Window { from: args.from.unwrap_or(f64::NEG_INFINITY), to: args.to.unwrap_or(f64::INFINITY) };
    if window.from >= window.to || window.from.is_nan() || window.to.is_nan() {
        let message = format!("--from {} s is not before --to {} s", window.from, window.to);
        return Err(Refusal::new(message, "write for example --from \"2 s\" --to \"8 s\""));
    }
    for Source { reader, .. } in sources {
        let rows = reader.rows();
        let time = |row: u64| {
            let found = reader.time(row..row + 1).map_err(|e| Refusal::Said(stored::damaged(&e, args.json)))?;
            Ok(found.first().copied().unwrap_or(f64::NAN))
        };
        let (first, last) = (time(0)?, time(rows - 1)?);
        if last < window.from && !window.holds(last) || first > window.to && !window.holds(first) {
            let message = format!("`{}` has no rows in the given time range", reader.path().display());
            return Err(Refusal::new(message, format!("it goes from t = {first} s to {last} s")));
        }
    }
    Ok(window)
}

fn described(args: &Args, output: &str, drawn: &[Drawn]) -> Value {
    let panel = |d: &Drawn| {
        let curve = |c: &panels::Told| json!({ "file": c.file, "channel": c.channel, "unit": c.unit, "rows": c.rows });
        let row = |r: &panels::Row| {
            json!({
                "of": r.of, "mode": r.mode, "frequency": r.hertz, "amplitudes": r.values,
                UNITS: { "frequency": "Hz", "amplitudes": d.panel.y.unit },
            })
        };
        json!({
            "x": d.panel.x.text(), "y": d.panel.y.text(), "unit": d.panel.y.unit,
            "curves": d.curves.iter().map(curve).collect::<Vec<_>>(),
            "natural_frequencies": d.natural.iter().map(row).collect::<Vec<_>>(),
        })
    };
    json!({
        "results": args.results.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
        "minus": args.minus.as_ref().map(|p| p.display().to_string()), "output": output, "from": args.from, "to": args.to, "panels": drawn.iter().map(panel).collect::<Vec<_>>(),
    })
}
