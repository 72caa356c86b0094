//! The controller of a rig: what happens in one sample, from target to measurement.
//!
//! ```text
//! target u (structure) --1/S--> kinematics --> compensation --> calibration --> hardware
//! measured f, u        <--S²,S- kinematics <-- guard, tape   <-- calibration <-- sensors
//! ```
//!
//! Between two targets the command moves on a straight line, so many samples as the time between them takes at the time
//! scale of the test; the ways to the start and home begin and end without a jolt. The same [`Controller::tick`] runs in a rehearsal without a clock, called as fast as it goes, and in a
//! real-time loop, called by the clock: without missed deadlines both give the same bits.

mod button;
mod plan;

use interfield_kernel::Fault;

use crate::hardware::{Hardware, Reply};
use crate::kinematics::Kinematics;
use crate::rig::{Reading, Rig, Target};
use crate::safety::guard::Seen;
use crate::safety::{Action, Alarm, Guard, Machine, State, Trip, graver};
use crate::stiffness::Estimate;
pub use button::{Button, Request};
pub use plan::{Calibration, MissPolicy, Plan};

/// Takes one sample of all channels; must not wait.
pub trait Tape: Send {
    /// `false` if it could not be kept.
    fn push(&mut self, sample: &[f64]) -> bool;

    /// The test is over: how it ended, and its log. May wait.
    fn end(&mut self, outcome: &str, log: &[String]);
}

/// How far a sample brought the rig.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Under way.
    Busy,
    /// The target was reached and measured in this sample.
    Reached,
    /// The test is over.
    Over(Fault),
}

/// The way to a target.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    left: u64,
    /// Samples of the whole way.
    of: u64,
    /// Whether a measurement is waited for at its end.
    asked: bool,
}

/// Share of the way home in which the motion of the test runs out. Its overshoot is a fifth of the speed times this time.
pub const COAST: f64 = 0.125;

/// From 0 to 1 as `x` does, at rest and without acceleration at both ends.
fn ease(x: f64) -> f64 {
    x * x * x * (10.0 + x * (6.0 * x - 15.0))
}

/// From 0 with slope 1 back to 0, without acceleration at both ends and at rest at the second.
fn coast(x: f64) -> f64 {
    x + x * x * x * (x * (8.0 - 3.0 * x) - 6.0)
}

/// Names of the columns of a sample: time first, then each actuator.
pub const COLUMNS: [&str; 6] = ["target", "command", "reached", "force", "error", "stiffness"];
/// Columns before those of the actuators.
pub const HEAD: [&str; 3] = ["time", "state", "fresh"];

/// A rig and how it is driven.
pub struct Controller {
    plan: Plan,
    kinematics: Kinematics,
    hardware: Box<dyn Hardware>,
    guard: Guard,
    machine: Machine,
    tape: Option<Box<dyn Tape>>,
    button: Button,
    estimates: Vec<Estimate>,
    tick: u64,
    number: u64,
    /// Time of the model at the last target, and the number of samples that the way to it took.
    clock: Option<(f64, u64)>,
    segment: Segment,
    /// Samples of the present hold or ramp.
    waited: u64,
    /// What ended the test, and the last thing warned of.
    cause: Option<Trip>,
    warned: Option<Trip>,
    /// State to go back to after a hold.
    held: State,
    /// Samples that were not recorded.
    dropped: u64,
    /// Samples without a target: all, and since the last target.
    late: [u64; 2],
    /// Displacements of the structure that the specimen is led along, and where it is led to.
    aim: Vec<f64>,
    goal: Vec<f64>,
    increment: Vec<f64>,
    /// Where a ramp began, and how fast, per sample.
    origin: Vec<f64>,
    speed: Vec<f64>,
    /// At the scale of the specimen.
    u: Vec<f64>,
    stroke: Vec<f64>,
    command: Vec<f64>,
    /// As the instruments say them: commands, displacements, forces.
    raw: [Vec<f64>; 3],
    row: Vec<f64>,
}

