//! `[section.NAME]`: keys that many elements share, such as the section of a column or the law of a bearing.

use toml::de::{DeTable, DeValue};

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{Coordinates, Info};

use super::block::{Block, Keys};
use super::{Expansion, SECTION, text_item};
use crate::diag::{Diagnostic, did_you_mean};
use crate::key::*;
use crate::parse::elements::{self, TYPE};
use crate::quantity::Scope;
use crate::reader::Item;
use crate::schema::{self, Value};
use crate::units::Dimension;

section! {
    /// `[section]`.
    pub(super) SECTIONS = ("sections", "[section]", "Shared keys of elements, [section.NAME].").others(|| Inner(&SHARED).value());
}

static SHARED: Section =
    Section::new("section", "[section.NAME]", "Keys of an element that several elements share.", &[&PER_LENGTH])
        .more(|| any(|_| true, &["name", PER_LENGTH.name], false));

/// An element whose other keys stand in a section; it is an `[[element]]` of its type when it is read.
pub(crate) static SECTIONED: Section = Section::new(
    "sectioned",
    "[[element]] with section = ...",
    "An element that uses the keys of a [section.NAME]; its own keys take precedence.",
    &[&NAMED_SECTION],
)
.more(|| any(|_| true, &[], false));

const NAMED_SECTION: Key<Text> = key(
    "section",
    "The [section.NAME] that provides keys which the element does not give \
        itself.",
)
.required()
.example("steel");

/// The law of an element between two nodes.
pub(super) const LAW: Keys = Or(Text, Inner(&LAWS));

section! {
    LAWS = ("law", "{ type = ... }", "Keys of an element between two nodes, without the nodes: those of its `type`.").more(|| any(two_nodes, &["nodes", "dof", "dofs", "name"], true));
}

/// What a beam is made of.
pub(super) const MEMBER: Keys = Or(Text, Inner(&MEMBERS));

static MEMBERS: Section = Section::new(
    "member",
    "{ E = ..., A = ... }",
    "Keys of a beam, without its nodes: those of beam2d or beam3d.",
    &[&PER_LENGTH],
)
.more(|| any(|i| i.name.starts_with("beam"), &["nodes", "name"], true));

const PER_LENGTH: Key<MassPerLength> = key("mass_per_length", "With `A`, instead of `rho`.").example("48 kg/m");

fn two_nodes(info: &Info) -> bool {
    matches!(info.coordinates, Coordinates::Difference) || info.name == "formula"
}

/// The keys of all elements that `which` accepts, each once and none required, without those in `left_out`; with the name of a
/// section, if that can stand there.
fn any(which: fn(&Info) -> bool, left_out: &[&str], with_section: bool) -> Vec<schema::Key> {
    let types: Vec<&'static Info> = catalogue().filter(|i| which(i)).collect();
    let names = types.iter().map(|i| i.name).collect();
    let mut all = vec![schema::Key { value: Value::Word(names), required: false, ..TYPE.describe() }];
    if with_section {
        all.push(schema::Key { required: false, ..NAMED_SECTION.describe() });
    }
    for (info, own) in types.iter().flat_map(|i| elements::described(i).into_iter().map(move |k| (i, k))) {
        if left_out.contains(&own.name) {
            continue;
        }
        match all.iter_mut().find(|k| k.name == own.name) {
            None => all.push(schema::Key { required: false, default: None, ..own }),
            Some(known) => {
                if known.doc != own.doc && !known.doc.starts_with("As ") {
                    known.doc = format!("As defined by the element type: {} and others.", info.name);
                }
                known.also(own.value);
            }
        }
    }
    all
}

/// All sections, with the density of those that say their mass per length.
pub(super) fn prepare<'a>(shared: &Expansion<'_, 'a>, sections: DeTable<'a>, scope: &Scope) -> DeTable<'a> {
    let mut all = DeTable::new();
    for (name, item) in sections {
        let span = item.span();
        match item.into_inner() {
            DeValue::Table(keys) => {
                let path = format!("section.{}", name.get_ref());
                let keys = with_density(shared, keys, span.clone(), &path, scope);
                all.insert(name, toml::Spanned::new(span, DeValue::Table(keys)));
            }
            _ => shared.diags.push(
                Diagnostic::error(format!("expected a table, found a value for section `{}`", name.get_ref()), span)
                    .help(format!("write [section.{}] with the keys of an element below", name.get_ref())),
            ),
        }
    }
    all
}

