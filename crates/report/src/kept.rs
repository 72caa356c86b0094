//! Blocks of a page as JSON, from which they come back bit for bit: what only the end of a run can tell is kept with its
//! results, and its page is made from there.

use serde_json::{Value, json};

use crate::page::base64;
use crate::structure::Drawing;
use crate::{Axis, Block, Curve, Motion, Order, Plot, Table, View};

/// The blocks as JSON.
pub fn keep(blocks: &[Block]) -> Value {
    blocks.iter().map(one).collect::<Vec<_>>().into()
}

/// The blocks that [`keep`] made this of; `None` if it made something else.
pub fn bring_back(kept: &Value) -> Option<Vec<Block>> {
    kept.as_array()?.iter().map(block).collect()
}

fn one(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "text": text }),
        Block::Folded { summary, text } => json!({ "folded": summary, "lines": text }),
        Block::Lines(lines) => json!({ "lines": lines }),
        Block::Table(t) => json!({ "table": t.rows, "header": t.header }),
        Block::Plot(p) => json!({ "plot": {
            "title": p.title, "x": axis(&p.x), "y": axis(&p.y), "note": p.note,
            "order": ORDERS.iter().position(|o| *o == p.order),
            "curves": p.curves.iter().map(curve).collect::<Vec<_>>(),
        } }),
        Block::View(v) => json!({ "view": {
            "title": v.title, "drawing": v.drawing.keep(), "note": v.note,
            "unit": v.unit.0, "factor": number(v.unit.1), "motion": motion(&v.motion),
        } }),
    }
}

const ORDERS: [Order; 3] = [Order::Time, Order::Sorted, Order::Free];

fn axis(a: &Axis) -> Value {
    json!([a.label, a.unit, a.log])
}

fn curve(c: &Curve) -> Value {
    json!({ "name": c.name, "points": doubles(c.points.iter().flat_map(|p| [p.0, p.1])), "thinned": c.thinned })
}

fn motion(m: &Motion) -> Value {
    match m {
        Motion::Shapes(shapes) => {
            json!({ "shapes": shapes.iter().map(|(text, d)| json!([text, singles(d)])).collect::<Vec<_>>() })
        }
        Motion::Frames { times, frames } => {
            json!({ "times": doubles(times.iter().copied()), "frames": singles(frames) })
        }
    }
}

/// A number by its bits, which JSON might round, and cannot say where it is not finite.
fn number(x: f64) -> Value {
    doubles([x].into_iter())
}

pub(crate) fn doubles(values: impl Iterator<Item = f64>) -> Value {
    base64(&values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>()).into()
}

fn singles(values: &[f32]) -> Value {
    base64(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).into()
}

fn block(v: &Value) -> Option<Block> {
    if let Some(summary) = v.get("folded") {
        return Some(Block::Folded { summary: text(summary)?, text: text(v.get("lines")?)? });
    }
    if let Some(words) = v.get("text") {
        return text(words).map(Block::Text);
    }
    if let Some(lines) = v.get("lines") {
        return texts(lines).map(Block::Lines);
    }
    if let Some(rows) = v.get("table") {
        let rows = rows.as_array()?.iter().map(texts).collect::<Option<_>>()?;
        return Some(Block::Table(Table { header: texts(v.get("header")?)?, rows }));
    }
    if let Some(p) = v.get("plot") {
        return plot(p).map(Block::Plot);
    }
    v.get("view").and_then(view).map(Block::View)
}

fn plot(p: &Value) -> Option<Plot> {
    let curve = |c: &Value| {
        let points = to_doubles(c.get("points")?)?.chunks_exact(2).map(|p| (p[0], p[1])).collect();
        Some(Curve { name: text(c.get("name")?)?, points, thinned: c.get("thinned")?.as_u64() })
    };
    Some(Plot {
        title: text(p.get("title")?)?,
        x: to_axis(p.get("x")?)?,
        y: to_axis(p.get("y")?)?,
        order: *ORDERS.get(usize::try_from(p.get("order")?.as_u64()?).ok()?)?,
        curves: p.get("curves")?.as_array()?.iter().map(curve).collect::<Option<_>>()?,
        note: text(p.get("note")?)?,
    })
}

