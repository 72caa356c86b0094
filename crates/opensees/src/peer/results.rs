//! What OpenSees computed, step by step, as `recorder/peer.py` wrote it down.

use std::path::Path;

use serde_json::Value;

use crate::record::{End, Place};

/// Steps of one integrator.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Number of the model: how often the script has wiped before.
    pub run: usize,
    /// Number of its group: what no held load, reset or load control divides.
    pub group: usize,
    /// `Static`, `Transient`, ...
    pub analysis: String,
    /// The integrator, as the script gave it.
    pub integrator: Vec<String>,
    /// Time step of a transient analysis, s.
    pub dt: f64,
    /// Time of OpenSees (the load factor in a static analysis) after each step.
    pub times: Vec<f64>,
    /// Displacements after each step, one after the other.
    pub values: Vec<f64>,
}

impl Stage {
    /// Whether time passes.
    pub fn is_transient(&self) -> bool {
        self.analysis.ends_with("Transient")
    }

    /// Node and number of the degree of freedom that is controlled, from 1.
    pub fn controlled(&self) -> Option<(i64, usize)> {
        let word = |i: usize| self.integrator.get(i)?.parse::<f64>().ok();
        let is = !self.is_transient() && self.integrator.first().is_some_and(|w| w == "DisplacementControl");
        Some((word(1)? as i64, word(2)? as usize)).filter(|_| is)
    }
}

/// Everything that OpenSees did.
#[derive(Clone, Debug, Default)]
pub struct Peer {
    /// Version of OpenSees.
    pub version: String,
    /// What was computed.
    pub stages: Vec<Stage>,
    /// Answers to `eigen`, with the number of the model.
    pub eigenvalues: Vec<(usize, Vec<f64>)>,
    /// Steps that did not converge at first: number of the model, time.
    pub failures: Vec<(usize, f64)>,
    /// How the script ended.
    pub end: End,
}

/// Stages that belong together, as the translator sees them: one course of a pushover, or of a motion.
#[derive(Clone, Debug, Default)]
pub struct Course<'a> {
    /// They follow each other.
    pub stages: Vec<&'a Stage>,
}

impl Peer {
    /// Motions and pushovers in the order of the script; what load control did is not among them.
    pub fn courses(&self) -> Vec<Course<'_>> {
        let mut courses: Vec<Course<'_>> = Vec::new();
        let kind = |s: &Stage| (s.run, s.group, s.is_transient(), s.controlled());
        for stage in self.stages.iter().filter(|s| s.is_transient() || s.controlled().is_some()) {
            match courses.last_mut() {
                Some(course) if kind(course.stages[0]) == kind(stage) => course.stages.push(stage),
                _ => courses.push(Course { stages: vec![stage] }),
            }
        }
        courses
    }

    /// Reads `BASE.json` and `BASE.bin` with this number of channels.
    ///
    /// # Errors
    /// A sentence.
    pub fn read(base: &Path, channels: usize) -> Result<Self, String> {
        let read = |ending: &str| {
            let path = base.with_extension(ending);
            std::fs::read(&path).map_err(|e| format!("`{}` cannot be read: {e}", path.display()))
        };
        let mut peer = Peer::default();
        let lines = read("json")?;
        for line in String::from_utf8_lossy(&lines).lines() {
            // A line that was cut off is the last one.
            let Ok(entry) = serde_json::from_str::<Value>(line) else { break };
            peer.take(&entry);
        }
        let row = 3 + channels;
        let numbers: Vec<f64> = read("bin")?.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        for row in numbers.chunks_exact(row) {
            let Some(stage) = peer.stages.get_mut(row[1] as usize) else { continue };
            stage.times.push(row[2]);
            stage.values.extend_from_slice(&row[3..]);
        }
        Ok(peer)
    }

    fn take(&mut self, entry: &Value) {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let run = entry["run"].as_u64().unwrap_or(0) as usize;
        let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
        if let Some(values) = entry["eigen"].as_array() {
            self.eigenvalues.push((run, values.iter().map(number).collect()));
        } else if entry["failed"].is_number() {
            self.failures.push((run, number(&entry["time"])));
        } else if let Some(end) = entry["end"].as_str() {
            let place = Place { file: text("file"), line: entry["line"].as_u64().unwrap_or(0) };
            self.end = if end == "ok" { End::Done } else { End::Error(text("message"), place) };
        } else if entry["stage"].is_number() {
            let words = entry["integrator"].as_array().into_iter().flatten();
            let word = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            let (analysis, dt) = (text("analysis"), number(&entry["dt"]));
            let group = entry["group"].as_u64().unwrap_or(0) as usize;
            self.stages.push(Stage {
                run,
                group,
                analysis,
                integrator: words.map(word).collect(),
                dt,
                ..Stage::default()
            });
        } else if entry["peer"].is_string() {
            self.version = text("version");
        }
    }
}
