//! Models in several files: finding what a file includes, and joining the tables of all files into one.
//!
//! A model with the files it includes can be kept in one text, a [`bundle`]: the first file, then each other one behind
//! a line `#@file PATH`. [`gather`] reads such a text without looking for the files.
//!
//! **Must not be here:** file access, knowledge of what tables mean beyond which of them can be joined.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source};
use crate::document::file_root;
use crate::parse::Files;
use crate::reader::Item;

/// Start of the line in front of a file in a bundle.
const MARK: &str = "#@file ";

/// Most bytes of a model with all files it includes.
pub const MOST_BYTES: usize = 512 << 20;

/// Most files of a model: more is a mistake.
const MOST_FILES: usize = 1000;

/// Tables whose keys may stand in several files.
const JOINED: [&str; 4] = ["parameters", "section", "part", "signal"];

/// A model file with all files it includes. What cannot be included is reported.
pub fn gather(name: &str, text: &str, files: Files<'_>, diags: &Diagnostics) -> Source {
    let mut parts = parts(text);
    let first = parts.swap_remove(0).1;
    let mut gathering = Gathering {
        source: Source::new(name, first),
        bundled: parts.into_iter().collect(),
        files,
        diags,
        chain: vec![Path::new(name).file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())],
    };
    gathering.visit(0);
    gathering.source
}

/// The files of a [`bundle`], each with its path; that of the first is empty.
pub fn parts(text: &str) -> Vec<(String, String)> {
    text.split_inclusive('\n').fold(vec![(String::new(), String::new())], |mut parts, line| {
        match (line.strip_prefix(MARK), parts.last_mut()) {
            (Some(path), _) => parts.push((path.trim().to_owned(), String::new())),
            (None, Some(last)) => last.1.push_str(line),
            (None, None) => {}
        }
        parts
    })
}

/// All files of a model in one text that [`gather`] reads.
pub fn bundle(source: &Source) -> Cow<'_, str> {
    if source.count() == 1 {
        return Cow::Borrowed(&source.text);
    }
    let mut text = String::new();
    for file in 0..source.count() {
        if file > 0 {
            text.push_str(&format!("{MARK}{}\n", source.path(file)));
        }
        text.push_str(source.slice(source.range(file)));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    Cow::Owned(text)
}

/// A path named in a file, as seen from the first file, without detours.
pub(crate) fn resolve(source: &Source, place: usize, path: &str) -> String {
    let from = source.path(source.file_at(place));
    let folder = from.rsplit_once('/').map_or("", |f| f.0);
    if folder.is_empty() || Path::new(path).is_absolute() {
        straight(path)
    } else {
        straight(&format!("{folder}/{path}"))
    }
}

fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|p| !matches!(*p, ".." | "")) => drop(parts.pop()),
            // A leading empty part makes the path absolute.
            "" if !parts.is_empty() => {}
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// Files found so far.
struct Gathering<'a> {
    source: Source,
    /// Files that came with the text.
    bundled: BTreeMap<String, String>,
    files: Files<'a>,
    diags: &'a Diagnostics,
    /// The first file and those that lead to the one at hand.
    chain: Vec<String>,
}

impl Gathering<'_> {
    fn visit(&mut self, file: usize) {
        for (path, span) in self.includes(file) {
            if let Err((message, help)) = self.include(&path, span.start) {
                self.diags.push(Diagnostic::error(message, span).help(help));
            }
        }
    }

    /// What a file includes: paths and their places.
    fn includes(&self, file: usize) -> Vec<(String, Range<usize>)> {
        if !self.source.slice(self.source.range(file)).contains("include") {
            return Vec::new();
        }
        let Ok((root, _)) = file_root(&self.source, file) else { return Vec::new() };
        let wrong = |item: &Item<'_>| {
            let d = Diagnostic::error("`include` is a list of paths", item.span());
            self.diags.push(d.help("write include = [\"sections.toml\"]"));
            None
        };
        let path = |item: &Item<'_>| match item.get_ref() {
            DeValue::String(s) => Some((s.to_string(), item.span())),
            _ => wrong(item),
        };
        match root.get("include").map(|item| (item, item.get_ref())) {
            None => Vec::new(),
            Some((_, DeValue::Array(list))) => list.iter().filter_map(path).collect(),
            Some((item, _)) => path(item).into_iter().collect(),
        }
    }

    fn include(&mut self, written: &str, place: usize) -> Result<(), (String, String)> {
        let path = resolve(&self.source, place, written);
        let refuse = |message: String, help: &str| Err((message, help.to_owned()));
        if self.chain.contains(&path) {
            let circle = self.chain.iter().skip_while(|c| **c != path).chain([&path]).cloned().collect::<Vec<_>>();
            let message = format!("the files include each other in a circle: {}", circle.join(" -> "));
            return refuse(message, "remove one of these includes");
        }
        if (1..self.source.count()).any(|f| self.source.path(f) == path) {
            return refuse(
                format!("`{written}` is included twice"),
                "include it once: its tables apply to the whole model",
            );
        }
        if self.source.count() >= MOST_FILES {
            return refuse(format!("a model has at most {MOST_FILES} files"), "join some of them");
        }
        let text = match self.bundled.remove(&path) {
            Some(text) => text,
            None => {
                let bytes = (self.files)(&path).map_err(|e| {
                    (format!("`{written}` {e}"), "the path is relative to the file that includes it".to_owned())
                })?;
                let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes);
                String::from_utf8(bytes).map_err(|e| {
                    let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
                    let message = format!("`{written}` is not a text file: line {line} is not UTF-8");
                    (message, "an included file is a text file (TOML)".to_owned())
                })?
            }
        };
        if self.source.text.len() + text.len() > MOST_BYTES {
            let message = format!("with `{written}` the model has more than {} MB", MOST_BYTES >> 20);
            return refuse(message, "write repeated parts once, with [part.NAME] and [[use]], or use a template");
        }
        let name = Path::new(&self.source.name).with_file_name(&path).display().to_string();
        self.source.add(name, path.clone(), text);
        self.chain.push(path);
        self.visit(self.source.count() - 1);
        self.chain.pop();
        Ok(())
    }
}

