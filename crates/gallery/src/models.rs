//! The systems: the files of `models/`, built in, and what is done with all of them.

use interfield_kernel::Fault;
use interfield_language::Model;
use interfield_language::Problem;
use interfield_language::diag::Diagnostics;
use interfield_language::include::gather;
use interfield_language::model::Load;
use interfield_language::parse::{Overrides, parse};
use interfield_language::signal::Signal;
use interfield_motion::Record;
use interfield_structure::Simulation;

use crate::item::Stopped;

/// A file of `models/`.
#[derive(Debug)]
pub struct File {
    /// Its name there.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// A file of `models/` by its name without `.toml`.
macro_rules! file {
    ($name:literal) => {
        File { name: concat!($name, ".toml"), text: include_str!(concat!("../../../models/", $name, ".toml")) }
    };
}

/// One mass on two springs, cut into two oscillators: m = k = 1.
pub static SPLIT_MASS: File = file!("split-mass");
/// A forced mass, a quarter of which stands on an actuator in the laboratory.
pub static FORCED_SPLIT_MASS: File = file!("forced-split-mass");
/// Two storeys with a pendulum, in free vibration.
pub static SHEAR_PENDULUM: File = file!("shear-pendulum");
/// The same under an earthquake.
pub static SHEAR_PENDULUM_QUAKE: File = file!("shear-pendulum-quake");
/// The same with a hysteretic first storey.
pub static SHEAR_PENDULUM_BOUC_WEN: File = file!("shear-pendulum-bouc-wen");
/// A pendulum on a spring whose pivot moves against a hysteretic spring.
pub static SPRING_PENDULUM: File = file!("spring-pendulum");
/// A plane frame of three bays and ten storeys.
pub static FRAME: File = file!("frame");
/// A mass with rotary inertia between two members, cut through the mass.
pub static THREE_DOF: File = file!("three-dof");
/// The rig of Trento with two degrees of freedom.
pub static TRENTO_RIG: File = file!("trento-rig");
/// The viaduct of paper 003 as built, with yielding piers.
pub static RIO_TORTO_AS_BUILT: File = file!("rio-torto-as-built");
/// The viaduct of paper 003 on sliding isolators.
pub static RIO_TORTO_ISOLATED: File = file!("rio-torto-isolated");
/// The viaduct as built with a motion at every support, for localized multipliers.
pub static RIO_TORTO_LLM: File = file!("rio-torto-llm");
/// Two springs in series, paper 004, eq. 10.
pub static TWO_SPRINGS: File = file!("two-springs");
/// Cantilever and driven hysteretic spring, paper 004.
pub static CANTILEVER: File = file!("cantilever");

/// A mass on a spring with a nonlinear viscous damper.
pub static VISCOUS_OSCILLATOR: File = file!("viscous-oscillator");
/// The cantilever of paper 004 in real time, with a delay.
pub static CANTILEVER_REAL_TIME: File = file!("cantilever-real-time");
/// A specimen between two supports that move differently.
pub static MULTI_SUPPORT: File = file!("multi-support");
/// The rig of Trento as a real-time test.
pub static TRENTO_TEST: File = file!("trento-test");

/// The spring pendulum of paper 000 as a test: the pendulum hangs in the laboratory.
pub static RIG_PENDULUM: File = file!("rig-pendulum");
/// The hybrid tests of paper 003 as built, at both limit states.
pub static RIO_TORTO_TEST: File = file!("rio-torto-test");
/// The hybrid test of paper 003 on isolators.
pub static RIO_TORTO_TEST_ISOLATED: File = file!("rio-torto-test-isolated");
/// The rig of Trento with four degrees of freedom, its second mass in the laboratory.
pub static TRENTO_FOUR_B: File = file!("trento-four-b");
/// The same with its supports in the laboratory.
pub static TRENTO_FOUR_C: File = file!("trento-four-c");
/// The forced split mass with a controller.
pub static CONTROLLED_SPLIT_MASS: File = file!("controlled-split-mass");

impl File {
    /// The model with these settings in place of its own.
    pub fn with(&self, settings: &Settings<'_>) -> Result<Model, Stopped> {
        let diags = Diagnostics::new();
        let none = |path: &str| Err(format!("`{path}`: models of the gallery must not include other files"));
        let source = gather(self.name, self.text, &none, &diags);
        let model = parse(&source, &settings.overrides(), &none, &diags).filter(|_| !diags.has_errors());
        let mistakes = || Stopped::Fault(format!("{}: {}", self.name, diags.render(&source, false)));
        model.map(|(model, _)| model).ok_or_else(mistakes)
    }
}

/// Settings that replace those of a file, as on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a> {
    /// Parameters of the model: `--set`.
    pub set: &'a [(&'a str, &'a str)],
    /// `--scheme`; empty: that of the file.
    pub scheme: &'a str,
    /// Parameters of the scheme: `--param`.
    pub param: &'a [(&'a str, &'a str)],
    /// `--coupling`; empty: that of the file.
    pub coupling: &'a str,
    /// `--substeps`; 0: those of the file.
    pub substeps: u32,
    /// `--dt`; empty: that of the file.
    pub dt: &'a str,
    /// `--until`; empty: that of the file.
    pub until: &'a str,
}

