//! `interfield motion`: key figures and a picture of a ground-motion record, processed or generated on the way.

mod drive;
mod figures;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use interfield_language::quantity::Scope;
use interfield_language::units::{Dimension, Unit, UnitSystem};
use interfield_motion::{
    Asce7, Ec8, Fit, Format, GenerateOptions, GroundType, MAX_BYTES, MotionError, Phase, Quantity, ReadOptions, Record,
    STANDARD_GRAVITY, SpectrumType, generate, read_bytes,
};

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::output::{fail, print, print_json};
use figures::Figures;
use interfield::files::{same, write};

/// Key values, response spectrum and plot of a ground-motion record, or of a motion generated to match a design code
///
/// Reads PEER AT2, ESM and ITACA ASCII, COSMOS and columns of numbers; the format is detected. Processing follows this
/// order: baseline correction, band-pass filter, resampling, scaling to the peak.
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  interfield motion elcentro.at2
  interfield motion columns.csv --unit g --dt \"10 ms\" --column 2
  interfield motion record.asc --baseline 1 --band-pass 0.1,25 --resample \"5 ms\" -o clean.csv
  interfield motion record.at2 --peak 0.3g --plot scaled.svg --json
  interfield motion --generate ec8 --ag 0.25g --ground B --seed 3 --duration 20 -o motion.csv
  interfield motion --generate asce7 --sds 1.0g --sd1 0.6g -o motion.csv
  interfield motion --chirp 0.2,20 --model rig.toml --peak \"5 mm\" -o chirp.csv")]
#[command(group = clap::ArgGroup::new("made").args(["generate", "chirp", "noise"]))]
pub(crate) struct Args {
    /// Record
    #[arg(required_unless_present = "made", conflicts_with = "made")]
    file: Option<PathBuf>,
    /// Format of the record [default: detected]
    #[arg(long)]
    format: Option<FormatName>,
    /// Unit of the values, e.g. g, cm/s^2 [default: as stated in the record]
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Sampling interval, e.g. "10 ms" [default: as stated in the record; 10 ms for a generated motion]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    dt: Option<String>,
    /// Column to read, counted from 1
    #[arg(long, value_name = "N")]
    column: Option<usize>,
    /// Baseline correction: subtract a polynomial of this degree, 0 to 3, fitted to the velocity
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=3))]
    baseline: Option<u8>,
    /// Butterworth filter of order 4, forwards and backwards, between two frequencies in Hz
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',', allow_hyphen_values = true)]
    band_pass: Vec<String>,
    /// Resample at this interval, e.g. "5 ms"
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    resample: Option<String>,
    /// Scale to this peak, e.g. 0.3g
    #[arg(long, value_name = "PEAK", allow_hyphen_values = true)]
    peak: Option<String>,
    /// Damping ratio of the response spectrum, e.g. 0.05 or "5 %"
    #[arg(long, value_name = "RATIO", default_value = "0.05", allow_hyphen_values = true)]
    damping: String,
    /// Generate a motion that matches the elastic spectrum of EN 1998-1 (ec8) or the design spectrum of ASCE 7-16
    /// (asce7)
    #[arg(long, value_name = "CODE", help_heading = "Generating")]
    generate: Option<Code>,
    /// ec8: design ground acceleration on rock, e.g. 0.25g
    #[arg(
        long,
        value_name = "ACCELERATION",
        requires = "generate",
        help_heading = "Generating",
        allow_hyphen_values = true
    )]
    ag: Option<String>,
    /// ec8: ground type, A to E [default: A]
    #[arg(long, value_name = "TYPE", requires = "generate", help_heading = "Generating")]
    ground: Option<String>,
    /// ec8: type of the spectrum, 1 or 2 [default: 1]
    #[arg(long, value_name = "TYPE", requires = "generate", help_heading = "Generating", value_parser = clap::value_parser!(u8).range(1..=2))]
    kind: Option<u8>,
    /// asce7: short-period design acceleration, e.g. 1.0g
    #[arg(
        long,
        value_name = "ACCELERATION",
        requires = "generate",
        help_heading = "Generating",
        allow_hyphen_values = true
    )]
    sds: Option<String>,
    /// asce7: one-second design acceleration, e.g. 0.6g
    #[arg(
        long,
        value_name = "ACCELERATION",
        requires = "generate",
        help_heading = "Generating",
        allow_hyphen_values = true
    )]
    sd1: Option<String>,
    /// asce7: long-period transition [default: 8 s]
    #[arg(long, value_name = "TIME", requires = "generate", help_heading = "Generating", allow_hyphen_values = true)]
    tl: Option<String>,
    /// The same seed gives the same motion [default: 1]
    #[arg(long, value_name = "N", requires = "made", help_heading = "Generating")]
    seed: Option<u64>,
    /// Duration [default: 20 s; 10 s for each actuator]
    #[arg(long, value_name = "TIME", requires = "made", help_heading = "Generating", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Chirp between two frequencies in Hz that makes the actuators of a model known, within their limits
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',', requires = "model", help_heading = "Driving actuators", conflicts_with_all = FOREIGN)]
    chirp: Vec<f64>,
    /// The same with noise
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',', requires = "model", help_heading = "Driving actuators", conflicts_with_all = FOREIGN)]
    noise: Vec<f64>,
    /// Model whose actuators are driven; --peak is the largest displacement [default: a twentieth of the stroke]
    #[arg(long, value_name = "FILE", help_heading = "Driving actuators", conflicts_with_all = ["file", "generate"])]
    model: Option<PathBuf>,
    /// Its specimen [default: the only one]
    #[arg(long, value_name = "NAME", requires = "model", help_heading = "Driving actuators")]
    specimen: Option<String>,
    /// One actuator [default: all, one after the other]
    #[arg(long, value_name = "NAME", requires = "model", help_heading = "Driving actuators")]
    actuator: Option<String>,
    /// Draw histories and spectrum into this file, FILE.svg or FILE.png [default: interfield-out/NAME-motion.svg]
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the processed record to this CSV file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What belongs to records of ground motions only.
const FOREIGN: [&str; 11] =
    ["format", "unit", "dt", "column", "baseline", "band_pass", "resample", "ag", "ground", "sds", "tl"];

