//! One instance of a unit, whatever its version: what may be called when, and what its answers mean.

use std::ffi::CString;
use std::path::Path;

use crate::description::{Description, Kind, Variable, Version};
use crate::log::Log;
use crate::scratch::Scratch;
use crate::{Error, fmi2, fmi3};

/// What a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, maybe with a warning.
    Fine,
    /// Not done; the instance is as it was.
    Discard,
    /// The instance cannot go on.
    Error,
    /// No instance of this unit can go on, and none may be called again.
    Fatal,
    /// A status that must not be here: a step that goes on in the background, or a number without a meaning.
    Strange(i32),
}

impl Status {
    /// Of its number, which is the same in both versions.
    pub(crate) fn of(number: i32) -> Self {
        match number {
            0 | 1 => Status::Fine,
            2 => Status::Discard,
            3 => Status::Error,
            4 => Status::Fatal,
            n => Status::Strange(n),
        }
    }

    fn words(self) -> String {
        match self {
            Status::Fine => "fine".into(),
            Status::Discard => "discarded".into(),
            Status::Error => "an error".into(),
            Status::Fatal => "a fatal error".into(),
            Status::Strange(5) => "an unfinished step, which was not allowed".into(),
            Status::Strange(n) => format!("status {n}, which does not exist"),
        }
    }
}

/// How far a step went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Progress {
    /// To its end.
    Whole,
    /// To this time only.
    Until(f64),
    /// The unit wants the simulation to end.
    Ended,
}

