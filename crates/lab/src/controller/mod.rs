//! The controller of a rig: what happens in one sample, from target to measurement.
//!
//! ```text
//! target u (structure) --1/S--> kinematics --> compensation -.
//!                                    braking, returning ----+--> limits --> guard --> calibration --> hardware
//! measured f, u        <--S²,S- kinematics <-- limits, tape <--------------------- calibration <-- sensors
//! ```
//!
//! Either the targets lead the actuators, through the compensation, or a path of their own does, behind it: while a late target
//! is bridged, to brake and hold, and on the way home. One hands over to the other without a step in position or velocity. What the
//! limits and the states of a test say is [`safety`](crate::safety)'s, what leaves is the [`guard`](crate::guard)'s.
//!
//! The same [`Controller::tick`] runs in a rehearsal without a clock, called as fast as it goes, and in a
//! real-time loop, called by the clock: without missed deadlines both give the same bits.

mod course;
mod lead;
mod operator;
mod path;
mod plan;

use interfield_kernel::{Archive, Fault};

use crate::guard::Guard;
use crate::hardware::{Hardware, Interlock, Reply};
use crate::kinematics::Kinematics;
use crate::rig::{Reading, Rig, Target, TestLog};
use crate::safety::monitor::{Found, Seen};
use crate::safety::{Action, Alarm, Event, Limits, Monitor, Sequence, State, Trip, graver};
use crate::stiffness::Estimate;
use course::Course;
use lead::Lead;
use operator::Ear;
pub use operator::{Operator, Word};
use path::{Path, Rejoin, way};
pub use plan::{Calibration, Home, MissPolicy, Plan};

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
    Over(Trip),
}

/// Names of the columns of a sample: time first, then each actuator. `asked` is what was wanted of an actuator, `command` what the
/// guard let leave.
pub const COLUMNS: [&str; 7] = ["target", "asked", "command", "reached", "force", "error", "stiffness"];
/// Columns before those of the actuators.
pub const HEAD: [&str; 3] = ["time", "state", "fresh"];

/// How long everything is given to come to rest at the end, s.
const SETTLE: f64 = 0.05;
/// A cause must be gone for this time before a test goes on, s.
const CLEAR: f64 = 0.02;
/// After this time at rest the compensation is left alone, s.
const STILL: f64 = 0.25;
/// How often a test goes on by itself after commands that were too fast or too sudden.
const AGAIN: u32 = 3;

/// A rig and how it is driven.
pub struct Controller {
    plan: Plan,
    kinematics: Kinematics,
    hardware: Box<dyn Hardware>,
    guards: Vec<Guard>,
    monitor: Monitor,
    sequence: Sequence,
    tape: Option<Box<dyn Tape>>,
    /// Names of its actuators, for what is told of them.
    names: Vec<String>,
    operator: Operator,
    ear: Ear,
    estimates: Vec<Estimate>,
    tick: u64,
    number: u64,
    /// Time of the model at the last target, and the number of samples that the way to it took.
    clock: Option<(f64, u64)>,
    course: Course,
    path: Path,
    lead: Lead,
    rejoin: Vec<Rejoin>,
    /// What the compensation said last, and how fast it goes per sample, smooth.
    compensated: Vec<[f64; 2]>,
    /// How far the target was from the command when a path took over, and samples since: it fades in as many as the braking takes.
    ahead: Vec<f64>,
    fading: f64,
    /// Samples of the way to the start, and where it began.
    ramp: f64,
    origin: Vec<f64>,
    /// Samples of the present hold, rest or bridge, and how many of them without a cause.
    waited: u64,
    clear: u64,
    /// Whether what holds the test cannot go away by itself, and how often it went on by itself.
    stuck: bool,
    again: u32,
    /// Trips that were warned of.
    warned: [bool; crate::safety::TRIPS.len()],
    /// Commands in a row that the guard did not let through, by actuator.
    refusals: Vec<u32>,
    refused: u64,
    /// Stalls that are over.
    stalled: usize,
    /// Samples that were not recorded.
    dropped: u64,
    /// Samples without a target: all, since the last target, and what an extrapolating test has to catch up.
    late: [u64; 3],
    /// At the scale of the specimen.
    u: Vec<f64>,
    stroke: Vec<f64>,
    asked: Vec<f64>,
    command: Vec<f64>,
    /// Displacements and forces of the structure, as measured in this sample and in the one before.
    now: Vec<f64>,
    before: Vec<f64>,
    /// As the instruments say them: commands, displacements, forces.
    raw: [Vec<f64>; 3],
    row: Vec<f64>,
}

