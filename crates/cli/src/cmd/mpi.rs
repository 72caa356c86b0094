//! `interfield mpi`: compiles the connection to the MPI of this machine.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_mpi::{VARIABLE, beside, build};
use serde_json::json;

use crate::Exit;
use crate::output::{fail, print, print_json};

/// Connect the program to the MPI of this machine, for runs on several machines
///
/// Implementations of MPI differ in their binary interface, so the connection is compiled here, with the compiler of the MPI in use. The
/// program itself is not linked with MPI and needs none.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield mpi\n  interfield mpi --compiler mpicc.mpich --output /opt/interfield/libinterfield_mpi.so\n\n\
Then: mpirun -n 4 interfield run MODEL.toml"
)]
pub(crate) struct Args {
    /// Compiler of the MPI in use
    #[arg(long, value_name = "PROGRAM", default_value = "mpicc")]
    compiler: String,
    /// Write the connection to this file [default: beside the program]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the result as JSON on standard output
    #[arg(long)]
    json: bool,
}

/// Compiles it.
pub(crate) fn run(args: &Args) -> Exit {
    let path = args.output.clone().unwrap_or_else(beside);
    if let Err(message) = build(&args.compiler, &path) {
        let help = "install an MPI with its compiler (Debian: apt-get install openmpi-bin libopenmpi-dev; on a cluster: module load openmpi), or give \
                    another place with --output";
        fail(args.json, None, None, &message, help);
        return Exit::Failure;
    }
    let elsewhere = path != beside();
    if args.json {
        print_json(&json!({ "connection": path.display().to_string(), "variable": elsewhere.then_some(VARIABLE) }));
    } else {
        print(&format!("connection: {}\n", path.display()));
        if elsewhere {
            print(&format!("the program finds it there with: export {VARIABLE}={}\n", path.display()));
        }
    }
    Exit::Done
}
