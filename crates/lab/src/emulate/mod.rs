//! The emulated laboratory: actuators that lag and saturate, the specimen they move, sensors that are noisy, and the
//! faults one wants to have seen before the test.

mod answering;
pub mod body;
pub mod fault;
pub mod inner;
mod instruments;
mod mount;
pub mod sensor;
mod together;

use std::sync::Arc;

use interfield_kernel::Archive;

use crate::hardware::{Hardware, Reply};
use crate::kinematics::Kinematics;
use crate::plant::{Actuator, Coupled, Hydraulic, Specimen};
use crate::signal::line;
pub use answering::Answering;
pub use body::{Body, Motion, Replica};
pub use fault::{Injection, Misfortune};
pub use inner::Free;
use instruments::Done;
pub use instruments::{Carried, Instruments};
use mount::Mount;
pub use sensor::Sensor;
use together::Together;

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
    /// Dynamics of all actuators together; none: each has its own. It is sent what the actuators make of their commands.
    plant: Option<Coupled>,
    /// Commands as they come to that plant, and those of the sample before.
    arriving: Vec<f64>,
    arrived: Vec<f64>,
    /// Actuators that feel one another through the specimen; none: each is alone, or goes where it is sent.
    together: Option<Together>,
    /// The body before the sample.
    before: Vec<f64>,
    /// What gives between pistons and body; none: nothing.
    mount: Option<Mount>,
    /// Transducers and load cells besides those of the actuators.
    instruments: Option<Instruments>,
    /// Mass and stiffness that each actuator feels by itself.
    felt: Vec<(f64, f64)>,
    period: f64,
    faults: Vec<Injection>,
    /// Longest delay that a fault adds, samples.
    extra: usize,
    tick: u64,
    /// Position, velocity, acceleration and force of the pistons.
    q: Vec<f64>,
    speeds: Vec<f64>,
    accelerations: Vec<f64>,
    forces: Vec<f64>,
    /// Motion of the body, and what holds it there.
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

/// What is kept per actuator besides the memory of the actuator: last command, position, restoring force; and its velocity where actuators
/// feel one another.
const OWN: usize = 3;

impl Emulated {
    /// Puts a laboratory together: `masses` are what stands on each degree of freedom, kg, `mounts` the stiffness between each piston and the
    /// specimen, N/m; none: rigid.
    pub fn new(
        drives: Vec<Drive>,
        mut kinematics: Kinematics,
        body: Box<dyn Body>,
        (masses, mounts): (&[f64], Option<Vec<f64>>),
        period: f64,
        faults: Vec<Injection>,
    ) -> Self {
        let (m, n) = (drives.len(), kinematics.dofs());
        let inertia: Vec<f64> = (0..n * n)
            .map(|k| if k % (n + 1) == 0 { masses.get(k / n).copied().unwrap_or(0.0) } else { 0.0 })
            .collect();
        let against = |i| (kinematics.against(&inertia, i), kinematics.against(body.stiffness(), i));
        let felt = (0..m).map(against).collect();
        let seen = |kinematics: &mut Kinematics, matrix: &[f64]| {
            let columns: Vec<Vec<f64>> = (0..m).map(|j| kinematics.holding(matrix, j)).collect();
            (0..m * m).map(|e| columns[e % m][e / m]).collect::<Vec<f64>>()
        };
        // Pistons that give, or press against each other, are felt by what gives.
        let independent = mounts.is_none() && kinematics.rank() == m;
        let together = independent
            .then(|| {
                let (inertia, stiffness) = (seen(&mut kinematics, &inertia), seen(&mut kinematics, body.stiffness()));
                Together::new(drives.iter().map(|d| d.actuator.feels()), inertia, stiffness, period)
            })
            .flatten();
        let mut zero = vec![0.0; n];
        kinematics.displacements(&vec![0.0; m], &mut zero);
        let mount = mounts.map(|stiffness| Mount::new(stiffness, masses.to_vec(), body.as_ref(), n, period));
        let extra = faults.iter().map(Injection::delay).max().unwrap_or(0);
        let zeros = |k: usize| vec![0.0; k];
        Emulated {
            drives,
            kinematics,
            plant: None,
            arriving: zeros(m),
            arrived: zeros(m),
            before: zeros(if together.is_some() { body.memory() } else { 0 }),
            together,
            body,
            mount,
            instruments: None,
            felt,
            period,
            faults,
            extra,
            tick: 0,
            q: zeros(m),
            speeds: zeros(m),
            accelerations: zeros(m),
            forces: zeros(m),
            u: zeros(n),
            v: zeros(n),
            a: zeros(n),
            r: zeros(n),
        }
    }

