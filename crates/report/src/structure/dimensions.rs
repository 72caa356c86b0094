//! How large a structure is: along each axis the places of its nodes, and the distances between them in words.

use crate::scale::range;

/// Two places closer than this, relative to the whole, are one.
const SAME: f64 = 1e-6;
/// Most different distances that are told one by one.
const TOLD: usize = 5;

/// Places of nodes along an axis, each once, rising.
pub(super) fn places(values: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let (low, high) = range(values.clone());
    let mut all: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() <= SAME * (high - low));
    all
}

/// The distances between places in words: `3 × 6 m = 18 m`, `3.5 + 2 × 3 = 9.5 m`, or the whole alone where they are many.
pub(super) fn words(places: &[f64], unit: &str) -> String {
    let number = |x: f64| {
        let text = format!("{:.*}", if x.abs() < 10.0 { 3 } else { 2 }, x);
        let text = if x != 0.0 && x.abs() < 0.01 { format!("{x:.3e}") } else { text };
        let whole = if text.contains('.') && !text.contains('e') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        whole.to_owned()
    };
    let [first, .., last] = places else { return String::new() };
    let whole = last - first;
    let mut runs: Vec<(usize, f64)> = Vec::new();
    for d in places.windows(2).map(|p| p[1] - p[0]) {
        match runs.last_mut() {
            Some((count, same)) if (*same - d).abs() <= 1e-4 * whole => *count += 1,
            _ => runs.push((1, d)),
        }
    }
    let total = format!("{} {unit}", number(whole));
    match &runs[..] {
        [(1, _)] => total,
        [(n, each)] => format!("{n} × {} {unit} = {total}", number(*each)),
        runs if runs.len() <= TOLD => {
            let run = |(n, d): &(usize, f64)| if *n == 1 { number(*d) } else { format!("{n} × {}", number(*d)) };
            format!("{} = {total}", runs.iter().map(run).collect::<Vec<_>>().join(" + "))
        }
        _ => total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_are_counted() {
        let of = |list: &[f64]| words(&places(list.iter().copied()), "m");
        assert_eq!(of(&[0.0, 6.0, 12.0, 18.0, 6.0]), "3 × 6 m = 18 m");
        assert_eq!(of(&[0.0, 3.5, 6.5, 9.5]), "3.5 + 2 × 3 = 9.5 m");
        assert_eq!(of(&[0.0, 421.0]), "421 m");
        assert_eq!(of(&[0.0, 1.0, 3.0, 4.0, 6.0, 7.0, 9.0, 10.5]), "10.5 m");
        assert_eq!(of(&[2.0, 2.0]), "");
    }
}
