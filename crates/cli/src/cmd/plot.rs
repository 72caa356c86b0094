//! `interfield plot`: channels of a result file as a figure.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_results::{ChannelInfo, Reader};
use serde_json::json;

use crate::Exit;
use crate::files::write;
use crate::output::{fail, print, print_json};
use crate::plot::Figure;
use crate::stored;

/// Draw channels of a result file, over time or over another channel, as SVG
///
/// The figure has the width of a text column (640 pixels). However long the run, no peak is lost.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield plot interfield-out/frame.h5 --channel n10_0.x -o roof.svg\n  \
interfield plot interfield-out/isolated-building.h5 --channel isolators.force \\\n    \
--versus isolators.deformation -o loop.svg")]
pub(crate) struct Args {
    /// Result file (.h5)
    result: PathBuf,
    /// Channel to draw; give it several times for channels of one unit
    #[arg(short, long = "channel", value_name = "NAME", required = true)]
    channels: Vec<String>,
    /// Channel along the horizontal axis, instead of the time
    #[arg(long, value_name = "NAME")]
    versus: Option<String>,
    /// SVG file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print what was drawn, or what went wrong, as JSON
    #[arg(long)]
    json: bool,
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
    stored::check_output(&args.output, &["svg"], &[&args.result], json)?;
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
        return Err(refuse(&message, "`interfield show` says how the run ended"));
    }
    let curve = |i: usize| versus.map_or_else(|| stored::history(&reader, i), |x| stored::pairs(&reader, x, i));
    let mut lines = Vec::new();
    for (&i, info) in chosen.iter().zip(&infos) {
        let legend = if infos.len() > 1 { info.name.clone() } else { String::new() };
        lines.push((legend, curve(i).map_err(|e| stored::damaged(&e, json))?));
    }
    let svg = Figure {
        title: "",
        x: &horizontal(&reader, versus),
        y: &stored::axis(&infos),
        log_x: false,
        size: (640.0, 400.0),
        lines,
    }
    .svg();
    let name = args.output.display().to_string();
    write(&args.output, &svg).map_err(|message| {
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

fn horizontal(reader: &Reader, versus: Option<usize>) -> String {
    versus.map_or_else(|| "time [s]".to_owned(), |x| stored::axis(&[&reader.channels()[x]]))
}
