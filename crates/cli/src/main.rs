//! The command line of Interfield. One file per subcommand in `cmd`; no numerics here.

mod catalogue;
mod cmd;
mod console;
mod drawing;
mod frames;
mod interrupt;
mod load;
mod natural;
mod output;
mod report;
mod schema;
mod stored;
mod team;

use clap::{Parser, Subcommand};

use crate::team::Team;

/// How a command ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Done.
    Done = 0,
    /// A file could not be read or written.
    Failure = 1,
    /// The model or the command line is wrong; every mistake has been shown.
    BadInput = 2,
    /// A run stopped before its end, and everything recorded up to there has been kept; or its verdict is failed; or two
    /// results differ by more than is allowed; or a step is unstable.
    Fault = 3,
    /// Stopped by Ctrl-C; everything recorded up to there has been kept.
    Interrupted = 130,
}

/// Workbench for hybrid simulation: time integration of structures, up to real time.
///
/// A model is one text file (TOML). Without a command, a complete example runs and writes its report.
#[derive(Parser)]
#[command(name = "interfield", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  interfield                                  run the built-in example, an isolated building
  interfield new tower                        start a model, commented and ready to run
  interfield check models/frame.toml          show how the model was read, with warnings
  interfield check tower.toml --stability     is the step stable; if not, which motion grows
  interfield run models/frame.toml            run a model: a result file and a report
  interfield pushover models/rc-portal.toml   push it, or a specimen, by a protocol of displacements
  interfield ensemble tower.toml --seeds 1..50   many runs and their statistics
  interfield lab tower.toml                   emulate its laboratory in a separate process
  interfield serve tower.toml                 serve its specimen to OpenSees, OpenFresco, UT-SIM
  interfield show interfield-out/frame.h5     summary of a result file
  interfield console interfield-out/tower.h5   play a test back on the page of the console
  interfield report interfield-out/frame.h5   write its report again
  interfield pack interfield-out/tower.h5     archive a test with all of its files
  interfield compare a.h5 b.h5                compare two results
  interfield export a.h5 -o a.mat             convert a result for MATLAB, or to CSV
  interfield export c tower.toml --out tower-c   generate C code for a real-time target
  interfield import opensees frame.py         translate a script of OpenSees into model files
  interfield modes models/frame.toml          natural frequencies and mode shapes
  interfield frf models/three-dof.toml        frequency response of a structure and of its parts
  interfield motion record.at2                key values and plot of a ground motion
  interfield identify test.h5 --element auto   law of a specimen from its deformation and force
  interfield elements bouc-wen                parameters and equations of an element
  interfield explain specimen.rate            meaning of a key of the model file
  interfield stability-map --coupling pmc     plot where a coupling is stable
  interfield spectrum --scheme lsrt2          numerical damping and frequency error of a scheme
  interfield rehearse test.toml               loop stability and actuator demands before a test
  interfield doctor test.toml                 can this machine keep the rate of the test
  interfield mpi                              connect the program to MPI, for several machines
  interfield reproduce                        recompute the figures of the papers, check claims
  interfield bench vrths                      evaluate a compensator in a public benchmark

