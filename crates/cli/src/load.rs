//! A model file for a command: the library's, with its words shown and its refusals as exit codes.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::Args;
use interfield::laboratory;
use interfield::{Advised, Cause, Choices, ModelFile, Refused};
use interfield_codegen::Export;
use interfield_language::Model;
use interfield_language::parse::Places;
use interfield_language::parse::pushover::PushOverrides;
use interfield_structure::specimen::Workshop;
use interfield_structure::{Simulation, Structure};
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{complain, print_json};

/// Most substeps, as in a model file.
const MOST_SUBSTEPS: i64 = 1_000_000;

/// Settings that replace those of the file.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ModelArgs {
    /// Replace a parameter of the model, e.g. --set k=4000, --set "E=25 GPa"
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Use this scheme instead of the one in the model, see `interfield schemes`
    #[arg(long)]
    pub scheme: Option<String>,
    /// Set a parameter of the scheme, e.g. --param gamma=plus
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub param: Vec<(String, String)>,
    /// Time step, e.g. "1 ms"; a plain number is in the time unit of the model
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub dt: Option<String>,
    /// Duration of the analysis, e.g. "20 s"
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Couple the substructures of the model by this method instead, see `interfield couplings`
    #[arg(long, value_name = "METHOD")]
    pub coupling: Option<String>,
    /// Steps of the fine side in one step of the analysis
    #[arg(long, value_name = "N", conflicts_with = "whole", value_parser = clap::value_parser!(u32).range(1..=MOST_SUBSTEPS))]
    pub substeps: Option<u32>,
    /// Run the structure in one piece and ignore the substructures of the model
    #[arg(long, conflicts_with = "coupling")]
    pub whole: bool,
    /// Jacobian that the scheme uses: exact, initial (frozen) or given (estimates in the model)
    #[arg(long, value_name = "POLICY")]
    pub tangent: Option<String>,
    /// What `interfield pushover` says.
    #[arg(skip)]
    pub pushover: Option<PushOverrides>,
}

impl From<&ModelArgs> for Choices {
    fn from(args: &ModelArgs) -> Self {
        let ModelArgs { set, scheme, param, dt, until, coupling, substeps, whole, tangent, pushover } = args.clone();
        Choices { set, scheme, param, dt, until, coupling, substeps, whole, tangent, pushover }
    }
}

impl From<Choices> for ModelArgs {
    fn from(choices: Choices) -> Self {
        let Choices { set, scheme, param, dt, until, coupling, substeps, whole, tangent, pushover } = choices;
        ModelArgs { set, scheme, param, dt, until, coupling, substeps, whole, tangent, pushover }
    }
}

/// The settings of a push, if one is wanted.
pub(crate) fn pushed(settings: &ModelArgs, wanted: bool) -> ModelArgs {
    ModelArgs { pushover: wanted.then(PushOverrides::default), ..settings.clone() }
}

/// `name=value` on the command line.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, for example k=4000")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// How the clock of a test in real time wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Wake {
    /// Sleep: needs no CPU time, wakes late by the latency of the system
    Sleep,
    /// Sleep, then spin the last 100 microseconds
    SleepThenSpin,
    /// Spin: for a core reserved for the test
    Spin,
}

/// What the command line says about time.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RealTime {
    /// Run the specimens in real time, at their time scale; without this option, as fast as possible
    #[arg(long)]
    pub(crate) real_time: bool,
    /// CPU core of the controller thread
    #[arg(long, value_name = "N", requires = "real_time")]
    pub(crate) core: Option<usize>,
    /// Priority of the controller thread under SCHED_FIFO
    #[arg(long, value_name = "1..99", requires = "real_time", default_value_t = 80, value_parser = clap::value_parser!(u8).range(1..=99))]
    priority: u8,
    /// How the controller waits for its next period
    #[arg(long, value_enum, requires = "real_time", default_value = "sleep-then-spin")]
    wake: Wake,
    /// Longest time without an answer from the controller before the test is aborted, s
    #[arg(long, value_name = "SECONDS", requires = "real_time", default_value_t = 1.0)]
    watchdog: f64,
    /// Read operator commands from standard input, one per line: pause, resume, stop, abort, status, note TEXT
    #[arg(long)]
    pub(crate) control: bool,
}

impl Default for RealTime {
    fn default() -> Self {
        let laboratory::RealTime { real_time, core, priority, watchdog, .. } = laboratory::RealTime::default();
        RealTime { real_time, core, priority, wake: Wake::SleepThenSpin, watchdog, control: false }
    }
}

impl From<RealTime> for laboratory::RealTime {
    fn from(args: RealTime) -> Self {
        let RealTime { real_time, core, priority, wake, watchdog, control: _ } = args;
        let wake = match wake {
            Wake::Sleep => laboratory::Wake::Sleep,
            Wake::SleepThenSpin => laboratory::Wake::SleepThenSpin,
            Wake::Spin => laboratory::Wake::Spin,
        };
        laboratory::RealTime { real_time, core, priority, wake, watchdog }
    }
}

/// What the command line says about the start of a test.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Arming {
    /// Arm a test on a real specimen; it starts after confirmation
    #[arg(long)]
    arm: bool,
    /// Confirm the start of a test with the name of its specimen (several: separated by commas); without it, the
    /// terminal asks
    #[arg(long, value_name = "SPECIMEN", requires = "arm")]
    confirm: Option<String>,
    /// Start without a passed rehearsal of exactly this model; the reason is stored with the test
    #[arg(long = "override", value_name = "REASON", requires = "arm")]
    reason: Option<String>,
}

