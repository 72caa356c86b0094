//! The laboratory of a run: where its rigs come from, what they record, and what is said about them afterwards.

mod arming;
#[cfg(all(target_os = "linux", feature = "ethercat"))]
pub mod bus;
#[cfg(not(all(target_os = "linux", feature = "ethercat")))]
#[path = "no_bus.rs"]
pub mod bus;
mod described;
pub mod keys;
pub mod remote;
mod replay;
pub mod served;
pub(crate) mod settings;
pub mod tape;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use interfield_lab::compensate::Multivariable;
use interfield_lab::controller::{Controller, MissPolicy};
use interfield_lab::hardware::Hardware;
use interfield_lab::paced::{Pace, Paced};
use interfield_lab::partner::Partner;
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::{Request, claim};
use interfield_lab::realtime::{Clock, Feed, FollowingClock, Schedule, Waking, WallClock, WhenLate};
use interfield_lab::rig::{LoopTiming, Rig};
use interfield_lab::safety::{Names, Sequence};
use interfield_lab::verdict::{History, Recording, Tracking, Verdict, assess};
use interfield_language::external::External;
use interfield_language::specimen::{Actuator, Address, Specimen};
use interfield_language::units::{Dimension, UnitSystem};
use interfield_results::{Meta, Reader};
use interfield_structure::specimen::Workshop;

use crate::Operator;
use crate::callables::Callables;
use crate::programs::Programs;
use crate::rehearsal::Rehearsal;
pub use arming::Arming;
pub use replay::Replay;
pub use settings::{PREFIX, settings};
pub use words::{histogram_json, json, log, table, text, to_start};

/// How the clock of a test in real time wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Sleeps: costs nothing, wakes late by what the system needs.
    Sleep,
    /// Sleeps, then spins the last 100 microseconds.
    SleepThenSpin,
    /// Spins: for a core that is given to the test.
    Spin,
}

/// Whether and how a test goes by the clock.
#[derive(Clone, Copy, Debug)]
pub struct RealTime {
    /// Whether the specimens go by the clock, at their time scale; without it as fast as possible.
    pub real_time: bool,
    /// CPU core of the controller thread.
    pub core: Option<usize>,
    /// Priority of the controller thread under SCHED_FIFO.
    pub priority: u8,
    /// How the controller waits for its next period.
    pub wake: Wake,
    /// Longest time without an answer from the controller before the test is aborted, s.
    pub watchdog: f64,
}

impl Default for RealTime {
    fn default() -> Self {
        RealTime { real_time: false, core: None, priority: 80, wake: Wake::SleepThenSpin, watchdog: 1.0 }
    }
}

impl RealTime {
    /// Rights for the thread that computes the targets, below those of the controller. What is refused there was refused the
    /// controller too, which says so.
    pub fn claim(&self) {
        if self.real_time {
            claim(&Request {
                priority: Some(self.priority.saturating_sub(10).max(1)),
                core: None,
                lock_memory: true,
                stay_awake: false,
            });
        }
    }
}

/// Where the samples of a rig are shown while it moves: asked once for each, before it does.
pub type Shown = Arc<dyn Fn(&Specimen, &Controller) -> Option<Feed> + Send + Sync>;

/// The workshop of a run.
pub struct Laboratory {
    shown: Option<Shown>,
    pace: RealTime,
    operator: Operator,
    meta: Meta,
    units: UnitSystem,
    /// Folder of the model, from where its key files are seen.
    folder: PathBuf,
    /// Result file of the run, after which the recordings are named.
    results: Option<PathBuf>,
    several: bool,
    /// A recording that answers instead of what the model says.
    replay: Option<Replay>,
    /// Programs of externals, until they are taken.
    programs: Programs,
    /// What was said of the start of a test on real specimens, and their rehearsal; `None`: nothing real is moved.
    arming: Option<(Arming, Rehearsal)>,
    /// What becomes of the recordings, by their specimens.
    accounts: Vec<(String, tape::Account)>,
    /// Functions of the caller, until they are taken.
    callables: Callables,
}

impl Laboratory {
    /// A workshop whose rigs record next to the results of the run.
    pub fn new(
        results: Option<&Path>,
        folder: &Path,
        meta: &Meta,
        model: &interfield_language::Model,
        pace: RealTime,
        replay: Option<Replay>,
        programs: Programs,
    ) -> Self {
        Laboratory {
            shown: None,
            pace,
            operator: Operator::default(),
            meta: meta.clone(),
            units: model.units.clone(),
            folder: folder.to_owned(),
            results: results.map(Path::to_owned),
            several: model.specimens.len() > 1,
            replay,
            programs,
            arming: None,
            accounts: Vec::new(),
            callables: Callables::default(),
        }
    }

