//! Figures of several panels for a journal: one column (90 mm) or a page (190 mm) wide, letters of 8 points, colours that
//! everybody can tell apart, and legends below the panels, where they cover nothing.

mod scale;
mod strokes;

use interfield_gallery::{BLACK, Curve, Mark, Panel, Style};
use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use crate::plot::{COLOURS, PIXELS_PER_INCH};
use scale::Scale;
use strokes::{Frame, Point, dashed, pieces};

/// Width of a column and of a page of a journal, pixels: 90 mm and 190 mm.
const COLUMN: f64 = 90.0 / 25.4 * PIXELS_PER_INCH;
const PAGE: f64 = 190.0 / 25.4 * PIXELS_PER_INCH;

/// Left of a plot (ticks and label), right of it, above it, below it (ticks and label), pixels.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const ABOVE: f64 = 10.0;
const BELOW: f64 = 38.0;
/// Height of a title and of a line of a legend.
const LINE: f64 = 15.0;
/// Height of a plot over its width.
const SLENDERNESS: f64 = 0.66;
/// Letters: titles and labels, ticks and legends.
const LABEL: u32 = 11;
const TICK: u32 = 10;
/// Width of a letter over its height, on the safe side.
const LETTER: f64 = 0.58;
/// Length of the stroke in a legend.
const SAMPLE: f64 = 22.0;
const STROKE: f64 = 1.3;
const DOT: f64 = 2.4;
const INK: Color = Color::Rgb(30, 30, 30);
const FAINT: Color = Color::Rgb(120, 120, 120);
const GRID: Color = Color::Rgb(228, 228, 228);
const SHADE: Color = Color::Rgb(245, 226, 200);

/// A figure of panels.
pub(crate) struct Figure<'a> {
    /// The panels, row by row.
    pub panels: &'a [Panel],
    /// How many stand side by side.
    pub columns: usize,
}

impl Figure<'_> {
    /// As SVG text.
    pub(crate) fn svg(&self) -> String {
        SvgBackend.render_scene(&self.scene())
    }

    /// As a PNG file with so many dots per inch.
    pub(crate) fn png(&self, dpi: f64) -> Result<Vec<u8>, String> {
        RasterBackend { scale: (dpi / PIXELS_PER_INCH) as f32 }.render_scene(&self.scene())
    }

    fn scene(&self) -> Scene {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let width = if columns == 1 { COLUMN } else { PAGE };
        let cell = width / columns as f64;
        let plot = cell - LEFT - RIGHT;
        let high = plot * SLENDERNESS;
        // One legend under all panels, if that of one of them says what all others do.
        let legend = self.panels.iter().map(entries).max_by_key(Vec::len).unwrap_or_default();
        let all_known = |panel: &Panel| entries(panel).iter().all(|e| legend.contains(e));
        let shared = self.panels.len() > 1 && self.panels.iter().all(all_known);
        let mut elements = Vec::new();
        let mut top = 0.0;
        for (row, panels) in self.panels.chunks(columns).enumerate() {
            let titled = self.panels.len() > 1 || panels.iter().any(|p| !p.title.is_empty());
            let head = if titled { ABOVE + LINE } else { ABOVE };
            let mut foot = 0.0f64;
            for (column, panel) in panels.iter().enumerate() {
                let left = column as f64 * cell + LEFT;
                let frame = [left, top + head, left + plot, top + head + high];
                let letter = char::from(b'a' + ((row * columns + column) % 26) as u8);
                let title =
                    if self.panels.len() > 1 { format!("({letter}) {}", panel.title) } else { panel.title.clone() };
                elements.push(text(&title, (left, frame[1] - 6.0), TextAnchor::Start, LABEL));
                draw(&mut elements, panel, frame);
                if !shared {
                    let from = (left, frame[3] + BELOW);
                    foot = foot.max(draw_legend(&mut elements, &entries(panel), from, plot + RIGHT));
                }
            }
            top += head + high + BELOW + foot;
        }
        if shared {
            top += draw_legend(&mut elements, &legend, (LEFT, top), width - LEFT);
        }
        let mut scene = Scene::new(width, top + 4.0);
        scene.font_family = Some("DejaVu Sans, Arial, sans-serif".to_owned());
        elements.into_iter().for_each(|e| scene.add(e));
        scene
    }
}

