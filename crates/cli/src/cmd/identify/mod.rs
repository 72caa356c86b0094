//! `interfield identify`: the law of a specimen or an element, from measured deformations and forces.

mod general;

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::identify::law::{Compared, Finding, Measured};
use interfield::identify::signals::{Signals, unit};
use interfield_language::diag::did_you_mean;
use interfield_language::units::Dimension;
use interfield_learn::catalogue::Kind;
use interfield_learn::{Extras, Family, Identified, Levels, Options, Preparation, Prepared, Record, identify, prepare};
use interfield_report::{Axis, Curve, Figure, Order, Panel, Style};
use serde_json::json;

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::pair;
use crate::output::{complain, fail, fail_all, print, print_json};
use crate::stored::check_output;

/// Identify the law of a specimen or an element from deformations and forces
///
/// DATA is a result or a recording (FILE.h5, FILE.lab.h5), or a text file whose first line names columns with units: `t [s],q [mm],p [kN]`.
/// Parameters come with 95 % intervals, cycles are held back for validation, and a block for the model file is printed. What data cannot
/// tell is said. `--element auto` compares all laws and recommends one.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield identify pier.csv --element bouc-wen --plot loops.svg\n  \
interfield identify interfield-out/isolated-building.lab.h5 --element auto\n  \
interfield identify pier.csv --element modified-bouc-wen --fix r=1 --fix n=1 --levels -o pier.toml\n  \
interfield identify damper.csv --element damper --rate v --delay\n\n\
Exit codes:\n  \
0    done; warnings say what to be careful about\n  \
1    a file could not be read or written\n  \
2    the data cannot be used, or the command line is wrong")]
pub(crate) struct Args {
    /// Result, recording, or text file with columns
    data: PathBuf,
    /// Law: bouc-wen, modified-bouc-wen, degrading-bouc-wen, mostaghel, damper, cubic, spring; auto for the best of these; any other law
    /// or material of the catalogues; with --model the name of an element, or several, separated by commas
    #[arg(long, value_name = "LAW")]
    element: String,
    /// Model with the elements: DATA are then the loop of a formula element, or the response of the structure, channels as in its [record]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Search these parameters: optional ones of a material, some of a formula or a structure (`ELEMENT.PARAMETER`)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    free: Vec<String>,
    /// Element or specimen whose deformation and force are meant [default: the only one]
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
    /// Channel of the deformation
    #[arg(long, value_name = "CHANNEL", requires = "force")]
    deformation: Option<String>,
    /// Channel of the force
    #[arg(long, value_name = "CHANNEL", requires = "deformation")]
    force: Option<String>,
    /// Channel of the rate, for dampers and dashpots
    #[arg(long, value_name = "CHANNEL")]
    rate: Option<String>,
    /// Units of deformation and force, if the file does not have them, e.g. mm,kN
    #[arg(long, value_name = "UNITS", value_delimiter = ',', num_args = 1)]
    units: Vec<String>,
    /// Use samples from this time on, s
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    from: Option<f64>,
    /// Use samples up to this time, s
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    to: Option<f64>,
    /// Keep a variable at a value in SI units, e.g. --fix n=1
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    fix: Vec<(String, String)>,
    /// Identify a delay between the channels, up to 3 samples
    #[arg(long)]
    delay: bool,
    /// Identify an offset of the load cell
    #[arg(long)]
    offset: bool,
    /// The record starts loaded: identify the state at its first sample
    #[arg(long)]
    loaded: bool,
    /// Smooth deformation and force with the same window, a sixteenth of a cycle
    #[arg(long)]
    smooth: bool,
    /// Ignore movements below three times the noise of the deformation
    #[arg(long)]
    dead_band: bool,
    /// Steps of the law per sample
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    substeps: u16,
    /// One set of parameters per level of amplitude besides
    #[arg(long)]
    levels: bool,
    /// Draw measured and computed loops and what is left into this file, FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Also write the block for the model file to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match attempt(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn attempt(args: &Args) -> Result<(), Exit> {
    let refuse = |message: &str, help: &str| {
        fail(args.json, None, None, message, help);
        Exit::BadInput
    };
    if let Some(path) = &args.plot {
        check_output(path, &["svg", "png"], &[&args.data], args.json)?;
    }
    if let Some(model) = &args.model {
        return general::of_model(args, model);
    }
    if Family::named(&args.element).is_none()
        && let Some(kind) = Kind::named(&args.element)
    {
        return general::catalogued(args, kind);
    }
    if let Some(name) = args.free.first() {
        let help = "all parameters of this law are searched; --fix holds one".to_owned();
        return Err(refuse(&format!("--free {name} has no effect"), &help));
    }
    let families = families(&args.element).map_err(|(message, help)| refuse(&message, &help))?;
    let options = options(args).map_err(|(message, help)| refuse(&message, &help))?;
    let (record, measured) = read(args, None).map_err(|(message, help)| refuse(&message, &help))?;
    let auto = families.len() > 1;
    let rate = auto || families[0].needs_rate();
    let prepared = ready(args, &record, rate)?;
    let levels = if args.levels { Levels::Always } else { Levels::IfNeeded };
    // Laws are compared without levels; the recommended one then gets them.
    let extras = Extras { validate: true, levels: if auto { Levels::Never } else { levels } };
    let (laws, failures) = fitted(&families, &prepared, &options, extras);
    if laws.is_empty() {
        return Err(refuse(&failures.join("; "), "choose another --element, or --element auto"));
    }
    let compared = if auto { Compared::of(laws.clone()) } else { None };
    let best = compared.as_ref().map(|c| c.laws[0].family);
    let again = best.map(|family| {
        fitted(&[family], &prepared, &kept(&options, family, &prepared), Extras { validate: true, levels }).0
    });
    let found = again.as_ref().and_then(|laws| laws.first()).unwrap_or(&laws[0]);
    let source = args.data.display().to_string();
    let finding = Finding { prepared: &prepared, found, measured: &measured, source: &source };
    if let Some(path) = &args.plot {
        let drawn = loops(&prepared, (found.family.name(), found.figures.nrmse, &found.force), &measured);
        draw(path, &drawn, DPI).map_err(|message| {
            fail(args.json, Some(&path.display().to_string()), None, &message, "");
            Exit::Failure
        })?;
    }
    write_block(args, &finding.toml())?;
    if args.json {
        let mut all = finding.json();
        all["data_warnings"] = json!(prepared.warnings);
        if let Some(compared) = &compared {
            all["compared"] = compared.json();
        }
        print_json(&all);
        return Ok(());
    }
    if let Some(compared) = &compared {
        print(&(compared.text() + "\n"));
    }
    print(&(finding.text() + "\nfor the model file:\n\n" + &finding.toml()));
    prepared.warnings.iter().chain(&found.warnings).chain(&failures).for_each(|w| complain(&format!("warning: {w}")));
    Ok(())
}

