//! Maps of stability: a panel of cells over two logarithmic axes for each number of substeps, and what the colours mean.

use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene, TextAnchor};

use crate::plot::PIXELS_PER_INCH;

/// Side of a panel, pixels.
const PANEL: f64 = 230.0;
/// Space between panels.
const GUTTER: f64 = 28.0;
/// Left of the first panel, above and below all, and right of the last for the scale of colours.
const LEFT: f64 = 62.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 58.0;
const RIGHT: f64 = 150.0;
const TEXT: u32 = 12;

/// Colours of decaying motions, from radius 1 to 0: blue on white.
const CALM: [[f64; 3]; 2] = [[235.0, 244.0, 251.0], [86.0, 180.0, 233.0]];
/// Colours of growing motions, from a radius of 1 + 1e-6 to 2 and more: from orange to nearly black.
const GROWING: [[f64; 3]; 3] = [[253.0, 200.0, 110.0], [213.0, 94.0, 0.0], [70.0, 0.0, 0.0]];
/// Shades of each.
const SHADES: f64 = 24.0;
/// log10 of the smallest excess over one that is told from none.
const LEAST: f64 = -6.0;

/// Cells of one panel.
pub(crate) struct Panel {
    /// Above it.
    pub title: [String; 2],
    /// Spectral radius and whether nothing grows, row by row from below.
    pub cells: Vec<(f64, bool)>,
}

/// A map.
pub(crate) struct Heat<'a> {
    /// Title above all.
    pub title: String,
    /// Label of the horizontal axis, and its values.
    pub x: (&'a str, &'a [f64]),
    /// Label of the vertical axis, and its values.
    pub y: (&'a str, &'a [f64]),
    /// The panels, from left to right.
    pub panels: Vec<Panel>,
}

fn mix(stops: &[[f64; 3]], at: f64) -> Color {
    let at = ((at.clamp(0.0, 1.0) * SHADES).round() / SHADES) * (stops.len() - 1) as f64;
    let i = (at as usize).min(stops.len() - 2);
    let part = |c: usize| (stops[i][c] + (at - i as f64) * (stops[i + 1][c] - stops[i][c])).round() as u8;
    Color::Rgb(part(0), part(1), part(2))
}

fn colour((radius, stable): (f64, bool)) -> Color {
    if stable { mix(&CALM, 1.0 - radius) } else { mix(&GROWING, 1.0 - (radius - 1.0).max(1e-9).log10() / LEAST) }
}

fn text(content: &str, (x, y): (f64, f64), anchor: TextAnchor, rotate: Option<f64>, bold: bool) -> Primitive {
    Primitive::Text { x, y, content: content.to_owned(), size: TEXT, anchor, rotate, bold, color: None }
}

fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Primitive {
    let stroke = Color::Rgb(40, 40, 40);
    Primitive::Line { x1, y1, x2, y2, stroke, stroke_width: 1.0, stroke_dasharray: None }
}

/// Powers of ten inside a range, at most five, with their place from 0 to 1; the ends of a range without any.
fn ticks(values: &[f64]) -> Vec<(f64, String)> {
    let (Some(low), Some(high)) = (values.first(), values.last()) else { return Vec::new() };
    let (a, b) = (low.log10(), high.log10());
    let place = |e: f64| if b > a { (e - a) / (b - a) } else { 0.5 };
    let whole: Vec<i32> = ((a - 1e-9).ceil() as i32..=(b + 1e-9).floor() as i32).collect();
    if whole.is_empty() {
        return [low, high].iter().map(|v| (place(v.log10()), interfield::table::short(**v))).collect();
    }
    let every = whole.len().div_ceil(5);
    let label = |e: i32| if (-3..=4).contains(&e) { format!("{}", 10f64.powi(e)) } else { format!("1e{e}") };
    whole.into_iter().step_by(every).map(|e| (place(f64::from(e)), label(e))).collect()
}

