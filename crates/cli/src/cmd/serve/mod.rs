//! `interfield serve`: specimens for OpenSees, OpenFresco or UT-SIM.

mod offer;
mod stand;
mod words;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args as ClapArgs, ValueEnum};
use interfield::laboratory::served::{Served, judge};
use interfield::laboratory::{self, Assessed, Laboratory};
use interfield::programs::Programs;
use interfield_console::RunDesk;
use interfield_lab::verdict::Grade;
use interfield_peers::channel::{PeerAddress, Transport};
use interfield_peers::host::{Ending, OnStall};
use interfield_peers::session::Session;
use interfield_peers::substructure::{Counts, Halt};
use interfield_peers::{opensees, site, utsim};
use interfield_structure::specimen::apart;
use serde_json::json;

use crate::Exit;
use crate::console::{self, Beside, ConsoleArgs};
use crate::interrupt::{listen, on_interrupt};
use crate::load::{Arming, ModelArgs, RealTime};
use crate::output::{complain, fail};
use crate::report::keep;
use offer::Offer;
use stand::{Admission, Stand, Test};

/// Serve the specimens of a model to OpenSees, OpenFresco or UT-SIM, which compute the structure around them
///
/// A specimen (emulated, recorded, or real by its `at`) is moved by another program, through the same controller as in `interfield run`: compensation, limits, recording, verdict.
/// Numbers have the units of the model file. Every new displacement takes a time step of the model (--dt).
///
/// Several specimens are served at once, each at its own port, to one client each: one test, one operator, and a limit that one of them passes ends it for all. A test belongs to the client that began it; with --control, the word `admit` lets another one take it over. It ends when its clients do, or by Ctrl-C, which leads the specimens home.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield serve tower.toml\n  \
interfield serve tower.toml --listen udp://127.0.0.1:8090 --keep\n  \
interfield serve tower.toml --specimen damper --protocol openfresco --stall \"1 min\" --on-stall ramp-down\n  \
interfield serve tower.toml --specimen left --specimen right --listen tcp://127.0.0.1:9000\n  \
interfield serve tower.toml --replay friday.lab.h5 --json")]
pub(crate) struct Args {
    /// Model file with a `[[specimen]]`
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Only this specimen; may be given several times
    #[arg(long, value_name = "NAME")]
    specimen: Vec<String>,
    /// Address to listen at; by default only this machine can connect. Several specimens take the ports behind it, or
    /// one address each
    #[arg(long, value_name = "ADDRESS", default_value = "tcp://127.0.0.1:8090")]
    listen: Vec<PeerAddress>,
    /// Protocol of the client
    #[arg(long, value_enum, default_value = "opensees")]
    protocol: Protocol,
    /// Time without a message from the client that counts as a stall, e.g. "1 min"
    #[arg(long, value_name = "TIME", default_value = "10 s")]
    stall: String,
    /// Action after a stall
    #[arg(long, value_enum, default_value = "hold")]
    on_stall: Stall,
    /// Damping that the client adds itself: this time multiplied by the initial stiffness
    #[arg(long, value_name = "TIME", default_value = "0 s")]
    add_damping: String,
    /// Wait for the next client after a client has ended its test
    #[arg(long)]
    keep: bool,
    /// Result file that gives the recording its name, NAME.lab.h5 [default: interfield-out/MODEL.h5, or the next free
    /// number]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Serve a recording of the specimen, as in `interfield replay`
    #[arg(long, value_name = "RECORDING")]
    replay: Option<PathBuf>,
    /// Largest difference between a command and the recorded one, relative to the largest command
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6, requires = "replay")]
    tolerance: f64,
    #[command(flatten)]
    real_time: RealTime,
    #[command(flatten)]
    arming: Arming,
    #[command(flatten)]
    console: ConsoleArgs,
    /// Print the counts, or all errors, as JSON on standard output
    #[arg(long)]
    json: bool,
}

/// What a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// Element genericClient of OpenSees; elements of OpenFresco with -server
    #[value(name = "opensees")]
    OpenSees,
    /// Shadow or remote site of OpenFresco
    #[value(name = "openfresco")]
    OpenFresco,
    /// Integrator of UT-SIM
    UtSim,
}

impl Protocol {
    /// Its name, as it is given.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
    }
}

/// Action after a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stall {
    /// The specimen stays where it is until the client continues
    Hold,
    /// The specimen returns to its start position, and the test ends
    RampDown,
}

impl Protocol {
    fn session(self, n: usize, transport: Transport) -> Box<dyn Session> {
        match self {
            Protocol::OpenSees => Box::new(opensees::Server::new(n)),
            Protocol::OpenFresco => Box::new(site::Actor::new(n, transport == Transport::Tcp)),
            Protocol::UtSim => Box::new(utsim::Server::new(n)),
        }
    }
}

impl Args {
    fn on_stall(&self) -> OnStall {
        match self.on_stall {
            Stall::Hold => OnStall::Hold,
            Stall::RampDown => OnStall::RampDown,
        }
    }
}