impl Controller {
    /// A controller with all it drives. `limits` apply to the specimen's own scale.
    pub fn new(plan: Plan, kinematics: Kinematics, hardware: Box<dyn Hardware>, guard: Guard) -> Self {
        let n = kinematics.len();
        let zeros = || vec![0.0; n];
        let raw = [zeros(), zeros(), zeros()];
        let estimates = plan.stiffness.iter().map(|&k| Estimate::new(k)).collect();
        Controller {
            kinematics,
            hardware,
            guard,
            machine: Machine::default(),
            tape: None,
            button: Button::default(),
            estimates,
            tick: 0,
            number: 0,
            clock: None,
            segment: Segment::default(),
            waited: 0,
            cause: None,
            warned: None,
            held: State::Running,
            dropped: 0,
            late: [0; 2],
            aim: zeros(),
            goal: zeros(),
            increment: zeros(),
            origin: zeros(),
            speed: zeros(),
            u: zeros(),
            stroke: zeros(),
            command: zeros(),
            raw,
            row: vec![0.0; HEAD.len() + COLUMNS.len() * n],
            plan,
        }
    }

    /// Records every sample from now on.
    pub fn record(&mut self, tape: Box<dyn Tape>) {
        self.tape = Some(tape);
    }

    /// Listens to this button from now on.
    pub fn listen(&mut self, button: Button) {
        self.button = button;
    }

    /// Ends the recording. Not for the loop.
    pub fn close(&mut self) {
        if let Some(mut tape) = self.tape.take() {
            let log: Vec<String> = self.machine.log().iter().map(|t| t.line(self.plan.period)).collect();
            let outcome = match self.cause {
                None => self.machine.state().name().to_owned(),
                Some(trip) => format!("{}: {}", self.machine.state().name(), trip.words()),
            };
            tape.end(&outcome, &log);
        }
    }

    /// The state of the test and its log.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The guard.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// What the hardware counted, by name.
    pub fn account(&self) -> Vec<(&'static str, f64)> {
        self.hardware.account()
    }

    /// Samples so far, samples that were not recorded, samples without a target in time.
    pub fn counts(&self) -> [u64; 3] {
        [self.tick, self.dropped, self.late[0]]
    }

    /// Sampling interval, s.
    pub fn period(&self) -> f64 {
        self.plan.period
    }

    /// Seconds in the laboratory per second of the model.
    pub fn time_scale(&self) -> f64 {
        self.plan.time_scale
    }

    /// Time of the way to the initial displacement and back at the end, s.
    pub fn ramp(&self) -> f64 {
        self.plan.ramp
    }

    /// Number of the target it goes to, as given to [`Controller::aim_at`].
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the test is over.
    pub fn is_done(&self) -> bool {
        self.machine.state().is_over()
    }

    /// [`Controller::aim`] at a numbered target.
    pub fn aim_at(&mut self, number: u64, target: Target<'_>) {
        self.number = number;
        self.aim(target);
    }

    /// Aims at the next target. What was measured there is in the memory when [`Controller::tick`] says so.
    pub fn aim(&mut self, target: Target<'_>) {
        let mut samples = self.samples_until(target.t, target.u);
        if self.plan.miss == MissPolicy::Extrapolate {
            // The specimen went on meanwhile: what is left of the way takes what is left of the time.
            samples = samples.saturating_sub(self.late[1]).max(samples.min(1));
        }
        self.late[1] = 0;
        self.goal.copy_from_slice(target.u);
        self.segment = Segment { left: samples, of: samples, asked: true };
        self.origin.copy_from_slice(&self.aim);
        match self.machine.state() {
            State::Idle => {
                self.machine.go(self.tick, State::Armed, None);
                self.machine.go(self.tick, State::Ramp, None);
            }
            State::Ramp => self.machine.go(self.tick, State::Running, None),
            _ => {}
        }
    }

    /// Samples from the last target to this one. At the start there is a ramp if there is a way to go. Time that goes back
    /// or stands still is that of a loop which is probed or started again: it takes as long as the last time.
    fn samples_until(&mut self, t: f64, u: &[f64]) -> u64 {
        let there = u == self.goal;
        let (samples, last) = match self.clock {
            None if there => (0, 0),
            None => (self.ramp_samples(), 0),
            Some((before, 0)) if t <= before && there => (0, 0),
            Some((before, last)) if t <= before => (last.max(1), last),
            Some((before, _)) => {
                let samples = ((t - before) * self.plan.time_scale / self.plan.period).round().max(1.0) as u64;
                (samples, samples)
            }
        };
        self.clock = Some((t, last));
        samples
    }