/// Formats by the names used on the command line.
#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    /// PEER AT2, VT2, DT2
    Peer,
    /// ESM and ITACA ASCII
    Esm,
    /// COSMOS and CSMIP
    Cosmos,
    /// Columns of numbers
    Columns,
}

/// Codes whose spectra can be fitted.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Code {
    /// EN 1998-1:2004
    Ec8,
    /// ASCE/SEI 7-16
    Asce7,
}

/// Order of the Butterworth filter, each way; the same as in a model file.
const FILTER_ORDER: usize = 4;
/// Most samples of a generated motion: some seconds of work.
const MAX_GENERATED: f64 = 40_000.0;

/// What is wrong and what to do, and how the program ends.
struct Refusal {
    file: Option<String>,
    line: Option<usize>,
    message: String,
    help: String,
    exit: Exit,
}

impl Refusal {
    fn line(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { file: None, line: None, message: message.into(), help: help.into(), exit: Exit::BadInput }
    }

    fn motion(what: &str, e: &MotionError) -> Self {
        Self::line(format!("{what}{}", e.message), "`interfield motion --help` lists all options")
    }
}

/// Spectrum to fit, m/s² over s.
type Target = Box<dyn Fn(f64) -> f64>;

pub(crate) fn run(args: &Args) -> Exit {
    if let Some(model) = &args.model {
        return drive::run(args, model);
    }
    match execute(args) {
        Ok(()) => Exit::Done,
        Err(r) => {
            let place = r.line.filter(|l| *l > 0).map(|l| (l, 1));
            fail(args.json, r.file.as_deref(), place, &r.message, &r.help);
            r.exit
        }
    }
}