/// What stands before a name in a legend.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Curve(usize, Style),
    Region,
}

/// A line of a legend.
type Entry = (String, Key);

/// Colours of the curves of a panel: those they ask for, or the next one.
fn colours(panel: &Panel) -> impl Iterator<Item = (usize, &Curve)> {
    panel.curves.iter().enumerate().map(|(i, c)| (c.colour.unwrap_or(i), c))
}

fn entries(panel: &Panel) -> Vec<Entry> {
    let named = colours(panel).filter(|(_, c)| !c.name.is_empty());
    // The numbers of a band are not what makes it look as it does.
    let look = |style: &Style| match style {
        Style::Band { .. } => Style::Band { low: Vec::new(), high: Vec::new() },
        other => other.clone(),
    };
    let mut entries: Vec<Entry> = named.map(|(i, c)| (c.name.clone(), Key::Curve(i, look(&c.style)))).collect();
    for mark in &panel.marks {
        if let Mark::Region(.., name) = mark
            && !name.is_empty()
            && !entries.contains(&(name.clone(), Key::Region))
        {
            entries.push((name.clone(), Key::Region));
        }
    }
    entries
}

fn colour(number: usize) -> Color {
    if number == BLACK {
        return INK;
    }
    let hex = COLOURS[number % COLOURS.len()];
    let part = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).unwrap_or(0);
    Color::Rgb(part(1), part(3), part(5))
}

fn text(content: &str, (x, y): Point, anchor: TextAnchor, size: u32) -> Primitive {
    Primitive::Text { x, y, content: content.to_owned(), size, anchor, rotate: None, bold: false, color: None }
}

fn upright(content: &str, (x, y): Point, anchor: TextAnchor, size: u32) -> Primitive {
    let content = content.to_owned();
    Primitive::Text { x, y, content, size, anchor, rotate: Some(-90.0), bold: false, color: None }
}

fn line((x1, y1): Point, (x2, y2): Point, stroke: Color, stroke_width: f64) -> Primitive {
    Primitive::Line { x1, y1, x2, y2, stroke, stroke_width, stroke_dasharray: None }
}

fn area((x, y): Point, (width, height): Point, fill: Color) -> Primitive {
    Primitive::Rect { x, y, width, height, fill, stroke: None, stroke_width: None, opacity: None }
}

fn strokes(out: &mut Vec<Primitive>, lines: Vec<Vec<Point>>, colour: &Color, width: f64, dashes: bool) {
    let lines = if dashes { lines.iter().flat_map(|l| dashed(l, 5.0, 3.0)).collect() } else { lines };
    for points in lines {
        let stroke = colour.clone();
        out.push(Primitive::PolyLine { points, stroke, stroke_width: width, stroke_dasharray: None });
    }
}

fn dot(out: &mut Vec<Primitive>, (cx, cy): Point, fill: Color) {
    out.push(Primitive::Circle { cx, cy, r: DOT, fill, fill_opacity: None, stroke: None, stroke_width: None });
}

/// The two axes of a panel in its frame.
struct Axes {
    x: Scale,
    y: Scale,
    frame: Frame,
}

impl Axes {
    fn new(panel: &Panel, frame: Frame) -> Self {
        let points = || panel.curves.iter().flat_map(|c| c.points.iter());
        let edges = panel.curves.iter().filter_map(|c| match &c.style {
            Style::Band { low, high } => Some(low.iter().chain(high).copied()),
            _ => None,
        });
        let zero = panel.curves.iter().any(|c| c.style == Style::Bars).then_some(0.0);
        let y = points().map(|p| p.1).chain(edges.flatten()).chain(zero);
        Axes { x: Scale::new(&panel.x, points().map(|p| p.0)), y: Scale::new(&panel.y, y), frame }
    }

    fn across(&self, part: f64) -> f64 {
        self.frame[0] + part * (self.frame[2] - self.frame[0])
    }

    fn up(&self, part: f64) -> f64 {
        self.frame[3] - part * (self.frame[3] - self.frame[1])
    }

    fn at(&self, (x, y): (f64, f64)) -> Point {
        (self.across(self.x.place(x)), self.up(self.y.place(y)))
    }