Exit codes:
  0    done
  1    a file could not be read or written
  2    errors in the model or on the command line; all of them are listed
  3    the run stopped before its end (results up to there are kept); or `compare` found differences
       above --tolerance; or `fmt --check` found a file to format; or `check --stability` found
       an unstable step; or `rehearse` found that the test is not ready; or `doctor` found that the
       machine cannot keep the rate; or an item of `reproduce` failed; or a test of `bench` became unstable
  130  interrupted (Ctrl-C); results up to there are kept")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    New(cmd::new::Args),
    Check(cmd::check::Args),
    Run(cmd::run::Args),
    Pushover(cmd::pushover::Args),
    Lab(cmd::lab::Args),
    Identify(cmd::identify::Args),
    IdentifyActuator(cmd::identify_actuator::Args),
    Key(cmd::key::Args),
    Replay(cmd::replay::Args),
    Serve(cmd::serve::Args),
    Ensemble(cmd::ensemble::Args),
    Show(cmd::show::Args),
    Console(cmd::console::Args),
    Compare(cmd::compare::Args),
    Plot(cmd::plot::Args),
    Report(cmd::report::Args),
    Pack(cmd::pack::Args),
    Export(cmd::export::Args),
    Import(cmd::import::Args),
    Fmu(cmd::fmu::Args),
    Modes(cmd::modes::Args),
    Frf(cmd::frf::Args),
    Reduce(cmd::reduce::Args),
    Material(cmd::material::Args),
    Motion(cmd::motion::Args),
    Spectrum(cmd::spectrum::Args),
    StabilityMap(cmd::stability_map::Args),
    Order(cmd::order::Args),
    Rehearse(cmd::rehearse::Args),
    Doctor(cmd::doctor::Args),
    Reproduce(cmd::reproduce::Args),
    Schemes(cmd::schemes::Args),
    Couplings(cmd::couplings::Args),
    Compensators(cmd::compensators::Args),
    Elements(cmd::elements::Args),
    Explain(cmd::explain::Args),
    Bench(cmd::bench::Args),
    Fmt(cmd::fmt::Args),
    Schema(cmd::schema::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
    Expand(cmd::expand::Args),
    Mpi(cmd::mpi::Args),
    #[command(hide = true)]
    Figures(cmd::figures::Args),
    #[command(hide = true)]
    Keep(cmd::keep::Args),
}

fn main() -> std::process::ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(e) => return usage(&e),
    };
    if !matches!(command, Some(Command::Run(_) | Command::Ensemble(_)))
        && let Err(exit) = Team::refuse_others()
    {
        return std::process::ExitCode::from(exit as u8);
    }
    let exit = match command {
        None => cmd::run::example(),
        Some(Command::New(args)) => cmd::new::run(&args),
        Some(Command::Check(args)) => cmd::check::run(&args),
        Some(Command::Run(args)) => cmd::run::run(&args),
        Some(Command::Pushover(args)) => cmd::pushover::run(&args),
        Some(Command::Lab(args)) => cmd::lab::run(&args),
        Some(Command::Identify(args)) => cmd::identify::run(&args),
        Some(Command::IdentifyActuator(args)) => cmd::identify_actuator::run(&args),
        Some(Command::Key(args)) => cmd::key::run(&args),
        Some(Command::Replay(args)) => cmd::replay::run(&args),
        Some(Command::Serve(args)) => cmd::serve::run(&args),
        Some(Command::Ensemble(args)) => cmd::ensemble::run(&args),
        Some(Command::Show(args)) => cmd::show::run(&args),
        Some(Command::Console(args)) => cmd::console::run(&args),
        Some(Command::Compare(args)) => cmd::compare::run(&args),
        Some(Command::Plot(args)) => cmd::plot::run(&args),
        Some(Command::Report(args)) => cmd::report::run(&args),
        Some(Command::Pack(args)) => cmd::pack::run(&args),
        Some(Command::Export(args)) => cmd::export::run(&args),
        Some(Command::Import(args)) => cmd::import::run(&args),
        Some(Command::Fmu(args)) => cmd::fmu::run(&args),
        Some(Command::Modes(args)) => cmd::modes::run(&args),
        Some(Command::Frf(args)) => cmd::frf::run(&args),
        Some(Command::Reduce(args)) => cmd::reduce::run(&args),
        Some(Command::Material(args)) => cmd::material::run(&args),
        Some(Command::Motion(args)) => cmd::motion::run(&args),
        Some(Command::Spectrum(args)) => cmd::spectrum::run(&args),
        Some(Command::StabilityMap(args)) => cmd::stability_map::run(&args),
        Some(Command::Order(args)) => cmd::order::run(&args),
        Some(Command::Rehearse(args)) => cmd::rehearse::run(&args),
        Some(Command::Doctor(args)) => cmd::doctor::run(&args),
        Some(Command::Reproduce(args)) => cmd::reproduce::run(&args),
        Some(Command::Schemes(args)) => cmd::schemes::run(&args),
        Some(Command::Couplings(args)) => cmd::couplings::run(&args),
        Some(Command::Compensators(args)) => cmd::compensators::run(&args),
        Some(Command::Elements(args)) => cmd::elements::run(&args),
        Some(Command::Explain(args)) => cmd::explain::run(&args),
        Some(Command::Bench(args)) => cmd::bench::run(&args),
        Some(Command::Fmt(args)) => cmd::fmt::run(&args),
        Some(Command::Schema(args)) => cmd::schema::run(&args),
        Some(Command::Completions(args)) => cmd::completions::run(&args),
        Some(Command::Man(args)) => cmd::man::run(&args),
        Some(Command::Expand(args)) => cmd::expand::run(&args),
        Some(Command::Mpi(args)) => cmd::mpi::run(&args),
        Some(Command::Figures(args)) => cmd::figures::run(&args),
        Some(Command::Keep(args)) => cmd::keep::run(&args),
    };
    let exit = if exit == Exit::Done && output::lost() { Exit::Failure } else { exit };
    std::process::ExitCode::from(exit as u8)
}

