//! A run: prepared, started, stepped to its end, judged. The one loop that everything runs in.
//!
//! ```text
//! ModelFile --prepare--> Prepared (assembled, programs started) --start--> Run (rigs mounted, files open) --to_end--> Outcome
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interfield_analysis::stability::{Options, StepMatrix, step_matrix};
use interfield_coupling::Ranks;
use interfield_kernel::{Archive, Persist};
use interfield_lab::controller::Word;
use interfield_language::Model;
use interfield_language::external::Program;
use interfield_language::parse::Places;
use interfield_results::Meta;
use interfield_structure::checkpoint::Checkpoint;
use interfield_structure::preparation::{Preparation, Watch};
use interfield_structure::{Simulation, Structure};

use crate::cache::Cache;
use crate::callables::Callables;
use crate::checkpoint::{self, Earlier, Keeper};
use crate::coupled::{self, Listener};
use crate::laboratory::{self, Arming, Assessed, Laboratory, RealTime, Replay};
use crate::outcome::{End, Outcome, judge};
use crate::outputs::{Files, Wanted};
use crate::programs::{self, ProgramLog, Programs};
use crate::pushover::Balances;
use crate::ranges::Ranges;
use crate::record::{self, Record, RowsSeen};
use crate::reductions;
use crate::refused::{Cause, Refused};
use crate::rehearsal::{self, Rehearsal};
use crate::space::{Room, memory, room};
use crate::table::time;
use crate::{Choices, ModelFile, Operator, ranks};

/// How a run is set up, beside what is chosen for its model.
#[derive(Default)]
pub struct Setup {
    /// Files it is to write; without them nothing is recorded.
    pub output: Option<Wanted>,
    /// Whether it goes by the clock.
    pub real_time: RealTime,
    /// What was said about moving something real.
    pub arming: Arming,
    /// Whether the coarse side of an interfield-parallel coupling advances on a thread of its own, and several threads share the
    /// solutions of a large matrix also in real time. Otherwise these do so where there is no clock to keep.
    pub threads: bool,
    /// Folder in which analyses and factors of large structures are kept.
    pub cache: Option<PathBuf>,
    /// Follows the long parts of the start.
    pub watch: Arc<Watch>,
    /// A recording in place of the laboratory.
    pub replay: Option<Replay>,
    /// How often the complete state is kept beside the results.
    pub checkpoint: Option<Duration>,
    /// A checkpoint to go on from.
    pub resume: Option<PathBuf>,
    /// Where the samples of its rigs are shown.
    pub shown: Option<laboratory::Shown>,
    /// Who commands it, also before it starts: what was said then is obeyed in the first sample.
    pub operator: Operator,
    /// Functions of the caller.
    pub callables: Callables,
    /// The processes that share it.
    pub ranks: Ranks,
}

/// A model that is ready to start: everything about it is known, and nothing has moved.
pub struct Prepared<'a> {
    /// The structure.
    pub structure: Structure,
    /// What should be said before it starts, such as a disk that is nearly full.
    pub notices: Vec<String>,
    /// Files that it will write.
    pub files: Option<Files>,
    file: &'a ModelFile,
    choices: Choices,
    setup: Setup,
    cache: Option<Arc<Cache>>,
    places: Places,
    programs: Programs,
    laps: Laps,
}

