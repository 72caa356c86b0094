//! A panel with its curves, one for each file and channel, in one unit.

use interfield_motion::{LongSignal, Quantity, Record, log_periods};
use interfield_report::{Axis, Curve, Order, Panel, Style};
use interfield_results::ChannelInfo;

use super::wanted::Wanted;
use super::{Refusal, Source, Spectrum};
use crate::report::times_second;
use crate::stored::{self, Window, conversion, curve_within};

/// Colours before they come again, dashed.
const COLOURS: usize = 6;
/// Damping ratio of response spectra.
const DAMPING: f64 = 0.05;

/// What a curve is of.
pub(super) struct Told {
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
}

/// A channel of a file, its unit made that of the panel by a factor.
struct One<'a> {
    source: &'a Source,
    name: &'a str,
    channel: usize,
    factor: f64,
}

/// Draws what is wanted.
pub(super) fn panel(
    wanted: &Wanted,
    sources: &[Source],
    window: Window,
    spectrum: Option<Spectrum>,
    json: bool,
) -> Result<Drawn, Refusal> {
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
                None => history(&one, over, wanted, window, json)?,
                Some(kind) => transformed(&one, kind, window, json)?,
            };
            let rows = rows(&one, window, json)?;
            if rows == 0 {
                let message = format!("no row of `{}` is in the given time range", source.reader.path().display());
                return Err(Refusal::new(message, "--from and --to lie between two rows: choose more time"));
            }
            curve.name = legend;
            // What lies upon another leaves gaps to see it.
            curve.style = if number == 0 && curves.len() < COLOURS { Style::Line } else { Style::Dashed };
            curves.push(curve);
            let file = source.reader.path().display().to_string();
            told.push(Told { file, channel: name.clone(), unit: unit.to_owned(), rows });
        }
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
    Ok(Drawn { panel: Panel { x, y, order, curves, ..Panel::default() }, curves: told })
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

fn rows(one: &One, window: Window, json: bool) -> Result<u64, Refusal> {
    let mut count = 0;
    stored::rows(&one.source.reader, &[], window, |_, _| count += 1)
        .map_err(|e| Refusal::Said(stored::damaged(&e, json)))?;
    Ok(count)
}

/// The spectrum of the rows within the window.
fn transformed(one: &One, kind: Spectrum, window: Window, json: bool) -> Result<Curve, Refusal> {
    let (mut times, mut signal, mut values) = (Vec::new(), LongSignal::default(), Vec::new());
    stored::rows(&one.source.reader, &[one.channel], window, |t, row| {
        if times.len() < 2 {
            times.push(t);
        }
        match kind {
            Spectrum::Fourier => signal.push(row[0] * one.factor),
            Spectrum::Response => values.push(row[0] * one.factor),
        }
    })
    .map_err(|e| Refusal::Said(stored::damaged(&e, json)))?;
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
                Record::new(second - first, values, Quantity::Acceleration).map_err(|e| refused(e.to_string()))?;
            let periods = log_periods(0.05, 5.0, 200);
            // Linear in the record, so any unit goes in and comes out.
            let found = record.response_spectrum(&periods, DAMPING).map_err(|e| refused(e.to_string()))?;
            periods.into_iter().zip(found.psa).collect()
        }
    };
    Ok(Curve::line("", points))
}
