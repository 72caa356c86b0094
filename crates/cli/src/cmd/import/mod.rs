//! `interfield import`: scripts of other programs as model files.

mod answer;
mod compare;
mod modes;
mod recording;
mod told;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand};
use interfield_fmi::scratch::Scratch;
use interfield_opensees::{Fate, Finding, Import, ModelFile, Options, Record, peer, translate, units};
use serde_json::{Value, json};

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use crate::stored;
use compare::{Comparing, Comparison};
use interfield::files::write;
use interfield::sha256;
use interfield::table::{short, wrapped};
use recording::Recording;

/// Translate a script of another program into model files
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield import opensees frame.py\n  \
interfield import opensees frame.py --units kip,in -o frame.toml")]
pub(crate) struct Args {
    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand)]
enum Program {
    Opensees(OpenSees),
    #[command(hide = true)]
    Answer(answer::Args),
}

/// Translate a script of OpenSees (Python or Tcl): run it against a recording module, and write what it builds as a model
///
/// The script is run by your own Python (or by tclsh), in its own folder, with a module instead of openseespy that records every command and
/// computes nothing; OpenSees need not be installed. A script is a program: import only what you would run. Each analysis that differs
/// becomes a model file: loads held by loadConst are gravity, DisplacementControl becomes [pushover], an analysis in time [analysis].
/// Eigenvalues that the script asks for are computed by Interfield. Everything that is not translated as it stands is listed with its
/// line: ignored (no effect on the mechanics), replaced (and how far that differs), or refused (then no file is written).
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield import opensees frame.py\n  \
interfield import opensees frame.py --units kN,m -o models/\n  \
interfield import opensees frame.py --allow Pinching4 --json\n  \
interfield import opensees frame.tcl --compare --halve --plot both.svg\n  \
interfield import opensees ida.py -- record1.txt 0.5\n\n\
Exit codes:\n  \
0    done; with --tolerance, every channel is within it\n  \
1    a file could not be read or written, or a program (Python, tclsh, OpenSees) is missing\n  \
2    something is refused, and no model is written; or the command line is wrong\n  \
3    a difference relative to the peak exceeds --tolerance, or an analysis could not be compared")]
struct OpenSees {
    /// The script, FILE.py or FILE.tcl
    script: PathBuf,
    /// Arguments of the script
    #[arg(last = true)]
    arguments: Vec<String>,
    /// Where the model goes: FILE.toml or a folder [default: the name of the script, here]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Units of the script, a force and a length: N,m or kN,mm or kip,in ... [default: guessed from its numbers]
    #[arg(long, value_name = "FORCE,LENGTH")]
    units: Option<String>,
    /// Leave out a command that is refused, by its name or its type; may be repeated
    #[arg(long, value_name = "NAME")]
    allow: Vec<String>,
    /// The Python that runs the script [default: that of an environment that is active or beside the script, else python3]
    #[arg(long, value_name = "PROGRAM")]
    python: Option<String>,
    /// Longest time that the script may take, s
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    timeout: f64,
    /// Run the script also in OpenSees (openseespy of PyPI), with the same steps, and show how the results differ
    #[arg(long)]
    compare: bool,
    /// Compare also with half the step: which of the two programs moves?
    #[arg(long, requires = "compare")]
    halve: bool,
    /// Largest difference allowed, relative to the peak of the channel; exit code 3 if exceeded
    #[arg(long, value_name = "REL", requires = "compare", allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Draw both results over each other into this file, FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", requires = "compare")]
    plot: Option<PathBuf>,
    /// Show what the script prints
    #[arg(long)]
    show_output: bool,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match &args.program {
        Program::Opensees(args) => args.run(),
        Program::Answer(args) => args.run(),
    }
}

