//! A page: Markdown read, links resolved, and HTML around it.

use std::fmt::Write;
use std::path::PathBuf;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use crate::summary::{Entry, Part};
use crate::text::{escape, slug};
use crate::{highlight, math};

/// A page that has been read.
pub(crate) struct Page {
    pub(crate) entry: Entry,
    pub(crate) source: PathBuf,
    pub(crate) headings: Vec<Heading>,
    pub(crate) events: Vec<Event<'static>>,
    /// Equations that cannot be read.
    pub(crate) problems: Vec<String>,
}

/// A heading with its anchor.
#[derive(Clone)]
pub(crate) struct Heading {
    pub(crate) level: HeadingLevel,
    pub(crate) text: String,
    pub(crate) id: String,
    /// The words below it, up to the next one, for the search.
    pub(crate) words: String,
}

impl Page {
    /// Reads Markdown; headings without an anchor (`{#anchor}`) get one from their words.
    pub(crate) fn parse(entry: &Entry, source: PathBuf, markdown: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_MATH;
        let mut reader = Reader::default();
        Parser::new_ext(markdown, options).for_each(|event| reader.take(event.into_static()));
        let Reader { headings, events, problems, .. } = reader;
        let problems = problems.iter().map(|p| format!("{}: {p}", entry.path)).collect();
        Self { entry: entry.clone(), source, headings, events, problems }
    }

    /// Its name in the book, without an ending.
    pub(crate) fn name(&self) -> String {
        self.source.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
    }

    /// Its file in the book.
    pub(crate) fn file(&self) -> String {
        self.name() + ".html"
    }
}

/// What has been read of a page so far.
#[derive(Default)]
struct Reader {
    events: Vec<Event<'static>>,
    headings: Vec<Heading>,
    problems: Vec<String>,
    /// Where the heading that is being read began.
    heading: Option<usize>,
    /// Language and text of the block that is being read.
    block: Option<(String, String)>,
    /// An equation within a line, until it is known whether a full stop or the like follows, which must stay on its line.
    held: Option<String>,
}

