//! Diagnostics: what is wrong in a model file, where, why, and what to write instead; all at once.
//!
//! **Must not be here:** knowledge of what a model file contains.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but probably not as meant.
    Warning,
}

impl Severity {
    /// "error" or "warning".
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, one line.
    pub message: String,
    /// Where, in bytes of the source; `None` for what stands on the command line instead.
    pub span: Option<Range<usize>>,
    /// Short text under the marked place; may be empty.
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Other places that matter, each with its text.
    pub secondary: Vec<(Range<usize>, String)>,
    /// Of what stands on the command line, the option as it was written; may be empty.
    pub option: String,
    /// Whether it follows from another mistake, beside which it is not told.
    pub follows: bool,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(message: impl Into<String>, span: Range<usize>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: String::new(),
            help: None,
            secondary: Vec::new(),
            option: String::new(),
            follows: false,
        }
    }

    /// A warning at a place.
    pub fn warning(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message, span) }
    }

    /// An error on the command line.
    pub fn unlocated(message: impl Into<String>) -> Self {
        Self { span: None, ..Self::error(message, 0..0) }
    }

    /// Moved from the file to an option of the command line, as it was written.
    pub fn at_option(self, option: impl Into<String>) -> Self {
        Self { span: None, option: option.into(), ..self }
    }

    /// The place of what stands on the command line.
    fn command_line(&self) -> String {
        if self.option.is_empty() { COMMAND_LINE.to_owned() } else { format!("{COMMAND_LINE}: {}", self.option) }
    }

    /// As a consequence of another mistake.
    pub fn following(self) -> Self {
        Self { follows: true, ..self }
    }

    /// With a text under the marked place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With a suggestion.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With a suggestion, if there is one.
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// With the place of the parameter that the marked value is taken from, if it is.
    pub fn of_parameter(self, definition: Option<Range<usize>>) -> Self {
        match definition {
            Some(place) => self.also(place, "its value is given here"),
            None => self,
        }
    }

    /// With another place.
    pub fn also(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.secondary.push((span, text.into()));
        self
    }
}

/// One file of a [`Source`].
#[derive(Clone, Debug)]
struct File {
    /// Name shown in messages.
    name: String,
    /// Path relative to the folder of the first file.
    path: String,
    /// Its bytes in the text of the source.
    range: Range<usize>,
}

/// The text of a model file and of the files it includes, with line and column lookup. All of them stand one behind the
/// other in one text, so that a place is one range of bytes.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the first file, as shown in messages.
    pub name: String,
    /// Whole text.
    pub text: String,
    /// Byte offsets at which the lines start.
    lines: Vec<usize>,
    files: Vec<File>,
}

impl Source {
    /// From a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut source = Self { name: name.into(), text: String::new(), lines: Vec::new(), files: Vec::new() };
        let name = source.name.clone();
        source.add(name, String::new(), text.into());
        source
    }

    /// Adds a file.
    pub(crate) fn add(&mut self, name: String, path: String, text: String) {
        if !self.files.is_empty() {
            // So that the end of one file is not the start of the next.
            self.text.push('\n');
        }
        let start = self.text.len();
        self.lines.push(start);
        self.lines.extend(text.bytes().enumerate().filter(|b| b.1 == b'\n').map(|b| start + b.0 + 1));
        if start == 0 {
            self.text = text
        } else {
            self.text.push_str(&text)
        }
        self.files.push(File { name, path, range: start..self.text.len() });
    }

    /// Number of files.
    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    /// The bytes of a file in the text.
    pub(crate) fn range(&self, file: usize) -> Range<usize> {
        self.files[file].range.clone()
    }

    /// Path of a file relative to the folder of the first one; empty for the first one.
    pub(crate) fn path(&self, file: usize) -> &str {
        &self.files[file].path
    }

    /// The file that a place is in.
    pub(crate) fn file_at(&self, offset: usize) -> usize {
        self.files.partition_point(|f| f.range.start <= offset).saturating_sub(1)
    }

    /// Name of the file that a place is in.
    pub fn name_at(&self, offset: usize) -> &str {
        &self.files[self.file_at(offset)].name
    }

    /// The offset moved back into the text and onto the start of a character.
    fn clamp(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// Line of a byte offset in the whole text, from 0.
    fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Line (from 1) in its file and column (from 1, in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.clamp(offset);
        let line = self.line_at(offset);
        let first = self.line_at(self.files[self.file_at(offset)].range.start);
        (line - first + 1, self.text[self.lines[line]..offset].chars().count() + 1)
    }

    /// Byte range of the line of a byte offset, without its end-of-line.
    pub fn line_range(&self, offset: usize) -> Range<usize> {
        let line = self.line_at(self.clamp(offset));
        let start = self.lines[line];
        let end = self.lines.get(line + 1).map_or(self.text.len(), |&next| next - 1);
        start..end.max(start)
    }

    /// The text of a span, empty where the span is not in the text.
    pub fn slice(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or("")
    }
}

