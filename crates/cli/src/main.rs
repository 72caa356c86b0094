//! The command line of Interfield. One file per subcommand in `cmd`; no numerics here.

mod cmd;
mod load;
mod plot;
mod report;
mod table;

use clap::{Parser, Subcommand};

/// How a command ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Done.
    Done = 0,
    /// A file could not be read or written.
    Failure = 1,
    /// The model or the command line is wrong; every mistake has been shown.
    BadInput = 2,
    /// A run stopped before its end; everything recorded up to there has been kept.
    Fault = 3,
    /// Stopped by Ctrl-C; everything recorded up to there has been kept.
    Interrupted = 130,
}

/// Workbench for hybrid simulation: time integration of structures, up to real time.
///
/// Without a command, a complete example is run, with a report to look at.
#[derive(Parser)]
#[command(name = "interfield", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 a file could not be read or written, 2 mistake in the model or on the \
command line,\n3 the run stopped before its end (results kept), 130 interrupted (results kept).")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Run(cmd::run::Args),
    Modes(cmd::modes::Args),
    Spectrum(cmd::spectrum::Args),
    Order(cmd::order::Args),
    Schemes(cmd::schemes::Args),
    Elements(cmd::elements::Args),
}

fn main() -> std::process::ExitCode {
    let exit = match Cli::parse().command {
        None => cmd::run::example(),
        Some(Command::Run(args)) => cmd::run::run(&args),
        Some(Command::Modes(args)) => cmd::modes::run(&args),
        Some(Command::Spectrum(args)) => cmd::spectrum::run(&args),
        Some(Command::Order(args)) => cmd::order::run(&args),
        Some(Command::Schemes(args)) => cmd::schemes::run(&args),
        Some(Command::Elements(args)) => cmd::elements::run(&args),
    };
    std::process::ExitCode::from(exit as u8)
}
