//! A figure on paper: every panel in its place, with axes in words, round ticks and legends below the panels, where they cover
//! nothing. Widths of texts are known, so that none meets another.

use crate::figure::{Axis, Curve, Figure, Mark, Panel, Style};
use crate::legend::{Entry, draw as draw_legend, entries};
use crate::letters::{fitted, width, wrapped};
use crate::map;
use crate::scale::{Scale, Tick};
use crate::scene::{Anchor, Colour, FAINT, INK, Point, Scene, Shape, Text, colour};
use crate::strokes::{Frame, pieces};

/// Panels below this width in pixels have the letters of small print, 8 points.
const NARROW: f64 = 420.0;
/// Right of a plot, above it, and between ticks and what they are at.
pub(crate) const RIGHT: f64 = 16.0;
const ABOVE: f64 = 10.0;
pub(crate) const GAP: f64 = 7.0;
/// Widest labels of ticks that stand beside each other.
const WIDEST: f64 = 140.0;

pub(crate) const GRID: Colour = [228, 228, 228];
pub(crate) const SHADE: Colour = [245, 226, 200];
/// How much wider bold letters are.
const BOLD: f64 = 1.12;
/// Opacity of a band.
pub(crate) const BAND: f64 = 0.25;

/// Sizes of letters and strokes, pixels.
pub(crate) struct Sizes {
    /// Titles and labels of axes.
    label: f64,
    /// Ticks and legends.
    pub tick: f64,
    /// A line of either.
    pub line: f64,
    pub stroke: f64,
    pub dot: f64,
}

const SMALL: Sizes = Sizes { label: 11.0, tick: 10.0, line: 15.0, stroke: 1.3, dot: 2.4 };
const LARGE: Sizes = Sizes { label: 14.0, tick: 12.0, line: 18.0, stroke: 1.4, dot: 3.0 };

/// A panel with what is measured before it is drawn.
struct Cell<'a> {
    panel: &'a Panel,
    x: Scale,
    y: Scale,
    ticks: Vec<Tick>,
    legend: Vec<Entry>,
}

impl Cell<'_> {
    /// What the ticks of the vertical axis take.
    fn beside(&self, sizes: &Sizes) -> f64 {
        GAP + self.ticks.iter().map(|t| width(&t.1, sizes.tick)).fold(0.0, f64::max).min(WIDEST)
    }
}

/// The figure, in its place.
pub(crate) fn scene(figure: &Figure) -> Scene {
    let columns = figure.columns.clamp(1, figure.panels.len().max(1));
    let ramps = figure.panels.iter().find_map(|p| p.map.as_ref()).map_or(&[][..], |m| &m.ramps);
    let sizes = if figure.width / (columns as f64) < NARROW { &SMALL } else { &LARGE };
    let room = figure.width - map::ramps_width(ramps, sizes);
    let cell = room / columns as f64;
    // The height does not depend on how wide the labels are, so that these can depend on it.
    let high = ((cell - 4.0 * sizes.label - RIGHT) * figure.slenderness).max(40.0);
    let cells: Vec<Cell> = figure.panels.iter().map(|p| measured(p, high, sizes)).collect();
    let left = cells.iter().map(|c| c.beside(sizes)).fold(0.0, f64::max) + 1.6 * sizes.label;
    let plot = (cell - left - RIGHT).max(20.0);
    let titles: Vec<Vec<String>> =
        (0..cells.len()).map(|i| wrapped(&heading(figure, i), sizes.label, plot + RIGHT - GAP)).collect();
    // One legend under all panels, if that of one of them says what all others do.
    let legend = cells.iter().map(|c| &c.legend).max_by_key(|l| l.len()).cloned().unwrap_or_default();
    let several = cells.iter().filter(|c| !c.legend.is_empty()).count() > 1;
    let shared = several && cells.iter().all(|c| c.legend.iter().all(|e| legend.contains(e)));

    let mut scene = Scene { width: figure.width, height: 0.0, shapes: Vec::new() };
    let mut top = 4.0;
    for line in wrapped(&figure.title, sizes.label, (room - left - RIGHT) / BOLD) {
        let title = Text::new(line, (left, top + sizes.label), Anchor::Start, sizes.label);
        scene.shapes.push(Shape::Text(Text { bold: true, ..title }));
        top += sizes.line;
    }
    let mut first = None;
    for (row, titles) in cells.chunks(columns).zip(titles.chunks(columns)) {
        let head = ABOVE + titles.iter().map(Vec::len).max().unwrap_or(0) as f64 * sizes.line;
        let mut foot = 0.0f64;
        for (column, (panel, title)) in row.iter().zip(titles).enumerate() {
            let x = column as f64 * cell + left;
            let frame = [x, top + head, x + plot, top + head + high];
            first.get_or_insert(frame);
            for (i, line) in title.iter().rev().enumerate() {
                scene.text(line, (x, frame[1] - 6.0 - i as f64 * sizes.line), Anchor::Start, sizes.label);
            }
            let mut below = draw(&mut scene, panel, frame, sizes);
            if !shared {
                below += draw_legend(&mut scene, &panel.legend, (x, frame[3] + below), plot + RIGHT - GAP, sizes);
            }
            foot = foot.max(below);
        }
        top += head + high + foot;
    }
    if shared {
        top += draw_legend(&mut scene, &legend, (left, top), room - left - GAP, sizes);
    }
    if let Some(frame) = first {
        map::draw_ramps(&mut scene, ramps, room, frame, sizes);
    }
    scene.height = top + 6.0;
    scene
}