fn execute(args: &Args) -> Result<(), Refusal> {
    let damping = quantity("--damping", &args.damping, Dimension::NONE)?;
    if !(0.0..1.0).contains(&damping) {
        let message = format!("--damping lies between 0 and 1, found {damping}");
        return Err(Refusal::line(message, "write 5 % of critical as --damping 0.05"));
    }
    let (name, stem, record, target) = match (&args.file, args.generate) {
        (Some(path), _) => {
            let stem = path.file_stem().map_or_else(|| "record".into(), |s| s.to_string_lossy().into_owned());
            (path.display().to_string(), stem, open(args, path)?, None)
        }
        (None, Some(code)) => {
            let (record, target) = generated(args, code, damping)?;
            let name = if code == Code::Ec8 { "ec8" } else { "asce7" };
            let stem = format!("{name}-{}", args.seed.unwrap_or(1));
            let stem =
                args.output.as_ref().and_then(|o| o.file_stem()).map_or(stem, |s| s.to_string_lossy().into_owned());
            (format!("generated ({name}, seed {})", args.seed.unwrap_or(1)), stem, record, Some(target))
        }
        (None, None) => return Err(Refusal::line("no record is given", "give a file, or --generate ec8")),
    };
    let picture = args.plot.clone().unwrap_or_else(|| Path::new("interfield-out").join(format!("{stem}-motion.svg")));
    let record = processed(args, record)?;
    let found = Figures::of(args, record, damping, target.as_deref())?;
    let written = [Some(&picture), args.output.as_ref()];
    if let Some(path) = written.into_iter().flatten().find(|p| args.file.as_ref().is_some_and(|f| same(p, f))) {
        let message = format!("`{}` is the record itself", path.display());
        return Err(Refusal::line(message, "give --output and --plot different files"));
    }
    if args.output.as_ref().is_some_and(|o| same(o, &picture)) && picture != Path::new("/dev/null") {
        let message = format!("`{}` is given for both record and plot", picture.display());
        return Err(Refusal::line(message, "give --output and --plot different files"));
    }
    draw(&picture, &found.picture(&name, target.as_deref()), DPI).map_err(|m| unsaved(&picture, m))?;
    if let Some(path) = &args.output {
        write(path, csv(&found.record)).map_err(|m| unsaved(path, m))?;
    }
    if args.json {
        print_json(&found.json(&name, &picture, args.output.as_deref()));
    } else {
        print(&found.text(&name, &picture, args.output.as_deref()));
    }
    Ok(())
}

fn unsaved(path: &Path, message: String) -> Refusal {
    Refusal {
        file: Some(path.display().to_string()),
        line: None,
        message,
        help: "give another file with --output or --plot".to_owned(),
        exit: Exit::Failure,
    }
}

/// A quantity on the command line; a plain number is in SI.
fn quantity(option: &str, text: &str, dim: Dimension) -> Result<f64, Refusal> {
    Scope::new(UnitSystem::si()).quantity(text, dim).map_err(|errors| {
        let first = errors.into_iter().next();
        let message = first.as_ref().map_or("cannot be read", |e| e.message.as_str());
        let help = first.as_ref().and_then(|e| e.help.clone());
        let help = help.unwrap_or_else(|| format!("write for example {option} \"{}\"", dim.example()));
        Refusal::line(format!("{option} {text}: {message}"), help)
    })
}

/// As [`quantity`], greater than zero.
fn positive(option: &str, text: &str, dim: Dimension) -> Result<f64, Refusal> {
    let value = quantity(option, text, dim)?;
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    let help = format!("write for example {option} \"{}\"", dim.example());
    Err(Refusal::line(format!("{option} must be greater than zero, found {text}"), help))
}

fn dimension(quantity: Quantity) -> Dimension {
    match quantity {
        Quantity::Acceleration => Dimension::ACCELERATION,
        Quantity::Velocity => Dimension::VELOCITY,
        Quantity::Displacement => Dimension::LENGTH,
    }
}

