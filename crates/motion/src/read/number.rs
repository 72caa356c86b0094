//! Numbers as Fortran programs left them: `-.1234567E-02`, `1.5D-03`, run together at full field width.

use super::{ReadError, shown};

/// One number; `None` if the token is not exactly one finite number. A `D` exponent is read as `E`.
pub fn parse(token: &str) -> Option<f64> {
    let bytes = token.as_bytes();
    if bytes.is_empty()
        || bytes.len() > 64
        || !bytes.iter().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E' | b'd' | b'D'))
    {
        return None;
    }
    let value = match token.parse::<f64>() {
        Ok(v) => v,
        Err(_) => token.replace(['d', 'D'], "E").parse::<f64>().ok()?,
    };
    value.is_finite().then_some(value)
}

/// The fields of a row: separated by spaces, tabs, commas or semicolons.
pub(crate) fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',', ';', '\u{a0}']).filter(|t| !t.is_empty())
}

/// All numbers of a row go to `sink`; run-together ones are taken apart. Returns whether any had to be.
pub(crate) fn row(
    line: &str,
    number: usize,
    mut sink: impl FnMut(f64) -> Result<(), ReadError>,
) -> Result<bool, ReadError> {
    let mut repaired = false;
    for token in fields(line) {
        match parse(token) {
            Some(v) => sink(v)?,
            None => {
                let parts = split(token).ok_or_else(|| bad(token, number))?;
                for v in parts {
                    sink(v)?;
                }
                repaired = true;
            }
        }
    }
    Ok(repaired)
}

/// The message for a token that is no number.
pub(crate) fn bad(token: &str, line: usize) -> ReadError {
    let lower = token.trim().to_ascii_lowercase();
    let bare = lower.trim_start_matches(['+', '-']);
    if bare.starts_with("nan") || bare.starts_with("inf") {
        ReadError::new(line, format!("`{}` is not a finite number", shown(token)), "repair or cut the record there")
    } else if !lower.is_empty() && lower.bytes().all(|b| b == b'*') {
        ReadError::new(
            line,
            "`***` marks a value that did not fit its field",
            "the record was written with too narrow a format",
        )
    } else if token.parse::<f64>().is_ok_and(|v| v.is_infinite()) {
        ReadError::new(
            line,
            format!("`{}` is outside the range of a number", shown(token)),
            "repair or cut the record there",
        )
    } else {
        ReadError::new(line, format!("`{}` is not a number", shown(token)), "")
    }
}

/// Takes apart numbers that fill their fields, as in `-.1234567E-02-.7654321E-03`.
///
/// A sign that does not follow an exponent letter begins a number. An exponent that runs into a decimal point has two
/// digits, as Fortran's `E15.7` writes it. A sign followed by three bare digits is Fortran's exponent without a letter
/// (`.5-101`). Anything else is refused.
fn split(token: &str) -> Option<Vec<f64>> {
    if !token.is_ascii() || token.len() > 4096 {
        return None;
    }
    let bytes = token.as_bytes();
    let mut values = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let end = scan(bytes, start)?;
        let text = token.get(start..end)?;
        let value = match parse(text) {
            Some(v) => v,
            None => letterless(text)?,
        };
        values.push(value);
        start = end;
    }
    (!values.is_empty()).then_some(values)
}

/// Where the number that begins at `start` ends.
fn scan(bytes: &[u8], start: usize) -> Option<usize> {
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut i = start;
    if matches!(bytes.get(i), Some(b'+' | b'-')) {
        i += 1;
    }
    let mantissa = i;
    let mut point = false;
    while digit(i) || (!point && bytes.get(i) == Some(&b'.')) {
        point |= bytes[i] == b'.';
        i += 1;
    }
    if i == mantissa || !point {
        return None;
    }
    if matches!(bytes.get(i), Some(b'e' | b'E' | b'd' | b'D')) {
        i += 1;
        if matches!(bytes.get(i), Some(b'+' | b'-')) {
            i += 1;
        }
        let exponent = i;
        while digit(i) {
            i += 1;
        }
        if bytes.get(i) == Some(&b'.') && i >= exponent + 2 {
            i = exponent + 2;
        }
        return (i > exponent).then_some(i);
    }
    let bare = matches!(bytes.get(i), Some(b'+' | b'-')) && digit(i + 1) && digit(i + 2) && digit(i + 3);
    if bare && !digit(i + 4) && bytes.get(i + 4) != Some(&b'.') {
        return Some(i + 4);
    }
    // A second point with no sign before it: the field width alone could tell where the number ends.
    if bytes.get(i) == Some(&b'.') { None } else { Some(i) }
}

/// `.5-101` is 0.5e-101.
fn letterless(text: &str) -> Option<f64> {
    let at = text.rfind(['+', '-']).filter(|&i| i > 0)?;
    parse(&format!("{}E{}", &text[..at], &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Result<Vec<f64>, ReadError> {
        let mut out = Vec::new();
        row(line, 7, |v| {
            out.push(v);
            Ok(())
        })?;
        Ok(out)
    }

    #[test]
    fn plain_and_fortran() {
        assert_eq!(all(" .1E-02 -1.5D-03, 2.d0\t+3").unwrap(), [0.001, -0.0015, 2.0, 3.0]);
        assert_eq!(all("-.1234567E-02-.7654321E-03").unwrap(), [-0.1234567e-2, -0.7654321e-3]);
        assert_eq!(all("0.1234567E-020.7654321E-03").unwrap(), [0.1234567e-2, 0.7654321e-3]);
        assert_eq!(all(".1234567E-02.7654321E-03").unwrap(), [0.1234567e-2, 0.7654321e-3]);
        assert_eq!(all("10.12345-10.12345").unwrap(), [10.12345, -10.12345]);
        assert_eq!(all("1.5-101").unwrap(), [1.5e-101]);
    }

    #[test]
    fn refused() {
        for t in [
            "0.123450.12345",
            "1-2",
            "abc",
            "1e",
            "--1",
            "1.0e-",
            "0x10",
            "é",
            "1.5.",
            "infinity",
            "nan",
            "1e999",
            "******",
        ] {
            let e = all(t).unwrap_err();
            assert_eq!(e.line, 7, "{t}");
        }
        assert!(all("NaN").unwrap_err().message.contains("finite"));
        assert!(all("1e999").unwrap_err().message.contains("range"));
        assert!(all("****").unwrap_err().message.contains("field"));
    }
}
