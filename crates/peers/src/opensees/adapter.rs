//! OpenSees as a substructure: drives the element `adapter` (or `actuator`) of a script, which listens.
//!
//! Per exchange a trial (3) and a request for the force (10). OpenSees solves its step for the trial, begins the next step,
//! finds the request, answers it and waits there for the next trial: so the answer belongs to the trial before it, and the
//! script must be told to compute more steps than will ever come. Every trial is committed; there is no way back.
//!
//! The element is a spring of stiffness kb between the command c and the structure, which therefore gets to
//! x = c - kb⁻¹ f only. The command is shifted by the force that is expected, c = u + kb⁻¹ (f' + K (u - x')) with force f'
//! and place x' of the last exchange and the stiffness K of the structure as far as it is known: x = u for a linear
//! structure of known stiffness, and x - u is of the order of (change of force not foreseen) / kb otherwise. What comes back
//! is the pair (x, f), which lies on the curve of the structure whatever kb is.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use interfield_lab::partner::{Partner, Trouble};

use super::sizes::Sizes;
use crate::MOST_DOFS;
use crate::action::Action;
use crate::channel::PeerAddress;
use crate::connection::{Connection, check, take};
use crate::dense::{add_product, inverse};
use crate::numbers::{numbers, put};

/// How an adapter is reached.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where OpenSees listens.
    pub place: PeerAddress,
    /// The matrix after `-stif` (for an actuator EA/L), by rows, N/m.
    pub stiffness: Vec<f64>,
    /// How long to try until OpenSees listens: it starts to when its script comes to the element.
    pub patience: Duration,
    /// Longest time that a step may take.
    pub timeout: Duration,
}

/// Why there is no adapter.
#[derive(Debug)]
pub enum NoAdapter {
    /// The stiffness is no square matrix that can be inverted.
    Stiffness,
    /// Too many degrees of freedom.
    TooMany(usize),
    /// Nobody listens there, or not in time.
    Connection(PeerAddress, io::Error),
}

impl fmt::Display for NoAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAdapter::Stiffness => {
                write!(f, "the stiffness of an adapter is a square matrix without zero eigenvalues")
            }
            NoAdapter::TooMany(n) => write!(f, "an adapter has at most {MOST_DOFS} degrees of freedom, not {n}"),
            NoAdapter::Connection(place, e) => write!(f, "no OpenSees adapter at {place}: {e}"),
        }
    }
}

impl std::error::Error for NoAdapter {}

/// A connection to an adapter.
pub struct Adapter {
    connection: Connection,
    dofs: usize,
    /// kb⁻¹, by rows.
    flexibility: Vec<f64>,
    /// K of the structure as far as it is known, by rows.
    structure: Vec<f64>,
    command: Vec<f64>,
    /// PeerAddress and force of the last exchange, and the force expected at the next.
    reached: Vec<f64>,
    force: Vec<f64>,
    expected: Vec<f64>,
    message: Vec<u8>,
}

impl Adapter {
    /// Connects, and says how long messages are. As long as nobody listens, `go_on` is asked whether to try again.
    ///
    /// # Errors
    /// When the settings make no sense, or nobody listens.
    pub fn connect(settings: &Settings, go_on: &mut dyn FnMut() -> bool) -> Result<Self, NoAdapter> {
        let n = settings.stiffness.len().isqrt();
        if n > MOST_DOFS {
            return Err(NoAdapter::TooMany(n));
        }
        let flexibility = inverse(&settings.stiffness, n).ok_or(NoAdapter::Stiffness)?;
        let no_connection = |e| NoAdapter::Connection(settings.place.clone(), e);
        let mut channel = settings.place.connect(settings.patience, go_on).map_err(no_connection)?;
        let gone = |_| no_connection(io::ErrorKind::ConnectionAborted.into());
        channel.send(&Sizes::adapter(n).encode(), Instant::now() + settings.timeout).map_err(gone)?;
        let zeros = || vec![0.0; n];
        Ok(Adapter {
            connection: Connection::new(channel, settings.timeout),
            dofs: n,
            flexibility,
            structure: vec![0.0; n * n],
            command: zeros(),
            reached: zeros(),
            force: zeros(),
            expected: zeros(),
            message: vec![0; Sizes::adapter(n).bytes()],
        })
    }

    /// Expects the structure to have this stiffness, n x n by rows, from now on.
    ///
    /// # Errors
    /// `Refused` if it has another size or is not finite.
    pub fn expect(&mut self, stiffness: &[f64]) -> Result<(), Trouble> {
        if stiffness.len() != self.structure.len() || !stiffness.iter().all(|k| k.is_finite()) {
            return Err(Trouble::Refused);
        }
        self.structure.copy_from_slice(stiffness);
        Ok(())
    }

    fn aim(&mut self, u: &[f64]) {
        self.expected.copy_from_slice(&self.force);
        let way = &mut self.command;
        way.iter_mut().zip(u).zip(&self.reached).for_each(|((w, u), x)| *w = u - x);
        add_product(&self.structure, way, &mut self.expected);
        self.command.copy_from_slice(u);
        add_product(&self.flexibility, &self.expected, &mut self.command);
    }

    fn ask(&mut self, until: Instant) -> Result<(), Trouble> {
        say(Action::Trial, &self.command, &mut self.message);
        self.connection.send(&self.message, until)?;
        say(Action::Force, &[], &mut self.message);
        self.connection.send(&self.message, until)?;
        self.connection.receive(&mut self.message, until)?;
        take(numbers(&self.message), &mut self.reached, &mut self.force)
    }

    /// OpenSees ends with status 255 when it is told that it is over, and would wait for ever otherwise. We close first: its
    /// port could not be used again for a minute if it did.
    fn end(&mut self) {
        let until = self.connection.until();
        if let Some(mut channel) = self.connection.close() {
            say(Action::End, &[], &mut self.message);
            let _ = channel.send(&self.message, until);
        }
    }
}

/// Writes a request.
fn say(action: Action, values: &[f64], message: &mut [u8]) {
    put(std::iter::once(action.code()).chain(values.iter().copied()), message);
}

impl Partner for Adapter {
    fn dofs(&self) -> usize {
        self.dofs
    }

    fn exchange(
        &mut self,
        _t: f64,
        u: &[f64],
        _v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        check(u, self.dofs)?;
        let (began, until) = (Instant::now(), self.connection.until());
        self.aim(u);
        if let Err(trouble) = self.ask(until) {
            // Whatever came now would belong to a step that was given up.
            self.end();
            return Err(trouble);
        }
        self.connection.note(began);
        reached.copy_from_slice(&self.reached);
        force.copy_from_slice(&self.force);
        Ok(())
    }

    fn finish(&mut self) {
        self.end();
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        self.connection.account()
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        self.end();
    }
}
