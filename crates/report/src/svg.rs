//! A scene as SVG.

use std::fmt::Write;

use crate::html::escape;
use crate::scene::{Anchor, Colour, DASHES, Point, Scene, Shape, Text};

/// As text.
pub(crate) fn write(scene: &Scene) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         fill=\"none\" stroke-linejoin=\"round\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for shape in &scene.shapes {
        out += "\n";
        draw(&mut out, shape);
    }
    out + "\n</svg>\n"
}

fn draw(out: &mut String, shape: &Shape) {
    let _ = match shape {
        Shape::Strokes { lines, colour, width, dashed } => {
            let d: String = lines.iter().map(|line| path(line)).collect();
            let dashes =
                if *dashed { format!(" stroke-dasharray=\"{} {}\"", DASHES.0, DASHES.1) } else { String::new() };
            write!(out, "<path d=\"{d}\" stroke=\"{}\" stroke-width=\"{width}\"{dashes}/>", name(*colour))
        }
        Shape::Area { outline, colour, opacity } => {
            let opacity = if *opacity < 1.0 { format!(" fill-opacity=\"{opacity}\"") } else { String::new() };
            write!(out, "<path d=\"{}Z\" fill=\"{}\"{opacity}/>", path(outline), name(*colour))
        }
        Shape::Dots { at, radius, colour } => {
            let dot = |p: &Point| format!("<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\"/>", number(p.0), number(p.1));
            write!(out, "<g fill=\"{}\">{}</g>", name(*colour), at.iter().map(dot).collect::<String>())
        }
        Shape::Text(Text { content, at, anchor, size, upright, bold, colour }) => {
            let (x, y) = (number(at.0), number(at.1));
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let turned = if *upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            let bold = if *bold { " font-weight=\"bold\"" } else { "" };
            let (fill, content) = (name(*colour), escape(content));
            write!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\"{anchor}{turned}{bold}>{content}</text>"
            )
        }
    };
}

fn name([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn path(line: &[Point]) -> String {
    let mut d = String::new();
    for (i, (x, y)) in line.iter().enumerate() {
        d.push(if i == 0 { 'M' } else { 'L' });
        d += &number(*x);
        d.push(' ');
        d += &number(*y);
    }
    d
}

/// Hundredths of a pixel are more than can be seen.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
