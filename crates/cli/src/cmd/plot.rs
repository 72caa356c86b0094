//! `interfield plot`: channels of a result file as a figure.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_report::{Axis, Figure, Order, PIXELS_PER_INCH, Panel};
use interfield_results::ChannelInfo;
use serde_json::json;

use crate::Exit;
use crate::drawing::draw as draw_into;
use crate::output::{fail, print, print_json};
use crate::stored;

/// Height of the plot over its width.
const SLENDERNESS: f64 = 0.6;

/// Plot channels of a result file over time or over another channel, as SVG or PNG
///
/// Labels stay legible at the given width: 8 points in a journal column. No peak is lost, however long the run is.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield plot interfield-out/frame.h5 --channel n10_0.x -o roof.svg\n  \
interfield plot interfield-out/isolated-building.h5 --channel isolators.force \\\n    \
--versus isolators.deformation -o loop.svg --width single")]
pub(crate) struct Args {
    /// Result file (.h5)
    result: PathBuf,
    /// Channel to draw; repeat the option for several channels of the same unit
    #[arg(short, long = "channel", value_name = "NAME", required = true)]
    channels: Vec<String>,
    /// Channel on the horizontal axis, instead of time
    #[arg(long, value_name = "NAME")]
    versus: Option<String>,
    /// File to write, FILE.svg or FILE.png
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
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

pub(crate) fn run(args: &Args) -> Exit {
    match draw(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn draw(args: &Args) -> Result<(), Exit> {
    let json = args.json;
    let reader = stored::open(&args.result, json)?;
    stored::check_output(&args.output, &["svg", "png"], &[&args.result], json)?;
    let chosen = args.channels.iter().map(|name| stored::channel(&reader, name, json));
    let chosen: Vec<usize> = chosen.collect::<Result<_, _>>()?;
    let versus = args.versus.as_ref().map(|name| stored::channel(&reader, name, json)).transpose()?;
    let infos: Vec<&ChannelInfo> = chosen.iter().map(|&i| &reader.channels()[i]).collect();
    let refuse = |message: &str, help: &str| {
        fail(json, None, None, message, help);
        Exit::BadInput
    };
    if let Some((a, b)) = infos.iter().find_map(|c| (c.unit != infos[0].unit).then_some((infos[0], c))) {
        let (la, lb) = (stored::label(&a.name, &a.unit), stored::label(&b.name, &b.unit));
        let help = format!(
            "draw two figures, or one channel over the other: --channel \"{}\" --versus \"{}\"",
            b.name, a.name
        );
        return Err(refuse(&format!("{la} and {lb} have different units and cannot share an axis"), &help));
    }
    if reader.rows() == 0 {
        let message = format!("`{}` has no rows to draw", args.result.display());
        return Err(refuse(&message, "`interfield show` prints how the run ended"));
    }
    let mut curves = Vec::new();
    for (&i, info) in chosen.iter().zip(&infos) {
        let legend = if infos.len() > 1 { &info.name } else { "" };
        curves.push(stored::curve(&reader, legend, versus, i).map_err(|e| stored::damaged(&e, json))?);
    }
    let panel = Panel {
        x: versus.map_or_else(|| Axis::new("time", "s"), |x| stored::axis(&[&reader.channels()[x]])),
        y: stored::axis(&infos),
        order: if versus.is_none() { Order::Time } else { Order::Free },
        curves,
        ..Panel::default()
    };
    let figure = Figure { width: args.width.round(), slenderness: SLENDERNESS, ..Figure::new(vec![panel]) };
    let name = args.output.display().to_string();
    draw_into(&args.output, &figure, f64::from(args.dpi)).map_err(|message| {
        fail(json, Some(&name), None, &message, "give another file with --output");
        Exit::Failure
    })?;
    if json {
        print_json(&json!({
            "result": args.result.display().to_string(), "output": name, "channels": args.channels,
            "versus": args.versus, "rows": reader.rows(),
        }));
    } else {
        print(&format!("{name}: {}\n", args.channels.join(", ")));
    }
    Ok(())
}
