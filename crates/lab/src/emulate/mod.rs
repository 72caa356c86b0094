//! The emulated laboratory: actuators that lag and saturate, the specimen they move, sensors that are noisy, and the
//! faults one wants to have seen before the test.

pub mod body;
pub mod fault;
pub mod sensor;

use std::sync::Arc;

use interfield_kernel::Archive;

use crate::hardware::{Hardware, Reply};
use crate::kinematics::Kinematics;
use crate::plant::{Actuator, Specimen};
use crate::signal::line;
pub use body::{Body, Motion, Replica};
pub use fault::{Injection, Misfortune};
pub use sensor::Sensor;

/// One actuator with its sensors.
#[derive(Clone)]
pub struct Drive {
    /// How it moves.
    pub actuator: Arc<dyn Actuator>,
    /// Its displacement sensor.
    pub displacement: Sensor,
    /// Its load cell.
    pub force: Sensor,
    /// Coulomb friction between piston and load cell, N.
    pub friction: f64,
}

/// Velocity below which friction fades, m/s.
const CREEP: f64 = 1e-4;

/// An emulated laboratory, one sample at a time.
pub struct Emulated {
    drives: Vec<Drive>,
    kinematics: Kinematics,
    body: Box<dyn Body>,
    /// Mass and stiffness that each actuator feels by itself.
    felt: Vec<(f64, f64)>,
    period: f64,
    faults: Vec<Injection>,
    /// Longest delay that a fault adds, samples.
    extra: usize,
    tick: u64,
    q: Vec<f64>,
    /// Velocity and acceleration of each piston.
    pistons: Vec<[f64; 2]>,
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    r: Vec<f64>,
}

/// What an actuator feels of the specimen within a sample: a mass and a spring through the last measured point.
struct Felt {
    mass: f64,
    stiffness: f64,
    x: f64,
    force: f64,
}

impl Specimen for Felt {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn force(&self, x: f64, _v: f64) -> f64 {
        self.force + self.stiffness * (x - self.x)
    }
}

/// What is kept per actuator besides the memory of the actuator: last command, position, restoring force.
const OWN: usize = 3;

impl Emulated {
    /// Puts a laboratory together: `masses` are what each actuator carries by itself, kg.
    pub fn new(
        drives: Vec<Drive>,
        mut kinematics: Kinematics,
        body: Box<dyn Body>,
        masses: &[f64],
        period: f64,
        faults: Vec<Injection>,
    ) -> Self {
        let n = drives.len();
        let felt = (0..n)
            .map(|i| {
                // Stiffness against the stroke of actuator i alone, the others standing: eᵢᵀ J⁻ᵀ K J⁻¹ eᵢ.
                let mut unit = vec![0.0; n];
                unit[i] = 1.0;
                kinematics.rates(&mut unit);
                let k = body.stiffness();
                let mut r: Vec<f64> = (0..n).map(|a| (0..n).map(|b| k[a * n + b] * unit[b]).sum()).collect();
                kinematics.to_actuators(&mut r);
                (masses.get(i).copied().unwrap_or(0.0), r[i])
            })
            .collect();
        let mut zero = vec![0.0; n];
        kinematics.displacements(&vec![0.0; n], &mut zero);
        let extra = faults.iter().map(Injection::delay).max().unwrap_or(0);
        let zeros = || vec![0.0; n];
        let [q, u, v, a, r] = [zeros(), zeros(), zeros(), zeros(), zeros()];
        Emulated {
            drives,
            kinematics,
            body,
            felt,
            period,
            faults,
            extra,
            tick: 0,
            q,
            pistons: vec![[0.0; 2]; n],
            u,
            v,
            a,
            r,
        }
    }

    fn delay_line(&self) -> usize {
        if self.extra > 0 { line::memory(self.extra + 2) } else { 0 }
    }
}

impl Hardware for Emulated {
    fn actuators(&self) -> usize {
        self.drives.len()
    }

    fn memory(&self) -> usize {
        let n = self.drives.len();
        let drives: usize = self.drives.iter().map(|d| d.actuator.memory()).sum();
        // Displacements as a start for the kinematics; then each actuator; then the body.
        n + n * (OWN + self.delay_line()) + drives + self.body.memory()
    }

    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let n = self.drives.len();
        self.tick += 1;
        let tick = self.tick;
        let now = |f: &&Injection| f.is_on(tick);
        if self.faults.iter().filter(now).any(|f| f.what == Misfortune::Gone) {
            return Reply::Gone;
        }
        let (guess, mut rest) = memory.split_at_mut(n);
        let late: usize = self.faults.iter().filter(now).map(Injection::delay).sum();
        let line = self.delay_line();
        for i in 0..n {
            let drive = &self.drives[i];
            let (own, tail) = rest.split_at_mut(OWN + line + drive.actuator.memory());
            rest = tail;
            let (past, own) = own.split_at_mut(OWN);
            let (waiting, inner) = own.split_at_mut(line);
            let wanted = if line > 0 {
                line::push(waiting, command[i]);
                line::ago(waiting, late)
            } else {
                command[i]
            };
            let (mass, stiffness) = self.felt[i];
            let mut felt = Felt { mass, stiffness, x: past[1], force: past[2] };
            let reached = drive.actuator.advance(inner, [past[0], wanted], &mut felt);
            past[0] = wanted;
            past[1] = reached.x;
            (self.q[i], self.v[i], self.a[i]) = (reached.x, reached.v, reached.a);
            self.pistons[i] = [reached.v, reached.a];
        }
        self.u.copy_from_slice(guess);
        let mut sound = self.kinematics.displacements(&self.q, &mut self.u);
        guess.copy_from_slice(&self.u);
        self.kinematics.rates(&mut self.v);
        self.kinematics.rates(&mut self.a);
        let to = Motion { t: tick as f64 * self.period, u: &self.u, v: &self.v, a: &self.a };
        sound &= self.body.advance(rest, to, self.period, &mut self.r).is_ok();
        self.kinematics.to_actuators(&mut self.r);
        // What the actuators feel in the next sample is the restoring force; the load cell feels the inertia too.
        let mut place = n;
        for i in 0..n {
            let past = &mut memory[place..];
            past[2] = self.r[i] - self.felt[i].0 * self.pistons[i][1];
            place += OWN + line + self.drives[i].actuator.memory();
        }
        if self.faults.iter().filter(now).any(|f| f.what == Misfortune::Silence) {
            return Reply::Stale;
        }
        for i in 0..n {
            let drive = &self.drives[i];
            let rubbing = drive.friction * (self.pistons[i][0] / CREEP).clamp(-1.0, 1.0);
            // The noise of neighbours must not be the same.
            let seeded = |s: &Sensor, offset: u64| Sensor { seed: s.seed.wrapping_add(offset), ..*s };
            let number = i as u64;
            let mut shown = [
                seeded(&drive.displacement, 1000 + number).shows(self.q[i], tick),
                seeded(&drive.force, number).shows(self.r[i] + rubbing, tick),
            ];
            for fault in self.faults.iter().filter(now).filter(|f| f.actuator.is_none_or(|a| a == i)) {
                fault.spoil(&mut shown, [displacement[i], force[i]]);
            }
            if !sound {
                shown[1] = f64::NAN;
            }
            [displacement[i], force[i]] = shown;
        }
        Reply::Fresh
    }

    /// The clock of noise and faults; all else is in its memory.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.whole(&mut self.tick);
    }

    fn emergency_stop(&self) -> bool {
        self.faults.iter().any(|f| f.what == Misfortune::EmergencyStop && f.is_on(self.tick))
    }

    fn is_emulated(&self) -> bool {
        true
    }
}
