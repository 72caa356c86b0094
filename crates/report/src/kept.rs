//! Blocks of a page as JSON, from which they come back bit for bit: what only the end of a run can tell is kept with its
//! results, and its page is made from there.

use serde_json::{Value, json};

use crate::page::base64;
use crate::structure::Drawing;
use crate::{Axis, Block, Curve, Map, Mark, Motion, Order, Panel, Ramp, Style, Table, View};

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
        Block::Plot(p) => json!({ "plot": described(p, &mut numbers) }),
        Block::View(v) => json!({ "view": {
            "title": v.title, "drawing": v.drawing.keep(), "note": v.note,
            "unit": v.unit.0, "factor": number(v.unit.1), "motion": motion(&v.motion),
        } }),
    }
}

const ORDERS: [Order; 3] = [Order::Time, Order::Sorted, Order::Free];
const STYLES: [Style; 5] = [Style::Line, Style::Dashed, Style::Points, Style::Joined, Style::Bars];
const BAND: usize = 5;
const WHISKERS: usize = 6;
/// Words for these, and for the two that follow, in their order.
const STYLE_WORDS: [&str; 7] = ["line", "dashed", "points", "joined", "bars", "band", "whiskers"];
const ORDER_WORDS: [&str; 3] = ["time", "sorted", "free"];

/// A panel as JSON, with the numbers of its curves as `numbers` has them.
pub(crate) fn described(p: &Panel, numbers: &mut dyn FnMut(&Curve) -> Value) -> Value {
    let curve = |c: &Curve| {
        let mut described = numbers(c);
        let style = match &c.style {
            Style::Band { .. } => BAND,
            Style::Whiskers { .. } => WHISKERS,
            plain => STYLES.iter().position(|s| s == plain).unwrap_or(0),
        };
        described["name"] = c.name.clone().into();
        described["style"] = STYLE_WORDS[style].into();
        described["colour"] = c.colour.into();
        described["thinned"] = c.thinned.into();
        described
    };
    let mark = |m: &Mark| match m {
        Mark::Horizontal(y, name) => json!({ "name": name, "y": y }),
        Mark::Vertical(x, name) => json!({ "name": name, "x": x }),
        Mark::Region(from, to, name) => json!({ "name": name, "from": from, "to": to }),
    };
    let mut described = json!({
        "title": p.title, "x": axis(&p.x), "y": axis(&p.y), "note": p.note,
        "order": ORDERS.iter().position(|o| *o == p.order).map(|i| ORDER_WORDS[i]),
        "curves": p.curves.iter().map(curve).collect::<Vec<_>>(), "marks": p.marks.iter().map(mark).collect::<Vec<_>>(),
    });
    if let Some(m) = &p.map {
        let list = |l: &[f64]| doubles(l.iter().copied());
        let ramp = |r: &Ramp| json!([r.title, r.stops, r.marks]);
        let ramps: Vec<Value> = m.ramps.iter().map(ramp).collect();
        described["map"] = json!({ "x": list(&m.x), "y": list(&m.y), "values": list(&m.values), "ramps": ramps });
    }
    described
}

fn axis(a: &Axis) -> Value {
    json!({ "label": a.label, "unit": a.unit, "log": a.log, "range": a.range, "names": a.names, "text": a.text() })
}

