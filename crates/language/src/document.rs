//! From the text of a model, in one file or several, to one tree of tables with the place of every value; syntax errors in
//! the words of an engineer's file.
//!
//! **Must not be here:** knowledge of what a model file contains, or what a value means.

use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source};
use crate::include::merge;
use crate::key::Section;
use crate::quantity::Scope;
use crate::reader::{Input, Item, Table};
use crate::syntax::{self, DUPLICATE};

/// Deepest nesting of dotted keys. Arrays and inline tables are limited by the TOML parser.
const DEEPEST: usize = 100;

/// Most tables of a file: two million elements with their nodes.
const MOST_TABLES: usize = 4_000_000;

/// The TOML parser remembers each word of what it reads; a text larger than this, bytes, is read piece by piece.
const PIECE: usize = 4 << 20;

/// First place where dotted keys nest too deeply. The tree is dropped recursively, so this must be known
/// before it is built.
fn too_deep(text: &str) -> Option<Range<usize>> {
    let b = text.as_bytes();
    let (mut i, mut dots, mut start) = (0, 0, 0);
    while i < b.len() {
        match b[i] {
            b'#' => {
                i += b[i..].iter().position(|&c| c == b'\n').unwrap_or(b.len() - i);
                continue;
            }
            q @ (b'"' | b'\'') => {
                let long = b[i..].starts_with(&[q, q, q]);
                let mut j = i + if long { 3 } else { 1 };
                while j < b.len() {
                    if b[j] == b'\\' && q == b'"' {
                        j += 1;
                    } else if if long { b[j..].starts_with(&[q, q, q]) } else { b[j] == q || b[j] == b'\n' } {
                        break;
                    }
                    j += 1;
                }
                i = (j + if long { 3 } else { 1 }).min(b.len());
                continue;
            }
            b'.' => {
                if dots == 0 {
                    start = i;
                }
                dots += 1;
                if dots > DEEPEST {
                    return Some(start..i);
                }
            }
            c if c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b' ' | b'\t') || c >= 128 => {}
            _ => dots = 0,
        }
        i += 1;
    }
    None
}

/// A TOML file that could be read.
#[derive(Debug)]
pub struct Document<'a> {
    source: &'a Source,
    diags: &'a Diagnostics,
    root: DeTable<'a>,
}

impl<'a> Document<'a> {
    /// Reads the TOML of a source, with that of the files it includes. Syntax errors are reported, one per statement;
    /// `None` if the contents cannot be trusted. Keys given twice are reported, and the first one is kept.
    pub fn parse(source: &'a Source, diags: &'a Diagnostics) -> Option<Self> {
        let mut usable = true;
        let mut roots = Vec::new();
        for file in 0..source.count() {
            match file_root(source, file) {
                Ok((root, errors)) => {
                    usable &= report_syntax(source, diags, file, errors);
                    roots.push(Some(root));
                }
                Err(d) => {
                    diags.push(*d);
                    usable = false;
                }
            }
        }
        usable.then(|| Self { source, diags, root: merge(source, diags, &mut roots, 0) })
    }

    /// The table of the whole file, whose expressions can refer to a scope.
    pub fn root<'s>(&'s self, scope: &'s Scope, section: &'static Section) -> Table<'s> {
        let input = Input { source: self.source, diags: self.diags, scope };
        Table::new(input, &self.root, 0..0, String::new(), Some(section))
    }

    /// The same, to be changed.
    pub(crate) fn entries_mut(&mut self) -> &mut DeTable<'a> {
        &mut self.root
    }
}

