//! Canonical form of a model file: spaces, blank lines and line breaks; comments, order and values stay as they are.
//!
//! The text is taken apart into tokens by the lexer that also reads models, and put together again. Only white space and
//! commas behind last items of lists are ever added or removed, so that the meaning cannot change.
//! **Must not be here:** what a model file contains.

use toml_parser::Source as Tokens;
use toml_parser::lexer::TokenKind;

/// Longest line, in characters, if it can be broken.
const WIDTH: usize = 100;
/// Indentation of the items of a broken list.
const INDENT: &str = "    ";

/// A token that is not white space.
type Token<'t> = (TokenKind, &'t str);

/// Part of a value, with the comments that stand before it and behind it.
struct Item<'t> {
    /// Comments on lines of their own before it.
    before: Vec<&'t str>,
    key: String,
    value: Value<'t>,
    /// Comment on its own line behind it.
    behind: Option<&'t str>,
}

/// A value.
enum Value<'t> {
    /// Anything that is not a list or a table.
    Plain(String),
    /// `[ ]` or `{ }`.
    #[allow(missing_docs)]
    Group { open: &'t str, close: &'t str, items: Vec<Item<'t>>, after: Vec<&'t str>, broken: bool },
}

/// The text of a valid TOML file in canonical form. For a text that is not valid TOML the result means nothing: have it
/// parsed first.
pub fn format(text: &str) -> String {
    let tokens = Tokens::new(text);
    let tokens: Vec<Token<'_>> = tokens
        .lex()
        .filter(|t| !matches!(t.kind(), TokenKind::Whitespace | TokenKind::Eof))
        .filter_map(|t| Some((t.kind(), text.get(t.span().start()..t.span().end())?)))
        .collect();
    let mut reader = Reader { tokens: &tokens, next: 0 };
    let mut lines: Vec<Line> = Vec::new();
    while let Some(line) = reader.line() {
        lines.push(line);
    }
    write(&lines)
}

/// A line of the file, or several where a value is broken.
struct Line {
    kind: Kind,
    text: String,
    /// Comment behind it.
    behind: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Comment,
    Header,
    Entry,
}

struct Reader<'a, 't> {
    tokens: &'a [Token<'t>],
    next: usize,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    fn take(&mut self) -> Option<Token<'t>> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn take_if(&mut self, kind: TokenKind) -> Option<&'t str> {
        self.peek().filter(|t| t.0 == kind).map(|t| {
            self.next += 1;
            t.1
        })
    }

    /// The next line; `None` at the end of the file.
    fn line(&mut self) -> Option<Line> {
        let (first, text) = self.peek()?;
        let (kind, text) = match first {
            TokenKind::Newline => (Kind::Blank, String::new()),
            TokenKind::Comment => {
                self.next += 1;
                (Kind::Comment, text.trim_end().to_owned())
            }
            TokenKind::LeftSquareBracket => {
                let mut header = String::new();
                while let Some((kind, part)) = self.peek()
                    && !matches!(kind, TokenKind::Newline | TokenKind::Comment)
                {
                    header += part;
                    self.next += 1;
                }
                (Kind::Header, header)
            }
            _ => {
                let key = self.key();
                self.next += 1; // the equals sign
                let value = self.value();
                let start = format!("{key} = ");
                let text = start.clone() + &value.written("", start.chars().count());
                (Kind::Entry, text)
            }
        };
        let behind = match kind {
            Kind::Comment | Kind::Blank => String::new(),
            _ => self.take_if(TokenKind::Comment).unwrap_or("").trim_end().to_owned(),
        };
        self.take_if(TokenKind::Newline);
        Some(Line { kind, text, behind })
    }

    /// Everything up to the equals sign: a key, perhaps dotted.
    fn key(&mut self) -> String {
        let mut key = String::new();
        while let Some((kind, part)) = self.peek()
            && !matches!(kind, TokenKind::Equals | TokenKind::Newline)
        {
            key += part;
            self.next += 1;
        }
        key
    }

    fn value(&mut self) -> Value<'t> {
        let (close, ends) = match self.peek() {
            Some((TokenKind::LeftSquareBracket, _)) => ("]", TokenKind::RightSquareBracket),
            Some((TokenKind::LeftCurlyBracket, _)) => ("}", TokenKind::RightCurlyBracket),
            _ => return self.plain(),
        };
        let open = self.take().map_or("", |t| t.1);
        let (mut items, mut broken) = (Vec::<Item<'t>>::new(), false);
        loop {
            let (before, newline) = self.between(&mut items);
            broken |= newline;
            match self.peek() {
                Some((kind, _)) if kind != ends => {
                    let key = if open == "{" { self.inline_key() } else { String::new() };
                    let value = self.value();
                    items.push(Item { before, key, value, behind: None });
                }
                _ => {
                    self.next += 1;
                    return Value::Group { open, close, items, after: before, broken };
                }
            }
        }
    }

    fn inline_key(&mut self) -> String {
        let key = self.key();
        self.next += 1; // the equals sign
        format!("{key} = ")
    }

    /// What stands between two items: commas, line breaks and comments. A comment on the line of an item belongs to it.
    fn between(&mut self, items: &mut [Item<'t>]) -> (Vec<&'t str>, bool) {
        let (mut before, mut newlines, mut broken) = (Vec::new(), 0, false);
        while let Some((kind, text)) = self.peek() {
            match kind {
                TokenKind::Comma => {}
                TokenKind::Newline => {
                    newlines += 1;
                    broken = true;
                }
                TokenKind::Comment => {
                    broken = true;
                    let last = items.last_mut().filter(|l| newlines == 0 && l.behind.is_none());
                    match last {
                        Some(item) => item.behind = Some(text.trim_end()),
                        None => before.push(text.trim_end()),
                    }
                }
                _ => break,
            }
            self.next += 1;
        }
        (before, broken)
    }

    /// A number, text, date or truth: tokens up to what ends a value.
    fn plain(&mut self) -> Value<'t> {
        let mut text = String::new();
        while let Some((kind, part)) = self.peek() {
            match kind {
                TokenKind::Comma
                | TokenKind::Newline
                | TokenKind::Comment
                | TokenKind::RightSquareBracket
                | TokenKind::RightCurlyBracket => break,
                // A date and a time may be separated by a blank.
                TokenKind::Atom if text.ends_with(|c: char| c.is_ascii_digit()) && !part.starts_with(['.', ':']) => {
                    text += " ";
                    text += part;
                }
                _ => text += part,
            }
            self.next += 1;
        }
        Value::Plain(text)
    }
}

