//! Ways of the actuators themselves, behind the compensation: braking, standing, returning, unloading. Each begins
//! where the
//! guard says that the actuators were sent last, as fast as they were sent there, so that no hand-over is felt.

use interfield_kernel::Archive;

use super::Plan;
use super::plan::Home;
use crate::guard::Guard;

/// From 0 to 1 as `x` does, at rest and without acceleration at both ends.
pub(super) fn ease(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (10.0 + x * (6.0 * x - 15.0))
}

/// Largest slope and largest curvature of [`ease`].
const EASE: [f64; 2] = [1.875, 5.7735];

/// From 0 with slope 1 back to 0, without acceleration at both ends and at rest at the second.
pub(super) fn coast(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x + x * x * x * (x * (8.0 - 3.0 * x) - 6.0)
}

/// From 0 to 0 over an area of 1, without slope and curvature at both ends.
pub(super) fn bump(x: f64) -> f64 {
    140.0 * (x * (1.0 - x)).powi(3)
}

/// Share of a velocity that is left when `x` of the braking is over: slope 0 at both ends.
fn brakes(x: f64) -> f64 {
    1.0 - x * x * (3.0 - 2.0 * x)
}

/// Largest slope of [`brakes`].
const BRAKES: f64 = 1.5;
/// Shares of what an actuator may do that its own ways use: the rest is for what follows.
const EASY: f64 = 0.5;
/// How many times the ramp is long that a specimen has to carry no force any more.
const UNLOADING: f64 = 5.0;
/// How many times as far as its stiffness at rest says a specimen is led to carry no force.
const FARTHEST: f64 = 2.0;
/// Share of the force at its beginning at which the unloading is over.
const UNLOADED: f64 = 0.01;

/// What a way does now.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// Sample of the braking.
    Brake(f64),
    /// As hard as the guard allows.
    Hard,
    Rest,
    /// Sample and samples of the way to `goal`.
    Ease(f64, f64),
    /// Sample of the unloading.
    Unload(f64),
}

impl Stage {
    fn persist(&mut self, archive: &mut dyn Archive) {
        let (mut kind, mut sample, mut samples) = match *self {
            Stage::Brake(k) => (0, k, 0.0),
            Stage::Hard => (1, 0.0, 0.0),
            Stage::Rest => (2, 0.0, 0.0),
            Stage::Ease(k, of) => (3, k, of),
            Stage::Unload(k) => (4, k, 0.0),
        };
        archive.choice(&mut kind, &[0, 1, 2, 3, 4]);
        archive.numbers([&mut sample, &mut samples]);
        let restored =
            [Stage::Brake(sample), Stage::Hard, Stage::Rest, Stage::Ease(sample, samples), Stage::Unload(sample)];
        *self = restored[kind];
    }
}

/// A way of all actuators of a rig.
#[derive(Clone, Debug)]
pub(super) struct Path {
    stage: Stage,
    /// Samples of braking of each actuator; zero: as hard as the guard allows.
    brake: Vec<f64>,
    /// Where it began, and how fast, per sample.
    origin: Vec<f64>,
    speed: Vec<f64>,
    at: Vec<f64>,
    goal: Vec<f64>,
    /// Forces at the beginning of unloading.
    loaded: Vec<f64>,
    /// Where it goes after braking, and where home is.
    then: Option<Home>,
    home: Vec<f64>,
    /// Whether it goes to the goal after braking, and in what time at least, s.
    to_goal: bool,
    shortest: f64,
    /// Actuators that their loads lead: nobody waits for them.
    left: Vec<bool>,
}

