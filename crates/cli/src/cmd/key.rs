//! `interfield key`: the secret that two machines share.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand};
use interfield_wire::sealed::Key;
use serde_json::json;

use crate::Exit;
use crate::output::{fail, print, print_json};
use interfield::laboratory::keys;

/// Make and compare the keys that encrypt a test over a network
///
/// Messages of a test that leave the machine are encrypted and authenticated with a key that both machines have. Make
/// the key on one machine, copy it to the other over a channel you trust, and name it with `key` in `[[specimen]]` on
/// both.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield key new lab.key\n  interfield key show lab.key")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Make a key; an existing file is never replaced
    New(File),
    /// Print the fingerprint of a key, to compare it with the one on the other machine
    Show(File),
}

#[derive(ClapArgs)]
struct File {
    /// Key file
    file: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Makes or shows one.
pub(crate) fn run(args: &Args) -> Exit {
    let (file, done) = match &args.what {
        What::New(file) => (file, make(&file.file)),
        What::Show(file) => (file, keys::read(&file.file)),
    };
    let path = file.file.display();
    match done {
        Ok(key) if file.json => {
            print_json(&json!({ "file": path.to_string(), "fingerprint": key.fingerprint() }));
            Exit::Done
        }
        Ok(key) => {
            print(&format!("{path}: key {}\n", key.fingerprint()));
            if matches!(args.what, What::New(_)) {
                print(&format!(
                    "  copy it to the other machine over a channel you trust (scp, USB stick), mode 0600\n  \
                     in [[specimen]] on both: key = \"{path}\"\n"
                ));
            }
            Exit::Done
        }
        Err(message) => {
            fail(file.json, Some(&path.to_string()), None, &message, "");
            Exit::Failure
        }
    }
}

fn make(path: &Path) -> Result<Key, String> {
    let key = Key::random()?;
    keys::write(path, &key).map(|()| key)
}