/// Reads the record.
fn open(args: &Args, path: &Path) -> Result<Record, Refusal> {
    let name = path.display().to_string();
    let unit = match &args.unit {
        None => None,
        Some(text) => {
            let help = "write for example --unit g or --unit cm/s^2";
            let unit = Unit::parse(text).map_err(|e| {
                Refusal::line(format!("--unit {text}: {}", e.message), e.help.unwrap_or_else(|| help.to_owned()))
            })?;
            let all = [Quantity::Acceleration, Quantity::Velocity, Quantity::Displacement];
            let Some(quantity) = all.into_iter().find(|q| dimension(*q) == unit.dim) else {
                let message = format!(
                    "--unit {text}: a record is an acceleration, velocity or displacement, found {}",
                    unit.dim.describe()
                );
                return Err(Refusal::line(message, help));
            };
            Some((quantity, unit.factor))
        }
    };
    let dt = args.dt.as_deref().map(|t| positive("--dt", t, Dimension::TIME)).transpose()?;
    let bytes = interfield::read_bytes(path, MAX_BYTES as u64).map_err(|e| Refusal {
        file: Some(name.clone()),
        line: None,
        message: format!("`{name}` {e}"),
        help: "give the path of a record (PEER AT2, ESM, COSMOS, columns of numbers)".to_owned(),
        exit: Exit::Failure,
    })?;
    let format = args.format.map(|f| match f {
        FormatName::Peer => Format::Peer,
        FormatName::Esm => Format::Esm,
        FormatName::Cosmos => Format::Cosmos,
        FormatName::Columns => Format::Columns,
    });
    let options = ReadOptions { format, unit: unit.map(|u| u.1), dt, column: args.column };
    let mut record = read_bytes(&bytes, &options).map_err(|e| {
        let line = if e.line > 0 { format!("line {}: ", e.line) } else { String::new() };
        // The library speaks of options: here they have names.
        let help = e
            .help
            .replace("its factor to SI in the options", "--unit")
            .replace("in the options", "on the command line");
        let help = help.replace("give dt on the command line", "give --dt, for example --dt \"10 ms\"");
        let help = if help.is_empty() { "correct the record".to_owned() } else { help };
        Refusal {
            file: Some(name.clone()),
            line: Some(e.line),
            message: format!("`{name}`: {line}{}", e.message),
            help,
            exit: Exit::BadInput,
        }
    })?;
    if let Some((quantity, _)) = unit.filter(|u| u.0 != record.quantity) {
        record.notes.push(format!("read as a {}, because of --unit", quantity.name()));
        record.quantity = quantity;
    }
    Ok(record)
}