    fn ramp_samples(&self) -> u64 {
        (self.plan.ramp / self.plan.period).ceil().max(1.0) as u64
    }

    /// One sample.
    pub fn tick(&mut self, memory: &mut [f64]) -> Progress {
        if self.machine.state() == State::Idle {
            return Progress::Busy;
        }
        if self.segment.asked && self.segment.left == 0 && !self.machine.state().is_over() {
            // No way to go at all: the last measurement stands.
            return self.reached(memory);
        }
        self.tick += 1;
        self.steer();
        let alarm = self.sample(memory);
        let alarm = graver(alarm, self.asked_for());
        self.judge(alarm);
        match self.machine.state() {
            state if state.is_over() => {
                self.hardware.stop();
                Progress::Over(self.fault())
            }
            State::Ramp | State::Running if self.segment.asked && self.segment.left == 0 => self.reached(memory),
            _ => Progress::Busy,
        }
    }

    fn reached(&mut self, memory: &mut [f64]) -> Progress {
        self.segment.asked = false;
        let place = Reading::Target.place(0, self.goal.len());
        memory[place..place + self.goal.len()].copy_from_slice(&self.goal);
        Progress::Reached
    }

    /// Why the test is over.
    fn fault(&self) -> Fault {
        Fault::Laboratory { code: self.cause.unwrap_or(Trip::Operator).code() }
    }

    /// From now on the specimen is led back to where it stood at the start, and the test ends as planned.
    pub fn go_home(&mut self) {
        let state = self.machine.state();
        if matches!(state, State::Ramp | State::Running | State::Hold) {
            self.machine.go(self.tick, State::RampDown, None);
            self.start_home();
            if state == State::Running {
                self.speed.copy_from_slice(&self.increment);
            }
        } else if state == State::Idle {
            self.machine.go(self.tick, State::Finished, None);
        }
        self.segment = Segment::default();
    }

    /// The way home begins here, at rest.
    fn start_home(&mut self) {
        self.waited = 0;
        self.origin.copy_from_slice(&self.aim);
        self.speed.fill(0.0);
    }

    /// Moves the aim by one sample.
    fn steer(&mut self) {
        match self.machine.state() {
            State::Ramp if self.segment.left > 0 => {
                self.segment.left -= 1;
                let done = ease(1.0 - self.segment.left as f64 / self.segment.of as f64);
                for i in 0..self.aim.len() {
                    // From the goal, so that the last sample lands on it.
                    self.aim[i] = self.goal[i] - (1.0 - done) * (self.goal[i] - self.origin[i]);
                }
            }
            State::Running if self.segment.left > 0 => {
                for i in 0..self.aim.len() {
                    self.increment[i] = (self.goal[i] - self.aim[i]) / self.segment.left as f64;
                    // The last sample lands on the target itself, not beside it by rounding.
                    self.aim[i] = if self.segment.left == 1 { self.goal[i] } else { self.aim[i] + self.increment[i] };
                }
                self.segment.left -= 1;
            }
            State::Running => {
                self.late.iter_mut().for_each(|l| *l += 1);
                if self.plan.miss == MissPolicy::Extrapolate {
                    self.aim.iter_mut().zip(&self.increment).for_each(|(a, d)| *a += d);
                }
            }
            State::RampDown => {
                self.waited += 1;
                let samples = self.ramp_samples() as f64;
                let left = 1.0 - ease((self.waited as f64 / samples).min(1.0));
                let stop = (COAST * samples).ceil();
                let coasted = stop * coast((self.waited as f64 / stop).min(1.0));
                for i in 0..self.aim.len() {
                    self.aim[i] = left * self.origin[i] + coasted * self.speed[i];
                }
            }
            State::Hold => self.waited += 1,
            // At the start there is time: the first target was reached, and the test has not begun.
            State::Ramp | State::Idle | State::Armed | State::Aborted | State::Finished => {}
        }
    }

