//! One page: Markdown to HTML, its headings, and the frame around it.

use std::fmt::Write;
use std::path::PathBuf;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use crate::summary::{Entry, Part};
use crate::text::{escape, slug};

const STYLE: &str = include_str!("../assets/book.css");

/// A page that has been read.
pub(crate) struct Page {
    pub(crate) entry: Entry,
    pub(crate) source: PathBuf,
    pub(crate) headings: Vec<Heading>,
    pub(crate) events: Vec<Event<'static>>,
}

/// A heading with its anchor.
pub(crate) struct Heading {
    pub(crate) level: HeadingLevel,
    pub(crate) text: String,
    pub(crate) id: String,
}

impl Page {
    /// Reads Markdown; headings without an anchor (`{#anchor}`) get one from their words.
    pub(crate) fn parse(entry: &Entry, source: PathBuf, markdown: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
        let mut events: Vec<Event<'static>> = Parser::new_ext(markdown, options).map(Event::into_static).collect();
        let mut headings: Vec<Heading> = Vec::new();
        let mut open = None;
        for i in 0..events.len() {
            match &events[i] {
                Event::Start(Tag::Heading { level, id, .. }) => {
                    let id = id.as_ref().map_or_else(String::new, ToString::to_string);
                    open = Some((i, Heading { level: *level, text: String::new(), id }));
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some((_, heading)) = &mut open {
                        heading.text.push_str(text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let Some((start, mut heading)) = open.take() else { continue };
                    if heading.id.is_empty() {
                        heading.id = slug(&heading.text);
                    }
                    if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                        *id = Some(CowStr::from(heading.id.clone()));
                    }
                    headings.push(heading);
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    // `toml tower.toml`: the first word is the language, the rest is for the tests.
                    let language = info.split_whitespace().next().unwrap_or("text").to_owned();
                    events[i] = Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language.into())));
                }
                _ => {}
            }
        }
        Self { entry: entry.clone(), source, headings, events }
    }

    /// Its name in the book.
    pub(crate) fn file(&self) -> String {
        let stem = self.source.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        format!("{stem}.html")
    }
}

/// The whole page number `at`.
pub(crate) fn html(parts: &[Part], pages: &[Page], at: usize) -> String {
    let page = &pages[at];
    let mut body = String::new();
    push_html(&mut body, page.events.iter().cloned());
    // Wide tables scroll by themselves, so that the page does not.
    let body = body.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>");
    let link = |i: Option<usize>, class: &str| {
        let Some(other) = i.and_then(|i| pages.get(i)) else { return String::new() };
        format!("<a class=\"{class}\" href=\"{}\">{}</a>", other.file(), escape(&other.entry.title))
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} - Interfield</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <nav class=\"contents\">\n{}</nav>\n<main>\n{body}<nav class=\"turn\">{}{}</nav>\n</main>\n</body>\n</html>\n",
        escape(&page.entry.title),
        contents(parts, pages, at),
        link(at.checked_sub(1), "back"),
        link(Some(at + 1), "on"),
    )
}

/// The table of contents, with the sections of the page at hand.
fn contents(parts: &[Part], pages: &[Page], at: usize) -> String {
    let mut out = String::from("<p class=\"title\"><a href=\"index.html\">Interfield</a></p>\n");
    let mut number = 0;
    for part in parts {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<p>{}</p>\n<ul>", escape(&part.title));
        for entry in &part.entries {
            let page = &pages[number];
            let class = if number == at { " class=\"here\"" } else { "" };
            let _ = write!(out, "<li><a{class} href=\"{}\">{}</a>", page.file(), escape(&entry.title));
            let sections: Vec<&Heading> = page.headings.iter().filter(|h| h.level == HeadingLevel::H2).collect();
            if number == at && sections.len() > 1 {
                let items =
                    sections.iter().map(|h| format!("<li><a href=\"#{}\">{}</a></li>\n", h.id, escape(&h.text)));
                let _ = write!(out, "\n<ul>\n{}</ul>\n", items.collect::<String>());
            }
            out.push_str("</li>\n");
            number += 1;
        }
        out.push_str("</ul>\n");
    }
    out
}
