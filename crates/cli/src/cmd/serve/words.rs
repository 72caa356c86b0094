//! What is said while a specimen is served, and afterwards.

use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_peers::channel::PeerAddress;
use interfield_peers::host::{News, OnStall};
use interfield_peers::substructure::{Broken, Halt};
use serde_json::json;

use super::{Protocol, Totals};
use crate::output::{print, print_json};
use interfield::laboratory;
use interfield::table::short;

/// What is there, and where: the last word is the address, for scripts that wait for it.
pub(super) fn ready(model: &Model, specimen: &Specimen, place: &PeerAddress, protocol: Protocol) -> String {
    let client = match protocol {
        Protocol::OpenSees => "OpenSees",
        Protocol::OpenFresco => "OpenFresco",
        Protocol::UtSim => "UT-SIM",
    };
    let dofs: Vec<&str> = specimen.dofs.iter().map(|d| model.dofs[*d].name.as_str()).collect();
    let (u, f) = (model.units.label(Dimension::LENGTH), model.units.label(Dimension::FORCE));
    format!("specimen `{}` ({}; {u}, {f}) for {client} at {place}", specimen.name, dofs.join(", "))
}

pub(super) fn news(news: News) -> String {
    match news {
        News::Stalled(OnStall::Hold) => "the client stalls: the specimen is held".to_owned(),
        News::Stalled(OnStall::RampDown) => "the client stalls: the specimen is led home".to_owned(),
        News::Resumed => "the client goes on".to_owned(),
        News::Halted(halt) => {
            let why = match halt {
                Halt::NotANumber => "the client wants a displacement that is not a number".to_owned(),
                Halt::Broken(Broken(why)) => format!("the specimen does not move any more: {why}"),
                Halt::Violation(violation) => format!("the client does not keep to the protocol: {violation}"),
            };
            // OpenSees would spin for ever on a connection that is closed.
            format!("error: {why}\nhelp: the client gets no answer any more: end it, or press Ctrl-C here")
        }
    }
}

/// What was counted.
pub(super) fn tell(totals: &Totals, specimen: &str, place: &PeerAddress, units: &UnitSystem, json: bool) {
    let (counts, s) = (&totals.counts, totals.answering.summary());
    if json {
        print_json(&json!({
            "specimen": specimen, "listen": place.to_string(), "clients": totals.clients,
            "requests": counts.requests, "moves": counts.moves, "commits": counts.commits,
            "answering": laboratory::histogram_json(&s),
            "refused": totals.refused,
            "laboratory": laboratory::json(&totals.tests, units),
        }));
        return;
    }
    let plural = if totals.clients == 1 { "client" } else { "clients" };
    let mut text = format!(
        "{} {plural}: {} requests, {} moves, {} commits\n",
        totals.clients, counts.requests, counts.moves, counts.commits
    );
    if s.count > 0 {
        let us = |ns: u64| short(ns as f64 / 1e3);
        text +=
            &format!("answered after {} us (median), {} us (99 %), {} us (at most)\n", us(s.p50), us(s.p99), us(s.max));
    }
    text += &laboratory::text(&totals.tests, units);
    print(&text);
}
