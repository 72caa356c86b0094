//! The command reference: what `--help` says, of the program and of each of its commands.

use std::path::Path;
use std::process::Command;

/// Standard output of the program.
pub(crate) fn output(program: &Path, args: &[&str]) -> Result<String, String> {
    // A width of its own, so that the page does not depend on the terminal it was built in.
    let out = Command::new(program).args(args).env("COLUMNS", "100").env("NO_COLOR", "1").output();
    let out = out.map_err(|e| format!("{}: {e}", program.display()))?;
    if !out.status.success() {
        return Err(format!("`{} {}`: {}", program.display(), args.join(" "), out.status));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// The page, in Markdown.
pub(crate) fn page(help: &dyn Fn(&[&str]) -> Result<String, String>) -> Result<String, String> {
    let overview = help(&["--help"])?;
    let mut page = format!(
        "# Commands\n\nThe output of `interfield --help` and `interfield COMMAND --help`; `-h` is shorter. All \
            commands accept `--json`.\n\n\
         ```text\n{}\n```\n",
        overview.trim_end()
    );
    let names: Vec<&str> = names(&overview);
    if names.is_empty() {
        return Err("`interfield --help` lists no commands".to_owned());
    }
    for name in names {
        let text = help(&[name, "--help"])?;
        page += &format!("\n## {name}\n\n```text\n{}\n```\n", text.trim_end());
        for inner in self::names(&text) {
            let text = help(&[name, inner, "--help"])?;
            page += &format!("\n### {name} {inner}\n\n```text\n{}\n```\n", text.trim_end());
        }
    }
    Ok(page)
}

/// Names in the list of commands.
fn names(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    // Explanations that take more than a line are indented further.
    let names =
        list.filter(|l| l.starts_with("  ") && !l.starts_with("   ")).filter_map(|l| l.split_whitespace().next());
    names.filter(|n| *n != "help").collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_are_found_in_the_help() {
        let help = "About\n\nCommands:\n  run   Runs a model,\n        all of it\n  show  Shows\n  help  Help\n\nOptions:\n  -h\n";
        assert_eq!(super::names(help), ["run", "show"]);
    }
}
