//! A page as HTML: texts and tables for every reader, numbers as base64 for the script that draws them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::kept::described;
use crate::text::escape;
use crate::{Block, Curve, Figure, Motion, Panel, Section, Table, View};

/// How pages look, for pages that others write.
pub const STYLE: &str = include_str!("../assets/page.css");
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
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1>\n\
             <button type=\"button\" id=\"theme\" hidden>Light or dark</button></header>\n\
             <p class=\"verdict {}\">{}</p>",
            if self.good { "good" } else { "bad" },
            escape(&self.verdict),
        )?;
        let shown = || self.sections.iter().enumerate().filter(|(_, s)| !s.blocks.is_empty());
        let links: Vec<String> = shown().map(|(i, s)| format!("<a href=\"#s{i}\">{}</a>", escape(&s.title))).collect();
        writeln!(out, "<nav>{}</nav>\n<noscript><p>Plots need JavaScript.</p></noscript>", links.join(" "))?;
        let mut data = Data::default();
        let mut specs: Vec<Value> = Vec::new();
        let id = |specs: &Vec<Value>| format!(" id=\"f{}\"", specs.len());
        for (i, section) in shown() {
            writeln!(out, "<section id=\"s{i}\">\n<h2>{}</h2>", escape(&section.title))?;
            for block in &section.blocks {
                match block {
                    Block::Text(text) => writeln!(out, "<p>{}</p>", escape(text))?,
                    Block::Lines(lines) => writeln!(out, "<pre>{}</pre>", escape(&lines.join("\n")))?,
                    Block::Folded { summary, text } => writeln!(
                        out,
                        "<details><summary>{}</summary><pre>{}</pre></details>",
                        escape(summary),
                        escape(text)
                    )?,
                    Block::Table(t) => write!(out, "{}", table(t))?,
                    // Cells have nothing to zoom into.
                    Block::Plot(panel) if panel.map.is_some() => {
                        let still = Figure::new(vec![Panel { title: String::new(), ..panel.clone() }]).svg();
                        figure(out, "still", "", &panel.title, &still, &note(panel))?;
                    }
                    Block::Plot(panel) => {
                        figure(out, "plot", &id(&specs), &panel.title, "", &note(panel))?;
                        specs.push(data.plot(panel));
                    }
                    Block::View(view) => {
                        let still = view.drawing.svg(560.0, 420.0, false);
                        figure(out, "view", &id(&specs), &view.title, &still, &view.note)?;
                        specs.push(data.view(view));
                    }
                }
            }
            writeln!(out, "</section>")?;
        }
        writeln!(out, "<footer>{}</footer>", escape(&self.footer))?;
        for (i, text) in data.arrays.iter().enumerate() {
            writeln!(out, "<script type=\"text/plain\" id=\"d{i}\">{text}</script>")?;
        }
        // A `<` within a text must not end the element.
        let specs = Value::from(specs).to_string().replace('<', "\\u003c");
        writeln!(out, "<script type=\"application/json\" id=\"specs\">{specs}</script>")?;
        writeln!(out, "<script>\n\"use strict\";\n(() => {{\n{}}})();\n</script>\n</body>\n</html>", SCRIPTS.concat())
    }
}

fn figure(out: &mut dyn Write, kind: &str, id: &str, title: &str, still: &str, note: &str) -> io::Result<()> {
    let note = if note.is_empty() { String::new() } else { format!("<p class=\"note\">{}</p>", escape(note)) };
    writeln!(
        out,
        "<figure class=\"{kind}\"{id}><figcaption>{}</figcaption><div>{still}</div>{note}</figure>",
        escape(title)
    )
}

