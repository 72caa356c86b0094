//! `interfield lab`: the emulated laboratory of specimens in a process of its own.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args as ClapArgs;
use interfield_console::Hub;
use interfield_lab::hardware::Hardware;
use interfield_lab::realtime::Histogram;
use interfield_language::Model;
use interfield_language::specimen::{ADDRESSES, Address, Specimen};
use interfield_structure::specimen::emulated;
use interfield_wire::Dock;
use interfield_wire::host::{Host, Hosted, News};
use interfield_wire::sealed::Key;
use serde_json::{Value, json};

use interfield::Operator;

use crate::Exit;
use crate::console::{self, Beside, ConsoleArgs, LabDesk, Watched};
use crate::interrupt::on_interrupt;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json};
use interfield::laboratory::remote::{dock, greeting};
use interfield::laboratory::{bus, keys};
use interfield::table::short;

/// Port of the first specimen that says nothing about where it is.
const PORT: u16 = 7700;

/// Run the emulated laboratory of specimens, for a test in another process
///
/// Replaces the controllers of specimens: answers the commands of `interfield run` for the same model with `at` in its
/// `[[specimen]]`. Without --specimen, all specimens are hosted, each at its own address. One test runs at a time, and
/// each test starts with a new specimen. The program ends with the test, or with Ctrl-C.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield lab tower.toml\n  \
interfield lab tower.toml --specimen isolators --listen shm:/isolators --keep\n  \
interfield lab tower.toml --listen udp://0.0.0.0:7700 --key lab.key --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Only this specimen
    #[arg(long, value_name = "NAME")]
    specimen: Option<String>,
    /// Address to listen at [default: `at` of the specimen, or udp://127.0.0.1:7700 and the following ports]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Key file that encrypts and authenticates the messages [default: `key` of the specimen]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    key: Option<PathBuf>,
    /// Accept connections from other machines without a key
    #[arg(long)]
    insecure: bool,
    /// Wait for the next test after a test has ended
    #[arg(long)]
    keep: bool,
    /// Print the counts, or all errors, as JSON on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    console: ConsoleArgs,
}

/// What is wrong, what to do about it, and how to end.
type Refusal = (String, String, Exit);

/// A specimen and the end of its wire.
struct Stand {
    index: usize,
    dock: Box<dyn Dock>,
}

/// Hosts them.
pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(loaded) => loaded,
        Err(e) => return e,
    };
    let model = match loaded.model(&args.settings) {
        Ok((model, _)) => model,
        Err(e) => return e,
    };
    match host(args, &model, loaded.folder()) {
        Ok(exit) => exit,
        Err((message, help, exit)) => {
            fail(args.json, None, None, &message, &help);
            exit
        }
    }
}

fn host(args: &Args, model: &Model, folder: &Path) -> Result<Exit, Refusal> {
    let chosen = chosen(model, args)?;
    let places: Vec<Address> = chosen.iter().map(|&i| place(args, model, i)).collect::<Result<_, _>>()?;
    match (&chosen[..], &places[..]) {
        (_, all) if args.console.console.is_some() && all.iter().any(|a| matches!(a, Address::Ethercat(_))) => {
            let help = "omit --console here, and give it to `interfield run`";
            return Err(("a simulated bus has no console".to_owned(), help.to_owned(), Exit::BadInput));
        }
        ([index], [Address::Ethercat(interface)]) => return simulate(args, model, *index, interface),
        (_, all) if all.iter().any(|a| matches!(a, Address::Ethercat(_))) => {
            let message = "a simulated bus needs a separate process".to_owned();
            return Err((message, one_of(model), Exit::BadInput));
        }
        _ => {}
    }
    let ready = chosen.into_iter().zip(&places).map(|(index, listen)| stand(args, model, folder, index, listen));
    let stands: Vec<Stand> = ready.collect::<Result<_, _>>()?;
    let stop = stop_by_ctrl_c();
    let about = console::about_model(model, "emulated laboratory");
    let opened = console::open(&args.console, about, Beside::default());
    let opened = opened.map_err(|message| (message, console::HELP.to_owned(), Exit::BadInput))?;
    let hub = opened.as_ref().map(|(hub, _)| hub);
    if let Some(hub) = hub {
        hub.commanded_by(Arc::new(LabDesk(stop.clone())));
    }
    let names: Vec<&str> = stands.iter().map(|s| model.specimens[s.index].name.as_str()).collect();
    let records: Vec<Result<Hosted, String>> = std::thread::scope(|scope| {
        let serve = |stand: Stand| scope.spawn(|| serve(args, model, stand, &stop, hub));
        let threads: Vec<_> = stands.into_iter().map(serve).collect();
        threads
            .into_iter()
            .map(|t| {
                t.join().unwrap_or_else(|_| {
                    Err("the laboratory stopped \
            unexpectedly"
                        .to_owned())
                })
            })
            .collect()
    });
    let records =
        records.into_iter().collect::<Result<Vec<Hosted>, _>>().map_err(|e| (e, String::new(), Exit::Fault))?;
    if args.json {
        let list: Vec<Value> = names.iter().zip(&records).map(|(name, record)| document(name, record)).collect();
        print_json(&json!({ "specimens": list }));
    } else {
        names.iter().zip(&records).for_each(|(name, record)| print(&text(name, record)));
    }
    Ok(if records.iter().any(|r| r.interrupted) { Exit::Interrupted } else { Exit::Done })
}

