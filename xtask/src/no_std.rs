//! The kernel inside a program that has no standard library: a C `main` linked with nothing but libc.
//!
//! crates/kernel/no-std-check is a `#![no_std]` static library with a panic handler of its own; a standard
//! library anywhere below it would be a second handler and could not be built. The program runs the kernel
//! on memory of the caller and compares with the same schemes written out in C.

use crate::context::{Context, Outcome};
use std::path::PathBuf;
use std::process::Command;

/// Its manifest, which is not part of the workspace.
pub(crate) const MANIFEST: &str = "crates/kernel/no-std-check/Cargo.toml";

/// Where it is built.
pub(crate) fn target(context: &Context) -> PathBuf {
    context.target.join("no-std-check")
}

/// Builds and runs it.
pub(crate) fn stage(context: &Context) -> Outcome {
    let target = target(context);
    let mut build = context.cargo(["build", "--release", "--locked", "--manifest-path", MANIFEST, "--target-dir"]);
    build.arg(&target);
    context.run(build)?;
    let program = target.join("no-std-check");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-nodefaultlibs", "-o"]).arg(&program);
    cc.arg("crates/kernel/no-std-check/main.c").arg(target.join("release/libno_std_check.a")).arg("-lc");
    context.run(cc).map_err(|e| format!("{e}\na C compiler is needed: apt-get install gcc libc6-dev"))?;
    let said = context.output(Command::new(&program))?;
    print!("{said}");
    Ok(said.lines().last().unwrap_or_default().to_owned())
}
