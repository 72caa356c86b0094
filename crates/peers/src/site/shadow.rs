//! The shadow: commands an actor in another laboratory.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use interfield_lab::partner::{Partner, Trouble};

use super::{BOOT, ONE, OPENED, PROBE, VERSION};
use crate::MOST_DOFS;
use crate::action::Action;
use crate::channel::{Channel, PeerAddress, Transport, receive};
use crate::connection::{Connection, check, take};
use crate::numbers::{F64, number, numbers, put, put_whole, whole};
use crate::violation::Violation;

/// How an actor is reached.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub place: PeerAddress,
    /// Number of degrees of freedom.
    pub dofs: usize,
    /// How long to try until it listens.
    pub patience: Duration,
    /// Longest time that a step may take.
    pub timeout: Duration,
}

/// Why there is no actor.
#[derive(Debug)]
pub enum NoSite {
    /// Too many degrees of freedom, or none.
    Dofs(usize),
    /// Nobody listens there, or not in time.
    Connection(PeerAddress, io::Error),
    /// It answered, but not as an actor.
    Violation(PeerAddress, Violation),
}

impl fmt::Display for NoSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSite::Dofs(n) => write!(f, "a site has 1 to {MOST_DOFS} degrees of freedom, not {n}"),
            NoSite::Connection(place, e) => write!(f, "no OpenFresco site at {place}: {e}"),
            NoSite::Violation(place, violation) => write!(f, "no OpenFresco site at {place}: {violation}"),
        }
    }
}

impl std::error::Error for NoSite {}

/// A connection to an actor: displacements out; displacements and forces back.
pub struct Shadow {
    connection: Connection,
    dofs: usize,
    message: Vec<u8>,
}

impl Shadow {
    /// Connects, opens the site and sets it up. As long as nobody listens, `go_on` is asked whether to try again.
    ///
    /// # Errors
    /// When nobody listens, or somebody who is no actor of this version.
    pub fn connect(settings: &Settings, go_on: &mut dyn FnMut() -> bool) -> Result<Self, NoSite> {
        let n = settings.dofs;
        if !(1..=MOST_DOFS).contains(&n) {
            return Err(NoSite::Dofs(n));
        }
        let place = &settings.place;
        let no_connection = |e| NoSite::Connection(place.clone(), e);
        let mut channel = place.connect(settings.patience, go_on).map_err(no_connection)?;
        let opened = open(&mut *channel, place.transport, n, Instant::now() + settings.timeout);
        match opened {
            Ok(Ok(())) => {}
            Ok(Err(violation)) => return Err(NoSite::Violation(place.clone(), violation)),
            Err(Trouble::Late) => return Err(no_connection(io::ErrorKind::TimedOut.into())),
            Err(_) => return Err(no_connection(io::ErrorKind::ConnectionAborted.into())),
        }
        Ok(Shadow {
            connection: Connection::new(channel, settings.timeout),
            dofs: n,
            message: vec![0; length(n) * F64],
        })
    }

    fn say(&mut self, action: Action, u: &[f64]) {
        put(std::iter::once(action.code()).chain(u.iter().copied()), &mut self.message);
    }

    fn ask(&mut self, u: &[f64], reached: &mut [f64], force: &mut [f64]) -> Result<(), Trouble> {
        let until = self.connection.until();
        for action in [Action::Trial, Action::Readings] {
            self.say(action, u);
            self.connection.send(&self.message, until)?;
        }
        self.connection.receive(&mut self.message, until)?;
        take(numbers(&self.message), reached, force)?;
        self.say(Action::Commit, u);
        self.connection.send(&self.message, until)
    }

    fn end(&mut self) {
        let until = self.connection.until();
        if let Some(mut channel) = self.connection.close() {
            put([Action::End.code(), 1.0], &mut self.message);
            // It answers; that it does not is no trouble any more.
            let _ = channel.send(&self.message, until).and_then(|()| receive(&mut *channel, &mut self.message, until));
        }
    }
}

/// Numbers of a message for `n` degrees of freedom.
fn length(n: usize) -> usize {
    (2 * n).max(n + 1)
}

fn open(
    channel: &mut dyn Channel,
    transport: Transport,
    n: usize,
    until: Instant,
) -> Result<Result<(), Violation>, Trouble> {
    if transport == Transport::Tcp {
        let mut answer = [0; PROBE];
        channel.send(&put_whole(ONE), until)?;
        receive(channel, &mut answer, until)?;
        if whole(&answer) != Some(ONE) {
            return Ok(Err(Violation::ByteOrder));
        }
    }
    let mut message = vec![0; BOOT * F64];
    put([Action::Open.code(), 1.0, VERSION], &mut message);
    channel.send(&message, until)?;
    receive(channel, &mut message, until)?;
    if number(&message, 0) != OPENED || number(&message, 2) != VERSION {
        return Ok(Err(Violation::Version(number(&message, 2))));
    }
    put([Action::Setup.code(), length(n) as f64], &mut message);
    channel.send(&message, until)?;
    let n = n as i32;
    channel.send(&put_whole([n, 0, 0, 0, 0]), until)?;
    channel.send(&put_whole([n, 0, 0, n, 0]), until)?;
    Ok(Ok(()))
}

impl Partner for Shadow {
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
        let began = Instant::now();
        if let Err(trouble) = self.ask(u, reached, force) {
            // Whatever came now would belong to a step that was given up.
            self.connection.close();
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

impl Drop for Shadow {
    fn drop(&mut self) {
        self.end();
    }
}