    /// All actuators move as one plant: what each makes of its command, by delay and limits, is the command of the plant.
    #[must_use]
    pub fn moving_together(mut self, plant: Option<Coupled>) -> Self {
        self.plant = plant.filter(|p| p.actuators() == self.drives.len());
        self
    }

    /// The plant goes over a sample from the commands that arrived to those that arrive.
    fn advance_plant(&mut self, memory: &mut [f64]) {
        let Some(plant) = &self.plant else { return };
        let reached = [&mut self.q[..], &mut self.speeds[..], &mut self.accelerations[..]];
        plant.advance(memory, &self.arrived, &self.arriving, reached);
    }

    /// The same with transducers and load cells besides those of the actuators.
    #[must_use]
    pub fn with_instruments(self, mut instruments: Instruments) -> Self {
        instruments.reserve(self.drives.len());
        Emulated { instruments: Some(instruments), ..self }
    }

    /// The body goes where rigid pistons put it: whether it can.
    fn impose(&mut self, memory: &mut [f64], tick: u64) -> bool {
        let fits = self.kinematics.displacements(&self.q, &mut self.u);
        self.kinematics.rates(&self.speeds, &mut self.v);
        self.kinematics.rates(&self.accelerations, &mut self.a);
        let to = Motion { t: tick as f64 * self.period, u: &self.u, v: &self.v, a: &self.a };
        let sound = self.body.advance(memory, to, self.period, &mut self.r).is_ok();
        self.kinematics.to_actuators(&self.r, &mut self.forces);
        fits && sound
    }

    /// Those that feel one another move with the body: whether they can.
    fn move_together(&mut self, memory: &mut [f64], tick: u64) -> bool {
        let Some(mut together) = self.together.take() else { return false };
        self.before.copy_from_slice(memory);
        together.end.x.copy_from_slice(&self.q);
        together.end.v.copy_from_slice(&self.speeds);
        together.end.a.copy_from_slice(&self.accelerations);
        let sound = together.solve(|end| {
            self.q.copy_from_slice(&end.x);
            self.speeds.copy_from_slice(&end.v);
            self.accelerations.copy_from_slice(&end.a);
            memory.copy_from_slice(&self.before);
            let sound = self.impose(memory, tick);
            end.forces.copy_from_slice(&self.forces);
            sound
        });
        self.together = Some(together);
        sound
    }

    /// What is remembered of an actuator for the next sample: restoring force, and where it is if it moved with others.
    fn remember(&self, i: usize, past: &mut [f64], inner: &mut [f64]) {
        let Some(together) = &self.together else {
            // The load cell feels the inertia, the actuator in the next sample does not.
            past[2] = self.forces[i] - self.felt[i].0 * self.accelerations[i];
            return;
        };
        past[1] = self.q[i];
        past[2] = together.restoring(i, &self.forces, &self.accelerations);
        past[3] = self.speeds[i];
        if let Some(p) = together.place(i) {
            let (actuator, place) = (&self.drives[i].actuator, inner.len() - Hydraulic::STATES);
            actuator.settle(inner, past[2]);
            inner[place..].copy_from_slice(&together.after[p * Hydraulic::STATES..(p + 1) * Hydraulic::STATES]);
        }
    }

    /// Numbers that are kept of each actuator besides its memory.
    fn own(&self) -> usize {
        OWN + usize::from(self.together.is_some())
    }

    fn delay_line(&self) -> usize {
        if self.extra > 0 { line::memory(self.extra + 2) } else { 0 }
    }
}

impl Hardware for Emulated {
    fn actuators(&self) -> usize {
        self.drives.len()
    }

    fn sensors(&self) -> [usize; 2] {
        self.instruments.as_ref().map_or([0; 2], Instruments::counts)
    }

    fn memory(&self) -> usize {
        let (m, n) = (self.drives.len(), self.u.len());
        let drives: usize = self.drives.iter().map(|d| d.actuator.memory()).sum();
        let mount = self.mount.as_ref().map_or(0, Mount::memory);
        let plant = self.plant.as_ref().map_or(0, Coupled::memory);
        // Displacements as a start for the kinematics; then each actuator; then all together; then what gives; then the body.
        n + m * (self.own() + self.delay_line()) + drives + plant + mount + self.body.memory()
    }

