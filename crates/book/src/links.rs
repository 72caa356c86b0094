//! Links between pages: to the page of a chapter, to a copy of any other file of the repository; none leads nowhere.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CowStr, Event, Tag};

use crate::page::Page;

/// A path without `.` and `..`.
pub(crate) fn straight(path: &Path) -> PathBuf {
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

/// Points every link and picture at its place in the book; returns the files that belong to it. All dead links otherwise.
pub(crate) fn resolve(pages: &mut [Page], root: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let known: Vec<(PathBuf, String, Vec<String>)> =
        pages.iter().map(|p| (p.source.clone(), p.file(), p.headings.iter().map(|h| h.id.clone()).collect())).collect();
    let mut files = BTreeMap::new();
    let mut dead = Vec::new();
    for page in pages {
        let folder = page.source.parent().map(Path::to_path_buf).unwrap_or_default();
        for event in &mut page.events {
            let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) = event else {
                continue;
            };
            if dest_url.contains("://") {
                continue;
            }
            let (path, anchor) = dest_url.split_once('#').map_or((&**dest_url, None), |(p, a)| (p, Some(a)));
            let target = if path.is_empty() { page.source.clone() } else { straight(&folder.join(path)) };
            let place = match known.iter().find(|k| k.0 == target) {
                Some((_, file, ids)) => match anchor {
                    None => Some(file.clone()),
                    Some(anchor) => ids.iter().any(|id| id == anchor).then(|| format!("{file}#{anchor}")),
                },
                None => target.strip_prefix(root).ok().filter(|_| target.is_file()).map(|inside| {
                    let name = format!("files/{}", inside.display());
                    files.insert(name.clone(), target.clone());
                    name
                }),
            };
            match place {
                Some(place) => *dest_url = CowStr::from(place),
                None => dead.push(format!("{}: the link to `{dest_url}` leads nowhere", page.entry.path)),
            }
        }
    }
    if dead.is_empty() { Ok(files) } else { Err(dead.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Entry;

    fn page(name: &str, text: &str) -> Page {
        let entry = Entry { title: name.into(), path: name.into() };
        Page::parse(&entry, Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name), text)
    }

    fn resolved(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
        let mut pages = [page("a.md", text), page("b.md", "# B\n\n## Some words\n")];
        let files = resolve(&mut pages, Path::new(env!("CARGO_MANIFEST_DIR")))?;
        let link = |e: &Event<'_>| match e {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
            _ => None,
        };
        Ok((pages[0].events.iter().filter_map(link).collect(), files.into_keys().collect()))
    }

    #[test]
    fn links_lead_to_pages_to_sections_and_to_files() {
        let (links, files) = resolved("[b](b.md) [s](b.md#some-words) [f](../Cargo.toml) [w](https://x.org)").unwrap();
        assert_eq!(links, ["b.html", "b.html#some-words", "files/Cargo.toml", "https://x.org"]);
        assert_eq!(files, ["files/Cargo.toml"]);
    }

    #[test]
    fn links_that_lead_nowhere_are_all_told() {
        let message = resolved("[b](c.md) [s](b.md#other) [f](../none.toml) [d](..)").unwrap_err();
        assert_eq!(message.lines().count(), 4, "{message}");
    }
}