fn measured<'a>(panel: &'a Panel, high: f64, sizes: &Sizes) -> Cell<'a> {
    let points = || panel.curves.iter().flat_map(|c| c.points.iter());
    let edges = panel.curves.iter().filter_map(Curve::edges).flat_map(|(low, high)| low.iter().chain(high).copied());
    let zero = panel.curves.iter().any(|c| c.style == Style::Bars).then_some(0.0);
    let ends = |axis: &Axis, values: Option<&Vec<f64>>| match values {
        Some(values) => {
            axis.clone().over(map::border(values, 0, axis.log), map::border(values, values.len(), axis.log))
        }
        None => axis.clone(),
    };
    let map = panel.map.as_ref();
    let x = Scale::new(&ends(&panel.x, map.map(|m| &m.x)), points().map(|p| p.0));
    let y = Scale::new(&ends(&panel.y, map.map(|m| &m.y)), points().map(|p| p.1).chain(edges).chain(zero));
    let ticks = y.ticks((high / (2.3 * sizes.label)) as usize);
    Cell { panel, x, y, ticks, legend: entries(panel) }
}

/// What stands above a panel: its letter, where it is one of several, and its title.
fn heading(figure: &Figure, number: usize) -> String {
    let panel = &figure.panels[number];
    let untitled = figure.columns == 1 && figure.panels.iter().all(|p| p.title.is_empty());
    if figure.panels.len() == 1 || untitled || panel.map.is_some() {
        return panel.title.clone();
    }
    let letter = char::from(b'a' + (number % 26) as u8);
    format!("({letter}) {}", panel.title).trim_end().to_owned()
}

/// The axes of a panel in its frame.
pub(crate) struct Axes<'a> {
    x: &'a Scale,
    y: &'a Scale,
    pub frame: Frame,
}

impl Axes<'_> {
    pub(crate) fn across(&self, x: f64) -> f64 {
        self.frame[0] + self.x.place(x) * (self.frame[2] - self.frame[0])
    }

    pub(crate) fn up(&self, y: f64) -> f64 {
        self.frame[3] - self.y.place(y) * (self.frame[3] - self.frame[1])
    }

    fn at(&self, (x, y): (f64, f64)) -> Point {
        (self.across(x), self.up(y))
    }

    fn holds(&self, (x, y): Point) -> bool {
        let [left, top, right, bottom] = self.frame;
        (left - 0.5..=right + 0.5).contains(&x) && (top - 0.5..=bottom + 0.5).contains(&y)
    }

    fn clamped(&self, y: f64) -> f64 {
        self.up(y).clamp(self.frame[1], self.frame[3])
    }
}

