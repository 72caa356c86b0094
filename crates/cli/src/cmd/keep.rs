//! `interfield keep`: becomes a program that does not outlive the run that started it.

use std::ffi::OsString;

use clap::Args as ClapArgs;

use crate::Exit;
use crate::output::complain;
use interfield::programs::become_program;

/// Become a program that ends when the process that started it does
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield keep --parent 4711 -- python3 frame.py")]
pub(crate) struct Args {
    /// The process that started this one
    #[arg(long)]
    parent: u32,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &Args) -> Exit {
    complain(&become_program(args.parent, &args.command));
    Exit::Failure
}
