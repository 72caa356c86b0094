//! Letters of figures: how wide a text is, so that nothing overlaps, and their outlines, for pictures of pixels.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::scene::Point;

/// A letter, in 2048ths of its size.
struct Letter {
    advance: f64,
    outline: &'static str,
}

/// Stands for letters that are not here.
const UNKNOWN: char = '\u{fffd}';
const UNITS: f64 = 2048.0;
/// Lines of the file that say what it is.
const HEAD: usize = 3;

fn letter(c: char) -> Option<&'static Letter> {
    static ALL: OnceLock<HashMap<char, Letter>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let lines = include_str!("../assets/letters.txt").lines().skip(HEAD);
        let letter = |line: &'static str| {
            let (c, rest) = (line.chars().next()?, line.get(line.chars().next()?.len_utf8() + 1..)?);
            let (advance, outline) = rest.split_once(' ').unwrap_or((rest, ""));
            Some((c, Letter { advance: advance.parse().ok()?, outline }))
        };
        lines.filter_map(letter).collect()
    });
    all.get(&c).or_else(|| all.get(&UNKNOWN))
}

/// Width of a text.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().filter_map(letter).map(|l| l.advance * size / UNITS).sum()
}

/// A text no wider than this: its middle is left out where it is longer, since channels and units differ at their ends.
pub(crate) fn fitted(text: &str, size: f64, widest: f64) -> String {
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| -> String {
        let (head, tail) = (&letters[..kept.div_ceil(2)], &letters[letters.len() - kept / 2..]);
        head.iter().chain(&['…']).chain(tail).collect()
    };
    if width(text, size) <= widest {
        return text.to_owned();
    }
    let fits = |kept: &usize| width(&shortened(*kept), size) <= widest;
    shortened((0..letters.len()).rev().find(fits).unwrap_or(0))
}

/// A text as lines no wider than this.
pub(crate) fn wrapped(text: &str, size: f64, widest: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && width(&longer, size) > widest {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
    }
    lines.iter().map(|l| fitted(l, size, widest)).collect()
}

/// The outlines of a text that starts at the origin, y up; contours are closed.
pub(crate) fn outlines(text: &str, size: f64) -> Vec<Vec<Point>> {
    let scale = size / UNITS;
    let mut contours: Vec<Vec<Point>> = Vec::new();
    let mut pen = 0.0;
    for letter in text.chars().filter_map(letter) {
        let mut at = (0.0, 0.0);
        let mut words = letter.outline.split(' ');
        let number = |word: Option<&str>| word.and_then(|w| w.parse::<f64>().ok()).unwrap_or(0.0);
        while let Some(word) = words.next().filter(|w| !w.is_empty()) {
            let (command, first) = word.split_at(1);
            let x = number(Some(first));
            let y = number(words.next());
            match command {
                "m" => {
                    contours.push(Vec::new());
                    at = (x, y);
                }
                "q" => {
                    let (dx, dy) = (number(words.next()), number(words.next()));
                    // Four pieces are smooth at the size of letters.
                    for t in [0.25, 0.5, 0.75] {
                        let (a, b) = (2.0 * t * (1.0 - t), t * t);
                        let p = (at.0 + a * x + b * dx, at.1 + a * y + b * dy);
                        contours.last_mut().into_iter().for_each(|c| c.push((pen + p.0 * scale, p.1 * scale)));
                    }
                    at = (at.0 + dx, at.1 + dy);
                }
                _ => at = (at.0 + x, at.1 + y),
            }
            contours.last_mut().into_iter().for_each(|c| c.push((pen + at.0 * scale, at.1 * scale)));
        }
        pen += letter.advance * scale;
    }
    contours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_wide_as_their_letters() {
        assert!(width("WWW", 10.0) > 2.0 * width("lll", 10.0));
        assert_eq!(width("a #", 20.0), 2.0 * width("a #", 10.0));
        assert!(width("漢", 10.0) > 0.0, "what is not here has a sign that stands for it");
        for c in "0123456789−·⁻⁰¹²³⁴⁵⁶⁷⁸⁹×±µρωΩγΔλβ°√ßé#".chars() {
            let own = letter(c).map(|l| l.outline);
            assert!(own.is_some() && own != letter(UNKNOWN).map(|l| l.outline), "{c}");
        }
    }

    #[test]
    fn long_texts_are_shortened_and_wrapped() {
        let name = "a_very_long_channel_name.deformation [mm]";
        let short = fitted(name, 10.0, 100.0);
        assert!(width(&short, 10.0) <= 100.0 && short.starts_with("a_v") && short.ends_with("[mm]"), "{short}");
        assert_eq!(fitted("u", 10.0, 100.0), "u");
        assert_eq!(fitted("u", 10.0, 1.0), "…");
        let lines = wrapped("one two three four five six seven", 10.0, 60.0);
        assert!(lines.len() > 2 && lines.iter().all(|l| width(l, 10.0) <= 60.0), "{lines:?}");
        assert_eq!(lines.join(" "), "one two three four five six seven");
        assert!(wrapped("", 10.0, 60.0).is_empty());
    }

    #[test]
    fn outlines_enclose_the_letters() {
        let found = outlines("Ao", 2048.0);
        // Both have a hole.
        assert_eq!(found.len(), 4);
        let right = found.iter().flatten().map(|p| p.0).fold(0.0, f64::max);
        assert!(right > 1401.0 && right < width("Ao", 2048.0));
    }
}