    fn holds(&self, (x, y): Point) -> bool {
        let [left, top, right, bottom] = self.frame;
        (left - 0.5..=right + 0.5).contains(&x) && (top - 0.5..=bottom + 0.5).contains(&y)
    }
}

fn draw(out: &mut Vec<Primitive>, panel: &Panel, frame: Frame) {
    let axes = Axes::new(panel, frame);
    let [left, top, right, bottom] = frame;
    let regions = panel.marks.iter().filter(|m| matches!(m, Mark::Region(..)));
    regions.for_each(|m| mark(out, m, &axes));
    for (at, label) in axes.x.ticks(((right - left) / 45.0) as usize) {
        let (x, long) = (axes.across(at), if label.is_empty() { 2.5 } else { 5.0 });
        if !label.is_empty() && panel.x.names.is_empty() {
            out.push(line((x, top), (x, bottom), GRID, 0.6));
        }
        out.push(line((x, bottom), (x, bottom + long), INK, 0.8));
        out.push(text(&label, (x, bottom + 16.0), TextAnchor::Middle, TICK));
    }
    for (at, label) in axes.y.ticks(((bottom - top) / 28.0) as usize) {
        let (y, long) = (axes.up(at), if label.is_empty() { 2.5 } else { 5.0 });
        if !label.is_empty() {
            out.push(line((left, y), (right, y), GRID, 0.6));
        }
        out.push(line((left, y), (left - long, y), INK, 0.8));
        out.push(text(&label, (left - 7.0, y + 3.5), TextAnchor::End, TICK));
    }
    panel.marks.iter().filter(|m| !matches!(m, Mark::Region(..))).for_each(|m| mark(out, m, &axes));
    let bars = panel.curves.iter().filter(|c| c.style == Style::Bars).count();
    let mut bar = 0;
    for (number, curve) in colours(panel) {
        draw_curve(out, curve, &colour(number), &axes, (bar, bars));
        bar += usize::from(curve.style == Style::Bars);
    }
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
    (0..4).for_each(|i| out.push(line(corners[i], corners[(i + 1) % 4], INK, 0.8)));
    out.push(text(&panel.x.label, (0.5 * (left + right), bottom + 31.0), TextAnchor::Middle, LABEL));
    out.push(upright(&panel.y.label, (left - LEFT + 12.0, 0.5 * (top + bottom)), TextAnchor::Middle, LABEL));
}

/// Draws a curve; `bar` is which of how many bars it is.
fn draw_curve(out: &mut Vec<Primitive>, curve: &Curve, colour: &Color, axes: &Axes, bar: (usize, usize)) {
    let places = || curve.points.iter().map(|p| axes.at(*p));
    let lines = || pieces(places(), axes.frame);
    match &curve.style {
        Style::Line => strokes(out, lines(), colour, STROKE, false),
        Style::Dashed => strokes(out, lines(), colour, STROKE, true),
        Style::Points => {}
        Style::Joined => strokes(out, lines(), colour, 1.0, false),
        Style::Band { low, high } => {
            let edge = |values: &[f64]| -> Vec<Point> {
                let limit = |p: Point| (p.0, p.1.clamp(axes.frame[1], axes.frame[3]));
                let points = curve.points.iter().zip(values).map(|(p, y)| limit(axes.at((p.0, *y))));
                points.filter(|p| p.0.is_finite() && p.1.is_finite()).collect()
            };
            let around = edge(high).into_iter().chain(edge(low).into_iter().rev());
            let step = |(i, (x, y)): (usize, Point)| format!("{} {x:.2} {y:.2} ", if i == 0 { 'M' } else { 'L' });
            let d: String = around.enumerate().map(step).collect();
            let fill = Some(colour.clone());
            let (stroke, stroke_width, opacity, stroke_dasharray) = (Color::None, 0.0, Some(0.25), None);
            if !d.is_empty() {
                out.push(Primitive::Path(Box::new(PathData {
                    d: d + "Z",
                    fill,
                    stroke,
                    stroke_width,
                    opacity,
                    stroke_dasharray,
                })));
            }
            strokes(out, lines(), colour, STROKE, false);
        }
        Style::Bars => {
            let share = 0.8 / bar.1.max(1) as f64;
            let floor = axes.up(axes.y.floor());
            for (x, y) in &curve.points {
                let from = x - 0.4 + bar.0 as f64 * share;
                let (a, b) = (axes.at((from, *y)), axes.at((from + share, *y)));
                if a.1.is_finite() {
                    let a1 = a.1.clamp(axes.frame[1], axes.frame[3]);
                    out.push(area((a.0, a1.min(floor)), (b.0 - a.0, (floor - a1).abs()), colour.clone()));
                }
            }
        }
    }
    if matches!(curve.style, Style::Points | Style::Joined) {
        places().filter(|p| axes.holds(*p)).for_each(|p| dot(out, p, colour.clone()));
    }
}