impl Heat<'_> {
    /// As SVG text.
    pub(crate) fn svg(&self) -> String {
        SvgBackend.render_scene(&self.scene())
    }

    /// As a PNG file.
    pub(crate) fn png(&self, dpi: f64) -> Result<Vec<u8>, String> {
        RasterBackend { scale: (dpi / PIXELS_PER_INCH) as f32 }.render_scene(&self.scene())
    }

    fn scene(&self) -> Scene {
        let count = self.panels.len() as f64;
        let width = LEFT + count * PANEL + (count - 1.0).max(0.0) * GUTTER + RIGHT;
        let mut scene = Scene::new(width, TOP + PANEL + BOTTOM);
        scene.font_family = Some("DejaVu Sans, Arial, sans-serif".to_owned());
        scene.add(text(&self.title, (LEFT, 18.0), TextAnchor::Start, None, true));
        let middle = LEFT + (width - LEFT - RIGHT) / 2.0;
        scene.add(text(self.x.0, (middle, TOP + PANEL + 44.0), TextAnchor::Middle, None, false));
        scene.add(text(self.y.0, (16.0, TOP + PANEL / 2.0), TextAnchor::Middle, Some(-90.0), false));
        for (i, panel) in self.panels.iter().enumerate() {
            self.draw(&mut scene, panel, LEFT + i as f64 * (PANEL + GUTTER), i == 0);
        }
        legend(&mut scene, width - RIGHT + 22.0);
        scene
    }

    fn draw(&self, scene: &mut Scene, panel: &Panel, left: f64, labelled: bool) {
        let (nx, ny) = (self.x.1.len().max(1), self.y.1.len().max(1));
        let (w, h) = (PANEL / nx as f64, PANEL / ny as f64);
        let bottom = TOP + PANEL;
        for (row, cells) in panel.cells.chunks(nx).enumerate() {
            let colours: Vec<Color> = cells.iter().map(|c| colour(*c)).collect();
            let mut from = 0;
            for run in colours.chunk_by(|x, y| x == y) {
                // Neighbours of one colour are one rectangle, a hair larger so that no seam shows.
                let (x, y) = (left + from as f64 * w, bottom - (row + 1) as f64 * h);
                let (width, height) = (w * run.len() as f64 + 0.3, h + 0.3);
                let fill = run[0].clone();
                scene.add(Primitive::Rect {
                    x,
                    y,
                    width,
                    height,
                    fill,
                    stroke: None,
                    stroke_width: None,
                    opacity: None,
                });
                from += run.len();
            }
        }
        for (i, title) in panel.title.iter().enumerate() {
            scene.add(text(title, (left, TOP - 24.0 + 16.0 * i as f64), TextAnchor::Start, None, i == 0));
        }
        // Cells stand around their values: the first value is half a cell from the edge.
        let inside = |at: f64, n: usize| (0.5 + at * (n as f64 - 1.0)) / n as f64;
        for (at, label) in ticks(self.x.1) {
            let x = left + PANEL * inside(at, nx);
            scene.add(line((x, bottom), (x, bottom + 5.0)));
            scene.add(text(&label, (x, bottom + 20.0), TextAnchor::Middle, None, false));
        }
        for (at, label) in ticks(self.y.1) {
            let y = bottom - PANEL * inside(at, ny);
            scene.add(line((left, y), (left - 5.0, y)));
            if labelled {
                scene.add(text(&label, (left - 8.0, y + 4.0), TextAnchor::End, None, false));
            }
        }
        let corners = [(left, TOP), (left + PANEL, TOP), (left + PANEL, bottom), (left, bottom)];
        (0..4).for_each(|i| scene.add(line(corners[i], corners[(i + 1) % 4])));
    }
}

/// The scale of colours, growing motions above decaying ones.
fn legend(scene: &mut Scene, left: f64) {
    let (half, wide, shades) = (PANEL / 2.0 - 17.0, 16.0, SHADES as usize);
    let mut bar = |top: f64, title: &str, at: &dyn Fn(f64) -> Color, marks: [(f64, &str); 3]| {
        scene.add(text(title, (left, top - 10.0), TextAnchor::Start, None, false));
        let step = half / shades as f64;
        for i in 0..shades {
            let fill = at(1.0 - (i as f64 + 0.5) / shades as f64);
            let (x, y, width, height) = (left, top + i as f64 * step, wide, step + 0.3);
            scene.add(Primitive::Rect { x, y, width, height, fill, stroke: None, stroke_width: None, opacity: None });
        }
        for (place, label) in marks {
            let y = top + half * (1.0 - place);
            scene.add(line((left + wide, y), (left + wide + 4.0, y)));
            scene.add(text(label, (left + wide + 8.0, y + 4.0), TextAnchor::Start, None, false));
        }
    };
    let growing: [(f64, &str); 3] = [(1.0, "2 or more"), (0.5, "1.001"), (0.0, "1 + 1e-6")];
    bar(TOP, "unstable, radius", &|t| mix(&GROWING, t), growing);
    let calm: [(f64, &str); 3] = [(1.0, "1"), (0.5, "0.5"), (0.0, "0")];
    bar(TOP + half + 34.0, "stable, radius", &|t| mix(&CALM, 1.0 - t), calm);
}
