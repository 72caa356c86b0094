//! The report of a run: one HTML page that works offline, with a verdict, key figures, histories and hysteresis loops.

use interfield_kernel::StepMap;
use interfield_model::Simulation;
use interfield_model::model::Quantity;
use interfield_results::{Error, Reader};

use crate::cmd::run::Verdict;
use crate::plot::{Figure, with_own_names};
use crate::record::quantity;
use crate::stored;
use crate::table::short;

/// Rows kept for drawing; beyond that every other one is dropped.
const MAX_ROWS: usize = 8192;

/// Extremes of a channel over the whole run.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub(crate) struct Range {
    pub min: f64,
    pub max: f64,
    /// Value of largest magnitude, with its sign.
    pub peak: f64,
    pub peak_time: f64,
    pub last: f64,
}

/// What is remembered of a run: extremes exactly; histories, thinned, only where no result file has them.
pub(crate) struct History {
    /// Extremes, one per channel.
    pub ranges: Vec<Range>,
    keep: bool,
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
    stride: u64,
    seen: u64,
}

impl History {
    /// Nothing yet; `keep` rows for a report.
    pub(crate) fn new(sim: &Simulation, keep: bool) -> Self {
        let none = Range { min: f64::INFINITY, max: f64::NEG_INFINITY, peak: 0.0, peak_time: 0.0, last: 0.0 };
        let ranges = vec![none; sim.channels().len()];
        History { ranges, keep, times: Vec::new(), rows: Vec::new(), stride: 1, seen: 0 }
    }

    /// Takes a sample.
    pub(crate) fn push(&mut self, t: f64, row: &[f64]) {
        for (r, &x) in self.ranges.iter_mut().zip(row) {
            (r.min, r.max, r.last) = (r.min.min(x), r.max.max(x), x);
            if x.abs() > r.peak.abs() {
                (r.peak, r.peak_time) = (x, t);
            }
        }
        if !self.keep {
            return;
        }
        if self.seen.is_multiple_of(self.stride) {
            self.times.push(t);
            self.rows.push(row.to_vec());
        }
        self.seen += 1;
        if self.rows.len() > MAX_ROWS {
            let mut keep = true;
            let mut other = || {
                keep = !keep;
                !keep
            };
            self.rows.retain(|_| other());
            keep = true;
            let mut other = || {
                keep = !keep;
                !keep
            };
            self.times.retain(|_| other());
            self.stride *= 2;
        }
    }
}

/// Where the curves of a report come from.
pub(crate) enum Curves<'a> {
    /// Rows kept in memory.
    Kept(&'a History),
    /// The result file.
    File(&'a Reader),
}

impl Curves<'_> {
    /// A channel over time.
    fn history(&self, channel: usize) -> Result<Vec<(f64, f64)>, Error> {
        match self {
            Self::Kept(h) => Ok(h.times.iter().zip(&h.rows).map(|(t, r)| (*t, r[channel])).collect()),
            Self::File(reader) => stored::history(reader, channel),
        }
    }

    /// One channel over another.
    fn pairs(&self, x: usize, y: usize) -> Result<Vec<(f64, f64)>, Error> {
        match self {
            Self::Kept(h) => Ok(h.rows.iter().map(|r| (r[x], r[y])).collect()),
            Self::File(reader) => stored::pairs(reader, x, y),
        }
    }
}

/// How a run went.
pub(crate) struct Summary<'a> {
    /// How it ended.
    pub verdict: &'a Verdict,
    /// Steps taken.
    pub steps: u64,
    /// Wall-clock time, s.
    pub seconds: f64,
}

impl Summary<'_> {
    /// One line for people.
    pub(crate) fn line(&self, sim: &Simulation) -> String {
        let what = match self.verdict {
            Verdict::Finished => "finished".to_owned(),
            Verdict::Interrupted => "interrupted, results up to there are kept".to_owned(),
            Verdict::Faulted(r) => format!("stopped {r}; results up to there are kept"),
            Verdict::NotWritten(r) => format!("stopped: {r}"),
        };
        let simulated = self.steps as f64 * sim.domain.dt();
        format!(
            "{what}: {} steps in {} s ({} steps/s, {} times real time)",
            self.steps,
            short(self.seconds),
            short((self.steps as f64 / self.seconds).round()),
            short((simulated / self.seconds * 10.0).round() / 10.0)
        )
    }
}

