//! Panels of an ensemble, for files and for its page: bands of a channel over time, and fragility curves with what was counted.

use interfield_report::{Axis, BLACK, Curve, Order, Panel, Style};

use super::findings::{Findings, Fragility};

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

/// Points of the fitted curve between the smallest and the largest intensity, and a little beyond.
fn fitted(f: &Fragility) -> Option<Vec<(f64, f64)>> {
    let (Ok(fit), Some(first), Some(last)) = (&f.fit, f.stripes.first(), f.stripes.last()) else { return None };
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
        let curve = fitted(f);
        // The limit is told once.
        let name = if curve.is_some() { "" } else { &f.limit };
        curves.push(Curve::line(name, counted).style(Style::Whiskers { low, high }).colour(i));
        curves.extend(curve.map(|points| Curve::line(&f.limit, points).colour(i)));
    }
    Panel {
        x: Axis::new(&findings.intensity.name, &findings.intensity.unit),
        y: Axis::new("fraction of runs above the limit", "").over(-0.02, 1.02),
        order: Order::Sorted,
        curves,
        note: "Counted fractions with their 95 % confidence by Wilson; lognormal curves by maximum likelihood."
            .to_owned(),
        ..Panel::default()
    }
}
