//! What is streamed: rows of a loop, thinned to what a screen can show without losing a peak.

pub use interfield_lab::realtime::Feed;
use interfield_lab::realtime::{Tap, live};
use serde_json::{Value, json};

/// A column of a row.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Unit in which it is shown.
    pub unit: String,
    /// Shown value = factor * value of the loop.
    pub factor: f64,
    /// Whether the largest of the rows between two shown ones is shown, not the last.
    pub peak: bool,
}

impl Column {
    /// A column as it is.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, factor: f64) -> Self {
        Column { name: name.into(), unit: unit.into(), factor, peak: false }
    }

    /// Whether it holds something.
    pub(crate) fn is_named(&self) -> bool {
        !self.name.is_empty()
    }

    /// The same, of which no peak is left out.
    #[must_use]
    pub fn peak(self) -> Self {
        Column { peak: true, ..self }
    }
}

/// What a topic is, for the page and for the other outlets.
#[derive(Clone, Debug)]
pub struct Topic {
    /// Name: `run`, `shape`, or `rig.NAME`.
    pub name: String,
    /// Columns of a row.
    pub columns: Vec<Column>,
    /// The column with the time of the row, s.
    pub time: usize,
    /// Whether its rows are those of a [`Controller`](interfield_lab::controller::Controller), with the head of a live row.
    pub rig: bool,
    /// Whether it goes to other programs too; the shape of a structure does not.
    pub open: bool,
}

impl Topic {
    pub(crate) fn json(&self) -> Value {
        let columns: Vec<Value> = self.columns.iter().map(|c| json!({ "name": c.name, "unit": c.unit })).collect();
        json!({ "name": self.name, "time": self.time, "columns": columns })
    }
}

/// Rows of a topic that are shown at most in one turn of the server: 4 of every 10 ms.
const SHOWN: usize = 4;

/// A topic and the end of its ring.
pub(crate) struct Source {
    pub(crate) topic: Topic,
    pub(crate) tap: Tap,
    /// Rows that the loop dropped.
    pub(crate) dropped: u64,
    /// All rows of this turn, in the units of the loop.
    rows: Vec<f64>,
}

/// A topic and a ring of so many rows for it.
pub(crate) fn source(topic: Topic, rows: usize) -> (Feed, Source) {
    let (feed, tap) = live(topic.columns.len(), rows);
    (feed, Source { topic, tap, dropped: 0, rows: Vec::new() })
}

impl Source {
    /// Takes what is in the ring: rows in the units of the page, one after the other. Whoever wants to see every row does.
    pub(crate) fn take(&mut self, mut each: impl FnMut(&[f64])) -> Vec<f64> {
        self.rows.clear();
        let (rows, lost) = (&mut self.rows, &mut self.dropped);
        self.tap.take(|row, dropped| {
            *lost = dropped;
            each(row);
            rows.extend_from_slice(row);
        });
        thin(&self.rows, &self.topic.columns, SHOWN)
    }
}

/// At most so many rows: of each bundle the last one, with the peaks of all of them where that is wanted.
fn thin(rows: &[f64], columns: &[Column], most: usize) -> Vec<f64> {
    let n = columns.len().max(1);
    let bundle = (rows.len() / n).div_ceil(most.max(1)).max(1);
    let mut shown = Vec::with_capacity(most * n);
    for bundle in rows.chunks(bundle * n) {
        let last = &bundle[bundle.len() - n..];
        for (c, column) in columns.iter().enumerate() {
            let value = match column.peak {
                true => bundle.iter().skip(c).step_by(n).fold(0.0, |a: f64, b| if b.abs() > a.abs() { *b } else { a }),
                false => last[c],
            };
            shown.push(value * column.factor);
        }
    }
    shown
}

/// Every so manyth row, the last one always, for a viewer that is behind.
pub(crate) fn thin_shown(rows: &[f64], columns: usize, most: usize) -> Vec<f64> {
    let n = columns.max(1);
    let stride = (rows.len() / n).div_ceil(most.max(1)).max(1);
    rows.chunks(stride * n).flat_map(|bundle| bundle[bundle.len() - n..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_between_two_shown_rows_is_shown() {
        let columns = [Column::new("a", "mm", 1e3), Column::new("b", "", 1.0).peak()];
        let mut rows: Vec<f64> = (0..100).flat_map(|i| [f64::from(i), 0.0]).collect();
        rows[2 * 37 + 1] = -7.0;
        let shown = thin(&rows, &columns, 8);
        assert_eq!(shown.len(), 2 * 8);
        assert_eq!(shown.iter().skip(1).step_by(2).filter(|b| **b == -7.0).count(), 1);
        assert_eq!(shown[14], 99e3, "the last row is the last");
    }

    #[test]
    fn few_rows_are_all_shown() {
        let columns = [Column::new("a", "", 2.0)];
        assert_eq!(thin(&[1.0, 2.0, 3.0], &columns, 8), [2.0, 4.0, 6.0]);
        assert!(thin(&[], &columns, 8).is_empty());
        assert_eq!(thin_shown(&[1.0, 2.0, 3.0, 4.0, 5.0], 1, 2), [3.0, 5.0]);
    }
}
