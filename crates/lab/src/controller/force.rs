//! Actuators in force control: each holds a load on a degree of freedom that exists in the laboratory only, while others move the
//! specimen.
//!
//! The loop moves the *coordinate* y of the held degree of freedom, not the stroke: strokes follow from all coordinates by the kinematics,
//! so that a jack keeps its load while the specimen under it moves sideways. With the error e = reference - measured force, k the
//! stiffness against the stroke and ω the bandwidth,
//!
//! ```text
//! q' = (ω e + ω²/4 ∫ e dt)/k        dy = J⁻¹ dq        J = dq/dy of the actuators in force control
//! ```
//!
//! is a double pole at ω/2 on a specimen that is a spring: a disturbance of frequency ν is left to (2ν/ω)². Where the specimen proves
//! stiffer than expected the gain falls with it; it never rises, because noise makes a specimen look soft.
//!
//! **Safe by itself:** a reading that is missing or not a number, or that stands still while the actuator moves, moves nothing: the stroke
//! stays. What leaves passes the guard, and what the guard cuts off is taken back here.

use interfield_kernel::Archive;
use interfield_linalg::Lu;

use super::Controller;
use super::path::ease;
use crate::rig::{Reading, Rig};
use crate::safety::monitor::Found;
use crate::safety::{Action, Alarm, State, Trip, Watch};

/// What an actuator follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// Its place.
    #[default]
    Displacement,
    /// Its load.
    Force,
}

impl Control {
    /// By the names of a model file.
    pub const ALL: [(Control, &'static str); 2] = [(Control::Displacement, "displacement"), (Control::Force, "force")];

    /// Its name.
    pub fn name(self) -> &'static str {
        Control::ALL[self as usize].1
    }
}

/// How an actuator holds a load on a degree of freedom of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// Number of the actuator.
    pub actuator: usize,
    /// Its load, N (N m): the force that its load cell shows.
    pub load: f64,
    /// Bandwidth of the loop, rad/s.
    pub bandwidth: f64,
    /// Stiffness against its stroke, N/m.
    pub stiffness: f64,
    /// Its control when the test begins.
    pub control: Control,
    /// Times of the model, s, at which it changes, in their order.
    pub switches: Vec<(f64, Control)>,
    /// Largest distance of the measured force from its reference.
    pub error: Option<Watch>,
}

/// How well a load was held while the test ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Number of the actuator.
    pub actuator: usize,
    /// Its load, N.
    pub load: f64,
    /// Largest distance from it, N, and at which sample.
    pub worst: f64,
    /// See [`Held::worst`].
    pub tick: u64,
    /// Sum of the squares of all distances, N², and number of samples.
    squares: f64,
    samples: u64,
}

impl Held {
    /// Largest distance over the load; zero for a load of zero.
    pub fn share(&self) -> f64 {
        if self.load == 0.0 { 0.0 } else { self.worst / self.load.abs() }
    }

    /// Root mean square of the distance from the load, N; none where it was never held.
    pub fn rms(&self) -> Option<f64> {
        (self.samples > 0).then(|| (self.squares / self.samples as f64).sqrt())
    }
}

/// Share of the load that counts as applied.
const APPLIED: f64 = 0.005;
/// Samples in a row without a change after which a load cell is looked at, and share of the load that the actuator would have
/// changed meanwhile.
const STILL: (u32, f64) = (25, 0.02);
/// How many times as stiff as expected a specimen is believed to be at most.
const STIFFEST: f64 = 4.0;
/// Share of the load by which a force may be off besides while its reference moves.
const UNDER_WAY: f64 = 0.2;
/// Time for which a load must be too far from its reference before it counts, s.
const LASTING: f64 = 0.02;

