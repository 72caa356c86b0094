//! `interfield compare`: how two results differ, channel by channel.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_report::thin::Thinner;
use interfield_report::{Axis, BLACK, Figure, Order, Panel, Style};
use interfield_results::summary::{Comparison, Difference, compare, walk};
use interfield_results::{Error, Reader};
use serde_json::json;

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::output::{complain, fail, print, print_json};
use crate::stored::{self, Window, conversion, curve_within};
use interfield::quantities::{ONE, UNITS};
use interfield::table::{aligned, short, time};

/// Compare two result files channel by channel
///
/// Channels with equal names are compared over the time that both results cover; the result with the longer step is
/// interpolated linearly. Differences are relative to the peak of the channel in A.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield compare a.h5 b.h5\n  \
interfield compare a.h5 b.h5 --plot difference.svg\n  \
interfield compare reference.h5 new.h5 --tolerance 1e-6\n\n\
Exit codes:\n  \
0    done; with --tolerance, every channel of both is within it\n  \
1    a file could not be read or written\n  \
2    not a result file, or nothing to compare\n  \
3    a difference relative to the peak exceeds --tolerance, units differ, or one of the two values\n       \
is NaN (not a number)")]
pub(crate) struct Args {
    /// Result file to compare with (.h5)
    a: PathBuf,
    /// Result file to compare (.h5)
    b: PathBuf,
    /// Largest difference allowed, relative to the peak of the channel; exit code 3 if exceeded
    #[arg(long, value_name = "REL", allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Draw the channels with the largest differences (up to 4) into this file, FILE.svg or FILE.png: both results over each
    /// other, and their difference
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Most channels of the figure, and pieces of a curve of differences.
const PANELS: usize = 4;
const PIECES: usize = 5000;

pub(crate) fn run(args: &Args) -> Exit {
    match check(args) {
        Ok(true) => Exit::Done,
        Ok(false) => Exit::Fault,
        Err(exit) => exit,
    }
}

/// Compares, draws and prints; says whether the tolerance is kept.
fn check(args: &Args) -> Result<bool, Exit> {
    let json = args.json;
    let refuse = |message: &str, help: &str| {
        fail(json, None, None, message, help);
        Exit::BadInput
    };
    if let Some(bad) = args.tolerance.filter(|t| !(t.is_finite() && *t >= 0.0)) {
        return Err(refuse(&format!("--tolerance must be zero or greater, found {bad}"), "write --tolerance 1e-6"));
    }
    let (a, b) = (stored::open(&args.a, json)?, stored::open(&args.b, json)?);
    if let Some(path) = &args.plot {
        stored::check_output(path, &["svg", "png"], &[&args.a, &args.b], json)?;
    }
    let mut found = compare(&a, &b).map_err(|e| stored::damaged(&e, json))?;
    if found.channels.is_empty() {
        return Err(refuse(
            "the results have no channel in common",
            "`interfield show` lists the channels of a result",
        ));
    }
    if found.span.is_none() {
        return Err(refuse(
            "the results have no time in common",
            "`interfield show` prints the time range of a result",
        ));
    }
    // Worst first; what could not be compared is worst of all.
    found.channels.sort_by(|a, b| b.relative.total_cmp(&a.relative));
    if let Some(path) = &args.plot {
        let figure = figure(&a, &b, &found).map_err(|e| stored::damaged(&e, json))?;
        draw(path, &figure, DPI).map_err(|message| {
            fail(json, Some(&path.display().to_string()), None, &message, "give another file with --plot");
            Exit::Failure
        })?;
    }
    let beyond: Vec<&str> = args.tolerance.map_or_else(Vec::new, |tolerance| {
        found.channels.iter().filter(|d| exceeds(d, tolerance)).map(|d| d.name.as_str()).collect()
    });
    if json {
        print_json(&describe(args, &found, &beyond));
    } else {
        print(&explain(args, &found));
    }
    if !beyond.is_empty() {
        let some = if beyond.len() > 5 { ", ..." } else { "" };
        let names = beyond[..beyond.len().min(5)].join(", ");
        complain(&format!("above the tolerance: {names}{some} ({} of {})", beyond.len(), found.channels.len()));
    }
    Ok(beyond.is_empty())
}

fn exceeds(d: &Difference, tolerance: f64) -> bool {
    d.relative.is_nan() || d.relative > tolerance || d.nan_mismatch > 0 || d.units.0 != d.units.1
}

fn describe(args: &Args, found: &Comparison, beyond: &[&str]) -> serde_json::Value {
    json!({
        "a": args.a.display().to_string(),
        "b": args.b.display().to_string(),
        "first_time": found.span.map(|s| s.0),
        "last_time": found.span.map(|s| s.1),
        "moments": found.moments,
        "same_grid": found.same_grid,
        "channels": found.channels.iter().map(|d| json!({
            "name": d.name, "unit": d.units.0, "unit_b": d.units.1, "max": d.max, "max_time": d.max_time,
            "relative": d.relative, "rms": d.rms, "peak": d.peak, "not_a_number": d.nan_mismatch,
            UNITS: { "max_time": "s", "relative": ONE },
        })).collect::<Vec<_>>(),
        "only_a": found.only_a,
        "only_b": found.only_b,
        "tolerance": args.tolerance,
        UNITS: { "first_time": "s", "last_time": "s", "tolerance": ONE },
        "exceeded": beyond,
        "plot": args.plot.as_ref().map(|p| p.display().to_string()),
    })
}

fn explain(args: &Args, found: &Comparison) -> String {
    let row = |d: &Difference| {
        let mut remark = Vec::new();
        if d.units.0 != d.units.1 {
            remark.push(format!("units differ: {} and {}", d.units.0, d.units.1));
        }
        if d.nan_mismatch > 0 {
            remark.push(format!("at {} times, one of the two values is NaN (not a number)", d.nan_mismatch));
        }
        let at = format!("{:.3}", d.max_time);
        vec![d.name.clone(), d.units.0.clone(), short(d.max), at, short(d.relative), short(d.rms), remark.join("; ")]
    };
    let rows: Vec<Vec<String>> = found.channels.iter().map(row).collect();
    let header = ["channel", "unit", "max difference", "at t [s]", "relative to peak", "rms", ""];
    let (from, to) = found.span.unwrap_or_default();
    let grid = if found.same_grid { "" } else { ", with linear interpolation" };
    let mut out = format!("A  {}\nB  {}\n", args.a.display(), args.b.display());
    out += &format!("  {} moments from t = {} to {}{grid}\n\n", found.moments, time(from), time(to));
    out += &aligned(&header, &rows);
    for (which, names) in [("A", &found.only_a), ("B", &found.only_b)] {
        if !names.is_empty() {
            out += &format!("\nonly in {which}: {}\n", names.join(", "));
        }
    }
    if let Some(path) = &args.plot {
        out += &format!("\n  plot: {}\n", path.display());
    }
    out
}

/// The channels with the largest differences: both results on top of each other, and beside them what B has more than A.
fn figure(a: &Reader, b: &Reader, found: &Comparison) -> Result<Figure, Error> {
    let short_name = |path: &Path| path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let (mut name_a, mut name_b) = (short_name(a.path()), short_name(b.path()));
    if name_a == name_b {
        (name_a, name_b) = ("A".to_owned(), "B".to_owned());
    }
    let mut panels = Vec::new();
    for d in found.channels.iter().take(PANELS) {
        let (Some(i), Some(j)) = (a.channel(&d.name), b.channel(&d.name)) else { continue };
        // B in the unit of A; where that cannot be, as plain numbers, as in the table.
        let factor = conversion(&d.units.1, &d.units.0).unwrap_or(1.0);
        let over_b = curve_within(b, &name_b, None, j, Window::WHOLE, [1.0, factor])?.style(Style::Dashed);
        let (x, y) = (Axis::new("time", "s"), Axis::new(&d.name, &d.units.0));
        let curves = vec![stored::curve(a, &name_a, None, i)?, over_b];
        panels.push(Panel { x: x.clone(), y, order: Order::Time, curves, ..Panel::default() });
        let mut difference = Thinner::new(PIECES);
        walk(a, b, &[(i, j)], |moment| difference.push(moment.t, moment.b[0] * factor - moment.a[0]))?;
        let y = Axis::new(format!("{}: B − A", d.name), &d.units.0);
        let curves = vec![difference.curve(format!("{name_b} less {name_a}")).colour(BLACK)];
        panels.push(Panel { x, y, order: Order::Time, curves, ..Panel::default() });
    }
    Ok(Figure { columns: 2, width: 960.0, slenderness: 0.5, ..Figure::new(panels) })
}
