//! `[part.NAME]` and `[[use]]`: tables written once and used many times, with names and parameters of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

use super::block::{self, Block, count};
use super::substitute::Values;
use super::{Body, DEEPEST, Expansion, LISTS, MOST_TABLES, texts_item};
use crate::diag::did_you_mean;
use crate::formula::is_name;
use crate::key::*;
use crate::parse::{elements::ELEMENTS, loads::LOADS, nodes::NODES};
use crate::quantity::{PARAMETERS, Scope, Value};
use crate::reader::{Item, Raw, Spanned, Table};

section! {
    /// `[part]`.
    pub(super) PARTS = ("parts", "[part]", "Parts, [part.NAME]: groups of tables with local names.").others(|| Inner(&PART).value());
}

section! {
    PART = ("part", "[part.NAME]", "Nodes, elements, loads and blocks, with local names and parameters.")
        .more(|| describe(&super::BLOCKS[2..]));
    OWN_PARAMETERS: Inner = table("parameters", &PARAMETERS, "Its parameters with their default values.").example("{ \
        h = \"5 m\" }");
    NODE: Tables = tables("node", &NODES, "Its nodes.").example("[{ name = \"cap\", at = [0, \"h\"] }]");
    ELEMENT: Tables = tables("element", &ELEMENTS, "Its elements.").or_short(&super::SECTIONED)
        .example("[{ section = \"concrete\", nodes = [\"foot\", \"cap\"] }]");
    LOAD: Tables = tables("load", &LOADS, "Its loads.").example("[{ type = \"force\", at = \"cap.x\", signal = \"push\" }]");
}

section! {
    /// A part put to use.
    pub(super) USES = ("use", "[[use]]", "A use of a part, once or several times.");
    PART_NAME: Text = key("part", "The part.").required().example("pier");
    NAME: Text = key("name", "Prefix of its names: `NAME_node`, with a count `NAME1_node`.").required().example("pier");
    COUNT: Count = count("count", "Number of instances; `i` is the number of each, from 1.").default("1").example("3");
    AT: Or<List<Length>, List<List<Length>>> = key("at", "Added to the positions of its nodes; a list of positions has one for each.")
        .example("[\"i*10 m\", 0]");
    VALUES: Inner = table("parameters", &GIVEN, "Values of its parameters.").example("{ h = [\"4 m\", \"6 m\"] }");
    CONNECT: Inner = table("connect", &CONNECTIONS, "Nodes of the part that are nodes of the model; `{i}` in a name \
        is the instance number.")
        .example("{ top = \"deck{i}\" }");
}

section! {
    GIVEN = ("use-parameters", "{ h = ... }", "Values of the part's parameters; a list has one for each instance.").others(|| Or(Anything, List(Anything)).value());
}
section! {
    CONNECTIONS = ("use-connect", "{ top = ... }", "Nodes of the part, each with the corresponding node of the \
        model.").others(|| Or(Text, List(Text)).value());
}

/// Number of the instance in expressions of a `[[use]]` and of its part.
const INDEX: &str = "i";

/// Reports what cannot stand in a part, used or not.
pub(super) fn check(shared: &Expansion<'_, '_>) {
    let nothing = Scope::default();
    for (name, item) in shared.parts.iter() {
        let path = format!("part.{}", name.get_ref());
        let DeValue::Table(entries) = item.get_ref() else {
            let d = crate::diag::Diagnostic::error(format!("expected a table under `{path}`"), item.span());
            shared.diags.push(d.help(format!("write [[{path}.node]] and [[{path}.element]]")));
            continue;
        };
        let table = shared.table(entries, &nothing, item.span(), path, Some(&PART));
        [NODE, ELEMENT, LOAD].iter().for_each(|list| drop(table.all(list)));
        shared.check_lists(&table);
        table.open(&OWN_PARAMETERS);
        table.finish();
    }
}

