//! A model file: its text with all it includes, the files that it refers to, and what is found wrong or doubtful about it.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use interfield_codegen::{Export, Origin};
use interfield_language::diag::{Diagnostic, Diagnostics, Located, Source};
use interfield_language::external::{External, Program};
use interfield_language::include::{MOST_BYTES, bundle, gather};
use interfield_language::parse::{Places, expand, parse};
use interfield_language::reduction::Stored;
use interfield_language::{Model, Problem, Subject};
use interfield_structure::advice::{Knowledge, advise};
use interfield_structure::specimen::Workshop;
use interfield_structure::{Modal, Simulation, Structure};

use crate::choices::Choices;
use crate::programs::mistakes;
use crate::refused::{Cause, Message, Refused};
use crate::sha256;
use crate::space::{memory, size};
use crate::stability::machine::{UNCONDITIONAL, scheme_limit};

/// Most bytes of a record or a matrix.
const MAX_RECORD: u64 = interfield_motion::MAX_BYTES as u64;

/// What to do about a model that is too large.
const TOO_LARGE: &str =
    "write repeated parts once, with [part.NAME] and [[use]], or use a template such as [[plane-frame]]";

/// Most bytes of what has no length before it is read: a device or a pipe may have no end.
const MOST_OF_A_DEVICE: u64 = 32 << 20;

/// Bytes of memory that reading and assembling take for each byte of a model; 34 were measured of a million springs with their nodes.
const READING: f64 = 35.0;

/// Models with less text, bytes, fit anywhere.
const SMALL: usize = 4 << 20;

/// Why a text file could not be read.
enum Unread {
    /// It is not there, or it may not be read.
    File(String),
    /// It is too large.
    Size(String),
    /// It was read, but is no text; line and column (in bytes) of the first bad place.
    Text(String, usize, usize),
}

impl Unread {
    fn message(&self) -> &str {
        match self {
            Unread::File(m) | Unread::Size(m) | Unread::Text(m, ..) => m,
        }
    }
}

/// Reads a file of at most `most` bytes; the error is a sentence without its subject.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    read_limited(path, most).map_err(|e| e.message().to_owned())
}

fn read_limited(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let failed = |e: std::io::Error| {
        let why = match e.kind() {
            std::io::ErrorKind::NotFound => "does not exist".to_owned(),
            std::io::ErrorKind::PermissionDenied => "cannot be read (permission denied)".to_owned(),
            _ => format!("cannot be read: {e}"),
        };
        Unread::File(why)
    };
    let meta = std::fs::metadata(path).map_err(failed)?;
    if meta.is_dir() {
        return Err(Unread::File("is a folder, not a file".to_owned()));
    }
    let most = if meta.is_file() { most } else { most.min(MOST_OF_A_DEVICE) };
    if meta.len() > most {
        let (found, most) = (meta.len().div_ceil(1 << 20), most >> 20);
        return Err(Unread::Size(format!("has {found} MB, more than the {most} MB that can be read")));
    }
    let mut bytes = Vec::new();
    // Devices and pipes have no length: stop reading where a file would have been refused.
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(Unread::Size(format!("has more than the {} MB that can be read", most >> 20)));
    }
    Ok(bytes)
}

/// Reads a text file of bounded size; the error is a sentence without its subject.
fn read_text(path: &Path) -> Result<String, Unread> {
    let bytes = read_limited(path, MOST_BYTES as u64)?;
    // Some editors mark UTF-8 at the start of a file.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(text).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let before = &e.as_bytes()[..good];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = good - before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1) + 1;
        Unread::Text(format!("is not a text file: line {line}, column {column} is not UTF-8"), line, column)
    })
}

/// Unknowns up to which modes cost next to nothing beside a run.
const MODES_FOR_FREE: usize = 200;
/// Unknowns up to which all modes are found at once, see `linalg::modes`.
const ALL_MODES: usize = 800;

/// A model with what is known of it beforehand.
pub struct Advised {
    /// The structure, assembled.
    pub structure: Structure,
    /// Its modes, or why they are not known.
    pub modal: Result<Modal, String>,
    /// Largest Ω = ω dt at which its scheme is stable; `None`: any, as far as was looked.
    pub stability_limit: Option<f64>,
}

/// A model file, read from disk or embedded.
pub struct ModelFile {
    source: Source,
    /// All files in one text.
    text: String,
    folder: PathBuf,
    diags: Diagnostics,
    /// Stiffnesses of externals that their programs told, by name, SI.
    stiffnesses: OnceLock<Stiffnesses>,
    /// Files that it refers to and that are kept elsewhere, by the names that it has for them.
    moved: BTreeMap<String, PathBuf>,
    /// Hashes of the files that were read, by these names.
    hashes: Mutex<BTreeMap<String, String>>,
}

