//! Lines cut at the edge of a panel, thinned to what can be seen, and dashed.

use crate::scene::Point;

/// Points that follow each other in a column so wide, in pixels, are thinned.
const COLUMN: f64 = 0.5;

/// The edges of a panel: left, top, right, bottom.
pub(crate) type Frame = [f64; 4];

/// The pieces of a line within a frame. Points that are not finite interrupt it.
pub(crate) fn pieces(points: impl Iterator<Item = Point>, frame: Frame) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    let mut last: Option<Point> = None;
    for point in points {
        if !(point.0.is_finite() && point.1.is_finite()) {
            last = None;
            continue;
        }
        if let Some(before) = last
            && let Some((a, b)) = inside(before, point, frame)
        {
            match pieces.last_mut() {
                // It goes on where it ended.
                Some(piece) if a == before && piece.last() == Some(&before) => piece.push(b),
                _ => pieces.push(vec![a, b]),
            }
        }
        last = Some(point);
    }
    pieces.iter().map(|piece| thinned(piece)).collect()
}

/// The part of a segment within a frame (Liang and Barsky).
fn inside(a: Point, b: Point, [left, top, right, bottom]: Frame) -> Option<(Point, Point)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (p, q) in [(-dx, a.0 - left), (dx, right - a.0), (-dy, a.1 - top), (dy, bottom - a.1)] {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
        } else if p < 0.0 {
            from = from.max(q / p);
        } else {
            to = to.min(q / p);
        }
    }
    let at = |s: f64| (a.0 + s * dx, a.1 + s * dy);
    (from <= to).then(|| (if from == 0.0 { a } else { at(from) }, if to == 1.0 { b } else { at(to) }))
}

/// Of points that follow each other within a column the first, the last, the lowest and the highest: from these the line looks the
/// same, and no peak is lost (M4 of Jugel et al., VLDB 2014).
fn thinned(points: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for column in points.chunk_by(|a, b| (a.0 / COLUMN).floor() == (b.0 / COLUMN).floor()) {
        let by = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let (low, high) = ((0..column.len()).min_by(by).unwrap_or(0), (0..column.len()).max_by(by).unwrap_or(0));
        let mut chosen = [0, low, high, column.len() - 1];
        chosen.sort_unstable();
        let first = |(i, at): (usize, &usize)| (i == 0 || chosen[i - 1] != *at).then_some(column[*at]);
        kept.extend(chosen.iter().enumerate().filter_map(first));
    }
    kept
}

/// A line as dashes of length `on` with gaps of length `off`, in pixels.
pub(crate) fn dashed(line: &[Point], on: f64, off: f64) -> Vec<Vec<Point>> {
    let mut dashes = Vec::new();
    let (mut drawn, mut left) = (true, on);
    let mut dash: Vec<Point> = line.first().copied().into_iter().collect();
    for pair in line.windows(2) {
        let (mut at, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - at.0).hypot(to.1 - at.1);
            if length < left {
                left -= length;
                if drawn {
                    dash.push(to);
                }
                break;
            }
            at = (at.0 + (to.0 - at.0) * left / length, at.1 + (to.1 - at.1) * left / length);
            if drawn {
                dash.push(at);
                dashes.push(std::mem::take(&mut dash));
            } else {
                dash = vec![at];
            }
            drawn = !drawn;
            left = if drawn { on } else { off };
        }
    }
    if dash.len() > 1 {
        dashes.push(dash);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = [0.0, 0.0, 10.0, 10.0];

    #[test]
    fn lines_end_at_the_edge() {
        let line = [(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)];
        let found = pieces(line.into_iter(), FRAME);
        assert_eq!(found, [vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]]);
    }

    #[test]
    fn what_is_not_finite_interrupts() {
        let line = [(1.0, 1.0), (2.0, 1.0), (3.0, f64::NAN), (4.0, 1.0), (5.0, 1.0)];
        assert_eq!(pieces(line.into_iter(), FRAME).len(), 2);
    }

    #[test]
    fn a_dense_line_keeps_its_peaks() {
        let dense = (0..100_000).map(|i| (f64::from(i) * 1e-4, if i == 54_321 { 9.0 } else { f64::from(i % 7) * 0.1 }));
        let found = pieces(dense, FRAME);
        assert!(found.len() == 1 && found[0].len() <= 80, "{}", found[0].len());
        assert!(found[0].contains(&(5.4321, 9.0)));
        assert!((found[0][0], found[0][found[0].len() - 1].0) == ((0.0, 0.0), 99_999.0 * 1e-4));
    }

    #[test]
    fn dashes_are_as_long_as_asked_whatever_the_points() {
        let fine: Vec<Point> = (0..=1000).map(|i| (f64::from(i) / 100.0, 0.0)).collect();
        let found = dashed(&fine, 3.0, 2.0);
        assert_eq!(found.len(), 2);
        assert!((found[1][0].0 - 5.0).abs() < 1e-9 && (found[1].last().unwrap().0 - 8.0).abs() < 1e-9);
    }
}
