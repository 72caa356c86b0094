//! Mistakes of syntax at their cause. The TOML parser says where it could not go on, which for a missing bracket or quote
//! is some lines below, again and again; this scanner says what was left open, and the rest of the file is read as if the
//! statement were not there.
//!
//! It looks at files that the parser has refused, so it may miss a mistake (then the words of the parser stand) but must
//! not find one in a good line.
//!
//! **Must not be here:** knowledge of what a model file contains.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// Most mistakes of syntax that are looked for: each takes another reading.
const MOST: usize = 12;
/// In a file larger than this, bytes, the first mistake must do.
const LARGE: usize = 200_000;

/// Most letters of a sentence that quotes the file.
const LONGEST: usize = 160;

/// A mistake, its place, and the statement that it spoils.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
    statement: Range<usize>,
}

/// All mistakes of a text that the parser refuses, in its order; one for each statement.
pub(crate) fn mistakes(text: &str) -> Vec<Mistake> {
    let mut rest = text.to_owned();
    let mut found = Vec::new();
    let most = if text.len() > LARGE { 1 } else { MOST };
    while found.len() < most {
        let Some(mistake) = first(&rest) else { break };
        let statement = mistake.statement.clone();
        found.push(mistake);
        // Places stay, because as many bytes stay.
        let blank: String = rest[statement.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        if blank == rest[statement.clone()] {
            break;
        }
        rest.replace_range(statement, &blank);
    }
    found
}

/// The first mistake: what the scanner finds, unless the parser stumbles before.
fn first(text: &str) -> Option<Mistake> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let errors = errors.iter().filter(|e| e.message() != DUPLICATE);
    let error = errors.min_by_key(|e| e.span().map_or(0, |s| s.start))?;
    let span = error.span().unwrap_or(0..0);
    let (statements, cause) = Scanner { text, at: 0, inside: false }.scan();
    if let Some(cause) = cause.filter(|c| c.statement.start <= span.end) {
        return Some(cause);
    }
    let line = line_of(text, span.start);
    let statement = statements.into_iter().find(|s| s.contains(&span.start)).unwrap_or(line);
    Some(Mistake { span, message: error.message().to_owned(), help: None, statement })
}

/// What the parser says of a key that is given twice.
pub(crate) const DUPLICATE: &str = "duplicate key";

/// A sentence that quotes the file, no longer than anybody reads.
fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// The line of a place, with its end.
fn line_of(text: &str, at: usize) -> Range<usize> {
    let at = (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    start..text[at..].find('\n').map_or(text.len(), |i| at + i)
}

/// A line without its comment.
pub(crate) fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (i, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return &line[..i],
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => {}
        }
    }
    line
}

fn bare(line: &str) -> &str {
    without_comment(line).trim()
}

fn is_key_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Whether a line can only begin a statement: `[section]`, `[[section]]` or `key =`. A list of numbers is neither.
fn begins_statement(line: &str) -> bool {
    let line = bare(line);
    let name = |s: &str| s.starts_with(|c: char| c.is_ascii_alphabetic()) && s.chars().all(is_key_letter);
    let header = line.strip_prefix('[').map(|l| l.trim_start_matches('[').trim_end_matches(']').trim());
    let key = line.split_once('=').map(|(key, _)| key.trim());
    header.is_some_and(|h| line.ends_with(']') && name(h)) || key.is_some_and(name)
}

/// A value that needs no quotes.
fn is_plain(word: &str) -> bool {
    DeValue::parse(word)
        .is_ok_and(|v| !matches!(v.get_ref(), DeValue::String(_) | DeValue::Array(_) | DeValue::Table(_)))
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Whether a bracket is open.
    inside: bool,
}

/// What was found wrong, before the statement is known.
type Found = (Range<usize>, String, String);

