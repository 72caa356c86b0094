//! The figure of a benchmark: J4 and J6 of every test, and the first one in time.

use interfield_lab::vrths::{Histories, RATE};
use kuva::backend::svg::SvgBackend;
use kuva::plot::{BarPlot, LegendPosition};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;

use super::vrths::Tested;
use crate::plot::{COLOURS, Figure, stack};

/// Width and height of a panel, pixels.
const PANEL: (f64, f64) = (900.0, 300.0);
/// Seconds shown around the largest motion.
const AROUND: f64 = 2.0;
/// Points of a line at most.
const POINTS: usize = 4000;

/// As SVG text.
pub(super) fn draw(controller: &str, found: &[Tested]) -> String {
    let mut panels = vec![bars(controller, found)];
    if let Some((test, histories)) = found.iter().find_map(|t| t.histories.as_ref().map(|h| (t, h))) {
        panels.extend([specimen(test, histories), second_floor(test, histories)]);
    }
    stack(&panels, PANEL)
}

/// J4 and J6; of perturbed plants the largest. A lost test has no bars, and a cross at its case.
fn bars(controller: &str, found: &[Tested]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for test in found {
        if !names.contains(&test.name.as_str()) {
            names.push(&test.name);
        }
    }
    let mut plot = BarPlot::new();
    for name in names {
        let tests: Vec<&Tested> = found.iter().filter(|t| t.name == name).collect();
        let lost = tests.iter().any(|t| !t.stable());
        let largest = |j: usize| tests.iter().filter(|t| t.stable()).map(|t| t.criteria[j]).fold(0.0, f64::max);
        // The motion is named once, at its first case.
        let label = if tests[0].case == 1 { name.to_owned() } else { tests[0].case.to_string() };
        let label = if lost { format!("{label} ×") } else { label };
        plot = plot.with_group(label, vec![(largest(3), COLOURS[0]), (largest(5), COLOURS[1])]);
    }
    let plots = vec![Plot::Bar(plot.with_legend(vec!["J4: specimen", "J6: second floor"]))];
    let layout = Layout::auto_from_plots(&plots)
        .with_title(format!("{controller}: error against the reference by motion and case (×: lost)"))
        .with_y_label("root mean square [%]")
        .with_width(PANEL.0)
        .with_height(PANEL.1)
        .with_label_size(14)
        .with_tick_size(11)
        .with_title_size(15)
        .with_legend_position(LegendPosition::OutsideRightTop);
    SvgBackend.render_scene(&render_multiple(plots, layout))
}

/// Points of a history in mm from one sample to another, thinned evenly: they are far denser than a line needs.
fn line(values: impl Fn(usize) -> f64, from: usize, to: usize) -> Vec<(f64, f64)> {
    let every = (to.saturating_sub(from)).div_ceil(POINTS).max(1);
    (from..to).step_by(every).map(|k| (k as f64 / RATE, 1e3 * values(k))).collect()
}

fn specimen(test: &Tested, h: &Histories) -> String {
    let peak =
        (0..h.measured.len()).max_by(|i, j| h.reference[0][*i].abs().total_cmp(&h.reference[0][*j].abs())).unwrap_or(0);
    let around = (AROUND * RATE) as usize;
    let (from, to) = (peak.saturating_sub(around), (peak + around).min(h.measured.len()));
    Figure {
        title: &format!("{}: specimen around the largest motion", test.name),
        x: "t [s]",
        y: "displacement [mm]",
        log_x: false,
        size: PANEL,
        lines: vec![
            ("reference".to_owned(), line(|k| h.reference[0][k], from, to)),
            ("measured".to_owned(), line(|k| h.measured[k], from, to)),
        ],
    }
    .overlay_svg()
}

fn second_floor(test: &Tested, h: &Histories) -> String {
    Figure {
        title: &format!("{}: second floor, test less reference", test.name),
        x: "t [s]",
        y: "error [mm]",
        log_x: false,
        size: PANEL,
        lines: vec![(String::new(), line(|k| h.floors[1][k] - h.reference[1][k], 0, h.measured.len()))],
    }
    .svg()
}