/// All specimens, or the one that is meant; else what is wrong, and what to write.
fn chosen(model: &Model, args: &Args) -> Result<Vec<usize>, Refusal> {
    let n = model.specimens.len();
    if args.specimen.is_some() || n < 2 {
        let one = choose(model, args.specimen.as_deref());
        return one.map(|i| vec![i]).map_err(|(message, help)| (message, help, Exit::BadInput));
    }
    if args.listen.is_some() {
        let message = format!("the model has {n} specimens, but --listen is one address");
        return Err((message, one_of(model), Exit::BadInput));
    }
    Ok((0..n).collect())
}

/// The specimen that is meant; else what is wrong, and what to write.
pub(super) fn choose(model: &Model, name: Option<&str>) -> Result<usize, (String, String)> {
    match (name, model.specimens.len()) {
        (_, 0) => {
            let help = "define the tested elements with [[specimen]]";
            Err(("the model has no specimen".to_owned(), help.to_owned()))
        }
        (None, 1) => Ok(0),
        (None, n) => Err((format!("the model has {n} specimens"), one_of(model))),
        (Some(name), _) => {
            let found = model.specimens.iter().position(|s| s.name == name);
            found.ok_or_else(|| (format!("the model has no specimen `{name}`"), one_of(model)))
        }
    }
}

fn one_of(model: &Model) -> String {
    let names: Vec<&str> = model.specimens.iter().map(|s| s.name.as_str()).collect();
    format!("write --specimen with one of: {}", names.join(", "))
}

/// Where a specimen is to be found.
fn place(args: &Args, model: &Model, index: usize) -> Result<Address, Refusal> {
    let given = args.listen.as_deref().map(Address::parse).transpose();
    let given = given.map_err(|message| (format!("--listen: {message}"), ADDRESSES.to_owned(), Exit::BadInput))?;
    let port = PORT.saturating_add(index as u16);
    let usual = || Address::Udp { host: "127.0.0.1".to_owned(), port };
    Ok(given.or_else(|| model.specimens[index].at.clone()).unwrap_or_else(usual))
}

/// The end of the wire of a specimen, ready for a call.
fn stand(args: &Args, model: &Model, folder: &Path, index: usize, listen: &Address) -> Result<Stand, Refusal> {
    let specimen = &model.specimens[index];
    let key = secret(args, specimen, folder, listen)?;
    // Before anybody calls, so that a mistake is told here.
    if let Err(message) = open(model, index) {
        return Err((message, "see `[[specimen]]` in the reference".to_owned(), Exit::BadInput));
    }
    let seal = key.as_ref().map_or_else(String::new, |k| format!("key {}, ", k.fingerprint()));
    let (dock, found_at) = dock(listen, key)
        .map_err(|message| (format!("{listen}: {message}"), "give another --listen".to_owned(), Exit::Failure))?;
    announce(specimen, &seal, &found_at);
    Ok(Stand { index, dock })
}

/// Simulates the bus of a specimen until Ctrl-C: a bus does not know when a test is over.
fn simulate(args: &Args, model: &Model, index: usize, interface: &str) -> Result<Exit, Refusal> {
    let refuse =
        |message: String, exit: Exit| (message, "see `ethercat` of an actuator in the reference".to_owned(), exit);
    let specimen = &model.specimens[index];
    let hardware = open(model, index).map_err(|message| refuse(message, Exit::BadInput))?;
    let stop = stop_by_ctrl_c();
    announce(specimen, "", &Address::Ethercat(interface.to_owned()));
    let cycles = bus::simulate(interface, specimen, hardware, &stop).map_err(|e| refuse(e, Exit::Failure))?;
    if args.json {
        print_json(&json!({ "specimens": [{ "specimen": specimen.name, "cycles": cycles }] }));
    } else {
        print(&format!("{cycles} cycles\n"));
    }
    Ok(Exit::Interrupted)
}

