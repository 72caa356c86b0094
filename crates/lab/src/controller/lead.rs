//! What leads the actuators: the targets through the compensation, with a ramp to the start, or a path behind it; and how one hands
//! over to the other.

use super::path::{Rejoin, ease, way};
use super::{Controller, MissPolicy, STILL};
use crate::safety::State;

/// Time over which the pace of the compensation is taken, s: what is faster is noise of the sensors.
const PACE: f64 = 5e-3;
/// Shortest way back to the target before a held test goes on, s.
const RETURN: f64 = 0.1;
/// A specimen that catches up does so with this share of the samples of its way, at least.
const CATCH_UP: f64 = 0.75;

/// Most by which the pace of a test changes from one target to the next.
const SLEW: f64 = 1.02;

/// Who leads the actuators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// The targets, through the compensation.
    Targets,
    /// The path, while a target is late.
    Bridge,
    /// The path, back to the target where the test goes on.
    Return,
    /// The path.
    Path,
}

impl Lead {
    pub(super) const ALL: [Lead; 4] = [Lead::Targets, Lead::Bridge, Lead::Return, Lead::Path];
}

impl Controller {
    /// Samples of a way, less what a late specimen catches up if it does.
    pub(super) fn caught_up(&mut self, samples: u64) -> u64 {
        if self.plan.miss != MissPolicy::Extrapolate || samples == 0 {
            return samples;
        }
        let debt = &mut self.late[2];
        let least = ((CATCH_UP * samples as f64).ceil() as u64).max(1);
        let shorter = samples.saturating_sub(*debt).max(least);
        *debt -= samples - shorter;
        shorter
    }

    /// Samples from the last target to this one. At the start there is a ramp if there is a way to go. Time that goes back
    /// or stands still is that of a loop which is probed or started again: it takes as long as the last time.
    pub(super) fn samples_until(&mut self, t: f64, u: &[f64]) -> u64 {
        let there = u == self.course.goal;
        let (samples, last) = match self.clock {
            // One sample, so that what the specimen carries at rest is known.
            None if there => (1, 0),
            None => (self.eased_samples(u, self.plan.ramp), 0),
            Some((before, 0)) if t <= before && there => (0, 0),
            Some((before, last)) if t <= before => (last.max(1), last),
            Some((before, _)) => {
                let time = (t - before) * self.plan.time_scale * self.pace();
                let samples = match self.plan.miss {
                    MissPolicy::Wait => self.eased_samples(u, time),
                    _ => (time / self.plan.period).round().max(1.0) as u64,
                };
                (samples, samples)
            }
        };
        self.clock = Some((t, last));
        samples
    }

    /// How many times slower than planned the next target is followed: what the operator wants, approached smoothly so that no
    /// velocity jumps.
    fn pace(&mut self) -> f64 {
        let [now, wanted] = self.slower;
        self.slower[0] = now * (wanted / now).clamp(1.0 / SLEW, SLEW);
        self.slower[0]
    }

    /// Samples of a way from rest to rest: as long as is wished, or as the envelope asks for.
    pub(super) fn eased_samples(&mut self, u: &[f64], shortest: f64) -> u64 {
        self.u.iter_mut().zip(u).for_each(|(x, u)| *x = u / self.plan.scale);
        self.u[u.len()..].copy_from_slice(self.loads.y());
        self.kinematics.strokes(&self.u, &mut self.stroke);
        self.guards.iter().zip(&mut self.asked).for_each(|(guard, from)| *from = guard.position());
        self.plan.samples(way(&self.asked, &self.stroke, &self.guards, shortest)) as u64
    }

    pub(super) fn start_ramp(&mut self) {
        self.ramp = self.course.way();
        self.origin.copy_from_slice(&self.course.aim);
    }

    /// The actuators are braked, from where and as fast as they were sent.
    pub(super) fn brake(&mut self, time: f64) {
        self.course.freeze();
        self.take_over();
        self.path.brake(&self.guards, &self.plan, time);
    }

    /// A path leads from now on. Where an actuator should be does not jump from the target to the command.
    pub(super) fn take_over(&mut self) {
        self.lead = Lead::Path;
        self.fading = 0.0;
        for ((ahead, stroke), guard) in self.ahead.iter_mut().zip(&self.stroke).zip(&self.guards) {
            *ahead = stroke - guard.position();
        }
    }

    /// A held test goes on.
    pub(super) fn go_on(&mut self) {
        self.monitor.forget();
        if self.lead == Lead::Targets {
            self.course.speed();
            self.rejoin();
            return;
        }
        self.lead = Lead::Return;
        self.strokes_of_aim();
        self.path.go_to(&self.stroke, RETURN);
    }

    /// From here on targets lead.
    pub(super) fn lead_by_targets(&mut self) {
        self.lead = Lead::Targets;
        self.rejoin();
        if self.sequence.state() == State::ToStart {
            self.course.full();
            self.start_ramp();
        }
    }

