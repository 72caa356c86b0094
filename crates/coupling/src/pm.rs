//! PM: the interfield-parallel coupling of Pegon and Magonette. A strides over two macro-steps at a time, one ahead.
//!
//! P. Pegon, G. Magonette, report I.02.167, JRC Ispra, 2002; paper 003, Table "PM method"; book: partitioned 3.2. Macro-step
//! n → n+1, n >= 1, with the free state `next` of A at t_n+1 that was computed one macro-step earlier:
//!
//! 1. *Concurrently* A: free step from A_n over 2h, `ahead` at t_n+2.
//! 2. *Concurrently* B: fine loop (gc.rs, step 2) with w₀ = L^A v^A_n + H₂^A Λ_n, w₁ = L^A v_next and H₂^A + H^B.
//! 3. A_n+1 = next + link₂(Λ_n+1);  next := ahead.
//!
//! Start-up (n = 0): the same with a free step over h for `next` and H₁^A. w₀ is re-based to the step in use.
//! Second order for ss = 1, first for ss > 1, where it dissipates at the interface.
//! State x = [A B Λ next].
//! Deviations from the paper: its table says n = 1 for the start-up (the text is right); other misprints
//! (book: errata 2); Λ is computed as an increment, see fine.rs.

use interfield_kernel::{Archive, System};

use crate::blueprint::Schedule;
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided};
use crate::fine::{FineLoop, Kernel};
use crate::flexibility::Flexibility;
use crate::interface::Assembly;
use crate::pair::{End, Member, Pair, ranges};
use crate::registry::{CouplingInfo, Facts, Options, Parts};
use crate::side::Stepping;
use crate::{CouplingError, Located};

/// The method.
pub struct Pm {
    layout: Layout,
    /// Interface problems with A on h (start-up) and on 2h.
    fine: [FineLoop; 2],
    w: Vec<f64>,
    /// Stepping of the last link of A.
    linked: usize,
}

impl Pm {
    /// Starts it.
    pub fn start<S: System + Send + 'static>(assembly: Assembly<S>) -> Result<TwoSided<S>, CouplingError> {
        let mut pair = Pair::new(
            assembly,
            |scheme, h| [h, 2.0 * h].map(|dt| Stepping { scheme, dt, steps: 1 }).to_vec(),
            |scheme, h, [substeps, steps]| vec![Stepping { scheme, dt: h / substeps as f64, steps }],
        )?;
        pair.require_inertia(pair.ss)?;
        let ([a, b, l, _], len) = ranges([pair.a().len(), pair.fine.len(), pair.rows, pair.a().len()]);
        let mut x = vec![0.0; len];
        {
            let (xa, rest) = x.split_at_mut(a.end);
            let (xb, rest) = rest.split_at_mut(b.len());
            pair.start((0, 0), xa, xb, &mut rest[..l.len()])?;
        }
        let interface = |stepping: usize| -> Result<FineLoop, CouplingError> {
            let mut ha = vec![0.0; pair.rows * pair.rows];
            pair.a().flexibility(stepping, &mut ha);
            Ok(FineLoop::new(Kernel::Linear, Flexibility::unsolved(ha), pair.flexibility(stepping, 0)?, pair.rows))
        };
        let fine = [interface(0)?, interface(1)?];
        // The states of the coarse side are written last.
        let layout = Layout { len, open: b.start..l.end, a, b, l };
        let method = Pm { layout, fine, w: vec![0.0; 2 * pair.rows], linked: 0 };
        Ok(TwoSided::new(pair, method, x))
    }
}

impl<S: System + Send + 'static> Algorithm<S> for Pm {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Pm { fine: self.fine.each_ref().map(FineLoop::blueprint) }
    }

    fn settled(&self) -> u64 {
        1
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let (h, ss, t) = (pair.h, pair.ss, k as f64 * pair.h);
        let (xa, rest) = x.split_at_mut(self.layout.a.end);
        let (xb, rest) = rest.split_at_mut(self.layout.b.len());
        let (l, next) = rest.split_at_mut(self.layout.l.len());
        let stepping = usize::from(k > 0);
        if k == 0 {
            pair.coarse.begin((0, End::Free), t, [l, l], |_, x| x.copy_from_slice(xa));
            pair.end_coarse()?;
            next.copy_from_slice(pair.coarse.arrived());
        }
        let (w0, w1) = self.w.split_at_mut(l.len());
        w0.fill(0.0);
        w1.fill(0.0);
        pair.a().port_rates(stepping, xa, w0, 1.0);
        self.fine[stepping].add_coarse_flexibility(l, w0, 1.0); // w₀, effective for the step in use
        pair.a().port_rates(stepping, next, w1, 1.0); // w₁
        pair.coarse.begin((1, End::Free), t, [l, l], |_, x| x.copy_from_slice(xa));
        let fine = self.fine[stepping].run(&mut pair.fine, 0, xb, l, &self.w, (t, h), ss);
        pair.end_coarse()?;
        fine.map_err(|f| pair.fine_fault(f))?;
        xa.copy_from_slice(next);
        pair.a().link(stepping, xa, l, 1.0);
        next.copy_from_slice(pair.coarse.arrived());
        self.linked = stepping;
        Ok(())
    }

    fn link<'a>(&'a self, x: &'a [f64], place: Member) -> (usize, &'a [f64]) {
        let stepping = if let Member::Coarse(_) = place { self.linked } else { 0 };
        (stepping, &x[self.layout.l.clone()])
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.whole(&mut self.linked);
    }
}

/// It has no options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PmOptions;

impl Options for PmOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Pm::start(parts.assembly)?))
    }

    fn facts(&self) -> Facts {
        Facts { coarse_step: 2.0, sequences: 2, ..Facts::PLAIN }
    }
}

/// Entry of the catalogue.
pub(crate) const PM: CouplingInfo = CouplingInfo {
    name: "pm",
    title: "Pegon and Magonette's interfield-parallel coupling",
    reference: "Abbiati, Cazzador, Bursi, Pegon, Molina, Paolacci, Hybrid simulation of complex structural systems; Pegon, Magonette, report I.02.167, JRC Ispra, 2002",
    advice: "Robust with a softening specimen. With substeps it is first order and dissipates energy at the interface.",
    scheme: "newmark",
    parallel: true,
    ranks: true,
    build: |_| Ok(PmOptions.into()),
    ..CouplingInfo::PLAIN
};
