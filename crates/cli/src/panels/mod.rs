//! Figures of several panels for a journal: one column (90 mm) or a page (190 mm) wide, letters of 8 points, colours that
//! everybody can tell apart, and legends below the panels, where they cover nothing.

mod legend;
mod scale;
mod strokes;

use interfield_gallery::{BLACK, Curve, Mark, Panel, Style};
use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use crate::plot::{COLOURS, PIXELS_PER_INCH};
use legend::entries;
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
                    foot = foot.max(legend::draw(&mut elements, &entries(panel), from, plot + RIGHT));
                }
            }
            top += head + high + BELOW + foot;
        }
        if shared {
            top += legend::draw(&mut elements, &legend, (LEFT, top), width - LEFT);
        }
        let mut scene = Scene::new(width, top + 4.0);
        scene.background_color = Some("white".to_owned());
        scene.font_family = Some("DejaVu Sans, Arial, sans-serif".to_owned());
        elements.into_iter().for_each(|e| scene.add(e));
        scene
    }
}

/// Colours of the curves of a panel: those they ask for, or the next one.
fn colours(panel: &Panel) -> impl Iterator<Item = (usize, &Curve)> {
    panel.curves.iter().enumerate().map(|(i, c)| (c.colour.unwrap_or(i), c))
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
    regions.for_each(|m| mark(out, m, panel, &axes));
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
    panel.marks.iter().filter(|m| !matches!(m, Mark::Region(..))).for_each(|m| mark(out, m, panel, &axes));
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

fn mark(out: &mut Vec<Primitive>, mark: &Mark, panel: &Panel, axes: &Axes) {
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
            out.push(word(name, (x - 3.0, free_place(panel, axes, x)), TextAnchor::Middle, Some(-90.0)));
        }
        Mark::Horizontal(y, name) => {
            let y = axes.up(axes.y.place(*y));
            strokes(out, pieces([(left, y), (right, y)].into_iter(), axes.frame), &FAINT, 0.8, true);
            out.push(word(name, (right - 4.0, y - 4.0), TextAnchor::End, None));
        }
    }
}

/// The middle of the largest part of a vertical line that no curve comes near, for a word beside it.
fn free_place(panel: &Panel, axes: &Axes, x: f64) -> f64 {
    let [_, top, _, bottom] = axes.frame;
    let mut met = vec![top, bottom];
    for curve in &panel.curves {
        for pair in curve.points.windows(2) {
            let (a, b) = (axes.at(pair[0]), axes.at(pair[1]));
            let nearest = x.clamp(a.0.min(b.0), a.0.max(b.0));
            if (nearest - x).abs() < f64::from(TICK) + 3.0 {
                let along = if a.0 == b.0 { 0.0 } else { (nearest - a.0) / (b.0 - a.0) };
                met.push((a.1 + along * (b.1 - a.1)).clamp(top, bottom));
            }
        }
    }
    met.retain(|y| y.is_finite());
    met.sort_by(f64::total_cmp);
    let gaps = met.windows(2).map(|pair| (pair[1] - pair[0], 0.5 * (pair[0] + pair[1])));
    gaps.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.5 * (top + bottom), |gap| gap.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use interfield_gallery::Axis;

    fn wave(shift: f64) -> Vec<(f64, f64)> {
        (0..=200).map(|i| 0.05 * f64::from(i)).map(|t| (t, (3.0 * t - shift).sin() * (-0.2 * t).exp())).collect()
    }

    /// A figure with everything that can be drawn.
    fn figure() -> Vec<Panel> {
        let points = wave(0.0);
        let edge = |d: f64| points.iter().map(|p| p.1 + d).collect::<Vec<f64>>();
        let band = Style::Band { low: edge(-0.2), high: edge(0.2) };
        let histories = Panel {
            title: "histories".to_owned(),
            x: Axis::new("t [s]"),
            y: Axis::new("u [mm]"),
            curves: vec![
                Curve::line("mean ± std", points.clone()).style(band),
                Curve::line("reference", wave(0.3)).style(Style::Dashed).colour(BLACK),
            ],
            marks: vec![Mark::Vertical(6.0, "yield".to_owned()), Mark::Horizontal(0.9, "limit".to_owned())],
        };
        let names = ["1", "2", "10", "100"].map(|n| format!("ss = {n}")).to_vec();
        let bars = |name: &str, f: f64| {
            Curve::line(name, (0..4).map(|i| (f64::from(i), f / f64::from(i + 1).powi(4))).collect())
        };
        let compared = Panel {
            title: "bars".to_owned(),
            x: Axis { names, ..Axis::new("substeps") },
            y: Axis::log("link [m]").over(1e-6, 1e-2),
            curves: vec![bars("PM", 1e-3).style(Style::Bars), bars("modified PH", 2e-3).style(Style::Bars)],
            ..Panel::default()
        };
        let cycle = wave(0.0).into_iter().zip(wave(1.0)).map(|(a, b)| (a.1, b.1)).collect();
        let round = Panel {
            x: Axis::new("u [mm]"),
            y: Axis::new("r [kN]"),
            curves: vec![
                Curve::line("loop", cycle),
                Curve::line("peaks", vec![(0.9, 0.5), (0.1, f64::NAN)]).style(Style::Points),
            ],
            marks: vec![Mark::Region(0.2, 0.4, "gap".to_owned())],
            ..Panel::default()
        };
        vec![histories, compared, round]
    }

    #[test]
    fn everything_is_drawn_inside_the_figure() {
        let panels = figure();
        let scene = Figure { panels: &panels, columns: 2 }.scene();
        let inside = |x: f64, y: f64| (0.0..=scene.width).contains(&x) && (0.0..=scene.height).contains(&y);
        let (mut bars, mut dots, mut words) = (0, 0, Vec::new());
        for element in &scene.elements {
            match element {
                Primitive::PolyLine { points, .. } => assert!(points.iter().all(|p| inside(p.0, p.1))),
                Primitive::Rect { x, y, width, height, .. } => {
                    assert!(inside(*x, *y) && inside(x + width, y + height) && *width > 0.0 && *height >= 0.0);
                    bars += 1;
                }
                Primitive::Circle { cx, cy, .. } => {
                    assert!(inside(*cx, *cy));
                    dots += 1;
                }
                Primitive::Text { x, y, content, .. } => {
                    assert!(inside(*x, *y), "{content}");
                    words.push(content.as_str());
                }
                _ => {}
            }
        }
        // Eight bars, the region, and four keys of legends; one point that can be drawn, and its key.
        assert_eq!((bars, dots), (13, 2));
        for word in ["(a) histories", "u [mm]", "ss = 10", "mean ± std", "modified PH", "gap", "yield", "10⁻⁴"] {
            assert!(words.contains(&word), "`{word}` is not in {words:?}");
        }
        let svg = Figure { panels: &panels, columns: 2 }.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