impl Path {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Path {
            stage: Stage::Rest,
            brake: zeros(),
            origin: zeros(),
            speed: zeros(),
            at: zeros(),
            goal: zeros(),
            loaded: zeros(),
            then: None,
            home: zeros(),
            to_goal: false,
            shortest: 0.0,
            left: vec![false; n],
        }
    }

    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        let Path { stage, brake, origin, speed, at, goal, loaded, then, home, to_goal, shortest, left: _ } = self;
        stage.persist(archive);
        archive.numbers([brake, origin, speed, at, goal, loaded, home].into_iter().flatten().chain([shortest]));
        archive.option(then, Home::Hold, |archive, home| archive.choice(home, &Home::ALL.map(|h| h.0)));
        archive.flag(to_goal);
    }

    /// Leaves an actuator to its load, or takes it back.
    pub(super) fn leave(&mut self, i: usize, left: bool) {
        self.left[i] = left;
    }

    /// Where it is.
    pub(super) fn at(&self) -> &[f64] {
        &self.at
    }

    /// Brakes in at most `time` seconds, sooner where the room or the envelope asks for it, and stands then.
    pub(super) fn brake(&mut self, guards: &[Guard], plan: &Plan, time: f64) {
        (self.then, self.to_goal) = (None, false);
        self.stage = Stage::Brake(0.0);
        for (i, guard) in guards.iter().enumerate() {
            let (x, v, e) = (guard.position(), guard.velocity(), guard.envelope());
            (self.origin[i], self.at[i], self.speed[i]) = (x, x, v * plan.period);
            let room = if v > 0.0 { e.position[1] - x } else { x - e.position[0] };
            let wanted = plan.samples(time);
            // The way is half of that at the first velocity; a tenth of the room is left.
            let most = if v == 0.0 { wanted } else { (1.8 * room / (v.abs() * plan.period)).floor() };
            let by_jerk = if e.jerk.is_finite() { (6.0 * v.abs() / (EASY * e.jerk)).sqrt() / plan.period } else { 0.0 };
            let least = (BRAKES * v.abs() / (EASY * e.braking * plan.period)).max(by_jerk).ceil();
            self.brake[i] = if least > most { 0.0 } else { wanted.min(most).max(least).max(1.0) };
        }
        if plan.sharing.is_some() {
            // Redundant actuators that stopped one after the other would press against each other.
            let least = self.brake.iter().copied().fold(f64::INFINITY, f64::min);
            let common = if least == 0.0 { 0.0 } else { self.brake.iter().copied().fold(0.0, f64::max) };
            self.brake.fill(common);
        }
    }

    /// Brakes as hard as the guard allows, and stands then.
    pub(super) fn brake_hard(&mut self, guards: &[Guard]) {
        (self.then, self.to_goal) = (None, false);
        self.stage = Stage::Hard;
        self.at.iter_mut().zip(guards).for_each(|(at, g)| *at = g.position());
    }

    /// Goes home once it stands; `at` is where the strokes are zero.
    pub(super) fn go_home(&mut self, home: Home, at: &[f64]) {
        self.then = Some(home);
        self.home.copy_from_slice(at);
    }

    /// Goes there once it stands, in at least `shortest` seconds.
    pub(super) fn go_to(&mut self, goal: &[f64], shortest: f64) {
        self.goal.copy_from_slice(goal);
        (self.to_goal, self.shortest) = (true, shortest);
    }

    /// Whether it stands, and goes nowhere from there.
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Rest && self.then.is_none() && !self.to_goal
    }

    /// One sample; `force` and `stiffness` are the last measured ones. What an actuator is to be sent is in [`Path::at`], or it is to be
    /// braked by its guard: [`Path::is_hard`].
    pub(super) fn step(&mut self, guards: &[Guard], plan: &Plan, force: &[f64], stiffness: impl Fn(usize) -> f64) {
        match self.stage {
            Stage::Brake(k) => self.slow_down(k + 1.0, guards),
            Stage::Hard => self.stand(guards),
            Stage::Rest => self.set_out(guards, plan, force),
            Stage::Ease(k, of) => {
                let done = ease((k + 1.0) / of);
                for (at, (origin, goal)) in self.at.iter_mut().zip(self.origin.iter().zip(&self.goal)) {
                    *at = goal - (1.0 - done) * (goal - origin);
                }
                self.stage = if k + 1.0 >= of { Stage::Rest } else { Stage::Ease(k + 1.0, of) };
            }
            Stage::Unload(k) => self.unload(k + 1.0, guards, plan, force, stiffness),
        }
    }

    /// The guard brakes harder than was planned: the way goes on from where that ends.
    pub(super) fn give_way(&mut self, guards: &[Guard]) {
        if matches!(self.stage, Stage::Ease(..)) {
            self.to_goal = true;
        }
        if matches!(self.stage, Stage::Unload(_)) {
            self.then = Some(Home::Force);
        }
        self.stage = Stage::Hard;
        self.at.iter_mut().zip(guards).for_each(|(at, g)| *at = g.position());
    }

    /// Whether the guard of actuator `i` is to brake it.
    pub(super) fn is_hard(&self, i: usize) -> bool {
        matches!(self.stage, Stage::Hard) || (matches!(self.stage, Stage::Brake(_)) && self.brake[i] == 0.0)
    }

    fn slow_down(&mut self, k: f64, guards: &[Guard]) {
        for i in 0..self.at.len() {
            let of = self.brake[i];
            if of == 0.0 {
                self.at[i] = guards[i].position();
            } else if k <= of {
                self.at[i] += self.speed[i] * brakes(k / of);
            }
        }
        self.stage = Stage::Brake(k);
        if k >= self.brake.iter().fold(0.0, |m: f64, n| m.max(*n)) {
            let still = |i: usize| self.left[i] || self.brake[i] > 0.0 || guards[i].is_at_rest();
            if (0..self.at.len()).all(still) {
                self.stage = Stage::Rest;
            }
        }
    }

    fn stand(&mut self, guards: &[Guard]) {
        self.at.iter_mut().zip(guards).for_each(|(at, g)| *at = g.position());
        if guards.iter().zip(&self.left).all(|(g, left)| *left || g.is_at_rest()) {
            self.stage = Stage::Rest;
        }
    }

    /// From rest to wherever it goes.
    fn set_out(&mut self, guards: &[Guard], plan: &Plan, force: &[f64]) {
        let home = self.then.take();
        if home == Some(Home::Displacement) {
            self.goal.copy_from_slice(&self.home);
            (self.to_goal, self.shortest) = (true, plan.ramp);
        }
        if std::mem::take(&mut self.to_goal) {
            self.at.iter_mut().zip(guards).for_each(|(at, g)| *at = g.position());
            self.origin.copy_from_slice(&self.at);
            let of = plan.samples(way(&self.origin, &self.goal, guards, self.shortest));
            self.stage = if self.origin == self.goal { Stage::Rest } else { Stage::Ease(0.0, of) };
        } else if home == Some(Home::Force) {
            self.loaded.copy_from_slice(force);
            self.at.iter_mut().zip(guards).for_each(|(at, g)| *at = g.position());
            self.origin.copy_from_slice(&self.at);
            self.stage = Stage::Unload(0.0);
        }
    }

    /// Towards zero force: each sample a small share of the displacement that the force over the stiffness is.
    fn unload(&mut self, k: f64, guards: &[Guard], plan: &Plan, force: &[f64], stiffness: impl Fn(usize) -> f64) {
        let samples = plan.samples(plan.ramp);
        let mut unloaded = true;
        for i in 0..self.at.len() {
            // What unloads is elastic: never softer than at rest, so that it cannot pass zero by much.
            let stiff = stiffness(i).abs().max(plan.stiffness[i].abs());
            let e = guards[i].envelope();
            let way = if stiff > 0.0 && force[i].is_finite() { -force[i] / stiff } else { 0.0 };
            let most = EASY * e.velocity.min(e.braking * 0.1 * plan.ramp) * plan.period;
            let step = ease(10.0 * k / samples) * (way * UNLOADING / samples).clamp(-most, most);
            // A load cell that shows the same whatever is done does not lead the specimen away.
            let [low, high] = match plan.stiffness[i].abs() {
                k if k > 0.0 => [
                    self.origin[i] - FARTHEST * self.loaded[i].abs() / k,
                    self.origin[i] + FARTHEST * self.loaded[i].abs() / k,
                ],
                _ => [self.origin[i]; 2],
            };
            self.at[i] = (self.at[i] + step).clamp(e.position[0].max(low), e.position[1].min(high));
            unloaded &= self.left[i] || force[i].abs() <= UNLOADED * self.loaded[i].abs();
        }
        // A force that does not fade, because of friction or of a load cell that lies, is not chased for ever.
        let over = unloaded || k >= 2.0 * samples;
        self.stage = if over { Stage::Rest } else { Stage::Unload(k) };
    }
}

