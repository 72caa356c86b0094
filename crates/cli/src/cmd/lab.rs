//! `interfield lab`: the emulated laboratory of a specimen in a process of its own.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args as ClapArgs;
use interfield_lab::hardware::Hardware;
use interfield_lab::realtime::Histogram;
use interfield_model::Model;
use interfield_model::specimen::{ADDRESSES, Address, emulated};
use interfield_wire::host::{Host, News, Record};
use serde_json::json;

use crate::Exit;
use crate::laboratory::remote::{dock, greeting};
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json};
use crate::table::short;

/// Host the emulated laboratory of a specimen, for a test in another process
///
/// Stands in for the controller of a specimen: answers the commands of `interfield run` for the same model with `at` in its
/// `[[specimen]]`. One test at a time; each gets a specimen that nobody has moved. Ends with the test, or by Ctrl-C.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield lab tower.toml\n  \
interfield lab tower.toml --specimen isolators --listen shm:/isolators --keep\n  \
interfield lab tower.toml --listen udp://0.0.0.0:7700 --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Which specimen, if the model has several
    #[arg(long, value_name = "NAME")]
    specimen: Option<String>,
    /// Where to be found [default: `at` of the specimen, or udp://127.0.0.1:7700]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Wait for the next test when one is over
    #[arg(long)]
    keep: bool,
    /// Print what was counted, or all mistakes, as JSON on standard output
    #[arg(long)]
    json: bool,
}

/// Hosts it.
pub(crate) fn run(args: &Args) -> Exit {
    let refuse = |message: &str, help: &str, exit: Exit| {
        fail(args.json, None, None, message, help);
        exit
    };
    let model = match Loaded::open(&args.model, args.json).and_then(|loaded| loaded.model(&args.settings)) {
        Ok((model, _)) => model,
        Err(e) => return e,
    };
    let index = match choose(&model, args.specimen.as_deref()) {
        Ok(index) => index,
        Err((message, help)) => return refuse(&message, &help, Exit::BadInput),
    };
    let specimen = &model.specimens[index];
    let listen = match args.listen.as_deref().map(Address::parse).transpose() {
        Ok(given) => given.or_else(|| specimen.at.clone()),
        Err(message) => return refuse(&format!("--listen: {message}"), ADDRESSES, Exit::BadInput),
    };
    let listen = listen.unwrap_or_else(|| Address::Udp { host: "127.0.0.1".to_owned(), port: 7700 });
    let (mut dock, found_at) = match dock(&listen) {
        Ok(made) => made,
        Err(message) => return refuse(&format!("{listen}: {message}"), "give another --listen", Exit::Failure),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let n = specimen.actuators.len();
    let plural = if n == 1 { "" } else { "s" };
    let rate = short(1.0 / specimen.period);
    // Always: whoever starts the test has to know that it may.
    complain(&format!("laboratory of `{}`, {n} actuator{plural} at {rate} Hz, listens at {found_at}", specimen.name));
    let aloud = !args.json && std::io::stderr().is_terminal();
    let mut news = |news: News| {
        if aloud {
            complain(words(news));
        }
    };
    let mut open = || -> Result<Box<dyn Hardware>, String> {
        emulated(&model, index).map_err(|p| p.first().map_or_else(String::new, |p| p.message.clone()))
    };
    // Once before anybody calls, so that a mistake is told here.
    if let Err(message) = open() {
        return refuse(&message, "see `[[specimen]]` in the reference", Exit::BadInput);
    }
    let host = Host { offer: greeting(specimen), open: &mut open, news: &mut news, stop: &stop, keep: args.keep };
    match host.serve(dock.as_mut()) {
        Ok(record) => {
            tell(&record, &specimen.name, args.json);
            if record.interrupted { Exit::Interrupted } else { Exit::Done }
        }
        Err(message) => refuse(&message, "", Exit::Fault),
    }
}

/// The specimen that is meant; else what is wrong, and what to write.
pub(super) fn choose(model: &Model, name: Option<&str>) -> Result<usize, (String, String)> {
    let names: Vec<&str> = model.specimens.iter().map(|s| s.name.as_str()).collect();
    let list = || format!("write --specimen with one of: {}", names.join(", "));
    match (name, names.len()) {
        (_, 0) => {
            let help = "name the elements that stand in the laboratory: [[specimen]]";
            Err(("the model has no specimen".to_owned(), help.to_owned()))
        }
        (None, 1) => Ok(0),
        (None, n) => Err((format!("the model has {n} specimens"), list())),
        (Some(name), _) => {
            let found = names.iter().position(|n| *n == name);
            found.ok_or_else(|| (format!("the model has no specimen `{name}`"), list()))
        }
    }
}

fn words(news: News) -> &'static str {
    match news {
        News::Opened => "a test has the specimen",
        News::Closed => "the test is over",
        News::Vanished => "the test vanished; waiting for the next",
        News::Broken => "the specimen is gone, as its faults say; waiting for the next test",
    }
}

/// What was counted.
fn tell(record: &Record, specimen: &str, json: bool) {
    let statistics = &record.statistics;
    let answering: &Histogram = &statistics.answering;
    if json {
        let mut document = json!({
            "specimen": specimen, "sessions": record.sessions, "interrupted": record.interrupted,
            "answering": answering.summary().entries().iter().map(|(k, v)| ((*k).to_owned(), json!(v)))
                .collect::<serde_json::Map<_, _>>(),
        });
        for (name, count) in statistics.counts() {
            document[name] = count.into();
        }
        print_json(&document);
        return;
    }
    let counts: Vec<String> =
        statistics.counts().iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{n} {name}")).collect();
    let s = answering.summary();
    let us = |ns: u64| short(ns as f64 / 1e3);
    let tests = if record.sessions == 1 { "test" } else { "tests" };
    let mut text = format!(
        "{} {tests}: {}\n",
        record.sessions,
        if counts.is_empty() { "nothing came".to_owned() } else { counts.join(", ") }
    );
    if s.count > 0 {
        text +=
            &format!("answered after {} us (median), {} us (99 %), {} us (at most)\n", us(s.p50), us(s.p99), us(s.max));
    }
    print(&text);
}