/// Text that means itself in HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The page.
///
/// # Errors
/// When the result file cannot be read.
pub(crate) fn page(
    sim: &Simulation,
    model: &str,
    ranges: &[Range],
    curves: &Curves<'_>,
    summary: &Summary<'_>,
) -> Result<String, Error> {
    let a = &sim.model.analysis;
    let title = escape(&sim.model.title);
    let good = matches!(summary.verdict, Verdict::Finished);
    let mut rows = String::new();
    for (c, r) in sim.channels().iter().zip(ranges) {
        let cells = [short(r.min), short(r.max), format!("{:.3}", r.peak_time), short(r.last)];
        rows += &format!("<tr><th>{}<td>{}<td>{}</tr>\n", escape(&c.name), escape(&c.unit), cells.join("<td>"));
    }
    let mut figures = Vec::new();
    for (force, deformation) in loops(sim) {
        let (cf, cd) = (&sim.channels()[force], &sim.channels()[deformation]);
        let name = cf.name.split('.').next().unwrap_or("");
        figures.push(
            Figure {
                title: &format!("{name}: hysteresis"),
                x: &stored::label("deformation", &cd.unit),
                y: &stored::label("force", &cf.unit),
                log_x: false,
                size: (520.0, 420.0),
                lines: vec![(String::new(), curves.pairs(deformation, force)?)],
            }
            .svg(),
        );
    }
    for (i, c) in sim.channels().iter().enumerate() {
        figures.push(
            Figure {
                title: &c.name,
                x: "time [s]",
                y: &stored::label(quantity(&c.quantity), &c.unit),
                log_x: false,
                size: (900.0, 280.0),
                lines: vec![(String::new(), curves.history(i)?)],
            }
            .svg(),
        );
    }
    let figures: String = figures.iter().enumerate().map(|(i, f)| figure(f, i)).collect();
    let solver = sim.solver().map(|r| escape(&r.to_string())).unwrap_or_default();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n<p class=\"{}\">{}</p>\n\
         <p>Scheme {}, step {} s, {} unknowns, solver: {}.</p>\n\
         <table><tr><th>channel<th>unit<th>min<th>max<th>peak at t [s]<th>at the end</tr>\n{rows}</table>\n{figures}\
         <details><summary>Model file</summary><pre>{}</pre></details>\n<footer>Interfield {}</footer>\n</html>\n",
        if good { "good" } else { "bad" },
        escape(&summary.line(sim)),
        escape(&a.scheme_name),
        short(a.dt),
        sim.unknowns().len(),
        solver,
        escape(model),
        env!("CARGO_PKG_VERSION"),
    ))
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem;color:#222}\
table{border-collapse:collapse}th,td{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:right}\
th:first-child{text-align:left}.good,.bad{padding:.6rem 1rem;border-left:4px solid #009E73;background:#f2faf7}\
.bad{border-color:#D55E00;background:#fdf3ec}figure{margin:1.5rem 0}svg{max-width:100%;height:auto}\
footer{color:#777;margin:2rem 0}pre{background:#f6f6f6;padding:1rem;overflow:auto}";

fn figure(svg: &str, number: usize) -> String {
    format!("<figure>{}</figure>\n", with_own_names(svg, number))
}

/// Pairs of channels that are force and deformation of one coordinate of one element.
fn loops(sim: &Simulation) -> Vec<(usize, usize)> {
    let channels = sim.channels();
    let mut pairs = Vec::new();
    for (i, c) in channels.iter().enumerate() {
        if let Quantity::Force(e, q) = c.quantity
            && let Some(j) = channels.iter().position(|d| d.quantity == Quantity::Deformation(e, q))
        {
            pairs.push((i, j));
        }
    }
    pairs
}
