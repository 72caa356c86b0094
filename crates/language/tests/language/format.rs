//! The canonical form of model files: same meaning, same comments, stable; spacing is all that may differ.

use std::path::Path;

use interfield_language::format::format;

/// Values of a TOML text, without its spacing.
fn meaning(text: &str) -> toml::Table {
    toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn comments(text: &str) -> Vec<String> {
    // No text of these models contains the sign.
    text.lines().filter_map(|l| l.split_once('#')).map(|(_, c)| c.trim_end().to_owned()).collect()
}

fn check(text: &str) -> String {
    let once = format(text);
    assert_eq!(meaning(&once), meaning(text), "the meaning changed:\n{once}");
    assert_eq!(comments(&once), comments(text), "comments changed:\n{once}");
    assert_eq!(format(&once), once, "not stable");
    assert!(once.lines().all(|l| l == l.trim_end()), "blanks at the end of a line:\n{once}");
    once
}

fn models() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in
        ["models", "docs/examples", "crates/cli/tests/data", "crates/cli/templates", "crates/language/src/schema"]
    {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "toml") {
                all.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    assert!(all.len() > 15);
    all
}

#[test]
fn every_model_keeps_its_meaning_and_the_form_is_stable() {
    for text in models() {
        check(&text);
    }
}

#[test]
fn the_templates_are_in_canonical_form() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/templates");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(format(&text), text, "{}: run `interfield fmt` on it", path.display());
    }
}

#[test]
fn spacing_does_not_matter() {
    // Other spacing of the same file leads to the same form: blanks around signs, blank lines, ends of lines.
    // Blanks inside a text of several lines are not spacing.
    for text in models().iter().filter(|t| !t.contains("\"\"\"")) {
        let canonical = check(text);
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let mut other = String::new();
        for line in canonical.lines() {
            let plain = !line.contains(['[', '{', '#']) && line.contains(" = ") && line.matches('=').count() == 1;
            let blanks = |n: u64| " ".repeat(n as usize);
            if plain {
                let (key, value) = line.split_once(" = ").unwrap();
                other += &format!(
                    "{}{key}{}={}{value}{}",
                    blanks(random(3)),
                    blanks(random(3)),
                    blanks(random(3)),
                    blanks(random(2))
                );
            } else {
                other += &format!("{line}{}", blanks(random(3)));
            }
            other += if random(2) == 0 { "\n" } else { "\r\n" };
            if line.is_empty() {
                other += &"\n".repeat(random(3) as usize);
            }
        }
        assert_eq!(check(&other), canonical);
    }
}

#[test]
fn what_it_looks_like() {
    let text = "# head\na=1 # one\nlonger  =  'x'   #two\n\n\n\nb = [1,2 , 3,]\n[t]   # table\nc = {x=1,y = [ ]}\n# for u\n[[u]]\n\
                d.e = 1.5\nm = [[1,2],\n [3,4]]\nn = [ # first\n 1, 2, # second\n # last\n]\n";
    let expected = "# head\na = 1         # one\nlonger = 'x'  #two\n\nb = [1, 2, 3]\n\n[t]  # table\nc = { x = 1, y = [] }\n\n# for u\n[[u]]\n\
                    d.e = 1.5\nm = [\n    [1, 2],\n    [3, 4],\n]\nn = [\n    # first\n    1,\n    2,  # second\n    # last\n]\n";
    assert_eq!(check(text), expected);
    let long = format!("channels = [{}]", vec!["\"roof.x\""; 20].join(","));
    let formatted = check(&long);
    assert_eq!(formatted.lines().count(), 5, "{formatted}");
    assert!(formatted.lines().all(|l| l.len() <= 100));
    assert_eq!(format(""), "");
    // What stands in a text of several lines stays, and so do a date with a blank and all signs of a number.
    let kept = "text = \"\"\"\na  =  1 \n\"\"\"\nwhen = 1979-05-27 07:32:00\nz = -1e-3\n";
    assert_eq!(format(kept), kept);
}
