//! The kernel as a C program calls it: no standard library, no allocation, all memory on the stack.
//!
//! The panic handler below is the proof: linking the standard library would bring a second one, which does not build.
#![no_std]

use core::panic::PanicInfo;
use interfield_kernel::scheme::registry::{AnyScheme, Arguments, find};
use interfield_kernel::{Dims, Domain, Fault, Mck, Point, Shift, StepMap, System};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        safe fn abort() -> !;
    }
    abort()
}

/// m a + c v + k u + k3 u^3 = f t, with the tangent followed.
struct Oscillator {
    m: f64,
    c: f64,
    k: f64,
    k3: f64,
    f: f64,
    tangent: f64,
    operators: [Mck; 3],
}

impl System for Oscillator {
    fn dims(&self) -> Dims {
        Dims { nu: 1, ns: 0 }
    }

    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        let (u, v) = (at.u[0], at.v[0]);
        r[0] = self.c * v + self.k * u + self.k3 * u * u * u - self.f * at.t;
        if let Some(shift) = shift {
            r[0] += self.tangent * shift.u[0] + self.c * shift.v[0];
        }
        Ok(())
    }

    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.operators[..operators.len()].copy_from_slice(operators);
        Ok(())
    }

    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.tangent = self.k + 3.0 * self.k3 * at.u[0] * at.u[0];
        Ok(())
    }

    fn solve(&mut self, slot: usize, b: &mut [f64], _: &mut [f64]) {
        let Mck { m, c, k } = self.operators[slot];
        b[0] /= m * self.m + c * self.c + k * self.tangent;
    }

    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        y[0] = self.m * x[0];
    }

    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], _: &mut [f64]) {
        r[0] = self.tangent * x.u[0] + self.c * x.v[0];
    }

    fn load(&mut self, t: f64, out: &mut [f64]) {
        out[0] = self.f * t;
    }

    fn drift(&mut self, _: Point<'_>, _: f64, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        r[0] = -self.f;
        Ok(())
    }
}

/// A cut of `memory`, as a domain owns it.
struct Cut<'a>(&'a mut [f64]);

impl AsRef<[f64]> for Cut<'_> {
    fn as_ref(&self) -> &[f64] {
        self.0
    }
}

impl AsMut<[f64]> for Cut<'_> {
    fn as_mut(&mut self) -> &mut [f64] {
        self.0
    }
}

fn run(scheme: AnyScheme, p: &[f64; 5], dt: f64, steps: u64, y: &mut [f64; 2]) -> Result<(), Fault> {
    let [m, c, k, k3, f] = *p;
    let sys = Oscillator { m, c, k, k3, f, tangent: k, operators: [Mck::MASS; 3] };
    let (nx, nw) = Domain::<_, _, Cut<'_>>::memory(&scheme, &sys);
    let (mut x, mut w) = ([0.0; 8], [0.0; 64]);
    x[..2].copy_from_slice(y);
    let mut domain = Domain::new(scheme, sys, dt, Cut(&mut x[..nx]), Cut(&mut w[..nw]))?;
    for step in 0..steps {
        domain.step(step)?;
    }
    y.copy_from_slice(&domain.state()[..2]);
    Ok(())
}

/// Steps the oscillator with parameters [m c k k3 f] from y = [u v] with scheme 0 (LSRT2) or 1 (Newmark 1/4, 1/2, in
/// one pass). Returns 0, or 1 for an unknown scheme, or 2 for a fault.
#[unsafe(no_mangle)]
pub extern "C" fn oscillator(scheme: u32, p: &[f64; 5], dt: f64, steps: u64, y: &mut [f64; 2]) -> u32 {
    let name = match scheme {
        0 => "lsrt2",
        1 => "newmark",
        _ => return 1,
    };
    let Some(Ok(scheme)) = find(name).map(|info| (info.build)(Arguments(&[]))) else { return 1 };
    if run(scheme, p, dt, steps, y).is_ok() { 0 } else { 2 }
}
