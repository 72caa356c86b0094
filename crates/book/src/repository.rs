//! The Markdown of the repository as it is read there, README and chapters alike: every link leads to a file, every anchor to a heading.

use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Tag};

use crate::links::straight;
use crate::page::Page;
use crate::summary::Entry;

fn root() -> PathBuf {
    straight(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// All Markdown files below a folder, but for what is built.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "out", "interfield-out"].contains(&name) {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

fn page(path: &Path, text: &str) -> Page {
    Page::parse(&Entry { title: String::new(), path: String::new() }, path.to_owned(), text)
}

/// Links and pictures of a page that stay in the repository.
fn links(page: &Page) -> Vec<String> {
    let target = |e: &Event<'_>| match e {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    };
    page.events.iter().filter_map(target).filter(|t| !t.contains("://") && !t.starts_with("mailto:")).collect()
}

/// Why a link of a page leads nowhere, if it does not.
fn dead(from: &Path, link: &str) -> Option<String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { from.to_owned() } else { straight(&from.parent()?.join(file)) };
    if !target.exists() {
        return Some("there is no such file".to_owned());
    }
    let anchor = anchor.filter(|_| target.extension().is_some_and(|e| e == "md"))?;
    let text = std::fs::read_to_string(&target).expect("a page");
    let known = page(&target, &text).headings.iter().any(|h| h.id == anchor);
    (!known && !text.contains(&format!("id=\"{anchor}\""))).then(|| format!("no heading is `{anchor}`"))
}

#[test]
fn every_link_of_the_repository_leads_somewhere_in_it() {
    let mut all = Vec::new();
    pages(&root(), &mut all);
    let (mut seen, mut lost) = (0, Vec::new());
    for path in &all {
        for link in links(&page(path, &std::fs::read_to_string(path).expect("a page"))) {
            seen += 1;
            lost.extend(dead(path, &link).map(|why| format!("{}: `{link}`: {why}", path.display())));
        }
    }
    assert!(lost.is_empty(), "{} links lead nowhere:\n{}", lost.len(), lost.join("\n"));
    assert!(seen > 400, "only {seen} links were found");
}

#[test]
fn a_dead_link_is_found() {
    let from = root().join("README.md");
    assert!(dead(&from, &["docs", "none.md"].join("/")).is_some_and(|why| why.contains("no such file")));
    assert!(dead(&from, "docs/architecture.md#three-walks").is_none());
    assert!(dead(&from, "docs/architecture.md#four-walks").is_some_and(|why| why.contains("four-walks")));
    let text = "[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n![g](h.png \"x\") [w](https://x.org)";
    assert_eq!(links(&page(&from, text)), ["b.md", "h.png"]);
}