    fn exchange(&mut self, memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let (m, n) = (self.drives.len(), self.u.len());
        self.tick += 1;
        let tick = self.tick;
        let now = |f: &&Injection| f.is_on(tick);
        if self.faults.iter().filter(now).any(|f| f.what == Misfortune::Gone) {
            return Reply::Gone;
        }
        let (guess, mut rest) = memory.split_at_mut(n);
        let late: usize = self.faults.iter().filter(now).map(Injection::delay).sum();
        let (line, held) = (self.delay_line(), self.own());
        for i in 0..m {
            let drive = &self.drives[i];
            let (own, tail) = rest.split_at_mut(held + line + drive.actuator.memory());
            rest = tail;
            let (past, own) = own.split_at_mut(held);
            let (waiting, inner) = own.split_at_mut(line);
            let wanted = if line > 0 {
                line::push(waiting, command[i]);
                line::ago(waiting, late)
            } else {
                command[i]
            };
            if let Some(together) = &mut self.together {
                together.start[i] = [past[1], past[2], past[3]];
                if let Some(p) = together.place(i) {
                    together.commands[i] = drive.actuator.pass(inner, [past[0], wanted]);
                    let states = &inner[inner.len() - Hydraulic::STATES..];
                    together.before[p * Hydraulic::STATES..(p + 1) * Hydraulic::STATES].copy_from_slice(states);
                    past[0] = wanted;
                    continue;
                }
            }
            // What only passes its command on to the plant feels the force of the sample before.
            let (mass, stiffness) = if self.plant.is_some() { (0.0, 0.0) } else { self.felt[i] };
            let mut felt = Felt { mass, stiffness, x: past[1], force: past[2] };
            let reached = drive.actuator.advance(inner, [past[0], wanted], &mut felt);
            past[0] = wanted;
            (self.arrived[i], self.arriving[i]) = (past[1], reached.x);
            past[1] = reached.x;
            (self.q[i], self.speeds[i], self.accelerations[i]) = (reached.x, reached.v, reached.a);
        }
        let together = self.plant.as_ref().map_or(0, Coupled::memory);
        let (plant, rest) = rest.split_at_mut(together);
        self.advance_plant(plant);
        self.u.copy_from_slice(guess);
        let sound = match &mut self.mount {
            Some(mount) => {
                let (own, body) = rest.split_at_mut(mount.memory());
                let moves = (&mut self.kinematics, &mut self.body);
                mount.balance((own, body), moves, (tick, &self.q), &mut self.u, &mut self.forces)
            }
            None if self.together.is_some() => self.move_together(rest, tick),
            None => self.impose(rest, tick),
        };
        memory[..n].copy_from_slice(&self.u);
        let mut rest = &mut memory[n..];
        for i in 0..m {
            let (own, tail) = rest.split_at_mut(held + line + self.drives[i].actuator.memory());
            let (past, own) = own.split_at_mut(held);
            self.remember(i, past, &mut own[line..]);
            rest = tail;
        }
        if self.faults.iter().filter(now).any(|f| f.what == Misfortune::Silence) {
            return Reply::Stale;
        }
        for i in 0..m {
            let drive = &self.drives[i];
            let rubbing = drive.friction * (self.speeds[i] / CREEP).clamp(-1.0, 1.0);
            // The noise of neighbours must not be the same.
            let seeded = |s: &Sensor, offset: u64| Sensor { seed: s.seed.wrapping_add(offset), ..*s };
            let number = i as u64;
            let mut shown = [
                seeded(&drive.displacement, 1000 + number).shows(self.q[i], tick),
                seeded(&drive.force, number).shows(self.forces[i] + rubbing, tick),
            ];
            for fault in self.faults.iter().filter(now).filter(|f| f.strikes_actuator(i)) {
                fault.spoil(&mut shown, [displacement[i], force[i]]);
            }
            if !sound {
                shown[1] = f64::NAN;
            }
            [displacement[i], force[i]] = shown;
        }
        if let Some(instruments) = &mut self.instruments {
            let done = Done { tick, u: &self.u, forces: &self.forces, sound };
            let shown = [&mut displacement[m..], &mut force[m..]];
            instruments.show(done, &self.kinematics, self.faults.iter().filter(now), shown);
        }
        Reply::Fresh
    }

    fn show_free(&self, memory: &[f64], free: &mut [f64]) {
        // The body is the last that remembers.
        self.body.shows(&memory[memory.len() - self.body.memory()..], free);
    }

    /// The clock of noise and faults; all else is in its memory.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.whole(&mut self.tick);
        self.body.persist(archive);
    }

    fn emergency_stop(&self) -> bool {
        self.faults.iter().any(|f| f.what == Misfortune::EmergencyStop && f.is_on(self.tick))
    }

    fn has_instruments(&self) -> bool {
        false
    }

    fn is_emulated(&self) -> bool {
        true
    }
}