/// The record, checked and prepared.
fn ready(args: &Args, record: &Record, rate: bool) -> Result<Prepared, Exit> {
    let wanted = Preparation { smooth: args.smooth, dead_band: args.dead_band, rate };
    prepare(record, wanted).map_err(|problems| {
        let help = "`interfield identify --help` shows how to use a part of a record (--from, --to) and what it needs";
        let mut all: Vec<(String, String)> = problems.into_iter().map(|p| (p, String::new())).collect();
        if let Some(last) = all.last_mut() {
            last.1 = help.to_owned();
        }
        fail_all(args.json, Some(&args.data.display().to_string()), None, &all);
        Exit::BadInput
    })
}

/// Writes the block for the model file, if it is wanted.
fn write_block(args: &Args, block: &str) -> Result<(), Exit> {
    let Some(path) = &args.output else { return Ok(()) };
    interfield::files::write(path, block).map_err(|message| {
        fail(args.json, None, None, &message, "give another --output");
        Exit::Failure
    })
}

/// The laws that are meant.
fn families(name: &str) -> Result<Vec<Family>, (String, String)> {
    if name == "auto" {
        return Ok(Family::ALL.to_vec());
    }
    let own = || Family::ALL.iter().map(|f| f.name()).chain(["auto"]);
    let names = || own().chain(Kind::all().map(|k| k.info().name));
    Family::named(name).map(|f| vec![f]).ok_or_else(|| {
        let help = did_you_mean(name, names()).unwrap_or_else(|| {
            format!("choose one of {}; or --model and an element of it", own().collect::<Vec<_>>().join(", "))
        });
        let known = interfield_kernel::element::LAWS.iter().any(|l| l.name == name);
        let why = if known { "is an element that cannot be identified" } else { "is not a law that can be identified" };
        (format!("`{name}` {why}"), help)
    })
}

fn options(args: &Args) -> Result<Options, (String, String)> {
    let mut fixed = Vec::new();
    for (name, value) in &args.fix {
        let number: f64 = value.parse().map_err(|_| {
            (
                format!("--fix {name}={value}: `{value}` is not a number"),
                "write for example --fix n=1, in SI units".to_owned(),
            )
        })?;
        fixed.push((name.clone(), number));
    }
    Ok(Options {
        fixed,
        delay: args.delay,
        offset: args.offset,
        loaded: args.loaded,
        substeps: usize::from(args.substeps),
    })
}