/// Puts the part of a `[[use]]` into a body, once or `count` times.
pub(super) fn instantiate<'a>(block: &Block<'_, 'a>, depth: usize, body: &mut Body<'a>) -> Option<()> {
    let shared = block.shared;
    let part = block.table.read(&PART_NAME);
    let name = block.table.read(&NAME);
    let count =
        if block.table.has(&COUNT) { block.table.read(&COUNT).map(|n| Some(n.value as usize)) } else { Some(None) };
    let (given, connect, at) = (Given::parameters(block), Given::connections(block), Positions::read(block));
    let (part, name, count) = (part?, name?, count?);
    block.good_name(&name)?;
    let Some((key, item)) = shared.parts.get_key_value(part.value.as_str()) else {
        let known = shared.parts.keys().map(|k| k.get_ref().as_ref());
        let help =
            did_you_mean(&part.value, known).unwrap_or_else(|| format!("declare it: [[part.{}.node]] ...", part.value));
        return block.error(part.span, format!("there is no part `{}`", part.value), help);
    };
    shared.used_parts.borrow_mut().insert(part.value.clone());
    let entries = item.get_ref().as_table()?;
    if depth >= DEEPEST {
        let message = format!("parts are used within parts more than {DEEPEST} levels deep");
        return block.error(part.span, message, format!("does `{}` use itself?", key.get_ref()));
    }
    let (given, connect, at) = (given?, connect?, at?);
    // A list for each instance says how many there are.
    let listed = given.length().or(connect.length()).or(at.length());
    let total = count.or(listed).unwrap_or(1);
    given.check(block, total)?;
    connect.check(block, total)?;
    at.check(block, total)?;
    let numbered = count.is_some() || listed.is_some();
    let weight = weight(&DeValue::Table(entries.clone()));
    let tables = LISTS.iter().filter_map(|l| Some(entries.get(*l)?.get_ref().as_array()?.len() as u64)).sum::<u64>();
    let copies = total as u64;
    if depth == 0 && copies.saturating_mul(size(shared, &part.value, 0, &mut BTreeMap::new())) > MOST_TABLES {
        return shared.claim(MOST_TABLES + 1, 0, &block.span());
    }
    // Each instance has a scope of its own for a while.
    let weight = weight + 16 * block.scope.iter().count() as u64;
    shared.claim(copies.saturating_mul(tables.max(1)), copies.saturating_mul(weight), &block.span())?;
    let mut outer = block.scope.clone();
    for i in 0..total {
        if numbered {
            outer.insert(INDEX, Value::bare((i + 1) as f64));
        }
        let prefix = if numbered { format!("{}{}_", name.value, i + 1) } else { format!("{}_", name.value) };
        let instance = Instance { block, prefix, connect: connect.of(block, i, &outer)?, at: at.of(block, i, &outer)? };
        let values = instance.parameters(entries, &given, i, &outer, numbered)?;
        let errors = shared.diags.error_count();
        instance.write(entries, &values, &outer, depth, body);
        if shared.diags.error_count() > errors {
            // The others would say the same.
            return None;
        }
    }
    Some(())
}

/// Tables that a part stands for, with the parts it uses, as far as their counts are plain numbers. Known sizes are kept
/// by name and depth, so that this takes no time even if there are very many.
fn size(shared: &Expansion<'_, '_>, part: &str, depth: usize, known: &mut BTreeMap<(String, usize), u64>) -> u64 {
    let Some(entries) = shared.parts.get(part).and_then(|p| p.get_ref().as_table()) else { return 0 };
    if let Some(&size) = known.get(&(part.to_owned(), depth)) {
        return size;
    }
    let list = |key: &str| entries.get(key).and_then(|i| i.get_ref().as_array()).map_or(&[][..], DeArray::as_ref);
    let mut total = LISTS.iter().map(|key| list(key).len() as u64).sum::<u64>().max(1);
    for inner in list(super::USE.name).iter().filter_map(|u| u.get_ref().as_table()).filter(|_| depth < DEEPEST) {
        let count =
            inner.get(COUNT.name).and_then(|c| c.get_ref().as_integer()?.as_str().parse::<u64>().ok()).unwrap_or(1);
        let name = inner.get(PART_NAME.name).and_then(|p| p.get_ref().as_str()).unwrap_or_default();
        total = total.saturating_add(count.saturating_mul(size(shared, name, depth + 1, known)));
    }
    known.insert((part.to_owned(), depth), total);
    total
}

/// Bytes of a copy, roughly.
fn weight(value: &DeValue<'_>) -> u64 {
    64 + match value {
        DeValue::String(s) => s.len() as u64,
        DeValue::Array(list) => list.iter().map(|i| weight(i.get_ref())).sum(),
        DeValue::Table(table) => table.iter().map(|(k, v)| 64 + k.get_ref().len() as u64 + weight(v.get_ref())).sum(),
        _ => 0,
    }
}

