//! Names beside what they name, where they meet neither each other nor anything that is drawn.

use crate::letters::width;
use crate::scene::{Anchor, Colour, Point, Text};

/// Left, top, right and bottom.
pub(super) type Bounds = [f64; 4];

/// What is taken on a sheet.
#[derive(Default)]
pub(super) struct Labels {
    boxes: Vec<Bounds>,
    lines: Vec<(Point, Point)>,
    /// The sheet.
    edge: Bounds,
}

fn apart(a: &Bounds, b: &Bounds) -> bool {
    a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3]
}

/// Whether a line passes through a box (separating axes).
fn crosses(&(a, b): &(Point, Point), [left, top, right, bottom]: &Bounds) -> bool {
    if a.0.max(b.0) < *left || a.0.min(b.0) > *right || a.1.max(b.1) < *top || a.1.min(b.1) > *bottom {
        return false;
    }
    let side = |x: f64, y: f64| (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0);
    let corners = [side(*left, *top), side(*right, *top), side(*left, *bottom), side(*right, *bottom)];
    corners.iter().any(|c| *c <= 0.0) && corners.iter().any(|c| *c >= 0.0)
}

impl Labels {
    /// An empty sheet.
    pub(super) fn within(edge: Bounds) -> Self {
        Labels { edge, ..Labels::default() }
    }

    /// Nothing may be written there.
    pub(super) fn take(&mut self, bounds: Bounds) {
        self.boxes.push(bounds);
    }

    /// Nothing should be written across this line.
    pub(super) fn take_line(&mut self, points: &[Point]) {
        self.lines.extend(points.windows(2).map(|p| (p[0], p[1])));
    }

    /// A name beside a point, at least so far from it; `None` if there is no room for it.
    pub(super) fn place(&mut self, name: &str, (x, y): Point, gap: f64, size: f64, colour: Colour) -> Option<Text> {
        let (wide, up, down) = (width(name, size), 0.78 * size, 0.22 * size);
        let half = 0.5 * (up - down);
        let beside = |gap: f64| {
            [
                (x + gap, y - gap, Anchor::Start),
                (x - gap, y - gap, Anchor::End),
                (x + gap, y + gap + up, Anchor::Start),
                (x - gap, y + gap + up, Anchor::End),
                (x + 1.4 * gap, y + half, Anchor::Start),
                (x - 1.4 * gap, y + half, Anchor::End),
                (x, y - 1.4 * gap, Anchor::Middle),
                (x, y + 1.4 * gap + up, Anchor::Middle),
            ]
        };
        let mut places = [gap, 1.8 * gap, 3.0 * gap].into_iter().flat_map(beside);
        places.find_map(|(x, y, anchor)| {
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - 0.5 * wide,
                Anchor::End => x - wide,
            };
            let bounds = [left - 1.0, y - up, left + wide + 1.0, y + down];
            let inside = bounds[0] >= self.edge[0]
                && bounds[1] >= self.edge[1]
                && bounds[2] <= self.edge[2]
                && bounds[3] <= self.edge[3];
            let free = inside
                && self.boxes.iter().all(|b| apart(b, &bounds))
                && !self.lines.iter().any(|l| crosses(l, &bounds));
            free.then(|| {
                self.boxes.push(bounds);
                Text { colour, ..Text::new(name, (x, y), anchor, size) }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_where_there_is_room_and_else_nowhere() {
        let mut labels = Labels::within([0.0, 0.0, 200.0, 200.0]);
        let place = |labels: &mut Labels| labels.place("node", (100.0, 100.0), 4.0, 10.0, crate::scene::INK);
        let placed: Vec<Text> = std::iter::from_fn(|| place(&mut labels)).collect();
        assert!((4..=24).contains(&placed.len()), "{}", placed.len());
        assert!(placed.iter().enumerate().all(|(i, a)| placed[..i].iter().all(|b| a.at != b.at)));
        let mut walled = Labels::within([0.0, 0.0, 200.0, 200.0]);
        walled.take_line(&[(100.0, 0.0), (100.0, 200.0)]);
        let found = place(&mut walled).expect("room beside the line");
        assert!(found.at.0 > 100.0 || found.anchor == Anchor::End);
    }

    #[test]
    fn a_line_crosses_a_box_or_does_not() {
        let box_ = [10.0, 10.0, 20.0, 20.0];
        assert!(crosses(&((0.0, 0.0), (30.0, 30.0)), &box_));
        assert!(crosses(&((15.0, 0.0), (15.0, 15.0)), &box_));
        assert!(!crosses(&((0.0, 12.0), (12.0, 0.0)), &box_));
        assert!(!crosses(&((0.0, 25.0), (30.0, 25.0)), &box_));
    }
}