impl Controller {
    /// A controller with all it drives. Limits apply to the specimen's own scale: those of the rig, and those of each actuator.
    ///
    /// # Errors
    /// When an envelope cannot be kept: a sentence.
    pub fn new(
        plan: Plan,
        kinematics: Kinematics,
        hardware: Box<dyn Hardware>,
        (rig, actuators): (Limits, Vec<Limits>),
    ) -> Result<Self, String> {
        let n = kinematics.len();
        let zeros = || vec![0.0; n];
        let guards = plan.envelopes.iter().map(|e| Guard::new(*e, plan.period)).collect::<Result<Vec<_>, _>>()?;
        if guards.len() != n || actuators.len() != n {
            return Err("every actuator needs an envelope and limits".to_owned());
        }
        let estimates = plan.stiffness.iter().map(|&k| Estimate::new(k)).collect();
        let operator = Operator::default();
        Ok(Controller {
            kinematics,
            hardware,
            guards,
            monitor: Monitor::new(rig, actuators, plan.period),
            sequence: Sequence::default(),
            tape: None,
            names: Vec::new(),
            ear: operator.ear("", plan.period),
            operator,
            estimates,
            tick: 0,
            number: 0,
            clock: None,
            course: Course::new(n),
            path: Path::new(n),
            lead: Lead::Targets,
            rejoin: vec![Rejoin::default(); n],
            compensated: vec![[0.0; 2]; n],
            ahead: zeros(),
            fading: 0.0,
            ramp: 0.0,
            origin: zeros(),
            waited: 0,
            clear: 0,
            stuck: false,
            again: 0,
            warned: [false; crate::safety::TRIPS.len()],
            refusals: vec![0; n],
            refused: 0,
            stalled: 0,
            dropped: 0,
            late: [0; 3],
            u: zeros(),
            stroke: zeros(),
            asked: zeros(),
            command: zeros(),
            now: vec![0.0; 2 * n],
            before: vec![0.0; 2 * n],
            raw: [zeros(), zeros(), zeros()],
            row: vec![0.0; HEAD.len() + COLUMNS.len() * n],
            plan,
        })
    }

    /// Records every sample from now on.
    pub fn record(&mut self, tape: Box<dyn Tape>) {
        self.tape = Some(tape);
    }

    /// Listens to this operator from now on, who knows the rig by this name.
    pub fn listen(&mut self, operator: &Operator, name: &str) {
        self.ear = operator.ear(name, self.plan.period);
        self.operator = operator.clone();
    }

    /// Calls its actuators by these names.
    pub fn call(&mut self, actuators: Vec<String>) {
        self.names = actuators;
    }

    /// Ends the recording. Not for the loop.
    pub fn close(&mut self) {
        if let Some(mut tape) = self.tape.take() {
            let log = self.sequence.log().iter().map(|t| t.line(self.plan.period, &self.names));
            tape.end(&self.outcome(), &log.chain(self.operator.lines()).collect::<Vec<String>>());
        }
    }

    /// How the test ended.
    pub fn outcome(&self) -> String {
        let state = self.sequence.state().name();
        self.sequence.cause().map_or_else(|| state.to_owned(), |trip| format!("{state}: {}", trip.words()))
    }

    /// The state of the test and its log.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The monitor.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// What the operator said and noted.
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Whether nothing real moves.
    pub fn is_emulated(&self) -> bool {
        self.hardware.is_emulated()
    }

    /// Samples so far, samples that were not recorded, samples without a target in time.
    pub fn counts(&self) -> [u64; 3] {
        [self.tick, self.dropped, self.late[0]]
    }

    /// Sampling interval, s.
    pub fn period(&self) -> f64 {
        self.plan.period
    }

    /// Stalls on purpose: first sample and number of samples of each.
    pub fn stalls(&self) -> &[[u64; 2]] {
        &self.plan.stalls
    }