/// The remark of a plot, and that not every sample is in the page.
fn note(plot: &Panel) -> String {
    let thinned = plot.curves.iter().filter_map(|c| c.thinned.map(|of| (c.points.len(), of)));
    let thinned = thinned.max_by_key(|t| t.1).map(|(points, of)| {
        let all = "extremes in each piece are kept, so every peak is true";
        format!("Thinned: {points} of {of} samples per curve are in this page; {all}.")
    });
    [Some(plot.note.clone()).filter(|n| !n.is_empty()), thinned].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn table(table: &Table) -> String {
    let row = |cells: &[String], tag: &str| -> String {
        let cell = |(i, c): (usize, &String)| {
            let tag = if i == 0 { "th" } else { tag };
            format!("<{tag}>{}</{tag}>", escape(c))
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    // Without a header it is a list of names and words.
    let class = if table.header.is_empty() { " class=\"words\"" } else { "" };
    let body: String = table.rows.iter().map(|r| row(r, "td")).collect();
    format!(
        "<div class=\"table\"><table{class}>\n<thead>{}</thead>\n<tbody>{body}</tbody></table></div>\n",
        row(&table.header, "th")
    )
}

/// The binary arrays of a page.
#[derive(Default)]
struct Data {
    arrays: Vec<String>,
}

impl Data {
    fn push(&mut self, bytes: &[u8]) -> usize {
        self.arrays.push(base64(bytes));
        self.arrays.len() - 1
    }

    /// Places as fractions of their range in 32 bits: a run of 10^8 steps still has each at its own.
    fn fractions(&mut self, values: impl Iterator<Item = f64> + Clone) -> Value {
        let (lo, hi) = range(values.clone());
        let step = if hi > lo { (hi - lo) / f64::from(u32::MAX) } else { 1.0 };
        let bytes: Vec<u8> = values.flat_map(|v| (((v - lo) / step).round() as u32).to_le_bytes()).collect();
        json!({ "d": self.push(&bytes), "from": lo, "step": step })
    }

    /// Values in single precision, relative to their middle where they differ little.
    fn values(&mut self, values: impl Iterator<Item = f64> + Clone, middle: f64) -> Value {
        let bytes: Vec<u8> = values.flat_map(|v| ((v - middle) as f32).to_le_bytes()).collect();
        json!({ "d": self.push(&bytes), "from": middle })
    }

    fn plot(&mut self, panel: &Panel) -> Value {
        described(panel, &mut |c| self.numbers(c, panel.x.log))
    }

    fn numbers(&mut self, curve: &Curve, log_x: bool) -> Value {
        let points = placed(&curve.points, log_x);
        let (lo, hi) = range(points.iter().map(|p| p.1));
        let middle = if hi - lo < 1e-3 * lo.abs().max(hi.abs()) { (lo + hi) / 2.0 } else { 0.0 };
        let mut numbers = json!({
            "x": self.fractions(points.iter().map(|p| p.0)), "y": self.values(points.iter().map(|p| p.1), middle),
        });
        if let Some((low, high)) = curve.edges() {
            numbers["low"] = self.values(low.iter().copied(), middle);
            numbers["high"] = self.values(high.iter().copied(), middle);
        }
        numbers
    }

    fn view(&mut self, view: &View) -> Value {
        let floats = |list: &[f32]| -> Vec<u8> { list.iter().flat_map(|x| x.to_le_bytes()).collect() };
        let motion = match &view.motion {
            Motion::Shapes(shapes) => {
                let list: Vec<Value> =
                    shapes.iter().map(|(text, d)| json!({ "text": text, "d": self.push(&floats(d)) })).collect();
                json!({ "shapes": list })
            }
            Motion::Frames { times, frames } => json!({ "times": times, "d": self.push(&floats(frames)) }),
        };
        let d = &view.drawing;
        json!({
            "title": view.title, "points": d.points, "nodes": d.nodes, "lines": d.lines, "held": d.held,
            "spatial": d.spatial, "sketch": d.sketch, "angles": crate::structure::VIEW,
            "unit": view.unit.0, "factor": view.unit.1, "motion": motion,
        })
    }
}

/// Points along the axis. Logarithms are taken here, so that small places keep their digits; a point without a place is a gap
/// where the one before it stands.
fn placed(points: &[(f64, f64)], log: bool) -> Vec<(f64, f64)> {
    let along = |x: f64| if log { x.log10() } else { x };
    let mut last = points.iter().map(|p| along(p.0)).find(|x| x.is_finite()).unwrap_or(0.0);
    let place = |&(x, y): &(f64, f64)| {
        let x = along(x);
        let y = if x.is_finite() { y } else { f64::NAN };
        last = if x.is_finite() { x } else { last };
        (last, y)
    };
    points.iter().map(place).collect()
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values = values.filter(|v| v.is_finite());
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    if lo.is_finite() && hi.is_finite() { (lo, hi) } else { (0.0, 0.0) }
}

/// RFC 4648.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |w, b| (w << 8) | u32::from(*b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::{Held, Node, Structure};
    use crate::{Axis, Order};

    #[test]
    fn base64_is_that_of_the_standard() {
        let of = |t: &str| base64(t.as_bytes());
        assert_eq!(
            ["", "f", "fo", "foo", "foob", "fooba"].map(of),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="]
        );
    }

    fn sample() -> String {
        let plot = Panel {
            title: "roof <x>".into(),
            x: Axis::new("time", "s"),
            y: Axis::new("state", ""),
            order: Order::Time,
            curves: vec![Curve { thinned: Some(99), ..Curve::line("</script>", vec![(0.0, 1.0), (1.0, 2.0)]) }],
            ..Panel::default()
        };
        let node = Node { name: "a".into(), at: [0.0; 3], held: Held::Fixed, swings: false };
        let drawing = Structure { nodes: vec![node], lines: vec![] }.drawing();
        let motion = Motion::Shapes(vec![("1 Hz".into(), vec![0.0; 3])]);
        let view = View { title: "modes".into(), drawing, motion, unit: ("mm".into(), 1e3), note: String::new() };
        let table = Table { header: vec!["a".into()], rows: vec![vec!["1 & 2".into()]] };
        let blocks = vec![Block::Plot(plot), Block::View(view), Block::Table(table), Block::Text("<b>".into())];
        let sections = vec![Section { title: "All".into(), blocks }, Section { title: "None".into(), blocks: vec![] }];
        let page = Page { title: "A & B".into(), good: true, verdict: "fine".into(), sections, footer: "x".into() };
        let mut out = Vec::new();
        page.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_page_is_whole_and_alone() {
        let page = sample();
        // The name of the SVG language is no address that anybody asks.
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http:", "https:", "src=", "@import", "url(", "<link"] {
            assert!(!rest.contains(outside), "{outside}");
        }
        for tag in ["html", "head", "body", "section", "figure", "table", "script", "style", "svg", "nav"] {
            let (open, close) = (rest.matches(&format!("<{tag}")).count(), rest.matches(&format!("</{tag}>")).count());
            // `<head` is also the beginning of `<header`.
            let open = if tag == "head" { open - rest.matches("<header").count() } else { open };
            assert_eq!(open, close, "<{tag}>");
        }
        assert!(rest.contains("A &amp; B") && rest.contains("roof &lt;x&gt;") && !rest.contains("<b>"));
        assert!(!rest.contains("None"), "an empty section is not shown");
        assert!(rest.contains("2 of 99 samples"));
    }

    #[test]
    fn every_axis_has_a_unit() {
        let page = sample();
        let specs = page.split("id=\"specs\">").nth(1).unwrap().split("</script>").next().unwrap();
        let specs: Value = serde_json::from_str(specs).unwrap();
        assert_eq!(specs[0]["x"]["unit"], "s");
        assert_eq!(specs[0]["y"]["unit"], "-", "a plain number says so");
        assert_eq!(specs[0]["curves"][0]["name"], "</script>");
    }

    #[test]
    fn points_without_a_place_are_gaps() {
        let points = [(f64::NAN, 1.0), (0.0, 2.0), (10.0, 3.0), (-1.0, 4.0), (100.0, f64::NAN)];
        let found = placed(&points, true);
        assert_eq!(found.iter().map(|p| p.0).collect::<Vec<_>>(), [1.0, 1.0, 1.0, 1.0, 2.0]);
        assert_eq!(found.iter().map(|p| p.1.is_finite()).collect::<Vec<_>>(), [false, false, true, false, false]);
    }

    #[test]
    fn times_of_long_runs_stay_apart() {
        let mut data = Data::default();
        let last = 1e8;
        let spec = data.fractions([0.0, last - 1.0, last].into_iter());
        let step = spec["step"].as_f64().unwrap();
        assert!(step < 0.03, "{step}");
    }
}