/// The table of one file, and what is wrong with its syntax; an error where it cannot be read at all.
pub(crate) fn file_root(source: &Source, file: usize) -> Result<(DeTable<'_>, Vec<SyntaxError>), Box<Diagnostic>> {
    let range = source.range(file);
    let text = source.slice(range.clone());
    if let Some(span) = too_deep(text) {
        let span = span.start + range.start..span.end + range.start;
        let d = Diagnostic::error(format!("keys are nested more than {DEEPEST} levels deep"), span);
        return Err(Box::new(d.help("a model needs at most three levels, as in signal.quake.peak")));
    }
    // A table takes much more memory than its text: this must be known before it is read.
    let tables = text.bytes().zip(std::iter::once(b'\n').chain(text.bytes()));
    if tables.filter(|(c, before)| *c == b'{' || (*c == b'[' && *before == b'\n')).count() > MOST_TABLES {
        let d = Diagnostic::error(format!("the file has more than {MOST_TABLES} tables"), range.start..range.start);
        return Err(Box::new(d.help("write repeated parts once, with [part.NAME] and [[use]], or use a template")));
    }
    if let Some(root) = in_pieces(text, range.start, PIECE) {
        return Ok((root, Vec::new()));
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    let shifted = |span: Option<Range<usize>>| span.map_or(range.clone().start..range.start, |s| shift(s, range.start));
    let mut errors: Vec<_> = errors.iter().map(|e| (shifted(e.span()), e.message().to_owned())).collect();
    errors.sort_by_key(|e| e.0.start);
    let root = root.into_inner();
    Ok((if range.start == 0 { root } else { shift_table(root, range.start) }, errors))
}

/// The table of a long text at `start` of the source, read in pieces of so many bytes that begin with `[[node]]` or `[[element]]`; none of a
/// short one, and where the pieces do not make a whole: then the whole text must say what is wrong.
fn in_pieces(text: &str, start: usize, piece: usize) -> Option<DeTable<'_>> {
    // A list that is written with the key alone cannot go on with headers.
    let has_header = |key: Range<usize>| text[..key.start - start].ends_with("[[");
    let mut root = DeTable::new();
    let mut from = 0;
    while from < text.len() {
        let to = match text.get(from..).filter(|rest| rest.len() > piece) {
            None if from == 0 => return None,
            None => text.len(),
            Some(rest) => from + next_piece(rest, piece)?,
        };
        let (table, errors) = DeTable::parse_recoverable(&text[from..to]);
        if !errors.is_empty() {
            return None;
        }
        for (key, item) in shift_table(table.into_inner(), start + from) {
            let Some((first, _)) = root.get_key_value(key.get_ref().as_ref()) else {
                root.insert(key, item);
                continue;
            };
            let goes_on = has_header(first.span()) && has_header(key.span());
            match (root.get_mut(key.get_ref().as_ref()).map(toml::Spanned::get_mut), item.into_inner()) {
                (Some(DeValue::Array(all)), DeValue::Array(more)) if goes_on => {
                    more.into_iter().for_each(|item| all.push(item));
                }
                _ => return None,
            }
        }
        from = to;
    }
    Some(root)
}

/// Where the second piece of a text begins; none where texts of several lines could hold what looks like a header.
fn next_piece(text: &str, piece: usize) -> Option<usize> {
    let headers = ["\n[[node]]\n", "\n[[element]]\n"].map(str::as_bytes);
    let bytes = text.as_bytes();
    let begins = |i: &usize| bytes[*i] == b'\n' && headers.iter().any(|h| bytes[*i..].starts_with(h));
    let at = (piece..bytes.len()).find(begins).map_or(text.len(), |i| i + 1);
    (!["\"\"\"", "'''"].iter().any(|quotes| text[..at].contains(quotes))).then_some(at)
}

/// A place and a message of the TOML parser.
type SyntaxError = (Range<usize>, String);

