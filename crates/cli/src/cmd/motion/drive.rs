//! Signals that make the actuators of a model known.

use std::path::{Path, PathBuf};

use interfield::files::{same, write};
use interfield::identify::drive::{Drive, Wanted};
use interfield_lab::identify::Shape;
use interfield_language::Model;
use interfield_language::diag::did_you_mean;
use interfield_language::units::Dimension;
use interfield_report::{Axis, Curve, Figure, Order, Panel};
use serde_json::json;

use super::{Args, Refusal, positive, unsaved};
use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};

/// Time for each actuator, s.
const DURATION: f64 = 10.0;

pub(super) fn run(args: &Args, path: &Path) -> Exit {
    let loaded = match Loaded::open(path, args.json) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let model = match loaded.model(&ModelArgs::default()) {
        Ok((model, _)) => model,
        Err(exit) => return exit,
    };
    match made(args, path, &model) {
        Ok(()) => Exit::Done,
        Err(r) => {
            fail(args.json, r.file.as_deref(), None, &r.message, &r.help);
            r.exit
        }
    }
}

/// One of several by its name; the only one without.
fn chosen<'a>(
    what: &str,
    wanted: Option<&str>,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<Option<usize>, Refusal> {
    let list = || names.clone().collect::<Vec<_>>().join(", ");
    match wanted {
        None => Ok(None),
        Some(name) => match names.clone().position(|n| n == name) {
            Some(i) => Ok(Some(i)),
            None => {
                let help = did_you_mean(name, names.clone()).unwrap_or_else(|| format!("there are {}", list()));
                Err(Refusal::line(format!("there is no {what} `{name}`"), help))
            }
        },
    }
}

fn made(args: &Args, path: &Path, model: &Model) -> Result<(), Refusal> {
    let (shape, band, option) = if args.chirp.is_empty() {
        (Shape::Noise(args.seed.unwrap_or(1)), &args.noise, "--noise")
    } else {
        (Shape::Chirp, &args.chirp, "--chirp")
    };
    let &[low, high] = &band[..] else {
        let message = format!("{option} needs two frequencies, found {}", band.len());
        return Err(Refusal::line(message, format!("write for example {option} 0.2,20")));
    };
    let specimens = model.specimens.iter().map(|s| s.name.as_str());
    let index = match (chosen("specimen", args.specimen.as_deref(), specimens.clone())?, model.specimens.len()) {
        (Some(index), _) => index,
        (None, 1) => 0,
        (None, 0) => {
            return Err(Refusal::line("the model has no [[specimen]]", "only actuators of a specimen are driven"));
        }
        (None, _) => {
            let help = format!("give --specimen: {}", specimens.collect::<Vec<_>>().join(", "));
            return Err(Refusal::line("the model has several specimens", help));
        }
    };
    let specimen = &model.specimens[index];
    let actuator = chosen("actuator", args.actuator.as_deref(), specimen.actuators.iter().map(|a| a.name.as_str()))?;
    let turns = specimen.actuators.iter().enumerate().any(|(i, a)| actuator.is_none_or(|n| n == i) && a.turns);
    let stroke = if turns { Dimension::ANGLE } else { Dimension::LENGTH };
    let amplitude = args.peak.as_deref().map(|text| positive("--peak", text, stroke)).transpose()?;
    let duration =
        args.duration.as_deref().map_or(Ok(DURATION), |text| positive("--duration", text, Dimension::TIME))?;
    if duration > 3600.0 {
        return Err(Refusal::line("a drive signal lasts an hour at most", "give a shorter --duration"));
    }
    let wanted = Wanted { shape, band: [low, high], amplitude, duration };
    let found = Drive::of(model, index, actuator, &wanted)
        .map_err(|message| Refusal::line(message, format!("write for example {option} 0.2,20 --duration \"10 s\"")))?;
    let stem = args.output.as_deref().unwrap_or(path).file_stem();
    let stem = stem.map_or_else(|| "drive".into(), |s| s.to_string_lossy().into_owned());
    let picture =
        args.plot.clone().unwrap_or_else(|| PathBuf::from("interfield-out").join(format!("{stem}-motion.svg")));
    for file in [Some(&picture), args.output.as_ref()].into_iter().flatten() {
        if same(file, path) {
            let message = format!("`{}` is the model itself", file.display());
            return Err(Refusal::line(message, "give --output and --plot different files"));
        }
    }
    draw(&picture, &figure(&found), DPI).map_err(|m| unsaved(&picture, m))?;
    if let Some(output) = &args.output {
        write(output, found.csv()).map_err(|m| unsaved(output, m))?;
    }
    let mut said = found.text() + &format!("\n  picture: {}\n", picture.display());
    if let Some(output) = &args.output {
        said += &format!("  signal: {}\n", output.display());
    }
    if args.json {
        let mut all = found.json();
        all["picture"] = json!(picture.display().to_string());
        all["output"] = json!(args.output.as_ref().map(|o| o.display().to_string()));
        print_json(&all);
    } else {
        print(&said);
    }
    Ok(())
}

/// The motion of every actuator, one below the other.
fn figure(found: &Drive) -> Figure {
    let panel = |(column, driven): (Vec<f64>, &interfield::identify::drive::Driven)| {
        let points = column.iter().enumerate().map(|(k, x)| (k as f64 * found.dt, x / driven.unit.1)).collect();
        Panel {
            title: driven.name.clone(),
            x: Axis::new("time", "s"),
            y: Axis::new("command", &driven.unit.0),
            curves: vec![Curve::line("", points)],
            order: Order::Time,
            ..Panel::default()
        }
    };
    let panels = found.columns().into_iter().zip(&found.actuators).map(panel).collect();
    Figure { width: 900.0, slenderness: 0.22, ..Figure::new(panels) }
}
