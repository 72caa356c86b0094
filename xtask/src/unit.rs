//! All tests of the workspace, by cargo's own runner, and their total.

use crate::context::{Context, Outcome};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// Runs them; a failure in one crate does not stop the others.
pub(crate) fn stage(context: &Context) -> Outcome {
    // Scripts of OpenSees are run by the first `python3` there is; they load numpy.
    let python = crate::python::scripts(context)?;
    let folder = python.parent().map(Path::to_path_buf).ok_or("a Python without a folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path)))
        .map_err(|e| format!("PATH: {e}"))?;
    let mut command = context.cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
    println!("$ cargo test --workspace --locked --no-fail-fast");
    let start =
        command.env("PATH", path).current_dir(&context.root).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = start.map_err(|e| format!("cargo test cannot be started: {e}"))?;
    let mut total = Total::default();
    let out = child.stdout.take().ok_or("cargo test has no output")?;
    for line in BufReader::new(out).split(b'\n') {
        let line = line.map_err(|e| format!("reading from cargo test: {e}"))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        total.add(&line);
    }
    let status = child.wait().map_err(|e| format!("cargo test: {e}"))?;
    let text = format!("{} passed, {} failed, {} ignored", total.passed, total.failed, total.ignored);
    if !status.success() {
        let names: String = total.names.iter().map(|n| format!("\n{n}")).collect();
        return Err(format!("{text} ({status}){names}"));
    }
    if total.passed == 0 {
        return Err(format!("{text}: no test ran"));
    }
    Ok(text)
}

/// Sums of cargo's closing lines.
#[derive(Debug, Default, PartialEq)]
struct Total {
    passed: u64,
    failed: u64,
    ignored: u64,
    names: Vec<String>,
}

impl Total {
    /// Takes `test result: ok. 5 passed; 0 failed; 1 ignored; ...` and `test NAME ... FAILED` into account.
    fn add(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            for part in rest.split([';', '.']) {
                let mut words = part.split_whitespace();
                let (Some(Ok(n)), Some(what)) = (words.next().map(str::parse::<u64>), words.next()) else { continue };
                match what {
                    "passed" => self.passed += n,
                    "failed" => self.failed += n,
                    "ignored" => self.ignored += n,
                    _ => {}
                }
            }
        } else if let Some(name) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED")) {
            self.names.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Total;

    #[test]
    fn closing_lines_add_up() {
        let mut total = Total::default();
        for line in [
            "test a::b ... ok",
            "test a::c ... FAILED",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: ok. 40 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ] {
            total.add(line);
        }
        assert_eq!(total, Total { passed: 41, failed: 1, ignored: 2, names: vec!["a::c".into()] });
    }
}
