//! Plain tables for the terminal.

/// A number with as many digits as a reader wants to see.
pub fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if !(1e-3..1e6).contains(&a) => format!("{x:.3e}"),
        a => {
            let decimals = (4 - a.log10().floor() as i32).clamp(0, 8) as usize;
            let text = format!("{x:.decimals$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
    }
}

/// A time with the prefix in which it is read at once: `0.94 ms`, `12 us`, `2.5 s`.
pub fn time(seconds: f64) -> String {
    match seconds.abs() {
        a if a == 0.0 || a >= 0.1 || !a.is_finite() => format!("{} s", short(seconds)),
        a if a >= 1e-4 => format!("{} ms", short(1e3 * seconds)),
        _ => format!("{} us", short(1e6 * seconds)),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits_and_times_a_prefix() {
        let shown = [0.0, 1.0, 209.784_56, 12_345.678, 1_234.567_8, 3.457e-5, 1.5e7, -0.002].map(short);
        assert_eq!(shown, ["0", "1", "209.78", "12346", "1234.6", "3.457e-5", "1.500e7", "-0.002"]);
        let times = [0.0, 9.381e-4, 5e-4, 0.002, 0.1, 9.524_8, 4.2e-6, -0.000_499].map(time);
        assert_eq!(times, ["0 s", "0.9381 ms", "0.5 ms", "2 ms", "0.1 s", "9.5248 s", "4.2 us", "-0.499 ms"]);
    }
}
