//! Blocks of a page as JSON: texts as they are, numbers as base64 for the script that draws them. A page is written from this,
//! and it is kept with the results of a run, since only its end can tell some of it: whichever way, the page is the same.

use serde_json::{Value, json};

use crate::figure::printed;
use crate::scale::range;
use crate::structure::{Edge, Support};
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
        Block::FoldedTable { summary, table } => {
            json!({ "folded": summary, "table": table.rows, "header": table.header })
        }
        Block::Lines(lines) => json!({ "lines": lines }),
        Block::Table(t) => json!({ "table": t.rows, "header": t.header }),
        // Cells have nothing to zoom into.
        Block::Plot(p) if p.map.is_some() => {
            let still = Figure::new(vec![Panel { title: String::new(), ..p.clone() }]).svg_for_screen();
            json!({ "title": p.title, "note": note(p), "still": still })
        }
        Block::Plot(p) => json!({ "title": p.title, "note": note(p), "spec": plot(p) }),
        Block::View(v) => {
            let direction = v.drawing.direction(&v.motion);
            json!({ "title": v.title, "note": v.note, "spec": view(v, direction), "still": still(v, direction) })
        }
        Block::Still { title, sheet, note } => {
            json!({ "title": title, "note": note, "still": sheet.svg(), "small": true })
        }
        Block::Kept(kept) => kept.clone(),
    }
}

