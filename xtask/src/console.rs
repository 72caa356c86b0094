//! The operator's console in a real browser (peers/console): a test is started, paused, noted, resumed and finished from the page, another one is
//! stopped in an emergency, a finished one is played back; its open formats are read by others.

use std::process::Command;

use serde_json::Value;

use crate::context::{Context, Outcome};
use crate::debian::install;

/// The built-in test.
const MODEL: &str = "models/isolated-building.toml";

/// The browser, and what drives it.
fn chromium(context: &Context) -> Result<String, String> {
    let browser = crate::report::chromium(context)?;
    let mut driver = Command::new("chromedriver");
    driver.arg("--version");
    if !context.succeeds(driver) {
        install(context, &["chromium-driver"])?;
    }
    Ok(browser)
}

/// Drives the page. Pictures of it are left in target/console.
pub(crate) fn stage(context: &Context) -> Outcome {
    let browser = chromium(context)?;
    let python = crate::python::console(context)?;
    context.build()?;
    let mut command = Command::new(python);
    command.arg("-B").arg(context.root.join("peers/console")).arg(context.interfield()).arg(context.root.join(MODEL));
    command.arg(context.target.join("console")).arg(browser);
    let text = context.output(command)?;
    let found: Value = serde_json::from_str(text.trim()).map_err(|e| format!("not JSON: {e}: {text}"))?;
    Ok(format!(
        "latency (frames, median, 99 %, most) {} ms; MCAP messages {}; {} metrics; {} panels played back; pictures in target/console",
        found["latency_ms"], found["mcap"], found["metrics"], found["playback"]
    ))
}

/// Longest that a sample may take to the screen, ms.
const LATENCY: f64 = 100.0;

/// Measures what the bench program cannot: how long a sample takes to the screen of a browser. `--flood` instead: ten minutes of hostile clients.
pub(crate) fn bench(context: &Context, args: &[String]) -> Result<(), String> {
    if args.iter().any(|a| a == "--flood") {
        let mut command = context.cargo(["test", "--locked", "-p", "interfield-console", "--test", "console"]);
        command.args(["the_server_survives", "--", "--nocapture"]).env("INTERFIELD_CONSOLE_SECONDS", "600");
        return context.run(command);
    }
    let browser = chromium(context)?;
    let python = crate::python::console(context)?;
    context.run(context.cargo(["build", "--release", "--locked", "-p", "interfield-cli"]))?;
    let mut command = Command::new(python);
    command.arg("-B").arg(context.root.join("peers/console")).arg(context.target.join("release/interfield"));
    command.arg(context.root.join(MODEL)).arg(context.target.join("console-latency")).arg(browser).arg("--latency");
    let found = context.json(command)?;
    let [frames, median, most] = [0, 1, 3].map(|i| found[i].as_f64().unwrap_or(f64::NAN));
    let verdict = if found[2].as_f64().is_some_and(|ms| ms < LATENCY) { "ok" } else { "short" };
    println!(
        "console  oldest sample of a frame to the screen of Chromium, 99 %  < {LATENCY} ms  {} ms  {verdict}\n    median {median} ms, most {most} ms, {frames} frames",
        found[2]
    );
    Ok(())
}
