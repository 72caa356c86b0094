//! The integrator: commands a substructure of UT-SIM.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use interfield_lab::partner::{Partner, Trouble};

use super::header::{Contents, HEADER, Header, Precision};
use crate::MOST_DOFS;
use crate::action::Action;
use crate::channel::PeerAddress;
use crate::connection::{Connection, check, take};

/// How a substructure is reached.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub place: PeerAddress,
    /// Number of degrees of freedom.
    pub dofs: usize,
    /// Kind of numbers that are sent.
    pub precision: Precision,
    /// How long to try until it listens.
    pub patience: Duration,
    /// Longest time that a step may take.
    pub timeout: Duration,
}

/// Why there is no substructure.
#[derive(Debug)]
pub enum NoSubstructure {
    /// Too many degrees of freedom, or none.
    Dofs(usize),
    /// Nobody listens there, or not in time.
    Connection(PeerAddress, io::Error),
}

impl fmt::Display for NoSubstructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSubstructure::Dofs(n) => write!(f, "a substructure has 1 to {MOST_DOFS} degrees of freedom, not {n}"),
            NoSubstructure::Connection(place, e) => write!(f, "no UT-SIM substructure at {place}: {e}"),
        }
    }
}

impl std::error::Error for NoSubstructure {}

/// Software that computes in steps, and a program that is none of the known ones.
const TEST: u8 = 4;
const SUBSTRUCTURE: u8 = 1;

/// A connection to a substructure.
pub struct Integrator {
    connection: Connection,
    header: Header,
    message: Vec<u8>,
}

impl Integrator {
    /// Connects and greets. As long as nobody listens, `go_on` is asked whether to try again.
    ///
    /// # Errors
    /// When nobody listens.
    pub fn connect(settings: &Settings, go_on: &mut dyn FnMut() -> bool) -> Result<Self, NoSubstructure> {
        let dofs = settings.dofs;
        if !(1..=MOST_DOFS).contains(&dofs) {
            return Err(NoSubstructure::Dofs(dofs));
        }
        let no_connection = |e| NoSubstructure::Connection(settings.place.clone(), e);
        let mut channel = settings.place.connect(settings.patience, go_on).map_err(no_connection)?;
        let header = Header {
            command: 0,
            test: TEST,
            substructure: SUBSTRUCTURE,
            precision: settings.precision,
            contents: Contents(0),
            dofs,
            step: 0,
            stamp: 0,
        };
        let gone = |_| no_connection(io::ErrorKind::ConnectionAborted.into());
        channel.send(&header.encode(), Instant::now() + settings.timeout).map_err(gone)?;
        Ok(Integrator { connection: Connection::new(channel, settings.timeout), header, message: Vec::new() })
    }

    fn command(&mut self, action: Action, contents: u8) -> Header {
        Header { command: action as u8, contents: Contents(contents), ..self.header }
    }

    fn ask(&mut self, u: &[f64], reached: &mut [f64], force: &mut [f64]) -> Result<(), Trouble> {
        let until = self.connection.until();
        let trial = self.command(Action::Trial, Contents::DISPLACEMENT);
        self.connection.send(&trial.encode(), until)?;
        self.message.clear();
        self.message.extend(trial.encode());
        trial.precision.put(u.iter().copied(), &mut self.message);
        self.connection.send(&self.message, until)?;
        let wanted = self.command(Action::Force, Contents::DISPLACEMENT | Contents::FORCE);
        self.connection.send(&wanted.encode(), until)?;
        self.message.resize(HEADER + wanted.payload(), 0);
        self.connection.receive(&mut self.message, until)?;
        let (head, data) = self.message.split_at(HEADER);
        let said = Header::decode(head).map_err(|_| Trouble::Garbled)?;
        if (said.dofs, said.contents, said.precision) != (wanted.dofs, wanted.contents, wanted.precision) {
            return Err(Trouble::Garbled);
        }
        take(said.precision.numbers(data), reached, force)
    }

    fn end(&mut self) {
        let until = self.connection.until();
        if let Some(mut channel) = self.connection.close() {
            let _ = channel.send(&self.command(Action::End, 0).encode(), until);
        }
    }
}

impl Partner for Integrator {
    fn dofs(&self) -> usize {
        self.header.dofs
    }

    fn exchange(
        &mut self,
        _t: f64,
        u: &[f64],
        _v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        check(u, self.header.dofs)?;
        let began = Instant::now();
        self.header.step = self.header.step.wrapping_add(1);
        if let Err(trouble) = self.ask(u, reached, force) {
            // Whatever came now would belong to a step that was given up.
            self.end();
            return Err(trouble);
        }
        self.connection.note(began);
        Ok(())
    }

    fn finish(&mut self) {
        self.end();
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        self.connection.account()
    }
}

impl Drop for Integrator {
    fn drop(&mut self) {
        self.end();
    }
}
