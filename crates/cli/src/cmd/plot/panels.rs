//! A panel with its curves, one for each file and channel, in one unit.

use interfield_motion::{LongSignal, Quantity, Record, hann, log_periods};
use interfield_report::thin::Thinner;
use interfield_report::{Axis, Curve, Order, Panel, Style};
use interfield_results::ChannelInfo;
use interfield_results::summary::walk;

use super::wanted::Wanted;
use super::{How, Refusal, Source, Spectrum};
use crate::natural::{Natural, mark};
use crate::report::times_second;
use crate::stored::{self, Window, conversion, curve_within};
use interfield::table::{aligned, short};

/// Colours before they come again, dashed.
const COLOURS: usize = 6;
/// Pieces of a curve of differences.
const PIECES: usize = 5000;
/// Damping ratio of response spectra.
const DAMPING: f64 = 0.05;

/// What a curve is of.
pub(super) struct Told {
    /// Its name in tables.
    pub legend: String,
    pub file: String,
    pub channel: String,
    /// The unit it is drawn in.
    pub unit: String,
    /// Rows it stands for.
    pub rows: u64,
}

/// A panel, and what is in it.
pub(super) struct Drawn {
    pub panel: Panel,
    pub curves: Vec<Told>,
    /// The marked frequencies, with what the curves have there.
    pub natural: Vec<Row>,
}

/// What the curves have at a natural frequency.
pub(super) struct Row {
    /// Whose it is.
    pub of: String,
    /// Its number, from 1.
    pub mode: usize,
    /// Hz.
    pub hertz: f64,
    /// Of each curve, in the unit of the panel; `None` beyond its end.
    pub values: Vec<Option<f64>>,
}

impl Drawn {
    /// The amplitudes at the natural frequencies, as a table.
    pub(super) fn at_natural(&self) -> String {
        let names: Vec<String> = self.curves.iter().map(|c| c.legend.clone()).collect();
        let cell = |x: &Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.3e}"));
        let row = |r: &Row| {
            let mode = format!("{} {}", r.of, r.mode);
            [short(r.hertz), mode].into_iter().chain(r.values.iter().map(cell)).collect()
        };
        let rows: Vec<Vec<String>> = self.natural.iter().map(row).collect();
        let header: Vec<&str> = ["f [Hz]", "<mode of"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let points = self.panel.curves.first().map_or(&[][..], |c| &c.points);
        let apart = match (self.panel.x.unit.as_str(), points) {
            ("Hz", [first, second, ..]) => format!(", lines {} Hz apart", short(second.0 - first.0)),
            _ => String::new(),
        };
        format!("\n{}{apart}\n\n{}", self.panel.y.text(), aligned(&header, &rows))
    }
}

/// A channel of a file, its unit made that of the panel by a factor.
struct One<'a> {
    source: &'a Source,
    name: &'a str,
    channel: usize,
    factor: f64,
}

/// Draws what is wanted.
pub(super) fn panel(wanted: &Wanted, sources: &[Source], how: &How) -> Result<Drawn, Refusal> {
    let (window, spectrum, json) = (how.window, how.spectrum, how.json);
    let infos: Vec<&ChannelInfo> = wanted.channels.iter().filter_map(|n| info(&sources[0], n)).collect();
    let mut y = stored::axis(&infos);
    let unit = infos.first().map_or("", |c| &c.unit);
    let over = wanted.over.as_ref().and_then(|n| info(&sources[0], n));
    let (mut curves, mut told) = (Vec::new(), Vec::new());
    for name in &wanted.channels {
        for (number, source) in sources.iter().enumerate() {
            let one = one(source, name, unit, &infos)?;
            let legend = match (sources.len(), wanted.channels.len()) {
                (1, 1) => String::new(),
                (1, _) => name.clone(),
                (_, 1) => source.label.clone(),
                _ => format!("{}: {name}", source.label),
            };
            let mut curve = match spectrum {
                None if how.minus.is_some() => difference(&one, how)?,
                None => history(&one, over, wanted, window, json)?,
                Some(kind) => transformed(&one, kind, how)?,
            };
            let rows = rows(&one, window, json)?;
            if rows == 0 {
                let message = format!("no row of `{}` is in the given time range", source.reader.path().display());
                return Err(Refusal::new(message, "--from and --to lie between two rows: choose more time"));
            }
            let told_as = if legend.is_empty() { name.clone() } else { legend.clone() };
            curve.name = legend;
            // What lies upon another leaves gaps to see it.
            curve.style = if number == 0 && curves.len() < COLOURS { Style::Line } else { Style::Dashed };
            curves.push(curve);
            let file = source.reader.path().display().to_string();
            told.push(Told { legend: told_as, file, channel: name.clone(), unit: unit.to_owned(), rows });
        }
    }
    if how.minus.is_some() {
        y.label = format!("Δ {}", y.label);
    }
    let (x, order) = match (spectrum, over) {
        (None, Some(over)) => (stored::axis(&[over]), Order::Free),
        (None, None) => (Axis::new("time", "s"), Order::Time),
        (Some(Spectrum::Fourier), _) => {
            y = Axis::new(format!("Fourier amplitude of {}", y.label), &times_second(unit)).log();
            (Axis::new("frequency", "Hz").log(), Order::Sorted)
        }
        (Some(Spectrum::Response), _) => {
            y = Axis::new("pseudo-acceleration, 5 % damping", unit);
            (Axis::new("period", "s").log(), Order::Sorted)
        }
    };
    let panel = Panel { x, y, order, curves, ..Panel::default() };
    Ok(marked(Drawn { panel, curves: told, natural: Vec::new() }, how))
}

