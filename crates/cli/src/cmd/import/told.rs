//! A comparison with OpenSees as text, JSON and figure.

use std::path::Path;

use interfield::quantities::{ONE, UNITS};
use interfield::table::{aligned, short, time, wrapped};
use interfield_opensees::peer::{Cause, Difference, Pair, SAME, cause};
use interfield_opensees::record::Place;
use interfield_report::thin::Thinner;
use interfield_report::{Axis, Figure, Order, Panel, Style};
use serde_json::{Value, json};

use super::compare::{Compared, Comparison};

/// Channels of a table, and panels of a figure, for one analysis; pieces of a curve.
const ROWS: usize = 8;
const PANELS: usize = 4;
const PIECES: usize = 4000;
/// Differences up to this share of the peak count as agreement.
const CLOSE: f64 = 0.01;

impl Comparison {
    /// The largest difference of all, relative to its peak.
    pub(super) fn worst(&self) -> f64 {
        self.analyses.iter().map(Compared::worst).fold(0.0, f64::max)
    }

    /// Whether every difference is within this share of its peak, and everything could be compared.
    pub(super) fn is_within(&self, tolerance: f64) -> bool {
        !self.analyses.is_empty() && self.analyses.iter().all(|a| a.fault.is_none() && a.worst() <= tolerance)
    }

    pub(super) fn text(&self) -> String {
        let mut out = format!("\ncompared with OpenSees {}\n", self.version);
        for analysis in &self.analyses {
            out += &analysis.text();
        }
        for modes in &self.modes {
            let rows: Vec<Vec<String>> = modes
                .iter()
                .enumerate()
                .map(|(i, m)| {
                    vec![(i + 1).to_string(), short(m.theirs), short(m.ours), short((m.ours / m.theirs - 1.0).abs())]
                })
                .collect();
            out += &format!("\nperiods\n{}", aligned(&["mode", "OpenSees [s]", "Interfield [s]", "difference"], &rows));
        }
        if self.worst() > SAME && !self.reasons.is_empty() {
            out += "\nwhere the two are known to differ, in this script\n";
            for reason in &self.reasons {
                out += &wrapped("  ", &format!("{}: {}", short_place(&reason.place), reason.message));
            }
        }
        for note in &self.notes {
            out += &wrapped("  ", &format!("note: {note}"));
        }
        out
    }

