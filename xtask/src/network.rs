//! Tests that need a network of their own: namespaces, virtual cables, raw Ethernet. Only root may make them.

use crate::context::{Context, Outcome};
use std::process::Command;

/// What is tested, and by which parts of the test program `network` of `crates/cli`.
const CHECKS: &[(&str, &[&str])] =
    &[("EtherCAT on a virtual cable", &["bus::", "bus_runs::"]), ("specimens on several hosts", &["hosts::"])];

/// What few need; only tests of this stage have it.
pub(crate) const FEATURE: &str = "interfield-cli/ethercat";

/// Runs them, or says why they cannot be run here.
pub(crate) fn stage(context: &Context) -> Outcome {
    if !context.succeeds(ip("-V")) {
        crate::debian::install(context, &["iproute2"])?;
    }
    // The weather between hosts, peers/weather.py; its standard library is enough.
    let mut python = Command::new("python3");
    python.arg("--version");
    if !context.succeeds(python) {
        crate::debian::install(context, &["python3"])?;
    }
    let name = format!("interfield-{}", std::process::id());
    if !context.succeeds(ip(&format!("netns add {name}"))) {
        return Err("network namespaces need root: sudo -E cargo xtask test network".to_owned());
    }
    let cable = context.succeeds(ip(&format!("-n {name} link add dev a0 type veth peer name a1")));
    let _ = context.succeeds(ip(&format!("netns del {name}")));
    if !cable {
        return Err("the kernel has no virtual cables (module `veth`)".to_owned());
    }
    let mut failed = Vec::new();
    for (what, parts) in CHECKS {
        // With the features that all the other tests have compiled their dependencies with ([`Context::build`]). No other test program:
        // that of the command line is large, and would be compiled once more for this feature.
        let mut tests = context.cargo(["test", "--locked", "--workspace", "--features", FEATURE, "--test"]);
        // One after the other: devices that share their processors with those of other tests answer late, which is a fault.
        tests.args(["network", "--", "--test-threads=1"]).args(*parts);
        failed.extend(context.run(tests).err().map(|e| format!("{what}: {e}")));
    }
    let names: Vec<&str> = CHECKS.iter().map(|c| c.0).collect();
    if failed.is_empty() { Ok(names.join(", ")) } else { Err(failed.join("\n")) }
}

fn ip(words: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(words.split_whitespace());
    command
}
