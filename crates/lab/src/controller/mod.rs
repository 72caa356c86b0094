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
mod force;
mod lead;
pub mod live;
mod measure;
mod operator;
mod path;
mod plan;
mod sample;
mod sharing;
mod unclocked;

use interfield_kernel::{Archive, Fault};

use crate::guard::Guard;
use crate::hardware::{Hardware, Interlock};
use crate::kinematics::Kinematics;
use crate::realtime::Feed;
use crate::rig::{Reading, Target};
use crate::safety::monitor::Found;
use crate::safety::{Action, Alarm, Event, Limits, Monitor, Names, Sequence, State, Trip};
use crate::sensing::Sensing;
use crate::stiffness::Estimate;
use course::Course;
use force::Loads;
pub use force::{Control, Held, Hold};
use lead::Lead;
use operator::Ear;
pub use operator::{Operator, SLOWEST, Said, Word};
use path::{Path, Rejoin, way};
pub use plan::{Calibration, Home, MissPolicy, Plan};
use sharing::Sharing;

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

/// Names of the columns of a sample: time first, then each actuator, then a column for each further transducer and load cell. `asked` is what was wanted of an actuator, `command` what the
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
    /// Where every sample is shown, if somebody looks.
    feed: Option<Feed>,
    /// What the compensation has adapted, for that.
    adapted: Vec<f64>,
    /// Of the last period: lateness and work, s, and all periods missed so far.
    kept_time: [f64; 3],
    /// How many times slower than planned targets are followed: by the last target, and as the operator wants it.
    slower: [f64; 2],
    /// Names of its instruments, for what is told of them.
    names: Names,
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
    /// Actuators that hold inner degrees of freedom.
    loads: Loads,
    /// Whether the last readings were new.
    fresh: bool,
    /// Where the free degrees of freedom were shown last.
    free: Vec<f64>,
    rejoin: Vec<Rejoin>,
    /// What the compensation said last, and how fast it goes per sample, smooth.
    compensated: Vec<[f64; 2]>,
    /// What the compensation is told of targets and measurements in this sample, and what it says.
    wanted: Vec<f64>,
    taught: Vec<f64>,
    said: Vec<f64>,
    /// How redundant actuators are kept from pressing against each other.
    sharing: Sharing,
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
    refused: Vec<u64>,
    /// Stalls that are over.
    stalled: usize,
    /// Samples that were not recorded.
    dropped: u64,
    /// Samples without a target: all, since the last target, and what an extrapolating test has to catch up.
    late: [u64; 3],
    /// At the scale of the specimen.
    u: Vec<f64>,
    /// Forces on the degrees of freedom.
    r: Vec<f64>,
    stroke: Vec<f64>,
    asked: Vec<f64>,
    command: Vec<f64>,
    /// Displacements and forces of the structure, as measured in this sample and in the one before.
    now: Vec<f64>,
    before: Vec<f64>,
    /// As the instruments say them: commands, displacements, forces.
    raw: [Vec<f64>; 3],
    /// Strokes of the specimen: of the pistons, less what the mounts give.
    strokes: Vec<f64>,
    /// What measures in place of the sensors of the actuators, and by how much each further sensor moves with the commands.
    sensing: Sensing,
    follows: Vec<f64>,
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
        let (m, columns) = (kinematics.actuators(), kinematics.dofs());
        let Some(n) = columns.checked_sub(plan.holds.len()) else {
            return Err("more loads are held than the actuators can move".to_owned());
        };
        let zeros = || vec![0.0; m];
        let guards = plan.envelopes.iter().map(|e| Guard::new(*e, plan.period)).collect::<Result<Vec<_>, _>>()?;
        if guards.len() != m || actuators.len() != m {
            return Err("every actuator needs an envelope and limits".to_owned());
        }
        if plan.compensator.actuators() != m {
            return Err(format!(
                "the compensation is for {} actuators, and the rig has {m}",
                plan.compensator.actuators()
            ));
        }
        // As long as a way of the stroke that the load takes.
        let ramp = |h: &Hold| {
            let stroke = if h.stiffness == 0.0 { 0.0 } else { (h.load / h.stiffness).abs() };
            plan.samples(way(&[0.0], &[stroke], guards.get(h.actuator).map_or(&[], std::slice::from_ref), plan.ramp))
        };
        let ramps = plan.holds.iter().map(ramp).collect();
        let estimates = plan.stiffness.iter().map(|&k| Estimate::new(k)).collect();
        let operator = Operator::default();
        let sharing = Sharing::new(&kinematics, &plan);
        Ok(Controller {
            kinematics,
            hardware,
            guards,
            monitor: Monitor::new(rig, actuators, plan.period),
            sequence: Sequence::default(),
            tape: None,
            feed: None,
            adapted: vec![0.0; crate::compensate::ADAPTED * m],
            kept_time: [0.0; 3],
            slower: [1.0; 2],
            names: Names::default(),
            ear: operator.ear("", plan.period, Vec::new()),
            operator,
            estimates,
            tick: 0,
            number: 0,
            clock: None,
            course: Course::new(n),
            path: Path::new(m),
            lead: Lead::Targets,
            loads: Loads::new(plan.holds.clone(), plan.period, ramps),
            fresh: false,
            free: vec![0.0; plan.free],
            rejoin: vec![Rejoin::default(); m],
            compensated: vec![[0.0; 2]; m],
            sharing,
            sensing: Sensing::default(),
            follows: Vec::new(),
            wanted: zeros(),
            taught: zeros(),
            said: zeros(),
            ahead: zeros(),
            fading: 0.0,
            ramp: 0.0,
            origin: vec![0.0; n],
            waited: 0,
            clear: 0,
            stuck: false,
            again: 0,
            warned: [false; crate::safety::TRIPS.len()],
            refusals: vec![0; m],
            refused: vec![0; m],
            stalled: 0,
            dropped: 0,
            late: [0; 3],
            u: vec![0.0; columns],
            r: vec![0.0; columns],
            stroke: zeros(),
            asked: zeros(),
            command: zeros(),
            now: vec![0.0; 2 * n],
            before: vec![0.0; 2 * n],
            raw: [zeros(), zeros(), zeros()],
            strokes: zeros(),
            row: vec![0.0; HEAD.len() + COLUMNS.len() * m],
            plan,
        })
    }

    /// Records every sample from now on.
    pub fn record(&mut self, tape: Box<dyn Tape>) {
        self.tape = Some(tape);
    }

    /// Listens to this operator from now on, who knows the rig by this name.
    pub fn listen(&mut self, operator: &Operator, name: &str) {
        let loaded =
            self.loads.actuators().map(|i| self.names.actuators.get(i).cloned().unwrap_or_else(|| (i + 1).to_string()));
        self.ear = operator.ear(name, self.plan.period, loaded.collect());
        self.operator = operator.clone();
    }

    /// Calls its instruments by these names.
    pub fn call(&mut self, names: Names) {
        self.names = names;
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
        self.loads.pass(target.t);
        match self.sequence.state() {
            State::Idle => {
                self.sequence.happen(self.tick, Event::Arm, None);
                self.sequence.happen(self.tick, Event::Start, None);
                self.start_ramp();
                self.loads.apply();
            }
            State::Armed => {
                self.sequence.happen(self.tick, Event::Start, None);
                self.start_ramp();
                self.loads.apply();
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
            plan: _, kinematics: _, sensing: _, follows: _, tape: _, feed: _, adapted: _, kept_time: _, names: _, operator: _, u: _, r: _, free: _, strokes: _, row: _,
            wanted: _, taught: _, said: _,
            hardware, guards, monitor, sequence, ear, estimates, tick, number, clock,
            course, path, lead, loads, fresh, rejoin, compensated, sharing, ahead, fading, ramp, origin,
            waited, clear, stuck, again, warned, refusals, refused, stalled, dropped, late,
            stroke, asked, command, now, before, raw, slower,
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
        loads.persist(archive);
        archive.flag(fresh);
        rejoin.iter_mut().for_each(|rejoin| rejoin.persist(archive));
        sharing.persist(archive);
        archive.numbers(compensated.as_flattened_mut().iter_mut().chain([fading, ramp]).chain(slower));
        archive.numbers([ahead, origin, stroke, asked, command, now, before].into_iter().chain(raw).flatten());
        [tick, number, waited, clear, dropped].into_iter().chain(refused).chain(late).for_each(|count| archive.whole(count));
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
        if led && self.course.asked && self.course.way() == 0.0 && self.is_loaded() {
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
                if self.lead == Lead::Targets && self.course.is_reached() && self.is_loaded() =>
            {
                self.reached(memory)
            }
            _ => Progress::Busy,
        }
    }

    /// Whether the loads are applied, as far as a measurement at the start waits for them.
    fn is_loaded(&self) -> bool {
        self.sequence.state() != State::ToStart || self.loads.are_applied()
    }

    /// Whether the loads are off at the end; a specimen that is left where it is keeps them.
    fn is_unloaded(&mut self) -> bool {
        let most = self.plan.ramp + self.plan.patience;
        self.plan.home == Home::Hold || self.loads.are_off(most)
    }

    fn switch_off(&mut self) {
        self.hardware.interlock(Interlock::default());
        self.hardware.stop();
    }

    fn show(&self) {
        let t = self.clock.map_or(0.0, |c| c.0);
        self.ear.show_pace(self.slower[0]);
        self.ear.show(self.sequence.state(), self.sequence.cause(), self.tick, t);
    }

    /// What the operator said since the last sample.
    fn hear(&mut self) {
        if let Some(event) = self.ear.hear() {
            // Who pauses and goes on has nothing against the test.
            let planned = matches!(event, Event::Resume | Event::Pause);
            self.happen(event, (!planned).then(|| Alarm::new(Trip::Operator, Action::Warn)));
        }
        self.slower[1] = self.ear.slower();
        for i in 0..self.loads.y().len() {
            if let Some(to) = self.ear.control(i) {
                self.loads.switch(i, to);
            }
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
    fn reason(&self) -> Fault {
        self.sequence.cause().unwrap_or(Trip::Operator).fault(self.sequence.culprit())
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
            (State::GoingHome, Event::Resume) => self.path.go_home(self.plan.home, self.sharing.offsets()),
            (State::GoingHome, _) => {
                self.brake(self.plan.brake);
                self.path.go_home(self.plan.home, self.sharing.offsets());
            }
            // What holds a load has taken it off, but for what its loop still regulates: it stops too.
            (State::AtRest, Event::Arrived) if !self.loads.is_empty() => {
                self.loads.give_up();
                self.path.brake_hard(&self.guards);
            }
            (State::AtRest, Event::Arrived) => {}
            (State::AtRest, _) => {
                self.loads.give_up();
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
        let period = self.plan.period;
        let lasts = |time: f64, samples: u64| samples as f64 * period > time;
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
            State::ToStart if !self.loads.are_applied() && lasts(self.plan.ramp + self.plan.patience, self.waited) => {
                self.trip(Alarm::new(Trip::Load, Action::RampDown));
            }
            State::GoingHome if self.path.is_over() && self.is_unloaded() => {
                self.happen(Event::Arrived, None);
            }
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