/// One actuator that holds a load.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    control: Control,
    /// The reference now, where it comes from and goes to, and sample and samples of the way.
    reference: f64,
    way: [f64; 2],
    k: f64,
    of: f64,
    /// Integral of the error, N s.
    sum: f64,
    /// Mean of the error over the time of the loop, N.
    mean: f64,
    /// Stroke per sample of the last sample, and sample of the coasting after a switch to displacement control.
    rate: f64,
    coast: f64,
    /// Last reading, samples in a row with the same, and way of the stroke meanwhile.
    last: f64,
    same: u32,
    moved: f64,
    /// Whether its load cell is not believed any more.
    lost: bool,
    /// Samples in a row too far from the reference.
    far: u32,
    /// Switches that are over.
    switched: usize,
    held: Held,
}

/// All actuators of a rig that hold loads.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    holds: Vec<Hold>,
    axes: Vec<Axis>,
    period: f64,
    /// Samples for which loads were waited for at the end.
    waited: u64,
    /// Samples in which each load is applied and taken off.
    ramps: Vec<f64>,
    /// Where the held degrees of freedom are asked to be, m (rad), at the scale of the specimen.
    y: Vec<f64>,
    jacobian: Vec<f64>,
    lu: Lu,
    step: Vec<f64>,
}

/// What a sample found at an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The load is too far from its reference.
    Load(Action),
    /// The load cell does not change although the actuator moves.
    Frozen,
}

