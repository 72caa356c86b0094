//! The curve of a structure that is pushed: its resistance over the displacement that is controlled.

use crate::scale::short;
use crate::{Axis, BLACK, Curve, Order, Panel, Style, printed};

/// The curve of a pushover or a cyclic test, from its points in their order. `events`: what happened where, such as the first yield; the
/// largest resistance is marked by itself.
pub fn capacity(x: Axis, y: Axis, path: Vec<(f64, f64)>, events: &[(String, (f64, f64))]) -> Panel {
    let finite = path.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite());
    let strongest = finite.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).filter(|p| p.1 != 0.0);
    let monotonic = path.windows(2).all(|w| w[1].0 >= w[0].0);
    let mut curves = vec![Curve::line(if events.is_empty() { "" } else { "resistance" }, path).colour(0)];
    let dot =
        |name: &str, at: (f64, f64), colour: usize| Curve::line(name, vec![at]).style(Style::Points).colour(colour);
    curves.extend(strongest.map(|p| dot(&format!("largest: {} {}", short(p.1), printed(&y.unit)), p, BLACK)));
    curves.extend(events.iter().enumerate().map(|(i, (name, at))| dot(name, *at, 1 + i % 5)));
    Panel { x, y, order: if monotonic { Order::Sorted } else { Order::Free }, curves, ..Panel::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_resistance_is_marked_whichever_way_it_points() {
        let path = vec![(0.0, 0.0), (1.0, 80.0), (-2.0, -123.45), (0.5, f64::NAN)];
        let panel = capacity(Axis::new("u", "mm"), Axis::new("V", "kN"), path, &[("first yield".into(), (1.0, 80.0))]);
        assert_eq!(panel.order, Order::Free, "a loop");
        assert_eq!(panel.curves[1].points, [(-2.0, -123.45)]);
        assert_eq!(panel.curves[1].name, "largest: -123.5 kN");
        assert_eq!(panel.curves[2].name, "first yield");
    }

    #[test]
    fn nothing_is_marked_where_nothing_resists() {
        assert_eq!(capacity(Axis::default(), Axis::default(), vec![(0.0, 0.0)], &[]).curves.len(), 1);
    }
}
