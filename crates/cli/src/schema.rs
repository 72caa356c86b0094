//! The JSON Schema of model files, from the table of everything they can say.
//!
//! Written in the words that all drafts from 04 on share: Taplo, the library behind most editors' TOML support, documents
//! draft 04 only. Hence `enum` for a constant, `definitions`, `oneOf` for variants, and no `if`.

use interfield_language::schema::{Key, Table, Value as Kind, tables};
use serde_json::{Map, Value, json};

/// Name of the schema beside a model, as its first line refers to it.
pub(crate) const FILE: &str = "interfield.schema.json";

/// The schema.
pub(crate) fn document() -> Value {
    let all = tables();
    let mut definitions = Map::new();
    for section in &all {
        definitions.insert(section.id(), table(section));
        if !section.when.is_empty() {
            let variants = all.iter().filter(|s| s.name == section.name);
            let list: Vec<Value> = variants.map(|s| reference(&s.id())).collect();
            definitions.insert(section.name.to_owned(), json!({ "oneOf": list }));
        }
    }
    let mut root = definitions.remove("file").unwrap_or_default();
    root["$schema"] = json!("http://json-schema.org/draft-04/schema#");
    root["title"] = json!("Interfield model");
    root["definitions"] = Value::Object(definitions);
    root
}

/// The schema as text.
pub(crate) fn text() -> String {
    format!("{:#}\n", document())
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn table(section: &Table) -> Value {
    let (mut properties, mut patterns) = (Map::new(), Map::new());
    section.keys.iter().for_each(|k| match k.name.strip_suffix("<N>") {
        Some(start) => drop(patterns.insert(format!("^{start}[0-9]+$"), property(k))),
        None => drop(properties.insert(k.name.to_owned(), property(k))),
    });
    let required: Vec<&str> = section.keys.iter().filter(|k| k.required).map(|k| k.name).collect();
    let others = section.others.as_ref().map_or(json!(false), kind);
    let mut out = json!({
        "type": "object", "description": section.doc, "properties": properties, "additionalProperties": others,
    });
    if !patterns.is_empty() {
        out["patternProperties"] = Value::Object(patterns);
    }
    // Draft 04 wants at least one name in the list.
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    out
}

fn property(key: &Key) -> Value {
    let measure = match &key.value {
        Kind::Quantity { of, .. } => format!(" {}{}.", of[..1].to_uppercase(), &of[1..]),
        _ => String::new(),
    };
    let description = format!("{}{measure}\n\nExample: {} = {}", key.doc, key.name, key.example);
    let mut out = match kind(&key.value) {
        // A reference hides what stands beside it.
        found if found.get("$ref").is_some() => json!({ "allOf": [found] }),
        found => found,
    };
    out["description"] = json!(description);
    if let Some(default) = key.default.as_deref().and_then(|d| serde_json::from_str::<Value>(d).ok()) {
        out["default"] = default;
    }
    out
}

fn kind(value: &Kind) -> Value {
    match value {
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole => json!({ "type": "integer" }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Quantity { .. } => json!({ "type": ["number", "string"] }),
        Kind::List(of) => json!({ "type": "array", "items": kind(of) }),
        Kind::Table(section) => reference(section.name),
        Kind::Tables(section) => json!({ "type": "array", "items": reference(section.name) }),
        Kind::Either(list) => json!({ "anyOf": list.iter().map(kind).collect::<Vec<_>>() }),
    }
}
