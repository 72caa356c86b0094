//! What belongs to the evidence of a test, found from its result file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interfield_language::include::parts;
use interfield_results::{Meta, Reader, Setting};
use serde_json::{Map, Value, json};

use super::{Content, Item, Part};
use crate::laboratory::PREFIX;
use crate::outputs::recordings;
use crate::quantities::UNITS;
use crate::record::{self, FOLDER, HASH, OVERRIDES};
use crate::sha256;

/// Something without which the evidence is not whole, in words.
pub(crate) type Missing = String;

/// All files of the evidence of a test with this name in the pack, and what its replay needs to know; or everything that
/// is missing or has changed. Files of the model are looked for in its folder at the time of the run, then in `from`.
pub fn gather(reader: &Reader, name: &str, from: &[PathBuf]) -> Result<(Vec<Item>, Value), Vec<Missing>> {
    let meta = reader.meta();
    let evidence: Value = reader.evidence().ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default();
    let mut missing = Vec::new();
    let mut items = model(meta, name);
    let files = records(meta, name, from, &mut items, &mut missing);
    items.extend(settings(meta, name));
    items.extend(output(reader, &evidence, name));
    let mut contents = json!({
        "name": name,
        "model": format!("{}/{name}.toml", Part::GlobalModel.folder()),
        "overrides": setting(meta, OVERRIDES).and_then(|text| serde_json::from_str::<Value>(text).ok()),
        "files": files,
    });
    let is_recording = reader.channels().iter().any(|c| c.name.ends_with(".command"));
    let mut add = |part: Part, name: String, about: &str, path: &Path| {
        items.push(Item { part, name: name.clone(), about: about.to_owned(), content: Content::Copy(path.to_owned()) });
        format!("{}/{name}", part.folder())
    };
    let about = "Recording of the laboratory, sample by sample (HDF5)";
    if is_recording {
        // A served test has no other result.
        let path = add(Part::ExpOutput, format!("{name}.lab.h5"), about, reader.path());
        contents["recordings"] = json!([path]);
    } else {
        let path = add(Part::SimOutput, format!("{name}.h5"), "Result of the run (HDF5)", reader.path());
        contents["result"] = json!(path);
        let found = of_test(reader.path(), &evidence, &mut missing);
        let logs = found.iter().filter_map(|(path, ending)| {
            let (own, name) = (Reader::open(path).ok()?, format!("{name}.{ending}.log.txt"));
            Some(text(Part::CoordinatorOutput, name, "Log of the laboratory, with the operator commands", own.log()))
        });
        let logs: Vec<Item> = logs.collect();
        let one = |(path, ending): (PathBuf, String)| add(Part::ExpOutput, format!("{name}.{ending}"), about, &path);
        contents["recordings"] = found.into_iter().map(one).collect::<Vec<_>>().into();
        items.extend(logs);
    }
    if missing.is_empty() { Ok((items, contents)) } else { Err(missing) }
}

fn setting<'a>(meta: &'a Meta, name: &str) -> Option<&'a str> {
    meta.setting(name).and_then(Setting::text)
}

