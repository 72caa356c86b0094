//! Just enough of the Rust lexer to search code and not its comments.

/// The source with every comment blanked out (and, unless `strings`, the contents of string literals);
/// lines stay where they are.
pub(crate) fn code(source: &str, strings: bool) -> String {
    let s: Vec<char> = source.chars().collect();
    let at = |i: usize| s.get(i).copied().unwrap_or('\0');
    let mut out = String::with_capacity(source.len());
    let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
    let mut i = 0;
    while i < s.len() {
        let end = match s[i] {
            '/' if at(i + 1) == '/' => (i..s.len()).find(|&k| s[k] == '\n').unwrap_or(s.len()),
            '/' if at(i + 1) == '*' => block_comment(&s, i),
            _ => i,
        };
        if end > i {
            out.extend(s[i..end].iter().map(|&c| blank(c)));
            i = end;
            continue;
        }
        let word = i > 0 && (s[i - 1].is_alphanumeric() || s[i - 1] == '_');
        let end = match s[i] {
            '"' => string(&s, i),
            'r' | 'b' | 'c' if !word => raw_string(&s, i).unwrap_or(i),
            '\'' if at(i + 1) == '\\' => (i + 3..s.len()).find(|&k| s[k] == '\'').map_or(s.len(), |k| k + 1),
            '\'' if at(i + 2) == '\'' => i + 3,
            _ => i,
        };
        if end > i {
            out.extend(s[i..end].iter().map(|&c| if strings { c } else { blank(c) }));
            i = end;
        } else {
            out.push(s[i]);
            i += 1;
        }
    }
    out
}

/// End of the block comment that starts at `i`; they nest.
fn block_comment(s: &[char], i: usize) -> usize {
    let (mut depth, mut k) = (0, i);
    while k < s.len() {
        match s[k..] {
            ['/', '*', ..] => (depth, k) = (depth + 1, k + 2),
            ['*', '/', ..] => (depth, k) = (depth - 1, k + 2),
            _ => k += 1,
        }
        if depth == 0 {
            return k;
        }
    }
    s.len()
}

/// End of the string literal that starts at `i`.
fn string(s: &[char], i: usize) -> usize {
    let mut k = i + 1;
    while k < s.len() {
        match s[k] {
            '\\' => k += 2,
            '"' => return k + 1,
            _ => k += 1,
        }
    }
    s.len()
}

/// End of the raw string literal that starts at `i`, if one does.
fn raw_string(s: &[char], i: usize) -> Option<usize> {
    let r = i + usize::from(s[i] != 'r');
    if s.get(r) != Some(&'r') {
        return None;
    }
    let hashes = s[r + 1..].iter().take_while(|c| **c == '#').count();
    let open = r + 1 + hashes;
    if s.get(open) != Some(&'"') {
        return None;
    }
    let close = |k: usize| s[k] == '"' && s[k + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    Some((open + 1..s.len()).find(|&k| close(k)).map_or(s.len(), |k| k + 1 + hashes))
}

/// Whether `text` has `word`, not as part of a longer word. Letters and digits make words, and so does
/// the underscore if `underscore`.
pub(crate) fn has_word(text: &str, word: &str, underscore: bool) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || underscore && c == '_');
    text.match_indices(word).any(|(i, _)| {
        let before = text[..i].chars().next_back();
        let after = text[i + word.len()..].chars().next();
        let (first, last) = (word.chars().next(), word.chars().next_back());
        !(part(before) && part(first) || part(last) && part(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        let source = "a(\"// no\"); // std::x\n/* b /* c */ d */ e('\"', '\\'', 'l'); f::<'_>(r#\"\"/*\"#, g); //! h\n";
        let kept = "a(\"// no\");          \n                  e('\"', '\\'', 'l'); f::<'_>(r#\"\"/*\"#, g);      \n";
        assert_eq!(code(source, true), kept);
    }

    #[test]
    fn strings_go_if_asked() {
        assert_eq!(code("f(\"todo!(\", \"a\\\"b\", br\"x\");", false), "f(        ,       ,      );");
    }

    #[test]
    fn unfinished_source_is_survived() {
        for source in ["\"a", "/* a", "r#\"a\"", "'\\", "// a", "r", "'", "\"\\"] {
            assert_eq!(code(source, true).chars().count(), source.chars().count(), "{source}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use std::io", "std::", true));
        assert!(!has_word("use no_std::io", "std::", true));
        assert!(has_word("let chang_step", "chang", false));
        assert!(!has_word("let change", "chang", false));
        assert!(!has_word("let exchang", "chang", false));
    }
}