impl Reader {
    fn take(&mut self, event: Event<'static>) {
        let event = match self.held.take() {
            Some(equation) => self.hold(&equation, event),
            None => event,
        };
        match event {
            Event::Start(Tag::Heading { level, ref id, .. }) => {
                let id = id.as_ref().map_or_else(String::new, ToString::to_string);
                self.headings.push(Heading { level, text: String::new(), id, words: String::new() });
                self.heading = Some(self.events.len());
                self.events.push(event);
            }
            Event::End(TagEnd::Heading(_)) => {
                self.name_heading();
                self.events.push(event);
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                // `toml tower.toml`: the first word is the language, the rest is for the tests.
                let info = if let CodeBlockKind::Fenced(info) = kind { info } else { CowStr::from("") };
                let language = info.split_whitespace().next().unwrap_or("text").to_owned();
                self.block = Some((language, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => self.close_block(),
            Event::InlineMath(latex) => {
                // What GitHub takes for an escape of Markdown is lost there.
                if let Some(sign) =
                    latex.split('\\').skip(1).find(|after| after.starts_with(|c: char| c.is_ascii_punctuation()))
                {
                    let sign = sign.chars().next().unwrap_or_default();
                    self.problems.push(format!(
                        "the equation `{latex}` has `\\{sign}`, which GitHub does not show within a line"
                    ));
                }
                self.equation(&latex, false);
            }
            Event::DisplayMath(latex) => self.equation(&latex, true),
            Event::Text(ref text) | Event::Code(ref text) => {
                if let Some((_, code)) = &mut self.block {
                    code.push_str(text);
                    return;
                }
                self.words(text, self.heading.is_some());
                self.events.push(event);
            }
            Event::SoftBreak | Event::End(TagEnd::Paragraph | TagEnd::TableCell | TagEnd::Item) => {
                self.words(" ", false);
                self.events.push(event);
            }
            _ => self.events.push(event),
        }
    }

    /// Puts an equation down together with the punctuation behind it; gives back what is left of the event.
    fn hold(&mut self, equation: &str, event: Event<'static>) -> Event<'static> {
        let (sign, event) = match event {
            Event::Text(text) => {
                let length = text.find(|c: char| !".,;:)!?".contains(c)).unwrap_or(text.len());
                let (sign, rest) = text.split_at(length);
                (sign.to_owned(), Event::Text(CowStr::from(rest.to_owned())))
            }
            event => (String::new(), event),
        };
        let html = format!("<span class=\"held\">{equation}{sign}</span>");
        self.events.push(Event::InlineHtml(html.into()));
        event
    }

    fn words(&mut self, text: &str, heading: bool) {
        if let Some(last) = self.headings.last_mut() {
            let to = if heading { &mut last.text } else { &mut last.words };
            to.push_str(text);
        }
    }

    fn name_heading(&mut self) {
        let (Some(start), Some(heading)) = (self.heading.take(), self.headings.last_mut()) else { return };
        if heading.id.is_empty() {
            heading.id = slug(&heading.text);
        }
        if let Event::Start(Tag::Heading { id, .. }) = &mut self.events[start] {
            *id = Some(CowStr::from(heading.id.clone()));
        }
    }

    fn close_block(&mut self) {
        let Some((language, code)) = self.block.take() else { return };
        if language == "math" {
            return self.equation(&code, true);
        }
        self.words(&format!(" {code} "), false);
        let code = highlight::html(&language, &code);
        let html = format!("<pre class=\"{language}\"><code>{code}</code></pre>\n", language = escape(&language));
        self.events.push(Event::Html(html.into()));
    }

    fn equation(&mut self, latex: &str, displayed: bool) {
        match math::mathml(latex, displayed) {
            Ok(html) if displayed => {
                self.events.push(Event::Html(format!("<div class=\"equation\">{html}</div>\n").into()));
            }
            Ok(html) => self.held = Some(html),
            Err(problem) => self.problems.push(problem),
        }
    }
}

/// What a page says. On the page with everything on it, anchors have the name of their chapter before them, so that each is there
/// once, and links lead to them.
pub(crate) fn body(page: &Page, one_page: bool) -> String {
    let name = page.name();
    let mut last = String::new();
    let mut events = Vec::with_capacity(page.events.len());
    for event in &page.events {
        match event.clone() {
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                let id = id.map(|id| if one_page { within(&name, Some(&id)).into() } else { id });
                last = id.as_ref().map_or_else(String::new, ToString::to_string);
                events.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                let anchor = format!("<a class=\"anchor\" href=\"#{last}\" aria-label=\"Link to this section\">#</a>");
                events.extend([Event::InlineHtml(anchor.into()), Event::End(TagEnd::Heading(level))]);
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) if one_page => {
                let dest_url = elsewhere(&dest_url).map_or(dest_url, CowStr::from);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            // Wide tables scroll by themselves, so that the page does not.
            Event::Start(Tag::Table(columns)) => {
                events.extend([Event::Html("<div class=\"wide\">".into()), Event::Start(Tag::Table(columns))]);
            }
            Event::End(TagEnd::Table) => events.extend([Event::End(TagEnd::Table), Event::Html("</div>\n".into())]),
            other => events.push(other),
        }
    }
    let mut out = String::new();
    push_html(&mut out, events.into_iter());
    out
}

/// Anchor of a section on the page with everything on it; of the chapter, without one.
pub(crate) fn within(name: &str, section: Option<&str>) -> String {
    section.map_or_else(|| format!("chapter-{name}"), |section| format!("{name}--{section}"))
}

/// Where a link of a page leads on the page with everything on it; `None` if it leads out of the book.
fn elsewhere(link: &str) -> Option<String> {
    let (file, section) = link.split_once('#').map_or((link, None), |(file, section)| (file, Some(section)));
    let name = file.strip_suffix(".html").filter(|name| !name.contains(['/', ':']))?;
    Some(format!("#{}", within(name, section)))
}

/// The whole page number `at`.
pub(crate) fn html(parts: &[Part], pages: &[Page], at: usize) -> String {
    let page = &pages[at];
    let link = |i: Option<usize>, class: &str, word: &str| {
        let Some(other) = i.and_then(|i| pages.get(i)) else { return String::new() };
        let title = escape(&other.entry.title);
        format!("<a class=\"{class}\" rel=\"{class}\" href=\"{}\"><small>{word}</small>{title}</a>", other.file())
    };
    let sections = sections(page);
    let folded = if sections.is_empty() {
        String::new()
    } else {
        format!("<details class=\"folded\"><summary>On this page</summary>\n{sections}</details>\n")
    };
    let main = format!(
        "<main>\n{folded}<article>\n{}</article>\n<nav class=\"turn\" aria-label=\"Chapters\">{}{}</nav>\n</main>\n\
         <aside class=\"sections\">{}</aside>\n",
        body(page, false),
        link(at.checked_sub(1), "prev", "Previous"),
        link(Some(at + 1), "next", "Next"),
        if sections.is_empty() { sections } else { format!("<p>On this page</p>\n{sections}") },
    );
    around(&page.entry.title, &contents(parts, pages, Some(at)), &main)
}

/// The page with the whole book on it, to print.
pub(crate) fn print(parts: &[Part], pages: &[Page]) -> String {
    let mut list = String::from("<nav class=\"printed\">\n");
    let mut number = pages.iter();
    for part in parts {
        let _ = writeln!(list, "<p>{}</p>\n<ul>", escape(&part.title));
        for (entry, page) in part.entries.iter().zip(&mut number) {
            let _ = writeln!(list, "<li><a href=\"#{}\">{}</a></li>", within(&page.name(), None), escape(&entry.title));
        }
        list.push_str("</ul>\n");
    }
    list.push_str("</nav>\n");
    let chapter = |p: &Page| format!("<article id=\"{}\">\n{}</article>\n", within(&p.name(), None), body(p, true));
    let chapters: String = pages.iter().map(chapter).collect();
    let main = format!("<main>\n<h1 class=\"book\">Interfield</h1>\n{list}{chapters}</main>\n");
    around("The whole book", &contents(parts, pages, None), &main)
}

/// What all pages have: head, bar and table of contents.
fn around(title: &str, contents: &str, main: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} - Interfield</title>\n\
         <link rel=\"icon\" href=\"icon.svg\">\n<link rel=\"stylesheet\" href=\"book.css\">\n<script src=\"book.js\"></script>\n\
         </head>\n<body>\n<input type=\"checkbox\" id=\"menu\" hidden>\n<header>\n\
         <label for=\"menu\" class=\"menu\" title=\"Contents\">&#9776;</label>\n<a class=\"title\" href=\"index.html\">Interfield</a>\n\
         <div class=\"search\" role=\"search\" hidden><input type=\"search\" id=\"search\" placeholder=\"Search ( / )\" aria-label=\"Search the book\" \
         autocomplete=\"off\"><div id=\"found\" hidden></div></div>\n\
         <a class=\"tool\" href=\"print.html\" title=\"The whole book on one page, to print\">Print</a>\n\
         <button class=\"tool\" id=\"theme\" title=\"Light or dark\" hidden>&#9680;</button>\n</header>\n\
         <nav class=\"contents\" aria-label=\"Contents\">\n{contents}</nav>\n{main}</body>\n</html>\n",
        escape(title),
    )
}

/// The table of contents.
fn contents(parts: &[Part], pages: &[Page], at: Option<usize>) -> String {
    let mut out = String::new();
    let mut pages = pages.iter().enumerate();
    for part in parts {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<p>{}</p>\n<ul>", escape(&part.title));
        for (entry, (number, page)) in part.entries.iter().zip(&mut pages) {
            let here = if Some(number) == at { " class=\"here\" aria-current=\"page\"" } else { "" };
            let _ = writeln!(out, "<li><a{here} href=\"{}\">{}</a></li>", page.file(), escape(&entry.title));
        }
        out.push_str("</ul>\n");
    }
    out
}

/// The sections of a page as a list; empty where there are none to choose from.
fn sections(page: &Page) -> String {
    let listed: Vec<&Heading> =
        page.headings.iter().filter(|h| matches!(h.level, HeadingLevel::H2 | HeadingLevel::H3)).collect();
    if listed.len() < 2 {
        return String::new();
    }
    let item = |h: &&Heading| {
        let class = if h.level == HeadingLevel::H3 { " class=\"inner\"" } else { "" };
        format!("<li{class}><a href=\"#{}\">{}</a></li>\n", h.id, escape(&h.text))
    };
    format!("<ul>\n{}</ul>\n", listed.iter().map(item).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page::parse(&Entry { title: "A".into(), path: "a.md".into() }, PathBuf::from("a.md"), text)
    }

    #[test]
    fn equations_keep_the_full_stop_behind_them_on_their_line() {
        let html = body(&page("With $a_1$. And ($b$), then\n\n```math\nc\n```\n"), false);
        assert!(html.contains("</math>.</span> And (<span"), "{html}");
        assert!(html.contains("</math>),</span> then"), "{html}");
        assert!(html.contains("<div class=\"equation\"><math display=\"block\"><mi>c</mi></math></div>"), "{html}");
    }

    #[test]
    fn equations_that_cannot_be_shown_are_told_with_their_page() {
        let told = page("$\\nonsense$ and $a\\,b$").problems;
        assert!(told.len() == 2 && told.iter().all(|p| p.starts_with("a.md: ")), "{told:?}");
        assert!(told[1].contains("GitHub"), "{told:?}");
    }

    #[test]
    fn examples_keep_their_text_for_the_search_and_to_copy() {
        let page = page("# T\n\n```toml name.toml\nk = 1 # <one>\n```\n");
        assert!(page.headings[0].words.contains("k = 1 # <one>"));
        assert!(body(&page, false).contains("<pre class=\"toml\"><code>"));
    }

    #[test]
    fn anchors_and_links_are_those_of_the_one_page() {
        let mut page = page("# T\n\n## S\n\n[x](#s) [y](https://y.org)\n");
        crate::links::resolve(std::slice::from_mut(&mut page), std::path::Path::new("")).unwrap();
        let html = body(&page, true);
        for part in ["id=\"a--s\"", "href=\"#a--s\">x", "href=\"https://y.org\""] {
            assert!(html.contains(part), "{part}\n{html}");
        }
    }
}
