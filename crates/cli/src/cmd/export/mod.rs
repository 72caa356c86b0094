//! `interfield export`: a result file as CSV or for MATLAB; a model as a program.

mod c;
mod fmu;
mod host;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use interfield_codegen::Interface;
use interfield_results::{Error, export};
use serde_json::json;

use crate::Exit;
use crate::output::{fail, print, print_json};
use crate::stored;
use interfield::files::{folder, has_extension, unwritten};

/// Write a result file as CSV or as a MATLAB 5 file, or a model as a program
///
/// A MATLAB 5 file is read by `load` in MATLAB and Octave and by scipy.io.loadmat. MATLAB, Python and Octave also read
/// the result file itself (h5read, h5py, load).
#[derive(ClapArgs)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  interfield export interfield-out/frame.h5 -o frame.csv\n  \
interfield export interfield-out/frame.h5 -o frame.mat\n  \
interfield export c models/frame.toml --out frame-c\n  \
interfield export fmu models/frame.toml --out frame.fmu")]
pub(crate) struct Args {
    #[command(subcommand)]
    program: Option<Program>,
    #[command(flatten)]
    table: Option<Table>,
}

/// What a model can become.
#[derive(Subcommand)]
enum Program {
    C(c::Args),
    Fmu(fmu::Args),
    Simulink(host::Simulink),
    Twincat(host::Twincat),
}

/// A result file and where it goes.
#[derive(ClapArgs)]
struct Table {
    /// Result file (.h5)
    result: PathBuf,
    /// File to write: FILE.csv or FILE.mat
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print what was written, or the errors, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match (&args.program, &args.table) {
        (Some(Program::C(args)), _) => c::run(args),
        (Some(Program::Fmu(args)), _) => fmu::run(args),
        (Some(Program::Simulink(args)), _) => args.run(),
        (Some(Program::Twincat(args)), _) => args.run(),
        (None, Some(table)) => run_table(table),
        // The parser asks for one of them.
        (None, None) => Exit::BadInput,
    }
}

fn run_table(args: &Table) -> Exit {
    let (path, json) = (&args.output, args.json);
    let reader = match stored::open(&args.result, json)
        .and_then(|r| stored::check_output(path, &["csv", "mat"], &[&args.result], json).map(|()| r))
    {
        Ok(r) => r,
        Err(e) => return e,
    };
    let write = if has_extension(path, "csv") { export::csv_file } else { export::mat5 };
    let io = |source| Error::Io { path: path.clone(), source };
    let name = path.display().to_string();
    match folder(path).map_err(io).and_then(|()| write(&reader, path)) {
        Ok(()) => {}
        Err(Error::Io { path: at, source }) if at == *path => {
            fail(json, Some(&name), None, &unwritten(path, &source), "give another file with --output");
            return Exit::Failure;
        }
        Err(e) => return stored::damaged(&e, json),
    }
    let (rows, channels) = (reader.rows(), reader.channels().len());
    if json {
        let result = args.result.display().to_string();
        print_json(&json!({ "result": result, "output": name, "rows": rows, "channels": channels }));
    } else {
        print(&format!("{name}: {rows} rows of {channels} channels\n"));
    }
    Exit::Done
}

/// What a generated program is: scheme, step, inputs, outputs, commands, parameters.
fn summary(i: &Interface) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut interface = vec![count(i.inputs.len(), "input"), count(i.outputs.len(), "output")];
    if !i.commands.is_empty() {
        interface.push(count(i.commands.len(), "command"));
    }
    interface.push(count(i.parameters.len(), "parameter"));
    format!("scheme {}, step {}; {}", i.scheme, interfield::table::time(i.dt), interface.join(", "))
}
