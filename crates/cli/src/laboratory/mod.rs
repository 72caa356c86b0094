//! The laboratory of a run: where its rigs come from, what they record, and what is said about them afterwards.

mod arming;
pub(crate) mod bus;
pub(crate) mod keys;
mod page;
pub(crate) mod remote;
mod replay;
pub(crate) mod served;
mod settings;
pub(crate) mod tape;
mod words;

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use interfield_lab::controller::{Controller, MissPolicy, Operator, Word};
use interfield_lab::hardware::Hardware;
use interfield_lab::paced::{Pace, Paced};
use interfield_lab::partner::Partner;
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::{Rights, Wish, claim};
use interfield_lab::realtime::{Clock, FollowingClock, Histogram, Schedule, Timing, Waking, WallClock, WhenLate};
use interfield_lab::rig::Rig;
use interfield_lab::safety::Machine;
use interfield_lab::verdict::{History, Recording, Tracking, Verdict, assess};
use interfield_language::external::External;
use interfield_language::specimen::{Address, Specimen};
use interfield_language::units::{Dimension, UnitSystem};
use interfield_results::{Meta, Reader};
use interfield_structure::specimen::Workshop;

use crate::Exit;
use crate::output::complain;
use crate::programs::Programs;
use crate::rehearsal::Rehearsal;
pub(crate) use arming::Arming;
pub(crate) use page::{blocks, keep};
pub(crate) use replay::Replay;
pub(crate) use settings::{PREFIX, settings};
pub(crate) use words::{json, log, text, to_start};

/// How the clock of a test in real time wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Wake {
    /// Sleep: costs nothing, wakes late by what the system needs
    Sleep,
    /// Sleep, then spin the last 100 microseconds
    SleepThenSpin,
    /// Spin: for a core that is given to the test
    Spin,
}

/// What the command line says about time.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RealTime {
    /// Run the specimens by the clock, at their time scale; without it as fast as possible
    #[arg(long)]
    pub(crate) real_time: bool,
    /// Core of the controller thread
    #[arg(long, value_name = "N", requires = "real_time")]
    pub(crate) core: Option<usize>,
    /// Priority of the controller thread under SCHED_FIFO
    #[arg(long, value_name = "1..99", requires = "real_time", default_value_t = 80, value_parser = clap::value_parser!(u8).range(1..=99))]
    priority: u8,
    /// How the clock wakes
    #[arg(long, value_enum, requires = "real_time", default_value = "sleep-then-spin")]
    wake: Wake,
    /// Longest time without an answer of the controller before the test is given up, s
    #[arg(long, value_name = "SECONDS", requires = "real_time", default_value_t = 1.0)]
    watchdog: f64,
    /// Take the words of the operator from standard input, a line each: pause, resume, stop, abort, status, note TEXT
    #[arg(long)]
    pub(crate) control: bool,
}

impl Default for RealTime {
    fn default() -> Self {
        RealTime {
            real_time: false,
            core: None,
            priority: 80,
            wake: Wake::SleepThenSpin,
            watchdog: 1.0,
            control: false,
        }
    }
}

impl RealTime {
    /// Rights for the thread that computes the targets, below those of the controller. What is refused there was refused the
    /// controller too, which says so.
    pub(crate) fn claim(&self) {
        if self.real_time {
            claim(&Wish {
                priority: Some(self.priority.saturating_sub(10).max(1)),
                core: None,
                lock_memory: true,
                stay_awake: false,
            });
        }
    }
}

/// The workshop of a run.
pub(crate) struct Laboratory {
    pace: RealTime,
    operator: Operator,
    meta: Meta,
    units: UnitSystem,
    /// Folder of the model, from where its key files are seen.
    folder: PathBuf,
    /// Result file of the run, after which the recordings are named.
    results: PathBuf,
    several: bool,
    /// A recording that answers instead of what the model says.
    replay: Option<Replay>,
    /// Programs of externals, until they are taken.
    programs: Programs,
    /// What was said of the start of a test on real specimens, and their rehearsal; `None`: nothing real is moved.
    arming: Option<(Arming, Rehearsal)>,
    /// What becomes of the recordings, by their specimens.
    accounts: Vec<(String, tape::Account)>,
}

impl Laboratory {
    /// A workshop whose rigs record next to the results of the run.
    pub(crate) fn new(
        results: &Path,
        folder: &Path,
        meta: &Meta,
        model: &interfield_language::Model,
        pace: RealTime,
        replay: Option<Replay>,
        programs: Programs,
    ) -> Self {
        Laboratory {
            pace,
            operator: Operator::default(),
            meta: meta.clone(),
            units: model.units.clone(),
            folder: folder.to_owned(),
            results: results.to_owned(),
            several: model.specimens.len() > 1,
            replay,
            programs,
            arming: None,
            accounts: Vec::new(),
        }
    }

