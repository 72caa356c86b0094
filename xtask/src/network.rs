//! Tests that need a network of their own: namespaces, virtual cables, raw Ethernet. Only root may make them.

use crate::context::{Context, Outcome};
use std::process::Command;

/// Runs them, or says why they cannot be run here.
pub(crate) fn stage(context: &Context) -> Outcome {
    if !context.succeeds(ip("-V")) {
        crate::debian::install(context, &["iproute2"])?;
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
    let tests = ["test", "--locked", "-p", "interfield", "--test", "network"];
    context.run(context.cargo(tests))?;
    Ok("EtherCAT on a virtual cable, and tests between hosts".to_owned())
}

fn ip(words: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(words.split_whitespace());
    command
}
