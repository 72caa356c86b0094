//! What a run shows: its channels and the shape of its structure, at most as often as a screen can.

use std::sync::Arc;
use std::time::{Duration, Instant};

use interfield::{Moment, Operator};
use interfield_console::{Column, Ends, Feed, Hub, Loop, Pace, RunDesk, Topic};
use interfield_lab::controller::{Said, Word};
use interfield_language::Model;

use super::described::DRAWN;

/// Shortest time between two rows.
const ROW: Duration = Duration::from_micros(2500);
/// Shortest time between two shapes.
const SHAPE: Duration = Duration::from_millis(35);
/// Rows of the rings.
const ROWS: usize = 512;

/// A run as a console commands it.
pub(crate) struct Commanded(pub(crate) Operator);

impl Loop for Commanded {
    fn say(&self, who: &str, word: &Word) -> Result<String, String> {
        self.0.say_by(who, word)
    }

    fn is_heard(&self) -> bool {
        self.0.is_heard()
    }

    fn said(&self) -> Vec<Said> {
        self.0.said()
    }

    fn t(&self) -> f64 {
        self.0.t()
    }

    fn ends(&self) -> Ends {
        match &self.0 {
            o if o.is_over() => Ends::Over,
            o if !o.is_begun() => Ends::Starts,
            o if o.is_ending() => Ends::Ending,
            o if o.is_standing() => Ends::Stands,
            _ => Ends::GoesOn,
        }
    }

    fn keep(&self, line: &str) {
        self.0.keep(line);
    }
}

/// Shows the moments of a run.
pub(crate) struct Observer {
    run: Feed,
    shape: Option<Feed>,
    free: Vec<usize>,
    last: [Option<Instant>; 2],
    pace: Pace,
    desk: Arc<RunDesk>,
}

impl Observer {
    /// Of a run with these unknowns.
    pub(crate) fn new(hub: &Hub, model: &Model, free: Vec<usize>, desk: Arc<RunDesk>) -> Self {
        let head = [Column::new("step", "", 1.0), Column::new("t", "s", 1.0)];
        let channels = model.channels.iter().map(|c| Column::new(&c.name, &c.unit, 1.0));
        let columns = head.into_iter().chain(channels).collect();
        let run = hub.topic(Topic { name: "run".to_owned(), columns, time: 1, rig: false, open: true }, ROWS);
        let shape = (free.len() <= DRAWN).then(|| {
            let unknowns = free.iter().map(|&d| Column::new(&model.dofs[d].name, "", 1.0));
            let columns = std::iter::once(Column::new("t", "s", 1.0)).chain(unknowns).collect();
            hub.topic(Topic { name: "shape".to_owned(), columns, time: 0, rig: false, open: false }, 64)
        });
        Observer { run, shape, free, last: [None; 2], pace: Pace::default(), desk }
    }

    /// Shows a moment if one is due, and waits where the run is faster than the time scale.
    pub(crate) fn observe(&mut self, m: &Moment<'_>) {
        let now = Instant::now();
        let mut due = |i: usize, every: Duration| {
            let is = m.step == m.steps || self.last[i].is_none_or(|last| now.duration_since(last) >= every);
            if is {
                self.last[i] = Some(now);
            }
            is
        };
        if due(0, ROW) {
            let row = self.run.row();
            (row[0], row[1]) = (m.step as f64, m.t);
            row[2..].copy_from_slice(m.row);
            self.run.send();
        }
        if let Some(shape) = self.shape.as_mut().filter(|_| due(1, SHAPE)) {
            let row = shape.row();
            row[0] = m.t;
            for (x, &d) in row[1..].iter_mut().zip(&self.free) {
                *x = m.simulation.displacement(d).unwrap_or(0.0);
            }
            shape.send();
        }
        self.desk.pace(&mut self.pace, m.t);
    }
}