    /// Longest time to rest after a hold, on the way home and after an abort, s: from any motion inside of the envelope.
    /// Infinite where the envelope does not say.
    pub fn times_to_rest(&self) -> [(&'static str, f64); 3] {
        let (mut brake, mut hard) = (self.plan.brake, 0.0f64);
        for guard in &self.guards {
            let e = guard.envelope();
            let stop = e.velocity / e.braking + if e.jerk.is_finite() { 2.0 * e.braking / e.jerk } else { 0.0 };
            // No velocity is known: as long as the braking takes in general.
            let stop = if stop.is_nan() { self.plan.brake } else { stop };
            (brake, hard) = (brake.max(3.0 * stop), hard.max(stop));
        }
        let farthest: Vec<f64> = self.guards.iter().map(|g| g.envelope().position[1]).collect();
        let home = match self.plan.home {
            Home::Displacement => way(&farthest, &vec![0.0; farthest.len()], &self.guards, self.plan.ramp),
            Home::Force => 2.0 * self.plan.ramp,
            Home::Hold => 0.0,
        };
        [("hold", brake), ("returning", brake + home), ("abort", hard)]
    }

    /// Number of the target it goes to, as given to [`Controller::aim_at`].
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the test is over.
    pub fn is_done(&self) -> bool {
        self.sequence.state().is_over()
    }

    /// [`Controller::aim`] at a numbered target.
    pub fn aim_at(&mut self, number: u64, target: Target<'_>) {
        self.number = number;
        self.aim(target);
    }

    /// Aims at the next target. What was measured there is in the memory when [`Controller::tick`] says so.
    pub fn aim(&mut self, target: Target<'_>) {
        let samples = self.samples_until(target.t, target.u);
        let samples = self.caught_up(samples);
        self.late[1] = 0;
        self.course.go(target.u, samples);
        match self.sequence.state() {
            State::Idle => {
                self.sequence.happen(self.tick, Event::Arm, None);
                self.sequence.happen(self.tick, Event::Start, None);
                self.start_ramp();
            }
            State::Armed => {
                self.sequence.happen(self.tick, Event::Start, None);
                self.start_ramp();
            }
            State::ToStart => {
                self.sequence.happen(self.tick, Event::Begin, None);
            }
            _ => {}
        }
        if self.plan.miss == MissPolicy::Wait {
            self.start_ramp();
        }
        if self.lead == Lead::Bridge {
            self.lead_by_targets();
        }
    }

    /// All that survives a sample. What is not saved is given before the test, or computed anew in every sample; each field is named, so that
    /// none is forgotten.
    #[rustfmt::skip]
    fn persist_fields(&mut self, archive: &mut dyn Archive) {
        let Controller {
            plan: _, kinematics: _, tape: _, names: _, operator: _, u: _, row: _,
            hardware, guards, monitor, sequence, ear, estimates, tick, number, clock,
            course, path, lead, rejoin, compensated, ahead, fading, ramp, origin,
            waited, clear, stuck, again, warned, refusals, refused, stalled, dropped, late,
            stroke, asked, command, now, before, raw,
        } = self;
        archive.same(guards.len());
        hardware.persist(archive);
        guards.iter_mut().for_each(|guard| guard.persist(archive));
        monitor.persist(archive);
        sequence.persist(archive);
        ear.persist(archive);
        estimates.iter_mut().for_each(|estimate| estimate.persist(archive));
        archive.option(clock, (0.0, 0), |archive, (t, samples)| {
            archive.number(t);
            archive.whole(samples);
        });
        course.persist(archive);
        path.persist(archive);
        archive.choice(lead, &Lead::ALL);
        rejoin.iter_mut().for_each(|rejoin| rejoin.persist(archive));
        archive.numbers(compensated.as_flattened_mut().iter_mut().chain([fading, ramp]));
        archive.numbers([ahead, origin, stroke, asked, command, now, before].into_iter().chain(raw).flatten());
        [tick, number, waited, clear, refused, dropped].into_iter().chain(late).for_each(|count| archive.whole(count));
        refusals.iter_mut().chain([again]).for_each(|count| archive.whole(count));
        archive.whole(stalled);
        warned.iter_mut().chain([stuck]).for_each(|flag| archive.flag(flag));
    }

    /// One sample.
    pub fn tick(&mut self, memory: &mut [f64]) -> Progress {
        let state = self.sequence.state();
        if state == State::Idle {
            return Progress::Busy;
        }
        let led = self.lead == Lead::Targets && matches!(state, State::ToStart | State::Running);
        if led && self.course.asked && self.course.way() == 0.0 {
            // No way to go at all: the last measurement stands.
            return self.reached(memory);
        }
        if state.is_over() {
            return Progress::Over(self.reason());
        }
        self.tick += 1;
        self.hear();
        let found = self.sample(memory);
        self.judge(found);
        self.show();
        match self.sequence.state() {
            state if state.is_over() => {
                self.switch_off();
                Progress::Over(self.reason())
            }
            State::ToStart | State::Running | State::Holding
                if self.lead == Lead::Targets && self.course.is_reached() =>
            {
                self.reached(memory)
            }
            _ => Progress::Busy,
        }
    }

    fn switch_off(&mut self) {
        self.hardware.interlock(Interlock::default());
        self.hardware.stop();
    }

    fn show(&self) {
        let t = self.clock.map_or(0.0, |c| c.0);
        self.ear.show(self.sequence.state(), self.sequence.cause(), self.tick, t);
    }

    /// What the operator said since the last sample.
    fn hear(&mut self) {
        if let Some(event) = self.ear.hear() {
            // Who pauses and goes on has nothing against the test.
            let planned = matches!(event, Event::Resume | Event::Pause);
            self.happen(event, (!planned).then(|| Alarm::new(Trip::Operator, Action::Warn)));
        }
    }

    fn reached(&mut self, memory: &mut [f64]) -> Progress {
        let early = self.course.early();
        self.course.asked = false;
        let n = self.course.goal.len();
        let place = Reading::Target.place(0, n);
        memory[place..place + n].copy_from_slice(&self.course.goal);
        if early > 0.0 {
            // Less than a sample before the target: readings as they will be there.
            for (reading, before) in memory[n..3 * n].iter_mut().zip(&self.before) {
                *reading += early * (*reading - before);
            }
        }
        Progress::Reached
    }

    /// Why the test is over.
    fn reason(&self) -> Trip {
        self.sequence.cause().unwrap_or(Trip::Operator)
    }

    /// From now on the specimen is led home, and the test ends as planned.
    pub fn go_home(&mut self) {
        self.happen(Event::End, None);
        if self.is_done() {
            self.switch_off();
        }
        self.show();
    }

    /// From now on the specimen is led home, and the test has ended before its time.
    fn leave_early(&mut self) {
        self.happen(Event::Stop, Some(Alarm::new(Trip::Unfinished, Action::RampDown)));
        if self.is_done() {
            self.switch_off();
        }
        self.show();
    }

    /// Something happens: the states of the test say what follows, and the motion follows them.
    fn happen(&mut self, event: Event, alarm: Option<Alarm>) {
        let before = self.sequence.state();
        if !self.sequence.happen(self.tick, event, alarm) {
            // What was slowing down along its way stops beside it, if something tripped meanwhile.
            if (before, event, self.lead) == (State::Holding, Event::Hold, Lead::Targets) {
                self.brake(self.plan.brake);
            }
            return;
        }
        (self.waited, self.clear) = (0, 0);
        match (self.sequence.state(), event) {
            // Time slows down along the way of the test.
            (State::Holding, Event::Pause) if before == State::Running && self.lead == Lead::Targets => {
                self.course.slow();
                self.stuck = false;
            }
            (State::Holding, _) => {
                self.stuck = alarm.is_some_and(|a| self.cannot_clear(a.trip));
                self.brake(self.plan.brake);
            }
            (State::GoingHome, Event::Resume) => self.path.go_home(self.plan.home),
            (State::GoingHome, _) => {
                self.brake(self.plan.brake);
                self.path.go_home(self.plan.home);
            }
            (State::AtRest, Event::Arrived) => {}
            (State::AtRest, _) => {
                self.course.stop();
                self.take_over();
                self.path.brake_hard(&self.guards);
            }
            (State::Running | State::ToStart, Event::Cleared | Event::Resume) => self.go_on(),
            _ => {}
        }
    }

    /// Whether a hold for this reason stays until somebody decides: targets do not move while it lasts.
    fn cannot_clear(&mut self, trip: Trip) -> bool {
        self.again += u32::from(matches!(trip, Trip::Velocity | Trip::Acceleration));
        trip == Trip::Displacement || self.again > AGAIN
    }

    /// Command, hardware, measurement, record: what was found.
    fn sample(&mut self, memory: &mut [f64]) -> Found {
        let n = self.asked.len();
        let (readings, rest) = memory.split_at_mut(Reading::COUNT * n);
        let (sensors, rest) = rest.split_at_mut(2 * n);
        let (own, hardware) = rest.split_at_mut(self.compensation());
        let (seen, felt) = sensors.split_at_mut(n);
        self.steer(own, seen, felt);
        if let Some(alarm) = self.ask() {
            // Judged before it leaves: what leaves instead is the first sample of what follows.
            self.trip(alarm);
            if self.lead != Lead::Targets {
                self.steer(own, seen, felt);
            }
        }
        let refused = self.pass();
        let reply = self.send(hardware, seen, felt);
        let mut found = self.watch(reply, seen, felt);
        found.alarm = graver(found.alarm, refused);
        if !self.take_home(readings, seen, felt) {
            found = found.and(self.lasting(Alarm::new(Trip::NotFinite, self.monitor.limits().not_finite)));
        }
        self.before.copy_from_slice(&self.now);
        self.now.copy_from_slice(&readings[n..]);
        self.write(reply, seen, felt);
        if let Some(w) = self.monitor.limits().recorder.filter(|w| self.dropped as f64 > w.limit) {
            found = found.and(self.lasting(Alarm::new(Trip::Recorder, w.action)));
        }
        found
    }

    /// What is asked of the actuators against its limits.
    fn ask(&mut self) -> Option<Alarm> {
        if self.lead != Lead::Targets {
            return None;
        }
        let mut alarm = None;
        for (i, guard) in self.guards.iter().enumerate() {
            alarm = graver(alarm, self.monitor.asked(i, self.asked[i], guard.position()));
        }
        alarm
    }

    /// The guard has the last word on every command.
    fn pass(&mut self) -> Option<Alarm> {
        let mut alarm = None;
        for i in 0..self.guards.len() {
            if self.lead != Lead::Targets && self.path.is_hard(i) {
                self.command[i] = self.guards[i].brake();
                self.refusals[i] = 0;
                continue;
            }
            let passed = self.guards[i].pass(self.asked[i]);
            self.command[i] = passed.command;
            let Some(bound) = passed.refused else {
                self.refusals[i] = 0;
                continue;
            };
            // What is only trimmed is followed all the same.
            self.refusals[i] = if passed.braked { self.refusals[i].saturating_add(1) } else { 0 };
            self.refused += u64::from(self.lead == Lead::Targets);
            if self.lead == Lead::Targets && passed.braked {
                alarm = graver(alarm, self.monitor.refused(i, bound, self.refusals[i]));
                self.rejoin_one(i);
            } else if passed.braked {
                // The guard brakes harder than was planned: the way goes on from where that ends.
                self.path.give_way(&self.guards);
            }
        }
        alarm
    }

    /// One sample of the hardware, through the calibration: strokes and forces of the actuators in and out.
    fn send(&mut self, memory: &mut [f64], seen: &mut [f64], felt: &mut [f64]) -> Reply {
        let [command, displacement, force] = &mut self.raw;
        for (i, c) in self.plan.calibration.iter().enumerate() {
            command[i] = c.command[0] * self.command[i] + c.command[1];
        }
        let enable = self.sequence.state().is_enabled();
        self.hardware.interlock(Interlock { enable, heartbeat: self.tick % 2 == 1 });
        if self.tick == 1 {
            // What was never measured is what the instruments show at rest.
            for (i, c) in self.plan.calibration.iter().enumerate() {
                displacement[i] = c.displacement[0] * seen[i] + c.displacement[1];
                force[i] = c.force[0] * felt[i] + c.force[1];
            }
        }
        let reply = self.hardware.exchange(memory, command, displacement, force);
        // Old readings stay the numbers they are.
        if reply == Reply::Fresh {
            for (i, c) in self.plan.calibration.iter().enumerate() {
                seen[i] = (displacement[i] - c.displacement[1]) / c.displacement[0];
                felt[i] = (force[i] - c.force[1]) / c.force[0];
            }
        }
        reply
    }

    fn watch(&mut self, reply: Reply, seen: &[f64], felt: &[f64]) -> Found {
        let mut found = self.monitor.heard(reply == Reply::Fresh);
        let rig = *self.monitor.limits();
        if reply == Reply::Gone {
            found = found.and(self.lasting(Alarm::new(Trip::Gone, rig.gone)));
        }
        if self.hardware.emergency_stop() {
            found.alarm = Some(Alarm::new(Trip::EmergencyStop, Action::Abort));
        }
        let led = self.lead == Lead::Targets;
        for i in 0..seen.len() {
            let (target, command) = (self.stroke[i], self.command[i]);
            let now = Seen { target, command, reached: seen[i], force: felt[i], led };
            found = found.and(self.monitor.look(i, now));
            self.estimates[i].add(seen[i], felt[i]);
        }
        if self.tick == 1 && reply == Reply::Fresh {
            found.alarm = graver(found.alarm, self.misplaced(seen));
        }
        if self.lead == Lead::Bridge && self.plan.miss == MissPolicy::Abort {
            found.alarm = graver(found.alarm, Some(Alarm::new(Trip::Deadline, Action::Abort)));
        }
        if let Some(w) = rig.deadline.filter(|w| self.late[0] as f64 > w.limit) {
            found = found.and(self.lasting(Alarm::new(Trip::Deadline, w.action)));
        }
        found
    }

    /// An actuator that is not where it was sent in the first sample is not where the test begins.
    fn misplaced(&self, seen: &[f64]) -> Option<Alarm> {
        let far = |i: &usize| {
            let stroke = self.guards[*i].envelope().position[1];
            let allowed = self.monitor.tracking(*i).unwrap_or(0.1 * stroke).max(0.01 * stroke.min(f64::MAX));
            (seen[*i] - self.command[*i]).abs() > allowed
        };
        let first = (0..seen.len()).find(far);
        first.map(|i| Alarm::at(Trip::Start, Action::Abort, i))
    }

    /// An alarm that is told once in a test.
    fn once(&mut self, alarm: Alarm) -> Option<Alarm> {
        let reported = std::mem::replace(&mut self.warned[alarm.trip.code() as usize], true);
        (!reported).then_some(alarm)
    }

    /// An alarm of something that does not go away: told once, and it lasts.
    fn lasting(&mut self, alarm: Alarm) -> Found {
        let reported = self.once(alarm).is_none();
        Found::of(alarm).unless(reported)
    }

    /// From the actuators to the structure: displacements by S, forces by S². `false` where no displacement fits to the strokes.
    fn take_home(&mut self, readings: &mut [f64], seen: &[f64], felt: &[f64]) -> bool {
        let (n, scale) = (seen.len(), self.plan.scale);
        let (reached, force) = readings[n..].split_at_mut(n);
        self.u.iter_mut().zip(&*reached).for_each(|(u, x)| *u = x / scale);
        if !self.kinematics.displacements(seen, &mut self.u) {
            return false;
        }
        reached.iter_mut().zip(&self.u).for_each(|(x, u)| *x = scale * u);
        self.kinematics.to_dofs(felt, force);
        force.iter_mut().for_each(|f| *f *= scale * scale);
        true
    }

    /// One row of the recording.
    fn write(&mut self, reply: Reply, seen: &[f64], felt: &[f64]) {
        let Some(tape) = &mut self.tape else { return };
        let (head, columns) = self.row.split_at_mut(HEAD.len());
        let fresh = f64::from(u8::from(reply == Reply::Fresh));
        head.copy_from_slice(&[self.tick as f64 * self.plan.period, self.sequence.state().code(), fresh]);
        for (i, row) in columns.chunks_exact_mut(COLUMNS.len()).enumerate() {
            let (target, k) = (self.stroke[i], self.estimates[i].stiffness());
            row.copy_from_slice(&[target, self.asked[i], self.command[i], seen[i], felt[i], target - seen[i], k]);
        }
        if !tape.push(&self.row) {
            self.dropped += 1;
        }
    }

    /// What follows an alarm.
    fn trip(&mut self, alarm: Alarm) {
        let lost = matches!(alarm.trip, Trip::Gone | Trip::EmergencyStop) && alarm.action == Action::Abort;
        let event = if lost { Event::Lost } else { alarm.action.event() };
        if event == Event::Warned && self.once(alarm).is_none() {
            return;
        }
        self.happen(event, Some(alarm));
    }

    /// What follows this sample.
    fn judge(&mut self, found: Found) {
        if let Some(alarm) = found.alarm {
            self.trip(alarm);
        }
        self.waited += 1;
        self.clear = if found.lasts { 0 } else { self.clear + 1 };
        let lasts = |time: f64, samples: u64| samples as f64 * self.plan.period > time;
        match self.sequence.state() {
            State::Running if self.lead == Lead::Bridge && lasts(self.plan.bridge, self.waited) => {
                self.trip(Alarm::new(Trip::Late, Action::Hold));
            }
            State::Holding if self.ear.is_paused() => {}
            State::Holding => {
                let stands = self.lead == Lead::Path && self.path.is_over();
                let pending = self.course.asked || self.sequence.held() != State::Running;
                if stands && pending && !self.stuck && lasts(CLEAR, self.clear) {
                    self.happen(Event::Cleared, None);
                } else if lasts(self.plan.patience, self.waited) {
                    self.happen(Event::Overdue, Some(Alarm::new(Trip::Patience, Action::RampDown)));
                }
            }
            State::GoingHome if self.path.is_over() => self.happen(Event::Arrived, None),
            State::AtRest if self.path.is_over() && lasts(SETTLE, self.waited) => self.happen(Event::Settled, None),
            _ => {}
        }
    }

    /// Whether it stands and waits for a word.
    fn waits_for_a_word(&self) -> bool {
        let stands = match self.lead {
            Lead::Targets => self.course.is_still() && self.waited as f64 * self.plan.period > STILL,
            _ => self.path.is_over(),
        };
        self.sequence.state() == State::Holding && self.ear.is_paused() && stands
    }
}

impl Rig for Controller {
    fn dofs(&self) -> usize {
        self.course.goal.len()
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.persist_fields(archive);
        self.show();
    }

