//! What a loop shows while it goes on: rows in a bounded ring, for whoever looks at a test.
//!
//! As with the [`Tape`](super::Tape), the loop copies a row and goes on: no lock, no allocation, no system call. Unlike it nothing here is
//! kept: a row that finds no room is dropped and counted, and the next row says how many were dropped so far.

use rtrb::{Consumer, Producer, RingBuffer};

/// The end of the loop.
#[derive(Debug)]
pub struct Feed {
    ring: Producer<f64>,
    /// The row, and behind it the number of rows dropped so far.
    row: Vec<f64>,
    dropped: u64,
}

/// The end of whoever looks.
#[derive(Debug)]
pub struct Tap {
    ring: Consumer<f64>,
    columns: usize,
}

/// A ring for so many rows of so many numbers. All pages are touched here, not in the loop.
pub fn live(columns: usize, rows: usize) -> (Feed, Tap) {
    let columns = columns + 1;
    let (mut ring, mut from) = RingBuffer::new(rows.max(2) * columns);
    while ring.push(0.0).is_ok() {}
    while from.pop().is_ok() {}
    (Feed { ring, row: vec![0.0; columns], dropped: 0 }, Tap { ring: from, columns })
}

impl Feed {
    /// The row to be filled before [`Feed::send`]; it keeps what was in it.
    #[inline]
    pub fn row(&mut self) -> &mut [f64] {
        let last = self.row.len() - 1;
        &mut self.row[..last]
    }

    /// Shows the row, if there is room.
    #[inline]
    pub fn send(&mut self) {
        let last = self.row.len() - 1;
        self.row[last] = self.dropped as f64;
        if self.ring.push_entire_slice(&self.row).is_err() {
            self.dropped += 1;
        }
    }

    /// Rows dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl Tap {
    /// Takes all rows that are there: the numbers of the loop, and how many rows it had dropped before.
    pub fn take(&mut self, mut each: impl FnMut(&[f64], u64)) {
        let ready = self.ring.slots() / self.columns * self.columns;
        let Ok(chunk) = self.ring.read_chunk(ready) else { return };
        // The ring holds a whole number of rows, so none lies across its end.
        let (first, second) = chunk.as_slices();
        for row in first.chunks_exact(self.columns).chain(second.chunks_exact(self.columns)) {
            let (dropped, row) = row.split_last().map_or((0.0, row), |(last, row)| (*last, row));
            each(row, dropped as u64);
        }
        chunk.commit_all();
    }

    /// Whether the loop has ended; rows may be left.
    pub fn is_over(&self) -> bool {
        self.ring.is_abandoned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ring_drops_rows_and_the_next_one_says_how_many() {
        let (mut feed, mut tap) = live(2, 3);
        let mut send = |x: f64| {
            feed.row().copy_from_slice(&[x, -x]);
            feed.send();
        };
        (1..=5).for_each(|i| send(f64::from(i)));
        let mut seen = Vec::new();
        tap.take(|row, dropped| seen.push((row.to_vec(), dropped)));
        assert_eq!(seen, [(vec![1.0, -1.0], 0), (vec![2.0, -2.0], 0), (vec![3.0, -3.0], 0)]);
        seen.clear();
        send(6.0);
        tap.take(|row, dropped| seen.push((row.to_vec(), dropped)));
        assert_eq!(seen, [(vec![6.0, -6.0], 2)]);
        assert!(!tap.is_over());
        drop(feed);
        assert!(tap.is_over());
    }
}
