//! Reading a model for a command: files, overrides, and the messages when something is wrong.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use interfield_model::diag::{Diagnostics, Source};
use interfield_model::parse::{Overrides, Places, parse};
use interfield_model::{Model, Simulation};
use serde_json::json;

use crate::Exit;

/// Files larger than this are not models or records.
const MAX_FILE: u64 = 1 << 30;

/// Settings that replace those of the file.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ModelArgs {
    /// Replace a parameter of the model, e.g. --set k=4000 or --set "peak=0.3 g"
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Scheme, see `interfield schemes`
    #[arg(long)]
    pub scheme: Option<String>,
    /// Parameter of the scheme, e.g. --param gamma=plus
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub param: Vec<(String, String)>,
    /// Step, e.g. "1 ms" (a plain number is in the time unit of the file)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub dt: Option<String>,
    /// End of the analysis, e.g. "20 s"
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Tangent policy: exact, initial or given
    #[arg(long)]
    pub tangent: Option<String>,
}

impl ModelArgs {
    fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            scheme: self.scheme.clone(),
            scheme_parameters: self.param.clone(),
            dt: self.dt.clone(),
            duration: self.until.clone(),
            tangent: self.tangent.clone(),
        }
    }
}

/// `name=value` on the command line.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Reads a text file of bounded size; the error is a sentence.
fn read_text(path: &Path) -> Result<String, String> {
    let meta = std::fs::metadata(path).map_err(|e| format!("cannot be read: {e}"))?;
    if meta.is_dir() {
        return Err("is a folder, not a file".to_owned());
    }
    if meta.len() > MAX_FILE {
        return Err(format!("has {} bytes, more than a model or record can have", meta.len()));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    String::from_utf8(bytes)
        .map_err(|e| format!("is not a text file (byte {} is not UTF-8)", e.utf8_error().valid_up_to() + 1))
}

/// A model file, read from disk or embedded.
pub(crate) struct Loaded {
    source: Source,
    folder: PathBuf,
    diags: Diagnostics,
    json: bool,
}

impl Loaded {
    /// Reads the file at `path`.
    pub(crate) fn open(path: &Path, json: bool) -> Result<Self, Exit> {
        match read_text(path) {
            Ok(text) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                Ok(Self::embedded(&path.display().to_string(), text, folder, json))
            }
            Err(e) => {
                let message = format!("`{}` {e}", path.display());
                if json {
                    print_json(&json!({ "errors": [{ "file": path.display().to_string(), "message": message }] }));
                }
                eprintln!("error: {message}");
                Err(if path.exists() { Exit::BadInput } else { Exit::Failure })
            }
        }
    }

    /// A text that is already here.
    pub(crate) fn embedded(name: &str, text: String, folder: PathBuf, json: bool) -> Self {
        Loaded { source: Source::new(name, text), folder, diags: Diagnostics::new(), json }
    }

    /// Parses the model.
    pub(crate) fn model(&self, args: &ModelArgs) -> Result<(Model, Places), Exit> {
        let files = |path: &str| read_text(&self.folder.join(path));
        match parse(&self.source, &args.overrides(), &files, &self.diags) {
            Some(found) if !self.diags.has_errors() => Ok(found),
            _ => Err(self.refuse()),
        }
    }

    /// Parses and assembles the model; prints warnings.
    pub(crate) fn simulation(&self, args: &ModelArgs) -> Result<Simulation, Exit> {
        let (model, places) = self.model(args)?;
        match Simulation::new(model) {
            Ok(sim) => {
                sim.warnings.iter().for_each(|w| self.diags.push(places.locate(w)));
                if !self.diags.is_empty() {
                    self.show();
                }
                Ok(sim)
            }
            Err(problems) => {
                problems.iter().for_each(|p| self.diags.push(places.locate(p)));
                Err(self.refuse())
            }
        }
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> &str {
        &self.source.text
    }

    fn show(&self) {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        eprintln!("{}", self.diags.render(&self.source, colour));
    }

    fn refuse(&self) -> Exit {
        self.show();
        if self.json {
            let errors: Vec<_> = self
                .diags
                .located(&self.source)
                .iter()
                .map(|d| {
                    json!({
                        "severity": d.severity, "file": d.file, "line": d.line, "column": d.column,
                        "message": d.message, "help": d.help,
                    })
                })
                .collect();
            print_json(&json!({ "errors": errors }));
        }
        Exit::BadInput
    }
}

/// Prints a JSON document on standard output; a reader that has gone away is no error.
pub(crate) fn print_json(value: &serde_json::Value) {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints text on standard output; a reader that has gone away is no error.
pub(crate) fn print(text: &str) {
    let _ = write!(std::io::stdout(), "{text}");
}
