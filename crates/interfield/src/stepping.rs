//! A run that the caller steps by itself, looks into, saves and takes back: for people who invent schemes and controllers,
//! and for programs in other languages.

use interfield_analysis::stability::StepMatrix;
use interfield_structure::checkpoint::{Checkpoint, Fingerprint};

use crate::callables::Callables;
use crate::outcome::{End, Outcome};
use crate::rehearsal;
use crate::run::{Moment, Run, Setup};
use crate::{Cause, Choices, ModelFile, Refused};

/// A run, one step at a time. Nothing is written to files.
pub struct Stepping {
    run: Run,
    fingerprint: Fingerprint,
}

impl ModelFile {
    /// Prepares and starts a run that is stepped by the caller. It stands at its start.
    ///
    /// # Errors
    /// Everything that stands against the run.
    pub fn stepping(&self, choices: &Choices, callables: Callables) -> Result<Stepping, Refused> {
        let mut run = self.prepare(choices, Setup { callables, ..Setup::default() })?.start()?;
        let refuse = |why: String| Refused::new(Cause::Input, why, "");
        let fingerprint = rehearsal::digest(self, choices).map_err(refuse)?;
        run.begin(&mut |_: &Moment<'_>| ());
        let stepping = Stepping { run, fingerprint };
        match stepping.run.ended() {
            Some(End::Faulted(why) | End::Diverged(why)) => Err(Refused::new(Cause::Fault, why.clone(), "")),
            _ => Ok(stepping),
        }
    }
}

impl Stepping {
    /// Takes a step; how the run ended, once it has. The channels are then those after the step.
    pub fn step(&mut self) -> Option<&End> {
        self.run.advance(&mut |_: &Moment<'_>| ())
    }

    /// How it ended, once it has.
    pub fn ended(&self) -> Option<&End> {
        self.run.ended()
    }

    /// Steps taken.
    pub fn done(&self) -> u64 {
        self.run.done()
    }

    /// Time of the model, s.
    pub fn t(&self) -> f64 {
        self.run.done() as f64 * self.run.simulation().dt()
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// All channels after the last step, in their units and the order of the model.
    pub fn row(&self) -> &[f64] {
        self.run.row()
    }

    /// Number of a channel.
    pub fn channel(&self, name: &str) -> Option<usize> {
        self.run.model().channels.iter().position(|c| c.name == name)
    }

    /// The complete state.
    ///
    /// # Errors
    /// When a part of it goes on by itself.
    pub fn save(&mut self) -> Result<Checkpoint, Refused> {
        let done = self.run.done();
        Checkpoint::take(&mut self.run, self.fingerprint, done)
            .map_err(|e| Refused::new(Cause::Input, e.to_string(), "run the model without what cannot be saved"))
    }

    /// The complete state as bytes, which [`Stepping::restore_bytes`] takes in another process.
    ///
    /// # Errors
    /// When a part of it goes on by itself.
    pub fn save_bytes(&mut self) -> Result<Vec<u8>, Refused> {
        self.save().map(|state| state.to_bytes())
    }

    /// Goes on from a state of the same model and choices.
    ///
    /// # Errors
    /// When it is not such a state.
    pub fn restore(&mut self, state: &Checkpoint) -> Result<(), Refused> {
        let refuse = |why: String| Refused::new(Cause::Input, format!("the state cannot be restored: {why}"), "");
        if state.fingerprint != self.fingerprint {
            return Err(refuse("it belongs to another model or other options".to_owned()));
        }
        self.run.go_back(state).map_err(refuse)
    }

    /// The same from bytes.
    ///
    /// # Errors
    /// When they are no such state.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let state = Checkpoint::from_bytes(bytes, &self.fingerprint)
            .map_err(|e| Refused::new(Cause::Input, format!("the state cannot be restored: {e}"), ""))?;
        self.restore(&state)
    }

    /// Replaces the state vector of the step map ([u v s h z] of every part); memories of schemes are part of it.
    ///
    /// # Errors
    /// A sentence, when the length or a number is wrong.
    pub fn set_state(&mut self, values: &[f64]) -> Result<(), String> {
        self.run.set_state(values)
    }

    /// The matrix of one step about the present state, which is left as it is. A run with specimens or programs has none: they
    /// cannot be moved back; [`ModelFile::step_matrix`] probes copies of them.
    ///
    /// # Errors
    /// A sentence.
    pub fn matrix(&mut self) -> Result<StepMatrix, String> {
        self.run.matrix()
    }

    /// Ends the run and judges it.
    pub fn finish(&mut self) -> Outcome {
        self.run.end_here()
    }
}