impl OpenSees {
    fn run(&self) -> Exit {
        match self.import() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn fail<T>(&self, exit: Exit, message: &str, help: &str) -> Result<T, Exit> {
        fail(self.json, Some(&self.script.display().to_string()), None, message, help);
        Err(exit)
    }

    fn import(&self) -> Result<Exit, Exit> {
        let bytes = std::fs::read(&self.script).or_else(|e| {
            self.fail(Exit::Failure, &format!("{} cannot be read: {e}", self.script.display()), "check the path")
        })?;
        let units = match self.units.as_deref().map(units::told).transpose() {
            Ok(units) => units,
            Err(help) => return self.fail(Exit::BadInput, "these units are unknown", &help),
        };
        if !(self.timeout > 0.0 && self.timeout < 1e7) {
            return self.fail(Exit::BadInput, "--timeout must be greater than zero", "write --timeout 60");
        }
        if let Some(bad) = self.tolerance.filter(|t| !(t.is_finite() && *t >= 0.0)) {
            let message = format!("--tolerance must be zero or greater, found {bad}");
            return self.fail(Exit::BadInput, &message, "write --tolerance 1e-6");
        }
        if let Some(path) = &self.plot {
            stored::check_output(path, &["svg", "png"], &[&self.script], self.json)?;
        }
        let (folder, stem) = self.target()?;
        let scratch = Scratch::new("import")
            .or_else(|e| self.fail(Exit::Failure, &format!("no folder for temporary files: {e}"), "check the disk"))?;
        let record = self.record(scratch.path())?;
        let name = self.script.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let version = env!("CARGO_PKG_VERSION");
        let options = Options {
            title: stem.clone(),
            header: vec![
                format!("Translated from the OpenSees script {name} by Interfield {version}."),
                format!("SHA-256 of the script: {}", sha256::of_bytes(&bytes)),
            ],
            stem,
            units,
            allow: self.allow.clone(),
        };
        let base = self.script.parent().map(Path::to_path_buf).unwrap_or_default();
        let import = translate(&record, &options, &|path| reading(&base, path));
        self.finish(&import, &folder, &record)
    }

    /// Folder and name of the model.
    fn target(&self) -> Result<(PathBuf, String), Exit> {
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(match &self.output {
            None => (PathBuf::new(), stem(&self.script)),
            Some(path) if path.extension().is_some_and(|e| e == "toml") => {
                (path.parent().map(Path::to_path_buf).unwrap_or_default(), stem(path))
            }
            Some(folder) => (folder.clone(), stem(&self.script)),
        })
    }

    /// Runs the script and reads what it said.
    fn record(&self, scratch: &Path) -> Result<Record, Exit> {
        let found = peer::candidates(&self.script, active().as_deref());
        let found = found.first().map_or_else(|| "python3".to_owned(), |p| p.display().to_string());
        let recording = Recording {
            script: &self.script,
            arguments: &self.arguments,
            python: self.python.as_deref().unwrap_or(&found),
            timeout: Duration::from_secs_f64(self.timeout),
            show: self.show_output,
        };
        recording.run(scratch).or_else(|(message, help)| self.fail(Exit::Failure, &message, &help))
    }

    /// Writes the models unless something is refused, and tells everything.
    fn finish(&self, import: &Import, folder: &Path, record: &Record) -> Result<Exit, Exit> {
        let refused = import.report.refuses() || import.models.is_empty();
        let paths: Vec<PathBuf> = import.models.iter().map(|m| folder.join(&m.name)).collect();
        if !refused {
            self.write(import, folder)?;
            for path in &paths {
                let loaded = Loaded::open(path, self.json)?;
                loaded.model(&ModelArgs::default())?;
            }
        }
        let shown = Shown { script: &self.script, import, paths: &paths, refused };
        // A comparison takes a while: what is known is told before.
        if !self.json {
            print(&shown.text());
        }
        let compared = match self.compare && !refused {
            true => Some(self.compare(import, folder, record)?),
            false => None,
        };
        if self.json {
            let mut value = shown.json();
            value["comparison"] = compared.as_ref().map_or(Value::Null, Comparison::json);
            print_json(&value);
        } else if let Some(compared) = &compared {
            print(&compared.text());
        }
        let beyond = compared.is_some_and(|c| self.tolerance.is_some_and(|t| !c.is_within(t)));
        Ok(match (refused, beyond) {
            (true, _) => Exit::BadInput,
            (false, true) => Exit::Fault,
            (false, false) => Exit::Done,
        })
    }

    fn compare(&self, import: &Import, folder: &Path, record: &Record) -> Result<Comparison, Exit> {
        let comparing = Comparing {
            script: &self.script,
            arguments: &self.arguments,
            python: self.python.as_deref(),
            halve: self.halve,
            record,
            import,
            folder,
        };
        let compared = comparing.run().or_else(|(message, help)| self.fail(Exit::Failure, &message, &help))?;
        if let Some(path) = &self.plot {
            let drawn = draw(path, &compared.figure(), DPI);
            drawn.or_else(|message| self.fail(Exit::Failure, &message, "give another file with --plot"))?;
        }
        Ok(compared)
    }

    fn write(&self, import: &Import, folder: &Path) -> Result<(), Exit> {
        let files = |m: &ModelFile| {
            let beside = m.beside.iter().map(|(name, text)| (folder.join(name), text.clone()));
            std::iter::once((folder.join(&m.name), m.text.clone())).chain(beside).collect::<Vec<_>>()
        };
        let files: Vec<(PathBuf, String)> = import.models.iter().flat_map(files).collect();
        let changed = |(path, text): &&(PathBuf, String)| std::fs::read(path).is_ok_and(|old| old != text.as_bytes());
        if let Some((path, _)) = files.iter().find(changed).filter(|_| !self.force) {
            let message = format!("`{}` exists already and differs", path.display());
            return self.fail(Exit::BadInput, &message, "give another name with -o, or --force to replace it");
        }
        for (path, text) in &files {
            if let Err(message) = write(path, text) {
                return self.fail(Exit::Failure, &message, "give another folder with -o");
            }
        }
        Ok(())
    }
}

/// The environment of Python that is active.
fn active() -> Option<PathBuf> {
    std::env::var_os("VIRTUAL_ENV").map(PathBuf::from)
}

/// A file that the script names, seen from the folder of the script.
fn reading(folder: &Path, path: &str) -> Result<String, String> {
    let bytes = std::fs::read(folder.join(path)).map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What is told at the end.
struct Shown<'a> {
    script: &'a Path,
    import: &'a Import,
    paths: &'a [PathBuf],
    refused: bool,
}

impl Shown<'_> {
    /// A place as the user wrote the path of the script.
    fn place(&self, finding: &Finding) -> String {
        let folder = self
            .script
            .parent()
            .and_then(|p| std::fs::canonicalize(if p.as_os_str().is_empty() { Path::new(".") } else { p }).ok());
        let file = Path::new(&finding.place.file);
        let short =
            folder.and_then(|f| file.strip_prefix(f).ok().map(Path::to_path_buf)).unwrap_or_else(|| file.to_path_buf());
        match (finding.place.file.is_empty(), finding.place.line) {
            (true, _) => self.script.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            (false, 0) => short.display().to_string(),
            (false, line) => format!("{}:{line}", short.display()),
        }
    }