impl Item<'_> {
    fn has_comments(&self) -> bool {
        !self.before.is_empty() || self.behind.is_some() || self.value.has_comments()
    }
}

impl Value<'_> {
    fn has_comments(&self) -> bool {
        match self {
            Value::Plain(_) => false,
            Value::Group { items, after, .. } => !after.is_empty() || items.iter().any(Item::has_comments),
        }
    }

    fn is_group(&self) -> bool {
        matches!(self, Value::Group { .. })
    }

    /// On one line.
    fn flat(&self) -> String {
        match self {
            Value::Plain(text) => text.clone(),
            Value::Group { open, close, items, .. } => {
                let items: Vec<String> = items.iter().map(|i| i.key.clone() + &i.value.flat()).collect();
                let pad = if *open == "{" && !items.is_empty() { " " } else { "" };
                format!("{open}{pad}{}{pad}{close}", items.join(", "))
            }
        }
    }

    /// As it is written behind `column` characters, on lines indented by `indent`.
    fn written(&self, indent: &str, column: usize) -> String {
        let Value::Group { open, close, items, after, broken } = self else { return self.flat() };
        let flat = self.flat();
        let fits = column + flat.chars().count() <= WIDTH && !flat.contains('\n');
        // A list of lists or tables that was written in rows stays in rows: a matrix, the nodes of a frame.
        let rows = *broken && items.iter().any(|i| i.value.is_group());
        // A table in braces that was on one line stays there: older readers of TOML know it no other way.
        if !self.has_comments() && (fits && !rows || *open == "{" && !broken) {
            return flat;
        }
        let inner = format!("{indent}{INDENT}");
        let mut out = format!("{open}\n");
        let fill = !self.has_comments() && *open == "[" && !items.iter().any(|i| i.value.is_group());
        let mut line = String::new();
        for item in items {
            item.before.iter().for_each(|c| out += &format!("{inner}{c}\n"));
            let text = item.key.clone() + &item.value.written(&inner, inner.len() + item.key.chars().count()) + ",";
            if fill {
                let room = inner.len() + line.chars().count() + 1 + text.chars().count() <= WIDTH;
                if !line.is_empty() && !room {
                    out += &format!("{inner}{line}\n");
                    line.clear();
                }
                line += if line.is_empty() { "" } else { " " };
                line += &text;
                continue;
            }
            let behind = item.behind.map_or_else(String::new, |c| format!("  {c}"));
            out += &format!("{inner}{text}{behind}\n");
        }
        if !line.is_empty() {
            out += &format!("{inner}{line}\n");
        }
        after.iter().for_each(|c| out += &format!("{inner}{c}\n"));
        out + indent + close
    }
}

/// Puts lines together: one blank line before a header (and the comments above it), never two; comments behind
/// neighbouring lines stand in one column.
fn write(lines: &[Line]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut i = 0;
    while let Some(line) = lines.get(i) {
        match line.kind {
            Kind::Blank => {
                if out.last().is_some_and(|l| !l.is_empty()) {
                    out.push(String::new());
                }
                i += 1;
            }
            Kind::Comment => {
                // The comments above a header belong to it, if nothing separates them.
                let end = lines[i..].iter().position(|l| l.kind != Kind::Comment).map_or(lines.len(), |n| i + n);
                let heads = lines.get(end).is_some_and(|l| l.kind == Kind::Header);
                let follows = i > 0 && lines[i - 1].kind == Kind::Entry;
                if heads && follows {
                    out.push(String::new());
                }
                out.extend(lines[i..end].iter().map(|l| l.text.clone()));
                i = end;
            }
            Kind::Header => {
                let above = out.last().is_some_and(|l| !l.is_empty() && !l.starts_with('#'));
                if above {
                    out.push(String::new());
                }
                out.push(with_comment(line, 0));
                i += 1;
            }
            Kind::Entry => {
                let commented = |l: &&Line| l.kind == Kind::Entry && !l.behind.is_empty() && !l.text.contains('\n');
                let block: Vec<&Line> = lines[i..].iter().take_while(commented).collect();
                let column = block.iter().map(|l| l.text.chars().count()).max().unwrap_or(0);
                if block.is_empty() {
                    out.push(with_comment(line, 0));
                    i += 1;
                } else {
                    out.extend(block.iter().map(|l| with_comment(l, column)));
                    i += block.len();
                }
            }
        }
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    if out.is_empty() { String::new() } else { out.join("\n") + "\n" }
}

/// A line with the comment behind it, two blanks after `column` or after its end.
fn with_comment(line: &Line, column: usize) -> String {
    if line.behind.is_empty() {
        return line.text.clone();
    }
    let fill = " ".repeat(column.saturating_sub(line.text.chars().count()) + 2);
    format!("{}{fill}{}", line.text, line.behind)
}
