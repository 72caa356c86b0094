//! Licences and sources of all dependencies, against the allow-list of deny.toml.
//!
//! The same rules as `cargo deny check licenses sources`, in a second and without installing it; where
//! cargo-deny is installed it runs too.

use crate::context::{Context, Outcome};
use crate::package;
use serde_json::Value;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Licences of what is included in the sources and not a package, and how they start.
const INCLUDED: &[(&str, &str)] = &[("crates/console/assets/uPlot.LICENSE", "The MIT License (MIT)")];

/// Checks them; also that Cargo.lock is current.
pub(crate) fn stage(context: &Context) -> Outcome {
    let deny = context.root.join("deny.toml");
    let allow = allow_list(&std::fs::read_to_string(&deny).map_err(|e| format!("deny.toml: {e}"))?)?;
    let mut packages = packages(context, "Cargo.toml")?;
    for package in self::packages(context, package::MANIFEST)? {
        if !packages.iter().any(|p| p["id"] == package["id"]) {
            packages.push(package);
        }
    }
    let problems: Vec<String> = packages.iter().filter_map(|p| problem(p, &allow)).collect();
    for problem in &problems {
        println!("{problem}");
    }
    if let Some(first) = problems.first() {
        return Err(format!("{} dependencies refused, first {first}", problems.len()));
    }
    for (file, start) in INCLUDED {
        let licence = std::fs::read_to_string(context.root.join(file)).map_err(|e| format!("{file}: {e}"))?;
        if !licence.starts_with(start) {
            return Err(format!("{file} does not start with `{start}`"));
        }
    }
    let mut text = format!("{} packages, {} included files", packages.len(), INCLUDED.len());
    if context.succeeds(context.cargo(["deny", "--version"])) {
        context.run(context.cargo(["deny", "--locked", "check", "licenses", "bans", "sources"]))?;
        text += ", and cargo-deny agrees";
    }
    Ok(text)
}

/// All that is compiled for a workspace.
fn packages(context: &Context, manifest: &str) -> Result<Vec<Value>, String> {
    let metadata = ["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest];
    let mut metadata = context.json(context.cargo(metadata)).map_err(|e| {
        format!(
            "{e}\nthe Cargo.lock beside {manifest} is not current (`cargo update --workspace --manifest-path {manifest}`, \
             commit it), or crates.io cannot be reached"
        )
    })?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => Err("cargo metadata lists no packages".to_owned()),
    }
}

/// What is wrong with a package, if anything.
fn problem(package: &Value, allow: &[String]) -> Option<String> {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let id = format!("{} {}", text("name"), text("version"));
    if let Some(source) = package["source"].as_str().filter(|s| *s != CRATES_IO) {
        return Some(format!("{id}: comes from {source}; only crates.io is allowed"));
    }
    let licence = text("license");
    if licence.is_empty() {
        return Some(format!("{id}: states no licence; choose another crate"));
    }
    match permitted(licence, allow) {
        Ok(true) => None,
        Ok(false) => Some(format!("{id}: its licence {licence} is not allowed by deny.toml; choose another crate")),
        Err(e) => Some(format!("{id}: its licence {licence} cannot be read: {e}")),
    }
}

/// The strings of `allow = [...]` in the section `[licenses]`.
fn allow_list(toml: &str) -> Result<Vec<String>, String> {
    let lines = toml.lines().map(|l| l.split('#').next().unwrap_or_default().trim());
    let section: Vec<&str> =
        lines.skip_while(|l| *l != "[licenses]").skip(1).take_while(|l| !l.starts_with('[')).collect();
    let section = section.join(" ");
    let list = section
        .split_once("allow = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .ok_or("deny.toml: there is no `allow = [...]` in [licenses]")?
        .0;
    let names: Vec<String> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    if names.is_empty() { Err("deny.toml: [licenses] allow is empty".into()) } else { Ok(names) }
}

/// Whether an SPDX expression can be satisfied with allowed licences. `A/B` is the old form of `A OR B`.
fn permitted(expression: &str, allow: &[String]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let result = any(&mut rest, allow)?;
    if rest.is_empty() { Ok(result) } else { Err(format!("unexpected `{}`", rest[0])) }
}

fn any(words: &mut &[&str], allow: &[String]) -> Result<bool, String> {
    let mut result = all(words, allow)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        result |= all(words, allow)?;
    }
    Ok(result)
}

fn all(words: &mut &[&str], allow: &[String]) -> Result<bool, String> {
    let mut result = one(words, allow)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        result &= one(words, allow)?;
    }
    Ok(result)
}

fn one(words: &mut &[&str], allow: &[String]) -> Result<bool, String> {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let result = any(words, allow)?;
            let [")", rest @ ..] = *words else { return Err("a parenthesis is not closed".into()) };
            *words = rest;
            Ok(result)
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            Ok(allow.iter().any(|a| *a == format!("{name} WITH {exception}")))
        }
        [name, rest @ ..] if ![")", "OR", "AND", "WITH"].contains(name) => {
            *words = rest;
            Ok(allow.iter().any(|a| a == name))
        }
        _ => Err("a licence is missing".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn allow() -> Vec<String> {
        allow_list(
            "[bans]\nx = 1\n[licenses]\nallow = [\n  \"MIT\", # a\n  \"Apache-2.0 WITH LLVM-exception\",\n]\n[a]\n",
        )
        .unwrap()
    }

    #[test]
    fn expressions_are_weighed() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("(GPL-3.0 OR MIT) AND MIT", true),
            ("GPL-3.0 OR MIT AND GPL-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
        ] {
            assert_eq!(permitted(expression, &allow()), Ok(expected), "{expression}");
        }
        for expression in ["", "MIT OR", "(MIT", "MIT MIT", "MIT)"] {
            assert!(permitted(expression, &allow()).is_err(), "{expression}");
        }
    }

    #[test]
    fn packages_are_judged() {
        let package = |source: Option<&str>, licence: Option<&str>| {
            problem(&json!({"name": "a", "version": "1.0.0", "source": source, "license": licence}), &allow())
        };
        assert_eq!(package(Some(CRATES_IO), Some("MIT")), None);
        assert_eq!(package(None, Some("MIT")), None);
        assert!(package(Some("git+https://x"), Some("MIT")).unwrap().contains("git+https://x"));
        assert!(package(Some(CRATES_IO), None).unwrap().contains("no licence"));
        assert!(package(Some(CRATES_IO), Some("AGPL-3.0")).unwrap().contains("AGPL-3.0"));
    }
}
