//! Static balance of an assembled system: loads that are there from the beginning, and a pattern of forces pushed along one
//! displacement (book: frames 6).

use interfield_kernel::{Dims, Fault, Mck, Point, System};

use super::Assembled;
use super::force::Moving;
use super::operators::Operator;

/// Newton's iteration ends when the unbalance is this share of the forces in the structure.
const BALANCED: f64 = 1e-11;
/// What is accepted where rounding stops it earlier.
const ROUNDED: f64 = 1e-8;
/// Most iterations of a step.
const ITERATIONS: u32 = 60;
/// Most halvings of a step that does not converge.
const HALVINGS: u32 = 10;
/// Stiffness alone; element states need a number in place of the inverse time that they have in motion.
const STIFFNESS: Mck = Mck { m: 1e-200, c: 0.0, k: 1.0 };

/// A structure pushed by a pattern of forces so that one displacement goes where it is told.
#[derive(Clone, Debug)]
pub struct Push {
    /// Forces on the unknowns for a load factor of one.
    pub pattern: Vec<f64>,
    /// The unknown that is controlled.
    pub control: usize,
}

/// The static balance of a system, step by step.
pub struct Statics {
    operator: Operator,
    states: Vec<f64>,
    /// Displacements in balance.
    pub u: Vec<f64>,
    /// Load factor of the pattern.
    pub factor: f64,
}

impl Statics {
    /// Begins at the state `y` = [u v s] of the system; only loads that are held act from now on.
    pub fn new(system: &mut Assembled, y: &[f64]) -> Result<Self, Fault> {
        let Dims { nu, .. } = system.dims();
        system.iterate();
        system.acting = 0.0;
        system.settle(system.dims().point(0.0, y));
        let (u, states) = (y[..nu].to_vec(), y[2 * nu..].to_vec());
        let zero = vec![0.0; nu];
        system.take_tangents(Point { t: 0.0, u: &u, v: &zero, s: &states })?;
        let operator = system.operator(STIFFNESS)?;
        Ok(Statics { operator, states, u, factor: 0.0 })
    }

    /// Brings the loads that are there from the beginning up in so many steps.
    pub fn gravity(&mut self, system: &mut Assembled, steps: u32) -> Result<(), Fault> {
        for i in 1..=steps {
            system.held_share = f64::from(i) / f64::from(steps);
            self.balance(system, 0.0, None)?;
        }
        Ok(())
    }

    /// Leads the controlled displacement to a value, in halves where Newton's iteration does not converge at once.
    pub fn push(&mut self, system: &mut Assembled, t: f64, push: &Push, to: f64) -> Result<(), Fault> {
        let mut halvings = 0;
        while self.u[push.control] != to {
            let way = to - self.u[push.control];
            let next = if halvings == 0 { to } else { self.u[push.control] + way / f64::from(1 << halvings) };
            let (u, factor) = (self.u.clone(), self.factor);
            match self.balance(system, t, Some((push, next))) {
                Ok(()) => halvings = u32::saturating_sub(halvings, 1),
                Err(fault) if halvings == HALVINGS => return Err(fault),
                Err(_) => {
                    (self.u, self.factor) = (u, factor);
                    system.rewind();
                    halvings += 1;
                }
            }
        }
        Ok(())
    }

    /// Newton's iteration; the controlled displacement moves with the first solution. Ends with a commit.
    fn balance(&mut self, system: &mut Assembled, t: f64, mut push: Option<(&Push, f64)>) -> Result<(), Fault> {
        let n = self.u.len();
        let (mut r, mut g) = (vec![0.0; n], vec![0.0; self.states.len()]);
        let zero = vec![0.0; n];
        let controlled = push;
        let mut residual = 0.0;
        for i in 0..ITERATIONS {
            let at = Point { t, u: &self.u, v: &zero, s: &self.states };
            system.take_tangents(at)?;
            system.rewind();
            system.raw_force(at, None, Moving::Computed, &mut r, &mut g)?;
            if let Some((push, _)) = controlled {
                r.iter_mut().zip(&push.pattern).for_each(|(r, p)| *r -= self.factor * p);
            }
            let scale = system.largest_force();
            residual = r.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let moving = push.is_some();
            if !moving && i > 0 && residual <= BALANCED * scale {
                system.commit();
                return Ok(());
            }
            system.factorize_one(&mut self.operator)?;
            let mut step: Vec<f64> = r.iter().map(|r| -r).collect();
            self.operator.factor.solve(&mut step);
            if let Some((to, target)) = controlled {
                let mut by_pattern = to.pattern.clone();
                self.operator.factor.solve(&mut by_pattern);
                let way = target - self.u[to.control];
                let more = (way - step[to.control]) / by_pattern[to.control];
                step.iter_mut().zip(&by_pattern).for_each(|(s, p)| *s += more * p);
                self.factor += more;
                push = None;
            }
            let still = step.iter().zip(&self.u).all(|(s, u)| s.abs() <= 1e-15 * u.abs().max(1e-30));
            self.u.iter_mut().zip(&step).for_each(|(u, s)| *u += s);
            if let Some((to, target)) = controlled {
                // Exactly there, whatever the rounding of the sum.
                self.u[to.control] = target;
            }
            if still && residual <= ROUNDED * scale {
                system.commit();
                return Ok(());
            }
        }
        let scale = system.largest_force();
        if residual <= ROUNDED * scale {
            system.commit();
            return Ok(());
        }
        Err(Fault::NoConvergence { iterations: ITERATIONS, residual: residual / scale })
    }

    /// Moves the specimens to where the structure is in balance, once, and keeps what they say for the next step.
    pub fn measure(&mut self, system: &mut Assembled, t: f64) -> Result<(), Fault> {
        let (mut r, mut g) = (vec![0.0; self.u.len()], vec![0.0; self.states.len()]);
        let zero = vec![0.0; self.u.len()];
        system.rewind();
        system.raw_force(Point { t, u: &self.u, v: &zero, s: &self.states }, None, Moving::All, &mut r, &mut g)?;
        system.rewind();
        Ok(())
    }

    /// The state [u v s] in balance.
    pub fn state(&self) -> Vec<f64> {
        [&self.u[..], &vec![0.0; self.u.len()], &self.states].concat()
    }
}

impl Assembled {
    /// The largest force in an element or of a held load, N: what an unbalance is measured by.
    fn largest_force(&self) -> f64 {
        let held = self.held.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
        let mut largest = held;
        for e in &self.elements {
            let memory = &self.memory[e.memory0..e.memory0 + e.memory];
            let forces = if matches!(e.law, super::Stored::Frame(_)) { &memory[e.memory - e.d..] } else { &[] };
            largest = forces.iter().fold(largest, |m, f| m.max(f.abs()));
        }
        largest.max(f64::MIN_POSITIVE)
    }
}
