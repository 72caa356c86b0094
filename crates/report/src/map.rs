//! Values over a grid as colours, and the scales beside them that say what the colours mean.

use crate::figure::{Map, Panel, Ramp};
use crate::layout::{Axes, GAP, RIGHT, SHADE, Sizes};
use crate::letters::width;
use crate::scene::{Anchor, Colour, FAINT, INK, Scene};
use crate::strokes::Frame;

/// Left of a scale of colours, and its width.
const RAMP: (f64, f64) = (22.0, 16.0);
/// Shades of a scale of colours.
const SHADES: usize = 24;

/// The border before cell number `i` of a map: halfway between two values, and as far beyond the first and last.
pub(crate) fn border(values: &[f64], i: usize, log: bool) -> f64 {
    let at = |i: usize| if log { values[i].ln() } else { values[i] };
    let n = values.len();
    let halfway = match (i, n) {
        (_, 0) => f64::from(u8::from(i > 0)),
        (i, 1) => at(0) + if i == 0 { -0.5 } else { 0.5 },
        (0, _) => 1.5 * at(0) - 0.5 * at(1),
        (i, n) if i == n => 1.5 * at(n - 1) - 0.5 * at(n - 2),
        _ => 0.5 * (at(i - 1) + at(i)),
    };
    if log { halfway.exp() } else { halfway }
}

/// The cells of a map; neighbours of one colour are one rectangle, a hair larger so that no seam shows.
pub(crate) fn draw(scene: &mut Scene, map: &Map, panel: &Panel, axes: &Axes) {
    let [left, top, right, bottom] = axes.frame;
    let x = |i: usize| axes.across(border(&map.x, i, panel.x.log));
    let y = |i: usize| axes.up(border(&map.y, i, panel.y.log));
    for (row, values) in map.values.chunks(map.x.len().max(1)).take(map.y.len()).enumerate() {
        let colours: Vec<Colour> = values.iter().map(|v| shade(&map.ramps, *v)).collect();
        let mut from = 0;
        for run in colours.chunk_by(|a, b| a == b) {
            let (a, b) = ((x(from) - 0.15).max(left), (x(from + run.len()) + 0.15).min(right));
            let (low, high) = ((y(row) + 0.15).min(bottom), (y(row + 1) - 0.15).max(top));
            scene.area((a, high), (b - a, low - high), run[0], 1.0);
            from += run.len();
        }
    }
}

/// The colour of a value: that of the ramp it is in, or of the nearest; few shades, so that neighbours can be one.
fn shade(ramps: &[Ramp], value: f64) -> Colour {
    let ends = |r: &Ramp| (r.stops.first().map_or(0.0, |s| s.0), r.stops.last().map_or(0.0, |s| s.0));
    let outside = |r: &Ramp| (ends(r).0 - value).max(value - ends(r).1).max(0.0);
    let Some(ramp) = ramps.iter().min_by(|a, b| outside(a).total_cmp(&outside(b))) else { return SHADE };
    if !value.is_finite() {
        return FAINT;
    }
    let (low, high) = ends(ramp);
    let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
    let value = low + (part * SHADES as f64).round() / SHADES as f64 * (high - low);
    let mut mixed = ramp.stops.first().map_or(SHADE, |s| s.1);
    for pair in ramp.stops.windows(2).filter(|pair| value >= pair[0].0) {
        let s = ((value - pair[0].0) / (pair[1].0 - pair[0].0)).clamp(0.0, 1.0);
        let mix = |i: usize| (f64::from(pair[0].1[i]) * (1.0 - s) + f64::from(pair[1].1[i]) * s).round() as u8;
        mixed = [mix(0), mix(1), mix(2)];
    }
    mixed
}

pub(crate) fn ramps_width(ramps: &[Ramp], sizes: &Sizes) -> f64 {
    let marks = ramps.iter().flat_map(|r| &r.marks).map(|m| RAMP.1 + GAP + width(&m.1, sizes.tick));
    let titles = ramps.iter().map(|r| width(&r.title, sizes.tick));
    let widest = marks.chain(titles).fold(0.0, f64::max);
    if ramps.is_empty() { 0.0 } else { RAMP.0 + widest + 4.0 }
}

/// The scales of colours beside the first row, one below the other.
pub(crate) fn draw_ramps(scene: &mut Scene, ramps: &[Ramp], left: f64, [_, top, _, bottom]: Frame, sizes: &Sizes) {
    let left = left + RAMP.0 - RIGHT;
    let each = (bottom - top) / ramps.len().max(1) as f64;
    for (i, ramp) in ramps.iter().enumerate() {
        let (Some(low), Some(high)) = (ramp.stops.first(), ramp.stops.last()) else { continue };
        let top = top + i as f64 * each;
        scene.text(&ramp.title, (left, top + 0.8 * sizes.tick), Anchor::Start, sizes.tick);
        let (top, height) = (top + 1.6 * sizes.tick, each - 2.6 * sizes.tick);
        let step = height / SHADES as f64;
        for k in 0..SHADES {
            let value = low.0 + (high.0 - low.0) * (k as f64 + 0.5) / SHADES as f64;
            let y = top + height - (k + 1) as f64 * step;
            scene.area((left, y), (RAMP.1, step + 0.3), shade(ramps, value), 1.0);
        }
        for (value, label) in &ramp.marks {
            let y = top + height * (1.0 - (value - low.0) / (high.0 - low.0));
            scene.line(&[(left + RAMP.1, y), (left + RAMP.1 + 4.0, y)], INK, 0.8);
            scene.text(label, (left + RAMP.1 + GAP, y + 0.35 * sizes.tick), Anchor::Start, sizes.tick);
        }
    }
}