impl ModelFile {
    /// Reads and assembles the model, starts the programs of its externals, and looks whether there is room for the results.
    ///
    /// # Errors
    /// Everything that stands against the run.
    pub fn prepare(&self, choices: &Choices, mut setup: Setup) -> Result<Prepared<'_>, Refused> {
        let laps = Laps::default();
        if !setup.ranks.is_alone() {
            ranks::suits(&setup)?;
        }
        let (mut model, places) = self.model(choices)?;
        let files = setup.output.as_ref().map(|wanted| wanted.files(!model.specimens.is_empty())).transpose()?;
        let results = files.as_ref().map_or(Path::new("interfield-out/model.h5"), |f| &f.results);
        fitting(&setup.callables, &model)?;
        if setup.real_time.real_time && !setup.callables.is_empty() {
            let help = "run it without real time, or host the specimen in a process of its own, at an address `at`";
            let message =
                "a function of the calling program cannot be part of a real-time test: it could stop the loop";
            return Err(Refused::new(Cause::Input, message, help));
        }
        let programs = Programs::start_with(&mut model, self.folder(), results, &mut setup.callables)
            .map_err(|message| Refused::new(Cause::Fault, message, "see `[[external]]` in the reference"))?;
        let mut structure = self.advised_model(model, &places, None)?.structure;
        let cache = setup.cache.take().map(|folder| Arc::new(Cache::new(folder)));
        structure.preparation =
            Preparation { memory: memory(), keeper: cache.clone().map(|cache| cache as _), watch: setup.watch.clone() };
        if !setup.ranks.is_alone() {
            structure.place(&setup.ranks).map_err(|problems| self.refuse_for(&problems, &places))?;
        }
        let mut notices = structure.placement();
        let model = &structure.model;
        match files.as_ref().map_or(Room::Enough, |f| room(model, &f.results, f.format)) {
            Room::None(message) => {
                let help = match model.specimens.is_empty() {
                    true => {
                        "record less with `every` or fewer `channels` in [record], take a larger step, or give an --output on another disk"
                    }
                    false => "free some space, give an --output on another disk, or set `record_rate` of the specimen",
                };
                return Err(Refused::new(Cause::Machine, message, help));
            }
            Room::Little(message) => notices.push(format!("warning: {message}")),
            Room::Enough => {}
        }
        if let Some(replay) = &setup.replay
            && !model.specimens.iter().any(|s| replay.holds(s))
        {
            let help = "use a recording of this model: its channel names start with the name of the specimen";
            return Err(Refused::new(Cause::Input, "the recording holds no specimen of the model", help));
        }
        if setup.arming.arm && model.specimens.iter().all(|s| s.at.is_none()) {
            notices.push(
                "warning: --arm has no effect: no specimen of the model is real, with an address `at`".to_owned(),
            );
        }
        let parallel = model.partition.as_ref().is_some_and(|p| p.coupling.info.parallel);
        if setup.threads && !setup.ranks.is_alone() {
            notices.push("warning: --threads has no effect on several ranks".to_owned());
        } else if setup.threads && !parallel && !setup.real_time.real_time {
            notices.push("warning: --threads has no effect: the model has no interfield-parallel coupling".to_owned());
        }
        if setup.real_time.real_time && model.specimens.is_empty() {
            let help = "define the tested elements with [[specimen]]";
            return Err(Refused::new(Cause::Input, "--real-time: the model has no specimen", help));
        }
        let mut prepared = Prepared {
            structure,
            notices,
            files,
            file: self,
            choices: choices.clone(),
            setup,
            cache,
            places,
            programs,
            laps,
        };
        prepared.laps.end("model read and assembled");
        Ok(prepared)
    }
}

impl<'a> Prepared<'a> {
    /// What a rank that follows another one needs of it.
    pub(crate) fn into_parts(self) -> (Structure, &'a ModelFile, Places, Ranks) {
        (self.structure, self.file, self.places, self.setup.ranks)
    }
}

