//! Panels of an ensemble, for files and for its page: bands of a channel over time, curves of an incremental dynamic analysis,
//! and fragility curves with what was counted.

use interfield_ensemble::fragility::Fit;
use interfield_report::{Axis, BLACK, Curve, Mark, Order, Panel, Style};

use super::findings::{Findings, Fragility, Ida};

/// Points of a fragility curve.
const CURVE: usize = 120;
/// Numbers of blue and light blue.
const BLUE: usize = 0;
const LIGHT: usize = 5;

/// Median, and the bounds of 68 % and 90 % of all runs, over time.
pub(super) fn bands(findings: &Findings<'_>, channel: usize) -> Panel {
    let bands = &findings.bands[channel];
    let series = |q: usize| bands.iter().map(|b| b.quantiles[q]).collect::<Vec<f64>>();
    let median: Vec<(f64, f64)> = (0..).map(|k| f64::from(k) * findings.interval).zip(series(2)).collect();
    let band = |name: &str, low: usize, high: usize, colour: usize| {
        Curve::line(name, median.clone()).style(Style::Band { low: series(low), high: series(high) }).colour(colour)
    };
    let c = &findings.model.channels[channel];
    Panel {
        title: c.name.clone(),
        x: Axis::new("time", "s"),
        y: Axis::new(&c.name, &c.unit),
        order: Order::Time,
        curves: vec![
            band("5 to 95 % of the runs", 0, 4, LIGHT),
            band("16 to 84 %", 1, 3, BLUE),
            Curve::line("median", median.clone()).colour(BLACK),
        ],
        ..Panel::default()
    }
}

/// Curves that are named in the legend.
const NAMED: usize = 6;

/// Where the demand axis ends: a little beyond the largest demand that is no collapse.
fn demand_end(ida: &Ida) -> f64 {
    let points = || ida.curves.iter().flat_map(|(_, c)| &c.points);
    let stands = points().filter(|p| !p.collapsed).map(|p| p.demand).fold(0.0, f64::max);
    let any = points().map(|p| p.demand).filter(|d| d.is_finite()).fold(0.0, f64::max);
    1.1 * if stands > 0.0 { stands } else { any }.max(f64::MIN_POSITIVE)
}

fn demand_axis(ida: &Ida, end: f64) -> Axis {
    Axis::new(&ida.demand.words, &ida.demand.unit).over(0.0, end)
}

fn intensity_axis(findings: &Findings<'_>, ida: &Ida) -> Axis {
    let top = ida.curves.iter().flat_map(|(_, c)| &c.points).map(|p| p.intensity).fold(0.0, f64::max);
    Axis::new(&findings.intensity.words, &findings.intensity.unit).over(0.0, 1.06 * top)
}

/// Limits of the demand that is drawn, as lines.
fn limit_marks(findings: &Findings<'_>, ida: &Ida, end: f64) -> Vec<Mark> {
    let drawn = findings.limits.iter().filter(|l| l.demand == ida.demand && l.threshold <= end);
    drawn.map(|l| Mark::Vertical(l.threshold, l.text.clone())).collect()
}

/// The curves of all ground motions with the fractiles of the intensity at each demand. A flat line is where one collapses.
pub(super) fn curves(findings: &Findings<'_>, ida: &Ida) -> Panel {
    let end = demand_end(ida);
    let mut curves = Vec::new();
    for (i, (name, c)) in ida.curves.iter().enumerate() {
        let standing = c.points.iter().take_while(|p| !p.collapsed);
        let mut points: Vec<(f64, f64)> =
            [(0.0, 0.0)].into_iter().chain(standing.map(|p| (p.demand, p.intensity))).collect();
        let flat = c.collapse();
        if flat.high.is_finite() && flat.low > 0.0 {
            points.push((end, flat.low));
        }
        let named = ida.curves.len() <= NAMED;
        let line = Curve::line(if named { name } else { "" }, points).colour(if named { i % NAMED } else { LIGHT });
        curves.push(line.style(Style::Line));
    }
    for (q, (name, style)) in
        [("16 %", Style::Dashed), ("median", Style::Line), ("84 %", Style::Dashed)].into_iter().enumerate()
    {
        let at = |(demand, values): &(f64, [f64; 3])| (*demand, values[q]);
        let points: Vec<(f64, f64)> = [(0.0, 0.0)]
            .into_iter()
            .chain(ida.at_demands.iter().map(at))
            .filter(|p| p.1.is_finite() && p.0 <= end)
            .collect();
        curves.push(Curve::line(name, points).style(style).colour(BLACK));
    }
    Panel {
        title: "IDA curves".to_owned(),
        x: demand_axis(ida, end),
        y: intensity_axis(findings, ida),
        order: Order::Free,
        curves,
        marks: limit_marks(findings, ida, end),
        note: "One curve for each ground motion; flat where it collapses. The lines 16 %, median and 84 % are fractiles of the intensity at which a demand is reached."
            .to_owned(),
        ..Panel::default()
    }
}