/// A flag that Ctrl-C sets.
fn stop_by_ctrl_c() -> Arc<AtomicBool> {
    let operator = Operator::default();
    on_interrupt(&operator);
    operator.stop_flag()
}

/// Always: any program that starts the test has to know that it may.
fn announce(specimen: &Specimen, seal: &str, address: &Address) {
    let n = specimen.actuators.len();
    let plural = if n == 1 { "" } else { "s" };
    let rate = short(1.0 / specimen.period);
    let sensors = specimen.names().sensors.len();
    let sensors = match sensors {
        0 => String::new(),
        1 => " and 1 sensor".to_owned(),
        n => format!(" and {n} sensors"),
    };
    complain(&format!(
        "laboratory of `{}`, {n} actuator{plural}{sensors} at {rate} Hz, {seal}listens at {address}",
        specimen.name
    ));
}

/// The key of a specimen; none where none is wanted, and where none is needed.
fn secret(args: &Args, specimen: &Specimen, folder: &Path, listen: &Address) -> Result<Option<Key>, Refusal> {
    let open_to_all = args.insecure || (args.key.is_none() && specimen.insecure);
    let path = args.key.clone().or_else(|| specimen.key.as_ref().map(|k| folder.join(k))).filter(|_| !open_to_all);
    match path {
        Some(_) if matches!(listen, Address::Shared(_)) => {
            let message = "shared memory never leaves the machine and needs no key";
            Err((message.to_owned(), "remove the key".to_owned(), Exit::BadInput))
        }
        Some(path) => keys::read(&path).map(Some).map_err(|message| (message, String::new(), Exit::Failure)),
        None if listen.leaves_the_machine() && !open_to_all => Err((
            format!("{listen}: without a key, every machine in the network could move the specimen"),
            "give --key FILE, made by `interfield key new FILE`; or --insecure, in a private network".to_owned(),
            Exit::BadInput,
        )),
        None => Ok(None),
    }
}

/// A specimen that was not moved before.
fn open(model: &Model, index: usize) -> Result<Box<dyn Hardware>, String> {
    emulated(model, index).map_err(|p| p.first().map_or_else(String::new, |p| p.message.clone()))
}

fn serve(args: &Args, model: &Model, mut stand: Stand, stop: &AtomicBool, hub: Option<&Hub>) -> Result<Hosted, String> {
    let specimen = &model.specimens[stand.index];
    let aloud = !args.json && std::io::stderr().is_terminal();
    let mut news = |news: News| {
        if aloud {
            complain(&format!("`{}`: {}", specimen.name, words(news)));
        }
    };
    let mut open = || {
        let hardware = open(model, stand.index)?;
        Ok(match hub {
            Some(hub) => Box::new(Watched::new(hub, specimen, &model.units, hardware)),
            None => hardware,
        })
    };
    let host = Host { offer: greeting(specimen), open: &mut open, news: &mut news, stop, keep: args.keep };
    host.serve(stand.dock.as_mut())
}

fn words(news: News) -> &'static str {
    match news {
        News::Opened => "a test is connected to the specimen",
        News::Closed => "the test is over",
        News::Vanished => "the test disconnected; waiting for the next",
        News::Broken => "the specimen is lost, as its simulated faults require; waiting for the next test",
    }
}

/// What was counted, by name.
fn counts(record: &Hosted) -> impl Iterator<Item = (&'static str, u64)> {
    record.statistics.counts().into_iter().chain(record.transport.iter().copied())
}

fn document(specimen: &str, record: &Hosted) -> Value {
    let answering: &Histogram = &record.statistics.answering;
    let mut document = json!({
        "specimen": specimen, "sessions": record.sessions, "interrupted": record.interrupted,
        "answering": interfield::laboratory::histogram_json(&answering.summary()),
    });
    for (name, count) in counts(record) {
        document[name] = count.into();
    }
    document
}

fn text(specimen: &str, record: &Hosted) -> String {
    let counts: Vec<String> = counts(record).filter(|(_, n)| *n > 0).map(|(name, n)| format!("{n} {name}")).collect();
    let s = record.statistics.answering.summary();
    let us = |ns: u64| short(ns as f64 / 1e3);
    let tests = if record.sessions == 1 { "test" } else { "tests" };
    let mut text = format!(
        "`{specimen}`: {} {tests}: {}\n",
        record.sessions,
        if counts.is_empty() { "no messages received".to_owned() } else { counts.join(", ") }
    );
    if s.count > 0 {
        text +=
            &format!("answered after {} us (median), {} us (99 %), {} us (at most)\n", us(s.p50), us(s.p99), us(s.max));
    }
    text
}
