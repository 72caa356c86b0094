//! `interfield export fmu`: a model and its scheme as a functional mock-up unit.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args as ClapArgs, ValueEnum};
use interfield::quantities::UNITS;
use interfield_codegen::GENERATOR;
use interfield_codegen::wrap::fmu::{Fmi, Unit, unit};
use interfield_fmi::{Version, archive, extension, folders};
use serde_json::json;

use super::summary;
use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json};
use interfield::files::{self, has_extension};

/// Write a model and its scheme as a functional mock-up unit (FMI 2.0 or 3.0, co-simulation)
///
/// The FMU contains its sources and, if a C compiler is installed (`cc`, or the one named in CC), a binary for this
/// machine. Its outputs are the channels. The ground motion is that of the model file, or comes from the inputs if the
/// parameter motion_from_inputs is set.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield export fmu models/frame.toml --out frame.fmu\n  \
interfield export fmu models/frame.toml --out frame.fmu --fmi 3 --scheme newmark")]
pub(super) struct Args {
    /// Model file (TOML)
    model: PathBuf,
    /// File to write: FILE.fmu
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Version of the standard
    #[arg(long, value_enum, default_value = "2")]
    fmi: Standard,
    /// Include no binary
    #[arg(long)]
    sources_only: bool,
    /// Print what was written, or the errors, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ModelArgs,
}

/// A version of the standard.
#[derive(Clone, Copy, ValueEnum)]
enum Standard {
    /// FMI 2.0, supported by most programs
    #[value(name = "2")]
    Two,
    /// FMI 3.0
    #[value(name = "3")]
    Three,
}

/// Why there is no binary.
enum NoBinary {
    /// There is no compiler; why.
    NoCompiler(String),
    /// It refused; what it said.
    Refused(String),
}

pub(super) fn run(args: &Args) -> Exit {
    if !has_extension(&args.out, "fmu") {
        let message = format!("`{}`: the file name of an FMU must end in .fmu", args.out.display());
        fail(args.json, None, None, &message, "write --out NAME.fmu");
        return Exit::BadInput;
    }
    let made = Loaded::open(&args.model, args.json).and_then(|loaded| {
        let stem = args.out.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        loaded.export(&args.settings, &stem)
    });
    let export = match made {
        Ok(export) => export,
        Err(exit) => return exit,
    };
    let (fmi, version) = match args.fmi {
        Standard::Two => (Fmi::Two, Version::Two),
        Standard::Three => (Fmi::Three, Version::Three),
    };
    let unit = unit(&export, fmi);
    let mut packed: Vec<(String, Vec<u8>)> =
        unit.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
    let mut without = args.sources_only.then(|| "--sources-only was given".to_owned());
    if !args.sources_only {
        match compile(&unit) {
            Ok(binary) => packed.push((format!("binaries/{}/{}", folders(version)[0], library(&unit)), binary)),
            Err(NoBinary::NoCompiler(why)) => {
                complain(&format!("warning: the FMU has no binary: {why}"));
                complain("help: install a C compiler, or name one in the environment variable CC");
                without = Some(why);
            }
            Err(NoBinary::Refused(said)) => {
                let help = "name another compiler in CC, or write --sources-only";
                fail(args.json, None, None, &format!("the C compiler rejects the sources of the FMU:\n{said}"), help);
                return Exit::Failure;
            }
        }
    }
    let name = args.out.display().to_string();
    let written = archive::pack(&packed).map_err(|e| files::unwritten(&args.out, &e));
    if let Err(message) = written.and_then(|bytes| files::write(&args.out, bytes)) {
        fail(args.json, Some(&name), None, &message, "give another file with --out");
        return Exit::Failure;
    }
    let i = &export.interface;
    if args.json {
        let names: Vec<&str> = packed.iter().map(|f| f.0.as_str()).collect();
        print_json(&json!({
            "output": name, "version": version.name(), "files": names, "dt": i.dt, "steps": i.steps,
            UNITS: { "dt": "s" }, "generator": GENERATOR, "model_sha256": i.origin.sha256,
            "without_binary": without,
        }));
    } else {
        let binary = if without.is_some() { "sources only" } else { "sources and a binary for this machine" };
        print(&format!(
            "{name}: {}, {binary}\n  {}\n  \
             `interfield fmu {name}` shows its variables, `interfield fmu {name} --run` runs it.\n",
            version.name(),
            summary(i),
        ));
    }
    Exit::Done
}

fn library(unit: &Unit) -> String {
    format!("{}.{}", unit.name, extension())
}

/// The binary of a unit for this machine.
fn compile(unit: &Unit) -> Result<Vec<u8>, NoBinary> {
    let io = |what: &str, e: &dyn std::fmt::Display| NoBinary::NoCompiler(format!("{what}: {e}"));
    let folder =
        interfield_fmi::scratch::Scratch::new("compile").map_err(|e| io("no folder for temporary files", &e))?;
    for (name, text) in &unit.files {
        files::write(&folder.path().join(name), text).map_err(|e| io("no folder for temporary files", &e))?;
    }
    let compiler = std::env::var("CC").ok().filter(|c| !c.trim().is_empty()).unwrap_or_else(|| "cc".to_owned());
    // CC may hold arguments, as make knows it.
    let mut words = compiler.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words).current_dir(folder.path());
    // A fused multiply-add would round differently from the library.
    command.args(["-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-shared", "-o"]);
    let library = Path::new(&library(unit)).to_path_buf();
    command.arg(&library).args(&unit.sources).arg("-lm");
    let out = command.output().map_err(|e| io(&format!("`{compiler}` cannot be started"), &e))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr).trim_end().to_owned();
        return Err(NoBinary::Refused(said));
    }
    std::fs::read(folder.path().join(&library)).map_err(|e| NoBinary::Refused(e.to_string()))
}
