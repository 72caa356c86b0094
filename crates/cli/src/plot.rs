//! Figures as SVG or PNG: lines with labelled axes, in colours that everybody can tell apart.

use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{LegendPosition, LinePlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::{Scene, render_multiple};

/// Colours of M. Okabe and K. Ito, distinguishable with colour-blind eyes.
pub(crate) const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// What SVG and CSS mean by a pixel.
pub(crate) const PIXELS_PER_INCH: f64 = 96.0;

/// Figures below this width in pixels stand in a column.
const NARROW: f64 = 420.0;

/// One figure.
pub(crate) struct Figure<'a> {
    /// Title above the plot, may be empty.
    pub title: &'a str,
    /// Label of the horizontal axis, with its unit.
    pub x: &'a str,
    /// Label of the vertical axis, with its unit.
    pub y: &'a str,
    /// Logarithmic horizontal axis.
    pub log_x: bool,
    /// Width and height in pixels.
    pub size: (f64, f64),
    /// Lines with their legends (empty: none).
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Figure<'_> {
    /// The figure as SVG text.
    pub(crate) fn svg(self) -> String {
        SvgBackend.render_scene(&self.scene(false))
    }

    /// The figure as a PNG file with so many dots per inch, a pixel of its size being 1/96 inch.
    pub(crate) fn png(self, dpi: f64) -> Result<Vec<u8>, String> {
        RasterBackend { scale: (dpi / PIXELS_PER_INCH) as f32 }.render_scene(&self.scene(false))
    }

    /// The figure as SVG text; all lines but the first are dashed, so that those beneath can be seen.
    pub(crate) fn overlay_svg(self) -> String {
        SvgBackend.render_scene(&self.scene(true))
    }

    fn scene(self, dashed: bool) -> Scene {
        // In a narrow column labels keep the size of small print, 8 points, and lines become finer.
        let narrow = self.size.0 < NARROW;
        let (label, tick, title, stroke) = if narrow { (11, 10, 12, 1.0) } else { (14, 12, 15, 1.4) };
        let plots: Vec<Plot> = self
            .lines
            .into_iter()
            .enumerate()
            .map(|(i, (legend, points))| {
                let points = points.into_iter().filter(|p| p.0.is_finite() && p.1.is_finite());
                let line =
                    LinePlot::new().with_data(points).with_color(COLOURS[i % COLOURS.len()]).with_stroke_width(stroke);
                let line = if dashed && i > 0 { line.with_dashed() } else { line };
                Plot::Line(if legend.is_empty() { line } else { line.with_legend(legend) })
            })
            .collect();
        let mut layout = Layout::auto_from_plots(&plots)
            .with_x_label(self.x)
            .with_y_label(self.y)
            .with_width(self.size.0)
            .with_height(self.size.1)
            .with_label_size(label)
            .with_tick_size(tick)
            .with_title_size(title)
            // Beside the plot it would take a third of a narrow figure; responses decay, so this corner is mostly free.
            .with_legend_position(LegendPosition::InsideTopRight);
        if !self.title.is_empty() {
            layout = layout.with_title(self.title);
        }
        if self.log_x {
            layout = layout.with_log_x();
        }
        render_multiple(plots, layout)
    }
}

/// Figures of one width, one below the other.
pub(crate) fn stack(figures: &[String], (width, height): (f64, f64)) -> String {
    let total = height * figures.len() as f64;
    let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{total}\">\n");
    for (i, figure) in figures.iter().enumerate() {
        let place = format!("<svg y=\"{}\" ", height * i as f64);
        out += &with_own_names(figure, i).replacen("<svg ", &place, 1);
        out += "\n";
    }
    out + "</svg>\n"
}

/// A figure whose definitions have names of their own, for a document with several figures.
pub(crate) fn with_own_names(figure: &str, number: usize) -> String {
    figure.replace("kuva-clip-", &format!("clip-{number}-"))
}
