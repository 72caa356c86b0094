//! Debian packages that stages need.

use crate::context::Context;
use std::process::Command;

/// Installs Debian packages, if allowed to.
pub(crate) fn install(context: &Context, packages: &[&str]) -> Result<(), String> {
    let advice = format!("install them: apt-get update && apt-get install -y {}", packages.join(" "));
    let mut id = Command::new("id");
    id.arg("-u");
    if context.output(id)?.trim() != "0" {
        return Err(format!("Debian packages are missing and this user may not install them; {advice}"));
    }
    for words in [&["update", "-qq"][..], &["install", "-y", "-qq", "--no-install-recommends"][..]] {
        let mut apt = Command::new("apt-get");
        apt.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        if words[0] == "install" {
            apt.args(packages);
        }
        context.run(apt).map_err(|e| format!("{e}\nDebian packages are missing; {advice}"))?;
    }
    Ok(())
}
