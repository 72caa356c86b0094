//! What an ensemble says on a terminal.

use interfield::table::{aligned, short, time};
use interfield_ensemble::{Ending, Role};

use super::findings::Findings;
use super::{Told, intensity, page};

/// How fast it went.
pub(super) struct Pace {
    /// Runs that were done before.
    pub(super) had: usize,
    /// Runs of this time.
    pub(super) runs: usize,
    pub(super) seconds: f64,
    pub(super) threads: usize,
}

/// What was varied, for people.
pub(super) fn heading(findings: &Findings<'_>) -> String {
    let study = findings.study;
    let axes = study.axes.iter().map(|a| {
        let name = match a.role {
            Role::Record => return format!("{} records", a.values.list.len()),
            Role::Scale => intensity::words(findings.worker.scaled_by),
            Role::Parameter => a.name.clone(),
        };
        match a.values.list.as_slice() {
            [first, .., last] => format!("{name} {} to {} ({} values)", first.text, last.text, a.values.list.len()),
            list => format!("{name} {}", list.first().map_or("", |s| s.text.as_str())),
        }
    });
    let draws = study.draws.iter().map(|d| format!("{} drawn {} times", d.name, study.samples));
    let over: Vec<String> = axes.chain(draws).collect();
    format!("{} runs over {}", findings.outcomes.len(), over.join(", "))
}

/// How the runs ended, for people.
pub(super) fn sentence(findings: &Findings<'_>) -> String {
    let counts = [
        (findings.count(|e| matches!(e, Ending::Fault(_))), "stopped before their end"),
        (findings.count(|e| matches!(e, Ending::Broken(_))), "were stopped by a program or a specimen"),
        (findings.count(|e| matches!(e, Ending::Refused(_))), "could not start"),
    ];
    let finished = findings.count(|e| *e == Ending::Finished);
    if finished == findings.outcomes.len() {
        return "all finished".to_owned();
    }
    let others = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    [format!("{finished} finished")].into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// All of it, for people.
pub(super) fn text(findings: &Findings<'_>, told: &Told<'_>, pace: &Pace) -> String {
    let mut text = format!("{}\n  {}\n", findings.model.title, heading(findings));
    page::ground_lines(findings, told.first_period).iter().for_each(|line| text += &format!("  {line}\n"));
    // Over several intensities of one motion the peaks of a channel say nothing together.
    if !page::is_scaled(findings) {
        let (header, rows) = page::peak_rows(findings);
        text += &format!("\n{}", aligned(&header, &rows));
    }
    if let Some(ida) = &findings.ida {
        let (header, rows) = page::level_rows(ida);
        text += &format!("\n  {} over {}\n", ida.demand.label(), findings.intensity.label());
        text += &aligned(&header, &rows);
    }
    if !findings.fragility.is_empty() {
        let (mut header, mut rows) = page::fragility_rows(findings);
        // The confidence of the dispersion is on the page: a line has an end.
        header.truncate(5);
        rows.iter_mut().for_each(|row| row.truncate(5));
        text += &format!("\n  fragility over {}\n", findings.intensity.label());
        text += &aligned(&header, &rows);
    }
    page::remarks(findings).iter().for_each(|r| text += &format!("  {r}\n"));
    for (why, runs) in findings.failures().iter().take(5) {
        let example = runs.first().copied().unwrap_or(0);
        text += &format!("\n  {} runs, such as {example}: {why}\n", runs.len());
    }
    let steps: u64 = findings.outcomes.iter().map(|o| o.steps.0).sum();
    let before = if pace.had > 0 { format!(" ({} were done before)", pace.had) } else { String::new() };
    let rate = if pace.runs > 0 && pace.had == 0 {
        format!(
            ", {steps} steps in {} ({} runs/s on {} threads)",
            time(pace.seconds),
            short(pace.runs as f64 / pace.seconds),
            pace.threads
        )
    } else {
        String::new()
    };
    let out = told.out;
    text += &format!("\n{}: {} runs{before}{rate}\n", sentence(findings), pace.runs);
    text + &format!("  page: {}\n  runs: {}\n", out.join("index.html").display(), out.join("runs.csv").display())
}
