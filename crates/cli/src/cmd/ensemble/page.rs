//! The page of an ensemble: what was varied, what came out, curves, bands, fragility, sensitivities, all runs.

use interfield_ensemble::fragility::Fit;
use interfield_ensemble::{Ending, Summary};
use interfield_motion::STANDARD_GRAVITY;
use interfield_report::{Block, Page, Section, Table, printed};

use super::drawing;
use super::findings::{Findings, Fragility, Ida};
use super::intensity::words;
use super::saving::Origin;
use super::words::{heading, sentence};
use interfield::table::{short, time};

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
            section("Incremental dynamic analysis", ida(findings)),
            section("Fragility", fragility(findings)),
            section("Statistics at each intensity", intensities(findings)),
            section("Records", records(findings, origin)),
            section("Peaks", peaks(findings)),
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

fn peaks(findings: &Findings<'_>) -> Vec<Block> {
    let (header, rows) = peak_rows(findings);
    if is_scaled(findings) { Vec::new() } else { vec![table(&header, rows)] }
}

/// A number, or that the structure collapses.
fn or_collapse(x: f64) -> String {
    if x.is_infinite() { "collapse".to_owned() } else { or_nothing(x) }
}

/// A number, or nothing where there is none.
fn or_nothing(x: f64) -> String {
    if x.is_finite() { short(x) } else { "-".to_owned() }
}

/// Header and rows of the table of intensities.
pub(super) fn level_rows(ida: &Ida) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let row = |s: &interfield_ensemble::ida::Stripe| {
        let [low, median, high] = s.fractiles.map(or_collapse);
        let counts = [short(s.intensity), s.count.to_string(), s.collapsed.to_string()];
        counts.into_iter().chain([low, median, high, or_nothing(s.dispersion)]).collect()
    };
    let header = vec!["intensity", "runs", "collapses", "16 %", "median", "84 %", "dispersion"];
    (header, ida.quantities[0].stripes.iter().map(row).collect())
}

/// Whether the ground motion is scaled to several intensities.
pub(super) fn is_scaled(findings: &Findings<'_>) -> bool {
    findings.study.axes.iter().any(|a| a.role == interfield_ensemble::Role::Scale)
}

/// How the ground moves, a sentence each.
pub(super) fn ground_lines(findings: &Findings<'_>, first_period: Option<f64>) -> Vec<String> {
    let worker = findings.worker;
    let mut lines = Vec::new();
    if is_scaled(findings) {
        let pairs = worker.motions.iter().any(|m| m.motion.components.len() > 1);
        let of = match worker.combine {
            _ if !pairs => "",
            interfield_ensemble::ground::Combine::GeometricMean => ", geometric mean of both components",
            interfield_ensemble::ground::Combine::Larger => ", the larger one of both components",
            interfield_ensemble::ground::Combine::First => " of the first component",
        };
        if pairs {
            lines.push(format!("scaled together to the {}{of}", words(worker.scaled_by)));
        }
    }
    if let Some(period) = first_period {
        lines.push(format!("first period of the structure along the motion: {} s", short(period)));
    }
    if !worker.motions.is_empty() && worker.settings.until.is_none() {
        let rest = "residual values are means over the second half of it";
        lines.push(match worker.tail > 0.0 {
            true => format!("each record to its end, then {} of free vibration; {rest}", time(worker.tail)),
            false => "each record to its end".to_owned(),
        });
    }
    let specimens: Vec<String> = findings.model.specimens.iter().map(|s| format!("`{}`", s.name)).collect();
    if !specimens.is_empty() {
        lines.push(format!("specimens are emulated: {}", specimens.join(", ")));
    }
    lines
}

/// The curves, and what they say together.
fn ida(findings: &Findings<'_>) -> Vec<Block> {
    let Some(ida) = &findings.ida else { return Vec::new() };
    vec![Block::Plot(drawing::curves(findings, ida)), Block::Plot(drawing::stripes(findings, ida))]
}

/// The demand and all channels at each intensity.
fn intensities(findings: &Findings<'_>) -> Vec<Block> {
    let Some(ida) = &findings.ida else { return Vec::new() };
    let (header, rows) = level_rows(ida);
    let text = |what: &str| {
        format!(
            "{what} over {}. A run that collapses counts as infinite; the dispersion is the standard deviation of the logarithm over the runs that do not collapse.",
            findings.intensity.label()
        )
    };
    let mut blocks = vec![Block::Text(text(&ida.demand.label())), table(&header, rows)];
    let mut lines = Vec::new();
    // What is zero at any intensity, such as what a ground motion leaves, tells nothing.
    for q in ida.quantities[1..].iter().filter(|q| q.stripes.iter().any(|s| s.fractiles != [0.0; 3])) {
        for s in &q.stripes {
            let [low, median, high] = s.fractiles.map(or_collapse);
            let unit = if q.unit.is_empty() { "-".to_owned() } else { printed(&q.unit) };
            lines.push(vec![q.quantity.clone(), unit, short(s.intensity), low, median, high, or_nothing(s.dispersion)]);
        }
    }
    if !lines.is_empty() {
        let header = ["quantity", "unit", "intensity", "16 %", "median", "84 %", "dispersion"];
        let table = Table { header: header.map(str::to_owned).to_vec(), rows: lines };
        let summary = "Peaks and residual values of all channels, in magnitude".to_owned();
        blocks.push(Block::FoldedTable { summary, table });
    }
    blocks
}