impl Settings<'_> {
    fn overrides(&self) -> Overrides {
        let pairs = |list: &[(&str, &str)]| list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Overrides {
            set: pairs(self.set),
            scheme: given(self.scheme),
            scheme_parameters: pairs(self.param),
            coupling: given(self.coupling),
            substeps: (self.substeps > 0).then_some(self.substeps),
            dt: given(self.dt),
            duration: given(self.until),
            ..Overrides::default()
        }
    }
}

/// The same model with another step, s.
pub fn with_step(model: &Model, dt: f64) -> Model {
    let mut model = model.clone();
    model.analysis.dt = dt;
    model
}

/// The same model with a record under it instead of its own ground motion, scaled to a peak in m/s², to the end of the record.
pub fn shaken(mut model: Model, record: &Record, peak: f64) -> Result<Model, Stopped> {
    let scaled = record.scaled_to_peak(peak).map_err(|e| Stopped::Fault(e.to_string()))?;
    model.analysis.duration = scaled.duration();
    for load in &mut model.loads {
        if let Load::Ground { signal, .. } = load {
            *signal = Signal::Samples { start: 0.0, dt: scaled.dt, values: scaled.values.clone().into() };
        }
    }
    Ok(model)
}

/// The same model without a laboratory: its specimens are computed, and what only a laboratory measures is not recorded.
pub fn computed(mut model: Model) -> Model {
    model.specimens.clear();
    model.channels.retain(|c| !c.name.ends_with(".measured") && !c.name.ends_with(".reached"));
    model
}

/// The structure in one piece, whatever substructures the model has.
pub fn start_whole(model: Model) -> Result<Simulation, Stopped> {
    Simulation::new(model.in_one_piece()).map_err(|problems| refused(&problems))
}

/// The structure in its substructures.
pub fn start_parts(model: Model) -> Result<Simulation, Stopped> {
    Simulation::new(model).map_err(|problems| refused(&problems))
}

/// Runs to the end of the analysis and keeps all channels at every step; `progress` is told the part of this run that
/// is done, and ends it with an error.
pub fn run(machine: &mut Simulation, progress: impl Fn(f64) -> Result<(), Stopped>) -> Result<History, Stopped> {
    match run_while_it_goes(machine, progress)? {
        (history, None) => Ok(history),
        (_, Some(fault)) => Err(stopped(machine, fault)),
    }
}

/// As [`run`], for runs that may fail on purpose: what there was before the fault, and the fault.
pub fn run_while_it_goes(
    machine: &mut Simulation,
    progress: impl Fn(f64) -> Result<(), Stopped>,
) -> Result<(History, Option<Fault>), Stopped> {
    let steps = machine.steps();
    let (dt, room) = (machine.model.analysis.dt, steps as usize + 1);
    let mut history = History {
        times: Vec::with_capacity(room),
        channels: machine.model.channels.iter().map(|c| (c.name.clone(), Vec::with_capacity(room))).collect(),
    };
    let mut row = vec![0.0; history.channels.len()];
    for k in 0..=steps {
        machine.sample(k, &mut row).map_err(|fault| stopped(machine, fault))?;
        history.times.push(k as f64 * dt);
        history.channels.iter_mut().zip(&row).for_each(|(c, x)| c.1.push(*x));
        if k % SILENT == 0 {
            progress(k as f64 / steps.max(1) as f64)?;
        }
        if k < steps
            && let Err(fault) = machine.step(k)
        {
            return Ok((history, Some(fault)));
        }
    }
    Ok((history, None))
}

/// A fault of a step as the end of an item.
pub fn stopped(machine: &Simulation, fault: Fault) -> Stopped {
    Stopped::Fault(machine.explain(fault))
}

/// Why a model does not start, as the end of an item.
pub(crate) fn refused(problems: &[Problem]) -> Stopped {
    Stopped::Fault(problems.first().map_or_else(|| "it cannot start".to_owned(), |p| p.message.clone()))
}

/// Steps between looks at whether to go on.
const SILENT: u64 = 256;

/// Channels of a run over time.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Times, s.
    pub times: Vec<f64>,
    /// Names and values in their units.
    pub channels: Vec<(String, Vec<f64>)>,
}

impl History {
    /// Values of a channel; empty if it is not recorded.
    pub fn of(&self, channel: &str) -> &[f64] {
        self.channels.iter().find(|(name, _)| name == channel).map_or(&[], |(_, values)| values)
    }

    /// A channel over time.
    pub fn over_time(&self, channel: &str) -> Vec<(f64, f64)> {
        self.times.iter().copied().zip(self.of(channel).iter().copied()).collect()
    }

    /// A channel over another.
    pub fn over(&self, x: &str, y: &str) -> Vec<(f64, f64)> {
        self.of(x).iter().copied().zip(self.of(y).iter().copied()).collect()
    }
}
