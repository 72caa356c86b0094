//! A system that tells when it was looked at.

use interfield_kernel::{Dims, Fault, Mck, Point, Shift, System};

/// A unit mass under a unit load that notes the times at which it is evaluated.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The times.
    pub times: Vec<f64>,
}

impl System for Watch {
    fn dims(&self) -> Dims {
        Dims { nu: 1, ns: 0 }
    }
    fn force(&mut self, at: Point<'_>, _: Option<Shift<'_>>, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        self.times.push(at.t);
        r[0] = -1.0;
        Ok(())
    }
    fn prepare(&mut self, _: &[Mck]) -> Result<(), Fault> {
        Ok(())
    }
    fn linearise(&mut self, _: Point<'_>) -> Result<(), Fault> {
        Ok(())
    }
    fn solve(&mut self, _: usize, _: &mut [f64], _: &mut [f64]) {}
    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
    }
    fn mul_tangent(&self, _: Shift<'_>, r: &mut [f64], _: &mut [f64]) {
        r.fill(0.0);
    }
    fn load(&mut self, _: f64, out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn drift(&mut self, _: Point<'_>, _: f64, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        r[0] = 0.0;
        Ok(())
    }
}