    /// Names the next recordings after another result file.
    pub(crate) fn record_as(&mut self, results: &Path) {
        results.clone_into(&mut self.results);
    }

    /// Moves what is real only if this says that it may.
    pub(crate) fn armed(self, arming: &Arming, rehearsal: Rehearsal) -> Self {
        Laboratory { arming: Some((arming.clone(), rehearsal)), ..self }
    }

    /// Whom its rigs listen to.
    pub(crate) fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Listens to standard input for what somebody wants, and answers on standard error.
    pub(crate) fn listen(&self) {
        let operator = self.operator.clone();
        // The thread ends with the process: it waits for a line that may never come.
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|l| !l.trim().is_empty()) {
                let answer = Word::parse(&line).and_then(|word| operator.say(&word));
                match answer {
                    Ok(text) => complain(&format!("{}: {text}", line.trim())),
                    Err(text) => complain(&format!("{}: refused: {text}", line.trim())),
                }
            }
        });
    }

    fn recording(&self, specimen: &Specimen) -> PathBuf {
        recording(&self.results, self.several.then_some(specimen.name.as_str()))
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
        let pace = Pace { wish: self.wish(), patience: Patience::Park, watchdog };
        Paced::start(controller, clock, pace).map_err(|e| e.to_string())
    }

    /// Rights of the controller thread.
    fn wish(&self) -> Wish {
        Wish { priority: Some(self.pace.priority), core: self.pace.core, lock_memory: true, stay_awake: true }
    }
}

impl Workshop for Laboratory {
    fn hardware(&mut self, specimen: &Specimen) -> Result<Option<Box<dyn Hardware>>, String> {
        if let Some(replay) = &self.replay
            && replay.holds(specimen)
        {
            return replay.hardware(specimen, &self.units, &self.recording(specimen)).map(Some);
        }
        // The thread of a bus comes before that of the controller, which waits for it.
        let above = |wish: Wish| Wish { priority: wish.priority.map(|p| (p + 1).min(99)), core: None, ..wish };
        let hardware = remote::hardware(specimen, &self.folder, self.pace.real_time.then(|| above(self.wish())))?;
        // Before anything is built on it: a scheme may ask for the force at its start, and that is a motion.
        if hardware.as_ref().is_some_and(|h| !h.is_emulated()) {
            let (arming, rehearsal) = self.arming.clone().unwrap_or((Arming::default(), Rehearsal::Missing));
            let kept = arming.clear(specimen, &rehearsal)?;
            kept.iter().for_each(|line| self.operator.keep(line));
        }
        Ok(hardware)
    }

    fn partner(&mut self, external: &External) -> Result<Option<Box<dyn Partner>>, String> {
        self.programs.take(external).map(Some)
    }

    fn mount(&mut self, specimen: &Specimen, mut controller: Controller) -> Result<Box<dyn Rig>, String> {
        controller.listen(&self.operator, if self.several { &specimen.name } else { "" });
        let path = self.recording(specimen);
        let account = tape::Account::default();
        self.accounts.retain(|(name, _)| *name != specimen.name);
        self.accounts.push((specimen.name.clone(), account.clone()));
        controller.record(tape::open(&path, &self.meta, specimen, &self.units, self.pace.real_time, account)?);
        if self.pace.real_time {
            return Ok(Box::new(self.paced(specimen, controller)?));
        }
        Ok(Box::new(controller))
    }
}

/// The recording beside a result file; of one specimen among several it has the name.
pub(crate) fn recording(results: &Path, specimen: Option<&str>) -> PathBuf {
    results.with_extension(specimen.map_or_else(|| "lab.h5".to_owned(), |name| format!("{name}.lab.h5")))
}