impl From<&Arming> for laboratory::Arming {
    fn from(args: &Arming) -> Self {
        let Arming { arm, confirm, reason } = args.clone();
        laboratory::Arming { arm, confirm, reason, ask: Some(ask) }
    }
}

/// Asks at the terminal for the name of a specimen.
fn ask(name: &str) -> Option<String> {
    use std::io::{BufRead, Write};
    if !std::io::stdin().is_terminal() {
        return None;
    }
    let mut err = std::io::stderr();
    let _ = write!(err, "type `{name}` to start the test: ");
    let _ = err.flush();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).ok()?;
    Some(line.trim().to_owned())
}

/// Whether standard error shows colours.
fn colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Says why something was not done, with `json` as a document too.
pub(crate) fn refuse(json: bool, refused: &Refused) -> Exit {
    complain(refused.render(colour()).trim_end());
    if json {
        print_json(&json!({ "errors": messages(&refused.messages) }));
    }
    match refused.cause {
        Cause::Input => Exit::BadInput,
        Cause::Machine => Exit::Failure,
        Cause::Fault => Exit::Fault,
    }
}

/// Messages for JSON.
pub(crate) fn messages(list: &[interfield::Message]) -> Vec<Value> {
    let one = |m: &interfield::Message| {
        let file = m.file.as_deref().unwrap_or("command line");
        let help = (!m.help.is_empty()).then_some(&m.help);
        json!({
            "severity": m.severity, "file": file, "line": m.line, "column": m.column, "message": m.message,
            "help": help,
        })
    };
    list.iter().map(one).collect()
}

/// A model file, and whether its messages are wanted as JSON.
pub(crate) struct Loaded {
    file: ModelFile,
    json: bool,
}

impl Deref for Loaded {
    type Target = ModelFile;

    fn deref(&self) -> &ModelFile {
        &self.file
    }
}

impl Loaded {
    /// Reads the file at `path`.
    pub(crate) fn open(path: &Path, json: bool) -> Result<Self, Exit> {
        ModelFile::open(path).map(|file| Loaded { file, json }).map_err(|refused| refuse(json, &refused))
    }

    /// A text that is already here.
    pub(crate) fn embedded(name: &str, text: String, folder: PathBuf, json: bool) -> Self {
        Loaded { file: ModelFile::embedded(name, text, folder), json }
    }

    /// The same, with some of the files that it refers to elsewhere.
    pub(crate) fn with_files(self, moved: BTreeMap<String, PathBuf>) -> Self {
        Loaded { file: self.file.with_files(moved), ..self }
    }

    /// Whether messages are wanted as JSON.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Shows why something was refused.
    pub(crate) fn or_refuse<T>(&self, done: Result<T, Refused>) -> Result<T, Exit> {
        done.map_err(|refused| refuse(self.json, &refused))
    }

    /// Shows everything found so far, if anything was.
    pub(crate) fn show(&self) {
        let shown = self.file.render(colour());
        if !shown.is_empty() {
            complain(&shown);
        }
    }

    /// Everything found so far, for JSON.
    pub(crate) fn messages(&self) -> Vec<Value> {
        messages(&self.file.messages())
    }

    /// Parses the model.
    pub(crate) fn model(&self, args: &ModelArgs) -> Result<(Model, Places), Exit> {
        self.or_refuse(self.file.model(&args.into()))
    }

    /// Parses the model with other settings, without a word; the error is the first mistake.
    pub(crate) fn variant(&self, args: &ModelArgs) -> Result<Model, String> {
        self.file.variant(&args.into())
    }

    /// The model as plain TOML, with everything written out.
    pub(crate) fn expanded(&self, args: &ModelArgs) -> Result<String, Exit> {
        self.or_refuse(self.file.expanded(&args.into()))
    }

    /// The model as C files called `name`.
    pub(crate) fn export(&self, args: &ModelArgs, name: &str) -> Result<Export, Exit> {
        self.or_refuse(self.file.export(&args.into(), name))
    }

    /// Parses and assembles the model; shows warnings.
    pub(crate) fn structure(&self, args: &ModelArgs) -> Result<Structure, Exit> {
        let structure = self.or_refuse(self.file.structure(&args.into()))?;
        self.show();
        Ok(structure)
    }

    /// The model with what a careful colleague would say about it; `modes` are wanted for their own sake, and what was said is shown without them.
    pub(crate) fn advised(&self, args: &ModelArgs, modes: Option<usize>) -> Result<Advised, Exit> {
        let (model, places) = self.model(args)?;
        self.advised_model(model, &places, modes)
    }

    /// The same for a model of this file that was read, and settled, before.
    pub(crate) fn advised_model(&self, model: Model, places: &Places, modes: Option<usize>) -> Result<Advised, Exit> {
        let advised = self.or_refuse(self.file.advised_model(model, places, modes))?;
        if modes.is_none() {
            self.show();
        }
        Ok(advised)
    }

    /// Starts a structure of this file, with rigs from a workshop.
    pub(crate) fn start(
        &self,
        structure: Structure,
        places: &Places,
        workshop: &mut dyn Workshop,
    ) -> Result<Simulation, Exit> {
        self.or_refuse(self.file.start(structure, places, workshop))
    }
}
