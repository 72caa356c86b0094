//! `interfield reproduce`: the figures and tables of the papers, computed again, with a verdict on every claim.

mod data;
mod page;
mod records;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;

use clap::Args as ClapArgs;
use interfield_gallery::{ITEMS, Item, Outcome, Records, Stopped, Verdict, run as run_items};
use interfield_language::diag::did_you_mean;
use interfield_report::Figure;
use serde_json::Value;

use interfield::Operator;

use crate::Exit;
use crate::interrupt::on_interrupt;
use crate::output::{complain, fail, fail_all, print, print_json, progress};
use interfield::files::write;
use interfield::table::aligned;

/// Dots per inch of the pictures for print.
const DPI: f64 = 600.0;
/// Parts of a progress bar.
const PARTS: f64 = 1000.0;

/// Recompute the figures and tables of the papers, and check their claims
///
/// Writes a folder with a gallery (index.html), every figure as SVG and PNG in the width of a journal column or page,
/// and its data as CSV. Every claim is shown with the sentence of the paper, the limit, the reason for this limit, and
/// a verdict that follows from the numbers of the run: reproduced, reproduced with a correction, not true, or could not
/// be tested. An ID is that of one item, or that of a paper for all its items.
///
/// --list shows the items with their verdicts. A verdict is read from the folder if this version wrote it there;
/// otherwise it is computed. --list writes no files.
///
/// Three recorded motions of paper 000 are not part of this program: shifang-ns, kobe-ew and el-centro-ew. Claims about
/// them could not be tested without --record; each record is scaled to the peak that the paper gives.
///
/// Exit code 3 means that an item could not be computed, or differs from an independent implementation: an error in
/// this program. A claim that is not true or could not be tested is a result: exit code 0.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield reproduce\n  interfield reproduce --list\n  \
interfield reproduce 000-fig-1 -o figures\n  interfield reproduce 001 002 --json\n  \
interfield reproduce 000-fig-4 --record kobe-ew=kobe.at2")]
pub(crate) struct Args {
    /// Items, or papers [default: all]
    #[arg(value_name = "ID")]
    items: Vec<String>,
    /// List the items with their verdicts
    #[arg(long)]
    list: bool,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", default_value = "reproduction")]
    output: PathBuf,
    /// A recorded motion that a paper names (repeatable): shifang-ns, kobe-ew or el-centro-ew
    #[arg(long = "record", value_name = "NAME=FILE")]
    records: Vec<String>,
    /// Write figures as SVG only, without PNG and data (for a web page)
    #[arg(long)]
    lean: bool,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Print the verdicts and numbers as JSON
    #[arg(long)]
    json: bool,
}

/// An item that was run.
struct Done {
    item: &'static Item,
    outcome: Outcome,
}

pub(crate) fn run(args: &Args) -> Exit {
    let (items, records) = match (chosen(&args.items), records::given(&args.records)) {
        (Ok(items), Ok(records)) => (items, records),
        (items, records) => {
            let mistakes = [items.err(), records.err()].into_iter().flatten().flatten().collect::<Vec<_>>();
            fail_all(args.json, None, None, &mistakes);
            return Exit::BadInput;
        }
    };
    let stored = if args.list { data::stored(&args.output, &args.records) } else { Vec::new() };
    let known = |item: &Item| stored.iter().find(|v: &&Value| v["id"] == item.id);
    let missing: Vec<&'static Item> = items.iter().copied().filter(|i| known(i).is_none()).collect();
    let (done, mut exit) = match compute(args, &records, &missing) {
        Ok(done) => done,
        Err(message) => {
            fail(args.json, None, None, &message, "give another folder with --output");
            return Exit::Failure;
        }
    };
    let fresh = |item: &Item| done.iter().find(|d| d.item.id == item.id).map(data::described);
    let described: Vec<Value> = items.iter().filter_map(|i| known(i).cloned().or_else(|| fresh(i))).collect();
    if !args.list
        && let Err(message) = conclude(args, &done, &described)
    {
        fail(args.json, None, None, &message, "give another folder with --output");
        return Exit::Failure;
    }
    if args.json {
        print_json(&data::document(&described, &args.records));
    } else {
        print(&summary(&described, args.list));
        if !args.list {
            print(&format!("\ngallery: {}\n", args.output.join("index.html").display()));
        }
    }
    for item in done.iter().filter(|d| d.outcome.verdict() == Verdict::Failed) {
        let message = format!("error: `{}` differs from its reference: an error in this program", item.item.id);
        complain(&message);
        exit = Exit::Fault;
    }
    exit
}