fn mark(out: &mut Vec<Primitive>, mark: &Mark, axes: &Axes) {
    let [left, top, right, bottom] = axes.frame;
    let word = |content: &str, (x, y): Point, anchor, rotate| {
        let (content, color) = (content.to_owned(), Some(FAINT));
        Primitive::Text { x, y, content, size: TICK, anchor, rotate, bold: false, color }
    };
    match mark {
        Mark::Region(from, to, _) => {
            let [a, b] = [*from, *to].map(|x| axes.across(axes.x.place(x).clamp(0.0, 1.0)));
            out.push(area((a, top), (b - a, bottom - top), SHADE));
        }
        Mark::Vertical(x, name) => {
            let x = axes.across(axes.x.place(*x));
            strokes(out, pieces([(x, top), (x, bottom)].into_iter(), axes.frame), &FAINT, 0.8, true);
            out.push(word(name, (x - 3.0, bottom - 6.0), TextAnchor::Start, Some(-90.0)));
        }
        Mark::Horizontal(y, name) => {
            let y = axes.up(axes.y.place(*y));
            strokes(out, pieces([(left, y), (right, y)].into_iter(), axes.frame), &FAINT, 0.8, true);
            out.push(word(name, (right - 4.0, y - 4.0), TextAnchor::End, None));
        }
    }
}

/// Draws a legend from its upper left corner on, in columns no wider than `width` together; its height.
fn draw_legend(out: &mut Vec<Primitive>, entries: &[Entry], (left, top): Point, width: f64) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let long = |e: &Entry| SAMPLE + 20.0 + e.0.chars().count() as f64 * f64::from(TICK) * LETTER;
    let widths = |across: usize| -> Vec<f64> {
        (0..across).map(|c| entries.iter().skip(c).step_by(across).map(long).fold(0.0, f64::max)).collect()
    };
    let fits = (1..=entries.len()).rev().find(|n| widths(*n).iter().sum::<f64>() <= width).unwrap_or(1);
    let rows = entries.len().div_ceil(fits);
    // As many columns as fill these rows evenly.
    let across = entries.len().div_ceil(rows);
    let widths = widths(across);
    for (i, (name, key)) in entries.iter().enumerate() {
        let x = left + widths[..i % across].iter().sum::<f64>();
        let y = top + 4.0 + (i / across) as f64 * LINE;
        draw_key(out, key, (x, y));
        out.push(text(name, (x + SAMPLE + 6.0, y + 3.5), TextAnchor::Start, TICK));
    }
    rows as f64 * LINE
}

fn draw_key(out: &mut Vec<Primitive>, key: &Key, (x, y): Point) {
    let Key::Curve(number, style) = key else {
        out.push(area((x, y - 4.5), (SAMPLE, 9.0), SHADE));
        return;
    };
    let colour = colour(*number);
    let stroke = vec![vec![(x, y), (x + SAMPLE, y)]];
    match style {
        Style::Bars => out.push(area((x + 5.0, y - 5.0), (12.0, 9.0), colour.clone())),
        Style::Band { .. } => {
            let (y, width, height, fill, opacity) = (y - 4.5, SAMPLE, 9.0, colour.clone(), Some(0.25));
            out.push(Primitive::Rect { x, y, width, height, fill, stroke: None, stroke_width: None, opacity });
            strokes(out, stroke, &colour, STROKE, false);
        }
        Style::Points => {}
        Style::Line | Style::Joined => strokes(out, stroke, &colour, STROKE, false),
        Style::Dashed => strokes(out, stroke, &colour, STROKE, true),
    }
    if matches!(style, Style::Points | Style::Joined) {
        dot(out, (x + 0.5 * SAMPLE, y), colour);
    }
}
