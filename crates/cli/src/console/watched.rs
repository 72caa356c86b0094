//! The hardware of an emulated laboratory, as it is commanded and measured, for a console of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interfield_console::{Column, Command, Desk, Feed, Hub, Level, Status, Topic};
use interfield_kernel::Archive;
use interfield_lab::controller::COLUMNS;
use interfield_lab::controller::live::LIVE_HEAD;
use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_lab::safety::State;
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Value, json};

/// Hardware, and where its samples are shown.
pub(crate) struct Watched {
    hardware: Box<dyn Hardware>,
    feed: Feed,
    period: f64,
    samples: u64,
}

impl Watched {
    /// Shows the samples of a specimen on a hub.
    pub(crate) fn new(hub: &Hub, specimen: &Specimen, units: &UnitSystem, hardware: Box<dyn Hardware>) -> Self {
        // Calibrated instruments say volts or counts, which only the controller can read.
        let raw = hardware.has_instruments();
        let mut columns: Vec<Column> = LIVE_HEAD.iter().map(|name| Column::new(*name, "", 1.0)).collect();
        let mut actuators: Vec<Value> = Vec::new();
        for actuator in &specimen.actuators {
            let unit = |dim: Dimension| match raw {
                true => ("instrument".to_owned(), 1.0),
                false => actuator.unit(dim, units),
            };
            let (length, force) = (unit(Dimension::LENGTH), unit(Dimension::FORCE));
            actuators.push(json!({
                "name": actuator.name, "column": columns.len(), "adapted": 0, "adapts": [], "length": length.0, "force": force.0,
            }));
            for column in COLUMNS {
                let (label, unit) = if column == "force" { &force } else { &length };
                columns.push(Column::new(format!("{}.{column}", actuator.name), label, 1.0 / unit));
            }
        }
        let topic = Topic { name: format!("rig.{}", specimen.name), columns, time: 0, rig: true, open: true };
        let name = topic.name.clone();
        let rows = ((1.0 / specimen.period) as usize).clamp(256, 1 << 14);
        let feed = hub.topic(topic, rows);
        hub.tell_more(
            "rigs",
            json!({ "name": specimen.name, "topic": name, "time": 0, "actuators": actuators, "bars": [] }),
        );
        Watched { hardware, feed, period: specimen.period, samples: 0 }
    }
}

impl Hardware for Watched {
    fn actuators(&self) -> usize {
        self.hardware.actuators()
    }

    fn sensors(&self) -> [usize; 2] {
        self.hardware.sensors()
    }

    fn memory(&self) -> usize {
        self.hardware.memory()
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.hardware.persist(archive);
    }

    fn interlock(&mut self, out: Interlock) {
        self.hardware.interlock(out);
    }

    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let reply = self.hardware.exchange(memory, command, displacement, force);
        self.samples += 1;
        let time = self.samples as f64 * self.period;
        let (head, rows) = self.feed.row().split_at_mut(LIVE_HEAD.len());
        (head[0], head[1], head[2], head[3]) =
            (time, State::Running.code(), f64::from(u8::from(reply == Reply::Fresh)), time);
        for (i, row) in rows.chunks_exact_mut(COLUMNS.len()).enumerate() {
            let [c, u, f] = [command[i], displacement[i], force[i]];
            row.copy_from_slice(&[c, c, c, u, f, c - u, 0.0]);
        }
        self.feed.send();
        reply
    }

    fn show_free(&self, memory: &[f64], free: &mut [f64]) {
        self.hardware.show_free(memory, free);
    }

    fn emergency_stop(&self) -> bool {
        self.hardware.emergency_stop()
    }

    fn has_instruments(&self) -> bool {
        self.hardware.has_instruments()
    }

    fn is_emulated(&self) -> bool {
        self.hardware.is_emulated()
    }

    fn stop(&mut self) {
        let head = self.feed.row();
        head[1] = State::Idle.code();
        self.feed.send();
        self.hardware.stop();
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        self.hardware.account()
    }
}

/// The desk of an emulated laboratory: it can only be ended.
pub(crate) struct LabDesk(pub(crate) Arc<AtomicBool>);

impl Desk for LabDesk {
    fn status(&self) -> Status {
        let ends = self.0.load(Ordering::Acquire);
        Status {
            word: if ends { "ending" } else { "serving" }.to_owned(),
            level: Level::Quiet,
            detail: "An emulated laboratory: commands come from a test in another process.".to_owned(),
            can: if ends { Vec::new() } else { vec!["stop", "abort"] },
            t: 0.0,
            scale: 1.0,
            over: ends,
        }
    }

    fn command(&self, _who: &str, command: &Command) -> Result<String, String> {
        match command {
            Command::Stop | Command::Abort => {
                self.0.store(true, Ordering::Release);
                Ok("ending: the test loses its laboratory".to_owned())
            }
            _ => Err("an emulated laboratory can only be ended".to_owned()),
        }
    }
}
