//! One case of an ensemble: its model, its run, and its result file if that is kept.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use interfield_ensemble::ground::{self, Combine, Measure};
use interfield_ensemble::study::Variable;
use interfield_ensemble::trial::{self, Wanted};
use interfield_ensemble::{Case, Outcome, Role, Study};
use interfield_lab::partner::Partner;
use interfield_language::Model;
use interfield_language::external::External;
use interfield_language::model::Channel;
use interfield_structure::Simulation;
use interfield_structure::specimen::Workshop;

use super::intensity::{acceleration, name};
use super::records::Shaking;
use crate::load::ModelArgs;
use interfield::programs::Programs;
use interfield::record::{self, Format, Record};
use interfield::{Variants, sha256};

/// What all cases share.
pub(super) struct Worker<'a> {
    pub variants: Variants<'a>,
    /// Folder of the model, from where its programs start.
    pub folder: &'a Path,
    /// The text of the model, for result files that are kept.
    pub text: &'a str,
    /// Settings that no case changes.
    pub settings: ModelArgs,
    pub study: &'a Study,
    pub motions: &'a [Shaken],
    /// The measure that was asked for.
    pub measure: Measure,
    /// The measure by which motions are scaled.
    pub scaled_by: Measure,
    pub combine: Combine,
    /// Time after the motion of the ground, s.
    pub tail: f64,
    /// The model of the first case: all others must record the same.
    pub first: &'a Model,
    /// Every so many recorded samples go into the histories.
    pub thin: Option<u64>,
    /// What the model and everything that it refers to is known by.
    pub identity: &'a str,
    /// Where result files and the logs of programs are kept.
    pub runs: PathBuf,
    pub keep: bool,
    pub stop: &'a AtomicBool,
}

/// A ground motion with what is known of it.
pub(super) struct Shaken {
    pub motion: Shaking,
    /// Peak ground acceleration and the chosen measure, m/s².
    pub peak: f64,
    pub measured: f64,
    /// What its samples are known by.
    pub hash: String,
}

impl Shaken {
    pub(super) fn new(motion: Shaking, measure: Measure, combine: Combine) -> Result<Self, String> {
        let of =
            |m: Measure| m.of(&motion.components, combine).map_err(|e| format!("`{}`: {}", motion.name, e.message));
        let (peak, measured) = (of(Measure::Peak)?, of(measure)?);
        let numbers = motion
            .components
            .iter()
            .flat_map(|r| [r.dt, r.values.len() as f64].into_iter().chain(r.values.iter().copied()));
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        Ok(Self { hash: sha256::of_bytes(&bytes), motion, peak, measured })
    }
}

/// When a run ends and how it gets there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Timing {
    /// Step, s.
    pub dt: f64,
    /// Steps instead of one step of the model.
    pub refined: u64,
    /// Steps to the end.
    pub steps: u64,
    /// First step of the time over which residual values are averaged.
    pub rest: Option<u64>,
}

impl Timing {
    /// Of a model with this record, or with its own motion. A record whose samples are closer than the steps is followed
    /// sample by sample, unless the step was chosen on the command line.
    pub(super) fn of(model: &Model, record: Option<&Shaking>, settings: &ModelArgs, tail: f64) -> Self {
        let analysis = &model.analysis;
        let whole = |steps: f64| (steps - 1e-9 * steps.max(1.0)).ceil().max(0.0) as u64;
        let finer = record.filter(|_| settings.dt.is_none()).map_or(1, |r| whole(analysis.dt / r.dt()).max(1));
        let dt = analysis.dt / finer as f64;
        let shaking = record.map_or(analysis.duration, Shaking::duration);
        let steps = match (&settings.until, record) {
            (Some(_), Some(_)) => whole(analysis.duration / dt),
            _ => whole(shaking / dt) + whole(tail / dt),
        };
        let end = whole(shaking / dt).min(steps);
        let rest = (steps > end).then(|| end + (steps - end) / 2);
        Self { dt, refined: finer, steps, rest }
    }
}

/// Programs of externals; specimens are emulated.
struct Emulated(Programs);

impl Workshop for Emulated {
    fn partner(&mut self, external: &External) -> Result<Option<Box<dyn Partner>>, String> {
        self.0.take(external).map(Some)
    }
}

/// Settings of a case: those of all, and its own parameters.
pub(super) fn settings(common: &ModelArgs, variables: &[Variable<'_>], case: &Case) -> ModelArgs {
    let own = variables.iter().zip(&case.values).filter(|(v, _)| v.role == Role::Parameter);
    let mut settings = common.clone();
    settings.set.extend(own.map(|(v, value)| (v.name.to_owned(), value.text.clone())));
    settings
}

/// Whether two models record the same.
fn same_channels(a: &[Channel], b: &[Channel]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.unit == b.unit)
}

