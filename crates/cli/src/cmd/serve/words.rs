//! What is said while specimens are served, and afterwards.

use interfield_lab::realtime::Histogram;
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_peers::host::{News, OnStall};
use interfield_peers::substructure::{Broken, Counts, Halt};
use serde_json::{Map, Value, json};

use super::Protocol;
use super::stand::Stand;
use crate::output::{print, print_json};
use interfield::laboratory::{self, Assessed};
use interfield::table::short;

/// What should be known before a client comes.
pub(super) fn warnings(stand: &Stand) -> Vec<String> {
    let (place, name) = (stand.place(), &stand.specimen.name);
    let mut all = Vec::new();
    if !place.is_local() {
        all.push(format!(
            "warning: every machine that reaches {place} can move the specimen `{name}`: the protocol \
            has no authentication"
        ));
    }
    if stand.specimen.at.is_some() && stand.specimen.limits.displacement.is_none() {
        all.push(format!(
            "warning: specimen `{name}` has no displacement limit: it follows every command of the client"
        ));
    }
    all
}

/// What is there, and where: the last word is the address, for scripts that wait for it.
pub(super) fn ready(model: &Model, stand: &Stand, protocol: Protocol) -> String {
    let client = match protocol {
        Protocol::OpenSees => "OpenSees",
        Protocol::OpenFresco => "OpenFresco",
        Protocol::UtSim => "UT-SIM",
    };
    let specimen = &stand.specimen;
    let dofs: Vec<&str> = specimen.dofs.iter().map(|d| model.dofs[*d].name.as_str()).collect();
    let (u, f) = (model.units.label(Dimension::LENGTH), model.units.label(Dimension::FORCE));
    format!("specimen `{}` ({}; {u}, {f}) for {client} at {}", specimen.name, dofs.join(", "), stand.place())
}

/// Where a specimen stands, in the units of the model.
pub(super) fn position(model: &Model, specimen: &Specimen, at: &[f64]) -> String {
    let one = |(d, u): (&usize, &f64)| {
        let dof = &model.dofs[*d];
        let unit = if dof.angle { "rad".to_owned() } else { model.units.label(Dimension::LENGTH) };
        format!("{} = {} {unit}", dof.name, short(*u))
    };
    specimen.dofs.iter().zip(at).map(one).collect::<Vec<_>>().join(", ")
}

/// Why nothing is measured for a client any more.
pub(super) fn why(halt: Halt) -> String {
    match halt {
        Halt::NotANumber => "the client sent a displacement that is NaN (not a number)".to_owned(),
        Halt::Broken(Broken(why)) => format!("the specimen has stopped: {why}"),
        Halt::Over => "the test is over: another specimen of it has stopped".to_owned(),
        Halt::Stalled => "the client was silent for too long".to_owned(),
        Halt::Stranger => {
            "a client on another machine is refused: the test belongs to the client that began it".to_owned()
        }
        Halt::Elsewhere => {
            "a client is refused: it does not begin at the position of the specimen, so it does not continue this test"
                .to_owned()
        }
    }
}

/// What happens to a client; `standing`: where the one before it left the specimen.
pub(super) fn news(news: News, standing: Option<&str>) -> String {
    match news {
        News::Stalled(OnStall::Hold) => "the client stalls: the specimen is held".to_owned(),
        News::Stalled(OnStall::RampDown) => "the client stalls: the specimen returns to its start position".to_owned(),
        News::Resumed => "the client continues".to_owned(),
        News::Iterates(moves) => format!(
            "warning: the client moved the specimen {moves} times in one step: iterations load and unload it\n\
             help: use an integrator with one move per step, such as AlphaOS with `algorithm Linear -initial`"
        ),
        News::Halted(halt) => {
            let standing =
                standing.filter(|_| halt == Halt::Elsewhere).map_or_else(String::new, |at| format!(" ({at})"));
            format!(
                "error: {}{standing}\nhelp: the client gets NaN (not a number) as answer, so that its analysis fails; \
                    if its script has no check, end it",
                why(halt)
            )
        }
    }
}

/// What was counted.
pub(super) fn tell(stands: &[Stand], tests: &[Assessed], units: &UnitSystem, json: bool) {
    let mut counts = Counts::default();
    let mut answering = Histogram::new(None);
    for stand in stands {
        counts.add(&stand.counts);
        answering.merge(&stand.answering);
    }
    if json {
        let mut all = counted(&counts, &answering);
        all.insert("clients".to_owned(), stands.iter().map(|s| s.clients).sum::<u64>().into());
        all.insert("refused".to_owned(), stands.iter().flat_map(|s| s.refused.clone()).collect());
        all.insert("specimens".to_owned(), stands.iter().map(document).collect());
        all.insert("laboratory".to_owned(), laboratory::json(tests, units));
        print_json(&Value::Object(all));
        return;
    }
    let mut text = String::new();
    for stand in stands {
        if stands.len() > 1 {
            text += &format!("specimen `{}` at {}\n", stand.specimen.name, stand.place());
        }
        text += &summary(stand);
    }
    text += &laboratory::text(tests, units);
    print(&text);
}

/// What was done for the clients of a specimen.
fn summary(stand: &Stand) -> String {
    let (counts, s) = (&stand.counts, stand.answering.summary());
    let plural = if stand.clients == 1 { "client" } else { "clients" };
    let mut text = format!(
        "{} {plural}: {} requests, {} moves, {} commits\n",
        stand.clients, counts.requests, counts.moves, counts.commits
    );
    if counts.iterated > 0 {
        text += &format!(
            "several moves in {} of {} steps (at most {} in one), back and forth in {}\n",
            counts.iterated, counts.commits, counts.most, counts.reversed
        );
    }
    if s.count > 0 {
        let us = |ns: u64| short(ns as f64 / 1e3);
        text +=
            &format!("answered after {} us (median), {} us (99 %), {} us (at most)\n", us(s.p50), us(s.p99), us(s.max));
    }
    text
}

fn document(stand: &Stand) -> Value {
    let mut all = counted(&stand.counts, &stand.answering);
    all.insert("specimen".to_owned(), stand.specimen.name.as_str().into());
    all.insert("listen".to_owned(), stand.place().to_string().into());
    all.insert("clients".to_owned(), stand.clients.into());
    all.insert("refused".to_owned(), stand.refused.clone().into());
    Value::Object(all)
}

fn counted(counts: &Counts, answering: &Histogram) -> Map<String, Value> {
    let answering = laboratory::histogram_json(&answering.summary());
    let all = json!({
        "requests": counts.requests, "moves": counts.moves, "commits": counts.commits,
        "steps_with_several_moves": counts.iterated, "steps_back_and_forth": counts.reversed, "most_moves_in_a_step": counts.most,
        "answering": answering,
    });
    if let Value::Object(all) = all { all } else { Map::new() }
}