fn view(v: &Value) -> Option<View> {
    let m = v.get("motion")?;
    let shape = |s: &Value| Some((text(s.get(0)?)?, to_singles(s.get(1)?)?));
    let motion = match m.get("shapes") {
        Some(shapes) => Motion::Shapes(shapes.as_array()?.iter().map(shape).collect::<Option<_>>()?),
        None => Motion::Frames { times: to_doubles(m.get("times")?)?, frames: to_singles(m.get("frames")?)? },
    };
    Some(View {
        title: text(v.get("title")?)?,
        drawing: Drawing::bring_back(v.get("drawing")?)?,
        motion,
        unit: (text(v.get("unit")?)?, *to_doubles(v.get("factor")?)?.first()?),
        note: text(v.get("note")?)?,
    })
}

fn text(v: &Value) -> Option<String> {
    v.as_str().map(str::to_owned)
}

fn texts(v: &Value) -> Option<Vec<String>> {
    v.as_array()?.iter().map(text).collect()
}

fn to_axis(v: &Value) -> Option<Axis> {
    Some(Axis { label: text(v.get(0)?)?, unit: text(v.get(1)?)?, log: v.get(2)?.as_bool()? })
}

pub(crate) fn to_doubles(v: &Value) -> Option<Vec<f64>> {
    let bytes = from_base64(v.as_str()?)?;
    Some(bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default())).collect())
}

fn to_singles(v: &Value) -> Option<Vec<f32>> {
    let bytes = from_base64(v.as_str()?)?;
    Some(bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap_or_default())).collect())
}

/// RFC 4648, as [`base64`] writes it.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let mut word = 0u32;
        for c in four {
            word = (word << 6) | u32::from(digit(*c)?);
        }
        word <<= 6 * (4 - four.len());
        out.extend_from_slice(&word.to_be_bytes()[1..four.len()]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::{Held, Line, Node, Structure};

    #[test]
    fn base64_comes_back() {
        for n in 0..50u8 {
            let bytes: Vec<u8> = (0..n).map(|i| i.wrapping_mul(73)).collect();
            assert_eq!(from_base64(&base64(&bytes)), Some(bytes));
        }
        assert_eq!(from_base64("a b"), None);
    }

    #[test]
    fn every_kind_of_block_comes_back_bit_for_bit() {
        let node = |name: &str, z: f64| Node { name: name.into(), at: [0.0, 0.0, z], held: Held::Fixed, swings: false };
        let nodes = vec![node("a", 0.0), node("b", 1.0 / 3.0)];
        let drawing = Structure { nodes, lines: vec![Line { from: 0, to: Some(1), member: true }] }.drawing();
        let view = |motion: Motion| {
            let (drawing, note) = (drawing.clone(), "as it is".to_owned());
            Block::View(View { title: "modes".into(), drawing, motion, unit: ("mm".into(), 1e3 / 3.0), note })
        };
        let blocks = vec![
            Block::Text("größe".into()),
            Block::Folded { summary: "all".into(), text: "a\nb".into() },
            Block::Lines(vec!["x".into(), String::new()]),
            Block::Table(Table { header: vec!["a".into()], rows: vec![vec!["1".into()], vec![]] }),
            Block::Plot(Plot {
                title: "u".into(),
                x: Axis::new("time", "s"),
                y: Axis::new("u", "").log(),
                order: Order::Free,
                curves: vec![Curve {
                    name: "c".into(),
                    points: vec![(0.1, f64::NAN), (-0.0, 1e300)],
                    thinned: Some(9),
                }],
                note: String::new(),
            }),
            view(Motion::Shapes(vec![("1 Hz".into(), vec![0.1, f32::MIN_POSITIVE, -0.0])])),
            view(Motion::Frames { times: vec![0.1 + 0.2], frames: vec![1.0; 6] }),
        ];
        let kept = serde_json::to_string(&keep(&blocks)).unwrap();
        let back = bring_back(&serde_json::from_str(&kept).unwrap()).expect("blocks");
        assert_eq!(format!("{back:?}"), format!("{blocks:?}"));
        for wrong in [json!({}), json!([{}]), json!([{ "plot": {} }]), json!([{ "view": { "drawing": 3 } }])] {
            assert!(bring_back(&wrong).is_none(), "{wrong}");
        }
    }
}
