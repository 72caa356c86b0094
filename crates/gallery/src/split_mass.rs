//! The split mass of papers 000 to 002: one oscillator of unit frequency cut in two, on which the couplings are judged.
//!
//! b1 = m_A / m_B = k_B / k_A. Ω = ωΔt_A, where Δt_A is the step of A: that of the analysis in the staggered scheme, four of
//! them in the parallel one.

use interfield_analysis::spectrum::{Spectrum, spectrum};
use interfield_analysis::stability::{Options, stability};
use interfield_language::Model;
use interfield_structure::Simulation;

use crate::item::Stopped;
use crate::models::{SPLIT_MASS, Settings, start_parts, with_step};

/// Growth per step below this is rounding.
const ROUNDING: f64 = 1e-8;

/// A coupling of the two halves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    /// Name of the coupling.
    pub coupling: &'static str,
    /// γ of LSRT2: `minus` or `plus`.
    pub gamma: &'static str,
    /// Ratio of masses and of stiffnesses.
    pub b1: f64,
    /// Substeps of B.
    pub ss: u32,
}

/// The staggered scheme of 001.
pub(crate) fn staggered(gamma: &'static str, b1: f64, ss: u32) -> Cut {
    Cut { coupling: "staggered", gamma, b1, ss }
}

/// The parallel scheme of 000 to 002.
pub(crate) fn parallel(gamma: &'static str, b1: f64, ss: u32) -> Cut {
    Cut { coupling: "plsrt2", gamma, b1, ss }
}

impl Cut {
    /// In a title or a legend.
    pub(crate) fn words(&self) -> String {
        let sign = if self.gamma == "minus" { '−' } else { '+' };
        format!("γ = 1 {sign} √2/2, b₁ = {}, ss = {}", self.b1, self.ss)
    }

    /// The model, ready for any step.
    pub(crate) fn model(&self) -> Result<CutModel, Stopped> {
        // With classical multipliers the sides are in state space, and ρ∞ = 1 is the midpoint rule.
        let (scheme, param) = if self.coupling == "clm" {
            ("state-space-alpha", ("rho_inf", "1"))
        } else {
            ("lsrt2", ("gamma", self.gamma))
        };
        let model = SPLIT_MASS.with(&Settings {
            set: &[("b1", &self.b1.to_string())],
            scheme,
            param: &[param],
            coupling: self.coupling,
            substeps: self.ss,
            ..Settings::default()
        })?;
        Ok(CutModel { model, cut: *self })
    }
}

/// A coupled model, ready for any step.
pub(crate) struct CutModel {
    pub model: Model,
    pub cut: Cut,
}

/// A range of Ω in which a motion grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub from: f64,
    pub to: f64,
    /// Largest spectral radius in it.
    pub radius: f64,
}

/// Values from `from` to `to` in equal ratios.
pub(crate) fn spaced(from: f64, to: f64, count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| from * (to / from).powf(f64::from(i) / f64::from(count - 1)))
}

impl CutModel {
    /// Steps of the analysis in Δt_A.
    fn steps(&self) -> f64 {
        if self.cut.coupling == "plsrt2" { 4.0 } else { 1.0 }
    }

    fn machine(&self, omega: f64) -> Result<Simulation, Stopped> {
        start_parts(with_step(&self.model, omega / self.steps()))
    }

    /// Eigenvalues of one step of the analysis at Ω; its principal pair turns by Ω over the steps in Δt_A.
    pub(crate) fn spectrum(&self, omega: f64) -> Result<Spectrum, Stopped> {
        let fault = |e| Stopped::Fault(format!("{:?} at Ω = {omega}: {e:?}", self.cut));
        spectrum(self.machine(omega)?.coupling.as_mut(), omega / self.steps()).map_err(fault)
    }

    /// Algorithmic damping over Ω³ at Ω, which is the leading term of a second-order method; negative: the motion grows.
    pub(crate) fn leading_damping(&self, omega: f64) -> Result<f64, Stopped> {
        let principal = self.spectrum(omega)?.principal;
        Ok(principal.map_or(f64::NAN, |p| p.damping / omega.powi(3)))
    }

    /// Spectral radius at Ω if a motion grows there.
    pub(crate) fn growth(&self, omega: f64) -> Result<Option<f64>, Stopped> {
        let fault = |e| Stopped::Fault(format!("{:?} at Ω = {omega}: {e:?}", self.cut));
        let found =
            stability(self.machine(omega)?.coupling.as_mut(), &Options { tolerance: ROUNDING, ..Options::default() })
                .map_err(fault)?;
        Ok((!found.stable).then_some(found.radius))
    }

    /// The windows of Ω from 0.1 to 1000 in which a motion grows; a window that is open at
    /// the end ends at 1000.
    pub(crate) fn windows(&self) -> Result<Vec<Window>, Stopped> {
        let mut windows: Vec<Window> = Vec::new();
        let mut before = (0.1, self.growth(0.1)?);
        let mut from = before.1.map(|_| before.0);
        for omega in spaced(0.1, 1e3, 321).skip(1) {
            let now = (omega, self.growth(omega)?);
            match (before.1, now.1) {
                (None, Some(_)) => from = Some(self.edge(before.0, omega)?),
                (Some(_), None) => {
                    if let Some(from) = from.take() {
                        windows.push(Window { from, to: self.edge(omega, before.0)?, radius: 0.0 });
                    }
                }
                _ => {}
            }
            before = now;
        }
        windows.extend(from.map(|from| Window { from, to: before.0, radius: 0.0 }));
        for window in &mut windows {
            for omega in spaced(window.from, window.to, 41) {
                window.radius = window.radius.max(self.growth(omega)?.unwrap_or(0.0));
            }
        }
        Ok(windows)
    }

    /// The place between a step that is calm and one that grows where this changes.
    fn edge(&self, mut calm: f64, mut grows: f64) -> Result<f64, Stopped> {
        while (calm - grows).abs() > 1e-4 * grows {
            let middle = 0.5 * (calm + grows);
            if self.growth(middle)?.is_some() { grows = middle } else { calm = middle }
        }
        Ok(grows)
    }
}