    /// Command, hardware, measurement, record: the gravest of what tripped.
    fn sample(&mut self, memory: &mut [f64]) -> Option<Alarm> {
        let n = self.aim.len();
        let (readings, rest) = memory.split_at_mut(Reading::COUNT * n);
        let (sensors, rest) = rest.split_at_mut(2 * n);
        let (own, hardware) = rest.split_at_mut(self.compensation());
        let (seen, felt) = sensors.split_at_mut(n);
        self.decide(own, seen);
        let reply = self.send(hardware, seen, felt);
        let alarm = self.watch(reply, seen, felt);
        let alarm = graver(alarm, self.take_home(readings, seen, felt));
        self.write(reply, seen, felt);
        let recorder = self.guard.limits().recorder.filter(|w| self.dropped as f64 > w.limit);
        graver(alarm, recorder.map(|w| Alarm::new(Trip::Recorder, w.action)))
    }

    /// Memory of all compensators.
    fn compensation(&self) -> usize {
        self.plan.compensators.iter().map(|c| c.memory()).sum()
    }

    /// From the aim to the commands of the actuators; `seen` are the strokes of the last sample.
    fn decide(&mut self, mut memory: &mut [f64], seen: &[f64]) {
        // The specimen is 1/S of the structure.
        self.u.iter_mut().zip(&self.aim).for_each(|(u, a)| *u = a / self.plan.scale);
        self.kinematics.strokes(&self.u, &mut self.stroke);
        for (i, compensator) in self.plan.compensators.iter().enumerate() {
            let (own, rest) = memory.split_at_mut(compensator.memory());
            memory = rest;
            self.command[i] = compensator.command(own, self.stroke[i], seen[i]);
        }
    }

    /// One sample of the hardware, through the calibration: strokes and forces of the actuators in and out.
    fn send(&mut self, memory: &mut [f64], seen: &mut [f64], felt: &mut [f64]) -> Reply {
        let [command, displacement, force] = &mut self.raw;
        for (i, c) in self.plan.calibration.iter().enumerate() {
            command[i] = c.command[0] * self.command[i] + c.command[1];
            displacement[i] = c.displacement[0] * seen[i] + c.displacement[1];
            force[i] = c.force[0] * felt[i] + c.force[1];
        }
        if !command.iter().all(|c| c.is_finite()) {
            // A drive must never see this; the guard sees the command itself.
            return Reply::Stale;
        }
        let reply = self.hardware.exchange(memory, command, displacement, force);
        for (i, c) in self.plan.calibration.iter().enumerate() {
            seen[i] = (displacement[i] - c.displacement[1]) / c.displacement[0];
            felt[i] = (force[i] - c.force[1]) / c.force[0];
        }
        reply
    }

    fn watch(&mut self, reply: Reply, seen: &[f64], felt: &[f64]) -> Option<Alarm> {
        let gone = (reply == Reply::Gone).then(|| Alarm::new(Trip::Gone, self.guard.limits().gone));
        let mut alarm = graver(gone, self.guard.heard(reply == Reply::Fresh));
        for i in 0..seen.len() {
            let now = Seen { target: self.stroke[i], command: self.command[i], reached: seen[i], force: felt[i] };
            alarm = graver(alarm, self.guard.look(i, now));
            self.estimates[i].add(seen[i], felt[i]);
        }
        let late = self.late[0] > 0 && self.plan.miss == MissPolicy::Abort;
        let late = late.then(|| Alarm::new(Trip::Deadline, Action::Abort));
        let deadline = self.guard.limits().deadline.filter(|w| self.late[0] as f64 > w.limit);
        graver(alarm, graver(late, deadline.map(|w| Alarm::new(Trip::Deadline, w.action))))
    }

    /// From the actuators to the structure: displacements by S, forces by S².
    fn take_home(&mut self, readings: &mut [f64], seen: &[f64], felt: &[f64]) -> Option<Alarm> {
        let (n, scale) = (seen.len(), self.plan.scale);
        let (reached, force) = readings[n..].split_at_mut(n);
        self.u.iter_mut().zip(&*reached).for_each(|(u, x)| *u = x / scale);
        if !self.kinematics.displacements(seen, &mut self.u) {
            return Some(Alarm::new(Trip::NotFinite, self.guard.limits().not_finite));
        }
        reached.iter_mut().zip(&self.u).for_each(|(x, u)| *x = scale * u);
        self.kinematics.to_dofs(felt, force);
        force.iter_mut().for_each(|f| *f *= scale * scale);
        None
    }