    fn memory(&self) -> usize {
        (Reading::COUNT + 2) * self.course.goal.len() + self.compensation() + self.hardware.memory()
    }

    /// Without a clock: sample after sample until the target is reached.
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        if self.sequence.state().is_over() {
            return Err(self.reason().fault());
        }
        self.stall(memory)?;
        // Where the specimen was sent last is part of the state, so that a loop can be probed.
        if self.course.is_full() {
            let n = self.course.aim.len();
            self.course.aim.copy_from_slice(&memory[..n]);
        }
        self.aim(target);
        loop {
            match self.tick(memory) {
                Progress::Busy => self.wait_for_a_word(),
                Progress::Reached => return Ok(()),
                Progress::Over(trip) => return Err(trip.fault()),
            }
        }
    }

    fn give_up(&mut self) {
        self.leave_early();
    }

    fn finish(&mut self, memory: &mut [f64]) {
        self.go_home();
        while !self.sequence.state().is_over() && self.sequence.state() != State::Idle {
            self.tick(memory);
            self.wait_for_a_word();
        }
        self.close();
    }

    fn log(&self) -> Option<TestLog> {
        Some(TestLog {
            sequence: self.sequence.clone(),
            counts: self.counts(),
            refused: self.refused,
            rests: self.times_to_rest(),
            energy_error: self.monitor.energy_error(),
            account: self.hardware.account(),
        })
    }
}

impl Controller {
    /// Samples without a target, where a stall is rehearsed.
    fn stall(&mut self, memory: &mut [f64]) -> Result<(), Fault> {
        let Some(&[from, samples]) = self.plan.stalls.get(self.stalled) else { return Ok(()) };
        if self.sequence.state() != State::Running || self.tick < from {
            return Ok(());
        }
        self.stalled += 1;
        for _ in 0..samples {
            if let Progress::Over(trip) = self.tick(memory) {
                return Err(trip.fault());
            }
        }
        Ok(())
    }

    /// Where no clock drives it, a paused test takes no samples while it stands.
    fn wait_for_a_word(&mut self) {
        while self.waits_for_a_word() {
            std::thread::sleep(std::time::Duration::from_millis(2));
            self.hear();
            self.show();
        }
    }
}
