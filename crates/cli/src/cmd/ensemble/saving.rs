//! The files of an ensemble. None of them says when or by how many threads it was made: the same study gives the same bytes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use interfield_ensemble::Band;
use interfield_motion::STANDARD_GRAVITY;
use interfield_report::{Figure, Panel};
use interfield_results::{ChannelInfo, Meta, Policy, Setting, Writer, WriterOptions};
use serde_json::json;

use super::findings::{AtIntensity, FIGURES, Findings, Ida};
use super::{drawing, page};
use crate::stored::label;
use interfield::files::{create, folder, unwritten, write};

/// What the files say of where they come from.
pub(super) struct Origin<'a> {
    /// All files of the model in one text.
    pub text: &'a str,
    /// Path of the model.
    pub model: String,
    /// What the model and all files that it refers to are known by.
    pub identity: &'a str,
    /// Settings of the command line by name.
    pub settings: Vec<(String, Setting)>,
    /// What was said of the records.
    pub remarks: &'a [String],
    /// First period of the structure, s, where it was looked for.
    pub first_period: Option<f64>,
}

/// Writes everything into the folder; returns the names of the figures.
pub(super) fn save(out: &Path, findings: &Findings<'_>, origin: &Origin<'_>) -> Result<Vec<String>, String> {
    let mut document = findings.json();
    document["program"] = json!("interfield");
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["model"] = json!(origin.model);
    document["model_sha256"] = json!(origin.identity);
    document["first_period"] = json!(origin.first_period);
    document["remarks"] = json!(origin.remarks);
    document["settings"] = interfield::record::settings_json(&origin.settings);
    document["cases"] = findings.cases_json().into();
    write(&out.join("ensemble.json"), format!("{document:#}\n"))?;
    write(&out.join("runs.csv"), table(findings))?;
    let mut figures = Vec::new();
    let svg = |panel: Panel| Figure::new(vec![panel]).svg();
    if findings.bands.iter().any(|b| !b.is_empty()) {
        bands(&out.join("bands.h5"), findings, origin)?;
        let names = interfield_results::identifiers(findings.model.channels.iter().map(|c| c.name.as_str()));
        for (c, name) in names.iter().enumerate() {
            figures.push(format!("bands-{name}.svg"));
            write(&out.join(&figures[figures.len() - 1]), svg(drawing::bands(findings, c)))?;
        }
    }
    if let Some(ida) = &findings.ida {
        figures.push("ida.svg".to_owned());
        write(&out.join("ida.svg"), svg(drawing::curves(findings, ida)))?;
        figures.push("stripes.svg".to_owned());
        write(&out.join("stripes.svg"), svg(drawing::stripes(findings, ida)))?;
        write(&out.join("ida.csv"), curve_table(findings, ida))?;
        write(&out.join("intensities.csv"), level_table(findings, ida))?;
        levels(&out.join("ida.h5"), findings, ida, origin)?;
    }
    if findings.fragility.iter().any(|f| !f.stripes.is_empty()) {
        figures.push("fragility.svg".to_owned());
        write(&out.join("fragility.svg"), svg(drawing::fragility(findings)))?;
    }
    let path = out.join("index.html");
    let mut file = std::io::BufWriter::new(create(&path)?);
    let page = page::page(findings, origin);
    page.write(&mut file).and_then(|()| file.flush()).map_err(|e| unwritten(&path, &e))?;
    Ok(figures)
}

/// A cell of a table of comma-separated values.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// A number of such a table; nothing where there is none.
fn number(x: f64) -> String {
    if x.is_nan() { String::new() } else { x.to_string() }
}

/// A line for each point of each curve; the demand of a run that stopped is `inf`.
fn curve_table(findings: &Findings<'_>, ida: &Ida) -> String {
    let header = ["curve".to_owned(), findings.intensity.label(), ida.demand.label(), "collapsed".to_owned()];
    let mut out = header.iter().map(|h| cell(h)).collect::<Vec<_>>().join(",") + "\n";
    for (name, curve) in &ida.curves {
        for p in &curve.points {
            // Writing into a text cannot fail.
            let _ = writeln!(out, "{},{},{},{}", cell(name), p.intensity, p.demand, u8::from(p.collapsed));
        }
    }
    out
}

/// A line for each quantity at each intensity; a fractile among collapsed runs is `inf`.
fn level_table(findings: &Findings<'_>, ida: &Ida) -> String {
    let intensity = cell(&findings.intensity.label());
    let mut out = format!("{intensity},quantity,unit,runs,collapses,16 %,50 %,84 %,dispersion\n");
    for q in &ida.quantities {
        for s in &q.stripes {
            let [low, median, high] = s.fractiles.map(number);
            let (quantity, unit) = (cell(&q.quantity), cell(&q.unit));
            let counts = format!("{},{}", s.count, s.collapsed);
            let dispersion = number(s.dispersion);
            let _ = writeln!(out, "{},{quantity},{unit},{counts},{low},{median},{high},{dispersion}", s.intensity);
        }
    }
    out
}

