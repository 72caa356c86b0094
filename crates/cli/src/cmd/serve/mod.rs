//! `interfield serve`: a specimen for OpenSees, OpenFresco or UT-SIM.

mod words;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args as ClapArgs, ValueEnum};
use interfield_lab::controller::MissPolicy;
use interfield_lab::realtime::Histogram;
use interfield_lab::verdict::Grade;
use interfield_language::Model;
use interfield_language::quantity::Scope;
use interfield_language::specimen::Specimen;
use interfield_language::units::Dimension;
use interfield_peers::channel::{Door, PeerAddress, Transport};
use interfield_peers::host::{Ending, Host, News, OnStall};
use interfield_peers::session::Session;
use interfield_peers::substructure::{Counts, Substructure};
use interfield_peers::{opensees, site, utsim};
use interfield_results::Meta;
use interfield_structure::specimen::apart;

use super::lab::choose;
use crate::Exit;
use crate::interrupt::{listen, on_interrupt};
use crate::load::{Arming, Loaded, ModelArgs, RealTime};
use crate::output::{complain, fail};
use crate::report::keep;
use interfield::laboratory::served::Served;
use interfield::laboratory::{self, Assessed, Laboratory, Replay};
use interfield::outputs::{Claim, OUT, free_recording, present};
use interfield::programs::Programs;
use interfield::record;
use interfield::rehearsal::{self, Rehearsal};

/// Serve a specimen to OpenSees, OpenFresco or UT-SIM, which compute the structure around it
///
/// The specimen of a model (emulated, recorded, or real by its `at`) is moved by another program, through the same controller as in `interfield run`: compensation, limits, recording, verdict.
/// Numbers have the units of the model file. Every new displacement takes a time step of the model (--dt). One client at a time; ends when it does, or by Ctrl-C, which leads the specimen home.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield serve tower.toml\n  \
interfield serve tower.toml --listen udp://127.0.0.1:8090 --keep\n  \
interfield serve tower.toml --specimen damper --protocol openfresco --stall \"1 min\" --on-stall ramp-down\n  \
interfield serve tower.toml --replay friday.lab.h5 --json")]
pub(crate) struct Args {
    /// Model file with a `[[specimen]]`
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Which specimen, if the model has several
    #[arg(long, value_name = "NAME")]
    specimen: Option<String>,
    /// Where to be found; only from this machine, unless another address is given
    #[arg(long, value_name = "ADDRESS", default_value = "tcp://127.0.0.1:8090")]
    listen: PeerAddress,
    /// What the client speaks
    #[arg(long, value_enum, default_value = "opensees")]
    protocol: Protocol,
    /// Silence of the client that is a stall, e.g. "1 min"
    #[arg(long, value_name = "TIME", default_value = "10 s")]
    stall: String,
    /// What follows a stall
    #[arg(long, value_enum, default_value = "hold")]
    on_stall: Stall,
    /// Damping that the client adds by itself: so much time times the stiffness at rest
    #[arg(long, value_name = "TIME", default_value = "0 s")]
    add_damping: String,
    /// Wait for the next client when one has ended its test
    #[arg(long)]
    keep: bool,
    /// Result file after which the recording NAME.lab.h5 is named [default: interfield-out/MODEL.h5, or the next
    /// free number of it]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Serve a recording of the specimen, as `interfield replay` plays it
    #[arg(long, value_name = "RECORDING")]
    replay: Option<PathBuf>,
    /// Largest difference of a command from the recorded one, over the largest command
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6, requires = "replay")]
    tolerance: f64,
    #[command(flatten)]
    real_time: RealTime,
    #[command(flatten)]
    arming: Arming,
    /// Print what was counted, or all mistakes, as JSON on standard output
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

/// What follows a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stall {
    /// The specimen stays where it is until the client goes on
    Hold,
    /// The specimen is led home, and the test is over
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

/// All that is decided before the first client comes.
struct Offer<'a> {
    args: &'a Args,
    model: Model,
    specimen: Specimen,
    index: usize,
    replay: Option<Replay>,
    stall: Duration,
    add_damping: f64,
    folder: PathBuf,
    results: PathBuf,
    meta: Meta,
    rehearsal: Rehearsal,
}

impl Offer<'_> {
    /// The result file after which the next recording is named, and what keeps that name until it is made.
    fn next_recording(&self) -> Result<(PathBuf, Claim), String> {
        let several = (self.model.specimens.len() > 1).then_some(self.specimen.name.as_str());
        free_recording(&self.results, |results| laboratory::recording(results, several))
    }
}

