//! Blocks of a page as JSON: texts as they are, numbers as base64 for the script that draws them. A page is written from this,
//! and it is kept with the results of a run, since only its end can tell some of it: whichever way, the page is the same.

use serde_json::{Value, json};

use crate::scale::range;
use crate::{Axis, Block, Curve, Figure, Mark, Motion, Order, Panel, Style, View};

/// The blocks as JSON.
pub fn keep(blocks: &[Block]) -> Value {
    blocks.iter().map(described).collect::<Vec<_>>().into()
}

/// The blocks that [`keep`] made this of; `None` if something else, or an earlier version, made it.
pub fn bring_back(kept: &Value) -> Option<Vec<Block>> {
    const KNOWN: [&str; 6] = ["text", "folded", "lines", "table", "spec", "still"];
    let block = |b: &Value| KNOWN.iter().any(|key| b.get(key).is_some()).then(|| Block::Kept(b.clone()));
    kept.as_array()?.iter().map(block).collect()
}

pub(crate) fn described(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "text": text }),
        Block::Folded { summary, text } => json!({ "folded": summary, "lines": text }),
        Block::Lines(lines) => json!({ "lines": lines }),
        Block::Table(t) => json!({ "table": t.rows, "header": t.header }),
        // Cells have nothing to zoom into.
        Block::Plot(p) if p.map.is_some() => {
            let still = Figure::new(vec![Panel { title: String::new(), ..p.clone() }]).svg();
            json!({ "title": p.title, "note": note(p), "still": still })
        }
        Block::Plot(p) => json!({ "title": p.title, "note": note(p), "spec": plot(p) }),
        Block::View(v) => {
            json!({ "title": v.title, "note": v.note, "spec": view(v), "still": v.drawing.svg(560.0, 420.0) })
        }
        Block::Kept(kept) => kept.clone(),
    }
}

/// The remark of a plot, and that not every sample is in the page.
fn note(plot: &Panel) -> String {
    let thinned = plot.curves.iter().filter_map(|c| c.thinned.map(|of| (c.points.len(), of)));
    let thinned = thinned.max_by_key(|t| t.1).map(|(points, of)| {
        let all = "the extremes of each piece are kept, so every peak is exact";
        format!("Reduced: this page has {points} of {of} samples per curve; {all}.")
    });
    [Some(plot.note.clone()).filter(|n| !n.is_empty()), thinned].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn plot(p: &Panel) -> Value {
    let axis = |a: &Axis| json!({ "label": a.label, "unit": a.unit, "log": a.log, "range": a.range, "names": a.names, "text": a.text() });
    let mark = |m: &Mark| match m {
        Mark::Horizontal(y, name) => json!({ "name": name, "y": y }),
        Mark::Vertical(x, name) => json!({ "name": name, "x": x }),
        Mark::Region(from, to, name) => json!({ "name": name, "from": from, "to": to }),
    };
    json!({
        "title": p.title, "x": axis(&p.x), "y": axis(&p.y),
        "order": match p.order { Order::Time => "time", Order::Sorted => "sorted", Order::Free => "free" },
        "curves": p.curves.iter().map(|c| curve(c, p.x.log)).collect::<Vec<_>>(),
        "marks": p.marks.iter().map(mark).collect::<Vec<_>>(),
    })
}

fn curve(c: &Curve, log_x: bool) -> Value {
    let style = match &c.style {
        Style::Line => "line",
        Style::Dashed => "dashed",
        Style::Points => "points",
        Style::Joined => "joined",
        Style::Bars => "bars",
        Style::Band { .. } => "band",
        Style::Whiskers { .. } => "whiskers",
    };
    let points = placed(&c.points, log_x);
    let (lo, hi) = range(points.iter().map(|p| p.1));
    // In single precision, relative to their middle where they differ little.
    let middle = if hi - lo < 1e-3 * lo.abs().max(hi.abs()) { (lo + hi) / 2.0 } else { 0.0 };
    let values = |list: &mut dyn Iterator<Item = f64>| {
        let list: Vec<f32> = list.map(|v| (v - middle) as f32).collect();
        json!({ "d": singles(&list), "from": middle })
    };
    let edge = |e: &[f64]| values(&mut e.iter().copied());
    json!({
        "name": c.name, "style": style, "colour": c.colour,
        "x": fractions(points.iter().map(|p| p.0)), "y": values(&mut points.iter().map(|p| p.1)),
        "low": c.edges().map(|e| edge(e.0)), "high": c.edges().map(|e| edge(e.1)),
    })
}

/// Places as fractions of their range in 32 bits: a run of 10^8 steps still has each at its own.
fn fractions(values: impl Iterator<Item = f64> + Clone) -> Value {
    let (lo, hi) = range(values.clone());
    let step = if hi > lo { (hi - lo) / f64::from(u32::MAX) } else { 1.0 };
    let bytes: Vec<u8> = values.flat_map(|v| (((v - lo) / step).round() as u32).to_le_bytes()).collect();
    json!({ "d": base64(&bytes), "from": lo, "step": step })
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

fn view(view: &View) -> Value {
    let motion = match &view.motion {
        Motion::Shapes(shapes) => {
            json!({ "shapes": shapes.iter().map(|(text, d)| json!({ "text": text, "d": singles(d) })).collect::<Vec<_>>() })
        }
        Motion::Frames { times, frames } => json!({ "times": times, "d": singles(frames) }),
    };
    let d = &view.drawing;
    json!({
        "title": view.title, "points": d.points, "nodes": d.nodes, "lines": d.lines, "held": d.held,
        "spatial": d.spatial, "sketch": d.sketch, "angles": crate::structure::VIEW,
        "unit": view.unit.0, "factor": view.unit.1, "motion": motion,
    })
}

fn singles(values: &[f32]) -> String {
    base64(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
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

    #[test]
    fn base64_is_that_of_the_standard() {
        let of = |t: &str| base64(t.as_bytes());
        assert_eq!(
            ["", "f", "fo", "foo", "foob", "fooba"].map(of),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="]
        );
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
        let last = 1e8;
        let spec = fractions([0.0, last - 1.0, last].into_iter());
        let step = spec["step"].as_f64().unwrap();
        assert!(step < 0.03, "{step}");
    }
}