/// Generates a motion.
fn generated(args: &Args, code: Code, damping: f64) -> Result<(Record, Target), Refusal> {
    let acceleration = |option: &str, text: &Option<String>| match text {
        Some(text) => positive(option, text, Dimension::ACCELERATION),
        None => Err(Refusal::line(format!("{option} is missing"), format!("write for example {option} 0.25g"))),
    };
    let time = |option: &str, text: &Option<String>, default: f64| {
        text.as_ref().map_or(Ok(default), |t| positive(option, t, Dimension::TIME))
    };
    let default = GenerateOptions::default();
    let (dt, duration) = (time("--dt", &args.dt, default.dt)?, time("--duration", &args.duration, default.duration)?);
    let reading =
        [("--format", args.format.is_some()), ("--unit", args.unit.is_some()), ("--column", args.column.is_some())];
    let foreign = match code {
        Code::Ec8 => [("--sds", args.sds.is_some()), ("--sd1", args.sd1.is_some()), ("--tl", args.tl.is_some())],
        Code::Asce7 => {
            [("--ag", args.ag.is_some()), ("--ground", args.ground.is_some()), ("--kind", args.kind.is_some())]
        }
    };
    if let Some((option, _)) = reading.iter().chain(&foreign).find(|o| o.1) {
        let message =
            format!("{option} cannot be used with --generate {}", if code == Code::Ec8 { "ec8" } else { "asce7" });
        return Err(Refusal::line(message, "remove it"));
    }
    let target: Target = match code {
        Code::Ec8 => {
            let ag = acceleration("--ag", &args.ag)?;
            let ground = match args.ground.as_deref().unwrap_or("A") {
                "A" | "a" => GroundType::A,
                "B" | "b" => GroundType::B,
                "C" | "c" => GroundType::C,
                "D" | "d" => GroundType::D,
                "E" | "e" => GroundType::E,
                other => {
                    return Err(Refusal::line(
                        format!("there is no ground type `{other}`"),
                        "EN 1998-1 has A, B, C, D and E",
                    ));
                }
            };
            if !(0.001..=0.5).contains(&damping) {
                let message = format!("the damping of a spectrum to fit lies between 0.001 and 0.5, found {damping}");
                return Err(Refusal::line(message, "write --damping 0.05"));
            }
            let kind = if args.kind == Some(2) { SpectrumType::Type2 } else { SpectrumType::Type1 };
            let spectrum = Ec8 { ag, ground, kind, damping };
            Box::new(move |period| spectrum.acceleration(period))
        }
        Code::Asce7 => {
            if damping != 0.05 {
                let message = format!("the design spectrum of ASCE 7 is for 5 % damping, found --damping {damping}");
                return Err(Refusal::line(message, "remove --damping"));
            }
            let (sds, sd1) = (acceleration("--sds", &args.sds)?, acceleration("--sd1", &args.sd1)?);
            let spectrum =
                Asce7 { sds: sds / STANDARD_GRAVITY, sd1: sd1 / STANDARD_GRAVITY, tl: time("--tl", &args.tl, 8.0)? };
            Box::new(move |period| spectrum.acceleration(period))
        }
    };
    if duration / dt > MAX_GENERATED {
        let message =
            format!("a generated motion has at most {MAX_GENERATED} samples, this would have {:.0}", duration / dt);
        return Err(Refusal::line(message, "give a larger --dt or a shorter --duration"));
    }
    let seed = args.seed.unwrap_or(default.seed);
    let record = generate(&*target, &GenerateOptions { dt, duration, seed, damping, ..default })
        .map_err(|e| Refusal::line(e.message, "give a --duration of 10 s or more and a --dt of 10 ms or less"))?;
    Ok((record, target))
}

/// What was asked for, done in the order of the help.
fn processed(args: &Args, mut record: Record) -> Result<Record, Refusal> {
    if let Some(order) = args.baseline {
        let fit = if record.quantity == Quantity::Acceleration { Fit::Velocity } else { Fit::Samples };
        record = record.baseline_corrected(order.into(), fit).map_err(|e| Refusal::motion("--baseline: ", &e))?;
    }
    match args.band_pass.as_slice() {
        [] => {}
        [low, high] => {
            let frequency = |text: &str| quantity("--band-pass", text, Dimension::FREQUENCY);
            let (low, high) = (frequency(low)?, frequency(high)?);
            let filtered = record.band_pass(low, high, FILTER_ORDER, Phase::Zero);
            record = filtered.map_err(|e| Refusal::motion("--band-pass: ", &e))?;
        }
        other => {
            let message = format!("--band-pass needs two frequencies, found {}", other.len());
            return Err(Refusal::line(message, "write for example --band-pass 0.1,25"));
        }
    }
    if let Some(text) = &args.resample {
        let dt = positive("--resample", text, Dimension::TIME)?;
        record = record.resampled(dt).map_err(|e| Refusal::motion("--resample: ", &e))?;
    }
    if let Some(text) = &args.peak {
        let peak = positive("--peak", text, dimension(record.quantity))?;
        record = record.scaled_to_peak(peak).map_err(|e| Refusal::motion("--peak: ", &e))?;
    }
    Ok(record)
}

/// The record as CSV.
fn csv(record: &Record) -> String {
    let symbol = match record.quantity {
        Quantity::Acceleration => "a",
        Quantity::Velocity => "v",
        Quantity::Displacement => "d",
    };
    let mut out = format!("t [s],{symbol} [{}]\n", record.quantity.unit());
    for (i, x) in record.values.iter().enumerate() {
        // Rounded so that 0.30000000000000004 does not show.
        let t = (record.time(i) * 1e9).round() / 1e9;
        // Writing into a text cannot fail.
        let _ = writeln!(out, "{t},{x}");
    }
    out
}