/// The records, with what is known of them.
fn records(findings: &Findings<'_>, origin: &Origin<'_>) -> Vec<Block> {
    let worker = findings.worker;
    if worker.motions.is_empty() {
        return Vec::new();
    }
    let peak = worker.measure == interfield_ensemble::ground::Measure::Peak;
    let mut header = vec![
        "record".to_owned(),
        "components".to_owned(),
        "sampling [s]".to_owned(),
        "duration [s]".to_owned(),
        "pga [g]".to_owned(),
    ];
    header.extend((!peak).then(|| format!("{} [g]", words(worker.measure))));
    header.push("scales".to_owned());
    let row = |m: &super::worker::Shaken| {
        let g = |a: f64| short(a / STANDARD_GRAVITY);
        let scales: Vec<f64> = findings
            .cases
            .iter()
            .filter(|c| worker.motion(c).is_some_and(|x| x.motion.name == m.motion.name))
            .filter_map(|c| worker.factor(c))
            .collect();
        let (low, high) = scales.iter().fold((f64::INFINITY, 0.0), |(l, h): (f64, f64), x| (l.min(*x), h.max(*x)));
        let scales = if low == high { short(low) } else { format!("{} to {}", short(low), short(high)) };
        let mut row = vec![
            m.motion.name.clone(),
            m.motion.components.len().to_string(),
            short(m.motion.dt()),
            short(m.motion.duration()),
            g(m.peak),
        ];
        row.extend((!peak).then(|| g(m.measured)));
        row.push(scales);
        row
    };
    let rows = worker.motions.iter().map(row).collect();
    let lines = ground_lines(findings, origin.first_period).into_iter().chain(origin.remarks.iter().cloned()).collect();
    vec![Block::Table(Table { header, rows }), Block::Lines(lines)]
}

/// Header and rows of the table of fragility curves.
pub(super) fn fragility_rows(findings: &Findings<'_>) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let numbers = |fit: Option<&Fit>| match fit {
        Some(fit) => {
            let interval = |(low, high): (f64, f64)| format!("{} to {}", short(low), short(high));
            [short(fit.median), interval(fit.median_interval), short(fit.dispersion), interval(fit.dispersion_interval)]
        }
        None => [const { String::new() }; 4],
    };
    let rows = |f: &Fragility| {
        let (exceeded, total) = f.stripes.iter().fold((0, 0), |(e, t), s| (e + s.exceeded, t + s.total));
        let counted = [f.limit.clone(), format!("{exceeded} of {total} runs")];
        let mut rows: Vec<Vec<String>> = vec![counted.into_iter().chain(numbers(f.fit.as_ref().ok())).collect()];
        if let Some(fit) = &f.capacity_fit {
            let reached = f.capacities.iter().filter(|c| c.high.is_finite()).count();
            let counted = [String::new(), format!("{reached} of {} curves", f.capacities.len())];
            rows.push(counted.into_iter().chain(numbers(fit.as_ref().ok())).collect());
        }
        rows
    };
    let header = vec!["limit", "exceeded", "median", "95 % confidence", "dispersion", "95 % confidence"];
    (header, findings.fragility.iter().flat_map(rows).collect())
}

/// What should be said of the curves, a sentence each.
pub(super) fn remarks(findings: &Findings<'_>) -> Vec<String> {
    let remark = |f: &Fragility| {
        let why = f.fit.as_ref().err().map(|why| format!("{}: {why}", f.limit));
        // What both have to say is said once.
        let by_curves = f.capacity_fit.as_ref().filter(|_| f.fit.is_ok()).and_then(|c| c.as_ref().err());
        let curves = by_curves.map(|why| format!("{}: {why}", f.limit));
        let unknown =
            (f.unknown > 0).then(|| format!("{}: {} runs give no information and are not counted", f.limit, f.unknown));
        [why, curves, unknown]
    };
    let mut remarks: Vec<String> = findings.fragility.iter().flat_map(remark).flatten().collect();
    if let Some(ida) = &findings.ida {
        let again: Vec<&str> =
            ida.curves.iter().filter(|(_, c)| c.resurrects()).map(|(name, _)| name.as_str()).collect();
        if !again.is_empty() {
            remarks.push(format!(
                "{} of {} curves survive an intensity above one at which they collapse; the first collapse counts: {}",
                again.len(),
                ida.curves.len(),
                again.join("; ")
            ));
        }
        let swinging = findings.still_swinging();
        if swinging > 0 {
            remarks.push(format!(
                "{swinging} runs still oscillate at their end by more than 5 % of their peak: a longer \
                    --free-vibration gives better residual values"
            ));
        }
    }
    remarks
}

fn fragility(findings: &Findings<'_>) -> Vec<Block> {
    if findings.fragility.is_empty() {
        return Vec::new();
    }
    let (header, rows) = fragility_rows(findings);
    let mut blocks = vec![Block::Plot(drawing::fragility(findings)), table(&header, rows)];
    let remarks = remarks(findings);
    if !remarks.is_empty() {
        blocks.push(Block::Lines(remarks));
    }
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
    let peaks: Vec<String> =
        findings.model.channels.iter().map(|c| format!("{} [{}]", c.name, printed(&c.unit))).collect();
    header.extend(peaks.iter().map(String::as_str));
    let row = |(case, outcome): (&interfield_ensemble::Case, &interfield_ensemble::Outcome)| {
        let mut row = vec![case.index.to_string()];
        row.extend(case.values.iter().map(|v| v.text.clone()));
        row.push(outcome.ending.word().0.to_owned());
        row.extend(outcome.figures.iter().map(|f| short(f.peak)));
        row
    };
    let rows = findings.cases.iter().zip(findings.outcomes).take(LISTED).map(row).collect();
    let mut blocks =
        vec![Block::Text("Peaks of all channels; runs.csv has all values.".to_owned()), table(&header, rows)];
    if findings.cases.len() > LISTED {
        blocks.push(Block::Text(format!("The first {LISTED} of {} runs.", findings.cases.len())));
    }
    blocks
}