/// Draws a panel; how far it reaches below its frame.
fn draw(scene: &mut Scene, cell: &Cell, frame: Frame, sizes: &Sizes) -> f64 {
    let panel = cell.panel;
    let axes = Axes { x: &cell.x, y: &cell.y, frame };
    let [left, top, right, bottom] = frame;
    if let Some(map) = &panel.map {
        map::draw(scene, map, panel, &axes);
    }
    panel.marks.iter().filter(|m| matches!(m, Mark::Region(..))).for_each(|m| mark(scene, m, panel, &axes, sizes));
    let below = x_ticks(scene, cell, frame, sizes);
    for (at, label) in &cell.ticks {
        let (y, long) = (bottom - at * (bottom - top), if label.is_empty() { 2.5 } else { 5.0 });
        if !label.is_empty() && panel.map.is_none() {
            scene.line(&[(left, y), (right, y)], GRID, 0.6);
        }
        scene.line(&[(left, y), (left - long, y)], INK, 0.8);
        if !label.is_empty() {
            let label = fitted(label, sizes.tick, WIDEST);
            scene.text(&label, (left - GAP, y + 0.35 * sizes.tick), Anchor::End, sizes.tick);
        }
    }
    panel.marks.iter().filter(|m| !matches!(m, Mark::Region(..))).for_each(|m| mark(scene, m, panel, &axes, sizes));
    let bars = panel.curves.iter().filter(|c| c.style == Style::Bars).count();
    let mut bar = 0;
    for (i, curve) in panel.curves.iter().enumerate() {
        draw_curve(scene, curve, colour(curve.colour, i), &axes, (bar, bars), sizes);
        bar += usize::from(curve.style == Style::Bars);
    }
    beside_points(scene, panel, &axes, sizes);
    scene.line(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], INK, 0.8);
    if panel.curves.iter().all(|c| !c.points.iter().any(|p| p.0.is_finite() && p.1.is_finite())) && panel.map.is_none()
    {
        scene.text("no data", (0.5 * (left + right), 0.5 * (top + bottom)), Anchor::Middle, sizes.label);
    }
    let label = fitted(&panel.x.text(), sizes.label, right - left + RIGHT);
    scene.text(&label, (0.5 * (left + right), bottom + below + sizes.label), Anchor::Middle, sizes.label);
    let label = fitted(&panel.y.text(), sizes.label, bottom - top + 2.0 * ABOVE);
    let at = (left - cell.beside(sizes) - 0.5 * sizes.label, 0.5 * (top + bottom));
    scene.shapes.push(Shape::Text(Text { upright: true, ..Text::new(label, at, Anchor::Middle, sizes.label) }));
    below + 1.7 * sizes.label
}

/// Draws the ticks of the horizontal axis, as many as have room; names without room stand upright. Their height.
fn x_ticks(scene: &mut Scene, cell: &Cell, [left, top, right, bottom]: Frame, sizes: &Sizes) -> f64 {
    let wide = right - left;
    let half = |label: &str| 0.5 * width(label, sizes.tick);
    // No label leaves the figure.
    let place = |t: &Tick| (left + t.0 * wide).min((right + RIGHT - half(&t.1)).max(left));
    let crowded = |ticks: &[Tick]| {
        let labelled: Vec<&Tick> = ticks.iter().filter(|t| !t.1.is_empty()).collect();
        labelled.windows(2).any(|p| place(p[0]) + half(&p[0].1) + 0.6 * sizes.tick > place(p[1]) - half(&p[1].1))
    };
    let most = (wide / (3.5 * sizes.tick)) as usize;
    let named = !cell.panel.x.names.is_empty();
    let mut ticks = cell.x.ticks(most);
    if !named {
        let fewer = (1..most).rev().map(|n| cell.x.ticks(n)).find(|t| !crowded(t));
        ticks = if crowded(&ticks) { fewer.unwrap_or_default() } else { ticks };
    }
    let upright = named && crowded(&ticks);
    // Upright names need the height of their letters.
    let every = if upright { (1.1 * sizes.tick * ticks.len() as f64 / wide).ceil() as usize } else { 1 };
    let mut deep = sizes.tick;
    for tick in ticks.iter().step_by(every.max(1)) {
        let (x, long) = (left + tick.0 * wide, if tick.1.is_empty() { 2.5 } else { 5.0 });
        if !tick.1.is_empty() && !named && cell.panel.map.is_none() {
            scene.line(&[(x, top), (x, bottom)], GRID, 0.6);
        }
        scene.line(&[(x, bottom), (x, bottom + long)], INK, 0.8);
        if upright {
            let content = fitted(&tick.1, sizes.tick, WIDEST);
            deep = deep.max(width(&content, sizes.tick));
            let name = Text::new(content, (x + 0.35 * sizes.tick, bottom + GAP), Anchor::End, sizes.tick);
            scene.shapes.push(Shape::Text(Text { upright, ..name }));
        } else if !tick.1.is_empty() {
            scene.text(&tick.1, (place(tick), bottom + GAP + 0.8 * sizes.tick), Anchor::Middle, sizes.tick);
        }
    }
    GAP + deep + 4.0
}

