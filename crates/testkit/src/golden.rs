//! Reference numbers from `golden/`; see its README for their origin.

use serde_json::Value;

/// A golden file by name, without ending.
///
/// # Panics
/// If there is none, or it is not JSON.
pub fn golden(name: &str) -> Value {
    let path = format!("{}/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A number.
///
/// # Panics
/// If it is none.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// A list of numbers.
///
/// # Panics
/// If it is none.
pub fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// A list of lists of numbers.
///
/// # Panics
/// If it is none.
pub fn rows(value: &Value) -> Vec<Vec<f64>> {
    list(value).iter().map(numbers).collect()
}

/// A list.
///
/// # Panics
/// If it is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("not a list: {value}"))
}
