//! `[section.NAME]`: keys that many elements share, such as the section of a column or the law of a bearing.

use toml::de::{DeTable, DeValue};

use super::block::Block;
use super::{Expansion, text_item};
use crate::diag::{Diagnostic, did_you_mean};
use crate::quantity::Scope;
use crate::reader::{Item, Table};
use crate::units::Dimension;

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

/// `mass_per_length` and `A` as `rho`.
fn with_density<'a>(
    shared: &Expansion<'_, 'a>,
    mut keys: DeTable<'a>,
    span: std::ops::Range<usize>,
    path: &str,
    scope: &Scope,
) -> DeTable<'a> {
    let Some(given) = keys.get("mass_per_length").map(|i| i.span()) else { return keys };
    let table = Table::new(shared.source, shared.diags, &keys, span, path.to_owned());
    if table.has("rho") {
        let help = "remove one of the two".to_owned();
        table.error(given.clone(), "`mass_per_length` and `rho` exclude each other", Some(help));
    }
    let mass = table.quantity("mass_per_length", Dimension::MASS.per(Dimension::LENGTH), scope);
    let area = table.quantity_required("A", Dimension::LENGTH.power(2.0), scope);
    drop(table);
    keys.remove("mass_per_length");
    if let (Some(mass), Some(area)) = (mass, area) {
        let rho = text_item(format!("{:?} kg/m^3", mass.value / area.value), &given);
        keys.insert(toml::Spanned::new(given, "rho".into()), rho);
    }
    keys
}

/// An element with the keys of its section; `None` if there is no such section, which has been reported.
pub(super) fn resolve<'a>(shared: &Expansion<'_, 'a>, mut element: Item<'a>) -> Option<Item<'a>> {
    let DeValue::Table(keys) = element.get_mut() else { return Some(element) };
    let Some(section) = keys.remove("section") else { return Some(element) };
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
    key: &str,
    n: usize,
    what: &str,
    kind: &str,
) -> Option<Vec<DeTable<'a>>> {
    let items = block.each_required(key, n, what, "\"NAME\", and [section.NAME] with the keys of a beam")?;
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
