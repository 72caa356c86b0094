//! Phrases that no user should read: each is always wrong in a message, a help text or a chapter. CONTRIBUTING.md has the list for people.

use crate::source::{code, has_word};
use std::path::Path;

/// A phrase, in lower case, and what to write instead.
const AVOIDED: &[(&str, &str)] = &[
    ("whoever", "name the subject: any program, a user"),
    ("nobody", "say what is missing: no answer, no terminal, no authentication"),
    ("a number that is none", "NaN (not a number)"),
    ("is no number", "is not a number, or NaN (not a number)"),
    ("is no name", "is not a valid name"),
    ("is none of", "is not one of"),
    ("it bears", "give the margin and its unit: delay margin: 6.9 ms"),
    ("it can / it may", "capacity / limit"),
    ("led home", "returned to the start position"),
    ("leads home", "returns to the start position"),
    ("going home", "returning to the start position"),
    ("way home", "return to the start position"),
    ("words of the operator", "operator commands"),
    ("by the clock", "in real time"),
    ("in the place of", "instead of"),
    ("feeds energy", "adds energy"),
    ("unless told", "by default"),
    ("found out", "detected"),
    ("came apart", "give the gap"),
    ("from nowhere", "energy error"),
    ("guilty", "growing (motion), unstable (mode)"),
    ("stands still", "does not change, does not move"),
    ("stood still", "did not change, did not move"),
    ("in spite of its actuator", "compensates delay and dynamics"),
];

/// Lines with an avoided phrase in what users read of a file, each with what to write instead.
pub(crate) fn rules(file: &Path, text: &str) -> Vec<(usize, String)> {
    let read = match file.extension().and_then(|e| e.to_str()) {
        Some("md") => paragraphs(text),
        Some("rs") if is_user_code(file) => messages(file, text),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for (line, said) in read {
        let said = said.to_lowercase();
        for (phrase, instead) in AVOIDED.iter().filter(|(phrase, _)| has_word(&said, phrase, true)) {
            found.push((line, format!("`{phrase}` in a text for users: write {instead} (CONTRIBUTING.md, words)")));
        }
    }
    found
}

fn is_user_code(file: &Path) -> bool {
    let tests = file.components().any(|c| c.as_os_str() == "tests") || file.ends_with("tests.rs");
    file.starts_with("crates") && !file.starts_with("crates/testkit") && !tests
}

/// Paragraphs of a document, each with its first line.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (i, line) in text.lines().enumerate() {
        match all.last_mut().filter(|_| open && !line.trim().is_empty()) {
            Some((_, said)) => *said += &format!(" {}", line.trim()),
            None if !line.trim().is_empty() => all.push((i + 1, line.trim().to_owned())),
            None => {}
        }
        open = !line.trim().is_empty();
    }
    all
}

/// String literals outside of tests, and the help texts of the command line, each with its first line.
fn messages(file: &Path, text: &str) -> Vec<(usize, String)> {
    let text = text.find("#[cfg(test)]\nmod tests {").map_or(text, |end| &text[..end]);
    let (strings, bare) = (code(text, true), code(text, false));
    let help = file.starts_with("crates/cli/src");
    let mut all: Vec<(usize, String)> = Vec::new();
    // A string goes on behind a backslash, a help text in the next comment.
    let (mut goes_on, mut in_help) = (false, false);
    for (i, ((line, kept), blank)) in text.lines().zip(strings.lines()).zip(bare.lines()).enumerate() {
        let comment = line.trim().strip_prefix("///").filter(|_| help);
        let literal: String = kept.chars().zip(blank.chars()).map(|(c, b)| if c == b { ' ' } else { c }).collect();
        let said = comment.unwrap_or(&literal).trim();
        let joined = if comment.is_some() { in_help } else { goes_on };
        match all.last_mut().filter(|_| joined) {
            Some((_, before)) => *before += &format!(" {}", said.trim_end_matches('\\')),
            None => all.push((i + 1, said.trim_end_matches('\\').to_owned())),
        }
        (goes_on, in_help) = (comment.is_none() && said.ends_with('\\'), comment.is_some());
    }
    for (_, said) in &mut all {
        *said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    all
}

#[cfg(test)]
mod tests {
    use super::rules;
    use std::path::Path;

    fn found(file: &str, text: &str) -> Vec<usize> {
        rules(Path::new(file), text).iter().map(|(line, _)| *line).collect()
    }

    #[test]
    fn phrases_are_found_where_users_read_them() {
        assert_eq!(found("crates/a/src/b.rs", "let a = 1;\nlet b = \"it bears 6.9 ms\";\n"), [2]);
        assert_eq!(found("crates/a/src/b.rs", "let b = \"the specimen is \\\n    led home\";\n"), [1]);
        assert_eq!(found("crates/cli/src/b.rs", "/// Runs the test by\n/// the clock\nkey: bool,\n"), [1]);
        assert_eq!(found("docs/a.md", "One.\n\nNobody is\nasked.\n"), [3]);
        assert_eq!(found("docs/a.md", "the way\nhome\n"), [1]);
    }

    #[test]
    fn other_text_is_free() {
        assert_eq!(found("crates/a/src/b.rs", "// by the clock\n/// Nobody.\nlet a = nobody;\n"), [0; 0]);
        assert_eq!(found("crates/a/tests/b.rs", "let b = \"it bears\";\n"), [0; 0]);
        assert_eq!(found("crates/a/src/b.rs", "#[cfg(test)]\nmod tests {\nlet b = \"it bears\";\n"), [0; 0]);
        assert_eq!(found("docs/a.md", "It forbears.\n\nA highway homeward.\n"), [0; 0]);
    }
}
