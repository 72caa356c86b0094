//! The curves of a report, gathered in one pass over the rows of a run, in bounded memory whatever its length.

use interfield_motion::{LongSignal, Quantity, Record, log_periods};
use interfield_report::thin::Thinner;
use interfield_report::{Axis, Block, Curve, Order, Panel};
use interfield_results::{ChannelInfo, Error, Reader};

use crate::stored::measured;
use interfield::Ranges;
use interfield_language::parse::pushover::{FACTOR, SHEAR};

/// Most points of all histories of a page (eight bytes each), and of one: a page has some megabytes, whatever the run.
const POINTS: usize = 400_000;
const HISTORY: usize = 100_000;

/// Most points of all hysteresis loops, and most loops and spectra of a page.
const LOOP: usize = 160_000;
const LOOPS: usize = 24;
const SPECTRA: usize = 12;

/// Curves in one plot: as many as there are colours.
const TOGETHER: usize = 6;

/// Lines of a spectrum that are kept as they are; more, at high frequencies, are thinned.
const LINES: usize = 2000;

/// Longest ground motion for which a response spectrum is computed.
const MOTION: usize = 50_000;

/// What a loop has on its vertical axis: the quantity, how the name of its channel says it, and how that of the partner does.
const LOOPED: [(&str, &str, &str); 6] = [
    ("force", ".force", ".deformation"),
    ("moment", ".moment_y", ".curvature_y"),
    ("moment", ".moment", ".curvature"),
    ("axial force", ".axial", ".elongation"),
    ("torque", ".torque", ".twist"),
    ("stress", ".stress", ".strain"),
];

/// The name of a channel without its quantity, if it is one that loops have on their vertical axis, and the name of its partner.
fn looped(channel: &ChannelInfo) -> Option<(String, String)> {
    let known = LOOPED.iter().find(|(quantity, own, _)| channel.quantity == *quantity && channel.name.contains(own));
    known.map(|(_, own, other)| (channel.name.replacen(own, "", 1), channel.name.replacen(own, other, 1)))
}

/// What one channel is called, as results say it.
const ENERGY: &str = "energy";
const LOAD: &str = "load";

/// The curves.
pub(crate) struct Curves {
    channels: Vec<ChannelInfo>,
    /// Extremes of the channels.
    pub ranges: Ranges,
    histories: Vec<Thinner>,
    /// Channels of deformation and force.
    loops: Vec<(usize, usize, Thinner)>,
    /// Of a push: channels of displacement and load.
    pushed: Option<(usize, usize, Thinner)>,
    signals: Vec<(usize, LongSignal)>,
    times: [Option<f64>; 2],
}

impl Curves {
    /// Nothing yet.
    pub(crate) fn new(channels: &[ChannelInfo]) -> Self {
        let each = (POINTS / channels.len().max(1)).min(HISTORY) / 4;
        let partner = |c: &ChannelInfo| {
            let (_, name) = looped(c)?;
            channels.iter().position(|d| d.name == name)
        };
        let pairs: Vec<(usize, usize)> =
            channels.iter().enumerate().filter_map(|(i, c)| Some((partner(c)?, i))).take(LOOPS).collect();
        let room = (LOOP / pairs.len().max(1)).min(HISTORY) / 4;
        let loops = pairs.into_iter().map(|(x, y)| (x, y, Thinner::new(room)));
        let heard = |c: &ChannelInfo| {
            ["displacement", "interface force"].contains(&c.quantity.as_str()) || c.quantity.ends_with("acceleration")
        };
        let pushed = of_push(channels);
        let signals = channels.iter().enumerate().filter(|(_, c)| heard(c)).map(|(i, _)| (i, LongSignal::default()));
        Self {
            ranges: Ranges::new(channels.len()),
            histories: vec![Thinner::new(each); channels.len()],
            loops: loops.collect(),
            // A push has no frequencies.
            signals: signals.take(if pushed.is_some() { 0 } else { SPECTRA }).collect(),
            pushed: pushed.map(|(x, y)| (x, y, Thinner::new(HISTORY / 4))),
            times: [None; 2],
            channels: channels.to_vec(),
        }
    }

