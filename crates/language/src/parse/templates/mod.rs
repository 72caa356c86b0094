//! Short blocks written out: templates (`[[plane-frame]]`, ...), repeated parts (`[part.NAME]`, `[[use]]`) and shared
//! keys (`[section.NAME]`) become the `[[node]]`, `[[element]]` and `[[load]]` tables that they stand for, each at the
//! place of its block. What follows reads these tables like any others.
//!
//! **Must not be here:** what nodes and elements mean. A template copies values; only lengths and counts are read here.

mod block;
mod chain;
mod parts;
mod plane_frame;
mod sections;
mod shear_building;
mod space_frame;
mod substitute;
mod viaduct;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source};
use crate::key::*;
use crate::parse::{ELEMENT, LOAD, NODE};
use crate::quantity::Scope;
use crate::reader::{Input, Item, Table};
use block::Block;
pub(crate) use sections::SECTIONED;

/// Most nodes, elements and loads that the blocks of a model may stand for.
pub(super) const MOST_TABLES: u64 = 2_000_000;

/// Most bytes of the tables that are copied from parts, roughly.
const MOST_BYTES: u64 = 1 << 30;

/// Parts within parts, at most.
const DEEPEST: usize = 8;

/// What writes out the blocks of one kind.
type Template = for<'a> fn(&Block<'_, 'a>, &mut Body<'a>) -> Option<()>;

section! {
    /// Keys of the file that declare what blocks use, and hold blocks; parts hold blocks too.
    pub(super) [BLOCKS];
    SECTION: Inner = table("section", &sections::SECTIONS, "Keys that several elements share, by name.")
        .example("{ steel = { E = \"210 GPa\" } }");
    PART: Inner = table("part", &parts::PARTS, "Groups of tables that are written once and used many times.").example("{ pier = { } }");
    USE: Tables = tables("use", &parts::USES, "Uses of parts.").example("[{ part = \"pier\", name = \"pier1\" }]");
    SHEAR_BUILDING: Tables = tables("shear-building", &shear_building::SHEAR_BUILDING, "Shear buildings: one mass per \
        storey.")
        .example("[{ storeys = 5, mass = \"20 t\", k = \"30 kN/mm\" }]");
    CHAIN: Tables = tables("chain", &chain::CHAIN, "Masses in a row, connected by springs.")
        .example("[{ masses = 4, mass = \"1 t\", k = \"100 kN/m\" }]");
    PLANE_FRAME: Tables = tables("plane-frame", &plane_frame::PLANE_FRAME, "Frames of columns and beams in a plane.")
        .example("[{ bays = [\"6 m\"], storeys = [\"3 m\"], column = \"steel\", beam = \"steel\" }]");
    SPACE_FRAME: Tables = tables("space-frame", &space_frame::SPACE_FRAME, "Frames in space.")
        .example("[{ bays_x = [\"6 m\"], bays_y = [\"5 m\"], storeys = [\"3 m\"], column = \"steel\", beam = \"steel\" }]");
    VIADUCT: Tables = tables("viaduct", &viaduct::VIADUCT, "Decks on piers.")
        .example("[{ spans = [\"20 m\", \"20 m\"], deck = \"box\", pier = \"shaft\", heights = \"8 m\" }]");
}

/// Kinds of blocks, and who writes them out; that of parts goes deeper.
const KINDS: [(Key<Tables>, Option<Template>); 6] = [
    (SHEAR_BUILDING, Some(shear_building::write)),
    (CHAIN, Some(chain::write)),
    (PLANE_FRAME, Some(plane_frame::write)),
    (SPACE_FRAME, Some(space_frame::write)),
    (VIADUCT, Some(viaduct::write)),
    (USE, None),
];

/// Lists of tables that blocks stand for.
const LISTS: [&str; 3] = [NODE.name, ELEMENT.name, LOAD.name];

/// Nodes, elements and loads, as tables of a model file.
#[derive(Debug, Default)]
struct Body<'a> {
    lists: [Vec<Item<'a>>; 3],
}

impl<'a> Body<'a> {
    fn node(&mut self, node: Made<'a>) {
        self.lists[0].push(node.item());
    }

    fn element(&mut self, element: Made<'a>) {
        self.lists[1].push(element.item());
    }
}

