//! `interfield man`: manual pages, from the help of the commands.

use std::path::PathBuf;

use clap::{Args as ClapArgs, CommandFactory};
use clap_mangen::{Man, generate_to};

use crate::output::{fail, print};
use crate::{Cli, Exit};

/// Print the manual page, or write the pages of all commands to a folder
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield man\n  interfield man --out ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Write interfield.1, interfield-run.1, ... to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Exit {
    let Some(folder) = &args.out else {
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = Man::new(Cli::command()).render(&mut text);
        print(&String::from_utf8_lossy(&text));
        return Exit::Done;
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| generate_to(Cli::command(), folder));
    if let Err(e) = written {
        let message = format!("the pages cannot be written to `{}`: {e}", folder.display());
        fail(false, Some(&folder.display().to_string()), None, &message, "give another folder with --out");
        return Exit::Failure;
    }
    print(&format!("{}: interfield.1 and a page for each command\n", folder.display()));
    Exit::Done
}