/// A line for each run.
fn table(findings: &Findings<'_>) -> String {
    let variables = findings.study.variables();
    let mut header = vec!["run".to_owned()];
    header.extend(variables.iter().map(|v| label(v.name, v.unit)));
    header.extend(["outcome".to_owned(), "reason".to_owned()]);
    header.extend(findings.motions.iter().map(|m| label(m, "g")));
    for c in &findings.model.channels {
        header.extend(FIGURES.iter().map(|(figure, _)| label(&format!("{} {figure}", c.name), &c.unit)));
    }
    header.extend(findings.worker.keep.then(|| "file".to_owned()));
    let mut out = header.iter().map(|h| cell(h)).collect::<Vec<_>>().join(",") + "\n";
    for (case, outcome) in findings.cases.iter().zip(findings.outcomes) {
        let (ending, reason) = outcome.ending.word();
        // Writing into a text cannot fail.
        let _ = write!(out, "{}", case.index);
        for value in &case.values {
            let _ = write!(out, ",{}", value.number.map_or_else(|| cell(&value.text), |x| x.to_string()));
        }
        let _ = write!(out, ",{ending},{}", cell(reason));
        for name in &findings.motions {
            let motion = outcome.motions.iter().find(|m| m.0 == *name).map(|m| m.1).filter(|a| a.is_finite());
            let _ = write!(out, ",{}", motion.map_or_else(String::new, |a| (a / STANDARD_GRAVITY).to_string()));
        }
        for c in 0..findings.model.channels.len() {
            for (_, pick) in FIGURES {
                let figure = outcome.figures.get(c).map(pick);
                let _ = write!(out, ",{}", figure.map_or_else(String::new, number));
            }
        }
        if let Some(file) = findings.file(case) {
            let _ = write!(out, ",{file}");
        }
        out.push('\n');
    }
    out
}

/// What is known of a channel at each time.
type Statistic = (&'static str, fn(&Band) -> f64);
const STATISTICS: [Statistic; 7] = [
    ("mean", |b| b.mean),
    ("std", |b| b.std),
    ("q05", |b| b.quantiles[0]),
    ("q16", |b| b.quantiles[1]),
    ("q50", |b| b.quantiles[2]),
    ("q84", |b| b.quantiles[3]),
    ("q95", |b| b.quantiles[4]),
];

/// A result file with these channels and rows, which `interfield plot`, `show` and `export` read.
fn result_file(
    path: &Path,
    (title, origin): (String, &Origin<'_>),
    channels: &[ChannelInfo],
    rows: impl Iterator<Item = (f64, Vec<f64>)>,
) -> Result<(), String> {
    let meta = Meta {
        title,
        program: "interfield".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created: String::new(),
        model_text: origin.text.to_owned(),
        settings: origin.settings.clone(),
    };
    folder(path).map_err(|e| unwritten(path, &e))?;
    let options = WriterOptions { overwrite: true, policy: Policy::Wait, ..WriterOptions::default() };
    let failed = |e: interfield_results::Error| unwritten(path, &e);
    let mut writer = Writer::create(path, &meta, channels, options).map_err(failed)?;
    rows.for_each(|(t, row)| _ = writer.push(t, &row));
    writer.finish("finished").map(|_| ()).map_err(failed)
}

/// The bands as a result file.
fn bands(path: &Path, findings: &Findings<'_>, origin: &Origin<'_>) -> Result<(), String> {
    let channels: Vec<ChannelInfo> = findings
        .model
        .channels
        .iter()
        .flat_map(|c| {
            STATISTICS.map(|(what, _)| {
                let description = format!("{what} of `{}` over the runs at each time", c.name);
                ChannelInfo::new(&format!("{}.{what}", c.name), &c.unit, what, &description)
            })
        })
        .collect();
    let title = format!("{}: {} runs", findings.model.title, findings.outcomes.len());
    let samples = findings.bands.iter().map(Vec::len).min().unwrap_or(0);
    let row = |k: usize| findings.bands.iter().flat_map(|b| STATISTICS.map(|(_, of)| of(&b[k]))).collect();
    let rows = (0..samples).map(|k| (k as f64 * findings.interval, row(k)));
    result_file(path, (title, origin), &channels, rows)
}

/// What is known of a quantity at each intensity.
type AtLevel = (&'static str, fn(&interfield_ensemble::ida::Stripe) -> f64);
const AT_LEVEL: [AtLevel; 4] = [
    ("q16", |s| s.fractiles[0]),
    ("q50", |s| s.fractiles[1]),
    ("q84", |s| s.fractiles[2]),
    ("dispersion", |s| s.dispersion),
];

/// The statistics at each intensity as a result file: its rows are the intensities, and the time counts them.
fn levels(path: &Path, findings: &Findings<'_>, ida: &Ida, origin: &Origin<'_>) -> Result<(), String> {
    let first = &ida.quantities[0].stripes;
    let mut channels = vec![
        ChannelInfo::new("intensity", &findings.intensity.unit, "intensity", &findings.intensity.words),
        ChannelInfo::new("runs", "", "count", "runs at this intensity"),
        ChannelInfo::new("collapses", "", "count", "runs that collapsed"),
    ];
    for q in &ida.quantities {
        for (what, _) in AT_LEVEL {
            let unit = if what == "dispersion" { "" } else { &q.unit };
            let description =
                format!("{what} of the {} over the runs at this intensity; a collapse counts as infinite", q.quantity);
            channels.push(ChannelInfo::new(&format!("{}.{what}", q.quantity), unit, what, &description));
        }
    }
    let row = |(k, s): (usize, &interfield_ensemble::ida::Stripe)| {
        let at = |q: &AtIntensity| q.stripes.iter().find(|x| x.intensity == s.intensity).copied();
        let statistics = ida.quantities.iter().flat_map(|q| AT_LEVEL.map(|(_, of)| at(q).map_or(f64::NAN, |s| of(&s))));
        let counts = [s.intensity, s.count as f64, s.collapsed as f64];
        (k as f64, counts.into_iter().chain(statistics).collect())
    };
    let title = format!("{}: statistics at {} intensities, one in each row", findings.model.title, first.len());
    result_file(path, (title, origin), &channels, first.iter().enumerate().map(row))
}