/// Marks natural frequencies, over the frequency or over the period.
fn marked(mut drawn: Drawn, how: &How) -> Drawn {
    let periods = how.spectrum == Some(Spectrum::Response);
    let place = |f: f64| if periods { 1.0 / f } else { f };
    for n in how.natural {
        let row = |(i, f): (usize, &f64)| Row {
            of: n.of.clone(),
            mode: i + 1,
            hertz: *f,
            values: drawn.panel.curves.iter().map(|c| at(&c.points, place(*f))).collect(),
        };
        drawn.natural.extend(n.hertz.iter().enumerate().map(row));
    }
    drawn.natural.sort_by(|a, b| a.hertz.total_cmp(&b.hertz));
    let placed = |n: &Natural| {
        let mut hertz: Vec<f64> = n.hertz.iter().map(|f| place(*f)).collect();
        hertz.sort_by(f64::total_cmp);
        Natural { of: n.of.clone(), hertz }
    };
    mark(&mut drawn.panel, &how.natural.iter().map(placed).collect::<Vec<_>>());
    drawn
}

/// The value of the nearest point of a rising curve; `None` beyond its ends.
fn at(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = points.partition_point(|p| p.0 < x);
    let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|i| points.get(i));
    let (first, last) = (points.first()?.0, points.last()?.0);
    // Half of the distance between two lines of the spectrum belongs to each.
    let beyond = points.get(1).map_or(0.0, |p| 0.5 * (p.0 - first));
    if x < first - beyond || x > last + beyond {
        return None;
    }
    near.min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).map(|p| p.1)
}

fn info<'a>(source: &'a Source, name: &str) -> Option<&'a ChannelInfo> {
    source.reader.channel(name).map(|i| &source.reader.channels()[i])
}

/// A channel of a file in the unit of its panel; refused where it has none that could be made that.
fn one<'a>(source: &'a Source, name: &'a str, unit: &str, infos: &[&ChannelInfo]) -> Result<One<'a>, Refusal> {
    let unknown = || Refusal::new(format!("`{}` has no channel `{name}`", source.reader.path().display()), "");
    let channel = source.reader.channel(name).ok_or_else(unknown)?;
    let own = &source.reader.channels()[channel].unit;
    let Some(factor) = conversion(own, unit) else {
        let first = infos.first().map_or("", |c| &c.name);
        let (a, b) = (stored::label(first, unit), stored::label(name, own));
        let message = if first == name {
            format!("{a} is in [{own}] in `{}`: the units measure different things", source.reader.path().display())
        } else {
            format!("{a} and {b} have different units and cannot share an axis")
        };
        let help = format!(
            "give each its own panel, --panel \"{first}\" --panel \"{name}\", or draw one over the other: --panel \
                \"{name} over {first}\""
        );
        return Err(Refusal::new(message, help));
    };
    Ok(One { source, name, channel, factor })
}