/// A table of the block whose values are for all instances, or lists with one for each.
struct Given<'a> {
    entries: Vec<(Spanned<String>, Item<'a>)>,
}

impl<'a> Given<'a> {
    fn parameters(block: &Block<'_, 'a>) -> Option<Self> {
        Self::read(block, &VALUES)
    }

    fn connections(block: &Block<'_, 'a>) -> Option<Self> {
        Self::read(block, &CONNECT)
    }

    fn read(block: &Block<'_, 'a>, key: &Key<Inner>) -> Option<Self> {
        if !block.table.has(key) {
            return Some(Self { entries: Vec::new() });
        }
        let table = block.table.open(key)?;
        let raw = block.entries.get(key.name)?.get_ref().as_table()?;
        let entry = |k: Spanned<String>| raw.get(k.value.as_str()).cloned().map(|item| (k, item));
        Some(Self { entries: table.keys().into_iter().filter_map(entry).collect() })
    }

    /// Length of the first list.
    fn length(&self) -> Option<usize> {
        self.entries.iter().find_map(|(_, i)| Some(i.get_ref().as_array()?.len()))
    }

    fn check(&self, block: &Block<'_, 'a>, total: usize) -> Option<()> {
        for (key, item) in &self.entries {
            if let Some(n) = item.get_ref().as_array().map(|l| l.len()).filter(|n| *n != total) {
                let message = format!("`{}` lists {n} values for {total} instances", key.value);
                return block.error(item.span(), message, "write one value for all instances, or one for each");
            }
        }
        Some(())
    }

    /// The value for one instance.
    fn at<'s>(item: &'s Item<'a>, i: usize) -> &'s Item<'a> {
        item.get_ref().as_array().and_then(|l| l.get(i)).unwrap_or(item)
    }

    /// Nodes of the part, and those of the model that take their place.
    fn of(&self, block: &Block<'_, 'a>, i: usize, scope: &Scope) -> Option<BTreeMap<String, String>> {
        let mut names = BTreeMap::new();
        for (key, item) in &self.entries {
            let item = Self::at(item, i);
            let Some(text) = item.get_ref().as_str() else {
                let help = "write connect = { top = \"deck1\" }, or a list with one name for each instance";
                return block.error(item.span(), "expected the name of a node", help);
            };
            names.insert(key.value.clone(), numbered_name(block, text, item.span(), scope)?);
        }
        Some(names)
    }
}

/// A name with `{i}`, `{i+1}`, ... replaced by numbers.
fn numbered_name(block: &Block<'_, '_>, text: &str, span: Range<usize>, scope: &Scope) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inner)) = rest.split_once('{') {
        let number = inner.split_once('}').and_then(|(e, after)| Some((scope.evaluate(e).ok()?, after)));
        match number {
            Some((Value { si, dim: None, .. }, after)) if si.fract() == 0.0 && si.abs() <= MOST_TABLES as f64 => {
                out += &format!("{before}{si}");
                rest = after;
            }
            _ => {
                let message = format!("the braces in `{text}` do not give a whole number");
                return block.error(span, message, "write for example \"deck{i}\" or \"deck{i+1}\", with `count`");
            }
        }
    }
    Some(out + rest)
}

/// `at` of a `[[use]]`: one position for all instances, or a list of positions.
enum Positions<'a> {
    None,
    One(Item<'a>),
    Each(Vec<Item<'a>>, Range<usize>),
}

impl<'a> Positions<'a> {
    fn read(block: &Block<'_, 'a>) -> Option<Self> {
        let Some(item) = block.copy(&AT) else { return Some(Self::None) };
        Some(match item.get_ref() {
            DeValue::Array(list) if list.first().is_some_and(|i| i.get_ref().is_array()) => {
                Self::Each(list.to_vec(), item.span())
            }
            _ => Self::One(item),
        })
    }

    fn length(&self) -> Option<usize> {
        if let Self::Each(list, _) = self { Some(list.len()) } else { None }
    }

    fn check(&self, block: &Block<'_, 'a>, total: usize) -> Option<()> {
        match self {
            Self::Each(list, span) if list.len() != total => {
                let message = format!("`at` lists {} positions for {total} instances", list.len());
                block.error(span.clone(), message, "write one position with `i` in it, or one for each instance")
            }
            _ => Some(()),
        }
    }

    fn of(&self, block: &Block<'_, 'a>, i: usize, scope: &Scope) -> Option<Option<[f64; 3]>> {
        let item = match self {
            Self::None => return Some(None),
            Self::One(item) => item,
            Self::Each(list, _) => list.get(i)?,
        };
        let mut one = DeTable::new();
        one.insert(toml::Spanned::new(item.span(), AT.name.into()), item.clone());
        position(&block.shared.table(&one, scope, item.span(), "use".to_owned(), None)).map(Some)
    }
}

/// One to three coordinates, metres.
fn position(table: &Table<'_>) -> Option<[f64; 3]> {
    let given = table.read(&block::AT)?;
    if given.value.is_empty() || given.value.len() > 3 {
        let message = format!("a position has 1 to 3 coordinates, found {}", given.value.len());
        table.error(given.span, message, Some("write for example at = [0.0, 3.0]".to_owned()));
        return None;
    }
    let mut at = [0.0; 3];
    at.iter_mut().zip(&given.value).for_each(|(a, x)| *a = x.value);
    Some(at)
}

/// One use of a part.
struct Instance<'t, 'b, 'a> {
    block: &'b Block<'t, 'a>,
    /// In front of the names of the part.
    prefix: String,
    connect: BTreeMap<String, String>,
    at: Option<[f64; 3]>,
}