/// Draws a curve; `bar` is which of how many bars it is.
fn draw_curve(scene: &mut Scene, curve: &Curve, colour: Colour, axes: &Axes, bar: (usize, usize), sizes: &Sizes) {
    let places = || curve.points.iter().map(|p| axes.at(*p));
    let mut strokes = |width: f64, dashed: bool| {
        let lines = pieces(places(), axes.frame);
        scene.shapes.push(Shape::Strokes { lines, colour, width, dashed });
    };
    match &curve.style {
        Style::Line => strokes(sizes.stroke, false),
        Style::Dashed => strokes(sizes.stroke, true),
        Style::Joined => strokes(1.0, false),
        Style::Points => {}
        Style::Band { low, high } => bands(scene, curve, (low, high), colour, axes),
        Style::Whiskers { low, high } => {
            let whisker = |((p, l), h): ((&(f64, f64), &f64), &f64)| {
                let x = axes.across(p.0);
                let (a, b) = (axes.clamped(*l), axes.clamped(*h));
                (x.is_finite() && a.is_finite() && b.is_finite()).then(|| vec![(x, a), (x, b)])
            };
            let lines = curve.points.iter().zip(low).zip(high).filter_map(whisker).collect();
            scene.shapes.push(Shape::Strokes { lines, colour, width: 1.0, dashed: false });
        }
        Style::Bars => {
            let share = 0.8 / bar.1.max(1) as f64;
            let floor = axes.frame[3] - axes.y.floor() * (axes.frame[3] - axes.frame[1]);
            for (x, y) in curve.points.iter().filter(|p| axes.up(p.1).is_finite()) {
                let from = x - 0.4 + bar.0 as f64 * share;
                let (a, b, end) = (axes.across(from), axes.across(from + share), axes.clamped(*y));
                scene.area((a, end.min(floor)), (b - a, (floor - end).abs()), colour, 1.0);
            }
        }
    }
    if matches!(curve.style, Style::Points | Style::Joined | Style::Whiskers { .. }) {
        let at = places().filter(|p| axes.holds(*p)).collect();
        scene.shapes.push(Shape::Dots { at, radius: sizes.dot, colour });
    } else if !matches!(curve.style, Style::Bars | Style::Band { .. }) {
        alone(scene, curve, colour, axes, sizes);
    }
}

/// Points between gaps have no line: they are seen as dots.
fn alone(scene: &mut Scene, curve: &Curve, colour: Colour, axes: &Axes, sizes: &Sizes) {
    let there = |p: Option<&(f64, f64)>| p.is_some_and(|p| axes.at(*p).0.is_finite() && axes.at(*p).1.is_finite());
    let points = &curve.points;
    let single =
        |i: &usize| there(points.get(*i)) && !there(points.get(i.wrapping_sub(1))) && !there(points.get(i + 1));
    let at: Vec<Point> = (0..points.len()).filter(single).map(|i| axes.at(points[i])).collect();
    let at: Vec<Point> = at.into_iter().filter(|p| axes.holds(*p)).collect();
    if !at.is_empty() {
        scene.shapes.push(Shape::Dots { at, radius: sizes.dot, colour });
    }
}