    /// The curves of a result file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn of(reader: &Reader) -> Result<Self, Error> {
        let mut curves = Self::new(reader.channels());
        let all: Vec<usize> = (0..reader.channels().len()).collect();
        let mut row = vec![0.0; all.len()];
        for chunk in reader.chunks(&all, 0) {
            let chunk = chunk?;
            for (i, &t) in chunk.time.iter().enumerate() {
                row.iter_mut().zip(&chunk.channels).for_each(|(x, c)| *x = c[i]);
                curves.push(t, &row);
            }
        }
        Ok(curves)
    }

    /// Takes a row. Never allocates.
    pub(crate) fn push(&mut self, t: f64, row: &[f64]) {
        match self.times {
            [None, _] => self.times[0] = Some(t),
            [_, None] => self.times[1] = Some(t),
            _ => {}
        }
        self.ranges.push(t, row.iter().copied());
        self.histories.iter_mut().zip(row).for_each(|(h, x)| h.push(t, *x));
        self.loops.iter_mut().for_each(|(x, y, thinner)| thinner.push(row[*x], row[*y]));
        self.pushed.iter_mut().for_each(|(x, y, thinner)| thinner.push(row[*x], row[*y]));
        self.signals.iter_mut().for_each(|(i, signal)| signal.push(row[*i]));
    }

    /// The channels.
    pub(crate) fn channels(&self) -> &[ChannelInfo] {
        &self.channels
    }

    /// Histories but for the energies: those of one quantity and unit together. What never moves is only named.
    pub(crate) fn histories(&self) -> Vec<Block> {
        let moves = |i: usize| (self.ranges.0[i].min, self.ranges.0[i].max) != (0.0, 0.0);
        let of_motion = |i: &usize| self.channels[*i].quantity != ENERGY;
        let (moving, still): (Vec<usize>, Vec<usize>) =
            (0..self.channels.len()).filter(of_motion).partition(|&i| moves(i));
        let mut blocks = self.grouped(&moving);
        if !still.is_empty() {
            let names: Vec<String> = still.iter().map(|&i| format!("`{}`", self.channels[i].name)).collect();
            blocks.push(Block::Text(format!("Zero during the whole run: {}.", names.join(", "))));
        }
        blocks
    }

    /// The energy balance.
    pub(crate) fn energies(&self) -> Vec<Block> {
        let energies: Vec<usize> = (0..self.channels.len()).filter(|&i| self.channels[i].quantity == ENERGY).collect();
        self.grouped(&energies)
    }

    fn grouped(&self, wanted: &[usize]) -> Vec<Block> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (i, c) in wanted.iter().map(|&i| (i, &self.channels[i])) {
            let same = |g: &&mut Vec<usize>| {
                let first = &self.channels[g[0]];
                g.len() < TOGETHER && (&first.quantity, &first.unit) == (&c.quantity, &c.unit)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(i),
                None => groups.push(vec![i]),
            }
        }
        let history = |group: Vec<usize>| {
            let first = &self.channels[group[0]];
            // Several have their names in the legend.
            let title = if group.len() > 1 { measured(first) } else { first.name.clone() };
            Block::Plot(Panel {
                title,
                x: Axis::new("time", "s"),
                y: Axis::new(measured(first), &first.unit),
                order: Order::Time,
                curves: group.iter().map(|&i| self.histories[i].curve(&self.channels[i].name)).collect(),
                ..Panel::default()
            })
        };
        groups.into_iter().map(history).collect()
    }

    /// Force over deformation of every element that has both; so of sections and fibres.
    pub(crate) fn loops(&self) -> Vec<Block> {
        let plot = |(x, y, thinner): &(usize, usize, Thinner)| {
            let (cx, cy) = (&self.channels[*x], &self.channels[*y]);
            Block::Plot(Panel {
                title: format!("{}: hysteresis", looped(cy).map_or_else(|| cy.name.clone(), |l| l.0)),
                x: Axis::new(measured(cx), &cx.unit),
                y: Axis::new(measured(cy), &cy.unit),
                curves: vec![thinner.curve(&cy.name)],
                ..Panel::default()
            })
        };
        self.loops.iter().map(plot).collect()
    }

    /// The curve of a push: load over the controlled displacement.
    pub(crate) fn pushed(&self) -> Vec<Block> {
        self.pushed.iter().map(|(x, y, thinner)| Block::Plot(push_panel(&self.channels, [*x, *y], thinner))).collect()
    }

    /// Fourier amplitudes of displacements and accelerations, and response spectra of ground motions.
    pub(crate) fn spectra(&self) -> Vec<Block> {
        let [Some(first), Some(second)] = self.times else { return Vec::new() };
        let dt = second - first;
        let mut plots: Vec<Panel> = Vec::new();
        for (i, signal) in &self.signals {
            let Ok(lines) = signal.fourier(dt) else { continue };
            if lines.iter().all(|l| l.1 == 0.0) {
                continue;
            }
            let (first, rest) = lines.split_at(LINES.min(lines.len()));
            let mut thinner = Thinner::new(LINES);
            rest.iter().for_each(|l| thinner.push(l.0, l.1));
            let points = [first.to_vec(), thinner.points()].concat();
            let curve = Curve::line(&self.channels[*i].name, points);
            let axis = Axis::new("Fourier amplitude", &times_second(&self.channels[*i].unit)).log();
            match plots.iter_mut().find(|p| p.y.unit == axis.unit && p.curves.len() < TOGETHER) {
                Some(plot) => plot.curves.push(curve),
                None => {
                    let mut note = "Computed from the recorded rows, without taper or padding.".to_owned();
                    if signal.block() > 1 {
                        note += &format!(" Computed from means of {} rows, with correction.", signal.block());
                    }
                    let x = Axis::new("frequency", "Hz").log();
                    let title = format!("Fourier amplitude: {}", measured(&self.channels[*i]));
                    let (order, curves) = (Order::Sorted, vec![curve]);
                    plots.push(Panel { title, x, y: axis, order, curves, note, ..Panel::default() });
                }
            }
        }
        plots.extend(self.response_spectra(dt));
        plots.into_iter().map(Block::Plot).collect()
    }

    /// Of loads that are accelerations and short enough.
    fn response_spectra(&self, dt: f64) -> Option<Panel> {
        let motions = self.channels.iter().zip(&self.histories).filter(|(c, h)| {
            c.quantity == LOAD && c.unit.ends_with("/s^2") && h.bucket() == 1 && h.taken() <= MOTION as u64
        });
        let periods = log_periods(0.05, 5.0, 120);
        let mut curves = Vec::new();
        let mut unit = String::new();
        for (channel, history) in motions.take(TOGETHER) {
            let values = history.points().into_iter().map(|p| p.1).collect();
            let record = Record::new(dt, values, Quantity::Acceleration).ok()?;
            // Linear in the record, so any unit goes in and comes out.
            let spectrum = record.response_spectrum(&periods, 0.05).ok()?;
            unit.clone_from(&channel.unit);
            curves.push(Curve::line(&channel.name, periods.iter().copied().zip(spectrum.psa).collect()));
        }
        (!curves.is_empty()).then(|| Panel {
            title: "Response spectrum of the ground motion, 5 % damping".to_owned(),
            x: Axis::new("period", "s").log(),
            y: Axis::new("pseudo-acceleration", &unit),
            order: Order::Sorted,
            curves,
            ..Panel::default()
        })
    }
}

/// The channels of displacement and load of a push.
pub(crate) fn of_push(channels: &[ChannelInfo]) -> Option<(usize, usize)> {
    let place = |name: &str| channels.iter().position(|c| c.name == name);
    let load = place(SHEAR).or_else(|| place(FACTOR))?;
    // The first channel of a push is what is led.
    (channels.first()?.quantity == "displacement").then_some((0, load))
}

fn push_panel(channels: &[ChannelInfo], [x, y]: [usize; 2], thinner: &Thinner) -> Panel {
    let (cx, cy) = (&channels[x], &channels[y]);
    let load = if cy.name == SHEAR { "base shear" } else { "load factor" };
    Panel {
        title: format!("{load} over {}", cx.name),
        x: Axis::new(format!("displacement {}", cx.name), &cx.unit),
        y: Axis::new(load, &cy.unit),
        curves: vec![thinner.curve(load)],
        ..Panel::default()
    }
}

/// The unit of an integral over time.
pub(crate) fn times_second(unit: &str) -> String {
    match unit {
        "" => "s".to_owned(),
        _ if unit.ends_with("/s^2") => unit.trim_end_matches("^2").to_owned(),
        _ => format!("{unit}*s"),
    }
}
