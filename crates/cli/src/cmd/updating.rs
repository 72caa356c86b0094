//! The picture of a rehearsal of online updating: responses against the truth, and how much smaller errors are over many truths.

use interfield::updating::Rehearsed;
use interfield_language::units::Dimension;
use interfield_report::{Axis, Curve, Figure, Order, Panel, Style};

/// Most channels.
const PANELS: usize = 3;

pub(super) fn figure(rehearsed: &Rehearsed) -> Figure {
    let (own, units) = (&rehearsed.own, &rehearsed.model().units);
    let (t, histories) = &own.histories;
    let panel = |((name, [none, with]), [truth, without, learned]): (&(String, [f64; 2]), &[Vec<f64>; 3])| {
        let force = name.ends_with(".force");
        let dim = if force { Dimension::FORCE } else { Dimension::LENGTH };
        let factor = units.factor(dim);
        let points = |x: &[f64]| t.iter().zip(x).map(|(t, x)| (*t, x / factor)).collect::<Vec<_>>();
        Panel {
            title: format!("{name}: error {:.1} % without updating, {:.1} % with it", 100.0 * none, 100.0 * with),
            x: Axis::new("time", "s"),
            y: Axis::new(if force { "force" } else { "displacement" }, &units.label(dim)),
            curves: vec![
                Curve::line("truth", points(truth)),
                Curve::line("without updating", points(without)).style(Style::Dashed),
                Curve::line("with updating", points(learned)),
            ],
            order: Order::Time,
            ..Panel::default()
        }
    };
    let mut panels: Vec<Panel> = own.errors.iter().zip(histories).take(PANELS).map(panel).collect();
    let all = rehearsed.reductions();
    if !all.is_empty() {
        let share = |i: usize| 100.0 * (i as f64 + 0.5) / all.len() as f64;
        let points = all.iter().enumerate().map(|(i, r)| (share(i), *r)).collect();
        panels.push(Panel {
            title: format!("{} truths: error without updating over that with it", all.len()),
            x: Axis::new("part of the truths", "%"),
            y: Axis::new("smaller by", "").log(),
            curves: vec![
                Curve::line("", points),
                Curve::line("no better, no worse", vec![(0.0, 1.0), (100.0, 1.0)]).style(Style::Dashed),
            ],
            order: Order::Sorted,
            ..Panel::default()
        });
    }
    Figure { width: 900.0, slenderness: 0.3, ..Figure::new(panels) }
}