fn shift(span: Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// The same table with all its places moved; the nesting is limited by the parser and by [`DEEPEST`].
fn shift_table(table: DeTable<'_>, by: usize) -> DeTable<'_> {
    let mut moved = DeTable::new();
    for (key, item) in table {
        let key = toml::Spanned::new(shift(key.span(), by), key.into_inner());
        moved.insert(key, shift_item(item, by));
    }
    moved
}

fn shift_item(item: Item<'_>, by: usize) -> Item<'_> {
    let span = shift(item.span(), by);
    let value = match item.into_inner() {
        DeValue::Table(t) => DeValue::Table(shift_table(t, by)),
        DeValue::Array(list) => {
            let mut moved = DeArray::new();
            list.into_iter().for_each(|i| moved.push(shift_item(i, by)));
            DeValue::Array(moved)
        }
        plain => plain,
    };
    toml::Spanned::new(span, value)
}

/// Reports syntax errors at their causes; returns whether the contents can be trusted all the same. Beside others, keys
/// that are given twice are consequences: of a header that could not be read, its keys fall to the table before.
fn report_syntax(source: &Source, diags: &Diagnostics, file: usize, errors: Vec<SyntaxError>) -> bool {
    let usable = errors.iter().all(|(_, message)| message == DUPLICATE);
    if usable {
        return errors.is_empty() || report_twice(source, diags, errors);
    }
    let range = source.range(file);
    for mistake in syntax::mistakes(source.slice(range.clone())) {
        let help = mistake.help.unwrap_or_else(|| {
            "a line is [section], [[section]], key = value, or a comment that starts with #".to_owned()
        });
        diags.push(Diagnostic::error(mistake.message, shift(mistake.span, range.start)).help(help));
    }
    false
}

/// Reports keys that are given twice; returns whether each is a mistake of its own. Several in a row, or a `type` or a
/// `name`, begin a table whose header is missing: that is told once, and what follows from it is not.
fn report_twice(source: &Source, diags: &Diagnostics, errors: Vec<SyntaxError>) -> bool {
    let line = |span: &Range<usize>| source.line_column(span.start).0;
    let key = |span: &Range<usize>| source.slice(span.clone());
    let (mut usable, mut last) = (true, 0);
    for (i, (span, _)) in errors.iter().enumerate() {
        let here = line(span);
        let begins =
            ["type", "name"].contains(&key(span)) || errors.get(i + 1).is_some_and(|(next, _)| line(next) == here + 1);
        let headless = begins && source.slice(source.line_range(span.start)).trim_start().starts_with(key(span));
        if last == here - 1 && !usable {
            last = here;
            continue;
        }
        let message = format!("`{}` is given twice", key(span));
        let help = match headless {
            true => "a header such as [[element]] or [[load]] is missing above this line; or keep one of the two",
            false => "keep one of the two",
        };
        diags.push(Diagnostic::error(message, span.clone()).help(help));
        if headless {
            (usable, last) = (false, here);
        }
    }
    usable
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text, and the same behind another file.
    fn pieces(text: &str) -> [Option<String>; 2] {
        let of = |start| in_pieces(text, start, 40).map(|table| format!("{table:?}"));
        [of(0), of(1000)]
    }

    #[test]
    fn pieces_of_a_text_are_the_whole_of_it() {
        let node = |i: usize| format!("[[node]]\nname = \"n{i}\"\nmass = {i}\n");
        let element = |i: usize| format!("[[element]]\nnodes = [\"n{i}\"]\n[element.tangent]\nk = 1\n");
        let both: String = (0..9).map(|i| node(i) + &element(i)).collect();
        let text = format!("title = \"x\"\n{both}[analysis]\ndt = 1\n");
        let whole = DeTable::parse(&text).expect("TOML").into_inner();
        let expected = [format!("{whole:?}"), format!("{:?}", shift_table(whole, 1000))];
        assert_eq!(pieces(&text), expected.map(Some));
        // Line ends that are not looked for make one piece.
        assert!(pieces(&text.replace('\n', "\r\n"))[0].is_some());
        for (wrong, why) in [
            (node(1), "too short for pieces"),
            (format!("{text}[analysis]\n"), "twice in one piece"),
            (format!("[analysis]\nx = 1\n{text}"), "twice in two"),
            (format!("node = [{{ name = \"long enough for a piece\" }}]\n{text}"), "a list that headers cannot go on"),
            (format!("{text}[[node]]\nname = \n"), "no value"),
            (format!("{text}{}[[node]]\n\"\"\"\n", "note = \"\"\"\n"), "a header in a text"),
        ] {
            assert_eq!(pieces(&wrong), [None, None], "{why}");
        }
    }
}