/// The first Ctrl-C ends a test as it should end: the specimen is led home, everything is kept. The second brakes it where it is and switches
/// off. Whatever hangs meanwhile, a program or an FMU, does not keep the third from ending the process; nor the second, after a while.
pub(crate) fn on_interrupt(stop: &Arc<AtomicBool>, operator: &Operator) {
    let (stop, operator, asked) = (Arc::clone(stop), operator.clone(), AtomicU8::new(0));
    // A second handler in one process is impossible here; without one Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(move || match asked.fetch_add(1, Ordering::AcqRel) {
        0 => {
            stop.store(true, Ordering::Release);
            // Nobody looks at the flag while the test stands.
            if operator.is_paused() {
                let _ = operator.say(&Word::Stop);
            }
        }
        1 if operator.has_rigs() => {
            let _ = operator.say(&Word::Abort);
            complain("interrupted again: specimens are braked where they are, and the program ends");
            std::thread::spawn(|| {
                std::thread::sleep(LAST_WORDS);
                std::process::exit(i32::from(Exit::Interrupted as u8));
            });
        }
        _ => std::process::exit(i32::from(Exit::Interrupted as u8)),
    });
}

/// How long a program that was interrupted twice has to end by itself.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What is known of a specimen after the test.
pub(crate) struct Assessed {
    pub(crate) name: String,
    pub(crate) period: f64,
    pub(crate) machine: Machine,
    /// Samples, samples not recorded, samples without a target in time.
    pub(crate) counts: [u64; 3],
    /// Longest time to rest after each action, s of the laboratory.
    pub(crate) rests: [(&'static str, f64); 3],
    /// Energy error as the monitor saw it.
    pub(crate) energy_error: f64,
    /// In a test by the clock: how it kept its time, what it was granted, and the time from measurements to targets.
    pub(crate) timing: Option<(Timing, Rights, Histogram)>,
    pub(crate) actuators: Vec<Option<Tracking>>,
    /// What the hardware counted, by name.
    pub(crate) account: Vec<(&'static str, f64)>,
    pub(crate) verdict: Verdict,
    pub(crate) recording: Option<PathBuf>,
}

/// Most samples that are read back for the indicators.
pub(crate) const READ_BACK: u64 = 20_000_000;

impl Laboratory {
    /// Looks at what the test of a specimen left behind.
    pub(crate) fn assess(&self, specimen: &Specimen, rig: &dyn Rig) -> Option<Assessed> {
        let recording = self.recording(specimen);
        let account = self.accounts.iter().find(|(name, _)| *name == specimen.name);
        // A recording that nobody ended has given no account; the controller knows what it refused.
        let dropped = rig.controller().map_or(0, |c| c.counts()[1]);
        let unended = || tape::Kept { missing: dropped, ..tape::Kept::default() };
        let kept = account.and_then(|(_, account)| account.read()).unwrap_or_else(unended);
        let histories = histories(&recording, specimen, &self.units);
        let found = Recording {
            histories: &histories,
            period: specimen.period * specimen.record_every as f64,
            // It may hold some of the samples only.
            peaks: &kept.peaks,
            missing: kept.missing,
            failure: kept.failure.as_deref(),
        };
        let recording = recording.exists().then_some(recording);
        Some(Assessed { recording, ..Assessed::of(specimen, rig, found)? })
    }
}

impl Assessed {
    /// What a test, or its rehearsal, left behind.
    pub(crate) fn of(specimen: &Specimen, rig: &dyn Rig, recording: Recording<'_>) -> Option<Self> {
        let controller = rig.controller()?;
        let timing = rig.timing().map(|(r, compute)| (r.timing.clone(), r.rights.clone(), compute.clone()));
        let [samples, _, late] = controller.counts();
        let missing = recording.missing;
        let (actuators, verdict) = assess(controller, recording, timing.as_ref().map(|t| &t.0));
        Some(Assessed {
            name: specimen.name.clone(),
            period: specimen.period,
            machine: controller.machine().clone(),
            counts: [samples, missing, late],
            rests: controller.times_to_rest(),
            energy_error: controller.monitor().energy_error(),
            verdict,
            timing,
            account: controller.account(),
            actuators,
            recording: None,
        })
    }
}

/// What every actuator did, from the recording.
fn histories(path: &Path, specimen: &Specimen, units: &UnitSystem) -> Vec<History> {
    let Ok(reader) = Reader::open(path) else { return Vec::new() };
    if reader.rows() > READ_BACK {
        return Vec::new();
    }
    let (u, f) = (units.factor(Dimension::LENGTH), units.factor(Dimension::FORCE));
    let column =
        |i: usize, name: &str, factor: f64| tape::column(&reader, &tape::channel_name(&specimen.name, i, name), factor);
    let one = |i: usize| {
        let (target, command) = (column(i, "target", u)?, column(i, "command", u)?);
        Some(History { target, command, reached: column(i, "reached", u)?, force: column(i, "force", f)? })
    };
    (0..specimen.actuators.len()).map(one).collect::<Option<_>>().unwrap_or_default()
}