impl<'a> Instance<'_, '_, 'a> {
    /// Values of the parameters of the part: those given here, the others in the order in which the part says them.
    fn parameters(
        &self,
        part: &DeTable<'a>,
        given: &Given<'a>,
        i: usize,
        outer: &Scope,
        numbered: bool,
    ) -> Option<BTreeMap<String, Value>> {
        let shared = self.block.shared;
        let mut values = BTreeMap::new();
        if numbered {
            values.extend(outer.get(INDEX).map(|v| (INDEX.to_owned(), v)));
        }
        let empty = DeTable::new();
        let own = part.get(OWN_PARAMETERS.name).and_then(|p| p.get_ref().as_table()).unwrap_or(&empty);
        for (key, item) in &given.entries {
            if !own.contains_key(key.value.as_str()) {
                let known = own.keys().map(|k| k.get_ref().as_ref());
                let help = did_you_mean(&key.value, known)
                    .unwrap_or_else(|| "declare it in the part: [part.NAME.parameters]".into());
                return self.block.error(key.span.clone(), format!("the part has no parameter `{}`", key.value), help);
            }
            values.insert(key.value.clone(), self.value(&key.value, Given::at(item, i), outer)?);
        }
        let mut scope = outer.clone();
        values.iter().for_each(|(k, v)| scope.insert(k.clone(), *v));
        let table = shared.table(own, outer, 0..0, "part.parameters".to_owned(), None);
        for key in table.keys() {
            if !is_name(&key.value)
                || matches!(key.value.as_str(), "t" | INDEX)
                || crate::formula::is_reserved(&key.value)
            {
                let help = "a name is a letter followed by letters, digits and _; `i`, `t`, `pi` and function names are \
                        reserved";
                return self.block.error(key.span, format!("`{}` cannot be the name of a parameter", key.value), help);
            }
            if let (false, Some(item)) = (values.contains_key(&key.value), own.get(key.value.as_str())) {
                let value = self.value(&key.value, item, &scope)?;
                scope.insert(key.value.clone(), value);
                values.insert(key.value, value);
            }
        }
        Some(values)
    }

    /// A number, or the value of an expression.
    fn value(&self, key: &str, item: &Item<'a>, scope: &Scope) -> Option<Value> {
        let mut one = DeTable::new();
        one.insert(toml::Spanned::new(item.span(), key.to_owned().into()), item.clone());
        let shared = self.block.shared;
        let table = shared.table(&one, scope, item.span(), "parameters".to_owned(), None);
        match table.entry(key, &Anything, Allowed::Any)? {
            Spanned { value: Raw::Number(x), .. } => Some(Value::bare(x)),
            Spanned { value: Raw::Text(text), span } => match scope.evaluate(&text) {
                Ok(value) => Some(value),
                Err(errors) => {
                    let text = Spanned::new(text, span);
                    errors.into_iter().for_each(|e| table.expr_error(&text, e));
                    None
                }
            },
        }
    }