type Stiffnesses = Vec<(String, Vec<f64>)>;

/// Settles what has been told.
fn settle(model: &mut Model, known: Option<&Stiffnesses>) {
    for (name, stiffness) in known.into_iter().flatten() {
        let same = |e: &External| e.name == *name && e.dofs.len().pow(2) == stiffness.len() && e.probe.is_some();
        if let Some(i) = model.externals.iter().position(same) {
            model.settle(i, stiffness.clone());
        }
    }
}

/// A model that is parsed many times with other settings, from several threads at once. Files it refers to are read once.
pub struct Variants<'a> {
    source: &'a Source,
    folder: &'a Path,
    stiffnesses: Option<&'a Stiffnesses>,
    files: Mutex<BTreeMap<String, Result<Vec<u8>, String>>>,
}

impl Variants<'_> {
    /// Parses the model without a word; the error is the first mistake.
    pub fn model(&self, choices: &Choices) -> Result<Model, String> {
        let diags = Diagnostics::new();
        let files = |path: &str| self.file(path);
        let found = parse(self.source, &choices.overrides(), &files, &diags).filter(|_| !diags.has_errors());
        let first = || diags.located(self.source).first().map_or_else(String::new, |d| d.message.clone());
        let (mut model, _) = found.ok_or_else(first)?;
        settle(&mut model, self.stiffnesses);
        Ok(choices.cut(model))
    }

    fn file(&self, path: &str) -> Result<Vec<u8>, String> {
        let read = || read_bytes(&self.folder.join(path), MAX_RECORD);
        // A thread that panicked while reading leaves nothing half done behind.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// The files read so far, by name.
    pub fn files(&self) -> BTreeMap<String, Result<Vec<u8>, String>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Writes a file whole, or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn replaced(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.part", std::process::id()));
    let unfinished = PathBuf::from(unfinished);
    let written = std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        std::fs::remove_file(&unfinished).ok();
    }
    written
}

