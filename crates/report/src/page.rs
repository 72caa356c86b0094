//! A page as HTML: texts and tables for every reader, numbers as base64 for the script that draws them.

use std::io::{self, Write};

use serde_json::Value;

use crate::Section;
use crate::described::{base64, described};
use crate::html::{escape, head, table};

const SCRIPTS: [&str; 3] = [
    include_str!("../assets/plot.js"),
    include_str!("../assets/structure.js"),
    // Last: it makes what the others describe.
    include_str!("../assets/page.js"),
];

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Heading.
    pub title: String,
    /// Whether the verdict is good.
    pub good: bool,
    /// The verdict in a line.
    pub verdict: String,
    /// Its sections.
    pub sections: Vec<Section>,
    /// Who made it.
    pub footer: String,
}

impl Page {
    /// Writes the page: one file that needs no other.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let title = escape(&self.title);
        writeln!(
            out,
            "{}<header><h1>{title}</h1>\n\
             <button type=\"button\" id=\"theme\" hidden>Light or dark</button></header>\n\
             <p class=\"verdict {}\">{}</p>",
            head(&self.title, ""),
            if self.good { "good" } else { "bad" },
            escape(&self.verdict),
        )?;
        let shown = || self.sections.iter().enumerate().filter(|(_, s)| !s.blocks.is_empty());
        let links: Vec<String> = shown().map(|(i, s)| format!("<a href=\"#s{i}\">{}</a>", escape(&s.title))).collect();
        writeln!(out, "<nav>{}</nav>\n<noscript><p>Plots need JavaScript.</p></noscript>", links.join(" "))?;
        let mut specs: Vec<Value> = Vec::new();
        for (i, section) in shown() {
            writeln!(out, "<section id=\"s{i}\">\n<h2>{}</h2>", escape(&section.title))?;
            section.blocks.iter().try_for_each(|block| write_block(out, described(block), &mut specs))?;
            writeln!(out, "</section>")?;
        }
        writeln!(out, "<footer>{}</footer>", escape(&self.footer))?;
        // A `<` within a text must not end the element.
        let specs = Value::from(specs).to_string().replace('<', "\\u003c");
        writeln!(out, "<script type=\"application/json\" id=\"specs\">{specs}</script>")?;
        writeln!(out, "<script>\n\"use strict\";\n(() => {{\n{}}})();\n</script>\n</body>\n</html>", SCRIPTS.concat())
    }
}

/// Writes a block as [`described`] has it, and takes what the script draws of it. Every text is escaped here, whoever kept it.
fn write_block(out: &mut dyn Write, mut block: Value, specs: &mut Vec<Value>) -> io::Result<()> {
    if block["text"].is_string() {
        return writeln!(out, "<p>{}</p>", quoted(&text(&block["text"])));
    }
    if block["folded"].is_string() {
        let summary = text(&block["folded"]);
        let inside = table_of(&block).unwrap_or_else(|| format!("<pre>{}</pre>", text(&block["lines"])));
        return writeln!(out, "<details><summary>{summary}</summary>{inside}</details>");
    }
    if block["lines"].is_array() {
        return writeln!(out, "<pre>{}</pre>", texts(&block["lines"]).join("\n"));
    }
    if let Some(table) = table_of(&block) {
        return write!(out, "{table}");
    }
    let (spec, title) = (block.get_mut("spec").map(Value::take).unwrap_or_default(), text(&block["title"]));
    // As an image it runs no script, whoever kept it.
    let still = block["still"].as_str().map_or_else(String::new, |svg| {
        format!("<img alt=\"{title}\" src=\"data:image/svg+xml;base64,{}\">", base64(svg.as_bytes()))
    });
    let note = Some(text(&block["note"])).filter(|n| !n.is_empty()).map(|n| format!("<p class=\"note\">{n}</p>"));
    let id = if spec.is_null() { String::new() } else { format!(" id=\"f{}\"", specs.len()) };
    let class = if spec["order"] == "free" || block["small"] == true { " class=\"loop\"" } else { "" };
    specs.extend(Some(spec).filter(|s| !s.is_null()));
    let note = note.unwrap_or_default();
    writeln!(out, "<figure{id}{class}><figcaption>{title}</figcaption><div>{still}</div>{note}</figure>")
}

fn text(v: &Value) -> String {
    v.as_str().map_or_else(String::new, escape)
}

fn texts(v: &Value) -> Vec<String> {
    v.as_array().into_iter().flatten().map(text).collect()
}

/// The table of a block, if it has one.
fn table_of(block: &Value) -> Option<String> {
    let rows: Vec<Vec<String>> = block["table"].as_array()?.iter().map(texts).collect();
    let header = texts(&block["header"]);
    // Without a header it is a list of names and words.
    let class = if header.is_empty() { "words" } else { "" };
    Some(table(class, &header, &rows))
}

