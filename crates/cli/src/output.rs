//! What goes to the terminal or into a pipe. Nothing here can panic: a reader that has gone away is no error, a full
//! disk makes the exit code 1.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

/// Whether something written to standard output was lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether something written to standard output was lost, other than by a reader that wanted no more.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Prints text on standard output.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(e) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
        && e.kind() != ErrorKind::BrokenPipe
        && !LOST.swap(true, Ordering::Relaxed)
    {
        complain(&format!("error: the output could not be written: {e}"));
    }
}

/// Prints a JSON document on standard output.
pub(crate) fn print_json(value: &Value) {
    print(&format!("{value:#}\n"));
}

/// Prints a line on standard error; where that is impossible it is lost.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A bar on standard error over so many things, if it is `wanted` and somebody looks.
pub(crate) fn progress(total: u64, things: &str, wanted: bool) -> ProgressBar {
    let visible = wanted && std::io::stderr().is_terminal();
    let target = if visible { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(total), target);
    if let Ok(style) =
        ProgressStyle::with_template(&format!("  {{bar:40}} {{percent:>3}} %  {{pos}}/{{len}} {things}  ETA {{eta}}"))
    {
        bar.set_style(style);
    }
    bar
}

/// Says what went wrong outside a model: on standard error, and with `json` as a document on standard output.
pub(crate) fn fail(json: bool, file: Option<&str>, place: Option<(usize, usize)>, message: &str, help: &str) {
    fail_all(json, file, place, &[(message.to_owned(), help.to_owned())]);
}

/// As [`fail`], for several messages, each with its suggestion.
pub(crate) fn fail_all(json: bool, file: Option<&str>, place: Option<(usize, usize)>, messages: &[(String, String)]) {
    for (message, help) in messages {
        complain(&format!("error: {message}"));
        if !help.is_empty() {
            complain(&format!("help: {help}"));
        }
    }
    if json {
        let (line, column) = place.unzip();
        let error = |(message, help): &(String, String)| {
            json!({
                "severity": "error", "file": file.unwrap_or("command line"), "line": line, "column": column,
                "message": message, "help": (!help.is_empty()).then_some(help),
            })
        };
        print_json(&json!({ "errors": messages.iter().map(error).collect::<Vec<_>>() }));
    }
}
