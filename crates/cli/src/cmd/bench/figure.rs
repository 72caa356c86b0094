//! The figure of a benchmark: J4 and J6 of every test, and the first one in time.

use interfield_lab::vrths::{Histories, RATE};
use interfield_report::{Axis, BLACK, Curve, Figure, Order, Panel, Style};

use super::vrths::Tested;

/// Seconds shown around the largest motion.
const AROUND: f64 = 2.0;

/// The figure.
pub(super) fn figure(controller: &str, found: &[Tested]) -> Figure {
    let mut panels = vec![bars(controller, found)];
    if let Some((test, histories)) = found.iter().find_map(|t| t.histories.as_ref().map(|h| (t, h))) {
        panels.extend([specimen(test, histories), second_floor(test, histories)]);
    }
    Figure { width: 900.0, slenderness: 0.28, ..Figure::new(panels) }
}

/// J4 and J6; of perturbed plants the largest. A lost test has no bars, and a cross at its case.
fn bars(controller: &str, found: &[Tested]) -> Panel {
    let mut names: Vec<&str> = Vec::new();
    for test in found {
        if !names.contains(&test.name.as_str()) {
            names.push(&test.name);
        }
    }
    let of = |name: &&str| -> Vec<&Tested> { found.iter().filter(|t| t.name == *name).collect() };
    let label = |name: &&str| {
        let tests = of(name);
        // The motion is named once, at its first case.
        let label = if tests[0].case == 1 { (*name).to_owned() } else { tests[0].case.to_string() };
        if tests.iter().any(|t| !t.stable()) { format!("{label} ×") } else { label }
    };
    let largest =
        |name: &&str, j: usize| of(name).iter().filter(|t| t.stable()).map(|t| t.criteria[j]).fold(0.0, f64::max);
    let bars = |what: &str, j: usize| {
        let points = names.iter().enumerate().map(|(i, name)| (i as f64, largest(name, j))).collect();
        Curve::line(what, points).style(Style::Bars)
    };
    Panel {
        title: format!("{controller}: error against the reference by motion and case (×: unstable)"),
        x: Axis::of_names("", names.iter().map(label).collect()),
        y: Axis::new("root mean square", "%"),
        curves: vec![bars("J4: specimen", 3), bars("J6: second floor", 5)],
        ..Panel::default()
    }
}

/// A history in mm from one sample to another.
fn points(values: impl Fn(usize) -> f64, from: usize, to: usize) -> Vec<(f64, f64)> {
    (from..to).map(|k| (k as f64 / RATE, 1e3 * values(k))).collect()
}

fn over_time(title: String, quantity: &str, curves: Vec<Curve>) -> Panel {
    let (x, y) = (Axis::new("time", "s"), Axis::new(quantity, "mm"));
    Panel { title, x, y, order: Order::Time, curves, ..Panel::default() }
}

fn specimen(test: &Tested, h: &Histories) -> Panel {
    let peak =
        (0..h.measured.len()).max_by(|i, j| h.reference[0][*i].abs().total_cmp(&h.reference[0][*j].abs())).unwrap_or(0);
    let around = (AROUND * RATE) as usize;
    let (from, to) = (peak.saturating_sub(around), (peak + around).min(h.measured.len()));
    let curves = vec![
        Curve::line("measured", points(|k| h.measured[k], from, to)),
        // Upon what was measured, whose noise would fill the gaps between dashes.
        Curve::line("reference", points(|k| h.reference[0][k], from, to)).style(Style::Dashed).colour(BLACK),
    ];
    over_time(format!("{}: specimen near the peak response", test.name), "displacement", curves)
}

fn second_floor(test: &Tested, h: &Histories) -> Panel {
    let error = points(|k| h.floors[1][k] - h.reference[1][k], 0, h.measured.len());
    let title = format!("{}: second floor, test minus reference", test.name);
    over_time(title, "error", vec![Curve::line("", error)])
}
