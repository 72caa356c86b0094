//! Help with writing models: schema, scaffolds, formatter, completions and manual pages.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Map, Value, json};

use super::{BASE, data, file, interfield, models, program};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Value {
    interfield(&["schema"]).expect(0).json()
}

/// A TOML value as JSON.
fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(s) => json!(s),
        toml::Value::Integer(i) => json!(i),
        toml::Value::Float(x) => json!(x),
        toml::Value::Boolean(b) => json!(b),
        toml::Value::Datetime(d) => json!(d.to_string()),
        toml::Value::Array(list) => list.into_iter().map(json_of).collect(),
        toml::Value::Table(t) => Value::Object(t.into_iter().map(|(k, v)| (k, json_of(v))).collect()),
    }
}

/// Whether a value obeys a schema made of the few words that ours uses; any other word fails the test.
fn obeys(schema: &Value, root: &Value, value: &Value) -> bool {
    let object = schema.as_object().expect("a schema is an object");
    object.iter().all(|(word, rule)| match word.as_str() {
        "$schema" | "title" | "description" | "default" | "definitions" => true,
        "$ref" => {
            let name = rule.as_str().and_then(|r| r.strip_prefix("#/definitions/")).expect("a local reference");
            obeys(&root["definitions"][name], root, value)
        }
        "type" => {
            let is = |name: &Value| match name.as_str().expect("a type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            };
            rule.as_array().map_or_else(|| is(rule), |list| list.iter().any(is))
        }
        "enum" => rule.as_array().expect("a list").contains(value),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|v| obeys(rule, root, v))),
        "anyOf" => rule.as_array().expect("a list").iter().any(|s| obeys(s, root, value)),
        "allOf" => rule.as_array().expect("a list").iter().all(|s| obeys(s, root, value)),
        "oneOf" => rule.as_array().expect("a list").iter().filter(|s| obeys(s, root, value)).count() == 1,
        "required" => value.as_object().is_none_or(|o| {
            rule.as_array().expect("a list").iter().all(|k| o.contains_key(k.as_str().expect("a key")))
        }),
        "properties" => {
            value.as_object().is_none_or(|o| o.iter().all(|(k, v)| rule.get(k).is_none_or(|s| obeys(s, root, v))))
        }
        "patternProperties" => {
            value.as_object().is_none_or(|o| o.iter().all(|(k, v)| numbered(rule, k).is_none_or(|s| obeys(s, root, v))))
        }
        "additionalProperties" => value.as_object().is_none_or(|o| {
            let pattern = |k: &str| object.get("patternProperties").and_then(|p| numbered(p, k)).is_some();
            let others = o.iter().filter(|(k, _)| object["properties"].get(*k).is_none() && !pattern(k));
            if rule == &json!(false) {
                others.count() == 0
            } else {
                others.into_iter().all(|(_, v)| obeys(rule, root, v))
            }
        }),
        other => panic!("the test does not know the word `{other}`"),
    })
}

/// The schema of a key with a number behind it, `^storey[0-9]+$`, the only kind of pattern there is.
fn numbered<'a>(patterns: &'a Value, key: &str) -> Option<&'a Value> {
    let start = key.trim_end_matches(|c: char| c.is_ascii_digit());
    patterns.get(format!("^{start}[0-9]+$")).filter(|_| start != key)
}

