//! `interfield completions`: completion of commands and options by the shell.

use clap::{Args as ClapArgs, CommandFactory};
use clap_complete::{Shell, generate};

use crate::output::print;
use crate::{Cli, Exit};

/// Print a completion script for a shell
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield completions bash > ~/.local/share/bash-completion/completions/interfield\n  \
interfield completions zsh > ~/.zfunc/_interfield\n  \
interfield completions fish > ~/.config/fish/completions/interfield.fish"
)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Exit {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "interfield", &mut script);
    print(&String::from_utf8_lossy(&script));
    Exit::Done
}
