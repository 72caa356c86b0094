//! `interfield pushover`: a structure pushed from balance to balance, or a specimen tested slowly, by a protocol of displacements.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_language::parse::pushover::PushOverrides;

use super::run::{self, Options, Running};
use crate::Exit;
use crate::load::{ModelArgs, pair};

/// Push a structure from balance to balance, or test a specimen slowly: a displacement follows `[pushover]` of the model
///
/// Gravity acts, loads in time do not. With `[[specimen]]` it is a quasi-static test: each step moves the specimen once, within the limits of its
/// guard, and takes its measured force; `interfield rehearse MODEL --pushover` checks it before. The result file and the report hold the
/// pushover curve (base shear over displacement), stiffness, yield, peak, ductility and the energy of each cycle. Results are those of
/// `interfield run`, in MODEL-pushover.h5.
#[derive(ClapArgs, Clone)]
#[command(after_help = "Examples:\n  interfield pushover models/rc-portal.toml\n  \
interfield pushover models/rc-portal.toml --to \"120 mm\" --step \"1 mm\"\n  \
interfield pushover models/rc-portal.toml --cycles 20,40,80 --repeat 2 --json")]
pub(crate) struct Args {
    /// Model file with a `[pushover]`
    model: PathBuf,
    /// Replace a parameter of the model, e.g. --set k=4000, --set "E=25 GPa"
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Push to this displacement; with a protocol, up to this amplitude
    #[arg(long, value_name = "DISPLACEMENT", allow_hyphen_values = true, conflicts_with = "cycles")]
    to: Option<String>,
    /// Amplitudes of cycles, separated by commas, e.g. "10 mm,20 mm"
    #[arg(long, value_name = "AMPLITUDES", value_delimiter = ',', allow_hyphen_values = true)]
    cycles: Vec<String>,
    /// Cycles at each amplitude
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// Longest step of the displacement, e.g. "1 mm"
    #[arg(long, value_name = "DISPLACEMENT", allow_hyphen_values = true)]
    step: Option<String>,
    /// Largest velocity of the displacement in a test, e.g. "0.5 mm/s"
    #[arg(long, value_name = "VELOCITY", allow_hyphen_values = true)]
    velocity: Option<String>,
    #[command(flatten)]
    running: Running,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Exit {
    let Args { set, to, cycles, repeat, step, velocity, .. } = args.clone();
    let cycles = cycles.iter().map(|c| c.trim().to_owned()).filter(|c| !c.is_empty()).collect();
    let push = PushOverrides { to, cycles, repeat, step, velocity };
    let settings = ModelArgs { set, pushover: Some(push), ..ModelArgs::default() };
    let options = Options { settings, running: args.running.clone(), ..Options::default() };
    run::with(&args.model, &options, None)
}