/// The areas of a band, a piece for each part without gaps.
fn bands(scene: &mut Scene, curve: &Curve, (low, high): (&[f64], &[f64]), colour: Colour, axes: &Axes) {
    let edges: Vec<(Point, Point)> = curve
        .points
        .iter()
        .zip(low)
        .zip(high)
        .map(|((p, l), h)| (axes.across(p.0).clamp(axes.frame[0], axes.frame[2]), *l, *h))
        .map(|(x, l, h)| ((x, axes.clamped(l)), (x, axes.clamped(h))))
        .collect();
    let whole = |e: &(Point, Point)| e.0.0.is_finite() && e.0.1.is_finite() && e.1.1.is_finite();
    for part in edges.split(|e| !whole(e)).filter(|part| part.len() > 1) {
        let outline = part.iter().map(|e| e.1).chain(part.iter().rev().map(|e| e.0)).collect();
        scene.shapes.push(Shape::Area { outline, colour, opacity: BAND });
    }
}

fn mark(scene: &mut Scene, mark: &Mark, panel: &Panel, axes: &Axes, sizes: &Sizes) {
    let [left, top, right, bottom] = axes.frame;
    let mut word = |content: &str, at: Point, anchor: Anchor, upright: bool| {
        let content = fitted(content, sizes.tick, if upright { bottom - top } else { right - left } - 8.0);
        scene.shapes.push(Shape::Text(Text { upright, colour: FAINT, ..Text::new(content, at, anchor, sizes.tick) }));
    };
    let ends = match mark {
        Mark::Region(from, to, _) => {
            let [a, b] = [*from, *to].map(|x| axes.across(x).clamp(left, right));
            return scene.area((a, top), (b - a, bottom - top), SHADE, 1.0);
        }
        Mark::Vertical(x, name) => {
            let x = axes.across(*x);
            if !axes.holds((x, top)) {
                return;
            }
            // Beside the line, on the side where there is room.
            let beside = if x - sizes.tick < left { x + sizes.tick } else { x - 3.0 };
            let half = (0.5 * width(name, sizes.tick)).min(0.5 * (bottom - top)) + 2.0;
            let middle = free_place(panel, axes, x, sizes).min(bottom - half).max(top + half);
            word(name, (beside, middle), Anchor::Middle, true);
            [(x, top), (x, bottom)]
        }
        Mark::Horizontal(y, name) => {
            let y = axes.up(*y);
            if !axes.holds((left, y)) {
                return;
            }
            let above = if y - sizes.tick - 4.0 < top { y + sizes.tick + 2.0 } else { y - 4.0 };
            word(name, (right - 4.0, above), Anchor::End, false);
            [(left, y), (right, y)]
        }
        // All of them at once, after the curves.
        Mark::Word(..) => return,
    };
    scene.shapes.push(Shape::Strokes { lines: vec![ends.to_vec()], colour: FAINT, width: 0.8, dashed: true });
}