/// Serves them.
pub(crate) fn run(args: &Args) -> Exit {
    let (offer, mut stands) = match Offer::prepare(args) {
        Ok(made) => made,
        Err(exit) => return exit,
    };
    stands.iter().flat_map(words::warnings).for_each(|line| complain(&line));
    let mut laboratory = Laboratory::new(
        Some(&offer.results),
        &offer.folder,
        &offer.meta,
        &offer.model,
        args.real_time.into(),
        offer.replay.clone(),
        Programs::default(),
    )
    .armed(&(&args.arming).into(), offer.rehearsal.clone());
    let mut about = console::about_model(&offer.model, "served to another program");
    about["clocked"] = json!(args.real_time.real_time);
    let beside = Beside {
        model: Some(&args.model),
        results: Some(&offer.results),
        core: args.real_time.core,
        ..Beside::default()
    };
    let opened = match console::open(&args.console, about, beside) {
        Ok(opened) => opened,
        Err(message) => {
            fail(args.json, None, None, &message, console::HELP);
            return Exit::BadInput;
        }
    };
    if let Some((hub, _)) = &opened {
        // Clients start the test; the operator holds, ends and slows it down.
        let operator = Box::new(console::Commanded::served(laboratory.operator().clone()));
        let desk = RunDesk::new(hub, operator, true, console::time_scale(&offer.model), Vec::new());
        desk.open();
        hub.commanded_by(desk);
        laboratory = laboratory.shown_on(Some(console::shown(hub, &Arc::new(offer.model.clone()))));
    }
    // The first Ctrl-C leads the specimens home, the second one stops them where they are.
    on_interrupt(laboratory.operator());
    let stop = laboratory.operator().stop_flag();
    let admission = Arc::new(Admission::default());
    if args.real_time.control {
        let admission = Arc::clone(&admission);
        listen(laboratory.operator(), move |word| (word == "admit").then(|| admission.admit()));
    }
    let mut tests = Vec::new();
    let exit = loop {
        let test =
            Test { stop: &stop, over: AtomicBool::new(false), ended: AtomicBool::new(false), admission: &admission };
        let (endings, assessed) = match one_test(&offer, &mut stands, &mut laboratory, &test) {
            Ok(done) => done,
            Err(exit) => break exit,
        };
        let failed = assessed.iter().any(|a| a.verdict.grade == Grade::Failed);
        tests.extend(assessed);
        let all = |wanted: fn(&Ending) -> bool| endings.iter().all(wanted);
        if endings.contains(&Ending::Stopped) {
            break Exit::Interrupted;
        }
        if args.keep && all(|e| matches!(e, Ending::Ended | Ending::Halted(Halt::Stalled | Halt::Over))) {
            continue;
        }
        break if failed || !all(|e| *e == Ending::Ended) { Exit::Fault } else { Exit::Done };
    };
    if exit != Exit::Failure {
        words::tell(&stands, &tests, &offer.model.units, args.json);
    }
    exit
}

/// One test of all specimens, from their start to their verdicts: how it ended for each, and what is known of those that moved.
fn one_test(
    offer: &Offer<'_>,
    stands: &mut [Stand],
    laboratory: &mut Laboratory,
    test: &Test<'_>,
) -> Result<(Vec<Ending>, Vec<Assessed>), Exit> {
    let json = offer.args.json;
    let refuse = |message: &str, help: &str| {
        fail(json, None, None, message, help);
        Exit::Failure
    };
    // Keeps the name until the recordings are made.
    let first = stands.first().ok_or(Exit::Failure)?;
    let (results, _claim) = offer.next_recording(first).map_err(|e| refuse(&e, "give another file with --output"))?;
    laboratory.record_as(&results);
    test.admission.begin();
    let mut all = Vec::new();
    for stand in stands.iter() {
        let rig = apart(&offer.model, stand.index, laboratory).map_err(|problems| {
            problems.iter().for_each(|p| fail(json, None, None, &p.message, &p.help));
            Exit::Failure
        })?;
        all.push(Served::new(&offer.model, &stand.specimen, rig, offer.add_damping));
    }
    stands.iter().for_each(|stand| complain(&words::ready(&offer.model, stand, offer.args.protocol)));
    let found: Vec<io::Result<(Ending, Counts)>> = std::thread::scope(|scope| {
        let serve = |(stand, served)| scope.spawn(move || Stand::serve(stand, offer, served, test));
        let threads: Vec<_> = stands.iter_mut().zip(&mut all).map(serve).collect();
        let broken = || Err(io::Error::other("the server stopped unexpectedly"));
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| broken())).collect()
    });
    let (mut endings, mut tests) = (Vec::new(), Vec::new());
    for ((stand, served), found) in stands.iter().zip(&all).zip(found) {
        let (ending, counts) =
            found.map_err(|e| refuse(&format!("{}: {e}", stand.place()), "give another --listen"))?;
        endings.push(ending);
        let Some(mut assessed) = laboratory.assess(&stand.specimen, served.rig()) else { continue };
        judge(&mut assessed.verdict, &counts);
        tests.extend(kept(offer, assessed, ending));
    }
    Ok((endings, tests))
}

/// Keeps what a test of a specimen left behind, if anybody came.
fn kept(offer: &Offer<'_>, assessed: Assessed, ending: Ending) -> Option<Assessed> {
    if matches!(ending, Ending::Halted(Halt::Broken(_))) {
        laboratory::log(&assessed).iter().for_each(|line| complain(&format!("note: {line}")));
    }
    if let Err(message) = keep(std::slice::from_ref(&assessed), &offer.model) {
        complain(&format!("error: {message}"));
    }
    match assessed {
        // Nobody came: an empty recording is worth nothing.
        Assessed { counts: [0, ..], recording: Some(path), .. } => {
            let _ = std::fs::remove_file(path);
            None
        }
        assessed => Some(assessed),
    }
}