    /// Names the next recordings after another result file.
    pub fn record_as(&mut self, results: &Path) {
        self.results = Some(results.to_owned());
    }

    /// Moves what is real only if this says that it may.
    pub fn armed(self, arming: &Arming, rehearsal: Rehearsal) -> Self {
        Laboratory { arming: Some((arming.clone(), rehearsal)), ..self }
    }

    /// Shows the samples of its rigs.
    pub fn shown_on(self, shown: Option<Shown>) -> Self {
        Laboratory { shown, ..self }
    }

    /// Its rigs listen to this operator.
    pub fn commanded_by(self, operator: Operator) -> Self {
        Laboratory { operator, ..self }
    }

    /// With functions of the caller.
    pub fn called(self, callables: Callables) -> Self {
        Laboratory { callables, ..self }
    }

    /// Whom its rigs listen to.
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    fn recording(&self, specimen: &Specimen) -> Option<PathBuf> {
        Some(recording(self.results.as_deref()?, self.several.then_some(specimen.name.as_str())))
    }

    fn paced(&self, specimen: &Specimen, controller: Controller) -> Result<Paced, String> {
        let waits = matches!(specimen.late, MissPolicy::Hold | MissPolicy::Wait);
        let when_late = if waits { WhenLate::Shift } else { WhenLate::Skip };
        let schedule = Schedule::new(specimen.period, when_late)?;
        let replayed = self.replay.as_ref().is_some_and(|r| r.holds(specimen));
        // A bus has its own clock, and every exchange waits for it.
        let bus_sets_the_pace = matches!(specimen.at, Some(Address::Ethercat(_))) && !replayed;
        let waking = match self.pace.wake {
            Wake::Sleep => Waking::Sleep,
            Wake::SleepThenSpin => Waking::default(),
            Wake::Spin => Waking::Spin,
        };
        let clock: Box<dyn Clock> = match bus_sets_the_pace {
            // Half of each cycle for the next target, the other half to hand it over.
            true => Box::new(FollowingClock::new(Duration::from_secs_f64(0.5 * specimen.period))),
            false => Box::new(WallClock::new(schedule, waking)),
        };
        let watchdog = Duration::from_secs_f64(self.pace.watchdog.clamp(1e-3, 3600.0));
        let pace = Pace { rights: self.request(), patience: Patience::Park, watchdog };
        Paced::start(controller, clock, pace).map_err(|e| e.to_string())
    }

    /// Rights of the controller thread.
    fn request(&self) -> Request {
        Request { priority: Some(self.pace.priority), core: self.pace.core, lock_memory: true, stay_awake: true }
    }
}

impl Workshop for Laboratory {
    fn hardware(&mut self, specimen: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        if let Some(replay) = &self.replay
            && replay.holds(specimen)
        {
            return replay.hardware(specimen, &self.units, self.recording(specimen).as_deref()).map(Some);
        }
        // The thread of a bus comes before that of the controller, which waits for it.
        let above =
            |request: Request| Request { priority: request.priority.map(|p| (p + 1).min(99)), core: None, ..request };
        let hardware = remote::hardware(specimen, &self.folder, self.pace.real_time.then(|| above(self.request())))?;
        // Before anything is built on it: a scheme may ask for the force at its start, and that is a motion.
        if hardware.as_ref().is_some_and(|h| !h.is_emulated()) {
            let (arming, rehearsal) = self.arming.clone().unwrap_or((Arming::default(), Rehearsal::Missing));
            let kept = arming.clear(specimen, &rehearsal)?;
            kept.iter().for_each(|line| self.operator.rigs().keep(line));
        }
        Ok(hardware)
    }

    fn specimen(&mut self, specimen: &Specimen) -> Result<Option<Box<dyn Partner>>, String> {
        Ok(self.callables.specimen(&specimen.name))
    }

    fn compensator(&mut self, specimen: &Specimen) -> Result<Option<Arc<dyn Multivariable>>, String> {
        Ok(self.callables.compensator(&specimen.name))
    }

    fn partner(&mut self, external: &External) -> Result<Option<Box<dyn Partner>>, String> {
        self.programs.take(external).map(Some)
    }

    fn mount(&mut self, specimen: &Specimen, mut controller: Controller) -> Result<Box<dyn Rig>, String> {
        controller.call(specimen.names());
        controller.listen(self.operator.rigs(), if self.several { &specimen.name } else { "" });
        if let Some(path) = self.recording(specimen) {
            let account = tape::Account::default();
            self.accounts.retain(|(name, _)| *name != specimen.name);
            self.accounts.push((specimen.name.clone(), account.clone()));
            controller.record(tape::open(&path, &self.meta, specimen, &self.units, self.pace.real_time, account)?);
        }
        if let Some(feed) = self.shown.as_ref().and_then(|shown| shown(specimen, &controller)) {
            controller.show_on(feed);
        }
        if self.pace.real_time {
            return Ok(Box::new(self.paced(specimen, controller)?));
        }
        Ok(Box::new(controller))
    }
}