    fn text(&self) -> String {
        let mut out =
            format!("{} was run and recorded: a script is a program, run only what you trust\n", self.script.display());
        for fate in [Fate::Refused, Fate::Replaced] {
            let list: Vec<&Finding> = self.import.report.of(fate).collect();
            if !list.is_empty() {
                out += &format!("\n{} ({})\n", fate.word(), list.len());
            }
            for f in list {
                let times = if f.times > 1 { format!(" ({} times)", f.times) } else { String::new() };
                out += &wrapped("  ", &format!("{}: {}{times}: {}", self.place(f), f.command, f.message));
                if !f.remedy.is_empty() {
                    out += &wrapped("    ", &format!("-> {}", f.remedy));
                }
            }
        }
        out += &self.ignored();
        if self.refused {
            out += "\nNo model is written. Follow the remedies, or leave a command out with --allow NAME.\n";
            return out;
        }
        let u = &self.import.units;
        let why = match u.reason.as_str() {
            "" => "as told".to_owned(),
            reason if u.blind => format!("assumed: {reason}"),
            reason => format!("guessed: {reason}"),
        };
        out += &format!("\n{}", wrapped("", &format!("units: {}, {}, s ({why})", u.system.force, u.system.length)));
        for (model, path) in self.import.models.iter().zip(self.paths) {
            let shown = path.display();
            out += &format!("{shown}: `interfield {} {shown}`\n", model.command);
            if !model.repeats.is_empty() {
                let peaks: Vec<String> = model.repeats.iter().map(|r| short(r.1)).collect();
                let unit = format!("{}/s^2", self.import.units.system.length);
                out += &wrapped(
                    "  ",
                    &format!(
                        "the script repeats this analysis {} times with other factors of its motion; all of them:",
                        peaks.len()
                    ),
                );
                out += &format!("  `interfield ensemble {shown} --scale-to \"{} {unit}\"`\n", peaks.join(", "));
            }
        }
        out
    }

    /// Commands without effect, in one paragraph.
    fn ignored(&self) -> String {
        let mut names: Vec<&str> = self.import.report.of(Fate::Ignored).map(|f| f.command.as_str()).collect();
        names.dedup();
        if names.is_empty() {
            return String::new();
        }
        format!(
            "\nignored ({})\n{}",
            names.len(),
            wrapped("  ", &format!("{}; --json has lines and reasons", names.join(", ")))
        )
    }

    fn json(&self) -> Value {
        let finding = |f: &Finding| {
            json!({
                "kind": f.fate.word(), "command": f.command, "file": f.place.file, "line": f.place.line, "times": f.times,
                "message": f.message, "remedy": (!f.remedy.is_empty()).then_some(&f.remedy),
            })
        };
        let model = |(m, path): (&ModelFile, &PathBuf)| {
            let beside: Vec<&String> = m.beside.iter().map(|b| &b.0).collect();
            json!({ "file": path.display().to_string(), "command": m.command, "beside": beside, "factors": m.repeats.iter().map(|r| r.0).collect::<Vec<_>>() })
        };
        let models: Vec<Value> = match self.refused {
            true => Vec::new(),
            false => self.import.models.iter().zip(self.paths).map(model).collect(),
        };
        let u = &self.import.units;
        let units = json!({ "force": u.system.force, "length": u.system.length, "time": "s", "reason": u.reason });
        json!({
            "script": self.script.display().to_string(), "models": models, "units_of_script": units,
            "findings": self.import.report.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    }
}