impl Prepared<'_> {
    /// Model and choices may be shown before anything is started: what was said about the start is said again here.
    pub fn arm(&mut self, arming: Arming) {
        self.setup.arming = arming;
    }

    /// Who will command the run, and can end it before and while it starts.
    pub fn operator(&self) -> &Operator {
        &self.setup.operator
    }

    /// Shows the samples of its rigs.
    pub fn show_on(&mut self, shown: laboratory::Shown) {
        self.setup.shown = Some(shown);
    }

    /// Ends a part of the preparation that the caller did, for the timings of the run.
    pub fn lap(&mut self, what: &'static str) {
        self.laps.end(what);
    }

    /// Puts specimens on their rigs, starts the schemes, and opens the files.
    ///
    /// # Errors
    /// A laboratory that is not there or not cleared; a scheme that cannot start; a file that cannot be written.
    pub fn start(self) -> Result<Run, Refused> {
        let Prepared { structure, files, file, choices, setup, cache, places, programs, mut laps, .. } = self;
        let Setup { real_time, arming, threads, replay, checkpoint, resume, shown, operator, callables, ranks, .. } =
            setup;
        let model = structure.model.clone();
        let cannot = |why: String| Refused::new(Cause::Input, why, "omit --checkpoint and --resume");
        let wanted = checkpoint.is_some() || resume.is_some();
        let elsewhere = model.specimens.iter().any(|s| s.at.is_some());
        // Said before anything is mounted: a scheme may move its specimens when it starts.
        if wanted && (real_time.real_time || elsewhere) {
            let what = if elsewhere { "a laboratory in another process" } else { "a real-time test" };
            return Err(cannot(format!("{what} cannot be paused, so its state cannot be saved or restored")));
        }
        let fingerprint = wanted.then(|| rehearsal::digest(file, &choices)).transpose().map_err(cannot)?;
        // Before anything is moved: one that cannot be gone on from leaves everything as it is.
        let resumed = resume.as_ref().zip(fingerprint).map(|(path, own)| checkpoint::read(path, &own)).transpose()?;
        let mut meta = record::meta(&model, structure.free().len(), file.text(), &choices);
        record::complete(&mut meta, file, &model, &real_time);
        let rehearsed = if elsewhere { rehearsal::of(file, &choices) } else { Rehearsal::Missing };
        let program_logs = programs.program_logs().to_vec();
        let results = files.as_ref().map(|f| f.results.as_path());
        let mut laboratory = Laboratory::new(results, file.folder(), &meta, &model, real_time, replay, programs)
            .armed(&arming, rehearsed)
            .shown_on(shown)
            .commanded_by(operator)
            .called(callables);
        let mut sim = file.start(structure, &places, &mut laboratory)?;
        let memories = ranks::memories(&ranks, sim.memory());
        sim.coupling.use_threads(threads);
        // In real time only where it was asked for: a thread that another program displaces makes a step late.
        if threads || !real_time.real_time {
            sim.share_solutions(std::thread::available_parallelism().map_or(1, usize::from));
        }
        meta.settings.extend(record::solver(&sim));
        let earlier = resumed.is_some().then_some(resume).flatten();
        let earlier = earlier.map(|path| Earlier::of(&path, files.as_ref())).transpose()?;
        let record = files.as_ref().map(|f| Record::create(&f.results, (f.format, f.replace), &model, &meta));
        let record = record.transpose().map_err(|message| {
            let help = "give another file with --output, for example --output results.h5";
            let name = files.as_ref().map_or_else(String::new, |f| f.results.display().to_string());
            Refused::new(Cause::Machine, message, help).in_file(name, None)
        })?;
        laps.end("specimens connected, schemes started");
        let mut run = Run {
            listener: Listener::new(&sim),
            ranges: Ranges::new(model.channels.len()),
            row: vec![0.0; model.channels.len()],
            done: 0,
            begun: false,
            end: None,
            keeper: None,
            seen: RowsSeen::default(),
            balances: Balances::new(&model),
            operator: laboratory.operator().clone(),
            real_time,
            sim,
            model,
            laboratory,
            program_logs,
            record,
            files,
            meta,
            laps,
            notices: cache.map_or_else(Vec::new, |cache| cache.told()).into_iter().chain(memories).collect(),
        };
        file.lines().iter().for_each(|line| run.log(line));
        if let Some((earlier, checkpoint)) = earlier.zip(resumed)
            && let Err(refused) = run.resume(&earlier, &checkpoint)
        {
            drop(run);
            earlier.put_back();
            return Err(refused);
        }
        if let Some(fingerprint) = fingerprint {
            let keeper =
                checkpoint.zip(run.files.as_ref()).map(|(every, f)| Keeper::new(&f.results, every, fingerprint));
            run.keeper = keeper;
            // What cannot be saved is said before the run, not in its middle.
            run.checkpoint().map_err(cannot)?;
        }
        Ok(run)
    }
}

/// A run.
pub struct Run {
    sim: Simulation,
    model: Arc<Model>,
    laboratory: Laboratory,
    operator: Operator,
    real_time: RealTime,
    program_logs: Vec<ProgramLog>,
    record: Option<Record>,
    files: Option<Files>,
    meta: Meta,
    listener: Listener,
    ranges: Ranges,
    row: Vec<f64>,
    done: u64,
    begun: bool,
    end: Option<End>,
    keeper: Option<Keeper>,
    /// Of all rows recorded so far, where checkpoints are kept.
    seen: RowsSeen,
    /// Of a structure that is pushed.
    balances: Option<Balances>,
    laps: Laps,
    /// What should be said about its start.
    pub notices: Vec<String>,
}

/// What an observer sees: the run after `step` steps.
pub struct Moment<'a> {
    /// Steps taken.
    pub step: u64,
    /// Steps to the end of the analysis.
    pub steps: u64,
    /// Time of the model, s.
    pub t: f64,
    /// All channels, in their units.
    pub row: &'a [f64],
    /// Whether the row is one of those that are recorded.
    pub recorded: bool,
    /// What is running.
    pub simulation: &'a Simulation,
}

