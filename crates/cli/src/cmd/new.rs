//! `interfield new`: a commented model to start from.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_language::diag::did_you_mean;
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use crate::schema;
use interfield::files::write;
use interfield::table::aligned;

/// Create a model: a commented file that runs as it is, for you to edit
///
/// The JSON Schema is written beside it, so that editors complete and explain the keys; see `interfield schema`.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield new tower\n  interfield new bridge.toml --template frame\n  \
interfield new --list")]
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

/// A template: its name, one line, and the file.
type Template = (&'static str, &'static str, &'static str);

/// All templates, the usual one first.
const TEMPLATES: &[Template] = &[
    (
        "shear-building",
        "storeys with one displacement each: the usual first model",
        include_str!("../../templates/shear-building.toml"),
    ),
    ("isolated", "a building on hysteretic isolators", include_str!("../../templates/isolated.toml")),
    ("frame", "a plane frame of beams and columns", include_str!("../../templates/frame.toml")),
    ("space-frame", "a frame in space", include_str!("../../templates/space-frame.toml")),
    (
        "chain",
        "masses and springs under a force, with an element written as a formula",
        include_str!("../../templates/chain.toml"),
    ),
    ("pendulum", "a pendulum on a moving floor", include_str!("../../templates/pendulum.toml")),
];

pub(crate) fn run(args: &Args) -> Exit {
    if args.list {
        if args.json {
            let list = TEMPLATES.iter().map(|(name, doc, _)| json!({ "name": name, "doc": doc }));
            print_json(&Value::Array(list.collect()));
        } else {
            let rows: Vec<Vec<String>> =
                TEMPLATES.iter().map(|(name, doc, _)| vec![(*name).to_owned(), (*doc).to_owned()]).collect();
            print(&aligned(&["template", "<"], &rows));
            print("\n`interfield new NAME --template TEMPLATE` starts a model from one.\n");
        }
        return Exit::Done;
    }
    let Some((_, _, text)) = TEMPLATES.iter().find(|t| t.0 == args.template) else {
        let names: Vec<&str> = TEMPLATES.iter().map(|t| t.0).collect();
        let help = did_you_mean(&args.template, names.iter().copied())
            .unwrap_or_else(|| format!("templates are {}", names.join(", ")));
        fail(args.json, None, None, &format!("there is no template `{}`", args.template), &help);
        return Exit::BadInput;
    };
    let path = match args.name.extension() {
        Some(e) if e == "toml" => args.name.clone(),
        _ => PathBuf::from(format!("{}.toml", args.name.display())),
    };
    if path.exists() && !args.force {
        let message = format!("`{}` exists already", path.display());
        fail(args.json, None, None, &message, "give another name, or --force to replace it");
        return Exit::BadInput;
    }
    let beside = path.with_file_name(schema::FILE);
    let header = format!("#:schema {}\n", schema::FILE);
    for (file, contents) in [(&path, header + text), (&beside, schema::text())] {
        if let Err(message) = write(file, &contents) {
            fail(args.json, Some(&file.display().to_string()), None, &message, "give another name or folder");
            return Exit::Failure;
        }
    }
    if args.json {
        print_json(&json!({
            "model": path.display().to_string(), "schema": beside.display().to_string(), "template": args.template,
        }));
    } else {
        print(&format!(
            "{}: a model of kind {}, ready to run\n  interfield check {0}\n  interfield run {0}\n",
            path.display(),
            args.template
        ));
    }
    Exit::Done
}