/// A diagnostic with its position looked up, ready for JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Located {
    pub severity: &'static str,
    pub file: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub end_line: Option<usize>,
    pub end_column: Option<usize>,
    pub message: String,
    pub label: String,
    pub help: Option<String>,
}

/// Collector. Shared by reference among all readers of one file.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: RefCell<Vec<Diagnostic>>,
    /// Whether a table could not be told from another, so that names may be missing.
    headless: Cell<bool>,
}

/// Place of what does not stand in the file.
const COMMAND_LINE: &str = "command line";
/// Most messages that are shown with their lines; of the rest only the lines are told.
const SHOWN: usize = 10;
/// Most messages of one kind that are shown with their lines.
const SHOWN_OF_A_KIND: usize = 3;
/// Most lines that are told of messages that are not shown.
const LINES_TOLD: usize = 12;
/// Most messages about the same place.
const MOST_AT_ONE_PLACE: usize = 12;
/// Lines longer than this are not shown.
const LONG_LINE: usize = 4000;
/// Places further apart than this are shown as separate snippets.
const WINDOW: usize = 8000;

impl Diagnostics {
    /// Nothing found so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one; an exact repetition is dropped when reading.
    pub fn push(&self, diagnostic: Diagnostic) {
        self.list.borrow_mut().push(diagnostic);
    }

    /// Notes that a header is missing, and with it whatever its table declares.
    pub(crate) fn note_headless(&self) {
        self.headless.set(true);
    }

    /// Whether a header is missing.
    pub(crate) fn is_headless(&self) -> bool {
        self.headless.get()
    }

    /// Whether an error with these words was found.
    pub fn says(&self, words: &str) -> bool {
        self.list.borrow().iter().any(|d| d.severity == Severity::Error && d.message == words)
    }

    /// Number of errors.
    pub fn error_count(&self) -> usize {
        self.count(Severity::Error)
    }