/// Words beside points: to the right of each, else where no point and no other word is.
fn beside_points(scene: &mut Scene, panel: &Panel, axes: &Axes, sizes: &Sizes) {
    let words = panel.marks.iter().filter_map(|m| match m {
        Mark::Word(x, y, name) => Some((axes.at((*x, *y)), name)),
        _ => None,
    });
    let words: Vec<(Point, &String)> = words.filter(|w| axes.holds(w.0)).collect();
    let (away, line) = (sizes.dot + 3.0, 1.05 * sizes.tick);
    let [left, top, right, bottom] = axes.frame;
    let mut taken: Vec<[f64; 4]> =
        words.iter().map(|((x, y), _)| [x - sizes.dot, y - sizes.dot, x + sizes.dot, y + sizes.dot]).collect();
    for ((x, y), name) in words {
        let content = fitted(name, sizes.tick, 0.5 * (right - left));
        let level = y + 0.3 * sizes.tick;
        let rows = (0..8).flat_map(|n: i32| [n, -n]).map(|n| level + f64::from(n) * 0.5 * line);
        let places = rows.flat_map(|y| [(x + away, y, Anchor::Start), (x - away, y, Anchor::End)]);
        let texts = places.map(|(x, y, anchor)| Text::new(content.clone(), (x, y), anchor, sizes.tick));
        let inside = |[a, b, c, d]: [f64; 4]| a > left && b > top && c < right && d < bottom;
        let apart = |a: &[f64; 4], b: &[f64; 4]| a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3];
        let free = |t: &Text| inside(t.bounds()) && taken.iter().all(|other| apart(other, &t.bounds()));
        // Where there is no room at all a word is left out: it would hide others.
        if let Some(text) = texts.into_iter().find(free) {
            taken.push(text.bounds());
            scene.shapes.push(Shape::Text(text));
        }
    }
}