impl Loads {
    pub(super) fn new(holds: Vec<Hold>, period: f64, ramps: Vec<f64>) -> Self {
        let n = holds.len();
        let axis = |h: &Hold| Axis {
            control: h.control,
            held: Held { actuator: h.actuator, load: h.load, ..Held::default() },
            ..Axis::default()
        };
        Loads {
            axes: holds.iter().map(axis).collect(),
            holds,
            period,
            waited: 0,
            ramps,
            y: vec![0.0; n],
            jacobian: vec![0.0; n * n],
            lu: Lu::new(n),
            step: vec![0.0; n],
        }
    }

    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        let Loads { holds: _, axes, period: _, waited, ramps: _, y, jacobian: _, lu: _, step: _ } = self;
        archive.numbers(y.iter_mut());
        archive.whole(waited);
        axes.iter_mut().for_each(|axis| axis.persist(archive));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.holds.is_empty()
    }

    /// Where the held degrees of freedom are asked to be.
    pub(super) fn y(&self) -> &[f64] {
        &self.y
    }

    /// Numbers of the actuators.
    pub(super) fn actuators(&self) -> impl Iterator<Item = usize> {
        self.holds.iter().map(|h| h.actuator)
    }

    /// Whether an actuator is one of them.
    pub(super) fn has(&self, actuator: usize) -> bool {
        self.holds.iter().any(|h| h.actuator == actuator)
    }

    /// How far the force of an actuator is from its reference, N; nothing while it keeps its place.
    pub(super) fn off(&self, actuator: usize) -> f64 {
        let mut own = self.axes.iter().zip(&self.holds).filter(|(_, h)| h.actuator == actuator);
        own.find(|(a, _)| a.leads()).map_or(0.0, |(a, _)| (a.reference - a.last).abs())
    }

    /// Its limit.
    pub(super) fn limit(&self, actuator: usize) -> Option<Watch> {
        self.holds.iter().find(|h| h.actuator == actuator)?.error
    }

    /// How well the loads were held.
    pub(super) fn held(&self) -> impl Iterator<Item = Held> {
        self.axes.iter().map(|a| a.held)
    }

    /// Applies the loads, from what will be measured first.
    pub(super) fn apply(&mut self) {
        for ((axis, hold), ramp) in self.axes.iter_mut().zip(&self.holds).zip(&self.ramps) {
            if axis.control == Control::Force {
                axis.lead_to(f64::NAN, hold.load, *ramp);
            }
        }
    }

    /// Takes the loads off. What is not believed any more, or stands in displacement control, has none to take off.
    fn release(&mut self) {
        for (axis, ramp) in self.axes.iter_mut().zip(&self.ramps).filter(|(a, _)| a.leads()) {
            axis.lead_to(axis.reference, 0.0, *ramp);
        }
    }

    /// From now on every stroke stays: another one moves the actuators.
    pub(super) fn give_up(&mut self) {
        self.axes.iter_mut().for_each(|a| (a.lost, a.rate) = (true, 0.0));
    }

    /// Whether the force of an actuator leads it.
    pub(super) fn leads(&self, actuator: usize) -> bool {
        self.holds.iter().zip(&self.axes).any(|(h, a)| h.actuator == actuator && a.leads())
    }

    /// Whether all loads are where they should be.
    pub(super) fn are_applied(&self) -> bool {
        self.axes.iter().zip(&self.holds).all(|(a, h)| {
            let rest = a.k >= a.of && a.mean.abs() <= APPLIED * h.load.abs().max(f64::MIN_POSITIVE);
            !a.leads() || rest || (h.load == 0.0 && a.k >= a.of)
        })
    }

    /// Takes the loads off once the others are home, one sample after the other; whether they are off. What does not fade, because of
    /// friction or of a load cell that lies, is not waited for any longer than `most` seconds.
    pub(super) fn are_off(&mut self, most: f64) -> bool {
        if self.waited == 0 {
            self.release();
        }
        self.waited += 1;
        self.are_applied() || self.waited as f64 * self.period > most
    }

    /// Switches whose time of the model has come.
    pub(super) fn pass(&mut self, t: f64) {
        for i in 0..self.axes.len() {
            while let Some(&(_, to)) = self.holds[i].switches.get(self.axes[i].switched).filter(|s| t >= s.0) {
                self.axes[i].switched += 1;
                self.switch(i, to);
            }
        }
    }

    /// Changes the control of an axis without a bump: to displacement it stays where it is, to force its reference goes from what is
    /// measured to the load.
    pub(super) fn switch(&mut self, i: usize, to: Control) {
        let (Some(axis), Some(hold)) = (self.axes.get_mut(i), self.holds.get(i)) else { return };
        if axis.control == to || axis.lost {
            return;
        }
        axis.control = to;
        axis.coast = 0.0;
        if to == Control::Force {
            (axis.sum, axis.mean, axis.far) = (0.0, 0.0, 0);
            axis.lead_to(f64::NAN, hold.load, self.ramps[i]);
        }
    }

    /// One sample: moves the held degrees of freedom by what the loads ask for. `felt` and `fresh`: what was measured last; `stiffness`
    /// against the stroke of an actuator as it was seen; `brake`: samples of coasting; `jacobian` over `columns` degrees of
    /// freedom, the held ones behind the others.
    pub(super) fn step(
        &mut self,
        (felt, fresh): (&[f64], bool),
        stiffness: impl Fn(usize) -> f64,
        brake: f64,
        (jacobian, columns): (&[f64], usize),
    ) {
        let n = self.holds.len();
        if n == 0 {
            return;
        }
        for i in 0..n {
            let hold = &self.holds[i];
            let k = hold.stiffness.abs();
            let stiff = stiffness(hold.actuator).abs();
            let stiff = if stiff.is_finite() { stiff.clamp(k, STIFFEST * k) } else { k };
            self.step[i] = self.axes[i].step(hold, (felt[hold.actuator], fresh), stiff, brake, self.period);
            for j in 0..n {
                self.jacobian[i * n + j] = jacobian[hold.actuator * columns + columns - n + j];
            }
        }
        self.shift();
    }

    /// Moves the held degrees of freedom by strokes in `step`. A Jacobian that says nothing moves nothing.
    fn shift(&mut self) {
        if self.lu.factorize(&self.jacobian).is_err() {
            return;
        }
        self.lu.solve(&mut self.step);
        if self.step.iter().all(|x| x.is_finite()) {
            self.y.iter_mut().zip(&self.step).for_each(|(y, d)| *y += d);
        }
    }

    /// Takes back what the guard cut off: strokes that left less strokes that were asked for.
    pub(super) fn take_back(&mut self, asked: &[f64], left: &[f64]) {
        if self.holds.iter().all(|h| asked[h.actuator] == left[h.actuator]) {
            return;
        }
        for ((step, hold), axis) in self.step.iter_mut().zip(&self.holds).zip(&mut self.axes) {
            *step = left[hold.actuator] - asked[hold.actuator];
            if *step != 0.0 {
                axis.sum = 0.0;
            }
        }
        self.shift();
    }

    /// What is wrong with an axis in this sample, and whether it lasts.
    pub(super) fn trouble(&self) -> impl Iterator<Item = (usize, Trouble)> {
        let lasting = (LASTING / self.period).ceil().max(1.0);
        self.axes.iter().zip(&self.holds).filter_map(move |(a, h)| {
            if a.lost && a.same > STILL.0 {
                return Some((h.actuator, Trouble::Frozen));
            }
            let watch = h.error?;
            let often = lasting.max(f64::from(watch.samples));
            (f64::from(a.far) >= often).then_some((h.actuator, Trouble::Load(watch.action)))
        })
    }

    /// Keeps how well the loads are held, at a sample of the test.
    pub(super) fn note(&mut self, tick: u64) {
        for axis in self.axes.iter_mut().filter(|a| a.leads() && a.k >= a.of) {
            let off = axis.last - axis.held.load;
            axis.held.squares += off * off;
            axis.held.samples += 1;
            if off.abs() > axis.held.worst {
                (axis.held.worst, axis.held.tick) = (off.abs(), tick);
            }
        }
    }
}