impl ModelFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read. Mistakes in it are found when it is used.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Refused> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match read_text(path) {
            Ok(text) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                Ok(Self::embedded(&name, text, folder))
            }
            Err(e) => {
                let (place, help, cause) = match e {
                    Unread::Size(_) => (None, TOO_LARGE, Cause::Machine),
                    Unread::File(_) => (None, "give the path of a model file (TOML)", Cause::Machine),
                    Unread::Text(_, line, column) => {
                        (Some((line, column)), "a model is a text file (TOML); save it as UTF-8", Cause::Input)
                    }
                };
                Err(Refused::new(cause, format!("`{name}` {}", e.message()), help).in_file(name, place))
            }
        }
    }

    /// A text that is already here.
    pub fn embedded(name: &str, text: String, folder: PathBuf) -> Self {
        let diags = Diagnostics::new();
        let source = gather(name, &text, &|path| read_bytes(&folder.join(path), MOST_BYTES as u64), &diags);
        let text = bundle(&source).into_owned();
        let (moved, hashes) = (BTreeMap::new(), Mutex::default());
        ModelFile { text, source, folder, diags, stiffnesses: OnceLock::new(), moved, hashes }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        Path::new(&self.source.name)
    }

    /// The same, with some of the files that it refers to elsewhere.
    pub fn with_files(self, moved: BTreeMap<String, PathBuf>) -> Self {
        ModelFile { moved, ..self }
    }

    /// Where a file is that it refers to.
    fn place(&self, path: &str) -> PathBuf {
        self.moved.get(path).cloned().unwrap_or_else(|| self.folder.join(path))
    }

    /// Reads a file that it refers to, and remembers its hash.
    fn record(&self, path: &str) -> Result<Vec<u8>, String> {
        let bytes = read_bytes(&self.place(path), MAX_RECORD)?;
        self.note(path, sha256::of_bytes(&bytes));
        Ok(bytes)
    }

    fn note(&self, path: &str, hash: String) {
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), hash);
    }

    /// The files that it was read with beside its text, by the names that it has for them, and their hashes.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The model as plain TOML, with everything written out.
    pub fn expanded(&self, choices: &Choices) -> Result<String, Refused> {
        expand(&self.source, &choices.overrides(), &self.diags).ok_or_else(|| self.refuse())
    }

    /// Parses the model.
    pub fn model(&self, choices: &Choices) -> Result<(Model, Places), Refused> {
        self.fits()?;
        let files = |path: &str| self.record(path);
        match parse(&self.source, &choices.overrides(), &files, &self.diags) {
            Some((mut model, places)) if !self.diags.has_errors() => {
                self.move_units(&mut model);
                settle(&mut model, self.stiffnesses.get());
                let problems = mistakes(&model, &self.folder);
                problems.iter().for_each(|p| self.diags.push(places.locate(p)));
                if choices.whole && model.partition.is_none() {
                    let message = "--whole has no effect: the model has no substructures";
                    let d = Diagnostic::warning(message, 0..0).at_option("--whole");
                    self.diags.push(d.help("leave it out"));
                }
                if problems.is_empty() { Ok((choices.cut(model), places)) } else { Err(self.refuse()) }
            }
            _ => Err(self.refuse()),
        }
    }

    /// Refuses what does not fit in memory before it is read.
    fn fits(&self) -> Result<(), Refused> {
        let text = self.source.text.len();
        let need = READING * text as f64;
        let Some(free) = memory().filter(|free| text > SMALL && need > *free) else { return Ok(()) };
        let message = format!(
            "the model does not fit in memory: reading its {} of text takes about {}, {} are free",
            size(text as f64),
            size(need),
            size(free)
        );
        Err(Refused::new(Cause::Machine, message, TOO_LARGE).in_file(self.source.name.clone(), None))
    }

    /// Units are files too: loaded from where they are, and known by their hashes.
    fn move_units(&self, model: &mut Model) {
        for external in &mut model.externals {
            let Program::Fmu(unit) = &mut external.program else { continue };
            // One that cannot be read is said where it is opened.
            if let Ok(hash) = sha256::of_file(&self.place(&unit.file)) {
                self.note(&unit.file, hash);
            }
            if let Some(place) = self.moved.get(&unit.file) {
                unit.file = place.display().to_string();
            }
        }
    }

    /// Parses the model with other settings, without a word; the error is the first mistake.
    pub fn variant(&self, choices: &Choices) -> Result<Model, String> {
        self.variants().model(choices)
    }

    /// The model for being parsed many times with other settings.
    pub fn variants(&self) -> Variants<'_> {
        let stiffnesses = self.stiffnesses.get();
        Variants { source: &self.source, folder: &self.folder, stiffnesses, files: Mutex::default() }
    }

    /// Parses and assembles the model.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn structure(&self, choices: &Choices) -> Result<Structure, Refused> {
        let (model, places) = self.model(choices)?;
        self.assemble(model, &places)
    }

    /// Parses and assembles the model without a word; the error is the first mistake.
    pub fn quiet_structure(&self, choices: &Choices) -> Result<Structure, String> {
        let files = |path: &str| self.record(path);
        let first = || self.lines().into_iter().next().unwrap_or_else(|| "it has mistakes".to_owned());
        let found = parse(&self.source, &choices.overrides(), &files, &self.diags);
        let (model, _) = found.filter(|_| !self.diags.has_errors()).ok_or_else(first)?;
        Structure::new(model).map_err(|problems| problems.first().map_or_else(first, |p| p.message.clone()))
    }

    /// Assembles a model of this file.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn assemble(&self, model: Model, places: &Places) -> Result<Structure, Refused> {
        match Structure::new(model) {
            Ok(structure) => {
                structure.warnings.iter().for_each(|w| self.diags.push(places.locate(w)));
                self.keep_superelements(&structure.model);
                Ok(structure)
            }
            Err(problems) => Err(self.refuse_for(&problems, places)),
        }
    }

    /// Writes superelements that were made where the model says that they are kept.
    fn keep_superelements(&self, model: &Model) {
        for told in model.superelements.iter().filter(|s| !s.taken) {
            let Some(name) = &told.asked.file else { continue };
            let text = Stored::of(model, told).text();
            let (place, size) = (self.place(name), text.len() as u64);
            let kept = match size > MAX_RECORD {
                true => Err(format!("it would have {size} bytes, and at most {MAX_RECORD} are read")),
                false => replaced(&place, text.as_bytes()).map_err(|e| e.to_string()),
            };
            match kept {
                Ok(()) => self.note(name, sha256::of_bytes(text.as_bytes())),
                Err(why) => {
                    let message =
                        format!("the superelement `{}` could not be kept in `{}`: {why}", told.name, place.display());
                    let help =
                        "it will be made again next time; give another `file`, on a disk with space, or record less";
                    self.diags.push(Diagnostic::warning(message, 0..0).help(help));
                }
            }
        }
    }

    /// Shows what stands against a model of this file.
    pub(crate) fn refuse_for(&self, problems: &[Problem], places: &Places) -> Refused {
        problems.iter().for_each(|p| self.diags.push(places.locate(p)));
        self.refuse()
    }

    /// The model as C files called `name`; everything that stands against it is shown where it was written.
    pub fn export(&self, choices: &Choices, name: &str) -> Result<Export, Refused> {
        let (model, places) = self.model(choices)?;
        let origin = Origin { sha256: sha256::of_bytes(self.text().as_bytes()), changes: choices.words() };
        interfield_codegen::export(&model, name, &origin).map_err(|problems| self.refuse_for(&problems, &places))
    }

    /// As [`ModelFile::structure`], with what a careful colleague would say about the model. `modes` are wanted for their
    /// own sake; without them they are looked at only where that takes no time, and what was found is shown.
    pub fn advised(&self, choices: &Choices, modes: Option<usize>) -> Result<Advised, Refused> {
        let (model, places) = self.model(choices)?;
        self.advised_model(model, &places, modes)
    }

    /// The same for a model of this file that was read, and settled, before.
    pub fn advised_model(&self, model: Model, places: &Places, modes: Option<usize>) -> Result<Advised, Refused> {
        let structure = self.assemble(model, places)?;
        // Where it is only studied, steps far too long are looked at too.
        let mut objections = structure.objections();
        let analysis = &structure.model.analysis;
        if analysis.steps() == 0 {
            objections.push(Problem::no_step(Subject::Step, analysis.duration, analysis.dt));
        }
        objections.iter_mut().for_each(|o| o.fatal &= modes.is_none());
        objections.iter().for_each(|o| self.diags.push(places.locate(o)));
        if objections.iter().any(|o| o.fatal) {
            return Err(self.refuse());
        }
        let n = structure.free().len();
        let massless = structure.model.analysis.statics && structure.model.dofs.iter().all(|d| d.mass == 0.0);
        let modal = match modes {
            _ if massless => Err("no node has a mass".to_owned()),
            None if n > MODES_FOR_FREE => Err("the structure is large".to_owned()),
            // Enough to see which modes matter, up to the size for which all cost the same as one.
            _ => Modal::new(&structure, if n <= ALL_MODES { n } else { modes.unwrap_or(0).max(40) })
                .map_err(|e| e.to_string()),
        };
        let omega = modal.as_ref().map_or(0.0, |m| m.omega_max * structure.model.analysis.dt);
        let most = if modes.is_some() { omega.max(UNCONDITIONAL) } else { omega };
        // A coupling has limits of its own; `check --stability` finds them.
        let cut = structure.model.partition.is_some();
        let stability_limit = if cut || structure.model.analysis.statics {
            None
        } else {
            scheme_limit(structure.model.analysis.scheme, most)
        };
        let known = Knowledge {
            modal: modal.as_ref().ok(),
            stability_limit,
            duration_is_overridden: places.duration_is_overridden(),
        };
        advise(&structure, &known).iter().for_each(|w| self.diags.push(places.locate(w)));
        Ok(Advised { structure, modal, stability_limit })
    }

    /// Starts a structure of this file, with rigs from a workshop.
    pub fn start(
        &self,
        structure: Structure,
        places: &Places,
        workshop: &mut dyn Workshop,
    ) -> Result<Simulation, Refused> {
        structure.start(workshop).map_err(|problems| {
            // What is no mistake of the model is told without a place in it.
            for (subject, cause) in [(Subject::Laboratory, Cause::Machine), (Subject::Start, Cause::Fault)] {
                let about: Vec<Problem> = problems.iter().filter(|p| p.subject == subject).cloned().collect();
                if !about.is_empty() {
                    return Refused::of(cause, &about);
                }
            }
            self.refuse_for(&problems, places)
        })
    }

    /// Keeps the stiffnesses of externals that are known now, for every model read from here on.
    pub fn remember(&self, model: &Model) {
        let known = model.externals.iter().filter(|e| e.probe.is_none());
        // The first time counts: programs are asked once.
        let _ = self.stiffnesses.set(known.map(|e| (e.name.clone(), e.stiffness(model).to_vec())).collect());
    }

    /// Folder of the file, to which what it names is relative.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The text of the file, with that of all files it includes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Everything found so far.
    pub fn messages(&self) -> Vec<Message> {
        let message = |d: Located| Message {
            severity: d.severity,
            file: Some(d.file),
            line: d.line,
            column: d.column,
            message: d.message,
            help: d.help.unwrap_or_default(),
        };
        self.diags.located(&self.source).into_iter().map(message).collect()
    }

    /// Everything found so far, a line each.
    pub fn lines(&self) -> Vec<String> {
        let line = |d: &Located| {
            let place = d.line.map_or_else(String::new, |l| format!("{}:{l}: ", d.file));
            format!("{place}{}: {}", d.severity, d.message)
        };
        self.diags.located(&self.source).iter().map(line).collect()
    }

    /// Everything found so far with excerpts of the file, for a terminal with or without colours; empty if nothing was.
    pub fn render(&self, colour: bool) -> String {
        if self.diags.is_empty() { String::new() } else { self.diags.render(&self.source, colour) }
    }

    fn refuse(&self) -> Refused {
        Refused { cause: Cause::Input, messages: self.messages(), shown: [false, true].map(|c| self.render(c)) }
    }
}
