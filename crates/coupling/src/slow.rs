//! The slow laws of a coarse side, stacked over its substructures: their nodes, and the job that moves them all.

use interfield_kernel::{Dims, System};

use crate::CouplingError;
use crate::coupled::require;
use crate::side::{Side, SideFault};
use interfield_linalg::workers::Job;

/// How many deformations the laws have, and how many numbers they remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) x: usize,
    pub(crate) z: usize,
}

impl Size {
    /// Length of a node [x y q z].
    pub(crate) fn node(self) -> usize {
        3 * self.x + self.z
    }
}

/// The parts [x y q z] of a node.
pub(crate) fn cut(node: &mut [f64], size: Size) -> [&mut [f64]; 4] {
    let (x, rest) = node.split_at_mut(size.x);
    let (y, rest) = rest.split_at_mut(size.x);
    let (q, z) = rest.split_at_mut(size.x);
    [x, y, q, z]
}

/// One evaluation of all laws, as a job: the systems of the coarse side once more, of which only the laws are used.
pub(crate) struct Moves<S> {
    twins: Vec<S>,
    sizes: Vec<Size>,
    /// Deformations to which they move.
    pub(crate) x: Vec<f64>,
    /// What they remember, before and after.
    pub(crate) z: Vec<f64>,
    /// Their forces there.
    pub(crate) r: Vec<f64>,
    pub(crate) outcome: Result<(), SideFault>,
}

impl<S: System> Moves<S> {
    /// Of the coarse substructures `systems`, each with its twin.
    pub(crate) fn new(systems: &mut [&mut S], mut twins: Vec<S>) -> Result<(Self, Size), CouplingError> {
        let size = |system: &mut S| {
            let [x, z] = system.laws().map_or([0, 0], |laws| laws.size());
            (Size { x, z }, system.dims())
        };
        let originals: Vec<(Size, Dims)> = systems.iter_mut().map(|s| size(s)).collect();
        // Without laws nothing is computed apart.
        let none = originals.iter().all(|(size, _)| size.x == 0);
        require(
            none || originals == twins.iter_mut().map(size).collect::<Vec<_>>(),
            "the coupling psl needs two copies of each system of the coarse side: one is the structure, the laws of the \
                other are computed beside it",
        )?;
        let sizes: Vec<Size> = originals.into_iter().map(|(size, _)| size).collect();
        let all = Size { x: sizes.iter().map(|s| s.x).sum(), z: sizes.iter().map(|s| s.z).sum() };
        let (x, z, r) = (vec![0.0; all.x], vec![0.0; all.z], vec![0.0; all.x]);
        Ok((Moves { twins, sizes, x, z, r, outcome: Ok(()) }, all))
    }

    fn advance(&mut self) -> Result<(), SideFault> {
        let (mut x, mut z, mut r) = (&self.x[..], &mut self.z[..], &mut self.r[..]);
        for (i, (twin, size)) in self.twins.iter_mut().zip(&self.sizes).enumerate() {
            let own = (take(&mut x, size.x), take_mut(&mut z, size.z), take_mut(&mut r, size.x));
            let moved = twin.laws().map_or(Ok(()), |laws| laws.follow(own.0, own.1, own.2));
            moved.map_err(|fault| (i, fault))?;
        }
        Ok(())
    }
}

impl<S: System + Send + 'static> Job for Moves<S> {
    fn run(&mut self) {
        self.outcome = self.advance();
    }
}

/// The slow laws on the grid of the structure.
impl<S: System> Side<S> {
    /// f = k x.
    pub(crate) fn law_stiffness(&mut self, mut x: &[f64], mut f: &mut [f64]) {
        for i in 0..self.count() {
            if let Some(laws) = self.system_mut(i).laws() {
                let n = laws.size()[0];
                laws.stiffness(take(&mut x, n), take_mut(&mut f, n));
            }
        }
    }

    /// Deformations and their rates in the state `a` at `t`.
    pub(crate) fn law_motion(&mut self, a: &[f64], t: f64, mut x: &mut [f64], mut y: &mut [f64]) {
        for i in 0..self.count() {
            let (start, dims) = (self.range(i).start, self.dims(i));
            if let Some(laws) = self.system_mut(i).laws() {
                let n = laws.size()[0];
                let at = dims.point(t, &a[start..]);
                laws.motion(at, take_mut(&mut x, n), take_mut(&mut y, n));
            }
        }
    }

    /// Rates of the rates, of the accelerations that begin the histories in `a`; `out` stays where a scheme keeps none.
    pub(crate) fn law_accelerations(&mut self, a: &[f64], t: f64, mut out: &mut [f64]) {
        for i in 0..self.count() {
            let (start, dims, kept) = (self.range(i).start + self.dims(i).state(), self.dims(i), self.keeps_rates(i));
            if let Some(laws) = self.system_mut(i).laws() {
                let out = take_mut(&mut out, laws.size()[0]);
                if kept {
                    laws.accelerations(t, &a[start..start + dims.nu], out);
                }
            }
        }
    }

    /// The same at the start, of the accelerations that balance the forces under the multipliers `l`.
    pub(crate) fn law_start(&mut self, a: &mut [f64], l: &[f64], mut out: &mut [f64]) -> Result<(), SideFault> {
        for i in 0..self.count() {
            let accelerations = self.accelerations(i, a, 0.0, l)?.to_vec();
            if let Some(laws) = self.system_mut(i).laws() {
                let n = laws.size()[0];
                laws.accelerations(0.0, &accelerations, take_mut(&mut out, n));
            }
        }
        Ok(())
    }

    /// What they remember at the start `a`.
    pub(crate) fn law_memory(&mut self, a: &[f64], mut z: &mut [f64]) {
        for i in 0..self.count() {
            let (start, dims) = (self.range(i).start, self.dims(i));
            if let Some(laws) = self.system_mut(i).laws() {
                let n = laws.size()[1];
                laws.memory(dims.point(0.0, &a[start..]), take_mut(&mut z, n));
            }
        }
    }

    /// Given forces from `from` at `t` to `to` at `t + h`.
    pub(crate) fn drive_laws(&mut self, span: (f64, f64), mut from: &[f64], mut to: &[f64]) {
        for i in 0..self.count() {
            if let Some(laws) = self.system_mut(i).laws() {
                let n = laws.size()[0];
                laws.drive(span, take(&mut from, n), take(&mut to, n));
            }
        }
    }

    /// Where the laws stand, for those who read the systems and the state `a`.
    pub(crate) fn show_laws(&mut self, mut z: &[f64], a: &mut [f64]) {
        for i in 0..self.count() {
            let (start, dims) = (self.range(i).start, self.dims(i));
            if let Some(laws) = self.system_mut(i).laws() {
                let n = laws.size()[1];
                laws.show(take(&mut z, n), &mut a[start + 2 * dims.nu..start + dims.state()]);
            }
        }
        self.keep(a);
    }
}

/// The first `n` numbers; the others are left.
fn take<'a>(x: &mut &'a [f64], n: usize) -> &'a [f64] {
    let (own, rest) = x.split_at(n);
    *x = rest;
    own
}

fn take_mut<'a>(x: &mut &'a mut [f64], n: usize) -> &'a mut [f64] {
    let (own, rest) = std::mem::take(x).split_at_mut(n);
    *x = rest;
    own
}