fn text(part: Part, name: String, about: &str, text: impl Into<Vec<u8>>) -> Item {
    Item { part, name, about: about.to_owned(), content: Content::Bytes(text.into()) }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The model with all files it includes in one, and each of them for itself.
fn model(meta: &Meta, name: &str) -> Vec<Item> {
    let whole = text(Part::GlobalModel, format!("{name}.toml"), "Model file, with all it includes", &*meta.model_text);
    let included = parts(&meta.model_text).into_iter().skip(1);
    let one = |(path, contents): (String, String)| {
        let about = format!("`{path}`, included by the model file");
        text(Part::GlobalModel, format!("{name}.includes/{}", inside(&path)), &about, contents)
    };
    std::iter::once(whole).chain(included.map(one)).collect()
}

/// A path of a model file as one below a folder.
fn inside(path: &str) -> String {
    let part = |p: &str| if p == ".." { "up".to_owned() } else { p.replace([':', '\\'], "_") };
    path.split('/').filter(|p| !p.is_empty() && *p != ".").map(part).collect::<Vec<_>>().join("/")
}

/// The files that the model refers to, as they were when it was run: by the names it has for them, where they are in the pack.
fn records(
    meta: &Meta,
    name: &str,
    from: &[PathBuf],
    items: &mut Vec<Item>,
    missing: &mut Vec<Missing>,
) -> BTreeMap<String, String> {
    let mut places = BTreeMap::new();
    let folders: Vec<PathBuf> =
        setting(meta, FOLDER).map(PathBuf::from).into_iter().chain(from.iter().cloned()).collect();
    let hashes = meta.settings.iter().filter_map(|(n, hash)| Some((n.strip_prefix(HASH)?, hash.text()?)));
    for (path, hash) in hashes {
        let tried: Vec<PathBuf> = folders.iter().map(|f| f.join(path)).filter(|p| p.is_file()).collect();
        let same = |p: &&PathBuf| sha256::of_file(p).is_ok_and(|found| found == *hash);
        match tried.iter().find(same) {
            Some(found) => {
                let stored = format!("{name}.files/{}", inside(path));
                places.insert(path.to_owned(), format!("{}/{stored}", Part::GlobalModel.folder()));
                let (about, content) = (format!("`{path}` of the model file"), Content::Copy(found.clone()));
                items.push(Item { part: Part::GlobalModel, name: stored, about, content });
            }
            None if tried.is_empty() => {
                let looked: Vec<String> = folders.iter().map(|f| format!("`{}`", f.display())).collect();
                missing.push(format!("`{path}` of the model was not found in {}", looked.join(", ")));
            }
            None => missing.push(format!(
                "`{}` has changed since the run: its SHA-256 was {hash}",
                tried.first().unwrap_or(&PathBuf::new()).display()
            )),
        }
    }
    places
}

/// Settings: of the coordinator, of what was computed, of what stood in the laboratory.
fn settings(meta: &Meta, name: &str) -> Vec<Item> {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok().filter(Value::is_object).unwrap_or(json!(text));
    let mut all = match record::settings_json(&meta.settings) {
        Value::Object(all) => all,
        _ => Map::new(),
    };
    // Settings of the laboratory are documents themselves.
    all.values_mut().for_each(|v| *v = v.as_str().map_or_else(|| v.clone(), value));
    let coordinator = json!({
        "program": meta.program, "version": meta.version, "begun": meta.created, "title": meta.title, "settings": all,
    });
    let computed: Map<String, Value> = all
        .iter()
        .filter(|(n, _)| !n.starts_with(PREFIX) && *n != OVERRIDES)
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect();
    let mut items = vec![
        text(Part::Coordinator, format!("{name}.json"), "Program, version and all settings", pretty(&coordinator)),
        text(
            Part::SimSubstructure,
            format!("{name}.json"),
            "Settings of the computed substructures",
            pretty(&json!(computed)),
        ),
    ];
    let specimens = all.iter().filter(|(n, v)| n.starts_with(PREFIX) && v.get("limits").is_some());
    for (key, specimen) in specimens {
        let own = format!("{key}.");
        let of_it: Map<String, Value> =
            all.iter().filter(|(n, _)| *n == key || n.starts_with(&own)).map(|(n, v)| (n.clone(), v.clone())).collect();
        let stem = format!("{name}.{}", key.strip_prefix(PREFIX).unwrap_or(key));
        let part = Part::ExpSubstructure;
        items.push(text(part, format!("{stem}.json"), "Settings of a specimen", pretty(&json!(of_it))));
        let matrix = fault_matrix(&specimen["limits"]);
        items.push(text(part, format!("{stem}.faults.csv"), "Its limits, and what follows when one is passed", matrix));
    }
    items
}

/// What is watched, and what follows, as a table.
fn fault_matrix(limits: &Value) -> String {
    let mut table = "limit,at,unit,samples,action\n".to_owned();
    for (name, watch) in limits.as_object().into_iter().flatten() {
        let cell = |key: &str| watch.get(key).filter(|v| !v.is_null()).map_or_else(String::new, |v| v.to_string());
        let action = watch["action"].as_str().unwrap_or("not watched");
        let unit = watch[UNITS]["at"].as_str().unwrap_or_default();
        table += &format!("{name},{},{unit},{},{action}\n", cell("at"), cell("samples"));
    }
    table
}

/// How it went: verdict, numbers, timing, log.
fn output(reader: &Reader, evidence: &Value, name: &str) -> Vec<Item> {
    let went = json!({
        "outcome": reader.outcome().words(),
        "verdict": evidence["verdict"],
        "good": evidence["good"],
        "rows": reader.rows(),
        "rows_missing": reader.dropped(),
        "timings": evidence["timings"],
        "laboratory": evidence["laboratory"],
        "warnings": evidence["log"],
    });
    vec![
        text(Part::CoordinatorOutput, format!("{name}.json"), "Verdict, its numbers, and timing", pretty(&went)),
        text(Part::CoordinatorOutput, format!("{name}.log.txt"), "Log of the run", reader.log()),
    ]
}

/// The recordings of a test, with the end of their names. Those it tells of lie beside it.
fn of_test(results: &Path, evidence: &Value, missing: &mut Vec<Missing>) -> Vec<(PathBuf, String)> {
    let told = evidence["laboratory"].as_array().map(|tests| {
        tests.iter().filter_map(|t| Path::new(t["recording"].as_str()?).file_name().map(|n| results.with_file_name(n)))
    });
    let paths: Vec<PathBuf> = match told {
        Some(told) => told.collect(),
        // A run that was killed tells nothing.
        None => recordings(results),
    };
    let stem = results.file_stem().unwrap_or_default().to_string_lossy().into_owned() + ".";
    let mut found = Vec::new();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() {
            let ending = file.strip_prefix(&stem).map_or_else(|| file.clone(), str::to_owned);
            found.push((path, ending));
        } else {
            missing.push(format!("the recording `{}` is not beside its result", path.display()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::inside;

    #[test]
    fn no_path_leads_out_of_the_pack() {
        let cases =
            [("a.at2", "a.at2"), ("../x/./a.at2", "up/x/a.at2"), ("/etc/passwd", "etc/passwd"), ("C:\\a", "C__a")];
        for (path, stored) in cases {
            assert_eq!(inside(path), stored);
        }
    }
}
