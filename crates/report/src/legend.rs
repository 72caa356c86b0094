//! What the colours mean: below the panels, where it covers nothing.

use crate::figure::{Mark, Panel, Style};
use crate::layout::{SHADE, Sizes};
use crate::letters::{fitted, width};
use crate::scene::{Anchor, Colour, Point, Scene, Shape, colour};

/// Length of the stroke before a name, and the space around it.
const SAMPLE: f64 = 22.0;
const GAP: f64 = 6.0;
const APART: f64 = 16.0;

/// What stands before a name in a legend: a curve of this colour and style, or a shaded region.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Curve(Colour, Style),
    Region,
}

/// A line of a legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry(String, Key);

/// The legend of a panel.
pub(crate) fn entries(panel: &Panel) -> Vec<Entry> {
    let none = Vec::new;
    // The numbers of a band are not what makes it look as it does.
    let look = |style: &Style| match style {
        Style::Band { .. } => Style::Band { low: none(), high: none() },
        Style::Whiskers { .. } => Style::Whiskers { low: none(), high: none() },
        other => other.clone(),
    };
    let named = panel.curves.iter().enumerate().filter(|(_, c)| !c.name.is_empty());
    let mut entries: Vec<Entry> =
        named.map(|(i, c)| Entry(c.name.clone(), Key::Curve(colour(c.colour, i), look(&c.style)))).collect();
    for mark in &panel.marks {
        if let Mark::Region(.., name) = mark {
            let entry = Entry(name.clone(), Key::Region);
            if !name.is_empty() && !entries.contains(&entry) {
                entries.push(entry);
            }
        }
    }
    entries
}

/// Draws a legend from its upper left corner on, in columns no wider than `room` together; its height.
pub(crate) fn draw(scene: &mut Scene, entries: &[Entry], (left, top): Point, room: f64, sizes: &Sizes) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let names: Vec<String> = entries.iter().map(|e| fitted(&e.0, sizes.tick, room - SAMPLE - GAP)).collect();
    let long = |name: &String| SAMPLE + GAP + width(name, sizes.tick);
    let widths = |across: usize| -> Vec<f64> {
        let column = |c: usize| names.iter().skip(c).step_by(across).map(long).fold(0.0, f64::max);
        (0..across).map(|c| column(c) + if c + 1 < across { APART } else { 0.0 }).collect()
    };
    let fits = (1..=entries.len()).rev().find(|n| widths(*n).iter().sum::<f64>() <= room).unwrap_or(1);
    let rows = entries.len().div_ceil(fits);
    // As many columns as fill these rows evenly.
    let across = entries.len().div_ceil(rows);
    let widths = widths(across);
    for (i, (entry, name)) in entries.iter().zip(&names).enumerate() {
        let x = left + widths[..i % across].iter().sum::<f64>();
        let y = top + 0.5 * sizes.line + (i / across) as f64 * sizes.line;
        draw_key(scene, &entry.1, (x, y), sizes);
        scene.text(name, (x + SAMPLE + GAP, y + 0.35 * sizes.tick), Anchor::Start, sizes.tick);
    }
    rows as f64 * sizes.line
}

fn draw_key(scene: &mut Scene, key: &Key, (x, y): Point, sizes: &Sizes) {
    let Key::Curve(colour, style) = key else {
        return scene.area((x, y - 4.5), (SAMPLE, 9.0), SHADE, 1.0);
    };
    let (colour, middle) = (*colour, x + 0.5 * SAMPLE);
    match style {
        Style::Bars => scene.area((x + 5.0, y - 5.0), (12.0, 9.0), colour, 1.0),
        Style::Band { .. } => scene.area((x, y - 4.5), (SAMPLE, 9.0), colour, crate::layout::BAND),
        Style::Points => {}
        Style::Whiskers { .. } => scene.line(&[(middle, y - 5.0), (middle, y + 5.0)], colour, 1.0),
        Style::Line | Style::Joined | Style::Dashed => {
            let lines = vec![vec![(x, y), (x + SAMPLE, y)]];
            scene.shapes.push(Shape::Strokes { lines, colour, width: sizes.stroke, dashed: *style == Style::Dashed });
        }
    }
    if matches!(style, Style::Points | Style::Joined | Style::Whiskers { .. }) {
        scene.shapes.push(Shape::Dots { at: vec![(middle, y)], radius: sizes.dot, colour });
    }
}