impl Axis {
    fn persist(&mut self, archive: &mut dyn Archive) {
        let Axis {
            control,
            reference,
            way,
            k,
            of,
            sum,
            mean,
            rate,
            coast,
            last,
            same,
            moved,
            lost,
            far,
            switched,
            held,
        } = self;
        archive.choice(control, &Control::ALL.map(|c| c.0));
        archive.numbers([reference, k, of, sum, mean, rate, coast, last, moved].into_iter().chain(way));
        archive.whole(same);
        archive.whole(far);
        archive.whole(switched);
        archive.flag(lost);
        archive.numbers([&mut held.worst, &mut held.squares]);
        archive.whole(&mut held.tick);
        archive.whole(&mut held.samples);
    }

    fn leads(&self) -> bool {
        self.control == Control::Force && !self.lost
    }

    fn lead_to(&mut self, from: f64, to: f64, samples: f64) {
        (self.reference, self.way, self.k, self.of) = (from, [from, to], 0.0, samples.max(1.0));
    }

    /// The stroke of one sample.
    fn step(&mut self, hold: &Hold, (felt, fresh): (f64, bool), stiff: f64, brake: f64, period: f64) -> f64 {
        self.look(hold, felt, fresh);
        if self.control == Control::Displacement {
            self.coast += 1.0;
            self.rate *= 1.0 - ease(self.coast / brake);
            return self.rate;
        }
        if self.lost || !fresh || stiff == 0.0 {
            self.rate = 0.0;
            return 0.0;
        }
        if self.way[0].is_nan() {
            // From what is measured, so that nothing jumps.
            self.way[0] = felt;
        }
        if self.k < self.of {
            self.k += 1.0;
            let [from, to] = self.way;
            self.reference = to - (1.0 - ease(self.k / self.of)) * (to - from);
        }
        let (error, bandwidth) = (self.reference - felt, hold.bandwidth);
        self.mean += (bandwidth * period).min(1.0) * (error - self.mean);
        self.sum += error * period;
        // On its way a reference may be followed less closely.
        let more = if self.k < self.of { UNDER_WAY * hold.load.abs() } else { 0.0 };
        self.far = match hold.error {
            Some(watch) if error.abs() > watch.limit + more => self.far.saturating_add(1),
            _ => 0,
        };
        self.rate = period * (bandwidth * error + 0.25 * bandwidth * bandwidth * self.sum) / stiff;
        self.rate
    }