/// The demands of all runs at each intensity with their fractiles. Runs that collapse stand at the end.
pub(super) fn stripes(findings: &Findings<'_>, ida: &Ida) -> Panel {
    let end = demand_end(ida);
    let points = || ida.curves.iter().flat_map(|(_, c)| &c.points);
    let stands = points().filter(|p| !p.collapsed).map(|p| (p.demand, p.intensity)).collect();
    let collapsed: Vec<(f64, f64)> = points().filter(|p| p.collapsed).map(|p| (0.985 * end, p.intensity)).collect();
    let mut curves = vec![Curve::line("runs", stands).style(Style::Points).colour(BLUE)];
    if !collapsed.is_empty() {
        curves.push(Curve::line("collapsed (demand beyond the axis)", collapsed).style(Style::Points).colour(1));
    }
    let stripes = &ida.quantities[0].stripes;
    for (q, (name, style)) in
        [("16 %", Style::Dashed), ("median", Style::Line), ("84 %", Style::Dashed)].into_iter().enumerate()
    {
        let at = stripes.iter().map(|s| (s.fractiles[q], s.intensity)).filter(|p| p.0.is_finite());
        curves.push(Curve::line(name, [(0.0, 0.0)].into_iter().chain(at).collect()).style(style).colour(BLACK));
    }
    Panel {
        title: "Stripes".to_owned(),
        x: demand_axis(ida, end),
        y: intensity_axis(findings, ida),
        order: Order::Free,
        curves,
        marks: limit_marks(findings, ida, end),
        note: "The lines are fractiles of the demand at each intensity, a collapse counted as infinite.".to_owned(),
        ..Panel::default()
    }
}

/// Points of a fitted curve between the smallest and the largest intensity, and a little beyond.
fn fitted(f: &Fragility, fit: &Fit) -> Option<Vec<(f64, f64)>> {
    let (first, last) = (f.stripes.first()?, f.stripes.last()?);
    let (from, to) = (0.5 * first.intensity, 1.1 * last.intensity);
    let x = |i: usize| from + (to - from) * i as f64 / CURVE as f64;
    Some((0..=CURVE).map(|i| (x(i), fit.probability(x(i)))).collect())
}

/// All limits in one panel: what was counted with its 95 % confidence, and the fitted curves.
pub(super) fn fragility(findings: &Findings<'_>) -> Panel {
    let mut curves = Vec::new();
    for (i, f) in findings.fragility.iter().enumerate() {
        let (low, high) = f.stripes.iter().map(|s| s.interval).unzip();
        let counted = f.stripes.iter().map(|s| (s.intensity, s.fraction())).collect();
        let curve = f.fit.as_ref().ok().and_then(|fit| fitted(f, fit));
        let by_curves = f.capacity_fit.as_ref().and_then(|fit| fitted(f, fit.as_ref().ok()?));
        // The limit is told once.
        let name = if curve.is_some() { "" } else { &f.limit };
        curves.push(Curve::line(name, counted).style(Style::Whiskers { low, high }).colour(i));
        curves.extend(curve.map(|points| Curve::line(&f.limit, points).colour(i)));
        let name = format!("{}, from IDA curves", f.limit);
        curves.extend(by_curves.map(|points| Curve::line(name, points).style(Style::Dashed).colour(i)));
    }
    Panel {
        title: "Fragility".to_owned(),
        x: Axis::new(&findings.intensity.words, &findings.intensity.unit),
        y: Axis::new("fraction above the limit", "").over(-0.02, 1.02),
        order: Order::Sorted,
        curves,
        note: "Points: fractions of the runs with their 95 % confidence by Wilson. Lognormal curves: from the counts by maximum likelihood; dashed from the intensity at which the curve of each ground motion reaches the limit."
            .to_owned(),
        ..Panel::default()
    }
}
