//! What a pack says of itself: a research object by RO-Crate 1.1 (w3id.org/ro/crate/1.1), and the entities of a hybrid
//! simulation as DesignSafe keeps them (designsafe-ci.org; the fields are those of its schema, in its spelling).

use serde_json::{Value, json};

use super::{CONTENTS, Item, Part, Written};

/// What whoever packs says about it.
#[derive(Clone, Debug)]
pub struct About {
    /// Title.
    pub title: String,
    /// What was done.
    pub description: String,
    /// Who did it.
    pub authors: Vec<String>,
    /// What others may do with it.
    pub license: Option<String>,
    /// When the first test began and the last one did, ISO 8601.
    pub begun: [String; 2],
    /// Versions of the programs that made the tests.
    pub versions: Vec<String>,
}

/// As entities of DesignSafe, and as a research object.
pub(crate) fn metadata(items: &[Item], written: &[Written], about: &About) -> [Value; 2] {
    [designsafe(items, about), research_object(items, written, about)]
}

/// Parts that have files.
fn filled(items: &[Item]) -> impl Iterator<Item = Part> {
    Part::ALL.into_iter().filter(|part| items.iter().any(|i| i.part == *part))
}

fn designsafe(items: &[Item], about: &About) -> Value {
    const NAME: &str = "designsafe.project.hybrid_simulation";
    let root = "hybrid_simulation".to_owned();
    let id = |part: Part| part.words()[1].to_owned();
    let there = |part: Part| if filled(items).any(|p| p == part) { vec![id(part)] } else { Vec::new() };
    let author = |(order, name): (usize, &String)| {
        let (first, last) = name.rsplit_once(' ').unwrap_or(("", name));
        json!({ "fname": first, "lname": last, "order": order, "authorship": true })
    };
    let mut entities = vec![json!({
        "name": NAME,
        "uuid": root,
        "value": {
            "title": about.title,
            "description": about.description,
            "simulationType": { "id": "Earthquake", "name": "Earthquake" },
            "procedureStart": about.begun[0],
            "procedureEnd": about.begun[1],
            "authors": about.authors.iter().enumerate().map(author).collect::<Vec<_>>(),
            "keywords": ["hybrid simulation"],
        },
    })];
    for part in filled(items) {
        let [folder, entity, title, description] = part.words();
        let files = items.iter().filter(|i| i.part == part).map(|i| {
            let name = i.name.rsplit('/').next().unwrap_or(&i.name);
            json!({ "name": name, "path": i.path(), "type": "file" })
        });
        let mut value = json!({
            "title": title,
            "description": description,
            "hybridSimulations": [root],
            "files": [folder],
            "fileObjs": files.collect::<Vec<_>>(),
        });
        let above: &[(&str, Part)] = match part {
            Part::GlobalModel | Part::Report => &[],
            Part::Coordinator => &[("globalModels", Part::GlobalModel)],
            Part::SimOutput => &[
                ("globalModels", Part::GlobalModel),
                ("coordinators", Part::Coordinator),
                ("simSubstructures", Part::SimSubstructure),
            ],
            Part::ExpOutput => &[
                ("globalModels", Part::GlobalModel),
                ("coordinators", Part::Coordinator),
                ("expSubstructures", Part::ExpSubstructure),
            ],
            _ => &[("globalModels", Part::GlobalModel), ("coordinators", Part::Coordinator)],
        };
        above.iter().for_each(|(field, part)| value[*field] = json!(there(*part)));
        if matches!(part, Part::Coordinator | Part::SimSubstructure) {
            value["applicationVersion"] = json!(about.versions.join(", "));
        }
        entities.push(json!({ "name": format!("{NAME}.{entity}"), "uuid": id(part), "value": value }));
    }
    json!({ "entities": entities })
}

fn research_object(items: &[Item], written: &[Written], about: &About) -> Value {
    let id = |id: &str| json!({ "@id": id });
    let folder = |part: Part| format!("{}/", part.folder());
    let mut graph = vec![json!({
        "@id": super::CRATE,
        "@type": "CreativeWork",
        "conformsTo": { "@id": "https://w3id.org/ro/crate/1.1" },
        "about": { "@id": "./" },
    })];
    let person = |i: usize| format!("#author-{}", i + 1);
    let parts: Vec<Value> = filled(items).map(|p| id(&folder(p))).collect();
    let own = [CONTENTS, super::DESIGNSAFE, super::MANIFEST];
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": about.title,
        "description": about.description,
        "datePublished": about.begun[1],
        "license": about.license.as_deref().unwrap_or("none stated: ask the authors"),
        "keywords": "hybrid simulation",
        "hasPart": parts.into_iter().chain(own.iter().map(|f| id(f))).collect::<Vec<_>>(),
        "mentions": id("#test"),
    });
    if !about.authors.is_empty() {
        root["author"] = (0..about.authors.len()).map(|i| id(&person(i))).collect::<Vec<_>>().into();
    }
    graph.push(root);
    graph.extend(
        about.authors.iter().enumerate().map(|(i, name)| json!({ "@id": person(i), "@type": "Person", "name": name })),
    );
    graph.push(json!({
        "@id": "#interfield",
        "@type": "SoftwareApplication",
        "name": "Interfield",
        "softwareVersion": about.versions.join(", "),
    }));
    let of = |wanted: &[Part]| filled(items).filter(|p| wanted.contains(p)).map(|p| id(&folder(p))).collect::<Vec<_>>();
    graph.push(json!({
        "@id": "#test",
        "@type": "CreateAction",
        "name": "hybrid simulation",
        "startTime": about.begun[0],
        "instrument": id("#interfield"),
        "object": of(&[Part::GlobalModel, Part::Coordinator, Part::SimSubstructure, Part::ExpSubstructure]),
        "result": of(&[Part::CoordinatorOutput, Part::SimOutput, Part::ExpOutput, Part::Report]),
    }));
    for part in filled(items) {
        let [_, _, title, description] = part.words();
        let files: Vec<Value> = items.iter().filter(|i| i.part == part).map(|i| id(&address(&i.path()))).collect();
        graph.push(json!({
            "@id": folder(part), "@type": "Dataset", "name": title, "description": description, "hasPart": files,
        }));
    }
    graph.extend(items.iter().zip(written).map(|(item, w)| {
        json!({
            "@id": address(&w.path), "@type": "File", "name": item.name, "description": item.about,
            "encodingFormat": encoding(&w.path), "contentSize": w.length.to_string(), "sha256": w.hash,
        })
    }));
    let about_own = [
        "Data for a replay",
        "The same data as entities of DesignSafe",
        "Hashes of all other files, for `sha256sum --check`",
    ];
    graph.extend(own.iter().zip(about_own).map(|(file, about)| {
        json!({ "@id": file, "@type": "File", "name": file, "description": about, "encodingFormat": encoding(file) })
    }));
    // The context of 1.1 knows no hashes.
    let context = json!(["https://w3id.org/ro/crate/1.1/context", { "sha256": "https://schema.org/sha256" }]);
    json!({ "@context": context, "@graph": graph })
}

/// A path as a relative address (RFC 3986).
fn address(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn encoding(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("h5") => "application/x-hdf5",
        Some("json") => "application/json",
        Some("html") => "text/html",
        Some("csv") => "text/csv",
        Some("toml") => "application/toml",
        Some("txt") => "text/plain",
        _ => "application/octet-stream",
    }
}