/// Shows help or version, or says what is wrong with the command line (also as JSON if that was asked for).
fn usage(e: &clap::Error) -> std::process::ExitCode {
    // A reader that has gone away is no error.
    let _ = e.print();
    if !e.use_stderr() {
        return std::process::ExitCode::from(Exit::Done as u8);
    }
    if std::env::args_os().any(|a| a == "--json") {
        let text = e.render().to_string();
        let text = text.trim_start_matches("error: ");
        let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
        let help = rest.lines().map(str::trim).find_map(|l| l.strip_prefix("tip: "));
        let help = help.unwrap_or("`interfield --help` lists the commands, `interfield COMMAND --help` their options");
        output::print_json(&serde_json::json!({ "errors": [{
            "severity": "error", "file": "command line", "line": null, "column": null,
            "message": message.trim(), "help": help,
        }] }));
    }
    std::process::ExitCode::from(Exit::BadInput as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The examples of a help text as command lines, without redirections and explanations.
    fn examples(help: &str) -> Vec<Vec<String>> {
        let help = help.split("\\\n").map(str::trim_start).collect::<String>();
        let lines = help.lines().filter_map(|l| l.strip_prefix("  ")).filter(|l| l.starts_with("interfield"));
        let command = |l: &str| {
            let l = l.split("   ").next().unwrap_or(l).split(['<', '>']).next().unwrap_or(l).to_owned();
            let mut quoted = false;
            let blank = |c: char| {
                quoted ^= c == '"';
                c == ' ' && !quoted
            };
            l.split(blank).filter(|w| !w.is_empty()).map(|w| w.replace('"', "")).collect()
        };
        lines.map(command).collect()
    }

    #[test]
    fn every_command_has_examples_and_every_example_can_be_parsed() {
        let main = Cli::command();
        for command in main.get_subcommands().chain([&main]) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let found = examples(&help);
            let name = command.get_name();
            assert!(!found.is_empty(), "`{name} --help` has no example");
            for words in found {
                assert!(name == "interfield" || words.get(1).is_some_and(|w| w == name), "{name}: {words:?}");
                if let Err(e) = Cli::try_parse_from(&words) {
                    panic!("the example {words:?} of `{name}` is refused: {e}");
                }
            }
        }
    }

    #[test]
    fn every_command_of_the_gallery_can_be_parsed() {
        for item in interfield_gallery::ITEMS {
            assert!(!item.commands.is_empty(), "{} has no command", item.id);
            let lines: String = item.commands.iter().map(|c| format!("\n  {c}")).collect();
            let found = examples(&format!("Examples:{lines}"));
            assert_eq!(found.len(), item.commands.len(), "{}: a command does not start with `interfield`", item.id);
            for words in found {
                if let Err(e) = Cli::try_parse_from(&words) {
                    panic!("{}: {words:?} is refused: {e}", item.id);
                }
            }
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
