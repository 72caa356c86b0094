//! The Markdown of the repository, as it is read there: every link leads to a file, and every anchor to a heading of it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    straight(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// A path without `.` and `..`.
fn straight(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

/// All Markdown files below a folder, but for what is built.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        let name = entry.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if entry.is_dir() && !name.starts_with('.') && !["target", "out", "interfield-out"].contains(&name) {
            pages(&entry, found);
        } else if name.ends_with(".md") {
            found.push(entry);
        }
    }
}

/// The lines of a text that are not in a block of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// A line without what is written as code.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// Anchors of a page: its headings as GitHub names them, repeated ones with a number, and those that are written.
fn anchors(text: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in prose(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            let letters = title(heading.trim()).to_lowercase().replace(' ', "-");
            let name: String = letters.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            let count = counts.entry(name.clone()).or_insert(0);
            found.push(if *count == 0 { name } else { format!("{name}-{count}") });
            *count += 1;
        }
        let ids = line.match_indices("id=\"").filter_map(|(i, _)| line[i + 4..].split('"').next());
        found.extend(ids.map(str::to_owned));
    }
    found
}

/// What is read of a heading: of a link its text.
fn title(heading: &str) -> String {
    match (heading.find('['), heading.find("]("), heading.rfind(')')) {
        (Some(a), Some(b), Some(c)) if a < b && b < c => {
            format!("{}{}{}", &heading[..a], &heading[a + 1..b], &heading[c + 1..])
        }
        _ => heading.to_owned(),
    }
}

/// Targets of the links and pictures of a page.
fn links(text: &str) -> Vec<String> {
    let whole: String = prose(text).map(|line| without_code(line) + "\n").collect();
    let targets = whole.match_indices("](").filter_map(|(i, _)| whole[i + 2..].split([')', ' ', '\n']).next());
    targets.filter(|t| !t.contains("://") && !t.starts_with("mailto:")).map(str::to_owned).collect()
}

/// Why a link of a page leads nowhere, if it does not.
fn dead(page: &Path, link: &str) -> Option<String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { page.to_owned() } else { straight(&page.parent()?.join(file)) };
    if !target.exists() {
        return Some("there is no such file".to_owned());
    }
    let anchor = anchor.filter(|_| target.extension().is_some_and(|e| e == "md"))?;
    let known = anchors(&std::fs::read_to_string(&target).expect("a page"));
    (!known.iter().any(|k| k == anchor)).then(|| format!("no heading is `{anchor}`"))
}

#[test]
fn every_link_of_the_repository_leads_somewhere_in_it() {
    let mut all = Vec::new();
    pages(&root(), &mut all);
    let (mut seen, mut lost) = (0, Vec::new());
    for page in &all {
        for link in links(&std::fs::read_to_string(page).expect("a page")) {
            seen += 1;
            let name = page.strip_prefix(root()).expect("inside").display().to_string();
            lost.extend(dead(page, &link).map(|why| format!("{name}: `{link}`: {why}")));
        }
    }
    assert!(lost.is_empty(), "{} links lead nowhere:\n{}", lost.len(), lost.join("\n"));
    assert!(seen > 400, "only {seen} links were found");
    // Reference, catalogues and commands are read in the repository, too.
    for name in ["reference", "schemes", "couplings", "elements", "compensators", "commands"] {
        let page = root().join("docs/book/src").join(name).with_extension("md");
        assert!(std::fs::metadata(&page).is_ok_and(|m| m.len() > 1000), "{}", page.display());
    }
}

#[test]
fn a_dead_link_is_found() {
    let page = root().join("README.md");
    assert!(dead(&page, &["docs", "none.md"].join("/")).is_some_and(|why| why.contains("no such file")));
    assert!(dead(&page, "docs/architecture.md#three-walks").is_none());
    assert!(dead(&page, "docs/architecture.md#four-walks").is_some_and(|why| why.contains("four-walks")));
    assert_eq!(
        links("[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n![g](h.png \"x\") [w](https://x.org)"),
        ["b.md", "h.png"]
    );
    assert_eq!(
        anchors("# A `b` c!\n## Same\n## Same\n```\n# no\n```\n<a id=\"own\"></a>"),
        ["a-b-c", "same", "same-1", "own"]
    );
}
