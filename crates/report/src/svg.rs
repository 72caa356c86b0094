//! A scene as SVG.

use std::fmt::Write;

use crate::html::escape;
use crate::layout::{GRID, SHADE};
use crate::scene::{Anchor, BLUE, Colour, DASHES, FAINT, GREEN, INK, Point, RIG, SPECIMEN, Scene, Shape, Text};

/// As text, on white paper.
pub(crate) fn write(scene: &Scene) -> String {
    written(scene, "")
}

/// As text for a screen: light or dark as the reader has it.
pub(crate) fn write_for_screen(scene: &Scene) -> String {
    written(scene, &format!("<style>@media (prefers-color-scheme: dark) {{{}}}</style>\n", dark()))
}

fn written(scene: &Scene, style: &str) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         fill=\"none\" stroke-linejoin=\"round\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n\
         {style}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for shape in &scene.shapes {
        out += "\n";
        draw(&mut out, shape);
    }
    out + "\n</svg>\n"
}

/// What the colours of paper and ink become where the reader has it dark.
const DARK: [(Colour, Colour); 9] = [
    (INK, [0xe4, 0xe7, 0xea]),
    (FAINT, [0x9a, 0xa4, 0xae]),
    (GRID, [0x34, 0x3a, 0x41]),
    (SHADE, [0x4a, 0x3d, 0x28]),
    (BLUE, [0x56, 0xb4, 0xe9]),
    (SPECIMEN, [0xf0, 0x8a, 0x45]),
    (GREEN, [0x2f, 0xc5, 0x97]),
    (RIG, [0xc7, 0x9b, 0xe6]),
    ([0x56, 0xb4, 0xe9], [0xf0, 0xe4, 0x42]),
];

/// Rules for the colours that are written as attributes.
fn dark() -> String {
    let rule = |(light, dark): &(Colour, Colour)| {
        let (light, dark) = (name(*light), name(*dark));
        format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
    };
    let paper = "[fill=\"#fff\"]{fill:#15181c}".to_owned();
    paper + &DARK.iter().map(rule).collect::<String>()
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
        Shape::Group { class, title, shapes } => {
            let _ = write!(out, "<g class=\"{}\"><title>{}</title>", escape(class), escape(title));
            shapes.iter().for_each(|shape| draw(out, shape));
            write!(out, "</g>")
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