    pub(super) fn json(&self) -> Value {
        let modes = self.modes.iter().map(|list| {
            list.iter().map(|m| json!({ "opensees": m.theirs, "interfield": m.ours, UNITS: { "opensees": "s", "interfield": "s" } }))
        });
        json!({
            "opensees": self.version,
            "analyses": self.analyses.iter().map(Compared::json).collect::<Vec<_>>(),
            "periods": modes.map(Iterator::collect::<Vec<_>>).collect::<Vec<_>>(),
            "reasons": self.reasons.iter().map(|r| json!({ "file": r.place.file, "line": r.place.line, "message": r.message })).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    /// Both programs on top of each other, the channels with the largest differences.
    pub(super) fn figure(&self) -> Figure {
        let panels: Vec<Panel> = self.analyses.iter().flat_map(Compared::panels).collect();
        Figure { columns: 2.min(panels.len().max(1)), width: 960.0, slenderness: 0.5, ..Figure::new(panels) }
    }
}

/// A place without the folders of its file.
fn short_place(place: &Place) -> String {
    let name = Path::new(&place.file).file_name().map(|n| n.to_string_lossy().into_owned());
    Place { file: name.unwrap_or_default(), line: place.line }.to_string()
}

impl Compared {
    fn worst(&self) -> f64 {
        self.differences.first().map_or(0.0, |d| d.relative)
    }

    fn is_push(&self) -> bool {
        self.command == "pushover"
    }

    /// A step as the reader knows it.
    fn at(&self, step: usize) -> String {
        match (self.x.get(step), self.is_push()) {
            (Some(x), true) => format!("step {x}"),
            (Some(x), false) => format!("t = {}", time(*x)),
            (None, _) => "the end".to_owned(),
        }
    }

    fn text(&self) -> String {
        let [theirs, ours, both] = self.steps;
        let what = if self.is_push() { "pushover" } else { "motion" };
        let factor = self.factor.map_or_else(String::new, |f| format!(", factor {f}"));
        let mut out = format!("\n{}{factor}: {what}, {both} steps\n", self.model);
        if theirs != both || ours != both {
            out +=
                &wrapped("  ", &format!("OpenSees has {theirs} steps, Interfield {ours}; {both} are at the same time"));
        }
        if let Some(fault) = &self.fault {
            out += &wrapped("  ", &format!("Interfield stopped early: {fault}"));
        }
        let header = [
            "channel",
            "unit",
            "peak OpenSees",
            "peak Interfield",
            "max difference",
            if self.is_push() { "at step" } else { "at t [s]" },
            "relative",
        ];
        let row = |d: &Difference| {
            let at = self.x.get(d.step).map_or_else(String::new, |x| short(*x));
            vec![
                d.name.clone(),
                d.unit.clone(),
                short(d.peaks[0]),
                short(d.peaks[1]),
                short(d.largest),
                at,
                short(d.relative),
            ]
        };
        let rows: Vec<Vec<String>> = self.differences.iter().take(ROWS).map(row).collect();
        out += &aligned(&header, &rows);
        if let Some(more) = self.differences.len().checked_sub(ROWS).filter(|n| *n > 0) {
            out += &format!("  {more} more channels differ less; --json has all of them\n");
        }
        if let Some(d) = self.largest_motion().filter(|_| !self.is_push()) {
            let [theirs, ours] = d.residual.map(short);
            out += &format!(
                "  residual of {}: {theirs} {} in OpenSees, {ours} {} in Interfield\n",
                d.name, d.unit, d.unit
            );
        }
        out + &wrapped("  ", &self.verdict())
    }

    /// The channel that moves most, among those of the unit of the first.
    fn largest_motion(&self) -> Option<&Difference> {
        let lengths = self.differences.iter().filter(|d| d.unit != "rad" && d.unit != "-");
        lengths.max_by(|a, b| a.peaks[0].total_cmp(&b.peaks[0]))
    }

    fn verdict(&self) -> String {
        let Some(worst) = self.differences.first() else { return "nothing was compared".to_owned() };
        let word = match worst.relative {
            x if x <= SAME => "the same result",
            x if x <= CLOSE => "agreement",
            _ => "the results differ",
        };
        let mut out = format!(
            "verdict: {word}: the largest difference is {} of the peak ({} at {})",
            short(worst.relative),
            worst.name,
            self.at(worst.step)
        );
        if let Some((cause, [theirs, ours, after, before])) = cause(&self.differences) {
            out += &format!(
                ". With half the step OpenSees moves by {} of the peak, Interfield by {}, and they are {} apart instead of {}",
                short(theirs),
                short(ours),
                short(after),
                short(before)
            );
            out += match cause {
                Cause::None => "",
                Cause::Theirs => ": the difference is the step error of OpenSees",
                Cause::Ours => ": the difference is the step error of Interfield",
                Cause::Step => ": the difference is the step error of both",
                Cause::Model => ": the step does not explain the difference",
            };
        }
        out
    }

    fn json(&self) -> Value {
        let channel = |d: &Difference| {
            let at = self.x.get(d.step);
            let halved = d.halved.map(|[theirs, ours, apart]| {
                json!({ "opensees_moves": theirs, "interfield_moves": ours, "relative": apart, UNITS: { "relative": ONE } })
            });
            json!({
                "name": d.name, "unit": d.unit, "peak_opensees": d.peaks[0], "peak": d.peaks[1], "max": d.largest, "at": at,
                "relative": d.relative, "residual_opensees": d.residual[0], "residual": d.residual[1], "halved": halved,
                UNITS: { "at": if self.is_push() { "step" } else { "s" }, "relative": ONE },
            })
        };
        json!({
            "model": self.model, "command": self.command, "factor": self.factor, "steps_opensees": self.steps[0],
            "steps": self.steps[1], "steps_compared": self.steps[2], "fault": self.fault, "relative": self.worst(),
            "channels": self.differences.iter().map(channel).collect::<Vec<_>>(), "verdict": self.verdict(),
            UNITS: { "relative": ONE, "factor": ONE },
        })
    }

    fn panels(&self) -> Vec<Panel> {
        let pair = |d: &Difference| self.pairs.iter().find(|p| p.name == d.name);
        let push = self.is_push().then(|| self.pairs.iter().find(|p| p.name == "load factor")).flatten();
        if let (Some(factor), Some(moved)) = (push, self.largest_motion().and_then(pair)) {
            let x = Axis::new(&moved.name, &moved.unit);
            return vec![self.panel(x, factor, &moved.theirs, &moved.ours, Order::Free)];
        }
        let shown = self.differences.iter().filter(|d| d.peaks[0] > 0.0).take(PANELS).filter_map(pair);
        shown.map(|p| self.panel(Axis::new("time", "s"), p, &self.x, &self.x, Order::Time)).collect()
    }

    fn panel(&self, x: Axis, pair: &Pair, theirs: &[f64], ours: &[f64], order: Order) -> Panel {
        let curve = |name: &str, x: &[f64], y: &[f64]| {
            let mut thin = Thinner::new(PIECES);
            x.iter().zip(y).for_each(|(x, y)| thin.push(*x, *y));
            thin.curve(name.to_owned())
        };
        let curves =
            vec![curve("OpenSees", theirs, &pair.theirs), curve("Interfield", ours, &pair.ours).style(Style::Dashed)];
        let (y, title) = (Axis::new(&pair.name, &pair.unit), self.model.clone());
        Panel { title, x, y, order, curves, ..Panel::default() }
    }
}
