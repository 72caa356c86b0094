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

/// The same with a last column of sentences, which are wrapped to the width of a page.
pub fn explained(header: &[&str], rows: &[Vec<String>]) -> String {
    let last = header.len().saturating_sub(1);
    let short: Vec<Vec<String>> = rows.iter().map(|row| row.iter().take(last).cloned().collect()).collect();
    let table = aligned(&header[..last], &short);
    let width = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let text = |i: usize| if i == 0 { header[last].trim_start_matches(LEFT) } else { &rows[i - 1][last] };
    let indent = " ".repeat(width + 2);
    let line = |(i, line): (usize, &str)| {
        let folded = folded(&indent, &indent, text(i));
        format!("{line:width$}  {}", folded.trim_start()).trim_end().to_owned() + "\n"
    };
    table.lines().enumerate().map(line).collect()
}

/// Columns of a page.
const PAGE: usize = 80;

/// A text behind its label, wrapped to the width of a page; further lines are indented below it.
pub fn labelled(indent: &str, label: &str, text: &str) -> String {
    wrapped(indent, &format!("{label}: {text}"))
}

/// A text whose lines are wrapped to the width of a page, each below its own indent.
pub fn paged(text: &str) -> String {
    let one = |line: &str| {
        let words = line.trim_start();
        wrapped(&line[..line.len() - words.len()], words)
    };
    text.lines().map(one).collect()
}

/// A text wrapped to the width of a page; further lines are indented below the first.
pub fn wrapped(indent: &str, text: &str) -> String {
    folded(indent, &format!("{indent}  "), text)
}

fn folded(first: &str, further: &str, text: &str) -> String {
    let (mut out, mut line) = (String::new(), first.to_owned());
    for (i, word) in text.split(' ').enumerate() {
        if i > 0 && line.chars().count() + 1 + word.chars().count() > PAGE {
            out += &format!("{line}\n");
            line = format!("{further}{word}");
        } else {
            line += if i > 0 { " " } else { "" };
            line += word;
        }
    }
    format!("{out}{line}\n")
}
