//! The files of an ensemble. None of them says when or by how many threads it was made: the same study gives the same bytes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use interfield_ensemble::{Band, Ending};
use interfield_motion::STANDARD_GRAVITY;
use interfield_report::{Figure, Panel};
use interfield_results::{ChannelInfo, Meta, Policy, Setting, Writer, WriterOptions};
use serde_json::json;

use super::findings::{FIGURES, Findings};
use super::{drawing, page};
use crate::stored::label;
use interfield::files::{create, folder, unwritten, write};

/// What the files say of where they come from.
pub(super) struct Origin<'a> {
    /// All files of the model in one text.
    pub text: &'a str,
    /// Path of the model.
    pub model: String,
    /// Fingerprint of the study.
    pub fingerprint: u64,
    /// Settings of the command line by name.
    pub settings: Vec<(String, Setting)>,
}

/// Writes everything into the folder; returns the names of the figures.
pub(super) fn save(out: &Path, findings: &Findings<'_>, origin: &Origin<'_>) -> Result<Vec<String>, String> {
    let mut document = findings.json();
    document["program"] = json!("interfield");
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["model"] = json!(origin.model);
    document["fingerprint"] = json!(format!("{:016x}", origin.fingerprint));
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
    let mut out = header.iter().map(|h| cell(h)).collect::<Vec<_>>().join(",") + "\n";
    for (case, outcome) in findings.cases.iter().zip(findings.outcomes) {
        let (ending, reason) = match &outcome.ending {
            Ending::Finished => ("finished", ""),
            Ending::Fault(why) => ("fault", why.as_str()),
            Ending::Refused(why) => ("refused", why.as_str()),
        };
        // Writing into a text cannot fail.
        let _ = write!(out, "{}", case.index);
        for value in &case.values {
            let _ = write!(out, ",{}", value.number.map_or_else(|| cell(&value.text), |x| x.to_string()));
        }
        let _ = write!(out, ",{ending},{}", cell(reason));
        for i in 0..findings.motions.len() {
            let motion = outcome.intensities.get(i).filter(|a| a.is_finite());
            let _ = write!(out, ",{}", motion.map_or_else(String::new, |a| (a / STANDARD_GRAVITY).to_string()));
        }
        for c in 0..findings.model.channels.len() {
            for (_, pick) in FIGURES {
                let _ = write!(out, ",{}", outcome.figures.get(c).map_or_else(String::new, |f| pick(f).to_string()));
            }
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

/// The bands as a result file: `interfield plot`, `show` and `export` read it.
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
    let meta = Meta {
        title: format!("{}: {} runs", findings.model.title, findings.outcomes.len()),
        program: "interfield".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created: String::new(),
        model_text: origin.text.to_owned(),
        settings: origin.settings.clone(),
    };
    folder(path).map_err(|e| unwritten(path, &e))?;
    let options = WriterOptions { overwrite: true, policy: Policy::Wait, ..WriterOptions::default() };
    let failed = |e: interfield_results::Error| unwritten(path, &e);
    let mut writer = Writer::create(path, &meta, &channels, options).map_err(failed)?;
    let samples = findings.bands.iter().map(Vec::len).min().unwrap_or(0);
    for k in 0..samples {
        let row: Vec<f64> = findings.bands.iter().flat_map(|b| STATISTICS.map(|(_, of)| of(&b[k]))).collect();
        writer.push(k as f64 * findings.interval, &row);
    }
    writer.finish("finished").map(|_| ()).map_err(failed)
}
