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
    /// What is wrong when it becomes zero, and what to do about it; none: zero is a value as others.
    pub alarm: Option<[String; 2]>,
}

impl Column {
    /// A column as it is.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, factor: f64) -> Self {
        Column { name: name.into(), unit: unit.into(), factor, peak: false, alarm: None }
    }

    /// The same, of which it is an alarm that it becomes zero.
    #[must_use]
    pub fn alarm(self, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Column { alarm: Some([what.into(), advice.into()]), ..self }
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
        json!({ "name": self.name, "time": self.time, "open": self.open, "columns": columns })
    }
}

/// Rows of a topic that are shown at most in one turn of the server: 4 of every 10 ms.
const SHOWN: usize = 4;

/// Most rows and numbers of the past of a topic.
const PAST: usize = 2000;
const PAST_NUMBERS: usize = 150_000;

/// All rows that a topic has shown, evenly thinned: whoever comes late sees the whole test, not its last minute only.
pub(crate) struct Past {
    columns: usize,
    /// The column with the time.
    time: usize,
    rows: Vec<f64>,
    /// One of so many rows is kept, and how many came since the last that was.
    stride: u64,
    skipped: u64,
}

impl Past {
    fn new(topic: &Topic) -> Self {
        let columns = topic.columns.len().max(1);
        Past { columns, time: topic.time.min(columns - 1), rows: Vec::new(), stride: 1, skipped: 0 }
    }

    fn add(&mut self, shown: &[f64]) {
        let (n, time) = (self.columns, self.time);
        // Even, because every second of them goes.
        let most = (PAST_NUMBERS / n).clamp(2, PAST) & !1;
        for row in shown.chunks_exact(n) {
            // A playback that was moved back: what comes later in the test has not been yet.
            while self.rows.len() >= n && self.rows[self.rows.len() - n + time] > row[time] {
                self.rows.truncate(self.rows.len() - n);
            }
            self.skipped += 1;
            if self.skipped < self.stride {
                continue;
            }
            self.skipped = 0;
            self.rows.extend_from_slice(row);
            if self.rows.len() >= most * n {
                self.rows = thin_shown(&self.rows, n, most / 2);
                self.stride *= 2;
            }
        }
    }

    /// Columns, rows, and how many rows of the loop each stands for; then the rows.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        let n = self.columns;
        [n as f64, (self.rows.len() / n) as f64, self.stride as f64].into_iter().chain(self.rows.iter().copied())
    }
}

/// A topic and the end of its ring.
pub(crate) struct Source {
    pub(crate) topic: Topic,
    pub(crate) tap: Tap,
    /// Rows that the loop dropped.
    pub(crate) dropped: u64,
    /// All rows of this turn, in the units of the loop.
    rows: Vec<f64>,
    pub(crate) past: Past,
}

/// A topic and a ring of so many rows for it.
pub(crate) fn source(topic: Topic, rows: usize) -> (Feed, Source) {
    let (feed, tap) = live(topic.columns.len(), rows);
    let past = Past::new(&topic);
    (feed, Source { topic, tap, dropped: 0, rows: Vec::new(), past })
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
        let shown = thin(&self.rows, &self.topic.columns, SHOWN);
        // Of a shape only the newest is drawn.
        if self.topic.open {
            self.past.add(&shown);
        }
        shown
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

    /// A day of a test: its past is bounded, begins at its beginning, ends at its end, and has the same distance between all its rows.
    #[test]
    fn the_past_of_a_test_is_whole_and_bounded() {
        let columns = vec![Column::new("t", "s", 1.0), Column::new("x", "", 1.0)];
        let mut past = Past::new(&Topic { name: "run".into(), columns, time: 0, rig: false, open: true });
        for turn in 0..864_000 {
            past.add(&[f64::from(turn), -f64::from(turn)]);
            assert!(past.rows.len() <= 2 * PAST);
        }
        let times: Vec<f64> = past.rows.iter().step_by(2).copied().collect();
        assert!(times.len() >= PAST / 2 && times[0] < 1000.0 && times[times.len() - 1] > 863_000.0);
        assert!(times.windows(2).all(|w| w[1] - w[0] == past.stride as f64), "{:?}", &times[..4]);
        // A playback that is moved back forgets what is still to come.
        past.add(&[100_000.0, 0.0].repeat(past.stride as usize));
        assert!(past.rows.len() < 2 * PAST / 4 && past.rows.iter().step_by(2).all(|t| *t <= 100_000.0));
    }

    #[test]
    fn few_rows_are_all_shown() {
        let columns = [Column::new("a", "", 2.0)];
        assert_eq!(thin(&[1.0, 2.0, 3.0], &columns, 8), [2.0, 4.0, 6.0]);
        assert!(thin(&[], &columns, 8).is_empty());
        assert_eq!(thin_shown(&[1.0, 2.0, 3.0, 4.0, 5.0], 1, 2), [3.0, 5.0]);
    }
}
