//! What the colours mean: below the panels, where it covers nothing.

use interfield_gallery::{Mark, Panel, Style};
use kuva::render::render::{Primitive, TextAnchor};

use super::strokes::Point;
use super::{LINE, SHADE, STROKE, TICK, area, colour, colours, dot, strokes, text};

/// Width of a letter over its height, on the safe side.
const LETTER: f64 = 0.58;
/// Length of the stroke before a name.
const SAMPLE: f64 = 22.0;

/// What stands before a name in a legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Key {
    /// A curve of this colour and style.
    Curve(usize, Style),
    /// A shaded region.
    Region,
}

/// A line of a legend.
pub(super) type Entry = (String, Key);

/// The legend of a panel.
pub(super) fn entries(panel: &Panel) -> Vec<Entry> {
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

/// Draws a legend from its upper left corner on, in columns no wider than `width` together; its height.
pub(super) fn draw(out: &mut Vec<Primitive>, entries: &[Entry], (left, top): Point, width: f64) -> f64 {
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