/// The items of these names; what is wrong with the others.
fn chosen(names: &[String]) -> Result<Vec<&'static Item>, Vec<(String, String)>> {
    let matches = |name: &str, item: &Item| item.id == name || item.paper.number() == name;
    let unknown: Vec<(String, String)> = names
        .iter()
        .filter(|name| !ITEMS.iter().any(|item| matches(name, item)))
        .map(|name| {
            let help = did_you_mean(name, ITEMS.iter().map(|i| i.id));
            let list = "`interfield reproduce --list` names all items; a paper is 000 to 004".to_owned();
            (format!("there is no item `{name}`"), help.unwrap_or(list))
        })
        .collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    Ok(ITEMS.iter().filter(|item| names.is_empty() || names.iter().any(|n| matches(n, item))).collect())
}

/// Runs items and writes their files as they are finished; says what could not be run. The error is a file that cannot be
/// written.
fn compute(args: &Args, records: &Records, items: &[&'static Item]) -> Result<(Vec<Done>, Exit), String> {
    let operator = Operator::default();
    on_interrupt(&operator);
    let stop = operator.stop_flag();
    let threads = args.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize);
    let bar = progress(PARTS as u64, "", !args.json);
    let finish = |item: &'static Item, outcome: Outcome| {
        let done = Done { item, outcome };
        if !args.list
            && let Err(message) = store(args, &done)
        {
            // Nothing else could be written either.
            stop.store(true, Ordering::Relaxed);
            return Err(message);
        }
        Ok(done)
    };
    let results = run_items(items, threads, (&stop, records), finish, |part| bar.set_position((part * PARTS) as u64));
    bar.finish_and_clear();
    let (mut done, mut exit) = (Vec::new(), Exit::Done);
    for (item, result) in items.iter().zip(results) {
        match result {
            Ok(Ok(finished)) => done.push(finished),
            Ok(Err(message)) => return Err(message),
            Err(Stopped::Fault(why)) => {
                complain(&format!("error: `{}` could not be computed: {why}", item.id));
                exit = Exit::Fault;
            }
            Err(Stopped::Interrupted) => {}
        }
    }
    if done.len() < items.len() && stop.load(Ordering::Relaxed) {
        complain(&format!("interrupted: {} of {} items are done", done.len(), items.len()));
        exit = Exit::Interrupted;
    }
    Ok((done, exit))
}

/// Writes the files of an item.
fn store(args: &Args, Done { item, outcome }: &Done) -> Result<(), String> {
    let path = |name: &str| args.output.join(name);
    let figure = Figure::journal(outcome.panels.clone(), outcome.columns);
    if !outcome.panels.is_empty() {
        write(&path(&format!("{}.svg", item.id)), figure.svg())?;
        if !args.lean {
            write(&path(&format!("{}.png", item.id)), figure.png(DPI))?;
        }
    }
    if !args.lean {
        for (name, text) in data::files(item, outcome) {
            write(&path(&name), text)?;
        }
    }
    item.models.iter().try_for_each(|model| write(&path(&format!("models/{}", model.name)), model.text))
}

/// Writes what is about all items.
fn conclude(args: &Args, done: &[Done], described: &[Value]) -> Result<(), String> {
    write(&args.output.join("gallery.json"), format!("{:#}\n", data::document(described, &args.records)))?;
    write(&args.output.join("index.html"), page::html(done, &args.records, args.lean))
}

/// The verdicts, a line each; with `list` one for each item, else one for each claim.
fn summary(described: &[Value], list: bool) -> String {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    if list {
        let row = |v: &Value| ["id", "place", "verdict", "what"].iter().map(|k| text(&v[k])).collect();
        let rows: Vec<Vec<String>> = described.iter().map(row).collect();
        return aligned(&["item", "<in the paper", "<verdict", "<what"], &rows);
    }
    let claims = |v: &Value| -> Vec<Vec<String>> {
        let row = |c: &Value| vec![text(&v["id"]), text(&c["verdict"]), text(&c["claim"])];
        v["claims"].as_array().into_iter().flatten().map(row).collect()
    };
    aligned(&["item", "<verdict", "<what the paper claims"], &described.iter().flat_map(claims).collect::<Vec<_>>())
}
