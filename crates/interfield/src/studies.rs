//! What is learned of schemes and couplings by stepping them, as numbers: spectra, observed orders, maps of stability,
//! the matrix of a step.

use std::path::PathBuf;

use interfield_analysis::order::{Convergence, Trajectory, convergence};
use interfield_analysis::scan::scan;
use interfield_analysis::spectrum::{Spectrum, SpectrumError, spectrum};
use interfield_analysis::stability::{Options, StepMatrix, step_matrix};
use interfield_coupling::registry::{COUPLINGS, CouplingInfo, find};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Dims, Domain, Scheme};
use interfield_language::Model;
use interfield_language::diag::did_you_mean;
use interfield_structure::assembled::oscillator;
use interfield_structure::specimen::Rehearsal;
use interfield_structure::{Simulation, Structure};

use crate::refused::{Cause, Refused};
use crate::stability::machine::assemble;
use crate::stability::{judge_quietly, with_step};
use crate::table::time;
use crate::{Choices, ModelFile};

/// Spectra of a scheme on an oscillator of damping ratio `xi`, at each Ω = ω dt.
///
/// # Errors
/// A sentence.
pub fn spectra(scheme: AnyScheme, xi: f64, omegas: &[f64]) -> Result<Vec<Spectrum>, String> {
    let one = |&omega: &f64| {
        let system = oscillator(xi).map_err(SpectrumError::Step)?;
        let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(&scheme, &system);
        let mut domain =
            Domain::new(scheme, system, omega, vec![0.0; nx], vec![0.0; nw]).map_err(SpectrumError::Step)?;
        spectrum(&mut domain, omega)
    };
    omegas.iter().map(one).collect::<Result<_, _>>().map_err(|e| match e {
        SpectrumError::Step(_) => "a step of the oscillator fails".to_owned(),
        SpectrumError::Eigen(e) => e.to_string(),
    })
}

/// What runs with halved steps show, of displacements, velocities and element states.
pub struct Observed {
    /// Displacements.
    pub u: Convergence,
    /// Velocities.
    pub v: Convergence,
    /// Element states, where there are some.
    pub s: Option<Convergence>,
    /// Order that the scheme claims; couplings say theirs in words.
    pub claimed: Option<u32>,
}

/// Most numbers kept of each run for the comparison.
const MAX_KEPT: u64 = 20_000_000;

impl ModelFile {
    /// Observed order of accuracy over `levels` runs, each with half the step of the previous one.
    ///
    /// # Errors
    /// Everything that stands against the runs, and a step that fails.
    pub fn order(&self, choices: &Choices, levels: u32) -> Result<Observed, Refused> {
        let mut runs: Vec<Trajectory> = Vec::new();
        let (mut dt, mut dims, mut claimed) = (0.0, Vec::new(), None);
        let (first, places) = self.model(choices)?;
        for level in 0..levels {
            let mut model = first.clone();
            // All runs share the grid of the coarsest.
            if level == 0 {
                dt = model.analysis.dt;
            }
            let coarse = (model.analysis.duration / dt).round().max(1.0);
            model.analysis.duration = coarse * dt;
            model.analysis.dt = dt / f64::powi(2.0, level as i32);
            claimed = model.partition.is_none().then(|| model.analysis.scheme.claims().order);
            // What is doubtful about the model is said once.
            let structure = match level {
                0 => self.assemble(model, &places)?,
                _ => Structure::new(model).map_err(|problems| Refused::of(Cause::Input, &problems))?,
            };
            let mut sim = self.start(structure, &places, &mut Rehearsal)?;
            dims = (0..sim.count()).map(|i| sim.coupling.dims_of(i)).collect();
            runs.push(trajectory(&mut sim, &dims, coarse as u64, 1 << level).map_err(|message| {
                let help = "try a smaller step with --dt, or a shorter time with --until";
                Refused::new(Cause::Fault, message, help).in_file(self.path().display().to_string(), None)
            })?);
        }
        let n = dims.iter().map(|d| d.nu).sum();
        Ok(Observed {
            u: convergence(dt, &runs, |y| &y[..n]),
            v: convergence(dt, &runs, |y| &y[n..2 * n]),
            s: dims.iter().any(|d| d.ns > 0).then(|| convergence(dt, &runs, |y| &y[2 * n..])),
            claimed,
        })
    }

    /// The matrix of one step of the model, whole or in its substructures, behind its actuators, about its initial state.
    ///
    /// # Errors
    /// A sentence.
    pub fn step_matrix(&self, choices: &Choices) -> Result<StepMatrix, String> {
        let (mut machine, _) = assemble(self.variant(choices)?)?;
        step_matrix(machine.coupling.as_mut(), &Options::default())
            .map_err(|fault| format!("while the step was probed, {}", machine.explain(fault)))
    }

    /// Spectral radius of the step of the model for each set of choices, and whether nothing grows.
    ///
    /// # Errors
    /// The first that cannot be judged.
    pub fn radii(&self, all: &[Choices], progress: impl FnMut(usize)) -> Result<Vec<(f64, bool)>, String> {
        let variants = self.variants();
        let models = all.iter().map(|choices| variants.model(choices)).collect::<Result<Vec<_>, _>>()?;
        scan(&models, |model| judge_quietly(model.clone()), progress).into_iter().collect()
    }
}