/// The tables of a file and of those it includes as one; `roots` are those of the single files.
pub(crate) fn merge<'a>(
    source: &Source,
    diags: &Diagnostics,
    roots: &mut [Option<DeTable<'a>>],
    file: usize,
) -> DeTable<'a> {
    let mut own = roots[file].take().unwrap_or_default();
    let Some(include) = own.remove("include") else { return own };
    let paths: Vec<String> = match include.get_ref() {
        DeValue::Array(list) => list.iter().filter_map(|i| Some(i.get_ref().as_str()?.to_owned())).collect(),
        other => other.as_str().map(str::to_owned).into_iter().collect(),
    };
    let mut all = DeTable::new();
    for path in paths {
        let path = resolve(source, source.range(file).start, &path);
        // One that is not there has been reported, one that has been taken was included twice.
        if let Some(i) = (1..source.count()).find(|&i| source.path(i) == path && roots[i].is_some()) {
            let included = merge(source, diags, roots, i);
            join(diags, &mut all, included, false);
        }
    }
    join(diags, &mut all, own, true);
    all
}

/// Adds the tables of a file; `over` says that it includes those that are there, so that its parameters win.
fn join<'a>(diags: &Diagnostics, all: &mut DeTable<'a>, more: DeTable<'a>, over: bool) {
    for (key, item) in more {
        let Some((first_key, mut first)) = all.remove_entry(key.get_ref().as_ref()) else {
            all.insert(key, item);
            continue;
        };
        let name = key.get_ref().to_string();
        let item_span = item.span();
        match (first.get_mut(), item.into_inner()) {
            (DeValue::Array(list), DeValue::Array(more)) if name != "dofs" => {
                more.into_iter().for_each(|i| list.push(i))
            }
            (DeValue::Table(table), DeValue::Table(more)) if JOINED.contains(&name.as_str()) => {
                for (inner, value) in more {
                    match table.get_key_value(inner.get_ref().as_ref()).map(|e| e.0.span()) {
                        Some(before) if !(over && name == "parameters") => {
                            let message = format!("`{name}.{}` is given in two files", inner.get_ref());
                            let d = Diagnostic::error(message, inner.span()).also(before, "first given here");
                            diags.push(d.help("keep one of the two, or give them different names"));
                        }
                        _ => drop(table.insert(inner, value)),
                    }
                }
            }
            (a, b) if matches!(name.as_str(), "dofs" | "units") && same(a, &b) => {}
            _ => {
                let place = if key.span().is_empty() { item_span } else { key.span() };
                let d = Diagnostic::error(format!("`{name}` is given in two files"), place);
                diags.push(d.also(first_key.span(), "first given here").help(
                    "a model needs it once only: keep one of the \
                        two",
                ));
            }
        }
        all.insert(first_key, first);
    }
}

/// Whether two values say the same.
fn same(a: &DeValue<'_>, b: &DeValue<'_>) -> bool {
    match (a, b) {
        (DeValue::String(a), DeValue::String(b)) => a == b,
        (DeValue::Array(a), DeValue::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a.get_ref(), b.get_ref()))
        }
        (DeValue::Table(a), DeValue::Table(b)) => {
            a.len() == b.len()
                && a.iter().all(|(k, v)| b.get(k.get_ref().as_ref()).is_some_and(|w| same(v.get_ref(), w.get_ref())))
        }
        _ => false,
    }
}
