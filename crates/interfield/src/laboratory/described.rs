//! A value of the laboratory as JSON by the names of its fields: what a compensator, a bus or a valve is set to has many forms,
//! and each is told as it is declared.

use std::fmt::Debug;

use serde_json::{Map, Value, json};

/// Fields become members, variants words, `None` and what is not finite `null`. A variant that holds a value tells its
/// `type` beside it.
pub(super) fn described(value: &impl Debug) -> Value {
    let text = format!("{value:?}");
    Told(&text).value()
}

/// The rest of a text that was derived.
struct Told<'t>(&'t str);

impl Told<'_> {
    /// Whether this comes next; it is passed.
    fn take(&mut self, token: char) -> bool {
        let rest = self.0.trim_start();
        let taken = rest.strip_prefix(token);
        self.0 = taken.unwrap_or(rest);
        taken.is_some()
    }

    /// All values up to a closing bracket.
    fn list(&mut self, end: char) -> Vec<Value> {
        let mut all = Vec::new();
        while !self.take(end) && !self.0.is_empty() {
            all.push(self.value());
            self.take(',');
        }
        all
    }

    fn fields(&mut self) -> Map<String, Value> {
        let mut all = Map::new();
        while !self.take('}') && !self.0.is_empty() {
            let name = self.word();
            self.take(':');
            all.insert(name, self.value());
            self.take(',');
        }
        all
    }

    fn word(&mut self) -> String {
        let rest = self.0.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.+-".contains(c))).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end.max(usize::from(end == 0 && !rest.is_empty())));
        self.0 = rest;
        word.to_owned()
    }

    fn value(&mut self) -> Value {
        if self.take('[') {
            return self.list(']').into();
        }
        if self.take('(') {
            return self.list(')').into();
        }
        if self.take('"') {
            let end = self.0.find('"').unwrap_or(self.0.len());
            let text = self.0[..end].to_owned();
            self.0 = self.0.get(end + 1..).unwrap_or_default();
            return text.into();
        }
        let word = self.word();
        if self.take('{') {
            return self.fields().into();
        }
        if self.take('(') {
            let mut inside = self.list(')');
            let one = if inside.len() == 1 { inside.remove(0) } else { inside.into() };
            return match (word.as_str(), one) {
                ("Some", one) => one,
                (_, Value::Object(mut fields)) => {
                    fields.insert("type".to_owned(), hyphened(&word).into());
                    fields.into()
                }
                (_, one) => json!({ "type": hyphened(&word), "value": one }),
            };
        }
        plain(&word)
    }
}

/// A number, a truth, or the name of a variant.
fn plain(word: &str) -> Value {
    match word {
        "true" => true.into(),
        "false" => false.into(),
        "None" | "NaN" | "inf" | "-inf" => Value::Null,
        _ => match (word.parse::<i64>(), word.parse::<f64>()) {
            (Ok(n), _) => n.into(),
            (_, Ok(x)) => json!(x),
            _ => hyphened(word).into(),
        },
    }
}

/// `RampDown` as `ramp-down`.
fn hyphened(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(dead_code)]
    #[derive(Debug)]
    struct Valve {
        gain: f64,
        taps: [u8; 2],
        bound: Option<f64>,
        kind: Kind,
        name: &'static str,
        end: f64,
    }

    #[allow(dead_code)]
    #[derive(Debug)]
    enum Kind {
        RampDown,
        Early(Inner),
        Pair(u8, f64),
    }

    #[allow(dead_code)]
    #[derive(Debug)]
    struct Inner {
        delay: f64,
    }

    #[test]
    fn every_form_is_told_by_its_names() {
        let valve =
            |kind| Valve { gain: -1.5e-7, taps: [1, 2], bound: Some(3.0), kind, name: "a, {b}", end: f64::INFINITY };
        let told = |kind: Value| json!({ "gain": -1.5e-7, "taps": [1, 2], "bound": 3.0, "kind": kind, "name": "a, {b}", "end": null });
        assert_eq!(described(&valve(Kind::RampDown)), told(json!("ramp-down")));
        assert_eq!(
            described(&valve(Kind::Early(Inner { delay: 0.01 }))),
            told(json!({ "type": "early", "delay": 0.01 }))
        );
        assert_eq!(described(&valve(Kind::Pair(1, 0.5))), told(json!({ "type": "pair", "value": [1, 0.5] })));
        assert_eq!(described(&None::<Valve>), Value::Null);
    }
}