/// The middle of the largest part of a vertical line that no curve comes near, for a word beside it.
fn free_place(panel: &Panel, axes: &Axes, x: f64, sizes: &Sizes) -> f64 {
    let [_, top, _, bottom] = axes.frame;
    let mut met = vec![top, bottom];
    for curve in &panel.curves {
        for pair in curve.points.windows(2) {
            let (a, b) = (axes.at(pair[0]), axes.at(pair[1]));
            let nearest = if a.0 < b.0 { x.clamp(a.0, b.0) } else { x.clamp(b.0.min(a.0), a.0) };
            if (nearest - x).abs() < sizes.tick + 3.0 {
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
    use crate::figure::{BLACK, Map, Ramp};

    fn wave(shift: f64) -> Vec<(f64, f64)> {
        (0..=200).map(|i| 0.05 * f64::from(i)).map(|t| (t, (3.0 * t - shift).sin() * (-0.2 * t).exp())).collect()
    }

    /// Panels with everything that can be drawn.
    fn everything() -> Vec<Panel> {
        let points = wave(0.0);
        let edge = |d: f64| points.iter().map(|p| p.1 + d).collect::<Vec<f64>>();
        let histories = Panel {
            title: "histories".to_owned(),
            x: Axis::new("t", "s"),
            y: Axis::new("u", "mm"),
            curves: vec![
                Curve::line("mean ± std", points.clone()).style(Style::Band { low: edge(-0.2), high: edge(0.2) }),
                Curve::line("reference", wave(0.3)).style(Style::Dashed).colour(BLACK),
            ],
            marks: vec![Mark::Vertical(6.0, "yield".to_owned()), Mark::Horizontal(0.9, "limit".to_owned())],
            ..Panel::default()
        };
        let names = ["1", "2", "10", "100"].map(|n| format!("ss = {n}")).to_vec();
        let bars = |name: &str, f: f64| {
            Curve::line(name, (0..4).map(|i| (f64::from(i), f / f64::from(i + 1).powi(4))).collect())
        };
        let compared = Panel {
            title: "bars".to_owned(),
            x: Axis::of_names("substeps", names),
            y: Axis::new("link", "m").log().over(1e-6, 1e-2),
            curves: vec![bars("PM", 1e-3).style(Style::Bars), bars("modified PH", 2e-3).style(Style::Bars)],
            ..Panel::default()
        };
        let cycle = wave(0.0).into_iter().zip(wave(1.0)).map(|(a, b)| (a.1, b.1)).collect();
        let whiskers = Style::Whiskers { low: vec![0.1, 0.0], high: vec![0.8, 1.0] };
        let round = Panel {
            x: Axis::new("u", "mm"),
            y: Axis::new("r", "kN"),
            curves: vec![
                Curve::line("loop", cycle),
                Curve::line("peaks", vec![(0.9, 0.5), (0.1, f64::NAN)]).style(Style::Points),
                Curve::line("counted", vec![(0.3, 0.5), (0.4, 0.6)]).style(whiskers),
            ],
            marks: vec![Mark::Region(0.2, 0.4, "gap".to_owned()), Mark::Word(0.9, 0.5, "first peak".to_owned())],
            ..Panel::default()
        };
        vec![histories, compared, round]
    }

    fn map(n: usize) -> Panel {
        let values: Vec<f64> = (0..n).map(|i| 10f64.powf(i as f64 / 4.0)).collect();
        let ramp = |title: &str, from: f64, colours: [[u8; 3]; 2]| Ramp {
            title: title.to_owned(),
            stops: vec![(from, colours[0]), (from + 1.0, colours[1])],
            marks: vec![(from, "least".to_owned()), (from + 1.0, "2 or more".to_owned())],
        };
        Panel {
            title: format!("{n} cells\nstable everywhere"),
            x: Axis::new("Ω = ω Δt", "").log(),
            y: Axis::new("ratio", "").log(),
            map: Some(Map {
                values: (0..n * n).map(|i| (i % 7) as f64 / 3.0 - 1.0).collect(),
                x: values.clone(),
                y: values,
                ramps: vec![
                    ramp("growing", 0.0, [[255, 200, 100], [70, 0, 0]]),
                    ramp("calm", -1.0, [[0, 100, 200], [230, 240, 250]]),
                ],
            }),
            ..Panel::default()
        }
    }

    /// Figures that are hard to draw.
    fn attacks() -> Vec<Figure> {
        let one = |points: Vec<(f64, f64)>| Panel {
            title: "x".to_owned(),
            x: Axis::new("time", "s"),
            y: Axis::new("u", "mm"),
            curves: vec![Curve::line("", points)],
            ..Panel::default()
        };
        let scaled = |f: f64, shift: f64| one(wave(0.0).iter().map(|p| (p.0 + shift, f * p.1 + shift)).collect());
        let decades = |log_x: bool| {
            let mut panel = one((0..=120).map(|i| 10f64.powf(f64::from(i) / 10.0 - 6.0)).map(|x| (x, x)).collect());
            panel.y.log = true;
            panel.x.log = log_x;
            panel
        };
        let long = "storey_with_an_exceedingly_long_name_that_nobody_would_write_but_a_program.deformation".to_owned();
        let mut named = scaled(1.0, 0.0);
        named.title = format!("{long} and {long}");
        named.x = Axis::new(long.clone(), "mm");
        named.y = Axis::new(long.clone(), "kN*m");
        named.curves = (0..9).map(|i| Curve::line(format!("{i} {long}"), wave(f64::from(i)))).collect();
        named.marks = vec![Mark::Horizontal(0.99, long.clone()), Mark::Vertical(0.0, long.clone())];
        let crowd: Vec<String> = (0..30).map(|i| format!("motion number {i}, case {}", i % 6)).collect();
        let crowded = Panel {
            x: Axis::of_names("", crowd),
            curves: vec![
                Curve::line("J4", (0..30).map(|i| (f64::from(i), f64::from(i % 5))).collect()).style(Style::Bars),
            ],
            ..one(vec![])
        };
        let heap: Vec<(f64, f64)> = (0..20).map(|i| (1.0 + 1e-3 * f64::from(i), 1.0)).chain([(2.0, 3.0)]).collect();
        let words = heap.iter().enumerate().map(|(i, p)| Mark::Word(p.0, p.1, format!("{i} {}", &long[..9])));
        let worded = Panel { marks: words.collect(), ..one(heap.clone()) };
        let gap = f64::NAN;
        let gaps = vec![(0.0, 1.0), (1.0, 2.0), (2.0, gap), (3.0, 1.0), (4.0, gap), (gap, 1.0), (6.0, 3.0), (7.0, 1.0)];
        let huge = vec![(0.0, 1e308), (1.0, -1e308), (2.0, f64::INFINITY), (3.0, 1e299), (4.0, -1e299)];
        let panels = vec![
            one(vec![]),
            one(vec![(1.0, 2.0)]),
            one(vec![(0.0, 0.0), (1.0, 0.0)]),
            one(vec![(0.0, 1e-12), (1.0, 1e-12)]),
            one(vec![(0.0, -7.25e9), (1.0, -7.25e9)]),
            one(gaps),
            one(vec![(gap, gap)]),
            one(huge),
            scaled(1e-9, 1000.0),
            scaled(1e12, 0.0),
            scaled(1e-12, 0.0),
            decades(true),
            decades(false),
            Panel { y: Axis::new("u", "mm").log(), ..scaled(1.0, 0.0) },
            named,
            crowded,
            worded,
        ];
        let mut figures: Vec<Figure> = panels.iter().map(|p| Figure::new(vec![p.clone()])).collect();
        figures.extend(panels.iter().map(|p| Figure::journal(vec![p.clone()], 1)));
        figures.extend([1, 2, 3].map(|columns| Figure::journal(panels.clone(), columns)));
        figures.extend([1, 2, 30].map(|n| Figure {
            title: "Maps of a coupling with a long title that says what they are about, and more than that".to_owned(),
            columns: 3,
            width: 960.0,
            slenderness: 1.0,
            ..Figure::new(vec![map(n), map(n), map(n)])
        }));
        figures.extend([Figure::new(vec![]), Figure::journal(everything(), 2)]);
        figures.push(Figure { width: 150.0, ..Figure::new(everything()) });
        figures
    }

    #[test]
    fn nothing_leaves_the_figure_and_no_text_meets_another() {
        for (number, figure) in attacks().iter().enumerate() {
            let scene = scene(figure);
            let inside = |p: &Point| (0.0..=scene.width).contains(&p.0) && (0.0..=scene.height).contains(&p.1);
            let mut texts: Vec<&Text> = Vec::new();
            for shape in &scene.shapes {
                match shape {
                    Shape::Strokes { lines: points, .. } => assert!(points.iter().flatten().all(inside), "{number}"),
                    Shape::Area { outline: points, .. } | Shape::Dots { at: points, .. } => {
                        assert!(points.iter().all(inside), "{number} {points:?}");
                    }
                    Shape::Text(t) => texts.push(t),
                    Shape::Group { .. } => {}
                }
            }
            for (i, a) in texts.iter().enumerate() {
                let [left, top, right, bottom] = a.bounds();
                let whole = inside(&(left, top)) && inside(&(right, bottom));
                assert!(whole || figure.width < 200.0, "{number}: `{}` is cut at {:?}", a.content, a.bounds());
                // A word beside a mark stands where curves leave room, other marks do not count.
                for b in texts[..i].iter().filter(|b| a.colour == INK || b.colour == INK) {
                    let other = b.bounds();
                    let apart = left >= other[2] || other[0] >= right || top >= other[3] || other[1] >= bottom;
                    assert!(apart || figure.width < 200.0, "{number}: `{}` meets `{}`", a.content, b.content);
                }
            }
            let svg = crate::svg::write(&scene);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{number}");
        }
    }

    #[test]
    fn everything_is_drawn() {
        let scene = scene(&Figure::journal(everything(), 2));
        let (mut areas, mut dots, mut words) = (0, 0, Vec::new());
        for shape in &scene.shapes {
            match shape {
                Shape::Area { .. } => areas += 1,
                Shape::Dots { at, .. } => dots += at.len(),
                Shape::Text(t) => words.push(t.content.as_str()),
                Shape::Strokes { .. } | Shape::Group { .. } => {}
            }
        }
        // Eight bars, a band, a region, and four keys of legends; three points that can be drawn, and two keys.
        assert_eq!((areas, dots), (14, 5));
        for word in
            ["(a) histories", "u [mm]", "ss = 10", "mean ± std", "modified PH", "gap", "yield", "first peak", "10⁻⁴"]
        {
            assert!(words.contains(&word), "`{word}` is not in {words:?}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let words = |figure: &Figure| figure.svg().contains(">no data<");
        let empty = Panel { curves: vec![Curve::line("", vec![(f64::NAN, 1.0)])], ..Panel::default() };
        assert!(words(&Figure::new(vec![empty])) && !words(&Figure::new(everything())));
    }
}