/// The record in SI units, and the units of its channels.
fn read(args: &Args, of: Option<&str>) -> Result<(Record, Measured), (String, String)> {
    let told = match &args.units[..] {
        [] => [None, None],
        [q, p] => [Some(q.as_str()), Some(p.as_str())],
        _ => {
            return Err((
                "--units needs the unit of the deformation and that of the force".into(),
                "write --units mm,kN".into(),
            ));
        }
    };
    let signals = Signals::open(&args.data)?;
    let [deformation, force] = match (&args.deformation, &args.force) {
        (Some(q), Some(p)) => [q.clone(), p.clone()],
        _ => match signals.pair(args.of.as_deref().or(of)) {
            Ok(pair) => pair,
            // Columns of a text that are called as in the equations.
            Err(problem) => match ["q", "p"].map(|n| signals.names().contains(&n)) {
                [true, true] if args.of.is_none() && of.is_none() => ["q".into(), "p".into()],
                _ => return Err(problem),
            },
        },
    };
    let (q, p) = (signals.channel(&deformation)?, signals.channel(&force)?);
    let moment = Dimension::FORCE.times(Dimension::LENGTH);
    let measured = Measured {
        deformation: unit(&q, told[0], "deformation", "--units", &[Dimension::LENGTH, Dimension::NONE])?,
        force: unit(&p, told[1], "force", "--units", &[Dimension::FORCE, moment])?,
    };
    let rate = match &args.rate {
        None => None,
        Some(name) => {
            let v = signals.channel(name)?;
            let own = measured.deformation.1.dim.per(Dimension::TIME);
            let text = format!("{}/s", measured.deformation.0);
            let told = v.unit.is_empty().then_some(text.as_str());
            let unit = unit(&v, told, "rate", "--rate", &[own])?.1;
            Some(v.values.iter().map(|v| v * unit.factor).collect::<Vec<f64>>())
        }
    };
    let within = |t: &f64| args.from.is_none_or(|from| *t >= from) && args.to.is_none_or(|to| *t <= to);
    // A time that is not a number stays, and is told.
    let keep: Vec<usize> =
        (0..signals.time.len()).filter(|&k| signals.time[k].is_nan() || within(&signals.time[k])).collect();
    let part = |x: &[f64], factor: f64| keep.iter().filter_map(|&k| x.get(k)).map(|x| x * factor).collect::<Vec<f64>>();
    let record = Record {
        t: part(&signals.time, 1.0),
        q: part(&q.values, measured.deformation.1.factor),
        v: rate.map(|v| part(&v, 1.0)),
        p: part(&p.values, measured.force.1.factor),
    };
    Ok((record, measured))
}

/// Every law that can be fitted, and why others cannot.
fn fitted(
    families: &[Family],
    prepared: &Prepared,
    options: &Options,
    extras: Extras,
) -> (Vec<Identified>, Vec<String>) {
    let (mut laws, mut failures) = (Vec::new(), Vec::new());
    for &family in families {
        let own = if families.len() > 1 { kept(options, family, prepared) } else { options.clone() };
        match identify(family, prepared, &own, extras) {
            Ok(found) => laws.push(found),
            Err(message) => failures.push(message),
        }
    }
    (laws, failures)
}

/// What is fixed holds for the laws that have it.
fn kept(options: &Options, family: Family, prepared: &Prepared) -> Options {
    let known = family.variables(&prepared.samples.size());
    let mut own = options.clone();
    own.fixed.retain(|(name, _)| known.iter().any(|v| v.name == name));
    own
}

/// Loops above, what is left over time below.
fn loops(prepared: &Prepared, (name, nrmse, computed): (&str, f64, &[f64]), measured: &Measured) -> Figure {
    let ((length, q), (force, p)) = (&measured.deformation, &measured.force);
    let samples = &prepared.samples;
    let points = |x: &[f64]| samples.q.iter().zip(x).map(|(a, b)| (a / q.factor, b / p.factor)).collect::<Vec<_>>();
    let loops = Panel {
        title: format!("{name}: {:.1} % of the force not explained", 100.0 * nrmse),
        x: Axis::new("deformation", length),
        y: Axis::new("force", force),
        curves: vec![
            Curve::line("measured", points(&samples.p)),
            Curve::line("computed", points(computed)).style(Style::Dashed),
        ],
        ..Panel::default()
    };
    let rest = prepared.t.iter().zip(&samples.p).zip(computed).map(|((t, a), b)| (*t, (a - b) / p.factor)).collect();
    let left = Panel {
        x: Axis::new("time", "s"),
        y: Axis::new("measured minus computed", force),
        curves: vec![Curve::line("", rest)],
        order: Order::Time,
        ..Panel::default()
    };
    Figure::new(vec![loops, left])
}