/// A table that is being made; everything in it has the place of what it was made from.
struct Made<'a> {
    entries: DeTable<'a>,
    span: Range<usize>,
}

impl<'a> Made<'a> {
    /// A table with a name.
    fn new(name: String, span: Range<usize>) -> Self {
        Self { entries: DeTable::new(), span }.text("name", name)
    }

    /// With a value, in place of any that is there.
    fn with(mut self, key: &'static str, item: Item<'a>) -> Self {
        self.entries.insert(toml::Spanned::new(item.span(), key.into()), item);
        self
    }

    /// With a value, if there is one.
    fn maybe(self, key: &'static str, item: Option<Item<'a>>) -> Self {
        match item {
            Some(item) => self.with(key, item),
            None => self,
        }
    }

    fn text(self, key: &'static str, text: impl Into<String>) -> Self {
        let item = text_item(text.into(), &self.span);
        self.with(key, item)
    }

    fn texts<S: Into<String>>(self, key: &'static str, texts: impl IntoIterator<Item = S>) -> Self {
        let item = texts_item(texts, &self.span);
        self.with(key, item)
    }

    /// With a position in metres.
    fn at(self, at: &[f64]) -> Self {
        self.texts("at", at.iter().map(|x| format!("{x:?} m")))
    }

    /// With keys of another table that are not there yet.
    fn and(mut self, more: DeTable<'a>) -> Self {
        for (key, item) in more {
            if !self.entries.contains_key(key.get_ref().as_ref()) {
                self.entries.insert(key, item);
            }
        }
        self
    }

    fn item(self) -> Item<'a> {
        toml::Spanned::new(self.span, DeValue::Table(self.entries))
    }
}

fn text_item<'a>(text: String, span: &Range<usize>) -> Item<'a> {
    toml::Spanned::new(span.clone(), DeValue::String(text.into()))
}

fn texts_item<'a, S: Into<String>>(texts: impl IntoIterator<Item = S>, span: &Range<usize>) -> Item<'a> {
    let mut list = DeArray::new();
    texts.into_iter().for_each(|t| list.push(text_item(t.into(), span)));
    toml::Spanned::new(span.clone(), DeValue::Array(list))
}

/// What all blocks of a model share.
struct Expansion<'t, 'a> {
    source: &'t Source,
    diags: &'t Diagnostics,
    /// `[part.NAME]`.
    parts: DeTable<'a>,
    /// `[section.NAME]`, with its derived keys.
    sections: DeTable<'a>,
    used_parts: RefCell<BTreeSet<String>>,
    used_sections: RefCell<BTreeSet<String>>,
    tables: Cell<u64>,
    bytes: Cell<u64>,
}

impl<'a> Expansion<'_, 'a> {
    /// A table of the model or of a part, of which expressions can refer to a scope.
    fn table<'s>(
        &'s self,
        entries: &'s DeTable<'s>,
        scope: &'s Scope,
        span: Range<usize>,
        path: String,
        section: Option<&'static Section>,
    ) -> Table<'s> {
        Table::new(Input { source: self.source, diags: self.diags, scope }, entries, span, path, section)
    }

    /// Takes so many tables, and so many bytes for copies, of what a model may have; reports it if that is too much.
    fn claim(&self, tables: u64, bytes: u64, span: &Range<usize>) -> Option<()> {
        self.tables.set(self.tables.get().saturating_add(tables));
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        if self.tables.get() > MOST_TABLES || self.bytes.get() > MOST_BYTES {
            let message = format!("this makes the model too large: it may have {MOST_TABLES} nodes and elements");
            let d = Diagnostic::error(message, span.clone());
            self.diags.push(d.help("check the counts: one may be a length, or have too many zeros"));
            return None;
        }
        Some(())
    }

    /// Writes out the blocks among `entries`, in their order.
    fn write_out(&self, entries: &DeTable<'a>, scope: &Scope, depth: usize, body: &mut Body<'a>) {
        let mut blocks = Vec::new();
        for (key, write) in KINDS {
            if let Some(DeValue::Array(list)) = entries.get(key.name).map(|i| i.get_ref()) {
                blocks.extend(list.iter().map(|item| (item.span().start, key, write, item)));
            }
        }
        blocks.sort_by_key(|b| b.0);
        for (_, key, write, item) in blocks {
            let DeValue::Table(table) = item.get_ref() else { continue };
            if self.tables.get() > MOST_TABLES {
                // Reported; more of it would take for ever.
                return;
            }
            let block = Block::new(self, table, scope, item.span(), &key);
            let done = match write {
                Some(write) => write(&block, body),
                None => parts::instantiate(&block, depth, body),
            };
            if done.is_none() {
                // What is wrong has been reported; keys that were not reached are still good ones.
                block.know(key.kind.section);
            }
            block.finish();
        }
    }

    /// Reports what is not a list of tables, so that it is not passed over in silence.
    fn check_lists(&self, table: &Table<'_>) {
        KINDS.iter().for_each(|(key, _)| drop(table.all(key)));
    }
}

