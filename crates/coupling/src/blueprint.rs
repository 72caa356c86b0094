//! A started coupling laid open for reading: everything that a copy of it elsewhere (generated code) needs to take the same
//! steps. Tables only; which operations are done with them in which order is told by the file of the coupling.
//!
//! **Must not be here:** behaviour.

use std::ops::Range;

use interfield_kernel::System;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_linalg::Factor;

use crate::fine::Kernel;
use crate::flexibility::Flexibility;
use crate::foh::Guess;
use crate::interface::Port;
use crate::memory::mixed;
use crate::pmc::PmcOptions;
use crate::psl::PslOptions;
use crate::tie::Tie;

/// A coupling and its substructures.
pub struct Blueprint<'a, S> {
    /// Macro-step, s.
    pub h: f64,
    /// Exchanges of the fine side per macro-step.
    pub substeps: usize,
    /// Number of multipliers.
    pub rows: usize,
    /// The substructures of the coarse side, of the fine side, and the twins of the coarse side, where there are some.
    pub subdomains: Vec<Subdomain<'a, S>>,
    /// The coarse ones among them; all under localized multipliers.
    pub coarse: Range<usize>,
    /// The fine ones.
    pub fine: Range<usize>,
    /// The twins.
    pub twins: Range<usize>,
    /// L M⁻¹ Lᵀ of both sides, which the consistent start solves with; none under localized multipliers.
    pub mobility: Option<Flexibility>,
    /// The schedule with its tables.
    pub schedule: Schedule<'a>,
}

impl<'a, S> Blueprint<'a, S> {
    /// A structure in one piece: one side, no multiplier.
    pub fn single(h: f64, subdomain: Subdomain<'a, S>) -> Self {
        Blueprint {
            h,
            substeps: 1,
            rows: 0,
            subdomains: vec![subdomain],
            coarse: 0..1,
            fine: 1..1,
            twins: 1..1,
            mobility: None,
            schedule: Schedule::Single,
        }
    }
}

impl<S: System> Blueprint<'_, S> {
    /// What of the state of the coarse side is mixed where the coupling takes a mean of states.
    pub fn mixed(&self) -> Vec<Range<usize>> {
        mixed(self.subdomains[self.coarse.clone()].iter().map(|p| (p.moved, p.len, p.system)))
    }
}

/// A substructure.
pub struct Subdomain<'a, S> {
    /// Its number in the assembly.
    pub substructure: usize,
    /// Its system; slot 0 is the mass.
    pub system: &'a S,
    /// Initial [u v s].
    pub y0: &'a [f64],
    /// Length of [u v s h], where multipliers act, of its part of the state of its side.
    pub moved: usize,
    /// Length of its part [u v s h z], z what its laws remember.
    pub len: usize,
    /// Its entries of L; rows are counted over all multipliers.
    pub ports: Vec<Port>,
    /// M⁻¹ Lᵀ, one column per port.
    pub inertance: &'a [f64],
    /// Its ways to stride.
    pub steppings: Vec<Stride<'a>>,
}

/// A way to stride.
#[derive(Clone, Copy)]
pub struct Stride<'a> {
    /// Scheme.
    pub scheme: AnyScheme,
    /// Length of a step, s.
    pub dt: f64,
    /// Steps in a stride.
    pub steps: usize,
    /// Slot of the first operator of the scheme.
    pub slot: usize,
    /// Change of the state at the end of a stride per unit of λ₁ at each port, one column per port; empty where the
    /// multipliers act through the stages.
    pub link: &'a [f64],
    /// Whether forces are asked for once in a stride: a free one then simply has λ₁ = 0.
    pub once: bool,
    /// Where in [u v s h] the rates stand that are compared.
    pub rate: usize,
    /// How much later than the state its rates are, s.
    pub lag: f64,
}

/// The interface problem of a fine loop.
pub struct Fine<'a> {
    /// Interpolation of the free velocities of the coarse side.
    pub kernel: Kernel,
    /// H^A, row-major.
    pub ha: &'a [f64],
    /// H^A + H^B.
    pub h: &'a Flexibility,
}

/// One macro-step under a linear multiplier.
pub struct Macro<'a> {
    /// Guess of the multiplier.
    pub guess: Guess,
    /// H^A + H^B.
    pub h: &'a Flexibility,
    /// PH: (L^A L^Aᵀ)⁻¹.
    pub unbalanced: Option<&'a Flexibility>,
}

