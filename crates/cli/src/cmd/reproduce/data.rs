//! Outcomes as JSON and CSV.

use std::path::Path;

use interfield_gallery::{Claim, Expected, Finding, Item, Measure, Outcome, PLACES, Place, Shown, Verdict};
use serde_json::{Value, json};

use super::Done;
use interfield::table::short;

/// The version whose outcomes these are.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All items that were described, in one document.
pub(super) fn document(described: &[Value], records: &[String]) -> Value {
    let verdicts: Vec<&str> = Verdict::ALL.iter().map(|v| v.words()).collect();
    let places: Vec<Value> = PLACES.iter().map(|p| place(p, described)).collect();
    json!({
        "version": VERSION, "verdicts": verdicts, "records": records, "items": described, "figures_and_tables": places,
    })
}

/// A figure or table of a paper: its item with the verdict, or what stands for it.
fn place(place: &Place, described: &[Value]) -> Value {
    let verdict = |id: &str| described.iter().find(|v| v["id"] == id).map_or(Value::Null, |v| v["verdict"].clone());
    let mut value = json!({ "paper": place.paper.number(), "place": place.place, "what": place.what });
    match place.shown {
        Shown::Item(id) => (value["item"], value["verdict"]) = (json!(id), verdict(id)),
        Shown::Here(here) => value["no_claim_but_here"] = json!(here),
        Shown::Missing(why) => {
            value["verdict"] = json!(Verdict::Untested.words());
            value["could_not_be_tested_because"] = json!(why);
        }
    }
    value
}

/// The items that this version has left in a folder with the same records. What an older build of it has left there is not
/// looked at.
pub(super) fn stored(folder: &Path, records: &[String]) -> Vec<Value> {
    let path = folder.join("gallery.json");
    let age = |p: &Path| std::fs::metadata(p).and_then(|m| m.modified()).ok();
    let built = std::env::current_exe().ok().as_deref().and_then(age);
    if age(&path) < built {
        return Vec::new();
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    if value["version"] == VERSION && value["records"] == json!(records) {
        value["items"].as_array().cloned().unwrap_or_default()
    } else {
        Vec::new()
    }
}

/// What an item is and what was found, without its curves.
pub(super) fn described(Done { item, outcome }: &Done) -> Value {
    json!({
        "id": item.id, "paper": item.paper.number(), "title": item.paper.title(), "place": item.place, "what": item.what,
        "verdict": outcome.verdict().words(), "claims": outcome.claims.iter().map(claim).collect::<Vec<_>>(),
        "beyond_the_paper": outcome.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn claim(claim: &Claim) -> Value {
    let given = |text: &'_ str| (!text.is_empty()).then(|| text.to_owned());
    json!({
        "claim": claim.text, "sentence": given(claim.said.sentence), "translation": given(claim.said.translation),
        "sentence_at": given(claim.said.place), "limit": limits(claim), "why_this_limit": given(&claim.why),
        "verdict": claim.verdict().words(), "correction": given(&claim.correction),
        "could_not_be_tested_because": given(&claim.obstacle),
        "measured": claim.measures.iter().map(measure).collect::<Vec<_>>(),
    })
}

/// What the claim asks of every number, a line each.
fn limits(claim: &Claim) -> Vec<String> {
    let limit = |m: &Measure| m.claimed.map(|e| format!("{}: {}", m.what, with_unit(words(e), m.unit)));
    claim.measures.iter().filter_map(limit).collect()
}

fn finding(finding: &Finding) -> Value {
    json!({ "finding": finding.text, "measured": finding.measures.iter().map(measure).collect::<Vec<_>>() })
}

/// A number or a range with its unit.
pub(super) fn with_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

fn measure(m: &Measure) -> Value {
    let expected = |e: Option<Expected>| e.map(|e| json!({ "is": words(e), "met": e.met(m.value) }));
    json!({
        "what": m.what, "value": m.value, "unit": m.unit, "claimed": expected(m.claimed),
        "corrected": expected(m.corrected), "reference": expected(m.reference),
    })
}

/// What was expected, in words.
pub(super) fn words(expected: Expected) -> String {
    match expected {
        Expected::Near { value, tolerance: 0.0 } => short(value),
        Expected::Near { value, tolerance } => format!("{} ± {tolerance:.0e}", short(value)),
        Expected::AtMost(most) => format!("at most {}", short(most)),
        Expected::AtLeast(least) => format!("at least {}", short(least)),
        Expected::Between(low, high) => format!("{} to {}", short(low), short(high)),
    }
}

/// Names and texts of the CSV files of an item: a row for each point of each curve, and each table.
pub(super) fn files(item: &Item, outcome: &Outcome) -> Vec<(String, String)> {
    let mut files = Vec::new();
    if !outcome.panels.is_empty() {
        files.push((format!("{}.csv", item.id), points(outcome)));
    }
    for (i, table) in outcome.tables.iter().enumerate() {
        let rows = std::iter::once(&table.header).chain(&table.rows);
        let line = |row: &Vec<String>| row.iter().map(|c| cell(c)).collect::<Vec<_>>().join(",") + "\n";
        files.push((format!("{}-table-{}.csv", item.id, i + 1), rows.map(line).collect()));
    }
    files
}

fn points(outcome: &Outcome) -> String {
    let mut out = String::from("panel,curve,x label,y label,x,y,low,high\n");
    for (panel, letter) in outcome.panels.iter().zip('a'..) {
        for curve in &panel.curves {
            let head = [&letter.to_string(), &curve.name, &panel.x.text(), &panel.y.text()].map(|c| cell(c)).join(",");
            for (i, (x, y)) in curve.points.iter().enumerate() {
                let [low, high] = curve.edges().map_or([&[][..]; 2], |(low, high)| [low, high]);
                let edges = [low.get(i), high.get(i)].map(|e| e.map_or(String::new(), f64::to_string));
                out += &format!("{head},{x},{y},{},{}\n", edges[0], edges[1]);
            }
        }
    }
    out
}

/// A cell as CSV has it.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
