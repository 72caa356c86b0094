//! The actor: a laboratory that is commanded by a shadow.
//!
//! A shadow with several sites sends all its trials before it asks for the first reading, so that they move at the same
//! time: the actor moves when the trial comes.

use super::{BOOT, CLOSED, FIVE, ONE, OPENED, PROBE};
use crate::action::Action;
use crate::numbers::{F64, number, numbers, put, put_whole, whole};
use crate::session::{Said, Session};
use crate::substructure::{Groups, Substructure, Trial};
use crate::violation::Violation;
use crate::{MOST_DOFS, MOST_NUMBERS};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// The order of bytes.
    Probe,
    /// `open` and `setup`.
    Boot,
    /// The sizes that are commanded, for messages of so many numbers.
    Command(usize),
    /// The sizes that are answered.
    Answer(usize, Groups),
    /// All else.
    Running(usize, Groups, Groups),
}

/// An actor that is commanded.
pub struct Actor {
    trial: Trial,
    stage: Stage,
    tag: f64,
    reply: Vec<u8>,
}

impl Actor {
    /// Waits for a shadow of `n` degrees of freedom; `probe`: which says first how it orders bytes, as it does over TCP.
    pub fn new(n: usize, probe: bool) -> Self {
        let stage = if probe { Stage::Probe } else { Stage::Boot };
        Actor { trial: Trial::new(n), stage, tag: 1.0, reply: vec![0; BOOT * F64] }
    }

    fn boot(&mut self, message: &[u8]) -> Result<Said<'_>, Violation> {
        let code = number(message, 0);
        match Action::from_code(code) {
            Some(Action::Open) => {
                put([OPENED, self.tag, number(message, 2)], &mut self.reply);
                Ok(Said::Answer(&self.reply))
            }
            Some(Action::Setup) => {
                let length = number(message, 1);
                if !(length >= 1.0 && length <= MOST_NUMBERS as f64 && length.fract() == 0.0) {
                    return Err(Violation::Message);
                }
                self.stage = Stage::Command(length as usize);
                Ok(Said::Nothing)
            }
            Some(Action::End) => self.end(),
            _ => Err(Violation::Action(code)),
        }
    }

    fn end(&mut self) -> Result<Said<'_>, Violation> {
        put([CLOSED, self.tag], &mut self.reply);
        Ok(Said::Over(Some(&self.reply)))
    }

    fn run(
        &mut self,
        message: &[u8],
        command: Groups,
        answer: Groups,
        substructure: &mut dyn Substructure,
    ) -> Result<Said<'_>, Violation> {
        self.trial.note();
        let code = number(message, 0);
        match Action::from_code(code) {
            Some(Action::Trial) => {
                self.trial.want(command, numbers(message).skip(1));
                self.trial.go(substructure);
                Ok(Said::Nothing)
            }
            Some(Action::Readings) => {
                self.trial.go(substructure);
                put(self.trial.answer(answer, substructure.matrices()).iter().copied(), &mut self.reply);
                Ok(Said::Answer(&self.reply))
            }
            // What a commit carries is not looked at: its time is twice the time.
            Some(Action::Commit) => {
                self.trial.commit();
                Ok(Said::Nothing)
            }
            Some(Action::End) => self.end(),
            _ => Err(Violation::Action(code)),
        }
    }
}

/// Five sizes.
fn groups(message: &[u8]) -> Result<Groups, Violation> {
    let all: [i32; 5] = whole(message).ok_or(Violation::Length)?;
    let mut groups = [0; 5];
    for (group, size) in groups.iter_mut().zip(all) {
        *group = usize::try_from(size).ok().filter(|n| *n <= MOST_DOFS).ok_or(Violation::Size)?;
    }
    Ok(groups)
}

impl Session for Actor {
    fn wants(&self) -> usize {
        match self.stage {
            Stage::Probe => PROBE,
            Stage::Boot => BOOT * F64,
            Stage::Command(_) | Stage::Answer(..) => FIVE,
            Stage::Running(length, ..) => length * F64,
        }
    }

    fn hear(&mut self, message: &[u8], substructure: &mut dyn Substructure) -> Result<Said<'_>, Violation> {
        if message.len() != self.wants() {
            return Err(Violation::Length);
        }
        match self.stage {
            Stage::Probe => {
                if whole(message) != Some(ONE) {
                    return Err(Violation::ByteOrder);
                }
                self.stage = Stage::Boot;
                let answer = put_whole(ONE);
                let place = self.reply.get_mut(..PROBE).unwrap_or_default();
                place.copy_from_slice(&answer);
                Ok(Said::Answer(place))
            }
            Stage::Boot => self.boot(message),
            Stage::Command(length) => {
                let command = groups(message)?;
                self.trial.accepts(command)?;
                self.stage = Stage::Answer(length, command);
                Ok(Said::Nothing)
            }
            Stage::Answer(length, command) => {
                let answer = groups(message)?;
                self.trial.offers(answer)?;
                if length < (1 + command.iter().sum::<usize>()).max(answer.iter().sum()).max(2) {
                    return Err(Violation::Message);
                }
                self.reply = vec![0; length * F64];
                self.stage = Stage::Running(length, command, answer);
                Ok(Said::Nothing)
            }
            Stage::Running(_, command, answer) => self.run(message, command, answer, substructure),
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Running(..))
    }

    fn trial(&self) -> &Trial {
        &self.trial
    }

    fn trial_mut(&mut self) -> &mut Trial {
        &mut self.trial
    }
}