/// What was done for all clients.
pub(super) struct Totals {
    clients: u64,
    counts: Counts,
    answering: Histogram,
    /// Clients that were sent away, and why.
    refused: Vec<String>,
    tests: Vec<Assessed>,
}

/// Serves it.
pub(crate) fn run(args: &Args) -> Exit {
    let (offer, mut door) = match prepare(args) {
        Ok(made) => made,
        Err(exit) => return exit,
    };
    let place = door.place();
    if !place.is_local() {
        complain(&format!("warning: whoever reaches {place} can move the specimen: nobody is asked who he is"));
    }
    if offer.specimen.at.is_some() && offer.specimen.limits.displacement.is_none() {
        complain("warning: the specimen has no limit of its displacement: it goes wherever the client says");
    }
    let mut totals = Totals {
        clients: 0,
        counts: Counts::default(),
        answering: Histogram::new(None),
        refused: Vec::new(),
        tests: Vec::new(),
    };
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
    // The first Ctrl-C leads the specimen home, the second one stops it where it is.
    on_interrupt(laboratory.operator());
    let stop = laboratory.operator().stop_flag();
    if args.real_time.control {
        listen(laboratory.operator());
    }
    let exit = loop {
        // Keeps the name until the recording is made.
        let _claim = match offer.next_recording() {
            Ok((results, claim)) => {
                laboratory.record_as(&results);
                claim
            }
            Err(message) => {
                fail(args.json, None, None, &message, "give another file with --output");
                break Exit::Failure;
            }
        };
        let rig = match apart(&offer.model, offer.index, &mut laboratory) {
            Ok(rig) => rig,
            Err(problems) => {
                problems.iter().for_each(|p| fail(args.json, None, None, &p.message, &p.help));
                break Exit::Failure;
            }
        };
        let mut served = Served::new(&offer.model, &offer.specimen, rig, offer.add_damping);
        complain(&words::ready(&offer.model, &offer.specimen, &place, args.protocol));
        let ending = clients(&offer, &mut door, &mut served, &stop, &mut totals);
        let ending = match ending {
            Ok(ending) => ending,
            Err(e) => {
                served.leave();
                fail(args.json, None, None, &format!("{place}: {e}"), "give another --listen");
                break Exit::Failure;
            }
        };
        if ending == Ending::Ended {
            served.ended_as_planned();
        }
        served.leave();
        let assessed = laboratory.assess(&offer.specimen, served.rig());
        if ending == Ending::Broken {
            assessed.iter().flat_map(laboratory::log).for_each(|line| complain(&format!("note: {line}")));
        }
        if let Err(message) = keep(assessed.as_slice(), &offer.model) {
            complain(&format!("error: {message}"));
        }
        let failed = assessed.as_ref().is_none_or(|a| a.verdict.grade == Grade::Failed);
        match assessed {
            // Nobody came: an empty recording is worth nothing.
            Some(Assessed { counts: [0, ..], recording: Some(path), .. }) => drop(std::fs::remove_file(path)),
            other => totals.tests.extend(other),
        }
        match ending {
            Ending::Stopped => break Exit::Interrupted,
            Ending::Ended if args.keep => {}
            Ending::Ended if failed => break Exit::Fault,
            Ending::Ended => break Exit::Done,
            Ending::Stalled if args.keep => {}
            _ => break Exit::Fault,
        }
    };
    if exit != Exit::Failure {
        words::tell(&totals, &offer.specimen.name, &place, &offer.model.units, args.json);
    }
    exit
}

