//! The page of an ensemble: what was varied, what came out, bands, fragility, sensitivities, all runs.

use interfield_ensemble::{Ending, Summary};
use interfield_report::{Block, Page, Section, Table};

use super::findings::{Findings, Fragility};
use super::saving::Origin;
use super::{drawing, heading, sentence};
use interfield::table::short;

/// Runs that are listed one by one.
const LISTED: usize = 2000;

pub(super) fn page(findings: &Findings<'_>, origin: &Origin<'_>) -> Page {
    let section = |title: &str, blocks: Vec<Block>| Section { title: title.to_owned(), blocks };
    let settings = origin.settings.iter().map(|(n, v)| vec![n.replace('_', " "), v.to_string()]).collect::<Vec<_>>();
    let model = Block::Folded { summary: "Model file".to_owned(), text: origin.text.to_owned() };
    let settings =
        if settings.is_empty() { Vec::new() } else { vec![Block::Table(Table { header: Vec::new(), rows: settings })] };
    Page {
        title: findings.model.title.clone(),
        good: findings.count(|e| *e == Ending::Finished) == findings.outcomes.len(),
        verdict: format!("{}: {}", heading(findings), sentence(findings)),
        sections: vec![
            section("Peaks", vec![peaks(findings)]),
            section("Fragility", fragility(findings)),
            section("Bands", bands(findings)),
            section("Sensitivity", sensitivity(findings)),
            section("Runs that did not finish", failures(findings)),
            section("Runs", runs(findings)),
            section("Settings", settings),
            section("Model", vec![model]),
        ],
        footer: format!("interfield {}", env!("CARGO_PKG_VERSION")),
    }
}

/// Header and rows of the table of peaks.
pub(super) fn peak_rows(findings: &Findings<'_>) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let header = vec!["channel", "unit", "mean peak", "std", "5 %", "median", "95 %", "largest"];
    let row = |(c, summaries): (usize, &Vec<Option<Summary>>)| {
        let channel = &findings.model.channels[c];
        let s = summaries.first().copied().flatten()?;
        let [q05, _, q50, _, q95] = s.band.quantiles;
        let numbers = [s.band.mean, s.band.std, q05, q50, q95, s.max].map(short);
        Some([channel.name.clone(), channel.unit.clone()].into_iter().chain(numbers).collect())
    };
    (header, findings.summaries.iter().enumerate().filter_map(row).collect())
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> Block {
    Block::Table(Table { header: header.iter().map(|h| (*h).to_owned()).collect(), rows })
}

fn peaks(findings: &Findings<'_>) -> Block {
    let (header, rows) = peak_rows(findings);
    table(&header, rows)
}

/// Header and rows of the table of fragility curves.
pub(super) fn fragility_rows(findings: &Findings<'_>) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let row = |f: &Fragility| {
        let (exceeded, total) = f.stripes.iter().fold((0, 0), |(e, t), s| (e + s.exceeded, t + s.total));
        let fit = match &f.fit {
            Ok(fit) => {
                let bound = |z: f64| short(fit.median * (z * 1.96 * fit.median_error).exp());
                [short(fit.median), format!("{} to {}", bound(-1.0), bound(1.0)), short(fit.dispersion)]
            }
            Err(_) => [const { String::new() }; 3],
        };
        [f.limit.clone(), format!("{exceeded} of {total}")].into_iter().chain(fit).collect()
    };
    let header = vec!["limit", "exceeded", "median", "95 % confidence", "dispersion"];
    (header, findings.fragility.iter().map(row).collect())
}

/// Why there is no curve for a limit, a sentence each.
pub(super) fn fragility_remarks(findings: &Findings<'_>) -> Vec<String> {
    let remark = |f: &Fragility| {
        let why = f.fit.as_ref().err().map(|why| format!("{}: {why}", f.limit));
        let unknown =
            (f.unknown > 0).then(|| format!("{}: {} runs stopped before, they are not counted", f.limit, f.unknown));
        [why, unknown]
    };
    findings.fragility.iter().flat_map(remark).flatten().collect()
}

fn fragility(findings: &Findings<'_>) -> Vec<Block> {
    if findings.fragility.is_empty() {
        return Vec::new();
    }
    let (header, rows) = fragility_rows(findings);
    let mut blocks = vec![table(&header, rows)];
    let remarks = fragility_remarks(findings);
    if !remarks.is_empty() {
        blocks.push(Block::Lines(remarks));
    }
    blocks.push(Block::Plot(drawing::fragility(findings)));
    blocks
}

fn bands(findings: &Findings<'_>) -> Vec<Block> {
    let seen = (0..findings.bands.len()).filter(|&c| !findings.bands[c].is_empty());
    seen.map(|c| Block::Plot(drawing::bands(findings, c))).collect()
}

/// The channels against the variables, the strongest first.
fn sensitivity(findings: &Findings<'_>) -> Vec<Block> {
    if findings.sensitivity.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for (variable, correlations) in &findings.sensitivity {
        for (channel, r) in findings.model.channels.iter().zip(correlations) {
            let Some(r) = r else { continue };
            rows.push((r.abs(), vec![channel.name.clone(), variable.clone(), format!("{r:.2}")]));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let text = "Rank correlation (Spearman) of a variable with the peak of a channel: +1 if the peak always rises with it, -1 if it always falls.";
    let table = table(&["channel", "variable", "rank correlation"], rows.into_iter().map(|r| r.1).collect());
    vec![Block::Text(text.to_owned()), table]
}

fn failures(findings: &Findings<'_>) -> Vec<Block> {
    let row = |(why, runs): &(&str, Vec<usize>)| {
        let some: Vec<String> = runs.iter().take(20).map(usize::to_string).collect();
        let more = if runs.len() > some.len() { ", ..." } else { "" };
        vec![runs.len().to_string(), (*why).to_owned(), some.join(", ") + more]
    };
    let rows: Vec<Vec<String>> = findings.failures().iter().map(row).collect();
    if rows.is_empty() { Vec::new() } else { vec![table(&["how many", "why", "runs"], rows)] }
}

fn runs(findings: &Findings<'_>) -> Vec<Block> {
    let variables = findings.study.variables();
    let mut header = vec!["run"];
    header.extend(variables.iter().map(|v| v.name));
    header.push("outcome");
    let peaks: Vec<String> = findings.model.channels.iter().map(|c| format!("{} [{}]", c.name, c.unit)).collect();
    header.extend(peaks.iter().map(String::as_str));
    let row = |(case, outcome): (&interfield_ensemble::Case, &interfield_ensemble::Outcome)| {
        let mut row = vec![case.index.to_string()];
        row.extend(case.values.iter().map(|v| v.text.clone()));
        row.push(match outcome.ending {
            Ending::Finished => "finished".to_owned(),
            Ending::Fault(_) => "fault".to_owned(),
            Ending::Refused(_) => "refused".to_owned(),
        });
        row.extend(outcome.figures.iter().map(|f| short(f.peak)));
        row
    };
    let rows = findings.cases.iter().zip(findings.outcomes).take(LISTED).map(row).collect();
    let mut blocks =
        vec![Block::Text("Peaks of all channels; runs.csv has all figures.".to_owned()), table(&header, rows)];
    if findings.cases.len() > LISTED {
        blocks.push(Block::Text(format!("The first {LISTED} of {} runs.", findings.cases.len())));
    }
    blocks
}