/// Escaped text with what stands in backquotes as code.
fn quoted(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let piece = |(i, p): (usize, &&str)| if i % 2 == 1 { format!("<code>{p}</code>") } else { (*p).to_owned() };
    pieces.iter().enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::structure::{Hold, Holds, Node, Structure};
    use crate::{Axis, Block, Curve, Motion, Order, Panel, Table, View, bring_back, keep};

    fn blocks() -> Vec<Block> {
        let plot = Panel {
            title: "roof <x>".into(),
            x: Axis::new("time", "s"),
            y: Axis::new("state", ""),
            order: Order::Time,
            curves: vec![Curve { thinned: Some(99), ..Curve::line("</script>", vec![(0.0, 1.0), (1.0, 2.0)]) }],
            ..Panel::default()
        };
        let held = Holds { moves: [Hold::Fixed; 3], turns: [Hold::Fixed; 3] };
        let node = Node { name: "a".into(), held, ..Node::default() };
        let drawing = Structure { nodes: vec![node], ..Structure::default() }.drawing();
        let motion = Motion::Shapes(vec![("1 Hz".into(), vec![0.0, 0.5, 0.0, 0.0, 0.0, -0.25])]);
        let (unit, names) = (("mm".into(), 1e3), vec!["a".into()]);
        let view = View { title: "modes".into(), drawing, names, motion, unit, note: String::new() };
        let table = Table { header: vec!["a".into()], rows: vec![vec!["1 & 2".into()]] };
        let lines = Block::Lines(vec!["x".into(), "<i>".into()]);
        let folded = Block::Folded { summary: "all".into(), text: "a\nb".into() };
        let more = Block::FoldedTable { summary: "more".into(), table: table.clone() };
        let text = Block::Text("<b> of `a<b`".into());
        vec![Block::Plot(plot), Block::View(view), Block::Table(table), text, lines, folded, more]
    }

    fn page(blocks: Vec<Block>) -> String {
        let sections = vec![Section { title: "All".into(), blocks }, Section { title: "None".into(), blocks: vec![] }];
        let page = Page { title: "A & B".into(), good: true, verdict: "fine".into(), sections, footer: "x".into() };
        let mut out = Vec::new();
        page.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_page_is_whole_and_alone() {
        let page = page(blocks());
        // The name of the SVG language is no address that anybody asks.
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        let rest = rest.replace("src=\"data:", "");
        for outside in ["http:", "https:", "src=", "@import", "url(", "<link"] {
            assert!(!rest.contains(outside), "{outside}");
        }
        for tag in ["html", "head", "body", "section", "figure", "table", "script", "style", "nav"] {
            let (open, close) = (rest.matches(&format!("<{tag}")).count(), rest.matches(&format!("</{tag}>")).count());
            // `<head` is also the beginning of `<header`.
            let open = if tag == "head" { open - rest.matches("<header").count() } else { open };
            assert_eq!(open, close, "<{tag}>");
        }
        assert!(rest.contains("A &amp; B") && rest.contains("roof &lt;x&gt;") && !rest.contains("<b>"));
        assert!(!rest.contains("None"), "an empty section is not shown");
        assert!(rest.contains("2 of 99 samples"));
        assert!(rest.contains("<p>&lt;b&gt; of <code>a&lt;b</code></p>"), "names are code");
        assert!(rest.contains("<summary>more</summary><div class=\"table\">"), "a table is folded");
    }

    #[test]
    fn what_was_kept_makes_the_same_page() {
        let kept = serde_json::to_string(&keep(&blocks())).unwrap();
        let back = bring_back(&serde_json::from_str(&kept).unwrap()).expect("blocks");
        assert_eq!(page(back), page(blocks()));
        for wrong in [json!({}), json!([{}]), json!([3]), json!([{ "plot": { "title": "of old" } }])] {
            assert!(bring_back(&wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn whoever_kept_a_block_cannot_put_a_script_into_the_page() {
        let evil = "</figure><script>alert(1)</script>";
        let one = |key: &str| json!({ key: evil, "title": evil, "note": evil });
        let wrong = json!([one("text"), one("folded"), { "lines": [evil, 3] }, { "table": [[evil], 7], "header": 1 },
            one("still"), { "spec": { "x": evil } }]);
        let found = page(bring_back(&wrong).expect("a list"));
        assert_eq!(found.matches("<script").count(), page(vec![Block::Text("x".into())]).matches("<script").count());
    }

    /// Only the axes along which something moves, each value in 16 bits.
    #[test]
    fn a_motion_is_packed() {
        let page = page(blocks());
        let specs = page.split("id=\"specs\">").nth(1).unwrap().split("</script>").next().unwrap();
        let motion = &serde_json::from_str::<Value>(specs).unwrap()[1]["motion"];
        assert_eq!(motion["axes"], json!([1, 5]));
        assert_eq!(motion["d"], base64(&[0xff, 0x7f, 0x01, 0x80]), "the largest of each are whole");
        assert_eq!(motion["scales"], base64(&[0.5f32.to_le_bytes(), 0.25f32.to_le_bytes()].concat()));
        assert_eq!(motion["texts"], json!(["1 Hz"]));
    }

    #[test]
    fn every_axis_has_a_unit() {
        let page = page(blocks());
        let specs = page.split("id=\"specs\">").nth(1).unwrap().split("</script>").next().unwrap();
        let specs: Value = serde_json::from_str(specs).unwrap();
        assert_eq!(specs[0]["x"]["unit"], "s");
        assert_eq!(specs[0]["y"]["unit"], "-", "a plain number says so");
        assert_eq!(specs[0]["curves"][0]["name"], "</script>");
    }
}
