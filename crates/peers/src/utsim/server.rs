//! A substructure for an integrator of UT-SIM. It moves when the trial comes, so that several substructures of one
//! integrator move at the same time.

use super::header::{Contents, HEADER, Header};
use crate::action::Action;
use crate::session::{Said, Session};
use crate::substructure::{Groups, Substructure, Trial};
use crate::violation::Violation;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// The greeting.
    Greeting,
    /// A command.
    Command,
    /// The data that this command announced.
    Data(Header),
}

/// An integrator that is served.
pub struct Server {
    trial: Trial,
    stage: Stage,
    reply: Vec<u8>,
}

impl Server {
    /// Waits for an integrator of `n` degrees of freedom.
    pub fn new(n: usize) -> Self {
        Server { trial: Trial::new(n), stage: Stage::Greeting, reply: Vec::new() }
    }

    fn header(&self, message: &[u8]) -> Result<Header, Violation> {
        let header = Header::decode(message)?;
        let n = self.trial.dofs();
        if header.dofs == n { Ok(header) } else { Err(Violation::Dofs(header.dofs, n)) }
    }

    fn command(&mut self, header: Header, substructure: &mut dyn Substructure) -> Result<Said<'_>, Violation> {
        self.trial.note();
        let code = f64::from(header.command);
        match Action::from_number(header.command) {
            Some(Action::Trial) => {
                commanded(header.contents)?;
                self.stage = Stage::Data(header);
                Ok(Said::Nothing)
            }
            Some(Action::Commit) => {
                self.trial.commit();
                Ok(Said::Nothing)
            }
            Some(Action::Readings | Action::Displacement | Action::Force) => {
                let contents = if header.contents.0 == 0 {
                    Contents(Contents::DISPLACEMENT | Contents::FORCE)
                } else {
                    header.contents
                };
                let groups = answered(contents, header.dofs)?;
                self.trial.go(substructure);
                let header = Header { contents, ..header };
                self.reply.clear();
                self.reply.extend(header.encode());
                let answer = self.trial.answer(groups, substructure.matrices());
                header.precision.put(answer.iter().copied(), &mut self.reply);
                Ok(Said::Answer(&self.reply))
            }
            Some(Action::InitialStiffness | Action::TangentStiffness) => {
                let header = Header { contents: Contents(Contents::STIFFNESS), ..header };
                self.reply.clear();
                self.reply.extend(header.encode());
                let stiffness = substructure.matrices().stiffness.iter().map(|x| self.trial.entry(*x));
                header.precision.put(stiffness, &mut self.reply);
                Ok(Said::Answer(&self.reply))
            }
            Some(Action::End) => Ok(Said::Over(None)),
            _ => Err(Violation::Action(code)),
        }
    }
}

/// Whether these can be commanded.
fn commanded(contents: Contents) -> Result<(), Violation> {
    let kinematic = Contents::DISPLACEMENT | Contents::VELOCITY | Contents::ACCELERATION;
    match contents {
        c if c.has(Contents::FORCE) => Err(Violation::ForceControl),
        c if c.has(Contents::DISPLACEMENT) && c.0 & !kinematic == 0 => Ok(()),
        _ => Err(Violation::Size),
    }
}

/// The groups of an answer with these contents.
fn answered(contents: Contents, n: usize) -> Result<Groups, Violation> {
    let vectors = Contents::DISPLACEMENT | Contents::VELOCITY | Contents::ACCELERATION | Contents::FORCE;
    if contents.0 & !vectors != 0 {
        return Err(Violation::Size);
    }
    let of = |bit: u8| if contents.has(bit) { n } else { 0 };
    Ok([of(Contents::DISPLACEMENT), of(Contents::VELOCITY), of(Contents::ACCELERATION), of(Contents::FORCE), 0])
}

impl Session for Server {
    fn wants(&self) -> usize {
        match self.stage {
            Stage::Greeting | Stage::Command => HEADER,
            Stage::Data(announced) => HEADER + announced.payload(),
        }
    }

    fn hear(&mut self, message: &[u8], substructure: &mut dyn Substructure) -> Result<Said<'_>, Violation> {
        if message.len() != self.wants() {
            return Err(Violation::Length);
        }
        let (head, data) = message.split_at(HEADER);
        let header = self.header(head)?;
        match self.stage {
            Stage::Greeting => {
                self.stage = Stage::Command;
                Ok(Said::Nothing)
            }
            Stage::Command => self.command(header, substructure),
            Stage::Data(announced) => {
                if (header.contents, header.precision) != (announced.contents, announced.precision) {
                    return Err(Violation::Message);
                }
                let of = |bit: u8| if header.contents.has(bit) { header.dofs } else { 0 };
                let groups = [header.dofs, of(Contents::VELOCITY), of(Contents::ACCELERATION), 0, 0];
                self.stage = Stage::Command;
                self.trial.want(groups, header.precision.numbers(data));
                self.trial.go(substructure);
                Ok(Said::Nothing)
            }
        }
    }

    fn is_open(&self) -> bool {
        self.stage != Stage::Greeting
    }

    fn trial(&self) -> &Trial {
        &self.trial
    }

    fn trial_mut(&mut self) -> &mut Trial {
        &mut self.trial
    }
}