/// Whoever looks at a run: a progress bar, a console, a callback. Called in the thread that computes the targets, never in that of the
/// controller; it should not take long.
pub trait Observer {
    /// The state after every step, the start included.
    fn observe(&mut self, moment: &Moment<'_>);
}

impl<F: FnMut(&Moment<'_>)> Observer for F {
    fn observe(&mut self, moment: &Moment<'_>) {
        self(moment);
    }
}

impl Run {
    /// What is running.
    pub fn simulation(&self) -> &Simulation {
        &self.sim
    }

    /// Looks at what members carry from now on, see [`interfield_structure::carried`].
    pub fn watch_members(&mut self) {
        self.sim.watch_members();
    }

    /// Its model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What its files say about it.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Files it writes.
    pub fn files(&self) -> Option<&Files> {
        self.files.as_ref()
    }

    /// The forces through its cuts, as far as they were listened to.
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Whoever commands it.
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Steps taken.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// All channels as of the last look, in their units.
    pub fn row(&self) -> &[f64] {
        &self.row
    }

    /// How it ended, once it has.
    pub fn ended(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Takes an earlier or later state of the same run, which must not be recorded; the error is a sentence.
    pub(crate) fn go_back(&mut self, state: &Checkpoint) -> Result<(), String> {
        if self.record.is_some() {
            return Err("a run that is recorded does not go back".to_owned());
        }
        state.restore(self).map_err(|e| e.to_string())?;
        (self.done, self.end) = (state.step, None);
        self.sim.sample(self.done, &mut self.row).map_err(|fault| self.sim.explain(fault))
    }

    pub(crate) fn set_state(&mut self, values: &[f64]) -> Result<(), String> {
        let state = self.sim.coupling.state_mut();
        if values.len() != state.len() {
            return Err(format!("the state has {} numbers, {} were given", state.len(), values.len()));
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err("the state must be finite".to_owned());
        }
        state.copy_from_slice(values);
        self.sim.sample(self.done, &mut self.row).map_err(|fault| self.sim.explain(fault))
    }

    pub(crate) fn matrix(&mut self) -> Result<StepMatrix, String> {
        if !(self.model.specimens.is_empty() && self.model.externals.is_empty()) {
            return Err("a step with specimens or programs cannot be probed while it runs".to_owned());
        }
        step_matrix(self.sim.coupling.as_mut(), &Options::default())
            .map_err(|fault| format!("while the step was probed, {}", self.sim.explain(fault)))
    }

    /// Ends a run that was stepped by the caller, wherever it is, and judges it.
    pub(crate) fn end_here(&mut self) -> Outcome {
        let stepped = self.laps.end("steps, recording");
        self.finish(stepped, 0.0)
    }

    /// Adds a line to the log of the result file.
    pub fn log(&self, line: &str) {
        if let Some(record) = &self.record {
            record.log(line);
        }
    }

    /// When it is: a step of a push, or a time.
    fn place(&self) -> String {
        match self.sim.pushing() {
            Some(_) => format!("step {} of {}", self.done, self.sim.steps()),
            None => format!("t = {}", time(self.t())),
        }
    }

    fn stopped(&self, reason: &str) -> End {
        End::Faulted(format!("at {}: {reason}", self.place()))
    }

    fn t(&self) -> f64 {
        self.done as f64 * self.sim.dt()
    }

    /// Looks at the present state: channels are read, recorded and shown. What ends the run here, if something does.
    fn look(&mut self, observer: &mut dyn Observer) -> Option<End> {
        let (t, steps) = (self.t(), self.sim.steps());
        let lost = self.sim.lost();
        self.operator.pass(t);
        let stopping = lost.is_some() || self.operator.is_stopped();
        // Extremes are those of all steps, whatever is recorded of them.
        if let Err(fault) = self.sim.sample(self.done, &mut self.row) {
            return Some(self.stopped(&self.sim.explain(fault)));
        }
        if let Some(i) = self.row.iter().position(|x| !x.is_finite()) {
            return Some(self.stopped(&format!("channel `{}` is {}", self.sim.channels()[i].name, self.row[i])));
        }
        self.ranges.push(t, self.row.iter().copied());
        if let Some(balances) = &mut self.balances {
            balances.push(&self.row);
        }
        let recorded = self.done.is_multiple_of(self.model.every) || self.done == steps || stopping;
        let (simulation, row) = (&self.sim, self.row.as_slice());
        observer.observe(&Moment { step: self.done, steps, t, row, recorded, simulation });
        if recorded && self.keeper.is_some() {
            self.seen.push(t, &self.row);
        }
        if let Some(record) = self.record.as_mut().filter(|_| recorded)
            && let Err(reason) = record.row(t, &self.row)
        {
            return Some(End::NotWritten(reason));
        }
        match lost {
            Some(reason) => Some(End::Diverged(reason)),
            None if self.done == steps => Some(End::Finished),
            None => stopping.then_some(End::Interrupted),
        }
    }

    /// Takes a step, and looks at what came out; how the run ended, once it has.
    pub fn advance(&mut self, observer: &mut dyn Observer) -> Option<&End> {
        if self.end.is_none() {
            self.end = match self.sim.step(self.done) {
                Err(fault) => {
                    let why = self.sim.explain(fault);
                    Some(End::Faulted(match self.sim.pushing() {
                        None => format!("at t = {} (step {}): {why}", time(self.t()), self.done + 1),
                        Some(_) => format!("in step {} of {}: {why}", self.done + 1, self.sim.steps()),
                    }))
                }
                Ok(()) => {
                    self.listener.push(&self.sim);
                    self.done += 1;
                    self.look(observer)
                }
            };
        }
        if self.end.is_none()
            && self.keeper.as_ref().is_some_and(Keeper::is_due)
            && let Err(why) = self.checkpoint()
        {
            self.log(&format!("warning: no checkpoint was saved: {why}"));
            self.keeper = None;
        }
        self.end.as_ref()
    }

    /// Goes on from a checkpoint: what was recorded up to there is taken over.
    fn resume(&mut self, earlier: &Earlier, checkpoint: &Checkpoint) -> Result<(), Refused> {
        let refuse = |why: String| {
            let why = format!("the run cannot continue from `{}`: {why}", earlier.checkpoint.display());
            Refused::new(Cause::Input, why, "or omit --resume")
        };
        self.sim.watch().map_err(|fault| refuse(self.sim.explain(fault)))?;
        // What was said before this moment is said of this run, and not of the one that was saved.
        let said = self.operator.lines();
        checkpoint.restore(self).map_err(|e| refuse(e.to_string()))?;
        said.iter().for_each(|line| self.operator.keep(line));
        if self.operator.is_ending() {
            self.operator.rigs().forestall(&Word::Abort);
        }
        (self.done, self.begun) = (checkpoint.step, true);
        let rows = self.done / self.model.every + 1;
        if let (Some(record), Some(results)) = (&mut self.record, &earlier.results) {
            // Another run may have left its rows under the same name since.
            if RowsSeen::of(results, rows).map_err(refuse)? != self.seen {
                let message = format!("the rows of `{}` belong to another run", results.display());
                return Err(refuse(message));
            }
            record.copy(results, rows).and_then(|()| record.sync()).map_err(refuse)?;
        }
        earlier.clean();
        self.log(&format!("resumed after {} steps from {}", self.done, earlier.checkpoint.display()));
        Ok(())
    }

    /// Keeps the complete state, with all rows up to it on the disk before.
    fn checkpoint(&mut self) -> Result<(), String> {
        let Some(mut keeper) = self.keeper.take() else { return Ok(()) };
        let synced = self.record.as_mut().map_or(Ok(()), Record::sync);
        // The watch is part of the state.
        let done = self.done;
        let kept = match (synced, self.begun) {
            (Ok(()), false) => self.sim.save(&mut |_| ()).map_err(|e| e.to_string()),
            (Ok(()), true) => keeper.keep(self, done),
            (Err(why), _) => Err(why),
        };
        self.keeper = Some(keeper);
        kept
    }

    /// Looks at the start, and sets the watch over the run. [`Run::to_end`] does it by itself.
    pub fn begin(&mut self, observer: &mut dyn Observer) {
        self.real_time.claim();
        if self.begun {
            return;
        }
        self.begun = true;
        self.end = match self.sim.watch() {
            Err(fault) => Some(End::Faulted(format!("at t = 0 s: {}", self.sim.explain(fault)))),
            Ok(()) => self.look(observer),
        };
    }

    /// Steps to the end, leads specimens home, brings everything to the disk, and judges.
    pub fn to_end(&mut self, observer: &mut dyn Observer) -> Outcome {
        self.begin(observer);
        let begun = Instant::now();
        let mut first = 0.0;
        while self.advance(observer).is_none() {
            if self.done == 1 {
                first = begun.elapsed().as_secs_f64();
            }
        }
        let stepped = self.laps.end("steps, recording");
        self.finish(stepped, first)
    }

    fn finish(&mut self, stepped: f64, first: f64) -> Outcome {
        let mut end = self.end.clone().unwrap_or(End::Interrupted);
        if end != End::Finished {
            self.sim.give_up();
        }
        self.sim.finish();
        let specimens = &self.model.specimens;
        let home = if specimens.is_empty() { 0.0 } else { self.laps.end("specimens returned to start") };
        let rigs = self.sim.rigs();
        let assessed: Vec<Assessed> = rigs.filter_map(|(i, rig)| self.laboratory.assess(&specimens[i], rig)).collect();
        assessed.iter().flat_map(laboratory::log).for_each(|line| self.log(&line));
        // By the clock, the way to the start may be part of the first step, where the scheme does not ask for a force before: the test begins at its end.
        let ways = laboratory::to_start(&assessed).map(|there| [there, home]);
        let within = ways.map_or(0.0, |[there, _]| if first >= there { there } else { 0.0 });
        if !self.operator.has_rigs() {
            self.operator.lines().iter().for_each(|line| self.log(line));
        }
        let lines = programs::text(&self.program_logs, &self.model);
        lines.lines().filter(|l| !l.is_empty()).for_each(|line| self.log(line.trim()));
        self.log(&format!("timings: {}", self.laps.text()));
        coupled::text(&self.sim).lines().filter(|l| !l.is_empty()).for_each(|l| self.log(l));
        reductions::text(&self.sim).lines().filter(|l| !l.is_empty()).for_each(|l| self.log(l.trim()));
        let watched = self.sim.verdict();
        let verdict = judge(&end, watched.clone(), &assessed);
        self.log(&format!("verdict: {}", verdict.line()));
        let mut outcome = Outcome {
            end: end.clone(),
            verdict,
            steps: self.done,
            simulated: self.t(),
            seconds: stepped - within,
            ways,
            ranges: self.ranges.0.clone(),
            assessed,
            program_logs: self.program_logs.clone(),
            timings: Vec::new(),
            strength: self.balances.as_ref().and_then(|b| b.strength(&self.model)),
        };
        self.log(&outcome.line());
        let said = end.outcome(&self.place(), &outcome.verdict);
        if let Some(Err(message)) = self.record.take().map(|record| record.finish(&said)) {
            end = End::NotWritten(message);
            outcome.verdict = judge(&end, watched, &outcome.assessed);
        }
        if let Some(keeper) = self.keeper.as_ref().filter(|_| end == End::Finished) {
            keeper.remove();
        }
        self.laps.end("results written to disk");
        self.operator.end();
        outcome.timings = self.laps.laps.clone();
        outcome.end = end;
        outcome
    }
}

/// Looks whether the functions of the caller belong to something of the model.
pub(crate) fn fitting(callables: &Callables, model: &Model) -> Result<(), Refused> {
    let called = |e: &&interfield_language::external::External| e.program == Program::Callable;
    let externals: Vec<String> = model.externals.iter().filter(called).map(|e| e.name.clone()).collect();
    let specimens: Vec<String> = model.specimens.iter().map(|s| s.name.clone()).collect();
    match callables.mistake(&externals, &specimens) {
        Some(message) => Err(Refused::new(Cause::Input, message, "give functions by the names of the model")),
        None => Ok(()),
    }
}

/// The simulation, and what was seen of it.
impl Persist for Run {
    fn persist(&mut self, archive: &mut dyn Archive) {
        self.sim.persist(archive);
        self.ranges.persist(archive);
        self.listener.persist(archive);
        archive.whole(&mut self.seen.0);
        self.balances.iter_mut().for_each(|balances| balances.persist(archive));
    }
}

/// What took how long.
struct Laps {
    last: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Default for Laps {
    fn default() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }
}

impl Laps {
    /// Ends a part; how long it took, s.
    fn end(&mut self, what: &'static str) -> f64 {
        let seconds = self.last.elapsed().as_secs_f64();
        self.laps.push((what, seconds));
        self.last = Instant::now();
        seconds
    }

    fn text(&self) -> String {
        let parts: Vec<String> = self.laps.iter().map(|(what, s)| format!("{what} {}", time(*s))).collect();
        parts.join(", ")
    }
}
