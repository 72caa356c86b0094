//! Compensators: how far from its target a specimen is behind an actuator that is late, with each of them and with none.

use interfield_lab::compensate::{Argument, Arguments, COMPENSATIONS, Compensation, CompensationInfo, find};
use interfield_report::{Axis, BLACK, Curve, Figure, Order, Panel, Style};

/// Samples per second.
const RATE: f64 = 2000.0;
/// By how much the actuator is late, s: two lags of first order, half of it each.
const LATE: f64 = 0.012;
/// What is shown, s.
const END: f64 = 4.0;

/// A picture of each.
pub(crate) fn all() -> Result<Vec<(String, String)>, String> {
    let none =
        find("none").and_then(|info| made(info).ok()).ok_or("there is no test without compensation to compare with")?;
    let none = errors(&none);
    let draw = |info: &CompensationInfo| Ok((format!("compensator-{}", info.name), picture(info, &none)?));
    COMPENSATIONS.iter().map(draw).collect()
}

/// With the delay of the actuator, or half of it for one that learns the rest.
fn made(info: &CompensationInfo) -> Result<Compensation, String> {
    let delay = LATE * if info.adaptive { 0.5 } else { 1.0 };
    let given = [("delay", Argument::Number(delay))];
    let given = if info.parameters.iter().any(|p| p.name == "delay") { &given[..] } else { &[] };
    (info.build)(Arguments(given)).map_err(|e| format!("compensator {}: {} is needed", info.name, e.name))
}

fn picture(info: &CompensationInfo, none: &[(f64, f64)]) -> Result<String, String> {
    let mut curves = vec![Curve::line("none", none.to_vec()).style(Style::Dashed).colour(BLACK)];
    if info.name != "none" {
        curves.push(Curve::line(info.name, errors(&made(info)?)).colour(0));
    }
    let panel = Panel {
        x: Axis::new("time", "s").over(0.0, END),
        y: Axis::new("error of the specimen", "mm"),
        order: Order::Sorted,
        curves,
        ..Panel::default()
    };
    Ok(Figure { width: 520.0, slenderness: 0.4, ..Figure::new(vec![panel]) }.svg())
}

/// Where the specimen should be, m: two harmonics, from rest.
fn target(t: f64) -> f64 {
    let wave = |f: f64| (std::f64::consts::TAU * f * t).sin();
    t.min(1.0) * (5e-3 * wave(1.1) + 2e-3 * wave(3.7))
}

/// What the specimen is wrong by, mm over s.
fn errors(compensation: &Compensation) -> Vec<(f64, f64)> {
    let compensator = compensation.design(1.0 / RATE);
    let mut memory = vec![0.0; compensator.memory()];
    let share = 1.0 - (-1.0 / RATE / (LATE / 2.0)).exp();
    let (mut valve, mut measured) = (0.0, 0.0);
    let mut points = Vec::new();
    for i in 0..(END * RATE) as u32 {
        let t = f64::from(i) / RATE;
        let command = compensator.command(&mut memory, target(t), measured);
        measured += share * (valve - measured);
        valve += share * (command - valve);
        if i % 20 == 0 {
            points.push((t, (measured - target(t)) * 1e3));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest error from 2 s on, mm.
    fn late(info: &CompensationInfo) -> f64 {
        errors(&made(info).unwrap()).iter().filter(|p| p.0 > 2.0).map(|p| p.1.abs()).fold(0.0, f64::max)
    }

    #[test]
    fn every_compensator_leaves_less_than_none() {
        let none = late(find("none").unwrap());
        // Of two harmonics of 5 and 2 mm, ω LATE of each.
        let expected = std::f64::consts::TAU * LATE * (1.1 * 5.0 + 3.7 * 2.0);
        assert!((none / expected - 1.0).abs() < 0.1, "{none} {expected}");
        for info in COMPENSATIONS.iter().filter(|i| i.name != "none") {
            assert!(late(info) < 0.5 * none, "{}: {} of {none}", info.name, late(info));
        }
    }
}