/// Time of an eased way that uses an easy share of what the actuators may do, at least `shortest`, s.
pub(super) fn way(from: &[f64], to: &[f64], guards: &[Guard], shortest: f64) -> f64 {
    from.iter().zip(to).zip(guards).fold(shortest, |time, ((a, b), guard)| {
        let (e, way) = (guard.envelope(), (b - a).abs());
        let by_velocity = EASE[0] * way / (EASY * e.velocity);
        let by_acceleration = (EASE[1] * way / (EASY * e.braking)).sqrt();
        // The third derivative of `ease` is 60 at both ends.
        let by_jerk = (60.0 * way / (EASY * e.jerk)).cbrt();
        time.max(by_velocity).max(by_acceleration).max(by_jerk)
    })
}

/// What is left of a difference between where an actuator was sent and where the compensation would send it, until both are one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rejoin {
    offset: f64,
    /// Per sample.
    slope: f64,
    k: f64,
    of: f64,
}

impl Rejoin {
    /// From `sent` at `speed` per sample to `wanted` at `pace` per sample, in at least `samples`.
    pub(super) fn new(
        [sent, speed]: [f64; 2],
        [wanted, pace]: [f64; 2],
        guard: &Guard,
        period: f64,
        samples: f64,
    ) -> Self {
        let (offset, slope) = (sent - wanted, speed - pace);
        if offset == 0.0 && slope == 0.0 {
            return Rejoin::default();
        }
        let e = guard.envelope();
        // A third of what the actuator may do is for the way back.
        let by_velocity = 3.0 * EASE[0] * offset.abs() / (e.velocity * period);
        let by_acceleration = (3.0 * EASE[1] * offset.abs() / (e.braking * period * period)).sqrt();
        Rejoin { offset, slope, k: 0.0, of: samples.max(by_velocity).max(by_acceleration).ceil() }
    }

    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        let Rejoin { offset, slope, k, of } = self;
        archive.numbers([offset, slope, k, of]);
    }

    /// What to add in this sample.
    pub(super) fn step(&mut self) -> f64 {
        if self.k >= self.of {
            return 0.0;
        }
        self.k += 1.0;
        let x = self.k / self.of;
        (1.0 - ease(x)) * self.offset + self.of * coast(x) * self.slope
    }

    /// Whether there is nothing left.
    pub(super) fn is_over(&self) -> bool {
        self.k >= self.of
    }
}