/// Reads the model and opens the door; what is wrong has been said.
fn prepare(args: &Args) -> Result<(Offer<'_>, Door), Exit> {
    let refuse = |message: &str, help: &str, exit: Exit| {
        fail(args.json, None, None, message, help);
        exit
    };
    let loaded = Loaded::open(&args.model, args.json)?;
    let (mut model, _) = loaded.model(&args.settings)?;
    let index =
        choose(&model, args.specimen.as_deref()).map_err(|(message, help)| refuse(&message, &help, Exit::BadInput))?;
    let time = |option: &str, text: &str| {
        let found = Scope::new(model.units.clone()).quantity(text, Dimension::TIME);
        let example = format!("write for example {option} \"10 s\"");
        match found {
            Ok(time) if (0.0..1e9).contains(&time) => Ok(time),
            Ok(time) => Err(refuse(&format!("{option}: {time} s is no time to wait"), &example, Exit::BadInput)),
            Err(errors) => {
                let why = errors.first().map_or("is no time", |e| e.message.as_str());
                Err(refuse(&format!("{option}: {why}"), &example, Exit::BadInput))
            }
        }
    };
    // Not nothing: every answer would come too late.
    let stall = Duration::from_secs_f64(time("--stall", &args.stall)?.max(1e-3));
    let add_damping = time("--add-damping", &args.add_damping)?;
    let replay = match &args.replay {
        Some(path) => Some(Replay::open(path, args.tolerance).map_err(|e| {
            refuse(&e, "give a recording NAME.lab.h5, written by `interfield run` or `serve`", Exit::Failure)
        })?),
        None => None,
    };
    let specimen = &mut model.specimens[index];
    // The client keeps no time: whenever its next displacement comes is early enough.
    specimen.late = if args.real_time.real_time { MissPolicy::Wait } else { MissPolicy::Hold };
    specimen.limits.deadline = None;
    let specimen = specimen.clone();
    if replay.as_ref().is_some_and(|r| !r.holds(&specimen)) {
        let message = format!("the recording holds no specimen `{}`", specimen.name);
        return Err(refuse(&message, "give a recording of this specimen", Exit::BadInput));
    }
    let door = Door::open(&args.listen)
        .map_err(|e| refuse(&format!("{}: {e}", args.listen), "give another --listen", Exit::Failure))?;
    let stem = args.model.file_stem().unwrap_or(args.model.as_os_str());
    let results = args.output.clone().unwrap_or_else(|| Path::new(OUT).join(stem).with_extension("h5"));
    // A name that somebody chose is his; others get the next number.
    if let Some(there) = args.output.as_deref().and_then(present) {
        let message = format!("{there}, and nothing that was recorded is ever replaced");
        return Err(refuse(&message, "write another --output", Exit::BadInput));
    }
    let settings = [
        ("dt", format!("{} s", model.analysis.dt)),
        ("protocol", format!("{:?}", args.protocol)),
        ("listen", args.listen.to_string()),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let mut meta = record::about(&model.title, loaded.text(), settings, &(&args.settings).into());
    record::complete(&mut meta, &loaded, &model, &args.real_time.into());
    let folder = loaded.folder().to_owned();
    let rehearsal = rehearsal::of(&loaded, &(&args.settings).into());
    Ok((Offer { args, model, specimen, index, replay, stall, add_damping, folder, results, meta, rehearsal }, door))
}

/// Serves one client after the other until a test is over.
fn clients(
    offer: &Offer<'_>,
    door: &mut Door,
    served: &mut Served,
    stop: &AtomicBool,
    totals: &mut Totals,
) -> std::io::Result<Ending> {
    let args = offer.args;
    let place = door.place();
    let aloud = !args.json && std::io::stderr().is_terminal();
    while !stop.load(Ordering::Relaxed) {
        let Some(mut channel) = door.accept(offer.stall, Instant::now() + Duration::from_millis(100))? else {
            continue;
        };
        totals.clients += 1;
        if aloud {
            complain("a client has the specimen");
        }
        let mut session = args.protocol.session(served.dofs(), place.transport);
        let mut news = |news: News| complain(&words::news(news));
        let on_stall = match args.on_stall {
            Stall::Hold => OnStall::Hold,
            Stall::RampDown => OnStall::RampDown,
        };
        let mut host = Host { stall: offer.stall, on_stall, news: &mut news, stop };
        let record = host.serve(channel.as_mut(), session.as_mut(), served);
        let sum = &mut totals.counts;
        sum.requests += record.counts.requests;
        sum.moves += record.counts.moves;
        sum.commits += record.counts.commits;
        totals.answering.merge(&record.answering);
        match record.ending {
            Ending::Vanished => complain(&format!("the client vanished; the specimen is held for the next at {place}")),
            Ending::Violated(violation) => {
                complain(&format!("a client was sent away: {violation}; waiting for the next at {place}"));
                totals.refused.push(violation.to_string());
            }
            Ending::NotANumber => complain(&format!("it has gone; the specimen is held for the next at {place}")),
            ending => return Ok(ending),
        }
    }
    Ok(Ending::Stopped)
}
