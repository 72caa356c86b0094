//! The loop of the fine side that GC, PM and the passive multirate couplings share: at every substep a free step, a
//! small interface problem against the interpolated free velocity of the coarse side, and the link step.

use interfield_kernel::System;

use crate::blueprint::Fine;
use crate::flexibility::Flexibility;
use crate::side::{Side, SideFault};

/// Where the coarse side would go without multipliers at its end, at the nodes of the macro-grid: L v of its free
/// states, interpolated in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Linear between t_n and t_n+1 (papers 003, GC).
    Linear,
    /// Lagrange through t_n-1 .. t_n+2: positive transform, slopes right to third order (book: passivity 2.2, 3.5).
    Cubic,
}

impl Kernel {
    /// Weights of the nodes at t_n + x h.
    pub fn weights(self, x: f64) -> [f64; 4] {
        match self {
            Kernel::Linear => [1.0 - x, x, 0.0, 0.0],
            Kernel::Cubic => [
                -x * (x - 1.0) * (x - 2.0) / 6.0,
                (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0,
                -(x + 1.0) * x * (x - 2.0) / 2.0,
                (x + 1.0) * x * (x - 1.0) / 6.0,
            ],
        }
    }
}

/// The interface problem at the fine level.
pub(crate) struct FineLoop {
    kernel: Kernel,
    /// H^A of the windows of the coarse side.
    ha: Flexibility,
    /// H^A + H^B, factorised.
    h: Flexibility,
    d: Vec<f64>,
}

impl FineLoop {
    pub(crate) fn new(kernel: Kernel, ha: Flexibility, h: Flexibility, rows: usize) -> Self {
        FineLoop { kernel, ha, h, d: vec![0.0; rows] }
    }

    /// Its tables.
    pub(crate) fn blueprint(&self) -> Fine<'_> {
        Fine { kernel: self.kernel, ha: &self.ha.matrix, h: &self.h }
    }

    /// w += factor H^A l.
    pub(crate) fn add_coarse_flexibility(&self, l: &[f64], w: &mut [f64], factor: f64) {
        self.ha.mul_add(l, w, factor);
    }

    /// Advances `b` from `t` over a macro-step `h` in `ss` strides of stepping `g`; `l` goes from Λ_n to Λ_n+1. `w` holds
    /// the free velocities of the coarse side at the nodes of the kernel, one after the other. Where one rank has the whole side, the others
    /// wait for its end alone: one message per macro-step.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn run<S: System>(
        &mut self,
        side: &mut Side<S>,
        g: usize,
        b: &mut [f64],
        l: &mut [f64],
        w: &[f64],
        (t, h): (f64, f64),
        ss: usize,
    ) -> Result<(), SideFault> {
        let in_one = side.is_in_one();
        if in_one == Some(false) {
            return side.share_end(Ok(()), b, l);
        }
        let whole = in_one == Some(true);
        let own = self.substeps(side, (g, whole), b, l, w, (t, h), ss);
        if whole { side.share_end(own, b, l) } else { own }
    }

    #[allow(clippy::too_many_arguments)]
    fn substeps<S: System>(
        &mut self,
        side: &mut Side<S>,
        (g, whole): (usize, bool),
        b: &mut [f64],
        l: &mut [f64],
        w: &[f64],
        (t, h): (f64, f64),
        ss: usize,
    ) -> Result<(), SideFault> {
        let rows = l.len();
        for j in 1..=ss {
            // Free step with the multiplier left as it is; only its change d is sought. With one evaluation per step
            // this is the papers' free step with λ = 0 followed by link(Λ); with two it is evaluated near its end.
            let start = t + (j - 1) as f64 * h / ss as f64;
            if whole { side.advance(g, b, start, l, l) } else { side.stride(g, b, start, l, l) }?;
            let c = self.kernel.weights(j as f64 / ss as f64);
            self.d.fill(0.0);
            for (c, w) in c.iter().zip(w.chunks_exact(rows.max(1))) {
                self.d.iter_mut().zip(w).for_each(|(d, w)| *d += c * w);
            }
            self.ha.mul_add(l, &mut self.d, -1.0);
            side.port_rates(g, b, &mut self.d, 1.0);
            self.h.solve(&mut self.d); // (H^A + H^B) d = w(x) - H^A Λ + L^B v
            side.link(g, b, &self.d, 1.0);
            l.iter_mut().zip(&self.d).for_each(|(l, d)| *l += d);
        }
        Ok(())
    }
}