    /// One row of the recording.
    fn write(&mut self, reply: Reply, seen: &[f64], felt: &[f64]) {
        let Some(tape) = &mut self.tape else { return };
        let (head, columns) = self.row.split_at_mut(HEAD.len());
        let fresh = f64::from(u8::from(reply == Reply::Fresh));
        head.copy_from_slice(&[self.tick as f64 * self.plan.period, self.machine.state().code(), fresh]);
        for (i, row) in columns.chunks_exact_mut(COLUMNS.len()).enumerate() {
            let (target, k) = (self.stroke[i], self.estimates[i].stiffness());
            row.copy_from_slice(&[target, self.command[i], seen[i], felt[i], target - seen[i], k]);
        }
        if !tape.push(&self.row) {
            self.dropped += 1;
        }
    }

    /// What somebody asks for.
    fn asked_for(&self) -> Option<Alarm> {
        let action = match self.button.read() {
            Request::None => return None,
            Request::Pause => Action::Hold,
            Request::Stop => Action::RampDown,
            Request::Abort => Action::Abort,
        };
        Some(Alarm::new(Trip::Operator, action))
    }

    /// What follows.
    fn judge(&mut self, alarm: Option<Alarm>) {
        let (tick, state) = (self.tick, self.machine.state());
        let action = alarm.map(|a| a.action);
        match (state, alarm, action) {
            (State::Idle | State::Armed | State::Aborted | State::Finished, ..) => {}
            (_, Some(alarm), Some(Action::Abort)) => self.leave(State::Aborted, alarm),
            (State::RampDown, ..) if self.waited < self.ramp_samples() => {}
            (State::RampDown, ..) => {
                let end = if self.cause.is_some() { State::Aborted } else { State::Finished };
                self.machine.go(tick, end, None);
            }
            (_, Some(alarm), Some(Action::RampDown)) => self.leave(State::RampDown, alarm),
            (State::Hold, None | Some(Alarm { action: Action::Warn, .. }), _) => self.machine.go(tick, self.held, None),
            // Whoever pauses a test may take all the time there is.
            (State::Hold, Some(Alarm { trip: Trip::Operator, .. }), _) => {}
            (State::Hold, ..) if self.waited as f64 * self.plan.period <= self.plan.patience => {}
            (State::Hold, ..) => self.leave(State::RampDown, Alarm::new(Trip::Patience, Action::RampDown)),
            (_, Some(alarm), Some(Action::Hold)) => {
                self.held = state;
                self.waited = 0;
                self.machine.go(tick, State::Hold, Some(alarm));
            }
            (_, Some(alarm), _) if self.warned != Some(alarm.trip) => {
                self.warned = Some(alarm.trip);
                self.machine.go(tick, state, Some(alarm));
            }
            _ => {}
        }
    }

    fn leave(&mut self, to: State, alarm: Alarm) {
        self.cause.get_or_insert(alarm.trip);
        self.start_home();
        self.machine.go(self.tick, to, Some(alarm));
    }
}

impl Rig for Controller {
    fn dofs(&self) -> usize {
        self.goal.len()
    }

    fn memory(&self) -> usize {
        (Reading::COUNT + 2) * self.goal.len() + self.compensation() + self.hardware.memory()
    }

    /// Without a clock: sample after sample until the target is reached.
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        if self.machine.state().is_over() {
            return Err(self.fault());
        }
        // Where the specimen was sent last is part of the state, so that a loop can be probed.
        let n = self.aim.len();
        self.aim.copy_from_slice(&memory[..n]);
        self.aim(target);
        loop {
            match self.tick(memory) {
                Progress::Busy => {}
                Progress::Reached => return Ok(()),
                Progress::Over(fault) => return Err(fault),
            }
        }
    }

    fn finish(&mut self, memory: &mut [f64]) {
        self.go_home();
        while self.machine.state() == State::RampDown {
            self.tick(memory);
        }
        self.close();
    }

    fn controller(&self) -> Option<&Controller> {
        Some(self)
    }
}