impl<'t> Scanner<'t> {
    /// The statements up to the first mistake, and that one.
    fn scan(mut self) -> (Vec<Range<usize>>, Option<Mistake>) {
        let mut statements = Vec::new();
        while self.at < self.text.len() {
            let start = self.at;
            let line = line_of(self.text, start);
            let words = bare(&self.text[line.clone()]);
            if words.is_empty() {
                self.at = line.end + 1;
                continue;
            }
            let found = match words.starts_with('[') {
                true => self.header(line.clone()),
                false => self.pair(line.clone()),
            };
            if let Err((span, message, help)) = found {
                let end = line_of(self.text, span.end.max(line.start)).end.max(line.end);
                let mut end = self.at.max(end).min(self.text.len());
                // The rest of a list that goes on over lines belongs to the statement.
                while self.inside && end < self.text.len() {
                    let next = line_of(self.text, end + 1);
                    if begins_statement(&self.text[next.clone()]) {
                        break;
                    }
                    end = next.end;
                }
                let statement = start..end;
                let (message, help) = (shortened(message), Some(shortened(help)));
                return (statements, Some(Mistake { span, message, help, statement }));
            }
            statements.push(start..self.at.min(self.text.len()));
        }
        (statements, None)
    }

    /// The bytes of a part of a line, at its place in the text.
    fn place_of(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + part.len()
    }

    /// `[section]` or `[[section]]`.
    fn header(&mut self, line: Range<usize>) -> Result<(), Found> {
        self.at = line.end + 1;
        let words = bare(&self.text[line]);
        let name = words.trim_start_matches('[').trim_end_matches(']').trim();
        let (open, close) =
            (words.len() - words.trim_start_matches('[').len(), words.len() - words.trim_end_matches(']').len());
        if (open, close) == (1, 1) || (open, close) == (2, 2) || !name.chars().all(is_key_letter) {
            return Ok(());
        }
        let written = if open.max(close) > 1 { format!("[[{name}]]") } else { format!("[{name}]") };
        let message = format!("the brackets of `{words}` do not match");
        Err((self.place_of(words), message, format!("write {written}")))
    }

    /// `key = value`.
    fn pair(&mut self, line: Range<usize>) -> Result<(), Found> {
        let words = bare(&self.text[line.clone()]);
        self.at = line.end + 1;
        let Some((key, value)) = words.split_once('=') else { return Err(self.without_sign(words)) };
        let key = key.trim();
        if key.is_empty() {
            return Err((
                self.place_of(words),
                "there is no key before `=`".to_owned(),
                "write key = value".to_owned(),
            ));
        }
        if !key.contains(['"', '\''])
            && !key.split('.').all(|k| !k.trim().is_empty() && k.trim().chars().all(is_key_letter))
        {
            let message = format!("`{key}` cannot be a key");
            let help = match key.split_once(':') {
                Some((before, _)) => format!("a value is given with `=` alone: {} = ...", before.trim()),
                None => "a key is one word of letters, digits, `_` and `-`; anything else stands in quotes".to_owned(),
            };
            return Err((self.place_of(key), message, help));
        }
        if value.trim().is_empty() {
            let message = format!("`{key}` has no value");
            return Err((self.place_of(words), message, "a value must follow `=` on the same line".to_owned()));
        }
        self.at = self.place_of(value).start;
        self.value(line.end)
    }