/// Replaces all blocks of a model by the tables they stand for.
pub(super) fn expand<'a>(root: &mut DeTable<'a>, scope: &Scope, source: &Source, diags: &Diagnostics) {
    let mut taken = DeTable::new();
    for key in KINDS.iter().map(|k| k.0.name).chain([PART.name, SECTION.name]) {
        if let Some((key, item)) = root.remove_entry(key) {
            taken.insert(key, item);
        }
    }
    let sectioned = |item: &Item<'_>| item.get_ref().as_table().is_some_and(|t| t.contains_key(SECTION.name));
    let elements = root.get(ELEMENT.name).and_then(|e| e.get_ref().as_array());
    if taken.is_empty() && !elements.is_some_and(|list| list.iter().any(sectioned)) {
        return;
    }
    let overview = Table::new(Input { source, diags, scope }, &taken, 0..0, String::new(), Some(&super::FILE));
    let mut expansion = Expansion {
        source,
        diags,
        parts: overview.open(&PART).and(named(&taken, PART.name)).unwrap_or_default(),
        sections: DeTable::new(),
        used_parts: RefCell::default(),
        used_sections: RefCell::default(),
        tables: Cell::new(0),
        bytes: Cell::new(0),
    };
    if overview.open(&SECTION).is_some() {
        expansion.sections = sections::prepare(&expansion, named(&taken, SECTION.name).unwrap_or_default(), scope);
    }
    expansion.check_lists(&overview);
    let mut body = Body::default();
    parts::check(&expansion);
    expansion.write_out(&taken, scope, 0, &mut body);
    if expansion.tables.get() > MOST_TABLES {
        // Reported; what there is of it is not worth reading.
        body = Body::default();
    }
    for (key, list) in LISTS.into_iter().zip(body.lists) {
        if list.is_empty() {
            continue;
        }
        let span = list[0].span();
        let here = root.entry(toml::Spanned::new(span.clone(), key.into()));
        let here = here.or_insert_with(|| toml::Spanned::new(span, DeValue::Array(DeArray::new())));
        if let DeValue::Array(all) = here.get_mut() {
            list.into_iter().for_each(|i| all.push(i));
        }
    }
    if let Some(DeValue::Array(elements)) = root.get_mut(ELEMENT.name).map(|e| e.get_mut()) {
        let mut good = DeArray::new();
        let all = std::mem::replace(elements, DeArray::new());
        all.into_iter().filter_map(|e| sections::resolve(&expansion, e)).for_each(|e| good.push(e));
        *elements = good;
    }
    unused(diags, &expansion.parts, &expansion.used_parts.borrow(), "part", "a [[use]]");
    unused(diags, &expansion.sections, &expansion.used_sections.borrow(), "section", "an element or a template");
}

/// The tables within a table, such as all parts.
fn named<'a>(taken: &DeTable<'a>, key: &str) -> Option<DeTable<'a>> {
    taken.get(key)?.get_ref().as_table().cloned()
}

fn unused(diags: &Diagnostics, declared: &DeTable<'_>, used: &BTreeSet<String>, what: &str, user: &str) {
    for key in declared.keys().filter(|k| !used.contains(k.get_ref().as_ref())) {
        let message = format!("the {what} `{}` is not used", key.get_ref());
        diags.push(Diagnostic::warning(message, key.span()).help(format!("name it in {user}, or remove it")));
    }
}