/// The remark of a plot, and that not every sample is in the page.
fn note(plot: &Panel) -> String {
    let thinned =
        plot.curves.iter().filter_map(|c| c.thinned.map(|of| (c.points.len(), of))).filter(|t| (t.0 as u64) < t.1);
    let thinned = thinned.max_by_key(|t| t.1).map(|(points, of)| {
        let all = "the extremes of each piece are kept, so every peak is exact";
        format!("Reduced: this page has {points} of {of} samples per curve; {all}.")
    });
    [Some(plot.note.clone()).filter(|n| !n.is_empty()), thinned].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn plot(p: &Panel) -> Value {
    let axis = |a: &Axis| json!({ "label": a.label, "unit": printed(&a.unit), "log": a.log, "range": a.range, "names": a.names, "text": a.text() });
    let mark = |m: &Mark| match m {
        Mark::Horizontal(y, name) => json!({ "name": name, "y": y }),
        Mark::Vertical(x, name) => json!({ "name": name, "x": x }),
        Mark::Region(from, to, name) => json!({ "name": name, "from": from, "to": to }),
        Mark::Word(x, y, name) => json!({ "name": name, "at": [x, y] }),
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

/// How far the farthest node of a state is displaced; pendulums do not count as long as anything else moves.
fn farthest(state: &[f32], swinging: &[usize]) -> f64 {
    let square = |d: &[f32]| d[..3].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let all = || state.chunks_exact(6).enumerate();
    let standing = all().filter(|(i, _)| !swinging.contains(i)).map(|(_, d)| square(d)).fold(0.0, f64::max);
    if standing > 0.0 { standing.sqrt() } else { all().map(|(_, d)| square(d)).fold(0.0, f64::max).sqrt() }
}

/// How much farther than the structure a pendulum may be drawn: where only pendulums swing, the structure stays in sight.
const SWING: f64 = 4.0;

/// The displacement for which a state is magnified.
fn magnified(state: &[f32], swinging: &[usize]) -> f64 {
    farthest(state, swinging).max(farthest(state, &[]) / SWING)
}

/// The structure where it is displaced most, over the one at rest.
fn still(view: &View, direction: [f64; 2]) -> String {
    let states: Vec<&[f32]> = view.motion.states().collect();
    let farthest = |state: &[f32]| farthest(state, &view.drawing.swinging);
    let most = match view.motion {
        Motion::Shapes(_) => states.first(),
        Motion::Frames { .. } => states.iter().max_by(|a, b| farthest(a).total_cmp(&farthest(b))),
    };
    let displaced = most.map(|s| (*s, view.drawing.magnification(magnified(s, &view.drawing.swinging))));
    view.drawing.still(direction, displaced, 560.0, 420.0)
}

fn view(view: &View, direction: [f64; 2]) -> Value {
    let d = &view.drawing;
    let largest: Vec<f64> = view.motion.states().map(|s| farthest(s, &d.swinging)).collect();
    let mut motion = packed(&view.motion);
    match &view.motion {
        Motion::Shapes(shapes) => {
            motion["texts"] = shapes.iter().map(|s| s.0.clone()).collect::<Vec<_>>().into();
            let drawn = |s: &[f32]| d.magnification(magnified(s, &d.swinging));
            motion["drawn"] = view.motion.states().map(drawn).collect::<Vec<_>>().into();
        }
        Motion::Frames { times, .. } => {
            motion["times"] = times.clone().into();
            let most = view.motion.states().map(|s| magnified(s, &d.swinging)).fold(0.0, f64::max);
            motion["drawn"] = vec![d.magnification(most)].into();
        }
    }
    motion["largest"] = largest.into();
    let edge = |e: &Edge| {
        let hinges = u8::from(e.hinges[0]) + 2 * u8::from(e.hinges[1]);
        json!([e.ends[0], e.ends[1], e.kind as u8, u8::from(e.bends), hinges, e.place.map(|p| p as u8)])
    };
    let axes = [0, 1, 2].map(|a| d.along([0, 1, 2].map(|b| f64::from(u8::from(a == b)))));
    let rounded = |lines: &[Vec<(f64, f64)>]| -> Vec<Vec<[f64; 2]>> {
        let tenth = |x: f64| (10.0 * x).round() / 10.0;
        lines.iter().map(|l| l.iter().map(|p| [tenth(p.0), tenth(p.1)]).collect()).collect()
    };
    let support = |(point, support): &(usize, Support)| {
        let symbol = support.symbol(direction);
        json!([point, rounded(&symbol.strokes), rounded(&symbol.thick)])
    };
    json!({
        "title": view.title, "points": d.points, "nodes": d.nodes, "names": view.names, "swinging": d.swinging,
        "edges": d.edges.iter().map(edge).collect::<Vec<_>>(),
        "supports": d.supports.iter().filter(|s| s.1.is_seen()).map(support).collect::<Vec<_>>(),
        "axes": axes,
        "sketch": d.sketch, "direction": direction, "unit": printed(&view.unit.0), "factor": view.unit.1, "motion": motion,
    })
}

/// The numbers of a motion in 16 bits, those of each state relative to its largest displacement and rotation; what never moves
/// along, or turns about, an axis is left out.
fn packed(motion: &Motion) -> Value {
    let axes: Vec<usize> =
        (0..6).filter(|&a| motion.states().any(|s| s.iter().skip(a).step_by(6).any(|x| *x != 0.0))).collect();
    let (mut scales, mut bytes): (Vec<f32>, Vec<u8>) = (Vec::new(), Vec::new());
    for state in motion.states() {
        let largest = |from: usize| {
            let values = state.chunks_exact(6).flat_map(|d| &d[from..from + 3]);
            values.filter(|x| x.is_finite()).fold(0.0f32, |most, x| most.max(x.abs()))
        };
        let scale = [largest(0), largest(3)];
        for d in state.chunks_exact(6) {
            for &a in &axes {
                let part = if scale[a / 3] > 0.0 { d[a] / scale[a / 3] } else { 0.0 };
                // What is no number stays where it is: the casts of Rust make it zero.
                bytes.extend(((part * f32::from(i16::MAX)).round() as i16).to_le_bytes());
            }
        }
        scales.extend(scale);
    }
    json!({ "axes": axes, "scales": singles(&scales), "d": base64(&bytes) })
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

    /// A pendulum that swings alone stays in the picture; beside a structure that moves it does not count.
    #[test]
    fn pendulums_do_not_push_the_structure_out_of_sight() {
        let state = |structure: f32, pendulum: f32| {
            let mut state = [0.0; 12];
            (state[0], state[6]) = (structure, pendulum);
            magnified(&state, &[1])
        };
        assert_eq!([state(0.5, 1.0), state(0.01, 1.0), state(0.0, 1.0)], [0.5, 0.25, 1.0]);
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