    /// A line that is neither header nor pair.
    fn without_sign(&self, words: &'t str) -> Found {
        let place = self.place_of(words);
        let name = words.trim_end_matches(']').trim();
        if words.ends_with(']') && name.chars().all(is_key_letter) {
            let brackets = words.len() - words.trim_end_matches(']').len();
            let help = format!("write {}{name}{}", "[".repeat(brackets), "]".repeat(brackets));
            return (place, format!("the brackets of `{words}` do not match"), help);
        }
        let cut = words.find(|c: char| !is_key_letter(c)).unwrap_or(words.len());
        let (key, rest) = words.split_at(cut);
        let rest = rest.trim_start_matches([':', ' ', '\t']);
        let help = match (key, rest) {
            ("", _) => "a line is [section], [[section]], key = value, or a comment that starts with #".to_owned(),
            (key, "") => format!("write {key} = ..., or a comment that starts with #"),
            (key, rest) if words[cut..].trim_start().starts_with(':') => {
                format!("a value is given with `=`: {key} = {rest}")
            }
            (key, rest) if rest.starts_with(['"', '\'', '[', '{']) || is_plain(rest) => format!("write {key} = {rest}"),
            _ => "a line is [section], [[section]], key = value, or a comment that starts with #".to_owned(),
        };
        (place, "this line has no `=`".to_owned(), help)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at.min(self.text.len())..]
    }

    /// A value up to the end of its statement; `line_end` is that of the line it begins on.
    fn value(&mut self, line_end: usize) -> Result<(), Found> {
        let mut open: Vec<(usize, char)> = Vec::new();
        // What the last token was: a value, a comma, or something that a value must follow.
        let mut last = Last::Opened;
        loop {
            self.inside = !open.is_empty();
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                self.at = self.text.len();
                return open.last().map_or(Ok(()), |o| Err(self.unclosed(*o, self.text.len())));
            };
            match c {
                ' ' | '\t' | '\r' => self.at += 1,
                '#' => self.at += rest.find('\n').unwrap_or(rest.len()),
                '\n' if open.is_empty() => {
                    self.at += 1;
                    return Ok(());
                }
                '\n' => self.next_line(&open, last)?,
                '"' | '\'' => {
                    self.follows(last, &open)?;
                    let text = self.string(c)?;
                    last = if self.rest().trim_start_matches([' ', '\t']).starts_with(['=', '.']) {
                        Last::Opened
                    } else {
                        Last::Text(text)
                    };
                    if last == Last::Opened {
                        self.at += self.rest().find(['=', '.']).unwrap_or(0) + 1;
                    }
                }
                '[' | '{' => {
                    self.follows(last, &open)?;
                    open.push((self.at, c));
                    self.at += 1;
                    last = if c == '{' { Last::Brace } else { Last::Opened };
                }
                ']' | '}' => {
                    self.close(&mut open, c)?;
                    last = Last::Value;
                }
                ',' => {
                    last = self.comma(&open, last, line_end)?;
                }
                _ if matches!(last, Last::Brace)
                    || (last == Last::Comma && open.last().is_some_and(|o| o.1 == '{')) =>
                {
                    self.inner_key()?;
                    last = Last::Opened;
                }
                _ => {
                    self.follows(last, &open)?;
                    self.word(&open)?;
                    last = Last::Value;
                }
            }
        }
    }

    /// Goes on in the next line of an open list or table, unless that is a statement of its own.
    fn next_line(&mut self, open: &[(usize, char)], last: Last) -> Result<(), Found> {
        let here = self.at;
        self.at += 1;
        let next = self.rest().lines().find(|l| !bare(l).is_empty());
        let (Some(&innermost), Some(next)) = (open.last(), next) else { return Ok(()) };
        let goes_on = innermost.1 == '{' && matches!(last, Last::Comma | Last::Brace) && !bare(next).starts_with('[');
        if begins_statement(next) && !goes_on {
            let (words, place) = (bare(next), self.place_of(bare(next)));
            if innermost.1 == '[' && words.matches('}').count() > words.matches('{').count() {
                let help = format!("write {{ {words}");
                return Err((place, "`{` is missing at the beginning of this line".to_owned(), help));
            }
            return Err(self.unclosed(innermost, here));
        }
        Ok(())
    }

    fn unclosed(&self, (at, bracket): (usize, char), end: usize) -> Found {
        let close = if bracket == '[' { ']' } else { '}' };
        let line = &self.text[line_of(self.text, at)];
        let on_its_line = line_of(self.text, at).end >= end.min(self.text.trim_end().len());
        let help = match on_its_line {
            true if bracket == '{' => format!("write {} {close}", bare(line)),
            true => format!("write {}{close}", bare(line)),
            false => format!("add `{close}` at its end"),
        };
        (at..at + 1, format!("`{bracket}` is never closed"), help)
    }

    /// A value may only follow a comma, an opened bracket, or `=`.
    fn follows(&self, last: Last, open: &[(usize, char)]) -> Result<(), Found> {
        let here = self.at..self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        match last {
            Last::Opened | Last::Comma | Last::Brace => Ok(()),
            Last::Text(text) if self.quotes_are_odd() => {
                let help = "close each text with a quote before the comma or bracket behind it".to_owned();
                Err((text.0..text.1, "a quote is missing in this line".to_owned(), help))
            }
            Last::Text(text) if open.is_empty() => {
                let whole = bare(&self.text[text.0..line_of(self.text, text.0).end]);
                let inside: String = whole.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
                let help = format!("everything that belongs to it stands inside of the quotes: \"{inside}\"");
                Err((here, "something follows the text behind its last quote".to_owned(), help))
            }
            Last::Text(_) | Last::Value if !open.is_empty() => {
                Err((here, "a comma is missing before this value".to_owned(), "separate values by commas".to_owned()))
            }
            Last::Text(_) | Last::Value => {
                let help = "one value follows `=`; several stand in a list, [1, 2]".to_owned();
                Err((here, "something follows the value".to_owned(), help))
            }
        }
    }

    fn quotes_are_odd(&self) -> bool {
        let line = &self.text[line_of(self.text, self.at.min(self.text.len()))];
        line.bytes().filter(|b| *b == b'"').count() % 2 == 1
    }

    /// A text in quotes; its place.
    fn string(&mut self, quote: char) -> Result<(usize, usize), Found> {
        let (start, rest) = (self.at, self.rest());
        let long: String = std::iter::repeat_n(quote, 3).collect();
        let (width, end_of_text) = match rest.starts_with(&long) {
            true => (3, rest.len()),
            false => (1, rest.find('\n').unwrap_or(rest.len())),
        };
        let mut letters = rest[..end_of_text].char_indices().skip(width).peekable();
        while let Some((i, c)) = letters.next() {
            if c == '\\' && quote == '"' {
                letters.next();
            } else if c == quote && (width == 1 || rest[i..].starts_with(&long)) {
                self.at = start + i + width;
                return Ok((start, self.at));
            }
        }
        self.at = start + end_of_text;
        if width == 3 {
            return Err((
                start..start + 3,
                format!("the text that {long} opens is never closed"),
                format!("write {long} behind it"),
            ));
        }
        let line = &self.text[line_of(self.text, start)];
        let shown = bare_open(&rest[1..end_of_text]);
        let message = if line.matches(quote).count() > 1 {
            "a quote is missing in this line".to_owned()
        } else {
            "this text is never closed".to_owned()
        };
        Err((start..start + end_of_text.max(1), message, format!("close it with a quote: {quote}{shown}{quote}")))
    }

    fn close(&mut self, open: &mut Vec<(usize, char)>, c: char) -> Result<(), Found> {
        let here = self.at..self.at + 1;
        self.at += 1;
        match open.pop() {
            Some((_, '[')) if c == ']' => Ok(()),
            Some((_, '{')) if c == '}' => Ok(()),
            Some((at, _)) if self.closes_more(at, c) => {
                let opens = if c == ']' { '[' } else { '{' };
                Err((
                    here,
                    format!("`{c}` closes nothing"),
                    format!("write `{opens}` before what it closes, or remove it"),
                ))
            }
            Some((at, other)) => {
                let wanted = if other == '[' { ']' } else { '}' };
                let message = format!("`{other}` is never closed");
                Err((at..at + 1, message, format!("write `{wanted}` before the `{c}` that follows, or instead of it")))
            }
            None => {
                let opens = if c == ']' { '[' } else { '{' };
                Err((here, format!("`{c}` closes nothing"), format!("write `{opens}` before it, or remove it")))
            }
        }
    }

    /// Whether the line of an open bracket has more of this closing one than of what opens it.
    fn closes_more(&self, open: usize, close: char) -> bool {
        let line = line_of(self.text, open);
        let (line, here) = (without_comment(&self.text[line.clone()]), line.contains(&self.at));
        here && line.matches(close).count() > line.matches(if close == ']' { '[' } else { '{' }).count()
    }

    fn comma(&mut self, open: &[(usize, char)], last: Last, line_end: usize) -> Result<Last, Found> {
        let here = self.at..self.at + 1;
        self.at += 1;
        if open.is_empty() {
            let line = &self.text[line_of(self.text, here.start).start..line_end.max(here.end)];
            let value = bare(line).split_once('=').map_or("", |(_, v)| v.trim());
            let point = value.replacen(',', ".", 1);
            let help = match is_plain(&point) {
                true => format!("decimals follow a point: {point}"),
                false => format!("several values stand in a list: [{}]", value.trim_end_matches([']', ','])),
            };
            return Err((here, "a comma follows the value".to_owned(), help));
        }
        match last {
            Last::Comma | Last::Opened | Last::Brace => {
                Err((here, "there is no value before this comma".to_owned(), "remove the comma".to_owned()))
            }
            Last::Value | Last::Text(_) => Ok(Last::Comma),
        }
    }

    /// `key =` inside of braces.
    fn inner_key(&mut self) -> Result<(), Found> {
        let (start, rest) = (self.at, self.rest());
        let end = rest.find(['=', ',', '}', '\n', '#']).unwrap_or(rest.len());
        if rest[end..].starts_with('=') {
            self.at += end + 1;
            return Ok(());
        }
        let words = rest[..end].trim_end();
        let key = words.split([' ', ':']).next().unwrap_or("key");
        let help = format!("inside of braces stand pairs: {{ {key} = ... }}");
        Err((start..start + words.len(), format!("`{words}` has no `=`"), help))
    }

    /// A value without quotes.
    fn word(&mut self, open: &[(usize, char)]) -> Result<(), Found> {
        let (start, rest) = (self.at, self.rest());
        let ends: &[char] = if open.is_empty() { &['#', '\n', ','] } else { &[',', ']', '}', '#', '\n'] };
        let words = rest[..rest.find(ends).unwrap_or(rest.len())].trim_end();
        let place = start..start + words.len();
        self.at = place.end;
        if words.is_empty() || is_plain(words) {
            return Ok(());
        }
        let lower = words.to_lowercase();
        let (message, help) = match words {
            w if w.starts_with(['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '\u{ab}', '`']) => {
                let inside = w.trim_matches(|c: char| !c.is_alphanumeric());
                ("these are not the quotes of a plain text file", format!("write straight quotes: \"{inside}\""))
            }
            _ if lower == "true" || lower == "false" => {
                ("a flag is written in small letters", format!("write {lower}"))
            }
            w if is_plain(&format!("0{w}")) && w.starts_with('.') => {
                ("a digit is missing before the point", format!("write 0{w}"))
            }
            w if w.contains('=') => {
                let (_, value) = bare(&self.text[line_of(self.text, start)]).split_once('=').unwrap_or_default();
                (
                    "`{` is missing before these keys",
                    format!("keys inside of a value stand in braces: {{ {} }}", value.trim_end_matches('}').trim()),
                )
            }
            w if w.contains(';') => (
                "values are separated by commas",
                "rows and values are separated by commas: [[1, 2], [3, 4]]".to_owned(),
            ),
            w => {
                let inside = w.replace(['"', '\''], "");
                (
                    "text must be written in quotes",
                    format!("text, expressions and numbers with units are written in quotes: \"{inside}\""),
                )
            }
        };
        Err((place, message.to_owned(), help))
    }
}

/// What stood before, while a value is scanned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Last {
    /// `=`, or the bracket of a list.
    Opened,
    /// The brace of a table.
    Brace,
    Comma,
    Value,
    /// A text in quotes, from and to.
    Text((usize, usize)),
}

/// What an open text probably holds: up to what closes the list or table around it.
fn bare_open(rest: &str) -> &str {
    let rest = rest.split(" #").next().unwrap_or(rest);
    rest.trim_end_matches([']', '}', ',', ' ', '\t', '\r'])
}