/// All good models: those of the project, of the tests, of the documents, and the templates.
fn good_models() -> Vec<(String, Value)> {
    let mut texts = Vec::new();
    for folder in [
        models(),
        root().join("docs/examples"),
        data(""),
        root().join("crates/cli/templates"),
        root().join("crates/language/src/schema"),
    ] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.display().to_string();
            if name.ends_with(".toml") && !name.contains("mistakes") {
                texts.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    for name in
        ["README.md", "docs/book/src/model-files.md", "docs/book/src/templates.md", "docs/book/src/own-model.md"]
    {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        for block in text.split("```toml").skip(1).filter_map(|b| b.split("```").next()) {
            let (info, body) = block.split_once('\n').unwrap();
            if body.contains("[analysis]") && !info.contains("mistakes") {
                texts.push((name.to_owned(), body.to_owned()));
            }
        }
    }
    texts.into_iter().map(|(n, t)| (n, json_of(toml::Value::Table(toml::from_str(&t).unwrap())))).collect()
}

/// Calls `f` with the model in which one key, each in turn, is misspelt; tables of the user's own names are left out.
fn misspelt(value: &Value, path: &str, f: &mut dyn FnMut(Value, String)) {
    const OWN_NAMES: [&str; 13] = [
        "/pushover/pattern",
        "/along",
        "/interface_mass",
        "/parameters",
        "/signal",
        "/mass",
        "/initial",
        "/initial_velocity",
        "/states",
        "/element/parameters",
        "/section",
        "/part",
        "/connect",
    ];
    match value {
        Value::Object(o) => {
            for (key, inner) in o {
                let here = format!("{path}/{key}");
                let own = OWN_NAMES.iter().any(|n| path.ends_with(n)) && !path.ends_with("/load/signal");
                if !own {
                    let renamed =
                        o.iter().map(|(k, v)| (if k == key { format!("{k}x") } else { k.clone() }, v.clone()));
                    f(Value::Object(renamed.collect::<Map<_, _>>()), here.clone());
                }
                misspelt(inner, &here, &mut |changed, place| {
                    let mut o = o.clone();
                    o[key] = changed;
                    f(Value::Object(o), place);
                });
            }
        }
        Value::Array(list) => {
            // The first few stand for all.
            for (i, inner) in list.iter().enumerate().take(40) {
                misspelt(inner, path, &mut |changed, place| {
                    let mut list = list.clone();
                    list[i] = changed;
                    f(Value::Array(list), place);
                });
            }
        }
        _ => {}
    }
}

#[test]
fn the_published_schema_is_current() {
    let published = std::fs::read_to_string(root().join("docs/schema.json")).unwrap_or_default();
    let now = interfield(&["schema"]).expect(0).stdout;
    assert!(published == now, "docs/schema.json is old: run `cargo run -- schema -o docs/schema.json`");
}

#[test]
fn models_obey_the_schema_and_misspelt_keys_do_not() {
    let schema = schema();
    for (name, model) in good_models() {
        assert!(obeys(&schema, &schema, &model), "{name} does not obey the schema");
        let small = model["node"].as_array().is_some_and(|n| n.len() < 12);
        if !small {
            continue;
        }
        let mut tried = 0;
        misspelt(&model, "", &mut |changed, place| {
            assert!(!obeys(&schema, &schema, &changed), "{name}: `{place}` may be misspelt");
            tried += 1;
        });
        assert!(tried > 10, "{name}: {tried}");
    }
}

#[test]
fn every_key_is_explained_in_the_editor() {
    let schema = schema();
    let spring = &schema["definitions"]["element-spring"]["properties"]["k"];
    let text = spring["description"].as_str().unwrap();
    assert!(text.contains("tiffness") && text.contains("Example: k = \"4 kN/mm\""), "{text}");
    assert_eq!(schema["definitions"]["rayleigh"]["properties"]["modes"]["default"], json!([1, 2]));
}

#[test]
fn files_are_formatted_in_place_or_only_checked() {
    let untidy = BASE.replace(" = ", "=");
    let path = file("untidy.toml", &untidy);
    let name = path.to_str().unwrap();
    let checked = interfield(&["fmt", "--check", name, "--json"]).expect(3).json();
    assert_eq!(checked["changed"], json!([name]));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), untidy);
    interfield(&["fmt", name]).expect(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), BASE);
    interfield(&["fmt", "--check", name]).expect(0);
    // A syntax error is told where it is, and the file stays.
    let broken = untidy.replace("title=\"Two storeys\"", "title=Two storeys");
    let path = file("broken.toml", &broken);
    let outcome = interfield(&["fmt", path.to_str().unwrap(), name]).expect(2);
    assert!(outcome.stderr.contains("broken.toml:2:") && outcome.stderr.contains("in quotes"), "{}", outcome.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
    interfield(&["fmt", "missing.toml"]).expect(1);
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    let path = file("piped.toml", "a=1\n[b]\nc=[ 1,2 ]\n");
    let input = || Stdio::from(std::fs::File::open(&path).unwrap());
    let output = program().args(["fmt", "-"]).stdin(input()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "a = 1\n\n[b]\nc = [1, 2]\n");
    let checked = program().args(["fmt", "--check", "-"]).stdin(input()).output().unwrap();
    assert_eq!(checked.status.code(), Some(3));
}

#[test]
fn completions_and_manual_pages_know_all_commands() {
    let help = interfield(&["--help"]).expect(0).stdout;
    let listed = help.lines().skip_while(|l| !l.starts_with("Commands:")).skip(1).take_while(|l| !l.is_empty());
    // Longer indentation continues an explanation.
    let listed = listed.filter(|l| !l.starts_with("   "));
    let commands: Vec<&str> = listed.filter_map(|l| l.split_whitespace().next()).filter(|c| *c != "help").collect();
    assert!(commands.len() >= 16 && commands.contains(&"check"), "{commands:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = interfield(&["completions", shell]).expect(0).stdout;
        commands.iter().for_each(|c| assert!(script.contains(c), "{shell} does not know {c}"));
    }
    interfield(&["man", "--out", "man"]).expect(0);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    for command in commands {
        let page = std::fs::read_to_string(folder.join(format!("interfield-{command}.1"))).unwrap();
        // Manual pages write a hyphen as \-.
        let page = page.replace("\\-", "-");
        assert!(page.contains("Examples:") && page.contains(&format!("interfield {command}")), "{page}");
    }
    assert!(interfield(&["man"]).expect(0).stdout.contains(".TH interfield 1"));
}