    /// What the compensation says next is reached without a jolt.
    pub(super) fn rejoin(&mut self) {
        (0..self.guards.len()).for_each(|i| self.rejoin_one(i));
    }

    pub(super) fn rejoin_one(&mut self, i: usize) {
        let samples = self.plan.samples(2.0 * self.plan.bridge);
        let guard = &self.guards[i];
        let sent = [guard.position() - self.sharing.offset(i), guard.velocity() * self.plan.period];
        self.rejoin[i] = Rejoin::new(sent, self.compensated[i], guard, self.plan.period, samples);
    }

    /// Strokes at the aim: the specimen is 1/S of the structure.
    pub(super) fn strokes_of_aim(&mut self) {
        self.u.iter_mut().zip(&self.course.aim).for_each(|(u, a)| *u = a / self.plan.scale);
        self.u[self.course.aim.len()..].copy_from_slice(self.loads.y());
        self.kinematics.strokes(&self.u, &mut self.stroke);
    }

    /// Where every actuator is wanted in this sample; `seen` and `felt` are the readings of the last one.
    pub(super) fn steer(&mut self, memory: &mut [f64], seen: &[f64], felt: &[f64]) {
        if self.lead == Lead::Targets && !self.move_aim() {
            // No target for this sample.
            let held = self.sequence.state() == State::Holding;
            self.brake(if held { self.plan.brake } else { self.plan.bridge });
            if !held {
                self.course.full();
                (self.lead, self.waited) = (Lead::Bridge, 0);
            }
        }
        match self.lead {
            Lead::Targets => {
                self.strokes_of_aim();
                let still = self.course.is_still() && self.waited as f64 * self.plan.period > STILL;
                if !still {
                    self.compensate(memory, Some(seen));
                }
                for i in 0..self.asked.len() {
                    let rest = self.guards[i].position();
                    let wanted = self.compensated[i][0] + self.rejoin[i].step() + self.sharing.offset(i);
                    self.asked[i] = if still { rest } else { wanted };
                }
            }
            lead => {
                if lead == Lead::Bridge {
                    self.late.iter_mut().for_each(|l| *l += 1);
                }
                let estimates = &self.estimates;
                self.path.step(&self.guards, &self.plan, felt, |i| estimates[i].stiffness());
                if lead == Lead::Return {
                    self.strokes_of_aim();
                    self.compensate(memory, None);
                    if self.path.is_over() {
                        self.course.speed();
                        self.lead_by_targets();
                    }
                }
                self.asked.copy_from_slice(self.path.at());
                if self.lead == Lead::Bridge {
                    self.strokes_of_aim();
                } else if self.lead != Lead::Targets {
                    self.fading += 1.0;
                    let left = 1.0 - ease(self.fading / self.plan.samples(self.plan.brake));
                    for (stroke, (at, ahead)) in self.stroke.iter_mut().zip(self.path.at().iter().zip(&self.ahead)) {
                        *stroke = at + left * ahead;
                    }
                }
            }
        }
        self.stroke_loads();
    }

    /// Moves the aim by one sample, if there is a target to move it to.
    pub(super) fn move_aim(&mut self) -> bool {
        match self.sequence.state() {
            // At the start there is time: the first target was reached, and the test has not begun.
            State::ToStart if self.course.way() == 0.0 => true,
            State::Running if self.plan.miss == MissPolicy::Wait && self.course.way() == 0.0 => true,
            state if state == State::ToStart || self.plan.miss == MissPolicy::Wait => {
                let done = ease(1.0 - (self.course.way() - 1.0) / self.ramp);
                self.course.ease_to(&self.origin, done);
                true
            }
            _ if self.course.is_out_of_targets() => false,
            _ => {
                self.course.advance();
                true
            }
        }
    }

    /// What the compensation says of the strokes of the aim. It learns only where it leads, at full rate and by itself.
    pub(super) fn compensate(&mut self, memory: &mut [f64], seen: Option<&[f64]>) {
        let led = self.sequence.state() != State::Holding && self.course.is_full();
        for (i, taught) in self.taught.iter_mut().enumerate() {
            *taught =
                seen.filter(|_| led && self.rejoin[i].is_over()).map_or(f64::NAN, |s| s[i] - self.sharing.offset(i));
        }
        for (i, wanted) in self.wanted.iter_mut().enumerate() {
            *wanted = self.stroke[i] + self.sharing.lean(i);
        }
        self.plan.compensator.command(memory, &self.wanted, &self.taught, &mut self.said);
        let share = (self.plan.period / PACE).min(1.0);
        for (compensated, &says) in self.compensated.iter_mut().zip(&self.said) {
            let [before, pace] = *compensated;
            *compensated = [says, pace + share * (says - before - pace)];
        }
    }

    /// Memory of the compensation.
    pub(super) fn compensation(&self) -> usize {
        self.plan.compensator.memory()
    }
}
