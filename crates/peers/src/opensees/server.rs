//! A substructure for OpenSees: answers its element `genericClient`, and what speaks like it (OpenFresco's elements with
//! `-server` and simple clients of its SimApp server).
//!
//! Integrators send trials that nobody asks a force for, repeat them, and ask for the force of one several times. So a trial
//! moves nothing; the first request for what is measured does, if the displacement is another than that of the last move.
//! The time of a trial lies between steps or repeats, so steps are counted by commits.

use super::sizes::{SIZES, Sizes};
use crate::action::Action;
use crate::numbers::{number, numbers, put};
use crate::session::{Said, Session};
use crate::substructure::{Substructure, Trial, by_columns};
use crate::violation::Violation;

/// A client that is served.
pub struct Server {
    trial: Trial,
    sizes: Option<Sizes>,
    reply: Vec<u8>,
}

impl Server {
    /// Waits for the sizes of a client of `n` degrees of freedom.
    pub fn new(n: usize) -> Self {
        Server { trial: Trial::new(n), sizes: None, reply: Vec::new() }
    }

    /// The first message.
    fn begin(&mut self, message: &[u8]) -> Result<Said<'_>, Violation> {
        let sizes = Sizes::decode(message)?;
        self.trial.accepts(sizes.command)?;
        self.trial.offers(sizes.answer)?;
        self.reply = vec![0; sizes.bytes()];
        self.sizes = Some(sizes);
        Ok(Said::Nothing)
    }
}

impl Session for Server {
    fn wants(&self) -> usize {
        self.sizes.map_or(SIZES, |s| s.bytes())
    }

    fn hear(&mut self, message: &[u8], substructure: &mut dyn Substructure) -> Result<Said<'_>, Violation> {
        let Some(sizes) = self.sizes else { return self.begin(message) };
        if message.len() != sizes.bytes() {
            return Err(Violation::Length);
        }
        self.trial.note();
        let code = number(message, 0);
        let action = Action::from_code(code).ok_or(Violation::Action(code))?;
        let n = self.trial.dofs();
        let matrices = substructure.matrices();
        let matrix = match action {
            Action::Open | Action::Setup | Action::Execute => return Ok(Said::Nothing),
            Action::Trial => {
                self.trial.want(sizes.command, numbers(message).skip(1));
                return Ok(Said::Nothing);
            }
            Action::Commit => {
                self.trial.commit();
                return Ok(Said::Nothing);
            }
            Action::End => return Ok(Said::Over(None)),
            Action::InitialStiffness | Action::TangentStiffness => &matrices.stiffness,
            Action::Damping => &matrices.damping,
            Action::Mass => &matrices.mass,
            Action::Readings
            | Action::Displacement
            | Action::Velocity
            | Action::Acceleration
            | Action::Force
            | Action::Time => {
                self.trial.go(substructure);
                let answer = self.trial.answer(sizes.answer, substructure.matrices());
                put(answer.iter().copied(), &mut self.reply);
                return Ok(Said::Answer(&self.reply));
            }
        };
        if sizes.numbers < n * n {
            return Err(Violation::Message);
        }
        put(by_columns(matrix, n).map(|x| self.trial.entry(x)), &mut self.reply);
        Ok(Said::Answer(&self.reply))
    }

    fn is_open(&self) -> bool {
        self.sizes.is_some()
    }

    fn trial(&self) -> &Trial {
        &self.trial
    }

    fn trial_mut(&mut self) -> &mut Trial {
        &mut self.trial
    }
}