/// The calls that both versions have. Values travel as numbers and are converted by the [`Kind`] of the variable.
pub(crate) trait Slave: Send {
    /// Leaves it ready for start values of inputs at this time.
    fn enter_initialisation(&mut self, start: f64) -> Status;
    /// From here on it can step.
    fn exit_initialisation(&mut self) -> Status;
    fn set(&mut self, kind: Kind, reference: u32, value: f64) -> Status;
    fn set_text(&mut self, reference: u32, text: &CString) -> Status;
    fn get(&mut self, kind: Kind, reference: u32) -> (Status, f64);
    fn step(&mut self, from: f64, size: f64) -> (Status, Progress);
    fn terminate(&mut self) -> Status;
    /// Nothing of it may be called again, not even to free it.
    fn abandon(&mut self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Made,
    Initialising,
    Stepping,
    /// Terminated, or failed.
    Over,
}

/// An instance. It is terminated and freed when it goes.
pub struct Instance {
    slave: Box<dyn Slave>,
    phase: Phase,
    log: Log,
    name: String,
    /// Behind the slave, so that its library is unloaded before its files go.
    _files: Option<Scratch>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("name", &self.name).field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl Instance {
    /// Loads the library and makes an instance. `folder` holds `resources`.
    pub(crate) fn new(
        description: &Description,
        library: &Path,
        folder: &Path,
        files: Option<Scratch>,
    ) -> Result<Self, Error> {
        let log = Log::default();
        let slave: Box<dyn Slave> = match description.version {
            Version::Two => Box::new(fmi2::Component::new(description, library, folder, log.clone())?),
            Version::Three => Box::new(fmi3::Component::new(description, library, folder, log.clone())?),
        };
        Ok(Instance { slave, phase: Phase::Made, log, name: description.model.clone(), _files: files })
    }

    /// What it says; shared.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Begins the initialisation at a time (s); parameters are set before, inputs after it.
    ///
    /// # Errors
    /// When the unit refuses, with its last message.
    pub fn enter_initialisation(&mut self, start: f64) -> Result<(), Error> {
        self.expect(Phase::Made, "initialise")?;
        let status = self.slave.enter_initialisation(start);
        self.judge(status, "the initialisation")?;
        self.phase = Phase::Initialising;
        Ok(())
    }

    /// Ends the initialisation.
    ///
    /// # Errors
    /// When the unit refuses, with its last message.
    pub fn exit_initialisation(&mut self) -> Result<(), Error> {
        self.expect(Phase::Initialising, "end the initialisation")?;
        let status = self.slave.exit_initialisation();
        self.judge(status, "the end of the initialisation")?;
        self.phase = Phase::Stepping;
        Ok(())
    }

    /// Sets a number, in the unit of the variable.
    ///
    /// # Errors
    /// When the unit refuses, with its last message.
    pub fn set(&mut self, variable: &Variable, value: f64) -> Result<(), Error> {
        self.alive()?;
        let status = self.slave.set(variable.kind, variable.reference, value);
        if status == Status::Fine { Ok(()) } else { self.judge(status, &format!("`{}` = {value}", variable.name)) }
    }

    /// Sets a text.
    ///
    /// # Errors
    /// When the unit refuses, with its last message.
    pub fn set_text(&mut self, variable: &Variable, text: &str) -> Result<(), Error> {
        self.alive()?;
        let zero = |_| Error::new(format!("the text for `{}` has a zero in it", variable.name), "");
        let c = CString::new(text).map_err(zero)?;
        let status = self.slave.set_text(variable.reference, &c);
        self.judge(status, &format!("`{}` = \"{text}\"", variable.name))
    }

    /// A number, in the unit of the variable.
    ///
    /// # Errors
    /// When the unit refuses, with its last message.
    pub fn get(&mut self, variable: &Variable) -> Result<f64, Error> {
        self.alive()?;
        let (status, value) = self.slave.get(variable.kind, variable.reference);
        if status == Status::Fine {
            Ok(value)
        } else {
            self.judge(status, &format!("`{}`", variable.name)).map(|()| value)
        }
    }

    /// Steps from a time over a time (s).
    ///
    /// # Errors
    /// When the unit does not go to the end of the step: it cannot be rewound, so this is the end.
    pub fn step(&mut self, from: f64, size: f64) -> Result<(), Error> {
        self.expect(Phase::Stepping, "step")?;
        let (status, progress) = self.slave.step(from, size);
        if (status, progress) == (Status::Fine, Progress::Whole) {
            return Ok(());
        }
        let what = format!("the step from {from} s over {size} s");
        if matches!(status, Status::Fine | Status::Discard) && progress != Progress::Whole {
            self.phase = Phase::Over;
            let message = match progress {
                Progress::Until(t) => format!("`{}` advanced only to {t} s in {what}", self.name),
                _ => format!("`{}` requests the end of the simulation in {what}", self.name),
            };
            return Err(Error::new(self.with_last(message), "use a smaller step, or read the messages of the FMU"));
        }
        self.judge(status, &what)
    }

    /// Ends it in order. Nothing but dropping may follow.
    pub fn terminate(&mut self) {
        if self.phase == Phase::Stepping && self.slave.terminate() == Status::Fatal {
            self.slave.abandon();
        }
        self.phase = Phase::Over;
    }

    fn alive(&self) -> Result<(), Error> {
        if self.phase == Phase::Over { Err(Error::new(format!("`{}` has ended", self.name), "")) } else { Ok(()) }
    }

    fn expect(&self, phase: Phase, what: &str) -> Result<(), Error> {
        self.alive()?;
        if self.phase == phase { Ok(()) } else { Err(Error::new(format!("`{}` cannot {what} now", self.name), "")) }
    }

    /// After anything but success the instance is over; after a fatal error it is not even freed.
    fn judge(&mut self, status: Status, what: &str) -> Result<(), Error> {
        match status {
            Status::Fine => return Ok(()),
            Status::Fatal => self.slave.abandon(),
            Status::Discard | Status::Error | Status::Strange(_) => {}
        }
        self.phase = Phase::Over;
        let message = format!("`{}` returned {} for {what}", self.name, status.words());
        Err(Error::new(self.with_last(message), ""))
    }

    fn with_last(&self, message: String) -> String {
        match self.log.last() {
            Some(said) => format!("{message}: {said}"),
            None => message,
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.terminate();
    }
}
