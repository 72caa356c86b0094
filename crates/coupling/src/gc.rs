//! GC: the staggered coupling with subcycling, velocities continuous at every fine step.
//!
//! A. Gravouil, A. Combescure, Int. J. Numer. Methods Eng. 50:199-225, 2001; book: partitioned 3.1. With state-space sides it
//! is the classical-multiplier form CLM (book: partitioned 4.4). Macro-step n → n+1:
//!
//! 1. w₀ = L^A v^A_n + H^A Λ_n;  free step of A over h;  w₁ = L^A v^A_f.
//! 2. For j = 1..ss: free step of B over h/ss; Λ_j from (H^A + H^B) Λ_j = (1-x) w₀ + x w₁ + L^B v^B_f, x = j/ss; link B.
//! 3. Λ_n+1 = Λ_ss; link A.
//!
//! Second order for ss = 1, first for ss > 1, where it dissipates at the interface. Not parallel: B needs w₁.
//! State x = [A B Λ].   Evaluations: A one stride, B ss strides.
//! Deviations: Λ_j is computed as an increment, see fine.rs.

use interfield_kernel::System;

use crate::blueprint::Schedule;
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided};
use crate::fine::{FineLoop, Kernel};
use crate::flexibility::Flexibility;
use crate::interface::Assembly;
use crate::pair::{End, Member, Pair, ranges};
use crate::registry::{CouplingInfo, Facts, Options, Parts, Schemes};
use crate::side::Stepping;
use crate::{CouplingError, Located};

/// The method.
pub struct Gc {
    layout: Layout,
    fine: FineLoop,
    w: Vec<f64>,
}

impl Gc {
    /// Starts it.
    pub fn start<S: System + Send + 'static>(assembly: Assembly<S>) -> Result<TwoSided<S>, CouplingError> {
        let mut pair = Pair::new(
            assembly,
            |scheme, h| vec![Stepping { scheme, dt: h, steps: 1 }],
            |scheme, h, [substeps, steps]| vec![Stepping { scheme, dt: h / substeps as f64, steps }],
        )?;
        pair.require_inertia(pair.ss)?;
        let ([a, b, l], len) = ranges([pair.a().len(), pair.fine.len(), pair.rows]);
        let mut x = vec![0.0; len];
        {
            let (xa, rest) = x.split_at_mut(a.end);
            let (xb, xl) = rest.split_at_mut(b.len());
            pair.start((0, 0), xa, xb, xl)?;
        }
        let mut ha = vec![0.0; pair.rows * pair.rows];
        pair.a().flexibility(0, &mut ha);
        let fine = FineLoop::new(Kernel::Linear, Flexibility::unsolved(ha), pair.flexibility(0, 0)?, pair.rows);
        // The coarse side is written last.
        let layout = Layout { len, open: b.start..len, a, b, l };
        let method = Gc { w: vec![0.0; 2 * pair.rows], layout, fine };
        Ok(TwoSided::new(pair, method, x))
    }
}

impl<S: System + Send + 'static> Algorithm<S> for Gc {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Gc { fine: self.fine.blueprint() }
    }

    fn settled(&self) -> u64 {
        0
    }

    fn is_parallel(&self) -> bool {
        false
    }

    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let (h, ss, t) = (pair.h, pair.ss, k as f64 * pair.h);
        let (xa, rest) = x.split_at_mut(self.layout.a.end);
        let (xb, l) = rest.split_at_mut(self.layout.b.len());
        let (w0, w1) = self.w.split_at_mut(l.len());
        w0.fill(0.0);
        w1.fill(0.0);
        pair.a().port_rates(0, xa, w0, 1.0);
        self.fine.add_coarse_flexibility(l, w0, 1.0); // w₀
        pair.coarse.begin((0, End::Free), t, [l, l], |_, x| x.copy_from_slice(xa));
        pair.end_coarse()?;
        pair.a().port_rates(0, pair.coarse.arrived(), w1, 1.0); // w₁
        let result = self.fine.run(&mut pair.fine, 0, xb, l, &self.w, (t, h), ss);
        result.map_err(|f| pair.fine_fault(f))?;
        xa.copy_from_slice(pair.coarse.arrived());
        pair.a().link(0, xa, l, 1.0);
        Ok(())
    }

    fn link<'a>(&'a self, x: &'a [f64], _: Member) -> (usize, &'a [f64]) {
        (0, &x[self.layout.l.clone()])
    }
}

/// It has no options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GcOptions;

impl Options for GcOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Gc::start(parts.assembly)?))
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }
}

/// Entry of the catalogue.
pub(crate) const GC: CouplingInfo = CouplingInfo {
    name: "gc",
    title: "Gravouil-Combescure coupling, staggered",
    reference: "Gravouil, Combescure, Int. J. Numer. Methods Eng. 50:199-225, 2001; Abbiati, Cazzador, Bursi, Pegon, Molina, Paolacci, Hybrid simulation of complex structural systems",
    advice: "Equal to the structure in one piece for equal steps on both sides; first order with substeps. Not \
        parallel.",
    scheme: "newmark",
    ranks: true,
    build: |_| Ok(GcOptions.into()),
    ..CouplingInfo::PLAIN
};

/// Entry of the catalogue.
pub(crate) const CLM: CouplingInfo = CouplingInfo {
    name: "clm",
    title: "state-space substructures with classical multipliers, staggered",
    reference: "Hovmand, Andersen, Abbiati, Real-time hybrid simulation with nonlinear numerical substructures, and its reference of 2019",
    advice: "Equal to llm for two parts with equal steps; first order with substeps. With substeps, state-space-alpha \
        gives inaccurate multipliers: use trapezoidal.",
    scheme: "trapezoidal",
    schemes: Schemes::StateSpace,
    ranks: true,
    build: |_| Ok(GcOptions.into()),
    ..CouplingInfo::PLAIN
};
