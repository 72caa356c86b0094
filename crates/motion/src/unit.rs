//! Units as the headers of records spell them.

use crate::STANDARD_GRAVITY;
use crate::record::Quantity;

/// The quantity of a unit and its factor to SI: `cm/s^2`, `cm/sec/sec`, `gal`, `g`, `m_s2`, `mm/s` and the like.
pub fn parse(text: &str) -> Option<(Quantity, f64)> {
    if text.len() > 40 {
        return None;
    }
    let mut unit = String::new();
    for c in text.trim().chars() {
        match c {
            ' ' | '\t' | '^' | '*' | '(' | ')' | '[' | ']' | '.' | '·' => {}
            '_' => unit.push('/'),
            '²' => unit.push('2'),
            '−' => unit.push('-'),
            c => unit.extend(c.to_lowercase()),
        }
    }
    let unit = unit.replace("seconds", "s").replace("second", "s").replace("secs", "s").replace("sec", "s");
    match unit.as_str() {
        "g" | "gs" | "units/g" => return Some((Quantity::Acceleration, STANDARD_GRAVITY)),
        "mg" | "milli-g" | "millig" => return Some((Quantity::Acceleration, STANDARD_GRAVITY * 1e-3)),
        "%g" => return Some((Quantity::Acceleration, STANDARD_GRAVITY * 1e-2)),
        "gal" | "gals" => return Some((Quantity::Acceleration, 0.01)),
        "kine" | "kines" => return Some((Quantity::Velocity, 0.01)),
        _ => {}
    }
    let (length, rest) = [
        ("mm", 1e-3),
        ("cm", 0.01),
        ("m", 1.0),
        ("inches", 0.0254),
        ("inch", 0.0254),
        ("in", 0.0254),
        ("feet", 0.3048),
        ("ft", 0.3048),
    ]
    .iter()
    .find_map(|(name, factor)| unit.strip_prefix(name).map(|rest| (*factor, rest)))?;
    let quantity = match rest {
        "" => Quantity::Displacement,
        "/s" | "s-1" | "ps" => Quantity::Velocity,
        "/s2" | "/s/s" | "s-2" | "ps2" | "s2" | "/ss" => Quantity::Acceleration,
        _ => return None,
    };
    Some((quantity, length))
}

/// The unit in the name of a column: in brackets (`a [m/s^2]`, `acc(g)`), or at its end (`accel_ew_cm_s2`, `acc g`).
pub fn in_name(name: &str) -> Option<(Quantity, f64)> {
    if let Some(inner) = bracketed(name) {
        return parse(inner);
    }
    let name = name.trim();
    // The longest ending that is a unit, but never the whole of a one-letter name: `m` and `g` alone are columns.
    name.char_indices().filter(|(_, c)| matches!(c, '_' | ' ')).find_map(|(i, _)| {
        let rest = &name[i + 1..];
        parse(rest)
    })
}

/// What stands between the first pair of brackets.
pub(crate) fn bracketed(name: &str) -> Option<&str> {
    let open = name.find(['[', '('])?;
    let rest = &name[open + 1..];
    let close = rest.rfind([']', ')'])?;
    Some(&rest[..close])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let acc = |x| Some((Quantity::Acceleration, x));
        for s in ["m/s^2", "m/s2", "m/s/s", "M/SEC**2", "m s-2", "m_s2", "m/s²", "m/sec/sec"] {
            assert_eq!(parse(s), acc(1.0), "{s}");
        }
        for s in ["cm/s^2", "cm/sec/sec", "gal", "Gal", "cm/sec2", "cm_s2"] {
            assert_eq!(parse(s), acc(0.01), "{s}");
        }
        assert_eq!(parse("G"), acc(STANDARD_GRAVITY));
        assert_eq!(parse("cm/sec"), Some((Quantity::Velocity, 0.01)));
        assert_eq!(parse("cm"), Some((Quantity::Displacement, 0.01)));
        assert_eq!(parse("in/s2"), acc(0.0254));
        for s in ["", "s", "counts", "kg", "m/s3", "é", "/"] {
            assert_eq!(parse(s), None, "{s}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(in_name("a [m/s^2]"), Some((Quantity::Acceleration, 1.0)));
        assert_eq!(in_name("acc(g)"), Some((Quantity::Acceleration, STANDARD_GRAVITY)));
        assert_eq!(in_name("accel_ew_cm_s2"), Some((Quantity::Acceleration, 0.01)));
        assert_eq!(in_name("acc g"), Some((Quantity::Acceleration, STANDARD_GRAVITY)));
        assert_eq!(in_name("g"), None);
        assert_eq!(in_name("acceleration"), None);
        assert_eq!(in_name("accél_é"), None);
    }
}
