//! `interfield bench`: public benchmarks of the field.

mod figure;
mod records;
mod vrths;

use clap::{Args as ClapArgs, Subcommand};

use crate::Exit;

/// Run a public benchmark of the field
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield bench vrths\n  interfield bench vrths --controller ats --perturbed 20\n  \
interfield bench vrths --records ground-motions --controller pi-lead --json"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    Vrths(vrths::Args),
}

pub(crate) fn run(args: &Args) -> Exit {
    match &args.benchmark {
        Benchmark::Vrths(args) => vrths::run(args),
    }
}
