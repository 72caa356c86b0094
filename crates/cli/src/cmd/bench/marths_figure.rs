//! The figure of the multi-axial benchmark: criteria of every motion, and the first test in time.

use interfield_lab::marths::{CRITERIA, Histories, RATE};
use interfield_report::{Axis, BLACK, Curve, Figure, Order, Panel, Style};

use super::marths::Tested;

/// Seconds shown around the largest motion.
const AROUND: f64 = 1.5;

/// The figure.
pub(super) fn figure(controller: &str, found: &[Tested]) -> Figure {
    let mut panels = vec![bars(controller, found)];
    if let Some((test, h)) = found.iter().find_map(|t| t.histories.as_ref().map(|h| (t, h))) {
        panels.extend([strokes(&test.motion, h), joint(&test.motion, h)]);
    }
    Figure { width: 900.0, slenderness: 0.28, ..Figure::new(panels) }
}

/// J2 to J10 without the delays, for each motion; of perturbed plants the largest. A motion with a lost test has a cross.
fn bars(controller: &str, found: &[Tested]) -> Panel {
    let errors: Vec<usize> = (0..CRITERIA.len()).filter(|j| CRITERIA[*j].1 == "%").collect();
    let mut motions: Vec<&str> = Vec::new();
    for test in found {
        if !motions.contains(&test.motion.as_str()) {
            motions.push(&test.motion);
        }
    }
    let curves = motions.iter().map(|motion| {
        let of = || found.iter().filter(|t| t.motion == *motion);
        let largest = |j: usize| of().filter(|t| t.stable()).map(|t| t.criteria.largest()[j]).fold(0.0, f64::max);
        let points = errors.iter().enumerate().map(|(i, j)| (i as f64, largest(*j))).collect();
        let name = if of().all(Tested::stable) { (*motion).to_owned() } else { format!("{motion} ×") };
        Curve::line(name, points).style(Style::Bars)
    });
    Panel {
        title: format!("{controller}: criteria by motion (×: unstable)"),
        x: Axis::of_names("", errors.iter().map(|j| CRITERIA[*j].0.to_owned()).collect()),
        y: Axis::new("error", "%"),
        curves: curves.collect(),
        ..Panel::default()
    }
}

/// A part of a history around the largest target.
fn near_peak(h: &Histories) -> (usize, usize) {
    let samples = h.targets[0].len();
    let peak = (0..samples).max_by(|i, j| h.targets[0][*i].abs().total_cmp(&h.targets[0][*j].abs())).unwrap_or(0);
    let around = (AROUND * RATE) as usize;
    (peak.saturating_sub(around), (peak + around).min(samples))
}

fn strokes(motion: &str, h: &Histories) -> Panel {
    let (from, to) = near_peak(h);
    let points = |values: &[f64]| (from..to).map(|k| (k as f64 / RATE, 1e3 * values[k])).collect::<Vec<_>>();
    let curves = (0..h.targets.len()).flat_map(|i| {
        [
            Curve::line(format!("actuator {}", i + 1), points(&h.measured[i])).colour(i),
            Curve::line(if i == 0 { "targets" } else { "" }, points(&h.targets[i])).style(Style::Dashed).colour(BLACK),
        ]
    });
    Panel {
        title: format!("{motion}: strokes near the peak"),
        x: Axis::new("time", "s"),
        y: Axis::new("displacement", "mm"),
        order: Order::Time,
        curves: curves.collect(),
        ..Panel::default()
    }
}

fn joint(motion: &str, h: &Histories) -> Panel {
    let error = |i: usize| {
        let points = (0..h.joint[i].len()).map(|k| (k as f64 / RATE, 1e3 * (h.joint[i][k] - h.built[i][k])));
        Curve::line(["x [mm]", "rotation [mrad]"][i], points.collect())
    };
    Panel {
        title: format!("{motion}: estimated joint, test minus reference"),
        x: Axis::new("time", "s"),
        y: Axis::new("error", "mm, mrad"),
        order: Order::Time,
        curves: vec![error(0), error(1)],
        ..Panel::default()
    }
}