/// Takes `ratio` steps for each of the `coarse` ones and keeps [u v s] where these end; the error is a sentence for the user.
fn trajectory(sim: &mut Simulation, dims: &[Dims], coarse: u64, ratio: u64) -> Result<Trajectory, String> {
    let numbers: usize = dims.iter().map(|d| d.state()).sum();
    let keep = (coarse * numbers as u64).div_ceil(MAX_KEPT).max(1);
    let mut kept = Trajectory::new();
    for k in 0..coarse * ratio {
        if let Err(fault) = sim.step(k) {
            let (t, dt) = (time(k as f64 * sim.dt()), time(sim.dt()));
            return Err(format!("at t = {t} with a step of {dt}: {}", sim.explain(fault)));
        }
        if (k + 1) % (ratio * keep) == 0 {
            let parts: Vec<_> = sim.states().zip(dims).collect();
            let u = parts.iter().flat_map(|(y, d)| &y[..d.nu]);
            let v = parts.iter().flat_map(|(y, d)| &y[d.nu..2 * d.nu]);
            let s = parts.iter().flat_map(|(y, d)| &y[2 * d.nu..d.state()]);
            kept.push(u.chain(v).chain(s).copied().collect());
        }
    }
    Ok(kept)
}

/// The split mass, m = k = 1, with the ratio of masses m_A / m_B and that of stiffnesses k_B / k_A.
const SPLIT_MASS: &str = r#"
title = "Split mass"
parameters = { mass_ratio = 1, stiffness_ratio = 1 }
node = [{ name = "mass", dofs = ["x"], mass = "1 kg" }]
element = [
  { type = "spring", name = "a", nodes = ["ground", "mass"], dof = "x", k = "1 N/m/(1 + stiffness_ratio)" },
  { type = "spring", name = "b", nodes = ["ground", "mass"], dof = "x", k = "1 N/m*stiffness_ratio/(1 + stiffness_ratio)" },
]
substructure = [
  { name = "A", elements = ["a"], side = "coarse", interface_mass = "mass_ratio/(1 + mass_ratio)" },
  { name = "B", elements = ["b"], side = "fine" },
]
analysis = { dt = "1 s", duration = "1 s" }
record = { channels = ["mass.x"] }
"#;

/// The ratio that a map of stability varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratio {
    /// m_A / m_B = k_B / k_A; at 1, both sides have the frequency of the whole
    B1,
    /// m_A / m_B, with equal stiffnesses
    Mass,
    /// k_B / k_A, with equal masses
    Stiffness,
}

impl Ratio {
    /// All, with their names.
    pub const ALL: [(&'static str, Ratio); 3] =
        [("b1", Ratio::B1), ("mass", Ratio::Mass), ("stiffness", Ratio::Stiffness)];

    fn parameters(self) -> &'static [&'static str] {
        match self {
            Ratio::B1 => &["mass_ratio", "stiffness_ratio"],
            Ratio::Mass => &["mass_ratio"],
            Ratio::Stiffness => &["stiffness_ratio"],
        }
    }
}

/// Where a coupling is stable on the split mass: over Ω, a ratio of the two sides, and substeps.
#[derive(Clone, Debug)]
pub struct SplitMassMap {
    /// Coupling.
    pub coupling: String,
    /// Scheme of both sides; `None`: the one that the coupling suggests.
    pub scheme: Option<String>,
    /// Parameters of the scheme.
    pub param: Vec<(String, String)>,
    /// What is varied.
    pub ratio: Ratio,
    /// Values of Ω = ω dt.
    pub omegas: Vec<f64>,
    /// Values of the ratio.
    pub ratios: Vec<f64>,
    /// Substeps of the fine side.
    pub substeps: Vec<u32>,
}

impl SplitMassMap {
    /// The entry of the coupling.
    ///
    /// # Errors
    /// When there is none.
    pub fn info(&self) -> Result<&'static CouplingInfo, Refused> {
        find(&self.coupling).ok_or_else(|| {
            let names: Vec<&str> = COUPLINGS.iter().map(|m| m.name).collect();
            let help = did_you_mean(&self.coupling, names.iter().copied())
                .unwrap_or_else(|| format!("couplings are {}", names.join(", ")));
            Refused::new(Cause::Input, format!("there is no coupling `{}`", self.coupling), help)
        })
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.omegas.len() * self.ratios.len() * self.substeps.len()
    }

    /// Radius and stability of all cells, by substeps, then by ratio, then by Ω, and the scheme that was used.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn examine(&self, mut progress: impl FnMut(usize)) -> Result<(Vec<(f64, bool)>, String), Refused> {
        let info = self.info()?;
        let mut models: Vec<Model> = Vec::new();
        for &substeps in &self.substeps {
            for &ratio in &self.ratios {
                models.push(self.model(info.scheme, substeps, ratio)?);
            }
        }
        let cells: Vec<(usize, f64)> =
            (0..models.len()).flat_map(|m| self.omegas.iter().map(move |w| (m, *w))).collect();
        let found = scan(&cells, |&(m, dt)| judge_quietly(with_step(&models[m], dt)), &mut progress);
        let found: Result<Vec<(f64, bool)>, String> = found.into_iter().collect();
        let found = found
            .map_err(|why| Refused::new(Cause::Input, why, "choose another coupling, scheme or number of substeps"))?;
        let scheme = models.first().and_then(|m| m.partition.as_ref()).map(|p| p.substructures[0].scheme_name.clone());
        Ok((found, scheme.unwrap_or_default()))
    }

    fn model(&self, scheme: &str, substeps: u32, ratio: f64) -> Result<Model, Refused> {
        let choices = Choices {
            set: self.ratio.parameters().iter().map(|n| ((*n).to_owned(), format!("{ratio:e}"))).collect(),
            scheme: Some(self.scheme.clone().unwrap_or_else(|| scheme.to_owned())),
            param: self.param.clone(),
            coupling: Some(self.coupling.clone()),
            substeps: Some(substeps),
            ..Choices::default()
        };
        let file = ModelFile::embedded("split mass", SPLIT_MASS.to_owned(), PathBuf::new());
        file.model(&choices).map(|(model, _)| model)
    }
}
