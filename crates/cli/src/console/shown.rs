//! What a run shows: its channels and the shape of its structure, at most as often as a screen can.

use std::sync::Arc;
use std::time::{Duration, Instant};

use interfield::{Moment, Operator, Run};
use interfield_console::{Column, Ends, Feed, Hub, Loop, Pace, RunDesk, Topic};
use interfield_lab::controller::{Said, Word};
use interfield_language::units::Dimension;
use serde_json::{Value, json};

use super::described::{DRAWN, run_columns};

/// Shortest time between two rows.
const ROW: Duration = Duration::from_micros(2500);
/// Shortest time between two shapes.
const SHAPE: Duration = Duration::from_millis(35);
/// Rows of the rings.
const ROWS: usize = 512;

/// A run as a console commands it.
pub(crate) struct Commanded {
    operator: Operator,
    /// Rigs that another program moves stand still until it does: what ends the test is said to those who wait for it, too.
    served: bool,
}

impl Commanded {
    /// A run of this program.
    pub(crate) fn run(operator: Operator) -> Self {
        Commanded { operator, served: false }
    }

    /// Rigs for another program.
    pub(crate) fn served(operator: Operator) -> Self {
        Commanded { operator, served: true }
    }
}

/// Who, and when by the time of day: the time of the laboratory says nothing before the first sample.
fn dated(who: &str) -> String {
    format!("{who}, {}", interfield_results::now_iso8601())
}

impl Loop for Commanded {
    fn say(&self, who: &str, word: &Word) -> Result<String, String> {
        let answer = self.operator.say_by(&dated(who), word)?;
        if self.served && matches!(word, Word::Stop | Word::Abort) {
            self.operator.interrupt();
        }
        Ok(answer)
    }

    fn is_heard(&self) -> bool {
        self.operator.is_heard()
    }

    fn said(&self) -> Vec<Said> {
        self.operator.said()
    }

    fn t(&self) -> f64 {
        self.operator.t()
    }

    fn ends(&self) -> Ends {
        match &self.operator {
            o if o.is_over() => Ends::Over,
            o if !o.is_begun() => Ends::Starts,
            o if o.is_ending() => Ends::Ending,
            o if o.is_standing() => Ends::Stands,
            _ => Ends::GoesOn,
        }
    }

    fn keep(&self, who: &str, what: &str) {
        self.operator.keep(&format!("operator ({}): {what}", dated(who)));
    }
}

/// Most cuts whose gaps and forces are shown.
const CUTS: usize = 4;

/// What happens at the cuts of a structure, also where the model records nothing of it.
struct Cuts {
    feed: Feed,
    /// SI by the unit of the gap, and by that of the force, of each.
    factors: Vec<[f64; 2]>,
    energy: f64,
}

impl Cuts {
    /// `None` of a structure in one piece.
    fn new(hub: &Hub, run: &Run) -> Option<Self> {
        let (sim, model) = (run.simulation(), run.model());
        sim.interface_work()?;
        let dofs = sim.interface.iter().take(CUTS).map(|c| &model.dofs[c.dof]);
        let unit = |dim: Dimension| (model.units.label(dim), 1.0 / model.units.factor(dim));
        let cuts: Vec<_> = dofs
            .map(|dof| match dof.angle {
                true => (&dof.name, ("rad".to_owned(), 1.0), unit(Dimension::MOMENT)),
                false => (&dof.name, unit(Dimension::LENGTH), unit(Dimension::FORCE)),
            })
            .collect();
        let gaps = cuts.iter().map(|(name, (label, _), _)| Column::new(format!("{name}.gap"), label, 1.0));
        let forces = cuts.iter().map(|(name, _, (label, _))| Column::new(format!("{name}.lambda"), label, 1.0));
        let (joule, energy) = unit(Dimension::MOMENT);
        let work = Column::new("net work", joule, 1.0);
        let columns: Vec<Column> =
            [Column::new("t", "s", 1.0)].into_iter().chain(gaps).chain(forces).chain([work]).collect();
        let told = |from: usize, n: usize| -> Vec<Value> {
            columns[from..from + n].iter().map(|c| json!({ "name": c.name, "unit": c.unit })).collect()
        };
        let n = cuts.len();
        let kinds = json!({ "topic": "cut", "gap": told(1, n), "force": told(1 + n, n), "energy": told(1 + 2 * n, 1) });
        let feed = hub.topic(Topic { name: "cut".to_owned(), columns, time: 0, rig: false, open: true }, ROWS);
        hub.tell("live_cut", kinds);
        Some(Cuts { feed, factors: cuts.into_iter().map(|(_, gap, force)| [gap.1, force.1]).collect(), energy })
    }

    fn show(&mut self, m: &Moment<'_>) {
        let n = self.factors.len();
        let row = self.feed.row();
        row[0] = m.t;
        for (i, [gap, force]) in self.factors.iter().enumerate() {
            row[1 + i] = gap * m.simulation.interface_gap(i);
            row[1 + n + i] = force * m.simulation.interface_force(i);
        }
        row[1 + 2 * n] = self.energy * m.simulation.interface_work().unwrap_or_default();
        self.feed.send();
    }
}

/// Shows the moments of a run.
pub(crate) struct Observer {
    run: Feed,
    shape: Option<Feed>,
    cuts: Option<Cuts>,
    free: Vec<usize>,
    last: [Option<Instant>; 2],
    pace: Pace,
    desk: Arc<RunDesk>,
}

impl Observer {
    /// Of a run.
    pub(crate) fn new(hub: &Hub, run: &Run, desk: Arc<RunDesk>) -> Self {
        let (model, free) = (run.model(), run.simulation().free().to_vec());
        let cuts = Cuts::new(hub, run);
        let columns = run_columns(Some(model), model.channels.iter().map(|c| (&c.name, &c.unit)));
        let run = hub.topic(Topic { name: "run".to_owned(), columns, time: 1, rig: false, open: true }, ROWS);
        let shape = (free.len() <= DRAWN).then(|| {
            let unknowns = free.iter().map(|&d| Column::new(&model.dofs[d].name, "", 1.0));
            let columns = std::iter::once(Column::new("t", "s", 1.0)).chain(unknowns).collect();
            hub.topic(Topic { name: "shape".to_owned(), columns, time: 0, rig: false, open: false }, 64)
        });
        Observer { run, shape, cuts, free, last: [None; 2], pace: Pace::default(), desk }
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
            if let Some(cuts) = &mut self.cuts {
                cuts.show(m);
            }
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
