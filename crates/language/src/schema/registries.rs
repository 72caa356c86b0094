//! Schemes and couplings: one variant per entry of their registries.

use interfield_coupling::registry::COUPLINGS;
use interfield_kernel::scheme::registry::{SCHEMES, SchemeParameter};

use super::Value::{Either, Number, Text, Word};
use super::sections::{chooser, key, list, section, sentence};
use super::{Key, Section};

/// `scheme = { name = ..., ... }`.
pub(super) fn schemes() -> Vec<Section> {
    let all = SCHEMES.iter().map(|info| {
        let mut keys = vec![chooser("name", info.name, info.title)];
        keys.extend(info.parameters.iter().map(parameter));
        let doc = sentence(&format!("{} ({})", info.title, info.reference));
        let paths = &["analysis.scheme", "substructure.scheme"];
        Section { when: vec![("name", info.name)], ..section("scheme", "scheme = { name = ... }", paths, doc, keys) }
    });
    all.collect()
}

/// `[coupling]`.
pub(super) fn couplings() -> Vec<Section> {
    let all = COUPLINGS.iter().map(|info| {
        let meet = "Where more than two meet: the first is held with each other one, or every pair.";
        let mut keys = vec![
            chooser("method", info.name, info.title),
            Key {
                default: Some("\"tree\"".to_owned()),
                ..key("constraints", Word(vec!["tree", "all-pairs"]), meet, "\"all-pairs\"")
            },
        ];
        keys.extend(info.parameters.iter().map(parameter));
        let doc = format!("{} {}", sentence(&format!("{} ({})", info.title, info.reference)), info.advice);
        Section { when: vec![("method", info.name)], ..section("coupling", "[coupling]", &["coupling"], doc, keys) }
    });
    all.collect()
}

pub(super) fn parameter(p: &SchemeParameter) -> Key {
    let written = |d: &str| if d.parse::<f64>().is_ok() { d.to_owned() } else { format!("\"{d}\"") };
    let doc = sentence(&format!("{}: {}", p.doc, p.expected));
    Key {
        required: p.default.is_none(),
        default: p.default.map(written),
        ..key(
            p.name,
            Either(vec![Number, Text, list(Number)]),
            doc,
            p.default.map_or_else(|| "[...]".to_owned(), written),
        )
    }
}
