//! `interfield bench certificate`: the certificate of stability tried on random tests.

use std::time::Instant;

use clap::Args as ClapArgs;
use interfield::quantities::UNITS;
use interfield::stability::hunt::hunt;
use interfield::table::time;
use interfield_analysis::scan::all_cores;

use crate::Exit;
use crate::output::{print, print_json, progress};

/// The certificate of stability on random tests: what it certifies must not grow, its critical delays must be right
///
/// Each test is a structure of one or two storeys with a specimen behind an ideal, first-order or second-order actuator, with or without compensation; delay,
/// gain, dynamics and specimen lie within random intervals. What is certified for all values is run in the time domain, at corners of its intervals and
/// at points between, and must not grow there; what is said to grow must grow. Each critical delay is compared with the one of the time domain: delays
/// are tried from zero upwards, four per sample, then bisected, without knowing the prediction. Growth that is too slow for a run is judged by the
/// eigenvalues of the whole loop, and counted.
///
/// Covered are linear loops at one state with one actuator. Not covered: laws that yield, harden or lose contact, several actuators, noise, filters,
/// limits of stroke and force. `check --stability` and `rehearse` use the certificate for models with `uncertain` numbers.
///
/// The same seed gives the same tests on any number of threads. The command fails (exit code 3) if anything is wrong.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield bench certificate\n  interfield bench certificate --plants 100000 --threads 2\n  \
interfield bench certificate --seed 7 --json"
)]
pub(super) struct Args {
    /// Number of random tests
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    plants: u64,
    /// Seed of the random tests
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Exit {
    let started = Instant::now();
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let bar = progress(args.plants, "tests", !args.json);
    let found = hunt(args.seed, args.plants, threads, |done| bar.set_position(done));
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    if args.json {
        let mut document = found.json();
        document["seconds"] = seconds.into();
        document[UNITS] = serde_json::json!({ "seconds": "s" });
        print_json(&document);
    } else {
        print(&format!("{}  {} on {threads} threads\n", found.text(), time(seconds)));
    }
    if found.passed() { Exit::Done } else { Exit::Fault }
}
