//! Figures of an ensemble as SVG: bands of a channel over time, and fragility curves with what was counted.

use kuva::backend::svg::SvgBackend;
use kuva::plot::scatter::ScatterPlot;
use kuva::plot::{BandPlot, LegendPosition, LinePlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;

use super::findings::{Findings, Fragility};
use crate::plot::COLOURS;
use crate::stored::label;

/// Width and height in pixels.
const SIZE: (f64, f64) = (720.0, 380.0);
/// Points of a fragility curve.
pub(super) const CURVE: usize = 120;

fn svg(plots: Vec<Plot>, x: &str, y: &str, legend: LegendPosition, height: Option<(f64, f64)>) -> String {
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(x)
        .with_y_label(y)
        .with_width(SIZE.0)
        .with_height(SIZE.1)
        .with_label_size(14)
        .with_tick_size(12)
        .with_legend_position(legend);
    if let Some((from, to)) = height {
        layout = layout.with_y_axis_min(from).with_y_axis_max(to);
    }
    SvgBackend.render_scene(&render_multiple(plots, layout))
}

/// Median, and the bounds of 68 % and 90 % of all runs, over time.
pub(super) fn bands(findings: &Findings<'_>, channel: usize) -> String {
    let bands = &findings.bands[channel];
    let times: Vec<f64> = (0..bands.len()).map(|k| k as f64 * findings.interval).collect();
    let series = |q: usize| bands.iter().map(|b| b.quantiles[q]).collect::<Vec<f64>>();
    let band = |low: usize, high: usize, opacity: f64| {
        let plot = BandPlot::new(times.iter().copied(), series(low), series(high));
        Plot::Band(plot.with_color(COLOURS[0]).with_opacity(opacity))
    };
    let median = LinePlot::new().with_data(times.iter().copied().zip(series(2))).with_color(COLOURS[1]);
    let plots = vec![
        band(0, 4, 0.18),
        band(1, 3, 0.3),
        Plot::Line(median.with_stroke_width(1.2).with_legend("median, 16 to 84 %, 5 to 95 % of the runs")),
    ];
    let c = &findings.model.channels[channel];
    svg(plots, "time [s]", &label(&c.name, &c.unit), LegendPosition::InsideTopRight, None)
}

/// Points of the fitted curve between the smallest and the largest intensity, and a little beyond.
pub(super) fn curve(f: &Fragility) -> Vec<(f64, f64)> {
    let (Ok(fit), Some(first), Some(last)) = (&f.fit, f.stripes.first(), f.stripes.last()) else { return Vec::new() };
    let (from, to) = (0.5 * first.intensity, 1.1 * last.intensity);
    let x = |i: usize| from + (to - from) * i as f64 / CURVE as f64;
    (0..=CURVE).map(|i| (x(i), fit.probability(x(i)))).collect()
}

/// All limits in one figure: what was counted with its 95 % confidence, and the fitted curves.
pub(super) fn fragility(findings: &Findings<'_>) -> String {
    let mut plots = Vec::new();
    for (i, f) in findings.fragility.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points = f.stripes.iter().map(|s| (s.intensity, s.fraction()));
        let errors = f.stripes.iter().map(|s| (s.fraction() - s.interval.0, s.interval.1 - s.fraction()));
        let counted =
            ScatterPlot::new().with_data(points).with_y_err_asymmetric(errors).with_color(colour).with_size(4.0);
        let line = LinePlot::new().with_data(curve(f)).with_color(colour).with_stroke_width(1.6);
        if f.fit.is_ok() {
            plots.extend([Plot::Scatter(counted), Plot::Line(line.with_legend(f.limit.clone()))]);
        } else {
            plots.push(Plot::Scatter(counted.with_legend(f.limit.clone())));
        }
    }
    let x = label(&findings.intensity.name, &findings.intensity.unit);
    svg(plots, &x, "fraction of runs that exceed", LegendPosition::InsideBottomRight, Some((-0.02, 1.02)))
}
