//! What goes to the terminal or into a pipe. Nothing here can panic: a reader that has gone away is no error, a full
//! disk makes the exit code 1.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use interfield_structure::preparation::{Stage, Watch};
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

/// Says how far a long start is, once it has lasted for a while, as long as it exists.
pub(crate) struct Following {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A start that takes longer says how far it is.
const PATIENCE: Duration = Duration::from_millis(1500);

impl Following {
    /// Follows a watch, if it is `wanted` and somebody looks at standard error.
    pub(crate) fn new(watch: &Arc<Watch>, wanted: bool) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        if !wanted || !std::io::stderr().is_terminal() {
            return Following { stop, thread: None };
        }
        let (watch, stopped) = (watch.clone(), stop.clone());
        let follow = move || {
            let begin = Instant::now();
            let mut stage: Option<(Stage, Instant)> = None;
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("  {msg}") {
                bar.set_style(style);
            }
            while !stopped.load(Ordering::Acquire) {
                let now = watch.now();
                if stage.map(|s| s.0) != now.map(|n| n.0) {
                    stage = now.map(|(what, _)| (what, Instant::now()));
                }
                if begin.elapsed() > PATIENCE {
                    let seconds = stage.map_or(0.0, |s| s.1.elapsed().as_secs_f64());
                    bar.set_message(start_line(now, seconds));
                }
                std::thread::park_timeout(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        };
        Following { stop, thread: std::thread::Builder::new().spawn(follow).ok() }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It only drew.
            let _ = thread.join();
        }
    }
}

/// What is being done, how much of it is done, and how long the rest takes if it goes on like that.
fn start_line(now: Option<(Stage, f64)>, seconds: f64) -> String {
    let Some((stage, share)) = now else { return "preparing".to_owned() };
    let what = match stage {
        Stage::Ordering => "ordering the unknowns",
        Stage::Factorising => "factorising",
    };
    let percent = 100.0 * share;
    if share < 0.02 {
        return format!("{what}: {percent:.0} %");
    }
    format!("{what}: {percent:.0} %, {:.0} s left", (seconds * (1.0 - share) / share).ceil())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_start_says_how_long_it_takes() {
        assert_eq!(start_line(None, 3.0), "preparing");
        assert_eq!(start_line(Some((Stage::Ordering, 0.001)), 3.0), "ordering the unknowns: 0 %");
        assert_eq!(start_line(Some((Stage::Factorising, 0.25)), 3.0), "factorising: 25 %, 9 s left");
        assert_eq!(start_line(Some((Stage::Factorising, 1.0)), 3.0), "factorising: 100 %, 0 s left");
    }
}
