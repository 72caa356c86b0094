//! What a reader would stumble over, looked for in the pages as they are written: links and pictures that lead nowhere, anchors that
//! are there twice, equations that were not typeset.

use std::collections::{BTreeMap, BTreeSet};

use crate::Book;

/// All that is wrong.
pub(crate) fn problems(book: &Book) -> Vec<String> {
    let mut found = Vec::new();
    let mut anchors: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, html) in &book.pages {
        if anchors.contains_key(&**name) {
            found.push(format!("{name}: two chapters would be this page; rename one"));
        }
        let page = anchors.entry(name).or_default();
        for id in attributes(html, "id") {
            if !page.insert(id) {
                found.push(format!("{name}: the anchor `{id}` is there twice"));
            }
        }
    }
    for (name, html) in &book.pages {
        for link in attributes(html, "href").chain(attributes(html, "src")) {
            if !link.contains("://") && !leads(book, &anchors, name, link) {
                found.push(format!("{name}: `{link}` leads nowhere"));
            }
        }
        found.extend(untypeset(html).into_iter().map(|text| format!("{name}: `{text}` was not typeset")));
    }
    found
}

/// The values of an attribute.
fn attributes<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    html.split('<').filter_map(move |tag| tag.split('>').next()?.split_once(&*start)?.1.split('"').next())
}

fn leads(book: &Book, anchors: &BTreeMap<&str, BTreeSet<&str>>, from: &str, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let file = if file.is_empty() { from } else { file };
    match anchors.get(file) {
        Some(page) => anchor.is_none_or(|anchor| page.contains(&*decoded(anchor))),
        None => book.files.contains_key(file) || book.assets.iter().any(|a| a.0 == file),
    }
}

/// What a browser looks for: `%CE%B1` is α.
fn decoded(anchor: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = anchor.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match hex {
            Some(byte) if *first == b'%' => (bytes.push(byte), rest = &after[2..]),
            _ => (bytes.push(*first), rest = after),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// LaTeX that a reader would see: a dollar sign or a command in the text of a page, outside of code.
fn untypeset(html: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut code = 0usize;
    for piece in html.split('<').skip(1) {
        let Some((tag, text)) = piece.split_once('>') else { continue };
        match tag.split_whitespace().next() {
            Some("code" | "pre" | "script") => code += 1,
            Some("/code" | "/pre" | "/script") => code = code.saturating_sub(1),
            _ => {}
        }
        let command = text.split('\\').skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_alphabetic()));
        if code == 0 && (text.contains('$') || command) {
            found.push(text.trim());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(html: &str) -> Vec<String> {
        let pages =
            vec![("a.html".to_owned(), html.to_owned()), ("b.html".to_owned(), "<h1 id=\"b-β\">B</h1>".to_owned())];
        problems(&Book { pages, assets: vec![("book.css".to_owned(), String::new())], files: BTreeMap::new() })
    }

    #[test]
    fn what_is_right_is_left_alone() {
        let html = "<link href=\"book.css\"><h1 id=\"a\">A</h1><a href=\"b.html#b-%CE%B2\">x</a><a href=\"#a\">y</a><a href=\"https://z\">z</a>\
                    <pre><code>$ run \\x</code></pre>";
        assert_eq!(told(html), Vec::<String>::new());
    }

    #[test]
    fn chapters_of_one_name_are_told() {
        let page = || ("a.html".to_owned(), String::new());
        let found = problems(&Book { pages: vec![page(), page()], assets: Vec::new(), files: BTreeMap::new() });
        assert!(found.len() == 1 && found[0].contains("two chapters"), "{found:?}");
    }

    #[test]
    fn what_is_wrong_is_all_told() {
        let html = "<p id=\"a\">$x$ <a href=\"b.html#c\">1</a><img src=\"none.svg\"><i id=\"a\">\\alpha</i></p>";
        let found = told(html);
        assert_eq!(found.len(), 5, "{found:?}");
    }
}
