//! `interfield new`: a commented model to start from.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_language::diag::did_you_mean;
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use crate::schema;
use interfield::files::write;

/// Create a model: a commented file that runs as it is, for you to edit
///
/// The JSON Schema is written beside it, so that editors complete and explain the keys; see `interfield schema`.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield new tower\n  interfield new bridge.toml --template frame\n  \
interfield new test --template hybrid\n  interfield new --list")]
pub(crate) struct Args {
    /// Name of the model, or path of its file
    #[arg(default_value = "model")]
    name: PathBuf,
    /// What to start from
    #[arg(short, long, value_name = "KIND", default_value = "shear-building")]
    template: String,
    /// List the templates
    #[arg(long)]
    list: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A model to start from.
struct Template {
    name: &'static str,
    /// One line.
    doc: &'static str,
    text: &'static str,
    /// A file that it needs beside it: name and contents.
    beside: Option<(&'static str, &'static str)>,
    /// What to type next, line by line; `{}` is the file.
    next: &'static [&'static str],
}

/// A structure that is computed as a whole.
const fn computed(name: &'static str, doc: &'static str, text: &'static str) -> Template {
    Template { name, doc, text, beside: None, next: &["interfield check {}", "interfield run {}"] }
}

const REHEARSED: &[&str] = &["interfield check {}", "interfield rehearse {}", "interfield run {}"];

/// All templates by what they are for, the usual one first.
const TEMPLATES: &[(&str, &[Template])] = &[
    (
        "structures",
        &[
            computed(
                "shear-building",
                "storeys with one displacement each: the usual first model",
                include_str!("../../templates/shear-building.toml"),
            ),
            computed("isolated", "a building on hysteretic isolators", include_str!("../../templates/isolated.toml")),
            computed("frame", "a plane frame of beams and columns", include_str!("../../templates/frame.toml")),
            computed("space-frame", "a frame in space", include_str!("../../templates/space-frame.toml")),
            computed(
                "chain",
                "masses and springs under a force, with an element written as a formula",
                include_str!("../../templates/chain.toml"),
            ),
            computed("pendulum", "a pendulum on a moving floor", include_str!("../../templates/pendulum.toml")),
        ],
    ),
    (
        "hybrid tests",
        &[
            Template {
                name: "hybrid",
                doc: "a specimen with its actuator, sensors, compensation and limits",
                text: include_str!("../../templates/hybrid.toml"),
                beside: None,
                next: REHEARSED,
            },
            Template {
                name: "hybrid-two-actuators",
                doc: "a slow (pseudo-dynamic) test with two actuators",
                text: include_str!("../../templates/hybrid-two-actuators.toml"),
                beside: None,
                next: REHEARSED,
            },
            Template {
                name: "rig-l-plan",
                doc: "three actuators on an L-shaped plan: two displacements and a rotation",
                text: include_str!("../../templates/rig-l-plan.toml"),
                beside: None,
                next: REHEARSED,
            },
            Template {
                name: "cyclic",
                doc: "a quasi-static cyclic test by a protocol of displacements",
                text: include_str!("../../templates/cyclic.toml"),
                beside: None,
                next: &["interfield check {}", "interfield rehearse {}", "interfield pushover {}"],
            },
        ],
    ),
    (
        "with other processes",
        &[
            Template {
                name: "distributed",
                doc: "a specimen in another process or on another machine",
                text: include_str!("../../templates/distributed.toml"),
                beside: None,
                next: &[
                    "interfield check {}",
                    "interfield rehearse {}",
                    "interfield lab {}   # first, in a second terminal: it plays the laboratory",
                    "interfield run {}   # then, here",
                ],
            },
            Template {
                name: "external-opensees",
                doc: "a frame that OpenSees computes, and a specimen",
                text: include_str!("../../templates/external-opensees.toml"),
                beside: Some(("opensees-frame.py", include_str!("../../../../docs/examples/opensees-frame.py"))),
                next: &[
                    "interfield check {}",
                    "interfield rehearse {}",
                    "python3 -m pip install openseespy   # unless it is installed: `run` needs it",
                    "interfield run {}",
                ],
            },
        ],
    ),
];

fn templates() -> impl Iterator<Item = &'static Template> {
    TEMPLATES.iter().flat_map(|(_, list)| *list)
}

pub(crate) fn run(args: &Args) -> Exit {
    if args.list {
        list(args.json);
        return Exit::Done;
    }
    let Some(template) = templates().find(|t| t.name == args.template) else {
        let names: Vec<&str> = templates().map(|t| t.name).collect();
        let help = did_you_mean(&args.template, names.iter().copied())
            .unwrap_or_else(|| format!("templates are {}", names.join(", ")));
        fail(args.json, None, None, &format!("there is no template `{}`", args.template), &help);
        return Exit::BadInput;
    };
    let path = match args.name.extension() {
        Some(e) if e == "toml" => args.name.clone(),
        _ => PathBuf::from(format!("{}.toml", args.name.display())),
    };
    let script = template.beside.map(|(name, text)| (path.with_file_name(name), text));
    // A script that was changed is somebody's work, too.
    let changed = |(file, text): &(PathBuf, &str)| std::fs::read(file).is_ok_and(|there| there != text.as_bytes());
    let own = script.as_ref().filter(|script| changed(script)).map(|(file, _)| file);
    if let Some(there) = Some(&path).filter(|p| p.exists()).or(own).filter(|_| !args.force) {
        let message = format!("`{}` exists already", there.display());
        fail(args.json, None, None, &message, "give another name or folder, or --force to replace it");
        return Exit::BadInput;
    }
    let schema = path.with_file_name(schema::FILE);
    let text = format!("#:schema {}\n{}", schema::FILE, template.text);
    let script_text = script.as_ref().map(|(file, text)| (file, (*text).to_owned()));
    for (file, contents) in [(&path, text), (&schema, schema::text())].into_iter().chain(script_text) {
        if let Err(message) = write(file, &contents) {
            fail(args.json, Some(&file.display().to_string()), None, &message, "give another name or folder");
            return Exit::Failure;
        }
    }
    let shown = quoted(&path);
    let next: Vec<String> = template.next.iter().map(|line| line.replace("{}", &shown)).collect();
    if args.json {
        print_json(&json!({
            "model": path.display().to_string(), "schema": schema.display().to_string(), "template": template.name,
            "script": script.map(|(file, _)| file.display().to_string()), "next": next,
        }));
    } else {
        let script = script.map_or_else(String::new, |(file, _)| format!("{}: its script\n", file.display()));
        let lines: String = next.iter().map(|line| format!("  {line}\n")).collect();
        print(&format!("{}: a model of kind {}, ready to run\n{script}{lines}", path.display(), template.name));
    }
    Exit::Done
}

/// A file as it is typed in a shell.
fn quoted(path: &Path) -> String {
    let name = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@".contains(c);
    if name.chars().all(plain) { name } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

fn list(as_json: bool) {
    if as_json {
        let one = |group: &str, t: &Template| json!({ "name": t.name, "doc": t.doc, "group": group });
        let all = TEMPLATES.iter().flat_map(|(group, list)| list.iter().map(move |t| one(group, t)));
        return print_json(&Value::Array(all.collect()));
    }
    let width = templates().map(|t| t.name.len()).max().unwrap_or(0);
    for (group, list) in TEMPLATES {
        let lines: String = list.iter().map(|t| format!("  {:width$}  {}\n", t.name, t.doc)).collect();
        print(&format!("{group}\n{lines}\n"));
    }
    print("`interfield new NAME --template TEMPLATE` starts a model from one.\n");
}
