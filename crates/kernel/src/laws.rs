//! Laws that are computed apart from the structure to which they belong, on a grid of their own (book: passivity 2.8).
//!
//! On the grid of the structure such a law is a dashpot beside a given force, f(t) = W(t) + Z y, y = b v; whoever computes
//! the law gives W. A system says by [`crate::System::laws`] which of its laws can be treated so: those of which nothing
//! but the path of their deformations decides the force, and whose initial stiffness k bounds their tangents.
//! Vectors stack all these laws: deformations x = b u (of supports that move, too), rates y, forces, memories z.

use crate::{Fault, Point};

/// Laws of a system that can be computed apart from it.
pub trait SlowLaws {
    /// How many deformations they have, and how many numbers they remember.
    fn size(&self) -> [usize; 2];

    /// f = k x with the initial stiffnesses.
    fn stiffness(&self, x: &[f64], f: &mut [f64]);

    /// Deformations and their rates at a point.
    fn motion(&mut self, at: Point<'_>, x: &mut [f64], y: &mut [f64]);

    /// Rates of the rates, of the accelerations `a` of the unknowns at `t`.
    fn accelerations(&mut self, t: f64, a: &[f64], out: &mut [f64]);

    /// What they remember at the point where a motion begins.
    fn memory(&mut self, at: Point<'_>, z: &mut [f64]);

    /// Moves them from where they remember to be, `z`, to the deformations `x`: forces, and what they then remember.
    fn follow(&self, x: &[f64], z: &mut [f64], f: &mut [f64]) -> Result<(), Fault>;

    /// From now on each of them is a dashpot Z = `half` k and a given force; before [`crate::System::prepare`].
    fn detach(&mut self, half: f64);

    /// The given forces: from `from` at `t` to `to` at `t + h`, linear in time.
    fn drive(&mut self, span: (f64, f64), from: &[f64], to: &[f64]);

    /// Where they stand at a node, for those who read the system: `s` are its internal states.
    fn show(&mut self, z: &[f64], s: &mut [f64]);
}
