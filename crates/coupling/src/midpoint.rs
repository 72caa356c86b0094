//! The implicit midpoint rule with frozen multipliers, of first order: what a multiplier costs that is not solved for.
//!
//! Not the scheme of Nakshatrala, Hjelmstad, Tortorelli (2008), with which paper 001 compares: that one solves for the multiplier
//! with the step (book: partitioned 4.4). Here (book: partitioned 2.4):
//!
//! 1. Λ_k from (A_k, B_k), held over the macro-step: midpoint step of A gives A_k+1.
//! 2. For j = 0..ss-1: Λ from (1 - j/ss) A_k + j/ss A_k+1 and B, held over the substep: midpoint step of B.
//!
//! This is the staggered coupling (staggered.rs) of one-stage schemes with γ = 1/2, whose stage sees the load in the middle of the
//! step: k = [I - h/2 J]⁻¹ h f(y, t + h/2), y + k. First order; second where Λ vanishes (split mass with b₁ = 1).
//! State x = [A B].   Evaluations: A ss, B ss.
//! Deviations: linearly implicit for nonlinear subdomains, one solve instead of an iteration.

use interfield_kernel::System;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;

use crate::CouplingError;
use crate::coupled::{Coupling, TwoSided};
use crate::interface::Assembly;
use crate::registry::{CouplingInfo, Facts, Level, Options, Parts};
use crate::staggered::Staggered;

/// The method.
pub struct Midpoint;

impl Midpoint {
    /// Starts it. It brings its scheme along: those of the substructures are not asked.
    pub fn start<S: System + Send + 'static>(assembly: Assembly<S>) -> Result<TwoSided<S>, CouplingError> {
        let midpoint = Rosenbrock { gamma: 0.5, ..Rosenbrock::lsrt1() }.shifted();
        Staggered::start_with(assembly, |_| Ok(midpoint))
    }
}

/// It has no options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MidpointOptions;

impl Options for MidpointOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Midpoint::start(parts.assembly)?))
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }
}

/// Entry of the catalogue.
pub(crate) const MIDPOINT: CouplingInfo = CouplingInfo {
    name: "midpoint",
    title: "midpoint rule with frozen multipliers, order 1",
    reference: "a comparison of this project; for that of Bursi, Jia, Wang (Nakshatrala et al., 2008) use clm with state-space-alpha, rho_inf = 1",
    advice: "For comparison only. The sides are always integrated by the midpoint rule, whatever scheme is given.",
    scheme: "lsrt2",
    one_rate: true,
    comparison: true,
    level: Level::Mass,
    build: |_| Ok(MidpointOptions.into()),
    ..CouplingInfo::PLAIN
};