/// Over time, or over another channel in the unit that it has in the first file.
fn history(
    one: &One,
    over: Option<&ChannelInfo>,
    wanted: &Wanted,
    window: Window,
    json: bool,
) -> Result<Curve, Refusal> {
    let reader = &one.source.reader;
    let mut factors = [1.0, one.factor];
    let mut column = None;
    if let (Some(over), Some(name)) = (over, &wanted.over) {
        let i = reader.channel(name).unwrap_or(0);
        let own = &reader.channels()[i].unit;
        factors[0] = conversion(own, &over.unit).ok_or_else(|| {
            let message =
                format!("`{name}` is in [{}] in one file and in [{own}] in `{}`", over.unit, reader.path().display());
            Refusal::new(message, "draw the files one by one")
        })?;
        column = Some(i);
    }
    curve_within(reader, "", column, one.channel, window, factors).map_err(|e| Refusal::Said(stored::damaged(&e, json)))
}

/// What a result has more than another one, over time.
fn difference(one: &One, how: &How) -> Result<Curve, Refusal> {
    let mut thinner = Thinner::new(PIECES);
    values(one, how, |t, x| thinner.push(t, x))?;
    Ok(thinner.curve(""))
}

/// Shows the values of a channel within the window, or its differences from another result.
fn values(one: &One, how: &How, mut see: impl FnMut(f64, f64)) -> Result<(), Refusal> {
    let reader = &one.source.reader;
    let damaged = |e| Refusal::Said(stored::damaged(&e, how.json));
    let Some(minus) = how.minus else {
        return stored::rows(reader, &[one.channel], how.window, |t, row| see(t, row[0] * one.factor)).map_err(damaged);
    };
    let other = minus.channel(one.name).unwrap_or(0);
    let (unit, own) = (&minus.channels()[other].unit, &reader.channels()[one.channel].unit);
    let factor = conversion(unit, own).ok_or_else(|| {
        let message = format!("`{}` is in [{own}] in one file and in [{unit}] in the other", one.name);
        Refusal::new(message, "the units measure different things: choose another channel")
    })?;
    let mut moments = 0;
    walk(reader, minus, &[(one.channel, other)], |moment| {
        if how.window.holds(moment.t) {
            moments += 1;
            see(moment.t, (moment.a[0] - moment.b[0] * factor) * one.factor);
        }
    })
    .map_err(damaged)?;
    if moments == 0 {
        let (a, b) = (reader.path().display(), minus.path().display());
        return Err(Refusal::new(
            format!("`{a}` and `{b}` have no time in common"),
            "`interfield show` prints their time",
        ));
    }
    Ok(())
}

fn rows(one: &One, window: Window, json: bool) -> Result<u64, Refusal> {
    let mut count = 0;
    stored::rows(&one.source.reader, &[], window, |_, _| count += 1)
        .map_err(|e| Refusal::Said(stored::damaged(&e, json)))?;
    Ok(count)
}

/// The spectrum of the rows within the window.
fn transformed(one: &One, kind: Spectrum, how: &How) -> Result<Curve, Refusal> {
    let (mut times, mut signal, mut history) = (Vec::new(), LongSignal::default(), Vec::new());
    let mut count = 0usize;
    values(one, how, |t, x| {
        if times.len() < 2 {
            times.push(t);
        }
        count += 1;
        match kind {
            Spectrum::Fourier if how.taper => {}
            Spectrum::Fourier => signal.push(x),
            Spectrum::Response => history.push(x),
        }
    })?;
    if how.taper {
        // How long the history is must be known first.
        let mut taper = hann(count);
        values(one, how, |_, x| signal.push(x * taper.next().unwrap_or(0.0)))?;
    }
    let refused = |why: String| {
        Refusal::new(format!("no spectrum of `{}`: {why}", one.name), "choose more time, or other channels")
    };
    let [first, second] = times[..] else { return Err(refused("it has fewer than two rows".to_owned())) };
    let points = match kind {
        Spectrum::Fourier => signal.fourier(second - first).map_err(|e| refused(e.to_string()))?,
        Spectrum::Response => {
            let unit = &one.source.reader.channels()[one.channel].unit;
            if conversion(unit, "m/s^2").is_none() {
                let help = "a response spectrum needs an acceleration, such as that of the ground; --spectrum fourier takes any channel";
                return Err(Refusal::new(format!("{} is not an acceleration", stored::label(one.name, unit)), help));
            }
            let record =
                Record::new(second - first, history, Quantity::Acceleration).map_err(|e| refused(e.to_string()))?;
            let periods = log_periods(0.05, 5.0, 200);
            // Linear in the record, so any unit goes in and comes out.
            let found = record.response_spectrum(&periods, DAMPING).map_err(|e| refused(e.to_string()))?;
            periods.into_iter().zip(found.psa).collect()
        }
    };
    Ok(Curve::line("", points))
}
