//! Plain tables for the terminal.

pub use interfield_language::units::{short, time};

/// An eigenvalue.
pub fn complex((re, im): (f64, f64)) -> String {
    format!("{re:.7} {} {:.7}i", if im < 0.0 { '-' } else { '+' }, im.abs())
}

/// A spectral radius, near one with the digits in which it differs.
pub fn radius(x: f64) -> String {
    let excess = x - 1.0;
    match excess.abs() {
        e if e < 1e-9 => "1".to_owned(),
        e if e < 1e-3 => format!("1 {} {e:.1e}", if excess < 0.0 { '-' } else { '+' }),
        _ => short(x),
    }
}

/// Marks the header of a column of words, which is aligned to the left.
const LEFT: char = '<';

/// Columns aligned: numbers to the right; the first column, and those whose header starts with `<`, to the left.
pub fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |i: usize| {
        let cells = rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count());
        cells.chain([header[i].trim_start_matches(LEFT).chars().count()]).max().unwrap_or(0)
    };
    let columns: Vec<(usize, bool)> =
        (0..header.len()).map(|i| (width(i), i == 0 || header[i].starts_with(LEFT))).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells
            .zip(&columns)
            .map(|(c, &(w, left))| if left { format!("{c:<w$}") } else { format!("{c:>w$}") })
            .collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    let mut out = line(&mut header.iter().map(|h| h.trim_start_matches(LEFT)));
    for row in rows {
        out += &line(&mut row.iter().map(String::as_str));
    }
    out
}
