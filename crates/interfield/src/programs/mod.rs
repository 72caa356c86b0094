//! The programs that compute externals of a model: started, asked for their stiffness, lent to the run, and stopped.

mod process;
mod unit;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use interfield_kernel::{Archive, StateError};
use interfield_lab::partner::{Converted, Partner, Trouble};
use interfield_language::Model;
use interfield_language::external::{Endpoint, External, Program};
use interfield_language::units::Dimension;
use interfield_peers::channel::{PeerAddress, Transport};
use interfield_peers::opensees::{Adapter, Settings};
use interfield_peers::site::{self, Shadow};
use interfield_peers::utsim::{self, Integrator, Precision};
use interfield_structure::external::identify;

use crate::callables::Callables;
use process::Process;
pub use process::become_program;
pub use unit::mistakes;
pub use words::{described, described_json, json, text};

/// Environment of a program: the port at which it listens.
const PORT: &str = "INTERFIELD_PORT";

/// Environment of an OpenSees script: what comes after -stif of its adapter, row by row, in its units.
const ADAPTER: &str = "INTERFIELD_ADAPTER_STIFFNESS";

/// What is known of a program, also when it has gone.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// How its process ended, if it was started here, as the rest of a sentence; and what it said last.
    ending: Option<(String, String)>,
    /// What a unit said, if it was loaded into this process.
    messages: Option<String>,
    /// What its protocol counted, by name.
    account: Vec<(&'static str, f64)>,
}

impl Story {
    /// What it said last, each line after a bar; empty if nothing.
    fn said(&self) -> String {
        let ending = self.ending.as_ref().map(|e| e.1.clone());
        ending.or_else(|| self.messages.clone()).unwrap_or_default()
    }
}

/// What is told of an external.
#[derive(Clone, Debug)]
pub struct ProgramLog {
    /// Name of the external.
    pub name: String,
    program: &'static str,
    at: String,
    log: Option<PathBuf>,
    /// Moves by which its stiffness was identified; none if it was given.
    identified: Option<usize>,
    story: Arc<Mutex<Story>>,
}

