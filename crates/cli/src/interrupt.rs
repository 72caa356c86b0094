//! What comes from outside while a run goes on: Ctrl-C, and words on standard input.

use std::io::BufRead;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use interfield::Operator;
use interfield_lab::controller::Word;

use crate::Exit;
use crate::output::complain;

/// The first Ctrl-C ends a test as it should end: the specimen returns to its start position, everything is kept. The second brakes it where it is and switches
/// off. Whatever hangs meanwhile, a program or an FMU, does not keep the third from ending the process; nor the second, after a while.
pub(crate) fn on_interrupt(operator: &Operator) {
    let (operator, asked) = (operator.clone(), AtomicU8::new(0));
    // A second handler in one process is impossible here; without one Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(move || match asked.fetch_add(1, Ordering::AcqRel) {
        0 => operator.interrupt(),
        1 if operator.has_rigs() => {
            let _ = operator.say(&Word::Abort);
            complain("interrupted again: specimens stop where they are, and the program ends");
            std::thread::spawn(|| {
                std::thread::sleep(LAST_WORDS);
                std::process::exit(i32::from(Exit::Interrupted as u8));
            });
        }
        _ => std::process::exit(i32::from(Exit::Interrupted as u8)),
    });
}

/// How long a program that was interrupted twice has to end by itself.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Listens to standard input for what somebody wants, and answers on standard error. `own`: words of a command that others do not know.
pub(crate) fn listen(operator: &Operator, own: impl Fn(&str) -> Option<Result<String, String>> + Send + 'static) {
    let operator = operator.clone();
    // The thread ends with the process: it waits for a line that may never come.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|l| !l.trim().is_empty()) {
            let answer = own(line.trim()).unwrap_or_else(|| Word::parse(&line).and_then(|word| operator.say(&word)));
            match answer {
                Ok(text) => complain(&format!("{}: {text}", line.trim())),
                Err(text) => complain(&format!("{}: refused: {text}", line.trim())),
            }
        }
    });
}
