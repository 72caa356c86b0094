//! The operator's console in a real browser (peers/console): a test is started, paused, noted, resumed and finished from the page, another one is
//! stopped in an emergency, a finished one is played back; its open formats are read by others.

use std::process::Command;

use serde_json::Value;

use crate::context::{Context, Outcome};
use crate::debian::install;

/// The built-in test.
const MODEL: &str = "models/isolated-building.toml";

/// Drives the page. Pictures of it are left in target/console.
pub(crate) fn stage(context: &Context) -> Outcome {
    let browser = crate::report::chromium(context)?;
    let mut driver = Command::new("chromedriver");
    driver.arg("--version");
    if !context.succeeds(driver) {
        install(context, &["chromium-driver"])?;
    }
    let python = crate::python::console(context)?;
    context.build()?;
    let mut command = Command::new(python);
    command.arg("-B").arg(context.root.join("peers/console")).arg(context.interfield()).arg(context.root.join(MODEL));
    command.arg(context.target.join("console")).arg(browser);
    let text = context.output(command)?;
    let found: Value = serde_json::from_str(text.trim()).map_err(|e| format!("not JSON: {e}: {text}"))?;
    Ok(format!(
        "latency (rows, median, 99 %) {} ms; MCAP messages {}; {} metrics; {} panels played back; pictures in target/console",
        found["latency_ms"], found["mcap"], found["metrics"], found["playback"]
    ))
}