    /// Looks at a reading: one that is no number, or does not change although the stroke did, is not believed.
    fn look(&mut self, hold: &Hold, felt: f64, fresh: bool) {
        if !fresh {
            return;
        }
        if !felt.is_finite() {
            self.lost = true;
            return;
        }
        if felt == self.last {
            self.same = self.same.saturating_add(1);
            self.moved += self.rate.abs();
        } else {
            (self.same, self.moved) = (0, 0.0);
        }
        let unseen = self.moved * hold.stiffness.abs() > STILL.1 * hold.load.abs();
        self.lost |= self.control == Control::Force && self.same > STILL.0 && unseen && hold.load != 0.0;
        self.last = felt;
    }
}

impl Controller {
    /// Moves the held degrees of freedom by what was measured last. Nothing but these readings says where the specimen is: a test that goes
    /// on from its saved state does the same.
    pub(super) fn hold_loads(&mut self, readings: &[f64], felt: &[f64]) {
        if self.loads.is_empty() {
            return;
        }
        self.stand_at(readings);
        self.kinematics.linearise_at(&self.u, &mut self.strokes);
        let (estimates, brake) = (&self.estimates, self.plan.samples(self.plan.brake));
        let jacobian = (self.kinematics.jacobian(), self.u.len());
        self.loads.step((felt, self.fresh), |i| estimates[i].stiffness(), brake, jacobian);
        for i in self.loads.actuators() {
            self.path.leave(i, self.loads.leads(i));
        }
    }

    /// Strokes of the actuators that hold loads, from what the others are asked for: where the specimen is led, its held degrees of
    /// freedom are where the loads want them.
    pub(super) fn stroke_loads(&mut self) {
        if self.loads.is_empty() {
            return;
        }
        let n = self.course.goal.len();
        // Commanded displacements of all: the last strokes of those that hold loads fit to them but for one sample.
        self.u[n..].copy_from_slice(self.loads.y());
        for i in self.loads.actuators() {
            self.asked[i] = self.guards[i].position();
        }
        if !self.kinematics.displacements(&self.asked, &mut self.u) {
            return;
        }
        self.u[n..].copy_from_slice(self.loads.y());
        self.kinematics.strokes(&self.u, &mut self.strokes);
        let leaves = matches!(self.sequence.state(), State::GoingHome | State::AtRest);
        for i in self.loads.actuators() {
            // One that has no load to take off goes home like the others.
            let led = self.loads.leads(i) || !leaves;
            self.asked[i] = if led { self.strokes[i] } else { self.path.at()[i] };
            self.stroke[i] = self.asked[i];
        }
    }

    /// What is wrong with the loads, and how well they are held.
    pub(super) fn watch_loads(&mut self) -> Found {
        let mut found = Found::default();
        if self.loads.is_empty() {
            return found;
        }
        if matches!(self.sequence.state(), State::Running | State::Holding) {
            self.loads.note(self.tick);
        }
        for (actuator, trouble) in self.loads.trouble() {
            let alarm = match trouble {
                Trouble::Load(action) => Alarm::at(Trip::Load, action, actuator),
                Trouble::Frozen => Alarm::at(Trip::Frozen, Action::Hold, actuator),
            };
            found = found.and(Found::of(alarm));
        }
        let told = found.alarm.is_some_and(|alarm| self.once(alarm).is_none());
        found.unless(told)
    }

    /// Shows where the free degrees of freedom are, at the scale of the structure.
    pub(super) fn show_free(&mut self, hardware: &[f64], readings: &mut [f64]) {
        let held = self.loads.y().len();
        let from = readings.len() - Reading::INNER * self.plan.free;
        debug_assert_eq!(from, Reading::Reached.inner_place(held, self.dofs()));
        self.hardware.show_free(hardware, &mut self.free);
        for (shown, x) in readings[from..].chunks_exact_mut(Reading::INNER).zip(&self.free) {
            shown.copy_from_slice(&[self.plan.scale * x, 0.0]);
        }
    }
}
