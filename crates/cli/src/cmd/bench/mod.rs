//! `interfield bench`: public benchmarks of the field.

mod certificate;
mod compensators;
mod figure;
mod marths;
mod marths_figure;
mod records;
mod vrths;

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand};
use interfield_report::Figure;

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::pair;
use crate::output::fail;
use crate::stored::check_output;

/// Run a public benchmark of the field
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield bench vrths\n  interfield bench vrths --controller ats --perturbed 20\n  \
interfield bench marths --records ground-motions --perturbed 200\n  interfield bench compensators\n  \
interfield bench certificate --plants 100000"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    Vrths(vrths::Args),
    Marths(marths::Args),
    Compensators(compensators::Args),
    Certificate(certificate::Args),
}

/// The tests of a benchmark.
#[derive(ClapArgs)]
struct Tests {
    /// Folder with the records of El Centro, Kobe and Morgan Hill [default: a synthetic motion]
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Number of additional plants with perturbed actuators and specimens, for each motion and case
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    perturbed: u32,
    /// Seed of the sensor noise and of the perturbations
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// Parameters of the controller under test, and the picture.
#[derive(ClapArgs)]
struct Controlled {
    /// Parameter of the compensator, e.g. --param ahead=1
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    param: Vec<(String, String)>,
    /// Picture, FILE.svg or FILE.png [default: interfield-out/BENCHMARK-CONTROLLER.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Controlled {
    /// Where the picture goes, after it is known that it can.
    fn picture(&self, benchmark: &str, controller: &str, json: bool) -> Result<PathBuf, Exit> {
        let default = || PathBuf::from("interfield-out").join(format!("{benchmark}-{controller}.svg"));
        let output = self.output.clone().unwrap_or_else(default);
        check_output(&output, &["svg", "png"], &[], json)?;
        Ok(output)
    }
}

/// Draws the picture of a benchmark; its name.
fn drawn(output: &Path, figure: &Figure, json: bool) -> Result<String, Exit> {
    let name = output.display().to_string();
    draw(output, figure, DPI).map_err(|message| {
        fail(json, Some(&name), None, &message, "give another file with --output");
        Exit::Failure
    })?;
    Ok(name)
}

pub(crate) fn run(args: &Args) -> Exit {
    match &args.benchmark {
        Benchmark::Vrths(args) => vrths::run(args),
        Benchmark::Marths(args) => marths::run(args),
        Benchmark::Compensators(args) => compensators::run(args),
        Benchmark::Certificate(args) => certificate::run(args),
    }
}