impl ProgramLog {
    fn story(&self) -> Story {
        self.story.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All programs of a model. Those that nobody took are stopped with it.
#[derive(Default)]
pub struct Programs {
    running: Vec<(String, Box<dyn Partner>)>,
    program_logs: Vec<ProgramLog>,
}

impl Programs {
    /// Starts the programs of a model whose file is in `folder`, and settles the stiffnesses that are to be identified. Logs
    /// are named after `results`. The error is a sentence for the user, about the external with that name.
    pub fn start(model: &mut Model, folder: &Path, results: &Path) -> Result<Self, String> {
        Self::start_with(model, folder, results, &mut Callables::default())
    }

    /// The same with functions of the caller, which are taken out.
    pub fn start_with(
        model: &mut Model,
        folder: &Path,
        results: &Path,
        callables: &mut Callables,
    ) -> Result<Self, String> {
        let mut programs = Programs::default();
        for i in 0..model.externals.len() {
            let external = model.externals[i].clone();
            let named = |message: String| format!("external `{}`: {message}", external.name);
            let log = results.with_extension(format!("{}.log", external.name));
            let started = match external.program {
                Program::Callable => called(model, &external, callables),
                _ => start(model, &external, folder, &log),
            };
            let (mut partner, mut program_logs) = started.map_err(named)?;
            if external.probe.is_some() {
                let found = identify(&external, &mut partner).map_err(|message| {
                    partner.finish();
                    named(message + &program_logs.story().said())
                })?;
                model.settle(i, found.stiffness);
                program_logs.identified = Some(found.moves);
            }
            programs.running.push((external.name, Box::new(partner)));
            programs.program_logs.push(program_logs);
        }
        Ok(programs)
    }

    /// The program of an external, once.
    pub fn take(&mut self, external: &External) -> Result<Box<dyn Partner>, String> {
        let found = self.running.iter().position(|(name, _)| *name == external.name);
        found.map(|i| self.running.swap_remove(i).1).ok_or_else(|| "its program is not running".to_owned())
    }

    /// What is told of them.
    pub fn program_logs(&self) -> &[ProgramLog] {
        &self.program_logs
    }
}

/// A program that listens, with the process that was started for it.
fn start(model: &Model, external: &External, folder: &Path, log: &Path) -> Result<(Supervised, ProgramLog), String> {
    if let Program::Fmu(unit) = &external.program {
        let partner = unit::load(model, external, unit, folder)?;
        let said = Some(partner.log());
        let program_logs = program_logs(external, unit.file.clone(), None);
        return Ok((
            Supervised { partner: Some(Box::new(partner)), process: None, said, story: program_logs.story.clone() },
            program_logs,
        ));
    }
    let at = match &external.at {
        Some(at) => at.clone(),
        None => free_port().map_err(|e| format!("no port is free: {e}"))?,
    };
    let started = !external.command.is_empty();
    let mut process = None;
    if started {
        if taken(&at) {
            return Err(format!("{at} is used by another program; stop it, or write another `at`"));
        }
        let mut variables = vec![(PORT, at.port.to_string())];
        if let Program::OpenSees { adapter } = &external.program {
            let stif = diagonal(&in_its_units(model, external, adapter));
            variables.push((ADAPTER, stif.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(" ")));
        }
        process = Some(Process::start(&external.command, folder, &variables, log)?);
    }
    let mut go_on = || process.as_mut().is_none_or(Process::runs);
    let partner = match connect(model, external, &at, &mut go_on) {
        Ok(partner) => partner,
        Err(why) => return Err(not_listening(external, &at, why, process)),
    };
    let program_logs = program_logs(external, at.to_string(), started.then(|| log.to_owned()));
    Ok((Supervised { partner: Some(partner), process, said: None, story: program_logs.story.clone() }, program_logs))
}

/// A function of the caller.
fn called(model: &Model, external: &External, callables: &mut Callables) -> Result<(Supervised, ProgramLog), String> {
    let partner = callables.law(&external.name).ok_or(
        "it is computed by a function of the program that runs the model, and there is none; run the model from that \
         program, such as Python with `laws={...}`",
    )?;
    let (found, wanted) = (partner.dofs(), external.dofs.len());
    if found != wanted {
        return Err(format!("its function has {found} degrees of freedom, the model {wanted}"));
    }
    let time = external.units.factor(Dimension::TIME);
    let partner = Converted::new(partner, external.dof_units(model), time);
    let program_logs = program_logs(external, "this process".to_owned(), None);
    let story = program_logs.story.clone();
    Ok((Supervised { partner: Some(Box::new(partner)), process: None, said: None, story }, program_logs))
}

fn program_logs(external: &External, at: String, log: Option<PathBuf>) -> ProgramLog {
    let (name, program) = (external.name.clone(), external.program.name());
    ProgramLog { name, program, at, log, identified: None, story: Arc::default() }
}

/// Connects to a program: the one place where programs are told apart. A new one gets a variant of
/// [`interfield_language::external::Program`] with its keys (parser: `parse/externals.rs`, reference: `schema/externals.rs`), and
/// here the line that makes its [`Partner`]. One that speaks in other units than SI is wrapped in [`Converted`]; one that
/// is loaded instead of started, as a unit is, branches off in `start`. As long as nobody listens, `go_on` says whether to wait.
fn connect(
    model: &Model,
    external: &External,
    at: &Endpoint,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Box<dyn Partner>, String> {
    let transport = if at.datagrams { Transport::Udp } else { Transport::Tcp };
    let host =
        if at.host.contains(':') { format!("[{}]:{}", at.host, at.port) } else { format!("{}:{}", at.host, at.port) };
    let place = PeerAddress { transport, host };
    let (patience, timeout) = (Duration::from_secs_f64(external.start), Duration::from_secs_f64(external.timeout));
    let (dofs, time) = (external.dofs.len(), external.units.factor(Dimension::TIME));
    match &external.program {
        Program::OpenSees { adapter } => {
            let stiffness = diagonal(&in_its_units(model, external, adapter));
            let adapter = Adapter::connect(&Settings { place, stiffness, patience, timeout }, go_on);
            let adapter = adapter.map_err(|e| e.to_string())?;
            Ok(Box::new(Converted::new(adapter, external.dof_units(model), time)))
        }
        Program::OpenFresco => {
            let site = Shadow::connect(&site::Settings { place, dofs, patience, timeout }, go_on);
            let site = site.map_err(|e| e.to_string())?;
            Ok(Box::new(Converted::new(site, external.dof_units(model), time)))
        }
        Program::UtSim => {
            let settings = utsim::Settings { place, dofs, precision: Precision::Double, patience, timeout };
            let substructure = Integrator::connect(&settings, go_on).map_err(|e| e.to_string())?;
            Ok(Box::new(Converted::new(substructure, external.dof_units(model), time)))
        }
        Program::Fmu(unit) => Err(format!("{} is loaded and has no address", unit.file)),
        Program::Callable => Err("a function has no address".to_owned()),
    }
}

/// Stiffnesses on the degrees of freedom of an external, in the units of its program.
fn in_its_units(model: &Model, external: &External, stiffness: &[f64]) -> Vec<f64> {
    external.dof_units(model).iter().zip(stiffness).map(|([disp, force], k)| k * disp / force).collect()
}

/// A diagonal matrix, row by row.
fn diagonal(entries: &[f64]) -> Vec<f64> {
    let n = entries.len();
    (0..n * n).map(|k| if k / n == k % n { entries[k / n] } else { 0.0 }).collect()
}

/// A port of this machine that nobody listens at.
fn free_port() -> std::io::Result<Endpoint> {
    let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    Ok(Endpoint { datagrams: false, host: "127.0.0.1".to_owned(), port })
}

/// Whether somebody else has a port of this machine, whom we would take for the program.
fn taken(at: &Endpoint) -> bool {
    let refused = |e: std::io::Error| e.kind() == std::io::ErrorKind::AddrInUse;
    match at.datagrams {
        true => std::net::UdpSocket::bind((at.host.as_str(), at.port)).err().is_some_and(refused),
        false => std::net::TcpListener::bind((at.host.as_str(), at.port)).err().is_some_and(refused),
    }
}

/// Why there is no connection, in words.
fn not_listening(external: &External, at: &Endpoint, why: String, process: Option<Process>) -> String {
    let Some(mut process) = process else {
        return format!("no answer at {at} ({why}); start the program first, or write `command`");
    };
    let what = external.command.join(" ");
    if process.runs() {
        process.end(Duration::ZERO);
        let waited = crate::table::short(external.start);
        return format!("`{what}` does not listen at {at} after {waited} s; it was stopped{}", process.last_words());
    }
    format!("`{what}` {} before it listened at {at}{}", process.ending(), process.last_words())
}

/// A partner with its process.
struct Supervised {
    /// Until the end.
    partner: Option<Box<dyn Partner>>,
    process: Option<Process>,
    /// What a unit says.
    said: Option<interfield_fmi::Log>,
    story: Arc<Mutex<Story>>,
}

impl Partner for Supervised {
    fn dofs(&self) -> usize {
        self.partner.as_ref().map_or(0, |p| p.dofs())
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        self.partner.as_mut().ok_or(Trouble::Gone)?.exchange(t, u, v, reached, force)
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        match &mut self.partner {
            Some(partner) => partner.persist(archive),
            None => archive.fail(StateError::Live("a program that has ended")),
        }
    }

    fn finish(&mut self) {
        let Some(mut partner) = self.partner.take() else { return };
        partner.finish();
        let mut story = Story { account: partner.account(), ..Story::default() };
        // Our end closes first: the port of the other could not be used again for a minute.
        drop(partner);
        if let Some(process) = &mut self.process {
            process.end_gracefully();
            story.ending = Some((process.ending(), process.last_words()));
        }
        story.messages = self.said.as_ref().and_then(unit::last_words);
        *self.story.lock().unwrap_or_else(PoisonError::into_inner) = story;
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.finish();
    }
}