fn numbers(c: &Curve) -> Value {
    let mut numbers = json!({ "points": doubles(c.points.iter().flat_map(|p| [p.0, p.1])) });
    if let Some((low, high)) = c.edges() {
        numbers["low"] = doubles(low.iter().copied());
        numbers["high"] = doubles(high.iter().copied());
    }
    numbers
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

fn plot(p: &Value) -> Option<Panel> {
    let order = ORDER_WORDS.iter().position(|w| p["order"] == *w)?;
    Some(Panel {
        title: text(p.get("title")?)?,
        x: to_axis(p.get("x")?)?,
        y: to_axis(p.get("y")?)?,
        order: ORDERS[order],
        curves: p.get("curves")?.as_array()?.iter().map(curve).collect::<Option<_>>()?,
        marks: p.get("marks")?.as_array()?.iter().map(mark).collect::<Option<_>>()?,
        map: p.get("map").map(map).map_or(Some(None), |m| m.map(Some))?,
        note: text(p.get("note")?)?,
    })
}

fn curve(c: &Value) -> Option<Curve> {
    let edges = || Some((to_doubles(c.get("low")?)?, to_doubles(c.get("high")?)?));
    let style = match STYLE_WORDS.iter().position(|w| c["style"] == *w)? {
        BAND => edges().map(|(low, high)| Style::Band { low, high })?,
        WHISKERS => edges().map(|(low, high)| Style::Whiskers { low, high })?,
        plain => STYLES.get(plain)?.clone(),
    };
    Some(Curve {
        name: text(c.get("name")?)?,
        points: to_doubles(c.get("points")?)?.chunks_exact(2).map(|p| (p[0], p[1])).collect(),
        style,
        colour: c.get("colour")?.as_u64().and_then(|n| usize::try_from(n).ok()),
        thinned: c.get("thinned")?.as_u64(),
    })
}

fn mark(m: &Value) -> Option<Mark> {
    let (name, number) = (text(m.get("name")?)?, |key: &str| m.get(key).and_then(Value::as_f64));
    match (number("x"), number("y")) {
        (Some(x), _) => Some(Mark::Vertical(x, name)),
        (_, Some(y)) => Some(Mark::Horizontal(y, name)),
        _ => Some(Mark::Region(number("from")?, number("to")?, name)),
    }
}

fn map(m: &Value) -> Option<Map> {
    let part = |v: &Value| v.as_u64().and_then(|n| u8::try_from(n).ok());
    let stop = |s: &Value| {
        let colour = s.get(1)?;
        Some((s.get(0)?.as_f64()?, [part(colour.get(0)?)?, part(colour.get(1)?)?, part(colour.get(2)?)?]))
    };
    let beside = |s: &Value| Some((s.get(0)?.as_f64()?, text(s.get(1)?)?));
    let ramp = |r: &Value| {
        let stops = r.get(1)?.as_array()?.iter().map(stop).collect::<Option<_>>()?;
        let marks = r.get(2)?.as_array()?.iter().map(beside).collect::<Option<_>>()?;
        Some(Ramp { title: text(r.get(0)?)?, stops, marks })
    };
    Some(Map {
        x: to_doubles(m.get("x")?)?,
        y: to_doubles(m.get("y")?)?,
        values: to_doubles(m.get("values")?)?,
        ramps: m.get("ramps")?.as_array()?.iter().map(ramp).collect::<Option<_>>()?,
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
    let range = v.get("range")?;
    Some(Axis {
        label: text(v.get("label")?)?,
        unit: text(v.get("unit")?)?,
        log: v.get("log")?.as_bool()?,
        range: range.get(0).and_then(Value::as_f64).zip(range.get(1).and_then(Value::as_f64)),
        names: texts(v.get("names")?)?,
    })
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
        let points = vec![(0.1, f64::NAN), (-0.0, 1e300)];
        let ramp = Ramp { title: "r".into(), stops: vec![(0.1, [1, 2, 3])], marks: vec![(0.5, "half".into())] };
        let blocks = vec![
            Block::Text("größe".into()),
            Block::Folded { summary: "all".into(), text: "a\nb".into() },
            Block::Lines(vec!["x".into(), String::new()]),
            Block::Table(Table { header: vec!["a".into()], rows: vec![vec!["1".into()], vec![]] }),
            Block::Plot(Panel {
                title: "u".into(),
                x: Axis::of_names("cases", vec!["a".into(), "b".into()]),
                y: Axis::new("u", "").log().over(0.1, 1.0 / 3.0),
                order: Order::Sorted,
                curves: vec![
                    Curve { thinned: Some(9), ..Curve::line("c", points.clone()) },
                    Curve::line("d", points.clone()).style(Style::Bars).colour(3),
                    Curve::line("", points.clone()).style(Style::Band { low: vec![0.1], high: vec![0.3] }),
                    Curve::line("", points).style(Style::Whiskers { low: vec![], high: vec![f64::NAN] }),
                ],
                marks: vec![
                    Mark::Horizontal(0.1, "h".into()),
                    Mark::Vertical(-1.0, "v".into()),
                    Mark::Region(0.1, 0.2, "r".into()),
                ],
                map: Some(Map { x: vec![0.1], y: vec![f64::NAN], values: vec![1.0], ramps: vec![ramp] }),
                note: "n".into(),
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
