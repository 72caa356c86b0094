//! One case of an ensemble: its model, its run, and its result file if that is kept.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use interfield_ensemble::study::Variable;
use interfield_ensemble::{Case, Outcome, Role, Study, ground, trial};
use interfield_language::Model;
use interfield_language::model::Channel;
use interfield_motion::Record as Motion;
use interfield_structure::Simulation;

use super::question::acceleration;
use crate::load::ModelArgs;
use interfield::Variants;
use interfield::record::{self, Format, Record};

/// What all cases share.
pub(super) struct Worker<'a> {
    pub variants: Variants<'a>,
    /// The text of the model, for result files that are kept.
    pub text: &'a str,
    /// Settings that no case changes.
    pub settings: ModelArgs,
    pub study: &'a Study,
    pub records: &'a [Motion],
    pub periods: &'a [f64],
    /// The model of the first case: all others must record the same.
    pub first: &'a Model,
    /// Every so many recorded samples go into the histories.
    pub thin: u64,
    /// Where result files are kept.
    pub keep: Option<PathBuf>,
    pub stop: &'a AtomicBool,
}

/// Settings of a case: those of all, and its own parameters.
pub(super) fn settings(common: &ModelArgs, variables: &[Variable<'_>], case: &Case) -> ModelArgs {
    let own = variables.iter().zip(&case.values).filter(|(v, _)| v.role == Role::Parameter);
    let mut settings = common.clone();
    settings.set.extend(own.map(|(v, value)| (v.name.to_owned(), value.text.clone())));
    settings
}

/// Puts the record of a case in its place and scales it.
pub(super) fn shake(model: &mut Model, variables: &[Variable<'_>], case: &Case, records: &[Motion], study: &Study) {
    // The record first: what is scaled is the record.
    for (axis, value) in study.axes.iter().zip(&case.values).filter(|(a, _)| a.role == Role::Record) {
        let record = axis.values.list.iter().position(|v| v == value).and_then(|i| records.get(i));
        record.into_iter().for_each(|record| ground::replace(model, record));
    }
    for (_, value) in variables.iter().zip(&case.values).filter(|(v, _)| v.role == Role::Scale) {
        // Checked when the command line was read.
        acceleration(&value.text).into_iter().for_each(|peak| ground::scale_to(model, peak));
    }
}

/// Whether two models record the same.
fn same_channels(a: &[Channel], b: &[Channel]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.unit == b.unit)
}

impl Worker<'_> {
    /// Runs a case; `Ok(None)` if it was stopped, an error if a result file could not be written.
    pub(super) fn run(&self, case: &Case) -> Result<Option<Outcome>, String> {
        let variables = self.study.variables();
        let settings = settings(&self.settings, &variables, case);
        // Where only the motion changes the model is parsed no more than once.
        let parsed = if variables.iter().all(|v| v.role != Role::Parameter) {
            Ok(self.first.clone())
        } else {
            self.variants.model(&(&settings).into())
        };
        let mut model = match parsed {
            Ok(model) => model,
            Err(why) => return Ok(Some(Outcome::refused(why))),
        };
        shake(&mut model, &variables, case, self.records, self.study);
        if !same_channels(&model.channels, &self.first.channels) {
            return Ok(Some(Outcome::refused("its channels differ from those of the first run".to_owned())));
        }
        let motions = self.motions(&model);
        let (dt, every) = (model.analysis.dt, model.every);
        let mut machine = match Simulation::new(model) {
            Ok(machine) => machine,
            Err(problems) => return Ok(Some(Outcome::refused(sentence(&problems)))),
        };
        let mut kept = match &self.keep {
            Some(folder) => {
                let path = folder.join(format!("{:06}.h5", case.index));
                let meta = record::meta(&machine.model, machine.free().len(), self.text, &(&settings).into());
                Some(Record::create(&path, (Format::Results, true), &machine.model, &meta)?)
            }
            None => None,
        };
        let row = |t: f64, row: &[f64]| kept.as_mut().map_or(Ok(()), |record| record.row(t, row));
        let Some(mut outcome) = trial::run(&mut machine, self.thin, self.stop, row)? else { return Ok(None) };
        if let Some(record) = kept {
            record.finish(match &outcome.ending {
                interfield_ensemble::Ending::Finished => "finished",
                interfield_ensemble::Ending::Fault(why) | interfield_ensemble::Ending::Refused(why) => why,
            })?;
        }
        outcome.intensities = motions;
        // Bands need common times.
        if dt * every as f64 != self.first.analysis.dt * self.first.every as f64 {
            outcome.histories.iter_mut().for_each(Vec::clear);
        }
        Ok(Some(outcome))
    }

    /// Peak ground acceleration, then spectral accelerations, m/s²; NaN where the ground does not move.
    fn motions(&self, model: &Model) -> Vec<f64> {
        let spectral = self.periods.iter().map(|&period| ground::spectral_acceleration(model, period));
        [ground::pga(model)].into_iter().chain(spectral).map(|a| a.unwrap_or(f64::NAN)).collect()
    }
}

fn sentence(problems: &[interfield_language::Problem]) -> String {
    problems.first().map_or_else(|| "it cannot be assembled".to_owned(), |p| p.message.clone())
}
