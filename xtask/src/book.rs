//! The book: built from its chapters, the registries and the help of the program. A link that leads nowhere fails it.

use std::process::Command;

use crate::context::{Context, Outcome};

/// Builds it to target/book.
pub(crate) fn stage(context: &Context) -> Outcome {
    context.build()?;
    let out = context.target.join("book");
    // What an earlier build left must not hide a missing page.
    match std::fs::remove_dir_all(&out) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(format!("{}: {e}", out.display())),
        _ => {}
    }
    let mut command = Command::new(context.program("interfield-book"));
    command.arg(context.interfield()).arg(&out);
    context.run(command)?;
    Ok(context.relative(&out.join("index.html")).display().to_string())
}