/// The static modes that close a gap, one per constraint.
pub struct Gap<'a> {
    /// Share κ that is closed.
    pub kappa: f64,
    /// States of the coarse side, one column per constraint.
    pub a: &'a [f64],
    /// States of the fine side.
    pub b: &'a [f64],
    /// Multipliers.
    pub l: &'a [f64],
}

/// What a generalized degree of freedom of localized multipliers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Unknown number i of the condensed matrix.
    Free(usize),
    /// Imposed rate number i.
    Imposed(usize),
}

/// The condensed interface problem of localized multipliers.
pub struct Ties<'a> {
    /// W of each substructure.
    pub blocks: &'a [Flexibility],
    /// Multipliers of each substructure.
    pub ranges: &'a [Range<usize>],
    /// Generalized degree of freedom of each multiplier.
    pub dofs: &'a [usize],
    /// What the generalized degrees of freedom are.
    pub roles: &'a [Role],
    /// The condensed matrix S; none if everything is imposed.
    pub s: Option<&'a Factor>,
}

/// What differs between the couplings.
pub enum Schedule<'a> {
    /// single.rs
    Single,
    /// gc.rs
    #[allow(missing_docs)]
    Gc { fine: Fine<'a> },
    /// pm.rs: the interface problems of its start and of its steps.
    #[allow(missing_docs)]
    Pm { fine: [Fine<'a>; 2] },
    /// foh.rs: the step, the start-up, the gap, the share χ with the mobility.
    #[allow(missing_docs)]
    Foh { step: Macro<'a>, start_up: Option<Macro<'a>>, gap: Option<Gap<'a>>, mixing: Option<(f64, &'a Flexibility)> },
    /// pmc.rs: `ahead` are the answers of a window to the link it starts from, per coarse subdomain and port (windows of 2).
    #[allow(missing_docs)]
    Pmc {
        options: PmcOptions,
        tie: Tie,
        fine: Fine<'a>,
        start_up: Macro<'a>,
        gap: Option<Gap<'a>>,
        ahead: &'a [Vec<f64>],
    },
    /// psl.rs: H^core + H^B.
    #[allow(missing_docs)]
    Psl { options: PslOptions, h: &'a Flexibility },
    /// staggered.rs
    Staggered,
    /// parallel.rs: L M⁻¹ Lᵀ of the twins and the fine side.
    #[allow(missing_docs)]
    Parallel { mobility: &'a Flexibility },
    /// llm.rs: the problem of the start, that of the steps, and how much later than the states the rates are, s.
    #[allow(missing_docs)]
    Llm { start: Ties<'a>, step: Ties<'a>, lag: f64 },
}

impl Schedule<'_> {
    /// Most strides of the coarse and of the fine side in a macro-step with `ss` exchanges, those of a start included.
    pub fn strides(&self, ss: usize) -> [usize; 2] {
        match self {
            Schedule::Single | Schedule::Llm { .. } => [1, 1],
            Schedule::Foh { step, .. } if step.unbalanced.is_none() => [1, 1],
            Schedule::Gc { .. } | Schedule::Foh { .. } => [1, ss],
            Schedule::Pm { .. } | Schedule::Staggered | Schedule::Parallel { .. } => [2, ss],
            Schedule::Pmc { .. } => [3, ss],
            Schedule::Psl { .. } => [ss, ss],
        }
    }

    /// Stepping of the fine side (of all, where there are no sides) in a regular macro-step with `ss` exchanges, how many of its
    /// strides are taken, and how often the forces are asked for besides.
    pub fn asks(&self, ss: usize) -> (usize, usize, usize) {
        match self {
            Schedule::Single | Schedule::Llm { .. } => (0, 1, 0),
            Schedule::Gc { .. } | Schedule::Pm { .. } | Schedule::Pmc { .. } | Schedule::Psl { .. } => (0, ss, 0),
            Schedule::Staggered | Schedule::Parallel { .. } => (0, ss, 0),
            Schedule::Foh { step, mixing, .. } => {
                let (stepping, strides) = if step.unbalanced.is_some() { (2, ss) } else { (0, 1) };
                (stepping, strides, usize::from(mixing.is_some()))
            }
        }
    }

    /// Whether multipliers act at the stages of the schemes instead of on their steps.
    pub fn is_staged(&self) -> bool {
        match self {
            Schedule::Staggered | Schedule::Parallel { .. } => true,
            Schedule::Single | Schedule::Gc { .. } | Schedule::Pm { .. } | Schedule::Foh { .. } => false,
            Schedule::Pmc { .. } | Schedule::Psl { .. } | Schedule::Llm { .. } => false,
        }
    }
}