impl Worker<'_> {
    /// The ground motion of a case, if it is one of the records.
    pub(super) fn motion(&self, case: &Case) -> Option<&Shaken> {
        let (axis, value) = self.study.axes.iter().zip(&case.values).find(|(a, _)| a.role == Role::Record)?;
        self.motions.get(axis.values.list.iter().position(|v| v == value)?)
    }

    /// The intensity to which the motion of a case is scaled, m/s².
    fn level(&self, case: &Case) -> Option<f64> {
        let (_, value) = self.study.axes.iter().zip(&case.values).find(|(a, _)| a.role == Role::Scale)?;
        // Checked when the command line was read.
        acceleration(&value.text).ok()
    }

    /// By what the record of a case is multiplied.
    pub(super) fn factor(&self, case: &Case) -> Option<f64> {
        let motion = self.motion(case)?;
        let now = if self.scaled_by == Measure::Peak { motion.peak } else { motion.measured };
        Some(self.level(case).map_or(1.0, |level| level / now))
    }

    /// What a run is known by: everything that it depends on.
    pub(super) fn key(&self, case: &Case) -> String {
        let settings = settings(&self.settings, &self.study.variables(), case);
        let shaking = match (self.motion(case), self.factor(case), self.level(case)) {
            (Some(motion), Some(factor), _) => format!("{} times {:016x}", motion.hash, factor.to_bits()),
            (_, _, Some(level)) => format!("{} {:?} {:016x}", name(self.scaled_by), self.combine, level.to_bits()),
            _ => "its own".to_owned(),
        };
        let (version, tail) = (env!("CARGO_PKG_VERSION"), self.tail.to_bits());
        sha256::of_bytes(format!("{version}\n{}\n{settings:?}\n{shaking}\n{tail:016x}", self.identity).as_bytes())
    }

    /// The result file of a run.
    pub(super) fn results(&self, key: &str) -> PathBuf {
        self.runs.join(format!("{}.h5", &key[..16]))
    }

    /// The model of a case, shaken as it is in it, and when it ends.
    fn model(&self, case: &Case) -> Result<(Model, Timing), String> {
        let variables = self.study.variables();
        let mut settings = settings(&self.settings, &variables, case);
        let mut model = self.variants.model(&(&settings).into())?;
        let motion = self.motion(case);
        let timing = Timing::of(&model, motion.map(|m| &m.motion), &settings, self.tail);
        if motion.is_some() || self.tail > 0.0 {
            // Read with its own end and step: what the model says of either is checked against them.
            settings.dt = Some(format!("{} s", timing.dt));
            settings.until = Some(format!("{} s", timing.steps as f64 * timing.dt));
            model = self.variants.model(&(&settings).into())?;
            model.every *= timing.refined;
        }
        match (motion, self.factor(case), self.level(case)) {
            (Some(motion), Some(factor), _) => ground::replace(&mut model, &motion.motion.components, factor),
            (_, _, Some(level)) => {
                let found = ground::records(&model).and_then(|r| self.scaled_by.of(&r, self.combine));
                let factor = level / found.map_err(|e| e.message)?;
                if !factor.is_finite() {
                    return Err("the ground motion of the model is zero and cannot be scaled".to_owned());
                }
                ground::scale(&mut model, factor);
            }
            _ => {}
        }
        Ok((model, timing))
    }

    /// Peak ground acceleration and the chosen measure of a case, m/s²; none where the ground does not move.
    pub(super) fn measures(&self, case: &Case, model: Option<&Model>) -> Vec<(String, f64)> {
        let both = match (self.motion(case), self.factor(case)) {
            (Some(motion), Some(factor)) => {
                vec![(Measure::Peak, factor * motion.peak), (self.measure, factor * motion.measured)]
            }
            _ => {
                let read = || self.model(case).ok().and_then(|(model, _)| ground::records(&model).ok());
                let records = model.map_or_else(read, |m| ground::records(m).ok()).unwrap_or_default();
                let of = |m: Measure| Some((m, m.of(&records, self.combine).ok().filter(|_| !records.is_empty())?));
                [Measure::Peak, self.measure].into_iter().filter_map(of).collect()
            }
        };
        let mut named: Vec<(String, f64)> = both.into_iter().map(|(m, x)| (name(m), x)).collect();
        named.dedup_by(|a, b| a.0 == b.0);
        named
    }

    /// Runs a case; `Ok(None)` if it was stopped, an error if a result file could not be written.
    pub(super) fn run(&self, case: &Case) -> Result<Option<Outcome>, String> {
        let (mut model, timing) = match self.model(case) {
            Ok(found) => found,
            Err(why) => return Ok(Some(Outcome::refused(why))),
        };
        if !same_channels(&model.channels, &self.first.channels) {
            return Ok(Some(Outcome::refused("its channels differ from those of the first run".to_owned())));
        }
        let motions = self.measures(case, Some(&model));
        let path = self.results(&self.key(case));
        let common = model.analysis.dt * model.every as f64 == self.first.analysis.dt * self.first.every as f64;
        let programs = match Programs::start(&mut model, self.folder, &path) {
            Ok(programs) => programs,
            Err(why) => return Ok(Some(Outcome::refused(why))),
        };
        let mut machine = match Simulation::in_workshop(model, &mut Emulated(programs)) {
            Ok(machine) => machine,
            Err(problems) => return Ok(Some(Outcome::refused(sentence(&problems)))),
        };
        let mut kept = match self.keep {
            true => {
                let settings = settings(&self.settings, &self.study.variables(), case);
                let meta = record::meta(&machine.model, machine.free().len(), self.text, &(&settings).into());
                Some(Record::create(&path, (Format::Results, true), &machine.model, &meta)?)
            }
            false => None,
        };
        let row = |t: f64, row: &[f64]| kept.as_mut().map_or(Ok(()), |record| record.row(t, row));
        // Bands need common times.
        let wanted = Wanted { thin: self.thin.filter(|_| common), rest: timing.rest };
        let found = trial::run(&mut machine, wanted, self.stop, row)?;
        if found.is_none() {
            machine.give_up();
        }
        // Programs are told that it is over.
        machine.finish();
        let Some(mut outcome) = found else { return Ok(None) };
        if let Some(record) = kept {
            let (word, why) = outcome.ending.word();
            record.finish(if why.is_empty() { word } else { why })?;
        }
        outcome.motions = motions;
        Ok(Some(outcome))
    }
}

fn sentence(problems: &[interfield_language::Problem]) -> String {
    problems.first().map_or_else(|| "it cannot be assembled".to_owned(), |p| p.message.clone())
}
