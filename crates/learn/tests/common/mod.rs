//! Golden records.

#![allow(dead_code)] // Each test uses a part of it.

use interfield_learn::Samples;
use serde_json::Value;

/// A golden file.
pub(crate) fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A number.
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Numbers; none where there are none.
pub(crate) fn list(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().map(number).collect()
}

/// The samples of a golden record.
pub(crate) fn samples(data: &Value) -> Samples {
    Samples { q: list(&data["q"]), v: list(&data["v"]), p: list(&data["p"]), dt: data["dt"].as_f64().unwrap_or(0.0) }
}