/// `mass_per_length` and `A` as `rho`; a `member` has its mass per length itself.
fn with_density<'a>(
    shared: &Expansion<'_, 'a>,
    mut keys: DeTable<'a>,
    span: std::ops::Range<usize>,
    path: &str,
    scope: &Scope,
) -> DeTable<'a> {
    let Some(given) = keys.get(PER_LENGTH.name).map(|i| i.span()) else { return keys };
    if keys.get(TYPE.name).and_then(|t| t.get_ref().as_str()) == Some("member") {
        return keys;
    }
    let table = shared.table(&keys, scope, span, path.to_owned(), None);
    if table.has("rho") {
        let help = "remove one of the two".to_owned();
        table.error(given.clone(), "`mass_per_length` and `rho` cannot be used together", Some(help));
    }
    let mass = table.read(&PER_LENGTH);
    let area = table.read(&of(Measured(Dimension::AREA), "A", "").required());
    drop(table);
    keys.remove(PER_LENGTH.name);
    if let (Some(mass), Some(area)) = (mass, area) {
        let rho = text_item(format!("{:?} kg/m^3", mass.value / area.value), &given);
        keys.insert(toml::Spanned::new(given, "rho".into()), rho);
    }
    keys
}

/// An element with the keys of its section; `None` if there is no such section, which has been reported.
pub(super) fn resolve<'a>(shared: &Expansion<'_, 'a>, mut element: Item<'a>) -> Option<Item<'a>> {
    let DeValue::Table(keys) = element.get_mut() else { return Some(element) };
    let Some(section) = keys.remove(SECTION.name) else { return Some(element) };
    let Some(name) = section.get_ref().as_str() else {
        let d = Diagnostic::error("`section` is the name of a [section.NAME]", section.span());
        shared.diags.push(d.help("write section = \"column\""));
        return None;
    };
    let Some(DeValue::Table(shared_keys)) = shared.sections.get(name).map(|s| s.get_ref()) else {
        let known = shared.sections.keys().map(|k| k.get_ref().as_ref());
        let help = did_you_mean(name, known).unwrap_or_else(|| format!("declare it: [section.{name}]"));
        shared.diags.push(Diagnostic::error(format!("there is no section `{name}`"), section.span()).help(help));
        return None;
    };
    if !shared.used_sections.borrow().contains(name) {
        shared.used_sections.borrow_mut().insert(name.to_owned());
    }
    for (key, item) in shared_keys.iter() {
        if !keys.contains_key(key.get_ref().as_ref()) {
            keys.insert(key.clone(), item.clone());
        }
    }
    Some(element)
}

/// The keys of members under `key`, for each of `n`: tables or names of sections.
pub(super) fn members<'a>(
    block: &Block<'_, 'a>,
    key: &Key<impl Kind>,
    n: usize,
    what: &str,
    kind: &str,
) -> Option<Vec<DeTable<'a>>> {
    let items = block.each_required(key, n, what)?;
    let key = key.name;
    let example = format!("{key} = {{ E = \"30 GPa\", A = \"0.25 m^2\", I = \"0.005 m^4\", rho = \"2500 kg/m^3\" }}");
    // One table for all is read once.
    let one = |item: &Item<'a>| {
        let mut keys = block.keys_of(item, &example)?;
        if !block.has_key(&keys, "type") {
            keys.insert(toml::Spanned::new(item.span(), "type".into()), text_item(kind.to_owned(), &item.span()));
        }
        Some(with_density(block.shared, keys, item.span(), key, block.scope))
    };
    match items.first() {
        Some(first) if items.iter().all(|i| i.span() == first.span()) => Some(vec![one(first)?; n]),
        _ => {
            let all: Vec<Option<DeTable<'a>>> = items.iter().map(one).collect();
            all.into_iter().collect()
        }
    }
}

/// One of `n` equal shares of a quantity.
pub(super) fn share(item: Item<'_>, n: usize) -> Item<'_> {
    let text = match item.get_ref() {
        DeValue::String(s) => format!("({s})/{n}"),
        DeValue::Integer(i) if i.radix() == 10 => format!("({})/{n}", i.as_str()),
        DeValue::Float(f) => format!("({})/{n}", f.as_str()),
        // Reported where it is read.
        _ => return item,
    };
    text_item(text, &item.span())
}