/// The recording beside a result file; of one specimen among several it has the name.
pub fn recording(results: &Path, specimen: Option<&str>) -> PathBuf {
    results.with_extension(specimen.map_or_else(|| "lab.h5".to_owned(), |name| format!("{name}.lab.h5")))
}

/// What is known of a specimen after the test.
pub struct Assessed {
    /// Name.
    pub name: String,
    /// Sampling interval of its controller, s.
    pub period: f64,
    /// Which states it went through, and why.
    pub sequence: Sequence,
    /// Samples, samples not recorded, samples whose target came too late.
    pub counts: [u64; 3],
    /// Longest time to rest after each action, s of the laboratory.
    pub rests: [(&'static str, f64); 3],
    /// Energy error as the monitor saw it.
    pub energy_error: f64,
    /// In a real-time test.
    pub timing: Option<LoopTiming>,
    /// Its actuators, and how well each followed, where that is known.
    pub rig: Vec<Actuator>,
    /// See there.
    pub actuators: Vec<Option<Tracking>>,
    /// What its instruments are called.
    pub names: Names,
    /// What the hardware counted, by name.
    pub account: Vec<(&'static str, f64)>,
    /// What is thought of it.
    pub verdict: Verdict,
    /// Its recording, if there is one.
    pub recording: Option<PathBuf>,
}

/// Most samples that are read back for the indicators.
pub const READ_BACK: u64 = 20_000_000;

impl Laboratory {
    /// Looks at what the test of a specimen left behind.
    pub fn assess(&self, specimen: &Specimen, rig: &dyn Rig) -> Option<Assessed> {
        let recording = self.recording(specimen);
        let account = self.accounts.iter().find(|(name, _)| *name == specimen.name);
        // A recording that nobody ended has given no account; the controller knows what it refused.
        let dropped = rig.log().map_or(0, |log| log.counts[1]);
        let unended = || tape::Kept { missing: dropped, ..tape::Kept::default() };
        let kept = account.and_then(|(_, account)| account.read()).unwrap_or_else(unended);
        let histories = recording.as_ref().map_or_else(Vec::new, |path| histories(path, specimen, &self.units));
        let found = Recording {
            histories: &histories,
            period: specimen.period * specimen.record_every as f64,
            // It may hold some of the samples only.
            peaks: &kept.peaks,
            missing: kept.missing,
            failure: kept.failure.as_deref(),
            names: &specimen.names(),
        };
        let recording = recording.filter(|path| path.exists());
        Some(Assessed { recording, ..Assessed::of(specimen, rig, found)? })
    }
}

impl Assessed {
    /// What a test, or its rehearsal, left behind.
    pub fn of(specimen: &Specimen, rig: &dyn Rig, recording: Recording<'_>) -> Option<Self> {
        let (log, timing) = (rig.log()?, rig.timing());
        let [samples, _, late] = log.counts;
        let missing = recording.missing;
        let (actuators, verdict) = assess(&log, recording, timing.as_ref().map(|t| &t.timing));
        Some(Assessed {
            name: specimen.name.clone(),
            period: specimen.period,
            sequence: log.sequence,
            counts: [samples, missing, late],
            rests: log.rests,
            energy_error: log.energy_error,
            verdict,
            timing,
            account: log.account,
            rig: told_apart(specimen),
            names: specimen.names(),
            actuators,
            recording: None,
        })
    }
}

/// The actuators; where they are compensated in different ways, each with its own.
fn told_apart(specimen: &Specimen) -> Vec<Actuator> {
    let mut actuators = specimen.actuators.clone();
    if specimen.compensated_apart() {
        let each = actuators.iter_mut().enumerate();
        each.for_each(|(i, a)| a.compensation = Some(specimen.compensation_of(i).clone()));
    }
    actuators
}

/// What every actuator did, from the recording.
fn histories(path: &Path, specimen: &Specimen, units: &UnitSystem) -> Vec<History> {
    let Ok(reader) = Reader::open(path) else { return Vec::new() };
    if reader.rows() > READ_BACK {
        return Vec::new();
    }
    let one = |actuator: &Actuator| {
        let column = |name: &str, dim: Dimension| {
            tape::column(
                &reader,
                &tape::channel_name(&specimen.name, &actuator.name, name),
                actuator.unit(dim, units).1,
            )
        };
        let length = |name: &str| column(name, Dimension::LENGTH);
        let (target, command) = (length("target")?, length("command")?);
        Some(History { target, command, reached: length("reached")?, force: column("force", Dimension::FORCE)? })
    };
    specimen.actuators.iter().map(one).collect::<Option<_>>().unwrap_or_default()
}