    /// Writes out the tables of the part.
    fn write(
        &self,
        part: &DeTable<'a>,
        values: &BTreeMap<String, Value>,
        outer: &Scope,
        depth: usize,
        body: &mut Body<'a>,
    ) {
        let mut scope = outer.clone();
        values.iter().for_each(|(k, v)| scope.insert(k.clone(), *v));
        let mut inner = Body::default();
        for (list, key) in inner.lists.iter_mut().zip(LISTS) {
            let tables = part.get(key).and_then(|i| i.get_ref().as_array()).map_or(&[][..], DeArray::as_ref);
            list.extend(tables.iter().filter(|i| i.get_ref().is_table()).cloned());
        }
        self.block.shared.write_out(part, &scope, depth + 1, &mut inner);
        let names: BTreeSet<String> = inner.lists.iter().flatten().filter_map(name_of).collect();
        self.check_connections(&inner, &names);
        let values = Values { values, units: &scope.units };
        for (k, list) in inner.lists.into_iter().enumerate() {
            for mut item in list {
                if k == 0 && name_of(&item).is_some_and(|n| self.connect.contains_key(&n)) {
                    // A node of the model takes its place.
                    continue;
                }
                if let DeValue::Table(table) = item.get_mut() {
                    if k == 0 {
                        self.move_node(table, &scope);
                    }
                    values.put(table);
                    self.rename(table, k, &names);
                }
                body.lists[k].push(item);
            }
        }
    }

    /// Reports connections of nodes that the part does not have.
    fn check_connections(&self, inner: &Body<'a>, names: &BTreeSet<String>) {
        let mut known = names.clone();
        for table in inner.lists.iter().flatten().filter_map(|i| i.get_ref().as_table()) {
            for key in ["nodes", "node", "dofs", "at"] {
                let texts = table.get(key).map_or_else(Vec::new, |i| match i.get_ref() {
                    DeValue::Array(list) => list.iter().filter_map(|t| t.get_ref().as_str()).collect(),
                    other => other.as_str().into_iter().collect(),
                });
                known.extend(texts.into_iter().map(|t| t.split('.').next().unwrap_or(t).to_owned()));
            }
        }
        for name in self.connect.keys().filter(|n| !known.contains(*n)) {
            let span = self.block.entries.get(CONNECT.name).map_or_else(|| self.block.span(), |i| i.span());
            let help = did_you_mean(name, names.iter().map(String::as_str));
            let help = help.unwrap_or_else(|| "name a node that an element of the part refers to".to_owned());
            self.block.table.error(span, format!("the part has no node `{name}` to connect"), Some(help));
        }
    }

    /// Adds the position of the instance to that of a node.
    fn move_node(&self, table: &mut DeTable<'a>, scope: &Scope) {
        let Some(by) = self.at else { return };
        let span = table.get("at").map_or_else(|| self.block.span(), |i| i.span());
        let shared = self.block.shared;
        let here = match table.contains_key("at") {
            true => position(&shared.table(table, scope, span.clone(), "node".to_owned(), None)),
            false => Some([0.0; 3]),
        };
        let at = here.unwrap_or_default();
        let sums = (0..3).map(|k| format!("{:?} m", at[k] + by[k]));
        table.insert(toml::Spanned::new(span.clone(), "at".into()), texts_item(sums, &span));
    }

    /// Puts the prefix in front of the names that the part declares, and connects the others.
    fn rename(&self, table: &mut DeTable<'a>, list: usize, names: &BTreeSet<String>) {
        let global = |name: &str| match self.connect.get(name) {
            Some(other) => other.clone(),
            None if names.contains(name) => format!("{}{name}", self.prefix),
            None => name.to_owned(),
        };
        let dof = |text: &str| match text.split_once('.') {
            Some((node, dof)) => format!("{}.{dof}", global(node)),
            None => global(text),
        };
        if let Some(DeValue::String(name)) = table.get_mut("name").map(|i| i.get_mut()) {
            *name = format!("{}{name}", self.prefix).into();
        }
        // Degrees of freedom of a node are no references, and neither is the position of one.
        let keys: &[&str] = [&[][..], &["nodes", "node", "dofs"], &["at"]][list];
        for key in keys {
            match table.get_mut(*key).map(|i| i.get_mut()) {
                Some(DeValue::String(text)) => *text = dof(text).into(),
                Some(DeValue::Array(texts)) => texts.iter_mut().for_each(|t| {
                    if let DeValue::String(text) = t.get_mut() {
                        *text = dof(text).into();
                    }
                }),
                _ => {}
            }
        }
    }
}

fn name_of(item: &Item<'_>) -> Option<String> {
    Some(item.get_ref().as_table()?.get("name")?.get_ref().as_str()?.to_owned())
}