    /// Number of warnings.
    pub fn warning_count(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.list.borrow().iter().filter(|d| d.severity == severity).count()
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.list.borrow().iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// All in the order of their places, those without place first, repetitions dropped. Of a block that stands for
    /// many nodes and elements only the first few findings are kept: the others are the same mistake. Consequences are
    /// left out beside causes.
    pub fn sorted(&self) -> Vec<Diagnostic> {
        let mut list = self.list.borrow().clone();
        if list.iter().any(|d| d.severity == Severity::Error && !d.follows) {
            list.retain(|d| !d.follows);
        }
        list.sort_by_key(|d| d.span.as_ref().map_or((0, 0), |s| (1 + s.start, s.end)));
        let mut kept: Vec<Diagnostic> = Vec::new();
        for d in list {
            let same_place = kept.iter().rev().take_while(|k| k.span == d.span && d.span.is_some());
            let repeated = kept.last() == Some(&d) || same_place.clone().any(|k| *k == d);
            if !repeated && same_place.count() < MOST_AT_ONE_PLACE {
                kept.push(d);
            }
        }
        kept
    }

    /// All with file, line and column, in order.
    pub fn located(&self, source: &Source) -> Vec<Located> {
        let place = |offset: Option<usize>| offset.map(|o| source.line_column(o)).unzip();
        let list = self.sorted().into_iter().map(|d| {
            let (line, column) = place(d.span.as_ref().map(|s| s.start));
            let (end_line, end_column) = place(d.span.as_ref().map(|s| s.end.max(s.start)));
            Located {
                severity: d.severity.name(),
                file: d.span.as_ref().map_or_else(|| d.command_line(), |s| source.name_at(s.start).to_owned()),
                line,
                column,
                end_line,
                end_column,
                message: d.message,
                label: d.label,
                help: d.help,
            }
        });
        list.collect()
    }

    /// All messages with the lines they speak of, then a line such as "3 errors, 1 warning in frame.toml".
    /// Empty if there is nothing to say.
    pub fn render(&self, source: &Source, color: bool) -> String {
        let list = self.sorted();
        if list.is_empty() {
            return String::new();
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        let (shown, kinds) = choose_shown(&list);
        for (d, _) in list.iter().zip(&shown).filter(|(_, shown)| **shown) {
            out.push_str(&renderer.render(&[group(d, source)]));
            out.push_str("\n\n");
        }
        out.push_str(&untold(source, &list, &shown, &kinds));
        let count = |severity, name: &str| match list.iter().filter(|d| d.severity == severity).count() {
            0 => None,
            1 => Some(format!("1 {name}")),
            n => Some(format!("{n} {name}s")),
        };
        let counts = [count(Severity::Error, "error"), count(Severity::Warning, "warning")];
        out.push_str(&format!("{} in {}\n", counts.into_iter().flatten().collect::<Vec<_>>().join(", "), source.name));
        out
    }
}

/// What a message is about: its words without names and numbers.
fn kind(d: &Diagnostic) -> String {
    let words = d.message.split('`').step_by(2).flat_map(|part| part.split(|c: char| c.is_ascii_digit()));
    format!("{}: {}", d.severity.name(), words.collect::<Vec<_>>().join("`"))
}

/// Which messages are shown with their lines: errors before warnings, a few of each kind, and a number that can be read.
/// Beside it the kind of each, as the number of the first of its kind.
fn choose_shown(list: &[Diagnostic]) -> (Vec<bool>, Vec<usize>) {
    let mut firsts: BTreeMap<String, usize> = BTreeMap::new();
    let kinds: Vec<usize> = list.iter().enumerate().map(|(i, d)| *firsts.entry(kind(d)).or_insert(i)).collect();
    let mut shown = vec![false; list.len()];
    let (mut total, mut of_kind) = (0, vec![0; list.len()]);
    // The same words again say nothing new.
    let again = |i: usize| kinds[i] != i && list[i].message == list[kinds[i]].message;
    for severity in [Severity::Error, Severity::Warning] {
        for (i, _) in list.iter().enumerate().filter(|(_, d)| d.severity == severity) {
            if total < SHOWN && of_kind[kinds[i]] < SHOWN_OF_A_KIND && !again(i) {
                shown[i] = true;
                total += 1;
                of_kind[kinds[i]] += 1;
            }
        }
    }
    (shown, kinds)
}

/// What is not shown, a line for each kind: how many, and where.
fn untold(source: &Source, list: &[Diagnostic], shown: &[bool], kinds: &[usize]) -> String {
    let mut out = String::new();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in (0..list.len()).filter(|&i| !shown[i]) {
        groups.entry(kinds[i]).or_default().push(i);
    }
    // A few are told one by one.
    if groups.values().map(Vec::len).sum::<usize>() <= LINES_TOLD {
        for &i in groups.values().flatten().filter(|&&i| list[i].message != list[kinds[i]].message || !shown[kinds[i]])
        {
            let (d, at) = (&list[i], list[i].span.as_ref().map_or(0, |s| s.start));
            let (line, column) = source.line_column(at);
            out.push_str(&format!("{}: {} at {}:{line}:{column}\n", d.severity.name(), d.message, source.name_at(at)));
        }
        groups.retain(|first, hidden| {
            hidden.retain(|&i| list[i].message == list[*first].message && shown[*first]);
            !hidden.is_empty()
        });
    }
    let count = groups.len();
    for (first, hidden) in groups.into_iter().take(SHOWN) {
        let Some(&one) = hidden.first() else { continue };
        let lines = hidden.iter().filter_map(|&i| list[i].span.as_ref()).map(|s| source.line_column(s.start).0);
        let mut lines: Vec<usize> = lines.collect();
        lines.dedup();
        let told: Vec<String> = lines.iter().take(LINES_TOLD).map(usize::to_string).collect();
        let dots = if lines.len() > LINES_TOLD { ", ..." } else { "" };
        let place = match told.len() {
            0 => String::new(),
            1 => format!(" at line {}", told[0]),
            _ => format!(" at lines {}{dots}", told.join(", ")),
        };
        let more = match shown[first] {
            true if list[one].message == list[first].message => {
                format!("and the same {} more times{place}", hidden.len())
            }
            true => format!("and {} more of the same kind{place}: {}", hidden.len(), list[one].message),
            false if hidden.len() == 1 => format!("{}{place}: {}", list[one].severity.name(), list[one].message),
            false => format!("{} {}s{place}: {}", hidden.len(), list[one].severity.name(), list[one].message),
        };
        out.push_str(&more);
        out.push('\n');
    }
    if count > SHOWN {
        out.push_str("... and other kinds\n");
    }
    if out.is_empty() { out } else { out + "\n" }
}

/// One diagnostic for the renderer. Only the lines around the marked places are handed over, so that the
/// cost does not depend on the size of the file.
fn group<'a>(d: &'a Diagnostic, source: &'a Source) -> Group<'a> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&d.message));
    if let Some(span) = &d.span {
        let marks = std::iter::once((AnnotationKind::Primary, span.clone(), d.label.as_str()))
            .chain(d.secondary.iter().map(|(s, text)| (AnnotationKind::Context, s.clone(), text.as_str())));
        let mut windows: Vec<(Range<usize>, Vec<_>)> = Vec::new();
        for (kind, span, label) in marks {
            let start = source.clamp(span.start);
            let end = source.clamp(span.end.max(start));
            let shown = source.line_range(start).start..source.line_range(end).end;
            let near = |first: &Range<usize>| {
                first.end.max(shown.end) - first.start.min(shown.start) < WINDOW
                    && source.file_at(first.start) == source.file_at(start)
            };
            match windows.first_mut() {
                Some((first, marks)) if near(first) => {
                    *first = first.start.min(shown.start)..first.end.max(shown.end);
                    marks.push((kind, start..end, label));
                }
                _ => windows.push((shown, vec![(kind, start..end, label)])),
            }
        }
        for (window, marks) in windows {
            if window.len() > LONG_LINE && marks.len() == 1 {
                let (line, column) = source.line_column(marks[0].1.start);
                group = group.element(Origin::path(source.name_at(window.start)).line(line).char_column(column));
                continue;
            }
            let snippet: Snippet<'a, _> = Snippet::source(Cow::Borrowed(&source.text[window.clone()]))
                .path(source.name_at(window.start))
                .line_start(source.line_column(window.start).0);
            group = group.element(snippet.annotations(marks.into_iter().map(|(kind, span, label)| {
                let span = span.start - window.start..span.end - window.start;
                kind.span(span).label(if label.is_empty() { None } else { Some(label) })
            })));
        }
    } else {
        group = group.element(Origin::path(d.command_line()));
    }
    match &d.help {
        Some(help) => group.element(Level::HELP.message(help)),
        None => group,
    }
}

/// The candidate nearest to a misspelt name, if one is near enough.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    let n = name.chars().count();
    if n > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    let allowed = if n <= 2 { n - n.min(1) } else { 1 + n / 4 };
    let mut best: Option<((usize, usize), &str)> = None;
    for c in candidates {
        // Names are as far apart as they differ in length, at least.
        if c.len() > 2 * LONGEST || (c.is_ascii() && name.is_ascii() && c.len().abs_diff(n) > allowed) {
            continue;
        }
        let folded = strsim::damerau_levenshtein(&lower, &c.to_lowercase());
        // At equal distance the one whose letter case agrees better, then the first one.
        let key = (folded, strsim::damerau_levenshtein(name, c));
        if folded <= allowed && best.is_none_or(|(b, _)| key < b) {
            best = Some((key, c));
        }
    }
    best.map(|b| b.1)
}

/// "did you mean `x`?" for [`suggest`].
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    suggest(name, candidates).map(|c| format!("did you mean `{c}`?"))
}
